/* Requests whose parts are all in the input, and their answers. Nothing is sent here. */
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

static const char *text_of(const struct json *value)
{
    struct buf out;
    buf_init(&out, &arena);
    json_print(value, &out);
    return arena_str(&arena, buf_str(&out)).p;
}

static struct function_call call_of(const struct json *input)
{
    return (struct function_call){ .type = STR(REQUEST_TYPE),
                                   .request = input,
                                   .idempotency_key = STR("key"),
                                   .timeout_ms = 5000,
                                   .attempt = 2 };
}

/* "POST url | header: value | … | content type | body" */
static const char *sent_text(const struct outcall *outcall)
{
    struct buf out;
    buf_init(&out, &arena);
    buf_printf(&out, "%.*s %.*s | ", STR_ARG(outcall->method), STR_ARG(outcall->url));
    for (size_t i = 0; i < outcall->header_count; i++)
        buf_printf(&out, "%.*s: %.*s | ", STR_ARG(outcall->header[i].name),
                   STR_ARG(outcall->header[i].value));
    buf_printf(&out, "%.*s | %.*s", STR_ARG(outcall->content_type), STR_ARG(outcall->body));
    return arena_str(&arena, buf_str(&out)).p;
}

static void inputs_become_requests(void **state)
{
    (void)state;
    const struct json *cases = document_value("perform/http_request", "requests");
    for (size_t i = 0; i < json_count(cases); i++) {
        const struct json *row = json_item(cases, i);
        struct function_call call = call_of(json_get(row, STR("input")));
        struct outcall outcall = { .user = &arena };
        const struct json *error;
        if (!http_request_render(&call, &arena, &outcall, &error)) fail_msg("%s", text_of(error));
        assert_string_equal(sent_text(&outcall),
                            arena_str(&arena, json_string(json_get(row, STR("sent")))).p);
        assert_true(str_equal(outcall.idempotency_key, STR("key")));
        assert_true(outcall.keeps_headers);
        assert_ptr_equal(outcall.user, &arena);
    }
}

static void requests_that_cannot_be_sent_say_why(void **state)
{
    (void)state;
    const struct json *cases = document_value("perform/http_request", "refused");
    for (size_t i = 0; i < json_count(cases); i++) {
        const struct json *row = json_item(cases, i);
        struct function_call call = call_of(json_get(row, STR("input")));
        struct outcall outcall = { 0 };
        const struct json *error;
        assert_false(http_request_render(&call, &arena, &outcall, &error));
        assert_string_equal(text_of(json_get(error, STR("name"))), "\"INVALID_REQUEST\"");
        assert_true(json_equal(json_get(error, STR("message")), json_get(row, STR("says"))));
    }
}

/* ---- answers ---- */

static struct outcall answer_of(int status, const char *type, const char *body)
{
    static const struct outcall_header header[] = {
        { STR_INIT("Content-Type"), STR_INIT("x") },
        { STR_INIT("Set-Cookie"), STR_INIT("a=1") },
        { STR_INIT("set-cookie"), STR_INIT("b=2") },
        { STR_INIT("X-Bad"), STR_INIT("\xff") }, /* No text: left out. */
    };
    return (struct outcall){ .status = status,
                             .answer_type = str_of(type),
                             .answer = str_of(body),
                             .answer_header = header,
                             .answer_header_count = COUNT(header),
                             .arena = &arena };
}

