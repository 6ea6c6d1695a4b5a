/* store_check() on stores that are as they should be, and on ones that somebody damaged. The
 * instances are real: made by core_step() from a program of three nodes. */
#include "real_instances.h"
#include "sqlite_file.h"

#include "store/sqlite/sqlite_int.h"

/* Instance 1 takes events (definition 2), instance 2 is the child that its job 7 awaits. */
static void put_family(struct fixture *f)
{
    struct definition_row listening = {
        .number = 2, .ns = 1, .id = STR("listening"), .version = 1, .source = STR(LISTENING)
    };
    struct trigger_row trigger[2] = { { 1, STR("shop"), STR("paid"), 2 },
                                      { 1, STR("shop"), STR("sent"), 2 } };
    put_definition(f, 1, "order", 1);
    put(f, (struct changeset){ .definition = &listening, .trigger_add = trigger, .trigger_add_count = 2 });
    const struct instance *one = run(f, NULL,
                                     (struct command){ .kind = COMMAND_START,
                                                       .as.start.instance = 1,
                                                       .as.start.definition = 2,
                                                       .as.start.correlation = STR("\"T\""),
                                                       .data = json_empty_object() });
    assert_str_equal(one->correlation, STR("\"T\""));
    const struct instance *two = run(f, NULL,
                                     (struct command){ .kind = COMMAND_START,
                                                       .as.start.instance = 2,
                                                       .as.start.definition = 1,
                                                       .as.start.parent = 1,
                                                       .as.start.parent_job = 7,
                                                       .as.start.parent_waits = true,
                                                       .data = json_empty_object() });
    assert_int_equal(two->parent, 1);
    struct subscription_row subscription = { 2, STR("\"T\""), 1 };
    struct child_row child = { 1, 7, 2, true };
    put(f, (struct changeset){ .subscription_add = &subscription, .child_add = &child });
}

static struct findings check(struct fixture *f, bool deep)
{
    struct findings findings = { 0 };
    int64_t instances = -1;
    assert_ok(f, store_check(f->store, deep, compile, note, &findings, &instances, &f->err));
    assert_int_equal(instances, 2);
    return findings;
}

static void a_sound_store_gives_no_findings(void **state)
{
    struct fixture *f = *state;
    put_two(f);
    for (int deep = 0; deep < 2; deep++) assert_string_equal(check(f, deep).text, "");
}

static void rows_without_a_cause_are_found(void **state)
{
    struct fixture *f = *state;
    put_two(f);
    struct timer_row timer[2] = { { 7, 2, 1 }, { 7, 99, 1 } };
    struct task_row task[2] = {
        { .instance = 2, .execution = 1, .ns = 1, .definition = 1, .node = STR("work") },
        { .instance = 98, .execution = 1, .ns = 1, .definition = 1 },
    };
    put(f, (struct changeset){
               .timer_add = timer, .timer_add_count = 2, .task_add = task, .task_add_count = 2 });
    struct findings findings = check(f, false);
    assert_int_equal(findings.count, 4);
    assert_non_null(strstr(findings.text, "timer 1 is not in the state of instance 2\n"));
    assert_non_null(strstr(findings.text, "a timer belongs to instance 99, which is not there\n"));
    assert_non_null(strstr(findings.text, "the task at \"work\" is not open in the state of instance 2\n"));
    assert_non_null(strstr(findings.text, "a task belongs to instance 98, which is not there\n"));
}

static void states_without_their_rows_are_found(void **state)
{
    struct fixture *f = *state;
    put_two(f);
    struct timer_row timer;
    size_t count;
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, &timer, 1, &count, &f->err));
    struct task_filter filter = { .ns = 1, .max = 1 };
    struct task_row *task;
    assert_ok(f, reader_tasks(f->reader, &filter, &f->arena, &task, &count, NULL, &f->err));
    put(f,
        (struct changeset){
            .timer_remove = &timer, .timer_remove_count = 1, .task_remove = task, .task_remove_count = 1 });
    struct findings findings = check(f, false);
    assert_int_equal(findings.count, 2);
    assert_non_null(strstr(findings.text, "has no row and would never fire"));
    assert_non_null(strstr(findings.text, "the open task at \"ask\" is in no list"));
}

