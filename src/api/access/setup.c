/* api/access/setup.c — the first admin comes in by a link that counts once and for an hour.
 *
 *     serve --users ──► api_open_setup() ──► the code, in the log and in a file ──► POST /api/setup
 *                                                      ──► a user who is admin of all tenants, and a session
 *
 * The process has the hash of the code only. It forgets it with the first user, whoever made it.
 */
#include "api/access/records_int.h"
#include "api/access/setup_int.h"
#include "api/submit_int.h"

#include "access/secret/password.h"
#include "base/clock.h"
#include "base/must.h"

#include <stdlib.h>

enum { SETUP_MS = 3600 * 1000 };

struct setup {
    struct credential_hash hash;
    int64_t until_ms;
    bool busy; /* Somebody uses the link just now. */
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

str api_open_setup(struct api *api, struct arena *arena)
{
    str code = key_random(arena);
    if (!api->setup) api->setup = calloc(1, sizeof *api->setup);
    must(api->setup);
    *api->setup = (struct setup){ .hash = credential_hash(code), .until_ms = now_ms() + SETUP_MS };
    return code;
}

bool setup_is_open(const struct api *api)
{
    return api->setup && api->setup->until_ms > now_ms() && !directory_has_users(api->directory);
}

/* ---- POST /api/setup ---- */

struct first_admin {
    struct api_request *request;
    str name, password, cookie;
    struct hashing hashing;
};

static void fail_setup(struct first_admin *first, struct error *err)
{
    first->request->api->setup->busy = false;
    answer_error(first->request, err);
}

static void begun(struct call *call)
{
    struct first_admin *first = call->user;
    struct api_request *request = first->request;
    request->call = NULL;
    call->error.status = call->status;
    if (call->status != ST_OK) {
        fail_setup(first, &call->error);
        return;
    }
    request->api->setup->until_ms = 0;
    answer(request, 204, session_cookie_line(request, first->cookie), STR_NONE);
    hashing_wipe(first->cookie);
}

static const struct json *make_object(struct arena *arena, const char *text)
{
    const struct json_limits limits = { 4096, 8 };
    const struct json *object;
    struct error err;
    must(json_parse(str_of(text), &limits, arena, &object, &err) == ST_OK);
    return object;
}

/* The user, the grant that makes an admin of all tenants, and the session happen together or not at all. If
 * others use another node's link at the same time, the first user that is there wins. */
static void hashed(void *context)
{
    struct first_admin *first = context;
    struct api_request *request = first->request;
    struct arena *arena = request->http->arena;
    struct access_change *change = arena_make_n(arena, struct access_change, 3);
    const struct json *grant = make_object(arena, "{\"role\":\"admin\",\"tenant\":\"*\"}");
    str to = arena_printf(arena, "user:%.*s", STR_ARG(first->name));
    struct error err = first->hashing.error;
    change[0] = (struct access_change){ .kind = ACCESS_USER,
                                        .action = ACCESS_CREATE,
                                        .name = first->name,
                                        .object = make_object(arena, "{\"roles\":[\"admin\"]}"),
                                        .secret = first->hashing.hash,
                                        .is_first = true };
    change[1] =
        (struct access_change){ .kind = ACCESS_GRANT,
                                .action = ACCESS_CREATE,
                                .object = json_set(arena, grant, STR("to"), json_of_string(arena, to)) };
    const struct json *session =
        json_set(arena, json_empty_object(), STR("user"), json_of_string(arena, first->name));
    change[2] = session_change(request, session, &first->cookie);
    const struct call_access asked = { .change = change, .count = 3 };
    enum status status = first->hashing.status;
    if (status == ST_OK) {
        request->call = call_change_access((struct call_origin){ arena, begun, first }, &asked);
        status = submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, &err);
    }
    if (status == ST_OK) return;
    request->call = NULL;
    fail_setup(first, &err);
}

static bool fits(const struct setup *setup, str code)
{
    struct credential_hash hash = credential_hash(code);
    return credential_hash_equal(&hash, &setup->hash);
}

enum status setup_take(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct setup *setup = request->api->setup;
    struct first_admin *first = arena_make(arena, struct first_admin);
    const struct json *body;
    str code;
    first->request = request;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "code", ACCESS_TEXT_BYTES_MAX, &code, err));
    TRY(field_required_text(body, "name", ACCESS_NAME_BYTES_MAX, &first->name, err));
    TRY(field_required_text(body, "password", PASSWORD_BYTES_MAX, &first->password, err));
    TRY(access_check_tries(request, STR("setup"), err));
    if (!setup_is_open(request->api) || !fits(setup, code)) {
        directory_note_failed_try(request->api->directory, STR("setup"), request->caller.address, now_ms());
        return access_refuse(request, "the link for the first admin is wrong, was used or is too old", err);
    }
    if (setup->busy) return fail(err, ST_CONFLICT, "", "somebody uses the link just now");
    TRY(access_check_name(ACCESS_USER, first->name, err));
    TRY(password_check(first->password, first->name, err));
    first->password = arena_str(arena, first->password);
    first->hashing =
        (struct hashing){ .request = request, .password = first->password, .done = hashed, .context = first };
    setup->busy = true;
    enum status status = hashing_begin(&first->hashing, err);
    if (status != ST_OK) setup->busy = false;
    return status;
}
