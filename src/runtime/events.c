/* runtime/events.c — events that come in, and what is remembered of them.
 *
 *     seen before (source and id)? ──► nothing
 *     else it goes its way (routing.h): at once if that is short, over several turns if it is long
 *     nobody took it ──► an unmatched event, kept for as long as ended instances are
 *
 * An unmatched event can be sent again, by its number: as if its event came now, but the memory of the first
 * time does not stand in the way unless somebody has the event. The unmatched event goes in the transaction
 * in which somebody takes it, and the memory becomes that of the new outcome.
 *
 * An event whose way is short is taken whole or refused whole: who it concerns is counted before the first of
 * them gets it. An instance whose mailbox is full later, when others have it already, is named in an
 * unmatched event. An event whose way is long is accepted when the way is opened; the call is answered at its
 * end.
 *
 * What an event did is remembered under a key that no client can send, since it begins with a
 * NUL, in the same transaction.
 */
#include "runtime/engine_int.h"

#include "json/json.h"

enum { REMEMBERED_HTTP_STATUS = 202 };

static str attribute(const struct json *event, const char *name)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* The reasons of unmatched events whose event nobody has. */
static const str no_instance = STR_INIT("no instance waits for it, and none is started by it");
static const str no_definition = STR_INIT("no definition takes events of this source and type");
static const str no_token = STR_INIT("it lacks the correlation value that its trigger asks for");
static const str no_room = STR_INIT("nobody has it"); /* And who has failed and had no room. */

/* ---- seen before ---- */

