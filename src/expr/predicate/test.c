/* expr/predicate/test.c — runs one test of a condition on an entity.
 *
 * A walk follows the path, gives every value that it leads to to the test, and ends with the first one that
 * passes. Each level of recursion is a level of the document.
 */
#include "expr/case_folding_int.h"
#include "expr/operations_int.h"
#include "expr/predicate/predicate_int.h"

#include "base/datetime.h"
#include "base/utf8.h"

enum { LIKE_BYTES_PER_FUEL = 8 };

/* ---- one value ---- */

/* `low` and `high` are the order of the value and each bound; only BETWEEN has a second one. */
static bool is_in_order(enum predicate_op basis, int low, int high)
{
    switch (basis) {
    case PREDICATE_EQUALS: return low == 0;
    case PREDICATE_GREATER_THAN: return low > 0;
    case PREDICATE_GREATER_OR_EQUAL: return low >= 0;
    case PREDICATE_LESS_THAN: return low < 0;
    case PREDICATE_LESS_OR_EQUAL: return low <= 0;
    case PREDICATE_BETWEEN: return low > 0 && high < 0;
    case PREDICATE_BETWEEN_INCLUSIVE: return low >= 0 && high <= 0;
    default: return false;
    }
}

static bool is_range(const struct predicate_test *test)
{
    return test->basis == PREDICATE_BETWEEN || test->basis == PREDICATE_BETWEEN_INCLUSIVE;
}

/* Only comparisons know anything but texts. */
static bool is_of_texts(const struct predicate_test *test)
{
    return test->folded || test->basis > PREDICATE_BETWEEN_INCLUSIVE;
}

static bool number_passes(const struct predicate_test *test, const struct json *value)
{
    const struct json *low = test->bound[0].number, *high = is_range(test) ? test->bound[1].number : low;
    if (is_of_texts(test) || !low || !high) return false;
    return is_in_order(test->basis, json_number_compare(value, low), json_number_compare(value, high)) !=
           test->negated;
}

static bool boolean_passes(const struct predicate_test *test, bool value)
{
    const struct predicate_operand *operand = &test->bound[0];
    if (is_of_texts(test) || test->basis != PREDICATE_EQUALS || !operand->is_boolean) return false;
    return (value == operand->boolean) != test->negated;
}

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static bool instant_passes(const struct predicate_test *test, str text)
{
    int64_t ms;
    if (!datetime_parse(text, &ms)) return false;
    return is_in_order(test->basis, order_of(ms, test->bound[0].instant_ms),
                       order_of(ms, test->bound[1].instant_ms)) != test->negated;
}

/* ---- texts ---- */

/* The bytes of the character of the text at `at`, or 0 if the pattern's next sign does not stand for it. */
static size_t like_sign(str pattern, size_t *sign, str text, size_t at)
{
    char c = pattern.p[*sign];
    str rest = str_slice(text, at, at + 4);
    if (c == '_') {
        ++*sign;
        return text.p[at] == '\n' ? 0 : utf8_offset(rest, 1);
    }
    bool escape = c == '\\' && *sign + 1 < pattern.n && memchr("%_\\", pattern.p[*sign + 1], 3);
    *sign += escape ? 2 : 1;
    return pattern.p[*sign - 1] == text.p[at];
}

/* `%` stands for any run of characters and `_` for one, but for no line end. Only the latest % is ever tried
 * again: a part of the pattern that is found as early as possible leaves the most to the next one. */
static bool is_like(str text, str pattern)
{
    size_t at = 0, sign = 0, again = SIZE_MAX, again_at = 0;
    for (;;) {
        if (sign < pattern.n && pattern.p[sign] == '%') {
            again = ++sign;
            again_at = at;
            continue;
        }
        if (at == text.n && sign == pattern.n) return true;
        size_t next = sign;
        size_t bytes = at < text.n && sign < pattern.n ? like_sign(pattern, &next, text, at) : 0;
        if (bytes) {
            at += bytes;
            sign = next;
            continue;
        }
        if (again == SIZE_MAX || again_at == text.n || text.p[again_at] == '\n') return false;
        again_at += utf8_offset(str_slice(text, again_at, again_at + 4), 1);
        at = again_at;
        sign = again;
    }
}

/* Spends the worst cost of a search for the operand in the text. */
static enum status spend_on_text(struct vm *vm, const struct predicate_test *test, str text)
{
    str part = test->bound[0].text;
    if (test->folded) TRY(vm_spend(vm, text.n / 4));
    switch (test->basis) {
    case PREDICATE_LIKE:
        return vm_spend(vm,
                        (uint64_t)(text.n / SCAN_BYTES_PER_FUEL + 1) * (part.n / LIKE_BYTES_PER_FUEL + 1));
    case PREDICATE_CONTAINS: return vm_spend_search(vm, text, part);
    default: return vm_spend_scan(vm, text.n < part.n ? text.n : part.n);
    }
}

