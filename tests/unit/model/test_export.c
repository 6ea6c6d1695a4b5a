#include "model_test.h"

#include "schema/schema.h"

static void the_simple_view_has_a_member_for_each_object(void **state)
{
    const struct json *rows = document_value("model/export", "views");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i);
        const char *text = put(*state, model_put_simple_view, infer(*state, document_member(row, "sample")));
        const struct json *got = parse(*state, text); /* Which has no name twice. */
        if (!json_equal(got, json_get(row, STR("view")))) fail_msg("%zu: %s", i, text);
    }
}

static void the_json_schema_says_what_fits(void **state)
{
    const struct json *rows = document_value("model/export", "schemas");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i);
        const char *text = put(*state, model_put_json_schema, infer(*state, document_member(row, "sample")));
        if (!json_equal(parse(*state, text), json_get(row, STR("schema")))) fail_msg("%zu: %s", i, text);
    }
}

/* Every value that fits is valid; and values that are valid and do not fit differ in the size of a number
 * only. */
static void the_json_schema_accepts_what_fits(void **state)
{
    struct arena *arena = *state;
    struct random random = { 31 };
    int fitting = 0;
    for (int round = 0; round < 1500; round++, arena_reset(arena)) {
        const struct json *sample = random_object(arena, &random);
        const struct json *value = round % 2 ? sample : random_object(arena, &random);
        const struct model_schema *model;
        const struct schema *schema;
        struct error err;
        assert_int_equal(model_infer(sample, arena, &model, &err), ST_OK);
        const struct json *document = parse(arena, put(arena, model_put_json_schema, model));
        assert_int_equal(schema_compile(document, arena, &schema, &err), ST_OK);
        int64_t fuel = 1000000;
        const struct schema_problem *problems;
        size_t count;
        assert_int_equal(schema_check(schema, value, &fuel, arena, &problems, &count, &err), ST_OK);
        bool changes;
        struct model_problem problem;
        bool fits = model_check(model, value, MODEL_LEVEL_NONE, arena, &changes, &problem);
        if (fits) assert_int_equal(count, 0);
        else if (!count)
            assert_true(problem.actual < MODEL_STRING && strcmp(problem.code, "INCOMPATIBLE_TYPE") == 0);
        fitting += fits;
    }
    assert_true(fitting > 750 && fitting < 1500);
}

/* The lengths of arrays are a note, which a sample does not keep. */
static const struct json *without_lengths(struct arena *arena, const struct json *node)
{
    const struct json *element = json_get(node, STR("element")), *fields = json_get(node, STR("fields"));
    struct json_each each = json_each(fields);
    node = json_without(arena, node, STR("length"));
    if (element) node = json_set(arena, node, STR("element"), without_lengths(arena, element));
    while (fields && json_next(&each))
        fields = json_set(arena, fields, each.name, without_lengths(arena, each.value));
    return fields ? json_set(arena, node, STR("fields"), fields) : node;
}

static const char *shape_of(struct arena *arena, const struct model_schema *schema)
{
    const struct json *root = json_get(model_encode(schema, arena), STR("root"));
    return canonical(arena, without_lengths(arena, root));
}

static void a_sample_makes_the_same_model(void **state)
{
    static const char *const samples[] = {
        "{}",
        "[{\"a\":1},{\"a\":\"x\"},{\"a\":{\"b\":[1,\"x\",[true]]}},{\"a\":[]}]",
        "{\"i\":1,\"l\":4294967296,\"b\":100000000000000000001,\"u\":"
        "10000000000000000000000000000000000000001,"
        "\"d\":0.5,\"m\":1234567890.123456789,\"n\":0.1234567890123456789012,\"t\":true,\"z\":null,"
        "\"e\":[],\"f\":[null],\"o\":{},\"p\":[{}]}",
    };
    struct arena *arena = *state;
    struct random random = { 77 };
    struct error err;
    for (int i = 0; i < 500; i++) {
        size_t fixed = (size_t)i;
        const struct json *sample =
            fixed < COUNT(samples) ? parse(arena, samples[fixed]) : random_object(arena, &random);
        const struct model_schema *model, *other, *again;
        assert_int_equal(model_infer(sample, arena, &model, &err), ST_OK);
        if (fixed >= COUNT(samples)) {
            assert_int_equal(model_infer(random_object(arena, &random), arena, &other, &err), ST_OK);
            assert_int_equal(model_merge(model, other, arena, &model, &err), ST_OK);
        }
        assert_int_equal(model_infer(model_sample(model, arena), arena, &again, &err), ST_OK);
        assert_string_equal(shape_of(arena, again), shape_of(arena, model));
    }
}

static void paths_lead_to_types(void **state)
{
    static const char *const found[] = { "MODEL_FOUND", "MODEL_NOT_FOUND", "MODEL_BAD_PATH" };
    const struct json *table = document_value("model/export", "paths");
    const struct model_schema *schema = infer(*state, document_member(table, "sample"));
    struct json_each each = json_each(json_get(table, STR("cases")));
    while (json_next(&each)) {
        model_types types = 0;
        enum model_found got = model_find(schema, each.name, &types);
        struct buf out;
        buf_init(&out, *state);
        if (got == MODEL_FOUND) model_put_types(&out, types);
        else buf_printf(&out, "%s", found[got]);
        str want = str_of(document_text(each.value));
        if (!str_equal(buf_str(&out), want))
            fail_msg("%.*s: %.*s", STR_ARG(each.name), STR_ARG(buf_str(&out)));
    }
}

static void names_of_any_length_can_be_asked_for(void **state)
{
    char path[MODEL_NAME_BYTES_MAX + 8];
    const struct model_schema *schema = infer(*state, "{\"a\":1}");
    model_types types;
    for (int n = MODEL_NAME_BYTES_MAX - 1; n < MODEL_NAME_BYTES_MAX + 2; n++) {
        int length = snprintf(path, sizeof path, "$['%0*d']", n, 1);
        enum model_found want = n > MODEL_NAME_BYTES_MAX ? MODEL_BAD_PATH : MODEL_NOT_FOUND;
        assert_int_equal(model_find(schema, (str){ path, (size_t)length }, &types), want);
    }
    /* A path that ends too soon, at each place. */
    str whole = STR("$['a\\'']");
    for (size_t n = 2; n < whole.n; n++)
        assert_int_equal(model_find(schema, (str){ whole.p, n }, &types), MODEL_BAD_PATH);
}

static void damaged_models_are_refused(void **state)
{
    const struct json *rows = document_value("model/export", "damaged");
    struct json_each each = json_each(rows);
    while (json_next(&each)) {
        const struct model_schema *schema = NULL;
        struct error err = { 0 };
        if (model_decode(each.value, *state, &schema, &err) != ST_INVALID || schema)
            fail_msg("%.*s: %s", STR_ARG(each.name), document_text(each.value));
    }
    struct error err;
    const struct model_schema *schema;
    assert_int_equal(model_decode(document_value("model/export", "sound"), *state, &schema, &err), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(a_sample_makes_the_same_model),
        json_test(the_simple_view_has_a_member_for_each_object),
        json_test(the_json_schema_says_what_fits),
        json_test(the_json_schema_accepts_what_fits),
        json_test(paths_lead_to_types),
        json_test(names_of_any_length_can_be_asked_for),
        json_test(damaged_models_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
