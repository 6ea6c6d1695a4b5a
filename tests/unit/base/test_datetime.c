#include "base/datetime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define YEAR_9999_MS INT64_C(253402300799999)

static void times_print_and_parse(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000000Z" },
        { 1, "1970-01-01T00:00:00.001000Z" },
        { -1, "1969-12-31T23:59:59.999000Z" },
        { -86400000, "1969-12-31T00:00:00.000000Z" },
        { 951782400000, "2000-02-29T00:00:00.000000Z" }, /* Divisible by 400: a leap year. */
        { 951868800000, "2000-03-01T00:00:00.000000Z" },
        { 1709164800000, "2024-02-29T00:00:00.000000Z" },
        { 4107542400000, "2100-03-01T00:00:00.000000Z" }, /* 2100 is none. */
        { -2203891200001, "1900-02-28T23:59:59.999000Z" },
        { 1763178611123, "2025-11-15T03:50:11.123000Z" },
        { -62167219200000, "0000-01-01T00:00:00.000000Z" },
        { YEAR_9999_MS, "9999-12-31T23:59:59.999000Z" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[DATETIME_CHARS + 1];
        datetime_print(cases[i].ms, text);
        assert_string_equal(text, cases[i].text);
        int64_t ms;
        assert_true(datetime_parse(str_of(text), &ms));
        assert_int_equal(ms, cases[i].ms);
    }
}

static void every_day_of_eight_centuries_comes_back(void **state)
{
    (void)state;
    for (int64_t day = -146097; day < 146097; day++) {
        char text[DATETIME_CHARS + 1];
        datetime_print_seconds(day * 86400000 + 12345000, text);
        int64_t ms;
        assert_true(datetime_parse(str_of(text), &ms));
        assert_int_equal(ms, day * 86400000 + 12345000);
    }
}

static void years_beyond_four_digits_are_clamped(void **state)
{
    (void)state;
    char text[DATETIME_CHARS + 1];
    datetime_print(INT64_MIN, text);
    assert_string_equal(text, "0000-01-01T00:00:00.000000Z");
    datetime_print(INT64_MAX, text);
    assert_string_equal(text, "9999-12-31T23:59:59.999000Z");
    datetime_print_seconds(YEAR_9999_MS + 1, text);
    assert_string_equal(text, "9999-12-31T23:59:59Z");
}

static void offsets_and_fractions_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "1970-01-01T00:00:00Z", 0 },
        { "1970-01-01t00:00:00z", 0 },
        { "1970-01-01T02:00:00+02:00", 0 },
        { "1969-12-31T18:30:00-05:30", 0 },
        { "1970-01-01T00:00:00-00:00", 0 },
        { "1970-01-01T00:00:00.5Z", 500 },
        { "1970-01-01T00:00:00.1239999999999999999999Z", 123 },
        { "1969-12-31T23:59:59.25Z", -750 },
        { "2016-12-31T23:59:60Z", 1483228800000 }, /* A leap second. */
        { "2017-01-01T00:59:60+01:00", 1483228800000 },
        { "0000-01-01T00:00:00+23:59", -62167219200000 - 86340000 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = 99;
        assert_true(datetime_parse(str_of(cases[i].text), &ms));
        assert_int_equal(ms, cases[i].ms);
    }
}

static void other_texts_are_no_times(void **state)
{
    static const char *const cases[] = {
        "",
        "2026",
        "2026-11-15",
        "2026-11-15T03:50:11",
        "2026-11-15 03:50:11Z",
        "2026-11-15T03:50Z",
        "2026-11-15T03:50:11.Z",
        "2026-11-15T03:50:11,5Z",
        "2026-00-15T00:00:00Z",
        "2026-13-15T00:00:00Z",
        "2026-11-00T00:00:00Z",
        "2026-11-31T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-11-15T24:00:00Z",
        "2026-11-15T23:60:00Z",
        "2026-11-15T23:59:61Z",
        "2026-11-15T12:00:60Z",
        "2026-11-15T03:50:11+24:00",
        "2026-11-15T03:50:11+00:60",
        "2026-11-15T03:50:11+0100",
        "2026-11-15T03:50:11+01",
        "2026-11-15T03:50:11ZZ",
        "+2026-11-15T03:50:11Z",
        "-026-11-15T03:50:11Z",
        "12026-11-15T03:50:11Z",
        " 2026-11-15T03:50:11Z",
        "2026-1-15T03:50:11Z",
        "2026-11-15T3:50:11Z",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = 99;
        if (datetime_parse(str_of(cases[i]), &ms)) fail_msg("accepted %s", cases[i]);
        assert_int_equal(ms, 99);
    }
}

static void dates_and_days_are_each_others_inverse(void **state)
{
    (void)state;
    int64_t days = datetime_days(0, 1, 1);
    assert_int_equal(datetime_days(1970, 1, 1), 0);
    assert_int_equal(datetime_days(2026, 11, 16), 20773);
    for (int64_t year = 0; year <= 2401; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= datetime_days_in_month(year, month); day++, days++) {
                struct date date = datetime_date(days);
                assert_true(date.year == year && (int)date.month == month && (int)date.day == day);
                assert_int_equal(datetime_days(year, month, day), days);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_and_days_are_each_others_inverse),
        cmocka_unit_test(times_print_and_parse),
        cmocka_unit_test(every_day_of_eight_centuries_comes_back),
        cmocka_unit_test(years_beyond_four_digits_are_clamped),
        cmocka_unit_test(offsets_and_fractions_are_read),
        cmocka_unit_test(other_texts_are_no_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
