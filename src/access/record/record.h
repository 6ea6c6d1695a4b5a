/* access/record/record.h — users, keys, grants, issuers, tenants and sessions as the store keeps them.
 *
 * Each is a JSON object in a record of the store (store/store.h) whose key is its name or id. This file knows
 * their members: which there are, which a client may set, which no answer may show. The runtime's room
 * `access/` reads and writes the records.
 *
 *     kind     key             belongs to    members (* set by the engine, - never shown)
 *     user     name            all tenants   displayName email roles groups state -password lastUsed*
 *     key      id*             one tenant    name tenant roles scopes actsFor expiresAt note state client
 *                                            -hash -oldHash oldUntil* lastUsed*
 *     grant    id*             one tenant    to role tenant scope
 *     issuer   name            all tenants   issuer label clientId clientSecretRef audience jwks jwksFile
 *                                            userClaim tenantClaim groupsClaim rolesClaim roles requireGroup
 *     tenant   name            all tenants   label state quotas number* -removing (state shows it)
 *     session  hash of cookie  its user      user tenant issuer groups roles -hash id* lastUsed* expires*
 *                                            address* agent*
 *     provider id*             one tenant    wellKnownConfigUri issuers expectedAudiences rolesClaim
 *                                            tenant* invalidatedAt*
 *     trusted  id              one tenant    jwk audience issuers validFrom validTo active tenant*
 *     key pair id*             all tenants   audience algorithm publicKey validFrom validTo active
 *     all of them                            created* by*
 *
 * Providers, trusted keys and key pairs are those of cyoda's calls (/api/oauth/…).
 */
#ifndef ACCESS_RECORD_H
#define ACCESS_RECORD_H

#include "access/permit/principal.h"
#include "json/json.h"

/* clang-format off */
#define ACCESS_KIND_MAP(XX)                                                                      \
    /* NAME    word       words      global: only admins of all tenants change it */             \
    XX(USER,    "user",    "users",    true)                                                     \
    XX(KEY,     "key",     "keys",     false)                                                    \
    XX(GRANT,   "grant",   "grants",   false)                                                    \
    XX(ISSUER,  "issuer",  "issuers",  true)                                                     \
    XX(TENANT,  "tenant",  "tenants",  true)                                                     \
    XX(SESSION, "session", "sessions", false)                                                    \
    XX(PROVIDER, "provider", "providers", false)                                                 \
    XX(TRUSTED, "trusted-key", "trusted-keys", false)                                            \
    XX(KEY_PAIR, "key-pair", "key-pairs", true)
/* clang-format on */

enum access_kind {
#define XX(NAME, word, words, global) ACCESS_##NAME,
    ACCESS_KIND_MAP(XX)
#undef XX
        ACCESS_KIND_COUNT
};
const char *access_kind_word(enum access_kind kind);
const char *access_kind_words(enum access_kind kind);
bool access_kind_is_global(enum access_kind kind);

/* Names of users, issuers and tenants: letters, digits, `_`, `-`, `.`, `@`, at most 64 bytes, no dot at the
 * beginning; a tenant's are lower case without `@`, begin with a letter or a digit and are no reserved word.
 * Users may not be called as history calls others: engine, nobody, root. Ids have the same form; that of a
 * trusted key has up to 128 bytes without `@` and may begin with a dot. ST_INVALID at "/name". */
enum status access_check_name(enum access_kind kind, str name, struct error *err);

/* The record that a client's object makes: of the right types, without unknown members, with defaults filled
 * in. `old` is the record as it is (NULL: a new one); members that the object has not stay as they are, and
 * null removes one (but for an issuer's `audience`, where null means any). ST_INVALID with the JSON Pointer
 * of the place. Members of the engine's own are refused. The name or id may be in the object if it is the
 * same. The tenant of a key and a grant has no default here: the caller adds its own with
 * access_record_set(). */
enum status access_record_make(enum access_kind kind, str name, const struct json *object,
                               const struct json *old, struct arena *arena, const struct json **ret_record,
                               struct error *err);

/* Adds or replaces a member that the engine sets: one with a star or a minus above, or `tenant`, `state`.
 * Times may be RFC 3339 texts or integers in milliseconds. */
const struct json *access_record_set(const struct json *record, const char *member, const struct json *value,
                                     struct arena *arena);

/* The record as clients see it: with its name or id, without what no answer may show. Times are RFC 3339. A
 * session shows its own `id`, because the key of its record is a hash. */
const struct json *access_record_view(enum access_kind kind, str name, const struct json *record,
                                      struct arena *arena);

/* The members that a client may set, with their values: the object that makes this record again. */
const struct json *access_record_given(enum access_kind kind, const struct json *record, struct arena *arena);

/* A record that the store gave. ST_INVALID: it is damaged; only its own principal is refused then. */
enum status access_record_check(enum access_kind kind, const struct json *record, struct error *err);

/* ---- quotas of a tenant ---- */

/* clang-format off */
#define QUOTA_MAP(XX)                                                                            \
    XX(ACTIVE_INSTANCES, "activeInstances")                                                      \
    XX(STARTS_PER_SECOND, "startsPerSecond")                                                     \
    XX(JOBS_IN_FLIGHT, "jobsInFlight")                                                           \
    XX(STORED_BYTES, "storedBytes")                                                              \
    XX(DEFINITIONS, "definitions")                                                               \
    XX(KEYS, "keys")                                                                             \
    XX(SCHEDULES, "schedules")                                                                   \
    XX(STREAMS, "streams")
/* clang-format on */

enum quota {
#define XX(NAME, word) QUOTA_##NAME,
    QUOTA_MAP(XX)
#undef XX
        QUOTA_COUNT
};
const char *quota_word(enum quota quota);
bool quota_find(str word, enum quota *ret_quota);

struct tenant {
    str name;
    int32_t number;
    bool is_suspended;
    bool is_removing;           /* It goes with everything in it: nobody finds it any more. */
    int64_t quota[QUOTA_COUNT]; /* 0: no limit. */
};
enum status tenant_read(str name, const struct json *record, struct arena *arena, struct tenant *ret_tenant,
                        struct error *err);

#endif
