/* net/net_int.h — what the files of this folder share.
 *
 *     server.c      listens, accepts, sweeps timeouts, drains
 *     connection.c  one connection: bytes in, requests out, its end
 *     respond.c     answers: composed, kept in order, written in as few calls as possible
 *     exchange.c    a request with its answer, from a pool
 *     tls.c         the same bytes, encrypted
 *
 * Ownership: a server owns its connections and exchanges. A connection queues exchanges in
 * the order of their requests; when the client leaves, those without an answer stay alive
 * (connection == NULL) until the handler answers, because it holds pointers into them.
 */
#ifndef NET_NET_INT_H
#define NET_NET_INT_H

#include "net/net.h"

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

/* A write to a socket that the other side has closed is an error code, not a signal. */
void net_ignore_sigpipe(void);

/* ---- pieces of the parser that the client uses too ---- */

/* Both: 1 if there was one, and the cursor is behind it; 0: more is needed; or -400. */
int parse_field(const char **cursor, const char *end, struct http_header *ret_field);
int parse_empty_line(const char **cursor, const char *end);

/* Digits only; INT64_MAX when it does not fit. */
bool parse_length(str text, int64_t *ret_length);

/* Whether a comma-separated list has the word, in any case. */
bool parse_has_option(str list, str option);

bool parse_is_token(char c);
void parse_split_target(str target, str *ret_path, str *ret_query);

/* ---- exchanges ---- */

enum answer_state {
    ANSWER_NONE,     /* The handler has it. */
    ANSWER_STREAM,   /* Begun; more will come. */
    ANSWER_COMPLETE, /* All of it is here, if not yet on the wire. */
};

struct exchange {
    struct http_request request; /* First: a handler's pointer is a pointer to this. */
    struct arena arena;
    struct http_server *server;
    struct connection *connection;   /* NULL: the client is gone. */
    struct exchange *next;           /* In the connection's queue or the pool. */
    struct exchange *before, *after; /* All that are alive, for http_server_free(). */
    enum answer_state state;
    bool keep_alive;
    bool old; /* HTTP/1.0: keep-alive has to be said and chunks are unknown. */
    bool head_only;
    bool unwanted;             /* The request's body is read and dropped. */
    bool privileged;           /* HTTP_TAKE_ALWAYS. */
    int64_t request_bytes;     /* Counted in server->requests_bytes, */
    int64_t answer_bytes;      /* and in the budget of answers. */
    str head_left;             /* Bytes that are not on the wire yet, in this order: head, */
    str body_left;             /* body or the part of a stream that is being written, */
    struct buf stream;         /* and what was streamed since. */
    struct buf stream_sending; /* Owns body_left of a stream. */
    struct buf body;           /* Of the request: in the arena when small, on the heap when large. */
};

struct exchange *exchange_new(struct http_server *server);
void exchange_release(struct exchange *exchange);
void exchange_free_all(struct http_server *server);

/* From now on it holds that many bytes as a request, or as an answer. */
void exchange_hold_request(struct exchange *exchange, int64_t bytes);
void exchange_hold_answer(struct exchange *exchange, int64_t bytes);

/* ---- connections ---- */

enum connection_state {
    CONNECTION_OPEN,
    CONNECTION_ENDING,    /* Reads no more requests; closes after the last answer. */
    CONNECTION_LINGERING, /* Our side is shut; waits shortly for theirs, so that they can read. */
    CONNECTION_CLOSED,    /* uv_close() was called. */
};

/* What the read deadline is about. */
enum connection_phase {
    PHASE_NEW,
    PHASE_HANDSHAKE,
    PHASE_IDLE,
    PHASE_HEAD,
    PHASE_BODY,
    PHASE_WAIT,
    PHASE_LINGER,
};

struct connection {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct http_server *server;
    struct connection *before, *after; /* In server->connections. */
    struct connection *dirty_next;
    struct tls_session *tls;       /* NULL: plain. */
    struct exchange *first, *last; /* Answers owed, oldest first. */
    struct exchange *incoming;     /* Its body is being read. */
    struct buf pending;            /* Read but not parsed. */
    uint64_t body_left;            /* Of incoming, unless it is chunked. */
    bool chunked;
    struct http_chunks chunks;
    str interim;           /* Of "100 Continue", what is not on the wire yet. */
    int64_t read_deadline; /* On the loop's clock; 0: none. */
    int64_t write_deadline;
    size_t writing_bytes;  /* Handed to uv_write() and not yet gone. */
    int64_t pending_bytes; /* Of `pending`, counted in server->pending_bytes. */
    int64_t answer_bytes;  /* Of all answers in the queue. */
    uint32_t in_flight;    /* Exchanges in the queue. */
    enum connection_state state;
    enum connection_phase phase;
    bool starved; /* Nothing can be parsed from `pending` until more is read. */
    bool refused; /* One too many: here only to be told so. */
    bool reading; /* uv_read_start() is in force. */
    bool writing;
    bool pumping; /* Requests are being parsed: answers wait for its end. */
    bool dirty;
    bool broken;       /* To be closed by the next flush. */
    bool continue_due; /* 100 Continue, once earlier answers are out. */
    bool eof;
};

