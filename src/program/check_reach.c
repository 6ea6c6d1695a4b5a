/* program/check_reach.c — can everything be entered, and does it come to an end? */
#include "program/check_int.h"

static void walk_from_start(struct walk *walk, const struct program *program)
{
    walk_add(walk, program->start, program->start);
    for (size_t i = 0; i < walk->count; i++) {
        const struct program_node *node = &program->node[walk->queue[i]];
        for (size_t k = 0; k < check_exit_count(node); k++)
            walk_add(walk, check_exit(node, k), walk->queue[i]);
        if (node->shadowed) walk_add(walk, node->shadowed, walk->queue[i]);
    }
}

/* A node without a name, or with one that another has, cannot be led to; that has been
 * reported by whoever read the document. */
static bool has_own_name(const struct program *program, uint32_t index)
{
    str name = program->node[index].name;
    return name.n && program_find(program, name) == index;
}

void check_reach(struct check *check)
{
    const struct program *program = check->program;
    str word = program->node_word;
    struct walk walk;
    walk_init(&walk, check);
    walk_from_start(&walk, program);

    bool *reached = arena_make_n(check->arena, bool, program->node_count);
    bool end_reached = false;
    for (uint32_t i = 0; i < program->node_count; i++) {
        reached[i] = walk_seen(&walk, i);
        if (reached[i] && program->node[i].kind == NODE_END) end_reached = true;
        if (!reached[i] && has_own_name(program, i))
            problem_error(check->problems, PROBLEM_UNREACHABLE, program->node[i].pointer, NULL,
                          "%.*s %s is unreachable from the first %.*s", STR_ARG(word),
                          problem_quote(check->arena, program->node[i].name), STR_ARG(word));
    }
    check->reached = reached;
    if (!end_reached)
        problem_error(check->problems, PROBLEM_NO_END, program->node[program->start].pointer, NULL,
                      "no END %.*s is reachable from the first %.*s", STR_ARG(word), STR_ARG(word));
}

/* The node one of whose timers leads here, or NODE_NONE. */
static uint32_t timer_source(const struct program *program, uint32_t target)
{
    for (uint32_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; k < program->node[i].timer_count; k++)
            if (program->node[i].timer[k].target == target) return i;
    return NODE_NONE;
}

void check_dead_ends(struct check *check)
{
    const struct program *program = check->program;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        if (node->kind == NODE_END || node->edge_count) continue;
        uint32_t source = check_work(check, program->node_count) ? timer_source(program, i) : NODE_NONE;
        if (source == NODE_NONE)
            problem_warning(check->problems, PROBLEM_DEAD_END, node->pointer,
                            "lead on to an END unless the instance is meant to stay open",
                            "%s: the flow stops here: nothing follows", check_label(check, i));
        else
            problem_warning(check->problems, PROBLEM_DEAD_END, node->pointer,
                            "lead on to an END, or the instance stays open after the timer has fired",
                            "%s: the flow stops here: a timer of %s leads to it and nothing follows",
                            check_label(check, i), problem_quote(check->arena, program->node[source].name));
    }
}
