/* access/directory/directory_int.h — the parts of a directory, for its files only.
 *
 * The lock guards everything but the atomics. A thread holds it for a few lookups at most.
 */
#ifndef ACCESS_DIRECTORY_INT_H
#define ACCESS_DIRECTORY_INT_H

#include "access/directory/directory.h"
#include "access/limits.h"
#include "base/map.h"
#include "base/text_map.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- addresses (directory_address.c) ---- */

/* IPv6; an address of IPv4 is one of ::ffff:0:0/96. */
struct directory_address {
    unsigned char bytes[16];
};
struct directory_network {
    struct directory_address address;
    unsigned bits;
};
bool directory_address_parse(str text, struct directory_address *ret_address);
bool directory_address_is_v4(const struct directory_address *address);
enum status directory_address_network(str text, struct directory_network *ret_network, struct error *err);
bool directory_address_is_in(const struct directory_address *address,
                             const struct directory_network *network);

/* ---- the parts ---- */

/* The answer for one credential. */
struct directory_entry {
    struct credential_hash hash;
    uint64_t place;             /* Its key in the map. */
    uint64_t generation, ended; /* The directory's when it was kept. */
    int64_t from_ms, until_ms;
    struct principal *principal; /* NULL: refused. */
    const char *why;
    struct directory_entry *newer, *older;
};
struct directory_entries {
    struct directory_entry *newest, *oldest;
    size_t bytes, bytes_max; /* Counts entries. */
};

/* A network or certificate, and its principal once its tenant is known. */
struct directory_peer {
    struct trusted trusted;
    enum principal_kind kind;
    struct directory_network network;
    struct principal *principal;
};

/* Failed logins of one name, or from one address. */
struct directory_tried {
    struct credential_hash key; /* Texts of clients may be long, so their hashes are kept. */
    int64_t since_ms;
    unsigned count;
    struct directory_tried *newer, *older;
};
struct directory_tries {
    struct text_map map;
    struct directory_tried *newest, *oldest;
    size_t bytes, bytes_max; /* Counts entries. */
};

struct directory_tenant {
    struct tenant tenant;
    bool is_gone;
    bool is_awaited; /* A trusted network or certificate names it, so it is looked for although it is gone. */
};

struct directory {
    pthread_mutex_t lock;
    _Atomic uint64_t generation;
    _Atomic uint64_t ended;  /* Counts sessions that have ended. */
    uint64_t sessions_since; /* Answers about sessions that were kept before this count do not count. */
    _Atomic bool has_root, has_users, has_issuers;
    bool asks_always;

    struct credential_hash root_hash;
    struct principal *_Atomic root; /* NULL: there is none. Written under the lock. */

    struct map entry; /* struct directory_entry by `place`. */
    struct directory_entries found, refused;

    struct directory_peer *peer;
    size_t peer_count;

    struct text_map tenant_by_name; /* struct directory_tenant */
    struct map tenant_by_number;
    uint64_t tenants_told;          /* How often the engine has told of tenants. */
    _Atomic size_t suspended_count; /* Nearly always 0, so nearly no request takes the lock to ask. */

    struct refusal_note refusal[DIRECTORY_REFUSALS_MAX];
    size_t refusal_count;                                 /* All that there ever were. */
    struct refusal_count counted[REFUSAL_COUNTS_MAX + 1]; /* One more for all others. */
    size_t counted_count;
    int64_t counted_since_ms;

    struct audited_chain audited[DIRECTORY_AUDITED_MAX];
    size_t audited_count;
    bool audited_all;
    bool is_followed;                      /* A file follows the audit. */
    uint64_t audited_noted, audited_ended; /* Notes; and how many of them the file has dealt with. */
    struct {
        struct audited_chain chain;
        uint64_t mark; /* When the file has dealt with so many notes, it has all rows of the chain. */
        char name[ACCESS_NAME_BYTES_MAX + 1];
    } leaving; /* The tenant that the engine removes; tenant 0: none was removed yet. */

    struct directory_tries names, addresses;

    struct arena arena; /* The configuration, and names of tenants. */
};

static inline void directory_lock(struct directory *directory)
{
    must(pthread_mutex_lock(&directory->lock) == 0);
}
static inline void directory_unlock(struct directory *directory)
{
    must(pthread_mutex_unlock(&directory->lock) == 0);
}

/* The lock is held for all of these. */

struct principal *directory_members_root(struct directory *directory, const struct credential_hash *hash);
/* NULL: unknown, or gone. */
const struct tenant *directory_tenants_find(const struct directory *directory, str name);
void directory_tenants_await(struct directory *directory, str name);

/* Frees the parts; only directory_free() calls them. */
void directory_cache_free(struct directory *directory);
void directory_peers_free(struct directory *directory);
void directory_tenants_free(struct directory *directory);
void directory_tries_free(struct directory *directory);
void directory_peers_add(struct directory *directory, const struct directory_config *config);

#endif
