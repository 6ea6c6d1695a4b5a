/* core/verify.c — does an instance hold the invariants of core.h? */

#include "core/change_int.h"

static enum status broken(struct error *err, int invariant, const char *what, uint32_t number)
{
    return fail(err, ST_INTERNAL, "", "invariant (%d) is broken: %s (number %u)", invariant, what, number);
}

static bool settled(enum instance_status status)
{
    return status == INSTANCE_COMPLETED || status == INSTANCE_CANCELLED;
}

/* The order that number_index() relies on. */
static enum status verify_numbers(const struct instance *instance, const void *items, size_t count,
                                  size_t bytes, const char *what, struct error *err)
{
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        memcpy(&number, (const char *)items + i * bytes, sizeof number);
        if (number <= before || number >= instance->next_number)
            return fail(err, ST_INTERNAL, "", "the numbers of the %s are out of order at %u", what, number);
        before = number;
    }
    return ST_OK;
}

static enum status verify_order(const struct instance *instance, struct error *err)
{
#define NUMBERS(items)                                                                                      \
    verify_numbers(instance, instance->items, instance->items##_count, sizeof *instance->items, #items "s", \
                   err)
    TRY(NUMBERS(token));
    TRY(NUMBERS(scope));
    TRY(NUMBERS(job));
    TRY(NUMBERS(mail));
    TRY(NUMBERS(taken));
    TRY(NUMBERS(undo_item));
    TRY(NUMBERS(each));
    TRY(NUMBERS(lock));
#undef NUMBERS
    size_t deadline = instance->timer_count && !instance->timer[0].number;
    if (instance->deadline_ms && !deadline) return broken(err, 3, "a deadline without its timer", 0);
    return verify_numbers(instance, instance->timer + deadline, instance->timer_count - deadline,
                          sizeof *instance->timer, "timers", err);
}

/* A token can only wait where its node makes it wait. */
static bool state_fits(enum token_state state, const struct program_node *node)
{
    switch (state) {
    case TOKEN_JOB: return node->kind == NODE_TASK;
    case TOKEN_SIGNAL: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_SIGNAL;
    case TOKEN_PERSON: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_PERSON;
    case TOKEN_JOIN: return node->kind == NODE_JOIN;
    case TOKEN_EVENT: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_EVENT;
    case TOKEN_TIME: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TIME;
    case TOKEN_ARRIVAL: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_ARRIVAL;
    case TOKEN_TRANSITION: return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TRANSITION;
    case TOKEN_REGION: return node->kind == NODE_SCOPE;
    case TOKEN_REMAINDER: return node->kind == NODE_SCOPE && node->as.scope.each;
    case TOKEN_MILESTONE:
    case TOKEN_LOCK: return node->begin != 0;
    default: return true;
    }
}

/* A scope node opens its regions, or one for an item that has begun. */
static bool has_opened(const struct program *program, const struct instance *instance,
                       const struct scope *scope)
{
    if (scope->fork >= program->node_count) return false;
    const struct program_node *node = &program->node[scope->fork];
    if (scope->state == REGION_UNDO) return program_is_undoable(node) && instance->undo.host == scope->host;
    if (node->kind != NODE_SCOPE) return false;
    if (!node->as.scope.each || scope->state == REGION_DETACHED)
        return node->as.scope.each || scope->index < node->as.scope.region_count;
    const struct each *each = instance_find_each(instance, scope->host);
    return each && scope->index < each->begun;
}

static enum status verify_region(const struct program *program, const struct instance *instance,
                                 const struct scope *scope, struct error *err)
{
    if (program && !has_opened(program, instance, scope))
        return broken(err, 4, "a region that no node opened", scope->number);
    bool inhabited = false;
    for (size_t i = 0; i < instance->token_count; i++) inhabited |= instance->token[i].scope == scope->number;
    for (size_t i = 0; i < instance->scope_count; i++)
        inhabited |= instance->scope[i].parent == scope->number;
    if (scope->state == REGION_DETACHED)
        return scope->parent || scope->host ? broken(err, 4, "a detached region with a host", scope->number)
               : inhabited                  ? ST_OK
                                            : broken(err, 4, "nobody is in a region", scope->number);
    if (inhabited != (scope->state == REGION_OPEN || scope->state == REGION_UNDO))
        return broken(err, 4, "a region that is open and empty, or done and not", scope->number);
    const struct token *host = instance_find_token(instance, scope->host);
    if (!host || host->scope != scope->parent || !token_hosts(host))
        return broken(err, 4, "a region without its host", scope->number);
    return ST_OK;
}

