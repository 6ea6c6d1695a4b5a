#include "expr/expr_int.h"

static enum status check_keys(struct vm *vm, const char *function, const struct sort_entry *entry,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum json_kind kind = json_kind(entry[i].key);
        if (kind != JSON_NUMBER && kind != JSON_STRING)
            return builtin_wants(vm, function, "numbers or strings to sort by", entry[i].key);
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

/* Merges the sorted runs [from, middle) and [middle, to). */
static void merge(const struct sort_entry *in, struct sort_entry *out, size_t from, size_t middle, size_t to,
                  int sign)
{
    size_t left = from;
    size_t right = middle;
    for (size_t i = from; i < to; i++) {
        bool take_left =
            right == to || (left < middle && sign * compare_keys(in[left].key, in[right].key) <= 0);
        out[i] = take_left ? in[left++] : in[right++];
    }
}

static size_t at_most(size_t a, size_t b) { return a < b ? a : b; }

enum status order_sort(struct vm *vm, const char *function, struct sort_entry *entry, size_t count,
                       bool descending)
{
    TRY(check_keys(vm, function, entry, count));
    struct sort_entry *in = entry;
    struct sort_entry *out = arena_make_n(vm->arena, struct sort_entry, count);
    for (size_t run = 1; run < count; run *= 2) {
        TRY(vm_spend(vm, count));
        for (size_t from = 0; from < count; from += 2 * run)
            merge(in, out, from, at_most(from + run, count), at_most(from + 2 * run, count),
                  descending ? -1 : 1);
        struct sort_entry *swap = in;
        in = out;
        out = swap;
    }
    if (in != entry && count) memcpy(entry, in, count * sizeof *entry);
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
