/* api/entity/members.c — calculation nodes as operators see them: who is connected, and with how much work.
 */
#include "api/entity/entity_int.h"

#include "api/forwarding/forwarding_int.h"
#include "compute/compute.h"
#include "json/put.h"

static void put_member(struct buf *out, const struct compute_member_view *view, int64_t own)
{
    char id[UUID_CHARS + 1];
    uuid_print(view->id, id);
    buf_printf(out, "{\"memberId\":\"%s\",\"tags\":[", id);
    for (size_t i = 0; i < view->tag_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, view->tag[i]);
    }
    PUT(out, "],\"joinedAt\":");
    put_time(out, view->joined_ms);
    buf_printf(out, ",\"requestsUnderWay\":%zu,\"requestsAnswered\":%llu", view->under_way,
               (unsigned long long)view->answered);
    if (view->oldest_ms) {
        PUT(out, ",\"oldestRequestAt\":");
        put_time(out, view->oldest_ms);
    }
    if (own) buf_printf(out, ",\"node\":%lld", (long long)(view->node ? view->node : own));
    buf_add_char(out, '}');
}

void entity_put_members(struct buf *out, const struct api *api, int32_t tenant, struct arena *arena)
{
    const struct compute *compute = api->config.compute;
    struct compute_member_view *view = NULL;
    size_t count = compute ? compute_members(compute, arena, &view) : 0, under_way = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (view[i].tenant == tenant) under_way += view[i].under_way, view[kept++] = view[i];
    buf_printf(out, "{\"requestsUnderWay\":%zu,\"requestsWaiting\":%zu,\"members\":[", under_way,
               compute ? compute_waiting_of(compute, tenant) : 0);
    for (size_t i = 0; i < kept; i++) {
        if (i) buf_add_char(out, ',');
        put_member(out, &view[i], forwarding_own_number(api->forwarding));
    }
    PUT(out, "]}");
}

/* Other nodes have told their members by now. */
static void answer_members(void *user)
{
    struct api_request *request = user;
    struct buf out;
    buf_init(&out, request->http->arena);
    entity_put_members(&out, request->api, request->caller.tenant, request->http->arena);
    answer(request, 200, STR_NONE, buf_str(&out));
}

static enum status entity_members(struct api_request *request, struct error *err)
{
    struct forwarding_wait *wait = arena_make(request->http->arena, struct forwarding_wait);
    (void)err;
    *wait = (struct forwarding_wait){ .go = answer_members, .user = request };
    forwarding_look_first(request->api->forwarding, wait);
    return ST_OK;
}

static const struct api_route routes[] = {
    { "GET", "/api/compute/members", entity_members, MAY_METRICS_READ },
};

const struct surface entity_compute_surface = {
    .prefix = STR_INIT("/api/compute"),
    .errors = &entity_errors,
    .lenient = true,
    .route = routes,
    .route_count = COUNT(routes),
};
