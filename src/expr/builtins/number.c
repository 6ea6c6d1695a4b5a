/* expr/builtins/number.c — functions on numbers.
 *
 * Rounding works on the decimal digits themselves, so it is as exact as the numbers are.
 */
#include "expr/builtins/builtins_int.h"
#include "expr/chars_int.h"
#include "expr/operations_int.h"
#include "expr/order_int.h"

#include "base/ascii.h"

/* ---- rounding ---- */

/* A number cut at the decimal point. */
struct parts {
    const struct json *whole; /* Without its sign. */
    bool negative;
    bool fraction; /* Something was cut off… */
    bool half;     /* … of one half or more. */
};

/* Reads the digits of a number's text, without sign, point and exponent. Returns how many
 * of them stand before the point: fewer than 0 or more than there are is possible. */
static int64_t read_digits(str text, struct buf *digits)
{
    int64_t before = -1;
    int64_t exponent = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '.') before = (int64_t)digits->n;
        else if (ascii_is_digit(c)) buf_add_char(digits, c);
        else if (c == 'e' || c == 'E') {
            str rest = str_slice(text, i + 1, text.n);
            if (str_starts(rest, STR("+"))) rest = str_slice(rest, 1, rest.n);
            /* An exponent that is no int64 is clamped; its sign is all that counts. */
            if (!str_to_int64(rest, &exponent) || exponent > INT32_MAX || exponent < -INT32_MAX)
                exponent = str_starts(rest, STR("-")) ? -INT32_MAX : INT32_MAX;
            break;
        }
    }
    return (before < 0 ? (int64_t)digits->n : before) + exponent;
}

static struct parts take_apart(struct vm *vm, const struct json *number)
{
    int64_t integer;
    struct parts parts = { .whole = number };
    str text = chars_of(number, vm->arena);
    parts.negative = str_starts(text, STR("-"));
    struct buf digits;
    buf_init(&digits, vm->arena);
    int64_t before = read_digits(text, &digits);
    if (parts.negative) parts.whole = json_number_parse(str_slice(text, 1, text.n), vm->arena);
    if (json_int64(number, &integer) || before >= (int64_t)digits.n) return parts;
    if (before <= 0) {
        parts.whole = json_of_int(vm->arena, 0);
        parts.half = before == 0 && digits.p[0] >= '5';
        before = 0;
    } else {
        size_t zeros = 0;
        while ((int64_t)zeros + 1 < before && digits.p[zeros] == '0') zeros++;
        parts.whole = json_number_parse(str_slice(buf_str(&digits), zeros, (size_t)before), vm->arena);
        parts.half = digits.p[before] >= '5';
    }
    for (size_t i = (size_t)before; i < digits.n; i++) parts.fraction |= digits.p[i] != '0';
    return parts;
}

static enum status put_together(struct vm *vm, struct parts parts, bool one_more,
                                const struct json **ret_value)
{
    const struct json *value = parts.whole;
    if (one_more) TRY(op_calculate(vm, JSON_PLUS, value, json_of_int(vm->arena, 1), &value));
    if (parts.negative) TRY(op_calculate(vm, JSON_MINUS, json_of_int(vm->arena, 0), value, &value));
    *ret_value = value;
    return ST_OK;
}

BUILTIN(floor)
{
    const struct json *number;
    TRY(op_number(vm, arg[0], &number));
    struct parts parts = take_apart(vm, number);
    return put_together(vm, parts, parts.fraction && parts.negative, ret_value);
}

BUILTIN(ceil)
{
    const struct json *number;
    TRY(op_number(vm, arg[0], &number));
    struct parts parts = take_apart(vm, number);
    return put_together(vm, parts, parts.fraction && !parts.negative, ret_value);
}

/* Half goes away from zero. With a second argument, to so many decimals. */
BUILTIN(round)
{
    const struct json *number;
    const struct json *scale = NULL;
    TRY(op_number(vm, arg[0], &number));
    if (count == 2) {
        int64_t decimals;
        if (!json_is(arg[1], JSON_NUMBER) || !json_int64(arg[1], &decimals) || decimals < 0 ||
            decimals > ROUND_DECIMALS_MAX)
            return vm_fail(vm, ST_INVALID, "round() needs 0 to %d decimals", ROUND_DECIMALS_MAX);
        TRY(op_calculate(vm, JSON_POWER, json_of_int(vm->arena, 10), arg[1], &scale));
        TRY(op_calculate(vm, JSON_TIMES, number, scale, &number));
    }
    struct parts parts = take_apart(vm, number);
    TRY(put_together(vm, parts, parts.half, ret_value));
    return scale ? op_calculate(vm, JSON_DIVIDED, *ret_value, scale, ret_value) : ST_OK;
}

BUILTIN(int)
{
    const struct json *number;
    TRY(op_number(vm, arg[0], &number));
    return put_together(vm, take_apart(vm, number), false, ret_value);
}

/* Numbers know no other kind of number: only text changes. */
BUILTIN(float) { return op_number(vm, arg[0], ret_value); }

BUILTIN(abs)
{
    const struct json *zero = json_of_int(vm->arena, 0);
    const struct json *number;
    TRY(op_number(vm, arg[0], &number));
    if (json_number_compare(number, zero) < 0) return op_calculate(vm, JSON_MINUS, zero, number, ret_value);
    *ret_value = number;
    return ST_OK;
}

/* ---- bits ---- */

/* Integers of 64 bits, negative ones in two's complement. */
static enum status want_bits(struct vm *vm, const char *function, const struct json *value,
                             uint64_t *ret_bits)
{
    const struct json *number;
    int64_t integer;
    TRY(op_number(vm, value, &number));
    if (!json_int64(number, &integer))
        return vm_fail(vm, ST_INVALID, "%s() needs integers of at most 64 bits", function);
    *ret_bits = (uint64_t)integer;
    return ST_OK;
}

