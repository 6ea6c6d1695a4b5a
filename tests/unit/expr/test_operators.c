#include "expr/cases.h"

static const char *data(void) { return document("expr/operators", "data"); }

static void literals_are_what_they_say(void **state)
{
    static const struct gives cases[] = {
        { "1", "1" },
        { "0", "0" },
        { "1.0", "1.0" },
        { "0.1", "0.1" },
        { "-1", "-1" },
        { "-0.50", "-0.5" },
        { "1e3", "1e3" },
        { "1.5E-3", "1.5E-3" },
        { "12345678901234567890", "12345678901234567890" },
        { "true", "true" },
        { "false", "false" },
        { "nil", "null" },
        { "null", "null" },
        { "'x'", "\"x\"" },
        { "\"x\"", "\"x\"" },
        { "'it\\'s'", "\"it's\"" },
        { "\"say \\\"hi\\\"\"", "\"say \\\"hi\\\"\"" },
        { "'say \"hi\"'", "\"say \\\"hi\\\"\"" },
        { "\"it's #1\"", "\"it's #1\"" },
        { "'a\\n\\t\\r\\\\b'", "\"a\\n\\t\\r\\\\b\"" },
        { "'\\u0041\\u00e9'", "\"Aé\"" },
        { "'\\uD83D\\uDE00'", "\"😀\"" },
        { "`a\\d'\"`", "\"a\\\\d'\\\"\"" },
        { "'${n}'", "\"${n}\"" },
        { "[]", "[]" },
        { "[1, 'a', [true, nil]]", "[1,\"a\",[true,null]]" },
        { "[1, 2,]", "[1,2]" },
        { "{}", "{}" },
        { "{a: 1, \"b c\": n}", "{\"a\":1,\"b c\":5}" },
        { "{true: 1, in: 2}", "{\"true\":1,\"in\":2}" },
    };
    (void)state;
    GIVE(cases, data());
}

static void variables_have_three_spellings(void **state)
{
    static const struct gives cases[] = {
        { "n", "5" },
        { "#n", "5" },
        { "${n}", "5" },
        { "${ n + 1 }", "6" },
        { "${n} + #m + n", "12" },
        { "${creditScore >= 700 && ${user.age} > 40}", "true" },
        { "${user}.name", "\"Ann\"" },
        { "#user.name", "\"Ann\"" },
        { "#index", "99" },
        { "größe + 1", "4" },
        { "名前", "\"x\"" },
        { "a$b", "1" },
        { "#in", "8" },
        { "#true", "9" },
        { "contains + 1", "11" },
        { "big", "12345678901234567890" },
        { "$env.n", "5" },
        { "'ghost' in $env", "false" },
        { "get($env, 'ghost') ?? 7", "7" },
        { "  n\n +\tm ", "7" },
    };
    (void)state;
    GIVE(cases, data());
}

static void paths_reach_into_values(void **state)
{
    static const struct gives cases[] = {
        { "user.name", "\"Ann\"" },
        { "user['name']", "\"Ann\"" },
        { "user[\"na\" + 'me']", "\"Ann\"" },
        { "user.roles[0]", "\"ADMIN\"" },
        { "user.roles[-1]", "\"DEV\"" },
        { "list[m]", "3" },
        { "list[1.0]", "2" },
        { "user.missing", "null" },
        { "user['missing']", "null" },
        { "user.address?.street", "null" },
        { "user.address?.street.number[3]", "null" },
        { "user.missing?.[0]", "null" },
        { "user?.name", "\"Ann\"" },
        { "list?.[1]", "2" },
        { "list[1:3]", "[2,3]" },
        { "list[:2]", "[1,2]" },
        { "list[1:]", "[2,3]" },
        { "list[:]", "[1,2,3]" },
        { "list[-2:]", "[2,3]" },
        { "list[:-1]", "[1,2]" },
        { "list[2:1]", "[]" },
        { "list[-9:9]", "[1,2,3]" },
        { "list[n > 4 ? 1 : 0 : 2]", "[2]" },
        { "text[1]", "\"é\"" },
        { "text[-1]", "\"o\"" },
        { "text[1:3]", "\"él\"" },
        { "text[:2]", "\"hé\"" },
        { "text[9:]", "\"\"" },
        { "[10, 20, 30][1]", "20" },
        { "{a: {b: 2}}.a.b", "2" },
        { "{in: 3}.in", "3" },
        { "user.roles[0][0:2]", "\"AD\"" },
        { "(user).name", "\"Ann\"" },
        { "'abc'[1]", "\"b\"" },
    };
    (void)state;
    GIVE(cases, data());
}

