/* net/net.h — the event loop, an HTTP server and a small blocking client.
 *
 * One thread runs the loop and everything here, except net_wake(), which any thread may
 * call, and work that is given to threads beside it (net_work()). The server parses strictly, keeps
 * connections alive, and gives every request to one handler. A handler answers at once or later, in any
 * order, from the loop's thread; the protocol of the connection (HTTP/1.1 or HTTP/2) puts the answers into
 * the order that it needs. Nothing in this folder knows what a request means.
 *
 * Refused with 400 and closed: bare LF, obs-fold, space before a colon, more than one
 * Content-Length, Content-Length with Transfer-Encoding, a transfer coding other than
 * chunked, HTTP/1.1 without exactly one Host, control characters. Also 408 (slow sender),
 * 413 (body), 431 (head), 501 (unknown method), 505 (version), 417 (an
 * expectation other than 100-continue), 503 (too many connections, or too many bytes in
 * memory). No handler sees these.
 *
 * Memory is bounded for all clients together, and apart for strangers and for known clients (the gate tells
 * which). Requests of known clients may hold `requests_bytes_max` bytes, of which bodies of more than 64 KiB
 * may take three quarters. Their answers that nobody has read count in a budget that the server shares with
 * the makers of answers. A client that is slow to read is cut off after `write_timeout_ms`, and much sooner
 * while that budget is used up. All that strangers hold is bounded by `strangers_bytes_max`; beyond it their
 * oldest connections are closed. Each address that clients come from has a share of all this.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/status.h"
#include "net/limits.h"

/* ---- the loop ---- */

struct net_loop;

struct net_loop *net_loop_new(void);
void net_loop_free(struct net_loop *loop);
void net_loop_run(struct net_loop *loop);  /* Until net_loop_stop() and all is closed. */
void net_loop_stop(struct net_loop *loop); /* Closes servers too, at once: drain them first. */

typedef void net_fn(void *context);

/* Calls `fn` on the loop's thread soon after each net_wake(); several wakes may become one
 * call. */
struct net_waker;
struct net_waker *net_waker_new(struct net_loop *loop, net_fn *fn, void *context);
void net_wake(struct net_waker *waker); /* From any thread, cheap when already pending. */

/* Calls `fn` for SIGINT and SIGTERM. */
void net_on_signal(struct net_loop *loop, net_fn *fn, void *context);
/* On SIGHUP. */
void net_on_hangup(struct net_loop *loop, net_fn *fn, void *context);

/* Calls `fn` every `ms` milliseconds until the loop stops. */
void net_every(struct net_loop *loop, int64_t ms, net_fn *fn, void *context);

/* Calls `fn` once in every round of the loop, after all events of the round were handled. A loop takes
 * one such function. */
void net_each_round(struct net_loop *loop, net_fn *fn, void *context);

/* How the loop's thread fares. A round is all that happens between two waits: meanwhile nobody is served.
 * Only loops with net_each_round() look at the time. */
struct net_load {
    uint64_t stalls;    /* Rounds that took longer than STALL_MS. */
    int64_t longest_us; /* The longest one so far. */
};
struct net_load net_loop_load(const struct net_loop *loop);

/* ---- work beside the loop ---- */

/* Nothing that takes longer than about a millisecond may run on the loop's thread: everybody waits for it.
 * Such work is a struct in the caller's storage, all zero behind `context`. The loop has a few threads for
 * it, and each piece is taken in its turn. */
struct net_work {
    net_fn *run;  /* Called on one of these threads. Its data belongs to it until it returns. */
    net_fn *done; /* Called on the loop's thread afterwards. */
    void *context;
    struct net_work *next_;
    struct net_workers *workers_; /* NULL: it was never begun. */
    enum { NET_WORK_NONE, NET_WORK_WAITS, NET_WORK_RUNS, NET_WORK_ENDED } state_;
};
void net_work(struct net_loop *loop, struct net_work *work);

/* Takes the work back, and waits for its end if it runs: done() will not be called. Also for work that was
 * never begun or is done, and after the loop has stopped. */
void net_work_cancel(struct net_work *work);

/* The same, unless it runs already: then false, and done() will be called. */
bool net_work_withdraw(struct net_work *work);

/* ---- the HTTP server ---- */

struct http_header {
    str name;
    str value;
};

