#include "schedule/slot.h"

#include "base/clock.h"
#include "base/datetime.h"
#include "base/duration.h"

#include "zoneinfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DAY_S = 86400, MINUTES = 8 * 24 * 60 };

static int64_t ms_of(const char *text)
{
    int64_t ms;
    assert_true(datetime_parse(str_of(text), &ms));
    return ms;
}

static struct schedule schedule_of(const char *text, const struct zone *zone)
{
    struct schedule schedule = { .zone = zone };
    assert_non_null(zone);
    assert_int_equal(cron_parse(str_of(text), &schedule.cron, NULL), ST_OK);
    return schedule;
}

/* ---- the examples that people ask about ---- */

static const struct {
    const char *zone, *text, *after, *slots[4];
} examples[] = {
    /* A fixed time in the gap fires at its end, 03:00 in Berlin, and as usual on the next day. */
    { "Europe/Berlin",
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      { "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z" } },
    { "Europe/Berlin",
      "0 3 * * *",
      "2026-03-28T12:00:00Z",
      { "2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z" } },
    { "Europe/Berlin",
      "*/20 2,3 * * *",
      "2026-03-28T12:00:00Z",
      { "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2026-03-30T00:00:00Z" } },
    /* A time that happens twice fires once, the first time. */
    { "Europe/Berlin",
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      { "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z" } },
    { "America/New_York",
      "30 1 1 11 *",
      "2026-10-31T12:00:00Z",
      { "2026-11-01T05:30:00Z", "2027-11-01T05:30:00Z" } },
    /* Every hour means every hour. */
    { "Europe/Berlin",
      "30 * * * *",
      "2026-03-29T00:00:00Z",
      { "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z" } },
    { "Europe/Berlin",
      "30 * * * *",
      "2026-10-25T00:00:00Z",
      { "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z" } },
    { "Europe/Berlin",
      "0 */2 * * *",
      "2026-10-24T23:00:00Z",
      { "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T03:00:00Z" } },
    { "Europe/Berlin",
      "0 */2 * * *",
      "2026-03-28T22:30:00Z",
      { "2026-03-28T23:00:00Z", "2026-03-29T02:00:00Z" } },
    /* A gap and an overlap of half an hour: 02:00 to 02:30, and 01:30 to 02:00. */
    { "Australia/Lord_Howe",
      "15 2 * * *",
      "2026-10-03T00:00:00Z",
      { "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z" } },
    { "Australia/Lord_Howe",
      "45 1 * * *",
      "2026-04-04T00:00:00Z",
      { "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z" } },
    /* 30 December 2011 was left out in Samoa: noon of it is the first moment of the 31st. */
    { "Pacific/Apia",
      "0 12 * * *",
      "2011-12-29T00:00:00Z",
      { "2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z" } },
    { "Pacific/Apia",
      "0 */12 * * *",
      "2011-12-29T00:00:00Z",
      { "2011-12-29T10:00:00Z", "2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z" } },
    /* Two hours: 01:00 to 03:00. */
    { "Antarctica/Troll",
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      { "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z" } },
    { "UTC", "0 8 * * 1-5", "2026-01-02T08:00:00Z", { "2026-01-05T08:00:00Z", "2026-01-06T08:00:00Z" } },
};

static void clock_changes_follow_the_two_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct schedule schedule = schedule_of(examples[i].text, zoneinfo_zone(examples[i].zone, &arena));
        int64_t ms = ms_of(examples[i].after);
        for (size_t s = 0; s < COUNT(examples[i].slots) && examples[i].slots[s]; s++) {
            int64_t newest_ms, from_ms = ms;
            char shown[DATETIME_CHARS + 1];
            assert_true(slot_next(&schedule, from_ms, &ms));
            datetime_print_seconds(ms, shown);
            if (strcmp(shown, examples[i].slots[s]) != 0)
                fail_msg("%s %s: %s, not %s", examples[i].zone, examples[i].text, shown,
                         examples[i].slots[s]);
            assert_true(slot_newest(&schedule, from_ms, ms, &newest_ms));
            assert_int_equal(newest_ms, ms);
            assert_false(slot_newest(&schedule, from_ms, ms - 1, &newest_ms));
        }
        arena_done(&arena);
    }
}

/* ---- against a model that goes minute by minute ---- */