static void answers_have_exactly_three_members(void **state)
{
    static const struct {
        const char *type, *body, *want;
    } cases[] = {
        { "application/json", "{\"a\":1}", "{\"a\":1}" },
        { "text/plain", "{\"a\":1}", "\"{\\\"a\\\":1}\"" },
        { "application/json", "{oops", "\"{oops\"" }, /* What it says it is does not matter then. */
        { "", "", "null" },
        { "image/png", "\xff\xfe", "\"//4=\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall = answer_of(201, cases[i].type, cases[i].body);
        struct function_call call = call_of(json_empty_object());
        const struct json *value, *error;
        assert_true(http_request_read(&call, &outcall, &value, &error));
        assert_int_equal(json_count(value), 3);
        assert_string_equal(text_of(json_get(value, STR("status_code"))), "201");
        assert_string_equal(text_of(json_get(value, STR("headers"))),
                            "{\"content-type\":\"x\",\"set-cookie\":\"a=1, b=2\"}");
        assert_string_equal(text_of(json_get(value, STR("body"))), cases[i].want);
    }
}

static void errors_are_named_by_what_happened(void **state)
{
    static const struct {
        int status;
        enum outcall_failure failure;
        const char *body, *name, *message;
        bool transient;
    } cases[] = {
        { 404, OUTCALL_NONE, "{\"message\":\"no such order\"}", "HTTP_404", "no such order", false },
        { 400, OUTCALL_NONE, "{\"name\":\"X\"}", "HTTP_400", "the web service answered with status 400",
          false },
        { 302, OUTCALL_NONE, "", "HTTP_302", "the web service answered with status 302", false },
        { 501, OUTCALL_NONE, "", "HTTP_501", "the web service answered with status 501", false },
        { 408, OUTCALL_NONE, "", "HTTP_408", "the web service answered with status 408", true },
        { 425, OUTCALL_NONE, "", "HTTP_425", "the web service answered with status 425", true },
        { 429, OUTCALL_NONE, "", "HTTP_429", "the web service answered with status 429", true },
        { 500, OUTCALL_NONE, "", "HTTP_500", "the web service answered with status 500", true },
        { 502, OUTCALL_NONE, "", "HTTP_502", "the web service answered with status 502", true },
        { 503, OUTCALL_NONE, "", "HTTP_503", "the web service answered with status 503", true },
        { 504, OUTCALL_NONE, "", "HTTP_504", "the web service answered with status 504", true },
        { 0, OUTCALL_TIMEOUT, NULL, "TIMEOUT", "why", true },
        { 0, OUTCALL_CONNECTION_REFUSED, NULL, "CONNECTION_REFUSED", "why", true },
        { 0, OUTCALL_CONNECTION_FAILED, NULL, "CONNECTION_FAILED", "why", true },
        { 0, OUTCALL_NAME_NOT_FOUND, NULL, "NAME_NOT_FOUND", "why", true },
        { 0, OUTCALL_ADDRESS_REFUSED, NULL, "ADDRESS_REFUSED", "why", false },
        { 0, OUTCALL_INVALID_URL, NULL, "INVALID_URL", "why", false },
        { 0, OUTCALL_TLS, NULL, "TLS", "why", false },
        { 0, OUTCALL_TOO_LARGE, NULL, "TOO_LARGE", "why", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall = answer_of(cases[i].status, "application/json", cases[i].body);
        outcall.failure = cases[i].failure;
        outcall.message = STR("why");
        struct function_call call = call_of(json_empty_object());
        const struct json *value, *error;
        int64_t after_ms = 99;
        assert_false(http_request_read(&call, &outcall, &value, &error));
        assert_true(str_equal(json_string(json_get(error, STR("name"))), str_of(cases[i].name)));
        assert_true(str_equal(json_string(json_get(error, STR("message"))), str_of(cases[i].message)));
        /* A service that says why is quoted; a redirection is not its failure. */
        bool has_code =
            cases[i].status >= 400 && !str_equal(json_text(error, STR("message")), STR("no such order"));
        assert_true(str_equal(json_text(error, STR("code")), has_code ? str_of(cases[i].name) : STR_NONE));
        assert_int_equal(http_answer_is_transient(&outcall, 0, &after_ms), cases[i].transient);
        assert_int_equal(after_ms, 0);
    }
}

static void servers_may_ask_for_a_pause(void **state)
{
    static const struct {
        int status;
        const char *value;
        int64_t after_ms;
    } cases[] = {
        { 503, "120", 120000 },
        { 429, " 1 ", 1000 },
        { 503, "0", 0 },
        { 503, "-5", 0 },
        { 503, "999999999999", RETRY_AFTER_SECONDS_MAX * INT64_C(1000) },
        { 503, "Thu, 01 Jan 1970 00:01:00 GMT", 60000 },
        { 503, "Fri, 31 Dec 1969 23:59:59 GMT", 0 },
        { 503, "Thu, 32 Jan 1970 00:01:00 GMT", 0 },
        { 503, "soon", 0 },
        { 404, "120", 0 }, /* Nobody asks again. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct outcall_header header = { STR("retry-AFTER"), str_of(cases[i].value) };
        const struct outcall outcall = {
            .status = cases[i].status, .answer_header = &header, .answer_header_count = 1, .arena = &arena
        };
        int64_t after_ms = 99;
        http_answer_is_transient(&outcall, 0, &after_ms);
        assert_int_equal(after_ms, cases[i].after_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inputs_become_requests, setup, teardown),
        cmocka_unit_test_setup_teardown(requests_that_cannot_be_sent_say_why, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_have_exactly_three_members, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_are_named_by_what_happened, setup, teardown),
        cmocka_unit_test_setup_teardown(servers_may_ask_for_a_pause, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
