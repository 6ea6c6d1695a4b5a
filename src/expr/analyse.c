/* expr/analyse.c — tells without running what an expression tests, compares and reads. */
#include "expr/tree_int.h"

/* The path "a.b.c" of a variable and members reached by plain dots, or false. */
static bool read_path(const struct expr_tree *node, struct arena *arena, str *ret_path)
{
    if (node->kind == TREE_VARIABLE) {
        *ret_path = json_string(node->value);
        return true;
    }
    if (node->kind != TREE_PATH || node->first->kind != TREE_VARIABLE) return false;
    struct buf path;
    buf_init(&path, arena);
    buf_add_str(&path, json_string(node->first->value));
    for (const struct expr_tree *step = node->first->next; step; step = step->next) {
        if (step->kind != TREE_MEMBER || step->optional) return false;
        buf_add_char(&path, '.');
        buf_add_str(&path, json_string(step->value));
    }
    *ret_path = buf_str(&path);
    return true;
}

static bool is_scalar(const struct expr_tree *node)
{
    return node->kind == TREE_LITERAL &&
           (json_is(node->value, JSON_NUMBER) || json_is(node->value, JSON_STRING) ||
            json_is(node->value, JSON_BOOL));
}

static const struct {
    enum opcode op;
    enum expr_test_op test, mirrored;
} test_ops[] = {
    { OP_EQUAL, EXPR_TEST_EQ, EXPR_TEST_EQ },   { OP_NOT_EQUAL, EXPR_TEST_NE, EXPR_TEST_NE },
    { OP_LESS, EXPR_TEST_LT, EXPR_TEST_GT },    { OP_LESS_EQUAL, EXPR_TEST_LE, EXPR_TEST_GE },
    { OP_GREATER, EXPR_TEST_GT, EXPR_TEST_LT }, { OP_GREATER_EQUAL, EXPR_TEST_GE, EXPR_TEST_LE },
};

static bool read_test(const struct expr_tree *node, struct arena *arena, struct expr_test *ret_test)
{
    if (node->kind != TREE_BINARY || node->first->next->next) return false;
    const struct expr_tree *left = node->first;
    const struct expr_tree *right = left->next;
    size_t i = 0;
    while (i < COUNT(test_ops) && test_ops[i].op != right->join) i++;
    if (i == COUNT(test_ops) || right->join_not) return false;
    bool mirrored = is_scalar(left);
    const struct expr_tree *literal = mirrored ? left : right;
    if (!is_scalar(literal) || !read_path(mirrored ? right : left, arena, &ret_test->path)) return false;
    ret_test->op = mirrored ? test_ops[i].mirrored : test_ops[i].test;
    ret_test->literal = literal->value;
    return true;
}

struct tests_found {
    struct expr_test *test;
    size_t count;
    size_t max;
};

static bool read_tests(const struct expr_tree *node, struct arena *arena, struct tests_found *found)
{
    if (node->kind == TREE_AND) {
        for (const struct expr_tree *child = node->first; child; child = child->next)
            if (!read_tests(child, arena, found)) return false;
        return true;
    }
    struct expr_test test;
    if (!read_test(node, arena, &test)) return false;
    if (found->count < found->max) found->test[found->count] = test;
    found->count++;
    return true;
}

size_t expr_tests(const struct expr *expr, struct arena *arena, struct expr_test *ret_tests, size_t max)
{
    struct tests_found found = { .test = ret_tests, .max = max };
    return read_tests(expr->root, arena, &found) ? found.count : SIZE_MAX;
}

/* ---- comparisons anywhere ---- */

static void found_add(struct tests_found *found, struct expr_test test)
{
    if (found->count < found->max) found->test[found->count] = test;
    found->count++;
}

static bool is_plain(const struct json *value)
{
    return json_is(value, JSON_NUMBER) || json_is(value, JSON_STRING) || json_is(value, JSON_BOOL);
}

/* `path in [1, 2]` */
static void read_membership(const struct expr_tree *node, struct arena *arena, struct tests_found *found)
{
    if (node->kind != TREE_BINARY || node->first->next->next || node->first->next->join != OP_IN) return;
    const struct expr_tree *list = node->first->next;
    str path;
    if (!read_path(node->first, arena, &path)) return;
    if (list->kind == TREE_LITERAL && json_is(list->value, JSON_ARRAY)) {
        struct json_each each = json_each(list->value);
        while (json_next(&each))
            if (is_plain(each.value)) found_add(found, (struct expr_test){ path, EXPR_TEST_EQ, each.value });
    }
    for (const struct expr_tree *item = list->first; list->kind == TREE_LIST && item; item = item->next)
        if (is_scalar(item)) found_add(found, (struct expr_test){ path, EXPR_TEST_EQ, item->value });
}

static bool asks_for_truth(const struct expr_tree *node, const struct expr_tree *child)
{
    return node->kind == TREE_AND || node->kind == TREE_OR ||
           (node->kind == TREE_UNARY && node->op == OP_NOT) ||
           (node->kind == TREE_CONDITION && child == node->first);
}

/* Trees are EXPRESSION_DEPTH_MAX deep at most. */
static void read_comparisons(const struct expr_tree *node, bool truth, struct arena *arena,
                             struct tests_found *found)
{
    struct expr_test test;
    if (read_test(node, arena, &test)) {
        found_add(found, test);
        return;
    }
    if (truth && read_path(node, arena, &test.path)) {
        found_add(found, (struct expr_test){ test.path, EXPR_TEST_EQ, json_of_bool(true) });
        return;
    }
    read_membership(node, arena, found);
    if (node->kind == TREE_NESTED) read_comparisons(node->nested->root, truth, arena, found);
    for (const struct expr_tree *child = node->first; child; child = child->next)
        read_comparisons(child, asks_for_truth(node, child), arena, found);
}

size_t expr_comparisons(const struct expr *expr, struct arena *arena, struct expr_test *ret_tests, size_t max)
{
    struct tests_found found = { .test = ret_tests, .max = max };
    read_comparisons(expr->root, true, arena, &found);
    return found.count;
}

struct variables {
    str *name;
    size_t count, max;
    bool all; /* The data as a whole. */
};

/* Trees are EXPRESSION_DEPTH_MAX deep at most. */
static void read_variables(const struct expr_tree *node, struct variables *variables)
{
    if (node->kind == TREE_DATA) variables->all = true;
    if (node->kind == TREE_VARIABLE) {
        if (variables->count < variables->max) variables->name[variables->count] = json_string(node->value);
        variables->count++;
    }
    if (node->kind == TREE_NESTED) read_variables(node->nested->root, variables);
    for (const struct expr_tree *child = node->first; child; child = child->next)
        read_variables(child, variables);
}

size_t expr_variables(const struct expr *expr, str *ret_names, size_t max)
{
    struct variables variables = { .name = ret_names, .max = max };
    read_variables(expr->root, &variables);
    return variables.all ? 0 : variables.count;
}

bool expr_is_constant(const struct expr *expr, const struct json **ret_value)
{
    if (expr->root->kind != TREE_LITERAL) return false;
    *ret_value = expr->root->value;
    return true;
}
