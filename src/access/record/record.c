/* access/record/record.c — the members of each kind of record, and who may set and see them. */
#include "access/record/record_int.h"

#include "access/limits.h"
#include "access/token/token.h"
#include "base/datetime.h"
#include "base/must.h"

#include <stdio.h>

enum member_owner {
    BY_CLIENT, /* Clients set it, and see it. */
    BY_ENGINE, /* The engine sets it, clients see it. */
    SECRET,    /* The engine sets it, nobody sees it. */
};

struct member {
    const char *name;
    record_value_fn *check;
    enum member_owner owner;
    bool required;       /* A client's new record has it. */
    const char *initial; /* JSON, if the client says nothing; NULL: absent then. */
};

/* clang-format off */
#define MADE                                                                                     \
    { "created", record_value_time, BY_ENGINE },                                                 \
    { "by", record_value_said, BY_ENGINE }

static const struct member user_members[] = {
    { "displayName", record_value_text },
    { "email", record_value_text },
    { "roles", record_value_roles, .initial = "[]" },
    { "groups", record_value_groups, .initial = "[]" },
    { "state", record_value_user_state, .initial = "\"active\"" },
    { "password", record_value_text, SECRET },
    { "lastUsed", record_value_time, BY_ENGINE },
    MADE,
};
static const struct member key_members[] = {
    { "name", record_value_text, .required = true },
    { "tenant", record_value_tenant },
    { "roles", record_value_roles, .initial = "[]" },
    { "scopes", record_value_scopes },
    { "actsFor", record_value_flag, .initial = "false" },
    { "expiresAt", record_value_time },
    { "note", record_value_text },
    { "state", record_value_key_state, .initial = "\"active\"" },
    { "client", record_value_client },
    { "hash", record_value_hash, SECRET },
    { "oldHash", record_value_hash, SECRET },
    { "oldUntil", record_value_time, BY_ENGINE },
    { "lastUsed", record_value_time, BY_ENGINE },
    MADE,
};
static const struct member grant_members[] = {
    { "to", record_value_holder, .required = true },
    { "role", record_value_role, .required = true },
    { "tenant", record_value_tenant_or_all },
    { "scope", record_value_scope },
    MADE,
};
static const struct member issuer_members[] = {
    { "issuer", record_value_issuer, .required = true },
    { "label", record_value_text },
    { "clientId", record_value_text },
    { "clientSecretRef", record_value_secret_ref },
    { "audience", record_value_audience, .required = true },
    { "jwks", record_value_keys },
    { "jwksFile", record_value_text },
    { "userClaim", record_value_path },
    { "tenantClaim", record_value_path },
    { "groupsClaim", record_value_path },
    { "rolesClaim", record_value_path },
    { "roles", record_value_role_map },
    { "requireGroup", record_value_text },
    MADE,
};
static const struct member tenant_members[] = {
    { "label", record_value_text },
    { "state", record_value_tenant_state, .initial = "\"active\"" },
    { "quotas", record_value_quotas },
    { "number", record_value_number, BY_ENGINE },
    { "removing", record_value_flag, SECRET },
    MADE,
};
static const struct member session_members[] = {
    { "user", record_value_text, .required = true },
    { "tenant", record_value_tenant_or_all },
    { "issuer", record_value_text },
    { "groups", record_value_groups },
    { "roles", record_value_roles },
    { "hash", record_value_hash, SECRET },
    { "id", record_value_text, BY_ENGINE },
    { "lastUsed", record_value_time, BY_ENGINE },
    { "expires", record_value_time, BY_ENGINE },
    { "address", record_value_said, BY_ENGINE },
    { "agent", record_value_said, BY_ENGINE },
    MADE,
};

static const struct member provider_members[] = {
    { "wellKnownConfigUri", record_trust_well_known, .required = true },
    { "issuers", record_trust_few },
    { "expectedAudiences", record_trust_few },
    { "rolesClaim", record_trust_claim },
    { "tenant", record_value_tenant, BY_ENGINE },
    { "invalidatedAt", record_value_time, BY_ENGINE },
    MADE,
};
static const struct member trusted_members[] = {
    { "jwk", record_trust_jwk, .required = true },
    { "audience", record_trust_key_audience },
    { "issuers", record_trust_few },
    { "validFrom", record_value_time, .required = true },
    { "validTo", record_value_time, .required = true },
    { "active", record_value_flag, .initial = "true" },
    { "tenant", record_value_tenant, BY_ENGINE },
    MADE,
};
static const struct member key_pair_members[] = {
    { "audience", record_trust_key_audience, .required = true },
    { "algorithm", record_value_text, .required = true },
    { "publicKey", record_value_text, .required = true },
    { "validFrom", record_value_time, .required = true },
    { "validTo", record_value_time },
    { "active", record_value_flag, .initial = "true" },
    MADE,
};

