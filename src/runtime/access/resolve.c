/* runtime/access/resolve.c — from a credential to its principal, with all its grants.
 *
 *     the record of the user or key     its own roles
 *     grants to "user:…" or "key:…"     made here
 *     grants to each "group:…"          groups of the record, or of the token's claims
 *     the claims of a token             by the issuer's map
 *
 * A damaged record stops only its own principal, and a damaged grant gives nothing. A change of access during
 * the reads does no harm: the answer has the directory's generation from before, and the directory does not
 * keep it then.
 */
#include "runtime/access/access_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { GROUPS_ONE_BY_ONE = 16 }; /* With more groups, all grants to groups are read and compared. */

struct principal_search {
    struct query *query;
    struct arena *arena;         /* The call's. */
    struct principal *principal; /* Becomes the answer. */
    struct grant *grant;
    size_t grant_count, grant_cap;
    const char *why; /* Not NULL: refused. */
    int64_t now_ms;
    int32_t asker; /* An admin of this tenant asks what somebody may do there; TENANT_ANY: all can be told. */
};

static enum status refuse(struct principal_search *resolution, const char *why)
{
    resolution->why = why;
    return ST_OK;
}

static enum status read_record(struct principal_search *resolution, enum access_kind kind, str key,
                               const struct json **ret_record, bool *ret_there, struct error *err)
{
    struct record_row row;
    TRY(found_asked(reader_find_record(resolution->query->reader, TENANT_ANY, access_rows_kind(kind), key,
                                       resolution->arena, &row, err),
                    ret_there));
    *ret_record = *ret_there ? access_rows_decode(kind, row.value, resolution->arena) : NULL;
    return ST_OK;
}

/* ---- tenants ---- */

/* Reads the record of a tenant. `*ret_late`: the engine has told the directory of a change meanwhile, so the
 * record may be older than what the directory knows. */
static enum status read_tenant(struct principal_search *resolution, str name, struct tenant *ret_tenant,
                               bool *ret_there, bool *ret_late, struct error *err)
{
    struct directory *directory = resolution->query->directory;
    uint64_t told = directory ? directory_tenants_told(directory) : 0;
    const struct json *record;
    TRY(read_record(resolution, ACCESS_TENANT, name, &record, ret_there, err));
    *ret_there = record && tenant_read(name, record, resolution->arena, ret_tenant, NULL) == ST_OK;
    *ret_late = *ret_there && directory && !directory_keep_tenant_read(directory, ret_tenant, told);
    *ret_there = *ret_there && !ret_tenant->is_removing;
    return ST_OK;
}

/* The number of a tenant, "*" included; 0 and `*ret_there` false: there is none. The directory keeps it. A
 * round is repeated only if a tenant was changed during it. */
static enum status find_tenant(struct principal_search *resolution, str name, int32_t *ret_number,
                               bool *ret_there, struct error *err)
{
    struct directory *directory = resolution->query->directory;
    struct tenant tenant = { .number = str_equal(name, STR("*")) ? TENANT_ANY : TENANT_DEFAULT };
    bool late = true;
    *ret_there = !tenant.number || str_equal(name, STR("default"));
    while (!*ret_there && late) {
        *ret_there = directory && directory_tenant(directory, name, &tenant);
        if (*ret_there) break;
        TRY(read_tenant(resolution, name, &tenant, ret_there, &late, err));
        if (late) *ret_there = false;
    }
    *ret_number = *ret_there ? tenant.number : 0;
    return ST_OK;
}

/* ---- grants ---- */

static size_t read_scopes(struct principal_search *resolution, const struct json *scopes,
                          const struct access_scope **ret_scope)
{
    struct arena *arena = &resolution->principal->arena_;
    size_t count = json_is(scopes, JSON_STRING) ? 1 : json_count(scopes), kept = 0;
    struct access_scope *scope = arena_make_n(arena, struct access_scope, count);
    for (size_t i = 0; i < count; i++) {
        const struct json *text = json_is(scopes, JSON_STRING) ? scopes : json_item(scopes, i);
        kept += scope_parse(arena_str(arena, json_string(text)), &scope[kept], NULL) == ST_OK;
    }
    must(kept == count); /* The record was checked; to leave one out would widen it. */
    *ret_scope = scope;
    return kept;
}

static void add_grant(struct principal_search *resolution, struct grant grant)
{
    grant.source = arena_str(&resolution->principal->arena_, grant.source);
    array_reserve_in(&resolution->principal->arena_, resolution->grant, resolution->grant_count,
                     resolution->grant_cap);
    resolution->grant[resolution->grant_count++] = grant;
}

