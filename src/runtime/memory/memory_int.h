/* runtime/memory/memory_int.h — what jobs.c and polls.c share. */
#ifndef RUNTIME_MEMORY_MEMORY_INT_H
#define RUNTIME_MEMORY_MEMORY_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/memory/memory.h"

#include "runtime/memory/jobs.h"

/* The queue of that type, made if there is none. */
struct job_queue *jobs_queue(struct jobs *jobs, str type);

/* Its best ready job, or NULL. */
struct open_job *jobs_head(const struct job_queue *queue);

/* A job or a poll has left the queue: frees it if it was the last and there are more than QUEUES_KEPT. */
void jobs_release(struct jobs *jobs, struct job_queue *queue);

/* Puts a queue on the hot list if it has both jobs and polls. */
void jobs_note_hot(struct jobs *jobs, struct job_queue *queue);

#endif
