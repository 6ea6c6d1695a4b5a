/* json/number.c — numbers as text, as decimals and as doubles.
 *
 * The text is the truth. The double beside it is only the nearest one there is (the
 * largest, for 1e400), good for what is inexact anyway; whatever must be exact, that is
 * comparison, equality and the canonical form, looks at the digits.
 */
#include "json/json_int.h"

#include "base/ascii.h"
#include "base/must.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading ---- */

enum { MANTISSA_DIGITS = 19 }; /* They fit a uint64. */

static bool is_digit(const char *p, const char *end) { return p < end && ascii_is_digit(*p); }

static const char *take_digits(const char *p, const char *end, struct literal *literal)
{
    uint64_t mantissa = literal->mantissa;
    uint32_t count = literal->digit_count;
    for (; is_digit(p, end); p++) {
        if (count < MANTISSA_DIGITS) mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        count += mantissa != 0; /* Leading zeros do not count. */
    }
    literal->mantissa = mantissa;
    literal->digit_count = count;
    return p;
}

static const char *take_exponent(const char *p, const char *end, struct literal *literal)
{
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '+' || *p == '-')) p++;
    int64_t exponent = 0;
    for (; is_digit(p, end); p++)
        if (exponent <= NUMBER_EXPONENT_MAX) exponent = exponent * 10 + (*p - '0');
    literal->exponent_too_large = exponent > NUMBER_EXPONENT_MAX;
    literal->exponent += negative ? -exponent : exponent;
    return p;
}

const char *json_literal_scan(const char *p, const char *end, struct literal *ret_literal)
{
    struct literal *literal = ret_literal;
    *literal = (struct literal){ .plain = true };
    const char *complaint = NULL;
    if (p < end && *p == '-') {
        literal->negative = true;
        p++;
    }
    const char *digits = p;
    p = take_digits(p, end, literal);
    if (p == digits) {
        complaint = "expected a digit";
    } else if (*digits == '0' && p > digits + 1) {
        p = digits;
        complaint = "a number may not start with 0";
    }
    if (!complaint && p < end && *p == '.') {
        literal->plain = false;
        const char *fraction = ++p;
        p = take_digits(p, end, literal);
        literal->exponent = -(int64_t)(p - fraction);
        if (p == fraction) complaint = "expected a digit behind the '.'";
    }
    if (!complaint && p < end && (*p == 'e' || *p == 'E')) {
        literal->plain = false;
        p = take_exponent(p + 1, end, literal);
        if (!ascii_is_digit(p[-1])) complaint = "expected a digit in the exponent";
    }
    literal->end = p;
    return complaint;
}

/* Below 2^53 and up to 10^22 both are exact doubles, so one operation rounds once. */
enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };

/* Apart, because of its room on the stack. */
__attribute__((noinline)) static double double_of_text(str text)
{
    /* strtod() follows the locale, but this program never leaves "C". */
    char copy[DECIMAL_CHARS_MAX + 1];
    must(text.n < sizeof copy);
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    return strtod(copy, NULL);
}

