/* tests/sim/checker_entry.c — is what a command did legal?
 *
 * Each entry of a record is held against the model of the instance, which follows it. What an
 * entry promises must be kept by a later one of the same record: a token that left must arrive
 * somewhere, a job that failed must be opened again or fail its step.
 */
#include "record.h"

#include "server.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void record_violated(struct record *record, const char *format, ...)
{
    char what[800];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    violated(record->world, "instance %" PRIu64 " revision %u (%s by %.*s): %s",
             record->instance ? record->instance->id : 0, record->history->revision,
             core_command_word(record->history->command), STR_ARG(record->history->actor), what);
}

const struct spec_step *record_step(const struct record *record, size_t step)
{
    return &record->instance->spec->step[step];
}

struct model_token *record_token(struct record *record, uint32_t execution)
{
    struct model_token *token = model_token(record->instance, execution);
    if (!token) bad(record, "visit %u is not there", execution);
    return token;
}

bool record_number(struct record *record, uint32_t number)
{
    if (number <= record->instance->highest) {
        bad(record, "number %u was used before", number);
        return false;
    }
    record->instance->highest = number;
    return true;
}

static struct passage *open_passage(struct record *record, uint32_t from)
{
    for (size_t i = 0; i < record->passages.count; i++)
        if (record->passages.item[i].from == from && !record->passages.item[i].done)
            return &record->passages.item[i];
    return NULL;
}

void record_departure(struct record *record, struct passage passage)
{
    *list_push(&record->checker->arena, &record->passages) = passage;
}

/* ---- tokens ---- */

struct model_scope *model_scope(const struct model_instance *instance, uint32_t number)
{
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].number == number) return &instance->scopes.item[i];
    return NULL;
}

/* Has the token come where its passage leads? */
static void check_arrival(struct record *record, const struct entry *entry, size_t step)
{
    struct model_instance *instance = record->instance;
    if (record->history->command == COMMAND_START && instance->visits.count == 0) {
        if (step != 0 || entry->scope != 0 || entry->from != 0)
            bad(record, "it does not begin at its first step");
        return;
    }
    if (record->history->command == COMMAND_MODIFY && modify_comes(record, entry, step)) return;
    struct passage *passage = open_passage(record, entry->from);
    if (!passage) {
        bad(record, "a token appears at \"%.*s\" from nowhere", STR_ARG(entry->node));
        return;
    }
    uint32_t scope = passage->scope;
    if (passage->into_fork) {
        const struct spec_step *fork = record_step(record, passage->to);
        const struct model_scope *opened = model_scope(instance, entry->scope);
        if (passage->arrived >= fork->parallel_count || fork->parallel[passage->arrived] != step || !opened ||
            opened->fork != passage->to || opened->parent != passage->scope)
            bad(record, "the fork \"%.*s\" leads to \"%.*s\"", STR_ARG(fork->id), STR_ARG(entry->node));
        passage->done = ++passage->arrived == fork->parallel_count;
        return;
    }
    if (passage->unsure ? !spec_leads_to(instance->spec, record_step(record, passage->step), step)
                        : passage->to != step)
        bad(record, "from \"%.*s\" it went to \"%.*s\"", STR_ARG(record_step(record, passage->step)->id),
            STR_ARG(entry->node));
    if (entry->scope != scope) bad(record, "\"%.*s\" was entered in another scope", STR_ARG(entry->node));
    passage->done = true;
}

static void on_enter(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    size_t step = spec_find(instance->spec, entry->node);
    if (step == STEP_NONE) {
        bad(record, "there is no step \"%.*s\"", STR_ARG(entry->node));
        return;
    }
    if (!record_number(record, entry->execution)) return;
    check_arrival(record, entry, step);
    *list_push(&record->checker->arena, &instance->tokens) =
        (struct model_token){ entry->execution, step, entry->scope, TOKEN_READY, .exits = record->stuck };
    record->stuck = false;
    *list_push(&record->checker->arena, &instance->visits) =
        (struct model_visit){ .execution = entry->execution,
                              .node = record_step(record, step)->id,
                              .status = EXECUTION_RUNNING,
                              .input = instance->data };
}

