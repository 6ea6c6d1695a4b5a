/* torture/directory.c — the directory of a run, which belongs to the run alone.
 *
 * A file in it marks it. Only files that a run creates are ever removed.
 */
#include "torture/torture_int.h"

#include "base/must.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".pawl-torture"

static const char *const store_files[] = {
    "pawl.db", "pawl.db-wal", "pawl.db-shm", "pawl.db-journal", "pawl.db.lock", "pawl.db.reserve",
};

static void remove_in(const char *directory, const char *name)
{
    char path[TORTURE_PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

void directory_clear(struct torture_directory *directory)
{
    for (size_t i = 0; i < COUNT(store_files); i++) remove_in(directory->data, store_files[i]);
    rmdir(directory->data);
    unlink(directory->log);
}

static bool is_ours(const char *name)
{
    static const char *const ours[] = { MARK, "data", "log", "sync" };
    for (size_t i = 0; i < COUNT(ours); i++)
        if (strcmp(name, ours[i]) == 0) return true;
    return false;
}

/* True if the directory is empty, or has our mark and only files that a run creates. */
static enum status inspect(const char *path, struct error *err)
{
    DIR *stream = opendir(path);
    if (!stream) return fail(err, ST_STORE, path, "cannot read the directory %s: %s", path, strerror(errno));
    bool marked = false, foreign = false;
    char name[128] = "";
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        marked |= strcmp(entry->d_name, MARK) == 0;
        if (foreign) continue;
        foreign = !is_ours(entry->d_name);
        if (foreign || !name[0]) snprintf(name, sizeof name, "%.100s", entry->d_name);
    }
    closedir(stream);
    if (!name[0] || (marked && !foreign)) return ST_OK;
    return fail(err, ST_CONFLICT, path,
                "%s is not empty (\"%s\" is in it): torture needs a directory of its own", path, name);
}

static enum status mark(struct torture_directory *directory, struct error *err)
{
    char path[TORTURE_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", directory->path, MARK);
    directory->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (directory->lock < 0)
        return fail(err, ST_STORE, path, "cannot write to %s: %s", directory->path, strerror(errno));
    if (flock(directory->lock, LOCK_EX | LOCK_NB) == 0) return ST_OK;
    close(directory->lock);
    return fail(err, ST_CONFLICT, path, "another torture is running in %s", directory->path);
}

enum status directory_open(const char *path, struct torture_directory *directory, struct error *err)
{
    *directory = (struct torture_directory){ .lock = -1 };
    if (strlen(path) > TORTURE_PATH_BYTES - 100)
        return fail(err, ST_INVALID, path, "the directory's path is too long");
    snprintf(directory->path, sizeof directory->path, "%s", path);
    snprintf(directory->data, sizeof directory->data, "%s/data", path);
    snprintf(directory->store, sizeof directory->store, "%s/data/pawl.db", path);
    snprintf(directory->log, sizeof directory->log, "%s/log", path);
    directory->made = mkdir(path, 0700) == 0;
    if (!directory->made && errno != EEXIST)
        return fail(err, ST_STORE, path, "cannot make the directory %s: %s", path, strerror(errno));
    TRY(inspect(path, err));
    TRY(mark(directory, err));
    directory_clear(directory);
    remove_in(path, "sync");
    return ST_OK;
}

void directory_keep_files(struct torture_directory *directory)
{
    char to[TORTURE_PATH_BYTES + 32];
    if (directory->kept >= 3) return;
    directory->kept++;
    snprintf(to, sizeof to, "%s/finding-%zu", directory->path, directory->kept);
    if (rename(directory->data, to) != 0) return;
    snprintf(to, sizeof to, "%s/finding-%zu/log", directory->path, directory->kept);
    if (rename(directory->log, to) != 0) unlink(directory->log);
}

void directory_close(struct torture_directory *directory)
{
    directory_clear(directory);
    remove_in(directory->path, MARK);
    close(directory->lock);
    if (directory->made && !directory->kept) rmdir(directory->path);
}
