/* store/sqlite/sqlite_int.h — the inside of the SQLite back end.
 *
 * A sqlite_db is one connection with its prepared statements, used by one thread at a time. The writer has
 * one, and every reader has one. Functions that only read take a sqlite_db and serve both.
 */
#ifndef STORE_SQLITE_SQLITE_INT_H
#define STORE_SQLITE_SQLITE_INT_H

#include "base/limits.h"
#include "store/limits.h"
#include "store/sqlite/sql.h"
#include "store/store_int.h"

#include <sqlite3.h>

enum {
    STORE_BUSY_TIMEOUT_MS = 5000,
    STORE_PAGE_BYTES = 4096,
    /* The mode of new files. Somebody may open them to a group: SQLite gives the log the mode of its file. */
    STORE_FILE_MODE = 0600,
};

struct sqlite_db {
    sqlite3 *handle;
    char *path;
    bool was_full; /* Some statement found no space. */
    bool held;     /* In a read transaction that stays to the end: it shows one moment. */
    sqlite3_stmt *statement[SQL_COUNT]; /* Prepared at first use. */
};

/* ---- a connection (sqlite/db.c) ---- */

/* Must run before any other call of SQLite. Any thread may call it, any number of times. */
void sqlite_configure(void);

/* `vfs`: the name of a file layer; NULL: the default one. */
enum status sqlite_db_open(struct sqlite_db *db, const char *path, int flags, const char *vfs,
                           struct error *err);
/* The same to read only. It also works where nothing can be written (a read-only file system, a foreign
 * directory); there a log that is not empty cannot be read, which is ST_STORE. */
enum status sqlite_db_open_to_read(struct sqlite_db *db, const char *path, const char *vfs,
                                   struct error *err);
void sqlite_db_close(struct sqlite_db *db);

/* Fails if there is no such file (ST_NOT_FOUND), or if this user may not look (ST_FORBIDDEN). */
enum status sqlite_find_file(const char *path, struct error *err);
/* The path of a file beside the store's: "<path><suffix>". The caller frees it. */
char *sqlite_path_beside(const char *path, const char *suffix);

/* Turns the connection's last error into a status: ST_FULL if there is no space, ST_CONFLICT
 * if a row is there already, else ST_STORE. */
enum status sqlite_fail(struct sqlite_db *db, struct error *err);

/* Runs statements that are not kept: pragmas, the schema. */
enum status sqlite_exec(struct sqlite_db *db, const char *sql, struct error *err);
/* The first column of the first row as a number, 0 if there is no row. */
enum status sqlite_number(struct sqlite_db *db, const char *sql, int64_t *ret_value, struct error *err);

/* A kept statement, ready for binding. It must be stepped to its end or given to sqlite_end(). */
enum status sqlite_use(struct sqlite_db *db, enum sql sql, sqlite3_stmt **ret_statement, struct error *err);
/* Goes one row further. Resets the statement when there is none left and when it fails. */
enum status sqlite_step(struct sqlite_db *db, sqlite3_stmt *statement, bool *ret_row, struct error *err);
/* A statement that gives no rows. */
enum status sqlite_run(struct sqlite_db *db, sqlite3_stmt *statement, struct error *err);
void sqlite_end(sqlite3_stmt *statement);

void sqlite_bind_str(sqlite3_stmt *statement, int at, str bytes);      /* Empty: no bytes. */
void sqlite_bind_optional(sqlite3_stmt *statement, int at, str bytes); /* Empty: NULL. */
static inline void sqlite_bind_number(sqlite3_stmt *statement, int at, int64_t value)
{
    sqlite3_bind_int64(statement, at, value);
}
static inline void sqlite_bind_id(sqlite3_stmt *statement, int at, uint64_t value)
{
    sqlite3_bind_int64(statement, at, (int64_t)value);
}
str sqlite_column_str(sqlite3_stmt *statement, int at, struct arena *arena);

/* sqlite/memory.c: keeps the blocks of small allocations. Call it before SQLite is first used. */
void sqlite_memory_configure(void);
/* For tests: how many free blocks for so many bytes this thread keeps. */
size_t sqlite_memory_kept(int bytes);
/* sqlite/pages.c: installs a page cache that commits need not search. Call it before SQLite is first used. */
void sqlite_pages_configure(void);
/* For tests: how often a cache was searched all the same. */
size_t sqlite_pages_searched(void);
/* The highest number of a page that any connection of the process has used. UINT_MAX: not known. */
unsigned sqlite_pages_highest(void);

