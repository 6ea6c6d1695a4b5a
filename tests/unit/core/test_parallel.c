/* Forks, joins and what can happen between them. */

#include "core/driver.h"

static void branches_of_any_length_meet_at_the_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a1','b'", "j") TASK("a1", "a2") TASK("a2", "j") TASK("b", "j")
                         JOIN("j", "after") TASK("after", "end") END("end"));
    start(&d, NULL);
    assert_at(&d, "ACTIVE a1 b");
    assert_entries(&d, "enter leave scope_open enter enter job_open park job_open park status");
    complete(&d, "a1", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE a2 j");
    complete(&d, "a2", NULL);
    assert_at(&d, "ACTIVE after");
    assert_int_equal(d.instance->scope_count, 0);
    assert_int_equal(d.instance->token[0].scope, 0);
    complete(&d, "after", NULL);
    assert_rows(
        &d,
        "f COMPLETED, a1 COMPLETED, b COMPLETED, a2 COMPLETED, j COMPLETED, after COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_join_has_one_row_from_first_arrival_to_opening(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b','c'", "j") TASK("a", "j") TASK("b", "j") TASK("c", "j")
                         JOIN("j", "end") END("end"));
    start(&d, NULL);
    d.now_ms = 2000000;
    complete(&d, "b", NULL);
    assert_rows(&d, "f COMPLETED, a RUNNING, b COMPLETED, c RUNNING, j RUNNING");
    assert_at(&d, "ACTIVE a c j");
    d.now_ms = 3000000;
    complete(&d, "a", NULL);
    assert_at(&d, "ACTIVE c j");
    d.now_ms = 4000000;
    complete(&d, "c", NULL);
    assert_at(&d, "COMPLETED");
    size_t count;
    const struct execution *row = driver_rows(&d, &count);
    assert_int_equal(count, 6);
    assert_int_equal(row[4].started_ms, 2000000);
    assert_int_equal(row[4].ended_ms, 4000000);
    assert_int_equal(row[5].from, row[4].number);
    driver_end(&d);
}

static void instantaneous_branches_join_at_once(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'x','y'", "j") SET("x", "'a':1", "j") SET("y", "'b':'${a + 1}'", "j")
                         JOIN("j", "end") END("end"));
    start(&d, NULL);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'a':1,'b':2}"); /* Branches run in the order of the array. */
    assert_rows(&d, "f COMPLETED, x COMPLETED, y COMPLETED, j COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_branch_can_lead_straight_to_the_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'j','a'", "j") TASK("a", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    assert_at(&d, "ACTIVE j a");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void decisions_inside_branches(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'c','b'", "j") CHOOSE("c", "'n > 1':'a1','true':'a2'") TASK("a1", "a2")
                         TASK("a2", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, "{'n':2}");
    assert_at(&d, "ACTIVE b a1");
    complete(&d, "b", NULL);
    complete(&d, "a1", NULL);
    assert_at(&d, "ACTIVE j a2");
    complete(&d, "a2", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_loop_goes_through_the_gateway_twice(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "c")
                         CHOOSE("c", "'again':'f','!again':'end'") END("end"));
    start(&d, "{'again':true}");
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE a b");
    complete(&d, "b", "{'again':false}");
    assert_at(&d, "ACTIVE a j");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    assert_rows(
        &d, "f COMPLETED, a COMPLETED, b COMPLETED, j COMPLETED, c COMPLETED, f#2 COMPLETED, a#2 COMPLETED, "
            "b#2 COMPLETED, j#2 COMPLETED, c#2 COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_loop_inside_a_branch(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "c") CHOOSE("c", "'n < 3':'a','true':'j'")
                         TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", "{'n':1}");
    complete(&d, "b", NULL);
    complete(&d, "a", "{'n':2}");
    assert_at(&d, "ACTIVE j a");
    complete(&d, "a", "{'n':3}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void an_end_inside_a_branch_ends_everything(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b','w'", "j") TASK("a", "c") CHOOSE("c", "'stop':'out','!stop':'j'")
                         TASK_WITH("b", "'nextStep':'j'," TIMERS(TIMER("PT1H", "true", "j"))) WAIT("w", "j")
                             JOIN("j", "end") END("end") END("out"));
    start(&d, NULL);
    uint32_t other = job_of(&d, "b")->number;
    complete(&d, "a", "{'stop':true}");
    assert_at(&d, "COMPLETED b w"); /* Abandoned. */
    assert_int_equal(d.instance->job_count + d.instance->timer_count, 0);
    assert_int_equal(d.instance->scope_count, 1);
    assert_int_equal(driver_complete(&d, other, NULL), ST_OK);
    assert_true(d.outcome.unchanged);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT);
    assert_rows(&d, "f COMPLETED, a COMPLETED, b RUNNING, w RUNNING, c COMPLETED, out COMPLETED");
    driver_end(&d);
}

