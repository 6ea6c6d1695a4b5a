/* dialect/graph/lower.c — from a flow graph to a program.
 *
 * Nodes of the program come in this order: those of the document, the one END where unwired ports lead, then
 * those that a node of the document needs besides: what undoes it, and the split behind a join.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- triggers, values, ends ---- */

static void lower_trigger(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    lowered->kind = NODE_CHOOSE;
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("out")));
}

static void lower_set(struct graph *graph, const struct graph_node *node)
{
    static const str names[] = { STR_INIT("assigned") };
    struct program_node *lowered = graph_lowered(graph, node);
    const struct json *given = graph_member(&node->config, "values");
    struct expr_tree *values = graph_value(graph, node, given ? given : json_empty_object(),
                                           graph_pointer(graph, &node->config, "values"), GRAPH_SEES_DATA);
    lowered->kind = NODE_CHOOSE;
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = STR("vars"),
                                             .expr = expr_of_tree(values, graph->arena),
                                             .to_instance = true,
                                             .by_member = true });
    graph_set_output(graph, node, lowered, tree_map(names, &values, 1, graph->arena));
    graph_set_way(graph, lowered, graph_port_edge(graph, node, STR("out")));
}

/* An end that fails says which error it is. */
static void lower_failing_end(struct graph *graph, const struct graph_node *node,
                              struct program_node *lowered)
{
    const struct json *message = graph_member(&node->config, "message");
    str code = graph_text(graph, &node->config, "errorCode");
    lowered->as.end.error = code.n ? code : STR("FAILED");
    if (message)
        lowered->as.end.message =
            graph_expr(graph, node, message, graph_pointer(graph, &node->config, "message"), GRAPH_SEES_DATA);
}

static void lower_end(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    const struct json *result = graph_member(&node->config, "result");
    bool fails = graph_word(graph, &node->config, "status", "completed|failed", PROBLEM_BAD_VALUE, 0) == 1;
    bool terminates = graph_flag(graph, &node->config, "terminate", false);
    lowered->kind = NODE_END;
    lowered->as.end.branch = !terminates && !fails;
    lowered->as.end.region = terminates && node->parent != NODE_NONE;
    if (fails) lower_failing_end(graph, node, lowered);
    if (!result) return;
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = STR("result"),
                                             .expr = graph_expr(graph, node, result,
                                                                graph_pointer(graph, &node->config, "result"),
                                                                GRAPH_SEES_DATA),
                                             .by_member = json_is(result, JSON_OBJECT) });
}

/* {definition, version, input}: what the new run is, and begins with. */
static const struct expr *lower_request(struct graph *graph, const struct graph_node *node)
{
    static const char *const fields[] = { "definition", "version", "input" };
    str names[COUNT(fields)];
    struct expr_tree *values[COUNT(fields)];
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct json *given = graph_member(&node->config, fields[i]);
        names[i] = str_of(fields[i]);
        if (given)
            values[i] = graph_value(graph, node, given, graph_pointer(graph, &node->config, fields[i]),
                                    GRAPH_SEES_DATA);
        else if (i < 2) values[i] = tree_literal(json_null(), graph->arena);
        else values[i] = tree_variable(STR("vars"), graph->arena);
    }
    return expr_of_tree(tree_map(names, values, COUNT(fields), graph->arena), graph->arena);
}

static void lower_next(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    struct program_next *next = arena_make(graph->arena, struct program_next);
    bool is_own = !graph_member(&node->config, "definition");
    if (node->parent != NODE_NONE || node->is_undo)
        problem_error(graph_about(graph, &node->at), PROBLEM_SCOPE_VIOLATION, node->at.pointer,
                      "end the whole run behind the loop",
                      "%s is inside of something else, and only a whole run goes on as a new one",
                      graph_label(graph, node));
    lower_end(graph, node);
    lowered->as.end.branch = false;
    next->definition = is_own ? graph->id : graph_named_definition(graph, node);
    next->version = graph_pinned_version(graph, node);
    next->request = lower_request(graph, node);
    lowered->as.end.next = next;
}

