/* store/sqlite/read.c — lists and histories, on a connection of their own.
 *
 * Any thread may have a reader. A query of more than one statement runs in a read transaction, so that a page
 * and its total show the same moment.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

struct sqlite_reader {
    struct store_reader base;
    struct sqlite_db own;
    struct sqlite_db *db; /* Its own connection, or that of a store that is open to read only: both then see
                             the same moment. */
};

enum { LEAVE_OPERATIONS = 4000 };

static struct sqlite_db *db_of(struct store_reader *reader) { return ((struct sqlite_reader *)reader)->db; }

static enum status begin(struct sqlite_db *db, struct error *err)
{
    sqlite3_stmt *statement;
    if (db->held) return ST_OK;
    TRY(sqlite_use(db, SQL_BEGIN_READ, &statement, err));
    return sqlite_run(db, statement, err);
}

/* Ends the read transaction, also if the query failed. */
static enum status end(struct sqlite_db *db, enum status status)
{
    sqlite3_stmt *statement;
    if (db->held) return status;
    if (!sqlite3_get_autocommit(db->handle) && sqlite_use(db, SQL_ROLLBACK, &statement, NULL) == ST_OK)
        sqlite_run(db, statement, NULL);
    return status;
}

static enum status read_total(struct sqlite_db *db, sqlite3_stmt *statement, int64_t *ret_total,
                              struct error *err)
{
    bool row;
    TRY(sqlite_step(db, statement, &row, err));
    *ret_total = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite_end(statement);
    return ST_OK;
}

/* Counts the bytes of a row. False if the rows before it have filled the answer. */
static bool fits(size_t bytes_max, size_t *bytes, size_t more)
{
    if (bytes_max && *bytes >= bytes_max) return false;
    *bytes += more;
    return true;
}

/* ---- instances ---- */

/* A row, without its state if the rows before it have filled the answer. */
static enum status bounded_row(struct sqlite_db *db, sqlite3_stmt *statement, size_t bytes_max, size_t *bytes,
                               struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    if (fits(bytes_max, bytes, (size_t)sqlite3_column_bytes(statement, 8)))
        return sqlite_instance_row(db, statement, true, arena, ret_row, err);
    return sqlite_instance_row(db, statement, false, arena, ret_row, err);
}

static enum status read_rows(struct sqlite_db *db, sqlite3_stmt *statement, size_t bytes_max,
                             struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                             struct error *err)
{
    struct instance_row *list = NULL;
    size_t bytes = 0;
    size_t count = 0, cap = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, list, count, cap);
        enum status status = bounded_row(db, statement, bytes_max, &bytes, arena, &list[count], err);
        if (status != ST_OK) {
            sqlite_end(statement);
            return status;
        }
    }
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

static int64_t cursor_of(const struct instance_filter *filter)
{
    return filter->before ? (int64_t)filter->before : INT64_MAX;
}

static enum status list_all(struct sqlite_db *db, const struct instance_filter *filter, size_t bytes_max,
                            struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                            struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_INSTANCES_ALL, &statement, err));
    sqlite_bind_number(statement, 1, filter->ns);
    sqlite_bind_number(statement, 2, cursor_of(filter));
    sqlite_bind_number(statement, 3, (int64_t)filter->max);
    sqlite_bind_number(statement, 4, filter->skip);
    return read_rows(db, statement, bytes_max, arena, ret_row, ret_count, err);
}

static void bind_key_filter(sqlite3_stmt *statement, const struct instance_filter *filter)
{
    sqlite_bind_number(statement, 1, filter->ns);
    sqlite_bind_str(statement, 2, filter->business_key);
    sqlite_bind_number(statement, 3, filter->status);
    sqlite_bind_optional(statement, 4, filter->definition_id);
}

