/* runtime/views.c — instances and jobs as the API shows them. */
#include "runtime/engine_int.h"

#include "base/must.h"

void view_instance(const struct instance *instance, str definition_id, int32_t definition_version,
                   struct arena *arena, struct instance_view *ret_view)
{
    str *current;
    size_t count = core_current_nodes(instance, arena, &current);
    for (size_t i = 0; i < count; i++) current[i] = arena_str(arena, current[i]);
    *ret_view = (struct instance_view){
        .id = instance->id,
        .created_ms = instance->created_ms,
        .ended_ms = instance->ended_ms,
        .status = instance->status,
        .definition_id = arena_str(arena, definition_id),
        .definition_version = definition_version,
        .business_key = arena_str(arena, instance->business_key),
        .failure = arena_str(arena, instance->failure),
        .current = current,
        .current_count = count,
        .data = json_copy(arena, instance->data),
        .revision = instance->revision,
    };
}

void view_job(const struct instance *instance, const struct job *job, const struct open_job *open,
              bool with_data, struct arena *arena, struct job_view *ret_view)
{
    const struct token *token = instance_find_token(instance, job->execution);
    must(token);
    *ret_view = (struct job_view){
        .instance = instance->id,
        .instance_created_ms = instance->created_ms,
        .number = job->number,
        .execution = job->execution,
        .execution_ms = token->since_ms,
        .type = arena_str(arena, job->type),
        .node = arena_str(arena, token->node_name),
        .available_ms = job->available_ms,
        .retries_left = job->retries_left,
        .attempt = job->attempt,
        .created_ms = job->created_ms,
        .data = with_data ? json_copy(arena, instance_job_payload(instance, job)) : NULL,
    };
    if (!open) return;
    ret_view->delivery = open->delivery;
    ret_view->state = open->state;
    if (open->state != JOB_LOCKED) return;
    ret_view->worker = arena_str(arena, open->worker);
    ret_view->locked_ms = open->locked_ms;
    ret_view->lock_expires_ms = open->deadline.at_ms;
}
