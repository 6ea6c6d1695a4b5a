/* Migration: a running instance goes on with another version of its definition, or is refused and says
 * which node is in the way. */
#include "core/driver.h"

#include "base/limits.h"

#define MAP(old, new)                    \
    {                                    \
        .from = STR(old), .to = STR(new) \
    }
#define MAPS(...) \
    (const struct node_mapping[]){ __VA_ARGS__ }, COUNT(((const struct node_mapping[]){ __VA_ARGS__ }))
#define NO_MAP NULL, 0

enum { VERSIONS_MAX = 8 };

/* Instances borrow names from the programs they ran with. */
static struct program *versions[VERSIONS_MAX];
static size_t version_count;

static int forget_versions(void **state)
{
    (void)state;
    while (version_count) program_unref(versions[--version_count]);
    return 0;
}

static struct program *compile(const char *top, const char *steps)
{
    struct driver other;
    driver_begin_with(&other, top, steps);
    arena_done(&other.arena);
    assert_true(version_count < VERSIONS_MAX);
    return versions[version_count++] = other.program;
}

static enum status migrate_to(struct driver *d, struct program *to, struct command_migrate asked)
{
    struct program *from = d->program;
    asked.from = from;
    if (!asked.definition) asked.definition = d->instance->definition + 1;
    d->program = to;
    enum status status =
        driver_do(d, (struct command){ .kind = COMMAND_MIGRATE, .as.migrate = asked, .actor = STR("ann") });
    if (status != ST_OK) {
        d->program = from;
        return status;
    }
    versions[version_count++] = from;
    d->program = program_ref(to);
    return ST_OK;
}

static enum status migrate(struct driver *d, const char *steps, const struct node_mapping *mapping,
                           size_t count)
{
    return migrate_to(d, compile("", steps),
                      (struct command_migrate){ .mapping = mapping, .mapping_count = count });
}

static void moves(struct driver *d, const char *steps, const struct node_mapping *mapping, size_t count)
{
    if (migrate(d, steps, mapping, count) != ST_OK) fail_msg("migrate: %s", d->rejection.message);
}

static void stays(struct driver *d, const char *steps, const struct node_mapping *mapping, size_t count,
                  const char *code, const char *message)
{
    const struct instance *before = d->instance;
    assert_rejected(d, migrate(d, steps, mapping, count), ST_CONFLICT, message);
    assert_string_equal(d->rejection.code, code);
    assert_ptr_equal(d->instance, before);
}

/* ---- jobs ---- */

static void an_open_job_is_finished_in_the_new_version(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, "{'n':1}");
    uint32_t job = job_of(&d, "a")->number, execution = d.instance->token[0].execution;
    d.now_ms += 5000;
    moves(&d, TASK("a", "c") TASK("c", "end") END("end"), NO_MAP);
    assert_entries(&d, "migrate");
    assert_int_equal(d.instance->definition, 4);
    assert_int_equal(job_of(&d, "a")->number, job);
    assert_int_equal(d.instance->token[0].execution, execution);
    assert_int_equal(d.instance->token[0].since_ms, d.now_ms - 5000);
    complete(&d, "a", NULL);
    assert_at(&d, "ACTIVE c");
    complete(&d, "c", NULL);
    assert_rows(&d, "a COMPLETED, c COMPLETED, end COMPLETED");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_renamed_node_is_followed_by_its_mapping(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, NULL);
    const char *renamed = STEP("first", "SERVICE_TASK", ",'jobType':'a'" NEXT("end")) END("end");
    stays(&d, renamed, NO_MAP, "NODE_GONE", "the new version has no step for 'a': map it to another one");
    stays(&d, renamed, MAPS(MAP("a", "never")), "NODE_GONE",
          "the new version has no step for 'a': map it to another one");
    moves(&d, renamed, MAPS(MAP("a", "first")));
    assert_at(&d, "ACTIVE first");
    assert_rows(&d, "first RUNNING");
    assert_json(&d, d.outcome.history.entry[0].renamed, "{'a':'first'}");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_job_of_another_type_keeps_the_instance(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, NULL);
    stays(&d, STEP("a", "SERVICE_TASK", ",'jobType':'other'" NEXT("end")) END("end"), NO_MAP, "JOB_CHANGED",
          "'a' has an open job, and the new version does it by another type of job");
    stays(&d, PERSON("a", "end") END("end"), NO_MAP, "JOB_CHANGED",
          "'a' has an open job, and is another kind of node now");
    driver_end(&d);
}

