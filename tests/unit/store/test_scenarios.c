#include "scenarios.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) { "memory: " #name, name, setup_memory, teardown, NULL },
        SCENARIO_MAP(XX)
#undef XX
#define XX(name) { "sqlite: " #name, name, setup_sqlite, teardown, NULL },
            SCENARIO_MAP(XX)
#undef XX
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
