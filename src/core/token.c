/* core/token.c — a token enters a node, parks, leaves, rests or fails. */

#include "core/core_int.h"

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
    uint32_t execution = note_number(step);
    note_at(step,
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

void token_came_by(struct step *step, uint32_t execution, uint32_t arrival)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_BY, .execution = execution, .way = arrival });
}

void token_park(struct step *step, uint32_t execution, enum token_state state)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_PARK, .execution = execution, .state = state });
}

void token_leave(struct step *step, uint32_t execution)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_LEAVE, .execution = execution });
}

void token_stamp(struct step *step, uint32_t execution)
{
    const struct json *stamp = step->command->stamp;
    if (!stamp) return;
    const struct token *token = instance_find_token(step->instance, execution);
    const struct json *carried =
        json_is(token->carried, JSON_OBJECT) ? json_merge(token->carried, stamp, step->arena) : stamp;
    note(step, &(struct entry){ .kind = ENTRY_KIND_CARRY, .execution = execution, .carried = carried });
}

void token_rest(struct step *step, uint32_t execution)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_REST, .execution = execution });
}

void token_fail_code(struct step *step, uint32_t execution, str code, str reason)
{
    reason = reason_cut(reason);
    timer_close_all(step, execution);
    interrupt_regions_of(step, execution, reason);
    note(step, &(struct entry){ .kind = ENTRY_KIND_FAIL, .execution = execution, .reason = reason });
    note_code(step, code);
    note_status(step, INSTANCE_FAILED, reason);
}

void token_fail(struct step *step, uint32_t execution, str reason)
{
    token_fail_code(step, execution, STR_NONE, reason);
}

/* {name: value} of the locals; NULL: there are none. */
static const struct json *brought_by(struct step *step, const struct locals *locals)
{
    if (!locals || !locals->count) return NULL;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < locals->count; i++) {
        json_add_name(&builder, locals->local[i].name);
        json_add(&builder, locals->local[i].value);
    }
    json_close(&builder);
    return json_built(&builder);
}

/* One level deeper it could not be read again. */
static bool can_be_kept(const struct locals *locals)
{
    for (size_t i = 0; locals && i < locals->count; i++)
        if (json_depth(locals->local[i].value) >= JSON_DEPTH_MAX) return false;
    return true;
}

void token_stall_at(struct step *step, uint32_t execution, uint32_t edge, const struct locals *locals,
                    str code, str reason)
{
    if (!can_be_kept(locals)) {
        token_fail_code(step, execution, code, reason);
        return;
    }
    reason = reason_cut(reason);
    interrupt_regions_of(step, execution, reason);
    note(step, &(struct entry){ .kind = ENTRY_KIND_STALL,
                                .execution = execution,
                                .edge = edge,
                                .reason = reason,
                                .brought = brought_by(step, locals) });
    note_code(step, code);
    note_status(step, INSTANCE_FAILED, reason);
}

void token_stall(struct step *step, uint32_t execution, str code, str reason)
{
    token_stall_at(step, execution, 0, step->leaving.execution == execution ? step->leaving.locals : NULL,
                   code, reason);
}

void token_fail_unhandled(struct step *step, uint32_t execution, const struct json *error)
{
    uint32_t outermost = instance_outermost(step->instance, execution);
    const struct job *job = instance_job_of(step->instance, outermost);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = error });
    str code = error_code(step, error), reason = error_text(step, error);
    if (step->leaving.execution == outermost) token_stall(step, outermost, code, reason);
    else token_fail_code(step, outermost, code, reason);
}

void token_halt(struct step *step, uint32_t execution, const struct json *error)
{
    for (uint32_t scope = instance_find_token(step->instance, execution)->scope; scope;) {
        const struct scope *around = scope_find(step->instance, scope);
        if (around->state == REGION_DETACHED) {
            note(step, &(struct entry){ .kind = ENTRY_KIND_RAISE, .execution = execution, .error = error });
            interrupt_region(step, scope, error_text(step, error));
            return;
        }
        scope = around->parent;
    }
    token_fail_unhandled(step, execution, error);
}
