#define _GNU_SOURCE
#include "zoneinfo.h"

#include "base/datetime.h"
#include "schedule/limits.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400 };

static int64_t second_of(const char *text)
{
    int64_t ms;
    assert_true(datetime_parse(str_of(text), &ms));
    return ms / 1000;
}

/* ---- against the C library ---- */

static size_t zone_count;

static void compare_at(const char *name, const struct zone *zone, int64_t moment_s)
{
    int32_t want_s = zoneinfo_offset_s(moment_s);
    struct zone_span span = zone_span_at(zone, moment_s);
    if (span.offset_s != want_s)
        fail_msg("%s at %ld: %d, not %d", name, (long)moment_s, span.offset_s, want_s);
    assert_true(span.from_s <= moment_s && moment_s < span.to_s);
}

/* Days and hours of every year, and both sides of every change. */
static int compare_zone(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat, (void)ftw;
    const char *name = path + strlen(ZONEINFO);
    if (type != FTW_F || strncmp(name, "right/", 6) == 0 || strncmp(name, "posix/", 6) == 0) return 0;
    struct arena arena;
    arena_init(&arena, 0);
    str bytes = zoneinfo_bytes(path, &arena);
    const struct zone *zone = NULL;
    if (str_starts(bytes, STR("TZif"))) {
        assert_int_equal(zone_decode(bytes, &arena, &zone, NULL), ST_OK);
        zoneinfo_use(name);
        for (int64_t s = 0; s < INT64_C(4102444800); s += 11 * DAY_S + 3607) compare_at(name, zone, s);
        for (int64_t s = INT64_C(32503680000); s < INT64_C(32603680000); s += 9 * DAY_S + 3607)
            compare_at(name, zone, s); /* The year 3000. */
        int64_t s = 0;
        for (size_t i = 0; i < 400; i++) {
            s = zone_span_at(zone, s).to_s;
            if (s > INT64_C(7258118400)) break;
            compare_at(name, zone, s - 1);
            compare_at(name, zone, s);
        }
        zone_count++;
    }
    arena_done(&arena);
    return 0;
}

static void offsets_are_those_of_the_c_library_in_every_zone(void **state)
{
    (void)state;
    assert_int_equal(nftw(ZONEINFO, compare_zone, 20, FTW_PHYS), 0);
    assert_true(zone_count > 300);
}

/* ---- local times ---- */

static const struct {
    const char *zone, *from, *to;
} weeks[] = {
    { "Europe/Berlin", "2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z" },
    { "Europe/Berlin", "2026-10-23T00:00:00Z", "2026-10-27T00:00:00Z" },
    { "America/New_York", "2026-03-06T00:00:00Z", "2026-03-10T00:00:00Z" },
    { "America/New_York", "2045-11-03T00:00:00Z", "2045-11-07T00:00:00Z" },    /* By the rule. */
    { "Australia/Lord_Howe", "2026-04-03T00:00:00Z", "2026-04-07T00:00:00Z" }, /* Half an hour. */
    { "Australia/Lord_Howe", "2026-10-02T00:00:00Z", "2026-10-06T00:00:00Z" },
    { "Pacific/Apia", "2011-12-27T00:00:00Z", "2012-01-03T00:00:00Z" },     /* 30 December is left out. */
    { "Antarctica/Troll", "2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z" }, /* Two hours. */
    { "Antarctica/Troll", "2026-10-23T00:00:00Z", "2026-10-27T00:00:00Z" },
    { "Africa/Casablanca", "2026-02-13T00:00:00Z", "2026-03-25T00:00:00Z" }, /* Ramadan. */
    { "America/Caracas", "2016-04-29T00:00:00Z", "2016-05-03T00:00:00Z" },   /* A new offset for ever. */
    { "Europe/Dublin", "2026-10-23T00:00:00Z",
      "2026-10-27T00:00:00Z" }, /* Winter time is the "daylight" one. */
};

enum { WEEK_MINUTES = 60 * 24 * 60 };

/* What clocks show at the minutes of a stretch of time, by the C library. */
struct shown {
    int64_t from_s;
    size_t count;
    int64_t local_s[WEEK_MINUTES];
};

