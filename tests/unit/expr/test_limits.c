#include "expr/cases.h"

struct world {
    struct arena arena;
    const struct json *data;
    struct error err;
    const struct json *value;
    int64_t fuel;
};

static int begin(void **state)
{
    struct world *world = test_calloc(1, sizeof *world);
    arena_init(&world->arena, 0);
    world->data =
        cases_data("{ \"n\": 5, \"a\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\", \"list\": [1, 2, 3] }",
                   &world->arena);
    world->fuel = limits_default().fuel_max;
    *state = world;
    return 0;
}

static int end(void **state)
{
    struct world *world = *state;
    arena_done(&world->arena);
    test_free(world);
    return 0;
}

static enum status run(struct world *world, str text)
{
    return cases_run(text, world->data, &world->fuel, &world->arena, &world->value, &world->err);
}

/* `before` n times, `middle`, `after` n times. */
static str nested(struct world *world, size_t n, const char *before, const char *middle, const char *after)
{
    struct buf text;
    buf_init(&text, &world->arena);
    for (size_t i = 0; i < n; i++) buf_add_str(&text, str_of(before));
    buf_add_str(&text, str_of(middle));
    for (size_t i = 0; i < n; i++) buf_add_str(&text, str_of(after));
    return buf_str(&text);
}

static void nesting_is_limited(void **state)
{
    static const struct {
        const char *before, *middle, *after;
    } shapes[] = {
        { "(", "n", ")" },         { "[", "n", "]" },
        { "{a:", "n", "}" },       { "-", "n", "" },
        { "${", "n", "}" },        { "abs(", "n", ")" },
        { "list[", "0", "]" },     { "2**", "1", "" },
        { "!", "true", "" },       { "not ", "true", "" },
        { "", "n", "" },           { "true?1:", "n", "" },
        { "map(list,", "#", ")" }, { "reduce(list,", "#", ")" },
        { "let a=", "n", ";1" },   { "if true{", "n", "}else{1}" },
        { "", "n", "|abs()+1" },
    };
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        /* The whole expression is the first level. */
        str fits =
            nested(world, EXPRESSION_DEPTH_MAX - 1, shapes[i].before, shapes[i].middle, shapes[i].after);
        const struct expr *expr;
        if (expr_compile(fits, &world->arena, &expr, &world->err) != ST_OK)
            fail_msg("%.*s: %s", STR_ARG(fits), world->err.message);
        if (!*shapes[i].before) continue;
        str deep = nested(world, EXPRESSION_DEPTH_MAX, shapes[i].before, shapes[i].middle, shapes[i].after);
        assert_int_equal(expr_compile(deep, &world->arena, &expr, &world->err), ST_LIMIT);
        assert_string_equal(world->err.message,
                            "the expression is nested deeper than 64 levels (EXPRESSION_DEPTH_MAX)");
        if (i == 0) assert_int_equal(world->err.column, 1 + EXPRESSION_DEPTH_MAX);
    }
}

static void long_chains_are_not_deep(void **state)
{
    static const struct {
        const char *before, *middle, *after, *want;
    } shapes[] = {
        { "n+", "0", "", "5000" }, { "no||", "true", "", "true" }, { "t&&", "no", "", "false" },
        { "z??", "n", "", "5" },   { "", "{}", "?.b", "null" },    { "", "n", "-1", "-995" },
    };
    struct world *world = *state;
    world->data = cases_data("{ \"n\": 5, \"t\": true, \"no\": false, \"z\": null }", &world->arena);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        world->fuel = limits_default().fuel_max;
        str text = nested(world, 1000, shapes[i].before, shapes[i].middle, shapes[i].after);
        assert_true(text.n <= EXPRESSION_BYTES_MAX);
        if (run(world, text) != ST_OK) fail_msg("%s…: %s", shapes[i].before, world->err.message);
        struct buf out;
        buf_init(&out, &world->arena);
        json_print(world->value, &out);
        assert_true(str_equal(buf_str(&out), str_of(shapes[i].want)));
    }
}

static void long_pipes_and_many_names_are_not_deep(void **state)
{
    struct world *world = *state;
    int64_t number;
    assert_int_equal(run(world, nested(world, 600, "", "n", "|abs()")), ST_OK);
    assert_true(json_int64(world->value, &number) && number == 5);
    struct buf text;
    buf_init(&text, &world->arena);
    buf_printf(&text, "let a0=n;");
    for (int i = 1; i < 200; i++) buf_printf(&text, "let a%d=a%d+1;", i, i - 1);
    buf_printf(&text, "a0+a199");
    assert_true(text.n <= EXPRESSION_BYTES_MAX);
    assert_int_equal(run(world, buf_str(&text)), ST_OK);
    assert_true(json_int64(world->value, &number) && number == 5 + 204);
}

