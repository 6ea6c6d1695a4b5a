/* Visits that wait before they begin: for a point of the run, for a lock. Told with documents of the graph
 * dialect. */
#include "documents.h"

#include "core/driver.h"

static void begin_with(struct driver *d, const char *name, const char *payload)
{
    driver_begin_document(d, str_of(document("core/begin", name)));
    const struct command_start start = { .instance = 7, .definition = 3, .arrival = STR("t") };
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'payload':%s,'triggered_at':'2026-01-01T00:00:00Z'}", payload);
    buf_add_char(&text, '\0');
    const struct json *value = driver_json(d, text.p);
    if (driver_do(d, (struct command){ .kind = COMMAND_START, .as.start = start, .data = value }) != ST_OK)
        fail_msg("%s", d->rejection.message);
}

static void begin(struct driver *d, const char *name) { begin_with(d, name, "{}"); }

static const struct job *find_job(const struct driver *d, const char *node)
{
    for (size_t i = 0; i < d->instance->job_count; i++) {
        const struct token *token = instance_find_token(d->instance, d->instance->job[i].execution);
        if (str_equal(token->node_name, str_of(node))) return &d->instance->job[i];
    }
    return NULL;
}

static size_t jobs_at(const struct driver *d, const char *node)
{
    size_t count = 0;
    for (size_t i = 0; i < d->instance->job_count; i++)
        count += str_equal(instance_find_token(d->instance, d->instance->job[i].execution)->node_name,
                           str_of(node));
    return count;
}

static void done(struct driver *d, const char *node)
{
    const struct job *job = find_job(d, node);
    if (!job) fail_msg("no open job at %s", node);
    if (driver_complete(d, job->number, "{'status_code':200,'headers':{},'body':1}") != ST_OK)
        fail_msg("%s", d->rejection.message);
}

static void answer(struct driver *d, const char *node, const char *decision)
{
    struct buf text;
    buf_init(&text, &d->arena);
    buf_printf(&text, "{'decision':'%s'}", decision);
    buf_add_char(&text, '\0');
    if (driver_do(d, (struct command){ .kind = COMMAND_COMPLETE_TASK,
                                       .as.node = { .node = str_of(node), .in_any_group = true },
                                       .data = driver_json(d, text.p) }) != ST_OK)
        fail_msg("%s", d->rejection.message);
}

static const struct token *find_token(const struct driver *d, const char *node)
{
    for (size_t i = 0; i < d->instance->token_count; i++)
        if (str_equal(d->instance->token[i].node_name, str_of(node))) return &d->instance->token[i];
    return NULL;
}

static void assert_waits(struct driver *d, const char *node, const char *why)
{
    const struct token *token = find_token(d, node);
    if (!token) fail_msg("no token at %s", node);
    str said = core_explain(d->program, d->instance, token, d->now_ms, &d->arena);
    if (!str_equal(said, str_of(why))) fail_msg("%.*s", STR_ARG(said));
}

/* ---- milestones ---- */

static void a_visit_waits_for_its_milestone_and_is_withdrawn_behind_it(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "between");
    assert_waits(&d, "m", "waits until the run reaches \"open\"");
    assert_int_equal(d.instance->status, INSTANCE_WAITING);
    assert_int_equal(jobs_at(&d, "b"), 0);
    done(&d, "a");
    assert_int_equal(jobs_at(&d, "b"), 2);
    done(&d, "b");
    done(&d, "p");
    assert_int_equal(jobs_at(&d, "b"), 0);
    assert_int_equal(jobs_at(&d, "done"), 0);
    const struct json *sent = instance_job_payload(d.instance, find_job(&d, "late"));
    assert_json(&d, json_get(sent, STR("body")), "'MILESTONE_PASSED'");
    driver_end(&d);
}

static void a_visit_that_ends_between_its_milestones_is_complete(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "between");
    done(&d, "a");
    done(&d, "b");
    done(&d, "b");
    assert_int_equal(jobs_at(&d, "done"), 1);
    done(&d, "p");
    assert_int_equal(jobs_at(&d, "late"), 0);
    driver_end(&d);
}

/* A retry of the failed branch comes when the circle has passed the end of the milestone, and once more when
 * it is between both again. */
static void in_a_circle_the_last_time_counts(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "between");
    done(&d, "a");
    done(&d, "p");
    assert_int_equal(jobs_at(&d, "late"), 1);
    answer(&d, "again", "again");
    struct modification move = { .kind = MODIFY_MOVE, .at = STR("late"), .to = STR("m") };
    const struct command command = { .kind = COMMAND_MODIFY,
                                     .as.modify = { .modification = &move, .modification_count = 1 } };
    assert_int_equal(driver_do(&d, command), ST_OK);
    assert_int_equal(jobs_at(&d, "b"), 2);
    done(&d, "p");
    assert_int_equal(jobs_at(&d, "b"), 0);
    assert_int_equal(jobs_at(&d, "late"), 1);
    assert_int_equal(driver_do(&d, command), ST_OK);
    assert_int_equal(jobs_at(&d, "late"), 1); /* It was too late, and did not wait. */
    driver_end(&d);
}

