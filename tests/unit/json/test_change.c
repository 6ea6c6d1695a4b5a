/* Merge, set, without, diff and patch: how a value becomes another. */
#include "json_test.h"

static void merging_replaces_in_place_and_appends(void **state)
{
    static const struct {
        const char *a, *b, *flat, *deep;
    } cases[] = {
        { "{}", "{}", "{}", "{}" },
        { "{\"a\":1}", "{}", "{\"a\":1}", "{\"a\":1}" },
        { "{}", "{\"a\":1}", "{\"a\":1}", "{\"a\":1}" },
        { "{\"a\":1,\"b\":2}", "{\"c\":4,\"a\":3}", "{\"a\":3,\"b\":2,\"c\":4}",
          "{\"a\":3,\"b\":2,\"c\":4}" },
        { "{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"y\":3}}", "{\"a\":{\"y\":3}}",
          "{\"a\":{\"x\":1,\"y\":3}}" },
        { "{\"a\":{\"x\":{\"p\":1}}}", "{\"a\":{\"x\":{\"q\":2}}}", "{\"a\":{\"x\":{\"q\":2}}}",
          "{\"a\":{\"x\":{\"p\":1,\"q\":2}}}" },
        { "{\"a\":1,\"b\":2}", "{\"b\":4,\"a\":3}", "{\"a\":3,\"b\":4}", "{\"a\":3,\"b\":4}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", "{\"x\":0,\"b\":4,\"y\":0}",
          "{\"a\":1,\"b\":4,\"c\":3,\"x\":0,\"y\":0}", "{\"a\":1,\"b\":4,\"c\":3,\"x\":0,\"y\":0}" },
        { "{\"a\":1,\"b\":2}", "{\"c\":3,\"d\":4}", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}",
          "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}" },
        { "{\"a\":{\"x\":1}}", "{\"a\":null}", "{\"a\":null}", "{\"a\":null}" },
        { "{\"a\":[1]}", "{\"a\":[2]}", "{\"a\":[2]}", "{\"a\":[2]}" },
        { "{\"a\":1}", "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *a = parse(*state, cases[i].a), *b = parse(*state, cases[i].b);
        assert_string_equal(print(*state, json_merge(a, b, *state)), cases[i].flat);
        assert_string_equal(print(*state, json_merge_deep(a, b, *state)), cases[i].deep);
    }
}

static void results_live_in_the_arena_they_were_given(void **state)
{
    struct arena other;
    arena_init(&other, 0);
    const struct json *full = parse(&other, "{\"a\":1}"), *empty = parse(&other, "{}");
    const struct json *patched;
    assert_int_equal(json_patch(full, json_empty_array(), *state, &patched, NULL), ST_OK);
    const struct json *kept[] = {
        json_merge(full, empty, *state),
        json_merge(empty, full, *state),
        json_without(*state, full, STR("x")),
        patched,
    };
    arena_done(&other);
    for (size_t i = 0; i < COUNT(kept); i++) assert_string_equal(print(*state, kept[i]), "{\"a\":1}");
}

static void a_merge_that_grows_a_table_is_as_good_as_a_parsed_one(void **state)
{
    struct random random = { 11 };
    struct arena *arena = *state;
    int objects = 0;
    for (int i = 0; i < 400; i++) {
        const struct json *a = random_value(arena, &random), *b = random_value(arena, &random);
        if (json_is(a, JSON_OBJECT) && json_is(b, JSON_OBJECT)) {
            objects++;
            const struct json *merged[] = { json_merge(a, b, arena), json_merge_deep(a, b, arena) };
            for (size_t k = 0; k < 2; k++) {
                const struct json *again = parse(arena, print(arena, merged[k]));
                assert_true(json_equal(again, merged[k]));
                assert_non_null(json_decode(json_encoded(merged[k]), arena));
            }
        }
        arena_reset(arena);
    }
    assert_true(objects > 10);
}

static void one_member_is_set_or_left_out(void **state)
{
    const struct json *object = parse(*state, "{\"a\":1,\"b\":2,\"c\":3}"), *nine = json_of_int(*state, 9);
    assert_string_equal(print(*state, json_set(*state, object, STR("b"), nine)), "{\"a\":1,\"b\":9,\"c\":3}");
    assert_string_equal(print(*state, json_set(*state, object, STR("d"), nine)),
                        "{\"a\":1,\"b\":2,\"c\":3,\"d\":9}");
    assert_string_equal(print(*state, json_set(*state, object, STR(""), NULL)),
                        "{\"a\":1,\"b\":2,\"c\":3,\"\":null}");
    assert_string_equal(print(*state, json_without(*state, object, STR("b"))), "{\"a\":1,\"c\":3}");
    assert_string_equal(print(*state, json_without(*state, object, STR("x"))), "{\"a\":1,\"b\":2,\"c\":3}");
    assert_string_equal(print(*state, object), "{\"a\":1,\"b\":2,\"c\":3}");
}