static enum status list_by_key(struct sqlite_db *db, const struct instance_filter *filter, size_t bytes_max,
                               struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                               struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_INSTANCES_KEY, &statement, err));
    bind_key_filter(statement, filter);
    sqlite_bind_number(statement, 5, cursor_of(filter));
    sqlite_bind_number(statement, 6, (int64_t)filter->max);
    sqlite_bind_number(statement, 7, filter->skip);
    return read_rows(db, statement, bytes_max, arena, ret_row, ret_count, err);
}

static enum status place_row(struct sqlite_db *db, uint64_t id, size_t bytes_max, size_t *bytes,
                             struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    bool row;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_INSTANCE, &statement, err));
    sqlite_bind_id(statement, 1, id);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_instance(id, err);
    enum status status = bounded_row(db, statement, bytes_max, bytes, arena, ret_row, err);
    sqlite_end(statement);
    return status;
}

static enum status list_by_place(struct sqlite_db *db, const struct instance_filter *filter, int64_t total,
                                 size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                 size_t *ret_count, struct error *err)
{
    *ret_row = NULL;
    *ret_count = 0;
    if (filter->skip >= total) return ST_OK;
    uint64_t *id;
    size_t skip = (size_t)filter->skip, count;
    size_t left = (size_t)(total - filter->skip);
    size_t max = filter->max < left ? filter->max : left;
    TRY(sqlite_pick_newest(db, filter, skip + max, arena, &id, &count, err));
    if (count <= skip) return ST_OK;
    struct instance_row *row = arena_make_n(arena, struct instance_row, count - skip);
    size_t bytes = 0;
    for (size_t i = skip; i < count; i++)
        TRY(place_row(db, id[i], bytes_max, &bytes, arena, &row[i - skip], err));
    *ret_row = row;
    *ret_count = count - skip;
    return ST_OK;
}

static enum status count_instances(struct sqlite_db *db, const struct instance_filter *filter,
                                   int64_t *ret_total, struct error *err)
{
    sqlite3_stmt *statement;
    if (filter->business_key.n) {
        TRY(sqlite_use(db, SQL_INSTANCES_KEY_TOTAL, &statement, err));
        bind_key_filter(statement, filter);
    } else {
        bool one = filter->definition_id.n;
        TRY(sqlite_use(db, one ? SQL_TALLY_TOTAL_OF : SQL_TALLY_TOTAL, &statement, err));
        sqlite_bind_number(statement, 1, filter->ns);
        sqlite_bind_number(statement, 2, filter->status);
        if (one) sqlite_bind_str(statement, 3, filter->definition_id);
    }
    return read_total(db, statement, ret_total, err);
}

static enum status list_instances(struct sqlite_db *db, const struct instance_filter *filter,
                                  size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                  size_t *ret_count, int64_t *ret_total, struct error *err)
{
    int64_t total = 0;
    bool by_key = filter->business_key.n;
    bool by_place = !by_key && (filter->definition_id.n || filter->status >= 0);
    if (ret_total || by_place) TRY(count_instances(db, filter, &total, err));
    if (by_key) TRY(list_by_key(db, filter, bytes_max, arena, ret_row, ret_count, err));
    else if (by_place) TRY(list_by_place(db, filter, total, bytes_max, arena, ret_row, ret_count, err));
    else TRY(list_all(db, filter, bytes_max, arena, ret_row, ret_count, err));
    if (ret_total) *ret_total = total;
    return ST_OK;
}

static enum status read_instances(struct store_reader *reader, const struct instance_filter *filter,
                                  struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, list_instances(db, filter, reader->bytes_max, arena, ret_row, ret_count, ret_total, err));
}

static enum status read_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    return sqlite_instance(db_of(reader), SQL_INSTANCE, id, arena, ret_row, err);
}

/* ---- history ---- */

static void reverse(str *blob, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        str kept = blob[i];
        blob[i] = blob[count - 1 - i];
        blob[count - 1 - i] = kept;
    }
}

/* Walks the rows of an instance from the newest back. Revisions count down by one from row to row, and row
 * ids fall; otherwise the chain is broken. Blobs are read only where they are wanted. */
