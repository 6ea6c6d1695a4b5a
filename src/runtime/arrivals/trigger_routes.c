/* runtime/arrivals/trigger_routes.c — triggers of the latest versions: published, paused, found and listed.
 * */
#include "runtime/arrivals/arrivals_int.h"

#include "base/log.h"
#include "base/must.h"
#include "program/topic.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum {
    TRIGGER_ROUTES_PAGE = 256,
    BY_ID = 't',   /* Definition, NUL, trigger → all of it. */
    BY_PATH = 'h', /* Path, NUL, method → the same. */
    BY_TOPIC = 'm' /* Definition, NUL, trigger → the same, of MQTT triggers only. */
};

/* ---- keys ---- */

static str key_of(struct arena *arena, char kind, str first, str second)
{
    struct buf key;
    buf_init(&key, arena);
    if (kind) buf_add_char(&key, kind);
    buf_add_str(&key, first);
    buf_add_char(&key, '\0');
    buf_add_str(&key, second);
    return buf_str(&key);
}

/* ---- rows ---- */

static str encode(const struct trigger_route *trigger_route, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    json_add_string(&builder, trigger_route->definition_id);
    json_add_string(&builder, trigger_route->trigger);
    json_add_int(&builder, trigger_route->definition);
    json_add_int(&builder, trigger_route->type);
    json_add_string(&builder, trigger_route->address);
    json_add_string(&builder, trigger_route->broker);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static str text_at(const struct json *array, size_t index, struct arena *arena)
{
    const struct json *value = json_item(array, index);
    return json_is(value, JSON_STRING) ? arena_str(arena, json_string(value)) : STR_NONE;
}

/* False: the bytes are damaged. */
static bool decode(str value, struct arena *arena, struct trigger_route *ret_trigger_route)
{
    const struct json *array = json_decode(value, arena);
    if (!json_is(array, JSON_ARRAY) || json_count(array) < 6) return false;
    int64_t type = json_item_int64(array, 3);
    *ret_trigger_route = (struct trigger_route){ .definition_id = text_at(array, 0, arena),
                                                 .trigger = text_at(array, 1, arena),
                                                 .definition = json_item_int64(array, 2),
                                                 .type = (enum arrival_type)type,
                                                 .address = text_at(array, 4, arena),
                                                 .broker = text_at(array, 5, arena) };
    return type >= 0 && type < ARRIVAL_TYPE_COUNT;
}

enum status trigger_routes_find_pause(struct turn *turn, int32_t ns, struct trigger_route *trigger_route,
                                      struct error *err)
{
    struct record_row row;
    str key = key_of(&turn->arena, 0, trigger_route->definition_id, trigger_route->trigger);
    TRY(found_asked(store_find_record(turn->engine->store, ns, RECORD_PAUSED, key, &turn->arena, &row, err),
                    &trigger_route->paused));
    if (trigger_route->paused) trigger_route->reason = row.value;
    return ST_OK;
}

/* ---- publishing ---- */

/* The records of one trigger. */
static size_t rows_of(const struct trigger_route *trigger_route, str method, str path, int32_t ns,
                      struct arena *arena, struct record_row ret_row[2])
{
    const str value = encode(trigger_route, arena);
    size_t count = 0;
    ret_row[count++] = (struct record_row){ .ns = ns,
                                            .kind = RECORD_ROUTE,
                                            .key = key_of(arena, BY_ID, trigger_route->definition_id,
                                                          trigger_route->trigger),
                                            .value = value };
    if (trigger_route->type == ARRIVAL_HTTP)
        ret_row[count++] = (struct record_row){
            .ns = ns, .kind = RECORD_ROUTE, .key = key_of(arena, BY_PATH, path, method), .value = value
        };
    if (trigger_route->type == ARRIVAL_MQTT)
        ret_row[count++] = (struct record_row){ .ns = ns,
                                                .kind = RECORD_ROUTE,
                                                .key = key_of(arena, BY_TOPIC, trigger_route->definition_id,
                                                              trigger_route->trigger),
                                                .value = value };
    return count;
}

static struct trigger_route trigger_route_of(const struct definition_row *row,
                                             const struct program_arrival *arrival, struct arena *arena)
{
    const struct arrival_terms *terms = &arrival->terms;
    struct trigger_route trigger_route = { .definition_id = row->id,
                                           .trigger = arrival->name,
                                           .definition = row->number,
                                           .type = terms->type,
                                           .broker = terms->broker };
    if (terms->type == ARRIVAL_HTTP)
        trigger_route.address =
            arena_printf(arena, "%.*s %.*s", STR_ARG(terms->method), STR_ARG(terms->path));
    if (terms->type == ARRIVAL_MQTT) trigger_route.address = terms->topic;
    return trigger_route;
}

static enum status check_path(struct turn *turn, const struct definition_row *row,
                              const struct program_arrival *arrival, struct error *err)
{
    const struct arrival_terms *terms = &arrival->terms;
    struct record_row found;
    struct trigger_route trigger_route;
    if (terms->type != ARRIVAL_HTTP) return ST_OK;
    if (arrival_path_is_reserved(terms->path))
        return fail_code(err, ST_INVALID, "INVALID_PATH",
                         "trigger \"%.*s\": the engine's own routes begin like its path %.*s; choose another",
                         STR_ARG(arrival->name), STR_ARG(terms->path));
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, row->ns, RECORD_ROUTE,
                                      key_of(&turn->arena, BY_PATH, terms->path, terms->method), &turn->arena,
                                      &found, err),
                    &is_there));
    if (!is_there) return ST_OK;
    if (!decode(found.value, &turn->arena, &trigger_route) || str_equal(trigger_route.definition_id, row->id))
        return ST_OK;
    return fail_code(err, ST_CONFLICT, "INVALID_PATH",
                     "%.*s %.*s is already the address of trigger \"%.*s\" of definition \"%.*s\"",
                     STR_ARG(terms->method), STR_ARG(terms->path), STR_ARG(trigger_route.trigger),
                     STR_ARG(trigger_route.definition_id));
}

