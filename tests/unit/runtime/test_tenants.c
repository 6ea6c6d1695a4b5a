/* Tenants: what one has is not there for another, whatever it asks. */
#include "entity_driver.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACME = 2, OTHER = 3 };

static const char *definition(const char *name) { return document("runtime/engine", name); }

/* What ACME has: the ids that others try. */
struct things {
    struct id worker, person, task, bulk;
    struct job_view job;
    struct uuid entity;
    int64_t unmatched;
};

static struct call *as(struct driver *driver, int32_t ns, enum call_kind kind)
{
    driver->ns = ns;
    return driver_call(driver, kind);
}

static struct id begin_bulk(struct driver *driver)
{
    struct bulk_request *request = arena_make(&driver->arena, struct bulk_request);
    *request = (struct bulk_request){ .action = BULK_CANCEL,
                                      .filter = { .definition_id = STR_INIT("quick") },
                                      .body = json_empty_object() };
    struct call *call = driver_call(driver, CALL_BULK);
    call->as.bulk.request = request;
    driver_run(driver, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return bulk_id(&call->value.bulks.view->row);
}

static int64_t lose_event(struct driver *driver)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event->event =
        driver_json(driver, "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\"}");
    call->as.events.event_count = 1;
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    call = driver_call(driver, CALL_LIST_UNMATCHED);
    call->as.unmatched.max = 10;
    driver_run(driver, call);
    assert_int_equal(call->value.unmatched.count, 1);
    return call->value.unmatched.view->number;
}

static struct things prepare(struct driver *driver)
{
    struct things things = { 0 };
    driver->ns = ACME;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("person"));
    driver_deploy(driver, definition("quick"));
    begin(driver, WORKFLOW("\"A\":{}"));
    things.entity = created(driver, "{\"n\":1,\"t\":\"x\"}");
    things.person = driver_started(driver, "person", "{}");
    things.worker = driver_started(driver, "worker", "{}");
    things.job = driver_polled(driver, "w", "t");
    things.unmatched = lose_event(driver);
    things.bulk = begin_bulk(driver);
    struct call *tasks = driver_run(driver, driver_call(driver, CALL_LIST_TASKS));
    assert_int_equal(tasks->value.tasks.count, 1);
    const struct task_row *task = tasks->value.tasks.row;
    things.task =
        (struct id){ .ms = task->created_ms, .instance = task->instance, .number = task->execution };
    return things;
}

/* ---- every kind of call ---- */

/* How a call of the kind could reach what another tenant has. */
enum decision {
    UNDECIDED,
    BY_NUMBER, /* It names a number, and the number of another tenant is not there. */
    BY_NAME,   /* It names or lists things of its tenant: by_name_or_list() tries some. */
    OF_ENGINE, /* It is about the engine as a whole: a permission guards it. */
    ON_ITS_WAY /* It reads nothing of what is kept. */
};

