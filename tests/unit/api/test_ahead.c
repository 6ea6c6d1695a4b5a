/* Large bodies, messages and answers: what is done beside the network's thread, and what if somebody leaves
 * meanwhile. */
#include "api/fake.h"
#include "api/grpc/services_int.h"
#include "api/grpc/workflow_int.h"
#include "base/hash.h"

enum { LARGE = 100 << 10 };

static int begin(void **state)
{
    (void)state;
    fake_begin("");
    fake.api->config.loop = net_loop_new();
    return 0;
}

static int end(void **state)
{
    struct net_loop *loop = fake.api->config.loop;
    (void)state;
    fake_end();
    net_loop_free(loop);
    return 0;
}

static void look(void *context)
{
    if (fake.submitted || fake.answers || fake.grpc_finished) net_loop_stop(context);
}

/* Runs the loop until a call is submitted, or the request is answered. */
static void settle(void)
{
    net_every(fake.api->config.loop, 1, look, fake.api->config.loop);
    net_loop_run(fake.api->config.loop);
}

/* The text with white space behind it. */
static const char *large(const char *text)
{
    char *body = arena_alloc(&fake.arena, LARGE + 1);
    memset(body, ' ', LARGE);
    memcpy(body, text, strlen(text));
    body[LARGE] = '\0';
    return body;
}

/* So many lists inside each other. */
static const char *nested(size_t depth)
{
    char *text = arena_zero(&fake.arena, 1, 2 * depth + 1);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return large(text);
}

static void a_large_body_is_read_before_its_handler_is_called(void **state)
{
    (void)state;
    fake_header("Idempotency-Key", "k");
    fake_send("POST", "/v1/instances", large("{\"definitionId\":\"d\",\"variables\":{\"a\":1}}"));
    assert_int_equal(fake.submitted + fake.answers, 0);
    settle();
    assert_int_equal(fake.call->kind, CALL_START);
    assert_int_equal(json_count(fake.call->as.start.data), 1);
    const struct api_request *request = fake.http.user;
    uint64_t parts[] = { hash_bytes(fake.http.method), hash_bytes(fake.http.path),
                         hash_bytes(fake.http.body) };
    assert_true(fake.call->request_hash == hash_bytes((str){ (const char *)parts, sizeof parts }));
    assert_null(request->ahead);
}

static void a_text_is_not_read_ahead(void **state)
{
    (void)state;
    fake_send("POST", "/v1/definitions", large("{\"id\":\"d\"}"));
    assert_int_equal(fake.call->kind, CALL_DEPLOY);
    assert_true(fake.call->as.deploy.text.p == fake.http.body.p);
}

static void a_body_that_cannot_be_read_is_refused_with_its_place(void **state)
{
    (void)state;
    fake_send("POST", "/v1/instances", large("{\"definitionId\":\n  x}"));
    settle();
    assert_int_equal(fake.status, 400);
    assert_body_has("line 2");
}

/* A cancel needs no body that can be read. */
static void a_handler_that_does_without_a_body_still_does(void **state)
{
    (void)state;
    char path[64], id[ID_CHARS + 1];
    id_print((struct id){ .ms = 1, .instance = 7 }, id);
    snprintf(path, sizeof path, "/v1/instances/%s/cancel", id);
    fake_send("POST", path, large("{nonsense"));
    settle();
    assert_int_equal(fake.call->kind, CALL_CANCEL);
}

static void each_route_keeps_its_own_depth(void **state)
{
    (void)state;
    fake_send("PUT", "/api/workflows/w/draft", nested(JSON_DEPTH_MAX));
    settle();
    assert_int_equal(fake.status, 413);
    assert_body_has("nested deeper than");
}

static void a_value_at_the_depth_of_its_route_is_taken(void **state)
{
    (void)state;
    fake_send("PUT", "/api/workflows/w/draft", nested(JSON_DEPTH_MAX - 1));
    settle();
    assert_int_equal(fake.call->kind, CALL_SAVE_DRAFT);
}

static void xml_is_read_ahead_too(void **state)
{
    (void)state;
    fake_send("POST", "/api/entity/XML/order/1", large("<order><amount>7</amount></order>"));
    assert_int_equal(fake.submitted + fake.answers, 0);
    settle();
    int64_t amount;
    assert_int_equal(fake.call->kind, CALL_WRITE_ENTITIES);
    assert_true(json_int64(json_get(fake.call->as.entities.item->data, STR("amount")), &amount));
    assert_int_equal(amount, 7);
}

static void payloads_of_a_large_list_are_read_aside(void **state)
{
    (void)state;
    fake_send("POST", "/api/entity/JSON",
              large("[{\"model\":{\"name\":\"m\",\"version\":1},\"payload\":\"{\\\"a\\\":7}\"}]"));
    settle();
    assert_int_equal(fake.call->kind, CALL_WRITE_ENTITIES);
    assert_int_equal(json_count(fake.call->as.entities.item->data), 1);
    fake_answer(ST_OK); /* Frees the chunk. */
    assert_int_equal(fake.status, 200);
}

static void an_event_keeps_its_data_whatever_it_is(void **state)
{
    (void)state;
    fake_header("ce-specversion", "1.0");
    fake_header("ce-id", "1");
    fake_header("ce-source", "/s");
    fake_header("ce-type", "t");
    fake_header("Content-Type", "text/plain");
    fake_send("POST", "/v1/events", large("a text"));
    settle();
    assert_int_equal(fake.call->kind, CALL_EVENTS);
    str data = json_string(json_get(fake.call->as.events.event->event, STR("data")));
    assert_true(str_equal(data, fake.http.body));
}

