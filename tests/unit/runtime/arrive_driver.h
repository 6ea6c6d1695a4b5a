/* tests/unit/runtime/arrive_driver.h — arrivals by HTTP, and what became of them. */
#ifndef TESTS_RUNTIME_ARRIVE_DRIVER_H
#define TESTS_RUNTIME_ARRIVE_DRIVER_H

#include "driver.h"

static inline void deploy(struct driver *driver, const char *name)
{
    driver_deploy(driver, document("runtime/arrive", name));
}

static inline struct call *request(struct driver *driver, const char *method, const char *path,
                                   const char *body)
{
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive.event = (struct arrival_event){
        .type = ARRIVAL_HTTP, .method = str_of(method), .path = str_of(path), .raw = str_of(body)
    };
    return call;
}

static inline struct arrival_view *post(struct driver *driver, const char *path, const char *body)
{
    struct call *call = driver_run(driver, request(driver, "POST", path, body));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    assert_int_equal(call->value.arrivals.count, 1);
    return call->value.arrivals.view;
}

static inline struct instance_view *get(struct driver *driver, const struct arrival_view *view)
{
    struct call *call = driver_call(driver, CALL_GET_INSTANCE);
    call->as.read.id = (struct id){ .ms = view->instance_created_ms, .instance = view->instance };
    driver_run(driver, call);
    return call->status == ST_OK ? call->value.instances.view : NULL;
}

#endif
