#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
    char name;
    struct item *next;
};

struct queue {
    struct item *first, *last;
};

/* The names of the items are the text, and the end of the list is its last item. */
static void expect(const struct queue *queue, const char *names)
{
    const struct item *last = NULL;
    for (const struct item *item = queue->first; item; last = item, item = item->next)
        assert_int_equal(item->name, *names++);
    assert_int_equal(*names, '\0');
    assert_ptr_equal(queue->last, last);
}

static void items_come_out_in_the_order_they_went_in(void **state)
{
    struct item a = { .name = 'a' }, b = { .name = 'b' }, c = { .name = 'c', .next = &a };
    struct queue queue = { 0 };
    (void)state;
    list_append(&queue, &b, next);
    list_append(&queue, &c, next); /* Its old link is of no account. */
    list_prepend(&queue, &a, next);
    expect(&queue, "abc");
    list_drop_first(&queue, next);
    expect(&queue, "bc");
    list_drop_first(&queue, next);
    list_drop_first(&queue, next);
    expect(&queue, "");
    list_prepend(&queue, &a, next);
    expect(&queue, "a");
}

static void an_item_is_taken_from_anywhere(void **state)
{
    static const char *const left[] = { "bcd", "acd", "abd", "abc" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct item items[4];
        struct queue queue = { 0 };
        for (size_t k = 0; k < 4; k++) {
            items[k].name = (char)('a' + k);
            list_append(&queue, &items[k], next);
        }
        list_remove(&queue, &items[i], next);
        expect(&queue, left[i]);
        assert_null(items[i].next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_the_order_they_went_in),
        cmocka_unit_test(an_item_is_taken_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
