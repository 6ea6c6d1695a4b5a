/* program/inside.c — where a token of a scope may stand.
 *
 * A token that a fork has sent out stands at what can be reached from the fork's branches before its
 * join; one of the top level at what can be reached from the start, where a fork is passed in one
 * stride, to what follows its join. Nodes inside a region belong to neither.
 */
#include "program/check/check_int.h"

struct inside_reach {
    const struct program *program;
    bool *here;      /* Reached as deep as it began, … */
    bool *deeper;    /* … and in a region that was entered since. */
    uint32_t *depth; /* How many regions were entered and not left, the first time that it was reached. */
    uint32_t *queue;
    size_t count;
};

static struct inside_reach reach_begin(const struct program *program, struct arena *arena)
{
    return (struct inside_reach){
        .program = program,
        .here = arena_make_n(arena, bool, program->node_count),
        .deeper = arena_make_n(arena, bool, program->node_count),
        .depth = arena_make_n(arena, uint32_t, program->node_count),
        .queue = arena_make_n(arena, uint32_t, program->node_count),
    };
}

static void reach_add(struct inside_reach *reach, uint32_t node, uint32_t depth)
{
    if (node == NODE_NONE) return;
    bool seen = reach->here[node] || reach->deeper[node];
    *(depth ? &reach->deeper[node] : &reach->here[node]) = true;
    if (seen) return;
    reach->depth[node] = depth;
    reach->queue[reach->count++] = node;
}

/* How many ways lead out of the node and stay outside of its regions. */
static size_t ways_out(const struct program_node *node)
{
    return check_exit_count(node) - (node->kind == NODE_SCOPE ? node->as.scope.region_count : 0);
}

/* How many regions this way leaves. */
static uint32_t levels_left(const struct program_node *node, size_t way)
{
    size_t first = node->edge_count + node->timer_count + node->handler_count;
    if (node->kind != NODE_TASK || way < first || way >= first + node->as.task.retry_count) return 0;
    return node->as.task.retry[way - first].exit_levels;
}

static void reach_from(struct inside_reach *reach, const struct program_node *node, uint32_t depth)
{
    for (size_t k = 0; k < ways_out(node); k++)
        if (levels_left(node, k) <= depth)
            reach_add(reach, check_exit(node, k), depth - levels_left(node, k));
    for (size_t k = 0; node->kind == NODE_SCOPE && k < node->as.scope.region_count; k++)
        reach_add(reach, node->as.scope.region[k].start, depth + 1);
}

/* Everything from the start on. */
static void reach_all(struct inside_reach *reach)
{
    reach_add(reach, reach->program->start, 0);
    for (size_t i = 0; i < reach->count; i++)
        reach_from(reach, &reach->program->node[reach->queue[i]], reach->depth[reach->queue[i]]);
}

/* Everything from what was added on, up to joins. Forks are passed in one stride. */
static void reach_in_strides(struct inside_reach *reach, uint32_t join)
{
    for (size_t i = 0; i < reach->count; i++) {
        uint32_t at = reach->queue[i];
        const struct program_node *node = &reach->program->node[at];
        bool strides = !reach->depth[at];
        if (strides && (at == join || program_closes_scope(node))) continue;
        if (strides && program_opens_scope(node)) node = &reach->program->node[node->as.fork.join];
        reach_from(reach, node, reach->depth[at]);
    }
}

static const bool *inside_top(const struct program *program, struct arena *arena)
{
    struct inside_reach all = reach_begin(program, arena), reach = reach_begin(program, arena);
    reach_all(&all);
    reach_add(&reach, program->start, 0);
    reach_in_strides(&reach, NODE_NONE);
    bool forks = false;
    for (size_t i = 0; i < program->node_count; i++) forks |= program_opens_scope(&program->node[i]);
    for (size_t i = 0; i < program->node_count; i++) {
        if (!forks) reach.here[i] = true;
        if (all.deeper[i] || program_closes_scope(&program->node[i])) reach.here[i] = false;
    }
    return reach.here;
}

const bool *program_inside(const struct program *program, uint32_t fork, struct arena *arena)
{
    if (fork == NODE_NONE) return inside_top(program, arena);
    const struct program_node *node = &program->node[fork];
    must(program_opens_scope(node));
    struct inside_reach reach = reach_begin(program, arena);
    for (size_t i = 0; i < node->edge_count; i++) reach_add(&reach, node->edge[i].target, 0);
    reach_in_strides(&reach, node->as.fork.join);
    for (size_t i = 0; i < program->node_count; i++)
        if (program_closes_scope(&program->node[i]) && i != node->as.fork.join) reach.here[i] = false;
    return reach.here;
}

const bool *program_inside_from(const struct program *program, uint32_t start, struct arena *arena)
{
    struct inside_reach reach = reach_begin(program, arena);
    reach_add(&reach, start, 0);
    reach_in_strides(&reach, NODE_NONE);
    return reach.here;
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