static void an_end_leaves_arrivals_at_their_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "c")
                         CHOOSE("c", "'stop':'out','!stop':'j'") JOIN("j", "end") END("end") END("out"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    complete(&d, "b", "{'stop':true}");
    assert_at(&d, "COMPLETED j");
    assert_rows(&d, "f COMPLETED, a COMPLETED, b COMPLETED, j RUNNING, c COMPLETED, out COMPLETED");
    driver_end(&d);
}

static void a_timer_token_in_a_branch_counts_at_the_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'p','b'", "j")
                         STEP("p", "USER_TASK", NEXT("j") "," TIMERS(TIMER("PT1H", "false", "remind")))
                             TASK("remind", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fire(&d, "p", 0);
    assert_at(&d, "WAITING p b remind");
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE remind j");
    complete(&d, "remind", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void an_interrupted_branch_still_arrives(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j")
                         TASK_WITH("a", "'nextStep':'j'," TIMERS(TIMER("PT1M", "true", "x"))) TASK("x", "j")
                             TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    complete(&d, "b", NULL);
    fire(&d, "a", 0);
    assert_at(&d, "ACTIVE j x");
    complete(&d, "x", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_timers_task_that_rests_does_not_keep_the_join_shut(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(
        &d, FORK("f", "'a','b'", "j") TASK_WITH("a", "'nextStep':'j'," TIMERS(TIMER("PT1M", "false", "x")))
                STEP("x", "SERVICE_TASK", ",'jobType':'x'") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fire(&d, "a", 0);
    complete(&d, "x", NULL);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_branch_that_ends_on_its_own_keeps_the_join_shut(void **state)
{
    static const struct {
        const char *step, *type, *more, *at;
    } cases[] = {
        { "x", "SERVICE_TASK", ",'jobType':'x'", "ACTIVE x j" },
        { "x", "USER_TASK", "", "ACTIVE j" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        char steps[1024];
        snprintf(steps, sizeof steps,
                 FORK("f", "'a','b'", "j")
                     STEP("a", "DECISION",
                          ",'conditionalNextSteps':{'out':'x','!out':'j'}") "{'id':'x','name':'x','type':'%s'"
                                                                            "%s}," TASK("b", "j")
                                                                                JOIN("j", "end") END("end"),
                 cases[i].type, cases[i].more);
        driver_begin(&d, steps);
        start(&d, "{'out':true}");
        if (i == 0) complete(&d, "x", NULL);
        else send(&d, COMMAND_COMPLETE_TASK, "x", NULL);
        complete(&d, "b", NULL);
        assert_at(&d, cases[i].at);
        driver_end(&d);
    }
}

static void a_token_that_vanishes_does_not_keep_the_join_shut(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j")
                         TASK_WITH("a", "'nextStep':'j'," TIMERS(TIMER("PT1M", "false", "p")))
                             STEP("p", "USER_TASK", "") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fire(&d, "a", 0);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "WAITING p j");
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void jobs_keep_the_data_they_were_opened_with(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b','c'", "j") TASK("a", "a2") TASK("a2", "j") TASK_WITH(
                         "b", "'nextStep':'j','retryCount':1") TASK("c", "j") JOIN("j", "end") END("end"));
    start(&d, "{'n':0}");
    assert_null(job_of(&d, "b")->payload); /* Still the instance's own. */
    complete(&d, "a", "{'n':1}");
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "b")), "{'n':0}");
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "a2")), "{'n':1}");
    fail_job(&d, "b", "again", true);
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "b")), "{'n':0}");
    complete(&d, "a2", "{'n':2}");
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "b")), "{'n':0}");
    complete(&d, "b", NULL);
    complete(&d, "c", NULL);
    assert_data(&d, "{'n':2}");
    driver_end(&d);
}

