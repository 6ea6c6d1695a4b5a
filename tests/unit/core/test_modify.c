/* Repair by hand: variables set, tokens moved, added and cancelled as one command, or nothing at all. */
#include "documents.h"

#include "core/driver.h"

#include "base/limits.h"

#define MOVE(from, target)                                      \
    {                                                           \
        .kind = MODIFY_MOVE, .at = STR(from), .to = STR(target) \
    }
#define ADD(target)                           \
    {                                         \
        .kind = MODIFY_ADD, .to = STR(target) \
    }
#define BESIDE(token, target)                                   \
    {                                                           \
        .kind = MODIFY_ADD, .at = STR(token), .to = STR(target) \
    }
#define CANCEL(from)                           \
    {                                          \
        .kind = MODIFY_CANCEL, .at = STR(from) \
    }
#define LIST(...) \
    (const struct modification[]){ __VA_ARGS__ }, COUNT(((const struct modification[]){ __VA_ARGS__ }))

static enum status modify(struct driver *d, const char *set, const char *unset,
                          const struct modification *what, size_t count)
{
    return driver_do(d, (struct command){ .kind = COMMAND_MODIFY,
                                          .data = driver_json(d, set),
                                          .as.modify.unset = driver_json(d, unset),
                                          .as.modify.modification = what,
                                          .as.modify.modification_count = count,
                                          .actor = STR("ann") });
}

static void repair(struct driver *d, const struct modification *what, size_t count)
{
    if (modify(d, NULL, NULL, what, count) != ST_OK) fail_msg("modify: %s", d->rejection.message);
}

static void refused(struct driver *d, const struct modification *what, size_t count, enum status want,
                    const char *message)
{
    const struct instance *before = d->instance;
    assert_rejected(d, modify(d, NULL, NULL, what, count), want, message);
    assert_ptr_equal(d->instance, before);
}

/* `name`: a member of documents/modify.json. */
static void begin(struct driver *d, const char *name)
{
    driver_begin_document(d, str_of(document("core/modify", name)));
}

static void begin_order(struct driver *d)
{
    begin(d, "order");
    start(d, "{'n':2}");
    complete(d, "first", NULL);
    assert_at(d, "ACTIVE check");
}

static void variables_are_set_and_taken_away_in_one_step(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    assert_int_equal(modify(&d, "{'a':{'b':1},'n':7}", "['n','never']", NULL, 0), ST_OK);
    assert_entries(&d, "data_cut data");
    assert_data(&d, "{'a':{'b':1},'n':7}");
    assert_int_equal(modify(&d, NULL, "['a']", NULL, 0), ST_OK);
    assert_data(&d, "{'n':7}");
    /* The job that is open is about what it was opened with. */
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "check")), "{'n':2}");
    assert_at(&d, "ACTIVE check");
    driver_end(&d);
}

static void a_moved_token_leaves_nothing_open(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    assert_int_equal(modify(&d, "{'by':'hand'}", NULL, LIST(MOVE("check", "ship"))), ST_OK);
    assert_entries(&d, "data job_close timer_close interrupt enter job_open park");
    assert_at(&d, "ACTIVE ship");
    assert_int_equal(d.instance->timer_count, 0);
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "ship")), "{'n':2,'by':'hand'}");
    assert_rows(&d, "first COMPLETED, check FAILED, ship RUNNING");
    size_t count;
    assert_true(str_equal(driver_rows(&d, &count)[1].failure, STR("moved to \"ship\"")));
    assert_true(str_equal(d.outcome.history.actor, STR("ann")));
    complete(&d, "ship", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void the_reason_is_kept_with_the_visit(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    const struct modification move = MOVE("check", "approve");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_MODIFY,
                                                     .as.modify.modification = &move,
                                                     .as.modify.modification_count = 1,
                                                     .as.modify.reason = STR("broken scanner") }),
                     ST_OK);
    size_t count;
    assert_true(str_equal(driver_rows(&d, &count)[1].failure, STR("moved to \"approve\": broken scanner")));
    assert_at(&d, "WAITING approve");
    driver_end(&d);
}

