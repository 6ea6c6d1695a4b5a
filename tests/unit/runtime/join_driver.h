/* tests/unit/runtime/join_driver.h — calls that join the transaction of a processor. */
#ifndef TESTS_RUNTIME_JOIN_DRIVER_H
#define TESTS_RUNTIME_JOIN_DRIVER_H

#include "entity_driver.h"

static inline struct call *joined(struct call *call, struct job_view job)
{
    call->as.entities.token = job.token;
    return call;
}

/* As the transaction sees it: the entity's data, or the code of the error. */
static inline const char *seen(struct driver *d, struct job_view job, struct uuid id)
{
    struct call *call = driver_call(d, CALL_GET_JOINED);
    call->as.entity = (struct call_entity){ .id = id, .token = job.token };
    driver_run(d, call);
    if (call->status != ST_OK) return call->error.code;
    return driver_text(d, call->value.entities.view->data);
}

static inline struct uuid join_create(struct driver *d, struct job_view job, const char *data)
{
    struct call *call = driver_run(d, joined(create_call(d, data), job));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->as.entities.item[0].id;
}

static inline enum status join_update(struct driver *d, struct job_view job, struct uuid id,
                                      const char *transition, const char *data)
{
    return driver_run(d, joined(update_call(d, id, transition, data), job))->status;
}

static inline void refused(struct driver *d, struct call *call, const char *code)
{
    driver_run(d, call);
    assert_int_not_equal(call->status, ST_OK);
    assert_string_equal(call->error.code, code);
}

static inline struct job_view go(struct driver *d, struct uuid id, struct call **ret_call)
{
    *ret_call = update_call(d, id, "GO", NULL);
    driver_submit(d, *ret_call);
    assert_false(driver_answered(d, *ret_call));
    return polled(d);
}

static inline void ended(struct driver *d, struct call *call, enum status status)
{
    assert_true(driver_answered(d, call));
    assert_int_equal(call->status, status);
}

#endif
