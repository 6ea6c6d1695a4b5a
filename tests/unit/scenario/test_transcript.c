/* Scenarios of instances: what they need. tests/api/test_transcripts.py makes them of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "core/core.h"
#include "dialect/dialect.h"
#include "scenario/scenario.h"

#include <cmocka.h>

static const char flow[] = "{\"id\":\"flow\",\"name\":\"A flow\",\"steps\":[{\"id\":\"end\",\"name\":\"End\","
                           "\"type\":\"END\"}]}";

static enum status write(const char *definition, const struct history *history, size_t count,
                         const struct json **ret_scenario, str *ret_why_not, struct arena *arena)
{
    const struct transcript_part part = { .definition = str_of(definition),
                                          .definition_number = 1,
                                          .id = { .ms = 1000, .instance = 1 },
                                          .history = history,
                                          .history_count = count };
    struct error err;
    return transcript_write(&part, 1, arena, ret_scenario, ret_why_not, &err);
}

static void without_a_history_there_is_nothing_to_tell(void **state)
{
    struct arena arena;
    const struct json *scenario;
    str why_not;
    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(write(flow, NULL, 0, &scenario, &why_not, &arena), ST_CONFLICT);
    assert_int_equal(write("{}", NULL, 0, &scenario, &why_not, &arena), ST_CONFLICT);
    arena_done(&arena);
}

static void a_run_becomes_a_case_that_passes(void **state)
{
    struct arena arena;
    const struct json *scenario;
    str why_not;
    const struct limits limits = limits_default();
    struct outcome outcome;
    struct problems problems;
    struct error err;
    (void)state;
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    const struct json *document;
    assert_int_equal(json_parse(str_of(flow), NULL, &arena, &document, &err), ST_OK);
    struct program *program = dialect_compile(document, &problems, NULL);
    assert_non_null(program);
    const struct command start = command_start(1000, STR_NONE, json_empty_object(),
                                               (struct command_start){ .instance = 1, .definition = 1 });
    assert_int_equal(core_step(program, NULL, &start, &limits, &arena, &outcome, &err), ST_OK);
    assert_int_equal(write(flow, &outcome.history, 1, &scenario, &why_not, &arena), ST_OK);
    assert_int_equal(why_not.n, 0);
    assert_non_null(json_pointer(scenario, STR("/cases/0/expect/instances/i1/path/0")));
    program_unref(program);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_history_there_is_nothing_to_tell),
        cmocka_unit_test(a_run_becomes_a_case_that_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
