/* runtime/events/route.c — the way of one event: which definitions have a trigger for it, which instances
 * wait for it, and which definitions begin with it. */
#include "runtime/events/events_int.h"

#include "base/array.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { VERSIONS_PAGE = 16, SUBSCRIBERS_PAGE = 256, FUEL_LEAST = 3000 };

struct route route_begin(struct turn *turn, int32_t ns, const struct json *event)
{
    return (struct route){ .turn = turn,
                           .ns = ns,
                           .event = event,
                           .source = json_text(event, STR("source")),
                           .type = json_text(event, STR("type")) };
}

/* ---- a version on the way ---- */

struct version {
    struct definition *definition;
    bool latest;
    bool takes;      /* Its program has a trigger for the event. */
    bool correlated; /* That trigger asks for a correlation key, … */
    str key;         /* … which is this one; empty: the event has none. */
};

static bool is_correlated(const struct route *route, const struct program *program)
{
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        if (trigger->correlated && str_equal(trigger->source, route->source) &&
            str_equal(trigger->type, route->type))
            return true;
    }
    return false;
}

static enum status load_version(struct route *route, const struct triggered *triggered,
                                struct version *ret_version, struct error *err)
{
    struct turn *turn = route->turn;
    struct definition *definition;
    TRY(found_needed(
        catalogue_get(&turn->engine->memory.catalogue, triggered->definition, &definition, err)));
    *ret_version = (struct version){
        .definition = definition,
        .latest = triggered->latest,
        .takes = core_takes_event(definition->program, route->event),
        .correlated = is_correlated(route, definition->program),
        .key = core_correlation_key(definition->program, route->event, turn->engine->limits.fuel_max,
                                    &turn->arena),
    };
    route->matched |= ret_version->takes;
    /* A trigger that asks for a correlation key takes no event without one. */
    if (ret_version->takes && ret_version->correlated && !ret_version->key.n) {
        route->keyless = true;
        ret_version->takes = false;
    }
    return ST_OK;
}

static bool is_taken(const struct route *route, str id)
{
    for (size_t i = 0; i < route->taken_count; i++)
        if (str_equal(route->taken[i], id)) return true;
    return false;
}

static void set_taken(struct route *route, str id)
{
    if (is_taken(route, id)) return;
    array_reserve_in(&route->turn->arena, route->taken, route->taken_count, route->taken_cap);
    route->taken[route->taken_count++] = arena_str(&route->turn->arena, id);
}

static void note_instance(struct route *route, const struct instance *instance, bool started)
{
    route->applied++;
    if (!route->instance)
        route->instance = arena_make_n(&route->turn->arena, struct event_instance, EVENT_LISTED_MAX);
    if (route->instance_count < EVENT_LISTED_MAX)
        route->instance[route->instance_count++] =
            (struct event_instance){ instance->id, instance->created_ms, started };
}

/* ---- who waits ---- */

static enum status add_target(struct route *route, int64_t definition, uint64_t instance, struct error *err)
{
    size_t max = (size_t)route->turn->engine->limits.event_instances_max;
    if (route->applied + route->target_count >= max)
        return fail(err, ST_LIMIT, "event", "more than %zu instances take this event (event_instances_max)",
                    max);
    array_reserve_in(&route->turn->arena, route->target, route->target_count, route->target_cap);
    route->target[route->target_count++] = (struct route_target){ definition, instance };
    return ST_OK;
}

static enum status add_subscribers(struct route *route, const struct version *version, str key,
                                   struct error *err)
{
    uint64_t instance[SUBSCRIBERS_PAGE], after = 0;
    int64_t number = version->definition->number;
    for (size_t count = SUBSCRIBERS_PAGE; count == SUBSCRIBERS_PAGE;) {
        TRY(store_subscribers(route->turn->engine->store, number, key, after, instance, SUBSCRIBERS_PAGE,
                              &count, err));
        for (size_t i = 0; i < count; i++) TRY(add_target(route, number, after = instance[i], err));
    }
    return ST_OK;
}