static const enum decision decisions[CALL_KIND_COUNT] = {
    [CALL_DEPLOY] = BY_NAME,
    [CALL_START] = BY_NAME,
    [CALL_COMPLETE_JOB] = BY_NUMBER,
    [CALL_FAIL_JOB] = BY_NUMBER,
    [CALL_EXTEND_JOB] = BY_NUMBER,
    [CALL_POLL_JOBS] = BY_NAME,
    [CALL_BATCH] = BY_NUMBER,
    [CALL_COMPLETE_TASK] = BY_NUMBER,
    [CALL_CLAIM_TASK] = BY_NUMBER,
    [CALL_UNCLAIM_TASK] = BY_NUMBER,
    [CALL_ASSIGN_TASK] = BY_NUMBER,
    [CALL_COMMENT_TASK] = BY_NUMBER,
    [CALL_SIGNAL] = BY_NUMBER,
    [CALL_CANCEL] = BY_NUMBER,
    [CALL_RETRY] = BY_NUMBER,
    [CALL_MODIFY] = BY_NUMBER,
    [CALL_EVENTS] = BY_NUMBER,
    [CALL_ARRIVE] = BY_NAME,
    [CALL_PAUSE_TRIGGER] = BY_NAME,
    [CALL_PAUSE_ENGINE] = OF_ENGINE,
    [CALL_LIST_TRIGGERS] = BY_NAME,
    [CALL_LIST_ARRIVALS] = BY_NAME,
    [CALL_EXPLAIN] = BY_NUMBER,
    [CALL_LIST_JOBS] = BY_NAME,
    [CALL_WATCH] = BY_NUMBER,
    [CALL_WATCH_TASKS] = BY_NAME,
    [CALL_WATCH_LIVE] = OF_ENGINE,
    [CALL_GET_INSTANCE] = BY_NUMBER,
    [CALL_LIST_INSTANCES] = BY_NAME,
    [CALL_GET_HISTORY] = BY_NUMBER,
    [CALL_GET_DEFINITION] = BY_NAME,
    [CALL_LIST_DEFINITIONS] = BY_NAME,
    [CALL_LIST_TASKS] = BY_NAME,
    [CALL_WORKLIST] = BY_NAME,
    [CALL_GET_TASK] = BY_NUMBER,
    [CALL_LIST_UNMATCHED] = BY_NAME,
    [CALL_LIST_LOCKS] = BY_NAME,
    [CALL_BULK] = BY_NAME,
    [CALL_CANCEL_BULK] = BY_NUMBER,
    [CALL_PAUSE_BULK] = BY_NUMBER,
    [CALL_RESUME_BULK] = BY_NUMBER,
    [CALL_GET_BULK] = BY_NUMBER,
    [CALL_LIST_BULKS] = BY_NAME,
    [CALL_BULK_RESULTS] = BY_NUMBER,
    [CALL_REASONS] = BY_NAME,
    [CALL_VALIDATE] = ON_ITS_WAY,
    [CALL_LIST_SUMMARIES] = BY_NAME,
    [CALL_GET_SUMMARY] = BY_NAME,
    [CALL_GET_FORM] = BY_NAME,
    [CALL_LIST_TABLES] = BY_NAME,
    [CALL_TICKS] = BY_NAME,
    [CALL_TRY_TABLE] = BY_NAME,
    [CALL_COMPARE] = BY_NAME,
    [CALL_PICTURE] = BY_NAME,
    [CALL_REPLAY] = BY_NUMBER,
    [CALL_LIST_VERSIONS] = BY_NAME,
    [CALL_APPLY] = BY_NAME,
    [CALL_RESTORE] = BY_NAME,
    [CALL_RETIRE] = BY_NAME,
    [CALL_DELETE_DEFINITION] = BY_NAME,
    [CALL_SAVE_DRAFT] = BY_NAME,
    [CALL_REMOVE_DRAFT] = BY_NAME,
    [CALL_GET_DRAFT] = BY_NAME,
    [CALL_LIST_DRAFTS] = BY_NAME,
    [CALL_SET_SECRET] = BY_NAME,
    [CALL_REMOVE_SECRET] = BY_NAME,
    [CALL_REKEY_SECRETS] = OF_ENGINE,
    [CALL_LIST_SECRETS] = BY_NAME,
    [CALL_LIST_CONNECTIONS] = BY_NAME,
    [CALL_TEST_CONNECTION] = BY_NAME,
    [CALL_GET_JOINED] = BY_NUMBER,
    [CALL_CHANGE_MODEL] = BY_NAME,
    [CALL_GET_MODEL] = BY_NAME,
    [CALL_GET_INDEXES] = BY_NAME,
    [CALL_LIST_MODELS] = BY_NAME,
    [CALL_GET_ENTITY] = BY_NUMBER,
    [CALL_LIST_ENTITIES] = BY_NAME,
    [CALL_LIST_CHANGES] = BY_NUMBER,
    [CALL_LIST_AUDIT] = BY_NUMBER,
    [CALL_BEGIN_SEARCH] = BY_NAME,
    [CALL_CANCEL_SEARCH] = BY_NAME,
    [CALL_GET_SEARCH] = BY_NAME,
    [CALL_SEARCH] = BY_NAME,
    [CALL_COUNT_ENTITIES] = BY_NAME,
    [CALL_GROUP_ENTITIES] = BY_NAME,
    [CALL_REMOVE_ENTITIES] = BY_NAME,
    [CALL_WRITE_ENTITIES] = BY_NUMBER,
    [CALL_LIST_RUNS] = BY_NAME,
    [CALL_GET_RUN] = BY_NUMBER,
    [CALL_LIST_VISITS] = BY_NUMBER,
    [CALL_GET_VISIT] = BY_NUMBER,
    [CALL_GET_TRACE] = BY_NUMBER,
    [CALL_OVERVIEW] = BY_NAME,
    [CALL_SERIES] = BY_NAME,
    [CALL_WORKERS] = BY_NAME,
    [CALL_JOB_SERIES] = BY_NAME,
    [CALL_STATISTICS] = BY_NAME,
    [CALL_RESOLVE] = OF_ENGINE,
    [CALL_LIST_ACCESS] = BY_NAME,
    [CALL_FIND_RECIPIENTS] = BY_NAME,
    [CALL_CHANGE_ACCESS] = BY_NAME,
    [CALL_LIST_AUDIT_ROWS] = BY_NAME,
    [CALL_VERIFY_AUDIT] = BY_NAME,
    [CALL_NOTE_ACCESS] = OF_ENGINE,
};

