#include "program/graph.h"

#include <stdio.h>

enum { RULES_MAX = 8, CELLS_MAX = 4 };

/* A rule is its cells, each an expression. A table is checked; what is found is given as
 * codes in order, and the first message behind the label. */
struct table_case {
    enum hit_policy policy;
    const char *rule[RULES_MAX][CELLS_MAX];
    size_t rule_count;
    const char *want;
    const char *message;
};

static struct program *table_program(const struct table_case *of)
{
    struct program *program = graph("table t: e; end e");
    struct arena *arena = program_arena(program);
    struct program_node *node = (struct program_node *)(uintptr_t)program->node;
    struct program_rule *rule = arena_make_n(arena, struct program_rule, of->rule_count);
    for (size_t i = 0; i < of->rule_count; i++) {
        struct program_cell *cell = arena_make_n(arena, struct program_cell, CELLS_MAX);
        for (size_t k = 0; k < CELLS_MAX && of->rule[i][k]; k++)
            cell[rule[i].cell_count++] =
                (struct program_cell){ .column = STR("c"),
                                       .test = graph_expr(program, str_of(of->rule[i][k])) };
        rule[i].cell = cell;
    }
    node->as.table.policy = of->policy;
    node->as.table.rule = rule;
    node->as.table.rule_count = of->rule_count;
    return program;
}

static void expect(const struct table_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        struct program *program = table_program(&cases[i]);
        program_check(program, &problems);
        struct buf out;
        buf_init(&out, &arena);
        for (size_t k = 0; k < problems.count; k++)
            buf_printf(&out, "%s%s", k ? ", " : "", problem_code_name(problems.problem[k].code));
        buf_add_char(&out, '\0');
        if (strcmp(out.p, cases[i].want) != 0 ||
            (cases[i].message &&
             strcmp(problems.problem[0].message.p + strlen("node \"t\" (table): "), cases[i].message) != 0)) {
            out.n = 0;
            problems_print(&problems, STR("case"), &out);
            buf_add_char(&out, '\0');
            fail_msg("case %zu: want %s %s, got\n%s", i, cases[i].want,
                     cases[i].message ? cases[i].message : "", out.p);
        }
        assert_int_equal(problems.error_count, 0);
        program_unref(program);
        arena_done(&arena);
    }
}

