/* Starting, waiting, timers, chaining, idempotency, recovery, retention. */
#include "driver.h"

static const char *definition(const char *name) { return document("runtime/engine", name); }

static void a_definition_gets_versions_by_content(void **state)
{
    struct driver *driver = *state;
    assert_int_equal(driver_deploy(driver, definition("quick"))->value.definitions.row->version, 1);
    struct call *again = driver_deploy(driver, definition("quick"));
    assert_int_equal(again->value.definitions.row->version, 1);
    assert_false(again->value.definitions.is_new);
    assert_int_equal(driver_deploy(driver, definition("quick, changed"))->value.definitions.row->version, 2);
    struct call *older = driver_deploy(driver, definition("quick"));
    assert_int_equal(older->value.definitions.row->version, 3);
    assert_int_equal(older->value.definitions.row->restores, 1);
    assert_int_equal(older->value.definitions.latest, 3);
    struct call *start = driver_run(driver, driver_start(driver, "quick", NULL));
    assert_int_equal(start->value.instances.view->definition_version, 3);
}

static void unknown_definitions_cannot_be_started(void **state)
{
    struct driver *driver = *state;
    assert_int_equal(driver_run(driver, driver_start(driver, "none", NULL))->status, ST_NOT_FOUND);
    driver_deploy(driver, definition("quick"));
    struct call *start = driver_start(driver, "quick", NULL);
    start->as.start.version = 9;
    assert_int_equal(driver_run(driver, start)->status, ST_NOT_FOUND);
}

static void ids_that_were_never_given_out_name_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    struct id wrong = id;
    wrong.ms++;
    assert_int_equal(driver_node(driver, CALL_CANCEL, wrong, "")->status, ST_NOT_FOUND);
    wrong = id;
    wrong.number = 3;
    assert_int_equal(driver_node(driver, CALL_CANCEL, wrong, "")->status, ST_NOT_FOUND);
    assert_int_equal(driver_node(driver, CALL_CANCEL, id, "")->status, ST_OK);
}

static void a_business_key_is_taken_while_its_instance_lives(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct call *first = driver_start(driver, "person", NULL);
    first->as.start.business_key = STR("k");
    driver_run(driver, first);
    struct call *second = driver_start(driver, "person", NULL);
    second->as.start.business_key = STR("k");
    assert_int_equal(driver_run(driver, second)->status, ST_CONFLICT);
    driver_node(driver, CALL_CANCEL, instance_view_id(first->value.instances.view), "");
    struct call *third = driver_start(driver, "person", NULL);
    third->as.start.business_key = STR("k");
    assert_int_equal(driver_run(driver, third)->status, ST_OK);
}

static void a_start_can_wait_for_the_end(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct call *start = driver_start(driver, "worker", NULL);
    start->as.start.wait_ms = 5000;
    driver_submit(driver, start);
    assert_false(driver_answered(driver, start));
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", "{\"r\":1}");
    assert_true(driver_answered(driver, start));
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
    assert_non_null(json_get(start->value.instances.view->data, STR("r")));
}

static void a_start_that_waited_too_long_shows_where_it_is(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct call *start = driver_start(driver, "worker", NULL);
    start->as.start.wait_ms = 5000;
    driver_submit(driver, start);
    driver_advance(driver, 5000);
    assert_true(driver_answered(driver, start));
    assert_int_equal(start->value.instances.view->status, INSTANCE_ACTIVE);
}

static void a_timer_fires_once_and_on_time(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    driver_advance(driver, 3599999);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_WAITING);
    driver_advance(driver, 1);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 1);
    driver_advance(driver, 3600000);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 1);
}

static void a_timer_that_came_due_during_a_stop_fires_at_the_start(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    driver_close(driver);
    driver->now_ms += 7200000;
    driver_open(driver);
    driver_turn(driver);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void a_cancelled_timer_has_no_effect(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    assert_int_equal(driver_node(driver, CALL_COMPLETE_TASK, id, "p")->status, ST_OK);
    driver_advance(driver, 3600000);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 0);
}

