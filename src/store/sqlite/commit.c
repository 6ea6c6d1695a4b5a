/* store/sqlite/commit.c — transactions and checkpoints of a SQLite store.
 *
 * WAL mode with synchronous=FULL syncs the log at every commit. A checkpoint copies the log into the file. It
 * is due when the log has CHECKPOINT_PAGES pages, and the commit does it itself when the log has
 * OVERDUE_PAGES more. A checkpoint does not wait for readers, so under readers that always overlap the log
 * could grow for ever. Once the log has RESTART_PAGES pages, a checkpoint therefore waits for a moment
 * without old readers.
 *
 * If a commit or a checkpoint cannot be written for another reason than lack of space, the kernel may or may
 * not have dropped the pages whose sync failed. The log tells, so we stop writing, keep the log, and let the
 * next start recover from it: the store is broken.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    CHECKPOINT_PAGES = 4000,
    CHECKPOINT_PAGES_AGAIN = 1000, /* The next one is due so much later if readers held this one up. */
    OVERDUE_PAGES = 2000,
    RESTART_PAGES = 65536,
    RESTART_PAGES_AGAIN = 16384,
    READERS_WAIT_MS = 200,
};

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* ---- transactions ---- */

static enum status run_kept(struct sqlite_store *store, enum sql sql, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, sql, &statement, err));
    return sqlite_run(&store->db, statement, err);
}

enum status sqlite_begin(struct store *base, struct error *err)
{
    struct sqlite_store *store = self(base);
    if (store->lock < 0) return fail(err, ST_CONFLICT, store->db.path, "the store is open for reading only");
    store->tally_count = 0;
    /* The log stays short for the rest of the run: a disk that was full once has little to spare. */
    if (base->space != STORE_SPACE_ENOUGH || store->db.was_full) store->log.spare = true;
    store->db.was_full = false;
    return run_kept(store, SQL_BEGIN_WRITE, err);
}

/* SQLite reports "full" only for a failed write, never for a sync. So nothing was lost. */
static bool is_only_full(const struct sqlite_db *db)
{
    return (sqlite3_errcode(db->handle) & 0xff) == SQLITE_FULL;
}

enum status sqlite_checkpoint(struct sqlite_store *store, int mode, struct error *err)
{
    sqlite3 *handle = store->db.handle;
    bool waits = mode != SQLITE_CHECKPOINT_PASSIVE;
    if (waits) sqlite3_busy_timeout(handle, READERS_WAIT_MS);
    int code = sqlite3_wal_checkpoint_v2(handle, NULL, mode, NULL, NULL) & 0xff;
    if (waits) sqlite3_busy_timeout(handle, STORE_BUSY_TIMEOUT_MS);
    store->room_pages = 0; /* The file may have been cut. */
    if (code == SQLITE_OK || code == SQLITE_BUSY) return ST_OK;
    if (!is_only_full(&store->db)) store->base.broken = true;
    return sqlite_fail(&store->db, err);
}

/* Called by SQLite after each commit. The checkpoint itself waits until COMMIT has returned:
 * its failure is not the commit's. */
static int note_wal_pages(void *context, sqlite3 *handle, const char *schema, int pages)
{
    (void)handle;
    (void)schema;
    struct sqlite_store *store = context;
    if (pages < store->wal_pages) {
        store->checkpoint_at = store->checkpoint_pages;
        store->room_pages = 0; /* Another process may have copied the log, and then it has cut the file. */
    }
    store->wal_pages = pages;
    return SQLITE_OK;
}

void sqlite_checkpoint_start(struct sqlite_store *store)
{
    store->checkpoint_at = store->checkpoint_pages = CHECKPOINT_PAGES;
    sqlite3_wal_hook(store->db.handle, note_wal_pages, store);
}

enum status sqlite_maintain(struct store *base, struct error *err)
{
    must(self(base)->wal_pages >= 0);
    struct sqlite_store *store = self(base);
    bool restart = store->wal_pages >= RESTART_PAGES;
    base->maintenance_due = false;
    store->checkpoint_at = store->wal_pages + (restart ? RESTART_PAGES_AGAIN : CHECKPOINT_PAGES_AGAIN);
    return sqlite_checkpoint(store, restart ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, err);
}

enum status sqlite_commit(struct store *base, struct error *err)
{
    must(!sqlite3_get_autocommit(self(base)->db.handle));
    struct sqlite_store *store = self(base);
    TRY(sqlite_tally_flush(store, err));
    TRY(sqlite_blocks_settle(store, err));
    TRY(sqlite_make_room(store, err));
    enum status status = run_kept(store, SQL_COMMIT, err);
    if (status == ST_FULL && !is_only_full(&store->db))
        return fail(err, ST_STORE, store->db.path, "%s", sqlite3_errmsg(store->db.handle));
    TRY(status);
    sqlite_blocks_committed(store);
    base->maintenance_due = store->wal_pages >= store->checkpoint_at;
    /* The commit stands even if the checkpoint fails; store_broken() tells of that failure. */
    if (store->wal_pages >= store->checkpoint_at + OVERDUE_PAGES || base->space != STORE_SPACE_ENOUGH)
        sqlite_maintain(base, NULL);
    return ST_OK;
}

void sqlite_rollback(struct store *base)
{
    struct sqlite_store *store = self(base);
    /* SQLite rolls back by itself after some failures. */
    if (!sqlite3_get_autocommit(store->db.handle)) run_kept(store, SQL_ROLLBACK, NULL);
    store->tally_count = 0;
    sqlite_blocks_rolled_back(store);
    /* The space of the log may be all that is missing, so it is returned to the disk. */
    if (store->db.was_full) sqlite_checkpoint(store, SQLITE_CHECKPOINT_TRUNCATE, NULL);
}

enum status sqlite_limit_pages(struct store *base, int64_t pages, struct error *err)
{
    char sql[64];
    int64_t granted;
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %" PRId64, pages);
    return sqlite_number(&self(base)->db, sql, &granted, err);
}

void sqlite_checkpoint_every(struct store *base, int pages)
{
    self(base)->checkpoint_at = self(base)->checkpoint_pages = pages;
}
