/* runtime/events/routings.c — events whose way is too long for one turn.
 *
 * Each of them is two rows of the store, under a number that no instance has: the event, and its place on the
 * way. The deliveries of a turn and the new place commit together. The rows are deleted when the way is at
 * its end.
 */
#include "runtime/events/events_int.h"

#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

enum { ROW_EVENT, ROW_PLACE, ROUTING_NODE_SHIFT = 32 };

/* Chained starts have definition ids as targets; no id begins so. */
static const str event_target = STR_INIT("\1event"), place_target = STR_INIT("\1place");

static str heap_copy(str bytes)
{
    char *copy = malloc(bytes.n ? bytes.n : 1);
    must(copy);
    if (bytes.n) memcpy(copy, bytes.p, bytes.n);
    return (str){ copy, bytes.n };
}

static void heap_free(str *bytes)
{
    free((char *)(uintptr_t)bytes->p);
    *bytes = STR_NONE;
}

static void free_routing(struct routing *routing)
{
    heap_free(&routing->event);
    heap_free(&routing->place);
    heap_free(&routing->next_place);
    free(routing);
}

static void enqueue(struct routings *routings, struct routing *routing)
{
    list_append(routings, routing, next);
    routings->count++;
}

static struct routing *find(const struct routings *routings, uint64_t number)
{
    struct routing *routing = routings->first;
    while (routing && routing->number != number) routing = routing->next;
    return routing;
}

bool routings_is_open(const struct engine *engine, uint64_t number)
{
    return number && find(&engine->events.routings, number) != NULL;
}

/* ---- the stored place ---- */

/* [stage, definition, more, next, applied, started, [taken…], [definition, instance, …], [id, created,
 * started]…] */
