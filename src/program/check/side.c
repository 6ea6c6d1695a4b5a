/* program/check/side.c — where the flow stops, and side branches that stop more than themselves.
 *
 * A timer that does not interrupt starts a *side branch*: what can be reached only that way.
 * An END completes the whole instance, also when a side branch comes to it. An END of its own
 * is an escalation that somebody thought of; with the END of the main flow a reminder ends what
 * it was to remind of.
 */
#include "program/check/check_int.h"

/* Everything that can be reached without a side branch. */
static void walk_main(struct check *check, struct walk *walk)
{
    const struct program *program = check->program;
    walk_init(walk, check);
    walk_add(walk, program->start, program->start);
    for (size_t i = 0; i < walk->count; i++) {
        const struct program_node *node = &program->node[walk->queue[i]];
        for (size_t k = 0; k < check_exit_count(node); k++)
            walk_add(walk, check_main_exit(node, k), walk->queue[i]);
        if (node->shadowed) walk_add(walk, node->shadowed, walk->queue[i]);
    }
}

/* ---- side branches with an END ---- */

static void report_end(struct check *check, const struct walk *walk, const uint32_t *starter, uint32_t end)
{
    uint32_t first = end;
    while (walk->parent[first] != first) first = walk->parent[first];
    uint32_t at = starter[first];
    problem_warning(
        check->problems, PROBLEM_SIDE_BRANCH_END, check->program->node[at].pointer,
        "an END with \"ends\": \"branch\" ends the side branch alone",
        "%s: the side branch of its timer comes to an END of the main flow, which completes the whole "
        "instance: %s",
        check_label(check, at), walk_path(walk, check, end));
}

/* Walks all side branches at once, up to where they come back to the main flow. Each END is told
 * once, with the shortest way to it. */
static void check_side_branches(struct check *check, const struct walk *main)
{
    const struct program *program = check->program;
    uint32_t *starter = arena_make_n(check->arena, uint32_t, program->node_count);
    struct walk walk;
    walk_init(&walk, check);
    for (uint32_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; check->reached[i] && k < program->node[i].timer_count; k++) {
            const struct program_timer *timer = &program->node[i].timer[k];
            if (check_starts_side_branch(timer) && walk_add(&walk, timer->target, timer->target))
                starter[timer->target] = i;
        }
    for (size_t i = 0; i < walk.count; i++) {
        uint32_t at = walk.queue[i];
        const struct program_node *node = &program->node[at];
        bool in_main = walk_seen(main, at);
        if (node->kind == NODE_END && !node->as.end.branch && in_main) report_end(check, &walk, starter, at);
        if (in_main) continue;
        for (size_t k = 0; k < check_exit_count(node); k++) walk_add(&walk, check_main_exit(node, k), at);
    }
}

/* ---- dead ends ---- */

/* The node one of whose timers leads to each, or NODE_NONE. */
static uint32_t *timer_sources(struct check *check)
{
    const struct program *program = check->program;
    uint32_t *source = arena_alloc(check->arena, program->node_count * sizeof *source);
    memset(source, 0xff, program->node_count * sizeof *source);
    for (uint32_t i = program->node_count; i-- > 0;)
        for (size_t k = 0; k < program->node[i].timer_count; k++)
            if (program->node[i].timer[k].does == TIMER_GO_TO) source[program->node[i].timer[k].target] = i;
    return source;
}

static void report_dead_end(struct check *check, uint32_t index, uint32_t source, bool side)
{
    str pointer = check->program->node[index].pointer;
    if (side)
        problem_warning(
            check->problems, PROBLEM_DEAD_END, pointer,
            "an END with \"ends\": \"branch\" ends the side branch; one without it completes the whole "
            "instance",
            "%s: the side branch of a timer stops here: nothing follows", check_label(check, index));
    else if (source == NODE_NONE)
        problem_warning(check->problems, PROBLEM_DEAD_END, pointer,
                        "lead on to an END unless the instance is meant to stay open",
                        "%s: the flow stops here: nothing follows", check_label(check, index));
    else
        problem_warning(check->problems, PROBLEM_DEAD_END, pointer,
                        "lead on to an END, or the instance stays open after the timer has fired",
                        "%s: the flow stops here: a timer of %s leads to it and nothing follows",
                        check_label(check, index),
                        problem_quote(check->arena, check->program->node[source].name));
}

void check_stops(struct check *check)
{
    const struct program *program = check->program;
    struct walk main;
    walk_main(check, &main);
    const uint32_t *source = timer_sources(check);
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        bool goes_on = node->edge_count || (node->kind == NODE_WAIT && node->as.wait.event_case_count);
        if (node->kind == NODE_END || goes_on) continue;
        report_dead_end(check, i, source[i], !walk_seen(&main, i));
    }
    check_side_branches(check, &main);
}