/* In a store of its own. No finding: none at all. */
static void expect_finding(void (*fill)(struct fixture *f), const char *sql, const char *finding, bool deep)
{
    void *own;
    setup_sqlite(&own);
    struct fixture *f = own;
    fill(f);
    assert_ok(f, sqlite_exec(&((struct sqlite_store *)f->store)->db, sql, &f->err));
    struct findings findings = check(f, deep);
    if (!strstr(findings.text, finding) || (findings.count == 0) != !finding[0])
        fail_msg("%s\nfound: %s", sql, findings.text);
    teardown(&own);
}

static struct record_row a_record(enum record_kind kind, const char *key, size_t bytes, const char *value)
{
    return (struct record_row){ .ns = 1, .kind = kind, .key = { key, bytes }, .value = str_of(value) };
}

static void numbers_of_entities_agree_with_their_records(void **state)
{
    struct fixture *f = *state;
    put_two(f);
    const struct record_row sound[] = {
        a_record(RECORD_STATE, "m.1\0A\0\0\0\0\0\0\0\0\1", 14, ""),
        a_record(RECORD_STATE, "m.1\0A\0\0\0\0\0\0\0\0\2", 14, ""),
        a_record(RECORD_STATE, "m.1\0B\0\0\0\0\0\0\0\0\3", 14, ""),
        a_record(RECORD_TALLY, "m.1\0A\0", 6, "2"),
        a_record(RECORD_TALLY, "m.1\0B\0", 6, "1"),
    };
    put(f, (struct changeset){ .record_put = sound, .record_put_count = COUNT(sound) });
    assert_string_equal(check(f, false).text, "");
    const struct record_row wrong[] = {
        a_record(RECORD_TALLY, "m.1\0A\0", 6, "3"),
        a_record(RECORD_TALLY, "m.1\0C\0", 6, "1"),
    };
    put(f, (struct changeset){ .record_put = wrong,
                               .record_put_count = COUNT(wrong),
                               .record_remove = &sound[4],
                               .record_remove_count = 1 });
    struct findings findings = check(f, false);
    assert_int_equal(findings.count, 3);
    assert_non_null(
        strstr(findings.text, "the entities of \"m.1\" in state \"A\" are 2, not 3 as is counted"));
    assert_non_null(
        strstr(findings.text, "the entities of \"m.1\" in state \"B\" are 1, not 0 as is counted"));
    assert_non_null(
        strstr(findings.text, "the entities of \"m.1\" in state \"C\" are 0, not 1 as is counted"));
}

static void rows_of_events_and_children_agree_with_states(void **state)
{
    struct fixture *f = *state;
    put_family(f);
    for (int deep = 0; deep < 2; deep++) assert_string_equal(check(f, deep).text, "");

    struct subscription_row own = { 2, STR("\"T\""), 1 };
    struct subscription_row wrong[] = {
        { 2, STR(""), 1 }, { 3, STR("\"T\""), 1 }, { 1, STR(""), 2 }, { 2, STR("\"T\""), 50 }
    };
    struct child_row strange[] = { { 1, 8, 2, true, false },
                                   { 60, 1, 2, true, false },
                                   { 2, 9, 61, true, false },
                                   { 1, 10, 2, false, true } };
    for (size_t i = 0; i < COUNT(wrong); i++) put(f, (struct changeset){ .subscription_add = &wrong[i] });
    for (size_t i = 0; i < COUNT(strange); i++) put(f, (struct changeset){ .child_add = &strange[i] });
    struct findings findings = check(f, true);
    assert_non_null(strstr(findings.text, "instance 1, which has another correlation key\n"));
    assert_non_null(strstr(findings.text, "instance 1, which is of another definition\n"));
    assert_non_null(strstr(findings.text, "instance 2, which takes no events\n"));
    assert_non_null(strstr(findings.text, "a subscription belongs to instance 50, which is not there\n"));
    assert_non_null(strstr(findings.text, "instance 2 is no child of job 8 of instance 1 as its row says\n"));
    assert_non_null(strstr(findings.text, "a child's row belongs to instance 60, which is not there\n"));
    assert_non_null(strstr(findings.text, "instance 2 was not chained from instance 1 as its row says\n"));
    assert_int_equal(findings.count, 7);        /* 61 is a child that was purged. */
    assert_int_equal(check(f, false).count, 6); /* Without programs nobody knows who takes events. */

    for (size_t i = 0; i < COUNT(wrong); i++) put(f, (struct changeset){ .subscription_remove = &wrong[i] });
    put(f, (struct changeset){ .subscription_remove = &own });
    for (int deep = 0; deep < 2; deep++)
        assert_non_null(
            strstr(check(f, deep).text, "instance 1: it has no subscription and would get no events\n"));
}

