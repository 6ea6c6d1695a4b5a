/* cli/serve/disk.c — how much space the disk of the store has left. See disk.h. */
#include "cli/serve/disk.h"

#include "base/log.h"
#include "cli/limits.h"

#include <stdio.h>
#include <sys/statvfs.h>

bool disk_is_low(uint64_t free_bytes, uint64_t all_bytes, bool was_low)
{
    uint64_t enough = all_bytes / 20 < DISK_LOW_BYTES ? all_bytes / 20 : DISK_LOW_BYTES;
    if (was_low) enough += enough / 10;
    return free_bytes < enough;
}

void disk_look(struct disk_watch *watch, int64_t now_us)
{
    struct statvfs disk;
    if (!watch->path || (watch->looked_us && now_us - watch->looked_us < DISK_LOOK_MS * INT64_C(1000)))
        return;
    watch->looked_us = now_us;
    if (statvfs(watch->path, &disk) != 0) return;
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    bool low = disk_is_low(free_bytes, (uint64_t)disk.f_blocks * disk.f_frsize, watch->is_low);
    if (low == watch->is_low) return;
    watch->is_low = low;
    char megabytes[24];
    snprintf(megabytes, sizeof megabytes, "%llu", (unsigned long long)(free_bytes >> 20));
    if (low) log_write(LOG_WARN, "the disk of the store is nearly full", "#free_mb", megabytes, NULL);
    else log_write(LOG_INFO, "the disk of the store has enough space again", "#free_mb", megabytes, NULL);
}
