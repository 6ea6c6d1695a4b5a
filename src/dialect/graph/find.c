/* dialect/graph/find.c — nodes by their ids, and what messages call them. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"
#include "base/sort.h"

static int compare_ids(const void *a, const void *b, const void *context)
{
    const struct graph_node *node = context;
    return str_compare(node[*(const uint32_t *)a].id, node[*(const uint32_t *)b].id);
}

void graph_sort(struct graph *graph)
{
    uint32_t *order = arena_make_n(graph->arena, uint32_t, graph->node_count);
    uint32_t *other = arena_make_n(graph->scratch, uint32_t, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++) order[i] = i;
    sort_stable(order, other, graph->node_count, sizeof *order, compare_ids, graph->node);
    graph->by_id = order;
}

uint32_t graph_find(const struct graph *graph, str id)
{
    must(graph->by_id || !graph->node_count);
    size_t low = 0, high = graph->node_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(graph->node[graph->by_id[middle]].id, id) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == graph->node_count || !id.n) return NODE_NONE;
    return str_equal(graph->node[graph->by_id[low]].id, id) ? graph->by_id[low] : NODE_NONE;
}

const char *graph_label(struct graph *graph, const struct graph_node *node)
{
    if (node->label.n) return problem_quote(graph->scratch, node->label);
    const char *type = node->type ? node->type->label : "Node";
    return arena_printf(graph->scratch, "%s %s", type, problem_quote(graph->scratch, node->id)).p;
}
