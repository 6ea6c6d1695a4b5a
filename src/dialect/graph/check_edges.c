/* dialect/graph/check_edges.c — what edges may do: between which nodes, from which ports, with which
 * conditions. */
#include "dialect/graph/graph_int.h"

/* ---- ends ---- */

static void check_ends(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from], *to = &graph->node[edge->to];
    if (to->type && to->type->kind == GRAPH_KIND_TRIGGER) {
        graph->problems->node = to->id;
        problem_error(graph->problems, PROBLEM_EDGE_INTO_TRIGGER, edge->at.pointer,
                      "a workflow begins there: nothing leads to it", "%s cannot be reached from %s",
                      graph_label(graph, to), graph_label(graph, from));
    }
    if (from->type && from->type->kind == GRAPH_KIND_END)
        problem_error(graph_about(graph, &edge->at), PROBLEM_EDGE_FROM_END, edge->at.pointer, NULL,
                      "%s is an end: nothing follows it", graph_label(graph, from));
}

/* The loop in which the edge's target must be. */
static uint32_t scope_of(const struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from];
    bool into = from->type && from->type->kind == GRAPH_KIND_LOOP && str_equal(edge->port, STR("body"));
    return into ? edge->from : from->parent;
}

static void check_scope(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from], *to = &graph->node[edge->to];
    uint32_t scope = scope_of(graph, edge);
    if (scope == to->parent || (to->type && to->type->kind == GRAPH_KIND_TRIGGER)) return;
    const char *where =
        scope == NODE_NONE
            ? "outside of every For each"
            : arena_printf(graph->scratch, "inside %s", graph_label(graph, &graph->node[scope])).p;
    problem_error(graph_about(graph, &edge->at), PROBLEM_SCOPE_VIOLATION, edge->at.pointer,
                  "lead on from the For each by its \"When all are done\"",
                  "the edge from %s to %s crosses the border of a For each: its target must be %s",
                  graph_label(graph, from), graph_label(graph, to), where);
}

/* ---- ports ---- */

static bool is_decision(const struct graph_node *node, str port)
{
    const struct json *decisions = graph_member(&node->config, "decisions");
    if (!json_is(decisions, JSON_ARRAY)) return true; /* Any answer may come. */
    struct json_each each = json_each(decisions);
    while (json_next(&each))
        if (json_is(each.value, JSON_STRING) && str_equal(json_string(each.value), port)) return true;
    return json_count(decisions) == 0;
}

static void check_port(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from];
    if (!from->type || from->type->kind == GRAPH_KIND_END || graph_port_is(from->type, edge->port)) return;
    if (from->type->has_named_ports && is_decision(from, edge->port)) return;
    struct nearest nearest;
    nearest_init(&nearest, edge->port);
    for (size_t i = 0; i < from->type->port_count; i++) nearest_offer(&nearest, from->type->port[i].name);
    problem_error(graph_about(graph, &edge->at), PROBLEM_UNKNOWN_PORT, edge->at.pointer,
                  nearest_hint(&nearest, graph->scratch), "%s has no way out called %s",
                  graph_label(graph, from), problem_quote(graph->scratch, edge->port));
}

/* Is another edge before this one at the same port, and is it the only one before? */
static bool is_second(const struct graph *graph, const struct graph_node *node, size_t index)
{
    size_t before = 0;
    for (size_t i = 0; i < index; i++)
        before += str_equal(graph->edge[node->out[i]].port, graph->edge[node->out[index]].port);
    return before == 1;
}

static void check_only_edge(struct graph *graph, const struct graph_node *node)
{
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        if (is_second(graph, node, i))
            problem_error(
                graph_about(graph, &edge->at), PROBLEM_DUPLICATE_PORT_EDGE, edge->at.pointer,
                "put a Split & Wait behind it to do several things at once, or a Decision to choose",
                "two edges leave %s at %s", graph_label(graph, node),
                problem_quote(graph->scratch, edge->port));
        if (edge->condition)
            problem_error(graph_about(graph, &edge->at), PROBLEM_CONDITION_NOT_ALLOWED,
                          graph_pointer(graph, &edge->at, "condition"), "put a Decision behind it",
                          "only the edges of a Decision or a Match have conditions; this one leaves %s",
                          graph_label(graph, node));
        if (edge->is_default)
            problem_warning(graph_about(graph, &edge->at), PROBLEM_IGNORED,
                            graph_pointer(graph, &edge->at, "default"), NULL,
                            "%s: only a Decision or a Match has a default way", edge->at.what);
    }
}

