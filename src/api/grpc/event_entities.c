/* api/grpc/event_entities.c — entityManage and entityManageCollection: entities are written. */
#include "api/access/person_int.h"
#include "api/grpc/event_call_int.h"

#include "api/entity/entity_int.h"
#include "json/put.h"

/* All of them in one transaction. */
static enum status write(struct event_call *event, struct entity_item *item, size_t count, struct error *err)
{
    const struct call_entities asked = { .item = item,
                                         .count = count,
                                         .transaction = entity_transaction(event->arena),
                                         .actor = person_name(event->grpc->request->caller,
                                                              grpc_metadata(event->grpc, STR("x-actor"))),
                                         .token = event_call_token(event) };
    return event_call_submit(event, call_write_entities(event_call_origin(event), &asked), err);
}

static enum status write_one(struct event_call *event, const struct entity_item *item, struct error *err)
{
    struct entity_item *kept = arena_make(event->arena, struct entity_item);
    *kept = *item;
    return write(event, kept, 1, err);
}

/* {model, data, transition?} */
static enum status read_created(const struct event_call *event, const struct json *payload,
                                struct entity_item *ret_item, struct error *err)
{
    *ret_item = (struct entity_item){ .action = ENTITY_CREATE };
    TRY(event_read_text(payload, STR("transition"), &ret_item->transition, err));
    if (json_get(payload, STR("ifMatch")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "ifMatch: a new entity has no transaction before");
    TRY(event_read_document(event, json_get(payload, STR("data")), "payload.data", &ret_item->data, err));
    return event_read_model(json_get(payload, STR("model")), &ret_item->model, &ret_item->version, err);
}

/* {entityId, data, transition?, ifMatch?} */
static enum status read_updated(const struct event_call *event, const struct json *payload,
                                struct entity_item *ret_item, struct error *err)
{
    *ret_item = (struct entity_item){ .action = ENTITY_UPDATE };
    TRY(event_read_text(payload, STR("transition"), &ret_item->transition, err));
    TRY(event_read_text(payload, STR("ifMatch"), &ret_item->if_match, err));
    TRY(event_read_document(event, json_get(payload, STR("data")), "payload.data", &ret_item->data, err));
    return event_read_id(json_get(payload, STR("entityId")), &ret_item->id, err);
}

static enum status ask_create(struct event_call *event, struct error *err)
{
    struct entity_item item;
    TRY(read_created(event, json_get(event->envelope.data, STR("payload")), &item, err));
    return write_one(event, &item, err);
}

static enum status ask_update(struct event_call *event, struct error *err)
{
    struct entity_item item;
    TRY(read_updated(event, json_get(event->envelope.data, STR("payload")), &item, err));
    return write_one(event, &item, err);
}

/* {entityId, patch, patchFormat?, transition?, ifMatch} */
static enum status ask_patch(struct event_call *event, struct error *err)
{
    const struct json *payload = json_get(event->envelope.data, STR("payload"));
    struct entity_item item = { .action = ENTITY_UPDATE, .is_patch = true };
    str format, match;
    TRY(event_read_text(payload, STR("patchFormat"), &format, err));
    TRY(event_read_text(payload, STR("transition"), &item.transition, err));
    TRY(event_read_text(payload, STR("ifMatch"), &match, err));
    if (!str_equal(match, STR("*"))) item.if_match = match;
    if (str_equal(format, STR("JSON_PATCH")))
        return fail_code(err, ST_UNSUPPORTED, "NOT_IMPLEMENTED", "a patch is a merge patch (RFC 7396)");
    if (format.n && !str_equal(format, STR("MERGE_PATCH")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "payload.patchFormat is MERGE_PATCH, not \"%.*s\"",
                         STR_ARG(str_slice(format, 0, 100)));
    TRY(event_read_id(json_get(payload, STR("entityId")), &item.id, err));
    if (!match.n)
        return fail_code(err, ST_STALE, "PRECONDITION_REQUIRED",
                         "a patch needs payload.ifMatch: the entity's last transaction, or * for any");
    item.data = json_get(payload, STR("patch"));
    if (!json_is(item.data, JSON_OBJECT))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "payload.patch is an object");
    return write_one(event, &item, err);
}

/* Fires a transition; the document stays as it is. */
static enum status ask_transition(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct entity_item item = { .action = ENTITY_UPDATE };
    TRY(event_read_text(data, STR("transition"), &item.transition, err));
    if (!item.transition.n) return fail_code(err, ST_INVALID, "BAD_REQUEST", "transition is missing");
    TRY(event_read_id(json_get(data, STR("entityId")), &item.id, err));
    return write_one(event, &item, err);
}

static enum status ask_delete(struct event_call *event, struct error *err)
{
    struct entity_item item = { .action = ENTITY_DELETE };
    TRY(event_read_id(json_get(event->envelope.data, STR("entityId")), &item.id, err));
    return write_one(event, &item, err);
}

/* ---- collections ---- */

typedef enum status read_item_fn(const struct event_call *event, const struct json *payload,
                                 struct entity_item *ret_item, struct error *err);

/* A list in chunks, each in a transaction of its own. */
struct event_chunks {
    read_item_fn *read;
    struct json_each each; /* The item that comes next is behind it. */
    size_t window, left;
};

static enum status write_chunk(struct event_call *event, struct error *err)
{
    struct event_chunks *chunks = event->chunks;
    size_t count = chunks->left < chunks->window ? chunks->left : chunks->window;
    struct entity_item *item = arena_make_n(event->arena, struct entity_item, count);
    enum status status = ST_OK;
    chunks->left -= count;
    event->chunks_left--;
    for (size_t i = 0; i < count && json_next(&chunks->each); i++)
        if (status == ST_OK) status = chunks->read(event, chunks->each.value, &item[i], err);
    TRY(status);
    return write(event, item, count, err);
}

/* Without a window all of them are one transaction. */
static enum status write_list(struct event_call *event, read_item_fn *read, struct error *err)
{
    const struct json *data = event->envelope.data, *payloads = json_get(data, STR("payloads"));
    const struct json *given = json_get(data, STR("transactionWindow"));
    bool has_window = given && !json_is(given, JSON_NULL);
    size_t count = json_is(payloads, JSON_ARRAY) ? json_count(payloads) : 0;
    size_t most = has_window ? ENTITY_LIST_MAX : ENTITY_WINDOW_MAX;
    int64_t window;
    TRY(event_read_number(data, STR("transactionWindow"), 1, ENTITY_WINDOW_MAX, ENTITY_WINDOW_MAX, &window,
                          err));
    if (!count || count > most)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "payloads is a list of 1 to %zu entities", most);
    struct event_chunks *chunks = arena_make(event->arena, struct event_chunks);
    *chunks = (struct event_chunks){
        .read = read, .each = json_each(payloads), .window = (size_t)window, .left = count
    };
    event->chunks = chunks;
    event->chunks_left = (count + chunks->window - 1) / chunks->window;
    if (has_window) event->submit_chunk = write_chunk;
    return write_chunk(event, err);
}

