/* A clock that is wrong: preloaded into a node, it moves the time of day by PAWL_CLOCK_MS milliseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long offset(void)
{
    static long known = 0;
    static int asked = 0;
    if (!asked) {
        const char *text = getenv("PAWL_CLOCK_MS");
        known = text ? atol(text) : 0;
        asked = 1;
    }
    return known;
}

static void move(time_t *seconds, long *fraction, long per_second)
{
    long ms = offset();
    long moved = *fraction + ms % 1000 * (per_second / 1000);
    *seconds += ms / 1000;
    if (moved < 0) {
        moved += per_second;
        --*seconds;
    } else if (moved >= per_second) {
        moved -= per_second;
        ++*seconds;
    }
    *fraction = moved;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *) = NULL;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        move(&now->tv_sec, &now->tv_nsec, 1000000000);
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return result;
}

time_t time(time_t *out)
{
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (out) *out = precise.tv_sec;
    return precise.tv_sec;
}
