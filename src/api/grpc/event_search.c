/* api/grpc/event_search.c — entitySearch and entitySearchCollection: entities are read. */
#include "api/grpc/event_call_int.h"

#include "api/entity/entity_int.h"
#include "json/put.h"
#include "runtime/entities/entities.h"

/* ---- one entity ---- */

static enum status read_moment(const struct event_call *event, struct call_entity *asked, struct error *err)
{
    bool has_time;
    asked->token = event_call_token(event);
    TRY(event_read_time(event->envelope.data, STR("pointInTime"), &asked->at_ms, &has_time, err));
    TRY(event_read_transaction(event, &asked->transaction, err));
    asked->is_past = has_time || asked->transaction.n;
    return entity_check_moment(asked, has_time, err);
}

static enum status ask_get(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_entity asked = { 0 };
    TRY(event_read_id(json_get(data, STR("entityId")), &asked.id, err));
    TRY(read_moment(event, &asked, err));
    if (asked.token.n)
        return event_call_submit(event, call_get_joined(event_call_origin(event), &asked), err);
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
    TRY(event_read_time(data, STR("pointInTime"), &asked.at_ms, &asked.is_past, err));
    asked.max = (size_t)size;
    asked.skip = (size_t)(page * size);
    return event_call_submit(event, call_list_entities(event_call_origin(event), &asked), err);
}

static enum status ask_changes(struct event_call *event, struct error *err)
{
    struct call_entity asked = { .max = ENTITY_CHANGES_MAX };
    TRY(event_read_id(json_get(event->envelope.data, STR("entityId")), &asked.id, err));
    TRY(read_moment(event, &asked, err));
    return event_call_submit(event, call_list_changes(event_call_origin(event), &asked), err);
}

/* {path, source: DATA | META, desc}, as REST writes it. */
static enum status read_key(const struct json *key, bool is_first, struct buf *sort, struct error *err)
{
    const struct json *desc = json_get(key, STR("desc"));
    str path, source;
    TRY(event_read_text(key, STR("path"), &path, err));
    TRY(event_read_text(key, STR("source"), &source, err));
    if (!path.n || str_find(path, STR(","), 0) != SIZE_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "orderBy is a list of paths");
    bool is_meta = str_equal_ignoring_case(source, STR("META"));
    if (source.n && !is_meta && !str_equal_ignoring_case(source, STR("DATA")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "source is DATA or META");
    if (desc && !json_is(desc, JSON_NULL) && !json_is(desc, JSON_BOOL))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "desc is true or false");
    buf_printf(sort, "%s%s%.*s%s", is_first ? "" : ",", is_meta ? "@" : "", STR_ARG(path),
               json_is(desc, JSON_BOOL) && json_bool(desc) ? ":desc" : "");
    return ST_OK;
}

static enum status read_order(const struct json *data, struct arena *arena, str *ret_sort, struct error *err)
{
    const struct json *order = json_get(data, STR("orderBy"));
    struct buf sort;
    buf_init(&sort, arena);
    if (order && !json_is(order, JSON_NULL) && !json_is(order, JSON_ARRAY))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "orderBy is a list of paths");
    for (size_t i = 0; i < json_count(order); i++) TRY(read_key(json_item(order, i), i == 0, &sort, err));
    *ret_sort = buf_str(&sort);
    return ST_OK;
}

static enum status ask_search(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_search asked = { .condition = json_get(data, STR("condition")),
                                 .token = event_call_token(event) };
    int64_t limit;
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    TRY(event_read_number(data, STR("limit"), 1, SEARCH_HITS_MAX, SEARCH_HITS_DEFAULT, &limit, err));
    TRY(event_read_time(data, STR("pointInTime"), &asked.at_ms, &asked.is_past, err));
    TRY(entity_check_now(asked.token, asked.is_past, err));
    TRY(read_order(data, event->arena, &asked.sort, err));
    if (!asked.condition) return fail_code(err, ST_INVALID, "BAD_REQUEST", "condition is missing");
    asked.limit = (size_t)limit;
    return event_call_submit(event, call_search(event_call_origin(event), &asked), err);
}

