/* expr/vm_fail.c — errors and budgets of one evaluation. */
#include "expr/vm_int.h"

#include "expr/lexer_int.h"

#include <stdio.h>

__attribute__((format(printf, 4, 0))) static enum status fail_without_place(struct vm *vm, enum status status,
                                                                            const char *where,
                                                                            const char *format, va_list args)
{
    if (!vm->err) return status;
    char message[ERROR_MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, args);
    return fail(vm->err, status, where, "%s", message);
}

enum status vm_fail(struct vm *vm, enum status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vm->built) status = fail_without_place(vm, status, "", format, args);
    else status = lexer_fail_v(vm->err, status, vm->text, vm->at, format, args);
    va_end(args);
    return status;
}

enum status vm_fail_filter(struct vm *vm, enum status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    status = fail_without_place(vm, status, "filter", format, args);
    va_end(args);
    return status;
}

enum status vm_exhausted(struct vm *vm)
{
    if (arena_over(vm->arena))
        return vm_fail(vm, ST_LIMIT, "expression used up its budget of %zu bytes of memory (step_bytes_max)",
                       vm->arena->budget);
    vm->fuel = 0;
    return vm_fail(vm, ST_LIMIT, "expression used up its budget of %lld operations (fuel_max)",
                   (long long)vm->fuel_given);
}

enum status vm_too_large(struct vm *vm)
{
    return vm_fail(vm, ST_LIMIT,
                   "the expression makes a value of more than %d bytes (EXPRESSION_VALUE_BYTES_MAX)",
                   EXPRESSION_VALUE_BYTES_MAX);
}

static bool deeper_than(const struct json *value, uint32_t levels)
{
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        bool container = json_is(each.value, JSON_ARRAY) || json_is(each.value, JSON_OBJECT);
        if (container && (levels <= 1 || deeper_than(each.value, levels - 1))) return true;
    }
    return false;
}

enum status vm_check_depth(struct vm *vm, const struct json *value)
{
    if (!deeper_than(value, JSON_DEPTH_MAX)) return ST_OK;
    return vm_fail(vm, ST_LIMIT, "the result is nested deeper than %d levels (JSON_DEPTH_MAX)",
                   JSON_DEPTH_MAX);
}

const char *vm_kind_phrase(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_NULL: return "null";
    case JSON_BOOL: return "a boolean";
    case JSON_NUMBER: return "a number";
    case JSON_STRING: return "a string";
    case JSON_ARRAY: return "a list";
    case JSON_OBJECT: return "a map";
    }
    return "a value";
}

enum status vm_wants(struct vm *vm, const char *function, const char *wanted, const struct json *got)
{
    return vm_fail(vm, ST_INVALID, "%s() needs %s, not %s", function, wanted, vm_kind_phrase(got));
}
