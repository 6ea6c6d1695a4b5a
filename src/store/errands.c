/* store/errands.c — calls into the part of a back end that carries errands. */
#include "store/errands.h"

#include "base/must.h"
#include "store/store_int.h"

bool errands_are_possible(const struct store *store) { return store->nodes && store->nodes->errands_open; }

enum status errands_open(struct store *store, store_wake_fn *wake, void *context,
                         struct errands **ret_errands, struct error *err)
{
    must(errands_are_possible(store));
    return store->nodes->errands_open(store, wake, context, ret_errands, err);
}