static void many_timers_of_one_moment_all_fire(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    for (int i = 0; i < 1500; i++) driver_submit(driver, driver_start(driver, "person", NULL));
    driver->answered = (struct call_list){ 0 };
    driver->now_ms += 3600000;
    for (int turns = 0; turns < 10; turns++) driver_turn(driver);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 1500);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]), 1500);
}

/* A wait of an hour, and then a job of type "t". */
static const char *waiter(struct driver *driver, const char *id, int priority)
{
    return arena_printf(
               &driver->arena,
               "{\"dialect\":\"graph/1\",\"definitionId\":\"%s\",\"name\":\"%s\",\"priority\":%d,\"nodes\":["
               "{\"id\":\"t\",\"type\":\"trigger_manual\"},"
               "{\"id\":\"w\",\"type\":\"delay\",\"config\":{\"duration\":\"PT1H\"}},"
               "{\"id\":\"e\",\"type\":\"end\"}],"
               "\"edges\":[{\"from\":\"t\",\"to\":\"w\"},{\"from\":\"w\",\"to\":\"e\"}]}",
               id, id, priority)
        .p;
}

/* The urgent one was set last. A turn has room for a part of them only. */
static void of_many_timers_the_urgent_ones_fire_first(void **state)
{
    struct driver *driver = *state;
    for (int round = 0; round < 2; round++) {
        driver_deploy(driver, waiter(driver, "usual", 4));
        driver_deploy(driver, waiter(driver, "urgent", 8));
        for (int i = 0; i < 1500; i++) driver_submit(driver, driver_start(driver, "usual", NULL));
        driver->now_ms++;
        struct id urgent = driver_started(driver, "urgent", NULL);
        driver->answered = (struct call_list){ 0 };
        uint64_t ended = metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]);
        driver->now_ms += 3600000;
        if (round) driver_restart(driver);
        driver_turn(driver);
        assert_int_equal(driver_instance(driver, urgent)->status, INSTANCE_COMPLETED);
        assert_true(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]) < ended + 1500);
        for (int turns = 0; turns < 10; turns++) driver_turn(driver);
    }
}

static void people_see_their_open_tasks(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    struct id id = driver_started(driver, "person", NULL);
    struct call *list = driver_run(driver, driver_call(driver, CALL_LIST_TASKS));
    assert_int_equal(list->value.tasks.count, 1);
    assert_true(str_equal(list->value.tasks.row[0].label, STR("form")));
    driver_node(driver, CALL_COMPLETE_TASK, id, "p");
    assert_int_equal(driver_run(driver, driver_call(driver, CALL_LIST_TASKS))->value.tasks.count, 0);
}

static void a_task_can_be_completed_by_its_own_id(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("person"));
    driver_started(driver, "person", NULL);
    struct call *list = driver_run(driver, driver_call(driver, CALL_LIST_TASKS));
    struct id id = { .ms = list->value.tasks.row[0].created_ms,
                     .instance = list->value.tasks.row[0].instance,
                     .number = list->value.tasks.row[0].execution };
    struct id wrong = id;
    wrong.number++;
    assert_int_equal(driver_node(driver, CALL_COMPLETE_TASK, wrong, "")->status, ST_NOT_FOUND);
    assert_int_equal(driver_node(driver, CALL_COMPLETE_TASK, id, "")->status, ST_OK);
    assert_int_equal(driver_node(driver, CALL_COMPLETE_TASK, id, "")->status, ST_NOT_FOUND);
}

static struct call *list_of(struct driver *driver, const char *definition)
{
    struct call *list = driver_call(driver, CALL_LIST_INSTANCES);
    list->as.instances.filter.definition_id = str_of(definition);
    list->as.instances.with_total = true;
    return driver_run(driver, list);
}

