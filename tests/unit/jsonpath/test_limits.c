/* Budgets and limits of paths, and placing values. */
#include "json/json_test.h"

#include "jsonpath/jsonpath.h"

static const struct jsonpath *compile(struct arena *arena, const char *text)
{
    const struct jsonpath *path = NULL;
    struct error err = { .message = "" };
    if (jsonpath_compile(str_of(text), JSONPATH_LENIENT, arena, &path, &err) != ST_OK)
        fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.message);
    return path;
}

/* "before", then `part` so many times, then "after". */
static str repeated(struct arena *arena, const char *before, const char *part, size_t times,
                    const char *after)
{
    struct buf text;
    buf_init(&text, arena);
    buf_add_str(&text, str_of(before));
    while (times--) buf_add_str(&text, str_of(part));
    buf_add_str(&text, str_of(after));
    return buf_str(&text);
}

static enum status try_compile(struct arena *arena, str text, struct error *err)
{
    const struct jsonpath *path;
    return jsonpath_compile(text, JSONPATH_STRICT, arena, &path, err);
}

/* ---- limits of a text ---- */

static void paths_are_limited_in_length(void **state)
{
    struct arena *arena = *state;
    struct error err;
    assert_int_equal(try_compile(arena, repeated(arena, "$['", "x", PATH_BYTES_MAX - 5, "']"), &err), ST_OK);
    assert_int_equal(try_compile(arena, repeated(arena, "$['", "x", PATH_BYTES_MAX - 4, "']"), &err),
                     ST_LIMIT);
    assert_string_equal(err.message, "the path has 4097 bytes; the most is 4096 (PATH_BYTES_MAX)");

    assert_int_equal(try_compile(arena, repeated(arena, "$", ".a", PATH_SEGMENTS_MAX, ""), &err), ST_OK);
    assert_int_equal(try_compile(arena, repeated(arena, "$", ".a", PATH_SEGMENTS_MAX + 1, ""), &err),
                     ST_LIMIT);
    assert_string_equal(err.message, "more than 256 segments (PATH_SEGMENTS_MAX)");
    assert_int_equal(err.column, 2 + 2 * PATH_SEGMENTS_MAX);

    assert_int_equal(try_compile(arena, repeated(arena, "$[", "0,", PATH_SELECTORS_MAX - 1, "0]"), &err),
                     ST_OK);
    assert_int_equal(try_compile(arena, repeated(arena, "$[", "0,", PATH_SELECTORS_MAX, "0]"), &err),
                     ST_LIMIT);
    assert_string_equal(err.message, "more than 256 selectors in brackets (PATH_SELECTORS_MAX)");
}

static void nesting_is_limited_by_one_counter(void **state)
{
    struct arena *arena = *state;
    static const struct {
        const char *before, *open, *middle, *close;
        uint32_t levels;
    } cases[] = {
        { "$", "[?@", "", "]", 1 },      { "$[?", "(", "@", ")", 1 }, /* Inside one filter. */
        { "$[?", "!(", "@", ")", 1 },    { "$[?1 == ", "length(", "'x'", ")", 1 },
        { "$[?", "(@[?", "@", "])", 2 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t inside = strchr(cases[i].before, '?') ? PATH_DEPTH_MAX - 1 : PATH_DEPTH_MAX;
        size_t most = inside / cases[i].levels;
        for (size_t n = most; n <= most + 1; n++) {
            str opened = repeated(arena, cases[i].before, cases[i].open, n, cases[i].middle);
            str closed = repeated(arena, "", cases[i].close, n, strchr(cases[i].before, '?') ? "]" : "");
            struct error err;
            enum status status =
                try_compile(arena, arena_printf(arena, "%.*s%.*s", STR_ARG(opened), STR_ARG(closed)), &err);
            assert_int_equal(status, n == most ? ST_OK : ST_LIMIT);
            if (n > most)
                assert_string_equal(err.message,
                                    "the path is nested more than 32 levels deep (PATH_DEPTH_MAX)");
        }
    }
}

/* Every text either compiles or is refused, wherever it is cut. */
static void cut_paths_are_refused_cleanly(void **state)
{
    static const char text[] = "$.a['b\\u00e4\\ud83d\\ude00', \"c\"][-1, 2:3:4, *]..d[?(@.a == -1.5e3 && "
                               "!match(@.b, 'x\\\\.[a-z]{2}')) || "
                               "count($..*) >= length(value(@['x'])) || @ =~ /a\\/b/i]";
    struct arena *arena = *state;
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        const struct jsonpath *path;
        struct error err = { .message = "" };
        enum status status = jsonpath_compile((str){ copy, n }, JSONPATH_LENIENT, arena, &path, &err);
        if (status != ST_OK) assert_true(err.message[0] && err.column <= n + 1);
        free(copy);
        arena_reset(arena);
    }
}