static const struct {
    const struct member *member;
    size_t count;
    const char *key; /* Under which member a view has the key of the record; NULL: it is a secret. */
} kinds[] = {
#define MEMBERS(list) list, COUNT(list)
    [ACCESS_USER] = { MEMBERS(user_members), "name" },
    [ACCESS_KEY] = { MEMBERS(key_members), "id" },
    [ACCESS_GRANT] = { MEMBERS(grant_members), "id" },
    [ACCESS_ISSUER] = { MEMBERS(issuer_members), "name" },
    [ACCESS_TENANT] = { MEMBERS(tenant_members), "name" },
    [ACCESS_SESSION] = { MEMBERS(session_members), NULL },
    [ACCESS_PROVIDER] = { MEMBERS(provider_members), "id" },
    [ACCESS_TRUSTED] = { MEMBERS(trusted_members), "keyId" },
    [ACCESS_KEY_PAIR] = { MEMBERS(key_pair_members), "keyId" },
};
/* clang-format on */

_Static_assert(COUNT(kinds) == ACCESS_KIND_COUNT, "every kind has members");

static const struct member *find_member(enum access_kind kind, str name)
{
    must(kind < ACCESS_KIND_COUNT);
    for (size_t i = 0; i < kinds[kind].count; i++)
        if (str_equal(name, str_of(kinds[kind].member[i].name))) return &kinds[kind].member[i];
    return NULL;
}

/* ---- making a record ---- */

/* The key of the record may stand in the object, too, as views have it. */
static bool is_own_key(enum access_kind kind, str name, str member, const struct json *value)
{
    const char *key = kinds[kind].key;
    return key && str_equal(member, str_of(key)) && json_is(value, JSON_STRING) &&
           str_equal(json_string(value), name);
}

static enum status check_given(enum access_kind kind, str name, const struct json *object, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    if (!json_is(object, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the %s must be an object", access_kind_word(kind));
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        const struct member *member = find_member(kind, each.name);
        record_value_place(each.name, place);
        if (!member && is_own_key(kind, name, each.name, each.value)) continue;
        if (!member) return fail(err, ST_INVALID, place, "a %s has no such member", access_kind_word(kind));
        if (member->owner != BY_CLIENT)
            return fail(err, ST_INVALID, place, "only the engine itself sets this member");
        bool removes = json_is(each.value, JSON_NULL) && member->check != record_value_audience;
        if (!removes) TRY(member->check(each.value, place, err));
    }
    return ST_OK;
}

/* The value that a member has from now on; NULL: none. */
static const struct json *value_after(const struct member *member, const struct json *object,
                                      const struct json *old, struct arena *arena)
{
    str name = str_of(member->name);
    const struct json *value = json_get(object, name);
    if (!value) value = json_get(old, name);
    else if (json_is(value, JSON_NULL) && member->check != record_value_audience) value = NULL;
    if (!value && member->initial)
        must(json_parse(str_of(member->initial), NULL, arena, &value, NULL) == ST_OK);
    return value;
}

/* ---- members that have to suit each other ---- */

static enum status check_one_scope(str text, permission_set permissions, const char *where, struct error *err)
{
    struct access_scope scope;
    TRY(scope_parse(text, &scope, err));
    if (permissions & 1u << scope.permission) return ST_OK;
    return fail(err, ST_INVALID, where, "none of its roles has %s, and scopes only narrow roles",
                permission_word(scope.permission));
}

/* Scopes that widen nothing and narrow nothing are a mistake of the author's. */
static enum status check_scopes(const struct json *scopes, role_set roles, bool everywhere, const char *where,
                                struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    permission_set permissions = 0;
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (roles & 1u << i) permissions |= role_permissions((enum role)i);
    if (roles & 1u << ROLE_ADMIN && everywhere) permissions |= 1u << MAY_GLOBAL_ADMIN;
    if (json_is(scopes, JSON_STRING)) return check_one_scope(json_string(scopes), permissions, where, err);
    for (size_t i = 0; i < json_count(scopes); i++) {
        snprintf(place, sizeof place, "%s/%zu", where, i);
        TRY(check_one_scope(json_string(json_item(scopes, i)), permissions, place, err));
    }
    return ST_OK;
}

static enum status check_keys(str jwks, struct error *err)
{
    struct jwk_set *set = NULL;
    struct error wrong = { 0 };
    char where[ERROR_WHERE_BYTES];
    enum status status = jwk_set_read(jwks, &set, &wrong);
    jwk_set_free(set);
    if (status == ST_OK) return ST_OK;
    snprintf(where, sizeof where, "/jwks%.*s", ERROR_WHERE_BYTES - 8, wrong.where);
    return fail(err, status, where, "%s", wrong.message);
}

/* A record is refused here if a check of tokens would refuse it, so nobody learns it from a failing login. */
static enum status check_issuer(const struct json *record, struct error *err)
{
    struct issuer issuer;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = issuer_read(STR_NONE, record, &arena, &issuer, err);
    if (status == ST_OK && issuer.jwks.n) status = check_keys(issuer.jwks, err);
    arena_done(&arena);
    return status;
}

static enum status check_together(enum access_kind kind, const struct json *record, struct error *err)
{
    bool everywhere = str_equal(json_text(record, STR("tenant")), STR("*"));
    if (kind == ACCESS_KEY)
        return check_scopes(json_get(record, STR("scopes")),
                            record_value_role_set(json_get(record, STR("roles"))), everywhere, "/scopes",
                            err);
    if (kind == ACCESS_GRANT) {
        enum role role;
        must(role_find(json_text(record, STR("role")), &role));
        return check_scopes(json_get(record, STR("scope")), 1u << role, everywhere, "/scope", err);
    }
    return kind == ACCESS_ISSUER ? check_issuer(record, err) : ST_OK;
}

static enum status check_missing(enum access_kind kind, const struct json *record, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct member *member = &kinds[kind].member[i];
        if (!member->required || json_get(record, str_of(member->name))) continue;
        record_value_place(str_of(member->name), place);
        if (member->check == record_value_audience)
            return fail(err, ST_INVALID, place, "an issuer needs an audience; null means tokens for anybody");
        return fail(err, ST_INVALID, place, "a %s needs this member", access_kind_word(kind));
    }
    return ST_OK;
}

