/* Pipes, names, choices, comments and ways to write a number. */
#include "expr/cases.h"

static const char *data(void) { return document("expr/language", "data"); }

static void a_pipe_makes_its_left_side_the_first_argument(void **state)
{
    static const struct gives cases[] = {
        { "list | filter(# > 1) | len()", "2" },
        { "list|len()", "3" },
        { "list | len() | string() | len()", "1" },
        { "text | split(',')", "[\"a\",\"b\"]" },
        { "text | split(',', 1,)", "[\"a,b\"]" },
        { "5 | max(1, 9)", "9" },
        { "text | contains('a')", "true" },
        { "text | matches('^a.b$')", "true" },
        { "text | hasSuffix('x')", "false" },
        { "list | sum()", "6" },
        { "list | sum(# * 2)", "12" },
        { "list | reduce(#acc + #)", "6" },
        { "list | reduce(#acc + #, 10)", "16" },
        { "list | map({# + 1}) | sort('desc')", "[4,3,2]" },
        { "list | sortBy(-#) | first()", "3" },
        { "list | sortBy(#, 'desc')", "[3,2,1]" },
        { "[true, false, true] | count()", "2" },
        { "users | first().name", "\"Ann\"" },
        { "users | map(.name)[1]", "\"Bob\"" },
        { "users | find(.age > 99)?.name", "null" },
        { "rows | map(# | len())", "[2,0,1]" },
        { "rows | map(map(#, # | string() | len()) | sum())", "[2,0,1]" },
        { "[n | string(), x | string()]", "[\"5\",\"7\"]" },
        { "max(n | abs(), -x | abs())", "7" },
        { "${list} | len()", "3" },
        { "(list | len()) + 1", "4" },
    };
    (void)state;
    GIVE(cases, data());
}

static void a_pipe_binds_looser_than_operators_before_it(void **state)
{
    static const struct gives cases[] = {
        { "1 + 2 | string()", "\"3\"" },
        { "nothing ?? list | len()", "3" },
        { "true || false | string()", "\"true\"" },
        { "not true | string()", "\"false\"" },
        { "-n | abs()", "5" },
        { "n > 1 ? 'big' : text | split(',') | len()", "\"big\"" },
        { "n > 9 ? 'big' : text | split(',') | len()", "2" },
        { "list | len() > 2 ? 'many' : 'few'", "\"many\"" },
        /* What follows the call takes the whole pipe as its left side. */
        { "list | len() + 1", "4" },
        { "list | len() == 3", "true" },
        { "list | len() == 3 | string()", "\"true\"" },
        { "1 + 2 | abs() * 2", "6" },
        { "n | abs() + 1 | abs() + 1 | abs()", "7" },
        { "list | len() in [3]", "true" },
        { "2 in list | string() + '!'", "\"true!\"" },
    };
    (void)state;
    GIVE(cases, data());
}

static void let_gives_a_value_a_name(void **state)
{
    static const struct gives cases[] = {
        { "let a = 2; a * a", "4" },
        { "let a = n; a * a", "25" },
        { "let a = n; let b = a + 1; [a, b, x]", "[5,6,7]" },
        { "let x = x + 1; x", "8" }, /* Its own value still sees the variable, $env always does. */
        { "let x = 1; [x, #x, ${x}, $env.x]", "[1,1,1,7]" },
        { "let big = filter(list, # > 1); len(big) + big[0]", "4" },
        { "map(list, let double = # * 2; double + 1)", "[3,5,7]" },
        { "map(list, {let double = # * 2; double})", "[2,4,6]" },
        { "let more = n; map(list, # + more)", "[6,7,8]" },
        { "map(rows, let r = #; map(r, # + len(r)))", "[[3,4],[],[4]]" },
        { "1 + (let a = n; a * 2)", "11" },
        { "[(let a = n; a), (let a = x; a)]", "[5,7]" },
        { "let a = (let b = n; b + 1); let b = a + 1; [a, b]", "[6,7]" },
        { "let a = let b = n; b + 1; a", "6" },
        { "let parts = text | split(','); parts[1]", "\"b\"" },
        { "let a = n; a > 1 ? a : 0", "5" },
        { "let len = 3; len(list) + len", "6" },
        { "let letter = 'x'; letter", "\"x\"" },
        { "let o = {let: 1, if: 2, else: 3}; o.let + o.if + o.else", "6" },
        { "let größe_1 = n; größe_1", "5" },
        { "false && (let a = nothing.x; a) || true", "true" },
        { "let long = 'a text that is too long to be put wherever it is read, by some bytes'; len(long + "
          "long)",
          "136" },
    };
    (void)state;
    GIVE(cases, data());
}

