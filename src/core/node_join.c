/* core/node_join.c — joins that count by which of their edges tokens have come.
 *
 * Tokens of one scope are gathered: of the top level, or of one region. A join of mode ALL opens when a token
 * stands on each edge, one of mode COUNT when tokens stand on so many different edges. An INCLUSIVE join
 * opens when no other token of the scope can come by an edge that has none. When a join opens, one token of
 * each edge that has any is used, and the youngest of these goes on; other tokens stay for the next time.
 *
 * A join that blocks is in a round from its opening until all that it has to absorb have come, or cannot come
 * any more. Tokens that come by other edges meanwhile wait for the next round.
 *
 * INCLUSIVE joins are looked at when nothing is ready any more. Nothing is missed: a token that runs
 * meanwhile only makes it more certain who can still come. If only tokens at joins are left in a scope,
 * nothing will ever come. Then the first INCLUSIVE join opens, in the order of the program; without any, that
 * is a deadlock.
 *
 * A join may have a timer. It runs from the first token that waits on, and the oldest token holds it. When it
 * fires, the tokens that wait are used up, one of them goes to the timer's target, and those that could still
 * come are absorbed.
 */

#include "core/core_int.h"

static bool is_gathered(const struct step *step, const struct token *token)
{
    return token->state == TOKEN_JOIN && token_node(step, token)->as.join.mode != JOIN_OF_FORK;
}

/* For each edge of the join (from 1 on) its oldest token, or 0. */
struct gathered {
    uint32_t scope, node;
    uint32_t *by; /* Executions. */
    uint32_t arrivals;
    uint32_t *used;      /* The same executions, the oldest first. */
    uint32_t edge_count; /* How many: edges that have a token. */
};

static struct gathered gather(struct step *step, uint32_t scope, uint32_t node)
{
    const struct instance *instance = step->instance;
    struct gathered found = { scope, node, .arrivals = step->program->node[node].as.join.arrivals };
    found.by = arena_make_n(step->arena, uint32_t, (size_t)found.arrivals + 1);
    found.used = arena_make_n(step->arena, uint32_t, found.arrivals);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope || token->node != node || token->state != TOKEN_JOIN) continue;
        /* A token that came by no edge, as a handler of the program may send it, counts for the first. */
        uint32_t edge = token->arrival && token->arrival <= found.arrivals ? token->arrival : 1;
        if (found.by[edge]) continue;
        found.by[edge] = found.used[found.edge_count++] = token->execution;
    }
    step_spend(step, (int64_t)(instance->token_count / TOKENS_PER_FUEL));
    return found;
}

/* True if the token can come to the join by the edge (0: by any). One that has entered the join and did not
 * run yet comes by its own edge. */
static bool comes(const struct step *step, const struct token *token, uint32_t join, uint32_t edge)
{
    if (token->state == TOKEN_RESTING || token->state == TOKEN_REMAINDER) return false;
    if (token->node == join) return token->state == TOKEN_READY && (!edge || token->arrival == edge);
    return program_reaches(step->program, token->node, join, edge);
}

/* True if a token of the scope, elsewhere, can come to the join by the edge (0: by any). */
static bool can_come(struct step *step, uint32_t scope, uint32_t join, uint32_t edge)
{
    const struct instance *instance = step->instance;
    step_spend(step, 1 + (int64_t)((instance->token_count + instance->scope_count) / TOKENS_PER_FUEL));
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope == scope && comes(step, token, join, edge)) return true;
    }
    for (size_t i = 0; i < instance->scope_count;
         i++) { /* Tokens that a fork has sent out count at the fork. */
        const struct scope *inner = &instance->scope[i];
        if (inner->parent == scope && inner->state == REGION_NONE &&
            program_reaches(step->program, inner->fork, join, edge))
            return true;
    }
    return false;
}

/* ---- timers ---- */

static bool has_timer(const struct instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance->timer[i].execution == execution) return true;
    return false;
}

/* The oldest token that waits at the join, which is always there first, holds its timers. */
static void watch(struct step *step, uint32_t scope, uint32_t node)
{
    const struct instance *instance = step->instance;
    const struct program_node *join = &step->program->node[node];
    struct error err;
    if (!join->timer_count || instance_status_ended(instance->status)) return;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token token = instance->token[i];
        if (token.scope != scope || token.node != node || token.state != TOKEN_JOIN) continue;
        if (!has_timer(instance, token.execution) && timer_open_all(step, &token, join, &err) != ST_OK)
            raise_failed(step, token.execution, &err);
        return;
    }
}

/* ---- opening ---- */

