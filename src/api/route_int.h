/* api/route_int.h — paths and methods to handlers.
 *
 * A surface is one of the API's faces (steps' /v1, CloudEvents, the operator's pages): a table of routes and
 * the format of its errors. routes.c lists them. A surface's files, its table and its handlers are in a
 * folder of their own, and its handlers' names begin with the folder's name.
 *
 * The first route that fits wins, so a pattern with a word stands before one with a parameter in its place.
 * GET also answers HEAD. tests/unit/api/test_routes.c finds routes that cannot be reached.
 */
#ifndef API_ROUTE_INT_H
#define API_ROUTE_INT_H

#include "api/answer_int.h"
#include "api/api_int.h"
#include "api/members_int.h"

#include "access/permit/permission.h"

/* ST_OK: the request was answered or will be. Else it was not, and the error is the answer. */
typedef enum status route_fn(struct api_request *request, struct error *err);

/* Reads the body, on any thread: looks at nothing but the request's head and body. */
typedef enum status body_fn(const struct api_request *request, struct arena *arena,
                            const struct json **ret_value, struct error *err);

/* JSON of any kind, at most JSON_DEPTH_MAX deep; and for routes that take the text as it is: it is not read
 * ahead (request.c). */
body_fn request_read_json, request_read_text;

/* Parts that a request may carry whatever its path is. A route that does not name one of them refuses it or
 * warns about it, so that no route forgets to obey it (takes.c, takes_headers.c). */
enum route_takes {
    TAKES_TOKEN = 1,       /* X-Tx-Token: the request joins the transaction of a processor. */
    TAKES_TIME = 2,        /* ?pointInTime= */
    TAKES_TRANSACTION = 4, /* ?transactionId= */
    TAKES_PAST = TAKES_TIME | TAKES_TRANSACTION,
    TAKES_KEY = 8,           /* Idempotency-Key */
    TAKES_ACTOR = 16,        /* X-Actor */
    TAKES_GROUPS = 32,       /* X-Groups */
    TAKES_MATCH = 64,        /* If-Match */
    TAKES_NONE_MATCH = 128,  /* If-None-Match */
    TAKES_LAST_EVENT = 256,  /* Last-Event-ID */
    TAKES_CLOUD_EVENT = 512, /* ce-type and the like */
};

struct api_route {
    const char *method;  /* One of route_methods. */
    const char *pattern; /* "/v1/instances/{id}"; also its name in /metrics. A parameter is a whole segment,
                            and one whose name ends with * is the rest of the path. */
    route_fn *handle;
    enum permission
        needs;     /* OPEN: nobody needs to be known, and no body is read. DATA: the same, but its body
                              is read, because it asks for proofs of its own. A route without a permission
                              fails test_routes.c. */
    bool probe;    /* Answered at once, however much memory others hold. */
    bool quiet;    /* Comes all the time: only failures are logged. */
    body_fn *read; /* How large bodies are read before the handler is called (ahead_int.h); the handler calls
                      request_read() with the same function. NULL: request_read_json, and request_json(). */
    bool large; /* Its body may be longer than those of others: lists of documents (entity_body_bytes_max). */
    unsigned takes;    /* Bits of enum route_takes. contract/openapi.json has the same. */
    const char *query; /* The parameters that it reads, and no others: "keyword pageSize". One whose name ends
                          with * may be there several times. contract/openapi.json has the same. */
    bool any_query;    /* Parameters of any name: they are data, or meant for a page. So is the body. */
    const char *body;  /* The members of the JSON object that its body is, and no others, as members_int.h
                          writes them. NULL: it takes no body. contract/openapi.json has the same. */
    bool any_body;     /* Its body is data, or a document that is checked by itself. */
    bool any_type;     /* A page of ours may send its body as a form of HTML. */
    bool any_caller;   /* A route for all that reads who asks: a credential that is no good counts as none. */
    bool exact;        /* An unknown member is refused although the surface is lenient. */
};

struct surface {
    str prefix; /* All its patterns begin with it. Other paths are not looked for here. */
    const struct error_format *errors;
    bool lenient; /* Its clients are older than it: a parameter or member that it does not know is warned
                     about. */
    const struct api_route *route;
    size_t route_count;
};

/* The methods that a route may have, in the order of an Allow header. Ends with NULL. */
extern const char *const route_methods[];

struct route_match {
    const struct surface *surface; /* These two are NULL if there is none. */
    const struct api_route *route;
    size_t number;               /* From 1, over all surfaces. */
    str param[ROUTE_PARAMS_MAX]; /* Still encoded; empty behind the last. */
    str allow;                   /* The Allow header's value, if the path has other methods; else empty. */
};

/* `surfaces` ends with NULL. Only `allow` needs the arena. */
void route_find(const struct surface *const *surfaces, str method, str path, struct arena *arena,
                struct route_match *ret_match);

/* "GET, POST": all methods that any route has. */
str route_all_methods(const struct surface *const *surfaces, struct arena *arena);

/* Whether the route takes a parameter of this name, and whether it may be there several times. */
bool route_takes_query(const struct api_route *route, str name, bool *ret_repeats);
/* "takes limit, sort": for people. */
str route_query_names(const struct api_route *route, struct arena *arena);
/* Is it one of those that enum route_takes is about? */
bool route_is_shared_part(str name);

/* Refuses what the request carries and its route does not take, or warns about it (takes.c). */
enum status takes_check(struct api_request *request, struct error *err);
/* The same for members of the body, once it is read; and for one that was found before. */
enum status takes_check_body(struct api_request *request, const struct json *body, struct error *err);
enum status takes_tell_member(struct api_request *request, const struct member_unknown *unknown,
                              struct error *err);
/* Refuses a header that the API knows and the route does not read, or warns about it (takes_headers.c). */
enum status takes_check_headers(struct api_request *request, struct error *err);
/* Which of enum route_takes a header is, whatever its case; 0: none of them. */
unsigned takes_header_part(str name);
/* The refusal of a transaction's token, which came in a header or in metadata of this name. */
enum status takes_fail_token(const char *name, struct error *err);

/* ---- the surfaces ---- */

extern const struct surface *const routes_all[]; /* Ends with NULL. */

extern const struct surface v1_surface, definitions_surface, entity_compute_surface, events_surface,
    workflows_surface, secrets_surface, connections_surface, tasks_surface, hooks_surface,
    hooks_trigger_surface, entity_surface, entity_model_surface, entity_audit_surface, entity_search_surface,
    entity_platform_surface, entity_help_surface, entity_health_surface, ui_surface, operate_surface,
    live_surface, trials_surface, access_surface, oidc_surface, oidc_cyoda_surface, forms_surface,
    mcp_surface;

route_fn probes_health, probes_live, probes_ready, metrics_get, openapi_get, openapi_docs, schemas_get,
    forms_style, pages_get, pages_llms, docs_enter, docs_index, docs_get, mcp_metadata;

#endif
