#include "json/json_test.h"

#include "jsonpath/jsonpath.h"

/* ---- what the tests do with paths ---- */

static const struct jsonpath *compile(struct arena *arena, const char *text, enum jsonpath_mode mode)
{
    const struct jsonpath *path = NULL;
    struct error err = { .message = "" };
    if (jsonpath_compile(str_of(text), mode, arena, &path, &err) != ST_OK)
        fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.message);
    return path;
}

static const char *compiled(struct arena *arena, const struct jsonpath *path)
{
    struct buf out;
    buf_init(&out, arena);
    jsonpath_print(path, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

/* The nodes as text: their values as an array. */
static const char *select_text(struct arena *arena, const struct jsonpath *path, const struct json *root)
{
    const struct json *const *node;
    size_t count;
    int64_t fuel = limits_default().fuel_max;
    struct error err = { .message = "" };
    if (jsonpath_select(path, root, &fuel, arena, &node, &count, &err) != ST_OK) fail_msg("%s", err.message);
    struct buf out;
    buf_init(&out, arena);
    buf_add_char(&out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(&out, ',');
        json_print(node[i], &out);
    }
    buf_add_str(&out, STR("]"));
    buf_add_char(&out, '\0');
    return out.p;
}

struct selection {
    const char *path, *document, *want;
};

static void check_selections(struct arena *arena, enum jsonpath_mode mode, const struct selection *cases,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jsonpath *path = compile(arena, cases[i].path, mode);
        const char *got = select_text(arena, path, parse(arena, cases[i].document));
        if (strcmp(got, cases[i].want) != 0) fail_msg("%s on %s: %s", cases[i].path, cases[i].document, got);
    }
}

/* ---- selecting ---- */

static void paths_select_nodes_in_document_order(void **state)
{
    static const struct selection cases[] = {
        { "$", "7", "[7]" },
        { "$.a", "{\"a\":null}", "[null]" },
        { "$.a", "{\"b\":1}", "[]" },
        { "$.a", "[{\"a\":1}]", "[]" },
        { "$.a.b.c", "{\"a\":{\"b\":{\"c\":[]}}}", "[[]]" },
        { "$['a']\n ['b']", "{\"a\":{\"b\":1}}", "[1]" },
        { "$.\xc3\xa4_1", "{\"\xc3\xa4_1\":1}", "[1]" },
        { "$['\\u00e4\\'\\n']", "{\"\xc3\xa4'\\n\":1}", "[1]" },
        { "$[\"\\ud83d\\ude00\"]", "{\"\xf0\x9f\x98\x80\":1}", "[1]" },
        { "$['\xc3\xa4']", "{\"a\xcc\x88\":1}", "[]" }, /* Names are not normalized. */
        { "$[0]", "[1,2]", "[1]" },
        { "$[-2]", "[1,2]", "[1]" },
        { "$[-3]", "[1,2]", "[]" },
        { "$[0]", "{\"0\":1}", "[]" },
        { "$[0]", "\"text\"", "[]" },
        { "$[9007199254740991]", "[1]", "[]" },
        { "$[1:-1]", "[0,1,2,3]", "[1,2]" },
        { "$[::-2]", "[0,1,2,3]", "[3,1]" },
        { "$[::0]", "[0,1,2,3]", "[]" },
        { "$[-9007199254740991:9007199254740991:9007199254740991]", "[0,1,2]", "[0]" },
        { "$[2:0:-9007199254740991]", "[0,1,2]", "[2]" },
        { "$[ 1 : 3 : 1 ]", "[0,1,2,3]", "[1,2]" },
        { "$[17:15:-1]", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "[17,16]" }, /* With a table. */
        { "$.*", "{\"b\":1,\"a\":2}", "[1,2]" },
        { "$[*]", "3", "[]" },
        { "$[0,0,'a',*]", "[1,2]", "[1,1,1,2]" },
        { "$[1:,0].a", "[{\"a\":1},{\"a\":2},{\"a\":3}]", "[2,3,1]" },
        { "$..a", "{\"a\":{\"a\":1},\"b\":[{\"a\":2}]}", "[{\"a\":1},1,2]" },
        { "$..[0]", "[[1],{\"x\":[2]}]", "[[1],1,2]" },
        { "$..*", "{\"a\":{\"b\":1},\"c\":2}", "[{\"b\":1},2,1]" },
        { "$..*..b", "{\"a\":{\"x\":{\"b\":1}}}", "[1,1]" },
        { "$..a..b", "{\"a\":{\"a\":{\"b\":1}}}", "[1,1]" },
    };
    check_selections(*state, JSONPATH_STRICT, cases, COUNT(cases));
}

static void filters_test_and_compare(void **state)
{
    static const struct selection cases[] = {
        { "$[?@.a]", "[{\"a\":null},{\"a\":false},{\"b\":1},1]", "[{\"a\":null},{\"a\":false}]" },
        { "$[?!@.a]", "[{\"a\":null},{\"b\":1}]", "[{\"b\":1}]" },
        { "$[?@]", "{\"x\":null}", "[null]" },
        { "$[?@..z]", "[[{\"z\":1}],[]]", "[[{\"z\":1}]]" },
        { "$[?(@.a == 1 || @.a == 2) && @.b]", "[{\"a\":1},{\"a\":2,\"b\":0}]", "[{\"a\":2,\"b\":0}]" },
        { "$[?@.a == 1 || @.a == 2 && @.b]", "[{\"a\":1},{\"a\":2}]", "[{\"a\":1}]" },
        { "$[?@ == 1]", "[1,1.0,1e0,\"1\",true,10e-1]", "[1,1.0,1e0,10e-1]" },
        { "$[?@ == 0]", "[0,-0,0.0,null,false]", "[0,-0,0.0]" },
        { "$[?@ == 12345678901234567890]", "[12345678901234567890,12345678901234567891]",
          "[12345678901234567890]" },
        { "$[?@ < 0.3]", "[0.1,0.29999999999999999999,0.3,\"0.1\"]", "[0.1,0.29999999999999999999]" },
        { "$[?@ <= 'b']", "[\"a\",\"b\",\"ba\",\"B\",1]", "[\"a\",\"b\",\"B\"]" },
        { "$[?@ > '\\uffff']", "[\"\xf0\x9f\x98\x80\",\"a\"]",
          "[\"\xf0\x9f\x98\x80\"]" }, /* Not by UTF-16 units. */
        { "$[?@.x == @.y]", "[{},{\"x\":1},{\"x\":null,\"y\":null}]", "[{},{\"x\":null,\"y\":null}]" },
        { "$[?@.x != @.y]", "[{},{\"x\":null}]", "[{\"x\":null}]" },
        { "$[?@.x <= @.y]", "[{},{\"x\":null}]", "[{}]" },
        { "$[?@.x < @.y]", "[{},{\"x\":[1],\"y\":[2]}]", "[]" },
        { "$[?@.x >= true]", "[{\"x\":true},{\"x\":false}]", "[{\"x\":true}]" },
        { "$[?@.x == null]", "[{},{\"x\":null}]", "[{\"x\":null}]" },
        { "$[?@.a == $.want]", "{\"want\":{\"p\":1,\"q\":2},\"i\":{\"a\":{\"q\":2,\"p\":1.0}}}",
          "[{\"a\":{\"q\":2,\"p\":1.0}}]" },
        { "$.a[?@ == $[ 'a' ][0]]", "{\"a\":[5,6,5]}", "[5,5]" },
        { "$[?@[?@ > 1]]", "[[1],[1,2],5]", "[[1,2]]" },
        { "$[?@.a,?@.b]", "[{\"a\":1,\"b\":1}]", "[{\"a\":1,\"b\":1},{\"a\":1,\"b\":1}]" },
        { "$[?1 == 1]", "[1]", "[1]" },
    };
    check_selections(*state, JSONPATH_STRICT, cases, COUNT(cases));
}

static void functions_give_what_the_rfc_says(void **state)
{
    static const struct selection cases[] = {
        { "$[?length(@) == 2]", "[\"\xc3\xa4\xf0\x9f\x98\x80\",[1,2],{\"a\":1},2,null,true]",
          "[\"\xc3\xa4\xf0\x9f\x98\x80\",[1,2]]" },
        { "$[?length(@.x) == length(@.y)]", "[{\"x\":1,\"y\":2}]",
          "[{\"x\":1,\"y\":2}]" }, /* Nothing equals nothing. */
        { "$[?count(@..*) > 2]", "[[1,2],[1,[2]],3]", "[[1,[2]]]" },
        { "$[?count(@.a) == 0]", "[{\"a\":1},{}]", "[{}]" },
        { "$[?value(@..c) == 1]", "[{\"c\":1},{\"c\":1,\"d\":{\"c\":1}},{}]", "[{\"c\":1}]" },
        { "$[?length(value(@..c)) == 1]", "[{\"b\":{\"c\":\"x\"}}]", "[{\"b\":{\"c\":\"x\"}}]" },
        { "$[?match(@, 'a|bc')]", "[\"a\",\"bc\",\"ac\",\"abc\",1]", "[\"a\",\"bc\"]" },
        { "$[?search(@, 'a|bc')]", "[\"xax\",\"bc\",\"b\"]", "[\"xax\",\"bc\"]" },
        { "$[?match(@, '')]", "[\"\",\"a\"]", "[\"\"]" },
        { "$[?match(@, 'a.*')]", "[\"a\\n\",\"a\\r\",\"a\\u2028\",\"a\"]", "[\"a\xe2\x80\xa8\",\"a\"]" },
        { "$[?search(@, 'a$')]", "[\"a\\n\",\"ba\"]", "[\"ba\"]" },
        { "$[?match(@, '[^\\\\p{Lu}-]{2,}')]", "[\"ab\",\"aB\",\"a-\",\"a\"]", "[\"ab\"]" },
        { "$[?match(@, '[-a][\\\\]\\\\^][a-]')]", "[\"-]a\",\"a^-\",\"b]a\"]", "[\"-]a\",\"a^-\"]" },
        { "$[?match(@, '(a(b)?)+\\\\.')]", "[\"aab.\",\"aabx\"]", "[\"aab.\"]" },
        { "$.v[?match(@, $.re)]", "{\"re\":\"x+\",\"v\":[\"xx\",\"xy\"]}", "[\"xx\"]" },
        { "$[?match(@.t, @.re) || search(@.t, @.re)]",
          "[{\"t\":\"ab\",\"re\":\"b\"},{\"t\":\"b\",\"re\":\"b\"},{\"t\":\"b\",\"re\":\"c\"},{\"t\":\"b\","
          "\"re\":\"(\"}]",
          "[{\"t\":\"ab\",\"re\":\"b\"},{\"t\":\"b\",\"re\":\"b\"}]" },
        { "$.v[?!search(@, $.re)]", "{\"re\":7,\"v\":[\"xx\"]}", "[\"xx\"]" },
    };
    check_selections(*state, JSONPATH_STRICT, cases, COUNT(cases));
}

/* PCRE2 would take most of them; I-Regexp does not have them. */
static void what_is_no_iregexp_matches_nothing(void **state)
{
    static const char *const patterns[] = {
        "\\d",    "\\w+",    "(?:a)", "(?i)a",    "a*?",     "a++",        "a{,2}",   "a{1,2", "a{x}",
        "*a",     "(*UTF)a", "[a",    "a]",       "a}",      "[]",         "[^]",     "[[a]]", "[a-\\p{L}]",
        "[a--]",  "(a",      "a)",    "a\\",      "\\p{Lx}", "\\p{Greek}", "\\pL",    "\\1",   "\\x41",
        "a{2,1}", "a|*",     "(+)",   "a{99999}", "\\/",     "[\\d]",      "[a-b-c]",
    };
    struct arena *arena = *state;
    const struct json *document = parse(arena, "{\"p\":\"\",\"v\":[\"a\",\"\",\"1\",\"A\",\"]\"]}");
    for (size_t i = 0; i < COUNT(patterns); i++) {
        document = json_set(arena, document, STR("p"), json_of_string(arena, str_of(patterns[i])));
        const char *found =
            select_text(arena, compile(arena, "$.v[?search(@, $.p)]", JSONPATH_STRICT), document);
        if (strcmp(found, "[]") != 0) fail_msg("%s finds %s", patterns[i], found);
    }
}

static void values_have_a_shape_that_depends_on_the_path_alone(void **state)
{
    static const struct {
        const char *path, *document, *want;
        bool definite;
    } cases[] = {
        { "$", "[1]", "[1]", true },
        { "$.a[0]['b']", "{\"a\":[{\"b\":null}]}", "null", true },
        { "$.a[-1]", "{\"a\":[1,2]}", "2", true },
        { "$.a.b", "{\"a\":[1]}", NULL, true },
        { "$.*", "{}", "[]", false },
        { "$[*]", "[7]", "[7]", false },
        { "$[0,1]", "[7,8]", "[7,8]", false },
        { "$[0:1]", "[7,8]", "[7]", false },
        { "$..a", "{\"a\":1}", "[1]", false },
        { "$[?@ > 7]", "[7,8]", "[8]", false },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct jsonpath *path = compile(arena, cases[i].path, JSONPATH_STRICT);
        const struct json *value = NULL;
        int64_t fuel = 100;
        assert_int_equal(jsonpath_is_definite(path), cases[i].definite);
        assert_int_equal(jsonpath_value(path, parse(arena, cases[i].document), &fuel, arena, &value, NULL),
                         ST_OK);
        if (cases[i].want) assert_string_equal(print(arena, value), cases[i].want);
        else assert_null(value);
    }
}

/* ---- writing ---- */

static void compiled_paths_print_in_one_form(void **state)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "$", "$" },
        { "$ .a . b", NULL }, /* No space behind a dot. */
        { "$.a [ \"b\\\"\" , -1 ]", "$['a']['b\"', -1]" },
        { "$..a[*].*", "$..['a'][*][*]" },
        { "$[1:2:1,::2,:,-1:]", "$[1:2, ::2, :, -1:]" },
        { "$['\\u0007\\u000a\\'\\\\\xc3\xa4']", "$['\\u0007\\n\\'\\\\\xc3\xa4']" },
        { "$[?!(@.a&&(@.b||$.c))||1<2]", "$[?!(@['a'] && (@['b'] || $['c'])) || 1 < 2]" },
        { "$[?((@.a))==1]", NULL },
        { "$[?((@.a==\"x\"))]", "$[?@['a'] == 'x']" },
        { "$[?!match( @.a ,'x') && !@..b]", "$[?!(match(@['a'], 'x')) && !@..['b']]" },
        { "$[?length(value($..x))>=1.50]", "$[?length(value($..['x'])) >= 1.50]" },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].want)
            assert_string_equal(compiled(arena, compile(arena, cases[i].path, JSONPATH_STRICT)),
                                cases[i].want);
        else
            assert_int_equal(jsonpath_compile(str_of(cases[i].path), JSONPATH_STRICT, arena, NULL, NULL),
                             ST_INVALID);
    }
    const char *regex = "$[?@.a =~ /x\\/y/is]";
    assert_string_equal(compiled(arena, compile(arena, regex, JSONPATH_LENIENT)), "$[?@['a'] =~ /x\\/y/is]");
}

