/* access/token/jwk.c — one public key, from JSON (RFC 7517, 7518, 8037) or from PEM. */
#include "access/token/jwk_int.h"

#include "base/base64.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

enum { POINT_BYTES = 32, UNCOMPRESSED = 4 };

/* ---- algorithms ---- */

bool jwk_find_algorithm(str word, enum algorithm *ret_algorithm)
{
    static const str words[] = {
#define XX(NAME, text, kind) STR_INIT(text),
        ALGORITHM_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_equal(words[i], word)) continue;
        *ret_algorithm = (enum algorithm)i;
        return true;
    }
    return false;
}

static unsigned algorithms_of(enum jwk_kind kind)
{
#define XX(NAME, word, KIND) | (kind == JWK_##KIND ? 1u << ALGORITHM_##NAME : 0u)
    return 0u ALGORITHM_MAP(XX);
#undef XX
}

/* ---- strength ---- */

static bool is_good_exponent(const BIGNUM *e)
{
    return BN_is_odd(e) && !BN_is_one(e) && !BN_is_negative(e) && BN_num_bits(e) <= RSA_EXPONENT_BITS_MAX;
}

enum status jwk_check_rsa(EVP_PKEY *key, struct error *err)
{
    BIGNUM *n = NULL, *e = NULL;
    must(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n) == 1);
    must(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e) == 1);
    int bits = BN_num_bits(n);
    bool odd = BN_is_odd(n), good_exponent = is_good_exponent(e);
    BN_free(n);
    BN_free(e);
    if (bits < RSA_BITS_MIN)
        return fail(err, ST_INVALID, "", "an RSA key of %d bits; the least is %d", bits, RSA_BITS_MIN);
    if (bits > RSA_BITS_MAX)
        return fail(err, ST_INVALID, "", "an RSA key of %d bits; the most is %d", bits, RSA_BITS_MAX);
    if (!odd) return fail(err, ST_INVALID, "", "the modulus of an RSA key is odd");
    if (!good_exponent)
        return fail(err, ST_INVALID, "", "the exponent of an RSA key is odd, more than 1 and below 2^32");
    return ST_OK;
}

static bool is_on_p256(EVP_PKEY *key)
{
    char curve[32] = "";
    size_t n;
    EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, curve, sizeof curve, &n);
    if (strcmp(curve, "prime256v1") != 0) return false;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    must(context);
    bool right = EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return right;
}

/* Is the key one that we use, and strong enough? Fills in the algorithms of its kind. */
static enum status check_key(struct jwk *jwk, struct error *err)
{
    if (EVP_PKEY_is_a(jwk->key, "RSA")) {
        jwk->algorithms = algorithms_of(JWK_RSA);
        return jwk_check_rsa(jwk->key, err);
    }
    if (EVP_PKEY_is_a(jwk->key, "EC")) {
        jwk->algorithms = algorithms_of(JWK_EC);
        return is_on_p256(jwk->key) ? ST_OK
                                    : fail(err, ST_INVALID, "", "the key is no point on the curve P-256");
    }
    jwk->algorithms = algorithms_of(JWK_ED25519);
    return EVP_PKEY_is_a(jwk->key, "ED25519")
               ? ST_OK
               : fail(err, ST_INVALID, "", "the key is none of RSA, EC on P-256, and Ed25519");
}

/* ---- PEM ---- */

int jwk_no_passphrase(char *text, int size, int writes, void *context)
{
    (void)text, (void)size, (void)writes, (void)context;
    return -1;
}

enum status jwk_read_pem(str pem, struct jwk *ret_jwk, struct error *err)
{
    struct jwk jwk = { 0 };
    if (str_find(pem, STR("PRIVATE KEY-----"), 0) != SIZE_MAX)
        return fail(err, ST_INVALID, "", "this is a private key; only its owner may have it");
    if (pem.n > JWK_SET_BYTES_MAX) return fail(err, ST_INVALID, "", "a PEM text of %zu bytes", pem.n);
    BIO *source = BIO_new_mem_buf(pem.p, (int)pem.n);
    must(source);
    jwk.key = PEM_read_bio_PUBKEY(source, NULL, jwk_no_passphrase, NULL);
    BIO_free(source);
    enum status status =
        jwk.key ? check_key(&jwk, err)
                : fail(err, ST_INVALID, "", "not a public key in PEM (-----BEGIN PUBLIC KEY-----)");
    ERR_clear_error();
    if (status == ST_OK) *ret_jwk = jwk;
    else EVP_PKEY_free(jwk.key);
    return status;
}

/* ---- JSON ---- */

static enum status refuse(struct error *err, const char **ret_member, const char *member, const char *why)
{
    *ret_member = member;
    return fail(err, ST_INVALID, "", "%s", why);
}

/* The bytes of a member in base64. */
static bool read_bytes(const struct json *json, const char *member, struct arena *arena, str *ret_bytes)
{
    const struct json *value = json_get(json, str_of(member));
    return json_is(value, JSON_STRING) && base64_decode_url(json_string(value), arena, ret_bytes) &&
           ret_bytes->n;
}

