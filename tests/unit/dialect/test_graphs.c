/* The graph checks of program/, met through documents: each with one that passes and one
 * that does not. */
#include "dialect/compile.h"

#define DECISION(id, branches) \
    "{'id':'" id "','name':'N','type':'DECISION','conditionalNextSteps':{" branches "}}"
#define FORK(id, heads, join)                                                                               \
    "{'id':'" id "','name':'N','type':'PARALLEL_GATEWAY','parallelNextSteps':[" heads "],'joinStep':'" join \
    "'}"
#define JOIN(id, next) "{'id':'" id "','name':'N','type':'JOIN_GATEWAY','nextStep':'" next "'}"
#define SET(id, next)                                                                                        \
    "{'id':'" id "','name':'N','type':'TRANSFORMATION','transformations':{'x':'${x + 1}'},'nextStep':'" next \
    "'}"
#define TASK(id, next) SERVICE(id, ",'nextStep':'" next "'")
#define USER(id, next, timer)                                             \
    "{'id':'" id "','name':'N','type':'USER_TASK','nextStep':'" next "'," \
    "'boundaryEvents':[{'type':'TIMER','duration':'PT1H','targetStepId':'" timer "'}]}"
#define TABLE(id, policy, rules)                                                                 \
    "{'id':'" id "','name':'N','type':'DECISION_TABLE','hitPolicy':'" policy "','nextStep':'e'," \
    "'decisionTable':{'rules':[" rules "]}}"

struct graph_case {
    const char *document;
    const char *codes;
    const char *message; /* The first one, with ' for "; NULL: whatever. */
};

static void expect(const struct graph_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        if (strcmp(compiled_codes(&compiled), cases[i].codes) != 0)
            fail_msg("%s\nwant %s\ngot  %s\n%s", cases[i].document, cases[i].codes, compiled_codes(&compiled),
                     compiled_refusal(&compiled));
        if (cases[i].message)
            assert_string_equal(compiled.problems.problem[0].message.p,
                                compile_unquote(&compiled.arena, cases[i].message).p);
        compiled_done(&compiled);
    }
}

#define CHAINS(chains, ends)                                                                          \
    "{'id':'d','name':'D','autoStartNextWorkflow':" chains                                            \
    ",'nextWorkflowId':'n','input_schema':{'properties':{'x':{'type':'number'}}},'steps':[" DECISION( \
        "a", "'x > 1':'e','x < 1':'f'") "," ends "]}"
#define END_THAT(id, more) "{'id':'" id "','name':'E','type':'END'" more "}"

