/* access/token/signing_key.c — our own keys for RS256. */
#include "access/token/jwk_int.h"

#include "base/base64.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>

enum { THUMBPRINT_BYTES = 32, THUMBPRINT_CHARS = 43 };

struct signing_key {
    EVP_PKEY *key;
    char id[THUMBPRINT_CHARS];
};

/* ---- the public half ---- */

static str number_text(const struct signing_key *key, const char *name, struct arena *arena)
{
    BIGNUM *number = NULL;
    must(EVP_PKEY_get_bn_param(key->key, name, &number) == 1);
    size_t n = (size_t)BN_num_bytes(number);
    unsigned char *bytes = arena_alloc(arena, n);
    must(BN_bn2bin(number, bytes) == (int)n);
    BN_free(number);
    return base64_encode_url((str){ (char *)bytes, n }, arena);
}

/* RFC 7638: the SHA-256 of the required members, in the order of their names, without white space. */
static void name_key(struct signing_key *key)
{
    struct arena arena;
    arena_init(&arena, 0);
    str e = number_text(key, OSSL_PKEY_PARAM_RSA_E, &arena),
        n = number_text(key, OSSL_PKEY_PARAM_RSA_N, &arena);
    str text =
        arena_printf(&arena, "{\"e\":\"%.*s\",\"kty\":\"RSA\",\"n\":\"%.*s\"}", STR_ARG(e), STR_ARG(n));
    unsigned char digest[THUMBPRINT_BYTES];
    must(EVP_Digest(text.p, text.n, digest, NULL, EVP_sha256(), NULL) == 1);
    str id = base64_encode_url((str){ (char *)digest, sizeof digest }, &arena);
    must(id.n == THUMBPRINT_CHARS);
    memcpy(key->id, id.p, id.n);
    arena_done(&arena);
}

str signing_key_id(const struct signing_key *key) { return (str){ key->id, THUMBPRINT_CHARS }; }

const struct json *signing_key_jwk(const struct signing_key *key, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("kty"), STR("RSA"));
    json_add_text(&builder, STR("use"), STR("sig"));
    json_add_text(&builder, STR("alg"), STR("RS256"));
    json_add_text(&builder, STR("kid"), signing_key_id(key));
    json_add_text(&builder, STR("n"), number_text(key, OSSL_PKEY_PARAM_RSA_N, arena));
    json_add_text(&builder, STR("e"), number_text(key, OSSL_PKEY_PARAM_RSA_E, arena));
    json_close(&builder);
    return json_built(&builder);
}

str signing_key_public(const struct signing_key *key, struct arena *arena)
{
    unsigned char *der = NULL;
    int n = i2d_PUBKEY(key->key, &der);
    must(n > 0);
    str text = base64_encode((str){ (char *)der, (size_t)n }, arena);
    OPENSSL_free(der);
    return text;
}

/* ---- making and reading ---- */

static struct signing_key *take_key(EVP_PKEY *made)
{
    struct signing_key *key = calloc(1, sizeof *key);
    must(key);
    key->key = made;
    name_key(key);
    return key;
}

enum status signing_key_make(struct signing_key **ret_key, struct error *err)
{
    EVP_PKEY *made = EVP_RSA_gen(RSA_BITS_MIN);
    ERR_clear_error();
    if (!made) return fail(err, ST_INTERNAL, "", "OpenSSL made no key");
    *ret_key = take_key(made);
    return ST_OK;
}

static enum status check_private(EVP_PKEY *key, struct error *err)
{
    if (!key) return fail(err, ST_INVALID, "", "not a private key in PEM, or one with a pass phrase");
    if (!EVP_PKEY_is_a(key, "RSA")) return fail(err, ST_INVALID, "", "a key that signs tokens is an RSA key");
    return jwk_check_rsa(key, err);
}

enum status signing_key_read(str pem, struct signing_key **ret_key, struct error *err)
{
    if (pem.n > JWK_SET_BYTES_MAX) return fail(err, ST_INVALID, "", "a PEM text of %zu bytes", pem.n);
    BIO *source = BIO_new_mem_buf(pem.p, (int)pem.n);
    must(source);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(source, NULL, jwk_no_passphrase, NULL);
    BIO_free(source);
    enum status status = check_private(key, err);
    ERR_clear_error();
    if (status == ST_OK) *ret_key = take_key(key);
    else EVP_PKEY_free(key);
    return status;
}

void signing_key_free(struct signing_key *key)
{
    if (!key) return;
    EVP_PKEY_free(key->key); /* Wipes the private numbers. */
    free(key);
}

str signing_key_pem(const struct signing_key *key, struct arena *arena)
{
    BIO *out = BIO_new(BIO_s_mem());
    must(out && PEM_write_bio_PKCS8PrivateKey(out, key->key, NULL, NULL, 0, NULL, NULL) == 1);
    char *bytes;
    long n = BIO_get_mem_data(out, &bytes);
    must(n > 0);
    str pem = arena_str(arena, (str){ bytes, (size_t)n });
    OPENSSL_cleanse(bytes, (size_t)n);
    BIO_free(out);
    return pem;
}

str signing_key_sign(const struct signing_key *key, str text, struct arena *arena)
{
    size_t n = (size_t)EVP_PKEY_get_size(key->key);
    unsigned char *bytes = arena_alloc(arena, n);
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    must(state);
    bool done = EVP_DigestSignInit(state, NULL, EVP_sha256(), NULL, key->key) == 1 &&
                EVP_DigestSign(state, bytes, &n, (const unsigned char *)text.p, text.n) == 1;
    EVP_MD_CTX_free(state);
    ERR_clear_error();
    return done ? (str){ (char *)bytes, n } : STR_NONE;
}
