/* expr/operators.c — the operators of the language, and what they coerce.
 *
 * Numbers are exact. A number meets numeric text as a number, in equality, in order and
 * in arithmetic; text meets text as text. Nothing else is converted, and there is no
 * truthiness: && || ! take booleans and the texts "true" and "false".
 */
#include "expr/chars_int.h"
#include "expr/lexer_int.h"
#include "expr/operations_int.h"

/* ---- conversions ---- */

/* Longer text is no number we could hold, and not worth looking at. */

/* The value as a number, or NULL. */
static const struct json *number_of(struct vm *vm, const struct json *value)
{
    if (json_is(value, JSON_NUMBER)) return value;
    if (!json_is(value, JSON_STRING)) return NULL;
    str text = json_string(value);
    if (text.n == 0 || text.n > NUMERIC_TEXT_BYTES_MAX) return NULL;
    return json_number_parse(text, vm->arena);
}

static enum status cannot_coerce(struct vm *vm, const struct json *value, const char *wanted)
{
    if (json_bytes(value) > SHOWN_VALUE_BYTES_MAX && !json_is(value, JSON_STRING))
        return vm_fail(vm, ST_INVALID, "cannot coerce %s to %s", vm_kind_phrase(value), wanted);
    str text = lexer_shown(chars_of(value, vm->arena));
    return vm_fail(vm, ST_INVALID, "cannot coerce value \"%.*s\" to %s", STR_ARG(text), wanted);
}

enum status op_number(struct vm *vm, const struct json *value, const struct json **ret_number)
{
    const struct json *number = number_of(vm, value);
    if (!number) return cannot_coerce(vm, value, "number");
    *ret_number = number;
    return ST_OK;
}

enum status op_boolean(struct vm *vm, const struct json *value, bool *ret_value)
{
    if (json_is(value, JSON_BOOL)) {
        *ret_value = json_bool(value);
        return ST_OK;
    }
    if (json_is(value, JSON_STRING)) {
        str text = json_string(value);
        *ret_value = str_equal_ignoring_case(text, STR("true"));
        if (*ret_value || str_equal_ignoring_case(text, STR("false"))) return ST_OK;
    }
    return cannot_coerce(vm, value, "bool");
}

enum status op_strict_boolean(struct vm *vm, const struct json *value, bool *ret_value)
{
    if (!json_is(value, JSON_BOOL)) return cannot_coerce(vm, value, "bool");
    *ret_value = json_bool(value);
    return ST_OK;
}

/* ---- arithmetic ---- */

/* Raising multiplies many times; everything else is one operation, unless a number has very many digits. */
enum { POWER_FUEL = 32, LONG_NUMBER_BYTES = 48, LONG_BYTES_PER_FUEL = 2 };

static enum status spend_long(struct vm *vm, const struct json *number)
{
    size_t bytes = json_bytes(number);
    return bytes < LONG_NUMBER_BYTES ? ST_OK : vm_spend(vm, bytes / LONG_BYTES_PER_FUEL);
}

enum status op_calculate(struct vm *vm, enum json_operator op, const struct json *a, const struct json *b,
                         const struct json **ret_value)
{
    struct error err;
    TRY(spend_long(vm, a));
    TRY(spend_long(vm, b));
    enum status status = json_calculate(op, a, b, vm->arena, ret_value, &err);
    return status == ST_OK ? ST_OK : vm_fail(vm, status, "%s", err.message);
}

static enum status arithmetic(struct vm *vm, enum json_operator op, const struct json *a,
                              const struct json *b, const struct json **ret_value)
{
    if (op == JSON_POWER) TRY(vm_spend(vm, POWER_FUEL));
    if (!json_is(a, JSON_NUMBER)) TRY(op_number(vm, a, &a));
    if (!json_is(b, JSON_NUMBER)) TRY(op_number(vm, b, &b));
    return op_calculate(vm, op, a, b, ret_value);
}

static enum status concatenate(struct vm *vm, str a, str b, const struct json **ret_value)
{
    TRY(vm_spend_copy(vm, a.n + b.n));
    struct buf text;
    buf_init(&text, vm->arena);
    buf_reserve(&text, a.n + b.n);
    buf_add_str(&text, a);
    buf_add_str(&text, b);
    *ret_value = json_of_string(vm->arena, buf_str(&text));
    return ST_OK;
}

