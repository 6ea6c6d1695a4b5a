#include "api/fake.h"

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
    v1_put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has(
        "\"jobType\":\"t\",\"status\":\"UNLOCKED\",\"retriesRemaining\":4,\"attempt\":2,\"createdAt\":");

    view.state = JOB_DELAYED;
    view.available_ms = 5000;
    fake_clear();
    v1_put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has("\"status\":\"DELAYED\",\"retriesRemaining\":4,\"attempt\":2,\"availableAt\":\"1970-01-"
                    "01T00:00:05.000000Z\"");

    view.state = JOB_LOCKED;
    view.worker = STR("w");
    fake_clear();
    v1_put_job(&fake.body, &view, JOB_FOR_WORKER);
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
        v1_put_job(&fake.body, &view, JOB_FOR_WORKER);
        assert_body_has("\"jobType\":\"f\",\"functionName\":\"f\",\"performer\":\"worker\",");
        assert_body_has(cases[i].want);
    }
    view.performer = PERFORM_HTTP;
    fake_clear();
    v1_put_job(&fake.body, &view, JOB_IN_LIST);
    assert_body_has("\"jobType\":\"f\",\"functionName\":\"f\",\"performer\":\"http\",");
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_shows_its_lock_only_while_it_is_held),
        cmocka_unit_test(a_job_of_a_function_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
