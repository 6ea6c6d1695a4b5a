#include "api/fake.h"

static void a_call_is_made_of_path_query_and_body(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("POST", "/v1/instances?wait=1.5", document("api/requests", "start"));
    assert_int_equal(fake.call->kind, CALL_START);
    assert_int_equal(fake.call->as.start.version, 3);
    assert_int_equal(fake.call->as.start.wait_ms, 1500);
    assert_true(str_equal(fake.call->as.start.definition_id, STR("d")));
    assert_true(str_equal(fake.call->as.start.business_key, STR("k")));
    assert_int_equal(json_count(fake.call->as.start.data), 1);
    fake.call->value.instances.view = fake_instance();
    fake_answer(ST_OK);
    assert_int_equal(fake.status, 201);
    assert_string_equal(fake.headers,
                        "Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n");

    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\",\"b\"],\"leaseSeconds\":2}");
    assert_int_equal(fake.call->kind, CALL_POLL_JOBS);
    assert_int_equal(fake.call->as.poll.type_count, 2);
    assert_int_equal(fake.call->as.poll.max, 10);
    assert_int_equal(fake.call->as.poll.lease_ms, 2000);
    fake_answer(ST_OK);
    assert_body("{\"jobs\":[]}");
    fake_end();
}

static void a_batch_is_one_call_with_items(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("POST", "/v1/jobs/batch", document("api/requests", "batch"));
    struct call *call = fake.call;
    assert_int_equal(call->kind, CALL_BATCH);
    assert_int_equal(call->as.batch.item_count, 2);
    assert_int_equal(call->as.batch.item[0].kind, CALL_COMPLETE_JOB);
    assert_int_equal(call->as.batch.item[0].as.job.id.instance, 0);
    assert_int_equal(call->as.batch.item[1].kind, CALL_FAIL_JOB);
    assert_int_equal(call->as.batch.item[1].as.job.id.instance, 7);
    assert_true(call->as.batch.item[1].as.job.retryable);
    assert_int_equal(call->as.batch.poll.wait_ms, 1000);
    call->as.batch.item[0].status = (fail)(&call->as.batch.item[0].error, ST_NOT_FOUND, "", "no such job");
    fake_answer(ST_OK);
    assert_body(document("api/requests", "batch answer"));
    fake_end();
}

/* A value as text; empty: none. */
static const char *shown(const struct json *value)
{
    struct buf text;
    buf_init(&text, &fake.arena);
    if (value) json_print(value, &text);
    buf_add_char(&text, '\0');
    return text.p;
}

static void results_and_errors_of_functions(void **state)
{
    (void)state;
    static const struct {
        const char *body, *data;
    } results[] = {
        { "{\"workerId\":\"w\"}", "" },
        { "{\"workerId\":\"w\",\"variables\":{\"a\":1}}", "{\"a\":1}" },
        { "{\"workerId\":\"w\",\"variables\":{\"a\":1},\"result\":[2]}", "[2]" },
        { "{\"workerId\":\"w\",\"result\":null}", "null" },
    };
    static const struct {
        const char *body, *failure;
    } failures[] = {
        { "{\"workerId\":\"w\",\"errorMessage\":\"m\"}", "" },
        { "{\"workerId\":\"w\",\"errorMessage\":\"m\",\"errorName\":\"X\"}",
          "{\"name\":\"X\",\"message\":\"m\"}" },
        { "{\"workerId\":\"w\",\"errorName\":\"X\",\"errorData\":{\"a\":1}}",
          "{\"name\":\"X\",\"message\":\"\",\"data\":{\"a\":1}}" },
        { "{\"workerId\":\"w\",\"errorMessage\":\"m\",\"errorData\":null}",
          "{\"message\":\"m\",\"data\":null}" },
    };
    fake_begin("");
    for (size_t i = 0; i < COUNT(results); i++) {
        fake_send("POST", "/v1/jobs/00000000Z800000000E00000R0/complete", results[i].body);
        assert_string_equal(shown(fake.call->as.job.data), results[i].data);
        fake_answer(ST_OK);
    }
    for (size_t i = 0; i < COUNT(failures); i++) {
        fake_send("POST", "/v1/jobs/00000000Z800000000E00000R0/fail", failures[i].body);
        assert_string_equal(shown(fake.call->as.job.failure), failures[i].failure);
        fake_answer(ST_OK);
    }
    fake_send("POST", "/v1/jobs/00000000Z800000000E00000R0/fail", "{\"workerId\":\"w\",\"errorName\":7}");
    assert_int_equal(fake.status, 400);
    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\",\"\\u0001http\"]}");
    assert_int_equal(fake.status, 400);
    fake_end();
}

