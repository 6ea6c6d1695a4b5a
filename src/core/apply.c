/* core/apply.c — applies a history entry to a state.
 *
 * Only apply_entry() changes an instance. A step calls it for each entry that it notes, and a replay calls it
 * for each entry that was stored; so the two agree.
 *
 * Entries may come from a damaged store: an entry that does not fit is ST_INTERNAL, never a must().
 */

#include "core/change_int.h"

static enum status apply_enter(struct change *change, const struct entry *entry, uint32_t node,
                               struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !scope_find(instance, entry->scope))
        return change_misfit(entry, "no such scope", err);
    if (instance->token_count >= TOKENS_MAX) return change_misfit(entry, "too many tokens", err);
    if (!change_take_number(instance, entry->execution))
        return change_misfit(entry, "the number is used", err);
    const struct json *carried =
        entry->from == change->gone.execution ? change->gone.carried : apply_carried(change, entry->from);
    OWN(change, token);
    instance->token[instance->token_count++] = (struct token){
        .execution = entry->execution,
        .state = TOKEN_READY,
        .node = node,
        .node_name = entry->node,
        .scope = entry->scope,
        .since_ms = change->at_ms,
        .carried = carried,
    };
    return ST_OK;
}

static enum status apply_state(struct change *change, const struct entry *entry, enum token_state state,
                               struct error *err)
{
    struct token *token = change_token(change, entry->execution);
    if (!token) return change_misfit(entry, "no such token", err);
    token->state = state;
    return ST_OK;
}

static enum status apply_gone(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i =
        number_index(instance->token, instance->token_count, sizeof *instance->token, entry->execution);
    if (i == SIZE_MAX) return change_misfit(entry, "no such token", err);
    change->gone = (struct gone){ entry->execution, instance->token[i].carried };
    CUT(change, token, i);
    if (instance->lock_count) apply_lock_dropped(change, entry->execution);
    if (instance->each_count) apply_each_dropped(change, entry->execution);
    if (instance->taken_count) apply_taken_dropped(change, entry->execution);
    if (instance->stuck.execution == entry->execution) instance->stuck = (struct stuck){ 0 };
    return ST_OK;
}

static enum status apply_fail(struct change *change, const struct entry *entry, struct error *err)
{
    TRY(apply_state(change, entry, TOKEN_FAILED, err));
    if (change->instance->lock_count) apply_lock_dropped(change, entry->execution);
    if (change->instance->taken_count) apply_taken_back(change, entry->execution);
    if (change->instance->each_count) apply_each_dropped(change, entry->execution);
    return ST_OK;
}

static enum status apply_stall(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->brought && !json_is(entry->brought, JSON_OBJECT))
        return change_misfit(entry, "not an object", err);
    TRY(apply_state(change, entry, TOKEN_FAILED, err));
    if (change->instance->lock_count) apply_lock_dropped(change, entry->execution);
    if (change->instance->each_count) apply_each_dropped(change, entry->execution);
    change->instance->stuck = (struct stuck){ entry->execution, entry->edge, entry->brought };
    return ST_OK;
}

static enum status apply_status(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->status >= INSTANCE_STATUS_COUNT) return change_misfit(entry, "no such status", err);
    struct instance *instance = change->instance;
    instance->status = (enum instance_status)entry->status;
    instance->failure = entry->reason;
    if (!instance_status_ended(instance->status)) instance->error = NULL;
    bool fails = instance->status == INSTANCE_FAILED;
    bool will_fail = !instance_status_ended(instance->status) && instance->undo.error;
    if (!fails && !will_fail) instance->failure_code = STR_NONE;
    instance->ended_ms = instance_status_ended(instance->status) ? change->at_ms : 0;
    if (!instance_takes_mail(instance)) { /* It cannot be retried. */
        if (instance->lock_count) apply_locks_ended(change);
        instance->taken_count = instance->taken_cap = 0;
        instance->owed_count = instance->owed_cap = instance->visited_count = instance->visited_cap = 0;
        instance->reached_count = instance->reached_cap = 0;
        if (!instance->undo.error)
            instance->undo_item_count = instance->undo_item_cap = instance->undo.bytes = 0;
    }
    return ST_OK;
}

