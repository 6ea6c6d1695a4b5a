/* The machine's clock is replaced: whatever it shows, ours stays where ids and dates can be made of it. */
#include "base/clock.h"

#include "base/id.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

static struct timespec wall, steps;

/* As declared by the C library, whose own is never called. */
int clock_gettime(clockid_t which, struct timespec *ret_time)
{
    *ret_time = which == CLOCK_REALTIME ? wall : steps;
    return 0;
}

static void a_clock_out_of_bounds_shows_the_nearest_time(void **state)
{
    static const struct {
        int64_t seconds;
        bool sane;
        int64_t want_ms;
    } cases[] = {
        { 0, true, 0 },
        { 1767225600, true, INT64_C(1767225600000) },
        { -1, false, 0 },
        { CLOCK_MS_MAX / 1000, true, CLOCK_MS_MAX / 1000 * 1000 },
        { CLOCK_MS_MAX / 1000 + 1, false, CLOCK_MS_MAX },
        { INT64_C(1) << 48, false, CLOCK_MS_MAX }, /* Its milliseconds do not fit an id. */
        { INT64_MAX / 1000, false, CLOCK_MS_MAX },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct steady steady = { 0 };
        struct clock system = clock_system(), own = clock_steady(&steady);
        char id[ID_CHARS + 1];
        wall = (struct timespec){ .tv_sec = cases[i].seconds };
        assert_int_equal(clock_is_sane(), cases[i].sane);
        assert_int_equal(clock_now_ms(&system), cases[i].want_ms);
        assert_int_equal(clock_now_ms(&own), cases[i].want_ms);
        id_print((struct id){ .ms = clock_now_ms(&own), .instance = 1 }, id);
    }
}

static void a_steady_clock_stays_within_bounds_when_it_goes_on_by_itself(void **state)
{
    (void)state;
    struct steady steady = { 0 };
    struct clock own = clock_steady(&steady);
    wall = (struct timespec){ .tv_sec = CLOCK_MS_MAX / 1000 };
    steps = (struct timespec){ 0 };
    clock_now_ms(&own);
    wall.tv_sec -= 1000; /* Somebody sets it back. */
    steps.tv_sec = 5;
    assert_int_equal(clock_now_ms(&own), CLOCK_MS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_out_of_bounds_shows_the_nearest_time),
        cmocka_unit_test(a_steady_clock_stays_within_bounds_when_it_goes_on_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
