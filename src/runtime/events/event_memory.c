/* runtime/events/event_memory.c — what the engine remembers of events: those it has seen, and those nobody
 * took.
 *
 * An event is known by its source and id. The row under that key says what the event did, so that a sender
 * may repeat it. An unmatched event is kept as a row for as long as ended instances are kept.
 */
#include "runtime/events/events_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"
#include "runtime/transact/transact.h"

enum { REMEMBERED_HTTP_STATUS = 202 };

/* The reasons for which no instance has an event. */
static const str retired = STR_INIT("the definition that would start by it is retired");
static const str no_instance = STR_INIT("no instance waits for it, and none is started by it");
static const str no_definition = STR_INIT("no definition takes events of this source and type");
static const str no_key = STR_INIT("it lacks the correlation value that its trigger asks for");
const str event_expired_reason = STR_INIT("no instance with its correlation key came in time (timeToLive)");
static const str no_room = STR_INIT("nobody has it"); /* And which failed instance had no room. */

static str memory_key(struct turn *turn, const struct json *event)
{
    str source = json_text(event, STR("source"));
    struct buf key;
    buf_init(&key, &turn->arena);
    buf_add_str(&key, (str){ "\0event\0", 7 });
    buf_printf(&key, "%zu:", source.n);
    buf_add_str(&key, source);
    buf_add_str(&key, json_text(event, STR("id")));
    return buf_str(&key);
}

void event_add_instances(struct json_builder *builder, const struct event_instance *instance, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_open_array(builder);
        json_add_int(builder, (int64_t)instance[i].id);
        json_add_int(builder, instance[i].created_ms);
        json_add_bool(builder, instance[i].started);
        json_close(builder);
    }
}

size_t event_read_instances(const struct json *array, size_t from, struct arena *arena, size_t room,
                            struct event_instance **ret_instance)
{
    size_t count = json_count(array) - from;
    struct event_instance *instance = arena_make_n(arena, struct event_instance, count > room ? count : room);
    for (size_t i = 0; i < count; i++) {
        const struct json *one = json_item(array, from + i), *started = json_item(one, 2);
        instance[i] = (struct event_instance){ (uint64_t)json_item_int64(one, 0), json_item_int64(one, 1),
                                               json_is(started, JSON_BOOL) && json_bool(started) };
    }
    *ret_instance = instance;
    return count;
}

/* Stores what the event did as a value: [outcome, total, [id, created, started], …]. An event that waits has
 * [outcome, 0, the time until which it waits]. */
enum status event_remember(const struct route *route, enum event_outcome outcome, uint64_t way,
                           struct error *err)
{
    must(outcome != EVENT_DUPLICATE && outcome != EVENT_REFUSED);
    struct turn *turn = route->turn;
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_array(&builder);
    json_add_int(&builder, (int64_t)outcome);
    json_add_int(&builder, (int64_t)route->applied);
    if (outcome == EVENT_WAITING) json_add_int(&builder, route->kept_until_ms);
    else event_add_instances(&builder, route->instance, route->instance_count);
    json_close(&builder);
    struct idempotency_row row = { .ns = route->ns,
                                   .key = memory_key(turn, route->event),
                                   .request = way,
                                   .created_ms = turn->now_ms,
                                   .http_status = REMEMBERED_HTTP_STATUS,
                                   .answer = json_encoded(json_built(&builder)) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(turn, &changeset, err);
}

/* Says what the event did. ST_NOT_FOUND if it is new. */
enum status event_recall(struct turn *turn, const struct call *call, struct call_event *event,
                         uint64_t *ret_way, struct error *err)
{
    struct idempotency_row row;
    TRY(found_needed(store_find_idempotency(turn->engine->store, call->ns, memory_key(turn, event->event),
                                            &turn->arena, &row, err)));
    const struct json *did = json_decode(row.answer, &turn->arena);
    int64_t outcome = did && json_count(did) ? json_item_int64(did, 0) : -1;
    if (outcome < 0 || outcome >= EVENT_OUTCOME_COUNT || json_count(did) < 2)
        return fail(err, ST_INTERNAL, "event", "what it did the first time cannot be read");
    event->outcome = event->first = (enum event_outcome)outcome;
    event->instance_total = (size_t)json_item_int64(did, 1);
    if (event->outcome == EVENT_WAITING && json_count(did) > 2)
        event->waits_until_ms = json_item_int64(did, 2);
    else event->instance_count = event_read_instances(did, 2, call->arena, 0, &event->instance);
    if (event->outcome == EVENT_UNMATCHED) event->reason = no_instance;
    *ret_way = row.request;
    return ST_OK;
}

bool event_has_nobody(str reason)
{
    return str_equal(reason, retired) || str_starts(reason, no_instance) ||
           str_equal(reason, no_definition) || str_equal(reason, no_key) ||
           str_equal(reason, event_expired_reason) || str_starts(reason, no_room);
}

enum status event_put_unmatched(struct turn *turn, int32_t ns, const struct json *event, str reason,
                                struct error *err)
{
    must(reason.n);
    struct unmatched_row row = {
        .ns = ns,
        .received_ms = turn->now_ms,
        .reason = reason,
        .event = json_encoded(event),
        /* One that others have is told for people, and not sent again. */
        .identity = event_has_nobody(reason) ? memory_key(turn, event) : STR_NONE,
    };
    struct changeset changeset = { .unmatched_add = &row };
    return transact_rows(turn, &changeset, err);
}

enum status event_find_unmatched(struct turn *turn, int32_t ns, const struct json *event, int64_t *ret_number,
                                 struct error *err)
{
    struct unmatched_row row;
    bool is_there;
    TRY(found_asked(
        store_find_unmatched_of(turn->engine->store, ns, memory_key(turn, event), &turn->arena, &row, err),
        &is_there));
    *ret_number = is_there ? row.number : 0;
    return ST_OK;
}

enum status event_remove_unmatched(struct turn *turn, int64_t number, struct error *err)
{
    if (!number) return ST_OK;
    struct changeset changeset = { .unmatched_remove = number };
    return transact_rows(turn, &changeset, err);
}

enum event_outcome event_outcome_of(const struct route *route)
{
    return route->started         ? EVENT_STARTED
           : route->applied       ? EVENT_DELIVERED
           : route->kept_until_ms ? EVENT_WAITING
                                  : EVENT_UNMATCHED;
}

/* Says why nobody took the event. */
str event_reason_of(const struct route *route)
{
    if (route->left_out.n)
        return arena_printf(&route->turn->arena, "%s: %.*s", no_room.p, STR_ARG(route->left_out));
    if (route->not_kept.n)
        return arena_printf(&route->turn->arena, "%s: %.*s", no_instance.p, STR_ARG(route->not_kept));
    if (route->retired) return retired;
    return route->keyless ? no_key : route->matched ? no_instance : no_definition;
}
