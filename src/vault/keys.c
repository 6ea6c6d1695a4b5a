/* vault/keys.c — the keys of a vault: the key, the next one during a rekey, and which of them seals.
 *
 * Other processes may have the same key files. So what memory knows may be old: another process has made the
 * first key, or a new one. The store tells it, by the id of a key that is not in memory, and then the files
 * are read again.
 */
#include "vault/vault_int.h"

#include "base/must.h"

#include <stdlib.h>

/* ---- memory ---- */

static char *join_path(const char *path, const char *end)
{
    size_t n = strlen(path), more = strlen(end) + 1;
    char *joined = malloc(n + more);
    must(joined);
    memcpy(joined, path, n);
    memcpy(joined + n, end, more);
    return joined;
}

void keys_init(struct vault_keys *keys, const char *path)
{
    *keys = (struct vault_keys){ 0 };
    if (!path) return;
    keys->path = join_path(path, "");
    keys->next_path = join_path(path, ".next");
}

void keys_done(struct vault_keys *keys)
{
    seal_wipe_key(&keys->key);
    seal_wipe_key(&keys->next);
    free(keys->path);
    free(keys->next_path);
}

const char *keys_path(const struct vault_keys *keys) { return keys->path ? keys->path : "in memory"; }

/* ---- finding ---- */

static bool is_key(const struct vault_key *key, str id)
{
    return key->there && id.n == KEY_ID_BYTES && memcmp(key->id, id.p, KEY_ID_BYTES) == 0;
}

static str id_of(const struct vault_key *key) { return (str){ (const char *)key->id, KEY_ID_BYTES }; }

enum status keys_read(struct vault_keys *keys, struct error *err)
{
    if (!keys->path) return ST_OK;
    TRY(key_file_read(keys->next_path, &keys->next, err)); /* First, for it may become the key meanwhile. */
    return key_file_read(keys->path, &keys->key, err);
}

bool keys_find(struct vault_keys *keys, str id)
{
    if (is_key(&keys->key, id) || is_key(&keys->next, id)) return true;
    if (!keys->path || keys->rekeying) return false;
    struct vault_keys found = { .path = keys->path, .next_path = keys->next_path };
    struct error err;
    bool is_there = keys_read(&found, &err) == ST_OK && (is_key(&found.key, id) || is_key(&found.next, id));
    if (is_there) *keys = found;
    seal_wipe_key(&found.key);
    seal_wipe_key(&found.next);
    return is_there;
}

static bool copy_key(const struct vault_keys *keys, str id, struct vault_key *ret_key)
{
    if (is_key(&keys->key, id)) *ret_key = keys->key;
    else if (is_key(&keys->next, id)) *ret_key = keys->next;
    else return false;
    return true;
}

bool keys_look_up(const struct vault_keys *keys, str id, bool may_read, struct vault_key *ret_key)
{
    if (copy_key(keys, id, ret_key)) return true;
    if (!keys->path || !may_read) return false;
    struct vault_keys found = { .path = keys->path, .next_path = keys->next_path };
    struct error err;
    bool is_there = keys_read(&found, &err) == ST_OK && copy_key(&found, id, ret_key);
    seal_wipe_key(&found.key);
    seal_wipe_key(&found.next);
    return is_there;
}

const struct vault_key *keys_of(const struct vault_keys *keys, str sealed)
{
    return seal_is_of(sealed, &keys->next) ? &keys->next : &keys->key;
}

/* ---- sealing ---- */

void keys_seal_with(struct vault_keys *keys, str id)
{
    if (!keys->rekeying) keys->next_seals = is_key(&keys->next, id);
}

enum status keys_read_again(struct vault_keys *keys, struct error *err)
{
    struct vault_key key;
    if (!keys->path || keys->rekeying) return ST_OK;
    TRY(key_file_read(keys->path, &key, err));
    keys->key = key;
    keys->next_seals = false; /* Nothing tells that the next key has ever sealed anything. */
    seal_wipe_key(&key);
    return ST_OK;
}

