/* runtime/events/events.c — events that come in, and what is remembered of them.
 *
 *     seen before (source and id)?  ──► the event does nothing
 *     else it goes its way (route.h) ──► at once if that is short, over several turns if it is long
 *     nobody took it                ──► it waits for an instance with its key (kept_events.c)
 *     nobody may, or came in time   ──► an unmatched event, kept for as long as ended instances are
 *
 * An unmatched event can be sent again, by its producer or by its number, as if it came now. The memory of
 * the first time does not prevent that unless an instance has the event. If it was sent by its number, the
 * unmatched event is deleted in the transaction in which an instance takes it. The memory becomes that of the
 * new outcome.
 *
 * An event with a short way is taken whole or refused whole: its instances are counted before the first of
 * them gets it. An event with a long way is accepted when the way is opened, and its call is answered at the
 * end. An instance whose mailbox is full by then is named in an unmatched event.
 *
 * The memory of an event is a row under a key that no client can send, because it begins with a NUL.
 */
#include "runtime/events/events_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- the end of the way ---- */

static void answer(struct call *call, struct call_event *event, const struct route *route)
{
    event->outcome = event->first = event_outcome_of(route);
    if (event->outcome == EVENT_UNMATCHED) event->reason = arena_str(call->arena, event_reason_of(route));
    event->instance_total = route->applied;
    event->instance_count = route->instance_count;
    event->instance = arena_make_n(call->arena, struct event_instance, route->instance_count);
    if (route->instance_count)
        memcpy(event->instance, route->instance, route->instance_count * sizeof event->instance[0]);
}

/* ---- the call ---- */

/* Fails only with the transaction. A refused event carries its own error. */
static enum status settle(struct turn *turn, struct call_event *event, enum status status, struct error *err)
{
    must(status == ST_OK || turn->failed != ST_OK || event->error.status == status);
    if (status == ST_OK) return ST_OK;
    if (transact_is_lost(turn, status)) {
        *err = turn->failed != ST_OK ? turn->failure : event->error;
        return transact_failed(turn, err);
    }
    *event = (struct call_event){
        .event = event->event, .outcome = EVENT_REFUSED, .first = EVENT_REFUSED, .error = event->error
    };
    return ST_OK;
}

/* How often the event was sent. One that is sent again is an unmatched event, which goes when the event has
 * been taken, is kept or is on a long way. */
struct sending {
    bool again;
    bool by_number;    /* By people, who name the unmatched event: the engine does not keep it. */
    int64_t unmatched; /* Its number; 0: it has gone. */
};

/* Routes the event completely in this transaction. An unmatched event that is sent again stays as it is if
 * nobody takes it. */
static enum status go_at_once(struct call *call, struct call_event *event, struct route *route,
                              struct sending sending, struct error *err)
{
    TRY(route_go_on(route, true, err));
    must(route->place.stage == ROUTE_DONE);
    if (!sending.again) TRY(event_arrived(route, err));
    else if (!sending.by_number && !route->applied) TRY(event_keep(route, err));
    answer(call, event, route);
    if (!sending.again || event->outcome == EVENT_UNMATCHED) return ST_OK;
    TRY(event_remove_unmatched(route->turn, sending.unmatched, err));
    return event_remember(route, event->outcome, 0, err);
}

/* Begins a long way. Until its end a sender who repeats the event hears that it is being delivered. */
static enum status open_way(struct call *call, struct route *route, struct sending sending, struct error *err)
{
    must(!call->routing_ && route->place.stage != ROUTE_DONE);
    TRY(routings_add(route, &call->routing_, err));
    TRY(event_remove_unmatched(route->turn, sending.unmatched, err));
    return event_remember(route, EVENT_DELIVERED, call->routing_, err);
}

enum { AT_ONCE_PARTS = 8 }; /* A way that costs only a part of a turn is taken at once. */

static enum status send(struct turn *turn, struct call *call, struct call_event *event,
                        struct sending sending, struct error *err)
{
    struct route route = route_begin(turn, call->ns, event->event);
    struct route_size size;
    TRY(route_measure(&route, &size, err));
    if (size.expensive && !turn->late) {
        call->unfinished_ = true;
        return ST_OK;
    }
    if (size.fuel < turn->engine->limits.turn_fuel_max / AT_ONCE_PARTS)
        return go_at_once(call, event, &route, sending, err);
    call->unfinished_ = true;
    return open_way(call, &route, sending, err);
}

