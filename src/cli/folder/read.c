/* cli/folder/read.c — walks a folder and reads the documents in it. */
#include "cli/folder/folder.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "cli/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder_walk {
    struct folder *folder;
    char *root; /* Without symbolic links. */
    size_t entries;
    struct error *err;
};

/* ---- names ---- */

static bool is_document(str name)
{
    return str_ends(name, STR(".json")) || str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml"));
}

static bool is_scenario(str name)
{
    return str_ends(name, STR(".scenario.json")) || str_ends(name, STR(".scenario.yaml")) ||
           str_ends(name, STR(".scenario.yml"));
}

/* "triggers.json" is `word`, at the top of the folder only. */
static bool is_named(str path, const char *word)
{
    str stem = str_of(word);
    return str_starts(path, stem) && path.n > stem.n && path.p[stem.n] == '.' && is_document(path) &&
           str_find(str_slice(path, stem.n + 1, path.n), STR("."), 0) == SIZE_MAX;
}

static str join(struct arena *arena, str folder, const char *name)
{
    return folder.n ? arena_printf(arena, "%.*s/%s", STR_ARG(folder), name) : arena_str(arena, str_of(name));
}

/* ---- files ---- */

static enum status fail_errno(struct folder_walk *walk, str path, const char *doing)
{
    return fail(walk->err, ST_INVALID, "DIR", "cannot %s %s%s%.*s: %s", doing, walk->folder->directory,
                path.n ? "/" : "", STR_ARG(path), strerror(errno));
}

static enum status read_text(struct folder_walk *walk, int file, str path, str *ret_text)
{
    struct folder *folder = walk->folder;
    struct stat about;
    if (fstat(file, &about) != 0) return fail_errno(walk, path, "read");
    if (about.st_size > FOLDER_FILE_BYTES_MAX)
        return fail(walk->err, ST_LIMIT, "DIR", "%.*s has %lld bytes; the most is %d (FOLDER_FILE_BYTES_MAX)",
                    STR_ARG(path), (long long)about.st_size, FOLDER_FILE_BYTES_MAX);
    size_t size = (size_t)about.st_size, n = 0;
    if (folder->bytes + size > FOLDER_BYTES_MAX)
        return fail(walk->err, ST_LIMIT, "DIR",
                    "%s has more than %d bytes of documents (FOLDER_BYTES_MAX); the last is %.*s",
                    folder->directory, FOLDER_BYTES_MAX, STR_ARG(path));
    char *bytes = arena_alloc(folder->arena, size + 1);
    while (n < size) {
        ssize_t got = read(file, bytes + n, size - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_errno(walk, path, "read");
        if (!got) break; /* It became shorter. */
        n += (size_t)got;
    }
    folder->bytes += n;
    *ret_text = (str){ bytes, n };
    return ST_OK;
}

static enum status keep_file(struct folder_walk *walk, str path, str text)
{
    struct folder *folder = walk->folder;
    bool triggers = is_named(path, "triggers"), access = is_named(path, "access");
    struct folder_file *one = triggers ? &folder->triggers : access ? &folder->access : NULL;
    if (one && one->path.n)
        return fail(walk->err, ST_INVALID, "DIR", "%.*s and %.*s: a folder has one of them",
                    STR_ARG(one->path), STR_ARG(path));
    if (!one) {
        if (folder->count == FOLDER_FILES_MAX)
            return fail(walk->err, ST_LIMIT, "DIR", "%s has more than %d definitions (FOLDER_FILES_MAX)",
                        folder->directory, FOLDER_FILES_MAX);
        if (folder->count == folder->cap)
            folder->file = array_grow_in(folder->arena, folder->file, &folder->cap, sizeof *folder->file);
        one = &folder->file[folder->count++];
    }
    *one = (struct folder_file){ path, text };
    return ST_OK;
}

static enum status read_one(struct folder_walk *walk, int directory, const char *name, str path)
{
    str text;
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return fail_errno(walk, path, "open");
    enum status status = read_text(walk, file, path, &text);
    close(file);
    if (status == ST_OK && !utf8_is_valid(text))
        return fail(walk->err, ST_INVALID, "DIR", "%.*s is not UTF-8", STR_ARG(path));
    return status == ST_OK ? keep_file(walk, path, text) : status;
}

/* ---- symbolic links ---- */

static enum status check_link(struct folder_walk *walk, str path)
{
    str place = arena_printf(walk->folder->arena, "%s/%.*s", walk->root, STR_ARG(path));
    char *full = realpath(place.p, NULL);
    size_t root = strlen(walk->root);
    bool is_inside = full && strncmp(full, walk->root, root) == 0 && (full[root] == '/' || !full[root]);
    free(full);
    if (is_inside) return ST_OK;
    return fail(walk->err, ST_INVALID, "DIR",
                "%.*s is a symbolic link that leads out of the folder, or nowhere; put the file itself there",
                STR_ARG(path));
}

/* ---- folders ---- */

static enum status walk_directory(struct folder_walk *walk, int directory, str path, uint32_t depth);

static enum status walk_entry(struct folder_walk *walk, int directory, const char *name, str path,
                              uint32_t depth)
{
    struct stat about;
    if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return fail_errno(walk, path, "look at");
    bool is_read = is_document(path) && !is_scenario(path);
    if (S_ISLNK(about.st_mode)) return check_link(walk, path);
    if (S_ISDIR(about.st_mode)) {
        int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0) return fail_errno(walk, path, "open");
        return walk_directory(walk, inner, path, depth + 1);
    }
    if (S_ISREG(about.st_mode) && is_scenario(path)) walk->folder->scenario_count++;
    if (S_ISREG(about.st_mode) && is_read) return read_one(walk, directory, name, path);
    return ST_OK;
}

