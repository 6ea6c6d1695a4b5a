/* access/record/change.h — one change of a user, key, grant, issuer, tenant or session.
 *
 * The API makes changes from requests and an access file (file.h) makes a list of them; the runtime's room
 * `access/` checks and writes them.
 */
#ifndef ACCESS_CHANGE_H
#define ACCESS_CHANGE_H

#include "access/permit/caller.h"
#include "access/secret/key.h"
#include "access/record/record.h"

/* clang-format off */
#define ACCESS_ACTION_MAP(XX)                                                                    \
    XX(CREATE,   "create")   /* Refused if it is there. */                                       \
    XX(CHANGE,   "change")   /* Members of `object` replace those of the record. */              \
    XX(REMOVE,   "remove")   /* A user with its sessions and grants; a key at once; a tenant if it is empty, or with everything. */ \
    XX(PUT,      "put")      /* Creates or replaces: `pawl access apply`. */                     \
    XX(ROTATE,   "rotate")   /* A key: a new secret; the old one counts for 24 h. */             \
    XX(RESET,    "reset")    /* A key: a new secret; the old one ends at once. */                \
    XX(PASSWORD, "password") /* A user: `secret` is the encoded hash; ends other sessions. */    \
    XX(END,      "end")      /* All sessions of a user, or one. */                               \
    XX(INVALIDATE, "invalidate") /* A provider, a trusted key, a key pair: it counts no more. */ \
    XX(REACTIVATE, "reactivate") /* It counts again. */
/* clang-format on */

enum access_action {
#define XX(NAME, word) ACCESS_##NAME,
    ACCESS_ACTION_MAP(XX)
#undef XX
        ACCESS_ACTION_COUNT
};
const char *access_action_word(enum access_action action);

/* One change. Several of one call happen together or not at all. */
struct access_change {
    enum access_kind kind;
    enum access_action action;
    str name;                  /* Or id; empty: a key's, grant's and session's is made. */
    const struct json *object; /* CREATE, CHANGE, PUT: what the client sent. */
    str secret; /* PASSWORD, CREATE and PUT of a user: an encoded hash; PUT without one keeps the old. */
    struct credential_hash hash; /* CREATE and PUT of a key, CREATE of a session. */
    str keep_session;            /* PASSWORD, END: the session that stays. */
    str address, agent;          /* CREATE of a session: the client's address and its User-Agent, … */
    str request_id;              /* … its X-Request-Id, … */
    enum way_in way;             /* … and the way by which it came. */
    str tenant;                  /* REMOVE of a key or grant: where it is; empty: in the caller's tenant. */
    bool is_client;              /* REMOVE and RESET of a key: only if it is a client of cyoda. */
    bool is_first;               /* CREATE of a user: refused if there is any user. */
    bool with_everything;        /* REMOVE of a tenant: with all it has, as a backlog. */
    bool invalidates_others;     /* CREATE, PUT of a trusted key or a key pair: those before it end. */
    int64_t grace_ms;            /* INVALIDATE, and with invalidates_others: so long they still count. */
};

#endif
