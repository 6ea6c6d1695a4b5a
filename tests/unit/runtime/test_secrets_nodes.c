/* Secrets of a store that several nodes share, with one key file. */
#include "pair_driver.h"

#include "vault/vault.h"

#include <unistd.h>

struct bench {
    struct pair *pair;
    struct vault *vault[2];
    char directory[64], key[96];
};

static int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct error err;
    void *pair;
    setup(&pair);
    bench->pair = pair;
    snprintf(bench->directory, sizeof bench->directory, "/tmp/pawl-secrets-XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->key, sizeof bench->key, "%s/key", bench->directory);
    for (size_t i = 0; i < COUNT(bench->vault); i++) {
        bench->vault[i] = vault_new(bench->key);
        assert_int_equal(engine_use_vault(&bench->pair->node[i].engine, bench->vault[i], &err), ST_OK);
    }
    *state = bench;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    void *pair = bench->pair;
    teardown(&pair);
    for (size_t i = 0; i < COUNT(bench->vault); i++) vault_free(bench->vault[i]);
    unlink(bench->key);
    assert_int_equal(rmdir(bench->directory), 0);
    free(bench);
    return 0;
}

static enum status run_at(struct bench *bench, size_t node, enum call_kind kind, const char *name)
{
    struct call *call = driver_call(&bench->pair->node[node], kind);
    if (name) call->as.secret = (struct call_secret){ str_of(name), STR("value") };
    return driver_run(&bench->pair->node[node], call)->status;
}

static void assert_there(struct bench *bench, size_t node, const char *name)
{
    str value = STR_NONE;
    if (!vault_find(bench->vault[node], TENANT_DEFAULT, str_of(name), &bench->pair->node[node].arena, &value))
        fail_msg("node %zu does not find %s", node, name);
    assert_true(str_equal(value, STR("value")));
}

/* The last secret goes, so no sealed row tells the first node that there is a new key. */
static void a_node_seals_with_the_key_that_another_one_has_made(void **state)
{
    struct bench *bench = *state;
    for (int with_a_secret = 0; with_a_secret < 2; with_a_secret++) {
        assert_int_equal(run_at(bench, 0, CALL_SET_SECRET, "first"), ST_OK);
        if (!with_a_secret) assert_int_equal(run_at(bench, 0, CALL_REMOVE_SECRET, "first"), ST_OK);
        assert_int_equal(run_at(bench, 1, CALL_REKEY_SECRETS, NULL), ST_OK);
        if (with_a_secret) assert_int_equal(run_at(bench, 1, CALL_REMOVE_SECRET, "first"), ST_OK);
        assert_int_equal(run_at(bench, 0, CALL_SET_SECRET, "second"), ST_OK);
        assert_int_equal(run_at(bench, 1, CALL_SET_SECRET, "third"), ST_OK);
        advance(bench->pair, 400);
        for (size_t node = 0; node < 2; node++) {
            assert_there(bench, node, "second");
            assert_there(bench, node, "third");
        }
        assert_int_equal(run_at(bench, 0, CALL_REMOVE_SECRET, "second"), ST_OK);
        assert_int_equal(run_at(bench, 1, CALL_REMOVE_SECRET, "third"), ST_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_node_seals_with_the_key_that_another_one_has_made, open_bench,
                                        close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
