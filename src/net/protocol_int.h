/* net/protocol_int.h — the seam between connections and the protocols that they speak.
 *
 *     handlers          http_respond(), http_stream_…()               respond.c
 *        ▲ │
 *        │ ▼
 *     a protocol        bytes ↔ requests and answers                  http1.c, http1_answer.c
 *        ▲ │                                                          http2.c, http2_….c
 *        │ ▼
 *     a connection      socket, TLS, deadlines, back-pressure         connection.c
 *
 * A protocol is a table of functions. A connection calls them when bytes arrive, when the socket takes more
 * bytes, when a deadline passes and when it closes; http_respond() and its sisters call them to put an answer
 * into the protocol's form. The protocol calls intake.c for what every request goes through (gate, memory,
 * handler), exchange.c for the request's and the answer's memory, and connection.c to be written or to end.
 *
 * The protocol of a connection is chosen once, by choose.c: under TLS by ALPN, otherwise by the first bytes.
 * To add a protocol, write its table and list it in protocols.c.
 *
 * Life of a request, whatever the protocol:
 *
 *     exchange_new()      its head is complete: the protocol fills in exchange->request (all in its arena)
 *     intake_ask_gate()   the server's gate decides whether the body is wanted
 *     intake_check()      is there memory in the account of its sender? If not, the request is refused
 *     intake_body()       where the body's bytes go; intake_check_body() after each part of it
 *     intake_dispatch()   queues the exchange at its connection and calls the handler
 *     respond()           the handler answers, now or much later, in any order, on the loop's thread
 *     collect()/written() the protocol hands out the answer's bytes and learns which ones are written
 *     respond_finished()  the last byte is written: the exchange leaves the queue and is used again
 *
 * Rules:
 *  (1) A handler may hold several requests of one connection and answer them in any order. HTTP/1.1 keeps the
 *      answers back until it is their turn; HTTP/2 writes them as they come.
 *  (2) A handler's request outlives its connection. When the client leaves, connection_close() detaches the
 *      queued exchanges (exchange->connection becomes NULL); no protocol function is called for them again.
 *  (3) A protocol never writes to the socket and never reads from it. It marks the connection as dirty, and
 *      collect() is called before the loop waits again.
 *  (4) take() and collect() run inside pump() of connection.c, which never runs inside itself. To close the
 *      connection from within, a protocol sets `broken` or calls connection_end_after_answers().
 *  (5) A body that the gate wants in pieces (HTTP_TAKE_PIECES) goes to intake_piece() as it arrives. Its
 *      exchange is in the queue from its head on.
 */
#ifndef NET_PROTOCOL_INT_H
#define NET_PROTOCOL_INT_H

#include "net/limits.h"
#include "net/net_int.h"

/* ---- the table ---- */

/* Errors that a protocol answers by itself. No handler sees such a request. */
/* clang-format off */
#define REFUSAL_MAP(XX)                                                                                     \
    XX(HEAD, 400, "", "bad-request", "malformed-head", "The request's head is malformed.")         \
    XX(CHUNK, 400, "", "bad-request", "malformed-chunk", "The chunked body is malformed.")                  \
    XX(SLOW_HEAD, 408, "", "request-timeout", "slow-head", "The request's head took too long.")             \
    XX(SLOW_BODY, 408, "", "request-timeout", "slow-body", "The request's body took too long.")             \
    XX(LARGE_BODY, 413, "", "limit-exceeded", "body-too-large", "The request's body is too large (body_bytes_max).")         \
    XX(EXPECTATION, 417, "", "bad-request", "unknown-expectation", "Only 100-continue can be expected.")    \
    XX(LARGE_HEAD, 431, "", "limit-exceeded", "head-too-large", "The request's head is too large.")         \
    XX(METHOD, 501, "", "not-implemented", "unknown-method", "The method is not known.")                    \
    XX(CROWDED, 503, "Retry-After: 1\r\n", "overloaded", "too-many-connections",                            \
       "Too many connections are open.")                                                                    \
    XX(BUSY, 503, "Retry-After: 1\r\n", "overloaded", "requests_bytes_max",                                 \
       "Requests that are in memory have reached the limit requests_bytes_max.")                            \
    XX(STRANGERS, 503, "Retry-After: 1\r\n", "overloaded", "strangers_bytes_max",                           \
       "Clients without the secret hold as much, or have as many requests under way, as they may.")         \
    XX(VERSION, 505, "", "version-not-supported", "unknown-version",                                        \
       "Only HTTP/2, HTTP/1.1 and HTTP/1.0 are spoken.")
