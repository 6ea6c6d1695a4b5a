/* dialect/graph/read_edges.c — edges, in each of the forms that formats of graphs have:
 *
 *     {"from": "a", "fromPort": "out", "to": "b"}
 *     {"from": ["a", "out"], "to": ["b", "in"]}
 *     {"sourceNodeId": "a", "sourcePort": "out", "targetNodeId": "b", "targetPort": "in"}
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"
#include "base/sort.h"

static const char *const edge_fields[] = {
    "id",           "edgeId",     "from",         "fromPort",   "to",           "toPort",
    "sourceNodeId", "sourcePort", "targetNodeId", "targetPort", "source",       "target",
    "condition",    "default",    "order",        "label",      "sourceHandle", "targetHandle",
    "type",         "waypoints",  "style",        NULL,
};

/* ---- ends of an edge ---- */

struct edge_end {
    const char *member[4]; /* Names of the member that has the node, and NULL. */
    const char *port[4];
    str port_default;
};

static const struct edge_end from_end = { { "from", "sourceNodeId", "source", NULL },
                                          { "fromPort", "sourcePort", "sourceHandle", NULL },
                                          STR_INIT("out") };
static const struct edge_end to_end = { { "to", "targetNodeId", "target", NULL },
                                        { "toPort", "targetPort", "targetHandle", NULL },
                                        STR_INIT("in") };

/* False: it has been reported. */
static bool read_end(struct graph *graph, const struct graph_place *at, const struct edge_end *end,
                     uint32_t *ret_node, str *ret_port)
{
    const char *member = graph_spelled(graph, at, end->member), *port = graph_spelled(graph, at, end->port);
    const struct json *value = graph_member(at, member), *given = value;
    *ret_port = graph_text(graph, at, port);
    if (json_is(value, JSON_ARRAY)) {
        const struct json *second = json_item(value, 1);
        if (json_is(second, JSON_STRING)) {
            graph_idle(graph, at, port, "the list has the port");
            *ret_port = arena_str(graph->arena, json_string(second));
        }
        value = json_item(value, 0);
    }
    if (!ret_port->n) *ret_port = end->port_default;
    graph->problems->node = STR_NONE;
    if (!json_is(value, JSON_STRING) || !json_string(value).n) {
        problem_error(graph->problems, given ? PROBLEM_WRONG_TYPE : PROBLEM_REQUIRED,
                      graph_pointer(graph, at, member), NULL,
                      "an edge needs the id of the node that it leads %s", end == &from_end ? "from" : "to");
        return false;
    }
    *ret_node = graph_find(graph, json_string(value));
    if (*ret_node != NODE_NONE) return true;
    struct nearest nearest;
    nearest_init(&nearest, json_string(value));
    for (size_t i = 0; i < graph->node_count; i++) nearest_offer(&nearest, graph->node[i].id);
    graph->problems->node = json_string(value);
    problem_error(graph->problems, PROBLEM_EDGE_UNKNOWN_NODE, graph_pointer(graph, at, member),
                  nearest_hint(&nearest, graph->scratch), "an edge leads %s %s, which does not exist",
                  end == &from_end ? "from" : "to", problem_quote(graph->scratch, json_string(value)));
    return false;
}

/* ---- one edge ---- */

/* Triggers of the older format have a port with a name for each type. */
static str port_of_trigger(str port)
{
    static const char *const older[] = { "onTrigger", "onMessage", "onTick",
                                         "onResult",  "onExecute", "onEvent" };
    for (size_t i = 0; i < COUNT(older); i++)
        if (str_equal_ignoring_case(port, str_of(older[i]))) return STR("out");
    return port;
}

/* The port of an edge that names none is the usual one of its node. */
static str port_of(const struct graph_node *source, str port)
{
    if (!source->type) return port;
    if (source->type->kind == GRAPH_KIND_TRIGGER) return port_of_trigger(port);
    str next = source->type->wiring->next;
    return next.n && str_equal(port, STR("out")) ? next : port;
}

static double read_order(struct graph *graph, const struct graph_place *at, double otherwise)
{
    const struct json *order = graph_member(at, "order");
    if (!order || json_is(order, JSON_NUMBER)) return order ? json_double(order) : otherwise;
    graph_wrong_type(graph, at, "order", "a number", order);
    return otherwise;
}

