/* Tokens that stop at the way out of a node, the retries that make them go on, and mail of stopped instances.
 */
#include "documents.h"

#include "core/driver.h"

#define TWO_ENDS END("yes") END("no")
#define WAYS "'conditionalNextSteps':{'n > 1':'yes','n < 0':'no'}"

static const str done_before =
    STR_INIT("its work was done in the visit before; only its way out was tried again");

static void retry(struct driver *driver, const char *node, const char *data)
{
    send(driver, COMMAND_RETRY, node, data);
}

static void assert_warned(struct driver *driver, size_t index)
{
    size_t count;
    const struct execution *row = driver_rows(driver, &count);
    assert_true(index < count);
    assert_true(str_equal(row[index].warning, done_before));
}

/* ---- steps ---- */

static void what_a_person_forgot_is_refused_and_the_task_stays_open(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("u", "USER_TASK", "," WAYS ",'boundaryEvents':[" TIMER("PT1H", "true", "no") "]")
                         TWO_ENDS);
    start(&d, NULL);
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "u", "{'m':1}"), ST_INVALID);
    assert_non_null(
        strstr(d.rejection.message, "step \"u\" cannot be left with these variables, and still waits: "));
    assert_non_null(strstr(d.rejection.message, "expression \"n > 1\""));
    assert_non_null(strstr(d.rejection.message, "n"));
    assert_at(&d, "WAITING u");
    assert_data(&d, "{}");
    assert_int_equal(d.instance->timer_count, 1);
    /* Nor can it be decided if nothing holds. */
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "u", "{'n':0}"), ST_INVALID);
    assert_non_null(strstr(d.rejection.message, "DecisionNoBranchMatched"));
    send(&d, COMMAND_COMPLETE_TASK, "u", "{'n':2}");
    assert_rows(&d, "u COMPLETED, yes COMPLETED");
    driver_end(&d);
}

static void so_is_a_signal(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("w", "WAIT", "," WAYS) TWO_ENDS);
    start(&d, NULL);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_INVALID);
    assert_at(&d, "WAITING w");
    send(&d, COMMAND_SIGNAL, "w", "{'n':-1}");
    assert_rows(&d, "w COMPLETED, no COMPLETED");
    driver_end(&d);
}

static void a_completed_job_is_not_done_again(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", WAYS) TWO_ENDS);
    start(&d, NULL);
    complete(&d, "a", "{'result':'kept'}");
    assert_at(&d, "FAILED a");
    assert_rows(&d, "a COMPLETED");
    assert_data(&d, "{'result':'kept'}");
    assert_int_equal(d.instance->stuck.execution, d.instance->token[0].execution);
    str why = core_explain(d.program, d.instance, &d.instance->token[0], d.now_ms, &d.arena);
    assert_true(str_starts(why, STR("is done, and cannot be left: ")));

    retry(&d, "a", NULL);
    assert_at(&d, "FAILED a");
    retry(&d, "", "{'n':5}");
    assert_at(&d, "COMPLETED");
    assert_rows(&d, "a COMPLETED, a#2 COMPLETED, a#3 COMPLETED, yes COMPLETED");
    assert_warned(&d, 1);
    assert_warned(&d, 2);
    assert_data(&d, "{'result':'kept','n':5}");
    assert_int_equal(d.instance->stuck.execution, 0);
    driver_end(&d);
}

static void a_step_that_is_not_the_failed_one_is_refused(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", WAYS) TWO_ENDS);
    start(&d, NULL);
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "", NULL), ST_CONFLICT,
                    "instance is not FAILED; only failed instances can be retried");
    complete(&d, "a", NULL);
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "yes", NULL), ST_CONFLICT,
                    "step is not in a retryable state");
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "ghost", NULL), ST_NOT_FOUND,
                    "step 'ghost' not found");
    assert_at(&d, "FAILED a");
    driver_end(&d);
}

