/* api/grpc/event_search.c — entitySearch and entitySearchCollection: entities are read. */
#include "api/grpc/event_call_int.h"

#include "api/entity/entity_int.h"
#include "json/put.h"

/* ---- one entity ---- */

static enum status ask_get(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_entity asked = { .transaction = event_text(data, STR("transactionId")) };
    bool has_time;
    TRY(event_read_id(json_get(data, STR("entityId")), &asked.id, err));
    TRY(event_read_time(data, STR("pointInTime"), &asked.at_ms, &has_time, err));
    if (has_time && asked.transaction.n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "an entity is read at a pointInTime or after a transactionId, not both");
    asked.is_past = has_time || asked.transaction.n;
    return event_call_submit(event, call_get_entity(event_call_origin(event), &asked), err);
}

/* ---- several ---- */

static enum status ask_all(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_entity_list asked = { 0 };
    int64_t size, page;
    TRY(event_read_model(json_get(data, STR("model")), &asked.model, &asked.version, err));
    TRY(event_read_number(data, STR("pageSize"), 1, ENTITY_PAGE_MAX, ENTITY_PAGE_DEFAULT, &size, err));
    TRY(event_read_number(data, STR("pageNumber"), 0, INT32_MAX, 0, &page, err));
    asked.max = (size_t)size;
    asked.skip = (size_t)(page * size);
    return event_call_submit(event, call_list_entities(event_call_origin(event), &asked), err);
}

static enum status ask_changes(struct event_call *event, struct error *err)
{
    struct call_entity asked = { .max = ENTITY_CHANGES_MAX };
    TRY(event_read_id(json_get(event->envelope.data, STR("entityId")), &asked.id, err));
    return event_call_submit(event, call_list_changes(event_call_origin(event), &asked), err);
}

/* ---- answers ---- */

static bool put_entity(const struct call *call, size_t i, struct buf *out)
{
    if (i >= call->value.entities.count) return false;
    PUT(out, ",\"payload\":");
    entity_put_as(out, "JSON", &call->value.entities.view[i]);
    return true;
}

static bool put_change(const struct call *call, size_t i, struct buf *out)
{
    if (i >= call->value.changes.count) return false;
    PUT(out, ",\"changeMeta\":");
    entity_put_change(out, &call->value.changes.change[i]);
    return true;
}

const struct event_kind event_search_kinds[] = {
    { STR_INIT("EntityGetRequest"), "EntityResponse", ask_get, put_entity },
};
const size_t event_search_kind_count = COUNT(event_search_kinds);

const struct event_kind event_list_kinds[] = {
    { STR_INIT("EntityGetAllRequest"), "EntityResponse", ask_all, put_entity },
    { STR_INIT("EntityChangesMetadataGetRequest"), "EntityChangesMetadataResponse", ask_changes, put_change },
};
const size_t event_list_kind_count = COUNT(event_list_kinds);
