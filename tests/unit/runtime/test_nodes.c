/* Two engines on one store: jobs that one of them hands out and the other hears about. */
#include "pair_driver.h"

static const char *definition(const char *name) { return document("runtime/jobs", name); }

static struct call *extend(struct driver *driver, struct job_view job, const char *worker, int64_t lease_ms)
{
    struct call *call = driver_call(driver, CALL_EXTEND_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    call->as.job.lease_ms = lease_ms;
    return driver_run(driver, call);
}

static struct job_view polled_for(struct driver *driver, const char *worker, int64_t lease_ms)
{
    struct call *poll = driver_poll(driver, worker, "ta", 1);
    poll->as.poll.lease_ms = lease_ms;
    driver_run(driver, poll);
    assert_int_equal(poll->value.jobs.count, 1);
    return poll->value.jobs.view[0];
}

/* One job of type ta, which a worker has from the first node. */
static struct job_view handed_out(struct pair *pair, int64_t lease_ms, struct id *ret_id)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], definition("chain"));
    advance(pair, 400);
    *ret_id = driver_started(&pair->node[0], "chain", NULL);
    struct job_view job = polled_for(&pair->node[0], "w", lease_ms);
    advance(pair, 300); /* The other one is told. */
    return job;
}

static size_t count_rows(struct pair *pair)
{
    struct offered_queue *queue;
    size_t count, rows = 0;
    struct error err;
    assert_int_equal(store_offered(pair->node[0].store, 100, 100, &pair->node[0].arena, &queue, &count, &err),
                     ST_OK);
    for (size_t i = 0; i < count; i++) rows += queue[i].count;
    return rows;
}

/* The report of a worker at the second node, which is not answered at once. */
static struct call *late_report(struct pair *pair, enum call_kind kind, struct job_view job,
                                const char *worker)
{
    struct driver *driver = &pair->node[1];
    struct call *call = driver_call(driver, kind);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    driver_submit(driver, call);
    assert_false(driver_answered(driver, call));
    return call;
}

static void another_node_knows_who_has_a_job(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    assert_int_equal(extend(&pair->node[1], job, "thief", 1000)->status, ST_CONFLICT);
    struct call *failure = driver_fail(&pair->node[1], job, "thief", false);
    assert_int_equal(failure->status, ST_OK);
    assert_int_equal(failure->dropped_, CALLBACK_HELD);
    assert_int_equal(driver_instance(&pair->node[1], id)->status, INSTANCE_ACTIVE);
    struct call *list = driver_call(&pair->node[1], CALL_LIST_JOBS);
    list->as.jobs.max = 10;
    driver_run(&pair->node[1], list);
    assert_int_equal(list->value.jobs.count, 1);
    assert_int_equal(list->value.jobs.view->state, JOB_LOCKED);
    assert_true(str_equal(list->value.jobs.view->worker, STR("w")));
    assert_int_equal(list->value.jobs.view->lock_expires_ms, job.lock_expires_ms);
    assert_int_equal(extend(&pair->node[1], job, "w", 1000)->status, ST_OK);
    failure = driver_fail(&pair->node[1], job, "w", false);
    assert_int_equal(failure->dropped_, CALLBACK_USED);
    assert_int_equal(driver_instance(&pair->node[1], id)->status, INSTANCE_FAILED);
}

static void a_report_waits_until_the_other_node_has_told(void **state)
{
    struct pair *pair = *state;
    struct id id;
    handed_out(pair, 30000, &id);
    driver_started(&pair->node[0], "chain", NULL);
    struct job_view job = polled_for(&pair->node[0], "w", 30000);
    struct call *extension = late_report(pair, CALL_EXTEND_JOB, job, "thief");
    struct call *failure = late_report(pair, CALL_FAIL_JOB, job, "thief");
    advance(pair, 400);
    assert_true(driver_answered(&pair->node[1], extension));
    assert_int_equal(extension->status, ST_CONFLICT);
    assert_true(driver_answered(&pair->node[1], failure));
    assert_int_equal(failure->dropped_, CALLBACK_HELD);
}