struct model_visit *record_visit(const struct model_instance *instance, uint32_t execution)
{
    for (size_t i = instance->visits.count; i-- > 0;)
        if (instance->visits.item[i].execution == execution) return &instance->visits.item[i];
    return NULL;
}

size_t model_jobs_of(const struct model_instance *instance, uint32_t execution)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->jobs.count; i++) count += instance->jobs.item[i].execution == execution;
    return count;
}

size_t model_timers_of(const struct model_instance *instance, uint32_t execution)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->timers.count; i++)
        count += instance->timers.item[i].execution == execution;
    return count;
}

static void on_park(struct record *record, const struct entry *entry)
{
    static const enum token_state parked[STEP_TYPE_COUNT] = { [SERVICE_TASK] = TOKEN_JOB,
                                                              [USER_TASK] = TOKEN_PERSON,
                                                              [WAIT] = TOKEN_SIGNAL,
                                                              [JOIN_GATEWAY] = TOKEN_JOIN };
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    const struct spec_step *step = record_step(record, token->step);
    if (token->exits) bad(record, "\"%.*s\" was done, and is done again", STR_ARG(step->id));
    if (token->state != TOKEN_READY || entry->value == TOKEN_READY || entry->value != parked[step->type])
        bad(record, "a token at \"%.*s\" waits in the wrong way", STR_ARG(step->id));
    if (model_timers_of(record->instance, token->execution) != step->timer_count)
        bad(record, "\"%.*s\" has %zu timers instead of %zu", STR_ARG(step->id),
            model_timers_of(record->instance, token->execution), step->timer_count);
    if (step->type == JOIN_GATEWAY)
        for (size_t i = 0; i < record->instance->tokens.count; i++) {
            const struct model_token *other = &record->instance->tokens.item[i];
            if (other->state == TOKEN_JOIN && other->scope == token->scope)
                record_visit(record->instance, token->execution)->arrival = true;
        }
    token->state = (enum token_state)entry->value;
}

static void remove_token(struct model_instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].execution == execution) {
            list_cut(&instance->tokens, i);
            return;
        }
}

size_t model_arrived(const struct model_instance *instance, uint32_t scope, size_t *ret_moving)
{
    size_t arrived = 0;
    *ret_moving = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->scope != scope) continue;
        if (token->state == TOKEN_JOIN) arrived++;
        else if (token->state != TOKEN_RESTING) ++*ret_moving;
    }
    for (size_t i = 0; i < instance->scopes.count; i++)
        *ret_moving += instance->scopes.item[i].parent == scope;
    return arrived;
}

/* May the join of this scope open? As many must have arrived as there are branches, and nobody
 * else may be on the way. */
static void open_join(struct record *record, uint32_t number)
{
    const struct model_scope *scope = model_scope(record->instance, number);
    if (record->opening == number) return;
    if (!scope) {
        bad(record, "a token joins without a scope");
        return;
    }
    const struct spec_step *fork = record_step(record, scope->fork);
    size_t moving, arrived = model_arrived(record->instance, number, &moving);
    if (moving || arrived < fork->parallel_count)
        bad(record, "the join \"%.*s\" opened with %zu of %zu branches there and %zu on the way",
            STR_ARG(record_step(record, fork->join)->id), arrived, fork->parallel_count, moving);
    record->opening = number;
}

/* The last of those who waited at a join goes on for all of them. */
static void leave_join(struct record *record, const struct model_token *token)
{
    open_join(record, token->scope);
    const struct model_scope *scope = model_scope(record->instance, token->scope);
    if (!scope) return;
    size_t join = record_step(record, scope->fork)->join, moving;
    if (join != token->step) bad(record, "a token joins at another fork's join");
    if (model_arrived(record->instance, token->scope, &moving) == 1)
        record_departure(record, (struct passage){ .from = token->execution,
                                                   .scope = scope->parent,
                                                   .to = record_step(record, join)->next,
                                                   .step = join });
}