/* ---- waits ---- */

static void waits_of_the_same_kind_go_on(void **state)
{
    static const struct {
        const char *before, *after, *other, *at;
    } cases[] = {
        { WAIT("x", "end") END("end"), WAIT("x", "b") TASK("b", "end") END("end"),
          PERSON("x", "end") END("end"), "WAITING x" },
        { PERSON("x", "end") END("end"), PERSON("x", "b") TASK("b", "end") END("end"),
          WAIT("x", "end") END("end"), "WAITING x" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        driver_begin(&d, cases[i].before);
        start(&d, NULL);
        stays(&d, cases[i].other, NO_MAP, "WAIT_CHANGED",
              "'x' waits, and the new version waits otherwise there");
        moves(&d, cases[i].after, NO_MAP);
        assert_at(&d, cases[i].at);
        send(&d, i ? COMMAND_COMPLETE_TASK : COMMAND_SIGNAL, "x", NULL);
        assert_at(&d, "ACTIVE b");
        driver_end(&d);
        forget_versions(state);
    }
}

static void a_timer_keeps_its_deadline(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("x", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT1H", "true", "late")))
                         TASK("late", "end") END("end"));
    start(&d, NULL);
    int64_t due_ms = d.instance->timer[0].due_ms;
    uint32_t number = d.instance->timer[0].number;
    stays(&d, PERSON("x", "late") TASK("late", "end") END("end"), NO_MAP, "TIMER_CHANGED",
          "'x' has a timer that runs, and the new version has another one there");
    stays(&d,
          STEP("x", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT1H", "false", "late"))) TASK("late", "end")
              END("end"),
          NO_MAP, "TIMER_CHANGED", "'x' has a timer that runs, and the new version has another one there");
    d.now_ms += 60000;
    /* Its length counts from the next visit on, and it leads where the new version says. */
    moves(&d,
          STEP("x", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT9H", "true", "later"))) TASK("later", "end")
              END("end"),
          NO_MAP);
    assert_int_equal(d.instance->timer[0].due_ms, due_ms);
    assert_int_equal(d.instance->timer[0].number, number);
    fire(&d, "x", 0);
    assert_at(&d, "ACTIVE later");
    driver_end(&d);
}

static void an_early_signal_waits_for_its_node(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "w") WAIT("w", "end") END("end"));
    start(&d, NULL);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_SIGNAL,
                                                     .as.node = { .node = STR("w"), .early = true },
                                                     .data = driver_json(&d, "{'s':1}") }),
                     ST_OK);
    stays(&d, TASK("a", "end") END("end"), NO_MAP, "NODE_GONE",
          "the new version has no step for 'w': map it to another one");
    stays(&d, TASK("a", "w") PERSON("w", "end") END("end"), NO_MAP, "WAIT_CHANGED",
          "'w' has a signal that came early, and does not wait for one in the new version");
    moves(&d, TASK("a", "v") WAIT("v", "end") END("end"), MAPS(MAP("w", "v")));
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'s':1}");
    driver_end(&d);
}

/* ---- forks ---- */

#define TWO_BRANCHES FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j")