static void a_report_does_not_wait_for_long(void **state)
{
    struct pair *pair = *state;
    struct id id;
    handed_out(pair, 30000, &id);
    driver_started(&pair->node[0], "chain", NULL);
    struct job_view job = polled_for(&pair->node[0], "w", 30000);
    struct call *own = late_report(pair, CALL_FAIL_JOB, job, "w");
    for (int i = 0; i < 4; i++) driver_advance(&pair->node[1], 100); /* The other one has no heartbeats. */
    assert_true(driver_answered(&pair->node[1], own));
    assert_int_equal(own->status, ST_OK);
    assert_int_equal(own->dropped_, CALLBACK_USED);
}

/* Nothing of what was told is left behind. */
static void a_job_that_was_told_of_leaves_no_row(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    struct job_row *row;
    size_t count;
    struct error err;
    driver_complete(&pair->node[0], job, "w", NULL);
    assert_int_equal(
        store_jobs_of(pair->node[0].store, &id.instance, 1, &pair->node[0].arena, &row, &count, &err), ST_OK);
    for (size_t i = 0; i < count; i++) assert_int_not_equal(row[i].number, job.number);
}

static const char asks[] = "{\"id\":\"ask\",\"name\":\"Ask\",\"steps\":[{\"id\":\"p\",\"name\":\"Person\","
                           "\"type\":\"USER_TASK\",\"nextStep\":"
                           "\"end\",\"candidateUsers\":[\"eve\"],\"priority\":70},{\"id\":\"end\",\"name\":"
                           "\"End\",\"type\":\"END\"}]}";

/* All that has changed, as the second node has heard it. */
static struct call *changes(struct pair *pair)
{
    struct call *call = driver_call(&pair->node[1], CALL_WATCH_LIVE);
    return driver_run(&pair->node[1], call);
}

static void another_node_hears_what_has_changed(void **state)
{
    struct pair *pair = *state;
    advance(pair, 400);
    changes(pair); /* It listens from now on. */
    driver_deploy(&pair->node[0], asks);
    advance(pair, 400);
    const struct live_round *round = changes(pair)->value.live.round;
    assert_non_null(round);
    const struct live_set *set = &round->set[LIVE_DEFINITIONS];
    bool many;
    assert_true(live_is_noted(round, TENANT_DEFAULT, LIVE_DEFINITIONS, &many) && !many);
    assert_int_equal(set->count, 1);
    assert_true(str_equal(set->id[0], STR("ask")));

    driver_started(&pair->node[0], "ask", NULL); /* Its task has details, which are read where they lie. */
    advance(pair, 400);
    round = changes(pair)->value.live.round;
    assert_int_equal(round->set[LIVE_TASKS].count, 1);
    assert_int_equal(round->set[LIVE_INSTANCES].count, 1);
    assert_false(live_is_noted(round, TENANT_DEFAULT, LIVE_DEFINITIONS, &many));
}

/* The node that leads ends leases which are in rows. Its clock may be ahead by so much. */
enum { AHEAD_MS = 1900, LATE_MS = 2500 };

static void a_lease_does_not_end_early_because_the_clock_of_the_leader_is_ahead(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    assert_int_equal(extend(&pair->node[1], job, "w", 1000)->status, ST_OK);
    pair->node[0].now_ms += AHEAD_MS;
    advance(pair, 800);
    assert_true(nodes_lead(&pair->node[0].engine));
    struct call *poll = driver_run(&pair->node[1], driver_poll(&pair->node[1], "other", "ta", 1));
    assert_int_equal(poll->value.jobs.count, 0);
    struct call *extended = extend(&pair->node[1], job, "w", 1000);
    assert_int_equal(extended->status, ST_OK);
    assert_int_equal(extended->value.jobs.count, 1);
    assert_int_equal(driver_complete(&pair->node[1], job, "w", NULL)->status, ST_OK);
}

static void a_lease_that_was_shortened_elsewhere_ends_here_too(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    assert_int_equal(extend(&pair->node[1], job, "w", 1000)->status, ST_OK);
    advance(pair, 1000 + LATE_MS);
    struct job_view again = polled_for(&pair->node[0], "other", 30000);
    assert_int_equal(again.number, job.number);
    assert_int_equal(again.delivery, job.delivery + 1);
}

