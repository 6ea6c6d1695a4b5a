/* program/check/table_read.c — from the cells of a table to ranges of positions.
 *
 * All tests of the table are sorted by path and literal once. Everything else is a walk
 * along the sorted list, so the cost is that of sorting.
 */
#include "program/check/table_int.h"
#include "program/limits.h"

#include <stdlib.h>

/* A test on its way: where it stands in the document, and where its literal lies. */
struct placed {
    const struct expr_test *test;
    uint32_t rule;
    uint32_t order;    /* Among all tests of the table, as the document has them. */
    int32_t at;        /* The literal's position … */
    int32_t low, high; /* … and those of its kind. */
};

int check_table_compare(const struct json *a, const struct json *b)
{
    switch (json_kind(a)) {
    case JSON_NUMBER: return json_number_compare(a, b);
    case JSON_STRING: return str_compare(json_string(a), json_string(b));
    default: return (int)json_bool(a) - (int)json_bool(b);
    }
}

void check_table_print_input(struct buf *out, str path, const struct json *value)
{
    if (out->n) buf_add_str(out, STR(", "));
    buf_add_str(out, path);
    buf_add_str(out, STR(" = "));
    json_print(value, out);
}

/* ---- reading rules ---- */

static void read_rule(struct check *check, const struct program_rule *rule, struct table_rule *ret_rule)
{
    struct expr_test test[CHECK_RULE_TESTS_MAX];
    size_t count = 0;
    *ret_rule = (struct table_rule){ .known = false };
    for (size_t i = 0; i < rule->cell_count; i++) {
        const struct json *constant;
        if (expr_is_constant(rule->cell[i].test, &constant) && json_is(constant, JSON_BOOL)) {
            if (!json_bool(constant)) ret_rule->never = true;
            continue;
        }
        size_t found =
            expr_tests(rule->cell[i].test, check->arena, test + count, CHECK_RULE_TESTS_MAX - count);
        if (found > CHECK_RULE_TESTS_MAX - count)
            return; /* Also when it is SIZE_MAX: something other than tests. */
        count += found;
    }
    struct expr_test *kept = arena_make_n(check->arena, struct expr_test, count);
    if (count) memcpy(kept, test, count * sizeof *kept);
    ret_rule->test = kept;
    ret_rule->test_count = count;
    ret_rule->known = true;
}

static struct placed *gather(const struct table *table, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < table->rule_count; i++) count += table->rule[i].test_count;
    struct placed *placed = arena_make_n(table->check->arena, struct placed, count);
    uint32_t order = 0;
    for (uint32_t i = 0; i < table->rule_count; i++)
        for (size_t k = 0; k < table->rule[i].test_count; k++, order++)
            placed[order] = (struct placed){ .test = &table->rule[i].test[k], .rule = i, .order = order };
    *ret_count = count;
    return placed;
}

/* ---- sorting ---- */

static int compare_placed(const void *a, const void *b)
{
    const struct placed *one = a, *two = b;
    int order = str_compare(one->test->path, two->test->path);
    if (order) return order;
    enum json_kind kind = json_kind(one->test->literal), other = json_kind(two->test->literal);
    if (kind != other) return kind < other ? -1 : 1;
    order = check_table_compare(one->test->literal, two->test->literal);
    if (order) return order;
    return one->order < two->order ? -1 : one->order > two->order;
}

/* A stretch of the sorted list: the tests of one path. */
struct group {
    struct placed *first;
    size_t count;
    uint32_t order; /* The order of its first test in the document. */
};

static int compare_groups(const void *a, const void *b)
{
    const struct group *one = a, *two = b;
    return one->order < two->order ? -1 : one->order > two->order;
}

static struct group *group_by_path(struct table *table, struct placed *placed, size_t count)
{
    qsort(placed, count, sizeof *placed, compare_placed);
    size_t groups = 0;
    for (size_t i = 0; i < count; i++)
        groups += !i || !str_equal(placed[i].test->path, placed[i - 1].test->path);
    struct group *group = arena_make_n(table->check->arena, struct group, groups);
    struct group *last = group - 1;
    for (size_t i = 0; i < count; i++) {
        if (!i || !str_equal(placed[i].test->path, placed[i - 1].test->path))
            *++last = (struct group){ .first = &placed[i], .order = placed[i].order };
        last->count++;
        if (placed[i].order < last->order) last->order = placed[i].order;
    }
    if (groups) qsort(group, groups, sizeof *group, compare_groups);
    table->path_count = groups;
    return group;
}

/* ---- positions ---- */

static bool is_equality(const struct expr_test *test)
{
    return test->op == EXPR_TEST_EQ || test->op == EXPR_TEST_NE;
}

/* Gives positions to the literals of one kind, which begin at `from`. Returns the position
 * behind them. */
