#include "model_test.h"

static enum model_level level_of(const struct json *row)
{
    enum model_level level = MODEL_LEVEL_NONE;
    const char *name = document_member(row, "level");
    if (*name) assert_true(model_level_find(str_of(name), &level));
    return level;
}

/* "fits", "changes", or the problem in words. */
static const char *outcome(struct arena *arena, const struct model_schema *schema, const struct json *value,
                           enum model_level level)
{
    bool changes = false;
    struct model_problem problem;
    if (model_check(schema, value, level, arena, &changes, &problem)) return changes ? "changes" : "fits";
    struct buf out;
    buf_init(&out, arena);
    buf_printf(&out, "%s %.*s", problem.code, STR_ARG(problem.path));
    if (problem.expected) {
        buf_add_char(&out, ' ');
        model_put_types(&out, problem.expected);
        buf_printf(&out, " %s", model_type_name(problem.actual));
    }
    assert_true(str_find(problem.message, problem.path, 0) == 0);
    buf_add_char(&out, '\0');
    return out.p;
}

static void values_fit_or_do_not(void **state)
{
    const struct json *rows = document_value("model/check", "rows");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i);
        const struct model_schema *schema = infer(*state, document_member(row, "sample"));
        const char *got = outcome(*state, schema, json_get(row, STR("value")), level_of(row));
        if (strcmp(got, document_member(row, "want")) != 0)
            fail_msg("row %zu: %s: %s", i, document_text(row), got);
    }
}

/* At a higher level everything passes that passes at a lower one. After an extension, the value fits as it
 * is, everything that fitted before still does, and the extension is what the value and the schema are
 * together. */
static void extended_schemas_accept_the_value(void **state)
{
    struct arena *arena = *state;
    struct random random = { 21 };
    int extended = 0, refused = 0;
    for (int round = 0; round < 2000; round++, arena_reset(arena)) {
        const struct json *sample = random_object(arena, &random), *value = random_object(arena, &random);
        const struct model_schema *schema, *own;
        struct error err;
        assert_int_equal(model_infer(sample, arena, &schema, &err), ST_OK);
        assert_int_equal(model_infer(value, arena, &own, &err), ST_OK);
        bool passed = false;
        for (enum model_level level = 0; level < MODEL_LEVEL_COUNT; level++) {
            bool changes = false, again = false;
            struct model_problem problem;
            bool passes = model_check(schema, value, level, arena, &changes, &problem);
            assert_true(passes || !passed);
            passed = passes;
            refused += !passes;
            if (!passes || !changes) continue;
            const struct model_schema *larger;
            assert_int_equal(model_extend(schema, value, arena, &larger, &err), ST_OK);
            assert_true(model_check(larger, value, MODEL_LEVEL_STRUCTURAL, arena, &again, &problem));
            assert_false(again);
            assert_true(model_check(larger, value, MODEL_LEVEL_NONE, arena, &again, &problem));
            assert_true(model_check(larger, sample, MODEL_LEVEL_NONE, arena, &again, &problem));
            assert_string_equal(shape(arena, larger), shape(arena, merge(arena, schema, own)));
            assert_string_not_equal(shape(arena, larger), shape(arena, schema));
            extended++;
        }
    }
    assert_true(extended > 500 && refused > 500);
}

static void an_extension_beyond_the_limits_is_refused(void **state)
{
    struct arena *arena = *state;
    const struct model_schema *schema = infer(arena, "{\"a\":1}"), *larger = NULL;
    struct buf text;
    buf_init(&text, arena);
    buf_printf(&text, "{\"x\":0");
    for (int i = 0; i < MODEL_NODES_MAX; i++) buf_printf(&text, ",\"f%d\":0", i);
    buf_printf(&text, "}");
    const struct json *value = parse_str(arena, buf_str(&text));
    assert_string_equal(outcome(arena, schema, value, MODEL_LEVEL_STRUCTURAL), "changes");
    struct error err;
    assert_int_equal(model_extend(schema, value, arena, &larger, &err), ST_LIMIT);
    assert_null(larger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(values_fit_or_do_not),
        json_test(extended_schemas_accept_the_value),
        json_test(an_extension_beyond_the_limits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
