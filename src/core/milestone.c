/* core/milestone.c — visits that are possible only between two points of the run.
 *
 *     not reached yet ──► TOKEN_MILESTONE ──reached──► READY ──► as any visit ──passed──► withdrawn
 *
 * The run reaches a node whenever a token enters it, and the last visit counts: in a circle a milestone that
 * was passed is reached again. Tokens are looked at when nothing is ready, so that a command which passes
 * both points in one go leaves nothing undecided. A visit that is withdrawn takes the milestone's way, or
 * raises an error.
 */

#include "core/core_int.h"

enum phase { BEFORE, BETWEEN, BEHIND };

/* The last visit to the node; 0: there was none. */
static uint32_t last_visit(const struct instance *instance, uint32_t node)
{
    for (size_t i = 0; node != NODE_NONE && i < instance->reached_count; i++)
        if (instance->reached[i].node == node) return instance->reached[i].execution;
    return 0;
}

static enum phase phase_of(const struct instance *instance, const struct program_milestone *milestone)
{
    uint32_t from = last_visit(instance, milestone->from), until = last_visit(instance, milestone->until);
    if (until > from) return BEHIND;
    return from || milestone->from == NODE_NONE ? BETWEEN : BEFORE;
}

void milestone_reach(struct step *step, const struct token *token, const struct program_node *node)
{
    if (last_visit(step->instance, token->node) >= token->execution) return; /* It has begun to wait there. */
    note_at(step,
            &(struct entry){ .kind = ENTRY_KIND_REACH, .execution = token->execution, .node = node->name },
            token->node);
}

static void withdraw(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct program_milestone *milestone = program_milestone(step->program, node);
    const struct program_node *until = &step->program->node[milestone->until];
    str why = arena_printf(step->arena, "the run has reached \"%.*s\"",
                           STR_ARG(until->title.n ? until->title : until->name));
    if (milestone->way.target == NODE_NONE) {
        raise_error(step, token->execution, milestone->passed, why, NULL);
        return;
    }
    interrupt_token(step, token->execution, why);
    token_enter_by(step, milestone->way.target, milestone->way.arrival, token->scope, token->execution);
}

bool milestone_lets_begin(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct program_milestone *milestone = program_milestone(step->program, node);
    if (!milestone) return true;
    switch (phase_of(step->instance, milestone)) {
    case BETWEEN: return true;
    case BEFORE: token_park(step, token->execution, TOKEN_MILESTONE); return false;
    case BEHIND: break;
    }
    withdraw(step, token, node);
    return false;
}

/* Is something of the visit still to come? */
static bool is_under_way(const struct token *token)
{
    return token->state != TOKEN_READY && token->state != TOKEN_RESTING && token->state != TOKEN_FAILED &&
           token->state != TOKEN_REMAINDER;
}

bool milestone_rest(struct step *step)
{
    const struct instance *instance = step->instance;
    if (instance_status_ended(instance->status) || instance->undo.error) return false;
    step_spend(step, 1 + (int64_t)(instance->token_count / TOKENS_PER_FUEL));
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token token = instance->token[i];
        const struct program_node *node = token_node(step, &token);
        const struct program_milestone *milestone = program_milestone(step->program, node);
        if (!milestone || !is_under_way(&token)) continue;
        enum phase phase = phase_of(instance, milestone);
        if (phase == BEHIND) {
            withdraw(step, &token, node);
            return true;
        }
        if (phase == BEFORE || token.state != TOKEN_MILESTONE) continue;
        note(step, &(struct entry){ .kind = ENTRY_KIND_BEGIN, .execution = token.execution });
        step->running = token.execution;
        return true;
    }
    return false;
}
