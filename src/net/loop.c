/* net/loop.c — one libuv loop, with its wakers, timers and signals.
 *
 * Every handle made here is in the list `ticks`, `wakers` or `signals`, and net_loop_stop() closes it.
 * Servers register a hook and close themselves there. uv_run() returns when the last handle is closed.
 */
#include "net/net_int.h"

#include "base/must.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct net_waker {
    uv_async_t async;
    struct net_waker *next;
    net_fn *fn;
    void *context;
    atomic_bool closed; /* Other threads may still wake a loop that has ended. */
};

struct tick {
    uv_timer_t timer;
    struct tick *next;
    net_fn *fn;
    void *context;
};

enum { SIGNAL_COUNT = 2 };

struct net_loop {
    uv_loop_t uv;
    struct net_waker *wakers;
    struct tick *ticks;
    struct net_stop_hook *hooks;
    struct net_workers *workers;
    net_free_workers *free_workers;
    uv_signal_t signals[SIGNAL_COUNT], hangup;
    bool signals_on, hangup_on;
    uv_prepare_t round;
    net_fn *on_round;
    void *round_context;
    uint64_t round_ns, idle_ns; /* When the last round ended, and how long the loop had waited until then. */
    struct net_load load;
    net_fn *on_signal, *on_hangup;
    void *signal_context, *hangup_context;
    bool stopped;
};

void net_ignore_sigpipe(void)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGPIPE, &ignore, NULL);
}

struct net_loop *net_loop_new(void)
{
    struct net_loop *loop = calloc(1, sizeof *loop);
    must(loop);
    must(uv_loop_init(&loop->uv) == 0);
    net_ignore_sigpipe();
    return loop;
}

uv_loop_t *net_loop_uv(struct net_loop *loop) { return &loop->uv; }

struct net_workers *net_loop_workers(const struct net_loop *loop) { return loop->workers; }

void net_loop_set_workers(struct net_loop *loop, struct net_workers *workers, net_free_workers *free_workers)
{
    loop->workers = workers;
    loop->free_workers = free_workers;
}

void net_loop_run(struct net_loop *loop) { uv_run(&loop->uv, UV_RUN_DEFAULT); }

void net_loop_stop(struct net_loop *loop)
{
    if (loop->stopped) return;
    loop->stopped = true;
    for (struct net_waker *waker = loop->wakers; waker; waker = waker->next) {
        atomic_store(&waker->closed, true);
        uv_close((uv_handle_t *)&waker->async, NULL);
    }
    for (struct tick *tick = loop->ticks; tick; tick = tick->next)
        uv_close((uv_handle_t *)&tick->timer, NULL);
    for (size_t i = 0; loop->signals_on && i < SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&loop->signals[i], NULL);
    if (loop->hangup_on) uv_close((uv_handle_t *)&loop->hangup, NULL);
    if (loop->on_round) uv_close((uv_handle_t *)&loop->round, NULL);
    for (struct net_stop_hook *hook = loop->hooks, *next; hook; hook = next) {
        next = hook->next;
        hook->fn(hook->context);
    }
}

