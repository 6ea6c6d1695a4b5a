/* Schemas and values that were made to take all memory, all time or all of the stack. */
#include "json/json_test.h"

#include "schema/schema.h"

#include "schema/limits.h"

static const struct schema *compile(struct arena *arena, const char *text)
{
    const struct schema *schema = NULL;
    struct error err = { .message = "" };
    if (schema_compile(parse(arena, text), arena, &schema, &err) != ST_OK)
        fail_msg("%s: %s: %s", text, err.where, err.message);
    return schema;
}

static enum status check(struct arena *arena, const struct schema *schema, const struct json *value,
                         int64_t fuel, struct error *err)
{
    const struct schema_problem *problem;
    size_t count;
    return schema_check(schema, value, &fuel, arena, &problem, &count, err);
}

/* `open` so many times, a middle, `close` as many times. */
static str nested(struct arena *arena, const char *open, size_t times, const char *middle, const char *close)
{
    struct buf text;
    buf_init(&text, arena);
    for (size_t i = 0; i < times; i++) buf_add_str(&text, str_of(open));
    buf_add_str(&text, str_of(middle));
    for (size_t i = 0; i < times; i++) buf_add_str(&text, str_of(close));
    return buf_str(&text);
}

static void deep_documents_are_refused(void **state)
{
    struct arena *arena = *state;
    const struct json *value;
    struct error err;
    str text = nested(arena, "{\"not\":", 10000, "{}", "}");
    assert_int_equal(json_parse(text, NULL, arena, &value, &err), ST_LIMIT);

    /* A builder can nest deeper than a text may. */
    struct json_builder builder;
    json_builder_init(&builder, arena);
    for (size_t i = 0; i < JSON_DEPTH_MAX + 1; i++) {
        json_open_object(&builder);
        json_add_name(&builder, STR("not"));
    }
    json_add_bool(&builder, true);
    for (size_t i = 0; i < JSON_DEPTH_MAX + 1; i++) json_close(&builder);
    const struct schema *schema;
    assert_int_equal(schema_compile(json_built(&builder), arena, &schema, &err), ST_LIMIT);
    assert_string_equal(err.message, "a schema deeper than 128 levels (JSON_DEPTH_MAX)");
}

