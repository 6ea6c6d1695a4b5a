/* net/grpc_start.c — the beginning of a call of gRPC: what its head says. */
#include "net/grpc_int.h"

bool grpc_is_call(const struct http_request *request)
{
    const struct exchange *exchange = (const struct exchange *)request;
    if (!exchange->stream_id) return false; /* Not HTTP/2: its headers are not looked at. */
    str type = http_header(request, STR("content-type"));
    return str_equal_ignoring_case(str_slice(type, 0, 16), STR("application/grpc"));
}

static struct grpc_inside *inside_new(struct http_request *request, const struct grpc_method *method,
                                      void *context)
{
    struct grpc_inside *inside = arena_make(request->arena, struct grpc_inside);
    inside->call.request = request;
    inside->call.method = method;
    inside->context = context;
    buf_init(&inside->trailers, request->arena);
    request->user = inside;
    request->grpc = &inside->call;
    request->on_gone = grpc_on_gone;
    return inside;
}

void grpc_refuse(struct http_request *request, const struct grpc_method *method, enum grpc_status code,
                 str text)
{
    must(code != GRPC_OK);
    grpc_finish(&inside_new(request, method, NULL)->call, code, text);
}

/* Judges the name behind "application/", without parameters. */
static bool is_proto(str type)
{
    type = str_trim(str_slice(type, 0, str_find(type, STR(";"), 0)));
    return str_equal_ignoring_case(type, STR("application/grpc")) ||
           str_equal_ignoring_case(type, STR("application/grpc+proto"));
}

static bool check_head(struct grpc_inside *inside)
{
    struct grpc_call *call = &inside->call;
    struct http_request *request = call->request;
    int64_t timeout_us;
    if (!is_proto(grpc_metadata(call, STR("content-type")))) {
        inside->finished = true;
        call->code = GRPC_INVALID_ARGUMENT;
        http_respond(request, 415, STR_NONE, STR_NONE);
        return false;
    }
    str timeout = grpc_metadata(call, STR("grpc-timeout"));
    if (!str_equal(request->method, STR("POST")))
        grpc_finish(call, GRPC_INTERNAL, STR("a call of gRPC is a POST"));
    else if (!str_equal_ignoring_case(grpc_metadata(call, STR("te")), STR("trailers")))
        grpc_finish(call, GRPC_INTERNAL, STR("te: trailers is missing: does a proxy not know HTTP/2?"));
    else if (!timeout.n) return true;
    else if (!grpc_parse_timeout(timeout, &timeout_us))
        grpc_finish(call, GRPC_INTERNAL, STR("grpc-timeout is malformed"));
    else if (!timeout_us) grpc_finish(call, GRPC_DEADLINE_EXCEEDED, STR("the deadline has passed"));
    else {
        call->deadline_us = request->began_us + timeout_us;
        return true;
    }
    return false;
}

void grpc_start(struct http_request *request, const struct grpc_method *method, void *context)
{
    struct grpc_inside *inside = inside_new(request, method, context);
    if (!check_head(inside)) return;
    request->on_piece = grpc_take_piece;
    grpc_set_alarm(inside);
    if (method->begin) {
        inside->begun = true;
        method->begin(&inside->call, context);
    }
    if (method->kind == GRPC_BIDI && !inside->streaming && !inside->finished && !inside->gone)
        grpc_begin_stream(inside);
}
