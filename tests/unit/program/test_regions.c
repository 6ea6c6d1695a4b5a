/* Scopes with regions, and the ways out of nodes that are not edges: checked, printed, drawn. */
#include "program/graph.h"
#include "program/draw/sketch.h"

struct looked_at {
    struct arena arena;
    struct program *program;
    struct program_node *node; /* The same, to be changed. */
    struct problems problems;
};

static void begin(struct looked_at *looked_at, const char *description)
{
    arena_init(&looked_at->arena, 0);
    problems_init(&looked_at->problems, &looked_at->arena);
    looked_at->program = graph(description);
    looked_at->node = (struct program_node *)(uintptr_t)looked_at->program->node;
}

static void done(struct looked_at *looked_at)
{
    program_unref(looked_at->program);
    arena_done(&looked_at->arena);
}

static uint32_t at(const struct looked_at *looked_at, const char *name)
{
    uint32_t index = program_find(looked_at->program, str_of(name));
    assert_int_not_equal(index, NODE_NONE);
    return index;
}

/* Gives the scope a region; "a" and then "b" must be given in this order. */
static void add_region(struct looked_at *looked_at, const char *scope, const char *name, const char *start)
{
    struct program_node *node = &looked_at->node[at(looked_at, scope)];
    struct program_region *region = arena_make_n(&looked_at->arena, struct program_region, 8);
    for (size_t i = 0; i < node->as.scope.region_count; i++) region[i] = node->as.scope.region[i];
    region[node->as.scope.region_count++] = (struct program_region){
        .name = str_of(name),
        .start = at(looked_at, start),
        .awaited = true,
    };
    node->as.scope.region = region;
}

static void add_handler(struct looked_at *looked_at, const char *name, const char *when, const char *target)
{
    struct program_node *node = &looked_at->node[at(looked_at, name)];
    struct program_handler *handler = arena_make(&looked_at->arena, struct program_handler);
    handler->when = graph_expr(looked_at->program, str_of(when));
    handler->way.target = at(looked_at, target);
    node->handler = handler;
    node->handler_count = 1;
}

static void add_exit(struct looked_at *looked_at, const char *name, const char *target, uint32_t levels)
{
    struct program_node *node = &looked_at->node[at(looked_at, name)];
    struct program_retry *rule = arena_make(&looked_at->arena, struct program_retry);
    *rule = (struct program_retry){
        .when = graph_expr(looked_at->program, STR("error.name == 'Busy'")),
        .count = 3,
        .delay = { .first_ms = 5000, .factor = 1, .max_ms = 5000 },
        .exit.target = target ? at(looked_at, target) : NODE_NONE,
        .exit_levels = levels,
        .exit_error = graph_expr(looked_at->program, STR("{x: error}")),
        .exit_result = graph_expr(looked_at->program, STR("{x: result}")),
    };
    node->as.task.retry = rule;
    node->as.task.retry_count = 1;
}

static void add_case(struct looked_at *looked_at, const char *name, const char *when, const char *target)
{
    static const uint32_t first[] = { 0 };
    struct program_node *node = &looked_at->node[at(looked_at, name)];
    struct program_event_case *event_case = arena_make(&looked_at->arena, struct program_event_case);
    struct program_value *value = arena_make(&looked_at->arena, struct program_value);
    *value = (struct program_value){ .name = STR("seen"), .literal = json_of_bool(true) };
    *event_case = (struct program_event_case){
        .when = graph_expr(looked_at->program, str_of(when)),
        .mentioned = first,
        .mentioned_count = 1,
        .positive = first,
        .positive_count = 1,
        .output = value,
        .output_count = 1,
        .target = at(looked_at, target),
    };
    node->as.wait.what = WAIT_FOR_EVENT;
    node->as.wait.event_case = event_case;
    node->as.wait.event_case_count = 1;
    looked_at->program->trigger = arena_make(&looked_at->arena, struct program_trigger);
    *(struct program_trigger *)(uintptr_t)looked_at->program->trigger = (struct program_trigger){
        .name = STR("order"),
        .source = STR("/shop"),
        .type = STR("placed"),
        .correlated = true,
        .attribute = STR("subject"),
    };
    looked_at->program->trigger_count = 1;
    looked_at->program->starting = first;
    looked_at->program->starting_count = 1;
}