/* ---- rows (sqlite/rows.c) ---- */

/* An instance's status and whether it has jobs, in one number; half of it is the status. */
static inline int sqlite_phase(enum instance_status status, bool has_jobs)
{
    return (int)status * 2 + has_jobs;
}

/* Live phases are those below. */
enum { PHASE_ENDED = INSTANCE_COMPLETED * 2 };
_Static_assert(INSTANCE_ACTIVE<INSTANCE_COMPLETED &&
                               INSTANCE_WAITING<INSTANCE_COMPLETED && INSTANCE_FAILED> INSTANCE_COMPLETED &&
                               INSTANCE_CANCELLED>
                   INSTANCE_COMPLETED,
               "live statuses come first");

enum status sqlite_instance_row(struct sqlite_db *db, sqlite3_stmt *statement, bool with_state,
                                struct arena *arena, struct instance_row *ret_row, struct error *err);
void sqlite_definition_row(sqlite3_stmt *statement, bool with_source, struct arena *arena,
                           struct definition_row *ret_row);

/* `sql`: SQL_INSTANCE, or SQL_INSTANCE_ALONE without the columns of the definition. */
enum status sqlite_instance(struct sqlite_db *db, enum sql sql, uint64_t id, struct arena *arena,
                            struct instance_row *ret_row, struct error *err);
enum status sqlite_definition(struct sqlite_db *db, int32_t ns, str id, int32_t version, struct arena *arena,
                              struct definition_row *ret_row, struct error *err);
