/* core/timer.c — timers are opened and closed. */

#include "core/core_int.h"

static void timer_open(struct step *step, uint32_t execution, const struct program_node *node, size_t index,
                       int64_t from_ms)
{
    const struct program_timer *timer = &node->timer[index];
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_TIMER_OPEN,
                   .execution = execution,
                   .timer = note_number(step),
                   .index = (uint32_t)index,
                   .due_ms = timer->at_ms ? timer->at_ms : time_after(from_ms, timer->delay_ms),
               });
}

void timer_open_all(struct step *step, const struct token *token, const struct program_node *node)
{
    for (size_t i = 0; i < node->timer_count; i++)
        timer_open(step, token->execution, node, i, step->command->now_ms);
}

void timer_open_for_attempt(struct step *step, const struct token *token, const struct program_node *node,
                            int64_t from_ms)
{
    for (size_t i = 0; i < node->timer_count; i++)
        if (node->timer[i].per_attempt) timer_open(step, token->execution, node, i, from_ms);
}

void timer_close(struct step *step, uint32_t number, bool fired)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_TIMER_CLOSE, .timer = number, .fired = fired });
}

void timer_close_all(struct step *step, uint32_t execution)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->timer_count; i-- > 0;)
        if (instance->timer[i].execution == execution) timer_close(step, instance->timer[i].number, false);
}
