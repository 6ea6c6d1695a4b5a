/* What differs between two values, for people. */
#include "json_test.h"

#include "json/changes.h"
#include "json/limits.h"
#include "json/put.h"

static const char *changes_of(struct arena *arena, const char *from, const char *to, size_t count_max,
                              size_t bytes_max, bool *ret_cut)
{
    struct buf out;
    buf_init(&out, arena);
    struct json_changes changes = { .out = &out, .count_max = count_max, .bytes_max = bytes_max };
    changes.skip = STR("version");
    changes_tell(&changes, parse(arena, from), parse(arena, to), arena);
    buf_add_char(&out, '\0');
    if (ret_cut) *ret_cut = changes.is_cut;
    parse(arena, out.p); /* It is JSON. */
    return out.p;
}

static void changes_name_their_places(void **state)
{
    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        { "{}", "{}", "[]" },
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1.0}", "[]" },
        { "{\"version\":1}", "{\"version\":2}", "[]" },
        { "{\"a\":{\"version\":1}}", "{\"a\":{\"version\":2}}",
          "[{\"path\":\"a.version\",\"change\":\"changed\",\"from\":\"1\",\"to\":\"2\"}]" },
        { "{\"a\":1}", "{\"b\":\"x\"}",
          "[{\"path\":\"a\",\"change\":\"removed\",\"from\":\"1\"},"
          "{\"path\":\"b\",\"change\":\"added\",\"to\":\"\\\"x\\\"\"}]" },
        { "{\"s\":[{\"id\":\"a\",\"n\":1},{\"id\":\"b\"}]}",
          "{\"s\":[{\"id\":\"c\"},{\"id\":\"a\",\"n\":2}]}",
          "[{\"path\":\"s[a].n\",\"change\":\"changed\",\"from\":\"1\",\"to\":\"2\"},"
          "{\"path\":\"s[b]\",\"change\":\"removed\",\"from\":\"{\\\"id\\\":\\\"b\\\"}\"},"
          "{\"path\":\"s[c]\",\"change\":\"added\",\"to\":\"{\\\"id\\\":\\\"c\\\"}\"}]" },
        { "[{\"name\":\"a\"},{\"name\":\"b\"}]", "[{\"name\":\"b\"},{\"name\":\"a\"}]",
          "[{\"path\":\"\",\"change\":\"order\"}]" },
        { "[{\"from\":\"a\",\"to\":\"b\"}]", "[{\"from\":\"a\",\"to\":\"b\",\"label\":\"x\"}]",
          "[{\"path\":\"[a to b].label\",\"change\":\"added\",\"to\":\"\\\"x\\\"\"}]" },
        /* Two of a name: they are known by their index, and what is equal at both ends is no change. */
        { "[{\"id\":\"a\"},{\"id\":\"a\"}]", "[{\"id\":\"a\"},7,{\"id\":\"a\"}]",
          "[{\"path\":\"[1]\",\"change\":\"added\",\"to\":\"7\"}]" },
        { "[1,2,3]", "[1,3]", "[{\"path\":\"[1]\",\"change\":\"removed\",\"from\":\"2\"}]" },
        { "[]", "{}", "[{\"path\":\"\",\"change\":\"changed\",\"from\":\"[]\",\"to\":\"{}\"}]" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(changes_of(*state, cases[i].from, cases[i].to, 100, 1 << 20, NULL),
                            cases[i].want);
}

static void long_values_are_cut(void **state)
{
    struct buf text;
    buf_init(&text, *state);
    PUT(&text, "[\"");
    for (int i = 0; i < 200; i++) PUT(&text, "é");
    PUT(&text, "\"]");
    buf_add_char(&text, '\0');
    const char *got = changes_of(*state, "[1]", text.p, 100, 1 << 20, NULL);
    assert_true(strlen(got) < CHANGE_VALUE_BYTES_MAX + 100);
    assert_non_null(strstr(got, "…"));
}

static void there_are_bounds(void **state)
{
    const char *from = "{\"a\":1,\"b\":1,\"c\":1}", *to = "{\"a\":2,\"b\":2,\"c\":2}";
    bool is_cut;
    size_t all = strlen(changes_of(*state, from, to, 3, 1 << 20, &is_cut));
    assert_false(is_cut);
    assert_true(strlen(changes_of(*state, from, to, 2, 1 << 20, &is_cut)) < all && is_cut);
    assert_true(strlen(changes_of(*state, from, to, 3, 10, &is_cut)) < all && is_cut);
    changes_of(*state, from, from, 0, 0, &is_cut);
    assert_false(is_cut);
}

/* Whatever differs is told, and what is equal is not. */
static void every_difference_is_told(void **state)
{
    struct random random = { 5 };
    struct arena *arena = *state;
    int different = 0;
    for (int i = 0; i < 500; i++) {
        const struct json *a = random_value(arena, &random);
        const struct json *b = i % 3 ? random_value(arena, &random) : json_copy(arena, a);
        struct buf out;
        buf_init(&out, arena);
        struct json_changes changes = { .out = &out, .count_max = SIZE_MAX, .bytes_max = SIZE_MAX };
        changes_tell(&changes, a, b, arena);
        assert_int_equal(str_equal(buf_str(&out), STR("[]")), json_equal(a, b));
        different += !json_equal(a, b);
    }
    assert_true(different > 200 && different < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(changes_name_their_places),
        json_test(long_values_are_cut),
        json_test(there_are_bounds),
        json_test(every_difference_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