/* The way of the event was opened in an earlier turn. ST_NOT_FOUND if that did not commit. */
static enum status look_whether_arrived(struct turn *turn, struct call *call, struct call_event *event,
                                        struct error *err)
{
    if (routings_is_open(turn->engine, call->routing_)) {
        call->unfinished_ = true;
        return ST_OK;
    }
    uint64_t own = call->routing_, way;
    call->routing_ = 0;
    TRY(event_recall(turn, call, event, &way, err));
    /* It was sent again since, and is on that way. Only an unmatched event is. */
    if (way && way != own) event->outcome = event->first = EVENT_UNMATCHED;
    return ST_OK;
}

static enum status take_event(struct turn *turn, struct call *call, struct call_event *event,
                              struct error *err)
{
    enum status status = ST_NOT_FOUND;
    int64_t life_ms;
    uint64_t way;
    struct sending sending = { .again = false };
    *event = (struct call_event){ .event = event->event };
    if (!json_text(event->event, STR("source")).n || !json_text(event->event, STR("type")).n ||
        !json_text(event->event, STR("id")).n)
        status = fail(&event->error, ST_INVALID, "event", "an event needs a source, a type and an id");
    else if (event_read_life(event->event, &life_ms, &event->error) != ST_OK) status = event->error.status;
    if (status == ST_NOT_FOUND && call->routing_) {
        status = look_whether_arrived(turn, call, event, &event->error);
    } else if (status == ST_NOT_FOUND) {
        status = event_recall(turn, call, event, &way, &event->error);
        if (status == ST_OK && event->first == EVENT_UNMATCHED) {
            sending.again = true; /* No instance has it: it is matched again. */
            status = event_find_unmatched(turn, call->ns, event->event, &sending.unmatched, &event->error);
            if (status == ST_OK) status = ST_NOT_FOUND;
        } else if (status == ST_OK) {
            event->outcome = EVENT_DUPLICATE;
        }
    }
    if (status == ST_NOT_FOUND) {
        *event = (struct call_event){ .event = event->event };
        status = send(turn, call, event, sending, &event->error);
    }
    return settle(turn, event, status, err);
}

static enum status load_unmatched(struct engine *engine, const struct call *call,
                                  struct unmatched_row *ret_unmatched, const struct json **ret_event,
                                  struct error *err)
{
    bool is_there;
    TRY(found_asked(store_find_unmatched(engine->store, call->ns, call->as.events.resend, call->arena,
                                         ret_unmatched, err),
                    &is_there));
    if (!is_there)
        return fail(err, ST_NOT_FOUND, "event", "unmatched event %lld not found",
                    (long long)call->as.events.resend);
    *ret_event = json_decode(ret_unmatched->event, call->arena);
    return *ret_event ? ST_OK : fail(err, ST_INTERNAL, "event", "the event cannot be read");
}

static enum status resend(struct turn *turn, struct call *call, struct error *err)
{
    struct unmatched_row unmatched;
    const struct json *event;
    if (call->routing_) { /* The unmatched event has gone. */
        enum status arrived = look_whether_arrived(turn, call, call->as.events.event, err);
        if (arrived != ST_NOT_FOUND) return arrived;
    }
    TRY(load_unmatched(turn->engine, call, &unmatched, &event, err));
    struct call_event *taken = arena_make(call->arena, struct call_event);
    taken->event = event;
    uint64_t way;
    enum status status = event_recall(turn, call, taken, &way, err);
    /* The unmatched event may outlive the memory. */
    if (!event_has_nobody(unmatched.reason) || (status == ST_OK && taken->first != EVENT_UNMATCHED))
        return fail(err, ST_CONFLICT, "event",
                    "instances have the event of number %lld already and would have it twice",
                    (long long)call->as.events.resend);
    if (status != ST_OK && status != ST_NOT_FOUND) return status;
    *taken = (struct call_event){ .event = event };
    call->as.events.event = taken;
    call->as.events.event_count = 1;
    const struct sending sending = { .again = true, .by_number = true, .unmatched = unmatched.number };
    return settle(turn, taken, send(turn, call, taken, sending, &taken->error), err);
}

enum status events_call(struct turn *turn, struct call *call, struct error *err)
{
    must(call->done_ <= call->as.events.event_count);
    if (call->as.events.resend) return resend(turn, call, err);
    for (call->ran_ = call->done_; call->ran_ < call->as.events.event_count; call->ran_++) {
        if (call->ran_ > call->done_ && slice_is_over(turn)) {
            call->unfinished_ = true;
            return ST_OK;
        }
        TRY(take_event(turn, call, &call->as.events.event[call->ran_], err));
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
        [EVENT_REFUSED] = &metrics->events_refused,     [EVENT_WAITING] = &metrics->events_waiting,
    };
    for (size_t i = 0; i < call->as.events.event_count; i++) {
        must(call->as.events.event[i].outcome < EVENT_OUTCOME_COUNT);
        metric_add(counter[call->as.events.event[i].outcome], 1);
    }
}
