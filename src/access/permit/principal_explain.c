/* access/permit/principal_explain.c — decisions in words. */
#include "access/permit/principal_int.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "json/put.h"

/* `["operator","admin"]` */
static void put_roles(struct buf *out, role_set roles)
{
    const char *before = "[";
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (roles & 1u << i) {
            buf_printf(out, "%s\"%s\"", before, role_word((enum role)i));
            before = ",";
        }
    buf_printf(out, "%s]", roles ? "" : "[");
}

/* "the roles person and admin have", "the role admin has" */
static void add_holders(struct buf *out, enum permission permission)
{
    role_set roles = permission_roles(permission);
    int left = __builtin_popcount(roles);
    if (permission == MAY_GLOBAL_ADMIN) {
        PUT(out, "an admin of all tenants has");
        return;
    }
    if (permission == MAY_SECRETS_USE) {
        PUT(out, "the role admin has, and a builder by a scope that names it");
        return;
    }
    buf_printf(out, "the role%s ", left > 1 ? "s" : "");
    const char *verb = left > 1 ? "have" : "has";
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (roles & 1u << i) {
            left--;
            buf_printf(out, "%s%s", role_word((enum role)i), left > 1 ? ", " : left == 1 ? " and " : " ");
        }
    buf_printf(out, "%s", verb);
}

/* Has it a role with the permission, in some tenant, that scopes narrow to something else? Then the role is
 * not what is missing. */
static bool lacks_scope(const struct principal *principal, enum permission permission, str object)
{
    for (size_t i = 0; i < principal->grant_count; i++) {
        const struct grant *grant = &principal->grant[i];
        enum grant_answer answer = principal_ask_grant(grant, grant->tenant, permission, object);
        if (answer == GRANT_WITHOUT_PERMISSION || answer == GRANT_WITHOUT_SCOPE ||
            answer == GRANT_WITHOUT_OBJECT)
            return true;
    }
    return false;
}

/* "jobs:work:charge-card" */
static void add_scope(struct buf *out, enum permission permission, str object)
{
    buf_printf(out, "%s%s%.*s", permission_word(permission), object.n ? ":" : "", STR_ARG(object));
}

static void put_detail(struct error *err, const char *name, str text)
{
    struct buf value;
    buf_init(&value, NULL);
    put_text(&value, text);
    fail_detail(err, name, buf_str(&value));
    buf_done(&value);
}

enum status principal_refuse(const struct principal *principal, enum permission permission, str object,
                             struct error *err)
{
    struct buf text, scope;
    bool needs_scope = lacks_scope(principal, permission, object);
    if (!utf8_is_valid(object)) object = STR_NONE;
    buf_init(&text, NULL);
    buf_init(&scope, NULL);
    add_scope(&scope, permission, object);
    buf_printf(&text, "this needs the permission %s", permission_word(permission));
    if (object.n) buf_printf(&text, " for “%.*s”", STR_ARG(object));
    if (permission_roles(permission)) {
        PUT(&text, ", which ");
        add_holders(&text, permission);
    }
    if (needs_scope) buf_printf(&text, "; the scope %.*s is missing", STR_ARG(buf_str(&scope)));
    if (principal->kind == PRINCIPAL_NOBODY) PUT(&text, "; the request had no credential");
    enum status status = fail(err, ST_FORBIDDEN, NULL, "%.*s", STR_ARG(buf_str(&text)));

    put_detail(err, "permission", str_of(permission_word(permission)));
    text.n = 0;
    put_roles(&text, permission_roles(permission));
    fail_detail(err, "roles", buf_str(&text));
    if (object.n) put_detail(err, "object", object);
    if (needs_scope) put_detail(err, "scope", buf_str(&scope));
    buf_done(&text);
    buf_done(&scope);
    return status;
}

static const char *const answer_words[] = {
#define XX(NAME, words) [GRANT_##NAME] = words,
    GRANT_ANSWER_MAP(XX)
#undef XX
};

/* `*first`: no scope is in the list yet. */
static void put_scopes(const struct grant *grant, bool *first, struct buf *out)
{
    struct buf text;
    buf_init(&text, NULL);
    for (size_t i = 0; i < grant->scope_count; i++) {
        text.n = 0;
        add_scope(&text, grant->scope[i].permission, grant->scope[i].pattern);
        if (!*first) PUT(out, ",");
        *first = false;
        put_text(out, buf_str(&text));
    }
    buf_done(&text);
}

