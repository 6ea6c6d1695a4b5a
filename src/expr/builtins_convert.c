/* expr/builtins_convert.c — functions that turn one kind of value into another; time. */
#include "base/datetime.h"
#include "expr/expr_int.h"

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
    if (!json_is(arg[0], JSON_STRING)) return builtin_wants(vm, "fromJSON", "a string", arg[0]);
    str text = json_string(arg[0]);
    struct error err;
    TRY(vm_spend_scan(vm, text.n));
    enum status status = json_parse(text, &limits, vm->arena, ret_value, &err);
    return status == ST_OK ? ST_OK : vm_fail(vm, status, "fromJSON(): %s", err.message);
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
    if (!json_is(arg[0], JSON_STRING)) return builtin_wants(vm, "date", "a string", arg[0]);
    str text = json_string(arg[0]);
    int64_t ms;
    if (text.n == DATE_CHARS) text = arena_printf(vm->arena, "%.*sT00:00:00Z", STR_ARG(text));
    if (!datetime_parse(text, &ms)) {
        text = chars_cut(json_string(arg[0]));
        return vm_fail(vm, ST_INVALID, "date() cannot read \"%.*s\"; write 2026-11-15T03:50:11Z",
                       STR_ARG(text));
    }
    *ret_value = time_text(vm, ms);
    return ST_OK;
}

BUILTIN(duration)
{
    if (!json_is(arg[0], JSON_STRING)) return builtin_wants(vm, "duration", "a string", arg[0]);
    int64_t ms;
    struct error err;
    enum status status = duration_parse(json_string(arg[0]), &ms, NULL, &err);
    if (status != ST_OK) return vm_fail(vm, status, "duration(): %s", err.message);
    *ret_value = json_of_int(vm->arena, ms);
    return ST_OK;
}