/* The other branches stand still meanwhile, and go on with it. */
static void a_branch_that_is_stuck_keeps_the_others(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK_WITH("a", "'conditionalNextSteps':{'n > 1':'j'}")
                         TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    assert_at(&d, "FAILED a b");
    assert_int_equal(driver_complete(&d, job_of(&d, "b")->number, NULL), ST_OK);
    assert_true(d.outcome.unchanged);
    retry(&d, "", "{'n':2}");
    assert_at(&d, "ACTIVE b j");
    complete(&d, "b", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* No dialect gives a join a condition; a program may. Here it gets that of the step behind it. */
static void make_join_conditional(struct driver *driver)
{
    struct program_node *node = (struct program_node *)(uintptr_t)driver->program->node;
    node[program_find(driver->program, STR("j"))].edge = node[program_find(driver->program, STR("d"))].edge;
}

static void a_join_that_cannot_be_left_joins_nobody_twice(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "d")
                         CHOOSE("d", "'n > 1':'yes'") END("yes"));
    make_join_conditional(&d);
    start(&d, NULL);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "FAILED j");
    retry(&d, "j", NULL);
    assert_at(&d, "FAILED j");
    retry(&d, "", "{'n':2}");
    assert_at(&d, "COMPLETED");
    assert_int_equal(d.instance->scope_count, 0);
    assert_rows(
        &d,
        "f COMPLETED, a COMPLETED, b COMPLETED, j COMPLETED, j#2 COMPLETED, j#3 COMPLETED, yes COMPLETED");
    driver_end(&d);
}

static void every_failure_of_a_step_can_be_retried(void **state)
{
    (void)state;
    static const struct {
        const char *steps, *patch;
    } cases[] = {
        { CHOOSE("a", "'n > 1':'yes'") END("yes"), "{'n':2}" },
        { SET("a", "'m':'${n + 1}'", "yes") END("yes"), "{'n':2}" },
        { TABLE("a", "F", "{'when':{'n':'n == 2'},'outputs':{'m':1}}", "yes") END("yes"), "{'n':2}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        driver_begin(&d, cases[i].steps);
        start(&d, NULL);
        assert_at(&d, "FAILED a");
        retry(&d, "", NULL);
        assert_at(&d, "FAILED a");
        retry(&d, "", cases[i].patch);
        assert_at(&d, "COMPLETED");
        driver_end(&d);
    }
}

static void a_loop_that_was_stopped_goes_on_with_variables_that_end_it(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d,
                 SET("s", "'i':'${i + 1}'", "d") CHOOSE("d", "'stop == true':'end','i > 0':'s'") END("end"));
    start(&d, "{'i':0,'stop':false}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    retry(&d, "", NULL);
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    retry(&d, "", "{'stop':true}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* An engine of before let such a token rest. Its states and histories are still there. */
static void a_token_that_an_older_engine_left_resting_can_be_retried(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", WAYS) TWO_ENDS);
    start(&d, NULL);
    struct token token = d.instance->token[0];
    token.state = TOKEN_RESTING;
    struct instance old = *d.instance;
    old.token = &token;
    old.job_count = 0;
    old.status = INSTANCE_FAILED;
    old.ended_ms = d.now_ms;
    old.failure = STR("no conditionalNextSteps branch matched (DecisionNoBranchMatched)");
    d.instance = &old;
    retry(&d, "", "{'n':2}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* ---- early signals ---- */

static enum status signal_early(struct driver *driver, const char *node, const char *data)
{
    return driver_do(driver, (struct command){ .kind = COMMAND_SIGNAL,
                                               .as.node.node = str_of(node),
                                               .as.node.early = true,
                                               .data = driver_json(driver, data) });
}

#define LOOP TASK("a", "w") WAIT("w", "d") CHOOSE("d", "'last':'end','!last':'a'") END("end")

static void an_early_signal_waits_for_its_step(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, LOOP);
    start(&d, NULL);
    assert_rejected(&d, driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT,
                    "step 'w' is not waiting for a signal");
    assert_int_equal(signal_early(&d, "w", "{'last':false,'first':1}"), ST_OK);
    assert_entries(&d, "signal_in");
    assert_int_equal(signal_early(&d, "w", "{'last':true,'second':2}"), ST_OK);
    assert_int_equal(d.instance->mail_count, 2);
    assert_data(&d, "{}");
    complete(&d, "a", NULL);
    assert_at(&d, "ACTIVE a");
    assert_data(&d, "{'last':false,'first':1}");
    assert_int_equal(d.instance->mail_count, 1);
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'last':true,'first':1,'second':2}");
    assert_int_equal(signal_early(&d, "w", NULL), ST_CONFLICT);
    driver_end(&d);
}

static void an_early_signal_for_a_step_that_waits_is_just_a_signal(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, LOOP);
    start(&d, NULL);
    assert_int_equal(signal_early(&d, "ghost", NULL), ST_CONFLICT);
    assert_int_equal(signal_early(&d, "a", NULL), ST_INVALID);
    complete(&d, "a", NULL);
    assert_at(&d, "WAITING w");
    /* The sender is there to be told. */
    assert_int_equal(signal_early(&d, "w", "{'last':true}"), ST_OK);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void early_signals_are_limited_in_number_and_bytes(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, LOOP);
    start(&d, NULL);
    d.limits.mailbox_events_max = 2;
    assert_int_equal(signal_early(&d, "w", NULL), ST_OK);
    assert_int_equal(signal_early(&d, "w", NULL), ST_OK);
    assert_int_equal(signal_early(&d, "w", NULL), ST_LIMIT);
    d.limits.mailbox_events_max = 100;
    d.limits.mailbox_bytes_max = 100;
    assert_int_equal(
        signal_early(
            &d, "w",
            "{'text':'a text that is longer than what is left of one hundred bytes in all, surely'}"),
        ST_LIMIT);
    assert_int_equal(d.instance->mail_count, 2);
    driver_end(&d);
}

static void an_early_signal_that_leads_nowhere_is_used_and_its_step_stuck(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "w") STEP("w", "WAIT", "," WAYS) TWO_ENDS);
    start(&d, NULL);
    assert_int_equal(signal_early(&d, "w", "{'m':1}"), ST_OK);
    complete(&d, "a", NULL);
    assert_at(&d, "FAILED w");
    assert_data(&d, "{'m':1}");
    retry(&d, "", "{'n':9}");
    assert_rows(&d, "a COMPLETED, w COMPLETED, w#2 COMPLETED, yes COMPLETED");
    driver_end(&d);
}

