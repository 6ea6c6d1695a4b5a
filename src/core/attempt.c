/* core/attempt.c — a task from attempt to attempt: rules, exits, errors. */

#include "core/core_int.h"

struct task_attempt {
    const struct job *job;
    struct token token;
    const struct program_node *node;
    bool retryable;       /* It failed, and the report says that another attempt may help. */
    struct locals locals; /* result, error */
};

static struct task_attempt attempt_of(struct step *step, const struct job *job, const struct json *result,
                                      const struct json *error)
{
    struct task_attempt attempt = { .job = job,
                                    .token = *instance_find_token(step->instance, job->execution) };
    attempt.node = token_node(step, &attempt.token);
    locals_add(&attempt.locals, STR("result"), result);
    locals_add(&attempt.locals, STR("error"), error);
    return attempt;
}

/* The rule that decides, or UINT32_MAX. */
static enum status find_rule(struct step *step, const struct task_attempt *attempt, uint32_t *ret_rule,
                             struct error *err)
{
    for (uint32_t i = 0; i < attempt->node->as.task.retry_count; i++) {
        const struct program_retry *rule = &attempt->node->as.task.retry[i];
        bool holds = attempt->retryable || !rule->only_retryable;
        if (holds && rule->when)
            TRY(expression_condition(step, rule->when, &attempt->token, &attempt->locals, &holds, err));
        *ret_rule = i;
        if (holds) return ST_OK;
    }
    *ret_rule = UINT32_MAX;
    return ST_OK;
}

/* How many retries of the visit were by this rule. */
static uint32_t retries_used(const struct task_attempt *attempt, uint32_t index)
{
    const struct program_retry *rule = &attempt->node->as.task.retry[index];
    if (rule->counts_down) return attempt->job->attempt - 1;
    return index < attempt->job->used_count ? attempt->job->used[index] : 0;
}

static bool has_retries_left(const struct task_attempt *attempt, uint32_t index)
{
    const struct program_retry *rule = &attempt->node->as.task.retry[index];
    if (rule->counts_down) return attempt->job->retries_left > 0;
    return rule->unlimited || retries_used(attempt, index) < rule->count;
}

/* A further attempt is a new job for the same visit, with the same payload. Timers of the visit go on. */
static void try_again(struct step *step, const struct task_attempt *attempt, uint32_t index)
{
    const struct program_retry *rule = &attempt->node->as.task.retry[index];
    const struct job *job = attempt->job;
    uint64_t seed = step->instance->id ^ (uint64_t)job->execution << 44;
    int64_t delay_ms = program_delay_of(&rule->delay, retries_used(attempt, index) + 1, seed);
    if (step->command->kind == COMMAND_FAIL_JOB && delay_ms < step->command->as.job.retry_after_ms)
        delay_ms = step->command->as.job.retry_after_ms;
    int64_t from_ms = time_after(step->command->now_ms, delay_ms);
    for (size_t i = step->instance->timer_count; i-- > 0;) {
        const struct timer *timer = &step->instance->timer[i];
        if (timer->execution == job->execution && timer->index < attempt->node->timer_count &&
            attempt->node->timer[timer->index].per_attempt)
            timer_close(step, timer->number, false);
    }
    uint32_t retries_left = rule->counts_down ? job->retries_left - 1 : 0;
    job_open(step, job->execution, job->type, retries_left, job->attempt + 1, from_ms);
    if (!rule->counts_down)
        note(step, &(struct entry){
                       .kind = ENTRY_KIND_JOB_RULE,
                       .job = note_number(step) - 1,
                       .rule = index,
                       .rule_count = (uint32_t)attempt->node->as.task.retry_count,
                   });
    struct error err;
    if (timer_open_for_attempt(step, &attempt->token, attempt->node, from_ms, &err) != ST_OK)
        raise_failed(step, job->execution, &err);
}

uint32_t attempt_retries_shown(const struct program_node *node)
{
    return node->as.task.retry_count && node->as.task.retry[0].counts_down ? node->as.task.retry[0].count : 0;
}

/* The token that leaves: this one, or the host so many regions outward. */
static uint32_t exit_token(const struct step *step, const struct task_attempt *attempt, uint32_t levels)
{
    uint32_t execution = attempt->token.execution;
    while (levels-- > 0) {
        const struct token *token = instance_find_token(step->instance, execution);
        const struct scope *region = scope_region(step->instance, token->scope);
        if (!region || !region->host) return 0;
        execution = region->host;
    }
    return execution;
}

