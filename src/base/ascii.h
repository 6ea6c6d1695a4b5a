/* base/ascii.h — classes and cases of ASCII characters, whatever the locale.
 *
 * Every other byte, also those of UTF-8 characters, is in no class and is its own lower and upper case.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool ascii_is_lower(char c) { return c >= 'a' && c <= 'z'; }
static inline bool ascii_is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static inline bool ascii_is_letter(char c) { return ascii_is_lower((char)(c | 0x20)); }
static inline bool ascii_is_alphanumeric(char c) { return ascii_is_letter(c) || ascii_is_digit(c); }

/* The white space of JSON and of our languages: blank, tab, line feed, carriage return. */
static inline bool ascii_is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static inline char ascii_lower(char c) { return ascii_is_upper(c) ? (char)(c | 0x20) : c; }
static inline char ascii_upper(char c) { return ascii_is_lower(c) ? (char)(c & ~0x20) : c; }

/* The value of a hexadecimal digit in either case, or -1. */
static inline int ascii_hex(char c)
{
    if (ascii_is_digit(c)) return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
