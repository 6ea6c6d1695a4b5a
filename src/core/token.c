/* core/token.c — tokens come, wait, go on and fail. */

#include "core/core_int.h"

const struct program_node *token_node(const struct step *step, const struct token *token)
{
    must(token->node < step->program->node_count);
    return &step->program->node[token->node];
}

const struct token *token_at(const struct step *step, uint32_t node, enum token_state state)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].node == node && instance->token[i].state == state) return &instance->token[i];
    return NULL;
}

uint32_t token_enter(struct step *step, uint32_t node, uint32_t scope, uint32_t from)
{
    must(node < step->program->node_count);
    uint32_t execution = fresh_number(step);
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_ENTER,
             .execution = execution,
             .node = step->program->node[node].name,
             .scope = scope,
             .from = from,
         },
         node);
    return execution;
}

void token_park(struct step *step, uint32_t execution, enum token_state state)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_PARK, .execution = execution, .value = state }, NODE_NONE);
}

void token_leave(struct step *step, uint32_t execution)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_LEAVE, .execution = execution }, NODE_NONE);
}

void token_rest(struct step *step, uint32_t execution)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_REST, .execution = execution }, NODE_NONE);
}

void token_fail(struct step *step, uint32_t execution, str reason)
{
    reason = reason_cut(reason);
    timers_close(step, execution);
    regions_close(step, execution, reason);
    note(step, &(struct entry){ .kind = ENTRY_KIND_FAIL, .execution = execution, .text = reason }, NODE_NONE);
    status_note(step, INSTANCE_FAILED, reason);
}

static void waits_close(struct step *step, uint32_t execution, str why)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    timers_close(step, execution);
    regions_close(step, execution, why);
}

void token_interrupt(struct step *step, uint32_t execution, str why)
{
    waits_close(step, execution, why);
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_INTERRUPT, .execution = execution, .text = reason_cut(why) },
         NODE_NONE);
}
