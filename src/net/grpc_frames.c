/* net/grpc_frames.c — messages of gRPC out of the pieces of a request's body.
 *
 * A message is a flag, its length in four bytes, and its bytes. Pieces end anywhere. A message that lies in
 * one piece is handed over where it is; another one is gathered, and grows with what arrives, not with what
 * was announced.
 */
#include "net/grpc_int.h"

static bool takes_one(const struct grpc_inside *inside) { return inside->call.method->kind != GRPC_BIDI; }

static bool is_over(const struct grpc_inside *inside) { return inside->finished || inside->gone; }

static size_t announced(const struct grpc_inside *inside)
{
    const uint8_t *head = inside->head;
    return (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
}

static void refuse_compressed(struct grpc_inside *inside)
{
    str encoding = grpc_metadata(&inside->call, STR("grpc-encoding"));
    if (inside->head[0] > 1 || !encoding.n || str_equal(encoding, STR("identity"))) {
        grpc_abort(inside, GRPC_INTERNAL, STR("a message says that it is compressed, and nobody says how"));
        return;
    }
    grpc_add_trailer(&inside->call, STR("grpc-accept-encoding"), STR("identity"));
    grpc_abort(inside, GRPC_UNIMPLEMENTED, STR("compressed messages are not understood"));
}

/* The frame's head is complete. False: the call is over. */
static bool judge(struct grpc_inside *inside)
{
    struct http_request *request = inside->call.request;
    size_t own = inside->call.method->message_bytes_max;
    size_t max = own ? own : (size_t)((struct exchange *)request)->server->config.limits.message_bytes_max;
    size_t bytes = announced(inside);
    if (inside->head[0]) {
        refuse_compressed(inside);
    } else if (bytes > max) {
        grpc_abort(inside, GRPC_RESOURCE_EXHAUSTED,
                   arena_printf(request->arena, "a message of %zu bytes; the most is %zu%s", bytes, max,
                                own ? "" : " (message_bytes_max)"));
    } else if (takes_one(inside) && inside->got) {
        grpc_abort(inside, GRPC_UNIMPLEMENTED, STR("the method takes one message, and there is another"));
    } else if (takes_one(inside)) {
        buf_init(&inside->in, bytes <= ARENA_BODY_BYTES_MAX ? request->arena : NULL);
        if (bytes <= ARENA_BODY_BYTES_MAX) buf_reserve(&inside->in, bytes);
    }
    return !is_over(inside);
}

/* The method may finish the call before it has done with the message. */
static void hand_over(struct grpc_inside *inside, str message)
{
    struct grpc_call *call = &inside->call;
    struct buf own = inside->in;
    buf_init(&inside->in, NULL);
    inside->begun = true;
    call->method->message(call, message.n ? message : STR(""), inside->context);
    buf_done(&own);
}

/* A message is whole. */
static void deliver(struct grpc_inside *inside, str message)
{
    inside->head_bytes = 0;
    if (takes_one(inside)) {
        inside->got = true; /* Until the client has closed, it may not be the only one. */
        return;
    }
    bool gathered = inside->in.n;
    hand_over(inside, message);
    if (gathered && !is_over(inside)) intake_hold_piece((struct exchange *)inside->call.request, 0);
}

/* Adds to a message that is not whole. False: the call is over. */
static bool gather(struct grpc_inside *inside, str part)
{
    buf_add_str(&inside->in, part);
    struct exchange *exchange = (struct exchange *)inside->call.request;
    size_t own = inside->in.arena ? 0 : inside->in.cap; /* The arena counts anyway. */
    if (intake_hold_piece(exchange, own)) return true;
    grpc_abort(inside, GRPC_RESOURCE_EXHAUSTED,
               exchange->known ? STR("requests that are in memory have reached the limit requests_bytes_max")
                               : STR("clients without the secret hold as much as they may: "
                                     "strangers_bytes_max"));
    return false;
}

/* Takes what belongs to the message that is arriving; returns the rest. */
static str take_part(struct grpc_inside *inside, str piece)
{
    size_t left = announced(inside) - inside->in.n;
    size_t n = piece.n < left ? piece.n : left;
    str part = { piece.p, n };
    bool whole = n == left;
    if (whole && !inside->in.n && !takes_one(inside)) {
        deliver(inside, part);
    } else if (gather(inside, part) && whole) {
        deliver(inside, buf_str(&inside->in));
    }
    return str_slice(piece, n, piece.n);
}

static void take_end(struct grpc_inside *inside)
{
    struct grpc_call *call = &inside->call;
    if (inside->head_bytes) {
        grpc_abort(inside, GRPC_INTERNAL, STR("the body ends within a message"));
        return;
    }
    if (takes_one(inside) && !inside->got) {
        grpc_abort(inside, GRPC_UNIMPLEMENTED, STR("the method takes one message, and there is none"));
        return;
    }
    inside->complete = true;
    if (takes_one(inside)) {
        grpc_set_alarm(inside);
        hand_over(inside, buf_str(&inside->in));
    }
    inside->begun = true;
    if (takes_one(inside) && !is_over(inside)) intake_hold_piece((struct exchange *)call->request, 0);
    if (!is_over(inside) && call->method->closed) call->method->closed(call, inside->context);
}

bool grpc_take_piece(str piece, void *user)
{
    struct grpc_inside *inside = user;
    if (is_over(inside)) return false;
    if (!piece.n) take_end(inside);
    while (piece.n && !is_over(inside)) {
        if (inside->head_bytes < FRAME_HEAD_BYTES) {
            inside->head[inside->head_bytes++] = (uint8_t)piece.p[0];
            piece = str_slice(piece, 1, piece.n);
            if (inside->head_bytes < FRAME_HEAD_BYTES || !judge(inside)) continue;
        }
        piece = take_part(inside, piece);
    }
    return !is_over(inside);
}
