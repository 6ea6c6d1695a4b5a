/* base/str.h — text that knows its length.
 *
 * A str is borrowed bytes: it owns nothing, is passed by copy, may hold NUL bytes and
 * is never assumed to end with one.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *p;
    size_t n;
} str;

#define STR(literal) ((str){ "" literal, sizeof(literal) - 1 })
#define STR_INIT(literal)               \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    } /* In static tables. */
#define STR_NONE ((str){ NULL, 0 })

/* For printf: "%.*s", STR_ARG(text). */
#define STR_ARG(s) (int)(s).n, (s).p

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline str str_of(const char *text) { return (str){ text, text ? strlen(text) : 0 }; }

static inline bool str_equal(str a, str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }

/* Byte order, shorter first on a tie: <0, 0 or >0. */
int str_compare(str a, str b);

/* ASCII letters only: header names, field names, enum words. */
bool str_equal_ignoring_case(str a, str b);
bool str_has_part(str text, str part); /* In letters of either case (ASCII). */

bool str_starts(str text, str prefix);
bool str_ends(str text, str suffix);

/* Index of the first occurrence at or after `from`, or SIZE_MAX. */
size_t str_find(str text, str part, size_t from);

/* The part [from, to), clamped to the text. */
str str_slice(str text, size_t from, size_t to);

/* Without ASCII white space at both ends. */
str str_trim(str text);

/* How many bytes must be inserted, removed or replaced to turn one text into the other; `fold` ignores the
 * case of ASCII letters. SIZE_MAX if one has more than STR_DISTANCE_BYTES_MAX bytes: for short words only. */
size_t str_distance(str a, str b, bool fold);

/* A decimal int64 with nothing before or after it. */
bool str_to_int64(str text, int64_t *ret_value);

#endif