static void the_deepest_document_works(void **state)
{
    struct arena *arena = *state;
    struct error err;
    str text = nested(arena, "{\"not\":", JSON_DEPTH_MAX - 1, "{}", "}");
    const struct schema *schema = compile(arena, arena_str(arena, text).p);
    assert_int_equal(check(arena, schema, json_null(), 100000, &err), ST_OK);

    str list = nested(arena, "[", JSON_DEPTH_MAX, "", "]");
    schema = compile(arena, "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
    assert_int_equal(check(arena, schema, parse_str(arena, list), 100000, &err), ST_OK);
}

static void the_deepest_schema_fits_its_metaschema(void **state)
{
    struct arena *arena = *state;
    struct error err;
    const struct schema *schema =
        compile(arena, "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}");
    str text = nested(arena, "{\"not\":", JSON_DEPTH_MAX - 1, "{}", "}");
    assert_int_equal(check(arena, schema, parse_str(arena, text), 10000000, &err), ST_OK);
}

static void large_schemas_are_refused(void **state)
{
    struct arena *arena = *state;
    struct buf text;
    buf_init(&text, arena);
    buf_add_str(&text, STR("{\"allOf\":[true"));
    for (size_t i = 1; i < SCHEMA_NODES_MAX; i++) buf_add_str(&text, STR(",true"));
    buf_add_str(&text, STR("]}"));
    const struct schema *schema;
    struct error err;
    assert_int_equal(schema_compile(parse_str(arena, buf_str(&text)), arena, &schema, &err), ST_LIMIT);
    assert_string_equal(err.where, "/allOf/49999");
    assert_string_equal(err.message, "more than 50000 schemas (SCHEMA_NODES_MAX)");

    char *bytes = malloc(SCHEMA_BYTES_MAX);
    memset(bytes, 'x', SCHEMA_BYTES_MAX);
    const struct json *large = json_of_string(arena, (str){ bytes, SCHEMA_BYTES_MAX });
    free(bytes);
    assert_int_equal(
        schema_compile(json_set(arena, json_empty_object(), STR("title"), large), arena, &schema, &err),
        ST_LIMIT);
}

static void many_large_patterns_are_refused(void **state)
{
    struct arena *arena = *state;
    struct buf text;
    buf_init(&text, arena);
    buf_add_str(&text, STR("{\"patternProperties\":{"));
    for (size_t i = 0; i < 20000; i++) buf_printf(&text, "%s\"%zu(a{1,90}b){90}\":true", i ? "," : "", i);
    buf_add_str(&text, STR("}}"));
    const struct schema *schema;
    struct error err;
    assert_int_equal(schema_compile(parse_str(arena, buf_str(&text)), arena, &schema, &err), ST_LIMIT);
    assert_string_equal(err.message,
                        "the schema takes more than 32 MiB when it is compiled (SCHEMA_MEMORY_MAX)");
}

static void schemas_that_apply_each_other_without_end_are_stopped(void **state)
{
    struct arena *arena = *state;
    static const char *const texts[] = {
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "{\"anyOf\":[{\"type\":\"string\"},{\"$ref\":\"#\"}]}",
        "{\"not\":{\"$ref\":\"#\"}}",
        "{\"if\":{\"$ref\":\"#\"}}",
        "{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}",
        "{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}",
        "{\"$id\":\"http://a/b\",\"allOf\":[{\"$id\":\"c\",\"$ref\":\"b\"}]}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct error err;
        const struct schema *schema = compile(arena, texts[i]);
        assert_int_equal(check(arena, schema, parse(arena, "{\"a\":1}"), 1000000, &err), ST_LIMIT);
        assert_string_equal(err.message, "the schemas apply each other too deeply, perhaps without end");
    }
}

/* Two alternatives at each of 60 levels, none of which fits: 2^60 ways. */
static void exponential_alternatives_run_out_of_fuel(void **state)
{
    struct arena *arena = *state;
    struct buf text;
    buf_init(&text, arena);
    buf_add_str(&text, STR("{\"$ref\":\"#/$defs/0\",\"$defs\":{"));
    for (size_t i = 0; i < 60; i++)
        buf_printf(&text, "\"%zu\":{\"anyOf\":[{\"$ref\":\"#/$defs/%zu\"},{\"$ref\":\"#/$defs/%zu\"}]},", i,
                   i + 1, i + 1);
    buf_add_str(&text, STR("\"60\":false}}"));
    struct error err;
    const struct schema *schema = compile(arena, arena_str(arena, buf_str(&text)).p);
    assert_int_equal(check(arena, schema, json_null(), 1000000, &err), ST_LIMIT);
    assert_string_equal(err.message, "the budget of operations is used up (fuel_max)");
}

static void regular_expressions_run_out_of_steps(void **state)
{
    struct arena *arena = *state;
    struct error err;
    const struct schema *schema = compile(arena, "{\"pattern\":\"^(a+)+$\"}");
    const struct json *value = parse(arena, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"");
    assert_int_equal(check(arena, schema, value, 1000000, &err), ST_LIMIT);
    schema = compile(arena, "{\"items\":{\"pattern\":\"^(a|a)*$\"}}");
    value = parse(arena, "[\"aaaaaaaaaaaa!\",\"aaaaaaaaaaaa!\",\"aaaaaaaaaaaa!\"]");
    assert_int_equal(check(arena, schema, value, 15000, &err), ST_LIMIT);
    assert_int_equal(check(arena, schema, value, 100000, &err), ST_OK);
}

static void large_numbers_cost_fuel_and_no_time(void **state)
{
    struct arena *arena = *state;
    char digits[JSON_NUMBER_BYTES_MAX + 1];
    memset(digits, '7', sizeof digits);
    digits[JSON_NUMBER_BYTES_MAX] = '\0';
    struct error err;
    const struct schema *schema = compile(arena, arena_printf(arena, "{\"multipleOf\":%s}", digits).p);
    assert_int_equal(check(arena, schema, parse(arena, "1e999999999"), 1000, &err), ST_LIMIT);
    assert_int_equal(check(arena, schema, parse(arena, "1e999999999"), 100000, &err), ST_OK);
}

/* The fuel that a check used suffices for the same check, and one unit less does not. */
static void the_fuel_that_is_used_is_the_fuel_that_is_needed(void **state)
{
    struct arena *arena = *state;
    struct error err;
    const struct schema *schema = compile(arena, "{\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":1,"
                                                 "\"multipleOf\":0.1},\"b\":{\"items\":{\"pattern\":\"x\"},"
                                                 "\"uniqueItems\":true}},\"unevaluatedProperties\":false}");
    const struct json *value = parse(arena, "{\"a\":3.5,\"b\":[\"ax\",\"bx\"]}");
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = 10000;
    assert_int_equal(schema_check(schema, value, &fuel, arena, &problem, &count, &err), ST_OK);
    assert_int_equal(count, 0);
    int64_t used = 10000 - fuel;
    assert_true(used > 10 && used < 1000);
    assert_int_equal(check(arena, schema, value, used, &err), ST_OK);
    for (int64_t less = 0; less < used; less++)
        assert_int_equal(check(arena, schema, value, less, &err), ST_LIMIT);
}

static void problems_are_bounded(void **state)
{
    struct arena *arena = *state;
    struct buf text;
    buf_init(&text, arena);
    buf_add_char(&text, '[');
    for (size_t i = 0; i < 10000; i++) buf_printf(&text, "%s%zu", i ? "," : "", i);
    buf_add_char(&text, ']');
    const struct schema *schema = compile(arena, "{\"items\":{\"allOf\":[{\"type\":\"string\"},false]}}");
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = 10000;
    struct error err;
    assert_int_equal(
        schema_check(schema, parse_str(arena, buf_str(&text)), &fuel, arena, &problem, &count, &err), ST_OK);
    assert_int_equal(count, SCHEMA_PROBLEMS_MAX);
    assert_true(fuel > 9000); /* It stopped there. */
}

/* Ten thousand equal hashes would be fifty million comparisons; equal prefixes must not be. */
static void unique_items_are_found_without_comparing_all_pairs(void **state)
{
    struct arena *arena = *state;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (int64_t i = 0; i < 100000; i++) json_add_int(&builder, i);
    json_close(&builder);
    struct error err;
    const struct schema *schema = compile(arena, "{\"uniqueItems\":true}");
    assert_int_equal(check(arena, schema, json_built(&builder), 200000, &err), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(deep_documents_are_refused),
        json_test(the_deepest_document_works),
        json_test(the_deepest_schema_fits_its_metaschema),
        json_test(large_schemas_are_refused),
        json_test(many_large_patterns_are_refused),
        json_test(schemas_that_apply_each_other_without_end_are_stopped),
        json_test(exponential_alternatives_run_out_of_fuel),
        json_test(regular_expressions_run_out_of_steps),
        json_test(large_numbers_cost_fuel_and_no_time),
        json_test(the_fuel_that_is_used_is_the_fuel_that_is_needed),
        json_test(problems_are_bounded),
        json_test(unique_items_are_found_without_comparing_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
