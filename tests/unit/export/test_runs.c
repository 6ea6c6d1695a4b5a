/* Notes of turns and the table of runs: what is kept while a collector is away, what is dropped, and in what
 * order runs are exported then. */
#include "export/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct sampling everything = { .part = 1 };

static struct runs runs;

static void open_runs(size_t max) { runs_init(&runs, max, &everything); }

static bool note(uint64_t instance, uint32_t revision)
{
    const struct advance advance = { .instance = instance, .revision = revision };
    return runs_note(&runs, &advance);
}

/* The runs that are exported now, oldest first, must be these. */
static void check_taken(uint64_t first, uint64_t count, uint32_t last)
{
    for (uint64_t i = 0; i < count; i++) {
        struct run_noted *noted = runs_take(&runs, 0);
        assert_non_null(noted);
        assert_true(noted->instance == first + i);
        assert_int_equal(noted->last, last);
        free(noted);
    }
}

/* The hour is one of notes: nothing here looks at a clock. */
static void an_hour_without_a_collector_loses_nothing_that_fits(void **state)
{
    enum { SECONDS = 3600, RUNS_A_SECOND = 18, ROOM = 65536 };
    size_t dropped = 0;
    (void)state;
    open_runs(ROOM);
    for (uint64_t second = 0; second < SECONDS; second++) {
        for (uint64_t i = 0; i < RUNS_A_SECOND; i++) assert_true(note(1 + second * RUNS_A_SECOND + i, 1));
        dropped += runs_gather(&runs);
    }
    assert_int_equal(dropped, 0);
    check_taken(1, (uint64_t)SECONDS * RUNS_A_SECOND, 1);
    assert_null(runs_take(&runs, 0));
    runs_done(&runs);
}

static void what_does_not_fit_is_dropped_and_counted_and_the_rest_goes_on(void **state)
{
    enum { SECONDS = 3600, RUNS_A_SECOND = 20, ROOM = 65536 };
    size_t dropped = 0;
    (void)state;
    open_runs(ROOM);
    for (uint64_t second = 0; second < SECONDS; second++) {
        for (uint64_t i = 0; i < RUNS_A_SECOND; i++) assert_true(note(1 + second * RUNS_A_SECOND + i, 1));
        dropped += runs_gather(&runs);
    }
    assert_int_equal(dropped, SECONDS * RUNS_A_SECOND - ROOM);
    assert_int_equal(runs.noted_count, ROOM);
    /* The collector is back. What was kept is exported, and so is what happens from now on. */
    check_taken(1, ROOM, 1);
    assert_true(note(1000000, 1));
    assert_int_equal(runs_gather(&runs), 0);
    check_taken(1000000, 1, 1);
    runs_done(&runs);
}

/* 10,000 commands a second, and nobody gathers: the turn that notes hears at once that there is no room. */
static void a_full_ring_refuses_and_forgets_nothing_that_it_has(void **state)
{
    enum { ROOM = 1000, NOTES = 10000 };
    size_t refused = 0;
    (void)state;
    open_runs(ROOM);
    for (uint64_t i = 1; i <= NOTES; i++) refused += !note(i, 1);
    assert_int_equal(refused, NOTES - ROOM);
    assert_int_equal(runs_gather(&runs), 0);
    check_taken(1, ROOM, 1);
    runs_done(&runs);
}

static void a_busy_run_takes_no_more_room_than_another(void **state)
{
    enum { COMMANDS = 1000000, ROOM = 64 };
    size_t dropped = 0;
    (void)state;
    open_runs(ROOM);
    for (uint32_t revision = 1; revision <= COMMANDS; revision++) {
        assert_true(note(1 + revision % 2, 1 + (revision - 1) / 2));
        if (revision % 50 == 0) dropped += runs_gather(&runs);
    }
    dropped += runs_gather(&runs);
    assert_int_equal(dropped, 0);
    assert_int_equal(runs.noted_count, 2);
    runs_done(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_without_a_collector_loses_nothing_that_fits),
        cmocka_unit_test(what_does_not_fit_is_dropped_and_counted_and_the_rest_goes_on),
        cmocka_unit_test(a_full_ring_refuses_and_forgets_nothing_that_it_has),
        cmocka_unit_test(a_busy_run_takes_no_more_room_than_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
