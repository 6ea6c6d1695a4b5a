/* core/explain.c — why a token does not move, in a sentence. */

#include "core/change_int.h"
#include "core/trail.h"

#include "base/datetime.h"
#include "base/duration.h"

static void say_job(const struct instance *instance, const struct token *token, str worker, int64_t now_ms,
                    struct buf *out)
{
    const struct job *job = instance_job_of(instance, token->execution);
    if (!job) {
        buf_add_str(out, STR("waits for a job"));
        return;
    }
    performer_explain(job->performer,
                      &(struct performer_wait){ job->type, job->attempt, job->retries_left, worker }, out);
    if (job->available_ms <= now_ms) return;
    char time[DATETIME_CHARS + 1];
    datetime_print_seconds(job->available_ms, time);
    buf_printf(out, ", not before %s", time);
}

/* True if the scope is `around`, or lies inside it. */
static bool inside(const struct instance *instance, uint32_t scope, uint32_t around)
{
    while (scope && scope != around) {
        const struct scope *inner = scope_find(instance, scope);
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

static void say_events(const struct program *program, const struct instance *instance,
                       const struct token *token, struct buf *out)
{
    buf_add_str(out, STR("waits for events"));
    if (program && token->node < program->node_count) {
        const struct program_node *node = &program->node[token->node];
        for (size_t i = 0; i < node->as.wait.event_case_count; i++) {
            str text = expr_text(node->as.wait.event_case[i].when);
            buf_printf(out, "%s%.*s", i ? ", or " : ": ", STR_ARG(text));
        }
    }
    if (instance->correlation.n) buf_printf(out, ", correlated by %.*s", STR_ARG(instance->correlation));
    if (instance->mail_count) buf_printf(out, "; %zu received and not used yet", instance->mail_count);
}

static void say_arrival(const struct program *program, const struct token *token, struct buf *out)
{
    const struct program_node *node =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    if (node && node->as.wait.arrival < program->rules->arrival_count)
        buf_printf(out, "waits for an arrival at the trigger \"%.*s\"",
                   STR_ARG(program->rules->arrival[node->as.wait.arrival].name));
    else buf_add_str(out, STR("waits for an arrival"));
}

/* The trigger whose arrivals add items. */
static void say_more(const struct program *program, const struct token *token, struct buf *out)
{
    const struct program_node *node =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    if (!node || node->kind != NODE_SCOPE || !node->as.scope.each || !node->as.scope.each->takes_more) return;
    buf_printf(out, "; an arrival at the trigger \"%.*s\" adds one",
               STR_ARG(program->rules->arrival[node->as.scope.each->arrival].name));
}

static void say_regions(const struct program *program, const struct instance *instance,
                        const struct token *token, struct buf *out)
{
    const struct each *each = instance_find_each(instance, token->execution);
    if (instance->undo.error && instance->undo.host == token->execution) {
        size_t left = 0;
        for (size_t i = 0; i < instance->undo_item_count; i++)
            left += instance->undo_item[i].state <= UNDO_RUNNING;
        buf_printf(out, "failed, and fails the instance when %zu of %zu completed visits are undone", left,
                   instance->undo_item_count);
        return;
    }
    if (each) {
        if (token->state == TOKEN_REMAINDER) buf_add_str(out, STR("has gone on, and "));
        buf_printf(out, "waits for its items: %zu of %zu are over, %zu are under way", each->item_count,
                   json_count(each->items), each->begun - each->item_count);
        say_more(program, token, out);
        return;
    }
    size_t open = 0, done = 0;
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i];
        if (scope->host != token->execution) continue;
        open += scope->state == REGION_OPEN;
        done += scope->state != REGION_OPEN;
    }
    if (open + done > 1) buf_printf(out, "waits for its branches: %zu of %zu are done", done, open + done);
    else buf_add_str(out, STR("waits for what it began"));
}

static void say_transitions(const struct program *program, const struct token *token, struct buf *out)
{
    const struct program_node *node =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    buf_add_str(out, STR("waits for a transition"));
    for (size_t i = 0; node && i < node->edge_count; i++)
        buf_printf(out, "%s\"%.*s\"", i ? ", " : ": ", STR_ARG(node->edge[i].name));
}

static void say_lock(const struct instance *instance, const struct token *token, struct buf *out)
{
    const struct lock *lock = instance_lock_of(instance, token->execution);
    if (lock) buf_printf(out, "waits for the lock \"%.*s\"", STR_ARG(lock->name));
    else buf_add_str(out, STR("waits for a lock"));
}

static void say_milestone(const struct program *program, const struct token *token, struct buf *out)
{
    const struct program_node *node =
        program && token->node < program->node_count ? &program->node[token->node] : NULL;
    const struct program_milestone *milestone = node ? program_milestone(program, node) : NULL;
    if (milestone && milestone->from != NODE_NONE)
        buf_printf(out, "waits until the run reaches \"%.*s\"", STR_ARG(program->node[milestone->from].name));
    else buf_add_str(out, STR("waits until the run reaches its milestone"));
}

