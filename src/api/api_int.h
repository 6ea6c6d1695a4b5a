/* api/api_int.h — the API and one request on its way through it.
 *
 *     gate.c      who may ask: host, origin, secret, and what kind of body
 *     api.c       a request's way in: gate, route, handler; and its way out: metrics, log
 *     routes.c    the surfaces; each has a table of routes and a format of errors
 *     request.c   a request's body, and its call (request_int.h; with fields.c, query.c and params.c)
 *     answer.c    an answer, and errors (answer_int.h; with error.c)
 *
 * A handler reads the request, fills in a call and submits it with a renderer, which writes the body when the
 * call succeeded. A renderer is pure and looks at nothing but the call: for a request that repeats an
 * Idempotency-Key the engine fills the call with the remembered value, and the text is the same.
 *
 * All that a request needs lives in its arena. Between submit and answer that arena is the runtime's: nothing
 * here may touch it.
 */
#ifndef API_API_INT_H
#define API_API_INT_H

#include "api/api.h"
#include "api/limits.h"

#include "access/permit/caller.h"
#include "access/directory/directory.h"

#include "base/map.h"

#include <pthread.h>
#include <stdatomic.h>

/* Calls of providers that are done, see access/fetch.c. */
struct fetches {
    pthread_mutex_t lock;
    struct api_fetch *first;
};

struct api {
    struct api_config config;
    struct arena arena;            /* Holds the configuration. */
    struct directory *directory;   /* The configuration's, or one of its own. */
    struct access_holder *holders; /* Streams and long polls, see access/holders.c. */
    struct map streams;            /* How many of them each tenant has. */
    struct issuers *issuers;       /* Issuers of tokens, see access/issuers.c; NULL: nobody has asked yet. */
    struct token_queue *tokens;    /* Tokens that are being checked, see access/bearer.c; NULL: none yet. */
    struct signing *signing;       /* The key of our own tokens, see access/signing.c; NULL: none yet. */
    struct fetches fetches;
    struct connection_test *tests;       /* Connections that are tried now, see connections/test.c. */
    unsigned char login_secret[32];      /* For logins, if there is no vault. */
    struct hashing *hashings;            /* Passwords that wait for a thread, see access/hashing.c. */
    size_t hashing_count;                /* Passwords that are looked at now. */
    struct metrics_gathering *gathering; /* A page for the engine itself; NULL: none was asked for yet. */
    struct refusal_rows *refusal_rows;   /* On their way to the audit, see access/refusals.c; NULL: none. */
    struct setup *setup;  /* The link for the first admin, see access/setup.c; NULL: there is none. */
    struct arena scratch; /* For values that are read and not kept. */
    atomic_bool draining; /* Other threads look at it before they begin something long. */
    int64_t started_ms;
    struct map series;                          /* Measured requests: struct series, see metrics_page.c. */
    struct map calls;                           /* The same for calls of gRPC. */
    struct map approvals;                       /* Tenants whose agents find the definition `approve`. */
    const struct surface *const *surfaces;      /* All routes; ends with NULL. */
    const struct grpc_service *const *services; /* The services of gRPC; ends with NULL. */
    size_t watcher_count;
    struct health_watcher *watchers; /* Calls that watch the engine's health, see grpc/health.c. */
    struct live_hub *live;           /* Streams of changes, see live/hub.c; NULL: there was none yet. */
    struct aside_work *asides;       /* Work beside the network's thread, see aside_int.h. */
    struct trial_job *trials;        /* Test runs, see trials/trials.c. */
    size_t trial_count;
    size_t member_stream_count;
    struct member_stream *member_streams; /* Calculation nodes, see grpc/member_stream.c. */
    struct forwarding *forwarding; /* Other nodes of the store, see forwarding/; NULL: there are none. */
    struct http_server *server;    /* For their requests; NULL: it is not open yet. */
    const struct help_pages *help; /* The help pages of entities, see entity/help.c; NULL: nobody has
                                           * asked yet. */
    uint64_t member_events_skipped;
    int64_t member_skip_told_us; /* When the log last told of one; 0: never. */
};

struct access_holder;
struct call_pieces;
struct credential;
struct grpc_method;
struct surface;
struct grpc_service;

/* Writes the status and the body of the answer to a call that succeeded. Looks at nothing but the call: large
 * answers are written on other threads. */
typedef void render_fn(const struct call *call, int *ret_http_status, struct buf *out);

/* Writes header lines of the answer to a call that succeeded. Looks at nothing but the call, too. */
typedef void render_headers_fn(const struct call *call, struct buf *lines);

/* One request on its way. The http_request's `user`. */
struct api_request {
    struct api *api;
    struct http_request *http;
    const struct surface *surface; /* These two are NULL if no route has this path and method. */
    const struct api_route *route;
    size_t route_number; /* From 1, over all surfaces; 0: no route. */
    bool calls;          /* It is a call of gRPC: of this service and method, each NULL if there is none. */
    const struct grpc_service *service;
    const struct grpc_method *method;
    str allow;                           /* The methods that the path has, if it has not the request's. */
    str param[ROUTE_PARAMS_MAX];         /* Parts of the path, decoded, in UTF-8; empty behind the last. */
    struct error *refusal;               /* The gate's error; NULL: the request may go on. */
    struct caller caller;                /* The principal and tenant that it runs for. */
    const struct credential *credential; /* Its proof, see access/access_int.h. */
    str tenant_name;                     /* As the path or a header says; empty: the principal's home. */
    bool is_suspended;                   /* The tenant is. */
    bool unresolved;                     /* Principal or tenant have to be read from the store first. */
    bool preflight;
    str allowed_origin;        /* Pages of this origin may read the answer; empty: no origin is mentioned. */
    str identity;              /* Tells it from others with the same method, path and body. */
    struct call *call;         /* The call that it waits for, or NULL. */
    render_fn *render;         /* Writes the answer if that call succeeds. */
    const struct call *failed; /* The call whose error is told, for formats that tell more; NULL: none. */
    render_headers_fn *render_headers; /* NULL: the answer has no headers of its own. */
    bool looks_around;                 /* The renderer looks at more than the call, which only the network's
                                          thread may. */
    str warning;                       /* For X-Pawl-Warning (request_warn); empty: there is none. */
    str media_type;                    /* The answer's type if the call succeeds; empty: JSON. */
    struct access_holder *holder;      /* Its call waits, see access/holders.c; NULL: it does not. */
    bool expired;                      /* Its principal counts no more while it waits. */
    struct call_pieces *pieces; /* A call of gRPC whose caller is not known yet keeps them; NULL: none. */
    void *stream;               /* The handler's own, if the answer is a stream. */
    struct ahead
        *ahead;      /* The body was read before the handler was called (ahead_int.h); NULL: it is small. */
    bool gone;       /* The client left. */
    bool is_refused; /* The refusals of access know it, see access/refusals.c. */
};

/* metrics_page.c */
void metrics_observe(struct api *api, const struct api_request *request, const struct http_request *http,
                     int64_t took_us);
void metrics_observe_call(struct api *api, const struct grpc_call *call, int64_t took_us);
void metrics_done(struct api *api);
void metrics_gather_done(struct api *api); /* metrics_gather.c; before metrics_done(). */

#endif
