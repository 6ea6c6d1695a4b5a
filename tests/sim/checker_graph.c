/* tests/sim/checker_graph.c — is what a command did to an instance of a flow graph legal?
 *
 * Every way is computed a second time, from the document and the payload of the newest arrival: where a token
 * goes, which edges of a gateway are taken, when a join opens, what becomes of an error.
 */
#include "record.h"

#include <inttypes.h>

const struct graph *record_graph(const struct record *record) { return record->instance->spec->graph; }

const struct graph_node *graph_node_at(const struct record *record, size_t node)
{
    return &record_graph(record)->nodes.item[node];
}

/* ---- tokens that go ---- */

static void expect_way(struct graph_gone *gone, size_t edge)
{
    must(gone->count < GRAPH_WAYS_MAX);
    gone->edge[gone->count++] = edge;
}

/* All ways that a token takes that leaves a node. */
static void expect_ways(const struct record *record, struct graph_gone *gone)
{
    const struct graph *graph = record_graph(record);
    const struct graph_node *node = graph_node_at(record, gone->node);
    size_t otherwise = GRAPH_NONE;
    switch (node->kind) {
    case GRAPH_FINISH: return;
    case GRAPH_LOOP: expect_way(gone, graph_port(graph, gone->node, STR("done"))); return;
    case GRAPH_CHOICE:
    case GRAPH_FITTING_WAYS:
        if (node->join != NO_JOIN) break;
        for (size_t i = 0; i < node->out.count; i++) {
            const struct graph_edge *edge = &graph->edges.item[node->out.item[i]];
            if (edge->otherwise) otherwise = node->out.item[i];
            else if (graph_holds(edge, record->instance->payload) &&
                     (node->kind == GRAPH_FITTING_WAYS || !gone->count))
                expect_way(gone, node->out.item[i]);
        }
        if (!gone->count) expect_way(gone, otherwise);
        return;
    case GRAPH_ALL_WAYS:
        if (node->join != NO_JOIN) break;
        for (size_t i = 0; i < node->out.count; i++) expect_way(gone, node->out.item[i]);
        if (!gone->count) expect_way(gone, GRAPH_NONE);
        return;
    default: break;
    }
    expect_way(gone, graph_port(graph, gone->node, STR("out")));
}

static struct graph_gone *take_token(struct record *record, const struct model_token *token)
{
    struct graph_gone *gone = list_push(&record->checker->arena, &record->departed);
    *gone = (struct graph_gone){ .execution = token->execution,
                                 .node = token->step,
                                 .scope = token->scope,
                                 .way = token->way,
                                 .at_join = token->state == TOKEN_JOIN };
    lock_drop(record, gone->execution);
    for (size_t i = 0; i < record->instance->tokens.count; i++)
        if (record->instance->tokens.item[i].execution == gone->execution) {
            list_cut(&record->instance->tokens, i);
            break;
        }
    return gone;
}

static void check_nothing_open(struct record *record, uint32_t execution)
{
    if (model_timers_of(record->instance, execution) || model_jobs_of(record->instance, execution))
        bad(record, "visit %u is over with a timer or a job open", execution);
}

static bool may_leave(const struct record *record, const struct model_token *token)
{
    const struct graph_node *node = graph_node_at(record, token->step);
    switch (token->state) {
    case TOKEN_READY:
        return node->kind != GRAPH_CALL && node->kind != GRAPH_PAUSE && node->kind != GRAPH_LISTEN &&
               node->kind != GRAPH_LOOP && !(node->kind == GRAPH_FINISH && node->fails);
    case TOKEN_JOB: return record->released == token->execution;
    case TOKEN_TIME: return record->fired == token->execution;
    case TOKEN_ARRIVAL: return record->woken == token->execution;
    case TOKEN_REGION: return node->kind == GRAPH_LOOP && graph_loop_is_over(record, token->execution);
    case TOKEN_JOIN: return true; /* Whether the join may open is seen when one of its tokens goes on. */
    default: return false;
    }
}

