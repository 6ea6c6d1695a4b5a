/* vault/key_file.c — the file of a key: 32 bytes, and nobody's but its owner's. */
#include "vault/vault_int.h"

#include "vault/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static enum status fail_file(struct error *err, const char *path, const char *what)
{
    bool forbidden = errno == EACCES || errno == EPERM || errno == EROFS;
    return fail(err, forbidden ? ST_FORBIDDEN : ST_STORE, path, "the key file of secrets %s %s: %s", path,
                what, strerror(errno));
}

/* ---- reading ---- */

/* A file of root's may be open to a group: root has decided it. Credentials of systemd look so. */
static mode_t others_of(const struct stat *about)
{
    bool given = about->st_uid == 0 && geteuid() != 0;
    return given ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
}

static enum status check_file(int fd, const char *path, struct error *err)
{
    struct stat about;
    if (fstat(fd, &about) != 0) return fail_file(err, path, "cannot be looked at");
    if (!S_ISREG(about.st_mode))
        return fail(err, ST_INVALID, path, "the key file of secrets %s is not a file", path);
    if (about.st_mode & others_of(&about))
        return fail(err, ST_FORBIDDEN, path,
                    "the key file of secrets %s is open to other users (mode %03o); run: chmod 600 %s", path,
                    (unsigned)about.st_mode & 0777, path);
    if (about.st_size != KEY_BYTES)
        return fail(err, ST_INVALID, path, "the key file of secrets %s has %lld bytes; a key has %d", path,
                    (long long)about.st_size, KEY_BYTES);
    return ST_OK;
}

static enum status read_bytes_of(int fd, const char *path, unsigned char bytes[KEY_BYTES], struct error *err)
{
    for (size_t n = 0; n < KEY_BYTES;) {
        ssize_t got = read(fd, bytes + n, KEY_BYTES - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_file(err, path, "cannot be read");
        if (!got) return fail(err, ST_INVALID, path, "the key file of secrets %s ends early", path);
        n += (size_t)got;
    }
    return ST_OK;
}

enum status key_file_read(const char *path, struct vault_key *ret_key, struct error *err)
{
    *ret_key = (struct vault_key){ .there = false };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return ST_OK;
    if (fd < 0) return fail_file(err, path, "cannot be opened");
    unsigned char bytes[KEY_BYTES];
    enum status status = check_file(fd, path, err);
    if (status == ST_OK) status = read_bytes_of(fd, path, bytes, err);
    close(fd);
    if (status == ST_OK) seal_take_key(bytes, ret_key);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

/* ---- writing ---- */

/* Makes names in the file's directory durable. */
static enum status sync_directory(const char *path, struct error *err)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) : 0;
    int wrote = slash ? snprintf(directory, sizeof directory, "%.*s", n ? n : 1, path)
                      : snprintf(directory, sizeof directory, ".");
    if (wrote < 0 || (size_t)wrote >= sizeof directory) errno = ENAMETOOLONG;
    int fd = (size_t)wrote < sizeof directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool synced = fd >= 0 && fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0) close(fd);
    errno = reason;
    return synced ? ST_OK : fail_file(err, path, "cannot be made durable");
}

static enum status write_key(int fd, const char *path, const struct vault_key *key, struct error *err)
{
    for (size_t n = 0; n < KEY_BYTES;) {
        ssize_t put = write(fd, key->bytes + n, KEY_BYTES - n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return fail_file(err, path, "cannot be written");
        n += (size_t)put;
    }
    if (fsync(fd) != 0) return fail_file(err, path, "cannot be made durable");
    return ST_OK;
}

/* A name beside the file that no other process uses: each makes a key of its own. */
static enum status name_part(const char *path, const struct vault_key *key, char part[PATH_MAX],
                             struct error *err)
{
    char digits[2 * KEY_ID_BYTES + 1];
    for (size_t i = 0; i < KEY_ID_BYTES; i++) snprintf(digits + 2 * i, 3, "%02x", key->id[i]);
    int n = snprintf(part, PATH_MAX, "%s.part-%s", path, digits);
    if (n < 0 || n >= PATH_MAX)
        return fail(err, ST_INVALID, path, "the path of the key file of secrets is too long");
    return ST_OK;
}

/* The name appears only when the bytes are on the disk: a crash leaves no half of a key under it. link()
 * instead of rename() never takes the place of a key that somebody else has made meanwhile. */
enum status key_file_create(const char *path, const struct vault_key *key, struct error *err)
{
    char part[PATH_MAX];
    TRY(name_part(path, key, part, err));
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fail_file(err, path, "cannot be made");
    enum status status = write_key(fd, path, key, err);
    if (status == ST_OK) status = check_file(fd, path, err); /* Some file systems have modes of their own. */
    if (close(fd) != 0 && status == ST_OK) status = fail_file(err, path, "cannot be written");
    if (status == ST_OK && link(part, path) != 0) {
        status = errno == EEXIST
                     ? fail(err, ST_CONFLICT, path, "the key file of secrets %s is there already", path)
                     : fail_file(err, path, "cannot be made");
    }
    unlink(part);
    return status == ST_OK ? sync_directory(path, err) : status;
}

/* A file that is mounted by itself, as containers have them, cannot be linked beside itself, and no other can
 * take its name. */
enum status key_file_check_replaceable(const char *path, struct error *err)
{
    char beside[PATH_MAX];
    int n = snprintf(beside, sizeof beside, "%s.link", path);
    if (n < 0 || (size_t)n >= sizeof beside)
        return fail(err, ST_INVALID, path, "the path of the key file of secrets is too long");
    bool mounted = link(path, beside) != 0 && errno == EXDEV;
    unlink(beside);
    if (!mounted) return ST_OK;
    return fail(err, ST_FORBIDDEN, path,
                "the key file of secrets %s is mounted by itself and cannot be replaced; mount its directory",
                path);
}

enum key_file_age key_file_age(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return KEY_FILE_ABSENT;
    return time(NULL) - about.st_mtime < REKEY_SECONDS_MAX ? KEY_FILE_YOUNG : KEY_FILE_OLD;
}

enum status key_file_replace(const char *from, const char *to, struct error *err)
{
    if (rename(from, to) != 0) return fail_file(err, to, "cannot be replaced");
    return sync_directory(to, err);
}

void key_file_remove(const char *path) { unlink(path); }
