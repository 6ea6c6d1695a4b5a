#include "api/fake.h"

static void an_instance_shows_only_what_is_set(void **state)
{
    (void)state;
    fake_begin("");
    const char *head =
        "{\"id\":\"00000000Z800000000E0000000\",\"definitionId\":\"d\",\"definitionVersion\":2,"
        "\"status\":\"WAITING\",\"currentStepIds\":[\"a\\\"b\",\"c\"],\"variables\":{},"
        "\"startedAt\":\"1970-01-01T00:00:01.000000Z\"";
    static const struct {
        enum instance_style style;
        bool ended, failed, keyed;
        const char *tail;
    } cases[] = {
        { INSTANCE_WHOLE, false, false, false, "}" },
        { INSTANCE_WHOLE, true, true, true,
          ",\"completedAt\":\"1970-01-01T00:00:02.000000Z\",\"failureReason\":\"why\",\"businessKey\":"
          "\"k\"}" },
        { INSTANCE_STARTED, true, true, true, ",\"businessKey\":\"k\"}" },
        { INSTANCE_STOPPED, true, true, true, ",\"failureReason\":\"why\"}" },
        { INSTANCE_STOPPED, true, false, false, ",\"failureReason\":\"\"}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct instance_view *view = fake_instance();
        if (cases[i].ended) view->ended_ms = 2000;
        if (cases[i].failed) view->failure = STR("why");
        if (cases[i].keyed) view->business_key = STR("k");
        fake_clear();
        put_instance(&fake.body, view, cases[i].style, 0);
        assert_int_equal(fake.body.n, strlen(head) + strlen(cases[i].tail));
        assert_body_has(cases[i].tail);
    }
    fake_clear();
    put_instance(&fake.body, fake_instance(), INSTANCE_WHOLE, 0);
    struct id id;
    assert_true(id_parse(str_slice(buf_str(&fake.body), 7, 7 + ID_CHARS), &id));
    assert_int_equal(id.instance, 7);
    assert_int_equal(id.ms, 1000);
    fake_end();
}

static void a_job_shows_its_lock_only_while_it_is_held(void **state)
{
    (void)state;
    fake_begin("");
    struct job_view view = { .instance = 7,
                             .instance_created_ms = 1000,
                             .number = 3,
                             .execution = 2,
                             .type = STR("t"),
                             .node = STR("s"),
                             .retries_left = 4,
                             .attempt = 2,
                             .created_ms = 1000 };
    fake_clear();
    put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has(
        "\"jobType\":\"t\",\"status\":\"UNLOCKED\",\"retriesRemaining\":4,\"attempt\":2,\"createdAt\":");

    view.state = JOB_DELAYED;
    view.available_ms = 5000;
    fake_clear();
    put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has("\"status\":\"DELAYED\",\"retriesRemaining\":4,\"attempt\":2,\"availableAt\":\"1970-01-"
                    "01T00:00:05.000000Z\"");

    view.state = JOB_LOCKED;
    view.worker = STR("w");
    fake_clear();
    put_job(&fake.body, &view, JOB_FOR_WORKER);
    assert_body_has("\"status\":\"LOCKED\",\"workerId\":\"w\",\"lockedAt\":");
    assert_body_has("\"retriesRemaining\":4,\"variables\":{},\"createdAt\":");
    fake_end();
}

static const struct json *value_of(const char *text)
{
    const struct json *value;
    assert_int_equal(json_parse(str_of(text), NULL, &fake.arena, &value, NULL), ST_OK);
    return value;
}

static void a_workflow_speaks_its_dialect(void **state)
{
    (void)state;
    fake_begin("");
    static const struct {
        enum instance_status status;
        const char *error, *word;
    } words[] = {
        { INSTANCE_ACTIVE, NULL, "Running" },
        { INSTANCE_WAITING, NULL, "Waiting" },
        { INSTANCE_COMPLETED, NULL, "Success" },
        { INSTANCE_CANCELLED, NULL, "Cancelled" },
        { INSTANCE_FAILED, NULL, "Fail" },
        { INSTANCE_FAILED, "{\"name\":\"X\"}", "Fail" },
        { INSTANCE_FAILED, "{\"name\":\"TimeoutException\"}", "Timeout" },
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        struct instance_view *view = fake_instance();
        view->dialect = dialect_named(STR("serverless"));
        view->status = words[i].status;
        view->error = words[i].error ? value_of(words[i].error) : NULL;
        fake_clear();
        put_instance(&fake.body, view, INSTANCE_WHOLE, 0);
        assert_body_has(
            arena_printf(&fake.arena, "\"dialect\":\"serverless\",\"executionStatus\":\"%s\"", words[i].word)
                .p);
        if (words[i].error) assert_body_has(arena_printf(&fake.arena, "\"error\":%s", words[i].error).p);
    }
    fake_end();
}

static void a_workflow_shows_its_data_events_and_family(void **state)
{
    (void)state;
    struct mail_view mail = { STR("e"), STR("/s"), STR("t"), .received_ms = 1000 };
    struct child_view child = { .id = 7,
                                .created_ms = 1000,
                                .definition_id = STR("c"),
                                .definition_version = 1,
                                .status = INSTANCE_FAILED,
                                .awaited = true };
    fake_begin("");
    struct instance_view *view = fake_instance();
    view->dialect = dialect_named(STR("serverless"));
    view->data = value_of("[1]");
    view->status = INSTANCE_COMPLETED;
    view->correlation = STR("\"k\"");
    view->mail = &mail;
    view->mail_count = 1;
    view->parent = 7;
    view->parent_created_ms = 1000;
    view->child = &child;
    view->child_count = 1;
    view->lingers = true;
    fake_clear();
    put_instance(&fake.body, view, INSTANCE_WHOLE, 0);
    assert_body_has("\"variables\":{},");
    assert_body_has(
        ",\"dialect\":\"serverless\",\"executionStatus\":\"Success\",\"output\":[1],\"correlation\":\"k\","
        "\"pendingEvents\":[{\"id\":\"e\",\"source\":\"/s\",\"type\":\"t\","
        "\"receivedAt\":\"1970-01-01T00:00:01.000000Z\"}],\"parentId\":\"00000000Z800000000E0000000\","
        "\"children\":[{\"id\":\"00000000Z800000000E0000000\",\"definitionId\":\"c\",\"definitionVersion\":1,"
        "\"status\":\"FAILED\",\"awaited\":true}],\"detachedWork\":true}");
    fake_end();
}

static void data_that_does_not_fit_is_left_out_and_marked(void **state)
{
    (void)state;
    fake_begin("");
    struct instance_view *view = fake_instance();
    view->dialect = dialect_named(STR("serverless"));
    view->status = INSTANCE_COMPLETED;
    view->data = value_of("{\"a\":\"0123456789\"}");
    static const struct {
        int64_t max;
        bool loaded, shown;
    } cases[] = {
        { 0, true, true },   { 1000, true, true },   { 100, true, false },
        { 0, false, false }, { 1000, false, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        view->data_omitted = !cases[i].loaded;
        fake_clear();
        put_instance(&fake.body, view, INSTANCE_WHOLE, cases[i].max);
        assert_body_has(cases[i].shown ? "\"variables\":{\"a\":\"0123456789\"},\"startedAt\""
                                       : "\"variables\":{},\"variablesOmitted\":true,\"startedAt\"");
        assert_int_equal(str_find(buf_str(&fake.body), STR("\"output\""), 0) != SIZE_MAX, cases[i].shown);
    }
    fake_end();
}

static void a_job_of_a_function_names_it(void **state)
{
    (void)state;
    fake_begin("");
    struct job_view view = { .instance = 7,
                             .number = 3,
                             .execution = 2,
                             .type = STR("f"),
                             .node = STR("s"),
                             .config = value_of("{\"function\":\"f\"}"),
                             .state = JOB_LOCKED };
    static const struct {
        const char *data, *want;
    } cases[] = {
        { "{\"a\":1}", "\"variables\":{\"a\":1},\"createdAt\"" },
        { "[1]", "\"variables\":{},\"input\":[1],\"createdAt\"" },
        { "null", "\"variables\":{},\"input\":null,\"createdAt\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        view.data = value_of(cases[i].data);
        fake_clear();
        put_job(&fake.body, &view, JOB_FOR_WORKER);
        assert_body_has("\"jobType\":\"f\",\"functionName\":\"f\",\"performer\":\"worker\",");
        assert_body_has(cases[i].want);
    }
    view.performer = PERFORM_HTTP;
    fake_clear();
    put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has("\"jobType\":\"f\",\"functionName\":\"f\",\"performer\":\"http\",");
    fake_end();
}

static void numbers_at_the_edges(void **state)
{
    (void)state;
    fake_begin("");
    fake_clear();
    put_int(&fake.body, INT64_MIN);
    put_int(&fake.body, INT64_MAX);
    put_int(&fake.body, 0);
    assert_body("-922337203685477580892233720368547758070");
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_shows_only_what_is_set),
        cmocka_unit_test(a_job_shows_its_lock_only_while_it_is_held),
        cmocka_unit_test(a_workflow_speaks_its_dialect),
        cmocka_unit_test(a_workflow_shows_its_data_events_and_family),
        cmocka_unit_test(data_that_does_not_fit_is_left_out_and_marked),
        cmocka_unit_test(a_job_of_a_function_names_it),
        cmocka_unit_test(numbers_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