static void ask_for(struct driver *driver, const struct things *things, struct call *call)
{
    switch (call->kind) {
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_EXTEND_JOB:
        call->as.job = (struct call_job){ .id = job_view_id(&things->job), .worker = STR("w") };
        break;
    case CALL_BATCH: {
        const struct call_job asked = { .id = job_view_id(&things->job), .worker = STR("w") };
        call->as.batch.item = arena_make(&driver->arena, struct call);
        call->as.batch.item_count = 1;
        call_init_item(call->as.batch.item, CALL_COMPLETE_JOB,
                       (struct call_origin){ .arena = &driver->arena }, &asked);
        break;
    }
    case CALL_COMPLETE_TASK: call->as.instance.id = things->task; break;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK:
    case CALL_GET_TASK: call->as.task = (struct call_task){ .id = things->task }; break;
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_RETRY:
        call->as.instance = (struct call_instance){ .id = things->worker, .node = STR("t") };
        break;
    case CALL_MODIFY: call->as.modify.id = things->worker; break;
    case CALL_EVENTS: call->as.events.resend = things->unmatched; break;
    case CALL_EXPLAIN:
    case CALL_GET_INSTANCE:
    case CALL_GET_HISTORY: call->as.read.id = things->worker; break;
    case CALL_WATCH: call->as.watch.id = things->worker; break;
    case CALL_CANCEL_BULK:
    case CALL_PAUSE_BULK:
    case CALL_RESUME_BULK:
    case CALL_GET_BULK:
    case CALL_BULK_RESULTS:
        call->as.bulks = (struct call_bulks){ .id = things->bulk, .outcome = -1, .max = 5 };
        break;
    case CALL_REPLAY: call->as.replay.id = things->worker; break;
    case CALL_GET_JOINED:
        call->as.entity = (struct call_entity){ .id = things->entity, .token = STR("x") };
        break;
    case CALL_GET_ENTITY:
    case CALL_LIST_CHANGES: call->as.entity = (struct call_entity){ .id = things->entity, .max = 5 }; break;
    case CALL_LIST_AUDIT: call->as.audit.id = things->entity, call->as.audit.max = 5; break;
    case CALL_WRITE_ENTITIES: {
        const struct call *update = update_call(driver, things->entity, "", "{\"n\":2,\"t\":\"y\"}");
        call->as.entities = update->as.entities;
        break;
    }
    case CALL_GET_RUN:
    case CALL_LIST_VISITS:
    case CALL_GET_VISIT:
    case CALL_GET_TRACE:
        call->as.run = (struct call_run){ .id = things->worker, .max = 5, .number = 1 };
        break;
    default: fail_msg("%s names no number here", call_description(call->kind)->name);
    }
}

/* The status of the call, or of its only item. */
static enum status status_of(const struct call *call)
{
    if (call->kind == CALL_BATCH && call->status == ST_OK) return call->as.batch.item->status;
    return call->status;
}

/* The rows of ACME, as far as a call could change them. */
static const char *fingerprint(struct driver *driver, const struct things *things)
{
    driver->ns = ACME;
    const struct instance_view *worker = driver_instance(driver, things->worker),
                               *person = driver_instance(driver, things->person);
    struct call *unmatched = driver_call(driver, CALL_LIST_UNMATCHED);
    unmatched->as.unmatched.max = 10;
    driver_run(driver, unmatched);
    return arena_printf(&driver->arena, "%d %d %s %zu", worker->status, person->status,
                        stored(driver, things->entity), unmatched->value.unmatched.count)
        .p;
}

