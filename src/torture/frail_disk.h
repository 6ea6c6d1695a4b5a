/* torture/frail_disk.h — the real disk, with a plan to fail.
 *
 * This is a layer between SQLite and the file system of this process. Files stay where they are, on the real
 * disk. But the disk can be small, and the power can fail: then the layer changes the files to what a disk
 * may hold that lost some of the writes that were not synced (power_cut.h), and ends the process at once.
 */
#ifndef TORTURE_FRAIL_DISK_H
#define TORTURE_FRAIL_DISK_H

#include "torture/power_cut.h"

enum { POWER_GONE_EXIT = 77 };

struct frail_plan {
    bool armed;            /* The plan holds from the start; else from SIGUSR1 on. */
    uint64_t cut_at_sync;  /* The power fails instead of the n-th sync while armed; 0: never. */
    uint64_t cut_at_write; /* The same for writes. */
    struct cut cut;
    uint64_t capacity; /* Bytes for all files of the store, its reserve included; 0: any number. */
};

/* Makes the layer SQLite's default for the rest of the process. */
void frail_install(const struct frail_plan *plan);

/* Bytes of a store's files. */
uint64_t frail_used(const char *store_path);

#endif