/* Adds the subscribers of a version, whatever their correlation key. */
static enum status add_all_subscribers(struct route *route, const struct version *version, struct error *err)
{
    struct subscription_row row[SUBSCRIBERS_PAGE], after = { .definition = version->definition->number };
    for (size_t count = SUBSCRIBERS_PAGE; count == SUBSCRIBERS_PAGE;) {
        TRY(store_subscriptions(route->turn->engine->store, &after, &route->turn->arena, row,
                                SUBSCRIBERS_PAGE, &count, err));
        for (size_t i = 0; i < count; i++) {
            if (row[i].definition != version->definition->number) return ST_OK;
            TRY(add_target(route, row[i].definition, row[i].instance, err));
            after = row[i];
        }
    }
    return ST_OK;
}

static enum status add_targets(struct route *route, const struct version *version, struct error *err)
{
    if (!version->correlated) return add_all_subscribers(route, version, err);
    TRY(add_subscribers(route, version, version->key, err));
    return add_subscribers(route, version, STR_NONE, err);
}

/* Reads the versions behind the place. */
static enum status read_versions(struct route *route, struct triggered *ret_version, size_t *ret_count,
                                 struct error *err)
{
    TRY(store_triggered(route->turn->engine->store, route->ns, route->source, route->type,
                        route->place.definition, ret_version, VERSIONS_PAGE, ret_count, err));
    route->place.more = *ret_count == VERSIONS_PAGE;
    if (*ret_count) route->place.definition = ret_version[*ret_count - 1].definition;
    return ST_OK;
}

