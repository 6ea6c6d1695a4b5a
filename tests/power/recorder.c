/* A library that is loaded before the C library (LD_PRELOAD) and records what the real program tells the real
 * disk.
 *
 *     PAWL_RECORD         the record; "<record>.count" has the number of its operations, for a reader that
 *                         maps it
 *     PAWL_RECORD_UNDER   the data directory, an absolute path that need not exist yet
 *
 * Recorded are the files of the store in that directory, syncs of the directory, and the directories that are
 * made on the way to it with the syncs of their parents. An operation is done and recorded under one lock, a
 * sync as well: so the record is the true order, and a sync covers just what stands before it.
 *
 * Each operation is a struct recorded_op (recorder.h) and its bytes. A later run of the program goes on with
 * the record of the one before; a run that is killed must be idle then, or its last operation may be missing.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 4096, FILES_MAX = 256, PATH_BYTES_MAX = 1024 };

static struct {
    pthread_mutex_t lock;
    int record;
    _Atomic uint64_t *count;
    char under[PATH_BYTES_MAX];
    struct {
        char name[64];
        int inode;
    } file[FILES_MAX];
    int file_count, inode_count;
    int of[DESCRIPTORS_MAX]; /* Inode + 1; 0: none of ours. */
} rec = { .lock = PTHREAD_MUTEX_INITIALIZER, .record = -1 };

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

static void give_up(const char *why)
{
    fprintf(stderr, "recorder: %s: %s\n", why, strerror(errno));
    abort();
}

static int find_file(const char *name);

static int add_file(const char *name)
{
    if (rec.file_count == FILES_MAX) give_up("too many files");
    int i = rec.file_count++;
    rec.file[i].inode = rec.inode_count++;
    snprintf(rec.file[i].name, sizeof rec.file[i].name, "%.63s", name);
    return i;
}

