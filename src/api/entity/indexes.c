/* api/entity/indexes.c — indexed fields and unique keys of models. */
#include "api/entity/entity_int.h"

#include "json/put.h"
#include "runtime/transact/transact.h"

/* ---- declared ---- */

/* The list as it was sent: what it replaces is gone. */
static void render_fields(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"fields\":");
    json_print(call->as.model.list, out);
    buf_add_char(out, '}');
}

static void render_keys(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"uniqueKeys\":");
    json_print(call->as.model.list, out);
    buf_add_char(out, '}');
}

static enum status declare(struct api_request *request, enum model_action action, const char *member,
                           render_fn *render, struct error *err)
{
    struct call_model asked = { .action = action };
    const struct json *body;
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(request_body(request, true, &body, err));
    TRY(field_list(body, member, &asked.list, err));
    if (!asked.list) return fail_code(err, ST_INVALID, "BAD_REQUEST", "%s are needed, a list", member);
    return request_submit(request, call_change_model(request_origin(request), &asked), render, err);
}

enum status entity_indexes_set(struct api_request *request, struct error *err)
{
    return declare(request, MODEL_SET_INDEXES, "fields", render_fields, err);
}

enum status entity_keys_set(struct api_request *request, struct error *err)
{
    return declare(request, MODEL_SET_KEYS, "uniqueKeys", render_keys, err);
}

/* ---- shown ---- */

static void render_indexes(const struct call *call, int *ret_http_status, struct buf *out)
{
    static const char *const words[] = {
        [INDEX_READY] = "READY", [INDEX_BUILDING] = "BUILDING", [INDEX_DROPPING] = "DROPPING"
    };
    const struct indexes *indexes = call->value.models.indexes;
    *ret_http_status = 200;
    PUT(out, "{\"indexes\":[");
    for (size_t i = 0; i < indexes->field_count; i++) {
        buf_add_str(out, i ? STR(",{\"field\":") : STR("{\"field\":"));
        put_text(out, indexes->field[i].path);
        PUT(out, ",\"state\":");
        put_text(out, str_of(words[indexes->field[i].state]));
        buf_add_char(out, '}');
    }
    PUT(out, "]}");
}

void entity_put_unique_keys(struct buf *out, const struct indexes *indexes)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < indexes->key_count; i++) {
        buf_add_str(out, i ? STR(",{\"id\":") : STR("{\"id\":"));
        put_text(out, indexes->key[i].id);
        PUT(out, ",\"fields\":[");
        for (size_t k = 0; k < indexes->key[i].count; k++) {
            if (k) buf_add_char(out, ',');
            put_text(out, indexes->key[i].path[k]);
        }
        PUT(out, "]}");
    }
    buf_add_char(out, ']');
}

static void render_unique_keys(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"uniqueKeys\":");
    entity_put_unique_keys(out, call->value.models.indexes);
    buf_add_char(out, '}');
}

static enum status show(struct api_request *request, render_fn *render, struct error *err)
{
    struct call_model asked = { 0 };
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    return request_submit(request, call_get_indexes(request_origin(request), &asked), render, err);
}

enum status entity_indexes_get(struct api_request *request, struct error *err)
{
    return show(request, render_indexes, err);
}

enum status entity_keys_get(struct api_request *request, struct error *err)
{
    return show(request, render_unique_keys, err);
}
