#include "base/limits.h"
#include "base/utf8.h"
#include "documents.h"
#include "program/problems.h"

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

static void texts_are_copied(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, &arena);
    char pointer[] = "/a", hint[] = "try b", word[] = "bad";
    problem_error(&problems, PROBLEM_BAD_VALUE, str_of(pointer), hint, "%s thing", word);
    memset(pointer, 'x', 2);
    memset(hint, 'x', 5);
    memset(word, 'x', 3);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.problem[0].pointer.p, "/a");
    assert_string_equal(problems.problem[0].hint.p, "try b");
    assert_string_equal(problems.problem[0].message.p, "bad thing");
}

static void beyond_the_limit_problems_are_counted(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, &arena);
    for (int i = 0; i < DEFINITION_PROBLEMS_MAX; i++)
        problem_error(&problems, PROBLEM_REQUIRED, STR(""), NULL, "number %d", i);
    assert_int_equal(problems.count, DEFINITION_PROBLEMS_MAX);
    problem_error(&problems, PROBLEM_REQUIRED, STR(""), NULL, "one more");
    problem_warning(&problems, PROBLEM_DEAD_END, STR(""), NULL, "and a warning");
    assert_int_equal(problems.count, DEFINITION_PROBLEMS_MAX);
    assert_int_equal(problems.error_count, DEFINITION_PROBLEMS_MAX + 1);
    assert_int_equal(problems.warning_count, 1);

    struct buf out;
    buf_init(&out, &arena);
    problems_print(&problems, STR("f"), &out);
    assert_true(str_ends(buf_str(&out), STR("f: and 2 more\n")));
}

static void an_error_displaces_a_warning_when_the_list_is_full(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, &arena);
    for (int i = 0; i < DEFINITION_PROBLEMS_MAX; i++)
        problem_warning(&problems, PROBLEM_DEAD_END, STR(""), NULL, "number %d", i);
    problem_error(&problems, PROBLEM_REQUIRED, STR(""), NULL, "important");
    assert_int_equal(problems.count, DEFINITION_PROBLEMS_MAX);
    assert_string_equal(problems.problem[DEFINITION_PROBLEMS_MAX - 1].message.p, "important");
    assert_string_equal(problems.problem[DEFINITION_PROBLEMS_MAX - 2].message.p, "number 98");
}

static void pointers_are_escaped_and_keep_every_byte(void **state)
{
    (void)state;
    str name = problem_pointer(&arena, STR("/a"), (str){ "b\0/~", 4 });
    assert_true(str_equal(name, (str){ "/a/b\0~1~0", 9 }));
    assert_true(str_equal(problem_pointer_index(&arena, name, 17), (str){ "/a/b\0~1~0/17", 12 }));
}

static void problems_are_shown_to_people_and_programs(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, &arena);
    problem_error(&problems, PROBLEM_UNRESOLVED, STR("/steps/0"), "did you mean \"b\"?", "no \"c\"");
    problem_warning(&problems, PROBLEM_DEAD_END, STR(""), NULL, "stops");
    problems.problem[0].line = 3;
    problems.problem[0].column = 7;

    struct buf out;
    buf_init(&out, &arena);
    problems_print(&problems, STR("f.json"), &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, "f.json:3:7: error: no \"c\" [UNRESOLVED] (/steps/0)\n"
                               "  hint: did you mean \"b\"?\n"
                               "f.json: warning: stops [DEAD_END]\n");

    out.n = 0;
    json_print(problems_json(&problems, &arena), &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, document("program/problem", "as JSON"));
}

static void quoted_texts_stay_on_one_line_and_short(void **state)
{
    (void)state;
    assert_string_equal(problem_quote(&arena, STR("a\"b\nc")), "\"a\\\"b\\nc\"");
    char text[1000];
    memset(text, 'a', sizeof text);
    memcpy(text + 319, "ä", 2); /* Across the cut. */
    const char *quoted = problem_quote(&arena, (str){ text, sizeof text });
    assert_int_equal(strlen(quoted), 319 + 2 + strlen("…"));
    assert_true(utf8_is_valid(str_of(quoted)));
}

static void warnings_are_left_out_where_only_errors_count(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, &arena);
    problems.errors_only = true;
    problem_warning(&problems, PROBLEM_DEAD_END, STR(""), NULL, "w");
    problem_error(&problems, PROBLEM_NO_END, STR(""), NULL, "e");
    problem_warning(&problems, PROBLEM_DEAD_END, STR(""), NULL, "w");
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.error_count, 1);
    assert_int_equal(problems.warning_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_copied, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(beyond_the_limit_problems_are_counted, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(an_error_displaces_a_warning_when_the_list_is_full, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(warnings_are_left_out_where_only_errors_count, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(pointers_are_escaped_and_keep_every_byte, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(problems_are_shown_to_people_and_programs, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(quoted_texts_stay_on_one_line_and_short, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