static void moved_to_where_it_stands_a_token_begins_anew(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    uint32_t job = job_of(&d, "check")->number;
    d.now_ms += 1000;
    repair(&d, LIST(MOVE("check", "check")));
    assert_true(job_of(&d, "check")->number != job);
    assert_int_equal(d.instance->timer[0].due_ms, d.now_ms + 3600000);
    assert_rows(&d, "first COMPLETED, check FAILED, check#2 RUNNING");
    driver_end(&d);
}

static void tokens_are_added_and_cancelled(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    repair(&d, LIST(ADD("notify"), ADD("side")));
    assert_at(&d, "WAITING check notify side");
    repair(&d, LIST(CANCEL("check"), CANCEL("side")));
    assert_at(&d, "ACTIVE notify");
    refused(&d, LIST(CANCEL("notify")), ST_CONFLICT,
            "no token would be left that can go on: to stop the instance, cancel it");
    repair(&d, LIST(CANCEL("notify"), ADD("approve")));
    assert_at(&d, "WAITING approve");
    driver_end(&d);
}

static void a_token_can_be_named_by_its_visit(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    repair(&d, LIST(ADD("check")));
    assert_int_equal(d.instance->token_count, 2);
    refused(&d, LIST(MOVE("check", "ship")), ST_CONFLICT,
            "2 tokens are at step 'check': name one by its step execution");
    uint32_t second = d.instance->token[1].execution;
    repair(&d, LIST({ .kind = MODIFY_MOVE, .execution = second, .to = STR("ship") }));
    assert_null(instance_find_token(d.instance, second));
    assert_at(&d, "ACTIVE check ship");
    refused(&d, LIST({ .kind = MODIFY_CANCEL, .execution = second }), ST_CONFLICT, "this visit is over");
    driver_end(&d);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    refused(&d, NULL, 0, ST_INVALID, "nothing is asked for: set, unset, move, add or cancel something");
    refused(&d, LIST(MOVE("check", "nowhere")), ST_INVALID, "step 'nowhere' not found");
    refused(&d, LIST(MOVE("nobody", "ship")), ST_INVALID, "step 'nobody' not found");
    refused(&d, LIST(ADD("nowhere")), ST_INVALID, "step 'nowhere' not found");
    refused(&d, LIST(CANCEL("ship")), ST_CONFLICT, "no token is at step 'ship'");
    refused(&d, LIST(MOVE("check", "ship"), CANCEL("check")), ST_INVALID,
            "the token at 'check' is named twice");
    assert_int_equal(modify(&d, NULL, "['a',1]", NULL, 0), ST_INVALID);
    assert_int_equal(modify(&d, NULL, "'a'", NULL, 0), ST_INVALID);
    assert_int_equal(modify(&d, "[]", NULL, NULL, 0), ST_INVALID);
    /* Half of it would do: none is done. */
    assert_int_equal(modify(&d, "{'x':1}", NULL, LIST(MOVE("check", "ship"), ADD("nowhere"))), ST_INVALID);
    assert_data(&d, "{'n':2}");
    assert_at(&d, "ACTIVE check");
    driver_end(&d);
}

static void the_number_of_modifications_is_limited(void **state)
{
    struct driver d;
    struct modification many[MODIFICATIONS_MAX + 1];
    (void)state;
    for (size_t i = 0; i < COUNT(many); i++) many[i] = (struct modification)ADD("notify");
    begin_order(&d);
    assert_int_equal(modify(&d, NULL, NULL, many, MODIFICATIONS_MAX + 1), ST_LIMIT);
    repair(&d, many, MODIFICATIONS_MAX);
    assert_int_equal(d.instance->token_count, MODIFICATIONS_MAX + 1);
    for (;;) {
        size_t room = TOKENS_MAX - d.instance->token_count;
        if (room < MODIFICATIONS_MAX) break;
        /* The driver checks each step byte for byte: with many tokens that takes long. */
        struct outcome outcome;
        struct command add = { .kind = COMMAND_MODIFY,
                               .now_ms = d.now_ms,
                               .as.modify.modification = many,
                               .as.modify.modification_count = MODIFICATIONS_MAX };
        assert_int_equal(core_step(d.program, d.instance, &add, &d.limits, &d.arena, &outcome, &d.rejection),
                         ST_OK);
        d.instance = outcome.instance;
    }
    size_t room = TOKENS_MAX - d.instance->token_count;
    struct outcome outcome;
    struct command add = { .kind = COMMAND_MODIFY,
                           .now_ms = d.now_ms,
                           .as.modify.modification = many,
                           .as.modify.modification_count = room + 1 };
    assert_int_equal(core_step(d.program, d.instance, &add, &d.limits, &d.arena, &outcome, &d.rejection),
                     ST_LIMIT);
    add.as.modify.modification_count = room;
    assert_int_equal(core_step(d.program, d.instance, &add, &d.limits, &d.arena, &outcome, &d.rejection),
                     ST_OK);
    assert_int_equal(outcome.instance->token_count, TOKENS_MAX);
    driver_end(&d);
}

