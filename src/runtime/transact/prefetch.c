/* runtime/transact/prefetch.c — instances that the calls of a turn name, read together.
 *
 * With several nodes an instance that is in the cache may have been changed by another node. To read it costs
 * a round trip to the database. So those of all calls are read by one query before the first call runs.
 */
#include "runtime/transact/transact_int.h"

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

struct wanted {
    uint64_t id[PREFETCH_MAX];
    size_t count;
};

static uint64_t instance_of(const struct turn *turn, const struct call *call)
{
    switch (call->kind) {
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB: return transact_trusts(turn, call) ? 0 : call->as.job.id.instance;
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_RETRY: return call->as.instance.id.instance;
    case CALL_CLAIM_TASK:
    case CALL_UNCLAIM_TASK:
    case CALL_ASSIGN_TASK:
    case CALL_COMMENT_TASK: return call->as.task.id.instance;
    default: return 0;
    }
}

static void want(const struct turn *turn, const struct call *call, struct wanted *wanted)
{
    uint64_t id = instance_of(turn, call);
    if (id && wanted->count < PREFETCH_MAX && !map_get(&turn->loaded_of, id))
        wanted->id[wanted->count++] = id;
}

static void want_all(struct turn *turn, struct wanted *wanted)
{
    for (size_t i = 0; i < turn->due.count; i++)
        if (wanted->count < PREFETCH_MAX) wanted->id[wanted->count++] = turn->due.timer[i].row.instance;
    for (const struct call *call = turn->engine->work.writers.first; call; call = call->next_) {
        want(turn, call, wanted);
        for (size_t i = 0; call->kind == CALL_BATCH && i < call->as.batch.item_count; i++)
            want(turn, &call->as.batch.item[i], wanted);
    }
}

void prefetch(struct turn *turn)
{
    struct wanted wanted = { .count = 0 };
    struct instance_row *row;
    struct error err;
    size_t count;
    if (!turn->in_transaction || !nodes_have_others(turn->engine)) return;
    want_all(turn, &wanted);
    if (wanted.count < 2) return; /* One is read when it is wanted. */
    if (store_load_instances(turn->engine->store, wanted.id, wanted.count, &turn->arena, &row, &count,
                             &err) != ST_OK) {
        transact_failed(turn, &err);
        return;
    }
    for (size_t i = 0; i < count; i++) /* A large one is read when it is wanted. */
        if (row[i].state.n) transact_take(turn, &row[i]);
}