/* A visit that can be undone is remembered when it is complete, and no other one. */
static void check_remembered(struct record *record, const struct model_token *token)
{
    bool can = graph_node_at(record, token->step)->undo != GRAPH_NONE && record_graph(record)->compensates &&
               !record->instance->undoing;
    if (can != (record->remembered == token->execution))
        bad(record, "\"%.*s\" is complete, and is %sto be undone", STR_ARG(token->node), can ? "not " : "");
    record->remembered = 0;
}

static void on_leave(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    const struct graph_node *node = graph_node_at(record, token.step);
    if (!may_leave(record, &token))
        bad(record, "\"%.*s\" was left although nobody had finished it", STR_ARG(token.node));
    check_nothing_open(record, token.execution);
    check_remembered(record, &token);
    if (token.state == TOKEN_REGION) graph_drop_loop(record, token.execution);
    struct graph_gone *gone = take_token(record, &token);
    if (token.state == TOKEN_READY && node->join != NO_JOIN) {
        graph_absorbed(record, &token);
        return;
    }
    if (token.state == TOKEN_JOIN) graph_gathered(record, &token);
    if (node->kind == GRAPH_FINISH && node->terminates) record->terminated = true;
    expect_ways(record, gone);
}

static void on_interrupt(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    graph_note_errors(record);
    check_nothing_open(record, token.execution);
    graph_drop_loop(record, token.execution);
    struct graph_gone *gone = take_token(record, &token);
    if (record->error.is == ERROR_TO_PORT && record->error.execution == token.execution) {
        expect_way(gone, graph_port(record_graph(record), token.step, STR("error")));
        record->error.is = ERROR_NONE;
    } else if (record->fired == token.execution && token.state == TOKEN_ARRIVAL) {
        expect_way(gone, graph_port(record_graph(record), token.step, STR("timeout")));
    } else {
        gone->cut_short = true;
    }
}

/* ---- tokens that come ---- */

/* By which edge does a token come from one that has gone? */
static bool comes_from(struct record *record, const struct entry *entry, size_t node, uint32_t *ret_way)
{
    const struct graph *graph = record_graph(record);
    for (size_t i = 0; i < record->departed.count; i++) {
        struct graph_gone *gone = &record->departed.item[i];
        if (gone->execution != entry->from) continue;
        if (gone->scope != entry->scope)
            bad(record, "\"%.*s\" was entered in another scope", STR_ARG(entry->node));
        if (gone->retried && !gone->came[0]) {
            gone->came[0] = true;
            *ret_way = gone->way;
            return gone->node == node;
        }
        for (size_t k = 0; k < gone->count; k++) {
            size_t edge = gone->edge[k], to = edge == GRAPH_NONE ? graph->end : graph->edges.item[edge].to;
            if (gone->came[k] || to != node) continue;
            gone->came[k] = true;
            *ret_way = edge == GRAPH_NONE ? 0 : graph->edges.item[edge].way;
            if (gone->at_join) graph_opened(record, gone);
            return true;
        }
    }
    return false;
}

static bool comes_in(struct record *record, const struct entry *entry, size_t node)
{
    if (entry->from || entry->scope || record->lets_in != node) return false;
    record->lets_in = GRAPH_NONE;
    record->woken = entry->execution;
    return true;
}

static void on_enter(struct record *record, const struct entry *entry)
{
    size_t node = graph_node_of(record_graph(record), entry->node);
    uint32_t way = 0;
    record->errors_noted = false;
    if (node == GRAPH_NONE) bad(record, "there is no node \"%.*s\"", STR_ARG(entry->node));
    else if (entry->scope && !model_scope(record->instance, entry->scope))
        bad(record, "\"%.*s\" was entered in a scope that is not open", STR_ARG(entry->node));
    if (record->world->failed || !record_number(record, entry->execution)) return;
    if (!comes_in(record, entry, node) && !graph_begins_region(record, entry, node) &&
        !comes_from(record, entry, node, &way))
        bad(record, "a token comes to \"%.*s\" from visit %u, and it must not", STR_ARG(entry->node),
            entry->from);
    *list_push(&record->checker->arena, &record->instance->tokens) =
        (struct model_token){ .execution = entry->execution,
                              .step = node,
                              .scope = entry->scope,
                              .way = way,
                              .state = TOKEN_READY,
                              .node = arena_str(&record->checker->arena, entry->node) };
}

