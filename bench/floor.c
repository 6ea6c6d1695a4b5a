/* bench/floor.c — what durability costs at least here: an append-only log with a real sync.
 *
 *     floor FILE COMMANDS BATCH BYTES
 *
 * Appends COMMANDS records of BYTES bytes and syncs after every BATCH of them; then writes and syncs as many
 * batches over those that are there, which spares the file system the file's growth. Prints one line of JSON.
 */
#include "wire.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct log {
    int fd;
    const char *records;
    size_t bytes;
    int64_t *took_us;
};

/* Returns how long all of it took. */
static int64_t write_batches(const struct log *log, long count)
{
    int64_t began_us = wire_now_us();
    for (long i = 0; i < count; i++) {
        int64_t before_us = wire_now_us();
        if (write(log->fd, log->records, log->bytes) != (ssize_t)log->bytes || fdatasync(log->fd) != 0)
            wire_die("write");
        log->took_us[i] = wire_now_us() - before_us;
    }
    return wire_now_us() - began_us;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: floor FILE COMMANDS BATCH BYTES\n");
        return 2;
    }
    long commands = atol(argv[2]), batch = atol(argv[3]), bytes = atol(argv[4]), syncs = commands / batch;
    char *records = calloc((size_t)batch, (size_t)bytes);
    int64_t *took_us = calloc((size_t)syncs + 1, sizeof took_us[0]);
    struct log log = { open(argv[1], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644), records,
                       (size_t)(batch * bytes), took_us };
    if (!records || !took_us || log.fd < 0) wire_die(argv[1]);
    double cpu_us = wire_cpu_us();
    double seconds = (double)write_batches(&log, syncs) / 1e6;
    cpu_us = wire_cpu_us() - cpu_us;
    printf("{\"perSecond\":%.1f,\"cpuUs\":%.2f,\"syncP50Us\":%lld,\"syncP99Us\":%lld",
           (double)commands / seconds, cpu_us / (double)commands,
           (long long)wire_percentile(took_us, (size_t)syncs, 500),
           (long long)wire_percentile(took_us, (size_t)syncs, 990));
    if (lseek(log.fd, 0, SEEK_SET) != 0) wire_die("lseek");
    write_batches(&log, syncs);
    printf(",\"inPlaceP50Us\":%lld}\n", (long long)wire_percentile(took_us, (size_t)syncs, 500));
    close(log.fd);
    unlink(argv[1]);
    return 0;
}