static void an_instance_that_moved_on_is_left_alone(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    struct command set = { .kind = COMMAND_MODIFY,
                           .data = driver_json(&d, "{'a':1}"),
                           .as.modify.if_revision = 1 };
    assert_rejected(&d, driver_do(&d, set), ST_CONFLICT,
                    "the instance has moved on: its revision is 2, not 1");
    set.as.modify.if_revision = 2;
    assert_int_equal(driver_do(&d, set), ST_OK);
    assert_int_equal(d.instance->revision, 3);
    driver_end(&d);
}

static void what_has_ended_is_not_modified(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    repair(&d, LIST(MOVE("check", "end")));
    assert_at(&d, "COMPLETED");
    refused(&d, LIST(ADD("ship")), ST_CONFLICT, "instance is already COMPLETED");
    driver_end(&d);
    begin_order(&d);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    refused(&d, LIST(MOVE("check", "ship")), ST_CONFLICT, "instance is already CANCELLED");
    driver_end(&d);
}

static void a_failed_instance_lives_again(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    fail_job(&d, "check", "broken", false);
    assert_at(&d, "FAILED check");
    assert_rejected(&d, modify(&d, "{'n':3}", NULL, NULL, 0), ST_CONFLICT,
                    "'check' has failed: move or cancel its token too, or retry it");
    refused(&d, LIST(ADD("ship")), ST_CONFLICT,
            "'check' has failed: move or cancel its token too, or retry it");
    assert_int_equal(modify(&d, "{'n':3}", NULL, LIST(MOVE("check", "ship"))), ST_OK);
    assert_entries(&d, "data forget enter status job_open park");
    assert_at(&d, "ACTIVE ship");
    assert_failure(&d, "");
    assert_int_equal(d.instance->ended_ms, 0);
    assert_rows(&d, "first COMPLETED, check FAILED, ship RUNNING");
    size_t count;
    assert_true(str_equal(driver_rows(&d, &count)[1].failure, STR("broken")));
    driver_end(&d);
}

static void a_failed_token_can_be_replaced(void **state)
{
    struct driver d;
    (void)state;
    begin_order(&d);
    fail_job(&d, "check", "broken", false);
    refused(&d, LIST(CANCEL("check")), ST_CONFLICT,
            "no token would be left that can go on: to stop the instance, cancel it");
    repair(&d, LIST(CANCEL("check"), ADD("approve")));
    assert_at(&d, "WAITING approve");
    driver_end(&d);
}

/* An instance that stops at an exit has no failed token. */
static void an_instance_that_failed_at_an_exit_goes_on_elsewhere(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "order");
    start(&d, "{'n':0}");
    complete(&d, "first", NULL);
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    repair(&d, LIST(MOVE("first", "ship")));
    assert_at(&d, "ACTIVE ship");
    driver_end(&d);
}

static void a_modification_may_fail_the_instance(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "c") CHOOSE("c", "'n > 1':'end'") END("end"));
    start(&d, "{'n':1}");
    repair(&d, LIST(MOVE("a", "c")));
    assert_at(&d, "FAILED c");
    assert_int_equal(modify(&d, "{'n':2}", NULL, LIST(MOVE("c", "c"))), ST_OK);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* ---- forks ---- */

static void begin_forked(struct driver *d)
{
    begin(d, "forked");
    start(d, NULL);
    complete(d, "in", NULL);
    assert_at(d, "ACTIVE a b");
}

