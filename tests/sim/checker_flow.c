/* tests/sim/checker_flow.c — is what a command did to an instance of a flow legal?
 *
 * Which way a token must take is not computed a second time, only whether there is such a way:
 * what expressions come to is for scenarios. What must hold for every document is looked at here:
 * who may go on and who must, what is open while somebody waits, what is left at the end.
 */
#include "record.h"

#include <inttypes.h>

static const struct flow *flow_of(const struct record *record) { return record->instance->spec->flow; }

/* ---- tokens ---- */

static void gone(struct record *record, const struct model_token *token, bool must_arrive)
{
    *list_push(&record->checker->arena, &record->gone) = (struct flow_gone){
        .execution = token->execution, .state = token->step, .scope = token->scope, .must_arrive = must_arrive
    };
    for (size_t i = 0; i < record->instance->tokens.count; i++)
        if (record->instance->tokens.item[i].execution == token->execution) {
            list_cut(&record->instance->tokens, i);
            return;
        }
}

/* A region begins with a token of its own, which its host has sent. */
static bool begins_region(const struct record *record, const struct entry *entry)
{
    const struct model_scope *scope = model_scope(record->instance, entry->scope);
    const struct model_token *host = model_token(record->instance, entry->from);
    if (!scope || !host || host->state != TOKEN_REGION) return false;
    for (size_t i = 0; i < record->instance->tokens.count; i++)
        if (record->instance->tokens.item[i].scope == entry->scope) return false;
    return true;
}

static void check_origin(struct record *record, const struct entry *entry, size_t state)
{
    const struct flow *flow = flow_of(record);
    if (record->history->command == COMMAND_MODIFY && modify_comes(record, entry, state)) return;
    if (!entry->from) {
        if (record->history->command != COMMAND_START || record->instance->revision || record->gone.count ||
            state != flow->start)
            bad(record, "a token appears at \"%.*s\" from nowhere", STR_ARG(entry->node));
        return;
    }
    if (begins_region(record, entry)) {
        size_t host = model_token(record->instance, entry->from)->step;
        if (!flow_leads_to(flow, host, state))
            bad(record, "a region begins at \"%.*s\"", STR_ARG(entry->node));
        return;
    }
    for (size_t i = 0; i < record->gone.count; i++) {
        struct flow_gone *from = &record->gone.item[i];
        if (from->execution != entry->from || from->arrived) continue;
        from->arrived = true;
        if (from->scope != entry->scope)
            bad(record, "\"%.*s\" was entered in another scope", STR_ARG(entry->node));
        if (!flow_leads_to(flow, from->state, state))
            bad(record, "from \"%.*s\" it went to \"%.*s\"",
                STR_ARG(from->state < flow->states.count ? flow->states.item[from->state].name : STR("end")),
                STR_ARG(entry->node));
        return;
    }
    bad(record, "a token appears at \"%.*s\", and visit %u has not left", STR_ARG(entry->node), entry->from);
}

static void on_enter(struct record *record, const struct entry *entry)
{
    size_t state = flow_state_of(flow_of(record), entry->node);
    if (state == STATE_NONE) bad(record, "there is no state for \"%.*s\"", STR_ARG(entry->node));
    if (entry->scope && !model_scope(record->instance, entry->scope))
        bad(record, "\"%.*s\" was entered in a scope that is not open", STR_ARG(entry->node));
    if (!record_number(record, entry->execution)) return;
    check_origin(record, entry, state);
    *list_push(&record->checker->arena, &record->instance->tokens) =
        (struct model_token){ .execution = entry->execution,
                              .step = state,
                              .scope = entry->scope,
                              .state = TOKEN_READY,
                              .exits = record->stuck,
                              .node = arena_str(&record->checker->arena, entry->node) };
    record->stuck = false;
}

static void on_park(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    if (token->exits) bad(record, "\"%.*s\" was done, and is done again", STR_ARG(token->node));
    if (token->state != TOKEN_READY || entry->value == TOKEN_READY || entry->value == TOKEN_FAILED ||
        entry->value == TOKEN_RESTING || entry->value == TOKEN_JOIN || entry->value >= TOKEN_STATE_COUNT)
        bad(record, "a token at \"%.*s\" waits in a strange way", STR_ARG(token->node));
    token->state = (enum token_state)entry->value;
}

