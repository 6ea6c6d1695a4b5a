/* core/wait.c — what parked tokens wait for, and the data that answers bring. */

#include "core/core_int.h"

int64_t time_after(int64_t now_ms, int64_t delay_ms)
{
    int64_t time_ms;
    return __builtin_add_overflow(now_ms, delay_ms, &time_ms) ? INT64_MAX : time_ms;
}

void job_open(struct step *step, uint32_t execution, str type, uint32_t retries_left, uint32_t attempt,
              int64_t available_ms)
{
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_JOB_OPEN,
             .execution = execution,
             .number = fresh_number(step),
             .value = retries_left,
             .from = attempt,
             .time_ms = available_ms,
             .text = type,
         },
         NODE_NONE);
}

void job_close(struct step *step, uint32_t number, enum job_verdict verdict, str error)
{
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_JOB_CLOSE, .number = number, .value = verdict, .text = error },
         NODE_NONE);
}

void timers_open(struct step *step, const struct token *token, const struct program_node *node)
{
    for (size_t i = 0; i < node->timer_count; i++)
        note(step,
             &(struct entry){
                 .kind = ENTRY_KIND_TIMER_OPEN,
                 .execution = token->execution,
                 .number = fresh_number(step),
                 .value = (uint32_t)i,
                 .time_ms = time_after(step->command->now_ms, node->timer[i].delay_ms),
             },
             NODE_NONE);
}

void timer_close(struct step *step, uint32_t number, bool fired)
{
    note(step, &(struct entry){ .kind = ENTRY_KIND_TIMER_CLOSE, .number = number, .value = fired },
         NODE_NONE);
}

void timers_close(struct step *step, uint32_t execution)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->timer_count; i-- > 0;)
        if (instance->timer[i].execution == execution) timer_close(step, instance->timer[i].number, false);
}

void waits_close_all(struct step *step)
{
    const struct instance *instance = step->instance;
    while (instance->job_count)
        job_close(step, instance->job[instance->job_count - 1].number, JOB_CANCELLED, STR_NONE);
    while (instance->timer_count) timer_close(step, instance->timer[instance->timer_count - 1].number, false);
}

enum status data_take(struct step *step, uint32_t execution, const struct json *more, enum data_merge merge,
                      struct error *err)
{
    if (!more || json_count(more) == 0) return ST_OK;
    /* What is stored deeper could not be read again. */
    if (json_depth(more) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, "", "variables would be nested deeper than %d levels", JSON_DEPTH_MAX);
    const struct json *data = data_merged(step->instance->data, more, merge, step->arena);
    size_t bytes = json_bytes(data);
    if (bytes > (size_t)step->limits->variables_bytes_max)
        return fail(err, ST_LIMIT, "", "variables would take %zu bytes; the most is %lld", bytes,
                    (long long)step->limits->variables_bytes_max);
    const struct entry entry = {
        .kind = ENTRY_KIND_DATA,
        .execution = execution,
        .value = merge,
        .json = more,
    };
    note_data(step, &entry, data);
    return ST_OK;
}
