/* Two engines on one store: when one of them takes the other for dead. */
#include "pair_driver.h"

#include "store/store_int.h"

static uint64_t fenced(const struct driver *driver) { return metric_get(&driver->metrics.nodes_fenced); }

/* The other one has no heartbeats from now on. Turns of the first node: a long one, and some that heartbeat
 * in time. */
static int64_t time_until_fenced(struct driver *driver, int64_t long_ms, int heartbeats_between)
{
    int64_t began_ms = driver->now_ms;
    while (!fenced(driver) && driver->now_ms - began_ms < 60000) {
        driver_advance(driver, long_ms);
        for (int i = 0; i < heartbeats_between && !fenced(driver); i++) driver_advance(driver, HEARTBEAT_MS);
    }
    return driver->now_ms - began_ms;
}

static void a_dead_node_is_fenced_by_one_that_has_long_turns(void **state)
{
    static const struct {
        int64_t long_ms;
        int heartbeats_between;
        int64_t most_ms;
    } cases[] = {
        { HEARTBEAT_MS, 0, 1800 }, { 600, 0, 2500 },   { 600, 1, 2500 },
        { 600, 4, 2500 },          { 1400, 0, 6000 },  { 1400, 2, 3500 },
        { 2000, 0, 26000 },        { 2000, 1, 20000 }, /* It stands still all the time. */
        { 2000, 4, 6000 },
    };
    struct pair *pair = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        advance(pair, 1000);
        metric_set(&pair->node[0].metrics.nodes_fenced, 0);
        assert_in_range(time_until_fenced(&pair->node[0], cases[i].long_ms, cases[i].heartbeats_between),
                        1400, cases[i].most_ms);
        pair->node[1].now_ms = pair->node[0].now_ms;
    }
}

/* Both stood still. Whoever wakes first must not take the other for dead before that one had its time. */
static void a_node_that_stood_still_fences_nobody_at_once(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    advance(pair, 400);
    driver_advance(first, HEARTBEAT_MS); /* So that it knows the last heartbeat of the other one. */
    first->now_ms += 10000;
    second->now_ms += 10000;
    driver_turn(first);
    for (int i = 0; i < 2; i++) driver_advance(first, HEARTBEAT_MS);
    for (int i = 0; i < 20; i++) driver_advance(first, 5); /* Looks in between do not count. */
    assert_int_equal(fenced(first), 0);
    second->now_ms = first->now_ms;
    driver_turn(second);
    advance(pair, 3000);
    assert_int_equal(fenced(first) + fenced(second), 0);
    driver_advance(first, HEARTBEAT_MS);
    first->now_ms += 10000;
    for (int i = 0; i < 4; i++) driver_advance(first, HEARTBEAT_MS); /* The other one does not wake up. */
    assert_int_equal(fenced(first), 1);
}

static uint64_t heartbeats(struct driver *driver) { return metric_get(&driver->metrics.heartbeats); }

static void a_node_whose_clock_is_set_back_goes_on_beating(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0];
    advance(pair, 400);
    uint64_t before = heartbeats(first);
    first->now_ms -= 3600000;
    driver_turn(first);
    assert_int_equal(heartbeats(first), before + 1);
    driver_advance(first, HEARTBEAT_MS / 2); /* Not more often than before. */
    assert_int_equal(heartbeats(first), before + 1);
    advance(pair, 3000);
    assert_int_equal(fenced(first) + fenced(&pair->node[1]), 0);
}

static enum status refuse_heartbeat(struct store *store, struct node_row ret_row[NODES_MAX],
                                    size_t *ret_count, int64_t *ret_generation, struct error *err)
{
    (void)store, (void)ret_row, (void)ret_count, (void)ret_generation;
    return (fail)(err, ST_STORE, "store", "the database cannot be reached");
}

/* The database is away, for that long and for both of them. */
static void cut_off(struct pair *pair, int64_t ms)
{
    struct node_ops away[2];
    const struct node_ops *real[2];
    for (size_t i = 0; i < 2; i++) {
        real[i] = pair->node[i].store->nodes;
        away[i] = *real[i];
        away[i].heartbeat = refuse_heartbeat;
        pair->node[i].store->nodes = &away[i];
    }
    advance(pair, ms);
    for (size_t i = 0; i < 2; i++) pair->node[i].store->nodes = real[i];
}

/* Each connects again in its own time: one that was refused waits for a second. */
static void a_node_that_finds_the_database_later_is_not_fenced(void **state)
{
    static const int64_t away_ms[] = { 400, 1200, 5000 };
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    for (size_t i = 0; i < COUNT(away_ms); i++) {
        advance(pair, 1000);
        cut_off(pair, away_ms[i]);
        for (int k = 0; k < 12; k++) driver_advance(first, HEARTBEAT_MS);
        assert_int_equal(fenced(first), 0);
        second->now_ms = first->now_ms;
        advance(pair, 5000);
        assert_int_equal(fenced(first) + fenced(second), 0);
    }
    cut_off(pair, 5000); /* It does not come back. */
    assert_in_range(time_until_fenced(first, HEARTBEAT_MS, 0), 2500, 3500);
}

/* It is not spared for ever, though the heartbeats of the first one fail now and then. */
static void a_dead_node_is_fenced_however_often_the_database_goes_away(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0];
    int64_t began_ms = first->now_ms;
    advance(pair, 1000);
    while (!fenced(first) && first->now_ms - began_ms < 30000) {
        cut_off(pair, HEARTBEAT_MS);
        pair->node[1].now_ms = began_ms; /* It has no turns. */
        for (int i = 0; i < 3; i++) driver_advance(first, HEARTBEAT_MS);
    }
    assert_in_range(first->now_ms - began_ms, 2000, 8000);
}

int main(void)
{
#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_dead_node_is_fenced_by_one_that_has_long_turns),
        PAIR_TEST(a_node_that_stood_still_fences_nobody_at_once),
        PAIR_TEST(a_node_whose_clock_is_set_back_goes_on_beating),
        PAIR_TEST(a_node_that_finds_the_database_later_is_not_fenced),
        PAIR_TEST(a_dead_node_is_fenced_however_often_the_database_goes_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
