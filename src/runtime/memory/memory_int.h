/* runtime/memory/memory_int.h — what the files of queues share, and those of the last hour. */
#ifndef RUNTIME_MEMORY_MEMORY_INT_H
#define RUNTIME_MEMORY_MEMORY_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/memory/memory.h"

#include "runtime/memory/jobs.h"

/* The queue of that type, made if there is none. */
struct job_queue *jobs_queue(struct jobs *jobs, str type);

/* ---- lanes.c ---- */

/* The ready job that comes next, of at least this priority, or NULL. The queue may be NULL. */
struct open_job *lanes_head(const struct job_queue *queue, int32_t priority_min);

struct job_lane *lane_of(struct jobs *jobs, struct job_queue *queue, int32_t ns, bool is_counted);
/* A job has left the lane: frees it if it was the last and the queue has many lanes. */
void lane_release(struct job_lane *lane);
void lane_add(struct job_lane *lane, struct open_job *job, bool front);
void lane_remove(struct job_lane *lane, struct open_job *job);
/* A job of it was handed out: the others come first now. */
void lane_had_its_turn(struct job_lane *lane);
void lane_count_leased(struct jobs *jobs, struct job_lane *lane, int delta);
void lanes_free(struct job_queue *queue);
void lanes_done(struct jobs *jobs);

/* A job or a poll has left the queue: frees it if it was the last and there are more than QUEUES_KEPT. */
void jobs_release(struct jobs *jobs, struct job_queue *queue);

/* Puts a queue on the hot list if it has both jobs and polls. */
void lanes_note_hot(struct jobs *jobs, struct job_queue *queue);

/* ---- activity_tenants.c ---- */

enum { ACTIVITY_KEPT_MS = ACTIVITY_MINUTES * ACTIVITY_MINUTE_MS };

/* The place of a tenant of which something is counted now; NULL: there is none. */
struct activity_tenant *activity_tenant_of(struct activity *activity, int32_t ns, int64_t now_ms);
/* The type is the tenant's newest. */
void activity_put_type(struct activity_tenant *tenant, struct activity_type *type);
void activity_forget_type(struct activity *activity, struct activity_type *type);
void activity_free_type(struct activity_type *type);

/* ---- activity_minutes.c ---- */

/* Closes the engine's minute that runs. */
void activity_begin_minute(struct activity *activity, int64_t minute);

#endif
