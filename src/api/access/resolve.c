/* api/access/resolve.c — reads the principal and the tenant of a request from the store.
 *
 * The first request with a credential comes here, and all that come before the answer. The directory keeps
 * the answer, so that the next one costs a lookup in memory. A stranger who sends credentials that nobody has
 * costs a read each; the network bounds how many requests of strangers their handlers have (net/peer_int.h).
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"
#include "api/submit_int.h"

#include "base/clock.h"
#include "base/must.h"

struct resolution {
    struct api_request *request;
    access_go_on *go_on;
    uint64_t mark; /* The directory's before a token was checked. */
    struct token_check check;
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- the end ---- */

static void finish(struct resolution *resolution, struct error *err)
{
    struct api_request *request = resolution->request;
    request->call = NULL;
    request->unresolved = false;
    if (!err) {
        struct error refusal;
        if (access_authorize(request, &refusal) != ST_OK) err = &refusal;
        resolution->go_on(request, err);
        return;
    }
    resolution->go_on(request, err);
}

static void read_tenant(struct resolution *resolution);

/* The principal that refuses the request counts for nothing, but the log of refusals names nobody. On a route
 * for all a credential that is no good counts as none: it may be an old cookie on the way to a form. */
static void refuse(struct resolution *resolution, const char *why)
{
    struct error err;
    if (resolution->request->route && resolution->request->route->any_caller) {
        access_take_peer(resolution->request);
        read_tenant(resolution);
        return;
    }
    access_refuse(resolution->request, why, &err);
    finish(resolution, &err);
}

static void submit(struct resolution *resolution, struct call *call)
{
    struct api_request *request = resolution->request;
    struct error err;
    request->call = call;
    if (submit_call(request->api, call, request->api->config.limits.answer_bytes_max, &err) != ST_OK)
        finish(resolution, &err);
}

/* ---- the tenant ---- */

static void tenant_read_done(struct call *call)
{
    struct resolution *resolution = call->user;
    struct api_request *request = resolution->request;
    struct tenant tenant;
    if (call->status != ST_OK && call->status != ST_NOT_FOUND) {
        call->error.status = call->status;
        finish(resolution, &call->error);
    } else {
        bool there = directory_tenant(request->api->directory, request->tenant_name, &tenant);
        request->caller.tenant = there ? tenant.number : TENANT_NOWHERE;
        request->is_suspended = there && tenant.is_suspended;
        finish(resolution, NULL);
    }
}

static void read_tenant(struct resolution *resolution)
{
    struct api_request *request = resolution->request;
    struct tenant tenant;
    bool is_named = request->tenant_name.n && request->caller.tenant == TENANT_ANY;
    if (is_named && directory_tenant(request->api->directory, request->tenant_name, &tenant)) {
        request->caller.tenant = tenant.number;
        request->is_suspended = tenant.is_suspended;
        is_named = false;
    }
    if (!is_named) {
        finish(resolution, NULL);
        return;
    }
    const struct call_access_list asked = { .kind = ACCESS_TENANT, .name = request->tenant_name, .max = 1 };
    submit(
        resolution,
        call_list_access((struct call_origin){ request->http->arena, tenant_read_done, resolution }, &asked));
}

/* ---- the principal ---- */

static void principal_read_done(struct call *call)
{
    struct resolution *resolution = call->user;
    struct api_request *request = resolution->request;
    const struct answer_resolve *answer = &call->value.resolve;
    if (call->status != ST_OK) {
        call->error.status = call->status;
        finish(resolution, &call->error);
        return;
    }
    directory_keep(request->api->directory, &request->credential->hash, answer->mark, answer->principal,
                   answer->why, now_ms());
    request->caller.principal = answer->principal;
    if (answer->principal) read_tenant(resolution);
    else refuse(resolution, answer->why);
}

static void ask_principal(struct resolution *resolution, const struct call_resolve *asked)
{
    struct arena *arena = resolution->request->http->arena;
    submit(resolution, call_resolve((struct call_origin){ arena, principal_read_done, resolution }, asked));
}

/* ---- a signed token ---- */

/* The roles as the token says them, for calculation nodes. */
static str claimed_roles(const struct json *claims, struct arena *arena)
{
    static const str names[] = { STR_INIT("user_roles"), STR_INIT("scopes"), STR_INIT("roles") };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json *roles = json_get(claims, names[i]);
        if (!json_is(roles, JSON_ARRAY)) continue;
        struct buf text;
        buf_init(&text, arena);
        json_print(roles, &text);
        return buf_str(&text);
    }
    return STR_NONE;
}

/* A refusal is kept unless the same token may be good soon: its key is unknown, or the issuer's are. */
static void refuse_token(struct resolution *resolution)
{
    const struct token_check *check = &resolution->check;
    struct api_request *request = resolution->request;
    if (check->status != ST_UNAUTHORIZED) {
        finish(resolution, &resolution->check.err);
        return;
    }
    const char *why = check->err.code ? check->err.code : "bad token";
    if (!check->may_change)
        directory_keep(request->api->directory, &request->credential->hash, resolution->mark, NULL, why,
                       now_ms());
    refuse(resolution, why);
}

static void token_checked(void *context)
{
    struct resolution *resolution = context;
    const struct token_check *check = &resolution->check;
    if (check->status != ST_OK) {
        refuse_token(resolution);
        return;
    }
    const struct call_resolve asked = { .kind = CREDENTIAL_BEARER,
                                        .hash = resolution->request->credential->hash,
                                        .issuer = check->issuer_name,
                                        .bearer = check->bearer,
                                        .claims = claimed_roles(check->token.claims, check->arena) };
    ask_principal(resolution, &asked);
}

static void check_token(struct resolution *resolution)
{
    struct api_request *request = resolution->request;
    resolution->mark = directory_mark(request->api->directory);
    resolution->check = (struct token_check){ .text = request->credential->text,
                                              .peer = request->http->peer,
                                              .arena = request->http->arena,
                                              .done = token_checked,
                                              .context = resolution };
    bearer_check(request->api, &resolution->check);
}

/* ---- a key or a session ---- */

static void read_principal(struct resolution *resolution)
{
    struct api_request *request = resolution->request;
    const struct credential *credential = request->credential;
    const struct call_resolve asked = { .kind = credential->form == CREDENTIAL_COOKIE ? CREDENTIAL_SESSION
                                                                                      : CREDENTIAL_KEY,
                                        .hash = credential->hash,
                                        .id = credential->key_id };
    ask_principal(resolution, &asked);
}

void access_resolve(struct api_request *request, access_go_on *go_on)
{
    struct resolution *resolution = arena_make(request->http->arena, struct resolution);
    must(request->unresolved);
    *resolution = (struct resolution){ request, go_on };
    if (request->caller.principal) read_tenant(resolution);
    else if (request->credential->form == CREDENTIAL_BEARER_TOKEN) check_token(resolution);
    else read_principal(resolution);
}
