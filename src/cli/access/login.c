/* cli/access/login.c — `pawl login`, `pawl logout` and `pawl whoami`.
 *
 * A login proves itself once: with a password, for which the engine gives a session, with a key, or in a
 * browser by a provider. The file of credentials.h keeps the session or the key, never the password.
 */
#include "cli/access/actions.h"
#include "cli/access/credentials.h"
#include "cli/access/login_browser.h"
#include "cli/access/prompt.h"
#include "cli/output.h"

#include "access/limits.h"
#include "cli/limits.h"

/* `*`: all that there are now, and those that come. */
static str tenants_of(struct client *client)
{
    str tenants = client_list(client, client->answer, "tenants");
    if (!json_flag(client->answer, STR("everywhere"))) return tenants;
    return tenants.n ? arena_printf(client->arena, "* (%.*s)", STR_ARG(tenants)) : STR("*");
}

static int print_me(struct client *client)
{
    struct buf out;
    const struct json *me = client->answer;
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    const struct {
        const char *title;
        str text;
    } line[] = { { "server", client->server },
                 { "tenant", client_text(client, me, "tenant") },
                 { "tenants", tenants_of(client) },
                 { "roles", client_list(client, me, "roles") },
                 { "groups", client_list(client, me, "groups") },
                 { "may", client_list(client, me, "permissions") },
                 { "only", client_list(client, me, "scopes") } };
    buf_init(&out, client->arena);
    buf_printf(&out, "%-9s", "you are");
    output_add_safe(&out, client_text(client, me, "kind"), false);
    buf_add_char(&out, ' ');
    output_add_safe(&out, client_text(client, me, "name"), false);
    buf_add_char(&out, '\n');
    for (size_t i = 0; i < COUNT(line); i++) {
        if (!line[i].text.n) continue;
        buf_printf(&out, "%-9s", line[i].title);
        output_add_safe(&out, line[i].text, false);
        buf_add_char(&out, '\n');
    }
    return output_write(buf_str(&out));
}

/* ---- login ---- */

static int keep(const struct options *options, const struct credentials *login)
{
    struct client client;
    struct error err;
    int code = client_open_as(&client, options, login);
    if (!code) code = client_get(&client, STR("/api/me"));
    if (!code && credentials_keep(login, options->arena, &err) != ST_OK) code = output_fail(&err);
    if (!code) code = print_me(&client);
    client_close(&client);
    return code;
}

static int login_by_key(const struct options *options, struct credentials *login)
{
    struct error err;
    if (prompt_secret("key", false, BEARER_BYTES_MAX, options->arena, &login->key, &err) != ST_OK)
        return output_fail(&err);
    int code = keep(options, login);
    prompt_wipe(login->key);
    return code;
}

static str session_body(const struct options *options, str user, str password)
{
    struct json_builder body;
    struct buf text;
    json_builder_init(&body, options->arena);
    json_open_object(&body);
    json_add_text(&body, STR("name"), user);
    json_add_text(&body, STR("password"), password);
    json_close(&body);
    buf_init(&text, options->arena);
    json_print(json_built(&body), &text);
    return buf_str(&text);
}

/* Asks for a session. The answer has no body, only a cookie. */
static int begin_session(const struct options *options, struct credentials *login, str password)
{
    struct client client;
    int code = client_open_as(&client, options, &(struct credentials){ 0 });
    str body = session_body(options, login->user, password);
    if (!code) code = client_post(&client, STR("/api/session"), body, 0);
    prompt_wipe(body);
    login->cookie = client.cookie;
    client_close(&client);
    if (code || login->cookie.n) return code;
    output_complain("the server gave no session; is it a pawl engine?");
    return status_exit(ST_INTERNAL);
}

static int login_by_password(const struct options *options, struct credentials *login)
{
    struct error err;
    str password;
    if (prompt_secret("password", false, PASSWORD_BYTES_MAX, options->arena, &password, &err) != ST_OK)
        return output_fail(&err);
    int code = begin_session(options, login, password);
    prompt_wipe(password);
    return code ? code : keep(options, login);
}

static int login_by_browser(const struct options *options, struct credentials *login)
{
    int code = login_browser(options, options->value[OPTION_LOGIN_WAIT].number, login);
    return code ? code : keep(options, login);
}

int verb_login(const struct options *options)
{
    struct credentials login = { .server = option_text(options, OPTION_SERVER),
                                 .tenant = option_text(options, OPTION_TENANT) };
    bool by_key = option_on(options, OPTION_LOGIN_KEY);
    if (options->argument_count) login.user = options->argument[0];
    if (str_trim(option_text(options, OPTION_TOKEN)).n) {
        output_complain("PAWL_TOKEN and --token win over a login: take them away first");
        return status_exit(ST_INVALID);
    }
    bool by_browser = !by_key && !login.user.n, named = option_text(options, OPTION_LOGIN_ISSUER).n > 0;
    if ((by_key && login.user.n) || (by_key && option_on(options, OPTION_PASSWORD)) ||
        (named && !by_browser)) {
        output_complain("login needs one of the name of a USER, who has a password, --key, and --issuer");
        return status_exit(ST_INVALID);
    }
    if (by_browser) return login_by_browser(options, &login);
    return by_key ? login_by_key(options, &login) : login_by_password(options, &login);
}

/* ---- logout and whoami ---- */

/* A session that the engine does not know any more is over, too. */
static int end_session(const struct options *options, const struct credentials *login)
{
    struct client client;
    int code = client_open_as(&client, options, login);
    if (!code) code = client_delete(&client, STR("/api/session"));
    client_close(&client);
    return code == status_exit(ST_UNAUTHORIZED) ? 0 : code;
}

int verb_logout(const struct options *options)
{
    const struct option_value *server = &options->value[OPTION_SERVER];
    struct credentials login;
    struct error err;
    if (credentials_find(server->given ? server->text : STR_NONE, options->arena, &login, &err) != ST_OK)
        return output_fail(&err);
    if (!login.server.n) return output_write(STR("you were not signed in\n"));
    int code = login.cookie.n ? end_session(options, &login) : 0;
    if (credentials_forget(login.server, options->arena, &err) != ST_OK) return output_fail(&err);
    if (code) output_complain("the session is forgotten here, but the engine could not end it");
    return code ? code
                : output_write(arena_printf(options->arena, "signed out of %.*s\n", STR_ARG(login.server)));
}

int verb_whoami(const struct options *options)
{
    struct client client;
    int code = client_open(&client, options);
    if (!code) code = client_get(&client, STR("/api/me"));
    if (!code) code = print_me(&client);
    client_close(&client);
    return code;
}
