/* api/entity/reads.c — entities as they are, one by one and in pages. */
#include "api/entity/entity_int.h"

#include "json/put.h"

/* ---- one entity ---- */

static void put_mark(struct buf *out, const char *name, const struct json *carried, str mark)
{
    buf_printf(out, ",\"%s\":", name);
    put_text(out, json_text(carried, mark));
}

void entity_put_as(struct buf *out, const char *type, const struct entity_view *view)
{
    buf_printf(out, "{\"type\":\"%s\",\"data\":", type);
    json_print(view->data, out);
    PUT(out, ",\"meta\":{\"id\":");
    entity_put_uuid(out, view->id);
    PUT(out, ",\"modelKey\":{\"name\":");
    put_text(out, view->model);
    PUT(out, ",\"version\":");
    put_int(out, view->version);
    buf_add_char(out, '}');
    put_mark(out, "state", view->carried, ENTITY_STATE);
    put_mark(out, "creationDate", view->carried, ENTITY_CREATED);
    put_mark(out, "lastUpdateTime", view->carried, ENTITY_UPDATED);
    put_mark(out, "transactionId", view->carried, ENTITY_TRANSACTION);
    put_mark(out, "transitionForLatestSave", view->carried, ENTITY_TRANSITION);
    PUT(out, "}}");
}

void entity_put(struct buf *out, const struct entity_view *view) { entity_put_as(out, "ENTITY", view); }

static void render_entity(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    entity_put(out, call->value.entities.view);
}

static void render_transitions(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct entity_view *view = call->value.entities.view;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < view->transition_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, view->transition[i]);
    }
    buf_add_char(out, ']');
}

/* Now, at a time or after a transaction; or as the transaction of a processor sees it. */
static enum status read_one(struct api_request *request, struct call_entity *asked, render_fn *render,
                            struct error *err)
{
    TRY(entity_param_id(request, 0, &asked->id, err));
    TRY(entity_param_moment(request, asked, err));
    if (asked->token.n)
        return request_submit(request, call_get_joined(request_origin(request), asked), render, err);
    return request_submit(request, call_get_entity(request_origin(request), asked), render, err);
}

enum status entity_get(struct api_request *request, struct error *err)
{
    struct call_entity asked = { 0 };
    return read_one(request, &asked, render_entity, err);
}

/* The same for clients that name the entity in the query, with its model: "order.1". */
enum status entity_fetch_transitions(struct api_request *request, struct error *err)
{
    struct call_entity asked = { .with_transitions = true };
    str name = query_text(request, STR("entityClass"));
    size_t dot = name.n;
    while (dot > 0 && name.p[dot - 1] != '.') dot--;
    request->param[0] = str_slice(name, 0, dot ? dot - 1 : 0);
    request->param[1] = str_slice(name, dot, name.n);
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    request->param[0] = query_text(request, STR("entityId"));
    return read_one(request, &asked, render_transitions, err);
}

enum status entity_transition_names(struct api_request *request, struct error *err)
{
    struct call_entity asked = { .with_transitions = true };
    return read_one(request, &asked, render_transitions, err);
}

/* ---- changes ---- */

void entity_put_executor(struct buf *out, const struct entity_attribution *by)
{
    if (!by->executor_kind.n) return;
    PUT(out, ",\"executedBy\":{\"id\":");
    put_text(out, by->executor);
    PUT(out, ",\"kind\":");
    put_text(out, by->executor_kind);
    buf_add_char(out, '}');
}

void entity_put_change(struct buf *out, const struct entity_change *change)
{
    static const char *const words[] = {
        [ENTITY_CREATE] = "CREATE", [ENTITY_UPDATE] = "UPDATE", [ENTITY_DELETE] = "DELETE"
    };
    buf_printf(out, "{\"changeType\":\"%s\",\"timeOfChange\":", words[change->kind]);
    put_time(out, change->at_ms);
    PUT(out, ",\"user\":");
    put_text(out, change->by.user);
    PUT(out, ",\"transactionId\":");
    put_text(out, change->transaction);
    if (change->by.kind.n) {
        PUT(out, ",\"attributedKind\":");
        put_text(out, change->by.kind);
    }
    entity_put_executor(out, &change->by);
    buf_add_char(out, '}');
}

static void render_changes(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_changes *answer = &call->value.changes;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        entity_put_change(out, &answer->change[i]);
    }
    buf_add_char(out, ']');
}

enum status entity_changes(struct api_request *request, struct error *err)
{
    struct call_entity asked = { .max = ENTITY_CHANGES_MAX };
    TRY(entity_param_id(request, 0, &asked.id, err));
    TRY(entity_param_moment(request, &asked, err));
    return request_submit(request, call_list_changes(request_origin(request), &asked), render_changes, err);
}

/* ---- pages ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_entities *answer = &call->value.entities;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        entity_put(out, &answer->view[i]);
    }
    buf_add_char(out, ']');
}

/* The id behind which a page begins. The nil UUID is before all others. */
static enum status read_after(struct api_request *request, struct call_entity_list *asked, struct error *err)
{
    static const struct uuid nil;
    str text = query_text(request, STR("after"));
    struct uuid id;
    int64_t created_ms;
    if (!text.n) return ST_OK;
    asked->may_be_short = true;
    if (!uuid_parse(text, &id) || (!uuid_equal(id, nil) && !uuid_instance(id, &created_ms, &asked->after)))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "after is the id of an entity");
    return ST_OK;
}

enum status entity_list(struct api_request *request, struct error *err)
{
    struct call_entity_list asked = { 0 };
    int64_t size, page;
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    TRY(entity_param_number(request, STR("pageSize"), 1, ENTITY_PAGE_MAX, ENTITY_PAGE_DEFAULT, &size, err));
    TRY(entity_param_number(request, STR("pageNumber"), 0, INT32_MAX, 0, &page, err));
    TRY(entity_param_past(request, &asked.is_past, &asked.at_ms, err));
    TRY(read_after(request, &asked, err));
    if (asked.may_be_short && page)
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "a page begins after an entity or has a pageNumber, not both");
    asked.max = (size_t)size;
    asked.skip = (size_t)(page * size);
    return request_submit(request, call_list_entities(request_origin(request), &asked), render_list, err);
}
