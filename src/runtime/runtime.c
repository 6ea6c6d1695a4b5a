/* runtime/runtime.c — two threads around the engine and the query, and the queues between.
 *
 *     submit ─► inbox ─► engine thread ─► outbox ─► deliver
 *          └──► inbox ─► query thread ──┘
 *
 * Queues are lists under a mutex that are taken whole, so a lock is held for a few
 * instructions and once per batch. Calls the engine passes on to the query thread (a watched
 * history) and the other way round (a compiled definition, a bulk) do not count against the limit
 * again.
 *
 * The engine is run by whoever holds `turn`. That is its own thread, except for calls that come one by one:
 * handing them over and their answers back would take long compared to the calls themselves, so the
 * submitting thread takes the turn if nobody else wants it, nothing else is due, and such turns have been
 * quick (take_turn). With several calls in flight two threads are better. Whoever holds `turn` may take
 * the `mutex` of an inbox, not the other way round; calls are taken out of the engine's inbox under
 * `turn`, so none can overtake another.
 */
#include "runtime/runtime.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/engine.h"
#include "runtime/query.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    /* Are calls alone, as a rule, and quickly done? A turn with one call speaks for it, one with two rather
     * against it, and one with more shows that it is not so. A slow one, because of the disk or of what was
     * asked, is remembered for long. */
    LONE_ENOUGH = 8,
    LONE_TWO = 3,
    LONE_SLOW = -1000,
    SLOW_US = 1000,
    /* Large answers are made into text when they are delivered. Whoever delivers has sockets to look after.
     */
    LARGE_BYTES = 64 << 10,
};

struct inbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct call_list calls;
    uint64_t *abandoned; /* Serials of calls that nobody waits for any more. */
    size_t abandoned_count, abandoned_cap;
    bool sleeping;
    bool woken; /* Look around, although there is no call. */
    bool stop;
};

struct runtime {
    struct runtime_config config;
    struct metrics metrics;
    struct query query;
    pthread_mutex_t turn; /* Of all that follows, up to the inboxes. */
    struct engine engine;
    int64_t sleeps_until_ms; /* The engine's thread, if nobody wakes it. */
    int lone;                /* LONE_SLOW to LONE_SCORE_MAX: how often turns have one call. */
    struct inbox engine_inbox, query_inbox;
    struct call_list for_engine, for_query; /* Gathered; of the submitting thread. */
    pthread_t engine_thread, query_thread;
    pthread_mutex_t outbox_mutex;
    struct call_list outbox;
    _Atomic size_t queued;         /* Submitted and not yet taken by a thread. */
    uint64_t serial;               /* Of the call submitted last; of the submitting thread. */
    _Atomic size_t unfinished;     /* Submitted and not yet delivered. */
    _Atomic int64_t turn_began_us; /* Of the engine's thread; 0: no turn is running. */
    _Atomic bool draining;
    _Atomic bool broken;
};

static const struct {
    bool engine;
    bool writes;
} calls[CALL_KIND_COUNT] = {
#define ENGINE true
#define QUERY false
#define XX(NAME, where, writes) [CALL_##NAME] = { where, writes },
    CALL_MAP(XX)
#undef XX
#undef ENGINE
#undef QUERY
};

/* ---- queues ---- */

static void inbox_init(struct inbox *inbox)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&inbox->mutex, NULL);
    pthread_cond_init(&inbox->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void inbox_done(struct inbox *inbox)
{
    free(inbox->abandoned);
    pthread_mutex_destroy(&inbox->mutex);
    pthread_cond_destroy(&inbox->changed);
}

static void inbox_put(struct inbox *inbox, struct call_list *list)
{
    pthread_mutex_lock(&inbox->mutex);
    call_list_append(&inbox->calls, list);
    bool sleeping = inbox->sleeping;
    pthread_mutex_unlock(&inbox->mutex);
    /* Not before: it would wake only to wait for the mutex. */
    if (sleeping) pthread_cond_signal(&inbox->changed);
}

static void inbox_stop(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->stop = true;
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->mutex);
}

/* Wakes the thread, although there is no call for it. */
static void inbox_wake(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->woken = true;
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->mutex);
}

/* Waits for a call or whatever else there is to do, at most `wait_ms` (-1: for ever). False when the
 * thread should end: stopped, and nothing left. */
static bool inbox_wait(struct inbox *inbox, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (wait_ms > 0) {
        until.tv_sec += wait_ms / 1000;
        until.tv_nsec += wait_ms % 1000 * 1000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&inbox->mutex);
    inbox->sleeping = true;
    bool late = wait_ms == 0;
    while (!inbox->calls.first && !inbox->stop && !inbox->woken && !late) {
        if (wait_ms < 0) pthread_cond_wait(&inbox->changed, &inbox->mutex);
        else late = pthread_cond_timedwait(&inbox->changed, &inbox->mutex, &until) != 0;
    }
    inbox->sleeping = inbox->woken = false;
    bool go_on = inbox->calls.first || !inbox->stop;
    pthread_mutex_unlock(&inbox->mutex);
    return go_on;
}

