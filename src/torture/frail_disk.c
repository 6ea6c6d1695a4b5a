/* torture/frail_disk.c — the layer between SQLite and the real files.
 *
 * While a cut is planned, every operation on a store's file is recorded and applied to the model of the disk
 * at once (power_cut.h). So the model always knows which bytes are certainly on the disk. Files that exist
 * already count as synced. The record is never shortened, because the cut comes soon.
 *
 * Only the engine's thread writes, but readers open and close files in their threads. One lock guards all of
 * it.
 */
#include "torture/frail_disk.h"

#include "base/array.h"
#include "base/must.h"
#include "torture/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEPT_FILE_FLAGS = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL,
};

struct frail_file {
    sqlite3_file base;
    int inode;      /* -1: not a file of the store. */
    bool fresh_log; /* Its first sync also syncs the directory. */
    int chunk_bytes;
    sqlite3_file *real; /* The real file's handle, behind this struct. */
};

static struct {
    struct frail_plan plan;
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    pthread_mutex_t lock;
    struct disk_log log;
    struct power power;
    unsigned inodes_used;
    struct {
        char name[FRAIL_NAME_BYTES_MAX];
        int inode;
    } entry[FRAIL_INODES_MAX];
    size_t entry_count;
    uint64_t syncs, writes;
    char store_path[FRAIL_NAME_BYTES_MAX];
    volatile sig_atomic_t armed;
    int last_errno;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct frail_file *self(sqlite3_file *file) { return (struct frail_file *)file; }
static sqlite3_file *real_of(sqlite3_file *file) { return self(file)->real; }
static bool is_cut_planned(void) { return disk.plan.cut_at_sync || disk.plan.cut_at_write; }

/* ---- the record ---- */

static struct disk_op *new_op(enum disk_op_kind kind, int inode)
{
    struct disk_log *log = &disk.log;
    array_reserve(log->op, log->count, log->cap);
    struct disk_op *op = &log->op[log->count++];
    *op = (struct disk_op){ .kind = kind, .inode = (unsigned)inode };
    return op;
}

static void record_write(int inode, size_t offset, const void *bytes, size_t n)
{
    struct disk_op *op = new_op(DISK_WRITE, inode);
    op->offset = offset;
    op->n = n;
    op->bytes = malloc(n + 1);
    must(op->bytes);
    memcpy(op->bytes, bytes, n);
    power_step(&disk.power);
}

static void record(enum disk_op_kind kind, int inode, size_t length, const char *name)
{
    struct disk_op *op = new_op(kind, inode);
    op->offset = length;
    op->name = name;
    power_step(&disk.power);
}

/* ---- names ---- */

static int find_entry(const char *name)
{
    for (size_t i = 0; i < disk.entry_count; i++)
        if (disk.entry[i].inode >= 0 && strcmp(disk.entry[i].name, name) == 0) return (int)i;
    return -1;
}

static void record_contents(int inode, const char *name)
{
    static uint8_t bytes[64 << 10];
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    size_t offset = 0;
    for (ssize_t n; fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0; offset += (size_t)n)
        record_write(inode, offset, bytes, (size_t)n);
    /* No connection has the file open yet, so closing this descriptor drops no lock of theirs. */
    if (fd >= 0) close(fd);
}

static int new_entry(const char *name, bool is_there)
{
    must(disk.entry_count < FRAIL_INODES_MAX && strlen(name) < FRAIL_NAME_BYTES_MAX);
    int inode = (int)disk.inodes_used++;
    size_t i = disk.entry_count++;
    strcpy(disk.entry[i].name, name);
    disk.entry[i].inode = inode;
    record(DISK_CREATE, inode, 0, disk.entry[i].name);
    if (is_there) {
        record_contents(inode, name);
        record(DISK_SYNC, inode, 0, NULL);
        record(DISK_SYNC_DIRECTORY, 0, 0, NULL);
    }
    return inode;
}

/* ---- the power goes ---- */

static void put_file(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    (void)context;
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    must(fd >= 0);
    for (size_t at = 0; at < n;) {
        ssize_t written = write(fd, bytes + at, n - at);
        must(written > 0);
        at += (size_t)written;
    }
    must(fsync(fd) == 0 && close(fd) == 0);
}

static _Noreturn void cut_power(void)
{
    char index[FRAIL_NAME_BYTES_MAX + 8];
    for (size_t i = 0; i < disk.entry_count; i++) unlink(disk.entry[i].name);
    /* The index of the log is shared memory; nothing syncs it. */
    snprintf(index, sizeof index, "%s-shm", disk.store_path);
    unlink(index);
    power_image(&disk.power, &disk.plan.cut, put_file, NULL);
    _exit(POWER_GONE_EXIT);
}

/* ---- space ---- */

static uint64_t size_of(const char *path, const char *suffix)
{
    char name[FRAIL_NAME_BYTES_MAX + 16];
    struct stat about;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &about) == 0 ? (uint64_t)about.st_size : 0;
}

