/* api/access/access_int.h — who asks: from the head of a request to its caller.
 *
 *     gate.c ──► access_identify() ── known here ──────────────► access_authorize() ──► handler
 *                       └─ not known here: the body is read as a stranger's, then
 *                          access_resolve() ──► CALL_RESOLVE ──► access_authorize() ──► handler
 *
 * A request has one caller (access/permit/caller.h), which all its calls carry. Nothing else in a request
 * says who asks: X-Actor, X-Groups and names in bodies are claims, and person.c decides which of them count.
 */
#ifndef API_ACCESS_ACCESS_INT_H
#define API_ACCESS_ACCESS_INT_H

#include "api/api_int.h"
#include "api/aside_int.h"
#include "api/route_int.h"

#include "access/directory/directory.h"

/* A request shows one of these to be let in. */
enum credential_form {
    CREDENTIAL_NONE,
    CREDENTIAL_BEARER_KEY,   /* A key of ours, or the root secret. */
    CREDENTIAL_BEARER_TOKEN, /* A signed token of an issuer, or of ourselves. */
    CREDENTIAL_COOKIE,       /* A browser session. */
};

struct credential {
    enum credential_form form;
    str text;
    str key_id; /* BEARER_KEY: its id; empty: it has not the form of a key. */
    struct credential_hash hash;
};

/* False: the head has no credential. */
bool credential_may_be_in(const struct http_request *http);
/* Reads the credential of a request. ST_INVALID: two of them. ST_FORBIDDEN: a page of another site uses the
 * cookie (credential.c). */
enum status credential_read(const struct api_request *request, struct credential *ret_credential,
                            struct error *err);
/* Did the client come by TLS, to us or to a proxy of ours (--public-url https://…; X-Forwarded-Proto of a
 * --proxy)? Then cookies are for secure pages only. */
bool credential_came_by_tls(const struct api_request *request);
/* The name of the session cookie: `__Host-pawl` by TLS, else `pawl`. */
str credential_cookie_name(const struct api_request *request);
/* The value of a cookie; empty: the request has none of this name. */
str credential_find_cookie(const struct api_request *request, str name);

/* Takes the prefix /t/NAME off the path, if it is there. ST_NOT_FOUND: the name cannot be a tenant's. */
enum status identify_take_prefix(struct api_request *request, struct error *err);

/* The caller is whoever the address or the certificate stands for, as if there were no credential. */
void access_take_peer(struct api_request *request);
/* Finds the principal and the tenant, as far as this process knows them. If it does not, `unresolved` is set.
 * ST_UNAUTHORIZED, ST_INVALID, ST_NOT_FOUND, ST_FORBIDDEN: the request is refused. */
enum status access_identify(struct api_request *request, struct error *err);

/* The name of the tenant that the request is for. It lives as long as the directory. */
str access_tenant_name(const struct api_request *request);

/* May the caller ask this? ST_UNAUTHORIZED (nobody is known), ST_FORBIDDEN (a permission is missing, or the
 * tenant is suspended), ST_NOT_FOUND (no such tenant, or none that the caller knows of). */
enum status access_authorize(struct api_request *request, struct error *err);

/* Reads from the store what access_identify() did not know, authorizes, and calls `go_on` on the network's
 * thread with the error that refuses the request, or NULL. */
typedef void access_go_on(struct api_request *request, struct error *err);
void access_resolve(struct api_request *request, access_go_on *go_on);

/* The same error for everything that is wrong with a credential; `why` is for admins. */
enum status access_refuse(struct api_request *request, const char *why, struct error *err);
/* Notes the refusal of a login by that name; `issuer` empty: of a user of ours. */
void access_refuse_login(struct api_request *request, str issuer, str name, const char *why);
/* Notes that the request is refused, unless that was noted before. */
void access_note_refusal(struct api_request *request, const char *why);
/* Writes the counts of a minute that is over to the audit; `all`: also those of the running minute. */
void access_look_at_refusals(struct api *api, bool all);
void access_free_refusals(struct api *api);

