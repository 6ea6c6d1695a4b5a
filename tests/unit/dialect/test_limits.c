#include "dialect/compile.h"

#include "base/limits.h"

/* Compiles a document that is printed into a buffer, and expects these codes. */
static void expect_codes(const struct buf *document, const char *codes)
{
    struct compiled compiled;
    compile_text(&compiled, buf_str(document));
    assert_string_equal(compiled_codes(&compiled), codes);
    compiled_done(&compiled);
}

static str repeated(struct arena *arena, char c, size_t n)
{
    char *p = arena_alloc(arena, n + 1);
    memset(p, c, n);
    p[n] = '\0';
    return (str){ p, n };
}

static void texts_may_be_this_long(void **state)
{
    static const struct {
        size_t max;
        const char *code; /* One byte more. */
        const char *before, *after;
    } cases[] = {
        { DEFINITION_ID_BYTES_MAX, "E BAD_ID",
          "{\"name\":\"D\",\"steps\":[{\"id\":\"e\",\"name\":\"E\","
          "\"type\":\"END\"}],\"id\":\"",
          "\"}" },
        { NODE_NAME_BYTES_MAX, "E BAD_ID",
          "{\"name\":\"D\",\"id\":\"d\",\"steps\":[{\"name\":\"E\",\"type\":\"END\","
          "\"id\":\"",
          "\"}]}" },
        { JOB_TYPE_BYTES_MAX, "E TOO_LARGE",
          "{\"name\":\"D\",\"id\":\"d\",\"steps\":[{\"name\":\"E\",\"type\":\"USER_TASK\",\"id\":\"u\","
          "\"nextStep\":\"e\",\"jobType\":\"",
          "\"},{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}" },
        { EXPRESSION_BYTES_MAX, "E TOO_LARGE",
          "{\"name\":\"D\",\"id\":\"d\",\"steps\":[{\"name\":\"E\",\"type\":\"DECISION\",\"id\":\"u\","
          "\"conditionalNextSteps\":{\"",
          "\":\"e\"}},{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}" },
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t more = 0; more < 2; more++) {
            struct buf document;
            buf_init(&document, &arena);
            buf_printf(&document, "%s%s%s", cases[i].before, repeated(&arena, 'a', cases[i].max + more).p,
                       cases[i].after);
            expect_codes(&document, more ? cases[i].code : "");
        }
    arena_done(&arena);
}

static void a_definition_may_have_this_many_steps(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf document;
        buf_init(&document, NULL);
        buf_printf(&document, "{\"id\":\"d\",\"name\":\"D\",\"steps\":[");
        size_t count = DEFINITION_STEPS_MAX + more;
        for (size_t i = 0; i + 1 < count; i++)
            buf_printf(&document, "{\"id\":\"s%zu\",\"name\":\"N\",\"type\":\"WAIT\",\"nextStep\":\"s%zu\"},",
                       i, i + 1);
        buf_printf(&document, "{\"id\":\"s%zu\",\"name\":\"N\",\"type\":\"END\"}]}", count - 1);
        expect_codes(&document, more ? "E TOO_LARGE" : "");
        buf_done(&document);
    }
}

static void a_table_may_have_this_many_rules(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf document;
        buf_init(&document, NULL);
        buf_printf(&document, "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"t\",\"name\":\"N\",\"type\":"
                              "\"DECISION_TABLE\","
                              "\"nextStep\":\"e\",\"hitPolicy\":\"U\",\"decisionTable\":{\"rules\":[{"
                              "\"when\":{\"x\":\"x < 0\"}}");
        size_t count = TABLE_RULES_MAX + more;
        for (size_t i = 0; i + 2 < count; i++)
            buf_printf(&document, ",{\"when\":{\"x\":\"x >= %zu && x < %zu\"},\"outputs\":{\"y\":%zu}}", i,
                       i + 1, i);
        buf_printf(&document,
                   ",{\"when\":{\"x\":\"x >= %zu\"}}]}},{\"id\":\"e\",\"name\":\"N\",\"type\":\"END\"}]}",
                   count - 2);
        struct compiled compiled;
        compile_text(&compiled, buf_str(&document));
        assert_int_equal(compiled.problems.error_count, more);
        if (more) assert_int_equal(compiled.problems.problem[0].code, PROBLEM_TOO_LARGE);
        compiled_done(&compiled);
        buf_done(&document);
    }
}

