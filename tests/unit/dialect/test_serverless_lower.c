/* Serverless workflows against the text their programs print. Every kind of state has a
 * document, alone and in a loop.
 *
 *     UPDATE_GOLDEN=1 make check-dialect     writes the texts anew
 */
#include "dialect/golden.h"

#define SERVERLESS GOLDEN "serverless/"

static void every_state_prints_as_it_did(void **state)
{
    static const char *const names[] = {
        "relay", "operation", "sequence",       "parallel-actions", "switch", "delay-subflow",
        "event", "parallel",  "loop-operation", "loop-others",      "names",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char document[128], golden[128];
        snprintf(document, sizeof document, SERVERLESS "%s.json", names[i]);
        snprintf(golden, sizeof golden, SERVERLESS "%s.txt", names[i]);
        golden_compare(document, golden);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_prints_as_it_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