static void add_roles(struct principal_search *resolution, role_set roles, struct grant grant)
{
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        grant.role = (enum role)i;
        if (roles & 1u << i) add_grant(resolution, grant);
    }
}

static role_set roles_of(const struct json *names)
{
    role_set roles = 0;
    enum role role;
    for (size_t i = 0; i < json_count(names); i++)
        if (role_find(json_string(json_item(names, i)), &role)) roles |= 1u << role;
    return roles;
}

/* A grant in a tenant that is gone, or that cannot be read, gives nothing. */
static enum status take_grant(struct principal_search *resolution, const struct record_row *row,
                              struct error *err)
{
    const struct json *record = access_rows_decode(ACCESS_GRANT, row->value, resolution->arena);
    struct grant grant = { 0 };
    bool there = false;
    if (!record || !role_find(json_text(record, STR("role")), &grant.role)) return ST_OK;
    TRY(find_tenant(resolution, json_text(record, STR("tenant")), &grant.tenant, &there, err));
    if (!there) return ST_OK;
    const struct json *scope = json_get(record, STR("scope"));
    if (scope) grant.scope_count = read_scopes(resolution, scope, &grant.scope);
    str to = json_text(record, STR("to")), id = access_rows_second(row->key);
    grant.source = str_starts(to, STR("group:"))
                       ? arena_printf(resolution->arena, "the grant %.*s to the group %.*s", STR_ARG(id),
                                      STR_ARG(str_slice(to, 6, to.n)))
                       : arena_printf(resolution->arena, "the grant %.*s", STR_ARG(id));
    add_grant(resolution, grant);
    return ST_OK;
}

