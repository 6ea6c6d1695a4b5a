/* access/record/record_value.c — is a member of a record of the right form? */
#include "access/record/record_int.h"

#include "access/secret/key.h"
#include "access/limits.h"
#include "base/datetime.h"
#include "base/utf8.h"
#include "jsonpath/jsonpath.h"

#include <stdio.h>

enum { NAME_SHOWN = 64 }; /* Bytes of an unknown name that a message repeats. */

void record_value_place(str member, char ret_place[ERROR_WHERE_BYTES])
{
    struct buf pointer;
    buf_init(&pointer, NULL);
    json_pointer_add(&pointer, utf8_cut(member, NAME_SHOWN));
    snprintf(ret_place, ERROR_WHERE_BYTES, "%.*s", STR_ARG(buf_str(&pointer)));
    buf_done(&pointer);
}

/* ---- texts ---- */

static enum status check_text(const struct json *value, const char *where, size_t bytes_max,
                              struct error *err)
{
    if (!json_is(value, JSON_STRING)) return fail(err, ST_INVALID, where, "must be a text");
    str text = json_string(value);
    if (text.n > bytes_max) return fail(err, ST_INVALID, where, "has more than %zu bytes", bytes_max);
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return fail(err, ST_INVALID, where, "must not have control characters");
    return ST_OK;
}

enum status record_value_text(const struct json *value, const char *where, struct error *err)
{
    return check_text(value, where, ACCESS_TEXT_BYTES_MAX, err);
}

/* A text that comes from elsewhere, such as the name of a browser. */
enum status record_value_said(const struct json *value, const char *where, struct error *err)
{
    return json_is(value, JSON_STRING) ? ST_OK : fail(err, ST_INVALID, where, "must be a text");
}

static enum status check_word(const struct json *value, const char *where, size_t bytes_max,
                              struct error *err)
{
    TRY(check_text(value, where, bytes_max, err));
    return json_string(value).n ? ST_OK : fail(err, ST_INVALID, where, "must not be empty");
}

/* Paths of claims, and everything else that is a text with a meaning. */
enum status record_value_path(const struct json *value, const char *where, struct error *err)
{
    TRY(check_word(value, where, ACCESS_TEXT_BYTES_MAX, err));
    struct arena arena;
    const struct jsonpath *path;
    struct error wrong = { 0 };
    arena_init(&arena, 0);
    enum status status = jsonpath_compile(json_string(value), JSONPATH_STRICT, &arena, &path, &wrong);
    arena_done(&arena);
    if (status == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, where, "is no JSONPath (RFC 9535), as $.groups is: %.700s", wrong.message);
}

enum status record_value_issuer(const struct json *value, const char *where, struct error *err)
{
    return check_word(value, where, ACCESS_TEXT_BYTES_MAX, err);
}

enum status record_value_secret_ref(const struct json *value, const char *where, struct error *err)
{
    TRY(check_text(value, where, ACCESS_TEXT_BYTES_MAX, err));
    if (str_starts(json_string(value), STR("vault:")) && json_string(value).n > 6) return ST_OK;
    return fail(err, ST_INVALID, where, "must name a secret of the vault, as vault:NAME");
}

enum status record_value_time(const struct json *value, const char *where, struct error *err)
{
    int64_t ms;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &ms)) return ST_OK;
    if (json_is(value, JSON_STRING) && datetime_parse(json_string(value), &ms)) return ST_OK;
    return fail(err, ST_INVALID, where, "must be a time as 2026-11-15T03:50:11Z is");
}

enum status record_value_hash(const struct json *value, const char *where, struct error *err)
{
    struct credential_hash hash;
    if (json_is(value, JSON_STRING) && credential_hash_parse(json_string(value), &hash)) return ST_OK;
    return fail(err, ST_INVALID, where, "must be a SHA-256 in 64 hexadecimal digits");
}

/* ---- one of a few words ---- */

static enum status check_choice(const struct json *value, const char *where, const char *const *word,
                                size_t count, struct error *err)
{
    char words[64] = "";
    for (size_t i = 0; i < count; i++) {
        if (json_is(value, JSON_STRING) && str_equal(json_string(value), str_of(word[i]))) return ST_OK;
        size_t n = strlen(words);
        snprintf(words + n, sizeof words - n, "%s%s", !i ? "" : i + 1 < count ? ", " : " or ", word[i]);
    }
    return fail(err, ST_INVALID, where, "must be %s", words);
}

enum status record_value_user_state(const struct json *value, const char *where, struct error *err)
{
    return check_choice(value, where, (const char *const[]){ "active", "disabled" }, 2, err);
}

