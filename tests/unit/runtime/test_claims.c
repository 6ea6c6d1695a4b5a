/* Two engines on one store: claims whose answers are lost or come too late, claims of very many queues, and
 * what a dead node has left. */
#include "pair_driver.h"

#include "store/store_int.h"

static void deploy(struct pair *pair, const char *name)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/jobs", name));
    advance(pair, 400);
}

/* ---- claims ---- */

static struct {
    const struct node_ops *real;
    struct node_ops ops;
    size_t lost;
} faults;

/* The store has done it, and the connection breaks. */
static enum status lose_answer(struct store *store, const struct job_claim *claim, size_t claim_count,
                               int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                               struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    TRY(faults.real->claim_jobs(store, claim, claim_count, now_ms, arena, ret_row, ret_instance, ret_count,
                                err));
    if (!*ret_count) return ST_OK;
    faults.lost++;
    return (fail)(err, ST_STORE, "store", "the connection is lost");
}

/* The node claims the job for a poll of a worker, and does not hear of it. */
static struct call *claims_and_loses(struct driver *driver)
{
    struct call *poll = driver_poll(driver, "other", "ta", 1);
    poll->as.poll.wait_ms = 10000;
    faults.real = driver->store->nodes;
    faults.ops = *faults.real;
    faults.ops.claim_jobs = lose_answer;
    faults.lost = 0;
    driver->store->nodes = &faults.ops;
    atomic_store(&driver->engine.nodes.offers.woken, true); /* Another node has woken it. */
    driver_submit(driver, poll);
    driver->store->nodes = faults.real;
    assert_int_equal(faults.lost, 1);
    return poll;
}

static void a_job_of_a_lost_claim_is_handed_out(void **state)
{
    struct pair *pair = *state;
    deploy(pair, "chain");
    driver_started(&pair->node[0], "chain", NULL);
    struct call *poll = claims_and_loses(&pair->node[1]);
    advance(pair, 400);
    assert_true(driver_answered(&pair->node[1], poll));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_int_equal(driver_complete(&pair->node[1], poll->value.jobs.view[0], "other", NULL)->status, ST_OK);
}

/* The node has handed out the job before its instance failed elsewhere and was retried. What it remembers of
 * that is not the job that it has claimed now. */
static void a_job_of_a_lost_claim_is_handed_out_a_second_time(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    deploy(pair, "fork");
    struct id id = driver_started(first, "fork", NULL);
    struct job_view job = driver_polled(second, "w", "ta");
    assert_int_equal(driver_fail(first, driver_polled(first, "w", "tb"), "w", false)->status, ST_OK);
    assert_int_equal(driver_node(first, CALL_RETRY, id, "b")->status, ST_OK);
    struct call *poll = claims_and_loses(second);
    advance(pair, 400);
    assert_true(driver_answered(second, poll));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_int_equal(poll->value.jobs.view[0].number, job.number);
    assert_int_not_equal(poll->value.jobs.view[0].delivery, job.delivery);
    assert_int_equal(driver_complete(second, poll->value.jobs.view[0], "other", NULL)->status, ST_OK);
}

/* ---- states that are too large for a claim ---- */

/* Claims come without states: they are too large. */
static enum status leave_states_out(struct store *store, const struct job_claim *claim, size_t claim_count,
                                    int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                                    struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    TRY(faults.real->claim_jobs(store, claim, claim_count, now_ms, arena, ret_row, ret_instance, ret_count,
                                err));
    for (size_t i = 0; i < *ret_count; i++) (*ret_instance)[i].state = STR_NONE;
    faults.lost += *ret_count;
    return ST_OK;
}

static enum status leave_claimed_states_out(struct store *store, const struct job_row *after, size_t max,
                                            struct arena *arena, struct job_row **ret_row,
                                            struct instance_row **ret_instance, size_t *ret_count,
                                            struct error *err)
{
    TRY(faults.real->claimed_jobs(store, after, max, arena, ret_row, ret_instance, ret_count, err));
    for (size_t i = 0; i < *ret_count; i++) (*ret_instance)[i].state = STR_NONE;
    return ST_OK;
}

/* Only so many instances can be read. */
static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t room;
} reads;