void connection_open(struct http_server *server, uv_stream_t *listener);
void connection_close(struct connection *connection);  /* At once. */
void connection_end(struct connection *connection);    /* After what is owed: for draining. */
void connection_finish(struct connection *connection); /* All is written: shuts our side. */

/* Parses what is pending, as far as back-pressure allows, and writes what is ready. */
void connection_pump(struct connection *connection);

/* Plain bytes from the client. */
void connection_take(struct connection *connection, str bytes);
void connection_take_eof(struct connection *connection);

/* Whether more requests may be taken now. */
bool connection_wants_requests(const struct connection *connection);

/* Puts an exchange behind those that are owed. */
void connection_queue(struct connection *connection, struct exchange *exchange);

/* Gives up what has been read of a request. */
void connection_drop_input(struct connection *connection);

void connection_timed_out(struct connection *connection); /* Its read deadline has passed. */

/* Looks whether the client has left, if the socket is not read. */
void connection_look_for_end(struct connection *connection);

/* ---- answers ---- */

/* clang-format off */
#define REFUSAL_MAP(XX)                                                                                     \
    XX(HEAD, 400, "", "bad-request", "malformed-head", "The request's head is not valid HTTP/1.1.")         \
    XX(CHUNK, 400, "", "bad-request", "malformed-chunk", "The chunked body is malformed.")                  \
    XX(SLOW_HEAD, 408, "", "request-timeout", "slow-head", "The request's head took too long.")             \
    XX(SLOW_BODY, 408, "", "request-timeout", "slow-body", "The request's body took too long.")             \
    XX(LARGE_BODY, 413, "", "limit-exceeded", "body-too-large", "The request's body is too large.")         \
    XX(EXPECTATION, 417, "", "bad-request", "unknown-expectation", "Only 100-continue can be expected.")    \
    XX(LARGE_HEAD, 431, "", "limit-exceeded", "head-too-large", "The request's head is too large.")         \
    XX(METHOD, 501, "", "not-implemented", "unknown-method", "The method is not known.")                    \
    XX(CROWDED, 503, "Retry-After: 1\r\n", "overloaded", "too-many-connections",                            \
       "Too many connections are open.")                                                                    \
    XX(BUSY, 503, "Retry-After: 1\r\n", "overloaded", "requests_bytes_max",                                 \
       "Requests that are in memory have reached the limit requests_bytes_max.")                            \
    XX(VERSION, 505, "", "version-not-supported", "unknown-version",                                        \
       "Only HTTP/1.1 and HTTP/1.0 are spoken.")
/* clang-format on */

enum refusal {
#define XX(NAME, status, advice, error, reason, message) REFUSE_##NAME,
    REFUSAL_MAP(XX)
#undef XX
};

/* Queues an error answer behind those already owed and ends the connection. */
void respond_refuse(struct connection *connection, enum refusal refusal);

/* Writes all that is ready. May close the connection. */
void respond_flush(struct connection *connection);

/* Has it flushed before the loop waits again. */
void respond_mark_dirty(struct connection *connection);
void respond_flush_dirty(struct http_server *server);

/* ---- the server ---- */

enum { LISTENERS_MAX = 4, READ_BYTES = 64 << 10 };

struct http_server {
    struct net_loop *loop;
    struct http_server_config config;
    struct net_stop_hook stop_hook;
    uv_tcp_t listener[LISTENERS_MAX];
    size_t listener_count;
    uv_timer_t sweep;
    uv_timer_t grace;
    uv_prepare_t prepare;
    uv_check_t check;
    size_t handles_open; /* Of the above. */
    uint16_t port;
    size_t connections_max; /* What the limit and the descriptors allow. */
    int64_t requests_bytes; /* Of requests, from their head to their answer. */
    int64_t pending_bytes;  /* Of what was read and is not parsed yet. */
    bool draining, closing, closed;
    net_fn *drained;
    void *drained_context;
    struct tls_context *tls;
    struct connection *connections;
    size_t connection_count, refused_count;
    struct connection *dirty;
    struct exchange *alive;
    struct exchange *pool;
    size_t pool_count;
    int64_t date_printed_ms;
    char date[40]; /* "Date: Sun, 15 Nov 2026 03:50:11 GMT\r\n" */
    char *read_bytes;
};

int64_t server_now(const struct http_server *server); /* Milliseconds of the loop's clock. */
void server_connection_gone(struct http_server *server);

/* ---- TLS ---- */

enum status tls_context_new(const char *certificate, const char *key, struct tls_context **ret_context,
                            struct error *err);
void tls_context_free(struct tls_context *context);

struct tls_session *tls_session_new(struct tls_context *context);
void tls_session_free(struct tls_session *session);

/* Bytes from the wire: decrypts them and calls connection_take(). */
void tls_take(struct connection *connection, str bytes);

/* Goes on with what was left undecrypted when the connection paused. */
void tls_resume(struct connection *connection);

/* Encrypts some bytes, at most a few hundred KiB so that what waits for the wire stays small. Returns how
 * many; none while earlier ones wait. */
size_t tls_write(struct tls_session *session, str plain);
void tls_close_notify(struct tls_session *session);
bool tls_is_ready(const struct tls_session *session); /* The handshake is over. */

/* What has to go onto the wire; tls_sent() when it did. Borrowed until then. */
str tls_outgoing(struct tls_session *session);
void tls_sent(struct tls_session *session, size_t bytes);

#endif
