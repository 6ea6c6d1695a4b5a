/* tests/fuzz/fuzz_oidc.c — texts of a login by OIDC and of our token endpoint. The first byte says which.
 *
 * Each is read or refused with a reason. An address that is taken has https or is at loopback. A cookie and a
 * state that we have not made never go together. A login leads to a path of ours.
 */
#include "fuzz.h"

#include "access/token/form.h"
#include "access/token/oauth.h"
#include "access/token/oidc.h"
#include "base/utf8.h"

static const str secret = STR_INIT("0123456789abcdef0123456789abcdef");
static const struct oidc_rules rules = { .plain_loopback = true, .for_people = true };

static void check_error(enum status status, enum status other, const struct error *err)
{
    must(status == other && err->status == status && err->message[0] && utf8_is_valid(str_of(err->message)));
}

static void check_address(str address)
{
    must(str_starts(address, STR("https://")) || str_starts(address, STR("http://")));
    must(!memchr(address.p, '#', address.n) && !memchr(address.p, '\\', address.n));
    if (oidc_is_address(address, false)) must(str_starts(address, STR("https://")));
}

static void try_document(str text, struct arena *arena)
{
    struct oidc_provider provider;
    struct error err = { 0 };
    enum status status = oidc_provider_read(text, STR("https://idp"), rules, arena, &provider, &err);
    if (status != ST_OK) {
        check_error(status, ST_INVALID, &err);
        return;
    }
    check_address(provider.authorization_endpoint);
    check_address(provider.token_endpoint);
    check_address(provider.jwks_uri);
    struct oidc_client client = { .id = STR("web"), .redirect_uri = STR("https://us/") };
    struct oidc_login login = { .state = STR("s"), .nonce = STR("n"), .verifier = STR("v") };
    str url = oidc_login_url(&provider, &client, &login, arena);
    must(str_starts(url, provider.authorization_endpoint) && !memchr(url.p, '#', url.n));
}

static void try_query(str text, struct arena *arena)
{
    struct oidc_provider provider = { .issuer = STR("https://idp") };
    struct oidc_callback callback;
    struct error err = { 0 };
    enum status status = oidc_callback_read(text, arena, &callback, &err);
    if (status != ST_OK) {
        check_error(status, ST_INVALID, &err);
        return;
    }
    must(utf8_is_valid(callback.code) && utf8_is_valid(callback.state));
    status = oidc_callback_check(&callback, &provider, &err);
    if (status == ST_OK) must(callback.code.n && !callback.error.n);
    else check_error(status, ST_UNAUTHORIZED, &err);
}

static void try_form(str text, struct arena *arena)
{
    struct oauth_form form;
    const char *why = NULL;
    enum oauth_error error = oauth_form_read(text, arena, &form, &why);
    if (error == OAUTH_NONE && form.grant == OAUTH_TOKEN_EXCHANGE)
        error = oauth_form_check_exchange(&form, &why);
    must(error < OAUTH_ERROR_COUNT);
    struct buf out;
    buf_init(&out, arena);
    if (error == OAUTH_NONE) oauth_put_answer(form.grant, form.subject_token, 1, &out);
    else oauth_put_error(error, why, &out);
    must(fuzz_parse(buf_str(&out), arena));
}

static void try_basic(str text, struct arena *arena)
{
    struct oauth_client client;
    const char *why;
    if (oauth_client_read(STR("application/x-www-form-urlencoded"), text, arena, &client, &why) != OAUTH_NONE)
        return;
    must(client.id.n && client.secret.n && utf8_is_valid(client.id) && utf8_is_valid(client.secret));
}

static void try_answer(str text, struct arena *arena)
{
    for (int http_status = 200; http_status <= 500; http_status += 100) {
        struct oidc_answer answer;
        struct error err = { 0 };
        enum status status = oidc_answer_read(http_status, text, arena, &answer, &err);
        if (status == ST_OK) must(http_status == 200 && answer.id_token.n);
        else check_error(status, ST_UNAUTHORIZED, &err);
    }
}

static void try_login(str text, struct arena *arena)
{
    struct oidc_login login, again;
    struct error err = { 0 };
    enum status status = oidc_login_begin(secret, STR("sso"), text, 0, arena, &login, &err);
    if (status != ST_OK) {
        check_error(status, ST_INVALID, &err);
        return;
    }
    must(login.return_to.p[0] == '/' && !str_starts(login.return_to, STR("//")));
    must(oidc_login_resume(secret, STR("sso"), login.cookie, login.state, 1, arena, &again, &err) == ST_OK);
    must(str_equal(again.return_to, login.return_to) && str_equal(again.verifier, login.verifier));
    must(oidc_login_resume(secret, STR("sso"), login.cookie, text, 1, arena, &again, &err) ==
         ST_UNAUTHORIZED);
    must(oidc_login_resume(secret, STR("sso"), text, login.state, 1, arena, &again, &err) == ST_UNAUTHORIZED);
}

static void try_cookie(str text, struct arena *arena)
{
    str cookie, state;
    struct oidc_login login;
    fuzz_split(text, &cookie, &state);
    must(oidc_login_resume(secret, STR("sso"), cookie, state, 1, arena, &login, NULL) == ST_UNAUTHORIZED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    str text = fuzz_block((str){ (const char *)data + 1, size - 1 });
    struct arena arena;
    arena_init(&arena, 0);
    switch (data[0]) {
    case 'd': try_document(text, &arena); break;
    case 'q': try_query(text, &arena); break;
    case 'f': try_form(text, &arena); break;
    case 'b': try_basic(text, &arena); break;
    case 'a': try_answer(text, &arena); break;
    case 'l': try_login(text, &arena); break;
    case 'c': try_cookie(text, &arena); break;
    default:
        if (oidc_is_address(text, true)) check_address(text);
    }
    arena_done(&arena);
    fuzz_block_free(text);
    return 0;
}