static enum status walk_history(struct sqlite_db *db, uint64_t instance, int64_t last, uint32_t revision,
                                uint32_t after, size_t max, struct arena *arena, str **ret_blob,
                                size_t *ret_count, struct error *err)
{
    str *blob = NULL;
    size_t count = 0, cap = 0;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_HISTORY, &statement, err));
    for (int64_t id = last; revision > after; revision--) {
        bool row;
        sqlite_bind_number(statement, 1, id);
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return store_fail_broken_chain(instance, err);
        int64_t prev = sqlite3_column_int64(statement, 1);
        bool fits = (uint64_t)sqlite3_column_int64(statement, 0) == instance && prev < id &&
                    sqlite3_column_int64(statement, 2) == revision;
        if (fits && (!max || revision - after <= max)) {
            array_reserve_in(arena, blob, count, cap);
            blob[count++] = sqlite_column_str(statement, 3, arena);
        }
        sqlite_end(statement);
        if (!fits) return store_fail_broken_chain(instance, err);
        id = prev;
    }
    reverse(blob, count);
    *ret_blob = blob;
    *ret_count = count;
    return ST_OK;
}

/* One step of the walk: checks the row and returns the number of the one before it. */
static enum status follow_link(struct sqlite_db *db, sqlite3_stmt *statement, uint64_t instance,
                               uint32_t revision, int64_t *id, struct error *err)
{
    bool row;
    sqlite_bind_number(statement, 1, *id);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_broken_chain(instance, err);
    int64_t prev = sqlite3_column_int64(statement, 1);
    bool right = (uint64_t)sqlite3_column_int64(statement, 0) == instance && prev < *id &&
                 sqlite3_column_int64(statement, 2) == revision;
    sqlite_end(statement);
    if (!right) return store_fail_broken_chain(instance, err);
    *id = prev;
    return ST_OK;
}

/* The same with a bound of bytes. The bound keeps the oldest blobs, so the walk comes first and the blobs
 * are read on the way back. */
static enum status walk_bounded(struct sqlite_db *db, uint64_t instance, int64_t last, uint32_t revision,
                                uint32_t after, size_t max, size_t bytes_max, struct arena *arena,
                                str **ret_blob, size_t *ret_count, struct error *err)
{
    size_t wanted = revision > after ? revision - after : 0;
    if (max && wanted > max) wanted = max;
    int64_t *place = arena_make_n(arena, int64_t, wanted);
    str *blob = arena_make_n(arena, str, wanted);
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_HISTORY_LINK, &statement, err));
    for (int64_t id = last; revision > after; revision--) {
        if (revision - after <= wanted) place[revision - after - 1] = id;
        TRY(follow_link(db, statement, instance, revision, &id, err));
    }
    size_t count = 0, bytes = 0;
    TRY(sqlite_use(db, SQL_HISTORY, &statement, err));
    for (; count < wanted; count++) {
        bool row;
        sqlite_bind_number(statement, 1, place[count]);
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return store_fail_broken_chain(instance, err);
        bool room = fits(bytes_max, &bytes, (size_t)sqlite3_column_bytes(statement, 3));
        if (room) blob[count] = sqlite_column_str(statement, 3, arena);
        sqlite_end(statement);
        if (!room) break;
    }
    *ret_blob = blob;
    *ret_count = count;
    return ST_OK;
}

static enum status read_chain(struct sqlite_db *db, uint64_t instance, uint32_t after, size_t max,
                              size_t bytes_max, struct arena *arena, str **ret_blob, size_t *ret_count,
                              struct error *err)
{
    struct history_place newest;
    TRY(sqlite_history_newest(db, instance, &newest, err));
    if (bytes_max)
        return walk_bounded(db, instance, newest.row, newest.revision, after, max, bytes_max, arena, ret_blob,
                            ret_count, err);
    return walk_history(db, instance, newest.row, newest.revision, after, max, arena, ret_blob, ret_count,
                        err);
}

