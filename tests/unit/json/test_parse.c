#include "json_test.h"

static const char *const valid_documents[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "42",
    "134217727",
    "134217728",
    "-134217728",
    "-134217729",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "12345678901234567890",
    "0.0",
    "-0.0",
    "1.0",
    "1.50",
    "0.1",
    "1e2",
    "1E2",
    "1e+2",
    "1e-2",
    "0e1",
    "0E+1",
    "-1.5e-3",
    "1.000000000000000005",
    "1e400",
    "-1e-400",
    "123456789012345678901234567890.123456789",
    "1e00000000000000000000000000001",
    "\"\"",
    "\"a\"",
    "\"a b\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"",
    "\"\\u001f\"",
    "\"\x7f\"",
    "\"\xc3\xa4\"",
    "\"\xe2\x82\xac\"",
    "\"\xf0\x9f\x98\x80\"",
    "\"\xef\xbf\xbf\"",
    "\"0123456789abcdef\"",
    "\"0123456\\n\"",
    "\"01234567\\n\"",
    "[]",
    "[1]",
    "[1,2,3]",
    "[[]]",
    "[[],{}]",
    "[null,true,false,0,\"\",[],{}]",
    "{}",
    "{\"a\":1}",
    "{\"a\":1,\"b\":2}",
    "{\"b\":1,\"a\":2}",
    "{\"\":0}",
    "{\"a\":{}}",
    "{\"a\":[{\"b\":[{\"c\":null}]}]}",
    "{\"\\u0000\":1,\"\\u0000\\u0000\":2}",
    "{\"a\":1,\"A\":2}",
    "{\"\xc3\xa4\":1}",
    "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]",
    ("{\"p\":0,\"o\":1,\"n\":2,\"m\":3,\"l\":4,\"k\":5,\"j\":6,\"i\":7,\"h\":8,\"g\":9,\"f\":10,"
     "\"e\":11,\"d\":12,\"c\":13,\"b\":14,\"a\":15}"),
};

static void valid_documents_print_as_they_were(void **state)
{
    for (size_t i = 0; i < COUNT(valid_documents); i++)
        assert_string_equal(print(*state, parse(*state, valid_documents[i])), valid_documents[i]);
}

