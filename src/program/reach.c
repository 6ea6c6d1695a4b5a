/* program/reach.c — from which nodes a token can come to a join, by which of its edges.
 *
 * A join that opens when nothing else can arrive asks this of every token of its scope, again and again. So
 * the answer is a table: for each incoming edge of such a join a set of nodes, found by a search backwards
 * from the edge that does not pass the join. Timers, handlers and used-up retries lead on as edges do. A
 * token in a region stands at the region's scope node, which is a node like any other.
 */
#include "program/reach_int.h"

#include "base/must.h"
#include "program/check/check_int.h"

/* The nodes before each node. */
struct reach_links {
    uint32_t *first; /* [node]: where its list begins in `from`; [count]: the end. */
    uint32_t *from;
};

static size_t ways_of(const struct program_node *node)
{
    return check_exit_count(node) - (node->kind == NODE_SCOPE ? node->as.scope.region_count : 0);
}

static struct reach_links links_of(const struct program *program, struct arena *arena)
{
    size_t count = program->node_count, total = 0;
    struct reach_links links = { .first = arena_make_n(arena, uint32_t, count + 2) };
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ways_of(&program->node[i]); k++) {
            uint32_t target = check_exit(&program->node[i], k);
            if (target == NODE_NONE) continue;
            links.first[target + 2]++;
            total++;
        }
    for (size_t i = 2; i < count + 2; i++) links.first[i] += links.first[i - 1];
    links.from = arena_make_n(arena, uint32_t, total);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ways_of(&program->node[i]); k++) {
            uint32_t target = check_exit(&program->node[i], k);
            if (target != NODE_NONE) links.from[links.first[target + 1]++] = (uint32_t)i;
        }
    return links;
}

static size_t words_of(const struct program *program) { return (program->node_count + 63) / 64; }

static bool set_add(uint64_t *set, uint32_t node)
{
    uint64_t bit = UINT64_C(1) << node % 64;
    if (set[node / 64] & bit) return false;
    set[node / 64] |= bit;
    return true;
}

static void search(const struct program *program, const struct reach_links *links, uint32_t join,
                   uint32_t arrival, uint32_t *queue, uint64_t *set)
{
    size_t count = 0;
    for (uint32_t k = links->first[join]; k < links->first[join + 1]; k++) {
        uint32_t from = links->from[k];
        const struct program_node *node = &program->node[from];
        for (size_t i = 0; i < ways_of(node); i++)
            if (check_exit(node, i) == join && check_exit_arrival(node, i) == arrival && from != join &&
                set_add(set, from))
                queue[count++] = from;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = links->first[queue[i]]; k < links->first[queue[i] + 1]; k++)
            if (links->from[k] != join && set_add(set, links->from[k])) queue[count++] = links->from[k];
}

static bool asks(const struct program_node *node)
{
    return node->kind == NODE_JOIN &&
           (node->as.join.mode == JOIN_COUNT || node->as.join.mode == JOIN_INCLUSIVE ||
            (node->as.join.mode == JOIN_ALL && node->timer_count));
}

void reach_link(struct program *program)
{
    bool any = false;
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        program->has_holding_tasks_ |= node->kind == NODE_TASK && node->as.task.holds;
        program->has_counting_joins_ |= node->kind == NODE_JOIN && node->as.join.mode != JOIN_OF_FORK;
        any |= asks(node);
    }
    if (!any) return;
    struct arena scratch;
    arena_init(&scratch, 0);
    const struct reach_links links = links_of(program, &scratch);
    uint32_t *queue = arena_make_n(&scratch, uint32_t, program->node_count);
    size_t words = words_of(program);
    const uint64_t **reach = arena_make_n(&program->arena_, const uint64_t *, program->node_count);
    for (uint32_t join = 0; join < program->node_count; join++) {
        const struct program_node *node = &program->node[join];
        if (!asks(node)) continue;
        uint64_t *sets = arena_make_n(&program->arena_, uint64_t, words * node->as.join.arrivals);
        for (uint32_t k = 0; k < node->as.join.arrivals; k++)
            search(program, &links, join, k + 1, queue, sets + k * words);
        reach[join] = sets;
    }
    program->reach_ = reach;
    arena_done(&scratch);
}

bool program_reaches(const struct program *program, uint32_t node, uint32_t join, uint32_t arrival)
{
    must(program->reach_ && program->reach_[join]);
    size_t words = words_of(program);
    const uint64_t *sets = program->reach_[join];
    uint32_t first = arrival ? arrival - 1 : 0,
             end = arrival ? arrival : program->node[join].as.join.arrivals;
    for (uint32_t k = first; k < end; k++)
        if (sets[k * words + node / 64] >> node % 64 & 1) return true;
    return false;
}
