/* cli/secret.c — secrets of a running engine: set, listed by name, removed, sealed with another key.
 *
 * A value comes from a file, from standard input or from the terminal, never from an argument: arguments are
 * shown by `ps` and kept by shells.
 */
#include "cli/client.h"
#include "cli/input.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "vault/vault.h"

#include <stdio.h>
#include <termios.h>
#include <unistd.h>

/* ---- the value ---- */

/* Asks at the terminal, which does not show what is typed. */
static enum status read_typed(str name, struct arena *arena, str *ret_value, struct error *err)
{
    enum { LINE_BYTES = SECRET_VALUE_BYTES_MAX + 2 };
    char *line = arena_zero(arena, 1, LINE_BYTES);
    struct termios before, quiet;
    bool hidden = tcgetattr(STDIN_FILENO, &before) == 0;
    fprintf(stderr, "value of %.*s: ", STR_ARG(name));
    fflush(stderr);
    if (hidden) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    bool read = fgets(line, LINE_BYTES, stdin) != NULL;
    if (hidden) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    fputc('\n', stderr);
    if (!read) return fail(err, ST_INVALID, "", "no value was given");
    *ret_value = str_of(line);
    return ST_OK;
}

/* A line end at the end is not part of the value. */
static str without_line_end(str text)
{
    if (text.n && text.p[text.n - 1] == '\n') text.n--;
    if (text.n && text.p[text.n - 1] == '\r') text.n--;
    return text;
}

static enum status read_value(const struct options *options, str name, str *ret_value, struct error *err)
{
    const char *file = option_path(options, OPTION_SECRET_FILE);
    if (!file && isatty(STDIN_FILENO)) TRY(read_typed(name, options->arena, ret_value, err));
    else TRY(input_read_file(file ? file : "-", SECRET_VALUE_BYTES_MAX + 2, options->arena, ret_value, err));
    *ret_value = without_line_end(*ret_value);
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