/* Takes the descriptor. */
static enum status walk_directory(struct folder_walk *walk, int directory, str path, uint32_t depth)
{
    enum status status = ST_OK;
    DIR *stream = fdopendir(directory);
    if (!stream) {
        status = fail_errno(walk, path, "list");
        close(directory);
        return status;
    }
    if (depth > FOLDER_DEPTH_MAX)
        status = fail(walk->err, ST_LIMIT, "DIR", "%.*s is more than %d folders deep (FOLDER_DEPTH_MAX)",
                      STR_ARG(path), FOLDER_DEPTH_MAX);
    for (struct dirent *entry; status == ST_OK && (entry = readdir(stream)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        if (++walk->entries > FOLDER_ENTRIES_MAX)
            status = fail(walk->err, ST_LIMIT, "DIR", "%s has more than %d entries (FOLDER_ENTRIES_MAX)",
                          walk->folder->directory, FOLDER_ENTRIES_MAX);
        else
            status = walk_entry(walk, directory, entry->d_name,
                                join(walk->folder->arena, path, entry->d_name), depth);
    }
    closedir(stream);
    return status;
}

static int by_path(const void *a, const void *b, const void *context)
{
    const struct folder_file *one = a, *other = b;
    (void)context;
    return str_compare(one->path, other->path);
}

enum status folder_read(const char *directory, struct arena *arena, struct folder *ret_folder,
                        struct error *err)
{
    struct folder folder = { .arena = arena, .directory = directory };
    struct folder_walk walk = { .folder = &folder, .err = err };
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return fail_errno(&walk, STR(""), "open");
    walk.root = realpath(directory, NULL);
    if (!walk.root) {
        close(root);
        return fail_errno(&walk, STR(""), "find");
    }
    enum status status = walk_directory(&walk, root, STR_NONE, 0);
    free(walk.root);
    if (status != ST_OK) return status;
    struct folder_file *scratch = arena_make_n(arena, struct folder_file, folder.count + 1);
    sort_stable(folder.file, scratch, folder.count, sizeof *folder.file, by_path, NULL);
    *ret_folder = folder;
    return ST_OK;
}
