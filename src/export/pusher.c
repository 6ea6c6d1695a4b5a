/* export/pusher.c — the thread that sends pages of metrics. */
#include "export/pusher.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/thread.h"
#include "export/limits.h"
#include "export/post.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pusher {
    const struct exporter_config *config;
    int64_t start_ms; /* Counters count since then. */
    struct push_counters counters;
    struct post *post;
    pthread_t thread;
    _Atomic int64_t stop_us; /* The message on its way is broken off then; 0: not yet. */

    pthread_mutex_t lock; /* Guards the fields below. */
    pthread_cond_t changed;
    struct buf waiting; /* The page that waits; empty: none does. */
    bool stops;

    /* The thread's own. */
    struct buf page, message;
    bool fails; /* The last message was not taken, and the log says so. */
};

/* ---- the place for one page ---- */

void pusher_offer(struct pusher *pusher, str page)
{
    pthread_mutex_lock(&pusher->lock);
    if (pusher->waiting.n) atomic_fetch_add(&pusher->counters.dropped, 1);
    pusher->waiting.n = 0;
    if (!pusher->stops) buf_add_str(&pusher->waiting, page);
    pthread_cond_signal(&pusher->changed);
    pthread_mutex_unlock(&pusher->lock);
}

/* Waits for a page. False: there is none, and the thread has to end. */
static bool take_page(struct pusher *pusher)
{
    pthread_mutex_lock(&pusher->lock);
    while (!pusher->waiting.n && !pusher->stops) pthread_cond_wait(&pusher->changed, &pusher->lock);
    struct buf taken = pusher->waiting;
    pusher->waiting = pusher->page;
    pusher->waiting.n = 0;
    pusher->page = taken;
    pthread_mutex_unlock(&pusher->lock);
    return pusher->page.n > 0;
}

/* Waits so long, or until there is a newer page. False: the page is not wanted any more. */
static bool wait_to_retry(struct pusher *pusher, int64_t pause_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += pause_ms / 1000;
    until.tv_nsec += pause_ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&pusher->lock);
    int code = 0;
    while (!pusher->stops && !pusher->waiting.n && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&pusher->changed, &pusher->lock, &until);
    /* A newer page waits for the rest of the pause, too: the collector may have asked for it. */
    while (!pusher->stops && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&pusher->changed, &pusher->lock, &until);
    bool goes_on = !pusher->stops && !pusher->waiting.n;
    if (pusher->waiting.n) atomic_fetch_add(&pusher->counters.dropped, 1);
    pthread_mutex_unlock(&pusher->lock);
    return goes_on;
}

/* ---- messages ---- */

static void say_failed(struct pusher *pusher, const struct post_answer *answer)
{
    if (!pusher->fails)
        log_write(LOG_WARN, "a collector does not take metrics; newer ones are sent later", "collector",
                  pusher->config->url, "reason", answer->why, NULL);
    pusher->fails = true;
}

static void say_taken(struct pusher *pusher, const struct post_answer *answer)
{
    if (pusher->fails)
        log_write(LOG_INFO, "a collector takes metrics again", "collector", pusher->config->url, NULL);
    pusher->fails = false;
    if (answer->is_rubbish)
        log_write(LOG_WARN, "the answer of a collector cannot be read", "collector", pusher->config->url,
                  NULL);
}

static void count(struct pusher *pusher, const struct post_answer *answer, size_t points)
{
    struct push_counters *counters = &pusher->counters;
    bool is_taken = answer->fate == POST_TAKEN;
    size_t refused = !is_taken ? points : answer->refused < points ? answer->refused : points;
    char text[24];
    atomic_fetch_add(is_taken ? &counters->messages : &counters->failures, 1);
    atomic_fetch_add(&counters->points, points - refused);
    atomic_fetch_add(&counters->refused, refused);
    if (is_taken) say_taken(pusher, answer);
    if (!refused) return;
    snprintf(text, sizeof text, "%zu", refused);
    log_write(LOG_WARN, "a collector has refused metrics", "collector", pusher->config->url, "#points", text,
              "reason", answer->why[0] ? answer->why : "it took the others", NULL);
}

