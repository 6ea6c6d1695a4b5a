/* base/word_int.h — texts as words of eight bytes, for hashes. */
#ifndef BASE_WORD_INT_H
#define BASE_WORD_INT_H

#include "base/str.h"

#include <stdint.h>

static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The last n % 8 bytes as a number, little-endian. */
static inline uint64_t word_of_tail(str bytes)
{
    size_t left = bytes.n % 8;
    if (!left) return 0;
    if (bytes.n > 8) return word_at(bytes.p + bytes.n - 8) >> (64 - 8 * left);
    uint64_t tail = 0;
    while (left--) tail = tail << 8 | (unsigned char)bytes.p[left];
    return tail;
}

#endif