static void a_person_is_asked_no_more_and_what_comes_later_does_not_begin(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "until");
    assert_int_equal(find_token(&d, "w")->state, TOKEN_PERSON);
    assert_int_equal(d.instance->timer_count, 1);
    done(&d, "a");
    assert_null(find_token(&d, "w"));
    assert_int_equal(d.instance->timer_count, 0);
    assert_int_equal(d.instance->status, INSTANCE_FAILED); /* `late` has neither a line nor a handler. */
    assert_json(&d, json_get(d.instance->error, STR("name")), "'MILESTONE_PASSED'");
    driver_end(&d);
}

static enum status migrate(struct driver *d, const char *name, const struct node_mapping *mapping,
                           size_t count)
{
    struct driver other;
    struct program *from = d->program;
    driver_begin_document(&other, str_of(document("core/begin", name)));
    d->program = other.program;
    enum status status =
        driver_do(d, (struct command){ .kind = COMMAND_MIGRATE,
                                       .as.migrate = { .from = from,
                                                       .definition = d->instance->definition + 1,
                                                       .mapping = mapping,
                                                       .mapping_count = count } });
    arena_done(&other.arena);
    return status;
}

static void a_wait_for_a_milestone_moves_with_its_node(void **state)
{
    (void)state;
    struct driver d;
    const struct node_mapping mapping = { .from = STR("open"), .to = STR("unlock") };
    begin(&d, "between");
    struct program *first = program_ref(d.program);
    assert_int_equal(migrate(&d, "renamed", &mapping, 1), ST_OK);
    assert_waits(&d, "m", "waits until the run reaches \"unlock\"");
    done(&d, "a");
    assert_int_equal(jobs_at(&d, "b"), 2);
    struct program *second = d.program;
    const struct node_mapping back = { .from = STR("unlock"), .to = STR("open") };
    assert_int_equal(migrate(&d, "between", &back, 1), ST_OK);
    assert_true(str_equal(d.instance->reached[0].node_name, STR("open")));
    program_unref(second);
    program_unref(first);
    program_unref(first);
    driver_end(&d);
}

static void a_wait_for_another_milestone_stays(void **state)
{
    (void)state;
    struct driver d;
    begin(&d, "between");
    struct program *first = d.program;
    assert_int_equal(migrate(&d, "other", NULL, 0), ST_CONFLICT);
    assert_string_equal(d.rejection.code, "WAIT_CHANGED");
    program_unref(d.program);
    d.program = first;
    driver_end(&d);
}

/* ---- locks ---- */

static const struct lock *lock_of(const struct driver *d, const char *name)
{
    for (size_t i = 0; i < d->instance->lock_count; i++)
        if (str_equal(d->instance->lock[i].name, str_of(name))) return &d->instance->lock[i];
    return NULL;
}

static void grant(struct driver *d, const char *name)
{
    const struct lock *lock = lock_of(d, name);
    if (!lock) fail_msg("nobody asks for %s", name);
    const struct command command = { .kind = COMMAND_GRANT, .as.timer.number = lock->number };
    assert_int_equal(driver_do(d, command), ST_OK);
}

static void fails(struct driver *d, const char *node)
{
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FAIL_JOB,
                                                    .as.job.number = find_job(d, node)->number,
                                                    .as.job.text = STR("broken"),
                                                    .as.job.retryable = true }),
                     ST_OK);
}

static void a_visit_begins_when_its_lock_is_granted_and_gives_it_up_at_its_end(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "locked", "{'name':'x'}");
    assert_int_equal(d.instance->lock_count, 2);
    assert_int_equal(lock_of(&d, "other")->size, 3);
    assert_int_equal(jobs_at(&d, "a") + jobs_at(&d, "b"), 0);
    assert_int_equal(d.instance->timer_count, 1);
    assert_int_equal(d.instance->status, INSTANCE_WAITING);
    grant(&d, "x");
    assert_int_equal(jobs_at(&d, "a"), 1);
    assert_int_equal(d.instance->timer_count, 0);
    assert_true(lock_of(&d, "x")->is_held);
    fails(&d, "a"); /* It is tried again, and keeps its lock. */
    assert_true(lock_of(&d, "x")->is_held);
    done(&d, "a");
    assert_null(lock_of(&d, "x"));
    grant(&d, "other");
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    assert_int_equal(d.instance->lock_count, 0);
    driver_end(&d);
}

static void a_grant_comes_once(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "locked", "{'name':'x'}");
    grant(&d, "x");
    const struct instance *before = d.instance;
    grant(&d, "x");
    assert_ptr_equal(d.instance, before);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_GRANT, .as.timer.number = 999 }), ST_OK);
    assert_ptr_equal(d.instance, before);
    driver_end(&d);
}

