#include "json_test.h"

static void kinds_have_names(void **state)
{
    static const struct {
        const char *text;
        enum json_kind kind;
        const char *name;
    } cases[] = {
        { "null", JSON_NULL, "null" },      { "false", JSON_BOOL, "boolean" },
        { "true", JSON_BOOL, "boolean" },   { "1", JSON_NUMBER, "number" },
        { "1e5", JSON_NUMBER, "number" },   { "99999999999", JSON_NUMBER, "number" },
        { "\"x\"", JSON_STRING, "string" }, { "[]", JSON_ARRAY, "array" },
        { "{}", JSON_OBJECT, "object" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value = parse(*state, cases[i].text);
        assert_int_equal(json_kind(value), cases[i].kind);
        assert_true(json_is(value, cases[i].kind));
        assert_false(json_is(value, (cases[i].kind + 1) % 6));
        assert_string_equal(json_kind_name(json_kind(value)), cases[i].name);
    }
    assert_false(json_is(NULL, JSON_NULL));
}

static void children_are_found_with_and_without_a_table(void **state)
{
    static const size_t counts[] = { 0, 1, 15, 16, 17, 300 };
    struct arena *arena = *state;
    for (size_t k = 0; k < COUNT(counts); k++) {
        struct json_builder object, array;
        json_builder_init(&object, arena);
        json_builder_init(&array, arena);
        json_open_object(&object);
        json_open_array(&array);
        for (size_t i = 0; i < counts[k]; i++) {
            json_add_name(&object, arena_printf(arena, "k%zu", i * 37 % counts[k]));
            json_add_int(&object, (int64_t)i);
            json_add_string(&array, arena_printf(arena, "%zu", i));
        }
        json_close(&object);
        json_close(&array);
        const struct json *members = json_built(&object), *items = json_built(&array);
        assert_int_equal(json_count(members), counts[k]);
        assert_int_equal(json_count(items), counts[k]);
        struct json_each each = json_each(members);
        for (size_t i = 0; i < counts[k]; i++) {
            assert_true(str_equal(json_string(json_item(items, i)), arena_printf(arena, "%zu", i)));
            assert_true(json_next(&each));
            assert_ptr_equal(json_get(members, arena_printf(arena, "k%zu", i * 37 % counts[k])), each.value);
            int64_t value;
            assert_true(json_int64(each.value, &value));
            assert_int_equal(value, i);
        }
        assert_false(json_next(&each));
        assert_null(json_item(items, counts[k]));
        assert_null(json_item(items, SIZE_MAX));
        assert_null(json_get(members, STR("k")));
        assert_null(json_get(members, STR("zzz")));
        assert_null(json_get(members, STR("")));
    }
}

static void looking_into_the_wrong_kind_finds_nothing(void **state)
{
    assert_null(json_get(parse(*state, "[1]"), STR("0")));
    assert_null(json_get(parse(*state, "1"), STR("")));
    assert_null(json_get(NULL, STR("a")));
    assert_null(json_item(parse(*state, "{\"0\":1}"), 0));
    assert_null(json_item(NULL, 0));
    assert_int_equal(json_count(parse(*state, "\"abc\"")), 0);
    assert_int_equal(json_count(NULL), 0);
    struct json_each each = json_each(parse(*state, "7"));
    assert_false(json_next(&each));
    each = json_each(NULL);
    assert_false(json_next(&each));
    int64_t value;
    assert_false(json_int64(NULL, &value));
}

static void a_member_of_the_wrong_kind_counts_as_absent(void **state)
{
    const struct json *object = parse(
        *state, "{\"text\":\"x\",\"true\":true,\"false\":false,\"seven\":7,\"part\":1.5,\"null\":null}");
    assert_true(str_equal(json_text(object, STR("text")), STR("x")));
    assert_true(json_flag(object, STR("true")));
    assert_int_equal(json_integer(object, STR("seven")), 7);
    static const char *const others[] = { "false", "part", "null", "absent" };
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_int_equal(json_text(object, str_of(others[i])).n, 0);
        assert_false(json_flag(object, str_of(others[i])));
        assert_int_equal(json_integer(object, str_of(others[i])), 0);
    }
    assert_int_equal(json_text(NULL, STR("text")).n, 0);
    assert_false(json_flag(parse(*state, "[true]"), STR("0")));
}

