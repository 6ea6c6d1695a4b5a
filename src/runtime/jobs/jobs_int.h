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

/* ---- serve.c: what is answered from memory, after the commit ---- */

/* Why each token does not move, of the latest `max`; in the arena. */
void serve_tokens(struct turn *turn, const struct program *program, const struct instance *instance,
                  size_t max, struct arena *arena, struct token_view **ret_token, size_t *ret_count);

#endif
