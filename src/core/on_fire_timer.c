/* core/on_fire_timer.c — a timer came due.
 *
 * Whether it is due is the caller's business: a clock that was set back must not lose it.
 */

#include "core/core_int.h"

#include "base/datetime.h"
#include "base/duration.h"

/* How long the token has been at its node. */
static int64_t time_since(const struct step *step, const struct token *token)
{
    return step->command->now_ms > token->since_ms ? step->command->now_ms - token->since_ms : 0;
}

/* A task's attempt takes too long, or what is awaited does not come. */
static void time_out(struct step *step, const struct token *token, const struct program_timer *timer)
{
    str name = step->program->error_names.timeout;
    char delay[64];
    duration_print(timer->when ? time_since(step, token) : timer->delay_ms, delay, sizeof delay);
    const struct job *open = instance_job_of(step->instance, token->execution);
    if (!open || token->state != TOKEN_JOB) {
        raise_error(step, token->execution, name, arena_printf(step->arena, "nothing came within %s", delay),
                    NULL);
        return;
    }
    const struct job job = *open;
    str message = arena_printf(step->arena, "no answer within %s", delay);
    job_close(step, job.number, JOB_FAILED, message);
    attempt_failed(step, &job, STR_NONE, message, error_object(step, token->execution, name, message, NULL),
                   true);
}

/* The visit is complete: a time has come. */
static void go_on(struct step *step, uint32_t execution, int64_t due_ms)
{
    const struct program_node *node = token_node(step, instance_find_token(step->instance, execution));
    struct locals locals = { .count = 0 };
    if (node->output_count) wait_add_due(step, node, &locals, due_ms);
    exit_with(step, execution, locals.count ? &locals : NULL);
}

/* One case less to wait for. */
static void expire(struct step *step, const struct token *token, const struct program_node *node,
                   const struct program_timer *timer)
{
    for (uint32_t i = 0; i < node->as.wait.event_case_count; i++)
        if (mail_case_is_live(step, token, i)) return;
    time_out(step, token, timer);
}

/* The next time of a timer that fires again and again. Times that have passed, while the engine was down for
 * example, are left out: nobody wants ten reminders at once. */
static int64_t next_due(const struct program_timer *timer, int64_t due_ms, int64_t now_ms)
{
    if (due_ms > now_ms) now_ms = due_ms;
    return time_after(due_ms, ((now_ms - due_ms) / timer->every_ms + 1) * timer->every_ms);
}

static void remind(struct step *step, const struct token *token, const struct program_timer *timer,
                   const struct timer *fired)
{
    int64_t reminded = 0;
    json_int64(json_get(token->task, STR("reminded")), &reminded);
    if (reminded < TASK_REMINDED_MAX) reminded++;
    task_change(
        step, token,
        json_set(step->arena, json_empty_object(), STR("reminded"), json_of_int(step->arena, reminded)),
        STR_NONE);
    if (!timer->every_ms) return;
    if (reminded < TASK_REMINDED_MAX) {
        timer_open_again(step, token->execution, fired->index,
                         next_due(timer, fired->due_ms, step->command->now_ms));
        return;
    }
    str warning = arena_printf(step->arena, "reminded %d times: the reminder is not repeated any more",
                               TASK_REMINDED_MAX);
    note(step, &(struct entry){ .kind = ENTRY_KIND_WARN, .execution = token->execution, .warning = warning });
}

/* Reminds people of their task, or hands it to others. */
static void change_task(struct step *step, const struct token *token, const struct program_timer *timer,
                        const struct timer *fired)
{
    if (timer->change) task_change(step, token, timer->change, STR("escalated"));
    else remind(step, token, timer, fired);
    if (!timer->is_quiet)
        notice_open(step, token->execution, timer->change ? STR("escalation") : STR("reminder"));
}

/* Has the time in which the transition could be made passed? */
static bool is_too_late(struct step *step, const struct token *token, const struct program_timer *timer,
                        int64_t due_ms)
{
    const struct json *expires;
    struct error err;
    int64_t at_ms;
    if (timer->late_ms >= 0 && step->command->now_ms > time_after(due_ms, timer->late_ms)) return true;
    if (!timer->expires || expression_at(step, timer->expires, token, NULL, &expires, &err) != ST_OK)
        return false;
    return json_is(expires, JSON_STRING) && datetime_parse(json_string(expires), &at_ms) &&
           step->command->now_ms > at_ms;
}

