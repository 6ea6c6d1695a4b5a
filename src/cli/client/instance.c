/* cli/client/instance.c — prints an instance for people, and sends it commands. */
#include "cli/client/instance.h"

#include "cli/output.h"
#include "cli/table.h"
#include "cli/client/words.h"

static void add_line(struct buf *out, const char *label, str value)
{
    if (!value.n) return;
    buf_printf(out, "%-12s%s", label, strlen(label) < 12 ? "" : " ");
    table_print_word(value, output_colours(), out);
    buf_add_char(out, '\n');
}

/* Adds one line for each item of a list; `print` adds the text behind the label. */
static void add_items(struct client *client, const struct json *instance, const char *name, const char *label,
                      str (*print)(struct client *client, const struct json *item), struct buf *out)
{
    struct json_each each = json_each(json_get(instance, str_of(name)));
    while (json_next(&each)) {
        add_line(out, label, print(client, each.value));
        label = "";
    }
}

static str print_event(struct client *client, const struct json *event)
{
    str id = client_text(client, event, "id"), type = client_text(client, event, "type");
    str source = client_text(client, event, "source"), since = client_time(client, event, "receivedAt");
    return arena_printf(client->arena, "%.*s of %.*s, id %.*s, since %.*s", STR_ARG(type), STR_ARG(source),
                        STR_ARG(id), STR_ARG(since));
}

static str print_signal(struct client *client, const struct json *signal)
{
    str step = client_text(client, signal, "stepId"), at = client_time(client, signal, "receivedAt");
    return arena_printf(client->arena, "for %.*s, since %.*s", STR_ARG(step), STR_ARG(at));
}

static str print_arrival(struct client *client, const struct json *arrival)
{
    str trigger = client_text(client, arrival, "trigger"), at = client_time(client, arrival, "receivedAt");
    return arena_printf(client->arena, "at %.*s, since %.*s, for a wait that follows", STR_ARG(trigger),
                        STR_ARG(at));
}

static str print_child(struct client *client, const struct json *child)
{
    const struct json *awaited = json_get(child, STR("awaited"));
    str id = client_text(client, child, "id"), status = words_screen(client_text(client, child, "status"));
    str definition = client_text(client, child, "definitionId");
    return arena_printf(client->arena, "%.*s, %.*s, %.*s%s", STR_ARG(id), STR_ARG(definition),
                        STR_ARG(status),
                        json_is(awaited, JSON_BOOL) && json_bool(awaited) ? ", awaited" : "");
}

static str print_parent(struct client *client, const struct json *instance)
{
    str id = client_text(client, instance, "parentId"), step = client_text(client, instance, "parentStepId");
    if (!step.n) return id;
    return arena_printf(client->arena, "%.*s, which waits for it at %.*s", STR_ARG(id), STR_ARG(step));
}

static str print_error(struct client *client, const struct json *error)
{
    str name = client_text(client, error, "name"), state = client_text(client, error, "state");
    str function = client_text(client, error, "function");
    return arena_printf(client->arena, "%.*s%s%.*s%s%.*s", STR_ARG(name), state.n ? " in " : "",
                        STR_ARG(state), function.n ? ", function " : "", STR_ARG(function));
}

static void print_variables(struct client *client, const struct json *instance, struct buf *out)
{
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

/* The same word as in lists, then the dialect's own word if it is another one. */
static void add_status(struct client *client, const struct json *instance, struct buf *out)
{
    str word = client_text(client, instance, "executionStatus"), status = words_status(client, instance);
    buf_printf(out, "%-12s", "status");
    table_print_word(status, output_colours(), out);
    if (word.n && !str_equal_ignoring_case(word, status)) {
        buf_add_str(out, STR(" ("));
        output_add_safe(out, word, false);
        buf_add_char(out, ')');
    }
    buf_add_char(out, '\n');
}

void instance_print(struct client *client, const struct json *instance, struct buf *out)
{
    const struct json *error = json_get(instance, STR("error")), *output = json_get(instance, STR("output"));
    str definition = client_text(client, instance, "definitionId");
    str version = client_text(client, instance, "definitionVersion");
    add_line(out, "instance", client_text(client, instance, "id"));
    add_line(out, "definition",
             arena_printf(client->arena, "%.*s, version %.*s", STR_ARG(definition), STR_ARG(version)));
    add_status(client, instance, out);
    add_line(out, "reason", client_text(client, instance, "failureReason"));
    if (error) add_line(out, "error", print_error(client, error));
    add_line(out, "at", client_list(client, instance, "currentStepIds"));
    add_line(out, "key", client_text(client, instance, "businessKey"));
    add_line(out, "token", client_text(client, instance, "correlation"));
    if (json_get(instance, STR("isTest")))
        add_line(out, "test", STR("nothing is done outside of the engine"));
    add_line(out, "started", client_time(client, instance, "startedAt"));
    add_line(out, "ended", client_time(client, instance, "completedAt"));
    add_line(out, "parent", print_parent(client, instance));
    add_items(client, instance, "children", "children", print_child, out);
    str total = client_text(client, instance, "childrenTotal");
    if (total.n) add_line(out, "", arena_printf(client->arena, "the latest of %.*s", STR_ARG(total)));
    add_line(out, "chained from", client_text(client, instance, "chainedFromId"));
    if (json_get(instance, STR("chainedTo")))
        add_line(out, "chained to", print_child(client, json_get(instance, STR("chainedTo"))));
    add_items(client, instance, "pendingEvents", "events", print_event, out);
    add_items(client, instance, "pendingSignals", "signals", print_signal, out);
    add_items(client, instance, "pendingArrivals", "early", print_arrival, out);
    if (json_get(instance, STR("detachedWork")))
        add_line(out, "detached", STR("work nobody waits for still goes on"));
    print_variables(client, instance, out);
    if (output && !json_is(output, JSON_OBJECT))
        add_line(out, "output", client_text(client, instance, "output"));
}

void instance_print_tokens(struct client *client, const struct json *tokens, const char *label,
                           struct buf *out)
{
    struct json_each each = json_each(tokens);
    while (json_next(&each)) {
        str since = client_time(client, each.value, "since");
        buf_printf(out, "%-12s", label);
        output_add_safe(out, client_text(client, each.value, "stepId"), false);
        buf_printf(out, ", since %.*s: ", STR_ARG(since));
        output_add_safe(out, client_text(client, each.value, "why"), false);
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

int instance_post(struct client *client, str path, const struct json *body)
{
    struct buf text;
    buf_init(&text, client->arena);
    if (body) json_print(body, &text);
    return client_post(client, path, buf_str(&text), 0);
}

int instance_command(struct client *client, str path, const struct json *body)
{
    int code = instance_post(client, path, body);
    if (!code) code = instance_show(client, client->options->argument[0]);
    client_close(client);
    return code;
}
