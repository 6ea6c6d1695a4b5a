/* vault/proof.c — proofs: derived keys, kept for a while, and what they sign. */
#include "vault/proof.h"

#include "base/clock.h"
#include "base/must.h"
#include "vault/limits.h"
#include "vault/vault_int.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdlib.h>

enum { KEY_PLACES = 4, MAC_BYTES = PROOF_BYTES - VAULT_KEY_ID_BYTES };

/* A derived key, ready to sign. */
struct proof_key {
    unsigned char id[VAULT_KEY_ID_BYTES];
    EVP_MAC_CTX *mac; /* NULL: the place is free. */
    int64_t until_us;
};

struct proof_keys {
    struct vault *vault;
    char *label;
    size_t label_bytes;
    EVP_MAC *algorithm;
    pthread_mutex_t lock; /* Guards the fields below. */
    struct proof_key key[KEY_PLACES];
    int64_t looked_us;
};

struct proof_keys *proof_keys_new(struct vault *vault, str label)
{
    struct proof_keys *proofs = calloc(1, sizeof *proofs);
    must(proofs);
    *proofs = (struct proof_keys){ .vault = vault,
                                   .label = malloc(label.n),
                                   .label_bytes = label.n,
                                   .algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL),
                                   .looked_us = INT64_MIN / 2 };
    must(proofs->label && proofs->algorithm);
    memcpy(proofs->label, label.p, label.n);
    must(pthread_mutex_init(&proofs->lock, NULL) == 0);
    return proofs;
}

void proof_keys_free(struct proof_keys *proofs)
{
    if (!proofs) return;
    for (size_t i = 0; i < KEY_PLACES; i++) EVP_MAC_CTX_free(proofs->key[i].mac);
    EVP_MAC_free(proofs->algorithm);
    pthread_mutex_destroy(&proofs->lock);
    free(proofs->label);
    free(proofs);
}

/* ---- keys ---- */

static struct proof_key *find_key(struct proof_keys *proofs, const unsigned char *id, int64_t now_us)
{
    for (size_t i = 0; i < KEY_PLACES; i++) {
        struct proof_key *key = &proofs->key[i];
        if (key->mac && now_us < key->until_us && memcmp(key->id, id, sizeof key->id) == 0) return key;
    }
    return NULL;
}

/* In the place of the one that ends first. */
static struct proof_key *add_key(struct proof_keys *proofs, const unsigned char *id, unsigned char *derived)
{
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string("digest", digest, 0),
                                  OSSL_PARAM_construct_end() };
    struct proof_key *place = &proofs->key[0];
    for (size_t i = 1; i < KEY_PLACES; i++)
        if (proofs->key[i].until_us < place->until_us) place = &proofs->key[i];
    EVP_MAC_CTX_free(place->mac);
    *place = (struct proof_key){ .mac = EVP_MAC_CTX_new(proofs->algorithm) };
    must(place->mac && EVP_MAC_init(place->mac, derived, VAULT_DERIVED_BYTES, params) == 1);
    memcpy(place->id, id, sizeof place->id);
    OPENSSL_cleanse(derived, VAULT_DERIVED_BYTES);
    return place;
}

static str label_of(const struct proof_keys *proofs) { return (str){ proofs->label, proofs->label_bytes }; }

static enum status try_signing_key(struct proof_keys *proofs, struct proof_key **ret_key, struct error *err)
{
    unsigned char id[VAULT_KEY_ID_BYTES], derived[VAULT_DERIVED_BYTES];
    int64_t now_us = clock_monotonic_us();
    TRY(vault_proving_key(proofs->vault, id, err));
    struct proof_key *key = find_key(proofs, id, now_us);
    if (!key) {
        TRY(vault_derive_by(proofs->vault, id, false, label_of(proofs), derived, err));
        key = add_key(proofs, id, derived);
    }
    key->until_us = now_us + PROOF_KEY_US;
    *ret_key = key;
    return ST_OK;
}

/* A rekey may commit between the question for the key's id and the one for the key. */
static enum status signing_key(struct proof_keys *proofs, struct proof_key **ret_key, struct error *err)
{
    enum status status = try_signing_key(proofs, ret_key, err);
    return status == ST_NOT_FOUND ? try_signing_key(proofs, ret_key, err) : status;
}

/* The key that a proof names, or NULL. */
static struct proof_key *named_key(struct proof_keys *proofs, const unsigned char *id)
{
    unsigned char derived[VAULT_DERIVED_BYTES];
    struct error err;
    int64_t now_us = clock_monotonic_us();
    struct proof_key *key = find_key(proofs, id, now_us);
    if (key) return key;
    bool may_read = now_us - proofs->looked_us >= PROOF_LOOK_US;
    if (vault_derive_by(proofs->vault, id, false, label_of(proofs), derived, &err) != ST_OK) {
        if (!may_read) return NULL;
        proofs->looked_us = now_us;
        if (vault_derive_by(proofs->vault, id, true, label_of(proofs), derived, &err) != ST_OK) return NULL;
    }
    key = add_key(proofs, id, derived);
    key->until_us = now_us + PROOF_KEY_US;
    return key;
}

/* ---- proofs ---- */

/* Uses up the copy of a key. The head is bound with its length, so that no text continues it. The length of
 * the text is not needed: it comes last. */
static void sign(EVP_MAC_CTX *mac, str head, str text, unsigned char ret_mac[MAC_BYTES])
{
    unsigned char length[8];
    size_t n;
    for (size_t i = 0; i < sizeof length; i++) length[i] = (unsigned char)((uint64_t)head.n >> (8 * i));
    must(EVP_MAC_update(mac, length, sizeof length) == 1);
    must(EVP_MAC_update(mac, (const unsigned char *)head.p, head.n) == 1);
    if (text.n) must(EVP_MAC_update(mac, (const unsigned char *)text.p, text.n) == 1);
    must(EVP_MAC_final(mac, ret_mac, &n, MAC_BYTES) == 1 && n == MAC_BYTES);
    EVP_MAC_CTX_free(mac);
}

/* The key ready to sign, as a copy that no other thread replaces; NULL: there is none. */
static EVP_MAC_CTX *copy_of(const struct proof_key *key)
{
    EVP_MAC_CTX *copy = key ? EVP_MAC_CTX_dup(key->mac) : NULL;
    must(copy || !key);
    return copy;
}

enum status proof_make(struct proof_keys *proofs, str head, str text, unsigned char *ret_proof,
                       struct error *err)
{
    struct proof_key *key = NULL;
    pthread_mutex_lock(&proofs->lock);
    enum status status = signing_key(proofs, &key, err);
    EVP_MAC_CTX *mac = copy_of(key);
    if (key) memcpy(ret_proof, key->id, VAULT_KEY_ID_BYTES);
    pthread_mutex_unlock(&proofs->lock);
    if (status != ST_OK) return status;
    sign(mac, head, text, ret_proof + VAULT_KEY_ID_BYTES);
    return ST_OK;
}

enum proof proof_check(struct proof_keys *proofs, str head, str text, const unsigned char *proof)
{
    unsigned char mac[MAC_BYTES];
    pthread_mutex_lock(&proofs->lock);
    EVP_MAC_CTX *key = copy_of(named_key(proofs, proof));
    pthread_mutex_unlock(&proofs->lock);
    if (!key) return PROOF_OTHER_KEY;
    sign(key, head, text, mac);
    return CRYPTO_memcmp(mac, proof + VAULT_KEY_ID_BYTES, MAC_BYTES) == 0 ? PROOF_GOOD : PROOF_WRONG;
}