struct grpc_call;

/* Gets the next piece of a body; false: no more is wanted. */
typedef bool http_piece_fn(str piece, void *context);

/* The credential that came with the last request of a connection, for the gate: a client sends the same one
 * each time, and to compare it is cheaper than to hash it. The network wipes it at the connection's end. */
enum { HTTP_REMEMBERED_HASH_BYTES = 32 };
struct http_remembered {
    size_t n; /* 0: nothing. */
    char text[HTTP_REMEMBERED_BYTES_MAX];
    unsigned char hash[HTTP_REMEMBERED_HASH_BYTES];
};

/* One request and, later, its answer. It lives until its answer has been given and written
 * (or dropped, if the client is gone), and so does everything in its arena. */
struct http_request {
    str method;
    str target; /* As sent. */
    str path;   /* Before '?', as sent: still percent-encoded. */
    str query;  /* Behind '?', or empty. */
    const struct http_header *header;
    size_t header_count;
    uint64_t header_bits_; /* A bit for each name; http_set_headers() sets the three. */
    str body;
    bool has_body;          /* A body was announced; `body` is empty until the handler is called. */
    int64_t body_bytes_max; /* The gate may set it: the longest body of this request, instead of the limit of
                               that name. 0: that limit counts. */
    bool known;      /* The gate sets it: the sender has shown the secret, or none is asked for. Others are
                      strangers, whose memory is counted apart. */
    uint64_t peer;   /* Tells the address it came from, or the network of an IPv6 address, from others. */
    str address;     /* The address it came from, without its port; empty: it came by no connection. */
    bool is_secure;  /* It came by TLS. */
    str certificate; /* "CN=NAME" of the client's certificate, which was checked; empty: none. */
    struct http_remembered *remembered; /* The connection's; NULL: it has none, or is closed. */
    struct arena *arena;
    int64_t began_us;    /* clock_monotonic_us() when its head was complete. */
    int status;          /* The answer's, once there is one. */
    void *user;          /* The handler's own. */
    void *caller;        /* The gate's own: on whose behalf it runs. It stays while the request lives. */
    net_fn *drop_caller; /* If set: called with `caller` when the request is released. */
    net_fn *on_gone;     /* If set: called with `user` if the client leaves before the handler has
                         * answered, or ended its stream. It must still do so, then or later. */
    net_fn *on_drained;  /* If set: called once with `user`, when all that was streamed so far is written. */
    http_piece_fn *on_piece; /* HTTP_TAKE_PIECES: the handler sets it. Called with `user` and the next bytes
                              * of the body, borrowed; an empty piece is the body's end. */
    struct grpc_call *grpc;  /* grpc.h's own; NULL: no call of gRPC. */
    bool is_local;           /* It came by http_server_run(). */
};

/* The headers stay the caller's. */
void http_set_headers(struct http_request *request, const struct http_header *header, size_t count);

/* One bit of 64 for a name in any case. Most questions are about headers that are not there, and their bit
 * mostly says so without a look at the names. */
static inline uint64_t http_name_bit(str name)
{
    size_t letter = name.n ? name.p[0] & 31 : 0; /* Upper and lower case differ in a higher bit. */
    return 1ull << ((letter + 5 * name.n) & 63);
}

/* False: there is no header of that name. True: look. */
static inline bool http_may_have_header(const struct http_request *request, str name)
{
    return request->header_bits_ & http_name_bit(name);
}

str http_find_header(const struct http_request *request, str name);
/* A header's value by its name in any case, or an empty str. */
static inline str http_header(const struct http_request *request, str name)
{
    return http_may_have_header(request, name) ? http_find_header(request, name) : (str){ "", 0 };
}

/* Percent-decodes (and '+' to space when `form`) into the arena. False if malformed. */
bool http_decode(str text, bool form, struct arena *arena, str *ret_text);

/* The first parameter of that name in the query, decoded. False if absent or malformed. */
bool http_query(const struct http_request *request, str name, str *ret_value);

typedef void http_handler(struct http_request *request, void *context);

