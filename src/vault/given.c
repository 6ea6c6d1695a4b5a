/* vault/given.c — values that whoever runs the engine gives it: files, systemd credentials, environment. */
#include "vault/vault.h"

#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status fail_read(struct error *err, str name, const char *path)
{
    return fail(err, errno == ENOENT ? ST_NOT_FOUND : ST_STORE, path,
                "the file %s of the secret \"%.*s\" cannot be read: %s", path, STR_ARG(name),
                strerror(errno));
}

/* Reads up to `max` bytes; a file with more gives `max`. */
static bool read_all(int fd, char *bytes, size_t max, size_t *ret_count)
{
    size_t n = 0;
    while (n < max) {
        ssize_t got = read(fd, bytes + n, max - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (!got) break;
        n += (size_t)got;
    }
    *ret_count = n;
    return true;
}

/* Editors and `echo` end a file with a line end, which nobody means. */
static str without_line_end(str text)
{
    if (text.n && text.p[text.n - 1] == '\n') text.n--;
    if (text.n && text.p[text.n - 1] == '\r') text.n--;
    return text;
}

enum status vault_give_file(struct vault *vault, enum vault_source source, str name, const char *path,
                            struct error *err)
{
    enum { FILE_BYTES = SECRET_VALUE_BYTES_MAX + 3 }; /* A line end, and one byte that is too many. */
    char bytes[FILE_BYTES];
    size_t n = 0;
    if (source == VAULT_FILE) TRY(vault_check_readers(path, "the file of a secret", err));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_read(err, name, path);
    bool done = read_all(fd, bytes, sizeof bytes, &n);
    enum status status = done ? ST_OK : fail_read(err, name, path);
    close(fd);
    if (status == ST_OK) {
        struct error why;
        status = vault_give(vault, source, name, without_line_end((str){ bytes, n }), &why);
        if (status != ST_OK) fail(err, status, path, "%s: %s", path, why.message);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

static bool is_one_of(const struct stat *about, const char *const *files)
{
    struct stat other;
    for (; *files; files++)
        if (stat(*files, &other) == 0 && other.st_dev == about->st_dev && other.st_ino == about->st_ino)
            return true;
    return false;
}

enum status vault_give_directory(struct vault *vault, const char *path, const char *const *except,
                                 struct error *err)
{
    DIR *directory = opendir(path);
    if (!directory)
        return fail(err, ST_STORE, path, "the directory of credentials %s cannot be read: %s", path,
                    strerror(errno));
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = ST_OK;
    for (const struct dirent *entry; status == ST_OK && (entry = readdir(directory)) != NULL;) {
        str name = str_of(entry->d_name);
        const char *file = arena_printf(&arena, "%s/%s", path, entry->d_name).p;
        struct stat about;
        /* A unit may have credentials that are no secrets of workflows, and are not for us to refuse. */
        if (vault_check_name(name, NULL) != ST_OK || stat(file, &about) != 0 || !S_ISREG(about.st_mode) ||
            about.st_size > SECRET_VALUE_BYTES_MAX || is_one_of(&about, except))
            continue;
        struct error why;
        status = vault_give_file(vault, VAULT_CREDENTIAL, name, file, &why);
        if (status == ST_INVALID) status = ST_OK; /* Empty, or no text. */
        else if (status != ST_OK && err) *err = why;
    }
    closedir(directory);
    arena_done(&arena);
    return status;
}

enum status vault_give_environment(struct vault *vault, char *const *environment, struct error *err)
{
    static const str prefix = STR_INIT("PAWL_SECRET_");
    for (; *environment; environment++) {
        str variable = str_of(*environment);
        size_t equals = str_find(variable, STR("="), 0);
        if (!str_starts(variable, prefix) || equals == SIZE_MAX) continue;
        struct error why;
        enum status status = vault_give(vault, VAULT_ENVIRONMENT, str_slice(variable, prefix.n, equals),
                                        str_slice(variable, equals + 1, variable.n), &why);
        if (status != ST_OK)
            return fail(err, status, "environment", "%.*s: %s", (int)equals, variable.p, why.message);
    }
    return ST_OK;
}
