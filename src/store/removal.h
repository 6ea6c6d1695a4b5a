/* store/removal.h — all rows of a tenant go, some in each transaction.
 *
 * Instances go first, because the rows that hang on them are found by them: the caller ends and purges those
 * that are listed (store_purge()). Definitions follow as soon as they have no instance, then all other rows
 * of the namespace. Records that are in another namespace (record_kind.h: SHARED, ALL) are the caller's.
 *
 * Nothing may create instances of the tenant meanwhile.
 */
#ifndef STORE_REMOVAL_H
#define STORE_REMOVAL_H

#include "store/store.h"

struct removal_instance {
    uint64_t id;
    enum instance_status status;
};

struct tenant_removal {
    struct removal_instance *instance; /* Some instances that are in the way. */
    size_t instance_count;
    size_t removed; /* Rows. */
    bool is_over;   /* No row of the namespace is left. */
};

/* Removes up to `max` rows of the tenant, or lists up to `max` of its instances. At most once in a
 * transaction: the counts of what it purges are written with its commit. */
MUST_DECIDE enum status store_remove_tenant(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                            struct tenant_removal *ret_removal, struct error *err);

#endif
