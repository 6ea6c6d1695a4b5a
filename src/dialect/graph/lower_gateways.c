/* dialect/graph/lower_gateways.c — gateways: one way, every way, every way that fits; and the joins where
 * ways meet.
 *
 * A gateway with several incoming edges is a join. If it has several outgoing edges too, an inner fork stands
 * behind the join.
 */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

/* ---- ways with conditions ---- */

/* Ways in their order, the default last. */
static size_t make_choices(struct graph *graph, const struct graph_node *node, struct program_edge **ret_edge)
{
    bool strict = graph_flag(graph, &node->config, "strict", true);
    struct program_edge *edge = arena_make_n(graph->arena, struct program_edge, node->out_count + 1);
    size_t count = 0;
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < node->out_count; i++) {
            const struct graph_edge *way = &graph->edge[node->out[i]];
            if (way->is_default != (round == 1)) continue;
            edge[count] = graph_way(graph, way);
            edge[count].otherwise = way->is_default;
            if (way->condition && !way->is_default)
                edge[count].when =
                    graph_condition(graph, node, way->condition, graph_pointer(graph, &way->at, "condition"),
                                    strict, GRAPH_SEES_DATA);
            count++;
        }
    if (!count) edge[count++] = graph_way(graph, NULL);
    must(count && count <= node->out_count + 1);
    *ret_edge = edge;
    return count;
}

static void set_choices(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    struct program_edge *edge;
    lowered->edge_count = make_choices(graph, node, &edge);
    lowered->edge = edge;
    lowered->no_edge_reason =
        arena_printf(graph->arena, "no way out of \"%.*s\" fits, and none is the default",
                     STR_ARG(graph_lowered(graph, node)->title));
}

static void set_taken(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    static const str names[] = { STR_INIT("taken") };
    struct expr_tree *taken = tree_variable_or_null(STR("taken"), graph->arena);
    graph_set_output(graph, node, lowered, tree_map(names, &taken, 1, graph->arena));
}

/* ---- one way ---- */

void graph_lower_decision(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    lowered->kind = NODE_CHOOSE;
    set_choices(graph, node, lowered);
    set_taken(graph, node, lowered);
}

/* ---- joins ---- */

/* The node that sends tokens out: the gateway itself or, behind a join, an inner one. */
static struct program_node *split_of(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    if (node->arrivals < 2) return lowered;
    uint32_t split = graph_add(graph, (struct program_node){ .name = graph_unique(graph, node->id, "/split"),
                                                             .title = lowered->title,
                                                             .type = lowered->type,
                                                             .pointer = lowered->pointer,
                                                             .undo = NODE_NONE,
                                                             .inner = true });
    const struct program_edge way = { .target = split };
    graph_set_edges(graph, lowered, &way, 1);
    return &graph->lowered[split];
}

static void make_join(const struct graph_node *node, struct program_node *lowered, enum join_mode mode)
{
    must(node->arrivals > 1);
    lowered->kind = NODE_JOIN;
    lowered->as.join.mode = mode;
    lowered->as.join.arrivals = node->arrivals;
}

static void read_join(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    enum { ALL, ANY, QUORUM };
    static const char *const fields[] = { "mode", "count", "cancelRemaining", "blocking", NULL };
    struct graph_place join = graph_object(graph, &node->config, "join");
    graph_only(graph, &join, fields);
    size_t mode = graph_word(graph, &join, "mode", "all|any|quorum", PROBLEM_BAD_VALUE, ALL);
    bool blocks = graph_flag(graph, &join, "blocking", false) && mode != ALL;
    bool cancels = graph_flag(graph, &join, "cancelRemaining", !blocks);
    int64_t count = mode == QUORUM ? graph_integer(graph, &join, "count", 1, GRAPH_EDGES_MAX, 1) : 1;
    if (mode == QUORUM && !graph_member(&join, "count"))
        problem_error(graph_about(graph, &node->at), PROBLEM_REQUIRED, graph_pointer(graph, &join, "count"),
                      NULL, "%s waits for a quorum and does not say how many", graph_label(graph, node));
    if (node->arrivals < 2) {
        graph_idle(graph, &node->config, "join", "one way leads in");
        return;
    }
    if (mode == ALL) graph_idle(graph, &join, "cancelRemaining", "it waits for all of them");
    if (mode == ALL) graph_idle(graph, &join, "blocking", "it waits for all of them");
    if (blocks && cancels)
        problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE,
                      graph_pointer(graph, &join, "blocking"), "leave cancelRemaining out",
                      "%s cancels the other branches, so there is nothing that could block it",
                      graph_label(graph, node));
    if (mode != QUORUM) graph_idle(graph, &join, "count", "only a quorum counts");
    if (count > (int64_t)node->arrivals)
        problem_error(graph_about(graph, &node->at), PROBLEM_BAD_VALUE, graph_pointer(graph, &join, "count"),
                      NULL, "%s waits for %lld of its ways in, and has %u", graph_label(graph, node),
                      (long long)count, node->arrivals);
    make_join(node, lowered, mode == ALL ? JOIN_ALL : JOIN_COUNT);
    lowered->as.join.count = (uint32_t)count;
    lowered->as.join.cancels = cancels;
    lowered->as.join.blocks = blocks && !cancels;
}

/* ---- every way ---- */

static void make_fork(struct graph *graph, const struct graph_node *node, struct program_node *split)
{
    must(node->out_count > 1);
    struct program_edge *edge = arena_make_n(graph->arena, struct program_edge, node->out_count);
    for (size_t i = 0; i < node->out_count; i++) edge[i] = graph_way(graph, &graph->edge[node->out[i]]);
    split->kind = NODE_FORK;
    split->as.fork.join = NODE_NONE;
    split->edge = edge;
    split->edge_count = node->out_count;
}

void graph_lower_parallel(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    read_join(graph, node, lowered);
    if (node->out_count > 1) make_fork(graph, node, split_of(graph, node));
    else graph_set_way(graph, lowered, node->out_count ? &graph->edge[node->out[0]] : NULL);
}

/* ---- every way that fits ---- */

void graph_lower_match(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    if (node->arrivals > 1) make_join(node, lowered, JOIN_INCLUSIVE);
    struct program_node *split = split_of(graph, node);
    split->kind = NODE_FORK;
    split->as.fork.join = NODE_NONE;
    split->as.fork.chooses = true;
    set_choices(graph, node, split);
    set_taken(graph, node, split);
}