/* Takes up to `max` calls. Returns how many of them count against the queue's limit. */
static size_t inbox_take(struct inbox *inbox, size_t max, struct call_list *ret_list)
{
    size_t counted = 0;
    pthread_mutex_lock(&inbox->mutex);
    while (ret_list->count < max && inbox->calls.first) {
        struct call *call = call_list_take(&inbox->calls);
        counted += !call->performs;
        call_list_add(ret_list, call);
    }
    pthread_mutex_unlock(&inbox->mutex);
    return counted;
}

static void inbox_put_abandoned(struct inbox *inbox, uint64_t serial)
{
    pthread_mutex_lock(&inbox->mutex);
    array_reserve(inbox->abandoned, inbox->abandoned_count, inbox->abandoned_cap);
    inbox->abandoned[inbox->abandoned_count++] = serial;
    inbox->woken = true;
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->mutex);
}

/* One of them, or 0. */
static uint64_t inbox_take_abandoned(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    uint64_t serial = inbox->abandoned_count ? inbox->abandoned[--inbox->abandoned_count] : 0;
    pthread_mutex_unlock(&inbox->mutex);
    return serial;
}

static bool inbox_is_empty(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    bool empty = !inbox->calls.first;
    pthread_mutex_unlock(&inbox->mutex);
    return empty;
}

static void outbox_put(struct runtime *runtime, struct call_list *list)
{
    if (!list->first) return;
    pthread_mutex_lock(&runtime->outbox_mutex);
    bool was_empty = !runtime->outbox.first;
    call_list_append(&runtime->outbox, list);
    pthread_mutex_unlock(&runtime->outbox_mutex);
    if (was_empty && runtime->config.wake) runtime->config.wake(runtime->config.wake_context);
}

/* ---- turns: the caller holds `turn` ---- */

/* How long the engine may sleep. Never so long that a jump of the clock goes unnoticed. */
static int64_t sleep_ms(const struct runtime *runtime, int64_t now_ms)
{
    int64_t next_ms = engine_next_ms(&runtime->engine);
    if (next_ms <= now_ms) return 0;
    return next_ms - now_ms < 1000 ? next_ms - now_ms : 1000;
}

static void follow_turn(struct runtime *runtime)
{
    if (runtime->engine.broken && !runtime->broken) {
        log_write(LOG_ERROR, "the store failed; only a restart can tell what was saved", "reason",
                  runtime->engine.failure.message, NULL);
        runtime->broken = true;
        if (runtime->config.wake) runtime->config.wake(runtime->config.wake_context);
    }
    if (runtime->engine.for_query.first) {
        atomic_fetch_add(&runtime->queued, runtime->engine.for_query.count);
        inbox_put(&runtime->query_inbox, &runtime->engine.for_query);
    }
}

static void note_turn(struct runtime *runtime, size_t calls_taken, int64_t began_us)
{
    if (calls_taken == 1 && clock_monotonic_us() - began_us > SLOW_US) runtime->lone = LONE_SLOW;
    else if (calls_taken == 1 && runtime->lone < LONE_SCORE_MAX) runtime->lone++;
    else if (calls_taken == 2 && runtime->lone > 0)
        runtime->lone -= runtime->lone < LONE_TWO ? runtime->lone : LONE_TWO;
    else if (calls_taken > 2 && runtime->lone > 0) runtime->lone = 0;
}

static void run_turn(struct runtime *runtime)
{
    struct call_list list = { 0 };
    size_t counted =
        inbox_take(&runtime->engine_inbox, (size_t)runtime->config.limits.batch_calls_max, &list);
    size_t taken = list.count;
    int64_t began_us = clock_monotonic_us();
    atomic_fetch_sub(&runtime->queued, counted);
    if (runtime->draining) engine_drain(&runtime->engine);
    for (uint64_t serial; (serial = inbox_take_abandoned(&runtime->engine_inbox)) != 0;)
        engine_abandon(&runtime->engine, serial);
    engine_accept(&runtime->engine, &list);
    outbox_put(runtime, &runtime->engine.answered);
    engine_commit(&runtime->engine);
    outbox_put(runtime, &runtime->engine.answered);
    follow_turn(runtime);
    note_turn(runtime, taken, began_us);
    engine_maintain(&runtime->engine);
    follow_turn(runtime); /* That may have broken the store. */
}

/* What may be done on the submitting thread, which has others to serve: one command on one instance and what
 * follows from it. How long that takes is seen afterwards. */