static void keys_go_with_calls_that_write(void **state)
{
    (void)state;
    fake_begin("");
    uint64_t hash[3];
    const struct answer_text text = { .http_status = 201, .body = STR("{}") };
    const char *body[] = { "{\"definitionId\":\"d\"}", "{\"definitionId\":\"d\"}",
                           "{\"definitionId\":\"e\"}" };
    for (size_t i = 0; i < COUNT(hash); i++) {
        fake_header("idempotency-key", "k");
        fake_send("POST", "/v1/instances", body[i]);
        assert_true(str_equal(fake.call->idempotency_key, STR("k")));
        hash[i] = fake.call->request_hash;
        fake.call->replayed = true;
        fake.call->replayed_text = &text;
        fake_answer(ST_OK);
        assert_int_equal(fake.status, 201);
        assert_header("Idempotency-Replayed: true\r\n");
        assert_body("{}");
    }
    assert_true(hash[0] == hash[1] && hash[1] != hash[2]);

    fake_header("Idempotency-Key", "k");
    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\"]}");
    assert_int_equal(fake.call->idempotency_key.n, 0);
    fake_answer(ST_OK);

    fake_header("Idempotency-Key", "\xff");
    fake_send("POST", "/v1/instances", body[0]);
    assert_int_equal(fake.status, 400);
    fake_end();
}

static void a_replayed_value_is_rendered_as_the_first_was(void **state)
{
    struct buf first;
    (void)state;
    fake_begin("");
    buf_init(&first, &fake.arena);
    for (int replayed = 0; replayed <= 1; replayed++) {
        fake_header("Idempotency-Key", "k");
        fake_send("POST", "/v1/instances", "{\"definitionId\":\"d\"}");
        fake.call->value.instances.view = fake_instance();
        fake.call->replayed = replayed;
        fake_answer(ST_OK);
        assert_int_equal(fake.status, 201);
        assert_int_equal(strstr(fake.headers, "Idempotency-Replayed: true\r\n") != NULL, replayed);
        if (!replayed) buf_add_str(&first, buf_str(&fake.body));
        else assert_true(str_equal(buf_str(&first), buf_str(&fake.body)));
    }
    fake_end();
}

static void errors_have_their_status_words_and_advice(void **state)
{
    static const struct {
        enum status status;
        int http;
        const char *word, *header;
    } cases[] = {
        { ST_INVALID, 400, "bad-request", "" },
        { ST_NOT_FOUND, 404, "not-found", "" },
        { ST_CONFLICT, 409, "conflict", "" },
        { ST_LIMIT, 413, "limit-exceeded", "" },
        { ST_UNPROCESSABLE, 422, "unprocessable", "" },
        { ST_OVERLOAD, 429, "overloaded", "Retry-After: 1\r\n" },
        { ST_INTERNAL, 500, "internal-error", "" },
        { ST_STORE, 503, "store-unavailable", "Retry-After: 5\r\n" },
        { ST_DRAINING, 503, "shutting-down", "Retry-After: 5\r\n" },
        { ST_FULL, 507, "storage-full", "Retry-After: 30\r\n" },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char want[200];
        fake_send("GET", "/v1/instances/00000000Z800000000E0000000", "");
        (fail)(&fake.call->error, cases[i].status, "", "a \"reason\"");
        fake_answer(cases[i].status);
        snprintf(want, sizeof want,
                 "{\"error\":\"%s\",\"reason\":\"a \\\"reason\\\"\",\"message\":\"a \\\"reason\\\"\"}",
                 cases[i].word);
        assert_int_equal(fake.status, cases[i].http);
        assert_body(want);
        assert_header(cases[i].header);
        assert_header("Content-Type: application/json\r\n");
    }
    /* An error without words still says something. */
    fake_send("GET", "/v1/instances/00000000Z800000000E0000000", "");
    fake_answer(ST_CONFLICT);
    assert_body_has("its state does not allow that");
    fake_end();
}

