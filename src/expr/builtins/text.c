/* expr/builtins/text.c — functions on text. */
#include "expr/builtins/builtins_int.h"
#include "expr/chars_int.h"

#include "base/utf8.h"

static enum status want_text(struct vm *vm, const char *function, const struct json *value, str *ret_text)
{
    if (!json_is(value, JSON_STRING)) return vm_wants(vm, function, "a string", value);
    *ret_text = json_string(value);
    return ST_OK;
}

BUILTIN(len)
{
    size_t n;
    if (json_is(arg[0], JSON_STRING)) {
        TRY(vm_spend_scan(vm, json_string(arg[0]).n));
        n = utf8_count(json_string(arg[0]));
    } else if (json_is(arg[0], JSON_ARRAY) || json_is(arg[0], JSON_OBJECT)) {
        n = json_count(arg[0]);
    } else {
        return vm_wants(vm, "len", "a list, a map or a string", arg[0]);
    }
    *ret_value = json_of_int(vm->arena, (int64_t)n);
    return ST_OK;
}

static enum status change_case(struct vm *vm, const char *function, bool upper, const struct json *value,
                               const struct json **ret_value)
{
    str text;
    TRY(want_text(vm, function, value, &text));
    TRY(chars_change_case(vm, text, upper, &text));
    *ret_value = json_of_string(vm->arena, text);
    return ST_OK;
}

BUILTIN(upper) { return change_case(vm, "upper", true, arg[0], ret_value); }

BUILTIN(lower) { return change_case(vm, "lower", false, arg[0], ret_value); }

/* True if the text's character at `at` (of `bytes`) is one of `set`. */
static bool is_one_of(str text, size_t at, size_t bytes, str set)
{
    return str_find(set, str_slice(text, at, at + bytes), 0) != SIZE_MAX;
}

static str trim_chars(str text, str set)
{
    while (text.n) {
        size_t bytes = utf8_offset(text, 1);
        if (!is_one_of(text, 0, bytes, set)) break;
        text = str_slice(text, bytes, text.n);
    }
    while (text.n) {
        size_t last = text.n - 1;
        while (last && !utf8_begins(text.p[last])) last--;
        if (!is_one_of(text, last, text.n - last, set)) break;
        text = str_slice(text, 0, last);
    }
    return text;
}

BUILTIN(trim)
{
    str text;
    TRY(want_text(vm, "trim", arg[0], &text));
    if (count == 2) {
        str set;
        TRY(want_text(vm, "trim", arg[1], &set));
        TRY(vm_spend_search(vm, text, set));
        text = trim_chars(text, set);
    } else {
        TRY(vm_spend_scan(vm, text.n));
        text = str_trim(text);
    }
    *ret_value = json_of_string(vm->arena, text);
    return ST_OK;
}

/* trimPrefix and trimSuffix cut off a space if no second argument says otherwise. */
BUILTIN(trimPrefix)
{
    str text;
    str part = STR(" ");
    TRY(want_text(vm, "trimPrefix", arg[0], &text));
    if (count == 2) TRY(want_text(vm, "trimPrefix", arg[1], &part));
    TRY(vm_spend_copy(vm, text.n));
    if (str_starts(text, part)) text = str_slice(text, part.n, text.n);
    *ret_value = json_of_string(vm->arena, text);
    return ST_OK;
}

BUILTIN(trimSuffix)
{
    str text;
    str part = STR(" ");
    TRY(want_text(vm, "trimSuffix", arg[0], &text));
    if (count == 2) TRY(want_text(vm, "trimSuffix", arg[1], &part));
    TRY(vm_spend_copy(vm, text.n));
    if (str_ends(text, part)) text = str_slice(text, 0, text.n - part.n);
    *ret_value = json_of_string(vm->arena, text);
    return ST_OK;
}

/* The end of the part before the next separator; an empty separator stands behind every character. */
static size_t part_end(str text, size_t from, str separator)
{
    if (separator.n) return str_find(text, separator, from);
    size_t end = from + utf8_offset(str_slice(text, from, text.n), 1);
    return end < text.n ? end : SIZE_MAX;
}

/* `keep`: each separator stays at the end of the part before it. */
static enum status split(struct vm *vm, const char *function, bool keep, const struct json *const *arg,
                         size_t count, const struct json **ret_value)
{
    str text;
    str separator;
    int64_t most = INT64_MAX;
    TRY(want_text(vm, function, arg[0], &text));
    TRY(want_text(vm, function, arg[1], &separator));
    if (count == 3 && (!json_is(arg[2], JSON_NUMBER) || !json_int64(arg[2], &most) || most < 1))
        return vm_wants(vm, function, "a positive number of parts", arg[2]);
    TRY(vm_spend_search(vm, text, separator));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    size_t from = 0;
    if (separator.n || text.n) {
        for (; most > 1; most--) {
            size_t end = part_end(text, from, separator);
            if (end == SIZE_MAX) break;
            TRY(vm_spend(vm, 1));
            json_add_string(&builder, str_slice(text, from, keep ? end + separator.n : end));
            from = end + separator.n;
        }
        json_add_string(&builder, str_slice(text, from, text.n));
    }
    json_close(&builder);
    *ret_value = json_built(&builder);
    return ST_OK;
}

