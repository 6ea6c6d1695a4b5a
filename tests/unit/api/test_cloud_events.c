#include "api/fake.h"

#define STRUCTURED "application/cloudevents+json"
#define BATCH "application/cloudevents-batch+json"
#define ONE "{\"specversion\":\"1.0\",\"id\":\"i\",\"source\":\"/s\",\"type\":\"t\",\"data\":1}"

static void send(const char *type, const char *body)
{
    if (type) fake_header("Content-Type", type);
    fake_send("POST", "/v1/events", body);
}

/* The event as it would be taken, as text. */
static const char *taken(size_t index)
{
    struct buf text;
    assert_non_null(fake.call);
    assert_true(index < fake.call->as.events.event_count);
    buf_init(&text, &fake.arena);
    json_print(fake.call->as.events.event[index].event, &text);
    buf_add_char(&text, '\0');
    return text.p;
}

static void forget_call(void)
{
    fake.call = NULL;
    fake.http.header_count = 0;
}

static void an_event_is_the_body(void **state)
{
    (void)state;
    fake_begin("");
    static const char *const types[] = { STRUCTURED, "Application/CloudEvents+JSON; charset=utf-8",
                                         STRUCTURED ";charset=\"UTF-8\"",
                                         STRUCTURED "; x=y; charset=us-ascii" };
    for (size_t i = 0; i < COUNT(types); i++) {
        send(types[i], ONE);
        assert_int_equal(fake.call->kind, CALL_EVENTS);
        assert_int_equal(fake.call->as.events.event_count, 1);
        assert_string_equal(taken(0), ONE);
        forget_call();
    }
    fake_end();
}

static void a_batch_is_a_list_of_them(void **state)
{
    (void)state;
    fake_begin("");
    send(BATCH, "[" ONE "," ONE "]");
    assert_int_equal(fake.call->as.events.event_count, 2);
    assert_string_equal(taken(1), ONE);
    forget_call();
    send(BATCH, "[]");
    assert_int_equal(fake.call->as.events.event_count, 0);
    fake_answer(ST_OK);
    assert_int_equal(fake.status, 202);
    assert_body("{\"events\":[]}");
    fake_end();
}

static void attributes_are_headers_and_the_body_is_the_data(void **state)
{
    (void)state;
    static const struct {
        const char *type, *body, *want;
    } cases[] = {
        { "application/json", "{\"a\":1}", "\"datacontenttype\":\"application/json\",\"data\":{\"a\":1}" },
        { "application/vnd.x+json", "[1]", "\"datacontenttype\":\"application/vnd.x+json\",\"data\":[1]" },
        { "text/plain", "1", "\"datacontenttype\":\"text/plain\",\"data\":\"1\"" },
        { "text/plain; charset=utf-16", "1",
          "\"datacontenttype\":\"text/plain; charset=utf-16\",\"data\":\"MQ==\"" },
        { "text/plain", "\xff", "\"datacontenttype\":\"text/plain\",\"data\":\"/w==\"" }, /* No UTF-8. */
        { "application/octet-stream", "ab",
          "\"datacontenttype\":\"application/octet-stream\",\"data\":\"YWI=\"" },
        { "image/png", "abc", "\"datacontenttype\":\"image/png\",\"data\":\"YWJj\"" },
        { "application/json", "", "\"datacontenttype\":\"application/json\"" },
        { NULL, "ab", "\"data\":\"YWI=\"" },
        { NULL, "", NULL },
    };
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake_header("CE-SpecVersion", "1.0");
        fake_header("ce-id", "i%20%C3%A4");
        fake_header("ce-Source", "\"/s \\\" %25\"");
        fake_header("ce-type", "t");
        fake_header("ce-time", "2026-01-01T00:00:00Z");
        send(cases[i].type, cases[i].body);
        str want = arena_printf(
            &fake.arena,
            "{\"specversion\":\"1.0\",\"id\":\"i \xc3\xa4\",\"source\":\"/s \\\" %%\",\"type\":\"t\","
            "\"time\":\"2026-01-01T00:00:00Z\"%s%s}",
            cases[i].want ? "," : "", cases[i].want ? cases[i].want : "");
        assert_string_equal(taken(0), want.p);
        forget_call();
    }
    fake_end();
}

