/* net/intake.c — what every request goes through before its handler, whatever the protocol.
 *
 * The gate judges a request by its head, and says whether its sender is known. Memory is counted where it is
 * held: known clients and strangers have accounts of their own (peer_int.h), which have the bytes of all
 * requests from their head to their answer. The larger a known client's body is, the more room it must leave
 * to others: a cancel must always get through, and so must the question why nothing else does.
 */
#include "net/protocol_int.h"

#include "base/must.h"

enum {
    LARGE_PART = 4,              /* Large bodies leave a quarter of the memory free. */
    TINY_BODY_BYTES = 4 << 10,   /* Bodies that are larger than this, but small, */
    SMALL_PART = 8,              /* leave an eighth free. */
    REQUEST_BYTES_MIN = 4 << 10, /* Counted for the smallest request that waits for its answer. */
};

static bool has_room_for_known(const struct http_server *server, const struct peer *peer, int64_t body,
                               int64_t more)
{
    int64_t max = server->config.limits.requests_bytes_max;
    if (body == INTAKE_UNKNOWN || body > INTAKE_SMALL_BYTES) max -= max / LARGE_PART;
    else if (body > TINY_BODY_BYTES) max -= max / SMALL_PART;
    return server->account->known_bytes + more <= max && peer_leaves_room(peer, max, more);
}

/* May so many more bytes be kept, of a request with a body of that size? */
static bool has_room(struct exchange *exchange, const struct connection *from, int64_t body, int64_t more)
{
    if (exchange->privileged) return true;
    if (exchange->known) return has_room_for_known(exchange->server, exchange->peer, body, more);
    return peer_may_call(exchange->peer, exchange->request_bytes + more) &&
           peer_make_room(exchange->peer, from && !from->known ? from : NULL, more);
}

static enum refusal no_room(const struct exchange *exchange)
{
    return exchange->known ? REFUSE_BUSY : REFUSE_STRANGERS;
}

bool intake_has_room_to_wait(const struct connection *connection)
{
    return has_room_for_known(connection->server, connection->peer, 0, 0);
}

/* Counts only the bytes of a large body that have arrived: the system gives memory only for pages that were
 * written to. */
static void hold(struct exchange *exchange, int64_t least)
{
    int64_t used = exchange_bytes(exchange);
    int64_t body = exchange->body.arena ? 0 : (int64_t)exchange->body.n;
    exchange_hold_request(exchange, (used > least ? used : least) + body);
}

void intake_head(struct exchange *exchange) { hold(exchange, 0); }

/* Earlier requests of a connection that is a known client's from now on. */
static void pin_others(struct connection *connection)
{
    for (struct exchange *exchange = connection->first; exchange; exchange = exchange->next)
        exchange_pin(exchange, true);
}

/* A connection that is one too many may only ask probes. */
static void note_sender(struct exchange *exchange, struct connection *from)
{
    bool was_known = from->known;
    from->asked = true;
    pace_ask(from);
    if (exchange->known && !peer_know(from)) exchange->crowded = true;
    if (from->known && !was_known) pin_others(from);
    exchange_pin(exchange, from->known);
    if (from->refused) exchange->crowded = true;
    if (exchange->privileged) exchange->crowded = false;
    peer_count(from);
}

void intake_ask_gate(struct exchange *exchange, struct connection *from)
{
    const struct http_server_config *config = &exchange->server->config;
    enum http_verdict verdict = config->gate ? config->gate(&exchange->request, config->context) : HTTP_TAKE;
    exchange->unwanted = verdict == HTTP_TAKE_HEAD;
    exchange->pieces = verdict == HTTP_TAKE_PIECES;
    exchange->privileged = verdict == HTTP_TAKE_ALWAYS && !exchange->request.has_body;
    exchange_set_known(exchange, !from || !config->gate || exchange->request.known);
    if (from) note_sender(exchange, from);
}

int64_t intake_body_max(const struct exchange *exchange)
{
    int64_t own = exchange->request.body_bytes_max;
    return own ? own : exchange->server->config.limits.body_bytes_max;
}

enum refusal intake_check(struct exchange *exchange, const struct connection *from, int64_t announced,
                          int64_t more)
{
    if (announced > intake_body_max(exchange)) return REFUSE_LARGE_BODY;
    if (exchange->crowded) return REFUSE_CROWDED;
    hold(exchange, 0);
    return has_room(exchange, from, announced, more) ? REFUSE_NOTHING : no_room(exchange);
}

void intake_body(struct exchange *exchange, int64_t announced)
{
    bool small = announced != INTAKE_UNKNOWN && announced <= ARENA_BODY_BYTES_MAX;
    buf_init(&exchange->body, small ? &exchange->arena : NULL);
    if (small) buf_reserve(&exchange->body, (size_t)announced);
    if (small) hold(exchange, 0);
}

enum refusal intake_check_body(struct exchange *exchange, const struct connection *from)
{
    if (exchange->body.arena || !exchange->body.p) return REFUSE_NOTHING;
    hold(exchange, 0);
    return has_room(exchange, from, (int64_t)exchange->body.n, 0) ? REFUSE_NOTHING : no_room(exchange);
}

void intake_piece(struct exchange *exchange, str piece)
{
    struct http_request *request = &exchange->request;
    if (exchange->state == ANSWER_COMPLETE || !request->on_piece) return;
    if (!request->on_piece(piece, request->user)) request->on_piece = NULL;
}

bool intake_hold_piece(struct exchange *exchange, size_t bytes)
{
    /* The arena counts as the answer's once there is one. */
    int64_t own = exchange->state == ANSWER_NONE ? exchange_bytes(exchange) : 0;
    exchange_hold_request(exchange, own + (int64_t)bytes);
    return has_room(exchange, exchange->connection, (int64_t)bytes, 0);
}

/* The bytes that have arrived are handed over as a piece. The handler may begin its answer first, which frees
 * the body.
 */
static void dispatch_pieces(struct exchange *exchange)
{
    const struct http_server_config *config = &exchange->server->config;
    struct http_request *request = &exchange->request;
    struct buf body = exchange->body;
    str piece = request->body;
    buf_init(&exchange->body, NULL);
    request->body = (str){ "", 0 };
    config->handler(request, config->context);
    if (piece.n) intake_piece(exchange, piece);
    if (exchange->arrived) intake_piece(exchange, STR(""));
    buf_done(&body);
}

void intake_hold(struct exchange *exchange)
{
    if (exchange->state != ANSWER_NONE) return;
    hold(exchange, REQUEST_BYTES_MIN);
    exchange_note_call(exchange);
}

void intake_run(struct exchange *exchange)
{
    const struct http_server_config *config = &exchange->server->config;
    struct http_request *request = &exchange->request;
    if (exchange->body.n) request->body = buf_str(&exchange->body);
    if (exchange->pieces) dispatch_pieces(exchange);
    else config->handler(request, config->context);
    intake_hold(exchange);
}

void intake_dispatch(struct connection *connection, struct exchange *exchange)
{
    exchange_queue(exchange, connection);
    intake_run(exchange);
}
