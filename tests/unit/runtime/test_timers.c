/* Timers of a shared store that nobody has fired in time: all of ours are found, whatever lies before them.
 * Tenants take turns, whoever has how many. */
#include "driver.h"

#include "runtime/limits.h"
#include "runtime/memory/timers.h"
#include "store/store_int.h"

enum { LATE_MAX = 25000, MANY = 100000, SCAN_MS = 200, AGAIN_MS = 10000 };

/* ---- a store that has timers only ---- */

static struct {
    struct store base;
    struct store_ops ops;
    struct timer_row row[MANY + 1]; /* In their order. */
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

/* ---- tenants ---- */

enum { MUCH = 2, LITTLE = 3 };

static void put_of(int32_t ns, size_t count, int64_t due_ms)
{
    for (size_t i = 0; i < count; i++, late.count++)
        late.row[late.count] = (struct timer_row){ .due_ms = due_ms, .instance = late.count + 1, .ns = ns };
}

/* One turn. Returns how many timers it takes, and counts those of the tenant. */
static size_t take(struct timers *timers, int64_t now_ms, int32_t ns, size_t *ret_of)
{
    struct timer_row row;
    struct error err;
    size_t count = 0;
    assert_int_equal(timers_load(timers, &late.base, now_ms, &err), ST_OK);
    assert_true(timers->count <= TIMER_WINDOW_ROWS_MAX);
    while (count < TIMERS_PER_TURN_MAX && timers_take_due(timers, now_ms, &row)) {
        *ret_of += row.ns == ns;
        count++;
    }
    return count;
}

/* A turn reads a page of them, and the other tenant's timer is behind the last page. */
static void very_many_of_a_tenant_do_not_delay_one_of_another(void **state)
{
    struct timers *timers = *state;
    size_t turns = 0, taken = 0, of_little = 0;
    timers->shared = false;
    put_of(MUCH, MANY, 1000);
    put_of(LITTLE, 1, 1001);
    for (; !of_little; turns++) taken += take(timers, 100000, LITTLE, &of_little);
    assert_true(turns <= MANY / TIMER_WINDOW_ROWS_MAX + 2);
    for (; taken < late.count; turns++) taken += take(timers, 100000, LITTLE, &of_little);
    assert_int_equal(taken, late.count); /* Each once, and none is forgotten. */
    assert_int_equal(take(timers, 100000, LITTLE, &of_little), 0);
    assert_int_equal(of_little, 1);
    assert_true(turns <= MANY / TIMERS_PER_TURN_MAX + 20);
    assert_true(timers_next_ms(timers) > 100000);
}

/* On a shared store, too. There a row stays until its timer has fired, so all of them are taken once. */
static void very_many_of_a_tenant_do_not_hide_one_of_another_from_a_scan(void **state)
{
    struct timers *timers = *state;
    size_t turns = 0, of_little = 0;
    put_of(MUCH, LATE_MAX, 1000);
    put_of(LITTLE, 1, 1001);
    for (int64_t now_ms = 100000; !of_little; now_ms += SCAN_MS, turns++)
        take(timers, now_ms, LITTLE, &of_little);
    assert_true(turns <= LATE_MAX / TIMERS_PER_TURN_MAX / 8 + 4); /* A scan reads eight pages. */
}

static void tenants_take_turns_and_their_urgent_timers_come_first(void **state)
{
    struct timers *timers = *state;
    const struct timer_row want[] = {
        { 5, 3, 0, 9, MUCH },    { 4, 11, 0, 0, LITTLE }, { 1, 1, 0, 0, MUCH },
        { 4, 12, 0, 0, LITTLE }, { 2, 2, 0, 0, MUCH },    { 3, 4, 0, 0, MUCH }
    };
    static const size_t order[] = { 2, 4, 0, 5, 1, 3 };
    struct timer_row got;
    timers->shared = false;
    timers->bound.due_ms = 1000;
    for (size_t i = 0; i < COUNT(order); i++) timers_add(timers, &want[order[i]]);
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(timers_take_due(timers, 100, &got));
        assert_int_equal(got.instance, want[i].instance);
    }
    assert_false(timers_take_due(timers, 100, &got));
    assert_int_equal(timers->tenants.count, 0);
}

/* A timer that is set while its tenant is behind is loaded with the others, and only once. */
static void a_tenant_that_is_behind_catches_up(void **state)
{
    struct timers *timers = *state;
    size_t taken = 0, of_little = 0;
    struct error err;
    timers->shared = false;
    put_of(MUCH, TIMER_WINDOW_ROWS_MAX, 1000);
    assert_int_equal(timers_load(timers, &late.base, 500, &err), ST_OK);
    assert_int_equal(timers->behind_count, 1);
    put_of(MUCH, 1, 2000);
    timers_add(timers, &late.row[late.count - 1]);
    put_of(LITTLE, 1, 2000);
    timers_add(timers, &late.row[late.count - 1]);
    for (int turns = 0; turns < 40; turns++) taken += take(timers, 3000, LITTLE, &of_little);
    assert_int_equal(taken, late.count);
    assert_int_equal(of_little, 1);
    assert_int_equal(timers->behind_count + timers->tenants.count, 0);
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
        TIMERS_TEST(very_many_of_a_tenant_do_not_delay_one_of_another),
        TIMERS_TEST(very_many_of_a_tenant_do_not_hide_one_of_another_from_a_scan),
        TIMERS_TEST(tenants_take_turns_and_their_urgent_timers_come_first),
        TIMERS_TEST(a_tenant_that_is_behind_catches_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
