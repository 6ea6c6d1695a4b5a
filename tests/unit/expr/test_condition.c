#include "expr/built.h"

static const char *usual(void) { return document("expr/condition", "usual"); }

/* `$` is the data; `error` is its exception, `name` that one's name and `list` something else. */
static enum status parse(struct built *built, str text, struct expr_tree **ret_tree)
{
    struct arena *arena = &built->arena;
    struct expr_tree *root = tree_data(arena);
    struct expr_tree *error = tree_member(root, STR("exception"), arena);
    const struct condition_name names[] = {
        { STR("error"), error },
        { STR("name"), tree_member(error, STR("name"), arena) },
        { STR("list"), built_literal(built, "[{\"v\":1},{\"v\":2}]") },
    };
    const struct condition_names all = { .root = root, .name = names, .count = COUNT(names) };
    return expr_parse_condition(text, &all, arena, ret_tree, &built->err);
}

struct holds {
    const char *text;
    bool want;
};

static void check(const struct holds *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct built built;
        struct expr_tree *tree;
        built_begin(&built, usual());
        if (parse(&built, str_of(cases[i].text), &tree) != ST_OK)
            fail_msg("%s: %u:%u %s", cases[i].text, built.err.line, built.err.column, built.err.message);
        assert_string_equal(built_text(&built, tree), cases[i].text);
        built_expect(&built, tree, cases[i].want ? "true" : "false");
        built_end(&built);
    }
}

#define CHECK(cases) check((cases), COUNT(cases))

static void operators_have_words_and_signs(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.n == 5", true },
        { "$.n eq 5", true },
        { "$.n is 5", true },
        { "$.n EQ 5.0", true },
        { "$.n == 6", false },
        { "$.n != 5", false },
        { "$.n ne 6", true },
        { "$.n Ne 5", false },
        { "$.n < 6", true },
        { "$.n lt 5", false },
        { "$.n <= 5", true },
        { "$.n le 4", false },
        { "$.n > 4", true },
        { "$.n GT 5", false },
        { "$.n >= 5", true },
        { "$.n ge 6", false },
        { "$.s matches 'ex'", true },
        { "$.s =~ 'ex'", true },
        { "$.s Matches '^ex'", false },
        { "$.t and $.n > 1", true },
        { "$.t && $.no", false },
        { "$.no or $.t", true },
        { "$.no || $.z", false },
        { "not $.no", true },
        { "!$.t", false },
        { "! $.t", false },
        { "NOT $.t", false },
        { "$.n==5", true },
        { "$.n!=5", false },
        { "$.n<6&&$.n>4", true },
        { "$.n>=5||$.no", true },
        { "$.s=~'ex'", true },
        { "\t$.n\n==\r\n5 ", true },
    };
    CHECK(cases);
}

static void and_binds_tighter_than_or_and_not_tightest(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "true or false and false", true },
        { "(true or false) and false", false },
        { "false and false or true", true },
        { "not false and false", false },
        { "not (false and false)", true },
        { "not not true", true },
        { "!!!true", false },
        { "not ! not true", false },
        { "not $.n == 6", true }, /* not (…): a comparison binds tighter. */
        { "! $.n == 5", false },
        { "true and true and true and false", false },
        { "false or false or true", true },
        { "((($.n))) == ((5))", true },
        { "(true) == (1 == 1)", true },
        { "($.n == 5) == false", false },
        { "($.n == 5) == (not $.no)", true },
    };
    CHECK(cases);
}

static void words_are_taken_in_any_case(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "TRUE AND True", true },
        { "False OR true", true },
        { "$.z EQ NULL", true },
        { "$.z Is Null", true },
        { "#JSONPATH(stateOutputData, '$.n') eq 5", true },
        { "$.s MATCHES 'TEXT'", false }, /* But not texts. */
        { "$.S eq 'text'", false },
    };
    CHECK(cases);
}

