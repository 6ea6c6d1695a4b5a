/* cli/client/definition.c — `pawl definition`: prints the document of a definition. */
#include "cli/client/client.h"
#include "cli/output.h"

#include <unistd.h>

static str path_of(struct client *client)
{
    const struct options *options = client->options;
    int64_t version = option_number(options, OPTION_OF_VERSION);
    if (!options->value[OPTION_OF_VERSION].given)
        return client_path(client, "/v1/definitions/{}", options->argument);
    str number = arena_printf(client->arena, "%lld", (long long)version);
    return client_path(client, "/v1/definitions/{}/versions/{}", (str[]){ options->argument[0], number });
}

/* A terminal gets safe text; a file gets every character as the author wrote it. */
static void print_document(const struct json *document, struct arena *arena, struct buf *out)
{
    struct buf text;
    buf_init(&text, arena);
    json_print_pretty(document, &text);
    buf_add_char(&text, '\n');
    if (isatty(STDOUT_FILENO)) output_add_safe(out, buf_str(&text), true);
    else buf_add_str(out, buf_str(&text));
}

int verb_definition(const struct options *options)
{
    struct client client;
    struct buf out;
    int code = client_open(&client, options);
    if (code) return code;
    code = client_get(&client, path_of(&client));
    if (!code && option_on(options, OPTION_JSON)) {
        code = client_print_json(&client);
    } else if (!code) {
        buf_init(&out, client.arena);
        print_document(client.answer, client.arena, &out);
        code = output_write(buf_str(&out));
    }
    client_close(&client);
    return code;
}
