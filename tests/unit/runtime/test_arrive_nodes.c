/* Two engines on one store: arrivals at both of them. */
#include "pair_driver.h"

#include "arrive_driver.h"

static size_t count_recorded(struct driver *driver)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_ARRIVAL, .max = 10000 };
    struct record_row *row;
    struct error err;
    size_t count;
    assert_int_equal(store_records(driver->store, &filter, &driver->arena, &row, &count, &err), ST_OK);
    return count;
}

/* More come between two rounds of retention than one turn removes. */
static void only_the_newest_records_of_both_are_kept(void **state)
{
    enum { KEPT = 5, ARRIVALS = 3 * PURGED_PER_TURN_MAX };
    struct pair *pair = *state;
    while (pair->count) leave(pair);
    for (size_t i = 0; i < COUNT(pair->node); i++) {
        pair->node[i].limits.arrivals_kept_max = KEPT;
        join(pair);
    }
    advance(pair, 400);
    deploy(&pair->node[0], "orders");
    advance(pair, 400);
    for (int i = 0; i < ARRIVALS; i++) post(&pair->node[i % 2], "/orders", "{\"id\":\"A\"}");
    assert_int_equal(count_recorded(&pair->node[0]), ARRIVALS);
    advance(pair, 40000);
    assert_int_equal(count_recorded(&pair->node[0]), KEPT);
    for (int i = 0; i < ARRIVALS; i++) post(&pair->node[i % 2], "/orders", "{\"id\":\"A\"}");
    advance(pair, 40000);
    assert_int_equal(count_recorded(&pair->node[0]), KEPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_newest_records_of_both_are_kept, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