static void a_failure_does_not_count_when_another_node_has_given_the_job_to_another(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    assert_int_equal(extend(&pair->node[1], job, "w", 1000)->status, ST_OK);
    advance(pair, 1000 + LATE_MS);
    struct job_view again = polled_for(&pair->node[1], "other", 30000);
    struct call *failure = driver_fail(&pair->node[0], job, "w", false);
    assert_int_equal(failure->status, ST_OK);
    assert_int_equal(failure->dropped_, CALLBACK_EXPIRED);
    assert_int_equal(driver_instance(&pair->node[0], id)->status, INSTANCE_ACTIVE);
    assert_int_equal(driver_complete(&pair->node[0], again, "other", NULL)->status, ST_OK);
    driver_polled(&pair->node[0], "w", "tb");
}

static void an_extension_is_late_when_the_lease_was_shortened_elsewhere(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    assert_int_equal(extend(&pair->node[1], job, "w", 1000)->status, ST_OK);
    advance(pair, 1000 + LATE_MS);
    struct call *late = extend(&pair->node[0], job, "w", 30000);
    assert_int_equal(late->status, ST_OK);
    assert_int_equal(late->value.jobs.count, 0);
    assert_int_equal(polled_for(&pair->node[0], "other", 30000).delivery, job.delivery + 1);
}

/* Its lease runs out at the node that does not know yet that it is completed. */
static void a_job_that_was_completed_elsewhere_is_not_offered_again(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 1000, &id);
    pair->node[1].now_ms += 900;
    assert_int_equal(driver_complete(&pair->node[1], job, "w", NULL)->status, ST_OK);
    struct job_view next = driver_polled(&pair->node[1], "w", "tb");
    assert_int_equal(driver_complete(&pair->node[1], next, "w", NULL)->status, ST_OK);
    driver_advance(&pair->node[0], 1100);
    assert_int_equal(pair->node[0].engine.memory.jobs.by_id.count, 0);
    assert_int_equal(count_rows(pair), 0);
}

/* A node has claimed a job whose lease was over, for a poll that took another one instead. */
static void a_claimed_job_that_was_completed_elsewhere_is_not_handed_out(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 1000, &id);
    driver_started(&pair->node[0], "chain", NULL);
    struct job_view second = driver_polled(&pair->node[0], "w", "ta");
    driver_complete(&pair->node[0], second, "w", NULL); /* Its next job is of type tb. */
    advance(pair, 1100);
    struct call *poll = driver_poll(&pair->node[1], "w", "ta", 1);
    str *types = arena_make_n(&pair->node[1].arena, str, 2);
    types[0] = STR("tb");
    types[1] = STR("ta");
    poll->as.poll.type = types;
    poll->as.poll.type_count = 2;
    driver_run(&pair->node[1], poll);
    assert_int_equal(poll->value.jobs.count, 1); /* The older one. */
    assert_int_equal(poll->value.jobs.view[0].instance, second.instance);
    assert_int_equal(pair->node[1].engine.memory.jobs.ready_count, 1);
    assert_int_equal(driver_complete(&pair->node[0], job, "w", NULL)->status, ST_OK);
    pair->node[1].now_ms += 35;
    struct call *late = driver_run(&pair->node[1], driver_poll(&pair->node[1], "w", "ta", 1));
    assert_int_equal(late->value.jobs.count, 0);
}

/* ---- workers that come back ---- */

/* The worker w polls for both steps at the first node, has a job there and completes it. */
static void complete_one(struct pair *pair)
{
    struct driver *driver = &pair->node[0];
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "tb", 1))->value.jobs.count, 0);
    driver_started(driver, "chain", NULL);
    driver_complete(driver, driver_polled(driver, "w", "ta"), "w", NULL);
}

static void deploy_chain(struct pair *pair)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], definition("chain"));
    advance(pair, 400);
}

static void a_worker_that_completes_a_job_gets_the_next_one_without_a_row(void **state)
{
    struct pair *pair = *state;
    deploy_chain(pair);
    complete_one(pair);
    assert_int_equal(count_rows(pair), 0);
    /* It comes for one job, not for two. */
    driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 1);
    driver_polled(&pair->node[0], "w", "tb");
    assert_int_equal(count_rows(pair), 1);
}

static void a_job_is_not_kept_for_a_worker_that_does_not_come(void **state)
{
    struct pair *pair = *state;
    deploy_chain(pair);
    complete_one(pair);
    driver_advance(&pair->node[0], 19);
    assert_int_equal(count_rows(pair), 0);
    driver_advance(&pair->node[0], 1);
    assert_int_equal(count_rows(pair), 1);
    driver_advance(&pair->node[1], 20);
    driver_polled(&pair->node[1], "v", "tb");

    /* Others are not waited for, either, for a second. */
    complete_one(pair);
    assert_int_equal(count_rows(pair), 1);
    driver_polled(&pair->node[1], "v", "tb");
    advance(pair, 1100);
    complete_one(pair);
    assert_int_equal(count_rows(pair), 0);
}

