/* bench/floor.c — what durability costs at least here: an append-only log with a real sync.
 *
 *     floor FILE WORKFLOWS BATCH
 *
 * Writes the four durable commands of a three-step workflow as records of 650 bytes, syncing
 * after every BATCH commands. Prints one line of JSON.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { RECORD_BYTES = 650, COMMANDS = 4 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    long workflows = atol(argv[2]), batch = atol(argv[3]), commands = workflows * COMMANDS, syncs = 0;
    char *records = malloc((size_t)batch * RECORD_BYTES);
    int fd = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (!records || fd < 0) {
        perror(argv[1]);
        return 1;
    }
    memset(records, 'x', (size_t)batch * RECORD_BYTES);
    double began = now();
    for (long done = 0; done < commands; done += batch, syncs++) {
        if (write(fd, records, (size_t)batch * RECORD_BYTES) < 0 || fdatasync(fd) != 0) {
            perror("write");
            return 1;
        }
    }
    double took = now() - began;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu_us = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("{\"perSecond\":%.0f,\"cpuUs\":%.1f,\"syncUs\":%.0f,\"bytes\":%d}\n", (double)workflows / took, cpu_us / (double)workflows,
           took * 1e6 / (double)syncs, RECORD_BYTES * COMMANDS);
    close(fd);
    unlink(argv[1]);
    return 0;
}