/* clang-format on */

enum refusal {
    REFUSE_NOTHING,
#define XX(NAME, status, advice, error, reason, message) REFUSE_##NAME,
    REFUSAL_MAP(XX)
#undef XX
};

/* The reason of a connection's read deadline. */
enum connection_phase {
    PHASE_NEW,    /* The deadline starts again, whatever the next phase is. */
    PHASE_SILENT, /* No byte has come yet. */
    PHASE_FIRST, /* The first request has not shown its head yet: the time runs since the connection began. */
    PHASE_IDLE,
    PHASE_HEAD,
    PHASE_BODY,
    PHASE_WAIT, /* For the handler or the socket: the client is not late. */
    PHASE_LINGER,
};

enum protocol_match { MATCH_NO, MATCH_YES, MATCH_NEEDS_MORE };

/* Bytes for one writev, borrowed until they are written. */
struct pieces {
    uv_buf_t piece[PIECES_MAX];
    size_t count, bytes;
};

struct connection;
struct exchange;

struct protocol {
    str name; /* In ALPN: "http/1.1". */

    /* Whether a connection whose first bytes are these speaks the protocol. */
    enum protocol_match (*recognise)(str first_bytes);

    /* The connection speaks this protocol from now on. Makes connection->session. */
    void (*opened)(struct connection *connection);

    /* The connection closes: frees the session. Queued exchanges are detached already. */
    void (*closed)(struct connection *connection);

    /* NULL, or: the TLS handshake is over, and ALPN chose the name (empty: the client offered none). */
    void (*secured)(struct connection *connection, str alpn);

    /* ---- reading ---- */

    /* Whether more bytes may be read now: back-pressure. Asked only while the connection is open. */
    bool (*wants)(const struct connection *connection);

    /* Uses bytes and returns how many. The rest is given again, with more behind it. To wait for more bytes
     * it sets connection->starved. */
    size_t (*take)(struct connection *connection, str bytes);

    /* NULL, or whether `more` behind what is pending may help a starved connection. Saves take() from looking
     * at the same bytes again for every byte of a slow sender. */
    bool (*may_help)(const struct connection *connection, str more);

    /* NULL, or the place where the next bytes belong, to read them without a copy; NULL if there is none. */
    char *(*room)(struct connection *connection, size_t *ret_bytes);

    /* Bytes that arrive after the last request (CONNECTION_ENDING) still go to take(). */
    bool reads_to_end;

    /* Tells what the client is expected to do next: PHASE_IDLE, PHASE_HEAD, PHASE_BODY or PHASE_WAIT. */
    enum connection_phase (*phase)(const struct connection *connection);

    /* The deadline of PHASE_HEAD or PHASE_BODY has passed. */
    void (*timed_out)(struct connection *connection, enum connection_phase phase);

    /* Gives up requests that have not arrived whole. */
    void (*abandon)(struct connection *connection);

    /* ---- ending ---- */

    /* The server stops. True: the connection may end after the answers that are owed. False: a request is
     * arriving, and the protocol ends the connection itself when it has. */
    bool (*drain)(struct connection *connection);

    /* NULL, or: has a look at its streams. Called for every open connection a few times per shortest timeout.
     */
    void (*look)(struct connection *connection);

    /* Tells the client the reason, behind the answers that are owed, and ends the connection. */
    void (*refuse)(struct connection *connection, enum refusal refusal);

    /* ---- answers ---- */

    /* Puts an answer into the protocol's form: exchange->head_left and ->body_left, or whatever it needs.
     * exchange->trailers are there before the end of the answer. */
    void (*respond)(struct exchange *exchange, int status, str headers, str body);
    void (*stream_begin)(struct exchange *exchange, int status, str headers);
    void (*stream_add)(struct exchange *exchange, str bytes); /* To exchange->stream. */
    void (*stream_end)(struct exchange *exchange);