/* ---- budgets of a run ---- */

static const struct json *wide_array(struct arena *arena, size_t count)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) {
        json_open_array(&builder);
        json_add_int(&builder, (int64_t)i);
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

static enum status select_with(struct arena *arena, const char *text, const struct json *root, int64_t *fuel,
                               struct error *err)
{
    const struct json *const *node = NULL;
    size_t count = 7;
    enum status status = jsonpath_select(compile(arena, text), root, fuel, arena, &node, &count, err);
    if (status != ST_OK) assert_true(!node && count == 7);
    return status;
}

static void fuel_runs_out_cleanly(void **state)
{
    static const char *const paths[] = {
        "$..*",
        "$[*]",
        "$..[0]",
        "$[?@[0] > 5]",
        "$[::2]",
        "$[?count($..*) > 1]",
        "$[?match(@[0], 'a')]",
        "$[0,1,2,3]",
        "$..*..*",
        "$[?@ == $]",
        "$[?$..x]",
        "$[0][0]",
        "$",
    };
    struct arena *arena = *state;
    const struct json *root = wide_array(arena, 40);
    for (size_t i = 0; i < COUNT(paths); i++) {
        /* What it costs, exactly: one less does not suffice. */
        int64_t fuel = 1000000;
        struct error err;
        assert_int_equal(select_with(arena, paths[i], root, &fuel, &err), ST_OK);
        int64_t cost = 1000000 - fuel;
        assert_true(cost > 0);
        fuel = cost;
        assert_int_equal(select_with(arena, paths[i], root, &fuel, &err), ST_OK);
        assert_int_equal(fuel, 0);
        for (int64_t given = cost - 1; given >= 0; given -= 1 + given / 5) {
            fuel = given;
            assert_int_equal(select_with(arena, paths[i], root, &fuel, &err), ST_LIMIT);
            assert_int_equal(fuel, 0);
            char want[96];
            snprintf(want, sizeof want, "the path used up its budget of %lld operations (fuel_max)",
                     (long long)given);
            assert_string_equal(err.message, want);
        }
    }
}

static void a_wide_document_uses_up_the_default_budget(void **state)
{
    struct arena *arena = *state;
    const struct json *root = wide_array(arena, 50000);
    int64_t fuel = limits_default().fuel_max;
    struct error err;
    assert_int_equal(select_with(arena, "$..*", root, &fuel, &err), ST_LIMIT);
    assert_string_equal(err.message, "the path used up its budget of 100000 operations (fuel_max)");

    /* Quadratic, and with nesting worse; it ends as soon. */
    fuel = limits_default().fuel_max;
    assert_int_equal(select_with(arena, "$[?$[?$[?$[?@ == 1]]]]", root, &fuel, &err), ST_LIMIT);
    /* The first node answers what an existence asks. */
    fuel = 20;
    assert_int_equal(select_with(arena, "$[0][?$[*][*]]", root, &fuel, &err), ST_OK);
}

static void memory_runs_out_cleanly(void **state)
{
    const struct json *root = wide_array(*state, 20000);
    struct arena small;
    arena_init(&small, 64 << 10);
    int64_t fuel = 1000000;
    struct error err;
    assert_int_equal(select_with(&small, "$..*", root, &fuel, &err), ST_LIMIT);
    assert_string_equal(err.message, "the path used up its budget of 65536 bytes of memory (step_bytes_max)");
    arena_done(&small);
}

static void expensive_patterns_are_stopped(void **state)
{
    struct arena *arena = *state;
    const struct json *root = parse(arena, "[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"]");
    struct error err;
    int64_t fuel = 1000000;
    assert_int_equal(select_with(arena, "$[?match(@, '(a*)*[cd]')]", root, &fuel, &err), ST_LIMIT);
    assert_string_equal(err.message,
                        "the regular expression takes too many steps on this text (REGEX_STEPS_MAX)");
    fuel = 200;
    assert_int_equal(select_with(arena, "$[?match(@, '(a*)*[cd]')]", root, &fuel, &err), ST_LIMIT);
    assert_string_equal(err.message, "the path used up its budget of 200 operations (fuel_max)");
}

/* A path to the deepest value there is, with a filter at its end that holds such a path, and so on. */
static str path_of_stages(struct arena *arena, int count)
{
    struct buf text;
    buf_init(&text, arena);
    for (int i = 0; i < count; i++)
        buf_add_str(&text, repeated(arena, i ? "[?$" : "$", "[*]", JSON_DEPTH_MAX - 2, ""));
    for (int i = 1; i < count; i++) buf_add_char(&text, ']');
    buf_add_char(&text, '\0');
    return buf_str(&text);
}

static void deep_documents_are_walked_to_the_stack_limit(void **state)
{
    struct arena *arena = *state;
    struct error err;
    str opened = repeated(arena, "", "[", JSON_DEPTH_MAX, ""),
        closed = repeated(arena, "", "]", JSON_DEPTH_MAX, "");
    const struct json *root =
        parse_str(arena, arena_printf(arena, "%.*s%.*s", STR_ARG(opened), STR_ARG(closed)));
    int64_t fuel = 100000;
    assert_int_equal(select_with(arena, "$..*..*", root, &fuel, &err), ST_OK);
    fuel = 1000000;
    assert_int_equal(select_with(arena, "$..[?$..[?@.x]]", root, &fuel, &err), ST_OK);
    fuel = 100000;
    assert_int_equal(select_with(arena, path_of_stages(arena, 8).p, root, &fuel, &err), ST_OK);
    assert_int_equal(select_with(arena, path_of_stages(arena, 9).p, root, &fuel, &err), ST_LIMIT);
    assert_string_equal(err.message,
                        "the path leads more than 1024 levels deep into values and filters (PATH_STACK_MAX)");
}

static void values_in_bulk_are_paid_for(void **state)
{
    struct arena *arena = *state;
    const struct json *root =
        parse(arena, "[[\"0123456789012345678901234567890123456789012345678901234567890123456789\"]]");
    const struct jsonpath *path = compile(arena, "$..*");
    const struct json *value = NULL;
    struct error err;
    int64_t fuel = 100;
    assert_int_equal(jsonpath_value(path, root, &fuel, arena, &value, &err), ST_OK);
    assert_int_equal(json_count(value), 2);
    fuel = 100 - fuel - 1;
    value = NULL;
    assert_int_equal(jsonpath_value(path, root, &fuel, arena, &value, &err), ST_LIMIT);
    assert_null(value);
}

/* ---- placing ---- */

static void values_are_placed(void **state)
{
    static const struct {
        const char *base, *path, *want;
    } cases[] = {
        { "{\"a\":1}", "$", "\"v\"" },
        { "7", "$", "\"v\"" },
        { "{}", "$.x", "{\"x\":\"v\"}" },
        { "{\"a\":1}", "$.x.y", "{\"a\":1,\"x\":{\"y\":\"v\"}}" },
        { "{\"x\":{\"a\":1,\"y\":2,\"b\":3}}", "$.x.y", "{\"x\":{\"a\":1,\"y\":\"v\",\"b\":3}}" },
        { "{\"x\":{\"y\":{\"z\":1}},\"w\":0}", "$.x.y", "{\"x\":{\"y\":\"v\"},\"w\":0}" },
        { "{\"x\":null}", "$.x.y", "{\"x\":{\"y\":\"v\"}}" },
        { "null", "$.x.y", "{\"x\":{\"y\":\"v\"}}" },
        { "\"text\"", "$.x", "{\"x\":\"v\"}" },
        { "false", "x['']", "{\"x\":{\"\":\"v\"}}" },
        { "[1,2,3]", "$[1]", "[1,\"v\",3]" },
        { "[1,2,3]", "$[-3]", "[\"v\",2,3]" },
        { "{\"a\":[{\"b\":1},{\"b\":2}]}", "$.a[-1].b", "{\"a\":[{\"b\":1},{\"b\":\"v\"}]}" },
        { "{\"a\":[null]}", "$.a[0].b.c", "{\"a\":[{\"b\":{\"c\":\"v\"}}]}" },
        { "{\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6,\"h\":7,\"i\":8,\"j\":9,\"k\":10,\"l\":"
          "11,\"m\":12,\"n\":13,\"o\":14}",
          "$.p",
          "{\"a\":0,\"b\":1,\"c\":2,\"d\":3,\"e\":4,\"f\":5,\"g\":6,\"h\":7,\"i\":8,\"j\":9,\"k\":10,\"l\":"
          "11,\"m\":12,\"n\":13,\"o\":14,\"p\":\"v\"}" },
    };
    struct arena *arena = *state;
    const struct json *value = parse(arena, "\"v\"");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *base = parse(arena, cases[i].base), *placed = NULL, *found = NULL;
        const struct jsonpath *path = compile(arena, cases[i].path);
        int64_t fuel = 100;
        assert_int_equal(jsonpath_place(base, path, value, arena, &placed, NULL), ST_OK);
        assert_string_equal(print(arena, placed), cases[i].want);
        assert_non_null(json_decode(json_encoded(placed), arena)); /* The cells are as they must be. */
        assert_int_equal(jsonpath_value(path, placed, &fuel, arena, &found, NULL), ST_OK);
        assert_true(json_equal(found, value));
        assert_string_equal(print(arena, base), cases[i].base);
    }
    const struct json *placed;
    assert_int_equal(jsonpath_place(NULL, compile(arena, "$.a"), NULL, arena, &placed, NULL), ST_OK);
    assert_string_equal(print(arena, placed), "{\"a\":null}");
}