/* A wait, a task or a step that computes is over: where to? */
static void leave_step(struct record *record, const struct model_token *token, bool rests)
{
    const struct spec_step *step = record_step(record, token->step);
    bool waited = token->state == TOKEN_JOB || token->state == TOKEN_SIGNAL || token->state == TOKEN_PERSON;
    if (waited && record->released != token->execution)
        bad(record, "\"%.*s\" was left although nobody had finished it", STR_ARG(step->id));
    if (waited) record->released = record->served = 0;
    if (model_timers_of(record->instance, token->execution) ||
        model_jobs_of(record->instance, token->execution))
        bad(record, "\"%.*s\" was left with a timer or a job open", STR_ARG(step->id));
    size_t to = STEP_NONE;
    enum way way =
        spec_way(record->instance->spec, step, record->instance->data, &record->checker->arena, &to);
    if (rests) {
        if (step->type != SERVICE_TASK || way != WAY_NOWHERE)
            bad(record, "\"%.*s\" does not go on", STR_ARG(step->id));
        return;
    }
    if (way == WAY_FAILS) bad(record, "\"%.*s\" was left although no condition holds", STR_ARG(step->id));
    if (way == WAY_NOWHERE) {
        if (step->type != USER_TASK) bad(record, "\"%.*s\" vanished", STR_ARG(step->id));
        return;
    }
    record_departure(record, (struct passage){ .from = token->execution,
                                               .scope = token->scope,
                                               .to = to,
                                               .unsure = way == WAY_UNSURE,
                                               .step = token->step });
}

/* Other tokens that wait, or have yet to run, keep an END of a branch from ending the instance. */
static void reach_end(struct record *record, const struct model_token *token)
{
    const struct model_instance *instance = record->instance;
    bool others = false;
    for (size_t i = 0; i < instance->tokens.count; i++)
        others |= instance->tokens.item[i].execution != token->execution &&
                  instance->tokens.item[i].state != TOKEN_RESTING;
    if (!record_step(record, token->step)->alone || !others) record->end = token->step;
}

static void on_leave(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    const struct spec_step *step = record_step(record, token.step);
    record_visit(record->instance, token.execution)->status = EXECUTION_COMPLETED;
    if (token.state == TOKEN_FAILED || token.state == TOKEN_RESTING)
        bad(record, "a token leaves that cannot");
    switch (step->type) {
    case PARALLEL_GATEWAY:
        record_departure(
            record, (struct passage){
                        .from = token.execution, .scope = token.scope, .into_fork = true, .to = token.step });
        break;
    case JOIN_GATEWAY:
        if (token.state != TOKEN_JOIN)
            bad(record, "a token passes \"%.*s\" without waiting", STR_ARG(step->id));
        leave_join(record, &token);
        break;
    case END: reach_end(record, &token); break;
    default:
        if ((step->type == TRANSFORMATION || step->type == DECISION_TABLE || step->type == DECISION ||
             token.exits) != (token.state == TOKEN_READY))
            bad(record, "a token passes \"%.*s\" without waiting", STR_ARG(step->id));
        leave_step(record, &token, false);
    }
    remove_token(record->instance, token.execution);
}

static void on_rest(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    record_visit(record->instance, token->execution)->status = EXECUTION_COMPLETED;
    leave_step(record, token, true);
    token->state = TOKEN_RESTING;
}

