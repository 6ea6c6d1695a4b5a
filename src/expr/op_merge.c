/* expr/op_merge.c — merges values into values. */
#include "expr/operations_int.h"

enum status op_combine(struct vm *vm, const struct json *a, const struct json *b,
                       const struct json **ret_value)
{
    bool objects = json_is(a, JSON_OBJECT) && json_is(b, JSON_OBJECT);
    if (!objects || !json_count(a)) {
        *ret_value = b;
    } else if (!json_count(b)) {
        *ret_value = a;
    } else {
        TRY(vm_spend_copy(vm, json_bytes(a) + json_bytes(b)));
        *ret_value = json_merge_deep(a, b, vm->arena);
    }
    return ST_OK;
}

enum status op_wrapped(struct vm *vm, const struct json *outputs, const struct json **ret_value)
{
    if (!json_is(outputs, JSON_OBJECT))
        return vm_fail(vm, ST_INVALID, "only a map has members to be wrapped, not %s",
                       vm_kind_phrase(outputs));
    TRY(vm_spend_copy(vm, json_bytes(outputs)));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    struct json_each each = json_each(outputs);
    while (json_next(&each)) {
        bool object = json_is(each.value, JSON_OBJECT);
        TRY(vm_spend(vm, 1));
        if (!object) json_open_object(&builder);
        if (!object) json_add_name(&builder, each.name);
        json_add(&builder, each.value);
        if (!object) json_close(&builder);
    }
    json_close(&builder);
    *ret_value = json_built(&builder);
    return vm_check_depth(vm, *ret_value);
}

/* ---- what several changed ---- */

/* Writes `now` with what `item` changed in `was`, which is NULL if that was no object. A member
 * that equals what it was is no change. The recursion is as deep as the values are. */
static void write_changed(struct json_builder *out, const struct json *was, const struct json *now,
                          const struct json *item);

static void write_member(struct json_builder *out, const struct json *was, const struct json *now,
                         const struct json *item)
{
    bool both = json_is(now, JSON_OBJECT) && json_is(item, JSON_OBJECT);
    /* Mostly nothing has changed, which is quickly seen. Then the objects: so no part of them is
     * compared by value more than once. */
    if (!item || (was && str_equal(json_encoded(was), json_encoded(item)))) json_add(out, now);
    else if (both && json_is(was, JSON_OBJECT)) write_changed(out, was, now, item);
    else if (was && json_equal(was, item)) json_add(out, now);
    else if (both) write_changed(out, NULL, now, item);
    else json_add(out, item);
}

static void write_changed(struct json_builder *out, const struct json *was, const struct json *now,
                          const struct json *item)
{
    json_open_object(out);
    struct json_each each = json_each(now);
    while (json_next(&each)) {
        json_add_name(out, each.name);
        write_member(out, json_get(was, each.name), each.value, json_get(item, each.name));
    }
    each = json_each(item);
    while (json_next(&each)) {
        if (json_get(now, each.name)) continue;
        const struct json *before = json_get(was, each.name);
        if (before && json_equal(before, each.value)) continue;
        json_add_name(out, each.name);
        json_add(out, each.value);
    }
    json_close(out);
}

static enum status fold_item(struct vm *vm, const struct json *was, const struct json *item,
                             const struct json **now)
{
    if (!json_is(item, JSON_OBJECT))
        return vm_fail_filter(vm, ST_INVALID,
                              "only a map can be merged into the data, not %s; a result path says where "
                              "anything else goes",
                              vm_kind_phrase(item));
    if (!json_is(*now, JSON_OBJECT)) {
        *now = item;
        return ST_OK;
    }
    if (!json_count(item)) return ST_OK;
    TRY(vm_spend_scan(vm, json_bytes(item)));
    TRY(vm_spend_copy(vm, json_bytes(*now) + json_bytes(item)));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    buf_reserve(&builder.cells, json_bytes(*now) + json_bytes(item));
    write_changed(&builder, json_is(was, JSON_OBJECT) ? was : NULL, *now, item);
    *now = json_built(&builder);
    return ST_OK;
}

enum status op_fold(struct vm *vm, const struct json *base, const struct json *list,
                    const struct json **ret_value)
{
    if (!json_is(list, JSON_ARRAY))
        return vm_fail_filter(vm, ST_INVALID, "only a list can be folded, not %s", vm_kind_phrase(list));
    const struct json *now = base;
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        TRY(vm_spend(vm, 1));
        TRY(fold_item(vm, base, each.value, &now));
    }
    *ret_value = now;
    return ST_OK;
}