/* All grants whose keys begin so; `groups`: only those to groups of the principal. */
static enum status add_grants_of(struct principal_search *resolution, str prefix, bool groups,
                                 struct error *err)
{
    struct record_filter filter = {
        .ns = TENANT_ANY, .kind = RECORD_GRANT, .prefix = prefix, .max = ACCESS_ROWS_AT_ONCE
    };
    struct record_row *row;
    size_t count;
    do {
        TRY(reader_records(resolution->query->reader, &filter, resolution->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            str to = str_slice(row[i].key, 0, row[i].key.n - access_rows_second(row[i].key).n - 1);
            bool fits = !groups || principal_is_in(resolution->principal, str_slice(to, 6, to.n));
            if (fits) TRY(take_grant(resolution, &row[i], err));
        }
        if (count) filter.after = row[count - 1].key;
    } while (count == ACCESS_ROWS_AT_ONCE);
    return ST_OK;
}

static enum status add_grants_to(struct principal_search *resolution, str to, struct error *err)
{
    return add_grants_of(resolution, access_rows_prefix(to, resolution->arena), false, err);
}

static enum status add_grants_to_groups(struct principal_search *resolution, struct error *err)
{
    const struct principal *principal = resolution->principal;
    if (principal->group_count > GROUPS_ONE_BY_ONE)
        return add_grants_of(resolution, STR("group:"), true, err);
    for (size_t i = 0; i < principal->group_count; i++)
        TRY(add_grants_to(resolution,
                          arena_printf(resolution->arena, "group:%.*s", STR_ARG(principal->group[i])), err));
    return ST_OK;
}

/* ---- principals ---- */

static void set_groups(struct principal_search *resolution, const str *group, size_t count)
{
    struct principal *principal = resolution->principal;
    str *copy = arena_make_n(&principal->arena_, str, count);
    for (size_t i = 0; i < count; i++) copy[i] = arena_str(&principal->arena_, group[i]);
    principal->group = copy;
    principal->group_count = count;
}

static void set_listed_groups(struct principal_search *resolution, const struct json *names)
{
    size_t count = json_count(names);
    str *group = arena_make_n(resolution->arena, str, count);
    for (size_t i = 0; i < count; i++) group[i] = json_string(json_item(names, i));
    set_groups(resolution, group, count);
}

static void set_name(struct principal_search *resolution, str name, str id)
{
    resolution->principal->name = arena_str(&resolution->principal->arena_, name);
    resolution->principal->id = arena_str(&resolution->principal->arena_, id);
}

/* The tenant in which it acts: `default` if it knows that, else the first that a grant names. */
static void choose_home(struct principal_search *resolution)
{
    struct principal *principal = resolution->principal;
    principal->home = TENANT_DEFAULT;
    for (size_t i = 0; i < resolution->grant_count; i++)
        if (resolution->grant[i].tenant <= TENANT_DEFAULT) return;
    if (resolution->grant_count) principal->home = resolution->grant[0].tenant;
}

/* A user of ours: the roles of the record count in `default`. */
static enum status resolve_user(struct principal_search *resolution, str name, struct error *err)
{
    const struct json *record;
    bool there;
    str id = arena_printf(resolution->arena, "user:%.*s", STR_ARG(name));
    TRY(read_record(resolution, ACCESS_USER, name, &record, &there, err));
    if (!there) return refuse(resolution, "no such user");
    if (!record) return refuse(resolution, "damaged record");
    if (!str_equal(json_text(record, STR("state")), STR("active"))) return refuse(resolution, "disabled");
    set_name(resolution, name, id);
    set_listed_groups(resolution, json_get(record, STR("groups")));
    add_roles(resolution, roles_of(json_get(record, STR("roles"))),
              (struct grant){ .tenant = TENANT_DEFAULT, .source = STR("the user's record") });
    TRY(add_grants_to(resolution, id, err));
    TRY(add_grants_to_groups(resolution, err));
    choose_home(resolution);
    return ST_OK;
}

static bool fits_hash(const struct json *record, const struct credential_hash *shown)
{
    struct credential_hash hash;
    bool fits = access_rows_hash(record, STR("hash"), &hash) && credential_hash_equal(&hash, shown);
    return fits;
}

/* The end of the secret before a rotation, if that is the one that was shown; else 0. */
static int64_t old_secret_until(const struct json *record, const struct credential_hash *shown)
{
    struct credential_hash hash;
    bool fits = access_rows_hash(record, STR("oldHash"), &hash) && credential_hash_equal(&hash, shown);
    return fits ? access_rows_time(record, STR("oldUntil")) : 0;
}

/* May the secret be used? The one before a rotation counts for a while, and its principal ends then. */
static bool fits_secret(struct principal_search *resolution, const struct json *record,
                        const struct credential_hash *shown)
{
    struct principal *principal = resolution->principal;
    int64_t old_until_ms = old_secret_until(record, shown);
    if (fits_hash(record, shown)) return true;
    if (old_until_ms <= resolution->now_ms) return false;
    if (!principal->expires_ms || old_until_ms < principal->expires_ms) principal->expires_ms = old_until_ms;
    return true;
}

/* A key, whose roles count in its tenant. `shown` NULL: nothing is proved. */
static enum status resolve_key(struct principal_search *resolution, str id,
                               const struct credential_hash *shown, struct error *err)
{
    struct principal *principal = resolution->principal;
    const struct json *record;
    bool there;
    str full_id = arena_printf(resolution->arena, "key:%.*s", STR_ARG(id));
    TRY(read_record(resolution, ACCESS_KEY, id, &record, &there, err));
    if (!there) return refuse(resolution, "unknown key");
    if (!record) return refuse(resolution, "damaged record");
    principal->expires_ms = access_rows_time(record, STR("expiresAt"));
    if (shown && !fits_secret(resolution, record, shown))
        return refuse(resolution, "wrong secret of the key");
    if (!str_equal(json_text(record, STR("state")), STR("active"))) return refuse(resolution, "revoked");
    if (principal->expires_ms && principal->expires_ms <= resolution->now_ms)
        return refuse(resolution, "expired");
    struct grant grant = { .source = STR("the key's record") };
    TRY(find_tenant(resolution, json_text(record, STR("tenant")), &grant.tenant, &there, err));
    if (!there) return refuse(resolution, "no such tenant");
    const struct json *scopes = json_get(record, STR("scopes"));
    if (json_count(scopes)) grant.scope_count = read_scopes(resolution, scopes, &grant.scope);
    set_name(resolution, json_text(record, STR("name")), full_id);
    principal->credential = arena_str(&principal->arena_, id);
    principal->acts_for = json_flag(record, STR("actsFor"));
    principal->home = grant.tenant ? grant.tenant : TENANT_DEFAULT;
    add_roles(resolution, roles_of(json_get(record, STR("roles"))), grant);
    if (shown) touched_note(resolution->query->touched, ACCESS_KEY, id, record, resolution->now_ms);
    return add_grants_to(resolution, full_id, err);
}

/* ---- people and bearers of an issuer ---- */

/* A person of an issuer who has the name of somebody of ours with a password is somebody else. */
static enum status add_grants_to_person(struct principal_search *resolution, str name, struct error *err)
{
    const struct json *record;
    bool there;
    if (access_check_name(ACCESS_USER, name, NULL) != ST_OK) return ST_OK;
    TRY(read_record(resolution, ACCESS_USER, name, &record, &there, err));
    if (there && !record) return refuse(resolution, "damaged record");
    if (there && !str_equal(json_text(record, STR("state")), STR("active")))
        return refuse(resolution, "disabled");
    if (there && json_get(record, STR("password"))) return ST_OK;
    if (there)
        add_roles(resolution, roles_of(json_get(record, STR("roles"))),
                  (struct grant){ .tenant = TENANT_DEFAULT, .source = STR("the user's record") });
    return add_grants_to(resolution, arena_printf(resolution->arena, "user:%.*s", STR_ARG(name)), err);
}

struct claimed_identity {
    str issuer, user, tenant;
    role_set roles;
    const str *group;
    size_t group_count;
};

/* The record of the issuer, or of the tenant's provider. */
static enum status read_issuer(struct principal_search *resolution, str name, int32_t tenant,
                               const struct json **ret_issuer, struct error *err)
{
    str mark = STR(PROVIDER_MARK);
    bool is_provider = str_starts(name, mark), there;
    str key = is_provider ? access_rows_of_tenant(tenant, str_slice(name, mark.n, name.n), resolution->arena)
                          : name;
    TRY(read_record(resolution, is_provider ? ACCESS_PROVIDER : ACCESS_ISSUER, key, ret_issuer, &there, err));
    if (!there) return refuse(resolution, "unknown issuer");
    if (!*ret_issuer) return refuse(resolution, "damaged record");
    if (json_get(*ret_issuer, STR("invalidatedAt"))) return refuse(resolution, "invalidated provider");
    return ST_OK;
}

static enum status resolve_claimed(struct principal_search *resolution,
                                   const struct claimed_identity *claimed, struct error *err)
{
    const struct json *issuer;
    struct grant grant = { 0 };
    bool there;
    TRY(find_tenant(resolution, claimed->tenant.n ? claimed->tenant : STR("default"), &grant.tenant, &there,
                    err));
    if (!there) return refuse(resolution, "no such tenant");
    TRY(read_issuer(resolution, claimed->issuer, grant.tenant, &issuer, err));
    if (resolution->why) return ST_OK;
    str path = json_text(issuer, STR("rolesClaim"));
    if (!path.n) path = json_text(issuer, STR("groupsClaim"));
    if (!path.n) path = STR("roles");
    grant.source = arena_printf(resolution->arena, "the claim %.*s", STR_ARG(path));
    set_groups(resolution, claimed->group, claimed->group_count);
    add_roles(resolution, claimed->roles, grant);
    TRY(add_grants_to_person(resolution, claimed->user, err));
    if (resolution->why) return ST_OK;
    TRY(add_grants_to_groups(resolution, err));
    if (!resolution->grant_count) return refuse(resolution, "no role");
    choose_home(resolution);
    if (claimed->tenant.n) resolution->principal->home = grant.tenant;
    return ST_OK;
}

static void keep_token(struct principal_search *resolution, const struct call_resolve *asked)
{
    struct principal *principal = resolution->principal;
    int64_t expires_ms = asked->bearer.expires_ms;
    principal->kind = PRINCIPAL_TOKEN;
    principal->claims = arena_str(&principal->arena_, asked->claims);
    if (!principal->expires_ms || (expires_ms && expires_ms < principal->expires_ms))
        principal->expires_ms = expires_ms;
}

/* A token of an exchange is about a user whom a client brought: it may do what both may. */
static void narrow_to_user(struct principal_search *resolution, const struct call_resolve *asked)
{
    size_t kept = 0;
    bool is_narrowed = false; /* Then nothing is added: it would widen the key. */
    if (!asked->bearer.user.n) return;
    for (size_t i = 0; i < resolution->grant_count; i++) is_narrowed |= resolution->grant[i].scope_count > 0;
    for (size_t i = 0; i < resolution->grant_count; i++)
        if (asked->bearer.roles & 1u << resolution->grant[i].role)
            resolution->grant[kept++] = resolution->grant[i];
    resolution->grant_count = kept;
    /* To look, and to answer tasks as the user, are the user's own; the client need not have them. */
    if (!is_narrowed)
        add_roles(
            resolution, asked->bearer.roles & (1u << ROLE_VIEWER | 1u << ROLE_PERSON),
            (struct grant){ .tenant = resolution->principal->home, .source = STR("the exchanged token") });
    resolution->principal->acts_for = false;
    resolution->principal->through = resolution->principal->name;
    set_name(resolution, asked->bearer.user,
             arena_printf(resolution->arena, "token:%.*s#%.*s", STR_ARG(asked->bearer.subject),
                          STR_ARG(asked->bearer.user)));
}

/* A token of our own stands for a key or a user of ours, and ends with it. */
static enum status resolve_own_token(struct principal_search *resolution, const struct call_resolve *asked,
                                     struct error *err)
{
    str subject = asked->bearer.subject;
    if (str_starts(subject, STR("key:")))
        TRY(resolve_key(resolution, str_slice(subject, 4, subject.n), NULL, err));
    else if (str_starts(subject, STR("user:")))
        TRY(resolve_user(resolution, str_slice(subject, 5, subject.n), err));
    else return refuse(resolution, "unknown subject");
    if (resolution->why) return ST_OK;
    narrow_to_user(resolution, asked);
    keep_token(resolution, asked);
    return ST_OK;
}

static enum status resolve_bearer(struct principal_search *resolution, const struct call_resolve *asked,
                                  struct error *err)
{
    const struct token_bearer *bearer = &asked->bearer;
    const struct claimed_identity claimed = { .issuer = asked->issuer,
                                              .user = bearer->user,
                                              .tenant = bearer->tenant,
                                              .roles = bearer->roles,
                                              .group = bearer->group,
                                              .group_count = bearer->group_count };
    if (!asked->issuer.n) return resolve_own_token(resolution, asked, err);
    TRY(resolve_claimed(resolution, &claimed, err));
    if (resolution->why) return ST_OK;
    set_name(
        resolution, bearer->user,
        arena_printf(resolution->arena, "token:%.*s#%.*s", STR_ARG(asked->issuer), STR_ARG(bearer->subject)));
    keep_token(resolution, asked);
    return ST_OK;
}

/* ---- sessions ---- */

static enum status resolve_issuers_session(struct principal_search *resolution, const struct json *session,
                                           struct error *err)
{
    const struct json *groups = json_get(session, STR("groups"));
    str *group = arena_make_n(resolution->arena, str, json_count(groups));
    for (size_t i = 0; i < json_count(groups); i++) group[i] = json_string(json_item(groups, i));
    const struct claimed_identity claimed = { .issuer = json_text(session, STR("issuer")),
                                              .user = json_text(session, STR("user")),
                                              .tenant = json_text(session, STR("tenant")),
                                              .roles = roles_of(json_get(session, STR("roles"))),
                                              .group = group,
                                              .group_count = json_count(groups) };
    TRY(resolve_claimed(resolution, &claimed, err));
    if (resolution->why) return ST_OK;
    /* No name of a user of ours has this sign. */
    set_name(
        resolution, claimed.user,
        arena_printf(resolution->arena, "user:%.*s#%.*s", STR_ARG(claimed.issuer), STR_ARG(claimed.user)));
    return ST_OK;
}

static enum status resolve_session(struct principal_search *resolution, const struct call_resolve *asked,
                                   struct error *err)
{
    struct principal *principal = resolution->principal;
    const struct json *session;
    bool there;
    str hash = credential_hash_text(&asked->hash, resolution->arena);
    TRY(read_record(resolution, ACCESS_SESSION, hash, &session, &there, err));
    if (!there) return refuse(resolution, "unknown session");
    if (!session) return refuse(resolution, "damaged record");
    int64_t used_ms = access_rows_time(session, STR("lastUsed"));
    principal->expires_ms = access_rows_time(session, STR("expires"));
    if (principal->expires_ms <= resolution->now_ms) return refuse(resolution, "expired");
    if (used_ms + SESSION_IDLE_MS <= resolution->now_ms) return refuse(resolution, "idle for too long");
    principal->credential = arena_str(&principal->arena_, json_text(session, STR("id")));
    touched_note(resolution->query->touched, ACCESS_SESSION, hash, session, resolution->now_ms);
    if (json_text(session, STR("issuer")).n) return resolve_issuers_session(resolution, session, err);
    return resolve_user(resolution, json_text(session, STR("user")), err);
}

/* ---- names, for explanations ---- */

/* Admins of one tenant learn nothing about keys of others, not even that they are revoked. */
static enum status resolve_key_by_name(struct principal_search *resolution, str id, struct error *err)
{
    struct record_row row;
    bool is_own = true;
    if (resolution->asker != TENANT_ANY)
        TRY(found_asked(reader_find_record(resolution->query->reader, resolution->asker, RECORD_KEY_OF, id,
                                           resolution->arena, &row, err),
                        &is_own));
    if (!is_own) return refuse(resolution, "unknown key");
    resolution->principal->kind = PRINCIPAL_KEY;
    return resolve_key(resolution, id, NULL, err);
}

/* Leaves out grants in other tenants. A user without a role in the tenant does not exist there; whether a
 * disabled one had a role is not known, so it counts as one without. */
static void hide_others(struct principal_search *resolution, str id)
{
    size_t kept = 0;
    for (size_t i = 0; i < resolution->grant_count; i++)
        if (tenant_fits(resolution->grant[i].tenant, resolution->asker))
            resolution->grant[kept++] = resolution->grant[i];
    resolution->grant_count = kept;
    if (str_starts(id, STR("user:")) && !kept) resolution->why = "no such user";
}

static enum status resolve_name(struct principal_search *resolution, str id, struct error *err)
{
    if (str_starts(id, STR("user:"))) return resolve_user(resolution, str_slice(id, 5, id.n), err);
    if (str_starts(id, STR("key:"))) return resolve_key_by_name(resolution, str_slice(id, 4, id.n), err);
    if (!str_starts(id, STR("group:"))) return refuse(resolution, "not user:NAME, key:ID or group:NAME");
    str group = str_slice(id, 6, id.n);
    set_name(resolution, id, id);
    set_groups(resolution, &group, 1);
    TRY(add_grants_to_groups(resolution, err));
    choose_home(resolution);
    return ST_OK;
}

enum status resolve_knows(struct query *query, str user, int32_t tenant, struct arena *arena, bool *ret_knows,
                          struct error *err)
{
    struct principal_search resolution = { .query = query,
                                           .arena = arena,
                                           .principal = principal_new(PRINCIPAL_USER) };
    enum status status = resolve_user(&resolution, user, err);
    *ret_knows = false;
    for (size_t i = 0; status == ST_OK && !resolution.why && i < resolution.grant_count; i++)
        *ret_knows |= tenant_fits(resolution.grant[i].tenant, tenant);
    principal_unref(resolution.principal);
    return status;
}

/* ---- the call ---- */

static enum status resolve(struct principal_search *resolution, const struct call_resolve *asked,
                           struct error *err)
{
    switch (asked->kind) {
    case CREDENTIAL_KEY: return resolve_key(resolution, asked->id, &asked->hash, err);
    case CREDENTIAL_SESSION: return resolve_session(resolution, asked, err);
    case CREDENTIAL_BEARER: return resolve_bearer(resolution, asked, err);
    case CREDENTIAL_NAME: return resolve_name(resolution, asked->id, err);
    }
    return refuse(resolution, "unknown kind of credential");
}

static int64_t now_of(const struct query *query)
{
    return query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
}

enum status resolve_call(struct query *query, struct call *call, struct error *err)
{
    struct answer_resolve *answer = &call->value.resolve;
    bool is_key = call->as.resolve.kind == CREDENTIAL_KEY;
    /* A caller asks what somebody else may do. */
    TRY(caller_check_for(call->caller, MAY_ACCESS_ADMIN, STR_NONE, err));
    struct principal_search resolution = { .query = query,
                                           .arena = call->arena,
                                           .principal =
                                               principal_new(is_key ? PRINCIPAL_KEY : PRINCIPAL_USER),
                                           .now_ms = now_of(query) };
    if (caller_check_for(call->caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) != ST_OK)
        resolution.asker = call->ns;
    answer->generation = query->directory ? directory_generation(query->directory) : 0;
    answer->mark = query->directory ? directory_mark(query->directory) : 0;
    enum status status = resolve(&resolution, &call->as.resolve, err);
    if (resolution.asker != TENANT_ANY) hide_others(&resolution, call->as.resolve.id);
    if (status != ST_OK || resolution.why) {
        principal_unref(resolution.principal);
        answer->principal = NULL;
        answer->why = resolution.why;
        return status;
    }
    resolution.principal->grant = resolution.grant;
    resolution.principal->grant_count = resolution.grant_count;
    resolution.principal->generation = answer->generation;
    answer->principal = resolution.principal;
    return ST_OK;
}
