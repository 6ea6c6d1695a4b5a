/* api/v1/history.c — the visits of an instance, each as its dialect shows it. */
#include "api/v1/v1_int.h"

#include "dialect/dialect.h"

enum { LONG_PART = 2 }; /* When all visits have this many times an answer's bytes, the rest is left out. */

/* Acts and the path are those of the whole instance, so pages have none. */
static void put_story(struct buf *out, const struct history_view *history,
                      const struct answer_instances *answer)
{
    const struct dialect *dialect = answer->view->dialect;
    view_put_acts(out, &answer->acts, "stepId", history->bytes_max * LONG_PART);
    if (dialect->put_history_end) dialect->put_history_end(out, history);
}

static void put_next(struct buf *out, const struct answer_instances *answer)
{
    if (answer->next_after) buf_printf(out, ",\"nextCursor\":\"%u\"", answer->next_after);
}

static void render_history(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct dialect *dialect = answer->view->dialect;
    const struct history_view history = {
        .instance = answer->view,
        .visit = answer->execution,
        .visit_count = answer->execution_count,
        .with_attempts = call->as.read.with_attempts,
        .bytes_max = call->answer_max,
    };
    bool cut = answer->cut;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < history.visit_count; i++) {
        /* Visits without data are small, but there can be very many. */
        if (put_is_beyond(out, history.bytes_max * LONG_PART)) {
            cut = true;
            break;
        }
        if (i) buf_add_char(out, ',');
        dialect->put_visit(out, &history, &history.visit[i]);
    }
    buf_add_char(out, ']');
    if (cut) PUT(out, ",\"truncated\":true");
    if (call->as.read.page.max) put_next(out, answer);
    else put_story(out, &history, answer);
    buf_add_char(out, '}');
}

/* pageSize, cursor or order ask for a page. */
static enum status read_page(struct api_request *request, struct history_page *page, struct error *err)
{
    str cursor = query_text(request, STR("cursor")), order = query_text(request, STR("order"));
    int64_t skip, after = 0;
    if (!cursor.n && !order.n && !query_text(request, STR("pageSize")).n) return ST_OK;
    TRY(query_page(request, &skip, &page->max, err));
    if (order.n && !str_equal(order, STR("oldest")) && !str_equal(order, STR("newest")))
        return fail(err, ST_INVALID, "order", "order must be oldest or newest");
    page->newest = str_equal(order, STR("newest"));
    if (cursor.n && (!str_to_int64(cursor, &after) || after < 1 || after > UINT32_MAX))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    page->after = (uint32_t)after;
    return ST_OK;
}

enum status v1_history_get(struct api_request *request, struct error *err)
{
    if (str_find(http_header(request->http, STR("Accept")), STR("text/event-stream"), 0) != SIZE_MAX)
        return v1_events_get(request, err);
    struct call_read asked = { 0 };
    str attempts = query_text(request, STR("attempts"));
    if (attempts.n && !str_equal(attempts, STR("true")) && !str_equal(attempts, STR("false")))
        return fail(err, ST_INVALID, "attempts", "attempts must be true or false");
    asked.with_attempts = str_equal(attempts, STR("true"));
    TRY(read_page(request, &asked.page, err));
    TRY(param_instance(request, &asked.id, err));
    return request_submit(request, call_get_history(request_origin(request), &asked), render_history, err);
}
