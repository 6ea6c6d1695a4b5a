/* base/clock.h — time as something that is handed in.
 *
 * Nothing in the engine asks the system for the time but through a struct clock, so that
 * tests and the simulation can turn it by hand. Wall time is milliseconds since 1970 UTC.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

struct clock {
    int64_t (*now_ms)(void *context);
    void *context;
};

static inline int64_t clock_now_ms(const struct clock *clock) { return clock->now_ms(clock->context); }

/* The machine's clock. */
struct clock clock_system(void);

/* The machine's clock, except that it never goes back: when somebody sets the machine's clock
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
