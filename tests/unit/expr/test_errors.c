#include "expr/cases.h"

static const char *data(void) { return document("expr/errors", "data"); }

static void malformed_texts_are_refused_with_their_place(void **state)
{
    static const struct fails cases[] = {
        { "", 1, 1, "empty expression" },
        { " \n\t ", 1, 1, "empty expression" },
        { "a b", 1, 3, "unexpected \"b\" after a complete expression" },
        { "1 2", 1, 3, "unexpected \"2\" after a complete expression" },
        { "a)", 1, 2, "unexpected \")\" after a complete expression" },
        { "(a", 1, 1, "\"(\" is never closed" },
        { "1 + (a * [2", 1, 10, "\"[\" is never closed" },
        { "${a", 1, 1, "\"${\" is never closed" },
        { "{a: 1", 1, 1, "\"{\" is never closed" },
        { "len(a", 1, 4, "\"(\" is never closed" },
        { "a[1", 1, 2, "\"[\" is never closed" },
        { "a[1:", 1, 2, "\"[\" is never closed" },
        { "(a]", 1, 3, "expected \")\", found \"]\"" },
        { "[1 2]", 1, 4, "expected \"]\", found \"2\"" },
        { "a + ", 1, 5, "expected a value, but the expression ends here" },
        { "* 2", 1, 1, "expected a value, found \"*\"" },
        { "a + + ", 1, 7, "expected a value, but the expression ends here" },
        { "()", 1, 2, "expected a value, found \")\"" },
        { "${}", 1, 3, "expected a value, found \"}\"" },
        { "a and", 1, 6, "expected a value, but the expression ends here" },
        { "and a", 1, 1, "expected a value, found \"and\"" },
        { "in", 1, 1, "expected a value, found \"in\"" },
        { "2 ** not a", 1, 6, "expected a value, found \"not\"" },
        { "a not b", 1, 3, "unexpected \"not\" after a complete expression" },
        { "a.", 1, 3, "expected a name, but the expression ends here" },
        { "a.1", 1, 2, "unexpected \".1\" after a complete expression" },
        { "a?.(b)", 1, 4, "expected a name, found \"(\"" },
        { "a ? b", 1, 6, "expected \":\", but the expression ends here" },
        { "a ? b, c", 1, 6, "expected \":\", found \",\"" },
        { "{1: 2}", 1, 2, "expected a name, found \"1\"" },
        { "{a 2}", 1, 4, "expected \":\", found \"2\"" },
        { "{a: 1, 'a': 2}", 1, 8, "the name \"a\" appears twice" },
        { "'abc", 1, 1, "the string is never closed" },
        { "a == \"abc", 1, 6, "the string is never closed" },
        { "a == 'it's'", 1, 10, "unexpected \"s\" after a complete expression" },
        { "a == 'abc\\'", 1, 6, "the string is never closed" },
        { "'a\\d'", 1, 3, "unknown escape; write \\\\ for a backslash" },
        { "'\\u12'", 1, 2, "\\u needs four hexadecimal digits" },
        { "'\\ud800'", 1, 2, "half of a surrogate pair is not a character" },
        { "'\\udc00'", 1, 2, "half of a surrogate pair is not a character" },
        { "'\\ud83d\\u0041'", 1, 2, "half of a surrogate pair is not a character" },
        { "007", 1, 1, "malformed number \"007\"" },
        { "1 + 12abc", 1, 5, "malformed number \"12abc\"" },
        { "1e", 1, 1, "malformed number \"1e\"" },
        { "1e+", 1, 1, "malformed number \"1e+\"" },
        { "a = 1", 1, 3, "\"=\" is not an operator; did you mean \"==\"?" },
        { "a & b", 1, 3, "\"&\" is not an operator; did you mean \"&&\"?" },
        { "a @ b", 1, 3, "unexpected character \"@\"" },
        { "a + €", 1, 5, "unexpected character \"€\"" },
        { "a == “x”", 1, 6, "“ is not a quote here; write ' or \"" },
        { "a \x01 b", 1, 3, "unexpected control character" },
        { "# > 1", 1, 1,
          "\"#\" is a list's element: it needs a name behind it, or a function around it such as "
          "filter(list, # > 1)" },
        { ".name", 1, 1, "expected a value, found \".\"" },
        { "a\n  + (b\n", 2, 5, "\"(\" is never closed" },
        { "'größe' + 'ä' $ 1", 1, 15, "unexpected \"$\" after a complete expression" },
        { "\xff", 1, 1, "the expression is not UTF-8" },
    };
    (void)state;
    FAIL(cases, data());
}

