#include "dialect/entity/entity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct json *value_of(str text, struct arena *arena)
{
    const struct json *value;
    assert_int_equal(json_parse(text, NULL, arena, &value, NULL), ST_OK);
    return value;
}

static void an_answer_becomes_the_times_that_it_means(void **state)
{
    enum { NOW_MS = 1000 };
    static const struct {
        const char *result;
        const char *want; /* NULL: it is no schedule. */
    } cases[] = {
        { "{\"fireAt\":2000}", "{\"due\":\"1970-01-01T00:00:02.000000Z\",\"expires\":null}" },
        { "{\"fireAfterMs\":2000}", "{\"due\":\"1970-01-01T00:00:03.000000Z\",\"expires\":null}" },
        { "{\"fireAt\":2000,\"fireAfterMs\":null,\"expireAfterMs\":3000}",
          "{\"due\":\"1970-01-01T00:00:02.000000Z\",\"expires\":\"1970-01-01T00:00:05.000000Z\"}" },
        { "{\"fireAt\":2000,\"expireAt\":2000}", "{\"missed\":\"1970-01-01T00:00:02.000000Z\"}" },
        { "{\"fireAt\":2000,\"fireAfterMs\":1}", NULL },
        { "{\"expireAt\":2000}", NULL },
        { "{\"fireAt\":-1}", NULL },
        { "{\"fireAt\":1.5}", NULL },
        { "{\"fireAfterMs\":9223372036854775807}", NULL },
        { "[]", NULL },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *answer = value_of(
            arena_printf(&arena, "{\"resultKind\":\"Schedule\",\"result\":%s}", cases[i].result), &arena);
        const struct json *schedule = NULL;
        struct error err;
        enum status status = entity_answer_schedule(answer, NOW_MS, &arena, &schedule, &err);
        assert_int_equal(status, cases[i].want ? ST_OK : ST_INVALID);
        if (cases[i].want) assert_true(json_equal(schedule, value_of(str_of(cases[i].want), &arena)));
        else assert_string_equal(err.where, "SCHEDULE_FUNCTION_INVALID_RESULT");
    }
    arena_done(&arena);
}

static void another_kind_of_answer_is_no_schedule(void **state)
{
    const struct json *schedule;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(entity_answer_schedule(value_of(STR("{\"result\":{\"fireAt\":1}}"), &arena), 0, &arena,
                                            &schedule, NULL),
                     ST_INVALID);
    assert_int_equal(entity_answer_schedule(NULL, 0, &arena, &schedule, NULL), ST_INVALID);
    arena_done(&arena);
}

static void only_one_dialect_has_entities(void **state)
{
    (void)state;
    assert_true(dialect_has_entities(dialect_of_entities()));
    assert_false(dialect_has_entities(STR("graph")));
    assert_false(dialect_has_entities(STR_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_becomes_the_times_that_it_means),
        cmocka_unit_test(another_kind_of_answer_is_no_schedule),
        cmocka_unit_test(only_one_dialect_has_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