static bool hosts_regions(const struct instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->scope_count; i++)
        if (instance->scope[i].host == execution) return true;
    return false;
}

/* Visits are undone in the next command. */
static bool yields_undoing(const struct instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance->timer[i].execution == execution && instance->timer[i].index == TIMER_YIELD)
            return instance->undo.host == execution;
    return false;
}

static enum status verify_tokens(const struct program *program, const struct instance *instance,
                                 struct error *err)
{
    bool live = !instance_status_ended(instance->status);
    size_t failed_count = 0;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (live && token->state == TOKEN_READY && !instance->is_held)
            return broken(err, 1, "a token is ready", token->execution);
        bool may_fail = instance->status == INSTANCE_FAILED || instance->status == INSTANCE_CANCELLED;
        if (token->state == TOKEN_FAILED && (++failed_count > 1 || !may_fail))
            return broken(err, 2, "a failed token too many", token->execution);
        if (token->scope && !scope_find(instance, token->scope))
            return broken(err, 4, "a token is in a scope that is not open", token->execution);
        if (token->state == TOKEN_REMAINDER && !instance_find_each(instance, token->execution))
            return broken(err, 4, "a remainder without items", token->execution);
        if (token_hosts(token) !=
            (hosts_regions(instance, token->execution) || instance_find_each(instance, token->execution) ||
             yields_undoing(instance, token->execution)))
            return broken(err, 4, "a token that waits for regions and has none, or the other way round",
                          token->execution);
        if (!program) continue;
        bool undoes = instance->undo.error && instance->undo.host == token->execution;
        if (token->node >= program->node_count ||
            (!undoes && !state_fits(token->state, &program->node[token->node])))
            return broken(err, 1, "a token cannot wait like this at its node", token->execution);
    }
    if (live && instance->status != instance_live_status(instance))
        return fail(err, ST_INTERNAL, "", "the status %s does not fit the tokens",
                    instance_status_word(instance->status));
    return ST_OK;
}

static enum status verify_stuck(const struct program *program, const struct instance *instance,
                                struct error *err)
{
    const struct stuck *stuck = &instance->stuck;
    if (!stuck->execution) return ST_OK;
    const struct token *token = instance_find_token(instance, stuck->execution);
    if (!token || token->state != TOKEN_FAILED)
        return broken(err, 2, "a token is stuck and has not failed", stuck->execution);
    if (program && stuck->edge > program->node[token->node].edge_count)
        return broken(err, 2, "a token is stuck at an edge that its node lacks", stuck->execution);
    return ST_OK;
}

static enum status verify_mail(const struct program *program, const struct instance *instance,
                               struct error *err)
{
    if (settled(instance->status) && instance->mail_count)
        return broken(err, 7, "mail that nobody will read", instance->mail[0].number);
    for (size_t i = 0; i < instance->taken_count; i++)
        if (!instance_find_token(instance, instance->taken[i].holder))
            return broken(err, 7, "an event is set aside for a token that is not there",
                          instance->taken[i].number);
    for (size_t i = 0; program && i < instance->mail_count; i++) {
        const struct mail *mail = &instance->mail[i];
        if (mail->node.n && program_find(program, mail->node) == NODE_NONE)
            return broken(err, 7, "a signal for a node that the program lacks", mail->number);
        if (mail->arrival.n && program_find_arrival(program, mail->arrival) == ARRIVAL_NONE)
            return broken(err, 7, "an arrival for a trigger that the program lacks", mail->number);
    }
    return ST_OK;
}

static enum status verify_locks(const struct instance *instance, struct error *err)
{
    size_t awaited = 0, waiting = 0;
    for (size_t i = 0; i < instance->token_count; i++) waiting += instance->token[i].state == TOKEN_LOCK;
    for (size_t i = 0; i < instance->lock_count; i++) {
        const struct lock *lock = &instance->lock[i];
        const struct token *token = instance_find_token(instance, lock->execution);
        if (!token || token->state == TOKEN_FAILED || token->state == TOKEN_RESTING)
            return broken(err, 8, "a lock of a visit that is over", lock->number);
        if (lock->is_held == (token->state == TOKEN_LOCK))
            return broken(err, 8, "a lock that is held and awaited, or neither", lock->number);
        if (settled(instance->status) && !instance_reaches(instance, lock->execution))
            return broken(err, 8, "a lock of an instance that has ended", lock->number);
        if (instance_lock_of(instance, lock->execution) != lock)
            return broken(err, 8, "a second lock of a token", lock->number);
        awaited += !lock->is_held;
    }
    bool may_differ = settled(instance->status); /* Tokens stay where they stood, without their locks. */
    return awaited == waiting || may_differ ? ST_OK : broken(err, 8, "a token waits for no lock", 0);
}

