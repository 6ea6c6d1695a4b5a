/* Lists of runs: how much one request looks at, and that pages hold each run once. */
#include "driver.h"

static const char flow[] = "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"p\",\"name\":\"Ask\",\"type\":"
                           "\"USER_TASK\",\"nextStep\":\"e\"},"
                           "{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}";

static struct call *list(struct driver *d, struct call_runs asked)
{
    struct call *call = driver_call(d, CALL_LIST_RUNS);
    if (!asked.max) asked.max = 20;
    call->as.runs = asked;
    driver_run(d, call);
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return call;
}

static void start_many(struct driver *d, size_t count)
{
    driver_deploy(d, flow);
    for (size_t i = 0; i < count; i++) driver_started(d, "d", NULL);
}

/* Nobody waits for an event: a request gives up after so many, and the next one goes on from there. */
static void a_filter_without_an_index_looks_at_a_bounded_number(void **state)
{
    struct driver *d = *state;
    enum { MORE = 50 };
    start_many(d, RUNS_LOOKED_MAX + MORE);
    struct call_runs asked = { .waiting_for = 1u << SHOW_WAIT_EVENT };
    struct call *first = list(d, asked);
    assert_int_equal(first->value.runs.count, 0);
    assert_int_equal(first->value.runs.looked, RUNS_LOOKED_MAX);
    assert_true(first->value.runs.next.id > 0);
    asked.after = first->value.runs.next;
    struct call *second = list(d, asked);
    assert_int_equal(second->value.runs.looked, MORE);
    assert_int_equal(second->value.runs.next.id, 0);
}

/* A page reads the runs that it shows, however many there are, and the one behind them at most. */
static void a_page_by_an_index_reads_only_what_it_shows(void **state)
{
    struct driver *d = *state;
    start_many(d, 500);
    static const struct call_runs filters[] = {
        { .max = 20 },
        { .max = 20, .statuses = 1u << SHOW_PERSON },
        { .max = 20, .waiting_for = 1u << SHOW_WAIT_PERSON },
        { .max = 20, .definition_id = STR_INIT("d"), .version = 1 },
    };
    for (size_t i = 0; i < COUNT(filters); i++) {
        struct call_runs asked = filters[i];
        uint64_t last = UINT64_MAX;
        for (int page = 0; page < 3; page++) {
            struct answer_runs *answer = &list(d, asked)->value.runs;
            assert_int_equal(answer->count, 20);
            assert_int_equal(answer->looked, 20);
            for (size_t k = 0; k < answer->count; k++) {
                assert_true(answer->run[k].id.instance < last);
                last = answer->run[k].id.instance;
            }
            asked.after = answer->next;
        }
    }
}

static void a_time_is_found_without_looking_at_what_is_newer(void **state)
{
    struct driver *d = *state;
    driver_deploy(d, flow);
    int64_t began = d->now_ms;
    for (size_t i = 0; i < 200; i++) {
        driver_started(d, "d", NULL);
        driver_advance(d, 1000);
    }
    struct call_runs asked = { .after_ms = began + 10000, .before_ms = began + 20000, .max = 50 };
    struct answer_runs *answer = &list(d, asked)->value.runs;
    assert_int_equal(answer->count, 10);
    assert_int_equal(answer->looked, 10);
    assert_int_equal(answer->run[0].id.ms, began + 19000);
    assert_int_equal(answer->run[9].id.ms, began + 10000);
    assert_int_equal(list(d, (struct call_runs){ .before_ms = began })->value.runs.count, 0);
    assert_int_equal(list(d, (struct call_runs){ .after_ms = d->now_ms + 1 })->value.runs.count, 0);
}

/* Groups are counted by looking at each run: at so many, and not at one more. */
static void groups_count_a_bounded_number(void **state)
{
    struct driver *d = *state;
    start_many(d, 300);
    struct answer_runs *answer = &list(d, (struct call_runs){ .is_grouped = true })->value.runs;
    assert_int_equal(answer->group_count, 1);
    assert_int_equal(answer->group[0].count, 300);
    assert_int_equal(answer->group[0].status, SHOW_PERSON);
    assert_int_equal(answer->group[0].wait, SHOW_WAIT_PERSON);
    assert_true(str_equal(answer->group[0].node, STR("p")));
    assert_true(str_equal(answer->group[0].sentence, STR("“Ask” waits for a person.")));
    assert_int_equal(answer->count, 0);
    assert_int_equal(answer->next.id, 0);
    for (size_t i = 0; i < RUNS_GROUPED_MAX - 250; i++) driver_started(d, "d", NULL);
    answer = &list(d, (struct call_runs){ .is_grouped = true })->value.runs;
    assert_int_equal(answer->group[0].count, RUNS_GROUPED_MAX);
    assert_int_equal(answer->looked, RUNS_GROUPED_MAX);
    assert_true(answer->next.id > 0);
}

static void more_groups_than_are_told_are_counted(void **state)
{
    struct driver *d = *state;
    char text[sizeof flow + 32];
    for (size_t i = 0; i < RUN_GROUPS_MAX + 3; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "d%zu", i);
        (void)snprintf(text, sizeof text, "{\"id\":\"%s%s", id, flow + strlen("{\"id\":\"d"));
        driver_deploy(d, text);
        driver_started(d, id, NULL);
    }
    struct answer_runs *answer = &list(d, (struct call_runs){ .is_grouped = true })->value.runs;
    assert_int_equal(answer->group_count, RUN_GROUPS_MAX);
    assert_int_equal(answer->ungrouped, 3);
}

