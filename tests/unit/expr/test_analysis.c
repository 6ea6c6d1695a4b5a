#include "expr/cases.h"

static const struct expr *compiled(const char *text, struct arena *arena)
{
    const struct expr *expr;
    struct error err;
    if (expr_compile(str_of(text), arena, &expr, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return expr;
}

static void print_tests(const struct expr_test *test, size_t count, struct buf *out)
{
    static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s%.*s %s ", i ? ", " : "", STR_ARG(test[i].path), ops[test[i].op]);
        json_print(test[i].literal, out);
    }
    buf_add_char(out, '\0');
}

static void conjunctions_of_tests_are_recognised(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "amount >= 100", "amount >= 100" },
        { "100 > amount", "amount < 100" },
        { "100 >= amount", "amount <= 100" },
        { "100 < amount", "amount > 100" },
        { "'x' == a.b.c", "a.b.c == \"x\"" },
        { "#a != true", "a != true" },
        { "${user.age} > -1.5", "user.age > -1.5" },
        { "${a > 1 && b < 2 * 3}", "a > 1, b < 6" },
        { "a >= 1 and a <= 9 && (b == 'x' && c == false)", "a >= 1, a <= 9, b == \"x\", c == false" },
        { "true && a == 1 && b == 2", "a == 1, b == 2" },
        { "let most = 5 * 2; a > 1 && /* really */ a <= most", "a > 1, a <= 10" },
        { "let kind = 'x'; b == kind // or not", "b == \"x\"" },
        { "if 1 < 2 { a >= 0x10 } else { ghost }", "a >= 16" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct expr_test test[8];
        size_t count = expr_tests(compiled(cases[i].text, &arena), &arena, test, COUNT(test));
        assert_int_not_equal(count, SIZE_MAX);
        struct buf out;
        buf_init(&out, &arena);
        print_tests(test, count, &out);
        assert_string_equal(out.p, cases[i].want);
        arena_done(&arena);
    }
}

static void anything_else_is_no_conjunction_of_tests(void **state)
{
    static const char *const cases[] = {
        "a",
        "true",
        "!a",
        "a > 1 || b > 1",
        "a > b",
        "a == nil",
        "a == [1]",
        "a?.b == 1",
        "a[0] == 1",
        "len(a) == 1",
        "a > 1 && b",
        "a > 1 > 2",
        "a in [1]",
        "a + 1 == 2",
        "not (a == 1)",
        "a matches 'x'",
        "1 == 1",
        "filter(a, # == 1)",
        "a.b['c'] == 1",
        "a not contains 'x'",
        "let b = a; b > 1",
        "let b = c; a > 1",
        "a | abs() > 1",
        "if a > 1 { b > 1 } else { c > 1 }",
        "reduce(a, #acc) == 1",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct expr_test test[8];
        if (expr_tests(compiled(cases[i], &arena), &arena, test, COUNT(test)) != SIZE_MAX)
            fail_msg("%s was taken for tests", cases[i]);
        arena_done(&arena);
    }
}

static void comparisons_are_found_wherever_they_stand(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "a > 1 || b == 'x'", "a > 1, b == \"x\"" },
        { "not (a == 1) && c", "a == 1, c == true" },
        { "(a.b < 2 or !ok) && len(x) > 3", "a.b < 2, ok == true" },
        { "tier in ['GOLD', 'SILVER']", "tier == \"GOLD\", tier == \"SILVER\"" },
        { "a ? b > 1 : c <= 2", "a == true, b > 1, c <= 2" },
        { "approved", "approved == true" },
        { "a + 1", "" },
        { "filter(list, # > 1)[0] == 2", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct expr_test test[8];
        size_t count = expr_comparisons(compiled(cases[i].text, &arena), &arena, test, COUNT(test));
        struct buf out;
        buf_init(&out, &arena);
        print_tests(test, count, &out);
        assert_string_equal(out.p, cases[i].want);
        arena_done(&arena);
    }
}