/* Looks at a request's head before any of its body is kept. */
enum http_verdict {
    HTTP_TAKE,        /* The body is read, then the handler called. */
    HTTP_TAKE_ALWAYS, /* The same, however much memory other requests hold, if it has no body: for what is
                         answered at once. */
    HTTP_TAKE_HEAD,   /* The handler is called without the body, to refuse it. Its bytes are dropped. */
    HTTP_TAKE_PIECES, /* The handler is called with the head, and on_piece gets the body as it arrives.
                         HTTP/1.1 hands it over when it has arrived whole. */
};
typedef enum http_verdict http_gate(struct http_request *request, void *context);

/* Returns header lines for the errors that the server itself answers after it has read the head, or nothing.
 * They live in the request's arena or for ever. */
typedef str http_lines(struct http_request *request, void *context);

/* Writes the answer to a request whose body is larger than it may be, with its media type; in the arena, or
 * for ever. False: the server's own words will do. */
typedef bool http_large_body(struct http_request *request, struct arena *arena, void *context, str *ret_type,
                             str *ret_body);

/* Called when an answer has been handed to the socket: for metrics and the access log. Bytes that
 * could not be read as a request, and were refused here, have an empty method. */
typedef void http_observer(const struct http_request *request, int64_t took_us, void *context);

struct protocol;
struct http_server;

extern const struct protocol *const protocols_http2[]; /* A server that speaks HTTP/2 only. */

struct http_server_config {
    str host;                    /* An address or a name: 127.0.0.1, ::1, localhost, 0.0.0.0. */
    uint16_t port;               /* 0: any; http_server_port() tells which. */
    const char *tls_certificate; /* PEM files; NULL: no TLS. */
    const char *tls_key;
    const char *tls_client_ca; /* Authorities of clients' certificates; NULL: nobody shows one. */
    const struct protocol *const *protocols; /* NULL: all that this folder has (protocol_int.h). */
    struct http_server *beside; /* Another server, which lives longer: both count their requests as one. */
    struct limits limits;
    struct budget *answers; /* Counts the bytes of answers until they are written. NULL: nobody counts. */
    http_gate *gate;        /* May be NULL: all bodies are read. */
    http_handler *handler;
    http_observer *observer;     /* May be NULL. */
    http_lines *refusal_headers; /* May be NULL. */
    http_large_body *large_body; /* May be NULL. */
    void *context;
};

/* ST_CONFLICT: the port is in use; ST_INVALID: a host that is not ours, or bad TLS files.
 * err->where is the address ("127.0.0.1:8080") or the file. */
enum status http_server_open(struct net_loop *loop, const struct http_server_config *config,
                             struct http_server **ret_server, struct error *err);
/* Reads the TLS files again, for connections to come. On failure everything stays as it is. */
enum status http_server_reload_tls(struct http_server *server, struct error *err);
uint16_t http_server_port(const struct http_server *server);
size_t http_server_connections(const struct http_server *server); /* For all servers that count as one. */
/* The connections of strangers, and the bytes that strangers and known clients hold, of all servers that
 * count as one. */
struct http_holdings {
    size_t stranger_connections;
    int64_t stranger_bytes, known_bytes;
};
struct http_holdings http_server_holdings(const struct http_server *server);
/* The most connections: connections_max, or less if the process may not open so many files. */
size_t http_server_connections_max(const struct http_server *server);

/* Stops accepting, answers what is in flight with Connection: close, closes idle
 * connections at once and the rest after `grace_ms`; then calls `done`. */
void http_server_drain(struct http_server *server, int64_t grace_ms, net_fn *done, void *context);

/* Connections that were closed because the time of grace was over. */
size_t http_server_cut_off(const struct http_server *server);

/* Before net_loop_free(). Closes what is still open; requests that nobody has answered are
 * freed too. NULL is allowed. */
void http_server_free(struct http_server *server);

/* Answers a request. `headers` is a list of complete lines ("Allow: GET\r\n") without
 * Content-Length, Date and Connection, which are added; the body is copied unless it lives
 * in request->arena. HEAD gets no body. Exactly once per request. */
void http_respond(struct http_request *request, int status, str headers, str body);

/* The same for a body that lives as long as the process: it is never copied. */
void http_respond_lasting(struct http_request *request, int status, str headers, str body);

/* The same, with lines of trailers ("grpc-status: 0\r\n") behind the body. The head gets no Content-Length
 * and no Date. */
void http_respond_with_trailers(struct http_request *request, int status, str headers, str body,
                                str trailers);

/* The request's body is not needed any more, although its answer will take a while. */
void http_drop_body(struct http_request *request);

