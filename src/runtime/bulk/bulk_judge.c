/* runtime/bulk/bulk_judge.c — checks a migration before anything is written: its versions, its mapping, and
 * for a preview each instance. On the query thread.
 *
 * The core decides without writing, so the preview tries the command on each instance and drops the outcome.
 */
#include "runtime/bulk/bulk_int.h"

#include "dialect/nearest.h"
#include "json/json.h"
#include "runtime/memory/memory.h"

/* ---- the request ---- */

static enum status find_version(struct query *query, const struct call *call, int64_t version,
                                const char *where, struct definition **ret_definition, struct error *err)
{
    str id = call->as.bulk.request->filter.definition_id;
    bool is_there;
    TRY(found_asked(catalogue_find(&query->catalogue, call->ns, id, (int32_t)version, ret_definition, err),
                    &is_there));
    if (is_there) return ST_OK;
    return fail(err, ST_NOT_FOUND, where, "definition \"%.*s\" has no version %lld", STR_ARG(id),
                (long long)version);
}

static enum status check_node(const struct program *program, str name, int64_t version, struct arena *arena,
                              struct error *err)
{
    struct nearest nearest;
    if (program_find(program, name) != NODE_NONE) return ST_OK;
    nearest_init(&nearest, name);
    for (uint32_t i = 0; i < program->node_count; i++)
        if (!program->node[i].inner) nearest_offer(&nearest, program->node[i].name);
    const char *hint = nearest_hint(&nearest, arena);
    return fail(err, ST_INVALID, "map", "map: version %lld has no %.*s \"%.*s\"%s%s", (long long)version,
                STR_ARG(program->node_word), STR_ARG(name), hint ? ": " : "", hint ? hint : "");
}

static enum status check_map(const struct call *call, const struct definition *from,
                             const struct definition *to, struct error *err)
{
    struct json_each each = json_each(call->as.bulk.request->map);
    while (json_next(&each)) {
        TRY(check_node(from->program, each.name, from->version, call->arena, err));
        TRY(check_node(to->program, json_string(each.value), to->version, call->arena, err));
    }
    return ST_OK;
}

/* The engine looks once more whether the definition is in use, at each instance. */
static enum status check_versions(struct query *query, struct call *call, struct error *err)
{
    const struct bulk_request *request = call->as.bulk.request;
    struct definition *from, *to;
    struct definition_row latest;
    TRY(find_version(query, call, request->filter.version, "definitionVersion", &from, err));
    TRY(find_version(query, call, request->to, "to", &to, err));
    TRY(check_map(call, from, to, err));
    TRY(found_needed(reader_definition(query->reader, call->ns, request->filter.definition_id, VERSION_LATEST,
                                       call->arena, &latest, err)));
    if (!latest.retired_ms) return ST_OK;
    return fail_code(err, ST_CONFLICT, "DEFINITION_RETIRED",
                     "definition \"%.*s\" is retired: publish a version first",
                     STR_ARG(request->filter.definition_id));
}

/* The migration says which versions the way back leads from and to. */
static enum status check_undo(const struct bulk_request *asked, const struct bulk_request *done,
                              struct error *err)
{
    const struct bulk_filter *filter = &asked->filter;
    if ((filter->definition_id.n && !str_equal(filter->definition_id, done->filter.definition_id)) ||
        (filter->version && filter->version != done->to) || (asked->to && asked->to != done->filter.version))
        return fail(err, ST_INVALID, "bulk",
                    "the migration led \"%.*s\" from version %lld to %d: its undoing cannot lead elsewhere",
                    STR_ARG(done->filter.definition_id), (long long)done->filter.version, done->to);
    return ST_OK;
}

