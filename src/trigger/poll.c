/* trigger/poll.c — the polling thread: lists triggers, asks those that are due, and submits their rows. */
#include "trigger/poll_int.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/thread.h"
#include "trigger/limits.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK_MS = 1000, LIST_AGAIN_MS = 3000, LIST_PAGE = 200, CURSOR_BYTES = 1024 };

struct polling {
    struct poll_config config;
    struct sources sources;
    pthread_t thread;
    pthread_mutex_t mutex; /* Guards the four below. */
    pthread_cond_t changed;
    struct fetch *fetched; /* Answered, by other threads. */
    bool woken, stopping;

    /* The thread's own. */
    struct runtime_client *client;
    struct polled *first;
    uint64_t uploads; /* Definitions published when the list was read last … */
    bool listed;      /* … and it was read to its end. */
    bool listing;
    uint64_t generation; /* The generation of the list that is being read. */
    int64_t began_ms;    /* When reading it began … */
    int64_t list_ms;     /* … and before when it is not read again. */
    char cursor[CURSOR_BYTES];
    size_t cursor_bytes;
    size_t under_way; /* Questions without an answer. */
    bool ending;      /* Rows that were not sent are not. */
};

static int64_t now_ms(void) { return clock_monotonic_us() / 1000; }

/* ---- other threads ---- */

static void wake(void *context)
{
    struct polling *polling = context;
    pthread_mutex_lock(&polling->mutex);
    polling->woken = true;
    pthread_cond_signal(&polling->changed);
    pthread_mutex_unlock(&polling->mutex);
}

static void on_fetched(struct fetch *fetch)
{
    struct polling *polling = fetch->polling;
    pthread_mutex_lock(&polling->mutex);
    fetch->next = polling->fetched;
    polling->fetched = fetch;
    pthread_cond_signal(&polling->changed);
    pthread_mutex_unlock(&polling->mutex);
}

/* ---- calls ---- */

/* A call with memory of its own. */
struct poll_call {
    struct arena arena;
    struct polling *polling;
    struct fetch *fetch; /* ARRIVE */
};

static struct call *new_call(struct polling *polling, enum call_kind kind, call_fn *done, struct fetch *fetch)
{
    struct poll_call *own = calloc(1, sizeof *own);
    must(own);
    arena_init(&own->arena, 0);
    own->polling = polling;
    own->fetch = fetch;
    return call_new(kind, &own->arena, done, own);
}

static void free_call(struct poll_call *own)
{
    arena_done(&own->arena);
    free(own);
}

/* ---- which triggers there are ---- */

static void free_polled(struct polled *polled)
{
    arena_done(&polled->arena);
    free(polled);
}

static int64_t interval_of(const struct json *config)
{
    int64_t interval_ms = 0;
    const struct json *value = json_get(config, STR("interval_ms"));
    return json_is(value, JSON_NUMBER) && json_int64(value, &interval_ms) && interval_ms > 0 ? interval_ms
                                                                                             : 300000;
}

static void keep_trigger(struct polling *polling, const struct trigger_view *view)
{
    const struct json *config = json_get(view->config, STR("poll"));
    struct polled *polled = polling->first;
    if (!config) return;
    while (polled && !(polled->ns == view->ns && str_equal(polled->definition_id, view->definition_id) &&
                       str_equal(polled->trigger, view->trigger) && json_equal(polled->config, config)))
        polled = polled->next;
    if (!polled) {
        polled = calloc(1, sizeof *polled);
        must(polled);
        arena_init(&polled->arena, 0);
        polled->ns = view->ns;
        polled->definition_id = arena_str(&polled->arena, view->definition_id);
        polled->trigger = arena_str(&polled->arena, view->trigger);
        polled->config = json_copy(&polled->arena, config);
        polled->interval_ms = interval_of(config);
        int64_t first_ms = polled->interval_ms < POLL_FIRST_MS_MAX ? polled->interval_ms : POLL_FIRST_MS_MAX;
        polled->due_ms = now_ms() + first_ms;
        polled->next = polling->first;
        polling->first = polled;
    }
    polled->paused = view->paused;
    polled->generation = polling->generation;
}

/* Forgets triggers that are no longer there; one that is under way goes when it is done. */
static void forget_others(struct polling *polling)
{
    for (struct polled **at = &polling->first; *at;) {
        struct polled *polled = *at;
        if (polled->generation == polling->generation || polled->busy) {
            at = &polled->next;
            continue;
        }
        *at = polled->next;
        free_polled(polled);
    }
}

