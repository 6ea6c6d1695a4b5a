#include "api/fake.h"

#include "api/ui/assets_int.h"

/* Bytes that look like none of the others. */
#define PACKED "packed"

static const struct ui_asset assets[] = {
    { .path = STR_INIT("assets/app-12345678.js"),
      .type = STR_INIT("text/javascript; charset=utf-8"),
      .etag = STR_INIT("aa"),
      .immutable = true,
      .raw = STR_INIT("js as it is"),
      .gzip = STR_INIT("js gzip"),
      .br = STR_INIT("js br") },
    { .path = STR_INIT("index.html"),
      .type = STR_INIT("text/html; charset=utf-8"),
      .etag = STR_INIT("bb"),
      .raw = STR_INIT("<html>"),
      .gzip = STR_INIT("html gzip") },
    { .path = STR_INIT("theme.js"),
      .type = STR_INIT("text/javascript; charset=utf-8"),
      .etag = STR_INIT("cc"),
      .raw = STR_INIT("theme") },
    { .path = STR_INIT("docs/steps.html"),
      .type = STR_INIT("text/html; charset=utf-8"),
      .etag = STR_INIT("dd"),
      .gzip = { PACKED, sizeof PACKED - 1 } },
    { .path = STR_INIT("docs/index.html"),
      .type = STR_INIT("text/html; charset=utf-8"),
      .etag = STR_INIT("ee"),
      .gzip = { PACKED, sizeof PACKED - 1 } },
};

/* Takes the place of the application that the program was built with. */
const struct ui_assets ui_assets = { assets, COUNT(assets) };

#define BROWSER "text/html,application/xhtml+xml,*/*;q=0.8"

