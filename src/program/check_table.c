/* program/check_table.c — decision tables: rules that overlap, inputs that no rule is for.
 *
 * A rule whose cells are nothing but `path op literal` tests is a set of points, and what
 * is true of such sets can be found by trying a few of them: the literals themselves, and
 * one value below, between and above them. Each is on one side of every test, and no test
 * can tell two values apart that lie between the same two literals. So trying them all
 * proves something, and whatever is found comes with an example.
 *
 * Rules with other cells are left alone: nothing is said about them, in either direction.
 */
#include "program/check_int.h"

enum {
    TESTS_MAX = 32,           /* Of one rule, and of one path in two rules. */
    PATHS_MAX = 16,           /* Different inputs of a table whose gaps are looked for. */
    TRIALS_MAX = 20000,       /* Combinations of inputs tried. */
    OVERLAPS_SHOWN = 5,       /* Of one table. */
    SEARCH_WORK = 1000,
};

struct rule_tests {
    const struct expr_test *test;
    size_t count;
    bool known;  /* The tests are all there is to the rule. */
    bool never;  /* A cell is constantly false. */
};

/* ---- reading rules ---- */

static void read_rule(struct check *check, const struct program_rule *rule, struct rule_tests *ret_tests)
{
    struct expr_test *test = arena_make_n(check->arena, struct expr_test, TESTS_MAX);
    *ret_tests = (struct rule_tests){ .test = test, .known = true };
    for (size_t i = 0; i < rule->cell_count; i++) {
        const struct json *constant;
        if (expr_is_constant(rule->cell[i].test, &constant) && json_is(constant, JSON_BOOL)) {
            if (!json_bool(constant)) ret_tests->never = true;
            continue;
        }
        size_t room = TESTS_MAX - ret_tests->count;
        size_t count = expr_tests(rule->cell[i].test, check->arena, test + ret_tests->count, room);
        if (count > room) { /* Also when it is SIZE_MAX: something other than tests. */
            ret_tests->known = false;
            return;
        }
        ret_tests->count += count;
    }
}

static struct rule_tests *read_rules(struct check *check, const struct program_node *node)
{
    struct rule_tests *tests = arena_make_n(check->arena, struct rule_tests, node->as.table.rule_count);
    for (size_t i = 0; i < node->as.table.rule_count; i++) read_rule(check, &node->as.table.rule[i], &tests[i]);
    return tests;
}

/* ---- one test, one value ---- */

static int compare(const struct json *a, const struct json *b)
{
    switch (json_kind(a)) {
    case JSON_NUMBER: return json_number_compare(a, b);
    case JSON_STRING: return str_compare(json_string(a), json_string(b));
    default: return (int)json_bool(a) - (int)json_bool(b);
    }
}

