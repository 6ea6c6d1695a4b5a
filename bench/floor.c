/* bench/floor.c — what durability costs at least here: an append-only log with a real sync.
 *
 *     floor FILE COMMANDS BATCH BYTES
 *
 * Appends COMMANDS records of BYTES bytes and syncs after every BATCH of them. Prints one line of JSON.
 */
#include "wire.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: floor FILE COMMANDS BATCH BYTES\n");
        return 2;
    }
    long commands = atol(argv[2]), batch = atol(argv[3]), bytes = atol(argv[4]), syncs = 0;
    size_t n = (size_t)(batch * bytes);
    char *records = malloc(n);
    int64_t *took_us = calloc((size_t)(commands / batch + 1), sizeof took_us[0]);
    int fd = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (!records || !took_us || fd < 0) wire_die(argv[1]);
    memset(records, 'x', n);
    double cpu_us = wire_cpu_us();
    int64_t began_us = wire_now_us();
    for (long done = 0; done < commands; done += batch) {
        int64_t before_us = wire_now_us();
        if (write(fd, records, n) != (ssize_t)n || fdatasync(fd) != 0) wire_die("write");
        took_us[syncs++] = wire_now_us() - before_us;
    }
    double seconds = (double)(wire_now_us() - began_us) / 1e6;
    printf("{\"perSecond\":%.1f,\"cpuUs\":%.2f,\"syncP50Us\":%lld,\"syncP99Us\":%lld}\n", (double)commands / seconds,
           (wire_cpu_us() - cpu_us) / (double)commands, (long long)wire_percentile(took_us, (size_t)syncs, 500),
           (long long)wire_percentile(took_us, (size_t)syncs, 990));
    close(fd);
    unlink(argv[1]);
    return 0;
}
