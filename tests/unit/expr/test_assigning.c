/* Assignments to places in a value, and values that must be there. */
#include "expr/built.h"
#include "expr/limits.h"
#include "expr/template/template.h"

struct assigns {
    enum assign_op op;
    const char *base;
    const char *names; /* A JSON list. */
    const char *value;
    const char *want; /* A value or, with "!" before it, the message of a failure. */
};

static struct expr_tree *assignment(struct built *built, const struct assigns *row)
{
    const struct json *names = cases_data(row->names, &built->arena);
    str name[ASSIGN_STEPS_MAX];
    for (size_t i = 0; i < json_count(names); i++) name[i] = json_string(json_item(names, i));
    return tree_assign(row->op, built_literal(built, row->base), name, json_count(names),
                       built_literal(built, row->value), &built->arena);
}

static void places_are_assigned_to(void **state)
{
    (void)state;
    static const struct assigns rows[] = {
        { ASSIGN_SET, "{\"a\":1,\"b\":2}", "[\"a\"]", "[3]", "{\"a\":[3],\"b\":2}" },
        { ASSIGN_SET, "null", "[\"a\",\"b\"]", "1", "{\"a\":{\"b\":1}}" },
        { ASSIGN_SET, "{\"a\":null}", "[\"a\",\"b\"]", "null", "{\"a\":{\"b\":null}}" },
        { ASSIGN_SET, "5", "[]", "6", "6" },
        { ASSIGN_SET, "{\"a\":\"x\"}", "[\"a\",\"b\"]", "1", "!Set: \"a\" is a string, not a map" },
        { ASSIGN_SET, "[]", "[\"a\"]", "1", "!Set: \"a\" is a list, not a map" },
        { ASSIGN_MERGE, "{\"a\":{\"x\":1,\"y\":{\"z\":1}}}", "[\"a\"]", "{\"y\":{\"w\":2}}",
          "{\"a\":{\"x\":1,\"y\":{\"w\":2}}}" },
        { ASSIGN_MERGE, "{}", "[\"a\"]", "{\"y\":2}", "{\"a\":{\"y\":2}}" },
        { ASSIGN_MERGE, "{\"a\":[]}", "[\"a\"]", "{}", "!Merge: \"a\" is a list, not a map" },
        { ASSIGN_MERGE, "{\"a\":{}}", "[\"a\"]", "[]", "!Merge needs a map, not a list" },
        { ASSIGN_INCREMENT, "{\"n\":0.1}", "[\"n\"]", "0.2", "{\"n\":0.3}" },
        { ASSIGN_INCREMENT, "{}", "[\"n\"]", "-4", "{\"n\":-4}" },
        { ASSIGN_INCREMENT, "{\"n\":\"1\"}", "[\"n\"]", "1", "!Increment: \"n\" is a string, not a number" },
        { ASSIGN_INCREMENT, "{\"n\":1}", "[\"n\"]", "\"1\"", "!Increment needs a number, not a string" },
        { ASSIGN_APPEND, "{\"l\":[1]}", "[\"l\"]", "[2]", "{\"l\":[1,[2]]}" },
        { ASSIGN_APPEND, "{}", "[\"l\"]", "null", "{\"l\":[null]}" },
        { ASSIGN_APPEND, "{\"l\":{}}", "[\"l\"]", "1", "!Append: \"l\" is a map, not a list" },
        { ASSIGN_CLEAR, "{\"a\":1,\"b\":2}", "[\"a\"]", "null", "{\"b\":2}" },
        { ASSIGN_CLEAR, "{\"a\":{\"x\":1}}", "[\"a\",\"x\"]", "null", "{\"a\":{}}" },
        { ASSIGN_CLEAR, "{\"b\":2}", "[\"a\"]", "null", "{\"b\":2}" },
        { ASSIGN_CLEAR, "{\"b\":2}", "[\"a\",\"x\"]", "null", "{\"b\":2}" },
        { ASSIGN_CLEAR, "{\"b\":2}", "[\"b\",\"x\"]", "null", "!Clear: \"b\" is a number, not a map" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct built built;
        built_begin(&built, "{}");
        struct expr_tree *tree = assignment(&built, &rows[i]);
        const char *text = built_text(&built, tree);
        enum status status = built_run(&built, tree);
        if (rows[i].want[0] == '!') {
            if (status != ST_INVALID || strcmp(built.err.message, rows[i].want + 1) != 0)
                fail_msg("%s: %s", text, status == ST_OK ? built_printed(&built) : built.err.message);
        } else if (status != ST_OK || strcmp(built_printed(&built), rows[i].want) != 0) {
            fail_msg("%s: %s", text, status == ST_OK ? built_printed(&built) : built.err.message);
        }
        built_end(&built);
    }
}

/* An assignment copies what it changes: that is paid for, and bounded. */
static void assignments_are_paid_for(void **state)
{
    (void)state;
    static const str name[] = { STR_INIT("l") };
    struct built built;
    built_begin(&built, "{}");
    struct expr_tree *text = built_literal(&built, "\"0123456789abcdef0123456789abcdef\"");
    struct expr_tree *tree = built_literal(&built, "{}");
    for (size_t i = 0; i < 100; i++) tree = tree_assign(ASSIGN_APPEND, tree, name, 1, text, &built.arena);
    built.fuel = 300;
    assert_int_equal(built_run(&built, tree), ST_LIMIT);
    built_end(&built);
}

static void ranges_and_patterns_hold_or_fail(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{\"n\":5,\"t\":\"dev-17\",\"x\":null}");
    struct arena *arena = &built.arena;
    const struct json *one = cases_data("1", arena), *five = cases_data("5", arena);
    struct expr_tree *n = tree_variable(STR("n"), arena), *t = tree_variable(STR("t"), arena);
    built_expect(&built, tree_between(n, one, five, arena), "true");
    built_expect(&built, tree_between(n, NULL, one, arena), "false");
    built_expect(&built, tree_between(n, five, NULL, arena), "true");
    assert_int_equal(built_run(&built, tree_between(t, one, five, arena)), ST_INVALID);
    built_expect(&built, tree_matches(t, STR("^dev-[0-9]+$"), arena), "true");
    built_expect(&built, tree_matches(t, STR("^x"), arena), "false");
    built_expect(&built, tree_needed(n, STR("n"), arena), "5");
    struct expr_tree *missing = tree_needed(tree_variable_or_null(STR("x"), arena), STR("$.x"), arena);
    assert_int_equal(built_run(&built, missing), ST_INVALID);
    assert_string_equal(built.err.message, "\"$.x\" has no value");
    built_end(&built);
}

/* ---- conditions that need what they read ---- */

static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    (void)context;
    (void)path;
    (void)err;
    *ret_root = (struct template_root){ .name = STR("vars"), .member = path->name[0], .used = 1 };
    return ST_OK;
}

