/* api/entity/search.c — searches of entities. */
#include "api/entity/entity_int.h"
#include "runtime/search.h"

#include "json/put.h"

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

static enum status refuse_past(struct api_request *request, struct error *err)
{
    if (!query_text(request, STR("pointInTime")).n) return ST_OK;
    return fail_code(err, ST_INVALID, "BAD_REQUEST",
                     "a search finds entities as they are now, not at a pointInTime");
}

enum status entity_search_direct(struct api_request *request, struct error *err)
{
    struct call_search asked = { .sort = query_text(request, STR("sort")) };
    int64_t limit;
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(entity_param_number(request, STR("limit"), 1, SEARCH_HITS_MAX, SEARCH_HITS_DEFAULT, &limit, err));
    TRY(query_flag(request, STR("explain"), &asked.explains, err));
    TRY(refuse_past(request, err));
    TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.condition, err));
    asked.limit = (size_t)limit;
    if (!asked.explains) request->media_type = STR("application/x-ndjson");
    return request_submit(request, call_search(request_origin(request), &asked),
                          asked.explains ? render_plan : render_found, err);
}
