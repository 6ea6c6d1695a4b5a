/* net/grpc_int.h — the inside of a call of gRPC. */
#ifndef NET_GRPC_INT_H
#define NET_GRPC_INT_H

#include "net/grpc.h"
#include "net/protocol_int.h"

#include "base/must.h"

enum { FRAME_HEAD_BYTES = 5 }; /* A flag, and the message's length in network order. */

struct grpc_inside {
    struct grpc_call call; /* First: a method's pointer is a pointer to this. */
    void *context;
    struct buf trailers; /* Lines of the method's own. */
    str out;             /* The framed message of a unary answer. */
    struct buf in;       /* A message that has not arrived whole, or the only one. */
    uint8_t head[FRAME_HEAD_BYTES];
    size_t head_bytes;             /* Bytes of the frame that is arriving. */
    bool begun;                    /* The method knows of the call. */
    bool got;                      /* The only message is there. */
    bool complete;                 /* The client has closed. */
    bool streaming;                /* http_stream_begin() was called. */
    bool gone, answered, finished; /* No more is sent; the client has its status; grpc_finish() was called. */
};

/* grpc_frames.c: an http_piece_fn; `user` is the call. */
bool grpc_take_piece(str piece, void *user);

/* grpc.c: sets the alarm for the call's deadline, or for an earlier one while its only message is awaited. */
void grpc_set_alarm(struct grpc_inside *inside);

/* grpc.c: the client gets this status, and the method is told. */
void grpc_abort(struct grpc_inside *inside, enum grpc_status code, str text);
void grpc_on_gone(void *user); /* The request's on_gone; `user` is the call. */
void grpc_begin_stream(struct grpc_inside *inside);

#endif
