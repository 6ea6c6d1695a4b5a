#include "shim_vfs.h"

#include "base/must.h"
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 32, SHM_REGIONS_MAX = 16, NAME_BYTES_MAX = 512 };

struct inode {
    unsigned number; /* In the log, if recorded. */
    bool recorded;
    bool fresh_log; /* Its first sync makes its name durable too, as the unix layer does. */
    uint8_t *bytes;
    size_t n, cap;
    size_t room; /* Taken from the disk: at least n. */
    unsigned open_count, linked;

    unsigned shared; /* Connections that hold a lock on the file. */
    struct shim_file *reserved, *exclusive;

    unsigned mapped;
    void *region[SHM_REGIONS_MAX];
    unsigned shm_shared[SQLITE_SHM_NLOCK];
    struct shim_file *shm_exclusive[SQLITE_SHM_NLOCK];
};

struct shim_file {
    sqlite3_file base;
    struct inode *inode;
    const char *delete_name; /* Deleted when closed. */
    int lock;
    bool maps;
    unsigned shm_holds; /* A bit for each shared lock. */
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *system; /* For the time. */
    uint64_t random;
    struct {
        char name[NAME_BYTES_MAX];
        struct inode *inode;
    } entry[NAMES_MAX];
    char prefix[NAME_BYTES_MAX]; /* Recorded names begin so; empty: none. */
    struct disk_log log;
    struct shim_fault fault;
    uint64_t accesses[SHIM_ACCESS_COUNT], failures;
    bool paused;
    void (*visit)(void *context); /* NULL: nobody else is there. */
    void *visitor;
    bool visited; /* Somebody is at it right now. */
    size_t capacity, used;
    char reserve_path[NAME_BYTES_MAX];
    int last_errno;
} shim;

/* ---- the record ---- */

static bool is_recorded(const char *name)
{
    return shim.prefix[0] && strncmp(name, shim.prefix, strlen(shim.prefix)) == 0;
}

static struct disk_op *record(enum disk_op_kind kind, const struct inode *inode)
{
    if (shim.log.count == shim.log.cap) {
        shim.log.cap = shim.log.cap ? shim.log.cap * 2 : 1024;
        shim.log.op = realloc(shim.log.op, shim.log.cap * sizeof shim.log.op[0]);
        must(shim.log.op);
    }
    struct disk_op *op = &shim.log.op[shim.log.count++];
    *op = (struct disk_op){ .kind = kind, .inode = inode ? inode->number : 0 };
    return op;
}

static void record_name(enum disk_op_kind kind, const struct inode *inode, const char *name)
{
    if (!inode->recorded) return;
    struct disk_op *op = record(kind, inode);
    op->name = strdup(name + strlen(shim.prefix));
    must(op->name);
}

const struct disk_log *shim_log(void) { return &shim.log; }

void shim_record(const char *prefix)
{
    for (size_t i = 0; i < shim.log.count; i++) {
        free(shim.log.op[i].bytes);
        free((void *)(uintptr_t)shim.log.op[i].name);
    }
    free(shim.log.op);
    shim.log = (struct disk_log){ 0 };
    snprintf(shim.prefix, sizeof shim.prefix, "%s", prefix);
}

/* ---- names and inodes ---- */

static int find_entry(const char *name)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (shim.entry[i].inode && strcmp(shim.entry[i].name, name) == 0) return i;
    return -1;
}

static struct inode *new_inode(const char *name)
{
    int free_entry = 0;
    while (free_entry < NAMES_MAX && shim.entry[free_entry].inode) free_entry++;
    must(free_entry < NAMES_MAX && strlen(name) < NAME_BYTES_MAX);
    struct inode *inode = calloc(1, sizeof *inode);
    must(inode);
    inode->linked = 1;
    inode->recorded = is_recorded(name);
    if (inode->recorded) inode->number = shim.log.inode_count++;
    strcpy(shim.entry[free_entry].name, name);
    shim.entry[free_entry].inode = inode;
    return inode;
}

static void drop_inode(struct inode *inode)
{
    if (inode->linked || inode->open_count) return;
    shim.used -= inode->room;
    free(inode->bytes);
    free(inode);
}

static void unlink_entry(int i)
{
    struct inode *inode = shim.entry[i].inode;
    shim.entry[i].inode = NULL;
    inode->linked = 0;
    drop_inode(inode);
}

void shim_remove(const char *prefix)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        if (!shim.entry[i].inode || strncmp(shim.entry[i].name, prefix, strlen(prefix)) != 0) continue;
        must(!shim.entry[i].inode->open_count);
        unlink_entry(i);
    }
}

/* ---- space ---- */

void shim_set_capacity(size_t bytes, const char *reserve_path)
{
    shim.capacity = bytes;
    snprintf(shim.reserve_path, sizeof shim.reserve_path, "%s", reserve_path);
}

