#include "access/permit/scope.h"

#include "access_test.h"

static void stars_stand_for_any_text(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool want;
    } cases[] = {
        { "reserve-*", "reserve-stock", true },
        { "reserve-*", "reserve-", true },
        { "reserve-*", "reserve", false },
        { "reserve-*", "xreserve-stock", false },
        { "reserve", "reserve", true },
        { "reserve", "reserved", false },
        { "SHOP::*", "SHOP::order", true },
        { "*", "", true },
        { "*", "anything", true },
        { "**", "a", true },
        { "a*a", "a", false }, /* The two ends may not share a letter. */
        { "a*a", "aa", true },
        { "*b*", "abc", true },
        { "*b*", "ac", false },
        { "a*b*c", "a-b-b-c", true },
        { "a*bc*bc", "abcbc", true },
        { "a*bc*bc", "abc", false },
        { "*ab*ab*", "abab", true },
        { "*ab*ab*", "aab", false },
        { "?", "x", false }, /* Nothing but the star is special. */
        { "[a]", "a", false },
        { "", "", true },
        { "", "a", false },
        { "reserve-*", "RESERVE-x", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (scope_matches(str_of(cases[i].pattern), str_of(cases[i].text)) != cases[i].want)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
}

/* A matcher that tries every place for every star takes longer than the universe lasts for this. */
static void many_stars_end_soon(void **state)
{
    enum { PATTERN = 1 << 12, TEXT = 1 << 16 };
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *pattern = arena_alloc(&arena, PATTERN), *text = arena_alloc(&arena, TEXT);
    for (size_t i = 0; i < PATTERN; i++) pattern[i] = i % 2 ? '*' : 'a';
    pattern[PATTERN - 2] = 'b';
    memset(text, 'a', TEXT);
    assert_false(scope_matches((str){ pattern, PATTERN }, (str){ text, TEXT }));
    memset(pattern, 'a', PATTERN);
    pattern[0] = pattern[PATTERN - 1] = '*';
    pattern[PATTERN - 2] = 'b';
    assert_false(scope_matches((str){ pattern, PATTERN }, (str){ text, TEXT }));
    arena_done(&arena);
}

static void a_scope_is_a_permission_and_a_pattern(void **state)
{
    struct access_scope scope;
    struct error err;
    (void)state;
    assert_int_equal(scope_parse(STR("definitions:write:SHOP::*"), &scope, &err), ST_OK);
    assert_int_equal(scope.permission, MAY_DEFINITIONS_WRITE);
    assert_true(str_equal(scope.pattern, STR("SHOP::*")));
    assert_true(scope_fits(&scope, MAY_DEFINITIONS_WRITE, STR("SHOP::order")));
    assert_false(scope_fits(&scope, MAY_DEFINITIONS_WRITE, STR("order")));
    assert_false(scope_fits(&scope, MAY_DEFINITIONS_READ, STR("SHOP::order")));
    assert_int_equal(scope_parse(STR("instances:read"), &scope, &err), ST_OK);
    assert_int_equal(scope.pattern.n, 0);
    assert_true(scope_fits(&scope, MAY_INSTANCES_READ, STR("anything")));
}

static void a_wrong_scope_is_refused_in_words(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        { "", "not a permission" },          { "jobs", "not a permission" }, { "jobs:", "not a permission" },
        { "jobs:play", "not a permission" }, { "none", "not a permission" }, { "open", "not a permission" },
        { "self", "not a permission" },      { "jobs:work:", "empty" },      { "audit:read:x", "no pattern" },
        { "global:admin:*", "no pattern" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct access_scope scope;
        struct error err = { 0 };
        assert_int_equal(scope_parse(str_of(cases[i].text), &scope, &err), ST_INVALID);
        assert_non_null(strstr(err.message, cases[i].part));
    }
    char text[600] = "jobs:work:";
    memset(text + 10, 'x', sizeof text - 10);
    struct access_scope scope;
    struct error err;
    assert_int_equal(scope_parse((str){ text, sizeof text }, &scope, &err), ST_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_stand_for_any_text),
        cmocka_unit_test(many_stars_end_soon),
        cmocka_unit_test(a_scope_is_a_permission_and_a_pattern),
        cmocka_unit_test(a_wrong_scope_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
