/* runtime/cost.c — which calls are expensive, by what the commands of their definitions have cost so far. */
#include "runtime/engine_int.h"

#include "base/hash.h"

/* True if the call must wait for the second part of a turn. */
bool cost_must_wait(struct turn *turn, const struct call *call, uint64_t *ret_share)
{
    const struct definition *definition;
    int64_t number;
    switch (call->kind) {
    case CALL_START:
        definition =
            catalogue_peek_latest(&turn->engine->catalogue, call->ns, call->definition_id, call->version);
        *ret_share =
            definition ? (uint64_t)definition->number : hash_bytes(call->definition_id) | UINT64_C(1) << 63;
        break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_RETRY:
    case CALL_MODIFY:
        if (!transact_find_definition(turn, call->id.instance, &number)) return false;
        definition = catalogue_peek(&turn->engine->catalogue, number);
        *ret_share = (uint64_t)number;
        break;
    default: return false; /* A cancel overtakes others. A call with items asks for each of them. */
    }
    return !catalogue_is_cheap(definition) || shares_hold(&turn->engine->shares, *ret_share);
}

bool cost_item_must_wait(struct turn *turn, const struct call *item)
{
    uint64_t share;
    return !turn->late && cost_must_wait(turn, item, &share);
}
