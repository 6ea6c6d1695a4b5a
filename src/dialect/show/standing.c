/* dialect/show/standing.c — adds up the waits of an instance's tokens, jobs, timers and tasks. */
#include "dialect/show/standing.h"

#include "base/must.h"

static const struct job *job_of(const struct instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->job_count; i++)
        if (instance->job[i].execution == execution) return &instance->job[i];
    return NULL;
}

static void wait_until(struct standing *standing, int64_t due_ms)
{
    if (due_ms > 0 && (!standing->resume_ms || due_ms < standing->resume_ms)) standing->resume_ms = due_ms;
}

static void add_job(struct standing *standing, const struct job *job, int64_t now_ms)
{
    bool later = job && job->attempt > 1 && job->available_ms > (now_ms ? now_ms : job->created_ms);
    if (later) {
        standing->waits_for_retry = true;
        wait_until(standing, job->available_ms);
    } else {
        standing->runs = true;
    }
}

static void add_token(struct standing *standing, const struct instance *instance, const struct token *token,
                      int64_t now_ms)
{
    switch (token->state) {
    case TOKEN_READY: standing->runs = true; break;
    case TOKEN_JOB: add_job(standing, job_of(instance, token->execution), now_ms); break;
    case TOKEN_PERSON: standing->waits_for_person = true; break;
    case TOKEN_SIGNAL:
    case TOKEN_EVENT:
    case TOKEN_TIME:
    case TOKEN_TRANSITION:
    case TOKEN_MILESTONE:
    case TOKEN_LOCK:
    case TOKEN_ARRIVAL: standing->waits_for_time = true; break;
    default: break; /* Other tokens explain this wait. */
    }
}

/* The deadline of the instance, and the time that an attempt has, are not when it goes on. */
static void add_timers(struct standing *standing, const struct instance *instance)
{
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct token *token = instance_find_token(instance, instance->timer[i].execution);
        if (token && token->state != TOKEN_JOB) wait_until(standing, instance->timer[i].due_ms);
    }
}

static void add_tasks(struct standing *standing, const struct instance *instance, struct arena *arena)
{
    struct standing_task *task = arena_make_n(arena, struct standing_task, instance->token_count);
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->state != TOKEN_PERSON) continue;
        task[standing->task_count++] = (struct standing_task){ .execution = token->execution,
                                                               .since_ms = token->since_ms,
                                                               .node = arena_str(arena, token->node_name) };
    }
    must(standing->task_count && standing->task_count <= instance->token_count);
    standing->task = task;
}

static str undo_name(const struct program *program, str node)
{
    uint32_t index = program ? program_find(program, node) : NODE_NONE;
    if (index == NODE_NONE) return node;
    uint32_t by = program->node[index].undo;
    return by && by < program->node_count ? program->node[by].name : node;
}

/* The visit that was completed last is undone first. */
static void add_undos(struct standing *standing, const struct program *program,
                      const struct instance *instance, struct arena *arena)
{
    size_t count = instance->undo_item_count;
    struct standing_undo *undo = arena_make_n(arena, struct standing_undo, count);
    for (size_t i = count; instance->undo.error && i > 0; i--) {
        const struct undo_item *item = &instance->undo_item[i - 1];
        if (item->state == UNDO_POSSIBLE) continue;
        undo[standing->undo_count++] =
            (struct standing_undo){ .node = arena_str(arena, undo_name(program, item->node_name)),
                                    .state = item->state };
    }
    must(standing->undo_count <= count);
    standing->undo = undo;
}

struct standing standing_of(const struct program *program, const struct instance *instance, int64_t now_ms,
                            struct arena *arena)
{
    struct standing standing = { .status = instance->status,
                                 .error = instance->error,
                                 .is_held = instance->is_held };
    if (instance->undo.error) add_undos(&standing, program, instance, arena);
    if (instance_status_ended(instance->status)) return standing;
    standing.undoes = instance->undo.error != NULL;
    for (size_t i = 0; i < instance->token_count; i++)
        add_token(&standing, instance, &instance->token[i], now_ms);
    add_timers(&standing, instance);
    if (standing.waits_for_person) add_tasks(&standing, instance, arena);
    return standing;
}
