/* Codes of failures: where they come from, how long they stay, and that nobody but the engine sees them. */
#include "documents.h"

#include "core/driver.h"
#include "program/reason.h"

static void fail_coded(struct driver *d, const char *type, const char *code)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'name':'Bad','message':'broken','code':'%s'}", code);
    buf_add_char(&text, '\0');
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FAIL_JOB,
                                                    .as.job.number = job_of(d, type)->number,
                                                    .as.job.error = driver_json(d, text.p),
                                                    .as.job.text = STR("broken") }),
                     ST_OK);
}

static void each_word_is_found_again(void **state)
{
    (void)state;
    assert_int_equal(reason_code_word(REASON_NONE).n, 0);
    for (int i = REASON_NONE + 1; i < REASON_CODE_COUNT; i++) {
        str word = reason_code_word((enum reason_code)i);
        assert_true(word.n > 2);
        assert_int_equal(reason_code_find(word), i);
        assert_true(reason_code_is_known(word));
        assert_int_equal(reason_code_status(word), 0);
    }
    assert_int_equal(reason_code_find(STR_NONE), REASON_NONE);
    assert_int_equal(reason_code_find(STR("answer_late")), REASON_NONE);
}

static void a_status_of_a_failure_is_a_code(void **state)
{
    static const struct {
        int status;
        const char *word;
    } cases[] = { { 400, "HTTP_400" }, { 599, "HTTP_599" }, { 399, "" }, { 600, "" }, { 0, "" } };
    static const char *const others[] = {
        "HTTP_", "HTTP_50", "HTTP_5030", "HTTP_399", "HTTP_-50", "http_503"
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        str word = reason_code_of_status(cases[i].status, &arena);
        assert_true(str_equal(word, str_of(cases[i].word)));
        assert_int_equal(reason_code_status(word), word.n ? cases[i].status : 0);
    }
    for (size_t i = 0; i < COUNT(others); i++) assert_false(reason_code_is_known(str_of(others[i])));
    arena_done(&arena);
}

/* The driver decodes and replays each state, so a code that is there has survived both. */
static void a_code_stays_while_the_instance_is_failed(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, NULL);
    fail_coded(&d, "a", "HTTP_503");
    assert_at(&d, "FAILED a");
    assert_failure(&d, "broken");
    assert_code(&d, "HTTP_503");
    assert_entries(&d, "job_close fail code status");
    send(&d, COMMAND_RETRY, "a", NULL);
    assert_code(&d, "");
    fail_coded(&d, "a", "ANSWER_LATE");
    assert_code(&d, "ANSWER_LATE");
    send(&d, COMMAND_RETRY, "a", NULL);
    fail_job(&d, "a", "no card", false); /* A worker has no codes. */
    assert_code(&d, "");
    assert_entries(&d, "job_close fail status");
    send(&d, COMMAND_RETRY, "a", NULL);
    complete(&d, "a", NULL);
    fail_coded(&d, "b", "NAME_NOT_FOUND");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL, .as.cancel.failed_too = true }),
                     ST_OK);
    assert_code(&d, "");
    driver_end(&d);
}

static void failures_of_the_core_have_codes(void **state)
{
    static const struct {
        const char *steps, *code;
    } cases[] = {
        { TABLE("s", "F", "{'when':{'c':'n > 5'},'outputs':{'x':1}}", "end") END("end"), "TABLE_NO_RULE" },
        { TABLE("s", "F", "{'when':{'c':'m > 5'},'outputs':{'x':1}}", "end") END("end"), "TABLE_CELL" },
        { SET("s", "'x':'${m + 1}'", "end") END("end"), "EXPRESSION" },
        { TASK_WITH("s", "'conditionalNextSteps':{'n > 5':'end'}") END("end"), "NO_BRANCH" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        driver_begin(&d, cases[i].steps);
        start(&d, "{'n':1}");
        if (d.instance->job_count) complete(&d, "s", NULL);
        assert_at(&d, "FAILED s");
        assert_code(&d, cases[i].code);
        driver_end(&d);
    }
}

static void an_unknown_code_is_no_code(void **state)
{
    static const char *const words[] = { "", "MINE", "answer_late", "HTTP_200", "HTTP_5035" };
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct driver d;
        driver_begin(&d, TASK("a", "end") END("end"));
        start(&d, NULL);
        fail_coded(&d, "a", words[i]);
        assert_at(&d, "FAILED a");
        assert_code(&d, "");
        driver_end(&d);
    }
}

/* A state without a code has the same bytes as before there were codes. */
static void a_state_without_a_code_is_as_it_was(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, NULL);
    fail_job(&d, "a", "no card", false);
    str plain = driver_encoded(&d, d.instance);
    struct instance coded = *d.instance;
    coded.failure_code = reason_code_word(REASON_ANSWER_LATE);
    str longer = driver_encoded(&d, &coded);
    assert_int_equal(plain.p[0], 1);
    assert_int_equal(longer.p[0], 3);
    assert_true(str_equal(driver_decoded(&d, longer, d.program)->failure_code, coded.failure_code));
    assert_int_equal(driver_decoded(&d, plain, d.program)->failure_code.n, 0);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_is_found_again),
        cmocka_unit_test(a_status_of_a_failure_is_a_code),
        cmocka_unit_test(a_code_stays_while_the_instance_is_failed),
        cmocka_unit_test(failures_of_the_core_have_codes),
        cmocka_unit_test(an_unknown_code_is_no_code),
        cmocka_unit_test(a_state_without_a_code_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
