/* runtime/cost.c — which calls are expensive, by what the commands of their definitions have cost so far. */
#include "runtime/runtime_int.h"

#include "base/hash.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum { PRIORITY_UNKNOWN = 5 }; /* For a definition that is not in memory: most have this one. */

/* Finds the definition of an instance, by whose number calls share the second part of a turn. */
static bool find_share(struct turn *turn, uint64_t instance, uint64_t *ret_share,
                       const struct definition **ret_definition)
{
    int64_t number;
    if (!transact_find_definition(turn, instance, &number)) return false;
    *ret_definition = catalogue_peek(&turn->engine->memory.catalogue, number);
    *ret_share = (uint64_t)number;
    return true;
}

/* A share for those who name a definition that may not be in memory. */
static uint64_t share_of_name(struct turn *turn, int32_t ns, str definition_id)
{
    return hash_bytes(tenant_key(ns, definition_id, &turn->arena)) | UINT64_C(1) << 63;
}

/* The same for a definition that a start names. One that is not in memory has a share of its own, too. */
static void find_share_of_start(struct turn *turn, const struct call *call, uint64_t *ret_share,
                                const struct definition **ret_definition)
{
    const struct call_start *start = &call->as.start;
    *ret_definition = catalogue_peek_latest(&turn->engine->memory.catalogue, call->ns, start->definition_id,
                                            start->version);
    *ret_share = *ret_definition ? (uint64_t)(*ret_definition)->number
                                 : share_of_name(turn, call->ns, start->definition_id);
}

/* The same for an arrival. Messages and rows come in an order that they must keep: all those for a definition
 * have one share, whether their triggers are in memory or not. The first other arrival at a trigger, and one
 * for several triggers, are not known to cost anything. */
static bool find_share_of_arrival(struct turn *turn, const struct call *call, uint64_t *ret_share,
                                  const struct definition **ret_definition)
{
    const struct call_arrive *asked = &call->as.arrive;
    const struct trigger_route *trigger_route = trigger_routes_peek(turn, call->ns, asked);
    bool ordered = asked->definition_id.n && asked->event.type != ARRIVAL_MANUAL;
    if (!ordered && (!trigger_route || trigger_route->next)) return false;
    if (trigger_route)
        *ret_definition = catalogue_peek(&turn->engine->memory.catalogue, trigger_route->definition);
    *ret_share =
        ordered ? share_of_name(turn, call->ns, asked->definition_id) : (uint64_t)trigger_route->definition;
    return true;
}

/* True if the call must wait for the second part of a turn. */
bool cost_must_wait(struct turn *turn, const struct call *call, struct share_place *ret_place)
{
    const struct definition *definition = NULL;
    bool shared = false;
    uint64_t *ret_share = &ret_place->key;
    switch (call->kind) {
    case CALL_START:
        find_share_of_start(turn, call, ret_share, &definition);
        shared = true;
        break;
    case CALL_ARRIVE: shared = find_share_of_arrival(turn, call, ret_share, &definition); break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
        turn->trusts_cache = transact_trusts(turn, call);
        shared = find_share(turn, call->as.job.id.instance, ret_share, &definition);
        turn->trusts_cache = false;
        break;
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_RETRY: shared = find_share(turn, call->as.instance.id.instance, ret_share, &definition); break;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK:
        shared = find_share(turn, call->as.task.id.instance, ret_share, &definition);
        break;
    case CALL_MODIFY: shared = find_share(turn, call->as.modify.id.instance, ret_share, &definition); break;
    default: break; /* A cancel overtakes others. A call with items asks for each of them. */
    }
    ret_place->priority = definition ? definition->program->priority : PRIORITY_UNKNOWN;
    return shared && (!catalogue_is_cheap(definition) || shares_hold(&turn->engine->work.shares, *ret_share));
}

bool cost_item_must_wait(struct turn *turn, const struct call *item)
{
    struct share_place place;
    return !turn->late && cost_must_wait(turn, item, &place);
}
