/* store/record_kind.h — the kinds of records, and where the records of tenants are. */
#ifndef STORE_RECORD_KIND_H
#define STORE_RECORD_KIND_H

#include <stdbool.h>

/* Records: small things that parts of the engine keep by a key of their own. A kind is a number in the file:
 * rows are added at the end and never removed. Keys are any bytes and are listed in byte order.
 *
 *     OWN      The rows of a tenant are in its namespace.
 *     SHARED   The engine lists the rows of all tenants together: they are in the default namespace. A name
 *              in their keys is qualified (base/tenant.h), or the number of an instance tells them apart.
 *     ALL      The rows belong to no tenant: they are in namespace 0. */
/* clang-format off */
#define RECORD_KIND_MAP(XX)                                                                         \
    XX(DRAFT,          "draft",          OWN)      /* A document that is not published: definition id → document */       \
    XX(SECRET,         "secret",         SHARED)   /* A sealed value: name → vault/vault.h */                             \
    XX(SCHEDULE,       "schedule",       SHARED)   /* The slot that fired last: definition, trigger → times */         \
    XX(ROUTE,          "route",          OWN)      /* A trigger that can be found from outside: type, address → definition, trigger */ \
    XX(PAUSED,         "paused",         OWN)      /* A trigger that takes nothing: definition id, trigger → why */       \
    XX(ACTIVE,         "active",         OWN)      /* The living instance of a key: definition id, key → instance */      \
    XX(OVERFLOW,       "overflow",       SHARED)   /* An arrival that waits for a place: definition, number → arrival */ \
    XX(SEEN,           "seen",           OWN)      /* An arrival that counts once: definition id, trigger, key → hash */  \
    XX(ARRIVAL,        "arrival",        OWN)      /* The outcome of an arrival: its number, the newest first → runtime/arrivals/arrive.h */ \
    XX(HELD,           "held",           SHARED)   /* An instance that waits to begin: 10 - priority, instance → nothing */ \
    XX(TRANSIENT,      "transient",      SHARED)   /* An instance that does not outlive a restart: instance → nothing */ \
    XX(TEST,           "test",           OWN)      /* A living instance that is a test: definition id, instance → nothing */ \
    XX(EXPIRY,         "expiry",         SHARED)   /* An ended instance with an age of its own: time, instance → nothing */ \
    XX(MODEL,          "model",          OWN)      /* A model of entities: definition id → runtime/entities/models.h */            \
    XX(MEMBER,         "member",         OWN)      /* A living entity: definition id, instance → its state */             \
    XX(STATE,          "state",          OWN)      /* The same by state: definition id, state, instance → nothing */      \
    XX(INDEX,          "index",          OWN)      /* The same by an indexed field: definition id, field, value, instance → nothing */ \
    XX(UNIQUE,         "unique",         OWN)      /* A unique key of an entity: definition id, key, values → instance */ \
    XX(SEARCH,         "search",         OWN)      /* A search that runs or has run beside others: its id → what it is. Its place in the queue ("q…") is shared */ \
    XX(HITS,           "hits",           OWN)      /* The finds of a search: its id, number → entities */                 \
    XX(INDEXED,        "indexed",        SHARED)   /* The indexes of a model: definition → runtime/transact/indexes.h */        \
    XX(TALLY,          "tally",          OWN)      /* How many STATE records there are: definition id, state → number */  \
    XX(SECRET_KEY,     "secret-key",     SHARED)   /* The key that seals secrets: "key" → its id */                   \
    XX(BUILT,          "built",          OWN)      /* How far indexes of a model are built: definition id → runtime/transact/indexes.h */ \
    /* As access/record/record.h has them. */                                                              \
    XX(USER,           "user",           ALL)      /* name → record */                                                    \
    XX(KEY,            "key",            ALL)      /* id → record */                                                      \
    XX(GRANT,          "grant",          ALL)      /* to ("user:ada"), 0, id → record */                                  \
    XX(ISSUER,         "issuer",         ALL)      /* name → record */                                                    \
    XX(TENANT,         "tenant",         ALL)      /* name → record */                                                    \
    XX(TENANT_NUMBER,  "tenant-number",  ALL)      /* four bytes, the highest first → name */                   \
    XX(SESSION,        "session",        ALL)      /* hash of the cookie → record */                                      \
    XX(SESSION_OF,     "session-of",     ALL)      /* user, 0, hash → id of the session */                            \
    XX(SIGNING,        "signing",        ALL)      /* kid → a key of ours that signs tokens, sealed */                    \
    XX(ACCESS,         "access",         ALL)      /* "generation": counts changes of access; "setup": the first admin's link */ \
    XX(KEY_OF,         "key-of",         OWN)      /* id of a key of the tenant → nothing */                              \
    XX(GRANT_OF,       "grant-of",       OWN)      /* id of a grant in the tenant → to */                                 \
    XX(AUDIT,          "audit",          OWN)      /* A row of an older store, access/record/audit.h: audit_key() → row */          \
    XX(AUDIT_HEAD,     "audit-head",     OWN)      /* number of the node → head of its chain */                    \
    XX(PROVIDER,       "provider",       ALL)      /* number of the tenant, id → record */                                \
    XX(TRUSTED,        "trusted",        ALL)      /* number of the tenant, id → record */                                \
    XX(KEY_PAIR,       "key-pair",       ALL)      /* kid → record */ \
    XX(REMOVAL,        "removal",        ALL)      /* runtime/memory/usage.h: usage_removal_key() → the name of a tenant that goes, or nothing */ \
    XX(EARLY,          "early",          SHARED)   /* An event or an arrival whose key no instance has yet: runtime/transact/kept.h */ \
    XX(AUDIT_BLOCK,    "audit-block",    OWN)      /* access/record/audit_block.h: audit_block_key() → the rows of a transaction. Keys of a namespace grow: a store may rely on it for their order */ \
    XX(DELETION,       "deletion",       SHARED)   /* A definition that is being deleted: definition → nothing */ \
    XX(LOCK,           "lock",           SHARED)   /* Somebody holds a named lock, or waits for it: runtime/transact/locks.h */
/* clang-format on */

enum record_kind {
#define XX(NAME, ...) RECORD_##NAME,
    RECORD_KIND_MAP(XX)
#undef XX
        RECORD_KIND_COUNT
};
const char *store_record_word(enum record_kind kind);
/* Are the rows of all tenants in the default namespace? */
bool store_record_is_shared(enum record_kind kind);

#endif