static enum status ask_create_all(struct event_call *event, struct error *err)
{
    return write_list(event, read_created, err);
}

static enum status ask_update_all(struct event_call *event, struct error *err)
{
    return write_list(event, read_updated, err);
}

static enum status ask_delete_all(struct event_call *event, struct error *err)
{
    struct call_removal asked = { .transaction = entity_transaction(event->arena),
                                  .actor = person_name(event->grpc->request->caller,
                                                       grpc_metadata(event->grpc, STR("x-actor"))),
                                  .token = event_call_token(event) };
    const struct json *data = event->envelope.data, *condition = json_get(data, STR("condition"));
    TRY(event_read_model(json_get(data, STR("model")), &asked.model, &asked.version, err));
    TRY(event_read_time(data, STR("pointInTime"), &asked.at_ms, &asked.is_past, err));
    TRY(entity_check_now(asked.token, asked.is_past, err));
    if (condition && !json_is(condition, JSON_NULL)) asked.condition = condition;
    else if (asked.is_past) asked.condition = entity_condition_any(event->arena);
    return event_call_submit(event, call_remove_entities(event_call_origin(event), &asked), err);
}

/* ---- answers ---- */

static bool put_deleted_all(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_removal *answer = &call->value.removal;
    if (i) return false;
    PUT(out, ",\"entityIds\":[],\"modelId\":");
    entity_put_model_id(out, call->as.removal.model, call->as.removal.version, call->arena);
    PUT(out, ",\"numDeleted\":");
    put_int(out, answer->removed);
    if (!answer->error_count) return true;
    PUT(out, ",\"errorsById\":{");
    for (size_t k = 0; k < answer->error_count; k++) {
        if (k) buf_add_char(out, ',');
        put_text(out, answer->error[k].id);
        buf_add_char(out, ':');
        put_text(out, answer->error[k].message);
    }
    buf_add_char(out, '}');
    return true;
}

