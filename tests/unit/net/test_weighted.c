#include "net/weighted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

/* The items as "name=weight", with their parameters behind a bar. */
static void expect(const char *header, const char *want)
{
    struct weighted_item item;
    str list = str_of(header);
    char got[256] = "";
    size_t n = 0;
    while (weighted_next(&list, &item))
        n += (size_t)snprintf(got + n, sizeof got - n, "%.*s=%d|%.*s ", STR_ARG(item.name), item.weight,
                              STR_ARG(item.parameters));
    assert_string_equal(got, want);
}

static void items_have_names_and_weights(void **state)
{
    (void)state;
    expect("", "");
    expect(" , ,", "");
    expect("br", "br=1000| ");
    expect("de-AT, de;q=0.9,en ; q=0.125 ,*;q=0", "de-AT=1000| de=900|q=0.9 en=125|q=0.125 *=0|q=0 ");
    expect("a;Q=1.000;level=1, b;level=1;q=.5", "a=1000|Q=1.000;level=1 b=0|level=1;q=.5 ");
}

/* Nobody is served what they do not want because we cannot read how much they want it. */
static void a_weight_that_cannot_be_read_is_none(void **state)
{
    (void)state;
    expect("a;q=, b;q=x, c;q=-1, d;q=2, e;q=1.5, f;q=0.5.5",
           "a=0|q= b=0|q=x c=0|q=-1 d=0|q=2 e=0|q=1.5 f=0|q=0.5.5 ");
}

static void digits_behind_the_third_count_for_nothing(void **state)
{
    (void)state;
    expect("a;q=0.12399999999999999999999999999", "a=123|q=0.12399999999999999999999999999 ");
}

static void a_list_may_be_read_without_weights(void **state)
{
    (void)state;
    str list = STR(" W/\"a\" ,, \"b\";c"), item;
    assert_true(weighted_next_item(&list, &item) && str_equal(item, STR("W/\"a\"")));
    assert_true(weighted_next_item(&list, &item) && str_equal(item, STR("\"b\";c")));
    assert_false(weighted_next_item(&list, &item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_names_and_weights),
        cmocka_unit_test(a_weight_that_cannot_be_read_is_none),
        cmocka_unit_test(digits_behind_the_third_count_for_nothing),
        cmocka_unit_test(a_list_may_be_read_without_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
