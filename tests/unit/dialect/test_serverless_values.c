/* Data that states compute, seen in the expressions of the nodes they became. */
#include "dialect/compile.h"

#include "base/limits.h"

#include <stdio.h>

static const struct json *value_of(const char *text, struct arena *arena)
{
    const struct json *value = NULL;
    struct error err = { 0 };
    if (json_parse(compile_unquote(arena, text), NULL, arena, &value, &err) != ST_OK)
        fail_msg("%s: %s", text, err.message);
    return value;
}

/* A workflow with the state A, handlers of its own, and the state B that all transitions name. */
#define WORKFLOW(state, handlers)                                                          \
    "{'id':'w','name':'w','startsAt':'A','functions':[{'name':'f','resource':'local:f'}]," \
    "'triggers':[{'name':'e','source':'/s','type':'t'}],'onError':[" handlers "],"         \
    "'states':[{'name':'A'," state "},{'name':'B','type':'RELAY','end':true}]}"

struct evaluation {
    const struct expr *expr;
    const char *data;
    struct expr_local local[4];
    size_t local_count;
};

static void add_local(struct evaluation *evaluation, const char *name, const char *text, struct arena *arena)
{
    if (!text) return;
    evaluation->local[evaluation->local_count++] = (struct expr_local){ str_of(name), value_of(text, arena) };
}

/* The value as JSON text, or "! " and the message. */
static const char *evaluate(const struct evaluation *evaluation, struct arena *arena)
{
    const struct expr_env env = {
        .data = value_of(evaluation->data, arena),
        .local = evaluation->local,
        .local_count = evaluation->local_count,
    };
    int64_t fuel = 100000;
    const struct json *value = NULL;
    struct error err = { 0 };
    struct buf out;
    buf_init(&out, arena);
    if (expr_eval(evaluation->expr, &env, &fuel, arena, &value, &err) == ST_OK) json_print(value, &out);
    else buf_printf(&out, "! %s", err.where);
    buf_add_char(&out, '\0');
    return out.p;
}

static void assert_value(const struct evaluation *evaluation, const char *want, struct arena *arena)
{
    assert_string_equal(evaluate(evaluation, arena), compile_unquote(arena, want).p);
}

static const struct program_node *node_of(const struct compiled *compiled, const char *name)
{
    if (!compiled->program) fail_msg("%.*s", STR_ARG(compiled->problems.problem[0].message));
    uint32_t index = program_find(compiled->program, str_of(name));
    if (index == NODE_NONE) fail_msg("no node %s", name);
    return &compiled->program->node[index];
}

/* ---- one action ---- */

#define ACTION(filter, mode, state_filter)                                                           \
    WORKFLOW("'type':'OPERATION','actionMode':'" mode "','actions':[{'functionref':{'refname':'f'}," \
             "'filter':{" filter "}}],'filter':{" state_filter "},'end':true",                       \
             "")