static bool is_brief(const struct call *call)
{
    switch (call->kind) {
    case CALL_START:
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_EXTEND_JOB:
    case CALL_POLL_JOBS:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL: return true;
    case CALL_BATCH: return call->as.batch.item_count <= 1;
    default: return false;
    }
}

/* Is nothing else to be done, now or while the submitting thread would be held up? */
static bool is_quiet(struct runtime *runtime)
{
    return runtime->lone >= LONE_ENOUGH && !runtime->draining && !runtime->broken &&
           engine_next_ms(&runtime->engine) > clock_now_ms(&runtime->config.clock) &&
           inbox_is_empty(&runtime->engine_inbox);
}

/* Runs the only call that was gathered. False: the engine's thread should. */
static bool take_turn(struct runtime *runtime)
{
    if (runtime->for_engine.count != 1 || !is_brief(runtime->for_engine.first)) return false;
    if (pthread_mutex_trylock(&runtime->turn) != 0) return false;
    bool quiet = is_quiet(runtime);
    if (quiet) {
        atomic_fetch_sub(&runtime->queued, !runtime->for_engine.first->performs);
        int64_t began_us = clock_monotonic_us();
        runtime->engine.turn.solo = true;
        engine_accept(&runtime->engine, &runtime->for_engine);
        engine_commit(&runtime->engine);
        runtime->engine.turn.solo = false;
        note_turn(runtime, 1, began_us);
        follow_turn(runtime);
        pthread_mutex_lock(&runtime->outbox_mutex);
        call_list_append(&runtime->outbox, &runtime->engine.answered);
        pthread_mutex_unlock(&runtime->outbox_mutex);
        if (engine_next_ms(&runtime->engine) < runtime->sleeps_until_ms) inbox_wake(&runtime->engine_inbox);
    }
    pthread_mutex_unlock(&runtime->turn);
    return quiet;
}

/* ---- threads ---- */

static void *run_engine(void *context)
{
    struct runtime *runtime = context;
    for (int64_t wait_ms = 0; inbox_wait(&runtime->engine_inbox, wait_ms);) {
        pthread_mutex_lock(&runtime->turn);
        runtime->turn_began_us = clock_monotonic_us();
        run_turn(runtime);
        runtime->turn_began_us = 0;
        int64_t now_ms = clock_now_ms(&runtime->config.clock);
        wait_ms = sleep_ms(runtime, now_ms);
        runtime->sleeps_until_ms = now_ms + wait_ms;
        pthread_mutex_unlock(&runtime->turn);
    }
    return NULL;
}

static void *run_query(void *context)
{
    struct runtime *runtime = context;
    while (inbox_wait(&runtime->query_inbox, -1)) {
        struct call_list list = { 0 }, answered = { 0 }, onward = { 0 }, again = { 0 };
        atomic_fetch_sub(&runtime->queued, inbox_take(&runtime->query_inbox, 1, &list));
        struct call *call = call_list_take(&list);
        if (!call) continue;
        enum query_progress progress = query_part(&runtime->query, call);
        call_list_add(progress == QUERY_AGAIN        ? &again
                      : progress == QUERY_FOR_ENGINE ? &onward
                                                     : &answered,
                      call);
        if (again.first) {
            atomic_fetch_add(&runtime->queued, again.count);
            inbox_put(&runtime->query_inbox, &again);
        }
        if (onward.first) {
            atomic_fetch_add(&runtime->queued, onward.count);
            inbox_put(&runtime->engine_inbox, &onward);
        }
        outbox_put(runtime, &answered);
    }
    return NULL;
}

/* ---- the interface ---- */

enum status runtime_new(const struct runtime_config *config, struct runtime **ret_runtime, struct error *err)
{
    struct runtime *runtime = calloc(1, sizeof *runtime);
    must(runtime);
    runtime->config = *config;
    enum status status = engine_open(&runtime->engine, config->store, config->clock, &config->limits,
                                     config->retention, &runtime->metrics, err);
    if (status != ST_OK) {
        free(runtime);
        return status;
    }
    if (config->lease_ms > 0) runtime->engine.lease_ms = config->lease_ms;
    status = query_open(&runtime->query, config->store, &config->limits, err);
    if (status != ST_OK) {
        engine_close(&runtime->engine);
        free(runtime);
        return status;
    }
    runtime->engine.answers = runtime->query.answers = config->answers;
    inbox_init(&runtime->engine_inbox);
    inbox_init(&runtime->query_inbox);
    pthread_mutex_init(&runtime->turn, NULL);
    pthread_mutex_init(&runtime->outbox_mutex, NULL);
    must(pthread_create(&runtime->engine_thread, NULL, run_engine, runtime) == 0);
    must(pthread_create(&runtime->query_thread, NULL, run_query, runtime) == 0);
    *ret_runtime = runtime;
    return ST_OK;
}

