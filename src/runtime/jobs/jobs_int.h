/* runtime/jobs/jobs_int.h — what the files of this room share. */
#ifndef RUNTIME_JOBS_JOBS_INT_H
#define RUNTIME_JOBS_JOBS_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/jobs/jobs.h"

/* ---- job_calls.c: what workers say about jobs ---- */

#define RESULT_REFUSED "the result was refused: "
/* The job a public id names and its instance; a NULL job has been closed, or never was one.
 * ST_NOT_FOUND if it cannot ever have been. */
enum status job_call_find(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                          struct definition **ret_definition, const struct job **ret_job, struct error *err);

/* Does a callback on this job (NULL: closed) count? `dropped_` says so, or why not. */
enum status job_call_check(struct turn *turn, struct call *call, const struct instance *instance,
                           const struct job *job, struct error *err);

/* ---- poll.c: workers take jobs ---- */

/* The lease that was asked for, or the default, as far as the limit allows. */
int64_t poll_lease_ms(const struct engine *engine, int64_t lease_ms);

/* ---- list.c: open jobs ---- */

/* Rows of jobs that a list may show, of a shared store. */
struct listed_rows {
    struct job_row *row;
    size_t count;
};

enum status list_find_rows(struct turn *turn, const uint64_t *instance, size_t count,
                           struct listed_rows *ret_rows, struct error *err);
/* NULL: the job has no row. */
const struct job_row *list_find_row(const struct listed_rows *rows, uint64_t instance, uint32_t number);

/* A job as lists show it. One that is in no queue here waits for any node, or another node has it. */
void list_view_job(const struct engine *engine, const struct program *program,
                   const struct instance *instance, const struct job *job, const struct listed_rows *rows,
                   struct arena *arena, struct job_view *ret_view);

/* ---- explain.c: why an instance does not move ---- */

/* Why each token does not move, of the latest `max`, as the caller may know it; in the call's arena. */
void explain_tokens(struct turn *turn, const struct call *call, const struct definition *definition,
                    const struct instance *instance, size_t max, struct token_view **ret_token,
                    size_t *ret_count);

#endif
