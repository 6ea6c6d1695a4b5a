/* cli/deploy.c — `pawl deploy`: uploads definitions, and prints their problems. */
#include "cli/client.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/table.h"
#include "net/net.h"
#include "source/source.h"

/* Warnings, or the problems of a refused definition, with their places in the file. */
static void print_problems(struct client *client, const char *file, const struct json *problems)
{
    struct json_each each = json_each(problems);
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        str line = client_text(client, each.value, "line");
        str column = client_text(client, each.value, "column");
        str severity = client_text(client, each.value, "severity");
        str hint = client_text(client, each.value, "hint");
        buf_printf(&out, "%s:%.*s:%.*s: %.*s: ", file, STR_ARG(line), STR_ARG(column), STR_ARG(severity));
        output_add_safe(&out, client_text(client, each.value, "message"), false);
        buf_add_char(&out, '\n');
        if (hint.n) {
            buf_add_str(&out, STR("  hint: "));
            output_add_safe(&out, hint, false);
            buf_add_char(&out, '\n');
        }
    }
    output_write_error(buf_str(&out));
}

/* Things that the definition needs and does not have. They have places in the document, not in the file. */
static void print_missing(struct client *client, const char *file, const struct json *missing)
{
    struct json_each each = json_each(missing);
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        buf_printf(&out, "%s: warning: ", file);
        output_add_safe(&out, client_text(client, each.value, "message"), false);
        buf_add_char(&out, '\n');
    }
    output_write_error(buf_str(&out));
}

static int deploy(struct client *client, const char *file)
{
    struct error err;
    str text;
    if (input_read_file(file, DEPLOYED_BYTES_MAX, client->arena, &text, &err) != ST_OK)
        return output_fail(&err);
    bool yaml = source_format_of(str_of(file)) == SOURCE_YAML;
    client_set_headers(client, yaml ? STR("Content-Type: application/yaml\r\n") : STR_NONE);
    str path = client_with(client, STR("/v1/definitions"), "revision",
                           option_text(client->options, OPTION_REVISION));
    int code = client_post(client, path, text, 0);
    print_problems(client, file, json_get(client->answer, code ? STR("problems") : STR("warnings")));
    if (!code) print_missing(client, file, json_get(client->answer, STR("missing")));
    return code;
}

/* Tells of a version that is not just the next one. */
static void add_note(struct client *client, struct buf *out)
{
    str id = client_text(client, client->answer, "id"),
        version = client_text(client, client->answer, "version"),
        restores = client_text(client, client->answer, "restores"),
        latest = client_text(client, client->answer, "latestVersion");
    if (!restores.n && !latest.n) return;
    output_add_safe(out, id, false);
    if (restores.n)
        buf_printf(out, ": version %.*s restores version %.*s\n", STR_ARG(version), STR_ARG(restores));
    else
        buf_printf(out, ": version %.*s calls itself older than version %.*s, which stays the latest\n",
                   STR_ARG(version), STR_ARG(latest));
}

int verb_deploy(const struct options *options)
{
    static const char *const headings[] = { "DEFINITION", "VERSION", "NAME", NULL };
    bool as_json = option_on(options, OPTION_JSON);
    struct client client;
    struct text_table table;
    struct buf out, notes;
    int code = client_open(&client, options);
    if (code) return code;

    buf_init(&notes, options->arena);
    table_init(&table, options->arena, headings);
    for (size_t i = 0; i < options->argument_count && !code; i++) {
        code = deploy(&client, options->argument[i].p);
        if (code) break;
        if (as_json) {
            code = client_print_json(&client);
            continue;
        }
        table_add(&table, (str[]){ client_text(&client, client.answer, "id"),
                                   client_text(&client, client.answer, "version"),
                                   client_text(&client, client.answer, "name") });
        add_note(&client, &notes);
    }
    client_close(&client);
    if (!table.row_count) return code;
    buf_init(&out, options->arena);
    table_print(&table, output_colours(), &out);
    buf_add_str(&out, buf_str(&notes));
    int write_code = output_write(buf_str(&out));
    return code ? code : write_code;
}
