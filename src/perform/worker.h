/* perform/worker.h — the engine's own worker: it takes engine jobs and reports their results.
 *
 *     runtime ──poll──► worker ──start──► performer ──done──► worker_deliver() ──complete, fail──► runtime
 *
 * To the runtime this is a worker like any other: it polls, holds a lease while it works, and completes or
 * fails. So a crash, a stop or a lost answer loses nothing: the job is offered again.
 *
 * Each performer has a poll and room of its own. A performer without room is polled only for jobs that are
 * more urgent than those it has; the others go on.
 *
 * All functions belong to the thread of the client through which the worker submits its calls. The worker
 * calls `wake` from any thread when worker_deliver() has something to do.
 */
#ifndef PERFORM_WORKER_H
#define PERFORM_WORKER_H

#include "perform/perform.h"
#include "runtime/runtime.h"

struct engine_worker;

struct worker_config {
    struct runtime_client *client;
    struct clock clock;
    void (*wake)(void *context);
    void *wake_context;
    struct vault *vault; /* Where jobs find their secrets; NULL: there are none. */
    /* The end of this performer is waited for now; NULL: nobody wants to know. */
    void (*stopping)(const char *performer);
};

struct engine_worker *worker_new(const struct worker_config *config);

/* Registers a performer, of whose row there must be none yet, and begins to poll for its jobs. The worker
 * borrows the methods and owns `self`: it calls `stop`. */
void worker_add(struct engine_worker *worker, const struct perform_methods *methods, void *self);

/* Starts a job that the runtime does not know, and whose `done` the caller has set: a connection is tried.
 * Its secrets are those of the tenant. `done` is called only if this is ST_OK. ST_CONFLICT: nobody performs
 * such jobs. ST_BUSY, ST_DRAINING: not now. */
enum status worker_try(struct engine_worker *worker, enum performer performer, int32_t tenant,
                       struct engine_job *job, struct error *err);

/* Hands results to the runtime, prolongs leases and polls for more. Also to be called now and then: a
 * runtime that was busy is asked again. */
void worker_deliver(struct engine_worker *worker);

/* Takes no more jobs. Jobs under way go on. */
void worker_drain(struct engine_worker *worker);

/* Breaks off what is under way and stops all performers. The runtime must still be there, and must deliver
 * its answers until worker_idle(). */
void worker_stop(struct engine_worker *worker);
bool worker_idle(const struct engine_worker *worker); /* True if no call of the worker is at the runtime. */

/* Only after the runtime has given back all calls. NULL is allowed. */
void worker_free(struct engine_worker *worker);

#endif