/* ---- circles ---- */

struct circles {
    struct graph *graph;
    uint32_t *number, *low, *next, *trail, *member;
    bool *is_open;
    size_t trail_count, member_count;
    uint32_t numbers;
};

static void circles_enter(struct circles *circles, uint32_t node)
{
    must(!circles->number[node] && circles->trail_count < circles->graph->node_count);
    circles->number[node] = circles->low[node] = ++circles->numbers;
    circles->is_open[node] = true;
    circles->trail[circles->trail_count++] = node;
    circles->member[circles->member_count++] = node;
}

static bool leads_to_itself(const struct graph *graph, const struct graph_node *node)
{
    for (size_t i = 0; i < node->out_count; i++)
        if (graph->edge[node->out[i]].to == node->index) return true;
    return false;
}

/* The group that ends with the node is complete: more than one node is a circle. */
static void circles_close(struct circles *circles, uint32_t root)
{
    must(circles->member_count > 0 && circles->is_open[root]);
    struct graph *graph = circles->graph;
    bool is_circle =
        circles->member[circles->member_count - 1] != root || leads_to_itself(graph, &graph->node[root]);
    uint32_t node;
    do {
        node = circles->member[--circles->member_count];
        circles->is_open[node] = false;
        if (is_circle) graph->lowered[node].visits_max = graph->visits_max;
    } while (node != root);
}

/* Tarjan's strongly connected components, without recursion. */
static void circles_search(struct circles *circles, uint32_t start)
{
    const struct graph *graph = circles->graph;
    circles_enter(circles, start);
    while (circles->trail_count) {
        uint32_t at = circles->trail[circles->trail_count - 1];
        if (circles->next[at] < graph->node[at].out_count) {
            uint32_t to = graph->edge[graph->node[at].out[circles->next[at]++]].to;
            if (!circles->number[to]) circles_enter(circles, to);
            else if (circles->is_open[to] && circles->number[to] < circles->low[at])
                circles->low[at] = circles->number[to];
            continue;
        }
        circles->trail_count--;
        if (circles->trail_count) {
            uint32_t before = circles->trail[circles->trail_count - 1];
            if (circles->low[at] < circles->low[before]) circles->low[before] = circles->low[at];
        }
        if (circles->low[at] == circles->number[at]) circles_close(circles, at);
    }
}

/* Nodes on a circle are visited at most so often. */
static void limit_circles(struct graph *graph)
{
    size_t count = graph->node_count;
    struct circles circles = {
        .graph = graph,
        .number = arena_make_n(graph->scratch, uint32_t, count),
        .low = arena_make_n(graph->scratch, uint32_t, count),
        .next = arena_make_n(graph->scratch, uint32_t, count),
        .trail = arena_make_n(graph->scratch, uint32_t, count),
        .member = arena_make_n(graph->scratch, uint32_t, count),
        .is_open = arena_make_n(graph->scratch, bool, count),
    };
    for (uint32_t i = 0; i < count; i++)
        if (!circles.number[i]) circles_search(&circles, i);
    must(!circles.trail_count && !circles.member_count);
}

/* ---- the whole ---- */

/* A node of the document becomes itself and at most four more, besides a fork for each port with several
 * edges. */
enum { NODES_PER_NODE = 5 };

static void begin_nodes(struct graph *graph)
{
    must(!graph->lowered_count && graph->node_count);
    graph->lowered_cap = graph->node_count * NODES_PER_NODE + graph->edge_count + 1;
    graph->lowered = arena_make_n(graph->arena, struct program_node, graph->lowered_cap);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        graph_add(graph,
                  (struct program_node){
                      .kind = NODE_CHOOSE,
                      .name = node->id,
                      .title = node->label.n ? node->label : str_of(node->type ? node->type->label : ""),
                      .type = node->type ? node->type->name : STR_NONE,
                      .pointer = arena_str(graph->arena, node->at.pointer),
                      .undo = NODE_NONE,
                  });
    }
    graph->end = graph_add(graph, (struct program_node){ .kind = NODE_END,
                                                         .name = graph_unique(graph, STR(""), "(end)"),
                                                         .title = STR("end"),
                                                         .pointer = STR(""),
                                                         .inner = true,
                                                         .undo = NODE_NONE,
                                                         .as.end.branch = true });
}

