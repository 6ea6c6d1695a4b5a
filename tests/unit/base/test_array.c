#include "base/array.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct queue {
    uint64_t *item;
    size_t count, cap;
};

static void check(const struct queue *queue)
{
    assert_int_equal(queue->count, 1000);
    assert_true(queue->cap >= 1000 && queue->cap < 2000);
    for (size_t i = 0; i < queue->count; i++) assert_int_equal(queue->item[i], i * 3);
}

static void an_array_grows_on_the_heap(void **state)
{
    struct queue queue = { 0 };
    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        array_reserve(queue.item, queue.count, queue.cap);
        queue.item[queue.count++] = i * 3;
    }
    check(&queue);
    free(queue.item);
}

static void an_array_grows_in_an_arena(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (int alone = 0; alone < 2; alone++) {
        struct queue queue = { 0 };
        for (size_t i = 0; i < 1000; i++) {
            array_reserve_in(&arena, queue.item, queue.count, queue.cap);
            for (size_t k = queue.count; k < queue.cap; k++) assert_int_equal(queue.item[k], 0);
            if (!alone) memset(arena_alloc(&arena, 8), 0xff, 8); /* Lies where the array could have grown. */
            queue.item[queue.count++] = i * 3;
        }
        check(&queue);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_on_the_heap),
        cmocka_unit_test(an_array_grows_in_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
