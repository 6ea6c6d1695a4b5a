/* api/access/sessions.c — people sign in and out, see their sessions and end them.
 *
 *     POST /api/session ──► look up the user ──► compare the password aside ──► make the session ──► cookie
 *
 * For every mistake the answer is the same 401 after about the same time: a name that nobody has costs a
 * hash, too. The cookie's value leaves the process here and nowhere else; the store has its hash.
 */
#include "api/access/records_int.h"
#include "api/submit_int.h"

#include "base/clock.h"

enum { COOKIE_SECONDS = 7 * 24 * 3600 };

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- the cookie ---- */

str session_cookie_line(const struct api_request *request, str value)
{
    str name = credential_cookie_name(request);
    bool secure = credential_came_by_tls(request);
    return arena_printf(
        request->http->arena, "Set-Cookie: %.*s=%.*s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s\r\n",
        STR_ARG(name), STR_ARG(value), value.n ? COOKIE_SECONDS : 0, secure ? "; Secure" : "");
}

/* ---- beginning ---- */

struct access_change session_change(struct api_request *request, const struct json *object, str *ret_cookie)
{
    str agent = http_header(request->http, STR("User-Agent"));
    *ret_cookie = key_random(request->http->arena);
    return (struct access_change){ .kind = ACCESS_SESSION,
                                   .action = ACCESS_CREATE,
                                   .object = object,
                                   .hash = credential_hash(*ret_cookie),
                                   .address = request->caller.address,
                                   .request_id = request->caller.request_id,
                                   .way = request->caller.way,
                                   .agent = str_slice(agent, 0, SESSION_AGENT_BYTES_MAX) };
}

static enum status begin(struct api_request *request, const struct json *object, call_fn *done, void *user,
                         str *ret_cookie, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct access_change *change = arena_make(arena, struct access_change);
    *change = session_change(request, object, ret_cookie);
    const struct call_access asked = { .change = change, .count = 1 };
    request->call = call_change_access((struct call_origin){ arena, done, user }, &asked);
    enum status status =
        submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, err);
    if (status != ST_OK) request->call = NULL;
    return status;
}

struct login {
    struct api_request *request;
    str name, password, cookie;
    struct hashing hashing;
};

/* The same words for everything that is wrong. */
static void refuse(struct login *login, const char *why)
{
    struct api_request *request = login->request;
    struct error err;
    directory_note_failed_try(request->api->directory, login->name, request->caller.address, now_ms());
    access_refuse_login(request, STR_NONE, login->name, why);
    fail(&err, ST_UNAUTHORIZED, "", "the name or the password is wrong");
    answer_error(request, &err);
}

static void begun(struct call *call)
{
    struct login *login = call->user;
    struct api_request *request = login->request;
    request->call = NULL;
    if (call->status == ST_CONFLICT) {
        refuse(login, "the user is disabled");
        return;
    }
    if (call->status != ST_OK) {
        call->error.status = call->status;
        answer_error(request, &call->error);
        return;
    }
    answer(request, 204, session_cookie_line(request, login->cookie), STR_NONE);
    hashing_wipe(login->cookie);
}

static void compared(void *context)
{
    struct login *login = context;
    struct json_builder object;
    struct error err;
    if (!login->hashing.fits) {
        refuse(login, login->hashing.known.n ? "wrong password" : "no such user, or one without a password");
        return;
    }
    json_builder_init(&object, login->request->http->arena);
    json_open_object(&object);
    json_add_text(&object, STR("user"), login->name);
    json_close(&object);
    if (begin(login->request, json_built(&object), begun, login, &login->cookie, &err) != ST_OK)
        answer_error(login->request, &err);
}

static void looked_up(struct call *call)
{
    struct login *login = call->user;
    struct error err = call->error;
    enum status status = call->status == ST_NOT_FOUND ? ST_OK : call->status;
    login->request->call = NULL;
    err.status = status;
    /* Again, because many may have come at once. */
    if (status == ST_OK) status = access_check_tries(login->request, login->name, &err);
    if (status == ST_OK) {
        login->hashing = (struct hashing){ .request = login->request,
                                           .password = login->password,
                                           .compares = true,
                                           .known = call->value.access_list.hash,
                                           .done = compared,
                                           .context = login };
        status = hashing_begin(&login->hashing, &err);
    }
    if (status == ST_OK) return;
    hashing_wipe(login->password);
    answer_error(login->request, &err);
}

enum status session_login(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct login *login = arena_make(arena, struct login);
    const struct json *body;
    login->request = request;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "name", ACCESS_NAME_BYTES_MAX, &login->name, err));
    TRY(field_required_text(body, "password", PASSWORD_BYTES_MAX, &login->password, err));
    TRY(access_check_tries(request, login->name, err));
    login->password = arena_str(arena, login->password);
    const struct call_access_list asked = { .kind = ACCESS_USER, .name = login->name, .max = 1 };
    request->call = call_list_access((struct call_origin){ arena, looked_up, login }, &asked);
    enum status status =
        submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, err);
    if (status != ST_OK) request->call = NULL;
    return status;
}

/* ---- ending ---- */

static void put_no_cookie(const struct call *call, struct buf *lines)
{
    buf_add_str(lines, session_cookie_line(call->user, STR_NONE));
}

static enum status end(struct api_request *request, str id, struct error *err)
{
    const struct access_change change = { .kind = ACCESS_SESSION, .action = ACCESS_END, .name = id };
    return records_submit(request, &change, answer_render_nothing, err);
}

enum status session_logout(struct api_request *request, struct error *err)
{
    const struct principal *principal = request->caller.principal;
    if (principal->kind != PRINCIPAL_USER || !principal->credential.n)
        return fail(err, ST_INVALID, "", "the request came with no session that could end");
    request->render_headers = put_no_cookie;
    return end(request, principal->credential, err);
}

/* Admins of all tenants see the sessions of others. */
enum status sessions_list(struct api_request *request, struct error *err)
{
    struct call_access_list asked = { .kind = ACCESS_SESSION, .of = query_text(request, STR("user")) };
    if (!asked.of.n) asked.of = request->caller.principal->name;
    return records_submit_list(request, &asked, err);
}

enum status sessions_end(struct api_request *request, struct error *err)
{
    return end(request, request->param[0], err);
}
