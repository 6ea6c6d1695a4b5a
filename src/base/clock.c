#include "base/clock.h"

#include "base/must.h"

#include <stddef.h>
#include <time.h>

static int64_t system_now_ms(void *context)
{
    (void)context;
    struct timespec now;
    must(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct clock clock_system(void) { return (struct clock){ .now_ms = system_now_ms, .context = NULL }; }

int64_t clock_monotonic_us(void)
{
    struct timespec now;
    must(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
