/* net/connection.c — one connection, from accept to close, whatever protocol it speaks.
 *
 *     OPEN ──────────────► ENDING ─────────────► LINGERING ────────► CLOSED
 *      │  refusal,           │ finish(): all         │ EOF, or 2 s      ▲
 *      │  Connection: close, │ answers are written   └──────────────────┤
 *      │  connection_drain() └── connection_close(): EOF, error ────────┤
 *      └── idle too long, EOF, error ───────────────────────────────────┘
 *
 * The protocol uses bytes where they were read, in the server's one read buffer; only a request that is not
 * complete yet has bytes of its own (`pending`, or its body). So an idle connection costs little more than
 * this struct.
 *
 * connection_pump() is the one place where reading and writing meet: the protocol uses pending bytes until
 * they or the room for requests in flight run out, what is ready is written, and that may make room again.
 * Handlers are called from within; it never runs inside itself.
 *
 * The socket is tried directly first. Only what it does not take is left to uv_write(), and there is at most
 * one such write per connection: what is ready meanwhile joins the next. Answers given while requests are
 * parsed leave when that is done; those given later (the engine's batch has committed) mark their connection
 * dirty, and dirty connections are flushed once, just before the loop waits again.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include "net/protocol_int.h"

#include "base/must.h"

#include <poll.h>
#include <stdlib.h>

enum {
    LINGER_MS = 2000,
    PENDING_KEPT_BYTES = 512, /* A larger buffer is freed when it is empty. */
};

static void pump(struct connection *connection);
static void flush(struct connection *connection);

/* ---- reading ---- */

bool connection_wants_requests(const struct connection *connection)
{
    return connection->state == CONNECTION_OPEN && connection->protocol->wants(connection);
}

/* Whether bytes from the client mean something still. */
static bool is_read(const struct connection *connection)
{
    return connection->state == CONNECTION_OPEN ||
           (connection->state == CONNECTION_ENDING && connection->protocol->reads_to_end);
}

void connection_drop_input(struct connection *connection)
{
    connection->protocol->abandon(connection);
    buf_done(&connection->pending);
    peer_count(connection);
}

/* The client has sent something: is there room for what it holds now? */
static void settle(struct connection *connection)
{
    if (connection->state == CONNECTION_CLOSED) return;
    peer_count(connection);
    if (!connection->known) {
        if (!peer_make_room(connection->peer, connection, 0)) connection_close(connection);
    } else if (connection->state == CONNECTION_OPEN && connection->pending.n &&
               !intake_has_room_to_wait(connection)) {
        connection->protocol->refuse(connection, REFUSE_BUSY);
    }
}

/* Takes plain bytes from the client. */
static void take(struct connection *connection, str bytes)
{
    if (!is_read(connection)) return;
    if (!connection->pending.n) {
        connection->pumping = true;
        connection->starved = false;
        bytes = str_slice(bytes, connection->protocol->take(connection, bytes), bytes.n);
        connection->pumping = false;
    } else if (!connection->protocol->may_help || connection->protocol->may_help(connection, bytes)) {
        connection->starved = false;
    }
    if (is_read(connection) && bytes.n) buf_add(&connection->pending, bytes.p, bytes.n);
    pump(connection);
    settle(connection);
}

/* Has somebody asked to be told when the client leaves? */
static bool is_watched(const struct connection *connection)
{
    for (const struct exchange *exchange = connection->first; exchange; exchange = exchange->next)
        if (exchange->state != ANSWER_COMPLETE && exchange->request.on_gone) return true;
    return false;
}

/* A client that has left and one that only has nothing more to say look the same. So answers that are on
 * their way are still written, but a handler that asked to be told (on_gone) does not keep working for a
 * client that is probably not there. */
static void take_eof(struct connection *connection)
{
    connection->eof = true;
    bool gone = connection->state == CONNECTION_LINGERING || (!connection->first && !connection->writing);
    if (gone || is_watched(connection)) {
        connection_close(connection);
        return;
    }
    connection->state = CONNECTION_ENDING;
    connection_drop_input(connection);
    pump(connection);
}

/* A connection with as many requests as it may have is not read, so nothing tells that its client has left
 * but this question. */
void connection_look_for_end(struct connection *connection)
{
    uv_os_fd_t fd;
    if (connection->reading || connection->state == CONNECTION_CLOSED || connection->writing ||
        connection->eof)
        return;
    if (uv_fileno((uv_handle_t *)&connection->tcp, &fd) != 0) return;
    struct pollfd socket = { .fd = fd, .events = POLLRDHUP };
    if (poll(&socket, 1, 0) <= 0) return;
    if (socket.revents & (POLLERR | POLLHUP)) connection_close(connection);
    else if (is_watched(connection)) connection_close(connection); /* As in take_eof(). */
}

/* ---- TLS ---- */