static str encode_place(const struct route *route)
{
    const struct route_place *place = &route->place;
    struct json_builder builder;
    json_builder_init(&builder, &route->turn->arena);
    json_open_array(&builder);
    json_add_int(&builder, place->stage);
    json_add_int(&builder, place->definition);
    json_add_bool(&builder, place->more);
    json_add_int(&builder, 0); /* Instances that have the event are not written any more. */
    json_add_int(&builder, (int64_t)route->applied);
    json_add_bool(&builder, route->started);
    json_open_array(&builder);
    for (size_t i = 0; i < route->taken_count; i++) json_add_string(&builder, route->taken[i]);
    json_close(&builder);
    json_open_array(&builder);
    for (size_t i = place->next; i < route->target_count; i++) {
        json_add_int(&builder, route->target[i].definition);
        json_add_int(&builder, (int64_t)route->target[i].instance);
    }
    json_close(&builder);
    event_add_instances(&builder, route->instance, route->instance_count);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static bool truth_at(const struct json *array, size_t i)
{
    const struct json *value = json_item(array, i);
    return json_is(value, JSON_BOOL) && json_bool(value);
}

enum { PLACE_TAKEN = 6, PLACE_TARGETS = 7, PLACE_HEAD = 8 };

static bool decode_place(struct route *route, str bytes)
{
    struct arena *arena = &route->turn->arena;
    const struct json *array = json_decode(bytes, arena);
    if (!array || !json_is(array, JSON_ARRAY) || json_count(array) < PLACE_HEAD) return false;
    const struct json *taken = json_item(array, PLACE_TAKEN), *targets = json_item(array, PLACE_TARGETS);
    if (!json_is(taken, JSON_ARRAY) || !json_is(targets, JSON_ARRAY)) return false;
    route->place = (struct route_place){
        .stage = (enum route_stage)json_item_int64(array, 0),
        .definition = json_item_int64(array, 1),
        .more = truth_at(array, 2),
        .next = (size_t)json_item_int64(array, 3),
    };
    route->applied = (size_t)json_item_int64(array, 4);
    route->started = truth_at(array, 5);
    route->taken_count = route->taken_cap = json_count(taken);
    route->taken = arena_make_n(arena, str, route->taken_count);
    for (size_t i = 0; i < route->taken_count; i++) route->taken[i] = json_string(json_item(taken, i));
    route->target_count = route->target_cap = json_count(targets) / 2;
    route->target = arena_make_n(arena, struct route_target, route->target_count);
    struct json_each each = json_each(targets);
    for (size_t i = 0; i < 2 * route->target_count && json_next(&each); i++) {
        int64_t number = 0;
        json_int64(each.value, &number);
        if (i % 2) route->target[i / 2].instance = (uint64_t)number;
        else route->target[i / 2].definition = number;
    }
    route->instance_count =
        event_read_instances(array, PLACE_HEAD, arena, EVENT_LISTED_MAX, &route->instance);
    return true;
}

/* ---- rows ---- */

static struct pending_row row_of(struct turn *turn, const struct routing *routing, uint32_t number)
{
    return (struct pending_row){ .parent = ID_INSTANCE_MAX + routing->number,
                                 .number = number,
                                 .ns =
                                     NAMESPACE_DEFAULT, /* They are found together, whatever their tenant. */
                                 .business_key = tenant_key(routing->ns, STR_NONE, &turn->arena),
                                 .target = number == ROW_EVENT ? event_target : place_target,
                                 .created_ms = turn->now_ms,
                                 .data = number == ROW_EVENT ? routing->event : routing->next_place };
}

static enum status write_row(struct turn *turn, const struct routing *routing, uint32_t number,
                             struct error *err)
{
    struct pending_row row = row_of(turn, routing, number);
    struct changeset changeset = { .pending_remove = &row, .pending_add = &row };
    return transact_rows(turn, &changeset, err);
}

static enum status remove_rows(struct turn *turn, const struct routing *routing, struct error *err)
{
    for (uint32_t number = ROW_EVENT; number <= ROW_PLACE; number++) {
        struct pending_row row = row_of(turn, routing, number);
        struct changeset changeset = { .pending_remove = &row };
        TRY(transact_rows(turn, &changeset, err));
    }
    return ST_OK;
}

/* ---- opening ---- */

enum status routings_add(struct route *route, uint64_t *ret_number, struct error *err)
{
    struct turn *turn = route->turn;
    struct routings *routings = &turn->engine->events.routings;
    if (routings->count >= ROUTINGS_MAX)
        return fail(err, ST_OVERLOAD, "event",
                    "%d events are on their way to very many instances, the most allowed", ROUTINGS_MAX);
    struct routing *routing = calloc(1, sizeof *routing);
    must(routing);
    *routing = (struct routing){ .number = routings->next_number++,
                                 .ns = route->ns,
                                 .is_new = true,
                                 .touched = true,
                                 .event = heap_copy(json_encoded(route->event)) };
    route->opened = true;
    routing->next_place = heap_copy(encode_place(route));
    enqueue(routings, routing);
    *ret_number = routing->number;
    TRY(write_row(turn, routing, ROW_EVENT, err));
    return write_row(turn, routing, ROW_PLACE, err);
}

static void recover_row(struct engine *engine, const struct pending_row *row)
{
    struct routings *routings = &engine->events.routings;
    uint64_t number = row->parent - ID_INSTANCE_MAX;
    struct routing *routing = find(routings, number);
    if (!routing) {
        routing = calloc(1, sizeof *routing);
        must(routing);
        *routing = (struct routing){ .number = number };
        tenant_name(row->business_key, &routing->ns);
        enqueue(routings, routing);
    }
    str *bytes = row->number == ROW_EVENT ? &routing->event : &routing->place;
    heap_free(bytes);
    *bytes = heap_copy(row->data);
    if (number >= routings->next_number) routings->next_number = number + 1;
}

/* Each node has numbers of its own. */
static uint64_t node_of(uint64_t number) { return number >> ROUTING_NODE_SHIFT; }

void routings_number(struct engine *engine)
{
    engine->events.routings.next_number = ((uint64_t)store_node(engine->store) << ROUTING_NODE_SHIFT) + 1;
}

struct found_rows {
    struct pending_row *row;
    size_t count, cap;
};

static void keep_row(struct found_rows *found, const struct pending_row *row, struct arena *arena)
{
    if (found->count == found->cap) {
        struct pending_row *old = found->row;
        found->cap = found->cap ? 2 * found->cap : ROUTING_ROWS_READ_MAX;
        found->row = arena_make_n(arena, struct pending_row, found->cap);
        if (found->count) memcpy(found->row, old, found->count * sizeof *old);
    }
    struct pending_row *kept = &found->row[found->count++];
    *kept = *row;
    kept->target = arena_str(arena, row->target);
    kept->business_key = arena_str(arena, row->business_key);
    kept->data = arena_str(arena, row->data);
}

/* The node's rows among those of all nodes that have the target. */
static enum status load_target(struct engine *engine, uint64_t node, str target, struct arena *page,
                               struct found_rows *found, struct error *err)
{
    struct pending_row row[ROUTING_ROWS_READ_MAX], last = { 0 };
    size_t count = ROUTING_ROWS_READ_MAX;
    for (bool first = true; count == ROUTING_ROWS_READ_MAX; first = false) {
        arena_reset(page); /* The cursor's numbers are in `last`; its bytes are not read. */
        TRY(store_pending(engine->store, NAMESPACE_DEFAULT, target, first ? NULL : &last, page, row,
                          ROUTING_ROWS_READ_MAX, &count, err));
        for (size_t i = 0; i < count; i++)
            if (node_of(row[i].parent - ID_INSTANCE_MAX) == node)
                keep_row(found, &row[i], &engine->turn.arena);
        if (count) last = row[count - 1];
    }
    return ST_OK;
}

/* The rows of a node: first those of events. */
static enum status load_of(struct engine *engine, uint64_t node, struct pending_row **ret_row,
                           size_t *ret_count, struct error *err)
{
    struct found_rows found = { 0 };
    struct arena page;
    arena_init(&page, 0);
    enum status status = load_target(engine, node, event_target, &page, &found, err);
    if (status == ST_OK) status = load_target(engine, node, place_target, &page, &found, err);
    arena_done(&page);
    TRY(status);
    *ret_row = found.row;
    *ret_count = found.count;
    return ST_OK;
}

void routings_open(struct engine *engine)
{
    engine->events.routings = (struct routings){ 0 };
    routings_number(engine);
}

enum status routings_recover(struct engine *engine, struct error *err)
{
    struct pending_row *row;
    size_t count;
    TRY(load_of(engine, 0, &row, &count, err));
    for (size_t i = 0; i < count; i++) recover_row(engine, &row[i]);
    arena_reset(&engine->turn.arena);
    return ST_OK;
}

/* Our number for an event of another node: by its place among the rows, where those of events come first. */
static uint64_t number_for(const struct engine *engine, const struct pending_row *row, uint64_t parent)
{
    size_t i = 0;
    while (row[i].parent != parent) i++;
    return ID_INSTANCE_MAX + engine->events.routings.next_number + i;
}

static enum status move_rows(struct engine *engine, const struct pending_row *row, size_t count,
                             struct pending_row *moved, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        moved[i] = row[i];
        moved[i].parent = number_for(engine, row, row[i].parent);
        struct changeset changeset = { .pending_remove = &row[i], .pending_add = &moved[i] };
        TRY(store_apply(engine->store, &changeset, err));
    }
    return ST_OK;
}

