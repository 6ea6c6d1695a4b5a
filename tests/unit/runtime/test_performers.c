/* Jobs that the engine does itself, and work that goes on when its instance has ended. */
#include "driver.h"

/* The first branch of "race" ends the state, the other one goes on alone. */
static const char *definition(const char *name) { return document("runtime/performers", name); }

static struct call *poll_http(struct driver *driver)
{
    struct call *call = driver_poll(driver, "performer", performer_queue(PERFORM_HTTP, STR_NONE).p, 5);
    call->performs = true;
    return driver_run(driver, call);
}

/* The performer's report on a job. */
static struct call *report(struct driver *driver, enum call_kind kind, struct job_view job)
{
    struct call *call = driver_call(driver, kind);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("performer");
    call->performs = true;
    return call;
}

static struct call *complete_http(struct driver *driver, struct job_view job, const char *answer)
{
    struct call *call = report(driver, CALL_COMPLETE_JOB, job);
    call->as.job.data = driver_json(driver, answer);
    return driver_run(driver, call);
}

static struct job_view the_call(struct driver *driver)
{
    struct call *call = poll_http(driver);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.jobs.count, 1);
    return call->value.jobs.view[0];
}

static void calls_are_for_the_performer_alone(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    driver_started(driver, "caller", "{\"id\":3}");
    assert_int_equal(
        driver_run(driver, driver_poll(driver, "w", performer_queue(PERFORM_HTTP, STR_NONE).p, 1))->status,
        ST_INVALID);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "fetch", 1))->value.jobs.count, 0);
    struct call *batch = driver_call(driver, CALL_BATCH);
    str type = performer_queue(PERFORM_HTTP, STR_NONE);
    batch->as.batch.poll.worker = STR("w");
    batch->as.batch.poll.type = &type;
    batch->as.batch.poll.type_count = batch->as.batch.poll.max = 1;
    assert_int_equal(driver_run(driver, batch)->status, ST_INVALID);
    assert_int_equal(metric_get(&driver->metrics.jobs_taken[PERFORM_WORKER]), 0);

    struct job_view job = the_call(driver);
    assert_int_equal(job.performer, PERFORM_HTTP);
    assert_true(str_equal(performer_function(job.config), STR("fetch")));
    assert_string_equal(job.title.p, "Call");
    assert_string_equal(driver_text(driver, job.config),
                        "{\"function\":\"fetch\",\"type\":\"GET\",\"resource\":\"http://example.org/{id}\"}");
    assert_int_equal(job.timeout_ms, 5000);
    assert_string_equal(driver_text(driver, job.data), "{\"id\":3}");
    assert_int_equal(metric_get(&driver->metrics.jobs_taken[PERFORM_HTTP]), 1);
    assert_int_equal(metric_get(&driver->metrics.jobs_taken[PERFORM_WORKER]), 0);
}

static struct job_view the_listed_job(struct driver *driver)
{
    struct call *list = driver_call(driver, CALL_LIST_JOBS);
    list->as.jobs.max = 10;
    driver_run(driver, list);
    assert_int_equal(list->value.jobs.count, 1);
    return list->value.jobs.view[0];
}

/* Each way in which a worker can say something about a job. */
static void assert_is_nobodys(struct driver *driver, struct job_view job, str worker)
{
    static const enum call_kind kinds[] = { CALL_COMPLETE_JOB, CALL_FAIL_JOB, CALL_EXTEND_JOB, CALL_BATCH };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct call *call = driver_call(driver, kinds[i]);
        if (kinds[i] != CALL_BATCH) {
            call->as.job = (struct call_job){ .id = job_view_id(&job),
                                              .worker = worker,
                                              .data = driver_json(driver, "{\"forged\":true}") };
        } else {
            struct call *item = report(driver, CALL_COMPLETE_JOB, job);
            item->as.job.worker = worker;
            item->performs = false;
            call->as.batch.item = item;
            call->as.batch.item_count = 1;
        }
        driver_run(driver, call);
        const struct call *said = kinds[i] == CALL_BATCH ? &call->as.batch.item[0] : call;
        assert_int_equal(said->status, ST_NOT_FOUND);
        assert_non_null(strstr(said->error.message, "not found"));
    }
}

