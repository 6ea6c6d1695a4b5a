/* expr/paths.c — reads and writes parts of values by a JSONPath. */
#include "expr/lexer_int.h"
#include "expr/operations_int.h"
#include "expr/tree_int.h"

/* The path as messages show it. */
static str path_text(struct vm *vm, const struct jsonpath *path)
{
    struct buf text;
    buf_init(&text, vm->arena);
    tree_print_path(path, &text);
    return lexer_shown(buf_str(&text));
}

/* NULL if a definite path selects nothing. */
static enum status select_value(struct vm *vm, const struct jsonpath *path, const struct json *root,
                                const struct json **ret_value)
{
    struct error why;
    enum status status = jsonpath_value(path, root, &vm->fuel, vm->arena, ret_value, &why);
    if (status == ST_OK) return ST_OK;
    if (vm->fuel == 0 || arena_over(vm->arena)) return vm_exhausted(vm);
    return vm_fail(vm, status, "%s", why.message);
}

/* A definite path's node as a list. */
static enum status list_of_node(struct vm *vm, const struct json *node, const struct json **ret_value)
{
    if (!node) {
        *ret_value = json_empty_array();
        return ST_OK;
    }
    TRY(vm_spend_copy(vm, json_bytes(node)));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    json_add(&builder, node);
    json_close(&builder);
    *ret_value = json_built(&builder);
    return vm_check_depth(vm, *ret_value);
}

static enum status fail_selection(struct vm *vm, const struct jsonpath *path, const char *what)
{
    str text = path_text(vm, path);
    return vm_fail_filter(vm, ST_INVALID, "the path %.*s %s", STR_ARG(text), what);
}

enum status op_path(struct vm *vm, enum path_use use, const struct jsonpath *path, const struct json *value,
                    const struct json **ret_value)
{
    const struct json *selected;
    TRY(select_value(vm, path, value, &selected));
    switch (use) {
    case PATH_FILTER:
        if (!selected && vm->env->strict) return fail_selection(vm, path, "selects nothing");
        if (!selected && vm->env->missed) *vm->env->missed = path;
        *ret_value = selected ? selected : value;
        return ST_OK;
    case PATH_PICK: *ret_value = selected ? selected : json_null(); return ST_OK;
    case PATH_NODES:
        if (jsonpath_is_definite(path)) return list_of_node(vm, selected, ret_value);
        break;
    case PATH_ITEMS:
        if (!selected) return fail_selection(vm, path, "selects nothing, where a list is needed");
        if (!json_is(selected, JSON_ARRAY)) {
            str text = path_text(vm, path);
            return vm_fail_filter(vm, ST_INVALID, "the path %.*s leads to %s, not to a list", STR_ARG(text),
                                  vm_kind_phrase(selected));
        }
        break;
    }
    *ret_value = selected;
    return ST_OK;
}

enum status op_place(struct vm *vm, const struct json *base, const struct jsonpath *path,
                     const struct json *value, const struct json **ret_value)
{
    struct error why;
    TRY(vm_spend_copy(vm, json_bytes(base) + json_bytes(value)));
    enum status status = jsonpath_place(base, path, value, vm->arena, ret_value, &why);
    if (status == ST_OK) return ST_OK;
    str text = path_text(vm, path);
    if (!why.where[0])
        return vm_fail_filter(vm, status, "no value can be put at %.*s: %s", STR_ARG(text), why.message);
    return vm_fail_filter(vm, status, "no value can be put at %.*s: %s, at %s", STR_ARG(text), why.message,
                          why.where);
}

/* ---- collecting ---- */

static enum status join_lists(struct vm *vm, const struct json *a, const struct json *b,
                              const struct json **ret_value)
{
    TRY(vm_spend_copy(vm, json_bytes(a) + json_bytes(b)));
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    struct json_each each = json_each(a);
    while (json_next(&each)) json_add(&builder, each.value);
    each = json_each(b);
    while (json_next(&each)) json_add(&builder, each.value);
    json_close(&builder);
    *ret_value = json_built(&builder);
    return ST_OK;
}