static void what_is_malformed_is_named_and_goes_nowhere(void **state)
{
    (void)state;
    static const struct {
        const char *type, *body;
        int status;
        const char *has;
    } cases[] = {
        { STRUCTURED, "", 400, "line 1" },
        { STRUCTURED, "{", 400, "line 1" },
        { STRUCTURED, "[]", 400, "an event is an object" },
        { STRUCTURED, "{\"id\":\"i\",\"source\":\"s\",\"type\":\"t\"}", 400,
          "\"attribute\":\"specversion\"" },
        { STRUCTURED, "{\"specversion\":\"2.0\",\"id\":\"i\",\"source\":\"s\",\"type\":\"t\"}", 400,
          "\"attribute\":\"specversion\"" },
        { STRUCTURED, "{\"specversion\":\"1.0\",\"id\":\"\",\"source\":\"s\",\"type\":\"t\"}", 400,
          "\"attribute\":\"id\"" },
        { STRUCTURED "; charset=latin1", ONE, 415, "UTF-8" },
        { BATCH, ONE, 400, "a batch is an array" },
        { BATCH, "[" ONE ",{\"specversion\":\"1.0\",\"id\":\"i\",\"source\":1,\"type\":\"t\"}]", 400,
          "\"attribute\":\"source\",\"index\":1}" },
        { BATCH, "[" ONE ",7]", 400, "event 1 of the batch: " },
        { "application/cloudevents+avro", ONE, 415, "application/cloudevents+json" },
        { "application/cloudevents", ONE, 415, "application/cloudevents+json" },
        { "application/json", ONE, 415, "ce-specversion" },
        { NULL, ONE, 415, "ce-specversion" },
        { "text/xml", "<a/>", 415, "ce-specversion" },
    };
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        send(cases[i].type, cases[i].body);
        assert_int_equal(fake.submitted, 0);
        assert_int_equal(fake.status, cases[i].status);
        assert_header("Content-Type: application/problem+json\r\n");
        assert_body_has(cases[i].has);
    }
    fake_end();
}

static void headers_that_are_no_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *type, *body;
        int status;
        const char *has;
    } cases[] = {
        { "ce-id", "j", NULL, "", 400, "ce-id is there twice" },
        { "CE-ID", "j", NULL, "", 400, "ce-id is there twice" },
        { "ce-subject", "%4", NULL, "", 400, "\"attribute\":\"subject\"" },
        { "ce-subject", "%ff", NULL, "", 400, "\"attribute\":\"subject\"" },
        { "ce-time", "noon", NULL, "", 400, "\"attribute\":\"time\"" },
        { "ce-a_b", "x", NULL, "", 400, "\"attribute\":\"a_b\"" },
        { "ce-", "x", NULL, "", 400, "no attribute" },
        { "ce-data", "x", NULL, "", 400, "the data is the body" },
        { "ce-datacontenttype", "text/plain", NULL, "", 400, "Content-Type" },
        { "x", "x", "application/json", "{", 400, "line 1" },
        { "x", "x", "application/json; charset=utf-16", "{}", 415, "UTF-8" },
        { "x", "x", "\xff/json", "{}", 400, "Content-Type" },
    };
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        fake_header("ce-specversion", "1.0");
        fake_header("ce-id", "i");
        fake_header("ce-source", "s");
        fake_header("ce-type", "t");
        fake_header(cases[i].name, cases[i].value);
        send(cases[i].type, cases[i].body);
        assert_int_equal(fake.submitted, 0);
        assert_int_equal(fake.status, cases[i].status);
        assert_body_has(cases[i].has);
    }
    fake_header("ce-id", "i");
    send("application/json", "{}");
    assert_body_has("\"attribute\":\"specversion\"");
    fake_end();
}

static void a_batch_has_a_largest_size(void **state)
{
    (void)state;
    fake_begin("");
    int64_t max = limits_default().batch_items_max;
    for (int64_t count = max; count <= max + 1; count++) {
        struct buf body;
        buf_init(&body, &fake.arena);
        for (int64_t i = 0; i < count; i++) buf_add_str(&body, i ? STR("," ONE) : STR("[" ONE));
        buf_add_str(&body, (str){ "]", 2 });
        send(BATCH, body.p);
        assert_int_equal(fake.submitted, count <= max);
        if (count > max) assert_int_equal(fake.status, 413);
        forget_call();
    }
    fake_end();
}

static void the_answer_says_what_each_did(void **state)
{
    (void)state;
    struct event_instance instance = { .id = 7, .created_ms = 1000, .started = true };
    fake_begin("");
    send(BATCH, "[" ONE "," ONE "," ONE "," ONE "]");
    struct call_event *event = fake.call->as.events.event;
    event[0].outcome = EVENT_STARTED;
    event[0].instance = &instance;
    event[0].instance_count = event[0].instance_total = 1;
    event[1].outcome = EVENT_UNMATCHED;
    event[2].outcome = EVENT_DUPLICATE;
    event[2].first = EVENT_STARTED;
    event[2].instance_total = 200;
    event[3].outcome = EVENT_REFUSED;
    (fail)(&event[3].error, ST_LIMIT, "event", "full");
    fake_answer(ST_OK);
    assert_int_equal(fake.status, 202);
    assert_header("Content-Type: application/json\r\n");
    assert_body(document("api/cloud_events", "taken"));
    fake_end();
}