/* The model walks through the moments, minute by minute. */
static void compare_local(const struct zone *zone, const struct shown *shown, int64_t local_s)
{
    size_t reached = SIZE_MAX, first = SIZE_MAX, last = SIZE_MAX;
    for (size_t i = 0; i < shown->count; i++) {
        if (shown->local_s[i] >= local_s && reached == SIZE_MAX) reached = i;
        if (shown->local_s[i] != local_s) continue;
        if (first == SIZE_MAX) first = i;
        last = i;
    }
    struct zone_moments moments = zone_moments(zone, local_s);
    assert_int_equal(moments.first_s, shown->from_s + (int64_t)reached * MINUTE_S);
    if (first == SIZE_MAX) {
        assert_int_equal(moments.fit, ZONE_GAP);
    } else {
        assert_int_equal(moments.fit, first == last ? ZONE_ONCE : ZONE_TWICE);
        assert_int_equal(moments.first_s, shown->from_s + (int64_t)first * MINUTE_S);
        assert_int_equal(moments.last_s, shown->from_s + (int64_t)last * MINUTE_S);
    }
}

static void compare_week(const struct zone *zone, const struct shown *shown)
{
    int64_t latest_s = INT64_MIN, to_s = shown->from_s + (int64_t)shown->count * MINUTE_S;
    int64_t step_s = shown->count > 10 * 24 * 60 ? 150 * MINUTE_S : 5 * MINUTE_S;
    for (int64_t s = shown->from_s + 25 * HOUR_S; s < to_s - 25 * HOUR_S; s += step_s)
        compare_local(zone, shown, s);
    for (size_t i = 1; i < shown->count; i++) {
        int64_t s = shown->from_s + (int64_t)i * MINUTE_S, before_s = shown->local_s[i - 1] + MINUTE_S - 1;
        if (latest_s < before_s) latest_s = before_s;
        if (latest_s < shown->local_s[i]) latest_s = shown->local_s[i];
        assert_int_equal(zone_latest_local(zone, s), latest_s);
    }
}

static void local_times_are_found_in_gaps_and_overlaps(void **state)
{
    static struct shown shown;
    (void)state;
    for (size_t i = 0; i < COUNT(weeks); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct zone *zone = zoneinfo_zone(weeks[i].zone, &arena);
        assert_non_null(zone);
        zoneinfo_use(weeks[i].zone);
        shown.from_s = second_of(weeks[i].from);
        shown.count = (size_t)(second_of(weeks[i].to) - shown.from_s) / MINUTE_S;
        for (size_t m = 0; m < shown.count; m++) {
            int64_t s = shown.from_s + (int64_t)m * MINUTE_S;
            shown.local_s[m] = s + zoneinfo_offset_s(s);
        }
        compare_week(zone, &shown);
        arena_done(&arena);
    }
}

/* ---- files ---- */

enum { FILE_BYTES = 1024 };

struct tzif {
    char bytes[FILE_BYTES];
    size_t n;
};

static void put(struct tzif *file, int64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- > 0;) file->bytes[file->n++] = (char)(uint64_t)(value >> (8 * i));
}

static void put_text(struct tzif *file, const char *text)
{
    memcpy(file->bytes + file->n, text, strlen(text));
    file->n += strlen(text);
}

static void put_block(struct tzif *file, char version, size_t time_bytes, size_t changes, const int64_t *at_s,
                      const int32_t offset_s[2], uint8_t last_kind, size_t leaps)
{
    put_text(file, "TZif");
    put(file, version, 1);
    for (int i = 0; i < 15; i++) put(file, 0, 1);
    put(file, 0, 4), put(file, 0, 4), put(file, (int64_t)leaps, 4);
    put(file, (int64_t)changes, 4), put(file, 2, 4), put(file, 4, 4);
    for (size_t i = 0; i < changes; i++) put(file, at_s[i], time_bytes);
    for (size_t i = 0; i < changes; i++) put(file, i + 1 == changes ? last_kind : 1, 1);
    for (size_t i = 0; i < 2; i++) put(file, offset_s[i], 4), put(file, 0, 1), put(file, 0, 1);
    put_text(file, "LMT"), put(file, 0, 1);
    for (size_t i = 0; i < leaps; i++) put(file, 78796800, time_bytes), put(file, 1, 4);
}

static enum status decoded(const struct tzif *file, struct arena *arena, const struct zone **ret_zone,
                           struct error *err)
{
    return zone_decode((str){ file->bytes, file->n }, arena, ret_zone, err);
}