BUILTIN(split) { return split(vm, "split", false, arg, count, ret_value); }

BUILTIN(splitAfter) { return split(vm, "splitAfter", true, arg, count, ret_value); }

BUILTIN(join)
{
    str separator = STR("");
    if (!json_is(arg[0], JSON_ARRAY)) return vm_wants(vm, "join", "a list", arg[0]);
    if (count == 2) TRY(want_text(vm, "join", arg[1], &separator));
    struct buf text;
    buf_init(&text, vm->arena);
    struct json_each each = json_each(arg[0]);
    for (bool first = true; json_next(&each); first = false) {
        if (json_is(each.value, JSON_NULL) || json_is(each.value, JSON_ARRAY) ||
            json_is(each.value, JSON_OBJECT))
            return vm_wants(vm, "join", "a list of strings, numbers or booleans", each.value);
        TRY(vm_spend_copy(vm, json_bytes(each.value) + separator.n));
        if (text.n > EXPRESSION_VALUE_BYTES_MAX) return vm_too_large(vm);
        if (!first) buf_add_str(&text, separator);
        if (json_is(each.value, JSON_STRING)) buf_add_str(&text, json_string(each.value));
        else json_print(each.value, &text);
    }
    *ret_value = json_of_string(vm->arena, buf_str(&text));
    return ST_OK;
}

BUILTIN(replace)
{
    str text;
    str old;
    str new;
    TRY(want_text(vm, "replace", arg[0], &text));
    TRY(want_text(vm, "replace", arg[1], &old));
    TRY(want_text(vm, "replace", arg[2], &new));
    if (old.n == 0) return vm_fail(vm, ST_INVALID, "replace() needs something to look for");
    TRY(vm_spend_search(vm, text, old));
    struct buf out;
    buf_init(&out, vm->arena);
    size_t from = 0;
    for (size_t at; (at = str_find(text, old, from)) != SIZE_MAX; from = at + old.n) {
        TRY(vm_spend_copy(vm, new.n));
        if (out.n > EXPRESSION_VALUE_BYTES_MAX) return vm_too_large(vm);
        buf_add_str(&out, str_slice(text, from, at));
        buf_add_str(&out, new);
    }
    buf_add_str(&out, str_slice(text, from, text.n));
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}

/* The index in characters of a byte, or -1 for SIZE_MAX. */
static const struct json *char_index(struct vm *vm, str text, size_t at)
{
    int64_t index = at == SIZE_MAX ? -1 : (int64_t)utf8_count(str_slice(text, 0, at));
    return json_of_int(vm->arena, index);
}

BUILTIN(indexOf)
{
    str text;
    str part;
    TRY(want_text(vm, "indexOf", arg[0], &text));
    TRY(want_text(vm, "indexOf", arg[1], &part));
    TRY(vm_spend_search(vm, text, part));
    *ret_value = char_index(vm, text, str_find(text, part, 0));
    return ST_OK;
}

BUILTIN(lastIndexOf)
{
    str text;
    str part;
    TRY(want_text(vm, "lastIndexOf", arg[0], &text));
    TRY(want_text(vm, "lastIndexOf", arg[1], &part));
    TRY(vm_spend_search(vm, text, part));
    size_t found = SIZE_MAX;
    for (size_t left = text.n + 1; left > 0 && found == SIZE_MAX; left--)
        if (str_starts(str_slice(text, left - 1, text.n), part)) found = left - 1;
    *ret_value = char_index(vm, text, found);
    return ST_OK;
}

BUILTIN(repeat)
{
    str text;
    int64_t times;
    TRY(want_text(vm, "repeat", arg[0], &text));
    if (!json_is(arg[1], JSON_NUMBER) || !json_int64(arg[1], &times) || times < 0)
        return vm_fail(vm, ST_INVALID, "repeat() needs a whole number of times");
    if (text.n == 0) times = 0;
    if (text.n && (uint64_t)times > EXPRESSION_VALUE_BYTES_MAX / text.n) return vm_too_large(vm);
    TRY(vm_spend_copy(vm, text.n * (uint64_t)times));
    struct buf out;
    buf_init(&out, vm->arena);
    buf_reserve(&out, text.n * (size_t)times);
    for (int64_t i = 0; i < times; i++) buf_add_str(&out, text);
    *ret_value = json_of_string(vm->arena, buf_str(&out));
    return ST_OK;
}