static void arithmetic_is_exact(void **state)
{
    static const struct gives cases[] = {
        { "1 + 2", "3" },
        { "0.1 + 0.2", "0.3" },
        { "0.1 + 0.2 == 0.3", "true" },
        { "amount * 3", "300.3" },
        { "n - m", "3" },
        { "n / m", "2.5" },
        { "n % m", "1" },
        { "2 ** 10", "1024" },
        { "2 ** -1", "0.5" },
        { "big + 1", "12345678901234567891" },
        { "9007199254740993 + 0", "9007199254740993" },
        { "9223372036854775807 + 1", "9223372036854775808" },
        { "-n", "-5" },
        { "+n", "5" },
        { "--n", "5" },
        { "- -n", "5" },
        { "n - -m", "7" },
        { "f + 0.5", "2" },
        { "s + 1", "6" },
        { "1 + s", "6" },
        { "s * 2", "10" },
        { "s - s", "0" },
        { "s / '2'", "2.5" },
        { "-s", "-5" },
        { "+s", "5" },
        { "' 5 ' * 2", "10" },
        { "'1e2' + 0", "100" },
        { "s + s", "\"55\"" },
        { "'a' + \"b\"", "\"ab\"" },
        { "word + '-' + s", "\"abc-5\"" },
        { "1..4", "[1,2,3,4]" },
        { "m..n", "[2,3,4,5]" },
        { "3..3", "[3]" },
        { "3..1", "[]" },
        { "-1..1", "[-1,0,1]" },
        { "1 + 1..2 * 2", "[2,3,4]" },
        { "1.5 + 1", "2.5" },
    };
    (void)state;
    GIVE(cases, data());
}

static void comparison_coerces_numbers_but_not_texts(void **state)
{
    static const struct gives cases[] = {
        { "10 == 10.0", "true" },
        { "n == 5", "true" },
        { "s == 5", "true" },
        { "5 == s", "true" },
        { "s == n", "true" },
        { "s != 5", "false" },
        { "s == '5'", "true" },
        { "seven == bond", "false" },
        { "bond == '007'", "true" },
        { "bond == 7", "false" }, /* 007 is not a number in JSON. */
        { "seven == 7.0", "true" },
        { "word == 5", "false" },
        { "empty == 0", "false" },
        { "yes == 'true'", "false" },
        { "yes == 1", "false" },
        { "nothing == nil", "true" },
        { "nothing == 0", "false" },
        { "nothing == false", "false" },
        { "nothing != null", "false" },
        { "list == [1, 2.0, 3]", "true" },
        { "list == ['1', 2, 3]", "false" },
        { "{a: 1, b: 2} == {b: 2, a: 1.0}", "true" },
        { "status == 'APPROVED'", "true" },
        { "status2 == '#fff'", "true" },
        { "n > 4", "true" },
        { "n >= 5", "true" },
        { "n < 5", "false" },
        { "n <= 5", "true" },
        { "s < 10", "true" },
        { "10 > s", "true" },
        { "'10' < '9'", "true" },
        { "word < 'abd'", "true" },
        { "'a' < 'b'", "true" },
        { "'b' >= 'a'", "true" },
        { "'a' < 'aa'", "true" },
        { "big > 12345678901234567889", "true" },
        { "f > 1", "true" },
        { "1 < 2 == true", "true" },
        { "n == 5 == yes", "true" },
        { "yes == true", "true" },
        { "yes != no", "true" },
    };
    (void)state;
    GIVE(cases, data());
}

static void logic_takes_booleans_and_stops_early(void **state)
{
    static const struct gives cases[] = {
        { "yes && no", "false" },
        { "yes || no", "true" },
        { "!yes", "false" },
        { "!!yes", "true" },
        { "yes and not no", "true" },
        { "no or yes", "true" },
        { "not no", "true" },
        { "T && yes", "true" },
        { "yes && T", "true" },
        { "F || F", "false" },
        { "!F", "true" },
        { "not T", "false" },
        { "T || ghost", "true" },
        { "true || ghost", "true" },
        { "yes || ghost", "true" },
        { "no && ghost", "false" },
        { "no && ghost && ghost", "false" },
        { "yes && yes && no", "false" },
        { "no || no || yes", "true" },
        { "yes ? 1 : ghost", "1" },
        { "no ? ghost : 2", "2" },
        { "n > 3 ? 'big' : 'small'", "\"big\"" },
        { "no ? 1 : no ? 2 : 3", "3" },
        { "yes ? no ? 1 : 2 : 3", "2" },
        { "yes ? {a: 1} : [2]", "{\"a\":1}" },
        { "nothing ?? 4", "4" },
        { "n ?? ghost", "5" },
        { "user.missing ?? user.name", "\"Ann\"" },
        { "nothing ?? nil ?? 6", "6" },
        { "user.address?.city ?? 'unknown'", "\"unknown\"" },
        { "nil ?? n", "5" },
        { "false ?? true", "false" },
    };
    (void)state;
    GIVE(cases, data());
}

