/* base/base64.c — encodes and decodes base64. */
#include "base/base64.h"

typedef int digit_fn(char c);

static int url_digit(char c)
{
    if (c == '-') return 62;
    if (c == '_') return 63;
    return c == '+' || c == '/' ? -1 : base64_digit(c);
}

/* The bytes of a text without its padding. */
static bool decode(str digits, digit_fn *digit_of, struct arena *arena, str *ret_bytes)
{
    char *bytes = arena_alloc(arena, digits.n / 4 * 3 + 3);
    uint32_t bits = 0;
    size_t n = 0;
    for (size_t i = 0; i < digits.n; i++) {
        int digit = digit_of(digits.p[i]);
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

bool base64_decode(str text, struct arena *arena, str *ret_bytes)
{
    size_t padding = 0;
    if (text.n % 4) return false;
    while (padding < 2 && padding < text.n && text.p[text.n - 1 - padding] == '=') padding++;
    return decode(str_slice(text, 0, text.n - padding), base64_digit, arena, ret_bytes);
}

bool base64_decode_url(str text, struct arena *arena, str *ret_bytes)
{
    return text.n % 4 != 1 && decode(text, url_digit, arena, ret_bytes);
}

static str encode(str bytes, const char digits[64], struct arena *arena)
{
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

str base64_encode(str bytes, struct arena *arena)
{
    return encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", arena);
}

str base64_encode_url(str bytes, struct arena *arena)
{
    str text = encode(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", arena);
    while (text.n && text.p[text.n - 1] == '=') text.n--;
    return text;
}
