/* json/text.h — the smallest parts of JSON text.
 *
 * For parsers whose white space, strings and numbers are those of JSON: json's own and JSONPath's. All
 * functions read from p up to `end`, which no NUL needs to mark. A complaint is a message in English, or NULL
 * if there is nothing to complain about.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "base/str.h"

/* The first byte at or behind p that is no white space. */
static inline const char *text_skip_space(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

/* Decodes the escape at *p, which is a backslash, to 1 to 4 bytes, and moves *p behind it. Returns a
 * complaint, and then *p stays. */
const char *text_escape(const char **p, const char *end, char ret_bytes[4], size_t *ret_count);

/* Finds the end of the longest number at p. Returns a complaint, and then *ret_end is where the number is
 * wrong. */
const char *text_number(const char *p, const char *end, const char **ret_end);

#endif