static void a_chained_definition_starts_with_the_data_and_key(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("one"));
    struct call *start = driver_start(driver, "one", "{\"x\":1}");
    start->as.start.business_key = STR("k");
    driver_run(driver, start);
    struct call *list = list_of(driver, "worker");
    assert_int_equal(list->value.instances.count, 1);
    assert_true(json_equal(list->value.instances.view[0].data, driver_json(driver, "{\"x\":1,\"y\":2}")));
    assert_true(str_equal(list->value.instances.view[0].business_key, STR("k")));
}

static void a_chain_to_a_missing_definition_waits_for_it_across_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("one"));
    driver_started(driver, "one", "{\"x\":1}");
    driver_restart(driver);
    driver_turn(driver);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 0);
    driver_deploy(driver, definition("worker"));
    driver_turn(driver);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
    driver_restart(driver);
    driver_advance(driver, 60000);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
}

/* It is tried again and again, and only the start itself counts. */
static void a_chain_that_waits_for_its_key_counts_once(void **state)
{
    struct driver *driver = *state;
    driver->limits.family_starts_max = 3;
    driver_restart(driver);
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("one"));
    struct call *busy = driver_start(driver, "worker", NULL), *start = driver_start(driver, "one", NULL);
    busy->as.start.business_key = start->as.start.business_key = STR("k");
    driver_run(driver, busy);
    driver_run(driver, start);
    for (int i = 0; i < 20; i++) {
        driver_advance(driver, 3000);
        driver_turn(driver);
    }
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
    driver_advance(driver, 3000);
    driver_turn(driver);
    struct call *list = list_of(driver, "worker");
    assert_int_equal(list->value.instances.total, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_not_equal(list->value.instances.view[i].status, INSTANCE_FAILED);
}

/* Only one of them is looked at in each turn. */
static void a_chain_that_leads_nowhere_does_not_keep_others_waiting(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("lost"));
    driver_deploy(driver, definition("one"));
    driver_started(driver, "lost", NULL);
    driver_started(driver, "one", NULL);
    driver->limits.turn_fuel_max = 1;
    driver_restart(driver);
    struct call *deploy = driver_call(driver, CALL_DEPLOY);
    deploy->as.deploy.text = str_of(definition("worker"));
    driver_submit(driver, deploy);
    for (int i = 0; i < 10; i++) driver_turn(driver);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
    assert_false(driver_has_pending(driver));
}

static void a_chain_started_by_a_chain_waits_for_its_key(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("zero"));
    driver_deploy(driver, definition("worker"));
    struct call *busy = driver_start(driver, "worker", NULL), *start = driver_start(driver, "zero", NULL);
    busy->as.start.business_key = start->as.start.business_key = STR("k");
    driver_run(driver, busy);
    driver_run(driver, start);
    driver_deploy(driver,
                  definition("one")); /* Now "one" starts, ends, and its own child finds the key taken. */
    driver_turn(driver);
    assert_int_equal(list_of(driver, "one")->value.instances.total, 1);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
    driver_node(driver, CALL_CANCEL, instance_view_id(busy->value.instances.view), "");
    driver_advance(driver, 5000);
    driver_turn(driver);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 2);
}

static struct call *started_with_key(struct driver *driver, const char *name, str key)
{
    struct call *start = driver_start(driver, name, NULL);
    start->as.start.business_key = key;
    return driver_run(driver, start);
}

static void a_chain_starts_behind_very_many_that_wait_for_their_key(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("one"));
    struct call *busy = started_with_key(driver, "worker", STR("taken"));
    struct id taken = instance_view_id(busy->value.instances.view);
    struct call *other = started_with_key(driver, "worker", STR("other"));
    struct id freed = instance_view_id(other->value.instances.view);
    for (int i = 0; i < PENDING_PER_TURN_MAX; i++) started_with_key(driver, "one", STR("taken"));
    started_with_key(driver, "one", STR("other"));
    driver_node(driver, CALL_CANCEL, freed, "");
    for (int i = 0; i < 10; i++) driver_advance(driver, 1000);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 3);
    /* Those that wait do not keep the engine busy: maintenance makes them due, and one turn looks at them. */
    for (int i = 0; i < 6; i++) {
        driver_advance(driver, 1000);
        driver_turn(driver);
        assert_false(driver_has_pending(driver));
    }
    driver_node(driver, CALL_CANCEL, taken, "");
    for (int i = 0; i < 10; i++) driver_advance(driver, 1000);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 4);
}

