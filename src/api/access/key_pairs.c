/* api/access/key_pairs.c — /api/oauth/keys/keypair: our own keys, issued and ended by admins.
 *
 *     issue   a key is made aside ──► its private half becomes a secret of the engine ──► its record
 *
 * The calls are those of cyoda. A key pair signs tokens of all tenants, so admins of all tenants issue and
 * end them. The first key, which nobody has issued, gets a record when somebody ends it. A key pair for
 * people ("human") signs nothing here: people get sessions.
 */
#include "api/access/issuers_int.h"
#include "api/access/key_window_int.h"
#include "api/access/oidc_int.h"
#include "api/answer_int.h"
#include "api/submit_int.h"

#include "json/put.h"

#include <openssl/crypto.h>

struct pair_request {
    struct api_request *request;
    struct access_change change;
    struct key_window window;
    str audience;
    struct issuer_wait wait;
    struct aside_work aside;
    struct signing_key *key;
    enum status status;
    struct error err;
};

/* ---- answers ---- */

static void put_pair(struct buf *out, const struct json *view)
{
    static const str copied[] = { STR_INIT("algorithm"), STR_INIT("publicKey"), STR_INIT("active"),
                                  STR_INIT("validFrom"), STR_INIT("validTo") };
    PUT(out, "{\"keyId\":");
    put_text(out, json_text(view, STR("keyId")));
    key_window_put(out, view, copied, COUNT(copied));
    buf_add_char(out, '}');
}

static void render_pair(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_pair(out, call->value.access.view[0]);
}

/* ---- the record ---- */

static const struct json *make_object(const struct signing_key *key, str audience,
                                      const struct key_window *window, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("audience"), audience);
    json_add_text(&builder, STR("algorithm"), STR("RS256"));
    json_add_text(&builder, STR("publicKey"), signing_key_public(key, arena));
    key_window_add(&builder, window);
    json_close(&builder);
    return json_built(&builder);
}

static enum status submit(struct pair_request *pair, render_fn *render, struct error *err)
{
    pair->change.kind = ACCESS_KEY_PAIR;
    return records_submit(pair->request, &pair->change, render, err);
}

/* ---- issuing ---- */

static void fail_request(struct pair_request *pair)
{
    signing_key_free(pair->key);
    pair->key = NULL;
    answer_error(pair->request, &pair->err);
}

static void half_removed(struct call *call)
{
    struct pair_request *pair = call->user;
    pair->request->call = NULL;
    fail_request(pair);
}

/* There is no pair without its record: the private half goes again, if the store lets it go. */
static void remove_half(struct pair_request *pair)
{
    struct api_request *request = pair->request;
    struct arena *arena = request->http->arena;
    const struct call_secret asked = { .name = signing_secret(pair->change.name, arena) };
    struct call *call = call_remove_secret((struct call_origin){ arena, half_removed, pair }, &asked);
    struct error ignored;
    call_for_all_tenants(call);
    request->call = call;
    if (submit_call(request->api, call, 0, &ignored) == ST_OK) return;
    request->call = NULL;
    fail_request(pair);
}

static void issued(struct call *call)
{
    struct pair_request *pair = call->user;
    struct buf out;
    pair->request->call = NULL;
    if (call->status != ST_OK) {
        pair->err = call->error;
        pair->err.status = call->status;
        remove_half(pair);
        return;
    }
    signing_key_free(pair->key);
    pair->key = NULL;
    buf_init(&out, pair->request->http->arena);
    put_pair(&out, call->value.access.view[0]);
    answer(pair->request, 200, STR_NONE, buf_str(&out));
}

static void kept(struct call *call)
{
    struct pair_request *pair = call->user;
    str pem = call->as.secret.value;
    OPENSSL_cleanse((void *)(uintptr_t)pem.p, pem.n);
    pair->request->call = NULL;
    pair->err = call->error;
    pair->err.status = call->status;
    if (call->status != ST_OK) {
        fail_request(pair);
        return;
    }
    struct call_origin origin = request_origin(pair->request);
    origin.done = issued;
    origin.user = pair;
    pair->change.kind = ACCESS_KEY_PAIR;
    const struct call_access asked = { .change = &pair->change, .count = 1 };
    pair->request->call = call_change_access(origin, &asked);
    if (submit_call(pair->request->api, pair->request->call, 0, &pair->err) != ST_OK) remove_half(pair);
}

