/* access/credential.c — hashes of secrets. */
#include "access/key.h"

#include "base/ascii.h"
#include "base/must.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

/* OpenSSL looks the algorithm up by its name unless it was fetched before, and that costs more than the hash. */
static EVP_MD *algorithm;
static pthread_once_t algorithm_once = PTHREAD_ONCE_INIT;

static void fetch_algorithm(void)
{
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    must(algorithm);
}

struct credential_hash credential_hash(str text)
{
    struct credential_hash hash;
    must(pthread_once(&algorithm_once, fetch_algorithm) == 0);
    must(EVP_Digest(text.p ? text.p : "", text.n, hash.bytes, NULL, algorithm, NULL) == 1);
    return hash;
}

bool credential_hash_equal(const struct credential_hash *a, const struct credential_hash *b)
{
    return CRYPTO_memcmp(a->bytes, b->bytes, CREDENTIAL_HASH_BYTES) == 0;
}

str credential_hash_text(const struct credential_hash *hash, struct arena *arena)
{
    char *text = arena_alloc(arena, 2 * CREDENTIAL_HASH_BYTES);
    for (size_t i = 0; i < CREDENTIAL_HASH_BYTES; i++) {
        text[2 * i] = "0123456789abcdef"[hash->bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[hash->bytes[i] & 15];
    }
    return (str){ text, 2 * CREDENTIAL_HASH_BYTES };
}

bool credential_hash_parse(str text, struct credential_hash *ret_hash)
{
    struct credential_hash hash;
    if (text.n != 2 * CREDENTIAL_HASH_BYTES) return false;
    for (size_t i = 0; i < CREDENTIAL_HASH_BYTES; i++) {
        int high = ascii_hex(text.p[2 * i]), low = ascii_hex(text.p[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        hash.bytes[i] = (unsigned char)(high << 4 | low);
    }
    *ret_hash = hash;
    return true;
}
