#include "dialect/compile.h"

static void unknown_fields_are_refused_everywhere(void **state)
{
    static const struct {
        const char *document;
        const char *pointer;
    } cases[] = {
        { "{'id':'d','name':'D','stepz':1,'steps':[{'id':'e','name':'E','type':'END'}]}", "/stepz" },
        { STEPS(SERVICE("a", ",'nextStep':'e','foo':null")), "/steps/0/foo" },
        { STEPS(SERVICE("a", ",'nextStep':'e','boundaryEvents':[{'type':'TIMER','duration':'PT1S','"
                             "targetStepId':'e','x':1}]")),
          "/steps/0/boundaryEvents/0/x" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[{}],'"
                "x/y':1}}"),
          "/steps/0/decisionTable/x~1y" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[{},{'"
                "if':{}}]}}"),
          "/steps/0/decisionTable/rules/1/if" },
        { STEPS(SERVICE("a", ",'nextStep':'e','retryBackoff':{'initial':'PT1S','jitter':1}")),
          "/steps/0/retryBackoff/jitter" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), "E UNKNOWN_FIELD");
        assert_string_equal(compiled.problems.problem[0].pointer.p, cases[i].pointer);
        compiled_done(&compiled);
    }
}

static void anything_goes_inside_metadata_values_and_maps(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, document("dialect/fields", "anything goes"));
    assert_string_equal(compiled_codes(&compiled), "");
    compiled_done(&compiled);
}

static void field_names_match_in_any_case_if_not_exactly(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, document("dialect/fields", "any case"));
    assert_string_equal(compiled_codes(&compiled), "");
    assert_string_equal(compiled.program->id.p, "d");
    assert_string_equal(compiled.program->node[0].as.task.job_type.p, "j");
    compiled_done(&compiled);

    /* The exact spelling wins wherever it stands, and there is only one of each. */
    compile(&compiled, "{'ID':'wrong','id':'d','name':'D','steps':[{'id':'e','name':'E','type':'END'}]}");
    assert_string_equal(compiled_codes(&compiled), "E UNKNOWN_FIELD");
    assert_string_equal(compiled.problems.problem[0].pointer.p, "/ID");
    compiled_done(&compiled);

    /* Problems point at what is in the document. */
    compile(&compiled, STEPS("{'id':'a','name':'N','type':'WAIT','NextStep':'zz'}"));
    assert_string_equal(compiled.problems.problem[0].pointer.p, "/steps/0/NextStep");
    compiled_done(&compiled);
}

static void null_and_empty_values_count_as_absent(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, document("dialect/fields", "null and empty"));
    assert_string_equal(compiled_codes(&compiled), "");
    compiled_done(&compiled);
}

static void wrong_types_are_refused_everywhere(void **state)
{
    static const struct {
        const char *document;
        const char *pointer;
    } cases[] = {
        { "{'id':'d','name':'D','autoStartNextWorkflow':'yes','steps':[{'id':'e','name':'E','type':'END'}]}",
          "/autoStartNextWorkflow" },
        { "{'id':'d','name':'D','metadata':[],'steps':[{'id':'e','name':'E','type':'END'}]}", "/metadata" },
        { "{'id':'d','name':'D','version':'1','steps':[{'id':'e','name':'E','type':'END'}]}", "/version" },
        { STEPS("{'id':1,'name':'N','type':'END'}"), "/steps/0/id" },
        { STEPS("{'id':'a','name':[],'type':'END'}"), "/steps/0/name" },
        { STEPS("{'id':'a','name':'N','type':7}"), "/steps/0/type" },
        { STEPS("[]"), "/steps/0" },
        { STEPS("{'id':'a','name':'N','type':'DECISION','conditionalNextSteps':['e']}"),
          "/steps/0/conditionalNextSteps" },
        { STEPS("{'id':'a','name':'N','type':'DECISION','conditionalNextSteps':{'a/b':1,'x':'e'}}"),
          "/steps/0/conditionalNextSteps/a~1b" },
        { STEPS("{'id':'a','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':['e',null],'joinStep':'e'"
                "}"),
          "/steps/0/parallelNextSteps/1" },
        { STEPS(SERVICE("a", ",'boundaryEvents':{}")), "/steps/0/boundaryEvents" },
        { STEPS(SERVICE("a", ",'boundaryEvents':['x']")), "/steps/0/boundaryEvents/0" },
        { STEPS(SERVICE("a", ",'boundaryEvents':[{'type':'TIMER','duration':5,'targetStepId':'e'}]")),
          "/steps/0/boundaryEvents/0/duration" },
        { STEPS(SERVICE("a", ",'retryCount':'3'")), "/steps/0/retryCount" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':[]}"),
          "/steps/0/decisionTable" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':{}}}"),
          "/steps/0/decisionTable/rules" },
        { STEPS(
              "{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[[]]}}"),
          "/steps/0/decisionTable/rules/0" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e',"
                "'decisionTable':{'rules':[{'when':{'x':true}}]}}"),
          "/steps/0/decisionTable/rules/0/when/x" },
        { STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','nextStep':'e','transformations':'x'}"),
          "/steps/0/transformations" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        const struct problem *problem = &compiled.problems.problem[0];
        assert_int_equal(problem->code, PROBLEM_WRONG_TYPE);
        assert_string_equal(problem->pointer.p, cases[i].pointer);
        /* What was said about a value is not said again as if it were missing. */
        for (size_t k = 1; k < compiled.problems.count; k++)
            if (compiled.problems.problem[k].code == PROBLEM_REQUIRED)
                fail_msg("%s", compiled.problems.problem[k].message.p);
        compiled_done(&compiled);
    }
}