static void conditions_need_what_they_read(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *want;
    } rows[] = {
        { "\"a == 1\"", "true" },
        { "\"nil1 == 1\"", "!\"nil1\" has no value" },
        { "\"missing != 1\"", "!\"missing\" has no value" },
        { "\"o.x.y == 1\"", "!cannot read \"y\" of null" },
        { "\"o?.x?.y == nil\"", "true" },
        { "\"(missing ?? 3) == 3\"", "true" },
        { "\"a == 1 || missing == 1\"", "true" },
        { "\"any([1, 2], # == missing)\"", "!\"missing\" has no value" },
        { "{\"left\":\"{{ a }}\",\"op\":\"eq\",\"right\":1}", "true" },
        { "{\"left\":\"{{ missing }}\",\"op\":\"neq\",\"right\":1}", "!\"{{ missing }}\" has no value" },
        { "{\"left\":1,\"op\":\"eq\",\"right\":\"{{ missing }}\"}", "!\"{{ missing }}\" has no value" },
        { "{\"left\":\"{{ missing }}\",\"op\":\"is_true\"}", "!\"{{ missing }}\" has no value" },
        { "{\"left\":\"{{ missing }}\",\"op\":\"exists\"}", "false" },
        { "{\"left\":\"{{ missing }}\",\"op\":\"is_empty\"}", "true" },
        { "{\"left\":\"{{ missing | default(1) }}\",\"op\":\"eq\",\"right\":1}", "true" },
        { "{\"left\":\"{{ a }}\",\"op\":\"eq\",\"right\":null}", "false" },
        { "{\"not\":{\"any\":[\"missing == 1\"]}}", "!\"missing\" has no value" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct built built;
        built_begin(&built, "{\"vars\":{\"a\":1,\"nil1\":null,\"o\":{}}}");
        const struct template_roots roots = { .find = find_root, .needs_values = true };
        const struct expr *expr;
        const struct json *condition = cases_data(rows[i].condition, &built.arena);
        if (expr_structured(condition, true, &roots, &built.arena, &expr, &built.err) != ST_OK)
            fail_msg("%s: %s", rows[i].condition, built.err.message);
        enum status status = expr_eval(expr, &built.env, &built.fuel, &built.arena, &built.value, &built.err);
        const char *got =
            status == ST_OK ? built_printed(&built) : arena_printf(&built.arena, "!%s", built.err.message).p;
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %s, want %s", rows[i].condition, got, rows[i].want);
        /* Where a failure is taken for false, it is. */
        struct expr_tree *lenient = tree_nested(expr, NESTED_OR_FALSE, &built.arena);
        built_expect(&built, lenient, rows[i].want[0] == '!' ? "false" : rows[i].want);
        built_end(&built);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_assigned_to),
        cmocka_unit_test(assignments_are_paid_for),
        cmocka_unit_test(ranges_and_patterns_hold_or_fail),
        cmocka_unit_test(conditions_need_what_they_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
