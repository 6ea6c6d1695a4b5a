/* store/sqlite/backup.c — copies a store that an engine may be writing to.
 *
 * All pages are copied in one step, inside one read transaction. So the copy shows one moment, and the writer
 * goes on meanwhile. The copy grows under a temporary name and gets its own name when it is complete and on
 * the disk, so that an unfinished copy is never taken for a backup.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

static enum status copy_pages(struct sqlite_db *from, struct sqlite_db *to, struct error *err)
{
    TRY(sqlite_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err));
    sqlite3_backup *backup = sqlite3_backup_init(to->handle, "main", from->handle, "main");
    if (!backup) return sqlite_fail(to, err);
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup) == SQLITE_OK ? ST_OK : sqlite_fail(to, err);
}

/* SQLite would make the file readable for everybody. */
static enum status make_file(const char *path, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, STORE_FILE_MODE);
    if (fd < 0)
        return fail(err, errno == ENOSPC ? ST_FULL : ST_STORE, path, "%s cannot be made: %s", path,
                    strerror(errno));
    close(fd);
    return ST_OK;
}

static enum status copy_file(const char *from_path, const char *partial, struct error *err)
{
    struct sqlite_db from, to;
    enum sqlite_origin origin;
    int64_t version;
    TRY(sqlite_db_open_to_read(&from, from_path, NULL, err));
    enum status status = sqlite_inspect(&from, &origin, &version, err);
    if (status == ST_OK && origin != ORIGIN_OURS)
        status = fail(err, ST_INVALID, from_path, "%s is not a Pawl store", from_path);
    if (status == ST_OK) status = make_file(partial, err);
    if (status == ST_OK) {
        status = sqlite_db_open(&to, partial, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL, err);
        if (status == ST_OK) {
            status = copy_pages(&from, &to, err);
            sqlite_db_close(&to);
        }
    }
    sqlite_db_close(&from);
    return status;
}

static enum status sync_path(const char *path, int flags, struct error *err)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0) close(fd);
    return done ? ST_OK : fail(err, reason == ENOSPC ? ST_FULL : ST_STORE, path, "%s", strerror(reason));
}

static enum status give_name(const char *partial, const char *to_path, struct error *err)
{
    TRY(sync_path(partial, O_RDWR, err));
    /* Unlike rename(), link() does not replace a file that appeared meanwhile. */
    if (link(partial, to_path) != 0)
        return fail(err, errno == EEXIST ? ST_CONFLICT : ST_STORE, to_path, "%s", strerror(errno));
    unlink(partial);
    char *copy = strdup(to_path);
    must(copy);
    enum status status = sync_path(dirname(copy), O_RDONLY | O_DIRECTORY, err);
    free(copy);
    return status;
}

enum status sqlite_backup(const char *from_path, const char *to_path, struct error *err)
{
    TRY(sqlite_find_file(from_path, err));
    if (access(to_path, F_OK) == 0) return fail(err, ST_CONFLICT, to_path, "%s exists already", to_path);
    char *partial = sqlite_path_beside(to_path, ".partial");
    unlink(partial);
    enum status status = copy_file(from_path, partial, err);
    if (status == ST_OK) status = give_name(partial, to_path, err);
    if (status != ST_OK) unlink(partial);
    free(partial);
    return status;
}
