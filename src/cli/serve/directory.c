/* cli/serve/directory.c — makes a directory durably. */
#include "cli/serve/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the name of a new directory durable. Until its parent is synced, a power cut may remove the
 * directory and everything in it. */
static enum status sync_parent(const char *path, struct arena *arena, struct error *err)
{
    size_t bytes = strlen(path) + 1;
    const char *parent = dirname(memcpy(arena_alloc(arena, bytes), path, bytes));
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0) close(fd);
    if (synced) return ST_OK;
    return fail(err, ST_STORE, parent, "the directory %s cannot be synced: %s", parent, strerror(reason));
}

enum status directory_make(const char *path, struct arena *arena, struct error *err)
{
    str whole = str_of(path);
    for (size_t i = 1; i <= whole.n; i++) {
        if (i < whole.n && path[i] != '/') continue;
        const char *part = arena_str(arena, str_slice(whole, 0, i)).p;
        if (mkdir(part, 0700) == 0) TRY(sync_parent(part, arena, err));
        else if (errno != EEXIST && errno != EISDIR)
            return fail(err, ST_STORE, part, "cannot make the directory %s: %s", part, strerror(errno));
    }
    return ST_OK;
}