/* All regions that are awaited; of a state that awaits none, one. */
static uint32_t awaited_regions(const struct record *record, const struct model_token *host)
{
    const struct flow_state *state = &flow_of(record)->states.item[host->step];
    bool branches = str_equal(state->type, STR("PARALLEL")) && str_ends(host->node, state->name);
    return branches ? state->branches_awaited : host->opened;
}

static bool regions_are_done(const struct record *record, const struct model_token *host)
{
    uint32_t awaited = awaited_regions(record, host);
    return host->done && (host->done & awaited) == awaited;
}

static bool has_mail_out(const struct record *record, uint32_t execution)
{
    for (size_t i = 0; i < record->history->entry_count; i++)
        if ((record->history->entry[i].kind == ENTRY_KIND_MAIL_OUT ||
             record->history->entry[i].kind == ENTRY_KIND_MAIL_TAKE) &&
            record->history->entry[i].execution == execution)
            return true;
    return false;
}

/* Has what the token waited for happened? */
static bool may_leave(const struct record *record, const struct model_token *token)
{
    switch (token->state) {
    case TOKEN_READY: return true;
    case TOKEN_JOB: return record->released == token->execution;
    case TOKEN_EVENT: return has_mail_out(record, token->execution);
    case TOKEN_TIME: return record->fired == token->execution;
    case TOKEN_REGION: return regions_are_done(record, token);
    default: return false;
    }
}

static void check_nothing_open(struct record *record, uint32_t execution)
{
    if (model_timers_of(record->instance, execution) || model_jobs_of(record->instance, execution))
        bad(record, "visit %u is over with a timer or a job open", execution);
}

static void on_leave(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    if (!may_leave(record, &token))
        bad(record, "\"%.*s\" was left although nobody had finished it", STR_ARG(token.node));
    check_nothing_open(record, token.execution);
    flow_drop_taken(record, token.execution, false);
    gone(record, &token, token.step != STATE_END);
}

static void on_interrupt(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    if (record->history->command == COMMAND_MODIFY)
        modify_goes(record, &token); /* Or it is inside of one that goes. */
    check_nothing_open(record, token.execution);
    flow_drop_taken(record, token.execution, false);
    gone(record, &token, false);
}

static void on_fail(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    flow_drop_taken(record, token->execution, true);
    token->state = TOKEN_FAILED;
    record->failed = true;
}

/* Its state was done: what it waited for has happened, and nothing of it is open. */
static void on_stall(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    if (!may_leave(record, token))
        bad(record, "\"%.*s\" is stuck although nobody had finished it", STR_ARG(token->node));
    check_nothing_open(record, token->execution);
    token->state = TOKEN_FAILED;
    token->stuck = true;
    record->failed = true;
}

static void on_forget(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    if (record->history->command == COMMAND_MODIFY && token.state == TOKEN_FAILED &&
        modify_goes(record, &token)) {
        gone(record, &token, false);
        return;
    }
    if (record->history->command != COMMAND_RETRY || token.state != TOKEN_FAILED || record->forgot)
        bad(record, "a token was forgotten");
    record->forgot = true;
    record->stuck = token.stuck;
    flow_drop_taken(record, token.execution, false);
    gone(record, &token, true);
}

/* ---- timers ---- */

/* How long this timer runs, or -1 if the document's part about it is not looked at. */
static int64_t delay_of(const struct record *record, const struct model_token *token, uint32_t index)
{
    const struct flow *flow = flow_of(record);
    const struct flow_state *state = &flow->states.item[token->step];
    for (size_t i = 0; i < record->instance->jobs.count; i++) {
        const struct model_job *job = &record->instance->jobs.item[i];
        const struct flow_action *action = flow_action_of(flow, job->type);
        if (job->execution == token->execution && action)
            return job->available_ms - record->history->at_ms + action->timeout_ms;
    }
    if (!str_ends(token->node, STR("/wait"))) return -1;
    for (size_t i = 0; i < state->entry_count; i++)
        if (state->entry[i].timeout_ms && index-- == 0) return state->entry[i].timeout_ms;
    return -1;
}

static void on_timer_open(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    int64_t delay_ms = delay_of(record, token, entry->value);
    if (delay_ms >= 0 && entry->time_ms != record->history->at_ms + delay_ms)
        bad(record, "a timer of \"%.*s\" is due after %" PRId64 " ms", STR_ARG(token->node),
            entry->time_ms - record->history->at_ms);
    *list_push(&record->checker->arena, &record->instance->timers) =
        (struct model_timer){ entry->number, entry->execution, entry->value, entry->time_ms };
}

