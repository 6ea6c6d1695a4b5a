/* cli/client/client.c — sends a verb's requests to an engine, and explains refusals. */
#include "cli/client/client.h"

#include "base/ascii.h"
#include "base/id.h"
#include "cli/access/credentials.h"
#include "cli/limits.h"
#include "cli/output.h"

#include <stdio.h>

enum { TIMEOUT_MS = 30000 };

/* ---- who acts ---- */

/* A header is one line. */
static bool is_one_line(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ') return false;
    return true;
}

/* Makes the headers that name the person and the groups; false: a name cannot be in a header. */
static bool name_person(struct client *client)
{
    const struct option_value *groups = &client->options->value[OPTION_IN_GROUPS];
    str by = option_text(client->options, OPTION_BY);
    struct buf lines;
    buf_init(&lines, client->arena);
    bool good = is_one_line(by);
    if (by.n) client->person = arena_printf(client->arena, "X-Actor: %.*s\r\n", STR_ARG(by));
    for (size_t i = 0; i < groups->list_count; i++) {
        good = good && is_one_line(groups->list[i]);
        buf_printf(&lines, "%s%.*s", i ? ", " : "X-Groups: ", STR_ARG(groups->list[i]));
    }
    if (groups->list_count) buf_add_str(&lines, STR("\r\n"));
    client->groups = buf_str(&lines);
    return good;
}

void client_set_headers(struct client *client, str lines) { client->lines = lines; }

/* A read has no actor: the engine would warn about a person that it does not ask for. */
static void use_headers(struct client *client, bool acts)
{
    struct buf all;
    buf_init(&all, client->arena);
    buf_add_str(&all, client->identity);
    if (acts) buf_add_str(&all, client->person);
    if (acts) buf_add_str(&all, client->groups);
    buf_add_str(&all, client->lines);
    http_client_set_headers(client->http, buf_str(&all));
}

/* The part of a URL that a browser would call the origin: the engine takes a session only from there. */
static str origin_of(str url)
{
    size_t host = str_find(url, STR("://"), 0);
    size_t slash = host == SIZE_MAX ? SIZE_MAX : str_find(url, STR("/"), host + 3);
    return str_slice(url, 0, slash);
}

/* Makes the headers that name the tenant and the session; false: a name cannot be in a header. The star is no
 * tenant to act in: it stands for all of them in grants. */
static bool name_tenant(struct client *client, const struct credentials *login, bool with_session)
{
    str given = option_text(client->options, OPTION_TENANT);
    str tenant = given.n ? given : login->tenant, origin = origin_of(client->server);
    struct buf lines;
    buf_init(&lines, client->arena);
    if (tenant.n && !str_equal(tenant, STR("*")))
        buf_printf(&lines, "X-Pawl-Tenant: %.*s\r\n", STR_ARG(tenant));
    if (with_session && login->cookie.n)
        buf_printf(&lines, "Cookie: %.*s\r\nOrigin: %.*s\r\n", STR_ARG(login->cookie), STR_ARG(origin));
    client->identity = buf_str(&lines);
    return is_one_line(tenant) && is_one_line(login->cookie) && is_one_line(login->key);
}

int client_open_as(struct client *client, const struct options *options, const struct credentials *login)
{
    struct error err;
    str server = option_text(options, OPTION_SERVER), given = str_trim(option_text(options, OPTION_TOKEN));
    bool elsewhere = !options->value[OPTION_SERVER].given && login->server.n;
    *client = (struct client){ .options = options,
                               .arena = options->arena,
                               .server = elsewhere ? login->server : server };
    if (!name_person(client)) {
        output_complain("--by and --in-group are names without line breaks");
        return status_exit(ST_INVALID);
    }
    if (!name_tenant(client, login, !given.n)) {
        output_complain("--tenant is a name without line breaks");
        return status_exit(ST_INVALID);
    }
    if (http_client_new(client->server, &client->http, &err) != ST_OK) {
        output_complain("--server: %s", err.message);
        return status_exit(err.status);
    }
    str secret = given.n ? given : login->key;
    if (secret.n) http_client_set_secret(client->http, secret);
    return 0;
}

