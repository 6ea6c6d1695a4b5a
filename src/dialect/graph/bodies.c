/* dialect/graph/bodies.c — what belongs to a loop whose document draws no border.
 *
 * In the older format nodes have no `parent`. The body of a loop is everything behind the port of its
 * iterations, up to the gates (FanInGate) where iterations meet. Such a gate stands outside: the edge from
 * the body to it ends the iteration, and the gate goes on when the loop is done, by an edge that is added
 * here.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"
#include "base/sort.h"

struct body {
    uint32_t loop;
    uint32_t size;
};

static bool begins_body(const struct graph_node *node, const struct graph_edge *edge)
{
    return node->type && node->type->id == GRAPH_FOR_LOOP && str_equal(edge->port, node->type->wiring->body);
}

static bool is_gate(const struct graph_node *node)
{
    return node->type && node->type->id == GRAPH_FAN_IN_GATE;
}

/* Does the document say which nodes are in it? */
static bool has_children(const struct graph *graph, uint32_t loop)
{
    for (size_t i = 0; i < graph->node_count; i++)
        if (graph->node[i].parent == loop) return true;
    return false;
}

/* Finds the body: what can be reached from the loop's iterations. Returns how many nodes it has. */
static size_t find_body(const struct graph *graph, uint32_t loop, bool *found, uint32_t *queue)
{
    must(loop < graph->node_count);
    size_t count = 0;
    memset(found, 0, graph->node_count * sizeof *found);
    found[loop] = true;
    for (size_t done = 0, at = loop;; at = queue[done++]) {
        const struct graph_node *node = &graph->node[at];
        for (size_t i = 0; i < node->out_count; i++) {
            const struct graph_edge *edge = &graph->edge[node->out[i]];
            const struct graph_node *to = &graph->node[edge->to];
            if (at == loop && !begins_body(node, edge)) continue;
            if (found[edge->to] || is_gate(to) || to->says_parent || !to->type) continue;
            found[edge->to] = true;
            queue[count++] = edge->to;
        }
        if (done == count) break;
    }
    must(count < graph->node_count);
    found[loop] = false;
    return count;
}

static int larger_first(const void *a, const void *b, const void *context)
{
    (void)context;
    const struct body *left = a, *right = b;
    return left->size > right->size ? -1 : left->size < right->size;
}

/* A loop inside another has the smaller body, which comes later and takes its nodes. */
static void set_parents(struct graph *graph, struct body *body, size_t count)
{
    bool *found = arena_make_n(graph->scratch, bool, graph->node_count);
    uint32_t *queue = arena_make_n(graph->scratch, uint32_t, graph->node_count);
    for (size_t i = 0; i < count; i++) body[i].size = (uint32_t)find_body(graph, body[i].loop, found, queue);
    sort_stable(body, arena_make_n(graph->scratch, struct body, count), count, sizeof *body, larger_first,
                NULL);
    for (size_t i = 0; i < count; i++) {
        find_body(graph, body[i].loop, found, queue);
        for (size_t k = 0; k < graph->node_count; k++)
            if (found[k] && graph->node[k].type->kind != GRAPH_KIND_TRIGGER)
                graph->node[k].parent = body[i].loop;
    }
}

/* ---- gates behind a loop ---- */

static bool is_fed(const struct graph *graph, uint32_t loop, uint32_t gate, size_t since)
{
    for (size_t i = since; i < graph->edge_count; i++)
        if (graph->edge[i].from == loop && graph->edge[i].to == gate) return true;
    return false;
}

/* An edge from the body of a loop to a gate beside the loop becomes one from the loop itself. */
static void lead_to_gates(struct graph *graph)
{
    size_t count = graph->edge_count, kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct graph_edge edge = graph->edge[i];
        uint32_t loop = graph->node[edge.from].parent;
        const struct graph_node *gate = &graph->node[edge.to];
        bool crosses = loop != NODE_NONE && is_gate(gate) && gate->parent != loop &&
                       graph->node[loop].type->id == GRAPH_FOR_LOOP &&
                       gate->parent == graph->node[loop].parent;
        if (!crosses) {
            graph->edge[kept++] = edge;
            continue;
        }
        graph->node[edge.from].feeds = true;
        if (is_fed(graph, loop, edge.to, count)) continue;
        graph->edge[graph->edge_count++] = (struct graph_edge){
            .id = edge.id,
            .at = edge.at,
            .from = loop,
            .to = edge.to,
            .port = graph->node[loop].type->wiring->done,
            .to_port = edge.to_port,
            .order = edge.order,
        };
    }
    must(kept <= count && graph->edge_count - count <= count - kept);
    memmove(&graph->edge[kept], &graph->edge[count], (graph->edge_count - count) * sizeof *graph->edge);
    graph->edge_count = kept + (graph->edge_count - count);
}

void graph_bodies_find(struct graph *graph)
{
    struct body *body = arena_make_n(graph->scratch, struct body, graph->node_count);
    size_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->node[i].type && graph->node[i].type->id == GRAPH_FOR_LOOP && !has_children(graph, i))
            body[count++].loop = i;
    must(count <= graph->node_count);
    if (count) set_parents(graph, body, count);
    lead_to_gates(graph);
}
