/* The examples, and documents of our own, against the text their programs print.
 *
 *     UPDATE_GOLDEN=1 make check-dialect     writes the texts anew
 */
#include "dialect/golden.h"

static void the_examples_print_as_they_did(void **state)
{
    (void)state;
    golden_compare("examples/loan-application.json", GOLDEN "loan-application.txt");
    golden_compare("examples/loan-disbursement.json", GOLDEN "loan-disbursement.txt");
    golden_compare("examples/order.json", GOLDEN "order.txt");
}

static void documents_of_our_own_print_as_they_did(void **state)
{
    (void)state;
    golden_compare(GOLDEN "all-types.json", GOLDEN "all-types.txt");
    golden_compare(GOLDEN "everything-wrong.json", GOLDEN "everything-wrong.txt");
    golden_compare(GOLDEN "warnings.json", GOLDEN "warnings.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_print_as_they_did),
        cmocka_unit_test(documents_of_our_own_print_as_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
