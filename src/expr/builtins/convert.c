/* expr/builtins/convert.c — functions that turn one kind of value into another; time. */
#include "base/ascii.h"
#include "base/base64.h"
#include "base/datetime.h"
#include "base/duration.h"
#include "base/utf8.h"
#include "expr/builtins/builtins_int.h"
#include "expr/chars_int.h"
#include "expr/lexer_int.h"
#include "expr/operations_int.h"

BUILTIN(string)
{
    if (json_is(arg[0], JSON_STRING)) {
        *ret_value = arg[0];
        return ST_OK;
    }
    TRY(vm_spend_scan(vm, json_bytes(arg[0])));
    *ret_value = json_of_string(vm->arena, chars_of(arg[0], vm->arena));
    return ST_OK;
}

BUILTIN(bool)
{
    bool value;
    TRY(op_boolean(vm, arg[0], &value));
    *ret_value = json_of_bool(value);
    return ST_OK;
}

/* A number is an int if it is written without a point and an exponent. */
static str number_type(struct vm *vm, const struct json *number)
{
    str text = chars_of(number, vm->arena);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '.' || text.p[i] == 'e' || text.p[i] == 'E') return STR("float");
    return STR("int");
}

BUILTIN(type)
{
    str name = STR("nil");
    switch (json_kind(arg[0])) {
    case JSON_NULL: break;
    case JSON_BOOL: name = STR("bool"); break;
    case JSON_NUMBER: name = number_type(vm, arg[0]); break;
    case JSON_STRING: name = STR("string"); break;
    case JSON_ARRAY: name = STR("array"); break;
    case JSON_OBJECT: name = STR("map"); break;
    }
    *ret_value = json_of_string(vm->arena, name);
    return ST_OK;
}

BUILTIN(toJSON)
{
    struct buf text;
    TRY(vm_spend_scan(vm, json_bytes(arg[0])));
    buf_init(&text, vm->arena);
    json_print(arg[0], &text);
    *ret_value = json_of_string(vm->arena, buf_str(&text));
    return ST_OK;
}

BUILTIN(fromJSON)
{
    static const struct json_limits limits = { .bytes_max = EXPRESSION_VALUE_BYTES_MAX,
                                               .depth_max = JSON_DEPTH_MAX };
    if (!json_is(arg[0], JSON_STRING)) return vm_wants(vm, "fromJSON", "a string", arg[0]);
    str text = json_string(arg[0]);
    struct error err;
    TRY(vm_spend_scan(vm, text.n));
    enum status status = json_parse(text, &limits, vm->arena, ret_value, &err);
    return status == ST_OK ? ST_OK : vm_fail(vm, status, "fromJSON(): %s", err.message);
}

/* ---- base64 ---- */

BUILTIN(toBase64)
{
    if (!json_is(arg[0], JSON_STRING)) return vm_wants(vm, "toBase64", "a string", arg[0]);
    str text = json_string(arg[0]);
    TRY(vm_spend_scan(vm, text.n));
    TRY(vm_spend_copy(vm, text.n / 3 * 4));
    *ret_value = json_of_string(vm->arena, base64_encode(text, vm->arena));
    return ST_OK;
}

/* Unlike base64_decode() this skips line breaks, which some encoders put in, and takes any left-over bits. */
static bool decode_lenient(str text, struct buf *out)
{
    uint32_t bits = 0;
    size_t digits = 0;
    size_t padding = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\r' || c == '\n') continue;
        int value = c == '=' ? 0 : base64_digit(c);
        if (value < 0 || (padding && c != '=')) return false;
        padding += c == '=';
        bits = bits << 6 | (uint32_t)value;
        if (++digits % 4) continue;
        if (padding > 2) return false;
        buf_add_char(out, (char)(bits >> 16));
        if (padding < 2) buf_add_char(out, (char)(bits >> 8));
        if (padding < 1) buf_add_char(out, (char)bits);
        if (padding && digits / 4 * 3 - padding != out->n) return false;
    }
    return digits % 4 == 0 && padding <= 2;
}

BUILTIN(fromBase64)
{
    if (!json_is(arg[0], JSON_STRING)) return vm_wants(vm, "fromBase64", "a string", arg[0]);
    str text = json_string(arg[0]);
    TRY(vm_spend_scan(vm, text.n));
    struct buf out;
    buf_init(&out, vm->arena);
    buf_reserve(&out, text.n / 4 * 3 + 3);
    if (!decode_lenient(text, &out)) return vm_fail(vm, ST_INVALID, "fromBase64(): this is not base64");
    if (!utf8_is_valid(buf_str(&out)))
        return vm_fail(vm, ST_INVALID, "fromBase64(): what it holds is not text in UTF-8");
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}

/* ---- time ---- */

