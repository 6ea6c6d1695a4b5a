/* export/runs.h — which commands of which runs are to be exported.
 *
 * Notes go into a ring, which is written in turns of the engine and emptied by the exporter's thread. The
 * table behind it belongs to that thread. It has an entry for each run, with the commands that were committed
 * here: a run to which much happens takes no more room than another one.
 */
#ifndef EXPORT_RUNS_H
#define EXPORT_RUNS_H

#include "base/map.h"
#include "runtime/runtime.h"
#include "telemetry/sampling.h"

#include <pthread.h>

struct run_noted {
    uint64_t instance;
    uint32_t first, last;   /* The commands: all between them were committed here. */
    int64_t not_before_us;  /* Its history is long: it is not read again before. */
    struct run_noted *next; /* In the order in which they were noted. */
};

struct runs {
    size_t max;
    const struct sampling *sampling;

    pthread_mutex_t mutex; /* Guards the ring. */
    pthread_cond_t changed;
    struct advance *ring;
    size_t begin, count;
    bool stops, wakes; /* Somebody waits on `changed`, and `wakes` ends that. */

    /* The thread's own. */
    struct map by_instance;
    struct run_noted *oldest, *newest;
    size_t noted_count;
};

void runs_init(struct runs *runs, size_t max, const struct sampling *sampling);
void runs_done(struct runs *runs);

/* Called in turns. False: there was no room. */
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