static enum status load_some(struct store *store, uint64_t id, struct arena *arena,
                             struct instance_row *ret_row, struct error *err)
{
    if (!reads.room) return (fail)(err, ST_STORE, "store", "the connection is lost");
    reads.room--;
    return reads.real->load_instance(store, id, arena, ret_row, err);
}

static void break_node(struct driver *driver, bool without_states, size_t room)
{
    faults.real = driver->store->nodes;
    faults.ops = *faults.real;
    faults.lost = 0;
    if (without_states) faults.ops.claim_jobs = leave_states_out;
    if (without_states) faults.ops.claimed_jobs = leave_claimed_states_out;
    driver->store->nodes = &faults.ops;
    reads.real = driver->store->ops;
    reads.ops = *reads.real;
    reads.ops.load_instance = load_some;
    reads.room = room;
    driver->store->ops = &reads.ops;
}

static void mend_node(struct driver *driver)
{
    driver->store->nodes = faults.real;
    driver->store->ops = reads.real;
}

static void assert_payload(const struct call *poll, size_t at, int64_t expected)
{
    int64_t n;
    assert_true(at < poll->value.jobs.count);
    assert_true(json_int64(json_get(poll->value.jobs.view[at].data, STR("n")), &n));
    assert_int_equal(n, expected);
}

static void a_job_that_comes_without_a_state_is_handed_out(void **state)
{
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    deploy(pair, "chain");
    driver_started(&pair->node[0], "chain", "{\"n\":1}");
    driver_started(&pair->node[0], "chain", "{\"n\":2}");
    break_node(second, true, 100);
    struct call *poll = driver_run(second, driver_poll(second, "w", "ta", 2));
    mend_node(second);
    assert_int_equal(faults.lost, 2);
    assert_int_equal(poll->value.jobs.count, 2);
    for (size_t i = 0; i < 2; i++) assert_payload(poll, i, (int64_t)i + 1);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(driver_complete(second, poll->value.jobs.view[i], "w", NULL)->status, ST_OK);
}

/* The second one is claimed, and nobody else can have it. */
static void a_job_that_cannot_be_read_is_taken_later(void **state)
{
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    deploy(pair, "chain");
    driver_started(&pair->node[0], "chain", "{\"n\":1}");
    driver_started(&pair->node[0], "chain", "{\"n\":2}");
    break_node(second, true, 1);
    struct call *first = driver_run(second, driver_poll(second, "w", "ta", 2));
    mend_node(second);
    assert_int_equal(faults.lost, 2);
    assert_int_equal(first->value.jobs.count, 1);
    assert_payload(first, 0, 1);
    struct call *poll = driver_run(second, driver_poll(second, "w", "ta", 2));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_payload(poll, 0, 2);
}

/* Other claims meanwhile do not tell that all is well. */
static void a_job_that_cannot_be_read_twice_is_taken_later(void **state)
{
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    deploy(pair, "chain");
    driver_started(&pair->node[0], "chain", "{\"n\":1}");
    driver_started(&pair->node[0], "chain", "{\"n\":2}");
    break_node(second, true, 1);
    struct call *first = driver_run(second, driver_poll(second, "w", "ta", 2));
    assert_int_equal(first->value.jobs.count, 1);
    struct call *other = driver_run(second, driver_poll(second, "w", "other", 2));
    assert_int_equal(other->value.jobs.count, 0);
    mend_node(second);
    struct call *poll = driver_run(second, driver_poll(second, "w", "ta", 2));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_payload(poll, 0, 2);
}

/* Nothing but the claim is read for them. */
static void jobs_of_one_instance_are_claimed_with_one_state(void **state)
{
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    str type[] = { STR("ta"), STR("tb") };
    deploy(pair, "fork");
    driver_started(&pair->node[0], "fork", "{\"n\":1}");
    struct call *poll = driver_poll(second, "w", "ta", 2);
    poll->as.poll.type = type;
    poll->as.poll.type_count = COUNT(type);
    break_node(second, false, 0);
    driver_run(second, poll);
    mend_node(second);
    assert_int_equal(poll->value.jobs.count, 2);
    for (size_t i = 0; i < 2; i++) assert_payload(poll, i, 1);
}

/* ---- very many queues ---- */

