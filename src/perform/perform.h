/* perform/perform.h — performers that run beside the engine, and the jobs they do.
 *
 * An engine job is a job that this process does itself: the row of its performer in program/performer.h says
 * PERFORMED_BESIDE. The engine's own worker (perform/worker.h) takes such jobs from the runtime and gives
 * each to its performer. A performer is a table of functions that its file registers at start:
 *
 *     http_performer_add()      HTTP functions and event sinks
 *     sql_performer_add()       databases
 *     mail_performer_add()      e-mail
 *     compute_performer_add()   requests to calculation nodes
 *
 * A performer must not lose a job: it calls the job's `done` exactly once, however the job ended. It may do a
 * job more than once, because the process may die before the result is stored; `idempotency_key` tells the
 * called side that two requests are the same.
 */
#ifndef PERFORM_PERFORM_H
#define PERFORM_PERFORM_H

#include "base/arena.h"
#include "base/id.h"
#include "program/performer.h"
#include "vault/scrub.h"

struct answer_recipients;
struct json;
struct engine_job;

/* The job is an e-mail about a person's task, which nobody has written (core/notice.c). */
struct perform_notice {
    str kind;                   /* "reminder", "escalation" */
    struct id task;             /* The id of the task in the API. */
    str title;                  /* The label of the task's node. */
    const struct json *details; /* The details of the task (core/task.h). */
    int64_t opened_ms;
    const struct answer_recipients *who;
};

/* Gives the job back to the worker. Called exactly once per started job, on any thread, also from inside
 * `start`. The performer must not use the job afterwards. */
typedef void engine_job_fn(struct engine_job *job);

enum engine_job_end {
    ENGINE_JOB_COMPLETED,  /* `value` is the result. */
    ENGINE_JOB_FAILED,     /* `error` says why, as {name, message, data}; each may be missing. */
    ENGINE_JOB_BROKEN_OFF, /* Cancelled or stopped. If the job is still open it is offered again. */
};

/* One job under way. Everything it points at is in its arena, which belongs to the performer from `start`
 * to `done`. */
struct engine_job {
    /* The work, set by the worker. */
    const struct json *config;  /* The performer's configuration, as the dialect made it; NULL: none. */
    const struct json *input;   /* The job's payload, with its secrets filled in; NULL: none. */
    const struct json *carried; /* The value that the job's token carries; NULL: nothing. */
    const struct perform_notice *notice; /* NULL: none. */
    str token;           /* Calls with it join the transaction that waits for the job; empty: none may. */
    int64_t timeout_ms;  /* For one attempt; 0: the author gave none. */
    int64_t now_ms;      /* When the worker took the job. */
    struct id id;        /* The id of this delivery. */
    uint32_t attempt;    /* 1, 2, … */
    int32_t priority;    /* The definition's priority. A performer begins waiting jobs by it, then by age. */
    str idempotency_key; /* The same in all attempts of one visit, also after a restart. */
    str traceparent;     /* The trace is the instance, the span the delivery. */
    struct arena *arena;
    engine_job_fn *done;
    void *taker; /* The worker's own. */

    struct scrub_used secrets; /* Used so far; the worker takes them out of the outcome. */

    void *performing; /* The performer's own. */

    /* The outcome, set by the performer before `done`. */
    enum engine_job_end end;
    const struct json *value;
    const struct json *error;
    bool retryable;         /* A failure that another attempt may not meet: retry rules may ask for it. */
    int64_t retry_after_ms; /* The other side asks for so long a pause before it; 0: it does not. */
};

/* The text of the secret that a configuration names, as "vault:NAME" or NAME: a connection's URI or object.
 * From `start` to `done`, on the thread that has the job. The worker takes the secret out of the job's
 * outcome. ST_NOT_FOUND: there is none, and `err->where` is the name of the error to fail with. */
enum status perform_secret(struct engine_job *job, str ref, str *ret_text, struct error *err);

/* {name, message}: an error of a job that has no more to say. */
const struct json *perform_error(struct arena *arena, str name, str message);
/* The error with a code of program/reason.h, which only the engine sees. An empty code leaves it as it is. */
const struct json *perform_error_coded(struct arena *arena, const struct json *error, str code);

/* How jobs of one row are performed. The functions are called on the worker's thread, and `self` is what was
 * registered with them. */
struct perform_methods {
    enum performer performer;
    /* Begins a job. There is no status: a job that cannot begin is done with an error. */
    void (*start)(void *self, struct engine_job *job);
    /* Asks for an early `done`: nobody wants the result any more. `done` may have been called already. */
    void (*cancel)(void *self, struct engine_job *job);
    /* How many more jobs may be started now. The worker asks before each poll, and takes no more, apart from
     * a few that are more urgent, if the performer `overtakes`. */
    size_t (*room)(void *self);
    /* Breaks off what is under way, waits until every `done` has been called and frees `self`. */
    void (*stop)(void *self);
    bool overtakes; /* Its jobs wait inside it by their priority. */
};

#endif
