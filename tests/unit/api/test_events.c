#include "api/fake.h"

#define WATCH "/v1/instances/00000000Z800000000E0000000/events"

static const struct entry entries[] = {
    { .kind = ENTRY_KIND_ENTER, .execution = 1, .node = STR_INIT("a") },
    { .kind = ENTRY_KIND_PARK, .execution = 1, .state = TOKEN_SIGNAL },
    { .kind = ENTRY_KIND_STATUS, .status = INSTANCE_WAITING },
    { .kind = ENTRY_KIND_JOB_CLOSE, .job = 4, .verdict = JOB_FAILED, .reason = STR_INIT("why") },
    { .kind = ENTRY_KIND_TIMER_CLOSE, .timer = 5, .fired = 1 },
    { .kind = ENTRY_KIND_BORN, .parent = 12, .parent_job = 3, .parent_waits = 1 },
    { .kind = ENTRY_KIND_CHAINED, .chained_from = 7 },
    { .kind = ENTRY_KIND_TIMER_OPEN, .execution = 1, .timer = 6, .due_ms = 3000 },
};
static struct history history[] = {
    { .command = COMMAND_START,
      .at_ms = 1000,
      .revision = 1,
      .entry = entries,
      .entry_count = COUNT(entries) },
    { .command = COMMAND_SIGNAL, .at_ms = 2000, .revision = 2, .actor = STR_INIT("e") },
};

/* Answers a round of watching with events [from, to). */
static void round_of(size_t from, size_t to, enum instance_status status)
{
    fake.call->value.instances.history = history + from;
    fake.call->value.instances.history_count = to - from;
    fake.call->value.instances.view = fake_instance();
    fake.call->value.instances.view->status = status;
    fake.call->value.instances.view->revision = 2;
    fake_answer(ST_OK);
}

/* Whether the stream holds the document between these two texts. */
static void assert_event(const char *before, const char *name, const char *behind)
{
    assert_body(arena_printf(&fake.arena, "%s%s%s", before, document("api/events", name), behind).p);
}

static void a_stream_from_start_to_end(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", WATCH, "");
    assert_int_equal(fake.call->kind, CALL_WATCH);
    assert_int_equal(fake.call->as.watch.wait_ms, 0);
    round_of(0, 1, INSTANCE_WAITING);
    assert_int_equal(fake.status, 200);
    assert_header("Content-Type: text/event-stream\r\n");
    assert_event("id: 1\nevent: start\ndata: ", "start", "\n\n");

    assert_int_equal(fake.call->as.watch.after, 1);
    assert_int_equal(fake.call->as.watch.wait_ms, 15000);
    buf_init(&fake.body, &fake.arena);
    round_of(0, 0, INSTANCE_WAITING);
    assert_body(": still here\n\n");

    buf_init(&fake.body, &fake.arena);
    round_of(1, 2, INSTANCE_COMPLETED);
    assert_event("id: 2\nevent: signal\ndata: ", "signal",
                 "\n\nevent: end\ndata: {\"status\":\"COMPLETED\"}\n\n");
    assert_true(fake.ended);
    assert_null(fake.call);
    fake_end();
}

static void a_page_that_does_not_reach_the_end_is_not_the_end(void **state)
{
    (void)state;
    fake_begin("");
    fake_send("GET", WATCH, "");
    round_of(0, 1, INSTANCE_COMPLETED); /* Revision 1 of 2. */
    assert_false(fake.ended);
    assert_int_equal(fake.call->as.watch.after, 1);
    round_of(1, 2, INSTANCE_COMPLETED);
    assert_true(fake.ended);
    fake_end();
}

static void the_last_event_id_is_where_it_goes_on(void **state)
{
    static const struct {
        const char *header;
        uint32_t after;
    } cases[] = {
        { "7", 7 }, { "4294967295", UINT32_MAX }, { "4294967296", 0 }, { "-1", 0 }, { "x", 0 }, { "", 0 },
    };
    (void)state;
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake_header("Last-Event-ID", cases[i].header);
        fake_send("GET", WATCH, "");
        assert_int_equal(fake.call->as.watch.after, cases[i].after);
        fake_answer(ST_NOT_FOUND);
        assert_int_equal(fake.status, 404);
        assert_false(fake.streaming);
    }
    fake_end();
}

static void a_stream_stops_when_nobody_reads_or_the_engine_stops(void **state)
{
    (void)state;
    enum { GONE, SLOW, DRAINING, REFUSED, FAILED, HEAD, CASES };
    for (int i = 0; i < CASES; i++) {
        fake_begin("");
        fake_send(i == HEAD ? "HEAD" : "GET", WATCH, "");
        if (i != HEAD) round_of(0, 1, INSTANCE_WAITING);
        if (i == GONE) fake.http.on_gone(fake.http.user);
        if (i == GONE) assert_true(fake.call->abandoned);
        if (i == SLOW) fake.reads = false;
        if (i == DRAINING) api_set_draining(fake.api);
        if (i == REFUSED) fake.refusal = ST_DRAINING;
        if (i == FAILED) fake_answer(ST_STORE);
        else round_of(0, 0, INSTANCE_WAITING);
        assert_true(fake.ended);
        assert_int_equal(fake.answers, 1);
        fake_end();
    }
}

/* The next round begins when the client has read the last one; who leaves meanwhile has no call to come back.
 */
static void a_stream_waits_for_its_reader(void **state)
{
    (void)state;
    for (int leaves = 0; leaves < 2; leaves++) {
        fake_begin("");
        fake_send("GET", WATCH, "");
        fake.behind = 100000;
        round_of(0, 1, INSTANCE_WAITING);
        assert_null(fake.call);
        assert_non_null(fake.http.on_drained);
        if (leaves) {
            fake.http.on_gone(fake.http.user);
        } else {
            fake.behind = 0;
            fake.http.on_drained(fake.http.user);
            assert_int_equal(fake.call->as.watch.after, 1);
            round_of(1, 2, INSTANCE_COMPLETED);
        }
        assert_true(fake.ended);
        fake_end();
    }
}

static void by_the_accept_header_of_history(void **state)
{
    (void)state;
    fake_begin("");
    fake_header("Accept", "text/html, text/event-stream;q=0.9");
    fake_send("GET", "/v1/instances/00000000Z800000000E0000000/history", "");
    assert_int_equal(fake.call->kind, CALL_WATCH);
    fake_answer(ST_NOT_FOUND);
    fake_send("GET", "/v1/instances/00000000Z800000000E0000000/history", "");
    assert_int_equal(fake.call->kind, CALL_GET_HISTORY);
    fake_answer(ST_NOT_FOUND);
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_from_start_to_end),
        cmocka_unit_test(a_page_that_does_not_reach_the_end_is_not_the_end),
        cmocka_unit_test(the_last_event_id_is_where_it_goes_on),
        cmocka_unit_test(a_stream_stops_when_nobody_reads_or_the_engine_stops),
        cmocka_unit_test(a_stream_waits_for_its_reader),
        cmocka_unit_test(by_the_accept_header_of_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