static void nobody_else_answers_for_the_performer(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    struct id id = driver_started(driver, "caller", "{\"id\":3}");
    uint32_t revision = driver_instance(driver, id)->revision;
    assert_is_nobodys(driver, the_listed_job(driver), STR("w"));
    struct job_view job = the_call(driver);
    assert_is_nobodys(driver, job, STR("w"));
    assert_is_nobodys(driver, job, STR("performer")); /* Its name is no secret. */
    assert_int_equal(driver_instance(driver, id)->revision, revision);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 0);

    struct call *extend = report(driver, CALL_EXTEND_JOB, job);
    extend->as.job.lease_ms = 1000;
    assert_int_equal(driver_run(driver, extend)->status, ST_OK);
    assert_int_equal(complete_http(driver, job, "1")->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void nobody_answers_for_a_child(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("child"));
    driver_deploy(driver, definition("parent"));
    struct id id = driver_started(driver, "parent", "{}");
    uint32_t revision = driver_instance(driver, id)->revision;
    struct call *list = driver_call(driver, CALL_LIST_JOBS);
    list->as.jobs.max = 10;
    assert_int_equal(driver_run(driver, list)->value.jobs.count, 0);
    /* It is in no list, so somebody has to guess: the job's number is the one behind its visit's. */
    struct call *explain = driver_get(driver, CALL_EXPLAIN, id);
    assert_int_equal(explain->value.instances.token_count, 1);
    assert_null(explain->value.instances.token[0].job);
    assert_non_null(
        strstr(explain->value.instances.token[0].why.p, "waits for an instance of \"child\": instance 0"));
    const struct job_view job = { .instance = id.instance,
                                  .number = explain->value.instances.token[0].execution + 1,
                                  .created_ms = explain->value.instances.token[0].since_ms };
    assert_is_nobodys(driver, job, STR("w"));
    assert_int_equal(driver_instance(driver, id)->revision, revision);
    driver_advance(driver, 3600000);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void lists_show_who_does_a_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    driver_started(driver, "caller", "{}");
    struct job_view job = the_listed_job(driver);
    assert_int_equal(job.performer, PERFORM_HTTP);
    assert_true(str_equal(performer_function(job.config), STR("fetch")));
    assert_null(job.data);
}

static void an_answer_may_be_any_value(void **state)
{
    static const char *const answer[] = { "[1,2]", "\"text\"", "null", "7", "{\"a\":1}" };
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    for (size_t i = 0; i < COUNT(answer); i++) {
        struct id id = driver_started(driver, "caller", "{}");
        struct call *done = complete_http(driver, the_call(driver), answer[i]);
        if (done->status != ST_OK) fail_msg("%s", done->error.message);
        struct instance_view *view = driver_instance(driver, id);
        assert_int_equal(view->status, INSTANCE_COMPLETED);
        assert_string_equal(driver_text(driver, json_get(view->data, STR("got"))), answer[i]);
    }
}

static void variables_of_a_worker_are_an_object_where_data_is(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("step"));
    driver_started(driver, "s", "{}");
    struct job_view job = driver_polled(driver, "w", "t");
    assert_int_equal(driver_complete(driver, job, "w", "[1]")->status, ST_INVALID);
    assert_int_equal(driver_complete(driver, job, "w", "{}")->status, ST_OK);
}

static void an_error_has_a_name_that_rules_can_match(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    struct id id = driver_started(driver, "caller", "{}");
    struct job_view job = the_call(driver);
    struct call *call = report(driver, CALL_FAIL_JOB, job);
    call->as.job.failure =
        driver_json(driver, "{\"name\":\"Busy\",\"message\":\"later\",\"data\":{\"status\":429}}");
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    /* Once more, in a minute; also after a restart. */
    driver_restart(driver);
    assert_int_equal(poll_http(driver)->value.jobs.count, 0);
    driver_advance(driver, 60000);
    job = the_call(driver);
    assert_int_equal(job.attempt, 2);
    call->as.job.id = job_view_id(&job);
    driver_run(driver, call);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_FAILED);
    assert_string_equal(driver_text(driver, json_get(view->error, STR("name"))), "\"Busy\"");
    assert_string_equal(driver_text(driver, json_get(view->error, STR("data"))), "{\"status\":429}");
}