/* Finds who waits, of the next few versions. */
static enum status find_targets(struct route *route, int64_t *ret_fuel, struct error *err)
{
    struct triggered triggered[VERSIONS_PAGE];
    size_t count;
    route->target_count = route->place.next = 0;
    TRY(read_versions(route, triggered, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct version version;
        size_t before = route->target_count;
        TRY(load_version(route, &triggered[i], &version, err));
        if (!version.takes) continue;
        TRY(add_targets(route, &version, err));
        int64_t cost = version.definition->cost > FUEL_LEAST ? version.definition->cost : FUEL_LEAST;
        *ret_fuel += cost * (int64_t)(route->target_count - before + 1);
    }
    return ST_OK;
}

/* Finds out whether all the next versions are known to be cheap. */
static enum status look_at_costs(struct route *route, bool *ret_expensive, struct error *err)
{
    struct triggered triggered[VERSIONS_PAGE];
    struct route_place place = route->place;
    size_t count;
    TRY(read_versions(route, triggered, &count, err));
    *ret_expensive = route->place.more;
    route->place = place;
    for (size_t i = 0; i < count; i++)
        *ret_expensive |= !catalogue_is_cheap(
            catalogue_peek(&route->turn->engine->memory.catalogue, triggered[i].definition));
    return ST_OK;
}

enum status route_measure(struct route *route, struct route_size *ret_size, struct error *err)
{
    *ret_size = (struct route_size){ 0 };
    TRY(look_at_costs(route, &ret_size->expensive, err));
    if (ret_size->expensive && !route->turn->late) return ST_OK;
    TRY(find_targets(route, &ret_size->fuel, err));
    if (route->place.more) ret_size->fuel = INT64_MAX; /* Unknown, so it counts as expensive. */
    return ST_OK;
}

/* ---- giving it to them ---- */

static struct command event_command(const struct route *route, const struct version *version)
{
    return command_event(route->turn->now_ms, STR("event"), route->event,
                         (struct command_event){ .correlation = version->key });
}

/* True if the instance has taken the correlation key of another event since it was found. */
static bool is_anothers(const struct version *version, const struct instance *instance)
{
    return version->correlated && instance->correlation.n && !str_equal(instance->correlation, version->key);
}

/* A failed instance keeps events for its retry. It does not take an event without a correlation key that
 * starts instances: it would swallow every start. */
static bool is_for_others(const struct route *route, const struct version *version,
                          const struct instance *instance)
{
    return instance->status == INSTANCE_FAILED && !version->correlated &&
           core_starts_by_event(version->definition->program, route->event);
}

enum status route_concerns(struct route *route, const struct definition *definition,
                           const struct instance *instance, bool *ret_concerns, struct error *err)
{
    struct version version;
    TRY(load_version(route, &(struct triggered){ .definition = definition->number }, &version, err));
    *ret_concerns =
        version.takes && !is_anothers(&version, instance) && !is_for_others(route, &version, instance);
    return ST_OK;
}

/* An instance that ended meanwhile, by what another one did with the event, takes nothing. */
static enum status deliver(struct route *route, const struct version *version, uint64_t id, struct error *err)
{
    must(!route->turn->trusts_cache);
    struct turn *turn = route->turn;
    const struct instance *instance = NULL;
    struct definition *definition;
    struct transition *transition = NULL;
    struct command command = event_command(route, version);
    struct found found = transact_load(turn, id, &instance, &definition, err);
    if (found_is(found) == NOT_THERE) return ST_OK;
    enum status status = found_needed(found);
    if (status == ST_OK && (is_anothers(version, instance) || is_for_others(route, version, instance)))
        return ST_OK;
    bool failed = status == ST_OK && instance->status == INSTANCE_FAILED;
    if (status == ST_OK) status = follow_command(turn, definition, instance, &command, &transition, err);
    if (status == ST_OK && transition) {
        set_taken(route, version->definition->id);
        note_instance(route, instance, false);
    }
    bool refuses = !route->opened && !route->applied;
    if (status == ST_OK || transact_is_lost(route->turn, status) || (refuses && !failed)) return status;
    char text[ID_CHARS + 1];
    id_print((struct id){ .ms = instance ? instance->created_ms : 0, .instance = id }, text);
    set_taken(route, version->definition->id);
    if (refuses) {
        route->left_out = arena_printf(&turn->arena, "instance %s has failed, and %s", text, err->message);
        return ST_OK;
    }
    return event_put_unmatched(turn, route->ns, route->event,
                               arena_printf(&turn->arena, "instance %s: %s", text, err->message), err);
}

/* The new instance waits in its first node for the event it was started by. */
static enum status start_by_event(struct route *route, const struct version *version, struct error *err)
{
    struct turn *turn = route->turn;
    struct start start = { .ns = version->definition->ns,
                           .definition_id = version->definition->id,
                           .version = version->definition->version,
                           .data = json_empty_object(),
                           .correlation = version->key,
                           .actor = STR("event") };
    struct transition *transition = NULL;
    struct definition *definition;
    const struct instance *instance;
    enum status status = follow_start(turn, &start, &transition, &definition, err);
    if (status == ST_OK) {
        must(transition && !transition->before);
        set_taken(route, version->definition->id);
        route->started = true;
        note_instance(route, transition->after, true);
        TRY(found_needed(transact_load(turn, transition->instance, &instance, &definition, err)));
        struct command command = event_command(route, version);
        status = follow_command(turn, definition, instance, &command, &transition, err);
    }
    if (status == ST_OK || transact_is_lost(route->turn, status) || (!route->opened && !route->applied))
        return status;
    return event_put_unmatched(
        turn, route->ns, route->event,
        arena_printf(&turn->arena, "definition \"%.*s\": %s", STR_ARG(version->definition->id), err->message),
        err);
}

/* ---- who waits by now ----
 *
 * Between the first look for those who wait and the end of its way, an event on a long way has let others go
 * first. Two events with one correlation key may both have found nobody. If each started an instance, each
 * instance would wait for the other event. If one started an instance and the other one were kept, the
 * instance would never get it. So an event on a long way looks once more, in the transaction in which it
 * starts an instance or is kept: of two nodes that look and start at the same time, one commits and the other
 * one has to look again. Older versions that read no key from the event count, too: their instances would not
 * get it later. */

static enum status deliver_to_version(struct route *route, const struct triggered *triggered,
                                      struct error *err)
{
    struct version version;
    TRY(load_version(route, triggered, &version, err));
    if (!version.takes) return ST_OK;
    route->target_count = 0;
    TRY(add_targets(route, &version, err));
    for (size_t i = 0; i < route->target_count; i++)
        TRY(deliver(route, &version, route->target[i].instance, err));
    route->target_count = 0;
    return ST_OK;
}

enum status route_deliver_late(struct route *route, str definition_id, struct error *err)
{
    struct triggered triggered[VERSIONS_PAGE];
    struct definition *definition;
    int64_t after = 0;
    must(route->opened);
    if (is_taken(route, definition_id)) return ST_OK;
    for (size_t count = VERSIONS_PAGE; count == VERSIONS_PAGE;) {
        TRY(store_triggered(route->turn->engine->store, route->ns, route->source, route->type, after,
                            triggered, VERSIONS_PAGE, &count, err));
        for (size_t i = 0; i < count; i++) {
            after = triggered[i].definition;
            TRY(found_needed(catalogue_get(&route->turn->engine->memory.catalogue, after, &definition, err)));
            if (str_equal(definition->id, definition_id)) TRY(deliver_to_version(route, &triggered[i], err));
        }
    }
    return ST_OK;
}

static enum status start_unless_taken(struct route *route, const struct version *version, struct error *err)
{
    str id = version->definition->id;
    if (is_taken(route, id) || !core_starts_by_event(version->definition->program, route->event))
        return ST_OK;
    if (route->opened) TRY(route_deliver_late(route, id, err));
    return is_taken(route, id) ? ST_OK : start_by_event(route, version, err);
}

/* ---- who may wait later ---- */

/* The trigger that has the key. */
static int64_t life_of(const struct route *route, const struct program *program)
{
    int64_t life_ms = 0;
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        if (trigger->correlated && str_equal(trigger->source, route->source) &&
            str_equal(trigger->type, route->type) && trigger->life_ms > life_ms)
            life_ms = trigger->life_ms;
    }
    return life_ms;
}