static void nothing_is_coerced(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.n == '5'", false },
        { "$.five == 5", false },
        { "$.n != '5'", true },
        { "$.five < 6", false },
        { "$.five >= 5", false },
        { "$.n > '1'", false },
        { "$.n <= '9'", false },
        { "$.t == 'true'", false },
        { "$.t == 1", false },
        { "$.t > $.no", false },
        { "$.z < 1", false },
        { "$.z <= null", false },
        { "$.z == false", false },
        { "$.e == null", false },
        { "$.l == null", false },
        { "$.o < $.o", false },
        { "$.l >= $.l", false },
        { "$.l == $.l", true },
        { "$.o == $.o", true },
        { "$.o == $.l", false },
        { "$.five < '6'", true },
        { "'10' < '9'", true },
        { "10 < 9", false },
        { "'b' > 'a'", true },
        { "'Z' < 'a'", true },
        { "2.5 == $.f", true },
        { "-1 < 0", true },
        { "1e3 == 1000", true },
        { "12345678901234567890 > 12345678901234567889", true },
        { "$.n matches '5'", false },
        { "$.z matches ''", false },
        { "$.o matches '.*'", false },
        { "5 =~ /5/", false },
        { "null matches 'null'", false },
    };
    CHECK(cases);
}

static void what_is_missing_is_null(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.none == null", true },
        { "$.none != null", false },
        { "$.exception != null", true },
        { "$.none.deep is null", true },
        { "$.none", false },
        { "none", false },
        { "none == null", true },
        { "none.deep.er eq null", true },
        { "n.deep is null", true },
        { "$.none < 1", false },
        { "$.none == $.nowhere", true },
        { "$.none matches 'x'", false },
        { "$.same[7] == null", true },
    };
    CHECK(cases);
}

static void truth_is_everything_but_false_null_and_no_nodes(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.t", true },
        { "$.no", false },
        { "$.z", false },
        { "$.n", true },
        { "$.s", true },
        { "$.e", true },
        { "$.l", true },
        { "$.o", true },
        { "$", true },
        { "0", true },
        { "''", true },
        { "null", false },
        { "'false'", true },
        { "true", true },
        { "false", false },
        { "count", true },
        { "$..none", false },
        { "$.l[*]", false },
        { "$.people[?(@.age < 18)]", true },
        { "$.people[?(@.age < 10)]", false },
        { "not $..none", true },
        { "$..none or $.t", true },
        { "$.same[?(@ == 7)] and $.t", false },
        { "$..no", true }, /* A node, though it is false. */
        { "not ''", false },
        { "$.n and $.s", true },
        { "stateOutputData", true },
    };
    CHECK(cases);
}

static void any_of_the_nodes_will_do(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$..title eq 'MANAGER'", true },
        { "$..title eq 'BOSS'", false },
        { "$..title ne 'MANAGER'", false },
        { "$..title ne 'BOSS'", true }, /* None is equal. */
        { "$.people[*].age < 18", true },
        { "$.people[*].age > 40", false },
        { "$.people[*].age == '40'", true },
        { "$.people[*].age == 40", true },
        { "18 > $.people[*].age", true },
        { "'MANAGER' eq $..title", true },
        { "$..title matches '^PUP'", true },
        { "$..title =~ /x/", false },
        { "$.people[*].age matches '4'", true },
        { "$..none eq null", false },
        { "$..none ne null", true },
        { "$..none matches ''", false },
        { "$.same[*] == $.people[*].age", false },
        { "$.same[*] < $.people[*].age", true },
        { "$.same == $.same[*]", false },
        { "$.same[*] == $.n", true },
        { "$.same == $.same", true }, /* A list that a definite path leads to is one value. */
        { "#jsonPath(stateOutputData,'$..title') eq 'MANAGER'", true },
        { "#jsonPath(stateOutputData,'$..title') eq 'BOSS'", false },
    };
    CHECK(cases);
}

