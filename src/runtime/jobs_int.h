/* runtime/jobs_int.h — what jobs.c and polls.c share. */
#ifndef RUNTIME_JOBS_INT_H
#define RUNTIME_JOBS_INT_H

#include "runtime/jobs.h"

/* One of the queues a poll waits at. */
struct poll_link {
    struct waiting_poll *poll;
    struct job_queue *queue;
    struct poll_link *before, *after;
};

struct waiting_poll {
    struct call *call;
    struct deadline deadline;
    struct waiting_poll *before, *after; /* In jobs->polls. */
    size_t bytes;                        /* Its share of jobs->waiting_bytes; queues are counted once each. */
    size_t link_count;
    struct poll_link link[];
};

/* The ready jobs of one queue, by priority. */
struct job_levels {
    struct {
        struct open_job *first, *last;
    } level[PRIORITY_COUNT];
};

/* Freed when no job and no poll belongs to it and there are many: jobs_release(). */
struct job_queue {
    str type;
    struct job_levels *ready; /* NULL until the first job: many queues only have polls. */
    size_t job_count;         /* Open jobs of this type: ready, leased and delayed ones. */
    size_t ready_count, leased_count;
    struct poll_link *first_poll, *last_poll; /* Longest waiting first. */
    size_t wanted; /* How many jobs these polls would take together, without those that are choosy. */
    struct job_queue *next_hot;
    bool hot;
};

/* The queue of that type, made if there is none. */
struct job_queue *jobs_queue(struct jobs *jobs, str type);

/* Its best ready job, or NULL. */
struct open_job *jobs_head(const struct job_queue *queue);

/* A job or a poll has left the queue: frees it if it was the last and there are more than QUEUES_KEPT. */
void jobs_release(struct jobs *jobs, struct job_queue *queue);

/* Puts a queue on the hot list if it has both jobs and polls. */
void jobs_heat(struct jobs *jobs, struct job_queue *queue);

#endif
