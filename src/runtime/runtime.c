/* runtime/runtime.c — two threads around the engine and the query, and the queues between.
 *
 *     client: submit ─► inbox ─► engine thread ─► the client's outbox ─► deliver
 *                  └──► inbox ─► query thread ──┘
 *
 * A queue is under a mutex, and a thread takes a batch of it. So a lock is held for a few instructions, once
 * per batch. Tenants take turns in it (memory/fair.h), one call each: a tenant with thousands of calls in the
 * queue does not delay the call of another one by more than a batch. Nor can it fill the queue for others: if
 * the queue is full, those who have little in it still get in. Calls that one thread passes on to the other
 * do not count against the limit again: the engine passes on a watched history, the query thread a compiled
 * definition or a bulk.
 *
 * The engine is run by the thread that holds `turn`. That is the engine's own thread, except for calls that
 * come one by one: handing them over and their answers back would take long compared to the calls
 * themselves. So a client's thread takes the turn if nobody else wants it, nothing else is due, and such
 * turns have been quick (take_turn). With several calls in flight two threads are better.
 *
 * Locks: a thread that holds `turn` may take the mutex of an inbox, of an outbox or of the list of clients,
 * not the other way round. A thread that holds one of those takes no other lock, except that the owner of
 * the list of clients may call their wake functions. Calls are taken out of the engine's inbox under `turn`,
 * so none can overtake another.
 */
#include "runtime/runtime.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "base/thread.h"
#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/queries.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    /* Do calls come one by one, as a rule, and are they quickly done? The score rises with each turn of one
     * call, falls with two, and resets with more. A slow turn, because of the disk or of its calls, is
     * remembered for long. */
    LONE_ENOUGH = 8,
    LONE_TWO = 3,
    LONE_SLOW = -1000,
    SLOW_US = 1000,
    /* Large answers are made into text when they are delivered, by a thread that has sockets to look after.
     */
    LARGE_BYTES = 64 << 10,
    /* A turn costs the database some hundred microseconds, however little is in it, and nodes that share a
     * database share its processors. So where there are others, a turn behind a full one begins a moment
     * later, and those who were answered just now can take part in it. */
    GATHER_CALLS = 8,
    GATHER_PART = 2, /* Half of the time that the turn took, at most GATHER_US. */
    GATHER_US = 2000,
    /* A full queue still takes calls of tenants that have less than this part of it, up to twice its size. */
    TENANT_PLACES = 64,
    TENANT_PART = 16,
};

struct inbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct fair_calls calls;
    uint64_t *abandoned; /* Serials of calls that nobody waits for any more. */
    size_t abandoned_count, abandoned_cap;
    bool sleeping;
    bool woken; /* Look around, although there is no call. */
    bool stop;
};

/* The calls of one thread on their way in and out. */
struct runtime_client {
    struct runtime *runtime;
    struct runtime_client_config config;
    struct call_list for_engine, for_query; /* Gathered. */
    pthread_mutex_t mutex;                  /* Guards the outbox. */
    struct call_list outbox;
    _Atomic size_t unfinished;   /* Calls that were submitted and not yet delivered. */
    _Atomic size_t putting;      /* Threads that are putting answers into the outbox, or waking the client. */
    struct runtime_client *next; /* In the runtime's list. */
};

struct runtime {
    struct runtime_config config;
    struct metrics metrics;
    struct query query;
    pthread_mutex_t turn; /* Guards the four fields below. */
    struct engine engine;
    int64_t sleeps_until_ms; /* The engine's thread, if nobody wakes it. */
    int lone;                /* LONE_SLOW to LONE_SCORE_MAX: how often turns have one call. */
    int64_t gather_us;       /* How long the next turn waits for more calls, once there is one. */
    struct inbox engine_inbox, query_inbox;
    pthread_t engine_thread, query_thread;
    pthread_mutex_t clients_mutex; /* Guards the list of clients. */
    struct runtime_client *clients;
    _Atomic size_t queued;                   /* Submitted and not yet taken by a thread. */
    _Atomic size_t queued_of[TENANT_PLACES]; /* The same by tenant, some of which share a place. */
    _Atomic uint64_t serial;                 /* The serial number of the call submitted last. */
    _Atomic int64_t turn_began_us;           /* For the engine's thread; 0: no turn is running. */
    _Atomic bool draining;
    _Atomic bool leaving; /* Answers of the query thread are not read any more. */
    _Atomic bool broken;
};

