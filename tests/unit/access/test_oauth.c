/* Requests and answers of our own token endpoint. */
#include "access/token/form.h"
#include "access/token/oauth.h"

#include "access_test.h"
#include "base/base64.h"

static struct arena arena;

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

static const str form_type = STR_INIT("application/x-www-form-urlencoded");

static str basic(const char *pair)
{
    str text = base64_encode(str_of(pair), &arena);
    return arena_printf(&arena, "Basic %.*s", STR_ARG(text));
}

static void a_client_comes_with_http_basic(void **state)
{
    static const struct {
        const char *pair, *id, *secret;
    } cases[] = {
        { "C1:s3cret", "C1", "s3cret" },
        { "C1:a:b", "C1", "a:b" },
        { "C%3A1:a%2Bb+c", "C:1", "a+b c" },
        { "gr\xc3\xbcn:%C3%BC", "gr\xc3\xbcn", "\xc3\xbc" },
        { "C1:", NULL, NULL },
        { ":s", NULL, NULL },
        { "C1", NULL, NULL },
        { "", NULL, NULL },
        { "C1:100%", NULL, NULL },
        { "C1:%00", NULL, NULL },
        { "C1:\xff", NULL, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oauth_client client;
        const char *why = NULL;
        enum oauth_error error = oauth_client_read(form_type, basic(cases[i].pair), &arena, &client, &why);
        assert_int_equal(error, cases[i].id ? OAUTH_NONE : OAUTH_INVALID_CLIENT);
        if (!cases[i].id) assert_string_equal(why, "client authentication failed");
        else
            assert_true(str_equal(client.id, str_of(cases[i].id)) &&
                        str_equal(client.secret, str_of(cases[i].secret)));
    }
}

static void other_headers_are_no_client(void **state)
{
    static const struct {
        const char *type, *authorization;
        enum oauth_error want;
    } cases[] = {
        { "application/x-www-form-urlencoded", "Basic QzE6cw==", OAUTH_NONE },
        { "Application/X-WWW-Form-Urlencoded ; charset=UTF-8", "bASIC  QzE6cw==", OAUTH_NONE },
        { "application/json", "Basic QzE6cw==", OAUTH_INVALID_REQUEST },
        { "", "Basic QzE6cw==", OAUTH_INVALID_REQUEST },
        { "application/x-www-form-urlencodedx", "Basic QzE6cw==", OAUTH_INVALID_REQUEST },
        { "application/x-www-form-urlencoded", "", OAUTH_INVALID_CLIENT },
        { "application/x-www-form-urlencoded", "Basic", OAUTH_INVALID_CLIENT },
        { "application/x-www-form-urlencoded", "Bearer QzE6cw==", OAUTH_INVALID_CLIENT },
        { "application/x-www-form-urlencoded", "Basic QzE6cw", OAUTH_INVALID_CLIENT },
        { "application/x-www-form-urlencoded", "Basic QzE6cw==, Basic QzE6cw==", OAUTH_INVALID_CLIENT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oauth_client client;
        const char *why = NULL;
        assert_int_equal(
            oauth_client_read(str_of(cases[i].type), str_of(cases[i].authorization), &arena, &client, &why),
            cases[i].want);
        assert_int_equal(why != NULL, cases[i].want != OAUTH_NONE);
    }
    char *fill =
        memset(arena_zero(&arena, CLIENT_CREDENTIALS_BYTES_MAX + 1, 1), 'A', CLIENT_CREDENTIALS_BYTES_MAX);
    struct oauth_client client;
    const char *why;
    assert_int_equal(
        oauth_client_read(form_type, arena_printf(&arena, "Basic %s", fill), &arena, &client, &why),
        OAUTH_INVALID_CLIENT);
}

#define EXCHANGE "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
#define JWT "&subject_token_type=urn:ietf:params:oauth:token-type:jwt"

static void forms_are_of_two_grants(void **state)
{
    static const struct {
        const char *body;
        enum oauth_error want;
        const char *why;
    } cases[] = {
        { "grant_type=client_credentials", OAUTH_NONE, NULL },
        { "grant_type=client_credentials&client_id=x&client_secret=y&scope=a+b", OAUTH_NONE, NULL },
        { "&&grant_type=client_credentials&", OAUTH_NONE, NULL },
        { "", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "grant_type=", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "grant_type", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "grant_type=password&username=a&password=b", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "grant_type=Client_Credentials", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "{\"grant_type\":\"client_credentials\"}", OAUTH_UNSUPPORTED_GRANT_TYPE, NULL },
        { "grant_type=client_credentials&grant_type=client_credentials", OAUTH_INVALID_REQUEST,
          "malformed request body" },
        { "grant_type=client_credentials&grant%5ftype=password", OAUTH_INVALID_REQUEST,
          "malformed request body" },
        { "grant_type=client_credentials&x=%", OAUTH_INVALID_REQUEST, "malformed request body" },
        { "grant_type=client_credentials&x=%f", OAUTH_INVALID_REQUEST, "malformed request body" },
        { "grant_type=client_credentials&%ff=x", OAUTH_INVALID_REQUEST, "malformed request body" },
        { EXCHANGE "&subject_token=a.b.c" JWT, OAUTH_NONE, NULL },
        { EXCHANGE JWT, OAUTH_INVALID_REQUEST, "invalid subject token" },
        { EXCHANGE "&subject_token=a.b.c", OAUTH_INVALID_REQUEST, "unsupported subject_token_type" },
        { EXCHANGE "&subject_token=a.b.c&subject_token_type=urn:ietf:params:oauth:token-type:saml2",
          OAUTH_INVALID_REQUEST, "unsupported subject_token_type" },
        { EXCHANGE "&subject_token=a.b.c" JWT "&audience=", OAUTH_INVALID_REQUEST, "unsupported parameter" },
        { EXCHANGE "&subject_token=a.b.c" JWT "&scope=x", OAUTH_INVALID_REQUEST, "unsupported parameter" },
        { EXCHANGE "&subject_token=a.b.c" JWT "&actor_token=x", OAUTH_INVALID_REQUEST,
          "unsupported parameter" },
        { EXCHANGE "&subject_token=a.b.c" JWT "&requested_token_type=x", OAUTH_INVALID_REQUEST,
          "unsupported parameter" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct oauth_form form;
        const char *why = NULL;
        enum oauth_error error = oauth_form_read(str_of(cases[i].body), &arena, &form, &why);
        if (error == OAUTH_NONE && form.grant == OAUTH_TOKEN_EXCHANGE)
            error = oauth_form_check_exchange(&form, &why);
        if (error != cases[i].want) fail_msg("%s: %s", cases[i].body, oauth_error_word(error));
        if (cases[i].why) assert_string_equal(why, cases[i].why);
        else assert_null(why);
    }
    struct oauth_form form;
    const char *why;
    assert_int_equal(oauth_form_read(STR(EXCHANGE "&subject_token=a%2Eb.c" JWT), &arena, &form, &why),
                     OAUTH_NONE);
    assert_true(str_equal(form.subject_token, STR("a.b.c")));
    char *fill = memset(arena_zero(&arena, FORM_BYTES_MAX + 1, 1), 'A', FORM_BYTES_MAX);
    assert_int_equal(oauth_form_read(arena_printf(&arena, "grant_type=client_credentials&x=%s", fill), &arena,
                                     &form, &why),
                     OAUTH_INVALID_REQUEST);
}

static void answers_have_the_form_of_oauth(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out, &arena);
    oauth_put_answer(OAUTH_CLIENT_CREDENTIALS, STR("a.b.c"), 300, &out);
    assert_true(str_equal(buf_str(&out),
                          STR("{\"access_token\":\"a.b.c\",\"token_type\":\"Bearer\",\"expires_in\":300}")));
    buf_init(&out, &arena);
    oauth_put_answer(OAUTH_TOKEN_EXCHANGE, STR("a.b.c"), 1, &out);
    assert_true(
        str_equal(buf_str(&out), STR("{\"access_token\":\"a.b.c\",\"token_type\":\"Bearer\",\"expires_in\":1,"
                                     "\"issued_token_type\":\"urn:ietf:params:oauth:token-type:jwt\"}")));
    buf_init(&out, &arena);
    oauth_put_error(OAUTH_INVALID_CLIENT, "client authentication failed", &out);
    assert_true(str_equal(
        buf_str(&out),
        STR("{\"error\":\"invalid_client\",\"error_description\":\"client authentication failed\"}")));
    buf_init(&out, &arena);
    oauth_put_error(OAUTH_UNAVAILABLE, NULL, &out);
    assert_true(str_equal(
        buf_str(&out),
        STR("{\"error\":\"temporarily_unavailable\",\"error_description\":\"temporarily_unavailable\"}")));
    assert_int_equal(oauth_error_http(OAUTH_INVALID_CLIENT), 401);
    assert_int_equal(oauth_error_http(OAUTH_ACCESS_DENIED), 403);
}

/* Fields that are written come back. */
static void forms_come_back(void **state)
{
    static const str values[] = { STR_INIT(""), STR_INIT("a b&c=d%25+e/\xc3\xbc"), STR_INIT("\"'<>\n") };
    static const str names[] = { STR_INIT("a"), STR_INIT("b&b"), STR_INIT("c") };
    struct buf form;
    str back[3], none[1];
    (void)state;
    buf_init(&form, &arena);
    for (size_t i = 0; i < 3; i++) form_add(&form, names[i], values[i]);
    assert_true(form_read(buf_str(&form), names, 3, &arena, back));
    for (size_t i = 0; i < 3; i++) assert_true(back[i].p && str_equal(back[i], values[i]));
    assert_true(form_read(buf_str(&form), &(str)STR_INIT("d"), 1, &arena, none));
    assert_null(none[0].p);
}

int main(void)
{
#define oauth_test(function) cmocka_unit_test_setup_teardown(function, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        oauth_test(a_client_comes_with_http_basic),
        oauth_test(other_headers_are_no_client),
        oauth_test(forms_are_of_two_grants),
        oauth_test(answers_have_the_form_of_oauth),
        oauth_test(forms_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
