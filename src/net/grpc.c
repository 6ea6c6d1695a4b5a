/* net/grpc.c — calls of gRPC: their messages out, their status, their end.
 *
 *     grpc_start ──► begin() ──► message() … closed() ──► grpc_finish ──► trailers
 *         │                          │                        ▲
 *         └── refused                └── gone() ── (later) ───┘
 *
 * grpc_start.c begins them, and grpc_frames.c has the messages that come in.
 *
 * Three ways lead to gone(): the client has left (on_gone of the request), the deadline has passed, or the
 * client breaks the protocol. In the last two the client gets its status at once, and the request is kept
 * (http_keep()) until the method has called grpc_finish(), because the method still has the call. Another
 * thread may be working in the call's arena then, so the status has memory of its own (respond_arena()).
 *
 * A unary answer leaves as one: head, message and trailers. Other answers are streams.
 */
#include "net/grpc_int.h"

#include "base/clock.h"

#include <stdio.h>

static struct exchange *exchange_of(const struct grpc_call *call) { return (struct exchange *)call->request; }
static struct grpc_inside *inside_of(struct grpc_call *call) { return (struct grpc_inside *)call; }

const char *grpc_status_word(enum grpc_status code)
{
    switch (code) {
#define XX(NAME, number) \
    case GRPC_##NAME: return #NAME;
        GRPC_STATUS_MAP(XX)
#undef XX
    default: return "UNKNOWN";
    }
}

str grpc_metadata(const struct grpc_call *call, str name) { return http_header(call->request, name); }

/* ---- the end ---- */

static void put_status(struct grpc_inside *inside, enum grpc_status code, str text, struct buf *out)
{
    buf_printf(out, "grpc-status: %d\r\n", (int)code);
    if (text.n) {
        buf_add_str(out, STR("grpc-message: "));
        grpc_encode_text(text, out);
        buf_add_str(out, STR("\r\n"));
    }
    buf_add_str(out, buf_str(&inside->trailers));
}

/* Gives the client its status, with the message of a unary call if it succeeded. */
static void answer(struct grpc_inside *inside, enum grpc_status code, str text)
{
    struct http_request *request = inside->call.request;
    struct buf lines;
    buf_init(&lines, respond_arena(exchange_of(&inside->call)));
    bool whole = code == GRPC_OK && inside->out.p;
    if (!inside->streaming && !whole) buf_add_str(&lines, STR("content-type: application/grpc\r\n"));
    put_status(inside, code, text, &lines);
    if (inside->streaming) http_stream_end_with_trailers(request, buf_str(&lines));
    else if (whole)
        http_respond_with_trailers(request, 200, STR("content-type: application/grpc\r\n"), inside->out,
                                   buf_str(&lines));
    else http_respond_with_trailers(request, 200, buf_str(&lines), STR_NONE, STR_NONE);
}

static void forget_input(struct grpc_inside *inside)
{
    buf_done(&inside->in);
    http_set_deadline(inside->call.request, 0, NULL);
}

/* The client is not there: only the observer hears of the end, and the request is let go. */
static void end_alone(struct grpc_inside *inside)
{
    struct http_request *request = inside->call.request;
    const struct http_server_config *config = &exchange_of(&inside->call)->server->config;
    request->status = 200;
    if (config->observer)
        config->observer(request, clock_monotonic_us() - request->began_us, config->context);
    if (inside->streaming) http_stream_end(request);
    else http_respond(request, 200, STR_NONE, STR_NONE);
}

void grpc_finish(struct grpc_call *call, enum grpc_status code, str text)
{
    struct grpc_inside *inside = inside_of(call);
    must(!inside->finished);
    inside->finished = true;
    if (inside->answered) {
        http_let_go(call->request);
        return;
    }
    forget_input(inside);
    if (inside->gone) {
        end_alone(inside);
        return;
    }
    if (code == GRPC_OK && call->method->kind == GRPC_UNARY && !inside->out.p) {
        code = GRPC_INTERNAL;
        text = STR("the method gave no answer");
    }
    call->code = code;
    answer(inside, code, text);
}