static void make_inner(struct looked_at *looked_at, const char *name)
{
    struct program_node *node = &looked_at->node[at(looked_at, name)];
    node->inner = true;
    node->type = STR("");
}

/* "E CODE /pointer, …" */
static void assert_problems(struct looked_at *looked_at, const char *want)
{
    program_check(looked_at->program, &looked_at->problems);
    struct buf out;
    buf_init(&out, &looked_at->arena);
    for (size_t i = 0; i < looked_at->problems.count; i++) {
        const struct problem *problem = &looked_at->problems.problem[i];
        buf_printf(&out, "%s%c %s %.*s", i ? ", " : "", problem->warning ? 'W' : 'E',
                   problem_code_name(problem->code), STR_ARG(problem->pointer));
    }
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
}

/* ---- checks ---- */

static void everything_in_a_region_is_reachable(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "scope s: e; task a: b; task b: i; end i; end e");
    add_region(&looked_at, "s", "one", "a");
    assert_problems(&looked_at, "");
    done(&looked_at);
}

static void each_region_must_have_a_way_to_an_end(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "scope s: e; task a: b; task b: a; task c: e; end e");
    add_region(&looked_at, "s", "endless", "a");
    add_region(&looked_at, "s", "fine", "c");
    assert_problems(&looked_at, "E NO_END /0");
    assert_string_equal(looked_at.problems.problem[0].message.p,
                        "node \"s\" (scope): \"endless\" has no way to an end");
    done(&looked_at);
}

/* The END of a region is not that of the instance, even if it is the same node. */
static void a_region_cannot_end_the_instance(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "scope s: t; task t: s; task a: e; end e");
    add_region(&looked_at, "s", "one", "a");
    assert_problems(&looked_at, "E NO_END /0");
    assert_string_equal(looked_at.problems.problem[0].message.p,
                        "no END node is reachable from the first node");
    done(&looked_at);
}

static void used_up_retries_lead_out_of_as_many_regions_as_they_say(void **state)
{
    static const struct {
        uint32_t levels;
        const char *want;
    } cases[] = {
        { 2, "" }, { 1, "E NO_END /0" }, /* The instance itself goes round for ever. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct looked_at looked_at;
        begin(&looked_at, "scope s: t; task t: s; scope inside: e; task a: e; end e");
        add_region(&looked_at, "s", "outer", "inside");
        add_region(&looked_at, "inside", "inner", "a");
        add_exit(&looked_at, "a", "e", cases[i].levels);
        assert_problems(&looked_at, cases[i].want);
        done(&looked_at);
    }
}

static void handlers_and_event_cases_lead_somewhere(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "wait w: ; task t: e; task h: e; end e");
    add_case(&looked_at, "w", "order", "t");
    add_handler(&looked_at, "t", "true", "h");
    add_exit(&looked_at, "h", NULL, 0); /* Leads nowhere, and that is fine. */
    assert_problems(&looked_at, "");
    done(&looked_at);
}

static void a_timer_without_a_target_leads_nowhere(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "wait w: e @60e; task lost: e; end e");
    struct program_timer *timer = (struct program_timer *)(uintptr_t)looked_at.node[0].timer;
    timer->does = TIMER_GO_ON;
    timer->target = NODE_NONE;
    assert_problems(&looked_at, "E UNREACHABLE /1");
    done(&looked_at);
}

static void inner_nodes_are_not_told_of(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "task a: e; set lost: e; end e");
    make_inner(&looked_at, "lost");
    assert_problems(&looked_at, "");
    done(&looked_at);
}