static void on_by(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    if (!token->way || token->way != entry->value)
        bad(record, "it came to \"%.*s\" by its way %u, not %u", STR_ARG(token->node), token->way,
            entry->value);
    token->by_way = true;
}

static void on_park(struct record *record, const struct entry *entry)
{
    static const enum token_state states[GRAPH_KIND_COUNT] = {
        [GRAPH_CALL] = TOKEN_JOB,    [GRAPH_PAUSE] = TOKEN_TIME,    [GRAPH_LISTEN] = TOKEN_ARRIVAL,
        [GRAPH_LOOP] = TOKEN_REGION, [GRAPH_ALL_WAYS] = TOKEN_JOIN, [GRAPH_FITTING_WAYS] = TOKEN_JOIN
    };
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    const struct graph_node *node = graph_node_at(record, token->step);
    bool undoes = record->instance->undo_host == token->execution && entry->value == TOKEN_REGION;
    if (entry->value == TOKEN_LOCK) {
        lock_park(record, token);
        return;
    }
    lock_check_held(record, token);
    if (!undoes &&
        (token->state != TOKEN_READY || entry->value == TOKEN_READY || entry->value != states[node->kind] ||
         (entry->value == TOKEN_JOIN && (node->join == NO_JOIN || !token->by_way))))
        bad(record, "a token at \"%.*s\" waits in a strange way", STR_ARG(token->node));
    token->state = (enum token_state)entry->value;
}

/* ---- arrivals ---- */

/* What must happen to the arrival: it wakes the oldest that waits for it, or lets a token in, or nothing. */
static void expect_arrival(struct record *record, str trigger)
{
    const struct model_instance *instance = record->instance;
    const struct graph_trigger *known = graph_trigger(record_graph(record), trigger);
    record->arrival_expected = true;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->state != TOKEN_ARRIVAL || !str_equal(graph_node_at(record, token->step)->trigger, trigger))
            continue;
        record->wakes = token->execution;
        return;
    }
    /* One that only wakes has no way out and creates nothing. */
    bool only_wakes =
        known && known->on_match == MAP_OR_DISCARD && !graph_node_at(record, known->node)->out.count;
    if (known && !only_wakes && !instance->undoing) record->lets_in = known->node;
}

void graph_begin(struct record *record)
{
    record->lets_in = GRAPH_NONE;
    if (record->history->command == COMMAND_ARRIVE || (record->arriving && !record->instance->revision)) {
        record->instance->payload = record->arriving->data;
        expect_arrival(record, record->arrived_at);
    }
}

static void on_arrive(struct record *record, const struct entry *entry)
{
    if (!record->arrival_expected) bad(record, "something arrives that nobody sent");
    record->arrival_expected = false;
    if (record->history->command == COMMAND_START) { /* The first token comes behind it. */
        if (entry->execution || record->wakes) bad(record, "an arrival wakes a new instance");
        return;
    }
    /* A token that was let in is there by now. */
    uint32_t want = record->wakes ? record->wakes : record->woken;
    if (entry->execution != want)
        bad(record, "the arrival is for visit %u, not for %u", want, entry->execution);
    if (record->lets_in != GRAPH_NONE) bad(record, "the arrival lets no token in");
    record->woken = want;
}

/* ---- status ---- */

