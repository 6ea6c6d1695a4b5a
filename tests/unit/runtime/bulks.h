/* Bulks for tests: asked for, gone on with, looked at. */
#ifndef TESTS_UNIT_RUNTIME_BULKS_H
#define TESTS_UNIT_RUNTIME_BULKS_H

#include "driver.h"

#include "runtime/bulk/bulk.h"

static inline struct call *bulk(struct driver *driver, const char *body)
{
    struct call *call = driver_call(driver, CALL_BULK);
    struct bulk_request *request = arena_make(&driver->arena, struct bulk_request);
    struct error err;
    if (bulk_request_read(driver_json(driver, body), &driver->arena, request, &err) != ST_OK)
        fail_msg("%s: %s", body, err.message);
    call->as.bulk.request = request;
    return call;
}

/* Without the turns that would do it: as it was just asked for. */
static inline struct id begun(struct driver *driver, const char *body)
{
    struct call *call = bulk(driver, body);
    struct call_list list = { 0 };
    assert_true(queries_call(&driver->query, call));
    call_list_add(&list, call);
    engine_turn(&driver->engine, &list);
    call_list_append(&driver->answered, &driver->engine.answered);
    assert_true(driver_answered(driver, call));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return bulk_id(&call->value.bulks.view->row);
}

static inline struct bulk_row row_of(struct driver *driver, struct id id)
{
    struct call *call = driver_call(driver, CALL_GET_BULK);
    call->as.bulks.id = id;
    driver_run(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call->value.bulks.view->row;
}

static inline struct bulk_row finished(struct driver *driver, struct id id)
{
    for (int i = 0; i < 10000 && !row_of(driver, id).ended_ms; i++) {
        int64_t next_ms = engine_next_ms(&driver->engine);
        if (next_ms > driver->now_ms) driver->now_ms = next_ms;
        driver_turn(driver);
    }
    struct bulk_row row = row_of(driver, id);
    assert_true(row.ended_ms);
    return row;
}

/* As "succeeded=2 skipped=1 refused=0 of 3 (done)". */
static inline const char *summary(struct driver *driver, struct bulk_row row)
{
    assert_int_equal(row.done, row.succeeded + row.skipped + row.refused);
    return arena_printf(&driver->arena, "succeeded=%d skipped=%d refused=%d of %d (%s)", (int)row.succeeded,
                        (int)row.skipped, (int)row.refused, (int)row.found,
                        bulk_state_word((enum bulk_state)row.state))
        .p;
}

static inline struct call *results(struct driver *driver, struct id id, int32_t outcome, int64_t skip,
                                   size_t max)
{
    struct call *call = driver_call(driver, CALL_BULK_RESULTS);
    call->as.bulks.id = id;
    call->as.bulks.outcome = outcome;
    call->as.bulks.skip = skip;
    call->as.bulks.max = max;
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    return call;
}

#endif