static void a_path_ends_where_it_must(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.people[?(@.age < 18)] and $.n > 1", true },
        { "($.user.title)", true },
        { "($.user.title)=='MANAGER'", true },
        { "($.n==5)", true },
        { "$['n']==5", true },
        { "$.user['title'] == 'MANAGER'", true },
        { "$[ 'user' ][ 'title' ]=='MANAGER'", true },
        { "$.people[?(@.title == 'MANAGER' && @.age > 18)].age == 40", true },
        { "$.people[?(@.title == \"]\" || @.title == ')')]", false },
        { "$.people[?(@.title == '\\']')] or $.t", true },
        { "$.people[?(@.title =~ /^[')\\/]*MAN/i)].age eq 40", true },
        { "$.people[?@.title =~ /]\"/] or $.no", false },
        { "$.people[0].age<18", true },
        { "$.people[0].age>18||$.t", true },
        { "$.people[0].title=~'^P'", true },
        { "$ == $", true },
        { "$. == $", true },
        { "$.[?(@.title)]", true },
        { "$..title!='BOSS'", true },
    };
    CHECK(cases);
}

static void names_are_known_ones_or_members(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "name eq 'BadException'", true },
        { "error.name is 'BadException'", true },
        { "exception.name matches '^\\w+Exception$'", true },
        { "error.none == null", true },
        { "message == null", true }, /* Not a known name here, and no member. */
        { "count gt 3 and not (count gt 4)", true },
        { "user.title == 'MANAGER'", true },
        { "user.is.not == 1", true }, /* Behind a dot every word is a name. */
        { "user . title == 'MANAGER'", true },
        { "stateOutputData.user.title == 'MANAGER'", true },
        { "stateOutputData == $", true },
        { "#jsonPath(stateOutputData,'$.user.title') eq 'MANAGER'", true },
        { "#jsonPath( stateOutputData , \"user.title\" )=='MANAGER'", true },
        { "#jsonPath(stateOutputData,'$[\\'user\\'].title') eq 'MANAGER'", true },
        { "#jsonPath(stateOutputData,'$[''user''].title') eq 'MANAGER'", true },
        { "#jsonPath(list,'$[*].v') == 2", true },
        { "#jsonPath(error,'$.name') == name", true },
        { "#jsonPath(stateOutputData,'$.none') == null", true },
        { "list", true },
    };
    CHECK(cases);
}

static void strings_keep_their_backslashes(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.quote == 'it\\'s'", true },
        { "$.quote == 'it''s'", true },
        { "$.quote == \"it's\"", true },
        { "error.message == 'no \"luck\"'", true },
        { "error.message == \"no \\\"luck\\\"\"", true },
        { "$.slash == 'a\\\\b'", true },
        { "$.slash == 'a\\b'", true },
        { "$.s matches '^\\w+$'", true },
        { "$.s matches '^\\\\w+$'", true },
        { "'' == \"\"", true },
        { "'''' == \"'\"", true },
        { "'\xc3\xa4' > 'z'", true },
    };
    CHECK(cases);
}

static void patterns_are_searched_for(void **state)
{
    (void)state;
    static const struct holds cases[] = {
        { "$.s =~ /EX/i", true },
        { "$.s =~ /EX/", false },
        { "$.s matches /^T.XT$/i", true },
        { "$.s =~ /t e x t/x", true },
        { "$.s =~ /e/imsxu", true },
        { "$.s =~ //", true },
        { "$.s =~/x/&&$.t", true },
        { "$.s =~ /a\\/b/", false },
        { "'a/b' =~ /a\\/b/", true },
        { "'a\nb' =~ /a.b/s", true },
        { "'a\nb' =~ /a.b/", false },
        { "'a\nb' =~ /^b/m", true },
        { "$.s matches $.pattern", true },
        { "'xte' matches $.pattern", false },
        { "$.s matches $.n", false },
        { "$.s matches $.none", false },
        { "$.s matches $.patterns[*]", true },
        { "$.s matches ('ex')", true },
    };
    CHECK(cases);
    struct built built;
    struct expr_tree *tree;
    built_begin(&built, usual());
    assert_int_equal(parse(&built, STR("$.s matches $.broken"), &tree), ST_OK);
    assert_int_equal(built_run(&built, tree), ST_INVALID); /* Only now is it known. */
    assert_string_equal(built.err.where, "");
    assert_int_equal(built.err.line, 0);
    built_end(&built);
}

/* ---- what is wrong ---- */

