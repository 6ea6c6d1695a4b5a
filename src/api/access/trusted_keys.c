/* api/access/trusted_keys.c — /api/oauth/keys/trusted: keys that sign assertions about users.
 *
 * The calls are those of cyoda. A client of the tenant exchanges an assertion that one of these keys has
 * signed for a token of the user (oauth_token.c). Such an assertion is no credential by itself.
 */
#include "api/access/key_window_int.h"
#include "api/access/oidc_int.h"

#include "json/put.h"

/* ---- answers ---- */

static void put_key(struct buf *out, const struct json *view)
{
    static const str copied[] = { STR_INIT("jwk"),    STR_INIT("audience"),  STR_INIT("issuers"),
                                  STR_INIT("active"), STR_INIT("validFrom"), STR_INIT("validTo") };
    PUT(out, "{\"keyId\":");
    put_text(out, json_text(view, STR("keyId")));
    PUT(out, ",\"legalEntityId\":");
    put_text(out, json_text(view, STR("tenant")));
    key_window_put(out, view, copied, COUNT(copied));
    buf_add_char(out, '}');
}

static void render_key(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_key(out, call->value.access.view[0]);
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_access_list *answer = &call->value.access_list;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_key(out, answer->view[i]);
    }
    buf_add_char(out, ']');
}

enum status trusted_list(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_TRUSTED, .max = CLIENTS_MAX };
    return request_submit(request, call_list_access(request_origin(request), &asked), render_list, err);
}

/* ---- the key ---- */

static enum status check_id(str id, struct error *err)
{
    if (access_check_name(ACCESS_TRUSTED, id, NULL) == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, "keyId",
                "invalid keyId format: 1 to %d letters, digits, points, lines and hyphens",
                TRUSTED_ID_BYTES_MAX);
}

/* Only the public members are kept. */
static const struct json *public_half(const struct json *jwk, str id, struct arena *arena)
{
    static const str names[] = { STR_INIT("kty"), STR_INIT("n"), STR_INIT("e"), STR_INIT("alg"),
                                 STR_INIT("use") };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("kid"), id);
    for (size_t i = 0; i < COUNT(names); i++)
        if (json_is(json_get(jwk, names[i]), JSON_STRING))
            json_add_text(&builder, names[i], json_text(jwk, names[i]));
    json_close(&builder);
    return json_built(&builder);
}

static enum status refuse_private(const struct json *jwk, struct error *err)
{
    static const str secret[] = { STR_INIT("d"),  STR_INIT("p"),  STR_INIT("q"),  STR_INIT("dp"),
                                  STR_INIT("dq"), STR_INIT("qi"), STR_INIT("oth") };
    for (size_t i = 0; i < COUNT(secret); i++)
        if (json_get(jwk, secret[i]))
            return fail(err, ST_INVALID, "jwk",
                        "jwk has the member %.*s of a private key; its owner must not give it away",
                        STR_ARG(secret[i]));
    return ST_OK;
}

static enum status check_jwk(const struct json *jwk, str id, struct error *err)
{
    const struct json *kid = json_get(jwk, STR("kid"));
    if (!json_is(jwk, JSON_OBJECT)) return fail(err, ST_INVALID, "jwk", "jwk must be a JWK, an object");
    if (json_count(jwk) > JWK_MEMBERS_MAX)
        return fail(err, ST_INVALID, "jwk", "jwk has more than %d members (JWK_MEMBERS_MAX)",
                    JWK_MEMBERS_MAX);
    if (!json_text(jwk, STR("kty")).n) return fail(err, ST_INVALID, "jwk", "jwk has no kty");
    if (!str_equal(json_text(jwk, STR("kty")), STR("RSA")))
        return fail_code(err, ST_INVALID, "UNSUPPORTED_KEY_TYPE", "a trusted key is an RSA key");
    if (kid && (!json_is(kid, JSON_STRING) || !str_equal(json_string(kid), id)))
        return fail(err, ST_INVALID, "jwk", "the kid of jwk must be the keyId");
    return refuse_private(jwk, err);
}

/* ---- calls ---- */

static const struct json *make_object(const struct json *body, str id, const struct key_window *window,
                                      struct arena *arena)
{
    const struct json *issuers = json_get(body, STR("issuers"));
    str audience = json_text(body, STR("audience"));
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("jwk"));
    json_add(&builder, public_half(json_get(body, STR("jwk")), id, arena));
    json_add_text(&builder, STR("audience"), audience.n ? audience : STR("client"));
    if (issuers) {
        json_add_name(&builder, STR("issuers"));
        json_add(&builder, issuers);
    }
    key_window_add(&builder, window);
    json_close(&builder);
    return json_built(&builder);
}

enum status trusted_register(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_TRUSTED, .action = ACCESS_PUT };
    struct key_window window;
    const struct json *body;
    TRY(request_body(request, true, &body, err));
    TRY(field_text(body, "keyId", ACCESS_TEXT_BYTES_MAX, &change.name, err));
    TRY(check_id(change.name, err));
    TRY(check_jwk(json_get(body, STR("jwk")), change.name, err));
    TRY(key_window_read(body, &window, err));
    TRY(field_flag(body, "invalidatePrevious", &change.invalidates_others, err));
    TRY(key_window_read_grace(body, "invalidateGracePeriodSec", &change.grace_ms, err));
    change.object = make_object(body, change.name, &window, request->http->arena);
    return records_submit(request, &change, render_key, err);
}

enum status trusted_invalidate(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_TRUSTED,
                                    .action = ACCESS_INVALIDATE,
                                    .name = request->param[0] };
    const struct json *body;
    TRY(check_id(change.name, err));
    TRY(request_body(request, false, &body, err));
    TRY(key_window_read_grace(body, "gracePeriodSec", &change.grace_ms, err));
    return records_submit(request, &change, key_window_render_done, err);
}

enum status trusted_reactivate(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_TRUSTED,
                                    .action = ACCESS_REACTIVATE,
                                    .name = request->param[0] };
    struct key_window window;
    struct json_builder builder;
    const struct json *body;
    TRY(check_id(change.name, err));
    TRY(request_body(request, true, &body, err));
    TRY(key_window_read_again(body, &window, err));
    json_builder_init(&builder, request->http->arena);
    json_open_object(&builder);
    key_window_add(&builder, &window);
    json_close(&builder);
    change.object = json_built(&builder);
    return records_submit(request, &change, render_key, err);
}

enum status trusted_remove(struct api_request *request, struct error *err)
{
    const struct access_change change = { .kind = ACCESS_TRUSTED,
                                          .action = ACCESS_REMOVE,
                                          .name = request->param[0] };
    TRY(check_id(change.name, err));
    return records_submit(request, &change, key_window_render_done, err);
}