static void numbers_of_another_tenant_are_not_there(void **state)
{
    struct driver *driver = *state;
    struct things things = prepare(driver);
    const char *before = fingerprint(driver, &things);
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
        const char *name = call_description((enum call_kind)kind)->name;
        if (decisions[kind] == UNDECIDED) fail_msg("%s: say how another tenant could reach it", name);
        if (decisions[kind] != BY_NUMBER) continue;
        for (int32_t ns = TENANT_DEFAULT; ns <= OTHER; ns += 2) {
            struct call *call = as(driver, ns, (enum call_kind)kind);
            ask_for(driver, &things, call);
            driver_run(driver, call);
            bool is_over = kind == CALL_GET_JOINED && status_of(call) != ST_OK;
            if (status_of(call) != ST_NOT_FOUND && !is_over)
                fail_msg("%s as tenant %d: %s", name, ns, status_meaning(status_of(call)));
        }
        assert_string_equal(fingerprint(driver, &things), before);
    }
    /* Its own tenant gets all of it. */
    struct call *job = as(driver, ACME, CALL_COMPLETE_JOB);
    ask_for(driver, &things, job);
    driver_run(driver, job);
    assert_int_equal(job->status, ST_OK);
    assert_int_equal(driver_instance(driver, things.worker)->status, INSTANCE_COMPLETED);
}

/* ---- names and lists ---- */

static size_t count_of(struct driver *driver, int32_t ns, enum call_kind kind)
{
    struct call *call = as(driver, ns, kind);
    switch (kind) {
    case CALL_LIST_INSTANCES: driver_run(driver, call); return call->value.instances.count;
    case CALL_LIST_TASKS: driver_run(driver, call); return call->value.tasks.count;
    case CALL_LIST_JOBS: call->as.jobs.max = 10, driver_run(driver, call); return call->value.jobs.count;
    case CALL_LIST_DEFINITIONS:
        call->as.definitions.max = 10, driver_run(driver, call);
        return call->value.definitions.count;
    case CALL_LIST_UNMATCHED:
        call->as.unmatched.max = 10, driver_run(driver, call);
        return call->value.unmatched.count;
    case CALL_LIST_BULKS: call->as.bulks.max = 10, driver_run(driver, call); return call->value.bulks.count;
    case CALL_LIST_MODELS:
        call->as.models.max = 10, driver_run(driver, call);
        return call->value.models.count;
    case CALL_WORKERS: driver_run(driver, call); return call->value.workers.count;
    case CALL_JOB_SERIES: driver_run(driver, call); return call->value.job_series.count;
    default: fail_msg("no list");
    }
    return 0;
}

static void lists_have_what_is_the_tenants(void **state)
{
    static const enum call_kind lists[] = { CALL_LIST_INSTANCES,   CALL_LIST_TASKS,     CALL_LIST_JOBS,
                                            CALL_LIST_DEFINITIONS, CALL_LIST_UNMATCHED, CALL_LIST_BULKS,
                                            CALL_LIST_MODELS,      CALL_WORKERS };
    struct driver *driver = *state;
    prepare(driver);
    for (size_t i = 0; i < COUNT(lists); i++) {
        assert_true(count_of(driver, ACME, lists[i]) > 0);
        assert_int_equal(count_of(driver, OTHER, lists[i]), 0);
        assert_int_equal(count_of(driver, TENANT_DEFAULT, lists[i]), 0);
    }
}

static void a_definition_of_the_same_name_is_another_one(void **state)
{
    struct driver *driver = *state;
    driver->ns = ACME;
    driver_deploy(driver, definition("worker"));
    driver_started(driver, "worker", "{}");
    driver->ns = OTHER;
    assert_int_equal(driver_run(driver, driver_start(driver, "worker", "{}"))->status, ST_NOT_FOUND);
    driver_deploy(driver, definition("worker"));
    struct id id = driver_started(driver, "worker", "{}");
    /* Workers of one tenant get no jobs of the other, whatever they call the type. */
    driver->ns = TENANT_DEFAULT;
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 5))->value.jobs.count, 0);
    const char *forged = "\2"
                         "3"
                         "\2"
                         "t";
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", forged, 5))->value.jobs.count, 0);
    driver->ns = OTHER;
    struct job_view job = driver_polled(driver, "w", "t");
    assert_int_equal(job.instance, id.instance);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 5))->value.jobs.count, 0);
    assert_int_equal(driver_complete(driver, job, "w", "{}")->status, ST_OK);
    /* After a restart each has its own again. */
    driver_restart(driver);
    driver->ns = OTHER;
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 5))->value.jobs.count, 0);
    driver->ns = ACME;
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 5))->value.jobs.count, 1);
}

