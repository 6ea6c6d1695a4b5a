/* runtime/events.c — who an event concerns, and what becomes of it.
 *
 *     seen before (source and id)? ──► nothing
 *     versions of definitions with a trigger for its source and type
 *       ├─► their instances that wait under its token, or under none yet: they get it
 *       └─► nobody of a definition took it, and its latest version begins with it: a new instance
 *     nobody at all ──► a letter, kept for as long as ended instances are
 *
 * A letter can be sent again, by its number: as if its event came now, but the memory of the first
 * time does not stand in the way unless somebody has the event. The letter goes in the transaction
 * in which somebody takes it, and the memory becomes that of the new outcome.
 *
 * An event is taken whole or refused whole: who it concerns is counted before the first of
 * them gets it. An instance whose mailbox is full later, when others have it already, is named
 * in a letter.
 *
 * What an event did is remembered under a key that no client can send, since it begins with a
 * NUL, in the same transaction.
 */
#include "runtime/engine_int.h"

#include "json/json.h"

enum { EVENT_LISTED_MAX = 100, DEFINITIONS_PAGE = 64, SUBSCRIBERS_PAGE = 256, REMEMBERED_HTTP_STATUS = 202 };

/* A version of a definition that has a trigger for the event. */
struct match {
    struct definition *definition;
    str token;
    bool latest;
    bool taken;  /* By an instance of any version of the definition. */
};

struct target {
    uint64_t instance;
    struct match *match;
};

struct routing {
    struct engine *engine;
    struct call *call;
    struct call_event *event;
    const struct letter_row *letter; /* NULL: it has just come. */
    str source, type, id;
    struct match *match;
    size_t match_count, match_cap;
    struct target *target;
    size_t target_count, target_cap;
    size_t applied;  /* Instances that have it. */
    bool started;
};

