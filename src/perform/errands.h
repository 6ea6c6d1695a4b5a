/* perform/errands.h — jobs that the engine does itself, from the queue to the answer.
 *
 *     runtime ──poll──► errand ──► performer's thread ──► errands_deliver() ──complete or fail──► runtime
 *
 * To the runtime this is a worker like any other: it polls, holds a lease while it works, and
 * completes or fails. So a crash, a stop or a lost answer loses nothing: the job is offered again,
 * and the called side sees the same Idempotency-Key.
 *
 * All functions belong to the thread that submits calls to the runtime; `wake` is called from the
 * performer's thread when errands_deliver() has something to do.
 */
#ifndef PERFORM_ERRANDS_H
#define PERFORM_ERRANDS_H

#include "perform/perform.h"
#include "runtime/runtime.h"

struct errands;

struct errands_config {
    struct runtime *runtime;
    struct clock clock;
    struct performer_config performer;
    void (*wake)(void *context);
    void *wake_context;
};

enum status errands_new(const struct errands_config *config, struct errands **ret_errands, struct error *err);

/* Hands answers to the runtime and polls for more. Also to be called now and then: a runtime that
 * was busy is asked again. */
void errands_deliver(struct errands *errands);

/* Takes no more jobs; those under way go on. */
void errands_drain(struct errands *errands);

/* Breaks off what is under way. The runtime must still be there, and deliver what it has answered
 * until errands_idle(). */
void errands_stop(struct errands *errands);
bool errands_idle(const struct errands *errands); /* No call of ours is at the runtime. */

/* After errands_stop() and when the runtime has given back all calls. */
void errands_free(struct errands *errands);

#endif