static void rules_of_a_unique_table_that_overlap_are_named_with_an_example(void **state)
{
    static const struct table_case cases[] = {
        { HIT_UNIQUE, { { "x < 10" }, { "x >= 10" } }, 2, "", NULL },
        { HIT_UNIQUE,
          { { "x <= 10" }, { "x >= 10" } },
          2,
          "TABLE_OVERLAP",
          "rules[0] and rules[1] can hold at once: x = 10" },
        { HIT_FIRST, { { "x <= 10" }, { "x >= 10" } }, 2, "", NULL }, /* Only with U it matters. */
        { HIT_UNIQUE,
          { { "x > 1 && x < 5" }, { "x > 2 && x < 3" }, { "x <= 1" }, { "x >= 5" } },
          4,
          "TABLE_OVERLAP",
          "rules[0] and rules[1] can hold at once: x = 2.5" },
        { HIT_UNIQUE, { { "x > 0.1 && x < 0.3" }, { "x <= 0.1" }, { "x >= 0.3" } }, 3, "", NULL },
        /* Different inputs do not exclude each other. */
        { HIT_UNIQUE,
          { { "x > 1" }, { "y > 1" } },
          2,
          "TABLE_OVERLAP, TABLE_GAP",
          "rules[0] and rules[1] can hold at "
          "once: x = 2, y = 2" },
        { HIT_UNIQUE, { { "s == 'a'" }, { "s == 'b'" }, { "s != 'a' && s != 'b'" } }, 3, "", NULL },
        { HIT_UNIQUE,
          { { "s == 'a'" }, { "s != 'b'" }, { "s == 'b'" } },
          3,
          "TABLE_OVERLAP",
          "rules[0] and rules[1] "
          "can hold at once: s = \"a\"" },
        { HIT_UNIQUE, { { "b == true" }, { "b == false" } }, 2, "", NULL },
        { HIT_UNIQUE, { { "b == true" }, { "b != false" }, { "b == false" } }, 3, "TABLE_OVERLAP", NULL },
        /* A catch-all overlaps with everything. */
        { HIT_UNIQUE,
          { { "x > 1" }, { NULL } },
          2,
          "TABLE_OVERLAP",
          "rules[0] and rules[1] can hold at once: x = 2" },
        { HIT_UNIQUE,
          { { NULL }, { NULL } },
          2,
          "TABLE_OVERLAP",
          "rules[0] and rules[1] can hold at once: any input" },
        /* Columns together decide. */
        { HIT_UNIQUE, { { "x > 1", "y > 1" }, { "x > 1", "y <= 1" }, { "x <= 1" } }, 3, "", NULL },
        /* Of what is not a plain test nothing is said. */
        { HIT_UNIQUE,
          { { "len(x) > 1" }, { "x > 1" }, { "true" } },
          3,
          "TABLE_OVERLAP",
          "rules[1] and rules[2] can "
          "hold at once: x = 2" },
        { HIT_UNIQUE, { { "x == 1" }, { "x == '1'" }, { "false" } }, 3, "TABLE_GAP", NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void inputs_without_a_rule_are_named(void **state)
{
    static const struct table_case cases[] = {
        { HIT_FIRST, { { "x < 10" }, { NULL } }, 2, "", NULL },
        { HIT_FIRST, { { "x < 10" }, { "true" } }, 2, "", NULL },
        { HIT_FIRST, { { "x < 10" }, { "x > 10" } }, 2, "TABLE_GAP", "no rule holds for x = 10" },
        { HIT_FIRST, { { "x < 10" } }, 1, "TABLE_GAP", "no rule holds for x = 10" },
        { HIT_FIRST,
          { { "x > 1", "y > 1" }, { "x <= 1" } },
          2,
          "TABLE_GAP",
          "no rule holds for x = 2, y = 1" },
        { HIT_FIRST, { { "s == 'a'" }, { "s == 'b'" } }, 2, "TABLE_GAP", "no rule holds for s = \"\"" },
        { HIT_FIRST, { { "b == true" } }, 1, "TABLE_GAP", "no rule holds for b = false" },
        { HIT_FIRST, { { "b == true" }, { "b == false" } }, 2, "", NULL },
        { HIT_FIRST,
          { { "len(x) > 1" }, { "len(x) <= 1" } },
          2,
          "TABLE_GAP",
          "there is no rule that always holds, and the others may leave gaps" },
        { HIT_FIRST, { { "false" } }, 1, "TABLE_GAP", NULL },
        { HIT_COLLECT, { { "x < 10" }, { "x > 5" } }, 2, "", NULL },
        { HIT_FIRST,
          { { "s < 'm'" }, { "s >= 'm'" } },
          2,
          "TABLE_GAP", /* Not proven, as texts go. */
          "there is no rule that always holds, and the others may leave gaps" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void rules_that_never_count_are_named_with_the_one_before(void **state)
{
    static const struct table_case cases[] = {
        { HIT_FIRST,
          { { "x < 10" }, { "x < 5" }, { NULL } },
          3,
          "TABLE_SHADOW",
          "rules[1] never counts: rules[0] holds whenever it does" },
        { HIT_FIRST, { { "x < 5" }, { "x < 10" }, { NULL } }, 3, "", NULL },
        { HIT_FIRST, { { NULL }, { "x < 5" }, { "x > y" } }, 3, "TABLE_SHADOW, TABLE_SHADOW", NULL },
        { HIT_FIRST, { { "x != 3" }, { "x > 2 && x < 4" }, { NULL } }, 3, "", NULL },
        { HIT_FIRST, { { "x != 3" }, { "x > 3" }, { NULL } }, 3, "TABLE_SHADOW", NULL },
        { HIT_FIRST, { { "x < 10" }, { "y < 5" }, { NULL } }, 3, "", NULL },
        { HIT_FIRST, { { "x < 10" }, { "x < 5", "y < 5" }, { NULL } }, 3, "TABLE_SHADOW", NULL },
        { HIT_FIRST, { { "x < 10", "y < 5" }, { "x < 5" }, { NULL } }, 3, "", NULL },
        { HIT_COLLECT, { { NULL }, { "x < 5" } }, 2, "", NULL }, /* All of them count. */
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void only_a_few_overlaps_of_a_table_are_listed(void **state)
{
    static const struct table_case cases[] = {
        { HIT_UNIQUE,
          { { NULL }, { NULL }, { NULL }, { NULL }, { NULL }, { NULL }, { NULL } },
          7,
          "TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP",
          NULL },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

/* Which is not for nothing: it takes seconds for large ones. */
static void tables_are_not_looked_at_when_only_errors_count(void **state)
{
    static const struct table_case overlapping = {
        HIT_UNIQUE, { { "c > 1" }, { "c > 2" }, { "c > 3" } }, 3, NULL, NULL,
    };
    (void)state;
    size_t used[2];
    for (int errors_only = 0; errors_only < 2; errors_only++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        problems.errors_only = errors_only;
        struct program *program = table_program(&overlapping);
        program_check(program, &problems);
        assert_int_equal(problems.count > 0, !errors_only);
        assert_int_equal(problems.warning_count > 0, !errors_only);
        used[errors_only] = arena.used;
        program_unref(program);
        arena_done(&arena);
    }
    assert_true(used[1] < used[0] / 2);
}

/* ---- held against trying every value ---- */

/* Tests of random tables: x and y against 0 .. 3, b against a truth value. */
struct random_test {
    char of; /* 'x', 'y', 'b' */
    char op[3];
    int with;
};

enum { RANDOM_TESTS_MAX = 3, RANDOM_RULES_MAX = 6, TWICE_LEAST = -1, TWICE_MOST = 7 };

struct random_rule {
    struct random_test test[RANDOM_TESTS_MAX];
    size_t count;
};

static unsigned next_random(uint64_t *state, unsigned bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % bound;
}

static struct random_rule random_rule(uint64_t *seed)
{
    static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
    struct random_rule rule = { .count = next_random(seed, RANDOM_TESTS_MAX + 1) };
    for (size_t i = 0; i < rule.count; i++) {
        struct random_test *test = &rule.test[i];
        test->of = "xyb"[next_random(seed, 3)];
        memcpy(test->op, ops[next_random(seed, test->of == 'b' ? 2 : COUNT(ops))], 2);
        test->with = (int)next_random(seed, test->of == 'b' ? 2 : 4);
    }
    return rule;
}

/* Everything is given times two: 2.5 lies between 2 and 3. */
static bool rule_holds(const struct random_rule *rule, int x, int y, int b)
{
    for (size_t i = 0; i < rule->count; i++) {
        const struct random_test *test = &rule->test[i];
        int value = test->of == 'x' ? x : test->of == 'y' ? y : b * 2;
        int with = test->with * 2;
        bool holds = test->op[0] == '='   ? value == with
                     : test->op[0] == '!' ? value != with
                     : test->op[0] == '<' ? value < with
                                          : value > with;
        if ((test->op[0] == '<' || test->op[0] == '>') && test->op[1] == '=') holds |= value == with;
        if (!holds) return false;
    }
    return true;
}

static void try_everything(const struct random_rule *rule, size_t count, bool *ret_overlap, bool *ret_gap)
{
    *ret_overlap = *ret_gap = false;
    for (int x = TWICE_LEAST; x <= TWICE_MOST; x++)
        for (int y = TWICE_LEAST; y <= TWICE_MOST; y++)
            for (int b = 0; b < 2; b++) {
                size_t hold = 0;
                for (size_t i = 0; i < count; i++) hold += rule_holds(&rule[i], x, y, b);
                *ret_gap |= hold == 0;
                *ret_overlap |= hold > 1;
            }
}

static struct program *random_program(const struct random_rule *of, size_t count)
{
    static const struct table_case unique = { .policy = HIT_UNIQUE };
    struct program *program = table_program(&unique);
    struct arena *arena = program_arena(program);
    struct program_node *node = (struct program_node *)(uintptr_t)program->node;
    struct program_rule *rule = arena_make_n(arena, struct program_rule, count);
    for (size_t i = 0; i < count; i++) {
        struct program_cell *cell = arena_make_n(arena, struct program_cell, RANDOM_TESTS_MAX);
        for (size_t k = 0; k < of[i].count; k++) {
            const struct random_test *test = &of[i].test[k];
            str text = test->of == 'b'
                           ? arena_printf(arena, "b %s %s", test->op, test->with ? "true" : "false")
                           : arena_printf(arena, "%c %s %d", test->of, test->op, test->with);
            cell[rule[i].cell_count++] =
                (struct program_cell){ .column = STR("c"), .test = graph_expr(program, text) };
        }
        rule[i].cell = cell;
    }
    node->as.table.rule = rule;
    node->as.table.rule_count = count;
    return program;
}

static void what_is_said_of_a_table_is_what_trying_every_value_shows(void **state)
{
    enum { TABLES = 3000 };
    uint64_t seed = 9;
    (void)state;
    for (int round = 0; round < TABLES; round++) {
        struct random_rule rule[RANDOM_RULES_MAX];
        size_t count = 1 + next_random(&seed, RANDOM_RULES_MAX);
        for (size_t i = 0; i < count; i++) rule[i] = random_rule(&seed);
        bool overlap, gap, told_overlap = false, told_gap = false;
        try_everything(rule, count, &overlap, &gap);

        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        struct program *program = random_program(rule, count);
        program_check(program, &problems);
        for (size_t i = 0; i < problems.count; i++) {
            told_overlap |= problems.problem[i].code == PROBLEM_TABLE_OVERLAP;
            told_gap |= problems.problem[i].code == PROBLEM_TABLE_GAP;
        }
        if (told_overlap != overlap || told_gap != gap)
            fail_msg("round %d: overlap %d, told %d; gap %d, told %d", round, overlap, told_overlap, gap,
                     told_gap);
        program_unref(program);
        arena_done(&arena);
    }
}

/* The later rule holds for nothing that the earlier one does not hold for. */
static bool is_covered(const struct random_rule *later, const struct random_rule *earlier)
{
    for (int x = TWICE_LEAST; x <= TWICE_MOST; x++)
        for (int y = TWICE_LEAST; y <= TWICE_MOST; y++)
            for (int b = 0; b < 2; b++)
                if (rule_holds(later, x, y, b) && !rule_holds(earlier, x, y, b)) return false;
    return true;
}

static void a_rule_that_is_said_never_to_count_never_does(void **state)
{
    enum { TABLES = 3000 };
    uint64_t seed = 11;
    size_t told = 0;
    (void)state;
    for (int round = 0; round < TABLES; round++) {
        struct random_rule rule[RANDOM_RULES_MAX];
        for (size_t i = 0; i < RANDOM_RULES_MAX; i++) rule[i] = random_rule(&seed);
        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        struct program *program = random_program(rule, RANDOM_RULES_MAX);
        ((struct program_node *)(uintptr_t)program->node)->as.table.policy = HIT_FIRST;
        program_check(program, &problems);
        for (size_t i = 0; i < problems.count; i++) {
            unsigned later, earlier;
            const char *message = strstr(problems.problem[i].message.p, "rules[");
            if (problems.problem[i].code != PROBLEM_TABLE_SHADOW) continue;
            assert_int_equal(sscanf(message, "rules[%u] never counts: rules[%u]", &later, &earlier), 2);
            assert_true(earlier < later && later < RANDOM_RULES_MAX);
            if (!is_covered(&rule[later], &rule[earlier]))
                fail_msg("round %d: rule %u is not covered by rule %u", round, later, earlier);
            told++;
        }
        program_unref(program);
        arena_done(&arena);
    }
    assert_true(told > TABLES / 2);
}

/* Tables of thousands of rules used to take seconds, or were given up without a word. */
static void a_large_table_is_looked_at_as_a_whole(void **state)
{
    enum { RULES = 5000 };
    static const struct {
        enum hit_policy policy;
        bool ranges; /* Else one value each. */
        const char *last;
        const char *want;
    } cases[] = {
        { HIT_FIRST, false, NULL, "TABLE_GAP" },
        { HIT_UNIQUE, true, "x < 0 || x >= 5000", "TABLE_GAP" }, /* The last one is not plain. */
        { HIT_UNIQUE, true, "x >= 4998 && x < 5000", "TABLE_OVERLAP, TABLE_OVERLAP, TABLE_GAP" },
        { HIT_UNIQUE, false, "x == 17", "TABLE_OVERLAP, TABLE_GAP" },
    };
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct arena arena;
        arena_init(&arena, 0);
        struct problems problems;
        problems_init(&problems, &arena);
        static const struct table_case empty = { .policy = HIT_UNIQUE };
        struct program *program = table_program(&empty);
        struct arena *own = program_arena(program);
        struct program_node *node = (struct program_node *)(uintptr_t)program->node;
        struct program_rule *rule = arena_make_n(own, struct program_rule, RULES + 1);
        for (int i = 0; i < RULES + (cases[c].last != NULL); i++) {
            struct program_cell *cell = arena_make(own, struct program_cell);
            str text = cases[c].ranges ? arena_printf(own, "x >= %d && x < %d", i, i + 1)
                                       : arena_printf(own, "x == %d", i);
            cell->test = graph_expr(program, i < RULES ? text : str_of(cases[c].last));
            rule[i] = (struct program_rule){ .cell = cell, .cell_count = 1 };
        }
        node->as.table.policy = cases[c].policy;
        node->as.table.rule = rule;
        node->as.table.rule_count = RULES + (cases[c].last != NULL);
        program_check(program, &problems);
        struct buf out;
        buf_init(&out, &arena);
        for (size_t k = 0; k < problems.count; k++)
            buf_printf(&out, "%s%s", k ? ", " : "", problem_code_name(problems.problem[k].code));
        buf_add_char(&out, '\0');
        assert_string_equal(out.p, cases[c].want);
        program_unref(program);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_a_unique_table_that_overlap_are_named_with_an_example),
        cmocka_unit_test(inputs_without_a_rule_are_named),
        cmocka_unit_test(rules_that_never_count_are_named_with_the_one_before),
        cmocka_unit_test(a_rule_that_is_said_never_to_count_never_does),
        cmocka_unit_test(only_a_few_overlaps_of_a_table_are_listed),
        cmocka_unit_test(what_is_said_of_a_table_is_what_trying_every_value_shows),
        cmocka_unit_test(a_large_table_is_looked_at_as_a_whole),
        cmocka_unit_test(tables_are_not_looked_at_when_only_errors_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
