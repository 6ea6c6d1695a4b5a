/* net/grpc.h — calls of gRPC, on the HTTP/2 of this folder.
 *
 * A call of gRPC is one stream of HTTP/2: a request whose body is a sequence of framed messages, and an
 * answer whose body is another such sequence, ended by trailers with a status. This header knows frames,
 * metadata, deadlines and statuses; it knows no message and no method (api/grpc does).
 *
 * Life of a call, all on the loop's thread:
 *
 *     begin()        the head is there: path, metadata, deadline. The method may refuse at once with
 *                    grpc_finish()
 *     message()      one message has arrived whole (borrowed until the function returns). Never after
 *                    closed() or gone()
 *     closed()       the client sends no more messages
 *     gone()         the client has cancelled, the deadline has passed, the connection is lost, or the
 *                    client does not keep to the protocol. The method lets go of the call: nothing can be
 *                    sent any more, and grpc_finish() must still be called once, then or later
 *     grpc_send()    any number of messages, from begin() on
 *     grpc_finish()  exactly once: the status ends the call. The call may be freed when the function that
 *                    called it returns to the loop; until then it and its arena are there
 *
 * A method that has no begin() hears of a call with its message. Before that the call ends without it.
 *
 * The server answers these itself, without the method:
 *
 *     415                 a content type that is not application/grpc or application/grpc+proto
 *     UNIMPLEMENTED       compressed messages; none or several messages where there has to be one
 *     DEADLINE_EXCEEDED   a single message that takes longer than body_timeout_ms
 *     RESOURCE_EXHAUSTED  messages beyond message_bytes_max or without memory
 *     INTERNAL            a body that ends within a message, a missing `te: trailers`, a malformed
 *                         grpc-timeout
 *
 * Flow control: a client's window is given back as its messages are taken. grpc_hold() stops that (the client
 * can then send at most one window more), grpc_go_on() lets it send again. In the other direction
 * grpc_behind() tells how many bytes the client has not taken; a call that is more than 1 MiB behind already
 * is cancelled by the next grpc_send(), which clients see as RESOURCE_EXHAUSTED, alone: other calls of the
 * same connection do not notice.
 */
#ifndef NET_GRPC_H
#define NET_GRPC_H

#include "net/net.h"

/* clang-format off */
#define GRPC_STATUS_MAP(XX)                                                                       \
    XX(OK, 0) XX(CANCELLED, 1) XX(UNKNOWN, 2) XX(INVALID_ARGUMENT, 3) XX(DEADLINE_EXCEEDED, 4)    \
    XX(NOT_FOUND, 5) XX(ALREADY_EXISTS, 6) XX(PERMISSION_DENIED, 7) XX(RESOURCE_EXHAUSTED, 8)     \
    XX(FAILED_PRECONDITION, 9) XX(ABORTED, 10) XX(OUT_OF_RANGE, 11) XX(UNIMPLEMENTED, 12)         \
    XX(INTERNAL, 13) XX(UNAVAILABLE, 14) XX(DATA_LOSS, 15) XX(UNAUTHENTICATED, 16)
/* clang-format on */

enum grpc_status {
#define XX(NAME, code) GRPC_##NAME = (code),
    GRPC_STATUS_MAP(XX)
#undef XX
        GRPC_STATUS_COUNT
};

const char *grpc_status_word(enum grpc_status code); /* "NOT_FOUND" */

enum grpc_kind {
    GRPC_UNARY,         /* One message in, one out: message() is called once, when the client has closed. */
    GRPC_SERVER_STREAM, /* One message in, in the same way; any number out. */
    GRPC_BIDI,          /* Any number in and out. The answer's head is sent at once. */
};

struct grpc_call {
    struct http_request *request;     /* Its arena lives as long as the call. */
    const struct grpc_method *method; /* NULL: the call was refused before there was one. */
    int64_t deadline_us;              /* On the clock of clock_monotonic_us(), from grpc-timeout; 0: none. */
    void *user;                       /* The method's own. */
    enum grpc_status code;            /* When it has ended. */
};

typedef void grpc_begin_fn(struct grpc_call *call, void *context);
typedef void grpc_message_fn(struct grpc_call *call, str message, void *context);

struct grpc_method {
    str service, name; /* "workflow.v1.WorkflowEngine", "StartInstance". */
    enum grpc_kind kind;
    grpc_begin_fn *begin; /* May be NULL. */
    grpc_message_fn *message;
    grpc_begin_fn *closed, *gone; /* May be NULL. */
    grpc_begin_fn *drained;       /* Called once after grpc_when_drained(): the client has taken all. */
    unsigned needs;               /* The service's own: the permission of its callers. */
    size_t message_bytes_max;     /* For a message from the client; 0: what the server allows. */
};

/* Whether a request wants to be a call of gRPC, as its content type says. The gate then returns
 * HTTP_TAKE_PIECES, or HTTP_TAKE_HEAD to refuse it, and the handler calls one of the next two. */
bool grpc_is_call(const struct http_request *request);

/* Begins the call. The functions of the method get `context`. */
void grpc_start(struct http_request *request, const struct grpc_method *method, void *context);

/* Ends it before it has begun. `method` may be NULL. */
void grpc_refuse(struct http_request *request, const struct grpc_method *method, enum grpc_status code,
                 str text);

/* A field of the request's metadata; empty if there is none. Fields that end in -bin are in base64, as they
 * came. */
str grpc_metadata(const struct grpc_call *call, str name);

/* Copies the message. False: the call is gone, or will be told so soon. */
bool grpc_send(struct grpc_call *call, str message);

/* A field of metadata that goes with the status. */
void grpc_add_trailer(struct grpc_call *call, str name, str value);

/* `text` is for people: any UTF-8, cut after GRPC_TEXT_BYTES_MAX. A message of a unary call is not sent
 * unless the code is GRPC_OK. */
void grpc_finish(struct grpc_call *call, enum grpc_status code, str text);

bool grpc_is_gone(const struct grpc_call *call);
size_t grpc_behind(const struct grpc_call *call);
void grpc_when_drained(struct grpc_call *call);
void grpc_hold(struct grpc_call *call);
void grpc_go_on(struct grpc_call *call);

/* Adds a message with its frame, and takes one off the beginning; false: there is no whole one. Pure. */
void grpc_add_frame(struct buf *out, str message);
bool grpc_take_frame(str *frames, str *ret_message);

/* A timeout as grpc-timeout has it ("250m") in microseconds, rounded up. False: malformed. Pure. */
bool grpc_parse_timeout(str text, int64_t *ret_us);

/* Writes a text as grpc-message has it: printable ASCII, the rest and % percent-encoded. Pure. */
void grpc_encode_text(str text, struct buf *out);

#endif
