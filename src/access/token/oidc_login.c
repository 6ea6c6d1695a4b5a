/* access/token/oidc_login.c — one login by an OIDC provider: the way there and the way back.
 *
 * The cookie says which login it is: the issuer, the place to return to, the end, and 256 random bits.
 * State, nonce and verifier are MACs of it. So a state fits one cookie only, a cookie cannot be changed or
 * made without the secret, and whoever plants a state in somebody's browser lacks the cookie.
 */
#include "access/token/oidc.h"

#include "access/token/form.h"
#include "base/base64.h"
#include "json/json.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

enum { RANDOM_BYTES = 32, DIGEST_BYTES = 32 };

/* ---- the parts of a login ---- */

static str mac_of(str secret, const char *purpose, str cookie, struct arena *arena)
{
    unsigned char digest[DIGEST_BYTES];
    str text = arena_printf(arena, "%s:%.*s", purpose, STR_ARG(cookie));
    must(secret.n >= OIDC_SECRET_BYTES && secret.n <= INT32_MAX);
    must(HMAC(EVP_sha256(), secret.p, (int)secret.n, (const unsigned char *)text.p, text.n, digest, NULL));
    return base64_encode_url((str){ (char *)digest, sizeof digest }, arena);
}

static void derive(str secret, struct oidc_login *login, struct arena *arena)
{
    login->state = mac_of(secret, "state", login->cookie, arena);
    login->nonce = mac_of(secret, "nonce", login->cookie, arena);
    login->verifier = mac_of(secret, "verifier", login->cookie, arena);
}

/* Browsers take a backslash for a slash, and two slashes for the beginning of a host. */
static bool is_own_path(str path)
{
    if (!path.n || path.n > OIDC_PATH_BYTES_MAX || path.p[0] != '/' || str_starts(path, STR("//")))
        return false;
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] <= ' ' || path.p[i] > '~' || path.p[i] == '\\') return false;
    return true;
}

static str make_cookie(const struct oidc_login *login, struct arena *arena)
{
    unsigned char random[RANDOM_BYTES];
    must(RAND_bytes(random, sizeof random) == 1);
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("issuer"), login->issuer);
    json_add_text(&builder, STR("to"), login->return_to);
    json_add_name(&builder, STR("until"));
    json_add_int(&builder, login->expires_ms);
    json_add_text(&builder, STR("random"), base64_encode_url((str){ (char *)random, sizeof random }, arena));
    json_close(&builder);
    struct buf text;
    buf_init(&text, arena);
    json_print(json_built(&builder), &text);
    return base64_encode_url(buf_str(&text), arena);
}

enum status oidc_login_begin(str secret, str issuer, str return_to, int64_t now_ms, struct arena *arena,
                             struct oidc_login *ret_login, struct error *err)
{
    if (!return_to.n) return_to = STR("/");
    if (!is_own_path(return_to))
        return fail(err, ST_INVALID, "to",
                    "a login leads back to a path of this server, which begins with one /");
    struct oidc_login login = { .issuer = arena_str(arena, issuer),
                                .return_to = arena_str(arena, return_to),
                                .expires_ms = now_ms + OIDC_LOGIN_MS };
    login.cookie = make_cookie(&login, arena);
    derive(secret, &login, arena);
    *ret_login = login;
    return ST_OK;
}

/* ---- the way there ---- */

static str challenge_of(str verifier, struct arena *arena)
{
    unsigned char digest[DIGEST_BYTES];
    must(EVP_Digest(verifier.p, verifier.n, digest, NULL, EVP_sha256(), NULL) == 1);
    return base64_encode_url((str){ (char *)digest, sizeof digest }, arena);
}

str oidc_login_url(const struct oidc_provider *provider, const struct oidc_client *client,
                   const struct oidc_login *login, struct arena *arena)
{
    struct buf query;
    buf_init(&query, arena);
    form_add(&query, STR("response_type"), STR("code"));
    form_add(&query, STR("client_id"), client->id);
    form_add(&query, STR("redirect_uri"), client->redirect_uri);
    form_add(&query, STR("scope"), client->scope.n ? client->scope : STR("openid profile email"));
    form_add(&query, STR("state"), login->state);
    form_add(&query, STR("nonce"), login->nonce);
    form_add(&query, STR("code_challenge"), challenge_of(login->verifier, arena));
    form_add(&query, STR("code_challenge_method"), STR("S256"));
    const char *mark = str_find(provider->authorization_endpoint, STR("?"), 0) == SIZE_MAX ? "?" : "&";
    return arena_printf(arena, "%.*s%s%.*s", STR_ARG(provider->authorization_endpoint), mark,
                        STR_ARG(buf_str(&query)));
}

/* ---- the way back ---- */