enum status sqlite_definition_content(struct sqlite_db *db, int32_t ns, str id, uint64_t content,
                                      struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status sqlite_definition_number(struct sqlite_db *db, int64_t number, struct arena *arena,
                                     struct definition_row *ret_row, struct error *err);

/* ---- ids in order, over many places (sqlite/pick.c) ---- */

/* The `max` lowest ids above `after` of instances with open jobs, ascending. */
enum status sqlite_pick_with_jobs(struct sqlite_db *db, int32_t ns, uint64_t after, size_t max,
                                  struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                  struct error *err);
/* The `max` highest ids that match status and definition of the filter and are below its
 * cursor, descending. */
/* The `max` lowest ids above the cursor that match the filter, ascending. */
enum status sqlite_pick_selected(struct sqlite_db *db, const struct selection_filter *filter, size_t max,
                                 struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                 struct error *err);
/* The versions that match the filter and have instances that do, ascending. */
enum status sqlite_pick_definitions(struct sqlite_db *db, const struct selection_filter *filter,
                                    struct arena *arena, int64_t **ret_number, size_t *ret_count,
                                    struct error *err);
enum status sqlite_pick_newest(struct sqlite_db *db, const struct instance_filter *filter, size_t max,
                               struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err);

/* reader_find(), reader_find_keys(), reader_counts(). */
enum status sqlite_find(struct sqlite_db *db, const struct find_filter *filter, struct arena *arena,
                        uint64_t **ret_id, size_t *ret_count, struct error *err);
enum status sqlite_find_keys(struct sqlite_db *db, int32_t ns, str prefix, const struct found_key *after,
                             size_t max, struct arena *arena, struct found_key **ret_found, size_t *ret_count,
                             struct error *err);
enum status sqlite_counts(struct sqlite_db *db, const struct find_filter *filter, struct store_counts *counts,
                          struct error *err);
/* sqlite/measure.c */
enum status sqlite_measure(struct sqlite_db *db, struct store_measure *measure, size_t max,
                           struct arena *arena, struct error *err);

/* ---- the schema (sqlite/schema.c) ---- */

/* Step i leads from version i to version i + 1. */
struct migration {
    const char *sql;
    enum status (*fill)(
        struct sqlite_db *db,
        struct error *err); /* Does the part of the step that SQL cannot; NULL: there is none. */
};

struct sqlite_schema {
    const struct migration *step;
    size_t count; /* The newest version. */
};

struct sqlite_schema sqlite_schema(void);

enum sqlite_origin { ORIGIN_EMPTY, ORIGIN_OURS, ORIGIN_FOREIGN };

/* Tells whose file it is and, if it is ours, its version. Changes nothing. */
enum status sqlite_inspect(struct sqlite_db *db, enum sqlite_origin *ret_origin, int64_t *ret_version,
                           struct error *err);

/* Brings an empty file or one of ours to the newest version, in one transaction. */
enum status sqlite_migrate(struct sqlite_db *db, struct sqlite_schema schema, struct error *err);

/* ---- the writer ---- */

/* The change of a count, kept until the commit: all commands of a batch together touch a
 * few rows of `tally`. */
struct tally {
    int64_t definition;
    int slot;
    int64_t delta;
};

/* Slots that are not phases. Timers are counted for all definitions together, with TALLY_ALL. */
enum { TALLY_TASKS = -1, TALLY_TIMERS = -2, TALLY_ALL = 0 };

/* The columns of a definition that an instance's row shows; they never change. The writer keeps those of
 * the definition it used last. */
struct definition_head {
    int64_t number; /* 0: none. */
    int32_t version, priority;
    size_t id_bytes;
    char id[DEFINITION_ID_BYTES_MAX];
};

/* A file layer that gathers writes to the log (sqlite/log.c). It must not move while it is open. */
struct sqlite_log {
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    char name[48];
    bool spare; /* Take no more of the disk than needed. */
};

void sqlite_log_open(struct sqlite_log *log);
void sqlite_log_close(struct sqlite_log *log);

/* Blocks of the audit that are in no group yet (sqlite/blocks.c). */
struct sqlite_blocks {
    bool is_known;
    bool is_changed; /* By the transaction that is open. */
    int64_t mark;    /* They are behind this row of the history. */
    struct buf bytes;
    size_t count;
    struct tail_block {
        int64_t id;
        int32_t ns;
        bool is_grouped;
        unsigned char key_bytes;
        char key[BLOCK_KEY_BYTES_MAX];
    } tail[TAIL_BLOCKS_MAX];
};

struct sqlite_store {
    struct store base;
    struct sqlite_db db;
    struct sqlite_log log;
    int lock; /* The lock file, or -1. */
    int file; /* The file itself, only for the lock on it, or -1. */
    int64_t next_history;
    struct definition_head head;
    struct tally tally[TALLIES_MAX];
    size_t tally_count;
    struct sqlite_blocks blocks;
    int wal_pages;        /* The pages of the last commit. */
    int checkpoint_pages; /* WAL pages that call for a checkpoint, */
    int checkpoint_at;    /* and that do so after a checkpoint that readers held up. */
    int64_t room_pages;   /* Pages that fit into the file; 0: not known. */
};

/* sqlite/lock.c: makes the process the only one that writes. ST_CONFLICT. */
enum status sqlite_lock(const struct store_config *config, int *ret_lock, int *ret_file, struct error *err);
/* When the file is closed. -1: none. */
void sqlite_unlock(int lock, int file);

/* sqlite.c */
enum status sqlite_open(const struct store_config *config, struct store **ret_store, struct error *err);

/* sqlite/backup.c */
enum status sqlite_backup(const char *from_path, const char *to_path, struct error *err);

/* sqlite/commit.c */
enum status sqlite_begin(struct store *store, struct error *err);
enum status sqlite_commit(struct store *store, struct error *err);
void sqlite_rollback(struct store *store);
/* Copies the log into the file, which a commit has found to be due. */
enum status sqlite_maintain(struct store *store, struct error *err);
/* Begins to count the pages of the log. */
void sqlite_checkpoint_start(struct sqlite_store *store);
/* Copies the log into the file, in one of SQLite's modes. Readers in the way are no failure. */
enum status sqlite_checkpoint(struct sqlite_store *store, int mode, struct error *err);

/* sqlite/reserve.c */
/* Makes room in the file for all pages that the transaction has added; else ST_FULL. */
enum status sqlite_make_room(struct sqlite_store *store, struct error *err);
enum store_space sqlite_keep_space(struct store *store, enum store_space space);
/* Gives up the whole reserve, before the store is open. True if there was one. */
bool sqlite_drop_reserve(const char *path);

/* sqlite/write.c */
enum status sqlite_apply(struct store *store, struct changeset *changeset, struct error *err);
enum status sqlite_tally(struct sqlite_store *store, int64_t definition, int slot, int64_t delta,
                         struct error *err);
enum status sqlite_tally_flush(struct sqlite_store *store, struct error *err);

/* TIMER_INSERT, TIMER_DELETE; a timer that is not there is not deleted. */
enum status sqlite_write_timer(struct sqlite_store *store, enum sql sql, const struct timer_row *row,
                               struct error *err);
enum status sqlite_write_subscription(struct sqlite_db *db, enum sql sql, const struct subscription_row *row,
                                      struct error *err);

/* sqlite/load.c */
enum status sqlite_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err);
enum status sqlite_load_instance(struct store *store, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err);
enum status sqlite_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status sqlite_load_definition(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err);
enum status sqlite_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status sqlite_count_living(struct store *store, int32_t ns, str definition_id, int64_t *ret_count,
                                struct error *err);