static void what_is_in_the_way_is_named(void **state)
{
    static const struct {
        const char *base, *path, *where, *message;
    } cases[] = {
        { "{\"x\":1}", "$.x.y", "/x", "cannot set a member of what is number" },
        { "{\"x\":{\"a/b\":\"t\"}}", "$.x['a/b'].y", "/x/a~1b", "cannot set a member of what is string" },
        { "{\"x\":[1]}", "$.x.y", "/x", "cannot set a member of what is array" },
        { "[1]", "$.x", "", "cannot set a member of what is array" },
        { "{\"x\":[[1]]}", "$.x[0].y", "/x/0", "cannot set a member of what is array" },
        { "[1]", "$[1]", "", "the array has no element 1" },
        { "{\"x\":[]}", "$.x[-1]", "/x", "the array has no element -1" },
        { "{\"x\":{}}", "$.x[0]", "/x", "cannot set an element of what is object" },
        { "{}", "$.x[0]", "/x", "cannot set an element of what is null" },
        { "5", "$[0]", "", "cannot set an element of what is object" },
        { "{}", "$.*", "", "only a path of names and indices says where a value goes" },
        { "{}", "$..x", "", "only a path of names and indices says where a value goes" },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *placed = NULL;
        struct error err;
        assert_int_equal(jsonpath_place(parse(arena, cases[i].base), compile(arena, cases[i].path),
                                        json_null(), arena, &placed, &err),
                         ST_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.where, cases[i].where);
        assert_null(placed);
    }
}

