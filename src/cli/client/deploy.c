/* cli/client/deploy.c — `pawl deploy`: publishes definitions, all or none, and prints their problems. */
#include "cli/client/documents.h"
#include "cli/output.h"
#include "cli/table.h"

/* Tells of a version that is not just the next one. */
static void add_note(struct client *client, const struct json *result, struct buf *out)
{
    str id = client_text(client, result, "definitionId"), version = client_text(client, result, "version"),
        restores = client_text(client, result, "restores"),
        latest = client_text(client, result, "latestVersion");
    bool is_restored = str_equal(client_text(client, result, "verdict"), STR("restored"));
    if (!is_restored && !latest.n) return;
    output_add_safe(out, id, false);
    if (is_restored)
        buf_printf(out, ": version %.*s restores version %.*s\n", STR_ARG(version), STR_ARG(restores));
    else
        buf_printf(out, ": version %.*s calls itself older than version %.*s, which stays the latest\n",
                   STR_ARG(version), STR_ARG(latest));
}

static int print_results(struct client *client)
{
    static const char *const headings[] = { "DEFINITION", "VERSION", "STATE", "NAME", NULL };
    struct json_each each = json_each(json_get(client->answer, STR("results")));
    struct text_table table;
    struct buf out, notes;
    buf_init(&notes, client->arena);
    table_init(&table, client->arena, headings);
    while (json_next(&each)) {
        table_add(&table, (str[]){ client_text(client, each.value, "definitionId"),
                                   client_text(client, each.value, "version"),
                                   client_text(client, each.value, "verdict"),
                                   client_text(client, each.value, "name") });
        add_note(client, each.value, &notes);
    }
    buf_init(&out, client->arena);
    table_print(&table, output_colours(), &out);
    buf_add_str(&out, buf_str(&notes));
    return output_write(buf_str(&out));
}

int verb_deploy(const struct options *options)
{
    struct client client;
    struct documents documents;
    int code = client_open(&client, options);
    if (code) return code;
    documents_init(&documents, &client);
    for (size_t i = 0; i < options->argument_count && !code; i++)
        code = documents_read(&documents, options->argument[i].p);
    if (!code) code = documents_send(&documents, false);
    if (!code) code = option_on(options, OPTION_JSON) ? client_print_json(&client) : print_results(&client);
    client_close(&client);
    return code;
}
