/* net/peer_int.h — strangers, known clients, and the addresses that they come from.
 *
 * A client is a stranger until the gate says that it has shown the secret (http_request.known). A connection
 * is a stranger's until one of its requests is known. One account counts everything that strangers make the
 * server hold: connections, heads, bodies, answers that nobody reads. Known clients have accounts of their
 * own, so a stranger never takes memory that a known client needs.
 *
 * A peer is an address that clients come from: an IPv4 address, or the first half of an IPv6 address, which
 * one customer usually has to itself. Each peer has a share of every account.
 *
 *     strangers       strangers_bytes_max, half of the connections, a quarter of the calls that may wait for
 *                     the engine; a peer a quarter of each
 *     known clients   requests_bytes_max, and all connections; a peer leaves an eighth of both to others
 *
 * Strangers are never told to wait. When they hold more than they may, the oldest of their connections is
 * closed. So a newcomer always gets in, and has time to show its secret. A connection whose request is with
 * its handler is passed over: to close it would free nothing. Bytes of such requests, and those of strangers
 * that share a connection with a known client (behind a proxy), are pinned. They have half as much room
 * again, and a request that finds none of it is refused.
 */
#ifndef NET_PEER_INT_H
#define NET_PEER_INT_H

#include "base/limits.h"
#include "base/map.h"

struct connection;
struct exchange;

/* A bucket that leaks: so much is too much. */
struct flood {
    int64_t level; /* In thousandths of a frame. */
    int64_t at_ms;
};

/* Connections in the order in which they came. A connection has one link for each chain. */
struct chain {
    struct connection *first, *last;
};
enum chain_name { CHAIN_ACCOUNT, CHAIN_PEER, CHAIN_TURN, CHAIN_COUNT };
struct chain_link {
    struct connection *before, *after;
};

void chain_append(struct chain *chain, enum chain_name name, struct connection *connection);
void chain_remove(struct chain *chain, enum chain_name name, struct connection *connection);

/* connection_close(), which is above the files of this header. */
typedef void account_close_fn(struct connection *connection);

/* Memory and connections that clients hold, of all servers that share the account. */
struct http_account {
    const struct limits *limits;
    account_close_fn *close;
    size_t connections_max;  /* The limit, or less if there are fewer file descriptors. */
    int64_t known_bytes;     /* Bytes of requests of known clients, from their head to their answer. */
    int64_t stranger_bytes;  /* Bytes of all that strangers make the server hold, */
    int64_t pinned_bytes;    /* and the part that stays if the connection of a stranger is closed. */
    int64_t peak_bytes;      /* The most of both since memory was given back to the system. */
    size_t connection_count; /* Open ones, without those that are one too many. */
    size_t refused_count;    /* Open ones that are one too many. */
    size_t stranger_count;   /* Open ones of strangers. */
    size_t stranger_calls;   /* Requests of strangers that their handlers have. */
    struct chain strangers;  /* The same, the oldest first. */
    struct map peers;
    struct {
        struct peer *first, *last;
    } left; /* Peers that nobody uses any more, until their bucket is empty. */
};

struct peer {
    uint64_t address;
    struct http_account *account;
    size_t users; /* Connections and exchanges. */
    int64_t known_bytes, stranger_bytes, pinned_bytes;
    size_t known_count, stranger_count; /* Connections. */
    size_t stranger_calls;
    struct chain strangers;
    struct flood resets; /* Streams that strangers cut off. */
    int64_t left_ms;
    struct peer *left_next;
    bool is_left; /* It is in the account's list. */
};

/* ---- account.c ---- */

struct sockaddr;
void account_init(struct http_account *account, const struct limits *limits, size_t connections_max,
                  account_close_fn *close);
void account_done(struct http_account *account);

/* Finds or makes the peer of an address, and takes a reference. */
struct peer *account_peer(struct http_account *account, const struct sockaddr *address);
void account_ref(struct peer *peer);
void account_unref(struct peer *peer, int64_t now_ms);

/* Counts bytes, or gives them back. `peer` is NULL for requests that came by no connection. */
void account_add(struct http_account *account, struct peer *peer, bool known, int64_t bytes);

/* Counts bytes of strangers that no longer go with a connection, or that do so again. */
void account_pin(struct http_account *account, struct peer *peer, int64_t bytes);

/* Forgets peers that have left for long enough. */
void account_look(struct http_account *account, int64_t now_ms);

/* ---- peer.c ---- */

/* A connection has come: it is a stranger's. Closes the oldest stranger if there are too many. False: all
 * connections are known ones, and this one is one too many. */
bool peer_enter(struct peer *peer, struct connection *connection);
/* A stranger has come a step further: it counts as new, so that others have to go first. */
void peer_renew(struct connection *connection);
/* It is known from now on. False: its peer has as many known connections as it may. */
bool peer_know(struct connection *connection);
/* Counts the connection's own memory. */
void peer_count(struct connection *connection);
/* It closes. */
void peer_leave(struct connection *connection);

/* Whether strangers of this peer may hold so many more bytes. Closes older connections of strangers to make
 * it so. `connection`: the stranger that asks, or NULL; false if it is itself the oldest. */
bool peer_make_room(struct peer *peer, const struct connection *connection, int64_t more);

/* Whether a handler may get one more request of a stranger of this peer, with so many more bytes. */
bool peer_may_call(const struct peer *peer, int64_t more);
/* It has got it, or has answered it. */
void peer_count_call(struct peer *peer, bool begins);

/* Whether known clients of this peer leave enough of `max` to others if they hold so many more bytes. */
bool peer_leaves_room(const struct peer *peer, int64_t max, int64_t more);

#endif
