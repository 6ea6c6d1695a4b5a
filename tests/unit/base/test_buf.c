#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_buffer_grows_on_the_heap_and_in_an_arena(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct arena *places[] = { NULL, &arena };
    for (size_t i = 0; i < COUNT(places); i++) {
        struct buf buf;
        buf_init(&buf, places[i]);
        for (int k = 0; k < 1000; k++) buf_printf(&buf, "%03d", k);
        buf_add_char(&buf, '!');
        buf_add(&buf, NULL, 0);
        assert_int_equal(buf.n, 3001);
        assert_memory_equal(buf.p, "000001002", 9);
        assert_memory_equal(buf.p + 2997, "999!", 4);
        buf_done(&buf);
        assert_int_equal(buf.n, 0);
    }
    arena_done(&arena);
}

static void two_buffers_that_grow_by_turns_keep_their_bytes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct buf one, two;
    buf_init(&one, &arena);
    buf_init(&two, &arena);
    for (int i = 0; i < 5000; i++) {
        buf_add_char(&one, (char)i);
        if (i % 3) buf_add_char(&two, (char)~i);
    }
    for (int i = 0, k = 0; i < 5000; i++) {
        assert_int_equal(one.p[i], (char)i);
        if (i % 3) assert_int_equal(two.p[k++], (char)~i);
    }
    arena_done(&arena);
}

static void there_is_always_a_place_to_write(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, NULL);
    assert_non_null(buf_reserve(&buf, 0));
    buf_add(&buf, NULL, 0);
    buf_add_str(&buf, STR_NONE);
    assert_int_equal(buf.n, 0);
    buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_grows_on_the_heap_and_in_an_arena),
        cmocka_unit_test(two_buffers_that_grow_by_turns_keep_their_bytes),
        cmocka_unit_test(there_is_always_a_place_to_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
