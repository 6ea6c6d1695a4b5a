/* Visits that wait before they begin: for a point of the run. Told with documents of the graph dialect. */
#include "documents.h"

#include "core/driver.h"

static void begin(struct driver *d, const char *name)
{
    driver_begin_document(d, str_of(document("core/begin", name)));
    const struct command_start start = { .instance = 7, .definition = 3, .arrival = STR("t") };
    const struct json *value = driver_json(d, "{'payload':{},'triggered_at':'2026-01-01T00:00:00Z'}");
    if (driver_do(d, (struct command){ .kind = COMMAND_START, .as.start = start, .data = value }) != ST_OK)
        fail_msg("%s", d->rejection.message);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_waits_for_its_milestone_and_is_withdrawn_behind_it),
        cmocka_unit_test(a_visit_that_ends_between_its_milestones_is_complete),
        cmocka_unit_test(in_a_circle_the_last_time_counts),
        cmocka_unit_test(a_person_is_asked_no_more_and_what_comes_later_does_not_begin),
        cmocka_unit_test(a_wait_for_a_milestone_moves_with_its_node),
        cmocka_unit_test(a_wait_for_another_milestone_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
