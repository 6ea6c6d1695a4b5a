/* Timers of a shared store that nobody has fired in time: all of ours are found, whatever lies before them.
 */
#include "driver.h"

#include "runtime/limits.h"
#include "runtime/memory/timers.h"
#include "store/store_int.h"

enum { LATE_MAX = 25000, SCAN_MS = 200, AGAIN_MS = 10000 };

/* ---- a store that has timers only ---- */

static struct {
    struct store base;
    struct store_ops ops;
    struct timer_row row[LATE_MAX]; /* In their order. */
    size_t count, reads;
} late;

static bool is_behind(const struct timer_row *row, const struct timer_row *after)
{
    return row->due_ms != after->due_ms ? row->due_ms > after->due_ms : row->instance > after->instance;
}

static enum status read_late(struct store *store, const struct timer_row *after, int64_t until_ms,
                             struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    (void)store, (void)err;
    size_t count = 0;
    late.reads++;
    for (size_t i = 0; i < late.count && count < max && late.row[i].due_ms <= until_ms; i++)
        if (is_behind(&late.row[i], after)) ret_row[count++] = late.row[i];
    *ret_count = count;
    return ST_OK;
}

static void put_late(size_t count)
{
    for (size_t i = 0; i < count; i++, late.count++)
        late.row[late.count] =
            (struct timer_row){ .due_ms = 1000 + (int64_t)late.count, .instance = late.count + 1 };
}

static void remove_late(uint64_t instance)
{
    size_t i = 0;
    while (late.row[i].instance != instance) i++;
    memmove(&late.row[i], &late.row[i + 1], (--late.count - i) * sizeof late.row[0]);
}

static int setup(void **state)
{
    struct timers *timers = calloc(1, sizeof *timers);
    timers_init(timers);
    timers->shared = true;
    memset(&late, 0, sizeof late);
    late.ops.timers = read_late;
    late.base.ops = &late.ops;
    *state = timers;
    return 0;
}

static int teardown(void **state)
{
    timers_done(*state);
    free(*state);
    return 0;
}

/* One turn. Timers up to `stuck` cannot fire and are tried again later; the others are gone. Returns how many
 * have fired. */
static size_t turn(struct timers *timers, int64_t now_ms, uint64_t stuck)
{
    struct timer_row row[TIMERS_PER_TURN_MAX];
    size_t count = 0, fired = 0;
    struct error err;
    assert_int_equal(timers_load(timers, &late.base, now_ms, &err), ST_OK);
    while (count < COUNT(row) && timers_take_due(timers, now_ms, &row[count])) count++;
    for (size_t i = 0; i < count; i++) {
        if (row[i].instance <= stuck) timers_add_again(timers, &row[i], now_ms + AGAIN_MS);
        else remove_late(row[i].instance), fired++;
    }
    return fired;
}

/* Turns while there is something to do, each when it is due. Returns how many have fired until then. */
static size_t run_until(struct timers *timers, int64_t *now_ms, int64_t until_ms, uint64_t stuck)
{
    size_t fired = 0, turns = 0;
    while (*now_ms < until_ms) {
        fired += turn(timers, *now_ms, stuck);
        int64_t next_ms = timers_next_ms(timers);
        if (next_ms > *now_ms) *now_ms = next_ms;
        assert_true(++turns < 1000);
    }
    return fired;
}

static void a_late_timer_is_found_behind_many_that_cannot_fire(void **state)
{
    enum { STUCK = 5000 };
    struct timers *timers = *state;
    int64_t now_ms = 100000;
    put_late(STUCK + 1);
    assert_int_equal(run_until(timers, &now_ms, now_ms + 2000, STUCK), 1);
    put_late(1); /* They are all known by now. */
    assert_int_equal(run_until(timers, &now_ms, now_ms + 2000, STUCK), 1);
    assert_int_equal(late.count, STUCK);
}

/* With nothing new there is nothing to do before the next scan, which reads a bounded number of pages. */
static void timers_that_cannot_fire_keep_nobody_busy(void **state)
{
    enum { STUCK = 9000, PAGES_MAX = 8 };
    struct timers *timers = *state;
    int64_t now_ms = 100000;
    put_late(STUCK);
    run_until(timers, &now_ms, now_ms + 2000, STUCK);
    for (int i = 0; i < 20; i++) {
        late.reads = 0;
        turn(timers, now_ms, STUCK);
        assert_in_range(late.reads, 1, PAGES_MAX);
        assert_in_range(timers_next_ms(timers), now_ms + 1, now_ms + SCAN_MS);
        now_ms += SCAN_MS;
    }
}

static void a_late_timer_is_found_behind_many_of_other_nodes(void **state)
{
    enum { THEIRS = 3000 };
    struct timers *timers = *state;
    int64_t now_ms = 100000;
    timers->parts = 2 * THEIRS;
    timers->part = THEIRS + 1;
    put_late(THEIRS + 1);
    assert_int_equal(run_until(timers, &now_ms, now_ms + 1000, 0), 1);
    assert_int_equal(late.count, THEIRS);
}

static void more_than_memory_may_hold_are_fired_in_the_end(void **state)
{
    struct timers *timers = *state;
    int64_t now_ms = 100000;
    put_late(LATE_MAX);
    size_t fired = 0;
    for (int i = 0; i < 1000 && late.count; i++) {
        fired += turn(timers, now_ms, 0);
        assert_true(timers->count <= TIMER_WINDOW_ROWS_MAX);
        now_ms = timers_next_ms(timers) > now_ms ? timers_next_ms(timers) : now_ms;
    }
    assert_int_equal(fired, LATE_MAX);
    assert_in_range(now_ms, 100000, 100000 + 2 * SCAN_MS);
}

/* A node that sets very many, too, fires those that others have left behind. */
static void a_late_timer_is_found_beside_very_many_that_are_due_soon(void **state)
{
    struct timers *timers = *state;
    int64_t now_ms = 100000;
    turn(timers, now_ms, 0);
    for (uint64_t i = 0; i < 2 * TIMER_WINDOW_ROWS_MAX; i++)
        timers_add(timers, &(struct timer_row){ .due_ms = now_ms + 50000, .instance = LATE_MAX + i });
    put_late(1);
    assert_int_equal(run_until(timers, &now_ms, now_ms + 2000, 0), 1);
}

int main(void)
{
#define TIMERS_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TIMERS_TEST(a_late_timer_is_found_behind_many_that_cannot_fire),
        TIMERS_TEST(timers_that_cannot_fire_keep_nobody_busy),
        TIMERS_TEST(a_late_timer_is_found_behind_many_of_other_nodes),
        TIMERS_TEST(a_late_timer_is_found_beside_very_many_that_are_due_soon),
        TIMERS_TEST(more_than_memory_may_hold_are_fired_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