/* The records that the version before has left. */
static enum status find_old(struct turn *turn, const struct definition_row *row, struct record_row **ret_row,
                            size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = row->ns,
                                          .kind = RECORD_ROUTE,
                                          .prefix = key_of(&turn->arena, BY_ID, row->id, STR_NONE),
                                          .max = DEFINITION_STEPS_MAX };
    struct record_row *known, *old;
    size_t known_count, count = 0;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &known, &known_count, err));
    old = arena_make_n(&turn->arena, struct record_row, 2 * known_count);
    for (size_t i = 0; i < known_count; i++) {
        struct trigger_route trigger_route;
        if (!decode(known[i].value, &turn->arena, &trigger_route)) {
            old[count++] = known[i];
            continue;
        }
        size_t space = str_find(trigger_route.address, STR(" "), 0);
        str path = space == SIZE_MAX ? STR_NONE
                                     : str_slice(trigger_route.address, space + 1, trigger_route.address.n);
        count += rows_of(&trigger_route, str_slice(trigger_route.address, 0, space), path, row->ns,
                         &turn->arena, &old[count]);
    }
    must(count <= 2 * known_count);
    *ret_row = old;
    *ret_count = count;
    return ST_OK;
}

enum status trigger_routes_check(struct turn *turn, const struct definition_row *row,
                                 const struct program *program, struct error *err)
{
    const struct program_rules *rules = program->rules;
    for (size_t i = 0; i < rules->arrival_count; i++) TRY(check_path(turn, row, &rules->arrival[i], err));
    return ST_OK;
}

enum status trigger_routes_deploy(struct turn *turn, const struct definition_row *row,
                                  const struct program *program, struct error *err)
{
    const struct program_rules *rules = program->rules;
    struct record_row *old, *put = arena_make_n(&turn->arena, struct record_row, 2 * rules->arrival_count);
    size_t old_count, count = 0;
    struct definition_row latest;
    TRY(find_old(turn, row, &old, &old_count, err));
    if (!rules->arrival_count && !old_count) return ST_OK;
    for (size_t i = 0; i < rules->arrival_count; i++) {
        const struct program_arrival *arrival = &rules->arrival[i];
        const struct trigger_route trigger_route = trigger_route_of(row, arrival, &turn->arena);
        count += rows_of(&trigger_route, arrival->terms.method, arrival->terms.path, row->ns, &turn->arena,
                         &put[count]);
    }
    TRY(found_needed(store_find_definition(turn->engine->store, row->ns, row->id, VERSION_LATEST,
                                           &turn->arena, &latest, err)));
    if (latest.number != row->number) return ST_OK;
    struct changeset changeset = {
        .record_put = put, .record_put_count = count, .record_remove = old, .record_remove_count = old_count
    };
    TRY(transact_rows(turn, &changeset, err));
    trigger_routes_clear(&turn->engine->memory.trigger_routes);
    return ST_OK;
}

