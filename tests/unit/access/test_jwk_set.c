/* Documents with public keys, good and bad. */
#include "token_test.h"

/* How many keys a set has, or where the complaint is. */
static const char *outcome_of(str text)
{
    struct jwk_set *set = NULL;
    struct error err = { 0 };
    enum status status = jwk_set_read(text, &set, &err);
    if (status == ST_OK) {
        size_t count = jwk_set_count(set);
        jwk_set_free(set);
        return arena_printf(&bench.arena, "%zu", count).p;
    }
    assert_int_equal(status, ST_INVALID);
    assert_true(err.message[0] && !set);
    return arena_str(&bench.arena, str_of(err.where)).p;
}

static void expect_outcome(const char *text, const char *want)
{
    const char *got = outcome_of(str_of(text));
    if (strcmp(got, want) != 0) fail_msg("%s: %s, not %s", text, got, want);
}

static void expect_key(const char *jwk, const char *want)
{
    expect_outcome(arena_printf(&bench.arena, "{\"keys\":[%s]}", jwk).p, want);
}

static void the_three_kinds_are_read(void **state)
{
    (void)state;
    expect_key(jwk_of(bench.rsa, ""), "1");
    expect_key(jwk_of(bench.ec, "'use':'sig','key_ops':['verify'],'alg':'ES256',"), "1");
    expect_key(jwk_of(bench.ed, "'kid':'d','alg':'EdDSA','x5t':'unknown',"), "1");
    expect_outcome("{\"keys\":[]}", "0");
    struct jwk_set *set = set_of_keys(jwk_of(bench.rsa, "'kid':'a',"), jwk_of(bench.ec, ""));
    assert_true(jwk_set_has(set, STR("a")));
    assert_false(jwk_set_has(set, STR("b")));
    assert_false(jwk_set_has(set, STR("")));
    jwk_set_free(set);
    jwk_set_free(NULL);
}

static void keys_for_other_uses_are_passed_over(void **state)
{
    static const char *const members[] = {
        "'use':'enc',",      "'use':1,",       "'key_ops':['encrypt'],", "'key_ops':'verify',",
        "'alg':'RSA-OAEP',", "'alg':'RS512',", "'alg':'ES256',",         "'alg':null,",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) expect_key(jwk_of(bench.rsa, members[i]), "0");
    expect_key("{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"AA\",\"y\":\"AA\"}", "0");
    expect_key("{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AA\"}", "0");
    expect_key("{\"kty\":\"AKP\",\"alg\":\"ML-DSA-44\",\"pub\":\"AA\"}", "0");
    expect_key("{}", "0");
}

static void private_keys_are_refused(void **state)
{
    (void)state;
    expect_key(jwk_of(bench.rsa, "'d':'AQAB',"), "/keys/0/d");
    expect_key(jwk_of(bench.rsa, "'p':'AQAB',"), "/keys/0/p");
    expect_key(jwk_of(bench.ec, "'d':'AQAB',"), "/keys/0/d");
    expect_key(jwk_of(bench.ed, "'use':'enc','d':'AQAB',"), "/keys/0/d");
    expect_key("{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}", "/keys/0/k");
    BIO *out = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(out, bench.ec, NULL, NULL, 0, NULL, NULL), 1);
    char *bytes;
    long n = BIO_get_mem_data(out, &bytes);
    assert_string_equal(outcome_of((str){ bytes, (size_t)n }), "");
    BIO_free(out);
}

static const char *rsa_jwk(BIGNUM *n, const char *e)
{
    unsigned char bytes[4096];
    int count = BN_bn2bin(n, bytes);
    return arena_printf(&bench.arena, "{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\"}",
                        base64_text((str){ (char *)bytes, (size_t)count }), e)
        .p;
}

/* An odd number of so many bits: whether it is a product of two primes is its owner's business. */
static BIGNUM *modulus_of(int bits)
{
    BIGNUM *n = BN_new();
    assert_int_equal(BN_rand(n, bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD), 1);
    return n;
}

