/* runtime/transact/units_calls.c — the calls of units: those that began them, those that joined. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/transact/units_int.h"

#include <stdlib.h>

/* Keys count by tenant. */
static str key_of(const struct call *call)
{
    return tenant_key(call->ns, call->idempotency_key, call->arena);
}

bool units_have_key(const struct turn *turn, const struct call *call)
{
    const struct text_map *keys = &turn->engine->transact.units.keys;
    for (const struct staged_unit *staged = turn->first_unit; staged; staged = staged->next)
        if (staged->call && staged->fate == UNIT_WAITS && staged->call->ns == call->ns &&
            str_equal(staged->call->idempotency_key, call->idempotency_key))
            return true;
    return keys->count && text_map_get(keys, key_of(call));
}

void unit_hold_call(struct units *units, struct call *call)
{
    call->kept_ = true;
    if (call->idempotency_key.n) text_map_put(&units->keys, key_of(call), call);
}

void unit_answer_call(struct turn *turn, struct call *call, enum status status, const struct error *why)
{
    must(status == ST_OK || why);
    struct text_map *keys = &turn->engine->transact.units.keys;
    if (!call) return;
    call->status = status;
    if (status != ST_OK) call->error = *why;
    if (call->idempotency_key.n && text_map_get(keys, key_of(call)) == call)
        text_map_take(keys, key_of(call));
    /* A turn whose calls run one by one may end what it has begun. */
    if (call->in_turn_) call->kept_ = false;
    else call_list_add(&turn->engine->answered, call);
}

static bool waits_on(const struct unit *unit, const struct unit_join *join)
{
    for (size_t i = 0; i < join->count; i++) {
        const struct unit_member *member = unit_find_member(unit, join->instance[i]);
        if (member && member->holds) return true;
    }
    return false;
}

void unit_keep_joins(struct turn *turn, struct unit *unit, const struct staged_unit *staged)
{
    for (const struct staged_join *it = staged->first_join; it; it = it->next) {
        must(it->count > 0);
        struct unit_join *join = malloc(sizeof *join + it->count * sizeof join->instance[0]);
        must(join);
        *join = (struct unit_join){
            .call = it->call, .count = it->count, .savepoint = it->savepoint, .next = unit->join
        };
        memcpy(join->instance, it->instance, it->count * sizeof join->instance[0]);
        unit->join = join;
        it->call->kept_ = true;
    }
    for (struct unit_join **place = &unit->join; *place;) {
        struct unit_join *join = *place;
        if (waits_on(unit, join)) {
            place = &join->next;
            continue;
        }
        *place = join->next;
        unit_answer_call(turn, join->call, ST_OK, NULL);
        free(join);
    }
}

void unit_end_joins(struct turn *turn, struct unit *unit, enum status status, const struct error *why)
{
    for (struct unit_join *join = unit->join, *next; join; join = next) {
        next = join->next;
        unit_answer_call(turn, join->call, status, why);
        free(join);
    }
    unit->join = NULL;
}
