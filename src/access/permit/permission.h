/* access/permit/permission.h — roles, and the words for what they may do.
 *
 * Every route of the API, every method of gRPC and every live topic names one permission. A role is a fixed
 * set of permissions. There are no other roles, no inheritance and no rule that takes something away: a
 * grant or a key may only be narrowed by scopes (scope.h).
 */
#ifndef ACCESS_PERMISSION_H
#define ACCESS_PERMISSION_H

#include "base/str.h"

/* The roles, with the bit that PERMISSION_MAP gives them.
 *
 *     viewer     looks at everything that is no secret
 *     person     answers tasks, and starts whatever allows it
 *     worker     does jobs, and is a calculation node
 *     sender     starts instances, sends events and signals, writes entities
 *     builder    drafts, tests and publishes definitions, models and triggers
 *     operator   repairs: retry, cancel, modify, bulk, pause
 *     admin      everything, access included
 */
/* clang-format off */
#define ROLE_MAP(XX)                                                                              \
    XX(VIEWER,   "viewer")                                                                        \
    XX(PERSON,   "person")                                                                        \
    XX(WORKER,   "worker")                                                                        \
    XX(SENDER,   "sender")                                                                        \
    XX(BUILDER,  "builder")                                                                       \
    XX(OPERATOR, "operator")                                                                      \
    XX(ADMIN,    "admin")

/* A permission and the roles that have it: v(iewer) p(erson) w(orker) s(ender) b(uilder) o(perator); an admin
 * has all of them. OPEN needs nobody to be known, SELF anybody who is. GLOBAL is an admin's of all tenants.
 * DATA asks the trigger or the document itself (webhooks, forms), so its route is open, too. */
#define PERMISSION_MAP(XX)                                                                        \
    XX(NONE,             "none",              "")       /* A route that names no permission. */   \
    XX(OPEN,             "open",              "")                                                 \
    XX(DATA,             "data",              "")                                                 \
    XX(SELF,             "self",              "vpwsbo")                                           \
    XX(DEFINITIONS_READ, "definitions:read",  "vpwsbo")                                           \
    XX(DEFINITIONS_WRITE, "definitions:write", "b")                                               \
    XX(INSTANCES_READ,   "instances:read",    "vwsbo")                                            \
    XX(INSTANCES_START,  "instances:start",   "ps")     /* A person: only where the document allows it. */ \
    XX(INSTANCES_OPERATE, "instances:operate", "o")                                               \
    XX(JOBS_WORK,        "jobs:work",         "w")                                                \
    XX(TASKS_READ,       "tasks:read",        "vpo")    /* A person: only one's own tasks. */ \
    XX(TASKS_OWN,        "tasks:own",         "p")      /* To answer tasks that name the person or a group of theirs. */ \
    XX(TASKS_ALL,        "tasks:all",         "o")      /* To hand over tasks, whoever has them. */ \
    XX(EVENTS_SEND,      "events:send",       "s")                                                \
    XX(ENTITIES_READ,    "entities:read",     "vwsbo")                                            \
    XX(ENTITIES_WRITE,   "entities:write",    "ws")     /* A worker: inside a processor's transaction. */ \
    XX(TRIGGERS_OPERATE, "triggers:operate",  "bo")                                               \
    XX(SECRETS_USE,      "secrets:use",       "b")      /* To publish a document that names a secret. A builder: only by a scope. */ \
    XX(SECRETS_WRITE,    "secrets:write",     "")                                                 \
    XX(METRICS_READ,     "metrics:read",      "vo")                                               \
    XX(AUDIT_READ,       "audit:read",        "")                                                 \
    XX(ACCESS_ADMIN,     "access:admin",      "")       /* Keys, grants, groups of one tenant. */ \
    XX(GLOBAL_ADMIN,     "global:admin",      "")       /* Users, issuers, tenants, quotas, engine pause, rekeying. */
/* clang-format on */

enum role {
#define XX(NAME, word) ROLE_##NAME,
    ROLE_MAP(XX)
#undef XX
        ROLE_COUNT
};

enum permission {
#define XX(NAME, word, roles) MAY_##NAME,
    PERMISSION_MAP(XX)
#undef XX
        PERMISSION_COUNT
};

/* Sets of roles and of permissions: bits 1 << role, 1 << permission. */
typedef uint32_t role_set;
typedef uint32_t permission_set;

const char *role_word(enum role role);
bool role_find(str word, enum role *ret_role);

const char *permission_word(enum permission permission);
bool permission_find(str word, enum permission *ret_permission);

/* The permissions of a role in one tenant. GLOBAL_ADMIN is not among them: only a grant of admin in all
 * tenants has it. */
permission_set role_permissions(enum role role);
/* The roles that have a permission, for a refusal that says who may. */
role_set permission_roles(enum permission permission);

#endif
