/* trigger/mqtt_arrivals.c — lists MQTT triggers, and submits messages as arrivals to the runtime. */
#include "trigger/mqtt_engine.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "trigger/limits.h"

#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>

enum {
    TRIGGERS_PAGE = 200,
    PATIENCE_MS = 20 * 1000, /* With a runtime that has no room. Less than a broker's with us. */
    PAUSE_MS = 20,
};

/* ---- taking messages, on the thread of a broker ---- */

/* One call, with memory of its own: the runtime has it until the call is done. */
struct message_slot {
    struct arena arena;
    struct call *call;
    struct message_taker *taker;
    enum { SLOT_OPEN, SLOT_SUBMITTED, SLOT_DONE } state;
};

struct message_taker {
    struct runtime_client *client;
    sem_t woken;
    struct message_slot **slot;
    size_t slot_count, slot_cap;
    size_t submitted;
    bool log_refused; /* Not every message of a kind is worth a line. */
};

static void wake(void *context) { sem_post(&((struct message_taker *)context)->woken); }

static void *open_taker(void *context)
{
    const struct mqtt_engine_config *config = context;
    struct message_taker *taker = calloc(1, sizeof *taker);
    must(taker);
    sem_init(&taker->woken, 0, 0);
    taker->log_refused = true;
    taker->client = runtime_client_new(
        config->runtime,
        &(struct runtime_client_config){ .gathers = true, .wake = wake, .wake_context = taker });
    return taker;
}

static void close_taker(void *context)
{
    struct message_taker *taker = context;
    runtime_client_free(taker->client);
    for (size_t i = 0; i < taker->slot_count; i++) {
        arena_done(&taker->slot[i]->arena);
        free(taker->slot[i]);
    }
    free(taker->slot);
    sem_destroy(&taker->woken);
    free(taker);
}

static struct message_slot *slot_at(struct message_taker *taker, size_t at)
{
    while (taker->slot_count <= at) {
        array_reserve(taker->slot, taker->slot_count, taker->slot_cap);
        struct message_slot *slot = calloc(1, sizeof *slot);
        must(slot);
        arena_init(&slot->arena, 0);
        slot->taker = taker;
        taker->slot[taker->slot_count++] = slot;
    }
    return taker->slot[at];
}

/* A failure that may pass leaves the message open. Any other one is about this message alone, and to send it
 * again would not help. */
static void answered(struct call *call)
{
    struct message_slot *slot = call->user;
    struct message_taker *taker = slot->taker;
    taker->submitted--;
    slot->state = call->status != ST_OK && status_retry(call->status) ? SLOT_OPEN : SLOT_DONE;
    if (call->status == ST_OK || status_retry(call->status) || !taker->log_refused) return;
    taker->log_refused = false;
    log_write(LOG_ERROR, "a message was refused", "reason", call->error.message, NULL);
}

static enum status submit(struct message_taker *taker, struct message_slot *slot,
                          const struct mqtt_arrival *arrival)
{
    int32_t ns;
    const struct call_arrive asked = {
        .event = { .type = ARRIVAL_MQTT,
                   .raw = arrival->payload,
                   .topic = arrival->topic,
                   .qos = arrival->qos,
                   .retained = arrival->retained },
        .broker = tenant_name(arrival->route.broker, &ns),
        .definition_id = arrival->route.definition_id,
        .trigger = arrival->route.trigger,
    };
    arena_reset(&slot->arena);
    slot->call = call_arrive((struct call_origin){ &slot->arena, answered, slot }, &asked);
    slot->call->ns = ns;
    enum status status = runtime_submit(taker->client, slot->call);
    if (status != ST_OK) return status;
    slot->state = SLOT_SUBMITTED;
    taker->submitted++;
    return ST_OK;
}

static void await_answers(struct message_taker *taker)
{
    runtime_flush(taker->client);
    runtime_deliver(taker->client);
    while (taker->submitted) {
        sem_wait(&taker->woken);
        runtime_deliver(taker->client);
    }
}

/* Submits what is open, as far as the runtime takes it, and waits for the answers. Returns how many are still
 * open. */
static size_t take_open(struct message_taker *taker, const struct mqtt_arrival *arrival, size_t count,
                        enum status *ret_status)
{
    size_t open = 0;
    *ret_status = ST_OK;
    for (size_t i = 0; i < count && *ret_status == ST_OK; i++)
        if (taker->slot[i]->state == SLOT_OPEN) *ret_status = submit(taker, taker->slot[i], &arrival[i]);
    await_answers(taker);
    for (size_t i = 0; i < count; i++) open += taker->slot[i]->state == SLOT_OPEN;
    return open;
}

static enum mqtt_taken take(void *context, const struct mqtt_arrival *arrival, size_t count)
{
    struct message_taker *taker = context;
    int64_t end_us = clock_monotonic_us() + PATIENCE_MS * 1000LL;
    enum status status;
    taker->log_refused = true;
    for (size_t i = 0; i < count; i++) slot_at(taker, i)->state = SLOT_OPEN;
    for (;;) {
        size_t open = take_open(taker, arrival, count, &status);
        if (!open) return MQTT_TAKEN;
        if (status == ST_DRAINING || clock_monotonic_us() > end_us) return MQTT_REFUSED;
        /* Without a call on its way nobody says when there is room. */
        poll(NULL, 0, PAUSE_MS);
    }
}