/* ---- queues ---- */

static void inbox_init(struct inbox *inbox)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    fair_init(&inbox->calls, 1);
    pthread_mutex_init(&inbox->mutex, NULL);
    pthread_cond_init(&inbox->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void inbox_done(struct inbox *inbox)
{
    free(inbox->abandoned);
    fair_done(&inbox->calls);
    pthread_mutex_destroy(&inbox->mutex);
    pthread_cond_destroy(&inbox->changed);
}

static void inbox_put(struct inbox *inbox, struct call_list *list)
{
    pthread_mutex_lock(&inbox->mutex);
    fair_append(&inbox->calls, list);
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
    while (!inbox->calls.count && !inbox->stop && !inbox->woken && !late) {
        if (wait_ms < 0) pthread_cond_wait(&inbox->changed, &inbox->mutex);
        else late = pthread_cond_timedwait(&inbox->changed, &inbox->mutex, &until) != 0;
    }
    inbox->sleeping = inbox->woken = false;
    bool go_on = inbox->calls.count || !inbox->stop;
    pthread_mutex_unlock(&inbox->mutex);
    return go_on;
}

/* Takes up to `max` calls. */
static void inbox_take(struct inbox *inbox, size_t max, struct call_list *ret_list)
{
    pthread_mutex_lock(&inbox->mutex);
    for (struct call *call; ret_list->count < max && (call = fair_take(&inbox->calls)) != NULL;) {
        fair_charge(&inbox->calls, 1);
        call_list_add(ret_list, call);
    }
    pthread_mutex_unlock(&inbox->mutex);
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
    bool empty = !inbox->calls.count;
    pthread_mutex_unlock(&inbox->mutex);
    return empty;
}

static void client_wake(const struct runtime_client *client)
{
    if (client->config.wake) client->config.wake(client->config.wake_context);
}

/* Empties the list, whose calls all belong to the client. The client may deliver the calls at once and go;
 * it waits only for `putting`. */
static void client_put(struct runtime_client *client, struct call_list *list, bool wake)
{
    must(list->first && list->first->client_ == client);
    atomic_fetch_add(&client->putting, 1);
    pthread_mutex_lock(&client->mutex);
    bool was_empty = !client->outbox.first;
    call_list_append(&client->outbox, list);
    pthread_mutex_unlock(&client->mutex);
    /* Not before: it would wake only to wait for the mutex. */
    if (was_empty && wake) client_wake(client);
    atomic_fetch_sub(&client->putting, 1);
}

/* Puts each call into the outbox of its client, those of one client together, and wakes the clients; but not
 * `self`, which delivers anyway (NULL: nobody). Empties the list. */
static void outboxes_put(struct call_list *list, const struct runtime_client *self)
{
    while (list->first) {
        struct runtime_client *client = list->first->client_;
        struct call_list own = { 0 };
        while (list->first && list->first->client_ == client) call_list_add(&own, call_list_take(list));
        client_put(client, &own, client != self);
    }
}

/* ---- the limit of the queues ---- */

/* The engine's own jobs are few, and must not wait for others or keep them out. */
static void count_queued(struct runtime *runtime, const struct call *call, int delta)
{
    if (call->performs) return;
    atomic_fetch_add(&runtime->queued, (size_t)delta);
    atomic_fetch_add_explicit(&runtime->queued_of[(uint32_t)call->ns % TENANT_PLACES], (size_t)delta,
                              memory_order_relaxed);
}

static void count_list(struct runtime *runtime, const struct call_list *list, int delta)
{
    for (const struct call *call = list->first; call; call = call->next_) count_queued(runtime, call, delta);
}

static bool is_overloaded(const struct runtime *runtime, const struct call *call)
{
    size_t max = (size_t)runtime->config.limits.queue_calls_max, queued = atomic_load(&runtime->queued);
    if (call->performs || queued < max) return false;
    size_t own =
        atomic_load_explicit(&runtime->queued_of[(uint32_t)call->ns % TENANT_PLACES], memory_order_relaxed);
    return own >= max / TENANT_PART || queued >= 2 * max;
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
        pthread_mutex_lock(&runtime->clients_mutex);
        for (const struct runtime_client *client = runtime->clients; client; client = client->next)
            client_wake(client);
        pthread_mutex_unlock(&runtime->clients_mutex);
    }
    if (runtime->engine.for_query.first) {
        count_list(runtime, &runtime->engine.for_query, 1);
        inbox_put(&runtime->query_inbox, &runtime->engine.for_query);
    }
}