static void start_with_type(struct driver *driver, int number)
{
    const char *text = arena_printf(&driver->arena,
                                    "{\"id\":\"d%d\",\"name\":\"d\",\"steps\":[{\"id\":\"a\",\"name\":\"a\","
                                    "\"type\":\"SERVICE_TASK\",\"jobType\":\"t%d\",\"nextStep\":\"e\"},"
                                    "{\"id\":\"e\",\"name\":\"e\",\"type\":\"END\"}]}",
                                    number, number)
                           .p;
    driver_deploy(driver, text);
    driver_started(driver, arena_printf(&driver->arena, "d%d", number).p, NULL);
}

static struct call *waits_for(struct driver *driver, str *type, size_t count)
{
    struct call *poll = driver_poll(driver, "w", type[0].p, 1);
    poll->as.poll.type = type;
    poll->as.poll.type_count = count;
    poll->as.poll.wait_ms = 60000;
    driver_submit(driver, poll);
    return poll;
}

/* Polls wait in more queues than fit into a claim, and nothing comes in most of them. */
static void no_queue_is_forgotten(void **state)
{
    enum { IDLE = 2, JOBS = 12 };
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    struct call *poll[JOBS];
    advance(pair, 400);
    for (int i = 0; i < IDLE; i++) {
        str *type = arena_make_n(&second->arena, str, JOB_TYPES_PER_POLL_MAX);
        for (int k = 0; k < JOB_TYPES_PER_POLL_MAX; k++)
            type[k] = arena_printf(&second->arena, "idle%d-%d", i, k);
        waits_for(second, type, JOB_TYPES_PER_POLL_MAX);
    }
    for (int i = 0; i < JOBS; i++) {
        str *type = arena_make(&second->arena, str);
        *type = arena_printf(&second->arena, "t%d", i);
        poll[i] = waits_for(second, type, 1);
    }
    for (int i = 0; i < JOBS; i++) start_with_type(&pair->node[0], i);
    advance(pair, 1000);
    for (int i = 0; i < JOBS; i++) {
        assert_true(driver_answered(second, poll[i]));
        assert_int_equal(poll[i]->value.jobs.count, 1);
    }
}

enum { BUSY_POLLS = 2, BUSY_TYPES = 150 };

static struct {
    str type[BUSY_POLLS * BUSY_TYPES];
    bool claimed[BUSY_POLLS * BUSY_TYPES];
} busy;

static enum status note_claims(struct store *store, const struct job_claim *claim, size_t claim_count,
                               int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                               struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    for (size_t i = 0; i < claim_count; i++)
        for (size_t k = 0; k < COUNT(busy.type); k++)
            if (str_equal(claim[i].queue, busy.type[k])) busy.claimed[k] = true;
    return faults.real->claim_jobs(store, claim, claim_count, now_ms, arena, ret_row, ret_instance, ret_count,
                                   err);
}

/* So long its workers poll again and again, besides those that wait. */
static void keep_busy(struct driver *driver, int heartbeats)
{
    for (; heartbeats; heartbeats--) {
        driver_advance(driver, 200);
        for (size_t i = 0; i < BUSY_POLLS; i++) {
            struct call *poll = driver_poll(driver, "w", "", 1);
            poll->as.poll.type = &busy.type[i * BUSY_TYPES];
            poll->as.poll.type_count = BUSY_TYPES;
            driver_run(driver, poll);
        }
    }
}

/* It knows of all that nothing is offered there, until something is: an instance waits before a retry, or a
 * dead node has left it. More queues are known than fit into a claim. */
static void a_lone_node_looks_into_all_its_queues(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    leave(pair);
    advance(pair, 3000);
    for (size_t i = 0; i < COUNT(busy.type); i++) busy.type[i] = arena_printf(&driver->arena, "busy%zu", i);
    for (size_t i = 0; i < BUSY_POLLS; i++) waits_for(driver, &busy.type[i * BUSY_TYPES], BUSY_TYPES);
    keep_busy(driver, 5);
    faults.real = driver->store->nodes;
    faults.ops = *faults.real;
    faults.ops.claim_jobs = note_claims;
    driver->store->nodes = &faults.ops;
    keep_busy(driver, 5);
    driver->store->nodes = faults.real;
    size_t claimed = 0;
    for (size_t i = 0; i < COUNT(busy.type); i++) claimed += busy.claimed[i];
    assert_int_equal(claimed, COUNT(busy.type));
}

