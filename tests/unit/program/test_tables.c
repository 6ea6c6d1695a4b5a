#include "program/graph.h"

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
                (struct program_cell){ .column = STR("c"), .test = graph_expr(program, str_of(of->rule[i][k])) };
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
            (cases[i].message && strcmp(problems.problem[0].message.p + strlen("node \"t\" (table): "), cases[i].message) != 0)) {
            out.n = 0;
            problems_print(&problems, STR("case"), &out);
            buf_add_char(&out, '\0');
            fail_msg("case %zu: want %s %s, got\n%s", i, cases[i].want, cases[i].message ? cases[i].message : "", out.p);
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
        { HIT_UNIQUE, { { "x <= 10" }, { "x >= 10" } }, 2, "TABLE_OVERLAP", "rules[0] and rules[1] can hold at once: x = 10" },
        { HIT_FIRST, { { "x <= 10" }, { "x >= 10" } }, 2, "", NULL }, /* Only with U it matters. */
        { HIT_UNIQUE, { { "x > 1 && x < 5" }, { "x > 2 && x < 3" }, { "x <= 1" }, { "x >= 5" } }, 4, "TABLE_OVERLAP",
          "rules[0] and rules[1] can hold at once: x = 2.5" },
        { HIT_UNIQUE, { { "x > 0.1 && x < 0.3" }, { "x <= 0.1" }, { "x >= 0.3" } }, 3, "", NULL },
        /* Different inputs do not exclude each other. */
        { HIT_UNIQUE, { { "x > 1" }, { "y > 1" } }, 2, "TABLE_OVERLAP, TABLE_GAP", "rules[0] and rules[1] can hold at "
          "once: x = 2, y = 2" },
        { HIT_UNIQUE, { { "s == 'a'" }, { "s == 'b'" }, { "s != 'a' && s != 'b'" } }, 3, "", NULL },
        { HIT_UNIQUE, { { "s == 'a'" }, { "s != 'b'" }, { "s == 'b'" } }, 3, "TABLE_OVERLAP", "rules[0] and rules[1] "
          "can hold at once: s = \"a\"" },
        { HIT_UNIQUE, { { "b == true" }, { "b == false" } }, 2, "", NULL },
        { HIT_UNIQUE, { { "b == true" }, { "b != false" }, { "b == false" } }, 3, "TABLE_OVERLAP", NULL },
        /* A catch-all overlaps with everything. */
        { HIT_UNIQUE, { { "x > 1" }, { NULL } }, 2, "TABLE_OVERLAP", "rules[0] and rules[1] can hold at once: x = 2" },
        { HIT_UNIQUE, { { NULL }, { NULL } }, 2, "TABLE_OVERLAP", "rules[0] and rules[1] can hold at once: any input" },
        /* Columns together decide. */
        { HIT_UNIQUE, { { "x > 1", "y > 1" }, { "x > 1", "y <= 1" }, { "x <= 1" } }, 3, "", NULL },
        /* Of what is not a plain test nothing is said. */
        { HIT_UNIQUE, { { "len(x) > 1" }, { "x > 1" }, { "true" } }, 3, "TABLE_OVERLAP", "rules[1] and rules[2] can "
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
        { HIT_FIRST, { { "x > 1", "y > 1" }, { "x <= 1" } }, 2, "TABLE_GAP", "no rule holds for x = 2, y = 1" },
        { HIT_FIRST, { { "s == 'a'" }, { "s == 'b'" } }, 2, "TABLE_GAP", "no rule holds for s = \"\"" },
        { HIT_FIRST, { { "b == true" } }, 1, "TABLE_GAP", "no rule holds for b = false" },
        { HIT_FIRST, { { "b == true" }, { "b == false" } }, 2, "", NULL },
        { HIT_FIRST, { { "len(x) > 1" }, { "len(x) <= 1" } }, 2, "TABLE_GAP",
          "there is no rule that always holds, and the others may leave gaps" },
        { HIT_FIRST, { { "false" } }, 1, "TABLE_GAP", NULL },
        { HIT_COLLECT, { { "x < 10" }, { "x > 5" } }, 2, "", NULL },
        { HIT_FIRST, { { "s < 'm'" }, { "s >= 'm'" } }, 2, "TABLE_GAP", /* Not proven, as texts go. */
          "there is no rule that always holds, and the others may leave gaps" },
    };
    (void)state;
    expect(cases, COUNT(cases));
}

static void only_a_few_overlaps_of_a_table_are_listed(void **state)
{
    static const struct table_case cases[] = {
        { HIT_UNIQUE, { { NULL }, { NULL }, { NULL }, { NULL }, { NULL }, { NULL }, { NULL } }, 7,
          "TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP, TABLE_OVERLAP", NULL },
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_a_unique_table_that_overlap_are_named_with_an_example),
        cmocka_unit_test(inputs_without_a_rule_are_named),
        cmocka_unit_test(only_a_few_overlaps_of_a_table_are_listed),
        cmocka_unit_test(tables_are_not_looked_at_when_only_errors_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