static void note_turn(struct runtime *runtime, size_t calls_taken, int64_t began_us)
{
    int64_t took_us = clock_monotonic_us() - began_us;
    runtime->gather_us = 0;
    if (calls_taken >= GATHER_CALLS && nodes_have_others(&runtime->engine))
        runtime->gather_us = took_us < GATHER_PART * GATHER_US ? took_us / GATHER_PART : GATHER_US;
    if (calls_taken == 1 && took_us > SLOW_US) runtime->lone = LONE_SLOW;
    else if (calls_taken == 1 && runtime->lone < LONE_SCORE_MAX) runtime->lone++;
    else if (calls_taken == 2 && runtime->lone > 0)
        runtime->lone -= runtime->lone < LONE_TWO ? runtime->lone : LONE_TWO;
    else if (calls_taken > 2 && runtime->lone > 0) runtime->lone = 0;
}

static void run_turn(struct runtime *runtime)
{
    must(!runtime->engine.turn.solo && !runtime->engine.turn.in_transaction);
    struct call_list list = { 0 };
    inbox_take(&runtime->engine_inbox, (size_t)runtime->config.limits.batch_calls_max, &list);
    count_list(runtime, &list, -1);
    size_t taken = list.count;
    int64_t began_us = clock_monotonic_us();
    if (runtime->draining) engine_drain(&runtime->engine);
    for (uint64_t serial; (serial = inbox_take_abandoned(&runtime->engine_inbox)) != 0;)
        engine_abandon(&runtime->engine, serial);
    engine_accept(&runtime->engine, &list);
    outboxes_put(&runtime->engine.answered, NULL);
    engine_commit(&runtime->engine);
    outboxes_put(&runtime->engine.answered, NULL);
    follow_turn(runtime);
    note_turn(runtime, taken, began_us);
    engine_maintain(&runtime->engine);
    follow_turn(runtime); /* That may have broken the store. */
}

/* May a client's thread, which has others to serve, run the call? Only one command on one instance and what
 * follows from it. How long that takes is seen afterwards. */
/* A client's thread has other clients to look after: it runs nothing that is large itself. */
static bool is_brief(const struct call *call)
{
    return call->arena->used <= LARGE_BYTES && call_description(call->kind)->brief &&
           (call->kind != CALL_BATCH || call->as.batch.item_count <= 1) &&
           (call->kind != CALL_WRITE_ENTITIES || call->as.entities.count <= 1);
}

/* Is nothing else to be done, now or while the client's thread would be held up? */
static bool is_quiet(struct runtime *runtime)
{
    return runtime->lone >= LONE_ENOUGH && !runtime->draining && !runtime->broken &&
           engine_next_ms(&runtime->engine) > clock_now_ms(&runtime->config.clock) &&
           inbox_is_empty(&runtime->engine_inbox);
}

/* Runs the only call that the client has gathered. False: the engine's thread should. */
static bool take_turn(struct runtime_client *client)
{
    struct runtime *runtime = client->runtime;
    if (client->for_engine.count != 1 || !is_brief(client->for_engine.first)) return false;
    if (pthread_mutex_trylock(&runtime->turn) != 0) return false;
    bool quiet = is_quiet(runtime);
    if (quiet) {
        count_queued(runtime, client->for_engine.first, -1);
        int64_t began_us = clock_monotonic_us();
        must(!runtime->engine.turn.solo && !runtime->engine.turn.in_transaction);
        runtime->engine.turn.solo = true;
        engine_accept(&runtime->engine, &client->for_engine);
        engine_commit(&runtime->engine);
        runtime->engine.turn.solo = false;
        note_turn(runtime, 1, began_us);
        follow_turn(runtime);
        outboxes_put(&runtime->engine.answered, client);
        if (engine_next_ms(&runtime->engine) < runtime->sleeps_until_ms) inbox_wake(&runtime->engine_inbox);
    }
    pthread_mutex_unlock(&runtime->turn);
    return quiet;
}

