/* export/runs.c — notes of turns become entries of runs. */
#include "export/runs.h"

#include "base/must.h"

#include <stdlib.h>
#include <time.h>

void runs_init(struct runs *runs, size_t max, const struct sampling *sampling)
{
    must(max > 0);
    *runs = (struct runs){ .max = max, .sampling = sampling, .ring = calloc(max, sizeof *runs->ring) };
    must(runs->ring);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&runs->mutex, NULL);
    pthread_cond_init(&runs->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    map_init(&runs->by_instance);
}

void runs_done(struct runs *runs)
{
    while (runs->oldest) {
        struct run_noted *noted = runs->oldest;
        runs->oldest = noted->next;
        free(noted);
    }
    map_done(&runs->by_instance);
    pthread_cond_destroy(&runs->changed);
    pthread_mutex_destroy(&runs->mutex);
    free(runs->ring);
}

/* ---- the ring ---- */

static void wake(struct runs *runs)
{
    pthread_mutex_lock(&runs->mutex);
    runs->wakes = true;
    pthread_mutex_unlock(&runs->mutex);
    pthread_cond_signal(&runs->changed);
}

bool runs_note(struct runs *runs, const struct advance *advance)
{
    if (advance->is_test) return true;
    size_t written = atomic_load_explicit(&runs->written, memory_order_relaxed);
    size_t count = written - atomic_load_explicit(&runs->taken, memory_order_acquire);
    must(count <= runs->max);
    if (count == runs->max) return false;
    runs->ring[written % runs->max] = *advance;
    atomic_store_explicit(&runs->written, written + 1, memory_order_release);
    if (count + 1 == runs->max / 2) wake(runs);
    return true;
}

void runs_stop(struct runs *runs)
{
    atomic_store(&runs->stops, true);
    wake(runs);
}

void runs_wait(struct runs *runs, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += wait_ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&runs->mutex);
    while (!runs_stops(runs) && !runs->wakes)
        if (pthread_cond_timedwait(&runs->changed, &runs->mutex, &until)) break;
    runs->wakes = false;
    pthread_mutex_unlock(&runs->mutex);
}

bool runs_stops(struct runs *runs) { return atomic_load(&runs->stops); }

/* ---- the table ---- */

static void add(struct runs *runs, struct run_noted *noted)
{
    noted->next = NULL;
    if (runs->newest) runs->newest->next = noted;
    else runs->oldest = noted;
    runs->newest = noted;
    runs->noted_count++;
    map_put(&runs->by_instance, noted->instance, noted);
}

/* Commands of another node came between: what was noted before gets an entry of its own, which nobody finds
 * by the instance any more. */
static bool follows(const struct run_noted *noted, const struct advance *advance)
{
    return !noted->last || noted->last + 1 == advance->revision;
}

static bool gather(struct runs *runs, const struct advance *advance)
{
    bool drawn = sampling_draws(runs->sampling, advance->instance, advance->created_ms);
    /* An end decides about all that was before, so nothing of a living run needs to be known. */
    if (!drawn && !(advance->has_ended && sampling_waits(runs->sampling))) return true;
    struct run_noted *noted = map_get(&runs->by_instance, advance->instance);
    if (!noted || !follows(noted, advance)) {
        if (runs->noted_count == runs->max) return false;
        int64_t not_before_us = noted ? noted->not_before_us : 0;
        noted = calloc(1, sizeof *noted);
        must(noted);
        *noted = (struct run_noted){ .instance = advance->instance, .not_before_us = not_before_us };
        add(runs, noted);
    }
    if (!noted->last) noted->first = advance->revision;
    noted->last = advance->revision;
    return true;
}

size_t runs_gather(struct runs *runs)
{
    size_t dropped = 0, taken = atomic_load_explicit(&runs->taken, memory_order_relaxed);
    size_t written = atomic_load_explicit(&runs->written, memory_order_acquire);
    for (; taken != written; taken++) {
        dropped += !gather(runs, &runs->ring[taken % runs->max]);
        /* Each place is free at once: a turn may need it. */
        atomic_store_explicit(&runs->taken, taken + 1, memory_order_release);
    }
    return dropped;
}

struct run_noted *runs_take(struct runs *runs, int64_t now_us)
{
    struct run_noted **at = &runs->oldest, *before = NULL;
    while (*at) {
        struct run_noted *noted = *at;
        if (noted->not_before_us > now_us) {
            before = noted;
            at = &noted->next;
            continue;
        }
        *at = noted->next;
        if (runs->newest == noted) runs->newest = before;
        runs->noted_count--;
        if (map_get(&runs->by_instance, noted->instance) == noted)
            map_take(&runs->by_instance, noted->instance);
        if (noted->last) return noted;
        free(noted); /* It has rested, and nothing has happened. */
    }
    return NULL;
}

void runs_rest(struct runs *runs, struct run_noted *noted, int64_t not_before_us)
{
    noted->first = noted->last = 0;
    noted->not_before_us = not_before_us;
    bool fits = runs->noted_count < runs->max && !map_get(&runs->by_instance, noted->instance);
    if (fits) add(runs, noted);
    else free(noted);
}