static void if_chooses(void **state)
{
    static const struct gives cases[] = {
        { "if n > 1 { 'big' } else { 'small' }", "\"big\"" },
        { "if n > 9 { 'big' } else { 'small' }", "\"small\"" },
        { "if n > 9 {1} else if n > 4 {2} else {3}", "2" },
        { "if n > 9 {1} else if n > 8 {2} else {3}", "3" },
        { "(if n == 5 {1} else {2}) + 10", "11" },
        { "if 'n' in {a: 1} {1} else { {b: 2} }", "{\"b\":2}" },
        { "if n == 5 { let a = n; a + 1 } else { ghost }", "6" },
        { "let a = if n == 5 { 1 } else { 2 }; a", "1" },
        { "map(list, if # > 1 { 'x' } else { # })", "[1,\"x\",\"x\"]" },
        { "map(list, {if # > 1 { 'x' } else { # }})", "[1,\"x\",\"x\"]" },
        { "n == 5 ? if true {1} else {2} : 3", "1" },
        { "if (n == 5) {1} else {2}", "1" },
        { "if if true {false} else {true} {1} else {2}", "2" },
    };
    (void)state;
    GIVE(cases, data());
}

static void numbers_are_written_in_many_ways(void **state)
{
    static const struct gives cases[] = {
        { "0x10", "16" },
        { "0XfF", "255" },
        { "0o17", "15" },
        { "0b101", "5" },
        { "0B1_1", "3" },
        { "0xFF_FF", "65535" },
        { "1_000", "1000" },
        { "1_2.3_4", "12.34" },
        { ".5", "0.5" },
        { ".05 * 2", "0.1" },
        { "-.5", "-0.5" },
        { "1e1_0 == 10000000000", "true" },
        { ".5e1 == 5", "true" },
        { "1 -.5", "0.5" },
        { "[.5, .25]", "[0.5,0.25]" },
        { "0x1e", "30" },
        { "0x7fffffffffffffff", "9223372036854775807" },
        { "0x0", "0" },
        { "0b0001", "1" },
        { "1..3", "[1,2,3]" },
        { "0x1..0x3", "[1,2,3]" },
        { "n>.5", "true" },
        { "true and .5 < n", "true" },
        { "map(list, .5)", "[0.5,0.5,0.5]" },
        { "list[0x1]", "2" },
    };
    (void)state;
    GIVE(cases, data());
}

static void comments_are_skipped(void **state)
{
    static const struct gives cases[] = {
        { "1 /* one */ + /* two */ 2", "3" },
        { "1 // one\n+ 2 // two", "3" },
        { "// first\n// second\nn", "5" },
        { "/**/n/***/", "5" },
        { "/* a /* b */ n", "5" },
        { "/* 'x */ n", "5" },
        { "n // it's \"fine\"", "5" },
        { "n // */ /*", "5" },
        { "'http://x/*y*/'", "\"http://x/*y*/\"" },
        { "\"//\" + `/*` + '\\'//'", "\"///*'//\"" },
        { "10 / 2 / 5", "1" },
        { "10/n", "2" },
        { "n*/**/2", "10" },
        { "text matches 'a//b|a,b'", "true" },
        { "${n /* inside */}", "5" },
    };
    (void)state;
    GIVE(cases, data());
}