/* ---- threads ---- */

static void sleep_us(int64_t us)
{
    struct timespec pause = { .tv_nsec = us * 1000 };
    nanosleep(&pause, NULL);
}

static void *run_engine(void *context)
{
    struct runtime *runtime = context;
    int64_t gather_us = 0;
    thread_name("engine");
    for (int64_t wait_ms = 0; inbox_wait(&runtime->engine_inbox, wait_ms);) {
        if (gather_us) sleep_us(gather_us);
        pthread_mutex_lock(&runtime->turn);
        runtime->turn_began_us = clock_monotonic_us();
        run_turn(runtime);
        runtime->turn_began_us = 0;
        int64_t now_ms = clock_now_ms(&runtime->config.clock);
        wait_ms = sleep_ms(runtime, now_ms);
        runtime->sleeps_until_ms = now_ms + wait_ms;
        gather_us = runtime->gather_us;
        pthread_mutex_unlock(&runtime->turn);
    }
    return NULL;
}

static enum query_progress refuse(struct call *call)
{
    call->status = fail(&call->error, ST_DRAINING, "", "the engine is stopping");
    return QUERY_ANSWERED;
}

static void *run_query(void *context)
{
    struct runtime *runtime = context;
    thread_name("query");
    while (inbox_wait(&runtime->query_inbox, -1)) {
        struct call_list list = { 0 }, answered = { 0 }, onward = { 0 }, again = { 0 };
        inbox_take(&runtime->query_inbox, 1, &list);
        count_list(runtime, &list, -1);
        struct call *call = call_list_take(&list);
        if (!call) continue;
        enum query_progress progress = runtime->leaving ? refuse(call) : queries_part(&runtime->query, call);
        call_list_add(progress == QUERY_AGAIN        ? &again
                      : progress == QUERY_FOR_ENGINE ? &onward
                                                     : &answered,
                      call);
        if (again.first) {
            count_list(runtime, &again, 1);
            inbox_put(&runtime->query_inbox, &again);
        }
        if (onward.first) {
            count_list(runtime, &onward, 1);
            inbox_put(&runtime->engine_inbox, &onward);
        }
        outboxes_put(&answered, NULL);
    }
    return NULL;
}

/* ---- the interface ---- */

/* Another node has offered jobs, or changed access. */
static void wake_from_node(void *context, enum store_wake why)
{
    struct runtime *runtime = context;
    engine_wake(&runtime->engine, why);
    inbox_wake(&runtime->engine_inbox);
}

/* Without it the heartbeats still find what is offered, a little later. */
static void listen_to_nodes(struct runtime *runtime)
{
    struct error err;
    if (store_listen(runtime->config.store, wake_from_node, runtime, &err) != ST_OK)
        log_write(LOG_WARN, "this node does not hear others at once", "reason", err.message, NULL);
}

static enum status open_engine(struct runtime *runtime, const struct runtime_config *config,
                               struct error *err)
{
    struct engine *engine = &runtime->engine;
    TRY(engine_open(engine, config->store, config->clock, &config->limits, config->retention,
                    &runtime->metrics, err));
    enum status status = config->vault ? engine_use_vault(engine, config->vault, err) : ST_OK;
    if (status == ST_OK && config->directory) status = engine_use_directory(engine, config->directory, err);
    if (status != ST_OK) engine_close(engine);
    return status;
}

enum status runtime_open_query(struct runtime *runtime, struct query *ret_query, struct error *err)
{
    TRY(query_open(ret_query, runtime->engine.store, &runtime->query.limits, err));
    ret_query->clock = clock_system();
    ret_query->directory = runtime->query.directory;
    return ST_OK;
}