static const struct fails mistakes[] = {
    { "", 1, 1, "empty condition" },
    { " \n ", 1, 1, "empty condition" },
    { "$.n ==", 1, 7, "expected a value, but the condition ends here" },
    { "$.n == and", 1, 8, "expected a value, found \"and\"" },
    { "== 5", 1, 1, "expected a value, found \"==\"" },
    { "$.n = 5", 1, 5, "\"=\" is not an operator; did you mean \"==\"?" },
    { "$.n & 5", 1, 5, "\"&\" is not an operator; did you mean \"&&\"?" },
    { "$.n | 5", 1, 5, "\"|\" is not an operator; did you mean \"||\"?" },
    { "$.n 5", 1, 5, "unexpected \"5\" after a complete condition" },
    { "$.n eq 5 $.n", 1, 10, "unexpected \"$.n\" after a complete condition" },
    { "$.n == 5 == true", 1, 10, "comparisons do not follow each other; put one of them in parentheses" },
    { "1 < $.n < 9", 1, 9, "comparisons do not follow each other; put one of them in parentheses" },
    { "$.s matches 'e' matches 'f'", 1, 17,
      "comparisons do not follow each other; put one of them in parentheses" },
    { "($.n == 5", 1, 1, "\"(\" is never closed" },
    { "($.n == 5 $.n)", 1, 11, "expected \")\", found \"$.n\"" },
    { "$.n == 5)", 1, 9, "unexpected \")\" after a complete condition" },
    { "()", 1, 2, "expected a value, found \")\"" },
    { "not", 1, 4, "expected a value, but the condition ends here" },
    { "true and", 1, 9, "expected a value, but the condition ends here" },
    { "or true", 1, 1, "expected a value, found \"or\"" },
    { "$.n == 'open", 1, 8, "the string is never closed" },
    { "$.n == 'open\\'", 1, 8, "the string is never closed" },
    { "$.s =~ /open", 1, 8, "the regular expression is never closed" },
    { "$.s =~ /open\\/", 1, 8, "the regular expression is never closed" },
    { "$.s =~ /", 1, 8, "the regular expression is never closed" },
    { "$.s =~ /x/iq", 1, 12, "unknown flag \"q\" of a regular expression" },
    { "$.s =~ 5", 1, 8, "a pattern is a text in quotes, not a number" },
    { "$.s matches null", 1, 13, "a pattern is a text in quotes, not null" },
    { "/x/ == 1", 1, 1, "unexpected character \"/\"" },
    { "user. == 1", 1, 7, "expected the name of a member, found \"==\"" },
    { "user.", 1, 6, "expected the name of a member, but the condition ends here" },
    { "user.5", 1, 6, "expected the name of a member, found \"5\"" },
    { "order-id == 1", 1, 6, "unexpected character \"-\"" },
    { "1.5.2 == 1", 1, 1, "malformed number \"1.5.2\"" },
    { "1. == 1", 1, 1, "malformed number \"1.\"" },
    { "01 == 1", 1, 1, "malformed number \"01\"" },
    { "5x == 1", 1, 1, "malformed number \"5x\"" },
    { "1e == 1", 1, 1, "malformed number \"1e\"" },
    { "- 5 == 1", 1, 1, "unexpected character \"-\"" },
    { "$.n == \xe2\x80\x9cx\xe2\x80\x9d", 1, 8, "\xe2\x80\x9c is not a quote here; write ' or \"" },
    { "$.n == 5 and\n  $.m ==", 2, 9, "expected a value, but the condition ends here" },
    { "'\xc3\xa4\xc3\xb6' == @", 1, 9, "unexpected character \"@\"" },
    { "#jsonPath", 1, 10, "expected \"(\", but the condition ends here" },
    { "#jsonPath('$.n')", 1, 11, "expected a name, found \"'$.n'\"" },
    { "#jsonPath(stateOutputData)", 1, 26, "expected \",\", found \")\"" },
    { "#jsonPath(stateOutputData, $.n)", 1, 28, "expected a path in quotes, found \"$.n\"" },
    { "#jsonPath(stateOutputData, '$.n'", 1, 33, "expected \")\", but the condition ends here" },
    { "#jsonPath(other, '$.n')", 1, 11, "unknown name \"other\"" },
    { "#xpath(stateOutputData, '/n')", 1, 1,
      "unknown function \"#xpath\"; there is only #jsonPath(name, 'path')" },
    { "# == 1", 1, 1, "unexpected character \"#\"" },
    { "$[ 'user' ] [ 'title' ]", 1, 13, "unexpected character \"[\"" }, /* White space ends a path. */
    { "len(n)", 1, 4, "unexpected \"(\" after a complete condition" },
};

