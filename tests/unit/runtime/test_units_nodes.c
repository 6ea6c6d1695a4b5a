/* Units on a store that several nodes share. */
#include "entity_driver.h"
#include "pair_driver.h"

/* The row of the only job of an entity. */
static enum status find_row(struct driver *d, struct uuid id, uint32_t number, struct job_row *ret)
{
    struct error err;
    return store_find_job(d->store, id_of(id).instance, number, &d->arena, ret, &err);
}

/* The node has claimed the task before the unit begins. It is given out once more, and then its row is gone.
 */
static void a_claimed_task_outlives_a_unit_that_is_dropped(void **state)
{
    struct pair *pair = *state;
    struct driver *d = &pair->node[0];
    struct job_row row;
    advance(pair, 400);
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                 "OTHER", "C", SYNC("q")) "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *go = update_call(d, id, "GO", NULL), *other = update_call(d, id, "OTHER", NULL);
    driver_submit(d, go);
    struct job_view p = polled(d);
    assert_int_equal(find_row(d, id, p.number, &row), ST_OK);
    assert_int_equal(row.claimed, store_node(d->store));
    driver_submit(d, other);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_true(driver_answered(d, other));
    struct job_view again = polled(d);
    assert_int_equal(again.number, p.number);
    assert_int_equal(compute(d, again, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_true(driver_answered(d, go));
    assert_string_equal(stored(d, id), "B {\"n\":2}");
    assert_int_equal(find_row(d, id, p.number, &row), ST_NOT_FOUND);
}

/* The task waits for a calculation node of any node; the one that dropped the unit does not take it. */
static void an_offered_task_outlives_a_unit_that_is_dropped(void **state)
{
    struct pair *pair = *state;
    struct driver *d = &pair->node[0];
    advance(pair, 400);
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                 "OTHER", "C", SYNC("q")) "]},\"B\":{},\"C\":{}"));
    advance(pair, 400);
    struct uuid id = created(d, "{\"n\":1}");
    struct call *go = update_call(d, id, "GO", NULL), *other = update_call(d, id, "OTHER", NULL);
    driver_submit(d, go);
    driver_submit(d, other);
    struct job_view q = polled(d);
    assert_true(str_equal(q.type, STR("q")));
    assert_int_equal(compute_fails(d, q), ST_OK);
    assert_true(driver_answered(d, other));
    assert_int_equal(d->engine.jobs.by_id.count, 0);
    struct job_view p = polled(&pair->node[1]);
    assert_true(str_equal(p.type, STR("p")));
    assert_int_equal(compute(&pair->node[1], p, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_string_equal(stored(&pair->node[1], id), "B {\"n\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_claimed_task_outlives_a_unit_that_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(an_offered_task_outlives_a_unit_that_is_dropped, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
