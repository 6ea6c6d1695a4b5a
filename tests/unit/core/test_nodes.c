/* Decisions, transformations, dead ends, ends and budgets. */

#include "core/driver.h"

#define TWO_ENDS END("yes") END("no")

static void a_decision_takes_the_first_branch_that_holds(void **state)
{
    static const struct {
        const char *data, *row;
    } cases[] = {
        { "{'n':800}", "c COMPLETED, a COMPLETED" },
        { "{'n':600}", "c COMPLETED, b COMPLETED" },
        { "{'n':1}", "c COMPLETED, z COMPLETED" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        driver_begin(&d, CHOOSE("c", "'n >= 700':'a','n >= 500':'b','true':'z'") END("a") END("b") END("z"));
        start(&d, cases[i].data);
        assert_rows(&d, cases[i].row);
        driver_end(&d);
    }
}

static void a_decision_that_cannot_decide_fails(void **state)
{
    static const struct {
        const char *branches, *reason, *code;
    } cases[] = {
        { "'n > 5':'yes','n > 6':'no'", "no conditionalNextSteps branch matched (DecisionNoBranchMatched)",
          "NO_BRANCH" },
        { "'n + 1':'yes','n > 6':'no'", "expression 'n + 1': result is float64, not bool", "" },
        { "'n > 5':'yes','t':'no'", "expression 't': result is string, not bool", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        struct buf steps;
        driver_begin_empty(&d);
        buf_init(&steps, &d.arena);
        buf_printf(&steps, STEP("c", "DECISION", ",'conditionalNextSteps':{%s}") TWO_ENDS, cases[i].branches);
        buf_add_char(&steps, '\0');
        struct arena kept = d.arena;
        driver_begin(&d, steps.p);
        arena_done(&kept);
        start(&d, "{'n':1,'t':'x'}");
        assert_at(&d, "FAILED c");
        assert_failure(&d, cases[i].reason);
        assert_code(&d, cases[i].code);
        assert_entries(&d, cases[i].code[0] ? "data enter fail code status" : "data enter fail status");
        driver_end(&d);
    }
}

static void an_undefined_variable_fails_the_decision(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHOOSE("c", "'ghost > 1':'yes','true':'no'") TWO_ENDS);
    start(&d, NULL);
    assert_at(&d, "FAILED c");
    str prefix = driver_text(&d, "expression eval error: expression 'ghost > 1': ");
    assert_true(str_starts(d.instance->failure, prefix));
    assert_code(&d, "EXPRESSION");
    driver_end(&d);
}

static void a_task_with_branches_decides_after_its_work(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'conditionalNextSteps':{'n > 1':'yes','n > 5':'no'}") TWO_ENDS);
    start(&d, NULL);
    complete(&d, "a", "{'n':1}");
    /* The work is done and stays done: the row is complete. test_stuck.c has what a retry does. */
    assert_at(&d, "FAILED a");
    assert_rows(&d, "a COMPLETED");
    assert_failure(&d, "no conditionalNextSteps branch matched (DecisionNoBranchMatched)");
    driver_end(&d);

    driver_begin(&d, STEP("w", "WAIT", NEXT("no") ",'conditionalNextSteps':{'n > 1':'yes','n <= 1':'no'}")
                         TWO_ENDS);
    start(&d, NULL);
    send(&d, COMMAND_SIGNAL, "w", "{'n':2}");
    assert_rows(&d, "w COMPLETED, yes COMPLETED");
    driver_end(&d);
}

static void a_task_without_a_next_step_rests(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j")
                         TASK_WITH("a", "'nextStep':'j'," TIMERS(TIMER("PT1M", "false", "x"))) TASK("b", "j")
                             STEP("x", "SERVICE_TASK", ",'jobType':'x'") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fire(&d, "a", 0);
    complete(&d, "x", "{'done':true}");
    assert_at(&d, "ACTIVE a b x");
    assert_entries(&d, "job_close data rest");
    assert_rows(&d, "f COMPLETED, a RUNNING, b RUNNING, x COMPLETED");
    driver_end(&d);
}

static void a_user_task_without_a_next_step_goes(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("p", "USER_TASK", "," TIMERS(TIMER("PT1M", "true", "end"))) END("end"));
    start(&d, NULL);
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_at(&d, "ACTIVE");
    assert_int_equal(d.instance->timer_count, 0);
    assert_rows(&d, "p COMPLETED");
    driver_end(&d);
}

static void transformations_see_earlier_results(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(
        &d,
        SET("s", "'a':'${n + 1}','b':'${a * 2}','c':'Hi ${a}!','d':[1,{'x':null}],'n':'${n + b}','e':'${n}'",
            "end") END("end"));
    start(&d, "{'n':1,'keep':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'n':5,'keep':true,'a':2,'b':4,'c':'Hi ${a}!','d':[1,{'x':null}],'e':5}");
    assert_entries(&d, "data enter data leave enter leave status");
    driver_end(&d);
}

static void a_transformation_that_fails_merges_nothing(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("s", "'a':1,'b':'${n / 0}'", "end") END("end"));
    start(&d, "{'n':1}");
    assert_at(&d, "FAILED s");
    assert_data(&d, "{'n':1}");
    assert_true(str_starts(d.instance->failure, driver_text(&d, "transformation 'b': expression eval: ")));
    driver_end(&d);
}

static void data_cannot_be_nested_without_end(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("s", "'x':'${[x]}','n':'${n + 1}'", "c")
                         CHOOSE("c", "'n < 127':'s','n == 127':'w','true':'end'") WAIT("w", "s") END("end"));
    start(&d, "{'x':1,'n':0}");
    assert_at(&d, "WAITING w"); /* 127 lists in an object: as deep as may be. */
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_at(&d, "FAILED s");
    assert_failure(&d, "variables would be nested deeper than 128 levels (JSON_DEPTH_MAX)");
    driver_end(&d);
}

