/* core/apply_scope.c — what entries about scopes, regions and tasks' input do to a state. */

#include "core/core_int.h"

enum status apply_scope_open(struct change *change, const struct entry *entry, uint32_t node,
                             struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->from && !instance_find_scope(instance, entry->from))
        return misfit(entry, "no such scope around it", err);
    if (!take_number(instance, entry->scope)) return misfit(entry, "the number is used", err);
    OWN(change, scope);
    instance->scope[instance->scope_count++] = (struct scope){
        .number = entry->scope,
        .parent = entry->from,
        .fork = node,
        .fork_name = entry->node,
    };
    return ST_OK;
}

static struct scope *scope_for_writing(struct change *change, uint32_t number)
{
    struct instance *instance = change->instance;
    OWN(change, scope);
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, number);
    return i == SIZE_MAX ? NULL : &instance->scope[i];
}

enum status apply_scope_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, entry->scope);
    if (i == SIZE_MAX) return misfit(entry, "no such scope", err);
    CUT(change, scope, i);
    return ST_OK;
}

enum status apply_region_open(struct change *change, const struct entry *entry, uint32_t node,
                              struct error *err)
{
    if (!instance_find_token(change->instance, entry->execution)) return misfit(entry, "no such token", err);
    if (!entry->json) return misfit(entry, "no data", err);
    TRY(apply_scope_open(change, entry, node, err));
    struct scope *scope = &change->instance->scope[change->instance->scope_count - 1];
    scope->state = REGION_OPEN;
    scope->index = entry->value;
    scope->host = entry->execution;
    scope->data = entry->json;
    return ST_OK;
}

enum status apply_region_end(struct change *change, const struct entry *entry, struct error *err)
{
    struct scope *scope = scope_for_writing(change, entry->scope);
    if (!scope || scope->state != REGION_OPEN) return misfit(entry, "no such region is open", err);
    switch ((enum region_state)entry->value) {
    case REGION_DONE: break;
    case REGION_FAILED:
        if (!json_is(entry->json, JSON_OBJECT)) return misfit(entry, "no error", err);
        scope->data = entry->json;
        break;
    case REGION_DETACHED: scope->parent = scope->host = 0; break;
    default: return misfit(entry, "no such end", err);
    }
    scope->state = (enum region_state)entry->value;
    return ST_OK;
}

enum status apply_scope_data(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !instance_find_scope(instance, entry->scope))
        return misfit(entry, "no such scope", err);
    if (entry->value > MERGE_APPEND) return misfit(entry, "no such way to merge", err);
    const struct json *data = scope_data(instance, entry->scope);
    enum data_merge merge = (enum data_merge)entry->value;
    if (!data_mergeable(data, entry->json, merge)) return misfit(entry, "it cannot be merged", err);
    change_data(change, entry->scope, data_merged(data, entry->json, merge, change->arena));
    return ST_OK;
}

enum status apply_data_cut(struct change *change, const struct entry *entry, struct error *err)
{
    const struct json *data = change->instance->data;
    if (!json_is(data, JSON_OBJECT) || !data_names(entry->json))
        return misfit(entry, "no names, or nothing to cut", err);
    change_data(change, 0, data_without(data, entry->json, change->arena));
    return ST_OK;
}

/* The job opened last, which these entries follow. */
static struct job *job_just_opened(struct change *change, uint32_t number)
{
    struct instance *instance = change->instance;
    OWN(change, job);
    if (!instance->job_count) return NULL;
    struct job *job = &instance->job[instance->job_count - 1];
    return job->number == number ? job : NULL;
}

enum status apply_job_input(struct change *change, const struct entry *entry, struct error *err)
{
    struct job *job = job_just_opened(change, entry->number);
    if (!job) return misfit(entry, "no such job was opened", err);
    if (entry->value >= PERFORMER_COUNT || !entry->json) return misfit(entry, "no such performer", err);
    job->performer = (enum performer)entry->value;
    job->payload = entry->json;
    return ST_OK;
}

enum status apply_job_rule(struct change *change, const struct entry *entry, struct error *err)
{
    struct job *job = job_just_opened(change, entry->number);
    if (!job) return misfit(entry, "no such job was opened", err);
    if (entry->from > RETRY_RULES_MAX || entry->value >= entry->from ||
        (job->used_count && job->used_count != entry->from))
        return misfit(entry, "no such rule", err);
    uint32_t *used = arena_make_n(change->arena, uint32_t, entry->from);
    for (uint32_t i = 0; i < job->used_count; i++) used[i] = job->used[i];
    used[entry->value]++;
    job->used = used;
    job->used_count = entry->from;
    return ST_OK;
}
