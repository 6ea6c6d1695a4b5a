/* runtime/definitions/retire.c — a definition of which nothing starts any more.
 *
 * The row of the latest version says so. A version that is published later, also one that restores another,
 * is in use: so the way back is to publish. Instances go on, and arrivals still reach them; so trigger routes
 * stay, and what would start is refused (transact/starts.c). Schedules only start, so they end.
 */
#include "runtime/definitions/definitions_int.h"

#include "runtime/arrivals/arrivals.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum status retire_latest(struct turn *turn, const struct definition_row *row, struct error *err)
{
    struct memory *memory = &turn->engine->memory;
    str key = tenant_key(row->ns, row->id, &turn->arena);
    int64_t schedules = (int64_t)schedules_count_of(&memory->schedules, key);
    TRY(transact_rows(turn, &(struct changeset){ .definition_retire = row }, err));
    turn->deployed = true;
    if (ticks_deploy(turn, row, NULL, err) != ST_OK) return transact_failed(turn, err);
    usage_add(&memory->usage, row->ns, QUOTA_SCHEDULES, -schedules);
    catalogue_note_retired(&memory->catalogue, row->number, row->retired_ms);
    live_note(&memory->live, row->ns, LIVE_DEFINITIONS, row->id);
    live_note(&memory->live, row->ns, LIVE_TRIGGERS, row->id);
    return ST_OK;
}

enum status retire_check_leaving(struct turn *turn, int32_t ns, str id, struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_DELETION,
                                      tenant_key(ns, id, &turn->arena), &turn->arena, &row, err),
                    &is_there));
    if (!is_there) return ST_OK;
    return fail_code(err, ST_CONFLICT, "DEFINITION_DELETING",
                     "definition \"%.*s\" is being deleted; its id is free when it is gone", STR_ARG(id));
}

enum status retire_call(struct turn *turn, struct call *call, struct error *err)
{
    str id = call->as.definition.id;
    struct answer_definitions *answer = &call->value.definitions;
    struct definition_row row;
    bool is_there;
    TRY(found_asked(
        store_find_definition(turn->engine->store, call->ns, id, VERSION_LATEST, call->arena, &row, err),
        &is_there));
    if (!is_there) return fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" not found", STR_ARG(id));
    *answer = (struct answer_definitions){ .count = 1, .is_new = !row.retired_ms, .latest = row.version };
    problems_init(&answer->problems, call->arena);
    if (answer->is_new) {
        row.retired_ms = turn->now_ms;
        TRY(retire_latest(turn, &row, err));
    }
    answer->row = arena_make(call->arena, struct definition_row);
    *answer->row = row;
    answer->row->source = STR_NONE;
    return ST_OK;
}
