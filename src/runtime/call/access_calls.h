/* runtime/call/access_calls.h — calls about principals, and about users, keys, grants, issuers, tenants,
 * sessions and the audit. */
#ifndef RUNTIME_CALL_ACCESS_CALLS_H
#define RUNTIME_CALL_ACCESS_CALLS_H

#include "access/record/audit.h"
#include "access/record/change.h"
#include "access/secret/key.h"
#include "access/record/record.h"
#include "access/token/token.h"

/* ---- who is it? ---- */

enum credential_kind {
    CREDENTIAL_KEY,     /* A key of ours: id and hash. */
    CREDENTIAL_SESSION, /* A session cookie: hash. */
    CREDENTIAL_BEARER,  /* A token whose signature and claims were checked: issuer and bearer. */
    CREDENTIAL_NAME,    /* "user:ada", "key:ID", "group:sre": for explanations; proves nothing. */
};

/* RESOLVE: from a credential to its principal. Reads the store; changes nothing but lastUsed, and that at
 * most hourly. */
struct call_resolve {
    enum credential_kind kind;
    struct credential_hash hash;
    str id;     /* KEY: its id. NAME: the principal's. */
    str issuer; /* BEARER: the name of its record. */
    struct token_bearer bearer;
    str claims; /* BEARER: the claims that calculation nodes get. */
};
struct answer_resolve {
    struct principal *principal; /* Counted for the caller; NULL: refused. */
    const char *why; /* A literal: "unknown key", "wrong secret of the key", "revoked", "expired", "no such
                          * user", "disabled", "unknown session", "idle for too long", "unknown issuer", "no such
                          * tenant", "damaged record", "no role". */
    uint64_t generation, mark; /* The directory's before the store was read. */
};

/* FIND_RECIPIENTS: addresses of people whom a task of the tenant asks. A user counts who has a role in the
 * tenant. A name that no user has, and that is an address itself, is its own address. */
struct call_recipients {
    const struct json *people, *groups; /* A list of texts, or one text; NULL: none. */
};
struct answer_recipients {
    str *name, *address; /* Each address once. */
    size_t count;
    str *without; /* People and groups for whom there is no address. */
    size_t without_count;
    bool cut; /* There are more than RECIPIENTS_MAX, or more users than RECIPIENT_USERS_MAX. */
};

/* ---- changes ---- */

/* CHANGE_ACCESS. */
struct call_access {
    struct access_change *change;
    size_t count;
    bool dry_run; /* Says what would change. */
};
struct answer_access {
    const struct json **view; /* Each record after its change; NULL: it is gone. */
    str *name;
    bool *is_new, *is_same;
    size_t count;
};

/* LIST_ACCESS: records of a kind in order of their names; one record if `name` is given. */
struct call_access_list {
    enum access_kind kind;
    str name;
    str after;       /* Only names behind it. */
    bool with_usage; /* TENANT: how much each uses of its quotas; the call goes on at the engine. */
    str of;          /* SESSION: of this user. GRANT: of this principal ("user:ada"); empty: all. */
    size_t max;
};
struct answer_access_list {
    const struct json **view;
    str *name;
    int32_t *ns; /* TENANT: their numbers, so that the engine adds how much they use. */
    size_t count;
    bool more;
    str hash; /* `name` of a user, for a login only: the encoded hash; never shown. */
};

/* ---- the audit ---- */

struct audit_walk;

/* LIST_AUDIT_ROWS, VERIFY_AUDIT. */
struct call_audit_rows {
    str principal, action, object, outcome; /* Empty: any. A `*` at the end stands for any rest. */
    int64_t since_ms, until_ms;             /* 0: any. */
    str before;                             /* A cursor. */
    size_t max;
};
struct answer_audit_rows {
    struct audit_row *row;
    str *id;
    size_t count;
    str next;        /* Empty: there are no more. */
    int64_t checked; /* VERIFY: rows … */
    str broken;      /* … and the first place where a chain is broken, in words; empty: none. */
    /* The runtime's own: how far the call has come. */
    str after_;
    struct audit_walk *walk_;
};

/* NOTE_ACCESS: rows without a change of their own: logins, refusals of the last minute. */
struct call_note_access {
    const struct audit_row *row;
    size_t count;
};

#endif
