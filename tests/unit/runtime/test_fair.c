/* Tenants take turns: one that floods the engine does not make another wait. Counted in calls and turns. */
#include "driver.h"
#include "runtime/memory/memory.h"

enum { FLOOD = 2, OTHER = 3 };

static void a_call_behind_a_hundred_thousand_is_the_second(void **state)
{
    enum { MANY = 100000 };
    (void)state;
    struct call *flood = calloc(MANY, sizeof *flood), other = { .ns = OTHER };
    struct fair_calls fair;
    fair_init(&fair, 1);
    for (size_t i = 0; i < MANY; i++) {
        flood[i].ns = FLOOD;
        fair_add(&fair, &flood[i]);
    }
    fair_add(&fair, &other);
    assert_ptr_equal(fair_take(&fair), &flood[0]);
    fair_charge(&fair, 1);
    assert_ptr_equal(fair_take(&fair), &other);
    fair_charge(&fair, 1);
    for (size_t i = 1; i < MANY; i++) { /* Those of one tenant keep their order. */
        assert_ptr_equal(fair_take(&fair), &flood[i]);
        fair_charge(&fair, 1);
    }
    assert_null(fair_take(&fair));
    fair_done(&fair);
    free(flood);
}

static void tenants_share_by_cost(void **state)
{
    enum { CALLS = 1000, DEAR = 700, CHEAP = 10 };
    (void)state;
    struct call dear[CALLS] = { 0 }, cheap[CALLS] = { 0 };
    int64_t spent[2] = { 0 };
    struct fair_calls fair;
    fair_init(&fair, 100);
    for (size_t i = 0; i < CALLS; i++) dear[i].ns = FLOOD, cheap[i].ns = OTHER;
    for (size_t i = 0; i < CALLS; i++) fair_add(&fair, &dear[i]);
    for (size_t i = 0; i < CALLS; i++) fair_add(&fair, &cheap[i]);
    for (const struct call *call; spent[1] < CALLS / 2 * CHEAP && (call = fair_take(&fair)) != NULL;) {
        bool is_cheap = call->ns == OTHER;
        spent[is_cheap] += is_cheap ? CHEAP : DEAR;
        fair_charge(&fair, is_cheap ? CHEAP : DEAR);
    }
    assert_true(spent[0] <= spent[1] + 2 * DEAR);
    struct call_list rest = { 0 };
    fair_empty(&fair, &rest);
    assert_int_equal(fair.count, 0);
    fair_done(&fair);
}

/* Very many expensive definitions are no more than one, if they are of one tenant; nor is a high priority. */
static void shares_of_one_tenant_delay_another_one_once(void **state)
{
    enum { MANY = 1000 };
    (void)state;
    struct call flood[MANY] = { 0 }, other = { .ns = OTHER };
    struct shares shares;
    shares_init(&shares);
    for (size_t i = 0; i < MANY; i++) {
        flood[i].ns = FLOOD;
        shares_add(&shares, (struct share_place){ i, 10 }, &flood[i]);
    }
    shares_add(&shares, (struct share_place){ MANY, 0 }, &other);
    assert_ptr_equal(shares_take(&shares), &flood[0]);
    shares_charge(&shares, SHARE_QUANTUM);
    assert_ptr_equal(shares_take(&shares), &other);
    shares_charge(&shares, 1);
    for (size_t i = 1; i < MANY; i++) assert_ptr_equal(shares_take(&shares), &flood[i]);
    assert_null(shares_take(&shares));
    shares_done(&shares);
}

/* The engine's own performers work for all tenants. */
static void jobs_of_one_tenant_delay_another_one_once(void **state)
{
    enum { MANY = 1000 };
    struct deadlines deadlines = { 0 };
    struct jobs jobs;
    const str queue = performer_queue(PERFORM_HTTP, STR_NONE);
    (void)state;
    jobs_init(&jobs, &deadlines);
    for (uint32_t i = 1; i <= MANY; i++)
        jobs_add(&jobs, FLOOD, i, &(struct job){ .number = 1, .performer = PERFORM_HTTP }, 9, 0);
    jobs_add(&jobs, OTHER, MANY + 1, &(struct job){ .number = 1, .performer = PERFORM_HTTP }, 0, 0);
    size_t place = 0;
    for (struct open_job *job; (job = jobs_best(&jobs, &queue, 1))->instance != MANY + 1; place++)
        jobs_lease(&jobs, job, STR("pawl"), 0, 1000);
    assert_int_equal(place, 1);
    lanes_limit(&jobs, FLOOD, 1); /* With as many in flight as there may be, only the other one goes on. */
    assert_int_equal(jobs_best(&jobs, &queue, 1)->instance, MANY + 1);
    jobs_remove(&jobs, MANY + 1, 1);
    assert_null(jobs_best(&jobs, &queue, 1));
    jobs_remove(&jobs, 1, 1);
    assert_int_equal(jobs_best(&jobs, &queue, 1)->instance, 2);
    jobs_done(&jobs);
    deadlines_done(&deadlines);
}

/* ---- the engine ---- */

static void add_starts(struct driver *driver, struct call_list *list, int32_t ns, size_t count)
{
    driver->ns = ns;
    for (size_t i = 0; i < count; i++) call_list_add(list, driver_start(driver, "worker", "{}"));
}

/* How many turns it takes until all calls of OTHER are answered. */
static size_t turns_of_other(struct driver *driver, struct call_list *list, size_t count)
{
    size_t turns = 0;
    for (size_t answered = 0; answered < count; turns++) {
        engine_turn(&driver->engine, list);
        for (struct call *call; (call = call_list_take(&driver->engine.answered)) != NULL;)
            answered += call->ns == OTHER;
        assert_true(turns < 1000);
    }
    return turns;
}

static void a_flood_makes_another_tenant_wait_at_most_twice_as_long(void **state)
{
    enum { CALLS = 40 };
    struct driver *driver = *state;
    for (int32_t ns = FLOOD; ns <= OTHER; ns++) {
        driver->ns = ns;
        driver_deploy(driver, document("runtime/engine", "worker"));
        driver_started(driver, "worker", "{}"); /* Its cost is known from here on. */
    }
    driver->engine.limits.turn_fuel_max = 5000; /* So that there are many turns. */
    struct call_list list = { 0 };
    add_starts(driver, &list, OTHER, CALLS);
    size_t alone = turns_of_other(driver, &list, CALLS);
    add_starts(driver, &list, FLOOD, 5000);
    add_starts(driver, &list, OTHER, CALLS);
    size_t flooded = turns_of_other(driver, &list, CALLS);
    assert_true(alone > 3);
    assert_true(flooded <= 2 * alone + 1);
    driver->engine.limits.turn_fuel_max = 2000000;
    while (driver->engine.work.writers.count) {
        engine_turn(&driver->engine, &list);
        while (call_list_take(&driver->engine.answered)) continue;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_behind_a_hundred_thousand_is_the_second),
        cmocka_unit_test(tenants_share_by_cost),
        cmocka_unit_test(shares_of_one_tenant_delay_another_one_once),
        cmocka_unit_test(jobs_of_one_tenant_delay_another_one_once),
        cmocka_unit_test_setup_teardown(a_flood_makes_another_tenant_wait_at_most_twice_as_long, driver_setup,
                                        driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