/* HTTP_TAKE_PIECES: stops the client, which may send one window more, or lets it go on. Any request:
 * in HTTP/1.1 the requests behind it on its connection wait until it is let go on, so that none overtakes it.
 */
void http_hold_body(struct http_request *request, bool hold);

/* Counts the memory that an unanswered request holds by now, if the handler goes on with it later. */
void http_count(struct http_request *request);

/* The request and its arena stay after the answer is written, until http_let_go(). An answer that is given
 * meanwhile takes no memory from that arena: another thread may have it. */
void http_keep(struct http_request *request);
void http_let_go(struct http_request *request);

/* Calls `fn` with the request's `user` at that time of clock_monotonic_us(), or a few milliseconds later, if
 * the request is still alive. Once; a second call changes the time. 0: never. */
void http_set_deadline(struct http_request *request, int64_t at_us, net_fn *fn);

/* An answer in pieces (Server-Sent Events). Begin, write any number of times, end exactly
 * once. Writing returns false once the client is gone or was more than 1 MiB behind already: then
 * stop and end (on_gone has been called, or will be unless it has ended by then). HTTP/2 gives up the one
 * stream, HTTP/1.1 the connection. */
void http_stream_begin(struct http_request *request, int status, str headers);
bool http_stream_write(struct http_request *request, str bytes);
void http_stream_end(struct http_request *request);
void http_stream_end_with_trailers(struct http_request *request, str trailers);
/* Bytes that were streamed and not written yet: on_drained tells when there are none. */
size_t http_stream_behind(const struct http_request *request);

const char *http_reason(int status); /* "Not Found". */

/* ---- requests that come another way than by a connection ---- */

/* Lines, as http_respond() and its sisters got them. */
struct http_local_answer {
    int status;
    str headers, body, trailers;
};
typedef void http_local_fn(void *context, const struct http_local_answer *answer);

struct http_local {
    str method, target;
    const struct http_header *header;
    size_t header_count;
    str body;
    bool is_call; /* It may be a call of gRPC, with one message. */
    void *caller; /* The request's; dropped with it, also if the request is refused here. */
    net_fn *drop_caller;
    http_local_fn *done;
    void *context;
};

/* Gives the request, which is copied, to the gate and the handler. Its answer, whole, goes to `done` before
 * the loop waits again, or much later; never, if the server is freed before. ST_OVERLOAD: requests hold as
 * much memory as they may. */
enum status http_server_run(struct http_server *server, const struct http_local *local, struct error *err);

/* ---- a blocking client for the CLI and the demo worker ---- */

struct http_client;

/* "http://127.0.0.1:8080". Connects at the first request and again when the server has
 * closed the connection. https is supported with the system's CA store. */
enum status http_client_new(str url, struct http_client **ret_client, struct error *err);
void http_client_free(struct http_client *client);
void http_client_set_secret(struct http_client *client, str secret); /* Authorization: Bearer … */
/* Complete lines ("Idempotency-Key: 17\r\n") that go with every request from now on; empty: none.
 * Bodies are JSON unless one of them is a Content-Type. */
void http_client_set_headers(struct http_client *client, str lines);

struct http_answer {
    int status;
    str content_type;
    str warning; /* X-Pawl-Warning; empty: there is none. */
    str cookie;  /* NAME=VALUE of the first Set-Cookie; empty: there is none. */
    str body;
};

/* Fails only when no answer came (ST_STORE: cannot connect, timed out); any HTTP status is
 * an answer. The path must be encoded already. */
enum status http_client_call(struct http_client *client, const char *method, str path, str body,
                             int64_t timeout_ms, struct arena *arena, struct http_answer *ret_answer,
                             struct error *err);

/* A GET whose body arrives in pieces over a long time (Server-Sent Events). Each piece of an answer with 200
 * goes to `take` as it arrives; the body of any other answer is read whole. `idle_ms` bounds the connecting
 * and each wait for more bytes. ST_OK: the body is complete, or `take` wanted no more. ST_STORE: the
 * connection was lost, also in the middle of the body. */
enum status http_client_stream(struct http_client *client, str path, int64_t idle_ms, http_piece_fn *take,
                               void *context, struct arena *arena, struct http_answer *ret_answer,
                               struct error *err);

#endif
