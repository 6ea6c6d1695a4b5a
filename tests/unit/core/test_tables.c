/* Decision tables: matching, the nine hit policies, and every way to fail. */

#include "core/driver.h"

#define RULE(when, outputs) "{'when':{" when "},'outputs':{" outputs "}}"

/* Runs one table step with these rules over {"n": n, "s": "x"}. */
static void run_table(struct driver *d, const char *policy, const char *rules, int n)
{
    struct arena arena;
    arena_init(&arena, 0);
    str steps = arena_printf(&arena,
                             STEP("t", "DECISION_TABLE",
                                  ",'hitPolicy':'%s','decisionTable':{'rules':[%s]}" NEXT("end")) END("end"),
                             policy, rules);
    driver_begin(d, steps.p);
    str data = arena_printf(&arena, "{'n':%d,'s':'x'}", n);
    start(d, data.p);
    arena_done(&arena);
}

#define OVERLAPPING                         \
    RULE("'a':'n >= 1'", "'x':1,'y':'one'") \
    "," RULE("'a':'n >= 2'", "'x':2,'z':0.5") "," RULE("'a':'n >= 3','b':' '", "'y':'three','x':2")

static void policies_make_data_of_matching_rules(void **state)
{
    static const struct {
        const char *policy;
        int n;
        const char *rules, *data;
    } cases[] = {
        { "U", 1, OVERLAPPING, "{'n':1,'s':'x','x':1,'y':'one'}" },
        { "F", 3, OVERLAPPING, "{'n':3,'s':'x','x':1,'y':'one'}" },
        { "R", 3, OVERLAPPING, "{'n':3,'s':'x','x':[1,2,2],'y':['one',null,'three'],'z':[null,0.5,null]}" },
        { "C", 2, OVERLAPPING, "{'n':2,'s':'x','x':[1,2],'y':['one',null],'z':[null,0.5]}" },
        { "C#", 3, OVERLAPPING, "{'n':3,'s':'x','x':3,'y':3,'z':3}" },
        { "C#", 1, OVERLAPPING, "{'n':1,'s':'x','x':1,'y':1}" },
        /* Exact: in doubles this would be 0.30000000000000004. */
        { "C+", 1, RULE("", "'x':0.1") "," RULE("", "'x':0.2"), "{'n':1,'s':'x','x':0.3}" },
        { "C+", 1, RULE("", "'x':9007199254740993") "," RULE("", "'x':'${n}'"),
          "{'n':1,'s':'x','x':9007199254740994}" },
        { "C>", 1, RULE("", "'x':2") "," RULE("", "'x':10.0") "," RULE("", "'x':10"),
          "{'n':1,'s':'x','x':10.0}" },
        { "C<", 1, RULE("", "'x':2") "," RULE("", "'x':-1") "," RULE("", "'x':0"), "{'n':1,'s':'x','x':-1}" },
        { "A", 1, RULE("", "'x':1,'y':{'p':1,'q':2}") "," RULE("", "'y':{'q':2,'p':1.0},'x':1.0"),
          "{'n':1,'s':'x','x':1,'y':{'p':1,'q':2}}" },
        /* Outputs see the data as it was before the step. */
        { "U", 1, RULE("", "'n':'${n + 1}','m':'${n + 1}'"), "{'n':2,'s':'x','m':2}" },
        /* No outputs at all. */
        { "F", 1, "{'when':{}}", "{'n':1,'s':'x'}" },
        { "C", 1, "{},{}", "{'n':1,'s':'x'}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        run_table(&d, cases[i].policy, cases[i].rules, cases[i].n);
        assert_at(&d, "COMPLETED");
        assert_data(&d, cases[i].data);
        driver_end(&d);
    }
}

static void tables_fail_with_promised_words(void **state)
{
    static const struct {
        const char *policy;
        int n;
        const char *rules, *reason;
    } cases[] = {
        { "F", 0, OVERLAPPING, "DecisionTableNoRuleMatched: step 't', none of 3 rules" },
        { "U", 2, OVERLAPPING, "DecisionTableUniqueViolation: step 't', matching rule indices [0 1]" },
        { "A", 2, OVERLAPPING,
          "DecisionTableAnyConflict: step 't', column='x': rule 0 gives 1, rule 1 gives 2" },
        /* A column that only later rules have is a conflict too. */
        { "A", 1, RULE("", "'x':1") "," RULE("", "'x':1,'y':2"),
          "DecisionTableAnyConflict: step 't', column='y': rule 0 gives nothing, rule 1 gives 2" },
        { "A", 1, RULE("", "'x':1,'y':null") "," RULE("", "'x':1"),
          "DecisionTableAnyConflict: step 't', column='y': rule 0 gives null, rule 1 gives nothing" },
        { "C+", 3, OVERLAPPING,
          "DecisionTableAggregatorTypeError: step 't', column='y': rule 0 gives string, not a number" },
        { "C+", 1, RULE("", "'x':1") "," RULE("", "'y':1"),
          "DecisionTableAggregatorTypeError: step 't', column='x': rule 1 gives nothing, not a number" },
        { "C>", 1, RULE("", "'x':1") "," RULE("", "'x':'2'"),
          "DecisionTableAggregatorTypeError: step 't', column='x': rule 1 gives string, not a number" },
        { "C<", 1, RULE("", "'x':true"),
          "DecisionTableAggregatorTypeError: step 't', column='x': rule 0 gives boolean, not a number" },
        { "C>", 1, RULE("", "'x':null"),
          "DecisionTableAggregatorTypeError: step 't', column='x': rule 0 gives null, not a number" },
        /* Every rule is matched before the policy: the last one fails even F. */
        { "F", 1, RULE("", "'x':1") "," RULE("'c':'n > 0','d':'n'", "'x':2"),
          "DecisionTableCellError: ruleIndex=1 column='d' expression 'n': result is number, not bool" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        run_table(&d, cases[i].policy, cases[i].rules, cases[i].n);
        assert_at(&d, "FAILED t");
        assert_failure(&d, cases[i].reason);
        assert_rows(&d, "t FAILED");
        driver_end(&d);
    }
}

static void errors_name_the_rule_and_the_column(void **state)
{
    static const struct {
        const char *rules, *prefix;
    } cases[] = {
        { RULE("'c':'ghost > 1'", "'x':1"),
          "DecisionTableCellError: ruleIndex=0 column='c' expression 'ghost > 1': " },
        { RULE("", "'x':1") "," RULE("", "'y':'${ghost}'"),
          "DecisionTableOutputError: ruleIndex=1 column='y' " },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        run_table(&d, "F", cases[i].rules, 1);
        assert_at(&d, "FAILED t");
        if (!str_starts(d.instance->failure, driver_text(&d, cases[i].prefix)))
            fail_msg("%.*s", STR_ARG(d.instance->failure));
        driver_end(&d);
    }
}

static void cells_after_a_false_one_are_not_looked_at(void **state)
{
    struct driver d;
    (void)state;
    run_table(&d, "F", RULE("'a':'n > 5','b':'ghost'", "'x':1") "," RULE("", "'x':2"), 1);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'n':1,'s':'x','x':2}");
    driver_end(&d);
}

static void outputs_of_rules_that_do_not_match_are_not_evaluated(void **state)
{
    struct driver d;
    (void)state;
    run_table(&d, "F", RULE("'a':'n > 5'", "'x':'${ghost}'") "," RULE("", "'x':2"), 1);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_failed_table_can_be_retried(void **state)
{
    struct driver d;
    (void)state;
    run_table(&d, "U", OVERLAPPING, 2);
    send(&d, COMMAND_RETRY, "t", "{'n':1}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void long_values_are_not_printed_into_the_reason(void **state)
{
    struct driver d;
    (void)state;
    run_table(
        &d, "A",
        RULE("", "'x':'0123456789012345678901234567890123456789012345678901234567890123456789012345678'") "," RULE(
            "", "'x':1"),
        1);
    assert_failure(
        &d, "DecisionTableAnyConflict: step 't', column='x': rule 0 gives a long string, rule 1 gives 1");
    driver_end(&d);
}

static void many_large_outputs_stop_at_the_memory_of_a_command(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(
        &d, TABLE("t", "F",
                  RULE("", "'a':'${s + s}'") "," RULE("", "'a':'${s + s}'") "," RULE("", "'a':'${s + s}'"),
                  "end") END("end"));
    d.limits.step_bytes_max = 1 << 10;
    char data[2000];
    memset(data, 'x', sizeof data);
    memcpy(data, "{'s':'", 6);
    memcpy(data + sizeof data - 3, "'}", 3);
    start(&d, data);
    assert_at(&d, "FAILED t");
    driver_end(&d);
}

static void columns_have_a_limit(void **state)
{
    (void)state;
    for (int columns = 1000; columns <= 1001; columns++) {
        struct arena arena;
        struct buf rules;
        struct driver d;
        arena_init(&arena, 0);
        buf_init(&rules, &arena);
        buf_add_str(&rules, STR("{'outputs':{"));
        for (int i = 0; i < columns; i++) buf_printf(&rules, "%s'c%d':%d", i ? "," : "", i, i);
        buf_add_str(&rules, STR("}}"));
        buf_add_char(&rules, '\0');
        run_table(&d, "F", rules.p, 1);
        assert_int_equal(d.instance->status, columns == 1000 ? INSTANCE_COMPLETED : INSTANCE_FAILED);
        driver_end(&d);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_make_data_of_matching_rules),
        cmocka_unit_test(tables_fail_with_promised_words),
        cmocka_unit_test(errors_name_the_rule_and_the_column),
        cmocka_unit_test(cells_after_a_false_one_are_not_looked_at),
        cmocka_unit_test(outputs_of_rules_that_do_not_match_are_not_evaluated),
        cmocka_unit_test(a_failed_table_can_be_retried),
        cmocka_unit_test(long_values_are_not_printed_into_the_reason),
        cmocka_unit_test(many_large_outputs_stop_at_the_memory_of_a_command),
        cmocka_unit_test(columns_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
