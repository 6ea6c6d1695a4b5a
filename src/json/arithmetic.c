/* json/arithmetic.c — exact as long as 34 digits are enough.
 *
 * Three ways, tried in turn: int64; coefficient × 10^exponent with 128 bits, which is
 * exact or says that it cannot be; double. 34 digits are those of IEEE decimal128: money
 * of any kind adds up, and the coefficient leaves room for sums.
 */
#include "json/json_int.h"

#include "base/int128.h"
#include "base/must.h"

#include <float.h>
#include <math.h>

/* Without trailing zeros; 0 has exponent 0. */
struct exact {
    int128 coefficient;
    int64_t exponent;
};

static uint128 magnitude(int128 value) { return value < 0 ? 0 - (uint128)value : (uint128)value; }

static uint32_t digit_count(int128 value)
{
    uint32_t count = 0;
    for (uint128 rest = magnitude(value); rest; rest /= 10) count++;
    return count;
}

static struct exact lowest(struct exact value)
{
    if (!value.coefficient) return (struct exact){ 0, 0 };
    while (value.coefficient % 10 == 0) {
        value.coefficient /= 10;
        value.exponent++;
    }
    return value;
}

static bool exact_read(const struct json *number, struct exact *ret_value)
{
    int64_t integer;
    if (plain_int_at(cells_of(number), &integer)) {
        *ret_value = lowest((struct exact){ integer, 0 });
        return true;
    }
    struct decimal decimal;
    json_decimal_of(cells_of(number), &decimal);
    if (decimal.count > EXACT_DIGITS_MAX) return false;
    int128 coefficient = 0;
    for (uint32_t i = 0; i < decimal.count; i++) coefficient = coefficient * 10 + (decimal.digit[i] - '0');
    *ret_value = (struct exact){ decimal.negative ? -coefficient : coefficient, decimal.exponent };
    return true;
}

/* Multiplies by 10^power. False if it does not fit. */
static bool scale(int128 *value, int64_t power)
{
    if (*value == 0) return true;
    if (power > ALIGNED_DIGITS_MAX || digit_count(*value) + power > ALIGNED_DIGITS_MAX) return false;
    while (power--) *value *= 10;
    return true;
}

/* ---- the operations: false if the result is not exact ---- */

/* If the aligned numbers do not fit, the result has too many digits as well: the shorter
 * one's last digit stays. */
static bool exact_add(struct exact a, struct exact b, struct exact *ret_sum)
{
    int64_t exponent = a.exponent < b.exponent ? a.exponent : b.exponent;
    if (!scale(&a.coefficient, a.exponent - exponent)) return false;
    if (!scale(&b.coefficient, b.exponent - exponent)) return false;
    *ret_sum = lowest((struct exact){ a.coefficient + b.coefficient, exponent });
    return true;
}

/* Moves factors of ten that a and b only have together into the exponent. */
static void cancel_tens(int128 *two, int128 *five, int64_t *exponent)
{
    while (*two % 2 == 0 && *five % 5 == 0) {
        *two /= 2;
        *five /= 5;
        (*exponent)++;
    }
}

static bool exact_multiply(struct exact a, struct exact b, struct exact *ret_product)
{
    if (!a.coefficient || !b.coefficient) {
        *ret_product = (struct exact){ 0, 0 };
        return true;
    }
    struct exact product = { .exponent = a.exponent + b.exponent };
    cancel_tens(&a.coefficient, &b.coefficient, &product.exponent);
    cancel_tens(&b.coefficient, &a.coefficient, &product.exponent);
    if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient)) return false;
    *ret_product = product;
    return true;
}

