/* api/v1/jobs_batch.c — a worker's round in one request: results of the last jobs, then the
 * next ones.
 *
 * Every item has the answer that it would have had alone, as its HTTP status. The items are
 * committed together; the poll sees their effects.
 */
#include "api/v1/v1_int.h"

#include "json/json.h"

/* Reads one list of results into the calls behind `item`. */
static enum status read_results(struct api_request *request, const struct json *list, enum call_kind kind,
                                str worker, struct call *item, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct json_each each = json_each(list);
    for (; json_next(&each); item++) {
        struct call_job asked = { .worker = worker };
        str *text = arena_make(arena, str);
        if (!json_is(each.value, JSON_OBJECT))
            return fail(err, ST_INVALID, "", "%s must hold objects",
                        kind == CALL_COMPLETE_JOB ? "complete" : "fail");
        TRY(field_required_text(each.value, "id", SIZE_MAX, text, err));
        if (!id_parse(*text, &asked.id)) asked.id = (struct id){ 0 }; /* No job has that one. */
        enum status status = v1_jobs_read_result(request, kind, each.value, &asked, err);
        bool fails_job = kind == CALL_COMPLETE_JOB && status != ST_OK;
        if (fails_job ? !unread_take(&asked, err, arena) : status != ST_OK) return status;
        call_init_item(item, kind, (struct call_origin){ arena, NULL, text, &request->caller }, &asked);
    }
    return ST_OK;
}

static void put_results(struct buf *out, const struct call *call, enum call_kind kind)
{
    bool first = true;
    for (size_t i = 0; i < call->as.batch.item_count; i++) {
        const struct call *item = &call->as.batch.item[i];
        if (item->kind != kind) continue;
        const str *id = item->user;
        buf_add_str(out, first ? STR("{\"id\":") : STR(",{\"id\":"));
        first = false;
        put_text(out, *id);
        PUT(out, ",\"status\":");
        put_int(out, item->status == ST_OK ? 204 : status_http(item->status));
        if (item->status != ST_OK) {
            PUT(out, ",\"error\":");
            put_text(out, str_of(status_word(item->status)));
            PUT(out, ",\"reason\":");
            put_text(out, str_of(item->error.message));
        }
        buf_add_char(out, '}');
    }
}

static void render_batch(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"completed\":[");
    put_results(out, call, CALL_COMPLETE_JOB);
    PUT(out, "],\"failed\":[");
    put_results(out, call, CALL_FAIL_JOB);
    PUT(out, "],\"jobs\":[");
    for (size_t i = 0; i < call->value.jobs.count; i++) {
        if (i) buf_add_char(out, ',');
        v1_put_job(out, &call->value.jobs.view[i], JOB_FOR_WORKER);
    }
    PUT(out, "]}");
}

enum status v1_jobs_batch(struct api_request *request, struct error *err)
{
    struct call_batch asked = { 0 };
    struct arena *arena = request->http->arena;
    const struct json *body, *complete, *fails, *poll;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "workerId", WORKER_ID_BYTES_MAX, &asked.poll.worker, err));
    TRY(field_list(body, "complete", &complete, err));
    TRY(field_list(body, "fail", &fails, err));
    TRY(field_variables(body, "poll", &poll, err));

    size_t completes = complete ? json_count(complete) : 0;
    size_t failures = fails ? json_count(fails) : 0;
    int64_t max = request->api->config.limits.batch_items_max;
    if (completes + failures > (size_t)max)
        return fail(err, ST_LIMIT, "", "%zu items in one batch; the most is %lld (batch_items_max)",
                    completes + failures, (long long)max);

    asked.item_count = completes + failures;
    asked.item = arena_alloc_apart(arena, asked.item_count, sizeof asked.item[0]);
    if (complete) TRY(read_results(request, complete, CALL_COMPLETE_JOB, asked.poll.worker, asked.item, err));
    if (fails)
        TRY(read_results(request, fails, CALL_FAIL_JOB, asked.poll.worker, asked.item + completes, err));
    if (poll) TRY(v1_jobs_read_poll(request, poll, arena, &asked.poll, err));
    return request_submit(request, call_batch(request_origin(request), &asked), render_batch, err);
}