static void on_status(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    instance->status = (enum instance_status)entry->value;
    instance->failure = arena_str(&record->checker->arena, entry->text);
    instance->ended_ms = model_live(instance) ? 0 : record->history->at_ms;
    if (!model_live(instance)) instance->ended_commit = record->checker->commit_count;
    if (!model_live(instance) && instance->status != INSTANCE_FAILED) lock_drop_all(record);
    switch (instance->status) {
    case INSTANCE_CANCELLED:
        if (record->history->command != COMMAND_CANCEL ||
            (record->request && !str_equal(entry->text, record->request->text)))
            bad(record, "it was cancelled by nobody");
        record->cancelled = true;
        break;
    case INSTANCE_FAILED:
        for (size_t i = 0; i < instance->jobs.count; i++) model_withdraw(&instance->jobs.item[i]);
        if (!record->failed) bad(record, "it failed and nothing in it did");
        break;
    case INSTANCE_COMPLETED:
        if (instance->tokens.count && !record->terminated)
            bad(record, "it is complete, and somebody is in it");
        break;
    default: break;
    }
}

static void on_forget(struct record *record, const struct entry *entry)
{
    struct model_token *found = record_token(record, entry->execution);
    if (!found) return;
    const struct model_token token = *found;
    if (record->history->command != COMMAND_RETRY || token.state != TOKEN_FAILED || record->forgot ||
        record->instance->undoing)
        bad(record, "a token was forgotten");
    record->forgot = true;
    take_token(record, &token)->retried = true;
}

void graph_follow(struct record *record, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: on_enter(record, entry); break;
    case ENTRY_KIND_PARK: on_park(record, entry); break;
    case ENTRY_KIND_LEAVE: on_leave(record, entry); break;
    case ENTRY_KIND_INTERRUPT: on_interrupt(record, entry); break;
    case ENTRY_KIND_FORGET: on_forget(record, entry); break;
    case ENTRY_KIND_BY: on_by(record, entry); break;
    case ENTRY_KIND_ARRIVE: on_arrive(record, entry); break;
    case ENTRY_KIND_STATUS: on_status(record, entry); break;
    case ENTRY_KIND_OWE: graph_owe(record, entry); break;
    case ENTRY_KIND_FAIL: graph_fail(record, entry); break;
    case ENTRY_KIND_RAISE: graph_raise(record, entry); break;
    case ENTRY_KIND_EACH_OPEN: graph_each_open(record, entry); break;
    case ENTRY_KIND_REGION_OPEN: graph_region_open(record, entry); break;
    case ENTRY_KIND_ITEM_END: graph_item_end(record, entry); break;
    case ENTRY_KIND_SCOPE_CLOSE: graph_scope_close(record, entry); break;
    case ENTRY_KIND_UNDOABLE: graph_undoable(record, entry); break;
    case ENTRY_KIND_UNDO: graph_undo(record, entry); break;
    case ENTRY_KIND_UNDO_STATE: graph_undo_state(record, entry); break;
    case ENTRY_KIND_JOB_OPEN: graph_job_open(record, entry); break;
    case ENTRY_KIND_JOB_INPUT: graph_job_input(record, entry); break;
    case ENTRY_KIND_JOB_CLOSE: graph_job_close(record, entry); break;
    case ENTRY_KIND_TIMER_OPEN: graph_timer_open(record, entry); break;
    case ENTRY_KIND_TIMER_CLOSE: graph_timer_close(record, entry); break;
    case ENTRY_KIND_LOCK_ASK: lock_ask(record, entry); break;
    case ENTRY_KIND_LOCK_GRANT: lock_grant(record, entry); break;
    case ENTRY_KIND_REPLACED: record->replaced_by = entry->instance; break;
    case ENTRY_KIND_JOB_RULE:
    case ENTRY_KIND_DATA:
    case ENTRY_KIND_SCOPE_DATA:
    case ENTRY_KIND_HANDLED:
    case ENTRY_KIND_WARN:
    case ENTRY_KIND_CARRY:
    case ENTRY_KIND_VISITED:
    case ENTRY_KIND_CODE:
    case ENTRY_KIND_ERROR: break; /* What they do is seen in the state. */
    default: bad(record, "no generated graph has a \"%s\"", entry_word(entry->kind)); break;
    }
}