/* Any node is found again by the path that is printed for it, and by that alone. */
static void nodes_have_normalized_paths(void **state)
{
    struct random random = { 5 };
    struct arena *arena = *state;
    for (int round = 0; round < 30; round++) {
        const struct json *root = random_value(arena, &random);
        const struct json *const *node;
        size_t count;
        int64_t fuel = 1000000;
        assert_int_equal(
            jsonpath_select(compile(arena, "$..*", JSONPATH_STRICT), root, &fuel, arena, &node, &count, NULL),
            ST_OK);
        for (size_t i = 0; i < count && i < 200; i++) {
            struct buf text;
            buf_init(&text, arena);
            jsonpath_print_node(root, node[i], &text);
            buf_add_char(&text, '\0');
            const struct json *found;
            const struct jsonpath *path = compile(arena, text.p, JSONPATH_STRICT);
            assert_true(jsonpath_is_definite(path));
            assert_string_equal(compiled(arena, path), text.p);
            assert_int_equal(jsonpath_value(path, root, &fuel, arena, &found, NULL), ST_OK);
            assert_ptr_equal(found, node[i]);
        }
        arena_reset(arena);
    }
}

/* ---- leniencies ---- */

static void leniencies_are_those_of_the_contract(void **state)
{
    static const struct selection cases[] = {
        { "$.", "1", "[1]" },
        { "", "1", "[1]" },
        { "$.[0]", "[1]", "[1]" },
        { "$.['a'].[0]", "{\"a\":[1]}", "[1]" },
        { "$.[?(@.veggieLike == true)]", "[{\"veggieLike\":true},{\"veggieLike\":false}]",
          "[{\"veggieLike\":true}]" },
        { "$.x[?@.['a'] == 1]", "{\"x\":[{\"a\":1}]}", "[{\"a\":1}]" },
        { "$..[0]", "[[1]]", "[[1],1]" }, /* Still descendants. */
        { "a.b", "{\"a\":{\"b\":1}}", "[1]" },
        { "*", "[1]", "[1]" },
        { "[0]", "[1]", "[1]" },
        { "['a']", "{\"a\":1}", "[1]" },
        { ".[0]", "[1,[2]]", "[1]" },
        { ".a", "{\"a\":1,\"b\":{\"a\":2}}", "[1,2]" }, /* $. and .a are $..a */
        { "$[?@ =~ /b+/]", "[\"abbc\",\"ac\",1]", "[\"abbc\"]" },
        { "$[?(@.n=~/^B\\d$/i)]", "[{\"n\":\"b1\"},{\"n\":\"c1\"},{}]", "[{\"n\":\"b1\"}]" },
        { "$[?@ =~ /a\\/b c/x || @ =~ /^z.$/su]", "[\"a/bc\",\"z\\n\",\"zz\"]",
          "[\"a/bc\",\"z\\n\",\"zz\"]" },
        { "$[?!(@ =~ /^b/m)]", "[\"a\\nb\",\"ab\"]", "[\"ab\"]" },
    };
    check_selections(*state, JSONPATH_LENIENT, cases, COUNT(cases));
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct jsonpath *path = NULL;
        bool same = strcmp(cases[i].path, "$..[0]") == 0;
        enum status want = same ? ST_OK : ST_INVALID;
        assert_int_equal(jsonpath_compile(str_of(cases[i].path), JSONPATH_STRICT, *state, &path, NULL), want);
    }
}

