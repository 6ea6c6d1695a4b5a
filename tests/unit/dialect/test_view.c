/* How instances are shown: every dialect's table, and the views of the API byte for byte. */
#include "documents.h"

#include "dialect/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arena arena;

static int open_arena(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

#define view_test(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)

static const struct json *value_of(const char *text)
{
    const struct json *value;
    assert_int_equal(json_parse(str_of(text), NULL, &arena, &value, NULL), ST_OK);
    return value;
}

static struct instance_view view_of(const char *dialect)
{
    static const str current[] = { STR_INIT("a\"b"), STR_INIT("c") };
    return (struct instance_view){
        .id = 7,
        .created_ms = 1000,
        .status = INSTANCE_WAITING,
        .definition_id = STR("d"),
        .definition_version = 2,
        .dialect = dialect_named(str_of(dialect)),
        .current = current,
        .current_count = 2,
        .data = json_empty_object(),
        .revision = 3,
    };
}

static const char *shown(const struct instance_view *view, enum instance_style style, int64_t bytes_max)
{
    struct buf out;
    buf_init(&out, &arena);
    view->dialect->put_instance(&out, view, style, bytes_max);
    buf_add_char(&out, '\0');
    return out.p;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("%s is not in: %s", part, text);
}

/* ---- the table ---- */

static void every_table_is_complete(void **state)
{
    static const char *const names[] = { "steps", "serverless" };
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct dialect *dialect = dialect_named(str_of(names[i]));
        assert_true(str_equal(dialect->name, str_of(names[i])));
        assert_true(dialect->body_name.n > 0);
        assert_non_null(dialect->recognises);
        assert_non_null(dialect->normal);
        assert_non_null(dialect->print_order);
        assert_non_null(dialect->compile);
        assert_non_null(dialect->refusal);
        assert_non_null(dialect->data_word);
        assert_non_null(dialect->put_instance);
        assert_non_null(dialect->put_visit);
        assert_non_null(dialect->add_run);
    }
}

static void an_unknown_dialect_shows_what_every_instance_has(void **state)
{
    (void)state;
    assert_non_null(dialect_named(STR_NONE));
    assert_ptr_equal(dialect_named(STR_NONE), dialect_named(STR("of a later version")));
    struct instance_view view = view_of("");
    assert_string_equal(shown(&view, INSTANCE_WHOLE, 0), document("dialect/view", "plain"));
}

static void a_body_tells_definitions_from_other_files(void **state)
{
    (void)state;
    assert_true(dialect_has_body(value_of("{\"steps\":[]}")));
    assert_true(dialect_has_body(value_of("{\"states\":1}")));
    assert_false(dialect_has_body(value_of("{\"cases\":[]}")));
    assert_false(dialect_has_body(value_of("{}")));
}

static void words_are_the_dialects_own_or_the_engines(void **state)
{
    static const struct {
        enum instance_status status;
        const char *error, *steps, *serverless, *data;
    } cases[] = {
        { INSTANCE_ACTIVE, NULL, "ACTIVE", "Running", "data" },
        { INSTANCE_WAITING, NULL, "WAITING", "Waiting", "data" },
        { INSTANCE_COMPLETED, NULL, "COMPLETED", "Success", "output" },
        { INSTANCE_CANCELLED, NULL, "CANCELLED", "Cancelled", "data" },
        { INSTANCE_FAILED, NULL, "FAILED", "Fail", "data" },
        { INSTANCE_FAILED, "{\"name\":\"X\"}", "FAILED", "Fail", "data" },
        { INSTANCE_FAILED, "{\"name\":1}", "FAILED", "Fail", "data" },
        { INSTANCE_FAILED, "{\"name\":\"TimeoutException\"}", "FAILED", "Timeout", "data" },
    };
    const struct dialect *steps = dialect_named(STR("steps")), *serverless = dialect_named(STR("serverless"));
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *error = cases[i].error ? value_of(cases[i].error) : NULL;
        enum instance_status status = cases[i].status;
        const struct standing standing = standing_plain(status, error);
        assert_true(str_equal(dialect_status_word(steps, &standing), str_of(cases[i].steps)));
        assert_true(str_equal(dialect_status_word(serverless, &standing), str_of(cases[i].serverless)));
        assert_true(str_equal(steps->data_word(status), STR("variables")));
        assert_true(str_equal(serverless->data_word(status), str_of(cases[i].data)));
        struct instance_view view = view_of("serverless");
        view.status = status;
        view.error = error;
        const char *text = shown(&view, INSTANCE_WHOLE, 0);
        assert_has(text, arena_printf(&arena, "\"dialect\":\"serverless\",\"executionStatus\":\"%s\"",
                                      cases[i].serverless)
                             .p);
        if (error) assert_has(text, arena_printf(&arena, "\"error\":%s", cases[i].error).p);
    }
    assert_true(str_equal(dialect_node_name(steps, STR("n"), STR("t")), STR("n")));
    assert_true(str_equal(dialect_node_name(serverless, STR("n"), STR("t")), STR("t")));
}

/* ---- instances ---- */