/* Learns from the runs before which files there are. */
static void catch_up(int record)
{
    struct recorded_op op;
    char name[PATH_BYTES_MAX];
    for (off_t at = 0; pread(record, &op, sizeof op, at) == sizeof op; at += (off_t)(sizeof op + op.n)) {
        if (op.kind != RECORDED_CREATE && op.kind != RECORDED_DELETE) continue;
        if (op.n >= sizeof name || pread(record, name, op.n, at + (off_t)sizeof op) != (ssize_t)op.n)
            give_up("the record");
        name[op.n] = 0;
        if (op.kind == RECORDED_CREATE) add_file(name);
        else rec.file[find_file(name)].inode = -1;
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PAWL_RECORD"), *under = getenv("PAWL_RECORD_UNDER");
    char name[PATH_BYTES_MAX];
    if (!path || !under) return;
    snprintf(rec.under, sizeof rec.under, "%s", under);
    snprintf(name, sizeof name, "%s.count", path);
    int count = REAL(open, name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (count < 0 || REAL(ftruncate, count, sizeof *rec.count) != 0) give_up(name);
    rec.count = mmap(NULL, sizeof *rec.count, PROT_READ | PROT_WRITE, MAP_SHARED, count, 0);
    if (rec.count == MAP_FAILED) give_up(name);
    rec.record = REAL(open, path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (rec.record < 0) give_up(path);
    catch_up(rec.record);
}

static void put(const void *bytes, size_t n)
{
    for (const char *from = bytes; n;) {
        ssize_t done = REAL(write, rec.record, from, n);
        if (done <= 0) give_up("the record");
        from += done;
        n -= (size_t)done;
    }
}

static void note(enum recorded_kind kind, int inode, uint64_t offset, const void *bytes, size_t n)
{
    const struct recorded_op op = { .kind = kind, .inode = (uint32_t)inode, .offset = offset, .n = n };
    put(&op, sizeof op);
    put(bytes, n);
    ++*rec.count;
}

static void note_name(enum recorded_kind kind, int inode, const char *name)
{
    note(kind, inode, 0, name, strlen(name));
}

/* ---- which files ---- */

/* The name inside the data directory, or NULL. */
static const char *name_of(const char *path)
{
    size_t n = strlen(rec.under);
    if (rec.record < 0 || strncmp(path, rec.under, n) != 0 || path[n] != '/') return NULL;
    const char *name = path + n + 1;
    bool ours = !strcmp(name, "pawl.db") || !strcmp(name, "pawl.db-wal") || !strcmp(name, "pawl.db-journal");
    return ours ? name : NULL;
}

static int find_file(const char *name)
{
    for (int i = 0; i < rec.file_count; i++)
        if (rec.file[i].inode >= 0 && !strcmp(rec.file[i].name, name)) return i;
    return -1;
}

static int inode_of(int fd)
{
    return rec.record >= 0 && fd >= 0 && fd < DESCRIPTORS_MAX ? rec.of[fd] - 1 : -1;
}

static int note_open(int fd, const char *name, int flags)
{
    int i = find_file(name);
    if (fd >= DESCRIPTORS_MAX) give_up("too many descriptors");
    if (i < 0) {
        i = add_file(name);
        note_name(RECORDED_CREATE, rec.file[i].inode, name);
    }
    rec.of[fd] = rec.file[i].inode + 1;
    if (flags & O_TRUNC) note(RECORDED_TRUNCATE, rec.file[i].inode, 0, NULL, 0);
    return fd;
}

static int open_path(const char *path, int flags, mode_t mode)
{
    const char *name = name_of(path);
    if (!name) return REAL(open, path, flags, mode);
    pthread_mutex_lock(&rec.lock);
    int fd = REAL(open, path, flags, mode);
    if (fd >= 0) note_open(fd, name, flags);
    pthread_mutex_unlock(&rec.lock);
    return fd;
}

static mode_t mode_from(int flags, va_list args)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(NAME)                             \
    int NAME(const char *path, int flags, ...) \
    {                                          \
        va_list args;                          \
        va_start(args, flags);                 \
        mode_t mode = mode_from(flags, args);  \
        va_end(args);                          \
        return open_path(path, flags, mode);   \
    }
OPEN(open)
OPEN(open64)

int close(int fd)
{
    if (inode_of(fd) >= 0) rec.of[fd] = 0;
    return REAL(close, fd);
}

/* ---- what is done to them ---- */

static ssize_t write_at(int fd, const void *bytes, size_t n, off_t offset)
{
    int inode = inode_of(fd);
    if (inode < 0) return REAL(pwrite, fd, bytes, n, offset);
    pthread_mutex_lock(&rec.lock);
    ssize_t done = REAL(pwrite, fd, bytes, n, offset);
    if (done > 0) note(RECORDED_WRITE, inode, (uint64_t)offset, bytes, (size_t)done);
    pthread_mutex_unlock(&rec.lock);
    return done;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset) { return write_at(fd, bytes, n, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t offset) { return write_at(fd, bytes, n, offset); }

static int cut(int fd, off_t bytes)
{
    int inode = inode_of(fd);
    if (inode < 0) return REAL(ftruncate, fd, bytes);
    pthread_mutex_lock(&rec.lock);
    int code = REAL(ftruncate, fd, bytes);
    if (code == 0) note(RECORDED_TRUNCATE, inode, (uint64_t)bytes, NULL, 0);
    pthread_mutex_unlock(&rec.lock);
    return code;
}

int ftruncate(int fd, off_t bytes) { return cut(fd, bytes); }
int ftruncate64(int fd, off_t bytes) { return cut(fd, bytes); }

/* The directory a descriptor is of, if it is the data directory or above it. */
static bool directory_of(int fd, char ret_path[PATH_BYTES_MAX])
{
    char link[64];
    struct stat about;
    if (rec.record < 0 || fstat(fd, &about) != 0 || !S_ISDIR(about.st_mode)) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, ret_path, PATH_BYTES_MAX - 1);
    if (n <= 0) return false;
    ret_path[n] = 0;
    return strncmp(rec.under, ret_path, (size_t)n) == 0;
}

static int sync_with(int fd, int (*sync)(int))
{
    char path[PATH_BYTES_MAX];
    int inode = inode_of(fd);
    bool directory = inode < 0 && directory_of(fd, path);
    if (inode < 0 && !directory) return sync(fd);
    pthread_mutex_lock(&rec.lock);
    int code = sync(fd);
    if (code == 0 && directory) note_name(RECORDED_SYNC_DIRECTORY, 0, path);
    else if (code == 0) note(RECORDED_SYNC, inode, 0, NULL, 0);
    pthread_mutex_unlock(&rec.lock);
    return code;
}

int fsync(int fd) { return sync_with(fd, (int (*)(int))dlsym(RTLD_NEXT, "fsync")); }
int fdatasync(int fd) { return sync_with(fd, (int (*)(int))dlsym(RTLD_NEXT, "fdatasync")); }

int unlink(const char *path)
{
    const char *name = name_of(path);
    if (!name) return REAL(unlink, path);
    pthread_mutex_lock(&rec.lock);
    int code = REAL(unlink, path), i = find_file(name);
    if (code == 0 && i >= 0) {
        note_name(RECORDED_DELETE, rec.file[i].inode, name);
        rec.file[i].inode = -1;
    }
    pthread_mutex_unlock(&rec.lock);
    return code;
}

int mkdir(const char *path, mode_t mode)
{
    bool ours = rec.record >= 0 && strncmp(rec.under, path, strlen(path)) == 0;
    pthread_mutex_lock(&rec.lock);
    int code = REAL(mkdir, path, mode);
    if (code == 0 && ours) note_name(RECORDED_MAKE_DIRECTORY, 0, path);
    pthread_mutex_unlock(&rec.lock);
    return code;
}