    /* NULL, or: the client is too far behind with this answer, which is given up alone. The exchange is
     * detached later, not under the caller's feet. NULL: the connection is given up. */
    void (*give_up)(struct exchange *exchange);

    /* NULL, or the memory that the session holds, for the account of strangers. */
    int64_t (*bytes)(const struct connection *connection);

    /* NULL, or: exchange->held has changed. */
    void (*hold)(struct exchange *exchange);

    /* Adds the bytes that may be written now. They stay until written(). */
    void (*collect)(struct connection *connection, struct pieces *pieces);

    /* So many bytes of those are with the socket, or with TLS. */
    void (*written)(struct connection *connection, size_t bytes);
};

/* The protocols that servers speak, preferred ones first; the last one takes whatever the others do not
 * recognise. Ends with NULL. */
extern const struct protocol *const protocols_all[];

extern const struct protocol http1_protocol, http2_protocol;

/* Speaks for a connection until its protocol is known, then gives way to it. */
extern const struct protocol choose_protocol;

/* ---- exchanges ---- */

enum answer_state {
    ANSWER_NONE,     /* The handler has the request. */
    ANSWER_STREAM,   /* Begun; more will come. */
    ANSWER_COMPLETE, /* All of it is here, if not yet on the wire. */
};

struct exchange {
    struct http_request request; /* First: a handler's pointer is a pointer to this. */
    struct arena arena;
    struct arena late; /* Memory of an answer that is given while the handler keeps `arena`:
                        * respond_arena(). */
    struct http_server *server;
    struct peer *peer;               /* The address it came from; NULL: there was no connection. */
    struct connection *connection;   /* NULL: the client is gone, or there was no connection. */
    struct exchange_local *local;    /* local.c; NULL: it came by a connection. */
    struct exchange *next;           /* In the connection's queue or the pool. */
    struct exchange *before, *after; /* All that are alive, for http_server_free(). */
    enum answer_state state;
    uint32_t stream_id;      /* The protocol's own: HTTP/2 answers by it. */
    bool head_only;          /* HEAD: the answer has no body. */
    bool unwanted;           /* The request's body is read and dropped. */
    bool known;              /* Its memory counts as that of a known client. */
    bool privileged;         /* HTTP_TAKE_ALWAYS. */
    bool crowded;            /* Its connection is one too many. */
    bool called;             /* Its handler has it, and it counts as a stranger's call. */
    bool pinned;             /* A stranger's, and it stays if connections of strangers are closed. */
    bool lasting;            /* The answer's body lives for ever. */
    bool pieces;             /* HTTP_TAKE_PIECES. */
    bool arrived;            /* All of the request is here. */
    bool held;               /* http_hold_body(). */
    bool bare;               /* The answer's head gets no Content-Length and no Date. */
    bool given_up;           /* The protocol's give_up() was called. */
    bool kept, over;         /* http_keep(); and it would have been released. */
    bool keep_alive;         /* HTTP/1.1: the connection goes on behind it. */
    bool old;                /* HTTP/1.0: keep-alive has to be said and chunks are unknown. */
    bool deferred;           /* HTTP/2: the answer's stream waits for more to send, */
    bool moved;              /* and has sent something since on_drained was last thought of. */
    size_t unpaid_bytes;     /* HTTP/2: taken from the client's window and not given back to it. */
    int64_t behind_since_ms; /* HTTP/2: the client leaves a part of the answer unread; 0: it does not. */
    int64_t deadline_us;     /* http_set_deadline(). */
    net_fn *on_deadline;
    size_t deadline_place;     /* In the server's heap, from 1; 0: not there. */
    int64_t request_bytes;     /* Counted in the server's account, */
    int64_t answer_bytes;      /* and in the budget of answers, or for strangers in the account, too. */
    str head_left;             /* Bytes that are not on the wire yet, in this order: head, */
    str body_left;             /* body or the part of a stream that is being written, */
    struct buf stream;         /* and what was streamed since. */
    struct buf stream_sending; /* Owns body_left of a stream. */
    str trailers;              /* Lines behind the answer's body. */
    struct buf body;           /* The request's: in the arena when small, on the heap when large. */
};

