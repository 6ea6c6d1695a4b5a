/* Calls as requests, and answers as values or errors. Nothing is sent here. */
#include "perform/http_function.h"

#include "documents.h"
#include "perform/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static const struct json *value_of(const char *text)
{
    const struct json *value;
    struct error err;
    if (json_parse(str_of(text), NULL, &arena, &value, &err) != ST_OK) fail_msg("%s: %s", text, err.message);
    return value;
}

static const char *text_of(const struct json *value)
{
    struct buf out;
    buf_init(&out, &arena);
    json_print(value, &out);
    return arena_str(&arena, buf_str(&out)).p;
}

static struct function_call call_of(const char *type, const char *resource, const char *request)
{
    return (struct function_call){
        .resource = str_of(resource),
        .type = str_of(type),
        .function = STR("bill"),
        .request = request ? value_of(request) : NULL,
        .idempotency_key = STR("i-1/pay/1/0"),
        .traceparent = STR("00-aa-bb-01"),
        .event_id = STR("e-1"),
        .now_ms = 1000,
        .timeout_ms = 5000,
    };
}

static struct outcall render(const struct function_call *call)
{
    struct outcall outcall = { .user = &arena };
    const struct json *error;
    if (!http_function_render(call, &arena, &outcall, &error)) fail_msg("%s", text_of(error));
    assert_ptr_equal(outcall.user, &arena);
    assert_ptr_equal(outcall.arena, &arena);
    return outcall;
}

static void assert_str(str got, const char *want)
{
    if (!str_equal(got, str_of(want))) fail_msg("\"%.*s\" instead of \"%s\"", STR_ARG(got), want);
}

/* ---- requests ---- */