static void note_handshake(struct connection *connection)
{
    if (connection->secured || !tls_is_ready(connection->tls)) return;
    connection->secured = true;
    peer_renew(connection);
    if (connection->protocol->secured)
        connection->protocol->secured(connection, tls_protocol(connection->tls));
}

/* Decrypts record by record, as long as the connection has room for requests: the rest waits in the session,
 * and the socket is not read meanwhile. */
static void read_records(struct connection *connection)
{
    while (connection_wants_requests(connection) || connection->state == CONNECTION_ENDING) {
        str plain;
        enum tls_result result = tls_read(connection->tls, &plain);
        note_handshake(connection);
        switch (result) {
        case TLS_PLAIN: take(connection, plain); break;
        case TLS_NEEDS_MORE: return;
        case TLS_END: take_eof(connection); return;
        case TLS_BROKEN:
            flush(connection); /* The alert. */
            connection_close(connection);
            return;
        }
    }
}

/* Goes on with bytes that were left undecrypted when the connection paused. */
static void decrypt(struct connection *connection)
{
    if (connection->decrypting || connection->state == CONNECTION_CLOSED || !tls_has_input(connection->tls))
        return;
    connection->decrypting = true;
    read_records(connection);
    connection->decrypting = false;
}

/* The client's first message was whole: we have an answer to it. */
static void note_hello(struct connection *connection)
{
    if (connection->greeted || connection->secured || !tls_outgoing(connection->tls).n) return;
    connection->greeted = true;
    peer_renew(connection);
}

static void take_encrypted(struct connection *connection, str bytes)
{
    if (connection->state == CONNECTION_LINGERING) return;
    tls_take(connection->tls, bytes);
    decrypt(connection);
    note_hello(connection);
    pump(connection); /* Handshake messages, or answers that waited for them. */
    settle(connection);
}

/* ---- the socket's events, and deadlines ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    (void)suggested;
    struct connection *connection = handle->data;
    size_t bytes = READ_BYTES;
    bool direct = connection->protocol->room && !connection->tls && !connection->pending.n;
    char *room = direct ? connection->protocol->room(connection, &bytes) : NULL;
    *ret_buffer = uv_buf_init(room ? room : connection->server->read_bytes, (unsigned)bytes);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct connection *connection = stream->data;
    if (n == 0) return; /* EAGAIN. */
    if (n == UV_EOF) {
        take_eof(connection);
    } else if (n < 0) {
        connection_close(connection);
    } else {
        str bytes = { buffer->base, (size_t)n };
        connection->heard = true;
        if (connection->tls) take_encrypted(connection, bytes);
        else take(connection, bytes);
    }
}

static void update_reading(struct connection *connection)
{
    bool wants =
        connection->state == CONNECTION_OPEN ? connection_wants_requests(connection) : !connection->eof;
    if (connection->state == CONNECTION_CLOSED || wants == connection->reading) return;
    uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
    connection->reading = wants;
    if (!wants) uv_read_stop(stream);
    else if (uv_read_start(stream, on_alloc, on_read) < 0) connection_close(connection);
}

static enum connection_phase phase_of(const struct connection *connection)
{
    if (connection->state == CONNECTION_LINGERING) return PHASE_LINGER;
    if (connection->state == CONNECTION_OPEN && !connection->asked)
        return connection->heard ? PHASE_FIRST : PHASE_SILENT;
    if (!connection_wants_requests(connection)) return PHASE_WAIT;
    return connection->protocol->phase(connection);
}

/* Sets the deadline that fits what the connection waits for, when that has changed. */
static void update_phase(struct connection *connection)
{
    const struct limits *limits = &connection->server->config.limits;
    enum connection_phase phase = phase_of(connection);
    if (phase == connection->phase) return;
    connection->phase = phase;
    int64_t ms = 0, since = server_now(connection->server);
    switch (phase) {
    case PHASE_SILENT:
    case PHASE_FIRST:
        ms = limits->header_timeout_ms;
        if (phase == PHASE_SILENT && limits->idle_timeout_ms < ms) ms = limits->idle_timeout_ms;
        since = connection->opened_ms;
        break;
    case PHASE_HEAD: ms = limits->header_timeout_ms; break;
    case PHASE_BODY: ms = limits->body_timeout_ms; break;
    case PHASE_IDLE: ms = limits->idle_timeout_ms; break;
    case PHASE_LINGER: ms = LINGER_MS; break;
    case PHASE_NEW:
    case PHASE_WAIT: break;
    }
    connection->read_deadline = ms ? since + ms : 0;
}

/* Closes without waiting for the client, but not without the last words of the protocol and of TLS. */
static void hang_up(struct connection *connection)
{
    flush(connection);
    if (connection->tls && connection->state != CONNECTION_CLOSED) {
        tls_close_notify(connection->tls);
        flush(connection);
    }
    connection_close(connection);
}