static void an_early_signal_too_large_for_the_variables_is_not_lost(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "w") WAIT("w", "end") END("end"));
    start(&d, NULL);
    assert_int_equal(signal_early(&d, "w", "{'text':'0123456789012345678901234567890123456789'}"), ST_OK);
    d.limits.variables_bytes_max = 32;
    complete(&d, "a", NULL);
    assert_at(&d, "FAILED w");
    assert_int_equal(d.instance->mail_count, 1);
    d.limits.variables_bytes_max = 1 << 20;
    retry(&d, "", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_failed_instance_keeps_early_signals_for_its_retry(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','w'", "j") TASK("a", "j") WAIT("w", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fail_job(&d, "a", "broken", false);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT);
    assert_int_equal(signal_early(&d, "w", "{'x':1}"), ST_OK);
    assert_at(&d, "FAILED a w");
    retry(&d, "", NULL);
    assert_at(&d, "ACTIVE a j");
    assert_data(&d, "{'x':1}");
    driver_end(&d);
}

/* ---- states with data of their own ---- */

/* `name`: a member of documents/stuck.json. */
static void begin(struct driver *driver, const char *name)
{
    driver_begin_document(driver, str_of(document("core/stuck", name)));
}

static enum status give(struct driver *driver, const char *type, const char *id, const char *data)
{
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_printf(&text, "{'specversion':'1.0','id':'%s','source':'/s','type':'%s','data':%s}", id, type, data);
    buf_add_char(&text, '\0');
    return driver_do(driver, (struct command){ .kind = COMMAND_EVENT, .data = driver_json(driver, text.p) });
}

static void fail_with(struct driver *driver, const char *type, const char *error)
{
    struct command command = { .kind = COMMAND_FAIL_JOB,
                               .as.job.number = job_of(driver, type)->number,
                               .as.job.error = driver_json(driver, error) };
    assert_int_equal(driver_do(driver, command), ST_OK);
}

/* The function has been called, and what it said was merged: only the transition is asked again. */
static void a_guard_is_asked_again_of_the_output(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_guard_is_asked_again_of_the_output");
    start(&d, "{'in':{'go':false}}");
    complete(&d, "f", "{'in':{'said':1}}");
    assert_at(&d, "FAILED A");
    assert_data(&d, "{'go':false,'said':1}");
    assert_rows(&d, "A FAILED");
    assert_int_equal(d.instance->stuck.edge, 1);
    retry(&d, "A", NULL);
    assert_at(&d, "FAILED A");
    retry(&d, "", "{'go':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'go':true,'said':1}");
    assert_null(d.instance->error);
    driver_end(&d);
}

static void a_result_that_could_not_be_placed_is_kept(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_result_that_could_not_be_placed_is_kept");
    start(&d, "{'a':'in the way'}");
    complete(&d, "f", "{'n':1}");
    assert_at(&d, "FAILED A");
    assert_json(&d, d.instance->stuck.brought, "{'result':{'n':1}}");
    retry(&d, "", NULL);
    assert_json(&d, d.instance->stuck.brought, "{'result':{'n':1}}");
    retry(&d, "", "{'a':{}}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'a':{'b':{'n':1}}}");
    driver_end(&d);
}

static void a_time_that_was_waited_for_is_not_waited_for_again(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_time_that_was_waited_for_is_not_waited_for_again");
    start(&d, "{}");
    fire(&d, "D", 0);
    assert_at(&d, "FAILED D");
    retry(&d, "", "{'go':true}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_switch_whose_guard_failed_does_not_choose_again(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_switch_whose_guard_failed_does_not_choose_again");
    start(&d, "{'n':1}");
    assert_at(&d, "FAILED S");
    assert_int_equal(d.instance->stuck.edge, 1);
    retry(&d, "", "{'go':true,'n':2}");
    assert_rows(&d, "S FAILED, S#2 COMPLETED, B COMPLETED, end COMPLETED");
    driver_end(&d);
}

/* The branches stand still, and the variables go to the data of the branch. */
static void a_guard_in_a_branch_stops_there(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_guard_in_a_branch_stops_there");
    start(&d, "{}");
    complete(&d, "f", "{'f':1}");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_int_equal(d.instance->job_count, 1);
    assert_int_equal(driver_named(&d, COMMAND_RETRY, "P", NULL), ST_CONFLICT);
    retry(&d, "P/a/a1", "{'go':true}");
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    complete(&d, "g", "{'g':1}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'f':1,'go':true,'g':1}");
    driver_end(&d);
}

static void a_guard_of_a_loop_does_not_loop_again(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_guard_of_a_loop_does_not_loop_again");
    start(&d, "{'items':[1,2]}");
    complete(&d, "f", "'x'");
    complete(&d, "f", "'y'");
    assert_at(&d, "FAILED L");
    retry(&d, "", "{'go':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'items':[1,2],'out':['x','y'],'go':true}");
    driver_end(&d);
}

static void handled_errors_are_counted_anew_after_a_retry(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "handled_errors_are_counted_anew_after_a_retry");
    d.limits.handled_errors_max = 2;
    start(&d, "{}");
    for (int i = 0; i < 3; i++) fail_with(&d, "f", "{'name':'Bad'}");
    assert_at(&d, "FAILED A");
    retry(&d, "", NULL);
    fail_with(&d, "f", "{'name':'Bad'}");
    assert_at(&d, "ACTIVE A");
    driver_end(&d);
}