static void lower_node(struct graph *graph, const struct graph_node *node)
{
    if (!node->type) return;
    must(node->index < graph->node_count && &graph->node[node->index] == node);
    graph_check_config(graph, node);
    graph_check_node_fields(graph, node);
    switch (node->type->id) {
    case GRAPH_END: lower_end(graph, node); break;
    case GRAPH_CONTINUE: lower_next(graph, node); break;
    case GRAPH_HTTP:
    case GRAPH_DB:
    case GRAPH_EMAIL:
    case GRAPH_MCP:
    case GRAPH_SUBFLOW: graph_lower_action(graph, node); break;
    case GRAPH_SET_VARIABLES: lower_set(graph, node); break;
    case GRAPH_HUMAN_TASK: graph_lower_person(graph, node); break;
    case GRAPH_DECISION: graph_lower_decision(graph, node); break;
    case GRAPH_PARALLEL: graph_lower_parallel(graph, node); break;
    case GRAPH_MATCH: graph_lower_match(graph, node); break;
    case GRAPH_DELAY: graph_lower_delay(graph, node); break;
    case GRAPH_FOR_EACH: graph_lower_loop(graph, node); break;
    case GRAPH_WAIT_EVENT: graph_lower_event(graph, node); break;
    case GRAPH_LOGIC_GATE: graph_lower_logic_gate(graph, node); break;
    case GRAPH_SWITCH_GATE: graph_lower_switch_gate(graph, node); break;
    case GRAPH_FAN_IN_GATE: graph_lower_fan_in(graph, node); break;
    case GRAPH_FOR_LOOP: graph_lower_range(graph, node); break;
    case GRAPH_SET_CONTEXT: graph_lower_context(graph, node); break;
    default: lower_trigger(graph, node);
    }
    static const enum undoing undoing[] = { UNDOING_NEVER, UNDOING_ALWAYS, UNDOING_AS_PROGRAM };
    graph_lowered(graph, node)->undoes =
        undoing[graph_word(graph, &node->at, "onFailure", "fail|compensate", PROBLEM_BAD_VALUE, 2)];
    graph_lower_undo(graph, node);
    graph_lower_milestone(graph, node);
    graph_lower_lock(graph, node);
}

/* True if the failure of some node undoes others. */
static bool has_undoing(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        enum undoing undoes = graph_lowered(graph, &graph->node[i])->undoes;
        if (undoes == UNDOING_ALWAYS || (undoes == UNDOING_AS_PROGRAM && graph->undoes)) return true;
    }
    return false;
}

static void warn_of_idle_undos(struct graph *graph)
{
    if (has_undoing(graph)) return;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (graph_lowered(graph, node)->undo == NODE_NONE) continue;
        problem_warning(graph_about(graph, &node->at), PROBLEM_COMPENSATION_OFF,
                        graph_pointer(graph, &node->at, "compensation"),
                        "add \"onFailure\": \"compensate\" to the settings",
                        "%s has a compensation that never runs: no failure compensates",
                        graph_label(graph, node));
    }
}

void graph_lower(struct graph *graph)
{
    struct program *program = graph->program;
    begin_nodes(graph);
    graph_mark_undos(graph);
    for (size_t i = 0; i < graph->node_count; i++) lower_node(graph, &graph->node[i]);
    warn_of_idle_undos(graph);
    limit_circles(graph);
    must(graph->lowered_count > graph->node_count && graph->end == graph->node_count);
    program->node = graph->lowered;
    program->node_count = graph->lowered_count;
    graph_settings_lower(graph);
}
