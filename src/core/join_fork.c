/* core/join_fork.c — a join waits for the branches of its fork, then one token goes on.
 *
 * Joins that count edges are in node_join.c.
 *
 * A join opens when as many tokens stand at it as the fork has branches, no other token of the
 * scope can still move, and no scope is open inside. One token then goes on from the join in the
 * scope around it. This rule is right for branches of any length, for loops through a fork and for
 * tokens that a timer added: the join waits for such a token, and if that token ends somewhere
 * else the join opens without it. A branch that ends without arriving keeps the join shut for ever.
 */

#include "core/core_int.h"

/* All tokens that have arrived leave but the oldest; tokens that rest in the scope are forgotten with it. The
 * loop runs backwards, so that taking one token away moves few others. */
static uint32_t leave_but_the_oldest(struct step *step, uint32_t scope)
{
    const struct instance *instance = step->instance;
    uint32_t oldest = 0;
    for (size_t i = instance->token_count; i-- > 0;) {
        const struct token token = instance->token[i];
        if (token.scope != scope) continue;
        if (token.state == TOKEN_RESTING) {
            note(step, &(struct entry){ .kind = ENTRY_KIND_FORGET, .execution = token.execution });
            continue;
        }
        if (oldest) token_leave(step, oldest);
        oldest = token.execution;
    }
    return oldest;
}

void join_fork_leave(struct step *step, uint32_t execution)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct scope scope = *scope_find(step->instance, token.scope);
    const struct program_edge *edge = NULL;
    struct edge_refusal refusal = { .reason = STR_NONE };

    switch (edge_choose(step, &token, token_node(step, &token), NULL, &edge, &refusal)) {
    case EDGE_TAKEN:
        token_leave(step, execution);
        note_scope_close(step, scope.number);
        step->running = token_enter_by(step, edge->target, edge->arrival, scope.parent, execution);
        break;
    case EDGE_ABSENT: token_rest(step, execution); break;
    case EDGE_FAILED: token_stall(step, execution, refusal.code, refusal.reason); break;
    }
}

static void join_open(struct step *step, const struct scope *over)
{
    join_fork_leave(step, leave_but_the_oldest(step, over->number));
}

/* True if a token of the scope can still move. The oldest are looked at first: usually one of them can. */
static bool has_travellers(const struct step *step, const struct scope *scope)
{
    const struct instance *instance = step->instance;
    uint32_t join = scope_join(step->program, scope);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->scope == scope->number && token->state != TOKEN_RESTING &&
            !(token->state == TOKEN_JOIN && token->node == join))
            return true;
    }
    return false;
}

void join_fork_settle(struct step *step, uint32_t number)
{
    while (number) {
        const struct scope *scope = scope_find(step->instance, number);
        must(scope);
        if (scope->state != REGION_NONE) return; /* Ends by its own rules: region.c. */
        if (has_travellers(step, scope)) return;
        struct scope_census census = scope_census(step->program, step->instance, scope);
        if (scope_is_over(&census) && !instance_status_ended(step->instance->status)) join_open(step, scope);
        if (census.inner_count || census.token_count) return;
        uint32_t parent = scope->parent;
        note_scope_close(step, number);
        number = parent;
    }
}

void join_fork_arrive(struct step *step, const struct token *token, const struct program_node *node)
{
    if (token->scope == 0) {
        str reason =
            arena_printf(step->arena, "join \"%.*s\" was reached outside of any fork", STR_ARG(node->name));
        token_fail(step, token->execution, reason);
        return;
    }
    const struct scope *scope = scope_find(step->instance, token->scope);
    must(scope);
    if (scope_join(step->program, scope) != token->node) {
        str reason = arena_printf(step->arena,
                                  "join \"%.*s\" was reached by a branch of \"%.*s\", which it does not join",
                                  STR_ARG(node->name), STR_ARG(scope->fork_name));
        token_fail(step, token->execution, reason);
        return;
    }
    token_park(step, token->execution, TOKEN_JOIN);
    join_fork_settle(step, token->scope);
}
