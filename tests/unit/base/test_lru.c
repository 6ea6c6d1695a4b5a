#include "base/lru.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
    char name;
    struct item *newer, *older;
};

struct lru {
    struct item *newest, *oldest;
    size_t bytes, bytes_max;
};

/* The names are those of the items, newest first, and the list reads the same from its other end. */
static void expect(const struct lru *lru, const char *names)
{
    const struct item *last = NULL;
    for (const struct item *item = lru->newest; item; last = item, item = item->older) {
        assert_int_equal(item->name, *names++);
        assert_ptr_equal(item->newer, last);
    }
    assert_int_equal(*names, '\0');
    assert_ptr_equal(lru->oldest, last);
}

static void a_used_item_becomes_the_newest_from_any_place(void **state)
{
    static const struct {
        size_t used;
        const char *want;
    } cases[] = { { 0, "acb" }, { 1, "bca" }, { 2, "cba" } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct item item[] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' } };
        struct lru lru = { .bytes_max = 100 };
        for (size_t k = 0; k < 3; k++) lru_add(&lru, &item[k], 1);
        expect(&lru, "cba");
        lru_touch(&lru, &item[cases[i].used]);
        expect(&lru, cases[i].want);
        assert_int_equal(lru.bytes, 3);
    }
}

static void an_item_leaves_from_any_place(void **state)
{
    static const char *const left[] = { "cb", "ca", "ba" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct item item[] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' } };
        struct lru lru = { .bytes_max = 100 };
        for (size_t k = 0; k < 3; k++) lru_add(&lru, &item[k], 10 + k);
        lru_remove(&lru, &item[i], 10 + i);
        expect(&lru, left[i]);
        assert_int_equal(lru.bytes, 33 - (10 + i));
    }
}

static void a_list_is_over_until_its_oldest_have_gone(void **state)
{
    struct item item[] = { { .name = 'a' }, { .name = 'b' }, { .name = 'c' } };
    struct lru lru = { .bytes_max = 20 };
    (void)state;
    for (size_t k = 0; k < 3; k++) lru_add(&lru, &item[k], 10);
    assert_true(lru_is_over(&lru));
    lru_remove(&lru, lru.oldest, 10);
    assert_false(lru_is_over(&lru)); /* As many bytes as it may hold. */
    expect(&lru, "cb");
    lru_remove(&lru, lru.oldest, 10);
    lru_remove(&lru, lru.oldest, 10);
    expect(&lru, "");
    lru_add(&lru, &item[0], 10);
    expect(&lru, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_used_item_becomes_the_newest_from_any_place),
        cmocka_unit_test(an_item_leaves_from_any_place),
        cmocka_unit_test(a_list_is_over_until_its_oldest_have_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