static void a_step_may_have_this_many_boundary_events(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf document;
        buf_init(&document, NULL);
        buf_printf(&document,
                   "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"w\",\"name\":\"N\",\"type\":\"WAIT\","
                   "\"nextStep\":\"e\",\"boundaryEvents\":[");
        for (size_t i = 0; i < BOUNDARY_EVENTS_MAX + more; i++)
            buf_printf(
                &document,
                "%s{\"type\":\"TIMER\",\"interrupting\":true,\"duration\":\"PT%zuS\",\"targetStepId\":\"e\"}",
                i ? "," : "", i + 1);
        buf_printf(&document, "]},{\"id\":\"e\",\"name\":\"N\",\"type\":\"END\"}]}");
        expect_codes(&document, more ? "E TOO_LARGE" : "");
        buf_done(&document);
    }
}

static void numbers_and_durations_have_bounds(void **state)
{
#define RETRIES(count) STEPS(SERVICE("a", ",'nextStep':'e','retryCount':" count))
#define TIMER(duration)                               \
    STEPS(SERVICE("a",                                \
                  ",'nextStep':'e','boundaryEvents':" \
                  "[{'type':'TIMER','interrupting':true,'targetStepId':'e','duration':'" duration "'}]"))
    static const struct {
        const char *document;
        const char *codes;
    } cases[] = {
        { RETRIES("0"), "" },
        { RETRIES("1000"), "" },
        { RETRIES("1001"), "E BAD_VALUE" },
        { RETRIES("-1"), "E BAD_VALUE" },
        { RETRIES("9223372036854775807"), "E BAD_VALUE" },
        { RETRIES("9223372036854775808"), "E WRONG_TYPE" },
        { TIMER("P3650D"), "" },
        { TIMER("P3650DT1S"), "E BAD_DURATION" },
        { TIMER("PT0.001S"), "" },
        { TIMER("PT0S"), "E BAD_DURATION" },
        { TIMER("P1W"), "" },
        { TIMER("P1M"), "E BAD_DURATION" },
        { TIMER("P1Y"), "E BAD_DURATION" },
        { TIMER("5 "
                "minutes"),
          "E BAD_DURATION" },
        { TIMER("P"), "E BAD_DURATION" },
        { TIMER("PT99999999999999999999H"), "E BAD_DURATION" },
    };
#undef TIMER
#undef RETRIES
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        compiled_done(&compiled);
    }
}

static void problems_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    struct buf document;
    buf_init(&document, NULL);
    buf_printf(&document, "{\"id\":\"d\",\"name\":\"D\",\"steps\":[");
    for (size_t i = 0; i < DEFINITION_PROBLEMS_MAX + 50; i++)
        buf_printf(&document, "%s{\"id\":\"s%zu\",\"name\":\"\",\"type\":\"END\"}", i ? "," : "", i);
    buf_printf(&document, "]}");
    struct compiled compiled;
    compile_text(&compiled, buf_str(&document));
    assert_int_equal(compiled.problems.count, DEFINITION_PROBLEMS_MAX);
    assert_true(compiled.problems.error_count > DEFINITION_PROBLEMS_MAX + 50);
    str refusal = dialect_refusal(&compiled.problems, &compiled.arena);
    assert_true(str_find(refusal, STR("\n  … and 199 more"), 0) != SIZE_MAX);
    compiled_done(&compiled);
    buf_done(&document);
}

static void a_schema_may_have_this_many_fields(void **state)
{
    enum { FIELDS_MAX = 1000 };
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf document;
        buf_init(&document, NULL);
        buf_printf(&document, "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"e\",\"name\":\"N\","
                              "\"type\":\"END\"}],\"input_schema\":{\"required\":[");
        for (size_t i = 0; i < FIELDS_MAX + more; i++) buf_printf(&document, "%s\"f%zu\"", i ? "," : "", i);
        buf_printf(&document, "]}}");
        expect_codes(&document, more ? "E TOO_LARGE" : "");
        buf_done(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_may_be_this_long),
        cmocka_unit_test(a_definition_may_have_this_many_steps),
        cmocka_unit_test(a_table_may_have_this_many_rules),
        cmocka_unit_test(a_step_may_have_this_many_boundary_events),
        cmocka_unit_test(numbers_and_durations_have_bounds),
        cmocka_unit_test(problems_beyond_the_limit_are_counted),
        cmocka_unit_test(a_schema_may_have_this_many_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
