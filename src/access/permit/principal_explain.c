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

enum status principal_refuse(const struct principal *principal, enum permission permission, str object,
                             struct error *err)
{
    struct buf text;
    buf_init(&text, NULL);
    buf_printf(&text, "this needs the permission %s", permission_word(permission));
    if (object.n && utf8_is_valid(object)) buf_printf(&text, " for “%.*s”", STR_ARG(object));
    if (permission_roles(permission)) {
        PUT(&text, ", which ");
        add_holders(&text, permission);
    }
    if (principal->kind == PRINCIPAL_NOBODY) PUT(&text, "; the request had no credential");
    enum status status = fail(err, ST_FORBIDDEN, NULL, "%.*s", STR_ARG(buf_str(&text)));

    text.n = 0;
    put_text(&text, str_of(permission_word(permission)));
    fail_detail(err, "permission", buf_str(&text));
    text.n = 0;
    put_roles(&text, permission_roles(permission));
    fail_detail(err, "roles", buf_str(&text));
    if (object.n && utf8_is_valid(object)) {
        text.n = 0;
        put_text(&text, object);
        fail_detail(err, "object", buf_str(&text));
    }
    buf_done(&text);
    return status;
}

static const char *const answer_words[] = {
#define XX(NAME, words) [GRANT_##NAME] = words,
    GRANT_ANSWER_MAP(XX)
#undef XX
};

static void put_scopes(const struct grant *grant, struct buf *out)
{
    struct buf text;
    buf_init(&text, NULL);
    PUT(out, ",\"scopes\":[");
    for (size_t i = 0; i < grant->scope_count; i++) {
        const struct access_scope *scope = &grant->scope[i];
        text.n = 0;
        buf_printf(&text, "%s%s", permission_word(scope->permission), scope->pattern.n ? ":" : "");
        buf_add_str(&text, scope->pattern);
        if (i) PUT(out, ",");
        put_text(out, buf_str(&text));
    }
    PUT(out, "]");
    buf_done(&text);
}

static void put_grant(const struct grant *grant, enum grant_answer answer, struct buf *out)
{
    PUT(out, "{\"source\":");
    put_text(out, grant->source);
    buf_printf(out, ",\"role\":\"%s\",\"everywhere\":%s", role_word(grant->role),
               grant->tenant == TENANT_ANY ? "true" : "false");
    if (grant->scope_count) put_scopes(grant, out);
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