static void take_page(struct polling *polling, const struct call *call)
{
    const struct answer_triggers *answer = &call->value.triggers;
    for (size_t i = 0; i < answer->count; i++)
        if (answer->view[i].type == ARRIVAL_POLL) keep_trigger(polling, &answer->view[i]);
    str cursor = call->as.triggers.after;
    bool more = answer->more && cursor.n && cursor.n <= sizeof polling->cursor;
    polling->cursor_bytes = more ? cursor.n : 0;
    if (more) memcpy(polling->cursor, cursor.p, cursor.n);
    polling->listed = !more;
    /* A long list is read less often, so that reading it costs little whatever is published. */
    int64_t took_ms = now_ms() - polling->began_ms;
    polling->list_ms = now_ms() + (LIST_AGAIN_MS > 20 * took_ms ? LIST_AGAIN_MS : 20 * took_ms);
}

/* After a failure the list is read again from its beginning. Until it was read to its end, the triggers of
 * the list before stay. */
static void on_listed(struct call *call)
{
    struct poll_call *own = call->user;
    struct polling *polling = own->polling;
    polling->listing = false;
    if (call->status == ST_OK) {
        take_page(polling, call);
    } else {
        polling->cursor_bytes = 0;
        polling->list_ms = now_ms() + LIST_AGAIN_MS;
    }
    free_call(own);
}

/* A page of the list, if something may have changed since it was read. */
static void look(struct polling *polling)
{
    uint64_t uploads = runtime_configuration(polling->config.runtime);
    if (polling->listing || (polling->listed && uploads == polling->uploads)) return;
    if (!polling->cursor_bytes && now_ms() < polling->list_ms) return;
    polling->listed = false;
    if (!polling->cursor_bytes) {
        polling->began_ms = now_ms();
        polling->uploads = uploads;
        polling->generation++;
    }
    struct call *call = new_call(polling, CALL_LIST_TRIGGERS, on_listed, NULL);
    call->as.triggers =
        (struct call_triggers){ .after =
                                    arena_str(call->arena, (str){ polling->cursor, polling->cursor_bytes }),
                                .max = LIST_PAGE,
                                .of_type = true,
                                .type = ARRIVAL_POLL };
    call_for_all_tenants(call);
    call->performs = true; /* It takes no place from those who ask from outside. */
    polling->listing = runtime_submit(polling->client, call) == ST_OK;
    if (!polling->listing) free_call(call->user);
}

/* ---- asking ---- */

static void ask(struct polling *polling, struct polled *polled)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    must(fetch);
    arena_init(&fetch->arena, 0);
    fetch->polled = polled;
    fetch->polling = polling;
    polled->busy = true;
    polled->due_ms = now_ms() + polled->interval_ms;
    polling->under_way++;
    poll_fetch(&polling->sources, fetch);
}

static int64_t ask_due(struct polling *polling)
{
    int64_t next_ms = now_ms() + LOOK_MS;
    if (!runtime_leads(polling->config.runtime)) return next_ms; /* One node asks for all. */
    for (struct polled *polled = polling->first; polled; polled = polled->next) {
        if (polled->busy || polled->paused) continue;
        if (polled->due_ms <= now_ms()) ask(polling, polled);
        else if (polled->due_ms < next_ms) next_ms = polled->due_ms;
    }
    return next_ms;
}

/* ---- rows ---- */

static void log_failure(const struct polled *polled, str why)
{
    char trigger[300], reason[300];
    snprintf(trigger, sizeof trigger, "%.*s/%.*s", STR_ARG(polled->definition_id), STR_ARG(polled->trigger));
    snprintf(reason, sizeof reason, "%.*s", STR_ARG(why));
    log_write(LOG_WARN, "a source could not be polled", "trigger", trigger, "reason", reason, NULL);
}

/* Twice the interval after the first failure, four times after the second, up to an hour or the interval. */
static void end_fetch(struct fetch *fetch)
{
    struct polled *polled = fetch->polled;
    int64_t pause_ms = polled->interval_ms;
    polled->busy = false;
    polled->failures = fetch->why.n ? polled->failures + 1 : 0;
    if (fetch->why.n) log_failure(polled, fetch->why);
    for (uint32_t i = 0; i < polled->failures && pause_ms < POLL_FAILED_MS_MAX; i++) pause_ms *= 2;
    if (polled->failures && pause_ms > POLL_FAILED_MS_MAX)
        pause_ms = polled->interval_ms > POLL_FAILED_MS_MAX ? polled->interval_ms : POLL_FAILED_MS_MAX;
    if (polled->failures) polled->due_ms = now_ms() + pause_ms;
    arena_done(&fetch->arena);
    free(fetch);
}

static void send_rows(struct polling *polling, struct fetch *fetch);

static void on_arrived(struct call *call)
{
    struct poll_call *own = call->user;
    struct fetch *fetch = own->fetch;
    struct polling *polling = own->polling;
    fetch->answered++;
    if (call->status != ST_OK && !fetch->why.n)
        fetch->why = arena_str(&fetch->arena, str_of(call->error.message));
    free_call(own);
    send_rows(polling, fetch);
}

