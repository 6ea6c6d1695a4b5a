/* access/directory/directory_tries.c — failed logins of a minute, by name and by address. */
#include "access/directory/directory_int.h"

#include "base/lru.h"

#include <stdlib.h>

enum { MINUTE_MS = 60 * 1000, CLIENT_BITS = 64 };

static str key_text(const struct directory_tried *tried)
{
    return (str){ (const char *)tried->key.bytes, CREDENTIAL_HASH_BYTES };
}

/* One client of IPv6 has at least 2^64 addresses. */
static struct credential_hash address_key(str text)
{
    struct directory_address address;
    if (!directory_address_parse(text, &address)) return credential_hash(text);
    size_t n = directory_address_is_v4(&address) ? sizeof address.bytes : CLIENT_BITS / 8;
    return credential_hash((str){ (const char *)address.bytes, n });
}

static struct directory_tried *find(const struct directory_tries *tries, const struct credential_hash *key)
{
    return text_map_get(&tries->map, (str){ (const char *)key->bytes, CREDENTIAL_HASH_BYTES });
}

/* How long until another try; 0: at once. */
static int64_t wait_ms(const struct directory_tried *tried, unsigned count_max, int64_t now_ms)
{
    if (!tried || tried->count < count_max || now_ms < tried->since_ms) return 0;
    int64_t left_ms = tried->since_ms + MINUTE_MS - now_ms;
    return left_ms > 0 ? left_ms : 0;
}

bool directory_may_try(struct directory *directory, str name, str address, int64_t now_ms,
                       int64_t *ret_wait_ms)
{
    struct credential_hash name_hash = credential_hash(name), address_hash = address_key(address);
    directory_lock(directory);
    int64_t name_ms = wait_ms(find(&directory->names, &name_hash), NAME_TRIES_MAX, now_ms);
    int64_t address_ms = wait_ms(find(&directory->addresses, &address_hash), ADDRESS_TRIES_MAX, now_ms);
    directory_unlock(directory);
    *ret_wait_ms = name_ms > address_ms ? name_ms : address_ms;
    return !*ret_wait_ms;
}

static void drop(struct directory_tries *tries, struct directory_tried *tried)
{
    lru_remove(tries, tried, 1);
    must(text_map_take(&tries->map, key_text(tried)) == tried);
    free(tried);
}

static struct directory_tried *find_or_add(struct directory_tries *tries, const struct credential_hash *key)
{
    struct directory_tried *tried = find(tries, key);
    if (tried) {
        lru_touch(tries, tried);
        return tried;
    }
    tried = calloc(1, sizeof *tried);
    must(tried);
    tried->key = *key;
    must(!text_map_put(&tries->map, key_text(tried), tried));
    lru_add(tries, tried, 1);
    while (lru_is_over(tries)) drop(tries, tries->oldest);
    return tried;
}

static void note(struct directory_tries *tries, const struct credential_hash *key, int64_t now_ms)
{
    struct directory_tried *tried = find_or_add(tries, key);
    if (!tried->count || now_ms < tried->since_ms || now_ms - tried->since_ms >= MINUTE_MS) {
        tried->since_ms = now_ms;
        tried->count = 0;
    }
    tried->count++;
}

void directory_note_failed_try(struct directory *directory, str name, str address, int64_t now_ms)
{
    struct credential_hash name_hash = credential_hash(name), address_hash = address_key(address);
    directory_lock(directory);
    note(&directory->names, &name_hash, now_ms);
    note(&directory->addresses, &address_hash, now_ms);
    directory_unlock(directory);
}

void directory_tries_free(struct directory *directory)
{
    while (directory->names.oldest) drop(&directory->names, directory->names.oldest);
    while (directory->addresses.oldest) drop(&directory->addresses, directory->addresses.oldest);
    text_map_done(&directory->names.map);
    text_map_done(&directory->addresses.map);
}