/* Reads in the transaction that moves: of two nodes that lead at the same moment, only one gets the rows. */
static enum status adopt_rows(struct engine *engine, uint64_t node, struct pending_row **ret_moved,
                              size_t *ret_count, struct error *err)
{
    struct pending_row *row;
    TRY(load_of(engine, node, &row, ret_count, err));
    *ret_moved = arena_make_n(&engine->turn.arena, struct pending_row, *ret_count);
    TRY(move_rows(engine, row, *ret_count, *ret_moved, err));
    return *ret_count ? store_commit(engine->store, err) : ST_OK;
}

/* The rows become ours, so that others find them if we die, too. */
enum status routings_take_over(struct engine *engine, int64_t node, struct error *err)
{
    struct pending_row *moved = NULL;
    size_t count = 0;
    TRY(store_begin(engine->store, err));
    enum status status = adopt_rows(engine, node > 0 ? (uint64_t)node : 0, &moved, &count, err);
    if (status != ST_OK || !count) store_rollback(engine->store);
    for (size_t i = 0; status == ST_OK && i < count; i++) recover_row(engine, &moved[i]);
    arena_reset(&engine->turn.arena);
    return status;
}

void routings_close(struct engine *engine)
{
    for (struct routing *routing = engine->events.routings.first, *next; routing; routing = next) {
        next = routing->next;
        free_routing(routing);
    }
    engine->events.routings = (struct routings){ 0 };
}