enum status trigger_routes_forget(struct turn *turn, const struct definition_row *row, struct error *err)
{
    struct record_row *old;
    size_t count;
    TRY(find_old(turn, row, &old, &count, err));
    struct changeset changeset = { .record_remove = old, .record_remove_count = count };
    if (count) TRY(transact_rows(turn, &changeset, err));
    turn->moved_trigger_routes = true;
    trigger_routes_clear(&turn->engine->memory.trigger_routes);
    return ST_OK;
}

/* ---- finding ---- */

/* The address of an arrival, under which its trigger routes are remembered. */
static str address_of(const struct call_arrive *asked, struct arena *arena)
{
    switch (asked->event.type) {
    case ARRIVAL_HTTP: return key_of(arena, BY_PATH, asked->event.path, asked->event.method);
    case ARRIVAL_MQTT:
        if (!asked->definition_id.n) return key_of(arena, BY_TOPIC, asked->broker, asked->event.topic);
        break;
    default: break;
    }
    return key_of(arena, BY_ID, asked->definition_id, asked->trigger);
}

static struct trigger_route *copy_trigger_route(const struct trigger_route *trigger_route,
                                                struct arena *arena)
{
    struct trigger_route *copy = arena_make(arena, struct trigger_route);
    *copy = *trigger_route;
    copy->definition_id = arena_str(arena, trigger_route->definition_id);
    copy->trigger = arena_str(arena, trigger_route->trigger);
    copy->address = arena_str(arena, trigger_route->address);
    copy->broker = arena_str(arena, trigger_route->broker);
    copy->reason = arena_str(arena, trigger_route->reason);
    return copy;
}

static enum status load_one(struct turn *turn, int32_t ns, str key, struct trigger_route **ret_trigger_route,
                            struct error *err)
{
    struct arena *arena = &turn->engine->memory.trigger_routes.arena;
    struct record_row row;
    struct trigger_route trigger_route;
    *ret_trigger_route = NULL;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, ns, RECORD_ROUTE, key, &turn->arena, &row, err),
                    &is_there));
    if (!is_there) return ST_OK;
    if (!decode(row.value, &turn->arena, &trigger_route))
        return fail(err, ST_INTERNAL, "trigger", "the record of a trigger is damaged");
    TRY(trigger_routes_find_pause(turn, ns, &trigger_route, err));
    *ret_trigger_route = copy_trigger_route(&trigger_route, arena);
    return ST_OK;
}

/* Every trigger whose filter selects the topic, in order of definition and trigger. */
static enum status load_topic(struct turn *turn, int32_t ns, const struct call_arrive *asked,
                              struct trigger_route **ret_first, struct error *err)
{
    struct arena *arena = &turn->engine->memory.trigger_routes.arena;
    struct trigger_route **last = ret_first;
    struct record_filter filter = { .ns = ns,
                                    .kind = RECORD_ROUTE,
                                    .prefix = { (const char[]){ BY_TOPIC }, 1 },
                                    .max = TRIGGER_ROUTES_PAGE };
    *ret_first = NULL;
    for (size_t count = TRIGGER_ROUTES_PAGE; count == TRIGGER_ROUTES_PAGE;) {
        struct record_row *row;
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            struct trigger_route trigger_route;
            filter.after = row[i].key;
            if (!decode(row[i].value, &turn->arena, &trigger_route)) continue;
            if (asked->broker.n && !str_equal(asked->broker, trigger_route.broker)) continue;
            if (!topic_matches(topic_filter_proper(trigger_route.address), asked->event.topic)) continue;
            TRY(trigger_routes_find_pause(turn, ns, &trigger_route, err));
            *last = copy_trigger_route(&trigger_route, arena);
            last = &(*last)->next;
        }
    }
    return ST_OK;
}

/* May a caller learn that the trigger is there? */
static enum status is_open_about(struct turn *turn, const struct record_row *row, bool *ret_is,
                                 struct error *err)
{
    struct definition *definition;
    struct trigger_route trigger_route;
    *ret_is = false;
    if (!decode(row->value, &turn->arena, &trigger_route)) return ST_OK;
    TRY(found_intact(
        catalogue_get(&turn->engine->memory.catalogue, trigger_route.definition, &definition, err), ret_is));
    if (!*ret_is) return ST_OK;
    uint32_t index = program_find_arrival(definition->program, trigger_route.trigger);
    *ret_is = index != ARRIVAL_NONE && !definition->program->rules->arrival[index].terms.opaque;
    return ST_OK;
}