static void a_fork_that_is_the_same_is_joined_in_the_new_version(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TWO_BRANCHES JOIN("j", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    moves(&d,
          FORK("f", "'a','b'", "k") TASK("a", "k") TASK("b", "b2") TASK("b2", "k") JOIN("k", "z")
              TASK("z", "end") END("end"),
          MAPS(MAP("j", "k")));
    complete(&d, "b", NULL);
    assert_at(&d, "ACTIVE k b2");
    complete(&d, "b2", NULL);
    assert_at(&d, "ACTIVE z");
    complete(&d, "z", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_fork_that_changed_keeps_the_instance(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TWO_BRANCHES JOIN("j", "end") END("end"));
    start(&d, NULL);
    const char *why = "a token stands in the fork 'f', which changed";
    stays(&d,
          FORK("f", "'a','b','c'", "j") TASK("a", "j") TASK("b", "j") TASK("c", "j") JOIN("j", "end")
              END("end"),
          NO_MAP, "FORK_CHANGED", why);
    stays(&d, TWO_BRANCHES JOIN("j", "end") END("end"), MAPS(MAP("j", "a")), "FORK_CHANGED", why);
    stays(&d, TASK("f", "a") TASK("a", "b") TASK("b", "end") END("end"), NO_MAP, "FORK_CHANGED", why);
    stays(&d,
          FORK("f", "'a','c'", "j") TASK("a", "j") TASK("c", "j") JOIN("j", "b") TASK("b", "end") END("end"),
          NO_MAP, "FORK_CHANGED",
          "a token stands in the fork 'f', which changed: 'b' is not a part of it any more");
    driver_end(&d);
}

static void a_token_outside_does_not_come_into_a_fork(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, NULL);
    stays(&d, TWO_BRANCHES JOIN("j", "end") END("end"), NO_MAP, "PLACE_CHANGED",
          "'a' is inside of a fork or another node now");
    driver_end(&d);
}

static void a_fork_that_is_over_may_change(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TWO_BRANCHES JOIN("j", "z") TASK("z", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    moves(&d, TASK("y", "z") TASK("z", "end") END("end"), NO_MAP);
    complete(&d, "z", NULL);
    assert_at(&d, "COMPLETED");
    /* Visits to nodes that are gone are told as they were. */
    assert_rows(&d, "f COMPLETED, a COMPLETED, b COMPLETED, j COMPLETED, z COMPLETED, end COMPLETED");
    driver_end(&d);
}

/* ---- failed instances ---- */

static void a_failed_instance_moves_and_is_retried_in_one_step(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "b") SET("b", "'n':'${nothing.here + 1}'", "end") END("end"));
    start(&d, NULL);
    complete(&d, "a", NULL);
    assert_at(&d, "FAILED b");
    struct program *fixed = compile("", TASK("a", "b") SET("b", "'n':'${1 + 1}'", "end") END("end"));
    assert_int_equal(migrate_to(&d, fixed, (struct command_migrate){ .retries = true }), ST_OK);
    assert_at(&d, "COMPLETED");
    assert_data(&d, "{'n':2}");
    driver_end(&d);
}