size_t shim_used(void)
{
    struct stat reserve;
    return shim.used + (stat(shim.reserve_path, &reserve) == 0 ? (size_t)reserve.st_size : 0);
}

static bool fits(size_t more) { return !shim.capacity || shim_used() + more <= shim.capacity; }

/* As declared by the C library, whose own is never called. */
int posix_fallocate(int fd, off_t offset, off_t n)
{
    struct stat file;
    if (fstat(fd, &file) != 0) return errno;
    if (offset + n <= file.st_size) return 0;
    if (!fits((size_t)(offset + n - file.st_size))) return ENOSPC;
    return ftruncate(fd, offset + n) == 0 ? 0 : errno;
}

/* Takes room for so many bytes; false if the disk has no more. */
static bool take_room(struct inode *inode, size_t bytes)
{
    if (bytes <= inode->room) return true;
    if (!fits(bytes - inode->room)) return false;
    shim.used += bytes - inode->room;
    inode->room = bytes;
    return true;
}

static void resize(struct inode *inode, size_t n)
{
    if (n > inode->cap) {
        inode->cap = n > inode->cap * 2 ? n : inode->cap * 2;
        inode->bytes = realloc(inode->bytes, inode->cap);
        must(inode->bytes);
    }
    if (n > inode->n) memset(inode->bytes + inode->n, 0, n - inode->n);
    inode->n = n;
}

void shim_put(const char *name, const uint8_t *bytes, size_t n)
{
    must(find_entry(name) < 0);
    struct inode *inode = new_inode(name);
    must(take_room(inode, n));
    resize(inode, n);
    if (n) memcpy(inode->bytes, bytes, n);
}

static void put_behind(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    char path[2 * NAME_BYTES_MAX];
    snprintf(path, sizeof path, "%s%s", (const char *)context, name);
    shim_put(path, bytes, n);
}

uint64_t shim_image(const struct power *power, const struct cut *cut, const char *prefix)
{
    char behind[NAME_BYTES_MAX];
    shim_remove(prefix);
    snprintf(behind, sizeof behind, "%s", prefix);
    return power_image(power, cut, put_behind, behind);
}

/* ---- faults ---- */

void shim_fail(const struct shim_fault *fault)
{
    shim.fault = *fault;
    memset(shim.accesses, 0, sizeof shim.accesses);
    shim.failures = 0;
}

bool shim_pause(bool paused)
{
    bool before = shim.paused;
    shim.paused = paused;
    return before;
}

uint64_t shim_failures(void) { return shim.failures; }
uint64_t shim_accesses(enum shim_access access) { return shim.accesses[access]; }

static bool fails(const struct inode *inode, enum shim_access access)
{
    if (!inode->recorded || shim.paused) return false;
    uint64_t nth = ++shim.accesses[access];
    if (!shim.fault.nth || shim.fault.access != access || nth < shim.fault.nth) return false;
    if (nth > shim.fault.nth && !shim.fault.for_good) return false;
    shim.failures++;
    shim.last_errno = EIO;
    return true;
}

/* ---- somebody else ---- */

void shim_visit(void (*visit)(void *context), void *context)
{
    shim.visit = visit;
    shim.visitor = context;
}

/* A moment when another process may do something, between two system calls of ours. */
static void moment(const struct inode *inode)
{
    if (!shim.visit || shim.visited || shim.paused || !inode->recorded) return;
    shim.visited = true;
    shim.visit(shim.visitor);
    shim.visited = false;
}

/* ---- a file ---- */

static struct shim_file *self(sqlite3_file *file) { return (struct shim_file *)file; }

static int file_unlock(sqlite3_file *base, int level);
static int file_shm_unmap(sqlite3_file *base, int delete);
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory);

