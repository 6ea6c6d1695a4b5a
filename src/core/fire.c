/* core/fire.c — a token begins a transition, whoever fires it. */

#include "core/core_int.h"

void fire_begin(struct step *step, uint32_t execution, str transition)
{
    int64_t moved_to = step->command->kind == COMMAND_FIRE ? step->command->as.fire.definition : 0;
    if (!moved_to && step->program->rules->moves) moved_to = step->instance->definition;
    note(step, &(struct entry){ .kind = ENTRY_KIND_FIRE,
                                .execution = execution,
                                .moved_to = (uint64_t)moved_to,
                                .transition = transition });
}

void fire_leave(struct step *step, const struct token *token, uint32_t target)
{
    if (token->state == TOKEN_JOB) {
        interrupt_token(step, token->execution, STR("another transition was fired"));
    } else {
        timer_close_all(step, token->execution);
        token_leave(step, token->execution);
    }
    step->running = token_enter(step, target, token->scope, token->execution);
}