static enum status range(struct vm *vm, const struct json *a, const struct json *b,
                         const struct json **ret_value)
{
    int64_t from;
    int64_t to;
    TRY(op_number(vm, a, &a));
    TRY(op_number(vm, b, &b));
    if (!json_int64(a, &from) || !json_int64(b, &to))
        return vm_fail(vm, ST_INVALID, "a range needs two integers");
    uint64_t count = to < from ? 0 : (uint64_t)to - (uint64_t)from + 1;
    /* From the smallest to the largest integer the count wraps to 0. */
    if (count > EXPRESSION_RANGE_MAX || (count == 0 && to > from))
        return vm_fail(vm, ST_LIMIT, "the range is longer than %d items (EXPRESSION_RANGE_MAX)",
                       EXPRESSION_RANGE_MAX);
    TRY(vm_spend(vm, count));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    for (uint64_t i = 0; i < count; i++) json_add_int(&builder, from + (int64_t)i);
    json_close(&builder);
    *ret_value = json_built(&builder);
    return ST_OK;
}

/* ---- comparison ---- */

static enum status equal(struct vm *vm, const struct json *a, const struct json *b, bool *ret_equal)
{
    enum json_kind left = json_kind(a);
    enum json_kind right = json_kind(b);
    if (left != right) {
        bool mixed =
            (left == JSON_NUMBER && right == JSON_STRING) || (left == JSON_STRING && right == JSON_NUMBER);
        a = mixed ? number_of(vm, a) : NULL;
        b = mixed ? number_of(vm, b) : NULL;
        *ret_equal = a && b && json_number_compare(a, b) == 0;
        return ST_OK;
    }
    if (left == JSON_NUMBER) {
        *ret_equal = json_number_compare(a, b) == 0;
        return ST_OK;
    }
    size_t bytes = json_bytes(a) < json_bytes(b) ? json_bytes(a) : json_bytes(b);
    TRY(vm_spend_scan(vm, bytes));
    *ret_equal = json_equal(a, b);
    return ST_OK;
}

static enum status compare(struct vm *vm, const struct json *a, const struct json *b, int *ret_order)
{
    enum json_kind left = json_kind(a);
    enum json_kind right = json_kind(b);
    if (left == JSON_STRING && right == JSON_STRING) {
        TRY(vm_spend_copy(vm, json_string(a).n));
        *ret_order = str_compare(json_string(a), json_string(b));
        return ST_OK;
    }
    if (left != JSON_NUMBER) TRY(op_number(vm, a, &a));
    if (right != JSON_NUMBER) TRY(op_number(vm, b, &b));
    *ret_order = json_number_compare(a, b);
    return ST_OK;
}

static enum status is_in(struct vm *vm, const struct json *element, const struct json *collection,
                         bool *ret_found)
{
    *ret_found = false;
    if (json_is(collection, JSON_OBJECT)) {
        if (json_is(element, JSON_STRING)) *ret_found = json_get(collection, json_string(element)) != NULL;
        return ST_OK;
    }
    if (!json_is(collection, JSON_ARRAY))
        return vm_fail(
            vm, ST_INVALID, "\"in\" needs a list or a map, not %s%s", vm_kind_phrase(collection),
            json_is(collection, JSON_STRING) ? "; for a part of a string write contains(text, part)" : "");
    TRY(vm_spend_scan(vm, json_bytes(collection)));
    enum json_kind kind = json_kind(element);
    struct json_each each = json_each(collection);
    while (!*ret_found && json_next(&each))
        *ret_found = json_kind(each.value) == kind && json_equal(each.value, element);
    return ST_OK;
}

enum status op_matches(struct vm *vm, const struct regex *pattern, str text, bool *ret_found)
{
    struct error why;
    enum status status = regex_match(&vm->matcher, pattern, text, &vm->fuel, ret_found, &why);
    if (status == ST_OK) return ST_OK;
    if (vm->fuel == 0 || arena_over(vm->arena)) return vm_exhausted(vm);
    return vm_fail(vm, status, "%s", why.message);
}

/* The pattern comes from data. */
static enum status matches_text(struct vm *vm, str pattern, str text, bool *ret_found)
{
    char message[REGEX_MESSAGE_BYTES];
    TRY(vm_spend(vm, regex_compile_cost(pattern)));
    const struct regex *regex = regex_compile(pattern, 0, vm->arena, message);
    if (!regex) return vm_fail(vm, ST_INVALID, "%s", message);
    return op_matches(vm, regex, text, ret_found);
}