static void a_front_ends_own_loop_is_no_zero_time_loop(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "scope s: e; choose next: collect?more e; set collect: next; end e");
    add_region(&looked_at, "s", "body", "next");
    make_inner(&looked_at, "next");
    make_inner(&looked_at, "collect");
    assert_problems(&looked_at, "");
    done(&looked_at);

    begin(&looked_at, "choose next: collect?more e; set collect: next; end e");
    assert_problems(&looked_at, "W ZERO_TIME_LOOP /0");
    done(&looked_at);
}

/* A region that is started and not awaited takes no time. */
static void a_detached_child_does_not_wait(void **state)
{
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "choose c: t?more e; task t: c; end e");
    looked_at.node[1].as.task.performer = PERFORM_CHILD;
    looked_at.node[1].as.task.detached = true;
    assert_problems(&looked_at, "W ZERO_TIME_LOOP /0");
    done(&looked_at);
}

/* ---- text and pictures ---- */

static void make_everything(struct looked_at *looked_at)
{
    begin(looked_at, "scope s: e; wait w: ; task t: i; end i; task h: e; end e");
    add_region(looked_at, "s", "body", "w");
    add_case(looked_at, "w", "order", "t");
    add_exit(looked_at, "t", "h", 1);
    add_handler(looked_at, "s", "error.name == 'X'", "h");
    make_inner(looked_at, "w");
    make_inner(looked_at, "t");
    make_inner(looked_at, "i");
    struct program_node *task = &looked_at->node[at(looked_at, "t")];
    struct program_timer *timer = (struct program_timer *)(uintptr_t)task->timer;
    timer[0] = (struct program_timer){
        .delay_ms = 30000, .does = TIMER_RAISE, .per_attempt = true, .target = NODE_NONE
    };
    task->timer_count = 1;
    task->as.task.job_type = STR("rate");
    task->as.task.performer = PERFORM_HTTP;
    task->as.task.config = json_set(&looked_at->arena, json_empty_object(), STR("function"),
                                    json_of_string(&looked_at->arena, STR("rate")));
    task->as.task.input = graph_expr(looked_at->program, STR("{n: 1}"));
    struct program_node *wait = &looked_at->node[at(looked_at, "w")];
    timer = (struct program_timer *)(uintptr_t)wait->timer;
    timer[0] = (struct program_timer){ .delay_ms = 60000, .does = TIMER_EXPIRE, .target = NODE_NONE };
    timer[1] = (struct program_timer){ .at_ms = 86400000, .does = TIMER_GO_ON, .target = NODE_NONE };
    wait->timer_count = 2;
    struct program_node *scope = &looked_at->node[at(looked_at, "s")];
    struct program_value *value = arena_make_n(&looked_at->arena, struct program_value, 2);
    value[0].expr = graph_expr(looked_at->program, STR("frame.R"));
    value[1] = (struct program_value){ .name = STR("all"), .expr = value[0].expr, .append = true };
    scope->output = value;
    scope->output_count = 2;
    scope->as.scope.data = graph_expr(looked_at->program, STR("{S: 1}"));
    ((struct program_edge *)(uintptr_t)scope->edge)->guard = graph_expr(looked_at->program, STR("ok"));
}

