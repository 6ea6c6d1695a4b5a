/* access/credential.c — hashes of secrets, and cookies. */
#include "access/key.h"

#include "base/ascii.h"
#include "base/must.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

/* Every request has its credential hashed. OpenSSL would look the algorithm up by its name and allocate a
 * context each time, which costs more than the hash: each thread keeps its context. */
static EVP_MD *algorithm;
static pthread_key_t context_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_context(void *context) { EVP_MD_CTX_free(context); }

static void prepare(void)
{
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    must(algorithm && pthread_key_create(&context_key, free_context) == 0);
}

static EVP_MD_CTX *context_of_thread(void)
{
    must(pthread_once(&once, prepare) == 0);
    EVP_MD_CTX *context = pthread_getspecific(context_key);
    if (context) return context;
    context = EVP_MD_CTX_new();
    must(context && pthread_setspecific(context_key, context) == 0);
    return context;
}

struct credential_hash credential_hash(str text)
{
    struct credential_hash hash;
    EVP_MD_CTX *context = context_of_thread();
    must(EVP_DigestInit_ex(context, algorithm, NULL) == 1);
    must(EVP_DigestUpdate(context, text.p ? text.p : "", text.n) == 1);
    must(EVP_DigestFinal_ex(context, hash.bytes, NULL) == 1);
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

str credential_cookie(str header, str name)
{
    while (header.n) {
        size_t end = str_find(header, STR(";"), 0);
        str pair = str_trim(str_slice(header, 0, end));
        size_t equals = str_find(pair, STR("="), 0);
        if (equals != SIZE_MAX && str_equal(str_slice(pair, 0, equals), name))
            return str_slice(pair, equals + 1, pair.n);
        header = end == SIZE_MAX ? STR_NONE : str_slice(header, end + 1, header.n);
    }
    return STR_NONE;
}
