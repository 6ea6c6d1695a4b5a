/* store/sqlite/lock.c — makes one process the only writer.
 *
 * The writer holds two locks: an flock on `<path>.lock`, and a lock on the file itself, which may have other
 * names (a hard link, a symbolic link, another mount). The kernel drops both when the process dies, however
 * it dies.
 *
 * SQLite's own locks on the file belong to the process, and the process loses them when it closes any
 * descriptor of the file. So ours is opened before SQLite opens the file and closed after SQLite has closed
 * it. Our lock is of the kind that belongs to the descriptor, on a byte that SQLite does not use. (An flock
 * on the file would do on local disks; on a network file system it locks all bytes, and SQLite's locks would
 * wait for it.)
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { OWN_LOCK_BYTE = 0x40000000 + 1024 }; /* SQLite locks the 512 bytes from 0x40000000 on. */

static enum status take_name(const char *path, int *ret_lock, struct error *err)
{
    char *name = sqlite_path_beside(path, ".lock");
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, STORE_FILE_MODE);
    enum status status = ST_OK;
    if (lock < 0) {
        status =
            fail(err, errno == ENOSPC ? ST_FULL : ST_STORE, name, "cannot be opened: %s", strerror(errno));
    } else if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        status = errno == EWOULDBLOCK ? fail(err, ST_CONFLICT, path, "another process is using %s", path)
                                      : fail(err, ST_STORE, name, "cannot be locked: %s", strerror(errno));
        close(lock);
    }
    if (status == ST_OK) *ret_lock = lock;
    free(name);
    return status;
}

/* On a file system without such locks only the flock remains. */
static enum status take_file(const struct store_config *config, int *ret_file, struct error *err)
{
    const char *path = config->path;
    struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = OWN_LOCK_BYTE, .l_len = 1 };
    int file = open(path, O_RDWR | O_CLOEXEC | (config->create ? O_CREAT : 0), STORE_FILE_MODE);
    if (file < 0)
        return fail(err, errno == ENOSPC ? ST_FULL : ST_STORE, path, "cannot be opened: %s", strerror(errno));
    if (fcntl(file, F_OFD_SETLK, &range) != 0 && (errno == EAGAIN || errno == EACCES)) {
        close(file);
        return fail(err, ST_CONFLICT, path, "another process is using %s, by another name", path);
    }
    *ret_file = file;
    return ST_OK;
}

enum status sqlite_lock(const struct store_config *config, int *ret_lock, int *ret_file, struct error *err)
{
    TRY(take_name(config->path, ret_lock, err));
    enum status status = take_file(config, ret_file, err);
    if (status != ST_OK) close(*ret_lock);
    return status;
}

void sqlite_unlock(int lock, int file)
{
    if (file >= 0) close(file);
    if (lock >= 0) close(lock);
}