static void weak_rsa_keys_are_refused(void **state)
{
    static const struct {
        int bits;
        const char *e, *want;
    } cases[] = {
        { 2048, "AQAB", "1" },
        { 2048, "Aw", "1" },
        { 8192, "AQAB", "1" },
        { 2047, "AQAB", "/keys/0" },
        { 1024, "AQAB", "/keys/0" },
        { 512, "AQAB", "/keys/0" },
        { 8193, "AQAB", "/keys/0" },
        { 16384, "AQAB", "/keys/0/n" },
        { 2048, "AQ", "/keys/0" },      /* 1: everything is its own signature. */
        { 2048, "AA", "/keys/0" },      /* 0 */
        { 2048, "Ag", "/keys/0" },      /* 2 */
        { 2048, "AQAA", "/keys/0" },    /* 65536 */
        { 2048, "AQAAAAE", "/keys/0" }, /* 2^32 + 1 */
        { 2048, "AQAAAAAB", "/keys/0/e" },
        { 2048, "", "/keys/0/e" },
        { 2048, "AQAB=", "/keys/0/e" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        BIGNUM *n = modulus_of(cases[i].bits);
        expect_key(rsa_jwk(n, cases[i].e), cases[i].want);
        BN_free(n);
    }
    BIGNUM *even = modulus_of(2048);
    assert_int_equal(BN_lshift1(even, even), 1);
    expect_key(rsa_jwk(even, "AQAB"), "/keys/0");
    BN_free(even);
    EVP_PKEY *small = EVP_RSA_gen(1024);
    assert_string_equal(outcome_of(pem_of(small)), "");
    EVP_PKEY_free(small);
}

static void points_beside_the_curve_are_refused(void **state)
{
    char zero[32] = "", ones[32];
    memset(ones, 0xff, sizeof ones);
    const char *z = base64_text((str){ zero, 32 }), *o = base64_text((str){ ones, 32 });
    const char *x = number_of(bench.ec, OSSL_PKEY_PARAM_EC_PUB_X, 32),
               *y = number_of(bench.ec, OSSL_PKEY_PARAM_EC_PUB_Y, 32);
    const struct {
        const char *x, *y, *want;
    } cases[] = {
        { x, y, "1" },           { y, x, "/keys/0/x" }, { z, z, "/keys/0/x" },      { o, o, "/keys/0/x" },
        { x, z, "/keys/0/x" },   { x, o, "/keys/0/x" }, { x, "AAAA", "/keys/0/y" }, { "", y, "/keys/0/x" },
        { x, "!", "/keys/0/y" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_key(arena_printf(&bench.arena, "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}",
                                cases[i].x, cases[i].y)
                       .p,
                   cases[i].want);
    expect_key("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}", "/keys/0/x");
    expect_key("{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}", "/keys/0/x");
}

static const char *many(const char *item, size_t count)
{
    struct buf text;
    buf_init(&text, &bench.arena);
    for (size_t i = 0; i < count; i++) buf_printf(&text, "%s%s", i ? "," : "", item);
    buf_add_char(&text, '\0');
    return text.p;
}

static void too_many_keys_are_refused(void **state)
{
    const char *named = jwk_of(bench.ec, "'kid':'a',");
    (void)state;
    expect_key(many(named, JWK_SET_KEYS_MAX), "64");
    expect_key(many(named, JWK_SET_KEYS_MAX + 1), "/keys");
    expect_key(many("{}", 10000), "/keys");
    expect_key(many(named, 10000), ""); /* Larger than any set may be. */
    /* Each key without a name has to be tried for each token. */
    expect_key(many(jwk_of(bench.ec, ""), TOKEN_TRIES_MAX), "8");
    expect_key(many(jwk_of(bench.ec, ""), TOKEN_TRIES_MAX + 1), "/keys/8");
}

static void documents_of_a_wrong_form_are_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "" },
        { "null", "/keys" },
        { "{}", "/keys" },
        { "{\"keys\":{}}", "/keys" },
        { "{\"keys\":[1]}", "/keys/0" },
        { "{\"keys\":[{\"kty\":\"RSA\"}]}", "/keys/0/n" },
        { "{\"keys\":[{\"kid\":1}]}", "/keys/0/kid" },
        { "{\"keys\":[],\"keys\":[]}", "" },
        { "[1]", "/0" },
        { "[\"\"]", "/0" },
        { "[\"-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----\"]", "/0" },
        { "-----BEGIN PUBLIC KEY-----", "" },
        { "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "" },
        { "<html>", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) expect_outcome(cases[i].text, cases[i].want);
    const char *deep =
        arena_printf(&bench.arena, "{\"keys\":[{\"x\":%.*s1%.*s}]}", 90, many("[", 200), 0, "").p;
    expect_outcome(deep, "");
    char *open = memset(arena_alloc(&bench.arena, 5000), '[', 5000);
    assert_string_equal(outcome_of((str){ open, 5000 }), "");
}

static void pem_is_read_in_a_list_and_in_a_file(void **state)
{
    EVP_PKEY *p384 = EVP_EC_gen("P-384");
    struct buf list;
    (void)state;
    buf_init(&list, &bench.arena);
    buf_add_char(&list, '[');
    json_print_string(pem_of(bench.rsa), &list);
    buf_add_char(&list, ',');
    json_print_string(pem_of(bench.ed), &list);
    buf_add_str(&list, STR("]"));
    assert_string_equal(outcome_of(buf_str(&list)), "2");
    str pem = pem_of(bench.ec);
    assert_string_equal(outcome_of(arena_printf(&bench.arena, "\n%s\n\n%s", pem.p, pem_of(bench.ed).p)), "2");
    assert_string_equal(outcome_of(arena_printf(&bench.arena, "%s# a note\n%s", pem.p, pem.p)), "");
    assert_string_equal(outcome_of(pem_of(p384)), "");
    EVP_PKEY_free(p384);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        token_test(the_three_kinds_are_read),
        token_test(keys_for_other_uses_are_passed_over),
        token_test(private_keys_are_refused),
        token_test(weak_rsa_keys_are_refused),
        token_test(points_beside_the_curve_are_refused),
        token_test(too_many_keys_are_refused),
        token_test(documents_of_a_wrong_form_are_refused),
        token_test(pem_is_read_in_a_list_and_in_a_file),
    };
    return cmocka_run_group_tests(tests, make_signers, free_signers);
}