enum status route_find_waiting(struct route *route, struct route_waiting **ret_waiting, size_t *ret_count,
                               struct error *err)
{
    struct arena *arena = &route->turn->arena;
    struct route_waiting *waiting = arena_make_n(arena, struct route_waiting, KEPT_DEFINITIONS_MAX);
    struct triggered triggered[VERSIONS_PAGE];
    size_t found = 0;
    int64_t after = 0;
    for (size_t count = VERSIONS_PAGE; count == VERSIONS_PAGE && found < KEPT_DEFINITIONS_MAX;) {
        TRY(store_triggered(route->turn->engine->store, route->ns, route->source, route->type, after,
                            triggered, VERSIONS_PAGE, &count, err));
        for (size_t i = 0; i < count && found < KEPT_DEFINITIONS_MAX; i++) {
            struct version version;
            after = triggered[i].definition;
            if (!triggered[i].latest) continue;
            TRY(load_version(route, &triggered[i], &version, err));
            if (version.takes && version.correlated)
                waiting[found++] =
                    (struct route_waiting){ arena_str(arena, version.definition->id), version.key,
                                            life_of(route, version.definition->program) };
        }
    }
    *ret_waiting = waiting;
    *ret_count = found;
    return ST_OK;
}

/* ---- going ---- */

static bool may_go_on(const struct route *route, bool to_the_end)
{
    return route->turn->failed == ST_OK && (to_the_end || !slice_is_over(route->turn));
}

static enum status deliver_all(struct route *route, bool to_the_end, struct error *err)
{
    struct version version = { .definition = NULL };
    while (route->place.next < route->target_count && may_go_on(route, to_the_end)) {
        const struct route_target *target = &route->target[route->place.next];
        if (!version.definition || version.definition->number != target->definition)
            TRY(load_version(route, &(struct triggered){ .definition = target->definition }, &version, err));
        TRY(deliver(route, &version, target->instance, err));
        route->place.next++;
    }
    if (route->place.next < route->target_count) return ST_OK;
    int64_t fuel = 0;
    if (route->place.more) return find_targets(route, &fuel, err);
    route->place = (struct route_place){ .stage = ROUTE_START, .more = true };
    return ST_OK;
}

static enum status start_all(struct route *route, bool to_the_end, struct error *err)
{
    struct triggered triggered[VERSIONS_PAGE];
    int64_t before = route->place.definition;
    size_t count;
    TRY(read_versions(route, triggered, &count, err));
    bool more = route->place.more;
    route->place.definition = before;
    for (size_t i = 0; i < count; i++) {
        struct version version;
        if (!may_go_on(route, to_the_end)) return ST_OK;
        TRY(load_version(route, &triggered[i], &version, err));
        if (version.takes && version.latest) {
            if (version.definition->retired_ms) route->retired = true;
            else TRY(start_unless_taken(route, &version, err));
        }
        route->place.definition = triggered[i].definition;
    }
    if (!more) route->place = (struct route_place){ .stage = ROUTE_DONE };
    return ST_OK;
}

enum status route_go_on(struct route *route, bool to_the_end, struct error *err)
{
    while (route->place.stage != ROUTE_DONE && may_go_on(route, to_the_end))
        TRY(route->place.stage == ROUTE_DELIVER ? deliver_all(route, to_the_end, err)
                                                : start_all(route, to_the_end, err));
    return route->turn->failed;
}
