#include "cli/serve/disk.h"

#include "cli/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint64_t GIB = UINT64_C(1) << 30;

/* A twentieth of a small disk is enough, and a gibibyte of a large one. */
static void little_space_is_a_twentieth_or_a_gibibyte(void **state)
{
    (void)state;
    assert_false(disk_is_low(GIB / 20, GIB, false));
    assert_true(disk_is_low(GIB / 20 - 1, GIB, false));
    assert_false(disk_is_low(DISK_LOW_BYTES, 1000 * GIB, false));
    assert_true(disk_is_low(DISK_LOW_BYTES - 1, 1000 * GIB, false));
}

/* A disk whose space goes up and down around the bound is told of once. */
static void a_disk_that_was_low_needs_a_tenth_more(void **state)
{
    (void)state;
    assert_true(disk_is_low(GIB + GIB / 10 - 1, 1000 * GIB, true));
    assert_false(disk_is_low(GIB + GIB / 10, 1000 * GIB, true));
}

static void a_path_that_is_not_there_is_no_disk(void **state)
{
    (void)state;
    struct disk_watch watch = { .path = "/nowhere/at/all" };
    disk_look(&watch, 1);
    assert_false(watch.is_low);
    watch.path = NULL;
    disk_look(&watch, 1);
    assert_false(watch.is_low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_space_is_a_twentieth_or_a_gibibyte),
        cmocka_unit_test(a_disk_that_was_low_needs_a_tenth_more),
        cmocka_unit_test(a_path_that_is_not_there_is_no_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