/* Has a grant before it, of a role with the same scopes, the same list? A key with two roles has one. */
static bool is_repeated(const struct principal *principal, size_t at)
{
    const struct grant *grant = &principal->grant[at];
    for (size_t i = 0; i < at; i++)
        if (principal->grant[i].scope == grant->scope) return true;
    return false;
}

void principal_put_scopes(const struct principal *principal, int32_t tenant, struct buf *out)
{
    bool first = true;
    for (size_t i = 0; i < principal->grant_count; i++) {
        const struct grant *grant = &principal->grant[i];
        bool counts = grant->tenant == TENANT_ANY || grant->tenant == tenant;
        if (!counts || !grant->scope_count || is_repeated(principal, i)) continue;
        if (first) PUT(out, ",\"scopes\":[");
        put_scopes(grant, &first, out);
    }
    if (!first) PUT(out, "]");
}

static void put_grant(const struct grant *grant, enum grant_answer answer, struct buf *out)
{
    PUT(out, "{\"source\":");
    put_text(out, grant->source);
    buf_printf(out, ",\"role\":\"%s\",\"everywhere\":%s", role_word(grant->role),
               grant->tenant == TENANT_ANY ? "true" : "false");
    bool first = true;
    if (grant->scope_count) {
        PUT(out, ",\"scopes\":[");
        put_scopes(grant, &first, out);
        PUT(out, "]");
    }
    buf_printf(out, ",\"gives\":%s,\"why\":\"%s\"}", answer == GRANT_GIVES ? "true" : "false",
               answer_words[answer]);
}

static void put_groups(const struct principal *principal, struct buf *out)
{
    PUT(out, ",\"groups\":[");
    for (size_t i = 0; i < principal->group_count; i++) {
        if (i) PUT(out, ",");
        put_text(out, principal->group[i]);
    }
    PUT(out, "]");
}

/* The last link of the chain, as a sentence. `gives` is the first grant that gives it, or NULL. */
static void put_reason(const struct principal *principal, const struct grant *gives,
                       enum permission permission, bool allowed, struct buf *out)
{
    struct buf text;
    buf_init(&text, NULL);
    if (principal->is_everybody) PUT(&text, "no access is configured, so everybody may do everything");
    else if (allowed && permission <= MAY_SELF) PUT(&text, "this needs no role");
    else if (gives)
        buf_printf(&text, "%.*s gives the role %s, which has %s", STR_ARG(gives->source),
                   role_word(gives->role), permission_word(permission));
    else if (!principal->grant_count) PUT(&text, "it has no role anywhere");
    else PUT(&text, "no grant gives it");
    PUT(out, ",\"reason\":");
    put_text(out, buf_str(&text));
    buf_done(&text);
}

void principal_explain(const struct principal *principal, int32_t tenant, enum permission permission,
                       str object, struct buf *out)
{
    const struct grant *gives = NULL;
    PUT(out, "{\"principal\":");
    put_text(out, principal->id);
    buf_printf(out, ",\"kind\":\"%s\",\"name\":", principal_kind_word(principal->kind));
    put_text(out, principal->name);
    put_groups(principal, out);
    PUT(out, ",\"grants\":[");
    for (size_t i = 0; i < principal->grant_count; i++) {
        const struct grant *grant = &principal->grant[i];
        enum grant_answer answer = principal_ask_grant(grant, tenant, permission, object);
        if (answer == GRANT_GIVES && !gives) gives = grant;
        if (i) PUT(out, ",");
        put_grant(grant, answer, out);
    }
    buf_printf(out, "],\"permission\":\"%s\",\"roles\":", permission_word(permission));
    put_roles(out, permission_roles(permission));
    if (object.n && utf8_is_valid(object)) {
        PUT(out, ",\"object\":");
        put_text(out, object);
    }
    bool allowed = principal_may(principal, tenant, permission, object);
    buf_printf(out, ",\"allowed\":%s", allowed ? "true" : "false");
    put_reason(principal, gives, permission, allowed, out);
    PUT(out, "}");
}
