/* vault/seal.c — values as bytes that only a key opens: AES-256-GCM.
 *
 *     version (1 byte) | key id (8) | nonce (12) | encrypted value | tag (16)
 *
 * The nonce is random and new for each value, which is safe for the 2^32 values that one key will never see.
 * The tag covers the value and, as associated data, everything that tells where it belongs: version, key id,
 * namespace and name. So bytes that were moved to another row, or come from another store's row of that name
 * with another key, do not open.
 */
#include "vault/vault_int.h"

#include "base/buf.h"
#include "base/must.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

enum {
    SEAL_VERSION = 1,
    NONCE_BYTES = 12,
    TAG_BYTES = 16,
    HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES,
};

static const str key_id_label = STR_INIT("pawl vault key id 1");

/* ---- keys ---- */

static void make_random(unsigned char *bytes, int n)
{
    /* Without randomness nothing can be sealed, and the system has run out of something basic. */
    must(RAND_bytes(bytes, n) == 1);
}

void seal_take_key(const unsigned char bytes[KEY_BYTES], struct vault_key *ret_key)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    must(context);
    must(EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1);
    must(EVP_DigestUpdate(context, key_id_label.p, key_id_label.n) == 1);
    must(EVP_DigestUpdate(context, bytes, KEY_BYTES) == 1);
    must(EVP_DigestFinal_ex(context, digest, NULL) == 1);
    EVP_MD_CTX_free(context);
    memcpy(ret_key->bytes, bytes, KEY_BYTES);
    memcpy(ret_key->id, digest, KEY_ID_BYTES);
    ret_key->there = true;
    OPENSSL_cleanse(digest, sizeof digest);
}

void seal_make_key(struct vault_key *ret_key)
{
    unsigned char bytes[KEY_BYTES];
    make_random(bytes, KEY_BYTES);
    seal_take_key(bytes, ret_key);
    OPENSSL_cleanse(bytes, sizeof bytes);
}

void seal_wipe_key(struct vault_key *key) { OPENSSL_cleanse(key, sizeof *key); }

void seal_derive(const struct vault_key *key, str label, unsigned char ret_bytes[VAULT_DERIVED_BYTES])
{
    size_t n = VAULT_DERIVED_BYTES;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    must(context && key->there && label.n <= INT32_MAX);
    must(EVP_PKEY_derive_init(context) == 1);
    must(EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1);
    must(EVP_PKEY_CTX_set1_hkdf_key(context, key->bytes, KEY_BYTES) == 1);
    must(EVP_PKEY_CTX_add1_hkdf_info(context, (const unsigned char *)label.p, (int)label.n) == 1);
    must(EVP_PKEY_derive(context, ret_bytes, &n) == 1 && n == VAULT_DERIVED_BYTES);
    EVP_PKEY_CTX_free(context);
}

/* ---- values ---- */

/* The data that the tag covers besides the value. The name comes last, so no two places look alike. */
static void bind_place(EVP_CIPHER_CTX *context, bool encrypts, const unsigned char *head,
                       struct seal_place place)
{
    unsigned char fixed[1 + KEY_ID_BYTES + 4];
    memcpy(fixed, head, 1 + KEY_ID_BYTES);
    for (size_t i = 0; i < 4; i++)
        fixed[1 + KEY_ID_BYTES + i] = (unsigned char)((uint32_t)place.ns >> (8 * i));
    int n;
    int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int) =
        encrypts ? EVP_EncryptUpdate : EVP_DecryptUpdate;
    must(update(context, NULL, &n, fixed, sizeof fixed) == 1);
    must(update(context, NULL, &n, (const unsigned char *)place.name.p, (int)place.name.n) == 1);
}

str seal_value(const struct vault_key *key, struct seal_place place, str value, struct arena *arena)
{
    must(key->there && value.n <= INT32_MAX / 2 && place.name.n <= INT32_MAX / 2);
    size_t bytes = HEAD_BYTES + value.n + TAG_BYTES;
    unsigned char *sealed = arena_alloc(arena, bytes);
    unsigned char *nonce = sealed + 1 + KEY_ID_BYTES, *body = sealed + HEAD_BYTES;
    sealed[0] = SEAL_VERSION;
    memcpy(sealed + 1, key->id, KEY_ID_BYTES);
    make_random(nonce, NONCE_BYTES);
    int n, end;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(context);
    must(EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1);
    bind_place(context, true, sealed, place);
    must(EVP_EncryptUpdate(context, body, &n, (const unsigned char *)value.p, (int)value.n) == 1);
    must(EVP_EncryptFinal_ex(context, body + n, &end) == 1);
    must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, body + value.n) == 1);
    EVP_CIPHER_CTX_free(context); /* Wipes the key that it has copied. */
    return (str){ (char *)sealed, bytes };
}

bool seal_is_whole(str sealed) { return sealed.n > HEAD_BYTES + TAG_BYTES && sealed.p[0] == SEAL_VERSION; }

bool seal_is_of(str sealed, const struct vault_key *key)
{
    return key->there && seal_is_whole(sealed) && memcmp(sealed.p + 1, key->id, KEY_ID_BYTES) == 0;
}

str seal_key_id(str sealed) { return str_slice(sealed, 1, 1 + KEY_ID_BYTES); }

bool seal_open(const struct vault_key *key, struct seal_place place, str sealed, struct arena *arena,
               str *ret_value)
{
    if (!seal_is_of(sealed, key) || sealed.n > INT32_MAX || place.name.n > INT32_MAX / 2) return false;
    const unsigned char *head = (const unsigned char *)sealed.p;
    size_t bytes = sealed.n - HEAD_BYTES - TAG_BYTES;
    unsigned char *value = arena_alloc(arena, bytes + 1);
    unsigned char tag[TAG_BYTES];
    memcpy(tag, head + HEAD_BYTES + bytes, TAG_BYTES);
    int n = 0, end = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    must(context);
    must(EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key->bytes, head + 1 + KEY_ID_BYTES) == 1);
    bind_place(context, false, head, place);
    must(EVP_DecryptUpdate(context, value, &n, head + HEAD_BYTES, (int)bytes) == 1);
    must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, tag) == 1);
    bool right = EVP_DecryptFinal_ex(context, value + n, &end) == 1;
    EVP_CIPHER_CTX_free(context);
    if (!right) {
        OPENSSL_cleanse(value, bytes);
        return false;
    }
    value[bytes] = '\0';
    *ret_value = (str){ (char *)value, bytes };
    return true;
}