/* Both are of one kind. */
static bool holds(const struct expr_test *test, const struct json *value)
{
    int order = compare(value, test->literal);
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

static bool one_kind(const struct expr_test *const *test, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (json_kind(test[i]->literal) != json_kind(test[0]->literal)) return false;
    return true;
}

/* ---- values worth trying ---- */

struct values {
    const struct json **value;
    size_t count;
    size_t cap;
};

static void add_value(struct check *check, struct values *values, const struct json *value)
{
    for (size_t i = 0; i < values->count; i++)
        if (json_equal(values->value[i], value)) return;
    if (values->count == values->cap) {
        size_t cap = values->cap ? values->cap * 2 : 16;
        const struct json **grown = arena_make_n(check->arena, const struct json *, cap);
        if (values->count) memcpy(grown, values->value, values->count * sizeof(*grown));
        values->value = grown;
        values->cap = cap;
    }
    values->value[values->count++] = value;
}

static void add_calculated(struct check *check, struct values *values, enum json_operator op,
                           const struct json *a, const struct json *b)
{
    const struct json *value;
    if (json_calculate(op, a, b, check->arena, &value, NULL) == ST_OK) add_value(check, values, value);
}

static void sort_values(struct values *values)
{
    for (size_t i = 1; i < values->count; i++)
        for (size_t k = i; k > 0 && compare(values->value[k], values->value[k - 1]) < 0; k--) {
            const struct json *swap = values->value[k];
            values->value[k] = values->value[k - 1];
            values->value[k - 1] = swap;
        }
}

static void add_numbers_between(struct check *check, struct values *values)
{
    const struct json *one = json_of_int(check->arena, 1), *two = json_of_int(check->arena, 2);
    sort_values(values);
    size_t count = values->count;
    const struct json **literal = arena_make_n(check->arena, const struct json *, count);
    memcpy(literal, values->value, count * sizeof(*literal));
    /* Whole steps first: they make the better examples. */
    for (size_t i = 0; i < count; i++) {
        add_calculated(check, values, JSON_PLUS, literal[i], one);
        add_calculated(check, values, JSON_MINUS, literal[i], one);
    }
    for (size_t i = 1; i < count; i++) {
        const struct json *sum;
        if (json_calculate(JSON_PLUS, literal[i - 1], literal[i], check->arena, &sum, NULL) == ST_OK)
            add_calculated(check, values, JSON_DIVIDED, sum, two);
    }
}

static void add_texts_between(struct check *check, struct values *values)
{
    size_t count = values->count;
    add_value(check, values, json_of_string(check->arena, STR("")));
    /* The next text in byte order is the same with a NUL behind it; a letter reads better
     * and lies as close to it as anything an author would write. */
    for (size_t i = 0; i < count; i++) {
        str literal = json_string(values->value[i]);
        str next = arena_printf(check->arena, "%.*sa", STR_ARG(literal));
        add_value(check, values, json_of_string(check->arena, next));
    }
}

/* Values on every side of all tests of a path. The tests are of one kind. */
static struct values values_to_try(struct check *check, const struct expr_test *const *test, size_t count)
{
    struct values values = { 0 };
    for (size_t i = 0; i < count; i++) add_value(check, &values, test[i]->literal);
    switch (json_kind(test[0]->literal)) {
    case JSON_NUMBER: add_numbers_between(check, &values); break;
    case JSON_STRING: add_texts_between(check, &values); break;
    default:
        add_value(check, &values, json_of_bool(true));
        add_value(check, &values, json_of_bool(false));
    }
    return values;
}

static void print_input(struct buf *out, str path, const struct json *value)
{
    if (out->n) buf_add_str(out, STR(", "));
    buf_add_str(out, path);
    buf_add_str(out, STR(" = "));
    json_print(value, out);
}

/* ---- overlaps ---- */

/* A glance without allocation: do two tests of one path exclude each other? */
static bool exclude(const struct expr_test *a, const struct expr_test *b)
{
    if (json_kind(a->literal) != json_kind(b->literal)) return true;
    if (a->op == EXPR_TEST_EQ) return !holds(b, a->literal);
    if (b->op == EXPR_TEST_EQ) return !holds(a, b->literal);
    bool a_below = a->op == EXPR_TEST_LT || a->op == EXPR_TEST_LE;
    bool a_above = a->op == EXPR_TEST_GT || a->op == EXPR_TEST_GE;
    bool b_below = b->op == EXPR_TEST_LT || b->op == EXPR_TEST_LE;
    bool b_above = b->op == EXPR_TEST_GT || b->op == EXPR_TEST_GE;
    int order = compare(a->literal, b->literal);
    bool touch = a->op == EXPR_TEST_LE || a->op == EXPR_TEST_GE;
    touch = touch && (b->op == EXPR_TEST_LE || b->op == EXPR_TEST_GE);
    if (a_below && b_above) return touch ? order < 0 : order <= 0;
    if (a_above && b_below) return touch ? order > 0 : order >= 0;
    return false;
}

static bool exclude_at_a_glance(const struct rule_tests *a, const struct rule_tests *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (str_equal(a->test[i].path, b->test[k].path) && exclude(&a->test[i], &b->test[k])) return true;
    return false;
}

/* Tests of a path, of one rule or two. False if there are too many. */
static bool add_tests_of(const struct rule_tests *rule, str path, const struct expr_test **ret_test, size_t *count)
{
    for (size_t i = 0; i < rule->count; i++) {
        if (!str_equal(rule->test[i].path, path)) continue;
        if (*count == 2 * TESTS_MAX) return false;
        ret_test[(*count)++] = &rule->test[i];
    }
    return true;
}

static bool add_example(struct check *check, const struct rule_tests *a, const struct rule_tests *b, str path,
                        struct buf *example)
{
    const struct expr_test *test[2 * TESTS_MAX];
    size_t count = 0;
    if (!add_tests_of(a, path, test, &count) || !add_tests_of(b, path, test, &count)) return false;
    if (!one_kind(test, count)) return false;
    struct values values = values_to_try(check, test, count);
    for (size_t i = 0; i < values.count; i++) {
        if (!all_hold(test, count, values.value[i])) continue;
        print_input(example, path, values.value[i]);
        return true;
    }
    return false;
}

static bool tested_before(const struct expr_test *test, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(test[i].path, test[index].path)) return true;
    return false;
}

