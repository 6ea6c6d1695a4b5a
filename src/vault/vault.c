/* vault/vault.c — the table of secrets. */
#include "vault/vault_int.h"

#include "base/array.h"
#include "base/ascii.h"
#include "base/limits.h"
#include "base/must.h"
#include "base/text_map.h"
#include "base/utf8.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdlib.h>

/* The namespace that lookups are for. There is no other one yet. */

struct given_secret {
    str name, value;
    enum vault_source source;
};

/* A row of the store. */
struct kept_secret {
    str key; /* The namespace and the name, as one text. */
    str sealed;
    bool is_old; /* Not kept again since vault_rows_begin(). */
};

struct vault {
    pthread_mutex_t lock;
    struct vault_keys keys;
    struct given_secret *given;
    size_t given_count, given_cap;
    struct text_map kept; /* struct kept_secret by its key. */
};

/* ---- words ---- */

static const struct {
    const char *word, *meaning;
} source_words[] = {
#define XX(NAME, word, meaning) [VAULT_##NAME] = { word, meaning },
    VAULT_SOURCE_MAP(XX)
#undef XX
};

const char *vault_source_word(enum vault_source source) { return source_words[source].word; }

const char *vault_source_meaning(enum vault_source source) { return source_words[source].meaning; }

/* ---- names and values ---- */

enum status vault_check_name(str name, struct error *err)
{
    if (!name.n) return fail(err, ST_INVALID, "name", "a secret needs a name");
    if (name.n > SECRET_NAME_BYTES_MAX)
        return fail(err, ST_INVALID, "name", "the name of a secret has at most %d bytes",
                    SECRET_NAME_BYTES_MAX);
    bool right = name.p[0] != '.';
    for (size_t i = 0; i < name.n && right; i++)
        right = ascii_is_alphanumeric(name.p[i]) || memchr("_-.", name.p[i], 3);
    if (right) return ST_OK;
    return fail(
        err, ST_INVALID, "name",
        "the name of a secret consists of letters, digits, _, - and ., and does not begin with a dot");
}

enum status vault_check_value(str value, struct error *err)
{
    if (!value.n) return fail(err, ST_INVALID, "value", "the value of a secret is not empty");
    if (value.n > SECRET_VALUE_BYTES_MAX)
        return fail(err, ST_LIMIT, "value",
                    "the value of a secret has at most %d bytes (SECRET_VALUE_BYTES_MAX)",
                    SECRET_VALUE_BYTES_MAX);
    if (!utf8_is_valid(value)) return fail(err, ST_INVALID, "value", "the value of a secret is UTF-8 text");
    return ST_OK;
}

/* ---- memory ---- */

/* On the heap, with a NUL behind it. */
static str keep_text(str text)
{
    char *copy = malloc(text.n + 1);
    must(copy);
    if (text.n) memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    return (str){ copy, text.n };
}

static void drop_text(str text)
{
    char *p = (char *)(uintptr_t)text.p;
    if (p) OPENSSL_cleanse(p, text.n);
    free(p);
}

static void free_kept(struct kept_secret *kept)
{
    if (!kept) return;
    drop_text(kept->key);
    drop_text(kept->sealed);
    free(kept);
}

struct vault *vault_new(const char *key_path)
{
    struct vault *vault = calloc(1, sizeof *vault);
    must(vault);
    pthread_mutex_init(&vault->lock, NULL);
    text_map_init(&vault->kept);
    keys_init(&vault->keys, key_path);
    return vault;
}

void vault_free(struct vault *vault)
{
    if (!vault) return;
    struct kept_secret *kept;
    for (size_t cursor = 0; (kept = text_map_next(&vault->kept, &cursor)) != NULL;) free_kept(kept);
    text_map_done(&vault->kept);
    for (size_t i = 0; i < vault->given_count; i++) {
        drop_text(vault->given[i].name);
        drop_text(vault->given[i].value);
    }
    free(vault->given);
    keys_done(&vault->keys);
    pthread_mutex_destroy(&vault->lock);
    free(vault);
}