/* ---- rows that are left behind ---- */

static struct {
    struct driver *driver; /* The node at which the instance is retried. */
    struct id id;
} retry;

/* Between a claim and the removal of its row another node opens the job anew. */
static enum status overtaken_drop(struct store *store, const struct job_row *row, size_t count,
                                  struct error *err)
{
    faults.lost++;
    assert_int_equal(driver_node(retry.driver, CALL_RETRY, retry.id, "b")->status, ST_OK);
    return faults.real->drop_jobs(store, row, count, err);
}

static void a_job_that_is_opened_anew_keeps_its_row(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    struct error err;
    deploy(pair, "fork");
    retry.driver = first;
    retry.id = driver_started(first, "fork", NULL);
    struct job_row left = { .instance = retry.id.instance,
                            .number = driver_polled(first, "w", "ta").number,
                            .queue = STR("ta") };
    assert_int_equal(driver_fail(first, driver_polled(first, "w", "tb"), "w", false)->status, ST_OK);
    assert_int_equal(store_offer_new(first->store, &left, 1, &err), ST_OK);
    faults.real = second->store->nodes;
    faults.ops = *faults.real;
    faults.ops.drop_jobs = overtaken_drop;
    faults.lost = 0;
    second->store->nodes = &faults.ops;
    struct call *poll = driver_run(second, driver_poll(second, "w", "ta", 1));
    second->store->nodes = faults.real;
    assert_int_equal(faults.lost, 1);
    if (!poll->value.jobs.count) driver_polled(second, "w", "ta");
}

/* ---- jobs that a dead node held ---- */

static struct {
    struct driver driver; /* A third node. */
    struct job_view job;
} living;

/* The third node is faster: between the two reads of the successor it completes the job. The next one is held
 * for a worker that waits there. */
static enum status overtaken_held_ids(struct store *store, int64_t node, uint64_t after, size_t max,
                                      struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                      struct error *err)
{
    TRY(faults.real->held_ids(store, node, after, max, arena, ret_id, ret_count, err));
    if (*ret_count && !faults.lost++)
        assert_int_equal(driver_complete(&living.driver, living.job, "w", NULL)->status, ST_OK);
    return ST_OK;
}

static void join_third(struct pair *pair)
{
    struct error err;
    living.driver = (struct driver){ .limits = limits_default(), .now_ms = pair->node[0].now_ms };
    arena_init(&living.driver.arena, 0);
    assert_int_equal(store_join_memory(pair->first, &living.driver.store, &err), ST_OK);
    driver_open(&living.driver);
}

static void leave_third(void)
{
    driver_close(&living.driver);
    store_close(living.driver.store);
    arena_done(&living.driver.arena);
}

static void a_job_that_a_living_node_holds_is_not_taken_over(void **state)
{
    struct pair *pair = *state;
    struct driver *successor = &pair->node[0], *dead = &pair->node[1];
    deploy(pair, "chain");
    join_third(pair);
    struct call *poll = waits_for(dead, &(str){ "ta", 2 }, 1),
                *next = waits_for(&living.driver, &(str){ "tb", 2 }, 1);
    driver_started(dead, "chain", NULL);
    assert_true(driver_answered(dead, poll));
    living.job = poll->value.jobs.view[0];
    faults.real = successor->store->nodes;
    faults.ops = *faults.real;
    faults.ops.held_ids = overtaken_held_ids;
    faults.lost = 0;
    successor->store->nodes = &faults.ops;
    for (int i = 0; i < 30; i++) {
        driver_advance(successor, 100);
        driver_advance(&living.driver, 100);
    }
    successor->store->nodes = faults.real;
    assert_int_equal(metric_get(&successor->metrics.takeovers), 1);
    assert_true(driver_answered(&living.driver, next));
    assert_int_equal(next->value.jobs.count, 1);
    struct call *late = driver_run(successor, driver_poll(successor, "other", "tb", 1));
    assert_int_equal(late->value.jobs.count, 0);
    leave_third();
}

/* ---- events on a long way ---- */

