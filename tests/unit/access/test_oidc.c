/* Login by a provider, without a network. */
#include "access/token/form.h"
#include "access/token/oidc.h"

#include "access_test.h"
#include "base/base64.h"

static struct arena arena;
static const str secret = STR_INIT("0123456789abcdef0123456789abcdef");
static const struct oidc_rules strict = { .for_people = true },
                               loose = { .plain_loopback = true, .for_people = true };

static int begin_test(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int end_test(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static str printed_text(const char *text)
{
    const struct json *value = parsed(&arena, text);
    struct buf out;
    buf_init(&out, &arena);
    json_print(value, &out);
    return buf_str(&out);
}

/* ---- the provider ---- */

static void addresses_are_https_or_at_loopback(void **state)
{
    static const struct {
        const char *address;
        bool strict, loose;
    } cases[] = {
        { "https://idp.example", true, true },
        { "https://idp.example:8443/a?b=c", true, true },
        { "https://[2001:db8::1]:443/x", true, true },
        { "http://127.0.0.1:8080/x", false, true },
        { "http://localhost/x", false, true },
        { "http://[::1]:9/x", false, true },
        { "http://idp.example/x", false, false },
        { "http://127.0.0.1.evil.example/x", false, false },
        { "http://127.evil.example.x/x", false, false },
        { "http://localhost.evil.example/x", false, false },
        { "http://localhost@evil.example/x", false, false },
        { "https://user:pw@idp.example/x", false, false },
        { "https://idp.example\\@evil.example/", false, false },
        { "https://idp.example/x#y", false, false },
        { "https://idp.example/a b", false, false },
        { "https://idp.example/\x01", false, false },
        { "https://idp.example/\xc3\xbc", false, false },
        { "https://", false, false },
        { "https:///x", false, false },
        { "https://:443/x", false, false },
        { "https://idp.example:/x", false, false },
        { "https://idp.example:0/x", false, false },
        { "https://idp.example:99999/x", false, false },
        { "https://idp.example:+1/x", false, false },
        { "https://[::1/x", false, false },
        { "HTTPS://idp.example", false, false },
        { "ftp://idp.example", false, false },
        { "file:///etc/passwd", false, false },
        { "//idp.example", false, false },
        { "", false, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (oidc_is_address(str_of(cases[i].address), false) != cases[i].strict ||
            oidc_is_address(str_of(cases[i].address), true) != cases[i].loose)
            fail_msg("%s", cases[i].address);
}

static void a_provider_describes_itself_at_one_place(void **state)
{
    str url;
    (void)state;
    assert_int_equal(oidc_provider_url(STR("https://idp/realms/a"), strict, &arena, &url, NULL), ST_OK);
    assert_true(str_equal(url, STR("https://idp/realms/a/.well-known/openid-configuration")));
    assert_int_equal(oidc_provider_url(STR("https://idp/"), strict, &arena, &url, NULL), ST_OK);
    assert_true(str_equal(url, STR("https://idp/.well-known/openid-configuration")));
    assert_int_equal(oidc_provider_url(STR("http://127.0.0.1:1"), strict, &arena, &url, NULL), ST_INVALID);
    assert_int_equal(oidc_provider_url(STR("http://127.0.0.1:1"), loose, &arena, &url, NULL), ST_OK);
    assert_int_equal(oidc_provider_url(STR("https://idp?x=y"), strict, &arena, &url, NULL), ST_INVALID);
    assert_int_equal(oidc_provider_url(STR("cyoda"), strict, &arena, &url, NULL), ST_INVALID);
}

#define DOCUMENT                                                                             \
    "'issuer':'https://idp/a','authorization_endpoint':'https://idp/auth','token_endpoint':" \
    "'https://tokens.idp/t','jwks_uri':'https://keys.idp/k'"

static void a_description_is_read(void **state)
{
    struct oidc_provider provider;
    (void)state;
    str text = printed_text(
        "{" DOCUMENT ",'response_types_supported':['code','id_token'],'code_challenge_methods_supported':"
        "['plain','S256'],'id_token_signing_alg_values_supported':['HS256','ES256'],'unknown':{}}");
    assert_int_equal(oidc_provider_read(text, STR("https://idp/a"), strict, &arena, &provider, NULL), ST_OK);
    assert_true(str_equal(provider.authorization_endpoint, STR("https://idp/auth")));
    assert_true(str_equal(provider.token_endpoint, STR("https://tokens.idp/t")));
    assert_true(str_equal(provider.jwks_uri, STR("https://keys.idp/k")));
    assert_false(provider.secret_in_form || provider.says_issuer);
    text = printed_text("{" DOCUMENT ",'token_endpoint_auth_methods_supported':['client_secret_post'],"
                        "'authorization_response_iss_parameter_supported':true}");
    assert_int_equal(oidc_provider_read(text, STR("https://idp/a"), strict, &arena, &provider, NULL), ST_OK);
    assert_true(provider.secret_in_form && provider.says_issuer);
    /* Bearers need the keys only. */
    text = printed_text(
        "{'issuer':'https://k8s','jwks_uri':'https://k8s/keys','authorization_endpoint':'urn:none'}");
    struct oidc_rules bearers = { 0 };
    assert_int_equal(oidc_provider_read(text, STR("https://k8s"), bearers, &arena, &provider, NULL), ST_OK);
    assert_int_equal(provider.authorization_endpoint.n, 0);
}

static void bad_descriptions_name_their_place(void **state)
{
    static const struct {
        const char *text, *where;
    } cases[] = {
        { "[]", "" },
        { "{}", "/issuer" },
        { "{'issuer':'https://idp/a/'}", "/issuer" },
        { "{'issuer':'https://evil'}", "/issuer" },
        { "{'issuer':['https://idp/a']}", "/issuer" },
        { "{'issuer':'https://idp/a'}", "/jwks_uri" },
        { "{'issuer':'https://idp/a','jwks_uri':7}", "/jwks_uri" },
        { "{'issuer':'https://idp/a','jwks_uri':'http://169.254.169.254/'}", "/jwks_uri" },
        { "{'issuer':'https://idp/a','jwks_uri':'https://k'}", "/authorization_endpoint" },
        { "{'issuer':'https://idp/a','jwks_uri':'https://k','authorization_endpoint':'javascript:alert(1)'}",
          "/authorization_endpoint" },
        { "{'issuer':'https://idp/a','jwks_uri':'https://k','authorization_endpoint':'https://a'}",
          "/token_endpoint" },
        { "{'issuer':'https://idp/a','jwks_uri':'https://k','authorization_endpoint':'https://"
          "a','token_endpoint':"
          "'http://127.0.0.1/t'}",
          "/token_endpoint" },
        { "{" DOCUMENT ",'response_types_supported':['id_token']}", "/response_types_supported" },
        { "{" DOCUMENT ",'code_challenge_methods_supported':['plain']}",
          "/code_challenge_methods_supported" },
        { "{" DOCUMENT ",'id_token_signing_alg_values_supported':['HS256','none']}",
          "/id_token_signing_alg_values_supported" },
        { "{" DOCUMENT ",'token_endpoint_auth_methods_supported':['private_key_jwt']}",
          "/token_endpoint_auth_methods_supported" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oidc_provider provider;
        struct error err = { 0 };
        assert_int_equal(oidc_provider_read(printed_text(cases[i].text), STR("https://idp/a"), strict, &arena,
                                            &provider, &err),
                         ST_INVALID);
        if (strcmp(err.where, cases[i].where) != 0) fail_msg("%s: %s", cases[i].text, err.where);
    }
    struct oidc_provider provider;
    assert_int_equal(oidc_provider_read(STR("<html>"), STR("https://idp/a"), strict, &arena, &provider, NULL),
                     ST_INVALID);
    assert_int_equal(oidc_provider_read(STR("{\"issuer\":\"https://idp/a\",\"issuer\":\"https://evil\"}"),
                                        STR("https://evil"), strict, &arena, &provider, NULL),
                     ST_INVALID);
}

/* ---- a login ---- */

static struct oidc_login login_at(int64_t now_ms)
{
    struct oidc_login login;
    assert_int_equal(oidc_login_begin(secret, STR("sso"), STR("/tasks?mine"), now_ms, &arena, &login, NULL),
                     ST_OK);
    return login;
}

static const char *resumed(str key, const char *issuer, str cookie, str state, int64_t now_ms,
                           struct oidc_login *ret_login)
{
    struct error err = { 0 };
    enum status status =
        oidc_login_resume(key, str_of(issuer), cookie, state, now_ms, &arena, ret_login, &err);
    if (status == ST_OK) return "ok";
    assert_int_equal(status, ST_UNAUTHORIZED);
    return err.code;
}

static void a_login_is_found_again_by_its_browser(void **state)
{
    struct oidc_login login = login_at(1000), again;
    (void)state;
    assert_string_equal(resumed(secret, "sso", login.cookie, login.state, 1000 + OIDC_LOGIN_MS - 1, &again),
                        "ok");
    assert_true(str_equal(again.nonce, login.nonce) && str_equal(again.verifier, login.verifier));
    assert_true(str_equal(again.return_to, STR("/tasks?mine")) && str_equal(again.issuer, STR("sso")));
    assert_string_equal(resumed(secret, "sso", login.cookie, login.state, 1000 + OIDC_LOGIN_MS, &again),
                        "login-expired");
}

static void no_other_browser_can_go_on(void **state)
{
    struct oidc_login login = login_at(0), other = login_at(0), again;
    (void)state;
    static const str other_secret = STR_INIT("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    assert_string_equal(resumed(secret, "sso", other.cookie, login.state, 1, &again), "wrong-state");
    assert_string_equal(resumed(secret, "sso", STR_NONE, login.state, 1, &again), "wrong-state");
    assert_string_equal(resumed(secret, "sso", login.cookie, STR_NONE, 1, &again), "wrong-state");
    assert_string_equal(resumed(secret, "sso", login.cookie, login.nonce, 1, &again), "wrong-state");
    assert_string_equal(resumed(secret, "other", login.cookie, login.state, 1, &again), "wrong-state");
    assert_string_equal(resumed(other_secret, "sso", login.cookie, login.state, 1, &again), "wrong-state");
    for (size_t i = 0; i < login.cookie.n; i++) {
        char *changed = memcpy(arena_alloc(&arena, login.cookie.n), login.cookie.p, login.cookie.n);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        assert_string_equal(resumed(secret, "sso", (str){ changed, login.cookie.n }, login.state, 1, &again),
                            "wrong-state");
    }
    char *long_text = memset(arena_alloc(&arena, 100000), 'A', 100000);
    assert_string_equal(resumed(secret, "sso", (str){ long_text, 100000 }, login.state, 1, &again),
                        "wrong-state");
}

static void the_parts_of_a_login_are_secret_and_new(void **state)
{
    struct oidc_login a = login_at(0), b = login_at(0);
    str all[] = { a.state, a.nonce, a.verifier, b.state, b.nonce, b.verifier };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_int_equal(all[i].n, 43);
        for (size_t k = 0; k < i; k++) assert_false(str_equal(all[i], all[k]));
    }
    /* The browser has the cookie. The verifier must not follow from it. */
    str text;
    assert_true(base64_decode_url(a.cookie, &arena, &text));
    assert_int_equal(str_find(text, a.verifier, 0), SIZE_MAX);
}

static void a_login_leads_back_to_us_only(void **state)
{
    static const struct {
        const char *to;
        enum status want;
    } cases[] = { { "", ST_OK },
                  { "/", ST_OK },
                  { "/t/acme/tasks?x=//y", ST_OK },
                  { "//evil.example", ST_INVALID },
                  { "/\\evil.example", ST_INVALID },
                  { "/\t/evil.example", ST_INVALID },
                  { "https://evil.example", ST_INVALID },
                  { "javascript:alert(1)", ST_INVALID },
                  { "tasks", ST_INVALID },
                  { "/a\r\nSet-Cookie: x", ST_INVALID },
                  { "/\xc3\xbc", ST_INVALID } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oidc_login login;
        assert_int_equal(oidc_login_begin(secret, STR("sso"), str_of(cases[i].to), 0, &arena, &login, NULL),
                         cases[i].want);
    }
}

static void the_browser_is_sent_with_all_that_protects_it(void **state)
{
    struct oidc_provider provider = { .authorization_endpoint = STR("https://idp/auth") };
    struct oidc_client client = { .id = STR("we&b"),
                                  .redirect_uri = STR("https://us/api/oidc/sso/callback") };
    struct oidc_login login = {
        .state = STR("S"), .nonce = STR("N"), .verifier = STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }; /* RFC 7636, B. */
    (void)state;
    str url = oidc_login_url(&provider, &client, &login, &arena);
    assert_string_equal(
        url.p, "https://idp/auth?response_type=code&client_id=we%26b&redirect_uri=https%3A%2F%2Fus%2Fapi"
               "%2Foidc%2Fsso%2Fcallback&scope=openid%20profile%20email&state=S&nonce=N&code_challenge="
               "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256");
    provider.authorization_endpoint = STR("https://idp/auth?p=1");
    client.scope = STR("openid");
    url = oidc_login_url(&provider, &client, &login, &arena);
    assert_true(str_starts(url, STR("https://idp/auth?p=1&response_type=code&")));
    assert_int_not_equal(str_find(url, STR("&scope=openid&"), 0), SIZE_MAX);
}

static void a_callback_is_read_and_checked(void **state)
{
    static const struct {
        const char *query;
        bool says_issuer;
        const char *want;
    } cases[] = {
        { "code=c%2B1&state=s", false, "ok" },
        { "code=c&state=s&iss=https%3A%2F%2Fidp&session_state=x&session_state=y", false, "ok" },
        { "code=c&state=s&iss=https%3A%2F%2Fidp", true, "ok" },
        { "code=c&state=s&iss=https%3A%2F%2Fevil", false, "wrong-issuer" },
        { "code=c&state=s", true, "wrong-issuer" },
        { "error=access_denied&state=s", false, "provider-refused" },
        { "code=c&error=access_denied&state=s", false, "provider-refused" },
        { "state=s", false, "provider-refused" },
        { "", false, "provider-refused" },
        { "code=a&code=b&state=s", false, NULL },
        { "code=a&state=s&stat%65=t", false, NULL },
        { "code=%zz", false, NULL },
        { "code=%00", false, NULL },
        { "code=%ff", false, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oidc_provider provider = { .issuer = STR("https://idp"), .says_issuer = cases[i].says_issuer };
        struct oidc_callback callback;
        struct error err = { .code = "ok" };
        enum status status = oidc_callback_read(str_of(cases[i].query), &arena, &callback, &err);
        if (!cases[i].want) {
            assert_int_equal(status, ST_INVALID);
            continue;
        }
        assert_int_equal(status, ST_OK);
        oidc_callback_check(&callback, &provider, &err);
        if (strcmp(err.code, cases[i].want) != 0) fail_msg("%s: %s", cases[i].query, err.code);
    }
    struct oidc_callback callback;
    assert_int_equal(oidc_callback_read(str_of(cases[0].query), &arena, &callback, NULL), ST_OK);
    assert_true(str_equal(callback.code, STR("c+1")) && str_equal(callback.state, STR("s")));
}

static void the_code_goes_with_the_secret(void **state)
{
    struct oidc_provider provider = { 0 };
    struct oidc_client client = { .id = STR("w:b"),
                                  .secret = STR("p=w"),
                                  .redirect_uri = STR("https://us/cb") };
    struct oidc_login login = { .verifier = STR("V") };
    str form, header;
    (void)state;
    oidc_code_form(&provider, &client, &login, STR("c+d"), &arena, &form, &header);
    assert_true(str_equal(
        form,
        STR("grant_type=authorization_code&code=c%2Bd&redirect_uri=https%3A%2F%2Fus%2Fcb&code_verifier=V")));
    assert_true(str_equal(header, STR("Basic dyUzQWI6cCUzRHc="))); /* w%3Ab:p%3Dw */
    provider.secret_in_form = true;
    oidc_code_form(&provider, &client, &login, STR("c"), &arena, &form, &header);
    assert_true(str_ends(form, STR("&client_id=w%3Ab&client_secret=p%3Dw")));
    assert_int_equal(header.n, 0);
    client.secret = STR_NONE;
    oidc_code_form(&provider, &client, &login, STR("c"), &arena, &form, &header);
    assert_true(str_ends(form, STR("&code_verifier=V&client_id=w%3Ab")));
    assert_int_equal(header.n, 0);
}

static void an_answer_has_a_token_or_a_reason(void **state)
{
    static const struct {
        int status;
        const char *body, *want, *word;
    } cases[] = {
        { 200, "{'id_token':'planted','token_type':'bearer','expires_in':300}", "ok", "" },
        { 200, "{'id_token':'planted','token_type':'Bearer','access_token':'planted'}", "ok", "" },
        { 200, "{'access_token':'planted','token_type':'Bearer'}", "provider-refused", "id_token" },
        { 200, "{'id_token':'planted','token_type':'DPoP'}", "provider-refused", "token_type" },
        { 200, "{'id_token':['planted'],'token_type':'Bearer'}", "provider-refused", "id_token" },
        { 200, "['planted']", "provider-away", "" },
        { 400, "{'error':'invalid_grant','error_description':'planted'}", "provider-refused",
          "invalid_grant" },
        { 401, "{'error':'invalid_client'}", "provider-refused", "invalid_client" },
        { 400, "{'error':'<b>planted'}", "provider-away", "400" },
        { 400, "{}", "provider-away", "400" },
        { 503, "{'error':'invalid_grant'}", "provider-away", "503" },
        { 302, "{'id_token':'planted','token_type':'Bearer'}", "provider-away", "302" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oidc_answer answer;
        struct error err = { .code = "ok" };
        enum status status =
            oidc_answer_read(cases[i].status, printed_text(cases[i].body), &arena, &answer, &err);
        assert_int_equal(status, strcmp(err.code, "ok") ? ST_UNAUTHORIZED : ST_OK);
        if (strcmp(err.code, cases[i].want) != 0) fail_msg("%s: %s", cases[i].body, err.code);
        assert_null(strstr(err.message, "planted"));
        assert_non_null(strstr(err.message, cases[i].word));
        if (status == ST_OK) assert_true(str_equal(answer.id_token, STR("planted")));
    }
    struct oidc_answer answer;
    struct error err = { 0 };
    assert_int_equal(oidc_answer_read(502, STR("<html>planted"), &arena, &answer, &err), ST_UNAUTHORIZED);
    assert_string_equal(err.code, "provider-away");
}

int main(void)
{
#define oidc_test(function) cmocka_unit_test_setup_teardown(function, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        oidc_test(addresses_are_https_or_at_loopback),
        oidc_test(a_provider_describes_itself_at_one_place),
        oidc_test(a_description_is_read),
        oidc_test(bad_descriptions_name_their_place),
        oidc_test(a_login_is_found_again_by_its_browser),
        oidc_test(no_other_browser_can_go_on),
        oidc_test(the_parts_of_a_login_are_secret_and_new),
        oidc_test(a_login_leads_back_to_us_only),
        oidc_test(the_browser_is_sent_with_all_that_protects_it),
        oidc_test(a_callback_is_read_and_checked),
        oidc_test(the_code_goes_with_the_secret),
        oidc_test(an_answer_has_a_token_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
