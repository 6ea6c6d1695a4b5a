/* expr/loops.c — functions that run an expression for each element of a list. */
#include "expr/chars_int.h"
#include "expr/loops_int.h"
#include "expr/operations_int.h"

const struct loop_entry loops_table[LOOP_COUNT] = {
#define XX(name, fewest, most) [LOOP_##name] = { { #name, sizeof(#name) - 1 }, fewest, most },
    LOOP_MAP(XX)
#undef XX
};

static const struct json *list_or_empty(struct vm_loop *loop)
{
    json_close(&loop->out);
    return json_built(&loop->out);
}

static enum status group(struct vm *vm, struct vm_loop *loop, const struct json **ret_value)
{
    struct grouping grouping;
    str *key = arena_make_n(vm->arena, str, loop->count);
    for (size_t i = 0; i < loop->count; i++) {
        const struct json *given = loop->entry[i].key;
        if (json_is(given, JSON_ARRAY) || json_is(given, JSON_OBJECT))
            return vm_wants(vm, "groupBy", "strings, numbers or booleans to group by", given);
        key[i] = chars_of(given, vm->arena);
    }
    TRY(order_group(vm, key, loop->count, &grouping));
    json_open_object(&loop->out);
    for (uint32_t i = 0; i < loop->count; i++) {
        if (grouping.first[i] != i) continue;
        json_add_name(&loop->out, key[i]);
        json_open_array(&loop->out);
        for (uint32_t member = i; member != GROUP_END; member = grouping.next[member]) {
            TRY(vm_spend_copy(vm, json_bytes(loop->entry[member].value)));
            json_add(&loop->out, loop->entry[member].value);
        }
        json_close(&loop->out);
    }
    *ret_value = list_or_empty(loop);
    return vm_check_depth(vm, *ret_value);
}

static enum status sort(struct vm *vm, struct vm_loop *loop, const struct json **ret_value)
{
    TRY(order_sort(vm, "sortBy", loop->entry, loop->count, loop->descending));
    json_open_array(&loop->out);
    for (size_t i = 0; i < loop->count; i++) {
        TRY(vm_spend_copy(vm, json_bytes(loop->entry[i].value)));
        json_add(&loop->out, loop->entry[i].value);
    }
    *ret_value = list_or_empty(loop);
    return ST_OK;
}

/* The result of the loop after its last turn. */
static enum status finish(struct vm *vm, struct vm_loop *loop, const struct json **ret_value)
{
    switch (loop->kind) {
    case LOOP_all: *ret_value = json_of_bool(loop->hits == loop->index); return ST_OK;
    case LOOP_any: *ret_value = json_of_bool(loop->hits > 0); return ST_OK;
    case LOOP_none: *ret_value = json_of_bool(loop->hits == 0); return ST_OK;
    case LOOP_one: *ret_value = json_of_bool(loop->hits == 1); return ST_OK;
    case LOOP_count: *ret_value = json_of_int(vm->arena, (int64_t)loop->hits); return ST_OK;
    case LOOP_find:
    case LOOP_findLast: *ret_value = loop->hit ? loop->hit : json_null(); return ST_OK;
    case LOOP_findIndex:
    case LOOP_findLastIndex:
        *ret_value = json_of_int(vm->arena, loop->hits ? (int64_t)loop->hit_index : -1);
        return ST_OK;
    case LOOP_sum:
    case LOOP_reduce: *ret_value = loop->total; return ST_OK;
    case LOOP_filter: *ret_value = list_or_empty(loop); return ST_OK;
    case LOOP_map: *ret_value = list_or_empty(loop); return vm_check_depth(vm, *ret_value);
    case LOOP_groupBy: return group(vm, loop, ret_value);
    case LOOP_sortBy: return sort(vm, loop, ret_value);
    case LOOP_COUNT: break;
    }
    must(!"a kind of loop");
    return ST_INTERNAL;
}

/* Without a value to begin with, reduce begins with the first element. */
static enum status begin_total(struct vm *vm, struct vm_loop *loop, const struct json *option)
{
    if (loop->kind == LOOP_sum) option = json_of_int(vm->arena, 0);
    loop->total = option;
    if (option) return ST_OK;
    if (!json_next(&loop->each))
        return vm_fail(vm, ST_INVALID, "reduce() of an empty list needs a value to begin with");
    loop->total = loop->each.value;
    loop->index = 1;
    return ST_OK;
}

enum status loops_begin(struct vm *vm, struct vm_loop *loop, enum loop_kind kind, const struct json *list,
                        const struct json *option, bool *ret_turn, const struct json **ret_value)
{
    if (!json_is(list, JSON_ARRAY)) return vm_wants(vm, loops_table[kind].name.p, "a list", list);
    *loop = (struct vm_loop){ .kind = kind, .each = json_each(list), .count = json_count(list) };
    if (kind == LOOP_sortBy) TRY(order_direction(vm, "sortBy", option, &loop->descending));
    if (kind == LOOP_sum || kind == LOOP_reduce) TRY(begin_total(vm, loop, option));
    json_builder_init(&loop->out, vm->arena);
    if (kind == LOOP_filter || kind == LOOP_map) json_open_array(&loop->out);
    if (kind == LOOP_groupBy || kind == LOOP_sortBy) {
        TRY(vm_spend(vm, loop->count));
        loop->entry = arena_make_n(vm->arena, struct sort_entry, loop->count);
    }
    *ret_turn = json_next(&loop->each);
    return *ret_turn ? ST_OK : finish(vm, loop, ret_value);
}

/* Uses what a turn gave; `*ret_done` if no further turn can change the result. */
static enum status take_given(struct vm *vm, struct vm_loop *loop, const struct json *given, bool *ret_done)
{
    bool hit;
    *ret_done = false;
    if (loop->kind == LOOP_map) {
        TRY(vm_spend_copy(vm, json_bytes(given)));
        json_add(&loop->out, given);
        return ST_OK;
    }
    if (loop->kind == LOOP_groupBy || loop->kind == LOOP_sortBy) {
        loop->entry[loop->index] = (struct sort_entry){ given, loop->each.value };
        return ST_OK;
    }
    if (loop->kind == LOOP_reduce) {
        loop->total = given;
        return ST_OK;
    }
    if (loop->kind == LOOP_sum) {
        TRY(vm_spend_scan(vm, json_bytes(given)));
        TRY(op_number(vm, given, &given));
        return op_calculate(vm, JSON_PLUS, loop->total, given, &loop->total);
    }
    TRY(op_strict_boolean(vm, given, &hit));
    if (hit) {
        loop->hits++;
        loop->hit_index = loop->index;
        loop->hit = loop->each.value;
        if (loop->kind == LOOP_filter) {
            TRY(vm_spend_copy(vm, json_bytes(loop->hit)));
            json_add(&loop->out, loop->hit);
        }
    }
    switch (loop->kind) {
    case LOOP_all: *ret_done = !hit; break;
    case LOOP_any:
    case LOOP_none:
    case LOOP_find:
    case LOOP_findIndex: *ret_done = hit; break;
    case LOOP_one: *ret_done = loop->hits > 1; break;
    default: break;
    }
    return ST_OK;
}

enum status loops_next(struct vm *vm, struct vm_loop *loop, const struct json *given, bool *ret_turn,
                       const struct json **ret_value)
{
    bool done;
    if (arena_over(vm->arena)) return vm_exhausted(vm);
    TRY(take_given(vm, loop, given, &done));
    loop->index++;
    *ret_turn = !done && json_next(&loop->each);
    return *ret_turn ? ST_OK : finish(vm, loop, ret_value);
}