static void calls_are_checked_before_running(void **state)
{
    static const struct fails cases[] = {
        { "yes || lenn(list)", 1, 8, "unknown function \"lenn\"; did you mean \"len\"?" },
        { "Contains(list, 1)", 1, 1, "unknown function \"Contains\"; did you mean \"contains\"?" },
        { "startswith(s, 'a')", 1, 1, "unknown function \"startswith\"; did you mean \"startsWith\"?" },
        { "fliter(list, # > 1)", 1, 1, "unknown function \"fliter\"; did you mean \"filter\"?" },
        { "frobnicate(1)", 1, 1, "unknown function \"frobnicate\"" },
        { "a_function_with_a_very_long_name_indeed_it_has_more_than_sixty_letters(1)", 1, 1,
          "unknown function \"a_function_with_a_very_long_name_indeed_it_has_more_than_six\"" },
        { "x(1)", 1, 1, "unknown function \"x\"" },
        { "len()", 1, 1, "len() takes 1 argument, not 0" },
        { "len(1, 2)", 1, 1, "len() takes 1 argument, not 2" },
        { "split('a')", 1, 1, "split() takes 2 to 3 arguments, not 1" },
        { "now(1)", 1, 1, "now() takes 0 arguments, not 1" },
        { "contains(list)", 1, 1, "contains() takes 2 arguments, not 1" },
        { "filter(list)", 1, 1, "filter() takes 2 arguments, not 1" },
        { "filter()", 1, 1, "filter() takes 2 arguments, not 0" },
        { "map(list, #, 1)", 1, 1, "map() takes 2 arguments, not 3" },
        { "s matches '(a'", 1, 11, "bad regular expression: missing closing parenthesis after 2 characters" },
        { "yes || s matches '[é'", 1, 18,
          "bad regular expression: missing terminating ] for character class after 2 characters" },
        { "s matches '\\\\C'", 1, 11,
          "bad regular expression: using \\C is disabled by the application after 2 characters" },
        { "matches(s, '*')", 1, 12,
          "bad regular expression: quantifier does not follow a repeatable item after 0 characters" },
    };
    (void)state;
    FAIL(cases, data());
}

static const struct fails failing_operations[] = {
    { "ghost", 1, 1, "undefined variable \"ghost\"" },
    { "n > 1 && ghost > 2", 1, 10, "undefined variable \"ghost\"" },
    { "#ghost", 1, 1, "undefined variable \"ghost\"" },
    { "ghost.x", 1, 1, "undefined variable \"ghost\"" },
    { "ghost?.x", 1, 1, "undefined variable \"ghost\"" },
    { "ghost ?? 1", 1, 1, "undefined variable \"ghost\"" },
    { "user.address.street", 1, 14, "cannot read \"street\" of null" },
    { "user.missing.x", 1, 14, "cannot read \"x\" of null" },
    { "(user.address?.a).b", 1, 19, "cannot read \"b\" of null" },
    { "n.x", 1, 3, "cannot read \"x\" of a number" },
    { "n?.x", 1, 4, "cannot read \"x\" of a number" },
    { "s.length", 1, 3, "cannot read \"length\" of a string" },
    { "list.x", 1, 6, "cannot read \"x\" of a list" },
    { "nothing['x']", 1, 8, "cannot read \"x\" of null" },
    { "nothing[0]", 1, 8, "cannot read \"0\" of null" },
    { "yes[0]", 1, 4, "cannot read \"0\" of a boolean" },
    { "list[5]", 1, 5, "index 5 out of range, the list has 3 items" },
    { "list[-4]", 1, 5, "index -4 out of range, the list has 3 items" },
    { "one[1]", 1, 4, "index 1 out of range, the list has 1 item" },
    { "s[3]", 1, 2, "index 3 out of range, the string has 3 characters" },
    { "list['a']", 1, 5, "an index must be an integer, not a string" },
    { "list[1.5]", 1, 5, "an index must be an integer, not 1.5" },
    { "user[0]", 1, 5, "a map is indexed by a string, not a number" },
    { "user[0:1]", 1, 5, "a slice needs a list or a string, not a map" },
    { "list['a':]", 1, 5, "an index must be an integer, not a string" },
    { "s > 5", 1, 3, "cannot coerce value \"abc\" to number" },
    { "5 > s", 1, 3, "cannot coerce value \"abc\" to number" },
    { "s + 1", 1, 3, "cannot coerce value \"abc\" to number" },
    { "n + nothing", 1, 3, "cannot coerce value \"null\" to number" },
    { "n * yes", 1, 3, "cannot coerce value \"true\" to number" },
    { "n < list", 1, 3, "cannot coerce value \"[1,2,3]\" to number" },
    { "empty + 1", 1, 7, "cannot coerce value \"\" to number" },
    { "n < 5 < 5", 1, 7, "cannot coerce value \"false\" to number" },
    { "list + list", 1, 6, "cannot coerce value \"[1,2,3]\" to number" },
    { "-s", 1, 1, "cannot coerce value \"abc\" to number" },
    { "+nothing", 1, 1, "cannot coerce value \"null\" to number" },
    { "n + 1 + s", 1, 7, "cannot coerce value \"abc\" to number" },
    { "n / zero", 1, 3, "division by zero" },
    { "1 / 0", 1, 3, "division by zero" },
    { "n % 0", 1, 3, "division by zero" },
    { "[1, 2 / 0]", 1, 7, "division by zero" },
    { "n && yes", 1, 3, "cannot coerce value \"5\" to bool" },
    { "yes && n", 1, 5, "cannot coerce value \"5\" to bool" },
    { "yes && yes && s", 1, 12, "cannot coerce value \"abc\" to bool" },
    { "yes and nothing", 1, 5, "cannot coerce value \"null\" to bool" },
    { "nothing || yes", 1, 9, "cannot coerce value \"null\" to bool" },
    { "true && n", 1, 6, "cannot coerce value \"5\" to bool" },
    { "!n", 1, 1, "cannot coerce value \"5\" to bool" },
    { "not list", 1, 1, "cannot coerce value \"[1,2,3]\" to bool" },
    { "n ? 1 : 2", 1, 3, "cannot coerce value \"5\" to bool" },
    { "'true' ? 1 : 2", 1, 8, "cannot coerce value \"true\" to bool" },
    { "'a' in s", 1, 5,
      "\"in\" needs a list or a map, not a string; for a part of a string write contains(text, part)" },
    { "1 in n", 1, 3, "\"in\" needs a list or a map, not a number" },
    { "1 not in nothing", 1, 3, "\"in\" needs a list or a map, not null" },
    { "n contains 1", 1, 3, "contains() needs a list, a map or a string, not a number" },
    { "s contains 1", 1, 3, "contains() needs a string to look for, not a number" },
    { "n startsWith 'a'", 1, 3, "startsWith() needs a string, not a number" },
    { "s endsWith n", 1, 3, "endsWith() needs a string to look for, not a number" },
    { "n matches 'a'", 1, 3, "matches() needs a string, not a number" },
    { "s matches n", 1, 3, "matches() needs a string to look for, not a number" },
    { "s matches '(' + s", 1, 3, "bad regular expression: missing closing parenthesis after 4 characters" },
    { "1.5..3", 1, 4, "a range needs two integers" },
    { "größe +\n  'ä' * 2", 2, 7, "cannot coerce value \"ä\" to number" },
};

