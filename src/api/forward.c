/* api/forward.c — a request with the token of another node's transaction goes there, and its answer comes
 * back. See forwarding/forwarding_int.h. */
#include "api/forward_int.h"

#include "api/ahead_int.h"
#include "api/answer_int.h"
#include "api/entity/entity_int.h"
#include "api/forwarding/forwarding_int.h"
#include "api/route_int.h"

static void answered(struct forwarding_call *call, const struct forwarding_answer *result)
{
    struct api_request *request = call->user;
    struct error err;
    if (!result->status) {
        fail(&err, ST_OVERLOAD, "", "the node that has the transaction has no room for the request");
        answer_error(request, &err);
        return;
    }
    struct buf lines;
    buf_init(&lines, request->http->arena);
    request->warning = STR_NONE; /* The other node has looked at the same request. */
    buf_add_str(&lines, result->headers);
    buf_add_str(&lines, answer_lines(request));
    http_respond(request->http, result->status, buf_str(&lines), result->body);
}

/* The transaction has gone with its node, and our engine says so. */
static void lost(struct forwarding_call *call)
{
    struct api_request *request = call->user;
    struct error err;
    if (ahead_handle(request, &err) != ST_OK) answer_error(request, &err);
}

static void unsure(struct forwarding_call *call)
{
    struct error err;
    forwarding_fail_unsure(&err);
    answer_error(call->user, &err);
}

/* Only the surfaces of entities know tokens. */
bool forward_is_due(const struct api_request *request)
{
    if (!request->api->forwarding || request->http->is_local || request->surface->errors != &entity_errors)
        return false;
    return forwarding_node_of_token(request->api->forwarding, entity_token_of(request)) != 0;
}

enum status forward_request(struct api_request *request, struct error *err)
{
    struct forwarding *forwarding = request->api->forwarding;
    struct forwarding_call *call = arena_make(request->http->arena, struct forwarding_call);
    *call =
        (struct forwarding_call){ .answered = answered,
                                  .lost = lost,
                                  .unsure = unsure,
                                  .user = request,
                                  .node = forwarding_node_of_token(forwarding, entity_token_of(request)) };
    return forwarding_send_call(forwarding, call, request->http, request->http->body, false, err);
}
