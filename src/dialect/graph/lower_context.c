/* dialect/graph/lower_context.c — SetContext: changes of variables, one after the other.
 *
 * All values are computed from the variables as they were before. The changes become one expression: for each
 * variable the chain of what happens to it; or, if one is taken away, a chain on all the variables, because
 * merging takes nothing away.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

struct assignment {
    enum assign_op op;
    str name[GRAPH_KEY_NAMES_MAX]; /* The variable, and members inside it. */
    size_t count;
    struct expr_tree *value;
};

/* ---- reading ---- */

static void bad_key(struct graph *graph, const struct graph_place *at, const char *why)
{
    problem_error(graph_about(graph, at), PROBLEM_BAD_VALUE, graph_pointer(graph, at, "key"),
                  "write the name of a variable: $.status or $.device.battery", "%s: the key %s %s", at->what,
                  graph_shown(graph, graph_member(at, "key")), why);
}

/* `$.a.b`, `vars.a.b` or `a.b`. */
static bool read_key(struct graph *graph, const struct graph_place *at, struct assignment *assignment)
{
    str key = str_trim(graph_text(graph, at, "key"));
    if (!key.n) {
        problem_error(graph_about(graph, at), PROBLEM_REQUIRED, graph_pointer(graph, at, "key"), NULL,
                      "%s: a change needs a key, the name of a variable", at->what);
        return false;
    }
    if (str_starts(key, STR("$."))) key = str_slice(key, 2, key.n);
    if (str_starts(key, STR("vars."))) key = str_slice(key, 5, key.n);
    for (size_t from = 0; from <= key.n; assignment->count++) {
        size_t dot = str_find(key, STR("."), from);
        if (dot == SIZE_MAX) dot = key.n;
        str name = str_slice(key, from, dot);
        bool plain =
            name.n && str_find(name, STR("["), 0) == SIZE_MAX && str_find(name, STR("$"), 0) == SIZE_MAX;
        if (!plain || assignment->count == GRAPH_KEY_NAMES_MAX) {
            bad_key(graph, at, plain ? "is too long" : "is no path of names");
            return false;
        }
        assignment->name[assignment->count] = arena_str(graph->arena, name);
        from = dot + 1;
    }
    if (graph_find(graph, assignment->name[0]) == NODE_NONE) return true;
    bad_key(graph, at, "is a node's or trigger's: only variables can be changed");
    return false;
}

static bool read_assignment(struct graph *graph, const struct graph_node *node, const struct json *item,
                            str pointer, struct assignment *ret_assignment)
{
    static const char *const fields[] = { "key", "value", "operation", NULL };
    struct graph_place at = { .object = item, .pointer = pointer, .what = node->at.what, .node = node->id };
    if (!json_is(item, JSON_OBJECT)) {
        problem_error(graph_about(graph, &node->at), PROBLEM_WRONG_TYPE, pointer, NULL,
                      "%s: a change is an object with key, value and operation", node->at.what);
        return false;
    }
    graph_only(graph, &at, fields);
    *ret_assignment = (struct assignment){ .op = (enum assign_op)graph_word(
                                               graph, &at, "operation", "Set|Merge|Increment|Append|Clear",
                                               PROBLEM_BAD_VALUE, ASSIGN_SET) };
    const struct json *value = json_get(item, STR("value")); /* null is a value. */
    str place = graph_pointer(graph, &at, "value");
    if (!value && ret_assignment->op != ASSIGN_CLEAR)
        problem_error(graph_about(graph, &at), PROBLEM_REQUIRED, place, NULL, "%s: a change needs a value",
                      at.what);
    ret_assignment->value = graph_older_value(graph, node, value ? value : json_null(), place, false);
    return read_key(graph, &at, ret_assignment);
}

static size_t read_assignments(struct graph *graph, const struct graph_node *node,
                               struct assignment **ret_assignment)
{
    const struct json *list = graph_list(graph, &node->config, "assignments");
    str pointer = graph_pointer(graph, &node->config, "assignments");
    size_t given = json_count(list), count = 0;
    if (given > GRAPH_ASSIGNMENTS_MAX) {
        problem_error(graph_about(graph, &node->at), PROBLEM_TOO_LARGE, pointer, NULL,
                      "%s: %zu assignments; the most is %d", node->at.what, given, GRAPH_ASSIGNMENTS_MAX);
        given = 0;
    }
    struct assignment *assignment = arena_make_n(graph->scratch, struct assignment, given);
    for (size_t i = 0; i < given; i++)
        count += read_assignment(graph, node, json_item(list, i),
                                 problem_pointer_index(graph->arena, pointer, i), &assignment[count]);
    must(count <= given);
    *ret_assignment = assignment;
    return count;
}

/* ---- making one expression ---- */

static bool is_first(const struct assignment *assignment, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (str_equal(assignment[i].name[0], assignment[index].name[0])) return false;
    return true;
}

/* Is anything taken away? */
static bool takes_away(const struct assignment *assignment, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (assignment[i].op == ASSIGN_CLEAR) return true;
    return false;
}

static struct expr_tree *all_changed(struct graph *graph, const struct assignment *assignment, size_t count)
{
    struct expr_tree *value = tree_variable_or_null(STR("vars"), graph->arena);
    for (size_t i = 0; i < count; i++)
        value = tree_assign(assignment[i].op, value, assignment[i].name, assignment[i].count,
                            assignment[i].value, graph->arena);
    return value;
}

/* The new value of the assignment's variable, and of no other. */
static struct expr_tree *one_changed(struct graph *graph, const struct assignment *assignment, size_t index,
                                     size_t count)
{
    str name = assignment[index].name[0];
    struct expr_tree *vars = tree_variable_or_null(STR("vars"), graph->arena);
    struct expr_tree *member = tree_member(vars, name, graph->arena);
    struct expr_tree *value = tree_map(&name, &member, 1, graph->arena);
    for (size_t i = index; i < count; i++) {
        if (!str_equal(assignment[i].name[0], name)) continue;
        value = tree_assign(assignment[i].op, value, assignment[i].name, assignment[i].count,
                            assignment[i].value, graph->arena);
    }
    return value;
}

void graph_lower_context(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    struct assignment *assignment;
    size_t count = read_assignments(graph, node, &assignment), changed = 0;
    bool whole = takes_away(assignment, count);
    struct expr_tree *value = whole ? all_changed(graph, assignment, count) : NULL;
    if (!whole) {
        str *name = arena_make_n(graph->scratch, str, count);
        struct expr_tree **of = arena_make_n(graph->scratch, struct expr_tree *, count);
        for (size_t i = 0; i < count; i++) {
            if (!is_first(assignment, i)) continue;
            name[changed] = assignment[i].name[0];
            of[changed++] =
                tree_member(one_changed(graph, assignment, i, count), assignment[i].name[0], graph->arena);
        }
        value = tree_map(name, of, changed, graph->arena);
    }
    const struct program_edge way = graph_port_way(graph, node, STR("onComplete"));
    lowered->kind = NODE_CHOOSE;
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = STR("vars"),
                                             .expr = expr_of_tree(value, graph->arena),
                                             .to_instance = true,
                                             .by_member = !whole });
    graph_set_edges(graph, lowered, &way, 1);
    graph_set_error_port(graph, node, lowered);
}