/* The request for the way back: from the version that the migration led to, to the one it came from. */
static enum status undo_request(struct call *call, const struct bulk_request *done, struct error *err)
{
    struct arena *arena = call->arena;
    const struct json *body = call->as.bulk.request->body, *filter = json_get(body, STR("filter"));
    struct bulk_request *made = arena_make(arena, struct bulk_request);
    TRY(check_undo(call->as.bulk.request, done, err));
    if (!filter) filter = json_empty_object();
    filter = json_set(arena, filter, STR("definitionId"), json_of_string(arena, done->filter.definition_id));
    filter = json_set(arena, filter, STR("definitionVersion"), json_of_int(arena, done->to));
    body = json_set(arena, body, STR("filter"), filter);
    body = json_set(arena, body, STR("to"), json_of_int(arena, done->filter.version));
    TRY(bulk_request_read(body, arena, made, err));
    call->as.bulk.request = made;
    return ST_OK;
}

static enum status find_undone(struct query *query, struct call *call, int64_t *ret_undone, struct error *err)
{
    struct bulk_view view;
    struct bulk_request done;
    TRY(bulk_load_view(query, call, call->as.bulk.request->undone, &view, err));
    if (!bulk_changes_version((enum bulk_action)view.row.action))
        return fail(err, ST_CONFLICT, "bulk", "only a migration can be undone, and this bulk is to %s",
                    bulk_action_word((enum bulk_action)view.row.action));
    if (!view.row.ended_ms)
        return fail(err, ST_CONFLICT, "bulk", "the migration is %s: cancel it first, or let it end",
                    bulk_state_word((enum bulk_state)view.row.state));
    if (!view.request) return fail(err, ST_INTERNAL, "bulk", "the request of the migration cannot be read");
    TRY(bulk_request_read(view.request, call->arena, &done, err));
    TRY(undo_request(call, &done, err));
    *ret_undone = view.row.number;
    return ST_OK;
}

enum status bulk_judge_request(struct query *query, struct call *call, int64_t *ret_undone, struct error *err)
{
    if (call->kind != CALL_BULK) return ST_OK;
    if (call->as.bulk.request->action == BULK_MIGRATE) return check_versions(query, call, err);
    if (call->as.bulk.request->action == BULK_UNDO) return find_undone(query, call, ret_undone, err);
    return ST_OK;
}

/* ---- an instance ---- */

static enum bulk_verdict verdict_of(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        struct json_each each =
            json_each(history->entry[i].kind == ENTRY_KIND_MIGRATE ? history->entry[i].renamed : NULL);
        while (json_next(&each))
            if (json_is(each.value, JSON_STRING)) return BULK_MAPPED;
    }
    return BULK_MOVES;
}

enum status bulk_judge(struct query *query, struct call *call, const struct instance_row *row,
                       const struct bulk_target *target, struct arena *arena, enum bulk_verdict *ret_verdict,
                       struct error *ret_why, struct error *err)
{
    const struct bulk_request *request = call->as.bulk.request;
    struct definition *from, *to;
    const struct instance *instance;
    struct outcome outcome;
    bool is_intact;
    *ret_verdict = BULK_CANNOT_MOVE;
    TRY(find_version(query, call, request->to, "to", &to, err));
    TRY(found_intact(catalogue_get(&query->catalogue, row->definition, &from, err), &is_intact));
    if (!is_intact || core_decode(row->state, from->program, arena, &instance, ret_why) != ST_OK) {
        fail(ret_why, ST_INTERNAL, "", "its state cannot be read");
        return ST_OK;
    }
    struct command_migrate migrate = { .from = from->program, .definition = to->number };
    if (bulk_mapping_of(request, target, arena, &migrate, ret_why) != ST_OK) return ST_OK;
    int64_t now_ms = query->clock.now_ms ? clock_now_ms(&query->clock) : row->created_ms;
    struct command command = command_migrate(now_ms, STR_NONE, NULL, migrate);
    arena->budget = arena->used + (size_t)query->limits.step_bytes_max;
    if (core_step(to->program, instance, &command, &query->limits, arena, &outcome, ret_why) == ST_OK)
        *ret_verdict = verdict_of(&outcome.history);
    arena->budget = 0;
    return ST_OK;
}
