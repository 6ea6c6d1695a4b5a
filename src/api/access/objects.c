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

/* A command for many, or a count of many, is for one definition if the caller may see some only. */
static enum status check_bulk(const struct caller *caller, const struct bulk_request *request,
                              struct error *err)
{
    str id = request->filter.definition_id;
    if (request->action == BULK_UNDO) return ST_OK; /* It names a bulk, which the engine looks for. */
    if (principal_may_all(caller->principal, caller->tenant, caller->needs)) return ST_OK;
    return id.n ? caller_check(caller, id, err)
                : principal_refuse(caller->principal, caller->needs, STR("*"), err);
}

/* The object of a call that names one definition or model; empty: it names none. */
static str named_object(const struct call *call)
{
    switch (call->kind) {
    case CALL_START: return call->as.start.definition_id;
    case CALL_RETIRE:
    case CALL_GET_DEFINITION:
    case CALL_GET_SUMMARY: return call->as.definition.id;
    case CALL_DELETE_DEFINITION: return call->as.deletion.id;
    case CALL_LIST_VERSIONS: return call->as.versions.id;
    case CALL_RESTORE: return call->as.restore.id;
    case CALL_COMPARE: return call->as.compare.id;
    case CALL_PICTURE: return call->as.picture.id;
    case CALL_TICKS: return call->as.ticks.definition_id;
    case CALL_PAUSE_TRIGGER: return call->as.trigger.definition_id;
    case CALL_ARRIVE: return call->as.arrive.definition_id;
    case CALL_SAVE_DRAFT:
    case CALL_REMOVE_DRAFT:
    case CALL_GET_DRAFT: return call->as.draft.id;
    case CALL_SET_SECRET:
    case CALL_TEST_CONNECTION:
    case CALL_REMOVE_SECRET: return call->as.secret.name;
    case CALL_CHANGE_MODEL:
    case CALL_GET_INDEXES:
    case CALL_GET_MODEL: return call->as.model.name;
    case CALL_LIST_ENTITIES: return call->as.entity_list.model;
    case CALL_SEARCH: return call->as.search.name;
    case CALL_BEGIN_SEARCH: return call->as.search_job.name;
    case CALL_COUNT_ENTITIES: return call->as.counts.model;
    case CALL_GROUP_ENTITIES: return call->as.groups.model;
    case CALL_REMOVE_ENTITIES: return call->as.removal.model;
    default: return STR_NONE;
    }
}

enum status objects_check(const struct call *call, struct error *err)
{
    const struct caller *caller = call->caller;
    if (!caller || !caller->principal || caller->may_all) return ST_OK;
    if (caller->needs == MAY_NONE || caller->needs == MAY_OPEN || caller->needs == MAY_DATA) return ST_OK;
    switch (call->kind) {
    case CALL_POLL_JOBS: return check_types(caller, &call->as.poll, err);
    case CALL_BATCH: return check_types(caller, &call->as.batch.poll, err);
    case CALL_EVENTS: return check_events(caller, &call->as.events, err);
    case CALL_WRITE_ENTITIES: return check_models(caller, &call->as.entities, err);
    case CALL_BULK:
    case CALL_REASONS: return check_bulk(caller, call->as.bulk.request, err);
    default: break;
    }
    str object = named_object(call);
    return object.n ? caller_check(caller, object, err) : ST_OK;
}