/* Each of them has its time. */
static void no_job_is_kept_longer_because_another_was_kept_before(void **state)
{
    struct pair *pair = *state;
    deploy_chain(pair);
    complete_one(pair);
    driver_advance(&pair->node[0], 10);
    driver_polled(&pair->node[0], "w", "tb");
    complete_one(pair);
    driver_advance(&pair->node[0], 10);
    assert_int_equal(count_rows(pair), 0);
    driver_advance(&pair->node[0], 20);
    assert_int_equal(count_rows(pair), 1);
}

/* Only what it has polled for is kept for it. */
static void a_job_that_the_worker_does_not_poll_for_is_offered(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_chain(pair);
    driver_started(driver, "chain", NULL);
    driver_complete(driver, driver_polled(driver, "w", "ta"), "w", NULL);
    assert_int_equal(count_rows(pair), 1);
    driver_polled(&pair->node[1], "v", "tb");
}

/* The first node holds a job until a retry's delay is over. Meanwhile the instance fails and is retried at
 * the second one, which has the job from then on. */
static void a_job_held_for_its_time_is_not_handed_out_after_another_node_opened_it_anew(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    advance(pair, 400);
    driver_deploy(first, definition("fork"));
    advance(pair, 400);
    struct id id = driver_started(first, "fork", NULL);
    struct job_view job = driver_polled(first, "w", "ta");
    struct call *waiting = driver_poll(first, "w", "ta", 1); /* For it the next attempt is held. */
    waiting->as.poll.wait_ms = 60000;
    driver_submit(first, waiting);
    driver_fail(first, job, "w", true);
    assert_int_equal(count_rows(pair), 1); /* That of tb. */

    assert_int_equal(driver_fail(second, driver_polled(second, "w", "tb"), "w", false)->status, ST_OK);
    assert_int_equal(driver_instance(second, id)->status, INSTANCE_FAILED);
    assert_int_equal(driver_node(second, CALL_RETRY, id, "b")->status, ST_OK);
    assert_int_equal(count_rows(pair), 2);
    advance(pair, 9900);
    assert_int_equal(first->engine.memory.jobs.by_id.count, 1);
    driver_advance(second, 200);
    struct job_view again = driver_polled(second, "other", "ta");
    driver_advance(first, 200);
    assert_int_equal(first->engine.memory.jobs.by_id.count, 0);
    assert_false(driver_answered(first, waiting));
    assert_int_equal(driver_complete(second, again, "other", NULL)->status, ST_OK);
    advance(pair, 49500);
    assert_false(driver_answered(first, waiting));
    advance(pair, 1000);
    assert_true(driver_answered(first, waiting)); /* It waits as long as it wanted to. */
    assert_int_equal(waiting->value.jobs.count, 0);
}

/* The first node has handed out a job when the instance fails at the second one. After a retry the job is
 * there for anybody, although the first node did not know that it was closed. */
static void a_lease_does_not_outlive_its_instance_at_another_node(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    advance(pair, 400);
    driver_deploy(first, definition("fork"));
    advance(pair, 400);
    struct id id = driver_started(first, "fork", NULL);
    struct job_view job = driver_polled(first, "w", "ta");
    assert_int_equal(driver_fail(second, driver_polled(second, "w", "tb"), "w", false)->status, ST_OK);
    assert_int_equal(driver_node(first, CALL_RETRY, id, "b")->status, ST_OK);
    struct job_view again = driver_polled(first, "other", "ta");
    assert_int_equal(again.number, job.number);
    assert_int_not_equal(again.delivery, job.delivery);
    assert_int_equal(driver_fail(first, job, "w", false)->dropped_, CALLBACK_EXPIRED);
    assert_int_equal(driver_complete(second, again, "other", NULL)->status, ST_OK);
}

/* ---- turns that lose ---- */

/* The second node does not know yet that the configuration has changed: its next turn loses once. */
static void make_stale(struct pair *pair) { driver_deploy(&pair->node[0], asks); }

static uint64_t conflicts(struct pair *pair) { return pair->node[1].engine.metrics->conflicts; }

