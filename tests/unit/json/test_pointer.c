#include "json_test.h"

static void pointers_find_values(void **state)
{
    /* The examples of RFC 6901, and what they leave out. */
    const char *text = document("json/pointer", "RFC 6901");
    const struct {
        const char *pointer, *want;
    } cases[] = {
        { "", text },
        { "/foo", "[\"bar\",\"baz\"]" },
        { "/foo/0", "\"bar\"" },
        { "/foo/1", "\"baz\"" },
        { "/", "0" },
        { "/a~1b", "1" },
        { "/c%d", "2" },
        { "/e^f", "3" },
        { "/g|h", "4" },
        { "/i\\j", "5" },
        { "/k\"l", "6" },
        { "/ ", "7" },
        { "/m~0n", "8" },
        { "/~01", "9" },
        { "/o//", "10" },
        { "/o/", "{\"\":10}" },
        { "/x/0", "11" },
        { "foo", NULL },
        { "/foo/2", NULL },
        { "/foo/-", NULL },
        { "/foo/01", NULL },
        { "/foo/+1", NULL },
        { "/foo/ 1", NULL },
        { "/foo/", NULL },
        { "/foo/18446744073709551616", NULL },
        { "/foo/4294967296", NULL },
        { "/foo/0/x", NULL },
        { "/a/b", NULL },
        { "/m~n~", NULL },
        { "/nope", NULL },
        { "//", NULL },
        { "/x/1", NULL },
    };
    const struct json *value = parse(*state, text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *found = json_pointer(value, str_of(cases[i].pointer));
        if (cases[i].want) {
            assert_non_null(found);
            assert_string_equal(print(*state, found), cases[i].want);
        } else if (found) {
            fail_msg("%s found %s", cases[i].pointer, print(*state, found));
        }
        uint32_t line, column;
        assert_int_equal(json_locate(str_of(text), str_of(cases[i].pointer), &line, &column),
                         cases[i].want != NULL);
    }
    assert_null(json_pointer(NULL, STR("/a")));
}

static void places_are_lines_and_characters(void **state)
{
    static const char text[] = "\n{ \"steps\": [\n"
                               "    { \"id\": \"a\", \"\xc3\xa4\": \"}]\\\"\", \"n\" :-1.5e3 },\n"
                               "    [ ],\r\n"
                               "\t\"\xe2\x82\xac\",  true , {\"a\\/b\":{\"\\u0078\":  null}}\n"
                               "  ]\n"
                               "}";
    static const struct {
        const char *pointer;
        uint32_t line, column;
    } cases[] = {
        { "", 2, 1 },
        { "/steps", 2, 12 },
        { "/steps/0", 3, 5 },
        { "/steps/0/id", 3, 13 },
        { "/steps/0/\xc3\xa4", 3, 23 },
        { "/steps/0/n", 3, 36 },
        { "/steps/1", 4, 5 },
        { "/steps/2", 5, 2 },
        { "/steps/3", 5, 8 },
        { "/steps/4", 5, 15 },
        { "/steps/4/a~1b", 5, 23 },
        { "/steps/4/a~1b/x", 5, 35 },
    };
    parse(*state, text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t line, column;
        if (!json_locate(str_of(text), str_of(cases[i].pointer), &line, &column))
            fail_msg("%s", cases[i].pointer);
        assert_int_equal(line, cases[i].line);
        assert_int_equal(column, cases[i].column);
    }
    uint32_t line = 7, column = 7;
    static const char *const absent[] = { "x",          "/x",         "/steps/5",
                                          "/steps/1/0", "/steps/2/0", "/steps/0/id/x",
                                          "/steps/-" };
    for (size_t i = 0; i < COUNT(absent); i++)
        assert_false(json_locate(str_of(text), str_of(absent[i]), &line, &column));
    assert_int_equal(line, 7);
}

/* The text must have parsed; but one that has not must not be a danger. */
static void locating_in_a_broken_text_stays_inside(void **state)
{
    static const char text[] = "{\"a\":[1,{\"b\\n\":\"\\\"x\"}],\"c\":{\"d\":[[],{}]}}";
    (void)state;
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        uint32_t line, column;
        static const char *const pointers[] = { "/a/1/b\n", "/c/d/1", "/zzz", "/a/7" };
        for (size_t i = 0; i < COUNT(pointers); i++)
            json_locate((str){ copy, n }, str_of(pointers[i]), &line, &column);
        free(copy);
    }
}

/* Goes through a value and its text and compares the places with what is found there. */
static void locate_all(struct arena *arena, str text, const struct json *root, const struct json *value,
                       struct buf *pointer)
{
    uint32_t line, column;
    assert_ptr_equal(json_pointer(root, buf_str(pointer)), value);
    assert_true(json_locate(text, buf_str(pointer), &line, &column));
    assert_int_equal(line, 1);
    const char *expected = print(arena, value);
    size_t offset = 0;
    for (uint32_t left = column - 1; left; offset++)
        if (((unsigned char)text.p[offset + 1] & 0xc0) != 0x80) left--;
    assert_memory_equal(text.p + offset, expected, strlen(expected));

    struct json_each each = json_each(value);
    size_t length = pointer->n;
    for (size_t i = 0; json_next(&each); i++, pointer->n = length) {
        buf_add_char(pointer, '/');
        if (!json_is(value, JSON_OBJECT)) buf_printf(pointer, "%zu", i);
        for (size_t k = 0; k < each.name.n; k++) {
            char c = each.name.p[k];
            if (c == '~' || c == '/') buf_add_str(pointer, c == '~' ? STR("~0") : STR("~1"));
            else buf_add_char(pointer, c);
        }
        locate_all(arena, text, root, each.value, pointer);
    }
}

static void every_child_of_any_value_is_located(void **state)
{
    struct random random = { 21 };
    struct arena *arena = *state;
    for (int i = 0; i < 30; i++) {
        const struct json *value = random_value(arena, &random);
        struct buf pointer;
        buf_init(&pointer, arena);
        buf_add_str(&pointer, STR(""));
        locate_all(arena, str_of(print(arena, value)), value, value, &pointer);
        arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(pointers_find_values),
        json_test(places_are_lines_and_characters),
        json_test(locating_in_a_broken_text_stays_inside),
        json_test(every_child_of_any_value_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