enum status vault_read_key(struct vault *vault, struct error *err) { return keys_read(&vault->keys, err); }

/* ---- given values ---- */

/* The form in which the environment spells the name of a secret: API_KEY for "api-key". */
static bool is_spelled(str variable, str name)
{
    if (str_equal(variable, name)) return true;
    if (variable.n != name.n) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = ascii_upper(name.p[i]);
        if (c == '-' || c == '.') c = '_';
        if (variable.p[i] != c) return false;
    }
    return true;
}

static bool goes_by(const struct given_secret *given, str name)
{
    return given->source == VAULT_ENVIRONMENT ? is_spelled(given->name, name) : str_equal(given->name, name);
}

static const struct given_secret *find_given(const struct vault *vault, str name)
{
    for (size_t i = 0; i < vault->given_count; i++)
        if (goes_by(&vault->given[i], name)) return &vault->given[i];
    return NULL;
}

/* Keeps the list in order of source and, within one, of names; equal names in the order in which they come.
 */
enum status vault_give(struct vault *vault, enum vault_source source, str name, str value, struct error *err)
{
    must(source < VAULT_STORE);
    TRY(vault_check_name(name, err));
    TRY(vault_check_value(value, err));
    array_reserve(vault->given, vault->given_count, vault->given_cap);
    size_t at = vault->given_count;
    for (; at; at--) {
        const struct given_secret *before = &vault->given[at - 1];
        if (before->source < source) break;
        if (before->source == source && str_compare(before->name, name) <= 0) break;
        vault->given[at] = *before;
    }
    vault->given[at] = (struct given_secret){ keep_text(name), keep_text(value), source };
    vault->given_count++;
    return ST_OK;
}

bool vault_is_given(struct vault *vault, str name, enum vault_source *ret_source)
{
    pthread_mutex_lock(&vault->lock);
    const struct given_secret *given = find_given(vault, name);
    if (given) *ret_source = given->source;
    pthread_mutex_unlock(&vault->lock);
    return given != NULL;
}

size_t vault_list_given(struct vault *vault, struct arena *arena, struct vault_given **ret_given)
{
    pthread_mutex_lock(&vault->lock);
    size_t count = vault->given_count;
    struct vault_given *list = arena_make_n(arena, struct vault_given, count);
    for (size_t i = 0; i < count; i++)
        list[i] = (struct vault_given){ arena_str(arena, vault->given[i].name), vault->given[i].source };
    pthread_mutex_unlock(&vault->lock);
    *ret_given = list;
    return count;
}

/* ---- rows ---- */

static str kept_key(int32_t ns, str name, struct arena *arena)
{
    return arena_printf(arena, "%d %.*s", ns, STR_ARG(name));
}

bool vault_find(struct vault *vault, int32_t ns, str name, struct arena *arena, str *ret_value)
{
    bool found;
    str key = kept_key(ns, name, arena);
    pthread_mutex_lock(&vault->lock);
    const struct given_secret *given = ns == TENANT_DEFAULT ? find_given(vault, name) : NULL;
    if (given) {
        *ret_value = arena_str(arena, given->value);
        found = true;
    } else {
        const struct kept_secret *kept = text_map_get(&vault->kept, key);
        found = kept && seal_open(keys_of(&vault->keys, kept->sealed), (struct seal_place){ ns, name },
                                  kept->sealed, arena, ret_value);
    }
    pthread_mutex_unlock(&vault->lock);
    return found;
}

bool vault_has(struct vault *vault, int32_t ns, str name, struct arena *arena)
{
    str key = kept_key(ns, name, arena);
    pthread_mutex_lock(&vault->lock);
    bool known = (ns == TENANT_DEFAULT && find_given(vault, name)) || text_map_get(&vault->kept, key);
    pthread_mutex_unlock(&vault->lock);
    return known;
}

