/* trigger/mqtt_session.c — the thread of one broker.
 *
 *     ┌─► settings from the vault ──► connect ──► subscribe ──► read ──► take ──► acknowledge ─┐
 *     │                                                          ▲                             │
 *     │                                                          └─────────────────────────────┘
 *     └──────────────── wait: half a second, then longer, up to a minute ◄── lost, refused
 *
 * The settings are read anew for every attempt, so a changed password needs no restart. A failure is logged
 * when its reason changes, not at every attempt.
 *
 * A thread without filters ends. If nobody wants the broker's messages, it first unsubscribes and ends the
 * session, for which it may have to connect. If another engine wants them, the session is that engine's: to
 * connect would throw it off, and messages that came along would be acknowledged without a route.
 */
#include "trigger/mqtt_int.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "base/thread.h"
#include "program/topic.h"
#include "trigger/limits.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    LOOK_MS = 1000,        /* How often a quiet connection is looked at: keep-alive. */
    ACCEPT_MS = 10 * 1000, /* A broker must let us in within this time. */
    UNSUPPORTED_V5 = 132,  /* The answer of a broker that does not speak MQTT 5; … */
    UNSUPPORTED_V3 = 1,    /* … and one that answers with a code of MQTT 3. */
};

/* A message that was acknowledged, or should have been when the connection was lost. */
struct acknowledged {
    uint16_t packet;
    uint64_t hash;
    uint32_t connection; /* The number of the connection. */
};

struct mqtt_broker {
    const struct mqtt_config *config;
    str reference;
    pthread_t thread;
    int wake_fd;

    pthread_mutex_t lock; /* Guards the fields below. */
    struct mqtt_filters *next_filters;
    bool has_next;   /* Other filters are wanted; NULL: none at all. */
    bool hands_over; /* None, because another engine has the session. */
    bool stopping, ended;
    bool connected;
    char why[ERROR_MESSAGE_BYTES];
    int64_t since_ms;
    size_t route_count;
    uint64_t messages, duplicates, too_large, connects;

    /* The members below belong to the thread only. */
    struct mqtt_filters *filters; /* NULL: none. */
    struct map by_number;         /* Filters by the number of their subscription. */
    bool ambiguous;               /* Two filters have one number. */
    bool handed_over;             /* The session is another engine's. */
    struct buf gone;              /* Filters to unsubscribe from: texts, each with a NUL. */
    struct mqtt_link link;
    bool is_v3; /* The broker does not speak MQTT 5. */
    void *taker;
    struct acknowledged ring[MQTT_RECEIVE_MAX];
    size_t ring_at;
    uint32_t connection; /* Counts those of this process. */
    size_t suspicious;   /* How many of the next messages may have come before. */
    struct mqtt_arrival *arrival;
    size_t arrival_count, arrival_cap;
};

/* ---- how it is ---- */

static void set_state(struct mqtt_broker *broker, bool connected, const char *why)
{
    pthread_mutex_lock(&broker->lock);
    bool news = broker->connected != connected || strcmp(broker->why, why) != 0;
    if (broker->connected != connected || !broker->since_ms) {
        struct clock clock = clock_system();
        broker->since_ms = clock_now_ms(&clock);
    }
    broker->connected = connected;
    snprintf(broker->why, sizeof broker->why, "%s", why);
    pthread_mutex_unlock(&broker->lock);
    if (!news) return;
    char reference[256];
    snprintf(reference, sizeof reference, "%.*s", STR_ARG(broker->reference));
    if (!connected)
        log_write(LOG_WARN, "no connection to an MQTT broker", "broker", reference, "reason", why, NULL);
    else if (*why)
        log_write(LOG_WARN, "an MQTT broker denies a subscription", "broker", reference, "reason", why, NULL);
    else log_write(LOG_INFO, "connected to an MQTT broker", "broker", reference, NULL);
}

static void count(struct mqtt_broker *broker, uint64_t *counter)
{
    pthread_mutex_lock(&broker->lock);
    ++*counter;
    pthread_mutex_unlock(&broker->lock);
}

/* ---- filters ---- */

