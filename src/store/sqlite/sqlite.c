/* store/sqlite/sqlite.c — opening and closing a SQLite store, and its table of functions.
 *
 * One process writes: it holds an flock on `<path>.lock` and a lock on the file itself for as long as it has
 * the store open. The kernel drops both when the process dies, however it dies.
 *
 * After a failed sync (sqlite/commit.c), a start on the same machine reads the log from the kernel's memory.
 * That may hold bytes which the disk does not have and which no sync will ever write again. So a start that
 * finds a log writes it once more before anything rests on it (write_log_again).
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"
#include "store/copy/copy_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LOG_BLOCK_BYTES = 64 << 10, /* SQLite's file layer writes less than 128 KiB at once. */
};

_Static_assert(STORE_PAGE_BYTES == 4096, "the size of new files");
static const char new_file_sql[] = "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL";

static const char writer_sql[] = "PRAGMA synchronous = FULL;"
                                 "PRAGMA foreign_keys = OFF;"
                                 "PRAGMA cache_size = -16384;"
                                 "PRAGMA wal_autocheckpoint = 0;"
                                 "PRAGMA journal_size_limit = 67108864";

static const struct store_ops sqlite_ops;

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* ---- opening ---- */

static enum status check_version(const struct store_config *config, enum sqlite_origin origin,
                                 int64_t version, struct error *err)
{
    int64_t newest = (int64_t)sqlite_schema().count;
    if (origin == ORIGIN_FOREIGN || (origin == ORIGIN_EMPTY && !config->create))
        return fail(err, ST_INVALID, config->path, "%s is not a Pawl store", config->path);
    if (version >= COPY_UNFINISHED) return copy_fail_unfinished(config->path, err);
    if (version > newest)
        return fail(err, ST_CONFLICT, config->path,
                    "schema %" PRId64 " is newer than this program, which knows up to %" PRId64, version,
                    newest);
    if (origin == ORIGIN_OURS && version < newest && (config->must_not_migrate || config->read_only))
        return fail(err, ST_CONFLICT, config->path,
                    "schema %" PRId64 " is older than this program's %" PRId64 " and must be migrated first",
                    version, newest);
    return ST_OK;
}

static enum status use_wal(struct sqlite_db *db, struct error *err)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode = WAL", -1, &statement, NULL) != SQLITE_OK)
        return sqlite_fail(db, err);
    enum status status = ST_OK;
    if (sqlite3_step(statement) != SQLITE_ROW) status = sqlite_fail(db, err);
    else if (strcmp((const char *)sqlite3_column_text(statement, 0), "wal") != 0)
        status = fail(err, ST_STORE, db->path, "the file system does not allow a write-ahead log");
    sqlite3_finalize(statement);
    return status;
}

static int copy_onto_itself(sqlite3_file *file, void *block, sqlite3_int64 bytes)
{
    int code = SQLITE_OK;
    for (sqlite3_int64 at = 0; at < bytes && code == SQLITE_OK; at += LOG_BLOCK_BYTES) {
        int n = bytes - at < LOG_BLOCK_BYTES ? (int)(bytes - at) : LOG_BLOCK_BYTES;
        code = file->pMethods->xRead(file, block, n, at);
        if (code == SQLITE_OK) code = file->pMethods->xWrite(file, block, n, at);
    }
    return code == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_FULL) : code;
}

static enum status copy_log_onto_itself(struct sqlite_db *db, bool *ret_found, struct error *err)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    sqlite3_file_control(db->handle, NULL, SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (!file || !file->pMethods || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK || !bytes)
        return ST_OK;
    *ret_found = true;
    void *block = malloc(LOG_BLOCK_BYTES);
    must(block);
    int code = copy_onto_itself(file, block, bytes);
    free(block);
    if (code == SQLITE_OK) return ST_OK;
    return fail(err, code == SQLITE_FULL ? ST_FULL : ST_STORE, db->path, "the log cannot be written (%s)",
                sqlite3_errstr(code));
}

/* Holds the write lock, because copying would overwrite frames that another process adds meanwhile. */
static enum status write_log_again(struct sqlite_db *db, bool *ret_found, struct error *err)
{
    TRY(sqlite_exec(db, "BEGIN IMMEDIATE", err));
    enum status status = copy_log_onto_itself(db, ret_found, err);
    sqlite_exec(db, "ROLLBACK", NULL);
    return status;
}

/* For checks: opens one read transaction for all queries, because an engine may be writing meanwhile and
 * rows of different moments do not fit together. */
static enum status hold_moment(struct sqlite_db *db, struct error *err)
{
    int64_t tables;
    TRY(sqlite_exec(db, "PRAGMA query_only = ON; BEGIN", err));
    TRY(sqlite_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err));
    db->held = true;
    return ST_OK;
}

