#include "base/map.h"
#include "base/text_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ENTRIES = 5000 };

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct map map;
    map_init(&map);
    size_t cursor = 0;
    assert_null(map_get(&map, 0));
    assert_null(map_take(&map, 0));
    assert_null(map_next(&map, &cursor));
    map_done(&map);
}

static void putting_again_gives_back_what_was_there(void **state)
{
    (void)state;
    int a, b;
    struct map map;
    map_init(&map);
    assert_null(map_put(&map, 0, &a));
    assert_ptr_equal(map_put(&map, 0, &b), &a);
    assert_int_equal(map.count, 1);
    assert_ptr_equal(map_take(&map, 0), &b);
    assert_null(map_take(&map, 0));
    assert_int_equal(map.count, 0);
    map_done(&map);
}

/* Keys in patterns that defeat weak hashes: sequences, high bits only, multiples. */
static uint64_t key_of(size_t pattern, uint64_t i)
{
    return pattern == 0 ? i : pattern == 1 ? i << 44 : pattern == 2 ? i * 4096 : ~i;
}

static void removal_under_load_loses_nothing_else(void **state)
{
    static char value[ENTRIES];
    (void)state;
    for (size_t pattern = 0; pattern < 4; pattern++) {
        struct map map;
        map_init(&map);
        for (uint64_t i = 0; i < ENTRIES; i++) assert_null(map_put(&map, key_of(pattern, i), &value[i]));
        for (uint64_t i = 0; i < ENTRIES; i += 3)
            assert_ptr_equal(map_take(&map, key_of(pattern, i)), &value[i]);
        for (uint64_t i = 0; i < ENTRIES; i++)
            assert_ptr_equal(map_get(&map, key_of(pattern, i)), i % 3 ? &value[i] : NULL);
        size_t seen = 0;
        for (size_t cursor = 0; map_next(&map, &cursor);) seen++;
        assert_int_equal(seen, map.count);
        map_done(&map);
    }
}

static void a_map_agrees_with_an_array_whatever_is_done(void **state)
{
    enum { KEYS = 300 };
    static char value[KEYS];
    void *model[KEYS] = { NULL };
    (void)state;
    struct map map;
    map_init(&map);
    uint64_t random = 1;
    for (int step = 0; step < 50000; step++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t key = (random >> 33) % KEYS;
        /* Mostly full in the first half, mostly empty in the second. */
        bool put = (random >> 60) < (step < 25000 ? 11u : 5u);
        void *want = model[key];
        model[key] = put ? &value[key] : NULL;
        assert_ptr_equal(put ? map_put(&map, key, &value[key]) : map_take(&map, key), want);
    }
    size_t count = 0;
    for (size_t key = 0; key < KEYS; key++) {
        assert_ptr_equal(map_get(&map, key), model[key]);
        count += model[key] != NULL;
    }
    assert_int_equal(map.count, count);
    map_done(&map);
}

struct entry {
    char name[24];
    size_t n;
};

static str name_of(const struct entry *entry) { return (str){ entry->name, entry->n }; }

static void a_text_map_removes_under_load_too(void **state)
{
    static struct entry entry[ENTRIES];
    (void)state;
    struct text_map map;
    text_map_init(&map);
    for (size_t i = 0; i < ENTRIES; i++) {
        entry[i].n = (size_t)snprintf(entry[i].name, sizeof entry[i].name, "order-%zu", i);
        assert_null(text_map_put(&map, name_of(&entry[i]), &entry[i]));
    }
    for (size_t i = 0; i < ENTRIES; i += 2)
        assert_ptr_equal(text_map_take(&map, name_of(&entry[i])), &entry[i]);
    for (size_t i = 0; i < ENTRIES; i++)
        assert_ptr_equal(text_map_get(&map, name_of(&entry[i])), i % 2 ? &entry[i] : NULL);
    size_t seen = 0;
    for (size_t cursor = 0; text_map_next(&map, &cursor);) seen++;
    assert_int_equal(seen, ENTRIES / 2);
    text_map_done(&map);
}

