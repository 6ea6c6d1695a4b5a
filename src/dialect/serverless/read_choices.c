/* dialect/serverless/read_choices.c — the choices of a SWITCH: tests of data, alone or combined.
 *
 * The draft's schema asks for path, operator and value also beside `and`, `or` and `not`. They are not
 * required there. A comparison that is given takes part: it and the combination must both hold.
 */
#include "dialect/serverless/read_int.h"

#include "base/must.h"

static const struct {
    const char *word;
    enum test_kind kind;
    enum choice_test compare;
} operators[] = {
    { "Exists", TEST_EXISTS, CHOICE_EQUALS },
    { "Equals", TEST_COMPARE, CHOICE_EQUALS },
    { "LessThan", TEST_COMPARE, CHOICE_LESS },
    { "LessThanEquals", TEST_COMPARE, CHOICE_LESS_EQUALS },
    { "GreaterThan", TEST_COMPARE, CHOICE_GREATER },
    { "GreaterThanEquals", TEST_COMPARE, CHOICE_GREATER_EQUALS },
};

/* ---- one test ---- */

static bool read_operator(struct reading *reading, const struct read_place *at, struct test *test)
{
    str word = read_string(reading, at, "operator", REQUIRED);
    if (!word.p) return false;
    struct nearest nearest;
    nearest_init(&nearest, word);
    for (size_t i = 0; i < COUNT(operators); i++) {
        if (str_equal_ignoring_case(word, str_of(operators[i].word))) {
            test->kind = operators[i].kind;
            test->compare = operators[i].compare;
            return true;
        }
        nearest_offer(&nearest, str_of(operators[i].word));
    }
    const char *hint = nearest_hint(&nearest, reading->scratch);
    problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, "operator"),
                  hint ? hint : "negate a test with `not`",
                  "%soperator %s is none of Exists, Equals, LessThan, LessThanEquals, GreaterThan and "
                  "GreaterThanEquals",
                  read_prefix(reading, at), problem_quote(reading->scratch, word));
    return false;
}

static bool is_false(const struct json *value)
{
    return (json_is(value, JSON_BOOL) && !json_bool(value)) ||
           (json_is(value, JSON_STRING) && str_equal(json_string(value), STR("false")));
}

static void read_leaf(struct reading *reading, const struct read_place *at, struct test *test)
{
    test->path = read_path(reading, at, "path", REQUIRED, PATH_ANY, NULL);
    test->value = json_get(at->object, STR("value")); /* null is a value to compare with. */
    test->wanted = !is_false(test->value);
    if (read_operator(reading, at, test) && test->kind == TEST_COMPARE && !test->value)
        read_missing(reading, at, "value", NULL);
}

/* ---- combinations ---- */

static const struct {
    const char *word;
    enum test_kind kind;
} combinations[] = { { "and", TEST_AND }, { "or", TEST_OR }, { "not", TEST_NOT } };

struct test_budget {
    size_t tests;
    size_t depth;
};

static void read_test(struct reading *reading, const struct read_place *at, struct test_budget *budget,
                      bool outermost, struct test *test);

static bool may_go_on(struct reading *reading, const struct read_place *at, struct test_budget *budget,
                      size_t more)
{
    must(budget->depth <= TEST_DEPTH_MAX);
    budget->tests += more;
    if (budget->tests > TESTS_MAX || budget->depth >= TEST_DEPTH_MAX) {
        problem_error(reading->problems, PROBLEM_TOO_LARGE, at->pointer, NULL,
                      "%sa choice has at most %d tests, %d deep", read_prefix(reading, at), TESTS_MAX,
                      TEST_DEPTH_MAX);
        return false;
    }
    return true;
}