static void mistakes_have_a_place_and_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        struct built built;
        struct expr_tree *tree = NULL;
        built_begin(&built, usual());
        enum status status = parse(&built, str_of(mistakes[i].text), &tree);
        if (status != ST_INVALID) fail_msg("%s: status %d", mistakes[i].text, status);
        if (strcmp(built.err.message, mistakes[i].message) != 0)
            fail_msg("%s:\n  got  %s\n  want %s", mistakes[i].text, built.err.message, mistakes[i].message);
        if (built.err.line != mistakes[i].line || built.err.column != mistakes[i].column)
            fail_msg("%s: at %u:%u", mistakes[i].text, built.err.line, built.err.column);
        assert_null(tree);
        built_end(&built);
    }
}

static void a_mistake_in_a_path_or_pattern_is_found_at_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
    } cases[] = {
        { "$.n == $.", 0, 0 }, /* None: it is `$`. */
        { "$.a[ == 1", 1, 6 },
        { "true and $.a[?(@.b == )]", 1, 23 },
        { "$.a[1 and true", 1, 7 },
        { "true or\n $.a.5", 2, 6 },
        { "$.a[\n&]", 2, 1 },
        { "#jsonPath(stateOutputData,'$.a[') eq 1", 1, 32 },
        { "$.items.length() > 1", 1, 15 },
        { "$.s matches '('", 1, 13 },
        { "$.s =~ /(/", 1, 8 },
        { "$.s =~ '[z-a]'", 1, 8 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        built_begin(&built, usual());
        enum status status = parse(&built, str_of(cases[i].text), &tree);
        if (status != (cases[i].line ? ST_INVALID : ST_OK)) fail_msg("%s: status %d", cases[i].text, status);
        if (built.err.line != cases[i].line || built.err.column != cases[i].column)
            fail_msg("%s: at %u:%u (%s)", cases[i].text, built.err.line, built.err.column, built.err.message);
        built_end(&built);
    }
}

static void a_text_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *tree;
    built_begin(&built, usual());
    assert_int_equal(parse(&built, STR("$.n == '\xff'"), &tree), ST_INVALID);
    assert_string_equal(built.err.message, "the condition is not UTF-8");
    assert_int_equal(parse(&built, STR("$.n == 5\0"), &tree), ST_INVALID);
    assert_string_equal(built.err.message, "unexpected control character");
    assert_int_equal(parse(&built, STR("$.n\0 == 5"), &tree), ST_INVALID);
    built_end(&built);
}

/* ---- limits ---- */

static str repeated(struct built *built, const char *before, size_t n, const char *middle, const char *after)
{
    struct buf text;
    buf_init(&text, &built->arena);
    for (size_t i = 0; i < n; i++) buf_add_str(&text, str_of(before));
    buf_add_str(&text, str_of(middle));
    for (size_t i = 0; i < n; i++) buf_add_str(&text, str_of(after));
    return buf_str(&text);
}