static void a_late_answer_is_no_answer(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    struct id id = driver_started(driver, "caller", "{}");
    struct job_view job = the_call(driver);
    driver_advance(driver, 5000);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_FAILED);
    assert_string_equal(driver_text(driver, json_get(view->error, STR("name"))), "\"TimeoutException\"");
    assert_int_equal(complete_http(driver, job, "1")->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 1);
}

static void visits_of_the_front_ends_own_nodes_are_not_shown(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("caller"));
    struct id id = driver_started(driver, "caller", "{}");
    complete_http(driver, the_call(driver), "1");
    struct call *call = driver_get(driver, CALL_GET_HISTORY, id);
    assert_true(call->value.instances.execution_count > 0);
    for (size_t i = 0; i < call->value.instances.execution_count; i++) {
        assert_false(call->value.instances.execution[i].inner);
        bool known = call->value.instances.execution[i].from == 0;
        for (size_t k = 0; k < i; k++)
            known |= call->value.instances.execution[k].number == call->value.instances.execution[i].from;
        assert_true(known);
    }
    assert_string_equal(call->value.instances.execution[0].title.p, "Call");
}

/* ---- what goes on ---- */

static void what_nobody_awaits_goes_on_after_the_end(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("race"));
    struct id id = driver_started(driver, "race", "{\"a\":1}");
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_true(view->lingers);
    assert_int_equal(view->ended_ms, driver->now_ms);
    driver_check(driver);
    driver_restart(driver);
    driver_advance(driver, 3600000);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 1);
    driver_check(driver);
    driver_restart(driver);
    driver_complete(driver, driver_polled(driver, "w", "slow"), "w", "{\"b\":2}");
    view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_false(view->lingers);
    assert_string_equal(driver_text(driver, view->data), "{\"a\":1}");
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]), 1);
    driver_check(driver);
}

static void retention_waits_for_what_goes_on(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 1000;
    driver_restart(driver);
    driver_deploy(driver, definition("race"));
    struct id id = driver_started(driver, "race", "{}");
    for (int i = 0; i < 3; i++) driver_advance(driver, 1800000);
    assert_true(driver_instance(driver, id)->lingers);
    driver_complete(driver, driver_polled(driver, "w", "slow"), "w", "{}");
    for (int i = 0; i < 3; i++) driver_advance(driver, 3000);
    struct call *call = driver_call(driver, CALL_GET_INSTANCE);
    call->as.read.id = id;
    assert_int_equal(driver_run(driver, call)->status, ST_NOT_FOUND);
}

static void a_failure_in_what_goes_on_is_its_own(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("race"));
    struct id id = driver_started(driver, "race", "{}");
    driver_advance(driver, 3600000);
    driver_fail(driver, driver_polled(driver, "w", "slow"), "w", false);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_false(view->lingers);
    driver_check(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(calls_are_for_the_performer_alone),
        DRIVER_TEST(nobody_else_answers_for_the_performer),
        DRIVER_TEST(nobody_answers_for_a_child),
        DRIVER_TEST(lists_show_who_does_a_job),
        DRIVER_TEST(an_answer_may_be_any_value),
        DRIVER_TEST(variables_of_a_worker_are_an_object_where_data_is),
        DRIVER_TEST(an_error_has_a_name_that_rules_can_match),
        DRIVER_TEST(a_late_answer_is_no_answer),
        DRIVER_TEST(visits_of_the_front_ends_own_nodes_are_not_shown),
        DRIVER_TEST(what_nobody_awaits_goes_on_after_the_end),
        DRIVER_TEST(retention_waits_for_what_goes_on),
        DRIVER_TEST(a_failure_in_what_goes_on_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
