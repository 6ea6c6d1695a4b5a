/* access/token/token_verify.c — the signature of a token, with OpenSSL.
 *
 * The token's algorithm only chooses among the algorithms that our key has. So a token cannot have an RSA key
 * used as a shared secret, or choose to have no signature.
 */
#include "access/token/jwk_int.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

enum { ES256_NUMBER_BYTES = 32, ES256_DER_BYTES = 80 };

/* A signature of ES256 is two numbers of 32 bytes; OpenSSL wants them in DER. False: another length. */
static bool encode_der(str raw, unsigned char ret_der[ES256_DER_BYTES], size_t *ret_n)
{
    if (raw.n != 2 * ES256_NUMBER_BYTES) return false;
    const unsigned char *bytes = (const unsigned char *)raw.p;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes, ES256_NUMBER_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(bytes + ES256_NUMBER_BYTES, ES256_NUMBER_BYTES, NULL);
    must(signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1);
    int n = i2d_ECDSA_SIG(signature, NULL);
    must(n > 0 && n <= ES256_DER_BYTES);
    unsigned char *end = ret_der;
    must(i2d_ECDSA_SIG(signature, &end) == n);
    ECDSA_SIG_free(signature);
    *ret_n = (size_t)n;
    return true;
}

/* RFC 7518, section 3.5: SHA-256 in both places, and a salt of its length. */
static bool set_padding(EVP_PKEY_CTX *context, enum algorithm algorithm)
{
    if (algorithm == ALGORITHM_RS256) return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1;
    if (algorithm != ALGORITHM_PS256) return true;
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1 &&
           EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1;
}

static bool has_signed(EVP_PKEY *key, enum algorithm algorithm, str signature, str text)
{
    const EVP_MD *digest = algorithm == ALGORITHM_EDDSA ? NULL : EVP_sha256();
    EVP_PKEY_CTX *context = NULL; /* Belongs to the state. */
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    must(state);
    bool right = EVP_DigestVerifyInit(state, &context, digest, NULL, key) == 1 &&
                 set_padding(context, algorithm) &&
                 EVP_DigestVerify(state, (const unsigned char *)signature.p, signature.n,
                                  (const unsigned char *)text.p, text.n) == 1;
    EVP_MD_CTX_free(state);
    ERR_clear_error(); /* TLS on this thread would take what is left there for its own. */
    return right;
}

static bool is_signed_by(const struct token_text *token, const struct jwk *jwk, enum algorithm algorithm)
{
    if (algorithm != ALGORITHM_ES256)
        return has_signed(jwk->key, algorithm, token->signature, token->signed_text);
    unsigned char der[ES256_DER_BYTES];
    size_t n;
    return encode_der(token->signature, der, &n) &&
           has_signed(jwk->key, algorithm, (str){ (char *)der, n }, token->signed_text);
}

/* Can this be the key that the token means? */
static bool is_meant(const struct jwk *jwk, str kid)
{
    return !kid.n || !jwk->kid.n || str_equal(jwk->kid, kid);
}

/* Keys that may have signed the token. */
struct signers {
    const struct jwk *key[TOKEN_TRIES_MAX];
    size_t count; /* Beyond TOKEN_TRIES_MAX they are only counted. */
    bool known;   /* Some key has the right name, perhaps for another algorithm. */
};

static struct signers find_signers(const struct jwk_set *set, str kid, enum algorithm algorithm)
{
    struct signers found = { 0 };
    for (size_t i = 0; i < set->count; i++) {
        const struct jwk *jwk = &set->key[i];
        if (!is_meant(jwk, kid)) continue;
        found.known = true;
        if (!(jwk->algorithms & 1u << algorithm)) continue;
        if (found.count < TOKEN_TRIES_MAX) found.key[found.count] = jwk;
        found.count++;
    }
    return found;
}

enum status token_verify(const struct token_text *token, const struct jwk_set *set, struct error *err)
{
    enum algorithm algorithm;
    if (!jwk_find_algorithm(token->algorithm, &algorithm))
        return fail_code(err, ST_UNAUTHORIZED, "wrong-algorithm",
                         "the token is not signed with RS256, PS256, ES256 or EdDSA");
    struct signers found = find_signers(set, token->kid, algorithm);
    if (!found.known)
        return fail_code(err, ST_UNAUTHORIZED, "unknown-signing-key",
                         "the issuer has no key of the name that the token says");
    if (!found.count)
        return fail_code(err, ST_UNAUTHORIZED, "wrong-algorithm",
                         "the issuer's key is for another algorithm than the token's");
    if (found.count > TOKEN_TRIES_MAX)
        return fail_code(err, ST_UNAUTHORIZED, "unknown-signing-key",
                         "the token names no key, and %zu keys of the issuer could be meant", found.count);
    for (size_t i = 0; i < found.count; i++)
        if (is_signed_by(token, found.key[i], algorithm)) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "bad-signature", "the token's signature is not that of the key");
}
