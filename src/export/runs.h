/* export/runs.h — which commands of which runs are to be exported.
 *
 * Notes go into a ring, which one thread writes, in turns of the engine, and the exporter's thread empties. A
 * note takes no lock, but for the one that makes the ring half full: the exporter's thread has a low priority
 * and may hold a lock for long. The table behind the ring belongs to that thread. It has an entry for each
 * run, with the commands that were committed here: a run to which much happens takes no more room than
 * another one.
 */
#ifndef EXPORT_RUNS_H
#define EXPORT_RUNS_H

#include "base/map.h"
#include "runtime/runtime.h"
#include "telemetry/sampling.h"

#include <pthread.h>
#include <stdatomic.h>

struct run_noted {
    uint64_t instance;
    uint32_t first, last;   /* The commands: all between them were committed here. */
    int64_t not_before_us;  /* Its history is long: it is not read again before. */
    struct run_noted *next; /* In the order in which they were noted. */
};

struct runs {
    size_t max;
    const struct sampling *sampling;

    struct advance *ring;
    _Atomic size_t written, taken; /* How many, ever: the ring has those between. */
    _Atomic bool stops;

    pthread_mutex_t mutex; /* Held for a moment by somebody who wakes the thread or goes to sleep. */
    pthread_cond_t changed;
    bool wakes;

    /* The thread's own. */
    struct map by_instance;
    struct run_noted *oldest, *newest;
    size_t noted_count;
};

void runs_init(struct runs *runs, size_t max, const struct sampling *sampling);
void runs_done(struct runs *runs);

/* Called in turns, which one thread does. False: there was no room. */
bool runs_note(struct runs *runs, const struct advance *advance);
/* Ends all waits from now on. From any thread. */
void runs_stop(struct runs *runs);

/* Waits until somebody stops, until the ring is half full, or so long. */
void runs_wait(struct runs *runs, int64_t wait_ms);
bool runs_stops(struct runs *runs);
/* Takes what the ring has to the table; returns the number of notes for which it has no room. */
size_t runs_gather(struct runs *runs);
/* Takes the oldest entry that may be read now; NULL: there is none. The caller frees it. */
struct run_noted *runs_take(struct runs *runs, int64_t now_us);
/* Keeps a run from being read again for so long. Frees the entry. */
void runs_rest(struct runs *runs, struct run_noted *noted, int64_t not_before_us);

#endif
