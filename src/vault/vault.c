/* vault/vault.c — the table of secrets, and which key seals them. */
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
enum { NAMESPACE_FOUND = 1 };

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
    char *key_path, *next_path; /* NULL: the keys live in memory only. */
    struct vault_key key;
    struct vault_key next; /* Of a rekey that is under way, or was cut short. */
    bool rekeying;
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
        return fail(err, ST_LIMIT, "value", "the value of a secret has at most %d bytes",
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
    if (!key_path) return vault;
    struct arena arena;
    arena_init(&arena, 0);
    vault->key_path = (char *)(uintptr_t)keep_text(str_of(key_path)).p;
    vault->next_path = (char *)(uintptr_t)keep_text(arena_printf(&arena, "%s.next", key_path)).p;
    arena_done(&arena);
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
    seal_wipe_key(&vault->key);
    seal_wipe_key(&vault->next);
    free(vault->key_path);
    free(vault->next_path);
    pthread_mutex_destroy(&vault->lock);
    free(vault);
}

enum status vault_read_key(struct vault *vault, struct error *err)
{
    if (!vault->key_path) return ST_OK;
    TRY(key_file_read(vault->key_path, &vault->key, err));
    return key_file_read(vault->next_path, &vault->next, err);
}

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

/* The key that the row names, or the wrong one. */
static const struct vault_key *key_of(const struct vault *vault, str sealed)
{
    return seal_is_of(sealed, &vault->next) ? &vault->next : &vault->key;
}

bool vault_find(struct vault *vault, str name, struct arena *arena, str *ret_value)
{
    bool found;
    str key = kept_key(NAMESPACE_FOUND, name, arena);
    pthread_mutex_lock(&vault->lock);
    const struct given_secret *given = find_given(vault, name);
    if (given) {
        *ret_value = arena_str(arena, given->value);
        found = true;
    } else {
        const struct kept_secret *kept = text_map_get(&vault->kept, key);
        found = kept && seal_open(key_of(vault, kept->sealed), (struct seal_place){ NAMESPACE_FOUND, name },
                                  kept->sealed, arena, ret_value);
    }
    pthread_mutex_unlock(&vault->lock);
    return found;
}

static enum status make_key(struct vault *vault, struct error *err)
{
    if (vault->key.there) return ST_OK;
    struct vault_key key;
    seal_make_key(&key);
    enum status status = vault->key_path ? key_file_create(vault->key_path, &key, err) : ST_OK;
    if (status == ST_OK) vault->key = key;
    /* Somebody has put a key there since the start: nothing was sealed with another one yet. */
    if (status == ST_CONFLICT) status = key_file_read(vault->key_path, &vault->key, err);
    seal_wipe_key(&key);
    return status;
}