static void length_and_depth_are_limited(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *tree;
    built_begin(&built, usual());
    /* The whole condition is the first level. */
    str fits = repeated(&built, "(", EXPRESSION_DEPTH_MAX - 1, "$.t", ")");
    assert_int_equal(parse(&built, fits, &tree), ST_OK);
    built_expect(&built, tree, "true");
    str deep = repeated(&built, "(", EXPRESSION_DEPTH_MAX, "$.t", ")");
    assert_int_equal(parse(&built, deep, &tree), ST_LIMIT);
    assert_string_equal(built.err.message,
                        "the condition is nested deeper than 64 levels (EXPRESSION_DEPTH_MAX)");
    assert_int_equal(built.err.column, EXPRESSION_DEPTH_MAX);
    fits = repeated(&built, " ", EXPRESSION_BYTES_MAX - 3, "$.t", "");
    assert_int_equal(fits.n, EXPRESSION_BYTES_MAX);
    assert_int_equal(parse(&built, fits, &tree), ST_OK);
    str large = repeated(&built, " ", EXPRESSION_BYTES_MAX - 2, "$.t", "");
    assert_int_equal(parse(&built, large, &tree), ST_LIMIT);
    assert_string_equal(built.err.message,
                        "the condition has 4097 bytes; the most is 4096 (EXPRESSION_BYTES_MAX)");
    built_end(&built);
}

static void what_is_long_is_not_deep(void **state)
{
    (void)state;
    static const struct {
        const char *before, *middle, *after;
        const char *want;
    } shapes[] = {
        { "t&&", "no", "", "false" }, { "no||", "t", "", "true" }, { "!", "t", "!", NULL },
        { "!!", "t", "", "true" },    { "", "o", ".b", "false" },  { "not not ", "no", "", "false" },
    };
    struct built built;
    struct expr_tree *tree;
    built_begin(&built, usual());
    for (size_t i = 0; i < COUNT(shapes); i++) {
        size_t step = strlen(shapes[i].before) + strlen(shapes[i].after);
        str text = repeated(&built, shapes[i].before, 4000 / step, shapes[i].middle, shapes[i].after);
        enum status status = parse(&built, text, &tree);
        if (shapes[i].want && status != ST_OK) fail_msg("%zu: %s", i, built.err.message);
        if (!shapes[i].want) assert_int_equal(status, ST_INVALID);
        if (shapes[i].want) built_expect(&built, tree, shapes[i].want);
    }
    built_end(&built);
}

static void what_it_used_is_what_it_needs(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "$..title eq 'MANAGER' and not (count gt 4)",
        "$.same[*] < $.people[*].age",
        "$..title matches '^M'",
        "$.s matches $.patterns[*]",
        "user.is.not == 1",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct built built;
        struct expr_tree *tree;
        built_begin(&built, usual());
        assert_int_equal(parse(&built, str_of(texts[i]), &tree), ST_OK);
        int64_t given = built.fuel;
        built_expect(&built, tree, "true");
        int64_t used = given - built.fuel;
        for (int64_t less = 0; less <= used; less++) {
            built.fuel = less;
            assert_int_equal(built_run(&built, tree), less < used ? ST_LIMIT : ST_OK);
            assert_int_equal(built.fuel, 0);
        }
        built_end(&built);
    }
}

/* ---- the root ---- */

static size_t count_of(const struct expr *expr, const char *instruction, struct arena *arena)
{
    struct buf out;
    size_t count = 0;
    buf_init(&out, arena);
    expr_print(expr, &out);
    for (size_t at = 0; (at = str_find(buf_str(&out), str_of(instruction), at)) != SIZE_MAX; at++) count++;
    return count;
}

static void the_root_is_evaluated_once(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool want;
        size_t merges;
    } cases[] = {
        { "$.a == 1 and $.b == 2 and c == 3 and stateOutputData.a == 1", true, 1 },
        { "$..a eq 1", true, 1 },
        { "x.b == 9", true, 0 },
        { "true", true, 0 },
        { "$.b == x.c", true, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        struct expr_tree *tree;
        built_begin(&built, "{\"a\":1,\"b\":0}");
        struct expr_tree *more = built_literal(&built, "{\"b\":2,\"c\":3}");
        struct expr_tree *root = tree_combine(tree_data(&built.arena), more, &built.arena);
        const struct condition_name name = { STR("x"), built_literal(&built, "{\"b\":9,\"c\":2}") };
        const struct condition_names names = { .root = root, .name = &name, .count = 1 };
        assert_int_equal(expr_parse_condition(str_of(cases[i].text), &names, &built.arena, &tree, &built.err),
                         ST_OK);
        assert_int_equal(count_of(expr_of_tree(tree, &built.arena), "COMBINE", &built.arena),
                         cases[i].merges);
        built_expect(&built, tree, cases[i].want ? "true" : "false");
        built_end(&built);
    }
}