/* A visit may fail because its job did, or because its expressions do. */
static void on_fail(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    const struct spec_step *step = record_step(record, token->step);
    struct arena *arena = &record->checker->arena;
    bool may = str_starts(entry->text, STR("stopped after")); /* A budget. */
    /* A chained start whose input violates the schema fails at its first step. */
    may |= str_starts(entry->text, STR("the input does not fit")) &&
           record->history->command == COMMAND_START &&
           !spec_accepts(record->instance->spec, record->instance->data);
    size_t to;
    enum way way;
    switch (step->type) {
    case SERVICE_TASK:
        /* A job keeps its retries in a migration, but the version that has none by now does not use them. */
        may |= record->job_failed && record->closed.execution == token->execution &&
               (!record->report->retryable || record->closed.retries_left == 0 || step->retry_count == 0);
        record->job_failed = false;
        break;
    case DECISION:
        way = spec_way(record->instance->spec, step, record->instance->data, arena, &to);
        may |= way == WAY_FAILS || way == WAY_UNSURE;
        break;
    case TRANSFORMATION:
        may |= evaluate_assignments(step->assignments, record->instance->data, arena).is != GOT;
        break;
    case DECISION_TABLE:
        may |= evaluate_table(step->rules, step->policy, record->instance->data, arena).is != GOT;
        break;
    default: break;
    }
    if (!may) bad(record, "\"%.*s\" failed without a reason: %.*s", STR_ARG(step->id), STR_ARG(entry->text));
    record_visit(record->instance, token->execution)->status = EXECUTION_FAILED;
    token->state = TOKEN_FAILED;
    record->failed = true;
}

/* Who waits at a join behind the one that is shown takes its place. */
static void show_next_arrival(struct record *record, const struct model_token *gone)
{
    struct model_visit *shown = record_visit(record->instance, gone->execution);
    for (size_t i = 0; i < record->instance->tokens.count && gone->state == TOKEN_JOIN && !shown->arrival;
         i++) {
        const struct model_token *other = &record->instance->tokens.item[i];
        if (other->execution == gone->execution || other->state != TOKEN_JOIN || other->scope != gone->scope)
            continue;
        record_visit(record->instance, other->execution)->arrival = false;
        return;
    }
}

static void take_by_hand(struct record *record, const struct model_token *token)
{
    bool over = token->state == TOKEN_FAILED || token->state == TOKEN_RESTING;
    if (over) bad(record, "a visit that was over is interrupted");
    if (!modify_goes(record, token)) bad(record, "a token was taken away that nobody named");
    show_next_arrival(record, token);
}

static void on_interrupt(struct record *record, const struct entry *entry)
{
    const struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    if (record->history->command == COMMAND_MODIFY) take_by_hand(record, token);
    else if (record->fired != entry->execution || !record->timer->interrupting)
        bad(record, "a visit was interrupted");
    if (model_timers_of(record->instance, entry->execution) ||
        model_jobs_of(record->instance, entry->execution))
        bad(record, "a visit was interrupted with a timer or a job open");
    record_visit(record->instance, entry->execution)->status = EXECUTION_FAILED;
    remove_token(record->instance, entry->execution);
}

static void on_forget(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    bool over = token->state == TOKEN_FAILED || token->state == TOKEN_RESTING;
    if (record->history->command == COMMAND_MODIFY && over && modify_goes(record, token)) {
        remove_token(record->instance, entry->execution);
        return;
    }
    if (token->state == TOKEN_RESTING) { /* The scope in which it rests is over. */
        open_join(record, token->scope);
        remove_token(record->instance, entry->execution);
        return;
    }
    bool retries = record->history->command == COMMAND_RETRY || record->retries;
    if (!retries || token->state != TOKEN_FAILED || record->forgot ||
        (record->history->command == COMMAND_RETRY && record->request->node.n &&
         !str_equal(record_step(record, token->step)->id, record->request->node)))
        bad(record, "a token was forgotten");
    record->forgot = true;
    record->stuck = token->stuck;
    record_departure(record, (struct passage){ .from = token->execution,
                                               .scope = token->scope,
                                               .to = token->step,
                                               .step = token->step });
    remove_token(record->instance, entry->execution);
}

/* ---- scopes ---- */

static void on_scope_open(struct record *record, const struct entry *entry)
{
    size_t fork = spec_find(record->instance->spec, entry->node);
    if (!record_number(record, entry->scope)) return;
    if (fork == STEP_NONE || record_step(record, fork)->type != PARALLEL_GATEWAY)
        bad(record, "a scope was opened by no fork");
    *list_push(&record->checker->arena, &record->instance->scopes) =
        (struct model_scope){ entry->scope, entry->from, fork };
}