static void results_of_branches_are_merged_deeply(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, "{'r':{'z':[1]}}");
    complete(&d, "a", "{'r':{'x':1,'z':[2]}}");
    complete(&d, "b", "{'r':{'y':null}}");
    assert_data(&d, "{'r':{'z':[2],'x':1,'y':null}}");
    driver_end(&d);
}

/* ---- programs that the front end would refuse ---- */

enum { FORK_NODE, OTHER_FORK, LEFT, RIGHT, JOIN_NODE, OTHER_JOIN, LAST, BUILT_COUNT };

/* fork -> (left task, other fork -> (right task twice) -> other join) -> join -> end */
static struct program *nested_forks(void)
{
    struct program *program = program_new(0);
    struct arena *arena = program_arena(program);
    struct program_node *node = arena_make_n(arena, struct program_node, BUILT_COUNT);
    struct program_edge *edge = arena_make_n(arena, struct program_edge, 16);
    static const struct {
        enum node_kind kind;
        const char *name;
        uint32_t to[2];
        uint32_t join;
    } shape[BUILT_COUNT] = {
        [FORK_NODE] = { NODE_FORK, "f", { LEFT, OTHER_FORK }, JOIN_NODE },
        [OTHER_FORK] = { NODE_FORK, "g", { RIGHT, RIGHT }, OTHER_JOIN },
        [LEFT] = { NODE_TASK, "left", { JOIN_NODE, NODE_NONE }, 0 },
        [RIGHT] = { NODE_TASK, "right", { OTHER_JOIN, NODE_NONE }, 0 },
        [JOIN_NODE] = { NODE_JOIN, "j", { LAST, NODE_NONE }, 0 },
        [OTHER_JOIN] = { NODE_JOIN, "k", { JOIN_NODE, NODE_NONE }, 0 },
        [LAST] = { NODE_END, "end", { NODE_NONE, NODE_NONE }, 0 },
    };
    for (size_t i = 0; i < BUILT_COUNT; i++) {
        node[i] = (struct program_node){ .kind = shape[i].kind,
                                         .name = str_of(shape[i].name),
                                         .edge = &edge[i * 2] };
        for (size_t e = 0; e < 2 && shape[i].to[e] != NODE_NONE; e++)
            edge[i * 2 + node[i].edge_count++].target = shape[i].to[e];
        if (node[i].kind == NODE_FORK) node[i].as.fork.join = shape[i].join;
        if (node[i].kind == NODE_TASK) node[i].as.task.job_type = node[i].name;
    }
    program->node = node;
    program->node_count = BUILT_COUNT;
    program->start = FORK_NODE;
    program->node_word = STR("step");
    program_link(program);
    return program;
}

