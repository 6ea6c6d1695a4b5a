/* E-mails about people's tasks: a job of the waiting token, which waits on whatever becomes of it. */
#include "driver.h"

#include "core/limits.h"
#include "core/task.h"

#define MINUTE_MS INT64_C(60000)

static void begin(struct driver *d, const char *fields)
{
    char steps[1024];
    snprintf(steps, sizeof steps, "%s%s%s", "{'id':'p','name':'p','type':'USER_TASK','nextStep':'end',",
             fields, "}\n" END("end"));
    driver_begin(d, steps);
    start(d, NULL);
}

static str told(const struct driver *d, const char *member)
{
    return json_text(d->instance->token[0].task, str_of(member));
}

/* The comment of the last change of the task. */
static str last_comment(const struct driver *d)
{
    str comment = STR_NONE;
    for (size_t i = 0; i < d->history_count; i++)
        for (size_t k = 0; k < d->history[i].entry_count; k++)
            if (d->history[i].entry[k].kind == ENTRY_KIND_TASK) comment = d->history[i].entry[k].comment;
    return comment;
}

static void a_reminder_is_a_job_of_e_mail(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'assignee':'ada','reminders':['P2D']");
    fire(&d, "p", 0);
    assert_at(&d, "WAITING p");
    assert_int_equal(d.instance->job_count, 1);
    assert_int_equal(job_of(&d, "reminder")->performer, PERFORM_EMAIL);
    assert_int_equal(d.instance->timer_count, 0);
    complete(&d, "reminder", "{'to':['ada'],'noAddress':['bob'],'refused':'550 no'}");
    assert_int_equal(d.instance->job_count, 0);
    assert_at(&d, "WAITING p");
    assert_true(str_equal(last_comment(&d), STR("to ada; no address: bob; the server refused one: 550 no")));
    driver_end(&d);
}

static void an_answer_ends_the_e_mail(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'reminders':['P2D']");
    fire(&d, "p", 0);
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "p", NULL), ST_OK);
    assert_int_equal(d.instance->job_count, 0);
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

static void a_failure_is_tried_again_and_then_told(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'assignee':'ada','reminders':['P2D']");
    fire(&d, "p", 0);
    int64_t delay_ms = MINUTE_MS;
    for (int attempt = 1; attempt < NOTICE_ATTEMPTS_MAX; attempt++, delay_ms *= 4) {
        const struct json *input = instance_job_payload(d.instance, job_of(&d, "reminder"));
        fail_job(&d, "reminder", "no connection", true);
        const struct job *job = job_of(&d, "reminder");
        assert_int_equal(job->attempt, attempt + 1);
        assert_int_equal(job->performer, PERFORM_EMAIL);
        assert_true(json_equal(instance_job_payload(d.instance, job), input));
        assert_true(job->available_ms == d.now_ms + delay_ms);
        assert_int_equal(told(&d, "notSent").n, 0);
    }
    fail_job(&d, "reminder", "no connection", true);
    assert_int_equal(d.instance->job_count, 0);
    assert_at(&d, "WAITING p");
    assert_true(str_equal(told(&d, "notSent"), STR("no connection")));
    str why = core_explain(d.program, d.instance, &d.instance->token[0], d.now_ms, &d.arena);
    assert_true(str_find(why, STR("the last e-mail about it was not sent: no connection"), 0) != SIZE_MAX);
    driver_end(&d);
}

static void a_success_takes_the_complaint_away(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'assignee':'ada','reminders':['P1D','P2D']");
    fire(&d, "p", 0);
    fail_job(&d, "reminder", "there is no mail server", false);
    assert_true(told(&d, "notSent").n > 0);
    fire(&d, "p", 1);
    complete(&d, "reminder", "{'to':['ada']}");
    assert_int_equal(told(&d, "notSent").n, 0);
    driver_end(&d);
}

static void a_newer_e_mail_replaces_one_on_its_way(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'assignee':'ada','reminders':['P1D'],'escalation':{'after':'P2D','assignee':'bob'}");
    fire(&d, "p", 0);
    uint32_t first = job_of(&d, "reminder")->number;
    fire(&d, "p", 1);
    assert_int_equal(d.instance->job_count, 1);
    assert_true(job_of(&d, "escalation")->number > first);
    assert_true(str_equal(told(&d, "assignee"), STR("bob")));
    driver_end(&d);
}