/* Fails the open job as a performer of the engine does. */
static void fail_with(struct driver *d, const char *failure)
{
    struct job_view job = driver_polled(d, "w", "pay");
    struct call *call = driver_call(d, CALL_FAIL_JOB);
    call->as.job = (struct call_job){
        .id = job_view_id(&job), .worker = STR("w"), .text = STR("zzz"), .failure = driver_json(d, failure)
    };
    assert_int_equal(driver_run(d, call)->status, ST_OK);
}

static str sentence_of_group(struct driver *d)
{
    struct answer_runs *answer = &list(d, (struct call_runs){ .is_grouped = true })->value.runs;
    assert_int_equal(answer->group_count, 1);
    assert_true(str_equal(answer->group[0].reason, STR("zzz")));
    return answer->group[0].sentence;
}

static str code_of_reason(struct driver *d)
{
    struct bulk_request request = { .action = BULK_RETRY,
                                    .dry_run = true,
                                    .filter = { .statuses = 1u << INSTANCE_FAILED } };
    struct call *call = driver_call(d, CALL_REASONS);
    call->as.bulk.request = &request;
    assert_int_equal(driver_run(d, call)->status, ST_OK);
    assert_int_equal(call->value.bulks.group_count, 1);
    return call->value.bulks.group[0].code;
}

static str code_of_summary(struct driver *d)
{
    struct call *call = driver_call(d, CALL_LIST_SUMMARIES);
    call->as.summaries.max = 10;
    assert_int_equal(driver_run(d, call)->status, ST_OK);
    assert_int_equal(call->value.summaries.count, 1);
    assert_true(call->value.summaries.view[0].has_failure);
    return call->value.summaries.view[0].failure_code;
}

/* The code is read from the store again, and tells what the words do not. */
static void the_code_of_a_failure_outlives_a_restart(void **state)
{
    struct driver *d = *state;
    driver_deploy(d, "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"s\",\"name\":\"S\",\"type\":"
                     "\"SERVICE_TASK\",\"jobType\":\"pay\",\"nextStep\":\"e\"},"
                     "{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}");
    driver_started(d, "d", NULL);
    fail_with(d, "{\"code\":\"ANSWER_LATE\"}");
    driver_restart(d);
    assert_true(str_equal(sentence_of_group(d), STR("The other side took too long to answer")));
    assert_true(str_equal(code_of_reason(d), STR("ANSWER_LATE")));
    assert_true(str_equal(code_of_summary(d), STR("ANSWER_LATE")));
}

static void the_overview_counts_without_looking(void **state)
{
    struct driver *d = *state;
    start_many(d, 3);
    struct call *call = driver_run(d, driver_call(d, CALL_OVERVIEW));
    assert_int_equal(call->status, ST_OK);
    const struct answer_overview *overview = call->value.overview;
    assert_int_equal(overview->counts.tasks, 3);
    assert_int_equal(overview->counts.phase[store_phase(INSTANCE_WAITING, false)], 3);
    assert_int_equal(overview->minute[ACTIVITY_MINUTES - 1].count[ACTIVITY_STARTED], 3);
    assert_int_equal(overview->minutes_known, 1);
}

#define operate_test(function) cmocka_unit_test_setup_teardown(function, driver_setup, driver_teardown)

/* The query looked while the job waited for its retry. A worker has the job when the answer comes to the
 * engine. */
static void a_worker_that_takes_a_job_meanwhile_does_no_harm_to_the_answer(void **state)
{
    struct driver *d = *state;
    driver_deploy(d, "{\"id\":\"r\",\"name\":\"R\",\"steps\":[{\"id\":\"w\",\"name\":\"Work\",\"type\":"
                     "\"SERVICE_TASK\",\"jobType\":\"work\",\"retryCount\":2,\"nextStep\":\"e\"},"
                     "{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]}");
    driver_started(d, "r", NULL);
    struct call *failing = driver_call(d, CALL_FAIL_JOB);
    struct job_view job = driver_polled(d, "anna", "work");
    failing->as.job.id = job_view_id(&job);
    failing->as.job.worker = STR("anna");
    failing->as.job.text = STR("broken");
    failing->as.job.retryable = true;
    failing->as.job.retry_after_ms = 60000;
    driver_run(d, failing);
    struct call *call = driver_call(d, CALL_LIST_RUNS);
    call->as.runs = (struct call_runs){ .max = 20 };
    assert_true(queries_call(&d->query, call));
    driver_advance(d, 60000);
    driver_polled(d, "ben", "work");
    struct call_list list = { 0 };
    call_list_add(&list, call);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    assert_true(driver_answered(d, call));
    const struct json *says;
    struct error err;
    assert_int_equal(json_parse(call->value.runs.run[0].says, NULL, &d->arena, &says, &err), ST_OK);
    assert_string_equal(driver_text(d, json_get(says, STR("code"))), "\"again\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        operate_test(a_filter_without_an_index_looks_at_a_bounded_number),
        operate_test(a_page_by_an_index_reads_only_what_it_shows),
        operate_test(a_time_is_found_without_looking_at_what_is_newer),
        operate_test(groups_count_a_bounded_number),
        operate_test(more_groups_than_are_told_are_counted),
        operate_test(the_code_of_a_failure_outlives_a_restart),
        operate_test(the_overview_counts_without_looking),
        operate_test(a_worker_that_takes_a_job_meanwhile_does_no_harm_to_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