/* ---- mistakes ---- */

struct mistake {
    const char *path;
    uint32_t line, column;
    const char *message;
};

static const struct mistake strict_mistakes[] = {
    { "", 1, 1, "a path starts with $" },
    { "a", 1, 1, "a path starts with $" },
    { " $", 1, 1, "a path starts with $" },
    { "$ ", 1, 2, "expected '.', '[' or the end, not ' '" },
    { "$.a b", 1, 4, "expected '.', '[' or the end, not ' '" },
    { "$a", 1, 2, "expected '.', '[' or the end, not 'a'" },
    { "$.", 1, 3, "expected a name or '*' behind the dot, not the end" },
    { "$.1", 1, 3, "expected a name or '*' behind the dot, not '1'" },
    { "$.a.-", 1, 5, "expected a name or '*' behind the dot, not '-'" },
    { "$...a", 1, 4, "expected a name or '*' behind the dot, not '.'" },
    { "$.. a", 1, 4, "expected a name or '*' behind the dot, not ' '" },
    { "$.[0]", 1, 3, "expected a name or '*' behind the dot, not '['" },
    { "$.\n", 1, 3, "expected a name or '*' behind the dot, not a control character" },
    { "$[", 1, 3, "expected a name in quotes, an index, a slice, '*' or '?', not the end" },
    { "$[]", 1, 3, "expected a name in quotes, an index, a slice, '*' or '?', not ']'" },
    { "$[a]", 1, 3, "expected a name in quotes, an index, a slice, '*' or '?', not 'a'" },
    { "$[1,]", 1, 5, "expected a name in quotes, an index, a slice, '*' or '?', not ']'" },
    { "$[\xc3\xa4]", 1, 3, "expected a name in quotes, an index, a slice, '*' or '?', not '\xc3\xa4'" },
    { "$\n['\xc3\xa4'\n 1]", 3, 2, "expected ',' or ']', not '1'" },
    { "$[1 2]", 1, 5, "expected ',' or ']', not '2'" },
    { "$[01]", 1, 3, "an index is written without leading zeros and not as -0" },
    { "$[-0]", 1, 3, "an index is written without leading zeros and not as -0" },
    { "$[1:-]", 1, 6, "expected a digit" },
    { "$[9007199254740992]", 1, 3, "an index is at most 2^53 - 1, and at least its negative" },
    { "$[:-9007199254740992]", 1, 4, "an index is at most 2^53 - 1, and at least its negative" },
    { "$[99999999999999999999]", 1, 3, "an index is at most 2^53 - 1, and at least its negative" },
    { "$['abc]", 1, 3, "the string has no end" },
    { "$['a\\'", 1, 3, "the string has no end" },
    { "$['a\\", 1, 5, "the string has no end" },
    { "$['a\\\"']", 1, 5, "this quote needs no escape here" },
    { "$['\\x']", 1, 4, "no such escape" },
    { "$['\\ud800']", 1, 4, "lone surrogate" },
    { "$['\\u12']", 1, 4, "\\u needs four hexadecimal digits" },
    { "$['a\tb']", 1, 5, "a control character must be written as an escape" },
    { "$[?]", 1, 4, "expected '@', '$', a literal or a function, not ']'" },
    { "$[?@.a ==]", 1, 10, "expected '@', '$', a literal or a function, not ']'" },
    { "$[?True == 1]", 1, 4, "expected '@', '$', a literal or a function, not 'T'" },
    { "$[?nil == 1]", 1, 4, "expected '@', '$', a literal or a function, not 'n'" },
    { "$[?@.a = 1]", 1, 8, "expected ',' or ']', not '='" },
    { "$[?@.a =~ /x/]", 1, 8, "expected ',' or ']', not '='" },
    { "$[?@.a & @.b]", 1, 8, "expected ',' or ']', not '&'" },
    { "$[?(@.a]", 1, 8, "expected '&&', '||' or ')', not ']'" },
    { "$[?(@.a) == 1]", 1, 10, "expected ',' or ']', not '='" },
    { "$[?!@.a == 1]", 1, 9, "a negated comparison needs parentheses" },
    { "$[?true]", 1, 4, "a literal alone is no condition; compare it with something" },
    { "$[?@.a && 'x']", 1, 11, "a literal alone is no condition; compare it with something" },
    { "$[?1. == 1]", 1, 6, "expected a digit behind the '.'" },
    { "$[?@ == 1e]", 1, 11, "expected a digit in the exponent" },
    { "$[?@.* == 1]", 1, 4, "this path may select several values; only one can be compared" },
    { "$[?1 == $..a]", 1, 9, "this path may select several values; only one can be compared" },
    { "$[?foo(@)]", 1, 4, "no function foo()" },
    { "$[?length (@) == 1]", 1, 4, "expected '@', '$', a literal or a function, not 'l'" },
    { "$[?length(@)]", 1, 4, "the result of length() must be compared with something" },
    { "$[?match(@, 'a') == true]", 1, 4, "match() is true or false by itself and cannot be compared" },
    { "$[?length(@.*) == 1]", 1, 11, "length() takes one value, and this path may select several" },
    { "$[?length(match(@, 'a')) == 1]", 1, 11, "length() cannot take the result of match()" },
    { "$[?count(1) == 1]", 1, 10, "count() takes a path" },
    { "$[?count(value(@)) == 1]", 1, 10, "count() takes a path" },
    { "$[?count() == 1]", 1, 10, "count() needs 1 argument" },
    { "$[?match(@) == 1]", 1, 11, "match() needs 2 arguments" },
    { "$[?count(@, 1) == 1]", 1, 13, "too many arguments for count()" },
    { "$[?count(@ == 1) == 1]", 1, 12, "expected ',' or ')', not '='" },
    { "$[?count(@.a", 1, 13, "expected ',' or ')', not the end" },
};