static void walking_gives_names_and_values_in_order(void **state)
{
    struct json_each each = json_each(parse(*state, "{\"b\":1,\"\":[2,[3]],\"a\":{\"x\":4}}"));
    static const struct {
        str name;
        const char *value;
    } want[] = {
        { STR_INIT("b"), "1" },
        { STR_INIT(""), "[2,[3]]" },
        { STR_INIT("a"), "{\"x\":4}" },
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(json_next(&each));
        assert_true(str_equal(each.name, want[i].name));
        assert_string_equal(print(*state, each.value), want[i].value);
    }
    assert_false(json_next(&each));
    assert_false(json_next(&each));
}

static void depth_counts_open_containers(void **state)
{
    static const struct {
        const char *text;
        uint32_t depth;
    } cases[] = {
        { "1", 0 },  { "\"\"", 0 },          { "[]", 1 },
        { "{}", 1 }, { "[1,[2,[3]],4]", 3 }, { "{\"a\":{\"b\":[]},\"c\":1}", 3 },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(json_depth(parse(*state, cases[i].text)), cases[i].depth);
    const struct json *deep = json_empty_array();
    for (int i = 0; i < 1000; i++) {
        struct json_builder builder;
        json_builder_init(&builder, *state);
        json_open_array(&builder);
        json_add(&builder, deep);
        json_close(&builder);
        deep = json_built(&builder);
    }
    assert_int_equal(json_depth(deep), JSON_DEPTH_MAX + 1);
}

static void a_builder_makes_what_parsing_makes(void **state)
{
    struct json_builder builder;
    json_builder_init(&builder, *state);
    json_open_object(&builder);
    json_add_name(&builder, STR("null"));
    json_add_null(&builder);
    json_add_name(&builder, STR("absent"));
    json_add(&builder, NULL);
    json_add_name(&builder, STR("yes"));
    json_add_bool(&builder, true);
    json_add_name(&builder, STR("ints"));
    json_open_array(&builder);
    static const int64_t ints[] = {
        0, -1, 134217727, 134217728, -134217728, -134217729, INT64_MAX, INT64_MIN
    };
    for (size_t i = 0; i < COUNT(ints); i++) json_add_int(&builder, ints[i]);
    json_close(&builder);
    json_add_name(&builder, STR("double"));
    json_add_double(&builder, 0.25);
    json_add_name(&builder, STR("text"));
    json_add_string(&builder, STR("a\0b\n"));
    json_add_name(&builder, STR("empty"));
    json_open_object(&builder);
    json_close(&builder);
    json_add_name(&builder, STR("copy"));
    json_add(&builder, parse(*state, "[1,{\"x\":[]}]"));
    json_close(&builder);
    const struct json *built = json_built(&builder);
    static const char want[] =
        "{\"null\":null,\"absent\":null,\"yes\":true,\"ints\":[0,-1,134217727,134217728,-134217728,-"
        "134217729,"
        "9223372036854775807,-9223372036854775808],\"double\":0.25,\"text\":\"a\\u0000b\\n\",\"empty\":{},"
        "\"copy\":[1,{\"x\":[]}]}";
    assert_string_equal(print(*state, built), want);
    const struct json *parsed = parse(*state, want);
    assert_int_equal(json_bytes(parsed), json_bytes(built));
    assert_memory_equal(parsed, built, json_bytes(built));
}

static void single_values_need_no_builder(void **state)
{
    assert_string_equal(print(*state, json_null()), "null");
    assert_string_equal(print(*state, json_of_bool(true)), "true");
    assert_string_equal(print(*state, json_of_bool(false)), "false");
    assert_string_equal(print(*state, json_empty_object()), "{}");
    assert_string_equal(print(*state, json_empty_array()), "[]");
    assert_string_equal(print(*state, json_of_int(*state, INT64_MIN)), "-9223372036854775808");
    assert_string_equal(print(*state, json_of_double(*state, 1.25)), "1.25");
    assert_string_equal(print(*state, json_of_string(*state, STR(""))), "\"\"");
    const struct json *value = parse(*state, "{\"a\":[1,2]}"), *copy = json_copy(*state, value);
    assert_ptr_not_equal(copy, value);
    assert_true(json_equal(copy, value));
    assert_true(json_bool(json_of_bool(true)));
}

static void pretty_printing_indents_by_two(void **state)
{
    const struct json *value = parse(*state, "{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[],\"e\":\"x\"}");
    assert_string_equal(
        printed_by(json_print_pretty, *state, value),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": [],\n"
        "  \"e\": \"x\"\n}");
    assert_string_equal(printed_by(json_print_pretty, *state, parse(*state, "5")), "5");
}

static void the_canonical_form_sorts_names_and_levels_numbers(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "{\"b\":1.0,\"a\":[1e0,100e-2,-0,0.50]}", "{\"a\":[1,1,0,0.5],\"b\":1}" },
        { "{\"b\":{\"d\":1,\"c\":2},\"a\":0,\"\":9,\"ab\":8,\"\xc3\xa4\":7}",
          "{\"\":9,\"a\":0,\"ab\":8,\"b\":{\"c\":2,\"d\":1},\"\xc3\xa4\":7}" },
        { "[1e400,10e399,0.001e403]", "[1e400,1e400,1e400]" },
        { "[1.25e-400]", "[1.25e-400]" },
        { "[1e33,1e34,123e40]", "[1000000000000000000000000000000000,1e34,1.23e42]" },
        { "[0.00001,0.000001,0.0000001]", "[0.00001,0.000001,1e-7]" },
        { "[12.340,-12.340e1,1234500e-3]", "[12.34,-123.4,1234.5]" },
        { "{\"p\":0,\"o\":1,\"n\":2,\"m\":3,\"l\":4,\"k\":5,\"j\":6,\"i\":7,\"h\":8,\"g\":9,\"f\":10,"
          "\"e\":11,\"d\":12,\"c\":13,\"b\":14,\"a\":15.0}",
          "{\"a\":15,\"b\":14,\"c\":13,\"d\":12,\"e\":11,\"f\":10,\"g\":9,\"h\":8,\"i\":7,\"j\":6,\"k\":5,"
          "\"l\":4,\"m\":3,\"n\":2,\"o\":1,\"p\":0}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(canonical(*state, parse(*state, cases[i].text)), cases[i].want);
}

static void equality_and_the_canonical_form_agree(void **state)
{
    struct random random = { 3 };
    struct arena *arena = *state;
    for (int i = 0; i < 300; i++) {
        const struct json *a = random_value(arena, &random), *b = random_value(arena, &random);
        assert_int_equal(json_equal(a, b), strcmp(canonical(arena, a), canonical(arena, b)) == 0);
        const struct json *sorted = parse(arena, canonical(arena, a));
        assert_true(json_equal(a, sorted) && json_equal(sorted, a));
        assert_string_equal(print(arena, parse(arena, print(arena, a))), print(arena, a));
        assert_true(json_equal(parse(arena, printed_by(json_print_pretty, arena, a)), a));
        arena_reset(arena);
    }
}

static void values_are_equal_by_value(void **state)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        { "1", "1.0", true },
        { "[1,2.50]", "[1.0,2.5]", true },
        { "{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}", true },
        { "{\"a\":1}", "{\"a\":2}", false },
        { "{\"a\":1}", "{\"b\":1}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
        { "[1,2]", "[2,1]", false },
        { "[1]", "[1,1]", false },
        { "\"1\"", "1", false },
        { "null", "false", false },
        { "[]", "{}", false },
        { "\"a\"", "\"a\\u0000\"", false },
        { "true", "false", false },
        { "0", "-0.0", true },
        { "{\"a\":{\"b\":[1e1]}}", "{\"a\":{\"b\":[10]}}", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *a = parse(*state, cases[i].a), *b = parse(*state, cases[i].b);
        assert_int_equal(json_equal(a, b), cases[i].equal);
        assert_int_equal(json_equal(b, a), cases[i].equal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(kinds_have_names),
        json_test(children_are_found_with_and_without_a_table),
        json_test(looking_into_the_wrong_kind_finds_nothing),
        json_test(a_member_of_the_wrong_kind_counts_as_absent),
        json_test(walking_gives_names_and_values_in_order),
        json_test(depth_counts_open_containers),
        json_test(a_builder_makes_what_parsing_makes),
        json_test(single_values_need_no_builder),
        json_test(pretty_printing_indents_by_two),
        json_test(the_canonical_form_sorts_names_and_levels_numbers),
        json_test(equality_and_the_canonical_form_agree),
        json_test(values_are_equal_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
