/* The gate judges requests by their head alone. */
#include "api/fake.h"

static const str hosts[] = { STR_INIT("engine.example") };
static const str origins[] = { STR_INIT("https://a.example") };
static const str any[] = { STR_INIT("*") };

static void begin(const char *secret, const str *listed)
{
    fake_begin("");
    api_free(fake.api);
    fake.api = api_new(&(struct api_config){ .limits = limits_default(),
                                             .secret = str_of(secret),
                                             .listen_host = STR("192.0.2.1"),
                                             .host = hosts,
                                             .host_count = 1,
                                             .origin = listed,
                                             .origin_count = listed ? 1 : 0 });
}

/* Sends GET /livez with these two, if they are not NULL. */
static int status_of(const char *host, const char *origin)
{
    fake.http.header_count = 0;
    if (host) fake_header("Host", host);
    if (origin) fake_header("Origin", origin);
    fake_send("GET", "/livez", "");
    return fake.status;
}

static void hosts_that_are_ours(void **state)
{
    static const struct {
        const char *host;
        int status;
    } cases[] = {
        { NULL, 200 },
        { "localhost", 200 },
        { "LOCALHOST:8080", 200 },
        { "127.0.0.1:1", 200 },
        { "127.255.0.9", 200 },
        { "[::1]", 200 },
        { "[::1]:80", 200 },
        { "[0:0::1]", 200 },
        { "192.0.2.1:80", 200 },
        { "engine.example:443", 200 },
        { "Engine.Example", 200 },
        { "evil.example", 421 },
        { "192.0.2.2", 421 },
        { "[::2]", 421 },
        { "127.0.0.1.evil.example", 421 },
        { "localhost.evil.example", 421 },
        { "1270.0.0.1", 421 },
        { "127.1", 421 },
        { ":80", 421 },
        { "[", 421 },
        { "[]", 421 },
        { "engine.example.", 421 },
    };
    (void)state;
    begin("", NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (status_of(cases[i].host, NULL) != cases[i].status)
            fail_msg("Host %s: %d", cases[i].host, fake.status);
    }
    fake_end();
    begin("secret", NULL); /* Nobody without the token gets far, whatever the host. */
    assert_int_equal(status_of("evil.example", NULL), 200);
    fake_end();
}

static void origins_that_may(void **state)
{
    static const struct {
        const char *host, *origin;
        int status;
        const char *allowed;
    } cases[] = {
        { "localhost:80", "https://a.example", 200, "https://a.example" },
        { "localhost:80", "HTTPS://A.EXAMPLE", 200, "HTTPS://A.EXAMPLE" }, /* As it was sent. */
        { "localhost:80", "http://localhost:80", 200, NULL },
        { "localhost:80", "https://LocalHost:80", 200, NULL },
        { "localhost:80", "http://localhost", 403, NULL },
        { "localhost:80", "http://127.0.0.1:80", 403, NULL },
        { "localhost", "https://a.example:444", 403, NULL },
        { "localhost", "https://a.example.evil", 403, NULL },
        { "localhost", "null", 403, NULL },
        { "localhost", "localhost", 403, NULL },
        { NULL, "http://", 403, NULL },
    };
    (void)state;
    begin("", origins);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (status_of(cases[i].host, cases[i].origin) != cases[i].status)
            fail_msg("Origin %s at %s: %d", cases[i].origin, cases[i].host, fake.status);
        if (cases[i].allowed)
            assert_header(arena_printf(&fake.arena, "Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n",
                                       cases[i].allowed)
                              .p);
        else assert_null(strstr(fake.headers, "Access-Control"));
    }
    fake_end();
    begin("", any);
    assert_int_equal(status_of("localhost", "http://x.example"), 200);
    assert_header("Access-Control-Allow-Origin: *\r\n");
    fake_end();
}

static void bodies_of_pages_need_a_type(void **state)
{
    static const struct {
        const char *name, *value;
        int status;
    } cases[] = {
        { "Content-Type", "application/json", 0 },
        { "Content-Type", "application/json; charset=utf-8", 0 },
        { "Content-Type", "application/cloudevents+json", 0 },
        { "Content-Type", "application/yaml", 0 },
        { "Content-Type", "text/x-yaml", 0 },
        { "ce-id", "1", 0 },
        { "Content-Type", "text/plain", 415 },
        { "Content-Type", "", 415 },
        { "X", "y", 415 },
        { "Content-Type", "application/x-www-form-urlencoded", 415 },
        { "Content-Type", "text/plain;application/json", 415 },
    };
    (void)state;
    begin("", origins);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int page = 0; page < 2; page++) {
            struct http_request http = { .method = STR("POST"),
                                         .path = STR("/v1/instances"),
                                         .target = STR("/v1/instances"),
                                         .has_body = true,
                                         .arena = &fake.arena };
            fake.http.header_count = 0;
            fake_header(cases[i].name, cases[i].value);
            if (page) fake_header("Origin", "https://a.example");
            http_set_headers(&http, fake.header, fake.http.header_count);
            enum http_verdict want = page && cases[i].status ? HTTP_TAKE_HEAD : HTTP_TAKE;
            if (api_gate(&http, fake.api) != want) fail_msg("%s: %s", cases[i].name, cases[i].value);
        }
    fake_end();
}

static void what_becomes_of_the_body_shows_in_the_head(void **state)
{
    static const struct {
        const char *secret, *method, *path;
        enum http_verdict want;
    } cases[] = {
        { "", "POST", "/v1/instances", HTTP_TAKE },
        { "", "GET", "/livez", HTTP_TAKE_HEAD },
        { "", "POST", "/nowhere", HTTP_TAKE_HEAD },
        { "", "PUT", "/v1/instances", HTTP_TAKE_HEAD },
        { "secret", "POST", "/v1/instances", HTTP_TAKE_HEAD },
        { "secret", "GET", "/livez", HTTP_TAKE_HEAD },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(cases[i].secret, NULL);
        struct http_request http = { .method = str_of(cases[i].method),
                                     .path = str_of(cases[i].path),
                                     .has_body = true,
                                     .arena = &fake.arena };
        assert_int_equal(api_gate(&http, fake.api), cases[i].want);
        http = (struct http_request){ .method = STR("GET"), .path = STR("/livez"), .arena = &fake.arena };
        assert_int_equal(api_gate(&http, fake.api), HTTP_TAKE_ALWAYS);
        fake_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_that_are_ours),
        cmocka_unit_test(origins_that_may),
        cmocka_unit_test(bodies_of_pages_need_a_type),
        cmocka_unit_test(what_becomes_of_the_body_shows_in_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
