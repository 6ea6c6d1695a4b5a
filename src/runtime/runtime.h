/* runtime/runtime.h — the engine and query threads behind bounded queues.
 *
 * Commands that are ready together become one transaction, and answers go out after it has committed.
 * Everything acknowledged survives a crash: at the next start open jobs are offered again and overdue timers
 * fire.
 *
 * Any thread may submit calls. Each such thread has a *client*: the calls that it submits come back to it, on
 * its own thread and in its own time. The network's thread is one client, which the API and the engine's
 * worker share because both run on it; a thread that serves another protocol makes one of its own.
 *
 * Callers of the functions:
 *
 *     the thread of the client    runtime_submit(), runtime_flush(), runtime_deliver(), runtime_abandon()
 *     any thread                  runtime_client_new(), runtime_drain(), runtime_leave(), runtime_idle(),
 *                                 runtime_metrics(), runtime_ms_of_turn(), runtime_healthy(),
 *                                 runtime_client_unfinished()
 *     the client's, or any        runtime_client_free(): any thread once the client's own has ended
 *     the owner of the runtime    runtime_new(); runtime_free(), when no client is left
 *
 * The runtime calls a client's `wake` from any of its threads and clients.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/retention.h"

struct runtime;

struct runtime_config {
    struct store *store; /* Borrowed: closed by the caller after runtime_free(). */
    struct clock clock;
    struct limits limits;
    struct budget *answers; /* Shared with the server: what it has not written yet. While it is used up, polls
                               and reads get ST_BUSY. NULL: nobody counts. */
    struct retention retention;
    struct vault *vault;         /* Secrets; borrowed, until runtime_free(). NULL: there are none. */
    struct directory *directory; /* Principals and tenants, borrowed; NULL: there is no access to check. */
    int64_t lease_ms;            /* For a job whose worker does not say how long; 0: LEASE_MS_DEFAULT. */
    struct advance_watcher
        advance_watcher;     /* Hears of each command that has committed; empty: nobody does. */
    int64_t compute_wait_ms; /* So long requests to calculation nodes wait for a node (compute/compute.h). */
};

/* Recovers what the store holds, then starts the threads. */
enum status runtime_new(const struct runtime_config *config, struct runtime **ret_runtime, struct error *err);

/* Opens what a further thread needs to answer queries itself, for query_close() before runtime_free(). */
enum status runtime_open_query(struct runtime *runtime, struct query *ret_query, struct error *err);

/* ---- clients ---- */

struct runtime_client;

struct runtime_client_config {
    bool gathers; /* Calls are held back until runtime_flush(). A thread that submits in bursts wakes the
                     engine once, and calls that came together share a transaction. */
    void (*wake)(void *context); /* From any thread: runtime_deliver() should be called soon. It must not call
                                    the runtime. NULL: the thread delivers now and then anyway. */
    void *wake_context;
};

struct runtime_client *runtime_client_new(struct runtime *runtime,
                                          const struct runtime_client_config *config);

/* Waits until all calls of the client are answered, delivers them, and frees the client. A poll or another
 * call that waits is waited for: abandon such calls first, or drain the runtime. NULL is allowed. */
void runtime_client_free(struct runtime_client *client);

/* Calls that were submitted and not yet delivered. It only reads, so a signal's handler may ask. */
size_t runtime_client_unfinished(const struct runtime_client *client);

/* Queues a call; its `done` is called from a later runtime_deliver() of this client, exactly once. Otherwise
 * nothing was done: ST_OVERLOAD (queue full) or ST_DRAINING. */
enum status runtime_submit(struct runtime_client *client, struct call *call);

/* Passes on the calls that were submitted since the last time, if the client gathers. A call that is alone
 * may be done and delivered here and now, which is quicker. */
void runtime_flush(struct runtime_client *client);

/* Calls `done` of all answered calls of the client, or of some if that takes long: then it wakes the client
 * once more. `done` may submit calls. */
void runtime_deliver(struct runtime_client *client);

/* Nobody waits for the call's answer any more: a call that waits is answered soon, and so delivered. */
void runtime_abandon(struct runtime_client *client, struct call *call);

/* ---- the end ---- */

/* From now on refuses calls that write or poll with ST_DRAINING and answers waiting ones at once. Returns
 * immediately. Calls that were submitted before are still done; a client that gathers passes on its own with
 * the next runtime_flush(). */
void runtime_drain(struct runtime *runtime);

/* Nobody waits for answers any more: calls that wait for the query thread are refused with ST_DRAINING, and
 * the one under way is broken off. For a runtime that drains. Returns immediately. */
void runtime_leave(struct runtime *runtime);

/* True when no call of any client is queued, running or waiting to be delivered. */
bool runtime_idle(struct runtime *runtime);

/* Stops the threads. There must be no clients any more. NULL is allowed. */
void runtime_free(struct runtime *runtime);

/* ---- how it is ---- */

/* Does this node do what one node does for all (nodes.h)? */
bool runtime_leads(const struct runtime *runtime);
/* Another number whenever triggers may have changed, here or on another node, or another node leads. */
uint64_t runtime_configuration(const struct runtime *runtime);
const struct metrics *runtime_metrics(const struct runtime *runtime);

/* How long the engine's thread has been in its current turn; 0: it is in none. A turn is bounded and takes
 * far less than a second, so a long one means that something is wrong. */
int64_t runtime_ms_of_turn(const struct runtime *runtime);

/* False once the store has failed for good (then nothing is accepted any more). */
bool runtime_healthy(const struct runtime *runtime);

#endif