static enum status make_key(struct vault_keys *keys, struct error *err)
{
    if (keys->key.there) return ST_OK;
    struct vault_key key;
    seal_make_key(&key);
    enum status status = keys->path ? key_file_create(keys->path, &key, err) : ST_OK;
    if (status == ST_OK) keys->key = key;
    /* Somebody has put a key there since the start: nothing was sealed with another one yet. */
    if (status == ST_CONFLICT) status = key_file_read(keys->path, &keys->key, err);
    seal_wipe_key(&key);
    return status;
}

enum status keys_sealing(struct vault_keys *keys, const struct vault_key **ret_key, struct error *err)
{
    *ret_key = &keys->next;
    if (keys->next_seals) return ST_OK;
    *ret_key = &keys->key;
    return make_key(keys, err);
}

/* ---- another key ---- */

/* True if the file holds that key. */
static bool is_in_file(const char *path, const struct vault_key *key)
{
    struct vault_key there;
    struct error err;
    bool is_it = key_file_read(path, &there, &err) == ST_OK && is_key(&there, id_of(key));
    seal_wipe_key(&there);
    return is_it;
}

/* The next key becomes the key. Another process may have renamed the file before us, and may have put another
 * next key there since: that one stays. */
static enum status promote_next(struct vault_keys *keys, struct error *err)
{
    if (keys->path && !is_in_file(keys->path, &keys->next)) {
        if (!is_in_file(keys->next_path, &keys->next))
            return fail(err, ST_STORE, keys->next_path,
                        "the key file of secrets %s is gone, or has another key", keys->next_path);
        TRY(key_file_replace(keys->next_path, keys->path, err));
    }
    keys->key = keys->next;
    keys->next_seals = false;
    seal_wipe_key(&keys->next);
    return ST_OK;
}

/* If this process stood still for long, the file may be another one's by now. */
static void drop_next(struct vault_keys *keys)
{
    if (keys->next_path && is_in_file(keys->next_path, &keys->next)) key_file_remove(keys->next_path);
    keys->next_seals = false;
    seal_wipe_key(&keys->next);
}

enum status keys_settle(struct vault_keys *keys, struct error *err)
{
    if (keys->next_seals) return promote_next(keys, err);
    if (keys->next.there) drop_next(keys);
    return ST_OK;
}

static enum status make_next(struct vault_keys *keys, struct error *err)
{
    struct vault_key next;
    enum status status = ST_OK;
    if (keys->path) TRY(key_file_check_replaceable(keys->path, err));
    enum key_file_age there = keys->path ? key_file_age(keys->next_path) : KEY_FILE_ABSENT;
    if (there == KEY_FILE_YOUNG)
        return fail(err, ST_CONFLICT, "secrets",
                    "another process makes a new key for the secrets; try again in two minutes");
    /* Left by a rekey that was cut short. One that appears now is another process's, and stays. */
    if (there == KEY_FILE_OLD) key_file_remove(keys->next_path);
    seal_make_key(&next);
    if (keys->path) status = key_file_create(keys->next_path, &next, err);
    if (status == ST_OK) keys->next = next;
    seal_wipe_key(&next);
    return status;
}

enum status keys_begin_next(struct vault_keys *keys, struct error *err)
{
    must(!keys->rekeying);
    TRY(make_key(keys, err));
    /* The next key seals if the file could not be renamed after the last rekey. */
    if (keys->next_seals) TRY(promote_next(keys, err));
    TRY(make_next(keys, err));
    keys->rekeying = keys->next_seals = true;
    return ST_OK;
}

enum status keys_check_next(const struct vault_keys *keys, struct error *err)
{
    must(keys->rekeying);
    if (!keys->path || is_in_file(keys->next_path, &keys->next)) return ST_OK;
    return fail(err, ST_CONFLICT, "secrets", "another process makes a new key for the secrets, too");
}

enum status keys_commit_next(struct vault_keys *keys, struct error *err)
{
    must(keys->rekeying);
    keys->rekeying = false;
    return promote_next(keys, err);
}

void keys_rollback_next(struct vault_keys *keys)
{
    must(keys->rekeying);
    keys->rekeying = false;
    drop_next(keys);
}