static void one_action_makes_of_the_data_what_the_filters_say(void **state)
{
    static const struct {
        const char *document, *data, *result, *want;
    } cases[] = {
        { ACTION("", "SEQUENTIAL", ""), "{'a':{'x':1}}", "{'a':{'y':2}}", "{'a':{'x':1,'y':2}}" },
        { ACTION("", "SEQUENTIAL", ""), "{'a':1}", "[7]", "[7]" },
        { ACTION("", "SEQUENTIAL", ""), "{'a':1}", "null", "null" },
        { ACTION("'resultPath':'$.r'", "SEQUENTIAL", ""), "{'a':1}", "7", "{'a':1,'r':7}" },
        { ACTION("'outputPath':'$.b'", "SEQUENTIAL", ""), "{'a':1}", "{'b':{'c':2}}", "{'a':1,'c':2}" },
        /* Nothing there: unfiltered. */
        { ACTION("'outputPath':'$.none'", "SEQUENTIAL", ""), "{'a':1}", "{'b':2}", "{'a':1,'b':2}" },
        { ACTION("", "SEQUENTIAL", "'resultPath':'$.r.s'"), "{'a':1}", "7", "{'a':1,'r':{'s':7}}" },
        { ACTION("", "SEQUENTIAL", "'resultPath':'$'"), "{'a':1}", "7", "7" },
        { ACTION("", "SEQUENTIAL", "'resultPath':'$.a.b'"), "{'a':1}", "7", "! filter" },
        { ACTION("", "SEQUENTIAL", "'inputPath':'$.in','outputPath':'$.out'"), "{'in':{'x':1}}", "{'out':5}",
          "5" },
        { ACTION("", "SEQUENTIAL", "'outputPath':'$.l[*]'"), "{'l':[1]}", "{}", "[1]" },
        { ACTION("", "PARALLEL", ""), "{'a':1}", "{'b':2}", "{'a':1,'b':2}" },
        { ACTION("", "PARALLEL", ""), "{'a':1}", "[7]", "! filter" },
        { ACTION("", "PARALLEL", "'resultPath':'$.r'"), "{'a':1}", "7", "{'a':1,'r':[7]}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        const struct program_node *node = node_of(&compiled, "A");
        assert_int_equal(node->kind, NODE_TASK);
        assert_int_equal(node->output_count, 1);
        struct evaluation evaluation = { .expr = node->output[0].expr, .data = cases[i].data };
        add_local(&evaluation, "result", cases[i].result, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

static void parameters_are_paths_at_any_depth(void **state)
{
    static const struct {
        const char *parameters, *want;
    } cases[] = {
        { "{}", "{}" },
        { "{'a':'$.n','b':'$','c':'$.none','d':'x','e':'$$.n','f':'$5'}",
          "{'a':7,'b':{'n':7,'l':[1,2]},'c':null,'d':'x','e':'$.n','f':'$5'}" },
        { "{'a':{'b':[1,'$.l[1]',{'c':'$.l[*]'}]}}", "{'a':{'b':[1,2,{'c':[1,2]}]}}" },
        { "{'a':'$.'}", "{'a':{'n':7,'l':[1,2]}}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char document[1024];
        snprintf(document, sizeof document,
                 WORKFLOW("'type':'OPERATION','actions':[{'functionref':{'refname':'f','parameters':%s},"
                          "'filter':{'inputPath':'$.in'}}],'end':true",
                          ""),
                 cases[i].parameters);
        struct compiled compiled;
        compile(&compiled, document);
        struct evaluation evaluation = {
            .expr = node_of(&compiled, "A")->as.task.input,
            .data = "{'in':{'n':7,'l':[1,2]}}",
        };
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

/* ---- errors ---- */

#define ERROR "{'name':'X','message':'boom'}"

static void handlers_put_the_error_into_the_states_own_data(void **state)
{
    static const struct {
        const char *filter, *data, *want;
    } cases[] = {
        { "", "{'in':{'a':1}}", "{'a':1,'exception':" ERROR "}" },
        { "'inputPath':'$.message'", "{'in':{'a':1}}", "{'a':1,'exception':'boom'}" },
        { "'inputPath':'$.name','resultPath':'$.why'", "{'in':{'a':1}}", "{'a':1,'why':'X'}" },
        { "'outputPath':'$.exception.name'", "{'in':{'a':1}}", "'X'" },
        { "'outputPath':'$.none'", "{'in':{'a':1}}", "{'a':1,'exception':" ERROR "}" },
        { "'resultPath':'$'", "{'in':{'a':1}}", ERROR },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char document[1024];
        snprintf(document, sizeof document,
                 WORKFLOW("'type':'OPERATION','actions':[{'functionref':{'refname':'f'}}],"
                          "'filter':{'inputPath':'$.in','resultPath':'$.r','outputPath':'$.r'},'end':true,"
                          "'onError':[{'condition':'true','filter':{%s},'transition':'B'}]",
                          ""),
                 cases[i].filter);
        struct compiled compiled;
        compile(&compiled, document);
        const struct program_node *node = node_of(&compiled, "A");
        assert_int_equal(node->handler_count, 1);
        struct evaluation evaluation = { .expr = node->handler[0].data, .data = cases[i].data };
        add_local(&evaluation, "error", ERROR, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

static void handlers_see_the_error_by_all_its_names(void **state)
{
    static const struct {
        const char *condition, *want;
    } cases[] = {
        { "name eq `X`", "true" },
        { "message eq `boom`", "true" },
        { "$.exception.name is `X`", "true" },
        { "$.error.message matches `oo`", "true" },
        { "exception.name eq error.name", "true" },
        { "$.a eq 1 and a eq 1", "true" },
        /* What an earlier error left behind is gone. */
        { "$.exception.data eq null", "true" },
        { "$.exception.name eq `Y`", "false" },
        { "$.name eq `X`", "false" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char document[1024];
        snprintf(
            document, sizeof document,
            WORKFLOW("'type':'DELAY','timeDelay':'PT1S','end':true", "{'condition':'%s','transition':'B'}"),
            cases[i].condition);
        struct compiled compiled;
        compile(&compiled, document);
        const struct program_node *node = node_of(&compiled, "A");
        assert_int_equal(node->handler_count, 1);
        struct evaluation evaluation = {
            .expr = node->handler[0].when,
            .data = "{'a':1,'exception':{'name':'Y','data':5}}",
        };
        add_local(&evaluation, "error", ERROR, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

static void own_handlers_come_before_the_workflows_and_branches_have_none_of_those(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            WORKFLOW("'type':'PARALLEL','end':true,'onError':[{'condition':'name eq `X`','transition':'B'}],"
                     "'branches':[{'name':'b','startsAt':'x','states':[{'name':'x','type':'DELAY',"
                     "'timeDelay':'PT1S','end':true}]}]",
                     "{'condition':'true','transition':'B'}"));
    assert_int_equal(node_of(&compiled, "A")->handler_count, 2);
    assert_non_null(strstr(expr_text(node_of(&compiled, "A")->handler[0].when).p, "'X'"));
    assert_int_equal(node_of(&compiled, "A/b/x")->handler_count, 0);
    assert_int_equal(node_of(&compiled, "B")->handler_count, 1);
    compiled_done(&compiled);
}

/* ---- retries ---- */

#define RETRY(condition, more, state)                                                                    \
    WORKFLOW(                                                                                            \
        "'type':'OPERATION','actions':[{'functionref':{'refname':'f'},'retry':[{'condition':'" condition \
        "'" more "}]}]," state "'end':true",                                                             \
        "")

static void retry_conditions_see_the_result_or_the_error(void **state)
{
    static const struct {
        const char *document, *result, *error, *want;
    } cases[] = {
        { RETRY("$.status eq `PENDING`", "", ""), "{'status':'PENDING'}", "null", "true" },
        { RETRY("$.status eq `PENDING`", "", ""), "null", ERROR, "false" },
        { RETRY("$.exception != null", "", ""), "{}", "null", "false" },
        { RETRY("$.exception != null", "", ""), "null", ERROR, "true" },
        { RETRY("$.error.name eq `X`", "", ""), "null", ERROR, "true" },
        { RETRY("$ eq null", "", ""), "null", "null", "true" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        const struct program_node *node = node_of(&compiled, "A");
        assert_int_equal(node->as.task.retry_count, 1);
        assert_int_equal(node->as.task.retry[0].exit.target, NODE_NONE);
        struct evaluation evaluation = { .expr = node->as.task.retry[0].when, .data = "{}" };
        add_local(&evaluation, "result", cases[i].result, &compiled.arena);
        add_local(&evaluation, "error", cases[i].error, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

static void used_up_retries_leave_with_the_error_or_the_usual_output(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            RETRY("true", ",'max':1,'transition':'B'", "'filter':{'inputPath':'$.in','outputPath':'$.r'},"));
    const struct program_retry *rule = &node_of(&compiled, "A")->as.task.retry[0];
    assert_int_equal(rule->exit_levels, 0);
    struct evaluation evaluation = { .expr = rule->exit_error, .data = "{'in':{'a':1}}" };
    add_local(&evaluation, "result", "{'r':7}", &compiled.arena);
    add_local(&evaluation, "error", ERROR, &compiled.arena);
    assert_value(&evaluation, "{'a':1,'exception':" ERROR "}", &compiled.arena);
    evaluation.expr = rule->exit_result;
    assert_value(&evaluation, "7", &compiled.arena);
    compiled_done(&compiled);
}

/* ---- loops ---- */

static void completion_conditions_see_the_round_just_done(void **state)
{
    static const struct {
        const char *condition, *want;
    } cases[] = {
        { "index == 1", "true" },
        { "element eq `b` and result eq 20", "true" },
        { "$.element eq `b` and $.index eq 1 and $.result eq 20", "true" },
        { "$.out[1].r eq 20", "true" }, /* This round's value counts as collected. */
        { "$.out[2] != null", "false" },
        { "$.in[0] eq `a`", "true" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char document[1024];
        snprintf(document, sizeof document,
                 WORKFLOW("'type':'OPERATION','actions':[{'functionref':{'refname':'f'}}],'end':true,"
                          "'filter':{'resultPath':'$.r'},'loop':{'inputCollection':'$.in',"
                          "'outputCollection':'$.out','completionCondition':'%s'}",
                          ""),
                 cases[i].condition);
        struct compiled compiled;
        compile(&compiled, document);
        const struct program_node *node = node_of(&compiled, "A/collect");
        struct evaluation evaluation = {
            .expr = node->edge[0].when,
            .data =
                "{'S':{'in':['a','b'],'result':'mine'},'items':['a','b'],'index':1,'E':'b','out':[{'r':10}],"
                "'R':{'r':20},'result':20}",
        };
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

static void what_was_collected_becomes_part_of_the_states_data(void **state)
{
    static const struct {
        const char *frame, *want;
    } cases[] = {
        { "{'S':{'in':[]},'out':[]}", "{'in':[],'out':[]}" },
        { "{'S':{'in':[1],'out':[0]},'out':[1]}", "{'in':[1],'out':[0,1]}" },
        { "{'S':{'in':[1],'out':5},'out':[1]}", "! filter" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, WORKFLOW("'type':'OPERATION','actions':[],'end':true,"
                                    "'loop':{'inputCollection':'$.in','outputCollection':'$.out'}",
                                    ""));
        struct evaluation evaluation = { .expr = node_of(&compiled, "A")->output[0].expr, .data = "{}" };
        add_local(&evaluation, "frame", cases[i].frame, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

/* ---- branches ---- */

#define BRANCHES(filter, branches) \
    WORKFLOW("'type':'PARALLEL','filter':{" filter "},'end':true,'branches':[" branches "]", "")
#define BRANCH(name) "{'name':'" name "','startsAt':'x','states':[{'name':'x','type':'RELAY','end':true}]}"

static void branches_are_merged_or_placed_by_name(void **state)
{
    static const struct {
        const char *document, *outputs, *frame, *want;
    } cases[] = {
        { BRANCHES("", BRANCH("a") "," BRANCH("b")), "{'a':{'s':1,'x':2},'b':{'s':0,'y':3}}", NULL,
          "{'s':1,'x':2,'y':3}" }, /* b left s as it was. */
        { BRANCHES("", BRANCH("a") "," BRANCH("b")), "{'b':7}", NULL, "{'s':0,'b':7}" },
        { BRANCHES("'resultPath':'$.r'", BRANCH("a") "," BRANCH("b")), "{'a':1,'b':[2]}", NULL,
          "{'s':0,'r':{'a':1,'b':[2]}}" },
        { BRANCHES("", BRANCH("a")), NULL, "{'x':1}", "{'s':0,'x':1}" },
        { BRANCHES("'resultPath':'$.r'", BRANCH("a")), NULL, "5", "{'s':0,'r':{'a':5}}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        struct evaluation evaluation = { .expr = node_of(&compiled, "A")->output[0].expr, .data = "{'s':0}" };
        add_local(&evaluation, "outputs", cases[i].outputs, &compiled.arena);
        add_local(&evaluation, "frame", cases[i].frame, &compiled.arena);
        assert_value(&evaluation, cases[i].want, &compiled.arena);
        compiled_done(&compiled);
    }
}

/* ---- names ---- */

static void long_names_of_nested_branches_are_cut_and_stay_unique(void **state)
{
    (void)state;
    struct compiled compiled;
    struct arena arena;
    arena_init(&arena, 0);
    char name[NODE_NAME_BYTES_MAX - 8];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    str document =
        arena_printf(&arena,
                     "{'name':'w','startsAt':'%s','states':[{'name':'%s','type':'PARALLEL','end':true,'"
                     "branches':[{'name':'branch',"
                     "'startsAt':'first','states':[{'name':'first','type':'RELAY','transition':'second'},"
                     "{'name':'second','type':'RELAY','end':true}]}]}]}",
                     name, name);
    compile(&compiled, document.p);
    assert_int_equal(compiled.program->node_count, 4);
    for (uint32_t i = 0; i < compiled.program->node_count; i++) {
        assert_true(compiled.program->node[i].name.n <= NODE_NAME_BYTES_MAX);
        assert_int_equal(program_find(compiled.program, compiled.program->node[i].name), i);
    }
    compiled_done(&compiled);
    arena_done(&arena);
}

/* ---- limits ---- */

static void parameters_are_limited_unless_they_are_constant(void **state)
{
    /* The object itself and its two members count, too. */
    static const struct {
        size_t paths, constants;
        const char *codes;
    } cases[] = {
        { 1996, 5000, "" },
        { 1997, 0, "" },
        { 1998, 0, "E TOO_LARGE" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct buf out;
        buf_init(&out, &arena);
        buf_add_str(&out, STR("{'name':'w','startsAt':'A','functions':[{'name':'f'}],'states':[{'name':'A',"
                              "'type':'OPERATION','end':true,'actions':[{'functionref':{'refname':'f',"
                              "'parameters':{'p':['$'"));
        for (size_t k = 1; k < cases[i].paths; k++) buf_add_str(&out, STR(",'$'"));
        buf_add_str(&out, STR("],'c':[0"));
        for (size_t k = 1; k < cases[i].constants; k++) buf_add_str(&out, STR(",0"));
        buf_add_str(&out, STR("]}}}]}]}"));
        buf_add_char(&out, '\0');
        struct compiled compiled;
        compile(&compiled, out.p);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        compiled_done(&compiled);
        arena_done(&arena);
    }
}

/* A small document can be made to become a large program: handlers of the workflow are repeated
 * for states that look at their data in ways of their own. */
static void a_program_that_grows_beyond_all_measure_is_refused(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct buf out;
    buf_init(&out, &arena);
    buf_add_str(&out, STR("{'name':'w','startsAt':'s0','onError':["));
    for (int i = 0; i < 200; i++)
        buf_printf(&out, "%s{'condition':'name eq `X%d`','transition':'s0'}", i ? "," : "", i);
    buf_add_str(&out, STR("],'states':["));
    for (int i = 0; i < 500; i++)
        buf_printf(&out, "{'name':'s%d','type':'RELAY','filter':{'inputPath':'$.x'},'transition':'s%d'},", i,
                   i + 1);
    buf_add_str(&out, STR("{'name':'s500','type':'RELAY','end':true}]}"));
    buf_add_char(&out, '\0');
    struct compiled compiled;
    compile(&compiled, out.p);
    assert_string_equal(compiled_codes(&compiled), "E TOO_LARGE");
    compiled_done(&compiled);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_action_makes_of_the_data_what_the_filters_say),
        cmocka_unit_test(parameters_are_paths_at_any_depth),
        cmocka_unit_test(handlers_put_the_error_into_the_states_own_data),
        cmocka_unit_test(handlers_see_the_error_by_all_its_names),
        cmocka_unit_test(own_handlers_come_before_the_workflows_and_branches_have_none_of_those),
        cmocka_unit_test(retry_conditions_see_the_result_or_the_error),
        cmocka_unit_test(used_up_retries_leave_with_the_error_or_the_usual_output),
        cmocka_unit_test(completion_conditions_see_the_round_just_done),
        cmocka_unit_test(what_was_collected_becomes_part_of_the_states_data),
        cmocka_unit_test(branches_are_merged_or_placed_by_name),
        cmocka_unit_test(long_names_of_nested_branches_are_cut_and_stay_unique),
        cmocka_unit_test(parameters_are_limited_unless_they_are_constant),
        cmocka_unit_test(a_program_that_grows_beyond_all_measure_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
