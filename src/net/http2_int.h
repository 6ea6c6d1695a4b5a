/* net/http2_int.h — what the files of HTTP/2 share.
 *
 *     http2.c           the session: nghttp2's callbacks, deadlines, the end
 *       ├─ http2_request.c   a request as it arrives: gate, body, handler
 *       │    └─ http2_head.c      its fields
 *       ├─ http2_answer.c    answers to frames, frames to the socket
 *       └─ http2_flood.c     clients that keep us busy with nothing
 *
 * nghttp2 knows frames, HPACK and windows; it never sees the socket. A stream's user data is its exchange,
 * until the exchange is answered or given up. An exchange whose request has not arrived whole is in the
 * session's list `first`; one that its handler has is in the connection's queue.
 *
 * Windows: the window of the connection is given back as soon as bytes arrive, because they are in memory
 * then, and counted. The window of a stream is given back when its bytes are taken. So a client that is
 * stopped can send at most one window of that stream, and no other stream waits for it.
 */
#ifndef NET_HTTP2_INT_H
#define NET_HTTP2_INT_H

#include "net/protocol_int.h"

#include <nghttp2/nghttp2.h>

/* A request's head while its fields arrive; there is one at a time. */
struct http2_head {
    struct exchange *exchange; /* NULL: none arrives. */
    struct http_header *header;
    size_t count, room;
    size_t bytes; /* As they would be in HTTP/1.1. */
    str method, target, authority, host;
    int64_t content_length; /* -1: none given. */
    bool too_large, expects, malformed;
};

/* A stream whose answer is complete while its request's body still arrives. */
struct http2_late {
    int32_t stream_id;
    int64_t since_ms;
};

/* The session of a connection that speaks HTTP/2. */
struct http2 {
    struct connection *connection;
    nghttp2_session *session;
    struct http2_head head;
    struct exchange *first, *last; /* Requests that have not arrived whole, by `next`, */
    size_t arriving;               /* and their number. */
    struct buf out;                /* Frames for the socket, */
    size_t sent;                   /* of which it has so many bytes. */
    int64_t out_bytes;             /* Bytes of `out`, counted as the connection's answers, */
    int64_t out_budget_bytes;      /* and in the budget of answers of known clients. */
    struct flood resets, idlers;   /* Streams cut off; frames that bring nothing. */
    size_t continuations;          /* Frames of the latest head behind its first. */
    int64_t heard_ms;              /* When the client last sent anything. */
    struct http2_late late[LATE_STREAMS_MAX];
    size_t late_count;
    bool pinged;   /* The client is asked whether it is still there. */
    bool moved;    /* Some exchange has moved. */
    bool withheld; /* Some window was not given back, because the client is behind. */
    bool calmed;   /* The client is not listened to any more. */
};

static inline struct http2 *http2_of(const struct connection *connection) { return connection->session; }

static inline struct exchange *http2_exchange(const struct http2 *http2, int32_t stream_id)
{
    return nghttp2_session_get_stream_user_data(http2->session, stream_id);
}

/* http2_flood.c: each returns false when the connection ends because of it. */
bool http2_flood_frame(struct http2 *http2, const nghttp2_frame_hd *frame); /* A frame has begun. */
bool http2_flood_reset(struct http2 *http2);                                /* A stream was cut off. */
void http2_flood_useful(struct http2 *http2);                               /* A frame carried bytes. */
void http2_calm(struct http2 *http2);                                       /* It is too much: GOAWAY. */

/* http2_head.c */
void http2_head_begin(struct http2_head *head, struct exchange *exchange);
void http2_head_field(struct http2_head *head, const struct limits *limits, str name, str value);
/* The head is complete: fills in the request. */
enum refusal http2_head_finish(struct http2_head *head);

/* http2_request.c */
void http2_request_begin(struct http2 *http2, int32_t stream_id);
void http2_request_head(struct http2 *http2, bool ends);
void http2_request_body(struct http2 *http2, struct exchange *exchange, str bytes);
void http2_request_end(struct http2 *http2, struct exchange *exchange);
/* Refuses one request, whose handler has not been called. */
void http2_request_refuse(struct http2 *http2, struct exchange *exchange, enum refusal refusal);
/* The stream is closed, or the connection: nobody waits for the answer any more. */
void http2_request_gone(struct http2 *http2, struct exchange *exchange);
void http2_request_hold(struct exchange *exchange);
/* Gives back windows that were withheld, if the client has read enough. */
void http2_request_pay(struct http2 *http2);

/* http2_answer.c */
void http2_respond(struct exchange *exchange, int status, str headers, str body);
void http2_stream_begin(struct exchange *exchange, int status, str headers);
void http2_stream_add(struct exchange *exchange, str bytes);
void http2_stream_end(struct exchange *exchange);
void http2_give_up(struct exchange *exchange);
void http2_answer_continue(struct http2 *http2, int32_t stream_id); /* 100 Continue. */
void http2_answer_sent(struct http2 *http2, const nghttp2_frame *frame);
void http2_answer_forget(struct http2 *http2, int32_t stream_id); /* The stream is closed. */
/* Cuts off clients that go on sending behind their answer. */
void http2_answer_look(struct http2 *http2, int64_t now);
/* Makes frames until there are enough or no more; false: the session is broken. */
bool http2_answer_fill(struct http2 *http2);
void http2_answer_count(struct http2 *http2); /* Counts the rest of `out`. */

#endif
