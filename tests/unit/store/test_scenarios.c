#include "scenarios.h"
#include "scenarios_jobs.h"

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

static int teardown_under(void **state)
{
    teardown(state);
    store_close(under);
    return 0;
}

/* Nodes on a store in memory. */

static struct store *join_memory(struct fixture *fixture)
{
    struct store *store;
    assert_ok(fixture, store_join_memory(under, &store, &fixture->err));
    return store;
}

static int setup_node(void **state)
{
    struct fixture *fixture = new_fixture();
    assert_ok(fixture, store_open_memory(&under, &fixture->err));
    assert_false(store_is_shared(under));
    fixture->join = join_memory;
    fixture->store = join_memory(fixture);
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

static void news_that_are_gone_are_missed(void **state)
{
    enum { TOLD = 3000 };
    struct fixture *f = *state;
    struct store *second = join_node(f);
    for (int i = 0; i < TOLD; i++) tell_by(f, f->store, arena_printf(&f->arena, "%d", i));
    struct heard heard = hear_by(f, second);
    assert_true(heard.lost);
    assert_true(heard.count > 0 && heard.count < TOLD);
    for (size_t i = 0; i < heard.count; i++)
        assert_str_equal(heard.text[i], arena_printf(&f->arena, "%d", (int)(TOLD - heard.count + i)));
    assert_false(hear_by(f, second).lost);
    store_close(second);
}

static void a_node_that_vanishes_does_not_leave(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t id = store_node(second);
    assert_ok(f, store_begin(second, &f->err));
    store_vanish_memory(second);
    heartbeat_of(f, f->store, row, &count);
    assert_non_null(find_node(row, count, id));
    assert_false(find_node(row, count, id)->dead);
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
#define XX(name) { "layered: " #name, name, setup_layered, teardown_under, NULL },
                SCENARIO_MAP(XX)
#undef XX
#define XX(name) { "node: " #name, name, setup_node, teardown_under, NULL },
                    SCENARIO_MAP(XX) NODE_SCENARIO_MAP(XX) JOB_SCENARIO_MAP(XX)
                        XX(news_that_are_gone_are_missed) XX(a_node_that_vanishes_does_not_leave)
#undef XX
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
