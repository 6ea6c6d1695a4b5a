/* access/secret/credential.c — hashes of secrets, and cookies. */
#include "access/secret/key.h"

#include "base/ascii.h"
#include "base/must.h"

#define OPENSSL_SUPPRESS_DEPRECATED /* SHA256_Init() and its like, see below. */
#include <openssl/crypto.h>
#include <openssl/sha.h>

/* Every request has its credential hashed. The functions that OpenSSL wants everybody to use find the
 * algorithm and its memory by names, which takes three times as long as the hash of a credential. */
struct credential_hash credential_hash(str text)
{
    struct credential_hash hash;
    SHA256_CTX context;
    _Static_assert(sizeof hash.bytes == SHA256_DIGEST_LENGTH, "a hash is a SHA-256");
    must(SHA256_Init(&context) == 1);
    must(SHA256_Update(&context, text.p ? text.p : "", text.n) == 1);
    must(SHA256_Final(hash.bytes, &context) == 1);
    return hash;
}

bool credential_equal(str a, str b) { return a.n == b.n && (!a.n || CRYPTO_memcmp(a.p, b.p, a.n) == 0); }

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
