/* tests/sim/access.h — users, keys, grants and tenants that come and go, and the model of who may do what.
 *
 *     root ──deeds──► engine ──commit──► audit row names the request ──► the model does the same deed
 *     visitors ──► gate (gate.c, in place of api/access) ──► directory, CALL_RESOLVE ──► verdict
 *                                                                                          │
 *                                  the model says which verdicts are right at this moment ◄┘
 *
 * The model knows nothing of records: it does the deeds of requests whose rows in the audit have committed,
 * in that order, and keeps a version of itself for each commit. A node that has made all changes itself must
 * judge as the newest version does. A node that shares the store may judge as a version of a moment ago.
 *
 * Visitors write drafts: the same names in every tenant, so that one that crosses over is seen.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "access/permit/permission.h"
#include "network.h"

struct journal;

enum {
    ACCESS_TENANTS = 3, /* default, ta, tb */
    ACCESS_KEYS = 6,
    ACCESS_USERS = 2,
    ACCESS_GRANTS = 3,    /* In each tenant. */
    ACCESS_SESSIONS = 24, /* In all. */
    ACCESS_DRAFTS = 2,
    ACCESS_NARROW = 4, /* Ways to narrow a key; 0: not at all. */
};

/* clang-format off */
#define DEED_MAP(XX)                                                 \
    XX(MAKE_TENANT,    "tenant.create",  TENANT,  CREATE)            \
    XX(SUSPEND_TENANT, "tenant.change",  TENANT,  CHANGE)            \
    XX(RESUME_TENANT,  "tenant.change",  TENANT,  CHANGE)            \
    XX(REMOVE_TENANT,  "tenant.remove",  TENANT,  REMOVE)            \
    XX(MAKE_KEY,       "key.create",     KEY,     CREATE)            \
    XX(REVOKE_KEY,     "key.change",     KEY,     CHANGE)            \
    XX(GIVE_KEY,       "key.change",     KEY,     CHANGE) /* Another role. */ \
    XX(NARROW_KEY,     "key.change",     KEY,     CHANGE)            \
    XX(ROTATE_KEY,     "key.rotate",     KEY,     ROTATE)            \
    XX(RESET_KEY,      "key.reset",      KEY,     RESET)             \
    XX(REMOVE_KEY,     "key.remove",     KEY,     REMOVE)            \
    XX(MAKE_USER,      "user.create",    USER,    CREATE)            \
    XX(DISABLE_USER,   "user.change",    USER,    CHANGE)            \
    XX(ENABLE_USER,    "user.change",    USER,    CHANGE)            \
    XX(REMOVE_USER,    "user.remove",    USER,    REMOVE)            \
    XX(LOG_IN,         "session.login",  SESSION, CREATE)            \
    XX(MAKE_GRANT,     "grant.create",   GRANT,   CREATE)            \
    XX(REMOVE_GRANT,   "grant.remove",   GRANT,   REMOVE)
/* clang-format on */

enum deed_kind {
#define XX(NAME, ...) DEED_##NAME,
    DEED_MAP(XX)
#undef XX
        DEED_COUNT
};

/* A change of access, as the one who asks for it means it. */
struct deed {
    enum deed_kind kind;
    uint32_t at;     /* Which tenant, key, user or grant. */
    uint32_t tenant; /* Keys and grants: where; ACCESS_TENANTS: in the tenant of the one who asks. */
    enum role role;
    uint32_t narrow;    /* MAKE_KEY, NARROW_KEY */
    int64_t expires_ms; /* MAKE_KEY; 0: in a year. */
    bool to_user;       /* Grants: to a user, or to a key … */
    uint32_t holder;    /* … of this number. */
};

enum visit_kind { VISIT_SAVE, VISIT_GET, VISIT_DROP, VISIT_REVOKE };

/* Somebody shows a credential and wants something. */
struct visit {
    enum visit_kind kind;
    bool by_user;    /* The credential is a session … */
    uint32_t holder; /* … of this user, or a secret of this key. */
    uint32_t secret; /* The request that made it. */
    int32_t tenant;  /* The tenant that the request names; -1: none. */
    uint32_t draft;  /* SAVE, GET, DROP */
};

enum verdict { VERDICT_LET_IN, VERDICT_UNKNOWN, VERDICT_NOT_THERE, VERDICT_MISSING, VERDICT_SUSPENDED };

str access_tenant_name(uint32_t tenant);
str access_key_id(struct world *world, uint32_t key);
str access_draft_name(uint32_t draft);
enum permission access_needs(const struct visit *visit);
/* The text of a secret, and the other way round. */
str access_secret(uint32_t op, struct arena *arena);

/* ---- actors_access.c ---- */

void access_actors_begin(struct world *world);
/* The call of a request that changes access, or of a visit. */
void access_fill(const struct world *world, struct call *call, const struct request *request);
/* Has everybody stopped? */
bool access_actors_done(const struct world *world);

/* ---- gate.c ---- */

/* Finds out who it is; takes part of the work of the query thread. */
void gate_arrive(struct world *world, struct copy *copy);
/* A call that the gate has made was answered. */
void gate_answered(struct world *world, struct copy *copy, struct call *call);
/* The copy ends. */
void gate_forget(struct copy *copy);

/* ---- model_access.c ---- */

struct access_state {
    struct {
        bool there, suspended;
        int32_t number;
    } tenant[ACCESS_TENANTS];
    struct {
        bool there, revoked;
        uint32_t tenant, narrow, secret, old_secret;
        enum role role;
        int64_t expires_ms;
    } key[ACCESS_KEYS];
    struct {
        bool there, disabled;
        enum role role;
    } user[ACCESS_USERS];
    struct {
        uint32_t secret, user; /* secret 0: ended. */
    } session[ACCESS_SESSIONS];
    struct model_granted {
        bool there, to_user;
        uint32_t holder;
        enum role role;
    } grant[ACCESS_TENANTS][ACCESS_GRANTS];
    bool draft[ACCESS_TENANTS][ACCESS_DRAFTS];
    int32_t last_number;
    uint32_t session_count;
};

/* The model as it was from a commit on. */
struct access_version {
    struct access_state state;
    int64_t at_ms;
    uint32_t engine;  /* The engine that has committed it. */
    bool is_told;     /* Its directory resolves everybody again. */
    uint32_t tenants; /* Bits of the tenants that it changed. */
};

/* A draft that was written at some time. */
struct access_draft_row {
    int32_t ns;
    uint32_t draft, op;
};

struct access_model {
    LIST(struct access_version) versions;
    LIST(struct access_draft_row) drafts;
};

void access_state_begin(struct access_state *state);
/* NULL, or why the deed cannot be done. */
const char *access_state_do(struct access_state *state, const struct deed *deed, uint32_t op);
/* The verdict, if the principal is as in one version and the tenants are as in another. */
enum verdict access_state_judge(const struct access_state *who, const struct access_state *where,
                                const struct visit *visit, int64_t wall_ms, int32_t *ret_ns);

/* ---- checker_access.c ---- */

void checker_access_begin(struct world *world);
/* A principal was found: versions before this one count no more for it. */
size_t checker_access_oldest(const struct world *world, const struct server *server);
void checker_access_verdict(struct world *world, struct copy *copy, enum verdict verdict, int32_t ns);
void checker_access_committed(struct world *world, const struct journal *journal);
/* True: it was about access, and nobody else looks at it. */
bool checker_access_answered(struct world *world, const struct copy *copy);
void checker_access_end(struct world *world);

#endif
