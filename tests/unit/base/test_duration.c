#include "base/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void durations_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
        bool calendar;
    } cases[] = {
        { "PT0S", 0, false },
        { "PT30S", 30000, false },
        { "PT1H30M", 5400000, false },
        { "P1DT12H", 129600000, false },
        { "P2W", 1209600000, false },
        { "P1M", 2592000000, true },
        { "PT1M", 60000, false },
        { "P1Y2M3W4DT5H6M7.5S", INT64_C(38898367500), true },
        { "PT0.5H", 1800000, false },
        { "P0.5D", 43200000, false },
        { "PT0.0015S", 1, false }, /* Below a millisecond is cut. */
        { "PT0.0000000000000001S", 0, false },
        { "PT0000000000000000000000000000001S", 1000, false },
        { "PT2305843009213693.951S", INT64_MAX / 4, false }, /* The longest. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = 99;
        bool calendar;
        assert_int_equal(duration_parse(str_of(cases[i].text), &ms, &calendar, NULL), ST_OK);
        assert_int_equal(ms, cases[i].ms);
        assert_int_equal(calendar, cases[i].calendar);
        assert_int_equal(duration_parse(str_of(cases[i].text), &ms, NULL, NULL), ST_OK);
    }
}

static void bad_durations_say_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "starts with P" },
        { "30s", "starts with P" },
        { "-PT5S", "starts with P" },
        { "pt5s", "starts with P" },
        { " PT5S", "starts with P" },
        { "P", "at least one part" },
        { "PT", "follows the 'T'" },
        { "P1DT", "follows the 'T'" },
        { "P1", "without a unit" },
        { "PT5", "without a unit" },
        { "P5S", "needs a 'T'" },
        { "P1H", "needs a 'T'" },
        { "PT1D", "units" },
        { "PT1X", "units" },
        { "PT5s", "units" },
        { "P1Y1Y", "repeated" },
        { "PT1S1M", "wrong place" },
        { "P1D1W", "wrong place" },
        { "PT1HT1M", "expected a number" },
        { "PT-5S", "expected a number" },
        { "PT+5S", "expected a number" },
        { "PTS", "expected a number" },
        { "PT.5S", "expected a number" },
        { "PT5.S", "digits behind" },
        { "PT5,5S", "units" },
        { "PT1S ", "expected a number" },
        { "PT9223372036854775808S", "too long" },
        { "PT9223372036854775807S", "too long" },
        { "P99999999999Y", "too long" },
        { "PT2305843009213693.952S", "too long" },
        { "PT2305843009213693S1S", "repeated" },
        { "P73117802Y400D", "too long" }, /* Each part fits, the sum does not. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = 99;
        struct error err = { .status = ST_OK };
        assert_int_equal(duration_parse(str_of(cases[i].text), &ms, NULL, &err), ST_INVALID);
        assert_int_equal(ms, 99);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s: %s", cases[i].text, err.message);
    }
}

static void durations_print_for_people(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        { 0, "PT0S" },
        { 5400000, "PT1H30M" },
        { 86400000, "P1D" },
        { 129600000, "P1DT12H" },
        { 500, "PT0.5S" },
        { 61001, "PT1M1.001S" },
        { -5000, "-PT5S" },
        { 93784000, "P1DT2H3M4S" },
        { INT64_MIN, "-P106751991167DT7H12M55.808S" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        duration_print(cases[i].ms, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    char small[4];
    duration_print(5400000, small, sizeof small);
    assert_string_equal(small, "PT1");
}

static void short_forms_are_read_too(void **state)
{
    static const struct {
        const char *text;
        int64_t ms; /* -1: refused. */
    } cases[] = {
        { "0", 0 },
        { "1500", 1500 }, /* A bare number is milliseconds. */
        { "500ms", 500 },
        { "30s", 30000 },
        { "1.5s", 1500 },
        { "10m", 600000 },
        { "2h", 7200000 },
        { "30d", INT64_C(2592000000) },
        { "1w", 604800000 },
        { "1h30m", 5400000 },
        { "6h59m", 25140000 },
        { "1w2d3h4m5s6ms", INT64_C(788645006) },
        { "PT10M", 600000 },
        { "P2DT3H", 183600000 },
        { "", -1 },
        { "soon", -1 },
        { "-5s", -1 },
        { "5 s", -1 },
        { "5s ", -1 },
        { "5S", -1 },
        { "30m1h", -1 },
        { "1h1h", -1 },
        { "1h30", -1 }, /* Of what? */
        { "1y", -1 },
        { "s", -1 },
        { "1.s", -1 },
        { "99999999999999999999d", -1 },
        { "2305843009213693952", -1 }, /* One more than the longest. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = -1;
        struct error err = { 0 };
        enum status status = duration_parse_any(str_of(cases[i].text), &ms, &err);
        assert_int_equal(ms, cases[i].ms);
        assert_int_equal(status, cases[i].ms < 0 ? ST_INVALID : ST_OK);
        assert_int_equal(err.message[0] != '\0', cases[i].ms < 0);
    }
}

static void durations_print_in_words(void **state)
{
    static const struct {
        int64_t ms;
        const char *want;
    } cases[] = {
        { 0, "0 seconds" },
        { 500, "500 ms" },
        { 1000, "1 second" },
        { 90000, "1 minute 30 seconds" },
        { 2 * DAY_MS, "2 days" },
        { 10 * DAY_MS, "10 days" },
        { 14 * DAY_MS, "2 weeks" },
        { DAY_MS + HOUR_MS + MINUTE_MS, "1 day 1 hour" },
        { DAY_MS + MINUTE_MS, "1 day" }, /* Who waits for a day does not count the minute. */
        { -HOUR_MS, "1 hour" },
        { INT64_MIN, "" }, /* Only that it comes back. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[DURATION_WORDS_BYTES];
        duration_print_words(cases[i].ms, text, sizeof text);
        if (cases[i].ms != INT64_MIN) assert_string_equal(text, cases[i].want);
        assert_true(strlen(text) > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read),       cmocka_unit_test(bad_durations_say_what_is_wrong),
        cmocka_unit_test(short_forms_are_read_too), cmocka_unit_test(durations_print_for_people),
        cmocka_unit_test(durations_print_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