static void types_choose_method_and_place_of_the_request(void **state)
{
    (void)state;
    static const struct {
        const char *type, *method, *url, *body;
    } cases[] = {
        { "", "POST", "http://h/x", "{\"a\":1,\"b\":\"c d\"}" },
        { "http", "POST", "http://h/x", "{\"a\":1,\"b\":\"c d\"}" },
        { "REST", "POST", "http://h/x", "{\"a\":1,\"b\":\"c d\"}" },
        { "http:PUT", "PUT", "http://h/x", "{\"a\":1,\"b\":\"c d\"}" },
        { "patch", "PATCH", "http://h/x", "{\"a\":1,\"b\":\"c d\"}" },
        { "http:GET", "GET", "http://h/x?a=1&b=c%20d", NULL },
        { "rest:delete", "DELETE", "http://h/x?a=1&b=c%20d", NULL },
        { "GET", "GET", "http://h/x?a=1&b=c%20d", NULL },
        { "HEAD", "HEAD", "http://h/x?a=1&b=c%20d", NULL },
        { "options", "OPTIONS", "http://h/x?a=1&b=c%20d", NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct function_call call = call_of(cases[i].type, "http://h/x", "{\"a\":1,\"b\":\"c d\"}");
        struct outcall outcall = render(&call);
        assert_str(outcall.method, cases[i].method);
        assert_str(outcall.url, cases[i].url);
        assert_int_equal(outcall.body.p != NULL, cases[i].body != NULL);
        assert_str(outcall.body, cases[i].body ? cases[i].body : "");
        assert_str(outcall.content_type, cases[i].body ? "application/json" : "");
        assert_str(outcall.idempotency_key, "i-1/pay/1/0");
        assert_str(outcall.traceparent, "00-aa-bb-01");
        assert_int_equal(outcall.timeout_ms, 5000);
    }
}

static str sent_header(const struct outcall *outcall, const char *name)
{
    str found = STR_NONE;
    for (size_t i = 0; i < outcall->header_count; i++) {
        if (!str_equal_ignoring_case(outcall->header[i].name, str_of(name))) continue;
        assert_null(found.p);
        found = outcall->header[i].value;
    }
    return found;
}

static void headers_and_query_of_the_function_are_added(void **state)
{
    (void)state;
    static const struct {
        const char *type, *resource, *url;
    } cases[] = {
        { "", "http://h/x", "http://h/x?k=a%20b&n=1" },
        { "GET", "http://h/x", "http://h/x?q=2&k=a%20b&n=1" },
        { "emit", "http://h/x?", "http://h/x?k=a%20b&n=1" },
        { "cloudevent", "http://h/x?y=1", "http://h/x?y=1&k=a%20b&n=1" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct function_call call = call_of(cases[i].type, cases[i].resource, "{\"q\":2}");
        call.headers = value_of("{\"accept\":\"text/plain\",\"X-N\":7,\"X-Null\":null}");
        call.query = value_of("{\"k\":\"a b\",\"n\":1,\"no\":null}");
        struct outcall outcall = render(&call);
        assert_str(outcall.url, cases[i].url);
        assert_str(sent_header(&outcall, "Accept"), "text/plain");
        assert_str(sent_header(&outcall, "X-N"), "7");
        assert_null(sent_header(&outcall, "X-Null").p);
    }
}

static void urls_are_filled_from_the_request(void **state)
{
    (void)state;
    static const struct {
        const char *type, *resource, *request, *want;
    } cases[] = {
        { "", "http://h/{id}", "{\"id\":\"a/b ?\xc3\xa9\"}", "http://h/a%2Fb%20%3F%C3%A9" },
        { "", "http://h/{a}/{b}/{a}", "{\"a\":1,\"b\":true}", "http://h/1/true/1" },
        { "", "http://{host}:{port}/", "{\"host\":\"h\",\"port\":80}", "http://h:80/" },
        { "", "http://h/{n}", "{\"n\":1.50}", "http://h/1.50" },
        { "", "http://h/{my id}", "{\"my id\":\"\"}", "http://h/" },
        { "", "http://h/\xc3\xa9#part", "{}", "http://h/%C3%A9" },
        { "", "http://h/.{x}", "{\"x\":\"well-known\"}", "http://h/.well-known" },
        { "", "http://h/?p={x}", "{\"x\":\"..\"}", "http://h/?p=.." },
        { "", "http://h/a/../b", "{}", "http://h/a/../b" }, /* The author's own. */
        { "GET", "http://h/{id}", "{\"id\":7,\"q\":\"x&y=z\"}", "http://h/7?q=x%26y%3Dz" },
        { "GET", "http://h/x?k=1", "{\"q\":2}", "http://h/x?k=1&q=2" },
        { "GET", "http://h/x?", "{\"q\":2}", "http://h/x?q=2" },
        { "GET", "http://h/x?k=1&", "{\"q\":2}", "http://h/x?k=1&q=2" },
        { "GET", "http://h/x#part", "{\"q\":2}", "http://h/x?q=2" },
        { "GET", "http://h/x", "{\"a b\":\"\",\"n\":null,\"l\":[1],\"o\":{},\"f\":false}",
          "http://h/x?a%20b=&f=false" },
        { "GET", "http://h/x", "[1,2]", "http://h/x" },
        { "GET", "http://h/x", NULL, "http://h/x" },
        { "GET", "", "{\"a\":1}", "?a=1" }, /* The performer refuses it. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct function_call call = call_of(cases[i].type, cases[i].resource, cases[i].request);
        assert_str(render(&call).url, cases[i].want);
    }
}

static void a_missing_request_is_an_empty_object(void **state)
{
    (void)state;
    struct function_call call = call_of("", "http://h/", NULL);
    assert_str(render(&call).body, "{}");
    call.request = value_of("[1,\"\xc3\xa9\"]");
    assert_str(render(&call).body, "[1,\"\xc3\xa9\"]");
}

static void what_cannot_be_rendered_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *type, *resource, *request, *reason, *message;
    } cases[] = {
        { "soap", "http://h/", "{}", "unknownType", "\"soap\"" },
        { "http:TRACE", "http://h/", "{}", "unknownType", "http:TRACE" },
        { "", "http://h/{id}", "{}", "missingParameter", "no \"id\"" },
        { "", "http://h/{id}", "{\"id\":null}", "missingParameter", "no \"id\"" },
        { "", "http://h/{id}", "[]", "missingParameter", "no \"id\"" },
        { "", "http://h/{id}", "{\"id\":[1]}", "parameterNotScalar", "\"id\" of the request is an array" },
        { "", "http://h/{id}", "{\"id\":{}}", "parameterNotScalar", "an object" },
        { "", "http://h/{id", "{\"id\":1}", "malformedTemplate", "{ without" },
        { "", "http://h/{i{d}", "{\"id\":1}", "malformedTemplate", "{ without" },
        { "", "http://h/id}", "{\"id\":1}", "malformedTemplate", "} without" },
        { "", "http://h/{}", "{\"\":1}", "malformedTemplate", "without a name" },
        { "DELETE", "http://h/a/{id}", "{\"id\":\"..\"}", "dotSegment", ".." },
        { "", "http://h/{id}/b?c", "{\"id\":\".\"}", "dotSegment", ".." },
        { "", "http://h/{a}{b}", "{\"a\":\".\",\"b\":\".\"}", "dotSegment", ".." },
        { "", "http://{h}/a", "{\"h\":\"evil.example/x?\"}", "parameterNotHost", "stands for a host" },
        { "", "http://h.example{x}/a", "{\"x\":\"@evil.example\"}", "parameterNotHost", "\"x\"" },
        { "", "{base}/a", "{\"base\":\"http://evil.example\"}", "parameterNotHost", "\"base\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct function_call call = call_of(cases[i].type, cases[i].resource, cases[i].request);
        struct outcall outcall = { 0 };
        const struct json *error = NULL;
        if (http_function_render(&call, &arena, &outcall, &error))
            fail_msg("%s was rendered", cases[i].resource);
        assert_str(json_string(json_get(error, STR("name"))), "FunctionExecutionException");
        assert_str(json_string(json_pointer(error, STR("/data/reason"))), cases[i].reason);
        str message = json_string(json_get(error, STR("message")));
        if (str_find(message, str_of(cases[i].message), 0) == SIZE_MAX)
            fail_msg("\"%.*s\" has no \"%s\"", STR_ARG(message), cases[i].message);
    }
}

static void keys_of_any_characters_become_headers(void **state)
{
    (void)state;
    struct function_call call = call_of("", "http://h/", "{}");
    call.idempotency_key = STR("i/my \xc3\xa9\n\"50%\"/1");
    assert_str(render(&call).idempotency_key, "i/my%20%C3%A9%0A%2250%25%22/1");
}

/* ---- events ---- */

static const char *header_of(const struct outcall *outcall, const char *name)
{
    for (size_t i = 0; i < outcall->header_count; i++)
        if (str_equal(outcall->header[i].name, str_of(name)))
            return arena_str(&arena, outcall->header[i].value).p;
    return "";
}

static void a_cloudevent_goes_out_in_binary_mode(void **state)
{
    (void)state;
    struct function_call call = call_of("cloudevent", "http://h/", "{\"a\":1}");
    call.function = STR("my bill");
    struct outcall outcall = render(&call);
    assert_str(outcall.method, "POST");
    assert_str(outcall.content_type, "application/json");
    assert_str(outcall.body, "{\"a\":1}");
    assert_string_equal(header_of(&outcall, "ce-specversion"), "1.0");
    assert_string_equal(header_of(&outcall, "ce-id"), "i-1/pay/1/0");
    assert_string_equal(header_of(&outcall, "ce-source"), "pawl");
    assert_string_equal(header_of(&outcall, "ce-type"), "io.pawl.function.request");
    assert_string_equal(header_of(&outcall, "ce-subject"), "my%20bill");
    assert_string_equal(header_of(&outcall, "ce-time"), "1970-01-01T00:00:01.000000Z");
}

static void bodies_of_structured_events(void **state)
{
    (void)state;
    struct json_each each = json_each(document_value("perform/http_function", "structured events"));
    while (json_next(&each)) {
        str type = arena_str(&arena, json_string(json_get(each.value, STR("type"))));
        struct function_call call =
            call_of(type.p, "http://h/", text_of(json_get(each.value, STR("request"))));
        struct outcall outcall = render(&call);
        assert_str(outcall.content_type, "application/cloudevents+json");
        assert_str(outcall.body, text_of(json_get(each.value, STR("event"))));
    }
}

static void an_event_without_an_id_of_its_own_has_the_key(void **state)
{
    (void)state;
    struct function_call call = call_of("emit", "http://h/", "{}");
    call.event_id = STR_NONE;
    assert_true(str_starts(render(&call).body, STR("{\"specversion\":\"1.0\",\"id\":\"i-1/pay/1/0\",")));
}

/* ---- answers ---- */

static struct outcall answer(int status, const char *type, str body)
{
    return (struct outcall){ .arena = &arena, .status = status, .answer_type = str_of(type), .answer = body };
}

static void assert_value(const char *type, const struct outcall *outcall, const char *want)
{
    struct function_call call = call_of(type, "http://h/", "{}");
    const struct json *value = NULL, *error = NULL;
    if (!http_answer_read_function(&call, outcall, &value, &error)) fail_msg("%s", text_of(error));
    assert_string_equal(text_of(value), want);
}

static const struct json *error_of(const char *type, const struct outcall *outcall)
{
    struct function_call call = call_of(type, "http://h/", "{}");
    const struct json *value = NULL, *error = NULL;
    if (http_answer_read_function(&call, outcall, &value, &error)) fail_msg("%s", text_of(value));
    assert_null(value);
    return error;
}

static void answers_become_values(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *type;
        str body;
        const char *want;
    } cases[] = {
        { 200, "application/json", STR_INIT(" {\"a\": 1.0} "), "{\"a\":1.0}" },
        { 201, "Application/JSON; charset=utf-8", STR_INIT("[1]"), "[1]" },
        { 200, "application/problem+json", STR_INIT("{}"), "{}" },
        { 200, "application/cloudevents+json", STR_INIT("{\"data\":1}"),
          "{\"data\":1}" }, /* Not asked for. */
        { 200, "text/json", STR_INIT("true"), "true" },
        { 204, "", STR_INIT(""), "null" },
        { 200, "application/json", STR_INIT(""), "null" },
        { 200, "", STR_INIT("{\"a\":1}"), "{\"a\":1}" },
        { 200, "", STR_INIT("{a:1}"), "\"{a:1}\"" },
        { 200, "application/octet-stream", STR_INIT("7"), "7" },
        { 200, "text/plain", STR_INIT("7"), "\"7\"" },
        { 299, "text/html", STR_INIT("<p>\n\0"), "\"<p>\\n\\u0000\"" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall = answer(cases[i].status, cases[i].type, cases[i].body);
        assert_value("", &outcall, cases[i].want);
        if (i != 3) assert_value("cloudevent", &outcall, cases[i].want);
        assert_value("emit", &outcall, "null");
    }
}

static void an_event_that_comes_back_is_its_data(void **state)
{
    (void)state;
    static const struct {
        const char *body, *want;
    } cases[] = {
        { "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",\"data\":{\"a\":1}}",
          "{\"a\":1}" },
        { "{\"specversion\":\"1.0\",\"data\":null}", "null" },
        { "{\"specversion\":\"1.0\",\"data_base64\":\"AAE=\"}", "\"AAE=\"" },
        { "{\"specversion\":\"1.0\"}", "null" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall =
            answer(200, "application/cloudevents+json; charset=UTF-8", str_of(cases[i].body));
        assert_value("cloudevent", &outcall, cases[i].want);
        assert_value("cloudevent:structured", &outcall, cases[i].want);
    }
    static const struct outcall_header header[] = { { STR_INIT("Ce-Id"), STR_INIT("1") },
                                                    { STR_INIT("Ce-SpecVersion"), STR_INIT("1.0") } };
    struct outcall outcall = answer(200, "application/json", STR("{\"a\":1}"));
    outcall.answer_header = header;
    outcall.answer_header_count = COUNT(header);
    assert_value("cloudevent", &outcall, "{\"a\":1}");
    outcall.answer_type = STR("image/png");
    outcall.answer = STR("\x89PNG\xff");
    assert_value("cloudevent", &outcall, "\"iVBOR/8=\"");
    outcall.answer_header_count = 0;
    error_of("cloudevent", &outcall);
}

static void answers_that_cannot_be_read_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *function_type, *type;
        str body;
        const char *message, *data;
    } cases[] = {
        { "", "application/json", STR_INIT("{\"a\":}"), "says it is JSON and is not: line 1, column 6",
          "{\"status\":200,\"body\":\"{\\\"a\\\":}\"}" },
        { "", "application/json", STR_INIT("  "), "says it is JSON", "{\"status\":200,\"body\":\"  \"}" },
        { "", "application/json", STR_INIT("\"\xff\""), "not UTF-8", "{\"status\":200,\"body\":null}" },
        { "", "text/plain", STR_INIT("caf\xe9"), "not UTF-8", "{\"status\":200,\"body\":null}" },
        { "cloudevent", "application/cloudevents+json", STR_INIT("[1]"), "CloudEvent and is no object",
          "{\"status\":200,\"body\":[1]}" },
        { "cloudevent", "application/cloudevents+json", STR_INIT(""), "CloudEvent and is no object",
          "{\"status\":200,\"body\":null}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall = answer(200, cases[i].type, cases[i].body);
        const struct json *error = error_of(cases[i].function_type, &outcall);
        assert_str(json_string(json_get(error, STR("name"))), "FunctionExecutionException");
        assert_non_null(strstr(text_of(json_get(error, STR("message"))), cases[i].message));
        assert_string_equal(text_of(json_get(error, STR("data"))), cases[i].data);
    }
}

static void assert_error(int status, str type, str body, const char *want)
{
    static const char *const types[] = { "", "cloudevent", "emit" };
    struct outcall outcall = answer(status, arena_str(&arena, type).p, body);
    for (size_t i = 0; i < COUNT(types); i++)
        assert_string_equal(text_of(error_of(types[i], &outcall)), want);
}

static void other_statuses_are_errors_named_by_their_body(void **state)
{
    (void)state;
    struct json_each each = json_each(document_value("perform/http_function", "errors of statuses"));
    while (json_next(&each)) {
        int64_t status = 0;
        assert_true(json_int64(json_get(each.value, STR("status")), &status));
        assert_error((int)status, json_string(json_get(each.value, STR("type"))),
                     json_string(json_get(each.value, STR("body"))),
                     text_of(json_get(each.value, STR("error"))));
    }
    assert_error(500, STR_NONE, STR("\xff"),
                 document("perform/http_function", "error of bytes that are no text"));
}

static void names_of_errors_have_a_limit(void **state)
{
    (void)state;
    for (int n = 256; n <= 257; n++) {
        str body = arena_printf(&arena, "{\"name\":\"%0*d\"}", n, 7);
        struct outcall outcall = answer(500, "application/json", body);
        str name = json_string(json_get(error_of("", &outcall), STR("name")));
        assert_int_equal(name.n, n == 256 ? 256 : strlen("FunctionExecutionException"));
    }
}

static void long_and_deep_bodies_are_bounded_in_errors(void **state)
{
    (void)state;
    struct buf body;
    buf_init(&body, &arena);
    buf_add_char(&body, 'a');
    while (body.n < FUNCTION_ERROR_TEXT_BYTES_MAX + 100) buf_add_str(&body, STR("\xc3\xa9"));
    struct outcall outcall = answer(500, "text/plain", buf_str(&body));
    str shown = json_string(json_pointer(error_of("", &outcall), STR("/data/body")));
    assert_int_equal(shown.n, FUNCTION_ERROR_TEXT_BYTES_MAX - 1);

    for (int depth = JSON_DEPTH_MAX / 2; depth <= JSON_DEPTH_MAX / 2 + 1; depth++) {
        body.n = 0;
        for (int i = 0; i < depth; i++) buf_add_char(&body, '[');
        for (int i = 0; i < depth; i++) buf_add_char(&body, ']');
        outcall = answer(500, "application/json", buf_str(&body));
        const struct json *value = json_pointer(error_of("", &outcall), STR("/data/body"));
        assert_int_equal(json_kind(value), depth == JSON_DEPTH_MAX / 2 ? JSON_ARRAY : JSON_STRING);
    }
}

static void failures_say_their_reason(void **state)
{
    (void)state;
    for (int failure = OUTCALL_NONE + 1; failure < OUTCALL_FAILURE_COUNT; failure++) {
        struct outcall outcall = { .arena = &arena,
                                   .failure = (enum outcall_failure)failure,
                                   .message = STR("a sentence") };
        const struct json *error = error_of("", &outcall);
        assert_str(json_string(json_get(error, STR("name"))),
                   failure == OUTCALL_TIMEOUT ? "TimeoutException" : "FunctionExecutionException");
        assert_str(json_string(json_get(error, STR("message"))), "a sentence");
        assert_str(json_string(json_pointer(error, STR("/data/reason"))),
                   outcall_failure_word((enum outcall_failure)failure));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(types_choose_method_and_place_of_the_request, setup, teardown),
        cmocka_unit_test_setup_teardown(headers_and_query_of_the_function_are_added, setup, teardown),
        cmocka_unit_test_setup_teardown(urls_are_filled_from_the_request, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_request_is_an_empty_object, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_rendered_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_of_any_characters_become_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cloudevent_goes_out_in_binary_mode, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies_of_structured_events, setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_without_an_id_of_its_own_has_the_key, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_become_values, setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_that_comes_back_is_its_data, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_that_cannot_be_read_are_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(other_statuses_are_errors_named_by_their_body, setup, teardown),
        cmocka_unit_test_setup_teardown(names_of_errors_have_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(long_and_deep_bodies_are_bounded_in_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_say_their_reason, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