/* Stores of versions that reserved no paths have no other tenant. */
enum status trigger_routes_open(struct engine *engine, struct error *err)
{
    struct record_filter filter = { .ns = TENANT_DEFAULT,
                                    .kind = RECORD_ROUTE,
                                    .prefix = { (const char[]){ BY_PATH }, 1 },
                                    .max = TRIGGER_ROUTES_PAGE };
    struct arena *arena = &engine->turn.arena;
    for (size_t count = TRIGGER_ROUTES_PAGE; count == TRIGGER_ROUTES_PAGE;) {
        struct record_row *row;
        TRY(store_records(engine->store, &filter, arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            struct trigger_route trigger_route;
            str path = str_slice(row[i].key, 1, str_find(row[i].key, (str){ "", 1 }, 0));
            filter.after = row[i].key;
            if (!arrival_path_is_reserved(path) || !decode(row[i].value, arena, &trigger_route)) continue;
            log_write(LOG_WARN, "a webhook is not served, because routes of the engine begin like its path",
                      "definition", arena_printf(arena, "%.*s", STR_ARG(trigger_route.definition_id)).p,
                      "path", arena_printf(arena, "%.*s", STR_ARG(path)).p, NULL);
        }
    }
    return ST_OK;
}

/* The methods that the path has triggers for, apart from those whose answers tell nothing: "GET, POST". */
static enum status find_allowed(struct turn *turn, int32_t ns, str path, str *ret_allow, struct error *err)
{
    const struct record_filter filter = { .ns = ns,
                                          .kind = RECORD_ROUTE,
                                          .prefix = key_of(&turn->arena, BY_PATH, path, STR_NONE),
                                          .max = TRIGGER_ROUTES_PAGE };
    struct record_row *row;
    size_t count;
    struct buf allow;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    buf_init(&allow, &turn->arena);
    for (size_t i = 0; i < count; i++) {
        bool is_open;
        TRY(is_open_about(turn, &row[i], &is_open, err));
        if (!is_open) continue;
        if (allow.n) buf_add_str(&allow, STR(", "));
        buf_add_str(&allow, str_slice(row[i].key, filter.prefix.n, row[i].key.n));
    }
    *ret_allow = buf_str(&allow);
    return ST_OK;
}

const struct trigger_route *trigger_routes_peek(struct turn *turn, int32_t ns,
                                                const struct call_arrive *asked)
{
    return text_map_get(&turn->engine->memory.trigger_routes.found,
                        tenant_key(ns, address_of(asked, &turn->arena), &turn->arena));
}

enum status trigger_routes_find(struct turn *turn, int32_t ns, const struct call_arrive *asked,
                                const struct trigger_route **ret_first, str *ret_allow, struct error *err)
{
    must(turn->engine->memory.trigger_routes.found_count == turn->engine->memory.trigger_routes.found.count);
    struct trigger_routes *trigger_routes = &turn->engine->memory.trigger_routes;
    str address = address_of(asked, &turn->arena), key = tenant_key(ns, address, &turn->arena);
    struct trigger_route *first = text_map_get(&trigger_routes->found, key);
    *ret_allow = STR_NONE;
    *ret_first = first;
    if (first) return ST_OK;
    /* An earlier version may have published one. */
    if (asked->event.type == ARRIVAL_HTTP && arrival_path_is_reserved(asked->event.path)) return ST_OK;
    if (trigger_routes->found_count >= TRIGGER_ROUTES_FOUND_MAX) trigger_routes_clear(trigger_routes);
    if (address.p[0] == BY_TOPIC) TRY(load_topic(turn, ns, asked, &first, err));
    else TRY(load_one(turn, ns, address, &first, err));
    if (first) {
        text_map_put(&trigger_routes->found, arena_str(&trigger_routes->arena, key), first);
        trigger_routes->found_count++;
    } else if (asked->event.type == ARRIVAL_HTTP) {
        TRY(find_allowed(turn, ns, asked->event.path, ret_allow, err));
    }
    *ret_first = first;
    return ST_OK;
}

/* ---- pausing and listing ---- */

static const uint64_t *counts_of(const struct trigger_routes *trigger_routes, int32_t ns,
                                 const struct trigger_route *trigger_route, struct arena *arena)
{
    static const uint64_t none[OUTCOME_COUNT];
    const struct trigger_route_count *count =
        text_map_get(&trigger_routes->counts, trigger_routes_count_key(ns, trigger_route->definition_id,
                                                                       trigger_route->trigger, arena));
    return count ? count->count : none;
}

/* If the store reads other rows and not this one, the definition is damaged: that does not pass. */
static enum status find_definition(struct turn *turn, int32_t ns, const struct trigger_route *trigger_route,
                                   struct definition **ret_definition, struct error *err)
{
    struct trigger_route other = *trigger_route;
    enum status status = found_needed(
        catalogue_get(&turn->engine->memory.catalogue, trigger_route->definition, ret_definition, err));
    if (status != ST_STORE || trigger_routes_find_pause(turn, ns, &other, err) != ST_OK) return status;
    status = found_needed(
        catalogue_get(&turn->engine->memory.catalogue, trigger_route->definition, ret_definition, err));
    return status == ST_STORE ? ST_INTERNAL : status;
}

/* The view has no configuration if the definition is damaged or does not compile any more. If the definition
 * cannot be read now, the view fails: the MQTT client would take a trigger without a configuration for one
 * that is gone, and unsubscribe. */
static enum status view_trigger_route(struct turn *turn, int32_t ns,
                                      const struct trigger_route *trigger_route, struct arena *arena,
                                      struct trigger_view *ret_view, struct error *err)
{
    struct definition *definition;
    *ret_view = (struct trigger_view){ .ns = ns,
                                       .definition_id = arena_str(arena, trigger_route->definition_id),
                                       .trigger = arena_str(arena, trigger_route->trigger),
                                       .type = trigger_route->type,
                                       .address = arena_str(arena, trigger_route->address),
                                       .paused = trigger_route->paused,
                                       .reason = arena_str(arena, trigger_route->reason) };
    memcpy(ret_view->count, counts_of(&turn->engine->memory.trigger_routes, ns, trigger_route, &turn->arena),
           sizeof ret_view->count);
    enum status status = find_definition(turn, ns, trigger_route, &definition, err);
    if (status != ST_OK) return status_retry(status) ? status : ST_OK;
    ret_view->version = definition->version;
    ret_view->definition_title = arena_str(arena, definition->program->title);
    const struct scheduled *scheduled =
        schedules_find(&turn->engine->memory.schedules,
                       tenant_key(ns, trigger_route->definition_id, &turn->arena), trigger_route->trigger);
    if (scheduled && !trigger_route->paused) ret_view->next_ms = scheduled->deadline.at_ms;
    uint32_t index = program_find_arrival(definition->program, trigger_route->trigger);
    if (index == ARRIVAL_NONE) return ST_OK;
    const struct program_arrival *arrival = &definition->program->rules->arrival[index];
    ret_view->label = arena_str(arena, program_label_of_arrival(definition->program, arrival));
    ret_view->config = json_copy(arena, arrival->config);
    return ST_OK;
}

static bool fits(const struct trigger_view *view, str keyword)
{
    return !keyword.n || str_has_part(view->trigger, keyword) || str_has_part(view->label, keyword) ||
           str_has_part(view->address, keyword) || str_has_part(view->definition_id, keyword) ||
           str_has_part(view->definition_title, keyword);
}

enum status trigger_routes_fail_unknown(const struct call_trigger *trigger, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "trigger", "definition \"%.*s\" has no trigger \"%.*s\"",
                STR_ARG(trigger->definition_id), STR_ARG(trigger->trigger));
}