static void other_ways_to_write_it_are_read_too(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { " \t\r\n1 \t\r\n", "1" },
        { " [ 1 , 2 ] ", "[1,2]" },
        { "[ ]", "[]" },
        { "{ }", "{}" },
        { "{ \"a\" : 1 , \"b\" : [ ] }", "{\"a\":1,\"b\":[]}" },
        { "\"\\/\"", "\"/\"" },
        { "\"\\u0041\"", "\"A\"" },
        { "\"\\u00e4\\u00C4\"", "\"\xc3\xa4\xc3\x84\"" },
        { "\"\\u20ac\"", "\"\xe2\x82\xac\"" },
        { "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
        { "\"\\uD800\\uDC00\"", "\"\xf0\x90\x80\x80\"" },
        { "\"\\uDBFF\\uDFFF\"", "\"\xf4\x8f\xbf\xbf\"" },
        { "\"\\u000a\"", "\"\\n\"" },
        { "{\"\\u0061\":1}", "{\"a\":1}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(print(*state, parse(*state, cases[i].text)), cases[i].want);
}

static const str invalid_documents[] = {
    /* Nothing, or more than one value. */
    STR_INIT(""),
    STR_INIT(" "),
    STR_INIT("\n\t"),
    STR_INIT("1 2"),
    STR_INIT("1,"),
    STR_INIT(",1"),
    STR_INIT("[]]"),
    STR_INIT("{}}"),
    STR_INIT("[][]"),
    STR_INIT("{} x"),
    STR_INIT("null\0"),
    STR_INIT("1\0"),
    STR_INIT("[1]\0"),
    STR_INIT("\xef\xbb\xbf"
             "1"),
    STR_INIT("\xff"),
    STR_INIT("\xc3\xa4"),
    STR_INIT("\f1"),
    STR_INIT("\v1"),
    STR_INIT("1\xc2\xa0"),
    /* Words. */
    STR_INIT("nul"),
    STR_INIT("nulL"),
    STR_INIT("Null"),
    STR_INIT("nulll"),
    STR_INIT("tru"),
    STR_INIT("True"),
    STR_INIT("truee"),
    STR_INIT("fals"),
    STR_INIT("FALSE"),
    STR_INIT("nan"),
    STR_INIT("NaN"),
    STR_INIT("Infinity"),
    STR_INIT("-Infinity"),
    STR_INIT("-NaN"),
    STR_INIT("undefined"),
    STR_INIT("a"),
    STR_INIT("'a'"),
    STR_INIT("truefalse"),
    STR_INIT("[true false]"),
    /* Numbers. */
    STR_INIT("-"),
    STR_INIT("+1"),
    STR_INIT("--1"),
    STR_INIT("00"),
    STR_INIT("01"),
    STR_INIT("-01"),
    STR_INIT("-00"),
    STR_INIT("1."),
    STR_INIT("0."),
    STR_INIT(".5"),
    STR_INIT("-.5"),
    STR_INIT("1.e1"),
    STR_INIT("1e"),
    STR_INIT("1E"),
    STR_INIT("1e+"),
    STR_INIT("1e-"),
    STR_INIT("1e1.5"),
    STR_INIT("1e 1"),
    STR_INIT("1 e1"),
    STR_INIT("1.2.3"),
    STR_INIT("0x1"),
    STR_INIT("1_000"),
    STR_INIT("1f"),
    STR_INIT("- 1"),
    STR_INIT("-a"),
    STR_INIT("1+1"),
    STR_INIT("1-"),
    STR_INIT("[1.]"),
    STR_INIT("[-]"),
    STR_INIT("[01]"),
    STR_INIT("0e"),
    STR_INIT("0e+"),
    STR_INIT("\xef\xbc\x91"),
    STR_INIT("1e\xff"),
    /* Strings. */
    STR_INIT("\""),
    STR_INIT("\"a"),
    STR_INIT("\"\\"),
    STR_INIT("\"\\\""),
    STR_INIT("\"a\"b"),
    STR_INIT("\"\n\""),
    STR_INIT("\"\t\""),
    STR_INIT("\"\0\""),
    STR_INIT("\"\x1f\""),
    STR_INIT("\"0123456789\x01\""),
    STR_INIT("\"\\x41\""),
    STR_INIT("\"\\a\""),
    STR_INIT("\"\\'\""),
    STR_INIT("\"\\0\""),
    STR_INIT("\"\\U0041\""),
    STR_INIT("\"\\u\""),
    STR_INIT("\"\\u1\""),
    STR_INIT("\"\\u12\""),
    STR_INIT("\"\\u123\""),
    STR_INIT("\"\\u123g\""),
    STR_INIT("\"\\u 123\""),
    STR_INIT("\"\\u+123\""),
    STR_INIT("\"\\u00"),
    STR_INIT("\"\\ud800\""),
    STR_INIT("\"\\udc00\""),
    STR_INIT("\"\\udfff\\ud800\""),
    STR_INIT("\"\\ud800\\ud800\""),
    STR_INIT("\"\\ud800x\""),
    STR_INIT("\"\\ud800\\n\""),
    STR_INIT("\"\\ud800\\u0041\""),
    STR_INIT("\"\\ud800\\udc0\""),
    STR_INIT("\"\x80\""),
    STR_INIT("\"\xc0\x80\""),
    STR_INIT("\"\xc3\""),
    STR_INIT("\"\xe2\x82\""),
    STR_INIT("\"\xed\xa0\x80\""),
    STR_INIT("\"\xf4\x90\x80\x80\""),
    STR_INIT("\"\xf0\x80\x80\x80\""),
    STR_INIT("\"\xff\""),
    STR_INIT("\"\xfe\xff\""),
    STR_INIT("\"abcdefgh\xc3"),
    /* Arrays. */
    STR_INIT("["),
    STR_INIT("]"),
    STR_INIT("[1"),
    STR_INIT("[1,"),
    STR_INIT("[1,]"),
    STR_INIT("[,1]"),
    STR_INIT("[,]"),
    STR_INIT("[1,,2]"),
    STR_INIT("[1 2]"),
    STR_INIT("[1:2]"),
    STR_INIT("[1}"),
    STR_INIT("[\"a\""),
    STR_INIT("[\"a\":1]"),
    STR_INIT("[["),
    STR_INIT("[[]"),
    STR_INIT("[1;2]"),
    STR_INIT("[]1"),
    STR_INIT("[\"\"],"),
    STR_INIT("[a]"),
    STR_INIT("(1)"),
    /* Objects. */
    STR_INIT("{"),
    STR_INIT("}"),
    STR_INIT("{\"a\"}"),
    STR_INIT("{\"a\":}"),
    STR_INIT("{\"a\":1"),
    STR_INIT("{\"a\":1,"),
    STR_INIT("{\"a\":1,}"),
    STR_INIT("{,\"a\":1}"),
    STR_INIT("{\"a\" 1}"),
    STR_INIT("{\"a\"::1}"),
    STR_INIT("{\"a\",1}"),
    STR_INIT("{a:1}"),
    STR_INIT("{'a':1}"),
    STR_INIT("{1:1}"),
    STR_INIT("{null:1}"),
    STR_INIT("{\"a\":1 \"b\":2}"),
    STR_INIT("{\"a\":1,,\"b\":2}"),
    STR_INIT("{\"a\":1]"),
    STR_INIT("{[]:1}"),
    STR_INIT("{\"a\":1;}"),
    STR_INIT("{\"a\"=1}"),
    STR_INIT("{\"a\":1}}"),
    STR_INIT("{\"a\":1,\"a\":2}"),
    STR_INIT("{\"a\":1,\"a\":1}"),
    STR_INIT("{\"\":1,\"\":2}"),
    STR_INIT("{\"a\":1,\"\\u0061\":2}"),
    STR_INIT("[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]"),
    /* Comments and other dialects. */
    STR_INIT("// a\n1"),
    STR_INIT("1 // a"),
    STR_INIT("/* a */1"),
    STR_INIT("# a\n1"),
    STR_INIT("[1,/**/2]"),
    STR_INIT("*"),
    STR_INIT("`a`"),
    STR_INIT("<a>"),
    STR_INIT("{\"a\":1} //"),
    STR_INIT("$"),
    STR_INIT("\\u0031"),
    STR_INIT("@1"),
};

static void invalid_documents_are_refused(void **state)
{
    assert_true(COUNT(invalid_documents) >= 120);
    for (size_t i = 0; i < COUNT(invalid_documents); i++) {
        const struct json *value = NULL;
        struct error err = { .status = ST_OK };
        /* On the heap and without a NUL, so that reading too far is seen. */
        char *copy = malloc(invalid_documents[i].n ? invalid_documents[i].n : 1);
        memcpy(copy, invalid_documents[i].p, invalid_documents[i].n);
        enum status status = json_parse((str){ copy, invalid_documents[i].n }, NULL, *state, &value, &err);
        free(copy);
        if (status != ST_INVALID) fail_msg("accepted \"%.*s\"", STR_ARG(invalid_documents[i]));
        assert_null(value);
        assert_true(err.line >= 1 && err.column >= 1 && err.message[0]);
    }
}

static void every_cut_document_is_refused(void **state)
{
    static const char text[] =
        "{\"order\":{\"id\":\"A-1\\u00e4\\n\",\"total\":-12.50e+1,\"ok\":true,\"none\":null},"
        "\"lines\":[{\"sku\":\"\xe2\x82\xac\",\"n\":3},[false,[],{}]]}";
    parse(*state, text);
    for (size_t n = 0; n + 1 < sizeof text; n++) {
        const struct json *value;
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        assert_int_equal(json_parse((str){ copy, n }, NULL, *state, &value, NULL), ST_INVALID);
        free(copy);
    }
}

static void errors_say_where_and_what(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } cases[] = {
        { "", 1, 1, "expected a value" },
        { "  ", 1, 3, "expected a value" },
        { "{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "expected ',' or '}'" },
        { "[1 2]", 1, 4, "expected ',' or ']'" },
        { "[1,\n2", 2, 2, "expected ',' or ']'" },
        { "{\"a\" 1}", 1, 6, "expected ':'" },
        { "{a:1}", 1, 2, "expected a name" },
        { "{\"a\":1,}", 1, 8, "expected a name" },
        { "[1,]", 1, 4, "expected a value" },
        { "1 2", 1, 3, "expected the end of the text" },
        { "\"\xc3\xa4\xe2\x82\xac\" x", 1, 6, "expected the end of the text" }, /* Characters, not bytes. */
        { "[\"a\", \"b\x80\"]", 1, 9, "not UTF-8" },
        { "[\r\n\"\\ud800\"]", 2, 2, "lone surrogate" },
        { "[01]", 1, 2, "a number may not start with 0" },
        { "-", 1, 2, "expected a digit" },
        { "1.x", 1, 3, "expected a digit behind the '.'" },
        { "1e+", 1, 4, "expected a digit in the exponent" },
        { "\"ab", 1, 1, "the string has no end" },
        { "\"a\nb\"", 1, 3, "control characters in a string must be escaped" },
        { "\"a\\qb\"", 1, 3, "no such escape" },
        { "\"\\u12\"", 1, 2, "\\u needs four hexadecimal digits" },
        { "{\"a\":1,\n \"b\":2, \"a\":3}", 2, 9, "duplicate name \"a\"" },
        { "[{\"k\":[{}, \"]}\\\"\"] ,\n\"k\":0}]", 2, 1, "duplicate name \"k\"" },
        { "{\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,\"m\":0,"
          "\"n\":0,\"o\":0,\n\"z\":0,\n \"b\":0, \"z\":1}",
          3, 2, "duplicate name \"b\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value;
        struct error err;
        assert_int_equal(json_parse(str_of(cases[i].text), NULL, *state, &value, &err), ST_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
    }
}

static str nested(struct arena *arena, size_t levels, str open, str middle, char close)
{
    struct buf text;
    buf_init(&text, arena);
    for (size_t i = 0; i < levels; i++) buf_add_str(&text, open);
    buf_add_str(&text, middle);
    for (size_t i = 0; i < levels; i++) buf_add_char(&text, close);
    return buf_str(&text);
}

static void depth_ends_at_its_limit(void **state)
{
    struct arena *arena = *state;
    const struct json *value;
    struct error err;
    assert_int_equal(json_depth(parse_str(arena, nested(arena, JSON_DEPTH_MAX, STR("["), STR(""), ']'))),
                     JSON_DEPTH_MAX);
    parse_str(arena, nested(arena, JSON_DEPTH_MAX, STR("{\"a\":"), STR("1"), '}'));
    assert_int_equal(
        json_parse(nested(arena, JSON_DEPTH_MAX + 1, STR("["), STR(""), ']'), NULL, arena, &value, &err),
        ST_LIMIT);
    assert_string_equal(err.message, "nested deeper than 128 (JSON_DEPTH_MAX)");
    assert_int_equal(err.column, JSON_DEPTH_MAX + 1);
    assert_int_equal(
        json_parse(nested(arena, 100000, STR("{\"a\":["), STR(""), ']'), NULL, arena, &value, &err),
        ST_LIMIT);

    const struct json_limits three = { .depth_max = 3 };
    assert_int_equal(json_parse(STR("[[[1]],[[2]]]"), &three, arena, &value, &err), ST_OK);
    assert_int_equal(json_parse(STR("[[[[]]]]"), &three, arena, &value, &err), ST_LIMIT);
    const struct json_limits more = { .depth_max = 100000 }; /* Cannot be had. */
    assert_int_equal(
        json_parse(nested(arena, JSON_DEPTH_MAX + 1, STR("["), STR(""), ']'), &more, arena, &value, &err),
        ST_LIMIT);
}

static void sizes_end_at_their_limits(void **state)
{
    struct arena *arena = *state;
    const struct json *value;
    struct error err;
    const struct json_limits five = { .bytes_max = 5 };
    assert_int_equal(json_parse(STR("12345"), &five, arena, &value, &err), ST_OK);
    assert_int_equal(json_parse(STR("123456"), &five, arena, &value, &err), ST_LIMIT);

    char digits[JSON_NUMBER_BYTES_MAX + 1];
    memset(digits, '7', sizeof digits);
    assert_int_equal(json_parse((str){ digits, JSON_NUMBER_BYTES_MAX }, NULL, arena, &value, &err), ST_OK);
    assert_int_equal(json_parse((str){ digits, JSON_NUMBER_BYTES_MAX + 1 }, NULL, arena, &value, &err),
                     ST_LIMIT);
    assert_int_equal(json_parse(STR("1e999999999"), NULL, arena, &value, &err), ST_OK);
    assert_int_equal(json_parse(STR("1e1000000000"), NULL, arena, &value, &err), ST_LIMIT);
    assert_int_equal(json_parse(STR("1e-99999999999999999999"), NULL, arena, &value, &err), ST_LIMIT);

    struct buf text;
    buf_init(&text, NULL);
    buf_add_char(&text, '[');
    for (size_t i = 0; i < JSON_MEMBERS_MAX; i++) buf_add_str(&text, STR("0,"));
    text.p[text.n - 1] = ']';
    assert_int_equal(json_parse(buf_str(&text), NULL, arena, &value, &err), ST_OK);
    assert_int_equal(json_count(value), JSON_MEMBERS_MAX);
    text.p[text.n - 1] = ',';
    buf_add_str(&text, STR("0]"));
    assert_int_equal(json_parse(buf_str(&text), NULL, arena, &value, &err), ST_LIMIT);
    buf_done(&text);
}

/* Takes minutes if looking for duplicates is quadratic. */
static void many_names_are_checked_quickly(void **state)
{
    enum { NAMES = 200000 };
    struct buf text;
    buf_init(&text, NULL);
    for (uint32_t i = 0; i < NAMES; i++)
        buf_printf(&text, "%c\"name-%u\":%u", i ? ',' : '{', i * 7919u % NAMES, i);
    buf_add_char(&text, '}');
    const struct json *value = parse_str(*state, buf_str(&text));
    assert_int_equal(json_count(value), NAMES);
    int64_t found;
    assert_true(json_int64(json_get(value, STR("name-7919")), &found));
    assert_int_equal(found, 1);
    text.n--;
    buf_add_str(&text, STR(",\"name-5\":0}"));
    struct error err;
    assert_int_equal(json_parse(buf_str(&text), NULL, *state, &value, &err), ST_INVALID);
    assert_string_equal(err.message, "duplicate name \"name-5\"");
    buf_done(&text);
}

/* Few and many, long and short, and such as have the same length, beginning and end. */
static void any_two_equal_names_are_found(void **state)
{
    static const struct {
        const char *before;
        int digits;
        const char *behind;
    } forms[] = {
        { "", 1, "" },
        { "same", 1, "same" },
        { "name-", 4, "" },
        { "", 4, "-and-the-rest" },
    };
    struct arena *arena = *state;
    for (size_t form = 0; form < COUNT(forms); form++)
        for (int count = 2; count <= 20; count++)
            for (int again = 1; again < count; again++) {
                struct buf text;
                buf_init(&text, arena);
                for (int i = 0; i < count; i++) {
                    buf_printf(&text, "%c\"%s%0*d%s\":%d", i ? ',' : '{', forms[form].before,
                               forms[form].digits, i == again ? again / 2 : i, forms[form].behind, i);
                }
                buf_add_char(&text, '}');
                const struct json *value = NULL;
                struct error err;
                assert_int_equal(json_parse(buf_str(&text), NULL, arena, &value, &err), ST_INVALID);
                assert_ptr_equal(strstr(err.message, "duplicate name"), err.message);
                size_t at = str_find(buf_str(&text), STR(","), 0);
                for (int i = 1; i < again; i++) at = str_find(buf_str(&text), STR(","), at + 1);
                assert_int_equal(err.column, at + 2);
                arena_reset(arena);
            }
}

static void strings_of_every_length_and_place_of_an_escape_come_back(void **state)
{
    static const char others[] = "x !#[]\x7f"; /* Mostly neighbours of what is escaped. */
    struct arena *arena = *state;
    for (const char *other = others; *other; other++)
        for (size_t n = 0; n < 40; n++)
            for (size_t at = 0; at <= n; at++) {
                char bytes[40];
                memset(bytes, *other, sizeof bytes);
                if (at < n) bytes[at] = "\"\\\n\x01\x1f"[(at + n) % 5];
                if (at >= 4)
                    memcpy(bytes + at - 4, "\xc3\xbf\xc2\x80", 4); /* What is not ASCII goes before it. */
                struct buf text;
                buf_init(&text, arena);
                json_print_string((str){ bytes, n }, &text);
                str back = json_string(parse_str(arena, buf_str(&text)));
                assert_true(str_equal(back, (str){ bytes, n }));
                arena_reset(arena);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(valid_documents_print_as_they_were),
        json_test(other_ways_to_write_it_are_read_too),
        json_test(invalid_documents_are_refused),
        json_test(every_cut_document_is_refused),
        json_test(errors_say_where_and_what),
        json_test(depth_ends_at_its_limit),
        json_test(sizes_end_at_their_limits),
        json_test(many_names_are_checked_quickly),
        json_test(any_two_equal_names_are_found),
        json_test(strings_of_every_length_and_place_of_an_escape_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