static void made(void *context)
{
    struct pair_request *pair = context;
    struct api_request *request = pair->request;
    struct arena *arena = request->http->arena;
    if (pair->status != ST_OK) {
        fail_request(pair);
        return;
    }
    str kid = arena_str(arena, signing_key_id(pair->key));
    pair->change.name = kid;
    pair->change.object = make_object(pair->key, pair->audience, &pair->window, arena);
    const struct call_secret asked = { .name = signing_secret(kid, arena),
                                       .value = signing_key_pem(pair->key, arena) };
    struct call *call = call_set_secret((struct call_origin){ arena, kept, pair }, &asked);
    call_for_all_tenants(call);
    request->call = call;
    if (submit_call(request->api, call, 0, &pair->err) == ST_OK) return;
    request->call = NULL;
    fail_request(pair);
}

static void make(void *context)
{
    struct pair_request *pair = context;
    pair->status = signing_key_make(&pair->key, &pair->err);
}

static void drop(void *context)
{
    struct pair_request *pair = context;
    signing_key_free(pair->key);
}

static enum status read_audience(str audience, struct error *err)
{
    if (str_equal(audience, STR("human")) || str_equal(audience, STR("client"))) return ST_OK;
    return fail(err, ST_INVALID, "audience", "invalid audience: human or client");
}

static enum status read_issue(struct pair_request *pair, const struct json *body, struct error *err)
{
    str algorithm;
    TRY(field_text(body, "algorithm", ACCESS_TEXT_BYTES_MAX, &algorithm, err));
    if (!str_equal(algorithm, STR("RS256")))
        return fail_code(err, ST_INVALID, "UNSUPPORTED_ALGORITHM", "our tokens are signed with RS256 only");
    TRY(field_text(body, "audience", ACCESS_TEXT_BYTES_MAX, &pair->audience, err));
    TRY(read_audience(pair->audience, err));
    TRY(key_window_read(body, &pair->window, err));
    if (pair->window.to_ms <= key_window_now_ms())
        return fail(err, ST_INVALID, "validTo", "validTo must be in the future");
    TRY(field_flag(body, "invalidateCurrent", &pair->change.invalidates_others, err));
    TRY(key_window_read_grace(body, "invalidateGracePeriodSec", &pair->change.grace_ms, err));
    if (pair->change.invalidates_others && pair->window.from_ms > key_window_now_ms())
        return fail(err, ST_INVALID, "validFrom",
                    "invalidateCurrent with a validFrom in the future would leave nobody to sign");
    return ST_OK;
}

static struct pair_request *begin(struct api_request *request, enum access_action action)
{
    struct pair_request *pair = arena_make(request->http->arena, struct pair_request);
    pair->request = request;
    pair->change.action = action;
    pair->change.name = request->param[0];
    return pair;
}

enum status key_pairs_issue(struct api_request *request, struct error *err)
{
    struct pair_request *pair = begin(request, ACCESS_CREATE);
    const struct json *body;
    TRY(request_body(request, true, &body, err));
    if (!request->api->config.vault)
        return fail(err, ST_INVALID, "", "a key pair needs a vault that keeps its private half");
    TRY(read_issue(pair, body, err));
    pair->aside = (struct aside_work){ .run = make, .done = made, .drop = drop, .context = pair };
    aside_begin(request->api, &pair->aside);
    return ST_OK;
}

/* ---- the others ---- */

static void records_came(struct pair_request *pair, net_fn *go_on)
{
    pair->wait = (struct issuer_wait){ .done = go_on, .context = pair };
    issuers_want(pair->request->api, &pair->wait, &pair->err);
}

/* The first key as a key pair, while no record says otherwise. */
static const struct json *first_view(struct api *api, struct arena *arena)
{
    const struct signing_key *first = signing_first_key(api);
    struct json_builder builder;
    if (!first) return NULL;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("keyId"), signing_key_id(first));
    json_add_text(&builder, STR("algorithm"), STR("RS256"));
    json_add_text(&builder, STR("publicKey"), signing_key_public(first, arena));
    json_add_name(&builder, STR("active"));
    json_add_bool(&builder, true);
    json_add_text(&builder, STR("validFrom"), STR("1970-01-01T00:00:00.000000Z"));
    json_close(&builder);
    return json_built(&builder);
}

static bool is_first_in_use(struct api *api)
{
    const struct signing_key *first = signing_first_key(api);
    size_t count;
    const struct known_pair *known = issuers_pairs(api, &count);
    for (size_t i = 0; first && i < count; i++)
        if (str_equal(known[i].kid, signing_key_id(first))) return false;
    return first != NULL;
}

static void answer_current(void *context)
{
    struct pair_request *pair = context;
    struct api_request *request = pair->request;
    struct api *api = request->api;
    const struct known_pair *known = signing_current(api, pair->audience);
    const struct json *view = known ? known->view : NULL;
    struct buf out;
    if (!view && str_equal(pair->audience, STR("client")) && is_first_in_use(api))
        view = first_view(api, request->http->arena);
    if (pair->err.status == ST_OK && !view)
        fail_code(&pair->err, ST_NOT_FOUND, "KEYPAIR_NOT_FOUND", "no key pair signs for this audience now");
    if (pair->err.status != ST_OK) {
        answer_error(request, &pair->err);
        return;
    }
    buf_init(&out, request->http->arena);
    put_pair(&out, view);
    answer(request, 200, STR_NONE, buf_str(&out));
}

