/* net/peer.c — connections of strangers and of known clients: their shares, and who has to go. */
#include "net/protocol_int.h"

enum {
    STRANGERS_PART = 2,   /* Strangers may have half of the connections. */
    PINNED_PART = 2,      /* Pinned bytes have half as much room again. */
    CALLS_PART = 4,       /* Strangers may have a quarter of the calls that wait for the engine. */
    STRANGER_SHARE = 4,   /* One peer's strangers may hold a quarter of what all strangers may. */
    STRANGERS_LEAST = 16, /* A server with few connections lets so many in nevertheless. */
    KNOWN_RESERVE = 8,    /* One peer's known clients leave an eighth to others. */
};

/* ---- strangers ---- */

static int64_t bytes_max(const struct http_account *account) { return account->limits->strangers_bytes_max; }

static size_t part_of(size_t count, size_t part)
{
    return count / part > STRANGERS_LEAST ? count / part : STRANGERS_LEAST;
}

static size_t strangers_max(const struct http_account *account)
{
    return part_of(account->connections_max, STRANGERS_PART);
}

static bool peer_is_over(const struct peer *peer, int64_t more)
{
    return peer->stranger_bytes - peer->pinned_bytes + more > bytes_max(peer->account) / STRANGER_SHARE ||
           peer->stranger_count > part_of(strangers_max(peer->account), STRANGER_SHARE);
}

static bool account_is_over(const struct http_account *account, int64_t more)
{
    return account->stranger_bytes - account->pinned_bytes + more > bytes_max(account) ||
           account->stranger_count > strangers_max(account);
}

/* Whether a handler has one of its requests. */
static bool is_working(const struct connection *connection)
{
    for (const struct exchange *exchange = connection->first; exchange; exchange = exchange->next)
        if (exchange->state == ANSWER_NONE && exchange->arrived) return true;
    return false;
}

static struct connection *oldest(const struct chain *chain, enum chain_name name)
{
    struct connection *connection = chain->first;
    while (connection && is_working(connection)) connection = connection->link[name].after;
    return connection;
}

bool peer_make_room(struct peer *peer, const struct connection *connection, int64_t more)
{
    struct http_account *account = peer->account;
    for (;;) {
        struct connection *next;
        if (peer_is_over(peer, more)) next = oldest(&peer->strangers, CHAIN_PEER);
        else if (account_is_over(account, more)) next = oldest(&account->strangers, CHAIN_ACCOUNT);
        else return true;
        if (!next || next == connection) return false;
        account->close(next);
    }
}

static bool may_pin(const struct peer *peer, int64_t more)
{
    int64_t max = bytes_max(peer->account) / PINNED_PART;
    return peer->account->pinned_bytes + more <= max && peer->pinned_bytes + more <= max / STRANGER_SHARE;
}

bool peer_may_call(const struct peer *peer, int64_t more)
{
    size_t max = part_of((size_t)peer->account->limits->queue_calls_max, CALLS_PART);
    return peer->account->stranger_calls < max && peer->stranger_calls < part_of(max, STRANGER_SHARE) &&
           may_pin(peer, more);
}

void peer_count_call(struct peer *peer, bool begins)
{
    size_t change = begins ? 1 : (size_t)-1;
    peer->stranger_calls += change;
    peer->account->stranger_calls += change;
}

/* ---- connections ---- */

static void leave_strangers(struct connection *connection)
{
    struct peer *peer = connection->peer;
    chain_remove(&peer->account->strangers, CHAIN_ACCOUNT, connection);
    chain_remove(&peer->strangers, CHAIN_PEER, connection);
    peer->account->stranger_count--;
    peer->stranger_count--;
}

bool peer_enter(struct peer *peer, struct connection *connection)
{
    struct http_account *account = peer->account;
    struct connection *victim;
    while (account->connection_count >= account->connections_max &&
           (victim = oldest(&account->strangers, CHAIN_ACCOUNT)))
        account->close(victim);
    connection->peer = peer;
    connection->refused = account->connection_count >= account->connections_max;
    *(connection->refused ? &account->refused_count : &account->connection_count) += 1;
    chain_append(&account->strangers, CHAIN_ACCOUNT, connection);
    chain_append(&peer->strangers, CHAIN_PEER, connection);
    account->stranger_count++;
    peer->stranger_count++;
    return !connection->refused;
}

void peer_renew(struct connection *connection)
{
    struct peer *peer = connection->peer;
    if (!peer || connection->known) return;
    chain_remove(&peer->account->strangers, CHAIN_ACCOUNT, connection);
    chain_remove(&peer->strangers, CHAIN_PEER, connection);
    chain_append(&peer->account->strangers, CHAIN_ACCOUNT, connection);
    chain_append(&peer->strangers, CHAIN_PEER, connection);
}

bool peer_know(struct connection *connection)
{
    struct peer *peer = connection->peer;
    size_t max = peer->account->connections_max;
    if (connection->known) return true;
    if (connection->refused || peer->known_count >= max - max / KNOWN_RESERVE) return false;
    leave_strangers(connection);
    account_add(peer->account, peer, false, -connection->held_bytes);
    connection->held_bytes = 0;
    connection->known = true;
    peer->known_count++;
    return true;
}

void peer_leave(struct connection *connection)
{
    struct peer *peer = connection->peer;
    struct http_account *account = peer->account;
    if (connection->known) peer->known_count--;
    else leave_strangers(connection);
    *(connection->refused ? &account->refused_count : &account->connection_count) -= 1;
    account_add(account, peer, connection->known, -connection->held_bytes);
    connection->held_bytes = 0;
}

bool peer_leaves_room(const struct peer *peer, int64_t max, int64_t more)
{
    return !peer || peer->known_bytes + more <= max - max / KNOWN_RESERVE;
}

/* ---- the memory of connections ---- */

static int64_t tls_bytes_of(const struct connection *connection)
{
    if (!connection->tls) return 0;
    if (tls_is_ready(connection->tls)) return TLS_READY_BYTES;
    return connection->heard ? TLS_HANDSHAKE_BYTES : TLS_SILENT_BYTES;
}

/* An idle connection of a known client is not counted: its client may have as many as it needs. */
static int64_t bytes_of(const struct connection *connection)
{
    int64_t pending = (int64_t)connection->pending.cap;
    if (connection->known) return pending;
    return (int64_t)sizeof *connection + pending + tls_bytes_of(connection) +
           (connection->protocol->bytes ? connection->protocol->bytes(connection) : 0);
}

void peer_count(struct connection *connection)
{
    if (!connection->peer || connection->state == CONNECTION_CLOSED) return;
    int64_t bytes = bytes_of(connection);
    if (bytes == connection->held_bytes) return;
    account_add(connection->server->account, connection->peer, connection->known,
                bytes - connection->held_bytes);
    connection->held_bytes = bytes;
}