/* Sends the page until it is taken or refused, or there is a newer one. */
static void push(struct pusher *pusher)
{
    struct clock clock = clock_system();
    struct post_answer answer;
    int64_t pause_ms = RETRY_MS_MIN;
    pusher->message.n = 0;
    size_t points = otlp_metrics_encode(buf_str(&pusher->page), pusher->config->resource, pusher->start_ms,
                                        clock_now_ms(&clock), &pusher->message);
    for (;;) {
        post_send(pusher->post, buf_str(&pusher->message), &answer);
        if (answer.fate != POST_LATER) break;
        atomic_fetch_add(&pusher->counters.failures, 1);
        say_failed(pusher, &answer);
        if (!wait_to_retry(pusher, answer.pause_ms ? answer.pause_ms : pause_ms)) return;
        pause_ms = pause_ms * 2 < RETRY_MS_MAX ? pause_ms * 2 : RETRY_MS_MAX;
    }
    count(pusher, &answer, points);
}

static void *work(void *context)
{
    struct pusher *pusher = context;
    thread_name("metrics");
    while (take_page(pusher)) push(pusher);
    return NULL;
}

/* ---- for other threads ---- */

/* Signals are for other threads. */
static int start_thread(struct pusher *pusher)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&pusher->thread, NULL, work, pusher);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void open_lock(struct pusher *pusher)
{
    pthread_condattr_t attributes;
    must(pthread_condattr_init(&attributes) == 0);
    must(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    must(pthread_mutex_init(&pusher->lock, NULL) == 0);
    must(pthread_cond_init(&pusher->changed, &attributes) == 0);
    pthread_condattr_destroy(&attributes);
}

static void free_all(struct pusher *pusher)
{
    post_close(pusher->post);
    pthread_cond_destroy(&pusher->changed);
    pthread_mutex_destroy(&pusher->lock);
    buf_done(&pusher->waiting);
    buf_done(&pusher->page);
    buf_done(&pusher->message);
    free(pusher);
}

enum status pusher_new(const struct exporter_config *config, struct pusher **ret_pusher, struct error *err)
{
    struct clock clock = clock_system();
    struct pusher *pusher = calloc(1, sizeof *pusher);
    must(pusher && config->timeout_ms > 0);
    pusher->config = config;
    pusher->start_ms = clock_now_ms(&clock);
    buf_init(&pusher->waiting, NULL);
    buf_init(&pusher->page, NULL);
    buf_init(&pusher->message, NULL);
    open_lock(pusher);
    enum status status = post_open(&(struct post_config){ .exporter = config, .end_us = &pusher->stop_us },
                                   &pusher->post, err);
    int code = status == ST_OK ? start_thread(pusher) : 0;
    if (code)
        status = fail(err, ST_INTERNAL, "export", "cannot start a thread for metrics: %s", strerror(code));
    if (status == ST_OK) *ret_pusher = pusher;
    else free_all(pusher);
    return status;
}

void pusher_stop(struct pusher *pusher)
{
    if (!pusher || pusher->stops) return;
    atomic_store(&pusher->stop_us, clock_monotonic_us() + STOP_MS_MAX * 1000);
    pthread_mutex_lock(&pusher->lock);
    pusher->stops = true;
    pthread_cond_signal(&pusher->changed);
    pthread_mutex_unlock(&pusher->lock);
    pthread_join(pusher->thread, NULL);
}

void pusher_free(struct pusher *pusher)
{
    if (!pusher) return;
    pusher_stop(pusher);
    free_all(pusher);
}

const struct push_counters *pusher_counters(const struct pusher *pusher) { return &pusher->counters; }
