/* program/inside.c — where a token of a scope may stand.
 *
 * A token that a fork has sent out stands at what can be reached from the fork's branches before its
 * join; one of the top level at what can be reached from the start, where a fork is passed in one
 * stride, to what follows its join. Nodes inside a region belong to neither.
 */
#include "program/check/check_int.h"

struct inside_reach {
    const struct program *program;
    bool *seen;
    uint32_t *queue;
    size_t count;
};

static struct inside_reach reach_begin(const struct program *program, struct arena *arena)
{
    return (struct inside_reach){
        .program = program,
        .seen = arena_make_n(arena, bool, program->node_count),
        .queue = arena_make_n(arena, uint32_t, program->node_count),
    };
}

static void reach_add(struct inside_reach *reach, uint32_t node)
{
    if (node == NODE_NONE || reach->seen[node]) return;
    reach->seen[node] = true;
    reach->queue[reach->count++] = node;
}

/* How many ways lead out of the node and stay outside of its regions. */
static size_t ways_out(const struct program_node *node)
{
    return check_exit_count(node) - (node->kind == NODE_SCOPE ? node->as.scope.region_count : 0);
}

/* True if this way leaves the region that the node is in. */
static bool leaves_region(const struct program_node *node, size_t way)
{
    size_t first = node->edge_count + node->timer_count + node->handler_count;
    if (node->kind != NODE_TASK || way < first || way >= first + node->as.task.retry_count) return false;
    return node->as.task.retry[way - first].exit_levels > 0;
}

static void reach_from(struct inside_reach *reach, const struct program_node *node)
{
    for (size_t k = 0; k < ways_out(node); k++)
        if (!leaves_region(node, k)) reach_add(reach, check_exit(node, k));
}

/* Everything from what was added on, up to joins. Forks are passed in one stride. */
static void reach_in_strides(struct inside_reach *reach, uint32_t join)
{
    for (size_t i = 0; i < reach->count; i++) {
        uint32_t at = reach->queue[i];
        const struct program_node *node = &reach->program->node[at];
        if (at == join || program_closes_scope(node)) continue;
        reach_from(reach, program_opens_scope(node) ? &reach->program->node[node->as.fork.join] : node);
    }
}

/* Marks the nodes inside a region, however deep. */
static bool *inside_regions(const struct program *program, struct arena *arena)
{
    struct inside_reach reach = reach_begin(program, arena);
    for (size_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; program->node[i].kind == NODE_SCOPE && k < program->node[i].as.scope.region_count;
             k++)
            reach_add(&reach, program->node[i].as.scope.region[k].start);
    for (size_t i = 0; i < reach.count; i++) reach_from(&reach, &program->node[reach.queue[i]]);
    return reach.seen;
}

static const bool *inside_top(const struct program *program, struct arena *arena)
{
    const bool *in_region = inside_regions(program, arena);
    struct inside_reach reach = reach_begin(program, arena);
    reach_add(&reach, program->start);
    reach_in_strides(&reach, NODE_NONE);
    bool forks = false;
    for (size_t i = 0; i < program->node_count; i++) forks |= program_opens_scope(&program->node[i]);
    for (size_t i = 0; i < program->node_count; i++) {
        /* Ways that lead out of a region are not followed, so without forks all that is in no region counts.
         */
        if (!forks) reach.seen[i] = true;
        if (in_region[i] || program_closes_scope(&program->node[i])) reach.seen[i] = false;
    }
    return reach.seen;
}

const bool *program_inside(const struct program *program, uint32_t fork, struct arena *arena)
{
    if (fork == NODE_NONE) return inside_top(program, arena);
    const struct program_node *node = &program->node[fork];
    must(program_opens_scope(node));
    struct inside_reach reach = reach_begin(program, arena);
    for (size_t i = 0; i < node->edge_count; i++) reach_add(&reach, node->edge[i].target);
    reach_in_strides(&reach, node->as.fork.join);
    for (size_t i = 0; i < program->node_count; i++)
        if (program_closes_scope(&program->node[i]) && i != node->as.fork.join) reach.seen[i] = false;
    return reach.seen;
}

const bool *program_inside_from(const struct program *program, uint32_t start, struct arena *arena)
{
    struct inside_reach reach = reach_begin(program, arena);
    reach_add(&reach, start);
    reach_in_strides(&reach, NODE_NONE);
    return reach.seen;
}

const bool *program_arrives(const struct program *program, uint32_t fork, struct arena *arena)
{
    const bool *inside = program_inside(program, fork, arena);
    bool *arrives = arena_make_n(arena, bool, program->node_count);
    uint32_t join = program->node[fork].as.fork.join;
    arrives[join] = true;
    /* Backwards, because most ways lead forward: then few rounds are enough. */
    for (bool more = true; more;) {
        more = false;
        for (size_t i = program->node_count; i-- > 0;) {
            if (!inside[i] || arrives[i]) continue;
            const struct program_node *node = &program->node[i];
            if (program_opens_scope(node)) node = &program->node[node->as.fork.join];
            for (size_t k = 0; k < ways_out(node) && !arrives[i]; k++)
                arrives[i] = check_exit(node, k) != NODE_NONE && arrives[check_exit(node, k)];
            more |= arrives[i];
        }
    }
    return arrives;
}
