/* base/log_repeats_int.h — which lines the log keeps back, because it wrote enough within the last second.
 *
 * A server that is away fails ten thousand jobs for one reason. The first line tells it at once. The
 * others are counted, and the newest of them is kept until the second is over.
 *
 * Reasons come from workers and from servers, so a worker that invents a new reason for each job must not
 * fill the disk or hold up turns. An event has LOG_EVENT_LINES_MAX different lines in a second, and all
 * events have LOG_REPEATS_MAX. Lines beyond are counted with a line of their event, or as others.
 */
#ifndef BASE_LOG_REPEATS_INT_H
#define BASE_LOG_REPEATS_INT_H

#include "base/buf.h"
#include "base/limits.h"

#include <stdint.h>

enum { LOG_REPEATS_MS = 1000 };

struct log_repeat {
    uint64_t event, says; /* Hashes of the event, and of the event with its values. */
    int64_t written_ms;
    uint64_t count;  /* Lines that were kept back since then … */
    struct buf line; /* … and the last of them. */
};

struct log_repeats {
    struct log_repeat slot[LOG_REPEATS_MAX];
    struct log_repeat others; /* Counts lines for which no slot is free. */
};

/* True: the line was kept back. */
bool log_repeats_keep(struct log_repeats *repeats, uint64_t event, uint64_t says, str line, int64_t now_ms);

/* The next line to be written, whose second is over; with `all` also before. False: there is none. The
 * line is valid until the next call. */
bool log_repeats_next(struct log_repeats *repeats, int64_t now_ms, bool all, str *ret_line,
                      uint64_t *ret_count);

#endif
