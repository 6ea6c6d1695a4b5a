/* access/token/issuer.c — an issuer's record, read: whose tokens count, and where its claims are. */
#include "access/token/token.h"

#include "jsonpath/jsonpath.h"

#include <stdio.h>

static enum status refuse(struct error *err, const char *member, const char *why)
{
    char where[ERROR_WHERE_BYTES];
    snprintf(where, sizeof where, "/%s", member);
    return fail(err, ST_INVALID, where, "%s %s", member, why);
}

/* A text that may be absent or null. */
static enum status read_text(const struct json *record, const char *member, str *ret_text, struct error *err)
{
    const struct json *value = json_get(record, str_of(member));
    *ret_text = STR_NONE;
    if (!value || json_is(value, JSON_NULL)) return ST_OK;
    if (!json_is(value, JSON_STRING) || !json_string(value).n || json_string(value).n > ISSUER_TEXT_BYTES_MAX)
        return refuse(err, member, "must be a text of 1 to 2048 bytes");
    *ret_text = json_string(value);
    return ST_OK;
}

static bool is_list_of_texts(const struct json *list, size_t count_max)
{
    if (!json_is(list, JSON_ARRAY) || json_count(list) > count_max) return false;
    for (size_t i = 0; i < json_count(list); i++)
        if (!json_is(json_item(list, i), JSON_STRING) || !json_string(json_item(list, i)).n) return false;
    return true;
}

/* null means that any audience is good. Leaving the member out does not mean that. */
static enum status read_audience(const struct json *record, struct arena *arena, struct issuer *issuer,
                                 struct error *err)
{
    const struct json *value = json_get(record, STR("audience"));
    issuer->any_audience = json_is(value, JSON_NULL);
    if (issuer->any_audience) return ST_OK;
    bool one = json_is(value, JSON_STRING) && json_string(value).n;
    if (!one && (!is_list_of_texts(value, ACCESS_LIST_MAX) || !json_count(value)))
        return refuse(err, "audience", "must be a text, a list of texts, or null for any audience");
    size_t count = one ? 1 : json_count(value);
    str *audience = arena_make_n(arena, str, count);
    for (size_t i = 0; i < count; i++) audience[i] = json_string(one ? value : json_item(value, i));
    issuer->audience = audience;
    issuer->audience_count = count;
    return ST_OK;
}

/* The keys as text: as JSON, or the PEM that the record has. */
static enum status read_keys(const struct json *record, struct arena *arena, struct issuer *issuer,
                             struct error *err)
{
    const struct json *jwks = json_get(record, STR("jwks"));
    TRY(read_text(record, "jwksFile", &issuer->jwks_file, err));
    if (!jwks || json_is(jwks, JSON_NULL)) return ST_OK;
    if (issuer->jwks_file.n)
        return refuse(err, "jwksFile", "is one too many: an issuer has either jwks or jwksFile");
    if (json_is(jwks, JSON_STRING)) issuer->jwks = json_string(jwks);
    if (json_is(jwks, JSON_OBJECT) || json_is(jwks, JSON_ARRAY)) {
        struct buf text;
        buf_init(&text, arena);
        json_print(jwks, &text);
        issuer->jwks = buf_str(&text);
    }
    return issuer->jwks.n ? ST_OK : refuse(err, "jwks", "must be a JWK set or a list of keys in PEM");
}

static enum status read_path(const struct json *record, const char *member, struct arena *arena,
                             str *ret_text, const struct jsonpath **ret_path, struct error *err)
{
    struct error why = { 0 };
    TRY(read_text(record, member, ret_text, err));
    if (!ret_text->n) return ST_OK;
    if (jsonpath_compile(*ret_text, JSONPATH_STRICT, arena, ret_path, &why) == ST_OK) return ST_OK;
    char where[ERROR_WHERE_BYTES];
    snprintf(where, sizeof where, "/%s", member);
    return fail(err, ST_INVALID, where, "%s is no JSONPath such as $.realm_access.roles: %s", member,
                why.message);
}

static enum status read_paths(const struct json *record, struct arena *arena, struct issuer *issuer,
                              struct error *err)
{
    TRY(read_path(record, "userClaim", arena, &issuer->user_claim, &issuer->user_path_, err));
    TRY(read_path(record, "tenantClaim", arena, &issuer->tenant_claim, &issuer->tenant_path_, err));
    TRY(read_path(record, "groupsClaim", arena, &issuer->groups_claim, &issuer->groups_path_, err));
    return read_path(record, "rolesClaim", arena, &issuer->roles_claim, &issuer->roles_path_, err);
}

static enum status read_roles(const struct json *record, struct issuer *issuer, struct error *err)
{
    const struct json *roles = json_get(record, STR("roles"));
    if (!roles || json_is(roles, JSON_NULL)) return ST_OK;
    if (!json_is(roles, JSON_OBJECT))
        return refuse(err, "roles", "must be an object: a role and its claims each");
    if (json_count(roles) && !issuer->roles_claim.n && !issuer->groups_claim.n)
        return refuse(err, "roles", "needs a rolesClaim or a groupsClaim");
    struct json_each each = json_each(roles);
    while (json_next(&each)) {
        enum role role;
        if (!role_find(each.name, &role)) return refuse(err, "roles", "has a member that is no role");
        if (!is_list_of_texts(each.value, ACCESS_GROUPS_MAX))
            return refuse(err, "roles", "must have a list of texts for each role");
    }
    issuer->roles = roles;
    return ST_OK;
}

/* Without keys of its own they are fetched by an address that the issuer's name begins. */
static enum status check_issuer(const struct issuer *issuer, struct error *err)
{
    if (!issuer->issuer.n) return refuse(err, "issuer", "must be there: the claim iss of the tokens");
    bool fetched = !issuer->jwks.n && !issuer->jwks_file.n;
    if (fetched && !str_starts(issuer->issuer, STR("https://")) &&
        !str_starts(issuer->issuer, STR("http://")))
        return refuse(err, "issuer",
                      "must be an address with https://, unless jwks or jwksFile has the keys");
    if (issuer->require_group.n && !issuer->groups_claim.n)
        return refuse(err, "requireGroup", "needs a groupsClaim");
    return ST_OK;
}

enum status issuer_read(str name, const struct json *record, struct arena *arena, struct issuer *ret_issuer,
                        struct error *err)
{
    struct issuer issuer = { .name = arena_str(arena, name) };
    if (!json_is(record, JSON_OBJECT)) return fail(err, ST_INVALID, "", "an issuer is an object");
    record = json_copy(arena, record); /* The texts lie in it. */
    TRY(read_text(record, "issuer", &issuer.issuer, err));
    TRY(read_text(record, "clientId", &issuer.client_id, err));
    TRY(read_text(record, "clientSecretRef", &issuer.client_secret_ref, err));
    TRY(read_text(record, "label", &issuer.label, err));
    TRY(read_text(record, "requireGroup", &issuer.require_group, err));
    TRY(read_audience(record, arena, &issuer, err));
    TRY(read_keys(record, arena, &issuer, err));
    TRY(read_paths(record, arena, &issuer, err));
    TRY(read_roles(record, &issuer, err));
    TRY(check_issuer(&issuer, err));
    *ret_issuer = issuer;
    return ST_OK;
}
