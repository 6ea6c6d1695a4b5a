/* base/utf8.h — characters of UTF-8 text.
 *
 * All functions but utf8_is_valid() take text that is well-formed; on other bytes they are safe, and count
 * each byte that does not continue a character as one.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* True if the bytes are well-formed UTF-8 (no surrogates, no overlong forms). */
bool utf8_is_valid(str text);

/* False for the second and later bytes of a character. */
static inline bool utf8_begins(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

/* How many characters the text has. */
size_t utf8_count(str text);

/* Bytes before the character with this index; all bytes if there are fewer characters. */
size_t utf8_offset(str text, size_t index);

/* The beginning of the text: at most that many bytes, cut between two characters. */
str utf8_cut(str text, size_t bytes_max);

/* Writes 1 to 4 bytes and returns how many. */
size_t utf8_encode(uint32_t character, char ret_bytes[4]);

/* Where a byte of the text is for its reader: both count from 1, columns in characters. */
struct utf8_place {
    uint32_t line, column;
};
struct utf8_place utf8_place(str text, size_t at);

#endif