static str attribute(const struct json *event, const char *name)
{
    const struct json *value = json_get(event, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* ---- seen before ---- */

static str memory_key(const struct routing *routing)
{
    struct buf key;
    buf_init(&key, &routing->engine->arena);
    buf_add_str(&key, (str){ "\0event\0", 7 });
    buf_printf(&key, "%zu:", routing->source.n);
    buf_add_str(&key, routing->source);
    buf_add_str(&key, routing->id);
    return buf_str(&key);
}

/* What the event did, as a value: [outcome, total, [id, created, started], …]. */
static enum status remember(struct routing *routing, struct error *err)
{
    const struct call_event *event = routing->event;
    struct json_builder builder;
    json_builder_init(&builder, &routing->engine->arena);
    json_open_array(&builder);
    json_add_int(&builder, (int64_t)event->outcome);
    json_add_int(&builder, (int64_t)event->instance_total);
    for (size_t i = 0; i < event->instance_count; i++) {
        json_open_array(&builder);
        json_add_int(&builder, (int64_t)event->instance[i].id);
        json_add_int(&builder, event->instance[i].created_ms);
        json_add_bool(&builder, event->instance[i].started);
        json_close(&builder);
    }
    json_close(&builder);
    struct idempotency_row row = { .ns = routing->call->ns, .key = memory_key(routing),
                                   .created_ms = routing->engine->now_ms, .http_status = REMEMBERED_HTTP_STATUS,
                                   .answer = json_encoded(json_built(&builder)) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(routing->engine, &changeset, err);
}

static int64_t number_at(const struct json *array, size_t i)
{
    int64_t number = 0;
    json_int64(json_item(array, i), &number);
    return number;
}

/* ST_NOT_FOUND if it is new. */
static enum status recall(struct routing *routing, struct error *err)
{
    struct call_event *event = routing->event;
    struct idempotency_row row;
    TRY(store_find_idempotency(routing->engine->store, routing->call->ns, memory_key(routing), &routing->engine->arena,
                               &row, err));
    const struct json *did = json_decode(row.answer, &routing->engine->arena);
    if (!did || json_count(did) < 2) return fail(err, ST_INTERNAL, "event", "what it did the first time cannot be read");
    event->outcome = EVENT_DUPLICATE;
    event->first = (enum event_outcome)number_at(did, 0);
    event->instance_total = (size_t)number_at(did, 1);
    event->instance_count = json_count(did) - 2;
    event->instance = arena_make_n(routing->call->arena, struct event_instance, event->instance_count);
    for (size_t i = 0; i < event->instance_count; i++) {
        const struct json *one = json_item(did, i + 2), *started = json_item(one, 2);
        event->instance[i] = (struct event_instance){ (uint64_t)number_at(one, 0), number_at(one, 1),
                                                      json_is(started, JSON_BOOL) && json_bool(started) };
    }
    return ST_OK;
}

/* ---- who ---- */

static enum status add_match(struct routing *routing, const struct triggered *triggered, struct error *err)
{
    struct engine *engine = routing->engine;
    struct definition *definition;
    TRY(catalogue_get(&engine->catalogue, triggered->definition, &definition, err));
    if (!core_takes_event(definition->program, routing->event->event)) return ST_OK;
    if (routing->match_count == routing->match_cap) {
        size_t cap = routing->match_cap ? routing->match_cap * 2 : 8;
        struct match *larger = arena_make_n(&engine->arena, struct match, cap);
        if (routing->match_count) memcpy(larger, routing->match, routing->match_count * sizeof larger[0]);
        routing->match = larger;
        routing->match_cap = cap;
    }
    routing->match[routing->match_count++] = (struct match){
        .definition = definition,
        .token = core_event_token(definition->program, routing->event->event, engine->limits.fuel_max, &engine->arena),
        .latest = triggered->latest,
    };
    return ST_OK;
}

static enum status find_matches(struct routing *routing, struct error *err)
{
    struct triggered triggered[DEFINITIONS_PAGE];
    int64_t after = 0;
    for (size_t count = DEFINITIONS_PAGE; count == DEFINITIONS_PAGE;) {
        TRY(store_triggered(routing->engine->store, routing->call->ns, routing->source, routing->type, after, triggered,
                            DEFINITIONS_PAGE, &count, err));
        for (size_t i = 0; i < count; i++) {
            TRY(add_match(routing, &triggered[i], err));
            after = triggered[i].definition;
        }
    }
    return ST_OK;
}

static enum status add_target(struct routing *routing, struct match *match, uint64_t instance, struct error *err)
{
    int64_t max = routing->engine->limits.event_instances_max;
    if ((int64_t)routing->target_count >= max)
        return fail(err, ST_LIMIT, "event", "more than %lld instances take this event", (long long)max);
    if (routing->target_count == routing->target_cap) {
        size_t cap = routing->target_cap ? routing->target_cap * 2 : 16;
        struct target *larger = arena_make_n(&routing->engine->arena, struct target, cap);
        if (routing->target_count) memcpy(larger, routing->target, routing->target_count * sizeof larger[0]);
        routing->target = larger;
        routing->target_cap = cap;
    }
    routing->target[routing->target_count++] = (struct target){ instance, match };
    return ST_OK;
}

static enum status add_subscribers(struct routing *routing, struct match *match, str token, struct error *err)
{
    uint64_t instance[SUBSCRIBERS_PAGE], after = 0;
    for (size_t count = SUBSCRIBERS_PAGE; count == SUBSCRIBERS_PAGE;) {
        TRY(store_subscribers(routing->engine->store, match->definition->number, token, after, instance,
                              SUBSCRIBERS_PAGE, &count, err));
        for (size_t i = 0; i < count; i++) TRY(add_target(routing, match, after = instance[i], err));
    }
    return ST_OK;
}

/* Whatever their token. */
static enum status add_all_subscribers(struct routing *routing, struct match *match, struct error *err)
{
    struct subscription_row row[SUBSCRIBERS_PAGE];
    struct subscription_row after = { .definition = match->definition->number };
    for (size_t count = SUBSCRIBERS_PAGE; count == SUBSCRIBERS_PAGE;) {
        TRY(store_subscriptions(routing->engine->store, &after, &routing->engine->arena, row, SUBSCRIBERS_PAGE, &count,
                                err));
        for (size_t i = 0; i < count; i++) {
            if (row[i].definition != match->definition->number) return ST_OK;
            TRY(add_target(routing, match, row[i].instance, err));
            after = row[i];
        }
    }
    return ST_OK;
}

/* Does a trigger that takes the event ask for a token? */
static bool is_correlated(const struct routing *routing, const struct program *program)
{
    for (size_t i = 0; i < program->trigger_count; i++) {
        const struct program_trigger *trigger = &program->trigger[i];
        if (trigger->correlated && str_equal(trigger->source, routing->source) &&
            str_equal(trigger->type, routing->type))
            return true;
    }
    return false;
}

static enum status find_targets(struct routing *routing, struct error *err)
{
    TRY(find_matches(routing, err));
    for (size_t i = 0; i < routing->match_count; i++) {
        struct match *match = &routing->match[i];
        if (!is_correlated(routing, match->definition->program)) {
            TRY(add_all_subscribers(routing, match, err));
            continue;
        }
        if (match->token.n) TRY(add_subscribers(routing, match, match->token, err));
        TRY(add_subscribers(routing, match, STR_NONE, err));
    }
    return ST_OK;
}

/* ---- giving it to them ---- */

static void note_instance(struct routing *routing, const struct instance *instance, bool started)
{
    struct call_event *event = routing->event;
    routing->applied++;
    event->instance_total++;
    if (!event->instance)
        event->instance = arena_make_n(routing->call->arena, struct event_instance, EVENT_LISTED_MAX);
    if (event->instance_count < EVENT_LISTED_MAX)
        event->instance[event->instance_count++] = (struct event_instance){ instance->id, instance->created_ms, started };
}

static void set_taken(struct routing *routing, const struct match *by)
{
    for (size_t i = 0; i < routing->match_count; i++)
        if (str_equal(routing->match[i].definition->id, by->definition->id)) routing->match[i].taken = true;
}

/* The reasons of letters whose event nobody has. */
static const str no_instance = STR_INIT("no instance waits for it, and none is started by it");
static const str no_definition = STR_INIT("no definition takes events of this source and type");

static enum status put_letter(struct routing *routing, str reason, struct error *err)
{
    struct letter_row row = { .ns = routing->call->ns, .received_ms = routing->engine->now_ms, .reason = reason,
                              .event = json_encoded(routing->event->event) };
    struct changeset changeset = { .letter_add = &row };
    return transact_rows(routing->engine, &changeset, err);
}

static enum status remove_letter(struct routing *routing, struct error *err)
{
    struct changeset changeset = { .letter_remove = routing->letter->number };
    return transact_rows(routing->engine, &changeset, err);
}

static struct command event_command(const struct routing *routing, const struct match *match)
{
    return (struct command){ .kind = COMMAND_EVENT, .now_ms = routing->engine->now_ms, .data = routing->event->event,
                             .correlation = match->token, .actor = STR("event") };
}

static bool is_lost(const struct routing *routing, enum status status)
{
    return routing->engine->failed != ST_OK || status == ST_STORE || status == ST_FULL;
}

/* An instance that ended meanwhile, by what another one did with the event, takes nothing. */
static enum status deliver(struct routing *routing, const struct target *target, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    enum status status = transact_load(routing->engine, target->instance, &instance, &definition, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    struct command command = event_command(routing, target->match);
    struct change *change = NULL;
    status = transact_command(routing->engine, definition, instance, &command, &change, err);
    if (status == ST_OK) {
        if (!change) return ST_OK;
        set_taken(routing, target->match);
        note_instance(routing, instance, false);
        return ST_OK;
    }
    if (is_lost(routing, status) || !routing->applied) return status;
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = instance->created_ms, .instance = instance->id }, id);
    set_taken(routing, target->match);
    return put_letter(routing, arena_printf(&routing->engine->arena, "instance %s: %s", id, err->message), err);
}

/* The new instance waits in its first node for the event it was started by. */
static enum status start_by_event(struct routing *routing, struct match *match, struct error *err)
{
    struct engine *engine = routing->engine;
    struct start start = { .ns = match->definition->ns, .definition_id = match->definition->id,
                           .version = match->definition->version, .data = json_empty_object(),
                           .correlation = match->token, .actor = STR("event") };
    struct change *change = NULL;
    struct definition *definition;
    const struct instance *instance;
    enum status status = start_instance(engine, &start, &change, &definition, err);
    if (status == ST_OK) {
        match->taken = routing->started = true;
        note_instance(routing, change->after, true);
        TRY(transact_load(engine, change->instance, &instance, &definition, err));
        struct command command = event_command(routing, match);
        status = transact_command(engine, definition, instance, &command, &change, err);
    }
    if (status == ST_OK || is_lost(routing, status) || !routing->applied) return status;
    return put_letter(routing, arena_printf(&engine->arena, "definition \"%.*s\": %s", STR_ARG(match->definition->id),
                                            err->message), err);
}

static enum status route(struct routing *routing, struct error *err)
{
    struct call_event *event = routing->event;
    for (size_t i = 0; i < routing->target_count; i++) TRY(deliver(routing, &routing->target[i], err));
    for (size_t i = 0; i < routing->match_count; i++) {
        struct match *match = &routing->match[i];
        if (match->latest && !match->taken && core_starts_by_event(match->definition->program, event->event))
            TRY(start_by_event(routing, match, err));
    }
    event->outcome = routing->started ? EVENT_STARTED : routing->applied ? EVENT_DELIVERED : EVENT_UNMATCHED;
    event->first = event->outcome;
    if (routing->letter && event->outcome == EVENT_UNMATCHED) return ST_OK; /* It stays as it is. */
    if (routing->letter) TRY(remove_letter(routing, err));
    else if (event->outcome == EVENT_UNMATCHED)
        TRY(put_letter(routing, routing->match_count ? no_instance : no_definition, err));
    return remember(routing, err);
}

/* ---- the call ---- */

static struct routing begin(struct engine *engine, struct call *call, struct call_event *event)
{
    *event = (struct call_event){ .event = event->event };
    return (struct routing){ .engine = engine, .call = call, .event = event, .source = attribute(event->event, "source"),
                             .type = attribute(event->event, "type"), .id = attribute(event->event, "id") };
}

static enum status find_and_route(struct routing *routing, struct error *err)
{
    TRY(find_targets(routing, err));
    return route(routing, err);
}

/* Fails only with the transaction; an event that is refused says so itself. */
static enum status settle(struct routing *routing, enum status status, struct error *err)
{
    struct engine *engine = routing->engine;
    struct call_event *event = routing->event;
    if (status == ST_OK) return ST_OK;
    if (is_lost(routing, status)) {
        *err = engine->failed != ST_OK ? engine->failure : event->error;
        return transact_failed(engine, err);
    }
    *event = (struct call_event){ .event = event->event, .outcome = EVENT_REFUSED, .first = EVENT_REFUSED,
                                  .error = event->error };
    return ST_OK;
}

static enum status take_event(struct engine *engine, struct call *call, struct call_event *event, struct error *err)
{
    struct routing routing = begin(engine, call, event);
    enum status status = ST_OK;
    if (!routing.source.n || !routing.type.n || !routing.id.n)
        status = fail(&event->error, ST_INVALID, "event", "an event needs a source, a type and an id");
    if (status == ST_OK) status = recall(&routing, &event->error);
    if (status == ST_NOT_FOUND) status = find_and_route(&routing, &event->error);
    return settle(&routing, status, err);
}

static enum status load_letter(struct engine *engine, const struct call *call, struct letter_row *ret_letter,
                               const struct json **ret_event, struct error *err)
{
    enum status status = store_find_letter(engine->store, call->resend, call->arena, ret_letter, err);
    if (status == ST_NOT_FOUND || (status == ST_OK && ret_letter->ns != call->ns))
        return fail(err, ST_NOT_FOUND, "event", "unmatched event %lld not found", (long long)call->resend);
    TRY(status);
    *ret_event = json_decode(ret_letter->event, call->arena);
    return *ret_event ? ST_OK : fail(err, ST_INTERNAL, "event", "the event cannot be read");
}

static enum status resend(struct engine *engine, struct call *call, struct error *err)
{
    struct letter_row letter;
    const struct json *event;
    TRY(load_letter(engine, call, &letter, &event, err));
    struct call_event *taken = arena_make(call->arena, struct call_event);
    taken->event = event;
    struct routing routing = begin(engine, call, taken);
    routing.letter = &letter;
    enum status status = recall(&routing, err);
    /* The letter may outlive the memory. */
    bool somebody_has_it = !str_equal(letter.reason, no_instance) && !str_equal(letter.reason, no_definition);
    if (somebody_has_it || (status == ST_OK && taken->first != EVENT_UNMATCHED))
        return fail(err, ST_CONFLICT, "event", "instances have the event of number %lld already and would have it twice",
                    (long long)call->resend);
    if (status != ST_OK && status != ST_NOT_FOUND) return status;
    *taken = (struct call_event){ .event = event };
    call->event = taken;
    call->event_count = 1;
    return settle(&routing, find_and_route(&routing, &taken->error), err);
}

enum status events_call(struct engine *engine, struct call *call, struct error *err)
{
    if (call->resend) return resend(engine, call, err);
    for (size_t i = 0; i < call->event_count; i++) TRY(take_event(engine, call, &call->event[i], err));
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