/* A notice about a person's task: the token waits for the person. */
static bool is_notice(const struct token *token, const struct job *job)
{
    return token && token->state == TOKEN_PERSON && job->performer == PERFORM_EMAIL;
}

/* As many jobs as tokens that wait for one, each of another such token: exactly one each. A token that waits
 * for a person may have one, too. */
static enum status verify_jobs(const struct program *program, const struct instance *instance,
                               struct error *err)
{
    bool over = settled(instance->status);
    for (size_t i = 0; over && i < instance->job_count; i++)
        if (!instance_reaches(instance, instance->job[i].execution))
            return broken(err, 5, "a job is open", instance->job[i].number);
    unsigned char taken[(TOKENS_MAX + 7) / 8] = { 0 };
    size_t wanted = 0;
    for (size_t i = 0; i < instance->job_count; i++)
        wanted += is_notice(instance_find_token(instance, instance->job[i].execution), &instance->job[i]);
    for (size_t i = 0; i < instance->token_count; i++)
        wanted += instance->token[i].state == TOKEN_JOB &&
                  (!over || instance_reaches(instance, instance->token[i].execution));
    if (wanted != instance->job_count)
        return broken(err, 2, "jobs and tokens that wait for one differ in number",
                      (uint32_t)instance->job_count);
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct job *job = &instance->job[i];
        const struct token *token = instance_find_token(instance, job->execution);
        if (!token || (token->state != TOKEN_JOB && !is_notice(token, job)))
            return broken(err, 2, "a job without its token", job->number);
        size_t at = (size_t)(token - instance->token);
        if (taken[at / 8] & 1u << at % 8) return broken(err, 2, "two jobs for one token", job->number);
        taken[at / 8] |= (unsigned char)(1u << at % 8);
        if (job->attempt == 0) return broken(err, 2, "a job without an attempt", job->number);
        if (program && program->data_shape == DATA_OBJECT &&
            !json_is(instance_job_payload(instance, job), JSON_OBJECT))
            return broken(err, 2, "a job about something that is no object", job->number);
    }
    return ST_OK;
}

static bool may_have_timers(enum token_state state)
{
    return (state >= TOKEN_JOB && state <= TOKEN_PERSON) || state == TOKEN_EVENT || state == TOKEN_TIME ||
           state == TOKEN_ARRIVAL || state == TOKEN_JOIN || state == TOKEN_TRANSITION || state == TOKEN_LOCK;
}

static enum status verify_timers(const struct program *program, const struct instance *instance,
                                 struct error *err)
{
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        if (!timer->number && !timer->execution) continue; /* The deadline. */
        const struct token *token = instance_find_token(instance, timer->execution);
        if (token && token_hosts(token) && timer->index == TIMER_YIELD) continue;
        if (!token || !may_have_timers(token->state))
            return broken(err, 3, "a timer without a parked token", timer->number);
        if (settled(instance->status) && !instance_reaches(instance, timer->execution))
            return broken(err, 5, "a timer is open", timer->number);
        if (program && timer->index >= program->node[token->node].timer_count)
            return broken(err, 3, "a timer that its node does not have", timer->number);
    }
    return ST_OK;
}

static enum status verify_scopes(const struct program *program, const struct instance *instance,
                                 struct error *err)
{
    bool live = !instance_status_ended(instance->status);
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i];
        if (scope->parent && (scope->parent >= scope->number || !scope_find(instance, scope->parent)))
            return broken(err, 4, "a scope in one that is not open", scope->number);
        if (scope->state != REGION_NONE) {
            TRY(verify_region(program, instance, scope, err));
            continue;
        }
        if (program && (scope->fork >= program->node_count || program->node[scope->fork].kind != NODE_FORK))
            return broken(err, 4, "a scope that no fork opened", scope->number);
        struct scope_census census = scope_census(program, instance, scope);
        if (census.token_count + census.inner_count == 0)
            return broken(err, 4, "nobody is in an open scope", scope->number);
        if (live && scope_is_over(&census))
            return broken(err, 4, "all have arrived at a join that is not open", scope->number);
    }
    return ST_OK;
}

