/* The runtime with its threads, on a memory store and the machine's clock. The test's thread is the one that
 * submits and delivers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, which has a fail() of its own. */
#include "documents.h"
#include "runtime/runtime.h"

#include <cmocka.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

static const char *definition(const char *name) { return document("runtime/runtime", name); }

enum { PATIENCE_S = 60, CALLS_MAX = 2000 };

struct rig {
    struct store *store;
    struct runtime *runtime;
    struct runtime_client *client;
    struct arena arena[CALLS_MAX]; /* One for each call: the engine writes into it. */
    size_t calls;
    size_t done;
    struct call *order[CALLS_MAX]; /* In which they were answered. */
    sem_t woken;
};

static void wake(void *context) { sem_post(&((struct rig *)context)->woken); }

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct error err;
    sem_init(&rig->woken, 0, 0);
    for (size_t i = 0; i < CALLS_MAX; i++) arena_init(&rig->arena[i], 0);
    assert_int_equal(store_open_memory(&rig->store, &err), ST_OK);
    const struct runtime_config config = { .store = rig->store,
                                           .clock = clock_system(),
                                           .limits = limits_default() };
    assert_int_equal(runtime_new(&config, &rig->runtime, &err), ST_OK);
    rig->client = runtime_client_new(
        rig->runtime, &(struct runtime_client_config){ .gathers = true, .wake = wake, .wake_context = rig });
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    runtime_drain(rig->runtime);
    runtime_client_free(rig->client);
    runtime_free(rig->runtime);
    store_close(rig->store);
    for (size_t i = 0; i < CALLS_MAX; i++) arena_done(&rig->arena[i]);
    sem_destroy(&rig->woken);
    free(rig);
    return 0;
}

static void answered(struct call *call)
{
    struct rig *rig = call->user;
    rig->order[rig->done++] = call;
}

static struct call *new_call(struct rig *rig, enum call_kind kind)
{
    assert_true(rig->calls < CALLS_MAX);
    return call_new(kind, &rig->arena[rig->calls++], answered, rig);
}

static void submit(struct rig *rig, struct call *call)
{
    assert_int_equal(runtime_submit(rig->client, call), ST_OK);
}

/* Delivers until so many calls have been answered in all. */
static void await(struct rig *rig, size_t done)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    while (rig->done < done) {
        while (sem_timedwait(&rig->woken, &until) != 0)
            if (errno != EINTR) fail_msg("%zu of %zu calls are answered", rig->done, done);
        runtime_deliver(rig->client);
    }
}

static void deploy(struct rig *rig, const char *text)
{
    struct call *call = new_call(rig, CALL_DEPLOY);
    call->as.deploy.text = str_of(text);
    submit(rig, call);
    runtime_flush(rig->client);
    await(rig, rig->done + 1);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static struct call *start(struct rig *rig, const char *definition)
{
    struct call *call = new_call(rig, CALL_START);
    call->as.start.definition_id = str_of(definition);
    return call;
}

/* The thread of the engine goes to sleep after a turn; only then can a call be alone. After a slow one, which
 * a busy machine makes of any, it takes many quick ones until a call may run on its client's thread again. */
static struct call *run_alone(struct rig *rig, struct call *(*make)(struct rig *rig))
{
    for (;;) {
        struct call *call = make(rig);
        size_t before = rig->done;
        submit(rig, call);
        runtime_flush(rig->client);
        if (rig->done > before) return call;
        await(rig, before + 1);
        rig->done--;
        arena_reset(&rig->arena[--rig->calls]);
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL); /* It needs a moment to go to sleep. */
    }
}

static struct call *start_work(struct rig *rig) { return start(rig, "work"); }

static void a_call_that_is_alone_is_answered_at_once(void **state)
{
    struct rig *rig = *state;
    deploy(rig, definition("work"));
    struct call *call = run_alone(rig, start_work);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.instances.view->status, INSTANCE_ACTIVE);
    assert_int_equal(metric_get(&runtime_metrics(rig->runtime)->queue_depth), 1); /* When it was submitted. */
}

