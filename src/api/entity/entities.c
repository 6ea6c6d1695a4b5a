/* api/entity/entities.c — entities: created, changed, deleted. */
#include "api/entity/entity_int.h"

#include "json/put.h"

/* {"transactionId", "entityIds", perhaps "warnings"} */
static void put_written(const struct call *call, struct buf *out)
{
    const struct call_entities *asked = &call->as.entities;
    PUT(out, "{\"transactionId\":");
    put_text(out, asked->transaction);
    PUT(out, ",\"entityIds\":[");
    for (size_t i = 0; i < asked->count; i++) {
        if (i) buf_add_char(out, ',');
        entity_put_uuid(out, asked->item[i].id);
    }
    buf_add_char(out, ']');
    entity_put_warnings(out, asked);
    buf_add_char(out, '}');
}

static void render_created(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    buf_add_char(out, '[');
    put_written(call, out);
    buf_add_char(out, ']');
}

static void render_updated(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_written(call, out);
}

/* The transition that new entities make in their initial state; empty: none is named. */
static enum status read_named(struct api_request *request, str *ret_transition, struct error *err)
{
    *ret_transition = query_text(request, STR("transition"));
    if (http_header(request->http, STR("If-Match")).n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "If-Match: a new entity has no transaction before");
    if (ret_transition->n)
        request->identity = arena_printf(request->http->arena, "transition %.*s", STR_ARG(*ret_transition));
    return field_check_length(*ret_transition, "transition", ENTITY_MODEL_NAME_BYTES_MAX, err);
}

/* One document, or a list of them. */
enum status entity_create(struct api_request *request, struct error *err)
{
    struct call_entities asked = { .transaction = entity_transaction(request->http->arena),
                                   .actor = takes_header(request, TAKES_ACTOR),
                                   .token = entity_token_of(request),
                                   .count = 1 };
    struct entity_item item = { .action = ENTITY_CREATE };
    TRY(entity_param_model(request, 1, &item.model, &item.version, err));
    TRY(read_named(request, &item.transition, err));
    TRY(entity_param_document(request, &item.data, err));
    if (json_is(item.data, JSON_ARRAY)) return entity_create_list(request, &item, item.data, err);
    asked.item = arena_make(request->http->arena, struct entity_item);
    asked.item[0] = item;
    return request_submit(request, call_write_entities(request_origin(request), &asked), render_created, err);
}

static enum status submit_one(struct api_request *request, struct entity_item item, render_fn *render,
                              struct error *err)
{
    struct call_entities asked = { .transaction = entity_transaction(request->http->arena),
                                   .actor = takes_header(request, TAKES_ACTOR),
                                   .token = entity_token_of(request),
                                   .count = 1 };
    asked.item = arena_make(request->http->arena, struct entity_item);
    item.if_match = takes_header(request, TAKES_MATCH);
    if (item.if_match.n >= 2 && item.if_match.p[0] == '"') /* Also as HTTP quotes tags. */
        item.if_match = str_slice(item.if_match, 1, item.if_match.n - 1);
    if (item.is_patch && str_equal(item.if_match, STR("*"))) item.if_match = STR_NONE;
    asked.item[0] = item;
    return request_submit(request, call_write_entities(request_origin(request), &asked), render, err);
}

static enum status write_update(struct api_request *request, str transition, struct error *err)
{
    struct entity_item item = { .action = ENTITY_UPDATE, .transition = transition };
    TRY(entity_param_id(request, 1, &item.id, err));
    TRY(entity_param_document(request, &item.data, err));
    return submit_one(request, item, render_updated, err);
}

enum status entity_update(struct api_request *request, struct error *err)
{
    return write_update(request, STR_NONE, err);
}

enum status entity_fire(struct api_request *request, struct error *err)
{
    return write_update(request, request->param[2], err);
}

static enum status check_patch_type(const struct api_request *request, struct error *err)
{
    str type = request_media_type(request);
    if (str_equal_ignoring_case(type, STR("application/json-patch+json")))
        return fail_code(err, ST_UNSUPPORTED, "NOT_IMPLEMENTED", "a patch is a merge patch (RFC 7396)");
    if (type.n && !str_equal_ignoring_case(type, STR("application/merge-patch+json")) &&
        !str_equal_ignoring_case(type, STR("application/json")))
        return fail_code(err, ST_UNSUPPORTED, "UNSUPPORTED_MEDIA_TYPE",
                         "a patch is application/merge-patch+json or application/json, not %.*s",
                         STR_ARG(type));
    if (!str_equal(request->param[0], STR("JSON")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "a patch is JSON, not \"%.*s\"",
                         STR_ARG(request->param[0]));
    return ST_OK;
}

static enum status write_patch(struct api_request *request, str transition, struct error *err)
{
    struct entity_item item = { .action = ENTITY_UPDATE, .is_patch = true, .transition = transition };
    TRY(check_patch_type(request, err));
    TRY(entity_param_id(request, 1, &item.id, err));
    if (!takes_header(request, TAKES_MATCH).n)
        return fail_code(err, ST_STALE, "PRECONDITION_REQUIRED",
                         "a patch needs If-Match: the entity's last transaction, or * for any");
    TRY(request_body(request, true, &item.data, err));
    return submit_one(request, item, render_updated, err);
}

enum status entity_patch(struct api_request *request, struct error *err)
{
    return write_patch(request, STR_NONE, err);
}

enum status entity_patch_fire(struct api_request *request, struct error *err)
{
    return write_patch(request, request->param[2], err);
}

static void render_removed(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct entity_item *item = &call->as.entities.item[0];
    *ret_http_status = 200;
    PUT(out, "{\"id\":");
    entity_put_uuid(out, item->id);
    PUT(out, ",\"modelKey\":{\"name\":");
    put_text(out, item->model);
    PUT(out, ",\"version\":");
    put_int(out, item->version);
    PUT(out, "},\"transactionId\":");
    put_text(out, call->as.entities.transaction);
    buf_add_char(out, '}');
}

enum status entity_remove(struct api_request *request, struct error *err)
{
    struct entity_item item = { .action = ENTITY_DELETE };
    TRY(entity_param_id(request, 0, &item.id, err));
    return submit_one(request, item, render_removed, err);
}