static void a_single_event_that_is_refused_is_an_error(void **state)
{
    (void)state;
    static const struct {
        enum status status;
        int http;
    } cases[] = {
        { ST_LIMIT, 429 }, /* Not its size: the mailbox may have room later. */
        { ST_CONFLICT, 409 },
        { ST_INTERNAL, 500 },
    };
    fake_begin("");
    for (size_t i = 0; i < COUNT(cases); i++) {
        send(STRUCTURED, ONE);
        fake.call->as.events.event->outcome = EVENT_REFUSED;
        (fail)(&fake.call->as.events.event->error, cases[i].status, "event", "full");
        fake_answer(ST_OK);
        assert_int_equal(fake.status, cases[i].http);
        assert_header("Content-Type: application/problem+json\r\n");
        if (cases[i].http == 429) assert_header("Retry-After: ");
        assert_body_has("\"detail\":\"full\"");
    }
    fake_end();
}

static void unmatched_come_in_pages(void **state)
{
    (void)state;
    struct unmatched_view unmatched[] = {
        { .number = 9, .received_ms = 1000, .reason = STR("why"), .event = json_empty_object() },
        { .number = 8, .received_ms = 1000, .reason = STR("why") },
    };
    fake_begin("");
    fake_send("GET", "/v1/events/unmatched?pageSize=2", "");
    assert_int_equal(fake.call->kind, CALL_LIST_UNMATCHED);
    assert_int_equal(fake.call->as.unmatched.max, 2);
    assert_int_equal(fake.call->as.unmatched.before, 0);
    fake.call->value.unmatched.view = unmatched;
    fake.call->value.unmatched.count = 2;
    fake.call->value.unmatched.total = 5;
    fake_answer(ST_OK);
    assert_body(document("api/cloud_events", "unmatched page"));
    fake_send("GET", "/v1/events/unmatched?pageSize=2&cursor=000000000000000000G0000000", "");
    assert_int_equal(fake.call->as.unmatched.before, 8);
    fake_answer(ST_OK);
    assert_body("{\"items\":[],\"pageSize\":2}");
    fake_send("GET", "/v1/events/unmatched?cursor=x", "");
    assert_int_equal(fake.status, 400);
    assert_header("Content-Type: application/problem+json\r\n");
    fake_end();
}

static void a_unmatched_is_sent_again_by_its_number(void **state)
{
    static const char *const wrong[] = {
        "0", "-1", "x", "1x", "%31x", "99999999999999999999", "01KA2P3N6S0000000000100000"
    };
    (void)state;
    fake_begin("");
    fake_send("POST", "/v1/events/unmatched/8/resend", "");
    assert_int_equal(fake.call->kind, CALL_EVENTS);
    assert_int_equal(fake.call->as.events.resend, 8);
    assert_int_equal(fake.call->as.events.event_count, 0);
    const struct json *one;
    struct error err;
    assert_int_equal(json_parse(STR(ONE), NULL, &fake.arena, &one, &err), ST_OK);
    struct call_event event = { .event = one, .outcome = EVENT_UNMATCHED };
    fake.call->as.events.event = &event;
    fake.call->as.events.event_count = 1;
    fake_answer(ST_OK);
    assert_int_equal(fake.status, 202);
    assert_body_has("\"outcome\":\"unmatched\"");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char path[128];
        snprintf(path, sizeof path, "/v1/events/unmatched/%s/resend", wrong[i]);
        fake_send("POST", path, "");
        assert_int_equal(fake.submitted, 0);
        assert_int_equal(fake.status, 404);
        assert_header("Content-Type: application/problem+json\r\n");
    }
    fake_end();
}

static void what_is_wrong_before_the_event_is_a_problem_too(void **state)
{
    (void)state;
    fake_begin("secret");
    send(STRUCTURED, ONE);
    assert_int_equal(fake.status, 401);
    assert_header("Content-Type: application/problem+json\r\n");
    assert_header("WWW-Authenticate: Bearer\r\n");
    fake_end();
    fake_begin("");
    fake.refusal = ST_OVERLOAD;
    send(STRUCTURED, ONE);
    assert_int_equal(fake.status, 429);
    assert_header("Content-Type: application/problem+json\r\n");
    assert_header("Retry-After: ");
    fake_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_the_body),
        cmocka_unit_test(a_batch_is_a_list_of_them),
        cmocka_unit_test(attributes_are_headers_and_the_body_is_the_data),
        cmocka_unit_test(what_is_malformed_is_named_and_goes_nowhere),
        cmocka_unit_test(headers_that_are_no_attributes),
        cmocka_unit_test(a_batch_has_a_largest_size),
        cmocka_unit_test(the_answer_says_what_each_did),
        cmocka_unit_test(a_single_event_that_is_refused_is_an_error),
        cmocka_unit_test(unmatched_come_in_pages),
        cmocka_unit_test(a_unmatched_is_sent_again_by_its_number),
        cmocka_unit_test(what_is_wrong_before_the_event_is_a_problem_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
