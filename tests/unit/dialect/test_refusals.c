#include "dialect/compile.h"

struct refusal_case {
    const char *document;
    const char *lines; /* Behind the first line; the whole text if it is a parse error. */
};

static void expect(const struct refusal_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        const char *refusal = compiled_refusal(&compiled);
        bool parse = strncmp(cases[i].lines, "parse error: ", 13) == 0;
        const char *want = parse ? cases[i].lines
                                 : arena_printf(&compiled.arena, "validation error: validation errors:\n  %s",
                                                compile_unquote(&compiled.arena, cases[i].lines).p)
                                       .p;
        if (strcmp(refusal, want) != 0) fail_msg("%s\nwant %s\ngot  %s", cases[i].document, want, refusal);
        compiled_done(&compiled);
    }
}

static void top_level_fields_are_validated(void **state)
{
    static const struct refusal_case cases[] = {
        { "{}", "id is required\n  name is required\n  steps must not be empty" },
        { "{'id':'','name':'','steps':[]}", "id is required\n  name is required\n  steps must not be empty" },
        /* With no steps nothing else is checked. */
        { "{'id':'d','name':'D','steps':[],'autoStartNextWorkflow':true}", "steps must not be empty" },
        { "{'id':'my workflow','name':'D','steps':[{'id':'e','name':'E','type':'END'}]}",
          "id 'my workflow' must match ^[A-Za-z0-9_:\\-]+$" },
        { "{'id':'order@v2','name':'D','steps':[{'id':'e','name':'E','type':'END'}]}",
          "id 'order@v2' must match ^[A-Za-z0-9_:\\-]+$" },
        { "{'id':'d','name':'D','autoStartNextWorkflow':true,'steps':[{'id':'e','name':'E','type':'END'}]}",
          "nextWorkflowId is required when autoStartNextWorkflow is true" },
        { "{'id':'d','name':'D','autoStartNextWorkflow':true,'nextWorkflowId':'','steps':[{'id':'e','name':'"
          "E','type':'END'}]}",
          "nextWorkflowId is required when autoStartNextWorkflow is true" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void steps_have_ids_names_and_types(void **state)
{
    static const struct refusal_case cases[] = {
        { STEPS(SERVICE("a", ",'nextStep':'b'") "," SERVICE("b",
                                                            ",'nextStep':'e'") ",{'name':'N','type':'END'}"),
          "step[2] id is required" },
        { STEPS(SERVICE("a", ",'nextStep':'e'") "," SERVICE("a", ",'nextStep':'e'")),
          "duplicate step id: 'a'" },
        { STEPS("{'id':'a','type':'SERVICE_TASK','jobType':'j','nextStep':'e'}"),
          "step 'a': name is required" },
        { STEPS("{'id':'a','name':'N','type':'X','nextStep':'e'}"), "step 'a': unsupported type 'X'" },
        { STEPS("{'id':'a','name':'N','nextStep':'e'}"), "step 'a': unsupported type ''" },
        { STEPS("{'id':'a','name':'N','type':'service_task','nextStep':'e'}"),
          "step 'a': unsupported type 'service_task'" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void every_type_has_what_it_needs(void **state)
{
    static const struct refusal_case cases[] = {
        { STEPS("{'id':'a','name':'N','type':'SERVICE_TASK','nextStep':'e'}"),
          "step 'a' (SERVICE_TASK): jobType is required" },
        { STEPS(SERVICE("a", ",'nextStep':'d'") ",{'id':'d','name':'N','type':'DECISION'}"),
          "step 'd' (DECISION): conditionalNextSteps must not be empty" },
        { STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','nextStep':'e'}"),
          "step 'a' (TRANSFORMATION): transformations must not be empty" },
        { STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','transformations':{'x':1}}"),
          "step 'a' (TRANSFORMATION): nextStep is required" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','boundaryEvents':[{'type':'TIMER','duration':'PT1S','"
                "targetStepId':'e'}]}"),
          "step 'a' (WAIT): nextStep is required" },
        { STEPS("{'id':'a','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':['e']}"),
          "step 'a' (PARALLEL_GATEWAY): parallelNextSteps must have at least 2 entries\n"
          "  step 'a' (PARALLEL_GATEWAY): joinStep is required" },
        { STEPS(
              "{'id':'a','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':['j','e'],'joinStep':'j'},"
              "{'id':'j','name':'N','type':'JOIN_GATEWAY'}"),
          "step 'j' (JOIN_GATEWAY): nextStep is required" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e'}"),
          "step 'a' (DECISION_TABLE): decisionTable payload is required" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{}}"),
          "step 'a' (DECISION_TABLE): rules must not be empty" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[]}}"),
          "step 'a' (DECISION_TABLE): rules must not be empty" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','hitPolicy':'X','nextStep':'e','decisionTable':"
                "{'rules':[{}]}}"),
          "step 'a' (DECISION_TABLE): hitPolicy 'X' is not recognised; expected one of U, F, A, R, C, C+, "
          "C#, C>, C<" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','hitPolicy':'F+','nextStep':'e','decisionTable'"
                ":{'rules':[{}]}}"),
          "step 'a' (DECISION_TABLE): aggregator '+' is only valid on hitPolicy 'C' (got 'F+')" },
        { STEPS("{'id':'a','name':'N','type':'SERVICE_TASK','jobType':'j','retryCount':-1,'nextStep':'e'}"),
          "step 'a' (SERVICE_TASK): retryCount must be between 0 and 1000, got -1" },
        { STEPS("{'id':'a','name':'N','type':'SERVICE_TASK','jobType':'j','retryCount':1001,'nextStep':'e'}"),
          "step 'a' (SERVICE_TASK): retryCount must be between 0 and 1000, got 1001" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void references_must_resolve(void **state)
{
    static const struct refusal_case cases[] = {
        { STEPS(SERVICE("a", ",'conditionalNextSteps':{'x':'zz','y':'e'},'nextStep':'yy'")),
          "step 'a' nextStep references unknown step 'yy'\n"
          "  step 'a' conditionalNextSteps target references unknown step 'zz'" },
        { STEPS("{'id':'a','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':['zz','e'],'joinStep':'"
                "yy'}"),
          "step 'a' parallelNextSteps references unknown step 'zz'\n"
          "  step 'a' joinStep references unknown step 'yy'" },
        { STEPS(SERVICE(
              "a",
              ",'nextStep':'e','boundaryEvents':[{'type':'TIMER','duration':'PT1S','targetStepId':'zz'}]")),
          "step 'a' boundaryEvents[0].targetStepId references unknown step 'zz'" },
        { STEPS("{'id':'a','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':['b','c'],'joinStep':'b'}"
                "," SERVICE("b", ",'nextStep':'e'") "," SERVICE("c", ",'nextStep':'b'")),
          "step 'a' (PARALLEL_GATEWAY): joinStep 'b' is of type SERVICE_TASK, not JOIN_GATEWAY" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void boundary_events_are_validated(void **state)
{
#define EVENT(members) STEPS(SERVICE("a", ",'nextStep':'e','boundaryEvents':[{" members "}]"))
    static const struct refusal_case cases[] = {
        { EVENT("'type':'SIGNAL','duration':'PT1S','targetStepId':'e'"),
          "step 'a' boundaryEvents[0]: unsupported type 'SIGNAL' (only TIMER is in scope)" },
        { EVENT("'type':'TIMER','targetStepId':'e'"),
          "step 'a' boundaryEvents[0]: duration is required for TIMER events" },
        { EVENT("'type':'TIMER','duration':'PT1S'"), "step 'a' boundaryEvents[0]: targetStepId is required" },
        { EVENT("'type':'TIMER','duration':'P5M','targetStepId':'e'"),
          "step 'a' boundaryEvents[0]: duration 'P5M': years and months have no fixed length" },
        { EVENT("'type':'TIMER','duration':'PT0S','targetStepId':'e'"),
          "step 'a' boundaryEvents[0]: duration 'PT0S': it must be longer than zero" },
        { EVENT("'type':'TIMER','duration':'P3651D','targetStepId':'e'"),
          "step 'a' boundaryEvents[0]: duration 'P3651D': it must not be longer than ten years" },
    };
#undef EVENT
    (void)state;
    expect(cases, COUNT(cases));
}

static void fields_of_other_types_are_refused(void **state)
{
#define TABLE(more)                                                                                          \
    STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[{}]}," more \
          "}")
    static const struct refusal_case cases[] = {
        { TABLE("'conditionalNextSteps':{'x':'e'}"),
          "step 'a' (DECISION_TABLE): conditionalNextSteps is not valid on "
          "this step type" },
        { TABLE("'transformations':{'x':1}"),
          "step 'a' (DECISION_TABLE): transformations is not valid on this step type" },
        { TABLE("'parallelNextSteps':['e','e']"),
          "step 'a' (DECISION_TABLE): parallelNextSteps is not valid on this step type" },
        { TABLE("'joinStep':'e'"), "step 'a' (DECISION_TABLE): joinStep is not valid on this step type" },
        { TABLE("'jobType':'x'"), "step 'a' (DECISION_TABLE): jobType is not valid on this step type" },
        { TABLE("'delegateClass':'x'"),
          "step 'a' (DECISION_TABLE): delegateClass is not valid on this step type" },
        { TABLE("'retryCount':1"), "step 'a' (DECISION_TABLE): retryCount is not valid on this step type" },
        { TABLE("'boundaryEvents':[{'type':'TIMER','duration':'PT1S','targetStepId':'e'}]"),
          "step 'a' (DECISION_TABLE): boundaryEvents is not valid on this step type" },
        { STEPS(SERVICE("a", ",'nextStep':'e','decisionTable':{}")),
          "step 'a' (SERVICE_TASK): decisionTable is not "
          "valid on this step type" },
        { STEPS(SERVICE("a", ",'nextStep':'e','hitPolicy':'F'")),
          "step 'a' (SERVICE_TASK): hitPolicy is not valid on "
          "this step type" },
        { STEPS(SERVICE("a", ",'nextStep':'e','chain':false")),
          "step 'a' (SERVICE_TASK): chain is not valid on this step type" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','nextStep':'e','outputs_schema':{}}"),
          "step 'a' (WAIT): outputs_schema is not valid on this step type" },
        { STEPS("{'id':'a','name':'N','type':'USER_TASK','nextStep':'e','retryBackoff':{'initial':'PT1S'}}"),
          "step 'a' (USER_TASK): retryBackoff is not valid on this step type" },
        { STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','transformations':{'x':1},'nextStep':'e',"
                "'boundaryEvents':[{'type':'TIMER','duration':'PT1S','targetStepId':'e'}]}"),
          "step 'a' (TRANSFORMATION): boundaryEvents is not valid on this step type" },
    };
#undef TABLE
    (void)state;
    expect(cases, COUNT(cases));
}

static void problems_come_in_the_promised_order(void **state)
{
    const struct refusal_case cases[] = {
        { document("dialect/refusals", "order of problems"),
          "id 'a b' must match ^[A-Za-z0-9_:\\-]+$\n"
          "  name is required\n"
          "  nextWorkflowId is required when autoStartNextWorkflow is true\n"
          "  step[1] id is required\n"
          "  duplicate step id: 'a'\n"
          "  step 'a': name is required\n"
          "  step 'a' (SERVICE_TASK): jobType is required\n"
          "  step 'a' nextStep references unknown step 'zz'" },
        /* What cannot be reached comes last. */
        { document("dialect/refusals", "unreachable comes last"),
          "id 'a b' must match ^[A-Za-z0-9_:\\-]+$\n"
          "  step 'a': name is required\n"
          "  step 'a' (SERVICE_TASK): jobType is required\n"
          "  step 'w' is unreachable from the first step\n"
          "  no END step is reachable from the first step" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void what_cannot_be_read_is_a_parse_error(void **state)
{
    static const struct refusal_case cases[] = {
        { "[]", "parse error: parse: json: a definition is an object, not array" },
        { "1", "parse error: parse: json: a definition is an object, not number" },
        { "{'id':'d','color':1}", "parse error: parse: json: unknown field \"color\"" },
        { "{'id':5}", "parse error: parse: json: field \"id\" must be a string, not a number (at /id)" },
        { "{'steps':{}}",
          "parse error: parse: json: field \"steps\" must be an array, not an object (at /steps)" },
        { "{'steps':[1]}",
          "parse error: parse: json: field \"steps\" must be an object, not a number (at /steps/0)" },
        { STEPS(SERVICE("a", ",'retryCount':1.5")), "parse error: parse: json: field \"retryCount\" must be "
                                                    "an integer, not a number that is fractional or very "
                                                    "large (at /steps/0/retryCount)" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[{'"
                "then':'e'}]}}"),
          "parse error: parse: then is no longer supported: give the rule outputs and route in a DECISION "
          "step behind "
          "the table (at /steps/0/decisionTable/rules/0/then)" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e','decisionTable':{'rules':[{}],"
                "'defaultNextStep':'e'}}"),
          "parse error: parse: defaultNextStep is no longer supported: write a last rule with an empty "
          "\"when\" "
          "instead (at /steps/0/decisionTable/defaultNextStep)" },
        { "{'a':1,'b':2}", "parse error: parse: json: unknown field \"a\"; json: unknown field \"b\"" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void broken_json_has_its_place(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, column;
    } cases[] = {
        { "", 1, 1 },
        { "{", 1, 2 },
        { "{\n  \"id\": x}", 2, 9 },
        { "{\"a\":1,\"a\":2}", 1, 8 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile_text(&compiled, str_of(cases[i].text));
        assert_null(compiled.document);
        assert_string_equal(compiled_codes(&compiled), "E SYNTAX");
        assert_int_equal(compiled.problems.problem[0].line, cases[i].line);
        assert_int_equal(compiled.problems.problem[0].column, cases[i].column);
        assert_true(strncmp(compiled_refusal(&compiled), "parse error: parse: json: ", 26) == 0);
        compiled_done(&compiled);
    }
}

static void a_text_beyond_the_limit_is_refused(void **state)
{
    static const str text = {
        "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}", 66
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct problems problems;
    problems_init(&problems, &arena);
    struct program *program = source_compile(text, SOURCE_ANY, text.n, &problems, NULL);
    assert_non_null(program);
    program_unref(program);
    assert_null(source_compile(text, SOURCE_ANY, text.n - 1, &problems, NULL));
    assert_int_equal(problems.problem[0].code, PROBLEM_TOO_LARGE);
    assert_true(str_starts(dialect_refusal(&problems, &arena), STR("parse error: parse: json: ")));
    arena_done(&arena);
}

static void expressions_are_compiled_at_once(void **state)
{
    static const struct {
        const char *document;
        const char *code;
        const char *begins;
        const char *pointer;
    } cases[] = {
        { STEPS("{'id':'a','name':'N','type':'DECISION','conditionalNextSteps':{'x >':'e'}}"),
          "E BAD_EXPRESSION", "step \"a\" (DECISION): conditionalNextSteps expression \"x >\": ",
          "/steps/0/conditionalNextSteps/x >" },
        { STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','nextStep':'e','transformations':{'k/l':'${1 "
                "+}'}}"),
          "E BAD_EXPRESSION", "step \"a\" (TRANSFORMATION): transformations \"k/l\" expression \"1 +\": ",
          "/steps/0/transformations/k~1l" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e',"
                "'decisionTable':{'rules':[{'when':{'c':')'}}]}}"),
          "E BAD_EXPRESSION", "step \"a\" (DECISION_TABLE): rules[0].when \"c\" expression \")\": ",
          "/steps/0/decisionTable/rules/0/when/c" },
        { STEPS("{'id':'a','name':'N','type':'DECISION_TABLE','nextStep':'e',"
                "'decisionTable':{'rules':[{'outputs':{'o':'${)}'}}]}}"),
          "E BAD_EXPRESSION", "step \"a\" (DECISION_TABLE): rules[0].outputs \"o\" expression \")\": ",
          "/steps/0/decisionTable/rules/0/outputs/o" },
        { STEPS("{'id':'a','name':'N','type':'WAIT','conditionalNextSteps':{'':'e'}}"), "E BAD_EXPRESSION",
          "step \"a\" (WAIT): conditionalNextSteps expression \"\": ", "/steps/0/conditionalNextSteps/" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].code);
        const struct problem *problem = &compiled.problems.problem[0];
        if (!str_starts(problem->message, str_of(cases[i].begins))) fail_msg("%s", problem->message.p);
        assert_true(str_find(problem->message, STR(" at column "), 0) != SIZE_MAX);
        assert_string_equal(problem->pointer.p, cases[i].pointer);
        compiled_done(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_level_fields_are_validated),
        cmocka_unit_test(steps_have_ids_names_and_types),
        cmocka_unit_test(every_type_has_what_it_needs),
        cmocka_unit_test(references_must_resolve),
        cmocka_unit_test(boundary_events_are_validated),
        cmocka_unit_test(fields_of_other_types_are_refused),
        cmocka_unit_test(problems_come_in_the_promised_order),
        cmocka_unit_test(what_cannot_be_read_is_a_parse_error),
        cmocka_unit_test(broken_json_has_its_place),
        cmocka_unit_test(a_text_beyond_the_limit_is_refused),
        cmocka_unit_test(expressions_are_compiled_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
