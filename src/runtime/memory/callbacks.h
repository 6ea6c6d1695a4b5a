/* runtime/memory/callbacks.h — what workers said of jobs and the engine did not use.
 *
 * A worker's callback that comes too late is answered with 204, so its worker never learns that it was
 * dropped. An operator who asks why an instance waits must be able to see it: the engine remembers the latest
 * of them, counts all and logs some. Memory only: after a restart the list begins anew.
 */
#ifndef RUNTIME_MEMORY_CALLBACKS_H
#define RUNTIME_MEMORY_CALLBACKS_H

#include "base/limits.h"
#include "runtime/call/call.h"

enum { CALLBACKS_KEPT = 512, CALLBACKS_SHOWN = 10, CALLBACKS_LOGGED_PER_SECOND = 5 };

struct metrics;

struct dropped_callback {
    int64_t at_ms;
    struct id job;
    enum call_kind kind;
    enum callback_drop why;
    uint32_t worker_bytes;
    char worker[WORKER_ID_BYTES_MAX]; /* The API allows no longer one. */
};

/* The latest callbacks that were dropped, of all instances together. */
struct callbacks {
    struct dropped_callback *ring; /* NULL until the first one. */
    uint64_t count;                /* All callbacks so far; the next one goes to count % CALLBACKS_KEPT. */
    int64_t logged_second;
    uint32_t logged_count; /* In that second. */
};

void callbacks_done(struct callbacks *callbacks);

/* Counts a callback, or each of a batch, that did not count or came late. Remembers those that were dropped,
 * and logs them unless there were too many in this second. Once that is certain: after the commit. */
void callbacks_note(struct callbacks *callbacks, struct metrics *metrics, const struct call *call,
                    int64_t now_ms);

/* The latest remembered callbacks of one instance, newest first; the texts are copied to the arena. */
size_t callbacks_of(const struct callbacks *callbacks, uint64_t instance, struct arena *arena,
                    struct callback_view **ret_view);

#endif
