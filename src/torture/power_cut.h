/* torture/power_cut.h — the states in which a power cut may leave a disk.
 *
 * The model walks along a record of the operations of a disk. At each place, everything that was synced is on
 * the disk. Any part of the rest may be: each write may be kept, dropped or torn at 512 bytes, independently
 * of the others. A rule (enum cut_kind) chooses.
 */
#ifndef TORTURE_POWER_CUT_H
#define TORTURE_POWER_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the record ---- */

enum disk_op_kind {
    DISK_CREATE, /* A name leads to a new inode. */
    DISK_DELETE, /* A name leads nowhere. */
    DISK_WRITE,
    DISK_TRUNCATE,
    DISK_SYNC,           /* All writes to the inode are on the disk. */
    DISK_SYNC_FAILED,    /* They may be on the disk or not, and no later sync will write them. */
    DISK_SYNC_DIRECTORY, /* Names are on the disk. */
};

struct disk_op {
    enum disk_op_kind kind;
    unsigned inode;
    const char *name; /* For CREATE and DELETE. */
    size_t offset;    /* For WRITE; for TRUNCATE the length. */
    size_t n;
    uint8_t *bytes;
};

struct disk_log {
    struct disk_op *op;
    size_t count, cap;
    unsigned inode_count; /* Inodes are numbered from 0. */
};

/* ---- the rules ---- */

/* clang-format off */
#define CUT_MAP(XX)                                                                  \
    XX(KEEP_ALL,   "everything unsynced is kept")                                    \
    XX(DROP_ALL,   "everything unsynced is dropped")                                 \
    XX(ONLY_LAST,  "only the last write is kept")                                    \
    XX(BUT_LAST,   "all but the last write are kept")                                \
    XX(FIRST_HALF, "the first half is kept")                                         \
    XX(REVERSED,   "everything is kept, older writes over newer ones")               \
    XX(TORN_LAST,  "everything is kept, the last write torn")                        \
    XX(TORN_ALL,   "every sector is kept or dropped by lot")                         \
    XX(BY_LOT,     "every write is kept, dropped or torn by lot, in any order")
/* clang-format on */

enum cut_kind {
#define XX(NAME, words) CUT_##NAME,
    CUT_MAP(XX)
#undef XX
        CUT_KIND_COUNT
};
const char *power_cut_words(enum cut_kind kind);

struct cut {
    enum cut_kind kind;
    uint64_t seed;
    bool failed_syncs_lose; /* Bytes that a failed sync should have written are not on the disk. */
};

/* ---- walking ---- */

struct platter { /* An inode's bytes. */
    uint8_t *bytes;
    size_t n, cap;
};

struct power {
    const struct disk_log *log;
    size_t at;             /* Operations that have happened. */
    struct platter *inode; /* As they are on the disk. */
    const char **name;     /* The name of each inode on the disk, or NULL. */
    struct {
        size_t op;
        bool sync_failed;
    } * pending;
    size_t pending_count, pending_cap;
    bool failed_syncs; /* There was one. */
};

/* The log may grow while it is walked, its number of inodes may not. */
void power_init(struct power *power, const struct disk_log *log);
void power_done(struct power *power);

/* Goes one operation further; false at the end. */
bool power_step(struct power *power);

/* Calls `put` for every file that is on the disk if the power goes now. Returns a hash of all
 * names and contents. */
typedef void power_put_fn(void *context, const char *name, const uint8_t *bytes, size_t n);
uint64_t power_image(const struct power *power, const struct cut *cut, power_put_fn *put, void *context);

#endif