static void read_edge(struct graph *graph, const struct json *item, str pointer, size_t index)
{
    static const char *const ids[] = { "id", "edgeId", NULL };
    struct graph_edge edge = { .at = { .object = item, .pointer = pointer, .what = "edge" } };
    if (!json_is(item, JSON_OBJECT)) {
        graph->cut = true;
        problem_error(graph_about(graph, &graph->document), PROBLEM_WRONG_TYPE, pointer, NULL,
                      "an edge must be an object, not %s", json_kind_name(json_kind(item)));
        return;
    }
    str to_port;
    bool from = read_end(graph, &edge.at, &from_end, &edge.from, &edge.port);
    bool to = read_end(graph, &edge.at, &to_end, &edge.to, &to_port);
    if (!from || !to) {
        graph->cut = true;
        return;
    }
    const struct graph_node *source = &graph->node[edge.from];
    edge.at.node = source->id;
    edge.at.what = arena_printf(graph->scratch, "the edge from %s to %s", graph_label(graph, source),
                                graph_label(graph, &graph->node[edge.to]))
                       .p;
    edge.port = port_of(source, edge.port);
    edge.to_port = to_port;
    edge.id = graph_text(graph, &edge.at, graph_spelled(graph, &edge.at, ids));
    if (!edge.id.n) edge.id = arena_printf(graph->arena, "edge_%zu", index + 1);
    edge.condition = graph_member(&edge.at, "condition");
    edge.is_default = graph_flag(graph, &edge.at, "default", false);
    edge.order = read_order(graph, &edge.at, (double)index);
    edge.label = graph_text(graph, &edge.at, "label");
    graph_only(graph, &edge.at, edge_fields);
    must(edge.from < graph->node_count && edge.to < graph->node_count);
    graph->edge[graph->edge_count++] = edge;
}

/* ---- first nodes of triggers ---- */

static bool has_edge(const struct graph *graph, uint32_t node)
{
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edge[i].from == node) return true;
    return false;
}

/* A trigger without an edge leads to the node that it calls its entry: an edge that nobody drew. */
static void add_entries(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->node[i];
        if (!node->type || node->type->kind != GRAPH_KIND_TRIGGER) continue;
        str entry = graph_text(graph, &node->config, "entry");
        if (!entry.n) continue;
        node->entry = graph_find(graph, entry);
        if (node->entry == NODE_NONE) {
            graph->cut = true;
            graph->problems->node = entry;
            problem_error(graph->problems, PROBLEM_EDGE_UNKNOWN_NODE,
                          graph_pointer(graph, &node->config, "entry"), NULL,
                          "%s begins with %s, which does not exist", graph_label(graph, node),
                          problem_quote(graph->scratch, entry));
        } else if (has_edge(graph, i)) {
            graph_idle(graph, &node->config, "entry", "an edge says where it begins");
        } else {
            graph->edge[graph->edge_count++] = (struct graph_edge){
                .id = STR("entry"), .at = node->at, .from = i, .to = node->entry, .port = STR("out")
            };
        }
    }
}

/* ---- the whole ---- */

static int compare_order(const void *a, const void *b, const void *context)
{
    const struct graph_edge *edge = context;
    double left = edge[*(const uint32_t *)a].order, right = edge[*(const uint32_t *)b].order;
    return left < right ? -1 : left > right;
}

/* Gives every node its edges, those that leave it in their order. */
static void link_edges(struct graph *graph)
{
    for (size_t i = 0; i < graph->node_count; i++) graph->node[i].out_count = graph->node[i].in_count = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        must(graph->edge[i].from < graph->node_count && graph->edge[i].to < graph->node_count);
        graph->node[graph->edge[i].from].out_count++;
        graph->node[graph->edge[i].to].in_count++;
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct graph_node *node = &graph->node[i];
        node->out = arena_make_n(graph->arena, uint32_t, node->out_count);
        node->in = arena_make_n(graph->arena, uint32_t, node->in_count);
        node->out_count = node->in_count = 0;
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        struct graph_node *from = &graph->node[graph->edge[i].from], *to = &graph->node[graph->edge[i].to];
        from->out[from->out_count++] = i;
        to->in[to->in_count++] = i;
    }
    uint32_t *scratch = arena_make_n(graph->scratch, uint32_t, graph->edge_count);
    for (size_t i = 0; i < graph->node_count; i++)
        sort_stable(graph->node[i].out, scratch, graph->node[i].out_count, sizeof *scratch, compare_order,
                    graph->edge);
}

void graph_read_edges(struct graph *graph)
{
    static const char *const lists[] = { "edges", "connections", NULL };
    const char *field = graph_spelled(graph, &graph->document, lists);
    const struct json *edges = graph_list(graph, &graph->document, field);
    size_t count = json_count(edges);
    if (count > GRAPH_EDGES_MAX) {
        problem_error(graph_about(graph, &graph->document), PROBLEM_TOO_LARGE,
                      graph_pointer(graph, &graph->document, field), NULL, "%zu edges; the most is %d", count,
                      GRAPH_EDGES_MAX);
        count = 0;
    }
    /* Room for those of entries, and for those from loops to gates, of which each replaces one. */
    graph->edge = arena_make_n(graph->arena, struct graph_edge, 2 * count + graph->node_count);
    str pointer = graph_pointer(graph, &graph->document, field);
    struct json_each each = json_each(edges);
    for (size_t i = 0; i < count && json_next(&each); i++)
        read_edge(graph, each.value, problem_pointer_index(graph->arena, pointer, i), i);
    add_entries(graph);
    must(graph->edge_count <= count + graph->node_count);
    link_edges(graph);
    graph_bodies_find(graph);
    link_edges(graph);
}
