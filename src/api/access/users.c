/* api/access/users.c — users with passwords, which are hashed aside before the engine hears of them.
 *
 *     create          check ──► hash ──► CHANGE_ACCESS
 *     own password    look up ──► compare the old one ──► hash the new one ──► CHANGE_ACCESS
 *     another's       check ──► hash ──► CHANGE_ACCESS   (admins of all tenants)
 */
#include "api/access/records_int.h"
#include "api/submit_int.h"

#include "access/secret/password.h"
#include "base/clock.h"

/* A change that waits for the hash of a password. */
struct user_change {
    struct api_request *request;
    struct access_change change;
    str old, password;
    struct hashing hashing;
};

static void finish(struct user_change *user, enum status status, struct error *err)
{
    hashing_wipe(user->old);
    hashing_wipe(user->password);
    if (status != ST_OK) answer_error(user->request, err);
}

/* ---- the new password ---- */

static void hashed(void *context)
{
    struct user_change *user = context;
    struct error err = user->hashing.error;
    enum status status = user->hashing.status;
    user->change.secret = user->hashing.hash;
    if (status == ST_OK) {
        render_fn *render =
            user->change.action == ACCESS_CREATE ? records_render_made : answer_render_nothing;
        status = records_submit(user->request, &user->change, render, &err);
    }
    finish(user, status, &err);
}

static enum status hash(struct user_change *user, struct error *err)
{
    user->hashing = (struct hashing){
        .request = user->request, .password = user->password, .done = hashed, .context = user
    };
    return hashing_begin(&user->hashing, err);
}

static enum status read_password(const struct json *body, const char *member, bool required,
                                 struct arena *arena, str *ret_password, struct error *err)
{
    str text;
    TRY(required ? field_required_text(body, member, PASSWORD_BYTES_MAX, &text, err)
                 : field_text(body, member, PASSWORD_BYTES_MAX, &text, err));
    *ret_password = text.n ? arena_str(arena, text) : STR_NONE;
    return ST_OK;
}

static struct user_change *new_change(struct api_request *request, enum access_action action)
{
    struct user_change *user = arena_make(request->http->arena, struct user_change);
    user->request = request;
    user->change = (struct access_change){ .kind = ACCESS_USER, .action = action };
    return user;
}

/* A user without a password signs in by an issuer, or not at all. */
enum status users_create(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct user_change *user = new_change(request, ACCESS_CREATE);
    const struct json *body;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "name", ACCESS_NAME_BYTES_MAX, &user->change.name, err));
    TRY(read_password(body, "password", false, arena, &user->password, err));
    user->change.object = json_without(arena, body, STR("password"));
    if (!user->password.n) return records_submit(request, &user->change, records_render_made, err);
    TRY(password_check(user->password, user->change.name, err));
    return hash(user, err);
}

/* ---- one's own password ---- */

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

enum status access_check_tries(const struct api_request *request, str name, struct error *err)
{
    int64_t wait_ms;
    if (directory_may_try(request->api->directory, name, request->caller.address, now_ms(), &wait_ms))
        return ST_OK;
    uint32_t wait_s = (uint32_t)((wait_ms + 999) / 1000);
    fail_code(err, ST_OVERLOAD, "too-many-tries", "too many passwords were wrong; try again in %u seconds",
              wait_s);
    err->wait_s = wait_s;
    return ST_OVERLOAD;
}

static void compared(void *context)
{
    struct user_change *user = context;
    struct api_request *request = user->request;
    struct error err;
    enum status status;
    if (user->hashing.fits) status = hash(user, &err);
    else {
        directory_note_failed_try(request->api->directory, user->change.name, request->caller.address,
                                  now_ms());
        status = fail(&err, ST_FORBIDDEN, "/oldPassword", "the old password is wrong");
    }
    if (status != ST_OK) finish(user, status, &err);
}

static void looked_up(struct call *call)
{
    struct user_change *user = call->user;
    struct error err = call->error;
    enum status status = call->status;
    user->request->call = NULL;
    err.status = status;
    if (status == ST_OK) status = access_check_tries(user->request, user->change.name, &err);
    if (status == ST_OK) {
        user->hashing = (struct hashing){ .request = user->request,
                                          .password = user->old,
                                          .compares = true,
                                          .known = call->value.access_list.hash,
                                          .done = compared,
                                          .context = user };
        status = hashing_begin(&user->hashing, &err);
    }
    if (status != ST_OK) finish(user, status, &err);
}

/* The hash is for the engine's own eyes, so the call has no caller. */
static enum status look_up(struct user_change *user, struct error *err)
{
    struct api_request *request = user->request;
    const struct call_access_list asked = { .kind = ACCESS_USER, .name = user->change.name, .max = 1 };
    request->call = call_list_access((struct call_origin){ request->http->arena, looked_up, user }, &asked);
    enum status status =
        submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, err);
    if (status != ST_OK) request->call = NULL;
    return status;
}

static bool is_self(const struct api_request *request, str name)
{
    const struct principal *principal = request->caller.principal;
    return principal->kind == PRINCIPAL_USER && str_equal(principal->name, name);
}

enum status users_set_password(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct user_change *user = new_change(request, ACCESS_PASSWORD);
    const struct json *body;
    user->change.name = request->param[0];
    user->change.keep_session = request->caller.principal->credential;
    bool self = is_self(request, user->change.name);
    if (!self) TRY(caller_check_for(&request->caller, MAY_GLOBAL_ADMIN, STR_NONE, err));
    TRY(request_body(request, true, &body, err));
    TRY(read_password(body, "password", true, arena, &user->password, err));
    TRY(read_password(body, "oldPassword", self, arena, &user->old, err));
    if (!self && user->old.n)
        return fail(err, ST_INVALID, "/oldPassword",
                    "an admin who sets the password of another needs no old one");
    TRY(password_check(user->password, user->change.name, err));
    return self ? look_up(user, err) : hash(user, err);
}

enum status users_end_sessions(struct api_request *request, struct error *err)
{
    const struct access_change change = { .kind = ACCESS_USER,
                                          .action = ACCESS_END,
                                          .name = request->param[0],
                                          .keep_session = is_self(request, request->param[0])
                                                              ? request->caller.principal->credential
                                                              : STR_NONE };
    return records_submit(request, &change, answer_render_nothing, err);
}
