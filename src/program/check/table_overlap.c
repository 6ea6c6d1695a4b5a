/* program/check/table_overlap.c — rules of a unique table that can hold at once.
 *
 * Two rules exclude each other if their ranges do on any one path. The path that keeps the most pairs apart
 * is swept: its ranges are sorted by where they begin, and each rule is compared only with those that begin
 * before it ends. The remaining pairs are compared on the other paths, as integers. A pair that survives gets
 * an example; without one nothing is said.
 */
#include "program/check/table_int.h"

#include <stdlib.h>

enum {
    OVERLAPS_SHOWN = 5, /* For one table. */
    EXAMPLE_WORK = 1000,
};

static const char unique_hint[] =
    "with hit policy U the instance fails when two rules hold; F takes the first";

/* ---- which path ---- */

static int compare_positions(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;
    return one < two ? -1 : one > two;
}

/* How many pairs of rules the path keeps apart. */
static uint64_t pairs_apart(const struct table *table, const struct table_path *path)
{
    struct arena *arena = table->check->arena;
    int32_t *low = arena_make_n(arena, int32_t, path->range_count);
    int32_t *high = arena_make_n(arena, int32_t, path->range_count);
    for (size_t i = 0; i < path->range_count; i++) {
        low[i] = path->range[i].low;
        high[i] = path->range[i].high;
    }
    qsort(low, path->range_count, sizeof *low, compare_positions);
    qsort(high, path->range_count, sizeof *high, compare_positions);
    uint64_t pairs = 0;
    size_t ended = 0;
    for (size_t i = 0; i < path->range_count; i++) {
        while (ended < path->range_count && high[ended] < low[i]) ended++;
        pairs += ended;
    }
    return pairs;
}

/* NODE_NONE: none keeps anything apart. */
static uint32_t best_path(const struct table *table)
{
    uint32_t best = NODE_NONE;
    uint64_t most = 0;
    for (uint32_t i = 0; i < table->path_count; i++) {
        if (table->path[i].range_count < 2) continue;
        uint64_t pairs = pairs_apart(table, &table->path[i]);
        if (pairs <= most) continue;
        most = pairs;
        best = i;
    }
    return best;
}

/* ---- two rules ---- */

static bool is_hole(const struct table_range *range, int32_t at)
{
    for (size_t i = 0; i < range->hole_count; i++)
        if (range->hole[i] == at) return true;
    return false;
}

/* Both are of one path. No two holes of a rule are the same, so this ends soon. */
static bool ranges_meet(const struct table_range *a, const struct table_range *b)
{
    int32_t low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high;
    int32_t at = low;
    while (at <= high && (is_hole(a, at) || is_hole(b, at))) at++;
    return at <= high;
}

static bool rules_meet(struct check *check, const struct table_rule *a, const struct table_rule *b)
{
    for (size_t i = 0, k = 0; i < a->range_count && k < b->range_count;) {
        check_work(check, 1 + a->range[i].hole_count + b->range[k].hole_count);
        if (a->range[i].path < b->range[k].path) i++;
        else if (a->range[i].path > b->range[k].path) k++;
        else if (!ranges_meet(&a->range[i++], &b->range[k++])) return false;
    }
    return true;
}

/* ---- an example ---- */

struct values {
    const struct json **value;
    size_t count;
};

static void add_value(struct values *values, const struct json *value)
{
    values->value[values->count++] = value;
}

static void add_calculated(struct check *check, struct values *values, enum json_operator op,
                           const struct json *a, const struct json *b)
{
    const struct json *value;
    if (json_calculate(op, a, b, check->arena, &value, NULL) == ST_OK) add_value(values, value);
}

/* Whole steps first: they make the better examples. The literals are in order. */
static void add_numbers_between(struct check *check, struct values *values, size_t count)
{
    const struct json *one = json_of_int(check->arena, 1), *two = json_of_int(check->arena, 2), *sum;
    for (size_t i = 0; i < count; i++) {
        add_calculated(check, values, JSON_PLUS, values->value[i], one);
        add_calculated(check, values, JSON_MINUS, values->value[i], one);
    }
    for (size_t i = 1; i < count; i++)
        if (json_calculate(JSON_PLUS, values->value[i - 1], values->value[i], check->arena, &sum, NULL) ==
            ST_OK)
            add_calculated(check, values, JSON_DIVIDED, sum, two);
}

/* The next text in byte order is the same with a NUL behind it; a letter reads better and lies
 * as close to it as anything an author would write. */
static void add_texts_between(struct check *check, struct values *values, size_t count)
{
    add_value(values, json_of_string(check->arena, STR("")));
    for (size_t i = 0; i < count; i++) {
        str next = arena_printf(check->arena, "%.*sa", STR_ARG(json_string(values->value[i])));
        add_value(values, json_of_string(check->arena, next));
    }
}

static int compare_literals(const void *a, const void *b)
{
    return check_table_compare(*(const struct json *const *)a, *(const struct json *const *)b);
}

/* Values on every side of the tests of one path, which are of one kind. */
static struct values values_to_try(struct check *check, const struct expr_test *const *test, size_t count)
{
    struct values values = { .value = arena_make_n(check->arena, const struct json *, 4 * count + 2) };
    for (size_t i = 0; i < count; i++) add_value(&values, test[i]->literal);
    qsort(values.value, count, sizeof *values.value, compare_literals);
    switch (json_kind(test[0]->literal)) {
    case JSON_NUMBER: add_numbers_between(check, &values, count); break;
    case JSON_STRING: add_texts_between(check, &values, count); break;
    default: add_value(&values, json_of_bool(true)); add_value(&values, json_of_bool(false));
    }
    return values;
}

