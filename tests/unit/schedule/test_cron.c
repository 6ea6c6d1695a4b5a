#include "schedule/cron.h"

#include "base/datetime.h"
#include "schedule/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DAY_S = 86400 };

static struct cron parsed(const char *text)
{
    struct cron cron;
    struct error err = { 0 };
    if (cron_parse(str_of(text), &cron, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return cron;
}

static int64_t second_of(const char *text)
{
    int64_t ms;
    assert_true(datetime_parse(str_of(text), &ms));
    return ms / 1000;
}

static void the_next_time_is_found(void **state)
{
    static const struct {
        const char *text, *from, *first;
    } cases[] = {
        { "* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z" },
        { "* * * * *", "2026-01-01T00:00:01Z", "2026-01-01T00:01:00Z" },
        { "* * * * * *", "2026-01-01T00:00:01Z", "2026-01-01T00:00:01Z" },
        { "30 * * * * *", "2026-01-01T00:00:31Z", "2026-01-01T00:01:30Z" },
        { "59 59 23 31 12 *", "2026-12-31T23:59:59Z", "2026-12-31T23:59:59Z" },
        { "59 59 23 31 12 *", "2027-01-01T00:00:00Z", "2027-12-31T23:59:59Z" },
        { "  0\t8 *   * 1-5  ", "2026-01-02T08:00:01Z", "2026-01-05T08:00:00Z" }, /* Friday, then Monday. */
        { "0 8 * * MON-FRI", "2026-01-02T08:00:01Z", "2026-01-05T08:00:00Z" },
        { "0 8 * * mon,wed,Fri", "2026-01-05T08:00:01Z", "2026-01-07T08:00:00Z" },
        { "0 0 * jan-mar *", "2026-04-01T00:00:00Z", "2027-01-01T00:00:00Z" },
        { "0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z" },
        { "0 0 * * 0", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z" },
        { "0 0 * * 5-7", "2026-01-03T00:00:01Z", "2026-01-04T00:00:00Z" },
        { "0 0 * * SAT-SUN", "2026-01-03T00:00:01Z", "2026-01-04T00:00:00Z" },
        { "0 0 * * SUN", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z" },
        { "*/15 * * * *", "2026-01-01T00:31:00Z", "2026-01-01T00:45:00Z" },
        { "5/15 * * * *", "2026-01-01T00:36:00Z", "2026-01-01T00:50:00Z" },
        { "10-30/10 * * * *", "2026-01-01T00:31:00Z", "2026-01-01T01:10:00Z" },
        { "0 */24 * * *", "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z" },
        { "0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z" },
        { "0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z" }, /* 2100 has none. */
        { "0 0 29 2,3 *", "2026-01-01T00:00:00Z", "2026-03-29T00:00:00Z" },
        { "0 0 31 * *", "2026-02-01T00:00:00Z", "2026-03-31T00:00:00Z" },
        { "0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z" },
        { "0 0 15,l * ?", "2028-02-16T00:00:00Z", "2028-02-29T00:00:00Z" },
        { "0 0 ? * 5L", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00Z" },
        { "0 0 * * FRIL", "2026-02-01T00:00:00Z", "2026-02-27T00:00:00Z" },
        { "0 0 * * 5#2", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z" },
        { "0 0 * * MON#1,THU#5", "2026-01-06T00:00:00Z", "2026-01-29T00:00:00Z" },
        { "0 0 * * 4#5", "2026-02-01T00:00:00Z", "2026-04-30T00:00:00Z" }, /* Not every month has five. */
        { "0 0 13 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z" },  /* The 13th or a Friday. */
        { "0 0 13 * 5", "2026-01-10T00:00:00Z", "2026-01-13T00:00:00Z" },
        { "0 0 */2 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z" },  /* An odd day and a Friday. */
        { "0 0 13 * */7", "2026-01-01T00:00:00Z", "2026-09-13T00:00:00Z" }, /* The 13th and a Sunday. */
        { "0 0 31 2 1", "2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z" },   /* Mondays of February. */
        { "@hourly", "2026-01-01T00:00:01Z", "2026-01-01T01:00:00Z" },
        { "@daily", "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z" },
        { "@midnight", "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z" },
        { "@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z" },
        { "@monthly", "2026-01-01T00:00:01Z", "2026-02-01T00:00:00Z" },
        { "@yearly", "2026-01-01T00:00:01Z", "2027-01-01T00:00:00Z" },
        { " @ANNUALLY ", "2026-01-01T00:00:01Z", "2027-01-01T00:00:00Z" },
        { "0 0 1 1 *", "1999-06-01T00:00:00Z", "2000-01-01T00:00:00Z" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cron cron = parsed(cases[i].text);
        int64_t from_s = second_of(cases[i].from), first_s = 0, want_s = second_of(cases[i].first),
                last_s = 0;
        assert_true(cron_first(&cron, from_s, second_of("9999-01-01T00:00:00Z"), &first_s));
        if (first_s != want_s) fail_msg("%s from %s: %ld", cases[i].text, cases[i].from, (long)first_s);
        assert_true(cron_last(&cron, from_s, want_s, &last_s));
        assert_int_equal(last_s, want_s);
        if (want_s > from_s) assert_false(cron_last(&cron, from_s, want_s - 1, &last_s));
        if (want_s > from_s) assert_false(cron_first(&cron, from_s, want_s - 1, &first_s));
    }
}

static const struct {
    const char *text, *where, *says;
} refusals[] = {
    { "", "cron", "empty" },
    { " \t ", "cron", "empty" },
    { "* * * *", "cron", "this has 4" },
    { "* * * * * * *", "cron", "this has 7" },
    { "61 * * * *", "minute", "61 is not between 0 and 59" },
    { "60 * * * *", "minute", "60" },
    { "60 * * * * *", "second", "60" },
    { "* 24 * * *", "hour", "24 is not between 0 and 23" },
    { "* * 0 * *", "day of month", "0 is not between 1 and 31" },
    { "* * 32 * *", "day of month", "32" },
    { "* * * 0 *", "month", "0" },
    { "* * * 13 *", "month", "13" },
    { "* * * * 8", "day of week", "8 is not between 0 and 7" },
    { "-1 * * * *", "minute", "\"\"" },
    { "1- * * * *", "minute", "\"\"" },
    { "1-2-3 * * * *", "minute", "2-3" },
    { "1.5 * * * *", "minute", "1.5" },
    { "9999999999999999999 * * * *", "minute", "neither a number" },
    { "0x5 * * * *", "minute", "0x5" },
    { "JAN * * * *", "minute", "JAN" },
    { "* * * MON *", "month", "MON" },
    { "* * * * JANUARY", "day of week", "JANUARY" },
    { "* * * * M", "day of week", "\"M\"" },
    { "*/0 * * * *", "minute", "step 0" },
    { "*/61 * * * *", "minute", "step 61" },
    { "* */25 * * *", "hour", "step 25" },
    { "*/ * * * *", "minute", "step \"\"" },
    { "*/-5 * * * *", "minute", "step \"-5\"" },
    { "*/5/5 * * * *", "minute", "step \"5/5\"" },
    { "/5 * * * *", "minute", "\"\"" },
    { "** * * * *", "minute", "**" },
    { "*5 * * * *", "minute", "*5" },
    { "1,,2 * * * *", "minute", "empty entry" },
    { ",1 * * * *", "minute", "empty entry" },
    { "1, * * * *", "minute", "empty entry" },
    { ", * * * *", "minute", "empty entry" },
    { "30-10 * * * *", "minute", "runs backwards; write 30-59,0-10" },
    { "* 22-2 * * *", "hour", "runs backwards; write 22-23,0-2" },
    { "* * * * 6-0", "day of week", "runs backwards" },
    { "* * * * FRI-MON", "day of week", "runs backwards" },
    { "? * * * *", "minute", "?" },
    { "* ? * * *", "hour", "?" },
    { "* * ?/2 * *", "day of month", "?" },
    { "L * * * *", "minute", "L" },
    { "* * * L *", "month", "L" },
    { "* * 5L * *", "day of month", "5L" },
    { "* * L-3 * *", "day of month", "L" },
    { "* * 15W * *", "day of month", "15W" },
    { "* * * * L", "day of week", "\"L\"" },
    { "* * * * 5#6", "day of week", "from 1 to 5" },
    { "* * * * 5#0", "day of week", "from 1 to 5" },
    { "* * * * 5#", "day of week", "from 1 to 5" },
    { "* * * * #2", "day of week", "\"\"" },
    { "* * * * 8#2", "day of week", "8" },
    { "* * 5#2 * *", "day of month", "5#2" },
    { "* * 30 2 *", "day of month", "never fires" },
    { "* * 31 2,4,6,9,11 *", "day of month", "never fires" },
    { "* * 31 2 ?", "day of month", "never fires" },
    { "* * */31 * 1#2", "day of month", "never fires" }, /* The second Monday is never the 1st. */
    { "@reboot", "cron", "@reboot" },
    { "@every 5m", "cron", "@hourly" },
    { "@", "cron", "@hourly" },
    { "0 0 * * m\xc3\xb6n", "cron", "character 10" },
    { "0 0 * * \x01", "cron", "character 9" },
};

static void texts_that_nobody_can_mean_are_refused_with_their_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct cron cron;
        struct error err = { 0 };
        if (cron_parse(str_of(refusals[i].text), &cron, &err) != ST_INVALID)
            fail_msg("accepted: %s", refusals[i].text);
        if (strcmp(err.where, refusals[i].where) != 0 || !strstr(err.message, refusals[i].says))
            fail_msg("%s: %s: %s", refusals[i].text, err.where, err.message);
        if (strcmp(err.where, "cron") != 0) assert_non_null(strstr(err.message, err.where));
    }
}

static void a_text_may_hold_a_nul_or_be_long_and_is_refused(void **state)
{
    char text[CRON_BYTES_MAX + 2];
    struct cron cron;
    struct error err = { 0 };
    (void)state;
    assert_int_equal(cron_parse(STR("* * * * *\0"), &cron, &err), ST_INVALID);
    assert_int_equal(cron_parse(STR("*\0 * * * *"), &cron, &err), ST_INVALID);
    memset(text, '1', sizeof text);
    assert_int_equal(cron_parse((str){ text, sizeof text }, &cron, &err), ST_INVALID);
    assert_non_null(strstr(err.message, "more than 256"));
    assert_int_equal(cron_parse(STR_NONE, &cron, &err), ST_INVALID);
}

/* ---- against a model that tries every second or day ---- */

static bool day_matches(const struct cron *cron, int64_t day)
{
    struct date date = datetime_date(day);
    int weekday = (int)((day + 4) % 7), length = datetime_days_in_month(date.year, (int)date.month);
    bool of_month = (cron->days >> date.day & 1) || (cron->last_day && (int)date.day == length);
    bool of_week = (cron->weekdays >> weekday & 1) ||
                   ((cron->last_weekdays >> weekday & 1) && (int)date.day + 7 > length) ||
                   (cron->nth_weekdays[(date.day - 1) / 7] >> weekday & 1);
    if (!(cron->months >> date.month & 1)) return false;
    return cron->any_day || cron->any_weekday ? of_month && of_week : of_month || of_week;
}

static bool second_matches(const struct cron *cron, int64_t second)
{
    int64_t of_day = second % DAY_S;
    return (cron->hours >> (of_day / 3600) & 1) && (cron->minutes >> (of_day / 60 % 60) & 1) &&
           (cron->seconds >> (of_day % 60) & 1);
}

static void days_are_those_of_a_model(void **state)
{
    static const char *const texts[] = {
        "0 0 29 2 *",  "0 0 29 2 1#5", "0 0 */14 2 1#5",   "0 0 13 * 5", "0 0 */5 * */2", "0 0 L * 2L",
        "0 0 L */3 *", "0 0 * 2 6#5",  "0 0 1,15 * 3#3,0", "0 0 31 * *", "0 0 * * 1-5",   "0 0 ? 11 THU#4",
    };
    (void)state;
    int64_t begin = datetime_days(1999, 12, 30), end = datetime_days(2240, 1, 1);
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cron cron = parsed(texts[i]);
        int64_t found_s, next = end, before = begin - 1;
        for (int64_t day = end - 1; day >= begin; day--) {
            if (day_matches(&cron, day)) next = day;
            bool found = cron_first(&cron, day * DAY_S, (end - 1) * DAY_S, &found_s);
            assert_int_equal(found, next < end);
            if (found) assert_int_equal(found_s, next * DAY_S);
        }
        for (int64_t day = begin; day < end; day++) {
            if (day_matches(&cron, day)) before = day;
            bool found = cron_last(&cron, begin * DAY_S, day * DAY_S, &found_s);
            assert_int_equal(found, before >= begin);
            if (found) assert_int_equal(found_s, before * DAY_S);
        }
    }
}

static void seconds_are_those_of_a_model(void **state)
{
    static const char *const texts[] = {
        "* * * * * *",    "30 15 2 * * *",      "*/7 */13 */5 * * *", "0,59 59 23,0 * * *",
        "5-10 0 0 * * *", "10 10-12 1 2,3 * *", "59 59 * * * *",      "0 0 0 2 * *",
    };
    (void)state;
    int64_t begin = datetime_days(2026, 1, 1) * DAY_S, end = begin + 3 * DAY_S;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct cron cron = parsed(texts[i]);
        int64_t found_s, next = end, before = begin - 1;
        for (int64_t s = end - 1; s >= begin; s--) {
            if (day_matches(&cron, s / DAY_S) && second_matches(&cron, s)) next = s;
            bool found = cron_first(&cron, s, end - 1, &found_s);
            if (found != (next < end) || (found && found_s != next)) fail_msg("%s at %ld", texts[i], (long)s);
        }
        for (int64_t s = begin; s < end; s++) {
            if (day_matches(&cron, s / DAY_S) && second_matches(&cron, s)) before = s;
            bool found = cron_last(&cron, begin, s, &found_s);
            if (found != (before >= begin) || (found && found_s != before))
                fail_msg("%s at %ld", texts[i], (long)s);
        }
    }
}

static void sets_are_what_the_text_says(void **state)
{
    struct cron cron = parsed("1-3 */20 0-22/11 1,31 FEB-APR 1-3,SUN");
    (void)state;
    assert_int_equal(cron.seconds, 0xe);
    assert_true(cron.minutes == (UINT64_C(1) | UINT64_C(1) << 20 | UINT64_C(1) << 40));
    assert_int_equal(cron.hours, 1 | 1 << 11 | 1 << 22);
    assert_true(cron.days == (UINT32_C(2) | UINT32_C(1) << 31));
    assert_int_equal(cron.months, 0x1c);
    assert_int_equal(cron.weekdays, 0xf);
    assert_false(cron.hourly || cron.any_day || cron.any_weekday || cron.last_day);
    assert_true(parsed("0 */2 * * *").hourly && parsed("0 * * * *").hourly && parsed("@hourly").hourly);
    assert_false(parsed("0 0-23 * * *").hourly || parsed("* 1 * * *").hourly);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_time_is_found),
        cmocka_unit_test(texts_that_nobody_can_mean_are_refused_with_their_field),
        cmocka_unit_test(a_text_may_hold_a_nul_or_be_long_and_is_refused),
        cmocka_unit_test(days_are_those_of_a_model),
        cmocka_unit_test(seconds_are_those_of_a_model),
        cmocka_unit_test(sets_are_what_the_text_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
