/* What is wrong with a value, and with a schema, in words. The cases are in documents/problems.json. */
#include "json/json_test.h"

#include "schema/schema.h"

static const struct schema_problem *check(struct arena *arena, const struct schema *schema,
                                          const struct json *value, size_t *ret_count)
{
    const struct schema_problem *problem = NULL;
    int64_t fuel = 100000;
    struct error err = { .message = "" };
    if (schema_check(schema, value, &fuel, arena, &problem, ret_count, &err) != ST_OK)
        fail_msg("%s", err.message);
    return problem;
}

static const struct schema *compile(struct arena *arena, const struct json *document)
{
    const struct schema *schema = NULL;
    struct error err = { .message = "" };
    if (schema_compile(document, arena, &schema, &err) != ST_OK)
        fail_msg("%s: %s: %s", print(arena, document), err.where, err.message);
    return schema;
}

static void assert_same(struct arena *arena, str got, const struct json *want)
{
    assert_string_equal(arena_str(arena, got).p, arena_str(arena, json_string(want)).p);
}

static void a_problem_has_a_place_a_keyword_and_a_sentence(void **state)
{
    struct arena *arena = *state;
    struct json_each each = json_each(document_value("schema/problems", "cases"));
    while (json_next(&each)) {
        size_t count;
        const struct schema *schema = compile(arena, json_item(each.value, 0));
        const struct schema_problem *problem = check(arena, schema, json_item(each.value, 1), &count);
        const struct json *wanted = json_item(each.value, 2);
        if (count != json_count(wanted)) fail_msg("%s: %zu problems", print(arena, each.value), count);
        for (size_t i = 0; i < count; i++) {
            const struct json *want = json_item(wanted, i);
            assert_same(arena, problem[i].where, json_item(want, 0));
            assert_same(arena, problem[i].keyword, json_item(want, 1));
            assert_same(arena, problem[i].message, json_item(want, 2));
            assert_same(arena, problem[i].rule, json_item(want, 3));
        }
    }
}

static void a_wrong_schema_is_refused_at_its_keyword(void **state)
{
    struct arena *arena = *state;
    struct json_each each = json_each(document_value("schema/problems", "refused"));
    while (json_next(&each)) {
        const struct schema *schema = NULL;
        struct error err = { .message = "" };
        enum status status = schema_compile(json_item(each.value, 0), arena, &schema, &err);
        if (status != ST_INVALID) fail_msg("%s: %d", print(arena, each.value), status);
        assert_null(schema);
        assert_same(arena, str_of(err.where), json_item(each.value, 1));
        assert_same(arena, str_of(err.message), json_item(each.value, 2));
    }
}

static void a_schema_outlives_its_document(void **state)
{
    struct arena *arena = *state, gone;
    arena_init(&gone, 0);
    const struct json *document =
        parse(&gone, "{\"properties\":{\"name\":{\"const\":\"a long enough text\"}}}");
    const struct schema *schema = compile(arena, document);
    memset((void *)(uintptr_t)document, 0xff, json_bytes(document));
    arena_done(&gone);
    size_t count;
    const struct schema_problem *problem = check(arena, schema, parse(arena, "{\"name\":1}"), &count);
    assert_int_equal(count, 1);
    assert_true(str_equal(problem[0].message, STR("must be \"a long enough text\"")));
}

static void documents_of_others_are_found_by_their_uri(void **state)
{
    struct arena *arena = *state;
    const struct schema_source source = { STR("https://example.com/address.json"),
                                          parse(arena, "{\"required\":[\"city\"]}") };
    const struct schema_options options = { .source = &source, .source_count = 1 };
    const struct schema *schema;
    struct error err;
    assert_int_equal(
        schema_compile_with(parse(arena, "{\"$id\":\"https://example.com/person.json\",\"properties\":"
                                         "{\"home\":{\"$ref\":\"address.json\"}}}"),
                            &options, arena, &schema, &err),
        ST_OK);
    size_t count;
    const struct schema_problem *problem = check(arena, schema, parse(arena, "{\"home\":{}}"), &count);
    assert_int_equal(count, 1);
    assert_true(str_equal(problem[0].where, STR("/home")));
    assert_true(str_equal(problem[0].rule, STR("https://example.com/address.json#/required")));
}

static void formats_refuse_only_if_they_are_asked_to(void **state)
{
    struct arena *arena = *state;
    const struct schema_options options = { .formats = true };
    const struct json *document = parse(arena, "{\"format\":\"date\"}");
    const struct schema *schema;
    struct error err;
    size_t count;
    check(arena, compile(arena, document), parse(arena, "\"tomorrow\""), &count);
    assert_int_equal(count, 0);
    assert_int_equal(schema_compile_with(document, &options, arena, &schema, &err), ST_OK);
    const struct schema_problem *problem = check(arena, schema, parse(arena, "\"tomorrow\""), &count);
    assert_int_equal(count, 1);
    assert_true(str_equal(problem[0].message, STR("must have the format \"date\"")));
    check(arena, schema, parse(arena, "\"2026-11-16\""), &count);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(a_problem_has_a_place_a_keyword_and_a_sentence),
        json_test(a_wrong_schema_is_refused_at_its_keyword),
        json_test(a_schema_outlives_its_document),
        json_test(documents_of_others_are_found_by_their_uri),
        json_test(formats_refuse_only_if_they_are_asked_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
