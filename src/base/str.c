/* base/str.c — compares, searches, cuts and measures texts. */
#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"

int str_compare(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    if (order) return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

bool str_equal_ignoring_case(str a, str b)
{
    if (str_equal(a, b)) return true; /* Mostly both are written alike. */
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (ascii_lower(a.p[i]) != ascii_lower(b.p[i])) return false;
    return true;
}

bool str_has_part(str text, str part)
{
    for (size_t i = 0; i + part.n <= text.n; i++)
        if (str_equal_ignoring_case(str_slice(text, i, i + part.n), part)) return true;
    return false;
}

bool str_starts(str text, str prefix)
{
    return text.n >= prefix.n && (!prefix.n || memcmp(text.p, prefix.p, prefix.n) == 0);
}

bool str_ends(str text, str suffix)
{
    return text.n >= suffix.n && (!suffix.n || memcmp(text.p + text.n - suffix.n, suffix.p, suffix.n) == 0);
}

size_t str_find(str text, str part, size_t from)
{
    if (part.n == 0) return from <= text.n ? from : SIZE_MAX;
    while (from < text.n && text.n - from >= part.n) {
        const char *hit = memchr(text.p + from, part.p[0], text.n - from - part.n + 1);
        if (!hit) break;
        if (memcmp(hit, part.p, part.n) == 0) return (size_t)(hit - text.p);
        from = (size_t)(hit - text.p) + 1;
    }
    return SIZE_MAX;
}

str str_slice(str text, size_t from, size_t to)
{
    if (to > text.n) to = text.n;
    if (from > to) from = to;
    return (str){ text.p ? text.p + from : NULL, to - from };
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

str str_trim(str text)
{
    while (text.n && is_space(text.p[0])) text = str_slice(text, 1, text.n);
    while (text.n && is_space(text.p[text.n - 1])) text.n--;
    return text;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

size_t str_distance(str a, str b, bool fold)
{
    size_t row[STR_DISTANCE_BYTES_MAX + 1]; /* Distances of the beginning of a to all beginnings of b. */
    if (a.n > STR_DISTANCE_BYTES_MAX || b.n > STR_DISTANCE_BYTES_MAX) return SIZE_MAX;
    for (size_t j = 0; j <= b.n; j++) row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t above = row[j];
            char x = a.p[i - 1], y = b.p[j - 1];
            bool same = fold ? ascii_lower(x) == ascii_lower(y) : x == y;
            row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[b.n];
}

bool str_to_int64(str text, int64_t *ret_value)
{
    size_t i = 0;
    bool negative = text.n && text.p[0] == '-';
    if (negative) i++;
    if (i == text.n) return false;
    /* Counts downwards: the negative range is the larger one. */
    int64_t value = 0;
    for (; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i])) return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, text.p[i] - '0', &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value)) return false;
    *ret_value = value;
    return true;
}
