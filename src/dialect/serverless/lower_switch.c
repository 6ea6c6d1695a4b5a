/* dialect/serverless/lower_switch.c — SWITCH: choices as edges. In a loop the first element for which
 * one of them holds decides; `fired` has the number of that choice. */
#include "dialect/serverless/lower_int.h"

#include "base/ascii.h"
#include "base/must.h"

static struct expr_tree *lower_test(const struct lowering *lowering, const struct test *test,
                                    struct expr_tree *data)
{
    struct arena *arena = lowering->arena;
    switch (test->kind) {
    case TEST_COMPARE:
        return tree_choice(test->compare, tree_path(PATH_NODES, test->path, data, arena), test->value, arena);
    case TEST_EXISTS: {
        struct expr_tree *count = tree_length(tree_path(PATH_NODES, test->path, data, arena), arena);
        struct expr_tree *exists = tree_less(lower_int(lowering, 0), count, arena);
        return test->wanted ? exists : tree_not(exists, arena);
    }
    case TEST_AND:
    case TEST_OR:
    case TEST_NOT: break;
    }
    must(test->part_count > 0 && (test->kind != TEST_NOT || test->part_count == 1));
    struct expr_tree **part = arena_make_n(arena, struct expr_tree *, test->part_count);
    for (size_t i = 0; i < test->part_count; i++) part[i] = lower_test(lowering, &test->part[i], data);
    if (test->kind == TEST_AND) return tree_and(part, test->part_count, arena);
    if (test->kind == TEST_OR) return tree_or(part, test->part_count, arena);
    return tree_not(part[0], arena);
}

/* ---- as a label ---- */

static bool is_plain(char c) { return ascii_is_alphanumeric(c) || c == '_'; }

/* $['a']['b c'] as $.a['b c']. */
static void print_path(const struct jsonpath *path, struct arena *arena, struct buf *out)
{
    struct buf full;
    buf_init(&full, arena);
    jsonpath_print(path, &full);
    str text = buf_str(&full);
    for (size_t i = 0; i < text.n; i++) {
        size_t from = i + 2, end = from;
        bool quoted = str_starts(str_slice(text, i, text.n), STR("['"));
        while (quoted && end < text.n && is_plain(text.p[end])) end++;
        if (quoted && end > from && str_starts(str_slice(text, end, text.n), STR("']"))) {
            buf_printf(out, ".%.*s", (int)(end - from), text.p + from);
            i = end + 1;
        } else {
            buf_add_char(out, text.p[i]);
        }
    }
}

static void print_test(const struct test *test, struct arena *arena, struct buf *out)
{
    static const char *const operators[] = {
        [CHOICE_EQUALS] = " = ",  [CHOICE_LESS] = " < ",           [CHOICE_LESS_EQUALS] = " ≤ ",
        [CHOICE_GREATER] = " > ", [CHOICE_GREATER_EQUALS] = " ≥ ",
    };
    switch (test->kind) {
    case TEST_COMPARE:
        must((size_t)test->compare < COUNT(operators));
        print_path(test->path, arena, out);
        buf_printf(out, "%s", operators[test->compare]);
        json_print(test->value, out);
        return;
    case TEST_EXISTS:
        print_path(test->path, arena, out);
        buf_add_str(out, test->wanted ? STR(" exists") : STR(" is missing"));
        return;
    case TEST_AND:
    case TEST_OR:
    case TEST_NOT: break;
    }
    for (size_t i = 0; i < test->part_count; i++) {
        if (test->kind == TEST_NOT) buf_add_str(out, STR("not "));
        if (i) buf_add_str(out, test->kind == TEST_AND ? STR(" and ") : STR(" or "));
        bool combined = test->part[i].part_count > 1;
        if (combined) buf_add_char(out, '(');
        print_test(&test->part[i], arena, out);
        if (combined) buf_add_char(out, ')');
    }
}

static struct program_edge lower_choice_way(struct lowering *lowering, const struct choice *choice)
{
    struct program_edge way = lower_way(lowering, &choice->transition);
    struct buf label;
    buf_init(&label, lowering->arena);
    print_test(&choice->test, lowering->arena, &label);
    way.label = buf_str(&label);
    return way;
}

/* ---- ways ---- */

/* Where it goes when no choice holds. */
static void lower_default(struct lowering *lowering, const struct state *state)
{
    if (state->as.choose.otherwise.state)
        lower_edge(lowering, state->node, NULL, lower_way(lowering, &state->as.choose.otherwise));
    else if (state->ends) lower_edge_to(lowering, state->node, NULL, lowering->end);
    else lower_node(lowering, state->node)->no_edge_reason = STR("no choice holds, and there is no default");
}

static void lower_switch_loop(struct lowering *lowering, const struct state *state)
{
    struct arena *arena = lowering->arena;
    struct loop_nodes loop = lower_loop_open(lowering, state, true);
    struct expr_tree *element = loop.body.subject;
    uint32_t test = lower_inner(lowering, NODE_CHOOSE, state, STR("test"), state->pointer);
    for (size_t i = 0; i < state->as.choose.count; i++) {
        const struct choice *choice = &state->as.choose.choice[i];
        str word = arena_printf(arena, "choice %zu", i + 1);
        uint32_t found = lower_inner(lowering, NODE_SET, state, word, choice->pointer);
        const struct json *number = json_of_int(arena, (int64_t)i + 1);
        lower_output_literal(lowering, found, STR("fired"), number);
        if (state->loop.output)
            lower_append(lowering, found, STR("out"), lower_value(&loop.body, element, element));
        lower_edge_to(lowering, found, NULL, lowering->end);
        lower_edge_to(lowering, test, lower_test(lowering, &choice->test, element), found);

        struct expr_tree *fired = lower_of_frame(lowering, STR("fired"));
        lower_edge(lowering, state->node, tree_equal(fired, tree_literal(number, arena), arena),
                   lower_choice_way(lowering, choice));
    }
    lower_edge_to(lowering, test, NULL, loop.collect);
    lower_loop_close(&loop, test, element);
}

void lower_switch(struct lowering *lowering, const struct state *state)
{
    must(state->type == STATE_SWITCH);
    if (state->loop.given) {
        lower_switch_loop(lowering, state);
    } else {
        lower_node(lowering, state->node)->kind = NODE_CHOOSE;
        struct expr_tree *subject = lower_subject(lowering, state);
        for (size_t i = 0; i < state->as.choose.count; i++) {
            const struct choice *choice = &state->as.choose.choice[i];
            lower_edge(lowering, state->node, lower_test(lowering, &choice->test, subject),
                       lower_choice_way(lowering, choice));
        }
        lower_pass(lowering, state);
    }
    lower_default(lowering, state);
}
