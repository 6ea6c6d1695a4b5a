/* net/net_int.h — the loop's, the server's and TLS's insides, for the files of this folder.
 *
 * Connections, exchanges and protocols are in protocol_int.h, the parser's pieces in parse_int.h.
 *
 * Ownership: a server owns its connections and exchanges. A connection queues exchanges in the order of their
 * requests; when the client leaves, those without an answer stay alive (connection == NULL) until the handler
 * answers, because it holds pointers into them.
 */
#ifndef NET_NET_INT_H
#define NET_NET_INT_H

#include "net/limits.h"
#include "net/net.h"
#include "net/peer_int.h"

#include <uv.h>

/* ---- the loop ---- */

struct net_stop_hook {
    net_fn *fn;
    void *context;
    struct net_stop_hook *next;
};

uv_loop_t *net_loop_uv(struct net_loop *loop);
void net_add_stop_hook(struct net_loop *loop, struct net_stop_hook *hook);
void net_remove_stop_hook(struct net_loop *loop, struct net_stop_hook *hook);

/* The threads beside the loop (work.c), and how they are freed with it. NULL: nobody has needed them yet. */
struct net_workers;
typedef void net_free_workers(struct net_workers *workers);
struct net_workers *net_loop_workers(const struct net_loop *loop);
void net_loop_set_workers(struct net_loop *loop, struct net_workers *workers, net_free_workers *free_workers);

/* Makes a write to a socket that the other side has closed return an error code, not raise a signal. */
void net_ignore_sigpipe(void);

/* ---- the server ---- */

struct protocol;

enum { READ_BYTES = 64 << 10 }; /* One read from a socket takes at most this. */

struct http_server {
    struct net_loop *loop;
    struct http_server_config config;
    struct net_stop_hook stop_hook;
    uv_tcp_t listener[LISTENERS_MAX];
    size_t listener_count;
    uv_timer_t sweep;
    uv_timer_t grace;
    uv_timer_t alarm; /* For the nearest deadline of a request (alarm.c). */
    uv_prepare_t prepare;
    uv_check_t check;
    uv_idle_t busy;      /* Active while connections wait for their turn (pace.c). */
    size_t handles_open; /* Handles above that are not closed yet. */
    const struct protocol *const *protocols;
    const struct protocol *first_protocol; /* New connections speak it. */
    void (*on_connection_closed)(struct http_server *server);
    uint16_t port;
    struct http_account own_account;
    struct http_account *account; /* Its own, or that of the server beside it. */
    bool draining, closing, closed;
    net_fn *drained;
    void *drained_context;
    struct tls_context *tls;
    struct connection *connections;
    size_t connection_count; /* Counts the closing ones, too. */
    size_t cut_off_count;    /* Connections that were open when the time of grace was over. */
    uint64_t round;          /* The round of the loop, */
    uint32_t accepted_in_round;
    bool accept_waits[LISTENERS_MAX]; /* A connection waits there for the next round. */
    struct chain known_turns, stranger_turns;
    int64_t turns_end_us;
    struct connection *dirty;
    struct exchange *alive;
    struct exchange *answered; /* Local ones (local.c). */
    struct exchange *pool;
    size_t pool_count;
    struct exchange **deadlines; /* A heap, the nearest one first. */
    size_t deadline_count, deadline_room;
    int64_t given_back_ms; /* When memory was last given back to the system. */
    int64_t date_printed_ms;
    char date[40]; /* "Date: Sun, 15 Nov 2026 03:50:11 GMT\r\n" */
    char *read_bytes;
};

/* Milliseconds of the loop's clock. */
static inline int64_t server_now(const struct http_server *server)
{
    return (int64_t)uv_now(net_loop_uv(server->loop));
}

/* ---- TLS ----
 *
 * Sits between the socket's bytes and the connection's; it calls neither. */

/* Offers the names of the protocols in ALPN, in their order. */
struct tls_files {
    const char *certificate, *key;
    const char *client_authorities; /* NULL: nobody shows a certificate. */
};
enum status tls_context_new(const struct tls_files *files, const struct protocol *const *protocols,
                            struct tls_context **ret_context, struct error *err);
/* Reads the files again. Sessions that are open keep what they have. */
enum status tls_context_reload(struct tls_context *context, const struct tls_files *files, struct error *err);
void tls_context_free(struct tls_context *context);

struct tls_session *tls_session_new(struct tls_context *context);
void tls_session_free(struct tls_session *session);

/* Takes bytes from the wire. */
void tls_take(struct tls_session *session, str bytes);
bool tls_has_input(const struct tls_session *session); /* Some of them are not decrypted yet. */

enum tls_result { TLS_PLAIN, TLS_NEEDS_MORE, TLS_END, TLS_BROKEN };

/* Decrypts one record: `ret_plain` is borrowed until the next call for any session of the context. When the
 * session is broken, the alert that tells the client why is in tls_outgoing(). */
enum tls_result tls_read(struct tls_session *session, str *ret_plain);

/* Encrypts some bytes, at most a few hundred KiB so that what waits for the wire stays small. Returns how
 * many; none while earlier ones wait. */
size_t tls_write(struct tls_session *session, str plain);
void tls_close_notify(struct tls_session *session);
bool tls_is_ready(const struct tls_session *session); /* The handshake is over. */
str tls_protocol(
    const struct tls_session *session); /* The name that ALPN chose; empty: the client offered none. */

/* "CN=NAME" of the certificate that the client has shown and proved; empty: none. */
str tls_subject(struct tls_session *session);

/* Bytes that have to go onto the wire; tls_sent() when they did. Borrowed until then. */
str tls_outgoing(struct tls_session *session);
void tls_sent(struct tls_session *session, size_t bytes);

#endif
