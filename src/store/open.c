/* store/open.c — chooses the back end of a store, by the form of its path.
 *
 * Only this file knows the back ends by name.
 */
#include "store/copy/copy_int.h"
#include "store/memory/memory_int.h"
#include "store/sqlite/sqlite_int.h"

bool store_path_is_database(const char *path)
{
    return str_starts(str_of(path), STR("postgres://")) || str_starts(str_of(path), STR("postgresql://"));
}

enum status store_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    if (store_path_is_database(config->path)) return postgres_open(config, ret_store, err);
    return sqlite_open(config, ret_store, err);
}

enum status store_open_memory(struct store **ret_store, struct error *err)
{
    (void)err; /* It cannot fail; the contract is that of store_open(). */
    *ret_store = memory_open();
    return ST_OK;
}

enum status store_join_memory(struct store *first, struct store **ret_store, struct error *err)
{
    (void)err;
    *ret_store = memory_open_node(first);
    return ST_OK;
}

void store_vanish_memory(struct store *store) { memory_vanish(store); }

enum status store_backup(const char *from_path, const char *to_path, struct error *err)
{
    if (store_path_is_database(from_path))
        return fail(err, ST_INVALID, "store",
                    "a database is backed up with its own tools, pg_dump or pg_basebackup; while no engine "
                    "runs, `pawl store copy` copies it to a file");
    return sqlite_backup(from_path, to_path, err);
}

const struct copy_ops *store_copy_ops(const char *path)
{
    return store_path_is_database(path) ? &postgres_copy_ops : &sqlite_copy_ops;
}