static int file_close(sqlite3_file *base)
{
    struct shim_file *file = self(base);
    file_unlock(base, SQLITE_LOCK_NONE);
    file_shm_unmap(base, 0);
    file->inode->open_count--;
    if (file->delete_name) vfs_delete(NULL, file->delete_name, 0);
    else drop_inode(file->inode);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *to, int n, sqlite3_int64 offset)
{
    struct inode *inode = self(base)->inode;
    moment(inode);
    if (fails(inode, SHIM_ON_READ)) return SQLITE_IOERR_READ;
    size_t at = (size_t)offset, want = (size_t)n;
    size_t have = at < inode->n ? inode->n - at : 0;
    if (have > want) have = want;
    if (have) memcpy(to, inode->bytes + at, have);
    if (have < want) memset((uint8_t *)to + have, 0, want - have);
    return have == want ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static void put_bytes(struct inode *inode, const void *from, size_t n, size_t offset)
{
    if (offset + n > inode->n) resize(inode, offset + n);
    memcpy(inode->bytes + offset, from, n);
    if (!inode->recorded) return;
    struct disk_op *op = record(DISK_WRITE, inode);
    op->offset = offset;
    op->n = n;
    op->bytes = malloc(n);
    must(op->bytes);
    memcpy(op->bytes, from, n);
}

/* A write that does not succeed has written a part, as in the unix layer: half of it, or what there is room
 * for. */
static int file_write(sqlite3_file *base, const void *from, int n, sqlite3_int64 offset)
{
    struct inode *inode = self(base)->inode;
    size_t at = (size_t)offset, part = (size_t)n;
    int code = SQLITE_OK;
    moment(inode);
    if (fails(inode, SHIM_ON_WRITE)) {
        code = SQLITE_IOERR_WRITE;
        part /= 2;
    } else if (!take_room(inode, at + part)) {
        code = SQLITE_FULL;
        shim.last_errno = ENOSPC;
        size_t used = shim_used(), end = inode->room + (shim.capacity > used ? shim.capacity - used : 0);
        part = end > at ? end - at : 0;
    }
    if (part && take_room(inode, at + part)) put_bytes(inode, from, part, at);
    return code;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 bytes)
{
    struct inode *inode = self(base)->inode;
    size_t n = (size_t)bytes;
    moment(inode);
    if (fails(inode, SHIM_ON_WRITE)) return SQLITE_IOERR_TRUNCATE;
    resize(inode, n);
    if (inode->room > n) {
        shim.used -= inode->room - n;
        inode->room = n;
    }
    if (inode->recorded) record(DISK_TRUNCATE, inode)->offset = n;
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags)
{
    (void)flags;
    struct inode *inode = self(base)->inode;
    moment(inode);
    if (fails(inode, SHIM_ON_SYNC)) {
        record(DISK_SYNC_FAILED, inode);
        return SQLITE_IOERR_FSYNC;
    }
    if (!inode->recorded) return SQLITE_OK;
    record(DISK_SYNC, inode);
    if (inode->fresh_log) record(DISK_SYNC_DIRECTORY, NULL);
    inode->fresh_log = false;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret_n)
{
    *ret_n = (sqlite3_int64)self(base)->inode->n;
    return SQLITE_OK;
}

/* ---- locks on a file ---- */

static int file_lock(sqlite3_file *base, int level)
{
    struct shim_file *file = self(base);
    struct inode *inode = file->inode;
    if (level <= file->lock) return SQLITE_OK;
    if (inode->exclusive && inode->exclusive != file) return SQLITE_BUSY;
    if (level > SQLITE_LOCK_SHARED && inode->reserved && inode->reserved != file) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_EXCLUSIVE && inode->shared > (file->lock != SQLITE_LOCK_NONE))
        return SQLITE_BUSY;
    if (file->lock == SQLITE_LOCK_NONE) inode->shared++;
    if (level >= SQLITE_LOCK_RESERVED) inode->reserved = file;
    if (level == SQLITE_LOCK_EXCLUSIVE) inode->exclusive = file;
    file->lock = level;
    return SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int level)
{
    struct shim_file *file = self(base);
    struct inode *inode = file->inode;
    if (level >= file->lock) return SQLITE_OK;
    if (inode->exclusive == file) inode->exclusive = NULL;
    if (inode->reserved == file) inode->reserved = NULL;
    if (level == SQLITE_LOCK_NONE) inode->shared--;
    file->lock = level;
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *ret_reserved)
{
    *ret_reserved = self(base)->inode->reserved != NULL;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int what, void *argument)
{
    (void)base;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *base)
{
    (void)base;
    return 512;
}