enum status runtime_submit(struct runtime *runtime, struct call *call)
{
    bool waits = call->kind == CALL_POLL_JOBS || call->kind == CALL_WATCH;
    if (runtime->draining && (calls[call->kind].writes || waits)) return ST_DRAINING;
    /* The engine's own errands are few, and must not wait for others or keep them out. */
    if (!call->performs && atomic_load(&runtime->queued) >= (size_t)runtime->config.limits.queue_calls_max) {
        metric_add(&runtime->metrics.rejected_overload, 1);
        return ST_OVERLOAD;
    }
    call->submitted_us_ = clock_monotonic_us();
    call->serial_ = ++runtime->serial;
    if (!call->performs) atomic_fetch_add(&runtime->queued, 1);
    atomic_fetch_add(&runtime->unfinished, 1);
    metric_set(&runtime->metrics.queue_depth, atomic_load(&runtime->queued));
    call_list_add(calls[call->kind].engine ? &runtime->for_engine : &runtime->for_query, call);
    if (!runtime->config.gathers) runtime_flush(runtime);
    return ST_OK;
}

void runtime_flush(struct runtime *runtime)
{
    if (runtime->config.gathers && take_turn(runtime)) runtime_deliver(runtime);
    if (runtime->for_engine.first) inbox_put(&runtime->engine_inbox, &runtime->for_engine);
    if (runtime->for_query.first) inbox_put(&runtime->query_inbox, &runtime->for_query);
}

/* Puts answers back in front of those that came meanwhile. */
static void deliver_later(struct runtime *runtime, struct call_list *list)
{
    pthread_mutex_lock(&runtime->outbox_mutex);
    call_list_append(list, &runtime->outbox);
    runtime->outbox = *list;
    pthread_mutex_unlock(&runtime->outbox_mutex);
    if (runtime->config.wake) runtime->config.wake(runtime->config.wake_context);
}

void runtime_deliver(struct runtime *runtime)
{
    pthread_mutex_lock(&runtime->outbox_mutex);
    struct call_list list = runtime->outbox;
    runtime->outbox = (struct call_list){ 0 };
    pthread_mutex_unlock(&runtime->outbox_mutex);
    int64_t began_us = list.first ? clock_monotonic_us() : 0;
    for (struct call *call; (call = call_list_take(&list)) != NULL;) {
        /* The call's memory may be gone when done() returns. */
        int64_t held_bytes = call->held_bytes_;
        bool large = call->arena->used >= LARGE_BYTES;
        atomic_fetch_sub(&runtime->unfinished, 1);
        call->done(call);
        budget_add(runtime->config.answers, -held_bytes);
        if (large && list.first && clock_monotonic_us() - began_us > DELIVER_US_MAX) {
            deliver_later(runtime, &list);
            return;
        }
    }
}

void runtime_abandon(struct runtime *runtime, struct call *call)
{
    call->abandoned = true;
    inbox_put_abandoned(&runtime->engine_inbox, call->serial_);
}

void runtime_drain(struct runtime *runtime)
{
    runtime_flush(runtime);
    runtime->draining = true;
    inbox_wake(&runtime->engine_inbox); /* It answers what waits. */
}

bool runtime_idle(struct runtime *runtime) { return atomic_load(&runtime->unfinished) == 0; }

void runtime_free(struct runtime *runtime)
{
    if (!runtime) return;
    runtime_drain(runtime);
    /* A definition may still go from one thread to the other: the engine ends last, and the
     * query thread sees what the engine passes on, because both empty their inboxes first. */
    while (!runtime_idle(runtime)) {
        runtime_deliver(runtime);
        struct timespec moment = { .tv_nsec = 200000 };
        nanosleep(&moment, NULL);
    }
    inbox_stop(&runtime->query_inbox);
    pthread_join(runtime->query_thread, NULL);
    inbox_stop(&runtime->engine_inbox);
    pthread_join(runtime->engine_thread, NULL);
    engine_close(&runtime->engine);
    query_close(&runtime->query);
    inbox_done(&runtime->engine_inbox);
    inbox_done(&runtime->query_inbox);
    pthread_mutex_destroy(&runtime->turn);
    pthread_mutex_destroy(&runtime->outbox_mutex);
    free(runtime);
}

const struct metrics *runtime_metrics(const struct runtime *runtime) { return &runtime->metrics; }

int64_t runtime_turn_ms(const struct runtime *runtime)
{
    int64_t began_us = runtime->turn_began_us;
    return began_us ? (clock_monotonic_us() - began_us) / 1000 : 0;
}

bool runtime_healthy(const struct runtime *runtime) { return !runtime->broken; }
