/* api/definitions/tools.c — what builders ask about parts of documents: ticks, tables, differences. */
#include "api/definitions/definitions_int.h"
#include "api/limits.h"

/* ---- ticks ---- */

static enum status submit_ticks(struct api_request *request, struct call_ticks *asked, struct error *err)
{
    str text = query_text(request, STR("count"));
    int64_t count = TICKS_DEFAULT;
    if (text.n && (!str_to_int64(text, &count) || count < 1 || count > TICKS_MAX))
        return fail(err, ST_INVALID, "count", "count must be an integer from 1 to %d", TICKS_MAX);
    asked->count = (size_t)count;
    asked->zone = query_text(request, STR("zone"));
    return request_submit(request, call_ticks(request_origin(request), asked), definitions_render_text, err);
}

enum status definitions_ticks(struct api_request *request, struct error *err)
{
    struct call_ticks asked = { .definition_id = request->param[0], .trigger = request->param[1] };
    return submit_ticks(request, &asked, err);
}

enum status definitions_ticks_of(struct api_request *request, struct error *err)
{
    struct call_ticks asked = { 0 };
    TRY(request_body(request, true, &asked.config, err));
    return submit_ticks(request, &asked, err);
}

/* ---- tables ---- */

enum status definitions_tables(struct api_request *request, struct error *err)
{
    struct call_summaries asked = { .keyword = query_text(request, STR("keyword")),
                                    .after = query_text(request, STR("cursor")) };
    int64_t skip;
    TRY(query_page(request, &skip, &asked.max, err));
    return request_submit(request, call_list_tables(request_origin(request), &asked), definitions_render_text,
                          err);
}

enum status definitions_try_table(struct api_request *request, struct error *err)
{
    struct call_table asked = { 0 };
    const struct json *body;
    TRY(request_body(request, true, &body, err));
    TRY(field_variables(body, "table", &asked.table, err));
    TRY(field_list(body, "rows", &asked.rows, err));
    if (!asked.table)
        return fail(err, ST_INVALID, "table", "table is required: a step, or its decisionTable");
    if (!asked.rows) asked.rows = json_empty_array();
    if (json_count(asked.rows) > TRY_ROWS_MAX)
        return fail(err, ST_INVALID, "rows", "at most %d rows can be tried at once", TRY_ROWS_MAX);
    return request_submit(request, call_try_table(request_origin(request), &asked), definitions_render_text,
                          err);
}

/* ---- differences ---- */

static enum status version_of(struct api_request *request, str name, int32_t *ret_version, struct error *err)
{
    int64_t version;
    str text = query_text(request, name);
    if (!str_to_int64(text, &version) || version < 1 || version > INT32_MAX)
        return fail(err, ST_INVALID, name.p, "%.*s must be the number of a version", STR_ARG(name));
    *ret_version = (int32_t)version;
    return ST_OK;
}

enum status definitions_compare(struct api_request *request, struct error *err)
{
    struct call_compare asked = { .id = request->param[0] };
    TRY(version_of(request, STR("from"), &asked.from, err));
    TRY(version_of(request, STR("to"), &asked.to, err));
    return request_submit(request, call_compare(request_origin(request), &asked), definitions_render_text,
                          err);
}