static void index_filters(struct mqtt_broker *broker)
{
    map_done(&broker->by_number);
    map_init(&broker->by_number);
    broker->ambiguous = false;
    for (size_t i = 0; broker->filters && i < broker->filters->filter_count; i++) {
        struct mqtt_filter *filter = &broker->filters->filter[i];
        if (map_put(&broker->by_number, filter->number, filter)) broker->ambiguous = true;
    }
}

static void remember_gone(struct mqtt_broker *broker, str topic)
{
    buf_add_str(&broker->gone, topic);
    buf_add_char(&broker->gone, '\0');
}

/* Filters that are subscribed already stay so. Filters that nobody wants any more are remembered. */
static void compare_filters(struct mqtt_broker *broker, const struct mqtt_filters *before,
                            struct mqtt_filters *now)
{
    for (size_t i = 0; before && i < before->filter_count; i++) {
        const struct mqtt_filter *old = &before->filter[i];
        struct mqtt_filter *same = now ? mqtt_filters_find(now, old->topic) : NULL;
        if (same) same->subscribed = old->subscribed && same->qos == old->qos;
        else remember_gone(broker, old->topic);
    }
}

/* Takes the filters that are wanted now. */
static void take_filters(struct mqtt_broker *broker)
{
    struct mqtt_filters *before = broker->filters, *now;
    pthread_mutex_lock(&broker->lock);
    bool has_next = broker->has_next;
    if (has_next) broker->handed_over = broker->hands_over;
    now = broker->next_filters;
    broker->has_next = false;
    broker->next_filters = NULL;
    pthread_mutex_unlock(&broker->lock);
    if (!has_next) return;
    if (broker->handed_over) broker->gone.n = 0;
    else compare_filters(broker, before, now);
    mqtt_filters_free(before);
    broker->filters = now;
    index_filters(broker);
}

/* Tells the broker what is wanted and not subscribed, and what is not wanted any more. */
static void subscribe(struct mqtt_broker *broker)
{
    for (size_t at = 0; at < broker->gone.n;) {
        str topic = str_of(broker->gone.p + at);
        if (!broker->filters || !mqtt_filters_find(broker->filters, topic))
            mqtt_link_unsubscribe(&broker->link, topic);
        at += topic.n + 1;
    }
    broker->gone.n = 0;
    for (size_t i = 0; broker->filters && i < broker->filters->filter_count; i++)
        if (!broker->filters->filter[i].subscribed)
            mqtt_link_subscribe(&broker->link, &broker->filters->filter[i]);
}

/* Says which filter the broker has denied. */
static void show_denied(struct mqtt_broker *broker)
{
    int request = broker->link.denied_request;
    broker->link.denied_request = 0;
    for (size_t i = 0; request && broker->filters && i < broker->filters->filter_count; i++) {
        char why[512];
        if (broker->filters->filter[i].request != request) continue;
        snprintf(why, sizeof why, "the broker denies the topic %.*s",
                 STR_ARG(broker->filters->filter[i].topic));
        set_state(broker, true, why);
    }
}

/* ---- messages ---- */

static void add_arrivals(struct mqtt_broker *broker, const struct mqtt_message *message,
                         const struct mqtt_filter *filter)
{
    if (!topic_matches(filter->topic, message->topic)) return;
    for (size_t i = filter->first; i < filter->first + filter->count; i++) {
        array_reserve(broker->arrival, broker->arrival_count, broker->arrival_cap);
        broker->arrival[broker->arrival_count++] = (struct mqtt_arrival){
            .route = broker->filters->route[i],
            .topic = message->topic,
            .payload = message->payload,
            .qos = message->qos,
            .retained = message->retained,
        };
    }
}

/* Finds the routes of a message. A message that names no subscription is for all that select its topic. */
static void route(struct mqtt_broker *broker, const struct mqtt_message *message)
{
    struct mqtt_filters *filters = broker->filters;
    if (!message->number_count || broker->ambiguous) {
        for (size_t i = 0; filters && i < filters->filter_count; i++)
            add_arrivals(broker, message, &filters->filter[i]);
        return;
    }
    for (size_t i = 0; i < message->number_count; i++) {
        const struct mqtt_filter *filter = map_get(&broker->by_number, message->number[i]);
        if (filter) add_arrivals(broker, message, filter);
    }
}

