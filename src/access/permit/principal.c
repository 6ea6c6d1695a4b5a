/* access/permit/principal.c — principals, and the decision whether one may do something. */
#include "access/permit/principal.h"

#include "access/permit/principal_int.h"
#include "base/must.h"
#include "json/json.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { REFERENCES_LASTING = -1 };

static const char *const kind_words[] = {
#define XX(NAME, word) [PRINCIPAL_##NAME] = word,
    PRINCIPAL_KIND_MAP(XX)
#undef XX
};

const char *principal_kind_word(enum principal_kind kind)
{
    must(kind < PRINCIPAL_KIND_COUNT);
    return kind_words[kind];
}

/* ---- lifetime ---- */

struct principal *principal_new(enum principal_kind kind)
{
    struct principal *principal = calloc(1, sizeof *principal);
    must(principal);
    principal->kind = kind;
    principal->home = TENANT_DEFAULT;
    atomic_init(&principal->references_, 1);
    arena_init(&principal->arena_, 0);
    return principal;
}

/* A principal of the program itself is not counted: every request of an open engine has the same one, and the
 * threads would take its count away from each other. */
static bool is_lasting(const struct principal *principal)
{
    return atomic_load_explicit(&principal->references_, memory_order_relaxed) == REFERENCES_LASTING;
}

struct principal *principal_ref(struct principal *principal)
{
    if (is_lasting(principal)) return principal;
    int before = atomic_fetch_add_explicit(&principal->references_, 1, memory_order_relaxed);
    must(before > 0);
    return principal;
}

void principal_unref(struct principal *principal)
{
    if (!principal || is_lasting(principal)) return;
    int before = atomic_fetch_sub_explicit(&principal->references_, 1, memory_order_acq_rel);
    must(before > 0);
    if (before > 1) return;
    arena_done(&principal->arena_);
    free(principal);
}

struct principal *principal_nobody(bool everybody)
{
    static struct principal nobody = { .kind = PRINCIPAL_NOBODY,
                                       .name = STR_INIT("nobody"),
                                       .id = STR_INIT("nobody"),
                                       .home = TENANT_DEFAULT,
                                       .generation = GENERATION_ALWAYS,
                                       .references_ = REFERENCES_LASTING };
    static struct principal anybody = { .kind = PRINCIPAL_NOBODY,
                                        .name = STR_INIT("nobody"),
                                        .id = STR_INIT("nobody"),
                                        .home = TENANT_DEFAULT,
                                        .acts_for = true,
                                        .is_everybody = true,
                                        .generation = GENERATION_ALWAYS,
                                        .references_ = REFERENCES_LASTING };
    return everybody ? &anybody : &nobody;
}

/* ---- decisions ---- */

static const permission_set everything = ((1u << PERMISSION_COUNT) - 1) & ~(1u << MAY_NONE);

/* Permissions that need no role. */
static permission_set permissions_without_role(const struct principal *principal)
{
    if (principal->is_everybody) return everything;
    permission_set open = 1u << MAY_OPEN | 1u << MAY_DATA;
    return principal->kind == PRINCIPAL_NOBODY ? open : open | 1u << MAY_SELF;
}

static bool counts_in(const struct grant *grant, int32_t tenant)
{
    return grant->tenant == TENANT_ANY || grant->tenant == tenant;
}

/* Permissions that the role of a grant has where it counts, before scopes narrow them. */
static permission_set permissions_of_role(const struct grant *grant)
{
    permission_set set = role_permissions(grant->role);
    if (grant->role == ROLE_ADMIN && grant->tenant == TENANT_ANY) set |= 1u << MAY_GLOBAL_ADMIN;
    return set;
}

/* The author of a definition lets it read secrets. So a builder has `secrets:use` only by a scope that
 * names it. */
static permission_set only_by_scope(const struct grant *grant)
{
    return grant->role == ROLE_ADMIN ? 0 : 1u << MAY_SECRETS_USE;
}

static permission_set permissions_of_grant(const struct grant *grant)
{
    permission_set set = permissions_of_role(grant), named = 0;
    if (!grant->scope_count) return set & ~only_by_scope(grant);
    for (size_t i = 0; i < grant->scope_count; i++) named |= 1u << grant->scope[i].permission;
    return set & named;
}

enum grant_answer principal_ask_grant(const struct grant *grant, int32_t tenant, enum permission permission,
                                      str object)
{
    if (!counts_in(grant, tenant)) return GRANT_OF_ANOTHER_TENANT;
    if (!(permissions_of_role(grant) & 1u << permission)) return GRANT_OF_ANOTHER_ROLE;
    if (!grant->scope_count)
        return only_by_scope(grant) & 1u << permission ? GRANT_WITHOUT_SCOPE : GRANT_GIVES;
    if (!(permissions_of_grant(grant) & 1u << permission)) return GRANT_WITHOUT_PERMISSION;
    if (!object.n) return GRANT_GIVES;
    for (size_t i = 0; i < grant->scope_count; i++)
        if (scope_fits(&grant->scope[i], permission, object)) return GRANT_GIVES;
    return GRANT_WITHOUT_OBJECT;
}

