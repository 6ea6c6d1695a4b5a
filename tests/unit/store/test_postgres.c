/* The scenarios of every back end on a real PostgreSQL server, which the test starts and stops. */
#include "postgres_server.h"
#include "scenarios.h"
#include "scenarios_jobs.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) { "postgres: " #name, name, setup_postgres, teardown, NULL },
        SCENARIO_MAP(XX) NODE_SCENARIO_MAP(XX) JOB_SCENARIO_MAP(XX)
#undef XX
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
