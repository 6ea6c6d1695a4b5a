#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void allocations_are_aligned_and_apart(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *before = NULL;
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, 3 };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *p = arena_alloc(&arena, sizes[i]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_ptr_not_equal(p, before);
        memset(p, 0x5a, sizes[i]);
        before = p;
    }
    arena_done(&arena);
}

static void zeroed_memory_is_zero_even_after_reset(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    memset(arena_alloc(&arena, 1000), 0xff, 1000);
    arena_reset(&arena);
    const unsigned char *p = arena_make_n(&arena, unsigned char, 1000);
    for (size_t i = 0; i < 1000; i++) assert_int_equal(p[i], 0);
    arena_done(&arena);
}

static void the_budget_is_seen_and_not_enforced(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 64);
    arena_alloc(&arena, 64);
    assert_false(arena_over(&arena));
    assert_non_null(arena_alloc(&arena, 1));
    assert_true(arena_over(&arena));
    arena_reset(&arena);
    assert_false(arena_over(&arena));
    assert_int_equal(arena.used, 0);
    arena_done(&arena);
}

static void only_the_latest_allocation_is_extended_and_only_where_there_is_room(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *first = arena_alloc(&arena, 20), *latest = arena_alloc(&arena, 20);
    assert_false(arena_extend(&arena, first, 20, 21));
    assert_int_equal(arena.used, 64);
    assert_true(arena_extend(&arena, latest, 20, 100));
    assert_int_equal(arena.used, 32 + 112);
    size_t left = (size_t)(arena.end - arena.next);
    assert_false(arena_extend(&arena, latest, 100, 112 + left + 1));
    assert_false(arena_extend(&arena, latest, 100, SIZE_MAX));
    assert_int_equal(arena.used, 32 + 112);
    assert_true(arena_extend(&arena, latest, 100, 112 + left));
    assert_ptr_equal(arena.next, arena.end);
    memset(latest, 0x5a, 112 + left);
    assert_ptr_not_equal(arena_alloc(&arena, 1), latest + 112 + left); /* In a new chunk. */
    arena_done(&arena);
}

static void a_reserve_is_all_there_is_until_it_is_used_up(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 16, 1000, 5000, 10 << 20 };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        arena_reserve(&arena, sizes[i]);
        size_t held = arena_bytes(&arena), room = (size_t)(arena.end - arena.next);
        assert_in_range(room, sizes[i], sizes[i] + 15);
        assert_in_range(held, room, room + 32);
        assert_int_equal(arena.used, 0);
        if (sizes[i]) memset(arena_alloc(&arena, sizes[i]), 0x5a, sizes[i]);
        assert_int_equal(arena_bytes(&arena), held);
        memset(arena_alloc(&arena, 1), 0x5a, 1); /* In a chunk that is small by comparison. */
        assert_in_range(arena_bytes(&arena) - held, 256, sizes[i] < 1024 ? 256 + 32 : sizes[i] / 4 + 32);
        memset(arena_alloc(&arena, 5000), 0x5a, 5000);
        arena_done(&arena);
        assert_int_equal(arena_bytes(&arena), 0);
    }
}

static void chunks_double_also_after_a_reset(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    arena_alloc(&arena, 4096);
    size_t first = arena_bytes(&arena);
    arena_alloc(&arena, 1);
    size_t both = arena_bytes(&arena);
    assert_in_range(both - first, 2 * 4096, 2 * 4096 + 32);
    arena_reset(&arena);
    assert_int_equal(arena_bytes(&arena), both - first); /* The larger one was kept. */
    arena_alloc(&arena, 2 * 4096);
    arena_alloc(&arena, 1);
    assert_in_range(arena_bytes(&arena) - (both - first), 4 * 4096, 4 * 4096 + 32);
    arena_done(&arena);
}

static void a_large_array_apart_does_not_make_the_next_chunks_large(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *fits = arena_alloc_apart(&arena, 3, 5); /* The first chunk is as large as always. */
    size_t first = arena_bytes(&arena);
    assert_in_range(first, 4096, 4096 + 32);
    char *large = memset(arena_alloc_apart(&arena, 100, 1000), 0x5a, 100 * 1000);
    assert_in_range(arena_bytes(&arena) - first, 100 * 1000, 100 * 1000 + 32);
    assert_int_equal(arena.used, 16 + 100 * 1000);
    assert_ptr_equal(arena_alloc(&arena, 1), fits + 16); /* The first chunk has room yet. */
    size_t both = arena_bytes(&arena);
    memset(arena_alloc(&arena, 4096), 0xa5, 4096);
    assert_in_range(arena_bytes(&arena) - both, 2 * 4096, 2 * 4096 + 32);
    assert_int_equal(large[100 * 1000 - 1], 0x5a);
    arena_reset(&arena);
    assert_in_range(arena_bytes(&arena), 2 * 4096, 2 * 4096 + 32);
    assert_non_null(arena_alloc_apart(&arena, 0, 1000));
    arena_done(&arena);
}

static void an_arena_adopts_what_lies_in_another(void **state)
{
    (void)state;
    for (int filled = 0; filled < 2; filled++) {
        struct arena arena, other;
        arena_init(&arena, 0);
        arena_init(&other, 0);
        str own = filled ? arena_str(&arena, STR("own")) : STR("own");
        str small = arena_str(&other, STR("small"));
        char *large = memset(arena_alloc(&other, 100000), 'x', 100000);
        size_t used = arena.used + other.used;
        arena_adopt(&arena, &other);
        arena_done(&other); /* It has nothing left. */
        assert_int_equal(arena.used, used);
        assert_int_equal(other.used, 0);
        str later = arena_str(&arena, STR("later"));
        assert_true(str_equal(own, STR("own")) && str_equal(small, STR("small")));
        assert_true(str_equal(later, STR("later")) && large[0] == 'x' && large[99999] == 'x');
        arena_adopt(&arena, &other); /* Nothing happens. */
        arena_reset(&arena);
        memset(arena_alloc(&arena, 100), 'y', 100);
        arena_done(&arena);
    }
}

static void copied_text_ends_with_a_nul_and_keeps_those_inside(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    str copy = arena_str(&arena, STR("a\0b"));
    assert_int_equal(copy.n, 3);
    assert_memory_equal(copy.p, "a\0b", 4);
    assert_int_equal(arena_str(&arena, STR_NONE).n, 0);
    str printed = arena_printf(&arena, "%s-%d", "x", 42);
    assert_true(str_equal(printed, STR("x-42")));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_apart),
        cmocka_unit_test(zeroed_memory_is_zero_even_after_reset),
        cmocka_unit_test(the_budget_is_seen_and_not_enforced),
        cmocka_unit_test(only_the_latest_allocation_is_extended_and_only_where_there_is_room),
        cmocka_unit_test(a_reserve_is_all_there_is_until_it_is_used_up),
        cmocka_unit_test(chunks_double_also_after_a_reset),
        cmocka_unit_test(a_large_array_apart_does_not_make_the_next_chunks_large),
        cmocka_unit_test(an_arena_adopts_what_lies_in_another),
        cmocka_unit_test(copied_text_ends_with_a_nul_and_keeps_those_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