/* `from` is the connection that brings it, or NULL. */
struct exchange *exchange_new(struct http_server *server, struct connection *from);
void exchange_release(struct exchange *exchange);
void exchange_free_pool(struct http_server *server); /* Frees the exchanges that wait to be used again. */
void exchange_free_all(struct http_server *server);

/* Appends the exchange to the connection's queue of unanswered ones; removes it. */
void exchange_queue(struct exchange *exchange, struct connection *connection);
void exchange_unqueue(struct exchange *exchange);

/* The client has left, or has cancelled this request: takes it out of the queue. If it is answered, it is
 * released; if not, it stays alive without a connection, and on_gone is called. */
void exchange_detach(struct exchange *exchange);

/* Its handler has it, and has not answered yet: counts a stranger's call. */
void exchange_note_call(struct exchange *exchange);

/* A stranger's bytes do not go with a connection of strangers, or do so again. */
void exchange_pin(struct exchange *exchange, bool pinned);

/* From now on it holds that many bytes as a request, or as an answer. A request that holds none is over. */
void exchange_hold_request(struct exchange *exchange, int64_t bytes);
void exchange_hold_answer(struct exchange *exchange, int64_t bytes);

/* The memory of its arenas: for a known client what is used of them, for a stranger all of it, because
 * strangers may send many requests that use little. */
int64_t exchange_bytes(const struct exchange *exchange);

/* Counts it from now on as a known client's, or as a stranger's. */
void exchange_set_known(struct exchange *exchange, bool known);

/* ---- deadlines of requests (alarm.c) ---- */

void alarm_set(struct exchange *exchange, int64_t at_us, net_fn *fn);
void alarm_drop(struct exchange *exchange);
void alarm_done(struct http_server *server);

/* ---- requests on their way in ---- */

enum {
    INTAKE_SMALL_BYTES = 64 << 10, /* Smaller bodies have a part of the memory to themselves. */
    INTAKE_UNKNOWN = -1,           /* A body whose length nobody has announced: it is taken for large. */
};

/* A head arrives: counts what there is of it. */
void intake_head(struct exchange *exchange);

/* Asks the server's gate about a request whose head is complete: sets `known`, `unwanted`, `privileged` and
 * `crowded`. A connection that brings a known request is a known client's from now on. */
void intake_ask_gate(struct exchange *exchange, struct connection *from);

/* Counts what the request holds, and says whether a body of `announced` bytes is too large, or `more` bytes
 * that are still to come find no memory: REFUSE_NOTHING, REFUSE_LARGE_BODY, REFUSE_CROWDED,
 * REFUSE_BUSY, or for a stranger REFUSE_STRANGERS. */
enum refusal intake_check(struct exchange *exchange, const struct connection *from, int64_t announced,
                          int64_t more);

/* The longest body that the request may have. */
int64_t intake_body_max(const struct exchange *exchange);

/* Makes exchange->body ready for a body of `announced` bytes that will arrive in parts. */
void intake_body(struct exchange *exchange, int64_t announced);

/* Counts the part that has arrived: REFUSE_NOTHING, REFUSE_BUSY or REFUSE_STRANGERS. */
enum refusal intake_check_body(struct exchange *exchange, const struct connection *from);

/* Gives the next bytes of a body to the handler; none: the body has ended. They are dropped if nobody wants
 * them. */
void intake_piece(struct exchange *exchange, str piece);

/* The pieces that the handler keeps count as a request. False: there is no memory for them. */
bool intake_hold_piece(struct exchange *exchange, size_t bytes);

/* Counts what a request holds that waits for its answer. */
void intake_hold(struct exchange *exchange);

/* The request is complete, or comes in pieces: appends it to the connection's queue of unanswered ones and
 * calls the handler. */
void intake_dispatch(struct connection *connection, struct exchange *exchange);

/* Whether bytes that are no request yet may be kept for a known client. */
bool intake_has_room_to_wait(const struct connection *connection);

/* Calls the handler: the last part of intake_dispatch(). */
void intake_run(struct exchange *exchange);

/* ---- local.c: exchanges without a connection; texts are in the arena ---- */

