#include "expr/built.h"

/* ---- values ---- */

static void locals_come_before_the_data(void **state)
{
    (void)state;
    static const struct {
        const char *data, *name, *want;
    } cases[] = {
        { "{\"a\":1,\"b\":2}", "a", "1" },
        { "{\"a\":1,\"b\":2}", "b", "\"local\"" },
        { "[1]", "b", "\"local\"" },
        { "null", "c", "null" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].data);
        const struct expr_local locals[] = {
            { STR("b"), cases_data("\"local\"", &built.arena) },
            { STR("c"), json_null() },
            { STR("d"), NULL },
        };
        built.env.local = locals;
        built.env.local_count = COUNT(locals);
        built_expect(&built, tree_variable(str_of(cases[i].name), &built.arena), cases[i].want);
        built_end(&built);
    }
}

static void names_that_the_data_lacks_are_looked_up_outward(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } cases[] = {
        { "item", "1" },         { "index", "null" }, { "nodes.a", "\"near\"" },
        { "vars", "{\"x\":5}" }, { "here", "true" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, "{\"item\":1,\"index\":null}");
        const struct expr_local local = { STR("here"), json_of_bool(true) };
        const struct json *const around[] = {
            cases_data("{\"item\":2,\"nodes.a\":\"near\"}", &built.arena),
            cases_data("{\"nodes.a\":\"far\",\"vars\":{\"x\":5},\"here\":false}", &built.arena),
        };
        built.env.local = &local;
        built.env.local_count = 1;
        built.env.around = around;
        built.env.around_count = COUNT(around);
        built_expect(&built, tree_variable(str_of(cases[i].name), &built.arena), cases[i].want);
        assert_int_equal(built_run(&built, tree_variable(STR("nowhere"), &built.arena)), ST_INVALID);
        assert_string_equal(built.err.message, "undefined variable \"nowhere\"");
        built_end(&built);
    }
}

static void a_variable_that_is_nowhere_is_a_failure_without_a_place(void **state)
{
    (void)state;
    static const char *const data[] = { "{\"b\":1}", "[1]", "5", "null" };
    for (size_t i = 0; i < COUNT(data); i++) {
        struct built built;
        built_begin(&built, data[i]);
        assert_int_equal(built_run(&built, tree_variable(STR("a"), &built.arena)), ST_INVALID);
        assert_string_equal(built.err.message, "undefined variable \"a\"");
        assert_string_equal(built.err.where, "");
        assert_int_equal(built.err.line, 0);
        built_end(&built);
    }
}

static void text_sees_locals_too_and_data_of_any_kind(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "[1,2]");
    const struct expr_local local = { STR("x"), cases_data("5", &built.arena) };
    built.env.local = &local;
    built.env.local_count = 1;
    const struct expr *expr;
    assert_int_equal(expr_compile(STR("x + len($env)"), &built.arena, &expr, &built.err), ST_OK);
    assert_int_equal(expr_eval(expr, &built.env, &built.fuel, &built.arena, &built.value, &built.err), ST_OK);
    assert_string_equal(built_printed(&built), "7");
    built_end(&built);
}

/* One tree of every kind, over {"a":{"b":[10,20]},"n":2,"t":true}. */
static struct expr_tree *plain_tree(struct built *built, size_t number)
{
    struct arena *arena = &built->arena;
    struct expr_tree *a = tree_variable(STR("a"), arena), *n = tree_variable(STR("n"), arena);
    struct expr_tree *t = tree_variable(STR("t"), arena), *b = tree_member(a, STR("b"), arena);
    struct expr_tree *f = built_literal(built, "false"), *one = built_literal(built, "1");
    struct expr_tree *const both[] = { t, f }, *const numbers[] = { one, n };
    static const str names[] = { STR_INIT("x"), STR_INIT("y z") };
    switch (number) {
    case 0: return built_literal(built, "{\"k\":[1.0,null]}");
    case 1: return tree_data(arena);
    case 2: return b;
    case 3: return tree_member(a, STR("odd name"), arena);
    case 4: return tree_member(n, STR("b"), arena);
    case 5: return tree_list(numbers, 2, arena);
    case 6: return tree_map(names, numbers, 2, arena);
    case 7: return tree_and(both, 2, arena);
    case 8: return tree_or(both, 2, arena);
    case 9: return tree_and(NULL, 0, arena);
    case 10: return tree_or(NULL, 0, arena);
    case 11: return tree_and(both, 1, arena);
    case 12: return tree_not(tree_or(both, 2, arena), arena);
    case 13: return tree_less(one, n, arena);
    case 14: return tree_plus(n, n, arena);
    case 15: return tree_length(b, arena);
    case 16: return tree_item(b, tree_plus(tree_literal(json_of_int(arena, -1), arena), n, arena), arena);
    case 17: return tree_equal(n, built_literal(built, "2.0"), arena);
    case 18: return tree_equal(n, built_literal(built, "\"2\""), arena);
    case 19: return tree_if(tree_less(one, n, arena), a, n, arena);
    case 20: return tree_if(f, a, tree_plus(n, one, arena), arena);
    case 21: return tree_is_object(a, arena);
    case 22: return tree_is_object(n, arena);
    case 23: return tree_list(NULL, 0, arena);
    case 24: return tree_less(n, one, arena);
    default: return NULL;
    }
}

