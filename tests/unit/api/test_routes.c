#include "api/fake.h"

static const struct route *find(const char *method, const char *path, str param[ROUTE_PARAMS_MAX], str *allow)
{
    return route_find(str_of(method), str_of(path), param, allow);
}

static void a_path_leads_to_its_handler(void **state)
{
    static const struct {
        const char *method, *path;
        route_fn *handle;
        const char *param[2];
    } cases[] = {
        { "POST", "/v1/jobs/poll", api_jobs_poll, { 0 } },
        { "POST", "/v1/jobs/batch", api_jobs_batch, { 0 } },
        { "POST", "/v1/jobs/poll/complete", api_jobs_complete, { "poll" } },
        { "GET", "/v1/jobs", api_jobs_list, { 0 } },
        { "HEAD", "/v1/jobs", api_jobs_list, { 0 } },
        { "GET", "/v1/instances/x", api_instances_get, { "x" } },
        { "GET", "/v1/instances/history", api_instances_get, { "history" } },
        { "POST", "/v1/instances/x/user-tasks/y%2Fz/complete", api_tasks_complete_step, { "x", "y%2Fz" } },
        { "POST", "/v1/definitions/a::b/instances", api_instances_start_of, { "a::b" } },
        { "GET", "/v1/definitions/a/versions/3", api_definitions_get_version, { "a", "3" } },
        { "POST", "/v1/events", api_events_take, { 0 } },
        { "GET", "/v1/events/unmatched", api_events_unmatched, { 0 } },
        { "GET", "/healthz", api_probe_health, { 0 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str param[ROUTE_PARAMS_MAX], allow;
        const struct route *route = find(cases[i].method, cases[i].path, param, &allow);
        assert_non_null(route);
        assert_ptr_equal(route->handle, cases[i].handle);
        for (size_t k = 0; k < ROUTE_PARAMS_MAX; k++)
            assert_true(str_equal(param[k], str_of(cases[i].param[k])));
    }
}

static void a_path_of_no_route_or_another_method(void **state)
{
    static const struct {
        const char *method, *path, *allow;
    } cases[] = {
        { "GET", "/", "" },
        { "GET", "", "" },
        { "GET", "/v1/instances/", "" },
        { "GET", "/v1/instances//history", "" }, /* A parameter is never empty. */
        { "GET", "/v1/instances/x/", "" },
        { "GET", "/healthzz", "" },
        { "GET", "/health", "" },
        { "DELETE", "/v1/instances", "GET, HEAD, POST" },
        { "GET", "/v1/jobs/poll", "POST" },
        { "POST", "/v1/instances/x", "GET, HEAD" },
        { "get", "/v1/instances/x", "GET, HEAD" }, /* Methods have a case. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str param[ROUTE_PARAMS_MAX], allow;
        assert_null(find(cases[i].method, cases[i].path, param, &allow));
        assert_true(str_equal(allow, str_of(cases[i].allow)));
    }
}

static void routes_are_numbered_from_one(void **state)
{
    str param[ROUTE_PARAMS_MAX], allow;
    (void)state;
    assert_int_equal(route_number(NULL), 0);
    assert_int_equal(route_number(find("POST", "/v1/jobs/poll", param, &allow)), 1);
    assert_int_equal(route_number(find("POST", "/v1/jobs/batch", param, &allow)), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_leads_to_its_handler),
        cmocka_unit_test(a_path_of_no_route_or_another_method),
        cmocka_unit_test(routes_are_numbered_from_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