static void a_replay_counts_once_however_often_its_turn_runs(void **state)
{
    struct pair *pair = *state;
    struct id id;
    handed_out(pair, 30000, &id);
    for (size_t i = 0; i < 2; i++) {
        struct call *call = driver_start(&pair->node[i], "chain", NULL);
        call->idempotency_key = STR("once");
        driver_run(&pair->node[i], call);
        assert_int_equal(call->status, ST_OK);
        assert_int_equal(call->replayed, i == 1);
        if (i == 0) make_stale(pair);
    }
    assert_int_equal(conflicts(pair), 1);
    assert_int_equal(pair->node[1].engine.metrics->idempotent_replays, 1);
}

static void a_retry_counts_once_however_often_its_turn_runs(void **state)
{
    struct pair *pair = *state;
    struct id id;
    struct job_view job = handed_out(pair, 30000, &id);
    make_stale(pair);
    assert_int_equal(driver_fail(&pair->node[1], job, "w", true)->dropped_, CALLBACK_USED);
    assert_int_equal(conflicts(pair), 1);
    assert_int_equal(pair->node[1].engine.metrics->job_retries, 1);
}

static void an_upload_counts_once_however_often_its_turn_runs(void **state)
{
    struct pair *pair = *state;
    advance(pair, 400);
    make_stale(pair);
    driver_deploy(&pair->node[1], definition("chain"));
    assert_int_equal(conflicts(pair), 1);
    assert_int_equal(pair->node[1].engine.metrics->definitions_uploaded, 1);
}

/* A trigger's own numbers, and those of all. */
static void an_arrival_counts_once_however_often_its_turn_runs(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[1];
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/arrive", "orders"));
    advance(pair, 400);
    make_stale(pair);
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive.event = (struct arrival_event){
        .type = ARRIVAL_HTTP, .method = STR("POST"), .path = STR("/orders"), .raw = STR("{\"id\":\"A1\"}")
    };
    driver_run(driver, call);
    assert_int_equal(call->value.arrivals.view->outcome, OUTCOME_CREATED);
    assert_int_equal(conflicts(pair), 1);
    assert_int_equal(driver->engine.metrics->arrivals[OUTCOME_CREATED], 1);
    struct call *list = driver_call(driver, CALL_LIST_TRIGGERS);
    list->as.triggers.max = 10;
    driver_run(driver, list);
    uint64_t counted = 0;
    for (size_t i = 0; i < list->value.triggers.count; i++)
        counted += list->value.triggers.view[i].count[OUTCOME_CREATED];
    assert_int_equal(counted, 1);
}

/* ---- the order of jobs ---- */

/* One job is offered. Then another one is opened in the turn that brings the poll. */
static void assert_older_comes_first(struct driver *driver)
{
    struct id older = driver_started(driver, "chain", NULL);
    struct call *start = driver_start(driver, "chain", NULL), *poll = driver_poll(driver, "w", "ta", 1);
    struct call_list list = { 0 };
    call_list_add(&list, start);
    call_list_add(&list, poll);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    assert_true(driver_answered(driver, start));
    assert_true(driver_answered(driver, poll));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_int_equal(job_view_id(poll->value.jobs.view).instance, older.instance);
}

static void a_job_that_is_offered_comes_before_one_of_the_same_turn(void **state)
{
    struct pair *pair = *state;
    deploy_chain(pair);
    assert_older_comes_first(&pair->node[0]);
    driver_polled(&pair->node[0], "w", "ta");
    leave(pair);
    advance(pair, 2000);
    assert_older_comes_first(&pair->node[0]);
}

/* ---- a node that is alone ---- */

static size_t polled(struct driver *driver, size_t max)
{
    return driver_run(driver, driver_poll(driver, "w", "ta", max))->value.jobs.count;
}

/* The second node has left, and a poll has found nothing. */
static void be_alone(struct pair *pair)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], definition("chain"));
    leave(pair);
    advance(pair, 400);
    assert_int_equal(polled(&pair->node[0], 1), 0);
}

static void a_lone_node_holds_what_its_next_poll_will_take(void **state)
{
    struct pair *pair = *state;
    be_alone(pair);
    driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 0);
    assert_int_equal(polled(&pair->node[0], 1), 1);
}