/* Members of private keys (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; RFC 8037). */
static const char *private_member(const struct json *json)
{
    static const char *const names[] = { "d", "p", "q", "dp", "dq", "qi", "oth", "k" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (json_get(json, str_of(names[i]))) return names[i];
    return NULL;
}

/* NULL if OpenSSL refuses the numbers. Takes the parameters. */
static EVP_PKEY *make_key(const char *kind, OSSL_PARAM_BLD *builder)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    must(parameters && context && EVP_PKEY_fromdata_init(context) == 1);
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

static enum status read_rsa(const struct json *json, struct arena *arena, EVP_PKEY **ret_key,
                            const char **ret_member, struct error *err)
{
    str n, e;
    if (!read_bytes(json, "n", arena, &n)) return refuse(err, ret_member, "n", "not a number in base64url");
    if (!read_bytes(json, "e", arena, &e)) return refuse(err, ret_member, "e", "not a number in base64url");
    if (n.n > RSA_BITS_MAX / 8 + 1) return refuse(err, ret_member, "n", "an RSA key of more than 8192 bits");
    if (e.n > RSA_EXPONENT_BITS_MAX / 8 + 1)
        return refuse(err, ret_member, "e", "an exponent of 2^32 or more");
    BIGNUM *modulus = BN_bin2bn((const unsigned char *)n.p, (int)n.n, NULL);
    BIGNUM *exponent = BN_bin2bn((const unsigned char *)e.p, (int)e.n, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    must(modulus && exponent && builder);
    must(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1);
    must(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1);
    *ret_key = make_key("RSA", builder);
    BN_free(modulus);
    BN_free(exponent);
    return *ret_key ? ST_OK : refuse(err, ret_member, "n", "no RSA key");
}

static enum status read_ec(const struct json *json, struct arena *arena, EVP_PKEY **ret_key,
                           const char **ret_member, struct error *err)
{
    str x, y;
    if (!read_bytes(json, "x", arena, &x) || x.n != POINT_BYTES)
        return refuse(err, ret_member, "x", "not 32 bytes in base64url");
    if (!read_bytes(json, "y", arena, &y) || y.n != POINT_BYTES)
        return refuse(err, ret_member, "y", "not 32 bytes in base64url");
    unsigned char point[1 + 2 * POINT_BYTES] = { UNCOMPRESSED };
    memcpy(point + 1, x.p, POINT_BYTES);
    memcpy(point + 1 + POINT_BYTES, y.p, POINT_BYTES);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    must(builder);
    must(OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1);
    must(OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1);
    *ret_key = make_key("EC", builder);
    return *ret_key ? ST_OK : refuse(err, ret_member, "x", "the key is no point on the curve P-256");
}

static enum status read_ed25519(const struct json *json, struct arena *arena, EVP_PKEY **ret_key,
                                const char **ret_member, struct error *err)
{
    str x;
    if (!read_bytes(json, "x", arena, &x) || x.n != POINT_BYTES)
        return refuse(err, ret_member, "x", "not 32 bytes in base64url");
    *ret_key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, (const unsigned char *)x.p, x.n);
    return *ret_key ? ST_OK : refuse(err, ret_member, "x", "no Ed25519 key");
}

/* A key of a kind that we do not use gives none. */
static enum status read_by_kind(const struct json *json, struct arena *arena, EVP_PKEY **ret_key,
                                const char **ret_member, struct error *err)
{
    str kind = json_text(json, STR("kty")), curve = json_text(json, STR("crv"));
    *ret_key = NULL;
    if (str_equal(kind, STR("RSA"))) return read_rsa(json, arena, ret_key, ret_member, err);
    if (str_equal(kind, STR("EC")) && str_equal(curve, STR("P-256")))
        return read_ec(json, arena, ret_key, ret_member, err);
    if (str_equal(kind, STR("OKP")) && str_equal(curve, STR("Ed25519")))
        return read_ed25519(json, arena, ret_key, ret_member, err);
    return ST_OK;
}

static bool has_text(const struct json *list, str text)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *item = json_item(list, i);
        if (json_is(item, JSON_STRING) && str_equal(json_string(item), text)) return true;
    }
    return false;
}

/* Does its owner mean the key for signatures? */
static bool is_for_signatures(const struct json *json)
{
    const struct json *use = json_get(json, STR("use")), *operations = json_get(json, STR("key_ops"));
    if (use && !(json_is(use, JSON_STRING) && str_equal(json_string(use), STR("sig")))) return false;
    return !operations || (json_is(operations, JSON_ARRAY) && has_text(operations, STR("verify")));
}

/* Leaves the algorithm that the key says, if it says one. */
static void narrow(const struct json *json, struct jwk *jwk)
{
    const struct json *word = json_get(json, STR("alg"));
    enum algorithm algorithm;
    if (!word) return;
    bool known = json_is(word, JSON_STRING) && jwk_find_algorithm(json_string(word), &algorithm);
    jwk->algorithms &= known ? 1u << algorithm : 0;
}

enum status jwk_read(const struct json *json, struct arena *arena, struct jwk *ret_jwk,
                     const char **ret_member, struct error *err)
{
    struct jwk jwk = { 0 };
    *ret_member = NULL;
    if (!json_is(json, JSON_OBJECT)) return fail(err, ST_INVALID, "", "a key is an object");
    const char *secret = private_member(json);
    if (secret) return refuse(err, ret_member, secret, "this is a private key; only its owner may have it");
    const struct json *kid = json_get(json, STR("kid"));
    if (kid && !(json_is(kid, JSON_STRING) && json_string(kid).n <= TOKEN_NAME_BYTES_MAX))
        return refuse(err, ret_member, "kid", "not a short text");
    *ret_jwk = jwk;
    if (!is_for_signatures(json)) return ST_OK;
    TRY(read_by_kind(json, arena, &jwk.key, ret_member, err));
    if (!jwk.key) return ST_OK;
    jwk.kid = kid ? json_string(kid) : STR_NONE;
    enum status status = check_key(&jwk, err);
    narrow(json, &jwk);
    if (status == ST_OK && jwk.algorithms) *ret_jwk = jwk;
    else EVP_PKEY_free(jwk.key);
    return status;
}