/* ---- streams and long polls (holders.c) ---- */

/* The request of a call of gRPC, which has another `user`. NULL: the gate has not seen it. */
struct api_request *access_request_of(const struct http_request *http);

/* A request that lives for long. `end` is called once on the network's thread when the principal may do no
 * more of it. All zero at first, in storage that lives as long as the request. */
struct access_holder {
    struct access_holder *next, **link;
    struct api_request *request;
    struct principal *principal; /* As it was found last, counted. */
    net_fn *end;
    void *context;
    uint64_t ended;                /* directory_ended() at the last look. */
    struct access_question *asked; /* The principal is read from the store again; NULL: it is not. */
    int32_t stream_of;             /* The tenant whose stream it is; 0: it is no stream. */
    uint64_t generation;           /* The change of access after which its tenant was last looked at. */
};
void access_hold(struct access_holder *holder, struct api_request *request, net_fn *end, void *context);
/* The same for a stream, which counts against the quota of its tenant. Ask before: ST_OVERLOAD,
 * `tenant-limit`. */
enum status access_check_stream(struct api_request *request, struct error *err);
void access_hold_stream(struct access_holder *holder, struct api_request *request, net_fn *end,
                        void *context);
/* How many streams the tenant has at this node. */
size_t access_stream_count(const struct api *api, int32_t tenant);
void access_streams_free(struct api *api);
/* Is nothing answered to the call when its credential ends? Reads and polls; others have taken effect. */
bool access_ends_call(const struct call *call);
/* The request is about to end. It may be called twice. */
void access_let_go(struct access_holder *holder);
/* Ends those that count no more. A few times per second. */
void access_look(struct api *api);

/* ---- passwords, beside the network's thread (hashing.c) ---- */

/* One password, in storage that lives as long as the request. With `known` it is compared, else hashed. */
struct hashing {
    struct api_request *request;
    str password;
    bool compares;
    str known; /* The hash to compare with; empty: a user who is not there, which takes as long. */
    net_fn *done;
    void *context;
    /* Answers. */
    enum status status;
    struct error error;
    bool fits;
    str hash;
    /* Its own. */
    char text[PASSWORD_HASH_BYTES_MAX]; /* The thread that hashes must not use the memory of the request. */
    struct aside_work aside;
    struct hashing *next;
};
/* ST_OVERLOAD: too many wait, of all clients or of this one. Else `done` is called, then or later. */
enum status hashing_begin(struct hashing *hashing, struct error *err);
/* ST_OVERLOAD, `too-many-tries`: so many passwords were wrong lately, of this user or from this address. */
enum status access_check_tries(const struct api_request *request, str name, struct error *err);
/* Overwrites a secret in memory that is ours. */
void hashing_wipe(str secret);

/* ---- sessions (sessions.c) ---- */

/* The header line that sets the session cookie; an empty value takes it away. */
str session_cookie_line(const struct api_request *request, str value);
/* The change that begins a session of the user that the object (a record of a session) names.
 * When it has happened, the answer needs session_cookie_line() of `*ret_cookie`. */
struct access_change session_change(struct api_request *request, const struct json *object, str *ret_cookie);

/* ---- handlers ---- */

route_fn access_list, access_show, access_create, access_change, access_remove; /* records.c */
route_fn users_create, users_set_password, users_end_sessions;                  /* users.c */
route_fn keys_create, keys_rotate;                                              /* keys.c */
route_fn access_apply;                                                          /* apply.c */
route_fn records_remove_tenant;                                                 /* records.c */
route_fn session_login, session_logout, sessions_list, sessions_end;            /* sessions.c */
route_fn setup_take;                                                            /* setup.c */
route_fn me_get, me_login_offers;                                               /* me.c */
route_fn audit_list, audit_verify;                                              /* audit.c */
route_fn access_explain, access_refusals, access_routes;                        /* explain.c */

#endif