static void text_keys_may_be_empty_or_hold_nul(void **state)
{
    (void)state;
    int a, b, c;
    struct text_map map;
    text_map_init(&map);
    assert_null(text_map_get(&map, STR("")));
    text_map_put(&map, STR(""), &a);
    text_map_put(&map, STR("\0"), &b);
    text_map_put(&map, STR("\0\0"), &c);
    assert_ptr_equal(text_map_get(&map, STR_NONE), &a);
    assert_ptr_equal(text_map_get(&map, STR("\0")), &b);
    assert_ptr_equal(text_map_take(&map, STR("\0\0")), &c);
    assert_null(text_map_take(&map, STR("x")));
    assert_int_equal(map.count, 2);
    text_map_done(&map);
}

static void a_replaced_entry_borrows_the_new_key(void **state)
{
    (void)state;
    int a, b;
    char *old = malloc(2);
    memcpy(old, "k", 2);
    struct text_map map;
    text_map_init(&map);
    text_map_put(&map, (str){ old, 1 }, &a);
    assert_ptr_equal(text_map_put(&map, STR("k"), &b), &a);
    free(old);
    assert_ptr_equal(text_map_get(&map, STR("k")), &b);
    text_map_done(&map);
}

/* ---- places ---- */

enum { PLACES = 64 };

/* The place of a key in an empty map of so many places. */
static size_t place_of(struct text_map *map, str key)
{
    char value;
    size_t cursor = 0;
    assert_int_equal(map->cap, PLACES);
    text_map_put(map, key, &value);
    text_map_next(map, &cursor);
    text_map_take(map, key);
    return cursor - 1;
}

static void make_empty_map(struct text_map *map)
{
    enum { FILLING = 40 };
    static char text[FILLING];
    text_map_init(map);
    for (size_t i = 0; i < FILLING; i++) {
        text[i] = (char)('A' + i);
        text_map_put(map, (str){ &text[i], 1 }, &text[i]);
    }
    for (size_t i = 0; i < FILLING; i++) text_map_take(map, (str){ &text[i], 1 });
}

/* How many of the keys have the place that most of them have. */
static size_t largest_crowd(struct text_map *map, const struct entry *entry, size_t count)
{
    size_t crowd[PLACES] = { 0 }, largest = 0;
    for (size_t i = 0; i < count; i++) crowd[place_of(map, name_of(&entry[i]))]++;
    for (size_t i = 0; i < PLACES; i++) largest = crowd[i] > largest ? crowd[i] : largest;
    return largest;
}

static void keys_that_share_a_place_do_not_with_another_seed(void **state)
{
    enum { KEYS = 320 };
    static struct entry entry[KEYS];
    struct text_map map;
    (void)state;
    make_empty_map(&map);
    for (int is_long = 0; is_long < 2; is_long++) {
        size_t count = 0;
        for (size_t i = 0; count < KEYS; i++) {
            struct entry *it = &entry[count];
            it->n =
                (size_t)snprintf(it->name, sizeof it->name, "%s%zx", is_long ? "customer-number-" : "", i);
            if (place_of(&map, name_of(it)) == 5) count++;
        }
        for (uint64_t seed = 1; seed < 100; seed++) {
            text_map_seed(seed * UINT64_C(0x9e3779b97f4a7c15));
            assert_true(largest_crowd(&map, entry, KEYS) < KEYS / 8);
        }
        text_map_seed(0);
        assert_int_equal(largest_crowd(&map, entry, KEYS), KEYS);
    }
    text_map_done(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(putting_again_gives_back_what_was_there),
        cmocka_unit_test(removal_under_load_loses_nothing_else),
        cmocka_unit_test(a_map_agrees_with_an_array_whatever_is_done),
        cmocka_unit_test(a_text_map_removes_under_load_too),
        cmocka_unit_test(text_keys_may_be_empty_or_hold_nul),
        cmocka_unit_test(a_replaced_entry_borrows_the_new_key),
        cmocka_unit_test(keys_that_share_a_place_do_not_with_another_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
