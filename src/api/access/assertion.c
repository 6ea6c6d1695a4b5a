/* api/access/assertion.c — assertions about users, which a trusted key of the tenant has signed.
 *
 *     kid ──► the trusted key of the client's tenant ──► its window ──► signature and claims ──► the user
 *
 * An assertion counts for an exchange only (oauth_token.c). It lives for five minutes at most, so that one
 * that somebody has seen is soon worth nothing.
 */
#include "api/access/assertion_int.h"
#include "api/submit_int.h"

#include "base/clock.h"
#include "base/datetime.h"

enum { ASSERTION_LIFE_MS = 300 * 1000 };

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

static void refuse(struct assertion *assertion, const char *why)
{
    assertion->why = why;
    assertion->done(assertion->context);
}

/* ---- signature and claims, aside ---- */

static enum status read_user(struct assertion *assertion, const struct token_bearer *bearer,
                             struct error *err)
{
    const struct json *claims = assertion->token_.claims, *roles = json_get(claims, STR("user_roles"));
    int64_t expires_s, issued_s;
    if (!json_int64(json_get(claims, STR("exp")), &expires_s) ||
        !json_int64(json_get(claims, STR("iat")), &issued_s) ||
        expires_s - issued_s > ASSERTION_LIFE_MS / 1000)
        return fail(err, ST_UNAUTHORIZED, "", "the subject token lives for more than 300 seconds");
    assertion->user = bearer->subject;
    assertion->tenant = json_text(claims, STR("caas_org_id"));
    assertion->said_roles = roles ? roles : json_get(claims, STR("roles"));
    assertion->expires_ms = expires_s * 1000;
    return ST_OK;
}

static enum status verify(struct assertion *assertion, struct error *err)
{
    struct jwk_set *set = NULL;
    struct token_bearer bearer;
    TRY(jwk_set_read(assertion->key_text_, &set, err));
    enum status status = str_equal(assertion->token_.algorithm, STR("RS256"))
                             ? token_verify(&assertion->token_, set, err)
                             : fail(err, ST_UNAUTHORIZED, "", "the subject token is not signed with RS256");
    jwk_set_free(set);
    TRY(status);
    TRY(token_claims(&assertion->issuer_, &assertion->token_, STR_NONE, now_ms(), assertion->arena, &bearer,
                     err));
    return read_user(assertion, &bearer, err);
}

static void run(void *context)
{
    struct assertion *assertion = context;
    assertion->status_ = verify(assertion, &assertion->err_);
}

static void ran(void *context)
{
    struct assertion *assertion = context;
    if (assertion->status_ == ST_OK) assertion->done(assertion->context);
    else refuse(assertion, arena_str(assertion->arena, str_of(assertion->err_.message)).p);
}

static void drop(void *context) { (void)context; }

/* ---- the key ---- */

static bool counts(const struct json *view)
{
    int64_t from_ms, to_ms, at_ms = now_ms();
    return datetime_parse(json_text(view, STR("validFrom")), &from_ms) &&
           datetime_parse(json_text(view, STR("validTo")), &to_ms) && from_ms <= at_ms && at_ms < to_ms;
}

static void take_key(struct assertion *assertion, const struct json *view)
{
    const struct json *issuers = json_get(view, STR("issuers"));
    struct buf text;
    str *pinned = arena_make_n(assertion->arena, str, json_count(issuers));
    for (size_t i = 0; i < json_count(issuers); i++) pinned[i] = json_string(json_item(issuers, i));
    assertion->issuer_ = (struct issuer){ .any_audience = true,
                                          .any_issuer = !json_count(issuers),
                                          .pinned = pinned,
                                          .pinned_count = json_count(issuers),
                                          .skew_ms = PROVIDER_SKEW_MS };
    buf_init(&text, assertion->arena);
    buf_add_str(&text, STR("{\"keys\":["));
    json_print(json_get(view, STR("jwk")), &text);
    buf_add_str(&text, STR("]}"));
    assertion->key_text_ = buf_str(&text);
}

static void key_read(struct call *call)
{
    struct assertion *assertion = call->user;
    const struct answer_access_list *answer = &call->value.access_list;
    assertion->request->call = NULL;
    if (call->status != ST_OK && call->status != ST_NOT_FOUND) {
        assertion->is_store_away = true;
        refuse(assertion, "the engine cannot look it up now");
        return;
    }
    assertion->is_known = call->status == ST_OK && answer->count;
    if (!assertion->is_known || !counts(answer->view[0])) {
        refuse(assertion, "the trusted key is unknown, or counts no more");
        return;
    }
    take_key(assertion, answer->view[0]);
    assertion->aside_ = (struct aside_work){ .run = run, .done = ran, .drop = drop, .context = assertion };
    aside_begin(assertion->request->api, &assertion->aside_);
}

void assertion_check(struct assertion *assertion)
{
    struct api_request *request = assertion->request;
    struct error err;
    if (token_parse(assertion->text, assertion->arena, &assertion->token_, &err) != ST_OK) {
        assertion->is_known = true;
        refuse(assertion, "the subject token is malformed");
        return;
    }
    const struct call_access_list asked = { .kind = ACCESS_TRUSTED, .name = assertion->token_.kid, .max = 1 };
    if (!asked.name.n || asked.name.n > TRUSTED_ID_BYTES_MAX) {
        refuse(assertion, "the subject token names no key");
        return;
    }
    request->call = call_list_access((struct call_origin){ assertion->arena, key_read, assertion }, &asked);
    request->call->ns = assertion->tenant_number;
    if (submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max, &err) == ST_OK)
        return;
    request->call = NULL;
    assertion->is_store_away = true;
    refuse(assertion, "the engine cannot look it up now");
}
