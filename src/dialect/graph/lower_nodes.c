/* dialect/graph/lower_nodes.c — the nodes of the program that is being made: their names, ways and outputs.
 */
#include "dialect/graph/graph_int.h"

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
    return (struct program_edge){
        .target = edge->to, .label = edge->label, .name = edge->id, .arrival = edge->arrival
    };
}

void graph_set_edges(struct graph *graph, struct program_node *lowered, const struct program_edge *edge,
                     size_t count)
{
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
    static const str names[] = { STR_INIT("error") };
    const struct graph_edge *edge = graph_port_edge(graph, node, STR("error"));
    if (!edge) return;
    struct expr_tree *error = graph_error_value(graph);
    struct program_value *output = arena_make(graph->arena, struct program_value);
    *output = (struct program_value){
        .name = graph_name_of_output(graph, node->id),
        .expr = expr_of_tree(tree_map(names, &error, 1, graph->arena), graph->arena),
    };
    struct program_handler *handler = arena_make(graph->arena, struct program_handler);
    *handler = (struct program_handler){ .output = output, .output_count = 1, .way = graph_way(graph, edge) };
    lowered->handler = handler;
    lowered->handler_count = 1;
}