/* Conditions whose root or names are conditions: the values they keep must not meet. */
static void conditions_can_be_parts_of_conditions(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *inner, *outer;
    built_begin(&built, "{\"a\":1}");
    struct expr_tree *data = tree_data(&built.arena), *more = built_literal(&built, "{\"b\":2}");
    struct expr_tree *merged = tree_combine(data, more, &built.arena);
    struct condition_names names = { .root = merged };
    assert_int_equal(
        expr_parse_condition(STR("$.a == 1 and $.b == 2"), &names, &built.arena, &inner, &built.err), ST_OK);
    const str member = STR("c");
    struct expr_tree *map = tree_map(&member, &inner, 1, &built.arena);
    const struct condition_name name = { STR("inner"), inner };
    names =
        (struct condition_names){ .root = tree_combine(map, more, &built.arena), .name = &name, .count = 1 };
    assert_int_equal(expr_parse_condition(STR("$.c and inner and $.b == 2 and $.a == null"), &names,
                                          &built.arena, &outer, &built.err),
                     ST_OK);
    built_expect(&built, outer, "true");
    struct expr_tree *const parts[] = { inner, outer, inner };
    struct expr_tree *all = tree_and(parts, COUNT(parts), &built.arena);
    built_expect(&built, all, "true");
    assert_string_equal(built_text(&built, all),
                        "($.a == 1 and $.b == 2) and ($.c and inner and $.b == 2 and $.a == null) and "
                        "($.a == 1 and $.b == 2)");
    built_end(&built);
}

static void a_condition_sees_locals_as_its_root(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *tree;
    built_begin(&built, "null");
    const struct expr_local local = { STR("result"), cases_data("{\"status\":\"PENDING\"}", &built.arena) };
    built.env.local = &local;
    built.env.local_count = 1;
    const struct condition_names names = { .root = tree_variable(STR("result"), &built.arena) };
    assert_int_equal(
        expr_parse_condition(STR("$.status eq 'PENDING'"), &names, &built.arena, &tree, &built.err), ST_OK);
    built_expect(&built, tree, "true");
    built_end(&built);
}

static void a_constant_condition_is_known_to_be_one(void **state)
{
    (void)state;
    struct built built;
    struct expr_tree *tree;
    const struct json *value = NULL;
    built_begin(&built, usual());
    assert_int_equal(parse(&built, STR("not ('' and 0)"), &tree), ST_OK);
    assert_true(expr_is_constant(expr_of_tree(tree, &built.arena), &value));
    assert_false(json_bool(value));
    built_end(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_words_and_signs),
        cmocka_unit_test(and_binds_tighter_than_or_and_not_tightest),
        cmocka_unit_test(words_are_taken_in_any_case),
        cmocka_unit_test(nothing_is_coerced),
        cmocka_unit_test(what_is_missing_is_null),
        cmocka_unit_test(truth_is_everything_but_false_null_and_no_nodes),
        cmocka_unit_test(any_of_the_nodes_will_do),
        cmocka_unit_test(a_path_ends_where_it_must),
        cmocka_unit_test(names_are_known_ones_or_members),
        cmocka_unit_test(strings_keep_their_backslashes),
        cmocka_unit_test(patterns_are_searched_for),
        cmocka_unit_test(mistakes_have_a_place_and_a_sentence),
        cmocka_unit_test(a_mistake_in_a_path_or_pattern_is_found_at_its_place),
        cmocka_unit_test(a_text_that_is_not_utf8_is_refused),
        cmocka_unit_test(length_and_depth_are_limited),
        cmocka_unit_test(what_is_long_is_not_deep),
        cmocka_unit_test(what_it_used_is_what_it_needs),
        cmocka_unit_test(the_root_is_evaluated_once),
        cmocka_unit_test(conditions_can_be_parts_of_conditions),
        cmocka_unit_test(a_condition_sees_locals_as_its_root),
        cmocka_unit_test(a_constant_condition_is_known_to_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