/* A field of the model's texts: `*`, a number, or a list of numbers; with an interval as in cron. */
static bool field_matches(const char *field, int value, int first)
{
    if (field[0] == '*') return field[1] != '/' || (value - first) % atoi(field + 2) == 0;
    for (const char *p = field; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        if (atoi(p) == value) return true;
    return false;
}

struct fields {
    const char *minute, *hour, *day, *month, *weekday;
};

static bool local_matches(const struct fields *fields, int64_t local_s)
{
    int64_t day = local_s / DAY_S;
    struct date date = datetime_date(day);
    return field_matches(fields->minute, (int)(local_s / 60 % 60), 0) &&
           field_matches(fields->hour, (int)(local_s / 3600 % 24), 0) &&
           field_matches(fields->day, (int)date.day, 1) && field_matches(fields->month, (int)date.month, 1) &&
           field_matches(fields->weekday, (int)((day + 4) % 7), 0);
}

struct model {
    int64_t from_s;
    int64_t local_s[MINUTES]; /* What clocks show, by the C library. */
    bool slot[MINUTES];
};

/* Fixed hours: each local time that a clock should have shown since the minute before fires now. */
static void fill_slots(struct model *model, const struct fields *fields)
{
    bool fixed = fields->hour[0] != '*';
    int64_t latest_s = model->local_s[0];
    memset(model->slot, 0, sizeof model->slot);
    for (size_t i = 1; i < MINUTES; i++) {
        if (!fixed) {
            model->slot[i] = local_matches(fields, model->local_s[i]);
            continue;
        }
        for (; latest_s < model->local_s[i]; latest_s += 60)
            if (local_matches(fields, latest_s + 60)) model->slot[i] = true;
    }
}

static void compare(const struct model *model, const struct schedule *schedule, const char *name,
                    const char *text)
{
    size_t next = MINUTES, newest = 0;
    for (size_t i = MINUTES - 1; i > 0; i--) { /* After the minute i - 1. */
        int64_t ms, want_ms = (model->from_s + (int64_t)(next = model->slot[i] ? i : next) * 60) * 1000;
        if (next == MINUTES) continue;
        assert_true(
            slot_next(schedule, (model->from_s + (int64_t)(i - 1) * 60) * 1000 + 59999 * (i % 2), &ms));
        if (ms != want_ms) fail_msg("%s %s: slot %ld, not %ld", name, text, (long)ms, (long)want_ms);
    }
    for (size_t i = 1; i < MINUTES; i++) {
        int64_t ms, until_ms = (model->from_s + (int64_t)i * 60) * 1000 + 59999 * (i % 2);
        if (model->slot[i]) newest = i;
        bool found = slot_newest(schedule, model->from_s * 1000, until_ms, &ms);
        assert_int_equal(found, newest > 0);
        if (found && ms != (model->from_s + (int64_t)newest * 60) * 1000)
            fail_msg("%s %s: newest %ld until %ld", name, text, (long)ms, (long)until_ms);
        if (newest)
            assert_false(slot_newest(schedule, (model->from_s + (int64_t)newest * 60) * 1000, until_ms, &ms));
    }
}

static void slots_are_those_of_a_model_minute_by_minute(void **state)
{
    static const struct {
        const char *zone, *from;
    } weeks[] = {
        { "Europe/Berlin", "2026-03-25T00:00:00Z" },       { "Europe/Berlin", "2026-10-21T00:00:00Z" },
        { "America/New_York", "2026-03-04T00:00:00Z" },    { "America/New_York", "2045-11-01T00:00:00Z" },
        { "Australia/Lord_Howe", "2026-04-01T00:00:00Z" }, { "Australia/Lord_Howe", "2026-09-30T00:00:00Z" },
        { "Pacific/Apia", "2011-12-26T00:00:00Z" },        { "Antarctica/Troll", "2026-03-25T00:00:00Z" },
        { "Antarctica/Troll", "2026-10-21T00:00:00Z" },    { "America/Havana", "2026-03-04T00:00:00Z" },
        { "America/Asuncion", "2024-03-20T00:00:00Z" },    { "America/Caracas", "2016-04-28T00:00:00Z" },
        { "Pacific/Kwajalein", "1993-08-17T00:00:00Z" },   { "Asia/Pyongyang", "2018-05-01T00:00:00Z" },
    };
    static const struct fields texts[] = {
        { "30", "2", "*", "*", "*" },       { "0", "0", "*", "*", "*" },
        { "*/15", "2", "*", "*", "*" },     { "15,45", "0,1,2,3", "*", "*", "*" },
        { "0", "*", "*", "*", "*" },        { "30", "*/2", "*", "*", "*" },
        { "*", "*", "*", "*", "*" },        { "*/7", "*/5", "*", "*", "0,6" },
        { "59", "23", "*", "*", "0,6" },    { "10", "1,2", "*", "3,10", "*" },
        { "0", "12", "30,31,1", "*", "*" }, { "*/10", "3", "*/2", "*", "*" },
    };
    static struct model model;
    (void)state;
    for (size_t w = 0; w < COUNT(weeks); w++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct zone *zone = zoneinfo_zone(weeks[w].zone, &arena);
        zoneinfo_use(weeks[w].zone);
        model.from_s = ms_of(weeks[w].from) / 1000;
        for (size_t i = 0; i < MINUTES; i++) {
            int64_t s = model.from_s + (int64_t)i * 60;
            model.local_s[i] = s + zoneinfo_offset_s(s);
        }
        for (size_t t = 0; t < COUNT(texts); t++) {
            char text[100];
            snprintf(text, sizeof text, "%s %s %s %s %s", texts[t].minute, texts[t].hour, texts[t].day,
                     texts[t].month, texts[t].weekday);
            struct schedule schedule = schedule_of(text, zone);
            fill_slots(&model, &texts[t]);
            compare(&model, &schedule, weeks[w].zone, text);
        }
        arena_done(&arena);
    }
}

/* ---- intervals and the ends of time ---- */

static void intervals_count_from_their_anchor(void **state)
{
    const struct schedule schedule = { .interval_ms = 20 * MINUTE_MS, .anchor_ms = 7 };
    int64_t ms;
    (void)state;
    assert_true(slot_next(&schedule, 7, &ms));
    assert_int_equal(ms, 7 + 20 * MINUTE_MS);
    assert_true(slot_next(&schedule, 6 + 20 * MINUTE_MS, &ms));
    assert_int_equal(ms, 7 + 20 * MINUTE_MS);
    assert_true(slot_next(&schedule, 7 + 20 * MINUTE_MS, &ms));
    assert_int_equal(ms, 7 + 40 * MINUTE_MS);
    assert_true(slot_next(&schedule, 0, &ms)); /* Before the anchor: the clock went back. */
    assert_int_equal(ms, 7 + 20 * MINUTE_MS);
    assert_false(slot_newest(&schedule, 0, 6 + 20 * MINUTE_MS, &ms));
    assert_true(slot_newest(&schedule, 7, 7 + 20 * MINUTE_MS, &ms));
    assert_int_equal(ms, 7 + 20 * MINUTE_MS);
    assert_true(slot_newest(&schedule, 7 + 20 * MINUTE_MS, 8 + 100 * MINUTE_MS, &ms));
    assert_int_equal(ms, 7 + 100 * MINUTE_MS);
    assert_false(slot_newest(&schedule, 7 + 100 * MINUTE_MS, 8 + 100 * MINUTE_MS, &ms));
    assert_false(slot_newest(&schedule, 9 + 100 * MINUTE_MS, 8 + 100 * MINUTE_MS, &ms));
}

static void no_slot_lies_behind_the_end_of_the_clock(void **state)
{
    struct schedule schedule = { .interval_ms = DAY_MS, .anchor_ms = CLOCK_MS_MAX - DAY_MS };
    struct arena arena;
    int64_t ms;
    (void)state;
    assert_true(slot_next(&schedule, 0, &ms));
    assert_int_equal(ms, CLOCK_MS_MAX);
    assert_false(slot_next(&schedule, ms, &ms));
    schedule.interval_ms = INT64_MAX;
    assert_false(slot_next(&schedule, 0, &ms));
    arena_init(&arena, 0);
    schedule = schedule_of("0 0 1 1 *", zoneinfo_zone("America/New_York", &arena));
    assert_true(slot_next(&schedule, ms_of("9998-06-01T00:00:00Z"), &ms));
    assert_int_equal(ms, ms_of("9999-01-01T05:00:00Z"));
    assert_false(slot_next(&schedule, ms, &ms));
    assert_false(slot_next(&schedule, INT64_MAX, &ms));
    assert_true(slot_newest(&schedule, 0, INT64_MAX, &ms));
    assert_int_equal(ms, ms_of("9999-01-01T05:00:00Z"));
    assert_true(slot_next(&schedule, INT64_MIN, &ms));
    assert_int_equal(ms, ms_of("1970-01-01T05:00:00Z"));
    schedule = schedule_of("0 * 29 2 *", schedule.zone);
    assert_true(slot_next(&schedule, ms_of("2096-03-02T00:00:00Z"), &ms));
    assert_int_equal(ms, ms_of("2104-02-29T05:00:00Z"));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_changes_follow_the_two_rules),
        cmocka_unit_test(slots_are_those_of_a_model_minute_by_minute),
        cmocka_unit_test(intervals_count_from_their_anchor),
        cmocka_unit_test(no_slot_lies_behind_the_end_of_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
