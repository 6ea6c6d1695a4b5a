/* api/definitions/agent_tools.c — definitions that agents start by tools of their own. */
#include "api/definitions/definitions_int.h"

static void render(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_triggers *answer = &call->value.triggers;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        const struct trigger_view *view = &answer->view[i];
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"tool\":");
        put_text(out, view->trigger);
        PUT(out, ",\"definitionId\":");
        put_text(out, view->definition_id);
        if (view->label.n) {
            PUT(out, ",\"description\":");
            put_text(out, view->label);
        }
        buf_add_char(out, '}');
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.triggers.max);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":");
        put_text(out, call->as.triggers.after);
    }
    buf_add_char(out, '}');
}

enum status definitions_agent_tools(struct api_request *request, struct error *err)
{
    struct call_triggers asked = { .tools = true,
                                   .keyword = query_text(request, STR("tool")),
                                   .after = query_text(request, STR("cursor")) };
    int64_t skip;
    if (asked.keyword.n > DEFINITION_ID_BYTES_MAX || asked.after.n > DEFINITION_ID_BYTES_MAX)
        return fail(err, ST_LIMIT, "tool",
                    "the name of a tool has at most %d bytes (DEFINITION_ID_BYTES_MAX)",
                    DEFINITION_ID_BYTES_MAX);
    TRY(query_page(request, &skip, &asked.max, err));
    return request_submit(request, call_list_triggers(request_origin(request), &asked), render, err);
}