static void a_branch_can_be_moved_within_itself_and_to_the_join(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    repair(&d, LIST(MOVE("a", "a2")));
    assert_at(&d, "ACTIVE b a2");
    repair(&d, LIST(MOVE("a2", "j")));
    assert_at(&d, "ACTIVE b j");
    complete(&d, "b", NULL);
    assert_at(&d, "WAITING out");
    assert_int_equal(d.instance->scope_count, 0);
    assert_rows(&d, "in COMPLETED, f COMPLETED, a FAILED, b COMPLETED, a2 FAILED, j COMPLETED, out RUNNING");
    driver_end(&d);
}

static void a_branch_cannot_be_taken_from_its_join(void **state)
{
    struct driver d;
    const char *lonely =
        "the join 'j' would wait for ever: 1 of the 2 branches of 'f' could still arrive. Move a branch to "
        "the join to skip it, or move or cancel all of them";
    (void)state;
    begin_forked(&d);
    refused(&d, LIST(CANCEL("a")), ST_CONFLICT, lonely);
    refused(&d, LIST(MOVE("a", "out")), ST_CONFLICT, lonely);
    refused(&d, LIST(MOVE("a", "in")), ST_CONFLICT, lonely);
    /* From there no way leads to the join. */
    refused(&d, LIST(MOVE("a", "note")), ST_CONFLICT, lonely);
    driver_end(&d);
}

static void a_fork_can_be_given_up_as_a_whole(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    repair(&d, LIST(MOVE("a", "out"), CANCEL("b")));
    assert_at(&d, "WAITING out");
    assert_int_equal(d.instance->scope_count + d.instance->job_count + d.instance->timer_count, 0);
    send(&d, COMMAND_COMPLETE_TASK, "out", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
    begin_forked(&d);
    repair(&d, LIST(CANCEL("a"), CANCEL("b"), ADD("f")));
    assert_at(&d, "ACTIVE a b");
    assert_int_equal(d.instance->scope_count, 1);
    driver_end(&d);
}

static void nobody_comes_into_a_fork_from_outside(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "forked");
    start(&d, NULL);
    refused(&d, LIST(MOVE("in", "a2")), ST_CONFLICT,
            "'a2' belongs to the branches of 'f', and only a token of these can enter it: enter 'f' itself");
    refused(&d, LIST(MOVE("in", "j")), ST_CONFLICT,
            "'j' belongs to the branches of 'f', and only a token of these can enter it: enter 'f' itself");
    refused(&d, LIST(ADD("b")), ST_CONFLICT,
            "'b' belongs to the branches of 'f', and only a token of these can enter it: enter 'f' itself");
    repair(&d, LIST(MOVE("in", "f")));
    assert_at(&d, "ACTIVE a b");
    driver_end(&d);
}

static void a_token_beside_a_branch_is_waited_for(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    repair(&d, LIST(BESIDE("a", "a2")));
    complete(&d, "b", NULL);
    complete(&d, "a", NULL);
    assert_at(&d, "ACTIVE a2 j");
    complete(&d, "a2", NULL);
    assert_at(&d, "ACTIVE j a2");
    /* It is one more than there are branches: it may go. */
    repair(&d, LIST(CANCEL("a2")));
    assert_at(&d, "WAITING out");
    driver_end(&d);
}

/* The branches that wait at a join are shown in one row, whichever of them moves. */
static void of_those_at_a_join_one_may_begin_anew(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    repair(&d, LIST(BESIDE("a", "a")));
    complete(&d, "a", NULL);
    complete(&d, "a2", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE a j");
    uint32_t first = 0;
    for (size_t i = d.instance->token_count; i-- > 0;)
        if (d.instance->token[i].state == TOKEN_JOIN) first = d.instance->token[i].execution;
    repair(&d, LIST({ .kind = MODIFY_MOVE, .execution = first, .to = STR("b") }));
    assert_at(&d, "ACTIVE a j b");
    assert_rows(&d, "in COMPLETED, f COMPLETED, a COMPLETED, b COMPLETED, a#2 RUNNING, a2 COMPLETED, j "
                    "FAILED, j#2 RUNNING, "
                    "b#2 RUNNING");
    driver_end(&d);
}

/* Numbers of visits do not tell the order in which tokens arrive. */
static void a_token_with_a_smaller_number_takes_the_row_of_a_join(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d,
                 FORK("f", "'a','b','c'", "j") STEP("a", "DECISION", ",'conditionalNextSteps':{'n > 1':'j'}")
                     STEP("b", "DECISION", ",'conditionalNextSteps':{'n == 1':'j'}") TASK("c", "j")
                         JOIN("j", "out") PERSON("out", "end") END("end"));
    start(&d, "{'n':1}");
    assert_rows(&d, "f COMPLETED, a FAILED, b FAILED, c FAILED");
    repair(&d, LIST(MOVE("a", "j")));
    assert_at(&d, "ACTIVE c j");
    uint32_t latest = 0;
    for (size_t i = 0; i < d.instance->token_count; i++)
        if (d.instance->token[i].execution > latest) latest = d.instance->token[i].execution;
    repair(&d, LIST({ .kind = MODIFY_MOVE, .execution = latest, .to = STR("c") }));
    assert_rows(&d, "f COMPLETED, a FAILED, b COMPLETED, c RUNNING, j RUNNING, j#2 FAILED, c#2 RUNNING");
    driver_end(&d);
}

