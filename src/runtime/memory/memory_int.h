/* runtime/memory/memory_int.h — what jobs.c, lanes.c and polls.c share. */
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

#endif