static void an_end_chains_unless_told_not_to(void **state)
{
    static const struct {
        const char *data;
        bool chains;
    } cases[] = { { "{'n':1}", true }, { "{'n':0}", false } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        driver_begin_with(&d, ",'autoStartNextWorkflow':true,'nextWorkflowId':'NEXT::one'",
                          CHOOSE("c", "'n > 0':'yes','true':'no'") END("yes")
                              STEP("no", "END", ",'chain':false"));
        start(&d, cases[i].data);
        assert_at(&d, "COMPLETED");
        const struct entry *last = &d.outcome.history.entry[d.outcome.history.entry_count - 1];
        assert_int_equal(last->kind == ENTRY_KIND_CHAIN, cases[i].chains);
        if (cases[i].chains) {
            assert_true(str_equal(last->text, STR("NEXT::one")));
            assert_int_equal(last->number + 1, d.instance->next_number);
        }
        driver_end(&d);
    }
}

/* a -> b -> a … where a task stands beside, so that the front end lets it pass. */
#define LOOP                        \
    SET("a", "'n':'${n + 1}'", "c") \
    CHOOSE("c", "'n < 1000000':'a','n == `x`':'t','true':'end'") TASK("t", "end") END("end")

static void a_loop_that_never_waits_is_stopped(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, LOOP);
    d.limits.visits_max = 100;
    start(&d, "{'n':0}");
    assert_at(&d, "FAILED a");
    assert_failure(&d, "stopped after 100 node visits without waiting: the definition loops");
    size_t count;
    driver_rows(&d, &count);
    assert_int_equal(count, 101);
    /* A retry has a new budget. */
    send(&d, COMMAND_RETRY, "a", "{'n':999999}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void visits_at_the_limit_are_fine(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("a", "'x':1", "b") SET("b", "'x':2", "end") END("end"));
    d.limits.visits_max = 3;
    start(&d, NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);

    driver_begin(&d, SET("a", "'x':1", "b") SET("b", "'x':2", "end") END("end"));
    d.limits.visits_max = 2;
    start(&d, NULL);
    assert_at(&d, "FAILED end");
    driver_end(&d);
}

static void a_command_that_needs_too_much_memory_is_stopped(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, LOOP);
    d.limits.visits_max = INT64_MAX;
    d.limits.step_bytes_max = 100000;
    start(&d, "{'n':0}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_true(str_find(d.instance->failure, STR("more memory than allowed"), 0) != SIZE_MAX);
    driver_end(&d);
}

static void an_expression_that_burns_its_fuel_fails_the_step(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("s", "'a':'${1+1+1+1+n+1+1+n+1+1+1+n}'", "end") END("end"));
    d.limits.fuel_max = 3;
    start(&d, "{'n':1}");
    assert_at(&d, "FAILED s");
    driver_end(&d);
}

/* Each expression is cheap; together they are not. */
static void the_expressions_of_a_command_share_one_budget(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("go", "s") SET("s", "'n':'${n+1}','a':'${n+1}','b':'${n+1}'", "d")
                         CHOOSE("d", "'n<1000':'s','true':'end'") END("end"));
    d.limits.command_fuel_max = 2000;
    start(&d, "{'n':0}");
    complete(&d, "go", NULL);
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_true(str_find(d.instance->failure, STR("command_fuel_max"), 0) != SIZE_MAX);
    driver_end(&d);
}

static void an_instance_over_its_budget_can_be_retried_and_cancelled(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("s", "'n':'${n+1}'", "d") CHOOSE("d", "'n<max':'s','true':'end'") END("end"));
    d.limits.command_fuel_max = 2000;
    start(&d, "{'n':0,'max':100000}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    const struct token *failed = &d.instance->token[0];
    char node[2] = { failed->node_name.p[0], 0 };
    send(&d, COMMAND_RETRY, node, "{'max':1}");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

static void what_a_command_cost_is_told(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, SET("s", "'a':'${n+1}'", "end") END("end"));
    start(&d, "{'n':0}");
    int64_t one = d.outcome.fuel;
    assert_true(one > 0);
    driver_end(&d);
    driver_begin(&d, SET("s", "'a':'${n+1}','b':'${n+2}'", "end") END("end"));
    start(&d, "{'n':0}");
    assert_true(d.outcome.fuel > one);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_takes_the_first_branch_that_holds),
        cmocka_unit_test(a_decision_that_cannot_decide_fails),
        cmocka_unit_test(an_undefined_variable_fails_the_decision),
        cmocka_unit_test(a_task_with_branches_decides_after_its_work),
        cmocka_unit_test(a_task_without_a_next_step_rests),
        cmocka_unit_test(a_user_task_without_a_next_step_goes),
        cmocka_unit_test(transformations_see_earlier_results),
        cmocka_unit_test(a_transformation_that_fails_merges_nothing),
        cmocka_unit_test(data_cannot_be_nested_without_end),
        cmocka_unit_test(an_end_chains_unless_told_not_to),
        cmocka_unit_test(a_loop_that_never_waits_is_stopped),
        cmocka_unit_test(visits_at_the_limit_are_fine),
        cmocka_unit_test(a_command_that_needs_too_much_memory_is_stopped),
        cmocka_unit_test(an_expression_that_burns_its_fuel_fails_the_step),
        cmocka_unit_test(the_expressions_of_a_command_share_one_budget),
        cmocka_unit_test(an_instance_over_its_budget_can_be_retried_and_cancelled),
        cmocka_unit_test(what_a_command_cost_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