static int32_t place_kind(struct table_path *path, struct placed *placed, size_t count, int32_t from)
{
    bool boolean = json_is(placed[0].test->literal, JSON_BOOL);
    int32_t at = from;
    for (size_t i = 0; i < count; i++) {
        const struct json *literal = placed[i].test->literal;
        if (boolean) {
            placed[i].at = from + json_bool(literal);
            continue;
        }
        if (!i || check_table_compare(literal, placed[i - 1].test->literal) != 0) {
            at = i ? at + 2 : from + 1;
            path->literal[path->literal_count++] = literal;
        }
        placed[i].at = at;
        if (json_is(literal, JSON_STRING) && !is_equality(placed[i].test)) path->text_order = true;
    }
    int32_t end = boolean ? from + 2 : at + 2;
    for (size_t i = 0; i < count; i++) {
        placed[i].low = from;
        placed[i].high = end - 1;
    }
    return end;
}

static void place_literals(struct table *table, struct table_path *path, const struct group *group)
{
    size_t from = 0;
    path->path = group->first->test->path;
    path->literal = arena_make_n(table->check->arena, const struct json *, group->count + 2);
    while (from < group->count) {
        size_t to = from;
        enum json_kind kind = json_kind(group->first[from].test->literal);
        while (to < group->count && json_kind(group->first[to].test->literal) == kind) to++;
        if (kind == JSON_BOOL) {
            path->literal[path->literal_count++] = json_of_bool(false);
            path->literal[path->literal_count++] = json_of_bool(true);
        }
        path->end = place_kind(path, group->first + from, to - from, path->end);
        path->mixed |= from > 0;
        from = to;
    }
}

/* ---- ranges ---- */

static int compare_rules(const void *a, const void *b)
{
    const struct placed *one = a, *two = b;
    if (one->rule != two->rule) return one->rule < two->rule ? -1 : 1;
    return one->at < two->at ? -1 : one->at > two->at;
}

static void narrow(struct table_range *range, const struct placed *placed, int32_t *hole)
{
    int32_t low = placed->low, high = placed->high;
    switch (placed->test->op) {
    case EXPR_TEST_EQ: low = high = placed->at; break;
    case EXPR_TEST_NE: hole[range->hole_count++] = placed->at; break;
    case EXPR_TEST_LT: high = placed->at - 1; break;
    case EXPR_TEST_LE: high = placed->at; break;
    case EXPR_TEST_GT: low = placed->at + 1; break;
    case EXPR_TEST_GE: low = placed->at; break;
    }
    if (low > range->low) range->low = low;
    if (high < range->high) range->high = high;
}

/* The tests of one rule on one path as a range; how many there are. A rule with an empty one never
 * holds. */
static size_t read_range(struct table *table, const struct placed *placed, size_t count,
                         struct table_range *range)
{
    size_t n = 1;
    while (n < count && placed[n].rule == placed->rule) n++;
    int32_t *hole = arena_alloc(table->check->arena, n * sizeof *hole);
    range->rule = placed->rule;
    range->low = 0;
    range->high = INT32_MAX;
    range->hole = hole;
    for (size_t i = 0; i < n; i++) narrow(range, &placed[i], hole);
    if (range->low > range->high) table->rule[placed->rule].never = true;
    return n;
}

static void read_ranges(struct table *table, uint32_t number, struct group *group)
{
    struct table_path *path = &table->path[number];
    struct table_range *range = arena_make_n(table->check->arena, struct table_range, group->count);
    qsort(group->first, group->count, sizeof *group->first, compare_rules);
    for (size_t i = 0; i < group->count;) {
        range[path->range_count].path = number;
        i += read_range(table, group->first + i, group->count - i, &range[path->range_count++]);
    }
    path->range = range;
}

/* Paths have their ranges; rules get theirs. */
static void share_ranges(struct table *table)
{
    struct arena *arena = table->check->arena;
    for (size_t i = 0; i < table->rule_count; i++)
        table->rule[i].range = arena_make_n(arena, struct table_range, table->rule[i].test_count);
    for (size_t p = 0; p < table->path_count; p++)
        for (size_t i = 0; i < table->path[p].range_count; i++) {
            struct table_rule *rule = &table->rule[table->path[p].range[i].rule];
            rule->range[rule->range_count++] = table->path[p].range[i];
        }
}

void check_table_read(struct table *table, struct check *check, uint32_t index)
{
    const struct program_node *node = &check->program->node[index];
    *table = (struct table){ .check = check, .index = index, .rule_count = node->as.table.rule_count };
    table->rule = arena_make_n(check->arena, struct table_rule, table->rule_count);
    for (size_t i = 0; i < table->rule_count; i++) read_rule(check, &node->as.table.rule[i], &table->rule[i]);
    size_t count;
    struct placed *placed = gather(table, &count);
    if (!count) return;
    struct group *group = group_by_path(table, placed, count);
    table->path = arena_make_n(check->arena, struct table_path, table->path_count);
    for (uint32_t i = 0; i < table->path_count; i++) {
        place_literals(table, &table->path[i], &group[i]);
        read_ranges(table, i, &group[i]);
    }
    share_ranges(table);
}