static void say_timer(const struct program *program, const struct token *token,
                      const struct program_timer *timer, const char *time, struct buf *out)
{
    str when = STR_NONE;
    switch (timer->does) {
    case TIMER_GO_TO:
        buf_printf(out, "; a timer %s \"%.*s\" at %s",
                   timer->interrupting ? "interrupts it and goes to" : "starts",
                   STR_ARG(program->node[timer->target].name), time);
        return;
    case TIMER_GO_ON: buf_printf(out, ": it goes on at %s", time); return;
    case TIMER_RAISE: buf_printf(out, "; it times out at %s", time); return;
    case TIMER_TASK:
        buf_printf(out, "; a timer %s at %s", timer->change ? "changes the task" : "reminds", time);
        if (timer->every_ms) {
            char every[64];
            duration_print(timer->every_ms, every, sizeof every);
            buf_printf(out, " and again every %s", every);
        }
        return;
    case TIMER_GIVE_UP: buf_printf(out, "; it gives up at %s", time); return;
    case TIMER_EXPIRE:
        when = expr_text(program->node[token->node].as.wait.event_case[timer->event_case].when);
        buf_printf(out, "; %.*s is not waited for after %s", STR_ARG(when), time);
        return;
    case TIMER_FIRE:
        buf_printf(out, "; \"%.*s\" is fired at %s",
                   STR_ARG(program->node[token->node].edge[timer->edge].name), time);
        return;
    }
}

/* The e-mail about a task that is on its way, or the reason why the last one was not sent. */
static void say_notice(const struct instance *instance, const struct token *token, struct buf *out)
{
    const struct job *job = instance_job_of(instance, token->execution);
    str why = json_text(token->task, STR("notSent"));
    if (job)
        buf_printf(out, "; an e-mail about it is on its way (%.*s, attempt %u)", STR_ARG(job->type),
                   job->attempt);
    else if (why.n) buf_printf(out, "; the last e-mail about it was not sent: %.*s", STR_ARG(why));
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
        if (boundary) say_timer(program, token, boundary, time, out);
        else buf_printf(out, "; a timer is due at %s", time);
    }
}

static void say_wait(const struct program *program, const struct instance *instance,
                     const struct token *token, str worker, int64_t now_ms, struct buf *out)
{
    switch (token->state) {
    case TOKEN_READY: buf_add_str(out, STR("has not run yet")); return;
    case TOKEN_JOB: say_job(instance, token, worker, now_ms, out); break;
    case TOKEN_SIGNAL: buf_printf(out, "waits for a signal to \"%.*s\"", STR_ARG(token->node_name)); break;
    case TOKEN_PERSON:
        buf_printf(out, "waits for a person to complete \"%.*s\"", STR_ARG(token->node_name));
        say_notice(instance, token, out);
        break;
    case TOKEN_JOIN: say_join(instance, token, out); return;
    case TOKEN_RESTING: buf_add_str(out, STR("is done and has nowhere to go")); return;
    case TOKEN_FAILED:
        if (instance->undo.error) {
            buf_printf(out, "failed: %.*s; what was done before is undone, so it cannot be retried",
                       STR_ARG(instance->failure));
            return;
        }
        buf_printf(out,
                   instance->stuck.execution == token->execution
                       ? "is done, and cannot be left: %.*s; a retry, with variables that help, tries its "
                         "way out again"
                       : "failed: %.*s; a retry starts it again",
                   STR_ARG(instance->failure));
        return;
    case TOKEN_EVENT: say_events(program, instance, token, out); break;
    case TOKEN_TIME: buf_add_str(out, STR("waits for a time")); break;
    case TOKEN_ARRIVAL: say_arrival(program, token, out); break;
    case TOKEN_REGION:
    case TOKEN_REMAINDER: say_regions(program, instance, token, out); return;
    case TOKEN_TRANSITION: say_transitions(program, token, out); break;
    case TOKEN_MILESTONE: say_milestone(program, token, out); return;
    case TOKEN_LOCK: say_lock(instance, token, out); break;
    case TOKEN_STATE_COUNT: break;
    }
    say_timers(program, instance, token, out);
}

const struct program_node *core_authored_node(const struct program *program, const struct instance *instance,
                                              const struct token *token)
{
    return &program->node[instance_authored(program, instance, token)->node];
}

bool core_is_told_inside(const struct program *program, const struct instance *instance,
                         const struct token *token)
{
    const struct program_node *node = &program->node[token->node];
    if (!token_hosts(token) || node->as.scope.region_count > 1) return false;
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == token->execution && instance->scope[i].state == REGION_OPEN)
            return true;
    return false;
}

str core_explain(const struct program *program, const struct instance *instance, const struct token *token,
                 int64_t now_ms, struct arena *arena)
{
    return core_explain_held(program, instance, token, STR_NONE, now_ms, arena);
}

str core_explain_held(const struct program *program, const struct instance *instance,
                      const struct token *token, str worker, int64_t now_ms, struct arena *arena)
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
        say_wait(program, instance, token, worker, now_ms, &out);
        break;
    default:
        if (instance->is_held) buf_add_str(&out, STR("is held: the engine begins it later"));
        else say_wait(program, instance, token, worker, now_ms, &out);
        break;
    }
    return buf_str(&out);
}