/* and, or: a list. not: one test. */
static void read_parts(struct reading *reading, const struct read_place *at, const char *word,
                       struct test_budget *budget, struct test *test)
{
    bool list = test->kind != TEST_NOT;
    const struct json *parts = list ? read_list(reading, at, word, FILLED) : NULL;
    size_t count = list ? json_count(parts) : 1;
    if (!may_go_on(reading, at, budget, count)) return;
    test->part_count = count;
    test->part = arena_make_n(reading->arena, struct test, count);
    budget->depth++;
    for (size_t i = 0; i < count; i++) {
        struct read_place place;
        if (list ? read_item(reading, at, word, i, json_item(parts, i), &place)
                 : read_place(reading, at, word, REQUIRED, &place))
            read_test(reading, &place, budget, false, &test->part[i]);
    }
    budget->depth--;
}

/* ---- a comparison beside a combination ---- */

static bool has_outer(const struct read_place *at)
{
    return read_member(at, "path") || read_member(at, "operator") || read_member(at, "value");
}

/* Earlier engines ignored the outer comparison, so a stored document may have one that is not whole. Such a
 * document must still compile for its instances, and the comparison stays ignored. */
static bool is_old_filler(struct reading *reading, const struct read_place *at)
{
    if (!reading->problems->stored_id.n) return false;
    struct problems *kept = reading->problems;
    struct problems trial;
    struct test ignored = { 0 };
    problems_init(&trial, kept->arena);
    reading->problems = &trial;
    read_leaf(reading, at, &ignored);
    reading->problems = kept;
    return trial.error_count > 0;
}

/* Turns the combination into `comparison and combination`. */
static void join_outer(struct reading *reading, const struct read_place *at, struct test_budget *budget,
                       struct test *test)
{
    if (!has_outer(at) || is_old_filler(reading, at) || !may_go_on(reading, at, budget, 1)) return;
    must(test->kind == TEST_AND || test->kind == TEST_OR || test->kind == TEST_NOT);
    struct test *part = arena_make_n(reading->arena, struct test, 2);
    read_leaf(reading, at, &part[0]);
    part[1] = *test;
    *test = (struct test){ .kind = TEST_AND, .part = part, .part_count = 2 };
}

static void read_test(struct reading *reading, const struct read_place *at, struct test_budget *budget,
                      bool outermost, struct test *test)
{
    static const char *const outer[] = {
        "path", "operator", "value", "and", "or", "not", "transition", NULL
    };
    static const char *const inner[] = { "path", "operator", "value", "and", "or", "not", NULL };
    const char *found = NULL;
    for (size_t i = 0; i < COUNT(combinations); i++) {
        const char *word = combinations[i].word;
        if (!read_member(at, word)) continue;
        if (found) {
            problem_error(reading->problems, PROBLEM_BAD_VALUE, read_pointer(reading, at, word),
                          "put one inside the other", "%s%s and %s beside each other",
                          read_prefix(reading, at), found, word);
            continue;
        }
        found = word;
        test->kind = combinations[i].kind;
        read_parts(reading, at, word, budget, test);
    }
    if (found) join_outer(reading, at, budget, test);
    else read_leaf(reading, at, test);
    read_only(reading, at, outermost ? outer : inner);
}

void read_choices(struct reading *reading, const struct read_place *at, struct state *state)
{
    const struct json *list = read_list(reading, at, "choices", FILLED);
    size_t count = json_count(list);
    state->as.choose.count = count;
    state->as.choose.choice = arena_make_n(reading->arena, struct choice, count);
    for (size_t i = 0; i < count; i++) {
        struct choice *choice = &state->as.choose.choice[i];
        struct read_place place;
        if (!read_item(reading, at, "choices", i, json_item(list, i), &place)) continue;
        choice->pointer = place.pointer;
        struct test_budget budget = { .tests = 1 };
        read_test(reading, &place, &budget, true, &choice->test);
        read_transition(reading, &place, "transition", REQUIRED, &choice->transition);
    }
    state->as.choose.has_default = read_member(at, "default") != NULL;
    if (!state->as.choose.has_default && !state->ends)
        read_missing(reading, at, "default",
                     "name the state to go to when no choice matches, or set end to true");
    read_transition(reading, at, "default", OPTIONAL, &state->as.choose.otherwise);
}
