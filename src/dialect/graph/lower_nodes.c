/* dialect/graph/lower_nodes.c — the nodes of the program that is being made: their names, ways and outputs.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- nodes ---- */

uint32_t graph_add(struct graph *graph, struct program_node node)
{
    must(graph->lowered_count < graph->lowered_cap);
    graph->lowered[graph->lowered_count] = node;
    return (uint32_t)graph->lowered_count++;
}

static bool is_taken(const struct graph *graph, str name)
{
    for (size_t i = graph->node_count; i < graph->lowered_count; i++)
        if (str_equal(graph->lowered[i].name, name)) return true;
    return graph_find(graph, name) != NODE_NONE;
}

str graph_unique(struct graph *graph, str id, const char *word)
{
    str name = arena_printf(graph->arena, "%.*s%s", STR_ARG(id), word);
    while (is_taken(graph, name)) name = arena_printf(graph->arena, "%.*s'", STR_ARG(name));
    return name;
}

struct program_node *graph_lowered(struct graph *graph, const struct graph_node *node)
{
    must(node->index < graph->node_count && graph->lowered_count >= graph->node_count);
    return &graph->lowered[node->index];
}

/* ---- ways ---- */

const struct graph_edge *graph_port_edge(const struct graph *graph, const struct graph_node *node, str port)
{
    for (size_t i = 0; i < node->out_count; i++)
        if (str_equal(graph->edge[node->out[i]].port, port)) return &graph->edge[node->out[i]];
    return NULL;
}

struct program_edge graph_way(const struct graph *graph, const struct graph_edge *edge)
{
    if (!edge) return (struct program_edge){ .target = graph->end };
    must(edge->from < graph->node_count && edge->to < graph->node_count);
    return (struct program_edge){
        .target = edge->to, .label = edge->label, .name = edge->id, .arrival = edge->arrival
    };
}

/* An inner node that the author's node needs besides. */
uint32_t graph_add_inner(struct graph *graph, const struct graph_node *node, const char *word,
                         enum node_kind kind)
{
    const struct program_node *lowered = graph_lowered(graph, node);
    return graph_add(graph, (struct program_node){ .kind = kind,
                                                   .name = graph_unique(graph, node->id, word),
                                                   .title = lowered->title,
                                                   .type = lowered->type,
                                                   .pointer = lowered->pointer,
                                                   .undo = NODE_NONE,
                                                   .inner = true });
}

struct program_edge graph_port_way(struct graph *graph, const struct graph_node *node, str port)
{
    const struct graph_edge *only = graph_port_edge(graph, node, port);
    size_t count = 0;
    for (size_t i = 0; i < node->out_count; i++) count += str_equal(graph->edge[node->out[i]].port, port);
    if (count < 2) return graph_way(graph, only);
    const char *word = arena_printf(graph->scratch, "/%.*s", STR_ARG(port)).p;
    uint32_t fork = graph_add_inner(graph, node, word, NODE_FORK);
    struct program_edge *edge = arena_make_n(graph->arena, struct program_edge, count);
    count = 0;
    for (size_t i = 0; i < node->out_count; i++)
        if (str_equal(graph->edge[node->out[i]].port, port))
            edge[count++] = graph_way(graph, &graph->edge[node->out[i]]);
    must(graph->lowered[fork].kind == NODE_FORK && count > 1);
    graph->lowered[fork].as.fork.join = NODE_NONE;
    graph->lowered[fork].edge = edge;
    graph->lowered[fork].edge_count = count;
    return (struct program_edge){ .target = fork };
}

void graph_set_edges(struct graph *graph, struct program_node *lowered, const struct program_edge *edge,
                     size_t count)
{
    must(count > 0);
    struct program_edge *copy = arena_make_n(graph->arena, struct program_edge, count);
    memcpy(copy, edge, count * sizeof *edge);
    lowered->edge = copy;
    lowered->edge_count = count;
}

void graph_set_way(struct graph *graph, struct program_node *lowered, const struct graph_edge *edge)
{
    const struct program_edge way = graph_way(graph, edge);
    graph_set_edges(graph, lowered, &way, 1);
}

/* ---- outputs ---- */

void graph_add_output(struct graph *graph, struct program_node *lowered, struct program_value value)
{
    struct program_value *output =
        arena_make_n(graph->arena, struct program_value, lowered->output_count + 1);
    if (lowered->output_count) memcpy(output, lowered->output, lowered->output_count * sizeof *output);
    output[lowered->output_count++] = value;
    lowered->output = output;
}

void graph_set_output(struct graph *graph, const struct graph_node *node, struct program_node *lowered,
                      struct expr_tree *value)
{
    graph_add_output(graph, lowered,
                     (struct program_value){ .name = graph_name_of_output(graph, node->id),
                                             .expr = expr_of_tree(value, graph->arena) });
}

void graph_set_error_port(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    must(!lowered->handler_count);
    static const str names[] = { STR_INIT("error") };
    str port = node->type->wiring->error.n ? node->type->wiring->error : STR("error");
    if (!graph_port_edge(graph, node, port)) return;
    const struct program_edge way = graph_port_way(graph, node, port);
    struct expr_tree *error = graph_error_value(graph);
    struct program_value *output = arena_make(graph->arena, struct program_value);
    *output = (struct program_value){
        .name = graph_name_of_output(graph, node->id),
        .expr = expr_of_tree(tree_map(names, &error, 1, graph->arena), graph->arena),
    };
    struct program_handler *handler = arena_make(graph->arena, struct program_handler);
    *handler = (struct program_handler){ .output = output, .output_count = 1, .way = way };
    lowered->handler = handler;
    lowered->handler_count = 1;
}