static void forks_can_be_nested(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_empty(&d);
    d.program = nested_forks();
    start(&d, NULL);
    assert_at(&d, "ACTIVE left right");
    assert_int_equal(d.instance->scope_count, 2);
    complete(&d, "left", NULL);
    complete(&d, "right", NULL);
    assert_at(&d, "ACTIVE right j k");
    complete(&d, "right", NULL);
    assert_at(&d, "COMPLETED");
    assert_rows(&d,
                "f COMPLETED, left COMPLETED, g COMPLETED, right COMPLETED, right#2 COMPLETED, j COMPLETED, "
                "k COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_join_outside_of_a_fork_fails(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_empty(&d);
    d.program = nested_forks();
    d.program->start = JOIN_NODE;
    start(&d, NULL);
    assert_at(&d, "FAILED j");
    assert_failure(&d, "join 'j' was reached outside of any fork");
    driver_end(&d);
}

static void a_join_of_another_fork_fails(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_empty(&d);
    d.program = nested_forks();
    d.program->start = OTHER_FORK;
    start(&d, NULL);
    complete(&d, "right", NULL);
    assert_at(&d, "ACTIVE right k");
    driver_end(&d);

    driver_begin_empty(&d);
    d.program = nested_forks();
    /* The inner fork now has the outer one's join. */
    struct program_node *node = arena_make_n(program_arena(d.program), struct program_node, BUILT_COUNT);
    memcpy(node, d.program->node, BUILT_COUNT * sizeof *node);
    node[OTHER_FORK].as.fork.join = JOIN_NODE;
    d.program->node = node;
    d.program->start = OTHER_FORK;
    start(&d, NULL);
    complete(&d, "right", NULL);
    assert_at(&d, "FAILED right k");
    assert_failure(&d, "join 'k' was reached by a branch of 'g', which it does not join");
    driver_end(&d);
}

static void tokens_have_a_limit(void **state)
{
    struct driver d;
    (void)state;
    /* A fork whose branches lead to forks: 2 tokens become 4, 8, … */
    driver_begin_empty(&d);
    d.program = nested_forks();
    struct program_node *node = arena_make_n(program_arena(d.program), struct program_node, BUILT_COUNT);
    struct program_edge *edge = arena_make_n(program_arena(d.program), struct program_edge, 5001);
    for (size_t i = 0; i < 5001; i++) edge[i].target = LEFT;
    memcpy(node, d.program->node, BUILT_COUNT * sizeof *node);
    node[OTHER_FORK].edge = edge;
    node[OTHER_FORK].edge_count = 5001;
    struct program_edge *twice = arena_make_n(program_arena(d.program), struct program_edge, 2);
    twice[0].target = twice[1].target = OTHER_FORK;
    node[FORK_NODE].edge = twice;
    d.program->node = node;
    d.limits.visits_max = 100000;
    start(&d, NULL);
    assert_failure(&d, "5001 more tokens are too many: an instance has at most 10000 (TOKENS_MAX)");
    assert_int_equal(d.instance->token_count, 5002);
    driver_end(&d);
}

static void a_timer_that_needs_a_token_too_many_fails_its_visit(void **state)
{
    struct driver d;
    struct error err;
    (void)state;
    driver_begin_empty(&d);
    d.program = nested_forks();
    struct arena *arena = program_arena(d.program);
    struct program_node *node = arena_make_n(arena, struct program_node, BUILT_COUNT);
    struct program_edge *edge = arena_make_n(arena, struct program_edge, TOKENS_MAX);
    for (size_t i = 0; i < TOKENS_MAX; i++) edge[i].target = i ? LEFT : RIGHT;
    struct program_timer *timer = arena_make(arena, struct program_timer);
    *timer = (struct program_timer){ .delay_ms = 1000, .target = LEFT };
    memcpy(node, d.program->node, BUILT_COUNT * sizeof *node);
    node[FORK_NODE].edge = edge;
    node[FORK_NODE].edge_count = TOKENS_MAX;
    node[RIGHT].timer = timer;
    node[RIGHT].timer_count = 1;
    d.program->node = node;
    d.limits.visits_max = TOKENS_MAX + 1;
    /* Not through the driver, whose checks take long with so many tokens. */
    struct command command = { .kind = COMMAND_START };
    assert_int_equal(core_step(d.program, NULL, &command, &d.limits, &d.arena, &d.outcome, &err), ST_OK);
    assert_int_equal(d.outcome.instance->token_count, TOKENS_MAX);
    command = (struct command){ .kind = COMMAND_FIRE_TIMER,
                                .as.timer.number = d.outcome.instance->timer[0].number };
    assert_int_equal(
        core_step(d.program, d.outcome.instance, &command, &d.limits, &d.arena, &d.outcome, &err), ST_OK);
    assert_entries(&d, "timer_close job_close fail status");
    d.instance = d.outcome.instance;
    assert_failure(&d, "one more token is too many: an instance has at most 10000");
    assert_int_equal(core_verify(d.program, d.instance, &err), ST_OK);
    driver_end(&d);
}

/* Whichever is done next: the first, the last, or one in between, whose place in the arrays closes. The
 * driver checks that the state before is left alone. */
static void branches_of_a_wide_fork_may_be_done_in_any_order(void **state)
{
    enum { WIDE = 24 };
    static const struct {
        const char *order;
        size_t stride; /* Of the jobs that are left, which is next; 0: the last. */
    } cases[] = { { "forwards", WIDE }, { "backwards", 0 }, { "every third", 3 }, { "every fifth", 5 } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        struct buf steps;
        struct arena arena;
        arena_init(&arena, 0);
        buf_init(&steps, &arena);
        buf_add_str(
            &steps,
            STR("{'id':'f','name':'f','type':'PARALLEL_GATEWAY','joinStep':'j','parallelNextSteps':["));
        for (int k = 0; k < WIDE; k++) buf_add_str(&steps, arena_printf(&arena, "%s't%d'", k ? "," : "", k));
        buf_add_str(&steps, STR("]},"));
        for (int k = 0; k < WIDE; k++)
            buf_add_str(&steps, arena_printf(&arena,
                                             "{'id':'t%d','name':'t','type':'SERVICE_TASK','jobType':'t%d',"
                                             "'nextStep':'j'},",
                                             k, k));
        buf_add_str(&steps, STR(JOIN("j", "end") END("end")));
        buf_add_char(&steps, '\0');
        driver_begin(&d, steps.p);
        start(&d, "{'x':0}");
        size_t at = 0;
        for (size_t left = WIDE; left > 0; left--) {
            assert_int_equal(d.instance->job_count, left);
            at = cases[i].stride ? (at + cases[i].stride) % left : left - 1;
            if (cases[i].stride == WIDE) at = 0;
            uint32_t number = d.instance->job[at].number;
            assert_int_equal(driver_complete(&d, number, "{'x':1}"), ST_OK);
            assert_null(instance_find_job(d.instance, number));
        }
        assert_at(&d, "COMPLETED");
        driver_end(&d);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_of_any_length_meet_at_the_join),
        cmocka_unit_test(a_join_has_one_row_from_first_arrival_to_opening),
        cmocka_unit_test(instantaneous_branches_join_at_once),
        cmocka_unit_test(a_branch_can_lead_straight_to_the_join),
        cmocka_unit_test(decisions_inside_branches),
        cmocka_unit_test(a_loop_goes_through_the_gateway_twice),
        cmocka_unit_test(a_loop_inside_a_branch),
        cmocka_unit_test(an_end_inside_a_branch_ends_everything),
        cmocka_unit_test(an_end_leaves_arrivals_at_their_join),
        cmocka_unit_test(a_timer_token_in_a_branch_counts_at_the_join),
        cmocka_unit_test(an_interrupted_branch_still_arrives),
        cmocka_unit_test(a_timers_task_that_rests_does_not_keep_the_join_shut),
        cmocka_unit_test(a_branch_that_ends_on_its_own_keeps_the_join_shut),
        cmocka_unit_test(a_token_that_vanishes_does_not_keep_the_join_shut),
        cmocka_unit_test(jobs_keep_the_data_they_were_opened_with),
        cmocka_unit_test(results_of_branches_are_merged_deeply),
        cmocka_unit_test(forks_can_be_nested),
        cmocka_unit_test(a_join_outside_of_a_fork_fails),
        cmocka_unit_test(a_join_of_another_fork_fails),
        cmocka_unit_test(tokens_have_a_limit),
        cmocka_unit_test(branches_of_a_wide_fork_may_be_done_in_any_order),
        cmocka_unit_test(a_timer_that_needs_a_token_too_many_fails_its_visit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