enum status trigger_routes_find_state(struct turn *turn, int32_t ns, str definition_id, str trigger,
                                      struct trigger_state *ret_state, struct error *err)
{
    struct trigger_route route = { .definition_id = definition_id, .trigger = trigger };
    struct record_row row;
    bool is_there;
    str key = key_of(&turn->arena, BY_ID, definition_id, trigger);
    TRY(found_asked(store_find_record(turn->engine->store, ns, RECORD_ROUTE, key, &turn->arena, &row, err),
                    &is_there));
    TRY(trigger_routes_find_pause(turn, ns, &route, err));
    *ret_state = (struct trigger_state){ is_there, route.paused, route.reason };
    return ST_OK;
}

enum status trigger_routes_pause_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_trigger *asked = &call->as.trigger;
    struct trigger_route *trigger_route;
    TRY(load_one(turn, call->ns, key_of(&turn->arena, BY_ID, asked->definition_id, asked->trigger),
                 &trigger_route, err));
    if (!trigger_route) return trigger_routes_fail_unknown(asked, err);
    struct trigger_route changed = *trigger_route;
    changed.paused = asked->paused;
    changed.reason = asked->paused ? asked->reason : STR_NONE;
    call->value.triggers = (struct answer_triggers){ arena_make(call->arena, struct trigger_view), 1, false };
    TRY(view_trigger_route(turn, call->ns, &changed, call->arena, call->value.triggers.view, err));
    const struct record_row row = { .ns = call->ns,
                                    .kind = RECORD_PAUSED,
                                    .key = key_of(&turn->arena, 0, asked->definition_id, asked->trigger),
                                    .value = asked->reason };
    /* The log tells of each pause. */
    const struct record_row gone[] = { { .ns = call->ns,
                                         .kind = RECORD_SEEN,
                                         .key = trigger_routes_seen_key(asked->definition_id, asked->trigger,
                                                                        'l', TRIGGER_ROUTES_PAUSE_TOLD,
                                                                        &turn->arena) },
                                       row };
    struct changeset changeset = { .record_put = &row,
                                   .record_put_count = asked->paused,
                                   .record_remove = gone,
                                   .record_remove_count = asked->paused ? 1 : 2 };
    TRY(transact_rows(turn, &changeset, err));
    live_note(&turn->engine->memory.live, call->ns, LIVE_TRIGGERS, asked->definition_id);
    turn->moved_trigger_routes = true;
    trigger_routes_clear(&turn->engine->memory.trigger_routes);
    return ST_OK;
}

