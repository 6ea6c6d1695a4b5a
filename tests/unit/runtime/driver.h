/* tests/unit/runtime/driver.h — the engine and the query without threads, on a memory store
 * and a clock that is turned by hand. */
#ifndef TESTS_RUNTIME_DRIVER_H
#define TESTS_RUNTIME_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, which has a fail() of its own. */
#include "documents.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/queries.h"
#include "runtime/transact/transact.h"
#include "source/source.h"

#include <cmocka.h>

struct driver {
    struct store *store;
    struct engine engine;
    struct query query;
    struct metrics metrics;
    struct limits limits;
    int64_t retention_ms, retention_failed_ms;
    int64_t now_ms;
    int32_t ns;         /* The tenant of the calls; 0: the default one. */
    struct arena arena; /* Of the calls. */
    struct call_list answered;
};

static inline int64_t driver_now_ms(void *context) { return ((struct driver *)context)->now_ms; }

static inline void driver_open(struct driver *driver)
{
    struct error err;
    struct clock clock = { driver_now_ms, driver };
    assert_int_equal(engine_open(&driver->engine, driver->store, clock, &driver->limits,
                                 (struct retention){ driver->retention_ms, driver->retention_failed_ms },
                                 &driver->metrics, &err),
                     ST_OK);
    assert_int_equal(query_open(&driver->query, driver->engine.store, &driver->limits, &err), ST_OK);
}

static inline int driver_setup(void **state)
{
    struct driver *driver = calloc(1, sizeof *driver);
    struct error err;
    driver->limits = limits_default();
    driver->now_ms = 1767225600000; /* 2026-01-01T00:00:00Z */
    arena_init(&driver->arena, 0);
    assert_int_equal(store_open_memory(&driver->store, &err), ST_OK);
    driver_open(driver);
    *state = driver;
    return 0;
}

static inline void driver_turn(struct driver *driver)
{
    struct call_list none = { 0 };
    engine_turn(&driver->engine, &none);
    for (struct call *call; (call = call_list_take(&driver->engine.for_query)) != NULL;) {
        queries_call(&driver->query, call);
        call_list_add(&driver->answered, call);
    }
    call_list_append(&driver->answered, &driver->engine.answered);
}

/* Is a chained start of any priority due? */
static inline bool driver_has_pending(const struct driver *driver)
{
    bool due = false;
    for (int i = BACKLOG_PENDING; i <= BACKLOG_PENDING_LAST; i++)
        due |= driver->engine.transact.backlog[i].due;
    return due;
}

static inline void driver_close(struct driver *driver)
{
    engine_drain(&driver->engine);
    driver_turn(driver);
    query_close(&driver->query);
    engine_close(&driver->engine);
}

static inline int driver_teardown(void **state)
{
    struct driver *driver = *state;
    driver_close(driver);
    store_close(driver->store);
    arena_done(&driver->arena);
    free(driver);
    return 0;
}

/* All that is not durable is lost. */
static inline void driver_restart(struct driver *driver)
{
    driver_close(driver);
    driver_open(driver);
}

static inline void driver_advance(struct driver *driver, int64_t ms)
{
    driver->now_ms += ms;
    driver_turn(driver);
}

static inline struct call *driver_call(struct driver *driver, enum call_kind kind)
{
    struct call *call = call_new(kind, &driver->arena, NULL, NULL);
    if (driver->ns) call->ns = driver->ns;
    return call;
}

/* Submits without expecting the answer. */
static inline void driver_submit(struct driver *driver, struct call *call)
{
    if (!call_description(call->kind)->on_engine && !queries_call(&driver->query, call)) {
        call_list_add(&driver->answered, call);
        return;
    }
    struct call_list list = { 0 };
    call_list_add(&list, call);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
}

/* Has the call been answered? Takes it out of the answered ones. */
static inline bool driver_answered(struct driver *driver, struct call *wanted)
{
    struct call_list kept = { 0 };
    bool found = false;
    for (struct call *call; (call = call_list_take(&driver->answered)) != NULL;) {
        if (call == wanted) found = true;
        else call_list_add(&kept, call);
    }
    driver->answered = kept;
    return found;
}

/* Submits and expects the answer at once. */
static inline struct call *driver_run(struct driver *driver, struct call *call)
{
    driver_submit(driver, call);
    assert_true(driver_answered(driver, call));
    return call;
}