double json_literal_double(str text, const struct literal *literal)
{
    static const double powers[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    int64_t exponent = literal->exponent;
    if (literal->digit_count <= EXACT_DIGITS && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
        double value = (double)literal->mantissa;
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
        return literal->negative ? -value : value;
    }
    return double_of_text(text);
}

static bool literal_int64(const struct literal *literal, int64_t *ret_value)
{
    uint64_t most = (uint64_t)INT64_MAX + literal->negative;
    if (!literal->plain || literal->digit_count > MANTISSA_DIGITS || literal->mantissa > most) return false;
    if (literal->negative && literal->mantissa == 0) return false; /* -0 */
    *ret_value = (int64_t)(literal->negative ? 0 - literal->mantissa : literal->mantissa);
    return true;
}

static double clamp(double value) { return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value; }

bool json_literal_number(str text, const struct literal *literal, double *ret_value)
{
    int64_t integer;
    if (literal->exponent_too_large || literal_int64(literal, &integer)) return false;
    *ret_value = clamp(json_literal_double(text, literal));
    return true;
}

enum status number_add_literal(struct buf *cells, str text, const struct literal *literal)
{
    int64_t integer;
    if (text.n > JSON_NUMBER_BYTES_MAX || literal->exponent_too_large) return ST_LIMIT;
    if (literal_int64(literal, &integer)) {
        cells_add_int(cells, integer);
        return ST_OK;
    }
    size_t count = cells_for(text.n);
    double value = clamp(json_literal_double(text, literal));
    uint32_t *cell = cells_room(cells, 3 + count);
    cell[0] = head_of(TAG_NUMBER, text.n);
    memcpy(cell + 1, &value, sizeof value);
    cell[2 + count] = 0;
    memcpy(cell + 3, text.p, text.n);
    cells->n += (3 + count) * 4;
    return ST_OK;
}

const struct json *json_number_parse(str text, struct arena *arena)
{
    const char *end = text.p + text.n;
    const char *p = text_skip_space(text.p, end);
    struct literal literal;
    if (json_literal_scan(p, end, &literal) || text_skip_space(literal.end, end) != end) return NULL;
    struct buf cells;
    buf_init(&cells, arena);
    if (number_add_literal(&cells, (str){ p, (size_t)(literal.end - p) }, &literal) != ST_OK) return NULL;
    return value_at(cell_at_offset(&cells, 0));
}

/* ---- decimals ---- */

void json_decimal_of_text(str text, struct decimal *ret_decimal)
{
    struct decimal *decimal = ret_decimal;
    decimal->negative = text.p[0] == '-';
    decimal->count = 0;
    decimal->exponent = 0;
    bool fraction = false;
    const char *end = text.p + text.n;
    const char *p = text.p + decimal->negative;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        if (*p != '0' || decimal->count) decimal->digit[decimal->count++] = *p;
        decimal->exponent -= fraction;
    }
    if (p < end) {
        struct literal literal = { .exponent = 0 };
        take_exponent(p + 1, end, &literal);
        decimal->exponent += literal.exponent;
    }
    while (decimal->count && decimal->digit[decimal->count - 1] == '0') {
        decimal->count--;
        decimal->exponent++;
    }
    if (!decimal->count) {
        decimal->exponent = 0;
        decimal->negative = false;
    }
}

void json_decimal_of(const uint32_t *number, struct decimal *ret_decimal)
{
    int64_t integer;
    if (!plain_int_at(number, &integer)) {
        json_decimal_of_text(number_text_at(number), ret_decimal);
        return;
    }
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)integer);
    json_decimal_of_text((str){ text, (size_t)n }, ret_decimal);
}

void json_digits(const struct json *number, struct json_digits *ret_digits)
{
    must(json_is(number, JSON_NUMBER));
    struct decimal decimal;
    json_decimal_of(cells_of(number), &decimal);
    ret_digits->negative = decimal.negative;
    ret_digits->count = decimal.count;
    ret_digits->exponent = decimal.exponent;
    memcpy(ret_digits->digit, decimal.digit, decimal.count);
}

/* The position of the point behind the first digit: 0.5 has 0, 12.5 has 2. */
static int64_t point_of(const struct decimal *decimal) { return decimal->exponent + decimal->count; }

/* Numbers with the point within these bounds are written without an exponent. */
enum { PLAIN_POINT_MIN = -5 };