/* ---- listing triggers ---- */

struct mqtt_engine {
    struct mqtt_engine_config config;
    struct mqtt *mqtt;
    bool leaves;        /* All connections end. */
    bool leads;         /* This node takes the messages of all, as far as we have seen. */
    bool listed;        /* At least once since it leads. */
    bool listing;       /* A call is at the runtime. */
    uint64_t uploaded;  /* runtime_configuration() when the listing began. */
    struct arena page;  /* Memory of the call. */
    struct arena arena; /* Memory of the routes so far. */
    struct mqtt_route *route;
    size_t count, cap;
};

static void list_page(struct mqtt_engine *engine, str after);

static void add_route(struct mqtt_engine *engine, const struct trigger_view *view)
{
    const struct json *config = json_get(view->config, STR("mqtt"));
    const struct json *broker = json_get(config, STR("brokerRef"));
    int64_t qos = 1;
    if (!json_is(broker, JSON_STRING)) return;
    if (json_get(config, STR("qos"))) json_int64(json_get(config, STR("qos")), &qos);
    array_reserve_in(&engine->arena, engine->route, engine->count, engine->cap);
    engine->route[engine->count++] = (struct mqtt_route){
        .definition_id = arena_str(&engine->arena, view->definition_id),
        .trigger = arena_str(&engine->arena, view->trigger),
        .broker = arena_str(&engine->arena, tenant_key(view->ns, json_string(broker), &engine->arena)),
        .topic = arena_str(&engine->arena, view->address),
        .qos = (uint8_t)qos,
    };
}

static void listed(struct call *call)
{
    struct mqtt_engine *engine = call->user;
    const struct answer_triggers *answer = &call->value.triggers;
    engine->listing = false;
    /* The next look tries again, or hands over. */
    if (call->status != ST_OK || !engine->mqtt || engine->leaves || !runtime_leads(engine->config.runtime))
        return;
    for (size_t i = 0; i < answer->count; i++) add_route(engine, &answer->view[i]);
    if (answer->more) {
        list_page(engine, arena_str(&engine->arena, call->as.triggers.after));
        return;
    }
    engine->listed = true;
    mqtt_set_routes(engine->mqtt, engine->route, engine->count);
}

static void list_page(struct mqtt_engine *engine, str after)
{
    const struct call_triggers asked = {
        .after = after, .max = TRIGGERS_PAGE, .of_type = true, .type = ARRIVAL_MQTT
    };
    arena_reset(&engine->page);
    struct call *call = call_list_triggers((struct call_origin){ &engine->page, listed, engine }, &asked);
    call_for_all_tenants(call);
    call->performs = true; /* It takes no place from those who ask from outside. */
    engine->listing = runtime_submit(engine->config.client, call) == ST_OK;
    if (!engine->listing) engine->listed = false;
}

/* One node takes the messages, because a broker gives each message to all subscribers. All nodes share one
 * session. A node that stops leading must not unsubscribe: its triggers still exist, on the new leader. */
static bool look_who_leads(struct mqtt_engine *engine)
{
    bool led = engine->leads;
    engine->leads = runtime_leads(engine->config.runtime);
    if (engine->leads) return true;
    engine->listed = false;
    if (led) mqtt_hand_over(engine->mqtt);
    return false;
}

void mqtt_engine_look(struct mqtt_engine *engine)
{
    if (!engine->mqtt || !look_who_leads(engine)) return;
    uint64_t uploaded = runtime_configuration(engine->config.runtime);
    if (engine->listing || (engine->listed && uploaded == engine->uploaded)) return;
    engine->uploaded = uploaded;
    engine->listed = false;
    arena_reset(&engine->arena);
    engine->route = NULL;
    engine->count = engine->cap = 0;
    list_page(engine, STR_NONE);
}

/* ---- beginning and end ---- */

struct mqtt_engine *mqtt_engine_new(const struct mqtt_engine_config *config)
{
    struct mqtt_engine *engine = calloc(1, sizeof *engine);
    must(engine);
    engine->config = *config;
    arena_init(&engine->page, 0);
    arena_init(&engine->arena, 0);
    const struct mqtt_config mqtt = {
        .lookup = vault_lookup_in(config->vault, TENANT_DEFAULT),
        .reach = config->reach,
        .identity = config->identity,
        .files = config->files,
        .open_taker = open_taker,
        .close_taker = close_taker,
        .take = take,
        .context = &engine->config,
    };
    engine->mqtt = mqtt_new(&mqtt);
    return engine;
}

struct mqtt *mqtt_engine_mqtt(struct mqtt_engine *engine) { return engine->mqtt; }

void mqtt_engine_leave(struct mqtt_engine *engine)
{
    if (!engine || !engine->mqtt) return;
    engine->leaves = true;
    mqtt_leave(engine->mqtt);
}

void mqtt_engine_stop(struct mqtt_engine *engine)
{
    if (!engine) return;
    mqtt_free(engine->mqtt);
    engine->mqtt = NULL;
}

void mqtt_engine_free(struct mqtt_engine *engine)
{
    if (!engine) return;
    mqtt_engine_stop(engine);
    arena_done(&engine->page);
    arena_done(&engine->arena);
    free(engine);
}
