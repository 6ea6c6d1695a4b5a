/* expr/order.c — sorts lists and groups them by keys. */
#include "expr/order_int.h"

#include "base/sort.h"

static enum status check_keys(struct vm *vm, const char *function, const struct sort_entry *entry,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum json_kind kind = json_kind(entry[i].key);
        if (kind != JSON_NUMBER && kind != JSON_STRING)
            return vm_wants(vm, function, "numbers or strings to sort by", entry[i].key);
        if (kind != json_kind(entry[0].key))
            return vm_fail(vm, ST_INVALID, "%s() cannot put numbers and strings in one order", function);
    }
    return ST_OK;
}

static int compare_keys(const struct json *a, const struct json *b)
{
    if (json_is(a, JSON_NUMBER)) return json_number_compare(a, b);
    return str_compare(json_string(a), json_string(b));
}

static int compare_entries(const void *a, const void *b, const void *context)
{
    const struct sort_entry *left = a, *right = b;
    int order = compare_keys(left->key, right->key);
    return *(const bool *)context ? -order : order;
}

enum status order_sort(struct vm *vm, const char *function, struct sort_entry *entry, size_t count,
                       bool descending)
{
    TRY(check_keys(vm, function, entry, count));
    struct sort_entry *scratch = arena_make_n(vm->arena, struct sort_entry, count);
    for (size_t run = 1; run < count; run *= 2) TRY(vm_spend(vm, count));
    sort_stable(entry, scratch, count, sizeof *entry, compare_entries, &descending);
    return ST_OK;
}

enum status order_direction(struct vm *vm, const char *function, const struct json *word,
                            bool *ret_descending)
{
    str text = word && json_is(word, JSON_STRING) ? json_string(word) : STR("");
    *ret_descending = str_equal_ignoring_case(text, STR("desc"));
    if (!word || json_is(word, JSON_NULL) || *ret_descending || str_equal_ignoring_case(text, STR("asc")))
        return ST_OK;
    return vm_fail(vm, ST_INVALID, "%s() takes \"asc\" or \"desc\" as its order", function);
}

/* Sorting brings equal keys together, in the order they came. */
enum status order_group(struct vm *vm, const str *key, size_t count, struct grouping *ret_grouping)
{
    must(count < GROUP_END);
    TRY(vm_spend(vm, count));
    struct sort_entry *entry = arena_make_n(vm->arena, struct sort_entry, count);
    uint32_t *index = arena_make_n(vm->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        index[i] = (uint32_t)i;
        entry[i].key = json_of_string(vm->arena, key[i]);
        /* The value carries the index through the sort; it is never read as JSON. */
        entry[i].value = (const struct json *)(const void *)&index[i];
    }
    TRY(order_sort(vm, "group", entry, count, false));
    struct grouping grouping = {
        .first = arena_make_n(vm->arena, uint32_t, count),
        .next = arena_make_n(vm->arena, uint32_t, count),
    };
    for (size_t i = 0; i < count; i++) {
        uint32_t at = *(const uint32_t *)(const void *)entry[i].value;
        uint32_t before = i ? *(const uint32_t *)(const void *)entry[i - 1].value : 0;
        bool same = i && compare_keys(entry[i].key, entry[i - 1].key) == 0;
        grouping.first[at] = same ? grouping.first[before] : at;
        grouping.next[at] = GROUP_END;
        if (same) grouping.next[before] = at;
    }
    *ret_grouping = grouping;
    return ST_OK;
}
