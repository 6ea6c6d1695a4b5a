/* access/directory/directory_cache.c — answers for credentials, within bounds.
 *
 * Principals and refusals have a list each, in the order of their last use: somebody who sends many wrong
 * credentials drives out other wrong ones only. An advance drops nothing at once; an entry of an older
 * generation is dropped when it is found.
 */
#include "access/directory/directory_int.h"

#include "base/lru.h"

#include <stdlib.h>

enum { KEPT_MS = 15 * 60 * 1000, REFUSED_MS = 60 * 1000 };

/* The map's key. Seeded, so that nobody can make credentials that share a place. */
static uint64_t place_of(const struct credential_hash *hash)
{
    return text_map_hash((str){ (const char *)hash->bytes, CREDENTIAL_HASH_BYTES });
}

static struct directory_entries *list_of(struct directory *directory, const struct directory_entry *entry)
{
    return entry->principal ? &directory->found : &directory->refused;
}

static void drop(struct directory *directory, struct directory_entry *entry)
{
    struct directory_entries *list = list_of(directory, entry);
    lru_remove(list, entry, 1);
    must(map_take(&directory->entry, entry->place) == entry);
    principal_unref(entry->principal);
    free(entry);
}

void directory_cache_free(struct directory *directory)
{
    while (directory->found.oldest) drop(directory, directory->found.oldest);
    while (directory->refused.oldest) drop(directory, directory->refused.oldest);
    map_done(&directory->entry);
}

static bool has_ended(const struct principal *principal, int64_t now_ms)
{
    return principal->expires_ms && now_ms >= principal->expires_ms;
}

static bool is_of_session(const struct directory_entry *entry)
{
    return entry->principal && entry->principal->kind == PRINCIPAL_USER && entry->principal->credential.n;
}

/* A clock that was set back ends an entry, too. */
static bool still_counts(const struct directory *directory, const struct directory_entry *entry,
                         int64_t now_ms)
{
    if (is_of_session(entry) && entry->ended < directory->sessions_since) return false;
    return entry->generation == directory_generation(directory) && now_ms >= entry->from_ms &&
           now_ms < entry->until_ms && !(entry->principal && has_ended(entry->principal, now_ms));
}

static enum directory_answer find(struct directory *directory, const struct credential_hash *hash,
                                  int64_t now_ms, struct principal **ret_principal, const char **ret_why)
{
    struct principal *root = directory_members_root(directory, hash);
    if (root) {
        *ret_principal = principal_ref(root);
        return DIRECTORY_FOUND;
    }
    struct directory_entry *entry = map_get(&directory->entry, place_of(hash));
    if (!entry || !credential_hash_equal(&entry->hash, hash)) return DIRECTORY_ASK;
    if (!still_counts(directory, entry, now_ms)) {
        drop(directory, entry);
        return DIRECTORY_ASK;
    }
    struct directory_entries *list = list_of(directory, entry);
    lru_touch(list, entry);
    if (!entry->principal) {
        *ret_why = entry->why;
        return DIRECTORY_REFUSED;
    }
    *ret_principal = principal_ref(entry->principal);
    return DIRECTORY_FOUND;
}

enum directory_answer directory_find(struct directory *directory, const struct credential_hash *hash,
                                     int64_t now_ms, struct principal **ret_principal, const char **ret_why)
{
    directory_lock(directory);
    enum directory_answer answer = find(directory, hash, now_ms, ret_principal, ret_why);
    directory_unlock(directory);
    return answer;
}

/* The same mark is the same generation and the same count: both only grow. */
static bool is_current(struct directory *directory, struct directory_entry *entry, uint64_t mark)
{
    entry->generation = directory_generation(directory);
    entry->ended = directory_ended(directory);
    return mark == entry->generation + entry->ended;
}

void directory_keep(struct directory *directory, const struct credential_hash *hash, uint64_t mark,
                    struct principal *principal, const char *why, int64_t now_ms)
{
    struct directory_entry *entry = malloc(sizeof *entry), *old;
    must(entry && (principal || why));
    *entry = (struct directory_entry){ .hash = *hash,
                                       .place = place_of(hash),
                                       .from_ms = now_ms,
                                       .until_ms = now_ms + (principal ? KEPT_MS : REFUSED_MS),
                                       .why = why };
    directory_lock(directory);
    if (!is_current(directory, entry, mark)) {
        directory_unlock(directory);
        free(entry);
        return;
    }
    old = map_get(&directory->entry, entry->place);
    if (old) drop(directory, old);
    if (principal) entry->principal = principal_ref(principal);
    must(!map_put(&directory->entry, entry->place, entry));
    struct directory_entries *list = list_of(directory, entry);
    lru_add(list, entry, 1);
    while (lru_is_over(list)) drop(directory, list->oldest);
    directory_unlock(directory);
}

/* ---- sessions that have ended ---- */

void directory_end_session(struct directory *directory, const struct credential_hash *hash)
{
    directory_lock(directory);
    struct directory_entry *entry = map_get(&directory->entry, place_of(hash));
    atomic_fetch_add(&directory->ended, 1);
    if (entry && credential_hash_equal(&entry->hash, hash)) drop(directory, entry);
    directory_unlock(directory);
}

void directory_end_some_sessions(struct directory *directory)
{
    directory_lock(directory);
    directory->sessions_since = atomic_fetch_add(&directory->ended, 1) + 1;
    directory_unlock(directory);
}

uint64_t directory_ended(const struct directory *directory) { return atomic_load(&directory->ended); }

uint64_t directory_mark(const struct directory *directory)
{
    return directory_generation(directory) + directory_ended(directory);
}

/* ---- generations ---- */

uint64_t directory_generation(const struct directory *directory)
{
    return atomic_load(&directory->generation);
}

void directory_advance(struct directory *directory, uint64_t generation)
{
    uint64_t before = atomic_load(&directory->generation);
    while (generation > before &&
           !atomic_compare_exchange_weak(&directory->generation, &before, generation)) {
    }
}

bool directory_still_holds(const struct directory *directory, const struct principal *principal,
                           int64_t now_ms)
{
    if (has_ended(principal, now_ms)) return false;
    if (principal->is_everybody) return !directory_is_closed(directory);
    if (principal->generation != GENERATION_ALWAYS)
        return principal->generation == directory_generation(directory);
    /* The key "root" ends when another secret takes its place. */
    return principal->kind != PRINCIPAL_KEY || atomic_load(&directory->root) == principal;
}