/* ---- gateways ---- */

static void check_parallel(struct graph *graph, const struct graph_node *node)
{
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        if (edge->condition)
            problem_error(
                graph_about(graph, &edge->at), PROBLEM_CONDITION_ON_PARALLEL,
                graph_pointer(graph, &edge->at, "condition"), "use a Match to choose among several ways",
                "%s takes every way: an edge that leaves it has no condition", graph_label(graph, node));
    }
}

static void check_choice(struct graph *graph, const struct graph_node *node)
{
    size_t defaults = 0;
    for (size_t i = 0; i < node->out_count; i++) {
        const struct graph_edge *edge = &graph->edge[node->out[i]];
        defaults += edge->is_default;
        if (edge->is_default && edge->condition)
            problem_error(graph_about(graph, &edge->at), PROBLEM_CONDITION_ON_DEFAULT,
                          graph_pointer(graph, &edge->at, "condition"), NULL,
                          "the default way of %s has a condition; it is taken when no other way is",
                          graph_label(graph, node));
        if (edge->is_default && defaults == 2)
            problem_error(graph_about(graph, &edge->at), PROBLEM_GATEWAY_MULTIPLE_DEFAULTS, edge->at.pointer,
                          NULL, "%s has two default ways", graph_label(graph, node));
        if (!edge->is_default && !edge->condition && node->out_count > 1)
            problem_error(graph_about(graph, &edge->at), PROBLEM_CONDITION_REQUIRED, edge->at.pointer,
                          "say when this way is taken, or make it the default",
                          "%s: the way to %s has no condition", graph_label(graph, node),
                          graph_label(graph, &graph->node[edge->to]));
    }
    if (!defaults && node->out_count > 1)
        problem_error(graph_about(graph, &node->at), PROBLEM_GATEWAY_DEFAULT_REQUIRED, node->at.pointer,
                      "mark one of its edges with \"default\": true",
                      "%s needs a default way, for when no condition holds", graph_label(graph, node));
}

/* ---- the whole ---- */

/* Numbers the edges that lead to a gateway. Any trigger may start the flow, so their edges are one way in. */
static void number_ways_in(struct graph *graph, struct graph_node *node)
{
    uint32_t of_triggers = 0;
    for (size_t i = 0; i < node->in_count; i++) {
        struct graph_edge *edge = &graph->edge[node->in[i]];
        const struct graph_type *type = graph->node[edge->from].type;
        bool triggers = type && type->kind == GRAPH_KIND_TRIGGER;
        if (!triggers || !of_triggers) node->arrivals++;
        if (triggers && !of_triggers) of_triggers = node->arrivals;
        edge->arrival = triggers ? of_triggers : node->arrivals;
    }
    for (size_t i = 0; node->arrivals < 2 && i < node->in_count; i++) graph->edge[node->in[i]].arrival = 0;
}

static void number_arrivals(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_type *type = graph->node[i].type;
        if (type && (type->id == GRAPH_PARALLEL || type->id == GRAPH_MATCH))
            number_ways_in(graph, &graph->node[i]);
    }
}

void graph_check_edges(struct graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        check_ends(graph, &graph->edge[i]);
        check_port(graph, &graph->edge[i]);
        check_scope(graph, &graph->edge[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct graph_node *node = &graph->node[i];
        if (!node->type || node->type->kind == GRAPH_KIND_END) continue;
        if (node->type->id == GRAPH_PARALLEL) check_parallel(graph, node);
        else if (node->type->kind == GRAPH_KIND_GATEWAY) check_choice(graph, node);
        else check_only_edge(graph, node);
    }
    number_arrivals(graph);
}
