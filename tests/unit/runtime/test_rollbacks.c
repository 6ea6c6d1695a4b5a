/* A turn that is rolled back and repeated: memory follows only the attempt that commits. */
#include "join_driver.h"

#include "store/store_int.h"

/* ---- a store that fails ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t commits;   /* That were refused. */
    uint64_t damaged; /* The instance whose state cannot be read; 0: none. */
    uint64_t other;   /* Its state is the state of this one; 0: it is no state. */
    bool hides_timers;
} faults;

static enum status refuse_commit(struct store *store, struct error *err)
{
    (void)store;
    faults.commits++;
    return (fail)(err, ST_FULL, "store", "a fault");
}

static enum status load_damaged(struct store *store, uint64_t id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err)
{
    TRY(faults.real->load_instance(store, id, arena, ret_row, err));
    if (id != faults.damaged) return ST_OK;
    struct instance_row other = { .state = STR("damaged") };
    if (faults.other) TRY(faults.real->load_instance(store, faults.other, arena, &other, err));
    ret_row->state = other.state;
    return ST_OK;
}

static enum status read_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                               struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    if (faults.hides_timers) return (fail)(err, ST_STORE, "store", "a fault");
    return faults.real->timers(store, after, until_ms, ret_row, max, ret_count, err);
}

static int setup(void **state)
{
    int result = driver_setup(state);
    struct driver *d = *state;
    memset(&faults, 0, sizeof faults);
    faults.real = d->store->ops;
    faults.ops = *faults.real;
    faults.ops.load_instance = load_damaged;
    faults.ops.timers = read_timers;
    d->store->ops = &faults.ops;
    return result;
}

/* From now on no transaction commits. */
static void faults_begin(void)
{
    faults.commits = 0;
    faults.ops.commit = refuse_commit;
}

/* There is space again. */
static void faults_end(struct driver *d)
{
    struct error err;
    bool more;
    assert_true(faults.commits > 0);
    faults.ops.commit = faults.real->commit;
    assert_int_equal(store_reclaim_space(d->engine.store, false, &more, &err), ST_OK);
}

/* ---- what a waiting call is told ---- */

static struct call *keyed(struct call *call)
{
    call->idempotency_key = STR("k");
    call->request_hash = 7;
    return call;
}

/* The failure of a processor does not commit. The processor tries again, and does its work. */
static void fail_in_vain(struct driver *d, struct call *write)
{
    struct job_view job = polled(d);
    faults_begin();
    assert_int_equal(compute_fails(d, job), ST_FULL);
    faults_end(d);
    assert_false(driver_answered(d, write));
    assert_int_equal(compute(d, job, "{\"data\":{\"n\":2}}"), ST_OK);
    assert_true(driver_answered(d, write));
    assert_int_equal(write->status, ST_OK);
    assert_false(write->as.entities.is_left);
    assert_string_equal(stored(d, write->as.entities.item[0].id), "B {\"n\":2}");
    struct call *again = driver_run(d, keyed(create_call(d, "{\"n\":1}")));
    assert_true(again->status == ST_OK && again->replayed);
    driver_check(d);
}

static void a_failure_that_is_rolled_back_is_not_told(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" COMMITS(
                 "p") "]}]},\"B\":{}"));
    struct call *write = keyed(create_call(d, "{\"n\":1}"));
    driver_submit(d, write);
    fail_in_vain(d, write);
}

/* The second processor began a unit behind the commit of the first one. */
static void a_failure_of_a_unit_that_is_rolled_back_is_not_told(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"B\",\"processors\":[" COMMITS(
                 "p") "," SYNC("q") "]}]},\"B\":{}"));
    struct call *write = keyed(create_call(d, "{\"n\":1}"));
    driver_submit(d, write);
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    fail_in_vain(d, write);
}

/* ---- savepoints ---- */

#define ASIDE                                                                                           \
    WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B", PROCESSOR("p", "ASYNC_NEW_TX")) "," BY_HAND( \
        "NEST", "B", SYNC("n")) "]},\"B\":{}")

/* The failure does not commit, and what the processor has written is undone. It works once more. */
static void a_processor_that_works_again_writes_again(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, ASIDE);
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}"), c = created(d, "{\"n\":3}");
    struct job_view job = go(d, a, &call);
    assert_int_equal(join_update(d, job, b, "", "{\"n\":21}"), ST_OK);
    faults_begin();
    assert_int_equal(compute_fails(d, job), ST_FULL);
    faults_end(d);
    assert_false(driver_answered(d, call));
    assert_int_equal(join_update(d, job, c, "", "{\"n\":31}"), ST_OK);
    assert_int_equal(compute(d, job, "{}"), ST_OK);
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    assert_string_equal(stored(d, c), "A {\"n\":31}");
    driver_check(d);
}

/* The processor inside has failed in a turn that does not commit: the one around it fails in the next turn.
 */
static void a_savepoint_fails_although_the_turn_does_not_commit(void **state)
{
    struct driver *d = *state;
    struct call *call;
    begin(d, ASIDE);
    struct uuid a = created(d, "{\"n\":1}"), b = created(d, "{\"n\":2}");
    struct job_view job = go(d, a, &call);
    struct call *nested = joined(update_call(d, b, "NEST", "{\"n\":22}"), job);
    driver_submit(d, nested);
    struct job_view inner = polled(d);
    faults_begin();
    compute_fails(d, inner);
    faults_end(d);
    driver_advance(d, 100);
    ended(d, nested, ST_INVALID);
    created(d, "{\"n\":3}");
    ended(d, call, ST_OK);
    assert_string_equal(stored(d, a), "B {\"n\":1}");
    assert_string_equal(stored(d, b), "A {\"n\":2}");
    driver_check(d);
}

