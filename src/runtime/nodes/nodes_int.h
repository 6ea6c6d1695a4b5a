/* runtime/nodes/nodes_int.h — what the files of this room share. */
#ifndef RUNTIME_NODES_NODES_INT_H
#define RUNTIME_NODES_NODES_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/nodes/nodes.h"

#include "runtime/nodes/shared_jobs.h"

/* So long a job waits for a worker that is likely to come back. */
enum { EXPECTED_MS = 20 };

/* The wishes of this turn's polls for one queue. */
struct shared_jobs_want {
    size_t asked;    /* By polls of this turn that found nothing yet. */
    size_t expected; /* Workers that have just done a job and polled for this queue before. */
    size_t promised; /* Jobs that the transaction holds for polls. */
    bool at_once;    /* A poll does not wait, or is the first that does. */
};

struct shared_jobs_want *shared_jobs_want_of(struct turn *turn, str queue);

/* The job if it is open. */
const struct job *shared_jobs_open_job(const struct instance *instance, uint32_t number);

/* ---- empty_queues.c ---- */

struct empty_queue {
    int heartbeats; /* Since a poll found nothing there. */
    str name;
    char bytes[];
};

/* Is nothing offered there? */
bool empty_queues_has(const struct engine *engine, str queue);
/* A claim has found nothing more. */
void empty_queues_add(struct offers *offers, str queue);
/* Something may be offered. */
void empty_queues_remove(struct offers *offers, str queue);
/* Somebody polls for it. */
void empty_queues_keep(struct offers *offers, str queue);
/* At each heartbeat: what nobody polls for any more is forgotten. */
void empty_queues_age(struct offers *offers);
void empty_queues_done(struct offers *offers);

#endif