static const struct mistake lenient_mistakes[] = {
    { "@.a", 1, 1, "a path starts with $" },
    { "$.a.", 1, 5, "expected a name or '*' behind the dot, not the end" },
    { "..a", 1, 2, "expected a name or '*' behind the dot, not '.'" },
    { "$[?@ =~ 'x']", 1, 9, "expected /regex/ behind =~" },
    { "$[?@ =~ /x]", 1, 9, "the regular expression has no end" },
    { "$[?@ =~ /x/q]", 1, 12, "no flag q; there are i, m, s, x and u" },
    { "$[?@ =~ /(/]", 1, 9, "bad regular expression: missing closing parenthesis after 1 characters" },
    { "$[?@.* =~ /x/]", 1, 4, "this path may select several values; only one can be compared" },
    { "$[?!@ =~ /x/]", 1, 7, "a negated comparison needs parentheses" },
};

static void check_mistakes(struct arena *arena, enum jsonpath_mode mode, const struct mistake *cases,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct jsonpath *path = NULL;
        struct error err = { .message = "" };
        assert_int_equal(jsonpath_compile(str_of(cases[i].path), mode, arena, &path, &err), ST_INVALID);
        if (strcmp(err.message, cases[i].message) != 0 || err.line != cases[i].line ||
            err.column != cases[i].column)
            fail_msg("%s: %u:%u: %s", cases[i].path, err.line, err.column, err.message);
        assert_null(path);
    }
}

static void mistakes_have_places(void **state)
{
    check_mistakes(*state, JSONPATH_STRICT, strict_mistakes, COUNT(strict_mistakes));
    check_mistakes(*state, JSONPATH_LENIENT, lenient_mistakes, COUNT(lenient_mistakes));
    struct error err;
    assert_int_equal(jsonpath_compile(STR("$['\xff']"), JSONPATH_STRICT, *state, NULL, &err), ST_INVALID);
    assert_string_equal(err.message, "the path is not UTF-8");
    assert_int_equal(jsonpath_compile(STR("$['\0']"), JSONPATH_STRICT, *state, NULL, &err), ST_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(paths_select_nodes_in_document_order),
        json_test(filters_test_and_compare),
        json_test(functions_give_what_the_rfc_says),
        json_test(what_is_no_iregexp_matches_nothing),
        json_test(values_have_a_shape_that_depends_on_the_path_alone),
        json_test(compiled_paths_print_in_one_form),
        json_test(nodes_have_normalized_paths),
        json_test(leniencies_are_those_of_the_contract),
        json_test(mistakes_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