static const struct json *time_text(struct vm *vm, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    datetime_print_seconds(ms, text);
    return json_of_string(vm->arena, str_of(text));
}

BUILTIN(now)
{
    *ret_value = time_text(vm, vm->env->now_ms);
    return ST_OK;
}

/* In UTC and whole seconds like now(), so that times compare as text. A date alone is its
 * first moment. */
BUILTIN(date)
{
    enum { DATE_CHARS = 10 }; /* 2026-11-15 */
    if (!json_is(arg[0], JSON_STRING)) return vm_wants(vm, "date", "a string", arg[0]);
    str text = json_string(arg[0]);
    int64_t ms;
    if (text.n == DATE_CHARS) text = arena_printf(vm->arena, "%.*sT00:00:00Z", STR_ARG(text));
    if (!datetime_parse(text, &ms)) {
        text = lexer_shown(json_string(arg[0]));
        return vm_fail(vm, ST_INVALID, "date() cannot read \"%.*s\"; write 2026-11-15T03:50:11Z",
                       STR_ARG(text));
    }
    *ret_value = time_text(vm, ms);
    return ST_OK;
}

/* Longer ones before their beginnings. A day is left out on purpose: it is not always 24 hours. */
static const struct {
    str name, ms;
} units[] = {
    { { "ns", 2 }, { "0.000001", 8 } }, { { "us", 2 }, { "0.001", 5 } },
    { { "µs", 3 }, { "0.001", 5 } }, /* The micro sign… */
    { { "μs", 3 }, { "0.001", 5 } }, /* … and the Greek letter. */
    { { "ms", 2 }, { "1", 1 } },        { { "s", 1 }, { "1000", 4 } },
    { { "m", 1 }, { "60000", 5 } },     { { "h", 1 }, { "3600000", 7 } },
};

/* One number and its unit, in milliseconds; `*text` moves behind them. */
static enum status read_part(struct vm *vm, str *text, const struct json **ret_ms, bool *ret_fits)
{
    size_t digits = 0;
    while (digits < text->n && (ascii_is_digit(text->p[digits]) || text->p[digits] == '.')) digits++;
    str number =
        arena_printf(vm->arena, "%s%.*s", str_starts(*text, STR(".")) ? "0" : "", (int)digits, text->p);
    while (number.n > 1 && number.p[0] == '0' && number.p[1] != '.') number = str_slice(number, 1, number.n);
    if (str_ends(number, STR("."))) number.n--;
    str rest = str_slice(*text, digits, text->n);
    size_t i = 0;
    while (i < COUNT(units) && !str_starts(rest, units[i].name)) i++;
    bool digit = digits > 1 || (digits == 1 && text->p[0] != '.');
    const struct json *value = digit ? json_number_parse(number, vm->arena) : NULL;
    *ret_fits = value && i < COUNT(units);
    if (!*ret_fits) return ST_OK;
    *text = str_slice(rest, units[i].name.n, rest.n);
    return op_calculate(vm, JSON_TIMES, value, json_number_parse(units[i].ms, vm->arena), ret_ms);
}

/* 1h30m, 1.5h, -250ms: parts in any order, as Go writes durations. */
static enum status read_short_duration(struct vm *vm, str text, const struct json **ret_value)
{
    str all = text;
    bool negative = str_starts(text, STR("-"));
    const struct json *total = json_of_int(vm->arena, 0);
    if (negative || str_starts(text, STR("+"))) text = str_slice(text, 1, text.n);
    bool fits = text.n > 0;
    if (str_equal(text, STR("0"))) text.n = 0;
    while (fits && text.n) {
        const struct json *part;
        TRY(vm_spend(vm, 1));
        TRY(read_part(vm, &text, &part, &fits));
        if (fits) TRY(op_calculate(vm, negative ? JSON_MINUS : JSON_PLUS, total, part, &total));
    }
    if (!fits) {
        all = lexer_shown(all);
        return vm_fail(vm, ST_INVALID, "duration(): cannot read \"%.*s\"; write PT1H30M or 1h30m",
                       STR_ARG(all));
    }
    *ret_value = total;
    return ST_OK;
}

/* In milliseconds. */
BUILTIN(duration)
{
    if (!json_is(arg[0], JSON_STRING)) return vm_wants(vm, "duration", "a string", arg[0]);
    str text = json_string(arg[0]);
    int64_t ms;
    struct error err;
    TRY(vm_spend_scan(vm, text.n));
    if (!str_starts(text, STR("P"))) return read_short_duration(vm, text, ret_value);
    enum status status = duration_parse(text, &ms, NULL, &err);
    if (status != ST_OK) return vm_fail(vm, status, "duration(): %s", err.message);
    *ret_value = json_of_int(vm->arena, ms);
    return ST_OK;
}
