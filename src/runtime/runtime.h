/* runtime/runtime.h — the engine and query threads behind bounded queues.
 *
 * One thread (the network's) submits calls and delivers their answers; the runtime owns two
 * more. Commands that are ready together become one transaction; answers go out after it has
 * committed. Everything acknowledged survives a crash, and at the next start open jobs are
 * offered again and overdue timers fire.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "runtime/call.h"
#include "runtime/metrics.h"
#include "runtime/retention.h"

struct runtime;

struct runtime_config {
    struct store *store; /* Borrowed: closed by the caller after runtime_free(). */
    struct clock clock;
    struct limits limits;
    struct budget *answers; /* Shared with the server: what it has not written yet. While it is used up, polls
                               and reads get ST_BUSY. NULL: nobody counts. */
    struct retention retention;
    int64_t lease_ms;            /* Of a job whose worker does not say how long; 0: LEASE_MS_DEFAULT. */
    bool gathers;                /* Calls are held back until runtime_flush(): who submits in bursts wakes the
                                    engine once, and what came together shares a transaction. */
    void (*wake)(void *context); /* From any thread: runtime_deliver() should be called soon. */
    void *wake_context;
};

/* Recovers what the store holds, then starts the threads. */
enum status runtime_new(const struct runtime_config *config, struct runtime **ret_runtime, struct error *err);

/* Queues a call; its `done` is called from a later runtime_deliver(). Otherwise nothing was
 * done: ST_OVERLOAD (queue full) or ST_DRAINING. */
enum status runtime_submit(struct runtime *runtime, struct call *call);

/* Passes on what was submitted since the last time, if the configuration says `gathers`. A call that is alone
 * may be done and delivered here and now, which is quicker. */
void runtime_flush(struct runtime *runtime);

/* Calls `done` of all answered calls, or of some if that takes long: then it wakes whoever delivers once
 * more. */
void runtime_deliver(struct runtime *runtime);

/* The client of a call has left: if it waits for something it is answered soon, and so delivered. */
void runtime_abandon(struct runtime *runtime, struct call *call);

/* From now on refuses calls that write or poll with ST_DRAINING and answers waiting ones at once. Returns
 * immediately; what was queued is still done. */
void runtime_drain(struct runtime *runtime);

/* True when no call is queued, running or waiting to be delivered. */
bool runtime_idle(struct runtime *runtime);

/* Finishes what is queued, stops the threads. Undelivered calls are delivered first. */
void runtime_free(struct runtime *runtime);

const struct metrics *runtime_metrics(const struct runtime *runtime);

/* How long the engine's thread has been in its current turn; 0: it is in none. A turn is bounded and takes
 * far less than a second, so a long one means that something is wrong. From any thread. */
int64_t runtime_turn_ms(const struct runtime *runtime);

/* False once the store has failed for good (then nothing is accepted any more). */
bool runtime_healthy(const struct runtime *runtime);

#endif
