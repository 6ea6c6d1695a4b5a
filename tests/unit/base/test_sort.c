#include "base/sort.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Sorted by key alone; `place` shows whether equal keys kept their order. */
struct item {
    uint32_t key, place;
};

static int compare(const void *a, const void *b, const void *context)
{
    const struct item *left = a, *right = b;
    ++**(size_t *const *)context;
    return left->key < right->key ? -1 : left->key > right->key;
}

/* Sorts items whose keys are key(i), checks the result and returns how many comparisons it took. */
static size_t sorted(size_t count, uint32_t (*key)(size_t i))
{
    struct item *items = calloc(2 * count + 1, sizeof *items);
    for (size_t i = 0; i < count; i++) items[i] = (struct item){ key(i), (uint32_t)i };
    size_t comparisons = 0, *counter = &comparisons;
    sort_stable(items, items + count, count, sizeof *items, compare, &counter);
    for (size_t i = 1; i < count; i++) {
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key) assert_true(items[i - 1].place < items[i].place);
    }
    uint64_t places = 0;
    for (size_t i = 0; i < count; i++) places += items[i].place;
    assert_int_equal(places, count ? count * (count - 1) / 2 : 0);
    free(items);
    return comparisons;
}

static uint32_t scattered(size_t i) { return (uint32_t)(i * 2654435761u) >> 20; }
static uint32_t few(size_t i) { return (uint32_t)(i * 2654435761u) >> 30; }
static uint32_t rising(size_t i) { return (uint32_t)i; }
static uint32_t falling(size_t i) { return UINT32_MAX - (uint32_t)i; }

static void items_are_sorted_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    for (size_t count = 0; count < 70; count++) {
        sorted(count, scattered);
        sorted(count, few);
        sorted(count, rising);
        sorted(count, falling);
    }
    sorted(10000, scattered);
    sorted(10000, few);
}

static void no_order_of_the_input_is_slow(void **state)
{
    (void)state;
    enum { COUNT_ = 1 << 14, LEVELS = 14 };
    assert_int_equal(sorted(COUNT_, rising), COUNT_ - 1); /* Only a look at each border of two runs. */
    assert_true(sorted(COUNT_, falling) <= COUNT_ * LEVELS);
    assert_true(sorted(COUNT_, scattered) <= 2 * COUNT_ * LEVELS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_sorted_and_equal_ones_keep_their_order),
        cmocka_unit_test(no_order_of_the_input_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
