/* access/permit/principal.h — the one who asks, and the decision whether they may.
 *
 * A credential (key, session, token, network, certificate) resolves to a principal, which does not change any
 * more: a change of access makes new ones (directory.h). It is counted, because streams hold it for long.
 *
 * A decision needs no store: principal × tenant × permission × object → yes, or what is missing.
 */
#ifndef ACCESS_PRINCIPAL_H
#define ACCESS_PRINCIPAL_H

#include "access/permit/scope.h"
#include "base/tenant.h"

/* clang-format off */
#define PRINCIPAL_KIND_MAP(XX)                                                                   \
    XX(NOBODY,      "nobody")      /* No credential. May do everything where no access is configured. */ \
    XX(USER,        "user")        /* A person with a session, local or from an issuer. */       \
    XX(KEY,         "key")         /* A program with a key of ours; also the key "root". */      \
    XX(TOKEN,       "token")       /* A bearer of a token from an issuer, or from ourselves. */  \
    XX(NETWORK,     "network")     /* A caller from a trusted network. */                        \
    XX(CERTIFICATE, "certificate") /* A caller with a trusted client certificate. */             \
    XX(ENGINE,      "engine")      /* The engine itself: schedules, retention, other nodes. */   \
    XX(STORE,       "store")       /* A command of `pawl` that opened the store directly. */
/* clang-format on */

enum principal_kind {
#define XX(NAME, word) PRINCIPAL_##NAME,
    PRINCIPAL_KIND_MAP(XX)
#undef XX
        PRINCIPAL_KIND_COUNT
};
const char *principal_kind_word(enum principal_kind kind);

/* The generation of principals that come from the configuration: no change of access ends them. */
#define GENERATION_ALWAYS UINT64_MAX

/* A role in one tenant or in all, narrowed or not. */
struct grant {
    enum role role;
    int32_t tenant; /* Its number; TENANT_ANY: all tenants, those to come included. */
    const struct access_scope *scope;
    size_t scope_count; /* 0: not narrowed. */
    str source;         /* For people: "the grant G7", "the group sre", "the claim $.groups". */
};

struct principal {
    enum principal_kind kind;
    str name;     /* For people: "ada", "portal", "10.1.0.0/16". History and tasks have this name. */
    str id;       /* For records, unique: "user:ada", "key:7Hq…", "token:https://idp/…#sub". */
    int32_t home; /* The tenant that it acts in unless it names another. */
    const struct grant *grant;
    size_t grant_count;
    const str *group;
    size_t group_count;
    bool acts_for;       /* It may name the person for whom it acts. */
    bool is_everybody;   /* No access is configured: everything is allowed. */
    int64_t expires_ms;  /* 0: never. */
    uint64_t generation; /* The directory's when it was resolved. */
    str claims;          /* A token's claims that calculation nodes get (authclaims): JSON; empty: none. */
    str through;         /* The client that has brought the user of an exchanged token; empty: none. */
    str credential;      /* The id of the key or session that it came with; empty: none. For revocation. */
    /* ---- private ---- */
    _Atomic int references_;
    struct arena arena_; /* Holds all of the above. */
};

/* A new one, counted once, with an arena for its parts. */
struct principal *principal_new(enum principal_kind kind);
struct principal *principal_ref(struct principal *principal);
void principal_unref(struct principal *principal); /* NULL is allowed. */

/* The principal of a request without a credential. `everybody`: no access is configured. Lasts for ever. */
struct principal *principal_nobody(bool everybody);

/* Is it the same one, with the same grants and groups, so that it may do the same? */
bool principal_is_same(const struct principal *a, const struct principal *b);

bool principal_is_in(const struct principal *principal, str group);
/* Has it any role in the tenant? Without one, the tenant does not exist for it. */
bool principal_knows(const struct principal *principal, int32_t tenant);
role_set principal_roles(const struct principal *principal, int32_t tenant);
/* Permissions in the tenant for some object at least. The gate asks this, before a body is read. */
permission_set principal_permissions(const struct principal *principal, int32_t tenant);
/* Permission for this object; an empty object asks for some object at least. */
bool principal_may(const struct principal *principal, int32_t tenant, enum permission permission, str object);
/* Does some grant of the permission in the tenant count for objects of every name? Then lists need no
 * filter. */
bool principal_may_all(const struct principal *principal, int32_t tenant, enum permission permission);

/* ST_FORBIDDEN with the permission that is missing, the roles that have it, the scope if the principal has
 * such a role, and details for programs. */
enum status principal_refuse(const struct principal *principal, enum permission permission, str object,
                             struct error *err);

/* The chain of reasons for people and programs: claim → group → grant → role → permission → yes or no. Writes
 * a JSON object. */
struct buf;
void principal_explain(const struct principal *principal, int32_t tenant, enum permission permission,
                       str object, struct buf *out);
/* Adds `,"scopes":[…]`: those that narrow its roles in the tenant. Nothing if there are none. */
void principal_put_scopes(const struct principal *principal, int32_t tenant, struct buf *out);
/* Has it a role in all tenants, also in those that come? */
bool principal_is_everywhere(const struct principal *principal);

/* Does somebody who has these roles or groups fit a list of names of roles or groups (requiredRoles,
 * startableBy)? An empty list fits everybody. */
struct json;
bool principal_fits(const struct principal *principal, int32_t tenant, const struct json *names);

#endif