enum status sqlite_ended(struct store *store, int32_t ns, str definition_id, size_t max, struct arena *arena,
                         struct ended_instance **ret_instance, size_t *ret_count, struct error *err);
enum status sqlite_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                     uint64_t *ret_instance, struct error *err);
enum status sqlite_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                    struct idempotency_row *ret_row, struct error *err);
enum status sqlite_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                          struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err);
enum status sqlite_ids_with_jobs(struct store *store, int32_t ns, uint64_t after, size_t max,
                                 struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                 struct error *err);
enum status sqlite_pending(struct store *store, int32_t ns, str target, int32_t priority,
                           const struct pending_row *after, struct arena *arena, struct pending_row *ret_row,
                           size_t max, size_t *ret_count, struct error *err);

enum status sqlite_subscribers(struct store *store, int64_t definition, str correlation, uint64_t after,
                               uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err);
enum status sqlite_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                             struct triggered *ret_triggered, size_t max, size_t *ret_count,
                             struct error *err);
enum status sqlite_subscriptions(struct store *store, const struct subscription_row *after,
                                 struct arena *arena, struct subscription_row *ret_row, size_t max,
                                 size_t *ret_count, struct error *err);
/* The column `awaited`: 1 awaited, 2 chained. */
static inline int sqlite_bond(const struct child_row *row) { return row->awaited | row->chained << 1; }
static inline void sqlite_set_bond(struct child_row *row, int bond)
{
    row->awaited = bond & 1;
    row->chained = bond & 2;
}
enum status sqlite_find_child(struct store *store, uint64_t parent, uint32_t number,
                              struct child_row *ret_row, struct error *err);
enum status sqlite_find_unmatched(struct store *store, const struct unmatched_row *like, struct arena *arena,
                                  struct unmatched_row *ret_row, struct error *err);
enum status sqlite_children(struct store *store, const struct child_row *after, struct child_row *ret_row,
                            size_t max, size_t *ret_count, struct error *err);

/* sqlite/bulk.c */
enum status sqlite_fill_failures(struct sqlite_db *db, struct error *err);
enum status sqlite_remove_failure(struct sqlite_db *db, int64_t definition, uint64_t instance,
                                  struct error *err);
/* Applies the part of a changeset that concerns failures and bulks. */
enum status sqlite_apply_bulk(struct sqlite_store *store, struct changeset *changeset, struct error *err);
enum status sqlite_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err);
enum status sqlite_bulk_load(struct store *store, int64_t number, struct bulk_row *ret_row,
                             struct error *err);
enum status sqlite_bulk_load_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err);
enum status sqlite_bulk_purge(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                              size_t *ret_removed, struct error *err);
enum status sqlite_failures(struct sqlite_db *db, const struct selection_filter *filter, struct arena *arena,
                            struct failure_row **ret_row, size_t *ret_count, struct error *err);
enum status sqlite_candidates(struct sqlite_db *db, const struct selection_filter *filter,
                              struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                              struct error *err);
enum status sqlite_bulks(struct sqlite_db *db, int32_t ns, int64_t before, size_t max, struct arena *arena,
                         struct bulk_row **ret_row, size_t *ret_count, struct error *err);