uint64_t frail_used(const char *store_path)
{
    return size_of(store_path, "") + size_of(store_path, "-wal") + size_of(store_path, ".reserve");
}

/* False if the file cannot become that long. */
static bool fits(sqlite3_file *base, sqlite3_int64 end)
{
    sqlite3_int64 size;
    if (!disk.plan.capacity || self(base)->inode < 0) return true;
    if (real_of(base)->pMethods->xFileSize(real_of(base), &size) != SQLITE_OK || end <= size) return true;
    if (frail_used(disk.store_path) + (uint64_t)(end - size) <= disk.plan.capacity) return true;
    disk.last_errno = ENOSPC;
    return false;
}

/* ---- a file ---- */

static int file_close(sqlite3_file *base) { return real_of(base)->pMethods->xClose(real_of(base)); }

static int file_read(sqlite3_file *base, void *to, int n, sqlite3_int64 offset)
{
    return real_of(base)->pMethods->xRead(real_of(base), to, n, offset);
}

static int file_write(sqlite3_file *base, const void *from, int n, sqlite3_int64 offset)
{
    if (!fits(base, offset + n)) return SQLITE_FULL;
    if (self(base)->inode >= 0 && is_cut_planned()) {
        pthread_mutex_lock(&disk.lock);
        record_write(self(base)->inode, (size_t)offset, from, (size_t)n);
        if (disk.armed && ++disk.writes == disk.plan.cut_at_write) cut_power();
        pthread_mutex_unlock(&disk.lock);
    }
    return real_of(base)->pMethods->xWrite(real_of(base), from, n, offset);
}

/* Records a length that the real layer has chosen. */
static void note_length(sqlite3_file *base, sqlite3_int64 before)
{
    sqlite3_int64 after;
    if (self(base)->inode < 0 || !is_cut_planned()) return;
    if (real_of(base)->pMethods->xFileSize(real_of(base), &after) != SQLITE_OK || after == before) return;
    pthread_mutex_lock(&disk.lock);
    record(DISK_TRUNCATE, self(base)->inode, (size_t)after, NULL);
    pthread_mutex_unlock(&disk.lock);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 bytes)
{
    int code = real_of(base)->pMethods->xTruncate(real_of(base), bytes);
    note_length(base, -1);
    return code;
}

static int file_sync(sqlite3_file *base, int flags)
{
    struct frail_file *file = self(base);
    if (file->inode >= 0 && is_cut_planned()) {
        pthread_mutex_lock(&disk.lock);
        if (disk.armed && ++disk.syncs == disk.plan.cut_at_sync) cut_power();
        pthread_mutex_unlock(&disk.lock);
    }
    int code = file->real->pMethods->xSync(file->real, flags);
    if (code == SQLITE_OK && file->inode >= 0 && is_cut_planned()) {
        pthread_mutex_lock(&disk.lock);
        record(DISK_SYNC, file->inode, 0, NULL);
        if (file->fresh_log) record(DISK_SYNC_DIRECTORY, 0, 0, NULL);
        file->fresh_log = false;
        pthread_mutex_unlock(&disk.lock);
    }
    return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret_n)
{
    return real_of(base)->pMethods->xFileSize(real_of(base), ret_n);
}

static int file_lock(sqlite3_file *base, int level)
{
    return real_of(base)->pMethods->xLock(real_of(base), level);
}
static int file_unlock(sqlite3_file *base, int level)
{
    return real_of(base)->pMethods->xUnlock(real_of(base), level);
}

static int file_check_reserved(sqlite3_file *base, int *ret_reserved)
{
    return real_of(base)->pMethods->xCheckReservedLock(real_of(base), ret_reserved);
}

static int file_control(sqlite3_file *base, int what, void *argument)
{
    struct frail_file *file = self(base);
    sqlite3_int64 before = 0;
    if (what == SQLITE_FCNTL_CHUNK_SIZE) file->chunk_bytes = *(int *)argument;
    if (what == SQLITE_FCNTL_SIZE_HINT) {
        sqlite3_int64 wanted = *(sqlite3_int64 *)argument, chunk = file->chunk_bytes;
        if (chunk) wanted = (wanted + chunk - 1) / chunk * chunk;
        if (!fits(base, wanted)) return SQLITE_IOERR_WRITE;
        file->real->pMethods->xFileSize(file->real, &before);
    }
    int code = file->real->pMethods->xFileControl(file->real, what, argument);
    if (what == SQLITE_FCNTL_SIZE_HINT) note_length(base, before);
    return code;
}