static uint64_t hash_of(const struct mqtt_message *message)
{
    return hash_bytes(message->topic) * 31 +
           (message->payload.p ? hash_bytes(message->payload) : message->payload.n);
}

/* Did it come in an earlier connection of this process already? The broker sends it again because our
 * acknowledgement did not reach it. */
static bool came_before(struct mqtt_broker *broker, const struct mqtt_message *message)
{
    if (!message->qos || !broker->suspicious) return false;
    broker->suspicious--;
    uint64_t hash = hash_of(message);
    for (size_t i = 0; i < MQTT_RECEIVE_MAX; i++) {
        struct acknowledged *known = &broker->ring[i];
        if (known->packet != message->packet || known->hash != hash ||
            known->connection == broker->connection)
            continue;
        known->packet = 0;
        return true;
    }
    return false;
}

static void remember(struct mqtt_broker *broker)
{
    const struct mqtt_batch *batch = &broker->link.batch;
    for (size_t i = 0; i < batch->count; i++) {
        const struct mqtt_message *message = &batch->message[i];
        if (!message->qos) continue;
        broker->ring[broker->ring_at] =
            (struct acknowledged){ message->packet, hash_of(message), broker->connection };
        broker->ring_at = (broker->ring_at + 1) % MQTT_RECEIVE_MAX;
    }
}

/* Has the batch taken. False: it was refused, and may not be acknowledged. */
static bool take_batch(struct mqtt_broker *broker)
{
    const struct mqtt_batch *batch = &broker->link.batch;
    broker->arrival_count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct mqtt_message *message = &batch->message[i];
        count(broker, &broker->messages);
        if (came_before(broker, message)) count(broker, &broker->duplicates);
        else if (message->payload.n > MQTT_PAYLOAD_BYTES_MAX) count(broker, &broker->too_large);
        else route(broker, message);
    }
    if (broker->arrival_count &&
        broker->config->take(broker->taker, broker->arrival, broker->arrival_count) != MQTT_TAKEN)
        return false;
    remember(broker);
    return true;
}

/* ---- connecting ---- */

static bool is_stopping(struct mqtt_broker *broker)
{
    uint64_t woken;
    ssize_t got = read(broker->wake_fd, &woken, sizeof woken);
    (void)got;
    pthread_mutex_lock(&broker->lock);
    bool stopping = broker->stopping;
    pthread_mutex_unlock(&broker->lock);
    return stopping;
}

static enum status open_link(struct mqtt_broker *broker, struct error *err)
{
    struct arena arena;
    struct mqtt_settings settings = { .fd_count = 0 };
    char client_id[24];
    str text;
    arena_init(&arena, 0);
    broker->link = (struct mqtt_link){ .handle = NULL };
    struct vault_lookup lookup = broker->config->lookup;
    str reference = tenant_name(broker->reference, &lookup.tenant);
    enum status status = vault_reference(&lookup, reference, &arena, &text, err);
    if (status == ST_OK) status = mqtt_settings_read(text, broker->config->files, &arena, &settings, err);
    snprintf(client_id, sizeof client_id, "pawl-%016llx",
             (unsigned long long)(hash_bytes(broker->config->identity) * 31 + hash_bytes(broker->reference)));
    if (status == ST_OK)
        status = mqtt_link_open(&broker->link, &settings, settings.client_id ? settings.client_id : client_id,
                                !broker->is_v3, &broker->config->reach, broker->wake_fd, err);
    int64_t end_us = clock_monotonic_us() + ACCEPT_MS * 1000LL;
    while (status == ST_OK && !broker->link.accepted && !is_stopping(broker)) {
        status = mqtt_link_write(&broker->link, broker->wake_fd, err);
        if (status == ST_OK) status = mqtt_link_read(&broker->link, broker->wake_fd, LOOK_MS, err);
        if (status == ST_OK && clock_monotonic_us() > end_us)
            status = fail(err, ST_STORE, "broker", "the broker did not let us in in time");
    }
    mqtt_settings_done(&settings);
    arena_done(&arena);
    return status;
}

