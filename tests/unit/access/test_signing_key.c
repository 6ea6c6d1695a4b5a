/* Keys of our own, and tokens signed with them. */
#include "token_test.h"

static struct signing_key *key_of(str pem)
{
    struct signing_key *key = NULL;
    struct error err = { 0 };
    if (signing_key_read(pem, &key, &err) != ST_OK) fail_msg("%s", err.message);
    return key;
}

static str private_pem(EVP_PKEY *key, const EVP_CIPHER *cipher)
{
    char passphrase[] = "planted";
    BIO *out = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(out, key, cipher, cipher ? passphrase : NULL,
                                                   cipher ? 7 : 0, NULL, NULL),
                     1);
    char *bytes;
    long n = BIO_get_mem_data(out, &bytes);
    str pem = arena_str(&bench.arena, (str){ bytes, (size_t)n });
    BIO_free(out);
    return pem;
}

static struct jwk_set *public_set(const struct signing_key *key)
{
    struct buf text;
    buf_init(&text, &bench.arena);
    buf_printf(&text, "{\"keys\":[");
    json_print(signing_key_jwk(key, &bench.arena), &text);
    buf_printf(&text, "]}");
    return set_of(arena_str(&bench.arena, buf_str(&text)).p);
}

static void our_tokens_are_good_at_ours(void **state)
{
    struct signing_key *key = key_of(private_pem(bench.rsa, NULL)),
                       *other = key_of(private_pem(bench.other_rsa, NULL));
    struct jwk_set *set = public_set(key), *others = public_set(other);
    struct token_text token;
    str text;
    (void)state;
    assert_int_equal(
        token_sign(key, parsed(&bench.arena, "{'sub':'gr\xc3\xbcn','exp':1}"), &bench.arena, &text, NULL),
        ST_OK);
    assert_string_equal(checked(text, set), "ok");
    assert_string_equal(checked(text, others), "unknown-signing-key");
    assert_int_equal(token_parse(text, &bench.arena, &token, NULL), ST_OK);
    assert_true(str_equal(token.algorithm, STR("RS256")) && str_equal(token.type, STR("JWT")));
    assert_true(str_equal(token.kid, signing_key_id(key)));
    expect_json(&bench.arena, token.claims, "{'sub':'gr\xc3\xbcn','exp':1}");
    jwk_set_free(set);
    jwk_set_free(others);
    signing_key_free(key);
    signing_key_free(other);
    signing_key_free(NULL);
}

static void a_key_comes_back_from_its_pem(void **state)
{
    struct signing_key *key = NULL, *again;
    (void)state;
    assert_int_equal(signing_key_make(&key, NULL), ST_OK);
    str pem = signing_key_pem(key, &bench.arena);
    assert_true(str_starts(pem, STR("-----BEGIN PRIVATE KEY-----")));
    again = key_of(pem);
    assert_true(str_equal(signing_key_id(key), signing_key_id(again)));
    assert_true(json_equal(signing_key_jwk(key, &bench.arena), signing_key_jwk(again, &bench.arena)));
    const struct json *jwk = signing_key_jwk(key, &bench.arena);
    assert_true(json_count(jwk) == 6 && !json_get(jwk, STR("d")));
    signing_key_free(key);
    signing_key_free(again);
}

/* The example of RFC 7638, section 3.1. */
static void the_name_of_a_key_is_its_thumbprint(void **state)
{
    static const char n[] = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1"
                            "L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs"
                            "tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_"
                            "FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5haj"
                            "rn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_"
                            "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
    (void)state;
    str bytes;
    assert_true(base64_decode_url(str_of(n), &bench.arena, &bytes));
    str text = arena_printf(&bench.arena, "{\"e\":\"AQAB\",\"kty\":\"RSA\",\"n\":\"%s\"}", n);
    unsigned char digest[32];
    assert_int_equal(EVP_Digest(text.p, text.n, digest, NULL, EVP_sha256(), NULL), 1);
    assert_string_equal(base64_text((str){ (char *)digest, 32 }),
                        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    /* Ours is made in the same way. */
    struct signing_key *key = key_of(private_pem(bench.rsa, NULL));
    text = arena_printf(&bench.arena, "{\"e\":\"%s\",\"kty\":\"RSA\",\"n\":\"%s\"}",
                        number_of(bench.rsa, OSSL_PKEY_PARAM_RSA_E, 0),
                        number_of(bench.rsa, OSSL_PKEY_PARAM_RSA_N, 0));
    assert_int_equal(EVP_Digest(text.p, text.n, digest, NULL, EVP_sha256(), NULL), 1);
    assert_true(str_equal(signing_key_id(key), str_of(base64_text((str){ (char *)digest, 32 }))));
    signing_key_free(key);
}

static void keys_that_cannot_sign_are_refused(void **state)
{
    EVP_PKEY *small = EVP_RSA_gen(1024);
    str pems[] = { STR(""),
                   STR("planted"),
                   pem_of(bench.rsa),
                   private_pem(bench.ec, NULL),
                   private_pem(bench.ed, NULL),
                   private_pem(small, NULL),
                   private_pem(bench.rsa, EVP_aes_256_cbc()),
                   STR("-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----\n") };
    (void)state;
    for (size_t i = 0; i < COUNT(pems); i++) {
        struct signing_key *key = NULL;
        struct error err = { 0 };
        assert_int_equal(signing_key_read(pems[i], &key, &err), ST_INVALID);
        assert_true(!key && err.message[0] && !strstr(err.message, "planted"));
    }
    EVP_PKEY_free(small);
}

static void a_token_that_nobody_would_take_is_not_made(void **state)
{
    struct signing_key *key = key_of(private_pem(bench.rsa, NULL));
    char *fill = memset(arena_zero(&bench.arena, TOKEN_BYTES_MAX + 1, 1), 'x', TOKEN_BYTES_MAX);
    str text;
    (void)state;
    const struct json *claims = parsed(&bench.arena, arena_printf(&bench.arena, "{'a':'%s'}", fill).p);
    assert_int_equal(token_sign(key, claims, &bench.arena, &text, NULL), ST_LIMIT);
    signing_key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        token_test(our_tokens_are_good_at_ours),
        token_test(a_key_comes_back_from_its_pem),
        token_test(the_name_of_a_key_is_its_thumbprint),
        token_test(keys_that_cannot_sign_are_refused),
        token_test(a_token_that_nobody_would_take_is_not_made),
    };
    return cmocka_run_group_tests(tests, make_signers, free_signers);
}
