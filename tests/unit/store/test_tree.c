/* The memory store's trees: order, and versions that stay as they were. */
#include "store/memory/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 20000 };

struct key {
    char bytes[4];
};

/* All keys of 0..KEYS in an order that jumps about. */
static str key_at(struct key *key, uint32_t i)
{
    uint32_t n = i * 7919u % KEYS;
    for (int b = 0; b < 4; b++) key->bytes[b] = (char)(n >> (24 - 8 * b));
    return (str){ key->bytes, 4 };
}

static struct memory_cell *cell_of(uint32_t value)
{
    struct memory_cell *cell = memory_cell_new(sizeof value);
    memcpy(cell->data, &value, sizeof value);
    return cell;
}

static uint32_t value_of(const struct memory_cell *cell)
{
    uint32_t value;
    memcpy(&value, cell->data, sizeof value);
    return value;
}

static size_t walk(const struct memory_tree *tree)
{
    size_t count = 0;
    struct memory_found found;
    char last[4];
    str after = STR("");
    while (memory_tree_after(tree, after, &found)) {
        assert_true(str_compare(found.key, after) > 0);
        memcpy(last, found.key.p, 4);
        after = (str){ last, 4 };
        count++;
    }
    return count;
}

static void an_empty_tree_has_nothing(void **state)
{
    (void)state;
    struct memory_tree tree = { 0 };
    struct memory_found found;
    assert_null(memory_tree_get(&tree, STR("x")));
    assert_false(memory_tree_remove(&tree, STR("x")));
    assert_false(memory_tree_at_or_after(&tree, STR(""), &found));
    assert_false(memory_tree_after(&tree, STR(""), &found));
    assert_false(memory_tree_before(&tree, STR("\xff"), &found));
    memory_tree_drop(&tree);
}

static void neighbours_are_found_on_both_sides(void **state)
{
    (void)state;
    struct memory_tree tree = { 0 };
    struct memory_found found;
    static const str keys[] = { STR_INIT("m"), STR_INIT("b"), STR_INIT("mm"), STR_INIT("z"),
                                STR_INIT("m\0") };
    for (uint32_t i = 0; i < COUNT(keys); i++) memory_tree_put(&tree, keys[i], cell_of(i));
    assert_true(memory_tree_at_or_after(&tree, STR("m"), &found));
    assert_int_equal(value_of(found.cell), 0);
    assert_true(memory_tree_after(&tree, STR("m"), &found));
    assert_int_equal(value_of(found.cell), 4); /* "m\0" comes right behind. */
    assert_true(memory_tree_before(&tree, STR("m"), &found));
    assert_int_equal(value_of(found.cell), 1);
    assert_true(memory_tree_before(&tree, STR("\xff"), &found));
    assert_int_equal(value_of(found.cell), 3);
    assert_false(memory_tree_before(&tree, STR("b"), &found));
    assert_false(memory_tree_after(&tree, STR("z"), &found));
    memory_tree_put(&tree, STR("m"), cell_of(9));
    assert_int_equal(value_of(memory_tree_get(&tree, STR("m"))), 9);
    assert_int_equal(tree.count, COUNT(keys));
    memory_tree_put(&tree, STR("key only"), NULL);
    assert_true(memory_tree_has(&tree, STR("key only")));
    memory_tree_drop(&tree);
}

static void a_shared_tree_keeps_what_the_other_changes(void **state)
{
    (void)state;
    struct memory_tree old = { 0 };
    struct key key;
    for (uint32_t i = 0; i < KEYS; i++) memory_tree_put(&old, key_at(&key, i), cell_of(i));
    assert_int_equal(old.count, KEYS);
    struct memory_tree new = memory_tree_share(&old);
    for (uint32_t i = 0; i < KEYS; i++) {
        if (i % 3 == 0) assert_true(memory_tree_remove(&new, key_at(&key, i)));
        if (i % 3 == 1) memory_tree_put(&new, key_at(&key, i), cell_of(i + KEYS));
    }
    assert_int_equal(walk(&old), KEYS);
    assert_int_equal(walk(&new), new.count);
    for (uint32_t i = 0; i < KEYS; i++) {
        assert_int_equal(value_of(memory_tree_get(&old, key_at(&key, i))), i);
        const struct memory_cell *cell = memory_tree_get(&new, key_at(&key, i));
        if (i % 3 == 0) assert_null(cell);
        else assert_int_equal(value_of(cell), i % 3 == 1 ? i + KEYS : i);
    }
    memory_tree_drop(&old); /* Either may go first. */
    assert_int_equal(walk(&new), new.count);
    memory_tree_drop(&new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_tree_has_nothing),
        cmocka_unit_test(neighbours_are_found_on_both_sides),
        cmocka_unit_test(a_shared_tree_keeps_what_the_other_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