static void note_owed(struct step *step, uint32_t scope, uint32_t node, uint32_t edge, bool owed)
{
    note_at(step,
            &(struct entry){ .kind = ENTRY_KIND_OWE,
                             .node = step->program->node[node].name,
                             .scope = scope,
                             .is_owed = owed,
                             .way = edge },
            node);
}

/* Tokens that could still come are taken away. */
static void cancel_others(struct step *step, const struct gathered *found)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->token_count; i-- > 0;) {
        if (i >= instance->token_count) continue;
        const struct token token = instance->token[i];
        if (token.scope != found->scope || !comes(step, &token, found->node, 0)) continue;
        interrupt_token(step, token.execution, STR("the join went on without it"));
    }
}

/* Tokens that can still come are absorbed when they do. */
static void owe_others(struct step *step, const struct gathered *found)
{
    for (uint32_t edge = 1; edge <= found->arrivals; edge++)
        if (!found->by[edge] && can_come(step, found->scope, found->node, edge))
            note_owed(step, found->scope, found->node, edge, true);
}

static void open_join(struct step *step, const struct gathered *found)
{
    const struct program_node *node = &step->program->node[found->node];
    for (uint32_t i = 0; i + 1 < found->edge_count; i++) {
        timer_close_all(step, found->used[i]);
        token_leave(step, found->used[i]);
    }
    if (node->as.join.mode == JOIN_COUNT) {
        if (node->as.join.cancels) cancel_others(step, found);
        else owe_others(step, found);
    }
    exit_node(step, found->used[found->edge_count - 1]);
    watch(step, found->scope, found->node);
}

void node_join_time_out(struct step *step, const struct token *token, const struct program_timer *timer)
{
    const struct gathered found = gather(step, token->scope, token->node);
    for (uint32_t i = 0; i < found.edge_count; i++)
        if (found.used[i] != token->execution) token_leave(step, found.used[i]);
    owe_others(step, &found);
    interrupt_token(step, token->execution, STR("the join has waited long enough"));
    step->running = token_enter_by(step, timer->target, timer->arrival, token->scope, token->execution);
    watch(step, token->scope, token->node);
}

static bool is_owed(const struct instance *instance, const struct token *token)
{
    for (size_t i = 0; i < instance->owed_count; i++) {
        const struct owed *owed = &instance->owed[i];
        if (owed->scope == token->scope && owed->node == token->node && owed->arrival == token->arrival)
            return true;
    }
    return false;
}

/* True if the join has opened and not yet absorbed all that belong to that round. */
static bool is_blocked(const struct instance *instance, const struct program_node *node, uint32_t scope,
                       uint32_t join)
{
    for (size_t i = 0; node->as.join.blocks && i < instance->owed_count; i++)
        if (instance->owed[i].scope == scope && instance->owed[i].node == join) return true;
    return false;
}

/* Opens the join if enough tokens have come to it. */
static bool open_if_full(struct step *step, uint32_t scope, uint32_t join)
{
    const struct program_node *node = &step->program->node[join];
    if (is_blocked(step->instance, node, scope, join)) return false;
    const struct gathered found = gather(step, scope, join);
    uint32_t wanted = node->as.join.mode == JOIN_ALL ? found.arrivals : node->as.join.count;
    if (found.edge_count < wanted) return false;
    open_join(step, &found);
    return true;
}

void node_join_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    if (node->as.join.mode == JOIN_OF_FORK) {
        join_fork_arrive(step, token, node);
        return;
    }
    if (step->instance->owed_count && is_owed(step->instance, token)) {
        token_leave(step, token->execution);
        note_owed(step, token->scope, token->node, token->arrival, false);
        if (!node->as.join.blocks || !open_if_full(step, token->scope, token->node))
            node_end_over(step, token->scope);
        return;
    }
    token_park(step, token->execution, TOKEN_JOIN);
    if (node->as.join.mode == JOIN_INCLUSIVE) return;
    if (!open_if_full(step, token->scope, token->node)) watch(step, token->scope, token->node);
}

/* ---- when nothing is ready ---- */

/* True if a join that blocked has opened again. */
static bool drop_owed(struct step *step)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->owed_count; i-- > 0;) {
        const struct owed owed = instance->owed[i];
        if (can_come(step, owed.scope, owed.node, owed.arrival)) continue;
        note_owed(step, owed.scope, owed.node, owed.arrival, false);
        if (step->program->node[owed.node].as.join.blocks && open_if_full(step, owed.scope, owed.node))
            return true;
    }
    return false;
}

static bool may_open(struct step *step, const struct gathered *found)
{
    for (uint32_t edge = 1; edge <= found->arrivals && !step_is_spent(step); edge++)
        if (!found->by[edge] && can_come(step, found->scope, found->node, edge)) return false;
    return found->edge_count > 0 && !step_is_spent(step);
}

