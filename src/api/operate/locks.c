/* api/operate/locks.c — named locks: who holds them, and who waits. */
#include "api/operate/operate_int.h"

static void render_locks(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    buf_add_str(out, call->value.design.text);
}

enum status operate_locks(struct api_request *request, struct error *err)
{
    struct call_summaries asked = { .keyword = query_text(request, STR("name")),
                                    .after = query_text(request, STR("cursor")) };
    int64_t skip;
    TRY(query_page(request, &skip, &asked.max, err));
    return request_submit(request, call_list_locks(request_origin(request), &asked), render_locks, err);
}
