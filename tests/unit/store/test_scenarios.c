#include "scenarios.h"

/* A layer above a store in memory, without transient instances. */
static struct store *under;

static int setup_layered(void **state)
{
    struct fixture *fixture = new_fixture();
    assert_ok(fixture, store_open_memory(&under, &fixture->err));
    fixture->store = store_layer(under);
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

static int teardown_layered(void **state)
{
    teardown(state);
    store_close(under);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) { "memory: " #name, name, setup_memory, teardown, NULL },
        SCENARIO_MAP(XX)
#undef XX
#define XX(name) { "sqlite: " #name, name, setup_sqlite, teardown, NULL },
            SCENARIO_MAP(XX)
#undef XX
#define XX(name) { "layered: " #name, name, setup_layered, teardown_layered, NULL },
                SCENARIO_MAP(XX)
#undef XX
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
