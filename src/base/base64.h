/* base/base64.h — bytes as text (RFC 4648).
 *
 * Section 4 (padded, with + and /), and section 5 as tokens and keys use it: not padded, with - and _.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/arena.h"
#include "base/ascii.h"

str base64_encode(str bytes, struct arena *arena);
str base64_encode_url(str bytes, struct arena *arena);

/* False if the text is not what base64_encode() writes for some bytes. */
bool base64_decode(str text, struct arena *arena, str *ret_bytes);
/* The same for base64_encode_url(): padding, white space and bits left over are refused. */
bool base64_decode_url(str text, struct arena *arena, str *ret_bytes);

/* The six bits a character stands for, or -1. */
static inline int base64_digit(char c)
{
    if (ascii_is_upper(c)) return c - 'A';
    if (ascii_is_lower(c)) return c - 'a' + 26;
    if (ascii_is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
