/* expr/builtins/list.c — functions on lists and maps. */
#include "expr/builtins/builtins_int.h"
#include "expr/order_int.h"

static enum status want_list(struct vm *vm, const char *function, const struct json *value)
{
    if (!json_is(value, JSON_ARRAY)) return vm_wants(vm, function, "a list", value);
    return vm_spend_copy(vm, json_bytes(value));
}

static enum status want_map(struct vm *vm, const char *function, const struct json *value)
{
    if (!json_is(value, JSON_OBJECT)) return vm_wants(vm, function, "a map", value);
    return vm_spend_copy(vm, json_bytes(value));
}

static void begin_list(struct vm *vm, struct json_builder *builder)
{
    json_builder_init(builder, vm->arena);
    json_open_array(builder);
}

static const struct json *end_list(struct json_builder *builder)
{
    json_close(builder);
    return json_built(builder);
}

/* ---- maps ---- */

BUILTIN(keys)
{
    struct json_builder builder;
    TRY(want_map(vm, "keys", arg[0]));
    begin_list(vm, &builder);
    struct json_each each = json_each(arg[0]);
    while (json_next(&each)) json_add_string(&builder, each.name);
    *ret_value = end_list(&builder);
    return ST_OK;
}

BUILTIN(values)
{
    struct json_builder builder;
    TRY(want_map(vm, "values", arg[0]));
    begin_list(vm, &builder);
    struct json_each each = json_each(arg[0]);
    while (json_next(&each)) json_add(&builder, each.value);
    *ret_value = end_list(&builder);
    return ST_OK;
}

BUILTIN(toPairs)
{
    struct json_builder builder;
    TRY(want_map(vm, "toPairs", arg[0]));
    begin_list(vm, &builder);
    struct json_each each = json_each(arg[0]);
    while (json_next(&each)) {
        json_open_array(&builder);
        json_add_string(&builder, each.name);
        json_add(&builder, each.value);
        json_close(&builder);
    }
    *ret_value = end_list(&builder);
    return vm_check_depth(vm, *ret_value);
}

/* If pairs share a name, the last one counts, at the place of the first. */
BUILTIN(fromPairs)
{
    TRY(want_list(vm, "fromPairs", arg[0]));
    size_t pairs = json_count(arg[0]);
    str *name = arena_make_n(vm->arena, str, pairs);
    const struct json **value = arena_make_n(vm->arena, const struct json *, pairs);
    struct json_each each = json_each(arg[0]);
    for (size_t i = 0; json_next(&each); i++) {
        const struct json *key = json_is(each.value, JSON_ARRAY) ? json_item(each.value, 0) : NULL;
        if (!json_is(key, JSON_STRING) || json_count(each.value) != 2)
            return vm_fail(vm, ST_INVALID, "fromPairs() needs a list of [name, value] pairs");
        name[i] = json_string(key);
        value[i] = json_item(each.value, 1);
    }
    struct grouping grouping;
    TRY(order_group(vm, name, pairs, &grouping));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_object(&builder);
    for (uint32_t i = 0; i < pairs; i++) {
        if (grouping.first[i] != i) continue;
        uint32_t last = i;
        while (grouping.next[last] != GROUP_END) last = grouping.next[last];
        json_add_name(&builder, name[i]);
        json_add(&builder, value[last]);
    }
    *ret_value = end_list(&builder);
    return ST_OK;
}

/* A member or an item, or null where `.` and [] would fail. */
BUILTIN(get)
{
    const struct json *found = NULL;
    int64_t index;
    if (json_is(arg[0], JSON_OBJECT) && json_is(arg[1], JSON_STRING)) {
        found = json_get(arg[0], json_string(arg[1]));
    } else if (json_is(arg[0], JSON_ARRAY) && json_is(arg[1], JSON_NUMBER) && json_int64(arg[1], &index)) {
        if (index < 0) index += (int64_t)json_count(arg[0]);
        if (index >= 0) found = json_item(arg[0], (size_t)index);
    } else if (!json_is(arg[0], JSON_OBJECT) && !json_is(arg[0], JSON_ARRAY) && !json_is(arg[0], JSON_NULL)) {
        return vm_wants(vm, "get", "a map or a list", arg[0]);
    }
    *ret_value = found ? found : json_null();
    return ST_OK;
}