static void paths_lead_to_files(void **state)
{
    static const struct {
        const char *path, *accept, *want;
    } cases[] = {
        { "", "", "index.html" },
        { "theme.js", "*/*", "theme.js" },
        { "assets/app-12345678.js", "*/*", "assets/app-12345678.js" },
        { "runs", "", "index.html" },
        { "runs/01J/steps", BROWSER, "index.html" },
        { "flows/orders.v2", "", "index.html" },      /* An id may have a dot, */
        { "flows/orders.js", BROWSER, "index.html" }, /* and may look like a file where a person asks. */
        { "gone.js", "*/*", NULL },
        { "gone.js", "", NULL },
        { "assets/app-00000000.js", BROWSER, NULL }, /* An old page asks for what an upgrade took away. */
        { "assets/", BROWSER, NULL },
        { "../etc/passwd", "", "index.html" }, /* There is no way out of a table. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ui_asset *asset = ui_resolve(&ui_assets, str_of(cases[i].path), str_of(cases[i].accept));
        if (!cases[i].want) assert_null(asset);
        else assert_true(asset && str_equal(asset->path, str_of(cases[i].want)));
    }
    assert_null(ui_resolve(&(struct ui_assets){ 0 }, STR(""), STR(BROWSER)));
}

static void the_client_chooses_among_the_forms(void **state)
{
    static const struct {
        const char *accept, *want;
    } cases[] = {
        { "", "" },
        { "gzip, deflate, br", "br" },
        { "gzip", "gzip" },
        { "GZIP;q=0.1", "gzip" },
        { "br;q=0, gzip", "gzip" },
        { "br; q=0.000, gzip;q=0", "" },
        { "*", "br" },
        { "*;q=0", "" },
        { "br;q=0, *", "gzip" },
        { "identity", "" },
        { "brotli, xgzip", "" },
        { ",,;q=1,", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(str_equal(ui_choose(&assets[0], str_of(cases[i].accept)).coding, str_of(cases[i].want)));
    /* What does not shrink is there in one form only. */
    assert_true(str_equal(ui_choose(&assets[1], STR("br")).bytes, STR("<html>")));
    assert_true(str_equal(ui_choose(&assets[2], STR("gzip, br")).bytes, STR("theme")));
    assert_int_equal(ui_choose(&assets[3], STR("")).bytes.n, 0);
}

static void a_file_with_a_hash_is_kept_for_ever(void **state)
{
    (void)state;
    fake_begin("");
    fake_header("Accept-Encoding", "gzip, br");
    fake_send("GET", "/ui/assets/app-12345678.js", "");
    assert_int_equal(fake.status, 200);
    assert_body("js br");
    assert_header("Content-Type: text/javascript; charset=utf-8\r\n");
    assert_header("Content-Encoding: br\r\n");
    assert_header("ETag: \"aa-br\"\r\n");
    assert_header("Cache-Control: public, max-age=31536000, immutable\r\n");
    assert_header("Vary: Accept-Encoding\r\n");
    assert_header("X-Content-Type-Options: nosniff\r\n");
    fake_end();
}

static void pages_are_asked_for_again(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", "/ui/runs/7?status=failed", "");
    assert_int_equal(fake.status, 200);
    assert_body("<html>");
    assert_header("ETag: \"bb\"\r\n");
    assert_header("Cache-Control: no-cache\r\n");
    assert_header("default-src 'none'; script-src 'self'; style-src 'self';");
    assert_header("require-trusted-types-for 'script'\r\n");
    assert_header("Referrer-Policy: no-referrer\r\n");
    assert_header("Cross-Origin-Opener-Policy: same-origin\r\n");
    fake_header("If-None-Match", "\"x\", W/\"bb\"");
    fake_send("GET", "/ui/", "");
    assert_int_equal(fake.status, 304);
    assert_body("");
    assert_header("ETag: \"bb\"\r\n");
    /* Another form is another representation. */
    fake_header("If-None-Match", "\"bb\"");
    fake_header("Accept-Encoding", "gzip");
    fake_send("GET", "/ui/", "");
    assert_int_equal(fake.status, 200);
    assert_header("ETag: \"bb-gzip\"\r\n");
    fake_end();
}

static void a_lost_file_is_not_found(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", "/ui/assets/app-00000000.js", "");
    assert_int_equal(fake.status, 404);
    assert_header("Cache-Control: no-store\r\n");
    assert_body("404 page not found");
    fake_send("POST", "/ui/", "");
    assert_int_equal(fake.status, 405);
    fake_end();
}

static void documentation_has_pages(void **state)
{
    (void)state;
    fake_begin("secret");
    fake_send("GET", "/docs", "");
    assert_int_equal(fake.status, 308);
    assert_header("Location: /docs/\r\n");
    static const char *const paths[] = { "/docs/", "/docs/steps.html", "/docs/steps?a=b" };
    for (size_t i = 0; i < COUNT(paths); i++) {
        fake_header("Accept-Encoding", "gzip");
        fake_send("GET", paths[i], "");
        assert_int_equal(fake.status, 200);
        assert_header("Content-Encoding: gzip\r\n");
        assert_body(PACKED);
        fake_send("GET", paths[i], "");
        assert_int_equal(fake.status, 406);
    }
    fake_send("GET", "/docs/nothing", "");
    assert_int_equal(fake.status, 404);
    fake_end();
}

static void it_needs_no_secret(void **state)
{
    (void)state;
    fake_begin("secret");
    fake_send("GET", "/ui/", "");
    assert_int_equal(fake.status, 200);
    fake_send("GET", "/v1/jobs", "");
    assert_int_equal(fake.status, 401);
    fake_end();
}

static void browsers_are_led_to_it(void **state)
{
    (void)state;
    fake_begin("secret");
    fake_header("Accept", BROWSER);
    fake_send("GET", "/", "");
    assert_int_equal(fake.status, 302);
    assert_header("Location: /ui/\r\n");
    fake_header("Accept", "*/*");
    fake_send("GET", "/", "");
    assert_int_equal(fake.status, 404);
    assert_body("404 page not found");
    fake_header("Accept", BROWSER);
    fake_send("POST", "/", "");
    assert_int_equal(fake.status, 404);
    fake_header("Accept", "text/html;q=0");
    fake_send("GET", "/", "");
    assert_int_equal(fake.status, 404);
    fake_send("GET", "/ui", "");
    assert_int_equal(fake.status, 308);
    assert_header("Location: /ui/\r\n");
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_to_files),
        cmocka_unit_test(the_client_chooses_among_the_forms),
        cmocka_unit_test(a_file_with_a_hash_is_kept_for_ever),
        cmocka_unit_test(pages_are_asked_for_again),
        cmocka_unit_test(a_lost_file_is_not_found),
        cmocka_unit_test(documentation_has_pages),
        cmocka_unit_test(it_needs_no_secret),
        cmocka_unit_test(browsers_are_led_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
