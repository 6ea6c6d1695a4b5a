/* cli/maintain/backup_note.c — writes and reads the file that says when the last backup was made. */
#include "cli/maintain/backup_note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_PATH_BYTES = 4096 };

static bool path_of(const char *data, char ret_path[NOTE_PATH_BYTES])
{
    int n = snprintf(ret_path, NOTE_PATH_BYTES, "%s/pawl.db.backed-up", data);
    return n > 0 && n < NOTE_PATH_BYTES;
}

/* Root may make a backup, too. Its note must not keep the engine's user from the next one. */
static bool give_to_owner(int fd, const char *data)
{
    struct stat about;
    if (geteuid() != 0) return true;
    return stat(data, &about) == 0 && fchown(fd, about.st_uid, about.st_gid) == 0;
}

enum status backup_note_write(const char *data, struct error *err)
{
    char path[NOTE_PATH_BYTES];
    if (!path_of(data, path)) return fail(err, ST_INVALID, data, "the path is too long");
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = fd >= 0 && futimens(fd, NULL) == 0 && give_to_owner(fd, data);
    int why = errno;
    if (fd >= 0) close(fd);
    return done ? ST_OK : fail(err, ST_STORE, path, "%s: %s", path, strerror(why));
}

bool backup_note_read(const char *data, int64_t *ret_at_ms)
{
    char path[NOTE_PATH_BYTES];
    struct stat about;
    if (!path_of(data, path) || stat(path, &about) != 0) return false;
    *ret_at_ms = (int64_t)about.st_mtim.tv_sec * 1000 + about.st_mtim.tv_nsec / 1000000;
    return true;
}
