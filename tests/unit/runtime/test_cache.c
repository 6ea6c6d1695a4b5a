/* runtime/memory/cache.h: what is found, how many bytes it takes, who goes first. */
#include "driver.h"

#include "base/arena.h"
#include "runtime/memory/cache.h"

#include <string.h>

static str bytes_of(struct arena *arena, size_t n, char fill)
{
    char *p = arena_alloc(arena, n);
    memset(p, fill, n);
    return (str){ p, n };
}

static void put(struct cache *cache, struct arena *arena, uint64_t id, size_t n, char fill)
{
    cache_put(cache, &(struct instance_row){ .id = id,
                                             .ns = 1,
                                             .definition = (int64_t)id * 10,
                                             .last_history = (int64_t)n,
                                             .state = bytes_of(arena, n, fill) });
}

static void assert_kept(struct cache *cache, struct arena *arena, uint64_t id, size_t n, char fill)
{
    const struct cached *cached = cache_get(cache, id);
    assert_non_null(cached);
    assert_int_equal(cached->id, id);
    assert_int_equal(cached->definition, id * 10);
    assert_int_equal(cached->last_history, n);
    assert_true(str_equal(cached_state(cached), bytes_of(arena, n, fill)));
}

/* Of an entry whose size changes all the time, as far as the cache says it. */
static void a_state_replaces_the_one_before_whatever_their_sizes(void **state)
{
    static const size_t sizes[] = { 500, 501, 499, 512, 513, 0, 1, 5000, 20, 4000, 3999, 64, 65, 128 };
    struct cache cache;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    cache_init(&cache, 1 << 20);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        put(&cache, &arena, 7, sizes[i], (char)('a' + i));
        put(&cache, &arena, 8, 100, 'z');
        assert_kept(&cache, &arena, 7, sizes[i], (char)('a' + i));
        assert_kept(&cache, &arena, 8, 100, 'z');
        assert_true(cache.bytes >= sizes[i] + 100);
        assert_true(cache.bytes < sizes[i] + 100 + 1000); /* A large entry does not stay for a small state. */
    }
    cache_drop(&cache, 7);
    cache_drop(&cache, 8);
    assert_null(cache_get(&cache, 7));
    assert_int_equal(cache.bytes, 0);
    assert_null(cache.newest);
    assert_null(cache.oldest);
    cache_done(&cache);
    arena_done(&arena);
}

static void the_least_recently_used_go_first(void **state)
{
    enum { ENTRIES = 100, STATE_BYTES = 1000 };
    struct cache cache;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    cache_init(&cache, 20 * (STATE_BYTES + 200));
    put(&cache, &arena, 1, STATE_BYTES, 'a');
    put(&cache, &arena, 2, STATE_BYTES, 'b');
    for (uint64_t id = 3; id < ENTRIES; id++) {
        put(&cache, &arena, id, STATE_BYTES, 'c');
        put(&cache, &arena, 1, STATE_BYTES, 'd'); /* Replaced in its place, and used. */
        assert_true(cache.bytes <= cache.bytes_max);
    }
    assert_kept(&cache, &arena, 1, STATE_BYTES, 'd');
    assert_kept(&cache, &arena, ENTRIES - 1, STATE_BYTES, 'c');
    assert_null(cache_get(&cache, 2));
    assert_null(cache_get(&cache, ENTRIES / 2));
    put(&cache, &arena, 1000, 2 * cache.bytes_max, 'e'); /* One that is too large stays alone. */
    assert_kept(&cache, &arena, 1000, 2 * cache.bytes_max, 'e');
    assert_null(cache_get(&cache, 1));
    cache_done(&cache);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_replaces_the_one_before_whatever_their_sizes),
        cmocka_unit_test(the_least_recently_used_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
