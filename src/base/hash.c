/* base/hash.c — hashes bytes, eight at a time. */
#include "base/hash.h"

#include "base/word_int.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

static inline uint64_t add_word(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
    return h ^ h >> 29;
}

uint64_t hash_bytes(str bytes)
{
    uint64_t h = mix(bytes.n + UINT64_C(0x9e3779b97f4a7c15));
    const char *p = bytes.p;
    size_t left = bytes.n;
    for (; left >= 32; left -= 32, p += 32) {
        h = add_word(h, word_at(p));
        h = add_word(h, word_at(p + 8));
        h = add_word(h, word_at(p + 16));
        h = add_word(h, word_at(p + 24));
    }
    for (; left >= 8; left -= 8, p += 8) h = add_word(h, word_at(p));
    return mix(h ^ word_of_tail(bytes));
}