enum status runtime_new(const struct runtime_config *config, struct runtime **ret_runtime, struct error *err)
{
    struct runtime *runtime = calloc(1, sizeof *runtime);
    must(runtime);
    runtime->config = *config;
    enum status status = open_engine(runtime, config, err);
    if (status != ST_OK) {
        free(runtime);
        return status;
    }
    if (config->lease_ms > 0) runtime->engine.lease_ms = config->lease_ms;
    runtime->engine.transact.compute_wait_ms = config->compute_wait_ms;
    runtime->engine.memory.advance_watcher = config->advance_watcher;
    status = query_open(&runtime->query, runtime->engine.store, &config->limits, err);
    if (status != ST_OK) {
        engine_close(&runtime->engine);
        free(runtime);
        return status;
    }
    runtime->query.clock = clock_system(); /* The engine's own is for its thread alone. */
    runtime->engine.answers = runtime->query.answers = config->answers;
    runtime->query.vault = config->vault;
    runtime->query.directory = config->directory;
    runtime->query.touched = runtime->engine.access.touched;
    inbox_init(&runtime->engine_inbox);
    inbox_init(&runtime->query_inbox);
    pthread_mutex_init(&runtime->turn, NULL);
    pthread_mutex_init(&runtime->clients_mutex, NULL);
    listen_to_nodes(runtime);
    must(pthread_create(&runtime->engine_thread, NULL, run_engine, runtime) == 0);
    must(pthread_create(&runtime->query_thread, NULL, run_query, runtime) == 0);
    *ret_runtime = runtime;
    return ST_OK;
}

struct runtime_client *runtime_client_new(struct runtime *runtime, const struct runtime_client_config *config)
{
    struct runtime_client *client = calloc(1, sizeof *client);
    must(client);
    client->runtime = runtime;
    client->config = *config;
    pthread_mutex_init(&client->mutex, NULL);
    pthread_mutex_lock(&runtime->clients_mutex);
    client->next = runtime->clients;
    runtime->clients = client;
    pthread_mutex_unlock(&runtime->clients_mutex);
    return client;
}

static void wait_a_moment(void)
{
    struct timespec moment = { .tv_nsec = 200000 };
    nanosleep(&moment, NULL);
}

void runtime_client_free(struct runtime_client *client)
{
    if (!client) return;
    struct runtime *runtime = client->runtime;
    for (;; wait_a_moment()) {
        runtime_flush(client); /* Also for calls that a `done` has submitted. */
        runtime_deliver(client);
        if (!atomic_load(&client->unfinished)) break;
    }
    while (atomic_load(&client->putting)) wait_a_moment();
    pthread_mutex_lock(&runtime->clients_mutex);
    struct runtime_client **place = &runtime->clients;
    while (*place != client) place = &(*place)->next;
    *place = client->next;
    pthread_mutex_unlock(&runtime->clients_mutex);
    must(!client->outbox.first && !client->for_engine.first);
    pthread_mutex_destroy(&client->mutex);
    free(client);
}

size_t runtime_client_unfinished(const struct runtime_client *client)
{
    return atomic_load(&client->unfinished);
}

enum status runtime_submit(struct runtime_client *client, struct call *call)
{
    must(call->done && call_has_tenant(call));
    struct runtime *runtime = client->runtime;
    const struct call_description *description = call_description(call->kind);
    if (runtime->draining && (description->writes || description->waits)) return ST_DRAINING;
    if (is_overloaded(runtime, call)) {
        metric_add(&runtime->metrics.rejected_overload, 1);
        return ST_OVERLOAD;
    }
    call->submitted_us_ = clock_monotonic_us();
    call->serial_ = atomic_fetch_add_explicit(&runtime->serial, 1, memory_order_relaxed) + 1;
    count_queued(runtime, call, 1);
    call->client_ = client;
    atomic_fetch_add(&client->unfinished, 1);
    metric_set(&runtime->metrics.queue_depth, atomic_load(&runtime->queued));
    call_list_add(description->on_engine ? &client->for_engine : &client->for_query, call);
    if (!client->config.gathers) runtime_flush(client);
    return ST_OK;
}

