/* net/http1_int.h — what the two files of HTTP/1.1 share. */
#ifndef NET_HTTP1_INT_H
#define NET_HTTP1_INT_H

#include "net/parse_int.h"
#include "net/protocol_int.h"

/* The session of a connection that speaks HTTP/1.1 or HTTP/1.0. */
struct http1 {
    struct exchange *incoming; /* The request whose body is being read, or NULL. */
    uint64_t body_left;        /* Bytes of its body that are still to come, unless it is chunked. */
    struct http_chunks chunks;
    str interim;       /* The part of "100 Continue" that is not on the wire yet. */
    bool chunked;      /* The body of `incoming` comes in chunks. */
    bool continue_due; /* 100 Continue, once earlier answers are out. */
};

/* http1_answer.c */
void http1_refuse(struct connection *connection, enum refusal refusal);
void http1_respond(struct exchange *exchange, int status, str headers, str body);
void http1_stream_begin(struct exchange *exchange, int status, str headers);
void http1_stream_add(struct exchange *exchange, str bytes);
void http1_stream_end(struct exchange *exchange);
void http1_collect(struct connection *connection, struct pieces *pieces);
void http1_written(struct connection *connection, size_t bytes);

#endif
