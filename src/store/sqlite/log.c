/* store/sqlite/log.c — writes the file of the write-ahead log in one piece per commit, over bytes that exist.
 *
 * SQLite writes a log frame by frame, each as a head of 24 bytes and a page, and syncs behind the last. This
 * layer gathers adjacent writes and passes them on as one, at the latest when SQLite syncs, reads or measures
 * the file.
 *
 * A sync of a file that has grown takes half as long again, because its new size must become durable too. So
 * a log grows by more than was written, by zeros, which end a log as well as the file's end does. There are
 * two exceptions. Before the first sync behind a truncation the disk may still hold an older log there: a
 * power cut could leave that log with a hole, and with less in it than was copied into the file. And when
 * there is little space (sqlite_log.spare) the log takes none that it does not need.
 *
 * No guarantee becomes weaker: SQLite relies on its writes only after a sync, and other connections look only
 * at frames that were synced. The error of a delayed write is returned by the sync. The sync says "full" only
 * for a write, and before anything was synced.
 *
 * This is a layer above the VFS that is the default when the store is opened, and only for the writer's
 * connection. That VFS opens all other files itself.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

/* Zeros are written in blocks of that size: the kernel caches bytes that were written at once as one block,
 * and writing into a larger block costs more. */
enum { AHEAD_BYTES = 256 << 10, AHEAD_BLOCK_BYTES = 64 << 10 };

/* SQLite's handle of a file: a log of ours, with the real file's handle behind the struct. */
struct log_file {
    sqlite3_file base;
    const struct sqlite_log *vfs;
    sqlite3_int64 size; /* The size of the real file. */
    bool settled;       /* The file on the disk is not longer than `size`. */
    sqlite3_int64 at;   /* Where the gathered bytes belong. */
    int gathered;
    char *bytes;
};

static struct log_file *self(sqlite3_file *file) { return (struct log_file *)file; }
static sqlite3_file *real_of(sqlite3_file *file) { return (sqlite3_file *)(self(file) + 1); }

/* A lack of space does not matter here: bytes that are needed are written when they are needed. */
static void write_ahead(sqlite3_file *file, sqlite3_int64 from)
{
    must(self(file)->settled && from <= self(file)->size);
    static const char zeros[AHEAD_BLOCK_BYTES];
    sqlite3_int64 end = from + AHEAD_BYTES;
    while (from < end &&
           real_of(file)->pMethods->xWrite(real_of(file), zeros, AHEAD_BLOCK_BYTES, from) == SQLITE_OK)
        from += AHEAD_BLOCK_BYTES;
    self(file)->size = from;
}

static int write_gathered(sqlite3_file *file)
{
    struct log_file *log = self(file);
    if (!log->gathered) return SQLITE_OK;
    must(log->gathered > 0 && log->gathered <= GATHERED_BYTES_MAX);
    int n = log->gathered;
    /* The bytes are dropped also if the write fails: SQLite then gives the transaction up and writes all of
     * it again. */
    log->gathered = 0;
    int code = real_of(file)->pMethods->xWrite(real_of(file), log->bytes, n, log->at);
    sqlite3_int64 end = log->at + n;
    if (code != SQLITE_OK || end <= log->size) return code;
    log->size = end;
    if (log->settled && !log->vfs->spare) write_ahead(file, end);
    return SQLITE_OK;
}

/* Another process may have truncated a log that begins anew. */
static int look_at_size(sqlite3_file *file)
{
    struct log_file *log = self(file);
    sqlite3_int64 size;
    int code = real_of(file)->pMethods->xFileSize(real_of(file), &size);
    if (code == SQLITE_OK && size < log->size) log->settled = false;
    if (code == SQLITE_OK) log->size = size;
    return code;
}

static int log_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    struct log_file *log = self(file);
    if (at == 0) {
        int code = look_at_size(file);
        if (code != SQLITE_OK) return code;
    }
    if (log->gathered && (at != log->at + log->gathered || log->gathered + n > GATHERED_BYTES_MAX)) {
        int code = write_gathered(file);
        if (code != SQLITE_OK) return code;
    }
    if (n > GATHERED_BYTES_MAX) return real_of(file)->pMethods->xWrite(real_of(file), bytes, n, at);
    if (!log->gathered) log->at = at;
    must(log->gathered + n <= GATHERED_BYTES_MAX && (!log->gathered || at == log->at + log->gathered));
    memcpy(log->bytes + log->gathered, bytes, (size_t)n);
    log->gathered += n;
    return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? real_of(file)->pMethods->xRead(real_of(file), bytes, n, at) : code;
}

static int log_sync(sqlite3_file *file, int flags)
{
    int code = write_gathered(file);
    if (code == SQLITE_OK) code = real_of(file)->pMethods->xSync(real_of(file), flags);
    if (code == SQLITE_OK) self(file)->settled = true;
    return code;
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    int code = write_gathered(file);
    if (bytes < self(file)->size) self(file)->size = bytes;
    self(file)->settled = false;
    return code == SQLITE_OK ? real_of(file)->pMethods->xTruncate(real_of(file), bytes) : code;
}

static int log_size(sqlite3_file *file, sqlite3_int64 *ret_bytes)
{
    int code = write_gathered(file);
    return code == SQLITE_OK ? real_of(file)->pMethods->xFileSize(real_of(file), ret_bytes) : code;
}

static int log_close(sqlite3_file *file)
{
    int written = write_gathered(file);
    must(!self(file)->gathered);
    free(self(file)->bytes);
    int code = real_of(file)->pMethods->xClose(real_of(file));
    return written == SQLITE_OK ? code : written;
}

static int log_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int log_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int log_is_reserved(sqlite3_file *file, int *ret_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_reserved);
}

static int log_control(sqlite3_file *file, int what, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int log_sector(sqlite3_file *file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
static int log_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

/* Version 1: a log is not mapped and has no shared memory of its own. */
static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_is_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector,
    .xDeviceCharacteristics = log_device,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    sqlite3_vfs *system = ((struct sqlite_log *)vfs)->system;
    if (!(flags & SQLITE_OPEN_WAL)) return system->xOpen(system, name, file, flags, ret_flags);
    struct log_file *log = self(file);
    *log = (struct log_file){ .vfs = (const struct sqlite_log *)vfs };
    int code = system->xOpen(system, name, real_of(file), flags, ret_flags);
    if (code != SQLITE_OK) {
        /* A file that has methods must be closed, also if opening it failed. */
        if (real_of(file)->pMethods) real_of(file)->pMethods->xClose(real_of(file));
        return code;
    }
    log->base.pMethods = &log_methods;
    log->bytes = malloc(GATHERED_BYTES_MAX);
    must(log->bytes);
    return real_of(file)->pMethods->xFileSize(real_of(file), &log->size);
}

void sqlite_log_open(struct sqlite_log *log)
{
    sqlite_configure();
    /* All functions that do not concern open files are the system's own. They use nothing of the VFS they
     * are called with that the copy does not have. */
    log->system = sqlite3_vfs_find(NULL);
    must(log->system);
    log->vfs = *log->system;
    snprintf(log->name, sizeof log->name, "pawl-log-%p", (void *)log);
    log->vfs.zName = log->name;
    log->vfs.pNext = NULL;
    log->vfs.xOpen = open_file;
    log->vfs.szOsFile = log->system->szOsFile + (int)sizeof(struct log_file);
    must(sqlite3_vfs_register(&log->vfs, 0) == SQLITE_OK);
}

void sqlite_log_close(struct sqlite_log *log) { sqlite3_vfs_unregister(&log->vfs); }
