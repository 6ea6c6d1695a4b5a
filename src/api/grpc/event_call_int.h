/* api/grpc/event_call_int.h — calls of CloudEventsService that become calls to the engine: one event in, one
 * or several out.
 *
 *     event ──► event_call_take() ──► ask: the kind's ──► event_call_submit() ──► engine
 *     events ◄── put: the kind's, for each answer ◄── answered ◄──────────────────┘
 *
 * The type of an event chooses its kind. A refusal is an answer of the kind's type with `success: false` and
 * the error's code at the beginning of its message; only an event that cannot be read, or whose type the
 * method does not know, ends the call with a status. Everything lives in the arena of the call of gRPC,
 * which is the runtime's between submit and answer.
 */
#ifndef API_GRPC_EVENT_CALL_INT_H
#define API_GRPC_EVENT_CALL_INT_H

#include "api/access/access_int.h"
#include "api/api_int.h"
#include "api/grpc/envelope_int.h"
#include "api/forwarding/forwarding_int.h"
#include "api/route_int.h"
#include "net/grpc.h"

struct event_call;

/* Reads the event's data and submits a call. On an error nothing was submitted, and it is the answer. */
typedef enum status event_ask_fn(struct event_call *event, struct error *err);

/* Appends the members of answer number `i`, each with a comma before it. False: there are only so many. */
typedef bool event_put_fn(const struct call *call, size_t i, struct buf *out);

struct event_kind {
    str type;
    enum permission needs;
    const char *answer; /* The type of its answers. */
    event_ask_fn *ask;
    event_put_fn *put;
    unsigned takes; /* Bits of enum route_takes: tx-token in the metadata, members of the data. The others are
                       refused. */
    const char *members; /* The other members of its data beside those that all events have, as members_int.h
                            writes them. The first answer warns about unknown ones. */
};

struct event_call {
    struct api *api;
    struct arena *arena;
    struct grpc_call *grpc;
    const struct event_kind *kind;
    struct envelope envelope;
    uint64_t hash; /* A hash of the event, if there is an idempotency key. */
    struct call *call;
    bool is_submitted; /* The runtime has the call. */
    bool is_large;     /* It and its chunks are read on another thread: now, and a call waits until that is */
    struct event_reading *reading;    /* over (NULL: not now). */
    bool gone;                        /* The client has left. */
    bool expired;                     /* Its credential counts no more. */
    size_t next;                      /* The answer that is sent next. */
    struct access_holder holder;      /* While a read runs, and while answers wait for the client. */
    str warning[UNKNOWN_MEMBERS_MAX]; /* For the first answer or, if there is none, for a trailer. */
    size_t warning_count;
    /* For kinds that write in chunks, one call and one answer each: submits the next one. NULL: one call is
     * all. A chunk that fails has a refusal as its answer; only that of the first is the whole answer. */
    event_ask_fn *submit_chunk;
    struct event_chunks *chunks; /* The kind's own. */
    size_t chunks_left;
    /* For an event whose transaction is at another node. */
    struct forwarding_call away;
    const struct event_kind *kinds;
    size_t kind_count;
    str message, frames; /* As it came; the answers that are left. */
    str trailers;        /* The trailers of the answer; empty: it has not come. */
};

/* The parts of a struct grpc_method. */
void event_call_take(struct grpc_call *grpc, str message, struct api *api, const struct event_kind *kinds,
                     size_t count);
void event_call_gone(struct grpc_call *grpc, void *api);
void event_call_drained(struct grpc_call *grpc, void *api);

struct call_origin event_call_origin(struct event_call *event);
enum status event_call_submit(struct event_call *event, struct call *call, struct error *err);

/* For kinds with one answer that has no members of its own. */
event_put_fn event_put_nothing;

/* ---- members of the event's data; an error names the member ---- */

/* {"name", "version"} */
enum status event_read_model(const struct json *model, str *ret_name, int32_t *ret_version,
                             struct error *err);
enum status event_read_id(const struct json *id, struct uuid *ret_id, struct error *err);
/* A text; empty if it is not there. */
enum status event_read_text(const struct json *data, str name, str *ret_text, struct error *err);
enum status event_read_number(const struct json *data, str name, int64_t least, int64_t most,
                              int64_t otherwise, int64_t *ret_number, struct error *err);
enum status event_read_time(const struct json *data, str name, int64_t *ret_ms, bool *ret_is_there,
                            struct error *err);
/* transactionId: the id of a transaction, in lower case; empty if it is not there. */
enum status event_read_transaction(const struct event_call *event, str *ret_transaction, struct error *err);
/* A document of the event: a JSON value or, if dataFormat is XML, a text. `name` is for the error. */
enum status event_read_document(const struct event_call *event, const struct json *value, const char *name,
                                const struct json **ret_document, struct error *err);
/* The token of the transaction of a processor, in the metadata; empty: none. */
str event_call_token(const struct event_call *event);

/* ---- kinds by method ---- */

extern const struct event_kind event_model_kinds[], event_manage_kinds[], event_collection_kinds[],
    event_search_kinds[], event_list_kinds[];
extern const size_t event_model_kind_count, event_manage_kind_count, event_collection_kind_count,
    event_search_kind_count, event_list_kind_count;

#endif