static void a_full_queue_and_a_stopping_engine_are_told(void **state)
{
    (void)state;
    fake_begin("");
    fake.refusal = ST_OVERLOAD;
    fake_send("GET", "/v1/definitions", "");
    assert_int_equal(fake.status, 429);
    assert_int_equal(fake.answers, 1);
    fake_send("GET", "/v1/instances/00000000Z800000000E0000000/events", "");
    assert_int_equal(fake.status, 429);
    fake.refusal = ST_DRAINING;
    fake_send("GET", "/v1/definitions", "");
    assert_int_equal(fake.status, 503);
    fake_send("GET", "/metrics", ""); /* Shows what it has. */
    assert_int_equal(fake.status, 200);
    fake_end();
}

static void probes(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", "/readyz", "");
    assert_body("{\"status\":\"ready\"}");
    api_set_draining(fake.api);
    fake_send("GET", "/readyz", "");
    assert_int_equal(fake.status, 503);
    fake_send("GET", "/livez", "");
    assert_int_equal(fake.status, 200);
    fake.healthy = false;
    static const char *const paths[] = { "/readyz", "/livez", "/healthz" };
    for (size_t i = 0; i < COUNT(paths); i++) {
        fake_send("GET", paths[i], "");
        assert_int_equal(fake.status, 503);
        assert_header("Retry-After: ");
    }
    fake_end();
}

/* On a full disk the engine is still ready: only clients that send new work need to know. */
static void a_full_disk_is_told_and_no_reason_to_stay_away(void **state)
{
    (void)state;
    fake_begin("");
    metric_set(&fake_metrics.storage_full, 1);
    fake_send("GET", "/readyz", "");
    assert_int_equal(fake.status, 200);
    assert_body("{\"status\":\"ready\",\"storage\":\"full\"}");
    metric_set(&fake_metrics.storage_full, 0);
    fake_send("GET", "/readyz", "");
    assert_body("{\"status\":\"ready\"}");
    fake_end();
}

static void a_token_is_asked_for(void **state)
{
    static const struct {
        const char *header;
        bool passes;
    } cases[] = {
        { "Bearer secret", true },    { "bearer secret", true },
        { "Bearer   secret ", true }, { "", false },
        { "secret", false },          { "Bearer", false },
        { "Bearer ", false },         { "Bearer secre", false },
        { "Bearer secrets", false },  { "Bearer secretsecret", false },
        { "Basic secret", false },
    };
    (void)state;
    fake_begin("secret");
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].header[0]) fake_header("authorization", cases[i].header);
        fake_send("GET", "/v1/definitions", "");
        assert_int_equal(fake.submitted, cases[i].passes);
        if (cases[i].passes) fake_answer(ST_CONFLICT);
        else assert_header("WWW-Authenticate: Bearer\r\n");
        assert_int_equal(fake.status, cases[i].passes ? 409 : 401);
    }
    fake_send("GET", "/healthz", "");
    assert_int_equal(fake.status, 200);
    fake_send("GET", "/nowhere", "");
    assert_int_equal(fake.status, 401);
    fake_end();
}

static void a_client_that_leaves_abandons_only_what_waits(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\"],\"waitSeconds\":9}");
    assert_non_null(fake.http.on_gone);
    fake.http.on_gone(fake.http.user);
    assert_true(fake.call->abandoned);
    fake_answer(ST_OK);
    assert_int_equal(fake.answers, 1);

    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\"]}");
    assert_null(fake.http.on_gone);
    fake_answer(ST_OK);
    fake_end();
}