static void parts_give_values_and_are_shown_as_text(void **state)
{
    (void)state;
    static const struct {
        const char *want, *text;
    } cases[] = {
        { "{\"k\":[1.0,null]}", "{\"k\":[1.0,null]}" },
        { "{\"a\":{\"b\":[10,20]},\"n\":2,\"t\":true}", "data" },
        { "[10,20]", "a.b" },
        { "null", "a[\"odd name\"]" },
        { "null", "n.b" },
        { "[1,2]", "[1, n]" },
        { "{\"x\":1,\"y z\":2}", "{\"x\": 1, \"y z\": n}" },
        { "false", "t and false" },
        { "true", "t or false" },
        { "true", "true" },
        { "false", "false" },
        { "true", "t" },
        { "false", "not (t or false)" },
        { "true", "1 < n" },
        { "4", "n + n" },
        { "2", "len(a.b)" },
        { "20", "a.b[-1 + n]" },
        { "true", "n == 2.0" },
        { "false", "n == \"2\"" },
        { "{\"b\":[10,20]}", "(1 < n) ? a : n" },
        { "3", "false ? a : (n + 1)" },
        { "true", "isObject(a)" },
        { "false", "isObject(n)" },
        { "[]", "[]" },
        { "false", "n < 1" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, "{\"a\":{\"b\":[10,20]},\"n\":2,\"t\":true}");
        struct expr_tree *tree = plain_tree(&built, i);
        assert_string_equal(built_text(&built, tree), cases[i].text);
        built_expect(&built, tree, cases[i].want);
        built_end(&built);
    }
}

static void a_tree_can_be_used_in_several_places(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{\"n\":2}");
    struct expr_tree *n = tree_variable(STR("n"), &built.arena);
    struct expr_tree *five = tree_plus(built_literal(&built, "2"), built_literal(&built, "3"), &built.arena);
    struct expr_tree *sum = tree_plus(n, five, &built.arena);
    struct expr_tree *const items[] = { n, sum, five, n, sum, n };
    struct expr_tree *list = tree_list(items, COUNT(items), &built.arena);
    struct expr_tree *const twice[] = { list, five, list };
    struct expr_tree *outer = tree_list(twice, COUNT(twice), &built.arena);
    for (size_t again = 0; again < 2; again++) {
        built_expect(&built, list, "[2,7,5,2,7,2]");
        built_expect(&built, outer, "[[2,7,5,2,7,2],5,[2,7,5,2,7,2]]");
        assert_string_equal(built_text(&built, sum), "n + (2 + 3)");
    }
    built_end(&built);
}

static void what_is_known_is_folded(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{}");
    struct expr_tree *two = built_literal(&built, "2");
    struct expr_tree *const items[] = { tree_plus(two, two, &built.arena), two };
    const struct json *constant;
    const struct expr *expr = expr_of_tree(tree_list(items, 2, &built.arena), &built.arena);
    assert_true(expr_is_constant(expr, &constant));
    assert_int_equal(json_count(constant), 2);
    built_end(&built);
}

static struct expr_tree *nested_lists(struct built *built, size_t levels)
{
    struct expr_tree *tree = built_literal(built, "[]");
    for (size_t i = 1; i < levels; i++) tree = tree_list(&tree, 1, &built->arena);
    return tree;
}

static void what_is_made_is_not_too_deep(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{}");
    assert_int_equal(built_run(&built, nested_lists(&built, JSON_DEPTH_MAX)), ST_OK);
    assert_int_equal(json_depth(built.value), JSON_DEPTH_MAX);
    assert_int_equal(built_run(&built, nested_lists(&built, JSON_DEPTH_MAX + 1)), ST_LIMIT);
    assert_string_equal(built.err.where, "");
    built_end(&built);
}

/* ---- paths ---- */

static const char *fruits(void) { return document("expr/build", "fruits"); }