static void operations_fail_with_the_place_of_their_operator(void **state)
{
    (void)state;
    FAIL(failing_operations, data());
}

static void an_error_inside_a_function_names_the_function(void **state)
{
    static const char *const cases[][2] = {
        { "fromJSON('{')", "fromJSON(): " },
        { "duration('1 hour')", "duration(): " },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *value;
        struct error err;
        int64_t fuel = 1000;
        assert_int_equal(
            cases_run(str_of(cases[i][0]), cases_data(data(), &arena), &fuel, &arena, &value, &err),
            ST_INVALID);
        assert_true(str_starts(str_of(err.message), str_of(cases[i][1])));
        arena_done(&arena);
    }
}

static void errors_may_be_ignored(void **state)
{
    struct arena arena;
    const struct json *value;
    int64_t fuel = 100;
    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(cases_run(STR("1 +"), cases_data(data(), &arena), &fuel, &arena, &value, NULL),
                     ST_INVALID);
    assert_int_equal(cases_run(STR("ghost"), cases_data(data(), &arena), &fuel, &arena, &value, NULL),
                     ST_INVALID);
    arena_done(&arena);
}

static void the_caret_stands_under_the_character(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *want;
    } cases[] = {
        { "a + b", 1, 3, "a + b\n  ^\n" },
        { "'größe' + ghost", 1, 11, "'größe' + ghost\n          ^\n" },
        { "a\n\t+ ghost\n+ c", 2, 4, "\t+ ghost\n\t  ^\n" },
        { "a +", 1, 4, "a +\n   ^\n" },
        { "", 1, 1, "\n^\n" },
        { "a", 0, 0, "" },
        { "a", 7, 1, "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = { .line = cases[i].line, .column = cases[i].column };
        struct buf out;
        buf_init(&out, NULL);
        expr_print_caret(str_of(cases[i].text), &err, &out);
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[i].want);
        buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_texts_are_refused_with_their_place),
        cmocka_unit_test(calls_are_checked_before_running),
        cmocka_unit_test(operations_fail_with_the_place_of_their_operator),
        cmocka_unit_test(an_error_inside_a_function_names_the_function),
        cmocka_unit_test(errors_may_be_ignored),
        cmocka_unit_test(the_caret_stands_under_the_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
