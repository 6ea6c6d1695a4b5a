/* YAML: what becomes of it, and what is refused. */
#include "source_test.h"

#include "base/limits.h"

static void plain_scalars_follow_the_core_schema(void **state)
{
    static const struct outcome_case cases[] = {
        { "[~, null, Null, NULL, nULL]", "[null,null,null,null,\"nULL\"]" },
        { "a:", "{\"a\":null}" },
        { "- \n- x", "[null,\"x\"]" },
        { "[true, True, TRUE, tRUE, false, False, FALSE]", "[true,true,true,\"tRUE\",false,false,false]" },
        { "[yes, no, on, off, y, n, Yes]", "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"Yes\"]" },
        { "[0, -7, +3, 007, -0, 12345678901234567890123]", "[0,-7,3,7,-0,12345678901234567890123]" },
        { "[0o17, 0xFF, 0xfF, 0xffffffffffffffff, 0o, 0x, 0xg, 0o8, -0x1]",
          "[15,255,255,18446744073709551615,\"0o\",\"0x\",\"0xg\",\"0o8\",\"-0x1\"]" },
        /* Digits stay what they are where JSON takes them. */
        { "[1.10, 1.0, 1e3, 1E+03, -2.50e-1]", "[1.10,1.0,1e3,1E+03,-2.50e-1]" },
        { "[.5, -.5, +.5, 1., 01.5, 1.e2]", "[0.5,-0.5,0.5,1.0,1.5,1.0e2]" },
        { "[., -, +, e1, 1e, 1e+, 1.2.3, 1_000, 0b1, '-']",
          "[\".\",\"-\",\"+\",\"e1\",\"1e\",\"1e+\",\"1.2.3\",\"1_000\",\"0b1\",\"-\"]" },
        { "[2026-01-01, 12:30:45, 1h, .infinity, nan, inf]",
          "[\"2026-01-01\",\"12:30:45\",\"1h\",\".infinity\",\"nan\",\"inf\"]" },
        { "just words", "\"just words\"" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void quoted_and_block_scalars_are_strings(void **state)
{
    static const struct outcome_case cases[] = {
        { "['1', \"2\", 'true', '', \"~\"]", "[\"1\",\"2\",\"true\",\"\",\"~\"]" },
        { "a: |\n  12\nb: >-\n  1\n  2\n", "{\"a\":\"12\\n\",\"b\":\"1 2\"}" },
        { "\"\\u00e4\\x41\\0\\n\"", "\"\xc3\xa4"
                                    "A\\u0000\\n\"" },
        { "'it''s'", "\"it's\"" },
        { "a: gr\xc3\xbcn", "{\"a\":\"gr\xc3\xbcn\"}" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void tags_decide(void **state)
{
    static const struct outcome_case cases[] = {
        { "[!!str 1, !!str true, !!str, !!int '7', !!float 1, !!float '1.5', !!bool \"True\", !!null '', "
          "!!null ~]",
          "[\"1\",\"true\",\"\",7,1,1.5,true,null,null]" },
        { "!!map {a: !!seq [1]}", "{\"a\":[1]}" },
        { "%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", "\"1\"" },
        { "!<tag:yaml.org,2002:str> 1", "\"1\"" },
        { "!!str 1: x", "{\"1\":\"x\"}" },
        { "a: !!int x", "1:4: \"x\" is no integer" },
        { "a: !!int 1.5", "1:4: \"1.5\" is no integer" },
        { "a: !!float x", "1:4: \"x\" is no number" },
        { "a: !!bool yes", "1:4: \"yes\" is no boolean" },
        { "a: !!null 0", "1:4: \"0\" is no null" },
        { "a: !!binary x", "1:4: a value has a tag that is none of !!str !!int !!float !!bool !!null" },
        { "a: !own x", "1:4: a value has a tag that is none of !!str !!int !!float !!bool !!null" },
        { "a: !!map x", "1:4: a value has a tag that is none of !!str !!int !!float !!bool !!null" },
        { "a: !!set {x}", "1:4: a mapping has a tag that is not !!map" },
        { "a: !!map [x]", "1:4: a sequence has a tag that is not !!seq" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void names_are_texts_and_differ(void **state)
{
    static const struct outcome_case cases[] = {
        { "{1: a, 1.0: b, true: c, ~: d, '': e}",
          "{\"1\":\"a\",\"1.0\":\"b\",\"true\":\"c\",\"~\":\"d\",\"\":\"e\"}" },
        { "? a\n: 1\n? b\n", "{\"a\":1,\"b\":null}" },
        { "b: 1\na: 2\n", "{\"b\":1,\"a\":2}" },
        { "a: 1\nb: 2\n'a': 3\nb: 4\n", "3:1: duplicate name \"a\", first at line 1 column 1" },
        { "x:\n  a: 1\n  \"a\": 2\n", "3:3: duplicate name \"a\", first at line 2 column 3" },
        { "{x: {a: 1}, y: {a: 1}}", "{\"x\":{\"a\":1},\"y\":{\"a\":1}}" },
        { "? [a]\n: 1", "1:3: a name is a scalar, not a mapping or a sequence" },
        { "{a: 1}: 2", "1:1: a name is a scalar, not a mapping or a sequence" },
        { "a: &x b\n*x : 1", "2:1: an alias cannot be a name" },
        { "a: &x {b: 1}\nc:\n  <<: *x\n", "3:3: merge keys (<<) are not read: repeat the whole value with an "
                                          "alias, or write its members here" },
        { "'<<': 1", "{\"<<\":1}" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void aliases_are_copies(void **state)
{
    static const struct outcome_case cases[] = {
        { "a: &x [1, {b: c}]\nd: *x\ne: [*x, *x]\n",
          "{\"a\":[1,{\"b\":\"c\"}],\"d\":[1,{\"b\":\"c\"}],\"e\":[[1,{\"b\":\"c\"}],[1,{\"b\":\"c\"}]]}" },
        { "[&a 1, *a, &a 2, *a]", "[1,1,2,2]" }, /* The later one counts. */
        { "[&a , *a]", "[null,null]" },
        { "&k a: *k", "{\"a\":\"a\"}" },
        { "a: *nobody", "1:4: an alias without an anchor before it" },
        { "a: *later\nb: &later 1", "1:4: an alias without an anchor before it" },
        { "a: &x [1, *x]", "1:11: an alias inside of what it repeats" },
        { "&x a: &y {b: {c: *y}}", "1:18: an alias inside of what it repeats" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void there_is_one_document(void **state)
{
    static const struct outcome_case cases[] = {
        { "%YAML 1.2\n---\na: 1\n...\n# the end\n", "{\"a\":1}" },
        { "# nothing but this\n--- {a: 1}\n", "{\"a\":1}" },
        { "\xef\xbb\xbf"
          "a: b\n",
          "{\"a\":\"b\"}" },
        { "\xef\xbb\xbf"
          "a: *b\n",
          "1:4: an alias without an anchor before it" },
        { "{\"a\": [1,2], \"b\":{}}", "{\"a\":[1,2],\"b\":{}}" }, /* JSON is YAML. */
        { "{\n\t\"a\":\t1\n}", "{\"a\":1}" },
        { "--- ", "null" },
        { "", "1:1: there is no document" },
        { "# a remark\n", "2:1: there is no document" },
        { "a: 1\n---\nb: 2\n", "2:1: a second document starts here; there can be only one" },
        { "--- 1\n...\n--- 2\n", "3:1: a second document starts here; there can be only one" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void broken_texts_have_their_place(void **state)
{
    static const struct outcome_case cases[] = {
        { "a: [1, 2", "1:9: did not find expected ',' or ']' while parsing a flow sequence" },
        { "a: 1\nb: [1,\nc: 2\n",
          "4:1: did not find expected ',' or ']' while parsing a flow sequence (from line 2)" },
        { "a: b: c", "1:5: mapping values are not allowed in this context" },
        { "gr\xc3\xbc\xc3\x9f"
          "e: \"\xc3\xa4\xc3\xa4\xc3\xa4\": x",
          "1:13: mapping values are not allowed in this context" },
        { "a: 1\n\tb: 2\n", "2:1: found a tab character that violates indentation while scanning a plain "
                            "scalar (from line 1)" },
        { "a: 'x", "1:6: found unexpected end of stream while scanning a quoted scalar" },
        { "a: \"\\q\"", "1:5: found unknown escape character while parsing a quoted scalar" },
        { "a: \"\\ud800\"",
          "1:7: found invalid Unicode character escape code while parsing a quoted scalar" },
        { "a: @x", "1:4: found character that cannot start any token while scanning for the next token" },
        { "a: 1\nb: \x01\n", "2:4: control characters are not allowed" },
        { "a: .inf", "1:4: \".inf\" is no number here; in quotes it is a text" },
        { "a: -.INF", "1:4: \"-.INF\" is no number here; in quotes it is a text" },
        { "a: .NaN", "1:4: \".NaN\" is no number here; in quotes it is a text" },
        { "a: '.nan'", "{\"a\":\".nan\"}" },
        { "a: 0x10000000000000000", "1:4: a hexadecimal or octal number has more than 64 bits" },
        { "a: 1e9999999999", "1:4: a number has more characters than 512, or its exponent is too large "
                             "(JSON_NUMBER_BYTES_MAX)" },
        { "\xc3\xa4: \xff", "1:4: not UTF-8" },
        { "a: 1\nb: \xed\xa0\x80", "2:4: not UTF-8" },
        { "a: \xc3", "1:4: not UTF-8" },
        { "a: \"\xe2\x80\xa8\"", "1:5: U+0085, U+2028 and U+2029 must be escaped" },
        { "a: \"\xc2\x85\"", "1:5: U+0085, U+2028 and U+2029 must be escaped" },
        { "a: \"\\L\\P\\N\xc2\xa0\"", "{\"a\":\"\xe2\x80\xa8\xe2\x80\xa9\xc2\x85\xc2\xa0\"}" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_YAML);
}

static void nul_and_other_encodings_are_refused(void **state)
{
    static const struct {
        str text;
        const char *want;
    } cases[] = {
        { STR_INIT("a: 1\nb\0: 2"), "2:2: NUL characters are not allowed" },
        { STR_INIT("\0"), "1:1: NUL characters are not allowed" },
        { STR_INIT("\xff\xfe"
                   "a\0:\0 \0001\0"),
          "1:1: not UTF-8" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        assert_string_equal(outcome(cases[i].text, SOURCE_YAML, NULL, &arena), cases[i].want);
        arena_done(&arena);
    }
}

/* ---- limits ---- */

static void repeat(struct buf *out, const char *text, size_t times)
{
    while (times--) buf_add_str(out, str_of(text));
}

/* The document is taken, or refused with these words in the complaint. */
static void check_limit(const struct buf *text, const struct source_limits *limits, const char *complaint)
{
    struct arena arena;
    struct source source;
    struct error err = { 0 };
    arena_init(&arena, 0);
    enum status status = source_parse(buf_str(text), SOURCE_YAML, limits, &arena, &source, &err);
    assert_int_equal(status, complaint ? ST_LIMIT : ST_OK);
    if (complaint && !strstr(err.message, complaint)) fail_msg("%s", err.message);
    if (!complaint) assert_non_null(json_decode(json_encoded(source.document), &arena));
    arena_done(&arena);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        static const struct {
            const char *open, *close;
        } kinds[] = { { "[", "]" }, { "{a: ", "}" }, { "- ", "" } };
        const char *complaint = more ? "nested deeper than 128" : NULL;
        for (size_t i = 0; i < COUNT(kinds); i++) {
            struct buf text;
            buf_init(&text, NULL);
            repeat(&text, kinds[i].open, JSON_DEPTH_MAX + more);
            repeat(&text, kinds[i].close, JSON_DEPTH_MAX + more);
            check_limit(&text, NULL, complaint);
            buf_done(&text);
        }
    }
}

static void an_alias_nests_as_deep_as_what_it_repeats(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, NULL);
        buf_add_str(&text, STR("- &x [[[1]]]\n- "));
        repeat(&text, "[", JSON_DEPTH_MAX - 4 + more);
        buf_add_str(&text, STR("*x "));
        repeat(&text, "]", JSON_DEPTH_MAX - 4 + more);
        check_limit(&text, NULL, more ? "nested too deep" : NULL);
        buf_done(&text);
    }
}

static void nodes_have_a_limit(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, NULL);
        buf_add_char(&text, '[');
        repeat(&text, "1,", YAML_NODES_MAX - 1 + more);
        buf_add_char(&text, ']');
        check_limit(&text, NULL, more ? "too many nodes" : NULL);
        buf_done(&text);
    }
}

/* An anchor on a list of 99 and itself: 100 nodes. */
static void what_aliases_repeat_has_a_limit(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, NULL);
        buf_add_str(&text, STR("[&x ["));
        repeat(&text, "1,", 99);
        buf_add_str(&text, STR("],"));
        repeat(&text, "*x,", YAML_COPIED_NODES_MAX / 100 + more);
        buf_add_char(&text, ']');
        check_limit(&text, NULL, more ? "aliases repeat too much" : NULL);
        buf_done(&text);
    }
    struct buf text;
    buf_init(&text, NULL);
    buf_add_str(&text, STR("[&x "));
    repeat(&text, "x", YAML_COPIED_BYTES_MAX / 64);
    buf_add_str(&text, STR(","));
    repeat(&text, "*x,", 64);
    buf_add_char(&text, ']');
    check_limit(&text, NULL, "aliases repeat too much");
    buf_done(&text);
}

static void a_billion_laughs_are_not_laughed(void **state)
{
    struct buf text;
    (void)state;
    buf_init(&text, NULL);
    buf_add_str(&text, STR("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int i = 1; i < 100; i++) {
        buf_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) buf_printf(&text, "*a%d,", i - 1);
        buf_add_str(&text, STR("]\n"));
    }
    check_limit(&text, NULL, "aliases repeat too much");
    buf_done(&text);
}

/* Each is compared with all before it: a megabyte of them would take half a minute. */
static void tag_directives_have_a_limit(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, NULL);
        for (int i = 0; i < YAML_TAGS_MAX + more; i++)
            buf_printf(&text, "%%TAG !t%d! tag:yaml.org,2002:\n", i);
        buf_add_str(&text, STR("--- !t7!str 1\n"));
        check_limit(&text, NULL, more ? "more %TAG directives than 64" : NULL);
        buf_done(&text);
    }
}

static void the_text_has_a_limit(void **state)
{
    struct buf text;
    (void)state;
    buf_init(&text, NULL);
    buf_add_str(&text, STR("a: b"));
    check_limit(&text, &(struct source_limits){ .bytes_max = 4 }, NULL);
    check_limit(&text, &(struct source_limits){ .bytes_max = 3 }, "4 bytes of YAML; the most is 3");
    check_limit(&text, &(struct source_limits){ .bytes_max = SIZE_MAX }, NULL);
    buf_done(&text);
}

static void numbers_have_as_many_digits_as_in_json(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, NULL);
        repeat(&text, "7", JSON_NUMBER_BYTES_MAX + more);
        check_limit(&text, NULL, more ? "more characters than 512" : NULL);
        buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_scalars_follow_the_core_schema),
        cmocka_unit_test(quoted_and_block_scalars_are_strings),
        cmocka_unit_test(tags_decide),
        cmocka_unit_test(names_are_texts_and_differ),
        cmocka_unit_test(aliases_are_copies),
        cmocka_unit_test(there_is_one_document),
        cmocka_unit_test(broken_texts_have_their_place),
        cmocka_unit_test(nul_and_other_encodings_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(an_alias_nests_as_deep_as_what_it_repeats),
        cmocka_unit_test(nodes_have_a_limit),
        cmocka_unit_test(what_aliases_repeat_has_a_limit),
        cmocka_unit_test(a_billion_laughs_are_not_laughed),
        cmocka_unit_test(tag_directives_have_a_limit),
        cmocka_unit_test(the_text_has_a_limit),
        cmocka_unit_test(numbers_have_as_many_digits_as_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