static void a_path_is_used_in_four_ways(void **state)
{
    (void)state;
    const struct {
        enum path_use use;
        const char *path, *want;
    } cases[] = {
        { PATH_FILTER, "$", fruits() },
        { PATH_FILTER, "$.", fruits() },
        { PATH_FILTER, "$.list", "[1,2,3]" },
        { PATH_FILTER, "$.a.b", "null" }, /* A selection, not nothing. */
        { PATH_FILTER, "$.none", fruits() },
        { PATH_FILTER, "$.list[7]", fruits() },
        { PATH_FILTER, "$.fruits[*].n", "[\"x\",\"y\"]" },
        { PATH_FILTER, "$..none", "[]" }, /* The shape depends on the path, not on the data. */
        { PATH_FILTER, "$.fruits[?(@.n=='x')]", "[{\"n\":\"x\"}]" },
        { PATH_FILTER, "fruits[0].n", "\"x\"" },
        { PATH_PICK, "$", fruits() },
        { PATH_PICK, "$.s", "\"t\"" },
        { PATH_PICK, "$.none", "null" },
        { PATH_PICK, "$..none", "[]" },
        { PATH_NODES, "$.s", "[\"t\"]" },
        { PATH_NODES, "$.a.b", "[null]" },
        { PATH_NODES, "$.none", "[]" },
        { PATH_NODES, "$.list[*]", "[1,2,3]" },
        { PATH_NODES, "$.list", "[[1,2,3]]" },
        { PATH_ITEMS, "$.list", "[1,2,3]" },
        { PATH_ITEMS, "$.fruits[*].n", "[\"x\",\"y\"]" },
        { PATH_ITEMS, "$..none", "[]" },
        { PATH_ITEMS, "$.none", "!the path \"$.none\" selects nothing, where a list is needed" },
        { PATH_ITEMS, "$.s", "!the path \"$.s\" leads to a string, not to a list" },
        { PATH_ITEMS, "$.a.b", "!the path \"$.a.b\" leads to null, not to a list" },
        { PATH_ITEMS, "$", "!the path \"$\" leads to a map, not to a list" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, fruits());
        const struct jsonpath *path = built_path(&built, cases[i].path);
        built_expect(&built, tree_path(cases[i].use, path, tree_data(&built.arena), &built.arena),
                     cases[i].want);
        built_end(&built);
    }
}

static void a_strict_filter_must_select_something(void **state)
{
    (void)state;
    static const struct {
        enum path_use use;
        const char *path, *want;
    } cases[] = {
        { PATH_FILTER, "$.list", "[1,2,3]" },
        { PATH_FILTER, "$.a.b", "null" },
        { PATH_FILTER, "$..none", "[]" },
        { PATH_FILTER, "$.a['b c'].d", "!the path \"$.a['b c'].d\" selects nothing" },
        { PATH_PICK, "$.none", "null" },
        { PATH_NODES, "$.none", "[]" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, fruits());
        built.env.strict = true;
        const struct jsonpath *path = built_path(&built, cases[i].path);
        built_expect(&built, tree_path(cases[i].use, path, tree_data(&built.arena), &built.arena),
                     cases[i].want);
        built_end(&built);
    }
}

static void what_needs_no_copy_is_not_copied(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{\"a\":{\"b\":[1,2,3]}}");
    struct expr_tree *data = tree_data(&built.arena), *empty = built_literal(&built, "{}");
    const struct json *root = built.env.data;
    const struct jsonpath *a = built_path(&built, "$.a"), *none = built_path(&built, "$.none");
    assert_int_equal(built_run(&built, tree_path(PATH_FILTER, a, data, &built.arena)), ST_OK);
    assert_ptr_equal(built.value, json_get(root, STR("a")));
    assert_int_equal(built_run(&built, tree_path(PATH_FILTER, none, data, &built.arena)), ST_OK);
    assert_ptr_equal(built.value, root);
    assert_int_equal(built_run(&built, tree_combine(data, empty, &built.arena)), ST_OK);
    assert_ptr_equal(built.value, root);
    assert_int_equal(built_run(&built, tree_combine(empty, data, &built.arena)), ST_OK);
    assert_ptr_equal(built.value, root);
    assert_int_equal(built_run(&built, tree_fold(data, built_literal(&built, "[]"), &built.arena)), ST_OK);
    assert_ptr_equal(built.value, root);
    assert_ptr_equal(tree_place(empty, built_path(&built, "$"), data, &built.arena), data);
    built_end(&built);
}

static void a_value_is_placed_in_a_copy(void **state)
{
    (void)state;
    static const struct {
        const char *base, *path, *value, *want;
    } cases[] = {
        { "{\"a\":1}", "$", "5", "5" },
        { "{\"a\":1}", "$.b", "[2]", "{\"a\":1,\"b\":[2]}" },
        { "{\"a\":1}", "$.a", "2", "{\"a\":2}" },
        { "{\"a\":1}", "$.x.y", "2", "{\"a\":1,\"x\":{\"y\":2}}" },
        { "null", "$.x.y", "2", "{\"x\":{\"y\":2}}" },
        { "\"text\"", "$.x", "2", "{\"x\":2}" },
        { "{\"x\":null}", "$.x.y", "2", "{\"x\":{\"y\":2}}" },
        { "{\"x\":[1,2]}", "$.x[1]", "9", "{\"x\":[1,9]}" },
        { "{\"x\":[1,2]}", "$.x.y", "9",
          "!no value can be put at \"$.x.y\": cannot set a member of what is array, at /x" },
        { "{\"x\":5}", "$.x.y", "9",
          "!no value can be put at \"$.x.y\": cannot set a member of what is number, at /x" },
        { "[1]", "$.y", "9", "!no value can be put at \"$.y\": cannot set a member of what is array" },
        { "{\"x\":[1]}", "$.x[1]", "9",
          "!no value can be put at \"$.x[1]\": the array has no element 1, at /x" },
        { "{}", "$..y", "9",
          "!no value can be put at \"$..y\": only a path of names and indices says where a value goes" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].base);
        const struct jsonpath *path = built_path(&built, cases[i].path);
        struct expr_tree *value = built_literal(&built, cases[i].value);
        built_expect(&built, tree_place(tree_data(&built.arena), path, value, &built.arena), cases[i].want);
        built_end(&built);
    }
}