/* A page of the triggers of one tenant. The cursor goes to the last one that was looked at. */
static void list_tenant(struct turn *turn, struct call *call, int32_t ns)
{
    const struct sight sight = sight_of(call);
    struct call_triggers *asked = &call->as.triggers;
    size_t max = asked->max && asked->max < TRIGGER_ROUTES_PAGE ? asked->max : TRIGGER_ROUTES_PAGE;
    const struct record_filter filter = {
        .ns = ns,
        .kind = RECORD_ROUTE,
        .prefix = asked->definition_id.n ? key_of(&turn->arena, BY_ID, asked->definition_id, STR_NONE)
                                         : (str){ (const char[]){ BY_ID }, 1 },
        .after = asked->after,
        .max = max
    };
    struct record_row *row;
    size_t count;
    call->status = store_records(turn->engine->store, &filter, &turn->arena, &row, &count, &call->error);
    if (call->status != ST_OK) return;
    struct answer_triggers *answer = &call->value.triggers;
    *answer =
        (struct answer_triggers){ arena_make_n(call->arena, struct trigger_view, count), 0, count == max };
    for (size_t i = 0; i < count; i++) {
        struct trigger_route trigger_route;
        /* To view one may mean to compile a large definition. The caller goes on behind the last one. */
        if (answer->count && slice_is_over(turn)) {
            answer->more = true;
            return;
        }
        asked->after = arena_str(call->arena, row[i].key);
        if (!decode(row[i].value, &turn->arena, &trigger_route)) continue;
        if (asked->of_type && trigger_route.type != asked->type) continue;
        struct trigger_view *view = &answer->view[answer->count];
        call->status = trigger_routes_find_pause(turn, ns, &trigger_route, &call->error);
        if (call->status == ST_OK)
            call->status = view_trigger_route(turn, ns, &trigger_route, call->arena, view, &call->error);
        if (call->status != ST_OK) return;
        answer->count += sight_has(&sight, view->definition_id) && fits(view, asked->keyword);
    }
}

/* The engine's own lists go through all tenants, one with each page: the cursor names the tenant. */
static void list_all(struct turn *turn, struct call *call)
{
    struct call_triggers *asked = &call->as.triggers;
    int32_t ns, next = 0;
    asked->after = tenant_name(asked->after, &ns);
    list_tenant(turn, call, ns);
    if (call->status != ST_OK) return;
    asked->after = tenant_key(ns, asked->after, call->arena);
    if (call->value.triggers.more) return;
    call->status = store_next_tenant(turn->engine->store, ns, &next, &call->error);
    if (call->status != ST_OK || !next) return;
    call->value.triggers.more = true;
    asked->after = tenant_key(next, STR_NONE, call->arena);
}

void trigger_routes_list(struct turn *turn, struct call *call)
{
    if (call->ns == TENANT_ANY) list_all(turn, call);
    else list_tenant(turn, call, call->ns);
}
