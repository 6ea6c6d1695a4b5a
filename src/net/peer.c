/* net/peer.c — accounts of strangers and of known clients, with a share for each peer. */
#include "net/protocol_int.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

enum {
    STRANGERS_PART = 2, /* Strangers may have half of the connections. */
    CALLS_PART = 4,     /* Strangers may have a quarter of the calls that wait for the engine. */
    STRANGER_SHARE = 4, /* One peer's strangers may hold a quarter of what all strangers may. */
    STRANGERS_LEAST = 16, /* A server with few connections lets so many in nevertheless. */
    KNOWN_RESERVE = 8,  /* One peer's known clients leave an eighth to others. */
    LEFT_MS = 1000 * FLOOD_FRAMES_MAX / FLOOD_SECOND_MAX, /* A full bucket is empty after this time. */
};

/* ---- chains ---- */

static struct chain_link *link_of(struct connection *connection, enum chain_name name)
{
    return &connection->link[name];
}

void chain_append(struct chain *chain, enum chain_name name, struct connection *connection)
{
    *link_of(connection, name) = (struct chain_link){ .before = chain->last };
    if (chain->last) link_of(chain->last, name)->after = connection;
    else chain->first = connection;
    chain->last = connection;
}

void chain_remove(struct chain *chain, enum chain_name name, struct connection *connection)
{
    struct chain_link *link = link_of(connection, name);
    if (link->before) link_of(link->before, name)->after = link->after;
    else chain->first = link->after;
    if (link->after) link_of(link->after, name)->before = link->before;
    else chain->last = link->before;
}

/* ---- the account ---- */

void account_init(struct http_account *account, const struct limits *limits, size_t connections_max)
{
    *account = (struct http_account){ .limits = limits, .connections_max = connections_max };
    map_init(&account->peers);
}

void account_done(struct http_account *account)
{
    account_look(account, INT64_MAX);
    must(!account->peers.count);
    map_done(&account->peers);
}

void account_add(struct http_account *account, struct peer *peer, bool known, int64_t bytes)
{
    *(known ? &account->known_bytes : &account->stranger_bytes) += bytes;
    if (peer) *(known ? &peer->known_bytes : &peer->stranger_bytes) += bytes;
    int64_t held = account->known_bytes + account->stranger_bytes;
    if (held > account->peak_bytes) account->peak_bytes = held;
}

static void forget(struct peer *peer)
{
    map_take(&peer->account->peers, peer->address);
    free(peer);
}

void account_look(struct http_account *account, int64_t now_ms)
{
    while (account->left.first && now_ms - account->left.first->left_ms >= LEFT_MS) {
        struct peer *peer = account->left.first;
        list_drop_first(&account->left, left_next);
        peer->is_left = false;
        if (!peer->users) forget(peer);
    }
}

/* ---- peers ---- */

/* Addresses of IPv4 are put where IPv6 has groups of receivers, which never send. */
static uint64_t ipv4(uint32_t address) { return UINT64_C(0xffffffff) << 32 | ntohl(address); }

static uint64_t number_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) return ipv4(((const struct sockaddr_in *)address)->sin_addr.s_addr);
    if (address->sa_family != AF_INET6) return 0;
    const struct in6_addr *long_form = &((const struct sockaddr_in6 *)address)->sin6_addr;
    uint32_t short_form;
    uint64_t number = 0;
    memcpy(&short_form, long_form->s6_addr + 12, sizeof short_form);
    if (IN6_IS_ADDR_V4MAPPED(long_form)) return ipv4(short_form);
    for (size_t i = 0; i < 8; i++) number = number << 8 | long_form->s6_addr[i];
    return number;
}

struct peer *peer_of(struct http_account *account, const struct sockaddr *address)
{
    uint64_t number = number_of(address);
    struct peer *peer = map_get(&account->peers, number);
    if (!peer) {
        peer = calloc(1, sizeof *peer);
        must(peer);
        peer->address = number;
        peer->account = account;
        map_put(&account->peers, number, peer);
    }
    peer_ref(peer);
    return peer;
}

void peer_ref(struct peer *peer) { peer->users++; }

void peer_unref(struct peer *peer, int64_t now_ms)
{
    must(peer->users);
    if (--peer->users) return;
    must(!peer->known_bytes && !peer->stranger_bytes);
    peer->left_ms = now_ms;
    if (peer->is_left) return;
    if (!peer->resets.level) {
        forget(peer);
        return;
    }
    peer->is_left = true;
    list_append(&peer->account->left, peer, left_next);
}

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
    return peer->stranger_bytes + more > bytes_max(peer->account) / STRANGER_SHARE ||
           peer->stranger_count > part_of(strangers_max(peer->account), STRANGER_SHARE);
}

static bool account_is_over(const struct http_account *account, int64_t more)
{
    return account->stranger_bytes + more > bytes_max(account) ||
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
        connection_close(next);
    }
}

bool peer_may_call(const struct peer *peer)
{
    size_t max = part_of((size_t)peer->account->limits->queue_calls_max, CALLS_PART);
    return peer->account->stranger_calls < max && peer->stranger_calls < part_of(max, STRANGER_SHARE);
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
        connection_close(victim);
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