/* ---- merging ---- */

static void objects_are_combined_deeply(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *want;
    } cases[] = {
        { "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}" },
        { "{\"a\":{\"x\":1,\"y\":1}}", "{\"a\":{\"y\":2,\"z\":3}}", "{\"a\":{\"x\":1,\"y\":2,\"z\":3}}" },
        { "{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}" },
        { "{\"a\":{\"x\":1}}", "{\"a\":null}", "{\"a\":null}" },
        { "{\"a\":\"Hello\"}", "{\"a\":\" World!\"}", "{\"a\":\" World!\"}" },
        { "{}", "{\"a\":1}", "{\"a\":1}" },
        { "{\"a\":1}", "{}", "{\"a\":1}" },
        { "{\"a\":1}", "[1]", "[1]" },
        { "{\"a\":1}", "null", "null" },
        { "5", "{\"a\":1}", "{\"a\":1}" },
        { "[1]", "[2]", "[2]" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].a);
        struct expr_tree *b = built_literal(&built, cases[i].b);
        built_expect(&built, tree_combine(tree_data(&built.arena), b, &built.arena), cases[i].want);
        built_end(&built);
    }
}

static void an_unchanged_copy_does_not_undo_a_change(void **state)
{
    (void)state;
    static const struct {
        const char *base, *list, *want;
    } cases[] = {
        { "{\"a\":1}", "[]", "{\"a\":1}" },
        { "{\"a\":1}", "[{}]", "{\"a\":1}" },
        { "{\"a\":1}", "[{\"b\":2},{\"c\":3}]", "{\"a\":1,\"b\":2,\"c\":3}" },
        { "{\"a\":1}", "[{\"a\":2},{\"a\":1}]", "{\"a\":2}" },
        { "{\"a\":1}", "[{\"a\":2},{\"a\":3}]", "{\"a\":3}" },
        { "{\"a\":1}", "[{\"a\":2},{\"a\":1.0}]", "{\"a\":2}" },
        { "{\"a\":1}", "[{\"a\":1.0}]", "{\"a\":1}" },
        { "{\"a\":{\"x\":1,\"y\":1}}", "[{\"a\":{\"x\":2,\"y\":1}},{\"a\":{\"x\":1,\"y\":3}}]",
          "{\"a\":{\"x\":2,\"y\":3}}" },
        { "{\"a\":[1]}", "[{\"a\":[1,2]},{\"a\":[1]}]", "{\"a\":[1,2]}" },
        { "{\"a\":{\"x\":1}}", "[{\"a\":5},{\"a\":{\"x\":1}}]", "{\"a\":5}" },
        { "{\"a\":{\"x\":1}}", "[{\"a\":5},{\"a\":{\"x\":1,\"y\":2}}]", "{\"a\":{\"x\":1,\"y\":2}}" },
        { "{\"a\":{\"x\":1}}", "[{\"a\":{\"x\":1,\"n\":{\"p\":1}}},{\"a\":{\"x\":1,\"n\":{\"q\":2}}}]",
          "{\"a\":{\"x\":1,\"n\":{\"p\":1,\"q\":2}}}" },
        { "{\"a\":{\"x\":1}}", "[{\"a\":{}}]", "{\"a\":{\"x\":1}}" }, /* Merging takes nothing away. */
        { "{\"a\":{\"x\":1}}", "[{\"a\":5},{\"a\":{\"b\":2}},{\"a\":{\"x\":1,\"c\":3}}]",
          "{\"a\":{\"b\":2,\"c\":3}}" },
        { "{\"a\":5}", "[{\"a\":{\"x\":1}},{\"a\":{\"y\":2}}]", "{\"a\":{\"x\":1,\"y\":2}}" },
        { "{\"a\":null}", "[{\"a\":1},{\"a\":null}]", "{\"a\":1}" },
        { "5", "[]", "5" },
        { "5", "[{\"a\":1},{\"b\":2}]", "{\"a\":1,\"b\":2}" },
        { "{}", "[{\"a\":1},5]",
          "!only a map can be merged into the data, not a number; a result path says where anything else "
          "goes" },
        { "{}", "[null]",
          "!only a map can be merged into the data, not null; a result path says where anything else goes" },
        { "{}", "{\"a\":1}", "!only a list can be folded, not a map" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].base);
        struct expr_tree *list = built_literal(&built, cases[i].list);
        built_expect(&built, tree_fold(tree_data(&built.arena), list, &built.arena), cases[i].want);
        built_end(&built);
    }
}

