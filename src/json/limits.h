/* json/limits.h — what the cells of a value and the text of a number can hold. */
#ifndef JSON_LIMITS_H
#define JSON_LIMITS_H

#include "base/limits.h"

enum {
    SMALL_MAX = (1 << 27) - 1,       /* A SMALL keeps its integer in the 28 bits of the head. */
    HEAD_N_MAX = (1 << 28) - 1,      /* Bytes of a string, children of a container: the same 28 bits. */
    NUMBER_EXPONENT_MAX = 999999999, /* Exponents and their differences fit an int64 with much to spare. */
    EXACT_DIGITS_MAX = 34,           /* Significant digits of exact arithmetic: those of IEEE decimal128. */
    ALIGNED_DIGITS_MAX = 37,         /* Digits of an int128, which holds operands brought to one exponent. */
    PLAIN_POINT_MAX = 34,            /* Digits before the point that are written without an exponent. */
    DECIMAL_CHARS_MAX = JSON_NUMBER_BYTES_MAX + 64, /* Text of a number: sign, zeros, point and exponent. */
    ESCAPE_CHARS_MAX = 6,                           /* A character in a JSON string at its longest: \u001f. */

    /* Changes as people read them: bytes of one value, of its place, and of cells that are worth printing. */
    CHANGE_VALUE_BYTES_MAX = 120,
    CHANGE_PATH_BYTES_MAX = 512,
    CHANGE_PRINTED_BYTES_MAX = 4096,
};

/* Bytes of a JSON text: offsets in it fit where lengths of strings do. */
#define TEXT_BYTES_MAX ((size_t)HEAD_N_MAX)

#endif
