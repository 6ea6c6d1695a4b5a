/* Calls of tools of MCP servers: what is sent, and what an answer means. Nothing is sent here. */
#include "perform/mcp_call.h"

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

static struct function_call call_of(const char *input)
{
    const struct json *request;
    struct error err;
    if (json_parse(str_of(input), NULL, &arena, &request, &err) != ST_OK) fail_msg("%s", err.message);
    return (struct function_call){
        .type = STR(MCP_TYPE), .request = request, .idempotency_key = STR("k"), .attempt = 1
    };
}

static int64_t number_of(const struct json *row, const char *name, int64_t fallback)
{
    int64_t number = fallback;
    const struct json *value = json_get(row, str_of(name));
    return value && json_int64(value, &number) ? number : fallback;
}

static struct outcall answer_of(const struct json *row)
{
    const struct json *body = json_get(row, STR("body"));
    str type = json_text(row, STR("type"));
    return (struct outcall){ .arena = &arena,
                             .status = (int)number_of(row, "status", 200),
                             .answer_type = type.n || !body ? type : STR("application/json"),
                             .answer = body ? str_of(text_of(body)) : json_text(row, STR("text")) };
}

static void check_answer(const struct json *row)
{
    const char *what = arena_str(&arena, json_text(row, STR("what"))).p;
    struct function_call call = call_of("{\"url\": \"http://h\", \"tool\": \"t\"}");
    struct mcp_talk talk = { .step = (enum mcp_step)number_of(row, "step", MCP_CALL) };
    if (talk.step > MCP_READY) talk.session = STR("s");
    struct outcall outcall = answer_of(row);
    const struct json *value = NULL, *error = NULL, *wanted = json_get(row, STR("value"));
    bool retryable = false;
    enum mcp_outcome outcome = mcp_talk_read(&call, &talk, &outcall, &value, &error, &retryable);
    str name = json_text(row, STR("error"));
    enum mcp_outcome expected = wanted ? MCP_DONE : name.n ? MCP_FAILED : MCP_GOES_ON;
    if (outcome != expected) fail_msg("%s: outcome %d: %s", what, outcome, error ? text_of(error) : "");
    if (wanted) assert_string_equal(text_of(value), text_of(wanted));
    if (name.n && !str_equal(json_text(error, STR("name")), name)) fail_msg("%s: %s", what, text_of(error));
    if (expected == MCP_GOES_ON) assert_int_equal(talk.step, number_of(row, "goes_on", -1));
    if (retryable != (json_get(row, STR("retryable")) != NULL)) fail_msg("%s: retryable", what);
}

static void answers_are_values_errors_or_steps(void **state)
{
    (void)state;
    const struct json *rows = document_value("perform/mcp_call", "answers");
    for (size_t i = 0; i < json_count(rows); i++) check_answer(json_item(rows, i));
}

static str header_of(const struct outcall *outcall, const char *name)
{
    for (size_t i = 0; i < outcall->header_count; i++)
        if (str_equal(outcall->header[i].name, str_of(name))) return outcall->header[i].value;
    return STR_NONE;
}

static void render(const char *input, enum mcp_step step, struct outcall *ret_outcall)
{
    struct function_call call = call_of(input);
    const struct mcp_talk talk = { .step = step,
                                   .version = step > MCP_INITIALIZE ? STR("2025-11-25") : STR_NONE,
                                   .session = step > MCP_INITIALIZE ? STR("s") : STR_NONE };
    const struct json *error = NULL;
    *ret_outcall = (struct outcall){ .user = &arena };
    if (!mcp_talk_render(&call, &talk, &arena, ret_outcall, &error)) fail_msg("%s", text_of(error));
    assert_ptr_equal(ret_outcall->user, &arena);
}

static void names_of_tools_fit_into_a_header(void **state)
{
    (void)state;
    static const struct {
        const char *input, *header;
    } cases[] = {
        { "{\"url\": \"http://h\", \"tool\": \"a b\"}", "a b" },
        { "{\"url\": \"http://h\", \"tool\": \" a\"}", "=?base64?IGE=?=" },
        { "{\"url\": \"http://h\", \"tool\": \"a\\nb\"}", "=?base64?YQpi?=" },
        { "{\"url\": \"http://h\", \"tool\": \"=?x\"}", "=?base64?PT94?=" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall;
        render(cases[i].input, MCP_CALL, &outcall);
        assert_true(str_equal(header_of(&outcall, "Mcp-Name"), str_of(cases[i].header)));
    }
}

static void each_message_of_a_conversation_has_its_key_and_session(void **state)
{
    (void)state;
    static const struct {
        enum mcp_step step;
        const char *key, *version, *session;
    } cases[] = {
        { MCP_CALL, "k", "2026-07-28", "" },
        { MCP_INITIALIZE, "k/initialize", "", "" },
        { MCP_READY, "k/initialized", "2025-11-25", "s" },
        { MCP_SESSION_CALL, "k", "2025-11-25", "s" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcall outcall;
        render("{\"url\": \"http://h\", \"tool\": \"t\", \"headers\": {\"X-A\": 1}}", cases[i].step,
               &outcall);
        assert_true(str_equal(outcall.idempotency_key, str_of(cases[i].key)));
        assert_true(str_equal(header_of(&outcall, "MCP-Protocol-Version"), str_of(cases[i].version)));
        assert_true(str_equal(header_of(&outcall, "Mcp-Session-Id"), str_of(cases[i].session)));
        assert_true(str_equal(header_of(&outcall, "X-A"), STR("1")));
    }
}

static void a_key_of_the_author_is_the_key_of_the_call(void **state)
{
    (void)state;
    struct outcall outcall;
    render("{\"url\": \"http://h\", \"tool\": \"t\", \"headers\": {\"idempotency-key\": \"mine\"}}", MCP_CALL,
           &outcall);
    assert_true(str_equal(outcall.idempotency_key, STR("mine")));
    assert_true(str_find(outcall.body, STR("\"pawl/idempotencyKey\":\"mine\""), 0) != SIZE_MAX);
}

static void a_session_is_ended_and_nothing_else(void **state)
{
    (void)state;
    struct function_call call = call_of("{\"url\": \"http://h\", \"tool\": \"t\"}");
    struct outcall outcall = { .user = &arena };
    struct mcp_talk talk = { .step = MCP_SESSION_CALL, .version = STR("2025-11-25") };
    assert_false(mcp_talk_end(&call, &talk, &arena, &outcall));
    talk.session = STR("s");
    assert_true(mcp_talk_end(&call, &talk, &arena, &outcall));
    assert_true(str_equal(outcall.method, STR("DELETE")));
    assert_true(str_equal(header_of(&outcall, "Mcp-Session-Id"), STR("s")));
    assert_int_equal(outcall.timeout_ms, MCP_GOODBYE_MS);
    assert_null(outcall.body.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_values_errors_or_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(names_of_tools_fit_into_a_header, setup, teardown),
        cmocka_unit_test_setup_teardown(each_message_of_a_conversation_has_its_key_and_session, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_key_of_the_author_is_the_key_of_the_call, setup, teardown),
        cmocka_unit_test_setup_teardown(a_session_is_ended_and_nothing_else, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