static enum status give_bits(struct vm *vm, uint64_t bits, const struct json **ret_value)
{
    *ret_value = json_of_int(vm->arena, (int64_t)bits);
    return ST_OK;
}

#define BITWISE(name, result)                      \
    BUILTIN(name)                                  \
    {                                              \
        uint64_t a = 0;                            \
        uint64_t b = 0;                            \
        TRY(want_bits(vm, #name, arg[0], &a));     \
        TRY(want_bits(vm, #name, arg[1], &b));     \
        return give_bits(vm, (result), ret_value); \
    }

BITWISE(bitand, a &b)
BITWISE(bitor, a | b)
BITWISE(bitxor, a ^ b)
BITWISE(bitnand, a & ~b) /* As expr-lang has it: the bits of a that are not in b. */

BUILTIN(bitnot)
{
    uint64_t bits = 0;
    TRY(want_bits(vm, "bitnot", arg[0], &bits));
    return give_bits(vm, ~bits, ret_value);
}

/* A shift by 64 or more leaves nothing but the sign that comes in. */
static enum status want_shift(struct vm *vm, const char *function, const struct json *const *arg,
                              uint64_t *ret_bits, uint64_t *ret_places)
{
    TRY(want_bits(vm, function, arg[0], ret_bits));
    TRY(want_bits(vm, function, arg[1], ret_places));
    if ((int64_t)*ret_places < 0)
        return vm_fail(vm, ST_INVALID, "%s() cannot shift by a negative number", function);
    return ST_OK;
}

BUILTIN(bitshl)
{
    uint64_t bits = 0;
    uint64_t places = 0;
    TRY(want_shift(vm, "bitshl", arg, &bits, &places));
    return give_bits(vm, places < 64 ? bits << places : 0, ret_value);
}

BUILTIN(bitshr)
{
    uint64_t bits = 0;
    uint64_t places = 0;
    TRY(want_shift(vm, "bitshr", arg, &bits, &places));
    if (places > 63) places = 63;
    uint64_t sign = (int64_t)bits < 0 ? ~UINT64_C(0) : 0;
    return give_bits(vm, ((bits ^ sign) >> places) ^ sign, ret_value);
}

BUILTIN(bitushr)
{
    uint64_t bits = 0;
    uint64_t places = 0;
    TRY(want_shift(vm, "bitushr", arg, &bits, &places));
    return give_bits(vm, places < 64 ? bits >> places : 0, ret_value);
}

/* ---- many numbers ---- */

static enum status want_list(struct vm *vm, const char *function, const struct json *value)
{
    if (!json_is(value, JSON_ARRAY)) return vm_wants(vm, function, "a list of numbers", value);
    return vm_spend_scan(vm, json_bytes(value));
}

static enum status pick(struct vm *vm, const char *function, int sign, const struct json *const *arg,
                        size_t count, const struct json **ret_value)
{
    const struct json *best = NULL;
    struct json_each each = { 0 };
    bool listed = count == 1 && json_is(arg[0], JSON_ARRAY);
    if (listed) {
        TRY(want_list(vm, function, arg[0]));
        each = json_each(arg[0]);
    }
    for (size_t i = 0; listed ? json_next(&each) : i < count; i++) {
        const struct json *number;
        TRY(op_number(vm, listed ? each.value : arg[i], &number));
        if (!best || sign * json_number_compare(number, best) > 0) best = number;
    }
    if (!best) return vm_fail(vm, ST_INVALID, "%s() of an empty list", function);
    *ret_value = best;
    return ST_OK;
}

BUILTIN(min) { return pick(vm, "min", -1, arg, count, ret_value); }

BUILTIN(max) { return pick(vm, "max", 1, arg, count, ret_value); }

static enum status add_up(struct vm *vm, const char *function, const struct json *list,
                          const struct json **ret_value)
{
    TRY(want_list(vm, function, list));
    const struct json *total = json_of_int(vm->arena, 0);
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        const struct json *number;
        TRY(vm_spend(vm, 1));
        TRY(op_number(vm, each.value, &number));
        TRY(op_calculate(vm, JSON_PLUS, total, number, &total));
    }
    *ret_value = total;
    return ST_OK;
}

BUILTIN(sum) { return add_up(vm, "sum", arg[0], ret_value); }

BUILTIN(mean)
{
    const struct json *total;
    TRY(add_up(vm, "mean", arg[0], &total));
    size_t items = json_count(arg[0]);
    if (items == 0) return vm_fail(vm, ST_INVALID, "mean() of an empty list");
    return op_calculate(vm, JSON_DIVIDED, total, json_of_int(vm->arena, (int64_t)items), ret_value);
}

BUILTIN(median)
{
    TRY(want_list(vm, "median", arg[0]));
    size_t items = json_count(arg[0]);
    if (items == 0) return vm_fail(vm, ST_INVALID, "median() of an empty list");
    struct sort_entry *entry = arena_make_n(vm->arena, struct sort_entry, items);
    struct json_each each = json_each(arg[0]);
    for (size_t i = 0; json_next(&each); i++) TRY(op_number(vm, each.value, &entry[i].key));
    TRY(order_sort(vm, "median", entry, items, false));
    *ret_value = entry[items / 2].key;
    if (items % 2) return ST_OK;
    TRY(op_calculate(vm, JSON_PLUS, entry[items / 2 - 1].key, entry[items / 2].key, ret_value));
    return op_calculate(vm, JSON_DIVIDED, *ret_value, json_of_int(vm->arena, 2), ret_value);
}