enum status record_value_key_state(const struct json *value, const char *where, struct error *err)
{
    return check_choice(value, where, (const char *const[]){ "active", "revoked", "expired" }, 3, err);
}

enum status record_value_tenant_state(const struct json *value, const char *where, struct error *err)
{
    return check_choice(value, where, (const char *const[]){ "active", "suspended" }, 2, err);
}

enum status record_value_role(const struct json *value, const char *where, struct error *err)
{
    enum role role;
    if (json_is(value, JSON_STRING) && role_find(json_string(value), &role)) return ST_OK;
    return fail(err, ST_INVALID, where,
                "must be a role: viewer, person, worker, sender, builder, operator or admin");
}

/* ---- names of others ---- */

static enum status check_name_of(enum access_kind kind, str name, const char *where, struct error *err)
{
    struct error wrong = { 0 };
    if (access_check_name(kind, name, &wrong) == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, where, "%.900s", wrong.message);
}

enum status record_value_tenant(const struct json *value, const char *where, struct error *err)
{
    if (!json_is(value, JSON_STRING)) return fail(err, ST_INVALID, where, "must be the name of a tenant");
    return check_name_of(ACCESS_TENANT, json_string(value), where, err);
}

enum status record_value_tenant_or_all(const struct json *value, const char *where, struct error *err)
{
    if (json_is(value, JSON_STRING) && str_equal(json_string(value), STR("*"))) return ST_OK;
    return record_value_tenant(value, where, err);
}

/* "user:ada", "group:sre", "key:7HqZ3bTw9K" */
enum status record_value_holder(const struct json *value, const char *where, struct error *err)
{
    TRY(check_text(value, where, ACCESS_GROUP_BYTES_MAX + sizeof "group:", err));
    str text = json_string(value);
    if (str_starts(text, STR("user:")))
        return check_name_of(ACCESS_USER, str_slice(text, 5, text.n), where, err);
    if (str_starts(text, STR("key:")))
        return check_name_of(ACCESS_KEY, str_slice(text, 4, text.n), where, err);
    if (str_starts(text, STR("group:")) && text.n > 6) return ST_OK;
    return fail(err, ST_INVALID, where, "must be user:NAME, group:NAME or key:ID");
}

/* ---- lists ---- */

static enum status check_list(const struct json *value, const char *where, size_t count_max,
                              record_value_fn *check, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    if (!json_is(value, JSON_ARRAY)) return fail(err, ST_INVALID, where, "must be a list");
    if (json_count(value) > count_max)
        return fail(err, ST_INVALID, where, "has more than %zu items", count_max);
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        snprintf(place, sizeof place, "%s/%zu", where, i);
        TRY(check(each.value, place, err));
    }
    return ST_OK;
}

enum status record_value_roles(const struct json *value, const char *where, struct error *err)
{
    TRY(check_list(value, where, ROLE_COUNT, record_value_role, err));
    if ((size_t)__builtin_popcount(record_value_role_set(value)) < json_count(value))
        return fail(err, ST_INVALID, where, "names a role twice");
    return ST_OK;
}

role_set record_value_role_set(const struct json *roles)
{
    role_set set = 0;
    enum role role;
    if (!json_is(roles, JSON_ARRAY)) return 0;
    struct json_each each = json_each(roles);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) && role_find(json_string(each.value), &role)) set |= 1u << role;
    return set;
}

static enum status check_group(const struct json *value, const char *where, struct error *err)
{
    return check_word(value, where, ACCESS_GROUP_BYTES_MAX, err);
}

enum status record_value_groups(const struct json *value, const char *where, struct error *err)
{
    return check_list(value, where, ACCESS_GROUPS_MAX, check_group, err);
}

static enum status check_scope(const struct json *value, const char *where, struct error *err)
{
    struct access_scope scope;
    struct error wrong = { 0 };
    if (!json_is(value, JSON_STRING)) return fail(err, ST_INVALID, where, "must be a text");
    if (scope_parse(json_string(value), &scope, &wrong) == ST_OK) return ST_OK;
    return fail(err, ST_INVALID, where, "%.900s", wrong.message);
}

enum status record_value_scopes(const struct json *value, const char *where, struct error *err)
{
    return check_list(value, where, ACCESS_LIST_MAX, check_scope, err);
}

enum status record_value_scope(const struct json *value, const char *where, struct error *err)
{
    return json_is(value, JSON_ARRAY) ? record_value_scopes(value, where, err)
                                      : check_scope(value, where, err);
}