/* ---- going on ---- */

static enum status go_on(struct turn *turn, struct routing *routing, struct error *err)
{
    str place = routing->next_place.p ? routing->next_place : routing->place;
    const struct json *event = json_decode(routing->event, &turn->arena);
    struct route route = route_begin(turn, routing->ns, event ? event : json_empty_object());
    if (!event || !decode_place(&route, place)) {
        log_write(LOG_ERROR, "an event on its way cannot be read; it goes no further", NULL);
        routing->finished = true;
        return remove_rows(turn, routing, err);
    }
    route.opened = true;
    enum status status = route_go_on(&route, false, err);
    if (transact_is_lost(turn, status)) return status;
    if (status != ST_OK) {
        /* A definition cannot be read, for one. The rest of the way would fail the same way again and again.
         */
        str reason = arena_printf(&turn->arena, "it got no further: %s", err->message);
        TRY(event_put_unmatched(turn, routing->ns, event, reason, err));
        route.place.stage = ROUTE_DONE;
        route.applied += !route.applied; /* The unmatched event says so. */
    }
    if (route.place.stage == ROUTE_DONE) {
        routing->finished = true;
        TRY(remove_rows(turn, routing, err));
        return event_arrived(&route, err);
    }
    heap_free(&routing->next_place);
    routing->next_place = heap_copy(encode_place(&route));
    return write_row(turn, routing, ROW_PLACE, err);
}

bool routings_waiting(const struct engine *engine)
{
    return engine->events.routings.first &&
           engine->turn.now_ms >= engine->transact.backlog[BACKLOG_ROUTING].hold_ms && !engine->broken;
}

int64_t routings_next_ms(const struct engine *engine)
{
    return engine->events.routings.first ? engine->turn.now_ms : INT64_MAX;
}

bool routings_go_on(struct turn *turn)
{
    struct routings *routings = &turn->engine->events.routings;
    if (!routings_waiting(turn->engine) || turn->failed != ST_OK) return false;
    struct routing *routing = routings->first;
    for (; routing && routing->finished; routing = routing->next) {
    }
    if (!routing) return false;
    struct error err;
    routing->touched = true;
    enum status status = go_on(turn, routing, &err);
    if (status != ST_OK && turn->failed == ST_OK) transact_failed(turn, &err);
    return true;
}

/* Keeps or drops what the transaction did to the event. */
static void settle(struct routing *routing, bool committed)
{
    if (committed && routing->next_place.p) {
        heap_free(&routing->place);
        routing->place = routing->next_place;
        routing->next_place = STR_NONE;
    }
    if (!committed) {
        heap_free(&routing->next_place);
        routing->finished = false;
    }
}

/* Did it fail because of an event, or because the store is away? Then the next attempt would fail, too. A
 * conflict with another node is over by now, and there may be one in every turn. */
static bool must_wait(const struct turn *turn, bool took_part)
{
    return turn->failed != ST_AGAIN && (took_part || !turn->in_transaction);
}

void routings_end(struct turn *turn, bool committed)
{
    struct routings *routings = &turn->engine->events.routings;
    struct routing *all = routings->first, *rested = NULL, *next;
    if (!all) return;
    routings->first = routings->last = NULL;
    routings->count = 0;
    /* Events that went on come behind those that did not. */
    for (int pass = 0; pass < 2; pass++) {
        for (struct routing *routing = pass ? rested : all; routing; routing = next) {
            next = routing->next;
            if (!pass && routing->touched) {
                routing->next = rested;
                rested = routing;
                continue;
            }
            bool gone = routing->touched && (committed ? routing->finished : routing->is_new);
            if (routing->touched) settle(routing, committed);
            if (gone) {
                free_routing(routing);
                continue;
            }
            routing->touched = routing->is_new = false;
            enqueue(routings, routing);
        }
    }
    if (!committed && must_wait(turn, rested != NULL))
        backlog_hold(&turn->engine->transact.backlog[BACKLOG_ROUTING], turn->now_ms);
}
