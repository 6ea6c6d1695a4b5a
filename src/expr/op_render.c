/* expr/op_render.c — operations of templates and structured conditions. */
#include "expr/operations_int.h"

#include "base/utf8.h"

/* ---- templates ---- */

void op_add_text(struct buf *out, const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_NULL: break;
    case JSON_STRING: buf_add_str(out, json_string(value)); break;
    case JSON_NUMBER: json_print_canonical(value, out); break;
    default: json_print(value, out);
    }
}

enum status op_text(struct vm *vm, const struct json *const *value, size_t count,
                    const struct json **ret_value)
{
    struct buf out;
    buf_init(&out, vm->arena);
    for (size_t i = 0; i < count; i++) {
        TRY(vm_spend_copy(vm, json_bytes(value[i])));
        if (out.n > EXPRESSION_VALUE_BYTES_MAX) return vm_too_large(vm);
        op_add_text(&out, value[i]);
    }
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}

enum status op_as_json(struct vm *vm, const struct json *value, const struct json **ret_value)
{
    struct buf out;
    TRY(vm_spend_copy(vm, json_bytes(value)));
    buf_init(&out, vm->arena);
    json_print(value, &out);
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}

const struct json *op_item(const struct json *list, const struct json *index)
{
    int64_t at = 0;
    size_t count = json_count(list);
    if (!json_is(list, JSON_ARRAY) || !json_int64(index, &at)) return json_null();
    if (at < 0) at += (int64_t)count;
    return at >= 0 && (uint64_t)at < count ? json_item(list, (size_t)at) : json_null();
}

enum status op_length(struct vm *vm, const struct json *value, const struct json **ret_value)
{
    const struct json *member = json_get(value, STR("length"));
    switch (json_kind(value)) {
    case JSON_ARRAY: *ret_value = json_of_int(vm->arena, (int64_t)json_count(value)); return ST_OK;
    case JSON_STRING:
        TRY(vm_spend_scan(vm, json_bytes(value)));
        *ret_value = json_of_int(vm->arena, (int64_t)utf8_count(json_string(value)));
        return ST_OK;
    default: *ret_value = member ? member : json_null(); return ST_OK;
    }
}

/* ---- structured conditions ---- */

static enum status is_equal(struct vm *vm, const struct json *a, const struct json *b, bool *ret_value)
{
    size_t left = json_bytes(a), right = json_bytes(b);
    TRY(vm_spend_scan(vm, left < right ? left : right));
    *ret_value = json_equal(a, b);
    return ST_OK;
}

/* True if the whole has the part: a list an item, a text a piece, a map a member of that name. */
static enum status has(struct vm *vm, const struct json *whole, const struct json *part, bool *ret_value)
{
    *ret_value = false;
    if (json_is(whole, JSON_ARRAY)) {
        struct json_each each = json_each(whole);
        while (!*ret_value && json_next(&each)) TRY(is_equal(vm, each.value, part, ret_value));
        return ST_OK;
    }
    if (!json_is(part, JSON_STRING)) return ST_OK;
    if (json_is(whole, JSON_STRING)) {
        TRY(vm_spend_search(vm, json_string(whole), json_string(part)));
        *ret_value = str_find(json_string(whole), json_string(part), 0) != SIZE_MAX;
    } else {
        *ret_value = json_get(whole, json_string(part)) != NULL;
    }
    return ST_OK;
}

static enum status is_in_order(struct vm *vm, uint8_t test, const struct json *a, const struct json *b,
                               bool *ret_value)
{
    int order = 0;
    if (json_is(a, JSON_NUMBER) && json_is(b, JSON_NUMBER)) {
        order = json_number_compare(a, b);
    } else if (json_is(a, JSON_STRING) && json_is(b, JSON_STRING)) {
        TRY(vm_spend_scan(vm, json_bytes(a)));
        order = str_compare(json_string(a), json_string(b));
    } else if (test & STRUCTURED_LENIENT) {
        *ret_value = false;
        return ST_OK;
    } else {
        return vm_fail(vm, ST_INVALID, "cannot order %s and %s", vm_kind_phrase(a), vm_kind_phrase(b));
    }
    switch (test & STRUCTURED_OP) {
    case STRUCTURED_GT: *ret_value = order > 0; break;
    case STRUCTURED_GTE: *ret_value = order >= 0; break;
    case STRUCTURED_LT: *ret_value = order < 0; break;
    default: *ret_value = order <= 0; break;
    }
    return ST_OK;
}

static bool is_empty(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_NULL: return true;
    case JSON_STRING: return json_string(value).n == 0;
    case JSON_ARRAY:
    case JSON_OBJECT: return json_count(value) == 0;
    default: return false;
    }
}

enum status op_structured(struct vm *vm, uint8_t test, const struct json *a, const struct json *b,
                          bool *ret_value)
{
    switch ((enum structured_op)(test & STRUCTURED_OP)) {
    case STRUCTURED_EQ: return is_equal(vm, a, b, ret_value);
    case STRUCTURED_NEQ:
        TRY(is_equal(vm, a, b, ret_value));
        *ret_value = !*ret_value;
        return ST_OK;
    case STRUCTURED_GT:
    case STRUCTURED_GTE:
    case STRUCTURED_LT:
    case STRUCTURED_LTE: return is_in_order(vm, test, a, b, ret_value);
    case STRUCTURED_CONTAINS: return has(vm, a, b, ret_value);
    case STRUCTURED_IN: return has(vm, b, a, ret_value);
    case STRUCTURED_STARTS_WITH:
        *ret_value =
            json_is(a, JSON_STRING) && json_is(b, JSON_STRING) && str_starts(json_string(a), json_string(b));
        break;
    case STRUCTURED_EXISTS: *ret_value = !json_is(a, JSON_NULL); break;
    case STRUCTURED_NOT_EXISTS: *ret_value = json_is(a, JSON_NULL); break;
    case STRUCTURED_IS_EMPTY: *ret_value = is_empty(a); break;
    case STRUCTURED_IS_NOT_EMPTY: *ret_value = !is_empty(a); break;
    case STRUCTURED_IS_TRUE: *ret_value = json_is(a, JSON_BOOL) && json_bool(a); break;
    case STRUCTURED_IS_FALSE: *ret_value = json_is(a, JSON_BOOL) && !json_bool(a); break;
    case STRUCTURED_COUNT: must(!"an op");
    }
    return ST_OK;
}

enum status op_needed(struct vm *vm, const struct json *value, const struct json *what)
{
    if (!json_is(value, JSON_NULL)) return ST_OK;
    str shown = utf8_cut(json_string(what), SHOWN_BYTES_MAX);
    return vm_fail(vm, ST_INVALID, "\"%.*s\" has no value", STR_ARG(shown));
}
