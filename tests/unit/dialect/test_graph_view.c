/* How instances of flow graphs stand, and how the API shows them. */
#include "dialect/compile.h"

#include "dialect/dialect.h"

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

static const struct dialect *graph(void) { return dialect_named(STR("graph")); }

/* ---- standing ---- */

enum { NOW_MS = 5000 };

static struct standing stand(struct token *token, size_t token_count, struct job *job, struct timer *timer)
{
    const struct instance instance = { .status = INSTANCE_ACTIVE,
                                       .token = token,
                                       .token_count = token_count,
                                       .job = job,
                                       .job_count = job != NULL,
                                       .timer = timer,
                                       .timer_count = timer != NULL };
    return standing_of(NULL, &instance, NOW_MS, &arena);
}

static const char *word_of(const struct standing *standing)
{
    return arena_str(&arena, dialect_status_word(graph(), standing)).p;
}

static struct token token_at(uint32_t execution, enum token_state state)
{
    return (struct token){
        .execution = execution, .state = state, .node = NODE_NONE, .node_name = STR("n"), .since_ms = 9
    };
}

/* What can run counts more than a person, and a person more than a time. */
static void the_busiest_token_tells_the_status(void **state)
{
    static const struct {
        enum token_state a, b;
        const char *want;
    } cases[] = {
        { TOKEN_READY, TOKEN_PERSON, "running" }, { TOKEN_TIME, TOKEN_PERSON, "waiting_for_human" },
        { TOKEN_TIME, TOKEN_JOIN, "suspended" },  { TOKEN_ARRIVAL, TOKEN_REGION, "suspended" },
        { TOKEN_EVENT, TOKEN_JOIN, "suspended" }, { TOKEN_JOIN, TOKEN_PERSON, "waiting_for_human" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct token tokens[] = { token_at(1, cases[i].a), token_at(2, cases[i].b) };
        struct standing standing = stand(tokens, 2, NULL, NULL);
        assert_string_equal(word_of(&standing), cases[i].want);
    }
}

static void a_call_that_waits_for_its_next_attempt_is_no_call_under_way(void **state)
{
    static const struct {
        uint32_t attempt;
        int64_t available_ms;
        const char *want;
        int64_t resume_ms;
    } cases[] = {
        { 1, 0, "running", 0 },
        { 2, NOW_MS + 1, "suspended", NOW_MS + 1 },
        { 2, NOW_MS, "running", 0 }, /* It may begin now. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct token token = token_at(1, TOKEN_JOB);
        struct job job = { .execution = 1,
                           .attempt = cases[i].attempt,
                           .available_ms = cases[i].available_ms };
        struct timer timer = { .number = 3,
                               .execution = 1,
                               .due_ms = 1 }; /* Of the attempt: it does not count. */
        struct standing standing = stand(&token, 1, &job, &timer);
        assert_string_equal(word_of(&standing), cases[i].want);
        assert_int_equal(standing.resume_ms, cases[i].resume_ms);
        assert_int_equal(standing.waits_for_retry, cases[i].resume_ms > 0);
    }
}

static void ended_held_and_undoing_instances_have_words(void **state)
{
    (void)state;
    static const struct {
        struct standing standing;
        const char *want;
    } cases[] = {
        { { .status = INSTANCE_COMPLETED }, "completed" },
        { { .status = INSTANCE_FAILED }, "failed" },
        { { .status = INSTANCE_CANCELLED }, "terminated" },
        { { .status = INSTANCE_ACTIVE, .is_held = true, .runs = true }, "pending" },
        { { .status = INSTANCE_WAITING, .undoes = true, .waits_for_person = true }, "running" },
        { { .status = INSTANCE_WAITING }, "suspended" }, /* Nothing more is known. */
        { { .status = INSTANCE_ACTIVE }, "running" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) assert_string_equal(word_of(&cases[i].standing), cases[i].want);
}

/* ---- the API's instance ---- */

static const struct json *shown(const struct instance_view *view, enum instance_style style,
                                int64_t bytes_max)
{
    struct buf out;
    const struct json *value;
    struct error err;
    buf_init(&out, &arena);
    graph()->put_instance(&out, view, style, bytes_max);
    if (json_parse(buf_str(&out), NULL, &arena, &value, &err) != ST_OK)
        fail_msg("%s: %.*s", err.message, STR_ARG(buf_str(&out)));
    return value;
}

static void assert_member(const struct json *object, const char *name, const char *want)
{
    struct buf out;
    buf_init(&out, &arena);
    const struct json *value = json_get(object, str_of(name));
    if (value) json_print(value, &out);
    else buf_add_str(&out, STR("nothing"));
    assert_string_equal(arena_str(&arena, buf_str(&out)).p, want);
}

static struct instance_view view_of(const char *data)
{
    const struct json *value;
    assert_int_equal(json_parse(str_of(data), NULL, &arena, &value, NULL), ST_OK);
    return (struct instance_view){ .id = 7,
                                   .created_ms = 1000,
                                   .definition_id = STR("d"),
                                   .definition_version = 3,
                                   .dialect = graph(),
                                   .data = value,
                                   .standing = { .runs = true } };
}

static void data_is_shown_as_authors_think_of_it(void **state)
{
    (void)state;
    struct instance_view view =
        view_of("{\"vars\":{\"x\":1},\"trigger\":{\"payload\":2},\"triggers.t\":{\"payload\":2},"
                "\"nodes.a\":{\"body\":3},\"nodes.b.c\":4,\"result\":{\"r\":5},\"instance\":{}}");
    view.status = INSTANCE_COMPLETED;
    view.ended_ms = 2000;
    const struct json *run = shown(&view, INSTANCE_RUN, 0);
    assert_member(run, "status", "\"completed\"");
    assert_member(run, "definitionId", "\"d\"");
    assert_member(run, "version", "3");
    assert_member(run, "key", "null");
    assert_member(run, "vars", "{\"x\":1}");
    assert_member(run, "triggers", "{\"t\":{\"payload\":2}}");
    assert_member(run, "nodes", "{\"a\":{\"body\":3},\"b.c\":4}");
    assert_member(run, "result", "{\"r\":5}");
    assert_member(run, "errorCode", "null");
    assert_member(run, "error", "nothing");
    assert_member(run, "endedAt", "\"1970-01-01T00:00:02.000000Z\"");
    /* Lists of all families have the members that all families have. */
    const struct json *plain = shown(&view, INSTANCE_WHOLE, 0);
    assert_member(plain, "status", "\"COMPLETED\"");
    assert_member(plain, "executionStatus", "\"completed\"");
    assert_member(plain, "dialect", "\"graph\"");
    assert_member(plain, "vars", "nothing");
    /* Data that does not fit is left out, and that is said. */
    const struct json *cut = shown(&view, INSTANCE_RUN, 60);
    assert_member(cut, "vars", "nothing");
    assert_member(cut, "dataOmitted", "true");
    assert_member(cut, "status", "\"completed\"");
}

static void errors_tasks_and_undoing_are_shown(void **state)
{
    (void)state;
    static const struct standing_task task = { .execution = 4, .since_ms = 1000, .node = STR_INIT("ask") };
    static const struct standing_undo undo[] = { { STR_INIT("b~comp"), UNDO_FAILED },
                                                 { STR_INIT("a~comp"), UNDO_DONE } };
    struct instance_view view = view_of("{\"vars\":{}}");
    const struct json *error;
    assert_int_equal(
        json_parse(STR("{\"name\":\"HTTP_404\",\"message\":\"no\",\"state\":\"Pay\",\"node\":\"pay\"}"), NULL,
                   &arena, &error, NULL),
        ST_OK);
    view.status = INSTANCE_FAILED;
    view.error = error;
    view.business_key = STR("k");
    view.is_test = view.has_handled_error = true;
    view.replaced_by = 9;
    view.standing =
        (struct standing){ .task = &task, .task_count = 1, .undo = undo, .undo_count = 2, .resume_ms = 3000 };
    const struct json *run = shown(&view, INSTANCE_RUN, 0);
    assert_member(run, "status", "\"failed\"");
    assert_member(run, "key", "\"k\"");
    assert_member(run, "error", "{\"code\":\"HTTP_404\",\"message\":\"no\",\"nodeId\":\"pay\"}");
    assert_member(run, "errorCode", "\"HTTP_404\"");
    assert_member(run, "compensation", "[\"b~comp\",\"a~comp\"]");
    assert_member(run, "compensationFailed", "[\"b~comp\"]");
    assert_member(run, "compensated", "true");
    assert_member(run, "isTest", "true");
    assert_member(run, "handledError", "true");
    assert_member(run, "resumeAfter", "\"1970-01-01T00:00:03.000000Z\"");
    assert_int_equal(json_count(json_get(run, STR("openTasks"))), 1);
    assert_member(json_item(json_get(run, STR("openTasks")), 0), "nodeId", "\"ask\"");
    view.error = NULL;
    view.status = INSTANCE_ACTIVE;
    view.standing = (struct standing){ .waits_for_retry = true, .resume_ms = 3000 };
    assert_member(shown(&view, INSTANCE_RUN, 0), "errorCode", "\"TRANSIENT_FAILURE\"");
    view.standing.undoes = true;
    assert_member(shown(&view, INSTANCE_RUN, 0), "phase", "\"compensating\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_busiest_token_tells_the_status, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_that_waits_for_its_next_attempt_is_no_call_under_way, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(ended_held_and_undoing_instances_have_words, setup, teardown),
        cmocka_unit_test_setup_teardown(data_is_shown_as_authors_think_of_it, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_tasks_and_undoing_are_shown, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
