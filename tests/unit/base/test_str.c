#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void texts_are_compared_by_bytes(void **state)
{
    (void)state;
    assert_true(str_compare(STR("a"), STR("b")) < 0);
    assert_true(str_compare(STR("b"), STR("a")) > 0);
    assert_true(str_compare(STR("a"), STR("ab")) < 0);
    assert_true(str_compare(STR("ab"), STR("a")) > 0);
    assert_int_equal(str_compare(STR("ab"), STR("ab")), 0);
    assert_int_equal(str_compare(STR_NONE, STR("")), 0);
    assert_true(str_compare(STR("\xc3\xa4"), STR("z")) > 0);
    assert_true(str_equal(STR_NONE, STR("")));
    assert_false(str_equal(STR("a\0b"), STR("a\0c")));
    assert_true(str_equal_ignoring_case(STR("Content-LENGTH"), STR("content-length")));
    assert_false(str_equal_ignoring_case(STR("@"), STR("`")));
    assert_true(str_has_part(STR("Ask the BOSS"), STR("the b")) && str_has_part(STR("a"), STR("")));
    assert_false(str_has_part(STR("bos"), STR("boss")) || str_has_part(STR_NONE, STR("a")));
    assert_true(str_starts(STR("abc"), STR("ab")) && str_starts(STR("abc"), STR("")));
    assert_false(str_starts(STR("a"), STR("ab")));
    assert_true(str_ends(STR("abc"), STR("bc")) && str_ends(STR("abc"), STR("")));
    assert_false(str_ends(STR("c"), STR("bc")));
}

static void a_part_is_found_from_a_place_on(void **state)
{
    static const struct {
        str text, part;
        size_t from, want;
    } cases[] = {
        { STR_INIT("abcabc"), STR_INIT("abc"), 0, 0 },
        { STR_INIT("abcabc"), STR_INIT("abc"), 1, 3 },
        { STR_INIT("abcabc"), STR_INIT("abc"), 4, SIZE_MAX },
        { STR_INIT("aab"), STR_INIT("ab"), 0, 1 },
        { STR_INIT("abc"), STR_INIT(""), 3, 3 },
        { STR_INIT("abc"), STR_INIT(""), 4, SIZE_MAX },
        { STR_INIT("ab"), STR_INIT("abc"), 0, SIZE_MAX },
        { STR_INIT(""), STR_INIT("a"), 0, SIZE_MAX },
        { STR_INIT("a\0b"), STR_INIT("\0b"), 0, 1 },
        { STR_INIT("abc"), STR_INIT("c"), SIZE_MAX, SIZE_MAX },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(str_find(cases[i].text, cases[i].part, cases[i].from), cases[i].want);
}

static void slices_are_clamped(void **state)
{
    (void)state;
    assert_true(str_equal(str_slice(STR("abcdef"), 2, 4), STR("cd")));
    assert_true(str_equal(str_slice(STR("abc"), 1, SIZE_MAX), STR("bc")));
    assert_int_equal(str_slice(STR("abc"), 5, 9).n, 0);
    assert_int_equal(str_slice(STR("abc"), 2, 1).n, 0);
    assert_int_equal(str_slice(STR_NONE, 0, 1).n, 0);
    assert_true(str_equal(str_trim(STR(" \t\r\n a b \v\f")), STR("a b")));
    assert_int_equal(str_trim(STR("  \n ")).n, 0);
    assert_int_equal(str_trim(STR("")).n, 0);
}

static void integers_are_read_to_the_last_one(void **state)
{
    static const struct {
        str text;
        int64_t want;
    } good[] = {
        { STR_INIT("0"), 0 },
        { STR_INIT("-0"), 0 },
        { STR_INIT("007"), 7 },
        { STR_INIT("-1"), -1 },
        { STR_INIT("9223372036854775807"), INT64_MAX },
        { STR_INIT("-9223372036854775808"), INT64_MIN },
    };
    static const str bad[] = {
        STR_INIT(""),
        STR_INIT("-"),
        STR_INIT("+1"),
        STR_INIT(" 1"),
        STR_INIT("1 "),
        STR_INIT("1.0"),
        STR_INIT("0x1"),
        STR_INIT("1\0"),
        STR_INIT("9223372036854775808"),
        STR_INIT("-9223372036854775809"),
        STR_INIT("99999999999999999999"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t value = 99;
        assert_true(str_to_int64(good[i].text, &value));
        assert_int_equal(value, good[i].want);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t value = 99;
        assert_false(str_to_int64(bad[i], &value));
        assert_int_equal(value, 99);
    }
}

static void distances_count_edits(void **state)
{
    static const struct {
        str a, b;
        size_t exact, folded;
    } cases[] = {
        { STR_INIT(""), STR_INIT(""), 0, 0 },          { STR_INIT(""), STR_INIT("abc"), 3, 3 },
        { STR_INIT("abc"), STR_INIT(""), 3, 3 },       { STR_INIT("kitten"), STR_INIT("sitting"), 3, 3 },
        { STR_INIT("upper"), STR_INIT("uper"), 1, 1 }, { STR_INIT("indexOf"), STR_INIT("INDEXOF"), 6, 0 },
        { STR_INIT("ab"), STR_INIT("ba"), 2, 2 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(str_distance(cases[i].a, cases[i].b, false), cases[i].exact);
        assert_int_equal(str_distance(cases[i].a, cases[i].b, true), cases[i].folded);
    }
    char text[65] = { 0 };
    assert_int_equal(str_distance((str){ text, 64 }, STR(""), false), 64);
    assert_int_equal(str_distance((str){ text, 65 }, STR(""), false), SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_compared_by_bytes), cmocka_unit_test(a_part_is_found_from_a_place_on),
        cmocka_unit_test(slices_are_clamped),          cmocka_unit_test(integers_are_read_to_the_last_one),
        cmocka_unit_test(distances_count_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