void connection_timed_out(struct connection *connection)
{
    update_phase(connection); /* It may have begun to end since. */
    if (!connection->read_deadline || connection->read_deadline > server_now(connection->server)) return;
    bool head_is_late =
        connection->phase == PHASE_HEAD || (connection->phase == PHASE_FIRST && connection->pending.n);
    if (head_is_late) connection->protocol->timed_out(connection, PHASE_HEAD);
    else if (connection->phase == PHASE_BODY) connection->protocol->timed_out(connection, PHASE_BODY);
    else {
        if (connection->state == CONNECTION_OPEN)
            (void)connection->protocol->drain(connection); /* Its goodbye. */
        hang_up(connection);
    }
}

/* ---- reading and writing ---- */

static void drop_used(struct connection *connection, size_t n)
{
    struct buf *pending = &connection->pending;
    if (!pending->n) return; /* Dropped by a refusal meanwhile. */
    pending->n -= n;
    if (pending->n) memmove(pending->p, pending->p + n, pending->n);
    else if (pending->cap > PENDING_KEPT_BYTES) buf_done(pending);
}

/* Lets the protocol use what is pending, as far as back-pressure allows, and writes what is ready. */
static void pump(struct connection *connection)
{
    if (connection->pumping || connection->state == CONNECTION_CLOSED) return;
    connection->pumping = true;
    do {
        if (connection->pending.n && !connection->starved)
            drop_used(connection, connection->protocol->take(connection, buf_str(&connection->pending)));
        flush(connection);
    } while (connection->pending.n && !connection->starved && connection_wants_requests(connection));
    connection->pumping = false;
    if (connection->tls) decrypt(connection);
    peer_count(connection);
    if (connection->state <= CONNECTION_ENDING) pace_wait(connection);
    update_reading(connection);
    update_phase(connection);
}

void connection_give_turns(struct http_server *server)
{
    pace_begin_round(server);
    for (struct connection *connection; (connection = pace_next(server));) pump(connection);
}

void connection_mark_dirty(struct connection *connection)
{
    if (connection->dirty || connection->pumping) return;
    connection->dirty = true;
    connection->dirty_next = connection->server->dirty;
    connection->server->dirty = connection;
}

void connection_flush_dirty(struct http_server *server)
{
    while (server->dirty) {
        struct connection *connection = server->dirty;
        server->dirty = connection->dirty_next;
        connection->dirty = false;
        pump(connection);
    }
}

/* Encrypts what the protocol has ready, and collects what TLS has for the wire. */
static void collect_encrypted(struct connection *connection, struct pieces *pieces)
{
    if (tls_is_ready(connection->tls)) connection->protocol->collect(connection, pieces);
    size_t taken = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        size_t n = tls_write(connection->tls, (str){ pieces->piece[i].base, pieces->piece[i].len });
        taken += n;
        if (n < pieces->piece[i].len) break;
    }
    if (taken) connection->protocol->written(connection, taken);
    pieces->count = pieces->bytes = 0;
    pieces_add(pieces, tls_outgoing(connection->tls));
}

static void collect(struct connection *connection, struct pieces *pieces)
{
    pieces->count = pieces->bytes = 0;
    if (connection->tls) collect_encrypted(connection, pieces);
    else connection->protocol->collect(connection, pieces);
}

static void sent(struct connection *connection, size_t bytes)
{
    if (connection->tls) tls_sent(connection->tls, bytes);
    else connection->protocol->written(connection, bytes);
}

static void on_written(uv_write_t *write, int status)
{
    struct connection *connection = write->data;
    if (connection->state == CONNECTION_CLOSED) return;
    connection->writing = false;
    if (status < 0) {
        connection_close(connection);
        return;
    }
    sent(connection, connection->writing_bytes);
    pump(connection);
    if (!connection->writing) connection->write_deadline = 0;
}

static void write_later(struct connection *connection)
{
    struct http_server *server = connection->server;
    struct pieces pieces;
    collect(connection, &pieces);
    connection->writing_bytes = pieces.bytes;
    connection->write.data = connection;
    connection->writing = true;
    if (!connection->write_deadline)
        connection->write_deadline = server_now(server) + server->config.limits.write_timeout_ms;
    uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
    if (uv_write(&connection->write, stream, pieces.piece, (unsigned)pieces.count, on_written) < 0)
        connection_close(connection);
}

static void on_shut(uv_shutdown_t *shutdown, int status)
{
    struct connection *connection = shutdown->data;
    if (status < 0) connection_close(connection);
}

