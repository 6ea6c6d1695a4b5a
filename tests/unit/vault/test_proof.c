/* Proofs that a holder of the key has written some bytes. */
#include "vault_test.h"

#include "vault/proof.h"

static const str label = STR_INIT("test");

static struct vault *vault_of(const struct bench *bench)
{
    struct vault *vault = vault_new(bench->key);
    assert_int_equal(vault_read_key(vault, NULL), ST_OK);
    return vault;
}

static void rekey(struct vault *vault)
{
    assert_int_equal(vault_rekey_begin(vault, NULL), ST_OK);
    assert_int_equal(vault_rekey_commit(vault, NULL), ST_OK);
}

static void a_proof_is_good_for_its_head_and_its_text_only(void **state)
{
    struct vault *vault = vault_of(*state);
    struct proof_keys *proofs = proof_keys_new(vault, label), *others = proof_keys_new(vault, STR("other"));
    unsigned char proof[PROOF_BYTES];
    assert_int_equal(proof_make(proofs, STR("head"), STR("text"), proof, NULL), ST_OK);
    assert_int_equal(proof_check(proofs, STR("head"), STR("text"), proof), PROOF_GOOD);
    assert_int_equal(proof_check(proofs, STR("head"), STR("texT"), proof), PROOF_WRONG);
    assert_int_equal(proof_check(proofs, STR("heaD"), STR("text"), proof), PROOF_WRONG);
    assert_int_equal(proof_check(proofs, STR("headt"), STR("ext"), proof), PROOF_WRONG);
    assert_int_equal(proof_check(others, STR("head"), STR("text"), proof), PROOF_WRONG);
    for (size_t i = 0; i < PROOF_BYTES; i++) {
        proof[i] ^= 1;
        assert_int_not_equal(proof_check(proofs, STR("head"), STR("text"), proof), PROOF_GOOD);
        proof[i] ^= 1;
    }
    proof_keys_free(proofs);
    proof_keys_free(others);
    vault_free(vault);
}

/* Both make the key, and the second takes the file of the first. */
static void processes_with_one_key_file_believe_each_other(void **state)
{
    struct vault *one = vault_of(*state), *two = vault_of(*state), *stranger = vault_new(NULL);
    struct proof_keys *of_one = proof_keys_new(one, label), *of_two = proof_keys_new(two, label),
                      *of_stranger = proof_keys_new(stranger, label);
    unsigned char proof[PROOF_BYTES];
    assert_int_equal(proof_make(of_one, STR("h"), STR("t"), proof, NULL), ST_OK);
    assert_int_equal(proof_check(of_two, STR("h"), STR("t"), proof), PROOF_GOOD);
    assert_int_equal(proof_check(of_stranger, STR("h"), STR("t"), proof), PROOF_OTHER_KEY);
    assert_int_equal(proof_make(of_two, STR("h"), STR_NONE, proof, NULL), ST_OK);
    assert_int_equal(proof_check(of_one, STR("h"), STR_NONE, proof), PROOF_GOOD);
    proof_keys_free(of_one), proof_keys_free(of_two), proof_keys_free(of_stranger);
    vault_free(one), vault_free(two), vault_free(stranger);
}

/* The other process has not heard of the rekey. It finds the new key in the file, and its own proofs with the
 * old one count for a while. */
static void a_rekey_loses_no_proof(void **state)
{
    struct vault *one = vault_of(*state), *two = vault_of(*state);
    struct proof_keys *of_one = proof_keys_new(one, label), *of_two = proof_keys_new(two, label);
    unsigned char before[PROOF_BYTES], after[PROOF_BYTES], old[PROOF_BYTES];
    assert_int_equal(proof_make(of_one, STR("h"), STR("t"), before, NULL), ST_OK);
    assert_int_equal(proof_make(of_two, STR("h"), STR("t"), old, NULL), ST_OK);
    assert_memory_equal(before, old, PROOF_BYTES);
    assert_int_equal(vault_rekey_begin(one, NULL), ST_OK);
    assert_int_equal(proof_make(of_one, STR("h"), STR("t"), after, NULL), ST_OK);
    assert_memory_equal(before, after, PROOF_BYTES); /* The next key may be rolled back. */
    assert_int_equal(vault_rekey_commit(one, NULL), ST_OK);
    assert_int_equal(proof_make(of_one, STR("h"), STR("t"), after, NULL), ST_OK);
    assert_memory_not_equal(before, after, PROOF_BYTES);
    assert_int_equal(proof_check(of_two, STR("h"), STR("t"), after), PROOF_GOOD);
    assert_int_equal(proof_make(of_two, STR("h"), STR("t"), old, NULL), ST_OK);
    assert_int_equal(proof_check(of_one, STR("h"), STR("t"), old), PROOF_GOOD);
    struct vault *three = vault_of(*state); /* It has never had the old key. */
    struct proof_keys *of_three = proof_keys_new(three, label);
    assert_int_equal(proof_check(of_three, STR("h"), STR("t"), old), PROOF_OTHER_KEY);
    proof_keys_free(of_one), proof_keys_free(of_two), proof_keys_free(of_three);
    vault_free(one), vault_free(two), vault_free(three);
}

/* A look for a key changes nothing: rows that are kept may need the old one. */
static void a_proof_of_a_new_key_leaves_secrets_readable(void **state)
{
    struct bench *bench = *state;
    struct vault *one = vault_of(bench), *two = vault_of(bench);
    struct proof_keys *of_one = proof_keys_new(one, label), *of_two = proof_keys_new(two, label);
    unsigned char proof[PROOF_BYTES];
    str sealed, value;
    assert_int_equal(vault_seal(two, 1, STR("a"), STR("value"), &bench->arena, &sealed, NULL), ST_OK);
    assert_int_equal(vault_keep(two, 1, STR("a"), sealed, NULL), ST_OK);
    rekey(one);
    assert_int_equal(proof_make(of_one, STR("h"), STR("t"), proof, NULL), ST_OK);
    assert_int_equal(proof_check(of_two, STR("h"), STR("t"), proof), PROOF_GOOD);
    assert_true(vault_find(two, 1, STR("a"), &bench->arena, &value));
    proof_keys_free(of_one), proof_keys_free(of_two);
    vault_free(one), vault_free(two);
}

static void a_key_that_cannot_be_made_is_told(void **state)
{
    struct bench *bench = *state;
    struct vault *vault = vault_new(path_in(bench, "missing/key"));
    struct proof_keys *proofs = proof_keys_new(vault, label);
    unsigned char proof[PROOF_BYTES];
    struct error err;
    assert_int_not_equal(proof_make(proofs, STR("h"), STR("t"), proof, &err), ST_OK);
    proof_keys_free(proofs);
    vault_free(vault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(a_proof_is_good_for_its_head_and_its_text_only),
        bench_test(processes_with_one_key_file_believe_each_other),
        bench_test(a_rekey_loses_no_proof),
        bench_test(a_proof_of_a_new_key_leaves_secrets_readable),
        bench_test(a_key_that_cannot_be_made_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