enum status oidc_callback_read(str query, struct arena *arena, struct oidc_callback *ret_callback,
                               struct error *err)
{
    static const str names[] = { STR_INIT("code"), STR_INIT("state"), STR_INIT("error"), STR_INIT("iss") };
    str value[COUNT(names)];
    if (!form_read(query, names, COUNT(names), arena, value))
        return fail(err, ST_INVALID, "", "the provider's redirect has no sound query");
    for (size_t i = 0; i < COUNT(names); i++)
        if (value[i].n > OIDC_TEXT_BYTES_MAX)
            return fail(err, ST_INVALID, "", "the provider's redirect has a parameter that is too long");
    *ret_callback =
        (struct oidc_callback){ .code = value[0], .state = value[1], .error = value[2], .issuer = value[3] };
    return ST_OK;
}

/* The state was made from the cookie with our secret, so the cookie is one of ours. */
static bool is_state_of(str secret, str cookie, str state, struct arena *arena)
{
    if (!cookie.n || cookie.n > OIDC_TEXT_BYTES_MAX) return false;
    str wanted = mac_of(secret, "state", cookie, arena);
    return wanted.n == state.n && CRYPTO_memcmp(wanted.p, state.p, wanted.n) == 0;
}

enum status oidc_login_resume(str secret, str issuer, str cookie, str state, int64_t now_ms,
                              struct arena *arena, struct oidc_login *ret_login, struct error *err)
{
    const struct json *parts = NULL;
    str text;
    if (!is_state_of(secret, cookie, state, arena))
        return fail_code(err, ST_UNAUTHORIZED, "wrong-state", "the login was not begun by this browser");
    if (!base64_decode_url(cookie, arena, &text) || json_parse(text, NULL, arena, &parts, NULL) != ST_OK ||
        !str_equal(json_text(parts, STR("issuer")), issuer))
        return fail_code(err, ST_UNAUTHORIZED, "wrong-state", "the login was begun at another issuer");
    struct oidc_login login = { .issuer = json_text(parts, STR("issuer")),
                                .return_to = json_text(parts, STR("to")),
                                .expires_ms = json_integer(parts, STR("until")),
                                .cookie = arena_str(arena, cookie) };
    if (now_ms >= login.expires_ms)
        return fail_code(err, ST_UNAUTHORIZED, "login-expired", "the login took longer than ten minutes");
    derive(secret, &login, arena);
    *ret_login = login;
    return ST_OK;
}

enum status oidc_callback_check(const struct oidc_callback *callback, const struct oidc_provider *provider,
                                struct error *err)
{
    bool other = callback->issuer.n ? !str_equal(callback->issuer, provider->issuer) : provider->says_issuer;
    if (other)
        return fail_code(err, ST_UNAUTHORIZED, "wrong-issuer", "the redirect came from another provider");
    if (callback->error.n)
        return fail_code(err, ST_UNAUTHORIZED, "provider-refused", "the provider ended the login");
    if (!callback->code.n)
        return fail_code(err, ST_UNAUTHORIZED, "provider-refused", "the provider's redirect has no code");
    return ST_OK;
}

/* ---- the code ---- */

/* Room for a field of a form: each byte may become %XX. */
static size_t encoded_bytes(str name, str value) { return 3 * (name.n + value.n) + 2; }

/* RFC 6749, section 2.3.1: both are encoded as in a form, then as HTTP Basic has it. */
static str basic_of(const struct oidc_client *client, struct arena *arena)
{
    struct buf pair;
    buf_init(&pair, arena);
    buf_reserve(&pair, encoded_bytes(client->id, client->secret)); /* A second copy would not be wiped. */
    form_add(&pair, client->id, client->secret);
    /* A form has = between the two, and neither has one any more: HTTP Basic has a colon. */
    ((char *)memchr(pair.p, '=', pair.n))[0] = ':';
    str encoded = base64_encode(buf_str(&pair), arena);
    OPENSSL_cleanse(pair.p, pair.n);
    str header = arena_printf(arena, "Basic %.*s", STR_ARG(encoded));
    OPENSSL_cleanse((char *)(uintptr_t)encoded.p, encoded.n);
    return header;
}

void oidc_code_form(const struct oidc_provider *provider, const struct oidc_client *client,
                    const struct oidc_login *login, str code, struct arena *arena, str *ret_form,
                    str *ret_authorization)
{
    bool basic = client->secret.n && !provider->secret_in_form;
    struct buf form;
    buf_init(&form, arena);
    buf_reserve(&form, 256 + encoded_bytes(code, login->verifier) +
                           encoded_bytes(client->id, client->secret) +
                           encoded_bytes(client->redirect_uri, STR_NONE));
    form_add(&form, STR("grant_type"), STR("authorization_code"));
    form_add(&form, STR("code"), code);
    form_add(&form, STR("redirect_uri"), client->redirect_uri);
    form_add(&form, STR("code_verifier"), login->verifier);
    if (!basic) form_add(&form, STR("client_id"), client->id);
    if (!basic && client->secret.n) form_add(&form, STR("client_secret"), client->secret);
    *ret_form = buf_str(&form);
    *ret_authorization = basic ? basic_of(client, arena) : STR_NONE;
}