/* Opens the first INCLUSIVE join that nobody can come to any more. */
static bool open_inclusive(struct step *step)
{
    const struct instance *instance = step->instance;
    uint32_t scope = 0, node = NODE_NONE;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (!is_gathered(step, token) || token_node(step, token)->as.join.mode != JOIN_INCLUSIVE) continue;
        /* A join that nobody looked at must not be taken for one that waits. */
        if (step_is_spent(step)) return budget_stopped(step, token->execution);
        if (token->scope == scope && token->node == node) continue; /* Looked at just now. */
        scope = token->scope, node = token->node;
        const struct gathered found = gather(step, scope, node);
        if (!may_open(step, &found)) continue;
        open_join(step, &found);
        return true;
    }
    return false;
}

/* True if all tokens of the scope stand at joins that count, and nothing is open inside it. */
static bool is_stuck(const struct step *step, uint32_t scope)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        bool leads_nowhere = token->state == TOKEN_RESTING || token->state == TOKEN_REMAINDER;
        if (token->scope == scope && !leads_nowhere && !is_gathered(step, token)) return false;
        if (token->scope == scope && has_timer(instance, token->execution)) return false;
    }
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].parent == scope && instance->scope[i].state == REGION_NONE) return false;
    return true;
}

/* The name of an edge: the author's, or where it comes from. */
static str edge_name(struct step *step, uint32_t join, uint32_t arrival)
{
    for (size_t i = 0; i < step->program->node_count; i++) {
        const struct program_node *node = &step->program->node[i];
        for (size_t k = 0; k < node->edge_count; k++)
            if (node->edge[k].target == join && node->edge[k].arrival == arrival)
                return node->edge[k].name.n ? node->edge[k].name
                                            : arena_printf(step->arena, "from \"%.*s\"", STR_ARG(node->name));
    }
    return arena_printf(step->arena, "%u", arrival);
}

/* Names each join of the scope that has tokens, and the edges for which it waits. */
static str deadlock_message(struct step *step, uint32_t scope)
{
    const struct instance *instance = step->instance;
    bool *named = arena_make_n(step->arena, bool, step->program->node_count);
    struct buf text;
    buf_init(&text, step->arena);
    buf_add_str(&text, STR("nothing can arrive any more"));
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope || !is_gathered(step, token) || named[token->node]) continue;
        named[token->node] = true;
        const struct gathered found = gather(step, scope, token->node);
        buf_printf(&text, "; join \"%.*s\" waits for", STR_ARG(token->node_name));
        uint32_t count = 0;
        for (uint32_t edge = 1; edge <= found.arrivals; edge++) {
            if (found.by[edge] || count++ >= BRANCHES_NAMED_MAX) continue;
            str name = edge_name(step, token->node, edge);
            buf_printf(&text, "%s%.*s", count > 1 ? ", " : " ", STR_ARG(name));
        }
        if (count > BRANCHES_NAMED_MAX) buf_printf(&text, " and %u more", count - BRANCHES_NAMED_MAX);
    }
    return buf_str(&text);
}

/* The join of the scope that comes first in the program: of INCLUSIVE ones, or of all. */
static uint32_t first_join(const struct step *step, uint32_t scope, bool inclusive, uint32_t *ret_execution)
{
    const struct instance *instance = step->instance;
    uint32_t first = NODE_NONE;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope != scope || !is_gathered(step, token) || token->node >= first) continue;
        if (inclusive && token_node(step, token)->as.join.mode != JOIN_INCLUSIVE) continue;
        first = token->node;
        *ret_execution = token->execution;
    }
    return first;
}

static bool break_stuck(struct step *step)
{
    const struct instance *instance = step->instance;
    uint32_t looked_at = UINT32_MAX, execution = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (!is_gathered(step, token) || token->scope == looked_at) continue;
        looked_at = token->scope;
        step_spend(step, (int64_t)(instance->token_count / TOKENS_PER_FUEL));
        if (!is_stuck(step, looked_at)) continue;
        uint32_t join = first_join(step, looked_at, true, &execution);
        if (join != NODE_NONE) {
            const struct gathered found = gather(step, looked_at, join);
            open_join(step, &found);
            return true;
        }
        first_join(step, looked_at, false, &execution);
        raise_error(step, execution, step->program->error_names.deadlock, deadlock_message(step, looked_at),
                    NULL);
        return true;
    }
    return false;
}

bool node_join_rest(struct step *step)
{
    if (instance_status_ended(step->instance->status)) return false;
    if (step->instance->owed_count && drop_owed(step)) return true;
    return open_inclusive(step) || break_stuck(step);
}
