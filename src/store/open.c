/* store/open.c — chooses the back end of a store.
 *
 * Only this file knows the back ends by name. A second durable one will be chosen here, by the form of the
 * path.
 */
#include "store/memory_int.h"
#include "store/sqlite_int.h"

enum status store_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    return sqlite_open(config, ret_store, err);
}

enum status store_open_memory(struct store **ret_store, struct error *err)
{
    (void)err; /* It cannot fail; the contract is that of store_open(). */
    *ret_store = memory_open();
    return ST_OK;
}

enum status store_backup(const char *from_path, const char *to_path, struct error *err)
{
    return sqlite_backup(from_path, to_path, err);
}