static void a_branch_that_rested_can_be_made_good(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j")
                         TASK_WITH("a", "'conditionalNextSteps':{'n > 1':'j','n < 2':'rest'}")
                             STEP("rest", "SERVICE_TASK", ",'jobType':'rest'") TASK("b", "j") JOIN("j", "out")
                                 PERSON("out", "end") END("end"));
    start(&d, "{'n':1}");
    complete(&d, "a", NULL);
    complete(&d, "rest", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE rest j");
    repair(&d, LIST(MOVE("rest", "j")));
    assert_at(&d, "WAITING out");
    driver_end(&d);
}

static void an_end_is_open_to_everybody(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    repair(&d, LIST(MOVE("a", "end")));
    assert_at(&d, "COMPLETED b");
    assert_int_equal(d.instance->job_count, 0);
    driver_end(&d);
}

/* An END that ends its branch alone does not end the join's wait for it. */
static void an_end_of_a_branch_is_no_way_out_of_a_fork(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j")
                         TASK_WITH("b", "'nextStep':'j'," TIMERS(TIMER("PT1H", "false", "note")))
                             PERSON("note", "done") STEP("done", "END", ",'ends':'branch'") JOIN("j", "end")
                                 END("end"));
    start(&d, NULL);
    refused(&d, LIST(MOVE("a", "done")), ST_CONFLICT,
            "the join 'j' would wait for ever: 1 of the 2 branches of 'f' could still arrive. Move a branch "
            "to the join to "
            "skip it, or move or cancel all of them");
    fire(&d, "b", 0);
    repair(&d, LIST(MOVE("note", "done")));
    assert_at(&d, "ACTIVE a b");
    driver_end(&d);
}

static void a_failed_branch_can_be_skipped(void **state)
{
    struct driver d;
    (void)state;
    begin_forked(&d);
    fail_job(&d, "a", "broken", false);
    assert_at(&d, "FAILED a b");
    refused(&d, LIST(CANCEL("b"), MOVE("a", "a2")), ST_CONFLICT,
            "the join 'j' would wait for ever: 1 of the 2 branches of 'f' could still arrive. Move a branch "
            "to the join to "
            "skip it, or move or cancel all of them");
    repair(&d, LIST(MOVE("a", "j")));
    assert_at(&d, "ACTIVE b j");
    complete(&d, "b", NULL);
    assert_at(&d, "WAITING out");
    driver_end(&d);
}

static void an_end_chains(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_with(&d, ",'autoStartNextWorkflow':true,'nextWorkflowId':'more'",
                      TASK("a", "end") END("end"));
    start(&d, NULL);
    repair(&d, LIST(MOVE("a", "end")));
    assert_entries(&d, "job_close interrupt enter leave status chain");
    driver_end(&d);
}

/* ---- states and what is inside them ---- */

static void begin_states(struct driver *d)
{
    begin(d, "states");
    start(d, "{'x':1}");
    assert_int_equal(d->instance->job_count, 2);
}