/* The broker may know the session, and our subscriptions with it; or nothing. */
static void begin_session(struct mqtt_broker *broker)
{
    bool known = broker->link.session_present;
    broker->connection++;
    broker->suspicious = known ? MQTT_RECEIVE_MAX : 0;
    /* MQTT 5 can subscribe again without side effects; the session may be older than this process. */
    bool again = !known || broker->link.is_v5;
    for (size_t i = 0; broker->filters && i < broker->filters->filter_count; i++)
        if (again) broker->filters->filter[i].subscribed = false;
    if (!known) broker->gone.n = 0;
    count(broker, &broker->connects);
    set_state(broker, true, "");
}

static enum status refuse(struct error *err)
{
    return fail(err, ST_OVERLOAD, "engine", "the engine takes no messages now; the broker keeps them");
}

/* Reads, takes and acknowledges until the connection ends or nobody wants it any more. Nothing is written
 * between a batch and its commit. */
static enum status serve(struct mqtt_broker *broker, struct error *err)
{
    enum status status = ST_OK;
    /* A broker that knows the session sends messages together with its consent. */
    if (!take_batch(broker)) return refuse(err);
    while (status == ST_OK && !is_stopping(broker)) {
        take_filters(broker);
        /* All that was read so far is taken, so the goodbye may carry its acknowledgements. */
        if (broker->handed_over) return ST_OK;
        subscribe(broker);
        show_denied(broker);
        status = mqtt_link_write(&broker->link, broker->wake_fd, err);
        if (status != ST_OK || !broker->filters) return status;
        status = mqtt_link_read(&broker->link, broker->wake_fd, LOOK_MS, err);
        /* Also what was read before a connection was lost: it comes again, and is recognized then. */
        if (!take_batch(broker)) return refuse(err);
    }
    return status;
}

/* ---- the thread ---- */

static void wait_a_while(struct mqtt_broker *broker, int64_t *delay_ms)
{
    uint64_t seed[2] = { (uint64_t)clock_monotonic_us(), (uint64_t)(uintptr_t)broker };
    int64_t half = *delay_ms / 2;
    int64_t random = (int64_t)(hash_bytes((str){ (char *)seed, sizeof seed }) % (uint64_t)(half + 1));
    struct pollfd wake = { .fd = broker->wake_fd, .events = POLLIN };
    poll(&wake, 1, (int)(half + random));
    *delay_ms = *delay_ms * 2 < MQTT_DELAY_MS_MAX ? *delay_ms * 2 : MQTT_DELAY_MS_MAX;
}

/* A broker that speaks MQTT 3.1.1 only says so, or ends the connection without a word. */
static void choose_version(struct mqtt_broker *broker)
{
    const struct mqtt_link *link = &broker->link;
    bool silent = link->handle && !link->accepted && !link->refused_code;
    bool said = link->refused_code == UNSUPPORTED_V5 || link->refused_code == UNSUPPORTED_V3;
    if (link->is_v5 && said) broker->is_v3 = true;
    else if (silent) broker->is_v3 = !broker->is_v3;
}

/* Nothing is subscribed any more. The thread ends, unless somebody wants something after all. */
static bool end_thread(struct mqtt_broker *broker)
{
    pthread_mutex_lock(&broker->lock);
    broker->ended = !broker->has_next || !broker->next_filters;
    bool ended = broker->ended;
    pthread_mutex_unlock(&broker->lock);
    return ended;
}