static char *append(char *to, const char *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

str json_decimal_print(const struct decimal *decimal, char ret_text[DECIMAL_CHARS_MAX])
{
    char *p = ret_text;
    const char *digit = decimal->digit;
    size_t count = decimal->count;
    int64_t point = point_of(decimal);
    if (!count) return STR("0");
    if (decimal->negative) *p++ = '-';
    if (point > PLAIN_POINT_MAX || point < PLAIN_POINT_MIN) {
        *p++ = digit[0];
        if (count > 1) *p++ = '.';
        p = append(p, digit + 1, count - 1);
        p += snprintf(p, 16, "e%lld", (long long)point - 1);
    } else if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        for (int64_t i = point; i < 0; i++) *p++ = '0';
        p = append(p, digit, count);
    } else if ((size_t)point >= count) {
        p = append(p, digit, count);
        for (size_t i = count; i < (size_t)point; i++) *p++ = '0';
    } else {
        p = append(p, digit, (size_t)point);
        *p++ = '.';
        p = append(p, digit + point, count - (size_t)point);
    }
    return (str){ ret_text, (size_t)(p - ret_text) };
}

void number_add_double(struct buf *cells, double value)
{
    must(isfinite(value));
    char shortest[40];
    /* Any 15 digits are told apart, but by the smallest doubles, which have fewer. */
    for (int precision = fabs(value) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        snprintf(shortest, sizeof shortest, "%.*g", precision, value);
        if (strtod(shortest, NULL) == value) break;
    }
    struct decimal decimal;
    char text[DECIMAL_CHARS_MAX];
    json_decimal_of_text(str_of(shortest), &decimal);
    str printed = json_decimal_print(&decimal, text);
    struct literal literal;
    must(!json_literal_scan(printed.p, printed.p + printed.n, &literal));
    must(number_add_literal(cells, printed, &literal) == ST_OK);
}

/* ---- comparing ---- */

static int decimal_compare_magnitude(const struct decimal *a, const struct decimal *b)
{
    if (!a->count || !b->count) return (a->count > 0) - (b->count > 0);
    int64_t point_a = point_of(a), point_b = point_of(b);
    if (point_a != point_b) return point_a < point_b ? -1 : 1;
    return str_compare((str){ a->digit, a->count }, (str){ b->digit, b->count });
}

int json_number_compare(const struct json *a, const struct json *b)
{
    must(json_is(a, JSON_NUMBER) && json_is(b, JSON_NUMBER));
    int64_t x, y;
    if (plain_int_at(cells_of(a), &x) && plain_int_at(cells_of(b), &y)) return (x > y) - (x < y);
    struct decimal left, right;
    json_decimal_of(cells_of(a), &left);
    json_decimal_of(cells_of(b), &right);
    if (left.negative != right.negative) return left.negative ? -1 : 1;
    int order = decimal_compare_magnitude(&left, &right);
    order = (order > 0) - (order < 0);
    return left.negative ? -order : order;
}

/* ---- as C's numbers ---- */

bool json_int64(const struct json *value, int64_t *ret_value)
{
    if (!json_is(value, JSON_NUMBER)) return false;
    if (plain_int_at(cells_of(value), ret_value)) return true;
    struct decimal decimal;
    json_decimal_of(cells_of(value), &decimal);
    int64_t point = point_of(&decimal);
    if (decimal.exponent < 0 || point > 19) return false;
    /* Counts downwards: the negative range is the larger one. */
    int64_t integer = 0;
    for (int64_t i = 0; i < point; i++) {
        int digit = i < decimal.count ? decimal.digit[i] - '0' : 0;
        if (__builtin_mul_overflow(integer, 10, &integer) || __builtin_sub_overflow(integer, digit, &integer))
            return false;
    }
    if (!decimal.negative && __builtin_sub_overflow((int64_t)0, integer, &integer)) return false;
    *ret_value = integer;
    return true;
}

int64_t json_item_int64(const struct json *array, size_t index)
{
    int64_t value;
    return json_int64(json_item(array, index), &value) ? value : 0;
}

int64_t json_integer(const struct json *object, str name)
{
    int64_t value;
    return json_int64(json_get(object, name), &value) ? value : 0;
}

double json_double(const struct json *value)
{
    must(json_is(value, JSON_NUMBER));
    int64_t integer;
    if (plain_int_at(cells_of(value), &integer)) return (double)integer;
    double nearest;
    memcpy(&nearest, cells_of(value) + 1, sizeof nearest);
    return nearest;
}