static void reading_goes_on_after_an_unknown_field(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            STEPS(SERVICE(
                "a", ",'nextStp':'e','color':1") ",{'id':'b','name':'N','type':'WAIT','nextStep':'zz'}"));
    assert_string_equal(compiled_codes(&compiled), "E UNKNOWN_FIELD, E UNKNOWN_FIELD, E UNRESOLVED");
    compiled_done(&compiled);
}

static void a_mistyped_name_gets_a_hint(void **state)
{
    static const struct {
        const char *document;
        const char *hint;
    } cases[] = {
        { STEPS(SERVICE("a", ",'nextStp':'e'")), "did you mean \"nextStep\"?" },
        { STEPS(SERVICE("a", ",'nextSteps':'e'")), "did you mean \"nextStep\"?" },
        { STEPS(SERVICE("a", ",'something':'e'")), "" },
        { STEPS(SERVICE("reserve", ",'nextStep':'shipp'") "," SERVICE("ship", ",'nextStep':'e'")),
          "did you mean \"ship\"?" },
        { STEPS(SERVICE("reserve", ",'nextStep':'reserver'")), "did you mean \"reserve\"?" },
        { STEPS(SERVICE("reserve", ",'nextStep':'elsewhere'")), "" },
        { STEPS("{'id':'a','name':'N','type':'DESICION','nextStep':'e'}"), "did you mean \"DECISION\"?" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled.problems.problem[0].hint.p, cases[i].hint);
        compiled_done(&compiled);
    }
}

static void a_field_without_effect_is_worth_a_warning(void **state)
{
    static const struct {
        const char *document;
        const char *codes;
    } cases[] = {
        { STEPS("{'id':'a','name':'N','type':'DECISION','conditionalNextSteps':{'true':'e'},'nextStep':'e'}"),
          "W "
          "NOT_ALLOWED_HERE" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','nextStep':'e','transformations':{'x':'${)}'}}"),
          "W NOT_ALLOWED_HERE" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','nextStep':'e','joinStep':'nowhere'}"),
          "W NOT_ALLOWED_HERE" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','nextStep':'e','delegateClass':'com.example.X'}"), "" },
        { STEPS("{'id':'a','name':'N','type':'USER_TASK','nextStep':'e','jobType':'form-7'}"), "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        compiled_done(&compiled);
    }
}

static void problems_have_lines_and_columns(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled, "{\n 'id': 'd', 'name': 'D',\n 'steps': [\n  {'id': 'ä', 'name': 'N', 'type': 'WAIT', "
                       "'nextStep': 'zz'},\n"
                       "  {'id': 'e',\n   'type': 'END'}\n ]\n}");
    assert_string_equal(compiled_codes(&compiled), "E UNRESOLVED, E REQUIRED");
    static const struct {
        uint32_t line, column;
    } want[] = { { 4, 56 }, { 5, 3 } };
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(compiled.problems.problem[i].line, want[i].line);
        assert_int_equal(compiled.problems.problem[i].column, want[i].column);
    }
    compiled_done(&compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_fields_are_refused_everywhere),
        cmocka_unit_test(anything_goes_inside_metadata_values_and_maps),
        cmocka_unit_test(field_names_match_in_any_case_if_not_exactly),
        cmocka_unit_test(null_and_empty_values_count_as_absent),
        cmocka_unit_test(wrong_types_are_refused_everywhere),
        cmocka_unit_test(reading_goes_on_after_an_unknown_field),
        cmocka_unit_test(a_mistyped_name_gets_a_hint),
        cmocka_unit_test(a_field_without_effect_is_worth_a_warning),
        cmocka_unit_test(problems_have_lines_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