static bool is_same_grant(const struct grant *a, const struct grant *b)
{
    bool same = a->role == b->role && a->tenant == b->tenant && a->scope_count == b->scope_count;
    for (size_t i = 0; same && i < a->scope_count; i++)
        same = a->scope[i].permission == b->scope[i].permission &&
               str_equal(a->scope[i].pattern, b->scope[i].pattern);
    return same;
}

bool principal_is_same(const struct principal *a, const struct principal *b)
{
    bool same = a->kind == b->kind && str_equal(a->id, b->id) && a->acts_for == b->acts_for &&
                a->is_everybody == b->is_everybody && a->grant_count == b->grant_count &&
                a->group_count == b->group_count;
    for (size_t i = 0; same && i < a->grant_count; i++) same = is_same_grant(&a->grant[i], &b->grant[i]);
    for (size_t i = 0; same && i < a->group_count; i++) same = str_equal(a->group[i], b->group[i]);
    return same;
}

bool principal_is_in(const struct principal *principal, str group)
{
    for (size_t i = 0; i < principal->group_count; i++)
        if (str_equal(principal->group[i], group)) return true;
    return false;
}

bool principal_knows(const struct principal *principal, int32_t tenant)
{
    return principal->is_everybody || principal_roles(principal, tenant) != 0;
}

role_set principal_roles(const struct principal *principal, int32_t tenant)
{
    if (principal->is_everybody) return (1u << ROLE_COUNT) - 1;
    role_set roles = 0;
    for (size_t i = 0; i < principal->grant_count; i++)
        if (counts_in(&principal->grant[i], tenant)) roles |= 1u << principal->grant[i].role;
    return roles;
}

permission_set principal_permissions(const struct principal *principal, int32_t tenant)
{
    permission_set set = permissions_without_role(principal);
    for (size_t i = 0; i < principal->grant_count; i++)
        if (counts_in(&principal->grant[i], tenant)) set |= permissions_of_grant(&principal->grant[i]);
    return set;
}

bool principal_may(const struct principal *principal, int32_t tenant, enum permission permission, str object)
{
    must(permission < PERMISSION_COUNT);
    if (permissions_without_role(principal) & 1u << permission) return true;
    for (size_t i = 0; i < principal->grant_count; i++)
        if (principal_ask_grant(&principal->grant[i], tenant, permission, object) == GRANT_GIVES) return true;
    return false;
}

/* A pattern of nothing but stars fits every name. */
static bool fits_all(str pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] != '*') return false;
    return true;
}

static bool gives_all(const struct grant *grant, enum permission permission)
{
    if (!(permissions_of_grant(grant) & 1u << permission)) return false;
    if (!grant->scope_count) return true;
    for (size_t i = 0; i < grant->scope_count; i++)
        if (grant->scope[i].permission == permission && fits_all(grant->scope[i].pattern)) return true;
    return false;
}

bool principal_is_everywhere(const struct principal *principal)
{
    for (size_t i = 0; i < principal->grant_count; i++)
        if (principal->grant[i].tenant == TENANT_ANY) return true;
    return false;
}

bool principal_may_all(const struct principal *principal, int32_t tenant, enum permission permission)
{
    must(permission < PERMISSION_COUNT);
    if (permissions_without_role(principal) & 1u << permission) return true;
    for (size_t i = 0; i < principal->grant_count; i++)
        if (counts_in(&principal->grant[i], tenant) && gives_all(&principal->grant[i], permission))
            return true;
    return false;
}

/* An admin of the tenant who is not narrowed may do everything in it, whatever a document says. */
static bool is_whole_admin(const struct principal *principal, int32_t tenant)
{
    for (size_t i = 0; i < principal->grant_count; i++)
        if (principal->grant[i].role == ROLE_ADMIN && !principal->grant[i].scope_count &&
            counts_in(&principal->grant[i], tenant))
            return true;
    return false;
}

bool principal_fits(const struct principal *principal, int32_t tenant, const struct json *names)
{
    if (!json_count(names) || principal->is_everybody || is_whole_admin(principal, tenant)) return true;
    role_set roles = principal_roles(principal, tenant);
    for (size_t i = 0; i < json_count(names) && json_is(names, JSON_ARRAY); i++) {
        const struct json *name = json_item(names, i);
        enum role role;
        if (!json_is(name, JSON_STRING)) continue;
        if (principal_is_in(principal, json_string(name))) return true;
        if (role_find(json_string(name), &role) && roles & 1u << role) return true;
    }
    return false;
}
