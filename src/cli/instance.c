#include "cli/instance.h"

#include "cli/output.h"
#include "cli/table.h"

static void add_line(struct buf *out, const char *label, str value)
{
    if (!value.n) return;
    buf_printf(out, "%-12s", label);
    table_print_word(value, output_colours(), out);
    buf_add_char(out, '\n');
}

void instance_print(struct client *client, const struct json *instance, struct buf *out)
{
    str definition = client_text(client, instance, "definitionId");
    str version = client_text(client, instance, "definitionVersion");
    add_line(out, "instance", client_text(client, instance, "id"));
    add_line(out, "definition",
             arena_printf(client->arena, "%.*s, version %.*s", STR_ARG(definition), STR_ARG(version)));
    add_line(out, "status", client_text(client, instance, "status"));
    add_line(out, "reason", client_text(client, instance, "failureReason"));
    add_line(out, "at", client_list(client, instance, "currentStepIds"));
    add_line(out, "key", client_text(client, instance, "businessKey"));
    add_line(out, "started", client_time(client, instance, "startedAt"));
    add_line(out, "ended", client_time(client, instance, "completedAt"));

    struct json_each each = json_each(json_get(instance, STR("variables")));
    const char *label = "variables";
    while (json_next(&each)) {
        buf_printf(out, "%-12s", label);
        output_add_safe(out, each.name, false);
        buf_add_str(out, STR(" = "));
        struct buf value;
        buf_init(&value, client->arena);
        json_print(each.value, &value);
        output_add_safe(out, buf_str(&value), false);
        buf_add_char(out, '\n');
        label = "";
    }
}

int instance_show(struct client *client, str id)
{
    struct buf out;
    int code = client_get(client, client_path(client, "/v1/instances/{}", &id));
    if (code) return code;
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    buf_init(&out, client->arena);
    instance_print(client, client->answer, &out);
    return output_write(buf_str(&out));
}

int instance_command(struct client *client, const char *pattern, const struct json *body)
{
    const str *arguments = client->options->argument;
    struct buf text;
    buf_init(&text, client->arena);
    if (body) json_print(body, &text);
    int code = client_post(client, client_path(client, pattern, arguments), buf_str(&text), 0);
    if (!code) code = instance_show(client, arguments[0]);
    client_close(client);
    return code;
}
