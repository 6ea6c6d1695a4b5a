/* expr/op_assign.c — a value with something in it set, merged, added, appended or cleared. */
#include "expr/operations_int.h"

#include "base/utf8.h"

static const char *const words[] = {
    [ASSIGN_SET] = "Set",       [ASSIGN_MERGE] = "Merge", [ASSIGN_INCREMENT] = "Increment",
    [ASSIGN_APPEND] = "Append", [ASSIGN_CLEAR] = "Clear",
};

static str shown(const struct json *name) { return utf8_cut(json_string(name), SHOWN_BYTES_MAX); }

/* "Increment: \"count\" is a string, not a number" */
static enum status refuse(struct vm *vm, enum assign_op op, const struct json *name, const struct json *is,
                          const char *wanted)
{
    return vm_fail(vm, ST_INVALID, "%s: \"%.*s\" is %s, not %s", words[op], STR_ARG(shown(name)),
                   vm_kind_phrase(is), wanted);
}

static enum status refuse_value(struct vm *vm, enum assign_op op, const struct json *is, const char *wanted)
{
    return vm_fail(vm, ST_INVALID, "%s needs %s, not %s", words[op], wanted, vm_kind_phrase(is));
}

static const struct json *appended(struct vm *vm, const struct json *list, const struct json *value)
{
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    struct json_each each = json_each(list);
    while (json_next(&each)) json_add(&builder, each.value);
    json_add(&builder, value);
    json_close(&builder);
    return json_built(&builder);
}

/* The value after the operation. A missing value is null, and counts as 0, {} or []. */
static enum status result_of(struct vm *vm, enum assign_op op, const struct json *name,
                             const struct json *was, const struct json *value, const struct json **ret_value)
{
    bool absent = json_is(was, JSON_NULL);
    switch (op) {
    case ASSIGN_MERGE:
        if (!absent && !json_is(was, JSON_OBJECT)) return refuse(vm, op, name, was, "a map");
        if (!json_is(value, JSON_OBJECT)) return refuse_value(vm, op, value, "a map");
        *ret_value = absent ? value : json_merge(was, value, vm->arena);
        return ST_OK;
    case ASSIGN_INCREMENT:
        if (!absent && !json_is(was, JSON_NUMBER)) return refuse(vm, op, name, was, "a number");
        if (!json_is(value, JSON_NUMBER)) return refuse_value(vm, op, value, "a number");
        if (!absent) return json_calculate(JSON_PLUS, was, value, vm->arena, ret_value, vm->err);
        break;
    case ASSIGN_APPEND:
        if (!absent && !json_is(was, JSON_ARRAY)) return refuse(vm, op, name, was, "a list");
        *ret_value = appended(vm, absent ? json_empty_array() : was, value);
        return ST_OK;
    case ASSIGN_CLEAR:
    case ASSIGN_SET: break;
    }
    *ret_value = value;
    return ST_OK;
}

static const struct json *or_null(const struct json *value) { return value ? value : json_null(); }

enum status op_assign(struct vm *vm, enum assign_op op, const struct json *base, const struct json *names,
                      const struct json *value, const struct json **ret_value)
{
    const struct json *level[ASSIGN_STEPS_MAX + 1] = { base }, *result;
    size_t count = json_count(names);
    must(count <= ASSIGN_STEPS_MAX);
    TRY(vm_spend_copy(vm, json_bytes(base) + json_bytes(value)));
    for (size_t i = 0; i < count; i++) {
        bool absent = json_is(level[i], JSON_NULL);
        if (!absent && !json_is(level[i], JSON_OBJECT))
            return refuse(vm, op, json_item(names, i ? i - 1 : 0), level[i], "a map");
        level[i + 1] = or_null(json_get(level[i], json_string(json_item(names, i))));
    }
    const struct json *last = count ? json_item(names, count - 1) : json_of_string(vm->arena, STR("it"));
    TRY(result_of(vm, op, last, level[count], value, &result));
    for (size_t i = count; i-- > 0;) {
        bool clears = op == ASSIGN_CLEAR && i + 1 == count;
        const struct json *object = json_is(level[i], JSON_NULL) ? json_empty_object() : level[i];
        str name = json_string(json_item(names, i));
        if (clears && !json_get(object, name)) result = level[i]; /* There is nothing to clear. */
        else if (clears) result = json_without(vm->arena, object, name);
        else if (op == ASSIGN_CLEAR && json_is(result, JSON_NULL)) result = level[i];
        else result = json_set(vm->arena, object, name, result);
    }
    *ret_value = result;
    return vm_check_depth(vm, result);
}
