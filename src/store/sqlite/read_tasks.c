/* store/sqlite/read_tasks.c — lists of people's open tasks.
 *
 * Each filter uses an index of its own: an instance is a prefix of the primary key, a label has an index, and
 * a definition has one list for each version, which are merged.
 */
#include "store/sqlite/sqlite_int.h"

#include <stdlib.h>

struct task_list {
    struct arena *arena;
    struct task_row *row;
    size_t count, cap;
};

struct task_row sqlite_task_row(sqlite3_stmt *statement, struct arena *arena)
{
    return (struct task_row){
        .instance = (uint64_t)sqlite3_column_int64(statement, 0),
        .execution = (uint32_t)sqlite3_column_int64(statement, 1),
        .ns = sqlite3_column_int(statement, 2),
        .definition = sqlite3_column_int64(statement, 3),
        .created_ms = sqlite3_column_int64(statement, 4),
        .node = sqlite_column_str(statement, 5, arena),
        .title = sqlite_column_str(statement, 6, arena),
        .label = sqlite_column_str(statement, 7, arena),
        .definition_id = sqlite_column_str(statement, 8, arena),
        .definition_version = sqlite3_column_int(statement, 9),
        .instance_created_ms = sqlite3_column_int64(statement, 10),
        .business_key = sqlite_column_str(statement, 11, arena),
        .details = sqlite_column_str(statement, 12, arena),
    };
}

static void take_row(sqlite3_stmt *statement, struct task_list *list)
{
    array_reserve_in(list->arena, list->row, list->count, list->cap);
    list->row[list->count++] = sqlite_task_row(statement, list->arena);
}

static enum status take_rows(struct sqlite_db *db, sqlite3_stmt *statement, struct task_list *list,
                             struct error *err)
{
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return ST_OK;
        take_row(statement, list);
    }
}

/* `first` is the namespace or the number of a version. */
static void bind_cursor(sqlite3_stmt *statement, int64_t first, const struct task_filter *filter)
{
    sqlite_bind_number(statement, 1, first);
    sqlite_bind_id(statement, 2, filter->after_instance);
    sqlite_bind_number(statement, 3, filter->after_execution);
    sqlite_bind_number(statement, 4, (int64_t)filter->max);
}

static void bind_filter(sqlite3_stmt *statement, const struct task_filter *filter)
{
    if (filter->instance) sqlite_bind_id(statement, 5, filter->instance);
    sqlite_bind_optional(statement, 6, filter->label);
    sqlite_bind_optional(statement, 7, filter->definition_id);
}

static int compare_tasks(const void *a, const void *b)
{
    const struct task_row *x = a, *y = b;
    if (x->instance != y->instance) return x->instance < y->instance ? -1 : 1;
    return (x->execution > y->execution) - (x->execution < y->execution);
}

static enum status list_versions(struct sqlite_db *db, const struct task_filter *filter,
                                 struct task_list *list, struct error *err)
{
    sqlite3_stmt *versions, *statement;
    TRY(sqlite_use(db, SQL_VERSION_NUMBERS, &versions, err));
    sqlite_bind_number(versions, 1, filter->ns);
    sqlite_bind_str(versions, 2, filter->definition_id);
    for (bool row;;) {
        TRY(sqlite_step(db, versions, &row, err));
        if (!row) break;
        enum status status = sqlite_use(db, SQL_TASKS_VERSION, &statement, err);
        if (status == ST_OK) {
            bind_cursor(statement, sqlite3_column_int64(versions, 0), filter);
            status = take_rows(db, statement, list, err);
        }
        if (status != ST_OK) {
            sqlite_end(versions);
            return status;
        }
    }
    if (list->count) qsort(list->row, list->count, sizeof *list->row, compare_tasks);
    if (list->count > filter->max) list->count = filter->max;
    return ST_OK;
}

static enum status list_tasks(struct sqlite_db *db, const struct task_filter *filter, struct task_list *list,
                              struct error *err)
{
    if (!filter->instance && !filter->label.n && filter->definition_id.n)
        return list_versions(db, filter, list, err);
    sqlite3_stmt *statement;
    enum sql sql = filter->instance ? SQL_TASKS_INSTANCE : filter->label.n ? SQL_TASKS_LABEL : SQL_TASKS_ALL;
    TRY(sqlite_use(db, sql, &statement, err));
    bind_cursor(statement, filter->ns, filter);
    if (sql != SQL_TASKS_ALL) bind_filter(statement, filter);
    return take_rows(db, statement, list, err);
}

static enum status count_tasks(struct sqlite_db *db, const struct task_filter *filter, int64_t *ret_total,
                               struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    enum sql sql = filter->instance          ? SQL_TASKS_INSTANCE_TOTAL
                   : filter->label.n         ? SQL_TASKS_LABEL_TOTAL
                   : filter->definition_id.n ? SQL_TASKS_TOTAL_OF
                                             : SQL_TASKS_TOTAL;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, filter->ns);
    if (sql != SQL_TASKS_TOTAL) bind_filter(statement, filter);
    TRY(sqlite_step(db, statement, &row, err));
    *ret_total = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_tasks(struct sqlite_db *db, const struct task_filter *filter, struct arena *arena,
                         struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err)
{
    struct task_list list = { .arena = arena };
    int64_t total = 0;
    if (ret_total) TRY(count_tasks(db, filter, &total, err));
    TRY(list_tasks(db, filter, &list, err));
    *ret_row = list.row;
    *ret_count = list.count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}