static enum status apply_rest(struct change *change, const struct entry *entry, struct error *err)
{
    if (change->instance->lock_count) apply_lock_dropped(change, entry->execution);
    return apply_state(change, entry, TOKEN_RESTING, err);
}

static enum status apply_error(struct change *change, const struct entry *entry, struct error *err)
{
    if (!json_is(entry->error, JSON_OBJECT)) return change_misfit(entry, "not an object", err);
    change->instance->error = entry->error;
    return ST_OK;
}

/* Entries about how an instance came to be, or ends. */
static enum status apply_origin(struct instance *instance, const struct entry *entry)
{
    switch (entry->kind) {
    case ENTRY_KIND_BORN:
        instance->parent = entry->parent;
        instance->parent_job = entry->parent_job;
        instance->parent_waits = entry->parent_waits != 0;
        break;
    case ENTRY_KIND_FAMILY:
        instance->root = entry->root;
        instance->depth = entry->depth;
        break;
    case ENTRY_KIND_CHAINED: instance->chained_from = entry->chained_from; break;
    case ENTRY_KIND_TEST: instance->is_test = entry->is_test != 0; break;
    case ENTRY_KIND_HOLD: instance->is_held = entry->is_held != 0; break;
    case ENTRY_KIND_REPLACED: instance->replaced_by = entry->replaced_by; break;
    case ENTRY_KIND_RESCUE: instance->has_handled_error = true; break;
    default: must(!"an entry about the origin");
    }
    return ST_OK;
}

static enum status apply_park(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->state == TOKEN_READY || entry->state == TOKEN_RESTING || entry->state == TOKEN_FAILED ||
        entry->state >= TOKEN_STATE_COUNT)
        return change_misfit(entry, "no such way to wait", err);
    return apply_state(change, entry, (enum token_state)entry->state, err);
}

static enum status apply_begin(struct change *change, const struct entry *entry, struct error *err)
{
    struct token *token = change_token(change, entry->execution);
    if (!token || token->state != TOKEN_MILESTONE)
        return change_misfit(entry, "no token waits to begin", err);
    token->state = TOKEN_READY;
    return ST_OK;
}

/* The start of another instance has a number of its own. */
static enum status apply_next(struct change *change, const struct entry *entry, struct error *err)
{
    return change_take_number(change->instance, entry->number)
               ? ST_OK
               : change_misfit(entry, "the number is used", err);
}