static uint128 greatest_divisor(uint128 a, uint128 b)
{
    while (b) {
        uint128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A fraction in lowest terms is a decimal if its divisor has no factors but 2 and 5: each
 * is made a 10 by multiplying both sides. The divisor is not 0. */
static bool exact_divide(struct exact a, struct exact b, struct exact *ret_quotient)
{
    int128 common = (int128)greatest_divisor(magnitude(a.coefficient), magnitude(b.coefficient));
    struct exact quotient = { a.coefficient / common, a.exponent - b.exponent };
    int128 divisor = b.coefficient / common;
    if (divisor < 0) {
        divisor = -divisor;
        quotient.coefficient = -quotient.coefficient;
    }
    while (divisor > 1) {
        int factor = divisor % 10 == 0 ? 10 : divisor % 5 == 0 ? 5 : 2;
        if (divisor % factor) return false;
        divisor /= factor;
        quotient.exponent--;
        if (__builtin_mul_overflow(quotient.coefficient, 10 / factor, &quotient.coefficient)) return false;
    }
    *ret_quotient = lowest(quotient);
    return true;
}

static bool in_bounds(struct exact value)
{
    return digit_count(value.coefficient) <= EXACT_DIGITS_MAX &&
           value.exponent <= NUMBER_EXPONENT_MAX - ALIGNED_DIGITS_MAX &&
           value.exponent >= ALIGNED_DIGITS_MAX - NUMBER_EXPONENT_MAX;
}

/* The exponent is a whole number of at least 0. */
static bool exact_raise(struct exact base, uint64_t power, struct exact *ret_result)
{
    struct exact result = { 1, 0 };
    for (; power; power >>= 1) {
        if (power & 1 && (!exact_multiply(result, base, &result) || !in_bounds(result))) return false;
        if (power > 1 && (!exact_multiply(base, base, &base) || !in_bounds(base))) return false;
    }
    *ret_result = result;
    return true;
}

static bool exact_power(struct exact a, const struct json *exponent, struct exact *ret_result)
{
    int64_t power;
    if (!json_int64(exponent, &power)) return false;
    uint64_t times = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
    if (!exact_raise(a, times, ret_result)) return false;
    return power >= 0 || exact_divide((struct exact){ 1, 0 }, *ret_result, ret_result);
}

/* ---- results ---- */

static const struct json *exact_write(struct exact value, struct arena *arena)
{
    struct decimal decimal = { .negative = value.coefficient < 0, .exponent = value.exponent };
    uint128 rest = magnitude(value.coefficient);
    decimal.count = digit_count(value.coefficient);
    for (uint32_t i = decimal.count; i; i--, rest /= 10)
        decimal.digit[i - 1] = (char)('0' + (int)(rest % 10));
    char text[DECIMAL_CHARS_MAX];
    return json_number_parse(json_decimal_print(&decimal, text), arena);
}

/* The double of a number that may be beyond all doubles. */
static double wide_double(const struct json *number)
{
    double value = json_double(number);
    if (fabs(value) != DBL_MAX) return value;
    str text = number_text_at(cells_of(number));
    struct literal literal;
    must(!json_literal_scan(text.p, text.p + text.n, &literal));
    return json_literal_double(text, &literal);
}

static enum status write_double(double value, struct arena *arena, const struct json **ret_value,
                                struct error *err)
{
    if (isnan(value)) return fail(err, ST_INVALID, NULL, "the result is not a number");
    if (isinf(value)) return fail(err, ST_INVALID, NULL, "the result is too large");
    *ret_value = json_of_double(arena, value);
    return ST_OK;
}

static double calculate_double(enum json_operator op, double a, double b)
{
    switch (op) {
    case JSON_PLUS: return a + b;
    case JSON_MINUS: return a - b;
    case JSON_TIMES: return a * b;
    case JSON_DIVIDED: return a / b;
    default: return pow(a, b);
    }
}

static bool calculate_exact(enum json_operator op, const struct json *left, const struct json *right,
                            struct exact *ret_value)
{
    struct exact a, b;
    if (!exact_read(left, &a) || !exact_read(right, &b)) return false;
    switch (op) {
    case JSON_PLUS: return exact_add(a, b, ret_value);
    case JSON_MINUS: return exact_add(a, (struct exact){ -b.coefficient, b.exponent }, ret_value);
    case JSON_TIMES: return exact_multiply(a, b, ret_value);
    case JSON_DIVIDED: return exact_divide(a, b, ret_value);
    default: return exact_power(a, right, ret_value);
    }
}

static bool calculate_int(enum json_operator op, int64_t a, int64_t b, int64_t *ret_value)
{
    switch (op) {
    case JSON_PLUS: return !__builtin_add_overflow(a, b, ret_value);
    case JSON_MINUS: return !__builtin_sub_overflow(a, b, ret_value);
    case JSON_TIMES: return !__builtin_mul_overflow(a, b, ret_value);
    default: return false;
    }
}

static bool is_zero(const struct json *number)
{
    int64_t value;
    return json_int64(number, &value) && value == 0;
}

static enum status modulo(const struct json *left, const struct json *right, struct arena *arena,
                          const struct json **ret_value, struct error *err)
{
    struct exact a = { 0 }, b = { 0 };
    bool short_enough = exact_read(left, &a) && exact_read(right, &b);
    if (a.exponent < 0 || b.exponent < 0) return fail(err, ST_INVALID, NULL, "%% takes integers only");
    if (!short_enough || !scale(&a.coefficient, a.exponent) || !scale(&b.coefficient, b.exponent))
        return fail(err, ST_INVALID, NULL, "%% takes integers of at most %d digits", EXACT_DIGITS_MAX);
    *ret_value = exact_write(lowest((struct exact){ a.coefficient % b.coefficient, 0 }), arena);
    return ST_OK;
}

enum status json_calculate(enum json_operator op, const struct json *a, const struct json *b,
                           struct arena *arena, const struct json **ret_value, struct error *err)
{
    must(json_is(a, JSON_NUMBER) && json_is(b, JSON_NUMBER));
    int64_t x, y, result;
    if (plain_int_at(cells_of(a), &x) && plain_int_at(cells_of(b), &y) && calculate_int(op, x, y, &result)) {
        *ret_value = json_of_int(arena, result);
        return ST_OK;
    }
    bool divides = op == JSON_DIVIDED || op == JSON_MODULO;
    bool inverts = op == JSON_POWER && is_zero(a) && json_double(b) < 0;
    if ((divides && is_zero(b)) || inverts) return fail(err, ST_INVALID, NULL, "division by zero");
    if (op == JSON_MODULO) return modulo(a, b, arena, ret_value, err);

    struct exact exact;
    if (!calculate_exact(op, a, b, &exact) || !in_bounds(exact))
        return write_double(calculate_double(op, wide_double(a), wide_double(b)), arena, ret_value, err);
    const struct json *value = exact_write(exact, arena);
    must(value);
    if (!isfinite(wide_double(value))) return fail(err, ST_INVALID, NULL, "the result is too large");
    *ret_value = value;
    return ST_OK;
}
