/* program/check/reach.c — can everything be entered, and does it come to an end?
 *
 * Regions count as levels of their own: a way to an END ends the region that the way is in,
 * so it is known of every node which region that is. Number 0 is the instance as a whole.
 * Only used up retries lead out of a region, and say how far.
 */
#include "program/check/check_int.h"

struct region {
    uint32_t scope; /* The node that opens it; NODE_NONE: the instance. */
    uint32_t index; /* Among the scope's regions. */
    bool ends;
};

struct reach {
    const struct program *program;
    struct walk walk;
    struct region *region;
    uint32_t *first;     /* Number of the first region of a scope node. */
    uint32_t *region_of; /* The region of each node that was seen. */
    size_t region_count;
};

static void number_regions(struct reach *reach, struct arena *arena)
{
    const struct program *program = reach->program;
    size_t count = 1;
    for (uint32_t i = 0; i < program->node_count; i++)
        if (program->node[i].kind == NODE_SCOPE) count += program->node[i].as.scope.region_count;
    reach->region = arena_make_n(arena, struct region, count);
    reach->first = arena_make_n(arena, uint32_t, program->node_count);
    reach->region_of = arena_make_n(arena, uint32_t, program->node_count);
    reach->region[0].scope = NODE_NONE;
    reach->region_count = 1;
    for (uint32_t i = 0; i < program->node_count; i++) {
        if (program->node[i].kind != NODE_SCOPE) continue;
        reach->first[i] = (uint32_t)reach->region_count;
        for (uint32_t k = 0; k < program->node[i].as.scope.region_count; k++)
            reach->region[reach->region_count++] = (struct region){ .scope = i, .index = k };
    }
}

static void arrive(struct reach *reach, uint32_t from, uint32_t to, uint32_t region)
{
    if (to == NODE_NONE) return;
    if (reach->program->node[to].kind == NODE_END) reach->region[region].ends = true;
    if (walk_add(&reach->walk, to, from)) reach->region_of[to] = region;
}

/* The region that many levels further out. */
static uint32_t outside(const struct reach *reach, uint32_t region, uint32_t levels)
{
    for (; levels && region; levels--) region = reach->region_of[reach->region[region].scope];
    return region;
}

static void leave(struct reach *reach, uint32_t from)
{
    const struct program_node *node = &reach->program->node[from];
    uint32_t region = reach->region_of[from];
    bool task = node->kind == NODE_TASK, scope = node->kind == NODE_SCOPE;
    size_t inward = check_exit_count(node) - (scope ? node->as.scope.region_count : 0);
    size_t rules = node->edge_count + node->timer_count + node->handler_count;
    for (size_t i = 0; i < inward; i++) {
        uint32_t levels = task && i >= rules ? node->as.task.retry[i - rules].exit_levels : 0;
        arrive(reach, from, check_exit(node, i), outside(reach, region, levels));
    }
    for (uint32_t i = 0; scope && i < node->as.scope.region_count; i++)
        arrive(reach, from, node->as.scope.region[i].start, reach->first[from] + i);
    if (node->shadowed) arrive(reach, from, node->shadowed, region);
}

/* A node without a name, or with one that another has, cannot be led to; that has been
 * reported by the front end that read the document. */
static bool has_own_name(const struct program *program, uint32_t index)
{
    str name = program->node[index].name;
    return name.n && program_find(program, name) == index;
}

/* `more` is how many others are unreachable for no other reason than this one. */
static void report_unreachable(struct check *check, uint32_t index, size_t more)
{
    const struct program *program = check->program;
    const struct program_node *node = &program->node[index];
    /* The state it was made for is told of. */
    if (node->inner || !has_own_name(program, index)) return;
    str word = program->node_word;
    const char *hint = NULL;
    if (more)
        hint = arena_printf(check->arena, "%zu more %.*s%s reached only through it", more, STR_ARG(word),
                            more == 1 ? " is" : "s are")
                   .p;
    problem_error(check->problems, PROBLEM_UNREACHABLE, node->pointer, hint,
                  "%.*s %s is unreachable from the first %.*s", STR_ARG(word),
                  problem_quote(check->arena, node->name), STR_ARG(word));
}

/* Reports the node, and walks on to all that it leads to: those are unreachable because it is. */
static void report_with_followers(struct check *check, struct walk *walk, uint32_t index)
{
    size_t first = walk->count;
    if (!walk_add(walk, index, index)) return;
    for (size_t i = first; i < walk->count; i++) {
        const struct program_node *node = &check->program->node[walk->queue[i]];
        for (size_t k = 0; k < check_exit_count(node); k++) {
            uint32_t to = check_exit(node, k);
            if (to != NODE_NONE && !check->reached[to]) walk_add(walk, to, walk->queue[i]);
        }
    }
    report_unreachable(check, index, walk->count - first - 1);
}

/* Reports only where an unreachable part begins: nodes that nothing leads to and, where nodes lead to each
 * other in a circle, the first of each circle. */
static void report_all_unreachable(struct check *check)
{
    const struct program *program = check->program;
    bool *led_to = arena_make_n(check->arena, bool, program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; !check->reached[i] && k < check_exit_count(&program->node[i]); k++) {
            uint32_t to = check_exit(&program->node[i], k);
            if (to != NODE_NONE && to != i) led_to[to] = true;
        }
    struct walk walk;
    walk_init(&walk, check);
    for (int circles = 0; circles < 2; circles++)
        for (uint32_t i = 0; i < program->node_count; i++)
            if (!check->reached[i] && (circles || !led_to[i])) report_with_followers(check, &walk, i);
}

static void report_endless(struct check *check, const struct region *region)
{
    const struct program *program = check->program;
    str word = program->node_word;
    if (program->may_be_endless) return;
    if (region->scope == NODE_NONE) {
        problem_error(check->problems, PROBLEM_NO_END, program->node[program->start].pointer, NULL,
                      "no END %.*s is reachable from the first %.*s", STR_ARG(word), STR_ARG(word));
        return;
    }
    const struct program_node *scope = &program->node[region->scope];
    problem_error(check->problems, PROBLEM_NO_END, scope->pointer, NULL, "%s: %s has no way to an end",
                  check_label(check, region->scope),
                  problem_quote(check->arena, scope->as.scope.region[region->index].name));
}

void check_reach(struct check *check)
{
    const struct program *program = check->program;
    struct reach reach = { .program = program };
    walk_init(&reach.walk, check);
    number_regions(&reach, check->arena);
    arrive(&reach, program->start, program->start, 0);
    for (size_t i = 0; i < reach.walk.count; i++) leave(&reach, reach.walk.queue[i]);

    bool *reached = arena_make_n(check->arena, bool, program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++) reached[i] = walk_seen(&reach.walk, i);
    check->reached = reached;
    report_all_unreachable(check);
    for (size_t i = 0; i < reach.region_count; i++) {
        const struct region *region = &reach.region[i];
        if (!region->ends && (region->scope == NODE_NONE || reached[region->scope]))
            report_endless(check, region);
    }
}
