/* core/apply.c — what a history entry does to a state.
 *
 * The only place that writes to an instance. A step goes through here entry by entry while
 * it decides, and a replay goes through here with what was stored; so the two agree.
 *
 * Entries may come from a damaged store: whatever does not fit is ST_INTERNAL, never a
 * must().
 */

#include "core/core_int.h"

#include "base/id.h"

void *array_own(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes)
{
    if (count < *cap) return items;
    *cap = count + count / 2 + 4;
    char *copy = arena_alloc(arena, *cap * bytes);
    if (count) memcpy(copy, items, count * bytes);
    return copy;
}

void *array_cut(struct arena *arena, void *items, size_t *count, size_t *cap, size_t at, size_t bytes)
{
    size_t behind = --*count - at;
    char *hole = (char *)items + at * bytes;
    if (at == 0) { /* The oldest goes first, as a rule. */
        if (*cap) --*cap;
        return hole + bytes;
    }
    if (*cap) {
        memmove(hole, hole + bytes, behind * bytes);
        return items;
    }
    *cap = *count + *count / 2 + 4;
    char *copy = arena_alloc(arena, *cap * bytes);
    memcpy(copy, items, at * bytes);
    memcpy(copy + at * bytes, hole + bytes, behind * bytes);
    return copy;
}

static struct token *token_for_writing(struct change *change, uint32_t execution)
{
    struct instance *instance = change->instance;
    OWN(change, token);
    size_t i = number_index(instance->token, instance->token_count, sizeof *instance->token, execution);
    return i == SIZE_MAX ? NULL : &instance->token[i];
}

enum status misfit(const struct entry *entry, const char *what, struct error *err)
{
    return fail(err, ST_INTERNAL, "", "a history entry \"%s\" does not fit the state: %s",
                entry_word(entry->kind), what);
}

bool take_number(struct instance *instance, uint32_t number)
{
    if (number < instance->next_number || number > ID_NUMBER_MAX) return false;
    instance->next_number = number + 1;
    return true;
}

static enum status apply_enter(struct change *change, const struct entry *entry, uint32_t node,
                               struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !instance_find_scope(instance, entry->scope))
        return misfit(entry, "no such scope", err);
    if (instance->token_count >= TOKENS_MAX) return misfit(entry, "too many tokens", err);
    if (!take_number(instance, entry->execution)) return misfit(entry, "the number is used", err);
    OWN(change, token);
    instance->token[instance->token_count++] = (struct token){
        .execution = entry->execution,
        .state = TOKEN_READY,
        .node = node,
        .node_name = entry->node,
        .scope = entry->scope,
        .since_ms = change->at_ms,
    };
    return ST_OK;
}

static enum status apply_state(struct change *change, const struct entry *entry, enum token_state state,
                               struct error *err)
{
    struct token *token = token_for_writing(change, entry->execution);
    if (!token) return misfit(entry, "no such token", err);
    token->state = state;
    return ST_OK;
}

static enum status apply_gone(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i =
        number_index(instance->token, instance->token_count, sizeof *instance->token, entry->execution);
    if (i == SIZE_MAX) return misfit(entry, "no such token", err);
    CUT(change, token, i);
    if (instance->taken_count) change_drop_taken(change, entry->execution);
    if (instance->stuck.execution == entry->execution) instance->stuck = (struct stuck){ 0 };
    return ST_OK;
}

static enum status apply_fail(struct change *change, const struct entry *entry, struct error *err)
{
    TRY(apply_state(change, entry, TOKEN_FAILED, err));
    if (change->instance->taken_count) change_give_back(change, entry->execution);
    return ST_OK;
}

static enum status apply_stall(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->json && !json_is(entry->json, JSON_OBJECT)) return misfit(entry, "not an object", err);
    TRY(apply_state(change, entry, TOKEN_FAILED, err));
    change->instance->stuck = (struct stuck){ entry->execution, entry->value, entry->json };
    return ST_OK;
}

static enum status apply_job_open(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->execution)) return misfit(entry, "no such token", err);
    if (!take_number(instance, entry->number)) return misfit(entry, "the number is used", err);
    /* A further attempt is about the same as the one before. */
    struct job before = { 0 };
    if (entry->from > 1) {
        if (change->closed.execution != entry->execution) return misfit(entry, "no job before it", err);
        before = change->closed;
    }
    OWN(change, job);
    instance->job[instance->job_count++] = (struct job){
        .number = entry->number,
        .execution = entry->execution,
        .type = entry->text,
        .retries_left = entry->value,
        .attempt = entry->from,
        .created_ms = change->at_ms,
        .available_ms = entry->time_ms,
        .payload = before.payload,
        .performer = before.performer,
        .used = before.used,
        .used_count = before.used_count,
    };
    return ST_OK;
}

static enum status apply_job_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->job, instance->job_count, sizeof *instance->job, entry->number);
    if (i == SIZE_MAX) return misfit(entry, "no such job", err);
    change->closed = instance->job[i];
    CUT(change, job, i);
    return ST_OK;
}

static enum status apply_timer_open(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->execution)) return misfit(entry, "no such token", err);
    if (!take_number(instance, entry->number)) return misfit(entry, "the number is used", err);
    OWN(change, timer);
    instance->timer[instance->timer_count++] = (struct timer){
        .number = entry->number,
        .execution = entry->execution,
        .index = entry->value,
        .due_ms = entry->time_ms,
    };
    return ST_OK;
}