/* Both are of one kind. */
static bool holds(const struct expr_test *test, const struct json *value)
{
    int order = check_table_compare(value, test->literal);
    switch (test->op) {
    case EXPR_TEST_EQ: return order == 0;
    case EXPR_TEST_NE: return order != 0;
    case EXPR_TEST_LT: return order < 0;
    case EXPR_TEST_LE: return order <= 0;
    case EXPR_TEST_GT: return order > 0;
    case EXPR_TEST_GE: return order >= 0;
    }
    return false;
}

static bool all_hold(const struct expr_test *const *test, size_t count, const struct json *value)
{
    for (size_t i = 0; i < count; i++)
        if (!holds(test[i], value)) return false;
    return true;
}

static size_t tests_of(const struct table_rule *rule, str path, const struct expr_test **ret_test)
{
    size_t count = 0;
    for (size_t i = 0; i < rule->test_count; i++)
        if (str_equal(rule->test[i].path, path)) ret_test[count++] = &rule->test[i];
    return count;
}

static bool add_example(struct check *check, const struct table_rule *a, const struct table_rule *b, str path,
                        struct buf *example)
{
    const struct expr_test **test =
        arena_make_n(check->arena, const struct expr_test *, a->test_count + b->test_count);
    size_t count = tests_of(a, path, test);
    count += tests_of(b, path, test + count);
    struct values values = values_to_try(check, test, count);
    for (size_t i = 0; i < values.count; i++) {
        if (!all_hold(test, count, values.value[i])) continue;
        check_table_print_input(example, path, values.value[i]);
        return true;
    }
    return false;
}

static bool tests_path(const struct table_rule *rule, uint32_t path)
{
    for (size_t i = 0; i < rule->range_count; i++)
        if (rule->range[i].path == path) return true;
    return false;
}

/* An input for which both hold, or false. */
static bool find_example(const struct table *table, const struct table_rule *a, const struct table_rule *b,
                         struct buf *example)
{
    for (uint32_t path = 0, i = 0; i < a->range_count + b->range_count; i++) {
        bool first = i < a->range_count;
        path = first ? a->range[i].path : b->range[i - a->range_count].path;
        if (!first && tests_path(a, path)) continue;
        if (!add_example(table->check, a, b, table->path[path].path, example)) return false;
    }
    return true;
}

/* ---- the sweep ---- */

struct swept {
    int32_t low, high;
    uint32_t rule;
};

struct overlap {
    uint32_t a, b;
    str example;
};

static int compare_swept(const void *a, const void *b)
{
    const struct swept *one = a, *two = b;
    if (one->low != two->low) return one->low < two->low ? -1 : 1;
    return one->rule < two->rule ? -1 : one->rule > two->rule;
}

static int compare_overlaps(const void *a, const void *b)
{
    const struct overlap *one = a, *two = b;
    if (one->a != two->a) return one->a < two->a ? -1 : 1;
    return one->b < two->b ? -1 : one->b > two->b;
}

static struct swept *line_up(const struct table *table, size_t *ret_count)
{
    uint32_t path = best_path(table);
    size_t count = 0;
    struct swept *swept = arena_make_n(table->check->arena, struct swept, table->rule_count);
    for (uint32_t i = 0; i < table->rule_count; i++) {
        const struct table_rule *rule = &table->rule[i];
        if (!table_rule_counts(rule)) continue;
        swept[count] = (struct swept){ .low = 0, .high = INT32_MAX, .rule = i };
        for (size_t k = 0; k < rule->range_count; k++) {
            if (rule->range[k].path != path) continue;
            swept[count].low = rule->range[k].low;
            swept[count].high = rule->range[k].high;
        }
        count++;
    }
    qsort(swept, count, sizeof *swept, compare_swept);
    *ret_count = count;
    return swept;
}

/* False when the list is full. */
static bool compare_pair(struct table *table, uint32_t one, uint32_t two, struct overlap *found,
                         size_t *count)
{
    struct check *check = table->check;
    uint32_t a = one < two ? one : two, b = one < two ? two : one;
    if (!rules_meet(check, &table->rule[a], &table->rule[b])) return true;
    struct buf example;
    buf_init(&example, check->arena);
    check_work(check, EXAMPLE_WORK);
    if (!find_example(table, &table->rule[a], &table->rule[b], &example)) return true;
    found[(*count)++] = (struct overlap){ a, b, example.n ? buf_str(&example) : STR("any input") };
    return *count < OVERLAPS_SHOWN;
}

/* False when it became too much work. */
static bool sweep(struct table *table, struct overlap *found, size_t *count)
{
    size_t swept_count;
    const struct swept *swept = line_up(table, &swept_count);
    for (size_t i = 0; i < swept_count; i++)
        for (size_t k = i + 1; k < swept_count && swept[k].low <= swept[i].high; k++) {
            if (!check_work(table->check, 1)) return false;
            if (!compare_pair(table, swept[i].rule, swept[k].rule, found, count)) return true;
        }
    return true;
}

void check_table_overlaps(struct table *table)
{
    struct check *check = table->check;
    const struct program_node *node = &check->program->node[table->index];
    struct overlap found[OVERLAPS_SHOWN];
    size_t count = 0;
    bool all = sweep(table, found, &count);
    qsort(found, count, sizeof *found, compare_overlaps);
    for (size_t i = 0; i < count; i++)
        problem_warning(check->problems, PROBLEM_TABLE_OVERLAP, node->pointer, unique_hint,
                        "%s: rules[%u] and rules[%u] can hold at once: %.*s",
                        check_label(check, table->index), found[i].a, found[i].b, STR_ARG(found[i].example));
    if (!all)
        problem_warning(check->problems, PROBLEM_TOO_LARGE, node->pointer, unique_hint,
                        "%s: too many rules to compare all of them with each other: some may overlap",
                        check_label(check, table->index));
}