static void length_is_limited(void **state)
{
    struct world *world = *state;
    str fits = nested(world, EXPRESSION_BYTES_MAX - 1, " ", "n", "");
    assert_int_equal(fits.n, EXPRESSION_BYTES_MAX);
    assert_int_equal(run(world, fits), ST_OK);
    str longer = nested(world, EXPRESSION_BYTES_MAX, " ", "n", "");
    assert_int_equal(run(world, longer), ST_LIMIT);
    assert_string_equal(world->err.message,
                        "the expression has 4097 bytes; the most is 4096 (EXPRESSION_BYTES_MAX)");
}

static void every_instruction_costs_fuel(void **state)
{
    struct world *world = *state;
    world->fuel = 100;
    assert_int_equal(run(world, STR("n + 1")), ST_OK);
    assert_int_equal(world->fuel, 96); /* VARIABLE, CONSTANT, ADD, RETURN. */
    world->fuel = 4;
    assert_int_equal(run(world, STR("n + 1")), ST_OK);
    assert_int_equal(world->fuel, 0);
    world->fuel = 3;
    assert_int_equal(run(world, STR("n + 1")), ST_LIMIT);
    assert_string_equal(world->err.message, "expression used up its budget of 3 operations (fuel_max)");
    assert_int_equal(world->fuel, 0);
    assert_int_equal(run(world, STR("1")), ST_LIMIT);
    assert_string_equal(world->err.message, "expression used up its budget of 0 operations (fuel_max)");
}

static void work_that_grows_is_stopped(void **state)
{
    static const char *const cases[] = {
        "map(1..10000, map(1..10000, #))",
        "filter(1..10000, any(1..10000, # < 0))",
        "len(repeat('abcdefgh', 8000000))",
        "map(1..10000, repeat('x', 10000))",
        "sum(map(1..9000, 2 ** (100 + # % 2)))",
        "map(1..5000, # in 1..5000)",
        "contains(repeat('a', 100000), repeat('a', 50000) + 'b')",
        "replace(repeat('a', 50000), 'a', repeat('b', 1000))",
        "map(1..10000, toJSON(1..100))",
        "sum(1..10000, sum(1..10000, #))",
        "reduce(1..10000, #acc + string(#), '')",
        "reduce(1..1000, #acc + #acc, 'x')",
        "reduce(1..1000, [#acc, #acc], 1)[0]",
        "let a = 1..10000; map(a, a | map(# + 1))",
        "map(1..10000, toBase64(repeat('x', 1000)))",
        "map(1..10000, fromBase64(repeat('eHh4', 300)))",
        "splitAfter(repeat('a', 1000000), 'a')",
        "map(1..10000, trimPrefix(repeat('a', 1000), 'b'))",
        "duration(repeat('1h', 200000))",
    };
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        world->fuel = limits_default().fuel_max;
        if (run(world, str_of(cases[i])) != ST_LIMIT) fail_msg("%s was not stopped", cases[i]);
        assert_string_equal(world->err.message,
                            "expression used up its budget of 100000 operations (fuel_max)");
        assert_int_equal(world->fuel, 0);
    }
}

/* Names let little text stand for much; the compiler must not write it out. */
static void folding_is_stopped_too(void **state)
{
    struct world *world = *state;
    struct buf text;
    buf_init(&text, &world->arena);
    buf_printf(&text, "let a0='0123456789abcdef0123456789abcdef';");
    for (int i = 1; i < 100; i++) buf_printf(&text, "let a%d=a%d+a%d;", i, i - 1, i - 1);
    buf_printf(&text, "false ? a99 : 1");
    struct buf wide;
    buf_init(&wide, &world->arena);
    buf_printf(&wide, "let a='0123456789abcdef0123456789abcdef';[[[[[[[[[[[[[[[[[[[[[[[[a");
    while (wide.n < EXPRESSION_BYTES_MAX - 40) buf_printf(&wide, ",a");
    buf_printf(&wide, "]]]]]]]]]]]]]]]]]]]]]]]]");
    str texts[] = { buf_str(&text), buf_str(&wide) };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct arena small;
        const struct expr *expr;
        arena_init(&small, 0);
        assert_int_equal(expr_compile(texts[i], &small, &expr, &world->err), ST_OK);
        assert_true(small.used < 4 << 20);
        arena_done(&small);
    }
    assert_int_equal(run(world, texts[0]), ST_LIMIT);
}