/* Completed at 6000, with a region that nobody waits for: it has a job and a timer. */
static str lingering_state(struct fixture *f, uint64_t id)
{
    struct scope scope = {
        .number = 1, .fork_name = STR("fork"), .state = REGION_DETACHED, .data = json_empty_object()
    };
    struct token token = { .execution = 2, .state = TOKEN_JOB, .node_name = STR("work"), .scope = 1 };
    struct job job = { .number = 3, .execution = 2, .type = STR("worker"), .attempt = 1 };
    struct timer timer = { .number = 4, .execution = 2, .due_ms = 70 };
    struct instance state = {
        .id = id,
        .definition = 1,
        .status = INSTANCE_COMPLETED,
        .created_ms = 5000,
        .ended_ms = 6000,
        .data = json_empty_object(),
        .next_number = 5,
        .token = &token,
        .token_count = 1,
        .scope = &scope,
        .scope_count = 1,
        .job = &job,
        .job_count = 1,
        .timer = &timer,
        .timer_count = 1,
    };
    struct buf bytes;
    buf_init(&bytes, &f->arena);
    core_encode(&state, &bytes);
    return buf_str(&bytes);
}

static void an_ended_instance_has_the_rows_of_what_still_goes_on(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = { .id = 1,
                                .ns = 1,
                                .definition = 1,
                                .status = INSTANCE_COMPLETED,
                                .has_jobs = true,
                                .created_ms = 5000,
                                .state = lingering_state(f, 1) };
    struct instance_row two = one;
    struct timer_row timer = { 70, 1, 4 };
    two.id = 2;
    two.state = lingering_state(f, 2);
    two.ended_ms = 6000; /* As if it were over. */
    two.has_jobs = false;
    put(f, (struct changeset){ .instance = &one, .insert = true, .timer_add = &timer, .timer_add_count = 1 });
    put(f, (struct changeset){ .instance = &two, .insert = true });
    assert_string_equal(check(f, false).text, "instance 2: row and state differ in the end time\n"
                                              "instance 2: row and state differ in the open jobs\n"
                                              "instance 2: its timer 4 has no row and would never fire\n");
}