void runtime_flush(struct runtime_client *client)
{
    struct runtime *runtime = client->runtime;
    if (client->config.gathers && take_turn(client)) runtime_deliver(client);
    if (client->for_engine.first) inbox_put(&runtime->engine_inbox, &client->for_engine);
    if (client->for_query.first) inbox_put(&runtime->query_inbox, &client->for_query);
}

/* Puts answers back in front of those that came meanwhile. */
static void deliver_later(struct runtime_client *client, struct call_list *list)
{
    pthread_mutex_lock(&client->mutex);
    call_list_append(list, &client->outbox);
    client->outbox = *list;
    pthread_mutex_unlock(&client->mutex);
    client_wake(client);
}

void runtime_deliver(struct runtime_client *client)
{
    pthread_mutex_lock(&client->mutex);
    struct call_list list = client->outbox;
    client->outbox = (struct call_list){ 0 };
    pthread_mutex_unlock(&client->mutex);
    int64_t began_us = list.first ? clock_monotonic_us() : 0;
    for (struct call *call; (call = call_list_take(&list)) != NULL;) {
        /* The call's memory may be gone when done() returns. */
        must(call->client_ == client);
        int64_t held_bytes = call->held_bytes_;
        bool large = call->arena->used >= LARGE_BYTES;
        atomic_fetch_sub(&client->unfinished, 1);
        call->done(call);
        budget_add(client->runtime->config.answers, -held_bytes);
        if (large && list.first && clock_monotonic_us() - began_us > DELIVER_US_MAX) {
            deliver_later(client, &list);
            return;
        }
    }
}

void runtime_abandon(struct runtime_client *client, struct call *call)
{
    call->abandoned = true;
    inbox_put_abandoned(&client->runtime->engine_inbox, call->serial_);
}

void runtime_drain(struct runtime *runtime)
{
    runtime->draining = true;
    inbox_wake(&runtime->engine_inbox); /* It answers what waits. */
}

void runtime_leave(struct runtime *runtime)
{
    runtime_drain(runtime);
    runtime->leaving = true;
    query_leave(&runtime->query);
}

bool runtime_idle(struct runtime *runtime)
{
    bool idle = true;
    pthread_mutex_lock(&runtime->clients_mutex);
    for (struct runtime_client *client = runtime->clients; client; client = client->next)
        idle &= atomic_load(&client->unfinished) == 0;
    pthread_mutex_unlock(&runtime->clients_mutex);
    return idle;
}

void runtime_free(struct runtime *runtime)
{
    if (!runtime) return;
    must(!runtime->clients);
    store_listen(runtime->config.store, NULL, NULL, NULL);
    inbox_stop(&runtime->query_inbox);
    pthread_join(runtime->query_thread, NULL);
    inbox_stop(&runtime->engine_inbox);
    pthread_join(runtime->engine_thread, NULL);
    query_close(&runtime->query);
    engine_close(&runtime->engine);
    inbox_done(&runtime->engine_inbox);
    inbox_done(&runtime->query_inbox);
    pthread_mutex_destroy(&runtime->turn);
    pthread_mutex_destroy(&runtime->clients_mutex);
    free(runtime);
}

const struct metrics *runtime_metrics(const struct runtime *runtime) { return &runtime->metrics; }

/* A node that cannot reach the database does not know that another one leads now. */
bool runtime_leads(const struct runtime *runtime)
{
    return metric_get(&runtime->metrics.node_leads) > 0 && !metric_get(&runtime->metrics.node_cut_off);
}

uint64_t runtime_configuration(const struct runtime *runtime)
{
    const struct metrics *metrics = &runtime->metrics;
    return metric_get(&metrics->definitions_uploaded) + metric_get(&metrics->configurations) +
           metric_get(&metrics->trigger_pauses);
}

int64_t runtime_ms_of_turn(const struct runtime *runtime)
{
    int64_t began_us = runtime->turn_began_us;
    return began_us ? (clock_monotonic_us() - began_us) / 1000 : 0;
}

bool runtime_healthy(const struct runtime *runtime) { return !runtime->broken; }
