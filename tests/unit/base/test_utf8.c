#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void utf8_is_told_from_what_looks_like_it(void **state)
{
    static const str good[] = {
        STR_INIT(""),
        STR_INIT("a\0b"),
        STR_INIT("\x7f"),
        STR_INIT("\xc2\x80"),
        STR_INIT("\xdf\xbf"),
        STR_INIT("\xe0\xa0\x80"),
        STR_INIT("\xed\x9f\xbf"),
        STR_INIT("\xee\x80\x80"),
        STR_INIT("\xef\xbf\xbf"),
        STR_INIT("\xf0\x90\x80\x80"),
        STR_INIT("\xf4\x8f\xbf\xbf"),
    };
    static const str bad[] = {
        STR_INIT("\x80"),
        STR_INIT("\xbf"),
        STR_INIT("\xc0\x80"),
        STR_INIT("\xc1\xbf"),
        STR_INIT("\xc2"),
        STR_INIT("\xc2\x41"),
        STR_INIT("\xe0\x80\x80"),
        STR_INIT("\xe0\x9f\xbf"),
        STR_INIT("\xe2\x82"),
        STR_INIT("\xed\xa0\x80"),
        STR_INIT("\xed\xbf\xbf"),
        STR_INIT("\xf0\x8f\xbf\xbf"),
        STR_INIT("\xf0\x90\x80"),
        STR_INIT("\xf4\x90\x80\x80"),
        STR_INIT("\xf5\x80\x80\x80"),
        STR_INIT("\xff"),
        STR_INIT("ok\xfe"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) assert_true(utf8_is_valid(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++) assert_false(utf8_is_valid(bad[i]));
}

/* a, ä (2 bytes), € (3 bytes), 😀 (4 bytes). */
#define MIXED "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"

static void characters_are_counted_and_found(void **state)
{
    static const size_t offsets[] = { 0, 1, 3, 6, 10 };
    (void)state;
    assert_int_equal(utf8_count(STR("")), 0);
    assert_int_equal(utf8_count(STR(MIXED)), 4);
    for (size_t i = 0; i < COUNT(offsets); i++) assert_int_equal(utf8_offset(STR(MIXED), i), offsets[i]);
    assert_int_equal(utf8_offset(STR(MIXED), SIZE_MAX), 10); /* There is no such character. */
}

static void text_is_cut_between_characters(void **state)
{
    static const size_t left[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };
    (void)state;
    for (size_t i = 0; i < COUNT(left); i++) assert_int_equal(utf8_cut(STR(MIXED), i).n, left[i]);
}

static void every_length_of_character_is_encoded(void **state)
{
    static const struct {
        uint32_t character;
        str bytes;
    } cases[] = {
        { 0, STR_INIT("\0") },
        { 'a', STR_INIT("a") },
        { 0x7f, STR_INIT("\x7f") },
        { 0x80, STR_INIT("\xc2\x80") },
        { 0x7ff, STR_INIT("\xdf\xbf") },
        { 0x800, STR_INIT("\xe0\xa0\x80") },
        { 0xffff, STR_INIT("\xef\xbf\xbf") },
        { 0x10000, STR_INIT("\xf0\x90\x80\x80") },
        { 0x10ffff, STR_INIT("\xf4\x8f\xbf\xbf") },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char bytes[4];
        str got = { bytes, utf8_encode(cases[i].character, bytes) };
        assert_true(str_equal(got, cases[i].bytes));
        assert_true(utf8_is_valid(got));
    }
}

static void places_count_lines_and_characters(void **state)
{
    static const struct {
        size_t at;
        uint32_t line, column;
    } cases[] = {
        { 0, 1, 1 },  { 1, 1, 2 },  { 3, 1, 3 },  { 10, 1, 5 },
        { 11, 2, 1 }, { 12, 2, 2 }, { 99, 2, 2 }, /* Behind the end counts as the end. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct utf8_place place = utf8_place(STR(MIXED "\nb"), cases[i].at);
        assert_int_equal(place.line, cases[i].line);
        assert_int_equal(place.column, cases[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_told_from_what_looks_like_it),
        cmocka_unit_test(characters_are_counted_and_found),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(every_length_of_character_is_encoded),
        cmocka_unit_test(places_count_lines_and_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
