/* dialect/graph/lower_milestone_lock.c — milestones and locks, for which a node waits before it begins. */
#include "dialect/graph/graph_int.h"

#include "base/must.h"

static struct program_begin *begin_of(struct graph *graph, const struct graph_node *node)
{
    struct program_node *lowered = graph_lowered(graph, node);
    if (!graph->begin) graph->begin = arena_make_n(graph->arena, struct program_begin, graph->node_count);
    if (!lowered->begin) lowered->begin = (uint16_t)++graph->begin_count;
    must(graph->begin_count <= graph->node_count && graph->begin_count <= UINT16_MAX);
    return &graph->begin[lowered->begin - 1];
}

/* The node of the top level that the field names; NODE_NONE: none, or a wrong one, which is a problem. */
static uint32_t milestone_of(struct graph *graph, const struct graph_node *node, const char *field)
{
    str id = graph_text(graph, &node->at, field);
    if (!id.n) return NODE_NONE;
    uint32_t found = graph_find(graph, id);
    if (found == NODE_NONE) {
        problem_error(graph_about(graph, &node->at), PROBLEM_UNRESOLVED,
                      graph_pointer(graph, &node->at, field), NULL, "%s: %s names %s, which does not exist",
                      node->at.what, field, problem_quote(graph->scratch, id));
        return NODE_NONE;
    }
    const struct graph_node *named = &graph->node[found];
    bool is_itself = found == node->index, is_outside = named->parent == NODE_NONE && !named->is_undo;
    if (is_outside && !is_itself) return found;
    problem_error(graph_about(graph, &node->at), PROBLEM_SCOPE_VIOLATION,
                  graph_pointer(graph, &node->at, field), "name a step that the whole run comes to",
                  "%s: %s names %s, which is %s", node->at.what, field, problem_quote(graph->scratch, id),
                  is_itself ? "the step itself" : "a part of something else, and may be reached many times");
    return NODE_NONE;
}

void graph_lower_milestone(struct graph *graph, const struct graph_node *node)
{
    if (node->at.object == node->config.object || !graph_node_field_works(node->type, STR("openFrom")))
        return;
    uint32_t from = milestone_of(graph, node, "openFrom"), until = milestone_of(graph, node, "openUntil");
    if (from == NODE_NONE && until == NODE_NONE) return;
    struct program_milestone *milestone = arena_make(graph->arena, struct program_milestone);
    const struct graph_edge *late =
        graph_port_is(node->type, STR("timeout")) ? graph_port_edge(graph, node, STR("timeout")) : NULL;
    *milestone = (struct program_milestone){
        .from = from, .until = until, .way.target = NODE_NONE, .passed = STR("MILESTONE_PASSED")
    };
    if (late) milestone->way = graph_way(graph, late);
    if (from != NODE_NONE) graph->lowered[from].is_milestone = true;
    if (until != NODE_NONE) graph->lowered[until].is_milestone = true;
    begin_of(graph, node)->milestone = milestone;
}

/* The timer that runs while it waits comes behind the others, whose places stay as they are. */
static void add_lock_timer(struct graph *graph, const struct graph_node *node, struct program_node *lowered)
{
    int64_t delay_ms = graph_duration(graph, &node->at, "lockTimeout", 0);
    if (delay_ms <= 0) return;
    struct program_timer *timer = arena_make_n(graph->arena, struct program_timer, lowered->timer_count + 1);
    if (lowered->timer_count) memcpy(timer, lowered->timer, lowered->timer_count * sizeof *timer);
    timer[lowered->timer_count] =
        (struct program_timer){ .delay_ms = delay_ms, .does = TIMER_GIVE_UP, .target = NODE_NONE };
    lowered->timer = timer;
    lowered->timer_count++;
}

void graph_lower_lock(struct graph *graph, const struct graph_node *node)
{
    if (node->at.object == node->config.object || !graph_node_field_works(node->type, STR("lock"))) return;
    const struct json *name = graph_member(&node->at, "lock");
    if (!name) {
        graph_idle(graph, &node->at, "lockSize", "the step has no lock");
        graph_idle(graph, &node->at, "lockTimeout", "the step has no lock");
        return;
    }
    if (!json_is(name, JSON_STRING)) {
        graph_wrong_type(graph, &node->at, "lock", "a text", name);
        return;
    }
    struct program_node *lowered = graph_lowered(graph, node);
    struct program_lock *lock = arena_make(graph->arena, struct program_lock);
    *lock = (struct program_lock){
        .name = graph_expr(graph, node, name, graph_pointer(graph, &node->at, "lock"), GRAPH_SEES_DATA),
        .size = (uint32_t)graph_integer(graph, &node->at, "lockSize", 1, GRAPH_LOCK_SIZE_MAX, 1),
        .late = STR("LOCK_TIMEOUT"),
        .cycle = STR("LOCK_CYCLE"),
        .full = STR("LOCK_FULL"),
    };
    begin_of(graph, node)->lock = lock;
    add_lock_timer(graph, node, lowered);
}