/* A row that the engine has no room for comes with the next answer of its source. */
static void send_rows(struct polling *polling, struct fetch *fetch)
{
    size_t count = fetch->rows ? json_count(fetch->rows) : 0;
    while (fetch->sent < count && fetch->sent - fetch->answered < POLL_ROWS_AT_ONCE_MAX && !fetch->why.n &&
           !polling->ending) {
        struct call *call = new_call(polling, CALL_ARRIVE, on_arrived, fetch);
        call->ns = fetch->polled->ns;
        const struct json *row = json_item(fetch->rows, fetch->sent);
        uint64_t hash = hash_bytes(json_encoded(row));
        call->as.arrive = (struct call_arrive){
            .event = { .type = ARRIVAL_POLL, .payload = json_copy(call->arena, row) },
            .definition_id = arena_str(call->arena, fetch->polled->definition_id),
            .trigger = arena_str(call->arena, fetch->polled->trigger),
            .data_hash = hash ? hash : 1,
        };
        if (runtime_submit(polling->client, call) != ST_OK) {
            free_call(call->user);
            fetch->why = STR("the engine has no room for more rows now");
            break;
        }
        fetch->sent++;
    }
    if (fetch->sent == fetch->answered && (fetch->sent == count || fetch->why.n || polling->ending))
        end_fetch(fetch);
}

static void take_fetched(struct polling *polling)
{
    pthread_mutex_lock(&polling->mutex);
    struct fetch *fetch = polling->fetched;
    polling->fetched = NULL;
    pthread_mutex_unlock(&polling->mutex);
    for (struct fetch *next; fetch; fetch = next) {
        next = fetch->next;
        polling->under_way--;
        poll_read(fetch);
        if (polling->ending) fetch->why = STR_NONE; /* It was broken off. */
        send_rows(polling, fetch);
    }
}

/* ---- the thread ---- */

/* False: it is to end. */
static bool await(struct polling *polling, int64_t until_ms)
{
    int64_t left_ms = until_ms - now_ms();
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    if (left_ms < 0) left_ms = 0;
    at.tv_sec += left_ms / 1000;
    at.tv_nsec += left_ms % 1000 * 1000000;
    if (at.tv_nsec >= 1000000000) at.tv_sec++, at.tv_nsec -= 1000000000;
    pthread_mutex_lock(&polling->mutex);
    while (!polling->stopping && !polling->woken && !polling->fetched)
        if (pthread_cond_timedwait(&polling->changed, &polling->mutex, &at) != 0) break;
    polling->woken = false;
    bool goes_on = !polling->stopping;
    pthread_mutex_unlock(&polling->mutex);
    return goes_on;
}

static void *run(void *context)
{
    struct polling *polling = context;
    const struct runtime_client_config client = { .wake = wake, .wake_context = polling };
    thread_name("polling");
    polling->client = runtime_client_new(polling->config.runtime, &client);
    int64_t next_ms = 0;
    do {
        runtime_deliver(polling->client);
        take_fetched(polling);
        if (polling->listed && !polling->listing) forget_others(polling);
        look(polling);
        next_ms = ask_due(polling);
    } while (await(polling, next_ms));
    polling->ending = true;
    /* Every question is answered when its machinery has stopped. */
    outcalls_stop(polling->sources.outcalls);
    polling->sources.sql->stop(polling->sources.sql_self);
    take_fetched(polling);
    must(!polling->under_way);
    runtime_client_free(polling->client);
    for (struct polled *next; polling->first; polling->first = next) {
        next = polling->first->next;
        free_polled(polling->first);
    }
    return NULL;
}

struct polling *poll_new(const struct poll_config *config)
{
    struct polling *polling = calloc(1, sizeof *polling);
    pthread_condattr_t steady;
    must(polling);
    polling->config = *config;
    polling->sources = (struct sources){ .calls = config->calls, .vault = config->vault, .done = on_fetched };
    polling->sources.sql_self = sql_performer_new(&config->databases, &polling->sources.sql);
    pthread_mutex_init(&polling->mutex, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&polling->changed, &steady);
    pthread_condattr_destroy(&steady);
    must(pthread_create(&polling->thread, NULL, run, polling) == 0);
    return polling;
}

void poll_leave(struct polling *polling)
{
    if (!polling) return;
    pthread_mutex_lock(&polling->mutex);
    polling->stopping = true;
    pthread_cond_signal(&polling->changed);
    pthread_mutex_unlock(&polling->mutex);
}

void poll_free(struct polling *polling)
{
    if (!polling) return;
    poll_leave(polling);
    pthread_join(polling->thread, NULL);
    pthread_mutex_destroy(&polling->mutex);
    pthread_cond_destroy(&polling->changed);
    free(polling);
}
