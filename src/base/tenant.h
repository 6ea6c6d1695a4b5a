/* base/tenant.h — numbers of tenants, and names that tell tenants apart.
 *
 * A tenant is a namespace of the store. Maps and keys that hold the names of all tenants together use
 * qualified names: the name itself for the default tenant, else the tenant's number before it. So a store
 * that has one tenant is as it always was, and no text that a client chooses is the qualified name of another
 * tenant: a text of the default tenant that looks like one is qualified, too.
 */
#ifndef BASE_TENANT_H
#define BASE_TENANT_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

/* Lookups for the engine's own work ask for TENANT_ANY. Records of all tenants have this number, too. */
enum { TENANT_ANY = 0, TENANT_DEFAULT = 1 };

/* Every qualified name begins with it. */
#define TENANT_MARK '\2'

/* The number before the name, in the arena. */
str tenant_qualify(int32_t tenant, str name, struct arena *arena);

/* The qualified name, as it is or in the arena. */
static inline str tenant_key(int32_t tenant, str name, struct arena *arena)
{
    bool is_plain = tenant == TENANT_DEFAULT && (!name.n || name.p[0] != TENANT_MARK);
    return is_plain ? name : tenant_qualify(tenant, name, arena);
}

/* The name in a qualified one, and its tenant. */
str tenant_name(str key, int32_t *ret_tenant);

/* Has the row's tenant the one that was asked for? */
static inline bool tenant_fits(int32_t asked, int32_t tenant)
{
    return asked == TENANT_ANY || asked == tenant;
}

#endif
