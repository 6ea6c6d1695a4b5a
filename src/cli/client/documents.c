/* cli/client/documents.c — the request that publishes several documents, and what it says of each. */
#include "cli/client/documents.h"

#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "json/put.h"
#include "source/source.h"

/* ---- the request ---- */

void documents_init(struct documents *documents, struct client *client)
{
    *documents = (struct documents){ .client = client };
    buf_init(&documents->body, client->arena);
    PUT(&documents->body, "{\"documents\":[");
}

int documents_read(struct documents *documents, const char *file)
{
    struct buf *body = &documents->body;
    struct error err;
    str text;
    if (input_read_file(file, DEPLOYED_BYTES_MAX, documents->client->arena, &text, &err) != ST_OK)
        return output_fail(&err);
    if (documents->count++) buf_add_char(body, ',');
    PUT(body, "{\"file\":");
    put_text(body, str_of(file));
    PUT(body, ",\"text\":");
    put_text(body, text);
    if (source_format_of(str_of(file)) == SOURCE_YAML) PUT(body, ",\"format\":\"yaml\"");
    buf_add_char(body, '}');
    return 0;
}

/* ---- the answer ---- */

void documents_print_problems(struct client *client, str file, const struct json *problems)
{
    struct json_each each = json_each(problems);
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        str own = client_text(client, each.value, "file"), hint = client_text(client, each.value, "hint");
        output_add_safe(&out, own.n ? own : file, false);
        buf_printf(&out, ":%.*s:%.*s: %.*s: ", STR_ARG(client_text(client, each.value, "line")),
                   STR_ARG(client_text(client, each.value, "column")),
                   STR_ARG(client_text(client, each.value, "severity")));
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
static void print_missing(struct client *client, str file, const struct json *missing)
{
    struct json_each each = json_each(missing);
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        output_add_safe(&out, file, false);
        PUT(&out, ": warning: ");
        output_add_safe(&out, client_text(client, each.value, "message"), false);
        buf_add_char(&out, '\n');
    }
    output_write_error(buf_str(&out));
}

void documents_print_warnings(struct client *client)
{
    struct json_each each = json_each(json_get(client->answer, STR("results")));
    while (json_next(&each)) {
        str file = client_text(client, each.value, "file");
        documents_print_problems(client, file, json_get(each.value, STR("warnings")));
        print_missing(client, file, json_get(each.value, STR("missing")));
    }
}

int documents_send(struct documents *documents, bool dry_run)
{
    struct client *client = documents->client;
    PUT(&documents->body, "]}");
    str path =
        client_with(client, STR("/api/apply"), "revision", option_text(client->options, OPTION_REVISION));
    if (dry_run) path = client_with(client, path, "dryRun", STR("true"));
    int code = client_post(client, path, buf_str(&documents->body), 0);
    if (code) {
        documents_print_problems(client, STR_NONE, json_get(client->answer, STR("problems")));
        return code;
    }
    documents_print_warnings(client);
    return 0;
}