static enum status read_history(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                                struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, read_chain(db, instance, after, max, reader->bytes_max, arena, ret_blob, ret_count, err));
}

static enum status read_history_back(struct store_reader *reader, const struct history_filter *filter,
                                     struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                     struct history_place *ret_next, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db,
               sqlite_history_back(db, filter, reader->bytes_max, arena, ret_row, ret_count, ret_next, err));
}

/* ---- definitions ---- */

static enum status read_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                    size_t max, struct arena *arena, struct definition_row **ret_row,
                                    size_t *ret_count, int64_t *ret_total, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_DEFINITIONS, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    struct definition_row *list = NULL;
    size_t count = 0, cap = 0;
    int64_t total = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        struct definition_row found;
        sqlite_definition_row(statement, false, arena, &found);
        if (!store_definition_matches(&found, keyword)) continue;
        if (total++ < skip || count == max) continue;
        array_reserve_in(arena, list, count, cap);
        list[count++] = found;
    }
    *ret_row = list;
    *ret_count = count;
    if (ret_total) *ret_total = total;
    return ST_OK;
}

static enum status read_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                          struct arena *arena, struct definition_row **ret_row,
                                          size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    sqlite3_stmt *statement;
    struct definition_row *list = arena_make_n(arena, struct definition_row, max);
    size_t count = 0;
    TRY(sqlite_use(db, SQL_DEFINITIONS_AFTER, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, after);
    sqlite_bind_number(statement, 3, (int64_t)max);
    for (bool row; count < max;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        sqlite_definition_row(statement, false, arena, &list[count++]);
    }
    sqlite_end(statement);
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

static enum status read_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return sqlite_definition(db_of(reader), ns, id, version, arena, ret_row, err);
}

static enum status read_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                             struct definition_row *ret_row, struct error *err)
{
    return sqlite_definition_number(db_of(reader), number, arena, ret_row, err);
}

/* ---- children and unmatched events ---- */

static enum status count_children(struct sqlite_db *db, uint64_t parent, int64_t *ret_total,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_CHILDREN_COUNT, &statement, err));
    sqlite_bind_id(statement, 1, parent);
    TRY(sqlite_step(db, statement, &row, err));
    *ret_total = sqlite3_column_int64(statement, 0);
    sqlite_end(statement);
    return ST_OK;
}

/* They are read backwards. */
static void reverse_children(struct child_listed *view, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct child_listed other = view[i];
        view[i] = view[count - 1 - i];
        view[count - 1 - i] = other;
    }
}

static enum status read_children(struct store_reader *reader, uint64_t parent, size_t max,
                                 struct arena *arena, struct child_listed **ret_view, size_t *ret_count,
                                 int64_t *ret_total, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    sqlite3_stmt *statement;
    TRY(count_children(db, parent, ret_total, err));
    TRY(sqlite_use(db, SQL_CHILDREN_OF, &statement, err));
    sqlite_bind_id(statement, 1, parent);
    sqlite_bind_number(statement, 2, (int64_t)max);
    struct child_listed *view = NULL;
    size_t count = 0, cap = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, view, count, cap);
        enum status status = sqlite_instance_row(db, statement, true, arena, &view[count].instance, err);
        if (status != ST_OK) {
            sqlite_end(statement);
            return status;
        }
        view[count].child = (struct child_row){
            .parent = parent,
            .number = (uint32_t)sqlite3_column_int64(statement, 12),
            .instance = view[count].instance.id,
        };
        sqlite_set_bond(&view[count].child, sqlite3_column_int(statement, 13));
    }
    reverse_children(view, count);
    *ret_view = view;
    *ret_count = count;
    return ST_OK;
}