static void a_task_is_completed_by_its_id(void **state)
{
    const char *path = "/v1/user-tasks/00000000Z800000000E00000R0/complete";
    struct id id;
    (void)state;
    fake_begin("");
    assert_true(id_parse(STR("00000000Z800000000E00000R0"), &id));
    fake_send("POST", path, "{\"completedBy\":\"e\",\"result\":{\"a\":1}}");
    assert_int_equal(fake.call->kind, CALL_COMPLETE_TASK);
    assert_int_equal(fake.call->as.instance.id.number, id.number);
    assert_true(str_equal(fake.call->as.instance.actor, STR("e")));
    fake_answer(ST_OK);
    assert_int_equal(fake.status, 204);
    assert_string_equal(fake.headers, "");
    fake_end();
}

static void requests_are_counted(void **state)
{
    (void)state;
    fake_begin("");
    for (int i = 0; i < 3; i++) {
        fake_send("GET", "/nowhere", "");
        api_observe(&fake.http, 100, fake.api);
    }
    fake_send("GET", "/healthz", "");
    api_observe(&fake.http, 2000000, fake.api);
    struct http_request refused = { .method = STR("BREW"), .status = 501 }; /* The API never saw it. */
    api_observe(&refused, 1, fake.api);
    fake_send("GET", "/metrics", "");
    fake.call->value.statistics.tasks = 5;
    fake_answer(ST_OK);
    fake_answer(ST_OK); /* The jobs by type. */
    assert_body_has(
        "http_requests_duration_seconds_count{method=\"GET\",path=\"unknown\",status=\"404\"} 3\n");
    assert_body_has(
        "http_requests_duration_seconds_sum{method=\"GET\",path=\"/healthz\",status=\"200\"} 2\n");
    assert_body_has(
        "http_requests_duration_seconds_count{method=\"other\",path=\"unknown\",status=\"501\"} 1\n");
    assert_body_has("pawl_build_info{version=\"1.2.3\"} 1\n");
    assert_body_has("pawl_user_tasks 5\n");
    fake_end();
}

static void a_renamed_metric_has_both_names_for_one_version(void **state)
{
    (void)state;
    fake_begin("");
    metric_set(&fake_metrics.nodes_fenced, 2);
    metric_observe(&fake_metrics.heartbeat_took, 1000000);
    fake_send("GET", "/metrics", "");
    fake_answer(ST_OK);
    fake_answer(ST_OK);
    assert_body_has("# HELP pawl_nodes_fenced_total Nodes that");
    assert_body_has("\npawl_nodes_fenced_total 2\n");
    assert_body_has("# HELP pawl_nodes_buried_total Deprecated, use pawl_nodes_fenced_total. Nodes that");
    assert_body_has("\npawl_nodes_buried_total 2\n");
    assert_body_has("\npawl_node_heartbeat_duration_seconds_sum 1\n");
    assert_body_has("# TYPE pawl_node_beat_duration_seconds histogram\n");
    assert_body_has("\npawl_node_beat_duration_seconds_sum 1\n");
    fake_metrics = (struct metrics){ 0 };
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_made_of_path_query_and_body),
        cmocka_unit_test(a_batch_is_one_call_with_items),
        cmocka_unit_test(results_and_errors_of_functions),
        cmocka_unit_test(keys_go_with_calls_that_write),
        cmocka_unit_test(a_replayed_value_is_rendered_as_the_first_was),
        cmocka_unit_test(errors_have_their_status_words_and_advice),
        cmocka_unit_test(a_full_queue_and_a_stopping_engine_are_told),
        cmocka_unit_test(probes),
        cmocka_unit_test(a_full_disk_is_told_and_no_reason_to_stay_away),
        cmocka_unit_test(a_token_is_asked_for),
        cmocka_unit_test(a_client_that_leaves_abandons_only_what_waits),
        cmocka_unit_test(a_task_is_completed_by_its_id),
        cmocka_unit_test(requests_are_counted),
        cmocka_unit_test(a_renamed_metric_has_both_names_for_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
