/* runtime/call/job_view.h — an open job, as workers and lists get it. */
#ifndef RUNTIME_CALL_JOB_VIEW_H
#define RUNTIME_CALL_JOB_VIEW_H

#include "base/id.h"
#include "json/json.h"
#include "program/performer.h"

enum job_state { JOB_UNLOCKED, JOB_LOCKED, JOB_DELAYED };
const char *call_job_state_word(enum job_state state); /* "UNLOCKED", "LOCKED", "DELAYED" */

/* An open job. Its public id is {created_ms, instance, number, delivery}; its step
 * execution's is {execution_ms, instance, execution, 0}. */
struct job_view {
    uint64_t instance;
    int32_t ns; /* Its tenant, when it is handed out; 0 in lists. */
    int64_t instance_created_ms;
    uint32_t number;
    uint8_t delivery;
    uint32_t execution;
    int64_t execution_ms;
    str type;
    str node;
    str title; /* The author's label of the node, or of the one it is a part of. */
    enum performer performer;
    const struct json *config; /* The performer's, as the dialect made it; NULL: none. */
    int64_t timeout_ms;        /* For one attempt; 0: none. */
    enum job_state state;
    str worker; /* While locked. */
    int64_t locked_ms;
    int64_t lock_expires_ms;
    int64_t available_ms;
    uint32_t retries_left;
    uint32_t attempt;
    int32_t priority;
    int64_t created_ms;
    const struct json *data;    /* NULL in lists. */
    const struct json *carried; /* With data: what the token carries; NULL: nothing. */
    const str *secret;          /* With data: the names of the secrets that may be filled in. */
    size_t secret_count;
    str token; /* Calls with it join the transaction that waits for the job (units.h); empty: none may. */
    const struct json *task; /* With data, of an e-mail about a person's task: its details; NULL: none. */
};

static inline struct id job_view_id(const struct job_view *view)
{
    return (struct id){
        .ms = view->created_ms, .instance = view->instance, .number = view->number, .delivery = view->delivery
    };
}

#endif