static void put_events(struct pair *pair, uint64_t node, size_t count)
{
    struct store *store = pair->node[0].store;
    struct error err;
    assert_int_equal(store_begin(store, &err), ST_OK);
    for (size_t i = 0; i < 2 * count; i++) {
        struct pending_row row = { .parent = ID_INSTANCE_MAX + (node << 32) + 1 + i / 2,
                                   .number = (uint32_t)(i % 2),
                                   .ns = NAMESPACE_DEFAULT,
                                   .target = i % 2 ? STR("\1place") : STR("\1event"),
                                   .data = STR("data") };
        struct changeset changeset = { .pending_add = &row };
        assert_int_equal(store_apply(store, &changeset, &err), ST_OK);
    }
    assert_int_equal(store_commit(store, &err), ST_OK);
}

/* However many there are, and whoever has them. */
static void all_events_of_a_dead_node_are_taken_over(void **state)
{
    struct pair *pair = *state;
    struct engine *engine = &pair->node[0].engine;
    struct error err;
    advance(pair, 400);
    put_events(pair, 7, 150);
    put_events(pair, 9, 150);
    assert_int_equal(routings_take_over(engine, 9, &err), ST_OK);
    assert_int_equal(engine->events.routings.count, 150);
    assert_int_equal(routings_take_over(engine, 9, &err), ST_OK);
    assert_int_equal(engine->events.routings.count, 150);
    assert_int_equal(routings_take_over(engine, 7, &err), ST_OK);
    assert_int_equal(engine->events.routings.count, 300);
    for (const struct routing *routing = engine->events.routings.first; routing; routing = routing->next) {
        assert_int_equal(routing->number >> 32, store_node(pair->node[0].store));
        assert_true(str_equal(routing->event, STR("data")) && str_equal(routing->place, STR("data")));
    }
}

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    struct engine *other;
} leaders;

/* The other node takes over the same events as soon as we have read the last of them. */
static enum status overtaken_pending(struct store *store, int32_t ns, str target, int32_t priority,
                                     const struct pending_row *after, struct arena *arena,
                                     struct pending_row *ret_row, size_t max, size_t *ret_count,
                                     struct error *err)
{
    TRY(leaders.real->pending(store, ns, target, priority, after, arena, ret_row, max, ret_count, err));
    if (leaders.other && str_equal(target, STR("\1place"))) {
        assert_int_equal(routings_take_over(leaders.other, 9, err), ST_OK);
        leaders.other = NULL;
    }
    return ST_OK;
}

/* For a moment two nodes may lead. */
static void one_of_two_nodes_takes_over_an_event(void **state)
{
    struct pair *pair = *state;
    struct engine *first = &pair->node[0].engine, *second = &pair->node[1].engine;
    struct error err;
    advance(pair, 400);
    put_events(pair, 9, 10);
    leaders.real = pair->node[0].store->ops;
    leaders.ops = *leaders.real;
    leaders.ops.pending = overtaken_pending;
    leaders.other = second;
    pair->node[0].store->ops = &leaders.ops;
    assert_int_equal(routings_take_over(first, 9, &err), ST_AGAIN);
    assert_int_equal(first->events.routings.count, 0);
    assert_int_equal(second->events.routings.count, 10);
    assert_int_equal(routings_take_over(first, 9, &err), ST_OK);
    pair->node[0].store->ops = leaders.real;
    assert_int_equal(first->events.routings.count, 0);
}

int main(void)
{
#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_job_of_a_lost_claim_is_handed_out),
        PAIR_TEST(a_job_of_a_lost_claim_is_handed_out_a_second_time),
        PAIR_TEST(a_job_that_comes_without_a_state_is_handed_out),
        PAIR_TEST(a_job_that_cannot_be_read_is_taken_later),
        PAIR_TEST(a_job_that_cannot_be_read_twice_is_taken_later),
        PAIR_TEST(jobs_of_one_instance_are_claimed_with_one_state),
        PAIR_TEST(no_queue_is_forgotten),
        PAIR_TEST(a_lone_node_looks_into_all_its_queues),
        PAIR_TEST(a_job_that_is_opened_anew_keeps_its_row),
        PAIR_TEST(a_job_that_a_living_node_holds_is_not_taken_over),
        PAIR_TEST(all_events_of_a_dead_node_are_taken_over),
        PAIR_TEST(one_of_two_nodes_takes_over_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
