/* Fields of a form become what a schema describes. The cases are in documents/coerce.json. */
#include "json/json_test.h"

#include "schema/limits.h"
#include "schema/schema.h"

static const struct schema *compile(struct arena *arena, const struct json *document)
{
    const struct schema *schema = NULL;
    struct error err = { .message = "" };
    if (json_is(document, JSON_NULL)) return NULL;
    if (schema_compile(document, arena, &schema, &err) != ST_OK) fail_msg("%s: %s", err.where, err.message);
    return schema;
}

static void fields_become_what_the_schema_says(void **state)
{
    struct arena *arena = *state;
    struct json_each each = json_each(document_value("schema/coerce", "cases"));
    size_t count = 0;
    for (; json_next(&each); count++) {
        const struct schema *schema = compile(arena, json_item(each.value, 0));
        const struct json *got = schema_coerce(&schema, 1, json_item(each.value, 1), arena);
        if (!json_equal(got, json_item(each.value, 2)))
            fail_msg("%s became %s", print(arena, each.value), print(arena, got));
    }
    assert_true(count > 20);
}

/* A definition has a schema, and so has its trigger. */
static void the_first_schema_that_knows_a_field_counts(void **state)
{
    struct arena *arena = *state;
    const struct schema *schema[] = {
        compile(arena, parse(arena, "{\"properties\":{\"a\":{\"type\":\"number\"}}}")), NULL,
        compile(arena,
                parse(arena, "{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"number\"}}}"))
    };
    const struct json *got =
        schema_coerce(schema, COUNT(schema), parse(arena, "{\"a\":[\"1\"],\"b\":[\"2\"]}"), arena);
    assert_string_equal(print(arena, got), "{\"a\":1,\"b\":2}");
    assert_string_equal(print(arena, schema_document(schema[0])),
                        "{\"properties\":{\"a\":{\"type\":\"number\"}}}");
}

/* A chain of `count` references to a number. */
static const struct schema *chain(struct arena *arena, int count)
{
    struct buf text;
    buf_init(&text, arena);
    buf_printf(&text, "{\"properties\":{\"n\":{\"$ref\":\"#/$defs/d1\"}},\"$defs\":{");
    for (int i = 1; i < count; i++) buf_printf(&text, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
    buf_printf(&text, "\"d%d\":{\"type\":\"number\"}}}", count);
    return compile(arena, parse(arena, buf_str(&text).p));
}

static void references_are_followed_up_to_a_limit(void **state)
{
    struct arena *arena = *state;
    const struct json *fields = parse(arena, "{\"n\":[\"1\"]}");
    const struct schema *near = chain(arena, SCHEMA_COERCE_HOPS_MAX - 1);
    const struct schema *far = chain(arena, SCHEMA_COERCE_HOPS_MAX);
    assert_string_equal(print(arena, schema_coerce(&near, 1, fields, arena)), "{\"n\":1}");
    assert_string_equal(print(arena, schema_coerce(&far, 1, fields, arena)), "{\"n\":\"1\"}");
}

/* A schema that describes itself could be followed for ever. */
static void names_lead_into_objects_up_to_a_limit(void **state)
{
    struct arena *arena = *state;
    const struct schema *schema =
        compile(arena, parse(arena, "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}}}"));
    struct buf name;
    buf_init(&name, arena);
    for (int i = 0; i <= SCHEMA_COERCE_DEPTH_MAX; i++) buf_add_str(&name, STR("a."));
    buf_add_char(&name, 'x');
    struct json_builder fields;
    json_builder_init(&fields, arena);
    json_open_object(&fields);
    json_add_name(&fields, buf_str(&name));
    json_add(&fields, parse(arena, "[\"1\"]"));
    json_close(&fields);
    const struct json *got = schema_coerce(&schema, 1, json_built(&fields), arena);
    assert_int_equal(json_depth(got), SCHEMA_COERCE_DEPTH_MAX + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(fields_become_what_the_schema_says),
        json_test(the_first_schema_that_knows_a_field_counts),
        json_test(references_are_followed_up_to_a_limit),
        json_test(names_lead_into_objects_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