static void the_first_version_has_no_rule(void **state)
{
    static const int64_t at_s[] = { -1000, 5000 };
    static const int32_t offset_s[] = { 3208, -7200 };
    struct tzif file = { .n = 0 };
    struct arena arena;
    const struct zone *zone;
    (void)state;
    arena_init(&arena, 0);
    put_block(&file, 0, 4, 2, at_s, offset_s, 0, 0);
    assert_int_equal(decoded(&file, &arena, &zone, NULL), ST_OK);
    assert_int_equal(zone_offset_s(zone, -1001), 3208);
    assert_int_equal(zone_offset_s(zone, -1000), -7200);
    assert_int_equal(zone_offset_s(zone, 4999), -7200);
    assert_int_equal(zone_offset_s(zone, INT64_C(250000000000)), 3208); /* The last offset, for ever. */
    assert_true(zone_span_at(zone, 5000).to_s == INT64_MAX);
    arena_done(&arena);
}

static void second_file(struct tzif *file, const char *rule)
{
    static const int64_t at_s[] = { -(INT64_C(1) << 59), 5000 };
    static const int32_t offset_s[] = { 0, 3600 };
    *file = (struct tzif){ .n = 0 };
    put_block(file, '2', 4, 0, NULL, offset_s, 0, 0);
    put_block(file, '2', 8, 2, at_s, offset_s, 1, 0);
    put_text(file, rule);
}