static void on_timer_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    size_t i = 0;
    while (i < instance->timers.count && instance->timers.item[i].number != entry->number) i++;
    if (i == instance->timers.count) {
        bad(record, "timer %u was closed and is not open", entry->number);
        return;
    }
    const struct model_timer timer = instance->timers.item[i];
    list_cut(&instance->timers, i);
    if (!entry->value) {
        *list_push(&record->checker->arena, &record->silenced) = timer.execution;
        return;
    }
    struct model_token *token = record_token(record, timer.execution);
    if (record->history->command != COMMAND_FIRE_TIMER || record->fired)
        bad(record, "timer %u fired", timer.number);
    if (timer.due_ms > record->history->at_ms) bad(record, "timer %u fired too early", timer.number);
    if (token && !model_reaches(instance, timer.execution))
        bad(record, "timer %u fired out of reach", timer.number);
    record->fired = timer.execution;
    if (token) token->expired |= UINT32_C(1) << timer.index;
}

/* ---- status ---- */

static void on_status(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    instance->status = (enum instance_status)entry->value;
    instance->failure = arena_str(&record->checker->arena, entry->text);
    instance->ended_ms = model_live(instance) ? 0 : record->history->at_ms;
    if (!model_live(instance))
        instance->ended_commit = record->checker->commit_count; /* Also one that is given up. */
    switch (instance->status) {
    case INSTANCE_CANCELLED:
        if (record->history->command != COMMAND_CANCEL ||
            (record->request && !str_equal(entry->text, record->request->text)))
            bad(record, "it was cancelled by nobody");
        record->cancelled = true;
        break;
    case INSTANCE_FAILED:
        for (size_t i = 0; i < instance->jobs.count; i++)
            if (!model_reaches(instance, instance->jobs.item[i].execution))
                model_withdraw(&instance->jobs.item[i]);
        if (!record->failed) bad(record, "it failed and nothing in it did");
        break;
    default: break;
    }
}

static void on_data(struct record *record, const struct entry *entry)
{
    const struct json *sent = record->request ? record->request->data : NULL;
    if (entry->execution || record->data_count++ ||
        (record->history->command != COMMAND_START && record->history->command != COMMAND_RETRY &&
         record->history->command != COMMAND_MODIFY))
        bad(record, "data from nowhere");
    if (record->request && (!sent || !json_equal(sent, entry->json))) bad(record, "data that nobody sent");
}

/* A retry of a token that is stuck in a region patches the region's data. */
static void on_scope_data(struct record *record, const struct entry *entry)
{
    if (!entry->execution && record->history->command == COMMAND_RETRY) record->data_count++;
}