int client_open(struct client *client, const struct options *options)
{
    const struct option_value *server = &options->value[OPTION_SERVER];
    bool is_complete = server->given && str_trim(option_text(options, OPTION_TOKEN)).n;
    struct credentials login = { 0 };
    struct error err;
    /* Nobody needs a login who says where and with which token: its file is not even looked at. */
    if (!is_complete &&
        credentials_find(server->given ? server->text : STR_NONE, options->arena, &login, &err) != ST_OK)
        return output_fail(&err);
    return client_open_as(client, options, &login);
}

void client_close(struct client *client) { http_client_free(client->http); }

/* ---- paths ---- */

static void add_encoded(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool plain = ascii_is_alphanumeric(c) || (c && strchr("-._~:", c));
        if (plain) buf_add_char(out, (char)c);
        else buf_printf(out, "%%%02X", c);
    }
}

str client_path(struct client *client, const char *pattern, const str *arguments)
{
    struct buf path;
    buf_init(&path, client->arena);
    for (; *pattern; pattern++) {
        if (pattern[0] == '{' && pattern[1] == '}') {
            add_encoded(&path, *arguments++);
            pattern++;
        } else {
            buf_add_char(&path, *pattern);
        }
    }
    return buf_str(&path);
}

str client_with(struct client *client, str path, const char *name, str value)
{
    struct buf out;
    if (!value.n) return path;
    buf_init(&out, client->arena);
    buf_add_str(&out, path);
    buf_printf(&out, "%c%s=", str_find(path, STR("?"), 0) == SIZE_MAX ? '?' : '&', name);
    add_encoded(&out, value);
    return buf_str(&out);
}

/* ---- requests ---- */

/* The status whose word the API sent, or one with that HTTP code. */
static enum status status_of(str word, int http_status)
{
    for (enum status status = 0; status < STATUS_COUNT; status++)
        if (str_equal(str_of(status_word(status)), word)) return status;
    for (enum status status = 0; status < STATUS_COUNT; status++)
        if (status_http(status) == http_status) return status;
    return http_status < 500 ? ST_INVALID : ST_INTERNAL;
}

/* A hint for users who give a business key in the place of an id, or a definition's name in another case. */
static void suggest_list(const struct client *client)
{
    const char *arguments = verb_specs[client->options->verb].arguments;
    str given = client->options->argument_count ? client->options->argument[0] : STR_NONE;
    struct id id;
    bool wants_instance = str_starts(str_of(arguments), STR("INSTANCE"));
    if (wants_instance && !id_parse(given, &id))
        output_complain(
            "an instance's id has %d characters; \"pawl ps --key KEY\" finds one by its business key",
            ID_CHARS);
    else if (client->options->verb == VERB_START || client->options->verb == VERB_DEFINITION)
        output_complain("\"pawl definitions\" lists those that are published");
}

static int explain_refusal(struct client *client, int http_status)
{
    str reason = client_text(client, client->answer, "reason");
    enum status status = status_of(json_text(client->answer, STR("error")), http_status);
    struct buf safe;
    buf_init(&safe, client->arena);
    output_add_safe(&safe, reason, true);
    const struct json *problems = json_get(client->answer, STR("problems"));
    const struct json *problem = problems && json_count(problems) ? json_item(problems, 0) : NULL;
    /* The verb shows the problems with their places. Problems of several files have a sentence of their own. */
    if (problem && !json_get(problem, STR("file"))) output_complain("the definition is refused:");
    else if (safe.n) output_complain("%.*s", (int)safe.n, safe.p);
    else output_complain("the server answered %d %s", http_status, http_reason(http_status));
    if (status == ST_NOT_FOUND) suggest_list(client);
    if (status == ST_UNAUTHORIZED)
        output_complain("sign in with \"pawl login\", or give a key or token with PAWL_TOKEN");
    return status_exit(status);
}

static int explain_silence(const struct client *client, const struct error *err)
{
    output_complain("%.*s: %s", STR_ARG(client->server), err->message);
    if (str_starts(str_of(err->message), STR("cannot connect")))
        output_complain("is an engine running there? \"pawl serve\" starts one; --server or PAWL_SERVER "
                        "names another address");
    return status_exit(err->status);
}