static int file_sector(sqlite3_file *base) { return real_of(base)->pMethods->xSectorSize(real_of(base)); }
static int file_traits(sqlite3_file *base)
{
    return real_of(base)->pMethods->xDeviceCharacteristics(real_of(base));
}

static int file_shm_map(sqlite3_file *base, int at, int bytes, int extend, void volatile **ret_region)
{
    return real_of(base)->pMethods->xShmMap(real_of(base), at, bytes, extend, ret_region);
}

static int file_shm_lock(sqlite3_file *base, int slot, int count, int flags)
{
    return real_of(base)->pMethods->xShmLock(real_of(base), slot, count, flags);
}

static void file_shm_barrier(sqlite3_file *base) { real_of(base)->pMethods->xShmBarrier(real_of(base)); }

static int file_shm_unmap(sqlite3_file *base, int delete)
{
    return real_of(base)->pMethods->xShmUnmap(real_of(base), delete);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* No memory maps, so that this layer sees every write. */
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* ---- the file system ---- */

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *ret_flags)
{
    (void)vfs;
    struct frail_file *file = self(base);
    *file = (struct frail_file){ .inode = -1, .real = (sqlite3_file *)(file + 1) };
    bool kept = name && flags & KEPT_FILE_FLAGS;
    bool is_there = kept && access(name, F_OK) == 0;
    if (kept && is_cut_planned()) {
        pthread_mutex_lock(&disk.lock);
        /* This comes before the file is opened: later, closing another descriptor would drop its locks. */
        int entry = find_entry(name);
        if (entry >= 0) file->inode = disk.entry[entry].inode;
        else if (is_there) file->inode = new_entry(name, true);
        pthread_mutex_unlock(&disk.lock);
    }
    int code = disk.system->xOpen(disk.system, name, file->real, flags, ret_flags);
    if (code != SQLITE_OK) {
        /* SQLite closes a file that has methods, also if it could not be opened. */
        if (file->real->pMethods) file->base.pMethods = &methods;
        return code;
    }
    file->base.pMethods = &methods;
    if (!kept) return SQLITE_OK;
    if (flags & SQLITE_OPEN_MAIN_DB) snprintf(disk.store_path, sizeof disk.store_path, "%s", name);
    if (!is_cut_planned()) {
        file->inode = 0; /* Not -1: the file takes up space. */
    } else if (file->inode < 0) {
        pthread_mutex_lock(&disk.lock);
        file->inode = new_entry(name, false);
        file->fresh_log = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
        pthread_mutex_unlock(&disk.lock);
    }
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
    (void)vfs;
    int code = disk.system->xDelete(disk.system, name, sync_directory);
    if (code != SQLITE_OK || !is_cut_planned()) return code;
    pthread_mutex_lock(&disk.lock);
    int entry = find_entry(name);
    if (entry >= 0) {
        record(DISK_DELETE, disk.entry[entry].inode, 0, disk.entry[entry].name);
        disk.entry[entry].inode = -1;
        if (sync_directory) record(DISK_SYNC_DIRECTORY, 0, 0, NULL);
    }
    pthread_mutex_unlock(&disk.lock);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_access)
{
    (void)vfs;
    return disk.system->xAccess(disk.system, name, flags, ret_access);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int n, char *ret_name)
{
    (void)vfs;
    return disk.system->xFullPathname(disk.system, name, n, ret_name);
}

static int vfs_randomness(sqlite3_vfs *vfs, int n, char *ret_bytes)
{
    (void)vfs;
    return disk.system->xRandomness(disk.system, n, ret_bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    (void)vfs;
    return disk.system->xSleep(disk.system, us);
}

static int vfs_time(sqlite3_vfs *vfs, double *ret_time)
{
    (void)vfs;
    return disk.system->xCurrentTime(disk.system, ret_time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int n, char *ret_text)
{
    (void)vfs;
    int reason = disk.last_errno;
    disk.last_errno = 0;
    return reason ? reason : disk.system->xGetLastError(disk.system, n, ret_text);
}

static void arm(int number)
{
    (void)number;
    disk.armed = 1;
}

void frail_install(const struct frail_plan *plan)
{
    struct sigaction action = { .sa_handler = arm, .sa_flags = SA_RESTART };
    disk.plan = *plan;
    disk.armed = plan->armed;
    sigaction(SIGUSR1, &action, NULL);
    disk.system = sqlite3_vfs_find(NULL);
    must(disk.system);
    disk.log.inode_count = FRAIL_INODES_MAX;
    power_init(&disk.power, &disk.log);
    disk.vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct frail_file) + disk.system->szOsFile,
        .mxPathname = disk.system->mxPathname,
        .zName = "frail",
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    must(sqlite3_vfs_register(&disk.vfs, 1) == SQLITE_OK);
}