static void damage_in_the_file_is_found(void **state)
{
    static const struct {
        const char *sql;
        const char *finding; /* One of them; damage often has several signs. */
        bool deep;
    } cases[] = {
        { "UPDATE instance SET state = CAST(substr(state, 1, 6) || x'55' || substr(state, 8) AS BLOB) WHERE "
          "id = 1",
          "instance 1: its state is damaged", false },
        { "UPDATE instance SET state = x'' WHERE id = 2", "instance 2: its state is damaged", false },
        { "UPDATE history SET blob = CAST(substr(blob, 1, length(blob) - 1) AS BLOB) WHERE instance = 1",
          "instance 1: history row 1 is damaged", false },
        { "UPDATE history SET prev = 0, revision = 7 WHERE instance = 1 AND revision = 2",
          "the history of instance 1 is broken", false },
        { "DELETE FROM history WHERE instance = 1 AND revision = 1", "the history of instance 1 is broken",
          false },
        { "INSERT INTO history VALUES(99, 2, 1, 2, 0, x'00')", "history row 99 belongs to instance 2",
          false },
        { "INSERT INTO history VALUES(99, 50, 1, 2, 0, x'00')", "history row 99 belongs to instance 50",
          false },
        { "UPDATE history SET blob = (SELECT blob FROM history WHERE instance = 1 AND revision = 2) WHERE "
          "instance = 2",
          "instance 2: history row 1 says revision 2", false },
        { "UPDATE instance SET phase = 8 WHERE id = 2", "instance 2: row and state differ in the status",
          false },
        { "UPDATE instance SET phase = 0 WHERE id = 2", "instance 2: row and state differ in the open jobs",
          false },
        { "UPDATE instance SET key = x'41' WHERE id = 2", "row and state differ in the business key", false },
        { "UPDATE instance SET ended = 4 WHERE id = 2", "row and state differ in the end time", false },
        { "UPDATE tally SET count = count + 1", "are counted", false },
        { "DELETE FROM tally WHERE slot = -1", "definition 1 has 1 open tasks, but 0 are counted", false },
        { "UPDATE tally SET count = 7 WHERE slot = -2", "timers, but 7 are counted", false },
        { "DELETE FROM definition", "instance 1 is of definition 1, which is not there", false },
        { "UPDATE definition SET source = CAST('broken' AS BLOB)", "definition 1 does not compile", true },
        { "UPDATE instance SET state = (SELECT state FROM instance WHERE id = 2) WHERE id = 1",
          "instance 1: its history leads to another state", true },
        { "UPDATE history SET blob = (SELECT blob FROM history WHERE instance = 2) WHERE instance = 1 AND "
          "revision = 1",
          "", true }, /* Both are the same START: nothing to find. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_finding(put_two, cases[i].sql, cases[i].finding, cases[i].deep);
}

static void damage_to_events_and_children_is_found(void **state)
{
    static const struct {
        const char *sql;
        const char *finding;
    } cases[] = {
        { "UPDATE subscription SET correlation = x'54'", "instance 1: it has no subscription" },
        { "DELETE FROM event_trigger WHERE type = x'73656e74'",
          "definition 2: its trigger \"sent\" has no row" },
        { "UPDATE event_trigger SET definition = 9", "definition 9 takes events, but is not there" },
        { "DELETE FROM child", "instance 2: its parent 1 has no row of it" },
        { "UPDATE child SET instance = 1", "instance 1 is no child of job 7 of instance 1" },
        { "UPDATE child SET awaited = 0", "instance 2 is no child of job 7 of instance 1" },
        { "UPDATE instance SET ended = 7 WHERE id = 1", "instance 1: row and state differ in the end time" },
        { "DELETE FROM unmatched", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_finding(put_family, cases[i].sql, cases[i].finding, true);
}

/* Instance 1 has failed, and a bulk goes on that was to retry it. */
static void put_failure(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    const struct instance *one = run(f, NULL,
                                     (struct command){ .kind = COMMAND_START,
                                                       .as.start.instance = 1,
                                                       .as.start.definition = 1,
                                                       .data = json_empty_object() });
    one =
        run(f, one,
            (struct command){
                .kind = COMMAND_FAIL_JOB, .as.job.number = one->job[0].number, .as.job.text = STR("lost") });
    assert_int_equal(one->status, INSTANCE_FAILED);
    run(f, NULL,
        (struct command){ .kind = COMMAND_START,
                          .as.start.instance = 2,
                          .as.start.definition = 1,
                          .data = json_empty_object() });
    struct failure_row failure = store_state_failure(one, 1);
    assert_str_equal(failure.step, STR("work"));
    assert_str_equal(failure.reason, STR("lost"));
    struct bulk_row bulk = { .ns = 1, .created_ms = 5, .found = 2 };
    struct bulk_part_row part[] = { { .kind = BULK_PART_REQUEST, .blob = STR("r") },
                                    { .kind = BULK_PART_SELECTION, .blob = STR("s") } };
    put(f, (struct changeset){
               .failure_put = &failure, .bulk_add = &bulk, .bulk_part_add = part, .bulk_part_add_count = 2 });
}

static void damage_to_failures_and_bulks_is_found(void **state)
{
    static const struct {
        const char *sql, *finding;
    } cases[] = {
        { "SELECT 1", "" },
        { "DELETE FROM failure", "instance 1: it has failed, and has no row that says why" },
        { "UPDATE failure SET reason = x'41'",
          "instance 1: it has failed for another reason than its row says" },
        { "UPDATE failure SET instance = 9", "belongs to instance 9, which is not there" },
        { "INSERT INTO failure SELECT 1, 2, 1, 1, 1, NULL, x'', x''",
          "a row says why it failed, but it is ACTIVE" },
        { "UPDATE bulk SET done = 1", "bulk 1: its counts do not add up" },
        { "UPDATE bulk SET done = 3, succeeded = 3", "bulk 1: its counts do not add up" },
        { "UPDATE bulk SET done = 2, succeeded = 2", "bulk 1: it is done and goes on" },
        { "DELETE FROM bulk_part WHERE kind = 0", "bulk 1: nobody knows what was asked for" },
        { "DELETE FROM bulk_part WHERE kind = 1", "bulk 1: nobody knows for which instances it is" },
        { "DELETE FROM bulk", "parts of bulk 1 are left without it" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_finding(put_failure, cases[i].sql, cases[i].finding, true);
}

static void a_damaged_page_is_found(void **state)
{
    struct fixture *f = *state;
    put_two(f);
    close_store(f);
    struct sqlite_db db;
    int64_t root;
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(f, sqlite_number(&db, "SELECT rootpage FROM sqlite_schema WHERE name = 'instance_place'", &root,
                               &f->err));
    sqlite_db_close(&db);
    FILE *file = fopen(f->path, "r+");
    assert_non_null(file);
    fseek(file, (long)((root - 1) * 4096 + 4080), SEEK_SET);
    fputs("overwritten", file);
    fclose(file);
    open_sqlite(f);
    struct findings findings = { 0 };
    int64_t instances;
    assert_ok(f, store_check(f->store, false, compile, note, &findings, &instances, &f->err));
    assert_true(findings.count > 0);
    assert_non_null(strstr(findings.text, "SQLite: "));
}

/* It is left alone, and the others go. */
static void an_instance_of_no_known_phase_is_not_purged(void **state)
{
    struct fixture *f = *state;
    struct purged removed;
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= 2; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED);
        put_instance(f, &row);
    }
    close_store(f);
    run_sql(f->path, "UPDATE instance SET phase = 123456 WHERE id = 1");
    open_sqlite(f);
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 10, &removed, &f->err));
    commit(f);
    assert_int_equal(removed.total, 1);
    assert_int_equal(removed.instances[INSTANCE_COMPLETED], 1);
}

