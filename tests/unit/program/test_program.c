#include "program/graph.h"

static void nodes_are_found_by_name(void **state)
{
    (void)state;
    struct program *program = graph("task b: a; task a: c; task aa: c; end c; end z");
    assert_int_equal(program_find(program, STR("a")), 1);
    assert_int_equal(program_find(program, STR("aa")), 2);
    assert_int_equal(program_find(program, STR("b")), 0);
    assert_int_equal(program_find(program, STR("c")), 3);
    assert_int_equal(program_find(program, STR("z")), 4);
    assert_int_equal(program_find(program, STR("")), NODE_NONE);
    assert_int_equal(program_find(program, STR("ab")), NODE_NONE);
    assert_int_equal(program_find(program, STR("zz")), NODE_NONE);
    program_unref(program);
}

static void of_two_nodes_with_one_name_the_first_is_found(void **state)
{
    (void)state;
    struct program *program = graph("task x: y; end y; end m; end y; end y");
    assert_int_equal(program_find(program, STR("y")), 1);
    program_unref(program);
}

static void a_program_lives_until_its_last_reference_goes(void **state)
{
    (void)state;
    struct program *program = graph("end e");
    assert_ptr_equal(program_ref(program), program);
    program_unref(program);
    assert_int_equal(program_find(program, STR("e")), 0);
    program_unref(program);
    program_unref(NULL);
}

static void a_program_takes_what_was_asked_for_and_a_little(void **state)
{
    static const size_t sizes[] = { 0, 100, 10000 };
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct program *program = program_new(sizes[i]);
        size_t bytes = program_bytes(program);
        assert_in_range(bytes, sizeof *program + sizes[i], sizeof *program + sizes[i] + 64);
        arena_alloc(program_arena(program), sizes[i]);
        assert_in_range(program_bytes(program), bytes, bytes + 300);
        program_unref(program);
    }
}

