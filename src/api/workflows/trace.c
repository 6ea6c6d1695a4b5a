/* api/workflows/trace.c — the trace of a run, as a message of OTLP. */
#include "api/workflows/workflows_int.h"

#include "json/put.h"

/* The message is an object. Receivers ignore members that they do not know. */
static void render_trace(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_trace *answer = &call->value.instances.run->trace;
    *ret_http_status = 200;
    must(answer->message.n && answer->message.p[answer->message.n - 1] == '}');
    buf_add(out, answer->message.p, answer->message.n - 1);
    if (answer->next_revision) {
        PUT(out, ",\"nextCursor\":\"");
        put_int(out, answer->next_revision);
        buf_add_char(out, '"');
    }
    if (answer->cut) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

enum status workflows_trace(struct api_request *request, struct error *err)
{
    struct call_run asked = { .resource = &request->api->config.telemetry };
    str cursor = query_text(request, STR("cursor"));
    int64_t revision = 0;
    TRY(param_instance(request, &asked.id, err));
    if (cursor.n && (!str_to_int64(cursor, &revision) || revision < 1 || revision > UINT32_MAX))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier answer");
    asked.revision = (uint32_t)revision;
    return request_submit(request, call_get_trace(request_origin(request), &asked), render_trace, err);
}