void flow_follow(struct record *record, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: on_enter(record, entry); break;
    case ENTRY_KIND_PARK: on_park(record, entry); break;
    case ENTRY_KIND_LEAVE: on_leave(record, entry); break;
    case ENTRY_KIND_INTERRUPT: on_interrupt(record, entry); break;
    case ENTRY_KIND_FAIL: on_fail(record, entry); break;
    case ENTRY_KIND_FORGET: on_forget(record, entry); break;
    case ENTRY_KIND_SCOPE_CLOSE: flow_scope_close(record, entry); break;
    case ENTRY_KIND_REGION_OPEN: flow_region_open(record, entry); break;
    case ENTRY_KIND_REGION_END: flow_region_end(record, entry); break;
    case ENTRY_KIND_JOB_OPEN: flow_job_open(record, entry); break;
    case ENTRY_KIND_JOB_INPUT: flow_job_input(record, entry); break;
    case ENTRY_KIND_JOB_RULE: flow_job_rule(record, entry); break;
    case ENTRY_KIND_JOB_CLOSE: flow_job_close(record, entry); break;
    case ENTRY_KIND_TIMER_OPEN: on_timer_open(record, entry); break;
    case ENTRY_KIND_TIMER_CLOSE: on_timer_close(record, entry); break;
    case ENTRY_KIND_DATA: on_data(record, entry); break;
    case ENTRY_KIND_STATUS: on_status(record, entry); break;
    case ENTRY_KIND_MAIL_IN: flow_mail_in(record, entry); break;
    case ENTRY_KIND_MAIL_OUT: flow_mail_out(record, entry); break;
    case ENTRY_KIND_MAIL_TAKE: flow_mail_take(record, entry); break;
    case ENTRY_KIND_STALL: on_stall(record, entry); break;
    case ENTRY_KIND_CORRELATE: flow_correlate(record, entry); break;
    case ENTRY_KIND_DATA_CUT: modify_cut(record, entry); break;
    case ENTRY_KIND_REMARK: modify_remark(record, entry); break;
    case ENTRY_KIND_SCOPE_DATA: on_scope_data(record, entry); break;
    case ENTRY_KIND_HANDLED:
    case ENTRY_KIND_RAISE:
    case ENTRY_KIND_WARN:
    case ENTRY_KIND_CODE:
    case ENTRY_KIND_ERROR: break; /* What they do is seen in the state. */
    case ENTRY_KIND_BORN:
        if (!str_equal(record->history->actor, STR("parent"))) bad(record, "it was born without a parent");
        break;
    case ENTRY_KIND_FAMILY:
    case ENTRY_KIND_CHAINED: family_origin(record, entry); break;
    case ENTRY_KIND_TEST:
    case ENTRY_KIND_SIMULATE:
    case ENTRY_KIND_HOLD:
    case ENTRY_KIND_ARRIVE:
    case ENTRY_KIND_ARRIVAL_IN:
    case ENTRY_KIND_FIRE:
    case ENTRY_KIND_REPLACED:
    case ENTRY_KIND_MIGRATE:
    case ENTRY_KIND_BY:
    case ENTRY_KIND_CARRY:
    case ENTRY_KIND_TASK:
    case ENTRY_KIND_EACH_OPEN:
    case ENTRY_KIND_EACH_ADD:
    case ENTRY_KIND_ITEM_END:
    case ENTRY_KIND_RESCUE:
    case ENTRY_KIND_UNDOABLE:
    case ENTRY_KIND_UNDO:
    case ENTRY_KIND_UNDO_STATE:
    case ENTRY_KIND_OWE:
    case ENTRY_KIND_VISITED:
    case ENTRY_KIND_REACH:
    case ENTRY_KIND_BEGIN:
    case ENTRY_KIND_LOCK_ASK:
    case ENTRY_KIND_LOCK_GRANT:
    case ENTRY_KIND_SIGNAL_IN:
    case ENTRY_KIND_REST:
    case ENTRY_KIND_SCOPE_OPEN:
    case ENTRY_KIND_CHAIN:
    case ENTRY_KIND_CONTINUE:
    case ENTRY_KIND_COUNT: bad(record, "no flow has a \"%s\"", entry_word(entry->kind)); break;
    }
}

/* ---- the end of a record ---- */

/* A host has only regions that it waits for; if it waits for none, the first will do. */
static void check_hosts(struct record *record)
{
    const struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->scopes.count; i++) {
        const struct model_scope *scope = &instance->scopes.item[i];
        const struct model_token *host = scope->host ? model_token(instance, scope->host) : NULL;
        if (scope->host && !host) bad(record, "region %u has no host", scope->number);
        uint32_t awaited = host ? awaited_regions(record, host) : 0;
        if (awaited && !(awaited >> scope->index & 1))
            bad(record, "\"%.*s\" waits for region %u", STR_ARG(host->node), scope->number);
    }
}

static void check_live(struct record *record)
{
    const struct model_instance *instance = record->instance;
    bool waits = false;
    for (size_t i = 0; i < instance->tokens.count && !record->world->failed; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        waits |= token->state == TOKEN_EVENT;
        if (token->state == TOKEN_READY || token->state == TOKEN_FAILED)
            bad(record, "it stands still at \"%.*s\"", STR_ARG(token->node));
        if (model_jobs_of(instance, token->execution) != (token->state == TOKEN_JOB))
            bad(record, "\"%.*s\" has %zu open jobs", STR_ARG(token->node),
                model_jobs_of(instance, token->execution));
        if (token->state == TOKEN_TIME && !model_timers_of(instance, token->execution))
            bad(record, "\"%.*s\" waits for no time", STR_ARG(token->node));
        if (token->state == TOKEN_EVENT) flow_check_waits(record, token);
    }
    if (!instance->tokens.count) bad(record, "it lives and nobody is in it");
    check_hosts(record);
    if ((instance->status == INSTANCE_WAITING) != waits)
        bad(record, "its status is %s", instance_status_word(instance->status));
}