static void on_scope_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].scope == entry->scope)
            bad(record, "a scope was closed with a token in it");
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].number == entry->scope) {
            list_cut(&instance->scopes, i);
            return;
        }
    bad(record, "a scope was closed that is not open");
}

/* ---- data, status ---- */

static const struct json *sent_data(const struct record *record)
{
    return record->report ? record->report->data : record->request ? record->request->data : NULL;
}

static void on_data(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct arena *arena = &record->checker->arena;
    const struct model_token *token = entry->execution ? record_token(record, entry->execution) : NULL;
    if (entry->execution && !token) return;
    const struct spec_step *step = token ? record_step(record, token->step) : NULL;
    bool deep = step && step->type == SERVICE_TASK;
    if ((entry->value == MERGE_DEEP) != deep) bad(record, "data was merged in the wrong way");
    if (step && (step->type == TRANSFORMATION || step->type == DECISION_TABLE)) {
        struct result want = step->type == TRANSFORMATION
                                 ? evaluate_assignments(step->assignments, instance->data, arena)
                                 : evaluate_table(step->rules, step->policy, instance->data, arena);
        if (want.is == WRONG || (want.is == GOT && !json_equal(want.value, entry->json)))
            bad(record, "\"%.*s\" computed something else", STR_ARG(step->id));
    } else if (token && record_served_data(record, token)) {
        if (!json_equal(record_served_data(record, token), entry->json))
            bad(record, "data that no signal brought");
    } else if (record->history->command == COMMAND_START && !record->request) {
        if (instance->revision != 0) bad(record, "data from nowhere");
    } else {
        const struct json *sent = sent_data(record);
        if (record->data_count++ || !sent || !json_equal(sent, entry->json))
            bad(record, "data that nobody sent");
        if (step && record->history->command == COMMAND_COMPLETE_JOB && record->released != entry->execution)
            bad(record, "a worker's data went to another visit");
    }
    instance->data = evaluate_merge(instance->data, json_copy(arena, entry->json), deep, arena);
}

static void on_status(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    instance->status = (enum instance_status)entry->value;
    instance->failure = arena_str(&record->checker->arena, entry->text);
    instance->ended_ms = model_live(instance) ? 0 : record->history->at_ms;
    if (!model_live(instance)) instance->ended_commit = record->checker->commit_count;
    switch (instance->status) {
    case INSTANCE_COMPLETED:
        if (record->end == STEP_NONE) bad(record, "it is complete without having reached an END");
        break;
    case INSTANCE_CANCELLED: /* Or by its parent. */
        if (record->history->command != COMMAND_CANCEL ||
            (record->request && !str_equal(entry->text, record->request->text)))
            bad(record, "it was cancelled by nobody");
        record->cancelled = true;
        break;
    case INSTANCE_FAILED:
        for (size_t i = 0; i < instance->jobs.count; i++) model_withdraw(&instance->jobs.item[i]);
        record->failed = true;
        break;
    default: break;
    }
}

static void on_chain(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    if (!record_number(record, entry->number)) return;
    if (instance->status != INSTANCE_COMPLETED || record->chain_count++ ||
        !str_equal(entry->text, instance->spec->next_definition))
        bad(record, "it chains to \"%.*s\"", STR_ARG(entry->text));
    *list_push(&record->checker->arena, &record->checker->chains) = (struct model_chain){
        .parent = instance->id,
        .target = instance->spec->next_definition,
        .business_key = instance->business_key,
        .data = instance->data,
    };
}

/* The instance that takes the place of this one. */
static void on_continue(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct json *successor =
        record->end == STEP_NONE ? NULL : record_step(record, record->end)->successor;
    if (!record_number(record, entry->number)) return;
    if (instance->status != INSTANCE_COMPLETED || record->chain_count++ || !successor) {
        bad(record, "it goes on as \"%.*s\"", STR_ARG(entry->definition));
        return;
    }
    const struct json *input = json_get(successor, STR("input"));
    struct model_chain chain = { .parent = instance->id,
                                 .target = json_text(successor, STR("definition")),
                                 .business_key = instance->business_key,
                                 .data = input ? input : instance->data };
    if (!str_equal(entry->definition, chain.target) || !json_equal(entry->data, chain.data))
        bad(record, "it goes on as another instance than its END says");
    *list_push(&record->checker->arena, &record->checker->chains) = chain;
}

