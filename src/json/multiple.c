/* json/multiple.c — is a number an integer, or a multiple of another? Exact, whatever their digits and
 * exponents. */
#include "json/json_int.h"

#include "base/int128.h"

bool json_is_integer(const struct json *value)
{
    int64_t integer;
    if (!json_is(value, JSON_NUMBER)) return false;
    if (plain_int_at(cells_of(value), &integer)) return true;
    struct decimal decimal;
    json_decimal_of(cells_of(value), &decimal);
    return decimal.exponent >= 0;
}

enum {
    LIMB_DIGITS = 9,
    LIMB_BASE = 1000000000,
    LIMBS = JSON_NUMBER_BYTES_MAX / LIMB_DIGITS + 2, /* One more than a divisor has: a rest times 10 fits. */
};

/* Limbs of 9 digits, the lowest first. */
struct limbs {
    uint32_t limb[LIMBS];
    size_t count;
};

static void take_digit(struct limbs *rest, uint32_t digit)
{
    uint64_t carry = digit;
    for (size_t i = 0; i < rest->count; i++) {
        carry += (uint64_t)rest->limb[i] * 10;
        rest->limb[i] = (uint32_t)(carry % LIMB_BASE);
        carry /= LIMB_BASE;
    }
    must(!carry);
}

static int compare(const struct limbs *a, const struct limbs *b)
{
    for (size_t i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void subtract(struct limbs *a, const struct limbs *b)
{
    int64_t borrow = 0;
    for (size_t i = 0; i < a->count; i++) {
        int64_t limb = (int64_t)a->limb[i] - b->limb[i] - borrow;
        borrow = limb < 0;
        a->limb[i] = (uint32_t)(limb + (borrow ? LIMB_BASE : 0));
    }
}

/* The digit at an index of the number's digits and the zeros behind them. */
static uint32_t digit_at(const struct decimal *number, size_t index)
{
    return index < number->count ? (uint32_t)(number->digit[index] - '0') : 0;
}

static bool divides_long(const struct decimal *divisor, const struct decimal *number, size_t digits)
{
    struct limbs by = { .count = divisor->count / LIMB_DIGITS + 2 }, rest = { .count = by.count };
    for (size_t i = 0; i < divisor->count; i++) take_digit(&by, digit_at(divisor, i));
    for (size_t i = 0; i < digits; i++) {
        take_digit(&rest, digit_at(number, i));
        while (compare(&rest, &by) >= 0) subtract(&rest, &by);
    }
    for (size_t i = 0; i < rest.count; i++)
        if (rest.limb[i]) return false;
    return true;
}

static bool divides_short(const struct decimal *divisor, const struct decimal *number, size_t digits)
{
    uint64_t by = 0, rest = 0;
    for (size_t i = 0; i < divisor->count; i++) by = by * 10 + digit_at(divisor, i);
    for (size_t i = 0; i < digits; i++) rest = (uint64_t)(((uint128)rest * 10 + digit_at(number, i)) % by);
    return rest == 0;
}

bool json_is_multiple(const struct json *value, const struct json *divisor)
{
    int64_t x, y;
    must(json_is(value, JSON_NUMBER) && json_is(divisor, JSON_NUMBER));
    if (plain_int_at(cells_of(value), &x) && plain_int_at(cells_of(divisor), &y) && y > 0) return x % y == 0;
    struct decimal number, by;
    json_decimal_of(cells_of(value), &number);
    json_decimal_of(cells_of(divisor), &by);
    must(by.count);
    if (!number.count) return true;
    /* Neither ends with a zero. So the number is a multiple of 10 only through its exponent. */
    int64_t zeros = number.exponent - by.exponent;
    if (zeros < 0) return false;
    /* A zero adds one factor 2 and one factor 5. The divisor has less than 4 of either for each of its
     * digits. */
    if (zeros > 4 * (int64_t)by.count) zeros = 4 * (int64_t)by.count;
    size_t digits = number.count + (size_t)zeros;
    return by.count <= 18 ? divides_short(&by, &number, digits) : divides_long(&by, &number, digits);
}
