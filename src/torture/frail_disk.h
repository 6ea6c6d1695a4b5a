/* torture/frail_disk.h — the real disk, with a plan to fail.
 *
 * A layer between SQLite and the file system of this process. Files are where they always are,
 * on the real disk; but the disk can be small, and the power can go: then the files are made
 * what a disk may hold that lost some of what was not synced (power_cut.h), and the process ends
 * there and then.
 */
#ifndef TORTURE_FRAIL_DISK_H
#define TORTURE_FRAIL_DISK_H

#include "torture/power_cut.h"

enum { POWER_GONE_EXIT = 77 };

struct frail_plan {
    bool armed;            /* From the start; else from SIGUSR1 on. */
    uint64_t cut_at_sync;  /* The power goes instead of the n-th sync when armed; 0: never. */
    uint64_t cut_at_write; /* The same for writes. */
    struct cut cut;
    uint64_t capacity; /* Bytes for all files of the store, its reserve included; 0: any number. */
};

/* Makes it SQLite's default for the rest of the process. */
void frail_install(const struct frail_plan *plan);

/* Bytes of a store's files. */
uint64_t frail_used(const char *store_path);

#endif
