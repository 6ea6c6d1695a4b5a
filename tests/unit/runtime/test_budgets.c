/* Answers within their bounds, and calls that nobody waits for any more. */
#include "driver.h"

static const char *definition(const char *name) { return document("runtime/budgets", name); }

enum { PAYLOAD_BYTES = 3000 };

/* As small as the instances of these tests are. */
static int setup(void **state)
{
    struct driver *driver;
    driver_setup(state);
    driver = *state;
    driver_close(driver);
    driver->limits.answer_bytes_max = 10000;
    driver_open(driver);
    return 0;
}

/* Control characters: one byte as stored is six in a text. */
static struct id start_loud(struct driver *driver, const char *definition)
{
    static char text[PAYLOAD_BYTES * 2 + 64];
    char *p = text + sprintf(text, "{\"a\":\"");
    for (size_t i = 0; i < PAYLOAD_BYTES / 6; i++) p += sprintf(p, "\\u0001");
    sprintf(p, "\"}");
    return driver_started(driver, definition, text);
}

static struct call *poll_of(struct driver *driver, int64_t wait_ms)
{
    static const str types[] = { { "job", 3 } };
    struct call *call = driver_call(driver, CALL_POLL_JOBS);
    call->as.poll.type = types;
    call->as.poll.type_count = 1;
    call->as.poll.max = 100;
    call->as.poll.worker = STR("w");
    call->as.poll.wait_ms = wait_ms;
    return call;
}

static void a_poll_ends_where_its_answer_is_full(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("work"));
    for (size_t i = 0; i < 8; i++) start_loud(driver, "work");
    size_t got = 0;
    static const size_t want[] = { 3, 3, 2, 0 }; /* 3,000 bytes of text each, in 10,000. */
    for (size_t i = 0; i < COUNT(want); i++) {
        struct call *call = driver_run(driver, poll_of(driver, 0));
        assert_int_equal(call->status, ST_OK);
        assert_int_equal(call->value.jobs.count, want[i]);
        got += call->value.jobs.count;
    }
    assert_int_equal(got, 8);
    assert_int_equal(driver->engine.memory.jobs.leased_count, 8);
}

static void one_job_is_always_handed_out(void **state)
{
    struct driver *driver = *state;
    driver->engine.limits.answer_bytes_max = 1;
    driver_deploy(driver, definition("work"));
    start_loud(driver, "work");
    start_loud(driver, "work");
    assert_int_equal(driver_run(driver, poll_of(driver, 0))->value.jobs.count, 1);
    assert_int_equal(driver_run(driver, poll_of(driver, 0))->value.jobs.count, 1);
}

/* Nothing is leased by a poll whose answer nobody could take. */
static void polls_and_reads_are_refused_while_answers_are_unread(void **state)
{
    struct driver *driver = *state;
    struct budget answers = { .used = 100, .max = 100 };
    driver_deploy(driver, definition("work"));
    struct id id = start_loud(driver, "work");
    driver->engine.answers = driver->query.answers = &answers;
    struct call *call = driver_run(driver, poll_of(driver, 0));
    assert_int_equal(call->status, ST_BUSY);
    assert_non_null(strstr(call->error.message, "answers_bytes_max"));
    assert_int_equal(driver->engine.memory.jobs.leased_count, 0);
    call = driver_call(driver, CALL_GET_INSTANCE);
    call->as.read.id = id;
    assert_int_equal(driver_run(driver, call)->status, ST_BUSY);
    call = driver_call(driver, CALL_STATISTICS);
    assert_int_equal(driver_run(driver, call)->status, ST_OK);

    /* A batch has done its part, and gets no jobs. */
    call = driver_batch(driver, poll_of(driver, 0));
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    assert_int_equal(call->value.jobs.count, 0);

    call = driver_call(driver, CALL_CANCEL);
    call->as.instance.id = id;
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    driver->engine.answers = driver->query.answers = NULL;
}

static void pages_by_number_keep_items_and_others_end(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("work"));
    driver->query.limits.answer_bytes_max = 1500; /* Of stored bytes: two instances. */
    for (size_t i = 0; i < 5; i++) start_loud(driver, "work");
    struct call *call = driver_call(driver, CALL_LIST_INSTANCES);
    call->as.instances.filter = (struct instance_filter){ .status = -1, .max = 10, .ns = call->ns };
    call->as.instances.with_total = true;
    driver_run(driver, call);
    assert_int_equal(call->value.instances.count, 5);
    assert_int_equal(call->value.instances.total, 5);
    assert_false(call->value.instances.cut);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(call->value.instances.view[i].data_omitted, i >= 3);
        assert_int_equal(call->value.instances.view[i].current_count, 1);
    }
    call = driver_call(driver, CALL_LIST_INSTANCES);
    call->as.instances.filter = (struct instance_filter){ .status = -1, .max = 10, .ns = call->ns };
    driver_run(driver, call);
    assert_int_equal(call->value.instances.count, 3);
    assert_true(call->value.instances.cut);
}

