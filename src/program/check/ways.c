/* program/check/ways.c — the ways out of a node, and the words and the work of a check. */
#include "program/check/check_int.h"

#include "base/must.h"

static size_t rule_count(const struct program_node *node)
{
    return node->kind == NODE_TASK ? node->as.task.retry_count : 0;
}

static size_t case_count(const struct program_node *node)
{
    return node->kind == NODE_WAIT ? node->as.wait.event_case_count : 0;
}

/* A wait for a transition can be left without one. */
static size_t again_count(const struct program_node *node)
{
    return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TRANSITION;
}

static size_t region_count(const struct program_node *node)
{
    return node->kind == NODE_SCOPE ? node->as.scope.region_count : 0;
}

size_t check_exit_count(const struct program_node *node)
{
    return node->edge_count + node->timer_count + node->handler_count + rule_count(node) + case_count(node) +
           again_count(node) + region_count(node);
}

uint32_t check_exit(const struct program_node *node, size_t i)
{
    if (i < node->edge_count) return node->edge[i].target;
    i -= node->edge_count;
    if (i < node->timer_count) return node->timer[i].does == TIMER_GO_TO ? node->timer[i].target : NODE_NONE;
    i -= node->timer_count;
    if (i < node->handler_count) return node->handler[i].way.target;
    i -= node->handler_count;
    if (i < rule_count(node)) return node->as.task.retry[i].exit.target;
    i -= rule_count(node);
    if (i < case_count(node)) return node->as.wait.event_case[i].target;
    i -= case_count(node);
    if (i < again_count(node)) return node->as.wait.again;
    i -= again_count(node);
    must(i < region_count(node));
    return node->as.scope.region[i].start;
}

uint32_t check_exit_arrival(const struct program_node *node, size_t i)
{
    if (i < node->edge_count) return node->edge[i].arrival;
    i -= node->edge_count;
    if (i < node->timer_count) return node->timer[i].arrival;
    i -= node->timer_count;
    if (i < node->handler_count) return node->handler[i].way.arrival;
    i -= node->handler_count;
    return i < rule_count(node) ? node->as.task.retry[i].exit.arrival : 0;
}

bool check_starts_side_branch(const struct program_timer *timer)
{
    return timer->does == TIMER_GO_TO && !timer->interrupting;
}

uint32_t check_main_exit(const struct program_node *node, size_t i)
{
    size_t timer = i - node->edge_count;
    bool is_timer = i >= node->edge_count && timer < node->timer_count;
    return is_timer && check_starts_side_branch(&node->timer[timer]) ? NODE_NONE : check_exit(node, i);
}

bool check_work(struct check *check, uint64_t amount)
{
    if (check->work_left < amount) {
        check->work_left = 0;
        return false;
    }
    check->work_left -= amount;
    return true;
}

const char *check_label(const struct check *check, uint32_t index)
{
    const struct program_node *node = &check->program->node[index];
    str type = node->type.n ? arena_printf(check->arena, " (%.*s)", STR_ARG(node->type)) : STR("");
    return arena_printf(check->arena, "%.*s %s%.*s", STR_ARG(check->program->node_word),
                        problem_quote(check->arena, node->name), STR_ARG(type))
        .p;
}
