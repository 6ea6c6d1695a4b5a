/* A turn that is rolled back and repeated: memory follows only the attempt that commits. */
#include "entity_driver.h"

#include "store/store_int.h"

/* ---- a store that fails ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t commits; /* That were refused. */
} faults;

static enum status refuse_commit(struct store *store, struct error *err)
{
    (void)store;
    faults.commits++;
    return (fail)(err, ST_FULL, "store", "a fault");
}

static int setup(void **state)
{
    int result = driver_setup(state);
    struct driver *d = *state;
    memset(&faults, 0, sizeof faults);
    faults.real = d->store->ops;
    faults.ops = *faults.real;
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

int main(void)
{
#define ROLLBACK_TEST(function) cmocka_unit_test_setup_teardown(function, setup, driver_teardown)
    const struct CMUnitTest tests[] = {
        ROLLBACK_TEST(a_failure_that_is_rolled_back_is_not_told),
        ROLLBACK_TEST(a_failure_of_a_unit_that_is_rolled_back_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
