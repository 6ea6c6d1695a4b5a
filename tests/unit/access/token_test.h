/* tests/unit/access/token_test.h — signers, their public keys, and tokens of any form. */
#ifndef TESTS_UNIT_ACCESS_TOKEN_TEST_H
#define TESTS_UNIT_ACCESS_TOKEN_TEST_H

#include "access/token/token.h"

#include "access_test.h"
#include "base/base64.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <stdio.h>

static struct {
    struct arena arena; /* Of one test. */
    EVP_PKEY *rsa, *other_rsa, *ec, *ed;
} bench;

static inline int make_signers(void **state)
{
    (void)state;
    bench.rsa = EVP_RSA_gen(2048);
    bench.other_rsa = EVP_RSA_gen(2048);
    bench.ec = EVP_EC_gen("P-256");
    bench.ed = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    return bench.rsa && bench.other_rsa && bench.ec && bench.ed ? 0 : -1;
}

static inline int free_signers(void **state)
{
    (void)state;
    EVP_PKEY_free(bench.rsa);
    EVP_PKEY_free(bench.other_rsa);
    EVP_PKEY_free(bench.ec);
    EVP_PKEY_free(bench.ed);
    return 0;
}

static inline int begin_test(void **state)
{
    (void)state;
    arena_init(&bench.arena, 0);
    return 0;
}

static inline int end_test(void **state)
{
    (void)state;
    arena_done(&bench.arena);
    return 0;
}

#define token_test(function) cmocka_unit_test_setup_teardown(function, begin_test, end_test)

/* ---- texts ---- */

/* A text with ' for ". */
static inline str quoted(const char *text)
{
    str copy = arena_str(&bench.arena, str_of(text));
    for (char *p = (char *)(uintptr_t)copy.p; *p; p++)
        if (*p == '\'') *p = '"';
    return copy;
}

static inline const char *base64_text(str bytes)
{
    str text = base64_encode_url(bytes, &bench.arena);
    return arena_str(&bench.arena, text).p;
}

/* ---- public keys ---- */

static inline const char *number_of(EVP_PKEY *key, const char *name, size_t bytes)
{
    BIGNUM *number = NULL;
    assert_int_equal(EVP_PKEY_get_bn_param(key, name, &number), 1);
    size_t n = bytes ? bytes : (size_t)BN_num_bytes(number);
    unsigned char *padded = arena_alloc(&bench.arena, n);
    assert_int_equal(BN_bn2binpad(number, padded, (int)n), n);
    BN_free(number);
    return base64_text((str){ (char *)padded, n });
}

/* The public key as JSON, with these members before its own: "'kid':'a',". */
static inline const char *jwk_of(EVP_PKEY *key, const char *members)
{
    const char *more = quoted(members).p;
    if (EVP_PKEY_is_a(key, "RSA"))
        return arena_printf(&bench.arena, "{%s\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\"}", more,
                            number_of(key, OSSL_PKEY_PARAM_RSA_N, 0),
                            number_of(key, OSSL_PKEY_PARAM_RSA_E, 0))
            .p;
    if (EVP_PKEY_is_a(key, "EC"))
        return arena_printf(&bench.arena, "{%s\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}",
                            more, number_of(key, OSSL_PKEY_PARAM_EC_PUB_X, 32),
                            number_of(key, OSSL_PKEY_PARAM_EC_PUB_Y, 32))
            .p;
    unsigned char raw[32];
    size_t n = sizeof raw;
    assert_int_equal(EVP_PKEY_get_raw_public_key(key, raw, &n), 1);
    return arena_printf(&bench.arena, "{%s\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%s\"}", more,
                        base64_text((str){ (char *)raw, n }))
        .p;
}

static inline str pem_of(EVP_PKEY *key)
{
    BIO *out = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_PUBKEY(out, key), 1);
    char *bytes;
    long n = BIO_get_mem_data(out, &bytes);
    str pem = arena_str(&bench.arena, (str){ bytes, (size_t)n });
    BIO_free(out);
    return pem;
}

static inline struct jwk_set *set_of(const char *text)
{
    struct jwk_set *set = NULL;
    struct error err = { 0 };
    if (jwk_set_read(str_of(text), &set, &err) != ST_OK) fail_msg("%s: %s", err.where, err.message);
    return set;
}

static inline struct jwk_set *set_of_keys(const char *a, const char *b)
{
    return set_of(arena_printf(&bench.arena, "{\"keys\":[%s%s%s]}", a, b ? "," : "", b ? b : "").p);
}

/* ---- tokens ---- */

/* r and s of a signature in DER, 32 bytes each. */
static inline str raw_of_der(const unsigned char *der, size_t n)
{
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)n);
    unsigned char *raw = arena_alloc(&bench.arena, 64);
    assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32), 32);
    assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32), 32);
    ECDSA_SIG_free(signature);
    return (str){ (char *)raw, 64 };
}

/* How a text is signed: "RS256", "PS256", "ES256" or "EdDSA", whatever a header says. */
static inline str signature_of(EVP_PKEY *key, const char *how, str text)
{
    static unsigned char bytes[1024];
    size_t n = sizeof bytes;
    EVP_PKEY_CTX *context;
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    const EVP_MD *digest = strcmp(how, "EdDSA") == 0 ? NULL : EVP_sha256();
    assert_int_equal(EVP_DigestSignInit(state, &context, digest, NULL, key), 1);
    if (strcmp(how, "PS256") == 0) {
        assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING), 1);
        assert_int_equal(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST), 1);
    }
    assert_int_equal(EVP_DigestSign(state, bytes, &n, (const unsigned char *)text.p, text.n), 1);
    EVP_MD_CTX_free(state);
    if (strcmp(how, "ES256") == 0) return raw_of_der(bytes, n);
    return arena_str(&bench.arena, (str){ (char *)bytes, n });
}

/* Header and claims with ' for ", and a point between them. */
static inline str text_to_sign(const char *header, const char *claims)
{
    return arena_printf(&bench.arena, "%s.%s", base64_text(quoted(header)), base64_text(quoted(claims)));
}

static inline str with_signature(str text, str signature)
{
    return arena_printf(&bench.arena, "%.*s.%s", STR_ARG(text), base64_text(signature));
}

static inline str token_of(EVP_PKEY *key, const char *how, const char *header, const char *claims)
{
    str text = text_to_sign(header, claims);
    return with_signature(text, signature_of(key, how, text));
}

/* ---- what becomes of a token ---- */

/* "ok", or the code of the refusal. */
static inline const char *checked(str text, const struct jwk_set *set)
{
    struct token_text token;
    struct error err = { 0 };
    enum status status = token_parse(text, &bench.arena, &token, &err);
    if (status == ST_OK) status = token_verify(&token, set, &err);
    if (status == ST_OK) return "ok";
    assert_int_equal(status, ST_UNAUTHORIZED);
    assert_true(err.code && err.message[0]);
    return err.code;
}

#endif