static void *work(void *context)
{
    struct mqtt_broker *broker = context;
    int64_t delay_ms = MQTT_DELAY_MS_MIN;
    thread_name("broker");
    broker->taker = broker->config->open_taker(broker->config->context);
    while (!is_stopping(broker)) {
        struct error err = { .status = ST_OK };
        take_filters(broker);
        if (!broker->filters && !broker->gone.n && end_thread(broker)) break;
        if (!broker->filters && !broker->gone.n) continue;
        enum status status = open_link(broker, &err);
        if (status == ST_OK && broker->link.accepted) {
            begin_session(broker);
            status = serve(broker, &err);
            delay_ms = MQTT_DELAY_MS_MIN;
        } else {
            choose_version(broker);
        }
        bool accepted = broker->link.accepted;
        mqtt_link_close(&broker->link, status == ST_OK && accepted, !broker->filters && !broker->handed_over);
        if (status == ST_OK && !broker->filters) broker->gone.n = 0;
        if (status != ST_OK) {
            set_state(broker, false, err.message);
            wait_a_while(broker, &delay_ms);
        }
    }
    broker->config->close_taker(broker->taker);
    return NULL;
}

/* ---- for the owner ---- */

static void wake(struct mqtt_broker *broker)
{
    uint64_t one = 1;
    ssize_t written = write(broker->wake_fd, &one, sizeof one);
    (void)written;
}

struct mqtt_broker *mqtt_broker_new(const struct mqtt_config *config, str reference,
                                    struct mqtt_filters *filters)
{
    struct mqtt_broker *broker = calloc(1, sizeof *broker);
    char *name = malloc(reference.n + 1);
    must(broker && name);
    memcpy(name, reference.p, reference.n);
    broker->config = config;
    broker->reference = (str){ name, reference.n };
    broker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&broker->lock, NULL);
    map_init(&broker->by_number);
    buf_init(&broker->gone, NULL);
    mqtt_broker_set(broker, filters);
    /* The thread takes no signals: they are for the other threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    must(broker->wake_fd >= 0 && pthread_create(&broker->thread, NULL, work, broker) == 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return broker;
}

static bool set_next(struct mqtt_broker *broker, struct mqtt_filters *filters, bool hands_over)
{
    pthread_mutex_lock(&broker->lock);
    bool ended = broker->ended;
    if (!ended) {
        mqtt_filters_free(broker->next_filters);
        broker->next_filters = filters;
        broker->has_next = true;
        broker->hands_over = hands_over;
        broker->route_count = filters ? filters->route_count : 0;
    }
    pthread_mutex_unlock(&broker->lock);
    if (ended) mqtt_filters_free(filters);
    else wake(broker);
    return !ended;
}

bool mqtt_broker_set(struct mqtt_broker *broker, struct mqtt_filters *filters)
{
    return set_next(broker, filters, false);
}

bool mqtt_broker_hand_over(struct mqtt_broker *broker) { return set_next(broker, NULL, true); }

void mqtt_broker_stop(struct mqtt_broker *broker)
{
    pthread_mutex_lock(&broker->lock);
    broker->stopping = true;
    pthread_mutex_unlock(&broker->lock);
    wake(broker);
}

void mqtt_broker_free(struct mqtt_broker *broker)
{
    mqtt_broker_stop(broker);
    pthread_join(broker->thread, NULL);
    close(broker->wake_fd);
    mqtt_filters_free(broker->filters);
    mqtt_filters_free(broker->next_filters);
    map_done(&broker->by_number);
    buf_done(&broker->gone);
    free(broker->arrival);
    pthread_mutex_destroy(&broker->lock);
    free((char *)(uintptr_t)broker->reference.p);
    free(broker);
}

str mqtt_broker_reference(const struct mqtt_broker *broker) { return broker->reference; }

bool mqtt_broker_view(struct mqtt_broker *broker, struct arena *arena, struct mqtt_view *ret_view)
{
    pthread_mutex_lock(&broker->lock);
    bool ended = broker->ended;
    *ret_view = (struct mqtt_view){
        .broker = arena_str(arena, broker->reference),
        .connected = broker->connected,
        .why = arena_str(arena, str_of(broker->why)),
        .since_ms = broker->since_ms,
        .route_count = broker->route_count,
        .messages = broker->messages,
        .duplicates = broker->duplicates,
        .too_large = broker->too_large,
        .connects = broker->connects,
    };
    pthread_mutex_unlock(&broker->lock);
    return !ended;
}