static void an_instance_shows_only_what_is_set(void **state)
{
    static const struct {
        enum instance_style style;
        bool ended, failed, keyed;
        const char *want;
    } cases[] = {
        { INSTANCE_WHOLE, false, false, false, "plain" },
        { INSTANCE_WHOLE, true, true, true, "whole" },
        { INSTANCE_STARTED, true, true, true, "started" },
        { INSTANCE_STOPPED, true, true, true, "stopped" },
        { INSTANCE_STOPPED, true, false, false, "stopped without a reason" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct instance_view view = view_of("steps");
        if (cases[i].ended) view.ended_ms = 2000;
        if (cases[i].failed) view.failure = STR("why");
        if (cases[i].keyed) view.business_key = STR("k");
        assert_string_equal(shown(&view, cases[i].style, 0), document("dialect/view", cases[i].want));
    }
    struct id id;
    struct instance_view view = view_of("steps");
    assert_true(id_parse(str_slice(str_of(shown(&view, INSTANCE_WHOLE, 0)), 7, 7 + ID_CHARS), &id));
    assert_int_equal(id.instance, 7);
    assert_int_equal(id.ms, 1000);
}

static void an_instance_shows_its_data_mail_and_relatives(void **state)
{
    static const struct {
        const char *dialect, *data, *want;
    } cases[] = {
        { "steps", "{}", "steps with relatives" },
        { "serverless", "[1]", "workflow" }, /* Its variables are an object, its output anything. */
    };
    (void)state;
    const struct mail_view mail[] = {
        { .id = STR("e"), .source = STR("/s"), .type = STR("t"), .received_ms = 1000 },
        { .node = STR("s"), .data = value_of("{\"a\":1}"), .received_ms = 1000 },
    };
    const struct child_view child = { .id = 7,
                                      .created_ms = 1000,
                                      .definition_id = STR("c"),
                                      .definition_version = 1,
                                      .status = INSTANCE_FAILED,
                                      .awaited = true };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct instance_view view = view_of(cases[i].dialect);
        view.data = value_of(cases[i].data);
        view.status = INSTANCE_COMPLETED;
        view.correlation = STR("\"k\"");
        view.mail = mail;
        view.mail_count = COUNT(mail);
        view.parent = view.chained_from = 7;
        view.parent_created_ms = view.chained_from_created_ms = 1000;
        view.parent_node = STR("p");
        view.child = view.chained_to = &child;
        view.child_count = 1;
        view.child_total = 5;
        view.lingers = true;
        assert_string_equal(shown(&view, INSTANCE_WHOLE, 0), document("dialect/view", cases[i].want));
    }
}

static void data_that_does_not_fit_is_left_out_and_marked(void **state)
{
    static const struct {
        int64_t max;
        bool loaded, shown;
    } cases[] = {
        { 0, true, true },   { 1000, true, true },   { 100, true, false },
        { 0, false, false }, { 1000, false, false },
    };
    (void)state;
    struct instance_view view = view_of("serverless");
    view.status = INSTANCE_COMPLETED;
    view.data = value_of("{\"a\":\"0123456789\"}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        view.data_omitted = !cases[i].loaded;
        const char *text = shown(&view, INSTANCE_WHOLE, cases[i].max);
        assert_has(text, cases[i].shown ? "\"variables\":{\"a\":\"0123456789\"},\"startedAt\""
                                        : "\"variables\":{},\"variablesOmitted\":true,\"startedAt\"");
        assert_int_equal(strstr(text, "\"output\"") != NULL, cases[i].shown);
    }
}

/* ---- histories ---- */

static const char *shown_visit(const struct history_view *history, const struct execution *visit)
{
    struct buf out;
    buf_init(&out, &arena);
    history->instance->dialect->put_visit(&out, history, visit);
    buf_add_char(&out, '\0');
    return out.p;
}

static void a_visit_is_called_by_its_dialects_name(void **state)
{
    static const struct {
        const char *dialect, *want;
    } cases[] = { { "steps", "visit of a step" }, { "serverless", "visit of a state" } };
    (void)state;
    const struct execution visit = { .number = 5,
                                     .region = STR("b1"),
                                     .title = STR("State A"),
                                     .node_name = STR("a"),
                                     .type = STR("SERVICE_TASK"),
                                     .attempt = 1,
                                     .status = EXECUTION_COMPLETED,
                                     .started_ms = 1000,
                                     .warning = STR("odd"),
                                     .input = value_of("{\"a\":1}") };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct instance_view instance = view_of(cases[i].dialect);
        const struct history_view history = { .instance = &instance, .visit = &visit, .visit_count = 1 };
        assert_string_equal(shown_visit(&history, &visit), document("dialect/view", cases[i].want));
        /* With no room, both snapshots are left out. */
        const struct history_view narrow = { .instance = &instance, .bytes_max = 100 };
        assert_has(shown_visit(&narrow, &visit), "\"snapshotsOmitted\":true}");
    }
}

static void the_path_of_a_workflow_is_that_of_its_top_level(void **state)
{
    (void)state;
    const struct execution visit[] = { { .title = STR("A") },
                                       { .title = STR("in"), .scope = 2 },
                                       { .title = STR("B") } };
    struct instance_view instance = view_of("serverless");
    const struct history_view history = { .instance = &instance,
                                          .visit = visit,
                                          .visit_count = COUNT(visit) };
    struct buf out;
    buf_init(&out, &arena);
    instance.dialect->put_history_end(&out, &history);
    assert_true(str_equal(buf_str(&out), STR(",\"path\":[\"A\",\"B\"]")));
    assert_null(dialect_named(STR("steps"))->put_history_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        view_test(every_table_is_complete),
        view_test(an_unknown_dialect_shows_what_every_instance_has),
        view_test(a_body_tells_definitions_from_other_files),
        view_test(words_are_the_dialects_own_or_the_engines),
        view_test(an_instance_shows_only_what_is_set),
        view_test(an_instance_shows_its_data_mail_and_relatives),
        view_test(data_that_does_not_fit_is_left_out_and_marked),
        view_test(a_visit_is_called_by_its_dialects_name),
        view_test(the_path_of_a_workflow_is_that_of_its_top_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