/* All is written: shuts our side and waits shortly for the client to close its own. */
static void finish(struct connection *connection)
{
    if (connection->eof) {
        connection_close(connection);
        return;
    }
    connection->state = CONNECTION_LINGERING;
    connection->shutdown.data = connection;
    if (connection->tls) {
        tls_close_notify(connection->tls);
        flush(connection);
    }
    if (connection->state == CONNECTION_CLOSED) return;
    if (uv_shutdown(&connection->shutdown, (uv_stream_t *)&connection->tcp, on_shut) < 0)
        connection_close(connection);
}

/* Writes all that is ready. May close the connection. */
static void flush(struct connection *connection)
{
    struct pieces pieces;
    if (connection->broken) connection_close(connection);
    while (!connection->writing && connection->state != CONNECTION_CLOSED && !pace_has_written(connection)) {
        collect(connection, &pieces);
        if (!pieces.count) break;
        int n = uv_try_write((uv_stream_t *)&connection->tcp, pieces.piece, (unsigned)pieces.count);
        if (n < 0 && n != UV_EAGAIN) {
            connection_close(connection);
            return;
        }
        if (n > 0) pace_write(connection, (size_t)n);
        sent(connection, n < 0 ? 0 : (size_t)n);
        if (n < 0 || (size_t)n < pieces.bytes) write_later(connection);
    }
    if (connection->state == CONNECTION_ENDING && !connection->first && !connection->writing &&
        !pace_has_written(connection))
        finish(connection);
}

/* ---- its beginning and its end ---- */

void connection_switch(struct connection *connection, const struct protocol *protocol)
{
    connection->protocol = protocol;
    protocol->opened(connection);
}

/* The client's address as text. An IPv4 client of a socket for both kinds is written as IPv4. */
static void name_address(struct connection *connection, const struct sockaddr *address)
{
    char *text = connection->address;
    const size_t max = sizeof connection->address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    if (address->sa_family == AF_INET) uv_ip4_name((const struct sockaddr_in *)address, text, max);
    else if (address->sa_family != AF_INET6) text[0] = '\0';
    else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
        uv_inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], text, max);
    else uv_ip6_name(six, text, max);
}

void connection_open(struct http_server *server, uv_stream_t *listener, const struct protocol *protocol)
{
    struct connection *connection = calloc(1, sizeof *connection);
    struct sockaddr_storage address = { 0 };
    must(connection);
    must(uv_tcp_init(net_loop_uv(server->loop), &connection->tcp) == 0);
    connection->tcp.data = connection;
    connection->server = server;
    connection->opened_ms = server_now(server);
    connection->after = server->connections;
    if (server->connections) server->connections->before = connection;
    server->connections = connection;
    server->connection_count++;
    connection_switch(connection, protocol);

    if (uv_accept(listener, (uv_stream_t *)&connection->tcp) < 0) {
        connection_close(connection);
        return;
    }
    (void)uv_tcp_getpeername(&connection->tcp, (struct sockaddr *)&address, &(int){ sizeof address });
    name_address(connection, (struct sockaddr *)&address);
    struct peer *peer = account_peer(server->account, (struct sockaddr *)&address);
    if (!peer_enter(peer, connection) && server->account->refused_count > REFUSED_MAX) {
        connection_close(connection);
        return;
    }
    uv_tcp_nodelay(&connection->tcp, 1);
    if (server->tls) connection->tls = tls_session_new(server->tls);
    settle(connection);
    update_reading(connection);
    update_phase(connection);
}

static void on_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;
    struct http_server *server = connection->server;
    for (struct connection **link = &server->dirty; connection->dirty && *link; link = &(*link)->dirty_next)
        if (*link == connection) {
            *link = connection->dirty_next;
            break;
        }
    if (connection->before) connection->before->after = connection->after;
    else server->connections = connection->after;
    if (connection->after) connection->after->before = connection->before;
    server->connection_count--;
    connection->protocol->closed(connection);
    tls_session_free(connection->tls);
    explicit_bzero(&connection->remembered, sizeof connection->remembered);
    free(connection);
    server->on_connection_closed(server);
}

void connection_close(struct connection *connection)
{
    if (connection->state == CONNECTION_CLOSED) return;
    connection->state = CONNECTION_CLOSED;
    connection_drop_input(connection);
    uv_close((uv_handle_t *)&connection->tcp, on_closed);
    while (connection->first) exchange_detach(connection->first);
    pace_forget(connection);
    if (!connection->peer) return;
    peer_leave(connection);
    account_unref(connection->peer, server_now(connection->server));
    connection->peer = NULL;
}

void connection_end_after_answers(struct connection *connection)
{
    connection->state = CONNECTION_ENDING;
    connection_drop_input(connection);
    connection_mark_dirty(connection);
}

void connection_drain(struct connection *connection)
{
    if (connection->state != CONNECTION_OPEN || !connection->protocol->drain(connection)) return;
    if (!connection->first && !connection->writing) hang_up(connection);
    else connection_end_after_answers(connection);
}