static bool tests_path(const struct rule_tests *rule, str path)
{
    for (size_t i = 0; i < rule->count; i++)
        if (str_equal(rule->test[i].path, path)) return true;
    return false;
}

/* An input for which both hold, or false. */
static bool overlap(struct check *check, const struct rule_tests *a, const struct rule_tests *b, struct buf *example)
{
    for (size_t i = 0; i < a->count; i++)
        if (!tested_before(a->test, i) && !add_example(check, a, b, a->test[i].path, example)) return false;
    for (size_t i = 0; i < b->count; i++)
        if (!tested_before(b->test, i) && !tests_path(a, b->test[i].path) &&
            !add_example(check, a, b, b->test[i].path, example))
            return false;
    return true;
}

static void find_overlaps(struct check *check, uint32_t index, const struct rule_tests *rule)
{
    const struct program_node *node = &check->program->node[index];
    size_t shown = 0;
    for (size_t i = 0; i < node->as.table.rule_count; i++) {
        if (!rule[i].known || rule[i].never) continue;
        for (size_t k = i + 1; k < node->as.table.rule_count; k++) {
            if (!rule[k].known || rule[k].never) continue;
            if (!check_work(check, 1 + rule[i].count * rule[k].count)) return;
            if (exclude_at_a_glance(&rule[i], &rule[k])) continue;
            struct buf example;
            buf_init(&example, check->arena);
            if (!check_work(check, SEARCH_WORK)) return;
            if (!overlap(check, &rule[i], &rule[k], &example)) continue;
            str at = example.n ? buf_str(&example) : STR("any input");
            problem_warning(check->problems, PROBLEM_TABLE_OVERLAP, node->pointer,
                            "with hit policy U the instance fails when two rules hold; F takes the first",
                            "%s: rules[%zu] and rules[%zu] can hold at once: %.*s", check_label(check, index), i, k,
                            STR_ARG(at));
            if (++shown == OVERLAPS_SHOWN) return;
        }
    }
}

/* ---- gaps ---- */

struct axis {
    str path;
    struct values values;
    size_t at; /* The value that is being tried. */
};

struct space {
    struct axis axis[PATHS_MAX];
    size_t count;
};

static size_t axis_of(const struct space *space, str path)
{
    size_t i = 0;
    while (i < space->count && !str_equal(space->axis[i].path, path)) i++;
    return i;
}

static bool is_equality(const struct expr_test *test)
{
    return test->op == EXPR_TEST_EQ || test->op == EXPR_TEST_NE;
}

static bool add_axis(struct check *check, struct space *space, const struct rule_tests *rule, size_t rule_count,
                     str path)
{
    if (space->count == PATHS_MAX) return false;
    struct buf tests;
    buf_init(&tests, check->arena);
    for (size_t i = 0; i < rule_count; i++)
        for (size_t k = 0; k < rule[i].count; k++) {
            const struct expr_test *test = &rule[i].test[k];
            if (!str_equal(test->path, path)) continue;
            /* Texts have no next value to try, so an order among them proves nothing. */
            if (json_is(test->literal, JSON_STRING) && !is_equality(test)) return false;
            buf_add(&tests, &test, sizeof test);
        }
    const struct expr_test *const *test = (const void *)tests.p;
    size_t count = tests.n / sizeof *test;
    if (!one_kind(test, count) || !check_work(check, count * count)) return false;
    space->axis[space->count++] = (struct axis){ .path = path, .values = values_to_try(check, test, count) };
    return true;
}