void local_respond(struct exchange *exchange, str headers, str body);
void local_begin_stream(struct exchange *exchange, str headers);
bool local_add_to_stream(struct exchange *exchange, str bytes); /* False: it is too long. */
void local_end_stream(struct exchange *exchange, str trailers);
/* Gives the answers that are there to those who wait for them. */
void local_hand_over(struct http_server *server);

/* ---- connections ---- */

enum connection_state {
    CONNECTION_OPEN,
    CONNECTION_ENDING,    /* Reads no more requests; closes after the last answer. */
    CONNECTION_LINGERING, /* Our side is shut; waits shortly for theirs, so that they can read. */
    CONNECTION_CLOSED,    /* uv_close() was called. */
};

struct connection {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct http_server *server;
    struct peer *peer;              /* NULL: it could not be accepted. */
    char address[INET6_ADDRSTRLEN]; /* The client's, as text; empty: not known. */
    struct http_remembered remembered;
    const struct protocol *protocol;
    void *session;                     /* The protocol's own. */
    struct connection *before, *after; /* In server->connections. */
    struct connection *dirty_next;
    struct chain_link link[CHAIN_COUNT];
    struct tls_session *tls;       /* NULL: plain. */
    struct exchange *first, *last; /* Answers owed, in the order of their requests. */
    struct buf pending;            /* Read but not used by the protocol. */
    int64_t opened_ms;             /* On the loop's clock, as is */
    int64_t read_deadline;         /* this; 0: none. */
    int64_t write_deadline;
    size_t writing_bytes; /* Handed to uv_write() and not yet gone. */
    int64_t held_bytes;   /* Its own memory, as counted in the server's account. */
    int64_t answer_bytes; /* All answers in the queue. */
    uint64_t round;       /* When it last asked something, */
    uint32_t asked_in_round;
    uint64_t written_round; /* and when it last got bytes. */
    size_t written_in_round;
    uint32_t in_flight; /* Exchanges in the queue. */
    enum connection_state state;
    enum connection_phase phase;
    bool known;   /* A request has shown the secret. */
    bool heard;   /* The client has sent a byte. */
    bool asked;   /* A request has shown its head. */
    bool starved; /* The protocol can use nothing of `pending` until more is read. */
    bool refused; /* One too many: it may ask one question, and only probes get an answer. */
    bool reading; /* uv_read_start() is in force. */
    bool waits_for_turn, known_turn; /* pace.c */
    bool writing;
    bool pumping;    /* take() runs: answers wait for its end. */
    bool decrypting; /* Bytes are being decrypted: this does not nest either. */
    bool greeted;    /* The client's first message of TLS was whole. */
    bool secured;    /* The protocol knows that the TLS handshake is over. */
    bool dirty;
    bool broken; /* To be closed by the next flush. */
    bool eof;
};

/* Accepts a connection, which speaks `protocol` at first. */
void connection_open(struct http_server *server, uv_stream_t *listener, const struct protocol *protocol);
void connection_close(struct connection *connection); /* At once. */

/* The server stops: closes the connection, at once or after what is owed. */
void connection_drain(struct connection *connection);

/* Another protocol takes over, and gets what is read from now on. */
void connection_switch(struct connection *connection, const struct protocol *protocol);

/* Reads no more requests and closes after the answers that are owed. */
void connection_end_after_answers(struct connection *connection);

/* Gives up what has been read of requests that have not arrived whole. */
void connection_drop_input(struct connection *connection);

/* Whether more requests may be taken now. */
bool connection_wants_requests(const struct connection *connection);

/* ---- turns (pace.c) ---- */

void pace_ask(struct connection *connection);                 /* It asks something. */
void pace_write(struct connection *connection, size_t bytes); /* The socket has taken so many bytes. */
/* A stranger has got enough bytes in this round. */
bool pace_has_written(const struct connection *connection);
bool pace_is_over(const struct connection *connection); /* It has asked enough in this round. */
void pace_wait(struct connection *connection);          /* If so, it waits for its next turn. */
void pace_forget(struct connection *connection);        /* It waits no more. */
void pace_begin_round(struct http_server *server);
bool pace_may_accept(struct http_server *server);         /* Counts a connection that may be let in now. */
struct connection *pace_next(struct http_server *server); /* It is the turn of this one; NULL: of nobody. */