static void quiet_ones_write_nothing(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'reminders':[{'after':'P1D','email':false}],"
              "'escalation':{'after':'P2D','assignee':'bob','email':false}");
    fire(&d, "p", 0);
    fire(&d, "p", 1);
    assert_int_equal(d.instance->job_count, 0);
    assert_true(str_equal(told(&d, "assignee"), STR("bob")));
    assert_null(json_get(d.instance->token[0].task, STR("email")));
    driver_end(&d);
}

/* Fires the timer of the only token at the time when it is due, or later. */
static void fire_late(struct driver *d, int64_t late_ms)
{
    d->now_ms = d->instance->timer[0].due_ms + late_ms;
    uint32_t number = d->instance->timer[0].number;
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = number }),
                     ST_OK);
}

static void a_repeated_reminder_leaves_out_what_has_passed(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'reminders':[{'after':'PT10M','every':'PT5M'}]");
    int64_t begun_ms = d.now_ms;
    fire_late(&d, 0);
    assert_true(d.instance->timer[0].due_ms == begun_ms + 15 * MINUTE_MS);
    fire_late(&d, 12 * MINUTE_MS); /* At 27 minutes: those of 20 and 25 are over. */
    assert_true(d.instance->timer[0].due_ms == begun_ms + 30 * MINUTE_MS);
    fire_late(&d, 5 * MINUTE_MS); /* Exactly when the next one is due. */
    assert_true(d.instance->timer[0].due_ms == begun_ms + 40 * MINUTE_MS);
    assert_int_equal(d.instance->job_count, 1);
    driver_end(&d);
}

static void a_reminder_is_not_repeated_for_ever(void **state)
{
    struct driver d;
    int64_t reminded = 0;
    (void)state;
    begin(&d, "'reminders':[{'after':'PT1M','every':'PT1M'}]");
    for (int i = 1; i < TASK_REMINDED_MAX; i++) fire_late(&d, 0);
    assert_int_equal(d.instance->timer_count, 1);
    fire_late(&d, 0);
    assert_int_equal(d.instance->timer_count, 0);
    assert_true(json_int64(json_get(d.instance->token[0].task, STR("reminded")), &reminded));
    assert_int_equal(reminded, TASK_REMINDED_MAX);
    driver_end(&d);
}

static void a_timeout_breaks_the_e_mail_off(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(
        &d, STEP("p", "USER_TASK", NEXT("end") ",'reminders':['PT1M']," TIMERS(TIMER("PT2M", "true", "x")))
                TASK("x", "end") END("end"));
    start(&d, NULL);
    fire(&d, "p", 1);
    assert_int_equal(d.instance->job_count, 1);
    fire(&d, "p", 0);
    assert_at(&d, "ACTIVE x");
    assert_int_equal(d.instance->job_count, 1);
    driver_end(&d);
}

static void people_before_groups_are_asked(void **state)
{
    struct arena arena;
    const struct json *details;
    struct error err;
    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(json_parse(STR("{\"assignee\":\"ada\",\"assignees\":[\"bob\"],\"groups\":[\"hr\"]}"),
                                NULL, &arena, &details, &err),
                     ST_OK);
    struct task_asked asked = task_asked(details);
    assert_true(task_has_name(asked.people, STR("ada")) && !task_has_name(asked.people, STR("bob")));
    assert_null(asked.groups);
    asked = task_asked(json_without(&arena, details, STR("assignee")));
    assert_true(task_has_name(asked.people, STR("bob")) && task_has_name(asked.groups, STR("hr")));
    asked = task_asked(NULL);
    assert_true(!asked.people && !asked.groups);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reminder_is_a_job_of_e_mail),
        cmocka_unit_test(an_answer_ends_the_e_mail),
        cmocka_unit_test(a_failure_is_tried_again_and_then_told),
        cmocka_unit_test(a_success_takes_the_complaint_away),
        cmocka_unit_test(a_newer_e_mail_replaces_one_on_its_way),
        cmocka_unit_test(quiet_ones_write_nothing),
        cmocka_unit_test(a_repeated_reminder_leaves_out_what_has_passed),
        cmocka_unit_test(a_reminder_is_not_repeated_for_ever),
        cmocka_unit_test(a_timeout_breaks_the_e_mail_off),
        cmocka_unit_test(people_before_groups_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
