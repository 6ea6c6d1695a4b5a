/* program/check.c — what can be seen of a program without running it.
 *
 * Reachability is looked at in any case. The deeper analyses need a whole graph, so they
 * are left out while the list already holds errors: what they would find in a graph with
 * missing edges would be about those edges, not about the author's idea.
 */
#include "program/check_int.h"

#include "base/limits.h"
#include "base/must.h"

enum { WORK_MAX = 20 * 1000 * 1000, PATH_NODES_SHOWN = 12 };

void program_check(const struct program *program, struct problems *problems)
{
    must(program->by_name_);
    struct check check = {
        .program = program,
        .problems = problems,
        .arena = problems->arena,
        .work_left = WORK_MAX,
    };
    check_reach(&check);
    if (problems->error_count) return;
    check_joins(&check);
    check_loops(&check);
    if (problems->errors_only) return;
    check_stops(&check);
    check_self(&check);
    check_tables(&check);
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

/* ---- ways out ---- */

static size_t rule_count(const struct program_node *node)
{
    return node->kind == NODE_TASK ? node->as.task.retry_count : 0;
}

static size_t case_count(const struct program_node *node)
{
    return node->kind == NODE_WAIT ? node->as.wait.event_case_count : 0;
}

static size_t region_count(const struct program_node *node)
{
    return node->kind == NODE_SCOPE ? node->as.scope.region_count : 0;
}

size_t check_exit_count(const struct program_node *node)
{
    return node->edge_count + node->timer_count + node->handler_count + rule_count(node) + case_count(node) +
           region_count(node);
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
    must(i < region_count(node));
    return node->as.scope.region[i].start;
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

/* ---- walks ---- */

void walk_init(struct walk *walk, const struct check *check)
{
    size_t count = check->program->node_count;
    walk->parent = arena_alloc(check->arena, count * sizeof *walk->parent);
    walk->queue = arena_alloc(check->arena, count * sizeof *walk->queue);
    memset(walk->parent, 0xff, count * sizeof *walk->parent);
    walk->count = 0;
}

void walk_restart(struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) walk->parent[walk->queue[i]] = NODE_NONE;
    walk->count = 0;
}

bool walk_seen(const struct walk *walk, uint32_t node) { return walk->parent[node] != NODE_NONE; }

bool walk_add(struct walk *walk, uint32_t node, uint32_t parent)
{
    if (node == NODE_NONE || walk_seen(walk, node)) return false;
    walk->parent[node] = parent;
    walk->queue[walk->count++] = node;
    return true;
}

const char *walk_path(const struct walk *walk, const struct check *check, uint32_t node)
{
    size_t length = 1;
    for (uint32_t at = node; walk->parent[at] != at; at = walk->parent[at]) length++;
    uint32_t *path = arena_make_n(check->arena, uint32_t, length);
    for (size_t i = length; i-- > 0; node = walk->parent[node]) path[i] = node;

    struct buf out;
    buf_init(&out, check->arena);
    for (size_t i = 0; i < length; i++) {
        if (i) buf_add_str(&out, STR(" → "));
        if (length > PATH_NODES_SHOWN && i == PATH_NODES_SHOWN / 2) {
            buf_add_str(&out, STR("… → "));
            i = length - PATH_NODES_SHOWN / 2;
        }
        buf_add_str(&out, check->program->node[path[i]].name);
    }
    buf_add_char(&out, '\0');
    return out.p;
}