/* Inspects the file before it writes: a foreign or newer file stays as it is. */
static enum status prepare_file(struct sqlite_store *store, const struct store_config *config,
                                struct error *err)
{
    struct sqlite_db *db = &store->db;
    enum sqlite_origin origin;
    int64_t version;
    TRY(sqlite_inspect(db, &origin, &version, err));
    TRY(check_version(config, origin, version, err));
    if (config->read_only) return hold_moment(db, err);

    if (origin == ORIGIN_EMPTY) TRY(sqlite_exec(db, new_file_sql, err));
    TRY(use_wal(db, err));
    TRY(write_log_again(db, &store->base.left_open, err));
    TRY(sqlite_exec(db, writer_sql, err));
    if (origin == ORIGIN_EMPTY || version < (int64_t)sqlite_schema().count)
        TRY(sqlite_migrate(db, sqlite_schema(), err));
    TRY(sqlite_number(db, "SELECT max(id) FROM history", &store->next_history, err));
    store->next_history++;
    return sqlite_blocks_open(store, err);
}

static enum status open_file(struct sqlite_store *store, const struct store_config *config, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE;
    if (config->create) flags |= SQLITE_OPEN_CREATE;
    TRY(config->read_only ? sqlite_db_open_to_read(&store->db, config->path, store->log.name, err)
                          : sqlite_db_open(&store->db, config->path, flags, store->log.name, err));
    enum status status = prepare_file(store, config, err);
    if (status != ST_OK) sqlite_db_close(&store->db);
    return status;
}

enum status sqlite_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    if (!config->create) TRY(sqlite_find_file(config->path, err));
    int lock = -1, file = -1;
    if (!config->read_only) TRY(sqlite_lock(config, &lock, &file, err));

    struct sqlite_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &sqlite_ops;
    store->lock = lock;
    store->file = file;
    buf_init(&store->blocks.bytes, NULL);
    sqlite_log_open(&store->log);
    enum status status = open_file(store, config, err);
    if (status == ST_FULL && !config->read_only && sqlite_drop_reserve(config->path))
        status = open_file(store, config, err);
    if (status != ST_OK) {
        sqlite_unlock(lock, file);
        sqlite_log_close(&store->log);
        sqlite_blocks_close(store);
        free(store);
        return status;
    }
    sqlite_checkpoint_start(store);
    *ret_store = &store->base;
    return ST_OK;
}

static void sqlite_close(struct store *base)
{
    struct sqlite_store *store = self(base);
    if (base->broken) sqlite3_db_config(store->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite_db_close(&store->db);
    sqlite_unlock(store->lock, store->file);
    sqlite_log_close(&store->log);
    sqlite_blocks_close(store);
    free(store);
}

/* ---- the table ---- */

static enum status find_record(struct store *store, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return sqlite_find_record(&self(store)->db, ns, kind, key, arena, ret_row, err);
}

static enum status list_records(struct store *store, const struct record_filter *filter, struct arena *arena,
                                struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    return sqlite_records(&self(store)->db, filter, arena, ret_row, ret_count, err);
}

static const struct store_ops sqlite_ops = {
    .close = sqlite_close,
    .begin = sqlite_begin,
    .apply = sqlite_apply,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .maintain = sqlite_maintain,
    .keep_space = sqlite_keep_space,
    .shrink = sqlite_shrink,
    .take_numbers = sqlite_take_numbers,
    .load_instance = sqlite_load_instance,
    .find_definition = sqlite_find_definition,
    .load_definition = sqlite_load_definition,
    .find_content = sqlite_find_content,
    .count_living = sqlite_count_living,
    .ended = sqlite_ended,
    .find_business_key = sqlite_find_business_key,
    .find_idempotency = sqlite_find_idempotency,
    .timers = sqlite_timers,
    .ids_with_jobs = sqlite_ids_with_jobs,
    .pending = sqlite_pending,
    .subscribers = sqlite_subscribers,
    .triggered = sqlite_triggered,
    .find_child = sqlite_find_child,
    .find_unmatched = sqlite_find_unmatched,
    .running_bulk = sqlite_running_bulk,
    .load_bulk = sqlite_bulk_load,
    .load_bulk_part = sqlite_bulk_load_part,
    .purge_bulks = sqlite_bulk_purge,
    .find_record = find_record,
    .records = list_records,
    .purge_records = sqlite_records_purge,
    .purge = sqlite_purge,
    .remove_tenant = sqlite_remove_tenant,
    .reader_open = sqlite_reader_open,
    .integrity = sqlite_integrity,
    .subscriptions = sqlite_subscriptions,
    .children = sqlite_children,
};
