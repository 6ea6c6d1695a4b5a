/* vault/named_file.c — files that a secret names: certificates and keys of brokers and databases.
 *
 * The person who may set secrets is not the person who runs the machine. So a secret may only name files of
 * one directory, and no message tells whether another file is there, is readable or is of the right kind.
 */
#include "vault/vault.h"

#include "vault/limits.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's name without links, if it is in the directory; false: it is not, or nowhere. */
static bool find_inside(const char *directory, const char *name, char ret_path[PATH_MAX])
{
    char inside[PATH_MAX], joined[PATH_MAX];
    if (!directory || !realpath(directory, inside)) return false;
    int n = name[0] == '/' ? snprintf(joined, sizeof joined, "%s", name)
                           : snprintf(joined, sizeof joined, "%s/%s", inside, name);
    size_t length = strlen(inside);
    return n > 0 && (size_t)n < sizeof joined && realpath(joined, ret_path) &&
           strncmp(ret_path, inside, length) == 0 && ret_path[length] == '/';
}

/* Opening a pipe or a device does not wait, and reading one is not tried. */
static bool read_file(const char *path, struct arena *arena, str *ret_text)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    bool fits = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
                about.st_size <= NAMED_FILE_BYTES_MAX;
    char *bytes = fits ? arena_alloc(arena, (size_t)about.st_size + 1) : NULL;
    ssize_t n = fits ? read(fd, bytes, (size_t)about.st_size) : -1;
    if (fd >= 0) close(fd);
    if (n <= 0 || memchr(bytes, 0, (size_t)n)) return false;
    bytes[n] = '\0';
    *ret_text = (str){ bytes, (size_t)n };
    return true;
}

enum status vault_named_text(const char *directory, const char *name, struct arena *arena,
                             const char **ret_path, str *ret_text, struct error *err)
{
    char path[PATH_MAX];
    str text;
    if (!find_inside(directory, name, path) || !read_file(path, arena, &text))
        return fail(err, ST_INVALID, "file", "it is no file with a text in the directory of --files");
    *ret_path = arena_str(arena, str_of(path)).p;
    *ret_text = text;
    return ST_OK;
}

enum status vault_named_file(const char *directory, const char *name, struct arena *arena,
                             const char **ret_path, str *ret_text, struct error *err)
{
    const char *path;
    str text;
    if (vault_named_text(directory, name, arena, &path, &text, NULL) != ST_OK ||
        str_find(text, STR("-----BEGIN"), 0) == SIZE_MAX)
        return fail(err, ST_INVALID, "file",
                    "it is neither a text in PEM nor a file with one in the directory of --files");
    *ret_path = path;
    *ret_text = text;
    return ST_OK;
}
