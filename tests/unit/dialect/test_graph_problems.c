/* Flow graphs that are refused, and those that only get warnings: each cause has one problem, about one node.
 */
#include "dialect/compile.h"

/* "E CODE node /pointer" or, for a warning, "W …". */
static const char *problem_text(const struct problem *problem, struct arena *arena)
{
    return arena_printf(arena, "%c %s %.*s %.*s", problem->warning ? 'W' : 'E',
                        problem_code_name(problem->code), STR_ARG(problem->node.n ? problem->node : STR("-")),
                        STR_ARG(problem->pointer))
        .p;
}

static void compare(const char *list, bool refused)
{
    const struct json *rows = document_value("dialect/graph_problems", list);
    assert_true(json_count(rows) > 10);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i), *wanted = json_get(row, STR("problems"));
        struct compiled compiled;
        compile_text(&compiled, str_of(document_text(json_get(row, STR("document")))));
        str what = json_string(json_get(row, STR("what")));
        if ((compiled.program == NULL) != refused)
            fail_msg("%.*s: %s", STR_ARG(what), refused ? "accepted" : "refused");
        for (size_t k = 0; k < compiled.problems.count || k < json_count(wanted); k++) {
            const char *got = k < compiled.problems.count
                                  ? problem_text(&compiled.problems.problem[k], &compiled.arena)
                                  : "nothing";
            str want = json_item(wanted, k) ? json_string(json_item(wanted, k)) : STR("nothing");
            if (!str_equal(str_of(got), want))
                fail_msg("%.*s: \"%s\" instead of \"%.*s\"", STR_ARG(what), got, STR_ARG(want));
        }
        compiled_done(&compiled);
    }
}

static void mistakes_are_told_all_at_once(void **state)
{
    (void)state;
    compare("refused", true);
}

static void oddities_are_warnings(void **state)
{
    (void)state;
    compare("accepted", false);
}

/* Every code of the contract is reached by one of the documents above. */
static void every_code_has_a_document(void **state)
{
    (void)state;
    const char *lists[] = { "refused", "accepted" };
    for (enum problem_code code = PROBLEM_NAME_REQUIRED; code < PROBLEM_UNKNOWN_VERSION; code++) {
        bool found = false;
        for (size_t l = 0; l < COUNT(lists); l++)
            found |= strstr(document("dialect/graph_problems", lists[l]), problem_code_name(code)) != NULL;
        if (!found) fail_msg("%s", problem_code_name(code));
    }
}

/* Messages are for people who do not know ids: they name the node as its author does. */
static void messages_name_the_label(void **state)
{
    (void)state;
    struct compiled compiled;
    compile(&compiled,
            "{'dialect':'graph/1','name':'g','nodes':[{'id':'t','type':'trigger_manual'},{'id':'a','type':"
            "'delay','label':'Sleep on it','config':{'duration':'x'}}],'edges':[{'from':'t','to':'a'}]}");
    assert_int_equal(compiled.problems.count, 1);
    assert_true(str_starts(compiled.problems.problem[0].message,
                           STR("\"Sleep on it\": duration \"x\" is not a duration")));
    assert_true(str_equal(compiled.problems.problem[0].node, STR("a")));
    compiled_done(&compiled);
}

/* A definition that was stored before answers needed lines still runs; lists of warnings name the answer. */
static void stored_answers_without_a_line_are_warnings(void **state)
{
    (void)state;
    static const char text[] =
        "{'dialect':'graph/1','name':'g','nodes':[{'id':'t','type':'trigger_manual'},"
        "{'id':'h','type':'human_task','config':{'decisions':['yes','no']}},"
        "{'id':'z','type':'end'}],'edges':[{'from':'t','to':'h'},{'from':'h','to':'z'}]}";
    for (size_t running = 0; running < 2; running++) {
        struct arena arena;
        struct problems problems;
        arena_init(&arena, 0);
        problems_init(&problems, &arena);
        problems.stored_id = STR("g");
        problems.errors_only = running;
        struct program *program =
            source_compile(compile_unquote(&arena, text), SOURCE_ANY, 64u << 20, &problems, NULL);
        assert_non_null(program);
        assert_int_equal(problems.count, running ? 0 : 2);
        if (!running) assert_int_equal(problems.problem[0].code, PROBLEM_DECISION_NOT_WIRED);
        program_unref(program);
        arena_done(&arena);
    }
}

static void add_nodes(struct buf *text, size_t count)
{
    buf_printf(text, "{\"dialect\":\"graph/1\",\"name\":\"g\",\"nodes\":[");
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%s{\"id\":\"n%zu\",\"type\":\"%s\"}", i ? "," : "", i,
                   i ? "set_variables" : "trigger_manual");
    buf_printf(text, "],\"edges\":[");
    for (size_t i = 1; i < count; i++)
        buf_printf(text, "%s{\"from\":\"n%zu\",\"to\":\"n%zu\"}", i > 1 ? "," : "", i - 1, i);
    buf_printf(text, "]}");
}

static void a_graph_has_a_limit_of_nodes(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct arena arena;
        struct buf text;
        struct compiled compiled;
        arena_init(&arena, 0);
        buf_init(&text, &arena);
        add_nodes(&text, DEFINITION_STEPS_MAX + more);
        compile_text(&compiled, buf_str(&text));
        assert_int_equal(compiled.problems.error_count, more);
        if (more) assert_int_equal(compiled.problems.problem[0].code, PROBLEM_TOO_LARGE);
        compiled_done(&compiled);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told_all_at_once),
        cmocka_unit_test(oddities_are_warnings),
        cmocka_unit_test(every_code_has_a_document),
        cmocka_unit_test(messages_name_the_label),
        cmocka_unit_test(a_graph_has_a_limit_of_nodes),
        cmocka_unit_test(stored_answers_without_a_line_are_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