static void leave_by(struct step *step, const struct task_attempt *attempt, const struct program_retry *rule,
                     const struct expr *expr, str why)
{
    struct error err;
    const struct json *data, *denied;
    uint32_t out = exit_token(step, attempt, rule->exit_levels);
    if (!out) { /* A region that was detached meanwhile: there is nowhere to go. */
        const struct scope *region = scope_region(step->instance, attempt->token.scope);
        interrupt_region(step, region->number, why);
        return;
    }
    if (expression_at(step, expr, &attempt->token, &attempt->locals, &data, &err) != ST_OK) {
        raise_failed(step, attempt->token.execution, &err);
        return;
    }
    const struct token token = *instance_find_token(step->instance, out);
    if (!guard_holds(step, &token, &rule->exit, data, &denied)) {
        token_halt(step, attempt->token.execution, denied);
        return;
    }
    if (data_put(step, token.scope, token.execution, data, MERGE_REPLACE, &err) != ST_OK) {
        raise_failed(step, attempt->token.execution, &err);
        return;
    }
    interrupt_token(step, out, why);
    step->running = token_enter_by(step, rule->exit.target, rule->exit.arrival, token.scope, token.execution);
}

/* The error of an attempt that is not tried again. */
static void give_up(struct step *step, const struct job *job, str code, str message, const struct json *error)
{
    if (!step->program->named_errors) {
        token_fail_code(step, job->execution, code, message);
        return;
    }
    error_set_code(step, error, code);
    raise_json(step, job->execution, error);
}

/* The same, with words before the message that say so. */
static void give_up_after_retries(struct step *step, const struct job *job, const struct program_retry *rule,
                                  str code, str message, const struct json *error)
{
    if (error) message = json_string(json_get(error, STR("message")));
    message = reason_cut(arena_printf(step->arena, "%.*s%.*s", STR_ARG(rule->used_up), STR_ARG(message)));
    if (error) error = json_set(step->arena, error, STR("message"), json_of_string(step->arena, message));
    give_up(step, job, code, message, error);
}

void attempt_failed(struct step *step, const struct job *job, str code, str message, const struct json *error,
                    bool retryable)
{
    struct task_attempt attempt = attempt_of(step, job, NULL, error);
    attempt.retryable = retryable;
    uint32_t index;
    struct error err;
    if (find_rule(step, &attempt, &index, &err) != ST_OK) {
        raise_failed(step, job->execution, &err);
        return;
    }
    if (index == UINT32_MAX) {
        give_up(step, job, code, message, error);
        return;
    }
    const struct program_retry *rule = &attempt.node->as.task.retry[index];
    if (has_retries_left(&attempt, index)) try_again(step, &attempt, index);
    else if (rule->exit.target != NODE_NONE)
        leave_by(step, &attempt, rule, rule->exit_error, STR("its retries are used up"));
    else if (rule->used_up.n && job->attempt > 1)
        give_up_after_retries(step, job, rule, code, message, error);
    else give_up(step, job, code, message, error);
}

bool attempt_unsatisfied(struct step *step, const struct job *job, const struct json *result)
{
    struct task_attempt attempt = attempt_of(step, job, result, NULL);
    uint32_t index;
    struct error err;
    if (!attempt.node->as.task.retry_count) return false;
    if (find_rule(step, &attempt, &index, &err) != ST_OK) {
        raise_failed(step, job->execution, &err);
        return true;
    }
    if (index == UINT32_MAX) return false;
    const struct program_retry *rule = &attempt.node->as.task.retry[index];
    if (has_retries_left(&attempt, index)) {
        try_again(step, &attempt, index);
    } else if (rule->exit.target != NODE_NONE) {
        leave_by(step, &attempt, rule, rule->exit_result, STR("its retries are used up"));
    } else {
        str message = arena_printf(step->arena, "the result still matches \"%.*s\" after %u attempts",
                                   STR_ARG(rule->when ? expr_text(rule->when) : STR("always")), job->attempt);
        raise_error(step, job->execution, step->program->error_names.used_up, message, result);
    }
    return true;
}
