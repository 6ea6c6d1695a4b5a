/* tests/unit/runtime/entity_driver.h — models, entities and calculation nodes for tests that drive the
 * engine. The model is "m", version 1. */
#ifndef TESTS_RUNTIME_ENTITY_DRIVER_H
#define TESTS_RUNTIME_ENTITY_DRIVER_H

#include "driver.h"

#include "runtime/entities/entities.h"

#define WORKFLOW(states) "[{\"name\":\"w\",\"initialState\":\"A\",\"states\":{" states "}}]"
#define BY_HAND(name, next, processors) \
    "{\"name\":\"" name "\",\"next\":\"" next "\",\"manual\":true,\"processors\":[" processors "]}"
#define PROCESSOR(name, mode) "{\"name\":\"" name "\",\"executionMode\":\"" mode "\"}"
#define SYNC(name) PROCESSOR(name, "SYNC")
#define COMMITS(name) PROCESSOR(name, "COMMIT_BEFORE_DISPATCH")

/* ---- models ---- */

static inline enum status change(struct driver *d, enum model_action action, const char *sample)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (sample) call->as.model.sample = driver_json(d, sample);
    if (action == MODEL_SET_LEVEL) call->as.model.level = MODEL_LEVEL_STRUCTURAL;
    driver_run(d, call);
    return call->status;
}

static inline struct call *import_call(struct driver *d, const char *workflows, enum entity_import_mode mode)
{
    struct call *call = driver_call(d, CALL_DEPLOY);
    struct call_import *import = arena_make(&d->arena, struct call_import);
    *import = (struct call_import){
        .name = STR("m"), .version = 1, .incoming = driver_json(d, workflows), .mode = mode
    };
    call->as.deploy.import = import;
    return call;
}

static inline void import(struct driver *d, const char *workflows)
{
    struct call *call = driver_run(d, import_call(d, workflows, ENTITY_MERGE));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
}

static inline void begin(struct driver *d, const char *workflows)
{
    assert_int_equal(change(d, MODEL_IMPORT, "{\"n\":1,\"t\":\"x\"}"), ST_OK);
    import(d, workflows);
    assert_int_equal(change(d, MODEL_LOCK, NULL), ST_OK);
}

/* ---- entities ---- */

static inline struct call *write_call(struct driver *d, size_t count)
{
    static int number;
    struct call *call = driver_call(d, CALL_WRITE_ENTITIES);
    call->as.entities.item = arena_make_n(&d->arena, struct entity_item, count);
    memset(call->as.entities.item, 0, count * sizeof call->as.entities.item[0]);
    call->as.entities.count = count;
    call->as.entities.transaction = arena_printf(&d->arena, "tx-%d", ++number);
    return call;
}

static inline struct call *create_call(struct driver *d, const char *data)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] =
        (struct entity_item){ .model = STR("m"), .version = 1, .data = driver_json(d, data) };
    return call;
}

static inline struct call *update_call(struct driver *d, struct uuid id, const char *transition,
                                       const char *data)
{
    struct call *call = write_call(d, 1);
    call->as.entities.item[0] = (struct entity_item){ .action = ENTITY_UPDATE,
                                                      .id = id,
                                                      .transition = str_of(transition),
                                                      .data = data ? driver_json(d, data) : NULL };
    return call;
}

static inline struct uuid created(struct driver *d, const char *data)
{
    struct call *call = driver_run(d, create_call(d, data));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->as.entities.item[0].id;
}

static inline struct id id_of(struct uuid id)
{
    struct id of = { 0 };
    assert_true(uuid_instance(id, &of.ms, &of.instance));
    return of;
}

/* The committed entity: "state data", or "" if there is none. */
static inline const char *stored(struct driver *d, struct uuid id)
{
    struct call *call = driver_call(d, CALL_GET_INSTANCE);
    call->as.read.id = id_of(id);
    driver_run(d, call);
    if (call->status == ST_NOT_FOUND) return "";
    const struct instance_view *view = call->value.instances.view;
    return arena_printf(&d->arena, "%.*s %s",
                        STR_ARG(view->current_count ? view->current_title[0] : STR("-")),
                        driver_text(d, view->data))
        .p;
}

/* ---- calculation nodes ---- */

static inline struct job_view polled(struct driver *d)
{
    struct call *call = driver_poll(d, "hub", "\1compute", 1);
    call->performs = true;
    driver_run(d, call);
    assert_int_equal(call->value.jobs.count, 1);
    return call->value.jobs.view[0];
}

static inline void nothing_to_compute(struct driver *d)
{
    struct call *call = driver_poll(d, "hub", "\1compute", 1);
    call->performs = true;
    driver_run(d, call);
    assert_int_equal(call->value.jobs.count, 0);
}

static inline enum status compute(struct driver *d, struct job_view job, const char *result)
{
    struct call *call = driver_call(d, CALL_COMPLETE_JOB);
    call->performs = true;
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("hub");
    call->as.job.data = driver_json(d, result);
    return driver_run(d, call)->status;
}

static inline enum status compute_fails_with(struct driver *d, struct job_view job, const char *failure)
{
    struct call *call = driver_call(d, CALL_FAIL_JOB);
    call->performs = true;
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("hub");
    call->as.job.failure = driver_json(d, failure);
    return driver_run(d, call)->status;
}

static inline enum status compute_fails(struct driver *d, struct job_view job)
{
    return compute_fails_with(d, job, "{\"name\":\"COMPUTE_MEMBER_DISCONNECTED\",\"message\":\"gone\"}");
}

static inline enum status compute_finds_nobody(struct driver *d, struct job_view job)
{
    return compute_fails_with(d, job, "{\"name\":\"NO_COMPUTE_MEMBER_FOR_TAG\",\"message\":\"nobody\"}");
}

#endif
