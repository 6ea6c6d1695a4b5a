/* Living instances go on with another version: their rows, jobs, timers and tasks, and the way back. */
#include "bulks.h"

static const char *text(const char *name) { return document("runtime/migrations", name); }

static int32_t version_of(struct driver *driver, struct id id)
{
    return driver_instance(driver, id)->definition_version;
}

static struct bulk_row migrated(struct driver *driver, const char *request)
{
    return finished(driver, begun(driver, text(request)));
}

static struct bulk_row undone(struct driver *driver, const struct bulk_row *row)
{
    char id[ID_CHARS + 1];
    id_print(bulk_id(row), id);
    return finished(
        driver, begun(driver, arena_printf(&driver->arena, "{\"action\":\"undo\",\"bulk\":\"%s\"}", id).p));
}

static size_t tasks_at(struct driver *driver, const char *node, int32_t version)
{
    struct call *call = driver_call(driver, CALL_LIST_TASKS);
    call->as.tasks.filter.max = 100;
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    size_t count = 0;
    for (size_t i = 0; i < call->value.tasks.count; i++)
        count += str_equal(call->value.tasks.row[i].node, str_of(node)) &&
                 call->value.tasks.row[i].definition_version == version;
    return count;
}

/* ---- rows follow ---- */

static void jobs_tasks_and_timers_go_on_under_the_new_version(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("mixed"));
    struct id one = driver_started(driver, "mixed", NULL), two = driver_started(driver, "mixed", NULL);
    struct job_view job = driver_polled(driver, "w", "work");
    driver_deploy(driver, text("mixed and renamed"));
    struct bulk_row row = migrated(driver, "to version 2");
    assert_string_equal(summary(driver, row), "succeeded=2 skipped=0 refused=0 of 2 (done)");
    assert_int_equal(version_of(driver, one), 2);
    assert_int_equal(tasks_at(driver, "see", 2), 2);
    assert_int_equal(tasks_at(driver, "look", 1), 0);
    driver_check(driver);
    /* The worker that had the job before completes it. */
    assert_int_equal(driver_complete(driver, job, "w", NULL)->status, ST_OK);
    /* The deadline is the one that was set when the instance came there. */
    driver_advance(driver, 3600 * 1000);
    assert_int_equal(tasks_at(driver, "see", 2), 0);
    driver_restart(driver);
    assert_int_equal(version_of(driver, two), 2);
    driver_check(driver);
}

static void a_failure_is_found_under_the_new_version(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("mixed"));
    struct id id = driver_started(driver, "mixed", NULL);
    struct job_view job = driver_polled(driver, "w", "work");
    assert_int_equal(driver_fail(driver, job, "w", false)->status, ST_OK);
    driver_deploy(driver, text("mixed and renamed"));
    struct bulk_row row = migrated(driver, "to version 2, failed");
    assert_string_equal(summary(driver, row), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
    assert_int_equal(version_of(driver, id), 2);
    driver_check(driver);
    row = finished(driver, begun(driver, "{\"action\":\"retry\",\"filter\":{\"definitionId\":\"mixed\","
                                         "\"definitionVersion\":2,\"reasonContains\":\"broken\"}}"));
    assert_string_equal(summary(driver, row), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    driver_check(driver);
}

static void send(struct driver *driver, const char *id, const char *type, enum event_outcome outcome)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event_count = 1;
    call->as.events.event->event = driver_json(
        driver,
        arena_printf(&driver->arena,
                     "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\"}", id, type)
            .p);
    driver_run(driver, call);
    assert_int_equal(call->as.events.event->outcome, outcome);
}

static void an_event_finds_it_by_the_subscription_of_the_new_version(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("waiting"));
    struct id id = driver_started(driver, "waiting", NULL);
    driver_deploy(driver, text("waiting longer"));
    struct bulk_row row = migrated(driver, "waiting to version 2");
    assert_string_equal(summary(driver, row), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    driver_check(driver);
    send(driver, "1", "first", EVENT_DELIVERED);
    send(driver, "2", "bell", EVENT_DELIVERED);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_ACTIVE);
    driver_advance(driver, 3600 * 1000);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    driver_check(driver);
}

/* ---- in slices ---- */

enum { SLICE = 64, MANY = 2 * SLICE + 5 };

