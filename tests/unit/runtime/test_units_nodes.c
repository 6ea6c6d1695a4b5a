/* Units on a store that several nodes share. */
#include "entity_driver.h"
#include "pair_driver.h"

#include "store/store_int.h"

/* The row of the only job of an entity. */
static enum status find_row(struct driver *d, struct uuid id, uint32_t number, struct job_row *ret)
{
    struct error err;
    return found_needed(store_find_job(d->store, id_of(id).instance, number, &d->arena, ret, &err));
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
    assert_int_equal(d->engine.memory.jobs.by_id.count, 0);
    struct job_view p = polled(&pair->node[1]);
    assert_true(str_equal(p.type, STR("p")));
    assert_int_equal(compute(&pair->node[1], p, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_string_equal(stored(&pair->node[1], id), "B {\"n\":2}");
}

/* ---- timers ---- */

/* The processor is asked by one node, however long it takes and whichever node has set the timer. */
static void one_node_asks_for_a_timer(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    advance(pair, 400);
    begin(first,
          WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"schedule\":{\"delayMs\":1000},"
                   "\"processors\":[" SYNC("p") "]}]},\"B\":{}"));
    advance(pair, 400);
    for (int i = 0; i < 3; i++) {
        created(first, "{\"n\":1}");
        created(second, "{\"n\":2}");
    }
    advance(pair, 5000);
    assert_int_equal(first->engine.transact.units.count + second->engine.transact.units.count, 6);
}

/* ---- runs that another node ends ---- */

static struct uuid begin_pair(struct pair *pair)
{
    advance(pair, 400);
    begin(&pair->node[0], WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                              "OTHER", "C", "") "]},\"B\":{},\"C\":{}"));
    advance(pair, 400);
    return created(&pair->node[0], "{\"n\":1}");
}

/* A write at the first node that waits for a processor. */
static struct call *go_on(struct pair *pair, struct uuid id)
{
    struct call *go = update_call(&pair->node[0], id, "GO", NULL);
    driver_submit(&pair->node[0], go);
    assert_false(driver_answered(&pair->node[0], go));
    return go;
}

static void a_run_that_another_node_completes_is_answered(void **state)
{
    struct pair *pair = *state;
    struct uuid id = begin_pair(pair);
    struct call *go = go_on(pair, id);
    assert_int_equal(compute(&pair->node[1], polled(&pair->node[1]), "{\"data\":{\"n\":2}}"), ST_OK);
    advance(pair, 300);
    assert_true(driver_answered(&pair->node[0], go));
    assert_int_equal(go->status, ST_OK);
    assert_string_equal(stored(&pair->node[0], id), "B {\"n\":2}");
}

/* The caller is told what the calculation node said, whichever node it said it to. */
static void a_run_that_fails_at_another_node_is_told_so(void **state)
{
    struct pair *pair = *state;
    struct uuid id = begin_pair(pair);
    struct call *go = go_on(pair, id);
    assert_int_equal(compute_fails(&pair->node[1], polled(&pair->node[1])), ST_OK);
    advance(pair, 300);
    assert_true(driver_answered(&pair->node[0], go));
    assert_int_equal(go->status, ST_INVALID);
    assert_string_equal(go->error.where, "COMPUTE_MEMBER_DISCONNECTED");
    assert_string_equal(go->error.message, "gone");
    assert_true(go->as.entities.is_left);
    assert_string_equal(stored(&pair->node[0], id), "A {\"n\":1}");
}

static void a_transition_at_another_node_takes_the_place_of_a_run(void **state)
{
    struct pair *pair = *state;
    struct uuid id = begin_pair(pair);
    struct call *go = go_on(pair, id);
    struct job_view p = polled(&pair->node[0]);
    assert_int_equal(driver_run(&pair->node[1], update_call(&pair->node[1], id, "OTHER", NULL))->status,
                     ST_OK);
    advance(pair, 300);
    assert_true(driver_answered(&pair->node[0], go));
    assert_int_equal(go->status, ST_CONFLICT);
    assert_int_equal(compute(&pair->node[0], p, "{}"), ST_OK);
    assert_string_equal(stored(&pair->node[0], id), "C {\"n\":1}");
}

/* The second write begins when the first is over, but before its node has heard of that. */
static void a_run_that_is_over_is_not_taken_for_replaced(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    struct uuid id = begin_pair(pair);
    struct call *go = go_on(pair, id);
    assert_int_equal(compute_fails(second, polled(second)), ST_OK);
    struct call *again = update_call(second, id, "GO", "{\"n\":2}");
    driver_submit(second, again);
    struct job_view p = polled(first);
    assert_int_equal(compute(first, p, "{\"data\":{\"n\":3}}"), ST_OK);
    advance(pair, 300);
    assert_true(driver_answered(first, go));
    assert_int_equal(go->status, ST_INVALID);
    assert_true(driver_answered(second, again));
    assert_int_equal(again->status, ST_OK);
    assert_string_equal(stored(first, id), "B {\"n\":3}");
}

static enum status put_off_history(struct store *store, uint64_t instance, uint32_t after,
                                   struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    (void)store, (void)instance, (void)after, (void)arena, (void)ret_blob, (void)ret_count;
    return (fail)(err, ST_AGAIN, "store", "somebody else holds a lock");
}

