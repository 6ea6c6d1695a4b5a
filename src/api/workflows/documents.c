/* api/workflows/documents.c — publishing, checking and reading documents. */
#include "api/missing_int.h"
#include "api/versions_int.h"
#include "api/workflows/workflows_int.h"

#include "dialect/dialect.h"
#include "dialect/graph/node_types.h"
#include "dialect/steps/step_types.h"

static void put_row(struct buf *out, const struct definition_row *row)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, row->id);
    PUT(out, ",\"version\":");
    put_int(out, row->version);
    PUT(out, ",\"name\":");
    put_text(out, row->title);
    PUT(out, ",\"dialect\":");
    put_text(out, row->dialect);
    PUT(out, ",\"publishedAt\":");
    put_time(out, row->created_ms);
    if (row->author.n) {
        PUT(out, ",\"publishedBy\":");
        put_text(out, row->author);
    }
}

void workflows_put_problems(struct buf *out, const struct problems *problems, bool warnings,
                            struct arena *arena)
{
    const struct json *list = problems_json(problems, arena);
    struct json_each each = json_each(list);
    bool first = true;
    buf_add_char(out, '[');
    while (json_next(&each)) {
        bool is_warning = str_equal(json_string(json_get(each.value, STR("severity"))), STR("warning"));
        if (is_warning != warnings) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        json_print(each.value, out);
    }
    buf_add_char(out, ']');
}

/* ---- publishing ---- */

void workflows_render_published(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    *ret_http_status = answer->is_new ? 201 : 200;
    put_row(out, answer->row);
    versions_put_published(out, answer);
    PUT(out, ",\"isNew\":");
    put_flag(out, answer->is_new);
    PUT(out, ",\"warnings\":");
    workflows_put_problems(out, &answer->problems, true, call->arena);
    missing_put(call, out);
    buf_add_char(out, '}');
}

enum status workflows_publish(struct api_request *request, struct error *err)
{
    struct call_deploy asked = { .text = request->http->body, .format = SOURCE_ANY };
    TRY(versions_read_revision(request, &asked.revision, err));
    missing_ask(request, &asked);
    return request_submit(request, call_deploy(request_origin(request), &asked), workflows_render_published,
                          err);
}

static void render_validated(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    *ret_http_status = 200;
    PUT(out, "{\"valid\":");
    put_flag(out, answer->count > 0);
    if (answer->count) {
        PUT(out, ",\"definitionId\":");
        put_text(out, answer->row->id);
        PUT(out, ",\"name\":");
        put_text(out, answer->row->title);
        PUT(out, ",\"dialect\":");
        put_text(out, answer->row->dialect);
    }
    PUT(out, ",\"errors\":");
    workflows_put_problems(out, &answer->problems, false, call->arena);
    PUT(out, ",\"warnings\":");
    workflows_put_problems(out, &answer->problems, true, call->arena);
    missing_put(call, out);
    buf_add_char(out, '}');
}

enum status workflows_validate(struct api_request *request, struct error *err)
{
    struct call_deploy asked = { .text = request->http->body, .format = SOURCE_ANY };
    missing_ask(request, &asked);
    return request_submit(request, call_validate(request_origin(request), &asked), render_validated, err);
}

/* The palette of a builder: what nodes a flow graph may have, and what steps. */
enum status workflows_node_types(struct api_request *request, struct error *err)
{
    struct buf out;
    (void)err;
    buf_init(&out, request->http->arena);
    buf_add_char(&out, '{');
    graph_put_node_types(&out);
    buf_add_char(&out, ',');
    steps_put_types(&out);
    buf_add_char(&out, '}');
    answer(request, 200, STR_NONE, buf_str(&out));
    return ST_OK;
}

/* ---- reading ---- */

static void put_rows(struct buf *out, const struct answer_definitions *answer)
{
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_row(out, &answer->row[i]);
        versions_put_origin(out, &answer->row[i]);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"total\":");
    put_int(out, answer->total);
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_rows(out, &call->value.definitions);
    PUT(out, ",\"page\":");
    put_int(out, call->as.definitions.skip / (int64_t)call->as.definitions.max);
    PUT(out, ",\"pageSize\":");
    put_int(out, (int64_t)call->as.definitions.max);
    buf_add_char(out, '}');
}

enum status workflows_list(struct api_request *request, struct error *err)
{
    struct call_definitions asked = { .keyword = query_text(request, STR("keyword")) };
    TRY(query_page(request, &asked.skip, &asked.max, err));
    return request_submit(request, call_list_definitions(request_origin(request), &asked), render_list, err);
}

static void render_versions(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_definitions *answer = &call->value.definitions;
    *ret_http_status = 200;
    put_rows(out, answer);
    PUT(out, ",\"latestVersion\":");
    put_int(out, answer->latest);
    if (answer->count && answer->row[answer->count - 1].version > 1) {
        PUT(out, ",\"nextBefore\":");
        put_int(out, answer->row[answer->count - 1].version);
    }
    buf_add_char(out, '}');
}

/* Newest first; `before` is the cursor. */
enum status workflows_versions(struct api_request *request, struct error *err)
{
    struct call_versions asked = { .id = request->param[0] };
    int64_t skip, before = 0;
    str text = query_text(request, STR("before"));
    TRY(query_page(request, &skip, &asked.max, err));
    if (text.n && (!str_to_int64(text, &before) || before < 1 || before > INT32_MAX))
        return fail(err, ST_INVALID, "before", "before must be a version's number");
    asked.before = (int32_t)before;
    return request_submit(request, call_list_versions(request_origin(request), &asked), render_versions, err);
}

static void render_document(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct definition_row *row = call->value.definitions.row;
    *ret_http_status = 200;
    put_row(out, row);
    versions_put_origin(out, row);
    PUT(out, ",\"document\":");
    buf_add_str(out, row->source); /* The engine printed it when the document came. */
    buf_add_char(out, '}');
}

static enum status get_version(struct api_request *request, int32_t version, struct error *err)
{
    struct call_definition asked = { .id = request->param[0], .version = version };
    return request_submit(request, call_get_definition(request_origin(request), &asked), render_document,
                          err);
}

enum status workflows_get(struct api_request *request, struct error *err)
{
    return get_version(request, 0, err);
}

enum status workflows_get_version(struct api_request *request, struct error *err)
{
    int64_t version;
    if (!str_to_int64(request->param[1], &version) || version < 1 || version > INT32_MAX)
        return fail(err, ST_NOT_FOUND, "", "workflow \"%.*s\" has no version \"%.*s\"",
                    STR_ARG(request->param[0]), STR_ARG(request->param[1]));
    return get_version(request, (int32_t)version, err);
}