/* ---- counts ---- */

/* One model, or all. */
static enum status read_counted(const struct json *data, struct call_counts *asked, struct error *err)
{
    const struct json *model = json_get(data, STR("model"));
    TRY(event_read_time(data, STR("pointInTime"), &asked->at_ms, &asked->is_past, err));
    if (!model || json_is(model, JSON_NULL)) return ST_OK;
    return event_read_model(model, &asked->model, &asked->version, err);
}

static enum status ask_counts(struct event_call *event, struct error *err)
{
    struct call_counts asked = { .by_state = false };
    TRY(read_counted(event->envelope.data, &asked, err));
    return event_call_submit(event, call_count_entities(event_call_origin(event), &asked), err);
}

static enum status ask_state_counts(struct event_call *event, struct error *err)
{
    const struct json *states = json_get(event->envelope.data, STR("states"));
    struct call_counts asked = { .by_state = true };
    size_t count = json_count(states);
    TRY(read_counted(event->envelope.data, &asked, err));
    if (states && !json_is(states, JSON_NULL) && !json_is(states, JSON_ARRAY))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "states is a list of texts");
    if (count > ENTITY_STATES_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "at most %d states may be named", ENTITY_STATES_MAX);
    str *state = arena_make_n(event->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        if (!json_is(json_item(states, i), JSON_STRING))
            return fail_code(err, ST_INVALID, "BAD_REQUEST", "states is a list of texts");
        state[i] = json_string(json_item(states, i));
    }
    asked.state = state;
    asked.state_count = count;
    return event_call_submit(event, call_count_entities(event_call_origin(event), &asked), err);
}

static void put_count_of(struct buf *out, const struct entity_count *count)
{
    PUT(out, ",\"modelName\":");
    put_text(out, count->model);
    PUT(out, ",\"modelVersion\":");
    put_int(out, count->version);
    PUT(out, ",\"count\":");
    put_int(out, count->count);
}

/* A model without entities has a count, too. */
static bool put_count(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_counts *answer = &call->value.counts;
    const struct entity_count none = { .model = call->as.counts.model, .version = call->as.counts.version };
    if (!answer->count && !i && none.model.n) put_count_of(out, &none);
    else if (i >= answer->count) return false;
    else put_count_of(out, &answer->item[i]);
    return true;
}

static bool put_state_count(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_counts *answer = &call->value.counts;
    if (i >= answer->count) return false;
    put_count_of(out, &answer->item[i]);
    PUT(out, ",\"state\":");
    put_text(out, answer->item[i].state);
    return true;
}

/* ---- searches beside others ---- */

static enum status ask_snapshot(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_search_job asked = { .id = entity_transaction(event->arena),
                                     .condition = json_get(data, STR("condition")) };
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    TRY(event_read_time(data, STR("pointInTime"), &asked.at_ms, &asked.is_past, err));
    if (!asked.condition) return fail_code(err, ST_INVALID, "BAD_REQUEST", "condition is missing");
    if (json_depth(asked.condition) > SEARCH_CONDITION_DEPTH_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "the condition is nested too deep");
    return event_call_submit(event, call_begin_search(event_call_origin(event), &asked), err);
}

static enum status read_job(const struct event_call *event, struct call_search_job *ret_asked,
                            struct error *err)
{
    str id;
    TRY(event_read_text(event->envelope.data, STR("snapshotId"), &id, err));
    *ret_asked = entity_search_job(id, event->arena);
    return ST_OK;
}

static enum status ask_snapshot_status(struct event_call *event, struct error *err)
{
    struct call_search_job asked;
    TRY(read_job(event, &asked, err));
    return event_call_submit(event, call_get_search(event_call_origin(event), &asked), err);
}

static enum status ask_snapshot_cancel(struct event_call *event, struct error *err)
{
    struct call_search_job asked;
    TRY(read_job(event, &asked, err));
    return event_call_submit(event, call_cancel_search(event_call_origin(event), &asked), err);
}