/* The call ends although its method has not finished it. */
void grpc_abort(struct grpc_inside *inside, enum grpc_status code, str text)
{
    struct grpc_call *call = &inside->call;
    if (inside->finished || inside->gone) return;
    if (!inside->begun) {
        grpc_finish(call, code, text);
        return;
    }
    inside->gone = inside->answered = true;
    call->code = code;
    forget_input(inside);
    http_keep(call->request);
    answer(inside, code, text);
    if (call->method->gone) call->method->gone(call, inside->context);
}

static void on_alarm(void *user)
{
    const struct grpc_inside *inside = user;
    int64_t deadline_us = inside->call.deadline_us;
    bool passed = deadline_us && deadline_us <= clock_monotonic_us();
    grpc_abort(user, GRPC_DEADLINE_EXCEEDED,
               passed ? STR("the deadline has passed") : STR("the message took too long to arrive"));
}

/* A call that takes one message holds memory for it, so the message has no more time than any request's body.
 */
void grpc_set_alarm(struct grpc_inside *inside)
{
    const struct grpc_call *call = &inside->call;
    const struct limits *limits = &exchange_of(call)->server->config.limits;
    int64_t at_us = call->deadline_us;
    if (call->method->kind != GRPC_BIDI && !inside->complete) {
        int64_t late_us = call->request->began_us + limits->body_timeout_ms * 1000;
        if (!at_us || late_us < at_us) at_us = late_us;
    }
    http_set_deadline(call->request, at_us, on_alarm);
}

void grpc_on_gone(void *user)
{
    struct grpc_inside *inside = user;
    struct grpc_call *call = &inside->call;
    if (inside->finished || inside->gone) return;
    inside->gone = true;
    call->code = GRPC_CANCELLED;
    forget_input(inside);
    if (!inside->begun) grpc_finish(call, GRPC_CANCELLED, STR_NONE);
    else if (call->method->gone) call->method->gone(call, inside->context);
}

/* ---- messages out ---- */

void grpc_begin_stream(struct grpc_inside *inside)
{
    exchange_of(&inside->call)->bare = true;
    inside->streaming = true;
    http_stream_begin(inside->call.request, 200, STR("content-type: application/grpc\r\n"));
}

static void put_head(char *head, size_t bytes)
{
    head[0] = 0;
    for (int i = 1; i < FRAME_HEAD_BYTES; i++) head[i] = (char)(bytes >> (8 * (FRAME_HEAD_BYTES - 1 - i)));
}

bool grpc_send(struct grpc_call *call, str message)
{
    struct grpc_inside *inside = inside_of(call);
    must(!inside->finished && message.n <= UINT32_MAX);
    if (inside->gone) return false;
    if (call->method->kind == GRPC_UNARY) {
        must(!inside->out.p);
        char *out = arena_alloc(call->request->arena, FRAME_HEAD_BYTES + message.n);
        put_head(out, message.n);
        if (message.n) memcpy(out + FRAME_HEAD_BYTES, message.p, message.n);
        inside->out = (str){ out, FRAME_HEAD_BYTES + message.n };
        return true;
    }
    if (!inside->streaming) grpc_begin_stream(inside);
    char head[FRAME_HEAD_BYTES];
    put_head(head, message.n);
    return http_stream_write(call->request, (str){ head, sizeof head }) &&
           http_stream_write(call->request, message);
}

void grpc_add_trailer(struct grpc_call *call, str name, str value)
{
    struct grpc_inside *inside = inside_of(call);
    must(!inside->finished);
    buf_printf(&inside->trailers, "%.*s: %.*s\r\n", STR_ARG(name), STR_ARG(value));
}

bool grpc_is_gone(const struct grpc_call *call) { return ((const struct grpc_inside *)call)->gone; }

size_t grpc_behind(const struct grpc_call *call) { return http_stream_behind(call->request); }

static void on_drained(void *user)
{
    struct grpc_inside *inside = user;
    if (!inside->finished && !inside->gone) inside->call.method->drained(&inside->call, inside->context);
}

void grpc_when_drained(struct grpc_call *call)
{
    must(call->method->drained);
    call->request->on_drained = on_drained;
}

void grpc_hold(struct grpc_call *call) { http_hold_body(call->request, true); }

void grpc_go_on(struct grpc_call *call) { http_hold_body(call->request, false); }