static void a_chain_that_waits_outlives_its_parent(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 1000;
    driver_restart(driver);
    driver_deploy(driver, definition("one"));
    driver_started(driver, "one", "{\"x\":1}");
    driver_advance(driver, 10000);
    assert_int_equal(list_of(driver, "one")->value.instances.total, 0);
    driver_deploy(driver, definition("worker"));
    driver_turn(driver);
    assert_int_equal(list_of(driver, "worker")->value.instances.total, 1);
}

/* Nothing but the row of the start remembers that it is one of a test. */
static void a_chain_of_a_test_that_outlives_its_parent_is_a_test(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 1000;
    driver_restart(driver);
    driver_deploy(driver, definition("one"));
    struct call *start = driver_start(driver, "one", "{\"x\":1}");
    start->as.start.is_test = true;
    assert_int_equal(driver_run(driver, start)->status, ST_OK);
    driver_advance(driver, 500);
    driver_restart(driver);
    driver_advance(driver, 10000);
    assert_int_equal(list_of(driver, "one")->value.instances.total, 0);
    driver_deploy(driver, definition("worker"));
    driver_turn(driver);
    struct call *list = list_of(driver, "worker");
    assert_int_equal(list->value.instances.total, 1);
    assert_true(list->value.instances.view->is_test);
    assert_int_equal(list->value.instances.view->status, INSTANCE_COMPLETED);
}

static void an_endless_chain_does_not_keep_the_engine_from_its_work(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("loop"));
    driver_deploy(driver, definition("quick"));
    driver_started(driver, "loop", NULL);
    assert_int_equal(driver_run(driver, driver_start(driver, "quick", NULL))->value.instances.view->status,
                     INSTANCE_COMPLETED);
    driver_turn(driver);
    assert_true(list_of(driver, "loop")->value.instances.total > 10);
}

/* At the limit and one beyond it. */
static void a_test_starts_only_so_many(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("loop"));
    struct call *start = driver_start(driver, "loop", NULL);
    start->as.start.is_test = true;
    assert_int_equal(driver_run(driver, start)->status, ST_OK);
    for (int i = 0; i < TEST_STARTS_MAX; i++) driver_turn(driver);
    struct call *list = list_of(driver, "loop");
    assert_int_equal(list->value.instances.total, 1 + TEST_STARTS_MAX + 1);
    assert_int_equal(list->value.instances.view[0].status, INSTANCE_FAILED);
    assert_non_null(strstr(list->value.instances.view[0].failure.p, "a test has started 100 instances"));
    assert_int_equal(list->value.instances.view[1].status, INSTANCE_COMPLETED);
}

static struct call *keyed_start(struct driver *driver, uint64_t request)
{
    struct call *call = driver_start(driver, "quick", NULL);
    call->idempotency_key = STR("once");
    call->request_hash = request;
    return driver_run(driver, call);
}

static void a_key_makes_a_request_happen_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    struct call *first = keyed_start(driver, 1);
    assert_false(first->replayed);
    struct call *again = keyed_start(driver, 1);
    assert_true(again->replayed);
    assert_null(again->replayed_text);
    assert_int_equal(again->value.instances.view->id, first->value.instances.view->id);
    assert_int_equal(keyed_start(driver, 2)->status, ST_UNPROCESSABLE);
    driver_restart(driver);
    assert_true(keyed_start(driver, 1)->replayed);
    assert_int_equal(list_of(driver, "quick")->value.instances.total, 1);
    /* Forgotten after a day. */
    driver_advance(driver, 25 * 3600000LL);
    driver_turn(driver);
    assert_false(keyed_start(driver, 1)->replayed);
}