/* Work that is open when an instance has ended belongs to detached regions. */
static void check_ended(struct record *record)
{
    const struct model_instance *instance = record->instance;
    bool kept = instance->status == INSTANCE_FAILED;
    for (size_t i = 0; i < instance->jobs.count; i++)
        if (!kept && !model_reaches(instance, instance->jobs.item[i].execution))
            bad(record, "it has ended with job %u open", instance->jobs.item[i].number);
    for (size_t i = 0; i < instance->timers.count; i++)
        if (!kept && !model_reaches(instance, instance->timers.item[i].execution))
            bad(record, "it has ended with timer %u open", instance->timers.item[i].number);
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->state == TOKEN_JOB && model_reaches(instance, token->execution) &&
            instance->status != INSTANCE_CANCELLED && !model_jobs_of(instance, token->execution))
            bad(record, "\"%.*s\" goes on alone and has lost its job", STR_ARG(token->node));
    }
    if (!kept && instance->mail.count) bad(record, "it has ended and keeps %zu events", instance->mail.count);
    if (instance->status == INSTANCE_CANCELLED && (instance->jobs.count || instance->timers.count))
        bad(record, "it was cancelled with work open");
}

static void check_command(struct record *record)
{
    const struct json *sent = record->request ? record->request->data : NULL;
    enum command_kind command = record->history->command;
    if (sent && json_count(sent) && !record->data_count &&
        (command == COMMAND_START || command == COMMAND_RETRY || command == COMMAND_MODIFY))
        bad(record, "what was sent with op %u is lost", record->request->op);
    if (command == COMMAND_FIRE_TIMER && !record->fired) bad(record, "no timer fired");
    if (command == COMMAND_CANCEL && !record->cancelled) bad(record, "it was not cancelled");
    if (command == COMMAND_RETRY && !record->forgot) bad(record, "nothing was retried");
    for (size_t i = 0; i < record->gone.count; i++)
        if (record->gone.item[i].must_arrive && !record->gone.item[i].arrived &&
            !(record->instance->status == INSTANCE_FAILED && record->failed))
            bad(record, "visit %u was left and nothing follows", record->gone.item[i].execution);
}

void flow_replay(struct record *record, const struct journal_record *from)
{
    struct model_instance *instance = record->instance;
    struct arena *arena = &record->checker->arena;
    struct created created = { instance->id, from->definition_number, instance->business_key };
    const struct instance *after;
    struct error err;
    if (core_replay(instance->spec->program, instance->replayed, &created, record->history, arena, &after,
                    &err) != ST_OK) {
        bad(record, "it cannot be replayed: %s", err.message);
        return;
    }
    if (core_verify(instance->spec->program, after, &err) != ST_OK) bad(record, "%s", err.message);
    instance->replayed = after;
    for (size_t i = 0; i < instance->jobs.count; i++) { /* What a job that was given nothing is about. */
        struct model_job *job = &instance->jobs.item[i];
        const struct job *stored = instance_find_job(after, job->number);
        if (!job->payload && stored) job->payload = json_copy(arena, instance_job_payload(after, stored));
    }
}

void flow_end(struct record *record, const struct journal_record *from)
{
    const struct model_instance *instance = record->instance;
    check_command(record);
    flow_check_retry(record);
    if (model_live(instance)) check_live(record);
    else check_ended(record);
    for (size_t i = 0; i < record->silenced.count && model_live(instance) && !record->again; i++)
        if (model_token(instance, record->silenced.item[i])) bad(record, "a timer was dropped");
    if (!record->world->failed) flow_replay(record, from);
}

void checker_state(struct world *world, const struct journal_record *from)
{
    struct model_instance *instance = model_instance_of(world->checker, from->instance);
    if (!instance) {
        violated(world, "instance %" PRIu64 " has a state and was never started", from->instance);
        return;
    }
    instance->stored_revision = instance->revision;
    if (!instance->spec->program) return;
    struct buf state;
    buf_init(&state, &world->checker->arena);
    core_encode(instance->replayed, &state);
    if (!str_equal(buf_str(&state), from->state))
        violated(world, "instance %" PRIu64 ": the stored state is not what its history says",
                 from->instance);
}
