/* Calls that wait for the second part of a turn: by priority, then in rotation, in order. */
#include "driver.h"
#include "runtime/memory/shares.h"

static void higher_priorities_come_first_and_equal_ones_take_turns(void **state)
{
    (void)state;
    static const struct share_place added[] = {
        { 1, 5 }, { 1, 5 }, { 2, 9 }, { 3, 5 }, { 2, 9 }, { 4, 0 }, { 1, 10 }, { 5, 99 },
    };
    /* The first call of a share decides about its priority; what is out of range counts as the highest. */
    static const size_t taken[] = { 7, 2, 4, 0, 3, 1, 6, 5 };
    struct call call[COUNT(added)] = { 0 };
    struct shares shares;
    shares_init(&shares);
    for (size_t i = 0; i < COUNT(added); i++) shares_add(&shares, added[i], &call[i]);
    assert_int_equal(shares_count(&shares, 1), 3);
    assert_true(shares_hold(&shares, 4));
    assert_false(shares_hold(&shares, 6));
    for (size_t i = 0; i < COUNT(taken); i++) assert_ptr_equal(shares_take(&shares), &call[taken[i]]);
    assert_null(shares_take(&shares));
    assert_false(shares_hold(&shares, 4));
    shares_done(&shares);
}

/* Whoever comes later with a higher priority overtakes. */
static void a_later_call_overtakes_those_of_lower_priorities(void **state)
{
    (void)state;
    struct call low[2] = { 0 }, high = { 0 };
    struct shares shares;
    shares_init(&shares);
    for (size_t i = 0; i < COUNT(low); i++) shares_add(&shares, (struct share_place){ 1, 3 }, &low[i]);
    assert_ptr_equal(shares_take(&shares), &low[0]);
    shares_add(&shares, (struct share_place){ 2, 4 }, &high);
    assert_ptr_equal(shares_take(&shares), &high);
    assert_ptr_equal(shares_take(&shares), &low[1]);
    shares_done(&shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(higher_priorities_come_first_and_equal_ones_take_turns),
        cmocka_unit_test(a_later_call_overtakes_those_of_lower_priorities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
