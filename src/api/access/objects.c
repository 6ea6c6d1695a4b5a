/* api/access/objects.c — a grant or a key may be narrowed to objects: calls that name theirs are checked.
 *
 * Calls about an instance, a job or a document name none: the engine checks those when it has read them.
 */
#include "api/submit_int.h"

#include "json/json.h"

static enum status check_types(const struct caller *caller, const struct call_poll *poll, struct error *err)
{
    for (size_t i = 0; i < poll->type_count; i++) TRY(caller_check(caller, poll->type[i], err));
    return ST_OK;
}

static enum status check_events(const struct caller *caller, const struct call_events *events,
                                struct error *err)
{
    for (size_t i = 0; i < events->event_count; i++)
        TRY(caller_check(caller, json_text(events->event[i].event, STR("type")), err));
    return ST_OK;
}

static enum status check_models(const struct caller *caller, const struct call_entities *entities,
                                struct error *err)
{
    for (size_t i = 0; i < entities->count; i++)
        if (entities->item[i].model.n) TRY(caller_check(caller, entities->item[i].model, err));
    return ST_OK;
}

enum status objects_check(const struct call *call, struct error *err)
{
    const struct caller *caller = call->caller;
    if (!caller || !caller->principal || caller->may_all) return ST_OK;
    if (caller->needs == MAY_NONE || caller->needs == MAY_OPEN || caller->needs == MAY_DATA) return ST_OK;
    switch (call->kind) {
    case CALL_POLL_JOBS: return check_types(caller, &call->as.poll, err);
    case CALL_BATCH: return check_types(caller, &call->as.batch.poll, err);
    case CALL_START: return caller_check(caller, call->as.start.definition_id, err);
    case CALL_SAVE_DRAFT:
    case CALL_REMOVE_DRAFT:
    case CALL_GET_DRAFT: return caller_check(caller, call->as.draft.id, err);
    case CALL_SET_SECRET:
    case CALL_REMOVE_SECRET: return caller_check(caller, call->as.secret.name, err);
    case CALL_EVENTS: return check_events(caller, &call->as.events, err);
    case CALL_CHANGE_MODEL:
    case CALL_GET_MODEL: return caller_check(caller, call->as.model.name, err);
    case CALL_WRITE_ENTITIES: return check_models(caller, &call->as.entities, err);
    case CALL_LIST_ENTITIES: return caller_check(caller, call->as.entity_list.model, err);
    case CALL_SEARCH: return caller_check(caller, call->as.search.name, err);
    default: return ST_OK;
    }
}
