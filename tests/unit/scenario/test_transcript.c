/* Scenarios of instances: what they need. tests/api/test_transcripts.py makes them of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "dialect/dialect.h"
#include "scenario/limits.h"
#include "scenario/scenario.h"

#include <cmocka.h>

static const char flow[] = "{\"id\":\"flow\",\"name\":\"A flow\",\"steps\":[{\"id\":\"end\",\"name\":\"End\","
                           "\"type\":\"END\"}]}";

static const char *never(void *context)
{
    (void)context;
    return NULL;
}

static const char *at_once(void *context)
{
    (void)context;
    return "it was enough";
}

static const char *after_some(void *context) { return --*(int *)context < 0 ? "it was enough" : NULL; }

static enum status write_bounded(const char *definition, const struct history *history, size_t count,
                                 const struct scenario_bound *bound, const struct json **ret_scenario,
                                 str *ret_why_not, struct error *ret_error, struct arena *arena)
{
    const struct transcript_part part = { .definition = str_of(definition),
                                          .definition_number = 1,
                                          .id = { .ms = 1000, .instance = 1 },
                                          .history = history,
                                          .history_count = count };
    return transcript_write(&part, 1, bound, arena, ret_scenario, ret_why_not, ret_error);
}

static enum status write(const char *definition, const struct history *history, size_t count,
                         const struct json **ret_scenario, str *ret_why_not, struct arena *arena)
{
    static const struct scenario_bound none = { .enough = never };
    struct error err;
    return write_bounded(definition, history, count, &none, ret_scenario, ret_why_not, &err, arena);
}

static struct program *compiled(const char *text, struct arena *arena)
{
    struct problems problems;
    const struct json *document;
    struct error err;
    problems_init(&problems, arena);
    assert_int_equal(json_parse(str_of(text), NULL, arena, &document, &err), ST_OK);
    struct program *program = dialect_compile(document, &problems, NULL);
    assert_non_null(program);
    return program;
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

static const char working[] =
    "{\"id\":\"flow\",\"name\":\"A "
    "flow\",\"steps\":[{\"id\":\"work\",\"name\":\"Work\",\"type\":\"SERVICE_TASK\","
    "\"jobType\":\"w\",\"nextStep\":\"end\"},{\"id\":\"end\",\"name\":\"End\",\"type\":\"END\"}]}";

/* A start and the end of its job, whose answer has many members with this many bytes each: any of them may be
 * what the worker answered. */
static void run_with(struct program *program, size_t bytes, struct arena *arena,
                     struct history ret_history[2])
{
    enum { MEMBERS = 300 };
    const struct limits limits = limits_default();
    struct outcome outcome;
    struct error err;
    char *text = arena_make_n(arena, char, bytes), name[24];
    memset(text, 'x', bytes);
    struct json_builder answer;
    const struct command start = command_start(1000, STR_NONE, json_empty_object(),
                                               (struct command_start){ .instance = 1, .definition = 1 });
    assert_int_equal(core_step(program, NULL, &start, &limits, arena, &outcome, &err), ST_OK);
    ret_history[0] = outcome.history;
    json_builder_init(&answer, arena);
    json_open_object(&answer);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "m%d", i);
        json_add_name(&answer, str_of(name));
        json_open_object(&answer);
        json_add_name(&answer, STR("x"));
        json_add_string(&answer, (str){ text, bytes });
        json_close(&answer);
    }
    json_close(&answer);
    const struct command complete =
        command_complete_job(2000, STR("w"), json_built(&answer),
                             (struct command_job){ .number = outcome.instance->job[0].number });
    assert_int_equal(core_step(program, outcome.instance, &complete, &limits, arena, &outcome, &err), ST_OK);
    ret_history[1] = outcome.history;
}

static void the_search_for_an_answer_has_a_limit_of_memory(void **state)
{
    struct arena arena;
    const struct json *scenario;
    str why_not;
    struct history history[2];
    (void)state;
    arena_init(&arena, 0);
    struct program *program = compiled(working, &arena);
    run_with(program, 3 << 10, &arena, history);
    assert_int_equal(write(working, history, 2, &scenario, &why_not, &arena), ST_OK);
    /* The file itself, and the run that tries it, come on top. */
    assert_true(arena_bytes(&arena) < CANDIDATES_BYTES_MAX + (64u << 20));
    program_unref(program);
    arena_done(&arena);
}

static void it_stops_when_it_is_enough(void **state)
{
    struct arena arena;
    const struct json *scenario;
    str why_not;
    struct history history[2];
    struct error err;
    int more = 2;
    const struct scenario_bound none = { .enough = at_once };
    const struct scenario_bound some = { .enough = after_some, .context = &more };
    (void)state;
    arena_init(&arena, 0);
    struct program *program = compiled(working, &arena);
    run_with(program, 10, &arena, history);
    assert_int_equal(write_bounded(working, history, 2, &none, &scenario, &why_not, &err, &arena), ST_LIMIT);
    assert_string_equal(err.message, "it was enough");
    assert_int_equal(write_bounded(working, history, 2, &some, &scenario, &why_not, &err, &arena), ST_LIMIT);

    /* The file is written, and says that it was not tried to its end. */
    struct program *short_one = compiled(flow, &arena);
    const struct limits limits = limits_default();
    struct outcome outcome;
    const struct command start = command_start(1000, STR_NONE, json_empty_object(),
                                               (struct command_start){ .instance = 1, .definition = 1 });
    assert_int_equal(core_step(short_one, NULL, &start, &limits, &arena, &outcome, &err), ST_OK);
    more = 1;
    assert_int_equal(write_bounded(flow, &outcome.history, 1, &some, &scenario, &why_not, &err, &arena),
                     ST_OK);
    assert_int_equal(str_compare(why_not, STR("it was enough")), 0);
    assert_non_null(json_pointer(scenario, STR("/cases/0/note")));
    program_unref(short_one);
    program_unref(program);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_history_there_is_nothing_to_tell),
        cmocka_unit_test(a_run_becomes_a_case_that_passes),
        cmocka_unit_test(the_search_for_an_answer_has_a_limit_of_memory),
        cmocka_unit_test(it_stops_when_it_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
