/* base/clock.c — reads the machine's clocks, and makes one of them never go back. */
#include "base/clock.h"

#include "base/must.h"

#include <stddef.h>
#include <time.h>

static int64_t machine_now_ms(void)
{
    struct timespec now;
    must(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool clock_is_sane(void)
{
    int64_t ms = machine_now_ms();
    return ms == clock_within(ms);
}

static int64_t system_now_ms(void *context)
{
    (void)context;
    return clock_within(machine_now_ms());
}

struct clock clock_system(void) { return (struct clock){ .now_ms = system_now_ms, .context = NULL }; }

int64_t clock_monotonic_us(void)
{
    struct timespec now;
    must(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t steady_now_ms(void *context)
{
    struct steady *steady = context;
    int64_t wall_ms = system_now_ms(NULL), now_us = clock_monotonic_us();
    if (wall_ms >= steady->last_ms) {
        *steady = (struct steady){ .last_ms = wall_ms, .last_us = now_us };
        return wall_ms;
    }
    return clock_within(steady->last_ms + (now_us - steady->last_us) / 1000);
}

struct clock clock_steady(struct steady *steady)
{
    return (struct clock){ .now_ms = steady_now_ms, .context = steady };
}