/* Operators on two texts. */
static enum status text_test(struct vm *vm, enum opcode op, const char *name, const struct json *a,
                             const struct json *b, bool *ret_value)
{
    if (!json_is(a, JSON_STRING)) return vm_wants(vm, name, "a string", a);
    if (!json_is(b, JSON_STRING)) return vm_wants(vm, name, "a string to look for", b);
    str text = json_string(a);
    str part = json_string(b);
    if (op == OP_MATCHES) return matches_text(vm, part, text, ret_value);
    TRY(vm_spend_search(vm, text, part));
    if (op == OP_CONTAINS) *ret_value = str_find(text, part, 0) != SIZE_MAX;
    else if (op == OP_STARTS_WITH) *ret_value = str_starts(text, part);
    else *ret_value = str_ends(text, part);
    return ST_OK;
}

static enum status contains(struct vm *vm, const struct json *a, const struct json *b, bool *ret_value)
{
    if (json_is(a, JSON_STRING)) return text_test(vm, OP_CONTAINS, "contains", a, b, ret_value);
    if (json_is(a, JSON_ARRAY) || json_is(a, JSON_OBJECT)) return is_in(vm, b, a, ret_value);
    return vm_wants(vm, "contains", "a list, a map or a string", a);
}

/* ---- the doors ---- */

enum status op_unary(struct vm *vm, enum opcode op, const struct json *a, const struct json **ret_value)
{
    if (op == OP_NOT) {
        bool value;
        TRY(op_boolean(vm, a, &value));
        *ret_value = json_of_bool(!value);
        return ST_OK;
    }
    TRY(op_number(vm, a, &a));
    if (op == OP_NEGATE) return op_calculate(vm, JSON_MINUS, json_of_int(vm->arena, 0), a, ret_value);
    *ret_value = a;
    return ST_OK;
}

static enum status test(struct vm *vm, enum opcode op, const struct json *a, const struct json *b,
                        bool *ret_value)
{
    int order;
    switch (op) {
    case OP_EQUAL: return equal(vm, a, b, ret_value);
    case OP_NOT_EQUAL:
        TRY(equal(vm, a, b, ret_value));
        *ret_value = !*ret_value;
        return ST_OK;
    case OP_IN: return is_in(vm, a, b, ret_value);
    case OP_CONTAINS: return contains(vm, a, b, ret_value);
    case OP_STARTS_WITH: return text_test(vm, op, "startsWith", a, b, ret_value);
    case OP_ENDS_WITH: return text_test(vm, op, "endsWith", a, b, ret_value);
    case OP_MATCHES: return text_test(vm, op, "matches", a, b, ret_value);
    default: break;
    }
    TRY(compare(vm, a, b, &order));
    if (op == OP_LESS) *ret_value = order < 0;
    else if (op == OP_LESS_EQUAL) *ret_value = order <= 0;
    else if (op == OP_GREATER) *ret_value = order > 0;
    else *ret_value = order >= 0;
    return ST_OK;
}

enum status op_binary(struct vm *vm, enum opcode op, const struct json *a, const struct json *b,
                      const struct json **ret_value)
{
    bool truth;
    switch (op) {
    case OP_ADD:
        if (json_is(a, JSON_STRING) && json_is(b, JSON_STRING))
            return concatenate(vm, json_string(a), json_string(b), ret_value);
        return arithmetic(vm, JSON_PLUS, a, b, ret_value);
    case OP_SUBTRACT: return arithmetic(vm, JSON_MINUS, a, b, ret_value);
    case OP_MULTIPLY: return arithmetic(vm, JSON_TIMES, a, b, ret_value);
    case OP_DIVIDE: return arithmetic(vm, JSON_DIVIDED, a, b, ret_value);
    case OP_MODULO: return arithmetic(vm, JSON_MODULO, a, b, ret_value);
    case OP_POWER: return arithmetic(vm, JSON_POWER, a, b, ret_value);
    case OP_RANGE: return range(vm, a, b, ret_value);
    default:
        TRY(test(vm, op, a, b, &truth));
        *ret_value = json_of_bool(truth);
        return ST_OK;
    }
}