static enum status ask_snapshot_page(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_search_job asked;
    int64_t size, page;
    TRY(read_job(event, &asked, err));
    TRY(event_read_number(data, STR("pageSize"), 1, SEARCH_HITS_MAX, SEARCH_HITS_DEFAULT, &size, err));
    TRY(event_read_number(data, STR("pageNumber"), 0, INT32_MAX, 0, &page, err));
    TRY(event_read_time(data, STR("clientPointTime"), &asked.at_ms, &asked.is_past, err));
    asked.pages = true;
    asked.max = (size_t)size;
    asked.skip = (size_t)(page * size);
    return event_call_submit(event, call_get_search(event_call_origin(event), &asked), err);
}

/* ---- answers ---- */

static bool put_snapshot(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_search_job *job = &call->value.search_job;
    if (i) return false;
    PUT(out, ",\"status\":{\"snapshotId\":");
    put_text(out, job->id);
    PUT(out, ",\"status\":");
    put_text(out, str_of(search_state_word(job->state)));
    PUT(out, ",\"entitiesCount\":");
    put_int(out, job->total);
    if (job->reason.n) {
        PUT(out, ",\"failureReason\":");
        put_text(out, job->reason);
    }
    buf_add_char(out, '}');
    return true;
}

static bool put_snapshot_entity(const struct call *call, size_t i, struct buf *out)
{
    if (i >= call->value.search_job.count) return false;
    PUT(out, ",\"payload\":");
    entity_put_as(out, "JSON", &call->value.search_job.view[i]);
    return true;
}

static bool put_found(const struct call *call, size_t i, struct buf *out)
{
    if (i >= call->value.search.count) return false;
    PUT(out, ",\"payload\":");
    entity_put_as(out, "JSON", &call->value.search.view[i]);
    return true;
}

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
    { STR_INIT("EntityGetRequest"), MAY_ENTITIES_READ, "EntityResponse", ask_get, put_entity,
      TAKES_TOKEN | TAKES_PAST, "entityId" },
    { STR_INIT("EntitySnapshotSearchRequest"), MAY_ENTITIES_READ, "EntitySnapshotSearchResponse",
      ask_snapshot, put_snapshot, TAKES_TIME, "model(name version) condition(CONDITION)" },
    { STR_INIT("SnapshotGetStatusRequest"), MAY_ENTITIES_READ, "EntitySnapshotSearchResponse",
      ask_snapshot_status, put_snapshot, 0, "snapshotId" },
    { STR_INIT("SnapshotCancelRequest"), MAY_ENTITIES_READ, "EntitySnapshotSearchResponse",
      ask_snapshot_cancel, put_snapshot, 0, "snapshotId" },
};
const size_t event_search_kind_count = COUNT(event_search_kinds);

const struct event_kind event_list_kinds[] = {
    { STR_INIT("EntityGetAllRequest"), MAY_ENTITIES_READ, "EntityResponse", ask_all, put_entity, TAKES_TIME,
      "model(name version) pageSize pageNumber" },
    { STR_INIT("EntityStatsGetRequest"), MAY_ENTITIES_READ, "EntityStatsResponse", ask_counts, put_count,
      TAKES_TIME, "model(name version)" },
    { STR_INIT("EntityStatsByStateGetRequest"), MAY_ENTITIES_READ, "EntityStatsByStateResponse",
      ask_state_counts, put_state_count, TAKES_TIME, "model(name version) states" },
    { STR_INIT("SnapshotGetRequest"), MAY_ENTITIES_READ, "EntityResponse", ask_snapshot_page,
      put_snapshot_entity, 0, "snapshotId pageSize pageNumber clientPointTime" },
    { STR_INIT("EntitySearchRequest"), MAY_ENTITIES_READ, "EntityResponse", ask_search, put_found,
      TAKES_TOKEN | TAKES_TIME, "model(name version) condition(CONDITION) limit orderBy(path source desc)" },
    { STR_INIT("EntityChangesMetadataGetRequest"), MAY_ENTITIES_READ, "EntityChangesMetadataResponse",
      ask_changes, put_change, TAKES_PAST, "entityId" },
};
const size_t event_list_kind_count = COUNT(event_list_kinds);
