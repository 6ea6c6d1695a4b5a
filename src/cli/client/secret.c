/* cli/client/secret.c — secrets of a running engine: set, listed by name, removed, sealed with another key.
 *
 * A value comes from a file, from standard input or from the terminal, never from an argument: arguments are
 * shown by `ps` and kept by shells.
 */
#include "cli/access/prompt.h"
#include "cli/client/client.h"
#include "cli/input.h"
#include "cli/client/listing.h"
#include "cli/output.h"
#include "vault/vault.h"

#include <unistd.h>

/* ---- the value ---- */

static enum status read_value(const struct options *options, str name, str *ret_value, struct error *err)
{
    const char *file = option_path(options, OPTION_SECRET_FILE);
    const char *what = arena_printf(options->arena, "value of %.*s", STR_ARG(name)).p;
    if (!file && isatty(STDIN_FILENO))
        TRY(prompt_typed(what, SECRET_VALUE_BYTES_MAX, options->arena, ret_value, err));
    else TRY(input_read_file(file ? file : "-", SECRET_VALUE_BYTES_MAX + 2, options->arena, ret_value, err));
    *ret_value = prompt_line(*ret_value);
    return vault_check_value(*ret_value, err);
}

/* ---- what is asked ---- */

static int set(struct client *client, str name)
{
    struct error err;
    str value;
    if (vault_check_name(name, &err) != ST_OK || read_value(client->options, name, &value, &err) != ST_OK)
        return output_fail(&err);
    const struct json *body =
        json_set(client->arena, json_empty_object(), STR("value"), json_of_string(client->arena, value));
    struct buf text;
    buf_init(&text, client->arena);
    json_print(body, &text);
    int code = client_put(client, client_path(client, "/api/secrets/{}", &name), buf_str(&text));
    if (code || option_on(client->options, OPTION_JSON)) return code ? code : client_print_json(client);
    return 0;
}

static int remove_one(struct client *client, str name)
{
    return client_delete(client, client_path(client, "/api/secrets/{}", &name));
}

static int rekey(struct client *client)
{
    int code = client_post(client, STR("/api/secrets/rekey"), STR_NONE, 0);
    if (code || option_on(client->options, OPTION_JSON)) return code ? code : client_print_json(client);
    str count = client_text(client, client->answer, "resealed");
    return output_write(arena_printf(client->arena, "secrets sealed with a new key: %.*s\n", STR_ARG(count)));
}

static void add_cells(struct client *client, const struct json *item, str *ret_cells)
{
    ret_cells[0] = client_text(client, item, "name");
    ret_cells[1] = client_text(client, item, "source");
    ret_cells[2] = client_time(client, item, "createdAt");
    ret_cells[3] = client_time(client, item, "updatedAt");
    ret_cells[4] = json_get(item, STR("overridden")) ? STR("not used: given elsewhere") : STR_NONE;
}

static int list(struct client *client)
{
    static const char *const headings[] = { "NAME", "SOURCE", "SET (UTC)", "CHANGED (UTC)", "NOTE", NULL };
    static const struct listing listing = { "secrets", headings, add_cells };
    return listing_print(client, STR("/api/secrets"), &listing);
}

static const struct secret_action {
    const char *word;
    size_t arguments; /* With the word itself. */
} actions[] = { { "set", 2 }, { "list", 1 }, { "remove", 2 }, { "rekey", 1 } };

/* The action, or NULL after a complaint. */
static const struct secret_action *find_action(const struct options *options)
{
    str what = options->argument[0];
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (!str_equal(what, str_of(actions[i].word))) continue;
        if (options->argument_count == actions[i].arguments) return &actions[i];
        output_complain(actions[i].arguments == 1 ? "secret %s takes no name" : "secret %s needs a name",
                        actions[i].word);
        return NULL;
    }
    output_complain("secret: \"%.*s\" is not set, list, remove or rekey", STR_ARG(what));
    return NULL;
}

int verb_secret(const struct options *options)
{
    const struct secret_action *action = find_action(options);
    struct client client;
    if (!action) return status_exit(ST_INVALID);
    int code = client_open(&client, options);
    if (code) return code;
    if (action == &actions[1]) return list(&client); /* Closes the client. */
    if (action == &actions[0]) code = set(&client, options->argument[1]);
    else if (action == &actions[2]) code = remove_one(&client, options->argument[1]);
    else code = rekey(&client);
    client_close(&client);
    return code;
}
