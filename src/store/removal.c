/* store/removal.c — the rules of a removal that all back ends share. */
#include "store/removal.h"

#include "base/must.h"
#include "store/store_int.h"

enum status store_remove_tenant(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                struct tenant_removal *ret_removal, struct error *err)
{
    /* Records of all tenants together are in the first two namespaces. */
    must(ns > TENANT_DEFAULT && max > 0);
    TRY(store_usable(store, err));
    struct tenant_removal removal = { .removed = 0 };
    enum status status = store->ops->remove_tenant(store, ns, max, arena, &removal, err);
    if (status != ST_OK) return store_lose(store, status);
    must(removal.removed <= max && removal.instance_count <= max);
    removal.is_over = removal.removed < max && !removal.instance_count;
    *ret_removal = removal;
    return ST_OK;
}
