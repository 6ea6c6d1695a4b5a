#include "dialect/workflow.h"

/* ---- paths and filters ---- */

static void paths_compile_and_lead_to_one_place_where_something_is_written(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(
              "",
              "{'name':'A','type':'RELAY','end':true,'filter':{'inputPath':'$.','outputPath':'$.[?(@.a)]',"
              "'resultPath':'$.a.b[0]'}}"),
          "" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'inputPath':'a.b','outputPath':''}}"),
          "" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{}}"), "" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':'$.a'}"),
          "E WRONG_TYPE /states/0/filter" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'outputPath':'$.a['}}"),
          "E BAD_PATH /states/0/filter/outputPath" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'resultPath':'$.a[*]'}}"),
          "E BAD_PATH /states/0/filter/resultPath" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'resultPath':'$..a','inputPath':1}}"),
          "E WRONG_TYPE /states/0/filter/inputPath, E BAD_PATH /states/0/filter/resultPath" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'inputpath':'$'}}"),
          "E UNKNOWN_FIELD /states/0/filter/inputpath" },
        { FULL(OPERATION("'actions':[" ACTION(
              ",'filter':{'resultPath':'$[?@.x]'}") "],"
                                                    "'onError':[{'condition':'true','transition':'B','filter'"
                                                    ":{'resultPath':'$.a.*'}}]")),
          "E BAD_PATH /states/0/onError/0/filter/resultPath, E BAD_PATH "
          "/states/0/actions/0/filter/resultPath" },
        { FULL(OPERATION("'actions':[" ACTION("") "," ACTION(
              ",'filter':{'resultPath':'$.x'}") "],"
                                                "'filter':{'resultPath':'$.y'}")),
          "W UNUSUAL /states/0/actions/1/filter/resultPath" },
        { FULL("{'name':'A','type':'EVENT','eventActions':[{'condition':'e','actions':[],'transition':'B',"
               "'filter':{'inputPath':'$.a','resultPath':'$.b','outputPath':'$.c'}}]}"),
          "W IGNORED /states/0/eventActions/0/filter/outputPath" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','timeDelay':'PT1S','end':true,"
                       "'loop':{'inputCollection':'$.a[*]','outputCollection':'$.b'}}"),
          "" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','timeDelay':'PT1S','end':true,"
                       "'loop':{'outputCollection':'$.b[*]','timeDelay':'x','completionCondition':'('}}"),
          "E REQUIRED /states/0/loop/inputCollection, E BAD_PATH /states/0/loop/outputCollection, "
          "E BAD_CONDITION /states/0/loop/completionCondition, E BAD_DURATION /states/0/loop/timeDelay" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void parameters_hold_paths_at_any_depth(void **state)
{
    static const struct read_case cases[] = {
        { FULL(OPERATION(
              "'actions':[{'functionref':{'refname':'f','parameters':{'a':'$.','b':[{'c':'$[0].x'}],"
              "'d':'$$.[','e':'$5','f':'a.[','g':null}}}]")),
          "" },
        { FULL(OPERATION(
              "'actions':[{'functionref':{'refname':'f','parameters':{'a':'$.[','b':[1,{'c/d':'$.x['}]}}}]")),
          "E BAD_PATH /states/0/actions/0/functionref/parameters/a, "
          "E BAD_PATH /states/0/actions/0/functionref/parameters/b/1/c~1d" },
        { FULL(OPERATION("'actions':[{'functionref':{'refname':'f','parameters':['$.a']}}]")),
          "E WRONG_TYPE /states/0/actions/0/functionref/parameters" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void a_function_is_referred_to_in_several_spellings(void **state)
{
    static const struct read_case cases[] = {
        { FULL(OPERATION("'actions':[{'functionref':{'refName':'f'}},{'functionRef':{'refname':'g'}},"
                         "{'name':'n','functionRef':{'refName':'g'}}]")),
          "" },
        { FULL(OPERATION("'actions':[{'functionref':{'name':'f'}}]")),
          "W UNUSUAL /states/0/actions/0/functionref/name" },
        { FULL(OPERATION("'actions':[{},{'functionref':'f'},{'functionref':{}},7]")),
          "E REQUIRED /states/0/actions/0/functionref, E WRONG_TYPE /states/0/actions/1/functionref, "
          "E REQUIRED /states/0/actions/2/functionref/refname, E WRONG_TYPE /states/0/actions/3" },
        { FULL(OPERATION("'actionMode':'parallel','actions':[]")), "" },
        { FULL(OPERATION("'actionMode':'Sequential','actions':[]")), "" },
        { FULL(OPERATION("'actionMode':'BOTH','actions':[]")), "E BAD_VALUE /states/0/actionMode" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* ---- time ---- */

#define DELAY_BY "{'name':'A','type':'DELAY','end':true,'timeDelay':%s}"

static void a_delay_is_a_duration_or_a_time(void **state)
{
    static const int64_t noon = INT64_C(1767268800000); /* 2026-01-01T12:00:00Z */
    static const struct {
        const char *delay;
        int64_t delay_ms, at_ms;
        const char *problems;
    } cases[] = {
        { "'PT15M'", 900000, 0, "" },
        { "'P2DT3H4M'", 183840000, 0, "" },
        { "'P1M'", INT64_C(30) * 86400000, 0, "" },
        { "'P1Y'", INT64_C(365) * 86400000, 0, "" },
        { "'PT0S'", 0, 0, "" },
        { "90", 90000, 0, "W UNUSUAL /states/0/timeDelay" },
        { "0", 0, 0, "W UNUSUAL /states/0/timeDelay" },
        { "'2026-01-01T12:00:00Z'", 0, noon, "" },
        { "'2026-01-01T13:00:00+01:00'", 0, noon, "" },
        { "'2026-01-01T12:00:00'", 0, noon, "" },
        { "'2026-01-01T12:00'", 0, noon, "" },
        { "'2026-01-01'", 0, noon - 43200000, "" },
        { "'1970-01-01T00:00:00Z'", 0, 1, "" }, /* 0 would be no time at all. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(&result, arena_printf(&arena, WORKFLOW("", DELAY_BY), cases[i].delay).p);
        assert_string_equal(read_problems(&result), cases[i].problems);
        assert_int_equal(result.workflow->scope.start->as.delay.delay_ms, cases[i].delay_ms);
        assert_int_equal(result.workflow->scope.start->as.delay.at_ms, cases[i].at_ms);
        read_done(&result);
        arena_done(&arena);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    static const char *const cases[] = {
        "'15 minutes'",
        "'15'",
        "''",
        "-1",
        "1.5",
        "1e300",
        "9223372036854775807",
        "'P'",
        "'PT'",
        "'PT5'",
        "'P5S'",
        "'2026-13-01'",
        "'2026-02-30T00:00:00Z'",
        "true",
        "[]",
        "{'minutes':5}",
        "'R3/PT1S'",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(&result, arena_printf(&arena, WORKFLOW("", DELAY_BY), cases[i]).p);
        assert_null(result.workflow);
        assert_int_equal(result.problems.count, 1);
        assert_true(str_equal(result.problems.problem[0].pointer, STR("/states/0/timeDelay")));
        read_done(&result);
        arena_done(&arena);
    }
}

#define RETRY(fields) FULL(OPERATION("'actions':[" ACTION(",'retry':[{" fields "}]") "]"))

static void retries_are_the_fewer_of_max_and_repeats(void **state)
{
    static const struct {
        const char *fields;
        bool unlimited;
        uint32_t count;
        int64_t interval_ms;
    } cases[] = {
        { "", false, 0, 0 },
        { ",'interval':'PT5S'", false, 0, 5000 },
        { ",'max':3", false, 3, 0 },
        { ",'max':'3'", false, 3, 0 },
        { ",'max':0,'interval':'R5/PT1S'", false, 0, 1000 },
        { ",'max':3,'interval':'R5/PT1S'", false, 3, 1000 },
        { ",'max':7,'interval':'R5/PT1S'", false, 5, 1000 },
        { ",'interval':'R5/PT15M'", false, 5, 900000 },
        { ",'interval':'R0/PT15M'", false, 0, 900000 },
        { ",'interval':'R/PT1S'", true, 0, 1000 },
        { ",'max':4,'interval':'R/PT1S'", false, 4, 1000 },
        { ",'max':4,'interval':10", false, 4, 10000 },
        { ",'max':2147483647", false, INT32_MAX, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(&result, arena_printf(&arena, RETRY("'condition':'true'%s"), cases[i].fields).p);
        if (!result.workflow) fail_msg("%s: %s", cases[i].fields, read_problems(&result));
        const struct retry *retry = result.workflow->scope.start->as.operation.actions.action[0].retry;
        assert_int_equal(retry->unlimited, cases[i].unlimited);
        assert_int_equal(retry->count, cases[i].count);
        assert_int_equal(retry->interval_ms, cases[i].interval_ms);
        assert_null(retry->exit.state);
        read_done(&result);
        arena_done(&arena);
    }
}

static void retries_that_make_no_sense_are_refused(void **state)
{
    static const struct read_case cases[] = {
        { RETRY(""), "E REQUIRED /states/0/actions/0/retry/0/condition" },
        { RETRY("'match':'x'"), "E REQUIRED /states/0/actions/0/retry/0/condition, W UNKNOWN_FIELD "
                                "/states/0/actions/0/retry/0/match" },
        { RETRY("'condition':'true','max':-1"), "E BAD_VALUE /states/0/actions/0/retry/0/max" },
        { RETRY("'condition':'true','max':1.5"), "E BAD_VALUE /states/0/actions/0/retry/0/max" },
        { RETRY("'condition':'true','max':'many'"), "E BAD_VALUE /states/0/actions/0/retry/0/max" },
        { RETRY("'condition':'true','max':'-0'"), "E BAD_VALUE /states/0/actions/0/retry/0/max" },
        { RETRY("'condition':'true','max':2147483648"), "E BAD_VALUE /states/0/actions/0/retry/0/max" },
        { RETRY("'condition':'true','interval':'R5'"),
          "E BAD_DURATION /states/0/actions/0/retry/0/interval" },
        { RETRY("'condition':'true','interval':'R-1/PT1S'"),
          "E BAD_DURATION /states/0/actions/0/retry/0/interval" },
        { RETRY("'condition':'true','interval':'R5/'"),
          "E BAD_DURATION /states/0/actions/0/retry/0/interval" },
        { RETRY("'condition':'true','interval':'R5/PT'"),
          "E BAD_DURATION /states/0/actions/0/retry/0/interval" },
        { FULL(OPERATION("'actions':[" ACTION(",'retry':{'condition':'true'},'timeout':'soon'") "]")),
          "E BAD_DURATION /states/0/actions/0/timeout, E WRONG_TYPE /states/0/actions/0/retry" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* ---- conditions ---- */

#define NEXT(condition) \
    FULL("{'name':'A','type':'RELAY','transition':{'nextState':'B','condition':" condition "}}")

static void conditions_are_strings_or_objects_in_a_known_language(void **state)
{
    static const struct read_case cases[] = {
        { NEXT("'$.a eq 1'"), "" },
        { NEXT("{'body':'$.a == 1'}"), "" },
        { NEXT("{'expressionLanguage':'SpEL','body':'#jsonPath(stateOutputData,`$..user.title`) eq "
               "`MANAGER`'}"),
          "" },
        { NEXT("{'expressionLanguage':'jexl','body':'a'}"), "" },
        { NEXT("{'expressionLanguage':'cel','body':'a'}"), "" },
        { NEXT("{'expressionLanguage':'JSONPath','body':'$.a'}"), "" },
        { NEXT("{'expressionLanguage':'default','body':'a'}"), "" },
        /* What is written in another language is not looked at. */
        { NEXT("{'expressionLanguage':'jq','body':'.a | ('}"),
          "E UNKNOWN_LANGUAGE /states/0/transition/condition/expressionLanguage" },
        { WORKFLOW(",'expressionLanguage':'groovy'", RELAY("A")), "E UNKNOWN_LANGUAGE /expressionLanguage" },
        { WORKFLOW(",'expressionLanguage':'jq','onError':[{'condition':'.a | (','transition':'A'},"
                   "{'condition':{'expressionLanguage':'cel','body':'('},'transition':'A'}]",
                   RELAY("A")),
          "E UNKNOWN_LANGUAGE /expressionLanguage, E BAD_CONDITION /onError/1/condition/body" },
        { NEXT("{'body':''}"), "E REQUIRED /states/0/transition/condition/body" },
        { NEXT("{}"), "E REQUIRED /states/0/transition/condition/body" },
        { NEXT("true"), "E WRONG_TYPE /states/0/transition/condition" },
        { NEXT("'$.a eq'"), "E BAD_CONDITION /states/0/transition/condition" },
        { NEXT("{'body':'(a'}"), "E BAD_CONDITION /states/0/transition/condition/body" },
        { NEXT("{'body':'$.a['}"), "E BAD_CONDITION /states/0/transition/condition/body" },
        { WORKFLOW(",'onError':[{}]", RELAY("A")),
          "E REQUIRED /onError/0/condition, E REQUIRED /onError/0/transition" },
        { WORKFLOW(
              ",'onError':[{'condition':'$.exception.name matches `^\\\\w+Exception$`','transition':'A'}]",
              RELAY("A")),
          "" },
        { WORKFLOW(",'onError':{}", RELAY("A")), "E WRONG_TYPE /onError" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void a_condition_says_where_it_is_wrong(void **state)
{
    struct read_result result;
    (void)state;
    read_workflow(&result, NEXT("'a eq )'"));
    str message = result.problems.problem[0].message;
    assert_true(str_find(message, STR("column 6 of \"a eq )\""), 0) != SIZE_MAX);
    assert_true(str_starts(message, STR("state \"A\": transition: condition: ")));
    read_done(&result);
}

#define WHEN(condition)                                                       \
    FULL("{'name':'A','type':'EVENT','eventActions':[{'condition':" condition \
         ",'actions':[],'transition':'B'}]}")
#define WITHIN(timeout)                                                                                   \
    FULL("{'name':'A','type':'EVENT','end':true,'eventActions':[{'condition':'e','actions':[],'timeout':" \
         "'" timeout "'}]}")

static void event_conditions_are_about_triggers(void **state)
{
    static const struct read_case cases[] = {
        { WHEN("'e'"), "" },
        { WHEN("'(e or f) and not f'"), "" },
        { WHEN("{'body':'name eq `e`'}"), "" },
        { WHEN("'type eq `t`'"), "" },
        { WHEN("'source eq `s`'"), "" },
        { WHEN("'type eq `zzz`'"), "E UNRESOLVED /states/0/eventActions/0/condition" },
        { WHEN("'e and'"), "E BAD_CONDITION /states/0/eventActions/0/condition" },
        { WHEN("'not e'"), "W BAD_CONDITION /states/0/eventActions/0/condition" },
        { WHEN("{'expressionLanguage':'x','body':'e e'}"),
          "E UNKNOWN_LANGUAGE /states/0/eventActions/0/condition/expressionLanguage" },
        { FULL("{'name':'A','type':'EVENT','eventActions':[{}]}"),
          "E REQUIRED /states/0/eventActions/0/condition, E REQUIRED /states/0/eventActions/0/actions, "
          "E REQUIRED /states/0/eventActions/0/transition" },
        { WITHIN("1h"), "E BAD_DURATION /states/0/eventActions/0/timeout" },
        { WITHIN("PT1H"), "W UNREACHABLE /states/1" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* ---- choices ---- */

#define SWITCH(choice) \
    FULL("{'name':'A','type':'SWITCH','choices':[{" choice ",'transition':'B'}],'default':'B'}")

static void choices_are_tests_alone_or_combined(void **state)
{
    static const struct read_case cases[] = {
        { SWITCH("'path':'$.a','operator':'Equals','value':'1'"), "" },
        { SWITCH("'path':'$.a','operator':'EQUALS','value':null"), "" },
        { SWITCH("'path':'$.a','operator':'lessthanequals','value':{'x':[1]}"), "" },
        { SWITCH("'path':'$.a','operator':'Exists'"), "" },
        { SWITCH("'path':'$.a','operator':'GreaterThan'"), "E REQUIRED /states/0/choices/0/value" },
        { SWITCH("'operator':'Equals','value':1"), "E REQUIRED /states/0/choices/0/path" },
        { SWITCH("'path':'$.a','value':1"), "E REQUIRED /states/0/choices/0/operator" },
        { SWITCH("'path':'$.a','operator':'NotEquals','value':1"),
          "E BAD_VALUE /states/0/choices/0/operator" },
        { SWITCH("'path':'$.a[','operator':'Equals','value':1"), "E BAD_PATH /states/0/choices/0/path" },
        { SWITCH("'and':[{'path':'$.a','operator':'Exists'},{'path':'$.b','operator':'Equals','value':2}]"),
          "" },
        { SWITCH("'or':[{'not':{'and':[{'path':'$.a','operator':'Exists'}]}}]"), "" },
        /* The draft's schema asks for these three: they take part, so they must be whole. */
        { SWITCH("'path':'$.b','operator':'Equals','value':2,'not':{'path':'$.a','operator':'Exists'}"), "" },
        { SWITCH("'path':null,'operator':null,'value':null,'not':{'path':'$.a','operator':'Exists'}"), "" },
        { SWITCH("'path':'','operator':'','value':'','not':{'path':'$.a','operator':'Exists'}"),
          "E REQUIRED /states/0/choices/0/path, E REQUIRED /states/0/choices/0/operator" },
        { SWITCH("'path':'$.b','and':[{'path':'$.a','operator':'Exists'}]"),
          "E REQUIRED /states/0/choices/0/operator" },
        { SWITCH("'value':1,'or':[{'path':'$.a','operator':'Exists'}]"),
          "E REQUIRED /states/0/choices/0/path, E REQUIRED /states/0/choices/0/operator" },
        { SWITCH("'path':'$.b','operator':'Equals','and':[{'path':'$.a','operator':'Exists'}]"),
          "E REQUIRED /states/0/choices/0/value" },
        { SWITCH("'and':[]"), "E REQUIRED /states/0/choices/0/and" },
        { SWITCH("'or':{}"), "E WRONG_TYPE /states/0/choices/0/or" },
        { SWITCH("'not':[]"), "E WRONG_TYPE /states/0/choices/0/not" },
        { SWITCH("'and':[1]"), "E WRONG_TYPE /states/0/choices/0/and/0" },
        { SWITCH("'and':[{'path':'$.a','operator':'Exists','transition':'B'}]"),
          "W UNKNOWN_FIELD /states/0/choices/0/and/0/transition" },
        { SWITCH("'and':[{'path':'$.a','operator':'Exists'}],'or':[{'path':'$.a','operator':'Exists'}]"),
          "E BAD_VALUE /states/0/choices/0/or" },
        { FULL("{'name':'A','type':'SWITCH','choices':[{'path':'$.a','operator':'Exists'},3]}"),
          "E REQUIRED /states/0/choices/0/transition, E WRONG_TYPE /states/0/choices/1, E REQUIRED "
          "/states/0/default" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void exists_can_ask_for_absence(void **state)
{
    static const struct {
        const char *value;
        bool wanted;
    } cases[] = {
        { "true", true }, { "false", false }, { "'false'", false },
        { "'no'", true }, { "null", true },   { "0", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(
            &result,
            arena_printf(&arena, SWITCH("'path':'$.a','operator':'exists','value':%s"), cases[i].value).p);
        const struct test *test = &result.workflow->scope.start->as.choose.choice[0].test;
        assert_int_equal(test->kind, TEST_EXISTS);
        assert_int_equal(test->wanted, cases[i].wanted);
        read_done(&result);
        arena_done(&arena);
    }
}

/* Earlier engines ignored a comparison beside a combination. */
static void a_stored_document_keeps_a_filler_beside_a_combination(void **state)
{
    (void)state;
    struct read_result result;
    read_workflow(&result, SWITCH("'path':'','operator':'','not':{'path':'$.a','operator':'Exists'}"));
    assert_null(result.workflow);
    const struct json *document;
    struct error err;
    str text = compile_unquote(&result.arena,
                               SWITCH("'path':'','operator':'','not':{'path':'$.a','operator':'Exists'}"));
    assert_int_equal(json_parse(text, NULL, &result.arena, &document, &err), ST_OK);
    problems_init(&result.problems, &result.arena);
    result.problems.stored_id = STR("w");
    result.workflow = serverless_read(document, &result.program, &result.problems);
    assert_non_null(result.workflow);
    assert_int_equal(result.workflow->scope.start->as.choose.choice[0].test.kind, TEST_NOT);
    read_done(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_compile_and_lead_to_one_place_where_something_is_written),
        cmocka_unit_test(parameters_hold_paths_at_any_depth),
        cmocka_unit_test(a_function_is_referred_to_in_several_spellings),
        cmocka_unit_test(a_delay_is_a_duration_or_a_time),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(retries_are_the_fewer_of_max_and_repeats),
        cmocka_unit_test(retries_that_make_no_sense_are_refused),
        cmocka_unit_test(conditions_are_strings_or_objects_in_a_known_language),
        cmocka_unit_test(a_condition_says_where_it_is_wrong),
        cmocka_unit_test(event_conditions_are_about_triggers),
        cmocka_unit_test(choices_are_tests_alone_or_combined),
        cmocka_unit_test(a_stored_document_keeps_a_filler_beside_a_combination),
        cmocka_unit_test(exists_can_ask_for_absence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