static int call(struct client *client, const char *method, str path, str body, int64_t wait_seconds)
{
    struct http_answer answer;
    struct error err;
    const struct json_limits limits = { .bytes_max = ANSWER_BYTES_MAX, .depth_max = JSON_DEPTH_MAX };

    use_headers(client, strcmp(method, "GET") != 0);
    if (http_client_call(client->http, method, path, body, TIMEOUT_MS + wait_seconds * 1000, client->arena,
                         &answer, &err) != ST_OK)
        return explain_silence(client, &err);
    if (answer.warning.n) output_complain("warning: %.*s", STR_ARG(answer.warning));
    client->text = answer.body;
    client->cookie = answer.cookie;
    client->answer = NULL;
    bool parsed =
        !answer.body.n || json_parse(answer.body, &limits, client->arena, &client->answer, NULL) == ST_OK;
    if (answer.status < 200 || answer.status > 299) return explain_refusal(client, answer.status);
    if (!parsed) {
        output_complain("the server's answer is not JSON; is it a pawl engine?");
        return status_exit(ST_INTERNAL);
    }
    return 0;
}

int client_get(struct client *client, str path) { return call(client, "GET", path, STR_NONE, 0); }

const struct json *client_look(struct client *client, str path)
{
    struct http_answer answer;
    struct error err;
    const struct json_limits limits = { .bytes_max = ANSWER_BYTES_MAX, .depth_max = JSON_DEPTH_MAX };
    const struct json *found = NULL;
    use_headers(client, false);
    if (http_client_call(client->http, "GET", path, STR_NONE, TIMEOUT_MS, client->arena, &answer, &err) !=
            ST_OK ||
        answer.status != 200 || json_parse(answer.body, &limits, client->arena, &found, NULL) != ST_OK)
        return NULL;
    return found;
}

int client_post(struct client *client, str path, str body, int64_t wait_seconds)
{
    return call(client, "POST", path, body, wait_seconds);
}

int client_put(struct client *client, str path, str body) { return call(client, "PUT", path, body, 0); }

int client_patch(struct client *client, str path, str body) { return call(client, "PATCH", path, body, 0); }

int client_delete(struct client *client, str path) { return call(client, "DELETE", path, STR_NONE, 0); }

int client_stream(struct client *client, str path, str last, http_piece_fn *take, void *context,
                  bool *ret_lost, struct error *lost)
{
    struct http_answer answer;
    str header = last.n ? arena_printf(client->arena, "Last-Event-ID: %.*s\r\n", STR_ARG(last)) : STR_NONE;
    client_set_headers(client, header);
    use_headers(client, false);
    enum status status =
        http_client_stream(client->http, path, TIMEOUT_MS, take, context, client->arena, &answer, lost);
    client_set_headers(client, STR_NONE);
    *ret_lost = status != ST_OK || answer.status >= 500 || answer.status == 429;
    if (status == ST_OK && *ret_lost)
        fail(lost, ST_STORE, "", "the server answered %d %s", answer.status, http_reason(answer.status));
    if (*ret_lost || answer.status == 200) return 0;
    client->answer = NULL;
    json_parse(answer.body, NULL, client->arena, &client->answer, NULL);
    return explain_refusal(client, answer.status);
}

/* ---- answers ---- */

int client_print_json(struct client *client)
{
    struct buf out;
    if (!client->text.n) return 0;
    buf_init(&out, client->arena);
    buf_add_str(&out, client->text);
    if (!str_ends(client->text, STR("\n"))) buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

str client_text(struct client *client, const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    struct buf out;
    if (!value || json_kind(value) == JSON_NULL) return STR("");
    if (json_kind(value) == JSON_STRING) return json_string(value);
    buf_init(&out, client->arena);
    json_print(value, &out);
    return buf_str(&out);
}

str client_time(struct client *client, const struct json *object, const char *name)
{
    enum { UP_TO_SECONDS = 19 };
    str text = client_text(client, object, name);
    if (text.n < UP_TO_SECONDS) return text;
    str cut = str_slice(text, 0, UP_TO_SECONDS);
    char *copy = arena_alloc(client->arena, cut.n);
    memcpy(copy, cut.p, cut.n);
    if (copy[10] == 'T') copy[10] = ' ';
    return (str){ copy, cut.n };
}

str client_list(struct client *client, const struct json *object, const char *name)
{
    struct json_each each = json_each(json_get(object, str_of(name)));
    struct buf out;
    buf_init(&out, client->arena);
    while (json_next(&each)) {
        if (out.n) buf_add_str(&out, STR(","));
        if (json_is(each.value, JSON_STRING)) buf_add_str(&out, json_string(each.value));
    }
    return buf_str(&out);
}