static void a_visit_that_waits_too_long_for_its_lock_fails(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "locked", "{'name':'x'}");
    const struct command command = { .kind = COMMAND_FIRE_TIMER,
                                     .as.timer.number = d.instance->timer[0].number };
    assert_int_equal(driver_do(&d, command), ST_OK);
    assert_null(lock_of(&d, "x"));
    const struct json *sent = instance_job_payload(d.instance, find_job(&d, "late"));
    assert_json(&d, json_get(sent, STR("body")), "'LOCK_TIMEOUT'");
    driver_end(&d);
}

static void a_visit_whose_lock_too_many_wait_for_fails(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "locked", "{'name':'x'}");
    const struct command command = {
        .kind = COMMAND_GRANT, .as.timer = { .number = lock_of(&d, "x")->number, .refusal = STR("too many") }
    };
    assert_int_equal(driver_do(&d, command), ST_OK);
    assert_null(lock_of(&d, "x"));
    assert_int_equal(d.instance->timer_count, 0);
    assert_int_equal(jobs_at(&d, "a"), 0);
    const struct json *sent = instance_job_payload(d.instance, find_job(&d, "late"));
    assert_json(&d, json_get(sent, STR("body")), "'LOCK_FULL'");
    driver_end(&d);
}

static void a_failed_instance_keeps_the_locks_of_its_other_branches(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "locked", "{'name':'x'}");
    grant(&d, "other");
    fails(&d, "c");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_true(lock_of(&d, "other")->is_held);
    const struct instance *before = d.instance;
    grant(&d, "x"); /* Nothing reaches it before a retry. */
    assert_ptr_equal(d.instance, before);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_RETRY }), ST_OK);
    grant(&d, "x");
    assert_int_equal(jobs_at(&d, "a") + jobs_at(&d, "b") + jobs_at(&d, "c"), 3);
    fails(&d, "b");
    assert_null(lock_of(&d, "other")); /* The branch that failed asks again. */
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_RETRY }), ST_OK);
    assert_false(lock_of(&d, "other")->is_held);
    driver_end(&d);
}

static void a_region_holds_its_lock_until_its_last_item_is_over(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "around", "{'name':'y'}");
    assert_null(find_token(&d, "b"));
    grant(&d, "x");
    grant(&d, "y");
    done(&d, "b");
    assert_true(lock_of(&d, "x")->is_held);
    assert_false(lock_of(&d, "y")->is_held);
    grant(&d, "y");
    done(&d, "b");
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    assert_int_equal(d.instance->lock_count, 0);
    driver_end(&d);
}

static void a_visit_does_not_wait_for_the_lock_of_what_it_is_inside_of(void **state)
{
    (void)state;
    struct driver d;
    begin_with(&d, "around", "{'name':'x'}");
    grant(&d, "x");
    assert_int_equal(d.instance->status, INSTANCE_FAILED);
    assert_json(&d, json_get(d.instance->error, STR("name")), "'LOCK_CYCLE'");
    assert_int_equal(d.instance->lock_count, 0);
    driver_end(&d);
}

static void a_name_that_is_none_is_an_error(void **state)
{
    static const char *const payloads[] = { "{'name':''}", "{'name':7}", "{'name':'a\\nb'}", "{}" };
    (void)state;
    for (size_t i = 0; i < COUNT(payloads); i++) {
        struct driver d;
        begin_with(&d, "locked", payloads[i]);
        if (!find_job(&d, "late") && d.instance->status != INSTANCE_FAILED) fail_msg("%s", payloads[i]);
        driver_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_waits_for_its_milestone_and_is_withdrawn_behind_it),
        cmocka_unit_test(a_visit_that_ends_between_its_milestones_is_complete),
        cmocka_unit_test(in_a_circle_the_last_time_counts),
        cmocka_unit_test(a_person_is_asked_no_more_and_what_comes_later_does_not_begin),
        cmocka_unit_test(a_wait_for_a_milestone_moves_with_its_node),
        cmocka_unit_test(a_wait_for_another_milestone_stays),
        cmocka_unit_test(a_visit_begins_when_its_lock_is_granted_and_gives_it_up_at_its_end),
        cmocka_unit_test(a_grant_comes_once),
        cmocka_unit_test(a_visit_that_waits_too_long_for_its_lock_fails),
        cmocka_unit_test(a_visit_whose_lock_too_many_wait_for_fails),
        cmocka_unit_test(a_failed_instance_keeps_the_locks_of_its_other_branches),
        cmocka_unit_test(a_region_holds_its_lock_until_its_last_item_is_over),
        cmocka_unit_test(a_visit_does_not_wait_for_the_lock_of_what_it_is_inside_of),
        cmocka_unit_test(a_name_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