static str memory_key(struct turn *turn, const struct json *event)
{
    str source = attribute(event, "source");
    struct buf key;
    buf_init(&key, &turn->arena);
    buf_add_str(&key, (str){ "\0event\0", 7 });
    buf_printf(&key, "%zu:", source.n);
    buf_add_str(&key, source);
    buf_add_str(&key, attribute(event, "id"));
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

static int64_t number_at(const struct json *array, size_t i)
{
    int64_t number = 0;
    json_int64(json_item(array, i), &number);
    return number;
}

size_t event_read_instances(const struct json *array, size_t from, struct arena *arena, size_t room,
                            struct event_instance **ret_instance)
{
    size_t count = json_count(array) - from;
    struct event_instance *instance = arena_make_n(arena, struct event_instance, count > room ? count : room);
    for (size_t i = 0; i < count; i++) {
        const struct json *one = json_item(array, from + i), *started = json_item(one, 2);
        instance[i] = (struct event_instance){ (uint64_t)number_at(one, 0), number_at(one, 1),
                                               json_is(started, JSON_BOOL) && json_bool(started) };
    }
    *ret_instance = instance;
    return count;
}

/* What the event did, as a value: [outcome, total, [id, created, started], …]. */
static enum status remember(const struct route *route, enum event_outcome outcome, struct error *err)
{
    struct turn *turn = route->turn;
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_array(&builder);
    json_add_int(&builder, (int64_t)outcome);
    json_add_int(&builder, (int64_t)route->applied);
    event_add_instances(&builder, route->instance, route->instance_count);
    json_close(&builder);
    struct idempotency_row row = { .ns = route->ns,
                                   .key = memory_key(turn, route->event),
                                   .created_ms = turn->now_ms,
                                   .http_status = REMEMBERED_HTTP_STATUS,
                                   .answer = json_encoded(json_built(&builder)) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(turn, &changeset, err);
}

/* Says what the event did. ST_NOT_FOUND if it is new. */
static enum status recall(struct turn *turn, const struct call *call, struct call_event *event,
                          struct error *err)
{
    struct idempotency_row row;
    TRY(store_find_idempotency(turn->engine->store, call->ns, memory_key(turn, event->event), &turn->arena,
                               &row, err));
    const struct json *did = json_decode(row.answer, &turn->arena);
    if (!did || json_count(did) < 2)
        return fail(err, ST_INTERNAL, "event", "what it did the first time cannot be read");
    event->outcome = event->first = (enum event_outcome)number_at(did, 0);
    event->instance_total = (size_t)number_at(did, 1);
    event->instance_count = event_read_instances(did, 2, call->arena, 0, &event->instance);
    if (event->outcome == EVENT_UNMATCHED) event->reason = no_instance;
    return ST_OK;
}

/* ---- unmatched events ---- */

static bool nobody_has_it(str reason)
{
    return str_equal(reason, no_instance) || str_equal(reason, no_definition) ||
           str_equal(reason, no_token) || str_starts(reason, no_room);
}

enum status event_put_unmatched(struct turn *turn, int32_t ns, const struct json *event, str reason,
                                struct error *err)
{
    struct unmatched_row row = {
        .ns = ns, .received_ms = turn->now_ms, .reason = reason, .event = json_encoded(event)
    };
    struct changeset changeset = { .unmatched_add = &row };
    return transact_rows(turn, &changeset, err);
}

static enum status remove_unmatched(struct turn *turn, int64_t number, struct error *err)
{
    struct changeset changeset = { .unmatched_remove = number };
    return transact_rows(turn, &changeset, err);
}

/* ---- the end of the way ---- */

static enum event_outcome outcome_of(const struct route *route)
{
    return route->started ? EVENT_STARTED : route->applied ? EVENT_DELIVERED : EVENT_UNMATCHED;
}

/* Why nobody took it. */
static str reason_of(const struct route *route)
{
    if (route->left_out.n)
        return arena_printf(&route->turn->arena, "%s: %.*s", no_room.p, STR_ARG(route->left_out));
    return route->tokenless ? no_token : route->matched ? no_instance : no_definition;
}

enum status event_arrived(const struct route *route, struct error *err)
{
    enum event_outcome outcome = outcome_of(route);
    str reason = outcome == EVENT_UNMATCHED ? reason_of(route) : route->left_out;
    if (reason.n) TRY(event_put_unmatched(route->turn, route->ns, route->event, reason, err));
    return remember(route, outcome, err);
}

static void answer(struct call *call, struct call_event *event, const struct route *route)
{
    event->outcome = event->first = outcome_of(route);
    if (event->outcome == EVENT_UNMATCHED) event->reason = arena_str(call->arena, reason_of(route));
    event->instance_total = route->applied;
    event->instance_count = route->instance_count;
    event->instance = arena_make_n(call->arena, struct event_instance, route->instance_count);
    if (route->instance_count)
        memcpy(event->instance, route->instance, route->instance_count * sizeof event->instance[0]);
}

/* ---- the call ---- */

static bool is_lost(const struct turn *turn, enum status status)
{
    return turn->failed != ST_OK || status == ST_STORE || status == ST_FULL;
}

/* Fails only with the transaction; an event that is refused says so itself. */
static enum status settle(struct turn *turn, struct call_event *event, enum status status, struct error *err)
{
    if (status == ST_OK) return ST_OK;
    if (is_lost(turn, status)) {
        *err = turn->failed != ST_OK ? turn->failure : event->error;
        return transact_failed(turn, err);
    }
    *event = (struct call_event){
        .event = event->event, .outcome = EVENT_REFUSED, .first = EVENT_REFUSED, .error = event->error
    };
    return ST_OK;
}

/* The whole way, in this transaction. An unmatched event that is sent again stays as it is if nobody takes
 * it. */
static enum status go_at_once(struct call *call, struct call_event *event, struct route *route,
                              int64_t unmatched, struct error *err)
{
    TRY(route_go_on(route, true, err));
    answer(call, event, route);
    if (unmatched && event->outcome == EVENT_UNMATCHED) return ST_OK;
    if (unmatched) TRY(remove_unmatched(route->turn, unmatched, err));
    return unmatched ? remember(route, event->outcome, err) : event_arrived(route, err);
}

/* The first part of a long way. Until its end whoever sends the event again hears that it is being delivered.
 */
static enum status open_way(struct call *call, struct route *route, int64_t unmatched, struct error *err)
{
    TRY(routings_add(route, &call->routing_, err));
    if (unmatched) TRY(remove_unmatched(route->turn, unmatched, err));
    return remember(route, EVENT_DELIVERED, err);
}

enum { AT_ONCE_PARTS = 8 }; /* A way that costs a smaller part of a turn is gone at once. */

static enum status send(struct turn *turn, struct call *call, struct call_event *event, int64_t unmatched,
                        struct error *err)
{
    struct route route = route_begin(turn, call->ns, event->event);
    struct route_size size;
    TRY(route_measure(&route, &size, err));
    if (size.expensive && !turn->late) {
        call->unfinished_ = true;
        return ST_OK;
    }
    if (size.fuel < turn->engine->limits.turn_fuel_max / AT_ONCE_PARTS)
        return go_at_once(call, event, &route, unmatched, err);
    call->unfinished_ = true;
    return open_way(call, &route, unmatched, err);
}

/* The way of the event was opened in an earlier turn. ST_NOT_FOUND if that did not commit. */
static enum status look_whether_arrived(struct turn *turn, struct call *call, struct call_event *event,
                                        struct error *err)
{
    if (routings_is_open(turn->engine, call->routing_)) {
        call->unfinished_ = true;
        return ST_OK;
    }
    call->routing_ = 0;
    return recall(turn, call, event, err);
}

static enum status take_event(struct turn *turn, struct call *call, struct call_event *event,
                              struct error *err)
{
    enum status status = ST_NOT_FOUND;
    *event = (struct call_event){ .event = event->event };
    if (!attribute(event->event, "source").n || !attribute(event->event, "type").n ||
        !attribute(event->event, "id").n)
        status = fail(&event->error, ST_INVALID, "event", "an event needs a source, a type and an id");
    if (status == ST_NOT_FOUND && call->routing_) {
        status = look_whether_arrived(turn, call, event, &event->error);
    } else if (status == ST_NOT_FOUND) {
        status = recall(turn, call, event, &event->error);
        if (status == ST_OK) event->outcome = EVENT_DUPLICATE;
    }
    if (status == ST_NOT_FOUND) status = send(turn, call, event, 0, &event->error);
    return settle(turn, event, status, err);
}

static enum status load_unmatched(struct engine *engine, const struct call *call,
                                  struct unmatched_row *ret_unmatched, const struct json **ret_event,
                                  struct error *err)
{
    enum status status = store_find_unmatched(engine->store, call->resend, call->arena, ret_unmatched, err);
    if (status == ST_NOT_FOUND || (status == ST_OK && ret_unmatched->ns != call->ns))
        return fail(err, ST_NOT_FOUND, "event", "unmatched event %lld not found", (long long)call->resend);
    TRY(status);
    *ret_event = json_decode(ret_unmatched->event, call->arena);
    return *ret_event ? ST_OK : fail(err, ST_INTERNAL, "event", "the event cannot be read");
}

static enum status resend(struct turn *turn, struct call *call, struct error *err)
{
    struct unmatched_row unmatched;
    const struct json *event;
    if (call->routing_) { /* The unmatched event has gone. */
        enum status arrived = look_whether_arrived(turn, call, call->event, err);
        if (arrived != ST_NOT_FOUND) return arrived;
    }
    TRY(load_unmatched(turn->engine, call, &unmatched, &event, err));
    struct call_event *taken = arena_make(call->arena, struct call_event);
    taken->event = event;
    enum status status = recall(turn, call, taken, err);
    /* The unmatched event may outlive the memory. */
    if (!nobody_has_it(unmatched.reason) || (status == ST_OK && taken->first != EVENT_UNMATCHED))
        return fail(err, ST_CONFLICT, "event",
                    "instances have the event of number %lld already and would have it twice",
                    (long long)call->resend);
    if (status != ST_OK && status != ST_NOT_FOUND) return status;
    *taken = (struct call_event){ .event = event };
    call->event = taken;
    call->event_count = 1;
    return settle(turn, taken, send(turn, call, taken, call->resend, &taken->error), err);
}

enum status events_call(struct turn *turn, struct call *call, struct error *err)
{
    if (call->resend) return resend(turn, call, err);
    for (call->ran_ = call->done_; call->ran_ < call->event_count; call->ran_++) {
        if (call->ran_ > call->done_ && turn_slice_is_over(turn)) {
            call->unfinished_ = true;
            return ST_OK;
        }
        TRY(take_event(turn, call, &call->event[call->ran_], err));
        if (call->unfinished_) return ST_OK;
    }
    return ST_OK;
}

void events_count(struct engine *engine, const struct call *call)
{
    struct metrics *metrics = engine->metrics;
    _Atomic uint64_t *const counter[EVENT_OUTCOME_COUNT] = {
        [EVENT_STARTED] = &metrics->events_started,     [EVENT_DELIVERED] = &metrics->events_delivered,
        [EVENT_UNMATCHED] = &metrics->events_unmatched, [EVENT_DUPLICATE] = &metrics->events_duplicate,
        [EVENT_REFUSED] = &metrics->events_refused,
    };
    for (size_t i = 0; i < call->event_count; i++) metric_add(counter[call->event[i].outcome], 1);
}