static void retry_delays_grow_until_the_cap(void **state)
{
    static const struct {
        struct program_delay delay;
        uint32_t retry;
        int64_t want_ms;
    } cases[] = {
        { { .first_ms = 0, .factor = 2, .max_ms = 60000 }, 5, 0 }, /* No delay was asked for. */
        { { .first_ms = 1000, .factor = 2, .max_ms = 60000 }, 1, 1000 },
        { { .first_ms = 1000, .factor = 2, .max_ms = 60000 }, 2, 2000 },
        { { .first_ms = 1000, .factor = 2, .max_ms = 60000 }, 6, 32000 },
        { { .first_ms = 1000, .factor = 2, .max_ms = 60000 }, 7, 60000 }, /* 64000, capped. */
        { { .first_ms = 1000, .factor = 2, .max_ms = 60000 },
          UINT32_MAX,
          60000 }, /* Must not overflow, nor take long. */
        { { .first_ms = 1000, .factor = 1.5, .max_ms = 60000 }, 3, 2250 },
        { { .first_ms = 1000, .factor = 1, .max_ms = 60000 }, UINT32_MAX, 1000 },
        { { .first_ms = 90000, .factor = 2, .max_ms = 60000 }, 1, 60000 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(program_delay_ms(&cases[i].delay, cases[i].retry), cases[i].want_ms);
}

static void fields_are_checked_by_type_and_presence(void **state)
{
    static const struct program_field field[] = {
        { { "s", 1 }, FIELD_STRING, true },   { { "n", 1 }, FIELD_NUMBER, false },
        { { "i", 1 }, FIELD_INTEGER, false }, { { "b", 1 }, FIELD_BOOLEAN, false },
        { { "any", 3 }, FIELD_ANY, true },
    };
    static const struct program_fields fields = { .field = field, .count = COUNT(field) };
    static const struct {
        const char *object;
        const char *message; /* NULL: fine. */
    } cases[] = {
        { "{\"s\":\"\",\"any\":null}", NULL },
        { "{\"s\":\"x\",\"n\":1.5,\"i\":3,\"b\":false,\"any\":[],\"more\":{}}", NULL },
        { "{\"s\":\"x\",\"any\":1,\"i\":2.0}", NULL },
        { "{\"s\":\"x\",\"any\":1,\"i\":12345678901234567890}", NULL }, /* An integer, if a long one. */
        { "{\"any\":1}", "\"s\" is required" },
        { "{\"s\":\"x\"}", "\"any\" is required" },
        { "{\"s\":1,\"any\":1}", "\"s\" must be a string and is a number" },
        { "{\"s\":null,\"any\":1}", "\"s\" must be a string and is null" },
        { "{\"s\":\"x\",\"any\":1,\"n\":\"1\"}", "\"n\" must be a number and is a string" },
        { "{\"s\":\"x\",\"any\":1,\"i\":1.5}", "\"i\" must be an integer and is a number with a fraction" },
        { "{\"s\":\"x\",\"any\":1,\"b\":[]}", "\"b\" must be a boolean and is an array" },
    };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json_limits limits = { 1000, 10 };
        const struct json *object;
        assert_int_equal(json_parse(str_of(cases[i].object), &limits, &arena, &object, NULL), ST_OK);
        struct error err = { 0 };
        enum status status = program_fields_check(&fields, object, &err);
        assert_int_equal(status, cases[i].message ? ST_INVALID : ST_OK);
        if (cases[i].message) assert_string_equal(err.message, cases[i].message);
    }
    arena_done(&arena);
}

static void kinds_and_policies_have_words(void **state)
{
    (void)state;
    assert_string_equal(program_kind_word(NODE_TASK), "task");
    assert_string_equal(program_kind_word(NODE_END), "end");
    assert_true(program_kind_waits(NODE_WAIT));
    assert_true(program_kind_waits(NODE_JOIN));
    assert_false(program_kind_waits(NODE_CHOOSE));
    assert_string_equal(program_policy_code(HIT_UNIQUE), "U");
    assert_string_equal(program_policy_code(HIT_MINIMUM), "C<");
}

static void a_program_prints_as_text(void **state)
{
    (void)state;
    struct program *program = graph("task a: b @90c; choose b: c?x>1 d; end c; end d");
    struct buf out;
    buf_init(&out, NULL);
    program_print(program, &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, "program graph\n"
                               "  dialect  test\n"
                               "  title    Graph\n"
                               "  priority 5\n"
                               "  nodes    4\n"
                               "  start    0 a\n"
                               "\n"
                               "   0 a: task (task) \"a\"\n"
                               "     job , result merged shallowly\n"
                               "     after PT1M30S → 2 c\n"
                               "     → 1 b\n"
                               "\n"
                               "   1 b: choose (choose) \"b\"\n"
                               "     when x>1 → 2 c\n"
                               "     → 3 d\n"
                               "\n"
                               "   2 c: end (end) \"c\"\n"
                               "\n"
                               "   3 d: end (end) \"d\"\n");
    buf_done(&out);
    program_unref(program);
}

static void an_assignment_sees_what_its_text_mentions(void **state)
{
    static const struct {
        const char *name, *text;
        uint32_t sees;
    } cases[] = {
        { "a", "1", 0 },         { "b", "a + 1", 1 },
        { "c", "aa + b_", 0 },                         /* Words, not parts of words. */
        { "a", "b.a", 2 },       { "e", "[c, a]", 4 }, /* The later of two with one name. */
        { "f", "e + f", 5 },                           /* Not itself, nor a later one. */
        { "g", "len($env)", 6 }, { "h", "'x' + \"y\"", 0 },
        { "i", "#h", 8 },
    };
    struct arena arena;
    struct program_value value[COUNT(cases)];
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        value[i] = (struct program_value){ .name = str_of(cases[i].name) };
        assert_int_equal(expr_compile(str_of(cases[i].text), &arena, &value[i].expr, NULL), ST_OK);
    }
    program_link_values(value, COUNT(cases), &arena);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (value[i].sees != cases[i].sees) fail_msg("%s sees %u", cases[i].text, value[i].sees);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_found_by_name),
        cmocka_unit_test(of_two_nodes_with_one_name_the_first_is_found),
        cmocka_unit_test(a_program_lives_until_its_last_reference_goes),
        cmocka_unit_test(a_program_takes_what_was_asked_for_and_a_little),
        cmocka_unit_test(retry_delays_grow_until_the_cap),
        cmocka_unit_test(fields_are_checked_by_type_and_presence),
        cmocka_unit_test(kinds_and_policies_have_words),
        cmocka_unit_test(an_assignment_sees_what_its_text_mentions),
        cmocka_unit_test(a_program_prints_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
