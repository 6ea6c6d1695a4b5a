/* tests/power/shim_vfs.h — a disk in memory for SQLite, with a record of what it was told.
 *
 * Once installed it is SQLite's default file layer. Files live in memory; every creation, write,
 * truncation, deletion and sync of a recorded file is kept in order, so that the contents of a
 * real disk after a power cut at any of them can be made up later (torture/power_cut.h). Reads, writes
 * and syncs can be made to fail, and the disk can be made small.
 *
 * The C library's posix_fallocate() is replaced by one that knows how small the disk is.
 *
 * One thread. Locks and the WAL's shared memory work between the connections of that thread.
 */
#ifndef TESTS_POWER_SHIM_VFS_H
#define TESTS_POWER_SHIM_VFS_H

#include "torture/power_cut.h"

/* Makes it SQLite's default. May be called again. */
void shim_install(void);

/* Forgets the record and begins a new one of files whose names begin so. */
void shim_record(const char *prefix);
const struct disk_log *shim_log(void);

/* Forgets files whose names begin so. None may be open. */
void shim_remove(const char *prefix);
/* Makes a file. The bytes are copied. */
void shim_put(const char *name, const uint8_t *bytes, size_t n);
/* Makes files with that prefix: the disk if the power goes now. Returns the hash of power_image(). */
uint64_t shim_image(const struct power *power, const struct cut *cut, const char *prefix);

/* ---- what goes wrong ---- */

enum shim_access { SHIM_ON_READ, SHIM_ON_WRITE, SHIM_ON_SYNC, SHIM_ACCESS_COUNT };

struct shim_fault {
    enum shim_access access;
    uint64_t nth;  /* Counted from 1, from shim_fail() on; 0: never. */
    bool for_good; /* All after it fail too. */
};

/* Accesses to recorded files fail with EIO from now on. */
void shim_fail(const struct shim_fault *fault);
/* While paused nothing fails, and nothing counts. Returns whether it was before. */
bool shim_pause(bool paused);
/* How often that has happened, and how many accesses of a kind there were since. */
uint64_t shim_failures(void);
uint64_t shim_accesses(enum shim_access access);

/* Before every read, write, truncation and sync of a recorded file `visit` may do what another process would
 * do, with connections of its own; NULL: nobody does. It is not called while paused. */
void shim_visit(void (*visit)(void *context), void *context);

/* So many bytes fit on the disk, all files and a real one, the store's reserve, together; 0: any
 * number. */
void shim_set_capacity(size_t bytes, const char *reserve_path);
size_t shim_used(void);

#endif