static void outputs_are_wrapped_for_folding(void **state)
{
    (void)state;
    static const struct {
        const char *outputs, *want;
    } cases[] = {
        { "{}", "[]" },
        { "{\"b\":{\"x\":1},\"a\":5,\"c\":null,\"d\":[1]}",
          "[{\"x\":1},{\"a\":5},{\"c\":null},{\"d\":[1]}]" },
        { "{\"b\":{}}", "[{}]" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].outputs);
        struct expr_tree *tree = tree_wrapped(tree_data(&built.arena), &built.arena);
        assert_string_equal(built_text(&built, tree), "wrapped(data)");
        built_expect(&built, tree, cases[i].want);
        built_end(&built);
    }
    struct built built;
    built_begin(&built, "[1]");
    assert_int_equal(built_run(&built, tree_wrapped(tree_data(&built.arena), &built.arena)), ST_INVALID);
    assert_string_equal(built.err.message, "only a map has members to be wrapped, not a list");
    assert_string_equal(built.err.where, "");
    built_end(&built);
}

static void items_are_collected_behind_those_there(void **state)
{
    (void)state;
    static const struct {
        const char *base, *path, *list, *want;
    } cases[] = {
        { "{}", "$.out", "[1,2]", "{\"out\":[1,2]}" },
        { "{}", "$.out", "[]", "{\"out\":[]}" },
        { "{}", "$.x.out", "[1]", "{\"x\":{\"out\":[1]}}" },
        { "{\"out\":[0]}", "$.out", "[1,2]", "{\"out\":[0,1,2]}" },
        { "{\"out\":[0]}", "$.out", "[]", "{\"out\":[0]}" },
        { "{\"out\":[0]}", "$.out", "[[1]]", "{\"out\":[0,[1]]}" },
        { "{\"out\":5}", "$.out", "[1]", "!the path \"$.out\" leads to a number, where a list is needed" },
        { "{\"out\":null}", "$.out", "[1]", "!the path \"$.out\" leads to null, where a list is needed" },
        { "{\"a\":5}", "$.a.out", "[1]",
          "!no value can be put at \"$.a.out\": cannot set a member of what is number, at /a" },
        { "{}", "$.out", "5", "!only a list can be collected, not a number" },
        { "{}", "$.*", "[5]", "!the path \"$[*]\" is not definite, so it names no list" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].base);
        const struct jsonpath *path = built_path(&built, cases[i].path);
        struct expr_tree *list = built_literal(&built, cases[i].list);
        built_expect(&built, tree_collect(tree_data(&built.arena), path, list, &built.arena), cases[i].want);
        built_end(&built);
    }
}

#define EVENT(trigger, rest) \
    "{\"trigger\":\"" trigger "\",\"event\":{\"id\":\"1\",\"subject\":\"abc\"" rest "}}"