/* The same, while the history that tells so cannot be read. */
static void a_run_whose_end_cannot_be_read_now_is_answered_later(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    advance(pair, 400);
    begin(first,
          WORKFLOW("\"A\":{\"transitions\":[" BY_HAND(
              "GO", "B", COMMITS("p")) "]},\"B\":{\"transitions\":[" BY_HAND("NEXT", "C", "") "]},\"C\":{}"));
    advance(pair, 400);
    struct uuid id = created(first, "{\"n\":1}");
    struct call *go = go_on(pair, id);
    assert_int_equal(compute(second, polled(second), "{\"data\":{\"n\":2}}"), ST_OK);
    const struct node_ops *real = first->store->nodes;
    struct node_ops locked = *real;
    locked.next_history = put_off_history;
    first->store->nodes = &locked;
    assert_int_equal(driver_run(first, update_call(first, id, "NEXT", NULL))->status, ST_OK);
    first->store->nodes = real;
    advance(pair, 300);
    assert_true(driver_answered(first, go));
    assert_int_equal(go->status, ST_OK);
    assert_string_equal(stored(first, id), "C {\"n\":2}");
}

/* ---- entities that another node deletes ---- */

/* The node hears of nothing until the entity is gone. */
static void a_run_ends_with_its_entity(void **state)
{
    struct pair *pair = *state;
    struct uuid id = begin_pair(pair);
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    driver_close(second);
    second->retention_ms = 1000;
    driver_open(second);
    driver_advance(second, 100);
    struct call *go = go_on(pair, id), *gone = write_call(second, 1);
    gone->as.entities.item[0] = (struct entity_item){ .action = ENTITY_DELETE, .id = id };
    assert_int_equal(driver_run(second, gone)->status, ST_OK);
    for (int i = 0; i < 40; i++) driver_advance(second, 100);
    assert_string_equal(stored(second, id), "");
    first->now_ms = second->now_ms;
    advance(pair, 2000);
    assert_true(driver_answered(first, go));
    assert_int_equal(go->status, ST_CONFLICT);
}

/* The answer to a committed task has begun a unit. The entity is purged before the time of the unit is up. */
static void a_unit_of_a_task_ends_with_its_entity(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    for (size_t i = 0; i < COUNT(pair->node); i++) {
        driver_close(&pair->node[i]);
        pair->node[i].retention_ms = 1000;
        driver_open(&pair->node[i]);
    }
    advance(pair, 400);
    begin(first,
          WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p") "," SYNC("q")) "]},\"B\":{}"));
    advance(pair, 400);
    struct uuid id = created(first, "{\"n\":1}");
    struct call *go = update_call(first, id, "GO", NULL);
    driver_submit(first, go);
    assert_int_equal(compute(first, polled(first), "{}"), ST_OK);
    assert_int_equal(first->engine.transact.units.count, 1);
    struct call *gone = write_call(second, 1);
    gone->as.entities.item[0] = (struct entity_item){ .action = ENTITY_DELETE, .id = id };
    assert_int_equal(driver_run(second, gone)->status, ST_OK);
    advance(pair, 60000);
    assert_string_equal(stored(second, id), "");
    assert_int_equal(first->engine.transact.units.count, 0);
    assert_true(driver_answered(first, go));
    assert_int_equal(go->status, ST_CONFLICT);
    assert_true(engine_next_ms(&first->engine) > first->now_ms);
    created(first, "{\"n\":2}");
}

/* A client has lost its patience and asks another node, while the processor is still at work. */
static void a_key_counts_once_at_all_nodes(void **state)
{
    struct pair *pair = *state;
    struct call *call[2];
    struct job_view job[2];
    advance(pair, 400);
    begin(&pair->node[0], WORKFLOW("\"A\":{\"transitions\":["
                                   "{\"name\":\"GO\",\"next\":\"B\",\"manual\":false,\"processors\":[" SYNC(
                                       "p") "]}"
                                            "]},\"B\":{}"));
    advance(pair, 400);
    for (size_t i = 0; i < 2; i++) {
        call[i] = create_call(&pair->node[i], "{\"n\":1}");
        call[i]->idempotency_key = STR("once");
        driver_submit(&pair->node[i], call[i]);
        job[i] = polled(&pair->node[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        compute(&pair->node[i], job[i], "{\"data\":{\"n\":2}}");
        assert_true(driver_answered(&pair->node[i], call[i]));
    }
    assert_int_equal(call[0]->status, ST_OK);
    assert_int_equal(call[1]->status, ST_CONFLICT);
    assert_string_equal(call[1]->error.code, "IDEMPOTENCY_CONFLICT");
    assert_string_equal(stored(&pair->node[1], call[0]->as.entities.item[0].id), "B {\"n\":2}");

    struct call *again = create_call(&pair->node[1], "{\"n\":1}");
    again->idempotency_key = STR("once");
    driver_run(&pair->node[1], again);
    assert_true(again->status == ST_OK && again->replayed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_claimed_task_outlives_a_unit_that_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(an_offered_task_outlives_a_unit_that_is_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(one_node_asks_for_a_timer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_that_another_node_completes_is_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_that_fails_at_another_node_is_told_so, setup, teardown),
        cmocka_unit_test_setup_teardown(a_transition_at_another_node_takes_the_place_of_a_run, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_run_ends_with_its_entity, setup, teardown),
        cmocka_unit_test_setup_teardown(a_unit_of_a_task_ends_with_its_entity, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_that_is_over_is_not_taken_for_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_whose_end_cannot_be_read_now_is_answered_later, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_key_counts_once_at_all_nodes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