/* ---- timers ---- */

#define LATER(processors)                                                                \
    "{\"name\":\"LATER\",\"next\":\"C\",\"schedule\":{\"delayMs\":1000},\"processors\":" \
    "[" processors "]}"

/* A turn whose transaction fails because of a write, with the timers that are due and with the call, if it is
 * not NULL. */
static void fail_turn(struct driver *d, struct call *call)
{
    struct call *write = create_call(d, "{\"n\":9}");
    struct call_list list = { 0 };
    if (call) call_list_add(&list, call);
    call_list_add(&list, write);
    faults_begin();
    engine_turn(&d->engine, &list);
    faults_end(d);
    driver_turn(d);
    assert_true(driver_answered(d, write));
    assert_int_equal(write->status, ST_FULL);
}

static void a_timer_that_waits_for_a_unit_comes_again_once(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" BY_HAND("GO", "B",
                                                         SYNC("p")) "," LATER("") "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    driver_submit(d, update_call(d, id, "GO", NULL));
    d->now_ms += 1000;
    for (int i = 0; i < 3; i++) {
        fail_turn(d, NULL);
        assert_int_equal(d->engine.memory.timers.count, 1);
        d->now_ms += 100;
    }
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    driver_advance(d, 100);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
    assert_int_equal(d->engine.memory.timers.count, 0);
    driver_check(d);
}

static void a_timer_that_cannot_fire_comes_again_once(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" LATER("") "]},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    driver_restart(d); /* The cache does not know the entity. */
    faults.damaged = id_of(id).instance;
    d->now_ms += 1000;
    for (uint64_t i = 1; i <= 3; i++) {
        fail_turn(d, NULL);
        assert_int_equal(d->engine.memory.timers.count, 1);
        assert_int_equal(metric_get(&d->metrics.timers_failed), i);
        d->now_ms += 10000;
    }
    faults.damaged = 0;
    driver_turn(d);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
}

static void an_instance_with_the_state_of_another_is_left_alone(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[{\"name\":\"GO\",\"next\":\"C\",\"manual\":true}]},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}"), other = created(d, "{\"n\":2}");
    driver_restart(d);
    faults.damaged = id_of(id).instance;
    faults.other = id_of(other).instance;
    struct call *call = update_call(d, id, "GO", NULL);
    driver_submit(d, call);
    driver_turn(d);
    assert_int_equal(call->status, ST_INTERNAL);
    faults.damaged = 0;
    assert_string_equal(stored(d, other), "A {\"n\":2}");
}

static void a_timer_that_waits_for_nodes_comes_again_once(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":[" LATER(SYNC("p")) "]},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    driver_restart(d);
    driver_advance(d, 1000);
    for (int i = 0; i < 3; i++) {
        struct job_view job = polled(d);
        struct call *nobody = driver_call(d, CALL_FAIL_JOB);
        nobody->performs = true;
        nobody->as.job.id = job_view_id(&job);
        nobody->as.job.worker = STR("hub");
        nobody->as.job.failure = driver_json(d, "{\"name\":\"NO_COMPUTE_MEMBER_FOR_TAG\"}");
        fail_turn(d, nobody);
        assert_true(driver_answered(d, nobody));
        assert_int_equal(d->engine.memory.timers.count, 1);
        driver_advance(d, NODES_RETRY_MS);
    }
    assert_int_equal(compute(d, polled(d), "{}"), ST_OK);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
    driver_check(d);
}

/* Timers cannot be read for so long that one which has come again lies behind the window's end. */
static void a_timer_behind_the_window_comes_again(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{\"transitions\":["
                      "{\"name\":\"GO\",\"next\":\"B\",\"manual\":true,\"processors\":[{\"name\":\"p\","
                      "\"executionMode\":\"SYNC\",\"config\":{\"responseTimeoutMs\":200000}}]}," LATER(
                          "") "]},\"B\":{},\"C\":{}"));
    struct uuid id = created(d, "{\"n\":1}");
    driver_submit(d, update_call(d, id, "GO", NULL));
    faults.hides_timers = true;
    for (int i = 0; i < 800; i++) driver_advance(d, 100);
    assert_int_equal(compute_fails(d, polled(d)), ST_OK);
    assert_int_equal(d->engine.memory.timers.count, 1);
    faults_begin();
    for (int i = 0; i < 30; i++) driver_advance(d, 100);
    faults_end(d);
    assert_int_equal(d->engine.memory.timers.count, 1);
    faults.hides_timers = false;
    for (int i = 0; i < 30; i++) driver_advance(d, 100);
    assert_string_equal(stored(d, id), "C {\"n\":1}");
    driver_check(d);
}

int main(void)
{
#define ROLLBACK_TEST(function) cmocka_unit_test_setup_teardown(function, setup, driver_teardown)
    const struct CMUnitTest tests[] = {
        ROLLBACK_TEST(a_failure_that_is_rolled_back_is_not_told),
        ROLLBACK_TEST(a_failure_of_a_unit_that_is_rolled_back_is_not_told),
        ROLLBACK_TEST(a_processor_that_works_again_writes_again),
        ROLLBACK_TEST(a_savepoint_fails_although_the_turn_does_not_commit),
        ROLLBACK_TEST(a_timer_that_waits_for_a_unit_comes_again_once),
        ROLLBACK_TEST(a_timer_that_cannot_fire_comes_again_once),
        ROLLBACK_TEST(an_instance_with_the_state_of_another_is_left_alone),
        ROLLBACK_TEST(a_timer_that_waits_for_nodes_comes_again_once),
        ROLLBACK_TEST(a_timer_behind_the_window_comes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