static bool put_written(const struct call *call, size_t i, struct buf *out)
{
    const struct call_entities *asked = &call->as.entities;
    if (i) return false;
    PUT(out, ",\"transactionInfo\":{\"transactionId\":");
    put_text(out, asked->transaction);
    PUT(out, ",\"entityIds\":[");
    for (size_t k = 0; k < asked->count; k++) {
        if (k) buf_add_char(out, ',');
        entity_put_uuid(out, asked->item[k].id);
    }
    PUT(out, "]}");
    return true;
}

static bool put_deleted(const struct call *call, size_t i, struct buf *out)
{
    const struct entity_item *item = call->as.entities.item;
    if (i) return false;
    PUT(out, ",\"entityId\":");
    entity_put_uuid(out, item->id);
    PUT(out, ",\"model\":{\"name\":");
    put_text(out, item->model);
    PUT(out, ",\"version\":");
    put_int(out, item->version);
    PUT(out, "},\"transactionId\":");
    put_text(out, call->as.entities.transaction);
    return true;
}

const struct event_kind event_manage_kinds[] = {
    { STR_INIT("EntityCreateRequest"), MAY_ENTITIES_WRITE, "EntityTransactionResponse", ask_create,
      put_written, TAKES_TOKEN, "dataFormat payload(model(name version) data transition)" },
    { STR_INIT("EntityUpdateRequest"), MAY_ENTITIES_WRITE, "EntityTransactionResponse", ask_update,
      put_written, TAKES_TOKEN, "dataFormat payload(entityId data transition ifMatch)" },
    { STR_INIT("EntityPatchRequest"), MAY_ENTITIES_WRITE, "EntityTransactionResponse", ask_patch, put_written,
      TAKES_TOKEN, "payload(entityId patch patchFormat transition ifMatch)" },
    { STR_INIT("EntityTransitionRequest"), MAY_ENTITIES_WRITE, "EntityTransitionResponse", ask_transition,
      event_put_nothing, TAKES_TOKEN, "entityId transition" },
    { STR_INIT("EntityDeleteRequest"), MAY_ENTITIES_WRITE, "EntityDeleteResponse", ask_delete, put_deleted,
      TAKES_TOKEN, "entityId" },
    { STR_INIT("EntityDeleteAllRequest"), MAY_ENTITIES_WRITE, "EntityDeleteAllResponse", ask_delete_all,
      put_deleted_all, TAKES_TOKEN | TAKES_TIME, "model(name version) condition(CONDITION)" },
};
const size_t event_manage_kind_count = COUNT(event_manage_kinds);

const struct event_kind event_collection_kinds[] = {
    { STR_INIT("EntityCreateCollectionRequest"), MAY_ENTITIES_WRITE, "EntityTransactionResponse",
      ask_create_all, put_written, TAKES_TOKEN,
      "dataFormat payloads(model(name version) data transition) transactionWindow" },
    { STR_INIT("EntityUpdateCollectionRequest"), MAY_ENTITIES_WRITE, "EntityTransactionResponse",
      ask_update_all, put_written, TAKES_TOKEN,
      "dataFormat payloads(entityId data transition ifMatch) transactionWindow" },
    { STR_INIT("EntityDeleteAllRequest"), MAY_ENTITIES_WRITE, "EntityDeleteAllResponse", ask_delete_all,
      put_deleted_all, TAKES_TOKEN | TAKES_TIME, "model(name version) condition(CONDITION)" },
};
const size_t event_collection_kind_count = COUNT(event_collection_kinds);