enum status vault_seal(struct vault *vault, int32_t ns, str name, str value, struct arena *arena,
                       str *ret_sealed, struct error *err)
{
    TRY(vault_check_name(name, err));
    TRY(vault_check_value(value, err));
    pthread_mutex_lock(&vault->lock);
    enum status status = make_key(vault, err);
    /* Also after a rekey whose file could not be renamed: all rows are then of the next key. */
    const struct vault_key *key = vault->next.there ? &vault->next : &vault->key;
    if (status == ST_OK) *ret_sealed = seal_value(key, (struct seal_place){ ns, name }, value, arena);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

static enum status fail_unknown_key(const struct vault *vault, str name, struct error *err)
{
    const char *path = vault->key_path ? vault->key_path : "in memory";
    if (!vault->key.there)
        return fail(
            err, ST_CONFLICT, path,
            "the secret \"%.*s\" is sealed, and its key file %s is not there; put it back, or name it "
            "with --secrets-key",
            STR_ARG(name), path);
    return fail(err, ST_CONFLICT, path,
                "the secret \"%.*s\" was sealed with another key than that of the key file %s; put the right "
                "one there, or name it with --secrets-key",
                STR_ARG(name), path);
}

/* Another process with the same key file may have made the key, or a new one, since we have read it. We take
 * the keys of the files only if one of them is that of the row. */
static void look_for_key(struct vault *vault, str sealed)
{
    struct vault_key key = { .there = false }, next = { .there = false };
    struct error err;
    if (!vault->key_path || vault->rekeying) return;
    bool read =
        key_file_read(vault->next_path, &next, &err) == ST_OK && /* It may become the key meanwhile. */
        key_file_read(vault->key_path, &key, &err) == ST_OK;
    if (read && (seal_is_of(sealed, &key) || seal_is_of(sealed, &next))) {
        vault->key = key;
        vault->next = next;
    }
    seal_wipe_key(&key);
    seal_wipe_key(&next);
}

/* Opens a row with the key that it names. */
static enum status open_row(struct vault *vault, int32_t ns, str name, str sealed, struct arena *arena,
                            str *ret_value, struct error *err)
{
    bool whole = seal_is_whole(sealed);
    if (whole && !seal_is_of(sealed, key_of(vault, sealed))) look_for_key(vault, sealed);
    const struct vault_key *key = key_of(vault, sealed);
    if (whole && !seal_is_of(sealed, key)) return fail_unknown_key(vault, name, err);
    if (!seal_open(key, (struct seal_place){ ns, name }, sealed, arena, ret_value))
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

/* ---- another key ---- */

/* The next key becomes the key; the caller has the lock. */
static enum status promote_next(struct vault *vault, struct error *err)
{
    struct vault_key there = { .there = false };
    struct error why;
    bool is_done = vault->key_path && key_file_read(vault->key_path, &there, &why) == ST_OK && there.there &&
                   memcmp(there.id, vault->next.id, sizeof there.id) == 0; /* Another process did it. */
    seal_wipe_key(&there);
    if (vault->key_path && !is_done) TRY(key_file_replace(vault->next_path, vault->key_path, err));
    vault->key = vault->next;
    seal_wipe_key(&vault->next);
    return ST_OK;
}

static void drop_next(struct vault *vault)
{
    if (vault->next_path) key_file_remove(vault->next_path);
    seal_wipe_key(&vault->next);
}

enum status vault_settle_key(struct vault *vault, struct error *err)
{
    enum status status = ST_OK;
    size_t of_next = 0;
    pthread_mutex_lock(&vault->lock);
    const struct kept_secret *kept;
    for (size_t cursor = 0; (kept = text_map_next(&vault->kept, &cursor)) != NULL;)
        of_next += seal_is_of(kept->sealed, &vault->next);
    if (vault->next.there && of_next) status = promote_next(vault, err);
    else if (vault->next.there) drop_next(vault);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_rekey_begin(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    must(!vault->rekeying);
    enum status status = make_key(vault, err);
    /* A next key that is still there seals rows if the last rename failed. */
    if (status == ST_OK && vault->next.there) status = promote_next(vault, err);
    if (status == ST_OK) {
        struct vault_key next;
        seal_make_key(&next);
        if (vault->next_path && key_file_is_young(vault->next_path))
            status = fail(err, ST_CONFLICT, "secrets",
                          "another process makes a new key for the secrets; try again in two minutes");
        else if (vault->next_path) {
            key_file_remove(vault->next_path);
            status = key_file_create(vault->next_path, &next, err);
        }
        if (status == ST_OK) vault->next = next;
        seal_wipe_key(&next);
    }
    vault->rekeying = status == ST_OK;
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_reseal(struct vault *vault, int32_t ns, str name, str sealed, struct arena *arena,
                         str *ret_sealed, struct error *err)
{
    str value = STR_NONE;
    pthread_mutex_lock(&vault->lock);
    must(vault->rekeying);
    enum status status = open_row(vault, ns, name, sealed, arena, &value, err);
    if (status == ST_OK) {
        *ret_sealed = seal_value(&vault->next, (struct seal_place){ ns, name }, value, arena);
        OPENSSL_cleanse((char *)(uintptr_t)value.p, value.n);
    }
    pthread_mutex_unlock(&vault->lock);
    return status;
}

enum status vault_rekey_commit(struct vault *vault, struct error *err)
{
    pthread_mutex_lock(&vault->lock);
    must(vault->rekeying);
    vault->rekeying = false;
    enum status status = promote_next(vault, err);
    pthread_mutex_unlock(&vault->lock);
    return status;
}

void vault_rekey_rollback(struct vault *vault)
{
    pthread_mutex_lock(&vault->lock);
    must(vault->rekeying);
    vault->rekeying = false;
    drop_next(vault);
    pthread_mutex_unlock(&vault->lock);
}
