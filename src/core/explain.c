/* core/explain.c — why a token does not move, in a sentence. */

#include "core/core_int.h"

#include "base/datetime.h"

enum { BRANCHES_NAMED_MAX = 5 };

static void say_job(const struct instance *instance, const struct token *token, int64_t now_ms,
                    struct buf *out)
{
    const struct job *job = instance_job_of(instance, token->execution);
    if (!job) {
        buf_add_str(out, STR("waits for a job"));
        return;
    }
    buf_printf(out, "waits for a worker of type \"%.*s\" (attempt %u, %u %s left)", STR_ARG(job->type),
               job->attempt, job->retries_left, job->retries_left == 1 ? "retry" : "retries");
    if (job->available_ms <= now_ms) return;
    char time[DATETIME_CHARS + 1];
    datetime_print_seconds(job->available_ms, time);
    buf_printf(out, ", not before %s", time);
}

/* Is the token in the scope, or in one inside it? */
static bool inside(const struct instance *instance, uint32_t scope, uint32_t around)
{
    while (scope && scope != around) {
        const struct scope *inner = instance_find_scope(instance, scope);
        scope = inner ? inner->parent : 0;
    }
    return scope == around;
}

static void say_join(const struct instance *instance, const struct token *token, struct buf *out)
{
    buf_add_str(out, STR("waits for the other branches: "));
    size_t count = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *other = &instance->token[i];
        if (!inside(instance, other->scope, token->scope)) continue;
        if (other->state == TOKEN_JOIN && other->scope == token->scope) continue;
        if (count++ >= BRANCHES_NAMED_MAX) continue;
        buf_printf(out, "%s\"%.*s\"", count > 1 ? ", " : "", STR_ARG(other->node_name));
    }
    if (count > BRANCHES_NAMED_MAX) buf_printf(out, " and %zu more", count - BRANCHES_NAMED_MAX);
}

static void say_timers(const struct program *program, const struct instance *instance,
                       const struct token *token, struct buf *out)
{
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        if (timer->execution != token->execution) continue;
        char time[DATETIME_CHARS + 1];
        datetime_print_seconds(timer->due_ms, time);
        const struct program_timer *boundary = NULL;
        if (program && token->node < program->node_count &&
            timer->index < program->node[token->node].timer_count)
            boundary = &program->node[token->node].timer[timer->index];
        if (boundary)
            buf_printf(out, "; a timer %s \"%.*s\" at %s",
                       boundary->interrupting ? "interrupts it and goes to" : "starts",
                       STR_ARG(program->node[boundary->target].name), time);
        else
            buf_printf(out, "; a timer is due at %s", time);
    }
}

static void say_wait(const struct program *program, const struct instance *instance,
                     const struct token *token, int64_t now_ms, struct buf *out)
{
    switch (token->state) {
    case TOKEN_READY: buf_add_str(out, STR("has not run yet")); return;
    case TOKEN_JOB: say_job(instance, token, now_ms, out); break;
    case TOKEN_SIGNAL: buf_printf(out, "waits for a signal to \"%.*s\"", STR_ARG(token->node_name)); break;
    case TOKEN_PERSON:
        buf_printf(out, "waits for a person to complete \"%.*s\"", STR_ARG(token->node_name));
        break;
    case TOKEN_JOIN: say_join(instance, token, out); return;
    case TOKEN_RESTING: buf_add_str(out, STR("is done and has nowhere to go")); return;
    case TOKEN_FAILED:
        buf_printf(out, "failed: %.*s; a retry starts it again", STR_ARG(instance->failure));
        return;
    case TOKEN_STATE_COUNT: break;
    }
    say_timers(program, instance, token, out);
}

str core_explain(const struct program *program, const struct instance *instance, const struct token *token,
                 int64_t now_ms, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    switch (instance->status) {
    case INSTANCE_COMPLETED: buf_add_str(&out, STR("was left behind when the instance completed")); break;
    case INSTANCE_CANCELLED: buf_add_str(&out, STR("was stopped when the instance was cancelled")); break;
    case INSTANCE_FAILED:
        if (token->state != TOKEN_FAILED && token->state != TOKEN_RESTING)
            buf_printf(&out, "stands still because the instance failed (%.*s); it ",
                       STR_ARG(instance->failure));
        say_wait(program, instance, token, now_ms, &out);
        break;
    default: say_wait(program, instance, token, now_ms, &out); break;
    }
    return buf_str(&out);
}