static void ends_of_a_chain_say_whether_they_chain(void **state)
{
    static const struct graph_case cases[] = {
        { CHAINS("true", END_THAT("e", "") "," END_THAT("f", "")), "W CHAIN_UNSAID",
          "each of the 2 ENDs starts 'n', also one that means failure" },
        { CHAINS("true", END_THAT("e", "") "," END_THAT("f", ",'chain':false")), "", NULL },
        { CHAINS("true", END_THAT("e", ",'chain':true") "," END_THAT("f", "")), "", NULL },
        { CHAINS("true", END_THAT("e", "") "," END_THAT("f", ",'ends':'branch'")), "", NULL },
        { CHAINS("false", END_THAT("e", "") "," END_THAT("f", "")), "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void errors_refuse_the_document(void **state)
{
    static const struct graph_case cases[] = {
        { STEPS(TASK("a", "e") "," TASK("b", "e")), "E UNREACHABLE",
          "step 'b' is unreachable from the first step" },
        { STEPS(USER("a", "e", "b") "," TASK("b", "e")), "W SIDE_BRANCH_END", NULL },
        { STEPS(USER("a", "e", "b") "," TASK("b", "x") ",{'id':'x','name':'X','type':'END','ends':'branch'}"),
          "", NULL },
        { "{'id':'d','name':'D','steps':[" TASK("a", "a") "]}", "E NO_END",
          "no END step is reachable from the first step" },
        { STEPS(TASK("a", "j") "," JOIN("j", "e")), "E JOIN_ORPHAN",
          "step 'j' (JOIN_GATEWAY): no fork`s branches lead to this join" },
        { STEPS(FORK("f", "'a','b'", "j") "," TASK("a", "j") "," TASK("b", "j") "," JOIN("j", "e")), "",
          NULL },
        { STEPS(FORK("f", "'a','b'", "j") "," TASK("a", "j") "," FORK("b", "'c','d'", "k") "," TASK(
              "c", "k") "," TASK("d", "k") "," JOIN("k", "j") "," JOIN("j", "e")),
          "", NULL },
        { STEPS(FORK("f", "'a','b'", "j") "," TASK("a", "k") "," TASK("b", "j") "," JOIN("j", "g") "," FORK(
              "g",
              "'c',"
              "'d'",
              "k") "," TASK("c", "k") "," TASK("d", "k") "," JOIN("k", "e")),
          "E JOIN_MISMATCH",
          "step 'k' (JOIN_GATEWAY): a branch of 'f' arrives here, but joins at 'j': f → a → k" },
        { STEPS(FORK("f", "'a','b'",
                     "j") "," TASK("a", "c") "," TASK("c", "a") "," TASK("b", "j") "," JOIN("j", "e")),
          "E JOIN_UNSATISFIABLE",
          "step 'f' (PARALLEL_GATEWAY): a branch reaches neither its join 'j' nor an END: f → a → c" },
        { STEPS(DECISION("s", "'x':'a','true':'e'") "," SET("a", "b") "," SET("b", "a")), "E ZERO_TIME_LOOP",
          "step 'a' (TRANSFORMATION): a loop in which nothing waits and that has no way out: a → b → a" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void warnings_do_not(void **state)
{
    static const struct graph_case cases[] = {
        { STEPS(SET("a", "b") "," DECISION("b", "'x < 3':'a','x >= 3':'e'")), "W ZERO_TIME_LOOP",
          "step 'a' (TRANSFORMATION): a loop in which nothing waits: a → b → a" },
        { STEPS(FORK("f", "'a','b'",
                     "j") "," DECISION("a", "'bad':'e','!bad':'j'") "," TASK("b", "j") "," JOIN("j", "e")),
          "W JOIN_BYPASSED", "step 'f' (PARALLEL_GATEWAY): a branch can go round its join 'j': f → a → e" },
        { STEPS(FORK("f", "'a','b'", "j") "," USER("a", "j", "x") "," TASK("x", "x2") "," TASK(
              "b", "j") "," JOIN("j", "e") ",{'id':'x2','name':'X','type':'END'}"),
          "", NULL },
        { STEPS(DECISION("s", "'x':'a','true':'e'") "," SERVICE("a", "")), "W DEAD_END",
          "step 'a' (SERVICE_TASK): "
          "the flow stops here: nothing follows" },
        { STEPS(USER("a", "e", "b") "," SERVICE("b", "")), "W DEAD_END",
          "step 'b' (SERVICE_TASK): the side branch of a timer stops here: nothing follows" },
        { STEPS(TABLE("t", "U", "{'when':{'c':'x > 5'}},{'when':{'c':'x < 9'}}")), "W TABLE_OVERLAP",
          "step 't' (DECISION_TABLE): rules[0] and rules[1] can hold at once: x = 6" },
        { STEPS(TABLE("t", "U", "{'when':{'c':'x >= 5'}},{'when':{'c':'x < 5'}}")), "", NULL },
        { STEPS(TABLE("t", "F", "{'when':{'c':'tier == `GOLD`'}},{'when':{'c':'tier == `SILVER`'}}")),
          "W TABLE_GAP", "step 't' (DECISION_TABLE): no rule holds for tier = ''" },
        { STEPS(TABLE("t", "F", "{'when':{'c':'tier == `GOLD`'}},{'when':{}}")), "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

/* Texts in which an author expects something to be put. */
static void a_text_that_looks_like_a_template_is_told(void **state)
{
#define VALUES(values) \
    STEPS("{'id':'a','name':'N','type':'TRANSFORMATION','nextStep':'e','transformations':{" values "}}")
    static const struct {
        const char *document, *codes, *pointer;
    } cases[] = {
        { VALUES("'x':'${name}'"), "", NULL },
        { VALUES("'x':'Hello ${name}'"), "W TEMPLATE_TEXT", "/steps/0/transformations/x" },
        { VALUES("'x':'{{name}}'"), "W TEMPLATE_TEXT", "/steps/0/transformations/x" },
        { VALUES("'x':[1,{'a/b':'${n}'}]"), "W TEMPLATE_TEXT", "/steps/0/transformations/x/1/a~1b" },
        { VALUES("'x':'${`Hello ${name}`}'"), "W TEMPLATE_TEXT", "/steps/0/transformations/x" },
        { VALUES("'x':'${`Hello ` + name}'"), "", NULL },
        { VALUES("'x':'costs $5 {net}','y':'${','z':'}{{'"), "", NULL },
        { STEPS(DECISION("a", "'x == `${y}`':'e','true':'e'")), "W TEMPLATE_TEXT",
          "/steps/0/conditionalNextSteps/x == '${y}'" },
        { STEPS(DECISION("a", "'x == ${y}':'e','true':'e'")), "", NULL },
        { STEPS("{'id':'a','name':'N','type':'SERVICE_TASK','jobType':'send-${kind}','nextStep':'e'}"),
          "W TEMPLATE_TEXT", "/steps/0/jobType" },
        { STEPS(TABLE("t", "F", "{'outputs':{'r':'is {{x}}'}}")), "W TEMPLATE_TEXT",
          "/steps/0/decisionTable/rules/0/outputs/r" },
    };
#undef VALUES
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        if (cases[i].pointer)
            assert_string_equal(arena_str(&compiled.arena, compiled.problems.problem[0].pointer).p,
                                cases[i].pointer);
        compiled_done(&compiled);
    }
}

static void a_name_that_nothing_gives_a_value_is_told(void **state)
{
#define GIVEN(steps)                                                                                         \
    "{'id':'d','name':'D','input_schema':{'properties':{'score':{'type':'number'},'user':{'type':'string'}}" \
    "},"                                                                                                     \
    "'steps':[" steps ",{'id':'e','name':'E','type':'END'}]}"
    static const struct {
        const char *document, *codes, *message, *hint;
    } cases[] = {
        { GIVEN(DECISION("a", "'score > 1':'e','true':'e'")), "", NULL, NULL },
        { GIVEN(DECISION("a", "'scor > 1':'e','true':'e'")), "W UNKNOWN_VARIABLE",
          "step \"a\" (DECISION): \"scor\" is not in input_schema, and no step sets it",
          "did you mean \"score\"?" },
        { GIVEN(DECISION("a", "'ghost':'e','ghost == 1':'e','true':'e'")), "W UNKNOWN_VARIABLE", NULL, "" },
        /* Nobody said what it starts with. */
        { STEPS(DECISION("a", "'ghost':'e','true':'e'")), "", NULL, NULL },
        /* A worker may have brought it, unless it is plainly something else. */
        { GIVEN(TASK("s", "a") "," DECISION("a", "'ghost':'e','true':'e'")), "", NULL, NULL },
        { GIVEN(TASK("s", "a") "," DECISION("a", "'scoer > 1':'e','true':'e'")), "", NULL, NULL },
        { GIVEN(TASK("s", "a") "," DECISION("a", "'scores > 1':'e','true':'e'")), "W UNKNOWN_VARIABLE",
          "step \"a\" (DECISION): \"scores\" is not in input_schema, and no step is known to set it",
          "did you mean \"score\"?" },
        { GIVEN(SERVICE("s", ",'conditionalNextSteps':{'result':'e','true':'e'}")), "", NULL, NULL },
        /* A reminder leads nowhere. */
        { GIVEN("{'id':'u','name':'N','type':'USER_TASK','jobType':'j','reminders':['PT1H'],'nextStep':'a'}"
                "," DECISION("a", "'ghost':'e','true':'e'")),
          "", NULL, NULL },
        /* A step sets it. */
        { GIVEN("{'id':'t','name':'N','type':'TRANSFORMATION','transformations':{'x':1,'y':'${x + "
                "z}'},'nextStep':'e'}"),
          "W UNKNOWN_VARIABLE",
          "step \"t\" (TRANSFORMATION): \"z\" is not in input_schema, and no step sets it", "" },
        { GIVEN(TABLE("t", "F", "{'when':{'c':'gohst > 1'},'outputs':{'y':'${y}'}},{}")),
          "W UNKNOWN_VARIABLE", NULL, "" },
        /* It asks for itself, or names things of its own. */
        { GIVEN(DECISION(
              "a", "'`k` in $env && k':'e','let q = score; q > 1':'e','any([1], # > score)':'e','true':'e'")),
          "", NULL, NULL },
    };
#undef GIVEN
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        if (cases[i].message) assert_string_equal(compiled.problems.problem[0].message.p, cases[i].message);
        if (cases[i].hint)
            assert_string_equal(arena_str(&compiled.arena, compiled.problems.problem[0].hint).p,
                                cases[i].hint);
        compiled_done(&compiled);
    }
}

/* Of a chain that nothing leads to only the first step is told, with how many follow. */
static void only_the_beginning_of_what_is_unreachable_is_told(void **state)
{
    static const struct {
        const char *document, *codes, *hint;
    } cases[] = {
        { STEPS(TASK("a", "e") "," TASK("b", "c") "," TASK("c", "d") "," TASK("d", "e")), "E UNREACHABLE",
          "2 more steps are reached only through it" },
        { STEPS(TASK("a", "e") "," TASK("c", "e") "," TASK("b", "c")), "E UNREACHABLE",
          "1 more step is reached only through it" },
        { STEPS(TASK("a", "e") "," TASK("b", "c") "," TASK("c", "b") "," TASK("d", "d")),
          "E UNREACHABLE, E UNREACHABLE",
          "" }, /* "d" leads to itself alone, so it comes before the circle of "b" and "c". */
        { STEPS(TASK("a", "e") "," TASK("b", "d") "," TASK("c", "d") "," TASK("d", "e")),
          "E UNREACHABLE, E UNREACHABLE", "1 more step is reached only through it" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled compiled;
        compile(&compiled, cases[i].document);
        assert_string_equal(compiled_codes(&compiled), cases[i].codes);
        assert_string_equal(arena_str(&compiled.arena, compiled.problems.problem[0].hint).p, cases[i].hint);
        compiled_done(&compiled);
    }
}

/* A node that seems unreachable behind a broken reference is not reported. */
static void the_graph_is_looked_at_only_when_it_is_whole(void **state)
{
    static const struct graph_case cases[] = {
        { STEPS(TASK("a", "zz") "," JOIN("j", "e")), "E UNRESOLVED", NULL },
        /* Eleven steps behind one that does not exist. */
        { STEPS(TASK("a", "bb") "," TASK("b", "c") "," TASK("c", "d") "," TASK("d", "f") "," TASK(
              "f", "g") "," TASK("g",
                                 "h") "," TASK("h",
                                               "i") "," TASK("i",
                                                             "k") "," TASK("k",
                                                                           "l") "," TASK("l",
                                                                                         "m") "," TASK("m",
                                                                                                       "e")),
          "E UNRESOLVED", "step 'a' nextStep references unknown step 'bb'" },
        { STEPS("{'id':'a','name':'N','type':'SCRIPT','nextStep':'b'}," TASK("b", "e")), "E BAD_VALUE",
          NULL },
        { STEPS(TASK("a", "b") "," TASK("b", "e") "," TASK("b", "e") "," TASK("c", "e")), "E DUPLICATE_ID",
          NULL },
        /* A name or an expression that is wrong leads nowhere else. */
        { STEPS("{'id':'a','name':'','type':'WAIT','nextStep':'e'}," TASK("c", "e")),
          "E REQUIRED, E UNREACHABLE", NULL },
        { STEPS(DECISION("a", "'x':'e','y':'zz','z':'j'") "," JOIN("j", "e")), "E UNRESOLVED", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_refuse_the_document),
        cmocka_unit_test(warnings_do_not),
        cmocka_unit_test(ends_of_a_chain_say_whether_they_chain),
        cmocka_unit_test(a_text_that_looks_like_a_template_is_told),
        cmocka_unit_test(a_name_that_nothing_gives_a_value_is_told),
        cmocka_unit_test(only_the_beginning_of_what_is_unreachable_is_told),
        cmocka_unit_test(the_graph_is_looked_at_only_when_it_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