static void a_failed_instance_may_move_and_stay_failed(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, NULL);
    fail_job(&d, "a", "no luck", false);
    assert_at(&d, "FAILED a");
    moves(&d, TASK("b", "end") END("end"), MAPS(MAP("a", "b")));
    assert_at(&d, "FAILED b");
    assert_failure(&d, "no luck");
    send(&d, COMMAND_RETRY, "b", NULL);
    complete(&d, "b", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* Only the way out failed, and the new version decides it. The work is not done again. */
static void a_stuck_exit_is_judged_by_the_new_version(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'conditionalNextSteps':{'n == 1':'end'}") END("end"));
    start(&d, NULL);
    complete(&d, "a", "{'n':2}");
    assert_at(&d, "FAILED a");
    struct program *fixed = compile("", TASK_WITH("a", "'conditionalNextSteps':{'n == 1':'end','n == 2':'b'}")
                                            TASK("b", "end") END("end"));
    assert_int_equal(migrate_to(&d, fixed, (struct command_migrate){ .retries = true }), ST_OK);
    assert_at(&d, "ACTIVE b");
    driver_end(&d);
}

/* A token that only tries its way out again would leave a fork by one way alone. */
static void a_stuck_exit_does_not_become_a_fork(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'conditionalNextSteps':{'n == 1':'end'}") END("end"));
    start(&d, NULL);
    complete(&d, "a", "{'n':2}");
    assert_at(&d, "FAILED a");
    stays(&d, FORK("a", "'b','c'", "j") TASK("b", "j") TASK("c", "j") JOIN("j", "end") END("end"), NO_MAP,
          "EXIT_CHANGED", "'a' failed on its way out, and the new version has another way there");
    driver_end(&d);
}

/* ---- the whole ---- */

static void what_cannot_be_migrated_says_why(void **state)
{
    struct driver d;
    struct node_mapping many[NODE_MAPPINGS_MAX + 1];
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    start(&d, NULL);
    for (size_t i = 0; i < COUNT(many); i++) many[i] = (struct node_mapping)MAP("x", "y");
    struct program *same = compile("", TASK("a", "end") END("end"));
    assert_rejected(&d, migrate_to(&d, same, (struct command_migrate){ .definition = 3 }), ST_CONFLICT,
                    "the instance is of this version already");
    assert_rejected(&d, migrate_to(&d, same, (struct command_migrate){ .if_revision = 9 }), ST_CONFLICT,
                    "the instance has moved on: its revision is 1, not 9");
    assert_int_equal(
        migrate_to(&d, same, (struct command_migrate){ .mapping = many, .mapping_count = COUNT(many) }),
        ST_LIMIT);
    assert_int_equal(migrate_to(&d, same,
                                (struct command_migrate){
                                    .mapping = many, .mapping_count = NODE_MAPPINGS_MAX, .if_revision = 1 }),
                     ST_OK);
    complete(&d, "a", NULL);
    assert_int_equal(migrate_to(&d, same, (struct command_migrate){ 0 }), ST_CONFLICT);
    driver_end(&d);
}

static void a_migration_can_be_taken_back(void **state)
{
    static const char before[] = TWO_BRANCHES JOIN("j", "end") END("end");
    static const char after[] = FORK("g", "'x','b'", "j")
        STEP("x", "SERVICE_TASK", ",'jobType':'a'" NEXT("j")) TASK("b", "j") JOIN("j", "end") END("end");
    struct driver d;
    (void)state;
    driver_begin(&d, before);
    start(&d, "{'n':1}");
    complete(&d, "b", NULL);
    struct instance was = *d.instance;
    moves(&d, after, MAPS(MAP("f", "g"), MAP("a", "x")));
    assert_at(&d, "ACTIVE x j");
    moves(&d, before, MAPS(MAP("g", "f"), MAP("x", "a")));
    was.revision = d.instance->revision;
    was.definition = d.instance->definition;
    assert_bytes(driver_encoded(&d, d.instance), driver_encoded(&d, &was), "taken back");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_history_across_a_migration_gives_the_state(void **state)
{
    struct driver d;
    const struct instance *now = NULL;
    struct error err;
    (void)state;
    driver_begin(&d, TASK("a", "b") TASK("b", "end") END("end"));
    start(&d, "{'n':1}");
    complete(&d, "a", NULL);
    moves(&d, STEP("c", "SERVICE_TASK", ",'jobType':'b'" NEXT("end")) END("end"), MAPS(MAP("b", "c")));
    complete(&d, "b", NULL);
    const struct created created = { .id = 7, .definition = 3, .business_key = STR("key-1") };
    for (size_t i = 0; i < d.history_count; i++)
        if (core_replay(NULL, now, &created, &d.history[i], &d.arena, &now, &err) != ST_OK)
            fail_msg("replay: %s", err.message);
    assert_bytes(driver_encoded(&d, now), driver_encoded(&d, d.instance), "replay");
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define A_TEST(name) cmocka_unit_test_setup_teardown(name, NULL, forget_versions)
        A_TEST(an_open_job_is_finished_in_the_new_version),
        A_TEST(a_renamed_node_is_followed_by_its_mapping),
        A_TEST(a_job_of_another_type_keeps_the_instance),
        A_TEST(waits_of_the_same_kind_go_on),
        A_TEST(a_timer_keeps_its_deadline),
        A_TEST(an_early_signal_waits_for_its_node),
        A_TEST(a_fork_that_is_the_same_is_joined_in_the_new_version),
        A_TEST(a_fork_that_changed_keeps_the_instance),
        A_TEST(a_token_outside_does_not_come_into_a_fork),
        A_TEST(a_fork_that_is_over_may_change),
        A_TEST(a_failed_instance_moves_and_is_retried_in_one_step),
        A_TEST(a_failed_instance_may_move_and_stay_failed),
        A_TEST(a_stuck_exit_is_judged_by_the_new_version),
        A_TEST(a_stuck_exit_does_not_become_a_fork),
        A_TEST(what_cannot_be_migrated_says_why),
        A_TEST(a_migration_can_be_taken_back),
        A_TEST(a_history_across_a_migration_gives_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
