/* base/clock.h — time as a value that callers pass in.
 *
 * All code of the engine asks a struct clock for the time, never the system, so that tests and
 * the simulation can set it. Wall time is milliseconds since 1970 UTC.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct clock {
    int64_t (*now_ms)(void *context);
    void *context;
};

static inline int64_t clock_now_ms(const struct clock *clock) { return clock->now_ms(clock->context); }

/* No clock of ours shows a time before 1970 or behind the last millisecond of the year 9999: dates have four
 * digits for the year, and ids 48 bits for the time. The nearest one is shown instead. */
static inline int64_t clock_within(int64_t ms) { return ms < 0 ? 0 : ms > CLOCK_MS_MAX ? CLOCK_MS_MAX : ms; }

/* False if the machine's clock shows a time that is out of these bounds. */
bool clock_is_sane(void);

/* The machine's clock. */
struct clock clock_system(void);

/* The machine's clock, except that it never goes back: when an operator sets the machine's clock
 * back, this one goes on at the pace of real time until it has been caught up with. For one
 * thread; the state is the caller's, zeroed. */
struct steady {
    int64_t last_ms;
    int64_t last_us; /* clock_monotonic_us() at last_ms. */
};
struct clock clock_steady(struct steady *steady);

/* Microseconds of a clock that never jumps, for measuring how long things take. */
int64_t clock_monotonic_us(void);

#endif