/* Gives their turns to the connections that wait for them. */
void connection_give_turns(struct http_server *server);

/* Whether the client leaves so much unread that it may not ask for more. */
static inline bool connection_is_behind(const struct connection *connection)
{
    return connection->answer_bytes > UNREAD_BYTES_MAX;
}

/* Has it flushed before the loop waits again. */
void connection_mark_dirty(struct connection *connection);
void connection_flush_dirty(struct http_server *server);

void connection_timed_out(struct connection *connection); /* Its read deadline has passed. */

/* Looks whether the client has left, if the socket is not read. */
void connection_look_for_end(struct connection *connection);

/* ---- answers ---- */

/* clang-format off */
#define REASON_MAP(XX)                                                                             \
    XX(100, "Continue") XX(200, "OK") XX(201, "Created") XX(202, "Accepted")                       \
    XX(204, "No Content") XX(206, "Partial Content") XX(301, "Moved Permanently")                  \
    XX(302, "Found") XX(303, "See Other") XX(304, "Not Modified")                                  \
    XX(307, "Temporary Redirect") XX(308, "Permanent Redirect") XX(400, "Bad Request")             \
    XX(401, "Unauthorized") XX(403, "Forbidden") XX(404, "Not Found")                              \
    XX(405, "Method Not Allowed") XX(406, "Not Acceptable") XX(408, "Request Timeout")             \
    XX(409, "Conflict") XX(410, "Gone") XX(411, "Length Required") XX(412, "Precondition Failed")  \
    XX(413, "Content Too Large") XX(414, "URI Too Long") XX(415, "Unsupported Media Type")         \
    XX(416, "Range Not Satisfiable") XX(417, "Expectation Failed")                                 \
    XX(421, "Misdirected Request") XX(422, "Unprocessable Content") XX(426, "Upgrade Required")    \
    XX(428, "Precondition Required") XX(429, "Too Many Requests")                                  \
    XX(431, "Request Header Fields Too Large") XX(500, "Internal Server Error")                    \
    XX(501, "Not Implemented") XX(502, "Bad Gateway") XX(503, "Service Unavailable")               \
    XX(504, "Gateway Timeout") XX(505, "HTTP Version Not Supported")                               \
    XX(507, "Insufficient Storage")
/* clang-format on */

/* The error as HTTP: lines of headers and a body of JSON. `request` may be NULL: no head was read. */
struct refusal_answer {
    int status;
    str headers, body;
};
struct refusal_answer respond_refusal(struct http_server *server, enum refusal refusal,
                                      struct http_request *request, struct arena *arena);

/* Whether an answer with this status has a body. */
static inline bool respond_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/* Where the bytes of an answer go. While the handler keeps the request (http_keep()), another thread may be
 * allocating in the request's arena. */
static inline struct arena *respond_arena(struct exchange *exchange)
{
    return exchange->kept ? &exchange->late : &exchange->arena;
}

/* The body, which from now on lives as long as the exchange. */
str respond_own(struct exchange *exchange, str body);

/* "Date: Sun, 15 Nov 2026 03:50:11 GMT\r\n" */
str respond_date_line(struct http_server *server);

/* Makes what was streamed meanwhile the next to be written (body_left), if nothing else is. */
void respond_refill(struct exchange *exchange);

/* Whether the answer is given and all of it is written. */
bool respond_is_written(const struct exchange *exchange);

/* The answer is written: takes the exchange out of the queue, tells the observer and releases it. */
void respond_finished(struct exchange *exchange);

/* Some bytes of the stream were written: counts what is left and calls on_drained. */
void respond_streamed(struct exchange *exchange);

static inline void pieces_add(struct pieces *pieces, str part)
{
    if (!part.n) return;
    union {
        const char *in;
        char *out;
    } base = { .in = part.p }; /* libuv's bufs are for reading too. */
    pieces->piece[pieces->count++] = (uv_buf_t){ .base = base.out, .len = part.n };
    pieces->bytes += part.n;
}

#endif
