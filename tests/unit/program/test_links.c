#include "program/graph.h"

/* A program with an id; nodes called "c…" start the child of the same name, and an END the next one. */
static struct program *family_program(const char *id, const char *next, const char *description)
{
    struct program *program = graph(description);
    program->id = str_of(id);
    program->next_definition = str_of(next);
    struct program_node *node = (struct program_node *)(uintptr_t)program->node;
    for (size_t i = 0; i < program->node_count; i++) {
        if (node[i].kind == NODE_END) node[i].as.end.chain = true;
        if (node[i].kind != NODE_TASK || !str_starts(node[i].name, STR("c_"))) continue;
        node[i].as.task.performer = PERFORM_CHILD;
        node[i].as.task.job_type = str_slice(node[i].name, 2, node[i].name.n);
    }
    return program;
}

static const char *codes_of(const struct problems *problems)
{
    struct buf out;
    buf_init(&out, problems->arena);
    for (size_t i = 0; i < problems->count; i++)
        buf_printf(&out, "%s%s", i ? ", " : "", problem_code_name(problems->problem[i].code));
    buf_add_char(&out, '\0');
    return out.p;
}

static void a_definition_that_starts_itself_before_anything_waits_is_told(void **state)
{
    static const struct {
        const char *next, *description, *want, *message;
    } cases[] = {
        { "d", "set a: e; end e", "STARTS_ITSELF",
          "node \"e\" (end): the definition starts itself before anything waits: a → e" },
        { "d", "task a: e; end e", "", NULL },
        { "other", "set a: e; end e", "", NULL },
        { "", "choose a: c_d?x e; task c_d: e; end e", "STARTS_ITSELF",
          "node \"c_d\" (task): the definition starts itself before anything waits: a → c_d" },
        { "", "wait a: c_d; task c_d: e; end e", "", NULL },
        { "", "fork f/j: c_d b; task c_d: j; wait b: j; join j: e; end e", "STARTS_ITSELF", NULL },
        /* Only a timer leads there. */
        { "", "wait a: e @!60c_d; task c_d: e; end e", "", NULL },
        /* Behind a child that is awaited. */
        { "d", "task c_x: e; end e", "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct problems problems;
        arena_init(&arena, 0);
        problems_init(&problems, &arena);
        struct program *program = family_program("d", cases[i].next, cases[i].description);
        program_check(program, &problems);
        assert_string_equal(codes_of(&problems), cases[i].want);
        if (cases[i].message) assert_string_equal(problems.problem[0].message.p, cases[i].message);
        program_unref(program);
        arena_done(&arena);
    }
}

static void definitions_that_are_given_together_know_each_other(void **state)
{
    struct arena arena;
    struct problems problems[5];
    struct problems *list[COUNT(problems)];
    (void)state;
    arena_init(&arena, 0);
    const struct program *program[] = {
        family_program("a", "b", "set s: e; end e"),
        family_program("b", "", "set s: c_c; task c_c: e; end e"),
        family_program("c", "a", "choose s: e?x w; wait w: e; end e"),
        NULL, /* One that did not compile. */
        family_program("d", "ghost", "task c_a: c_ghost; task c_ghost: e; end e"),
    };
    for (size_t i = 0; i < COUNT(problems); i++) {
        problems_init(&problems[i], &arena);
        list[i] = &problems[i];
    }
    program_check_family(program, list, COUNT(program), &arena);
    assert_string_equal(codes_of(&problems[0]), "STARTS_ITSELF");
    assert_string_equal(problems[0].problem[0].message.p,
                        "definitions start each other in a circle before anything waits: a → b → c → a");
    assert_string_equal(codes_of(&problems[1]), "STARTS_ITSELF");
    assert_string_equal(codes_of(&problems[2]), "STARTS_ITSELF");
    assert_string_equal(codes_of(&problems[3]), "");
    assert_string_equal(codes_of(&problems[4]), "UNKNOWN_DEFINITION"); /* Once, though two lead to it. */
    assert_string_equal(
        problems[4].problem[0].message.p,
        "node \"c_ghost\" (task): it starts \"ghost\", and no definition that was given has that id");
    for (size_t i = 0; i < COUNT(program); i++) program_unref((struct program *)(uintptr_t)program[i]);
    arena_done(&arena);
}

static void only_the_first_one_is_told_of_a_circle(void **state)
{
    struct arena arena;
    struct problems problems;
    (void)state;
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    const struct program *program[] = {
        family_program("m", "", "set s: c_a; task c_a: e; end e"),
        family_program("a", "m", "set s: e; end e"),
        family_program("b", "a", "set s: e; end e"), /* It leads into the circle and is no part of it. */
    };
    program_check_circle(program, COUNT(program), &problems, &arena);
    assert_string_equal(codes_of(&problems), "STARTS_ITSELF");
    assert_string_equal(problems.problem[0].message.p,
                        "definitions start each other in a circle before anything waits: m → a → m");
    problems_init(&problems, &arena);
    program_check_circle(program + 2, 1, &problems, &arena);
    assert_string_equal(codes_of(&problems), "");
    for (size_t i = 0; i < COUNT(program); i++) program_unref((struct program *)(uintptr_t)program[i]);
    arena_done(&arena);
}

static void versions_are_links_of_their_own(void **state)
{
    struct arena arena;
    struct problems problems;
    struct program_link *link;
    (void)state;
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    struct program *program = family_program("m", "", "task c_a: c_b; task c_b: c_c; task c_c: e; end e");
    struct program_node *node = (struct program_node *)(uintptr_t)program->node;
    for (size_t i = 0; i < 3; i++) node[i].as.task.job_type = STR("kid");
    node[1].as.task.definition_version = 7;
    assert_int_equal(program_links(program, &arena, &link), 2); /* The third one is the first one again. */
    assert_int_equal(link[0].version, 0);
    assert_int_equal(link[1].version, 7);
    program_unknown_version(program, &link[1], &problems);
    assert_int_equal(problems.error_count, 1);
    assert_string_equal(problems.problem[0].message.p,
                        "node \"c_b\" (task): it starts version 7 of \"kid\", which has no such version");
    node[2].as.task.job_type = STR_NONE; /* Data says which. */
    assert_int_equal(program_links(program, &arena, &link), 2);
    program_unref(program);
    arena_done(&arena);
}

static void a_version_is_a_number_or_the_latest(void **state)
{
    static const struct {
        const char *value;
        bool fits;
        int32_t want;
    } cases[] = {
        { "null", true, 0 },  { "\"latest\"", true, 0 },
        { "1", true, 1 },     { "2147483647", true, INT32_MAX },
        { "0", false, 0 },    { "2147483648", false, 0 },
        { "1.5", false, 0 },  { "\"1\"", false, 0 },
        { "true", false, 0 },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *value;
        int32_t version = -1;
        assert_int_equal(json_parse(str_of(cases[i].value), NULL, &arena, &value, NULL), ST_OK);
        assert_int_equal(program_version_of(value, &version), cases[i].fits);
        if (cases[i].fits) assert_int_equal(version, cases[i].want);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_definition_that_starts_itself_before_anything_waits_is_told),
        cmocka_unit_test(definitions_that_are_given_together_know_each_other),
        cmocka_unit_test(only_the_first_one_is_told_of_a_circle),
        cmocka_unit_test(versions_are_links_of_their_own),
        cmocka_unit_test(a_version_is_a_number_or_the_latest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