static enum status list_unmatched(struct sqlite_db *db, int32_t ns, int64_t before, size_t max,
                                  size_t bytes_max, struct arena *arena, struct unmatched_row **ret_row,
                                  size_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_UNMATCHED_LIST, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_number(statement, 2, before ? before : INT64_MAX);
    sqlite_bind_number(statement, 3, (int64_t)max);
    struct unmatched_row *list = NULL;
    size_t count = 0, cap = 0, bytes = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        if (!fits(bytes_max, &bytes, (size_t)sqlite3_column_bytes(statement, 4))) {
            sqlite_end(statement);
            break;
        }
        array_reserve_in(arena, list, count, cap);
        list[count++] = (struct unmatched_row){
            .number = sqlite3_column_int64(statement, 0),
            .ns = sqlite3_column_int(statement, 1),
            .received_ms = sqlite3_column_int64(statement, 2),
            .reason = sqlite_column_str(statement, 3, arena),
            .event = sqlite_column_str(statement, 4, arena),
            .identity = sqlite_column_str(statement, 5, arena),
        };
    }
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

static enum status count_unmatched(struct sqlite_db *db, int32_t ns, int64_t *ret_total, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_UNMATCHED_TOTAL, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    return read_total(db, statement, ret_total, err);
}

static enum status read_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                  struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                                  int64_t *ret_total, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    enum status status =
        list_unmatched(db, ns, before, max, reader->bytes_max, arena, ret_row, ret_count, err);
    if (status == ST_OK && ret_total) status = count_unmatched(db, ns, ret_total, err);
    return end(db, status);
}

/* ---- tasks ---- */

static enum status read_tasks(struct store_reader *reader, const struct task_filter *filter,
                              struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                              int64_t *ret_total, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, sqlite_tasks(db, filter, arena, ret_row, ret_count, ret_total, err));
}

static enum status read_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                                 struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                                 struct worklist_place *ret_next, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, sqlite_worklist(db, filter, arena, ret_row, ret_count, ret_next, err));
}

/* ---- failures and bulks ---- */

static enum status read_failures(struct store_reader *reader, const struct selection_filter *filter,
                                 struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                 struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, sqlite_failures(db, filter, arena, ret_row, ret_count, err));
}

static enum status read_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                   struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                   struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, sqlite_candidates(db, filter, arena, ret_row, ret_count, err));
}

static enum status read_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                              struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                              struct error *err)
{
    return sqlite_bulks(db_of(reader), ns, before, max, arena, ret_row, ret_count, err);
}

static enum status read_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                   int64_t from, size_t max, struct arena *arena,
                                   struct bulk_part_row **ret_row, size_t *ret_count, struct error *err)
{
    return sqlite_bulk_parts(db_of(reader), bulk, kind, from, max, arena, ret_row, ret_count, err);
}

static enum status read_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return sqlite_find_record(db_of(reader), ns, kind, key, arena, ret_row, err);
}

static enum status read_records(struct store_reader *reader, const struct record_filter *filter,
                                struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                struct error *err)
{
    return sqlite_records(db_of(reader), filter, arena, ret_row, ret_count, err);
}

static enum status read_find(struct store_reader *reader, const struct find_filter *filter,
                             struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, sqlite_find(db, filter, arena, ret_id, ret_count, err));
}

static enum status read_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                  const struct found_key *after, size_t max, struct arena *arena,
                                  struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    return sqlite_find_keys(db_of(reader), ns, prefix, after, max, arena, ret_found, ret_count, err);
}

static enum status read_counts(struct store_reader *reader, const struct find_filter *filter,
                               struct store_counts *counts, struct error *err)
{
    struct statvfs disk;
    struct sqlite_db *db = db_of(reader);
    if (statvfs(db->path, &disk) == 0) {
        counts->disk_bytes = (int64_t)(disk.f_blocks * disk.f_frsize);
        counts->disk_free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
    }
    counts->kind = "sqlite";
    return sqlite_counts(db, filter, counts, err);
}

static enum status read_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                                struct arena *arena, struct error *err)
{
    return sqlite_measure(db_of(reader), measure, max, arena, err);
}

/* ---- statistics ---- */