enum status sqlite_bulk_parts(struct sqlite_db *db, int64_t bulk, enum bulk_part kind, int64_t from,
                              size_t max, struct arena *arena, struct bulk_part_row **ret_row,
                              size_t *ret_count, struct error *err);

/* sqlite/records.c */
enum status sqlite_apply_records(struct sqlite_store *store, const struct changeset *change,
                                 struct error *err);
enum status sqlite_find_record(struct sqlite_db *db, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err);
enum status sqlite_records(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                           struct record_row **ret_row, size_t *ret_count, struct error *err);
enum status sqlite_records_purge(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                 size_t *ret_removed, struct error *err);
/* sqlite/record_rows.c: the same for one row of the table. The namespace, the kind and the key, in this
 * order, are the first parameters of the statements. */
void sqlite_bind_record(sqlite3_stmt *statement, int32_t ns, enum record_kind kind, str key);
enum status sqlite_put_record(struct sqlite_db *db, const struct record_row *row, struct error *err);
enum status sqlite_remove_record(struct sqlite_db *db, const struct record_row *row, struct error *err);
/* The columns are key, at and value. */
struct record_row sqlite_record_row(sqlite3_stmt *statement, int32_t ns, enum record_kind kind,
                                    struct arena *arena);
/* The first key that the filter may list. */
str sqlite_first_key(const struct record_filter *filter, struct arena *arena);

/* sqlite/blocks.c: the same for records of the kind RECORD_AUDIT_BLOCK. */
enum status sqlite_blocks_open(struct sqlite_store *store, struct error *err);
void sqlite_blocks_close(struct sqlite_store *store);
enum status sqlite_put_block(struct sqlite_store *store, const struct record_row *row, struct error *err);
enum status sqlite_remove_block(struct sqlite_store *store, const struct record_row *row, struct error *err);
/* The first ones of a namespace. */
enum status sqlite_remove_blocks(struct sqlite_store *store, int32_t ns, size_t max, struct arena *arena,
                                 size_t *ret_removed, struct error *err);
enum status sqlite_find_block(struct sqlite_db *db, int32_t ns, str key, struct arena *arena,
                              struct record_row *ret_row, struct error *err);
enum status sqlite_blocks(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                          struct record_row **ret_row, size_t *ret_count, struct error *err);
/* Before a commit. */
enum status sqlite_blocks_settle(struct sqlite_store *store, struct error *err);
/* After a rollback. */
void sqlite_blocks_committed(struct sqlite_store *store);
void sqlite_blocks_rolled_back(struct sqlite_store *store);

/* sqlite/purge.c */
enum status sqlite_purge(struct store *store, const struct purge *purge, size_t max,
                         struct purged *ret_purged, struct error *err);
enum status sqlite_shrink(struct store *store, bool *ret_more, struct error *err);

/* sqlite/removal.c */
enum status sqlite_remove_tenant(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                 struct tenant_removal *removal, struct error *err);

/* sqlite/check.c */
enum status sqlite_integrity(struct store *store, store_found_fn *found, void *context, struct error *err);

/* sqlite/read.c */
enum status sqlite_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err);

/* sqlite/history.c */
/* The newest row of an instance. */
enum status sqlite_history_newest(struct sqlite_db *db, uint64_t instance, struct history_place *ret_place,
                                  struct error *err);
enum status sqlite_history_back(struct sqlite_db *db, const struct history_filter *filter, size_t bytes_max,
                                struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err);

/* sqlite/read_worklist.c */
enum status sqlite_worklist(struct sqlite_db *db, const struct worklist_filter *filter, struct arena *arena,
                            struct task_row **ret_row, size_t *ret_count, struct worklist_place *ret_next,
                            struct error *err);

/* sqlite/read_tasks.c */
struct task_row sqlite_task_row(sqlite3_stmt *statement,
                                struct arena *arena); /* Takes the columns TASK_NAMES. */
enum status sqlite_tasks(struct sqlite_db *db, const struct task_filter *filter, struct arena *arena,
                         struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err);

/* For tests: the file may not grow beyond so many pages, as if the disk were full. */
enum status sqlite_limit_pages(struct store *store, int64_t pages, struct error *err);
/* For tests: the log is copied into the file whenever it has so many pages. */
void sqlite_checkpoint_every(struct store *store, int pages);

#endif