static void rules_hold_for_ever(void **state)
{
    static const struct {
        const char *rule, *moment;
        int32_t offset_s;
    } cases[] = {
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2400-03-26T00:59:59Z", 3600 },
        { "\nCET-1CEST,M3.5.0,M10.5.0/3\n", "2400-03-26T01:00:00Z", 7200 },
        { "\n<+1030>-10:30<+11>-11,M10.1.0,M4.1.0\n", "2400-01-01T00:00:00Z", 39600 },
        { "\n<+1030>-10:30<+11>-11,M10.1.0,M4.1.0\n", "2400-07-01T00:00:00Z", 37800 },
        { "\n<-02>2<-01>,M3.5.0/-1,M10.5.0/0\n", "2401-03-24T23:59:59Z", -7200 }, /* The day before. */
        { "\n<-02>2<-01>,M3.5.0/-1,M10.5.0/0\n", "2401-03-25T01:00:00Z", -3600 },
        { "\nEST5EDT,0/0,J365/25\n", "2400-01-01T05:00:00Z", -14400 }, /* The whole year. */
        { "\nEST5EDT,0/0,J365/25\n", "2400-12-31T23:59:59Z", -14400 },
        { "\nABC0DEF,J60/0,J61/0\n", "2400-02-29T12:00:00Z", 0 }, /* J60 is 1 March in every year. */
        { "\nABC0DEF,J60/0,J61/0\n", "2400-03-01T12:00:00Z", 3600 },
        { "\nABC0DEF,59/0,60/0\n", "2400-02-29T12:00:00Z", 3600 }, /* 59 counts the leap day. */
        { "\nABC-1:30:15\n", "2400-02-29T12:00:00Z", 5415 },
        { "\n\n", "2400-02-29T12:00:00Z", 3600 }, /* No rule: the last offset. */
        { "\nIST-1GMT0,M10.5.0,M3.5.0/1\n", "2400-07-01T12:00:00Z", 3600 },
        { "\nIST-1GMT0,M10.5.0,M3.5.0/1\n", "2400-01-01T12:00:00Z", 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tzif file;
        struct arena arena;
        const struct zone *zone;
        struct error err = { 0 };
        arena_init(&arena, 0);
        second_file(&file, cases[i].rule);
        if (decoded(&file, &arena, &zone, &err) != ST_OK) fail_msg("%s: %s", cases[i].rule, err.message);
        if (zone_offset_s(zone, second_of(cases[i].moment)) != cases[i].offset_s)
            fail_msg("%s at %s: %d", cases[i].rule, cases[i].moment,
                     zone_offset_s(zone, second_of(cases[i].moment)));
        arena_done(&arena);
    }
}

static void malformed_rules_are_refused(void **state)
{
    static const char *const rules[] = {
        "",
        "CET-1\n",
        "\nCET-1",
        "\nCE-1\n",
        "\nCET\n",
        "\nCET-25\n",
        "\nCET-1:60\n",
        "\n<CET-1\n",
        "\n<>-1\n",
        "\nCET-1CEST\n", /* Which days? */
        "\nCET-1CEST,M3.5.0\n",
        "\nCET-1CEST,M13.5.0,M10.5.0\n",
        "\nCET-1CEST,M3.0.0,M10.5.0\n",
        "\nCET-1CEST,M3.6.0,M10.5.0\n",
        "\nCET-1CEST,M3.5.7,M10.5.0\n",
        "\nCET-1CEST,J0,J5\n",
        "\nCET-1CEST,366,5\n",
        "\nCET-1CEST,M3.5.0/168,M10.5.0\n",
        "\nCET-1CEST,M3.5.0,M10.5.0 \n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct tzif file;
        struct arena arena;
        const struct zone *zone = NULL;
        arena_init(&arena, 0);
        second_file(&file, rules[i]);
        if (decoded(&file, &arena, &zone, NULL) != ST_INVALID) fail_msg("accepted: %s", rules[i]);
        assert_null(zone);
        arena_done(&arena);
    }
}

static void files_that_break_a_rule_are_refused(void **state)
{
    static const int64_t ascending[] = { 1, 2 }, descending[] = { 2, 2 }, endless[] = { 1, INT64_MAX };
    static const int32_t usual[] = { 0, 3600 }, huge[] = { 0, ZONE_OFFSET_MAX + 1 };
    const struct {
        const char *says;
        const int64_t *at_s;
        const int32_t *offset_s;
        uint8_t kind;
        size_t leaps;
        char version;
    } cases[] = {
        { "not in order", descending, usual, 0, 0, '2' },
        { "outside of all time", endless, usual, 0, 0, '2' },
        { "longer than 26 hours", ascending, huge, 0, 0, '2' },
        { "leads to no offset", ascending, usual, 2, 0, '3' },
        { "leap seconds", ascending, usual, 0, 1, '4' },
        { "version", ascending, usual, 0, 0, '1' },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tzif file = { .n = 0 };
        struct arena arena;
        const struct zone *zone = NULL;
        struct error err = { 0 };
        arena_init(&arena, 0);
        put_block(&file, cases[i].version, 4, 0, NULL, usual, 0, 0);
        put_block(&file, cases[i].version, 8, 2, cases[i].at_s, cases[i].offset_s, cases[i].kind,
                  cases[i].leaps);
        put_text(&file, "\nUTC0\n");
        assert_int_equal(decoded(&file, &arena, &zone, &err), ST_INVALID);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s: %s", cases[i].says, err.message);
        arena_done(&arena);
    }
}

/* A file that ends anywhere, in a block of memory that ends there too. */
static void every_part_of_a_file_is_refused(void **state)
{
    struct tzif file;
    (void)state;
    second_file(&file, "\nCET-1CEST,M3.5.0,M10.5.0/3\n");
    for (size_t n = 0; n < file.n; n++) {
        struct arena arena;
        const struct zone *zone = NULL;
        char *bytes = malloc(n + 1);
        arena_init(&arena, 0);
        memcpy(bytes, file.bytes, n);
        assert_int_equal(zone_decode((str){ bytes, n }, &arena, &zone, NULL), ST_INVALID);
        arena_done(&arena);
        free(bytes);
    }
}

static void utc_needs_no_file(void **state)
{
    (void)state;
    assert_int_equal(zone_offset_s(zone_utc(), 0), 0);
    assert_int_equal(zone_offset_s(zone_utc(), INT64_C(253402300799)), 0);
    assert_int_equal(zone_moments(zone_utc(), 4711).first_s, 4711);
    assert_int_equal(zone_moments(zone_utc(), 4711).fit, ZONE_ONCE);
    assert_int_equal(zone_latest_local(zone_utc(), 4711), 4711);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_those_of_the_c_library_in_every_zone),
        cmocka_unit_test(local_times_are_found_in_gaps_and_overlaps),
        cmocka_unit_test(the_first_version_has_no_rule),
        cmocka_unit_test(rules_hold_for_ever),
        cmocka_unit_test(malformed_rules_are_refused),
        cmocka_unit_test(files_that_break_a_rule_are_refused),
        cmocka_unit_test(every_part_of_a_file_is_refused),
        cmocka_unit_test(utc_needs_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