enum status apply_entry(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: return apply_enter(change, entry, node, err);
    case ENTRY_KIND_PARK: return apply_park(change, entry, err);
    case ENTRY_KIND_REST: return apply_rest(change, entry, err);
    case ENTRY_KIND_FAIL: return apply_fail(change, entry, err);
    case ENTRY_KIND_STALL: return apply_stall(change, entry, err);
    case ENTRY_KIND_LEAVE:
    case ENTRY_KIND_INTERRUPT:
    case ENTRY_KIND_FORGET: return apply_gone(change, entry, err);
    case ENTRY_KIND_SCOPE_OPEN: return apply_scope_open(change, entry, node, err);
    case ENTRY_KIND_SCOPE_CLOSE: return apply_scope_close(change, entry, err);
    case ENTRY_KIND_JOB_OPEN: return apply_job_open(change, entry, err);
    case ENTRY_KIND_JOB_CLOSE: return apply_job_close(change, entry, err);
    case ENTRY_KIND_TIMER_OPEN: return apply_timer_open(change, entry, err);
    case ENTRY_KIND_TIMER_CLOSE: return apply_timer_close(change, entry, err);
    case ENTRY_KIND_DATA: return apply_data(change, entry, err);
    case ENTRY_KIND_STATUS: return apply_status(change, entry, err);
    case ENTRY_KIND_CONTINUE:
    case ENTRY_KIND_CHAIN: return apply_next(change, entry, err);
    case ENTRY_KIND_REGION_OPEN: return apply_region_open(change, entry, node, err);
    case ENTRY_KIND_REGION_END: return apply_region_end(change, entry, err);
    case ENTRY_KIND_SCOPE_DATA: return apply_data_scope(change, entry, err);
    case ENTRY_KIND_JOB_INPUT: return apply_job_input(change, entry, err);
    case ENTRY_KIND_JOB_RULE: return apply_job_rule(change, entry, err);
    case ENTRY_KIND_SIGNAL_IN:
    case ENTRY_KIND_ARRIVAL_IN:
    case ENTRY_KIND_MAIL_IN: return apply_mail_in(change, entry, err);
    case ENTRY_KIND_MAIL_TAKE: return apply_mail_take(change, entry, err);
    case ENTRY_KIND_MAIL_OUT: return apply_mail_out(change, entry, err);
    case ENTRY_KIND_CORRELATE: change->instance->correlation = entry->correlation; return ST_OK;
    case ENTRY_KIND_RAISE: change->instance->handled_count++; return ST_OK;
    case ENTRY_KIND_HANDLED: change->instance->handled_count = entry->handled_count; return ST_OK;
    case ENTRY_KIND_SIMULATE:
    case ENTRY_KIND_REMARK:
    case ENTRY_KIND_WARN: return ST_OK;
    case ENTRY_KIND_ERROR: return apply_error(change, entry, err);
    case ENTRY_KIND_CODE: change->instance->failure_code = entry->code; return ST_OK;
    case ENTRY_KIND_DATA_CUT: return apply_data_cut(change, entry, err);
    case ENTRY_KIND_BORN:
    case ENTRY_KIND_FAMILY:
    case ENTRY_KIND_CHAINED:
    case ENTRY_KIND_TEST:
    case ENTRY_KIND_HOLD:
    case ENTRY_KIND_REPLACED:
    case ENTRY_KIND_RESCUE: return apply_origin(change->instance, entry);
    case ENTRY_KIND_ARRIVE: return ST_OK; /* Other entries tell what the arrival did. */
    case ENTRY_KIND_FIRE: return apply_fire(change, entry);
    case ENTRY_KIND_BY:
    case ENTRY_KIND_CARRY:
    case ENTRY_KIND_TASK: return apply_token(change, entry, err);
    case ENTRY_KIND_EACH_OPEN: return apply_each_open(change, entry, err);
    case ENTRY_KIND_EACH_ADD: return apply_each_add(change, entry, err);
    case ENTRY_KIND_ITEM_END:
        TRY(apply_item_end(change, entry, err));
        return apply_scope_close(change, entry, err);
    case ENTRY_KIND_UNDOABLE: return apply_undoable(change, entry, node, err);
    case ENTRY_KIND_UNDO: return apply_undo(change, entry, err);
    case ENTRY_KIND_UNDO_STATE: return apply_undo_state(change, entry, err);
    case ENTRY_KIND_OWE: return apply_owe(change, entry, node, err);
    case ENTRY_KIND_VISITED: return apply_visited(change, entry, node, err);
    case ENTRY_KIND_MIGRATE: return apply_migrate(change, entry, err);
    case ENTRY_KIND_REACH: return apply_reach(change, entry, node, err);
    case ENTRY_KIND_BEGIN: return apply_begin(change, entry, err);
    case ENTRY_KIND_LOCK_ASK: return apply_lock_ask(change, entry, err);
    case ENTRY_KIND_LOCK_GRANT: return apply_lock_grant(change, entry, err);
    case ENTRY_KIND_COUNT: break;
    }
    return fail(err, ST_INTERNAL, "", "history entry of unknown kind %d", (int)entry->kind);
}
