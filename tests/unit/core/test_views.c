/* Views for people: visits with their data, current nodes, and why nothing moves. */

#include "documents.h"

#include "core/driver.h"
#include "core/trail.h"

static void visits_show_what_went_in_and_came_out(void **state)
{
    struct driver d;
    size_t count;
    (void)state;
    driver_begin(&d, TASK("a", "p") PERSON("p", "s") SET("s", "'m':'${n + 1}'", "c") CHOOSE("c", "'true':'b'")
                         TASK("b", "end") END("end"));
    start(&d, "{'n':1}");
    d.now_ms = 2000000;
    complete(&d, "a", "{'x':{'y':1}}");
    d.now_ms = 3000000;
    send(&d, COMMAND_COMPLETE_TASK, "p", "{'ok':true}");
    complete(&d, "b", NULL);

    static const struct {
        const char *node, *type, *input, *output;
    } want[] = {
        { "a", "SERVICE_TASK", "{'n':1}", "{'x':{'y':1}}" },
        { "p", "USER_TASK", "{'n':1,'x':{'y':1}}", "{'n':1,'x':{'y':1},'ok':true}" },
        { "s", "TRANSFORMATION", "{'n':1,'x':{'y':1},'ok':true}", "{'n':1,'x':{'y':1},'ok':true,'m':2}" },
        { "c", "DECISION", "{'n':1,'x':{'y':1},'ok':true,'m':2}", "" },
        { "b", "SERVICE_TASK", "{'n':1,'x':{'y':1},'ok':true,'m':2}", "{}" },
        { "end", "END", "{'n':1,'x':{'y':1},'ok':true,'m':2}", "" },
    };
    const struct execution *row = driver_rows(&d, &count);
    assert_int_equal(count, COUNT(want));
    for (size_t i = 0; i < count; i++) {
        assert_true(str_equal(row[i].node_name, str_of(want[i].node)));
        assert_true(str_equal(row[i].type, str_of(want[i].type)));
        assert_json(&d, row[i].input, want[i].input);
        assert_json(&d, row[i].output, want[i].output);
        assert_int_equal(row[i].from, i ? row[i - 1].number : 0);
    }
    assert_int_equal(row[0].started_ms, 1000000);
    assert_int_equal(row[0].ended_ms, 2000000);
    assert_int_equal(row[1].ended_ms, 3000000);
    driver_end(&d);
}

static void visits_can_be_told_without_the_program(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    struct execution *with, *without;
    size_t with_count, without_count;
    struct error err;
    with = driver_rows(&d, &with_count);
    assert_int_equal(
        core_executions(NULL, d.history, d.history_count, &d.arena, &without, &without_count, &err), ST_OK);
    assert_int_equal(with_count, without_count);
    for (size_t i = 0; i < with_count; i++) {
        assert_int_equal(without[i].type.n, 0);
        assert_int_equal(without[i].number, with[i].number);
        assert_int_equal(without[i].status, with[i].status);
    }
    driver_end(&d);
}

/* What they borrow from is gone by the end, as with a history that is read piece by piece. */
static void visits_beyond_the_budget_come_without_data(void **state)
{
    struct driver d;
    struct arena arena;
    struct error err;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "c") TASK("c", "end") END("end"));
    start(&d, "{'x':1}");
    complete(&d, "a", "{'y':2}");
    complete(&d, "b", "{'z':3}");
    complete(&d, "c", NULL);
    arena_init(&arena, 0);
    struct trail *trail = core_trail_new(d.program, &arena);
    for (size_t i = 0; i < d.history_count; i++) {
        struct buf bytes;
        struct history history;
        struct arena piece;
        arena_init(&piece, 0);
        buf_init(&bytes, &piece);
        history_encode(&d.history[i], &bytes);
        assert_int_equal(history_decode(buf_str(&bytes), &piece, &history, &err), ST_OK);
        assert_int_equal(core_tell(trail, &history, &err), ST_OK);
        arena_done(&piece);
        if (i == 1) arena.budget = 1; /* Used up. */
    }
    struct execution *row;
    size_t count;
    core_trail_end(trail, &row, &count);
    assert_int_equal(count, 4);
    static const struct {
        const char *name;
        bool input, output, omitted;
    } want[] = {
        { "a", true, true, false },
        { "b", true, false, true },
        { "c", false, false, true },
        { "end", false, false, true },
    };
    for (size_t i = 0; i < count; i++) {
        assert_true(str_equal(row[i].node_name, str_of(want[i].name)));
        assert_int_equal(row[i].input != NULL, want[i].input);
        assert_int_equal(row[i].output != NULL, want[i].output);
        assert_int_equal(row[i].omitted, want[i].omitted);
        assert_int_equal(row[i].status, EXECUTION_COMPLETED);
    }
    arena_done(&arena);
    driver_end(&d);
}

