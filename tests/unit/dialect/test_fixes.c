/* Repairs: their parts. tests/api/test_checks.py applies each of them. */
#include "dialect/compile.h"
#include "dialect/fix/fixes.h"
#include "dialect/fix/fixing.h"

#include "base/utf8.h"

static void pointers_come_apart(void **state)
{
    static const struct {
        const char *pointer, *parent, *last;
    } cases[] = {
        { "/a/b", "/a", "b" }, { "/a", "", "a" }, { "", "", "" }, { "/x~1y/~0~01", "/x~1y", "~~1" },
        { "/a/", "/a", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        arena_init(&arena, 0);
        assert_true(str_equal(fixing_parent(str_of(cases[i].pointer)), str_of(cases[i].parent)));
        assert_true(str_equal(fixing_last(str_of(cases[i].pointer), &arena), str_of(cases[i].last)));
        arena_done(&arena);
    }
}

static void hints_say_what_was_meant(void **state)
{
    static const struct {
        const char *hint, *meant;
    } cases[] = {
        { "did you mean \"end\"?", "end" },
        { "did you mean \"a\\\"b\"?", "a\"b" },
        { "did you mean \"\\ud83d\"?", "" }, /* No text. */
        { "did you mean ", "" },
        { "", "" },
        { "write \"in\"", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct fixing fixing;
        arena_init(&arena, 0);
        const struct problem problem = { .hint = str_of(cases[i].hint) };
        fixing_init(&fixing, json_empty_object(), &problem, &arena);
        assert_true(str_equal(fixing_meant(&fixing), str_of(cases[i].meant)));
        assert_null(fixing_done(&fixing)); /* Nothing was added. */
        arena_done(&arena);
    }
}

static void long_names_are_cut_in_labels(void **state)
{
    (void)state;
    struct arena arena;
    struct fixing fixing;
    const struct problem problem = { 0 };
    char name[1000];
    arena_init(&arena, 0);
    for (size_t i = 0; i + 2 < sizeof name; i += 2) memcpy(&name[i], "é", 3); /* Cut between characters. */
    fixing_init(&fixing, json_empty_object(), &problem, &arena);
    fixing_label(&fixing, "Remove %s", name);
    fixing_remove(&fixing, STR("/a"));
    const struct json *fix = fixing_done(&fixing);
    assert_non_null(fix);
    str label = json_string(json_get(fix, STR("label")));
    assert_true(label.n < 200 && label.n > 100 && utf8_is_valid(label));
    assert_int_equal(json_count(json_get(fix, STR("patch"))), 1);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_come_apart),
        cmocka_unit_test(hints_say_what_was_meant),
        cmocka_unit_test(long_names_are_cut_in_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
