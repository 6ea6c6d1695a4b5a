/* api/grpc/unary_int.h — calls of gRPC with one message in each direction that become calls to the engine.
 *
 *     message ──► unary_take() ──► method ──► call_…(unary_origin()) ──► unary_submit() ──► engine
 *     message ◄── grpc_send()  ◄── the method's renderer ◄── answered() ◄──────────────────┘
 *
 * The unpacked message lives until the method returns, which copies what it needs into the arena of the call
 * of gRPC: a poll that waits keeps nothing of its message. Between submit and answer that arena is the
 * runtime's. A renderer looks at nothing but the call, as those of HTTP do.
 */
#ifndef API_GRPC_UNARY_INT_H
#define API_GRPC_UNARY_INT_H

#include "api/api_int.h"
#include "api/grpc/message_int.h"
#include "net/grpc.h"

struct unary;

/* Appends the message that answers a call that succeeded. Memory that only the rendering needs comes from
 * `scratch`. An error is the answer instead. */
typedef enum status unary_render_fn(const struct call *call, struct arena *scratch, struct buf *out,
                                    struct error *err);

/* Reads the message and submits a call. On an error nothing was submitted, and the error is the answer. */
typedef enum status unary_fn(struct unary *unary, const ProtobufCMessage *message, struct error *err);

struct unary {
    struct api *api;
    struct arena *arena;
    struct grpc_call *grpc;
    uint64_t hash;                /* A hash of the method and the message, if there is an idempotency key. */
    struct call *call;            /* The call that it waits for, or NULL. */
    bool waits;                   /* That call may wait for long. */
    bool gone;                    /* The client has left. */
    bool expired;                 /* Its principal counts no more while it waits. */
    struct access_holder *holder; /* NULL: it does not wait. */
    unary_render_fn *render;
    /* Its message is read on another thread (NULL: it is not). A call or an answer waits until that is over.
     */
    struct unary_reading *reading;
    bool is_answered;
    str answer;
    str warning; /* For the trailer x-pawl-warning; empty: there is none. */
    int (*code)(
        const struct error *err); /* The code of an error, if it is not that of its status. NULL: it is. */
};

/* For the `message` and the `gone` of a struct grpc_method. */
void unary_take(struct grpc_call *grpc, str bytes, struct api *api, const ProtobufCMessageDescriptor *type,
                unary_fn *method);
void unary_leave(struct grpc_call *grpc);

struct call_origin unary_origin(struct unary *unary);
enum status unary_submit(struct unary *unary, struct call *call, unary_render_fn *render, struct error *err);
/* Answers at once. */
void unary_answer(struct unary *unary, str message);
/* A renderer for answers without content. */
unary_render_fn unary_render_nothing;

/* A field of the message, copied into the arena. */
enum status unary_text(struct unary *unary, const char *text, const char *name, size_t bytes_max,
                       str *ret_text, struct error *err);
enum status unary_required_text(struct unary *unary, const char *text, const char *name, size_t bytes_max,
                                str *ret_text, struct error *err);

/* Makes a number fit that bounds an answer, as query_fit() does. The answer's trailer says so. */
void unary_fit(struct unary *unary, const char *name, int64_t most, int64_t otherwise, int64_t *number);
/* The same for a page and its size. */
void unary_page(struct unary *unary, int64_t page, int64_t size, int64_t *ret_skip, size_t *ret_size);

#endif