static void variables_are_told(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "a.b > c[0] || a.d", "a c a" },
        { "let q = a; q + map(list, # + q + b)[0]", "a list b" },
        { "'x' in $env && x", "" },
        { "1 + 2", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        str name[8];
        size_t count = expr_variables(compiled(cases[i].text, &arena), name, COUNT(name));
        struct buf out;
        buf_init(&out, &arena);
        for (size_t k = 0; k < count; k++) buf_printf(&out, "%s%.*s", k ? " " : "", STR_ARG(name[k]));
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        arena_done(&arena);
    }
}

static void no_more_tests_are_written_than_there_is_room(void **state)
{
    struct arena arena;
    struct expr_test test[3] = { 0 };
    (void)state;
    arena_init(&arena, 0);
    const struct expr *expr = compiled("a == 1 && b == 2 && c == 3", &arena);
    assert_int_equal(expr_tests(expr, &arena, test, 2), 3); /* How many there are. */
    assert_null(test[2].literal);
    assert_int_equal(expr_tests(expr, &arena, test, 3), 3);
    assert_int_equal(expr_tests(expr, &arena, NULL, 0), 3);
    arena_done(&arena);
}

static void constants_are_known(void **state)
{
    static const struct gives cases[] = {
        { "true", "true" },
        { "1 + 2 * 3", "7" },
        { "-1", "-1" },
        { "'a' + 'b'", "\"ab\"" },
        { "1 < 2 && 'x' in ['x']", "true" },
        { "false && ghost", "false" },
        { "true || ghost", "true" },
        { "not (1 == 2)", "true" },
        { "1 not in [2]", "true" },
        { "[1, {a: 2}]", "[1,{\"a\":2}]" },
        { "nil ?? 3", "3" },
        { "1 > 2 ? ghost : 'no'", "\"no\"" },
        { "${ 'x' }", "\"x\"" },
        { "2 ** 0.5 > 1 ? 1 : 2", "1" },
        { "let a = 2; let b = a + 1; [a, b]", "[2,3]" },
        { "let a = nil; a ?? 3", "3" },
        { "if 1 > 2 { ghost } else { 'no' }", "\"no\"" },
        { "0x10 + .5 /* x */", "16.5" },
    };
    static const char *const others[] = {
        "a",
        "a || true",
        "true && a",
        "1 / 0",
        "now()",
        "1..3",
        "'a' matches 'a'",
        "nil ?? a",
        "[1, a]",
        "'a' + 1",
        "1 && true",
        "let a = 1 / 0; 1",
        "let a = b; 1",
        "1 | string()",
        "reduce([1], #acc)",
        "[1] | first()",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *value;
        if (!expr_is_constant(compiled(cases[i].text, &arena), &value))
            fail_msg("%s is constant", cases[i].text);
        struct buf out;
        buf_init(&out, &arena);
        json_print(value, &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        arena_done(&arena);
    }
    GIVE(cases, "{}");
    for (size_t i = 0; i < COUNT(others); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *value;
        if (expr_is_constant(compiled(others[i], &arena), &value)) fail_msg("%s is not constant", others[i]);
        arena_done(&arena);
    }
}

static void folding_keeps_errors_where_they_were(void **state)
{
    static const struct fails cases[] = {
        { "1 / 0 + n", 1, 3, "division by zero" },
        { "true && 1", 1, 6, "cannot coerce value \"1\" to bool" },
        { "true && true && 'x'", 1, 14, "cannot coerce value \"x\" to bool" },
        { "1 + 2 + 'x'", 1, 7, "cannot coerce value \"x\" to number" },
        { "!1", 1, 1, "cannot coerce value \"1\" to bool" },
    };
    (void)state;
    FAIL(cases, "{ \"n\": 1 }");
}

static const struct {
    const char *text, *want;
} printed_cases[] = {
    { "creditScore >= 700 && contains(user.roles, 'ADMIN')", "0000  1:1    VARIABLE        \"creditScore\"\n"
                                                             "0001  1:16   CONSTANT        700\n"
                                                             "0002  1:13   GREATER_EQUAL\n"
                                                             "0003  1:20   AND             -> 0009\n"
                                                             "0004  1:32   VARIABLE        \"user\"\n"
                                                             "0005  1:37   MEMBER          \"roles\"\n"
                                                             "0006  1:44   CONSTANT        \"ADMIN\"\n"
                                                             "0007  1:23   CONTAINS\n"
                                                             "0008  1:20   BOOLEAN\n"
                                                             "0009  1:52   RETURN\n" },
    { "a?.b ?? c ? -x[1:] : not (y matches 'z')", "0000  1:1    VARIABLE        \"a\"\n"
                                                  "0001  1:4    IF_NULL         -> 0003\n"
                                                  "0002  1:4    MEMBER          \"b\"\n"
                                                  "0003  1:6    COALESCE        -> 0005\n"
                                                  "0004  1:9    VARIABLE        \"c\"\n"
                                                  "0005  1:11   UNLESS          -> 0011\n"
                                                  "0006  1:14   VARIABLE        \"x\"\n"
                                                  "0007  1:16   CONSTANT        1\n"
                                                  "0008  1:15   SLICE           from:\n"
                                                  "0009  1:13   NEGATE\n"
                                                  "0010  1:11   JUMP            -> 0014\n"
                                                  "0011  1:27   VARIABLE        \"y\"\n"
                                                  "0012  1:29   MATCHES_PATTERN pattern 0\n"
                                                  "0013  1:22   NOT\n"
                                                  "0014  1:41   RETURN\n" },
    { "map(é, {n: #,\n i: max(#index, 2)})", "0000  1:5    VARIABLE        \"é\"\n"
                                             "0001  1:1    LOOP            map -> 0010\n"
                                             "0002  1:9    CONSTANT        \"n\"\n"
                                             "0003  1:12   ELEMENT\n"
                                             "0004  2:2    CONSTANT        \"i\"\n"
                                             "0005  2:9    ELEMENT_INDEX\n"
                                             "0006  2:17   CONSTANT        2\n"
                                             "0007  2:5    CALL            max/2\n"
                                             "0008  1:8    MAP             2\n"
                                             "0009  1:1    NEXT            map -> 0002\n"
                                             "0010  2:21   RETURN\n" },
    { "let a = x; a | reduce(#acc + a, 0) | sortBy(#, 'desc')",
      "0000  1:9    VARIABLE        \"x\"\n"
      "0001  1:9    STORE           0\n"
      "0002  1:12   LOCAL           0\n"
      "0003  1:33   CONSTANT        0\n"
      "0004  1:16   LOOP_WITH       reduce -> 0009\n"
      "0005  1:23   ACCUMULATOR     0\n"
      "0006  1:30   LOCAL           0\n"
      "0007  1:28   ADD\n"
      "0008  1:16   NEXT            reduce -> 0005\n"
      "0009  1:48   CONSTANT        \"desc\"\n"
      "0010  1:38   LOOP_WITH       sortBy -> 0013\n"
      "0011  1:45   ELEMENT\n"
      "0012  1:38   NEXT            sortBy -> 0011\n"
      "0013  1:55   RETURN\n" },
    { "count(x)", "0000  1:7    VARIABLE        \"x\"\n"
                  "0001  1:1    LOOP            count -> 0004\n"
                  "0002  1:1    ELEMENT\n"
                  "0003  1:1    NEXT            count -> 0002\n"
                  "0004  1:9    RETURN\n" },
};

static void print_shows_the_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(printed_cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct buf out;
        buf_init(&out, &arena);
        expr_print(compiled(printed_cases[i].text, &arena), &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, printed_cases[i].want);
        arena_done(&arena);
    }
}

static void the_text_is_kept(void **state)
{
    char text[] = " a + 1 ";
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    const struct expr *expr = compiled(text, &arena);
    text[1] = 'b'; /* It was copied. */
    assert_true(str_equal(expr_text(expr), STR(" a + 1 ")));
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjunctions_of_tests_are_recognised),
        cmocka_unit_test(anything_else_is_no_conjunction_of_tests),
        cmocka_unit_test(comparisons_are_found_wherever_they_stand),
        cmocka_unit_test(variables_are_told),
        cmocka_unit_test(no_more_tests_are_written_than_there_is_room),
        cmocka_unit_test(constants_are_known),
        cmocka_unit_test(folding_keeps_errors_where_they_were),
        cmocka_unit_test(print_shows_the_code),
        cmocka_unit_test(the_text_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