/* The inputs to try, or false if there are too many or they cannot be told. */
static bool span(struct check *check, struct space *space, const struct rule_tests *rule, size_t rule_count)
{
    for (size_t i = 0; i < rule_count; i++)
        for (size_t k = 0; k < rule[i].count; k++) {
            str path = rule[i].test[k].path;
            if (axis_of(space, path) == space->count && !add_axis(check, space, rule, rule_count, path))
                return false;
        }
    size_t trials = 1;
    for (size_t i = 0; i < space->count; i++) {
        trials *= space->axis[i].values.count;
        if (trials > TRIALS_MAX) return false;
    }
    return true;
}

static bool covers(const struct rule_tests *rule, const struct space *space)
{
    if (!rule->known || rule->never) return false;
    for (size_t i = 0; i < rule->count; i++) {
        const struct axis *axis = &space->axis[axis_of(space, rule->test[i].path)];
        if (!holds(&rule->test[i], axis->values.value[axis->at])) return false;
    }
    return true;
}

static bool next_trial(struct space *space)
{
    for (size_t i = 0; i < space->count; i++) {
        if (++space->axis[i].at < space->axis[i].values.count) return true;
        space->axis[i].at = 0;
    }
    return false;
}

enum gap { GAP_NONE, GAP_AT_INPUT, GAP_POSSIBLE };

static enum gap find_gap(struct check *check, struct space *space, const struct rule_tests *rule, size_t rule_count)
{
    bool all_known = true;
    for (size_t i = 0; i < rule_count; i++) {
        if (rule[i].known && !rule[i].never && rule[i].count == 0) return GAP_NONE;
        all_known &= rule[i].known;
    }
    if (!span(check, space, rule, rule_count)) return GAP_POSSIBLE;
    do {
        if (!check_work(check, rule_count)) return GAP_POSSIBLE;
        bool covered = false;
        for (size_t i = 0; i < rule_count && !covered; i++) covered = covers(&rule[i], space);
        if (!covered) return all_known && space->count ? GAP_AT_INPUT : GAP_POSSIBLE;
    } while (next_trial(space));
    return GAP_NONE;
}

static void report_gap(struct check *check, uint32_t index, const struct space *space, enum gap gap)
{
    const struct program_node *node = &check->program->node[index];
    static const char hint[] = "the instance fails when no rule holds; a last rule without conditions catches the rest";
    struct buf example;
    buf_init(&example, check->arena);
    if (gap == GAP_AT_INPUT) {
        for (size_t i = 0; i < space->count; i++)
            print_input(&example, space->axis[i].path, space->axis[i].values.value[space->axis[i].at]);
        problem_warning(check->problems, PROBLEM_TABLE_GAP, node->pointer, hint, "%s: no rule holds for %.*s",
                        check_label(check, index), STR_ARG(buf_str(&example)));
    } else {
        problem_warning(check->problems, PROBLEM_TABLE_GAP, node->pointer, hint,
                        "%s: there is no rule that always holds, and the others may leave gaps",
                        check_label(check, index));
    }
}

void check_tables(struct check *check)
{
    for (uint32_t i = 0; i < check->program->node_count; i++) {
        const struct program_node *node = &check->program->node[i];
        if (node->kind != NODE_TABLE) continue;
        const struct rule_tests *rule = read_rules(check, node);
        if (node->as.table.policy == HIT_UNIQUE) find_overlaps(check, i, rule);
        struct space *space = arena_make(check->arena, struct space);
        enum gap gap = find_gap(check, space, rule, node->as.table.rule_count);
        if (gap != GAP_NONE) report_gap(check, i, space, gap);
    }
}
