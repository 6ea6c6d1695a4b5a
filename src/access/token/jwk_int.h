/* access/token/jwk_int.h — public keys as the files of this folder share them. */
#ifndef ACCESS_JWK_INT_H
#define ACCESS_JWK_INT_H

#include "access/token/token.h"

#include <openssl/evp.h>

/* The algorithms that we check, each with the one kind of key that it goes with. There are no others: not
 * `none`, and none whose key is a shared secret. */
/* clang-format off */
#define ALGORITHM_MAP(XX)                                                                         \
    XX(RS256, "RS256", RSA)                                                                       \
    XX(PS256, "PS256", RSA)                                                                       \
    XX(ES256, "ES256", EC)                                                                        \
    XX(EDDSA, "EdDSA", ED25519)
/* clang-format on */

enum jwk_kind { JWK_RSA, JWK_EC, JWK_ED25519 };

enum algorithm {
#define XX(NAME, word, kind) ALGORITHM_##NAME,
    ALGORITHM_MAP(XX)
#undef XX
        ALGORITHM_COUNT
};
bool jwk_find_algorithm(str word, enum algorithm *ret_algorithm);

struct jwk {
    EVP_PKEY *key;
    unsigned algorithms; /* Bits 1 << algorithm: those that it may be used for. */
    str kid;             /* Empty: it has no name. */
};

struct jwk_set {
    struct arena arena;
    struct jwk *key;
    size_t count, nameless_count;
};

/* One key of a set as JSON. ST_OK with a NULL key: it is none that we use. The kid lives as long as the JSON.
 * `member` of a complaint is the name of the member that is wrong. */
enum status jwk_read(const struct json *json, struct arena *arena, struct jwk *ret_jwk,
                     const char **ret_member, struct error *err);
/* One public key in PEM. */
enum status jwk_read_pem(str pem, struct jwk *ret_jwk, struct error *err);

/* Is an RSA key, public or private, neither too small nor too large, with a sound exponent? */
enum status jwk_check_rsa(EVP_PKEY *key, struct error *err);

/* The signature of a text with RS256; empty: OpenSSL could not. */
str signing_key_sign(const struct signing_key *key, str text, struct arena *arena);

/* For readers of PEM: OpenSSL would ask at the terminal for the pass phrase of an encrypted key. */
int jwk_no_passphrase(char *text, int size, int writes, void *context);

#endif
