/* net/work.c — work that would hold up the loop, done by a few threads beside it.
 *
 *     net_work() ──► waits ──► a thread: run() ──► ended ──► the loop's thread: done()
 *
 * The threads are the loop's own and not those of uv_queue_work(): whoever frees what a piece of work looks
 * at must be able to wait for its end without running the loop (net_work_cancel()), and libuv cannot do that.
 * They are started when they are first needed.
 */
#include "net/net_int.h"

#include "base/list.h"
#include "base/must.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>

struct net_works {
    struct net_work *first, *last;
};

struct net_workers {
    struct net_waker *waker;
    pthread_mutex_t mutex; /* Guards the fields below, and the state of each piece of work. */
    pthread_cond_t changed;
    struct net_works waiting, ended;
    pthread_t thread[WORKERS_MAX];
    size_t thread_count, idle_count;
    bool stop;
};

static struct net_work *take_first(struct net_works *works)
{
    struct net_work *work = works->first;
    if (work) list_remove(works, work, next_);
    return work;
}

/* ---- the threads ---- */

static struct net_work *wait_for_work(struct net_workers *workers)
{
    workers->idle_count++;
    while (!workers->stop && !workers->waiting.first) pthread_cond_wait(&workers->changed, &workers->mutex);
    workers->idle_count--;
    return workers->stop ? NULL : take_first(&workers->waiting);
}

static void *run(void *context)
{
    struct net_workers *workers = context;
    thread_name("beside");
    pthread_mutex_lock(&workers->mutex);
    for (struct net_work *work; (work = wait_for_work(workers)) != NULL;) {
        work->state_ = NET_WORK_RUNS;
        pthread_mutex_unlock(&workers->mutex);
        work->run(work->context);
        pthread_mutex_lock(&workers->mutex);
        work->state_ = NET_WORK_ENDED;
        list_append(&workers->ended, work, next_);
        pthread_cond_broadcast(&workers->changed);
        net_wake(workers->waker);
    }
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

/* A machine that gives no further thread has to do with those that are there. */
static void start_thread(struct net_workers *workers)
{
    if (workers->idle_count || workers->thread_count == WORKERS_MAX) return;
    bool started = pthread_create(&workers->thread[workers->thread_count], NULL, run, workers) == 0;
    workers->thread_count += started;
    must(workers->thread_count);
}

/* ---- the loop's thread ---- */

/* One at a time: done() may cancel another one. */
static void deliver(void *context)
{
    struct net_workers *workers = context;
    for (;;) {
        pthread_mutex_lock(&workers->mutex);
        struct net_work *work = take_first(&workers->ended);
        if (work) work->state_ = NET_WORK_NONE;
        pthread_mutex_unlock(&workers->mutex);
        if (!work) return;
        work->done(work->context);
    }
}

/* Waits for work that runs, and drops what waits. */
static void free_workers(struct net_workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    workers->stop = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->mutex);
    for (size_t i = 0; i < workers->thread_count; i++) pthread_join(workers->thread[i], NULL);
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

static struct net_workers *workers_of(struct net_loop *loop)
{
    struct net_workers *workers = net_loop_workers(loop);
    if (workers) return workers;
    workers = calloc(1, sizeof *workers);
    must(workers);
    must(pthread_mutex_init(&workers->mutex, NULL) == 0);
    must(pthread_cond_init(&workers->changed, NULL) == 0);
    workers->waker = net_waker_new(loop, deliver, workers);
    net_loop_set_workers(loop, workers, free_workers);
    return workers;
}

void net_work(struct net_loop *loop, struct net_work *work)
{
    struct net_workers *workers = workers_of(loop);
    pthread_mutex_lock(&workers->mutex);
    must(work->state_ == NET_WORK_NONE);
    work->workers_ = workers;
    work->state_ = NET_WORK_WAITS;
    list_append(&workers->waiting, work, next_);
    start_thread(workers);
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->mutex);
}

static void take_back(struct net_workers *workers, struct net_work *work)
{
    if (work->state_ == NET_WORK_WAITS) list_remove(&workers->waiting, work, next_);
    if (work->state_ == NET_WORK_ENDED) list_remove(&workers->ended, work, next_);
    work->state_ = NET_WORK_NONE;
}

void net_work_cancel(struct net_work *work)
{
    struct net_workers *workers = work->workers_;
    if (!workers) return;
    pthread_mutex_lock(&workers->mutex);
    while (work->state_ == NET_WORK_RUNS) pthread_cond_wait(&workers->changed, &workers->mutex);
    take_back(workers, work);
    pthread_mutex_unlock(&workers->mutex);
}

bool net_work_withdraw(struct net_work *work)
{
    struct net_workers *workers = work->workers_;
    if (!workers) return true;
    pthread_mutex_lock(&workers->mutex);
    bool runs = work->state_ == NET_WORK_RUNS;
    if (!runs) take_back(workers, work);
    pthread_mutex_unlock(&workers->mutex);
    return !runs;
}