static void a_state_is_moved_with_all_that_it_began(void **state)
{
    struct driver d;
    (void)state;
    begin_states(&d);
    repair(&d, LIST(MOVE("P", "Q")));
    assert_at(&d, "ACTIVE Q");
    assert_int_equal(d.instance->job_count, 1);
    /* Its inside is named by the state. */
    uint32_t inner = d.instance->token[d.instance->token_count - 1].execution;
    assert_int_equal(
        modify(&d, "{'y':2}", NULL, LIST({ .kind = MODIFY_MOVE, .execution = inner, .to = STR("R") })),
        ST_OK);
    assert_at(&d, "ACTIVE R");
    assert_int_equal(d.instance->scope_count, 0);
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "g")), "{'x':1,'y':2}");
    driver_end(&d);
}

static void the_inside_of_a_state_is_its_own(void **state)
{
    struct driver d;
    (void)state;
    begin_states(&d);
    refused(&d, LIST(MOVE("P", "P/a/a1")), ST_CONFLICT,
            "'P/a/a1' is inside another state, and cannot be entered alone");
    refused(&d, LIST(ADD("P/b/b1")), ST_CONFLICT,
            "'P/b/b1' is inside another state, and cannot be entered alone");
    /* Only used up retries lead there, out of a region and yet not out of the branch. */
    refused(&d, LIST(ADD("P/b/b2")), ST_CONFLICT,
            "'P/b/b2' is inside another state, and cannot be entered alone");
    refused(&d, LIST(MOVE("P/a/a1", "Q")), ST_CONFLICT,
            "'P/a/a1' is inside the state 'P': name that, and what it began is interrupted");
    refused(&d, LIST(CANCEL("P/a/a1")), ST_CONFLICT,
            "'P/a/a1' is inside the state 'P': name that, and what it began is interrupted");
    repair(&d, LIST(ADD("Q")));
    str inner = d.instance->token[d.instance->token_count - 1].node_name;
    assert_int_equal(modify(&d, NULL, NULL, LIST({ .kind = MODIFY_MOVE, .at = STR("Q"), .to = inner })),
                     ST_INVALID);
    driver_end(&d);
}

static void a_failed_state_goes_on_elsewhere(void **state)
{
    struct driver d;
    (void)state;
    begin_states(&d);
    fail_job(&d, "f", "no", false);
    assert_at(&d, "FAILED P");
    repair(&d, LIST(MOVE("P", "R")));
    assert_at(&d, "ACTIVE R");
    assert_null(d.instance->error);
    complete(&d, "g", "{'done':true}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_set_and_taken_away_in_one_step),
        cmocka_unit_test(a_moved_token_leaves_nothing_open),
        cmocka_unit_test(the_reason_is_kept_with_the_visit),
        cmocka_unit_test(moved_to_where_it_stands_a_token_begins_anew),
        cmocka_unit_test(tokens_are_added_and_cancelled),
        cmocka_unit_test(a_token_can_be_named_by_its_visit),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_number_of_modifications_is_limited),
        cmocka_unit_test(an_instance_that_moved_on_is_left_alone),
        cmocka_unit_test(what_has_ended_is_not_modified),
        cmocka_unit_test(a_failed_instance_lives_again),
        cmocka_unit_test(a_failed_token_can_be_replaced),
        cmocka_unit_test(an_instance_that_failed_at_an_exit_goes_on_elsewhere),
        cmocka_unit_test(a_modification_may_fail_the_instance),
        cmocka_unit_test(a_branch_can_be_moved_within_itself_and_to_the_join),
        cmocka_unit_test(a_branch_cannot_be_taken_from_its_join),
        cmocka_unit_test(a_fork_can_be_given_up_as_a_whole),
        cmocka_unit_test(nobody_comes_into_a_fork_from_outside),
        cmocka_unit_test(a_token_beside_a_branch_is_waited_for),
        cmocka_unit_test(of_those_at_a_join_one_may_begin_anew),
        cmocka_unit_test(a_token_with_a_smaller_number_takes_the_row_of_a_join),
        cmocka_unit_test(a_branch_that_rested_can_be_made_good),
        cmocka_unit_test(an_end_is_open_to_everybody),
        cmocka_unit_test(an_end_of_a_branch_is_no_way_out_of_a_fork),
        cmocka_unit_test(a_failed_branch_can_be_skipped),
        cmocka_unit_test(an_end_chains),
        cmocka_unit_test(a_state_is_moved_with_all_that_it_began),
        cmocka_unit_test(the_inside_of_a_state_is_its_own),
        cmocka_unit_test(a_failed_state_goes_on_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