static void all_of_it_is_printed(void **state)
{
    static const char want[] =
        "program graph\n  dialect  test\n  title    Graph\n"
        "  trigger  order: type placed, source /shop, token subject, starts instances\n"
        "  priority 5\n  nodes    6\n  start    0 s\n"
        "\n   0 s: scope (scope) \"s\"\n"
        "     regions begin with {S: 1}\n"
        "     region body → 1 w\n"
        "     output everything := frame.R\n"
        "     output all += frame.R\n"
        "     if ok or halt → 5 e\n"
        "     on error when error.name == 'X' → 4 h\n"
        "\n   1 w: wait inner\n"
        "     for events\n"
        "     case 0: order, takes order, needs one of order\n"
        "       output seen = true\n"
        "       → 2 t\n"
        "     after PT1M case 0 expires\n"
        "     at 1970-01-02T00:00:00Z goes on\n"
        "\n   2 t: task inner\n"
        "     http rate, result merged shallowly\n"
        "     config {\"function\":\"rate\"}\n"
        "     input {n: 1}\n"
        "     retries 3, each after PT5S, when error.name == 'Busy'\n"
        "       used up by a failure: everything := {x: error}\n"
        "       used up by a result: everything := {x: result}\n"
        "       used up, leaves 1 regions → 4 h\n"
        "     after PT30S of an attempt raises a timeout\n"
        "     → 3 i\n"
        "\n   3 i: end inner\n"
        "\n   4 h: task (task) \"h\"\n"
        "     job , result merged shallowly\n"
        "     → 5 e\n"
        "\n   5 e: end (end) \"e\"\n";
    (void)state;
    struct looked_at looked_at;
    make_everything(&looked_at);
    struct buf out;
    buf_init(&out, &looked_at.arena);
    program_print(looked_at.program, &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
    done(&looked_at);
}

static void pictures_show_nodes_without_what_is_inside(void **state)
{
    static const char want[] = "flowchart TD\n"
                               "  n0[[\"s<br/>scope\"]]\n"
                               "  n1(\"h<br/>task\")\n"
                               "  n2(((\"e<br/>end\")))\n"
                               "  n0 -->|\"ok\"| n2\n"
                               "  n0 -.->|\"retries used up<br/>error: error.name == 'X'\"| n1\n"
                               "  n1 --> n2\n";
    (void)state;
    struct looked_at looked_at;
    make_everything(&looked_at);
    struct buf out;
    buf_init(&out, &looked_at.arena);
    program_draw(looked_at.program, PICTURE_MERMAID, &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
    for (int picture = PICTURE_SVG; picture <= PICTURE_DOT; picture++)
        program_draw(looked_at.program, (enum picture)picture, &out);
    done(&looked_at);
}

static void branches_are_arrows_with_their_names(void **state)
{
    static const char want[] = "flowchart TD\n"
                               "  n0[[\"s<br/>scope\"]]\n"
                               "  n1(\"a<br/>task\")\n"
                               "  n2(\"b<br/>task\")\n"
                               "  n3(((\"e\")))\n"
                               "  n0 -->|\"one\"| n1\n"
                               "  n0 -->|\"two\"| n2\n"
                               "  n0 -->|\"why\"| n3\n";
    (void)state;
    struct looked_at looked_at;
    begin(&looked_at, "scope s: e; task a: e; task b: e; end e");
    add_region(&looked_at, "s", "one", "a");
    add_region(&looked_at, "s", "two", "b");
    make_inner(&looked_at, "e");
    ((struct program_edge *)(uintptr_t)looked_at.node[0].edge)->label = STR("why");
    struct buf out;
    buf_init(&out, &looked_at.arena);
    program_draw(looked_at.program, PICTURE_MERMAID, &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
    done(&looked_at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_a_region_is_reachable),
        cmocka_unit_test(each_region_must_have_a_way_to_an_end),
        cmocka_unit_test(a_region_cannot_end_the_instance),
        cmocka_unit_test(used_up_retries_lead_out_of_as_many_regions_as_they_say),
        cmocka_unit_test(handlers_and_event_cases_lead_somewhere),
        cmocka_unit_test(a_timer_without_a_target_leads_nowhere),
        cmocka_unit_test(inner_nodes_are_not_told_of),
        cmocka_unit_test(a_front_ends_own_loop_is_no_zero_time_loop),
        cmocka_unit_test(a_detached_child_does_not_wait),
        cmocka_unit_test(all_of_it_is_printed),
        cmocka_unit_test(pictures_show_nodes_without_what_is_inside),
        cmocka_unit_test(branches_are_arrows_with_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