static void mistakes_are_found_with_their_place(void **state)
{
    static const struct fails cases[] = {
        { "n | x", 1, 3, "\"|\" hands a value to a function, as in list | len(); for a choice write \"||\"" },
        { "n | 2", 1, 3, "\"|\" hands a value to a function, as in list | len(); for a choice write \"||\"" },
        { "n |", 1, 3, "\"|\" hands a value to a function, as in list | len(); for a choice write \"||\"" },
        { "| len()", 1, 1, "expected a value, found \"|\"" },
        { "list | lenn()", 1, 8, "unknown function \"lenn\"; did you mean \"len\"?" },
        { "list | len(1)", 1, 8, "len() takes 1 argument, not 2" },
        { "list | filter()", 1, 8, "filter() takes 2 arguments, not 1" },
        { "list | contains()", 1, 8, "contains() takes 2 arguments, not 1" },
        { "n | len()", 1, 5, "len() needs a list, a map or a string, not a number" },
        { "list | map(# + ghost)", 1, 16, "undefined variable \"ghost\"" },
        { "let", 1, 4, "expected a name, but the expression ends here" },
        { "let 1 = 2; 3", 1, 5, "expected a name, found \"1\"" },
        { "let if = 2; 3", 1, 5, "expected a name, found \"if\"" },
        { "let true = 2; 3", 1, 5, "expected a name, found \"true\"" },
        { "let $env = 2; 3", 1, 5, "expected a name, found \"$env\"" },
        { "let a", 1, 6, "expected \"=\", but the expression ends here" },
        { "let a == 1; a", 1, 7, "expected \"=\", found \"==\"" },
        { "let a = 1", 1, 10, "expected \";\", but the expression ends here" },
        { "let a = 1, a", 1, 10, "expected \";\", found \",\"" },
        { "let a = 1;", 1, 11, "expected a value, but the expression ends here" },
        { "let a = 1; let a = 2; a", 1, 16, "the name \"a\" is defined already" },
        { "let a = 1; (let a = 2; a)", 1, 17, "the name \"a\" is defined already" },
        { "let a = b; let b = 1; a", 1, 9, "undefined variable \"b\"" },
        { "(let a = 1; a) + a", 1, 18, "undefined variable \"a\"" },
        { "let a = ghost; 1", 1, 9, "undefined variable \"ghost\"" },
        { "let a = n = 1; a", 1, 11, "\"=\" is not an operator; did you mean \"==\"?" },
        { "1 + let a = 1; a", 1, 5, "expected a value, found \"let\"" },
        { "n; x", 1, 2, "unexpected \";\" after a complete expression" },
        { "len(list; 1)", 1, 9, "expected \")\", found \";\"" },
        { "[n = 1]", 1, 4, "\"=\" is not an operator; did you mean \"==\"?" },
        { "if n > 1", 1, 9, "expected \"{\", but the expression ends here" },
        { "if n > 1 { 1 }", 1, 15, "expected \"else\", but the expression ends here" },
        { "if n > 1 { 1 } else 2", 1, 21, "expected \"{\", found \"2\"" },
        { "if n > 1 { 1 } else { 2", 1, 21, "\"{\" is never closed" },
        { "if n > 1 { } else { 2 }", 1, 12, "expected a value, found \"}\"" },
        { "if n { 1 } else { 2 }", 1, 1, "cannot coerce value \"5\" to bool" },
        { "if n > 1 { 1 } else { 2 } + 3", 1, 27, "unexpected \"+\" after a complete expression" },
        { "else", 1, 1, "expected a value, found \"else\"" },
        { "1 + if n > 1 {1} else {2}", 1, 5, "expected a value, found \"if\"" },
        { "0x", 1, 1, "malformed number \"0x\"" },
        { "0xg", 1, 1, "malformed number \"0xg\"" },
        { "0b12", 1, 1, "malformed number \"0b12\"" },
        { "0o8", 1, 1, "malformed number \"0o8\"" },
        { "0x_1", 1, 1, "malformed number \"0x_1\"" },
        { "1_", 1, 1, "malformed number \"1_\"" },
        { "1__0", 1, 1, "malformed number \"1__0\"" },
        { "0_1", 1, 1, "malformed number \"0_1\"" },
        { "1e_1", 1, 1, "malformed number \"1e_1\"" },
        { ".5x", 1, 1, "malformed number \".5x\"" },
        { "1.5.5", 1, 4, "unexpected \".5\" after a complete expression" },
        { "0x8000000000000000", 1, 1, "too large a number \"0x8000000000000000\"" },
        { "n /* x", 1, 3, "the comment is never closed" },
        { "/*/", 1, 1, "the comment is never closed" },
        { "// only", 1, 8, "expected a value, but the expression ends here" },
        { "n +\n// two\n/* three\n*/ ghost", 4, 4, "undefined variable \"ghost\"" },
        { "${n // }", 1, 1, "\"${\" is never closed" },
    };
    (void)state;
    FAIL(cases, data());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_makes_its_left_side_the_first_argument),
        cmocka_unit_test(a_pipe_binds_looser_than_operators_before_it),
        cmocka_unit_test(let_gives_a_value_a_name),
        cmocka_unit_test(if_chooses),
        cmocka_unit_test(numbers_are_written_in_many_ways),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(mistakes_are_found_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