/* A transition whose time has come. If it cannot be made, the token waits on, without this timer. */
static void fire(struct step *step, const struct token *token, const struct program_node *node,
                 const struct program_timer *timer, int64_t due_ms)
{
    const struct program_edge *edge = &node->edge[timer->edge];
    bool is_late = is_too_late(step, token, timer, due_ms);
    bool holds = true;
    struct error err = { .message = "its condition does not hold" };
    if (!is_late && edge->when && expression_condition(step, edge->when, token, NULL, &holds, &err) != ST_OK)
        holds = false;
    if (is_late || !holds) {
        note(step, &(struct entry){ .kind = ENTRY_KIND_WARN,
                                    .execution = token->execution,
                                    .warning = arena_printf(step->arena, "\"%.*s\" was not fired: %s",
                                                            STR_ARG(edge->name),
                                                            is_late ? "it was too late" : err.message) });
        return;
    }
    fire_begin(step, token->execution, edge->name);
    token_stamp(step, token->execution);
    const struct token stamped = *instance_find_token(step->instance, token->execution);
    fire_leave(step, &stamped, edge->target);
}

static void refuse_another_token(struct step *step, uint32_t execution)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    str reason =
        arena_printf(step->arena, "one more token is too many: an instance has at most %d", TOKENS_MAX);
    token_fail(step, execution, reason);
}

/* The instance takes longer than its program allows. */
static void end_at_deadline(struct step *step)
{
    char delay[64];
    duration_print(step->program->rules->deadline_ms, delay, sizeof delay);
    str name = step->program->error_names.deadline,
        message = arena_printf(step->arena, "the instance took longer than %s", delay);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, name);
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, message);
    json_close(&builder);
    interrupt_waits(step, true);
    note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = json_built(&builder) });
    note_status(step, INSTANCE_CANCELLED, message);
}

enum status on_fire_timer(struct step *step, struct error *rejection)
{
    (void)rejection;
    const struct timer *open = instance_find_timer(step->instance, step->command->as.timer.number);
    if (!open || !instance_reaches(step->instance, open->execution)) {
        step->unchanged = true;
        return ST_OK;
    }
    const struct timer timer = *open;
    if (!timer.number) {
        timer_close(step, 0, true);
        end_at_deadline(step);
        return ST_OK;
    }
    const struct token parent = *instance_find_token(step->instance, timer.execution);
    const struct program_node *node = token_node(step, &parent);
    if (timer.index == TIMER_YIELD) { /* The loop, or undoing, goes on when no token is ready. */
        timer_close(step, timer.number, true);
        return ST_OK;
    }
    must(timer.index < node->timer_count);
    const struct program_timer *boundary = &node->timer[timer.index];

    timer_close(step, timer.number, true);
    if (step->command->as.timer.refusal.n) {
        note(step, &(struct entry){ .kind = ENTRY_KIND_WARN,
                                    .execution = parent.execution,
                                    .warning = reason_cut(step->command->as.timer.refusal) });
        return ST_OK;
    }
    switch (boundary->does) {
    case TIMER_GO_TO: break;
    case TIMER_GO_ON: go_on(step, parent.execution, timer.due_ms); return ST_OK;
    case TIMER_RAISE: time_out(step, &parent, boundary); return ST_OK;
    case TIMER_TASK: change_task(step, &parent, boundary, &timer); return ST_OK;
    case TIMER_GIVE_UP: lock_give_up(step, &parent); return ST_OK;
    case TIMER_EXPIRE: expire(step, &parent, node, boundary); return ST_OK;
    case TIMER_FIRE: fire(step, &parent, node, boundary, timer.due_ms); return ST_OK;
    }
    if (node->kind == NODE_JOIN) {
        node_join_time_out(step, &parent, boundary);
        return ST_OK;
    }
    if (boundary->interrupting) {
        interrupt_token(step, parent.execution, CORE_LATE);
    } else if (step->instance->token_count >= TOKENS_MAX) {
        refuse_another_token(step, parent.execution);
        return ST_OK;
    }
    token_enter_by(step, boundary->target, boundary->arrival, parent.scope, parent.execution);
    return ST_OK;
}