static void values_have_a_largest_size(void **state)
{
    struct world *world = *state;
    world->fuel = INT64_MAX;
    assert_int_equal(run(world, STR("repeat('x', 67108865)")), ST_LIMIT);
    assert_string_equal(
        world->err.message,
        "the expression makes a value of more than 67108864 bytes (EXPRESSION_VALUE_BYTES_MAX)");
    assert_int_equal(run(world, STR("repeat('xx', 9223372036854775807)")), ST_LIMIT);
    assert_int_equal(run(world, STR("1..10000")), ST_OK);
    assert_int_equal(run(world, STR("0..10000")), ST_LIMIT);
    assert_string_equal(world->err.message, "the range is longer than 10000 items (EXPRESSION_RANGE_MAX)");
    assert_int_equal(run(world, STR("-9223372036854775808..9223372036854775807")), ST_LIMIT);
}

static void the_arena_s_budget_holds(void **state)
{
    struct world *world = *state;
    struct arena small;
    arena_init(&small, 64 << 10);
    world->fuel = INT64_MAX;
    assert_int_equal(cases_run(STR("map(1..1000, repeat('x', 1000))"), world->data, &world->fuel, &small,
                               &world->value, &world->err),
                     ST_LIMIT);
    assert_string_equal(world->err.message,
                        "expression used up its budget of 65536 bytes of memory (step_bytes_max)");
    assert_true(small.used < 1 << 20);
    arena_done(&small);
}

static void results_stay_within_the_depth_of_json(void **state)
{
    struct world *world = *state;
    world->data = cases_data("{ \"x\": [] }", &world->arena);
    /* One level more in each round, as a workflow's loop could do; `x` begins with one. */
    for (int round = 1; round < JSON_DEPTH_MAX; round++) {
        world->fuel = 1000;
        assert_int_equal(run(world, STR("[x]")), ST_OK);
        world->data = json_set(&world->arena, world->data, STR("x"), world->value);
    }
    static const char *const deeper[] = { "[x]",
                                          "{a: x}",
                                          "map([1], [x])",
                                          "groupBy([x], 1)",
                                          "toPairs({a: x})",
                                          "reduce([1], [#acc], x)",
                                          "reduce(1..200, [#acc], 1)" };
    for (size_t i = 0; i < COUNT(deeper); i++) {
        world->fuel = 100000;
        assert_int_equal(run(world, str_of(deeper[i])), ST_LIMIT);
        assert_string_equal(world->err.message,
                            "the result is nested deeper than 128 levels (JSON_DEPTH_MAX)");
    }
    assert_int_equal(run(world, STR("len(flatten(x))")), ST_OK);
}

static void a_regular_expression_cannot_run_away(void **state)
{
    static const char *const cases[] = {
        "a matches '(a+)+$'",
        "a matches '(a|aa)+$'",
        "a matches '(a+)' + '+$'",
        "repeat('a', 100000) matches '^(a|b|ab)*c'",
        "repeat('x', 1000) matches '(x+x+)+[yz]'",
    };
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        world->fuel = limits_default().fuel_max;
        if (run(world, str_of(cases[i])) != ST_LIMIT) fail_msg("%s was not stopped", cases[i]);
        assert_string_equal(world->err.message,
                            "the regular expression takes too many steps on this text (REGEX_STEPS_MAX)");
        assert_true(world->fuel < limits_default().fuel_max - 1000);
    }
    /* Cheap matches in a loop stay cheap. */
    world->fuel = limits_default().fuel_max;
    assert_int_equal(run(world, STR("count(1..1000, string(#) matches '^[0-9]*7$')")), ST_OK);
    int64_t count;
    assert_true(json_int64(world->value, &count));
    assert_int_equal(count, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nesting_is_limited, begin, end),
        cmocka_unit_test_setup_teardown(long_chains_are_not_deep, begin, end),
        cmocka_unit_test_setup_teardown(long_pipes_and_many_names_are_not_deep, begin, end),
        cmocka_unit_test_setup_teardown(length_is_limited, begin, end),
        cmocka_unit_test_setup_teardown(every_instruction_costs_fuel, begin, end),
        cmocka_unit_test_setup_teardown(work_that_grows_is_stopped, begin, end),
        cmocka_unit_test_setup_teardown(folding_is_stopped_too, begin, end),
        cmocka_unit_test_setup_teardown(values_have_a_largest_size, begin, end),
        cmocka_unit_test_setup_teardown(the_arena_s_budget_holds, begin, end),
        cmocka_unit_test_setup_teardown(results_stay_within_the_depth_of_json, begin, end),
        cmocka_unit_test_setup_teardown(a_regular_expression_cannot_run_away, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
