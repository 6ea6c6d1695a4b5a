/* Runs that somebody watches: what is told, what is made up, and where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "scenario/limits.h"
#include "scenario/scenario.h"

#include <cmocka.h>

#define STEP(id, type, more) "{\"id\":\"" id "\",\"name\":\"" id "\",\"type\":\"" type "\"" more "}"
#define FLOW(steps) "{\"id\":\"flow\",\"name\":\"A flow\",\"steps\":[" steps "]}"
#define END STEP("end", "END", "")

static const char ask[] = FLOW(STEP("ask", "USER_TASK", ",\"nextStep\":\"end\"") "," END);
static const char loop[] =
    FLOW(STEP("a", "SERVICE_TASK", ",\"jobType\":\"a\",\"nextStep\":\"again\"") "," STEP(
        "again", "DECISION", ",\"conditionalNextSteps\":{\"1 == 1\":\"a\",\"1 == 2\":\"end\"}") "," END);

struct told {
    struct arena arena;
    struct buf lines;
    const struct json *end;
    size_t count;
    const char *enough;
};

static void take_line(void *context, str line)
{
    struct told *told = context;
    struct error err;
    told->count++;
    buf_add_str(&told->lines, line);
    buf_add_char(&told->lines, '\n');
    assert_int_equal(json_parse(arena_str(&told->arena, line), NULL, &told->arena, &told->end, &err), ST_OK);
}

static const char *is_enough(void *context) { return ((struct told *)context)->enough; }

static const struct json *value_of(struct told *told, const char *text)
{
    const struct json *value;
    struct error err;
    if (!text) return NULL;
    assert_int_equal(json_parse(str_of(text), NULL, &told->arena, &value, &err), ST_OK);
    return value;
}

static enum status run(struct told *told, const char *document, const char *answers, const char *pins,
                       bool people_wait, struct error *err)
{
    const str text = str_of(document);
    buf_init(&told->lines, &told->arena);
    const struct rehearsal rehearsal = { .definition = &text,
                                         .definition_count = 1,
                                         .answers = value_of(told, answers),
                                         .pins = value_of(told, pins),
                                         .people_wait = people_wait,
                                         .line = take_line,
                                         .enough = is_enough,
                                         .context = told };
    return rehearse(&rehearsal, &told->arena, err);
}

static bool tells(const struct told *told, const char *part)
{
    return str_find(buf_str(&told->lines), str_of(part), 0) != SIZE_MAX;
}

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

static int setup(void **state)
{
    struct told *told = calloc(1, sizeof *told);
    arena_init(&told->arena, 0);
    *state = told;
    return 0;
}

static int teardown(void **state)
{
    struct told *told = *state;
    arena_done(&told->arena);
    free(told);
    return 0;
}

static void a_person_answers_after_an_hour(void **state)
{
    struct told *told = *state;
    struct error err;
    assert_int_equal(run(told, ask, NULL, NULL, false, &err), ST_OK);
    assert_true(tells(told, "\"why\":\"1 hour passes\""));
    assert_true(str_equal(text_of(told->end, "status"), STR("completed")));
    assert_non_null(json_get(told->end, STR("scenario")));
}

static void or_does_not(void **state)
{
    struct told *told = *state;
    struct error err;
    assert_int_equal(run(told, ask, NULL, NULL, true, &err), ST_OK);
    assert_false(tells(told, "\"event\":\"clock\""));
    assert_true(str_equal(text_of(told->end, "status"), STR("waiting")));
    assert_int_equal(json_count(json_get(told->end, STR("waits"))), 1);
}

static void answers_come_in_order_and_in_their_time(void **state)
{
    static const struct {
        const char *after, *words;
    } cases[] = {
        { "1s", "1 second passes" },
        { "PT90M", "1 hour and 30 minutes pass" },
        { "2d", "2 days pass" },
        { "P1DT1S", "1 day passes" }, /* Not "and 0 hours". */
        { "500ms", "500 milliseconds pass" },
    };
    struct told *told = *state;
    struct error err;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char answers[128];
        snprintf(answers, sizeof answers, "[{\"node\":\"ask\",\"after\":\"%s\",\"variables\":{\"x\":1}}]",
                 cases[i].after);
        assert_int_equal(run(told, ask, answers, NULL, false, &err), ST_OK);
        if (!tells(told, cases[i].words)) fail_msg("%.*s", (int)told->lines.n, told->lines.p);
    }
}

static void a_run_without_end_is_stopped_by_a_limit(void **state)
{
    struct told *told = *state;
    struct error err;
    assert_int_equal(run(told, loop, NULL, NULL, false, &err), ST_OK);
    assert_true(str_equal(text_of(told->end, "status"), STR("stopped")));
    assert_true(tells(told, "REHEARSED_VISITS_MAX"));
    assert_null(json_get(told->end, STR("scenario")));
    assert_true(told->count < 3 * REHEARSED_VISITS_MAX);
}

static void whoever_watches_may_end_it(void **state)
{
    struct told *told = *state;
    struct error err;
    told->enough = "it is late";
    assert_int_equal(run(told, loop, NULL, NULL, false, &err), ST_OK);
    assert_true(str_equal(text_of(told->end, "reason"), STR("it is late")));
    assert_true(told->count < 10);
}

static void what_makes_no_sense_is_refused_before_the_first_line(void **state)
{
    static const struct {
        const char *document, *answers, *pins, *words;
    } cases[] = {
        { "{}", NULL, NULL, "does not compile" },
        { ask, "[{}]", NULL, "needs the \"node\"" },
        { ask, "[{\"node\":\"end\"}]", NULL, "waits for nobody" },
        { ask, "[{\"node\":\"ask\",\"after\":\"soon\"}]", NULL, "duration" },
        { ask, "[{\"node\":\"ask\",\"decision\":1}]", NULL, "decision" },
        { ask, "[{\"node\":\"ask\",\"variables\":1}]", NULL, "variables" },
        { ask, NULL, "{\"end\":{}}", "cannot be pinned" },
        { ask, NULL, "{\"gone\":{}}", "cannot be pinned" },
    };
    struct told *told = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        assert_int_equal(run(told, cases[i].document, cases[i].answers, cases[i].pins, false, &err),
                         ST_INVALID);
        if (!strstr(err.message, cases[i].words)) fail_msg("%s", err.message);
        assert_int_equal(told->count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_person_answers_after_an_hour, setup, teardown),
        cmocka_unit_test_setup_teardown(or_does_not, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_come_in_order_and_in_their_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_without_end_is_stopped_by_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(whoever_watches_may_end_it, setup, teardown),
        cmocka_unit_test_setup_teardown(what_makes_no_sense_is_refused_before_the_first_line, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