static void precedence_is_as_documented(void **state)
{
    static const struct gives cases[] = {
        { "1 + 2 * 3", "7" },          { "(1 + 2) * 3", "9" },
        { "10 - 4 - 3", "3" },         { "100 / 10 / 5", "2" },
        { "10 - (4 - 3)", "9" },       { "2 * 3 % 4", "2" },
        { "2 ** 3 ** 2", "512" },      { "2 * 3 ** 2", "18" },
        { "-2 ** 2", "-4" },           { "(-2) ** 2", "4" },
        { "-n * m", "-10" },           { "n - m > 1 + 1", "true" },
        { "yes || no && no", "true" }, { "(yes || no) && no", "false" },
        { "no && no || yes", "true" }, { "n == 5 && m == 2 || ghost", "true" },
        { "not n == 5", "false" },     { "not yes == no", "true" },
        { "!yes == no", "true" },      { "not no and no", "false" },
        { "yes == not no", "true" },   { "n in 1..5", "true" },
        { "n + 1 in [6]", "true" },    { "nothing ?? yes || no", "true" },
        { "no ?? yes ? 1 : 2", "2" },  { "n > 3 ? n + 1 : n - 1", "6" },
        { "1 + 2 .. 2 * 2", "[3,4]" }, { "-list[0]", "-1" },
        { "!(n > 5)", "true" },        { "1 + 2 - 3 + 4 * 5 / 2 - 1", "9" },
    };
    (void)state;
    GIVE(cases, data());
}

static void membership_and_text_tests(void **state)
{
    static const struct gives cases[] = {
        { "'ADMIN' in user.roles", "true" },
        { "'OTHER' in user.roles", "false" },
        { "'OTHER' not in user.roles", "true" },
        { "not ('ADMIN' in user.roles)", "false" },
        { "not 'ADMIN' in user.roles", "false" },
        { "contains(user.roles, 'ADMIN')", "true" },
        { "contains(user.roles, 'X')", "false" },
        { "contains(list, len(words))", "true" },
        { "contains(list, len(user.roles) + 1)", "true" },
        { "1 in list", "true" },
        { "1.0 in list", "true" },
        { "'1' in list", "false" },
        { "s in [5]", "false" },
        { "[1] in [[1.0]]", "true" },
        { "nil in [nil]", "true" },
        { "'name' in user", "true" },
        { "'ghost' in user", "false" },
        { "1 in user", "false" },
        { "contains(user, 'age')", "true" },
        { "word contains 'bc'", "true" },
        { "word contains 'x'", "false" },
        { "word not contains 'x'", "true" },
        { "contains(word, 'ab')", "true" },
        { "contains(word, '')", "true" },
        { "list contains 2", "true" },
        { "word startsWith 'ab'", "true" },
        { "word startsWith 'bc'", "false" },
        { "word endsWith 'bc'", "true" },
        { "word not endsWith 'bc'", "false" },
        { "startsWith(word, 'a')", "true" },
        { "endsWith(word, 'a')", "false" },
        { "hasPrefix(word, 'a')", "true" },
        { "hasSuffix(word, 'c')", "true" },
        { "word matches '^a.c$'", "true" },
        { "word matches 'b'", "true" },
        { "word not matches '^b'", "true" },
        { "matches(word, '^[a-c]+$')", "true" },
        { "word matches '^' + word", "true" },
        { "'Ünï' matches '^...$'", "true" },
        { "'FooException' matches '^\\\\w+Exception$'", "true" },
        { "'a1' matches `^\\w\\d$`", "true" },
        { "'' matches '^$'", "true" },
        { "user.name matches '(?i)^ANN$'", "true" },
    };
    (void)state;
    GIVE(cases, data());
}

/* The reference's own examples. */
static void the_documented_examples_work(void **state)
{
    const char *loan = document("expr/operators", "loan");
    static const struct gives cases[] = {
        { "result.eligible", "true" },
        { "${result.eligible}", "true" },
        { "result.score", "720" },
        { "age > 18", "false" },
        { "riskScore < 0.5", "true" },
        { "valid == true && creditScore >= 600", "true" },
        { "bypass == true || creditScore >= 800", "false" },
        { "!blacklisted", "true" },
        { "(age > 1 && riskScore < 5) || valid == true", "true" },
        { "contains(user.roles, 'ADMIN')", "false" },
        { "len(attachments) == 0", "true" },
        { "len(attachments) > 0", "false" },
        { "${loanAmount + processingFee}", "40050" },
        { "${unitPrice * quantity - discount}", "27.97" },
        { "${totalScore / reviewCount}", "2.25" },
        { "${creditScore >= 600 && !blacklisted}", "true" },
        { "contains(user.roles, 'LOAN_OFFICER') && loanAmount <= 50000", "true" },
        { "creditScore >= 750 && loanAmount >= 50000000 && segment == 'PRIORITY'", "false" },
        { "creditScore <  750 && creditScore >= 500", "true" },
    };
    (void)state;
    GIVE(cases, loan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_what_they_say),
        cmocka_unit_test(variables_have_three_spellings),
        cmocka_unit_test(paths_reach_into_values),
        cmocka_unit_test(arithmetic_is_exact),
        cmocka_unit_test(comparison_coerces_numbers_but_not_texts),
        cmocka_unit_test(logic_takes_booleans_and_stops_early),
        cmocka_unit_test(precedence_is_as_documented),
        cmocka_unit_test(membership_and_text_tests),
        cmocka_unit_test(the_documented_examples_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
