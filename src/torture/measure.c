/* torture/measure.c — measures how long syncs take, and whether that is believable. */
#include "torture/torture.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MEASURE_US = 400000, BLOCK_BYTES = 4096, SPINNING_US = 300, SOLID_US = 15 };

static int compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static bool reads_one(const char *path)
{
    char text = '0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool one = read(fd, &text, 1) == 1 && text == '1';
    close(fd);
    return one;
}

/* A partition has no queue of its own; the disk that it belongs to has. */
static bool spins(dev_t device)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/queue/rotational", major(device), minor(device));
    if (access(path, F_OK) != 0)
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/../queue/rotational", major(device), minor(device));
    return reads_one(path);
}

static void judge(int fd, struct disk_measure *measure)
{
    struct statfs system;
    struct stat about;
    const char *warning = "";
    if (fstatfs(fd, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
        warning = "this directory is in memory: nothing in it survives a power loss";
    else if (measure->p50_us < SOLID_US)
        warning = "syncs are faster than any disk without a protected cache: something below acknowledges "
                  "them early";
    else if (measure->p50_us < SPINNING_US && fstat(fd, &about) == 0 && spins(about.st_dev))
        warning = "the disk says that it spins, and syncs are faster than it turns: a cache acknowledges "
                  "them early";
    snprintf(measure->warning, sizeof measure->warning, "%s", warning);
}

enum status torture_measure_disk(const char *directory, struct disk_measure *ret_measure, struct error *err)
{
    static const char block[BLOCK_BYTES];
    char path[TORTURE_PATH_BYTES + 16];
    int64_t took_us[TORTURE_SYNCS_MAX];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/sync", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return fail(err, ST_STORE, path, "cannot write to %s: %s", directory, strerror(errno));
    int64_t began_us = clock_monotonic_us();
    enum status status = ST_OK;
    while (count < TORTURE_SYNCS_MAX && clock_monotonic_us() - began_us < MEASURE_US) {
        int64_t before_us = clock_monotonic_us();
        if (write(fd, block, sizeof block) != sizeof block || fdatasync(fd) != 0) {
            status = fail(err, ST_STORE, path, "cannot write to %s: %s", directory, strerror(errno));
            break;
        }
        took_us[count++] = clock_monotonic_us() - before_us;
    }
    if (status == ST_OK) {
        qsort(took_us, count, sizeof took_us[0], compare);
        *ret_measure = (struct disk_measure){
            .syncs = count,
            .p50_us = took_us[count / 2],
            .p99_us = took_us[count * 99 / 100],
        };
        judge(fd, ret_measure);
    }
    close(fd);
    unlink(path);
    return status;
}