static void one_of_two_nodes_offers_what_nobody_waits_for(void **state)
{
    struct pair *pair = *state;
    advance(pair, 400);
    driver_deploy(&pair->node[0], definition("chain"));
    advance(pair, 400);
    assert_int_equal(polled(&pair->node[0], 1), 0);
    driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 1);
}

static void a_lone_node_holds_only_so_many(void **state)
{
    struct pair *pair = *state;
    be_alone(pair);
    for (size_t i = 0; i < CLAIM_JOBS_MAX + 10; i++) driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 10);
    assert_int_equal(polled(&pair->node[0], CLAIM_JOBS_MAX), CLAIM_JOBS_MAX);
    assert_int_equal(polled(&pair->node[0], CLAIM_JOBS_MAX), 10);
}

/* What is offered is older than what could be held. */
static void a_lone_node_holds_nothing_while_jobs_are_offered(void **state)
{
    struct pair *pair = *state;
    be_alone(pair);
    advance(pair, 2000); /* It does not know any more that there is nothing. */
    driver_started(&pair->node[0], "chain", NULL);
    driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 2);
    assert_int_equal(polled(&pair->node[0], 1), 1);
    driver_started(&pair->node[0], "chain", NULL);
    assert_int_equal(count_rows(pair), 2);
}

static void what_a_lone_node_holds_is_there_for_one_that_joins(void **state)
{
    struct pair *pair = *state;
    be_alone(pair);
    driver_started(&pair->node[0], "chain", NULL);
    join(pair);
    advance(pair, 400);
    assert_int_equal(count_rows(pair), 1);
    assert_int_equal(polled(&pair->node[1], 1), 1);
}

/* ---- the engine's own workers ---- */

/* The worker waits in a queue that is known to be empty, so only the engine's queue is left to claim from. */
static void an_engine_job_is_claimed_while_workers_wait_for_others(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_chain(pair);
    struct call *wait = driver_poll(driver, "w", "ta", 3);
    wait->as.poll.wait_ms = 10000;
    driver_submit(driver, wait);
    struct call *own = driver_poll(driver, "performer", performer_queue(PERFORM_HTTP, STR_NONE).p, 5);
    own->performs = true;
    assert_int_equal(driver_run(driver, own)->value.jobs.count, 0);
    assert_false(driver_answered(driver, wait));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(another_node_knows_who_has_a_job, setup, teardown),
        cmocka_unit_test_setup_teardown(a_report_waits_until_the_other_node_has_told, setup, teardown),
        cmocka_unit_test_setup_teardown(a_report_does_not_wait_for_long, setup, teardown),
        cmocka_unit_test_setup_teardown(a_job_that_was_told_of_leaves_no_row, setup, teardown),
        cmocka_unit_test_setup_teardown(another_node_hears_what_has_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lease_does_not_end_early_because_the_clock_of_the_leader_is_ahead,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_lease_that_was_shortened_elsewhere_ends_here_too, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_failure_does_not_count_when_another_node_has_given_the_job_to_another, setup, teardown),
        cmocka_unit_test_setup_teardown(an_extension_is_late_when_the_lease_was_shortened_elsewhere, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_job_that_was_completed_elsewhere_is_not_offered_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_claimed_job_that_was_completed_elsewhere_is_not_handed_out, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_worker_that_completes_a_job_gets_the_next_one_without_a_row, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_job_is_not_kept_for_a_worker_that_does_not_come, setup, teardown),
        cmocka_unit_test_setup_teardown(no_job_is_kept_longer_because_another_was_kept_before, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_job_that_the_worker_does_not_poll_for_is_offered, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_job_held_for_its_time_is_not_handed_out_after_another_node_opened_it_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lease_does_not_outlive_its_instance_at_another_node, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_replay_counts_once_however_often_its_turn_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_retry_counts_once_however_often_its_turn_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(an_upload_counts_once_however_often_its_turn_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(an_arrival_counts_once_however_often_its_turn_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_job_that_is_offered_comes_before_one_of_the_same_turn, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_lone_node_holds_what_its_next_poll_will_take, setup, teardown),
        cmocka_unit_test_setup_teardown(one_of_two_nodes_offers_what_nobody_waits_for, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lone_node_holds_only_so_many, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lone_node_holds_nothing_while_jobs_are_offered, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_lone_node_holds_is_there_for_one_that_joins, setup, teardown),
        cmocka_unit_test_setup_teardown(an_engine_job_is_claimed_while_workers_wait_for_others, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