enum status key_pairs_current(struct api_request *request, struct error *err)
{
    struct pair_request *pair = begin(request, ACCESS_CHANGE);
    pair->audience = query_text(request, STR("audience"));
    TRY(read_audience(pair->audience, err));
    records_came(pair, answer_current);
    return ST_OK;
}

/* The first key has no record before: its members come along. */
static void complete(struct pair_request *pair, bool with_window)
{
    struct api_request *request = pair->request;
    struct arena *arena = request->http->arena;
    const struct signing_key *first = signing_first_key(request->api);
    struct json_builder builder;
    if (first && str_equal(signing_key_id(first), pair->change.name)) {
        if (!with_window) pair->window = (struct key_window){ 0, key_window_now_ms() + KEY_WINDOW_MS };
        pair->change.object = make_object(first, STR("client"), &pair->window, arena);
        return;
    }
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    if (with_window) key_window_add(&builder, &pair->window);
    json_close(&builder);
    pair->change.object = json_built(&builder);
}

static enum status check_id(str id, struct error *err)
{
    if (access_check_name(ACCESS_KEY_PAIR, id, NULL) == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, "keyId", "invalid keyId format");
}

enum status key_pairs_invalidate(struct api_request *request, struct error *err)
{
    struct pair_request *pair = begin(request, ACCESS_INVALIDATE);
    const struct json *body;
    TRY(check_id(pair->change.name, err));
    TRY(request_body(request, false, &body, err));
    TRY(key_window_read_grace(body, "gracePeriodSec", &pair->change.grace_ms, err));
    complete(pair, false);
    return submit(pair, key_window_render_done, err);
}

enum status key_pairs_reactivate(struct api_request *request, struct error *err)
{
    struct pair_request *pair = begin(request, ACCESS_REACTIVATE);
    const struct json *body;
    TRY(check_id(pair->change.name, err));
    TRY(request_body(request, true, &body, err));
    TRY(key_window_read_again(body, &pair->window, err));
    if (pair->window.from_ms > key_window_now_ms())
        return fail(err, ST_INVALID, "validFrom", "validFrom cannot be in the future");
    complete(pair, true);
    return submit(pair, render_pair, err);
}

/* ---- removing ---- */

static void submit_own(struct pair_request *pair, struct call *call)
{
    struct api_request *request = pair->request;
    request->call = call;
    if (submit_call(request->api, call, 0, &pair->err) == ST_OK) return;
    request->call = NULL;
    answer_error(request, &pair->err);
}

static void secret_removed(struct call *call)
{
    struct pair_request *pair = call->user;
    pair->request->call = NULL;
    if (call->status == ST_OK || call->status == ST_NOT_FOUND) {
        answer(pair->request, 200, STR_NONE, STR_NONE);
        return;
    }
    call->error.status = call->status;
    answer_error(pair->request, &call->error);
}

/* The key does not count any more. Its private half goes, too. */
static void record_ended(struct call *call)
{
    struct pair_request *pair = call->user;
    struct arena *arena = pair->request->http->arena;
    bool is_first = pair->change.action == ACCESS_INVALIDATE;
    pair->request->call = NULL;
    if (call->status != ST_OK) {
        call->error.status = call->status;
        answer_error(pair->request, &call->error);
        return;
    }
    const struct call_secret asked = { .name = is_first ? STR(SIGNING_SECRET)
                                                        : signing_secret(pair->change.name, arena) };
    struct call *remove = call_remove_secret((struct call_origin){ arena, secret_removed, pair }, &asked);
    call_for_all_tenants(remove);
    submit_own(pair, remove);
}

/* The first key leaves a record that says so; the next token makes another first key. */
enum status key_pairs_remove(struct api_request *request, struct error *err)
{
    struct pair_request *pair = begin(request, ACCESS_REMOVE);
    const struct signing_key *first = signing_first_key(request->api);
    struct call_origin origin = request_origin(request);
    TRY(check_id(pair->change.name, err));
    if (first && str_equal(signing_key_id(first), pair->change.name)) {
        pair->change.action = ACCESS_INVALIDATE;
        complete(pair, false);
    }
    pair->change.kind = ACCESS_KEY_PAIR;
    origin.done = record_ended;
    origin.user = pair;
    const struct call_access asked = { .change = &pair->change, .count = 1 };
    submit_own(pair, call_change_access(origin, &asked));
    return ST_OK;
}