/* A definition of steps may be the child of a flow. */
static void on_born(struct record *record)
{
    if (record->history->command != COMMAND_START || !str_equal(record->history->actor, STR("parent")))
        bad(record, "it was born without a parent");
}

static void on_data_cut(struct record *record, const struct entry *entry)
{
    modify_cut(record, entry);
    for (struct json_each each = json_each(entry->json); json_next(&each);)
        if (json_get(record->instance->data, json_string(each.value)))
            record->instance->data =
                json_without(&record->checker->arena, record->instance->data, json_string(each.value));
}

static void on_warn(struct record *record, const struct entry *entry)
{
    const struct model_token *token = record_token(record, entry->execution);
    if (token && !token->exits) bad(record, "no step is odd");
}

void record_entry(struct record *record, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: on_enter(record, entry); break;
    case ENTRY_KIND_PARK: on_park(record, entry); break;
    case ENTRY_KIND_LEAVE: on_leave(record, entry); break;
    case ENTRY_KIND_INTERRUPT: on_interrupt(record, entry); break;
    case ENTRY_KIND_REST: on_rest(record, entry); break;
    case ENTRY_KIND_FAIL: on_fail(record, entry); break;
    case ENTRY_KIND_FORGET: on_forget(record, entry); break;
    case ENTRY_KIND_SCOPE_OPEN: on_scope_open(record, entry); break;
    case ENTRY_KIND_SCOPE_CLOSE: on_scope_close(record, entry); break;
    case ENTRY_KIND_JOB_OPEN: record_job_open(record, entry); break;
    case ENTRY_KIND_JOB_CLOSE: record_job_close(record, entry); break;
    case ENTRY_KIND_TIMER_OPEN: record_timer_open(record, entry); break;
    case ENTRY_KIND_TIMER_CLOSE: record_timer_close(record, entry); break;
    case ENTRY_KIND_DATA: on_data(record, entry); break;
    case ENTRY_KIND_STATUS: on_status(record, entry); break;
    case ENTRY_KIND_CHAIN: on_chain(record, entry); break;
    case ENTRY_KIND_CONTINUE: on_continue(record, entry); break;
    case ENTRY_KIND_BORN: on_born(record); break;
    case ENTRY_KIND_FAMILY:
    case ENTRY_KIND_CHAINED: family_origin(record, entry); break;
    case ENTRY_KIND_SCOPE_DATA: /* The value of an arrival. */
        if (!str_equal(record->history->actor, STR("schedule")) || entry->scope ||
            json_count(record->instance->data))
            bad(record, "data from nowhere");
        record->instance->data = entry->json;
        break;
    case ENTRY_KIND_ARRIVE:
        if (!str_equal(record->history->actor, STR("schedule"))) bad(record, "nothing arrived");
        break;
    case ENTRY_KIND_FIRE: bad(record, "steps have no transitions"); break;
    case ENTRY_KIND_STALL: record_stall(record, entry); break;
    case ENTRY_KIND_SIGNAL_IN: record_signal_in(record, entry); break;
    case ENTRY_KIND_MAIL_OUT: record_mail_out(record, entry); break;
    case ENTRY_KIND_WARN: on_warn(record, entry); break;
    case ENTRY_KIND_DATA_CUT: on_data_cut(record, entry); break;
    case ENTRY_KIND_REMARK: modify_remark(record, entry); break;
    case ENTRY_KIND_CODE: break; /* The failure that follows has it. */
    case ENTRY_KIND_MIGRATE: migrate_follow(record, entry); break;
    case ENTRY_KIND_COUNT: bad(record, "an entry of no kind"); break;
    default:
        bad(record, "no step has a \"%s\"", entry_word(entry->kind));
        break; /* Only other dialects do. */
    }
}
