#include "model_test.h"

#include <time.h>

static void samples_become_schemas(void **state)
{
    static const struct {
        const char *sample, *want; /* SIMPLE_VIEW shows all but empty objects. */
    } cases[] = {
        { "{}", "{\"$\":{}}" },
        { "{\"a\":1,\"b\":\"x\"}", "{\"$\":{\".a\":\"INTEGER\",\".b\":\"STRING\"}}" },
        { "[{\"a\":1},{\"a\":1.5}]", "{\"$\":{\".a\":\"DOUBLE\"}}" },
        { "[{\"a\":3000000000},{\"a\":1.5}]", "{\"$\":{\".a\":\"[LONG, DOUBLE]\"}}" },
        { "[{\"a\":null}]", "{\"$\":{\".a\":\"NULL\"}}" },
        { "[{\"a\":null},{\"a\":true}]", "{\"$\":{\".a\":\"BOOLEAN\"}}" },
        { "[{\"a\":1},{\"a\":\"x\"},{\"b\":2}]",
          "{\"$\":{\".a\":\"[INTEGER, STRING]\",\".b\":\"INTEGER\"}}" },
        { "{\"a\":[]}", "{\"$\":{\".a[*]\":\"NULL\"}}" },
        { "{\"a\":[1,\"x\",1]}", "{\"$\":{\".a[*]\":\"([INTEGER, STRING] x 3)\"}}" },
        { "[{\"a\":[1]},{\"a\":[]}]", "{\"$\":{\".a[*]\":\"(INTEGER x 1)\"}}" },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(put(arena, model_put_simple_view, infer(arena, cases[i].sample)), cases[i].want);
}

static void samples_are_objects(void **state)
{
    static const struct {
        const char *sample, *where;
    } cases[] = {
        { "1", "$" },  { "null", "$" },      { "\"x\"", "$" },
        { "[]", "$" }, { "[{},1]", "$[1]" }, { "[[{}]]", "$[0]" },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct model_schema *schema = NULL;
        struct error err;
        assert_int_equal(model_infer(parse(arena, cases[i].sample), arena, &schema, &err), ST_INVALID);
        assert_string_equal(err.where, cases[i].where);
        assert_null(schema);
    }
}

/* ---- limits ---- */

static enum status infer_status(struct arena *arena, const struct json *sample, struct error *err)
{
    const struct model_schema *schema;
    return model_infer(sample, arena, &schema, err);
}

static const struct json *object_of(struct arena *arena, size_t count, int digits)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < count; i++) {
        char name[MODEL_NAME_BYTES_MAX + 8];
        int n = snprintf(name, sizeof name, "%0*d", digits, (int)i);
        json_add_name(&builder, (str){ name, (size_t)n });
        json_add_int(&builder, 1);
    }
    json_close(&builder);
    return json_built(&builder);
}

static void a_model_has_so_many_fields(void **state)
{
    struct error err;
    assert_int_equal(infer_status(*state, object_of(*state, MODEL_NODES_MAX - 1, 5), &err),
                     ST_OK); /* And the root. */
    assert_int_equal(infer_status(*state, object_of(*state, MODEL_NODES_MAX, 5), &err), ST_LIMIT);
    assert_string_equal(err.where, "$.09999");
}

static void a_model_has_so_many_bytes(void **state)
{
    struct error err;
    assert_int_equal(infer_status(*state, object_of(*state, 2000, 200), &err), ST_OK);
    assert_int_equal(infer_status(*state, object_of(*state, 8000, 200), &err), ST_LIMIT);
}

static void names_have_so_many_bytes(void **state)
{
    struct error err;
    assert_int_equal(infer_status(*state, object_of(*state, 1, 256), &err), ST_OK);
    assert_int_equal(infer_status(*state, object_of(*state, 1, 257), &err), ST_LIMIT);
    assert_string_equal(err.where, "$");
}

/* Objects inside each other. */
static const struct json *nested(struct arena *arena, size_t levels, str name, bool arrays)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < levels; i++) {
        if (i == 0 || !arrays) json_add_name(&builder, name);
        if (i + 1 == levels) json_add_int(&builder, 1);
        else if (arrays) json_open_array(&builder);
        else json_open_object(&builder);
    }
    for (size_t i = 0; i < levels; i++) json_close(&builder);
    return json_built(&builder);
}

static void a_model_is_so_deep(void **state)
{
    struct error err;
    for (int arrays = 0; arrays < 2; arrays++) {
        assert_int_equal(infer_status(*state, nested(*state, MODEL_DEPTH_MAX, STR("a"), arrays), &err),
                         ST_OK);
        assert_int_equal(infer_status(*state, nested(*state, MODEL_DEPTH_MAX + 1, STR("a"), arrays), &err),
                         ST_LIMIT);
    }
}

static void paths_have_so_many_bytes(void **state)
{
    char name[MODEL_NAME_BYTES_MAX + 1];
    memset(name, 'n', sizeof name);
    struct error err;
    /* $ and four times a point and a name are 1 + 4 * (1 + n). */
    assert_int_equal(infer_status(*state, nested(*state, 4, (str){ name, 254 }, false), &err), ST_OK);
    assert_int_equal(infer_status(*state, nested(*state, 4, (str){ name, 255 }, false), &err), ST_LIMIT);
    name[0] = ' '; /* And [''] instead of the point. */
    assert_int_equal(infer_status(*state, nested(*state, 4, (str){ name, 251 }, false), &err), ST_OK);
    assert_int_equal(infer_status(*state, nested(*state, 4, (str){ name, 252 }, false), &err), ST_LIMIT);
}

