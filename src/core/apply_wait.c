/* core/apply_wait.c — applies entries about jobs and timers to a state. */

#include "core/change_int.h"

enum status apply_job_open(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->execution)) return change_misfit(entry, "no such token", err);
    if (!change_take_number(instance, entry->job)) return change_misfit(entry, "the number is used", err);
    /* A further attempt is about the same as the one before. */
    struct job before = { 0 };
    if (entry->attempt > 1) {
        if (change->closed.execution != entry->execution)
            return change_misfit(entry, "no job before it", err);
        before = change->closed;
    }
    OWN(change, job);
    instance->job[instance->job_count++] = (struct job){
        .number = entry->job,
        .execution = entry->execution,
        .type = entry->job_type,
        .retries_left = entry->retries_left,
        .attempt = entry->attempt,
        .created_ms = change->at_ms,
        .available_ms = entry->available_ms,
        .payload = before.payload,
        .performer = before.performer,
        .used = before.used,
        .used_count = before.used_count,
    };
    return ST_OK;
}

enum status apply_job_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->job, instance->job_count, sizeof *instance->job, entry->job);
    if (i == SIZE_MAX) return change_misfit(entry, "no such job", err);
    change->closed = instance->job[i];
    CUT(change, job, i);
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
    struct job *job = job_just_opened(change, entry->job);
    if (!job) return change_misfit(entry, "no such job was opened", err);
    if (entry->performer >= PERFORMER_COUNT || !entry->payload)
        return change_misfit(entry, "no such performer", err);
    job->performer = (enum performer)entry->performer;
    job->payload = entry->payload;
    return ST_OK;
}

enum status apply_job_rule(struct change *change, const struct entry *entry, struct error *err)
{
    struct job *job = job_just_opened(change, entry->job);
    if (!job) return change_misfit(entry, "no such job was opened", err);
    if (entry->rule_count > RETRY_RULES_MAX || entry->rule >= entry->rule_count ||
        (job->used_count && job->used_count != entry->rule_count))
        return change_misfit(entry, "no such rule", err);
    uint32_t *used = arena_make_n(change->arena, uint32_t, entry->rule_count);
    for (uint32_t i = 0; i < job->used_count; i++) used[i] = job->used[i];
    used[entry->rule]++;
    job->used = used;
    job->used_count = entry->rule_count;
    return ST_OK;
}

enum status apply_timer_open(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!entry->timer) { /* The deadline, which is there before any token is. */
        if (instance->timer_count || entry->execution)
            return change_misfit(entry, "no place for a deadline", err);
        instance->deadline_ms = entry->due_ms;
    } else if (!instance_find_token(instance, entry->execution)) {
        return change_misfit(entry, "no such token", err);
    } else if (!change_take_number(instance, entry->timer)) {
        return change_misfit(entry, "the number is used", err);
    }
    OWN(change, timer);
    instance->timer[instance->timer_count++] = (struct timer){
        .number = entry->timer,
        .execution = entry->execution,
        .index = entry->index,
        .due_ms = entry->due_ms,
    };
    return ST_OK;
}

enum status apply_timer_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->timer, instance->timer_count, sizeof *instance->timer, entry->timer);
    if (i == SIZE_MAX) return change_misfit(entry, "no such timer", err);
    if (!entry->timer) instance->deadline_ms = 0;
    CUT(change, timer, i);
    return ST_OK;
}
