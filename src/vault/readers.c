/* vault/readers.c — who may read a file with a secret, apart from the engine.
 *
 * A file that every user of the machine can read is no secret. Containers are the exception: Docker and
 * Kubernetes mount their secrets readable for everybody, in a file system in memory that nobody can write to,
 * and the container's walls keep others out. So a file there may have any mode that does not let others
 * write.
 */
#include "vault/vault.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Only root can make this directory, and containers have their secrets there. */
#define CONTAINER_SECRETS "/run/secrets/"

/* The way in for the engine's group, and for nobody else: its number, and the path twice. */
#define LET_GROUP_READ "chgrp %u %s && chmod 640 %s"

static bool is_in_container_secrets(const char *path)
{
    char *real = realpath(path, NULL);
    bool is = real && str_starts(str_of(real), STR(CONTAINER_SECRETS));
    free(real);
    return is;
}

static bool is_in_read_only_memory(const char *path)
{
    struct statfs about;
    struct statvfs mount;
    if (statfs(path, &about) != 0 || statvfs(path, &mount) != 0) return false;
    bool in_memory = about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC;
    return in_memory && (mount.f_flag & ST_RDONLY);
}

static bool may_group_read(const struct stat *about) { return !about->st_uid || about->st_uid == geteuid(); }

enum status vault_check_readers(const char *path, const char *what, struct error *err)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return ST_OK; /* Reading it will tell. */
    if (access(path, R_OK) != 0 && errno == EACCES)
        return fail(err, ST_FORBIDDEN, path,
                    "%s %s cannot be read by the engine's user; as root: " LET_GROUP_READ, what, path,
                    (unsigned)getegid(), path, path);
    mode_t wrong = S_IWGRP | S_IRWXO | (may_group_read(&about) ? 0 : S_IRGRP);
    if (is_in_container_secrets(path) || is_in_read_only_memory(path)) wrong = S_IWGRP | S_IWOTH;
    if (!(about.st_mode & wrong)) return ST_OK;
    unsigned mode = (unsigned)about.st_mode & 0777;
    if (about.st_uid == geteuid() || !may_group_read(&about))
        return fail(err, ST_FORBIDDEN, path, "%s %s is open to other users (mode %03o); run: chmod 600 %s",
                    what, path, mode, path);
    /* With mode 600 root alone could read it. */
    return fail(err, ST_FORBIDDEN, path, "%s %s is open to other users (mode %03o); as root: " LET_GROUP_READ,
                what, path, mode, (unsigned)getegid(), path, path);
}