static void the_deepest_schema_can_be_stored_and_exported(void **state)
{
    struct arena *arena = *state;
    for (int arrays = 0; arrays < 2; arrays++) {
        const struct model_schema *schema, *again;
        struct error err;
        assert_int_equal(model_infer(nested(arena, MODEL_DEPTH_MAX, STR("a"), arrays), arena, &schema, &err),
                         ST_OK);
        const struct json *stored = json_decode(json_encoded(model_encode(schema, arena)), arena);
        assert_non_null(stored);
        assert_int_equal(model_decode(stored, arena, &again, &err), ST_OK);
        assert_string_equal(shape(arena, schema), shape(arena, again));
        parse(arena, put(arena, model_put_json_schema, schema));
        parse(arena, put(arena, model_put_simple_view, schema));
    }
}

/* Nine million bytes of samples, as many fields as a model may have, names that begin alike and come in a bad
 * order. */
static void large_samples_end_soon(void **state)
{
    struct arena *arena = *state;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (int sample = 0; sample < 40; sample++) {
        json_open_object(&builder);
        for (int i = 0; i < 9990; i++) {
            char name[32];
            int n = snprintf(name, sizeof name, "a_field_with_number_%04d", (i * 7919 + sample) % 9990);
            json_add_name(&builder, (str){ name, (size_t)n });
            json_add_double(&builder, i / 8.0);
        }
        json_close(&builder);
    }
    json_close(&builder);
    const struct json *samples = json_built(&builder);
    struct error err;
    clock_t before = clock();
    assert_int_equal(infer_status(arena, samples, &err), ST_OK);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC <
                10.0); /* A tenth of a second without sanitizers. */
}

/* ---- properties ---- */

enum { ROUNDS = 400 };

static const struct model_schema *infer_value(struct arena *arena, const struct json *value)
{
    const struct model_schema *schema = NULL;
    struct error err;
    assert_int_equal(model_infer(value, arena, &schema, &err), ST_OK);
    return schema;
}

static void merging_knows_no_order(void **state)
{
    struct arena *arena = *state;
    struct random random = { 11 };
    for (int round = 0; round < ROUNDS; round++, arena_reset(arena)) {
        const struct json *value[3];
        const struct model_schema *schema[3];
        struct json_builder all;
        json_builder_init(&all, arena);
        json_open_array(&all);
        for (int i = 0; i < 3; i++) {
            value[i] = random_object(arena, &random);
            schema[i] = infer_value(arena, value[i]);
            json_add(&all, value[i]);
        }
        json_close(&all);
        const struct model_schema *left = merge(arena, merge(arena, schema[0], schema[1]), schema[2]);
        const struct model_schema *right = merge(arena, schema[0], merge(arena, schema[1], schema[2]));
        const struct model_schema *back = merge(arena, schema[2], merge(arena, schema[1], schema[0]));
        /* In one order the fields stand in one order, too. */
        assert_string_equal(print(arena, model_encode(left, arena)),
                            print(arena, model_encode(right, arena)));
        assert_string_equal(shape(arena, left), shape(arena, back));
        assert_string_equal(shape(arena, left), shape(arena, infer_value(arena, json_built(&all))));
        assert_string_equal(shape(arena, left), shape(arena, merge(arena, left, left)));
    }
}

static void a_schema_accepts_what_it_came_from_and_keeps_accepting_it(void **state)
{
    struct arena *arena = *state;
    struct random random = { 12 };
    for (int round = 0; round < ROUNDS; round++, arena_reset(arena)) {
        const struct json *value = random_object(arena, &random);
        const struct model_schema *schema = infer_value(arena, value);
        const struct model_schema *larger =
            merge(arena, schema, infer_value(arena, random_object(arena, &random)));
        bool changes;
        struct model_problem problem;
        assert_true(model_check(schema, value, MODEL_LEVEL_STRUCTURAL, arena, &changes, &problem));
        assert_false(changes);
        assert_true(model_check(larger, value, MODEL_LEVEL_STRUCTURAL, arena, &changes, &problem));
        assert_false(changes);
    }
}

static void a_stored_schema_comes_back(void **state)
{
    struct arena *arena = *state;
    struct random random = { 13 };
    for (int round = 0; round < ROUNDS; round++, arena_reset(arena)) {
        const struct model_schema *schema = infer_value(arena, random_object(arena, &random)), *again;
        const struct json *stored = model_encode(schema, arena);
        struct error err;
        assert_int_equal(model_decode(stored, arena, &again, &err), ST_OK);
        assert_true(json_bytes(stored) == json_bytes(model_encode(again, arena)));
        assert_memory_equal(stored, model_encode(again, arena), json_bytes(stored));
        assert_int_equal(model_bytes(schema), model_bytes(again));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(samples_become_schemas),
        json_test(samples_are_objects),
        json_test(a_model_has_so_many_fields),
        json_test(a_model_has_so_many_bytes),
        json_test(names_have_so_many_bytes),
        json_test(a_model_is_so_deep),
        json_test(paths_have_so_many_bytes),
        json_test(the_deepest_schema_can_be_stored_and_exported),
        json_test(large_samples_end_soon),
        json_test(merging_knows_no_order),
        json_test(a_schema_accepts_what_it_came_from_and_keeps_accepting_it),
        json_test(a_stored_schema_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
