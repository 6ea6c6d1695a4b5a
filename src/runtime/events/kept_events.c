/* runtime/events/kept_events.c — events that are kept for an instance with their correlation key.
 *
 * An event that nobody took is kept for each definition that takes such events with a key, as long as its
 * attribute `timetolive` says, else as long as the trigger says. The memory of the event says that it waits,
 * and later which instance has it. If nobody comes in time, the event becomes an unmatched one.
 */
#include "runtime/events/events_int.h"

#include "base/duration.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum status event_read_life(const struct json *event, int64_t *ret_ms, struct error *err)
{
    const struct json *value = json_get(event, STR("timetolive"));
    int64_t seconds;
    *ret_ms = -1;
    if (!value) return ST_OK;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &seconds) && seconds >= 0 &&
        seconds <= EARLY_MS_MAX / 1000)
        *ret_ms = seconds * 1000;
    else if (!json_is(value, JSON_STRING) || duration_parse_any(json_string(value), ret_ms, err) != ST_OK ||
             *ret_ms < 0 || *ret_ms > EARLY_MS_MAX)
        return fail(err, ST_INVALID, "timetolive",
                    "timetolive is a duration such as PT10M, or a number of seconds, of at most one day "
                    "(EARLY_MS_MAX)");
    return ST_OK;
}

static enum status keep_for(struct route *route, const struct route_waiting *waiting, int64_t life_ms,
                            struct error *err)
{
    struct kept kept = { .ns = route->ns,
                         .definition_id = waiting->definition_id,
                         .kind = KEPT_EVENT,
                         .key = waiting->key,
                         .until_ms = route->turn->now_ms + life_ms,
                         .value = route->event };
    str refusal;
    TRY(kept_add(route->turn, &kept, &refusal, err));
    if (refusal.n) route->not_kept = refusal;
    else route->kept_until_ms = kept.until_ms;
    return ST_OK;
}

/* An instance may have got the key while the event was on a long way. */
static enum status look_once_more(struct route *route, const struct route_waiting *waiting, size_t count,
                                  struct error *err)
{
    for (size_t i = 0; route->opened && i < count; i++)
        TRY(route_deliver_late(route, waiting[i].definition_id, err));
    return ST_OK;
}

enum status event_keep(struct route *route, struct error *err)
{
    struct route_waiting *waiting;
    size_t count;
    int64_t life_ms;
    must(!route->applied && !route->kept_until_ms);
    if (!route->matched || route->left_out.n) return ST_OK;
    if (event_read_life(route->event, &life_ms, err) != ST_OK || life_ms == 0) return ST_OK;
    TRY(route_find_waiting(route, &waiting, &count, err));
    for (size_t i = 0; life_ms < 0 && i < count; i++)
        if (waiting[i].life_ms > life_ms) life_ms = waiting[i].life_ms;
    if (life_ms <= 0) return ST_OK;
    TRY(look_once_more(route, waiting, count, err));
    /* All copies of an event expire together. */
    for (size_t i = 0; !route->applied && i < count; i++) TRY(keep_for(route, &waiting[i], life_ms, err));
    return ST_OK;
}

enum status event_arrived(struct route *route, struct error *err)
{
    if (!route->applied) TRY(event_keep(route, err));
    enum event_outcome outcome = event_outcome_of(route);
    str reason = outcome == EVENT_UNMATCHED ? event_reason_of(route) : route->left_out;
    if (reason.n) TRY(event_put_unmatched(route->turn, route->ns, route->event, reason, err));
    return event_remember(route, outcome, 0, err);
}

/* ---- its end ---- */

/* The memory of the event, as a route that has come so far. False: there is none. */
static enum status recall(struct turn *turn, const struct kept *kept, struct route *ret_route,
                          struct call_event *ret_event, bool *ret_is_there, struct error *err)
{
    struct call call = { .kind = CALL_EVENTS, .arena = &turn->arena, .ns = kept->ns };
    *ret_event = (struct call_event){ .event = kept->value };
    *ret_route = route_begin(turn, kept->ns, kept->value);
    uint64_t way;
    enum status status = event_recall(turn, &call, ret_event, &way, err);
    *ret_is_there = status == ST_OK;
    return status == ST_NOT_FOUND ? ST_OK : status;
}

static enum status remember_taken(struct turn *turn, const struct kept *kept, const struct instance *instance,
                                  struct error *err)
{
    struct route route;
    struct call_event event;
    bool is_there;
    TRY(recall(turn, kept, &route, &event, &is_there, err));
    size_t count = is_there && event.instance_count < EVENT_LISTED_MAX ? event.instance_count : 0;
    route.instance = arena_make_n(&turn->arena, struct event_instance, count + 1);
    if (count) memcpy(route.instance, event.instance, count * sizeof *route.instance);
    route.instance[count] = (struct event_instance){ instance->id, instance->created_ms, false };
    route.instance_count = count + 1;
    route.applied = (is_there ? event.instance_total : 0) + 1;
    return event_remember(&route, EVENT_DELIVERED, 0, err);
}

enum status kept_event_deliver(struct turn *turn, struct definition *definition,
                               const struct instance *instance, const struct kept *kept, bool *ret_taken,
                               struct error *err)
{
    struct transition *transition = NULL;
    const struct command command = command_event(turn->now_ms, STR("event"), kept->value,
                                                 (struct command_event){ .correlation = kept->key });
    struct route route = route_begin(turn, kept->ns, kept->value);
    must(kept->kind == KEPT_EVENT && kept->until_ms > turn->now_ms);
    *ret_taken = false;
    bool concerns;
    TRY(route_concerns(&route, definition, instance, &concerns, err));
    if (!concerns) return ST_OK;
    enum status status = follow_command(turn, definition, instance, &command, &transition, err);
    if (status != ST_OK) return transact_is_lost(turn, status) ? status : ST_OK;
    if (!transition) return ST_OK;
    *ret_taken = true;
    return remember_taken(turn, kept, instance, err);
}

enum status kept_event_expire(struct turn *turn, const struct kept *kept, struct error *err)
{
    must(kept->kind == KEPT_EVENT);
    struct route route;
    struct call_event event;
    bool is_there;
    TRY(recall(turn, kept, &route, &event, &is_there, err));
    /* Another definition took it, or had it expire before, and it may have been sent again since. */
    bool waits = event.first == EVENT_WAITING && event.waits_until_ms == kept->until_ms;
    if (is_there && !waits) return ST_OK;
    TRY(event_put_unmatched(turn, kept->ns, kept->value, event_expired_reason, err));
    return event_remember(&route, EVENT_UNMATCHED, 0, err);
}
