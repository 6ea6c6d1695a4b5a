/* program/check/loop.c — loops in which nothing ever waits.
 *
 * Among the nodes at which no token can rest, the strongly connected components are found
 * with Tarjan's algorithm; its recursion is kept in arrays, because how deep it goes is
 * the document's choice. A component from which no edge leads away runs until the budget
 * of visits stops it: an error. One with a way out may well be a counting loop.
 */
#include "program/check/check_int.h"

struct loops {
    struct check *check;
    uint32_t *number; /* Order of discovery, from 1; 0: not seen. */
    uint32_t *low;    /* The smallest number known to be reachable. */
    uint32_t *next;   /* The edge to look at next. */
    uint32_t *member; /* Nodes whose component is not complete yet. */
    uint32_t *trail;  /* The way down to the current node. */
    uint32_t *group;  /* Component of a finished node, from 1. */
    size_t member_count;
    size_t trail_count;
    uint32_t numbers;
    uint32_t groups;
};

static bool runs_through(const struct loops *loops, uint32_t index)
{
    const struct program_node *node = &loops->check->program->node[index];
    bool waits = program_kind_waits(node->kind) && !(node->kind == NODE_TASK && node->as.task.detached);
    return loops->check->reached[index] && node->kind != NODE_END && !waits;
}

static void enter(struct loops *loops, uint32_t node)
{
    loops->number[node] = loops->low[node] = ++loops->numbers;
    loops->member[loops->member_count++] = node;
    loops->trail[loops->trail_count++] = node;
}

/* The shortest round inside its group that starts and ends at the node: "a → b → a". */
static const char *round_trip(const struct loops *loops, uint32_t first)
{
    const struct program *program = loops->check->program;
    struct walk walk;
    walk_init(&walk, loops->check);
    walk_add(&walk, first, first);
    for (size_t i = 0; i < walk.count; i++) {
        const struct program_node *node = &program->node[walk.queue[i]];
        for (size_t k = 0; k < node->edge_count; k++) {
            uint32_t to = node->edge[k].target;
            if (to == first)
                return arena_printf(loops->check->arena, "%s → %.*s",
                                    walk_path(&walk, loops->check, walk.queue[i]),
                                    STR_ARG(program->node[first].name))
                    .p;
            if (loops->group[to] == loops->group[first]) walk_add(&walk, to, walk.queue[i]);
        }
    }
    return "";
}

/* A front end's own loop ends: it goes through a collection. No document can lead into it. */
static bool is_inner(const struct loops *loops, const uint32_t *node, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!loops->check->program->node[node[i]].inner) return false;
    return true;
}

/* Is there no choice anywhere: one unconditional edge out of each node of the group? */
static bool is_closed(const struct loops *loops, const uint32_t *node, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct program_node *of = &loops->check->program->node[node[i]];
        if (of->edge_count != 1 || of->edge[0].when || of->edge[0].guard) return false;
    }
    return true;
}

static void report(struct loops *loops, const uint32_t *node, size_t count)
{
    struct check *check = loops->check;
    if (is_inner(loops, node, count)) return;
    uint32_t first = node[0];
    for (size_t i = 1; i < count; i++)
        if (node[i] < first) first = node[i];
    str pointer = check->program->node[first].pointer;
    if (is_closed(loops, node, count) && !check->program->may_be_endless)
        problem_error(check->problems, PROBLEM_ZERO_TIME_LOOP, pointer,
                      "let something in the loop wait, or give it a way out",
                      "%s: a loop in which nothing waits and that has no way out: %s",
                      check_label(check, first), round_trip(loops, first));
    else
        problem_warning(check->problems, PROBLEM_ZERO_TIME_LOOP, pointer,
                        "it runs until its condition ends it or the budget of one command is used up",
                        "%s: a loop in which nothing waits: %s", check_label(check, first),
                        round_trip(loops, first));
}

static bool leads_to_itself(const struct program_node *node, uint32_t index)
{
    for (size_t i = 0; i < node->edge_count; i++)
        if (node->edge[i].target == index) return true;
    return false;
}

/* The node's component is complete: it is what was found since the node. */
static void close_group(struct loops *loops, uint32_t root)
{
    size_t from = loops->member_count;
    loops->groups++;
    do loops->group[loops->member[--from]] = loops->groups;
    while (loops->member[from] != root);
    size_t count = loops->member_count - from;
    loops->member_count = from;
    if (count > 1 || leads_to_itself(&loops->check->program->node[root], root))
        report(loops, loops->member + from, count);
}

static void search(struct loops *loops, uint32_t start)
{
    const struct program *program = loops->check->program;
    enter(loops, start);
    while (loops->trail_count) {
        uint32_t at = loops->trail[loops->trail_count - 1];
        if (loops->next[at] < program->node[at].edge_count) {
            uint32_t to = program->node[at].edge[loops->next[at]++].target;
            if (!runs_through(loops, to) || loops->group[to]) continue;
            if (!loops->number[to]) enter(loops, to);
            else if (loops->number[to] < loops->low[at]) loops->low[at] = loops->number[to];
            continue;
        }
        loops->trail_count--;
        if (loops->trail_count) {
            uint32_t parent = loops->trail[loops->trail_count - 1];
            if (loops->low[at] < loops->low[parent]) loops->low[parent] = loops->low[at];
        }
        if (loops->low[at] == loops->number[at]) close_group(loops, at);
    }
}

void check_loops(struct check *check)
{
    size_t count = check->program->node_count;
    struct loops loops = {
        .check = check,
        .number = arena_make_n(check->arena, uint32_t, count),
        .low = arena_make_n(check->arena, uint32_t, count),
        .next = arena_make_n(check->arena, uint32_t, count),
        .member = arena_make_n(check->arena, uint32_t, count),
        .trail = arena_make_n(check->arena, uint32_t, count),
        .group = arena_make_n(check->arena, uint32_t, count),
    };
    for (uint32_t i = 0; i < count; i++)
        if (runs_through(&loops, i) && !loops.number[i]) search(&loops, i);
}