static void a_history_with_a_hole_is_refused(void **state)
{
    struct driver d;
    struct execution *row;
    size_t count;
    struct error err;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    assert_int_equal(core_executions(d.program, &d.history[1], 1, &d.arena, &row, &count, &err), ST_INTERNAL);
    assert_int_equal(core_executions(d.program, NULL, 0, &d.arena, &row, &count, &err), ST_OK);
    assert_int_equal(count, 0);
    driver_end(&d);
}

static void assert_explained(struct driver *d, size_t token, const char *want)
{
    str got = core_explain(d->program, d->instance, &d->instance->token[token], d->now_ms, &d->arena);
    assert_string_equal(arena_str(&d->arena, got).p, driver_text(d, want).p);
}

static void every_wait_is_explained(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','p','w','b'", "j") TASK_WITH(
                         "a", "'nextStep':'j','retryCount':2,'retryBackoff':{'initial':'PT1M'}," TIMERS(TIMER(
                                  "PT1H", "true", "x") "," TIMER("PT2H", "false", "x"))) PERSON("p", "j")
                         WAIT("w", "j") TASK("b", "j") TASK("x", "j") JOIN("j", "end") END("end"));
    d.now_ms = 0;
    start(&d, NULL);
    complete(&d, "b", NULL);
    fail_job(&d, "a", "no", true);
    assert_explained(
        &d, 0,
        "waits for a worker of type 'a' (attempt 2, 1 retry left), not before 1970-01-01T00:01:00Z; "
        "a timer interrupts it and goes to 'x' at 1970-01-01T01:00:00Z; "
        "a timer starts 'x' at 1970-01-01T02:00:00Z");
    assert_explained(&d, 1, "waits for a person to complete 'p'");
    assert_explained(&d, 2, "waits for a signal to 'w'");
    assert_explained(&d, 3, "waits for the other branches: 'a', 'p', 'w'");
    d.now_ms = 60000;
    fail_job(&d, "a", "no", false);
    assert_explained(&d, 0, "failed: no; a retry starts it again");
    assert_explained(&d, 1,
                     "stands still because the instance failed (no); it waits for a person to complete 'p'");
    send(&d, COMMAND_RETRY, "a", NULL);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    assert_explained(&d, 0, "was stopped when the instance was cancelled");
    driver_end(&d);
}

static void a_dead_end_and_a_leftover_are_explained(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("w", "WAIT", NEXT("end") "," TIMERS(TIMER("PT1H", "false", "x")))
                         STEP("x", "SERVICE_TASK", ",'jobType':'x'") END("end"));
    start(&d, NULL);
    fire(&d, "w", 0);
    complete(&d, "x", NULL);
    assert_explained(&d, 1, "is done and has nowhere to go");
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_explained(&d, 0, "was left behind when the instance completed");
    driver_end(&d);
}

/* As "1 failed by w: one, 2 open". */
static void assert_tried(struct driver *d, size_t visit, const char *want)
{
    size_t count;
    const struct execution *row = &driver_rows(d, &count)[visit];
    struct buf got;
    buf_init(&got, &d->arena);
    for (size_t i = 0; i < row->tried_count; i++) {
        const struct job_attempt *one = &row->tried[i];
        buf_printf(&got, "%s%u %s", i ? ", " : "", one->number, execution_outcome_word(one->outcome));
        if (one->actor.n) buf_printf(&got, " by %.*s", STR_ARG(one->actor));
        if (one->error.n) buf_printf(&got, ": %.*s", STR_ARG(one->error));
    }
    buf_add_char(&got, '\0');
    assert_string_equal(got.p, want);
}

static void every_attempt_is_told(void **state)
{
    struct driver d;
    size_t count;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'b','retryCount':2,'retryBackoff':{'initial':'PT1M'}")
                         PERSON("b", "end") END("end"));
    start(&d, NULL);
    assert_tried(&d, 0, "1 open");
    fail_job(&d, "a", "one", true);
    assert_tried(&d, 0, "1 failed: one, 2 open");
    const struct execution *row = driver_rows(&d, &count);
    assert_int_equal(row[0].tried[1].available_ms, row[0].tried[1].opened_ms + 60000);
    assert_int_equal(row[0].tried[0].ended_ms, d.now_ms);
    complete(&d, "a", NULL);
    assert_tried(&d, 0, "1 failed: one, 2 completed by worker-1");
    row = driver_rows(&d, &count);
    assert_int_equal(row[1].tried_total, 0);
    driver_end(&d);
}

