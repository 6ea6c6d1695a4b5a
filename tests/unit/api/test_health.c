/* /api/health: what it says is true now, and it gets better by itself. */
#include "api/fake.h"

static void assert_health(int status, const char *body)
{
    assert_int_equal(fake.status, status);
    assert_body(body);
}

static void health_looks_at_the_store_each_time(void **state)
{
    (void)state;
    fake_begin("secret"); /* It needs none. */
    fake_send("GET", "/api/health", "");
    assert_non_null(fake.call); /* The store is asked. */
    fake_answer(ST_OK);
    assert_health(200, "{\"status\":\"UP\"}");

    fake_send("GET", "/api/health", "");
    (fail)(&fake.call->error, ST_STORE, "", "the disk does not answer");
    fake_answer(ST_STORE);
    assert_health(503, "{\"status\":\"DOWN\"}");

    fake.healthy = false;
    fake_send("GET", "/api/health", "");
    assert_null(fake.call);
    assert_health(503, "{\"status\":\"DOWN\"}");

    fake.healthy = true;
    fake_send("GET", "/api/health", "");
    fake_answer(ST_OK);
    assert_health(200, "{\"status\":\"UP\"}");
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(health_looks_at_the_store_each_time) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