/* A store may have rows of an engine that kept the text of its HTTP answers. */
static void an_answer_kept_as_text_is_given_as_it_is(void **state)
{
    struct driver *driver = *state;
    struct error err;
    struct idempotency_row row = { .ns = NAMESPACE_DEFAULT,
                                   .key = STR("once"),
                                   .request = 1,
                                   .created_ms = driver->now_ms,
                                   .http_status = 201,
                                   .answer = STR("{\"id\":\"old\"}") };
    struct changeset changeset = { .idempotency = &row };
    driver_deploy(driver, definition("quick"));
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    struct call *call = keyed_start(driver, 1);
    assert_true(call->replayed);
    assert_int_equal(call->replayed_text->http_status, 201);
    assert_true(str_equal(call->replayed_text->body, STR("{\"id\":\"old\"}")));
    assert_int_equal(list_of(driver, "quick")->value.instances.total, 0);
    driver_advance(driver, 25 * 3600000LL);
    driver_turn(driver);
    assert_false(keyed_start(driver, 1)->replayed);
}

static void open_jobs_are_offered_again_after_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "worker", "{\"x\":1}");
    struct job_view job = driver_polled(driver, "before", "t");
    driver_restart(driver);
    struct job_view again = driver_polled(driver, "after", "t");
    assert_int_equal(again.number, job.number);
    assert_true(json_equal(again.data, job.data));
    driver_complete(driver, again, "after", NULL);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void a_failed_step_can_be_retried_after_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "worker", NULL);
    driver_fail(driver, driver_polled(driver, "w", "t"), "w", false);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
    driver_restart(driver);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 1))->value.jobs.count, 0);
    assert_int_equal(driver_node(driver, CALL_RETRY, id, "t")->status, ST_OK);
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void ended_instances_go_when_their_time_is_over(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 1000;
    driver_restart(driver);
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("worker"));
    struct id gone = driver_started(driver, "quick", NULL), kept = driver_started(driver, "worker", NULL);
    driver_advance(driver, 10000);
    struct call *call = driver_call(driver, CALL_GET_INSTANCE);
    call->as.read.id = gone;
    assert_int_equal(driver_run(driver, call)->status, ST_NOT_FOUND);
    assert_int_equal(driver_instance(driver, kept)->status, INSTANCE_ACTIVE);
    driver_restart(driver);
    assert_true(driver_started(driver, "quick", NULL).instance > kept.instance);
}

static void a_watch_sees_each_command_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "worker", NULL);
    struct call *watch = driver_call(driver, CALL_WATCH);
    watch->as.watch.id = id;
    watch->as.watch.wait_ms = 1000;
    driver_run(driver, watch);
    assert_int_equal(watch->value.instances.history_count, 1);
    assert_int_equal(watch->value.instances.history[0].command, COMMAND_START);
    struct call *next = driver_call(driver, CALL_WATCH);
    next->as.watch.id = id;
    next->as.watch.after = watch->value.instances.history[0].revision;
    next->as.watch.wait_ms = 1000;
    driver_submit(driver, next);
    assert_false(driver_answered(driver, next));
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
    assert_true(driver_answered(driver, next));
    assert_int_equal(next->value.instances.history_count, 1);
    assert_int_equal(next->value.instances.history[0].command, COMMAND_COMPLETE_JOB);
    assert_int_equal(next->value.instances.view->status, INSTANCE_COMPLETED);
}

static void every_token_can_say_why_it_waits(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "worker", NULL);
    driver_polled(driver, "holder", "t");
    struct call *call = driver_call(driver, CALL_EXPLAIN);
    call->as.read.id = id;
    driver_run(driver, call);
    assert_int_equal(call->value.instances.token_count, 1);
    assert_true(call->value.instances.token[0].why.n > 0);
    assert_true(str_equal(call->value.instances.token[0].job->worker, STR("holder")));
}

