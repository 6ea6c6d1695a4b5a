/* expr/access.c — reads members, elements and slices of values: `a.b`, `a[i]`, `a[i:j]`. */
#include "expr/chars_int.h"
#include "expr/lexer_int.h"
#include "expr/operations_int.h"

#include "base/utf8.h"

enum status access_member(struct vm *vm, const struct json *value, str name, const struct json **ret_value)
{
    if (!json_is(value, JSON_OBJECT)) {
        name = lexer_shown(name);
        return vm_fail(vm, ST_INVALID, "cannot read \"%.*s\" of %s", STR_ARG(name), vm_kind_phrase(value));
    }
    const struct json *member = json_get(value, name);
    *ret_value = member ? member : json_null();
    return ST_OK;
}

static enum status read_index(struct vm *vm, const struct json *index, int64_t *ret_index)
{
    if (!json_is(index, JSON_NUMBER))
        return vm_fail(vm, ST_INVALID, "an index must be an integer, not %s", vm_kind_phrase(index));
    if (!json_int64(index, ret_index)) {
        str text = lexer_shown(chars_of(index, vm->arena));
        return vm_fail(vm, ST_INVALID, "an index must be an integer, not %.*s", STR_ARG(text));
    }
    return ST_OK;
}

enum status access_index(struct vm *vm, const struct json *value, const struct json *index,
                         const struct json **ret_value)
{
    enum json_kind kind = json_kind(value);
    if (kind == JSON_OBJECT) {
        if (!json_is(index, JSON_STRING))
            return vm_fail(vm, ST_INVALID, "a map is indexed by a string, not %s", vm_kind_phrase(index));
        return access_member(vm, value, json_string(index), ret_value);
    }
    if (kind != JSON_ARRAY && kind != JSON_STRING) {
        str shown =
            lexer_shown(json_is(index, JSON_STRING) ? json_string(index) : chars_of(index, vm->arena));
        return vm_fail(vm, ST_INVALID, "cannot read \"%.*s\" of %s", STR_ARG(shown), vm_kind_phrase(value));
    }
    int64_t given;
    TRY(read_index(vm, index, &given));
    if (kind == JSON_STRING) TRY(vm_spend_scan(vm, json_bytes(value)));
    size_t count = kind == JSON_ARRAY ? json_count(value) : utf8_count(json_string(value));
    int64_t at = given < 0 ? given + (int64_t)count : given;
    if (at < 0 || (uint64_t)at >= count) {
        const char *things = kind == JSON_ARRAY ? "item" : "character";
        return vm_fail(vm, ST_INVALID, "index %lld out of range, the %s has %zu %s%s", (long long)given,
                       kind == JSON_ARRAY ? "list" : "string", count, things, count == 1 ? "" : "s");
    }
    if (kind == JSON_ARRAY) {
        *ret_value = json_item(value, (size_t)at);
        return ST_OK;
    }
    str text = json_string(value);
    size_t from = utf8_offset(text, (size_t)at);
    size_t to = from + utf8_offset(str_slice(text, from, text.n), 1);
    *ret_value = json_of_string(vm->arena, str_slice(text, from, to));
    return ST_OK;
}

/* A bound of a slice, moved into [0, count]. */
static enum status read_bound(struct vm *vm, const struct json *bound, size_t count, size_t *ret_bound)
{
    int64_t at;
    TRY(read_index(vm, bound, &at));
    if (at < 0) at = at < -(int64_t)count ? 0 : at + (int64_t)count;
    *ret_bound = (uint64_t)at > count ? count : (size_t)at;
    return ST_OK;
}

enum status access_slice(struct vm *vm, const struct json *value, const struct json *from,
                         const struct json *to, const struct json **ret_value)
{
    bool list = json_is(value, JSON_ARRAY);
    if (!list && !json_is(value, JSON_STRING))
        return vm_fail(vm, ST_INVALID, "a slice needs a list or a string, not %s", vm_kind_phrase(value));
    TRY(vm_spend_scan(vm, json_bytes(value)));
    size_t count = list ? json_count(value) : utf8_count(json_string(value));
    size_t first = 0;
    size_t end = count;
    if (from) TRY(read_bound(vm, from, count, &first));
    if (to) TRY(read_bound(vm, to, count, &end));
    if (end < first) end = first;
    if (!list) {
        str text = json_string(value);
        *ret_value =
            json_of_string(vm->arena, str_slice(text, utf8_offset(text, first), utf8_offset(text, end)));
        return ST_OK;
    }
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    for (size_t i = first; i < end; i++) json_add(&builder, json_item(value, i));
    json_close(&builder);
    *ret_value = json_built(&builder);
    return ST_OK;
}
