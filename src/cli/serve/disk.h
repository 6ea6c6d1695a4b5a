/* cli/serve/disk.h — warns in the log before the disk of the store is full. */
#ifndef CLI_SERVE_DISK_H
#define CLI_SERVE_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct disk_watch {
    const char *path;
    int64_t looked_us; /* 0: not yet. */
    bool is_low;
};

/* Looks once in DISK_LOOK_MS, and tells when the space runs short and when there is enough again. */
void disk_look(struct disk_watch *watch, int64_t now_us);

/* Is this little? Less than DISK_LOW_BYTES and less than a twentieth of the disk. A watch that has warned
 * wants a tenth more. */
bool disk_is_low(uint64_t free_bytes, uint64_t all_bytes, bool was_low);

#endif