static void a_migration_survives_a_restart_and_can_be_paused(void **state)
{
    struct driver *driver = *state;
    struct id ids[MANY];
    driver_deploy(driver, text("mixed"));
    for (size_t i = 0; i < MANY; i++) ids[i] = driver_started(driver, "mixed", NULL);
    driver_deploy(driver, text("mixed and renamed"));
    struct id id = begun(driver, text("to version 2"));
    int64_t done = row_of(driver, id).done;
    assert_in_range(done, 1, MANY - 1);
    assert_int_equal(driver_get(driver, CALL_PAUSE_BULK, id)->value.bulks.view->row.state, BULK_STATE_PAUSED);
    done = row_of(driver, id).done;
    driver_restart(driver);
    for (int i = 0; i < 5; i++) driver_turn(driver);
    assert_int_equal(row_of(driver, id).done, done);
    driver_check(driver);
    assert_int_equal(driver_get(driver, CALL_RESUME_BULK, id)->value.bulks.view->row.state,
                     BULK_STATE_RUNNING);
    driver_restart(driver);
    assert_string_equal(summary(driver, finished(driver, id)),
                        "succeeded=133 skipped=0 refused=0 of 133 (done)");
    for (size_t i = 0; i < MANY; i++) assert_int_equal(version_of(driver, ids[i]), 2);
    assert_int_equal(driver_get(driver, CALL_PAUSE_BULK, id)->value.bulks.view->row.state, BULK_STATE_DONE);
    driver_check(driver);
}

/* A tenant cannot keep others from their bulks by pausing its own. */
static void a_paused_bulk_counts_for_its_tenant(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("mixed"));
    for (size_t i = 0; i < MANY; i++) driver_started(driver, "mixed", NULL);
    driver_deploy(driver, text("mixed and renamed"));
    driver->limits.bulks_running_max = 2;
    driver_restart(driver);
    for (int i = 0; i < 2; i++) driver_get(driver, CALL_PAUSE_BULK, begun(driver, text("to version 2")));
    struct call *call = driver_run(driver, bulk(driver, text("to version 2")));
    assert_int_equal(call->status, ST_OVERLOAD);
    assert_non_null(strstr(call->error.message, "bulks_running_max"));
}

/* ---- back ---- */

static void an_instance_that_has_moved_on_stays(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("mixed"));
    struct id one = driver_started(driver, "mixed", NULL), two = driver_started(driver, "mixed", NULL);
    driver_deploy(driver, text("mixed and renamed"));
    struct bulk_row there = migrated(driver, "to version 2");
    assert_int_equal(driver_node(driver, CALL_SIGNAL, two, "rest")->status, ST_OK);
    struct bulk_row back = undone(driver, &there);
    assert_string_equal(summary(driver, back), "succeeded=1 skipped=0 refused=1 of 2 (done)");
    assert_int_equal(version_of(driver, one), 1);
    assert_int_equal(version_of(driver, two), 2);
    assert_int_equal(tasks_at(driver, "look", 1), 1);
    driver_check(driver);
    struct bulk_row again = undone(driver, &back);
    assert_string_equal(summary(driver, again), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    assert_int_equal(version_of(driver, one), 2);
    driver_check(driver);
}

static void a_preview_writes_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, text("mixed"));
    struct id id = driver_started(driver, "mixed", NULL);
    driver_deploy(driver, text("mixed and renamed"));
    static const struct {
        const char *body;
        enum bulk_verdict verdict;
    } cases[] = {
        { "{\"action\":\"migrate\",\"dryRun\":true,\"filter\":{\"definitionId\":\"mixed\","
          "\"definitionVersion\":1},\"to\":2,\"map\":{\"look\":\"see\"}}",
          BULK_MAPPED },
        { "{\"action\":\"migrate\",\"dryRun\":true,\"filter\":{\"definitionId\":\"mixed\","
          "\"definitionVersion\":1},\"to\":2}",
          BULK_CANNOT_MOVE },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call *call = driver_run(driver, bulk(driver, cases[i].body));
        assert_int_equal(call->status, ST_OK);
        assert_int_equal(call->value.bulks.total, 1);
        for (int k = 0; k < BULK_VERDICT_COUNT; k++)
            assert_int_equal(call->value.bulks.verdict[k], k == (int)cases[i].verdict);
        assert_int_equal(call->value.bulks.group[0].verdict, cases[i].verdict);
        assert_int_equal(call->value.bulks.group[0].target[0].number, id.instance);
    }
    assert_int_equal(version_of(driver, id), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(jobs_tasks_and_timers_go_on_under_the_new_version),
        DRIVER_TEST(a_failure_is_found_under_the_new_version),
        DRIVER_TEST(an_event_finds_it_by_the_subscription_of_the_new_version),
        DRIVER_TEST(a_migration_survives_a_restart_and_can_be_paused),
        DRIVER_TEST(a_paused_bulk_counts_for_its_tenant),
        DRIVER_TEST(an_instance_that_has_moved_on_stays),
        DRIVER_TEST(a_preview_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
