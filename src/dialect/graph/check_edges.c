/* dialect/graph/check_edges.c — what edges may do: between which nodes, from which ports, with which
 * conditions. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

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
    bool into =
        from->type && from->type->kind == GRAPH_KIND_LOOP && str_equal(edge->port, from->type->wiring->body);
    return into ? edge->from : from->parent;
}

static void check_scope(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from], *to = &graph->node[edge->to];
    uint32_t scope = scope_of(graph, edge);
    must(scope == NODE_NONE || scope < graph->node_count);
    if (scope == to->parent || (to->type && to->type->kind == GRAPH_KIND_TRIGGER)) return;
    const char *where =
        scope == NODE_NONE
            ? "outside of every loop"
            : arena_printf(graph->scratch, "inside %s", graph_label(graph, &graph->node[scope])).p;
    problem_error(graph_about(graph, &edge->at), PROBLEM_SCOPE_VIOLATION, edge->at.pointer,
                  "lead on from the loop by its \"When all are done\"",
                  "the edge from %s to %s crosses the border of a loop: its target must be %s",
                  graph_label(graph, from), graph_label(graph, to), where);
}

/* ---- ports ---- */

/* The name of a port that an entry of the list makes: a text, or the label of an object. */
static const struct json *port_name(const struct json *entry)
{
    return json_is(entry, JSON_OBJECT) ? json_get(entry, STR("label")) : entry;
}

static bool is_named_port(const struct graph_node *node, str port)
{
    const struct json *list = graph_member(&node->config, node->type->wiring->ports_of);
    bool decision = node->type->id == GRAPH_HUMAN_TASK;
    if (!json_is(list, JSON_ARRAY)) return decision; /* Any answer may come. */
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        const struct json *name = port_name(each.value);
        if (json_is(name, JSON_STRING) && str_equal(json_string(name), port)) return true;
    }
    return decision && json_count(list) == 0;
}

static bool is_refused(const struct graph_type *type, str port)
{
    for (size_t i = 0; i < type->wiring->refused_count; i++)
        if (str_equal(type->wiring->refused[i], port)) return true;
    return false;
}

static void refuse_port(struct graph *graph, const struct graph_edge *edge, const struct graph_node *node,
                        str port)
{
    problem_error(graph_about(graph, &edge->at), PROBLEM_UNSUPPORTED, edge->at.pointer,
                  "leave the port without an edge", "%s: the engine cannot do what the port %s is for",
                  graph_label(graph, node), problem_quote(graph->scratch, port));
}

static void offer_ports(const struct graph_node *node, struct nearest *nearest)
{
    for (size_t i = 0; i < node->type->port_count; i++) nearest_offer(nearest, node->type->port[i].name);
    const char *ports_of = node->type->wiring->ports_of;
    const struct json *list = ports_of ? graph_member(&node->config, ports_of) : NULL;
    struct json_each each = json_each(json_is(list, JSON_ARRAY) ? list : json_empty_array());
    while (json_next(&each))
        if (json_is(port_name(each.value), JSON_STRING))
            nearest_offer(nearest, json_string(port_name(each.value)));
}

static void check_port(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *from = &graph->node[edge->from];
    if (!from->type || from->type->kind == GRAPH_KIND_END || graph_port_is(from->type, edge->port)) return;
    if (from->type->wiring->ports_of && is_named_port(from, edge->port)) return;
    if (is_refused(from->type, edge->port)) {
        refuse_port(graph, edge, from, edge->port);
        return;
    }
    struct nearest nearest;
    nearest_init(&nearest, edge->port);
    offer_ports(from, &nearest);
    problem_error(graph_about(graph, &edge->at), PROBLEM_UNKNOWN_PORT, edge->at.pointer,
                  nearest_hint(&nearest, graph->scratch), "%s has no way out called %s",
                  graph_label(graph, from), problem_quote(graph->scratch, edge->port));
}

/* Most types have one way in. Editors call it as they like. */
static void warn_of_input(struct graph *graph, const struct graph_edge *edge)
{
    static const char *const names[] = { "toPort", "targetPort", "targetHandle" };
    if (str_equal_ignoring_case(edge->to_port, STR("in"))) return;
    for (size_t i = 0; i < COUNT(names); i++)
        graph_idle(graph, &edge->at, names[i], "the node where it ends has one way in");
}

/* Where the edge ends. Types of the older format have ports there that do different things. False: it cannot
 * end there. */
static bool check_input(struct graph *graph, const struct graph_edge *edge)
{
    const struct graph_node *to = &graph->node[edge->to];
    const struct graph_wiring *wiring = to->type ? to->type->wiring : NULL;
    if (!wiring) return true;
    if (!wiring->input) {
        warn_of_input(graph, edge);
        return true;
    }
    for (size_t i = 0; i < wiring->input_count; i++)
        if (str_equal(wiring->input[i], edge->to_port)) return true;
    if (is_refused(to->type, edge->to_port)) {
        refuse_port(graph, edge, to, edge->to_port);
        return false;
    }
    problem_error(graph_about(graph, &edge->at), PROBLEM_UNKNOWN_PORT, edge->at.pointer,
                  arena_printf(graph->scratch, "write \"%s\"", wiring->input[0].p).p,
                  "%s has no way in called %s", graph_label(graph, to),
                  problem_quote(graph->scratch, edge->to_port));
    return false;
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
        if (is_second(graph, node, i) && !node->type->wiring->fans_out)
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
        if (edge->is_default && node->type->id != GRAPH_HUMAN_TASK) /* check_answers.c looks at those. */
            problem_warning(graph_about(graph, &edge->at), PROBLEM_IGNORED,
                            graph_pointer(graph, &edge->at, "default"), NULL,
                            "%s: only a Decision, a Match or Ask a person has a default way", edge->at.what);
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
        if (edge->is_default) graph_idle(graph, &edge->at, "default", "a Split & Wait takes every way");
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
        if (type && (type->id == GRAPH_PARALLEL || type->id == GRAPH_MATCH || type->id == GRAPH_FAN_IN_GATE))
            number_ways_in(graph, &graph->node[i]);
    }
}

void graph_check_edges(struct graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        check_ends(graph, &graph->edge[i]);
        check_port(graph, &graph->edge[i]);
        if (check_input(graph, &graph->edge[i])) check_scope(graph, &graph->edge[i]);
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