/* ---- clients that leave, engines that stop ---- */

static void leave(void)
{
    assert_non_null(fake.http.on_gone);
    fake.http.on_gone(fake.http.user);
}

static void what_a_client_has_asked_is_done_although_it_left(void **state)
{
    (void)state;
    fake_send("POST", "/v1/instances", large("{\"definitionId\":\"d\"}"));
    leave();
    settle();
    assert_int_equal(fake.call->kind, CALL_START);
    assert_false(fake.call->abandoned);
}

static void a_poll_does_not_wait_for_a_client_that_left(void **state)
{
    (void)state;
    fake_send("POST", "/v1/jobs/poll", large("{\"workerId\":\"w\",\"jobTypes\":[\"a\"],\"waitSeconds\":30}"));
    leave();
    settle();
    assert_int_equal(fake.call->kind, CALL_POLL_JOBS);
    assert_true(fake.call->abandoned);
}

/* Without the loop: nothing is done with what was read. The sanitizers see to the rest. */
static void the_api_goes_while_bodies_are_read(void **state)
{
    (void)state;
    fake_send("POST", "/v1/instances", large("{\"definitionId\":\"d\"}"));
    api_part(fake.api);
    assert_int_equal(fake.submitted + fake.answers, 0);
}

/* ---- answers ---- */

static void a_large_answer_is_written_aside(void **state)
{
    (void)state;
    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\"]}");
    arena_alloc(fake.call->arena, ASIDE_ANSWER_BYTES_MIN + 1);
    fake.submitted = 0;
    fake_answer(ST_OK);
    assert_int_equal(fake.answers, 0);
    settle();
    assert_int_equal(fake.answers, 1);
    assert_body("{\"jobs\":[]}");
}

static void the_api_goes_while_an_answer_is_written(void **state)
{
    (void)state;
    fake_send("POST", "/v1/jobs/poll", "{\"workerId\":\"w\",\"jobTypes\":[\"a\"]}");
    arena_alloc(fake.call->arena, ASIDE_ANSWER_BYTES_MIN + 1);
    fake_answer(ST_OK);
    api_part(fake.api);
    assert_int_equal(fake.answers, 0);
}

/* ---- gRPC ---- */

static void send_start(const char *variables)
{
    Workflow__V1__StartInstanceRequest request;
    struct buf bytes;
    workflow__v1__start_instance_request__init(&request);
    request.definition_id = message_text(&fake.arena, STR("d"));
    request.variables_json = message_text(&fake.arena, str_of(variables));
    buf_init(&bytes, NULL);
    message_pack(&request.base, &bytes);
    fake_call("/workflow.v1.WorkflowEngine/StartInstance");
    fake_message(buf_str(&bytes));
    buf_done(&bytes); /* The message is only lent. */
}

static void a_large_message_is_read_aside(void **state)
{
    (void)state;
    send_start(large("{\"a\":1}"));
    assert_int_equal(fake.submitted, 0);
    settle();
    assert_int_equal(fake.call->kind, CALL_START);
    assert_ptr_equal(fake.call->arena, &fake.arena);
    assert_int_equal(json_count(fake.call->as.start.data), 1);
}

static void a_large_message_is_refused_like_a_small_one(void **state)
{
    (void)state;
    send_start(large("{nonsense"));
    settle();
    assert_int_equal(fake.submitted, 0);
    assert_int_equal(fake.grpc.code, GRPC_INVALID_ARGUMENT);
}

static void a_call_that_is_cancelled_while_it_is_read_is_not_submitted(void **state)
{
    (void)state;
    send_start(large("{\"a\":1}"));
    fake.grpc.method->gone(&fake.grpc, fake.grpc_context);
    settle();
    assert_int_equal(fake.submitted, 0);
    assert_int_equal(fake.grpc.code, GRPC_CANCELLED);
}

static void the_api_goes_while_messages_are_read(void **state)
{
    (void)state;
    send_start(large("{\"a\":1}"));
    api_part(fake.api);
    assert_false(fake.grpc_finished);
}

#define WITH_LOOP(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_LOOP(a_large_body_is_read_before_its_handler_is_called),
        WITH_LOOP(a_text_is_not_read_ahead),
        WITH_LOOP(a_body_that_cannot_be_read_is_refused_with_its_place),
        WITH_LOOP(a_handler_that_does_without_a_body_still_does),
        WITH_LOOP(each_route_keeps_its_own_depth),
        WITH_LOOP(a_value_at_the_depth_of_its_route_is_taken),
        WITH_LOOP(xml_is_read_ahead_too),
        WITH_LOOP(payloads_of_a_large_list_are_read_aside),
        WITH_LOOP(an_event_keeps_its_data_whatever_it_is),
        WITH_LOOP(what_a_client_has_asked_is_done_although_it_left),
        WITH_LOOP(a_poll_does_not_wait_for_a_client_that_left),
        WITH_LOOP(the_api_goes_while_bodies_are_read),
        WITH_LOOP(a_large_answer_is_written_aside),
        WITH_LOOP(the_api_goes_while_an_answer_is_written),
        WITH_LOOP(a_large_message_is_read_aside),
        WITH_LOOP(a_large_message_is_refused_like_a_small_one),
        WITH_LOOP(a_call_that_is_cancelled_while_it_is_read_is_not_submitted),
        WITH_LOOP(the_api_goes_while_messages_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