static void setting_and_removing_cross_the_table_limit(void **state)
{
    struct arena *arena = *state;
    const struct json *object = json_empty_object();
    for (int64_t i = 0; i < 40; i++) {
        object =
            json_set(arena, object, arena_printf(arena, "k%d", (int)(i * 7 % 40)), json_of_int(arena, i));
        assert_non_null(json_decode(json_encoded(object), arena));
        assert_int_equal(json_count(object), i + 1);
    }
    for (int i = 0; i < 40; i++) {
        object = json_without(arena, object, arena_printf(arena, "k%d", i));
        assert_non_null(json_decode(json_encoded(object), arena));
        assert_int_equal(json_count(object), 39 - i);
    }
}

static void a_diff_names_what_changed(void **state)
{
    static const struct {
        const char *from, *to, *diff;
    } cases[] = {
        { "1", "1.0", "[]" },
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "[]" },
        { "1", "2", "[[\"\",2]]" },
        { "{\"a\":1}", "[]", "[[\"\",[]]]" },
        { "{\"a\":1}", "{\"a\":2}", "[[\"/a\",2]]" },
        { "{\"a\":1}", "{\"a\":null}", "[[\"/a\",null]]" },
        { "{\"a\":1}", "{}", "[[\"/a\"]]" },
        { "{}", "{\"a\":{\"b\":1}}", "[[\"/a\",{\"b\":1}]]" },
        { "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":1,\"c\":3},\"d\":4}", "[[\"/a/c\",3],[\"/d\",4]]" },
        { "{\"a/b\":{\"m~n\":1}}", "{\"a/b\":{\"m~n\":2}}", "[[\"/a~1b/m~0n\",2]]" },
        { "{\"a\":[1,2]}", "{\"a\":[1,3]}", "[[\"/a\",[1,3]]]" },
        /* Another order and another value: replaced as a whole. */
        { "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":3}", "[[\"\",{\"b\":2,\"a\":3}]]" },
        { "{\"x\":{\"a\":1}}", "{\"x\":{\"b\":2,\"a\":1}}", "[[\"/x\",{\"b\":2,\"a\":1}]]" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *from = parse(*state, cases[i].from), *to = parse(*state, cases[i].to);
        assert_string_equal(print(*state, json_diff(from, to, *state)), cases[i].diff);
    }
}

/* Whether members come in the same order everywhere, numbers by value. */
static bool same_order(const struct json *a, const struct json *b)
{
    if (!json_equal(a, b)) return false;
    struct json_each left = json_each(a), right = json_each(b);
    while (json_next(&left) && json_next(&right))
        if (!str_equal(left.name, right.name) || !same_order(left.value, right.value)) return false;
    return true;
}

/* As `value`, with members changed, removed and appended here and there. */
static const struct json *mutated(struct arena *arena, struct random *random, const struct json *value,
                                  int levels)
{
    if (!json_is(value, JSON_OBJECT) || random_below(random, 6) == 0) return random_value(arena, random);
    struct json_each each = json_each(value);
    const struct json *result = value;
    while (levels && json_next(&each)) {
        uint32_t choice = random_below(random, 6);
        if (choice == 0) result = json_without(arena, result, each.name);
        if (choice == 1)
            result = json_set(arena, result, each.name, mutated(arena, random, each.value, levels - 1));
    }
    for (uint32_t n = random_below(random, 3); n; n--)
        result = json_set(arena, result, arena_printf(arena, "new/%u~", random_below(random, 9)),
                          random_value(arena, random));
    return result;
}

static void patching_with_the_diff_gives_the_other_value(void **state)
{
    struct random random = { 5 };
    struct arena *arena = *state;
    for (int i = 0; i < 1500; i++) {
        const struct json *from = random_value(arena, &random);
        bool related = random_below(&random, 4) > 0;
        const struct json *to = related ? mutated(arena, &random, from, 3) : random_value(arena, &random);
        const struct json *diff = json_diff(from, to, arena), *patched = NULL;
        struct error err = { .message = "" };
        if (json_patch(from, diff, arena, &patched, &err) != ST_OK)
            fail_msg("%s: %s\n%s\n%s", err.message, print(arena, diff), print(arena, from), print(arena, to));
        assert_true(json_equal(patched, to));
        assert_non_null(json_decode(json_encoded(patched), arena));
        assert_int_equal(json_count(diff) == 0, json_equal(from, to));
        arena_reset(arena);
    }
}

/* Mutations keep or append, except where a member is removed and set again: then the
 * order is the new one, too. */
static void patching_keeps_the_order_of_members(void **state)
{
    struct random random = { 9 };
    struct arena *arena = *state;
    for (int i = 0; i < 500; i++) {
        const struct json *from = random_value(arena, &random), *patched;
        const struct json *to = mutated(arena, &random, from, 3);
        assert_int_equal(json_patch(from, json_diff(from, to, arena), arena, &patched, NULL), ST_OK);
        if (!same_order(patched, to)) {
            /* Only the order of something differed, which is no change. */
            assert_true(json_equal(patched, to));
            assert_string_not_equal(print(arena, patched), print(arena, to));
        }
        arena_reset(arena);
    }
    const struct json *from = parse(arena, "{\"a\":1,\"b\":{\"x\":1,\"y\":2},\"c\":3}"), *patched;
    static const char *const tos[] = {
        "{\"c\":3,\"b\":{\"x\":1,\"y\":2},\"a\":2}",
        "{\"b\":{\"y\":2,\"x\":0},\"c\":3}",
        "{\"n\":0,\"a\":1}",
        "{\"a\":1,\"b\":{\"y\":2,\"z\":1},\"c\":4,\"d\":5}",
    };
    for (size_t i = 0; i < COUNT(tos); i++) {
        const struct json *to = parse(arena, tos[i]);
        assert_int_equal(json_patch(from, json_diff(from, to, arena), arena, &patched, NULL), ST_OK);
        assert_string_equal(print(arena, patched), tos[i]);
    }
}

static void a_patch_that_does_not_fit_is_refused(void **state)
{
    static const char *const cases[] = {
        "{}",
        "1",
        "[1]",
        "[[]]",
        "[[1,2]]",
        "[[\"/a\",1,2]]",
        "[{\"/a\":1}]",
        "[\"/a\"]",
        "[[\"a\",1]]",
        "[[\"\"]]",
        "[[\"/zzz\"]]",
        "[[\"/zzz/y\",1]]",
        "[[\"/a/x\",1]]",
        "[[\"/a/x\"]]",
        "[[\"/l/0\",1]]",
        "[[\"/o\",1],[\"/o/x\",2]]",
        "[[\"/o/x\",2],[\"/o\",1]]",
        "[[\"/o\"],[\"/o\",1]]",
        "[[\"/n\",1],[\"/n\",2]]",
        "[[\"/o/x\",1],[\"/a\",2]]",
        "[[\"\",1],[\"/a\",2]]",
        "[[\"/a\",1],[\"\",2]]",
    };
    const struct json *value = parse(*state, "{\"a\":1,\"o\":{\"x\":1},\"l\":[1]}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *patched = NULL;
        struct error err = { .message = "" };
        if (json_patch(value, parse(*state, cases[i]), *state, &patched, &err) != ST_INVALID)
            fail_msg("%s: %s", cases[i], print(*state, patched));
        assert_null(patched);
        assert_true(err.message[0]);
    }
}

/* Would take very long, and much memory, if each change copied the whole value. */
static void many_changes_cost_one_copy(void **state)
{
    enum { MEMBERS = 20000 };
    struct arena *arena = *state;
    struct json_builder old, new;
    json_builder_init(&old, arena);
    json_builder_init(&new, arena);
    json_open_object(&old);
    json_open_object(&new);
    for (int i = 0; i < MEMBERS; i++) {
        str name = arena_printf(arena, "m%d", i);
        json_add_name(&old, name);
        json_add_int(&old, i);
        json_add_name(&new, name);
        json_add_int(&new, i + 1);
    }
    json_close(&old);
    json_close(&new);
    const struct json *diff = json_diff(json_built(&old), json_built(&new), arena), *patched;
    assert_int_equal(json_count(diff), MEMBERS);
    assert_int_equal(json_patch(json_built(&old), diff, arena, &patched, NULL), ST_OK);
    assert_true(json_equal(patched, json_built(&new)));
    assert_true(arena->used < (32 << 20));
}

static void a_patch_replaces_and_removes_members(void **state)
{
    /* Some rows of RFC 7396, appendix A. */
    static const struct {
        const char *value, *patch, *want;
    } cases[] = {
        { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
        { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
        { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
        { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
        { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
        { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
        { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
        { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
        { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
        { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value = parse(*state, cases[i].value), *patch = parse(*state, cases[i].patch);
        assert_string_equal(print(*state, json_merge_patch(value, patch, *state)), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(merging_replaces_in_place_and_appends),
        json_test(results_live_in_the_arena_they_were_given),
        json_test(a_merge_that_grows_a_table_is_as_good_as_a_parsed_one),
        json_test(one_member_is_set_or_left_out),
        json_test(setting_and_removing_cross_the_table_limit),
        json_test(a_diff_names_what_changed),
        json_test(patching_with_the_diff_gives_the_other_value),
        json_test(patching_keeps_the_order_of_members),
        json_test(a_patch_that_does_not_fit_is_refused),
        json_test(many_changes_cost_one_copy),
        json_test(a_patch_replaces_and_removes_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
