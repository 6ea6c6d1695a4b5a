/* net/choose.c — a connection before it is known which protocol it speaks.
 *
 * Under TLS the client's ALPN decides; a client that offers no name, or comes without TLS, is known by its
 * first bytes. Until then this protocol speaks for the connection. It answers nothing: the last protocol of
 * the list does that for connections that end before they have said what they are.
 */
#include "net/protocol_int.h"

#include "base/must.h"

static const struct protocol *last_of(const struct http_server *server)
{
    const struct protocol *const *list = server->protocols;
    while (list[1]) list++;
    return *list;
}

/* The first that recognises the bytes, or NULL if one before it needs more of them. */
static const struct protocol *find_by_bytes(const struct http_server *server, str bytes)
{
    const struct protocol *const *list = server->protocols;
    for (; list[1]; list++) {
        enum protocol_match match = (*list)->recognise(bytes);
        if (match == MATCH_NEEDS_MORE) return NULL;
        if (match == MATCH_YES) return *list;
    }
    return *list;
}

static const struct protocol *find_by_name(const struct http_server *server, str name)
{
    const struct protocol *const *list = server->protocols;
    while (*list && !str_equal((*list)->name, name)) list++;
    return *list;
}

static void nothing(struct connection *connection) { (void)connection; }

static bool wants(const struct connection *connection)
{
    (void)connection;
    return true;
}

static size_t take(struct connection *connection, str bytes)
{
    const struct protocol *protocol = find_by_bytes(connection->server, bytes);
    if (!protocol) {
        connection->starved = true;
        return 0;
    }
    connection_switch(connection, protocol);
    return protocol->take(connection, bytes);
}

static enum connection_phase phase(const struct connection *connection)
{
    return connection->pending.n ? PHASE_HEAD : PHASE_IDLE;
}

static void refuse(struct connection *connection, enum refusal refusal)
{
    connection_switch(connection, last_of(connection->server));
    connection->protocol->refuse(connection, refusal);
}

static void secured(struct connection *connection, str alpn)
{
    if (!alpn.n) return;
    const struct protocol *protocol = find_by_name(connection->server, alpn);
    must(protocol); /* ALPN has chosen from the same list. */
    connection_switch(connection, protocol);
}

static void timed_out(struct connection *connection, enum connection_phase late)
{
    connection_switch(connection, last_of(connection->server));
    connection->protocol->timed_out(connection, late);
}

static bool drain(struct connection *connection) { return !connection->pending.n; }

static void collect(struct connection *connection, struct pieces *pieces)
{
    (void)connection;
    (void)pieces;
}

static void written(struct connection *connection, size_t bytes)
{
    (void)connection;
    must(bytes == 0);
}

const struct protocol choose_protocol = {
    .opened = nothing,
    .closed = nothing,
    .secured = secured,
    .wants = wants,
    .take = take,
    .phase = phase,
    .timed_out = timed_out,
    .abandon = nothing,
    .drain = drain,
    .refuse = refuse,
    .collect = collect,
    .written = written,
};
