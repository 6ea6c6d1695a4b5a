#include "base/escape.h"

#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef void escape_fn(struct buf *out, str text);

static void expect(escape_fn *escape, str text, const char *want)
{
    struct arena arena;
    struct buf out;
    arena_init(&arena, 0);
    buf_init(&out, &arena);
    escape(&out, text);
    assert_true(str_equal(buf_str(&out), str_of(want)));
    arena_done(&arena);
}

static void a_part_of_a_url_has_no_sign_of_its_own(void **state)
{
    (void)state;
    expect(escape_url, STR("../../admin?x=1#"), "..%2F..%2Fadmin%3Fx%3D1%23");
    expect(escape_url, STR("aZ09-._~"), "aZ09-._~");
    expect(escape_url, STR("%2e \\\r\n+&;@:"), "%252e%20%5C%0D%0A%2B%26%3B%40%3A");
    expect(escape_url, STR("z\xc3\xbc"), "z%C3%BC");
    expect(escape_url, ((str){ "a\0b", 3 }),
           "a%00b"); /* NUL ends nothing, and is no member of a list of signs. */
    expect(escape_url, STR(""), "");
}

static void html_has_no_tag_and_no_end_of_an_attribute(void **state)
{
    (void)state;
    expect(escape_html, STR("<a href='x' b=\"y\">&amp;</a>"),
           "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;");
    expect(escape_html, STR("z\xc3\xbc\n"), "z\xc3\xbc\n");
}

static void some_texts_cannot_be_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool dots, host, scheme;
    } cases[] = {
        { "", false, true, true },
        { ".", true, true, true },
        { "..", true, true, true },
        { "...", false, true, true },
        { "h.example", false, true, true },
        { "h:80", false, true, false },
        { "[::1]", false, true, false },
        { "a@b", false, false, false },
        { "a/b", false, false, false },
        { "a\\b", false, false, false },
        { "a%2Fb", false, false, false },     /* libcurl decodes hosts. */
        { "h\xc3\xbc", false, false, false }, /* Unicode has signs that become a slash. */
        { "git+ssh", false, false, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        str text = str_of(cases[i].text);
        if (escape_is_dots(text) != cases[i].dots || escape_is_host(text) != cases[i].host ||
            escape_is_scheme(text) != cases[i].scheme)
            fail_msg("%s", cases[i].text);
    }
    assert_false(escape_is_host((str){ "a\0b", 3 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_url_has_no_sign_of_its_own),
        cmocka_unit_test(html_has_no_tag_and_no_end_of_an_attribute),
        cmocka_unit_test(some_texts_cannot_be_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
