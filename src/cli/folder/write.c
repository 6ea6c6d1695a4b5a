/* cli/folder/write.c — writes the files of an export.
 *
 * Each file is written beside its place and then renamed, so a reader never sees half of one. Nothing
 * follows a symbolic link, and all places are names in a folder that is open.
 */
#include "cli/folder/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY ".pawl-export.tmp"

static enum status fail_errno(struct error *err, const char *doing, str name)
{
    return fail(err, ST_INVALID, "DIR", "cannot %s %.*s: %s", doing, STR_ARG(name), strerror(errno));
}

/* ---- before ---- */

/* Hidden files, such as .git, do not count. */
static bool is_empty(DIR *stream)
{
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL)
        if (entry->d_name[0] != '.') return false;
    return true;
}

enum status folder_check_target(const char *directory, bool overwrite, struct error *err)
{
    DIR *stream = opendir(directory);
    if (!stream && errno == ENOENT) return ST_OK;
    if (!stream) return fail_errno(err, "open", str_of(directory));
    bool good = overwrite || is_empty(stream);
    closedir(stream);
    if (good) return ST_OK;
    return fail(err, ST_CONFLICT, "DIR",
                "%s is not empty; --overwrite replaces its %s, triggers.json and access.json", directory,
                FOLDER_DEFINITIONS);
}

/* ---- files ---- */

static bool write_all(int file, str text)
{
    while (text.n) {
        ssize_t wrote = write(file, text.p, text.n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return false;
        text = str_slice(text, (size_t)wrote, text.n);
    }
    return true;
}

static enum status write_one(int directory, const char *name, str text, struct error *err)
{
    (void)unlinkat(directory, TEMPORARY, 0); /* An export that was ended has left it. */
    int file = openat(directory, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return fail_errno(err, "write", str_of(name));
    bool done = write_all(file, text);
    done = close(file) == 0 && done;
    done = done && renameat(directory, TEMPORARY, directory, name) == 0;
    if (done) return ST_OK;
    fail_errno(err, "write", str_of(name));
    (void)unlinkat(directory, TEMPORARY, 0);
    return ST_INVALID;
}

/* ---- folders ---- */

static enum status open_inner(int around, const char *name, int *ret_directory, struct error *err)
{
    if (mkdirat(around, name, 0777) != 0 && errno != EEXIST) return fail_errno(err, "make", str_of(name));
    *ret_directory = openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *ret_directory < 0 ? fail_errno(err, "open", str_of(name)) : ST_OK;
}

static str name_in(str path)
{
    size_t slash = str_find(path, STR("/"), 0);
    return slash == SIZE_MAX ? path : str_slice(path, slash + 1, path.n);
}

static bool is_written(const struct folder_file *file, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name_in(file[i].path), str_of(name)) && file[i].path.n > strlen(name)) return true;
    return false;
}

/* Definitions of an earlier export that are there no more. */
static enum status remove_others(int directory, const struct folder_file *file, size_t count,
                                 struct error *err)
{
    enum status status = ST_OK;
    struct dirent *entry;
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    if (!stream) {
        if (again >= 0) close(again);
        return fail_errno(err, "list", STR(FOLDER_DEFINITIONS));
    }
    while (status == ST_OK && (entry = readdir(stream)) != NULL) {
        str name = str_of(entry->d_name);
        if (name.p[0] == '.' || !str_ends(name, STR(".json")) || is_written(file, count, entry->d_name))
            continue;
        if (unlinkat(directory, entry->d_name, 0) != 0) status = fail_errno(err, "remove", name);
    }
    closedir(stream);
    return status;
}

/* The same for the files beside. */
static void remove_unwritten(int root, const struct folder_file *file, size_t count)
{
    static const char *const names[] = { "triggers.json", "access.json" };
    for (size_t n = 0; n < COUNT(names); n++) {
        size_t i = 0;
        while (i < count && !str_equal(file[i].path, str_of(names[n]))) i++;
        if (i == count) (void)unlinkat(root, names[n], 0);
    }
}

static enum status write_files(int root, int inner, const struct folder_file *file, size_t count,
                               struct arena *arena, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        str name = arena_str(arena, name_in(file[i].path));
        TRY(write_one(name.n < file[i].path.n ? inner : root, name.p, file[i].text, err));
    }
    remove_unwritten(root, file, count);
    return remove_others(inner, file, count, err);
}

enum status folder_write(const char *directory, const struct folder_file *file, size_t count,
                         struct arena *arena, struct error *err)
{
    int inner = -1;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) return fail_errno(err, "make", str_of(directory));
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return fail_errno(err, "open", str_of(directory));
    enum status status = open_inner(root, FOLDER_DEFINITIONS, &inner, err);
    if (status == ST_OK) {
        status = write_files(root, inner, file, count, arena, err);
        close(inner);
    }
    close(root);
    return status;
}