int main(void)
{
#define MEMORY(test)                                         \
    {                                                        \
        "memory: " #test, test, setup_memory, teardown, NULL \
    }
#define SQLITE(test)                                         \
    {                                                        \
        "sqlite: " #test, test, setup_sqlite, teardown, NULL \
    }
    const struct CMUnitTest tests[] = {
        MEMORY(a_sound_store_gives_no_findings),
        SQLITE(a_sound_store_gives_no_findings),
        MEMORY(rows_without_a_cause_are_found),
        SQLITE(rows_without_a_cause_are_found),
        MEMORY(states_without_their_rows_are_found),
        SQLITE(states_without_their_rows_are_found),
        MEMORY(an_ended_instance_has_the_rows_of_what_still_goes_on),
        SQLITE(an_ended_instance_has_the_rows_of_what_still_goes_on),
        MEMORY(numbers_of_entities_agree_with_their_records),
        SQLITE(numbers_of_entities_agree_with_their_records),
        MEMORY(rows_of_events_and_children_agree_with_states),
        SQLITE(rows_of_events_and_children_agree_with_states),
        cmocka_unit_test(damage_in_the_file_is_found),
        cmocka_unit_test(damage_to_events_and_children_is_found),
        cmocka_unit_test(damage_to_failures_and_bulks_is_found),
        SQLITE(a_damaged_page_is_found),
        SQLITE(an_instance_of_no_known_phase_is_not_purged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
