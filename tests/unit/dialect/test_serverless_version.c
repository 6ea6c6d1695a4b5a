#include "dialect/workflow.h"

#include "base/limits.h"
#include "dialect/dialect.h"

static void later_and_earlier_versions_are_refused_by_name(void **state)
{
    const struct {
        const char *document, *pointer, *message, *hint;
    } cases[] = {
        { document("dialect/serverless_version", "version 1.0"), "/document/dsl",
          "of version 1.0 (document.dsl \"1.0.0\")", "do is here `states`" },
        { "{'document':{'dsl':'1.0.0-alpha5'},'do':[]}", "/document/dsl", "1.0.0-alpha5", "do is here" },
        { document("dialect/serverless_version", "version 0.8"), "/specVersion",
          "of version 0.8 (specVersion \"0.8\")", "sleep is here a DELAY state" },
        { "{'specVersion':'0.8.0','states':[]}", "/specVersion", "version 0.8", "startsAt" },
        { "{'specVersion':0.9,'states':[]}", "/specVersion", "version 0.9", "" },
        { "{'specVersion':'0.7','states':[]}", "/specVersion", "version 0.7", "" },
        { "{'specVersion':'0.77','states':[]}", "/specVersion",
          "a version we do not know (specVersion \"0.77\")", "" },
        { "{'specVersion':[],'states':[]}", "/specVersion", "a version we do not know", "" },
        { "{'schemaVersion':'0.5','states':[{'name':'A','type':'inject','end':true}]}", "/schemaVersion",
          "version 0.5", "inject is here a RELAY state" },
        { "{'schemaVersion':'0.3','states':[]}", "/schemaVersion", "schemaVersion \"0.3\"", "" },
        { "{'starts-at':'A','states':[{'name':'A'}]}", "/starts-at", "the draft of 2019",
          "starts-at is here `startsAt`" },
        { "{'states':[{'name':'A','events':[{'event-expression':'x'}]}]}",
          "/states/0/events/0/event-expression", "the draft of 2019",
          "event-expression is here `condition`" },
        { "{'name':'x','states':[{'name':'A','type':'EVENT','eventsActions':[]}]}", "/states/0/eventsActions",
          "version 0.1", "eventsActions is here `eventActions`" },
        { "{'name':'x','states':[{'name':'A','start':{'kind':'DEFAULT'}}]}", "/states/0/start", "version 0.1",
          "" },
        { "{'name':'x','states':[{'name':'A','stateDataFilter':{'dataInputPath':'$.a'}}]}",
          "/states/0/stateDataFilter", "version 0.1", "stateDataFilter is here `filter`" },
        { "{'name':'x','states':[{'name':'A','start':{'kind':'default'}}]}", "/states/0/start", "version 0.5",
          "" },
        { "{'name':'x','states':[{'name':'A','stateDataFilter':{'dataInputPath':'{{ $.a }}'}}]}",
          "/states/0/stateDataFilter/dataInputPath", "version 0.5", "" },
        { "{'name':'x','start':'A','states':[{'name':'A','type':'delay','timeDelay':'${ .d }'}]}", "/start",
          "version 0.6", "start is here `startsAt`" },
        { "{'name':'x','start':'A','states':[{'name':'A','type':'operation'}]}", "/start", "version 0.6",
          "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct read_result result;
        read_workflow(&result, cases[i].document);
        assert_null(result.workflow);
        assert_int_equal(result.problems.count, 1);
        const struct problem *problem = &result.problems.problem[0];
        str message = compile_unquote(&result.arena, cases[i].message);
        if (problem->code != PROBLEM_UNSUPPORTED_VERSION ||
            !str_equal(problem->pointer, str_of(cases[i].pointer)) ||
            str_find(problem->message, str_of(cases[i].message), 0) == SIZE_MAX ||
            str_find(problem->hint, str_of(cases[i].hint), 0) == SIZE_MAX)
            fail_msg("%s\nwant %.*s\ngot  %.*s: %.*s (%.*s)", cases[i].document, STR_ARG(message),
                     STR_ARG(problem->pointer), STR_ARG(problem->message), STR_ARG(problem->hint));
        read_done(&result);
    }
}

static void mixtures_name_both_versions(void **state)
{
    static const struct {
        const char *document, *one, *other;
    } cases[] = {
        { WORKFLOW(",'specVersion':'0.8'", RELAY("A")), "January 2020", "0.8" },
        { WORKFLOW(",'schemaVersion':'0.1'", RELAY("A")), "January 2020", "0.1" },
        { WORKFLOW(",'document':{'dsl':'1.0.0'}", RELAY("A")), "January 2020", "1.0" },
        { WORKFLOW(",'starts-at':'A'", RELAY("A")), "January 2020", "draft of 2019" },
        { WORKFLOW("", "{'name':'A','type':'EVENT','eventsActions':[],'end':true}"), "January 2020", "0.1" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'filter':{'inputPath':'{{ $.x }}'}}"),
          "January 2020", "0.5" },
        { "{'specVersion':'0.8','document':{'dsl':'1.0.0'},'states':[]}", "0.8", "1.0" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct read_result result;
        read_workflow(&result, cases[i].document);
        assert_null(result.workflow);
        const struct problem *problem = &result.problems.problem[0];
        if (result.problems.count != 1 || problem->code != PROBLEM_UNSUPPORTED_VERSION ||
            str_find(problem->message, str_of(cases[i].one), 0) == SIZE_MAX ||
            str_find(problem->message, str_of(cases[i].other), 0) == SIZE_MAX)
            fail_msg("%s: %.*s", cases[i].document, STR_ARG(problem->message));
        read_done(&result);
    }
}

static void an_authors_data_says_nothing_about_the_version(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(",'schemaVersion':'january','description':'{{ $.x "
                   "}}','extensions':[{'extensionid':'x','starts-at':1}]",
                   "{'name':'A','type':'RELAY','end':true,'inject':{'specVersion':'0.8','starts-at':'x','t':'"
                   "{{ $.x }}'}}"),
          "W TEMPLATE_TEXT /states/0/inject/t" },
        { FULL(OPERATION("'actions':[{'functionref':{'refname':'f','parameters':{'t':'{{ $.x }} ${x}',"
                         "'eventsActions':[]}}}]")),
          "W TEMPLATE_TEXT /states/0/actions/0/functionref/parameters/t" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void documents_are_recognised(void **state)
{
    static const struct {
        const char *document;
        const char *dialect;
    } cases[] = {
        { "{'states':[]}", "serverless" },
        { "{'startsAt':'x'}", "serverless" },
        { "{'starts-at':'x'}", "serverless" },
        { "{'specVersion':'0.8'}", "serverless" },
        { "{'document':{'dsl':'1.0.0'},'do':[]}", "serverless" },
        { "{'steps':[],'states':[],'startsAt':'x'}", "steps" },
        { "{'states':{}}", "steps" },
        { "{'document':{}}", "steps" },
        { "{}", "steps" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        const struct json *document;
        assert_int_equal(
            json_parse(compile_unquote(&arena, cases[i].document), NULL, &arena, &document, NULL), ST_OK);
        assert_true(str_equal(dialect_of(document)->name, str_of(cases[i].dialect)));
        arena_done(&arena);
    }
}

/* The author's version is part of what makes two documents different, unlike a version of ours. */
static void a_new_version_text_is_a_new_definition(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        { WORKFLOW(",'version':'1.0'", RELAY("A")), WORKFLOW(",'version':'1.1'", RELAY("A")), false },
        { WORKFLOW(",'version':'1.0'", RELAY("A")), WORKFLOW(",'version':'1.0'", RELAY("A")), true },
        { "{'version':1,'steps':[]}", "{'version':2,'steps':[]}", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct buf out[2];
        for (size_t k = 0; k < 2; k++) {
            const struct json *document;
            str text = compile_unquote(&arena, k ? cases[i].b : cases[i].a);
            assert_int_equal(json_parse(text, NULL, &arena, &document, NULL), ST_OK);
            buf_init(&out[k], &arena);
            dialect_print_content(document, &arena, &out[k]);
        }
        assert_int_equal(str_equal(buf_str(&out[0]), buf_str(&out[1])), cases[i].same);
        arena_done(&arena);
    }
}

static int64_t rank_of(const char *version)
{
    struct arena arena;
    struct read_result result;
    arena_init(&arena, 0);
    read_workflow(&result, arena_printf(&arena, WORKFLOW(",'version':%s", RELAY("A")), version).p);
    assert_non_null(result.workflow);
    int64_t rank = result.workflow->rank;
    read_done(&result);
    arena_done(&arena);
    return rank;
}

/* Each is higher than the one before, or (=) as high. */
static const char *const versions[] = {
    "'0-x'",
    "'0'",
    "='0.0.0.0'",
    "='draft'",
    "='v7'",
    "'0.0.0.1'",
    "'.5'",
    "='0.5'",
    "'0.9'",
    "'1-beta'",
    "='1.0-1'",
    "'1'",
    "='1.0'",
    "='1.0.0.0'",
    "=1.0",
    "='01.00'",
    "='1.'",
    "='1..2'",
    "='1.x'",
    "='1.0+7'",
    "='1.0 final'",
    "='1.0.0.0.9'",
    "'1.0.0.20250131'",
    "'1.0.1-rc.2'",
    "'1.0.1'",
    "'1.0.2'",
    "'1.1'",
    "=1.1",
    "'1.2'",
    "'1.9'",
    "'1.9.1023.1023'",
    "'1.10'",
    "'1.99'",
    "'1.20250131'",
    "'2.0'",
    "=2",
    "'2.0.1'",
    "'9.9.9'",
    "'10'",
    "'31.31.31.20250131-x'",
    "'31.31.31.20250131'",
    "'31.31.31.20250132'",
    "'1023.1023.1023.1022'",
    "'1023.1023.1023.1023-x'",
    "'1023.1023.1023.1023'",
    "'2025.01.31'",
    "'2025.2.1'",
    "'20250131'",
    "'20250131.1'",
    "'202501311530'",
    "'202501311531'",
    /* Numbers that are too large together, or alone: the rest does not count. */
    "'1099511627776.1099511627776'",
    "='1099511627776.1099511627777.1-x'",
    "'9223372036854775807'",
    "='9223372036854775808'",
    "='99999999999999999999999.9'",
};

static void versions_are_ranked_by_their_numbers(void **state)
{
    (void)state;
    int64_t before = -1;
    for (size_t i = 0; i < COUNT(versions); i++) {
        bool equal = versions[i][0] == '=';
        int64_t rank = rank_of(versions[i] + equal);
        if (equal ? rank != before : rank <= before) fail_msg("%s after %s", versions[i], versions[i - 1]);
        before = rank;
    }
    struct read_result result;
    read_workflow(&result, WORKFLOW("", RELAY("A")));
    assert_true(result.workflow->rank == rank_of("'1.0'"));
    read_done(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_and_earlier_versions_are_refused_by_name),
        cmocka_unit_test(mixtures_name_both_versions),
        cmocka_unit_test(an_authors_data_says_nothing_about_the_version),
        cmocka_unit_test(documents_are_recognised),
        cmocka_unit_test(a_new_version_text_is_a_new_definition),
        cmocka_unit_test(versions_are_ranked_by_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