/* ---- the end of a record ---- */

/* Everybody who was cut short had a reason. */
static void check_cut_short(struct record *record)
{
    for (size_t i = 0; i < record->departed.count; i++) {
        const struct graph_gone *gone = &record->departed.item[i];
        if (!gone->cut_short || record->cancelled || record->stopped || record->terminated ||
            record->undo_began)
            continue;
        if (gone->scope && !model_scope(record->instance, gone->scope)) continue; /* So was all around it. */
        if (graph_was_cancelled(record, gone)) continue;
        bad(record, "visit %u at \"%.*s\" was cut short", gone->execution,
            STR_ARG(graph_node_at(record, gone->node)->id));
    }
}

static void check_ways(struct record *record)
{
    bool over = !model_live(record->instance);
    for (size_t i = 0; i < record->departed.count; i++) {
        const struct graph_gone *gone = &record->departed.item[i];
        for (size_t k = 0; k < gone->count && !over && !gone->used_up; k++)
            if (!gone->came[k])
                bad(record, "visit %u left \"%.*s\", and does not come where it must", gone->execution,
                    STR_ARG(graph_node_at(record, gone->node)->id));
        if (gone->retried && !gone->came[0]) bad(record, "nothing was retried");
    }
}

static void check_live(struct record *record)
{
    const struct model_instance *instance = record->instance;
    bool waits = false;
    for (size_t i = 0; i < instance->tokens.count && !record->world->failed; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        waits |= token->state == TOKEN_ARRIVAL || token->state == TOKEN_LOCK;
        if (token->state == TOKEN_READY || token->state == TOKEN_FAILED)
            bad(record, "it stands still at \"%.*s\"", STR_ARG(token->node));
        if (model_jobs_of(instance, token->execution) != (token->state == TOKEN_JOB))
            bad(record, "\"%.*s\" has %zu open jobs", STR_ARG(token->node),
                model_jobs_of(instance, token->execution));
        bool timed = token->state == TOKEN_TIME || token->state == TOKEN_ARRIVAL;
        if (timed && model_timers_of(instance, token->execution) != 1)
            bad(record, "\"%.*s\" has %zu timers", STR_ARG(token->node),
                model_timers_of(instance, token->execution));
    }
    if (!instance->tokens.count) bad(record, "it lives and nobody is in it");
    if ((instance->status == INSTANCE_WAITING) != waits)
        bad(record, "its status is %s", instance_status_word(instance->status));
    if (record->failed) bad(record, "something failed and the instance goes on");
    graph_check_joins(record);
    graph_check_loops(record);
}

static void check_command(struct record *record)
{
    enum command_kind command = record->history->command;
    if (command == COMMAND_FIRE_TIMER && !record->fired) bad(record, "no timer fired");
    if (command == COMMAND_GRANT && !record->granted) bad(record, "no lock was granted");
    if (command == COMMAND_CANCEL && !record->cancelled) bad(record, "it was not cancelled");
    if (command == COMMAND_RETRY && !record->forgot) bad(record, "nothing was retried");
    if (record->arrival_expected || record->lets_in != GRAPH_NONE) bad(record, "what arrived is lost");
    if (record->error.is != ERROR_NONE) bad(record, "an error has no consequences");
    if (record->again_at) bad(record, "a call is not tried again");
    if (record->remembered) bad(record, "visit %u can be undone, and is not complete", record->remembered);
    if (record->released && model_live(record->instance) && model_token(record->instance, record->released))
        bad(record, "visit %u was finished and does not go on", record->released);
}

void graph_end(struct record *record, const struct journal_record *from)
{
    const struct model_instance *instance = record->instance;
    check_command(record);
    graph_check_gathered(record);
    check_ways(record);
    check_cut_short(record);
    if (model_live(instance)) check_live(record);
    else if (instance->status != INSTANCE_FAILED && (instance->jobs.count || instance->timers.count))
        bad(record, "it has ended with work open");
    if (!record->world->failed) flow_replay(record, from);
}
