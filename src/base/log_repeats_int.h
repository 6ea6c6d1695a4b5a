/* base/log_repeats_int.h — which lines of the log say the same as one that was written within the last
 * second.
 *
 * A server that is away fails ten thousand jobs for one reason. The first line tells it at once. The
 * others are counted, and the newest of them is kept until the second is over. More than LOG_REPEATS_MAX
 * different events within a second are not limited.
 */
#ifndef BASE_LOG_REPEATS_INT_H
#define BASE_LOG_REPEATS_INT_H

#include "base/buf.h"
#include "base/limits.h"

#include <stdint.h>

enum { LOG_REPEATS_MS = 1000 };

struct log_repeats {
    struct log_repeat {
        uint64_t says; /* The hash of the event and of its values. */
        int64_t written_ms;
        uint64_t count;  /* Lines that were kept back since then … */
        struct buf line; /* … and the last of them. */
    } slot[LOG_REPEATS_MAX];
};

/* True: the line was kept back, because one that says the same was written less than a second ago. */
bool log_repeats_keep(struct log_repeats *repeats, uint64_t says, str line, int64_t now_ms);

/* The next line to be written, whose second is over; with `all` also before. False: there is none. The
 * line is valid until the next call. */
bool log_repeats_next(struct log_repeats *repeats, int64_t now_ms, bool all, str *ret_line,
                      uint64_t *ret_count);

#endif
