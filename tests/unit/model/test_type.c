#include "model_test.h"

static const char *type_of(struct arena *arena, const char *text)
{
    return model_type_name(model_type_of(parse(arena, text)));
}

static void values_have_the_type_of_their_exact_value(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "null", "NULL" },
        { "true", "BOOLEAN" },
        { "\"\"", "STRING" },
        { "\"2024\"", "STRING" }, /* No text is a year, a date or a number. */
        { "\"2024-05-01T10:00:00Z\"", "STRING" },
        { "{}", "OBJECT" },
        { "[]", "ARRAY" },
        { "0", "INTEGER" },
        { "-0", "INTEGER" },
        { "-0.0", "INTEGER" },
        { "1.0", "INTEGER" },
        { "1e2", "INTEGER" },
        { "12e-1", "DOUBLE" },
        { "2147483647", "INTEGER" },
        { "2147483648", "LONG" },
        { "-2147483648", "INTEGER" },
        { "-2147483649", "LONG" },
        { "2147483647.00", "INTEGER" },
        { "9223372036854775807", "LONG" },
        { "9223372036854775808", "BIG_INTEGER" },
        { "-9223372036854775808", "LONG" },
        { "-9223372036854775809", "BIG_INTEGER" },
        { "1e19", "BIG_INTEGER" },
        { "170141183460469231731687303715884105727", "BIG_INTEGER" },
        { "170141183460469231731687303715884105728", "UNBOUND_INTEGER" },
        { "-170141183460469231731687303715884105728", "BIG_INTEGER" },
        { "-170141183460469231731687303715884105729", "UNBOUND_INTEGER" },
        { "1e38", "BIG_INTEGER" },
        { "2e38", "UNBOUND_INTEGER" },
        { "1e39", "UNBOUND_INTEGER" },
        { "1e999999999", "UNBOUND_INTEGER" }, /* Nobody writes its zeros down. */
        { "0.5", "DOUBLE" },
        { "0.123456789012345", "DOUBLE" },       /* 15 digits. */
        { "0.1234567890123450", "DOUBLE" },      /* Zeros at the end are none. */
        { "0.1234567890123456", "BIG_DECIMAL" }, /* 16. */
        { "123456789012345.5", "BIG_DECIMAL" },  /* 16, too. */
        { "1e-292", "DOUBLE" },
        { "1e-293", "UNBOUND_DECIMAL" },
        { "0.123456789012345678", "BIG_DECIMAL" },      /* 18 behind the point. */
        { "0.1234567890123456789", "UNBOUND_DECIMAL" }, /* 19. */
        { "170141183460469231731.687303715884105727", "BIG_DECIMAL" },
        { "170141183460469231731.687303715884105728", "UNBOUND_DECIMAL" },
        { "-170141183460469231731.687303715884105728", "BIG_DECIMAL" },
        { "-170141183460469231731.687303715884105729", "UNBOUND_DECIMAL" },
        { "170141183460469231731.5", "BIG_DECIMAL" },
        { "170141183460469231732.5", "UNBOUND_DECIMAL" },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(type_of(*state, cases[i].text), cases[i].want);
}

/* The table of model.h, row by row: all types in the order of the enum. */
static const char *const table[MODEL_TYPE_COUNT] = {
    /*                        I L B U D B U S B N O A */
    [MODEL_INTEGER] = "x x x x x x x - - - - -",         [MODEL_LONG] = "- x x x - x x - - - - -",
    [MODEL_BIG_INTEGER] = "- - x x - - x - - - - -",     [MODEL_UNBOUND_INTEGER] = "- - - x - - x - - - - -",
    [MODEL_DOUBLE] = "- - - - x - x - - - - -",          [MODEL_BIG_DECIMAL] = "- - - - - x x - - - - -",
    [MODEL_UNBOUND_DECIMAL] = "- - - - - - x - - - - -", [MODEL_STRING] = "- - - - - - - x - - - -",
    [MODEL_BOOLEAN] = "- - - - - - - - x - - -",         [MODEL_NULL] = "x x x x x x x x x x x x",
    [MODEL_OBJECT] = "- - - - - - - - - - x -",          [MODEL_ARRAY] = "- - - - - - - - - - - x",
};

static void the_table_says_what_widens(void **state)
{
    (void)state;
    for (enum model_type from = 0; from < MODEL_TYPE_COUNT; from++)
        for (enum model_type to = 0; to < MODEL_TYPE_COUNT; to++) {
            bool want = table[from][2 * to] == 'x';
            if (model_widens(from, to) != want)
                fail_msg("%s to %s", model_type_name(from), model_type_name(to));
            for (enum model_type through = 0; through < MODEL_TYPE_COUNT; through++)
                if (model_widens(from, through) && model_widens(through, to)) assert_true(want);
            if (from != to && want) assert_false(model_widens(to, from));
        }
}

static bool accepts(model_types types, enum model_type type)
{
    for (enum model_type to = 0; to < MODEL_TYPE_COUNT; to++)
        if (model_types_have(types, to) && model_widens(type, to)) return true;
    return false;
}

/* For all sets of types. */
static void the_widest_types_accept_what_all_accept(void **state)
{
    (void)state;
    for (uint32_t set = 0; set < 1u << MODEL_TYPE_COUNT; set++) {
        model_types all = (model_types)set, widest = model_types_widest(all);
        assert_int_equal(widest & ~all, 0);
        assert_int_equal(model_types_widest(widest), widest);
        for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++)
            assert_int_equal(accepts(widest, type), accepts(all, type));
        if (model_types_have(widest, MODEL_NULL)) assert_int_equal(widest, model_type_bit(MODEL_NULL));
    }
}

static void names_lead_back(void **state)
{
    (void)state;
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++) {
        enum model_type found;
        assert_true(model_type_find(str_of(model_type_name(type)), &found));
        assert_int_equal(found, type);
    }
    for (enum model_level level = MODEL_LEVEL_NONE + 1; level < MODEL_LEVEL_COUNT; level++) {
        enum model_level found;
        assert_true(model_level_find(str_of(model_level_name(level)), &found));
        assert_int_equal(found, level);
    }
    enum model_type type;
    enum model_level level;
    assert_false(model_type_find(STR("integer"), &type));
    assert_false(model_type_find(STR(""), &type));
    assert_false(model_level_find(STR(""), &level));
    assert_false(model_level_find(STR("structural"), &level));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(values_have_the_type_of_their_exact_value),
        cmocka_unit_test(the_table_says_what_widens),
        cmocka_unit_test(the_widest_types_accept_what_all_accept),
        cmocka_unit_test(names_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