static void calls_that_come_together_share_a_transaction(void **state)
{
    struct rig *rig = *state;
    deploy(rig, definition("work"));
    uint64_t commits = metric_get(&runtime_metrics(rig->runtime)->commits);
    size_t before = rig->done;
    struct call *call[10];
    for (size_t i = 0; i < 10; i++) submit(rig, call[i] = start(rig, "work"));
    runtime_flush(rig->client);
    assert_int_equal(rig->done, before); /* None of them held up the thread that serves others. */
    await(rig, before + 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(call[i]->status, ST_OK);
        assert_ptr_equal(rig->order[before + i], call[i]);
    }
    assert_int_equal(metric_get(&runtime_metrics(rig->runtime)->commits), commits + 1);
}

static void what_must_wait_does_not_hold_up_the_thread_that_submits(void **state)
{
    struct rig *rig = *state;
    deploy(rig, definition("work"));
    static const str types[] = { { "job", 3 } };
    struct call *poll = new_call(rig, CALL_POLL_JOBS);
    poll->as.poll.type = types;
    poll->as.poll.type_count = 1;
    poll->as.poll.max = 1;
    poll->as.poll.worker = STR("w");
    poll->as.poll.wait_ms = PATIENCE_S * 1000;
    size_t before = rig->done;
    submit(rig, poll);
    runtime_flush(rig->client);
    assert_int_equal(rig->done, before);

    struct call *begun = start_work(rig);
    submit(rig, begun);
    runtime_flush(rig->client);
    if (rig->done < before + 2) await(rig, before + 2);
    assert_int_equal(poll->value.jobs.count, 1);
    assert_int_equal(poll->value.jobs.view[0].instance, begun->value.instances.view->id);
}

/* The engine's thread sleeps for a second when it has nothing to do. A timer that was set meanwhile is met in
 * time, and not only after the answer to who waits for it was due. */
static void a_timer_set_by_a_call_that_was_alone_wakes_the_engine(void **state)
{
    struct rig *rig = *state;
    deploy(rig, definition("work"));
    deploy(rig, definition("pause"));
    run_alone(rig, start_work);
    struct call *call = start(rig, "pause");
    call->as.start.wait_ms = 900;
    size_t before = rig->done;
    submit(rig, call);
    runtime_flush(rig->client);
    await(rig, before + 1);
    assert_int_equal(call->value.instances.view->status, INSTANCE_COMPLETED);
}

static void what_is_queued_is_done_before_the_end(void **state)
{
    struct rig *rig = *state;
    deploy(rig, definition("work"));
    size_t before = rig->done;
    for (size_t i = 0; i < 20; i++) submit(rig, start(rig, "work"));
    runtime_flush(rig->client);
    runtime_drain(rig->runtime);
    struct call *late = start(rig, "work");
    assert_int_equal(runtime_submit(rig->client, late), ST_DRAINING);
    await(rig, before + 20);
    assert_true(runtime_idle(rig->runtime));
}

static struct call *list(struct rig *rig)
{
    struct call *call = new_call(rig, CALL_LIST_INSTANCES);
    call->as.instances.filter = (struct instance_filter){ .ns = NAMESPACE_DEFAULT, .status = -1, .max = 1 };
    return call;
}

/* However many there are, and however long each would take. */
static void questions_that_nobody_waits_for_are_refused(void **state)
{
    struct rig *rig = *state;
    runtime_leave(rig->runtime);
    for (size_t i = 0; i < 20; i++) submit(rig, list(rig));
    runtime_flush(rig->client);
    await(rig, 20);
    for (size_t i = 0; i < 20; i++) assert_int_equal(rig->order[i]->status, ST_DRAINING);
    assert_int_equal(runtime_client_unfinished(rig->client), 0);
}

int main(void)
{
#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_call_that_is_alone_is_answered_at_once),
        RIG_TEST(calls_that_come_together_share_a_transaction),
        RIG_TEST(what_must_wait_does_not_hold_up_the_thread_that_submits),
        RIG_TEST(a_timer_set_by_a_call_that_was_alone_wakes_the_engine),
        RIG_TEST(what_is_queued_is_done_before_the_end),
        RIG_TEST(questions_that_nobody_waits_for_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
