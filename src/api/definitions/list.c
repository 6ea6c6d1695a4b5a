/* api/definitions/list.c — definitions of every family, each as a whole. */
#include "api/definitions/definitions_int.h"
#include "api/versions_int.h"
#include "dialect/show/sentences.h"

static void put_counts(struct buf *out, const struct store_counts *counts)
{
    char between = '{';
    PUT(out, ",\"counts\":");
    for (int i = 0; i < SHOW_STATUS_COUNT; i++, between = ',') {
        buf_printf(out, "%c\"%s\":", between, show_status_word((enum show_status)i));
        put_int(out, operate_count(counts, (enum show_status)i));
    }
    buf_add_char(out, '}');
}

static void put_sentence(struct buf *out, str code, str reason)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    PUT(out, ",\"sentence\":");
    put_text(out, show_headline(code, reason, &scratch));
    code = show_code(code, reason, &scratch);
    if (code.n) {
        PUT(out, ",\"reasonCode\":");
        put_text(out, code);
    }
    arena_done(&scratch);
}

static void put_failure(struct buf *out, const struct failure_row *failure, str code)
{
    PUT(out, ",\"lastFailure\":{\"at\":");
    put_time(out, failure->failed_ms);
    PUT(out, ",\"reason\":");
    put_text(out, failure->reason);
    if (failure->reason.n) put_sentence(out, code, failure->reason);
    PUT(out, ",\"nodeId\":");
    put_text(out, failure->step);
    PUT(out, ",\"instanceId\":");
    put_id(out, (struct id){ .ms = failure->created_ms, .instance = failure->instance });
    buf_add_char(out, '}');
}

/* All members of an item, without the closing brace. */
static void put_summary(struct buf *out, const struct summary_view *view)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, view->row.id);
    PUT(out, ",\"name\":");
    put_text(out, view->row.title);
    PUT(out, ",\"dialect\":");
    put_text(out, view->row.dialect);
    PUT(out, ",\"version\":");
    put_int(out, view->row.version);
    PUT(out, ",\"publishedAt\":");
    put_time(out, view->row.created_ms);
    if (view->row.author.n) {
        PUT(out, ",\"publishedBy\":");
        put_text(out, view->row.author);
    }
    versions_put_origin(out, &view->row);
    put_counts(out, &view->counts);
    if (view->has_failure) put_failure(out, &view->failure, view->failure_code);
    PUT(out, ",\"warnings\":");
    put_int(out, (int64_t)view->warnings);
    if (view->first_warning.n) {
        PUT(out, ",\"firstWarning\":");
        put_text(out, view->first_warning);
        PUT(out, ",\"firstWarningCode\":");
        put_text(out, str_of(view->first_warning_code));
    }
    PUT(out, ",\"hasDraft\":");
    put_flag(out, view->has_draft);
    PUT(out, ",\"triggers\":");
    put_int(out, (int64_t)view->triggers);
    PUT(out, ",\"tags\":");
    json_print(view->tags, out);
}

/* ---- the list ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_summaries *answer = &call->value.summaries;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_summary(out, &answer->view[i]);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.summaries.max);
    if (answer->next.n) {
        PUT(out, ",\"nextCursor\":");
        put_text(out, answer->next);
    }
    buf_add_char(out, '}');
}

enum status definitions_list(struct api_request *request, struct error *err)
{
    struct call_summaries asked = { .keyword = query_text(request, STR("keyword")),
                                    .dialect = query_text(request, STR("dialect")),
                                    .after = query_text(request, STR("cursor")) };
    int64_t skip;
    TRY(query_page(request, &skip, &asked.max, err));
    TRY(query_flag(request, STR("warnings"), &asked.with_warnings, err));
    return request_submit(request, call_list_summaries(request_origin(request), &asked), render_list, err);
}

/* ---- one ---- */

static void put_versions(struct buf *out, const struct summary_view *view)
{
    PUT(out, ",\"versions\":[");
    for (size_t i = 0; i < view->version_count; i++) {
        if (i) buf_add_char(out, ',');
        const struct definition_row *row = &view->version[i];
        PUT(out, "{\"version\":");
        put_int(out, row->version);
        PUT(out, ",\"publishedAt\":");
        put_time(out, row->created_ms);
        if (row->author.n) {
            PUT(out, ",\"publishedBy\":");
            put_text(out, row->author);
        }
        versions_put_origin(out, row);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void put_starts(struct buf *out, const struct summary_view *view)
{
    PUT(out, ",\"startable\":");
    put_flag(out, view->is_startable);
    PUT(out, ",\"mayStart\":");
    put_flag(out, view->may_start && !view->row.retired_ms);
    PUT(out, ",\"starts\":[");
    for (size_t i = 0; i < view->start_count; i++) {
        const struct summary_start *start = &view->start[i];
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"trigger\":");
        put_text(out, start->trigger);
        PUT(out, ",\"label\":");
        put_text(out, start->label);
        PUT(out, ",\"type\":");
        put_text(out, str_of(arrival_type_word(start->type)));
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void render_one(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct summary_view *view = call->value.summaries.view;
    *ret_http_status = 200;
    put_summary(out, view);
    put_versions(out, view);
    if (view->input_schema) {
        PUT(out, ",\"inputSchema\":");
        json_print(view->input_schema, out);
    }
    put_starts(out, view);
    buf_add_char(out, '}');
}

enum status definitions_get(struct api_request *request, struct error *err)
{
    struct call_definition asked = { .id = request->param[0] };
    return request_submit(request, call_get_summary(request_origin(request), &asked), render_one, err);
}
