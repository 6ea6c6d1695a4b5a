/* Access on a store that two nodes share: a change at one ends principals at the other within a heartbeat. */
#include "access_driver.h"
#include "pair_driver.h"

struct bench {
    struct pair *pair;
    struct directory *directory[2];
};

static int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    void *pair;
    setup(&pair);
    bench->pair = pair;
    for (size_t i = 0; i < COUNT(bench->directory); i++) {
        bench->directory[i] = access_directory(NULL);
        access_use(&bench->pair->node[i], bench->directory[i]);
    }
    *state = bench;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    void *pair = bench->pair;
    teardown(&pair);
    for (size_t i = 0; i < COUNT(bench->directory); i++) directory_free(bench->directory[i]);
    free(bench);
    return 0;
}

static void a_key_that_another_node_revokes_ends_within_a_heartbeat(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    access_make_key(first, "K1", "s", "{\"name\":\"a\",\"roles\":[\"worker\"]}");
    struct principal *key = access_resolve_key(second, "K1", "s")->value.resolve.principal;
    assert_non_null(key);
    access_done(access_do(first, ACCESS_KEY, ACCESS_CHANGE, "K1", "{\"state\":\"revoked\"}"));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_false(directory_still_holds(bench->directory[1], key, second->now_ms));
    assert_string_equal(access_resolve_key(second, "K1", "s")->value.resolve.why, "revoked");
    principal_unref(key);
}

static void the_first_user_closes_every_node(void **state)
{
    struct bench *bench = *state;
    access_make(&bench->pair->node[0], ACCESS_USER, "ada", "{}");
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(directory_is_closed(bench->directory[1]));
}

static void a_suspended_tenant_is_known_everywhere(void **state)
{
    struct bench *bench = *state;
    struct driver *first = &bench->pair->node[0], *second = &bench->pair->node[1];
    struct tenant tenant;
    access_make(first, ACCESS_TENANT, "acme", "{}");
    access_list(second, NULL, &(struct call_access_list){ .kind = ACCESS_TENANT, .name = STR("acme") });
    assert_true(directory_tenant(bench->directory[1], STR("acme"), &tenant) && !tenant.is_suspended);
    access_done(access_do(first, ACCESS_TENANT, ACCESS_CHANGE, "acme", "{\"state\":\"suspended\"}"));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_true(directory_tenant(bench->directory[1], STR("acme"), &tenant) && tenant.is_suspended);
    access_done(access_do(first, ACCESS_TENANT, ACCESS_REMOVE, "acme", NULL));
    advance(bench->pair, HEARTBEAT_MS + 100);
    assert_false(directory_tenant(bench->directory[1], STR("acme"), &tenant));
}

static void each_node_has_a_chain_of_its_own(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", i);
        access_make(&bench->pair->node[i % 2], ACCESS_USER, name, "{}");
        advance(bench->pair, 100);
    }
    struct call *call =
        driver_run(&bench->pair->node[0], driver_call(&bench->pair->node[0], CALL_VERIFY_AUDIT));
    access_done(call);
    assert_int_equal(call->value.audit_rows.checked, 6);
    if (call->value.audit_rows.broken.n) fail_msg("%.*s", STR_ARG(call->value.audit_rows.broken));
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_key_that_another_node_revokes_ends_within_a_heartbeat),
        PAIR_TEST(the_first_user_closes_every_node),
        PAIR_TEST(a_suspended_tenant_is_known_everywhere),
        PAIR_TEST(each_node_has_a_chain_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