static inline const struct json *driver_json(struct driver *driver, const char *text)
{
    const struct json_limits limits = { 8 << 20, JSON_DEPTH_MAX };
    const struct json *value;
    struct error err;
    if (json_parse(str_of(text), &limits, &driver->arena, &value, &err) != ST_OK)
        fail_msg("%s: %s", text, err.message);
    return value;
}

static inline struct call *driver_deploy(struct driver *driver, const char *text)
{
    struct call *call = driver_call(driver, CALL_DEPLOY);
    call->as.deploy.text = str_of(text);
    driver_run(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call;
}

static inline struct call *driver_start(struct driver *driver, const char *definition, const char *data)
{
    struct call *call = driver_call(driver, CALL_START);
    call->as.start.definition_id = str_of(definition);
    call->as.start.data = data ? driver_json(driver, data) : NULL;
    return call;
}

static inline struct id driver_started(struct driver *driver, const char *definition, const char *data)
{
    struct call *call = driver_run(driver, driver_start(driver, definition, data));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return instance_view_id(call->value.instances.view);
}

static inline struct call *driver_poll(struct driver *driver, const char *worker, const char *type,
                                       size_t max)
{
    struct call *call = driver_call(driver, CALL_POLL_JOBS);
    str *types = arena_make_n(&driver->arena, str, 1);
    types[0] = str_of(type);
    call->as.poll.type = types;
    call->as.poll.type_count = 1;
    call->as.poll.worker = str_of(worker);
    call->as.poll.max = max;
    return call;
}

/* A batch that polls in the same way. */
static inline struct call *driver_batch(struct driver *driver, const struct call *poll)
{
    struct call *call = driver_call(driver, CALL_BATCH);
    call->as.batch.poll = poll->as.poll;
    return call;
}

static inline struct job_view driver_polled(struct driver *driver, const char *worker, const char *type)
{
    struct call *call = driver_run(driver, driver_poll(driver, worker, type, 1));
    assert_int_equal(call->value.jobs.count, 1);
    return call->value.jobs.view[0];
}

static inline struct call *driver_complete(struct driver *driver, struct job_view job, const char *worker,
                                           const char *data)
{
    struct call *call = driver_call(driver, CALL_COMPLETE_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    call->as.job.data = data ? driver_json(driver, data) : NULL;
    return driver_run(driver, call);
}

static inline struct call *driver_fail(struct driver *driver, struct job_view job, const char *worker,
                                       bool retryable)
{
    struct call *call = driver_call(driver, CALL_FAIL_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    call->as.job.text = STR("broken");
    call->as.job.retryable = retryable;
    return driver_run(driver, call);
}

static inline struct instance_view *driver_instance(struct driver *driver, struct id id)
{
    struct call *call = driver_call(driver, CALL_GET_INSTANCE);
    call->as.read.id = id;
    driver_run(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->value.instances.view;
}

/* A call about an instance and one of its nodes. */
static inline struct call *driver_node(struct driver *driver, enum call_kind kind, struct id id,
                                       const char *node)
{
    struct call *call = driver_call(driver, kind);
    call->as.instance.id = id;
    call->as.instance.node = str_of(node);
    return driver_run(driver, call);
}

static inline struct call *driver_get(struct driver *driver, enum call_kind kind, struct id id)
{
    struct call *call = driver_call(driver, kind);
    if (kind == CALL_GET_BULK || kind == CALL_CANCEL_BULK || kind == CALL_PAUSE_BULK ||
        kind == CALL_RESUME_BULK)
        call->as.bulks.id = id;
    else call->as.read = (struct call_read){ .id = id, .with_children = true };
    driver_run(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call;
}

/* The value as text, to be compared. */
static inline const char *driver_text(struct driver *driver, const struct json *value)
{
    struct buf out;
    buf_init(&out, &driver->arena);
    json_print(value, &out);
    return arena_str(&driver->arena, buf_str(&out)).p;
}

static inline void driver_found(void *context, const char *sentence)
{
    (void)context;
    fail_msg("%s", sentence);
}

static inline struct program *driver_compile(str source, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    return source_compile(source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
}

/* Index rows, states and histories agree. */
static inline void driver_check(struct driver *driver)
{
    struct error err;
    int64_t count;
    assert_int_equal(store_check(driver->store, true, driver_compile, driver_found, NULL, &count, &err),
                     ST_OK);
}

#define DRIVER_TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

#endif
