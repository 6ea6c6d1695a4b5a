/* store/sqlite/removal.c — removes all rows of a tenant, some at a time (store/removal.h). */
#include "store/removal.h"

#include "base/must.h"
#include "store/sqlite/sqlite_int.h"

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* Parts of bulks are found by their bulks, so they come first. */
static const enum sql early[] = { SQL_REMOVAL_BULK_PARTS, SQL_REMOVAL_BULKS, SQL_REMOVAL_TRIGGERS,
                                  SQL_REMOVAL_PENDING };
static const enum sql late[] = { SQL_REMOVAL_DEFINITIONS, SQL_REMOVAL_UNMATCHED, SQL_REMOVAL_IDEMPOTENCY,
                                 SQL_REMOVAL_RECORDS };

/* Every statement here takes the namespace and how many rows. */
static enum status use(struct sqlite_db *db, enum sql sql, int32_t ns, size_t max,
                       sqlite3_stmt **ret_statement, struct error *err)
{
    TRY(sqlite_use(db, sql, ret_statement, err));
    sqlite_bind_number(*ret_statement, 1, ns);
    sqlite_bind_number(*ret_statement, 2, (int64_t)max);
    return ST_OK;
}

static enum status remove_rows(struct sqlite_db *db, const enum sql *sql, size_t count, int32_t ns,
                               size_t max, struct tenant_removal *removal, struct error *err)
{
    sqlite3_stmt *statement;
    for (size_t i = 0; i < count && removal->removed < max; i++) {
        TRY(use(db, sql[i], ns, max - removal->removed, &statement, err));
        TRY(sqlite_run(db, statement, err));
        removal->removed += (size_t)sqlite3_changes64(db->handle);
    }
    return ST_OK;
}

/* Lists instances of the first definitions. */
static enum status list_instances(struct sqlite_db *db, int32_t ns, size_t max, struct arena *arena,
                                  struct tenant_removal *removal, struct error *err)
{
    sqlite3_stmt *statement;
    struct removal_instance *list = NULL;
    size_t count = 0, cap = 0;
    TRY(use(db, SQL_REMOVAL_INSTANCES, ns, max, &statement, err));
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, list, count, cap);
        list[count++] = (struct removal_instance){
            .id = (uint64_t)sqlite3_column_int64(statement, 0),
            .status = (enum instance_status)(sqlite3_column_int(statement, 1) / 2),
        };
    }
    removal->instance = list;
    removal->instance_count = count;
    return ST_OK;
}

enum status sqlite_remove_tenant(struct store *base, int32_t ns, size_t max, struct arena *arena,
                                 struct tenant_removal *removal, struct error *err)
{
    struct sqlite_store *store = self(base);
    sqlite3_stmt *statement;
    TRY(remove_rows(&store->db, early, COUNT(early), ns, max, removal, err));
    must(removal->removed <= max && !removal->instance_count);
    if (removal->removed == max) return ST_OK;
    TRY(list_instances(&store->db, ns, max - removal->removed, arena, removal, err));
    if (removal->instance_count) return ST_OK;
    /* The counts of the definitions that go. */
    TRY(use(&store->db, SQL_REMOVAL_TALLY, ns, max - removal->removed, &statement, err));
    TRY(sqlite_run(&store->db, statement, err));
    store->head.number = 0;
    size_t blocks;
    TRY(sqlite_remove_blocks(store, ns, max - removal->removed, arena, &blocks, err));
    removal->removed += blocks;
    return remove_rows(&store->db, late, COUNT(late), ns, max, removal, err);
}
