#include "dialect/workflow.h"

#include "base/limits.h"

/* Texts that grow. */
static const char *times(struct arena *arena, size_t count, const char *text, const char *between)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t i = 0; i < count; i++) buf_printf(&out, "%s%s", i ? between : "", text);
    buf_add_char(&out, '\0');
    return out.p;
}

/* States A, s1, s2, … that lead from one to the next. */
static const char *chain(struct arena *arena, size_t count)
{
    struct buf out;
    buf_init(&out, arena);
    buf_printf(&out, "{'name':'W','startsAt':'s0','states':[");
    for (size_t i = 0; i + 1 < count; i++)
        buf_printf(&out, "{'name':'s%zu','type':'RELAY','transition':'s%zu'},", i, i + 1);
    buf_printf(&out, "{'name':'s%zu','type':'RELAY','end':true}]}", count - 1);
    buf_add_char(&out, '\0');
    return out.p;
}

static const char *nested(struct arena *arena, size_t depth)
{
    const char *states = RELAY("A");
    for (size_t i = 0; i < depth; i++)
        states =
            arena_printf(arena,
                         "{'name':'A','type':'PARALLEL','end':true,'branches':[{'name':'b','startsAt':'A',"
                         "'states':[%s]}]}",
                         states)
                .p;
    return arena_printf(arena, WORKFLOW("", "%s"), states).p;
}

static const char *with_actions(struct arena *arena, size_t count)
{
    return arena_printf(arena, FULL(OPERATION("'actions':[%s]")), times(arena, count, ACTION(""), ",")).p;
}

static const char *with_event_actions(struct arena *arena, size_t count)
{
    return arena_printf(arena,
                        WORKFLOW(",'triggers':[{'name':'t','source':'s','type':'y'}]",
                                 "{'name':'A','type':'EVENT',"
                                 "'end':true,'eventActions':[%s]}"),
                        times(arena, count, "{'condition':'t','actions':[]}", ","))
        .p;
}

static const char *with_tests(struct arena *arena, size_t count)
{
    return arena_printf(
               arena,
               FULL("{'name':'A','type':'SWITCH','choices':[{'and':[%s],'transition':'B'}],'default':'B'}"),
               times(arena, count - 1, "{'path':'$.a','operator':'Exists'}", ","))
        .p;
}

static const char *with_deep_test(struct arena *arena, size_t depth)
{
    const char *test = "'path':'$.a','operator':'Exists'";
    for (size_t i = 0; i < depth; i++) test = arena_printf(arena, "'not':{%s}", test).p;
    return arena_printf(arena,
                        FULL("{'name':'A','type':'SWITCH','choices':[{%s,'transition':'B'}],'default':'B'}"),
                        test)
        .p;
}

static const char *with_deep_parameters(struct arena *arena, size_t depth)
{
    return arena_printf(
               arena,
               FULL(OPERATION("'actions':[{'functionref':{'refname':'f','parameters':{'a':%s'$.x'%s}}}]")),
               times(arena, depth - 1, "[", ""), times(arena, depth - 1, "]", ""))
        .p;
}

static const char *with_name(struct arena *arena, size_t bytes)
{
    const char *name = times(arena, bytes, "n", "");
    return arena_printf(arena,
                        "{'name':'W','startsAt':'%s','states':[{'name':'%s','type':'RELAY','end':true}]}",
                        name, name)
        .p;
}

static const char *with_id(struct arena *arena, size_t bytes)
{
    return arena_printf(arena, "{'id':'%s','name':'W','startsAt':'A','states':[" RELAY("A") "]}",
                        times(arena, bytes, "n", ""))
        .p;
}

static void limits_hold_at_the_limit_and_not_beyond(void **state)
{
    static const struct {
        const char *(*document)(struct arena *arena, size_t size);
        size_t limit;
        const char *pointer;
    } cases[] = {
        { chain, DEFINITION_STEPS_MAX, "/states" },
        { nested, 16, NULL },
        { with_actions, 4000, "/states/0/actions" },
        { with_event_actions, 2000, "/states/0/eventActions" },
        { with_tests, 500, "/states/0/choices/0" },
        { with_deep_test, 16, NULL },
        { with_deep_parameters, 32, "/states/0/actions/0/functionref/parameters" },
        { with_name, NODE_NAME_BYTES_MAX, "/states/0/name" },
        { with_id, DEFINITION_ID_BYTES_MAX, "/id" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(&result, cases[i].document(&arena, cases[i].limit));
        if (result.problems.count) fail_msg("case %zu: %s", i, read_problems(&result));
        read_done(&result);
        read_workflow(&result, cases[i].document(&arena, cases[i].limit + 1));
        assert_int_equal(result.problems.error_count, 1);
        assert_int_equal(result.problems.problem[0].code, PROBLEM_TOO_LARGE);
        if (cases[i].pointer)
            assert_true(str_equal(result.problems.problem[0].pointer, str_of(cases[i].pointer)));
        read_done(&result);
        arena_done(&arena);
    }
}

/* ---- every value replaced by every other ---- */

/* Copies a value with the n-th one inside replaced; counts on through *at. */
static void copy_with(struct json_builder *builder, const struct json *value, const struct json *other,
                      size_t n, size_t *at)
{
    if ((*at)++ == n) {
        json_add(builder, other);
        return;
    }
    bool object = json_is(value, JSON_OBJECT);
    if (!object && !json_is(value, JSON_ARRAY)) {
        json_add(builder, value);
        return;
    }
    if (object) json_open_object(builder);
    else json_open_array(builder);
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        if (object) json_add_name(builder, each.name);
        copy_with(builder, each.value, other, n, at);
    }
    json_close(builder);
}

/* A value of an unexpected type never does more than earn a problem, and never goes unnoticed where
 * something is needed. The sanitizers look on. */
static void any_value_may_be_anything(void **state)
{
    static const char *const others[] = { "null", "true", "-1",   "'x'",  "''",
                                          "[]",   "{}",   "[[]]", "[{}]", "{'a':{}}" };
    (void)state;
    struct read_result result;
    read_workflow(&result, document("dialect/serverless_limits", "rich"));
    assert_string_equal(read_problems(&result),
                        "W IGNORED /states/0/eventActions/0/filter/outputPath, "
                        "W UNUSUAL /states/0/eventActions/0/actions/0/filter/resultPath");
    read_done(&result);

    struct arena arena;
    arena_init(&arena, 0);
    const struct json *rich = document_value("dialect/serverless_limits", "rich");
    struct json_builder whole;
    json_builder_init(&whole, &arena);
    size_t count = 0;
    copy_with(&whole, rich, NULL, SIZE_MAX, &count);
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct json *other;
        assert_int_equal(json_parse(compile_unquote(&arena, others[i]), NULL, &arena, &other, NULL), ST_OK);
        for (size_t n = 1; n < count; n++) { /* The document itself is always an object. */
            arena_init(&result.arena, 0);
            arena_init(&result.program, 0);
            struct json_builder builder;
            json_builder_init(&builder, &result.arena);
            size_t at = 0;
            copy_with(&builder, rich, other, n, &at);
            read_json(&result, json_built(&builder));
            read_done(&result);
        }
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_hold_at_the_limit_and_not_beyond),
        cmocka_unit_test(any_value_may_be_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