static void a_schedule_fires_in_its_tenant(void **state)
{
    struct driver *driver = *state;
    const char *hourly = document("runtime/schedules", "hourly");
    driver->ns = ACME;
    driver_deploy(driver, hourly);
    driver_restart(driver);
    driver_advance(driver, 3600 * 1000);
    driver_advance(driver, 0);
    assert_int_equal(count_of(driver, ACME, CALL_LIST_INSTANCES), 1);
    assert_int_equal(count_of(driver, TENANT_DEFAULT, CALL_LIST_INSTANCES), 0);
}

static void an_idempotency_key_counts_in_its_tenant(void **state)
{
    struct driver *driver = *state;
    for (int32_t ns = TENANT_DEFAULT; ns <= ACME; ns++) {
        driver->ns = ns;
        driver_deploy(driver, definition("quick"));
        struct call *call = driver_start(driver, "quick", "{}");
        call->idempotency_key = STR("k");
        call->request_hash = 7;
        driver_run(driver, call);
        assert_int_equal(call->status, ST_OK);
        assert_false(call->replayed);
    }
}

/* One tenant sends many calls before another sends one: that one does not wait for all of them. */
static void tenants_take_turns(void **state)
{
    struct driver *driver = *state;
    struct call_list calls = { 0 };
    driver->ns = ACME;
    driver_deploy(driver, definition("quick"));
    for (int i = 0; i < 20; i++) call_list_add(&calls, driver_start(driver, "quick", "{}"));
    driver->ns = OTHER;
    driver_deploy(driver, definition("quick"));
    struct call *last = driver_start(driver, "quick", "{}");
    call_list_add(&calls, last);
    engine_accept(&driver->engine, &calls);
    const struct call *second = driver->engine.work.writers.first->next_;
    assert_ptr_equal(second, last);
    assert_int_equal(driver->engine.work.writers.count, 21);
    engine_commit(&driver->engine);
    driver_turn(driver);
    assert_int_equal(last->status, ST_OK);
}

/* ---- calls without a tenant ---- */

static void only_the_engine_asks_for_all_tenants(void **state)
{
    struct driver *driver = *state;
    const struct caller caller = { .tenant = ACME };
    for (int kind = 0; kind < CALL_KIND_COUNT; kind++) {
        struct call *call = as(driver, ACME, (enum call_kind)kind);
        assert_true(call_has_tenant(call));
        call->ns = TENANT_ANY;
        bool may = kind == CALL_LIST_TRIGGERS || kind == CALL_LIST_ACCESS || kind == CALL_SET_SECRET ||
                   kind == CALL_REMOVE_SECRET;
        assert_int_equal(call_has_tenant(call), may);
        call->caller = &caller; /* Somebody from outside never does. */
        assert_false(call_has_tenant(call));
        call->ns = -1;
        assert_false(call_has_tenant(call));
    }
}

/* The signal that ends a process which makes such a call for all tenants; 0: none. */
static int end_of_call(struct driver *driver, enum call_kind kind)
{
    int status;
    pid_t child = fork();
    if (!child) {
        fclose(stderr); /* It would tell of the assertion. */
        struct call *call = as(driver, ACME, kind);
        call->ns = TENANT_ANY;
        driver_run(driver, call);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_call_without_a_tenant_stops_the_engine(void **state)
{
    struct driver *driver = *state;
    assert_int_equal(end_of_call(driver, CALL_LIST_INSTANCES), SIGABRT); /* A query. */
    assert_int_equal(end_of_call(driver, CALL_CANCEL), SIGABRT);         /* A command. */
    assert_int_equal(end_of_call(driver, CALL_LIST_TRIGGERS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_of_another_tenant_are_not_there, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(lists_have_what_is_the_tenants, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_definition_of_the_same_name_is_another_one, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(a_schedule_fires_in_its_tenant, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(an_idempotency_key_counts_in_its_tenant, driver_setup,
                                        driver_teardown),
        cmocka_unit_test_setup_teardown(tenants_take_turns, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(only_the_engine_asks_for_all_tenants, driver_setup, driver_teardown),
        cmocka_unit_test_setup_teardown(a_call_without_a_tenant_stops_the_engine, driver_setup,
                                        driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