static void of_many_attempts_the_last_are_told(void **state)
{
    struct driver d;
    size_t count;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end','retryCount':1000") END("end"));
    start(&d, NULL);
    for (int i = 0; i < ATTEMPTS_SHOWN_MAX + 4; i++) fail_job(&d, "a", "no", true);
    complete(&d, "a", NULL);
    const struct execution *row = driver_rows(&d, &count);
    assert_int_equal(row[0].tried_total, ATTEMPTS_SHOWN_MAX + 5);
    assert_int_equal(row[0].tried_count, ATTEMPTS_SHOWN_MAX);
    for (size_t i = 0; i < row[0].tried_count; i++) assert_int_equal(row[0].tried[i].number, i + 6);
    assert_int_equal(row[0].tried[ATTEMPTS_SHOWN_MAX - 1].outcome, ATTEMPT_COMPLETED);
    driver_end(&d);
}

/* A state whose actions are nodes of the front end's tells of all of them. */
static void the_attempts_of_actions_are_their_state_s(void **state)
{
    struct driver d;
    size_t count;
    (void)state;
    driver_begin_document(&d, str_of(document("core/views", "two actions")));
    start(&d, NULL);
    complete(&d, "f", "{}");
    const struct execution *row = driver_rows(&d, &count);
    assert_true(str_equal(row[0].node_name, STR("A")));
    assert_tried(&d, 0, "1 completed by worker-1, 1 open");
    assert_true(str_equal(row[0].tried[0].type, STR("f")) && str_equal(row[0].tried[1].type, STR("g")));
    driver_end(&d);
}

/* ---- what a visit changed, and the ways ---- */

static void a_visit_tells_what_it_changed_and_put(void **state)
{
    struct driver d;
    size_t count;
    (void)state;
    driver_begin(&d, TASK("a", "s") SET("s", "'m':'${n + 1}'", "end") END("end"));
    start(&d, "{'n':1}");
    complete(&d, "a", "{'x':2}");
    const struct execution *row = driver_rows(&d, &count);
    assert_int_equal(count, 3);
    assert_json(&d, row[0].before, "{'n':1}");
    assert_json(&d, row[0].after, "{'n':1,'x':2}");
    assert_json(&d, row[0].put, "{'x':2}");
    assert_json(&d, row[1].before, "{'n':1,'x':2}");
    assert_json(&d, row[1].after, "{'n':1,'x':2,'m':2}");
    assert_null(row[2].before);
    assert_null(row[2].put);
    driver_end(&d);
}

static const char *ways_of(struct driver *d)
{
    struct error err;
    struct trail_way *way;
    struct buf out;
    struct trail *trail = core_trail_new(d->program, &d->arena);
    for (size_t i = 0; i < d->history_count; i++)
        assert_int_equal(core_tell(trail, &d->history[i], &err), ST_OK);
    size_t count = core_trail_ways(trail, &d->arena, &way);
    buf_init(&out, &d->arena);
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s>%.*s:%u", i ? " " : "", STR_ARG(way[i].from), STR_ARG(way[i].to),
                   way[i].count);
    buf_add_char(&out, '\0');
    return out.p;
}

/* A join has one visit for all tokens that come to it, and each of them came by a way. */
static void every_way_is_counted_also_those_to_a_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "c")
                         CHOOSE("c", "'again':'a2','true':'end'") SET("a2", "'again':false", "c") END("end"));
    start(&d, "{'again':true}");
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_string_equal(ways_of(&d), "f>a:1 f>b:1 a>j:1 b>j:1 j>c:1 c>a2:1 a2>c:1 c>end:1");
    driver_end(&d);
}

/* Nodes that the front end made for its own purposes are passed over. */
static void ways_lead_past_inner_nodes(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_document(&d, str_of(document("core/views", "two actions")));
    start(&d, NULL);
    complete(&d, "f", "{}");
    complete(&d, "g", "{}");
    assert_null(strstr(ways_of(&d), "action"));
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_tells_what_it_changed_and_put),
        cmocka_unit_test(every_way_is_counted_also_those_to_a_join),
        cmocka_unit_test(ways_lead_past_inner_nodes),
        cmocka_unit_test(every_attempt_is_told),
        cmocka_unit_test(of_many_attempts_the_last_are_told),
        cmocka_unit_test(the_attempts_of_actions_are_their_state_s),
        cmocka_unit_test(visits_show_what_went_in_and_came_out),
        cmocka_unit_test(visits_can_be_told_without_the_program),
        cmocka_unit_test(visits_beyond_the_budget_come_without_data),
        cmocka_unit_test(a_history_with_a_hole_is_refused),
        cmocka_unit_test(every_wait_is_explained),
        cmocka_unit_test(a_dead_end_and_a_leftover_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
