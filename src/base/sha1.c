/* base/sha1.c — the digest, block by block. */
#include "base/sha1.h"

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, WORDS = 5 };

struct sha1 {
    uint32_t word[WORDS];
    uint8_t block[BLOCK_BYTES];
    uint64_t bytes; /* Taken so far. */
};

static uint32_t rotate(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One of the 80 rounds: what is added to the rotated first word. */
static uint32_t round_of(int i, uint32_t b, uint32_t c, uint32_t d)
{
    if (i < 20) return ((b & c) | (~b & d)) + 0x5a827999u;
    if (i < 40) return (b ^ c ^ d) + 0x6ed9eba1u;
    if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    return (b ^ c ^ d) + 0xca62c1d6u;
}

static void take_block(struct sha1 *sha1)
{
    uint32_t schedule[80];
    for (int i = 0; i < 16; i++) schedule[i] = big_endian(sha1->block + 4 * i);
    for (int i = 16; i < 80; i++)
        schedule[i] = rotate(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1);
    uint32_t a = sha1->word[0], b = sha1->word[1], c = sha1->word[2], d = sha1->word[3], e = sha1->word[4];
    for (int i = 0; i < 80; i++) {
        uint32_t next = rotate(a, 5) + round_of(i, b, c, d) + e + schedule[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    sha1->word[0] += a;
    sha1->word[1] += b;
    sha1->word[2] += c;
    sha1->word[3] += d;
    sha1->word[4] += e;
}

static void take_byte(struct sha1 *sha1, uint8_t byte)
{
    sha1->block[sha1->bytes++ % BLOCK_BYTES] = byte;
    if (sha1->bytes % BLOCK_BYTES == 0) take_block(sha1);
}

static void take_text(struct sha1 *sha1, str text)
{
    for (size_t i = 0; i < text.n; i++) take_byte(sha1, (uint8_t)text.p[i]);
}

void sha1_digest(str first, str second, uint8_t ret_digest[SHA1_BYTES])
{
    struct sha1 sha1 = { .word = { 0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u } };
    take_text(&sha1, first);
    take_text(&sha1, second);
    uint64_t bits = sha1.bytes * 8;
    take_byte(&sha1, 0x80);
    while (sha1.bytes % BLOCK_BYTES != BLOCK_BYTES - LENGTH_BYTES) take_byte(&sha1, 0);
    for (int shift = 56; shift >= 0; shift -= 8) take_byte(&sha1, (uint8_t)(bits >> shift));
    for (int i = 0; i < SHA1_BYTES; i++) ret_digest[i] = (uint8_t)(sha1.word[i / 4] >> (24 - i % 4 * 8));
}
