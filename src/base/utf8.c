/* base/utf8.c — checks, counts, cuts and encodes characters. */
#include "base/utf8.h"

/* Bytes of the character that starts here, or 0 if it is malformed. */
static size_t valid_length(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80) return 1;
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < n) return 0;
    for (size_t i = 1; i < n; i++)
        if (utf8_begins((char)p[i])) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0; /* Overlong. */
    if (p[0] == 0xed && p[1] > 0x9f) return 0; /* A surrogate. */
    if (p[0] == 0xf0 && p[1] < 0x90) return 0; /* Overlong. */
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0; /* Beyond U+10FFFF. */
    return n;
}

bool utf8_is_valid(str text)
{
    const unsigned char *p = (const unsigned char *)text.p;
    for (size_t i = 0; i < text.n;) {
        uint64_t word;
        while (text.n - i >= sizeof word) { /* Most text is ASCII. */
            memcpy(&word, p + i, sizeof word);
            if (word & UINT64_C(0x8080808080808080)) break;
            i += sizeof word;
        }
        if (i == text.n) break;
        size_t n = valid_length(p + i, text.n - i);
        if (!n) return false;
        i += n;
    }
    return true;
}

size_t utf8_count(str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.n; i++) count += utf8_begins(text.p[i]);
    return count;
}

size_t utf8_offset(str text, size_t index)
{
    size_t at = 0;
    for (; at < text.n && index > 0; index--) {
        at++;
        while (at < text.n && !utf8_begins(text.p[at])) at++;
    }
    return at;
}

str utf8_cut(str text, size_t bytes_max)
{
    if (text.n <= bytes_max) return text;
    size_t n = bytes_max;
    while (n && !utf8_begins(text.p[n])) n--;
    return (str){ text.p, n };
}

size_t utf8_encode(uint32_t character, char ret_bytes[4])
{
    if (character < 0x80) {
        ret_bytes[0] = (char)character;
        return 1;
    }
    size_t count = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char first[] = { [2] = 0xc0, [3] = 0xe0, [4] = 0xf0 };
    for (size_t i = count - 1; i > 0; i--, character >>= 6) ret_bytes[i] = (char)(0x80 | (character & 0x3f));
    ret_bytes[0] = (char)(first[count] | character);
    return count;
}

struct utf8_place utf8_place(str text, size_t at)
{
    struct utf8_place place = { 1, 1 };
    for (size_t i = 0; i < at && i < text.n; i++) {
        if (text.p[i] == '\n') place = (struct utf8_place){ place.line + 1, 1 };
        else if (utf8_begins(text.p[i])) place.column++;
    }
    return place;
}
