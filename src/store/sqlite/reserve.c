/* store/sqlite/reserve.c — keeps space back for a full disk.
 *
 * Three rules let the engine go on when the disk is full:
 *
 *  (1) A checkpoint needs no space. Before a transaction commits, the file is given room for all its pages,
 *      so the log can always be copied into it and begun anew.
 *  (2) Beside the store lies a file that holds nothing but space, in parts. When the disk is full, each
 *      call of store_release_space() gives up one part; store_reclaim_space() takes them again when there is
 *      space.
 *  (3) While a part is missing, every commit is followed by a checkpoint: the log stays as short as the
 *      largest transaction.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROOM_PAGES = 64, /* The file grows by so many. */
    /* Zeros are written in blocks of that size: the kernel caches bytes that were written at once as one
     * block, and later every page that a checkpoint writes to a large block costs more. */
    ROOM_BLOCK_BYTES = 16 << 10,
    RESERVE_PARTS = STORE_SPACE_OUT, /* One for each step. */
    RESERVE_PART_BYTES = 2 << 20,

    /* The index of the log: "WAL-Index Header" in SQLite's file format. Its words are in the machine's own
       order. */
    LOG_INDEX_BYTES = 32 << 10, /* Bytes of its first part. */
    LOG_INDEX_VERSION = 3007000,
    LOG_INDEX_PAGES = 5, /* The word that tells the size of the database in pages. */
};

/* ---- room in the file ---- */

/* The number of pages that the database had after the last commit of any process, according to the log. 0
 * if the log is empty; then the file has all pages. The number stands in the index that all processes
 * share, which no process changes while we hold the write lock. If the index cannot be read, the number is
 * the highest there is. */
static int64_t committed_pages(sqlite3_file *file)
{
    void volatile *region = NULL;
    if (file->pMethods->iVersion < 2) return UINT32_MAX;
    if (file->pMethods->xShmMap(file, 0, LOG_INDEX_BYTES, 0, &region) != SQLITE_OK || !region)
        return UINT32_MAX;
    const uint32_t volatile *head = region;
    return head[0] == LOG_INDEX_VERSION ? head[LOG_INDEX_PAGES] : UINT32_MAX;
}

/* Writes zeros behind the last page, which a checkpoint soon overwrites. Another process may checkpoint at
 * the same time: it writes committed pages and truncates the file behind the last of them. So zeros must
 * never go where a committed page belongs, whatever the size of the file was before. */
static int lengthen(sqlite3_file *file, int64_t pages)
{
    static const char zeros[ROOM_BLOCK_BYTES];
    sqlite3_int64 at, committed = committed_pages(file) * STORE_PAGE_BYTES;
    int code = file->pMethods->xFileSize(file, &at);
    if (at < committed) at = committed;
    for (int64_t end = pages * STORE_PAGE_BYTES; code == SQLITE_OK && at < end; at += ROOM_BLOCK_BYTES) {
        int n = end - at < ROOM_BLOCK_BYTES ? (int)(end - at) : ROOM_BLOCK_BYTES;
        code = file->pMethods->xWrite(file, zeros, n, at);
    }
    return code;
}

enum status sqlite_make_room(struct sqlite_store *store, struct error *err)
{
    /* SQLite compiles the query for the count each time, which costs a tenth of a small transaction. */
    if (sqlite_pages_highest() <= store->room_pages) return ST_OK;
    struct sqlite_db *db = &store->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_PAGE_COUNT, &statement, err));
    TRY(sqlite_step(db, statement, &row, err));
    int64_t pages = sqlite3_column_int64(statement, 0);
    sqlite_end(statement);
    if (pages <= store->room_pages) return ST_OK;

    sqlite3_file *file = NULL;
    int64_t room_pages = (pages + ROOM_PAGES - 1) / ROOM_PAGES * ROOM_PAGES;
    sqlite3_file_control(db->handle, NULL, SQLITE_FCNTL_FILE_POINTER, &file);
    must(file && room_pages >= pages);
    int code = lengthen(file, room_pages);
    db->was_full = code == SQLITE_FULL;
    if (code == SQLITE_FULL) return fail(err, ST_FULL, db->path, "no space left for the file to grow");
    if (code != SQLITE_OK) return fail(err, ST_STORE, db->path, "%s", sqlite3_errstr(code));
    store->room_pages = room_pages;
    return ST_OK;
}

/* ---- the reserve ---- */

static bool lacks_space(int reason) { return reason == ENOSPC || reason == EDQUOT; }

/* Returns the number of parts that the file has. A file system that cannot set space aside counts as one
 * that has space: the engine also works without a reserve. */
static int fill(int fd, int parts)
{
    for (int i = 0; i < parts; i++)
        if (lacks_space(posix_fallocate(fd, (off_t)i * RESERVE_PART_BYTES, RESERVE_PART_BYTES))) return i;
    return parts;
}

enum store_space sqlite_keep_space(struct store *base, enum store_space space)
{
    must((int)space <= STORE_SPACE_OUT);
    int parts = RESERVE_PARTS - (int)space;
    char *name = sqlite_path_beside(((struct sqlite_store *)base)->db.path, ".reserve");
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, STORE_FILE_MODE);
    if (fd < 0) {
        if (lacks_space(errno)) parts = 0;
    } else {
        parts = fill(fd, parts);
        /* This also gives up an incomplete part. */
        if (ftruncate(fd, (off_t)parts * RESERVE_PART_BYTES) != 0) unlink(name);
        close(fd);
    }
    free(name);
    must(parts >= 0 && parts <= RESERVE_PARTS - (int)space);
    return (enum store_space)(RESERVE_PARTS - parts);
}

bool sqlite_drop_reserve(const char *path)
{
    char *name = sqlite_path_beside(path, ".reserve");
    bool dropped = unlink(name) == 0;
    free(name);
    return dropped;
}
