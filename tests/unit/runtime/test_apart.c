/* A turn that loses its transaction does its calls one by one. */
#include "entity_driver.h"

#include "store/nodes.h"
#include "store/store_int.h"

/* Only a store that is shared has commits which others are in the way of. */
static struct store *first;

static int setup(void **state)
{
    struct driver *d = calloc(1, sizeof *d);
    struct error err;
    d->limits = limits_default();
    d->now_ms = 1767225600000;
    arena_init(&d->arena, 0);
    assert_int_equal(store_open_memory(&first, &err), ST_OK);
    assert_int_equal(store_join_memory(first, &d->store, &err), ST_OK);
    driver_open(d);
    *state = d;
    return 0;
}

static int teardown(void **state)
{
    int result = driver_teardown(state);
    store_close(first);
    return result;
}

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    int left;
} lost_commits;

static enum status commit_or_again(struct store *store, struct error *err)
{
    if (!lost_commits.left) return lost_commits.real->commit(store, err);
    lost_commits.left--;
    return (fail)(err, ST_AGAIN, "store", "another node was faster");
}

/* The calls of a turn run one by one, and the second one takes the place of what the first one waits for. */
static void a_turn_answers_what_its_calls_end_for_each_other(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", COMMITS("p")) "," BY_HAND(
                 "AWAY", "C", "") "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    struct call *go = update_call(d, id, "GO", NULL), *away = update_call(d, id, "AWAY", NULL);
    struct call_list list = { 0 };
    call_list_add(&list, go);
    call_list_add(&list, away);
    lost_commits.real = d->store->ops;
    lost_commits.ops = *lost_commits.real;
    lost_commits.ops.commit = commit_or_again;
    lost_commits.left = 2;
    d->store->ops = &lost_commits.ops;
    engine_turn(&d->engine, &list);
    driver_turn(d);
    assert_int_equal(lost_commits.left, 0);
    assert_true(driver_answered(d, go));
    assert_true(driver_answered(d, away));
    assert_int_equal(go->status, ST_CONFLICT);
    assert_int_equal(away->status, ST_OK);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
    d->store->ops = lost_commits.real;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_turn_answers_what_its_calls_end_for_each_other, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
