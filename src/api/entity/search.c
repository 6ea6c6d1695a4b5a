/* api/entity/search.c — searches of entities. */
#include "api/entity/entity_int.h"
#include "runtime/entities/entities.h"

#include "json/put.h"

#include <inttypes.h>

const struct json *entity_condition_any(struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, STR("group"));
    json_add_name(&builder, STR("operator"));
    json_add_string(&builder, STR("AND"));
    json_add_name(&builder, STR("conditions"));
    json_open_array(&builder);
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

/* ---- direct ---- */

static void render_found(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_search *answer = &call->value.search;
    *ret_http_status = 200;
    for (size_t i = 0; i < answer->count; i++) {
        entity_put(out, &answer->view[i]);
        buf_add_char(out, '\n');
    }
}

/* {"scan", "uses", "candidates", "more"} */
static void render_plan(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_search *answer = &call->value.search;
    *ret_http_status = 200;
    PUT(out, "{\"scan\":");
    put_flag(out, answer->plan->scans);
    PUT(out, ",\"uses\":[");
    for (size_t i = 0; i < answer->plan->use_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, answer->plan->use[i]);
    }
    PUT(out, "],\"candidates\":");
    put_int(out, (int64_t)answer->candidates);
    PUT(out, ",\"more\":");
    put_flag(out, answer->candidates >= SEARCH_PAGE_MAX);
    buf_add_char(out, '}');
}

enum status entity_search_direct(struct api_request *request, struct error *err)
{
    struct call_search asked = { .sort = query_text(request, STR("sort")),
                                 .token = entity_token_of(request) };
    int64_t limit;
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(entity_param_number(request, STR("limit"), 1, SEARCH_HITS_MAX, SEARCH_HITS_DEFAULT, &limit, err));
    TRY(query_flag(request, STR("explain"), &asked.explains, err));
    TRY(entity_param_past(request, &asked.is_past, &asked.at_ms, err));
    TRY(entity_check_now(asked.token, asked.is_past, err));
    if (asked.token.n && asked.explains) return takes_fail_token("X-Tx-Token", err);
    TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.condition, err));
    asked.limit = (size_t)limit;
    if (!asked.explains) request->media_type = STR("application/x-ndjson");
    return request_submit(request, call_search(request_origin(request), &asked),
                          asked.explains ? render_plan : render_found, err);
}

/* ---- by pages ---- */

static void render_leaf(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_search *answer = &call->value.search;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        entity_put(out, &answer->view[i]);
    }
    buf_add_char(out, ']');
    if (answer->next) buf_printf(out, ",\"nextCursor\":\"%" PRIu64 "\"", answer->next);
    buf_add_char(out, '}');
}

/* Newest first. Without a body: all entities of the model. */
enum status entity_search_leaf(struct api_request *request, struct error *err)
{
    struct call_search asked = { .pages = true };
    int64_t size, before = 0;
    str cursor = query_text(request, STR("cursor"));
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(entity_param_number(request, STR("pageSize"), 1, SEARCH_LEAF_MAX, SEARCH_LEAF_DEFAULT, &size, err));
    if (cursor.n && (!str_to_int64(cursor, &before) || before < 1))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "cursor is the nextCursor of an earlier page");
    if (request->http->body.n)
        TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.condition, err));
    else asked.condition = entity_condition_any(request->http->arena);
    asked.limit = (size_t)size;
    asked.before = (uint64_t)before;
    return request_submit(request, call_search(request_origin(request), &asked), render_leaf, err);
}

/* ---- async ---- */

static void render_begun(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_text(out, call->value.search_job.id);
}

enum status entity_search_begin(struct api_request *request, struct error *err)
{
    struct call_search_job asked = { .id = entity_transaction(request->http->arena) };
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(entity_param_past(request, &asked.is_past, &asked.at_ms, err));
    TRY(request_json(request, SEARCH_CONDITION_DEPTH_MAX, request->http->arena, &asked.condition, err));
    return request_submit(request, call_begin_search(request_origin(request), &asked), render_begun, err);
}

static void put_word(struct buf *out, enum search_state state)
{
    put_text(out, str_of(search_state_word(state)));
}

static void render_status(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_search_job *job = &call->value.search_job;
    *ret_http_status = 200;
    PUT(out, "{\"searchJobStatus\":");
    put_word(out, job->state);
    PUT(out, ",\"createTime\":");
    put_time(out, job->created_ms);
    PUT(out, ",\"entitiesCount\":");
    put_int(out, job->total);
    PUT(out, ",\"calculationTimeMillis\":");
    put_int(out, job->ended_ms ? job->ended_ms - job->created_ms : 0);
    if (job->ended_ms) {
        PUT(out, ",\"finishTime\":");
        put_time(out, job->ended_ms);
    }
    if (job->reason.n) {
        PUT(out, ",\"failureReason\":");
        put_text(out, job->reason);
    }
    PUT(out, ",\"expirationDate\":");
    put_time(out, job->created_ms + SEARCH_KEPT_MS);
    buf_add_char(out, '}');
}

struct call_search_job entity_search_job(str given, struct arena *arena)
{
    struct uuid id;
    char text[UUID_CHARS + 1];
    if (!uuid_parse(given, &id)) return (struct call_search_job){ .id = STR("?") };
    uuid_print(id, text);
    return (struct call_search_job){ .id = arena_str(arena, str_of(text)) };
}

static struct call_search_job job_of(struct api_request *request)
{
    return entity_search_job(request->param[0], request->http->arena);
}

enum status entity_search_status(struct api_request *request, struct error *err)
{
    const struct call_search_job asked = job_of(request);
    return request_submit(request, call_get_search(request_origin(request), &asked), render_status, err);
}

/* {"content", "page": {"number", "size", "totalElements", "totalPages"}} */
static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_search_job *job = &call->value.search_job;
    int64_t size = (int64_t)call->as.search_job.max;
    *ret_http_status = 200;
    PUT(out, "{\"content\":[");
    for (size_t i = 0; i < job->count; i++) {
        if (i) buf_add_char(out, ',');
        entity_put(out, &job->view[i]);
    }
    PUT(out, "],\"page\":{\"number\":");
    put_int(out, (int64_t)call->as.search_job.skip / size);
    PUT(out, ",\"size\":");
    put_int(out, size);
    PUT(out, ",\"totalElements\":");
    put_int(out, job->total);
    PUT(out, ",\"totalPages\":");
    put_int(out, (job->total + size - 1) / size);
    PUT(out, "}}");
}

enum status entity_search_page(struct api_request *request, struct error *err)
{
    struct call_search_job asked = job_of(request);
    int64_t size, page;
    TRY(entity_param_number(request, STR("pageSize"), 1, SEARCH_HITS_MAX, SEARCH_HITS_DEFAULT, &size, err));
    TRY(entity_param_number(request, STR("pageNumber"), 0, INT32_MAX, 0, &page, err));
    asked.pages = true;
    asked.max = (size_t)size;
    asked.skip = (size_t)(page * size);
    return request_submit(request, call_get_search(request_origin(request), &asked), render_page, err);
}

static void render_cancelled(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"isCancelled\":true,\"cancelled\":true,\"currentSearchJobStatus\":");
    put_word(out, call->value.search_job.state);
    buf_add_char(out, '}');
}

enum status entity_search_cancel(struct api_request *request, struct error *err)
{
    const struct call_search_job asked = job_of(request);
    return request_submit(request, call_cancel_search(request_origin(request), &asked), render_cancelled,
                          err);
}