static enum status apply_timer_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->timer, instance->timer_count, sizeof *instance->timer, entry->number);
    if (i == SIZE_MAX) return misfit(entry, "no such timer", err);
    CUT(change, timer, i);
    return ST_OK;
}

static enum status apply_data(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->value > MERGE_DEEP || !json_is(entry->json, JSON_OBJECT))
        return misfit(entry, "no such way to merge", err);
    const struct json *data = change->instance->data;
    enum data_merge merge = (enum data_merge)entry->value;
    if (!data_mergeable(data, entry->json, merge)) return misfit(entry, "it cannot be merged", err);
    change_data(change, 0, data_merged(data, entry->json, merge, change->arena));
    return ST_OK;
}

static enum status apply_status(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->value >= INSTANCE_STATUS_COUNT) return misfit(entry, "no such status", err);
    struct instance *instance = change->instance;
    instance->status = (enum instance_status)entry->value;
    instance->failure = entry->text;
    if (!instance_status_ended(instance->status)) instance->error = NULL;
    instance->ended_ms = instance_status_ended(instance->status) ? change->at_ms : 0;
    if (!instance_takes_mail(instance))
        instance->taken_count = instance->taken_cap = 0; /* Nobody retries it. */
    return ST_OK;
}

enum status change_apply(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    switch (entry->kind) {
    case ENTRY_KIND_ENTER: return apply_enter(change, entry, node, err);
    case ENTRY_KIND_PARK:
        if ((entry->value < TOKEN_JOB || entry->value > TOKEN_JOIN) &&
            (entry->value < TOKEN_EVENT || entry->value > TOKEN_REGION))
            return misfit(entry, "no such way to wait", err);
        return apply_state(change, entry, (enum token_state)entry->value, err);
    case ENTRY_KIND_REST: return apply_state(change, entry, TOKEN_RESTING, err);
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
    case ENTRY_KIND_CHAIN:
        return take_number(change->instance, entry->number) ? ST_OK
                                                            : misfit(entry, "the number is used", err);
    case ENTRY_KIND_REGION_OPEN: return apply_region_open(change, entry, node, err);
    case ENTRY_KIND_REGION_END: return apply_region_end(change, entry, err);
    case ENTRY_KIND_SCOPE_DATA: return apply_scope_data(change, entry, err);
    case ENTRY_KIND_JOB_INPUT: return apply_job_input(change, entry, err);
    case ENTRY_KIND_JOB_RULE: return apply_job_rule(change, entry, err);
    case ENTRY_KIND_SIGNAL_IN:
        if (!entry->node.n) return misfit(entry, "no such node", err);
        return apply_mail_in(change, entry, err);
    case ENTRY_KIND_MAIL_IN: return apply_mail_in(change, entry, err);
    case ENTRY_KIND_MAIL_TAKE: return apply_mail_take(change, entry, err);
    case ENTRY_KIND_MAIL_OUT: return apply_mail_out(change, entry, err);
    case ENTRY_KIND_CORRELATE: change->instance->correlation = entry->text; return ST_OK;
    case ENTRY_KIND_RAISE: change->instance->handled_count++; return ST_OK;
    case ENTRY_KIND_HANDLED: change->instance->handled_count = entry->value; return ST_OK;
    case ENTRY_KIND_WARN: return ST_OK;
    case ENTRY_KIND_ERROR:
        if (!json_is(entry->json, JSON_OBJECT)) return misfit(entry, "not an object", err);
        change->instance->error = entry->json;
        return ST_OK;
    case ENTRY_KIND_DATA_CUT: return apply_data_cut(change, entry, err);
    case ENTRY_KIND_BORN:
        change->instance->parent = (uint64_t)entry->time_ms;
        change->instance->parent_job = entry->number;
        change->instance->parent_waits = entry->value != 0;
        return ST_OK;
    case ENTRY_KIND_FAMILY:
        change->instance->root = (uint64_t)entry->time_ms;
        change->instance->depth = entry->value;
        return ST_OK;
    case ENTRY_KIND_CHAINED: change->instance->chained_from = (uint64_t)entry->time_ms; return ST_OK;
    case ENTRY_KIND_COUNT: break;
    }
    return fail(err, ST_INTERNAL, "", "history entry of unknown kind %d", (int)entry->kind);
}

void change_begin(struct change *change, const struct instance *before, const struct created *created,
                  int64_t at_ms, struct arena *arena)
{
    struct instance *instance = arena_alloc(arena, sizeof *instance);
    if (before) {
        *instance = *before;
        instance->token_cap = instance->scope_cap = instance->job_cap = instance->timer_cap = 0;
        instance->mail_cap = instance->taken_cap = 0;
    } else {
        *instance = (struct instance){
            .id = created->id,
            .definition = created->definition,
            .status = INSTANCE_ACTIVE,
            .created_ms = at_ms,
            .business_key = created->business_key,
            .data = json_empty_object(),
            .next_number = 1,
        };
    }
    *change = (struct change){ .instance = instance, .arena = arena, .at_ms = at_ms };
}
