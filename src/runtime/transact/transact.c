/* runtime/transact/transact.c — the transaction of a turn: it begins, takes rows, or has failed.
 *
 *     load the instance ──► core_step() ──► write its history, and its row when the turn ends ──► commit
 *     transact_load.c       transact_step.c   transact_apply.c      transact_write.c      transact_end.c
 *
 * An instance that several commands of a turn concern is loaded once, and its row is written once, before the
 * commit. Reads by id go through transact_load(), which knows the loaded instances. Rows of timers and tasks
 * are looked for only between transactions.
 *
 * Not here: what a command means (core/), what it opens and closes (effects.c), how rows look (store/).
 */
#include "runtime/transact/transact_int.h"

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

enum status transact_failed(struct turn *turn, const struct error *err)
{
    must(err->status != ST_OK);
    if (turn->failed == ST_OK) {
        turn->failed = err->status;
        turn->failure = *err;
    }
    return err->status;
}

enum status transact_begin(struct turn *turn, struct error *err)
{
    if (turn->failed != ST_OK) {
        *err = turn->failure;
        return turn->failed;
    }
    if (turn->in_transaction) return ST_OK;
    must(!turn->wrote && !turn->first_transition);
    if (store_begin(turn->engine->store, err) != ST_OK) return transact_failed(turn, err);
    turn->in_transaction = true;
    return ST_OK;
}

enum status transact_rows(struct turn *turn, struct changeset *changeset, struct error *err)
{
    TRY(transact_begin(turn, err));
    turn->wrote = true;
    if (store_apply(turn->engine->store, changeset, err) != ST_OK) return transact_failed(turn, err);
    return ST_OK;
}

bool transact_is_lost(const struct turn *turn, enum status status)
{
    return turn->failed != ST_OK || status == ST_STORE || status == ST_FULL || status == ST_AGAIN;
}

/* Lists show instances in the order of their ids. So a node that is not alone takes new ones for every turn,
 * which costs a round trip. Where many are started at once, nobody can tell the order of a few milliseconds.
 */
void transact_renew_numbers(struct turn *turn)
{
    enum { MANY = 2, FRESH_MS = 20, TURNS = 8 };
    struct engine *engine = turn->engine;
    struct store_numbers *numbers = &engine->transact.numbers;
    numbers->wanted = 0;
    if (!nodes_have_others(engine)) return;
    for (const struct call *call = engine->work.writers.first; call; call = call->next_)
        numbers->wanted += call->kind == CALL_START;
    bool many = numbers->wanted >= MANY;
    numbers->wanted = many ? TURNS * numbers->wanted : 1 + numbers->wanted;
    if (many && turn->now_ms - engine->transact.numbers_ms < FRESH_MS &&
        turn->now_ms >= engine->transact.numbers_ms)
        return;
    numbers->instance = numbers->instance_end;
    engine->transact.numbers_ms = turn->now_ms;
}

enum status transact_next_instance(struct turn *turn, uint64_t *ret_id, struct error *err)
{
    struct store_numbers *numbers = &turn->engine->transact.numbers;
    if (numbers->instance == numbers->instance_end)
        TRY(store_take_numbers(turn->engine->store, numbers, err));
    if (numbers->instance > ID_INSTANCE_MAX) return fail(err, ST_LIMIT, "instances", "no more instance ids");
    *ret_id = numbers->instance;
    return ST_OK;
}