void net_loop_free(struct net_loop *loop)
{
    if (!loop) return;
    if (loop->workers) loop->free_workers(loop->workers);
    net_loop_stop(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    must(uv_loop_close(&loop->uv) == 0);
    for (struct net_waker *waker = loop->wakers, *next; waker; waker = next) {
        next = waker->next;
        free(waker);
    }
    for (struct tick *tick = loop->ticks, *next; tick; tick = next) {
        next = tick->next;
        free(tick);
    }
    free(loop);
}

void net_add_stop_hook(struct net_loop *loop, struct net_stop_hook *hook)
{
    hook->next = loop->hooks;
    loop->hooks = hook;
}

void net_remove_stop_hook(struct net_loop *loop, struct net_stop_hook *hook)
{
    struct net_stop_hook **link = &loop->hooks;
    while (*link && *link != hook) link = &(*link)->next;
    if (*link) *link = hook->next;
}

static void on_async(uv_async_t *async)
{
    struct net_waker *waker = async->data;
    waker->fn(waker->context);
}

struct net_waker *net_waker_new(struct net_loop *loop, net_fn *fn, void *context)
{
    must(!loop->stopped);
    struct net_waker *waker = calloc(1, sizeof *waker);
    must(waker);
    waker->fn = fn;
    waker->context = context;
    must(uv_async_init(&loop->uv, &waker->async, on_async) == 0);
    waker->async.data = waker;
    waker->next = loop->wakers;
    loop->wakers = waker;
    return waker;
}

void net_wake(struct net_waker *waker)
{
    if (!atomic_load_explicit(&waker->closed, memory_order_relaxed)) uv_async_send(&waker->async);
}

static void on_uv_signal(uv_signal_t *handle, int number)
{
    (void)number;
    struct net_loop *loop = handle->data;
    loop->on_signal(loop->signal_context);
}

void net_on_signal(struct net_loop *loop, net_fn *fn, void *context)
{
    static const int numbers[SIGNAL_COUNT] = { SIGINT, SIGTERM };
    must(!loop->stopped && !loop->signals_on);
    loop->on_signal = fn;
    loop->signal_context = context;
    loop->signals_on = true;
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        must(uv_signal_init(&loop->uv, &loop->signals[i]) == 0);
        loop->signals[i].data = loop;
        must(uv_signal_start(&loop->signals[i], on_uv_signal, numbers[i]) == 0);
    }
}

static void on_uv_hangup(uv_signal_t *handle, int number)
{
    struct net_loop *loop = handle->data;
    (void)number;
    loop->on_hangup(loop->hangup_context);
}

void net_on_hangup(struct net_loop *loop, net_fn *fn, void *context)
{
    must(!loop->stopped && !loop->hangup_on);
    loop->on_hangup = fn;
    loop->hangup_context = context;
    loop->hangup_on = true;
    must(uv_signal_init(&loop->uv, &loop->hangup) == 0);
    loop->hangup.data = loop;
    must(uv_signal_start(&loop->hangup, on_uv_hangup, SIGHUP) == 0);
}

static void note_round(struct net_loop *loop)
{
    uint64_t now_ns = uv_hrtime(), idle_ns = uv_metrics_idle_time(&loop->uv);
    int64_t us = (int64_t)((now_ns - loop->round_ns) - (idle_ns - loop->idle_ns)) / 1000;
    if (loop->round_ns && us > loop->load.longest_us) loop->load.longest_us = us;
    if (loop->round_ns && us > STALL_MS * 1000) loop->load.stalls++;
    loop->round_ns = now_ns;
    loop->idle_ns = idle_ns;
}

struct net_load net_loop_load(const struct net_loop *loop) { return loop->load; }

static void on_prepare(uv_prepare_t *prepare)
{
    struct net_loop *loop = prepare->data;
    loop->on_round(loop->round_context);
    note_round(loop);
}

void net_each_round(struct net_loop *loop, net_fn *fn, void *context)
{
    must(!loop->stopped && !loop->on_round);
    loop->on_round = fn;
    loop->round_context = context;
    must(uv_loop_configure(&loop->uv, UV_METRICS_IDLE_TIME) == 0);
    must(uv_prepare_init(&loop->uv, &loop->round) == 0);
    loop->round.data = loop;
    must(uv_prepare_start(&loop->round, on_prepare) == 0);
}

static void on_tick(uv_timer_t *timer)
{
    struct tick *tick = timer->data;
    tick->fn(tick->context);
}

void net_every(struct net_loop *loop, int64_t ms, net_fn *fn, void *context)
{
    must(!loop->stopped && ms > 0);
    struct tick *tick = calloc(1, sizeof *tick);
    must(tick);
    tick->fn = fn;
    tick->context = context;
    must(uv_timer_init(&loop->uv, &tick->timer) == 0);
    tick->timer.data = tick;
    must(uv_timer_start(&tick->timer, on_tick, (uint64_t)ms, (uint64_t)ms) == 0);
    tick->next = loop->ticks;
    loop->ticks = tick;
}