static size_t count_regions(const struct instance *instance, uint32_t host, enum region_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->scope_count; i++)
        count += instance->scope[i].host == host && instance->scope[i].state == state;
    return count;
}

/* An item that has begun is over, or has its region. */
static enum status verify_each(const struct program *program, const struct instance *instance,
                               struct error *err)
{
    for (size_t i = 0; i < instance->each_count; i++) {
        const struct each *each = &instance->each[i];
        const struct token *host = instance_find_token(instance, each->host);
        if (!host || !token_hosts(host)) return broken(err, 4, "items without a host", each->host);
        if (program &&
            (program->node[host->node].kind != NODE_SCOPE || !program->node[host->node].as.scope.each))
            return broken(err, 4, "items at a node that has none", each->host);
        if (each->begun - each->item_count != count_regions(instance, each->host, REGION_OPEN))
            return broken(err, 4, "items and their regions differ in number", each->host);
    }
    return ST_OK;
}

/* A visit that is being undone has its region, and the token that fails in the end hosts it. */
static enum status verify_undo(const struct program *program, const struct instance *instance,
                               struct error *err)
{
    for (size_t i = 0; program && i < instance->undo_item_count; i++)
        if (!program_is_undoable(&program->node[instance->undo_item[i].node]))
            return broken(err, 4, "a visit to a node that nothing undoes", instance->undo_item[i].number);
    if (instance_status_ended(instance->status) || !instance->undo.error) return ST_OK;
    const struct token *host = instance_find_token(instance, instance->undo.host);
    if (!host || host->state != TOKEN_REGION)
        return broken(err, 4, "undoing without a host", instance->undo.host);
    size_t running = 0;
    for (size_t i = 0; i < instance->undo_item_count; i++) {
        const struct undo_item *item = &instance->undo_item[i];
        if (item->state != UNDO_RUNNING) continue;
        const struct scope *scope = scope_find(instance, item->scope);
        running++;
        if (!scope || scope->state != REGION_UNDO)
            return broken(err, 4, "a visit is undone without a region", item->number);
    }
    if (running != count_regions(instance, host->execution, REGION_UNDO))
        return broken(err, 4, "regions that undo no visit", host->execution);
    return ST_OK;
}

/* Each count belongs to a scope that is open. */
static enum status verify_counts(const struct program *program, const struct instance *instance,
                                 struct error *err)
{
    for (size_t i = 0; i < instance->owed_count; i++) {
        const struct owed *owed = &instance->owed[i];
        if (owed->scope && !scope_find(instance, owed->scope))
            return broken(err, 4, "a token is owed to no scope", owed->scope);
        const struct program_node *node = program ? &program->node[owed->node] : NULL;
        if (node && (node->kind != NODE_JOIN || (node->as.join.mode != JOIN_COUNT && !node->timer_count) ||
                     !owed->arrival || owed->arrival > node->as.join.arrivals))
            return broken(err, 4, "a token is owed to no join", owed->scope);
    }
    for (size_t i = 0; i < instance->visited_count; i++)
        if (instance->visited[i].scope && !scope_find(instance, instance->visited[i].scope))
            return broken(err, 4, "visits are counted in no scope", instance->visited[i].scope);
    return ST_OK;
}

enum status core_verify(const struct program *program, const struct instance *instance, struct error *err)
{
    if (!instance->data ||
        (program && program->data_shape == DATA_OBJECT && !json_is(instance->data, JSON_OBJECT)))
        return fail(err, ST_INTERNAL, "", "the variables are no object");
    if (!instance_status_ended(instance->status) && instance->ended_ms)
        return fail(err, ST_INTERNAL, "", "a live instance has an end");
    if (instance->token_count > TOKENS_MAX)
        return fail(err, ST_INTERNAL, "", "more than %d tokens", TOKENS_MAX);
    TRY(verify_order(instance, err));
    TRY(verify_tokens(program, instance, err));
    TRY(verify_stuck(program, instance, err));
    TRY(verify_mail(program, instance, err));
    TRY(verify_jobs(program, instance, err));
    TRY(verify_locks(instance, err));
    TRY(verify_timers(program, instance, err));
    TRY(verify_each(program, instance, err));
    TRY(verify_undo(program, instance, err));
    TRY(verify_counts(program, instance, err));
    return verify_scopes(program, instance, err);
}
