/* api/operate/workers.c — who does the jobs: workers by type, the engine's own performers, calculation nodes.
 */
#include "api/operate/operate_int.h"

#include "api/entity/entity_int.h"

static void put_worker(struct buf *out, const struct operate_worker *worker)
{
    PUT(out, "{\"workerId\":");
    put_text(out, worker->name);
    PUT(out, ",\"lastSeenAt\":");
    put_time(out, worker->seen_ms);
    if (worker->leased >= 0) {
        PUT(out, ",\"leased\":");
        put_int(out, worker->leased);
    }
    buf_add_char(out, '}');
}

static void put_type(struct buf *out, const struct operate_type *type)
{
    PUT(out, "{\"jobType\":");
    put_text(out, type->type);
    buf_printf(out, ",\"open\":%zu,\"leased\":%zu,\"pollers\":%zu", type->open, type->leased, type->pollers);
    if (type->oldest_ms) {
        PUT(out, ",\"oldestAt\":");
        put_time(out, type->oldest_ms);
    }
    PUT(out, ",\"workers\":[");
    for (size_t i = 0; i < type->worker_count; i++) {
        if (i) buf_add_char(out, ',');
        put_worker(out, &type->worker[i]);
    }
    PUT(out, "],\"doneLastHour\":");
    put_int(out, (int64_t)type->ended.done);
    PUT(out, ",\"failedLastHour\":");
    put_int(out, (int64_t)type->ended.failed);
    buf_add_char(out, '}');
}

static void put_performers(struct buf *out, const struct answer_workers *answer)
{
    bool first = true;
    PUT(out, "],\"performers\":[");
    for (int i = 0; i < PERFORMER_COUNT; i++) {
        if (performer_place((enum performer)i) != PERFORMED_BESIDE) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        buf_printf(out, "{\"name\":\"%s\",\"done\":%llu,\"failed\":%llu}", performer_word((enum performer)i),
                   (unsigned long long)answer->performer[i].done,
                   (unsigned long long)answer->performer[i].failed);
    }
    buf_add_char(out, ']');
}

static void render_workers(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_workers *answer = &call->value.workers;
    const struct api_request *request = call->user;
    *ret_http_status = 200;
    PUT(out, "{\"jobTypes\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_type(out, &answer->type[i]);
    }
    put_performers(out, answer);
    PUT(out, ",\"members\":");
    entity_put_members(out, request->api, request->caller.tenant, call->arena);
    if (answer->cut) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

enum status operate_workers(struct api_request *request, struct error *err)
{
    return request_submit(request, call_workers(request_origin(request), &(struct call_nothing){ 0 }),
                          render_workers, err);
}
