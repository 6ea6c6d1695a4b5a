/* Which format a text is, where its parts are, and what compiling says about them. */
#include "source_test.h"

static void a_text_of_any_format_is_json_or_an_object_in_yaml(void **state)
{
    static const struct outcome_case cases[] = {
        { "{\"a\":1}", "{\"a\":1}" },
        { " \r\n\t[1]", "[1]" },
        { "a: 1", "{\"a\":1}" },
        { "# remark\na: 1", "{\"a\":1}" },
        { "---\n{a: 1}", "{\"a\":1}" },
        { "\xef\xbb\xbf"
          "a: 1",
          "{\"a\":1}" },
        { "12", "12" },
        { "true", "true" },
        /* Whoever begins like JSON means it. */
        { "{a: 1}", "1:2: expected a name" },
        { "\xef\xbb\xbf{}", "1:1: expected a value" },
        /* No object, so no YAML. */
        { "", "1:1: expected a value" },
        { "not json", "1:1: expected a value" },
        { "'a", "1:1: expected a value" },
        /* A first line that looks like YAML is. */
        { "- a", "[\"a\"]" },
        { "---\n\tid: x",
          "2:1: found character that cannot start any token while scanning for the next token" },
        { "# remark\n\nname: \xff", "3:7: not UTF-8" },
        { "a: [", "1:5: did not find expected node content while parsing a flow node" },
        { "a: 1\na: 2", "2:1: duplicate name \"a\", first at line 1 column 1" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_ANY);
}

static void json_is_strict_when_it_is_asked_for(void **state)
{
    static const struct outcome_case cases[] = {
        { "{\"a\":1}", "{\"a\":1}" },
        { "a: 1", "1:1: expected a value" },
        { "{\"a\":1} x", "1:9: expected the end of the text" },
    };
    (void)state;
    check_outcomes(cases, COUNT(cases), SOURCE_JSON);
}

static void text_behind_json_may_be_allowed(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    const struct source_limits limits = { .rest_allowed = true };
    assert_string_equal(outcome(STR("{\"a\":1} x"), SOURCE_ANY, &limits, &arena), "{\"a\":1}");
    assert_string_equal(outcome(STR("a: 1\n--- x"), SOURCE_ANY, &limits, &arena),
                        "2:1: a second document starts here; there can be only one");
    arena_done(&arena);
}

static void a_failure_says_as_what_the_text_was_read(void **state)
{
    static const struct {
        const char *text;
        enum source_format format;
        bool yaml;
    } cases[] = {
        { "a: [", SOURCE_ANY, true },
        { "a", SOURCE_ANY, false },
        { "{", SOURCE_ANY, false },
        { "{", SOURCE_YAML, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct source source;
        arena_init(&arena, 0);
        assert_int_not_equal(
            source_parse(str_of(cases[i].text), cases[i].format, NULL, &arena, &source, NULL), ST_OK);
        assert_int_equal(source.yaml, cases[i].yaml);
        arena_done(&arena);
    }
}

static void names_of_files_tell_their_format(void **state)
{
    (void)state;
    assert_int_equal(source_format_of(STR("a.yaml")), SOURCE_YAML);
    assert_int_equal(source_format_of(STR("x/a.yml")), SOURCE_YAML);
    assert_int_equal(source_format_of(STR("a.json")), SOURCE_ANY);
    assert_int_equal(source_format_of(STR("-")), SOURCE_ANY);
    assert_int_equal(source_format_of(STR("yaml")), SOURCE_ANY);
}

static void pointers_lead_to_places(void **state)
{
    static const char json[] =
        "{\n \"a\": [1,\n  {\"x/y\": 2, \"~\": 3}],\n \"\": \"gr\xc3\xbcn\", \"c\": 4}";
    static const char yaml[] =
        "a:\n  - 1\n  - x/y: 2\n    ~: &n {b: c}\n'': gr\xc3\xbcn\nc: *n\nd: {\xc3\xa4: 5, e: 6}\n";
    static const struct {
        const char *text;
        const char *pointer;
        uint32_t line, column;
    } cases[] = {
        { json, "", 1, 1 },           { json, "/a", 2, 7 },         { json, "/a/1/x~1y", 3, 11 },
        { json, "/a/1/~0", 3, 19 },   { json, "/c", 4, 19 },        { json, "/a/1/missing/deeper", 3, 3 },
        { json, "/missing", 1, 1 },   { yaml, "", 1, 1 },           { yaml, "/a", 2, 3 },
        { yaml, "/a/0", 2, 5 },       { yaml, "/a/1", 3, 5 },       { yaml, "/a/1/x~1y", 3, 10 },
        { yaml, "/a/1/~0", 4, 8 },    { yaml, "/a/1/~0/b", 4, 15 }, { yaml, "/", 5, 5 },
        { yaml, "/c", 6, 4 },    /* The alias itself, … */
        { yaml, "/c/b", 4, 15 }, /* … and what it repeats. */
        { yaml, "/d/e", 7, 14 },      { yaml, "/a/2", 2, 3 },       { yaml, "/a/01", 2, 3 },
        { yaml, "/a/+1", 2, 3 },      { yaml, "/a/-1", 2, 3 },      { yaml, "/a/1/missing/deeper", 3, 5 },
        { yaml, "/c/missing", 6, 4 }, { yaml, "/d/e/f", 7, 14 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct source source;
        struct error err;
        uint32_t line = 0, column = 0;
        arena_init(&arena, 0);
        assert_int_equal(source_parse(str_of(cases[i].text), SOURCE_ANY, NULL, &arena, &source, &err), ST_OK);
        assert_true(source_locate(&source, str_of(cases[i].pointer), &line, &column));
        if (line != cases[i].line || column != cases[i].column)
            fail_msg("%s: %u:%u", cases[i].pointer, line, column);
        assert_false(source_locate(&source, STR("a"), &line, &column));
        arena_done(&arena);
    }
}

/* ---- compiling ---- */

#define YAML_DEFINITION                                                   \
    "id: d\n"                                                             \
    "name: D\n"                                                           \
    "steps:\n"                                                            \
    "  - {id: a, name: A, type: SERVICE_TASK, jobType: j, nextStep: e}\n" \
    "  - id: e\n"                                                         \
    "    name: E\n"                                                       \
    "    type: END\n"

static void both_formats_give_the_same_document(void **state)
{
    static const char *const texts[] = {
        YAML_DEFINITION,
        "{\"id\":\"d\",\"name\":\"D\",\"steps\":[{\"id\":\"a\",\"name\":\"A\",\"type\":\"SERVICE_TASK\","
        "\"jobType\":\"j\","
        "\"nextStep\":\"e\"},{\"id\":\"e\",\"name\":\"E\",\"type\":\"END\"}]} and more",
    };
    struct arena arena;
    const struct json *document[COUNT(texts)];
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct problems problems;
        problems_init(&problems, &arena);
        struct program *program =
            source_compile(str_of(texts[i]), SOURCE_ANY, 1 << 20, &problems, &document[i]);
        assert_non_null(program);
        assert_int_equal(problems.count, 0);
        program_unref(program);
    }
    assert_true(json_equal(document[0], document[1]));
    arena_done(&arena);
}

static void problems_have_places_in_both_formats(void **state)
{
    static const struct {
        const char *text;
        enum source_format format;
        const char *want;
    } cases[] = {
        { "id: d\nname: D\nsteps:\n  - id: a\n    name: A\n    type: SERVICE_TASK\n    jobType: j\n    "
          "nextStep: nowhere\n",
          SOURCE_ANY, "8:15 UNRESOLVED" },
        { "{\"id\":\"d\",\"name\":\"D\",\"steps\":[\n{\"id\":\"a\",\"name\":\"A\",\"type\":\"SERVICE_TASK\","
          "\"jobType\":\"j\",\n"
          "\"nextStep\":\"nowhere\"}]}",
          SOURCE_ANY, "3:12 UNRESOLVED" },
        { "id: [", SOURCE_ANY, "1:6 SYNTAX" },
        { "{", SOURCE_ANY, "1:2 SYNTAX" },
        { "- 1", SOURCE_YAML, "1:1 UNKNOWN_DIALECT" },
        { "[1]", SOURCE_JSON, "1:1 UNKNOWN_DIALECT" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct problems problems;
        const struct json *document = json_null();
        arena_init(&arena, 0);
        problems_init(&problems, &arena);
        assert_null(source_compile(str_of(cases[i].text), cases[i].format, 0, &problems, &document));
        assert_null(document);
        assert_true(problems.error_count > 0);
        const struct problem *problem = &problems.problem[0];
        assert_string_equal(
            arena_printf(&arena, "%u:%u %s", problem->line, problem->column, problem_code_name(problem->code))
                .p,
            cases[i].want);
        arena_done(&arena);
    }
}

static void refusals_name_the_format(void **state)
{
    static const struct {
        const char *text;
        size_t bytes_max;
        enum problem_code code;
        const char *want;
    } cases[] = {
        { "a: [", 0, PROBLEM_SYNTAX,
          "parse error: parse: yaml: did not find expected node content while parsing a flow node at line 1 "
          "column 5" },
        { "a", 0, PROBLEM_SYNTAX, "parse error: parse: json: expected a value at line 1 column 1" },
        { "a: b", 3, PROBLEM_TOO_LARGE,
          "parse error: parse: yaml: 4 bytes of YAML; the most is 3 (body_bytes_max)" },
        { "1234", 3, PROBLEM_TOO_LARGE,
          "parse error: parse: json: 4 bytes of JSON; the most is 3 (body_bytes_max)" },
        { "- a", 0, PROBLEM_UNKNOWN_DIALECT,
          "parse error: parse: yaml: a definition is an object, not array" },
        { "id: a\nname: 1\nsteps: []", 0, PROBLEM_WRONG_TYPE,
          "parse error: parse: yaml: field \"name\" must be a string, not a number (at /name)" },
        { "id: a\nnam: b\nsteps: []", 0, PROBLEM_UNKNOWN_FIELD,
          "parse error: parse: yaml: unknown field \"nam\"" },
        { "{\"id\":\"a\",\"nam\":1,\"steps\":[]}", 0, PROBLEM_UNKNOWN_FIELD,
          "parse error: parse: json: unknown field \"nam\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct problems problems;
        arena_init(&arena, 0);
        problems_init(&problems, &arena);
        assert_null(source_compile(str_of(cases[i].text), SOURCE_ANY, cases[i].bytes_max, &problems, NULL));
        assert_int_equal(problems.problem[0].code, cases[i].code);
        assert_string_equal(arena_str(&arena, dialect_refusal(&problems, &arena)).p, cases[i].want);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_of_any_format_is_json_or_an_object_in_yaml),
        cmocka_unit_test(json_is_strict_when_it_is_asked_for),
        cmocka_unit_test(text_behind_json_may_be_allowed),
        cmocka_unit_test(a_failure_says_as_what_the_text_was_read),
        cmocka_unit_test(names_of_files_tell_their_format),
        cmocka_unit_test(pointers_lead_to_places),
        cmocka_unit_test(both_formats_give_the_same_document),
        cmocka_unit_test(problems_have_places_in_both_formats),
        cmocka_unit_test(refusals_name_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
