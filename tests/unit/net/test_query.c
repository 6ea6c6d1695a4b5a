#include "net/net.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define T(text)                   \
    {                             \
        "" text, sizeof(text) - 1 \
    }

static void percent_codes_are_decoded_or_refused(void **state)
{
    static const struct {
        str text;
        bool form;
        bool good;
        str want;
    } cases[] = {
        { T(""), false, true, T("") },
        { T("plain"), false, true, T("plain") },
        { T("a%20b%2Fc%2f"), false, true, T("a b/c/") },
        { T("a+b"), false, true, T("a+b") },
        { T("a+b%2B"), true, true, T("a b+") },
        { T("%00"), false, true, T("\0") },
        { T("%C3%A9"), false, true, T("\xc3\xa9") },
        { T("%"), false, false, T("") },
        { T("%2"), false, false, T("") },
        { T("a%2g"), false, false, T("") },
        { T("%%20"), false, false, T("") },
        { T("% 2"), true, false, T("") },
        { T("%+2"), false, false, T("") },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        str got = STR_NONE;
        assert_int_equal(http_decode(cases[i].text, cases[i].form, &arena, &got), cases[i].good);
        if (cases[i].good) assert_true(str_equal(got, cases[i].want));
    }
    arena_done(&arena);
}

static void parameters_are_found_by_their_decoded_name(void **state)
{
    static const struct {
        str query, name;
        bool found;
        str want;
    } cases[] = {
        { T("a=1&b=2"), T("a"), true, T("1") },
        { T("a=1&b=2"), T("b"), true, T("2") },
        { T("a=1&b=2"), T("c"), false, T("") },
        { T("a=1&a=2"), T("a"), true, T("1") },
        { T("ab=1&a=2"), T("a"), true, T("2") },
        { T("a"), T("a"), true, T("") },
        { T("a="), T("a"), true, T("") },
        { T("a=b=c"), T("a"), true, T("b=c") },
        { T("&&a=x%26+y&"), T("a"), true, T("x& y") },
        { T("page%5Fsize=5"), T("page_size"), true, T("5") },
        { T("a=%zz"), T("a"), false, T("") },
        { T("%zz=1&a=2"), T("a"), true, T("2") },
        { T(""), T("a"), false, T("") },
        { T("=1"), T(""), true, T("1") },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct http_request request = { .query = cases[i].query, .arena = &arena };
        str got = STR_NONE;
        assert_int_equal(http_query(&request, cases[i].name, &got), cases[i].found);
        if (cases[i].found) assert_true(str_equal(got, cases[i].want));
    }
    arena_done(&arena);
}

static void headers_are_found_in_any_case(void **state)
{
    static const struct http_header headers[] = { { T("Content-Type"), T("a/b") },
                                                  { T("X-One"), T("1") },
                                                  { T("x-one"), T("2") } };
    struct http_request request = { .header_bits_ = 0 };
    (void)state;
    http_set_headers(&request, headers, COUNT(headers));
    assert_true(str_equal(http_header(&request, STR("content-type")), STR("a/b")));
    assert_true(str_equal(http_header(&request, STR("X-ONE")), STR("1")));
    assert_int_equal(http_header(&request, STR("x-on")).n, 0);
    assert_int_equal(http_header(&request, STR("")).n, 0);
    assert_true(http_may_have_header(&request, STR("X-oNe")));
    assert_false(http_may_have_header(&request, STR("Authorization")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percent_codes_are_decoded_or_refused),
        cmocka_unit_test(parameters_are_found_by_their_decoded_name),
        cmocka_unit_test(headers_are_found_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