static enum status text_passes(struct vm *vm, const struct predicate_test *test, str text, bool *ret_passes)
{
    str low = test->bound[0].text, high = test->bound[1].text;
    bool holds = false;
    TRY(spend_on_text(vm, test, text));
    if (test->folded) text = case_folding_of(text, vm->arena);
    switch (test->basis) {
    case PREDICATE_CONTAINS: holds = str_find(text, low, 0) != SIZE_MAX; break;
    case PREDICATE_STARTS_WITH: holds = str_starts(text, low); break;
    case PREDICATE_ENDS_WITH: holds = str_ends(text, low); break;
    case PREDICATE_LIKE: holds = is_like(text, low); break;
    case PREDICATE_MATCHES_PATTERN: TRY(op_matches(vm, test->pattern, text, &holds)); break;
    case PREDICATE_EQUALS: holds = str_equal(text, low); break;
    default: holds = is_in_order(test->basis, str_compare(text, low), str_compare(text, high)); break;
    }
    *ret_passes = holds != test->negated;
    return ST_OK;
}

static enum status value_passes(struct vm *vm, const struct predicate_test *test, const struct json *value,
                                bool *ret_passes)
{
    TRY(vm_spend(vm, 1));
    *ret_passes = false;
    if (test->basis == PREDICATE_IS_NULL) {
        *ret_passes = json_is(value, JSON_NULL) != test->negated;
        return ST_OK;
    }
    if (test->never) return ST_OK;
    if (test->instant) {
        *ret_passes = json_is(value, JSON_STRING) && instant_passes(test, json_string(value));
        return ST_OK;
    }
    switch (json_kind(value)) {
    case JSON_BOOL: *ret_passes = boolean_passes(test, json_bool(value)); return ST_OK;
    case JSON_NUMBER:
        TRY(vm_spend_scan(vm, json_bytes(value)));
        *ret_passes = number_passes(test, value);
        return ST_OK;
    case JSON_STRING: return text_passes(vm, test, json_string(value), ret_passes);
    default: return ST_OK;
    }
}

/* ---- the walk ---- */

struct predicate_walk {
    struct vm *vm;
    const struct predicate_test *test;
    int64_t skip;  /* Not negative: so many values are left out, and the one behind them is the only one. */
    bool definite; /* The path has no [*]. */
    bool passes, done;
};

static enum status walk_to(struct predicate_walk *walk, const struct json *value)
{
    if (!json_is(value, JSON_ARRAY)) {
        TRY(value_passes(walk->vm, walk->test, value, &walk->passes));
        walk->done |= walk->passes;
        return ST_OK;
    }
    struct json_each each = json_each(value);
    while (!walk->done && json_next(&each)) {
        TRY(vm_spend(walk->vm, 1));
        TRY(walk_to(walk, each.value));
    }
    return ST_OK;
}

/* The path has led to a value. An array without [*] gives an element; else the values count that [*] leads
 * to. */
static enum status walk_end(struct predicate_walk *walk, const struct json *value)
{
    if (walk->skip < 0) return walk_to(walk, value);
    if (walk->definite) value = json_is(value, JSON_ARRAY) ? json_item(value, (size_t)walk->skip) : NULL;
    else if (walk->skip-- > 0) return ST_OK;
    if (value) TRY(walk_to(walk, value));
    walk->done = true;
    return ST_OK;
}

const struct json *predicate_step_into(const struct json *value, const struct predicate_step *step)
{
    bool array = json_is(value, JSON_ARRAY);
    if (step->kind == PREDICATE_NAME || (step->kind == PREDICATE_NUMBER && !array))
        return json_get(value, step->name);
    if (!array) return NULL;
    int64_t count = (int64_t)json_count(value), index = step->index < 0 ? step->index + count : step->index;
    return index >= 0 && index < count ? json_item(value, (size_t)index) : NULL;
}

/* Goes on at a step. `ret_found` false: the path leads to nothing, not even to an empty array. */
static enum status walk_from(struct predicate_walk *walk, size_t at, const struct json *value,
                             bool *ret_found)
{
    const struct predicate_path *path = &walk->test->path;
    bool below;
    *ret_found = false;
    for (; at < path->count && path->step[at].kind != PREDICATE_ALL; at++) {
        TRY(vm_spend(walk->vm, 1));
        value = predicate_step_into(value, &path->step[at]);
        if (!value) return ST_OK;
    }
    if (at < path->count && !json_is(value, JSON_ARRAY)) return ST_OK;
    *ret_found = true;
    if (at == path->count) return walk_end(walk, value);
    struct json_each each = json_each(value);
    while (!walk->done && json_next(&each)) {
        TRY(vm_spend(walk->vm, 1));
        TRY(walk_from(walk, at + 1, each.value, &below));
    }
    return ST_OK;
}

static bool is_definite(const struct predicate_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->step[i].kind == PREDICATE_ALL) return false;
    return true;
}

enum status op_predicate(struct vm *vm, const struct predicate_test *test, const struct json *root,
                         bool *ret_value)
{
    struct predicate_walk walk = {
        .vm = vm, .test = test, .skip = test->element, .definite = is_definite(&test->path)
    };
    bool found;
    TRY(walk_from(&walk, 0, root, &found));
    *ret_value = found ? walk.passes : test->op == PREDICATE_IS_NULL;
    return ST_OK;
}
