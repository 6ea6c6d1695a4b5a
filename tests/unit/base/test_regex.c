#include "base/regex.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void options_change_what_matches(void **state)
{
    static const struct {
        const char *pattern;
        uint32_t options;
        const char *text;
        bool want;
    } cases[] = {
        { "b+", 0, "abbc", true },
        { "b+", REGEX_WHOLE, "abbc", false },
        { "b|bc", REGEX_WHOLE, "bc", true }, /* The second way is tried, too. */
        { "", REGEX_WHOLE, "", true },
        { "\xc3\x84", 0, "\xc3\xa4", false },
        { "\xc3\x84", REGEX_IGNORE_CASE, "\xc3\xa4", true },
        { "^b", 0, "a\nb", false },
        { "^b", REGEX_MULTILINE, "a\nb", true },
        { "^a.b$", 0, "a\nb", false },
        { "^a.b$", REGEX_DOT_ALL, "a\nb", true },
        { "^a.b$", 0, "a\rb", true },
        { "^a.b$", REGEX_INTEROPERABLE, "a\rb", false },
        { "a$", 0, "a\n", true },
        { "a$", REGEX_INTEROPERABLE, "a\n", false },
        { "a b # c", REGEX_EXTENDED, "ab", true },
    };
    (void)state;
    struct arena arena;
    struct regex_matcher matcher;
    arena_init(&arena, 0);
    regex_matcher_init(&matcher, &arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char message[REGEX_MESSAGE_BYTES];
        int64_t fuel = 1000;
        bool found = !cases[i].want;
        const struct regex *regex =
            regex_compile(str_of(cases[i].pattern), cases[i].options, &arena, message);
        assert_non_null(regex);
        assert_int_equal(regex_match(&matcher, regex, str_of(cases[i].text), &fuel, &found, NULL), ST_OK);
        if (found != cases[i].want) fail_msg("%s on %s", cases[i].pattern, cases[i].text);
    }
    arena_done(&arena);
}

static void bad_patterns_are_explained(void **state)
{
    (void)state;
    struct arena arena;
    char message[REGEX_MESSAGE_BYTES];
    arena_init(&arena, 0);
    assert_null(regex_compile(STR("\xc3\xa4(b"), 0, &arena, message));
    assert_string_equal(message, "bad regular expression: missing closing parenthesis after 3 characters");
    assert_null(regex_compile(STR("a\\C"), 0, &arena, message));
    arena_done(&arena);
}

static void matching_pays_before_it_works(void **state)
{
    const str text = STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    (void)state;
    struct arena arena;
    struct regex_matcher matcher;
    struct error err;
    char message[REGEX_MESSAGE_BYTES];
    bool found;
    arena_init(&arena, 0);
    regex_matcher_init(&matcher, &arena);
    const struct regex *cheap = regex_compile(STR("ab"), 0, &arena, message);
    const struct regex *dear = regex_compile(STR("^(a*)*[cd]"), 0, &arena, message);

    int64_t fuel = 1000, cost;
    assert_int_equal(regex_match(&matcher, cheap, text, &fuel, &found, &err), ST_OK);
    assert_true(found);
    cost = 1000 - fuel;
    fuel = cost;
    assert_int_equal(regex_match(&matcher, cheap, text, &fuel, &found, &err), ST_OK);
    fuel = cost - 1;
    assert_int_equal(regex_match(&matcher, cheap, text, &fuel, &found, &err), ST_LIMIT);
    assert_int_equal(fuel, 0);

    fuel = 1000; /* The first, short attempt does not suffice, and the long one is too dear. */
    assert_int_equal(regex_match(&matcher, dear, text, &fuel, &found, &err), ST_LIMIT);
    assert_string_equal(err.message, "the budget of operations is used up (fuel_max)");
    fuel = REGEX_STEPS_MAX;
    assert_int_equal(regex_match(&matcher, dear, text, &fuel, &found, &err), ST_LIMIT);
    assert_string_equal(err.message,
                        "the regular expression takes too many steps on this text (REGEX_STEPS_MAX)");
    assert_true(fuel > 0);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_change_what_matches),
        cmocka_unit_test(bad_patterns_are_explained),
        cmocka_unit_test(matching_pays_before_it_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