/* ---- events ---- */

/* The state begins with what it had: an event that started the instance comes only once. */
static void a_state_that_fails_gives_its_events_back(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_state_that_fails_gives_its_events_back");
    start(&d, "{}");
    assert_int_equal(give(&d, "t1", "1", "{'order':7}"), ST_OK);
    assert_int_equal(d.instance->mail_count, 0);
    assert_int_equal(d.instance->taken_count, 1);
    fail_with(&d, "f", "{'name':'Down'}");
    assert_at(&d, "FAILED E");
    assert_int_equal(d.instance->mail_count, 1);
    assert_int_equal(d.instance->taken_count, 0);
    retry(&d, "", NULL);
    assert_at(&d, "ACTIVE E");
    complete(&d, "f", "{'done':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'order':7,'done':true}");
    assert_int_equal(d.instance->taken_count, 0);
    driver_end(&d);
}

static void events_come_back_in_the_order_of_their_arrival(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "events_come_back_in_the_order_of_their_arrival");
    start(&d, "{}");
    assert_int_equal(give(&d, "t1", "1", "{'one':1}"), ST_OK);
    assert_int_equal(give(&d, "t2", "2", "{'two':2}"), ST_OK);
    assert_int_equal(d.instance->taken_count, 2);
    fail_with(&d, "f", "{'name':'Down'}");
    /* Also what comes now is kept. */
    assert_int_equal(give(&d, "t1", "3", "{'three':3}"), ST_OK);
    assert_false(d.outcome.unchanged);
    assert_int_equal(d.instance->mail_count, 3);
    assert_true(d.instance->mail[0].number < d.instance->mail[1].number);
    retry(&d, "", NULL);
    assert_int_equal(d.instance->mail_count, 0);
    assert_int_equal(d.instance->taken_count, 3);
    complete(&d, "f", "{'f':1}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'two':2,'f':1,'one':1,'three':3}");
    driver_end(&d);
}