static void events_bring_their_data(void **state)
{
    (void)state;
    static const struct {
        const char *base, *events, *take, *put, *want;
        bool strict;
    } cases[] = {
        { "{\"a\":1}", "[]", NULL, NULL, "{\"a\":1}" },
        { "{\"a\":1}", "[" EVENT("e1", ",\"data\":{\"b\":2}") "]", NULL, NULL, "{\"a\":1,\"b\":2}" },
        { "{\"a\":{\"x\":1}}", "[" EVENT("e1", ",\"data\":{\"a\":{\"y\":2}}") "]", NULL, NULL,
          "{\"a\":{\"x\":1,\"y\":2}}" },
        { "{}", "[" EVENT("e1", ",\"data\":5") "]", NULL, NULL, "{\"e1\":5}" },
        { "{\"e1\":1}", "[" EVENT("e1", ",\"data\":null") "]", NULL, NULL, "{\"e1\":null}" },
        { "{}", "[" EVENT("e1", ",\"data\":[1]") "]", NULL, "$.x.y", "{\"x\":{\"y\":[1]}}" },
        { "{\"a\":1}", "[" EVENT("e1", ",\"data\":{\"b\":2}") "]", NULL, "$", "{\"b\":2}" },
        { "{\"a\":1}", "[" EVENT("e1", "") "]", NULL, NULL, "{\"a\":1}" },
        { "{\"a\":1}", "[" EVENT("e1", "") "]", NULL, "$.x", "{\"a\":1}" },
        /* Later ones win. */
        { "{}", "[" EVENT("e3", ",\"data\":{\"v\":3}") "," EVENT("e1", ",\"data\":{\"v\":1}") "]", NULL, NULL,
          "{\"v\":1}" },
        { "{}", "[" EVENT("e3", ",\"data\":3") "," EVENT("e1", ",\"data\":1") "]", NULL, NULL,
          "{\"e3\":3,\"e1\":1}" },
        /* The data first, then the whole. */
        { "{}", "[" EVENT("e1", ",\"data\":{\"greet\":{\"n\":1}}") "]", "$.greet", NULL, "{\"n\":1}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"greet\":{\"n\":1}}") "]", "$.data.greet", "$.g",
          "{\"g\":{\"n\":1}}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"x\":1}") "]", "$.subject", "$.s", "{\"s\":\"abc\"}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"subject\":null}") "]", "$.subject", "$.s", "{\"s\":null}" },
        { "{}", "[" EVENT("e1", "") "]", "$.subject", NULL, "{\"e1\":\"abc\"}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"l\":[1,2]}") "]", "$.l[*]", NULL, "{\"e1\":[1,2]}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"l\":[1,2]}") "]", "$.data.l[*]", NULL, "{\"e1\":[1,2]}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"l\":[1,2]}") "]", "$..none", NULL, "{\"e1\":[]}" },
        /* Nothing anywhere: all of the data. */
        { "{}", "[" EVENT("e1", ",\"data\":{\"x\":1}") "]", "$.none", NULL, "{\"x\":1}" },
        { "{}", "[" EVENT("e1", "") "]", "$.none", NULL, "{}" },
        { "{}", "[" EVENT("e1", ",\"data\":{\"x\":1}") "]", "$.none", NULL,
          "!the path \"$.none\" selects nothing in the event", true },
        /* An envelope is read as it is. */
        { "{}", "[{\"trigger\":\"e1\",\"envelope\":{\"data\":{\"x\":1},\"context\":{\"id\":\"i\"}}}]",
          "$.context.id", "$.s", "{\"s\":\"i\"}" },
        { "{}", "[{\"trigger\":\"e1\",\"envelope\":{\"data\":{\"x\":1},\"context\":{}}}]", "$.x", NULL,
          "{\"data\":{\"x\":1},\"context\":{}}" },
        { "{}", "[{\"trigger\":\"e1\",\"envelope\":{\"context\":{}}}]", NULL, NULL, "{\"context\":{}}" },
        { "{}", "[{\"trigger\":\"e1\",\"envelope\":{\"context\":{}}}]", "$.x", NULL,
          "!the path \"$.x\" selects nothing in the event", true },
        /* What they are added to need not be an object. */
        { "5", "[" EVENT("e1", ",\"data\":{\"x\":1}") "]", NULL, NULL, "{\"x\":1}" },
        { "5", "[" EVENT("e1", ",\"data\":6") "]", NULL, NULL, "{\"e1\":6}" },
        { "[5]", "[" EVENT("e1", ",\"data\":6") "]", NULL, NULL,
          "!the event's data cannot become the member \"e1\" of a list" },
        { "{\"x\":[]}", "[" EVENT("e1", ",\"data\":6") "]", NULL, "$.x.y",
          "!no value can be put at \"$.x.y\": cannot set a member of what is array, at /x" },
        { "{}", "{}", NULL, NULL, "!events come as a list, not as a map" },
        { "{}", "[{\"event\":{\"data\":1}}]", NULL, NULL,
          "!an event needs to say what it is and which trigger it came by" },
        { "{}", "[5]", NULL, NULL, "!an event needs to say what it is and which trigger it came by" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, cases[i].base);
        built.env.strict = cases[i].strict;
        const struct jsonpath *take = built_path(&built, cases[i].take),
                              *put = built_path(&built, cases[i].put);
        struct expr_tree *events = built_literal(&built, cases[i].events);
        built_expect(&built, tree_events(tree_data(&built.arena), events, take, put, &built.arena),
                     cases[i].want);
        built_end(&built);
    }
}

/* ---- choices ---- */

#define EQ CHOICE_EQUALS
#define LT CHOICE_LESS
#define LE CHOICE_LESS_EQUALS
#define GT CHOICE_GREATER
#define GE CHOICE_GREATER_EQUALS

