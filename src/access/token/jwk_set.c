/* access/token/jwk_set.c — the public keys of an issuer: a JWK set, a list of PEM texts, or PEM. */
#include "access/token/jwk_int.h"

#include "base/ascii.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

static const str pem_begin = STR_INIT("-----BEGIN "), pem_end = STR_INIT("-----END PUBLIC KEY-----");

/* ---- making ---- */

static struct jwk_set *set_new(void)
{
    struct jwk_set *set = calloc(1, sizeof *set);
    must(set);
    arena_init(&set->arena, 0);
    set->key = arena_make_n(&set->arena, struct jwk, JWK_SET_KEYS_MAX);
    return set;
}

/* Takes the key. */
static enum status add_key(struct jwk_set *set, struct jwk jwk, struct error *err)
{
    jwk.kid = arena_str(&set->arena, jwk.kid);
    set->nameless_count += !jwk.kid.n;
    must(set->count < JWK_SET_KEYS_MAX);
    set->key[set->count++] = jwk;
    if (set->nameless_count <= TOKEN_TRIES_MAX) return ST_OK;
    return fail(err, ST_INVALID, "",
                "%zu keys without a kid; the most is %d, as each of them has to be tried",
                set->nameless_count, TOKEN_TRIES_MAX);
}

/* Puts the place of a key before the complaint about it. */
static enum status at_key(enum status status, const char *list, size_t index, const char *member,
                          struct error *err)
{
    if (status == ST_OK || !err) return status;
    char message[ERROR_MESSAGE_BYTES], where[ERROR_WHERE_BYTES];
    memcpy(message, err->message, sizeof message);
    snprintf(where, sizeof where, "%s/%zu%s%s", list, index, member ? "/" : "", member ? member : "");
    return fail(err, status, where, "%s", message);
}

static enum status check_count(size_t count, const char *where, struct error *err)
{
    if (count <= JWK_SET_KEYS_MAX) return ST_OK;
    return fail(err, ST_INVALID, where, "%zu keys; the most is %d", count, JWK_SET_KEYS_MAX);
}

/* ---- reading ---- */

static enum status read_jwk_list(const struct json *keys, struct arena *arena, struct jwk_set *set,
                                 struct error *err)
{
    TRY(check_count(json_count(keys), "/keys", err));
    for (size_t i = 0; i < json_count(keys); i++) {
        struct jwk jwk;
        const char *member;
        enum status status = jwk_read(json_item(keys, i), arena, &jwk, &member, err);
        if (status == ST_OK && jwk.key) status = add_key(set, jwk, err);
        TRY(at_key(status, "/keys", i, member, err));
    }
    return ST_OK;
}

static enum status read_pem_list(const struct json *list, struct jwk_set *set, struct error *err)
{
    TRY(check_count(json_count(list), "", err));
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *pem = json_item(list, i);
        struct jwk jwk;
        enum status status = json_is(pem, JSON_STRING)
                                 ? jwk_read_pem(json_string(pem), &jwk, err)
                                 : fail(err, ST_INVALID, "", "a key in this list is a text in PEM");
        if (status == ST_OK) status = add_key(set, jwk, err);
        TRY(at_key(status, "", i, NULL, err));
    }
    return ST_OK;
}

/* Keys one behind the other, with nothing but white space between them. */
static enum status read_pem_text(str text, struct jwk_set *set, struct error *err)
{
    for (str rest = str_trim(text); rest.n;) {
        size_t end = str_find(rest, pem_end, 0);
        str pem = end == SIZE_MAX ? rest : str_slice(rest, 0, end + pem_end.n);
        struct jwk jwk;
        if (!str_starts(rest, pem_begin))
            return fail(err, ST_INVALID, "", "there is text between the keys in PEM");
        TRY(check_count(set->count + 1, "", err));
        TRY(jwk_read_pem(pem, &jwk, err));
        TRY(add_key(set, jwk, err));
        rest = str_trim(str_slice(rest, pem.n, rest.n));
    }
    return ST_OK;
}

static enum status read_json(str text, struct arena *arena, struct jwk_set *set, struct error *err)
{
    static const struct json_limits limits = { .depth_max = JWK_SET_DEPTH_MAX };
    const struct json *json;
    TRY(json_parse(text, &limits, arena, &json, err));
    if (json_is(json, JSON_ARRAY)) return read_pem_list(json, set, err);
    const struct json *keys = json_get(json, STR("keys"));
    if (!json_is(keys, JSON_ARRAY)) return fail(err, ST_INVALID, "/keys", "a JWK set has a list of keys");
    return read_jwk_list(keys, arena, set, err);
}

enum status jwk_set_read(str text, struct jwk_set **ret_set, struct error *err)
{
    if (text.n > JWK_SET_BYTES_MAX)
        return fail(err, ST_INVALID, "", "keys of %zu bytes; the most is %d", text.n, JWK_SET_BYTES_MAX);
    struct arena arena;
    arena_init(&arena, 0);
    struct jwk_set *set = set_new();
    enum status status = str_starts(str_trim(text), pem_begin) ? read_pem_text(text, set, err)
                                                               : read_json(text, &arena, set, err);
    arena_done(&arena);
    ERR_clear_error();
    if (status == ST_OK) {
        *ret_set = set;
        return ST_OK;
    }
    jwk_set_free(set);
    return status == ST_LIMIT ? fail(err, ST_INVALID, "", "the keys are JSON that is too deep or too large")
                              : status;
}

void jwk_set_free(struct jwk_set *set)
{
    if (!set) return;
    for (size_t i = 0; i < set->count; i++) EVP_PKEY_free(set->key[i].key);
    arena_done(&set->arena);
    free(set);
}

/* ---- looking ---- */

size_t jwk_set_count(const struct jwk_set *set) { return set->count; }

bool jwk_set_has(const struct jwk_set *set, str kid)
{
    for (size_t i = 0; i < set->count; i++)
        if (kid.n && str_equal(set->key[i].kid, kid)) return true;
    return false;
}