/* A state has used its events once its work is done, also if it is stuck on its way out. */
static void a_state_that_is_stuck_has_used_its_events(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "a_state_that_is_stuck_has_used_its_events");
    start(&d, "{}");
    assert_int_equal(give(&d, "t1", "1", "{'order':7}"), ST_OK);
    assert_at(&d, "FAILED E");
    assert_int_equal(d.instance->mail_count, 0);
    retry(&d, "", "{'go':true}");
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'order':7,'go':true}");
    driver_end(&d);
}

static void what_is_set_aside_is_limited(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "what_is_set_aside_is_limited");
    d.limits.mailbox_events_max = 2;
    start(&d, "{'items':[1,2,3,4,5]}");
    for (int i = 1; i <= 4; i++) {
        char id[2] = { (char)('0' + i), '\0' };
        assert_int_equal(give(&d, "t1", id, "{}"), ST_OK);
    }
    assert_int_equal(d.instance->taken_count, 2);
    driver_end(&d);
}

static void an_event_is_refused_when_the_bytes_are_used_up(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "an_event_is_refused_when_the_bytes_are_used_up");
    start(&d, "{}");
    d.limits.mailbox_bytes_max = 400;
    enum status status = ST_OK;
    int kept = 0;
    for (char id[2] = "a"; id[0] < 'z' && status == ST_OK; id[0]++, kept += status == ST_OK)
        status = give(&d, "t1", id, "{}");
    assert_int_equal(status, ST_LIMIT);
    assert_true(kept >= 1 && kept < 20);
    assert_int_equal(d.instance->mail_count, kept);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_person_forgot_is_refused_and_the_task_stays_open),
        cmocka_unit_test(so_is_a_signal),
        cmocka_unit_test(a_completed_job_is_not_done_again),
        cmocka_unit_test(a_step_that_is_not_the_failed_one_is_refused),
        cmocka_unit_test(a_branch_that_is_stuck_keeps_the_others),
        cmocka_unit_test(a_join_that_cannot_be_left_joins_nobody_twice),
        cmocka_unit_test(every_failure_of_a_step_can_be_retried),
        cmocka_unit_test(a_loop_that_was_stopped_goes_on_with_variables_that_end_it),
        cmocka_unit_test(a_token_that_an_older_engine_left_resting_can_be_retried),
        cmocka_unit_test(an_early_signal_waits_for_its_step),
        cmocka_unit_test(an_early_signal_for_a_step_that_waits_is_just_a_signal),
        cmocka_unit_test(early_signals_are_limited_in_number_and_bytes),
        cmocka_unit_test(an_early_signal_that_leads_nowhere_is_used_and_its_step_stuck),
        cmocka_unit_test(an_early_signal_too_large_for_the_variables_is_not_lost),
        cmocka_unit_test(a_failed_instance_keeps_early_signals_for_its_retry),
        cmocka_unit_test(a_guard_is_asked_again_of_the_output),
        cmocka_unit_test(a_result_that_could_not_be_placed_is_kept),
        cmocka_unit_test(a_time_that_was_waited_for_is_not_waited_for_again),
        cmocka_unit_test(a_switch_whose_guard_failed_does_not_choose_again),
        cmocka_unit_test(a_guard_in_a_branch_stops_there),
        cmocka_unit_test(a_guard_of_a_loop_does_not_loop_again),
        cmocka_unit_test(handled_errors_are_counted_anew_after_a_retry),
        cmocka_unit_test(a_state_that_fails_gives_its_events_back),
        cmocka_unit_test(events_come_back_in_the_order_of_their_arrival),
        cmocka_unit_test(a_state_that_is_stuck_has_used_its_events),
        cmocka_unit_test(what_is_set_aside_is_limited),
        cmocka_unit_test(an_event_is_refused_when_the_bytes_are_used_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