static void placing_keeps_to_the_depth_of_values(void **state)
{
    struct arena *arena = *state;
    const struct json *placed = NULL, *value = parse(arena, "[[]]");
    struct error err;
    const struct jsonpath *most, *more;
    assert_int_equal(jsonpath_compile(repeated(arena, "$", ".a", JSON_DEPTH_MAX - 2, ""), JSONPATH_STRICT,
                                      arena, &most, NULL),
                     ST_OK);
    assert_int_equal(jsonpath_compile(repeated(arena, "$", ".a", JSON_DEPTH_MAX - 1, ""), JSONPATH_STRICT,
                                      arena, &more, NULL),
                     ST_OK);
    assert_int_equal(jsonpath_place(json_null(), most, value, arena, &placed, &err), ST_OK);
    assert_int_equal(json_depth(placed), JSON_DEPTH_MAX);
    assert_int_equal(jsonpath_place(placed, more, value, arena, &placed, &err), ST_INVALID);
    assert_int_equal(jsonpath_place(json_null(), more, value, arena, &placed, &err), ST_LIMIT);
    assert_string_equal(err.message, "the result would be more than 128 levels deep (JSON_DEPTH_MAX)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(paths_are_limited_in_length),
        json_test(nesting_is_limited_by_one_counter),
        json_test(cut_paths_are_refused_cleanly),
        json_test(fuel_runs_out_cleanly),
        json_test(a_wide_document_uses_up_the_default_budget),
        json_test(memory_runs_out_cleanly),
        json_test(expensive_patterns_are_stopped),
        json_test(deep_documents_are_walked_to_the_stack_limit),
        json_test(values_in_bulk_are_paid_for),
        json_test(values_are_placed),
        json_test(what_is_in_the_way_is_named),
        json_test(placing_keeps_to_the_depth_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