bool vault_find_kept(struct vault *vault, int32_t ns, str name, struct arena *arena, str *ret_value)
{
    str key = kept_key(ns, name, arena);
    pthread_mutex_lock(&vault->lock);
    const struct kept_secret *kept = text_map_get(&vault->kept, key);
    bool found = kept && seal_open(keys_of(&vault->keys, kept->sealed), (struct seal_place){ ns, name },
                                   kept->sealed, arena, ret_value);
    pthread_mutex_unlock(&vault->lock);
    return found;
}

enum status vault_seal(struct vault *vault, int32_t ns, str name, str value, struct arena *arena,
                       str *ret_sealed, struct error *err)
{
    const struct vault_key *key;
    TRY(vault_check_name(name, err));
    TRY(vault_check_value(value, err));
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_sealing(&vault->keys, &key, err);
    if (status == ST_OK) *ret_sealed = seal_value(key, (struct seal_place){ ns, name }, value, arena);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

static enum status fail_unknown_key(const struct vault *vault, str name, struct error *err)
{
    const char *path = keys_path(&vault->keys);
    if (!vault->keys.key.there)
        return fail(
            err, ST_CONFLICT, path,
            "the secret \"%.*s\" is sealed, and its key file %s is not there; put it back, or name it "
            "with --secrets-key; if it is lost, `pawl store forget-secrets` removes the secrets",
            STR_ARG(name), path);
    return fail(err, ST_CONFLICT, path,
                "the secret \"%.*s\" was sealed with another key than that of the key file %s; put the right "
                "one there, or name it with --secrets-key",
                STR_ARG(name), path);
}

/* Opens a row with the key that it names. */
static enum status open_row(struct vault *vault, int32_t ns, str name, str sealed, struct arena *arena,
                            str *ret_value, struct error *err)
{
    bool whole = seal_is_whole(sealed);
    if (whole && !keys_find(&vault->keys, seal_key_id(sealed))) return fail_unknown_key(vault, name, err);
    if (!seal_open(keys_of(&vault->keys, sealed), (struct seal_place){ ns, name }, sealed, arena, ret_value))
        return fail(err, ST_INVALID, "secret", "the stored value of the secret \"%.*s\" is damaged",
                    STR_ARG(name));
    return ST_OK;
}

enum status vault_keep(struct vault *vault, int32_t ns, str name, str sealed, struct error *err)
{
    struct arena arena;
    arena_init(&arena, 0);
    str value = STR_NONE;
    pthread_mutex_lock(&vault->lock);
    enum status status = open_row(vault, ns, name, sealed, &arena, &value, err);
    if (status == ST_OK) {
        OPENSSL_cleanse((char *)(uintptr_t)value.p, value.n);
        keys_seal_with(&vault->keys, seal_key_id(sealed));
        struct kept_secret *kept = calloc(1, sizeof *kept);
        must(kept);
        *kept = (struct kept_secret){ keep_text(kept_key(ns, name, &arena)), keep_text(sealed), false };
        /* The map borrows the key of its entry, so the old entry goes as a whole. */
        free_kept(text_map_take(&vault->kept, kept->key));
        text_map_put(&vault->kept, kept->key, kept);
    }
    pthread_mutex_unlock(&vault->lock);
    arena_done(&arena);
    return status;
}

void vault_forget(struct vault *vault, int32_t ns, str name)
{
    struct arena arena;
    arena_init(&arena, 0);
    str key = kept_key(ns, name, &arena);
    pthread_mutex_lock(&vault->lock);
    free_kept(text_map_take(&vault->kept, key));
    pthread_mutex_unlock(&vault->lock);
    arena_done(&arena);
}

void vault_rows_begin(struct vault *vault)
{
    struct kept_secret *kept;
    pthread_mutex_lock(&vault->lock);
    for (size_t cursor = 0; (kept = text_map_next(&vault->kept, &cursor)) != NULL;) kept->is_old = true;
    pthread_mutex_unlock(&vault->lock);
}

static struct kept_secret *find_old(const struct vault *vault)
{
    struct kept_secret *kept;
    for (size_t cursor = 0; (kept = text_map_next(&vault->kept, &cursor)) != NULL;)
        if (kept->is_old) return kept;
    return NULL;
}

void vault_rows_end(struct vault *vault)
{
    pthread_mutex_lock(&vault->lock);
    for (struct kept_secret *kept; (kept = find_old(vault)) != NULL;)
        free_kept(text_map_take(&vault->kept, kept->key));
    pthread_mutex_unlock(&vault->lock);
}

size_t vault_kept_count(struct vault *vault)
{
    pthread_mutex_lock(&vault->lock);
    size_t count = vault->kept.count;
    pthread_mutex_unlock(&vault->lock);
    return count;
}

/* ---- keys ---- */

enum status vault_use_key(struct vault *vault, str id, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    bool found = keys_find(&vault->keys, id);
    if (found) keys_seal_with(&vault->keys, id);
    pthread_mutex_unlock(&vault->lock);
    const char *path = keys_path(&vault->keys);
    if (found) return ST_OK;
    return fail(err, ST_CONFLICT, path,
                "the secrets are sealed with another key than that of the key file %s; put the right one "
                "there, or name it with --secrets-key",
                path);
}

enum status vault_choose_key(struct vault *vault, struct arena *arena, str *ret_id, struct error *err)
{
    const struct vault_key *key;
    pthread_mutex_lock(&vault->lock);
    enum status status = vault->kept.count ? ST_OK : keys_read_again(&vault->keys, err);
    if (status == ST_OK) status = keys_sealing(&vault->keys, &key, err);
    if (status == ST_OK) *ret_id = arena_str(arena, (str){ (const char *)key->id, KEY_ID_BYTES });
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_settle_key(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_settle(&vault->keys, err);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_rekey_begin(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_begin_next(&vault->keys, err);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_derive(struct vault *vault, str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES],
                         struct error *err)
{
    const struct vault_key *key;
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_sealing(&vault->keys, &key, err);
    if (status == ST_OK) seal_derive(key, label, ret_bytes);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_derive_by(struct vault *vault, const unsigned char id[VAULT_KEY_ID_BYTES], bool may_read,
                            str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES], struct error *err)
{
    struct vault_key key;
    pthread_mutex_lock(&vault->lock);
    bool found = keys_look_up(&vault->keys, (str){ (const char *)id, VAULT_KEY_ID_BYTES }, may_read, &key);
    pthread_mutex_unlock(&vault->lock);
    if (!found)
        return fail(err, ST_NOT_FOUND, keys_path(&vault->keys), "the key file %s has another key",
                    keys_path(&vault->keys));
    seal_derive(&key, label, ret_bytes);
    seal_wipe_key(&key);
    return ST_OK;
}

enum status vault_proving_key(struct vault *vault, unsigned char ret_id[VAULT_KEY_ID_BYTES],
                              struct error *err)
{
    const struct vault_key *key = &vault->keys.key;
    pthread_mutex_lock(&vault->lock);
    enum status status = vault->keys.rekeying ? ST_OK : keys_sealing(&vault->keys, &key, err);
    if (status == ST_OK) memcpy(ret_id, key->id, VAULT_KEY_ID_BYTES);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_reseal(struct vault *vault, int32_t ns, str name, str sealed, struct arena *arena,
                         str *ret_sealed, struct error *err)
{
    str value = STR_NONE;
    pthread_mutex_lock(&vault->lock);
    must(vault->keys.rekeying);
    enum status status = open_row(vault, ns, name, sealed, arena, &value, err);
    if (status == ST_OK) {
        *ret_sealed = seal_value(&vault->keys.next, (struct seal_place){ ns, name }, value, arena);
        OPENSSL_cleanse((char *)(uintptr_t)value.p, value.n);
    }
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_rekey_check(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_check_next(&vault->keys, err);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_rekey_commit(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    enum status status = keys_commit_next(&vault->keys, err);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

void vault_rekey_rollback(struct vault *vault)
{
    pthread_mutex_lock(&vault->lock);
    keys_rollback_next(&vault->keys);
    pthread_mutex_unlock(&vault->lock);
}