/* What the unix layer says of an ordinary file. */
static int file_traits(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* ---- the WAL's shared memory ---- */

static int file_shm_map(sqlite3_file *base, int at, int bytes, int extend, void volatile **ret_region)
{
    struct shim_file *file = self(base);
    struct inode *inode = file->inode;
    must(at < SHM_REGIONS_MAX);
    if (!file->maps) inode->mapped++;
    file->maps = true;
    if (!inode->region[at] && extend) {
        inode->region[at] = calloc(1, (size_t)bytes);
        must(inode->region[at]);
    }
    *ret_region = inode->region[at];
    return SQLITE_OK;
}

static int shm_take(struct shim_file *file, int slot, bool exclusive)
{
    struct inode *inode = file->inode;
    unsigned others = inode->shm_shared[slot] - (file->shm_holds >> slot & 1);
    if (inode->shm_exclusive[slot] && inode->shm_exclusive[slot] != file) return SQLITE_BUSY;
    if (exclusive && others) return SQLITE_BUSY;
    if (exclusive) {
        inode->shm_exclusive[slot] = file;
    } else if (!(file->shm_holds >> slot & 1)) {
        inode->shm_shared[slot]++;
        file->shm_holds |= 1U << slot;
    }
    return SQLITE_OK;
}

static void shm_drop(struct shim_file *file, int slot)
{
    struct inode *inode = file->inode;
    if (inode->shm_exclusive[slot] == file) inode->shm_exclusive[slot] = NULL;
    if (file->shm_holds >> slot & 1) inode->shm_shared[slot]--;
    file->shm_holds &= ~(1U << slot);
}

static int file_shm_lock(sqlite3_file *base, int slot, int count, int flags)
{
    struct shim_file *file = self(base);
    bool exclusive = flags & SQLITE_SHM_EXCLUSIVE;
    for (int i = slot; i < slot + count; i++) {
        if (flags & SQLITE_SHM_UNLOCK) {
            shm_drop(file, i);
        } else if (shm_take(file, i, exclusive) != SQLITE_OK) {
            while (i-- > slot) shm_drop(file, i);
            return SQLITE_BUSY;
        }
    }
    return SQLITE_OK;
}

static void file_shm_barrier(sqlite3_file *base) { (void)base; }

/* With the last connection the memory goes: whoever comes first afterwards reads the log. */
static int file_shm_unmap(sqlite3_file *base, int delete)
{
    (void)delete;
    struct shim_file *file = self(base);
    struct inode *inode = file->inode;
    if (!file->maps) return SQLITE_OK;
    for (int slot = 0; slot < SQLITE_SHM_NLOCK; slot++) shm_drop(file, slot);
    file->maps = false;
    if (--inode->mapped) return SQLITE_OK;
    for (int i = 0; i < SHM_REGIONS_MAX; i++) {
        free(inode->region[i]);
        inode->region[i] = NULL;
    }
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
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
    struct shim_file *file = self(base);
    *file = (struct shim_file){ 0 };
    must(name); /* Temporary files are kept in memory by SQLite itself. */
    int entry = find_entry(name);
    if (entry < 0 && !(flags & SQLITE_OPEN_CREATE)) {
        shim.last_errno = ENOENT;
        return SQLITE_CANTOPEN;
    }
    file->inode = entry < 0 ? new_inode(name) : shim.entry[entry].inode;
    if (entry < 0) {
        file->inode->fresh_log = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
        record_name(DISK_CREATE, file->inode, name);
    }
    file->inode->open_count++;
    if (flags & SQLITE_OPEN_DELETEONCLOSE) file->delete_name = name;
    file->base.pMethods = &methods;
    if (ret_flags) *ret_flags = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
    (void)vfs;
    int entry = find_entry(name);
    if (entry < 0) return SQLITE_IOERR_DELETE_NOENT;
    record_name(DISK_DELETE, shim.entry[entry].inode, name);
    if (sync_directory && shim.entry[entry].inode->recorded) record(DISK_SYNC_DIRECTORY, NULL);
    unlink_entry(entry);
    return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_access)
{
    (void)vfs;
    int entry = find_entry(name);
    /* A file without bytes counts as absent, as in the unix layer. */
    *ret_access = entry >= 0 && (flags != SQLITE_ACCESS_EXISTS || shim.entry[entry].inode->n > 0);
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int n, char *ret_name)
{
    (void)vfs;
    sqlite3_snprintf(n, ret_name, "%s", name);
    return SQLITE_OK;
}

/* The same in every run: the salts of the log come from here. */
static int vfs_randomness(sqlite3_vfs *vfs, int n, char *ret_bytes)
{
    (void)vfs;
    for (int i = 0; i < n; i++) {
        shim.random = shim.random * 6364136223846793005U + 1442695040888963407U;
        ret_bytes[i] = (char)(shim.random >> 56);
    }
    return n;
}

/* Whoever holds a lock is in this thread: waiting does not help. */
static int vfs_sleep(sqlite3_vfs *vfs, int us)
{
    (void)vfs;
    return us;
}

static int vfs_time(sqlite3_vfs *vfs, double *ret_time)
{
    (void)vfs;
    return shim.system->xCurrentTime(shim.system, ret_time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int n, char *ret_text)
{
    (void)vfs;
    if (n > 0) ret_text[0] = 0;
    return shim.last_errno;
}

void shim_install(void)
{
    if (shim.system) return;
    sqlite_configure(); /* As the program does, before SQLite is first used. */
    shim.system = sqlite3_vfs_find(NULL);
    must(shim.system);
    shim.vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct shim_file),
        .mxPathname = NAME_BYTES_MAX,
        .zName = "shim",
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    must(sqlite3_vfs_register(&shim.vfs, 1) == SQLITE_OK);
}