static void a_choice_goes_by_the_type_of_the_data(void **state)
{
    (void)state;
    const char *data = document("expr/build", "kinds");
    static const struct {
        const char *path;
        enum choice_test test;
        const char *value;
        bool want;
    } cases[] = {
        { "$.n", EQ, "\"18\"", true },
        { "$.n", EQ, "\"18.0\"", true },
        { "$.n", EQ, "\" 18 \"", true },
        { "$.n", EQ, "18", true },
        { "$.n", EQ, "1.8e1", true },
        { "$.n", EQ, "\"eighteen\"", false },
        { "$.n", LT, "\"eighteen\"", false },
        { "$.n", GT, "\"\"", false },
        { "$.n", LT, "\"19\"", true },
        { "$.n", LT, "18", false },
        { "$.n", LE, "18", true },
        { "$.n", GT, "\"9\"", true }, /* Not as text. */
        { "$.n", GE, "\"18\"", true },
        { "$.n", GE, "\"18.5\"", false },
        { "$.big", GT, "\"12345678901234567889\"", true },
        { "$.t", EQ, "\"true\"", true },
        { "$.t", EQ, "true", true },
        { "$.t", EQ, "\"false\"", false },
        { "$.f", EQ, "\"false\"", true },
        { "$.t", EQ, "1", false },
        { "$.t", GE, "\"true\"", false },
        { "$.z", EQ, "\"null\"", true },
        { "$.z", EQ, "null", true },
        { "$.z", LE, "\"null\"", false },
        { "$.s", EQ, "\"10\"", true },
        { "$.s", EQ, "\"10.0\"", false },
        { "$.s", EQ, "10", false },
        { "$.s", LT, "\"9\"", true }, /* As text. */
        { "$.s", LT, "90", false },
        { "$.s", GE, "\"10\"", true },
        { "$.e", EQ, "\"\"", true },
        { "$.o", EQ, "\"{ \\\"a\\\": [1, 2.0] }\"", true },
        { "$.o", EQ, "{\"a\":[1,2]}", true },
        { "$.o", EQ, "\"{\"", false },
        { "$.o", LE, "{\"a\":[1,2]}", false },
        { "$.l", EQ, "\"[1,2]\"", true },
        { "$.l", GE, "[1,2]", false },
        { "$.none", EQ, "\"null\"", false },
        { "$.none", LE, "1", false },
        { "$.ages[*]", LT, "\"18\"", true },
        { "$.ages[*]", LT, "\"15\"", false },
        { "$.ages[*]", GT, "\"18\"", true },
        { "$.mixed[*]", EQ, "7", true },
        { "$.mixed[*]", EQ, "\"x\"", true },
        { "$.mixed[*]", EQ, "\"null\"", true },
        { "$.mixed[*]", EQ, "true", false },
        { "$..none", EQ, "1", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        built_begin(&built, data);
        struct expr_tree *nodes =
            tree_path(PATH_NODES, built_path(&built, cases[i].path), tree_data(&built.arena), &built.arena);
        const struct json *value = cases_data(cases[i].value, &built.arena);
        built_expect(&built, tree_choice(cases[i].test, nodes, value, &built.arena),
                     cases[i].want ? "true" : "false");
        built_end(&built);
    }
}

/* ---- text and code ---- */

static struct expr_tree *shown_tree(struct built *built, size_t number)
{
    struct arena *arena = &built->arena;
    struct expr_tree *s = tree_variable(STR("S"), arena), *result = tree_variable(STR("result"), arena);
    struct expr_tree *outputs = tree_variable(STR("outputs"), arena), *data = tree_data(arena);
    const struct jsonpath *a = built_path(built, "$.a"), *odd = built_path(built, "$['a b'][0]..c[*]");
    const struct jsonpath *filter = built_path(built, "$.x[?(@.n == '[\\'q\\']' && @['k'] =~ /['y']/)]");
    struct expr_tree *nodes = tree_path(PATH_NODES, a, s, arena);
    switch (number) {
    case 0: return tree_combine(s, tree_path(PATH_FILTER, a, result, arena), arena);
    case 1: return tree_fold(data, outputs, arena);
    case 2: return tree_place(s, a, tree_path(PATH_PICK, odd, data, arena), arena);
    case 3: return tree_collect(s, a, outputs, arena);
    case 4: return tree_events(s, tree_variable(STR("events"), arena), NULL, a, arena);
    case 5: return tree_choice(CHOICE_GREATER_EQUALS, nodes, cases_data("\"18\"", arena), arena);
    case 6: return tree_not(tree_equal(tree_path(PATH_ITEMS, a, s, arena), s, arena), arena);
    case 7: return tree_path(PATH_FILTER, filter, s, arena);
    case 8: return tree_path(PATH_FILTER, built_path(built, "$.a['b','c'].d[-1:]"), s, arena);
    default: return NULL;
    }
}

static void a_tree_is_shown_as_calls(void **state)
{
    (void)state;
    static const char *const want[] = {
        "combine(S, filter(\"$.a\", result))",
        "fold(data, outputs)",
        "place(S, \"$.a\", pick(\"$['a b'][0]..c[*]\", data))",
        "collect(S, \"$.a\", outputs)",
        "events(S, events, null, \"$.a\")",
        "any(nodes(\"$.a\", S) >= \"18\")",
        "not (items(\"$.a\", S) == S)",
        "filter(\"$.x[?@.n == '[\\\\'q\\\\']' && @.k =~ /['y']/]\", S)",
        "filter(\"$.a['b', 'c'].d[-1:]\", S)",
    };
    struct built built;
    built_begin(&built, "{}");
    for (size_t i = 0; i < COUNT(want); i++)
        assert_string_equal(built_text(&built, shown_tree(&built, i)), want[i]);
    built_end(&built);
}

static void code_of_a_tree_can_be_shown(void **state)
{
    (void)state;
    struct built built;
    built_begin(&built, "{}");
    for (size_t i = 0; i < 9; i++) {
        struct buf out;
        buf_init(&out, &built.arena);
        expr_print(expr_of_tree(shown_tree(&built, i), &built.arena), &out);
        buf_add_char(&out, '\0');
        if (i == 0)
            assert_string_equal(out.p, "0000  1:1    VARIABLE        \"S\"\n"
                                       "0001  1:1    VARIABLE        \"result\"\n"
                                       "0002  1:1    PATH            filter \"$.a\"\n"
                                       "0003  1:1    COMBINE\n"
                                       "0004  1:1    RETURN\n");
        if (i == 4) assert_non_null(strstr(out.p, "EVENTS          - \"$.a\"\n"));
        if (i == 5) assert_non_null(strstr(out.p, "CHOICE          >=\n"));
    }
    built_end(&built);
}

static void what_only_parts_can_do_is_no_function_of_the_language(void **state)
{
    (void)state;
    static const struct fails cases[] = {
        { "combine(a, a)", 1, 1, "unknown function \"combine\"" },
        { "fold(a, [])", 1, 1, "unknown function \"fold\"" },
        { "place(a, '$', a)", 1, 1, "unknown function \"place\"" },
        { "collect(a, '$', a)", 1, 1, "unknown function \"collect\"" },
        { "events(a, a)", 1, 1, "unknown function \"events\"" },
        { "pick('$', a)", 1, 1, "unknown function \"pick\"" },
        { "isObject(a)", 1, 1, "unknown function \"isObject\"" },
    };
    FAIL(cases, "{\"a\":{}}");
}

/* ---- budgets ---- */

/* A tree of everything that pays, over {"a":{"k":[1,2]},"b":{"k":[3]}}. */
static struct expr_tree *costly_tree(struct built *built, size_t number)
{
    struct arena *arena = &built->arena;
    struct expr_tree *a = tree_variable(STR("a"), arena), *b = tree_variable(STR("b"), arena);
    struct expr_tree *const both[] = { b, a };
    const struct jsonpath *k = built_path(built, "$.k"), *all = built_path(built, "$..*");
    struct expr_tree *event = built_literal(built, "[" EVENT("e", ",\"data\":{\"x\":1}") "]");
    switch (number) {
    case 0: return tree_combine(a, b, arena);
    case 1: return tree_fold(a, tree_list(both, 2, arena), arena);
    case 2: return tree_path(PATH_FILTER, k, a, arena);
    case 3: return tree_path(PATH_NODES, all, tree_data(arena), arena);
    case 4: return tree_place(a, k, b, arena);
    case 5: return tree_collect(a, k, tree_member(b, STR("k"), arena), arena);
    case 6: return tree_events(a, event, k, NULL, arena);
    case 7:
        return tree_choice(CHOICE_LESS, tree_path(PATH_NODES, all, a, arena), json_of_int(arena, 2), arena);
    case 8: return tree_equal(a, b, arena);
    case 9: return tree_wrapped(a, arena);
    default: return NULL;
    }
}

static void what_it_used_is_what_it_needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        struct built built;
        built_begin(&built, "{\"a\":{\"k\":[1,2]},\"b\":{\"k\":[3]}}");
        struct expr_tree *tree = costly_tree(&built, i);
        int64_t given = built.fuel;
        assert_int_equal(built_run(&built, tree), ST_OK);
        int64_t used = given - built.fuel;
        built.fuel = used;
        assert_int_equal(built_run(&built, tree), ST_OK);
        assert_int_equal(built.fuel, 0);
        for (int64_t less = 0; less < used; less++) {
            built.fuel = less;
            assert_int_equal(built_run(&built, tree), ST_LIMIT);
            assert_string_equal(built.err.where, "");
            assert_int_equal(built.fuel, 0);
        }
        built_end(&built);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locals_come_before_the_data),
        cmocka_unit_test(names_that_the_data_lacks_are_looked_up_outward),
        cmocka_unit_test(a_variable_that_is_nowhere_is_a_failure_without_a_place),
        cmocka_unit_test(text_sees_locals_too_and_data_of_any_kind),
        cmocka_unit_test(parts_give_values_and_are_shown_as_text),
        cmocka_unit_test(a_tree_can_be_used_in_several_places),
        cmocka_unit_test(what_is_known_is_folded),
        cmocka_unit_test(what_is_made_is_not_too_deep),
        cmocka_unit_test(a_path_is_used_in_four_ways),
        cmocka_unit_test(a_strict_filter_must_select_something),
        cmocka_unit_test(what_needs_no_copy_is_not_copied),
        cmocka_unit_test(a_value_is_placed_in_a_copy),
        cmocka_unit_test(objects_are_combined_deeply),
        cmocka_unit_test(an_unchanged_copy_does_not_undo_a_change),
        cmocka_unit_test(outputs_are_wrapped_for_folding),
        cmocka_unit_test(items_are_collected_behind_those_there),
        cmocka_unit_test(events_bring_their_data),
        cmocka_unit_test(a_choice_goes_by_the_type_of_the_data),
        cmocka_unit_test(a_tree_is_shown_as_calls),
        cmocka_unit_test(code_of_a_tree_can_be_shown),
        cmocka_unit_test(what_only_parts_can_do_is_no_function_of_the_language),
        cmocka_unit_test(what_it_used_is_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