enum status access_record_check(enum access_kind kind, const struct json *record, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    if (!json_is(record, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the record of a %s must be an object", access_kind_word(kind));
    struct json_each each = json_each(record);
    while (json_next(&each)) {
        const struct member *member = find_member(kind, each.name);
        record_value_place(each.name, place);
        if (!member)
            return fail(err, ST_INVALID, place, "the record of a %s has no such member",
                        access_kind_word(kind));
        TRY(member->check(each.value, place, err));
    }
    TRY(check_missing(kind, record, err));
    return check_together(kind, record, err);
}

static enum status check_size(const struct json *record, struct error *err)
{
    if (json_bytes(record) <= ACCESS_RECORD_BYTES_MAX) return ST_OK;
    return fail(err, ST_LIMIT, "", "the record has more than %d bytes (ACCESS_RECORD_BYTES_MAX)",
                ACCESS_RECORD_BYTES_MAX);
}

/* Keys of another tenant would be somebody else's. */
static enum status check_moved(enum access_kind kind, const struct json *object, const struct json *old,
                               struct error *err)
{
    const struct json *now = json_get(object, STR("tenant")), *before = json_get(old, STR("tenant"));
    if (kind != ACCESS_KEY || !now || !before || json_equal(now, before)) return ST_OK;
    return fail(err, ST_INVALID, "/tenant", "a key stays in its tenant");
}

enum status access_record_make(enum access_kind kind, str name, const struct json *object,
                               const struct json *old, struct arena *arena, const struct json **ret_record,
                               struct error *err)
{
    struct json_builder builder;
    TRY(check_given(kind, name, object, err));
    TRY(check_moved(kind, object, old, err));
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct member *member = &kinds[kind].member[i];
        const struct json *value = value_after(member, object, old, arena);
        if (!value) continue;
        json_add_name(&builder, str_of(member->name));
        json_add(&builder, value);
    }
    json_close(&builder);
    const struct json *record = json_built(&builder);
    TRY(access_record_check(kind, record, err)); /* Members of the old one may be damaged. */
    TRY(check_size(record, err));
    *ret_record = record;
    return ST_OK;
}

const struct json *access_record_set(const struct json *record, const char *member, const struct json *value,
                                     struct arena *arena)
{
    return json_set(arena, record, str_of(member), value);
}

/* ---- showing a record ---- */

static void add_shown(struct json_builder *builder, const struct member *member, const struct json *value)
{
    int64_t ms;
    json_add_name(builder, str_of(member->name));
    if (member->check == record_value_time && json_is(value, JSON_NUMBER) && json_int64(value, &ms)) {
        char text[DATETIME_CHARS + 1];
        datetime_print(ms, text);
        json_add_string(builder, str_of(text));
    } else json_add(builder, value);
}

const struct json *access_record_view(enum access_kind kind, str name, const struct json *record,
                                      struct arena *arena)
{
    struct json_builder builder;
    must(kind < ACCESS_KIND_COUNT);
    if (kind == ACCESS_TENANT && json_flag(record, STR("removing")))
        record = access_record_set(record, "state", json_of_string(arena, STR("removing")), arena);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    if (kinds[kind].key) json_add_text(&builder, str_of(kinds[kind].key), name);
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct member *member = &kinds[kind].member[i];
        const struct json *value = json_get(record, str_of(member->name));
        if (value && member->owner != SECRET) add_shown(&builder, member, value);
    }
    json_close(&builder);
    return json_built(&builder);
}

const struct json *access_record_given(enum access_kind kind, const struct json *record, struct arena *arena)
{
    struct json_builder builder;
    must(kind < ACCESS_KIND_COUNT);
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct member *member = &kinds[kind].member[i];
        const struct json *value = json_get(record, str_of(member->name));
        if (!value || member->owner != BY_CLIENT) continue;
        json_add_name(&builder, str_of(member->name));
        json_add(&builder, value);
    }
    json_close(&builder);
    return json_built(&builder);
}