static enum status count_statuses(struct sqlite_db *db, struct store_statistics *statistics,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_TALLY_BY_STATUS, &statement, err));
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return ST_OK;
        int64_t status = sqlite3_column_int64(statement, 0), count = sqlite3_column_int64(statement, 1);
        if (status == TALLY_TASKS) statistics->tasks = count;
        else if (status == TALLY_TIMERS) statistics->timers = count;
        else if (status < INSTANCE_STATUS_COUNT) statistics->instances_by_status[status] = count;
    }
}

/* The file and its log. */
static int64_t file_bytes(const char *path)
{
    struct stat file = { 0 }, log = { 0 };
    char *log_path = sqlite_path_beside(path, "-wal");
    if (stat(path, &file) != 0) file.st_size = 0;
    if (stat(log_path, &log) != 0) log.st_size = 0;
    free(log_path);
    return (int64_t)file.st_size + (int64_t)log.st_size;
}

static enum status count_rows(struct sqlite_db *db, struct store_statistics *ret_statistics,
                              struct error *err)
{
    struct store_statistics statistics = { .file_bytes = file_bytes(db->path) };
    TRY(count_statuses(db, &statistics, err));
    TRY(sqlite_number(db, "SELECT count(*) FROM (SELECT DISTINCT ns, id FROM definition)",
                      &statistics.definitions, err));
    TRY(sqlite_number(db, "SELECT count(*) FROM pending", &statistics.pending, err));
    *ret_statistics = statistics;
    return ST_OK;
}

static enum status read_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                                   struct error *err)
{
    struct sqlite_db *db = db_of(reader);
    TRY(begin(db, err));
    return end(db, count_rows(db, ret_statistics, err));
}

/* ---- opening ---- */

static void reader_close(struct store_reader *base)
{
    struct sqlite_reader *reader = (struct sqlite_reader *)base;
    if (reader->db == &reader->own) sqlite_db_close(&reader->own);
    free(reader);
}

static const struct reader_ops sqlite_reader_ops = {
    .close = reader_close,
    .instances = read_instances,
    .instance = read_instance,
    .history = read_history,
    .history_back = read_history_back,
    .definitions = read_definitions,
    .definitions_after = read_definitions_after,
    .definition = read_definition,
    .definition_by_number = read_definition_by_number,
    .tasks = read_tasks,
    .worklist = read_worklist,
    .children = read_children,
    .unmatched = read_unmatched,
    .failures = read_failures,
    .candidates = read_candidates,
    .bulks = read_bulks,
    .bulk_parts = read_bulk_parts,
    .find_record = read_record,
    .records = read_records,
    .find = read_find,
    .find_keys = read_find_keys,
    .counts = read_counts,
    .measure = read_measure,
    .statistics = read_statistics,
};

/* SQLite asks every so many operations, which take well below a millisecond. */
static int must_leave(void *context)
{
    const struct sqlite_reader *reader = context;
    return atomic_load(&reader->base.leaving);
}

static enum status open_own(struct sqlite_db *db, const char *path, struct error *err)
{
    TRY(sqlite_db_open(db, path, SQLITE_OPEN_READONLY, NULL, err));
    enum status status = sqlite_exec(db, "PRAGMA query_only = ON; PRAGMA cache_size = -2048", err);
    if (status != ST_OK) sqlite_db_close(db);
    return status;
}

enum status sqlite_reader_open(struct store *base, struct store_reader **ret_reader, struct error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    struct sqlite_reader *reader = calloc(1, sizeof *reader);
    must(reader);
    reader->base.ops = &sqlite_reader_ops;
    reader->db = store->db.held ? &store->db : &reader->own;
    enum status status = store->db.held ? ST_OK : open_own(&reader->own, store->db.path, err);
    if (status != ST_OK) {
        free(reader);
        return status;
    }
    if (reader->db == &reader->own)
        sqlite3_progress_handler(reader->own.handle, LEAVE_OPERATIONS, must_leave, reader);
    *ret_reader = &reader->base;
    return ST_OK;
}
