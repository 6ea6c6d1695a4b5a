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
    note(step, &(struct entry){ .kind = ENTRY_KIND_INTERRUPT, .execution = execution, .text = reason_cut(why) },
         NODE_NONE);
}

/* The data as it is when the token goes on, then the guard that looks at it. */
void token_take_edge(struct step *step, const struct token *token, const struct program_node *node,
                            const struct program_edge *edge, const struct locals *locals)
{
    struct error err;
    const struct json *error;
    if (output_put(step, token, node->output, node->output_count, locals, &err) != ST_OK) {
        token_raise_failed(step, token->execution, &err);
        return;
    }
    if (!guard_holds(step, token, edge, scope_data(step->instance, token->scope), &error)) {
        token_halt(step, token->execution, error);
        return;
    }
    regions_close(step, token->execution, STR_NONE);
    token_leave(step, token->execution);
    step->running = token_enter(step, edge->target, token->scope, token->execution);
}

void token_go_on_with(struct step *step, uint32_t execution, const struct locals *locals)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct program_node *node = token_node(step, &token);
    const struct program_edge *edge = NULL;
    str name = STR_NONE, reason = STR_NONE;

    timers_close(step, execution);
    switch (edge_choose(step, &token, node, locals, &edge, &name, &reason)) {
    case EDGE_TAKEN: token_take_edge(step, &token, node, edge, locals); break;
    case EDGE_ABSENT:
        /* A finished task stays to be seen; a wait that leads nowhere is just over. */
        if (node->kind == NODE_WAIT) token_leave(step, execution);
        else token_rest(step, execution);
        scope_settle(step, token.scope);
        break;
    case EDGE_FAILED:
        if (name.n) {
            token_raise(step, execution, name, reason, NULL);
            break;
        }
        token_rest(step, execution);
        status_note(step, INSTANCE_FAILED, reason_cut(reason));
        break;
    }
}

void token_go_on(struct step *step, uint32_t execution) { token_go_on_with(step, execution, NULL); }
