#include "program/graph.h"

/* The problems found, as "E CODE" and "W CODE" in order, and a piece of the first message. */
struct check_case {
    const char *graph;
    const char *want;
    const char *message;
};

static void expect(const struct check_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        struct program *program = graph(cases[i].graph);
        program_check(program, &problems);
        struct buf out;
        buf_init(&out, &arena);
        for (size_t k = 0; k < problems.count; k++)
            buf_printf(&out, "%s%c %s", k ? ", " : "", problems.problem[k].warning ? 'W' : 'E',
                       problem_code_name(problems.problem[k].code));
        buf_add_char(&out, '\0');
        if (strcmp(out.p, cases[i].want) != 0) {
            out.n = 0;
            problems_print(&problems, str_of(cases[i].graph), &out);
            buf_add_char(&out, '\0');
            fail_msg("want %s, got\n%s", cases[i].want, out.p);
        }
        if (cases[i].message) assert_string_equal(problems.problem[0].message.p, cases[i].message);
        program_unref(program);
        arena_done(&arena);
    }
}

static void everything_must_be_reachable_and_come_to_an_end(void **state)
{
    static const struct check_case cases[] = {
        { "task a: b; end b", "", NULL },
        { "task a: b @!60c; task c: b; end b", "", NULL }, /* By a timer. */
        { "task a: b; task c: b; end b", "E UNREACHABLE", "node \"c\" is unreachable from the first node" },
        { "task a: b; task b: a; end c", "E UNREACHABLE, E NO_END",
          "node \"c\" is unreachable from the first node" },
        { "task a: b; task b: a", "E NO_END", "no END node is reachable from the first node" },
        { "end a", "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void a_side_branch_should_not_end_what_it_stands_beside(void **state)
{
    static const struct check_case cases[] = {
        { "wait a: c @60b; task b: c; end c", "W SIDE_BRANCH_END",
          "node \"a\" (wait): the side branch of its timer comes to an END of the main flow, which completes "
          "the whole "
          "instance: b → c" },
        { "wait a: c @60c; end c", "W SIDE_BRANCH_END", NULL },
        /* An END of its own is meant to be one. */
        { "wait a: c @60b; task b: d; end c; end d", "", NULL },
        { "wait a: c @60b; task b: d; end c; end d/branch", "", NULL },
        { "wait a: c @60c; end c/branch", "", NULL },
        /* It comes back to the main flow, whose business the END is. */
        { "wait a: b @60x; task x: b; task b: c; end c", "", NULL },
        /* A timer of the side branch. */
        { "wait a: c @60b; wait b: d @60x; task x: c; end c; end d/branch", "W SIDE_BRANCH_END", NULL },
        { "wait a: c @60b; wait b: d @!60x; task x: c; end c; end d/branch", "W SIDE_BRANCH_END", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void the_flow_should_not_stop_without_an_end(void **state)
{
    static const struct check_case cases[] = {
        { "choose a: b?x>1 c; task b; end c", "W DEAD_END",
          "node \"b\" (task): the flow stops here: nothing follows" },
        { "wait a: c @!60b; task b; end c", "W DEAD_END",
          "node \"b\" (task): the flow stops here: a timer of \"a\" leads to it and nothing follows" },
        { "wait a: c @60b; task b; end c", "W DEAD_END",
          "node \"b\" (task): the side branch of a timer stops here: nothing follows" },
        { "wait a: c @!60b; task b: c; end c", "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void branches_must_meet_at_their_own_join(void **state)
{
    static const struct check_case cases[] = {
        { "fork f/j: a b; task a: j; task b: j; join j: e; end e", "", NULL },
        { "fork f/j: a j; task a: j; join j: e; end e", "", NULL }, /* An empty branch. */
        { "fork f/j: a b; task a: c; task c: j; choose b: j?x>1 a; join j: e; end e", "", NULL },
        /* Two forks, one join: whichever runs has its own scope. */
        { "choose s: f?x g; fork f/j: a b; fork g/j: a b; task a: j; task b: j; join j: e; end e", "", NULL },
        /* One after the other. */
        { "fork f/j: a b; task a: j; task b: j; join j: g; fork g/k: c d; task c: k; task d: k; join k: e; "
          "end e",
          "", NULL },
        /* A loop around the whole. */
        { "task s: f; fork f/j: a b; task a: j; task b: j; join j: c; choose c: s?again e; end e", "", NULL },
        /* A loop inside a branch. */
        { "fork f/j: a b; task a: c; choose c: a?again j; task b: j; join j: e; end e", "", NULL },
        { "fork f/j: a b; task a: k; task b: j; join j: k; join k: e; end e",
          "E JOIN_MISMATCH, E JOIN_ORPHAN",
          "node \"k\" (join): a branch of \"f\" arrives here, but joins at \"j\": f → a → k" },
        { "task a: j; join j: e; end e", "E JOIN_ORPHAN",
          "node \"j\" (join): no fork's branches lead to this join" },
        { "choose s: f?x j; fork f/j: a b; task a: j; task b: j; join j: e; end e", "E JOIN_MISMATCH",
          "node \"j\" (join): it can be reached without passing its fork: s → j" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void forks_may_be_nested(void **state)
{
    static const struct check_case cases[] = {
        { "fork f/j: a b; task a: g; task b: j; fork g/k: c d; task c: k; task d: k; join k: j; join j: e; "
          "end e",
          "", NULL },
        /* Three levels, with a loop inside the second. */
        { "fork f/j: a b; task a: j; fork b/k: c d; task c: k; task d: g; fork g/l: h i; task h: l; task i: "
          "l; "
          "join l: m; choose m: g?again k; join k: j; join j: e; end e",
          "", NULL },
        /* With the join of the fork around it. */
        { "fork f/j: a b; task a: g; task b: j; fork g/j: c d; task c: j; task d: j; join j: e; end e",
          "E NESTED_FORK", "node \"g\" (fork): it cannot be nested in a branch of \"f\": f → a → g" },
        /* In each other's branches. */
        { "fork f/j: a b; choose a: g?x j; task b: j; fork g/k: c d; choose c: f?x k; task d: k; join k: j; "
          "join j: e; end e",
          "E NESTED_FORK, W JOIN_BYPASSED, W ZERO_TIME_LOOP",
          "node \"f\" (fork): it cannot be nested in a branch of \"g\": g → c → f" },
        /* An inner branch goes to the outer join. */
        { "fork f/j: a b; task a: g; task b: j; fork g/k: c d; task c: j; task d: k; join k: j; join j: e; "
          "end e",
          "E JOIN_MISMATCH", NULL },
        /* Around the join to a later fork. */
        { "fork f/j: a b; choose a: g?x j; task b: j; join j: g; fork g/k: c d; task c: k; task d: k; join "
          "k: e; end e",
          "W JOIN_BYPASSED", NULL },
        { "task s: f; fork f/j: a b; choose a: s?again j; task b: j; join j: e; end e", "E NESTED_FORK",
          "node \"f\" (fork): a branch leads back to it without passing \"j\": f → a → s → f" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void every_branch_must_get_somewhere(void **state)
{
    static const struct check_case cases[] = {
        { "choose s: f?x e; fork f/j: a b; task a: c; task c; task b: j; join j: e; end e",
          "E JOIN_UNSATISFIABLE, W DEAD_END",
          "node \"f\" (fork): a branch reaches neither its join \"j\" nor an END: f → a → c" },
        { "fork f/j: a b; task a: c; task c: a; task b: j; join j: e; end e", "E JOIN_UNSATISFIABLE",
          "node \"f\" (fork): a branch reaches neither its join \"j\" nor an END: f → a → c" },
        { "fork f/j: a b; task a: x; end x/branch; task b: j; join j: e; end e",
          "W JOIN_BYPASSED, E JOIN_UNSATISFIABLE", NULL },
        { "fork f/j: a b; wait a: j @60x; end x/branch; task b: j; join j: e; end e", "", NULL },
        { "fork f/j: a b; wait a: j @!60x; end x/branch; task b: j; join j: e; end e", "W JOIN_BYPASSED",
          "node \"f\" (fork): a branch can go round its join \"j\": f → a → x" },
        { "fork f/j: a b; wait a: j @!60x; end x; task b: j; join j: e; end e", "", NULL },
        /* A timer's way counts. */
        { "fork f/j: a b; wait a: a @60j; task b: j; join j: e; end e", "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void a_way_round_the_join_is_worth_a_warning(void **state)
{
    static const struct check_case cases[] = {
        { "fork f/j: a b; choose a: x?bad j; task b: j; join j: e; end e; end x", "W JOIN_BYPASSED",
          "node \"f\" (fork): a branch can go round its join \"j\": f → a → x" },
        { "fork f/j: a b; choose a: n?bad j; task b: j; join j: n; task n: e; end e", "W JOIN_BYPASSED",
          "node \"f\" (fork): a branch can go round its join \"j\": f → a → n" },
        /* An escalation is nobody's mistake. */
        { "fork f/j: a b; wait a: j @60x; task b: j; join j: e; end e; end x", "", NULL },
        { "fork f/j: a b; wait a: j @60t; task t: x; task b: j; join j: e; end e; end x", "", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void loops_must_wait_or_have_a_way_out(void **state)
{
    static const struct check_case cases[] = {
        { "choose s: a?x e; set a: b; set b: a; end e", "E ZERO_TIME_LOOP",
          "node \"a\" (set): a loop in which nothing waits and that has no way out: a → b → a" },
        { "choose s: a?x e; set a: a; end e", "E ZERO_TIME_LOOP", NULL }, /* On itself. */
        { "set a: b; choose b: a?n<3 e; end e", "W ZERO_TIME_LOOP",
          "node \"a\" (set): a loop in which nothing waits: a → b → a" },
        { "set a: b; choose b: c?n<3 e; task c: a; end e", "", NULL }, /* Something waits. */
        { "set a: b; wait b: c; choose c: a?n<3 e; end e", "", NULL },
        /* Two loops, each reported once. */
        { "set a: b; choose b: a?n<3 c; set c: d; choose d: c?n<3 e; end e",
          "W ZERO_TIME_LOOP, W ZERO_TIME_LOOP", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

/* Hundreds of forks whose branches wander through hundreds of nodes, each of which leads
 * to all others: the work is cut off. */
static void a_large_graph_is_checked_in_time(void **state)
{
    enum { FORKS = 400, HEADS = 800, NODES = 1 + 2 * FORKS + HEADS + 1 };
    (void)state;
    struct program *program = program_new(0);
    struct arena *arena = program_arena(program);
    struct program_node *node = arena_make_n(arena, struct program_node, NODES);
    struct program_edge *to = arena_make_n(arena, struct program_edge, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        to[i].target = i;
        node[i].name = arena_printf(arena, "n%u", i);
        node[i].type = STR("x");
    }
    const struct program_edge *heads = &to[1 + 2 * FORKS];
    node[0] = (struct program_node){
        .kind = NODE_CHOOSE, .name = STR("start"), .edge = to + 1, .edge_count = NODES - 1
    };
    for (uint32_t i = 0; i < FORKS; i++) {
        struct program_node *fork = &node[1 + 2 * i];
        *fork = (struct program_node){
            .kind = NODE_FORK, .name = fork->name, .edge = heads, .edge_count = HEADS
        };
        fork->as.fork.join = 2 + 2 * i;
        fork[1] = (struct program_node){
            .kind = NODE_JOIN, .name = fork[1].name, .edge = &to[NODES - 1], .edge_count = 1
        };
    }
    for (uint32_t i = 1 + 2 * FORKS; i < NODES - 1; i++) {
        node[i].kind = NODE_TASK;
        node[i].edge = heads;
        node[i].edge_count = HEADS;
    }
    node[NODES - 1].kind = NODE_END;
    program->node = node;
    program->node_count = NODES;
    program->node_word = STR("node");
    program_link(program);

    struct arena scratch;
    arena_init(&scratch, 0);
    struct problems problems;
    problems_init(&problems, &scratch);
    program_check(program, &problems);
    assert_true(problems.error_count > 0);
    assert_true(problems.warning_count > 0);
    assert_true(scratch.used < 64u << 20);
    arena_done(&scratch);
    program_unref(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_must_be_reachable_and_come_to_an_end),
        cmocka_unit_test(a_side_branch_should_not_end_what_it_stands_beside),
        cmocka_unit_test(the_flow_should_not_stop_without_an_end),
        cmocka_unit_test(branches_must_meet_at_their_own_join),
        cmocka_unit_test(forks_may_be_nested),
        cmocka_unit_test(every_branch_must_get_somewhere),
        cmocka_unit_test(a_way_round_the_join_is_worth_a_warning),
        cmocka_unit_test(loops_must_wait_or_have_a_way_out),
        cmocka_unit_test(a_large_graph_is_checked_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
