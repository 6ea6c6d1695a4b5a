/* runtime/transact/transact_end.c — the end of a transaction: its last rows, the commit or the rollback. */
#include "runtime/transact/transact_int.h"

#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

static bool commit(struct turn *turn)
{
    must(turn->in_transaction && turn->wrote && turn->failed == ST_OK);
    struct engine *engine = turn->engine;
    struct error err;
    int64_t began_us = clock_monotonic_us();
    if (store_commit(engine->store, &err) != ST_OK) {
        transact_failed(turn, &err);
        return false;
    }
    metric_add(&engine->metrics->commits, 1);
    metric_observe(&engine->metrics->transaction, clock_monotonic_us() - began_us);
    return true;
}

/* The instances that the turn has read must be unchanged when it commits. */
static void expect_loaded(struct turn *turn)
{
    struct error err;
    for (const struct loaded *loaded = turn->all_loaded; loaded && turn->in_transaction;
         loaded = loaded->next) {
        if (loaded->changed) continue;
        must(loaded->now == loaded->written);
        turn->wrote = true;
        if (store_expect(turn->engine->store, loaded->instance, loaded->now->revision, &err) != ST_OK) {
            transact_failed(turn, &err);
            return;
        }
    }
}

/* With other nodes also a turn with calls commits that changes nothing: a refusal may rest on a definition or
 * a model that has changed. */
void transact_end_shared(struct turn *turn)
{
    struct error err;
    bool others = nodes_have_others(turn->engine);
    turn->wrote |= others && turn->in_transaction && turn->ran.first;
    expect_loaded(turn);
    if (turn->failed != ST_OK || !turn->wrote || !others) return;
    if (news_write(turn, &err) != ST_OK) transact_failed(turn, &err);
}

/* Nothing of the transaction happened. */
static void drop(struct turn *turn)
{
    must(turn->failed != ST_OK);
    struct engine *engine = turn->engine;
    for (const struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed)
        cache_drop(&engine->memory.cache, loaded->instance);
    /* Another node may have changed any of them. */
    for (const struct loaded *loaded = turn->failed == ST_AGAIN ? turn->all_loaded : NULL; loaded;
         loaded = loaded->next)
        cache_drop(&engine->memory.cache, loaded->instance);
    transact_forget(turn);
    /* The catalogue may hold definitions that the transaction would have stored. */
    if (turn->deployed) catalogue_clear(&engine->memory.catalogue);
    if (turn->deployed || turn->moved_trigger_routes) trigger_routes_clear(&engine->memory.trigger_routes);
    indexes_cache_clear(&engine->transact.indexes);
    if (turn->changed_models) model_cache_clear(&engine->memory.models);
}

bool transact_end(struct turn *turn)
{
    struct engine *engine = turn->engine;
    if (turn->failed == ST_OK) transact_write_all(turn);
    if (turn->failed == ST_OK) turn->hooks->before_commit(turn);
    bool committed = turn->failed == ST_OK;
    if (turn->in_transaction) {
        if (committed && turn->wrote) committed = commit(turn);
        if (!committed || !turn->wrote) store_rollback(engine->store);
    }
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = turn->failure;
    if (!committed) drop(turn);
    else if (turn->moved_trigger_routes) metric_add(&engine->metrics->trigger_pauses, 1);
    return committed;
}

void transact_clear(struct turn *turn)
{
    turn->in_transaction = turn->wrote = turn->deployed = turn->moved_trigger_routes = turn->changed_models =
        false;
    turn->pauses = false;
    turn->counts = (struct turn_counts){ 0 };
    memset(turn->tally, 0, sizeof turn->tally);
    turn->first_transition = turn->last_transition = turn->first_unnoticed = NULL;
    turn->first_changed = turn->last_changed = NULL;
    turn->first_effects = turn->last_effects = NULL;
    turn->timers_again = NULL;
}