static void an_abandoned_poll_is_answered_in_the_next_turn(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("work"));
    struct call *call = poll_of(driver, 60000);
    call->serial_ = 7;
    driver_submit(driver, call);
    assert_false(driver_answered(driver, call));
    engine_abandon(&driver->engine, 6); /* Unknown: answered long ago, perhaps. */
    driver_turn(driver);
    assert_false(driver_answered(driver, call));
    call->abandoned = true;
    engine_abandon(&driver->engine, 7);
    driver_turn(driver);
    assert_true(driver_answered(driver, call));
    assert_int_equal(driver->engine.memory.jobs.waiting_count, 0);
    assert_int_equal(driver->engine.memory.deadlines.of_call.count, 0);

    /* It would have been given this one. */
    driver_started(driver, "work", NULL);
    assert_int_equal(driver_run(driver, poll_of(driver, 0))->value.jobs.count, 1);
}

static void abandoned_starts_and_watches_are_answered_too(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("wait"));
    struct call *start = driver_start(driver, "wait", NULL);
    start->as.start.wait_ms = 60000;
    start->serial_ = 1;
    driver_submit(driver, start);
    assert_false(driver_answered(driver, start));
    struct call *watch[3];
    for (size_t i = 0; i < COUNT(watch); i++) {
        watch[i] = driver_call(driver, CALL_WATCH);
        watch[i]->as.watch.id = instance_view_id(start->value.instances.view);
        watch[i]->as.watch.after = 1;
        watch[i]->as.watch.wait_ms = 60000;
        watch[i]->serial_ = 2 + i;
        driver_submit(driver, watch[i]);
        assert_false(driver_answered(driver, watch[i]));
    }
    engine_abandon(&driver->engine, 3); /* In the middle, then the others. */
    engine_abandon(&driver->engine, 1);
    engine_abandon(&driver->engine, 2);
    driver_turn(driver);
    assert_true(driver_answered(driver, start));
    assert_true(driver_answered(driver, watch[0]));
    assert_true(driver_answered(driver, watch[1]));
    assert_false(driver_answered(driver, watch[2]));
    engine_abandon(&driver->engine, 4);
    driver_turn(driver);
    assert_true(driver_answered(driver, watch[2]));
}

/* Whoever left before the call came to wait never waits. */
static void who_left_before_does_not_begin_to_wait(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("wait"));
    struct call *call = driver_start(driver, "wait", NULL);
    call->as.start.wait_ms = 60000;
    call->abandoned = true;
    driver_run(driver, call);
    struct call *watch = driver_call(driver, CALL_WATCH);
    watch->as.watch.id = instance_view_id(call->value.instances.view);
    watch->as.watch.after = 1;
    watch->as.watch.wait_ms = 60000;
    watch->abandoned = true;
    driver_run(driver, watch);
    call = poll_of(driver, 60000);
    call->abandoned = true;
    driver_run(driver, call);
}

/* It holds what it has, not the sum of what it had after each part. */
static void a_read_in_parts_is_counted_once(void **state)
{
    struct driver *driver = *state;
    struct budget answers = { .max = INT64_MAX };
    struct arena arena;
    arena_init(&arena, 0);
    struct call *call = call_new(CALL_SEARCH, &arena, NULL, NULL);
    (void)driver;
    for (int part = 0; part < 3; part++) {
        arena_alloc(&arena, 100000);
        call_hold(call, &answers);
        assert_true(call->held_bytes_ >= (part + 1) * 100000);
        assert_int_equal(answers.used, call->held_bytes_);
    }
    arena_done(&arena);
}

int main(void)
{
#define BUDGET_TEST(name) cmocka_unit_test_setup_teardown(name, setup, driver_teardown)
    const struct CMUnitTest tests[] = {
        BUDGET_TEST(a_poll_ends_where_its_answer_is_full),
        BUDGET_TEST(one_job_is_always_handed_out),
        BUDGET_TEST(polls_and_reads_are_refused_while_answers_are_unread),
        BUDGET_TEST(pages_by_number_keep_items_and_others_end),
        BUDGET_TEST(an_abandoned_poll_is_answered_in_the_next_turn),
        BUDGET_TEST(abandoned_starts_and_watches_are_answered_too),
        BUDGET_TEST(who_left_before_does_not_begin_to_wait),
        BUDGET_TEST(a_read_in_parts_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
