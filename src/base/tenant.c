/* base/tenant.c — qualified names: mark, number, mark, name. */
#include "base/tenant.h"

#include "base/buf.h"

/* A name may have any bytes, also 0. */
str tenant_qualify(int32_t tenant, str name, struct arena *arena)
{
    struct buf key;
    buf_init(&key, arena);
    buf_add_str(&key, arena_printf(arena, "%c%d%c", TENANT_MARK, tenant, TENANT_MARK));
    buf_add_str(&key, name);
    return buf_str(&key);
}

str tenant_name(str key, int32_t *ret_tenant)
{
    *ret_tenant = TENANT_DEFAULT;
    if (!key.n || key.p[0] != TENANT_MARK) return key;
    size_t at = 1;
    int64_t number = 0;
    for (; at < key.n && key.p[at] >= '0' && key.p[at] <= '9' && number <= INT32_MAX; at++)
        number = number * 10 + (key.p[at] - '0');
    bool is_whole = at > 1 && at < key.n && key.p[at] == TENANT_MARK && number <= INT32_MAX;
    if (!is_whole) return key;
    *ret_tenant = (int32_t)number;
    return str_slice(key, at + 1, key.n);
}
