/* base/base64.c — encodes and decodes base64. */
#include "base/base64.h"

bool base64_decode(str text, struct arena *arena, str *ret_bytes)
{
    size_t padding = 0;
    if (text.n % 4) return false;
    while (padding < 2 && padding < text.n && text.p[text.n - 1 - padding] == '=') padding++;
    size_t digits = text.n - padding, n = 0;
    char *bytes = arena_alloc(arena, text.n / 4 * 3 + 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = base64_digit(text.p[i]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 == 0) continue;
        uint32_t left = 6 - (uint32_t)(i % 4) * 2; /* Bits that belong to the next byte. */
        bytes[n++] = (char)(bits >> left);
        bits &= (1u << left) - 1;
    }
    if (bits) return false; /* Not what an encoder writes: two texts would stand for the same bytes. */
    *ret_bytes = (str){ bytes, n };
    return true;
}

str base64_encode(str bytes, struct arena *arena)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = arena_alloc(arena, (bytes.n + 2) / 3 * 4 + 1);
    size_t n = 0;
    for (size_t i = 0; i < bytes.n; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < bytes.n ? (unsigned char)bytes.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++) text[n++] = i + k <= bytes.n ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return (str){ text, n };
}