/* ---- lists ---- */

BUILTIN(first)
{
    if (!json_is(arg[0], JSON_ARRAY)) return vm_wants(vm, "first", "a list", arg[0]);
    *ret_value = json_count(arg[0]) ? json_item(arg[0], 0) : json_null();
    return ST_OK;
}

BUILTIN(last)
{
    if (!json_is(arg[0], JSON_ARRAY)) return vm_wants(vm, "last", "a list", arg[0]);
    size_t items = json_count(arg[0]);
    *ret_value = items ? json_item(arg[0], items - 1) : json_null();
    return ST_OK;
}

BUILTIN(take)
{
    struct json_builder builder;
    int64_t most;
    TRY(want_list(vm, "take", arg[0]));
    if (!json_is(arg[1], JSON_NUMBER) || !json_int64(arg[1], &most) || most < 0)
        return vm_fail(vm, ST_INVALID, "take() needs a whole number of items");
    begin_list(vm, &builder);
    struct json_each each = json_each(arg[0]);
    while (most-- > 0 && json_next(&each)) json_add(&builder, each.value);
    *ret_value = end_list(&builder);
    return ST_OK;
}

BUILTIN(reverse)
{
    struct json_builder builder;
    TRY(want_list(vm, "reverse", arg[0]));
    begin_list(vm, &builder);
    for (size_t i = json_count(arg[0]); i > 0; i--) json_add(&builder, json_item(arg[0], i - 1));
    *ret_value = end_list(&builder);
    return ST_OK;
}

BUILTIN(sort)
{
    struct json_builder builder;
    bool descending;
    TRY(want_list(vm, "sort", arg[0]));
    TRY(order_direction(vm, "sort", count == 2 ? arg[1] : NULL, &descending));
    size_t items = json_count(arg[0]);
    struct sort_entry *entry = arena_make_n(vm->arena, struct sort_entry, items);
    struct json_each each = json_each(arg[0]);
    for (size_t i = 0; json_next(&each); i++) entry[i].key = each.value;
    TRY(order_sort(vm, "sort", entry, items, descending));
    begin_list(vm, &builder);
    for (size_t i = 0; i < items; i++) json_add(&builder, entry[i].key);
    *ret_value = end_list(&builder);
    return ST_OK;
}

/* Equal values have equal canonical texts. */
BUILTIN(uniq)
{
    TRY(want_list(vm, "uniq", arg[0]));
    TRY(vm_spend_scan(vm, json_bytes(arg[0])));
    size_t items = json_count(arg[0]);
    str *key = arena_make_n(vm->arena, str, items);
    struct json_each each = json_each(arg[0]);
    for (size_t i = 0; json_next(&each); i++) {
        struct buf text;
        buf_init(&text, vm->arena);
        json_print_canonical(each.value, &text);
        key[i] = buf_str(&text);
    }
    struct grouping grouping;
    TRY(order_group(vm, key, items, &grouping));
    struct json_builder builder;
    begin_list(vm, &builder);
    each = json_each(arg[0]);
    for (uint32_t i = 0; json_next(&each); i++)
        if (grouping.first[i] == i) json_add(&builder, each.value);
    *ret_value = end_list(&builder);
    return ST_OK;
}

/* Lists are never deeper than JSON_DEPTH_MAX: vm_check_depth() sees to it. */
static enum status add_flat(struct vm *vm, const struct json *list, struct json_builder *builder)
{
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        TRY(vm_spend(vm, 1));
        if (json_is(each.value, JSON_ARRAY)) TRY(add_flat(vm, each.value, builder));
        else json_add(builder, each.value);
    }
    return ST_OK;
}

BUILTIN(flatten)
{
    struct json_builder builder;
    TRY(want_list(vm, "flatten", arg[0]));
    begin_list(vm, &builder);
    TRY(add_flat(vm, arg[0], &builder));
    *ret_value = end_list(&builder);
    return ST_OK;
}

BUILTIN(concat)
{
    struct json_builder builder;
    begin_list(vm, &builder);
    for (size_t i = 0; i < count; i++) {
        TRY(want_list(vm, "concat", arg[i]));
        struct json_each each = json_each(arg[i]);
        while (json_next(&each)) json_add(&builder, each.value);
    }
    *ret_value = end_list(&builder);
    return ST_OK;
}
