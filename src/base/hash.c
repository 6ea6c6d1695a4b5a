#include "base/hash.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

uint64_t hash_bytes(str bytes)
{
    uint64_t h = mix(bytes.n + UINT64_C(0x9e3779b97f4a7c15));
    const char *p = bytes.p;
    size_t left = bytes.n;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 29;
    }
    uint64_t tail = 0;
    if (left) memcpy(&tail, p, left);
    return mix(h ^ tail);
}
