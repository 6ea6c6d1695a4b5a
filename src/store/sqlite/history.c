/* store/sqlite/history.c — the history of an instance, from the newest row back.
 *
 * Rows are a chain: each has the number of the one before it. There is no index by revision, so a place in
 * the middle is found from the newest row on, unless the caller remembers its row.
 */
#include "store/limits.h"
#include "store/sqlite/sqlite_int.h"

/* A row of the chain; blobs are read only where they are wanted. */
struct link {
    int64_t prev, at_ms;
    uint32_t revision;
};

/* Steps to a row. False: it is not there, or is another instance's. */
static enum status step_to(struct sqlite_db *db, sqlite3_stmt *statement, uint64_t instance, int64_t id,
                           struct link *ret_link, bool *ret_there, struct error *err)
{
    bool row;
    sqlite_bind_number(statement, 1, id);
    TRY(sqlite_step(db, statement, &row, err));
    *ret_there = row && (uint64_t)sqlite3_column_int64(statement, 0) == instance;
    if (*ret_there)
        *ret_link = (struct link){ .prev = sqlite3_column_int64(statement, 1),
                                   .revision = (uint32_t)sqlite3_column_int64(statement, 2),
                                   .at_ms = sqlite3_column_int64(statement, 3) };
    return ST_OK;
}

enum status sqlite_history_newest(struct sqlite_db *db, uint64_t instance, struct history_place *ret_place,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_INSTANCE_HEAD, &statement, err));
    sqlite_bind_id(statement, 1, instance);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_instance(instance, err);
    *ret_place = (struct history_place){ (uint32_t)sqlite3_column_int64(statement, 6),
                                         sqlite3_column_int64(statement, 7) };
    sqlite_end(statement);
    return ST_OK;
}

/* Where the walk begins: at the caller's place if its row is what it says, else at the newest. */
static enum status begin_at(struct sqlite_db *db, const struct history_filter *filter,
                            struct history_place *ret_place, struct error *err)
{
    sqlite3_stmt *statement;
    struct link link;
    bool there = false;
    TRY(sqlite_history_newest(db, filter->instance, ret_place, err));
    if (filter->from.row <= 0 || filter->from.revision > ret_place->revision) return ST_OK;
    TRY(sqlite_use(db, SQL_HISTORY_BACK, &statement, err));
    TRY(step_to(db, statement, filter->instance, filter->from.row, &link, &there, err));
    sqlite_end(statement);
    if (there && link.revision == filter->from.revision) *ret_place = filter->from;
    return ST_OK;
}

static bool is_wanted(const struct history_filter *filter, const struct link *link)
{
    return link->at_ms <= filter->upto_ms &&
           (!filter->from.revision || link->revision <= filter->from.revision);
}

enum status sqlite_history_back(struct sqlite_db *db, const struct history_filter *filter, size_t bytes_max,
                                struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err)
{
    struct history_place at;
    struct history_row *list = NULL;
    size_t count = 0, cap = 0, bytes = 0;
    sqlite3_stmt *statement;
    TRY(begin_at(db, filter, &at, err));
    TRY(sqlite_use(db, SQL_HISTORY_BACK, &statement, err));
    for (size_t walked = 0; at.revision && walked < HISTORY_WALKED_MAX && count < filter->max; walked++) {
        struct link link;
        bool there;
        TRY(step_to(db, statement, filter->instance, at.row, &link, &there, err));
        bool right = there && link.prev < at.row && link.revision == at.revision;
        if (right && (count || is_wanted(filter, &link))) {
            if (bytes_max && bytes >= bytes_max) {
                sqlite_end(statement);
                break;
            }
            array_reserve_in(arena, list, count, cap);
            list[count] = (struct history_row){ at, sqlite_column_str(statement, 4, arena) };
            bytes += list[count++].blob.n;
        }
        sqlite_end(statement);
        if (!right) return store_fail_broken_chain(filter->instance, err);
        at = (struct history_place){ at.revision - 1, link.prev };
    }
    *ret_row = list;
    *ret_count = count;
    *ret_next = at;
    return ST_OK;
}