static void the_history_shows_each_visit(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    struct id id = driver_started(driver, "quick", "{\"x\":1}");
    struct call *call = driver_call(driver, CALL_GET_HISTORY);
    call->as.read.id = id;
    driver_run(driver, call);
    assert_int_equal(call->value.instances.execution_count, 2);
    assert_true(str_equal(call->value.instances.execution[0].type, STR("TRANSFORMATION")));
    assert_int_equal(call->value.instances.execution[0].status, EXECUTION_COMPLETED);
    assert_true(json_equal(call->value.instances.execution[0].input, driver_json(driver, "{\"x\":1}")));
    assert_true(
        json_equal(call->value.instances.execution[0].output, driver_json(driver, "{\"x\":1,\"y\":2}")));
    assert_true(str_equal(call->value.instances.execution[1].type, STR("END")));
}

static void a_drain_answers_all_that_waits(void **state)
{
    struct driver *driver = *state;
    struct call *poll = driver_poll(driver, "w", "t", 1);
    poll->as.poll.wait_ms = 60000;
    driver_submit(driver, poll);
    engine_drain(&driver->engine);
    driver_turn(driver);
    assert_true(driver_answered(driver, poll));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_definition_gets_versions_by_content),
        DRIVER_TEST(unknown_definitions_cannot_be_started),
        DRIVER_TEST(ids_that_were_never_given_out_name_nothing),
        DRIVER_TEST(a_business_key_is_taken_while_its_instance_lives),
        DRIVER_TEST(a_start_can_wait_for_the_end),
        DRIVER_TEST(a_start_that_waited_too_long_shows_where_it_is),
        DRIVER_TEST(a_timer_fires_once_and_on_time),
        DRIVER_TEST(a_timer_that_came_due_during_a_stop_fires_at_the_start),
        DRIVER_TEST(a_cancelled_timer_has_no_effect),
        DRIVER_TEST(many_timers_of_one_moment_all_fire),
        DRIVER_TEST(of_many_timers_the_urgent_ones_fire_first),
        DRIVER_TEST(people_see_their_open_tasks),
        DRIVER_TEST(a_task_can_be_completed_by_its_own_id),
        DRIVER_TEST(a_chained_definition_starts_with_the_data_and_key),
        DRIVER_TEST(a_chain_to_a_missing_definition_waits_for_it_across_a_restart),
        DRIVER_TEST(a_chain_that_waits_for_its_key_counts_once),
        DRIVER_TEST(a_chain_that_leads_nowhere_does_not_keep_others_waiting),
        DRIVER_TEST(a_chain_started_by_a_chain_waits_for_its_key),
        DRIVER_TEST(a_chain_starts_behind_very_many_that_wait_for_their_key),
        DRIVER_TEST(a_chain_that_waits_outlives_its_parent),
        DRIVER_TEST(a_chain_of_a_test_that_outlives_its_parent_is_a_test),
        DRIVER_TEST(an_endless_chain_does_not_keep_the_engine_from_its_work),
        DRIVER_TEST(a_test_starts_only_so_many),
        DRIVER_TEST(a_key_makes_a_request_happen_once),
        DRIVER_TEST(an_answer_kept_as_text_is_given_as_it_is),
        DRIVER_TEST(open_jobs_are_offered_again_after_a_restart),
        DRIVER_TEST(a_failed_step_can_be_retried_after_a_restart),
        DRIVER_TEST(ended_instances_go_when_their_time_is_over),
        DRIVER_TEST(a_watch_sees_each_command_once),
        DRIVER_TEST(every_token_can_say_why_it_waits),
        DRIVER_TEST(the_history_shows_each_visit),
        DRIVER_TEST(a_drain_answers_all_that_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