static enum status check_audience(const struct json *value, const char *where, struct error *err)
{
    return check_word(value, where, ACCESS_TEXT_BYTES_MAX, err);
}

/* A text, a list of texts, or null: tokens for anybody. */
enum status record_value_audience(const struct json *value, const char *where, struct error *err)
{
    if (json_is(value, JSON_NULL)) return ST_OK;
    if (!json_is(value, JSON_ARRAY)) return check_audience(value, where, err);
    if (!json_count(value)) return fail(err, ST_INVALID, where, "must name somebody; null means anybody");
    return check_list(value, where, ACCESS_LIST_MAX, check_audience, err);
}

/* ---- keys of issuers ---- */

static enum status check_pem(const struct json *value, const char *where, struct error *err)
{
    if (!json_is(value, JSON_STRING)) return fail(err, ST_INVALID, where, "must be a public key in PEM");
    if (str_find(json_string(value), STR("PRIVATE KEY"), 0) != SIZE_MAX)
        return fail(err, ST_INVALID, where, "is a private key; its owner must not give it away");
    return ST_OK;
}

/* Members that only private and symmetric keys have: nobody may leave them here. */
static enum status check_jwk(const struct json *value, const char *where, struct error *err)
{
    static const str secret[] = { STR_INIT("d"),  STR_INIT("p"),  STR_INIT("q"), STR_INIT("dp"),
                                  STR_INIT("dq"), STR_INIT("qi"), STR_INIT("k"), STR_INIT("oth") };
    if (!json_is(value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "must be a JWK");
    for (size_t i = 0; i < COUNT(secret); i++)
        if (json_get(value, secret[i]))
            return fail(err, ST_INVALID, where, "is a private key; its owner must not give it away");
    return ST_OK;
}

enum status record_value_keys(const struct json *value, const char *where, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    if (json_is(value, JSON_ARRAY)) return check_list(value, where, ACCESS_LIST_MAX, check_pem, err);
    const struct json *keys = json_get(value, STR("keys"));
    if (!keys) return fail(err, ST_INVALID, where, "must be a JWK set or a list of public keys in PEM");
    snprintf(place, sizeof place, "%s/keys", where);
    return check_list(keys, place, ACCESS_LIST_MAX, check_jwk, err);
}

/* ---- objects ---- */

static enum status check_claimed(const struct json *value, const char *where, struct error *err)
{
    return check_word(value, where, ACCESS_TEXT_BYTES_MAX, err);
}

/* {"admin": ["pawl-admins"]} */
enum status record_value_role_map(const struct json *value, const char *where, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    enum role role;
    if (!json_is(value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "must be an object: lists by role");
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        if (!role_find(each.name, &role))
            return fail(err, ST_INVALID, where, "“%.*s” is not a role",
                        STR_ARG(utf8_cut(each.name, NAME_SHOWN)));
        snprintf(place, sizeof place, "%s/%s", where, role_word(role));
        TRY(check_list(each.value, place, ACCESS_GROUPS_MAX, check_claimed, err));
    }
    return ST_OK;
}

enum status record_value_quotas(const struct json *value, const char *where, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    enum quota quota;
    int64_t limit;
    if (!json_is(value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "must be an object");
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        if (!quota_find(each.name, &quota))
            return fail(err, ST_INVALID, where, "“%.*s” is not a quota",
                        STR_ARG(utf8_cut(each.name, NAME_SHOWN)));
        snprintf(place, sizeof place, "%s/%s", where, quota_word(quota));
        if (!json_is(each.value, JSON_NUMBER) || !json_int64(each.value, &limit) || limit < 0)
            return fail(err, ST_INVALID, place, "must be a whole number; 0 means no limit");
    }
    return ST_OK;
}

/* ---- the rest ---- */

enum status record_value_flag(const struct json *value, const char *where, struct error *err)
{
    return json_is(value, JSON_BOOL) ? ST_OK : fail(err, ST_INVALID, where, "must be true or false");
}

enum status record_value_number(const struct json *value, const char *where, struct error *err)
{
    int64_t number;
    if (json_is(value, JSON_NUMBER) && json_int64(value, &number) && number > 0 && number <= INT32_MAX)
        return ST_OK;
    return fail(err, ST_INVALID, where, "must be the number of a tenant");
}

/* Fields of a client that the original engine's calls keep and give back: texts by name, or one text. */
enum status record_value_client(const struct json *value, const char *where, struct error *err)
{
    if (json_is(value, JSON_BOOL) || json_is(value, JSON_OBJECT)) return ST_OK;
    return record_value_text(value, where, err);
}