enum status op_collect(struct vm *vm, const struct json *base, const struct jsonpath *path,
                       const struct json *list, const struct json **ret_value)
{
    if (!json_is(list, JSON_ARRAY))
        return vm_fail_filter(vm, ST_INVALID, "only a list can be collected, not %s", vm_kind_phrase(list));
    if (!jsonpath_is_definite(path)) return fail_selection(vm, path, "is not definite, so it names no list");
    const struct json *there;
    TRY(select_value(vm, path, base, &there));
    if (there) {
        if (!json_is(there, JSON_ARRAY)) {
            str text = path_text(vm, path);
            return vm_fail_filter(vm, ST_INVALID, "the path %.*s leads to %s, where a list is needed",
                                  STR_ARG(text), vm_kind_phrase(there));
        }
        if (!json_count(list)) {
            *ret_value = base;
            return ST_OK;
        }
        TRY(join_lists(vm, there, list, &list));
    }
    return op_place(vm, base, path, list, ret_value);
}

/* ---- events ---- */

/* Applies a path to an event: to its data or, if that selects nothing, to the whole event. If
 * there is nothing either, the data as it is; NULL if the event has none. */
static enum status take_from_event(struct vm *vm, const struct jsonpath *take, const struct json *event,
                                   const struct json **ret_value)
{
    const struct json *data = json_get(event, STR("data"));
    const struct json *selected = NULL;
    *ret_value = data;
    if (!take) return ST_OK;
    bool definite = jsonpath_is_definite(take);
    if (data) TRY(select_value(vm, take, data, &selected));
    if (!selected || (!definite && !json_count(selected))) TRY(select_value(vm, take, event, &selected));
    if (selected) *ret_value = selected;
    else if (vm->env->strict) return fail_selection(vm, take, "selects nothing in the event");
    return ST_OK;
}

/* Applies a path to an envelope, {data, context}. If it selects nothing, the whole envelope. */
static enum status take_from_envelope(struct vm *vm, const struct jsonpath *take, const struct json *envelope,
                                      const struct json **ret_value)
{
    const struct json *selected = envelope;
    if (take) TRY(select_value(vm, take, envelope, &selected));
    if (!selected && vm->env->strict) return fail_selection(vm, take, "selects nothing in the event");
    *ret_value = selected ? selected : envelope;
    return ST_OK;
}

static enum status set_member(struct vm *vm, const struct json *base, str name, const struct json *value,
                              const struct json **ret_value)
{
    if (json_is(base, JSON_ARRAY)) {
        name = lexer_shown(name);
        return vm_fail_filter(vm, ST_INVALID, "the event's data cannot become the member \"%.*s\" of a list",
                              STR_ARG(name));
    }
    if (!json_is(base, JSON_OBJECT)) base = json_empty_object();
    TRY(vm_spend_copy(vm, json_bytes(base) + json_bytes(value)));
    *ret_value = json_set(vm->arena, base, name, value);
    return vm_check_depth(vm, *ret_value);
}

static enum status add_event(struct vm *vm, const struct json *item, const struct jsonpath *take,
                             const struct jsonpath *put, const struct json **base)
{
    const struct json *event = json_get(item, STR("event"));
    const struct json *envelope = json_get(item, STR("envelope"));
    const struct json *trigger = json_get(item, STR("trigger"));
    if ((!event && !envelope) || !json_is(trigger, JSON_STRING))
        return vm_fail_filter(vm, ST_INVALID,
                              "an event needs to say what it is and which trigger it came by");
    const struct json *value = NULL;
    if (envelope) TRY(take_from_envelope(vm, take, envelope, &value));
    else TRY(take_from_event(vm, take, event, &value));
    if (!value) return ST_OK;
    if (put) return op_place(vm, *base, put, value, base);
    if (json_is(value, JSON_OBJECT)) return op_combine(vm, *base, value, base);
    return set_member(vm, *base, json_string(trigger), value, base);
}

enum status op_events(struct vm *vm, const struct json *base, const struct jsonpath *take,
                      const struct jsonpath *put, const struct json *events, const struct json **ret_value)
{
    if (!json_is(events, JSON_ARRAY))
        return vm_fail_filter(vm, ST_INVALID, "events come as a list, not as %s", vm_kind_phrase(events));
    struct json_each each = json_each(events);
    while (json_next(&each)) {
        TRY(vm_spend(vm, 1));
        TRY(add_event(vm, each.value, take, put, &base));
    }
    *ret_value = base;
    return ST_OK;
}
