/* expr/condition/compare.c — tests of conditions and choices: nothing is coerced, any of several nodes will
 * do. */
#include "expr/operations_int.h"

static enum status compare(struct vm *vm, enum choice_test test, const struct json *a, const struct json *b,
                           bool *ret_value)
{
    enum json_kind kind = json_kind(a);
    int order;
    *ret_value = false;
    if (kind != json_kind(b)) return ST_OK;
    size_t left = json_bytes(a), right = json_bytes(b);
    TRY(vm_spend_scan(vm, left < right ? left : right));
    if (test == CHOICE_EQUALS) {
        *ret_value = json_equal(a, b);
        return ST_OK;
    }
    if (kind == JSON_NUMBER) order = json_number_compare(a, b);
    else if (kind == JSON_STRING) order = str_compare(json_string(a), json_string(b));
    else return ST_OK;
    switch (test) {
    case CHOICE_LESS: *ret_value = order < 0; break;
    case CHOICE_LESS_EQUALS: *ret_value = order <= 0; break;
    case CHOICE_GREATER: *ret_value = order > 0; break;
    default: *ret_value = order >= 0; break;
    }
    return ST_OK;
}

enum status op_choice(struct vm *vm, enum choice_test test, const struct json *nodes, const struct json *text,
                      const struct json *value, bool *ret_value)
{
    *ret_value = false;
    struct json_each each = json_each(nodes);
    while (!*ret_value && json_next(&each)) {
        TRY(vm_spend(vm, 1));
        TRY(compare(vm, test, each.value, json_is(each.value, JSON_STRING) ? text : value, ret_value));
    }
    return ST_OK;
}

/* ---- any of a side's nodes ---- */

/* The values of one side of a test, one after the other. */
struct side {
    bool nodes;
    bool done;
    struct json_each each;
};

static struct side side_of(bool nodes, const struct json *value)
{
    struct side side = { .nodes = nodes };
    if (nodes) side.each = json_each(value);
    else side.each.value = value;
    return side;
}

static bool next_value(struct side *side)
{
    if (side->nodes) return json_next(&side->each);
    bool first = !side->done;
    side->done = true;
    return first;
}

enum status op_holds(struct vm *vm, uint8_t test, const struct json *a, const struct json *b, bool *ret_value)
{
    *ret_value = false;
    struct side left = side_of(test & TEST_LEFT_NODES, a);
    while (!*ret_value && next_value(&left)) {
        struct side right = side_of(test & TEST_RIGHT_NODES, b);
        while (!*ret_value && next_value(&right)) {
            TRY(vm_spend(vm, 1));
            TRY(compare(vm, test & TEST_KIND, left.each.value, right.each.value, ret_value));
        }
    }
    return ST_OK;
}

static enum status find(struct vm *vm, struct side left, const struct regex *pattern, bool *ret_value)
{
    *ret_value = false;
    while (!*ret_value && next_value(&left)) {
        TRY(vm_spend(vm, 1));
        if (!json_is(left.each.value, JSON_STRING)) continue;
        TRY(op_matches(vm, pattern, json_string(left.each.value), ret_value));
    }
    return ST_OK;
}

enum status op_finds(struct vm *vm, uint8_t test, const struct json *a, const struct regex *pattern,
                     const struct json *b, bool *ret_value)
{
    struct side left = side_of(test & TEST_LEFT_NODES, a);
    if (pattern) return find(vm, left, pattern, ret_value);
    *ret_value = false;
    struct side right = side_of(test & TEST_RIGHT_NODES, b);
    while (!*ret_value && next_value(&right)) {
        char message[REGEX_MESSAGE_BYTES];
        if (!json_is(right.each.value, JSON_STRING)) continue;
        str text = json_string(right.each.value);
        TRY(vm_spend(vm, regex_compile_cost(text)));
        pattern = regex_compile(text, 0, vm->arena, message);
        if (!pattern) return vm_fail(vm, ST_INVALID, "%s", message);
        TRY(find(vm, left, pattern, ret_value));
    }
    return ST_OK;
}

bool op_truth(uint8_t test, const struct json *value)
{
    if (test & TEST_LEFT_NODES) return json_count(value) > 0;
    return json_is(value, JSON_BOOL) ? json_bool(value) : !json_is(value, JSON_NULL);
}
