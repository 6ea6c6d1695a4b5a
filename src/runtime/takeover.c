/* runtime/takeover.c — takes over the work of dead nodes, and what other nodes have changed.
 *
 * nodes/heartbeat.c heartbeats and knows which nodes live. The functions here act on that in rooms that
 * nodes/ may not call. turn_shared.c calls them: a store that is not shared has no use for them.
 */
#include "runtime/runtime_int.h"

#include "base/array.h"
#include "base/log.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum {
    CLOCKS_DIFFER_MS = 2000, /* So much the clocks of two nodes may differ (docs/postgres.md). */
    SUCCESSOR_BLOCK = 64,
    SUCCESSOR_BLOCKS_PER_HEARTBEAT = 16,
    SUCCESSOR_MS = 20, /* So soon it goes on. */
    SECRETS_AGAIN_MS = 5000,
};

/* ---- taking over ---- */

/* Goes on behind `*ret_last` the next time: not all large instances are read at once. */
static enum status offer_held(struct engine *engine, const uint64_t *id, size_t count, uint64_t *ret_last,
                              struct error *err)
{
    struct arena *arena = &engine->turn.arena;
    struct instance_row *row;
    struct job_row *offer = NULL;
    size_t found, offers = 0, cap = 0;
    TRY(store_load_instances(engine->store, id, count, arena, &row, &found, err));
    *ret_last = id[count - 1];
    for (size_t i = 0; i < found; i++) {
        if (i && !row[i].state.n) {
            *ret_last = row[i - 1].id;
            break;
        }
        const struct instance *instance;
        struct job_row *job;
        struct error why;
        /* Another node holds jobs of it by now. It may do so only if none is left that the dead one had. */
        if (row[i].holder != engine->nodes.successor_of) continue;
        if (core_decode(row[i].state, NULL, arena, &instance, &why) != ST_OK) continue; /* It is damaged. */
        size_t jobs = shared_jobs_of_dead(row[i].ns, instance, row[i].definition_priority, arena, &job);
        for (size_t k = 0; k < jobs; k++) {
            array_reserve_in(arena, offer, offers, cap);
            offer[offers++] = job[k];
        }
    }
    if (offers) TRY(store_offer_new(engine->store, offer, offers, err));
    metric_add(&engine->metrics->jobs_taken_over, offers);
    return ST_OK;
}

static enum status take_over_block(struct engine *engine, bool *ret_done, struct error *err)
{
    struct nodes *nodes = &engine->nodes;
    uint64_t *id, last;
    size_t count;
    TRY(store_held_ids(engine->store, nodes->successor_of, nodes->successor_after, SUCCESSOR_BLOCK,
                       &engine->turn.arena, &id, &count, err));
    *ret_done = !count;
    if (!count) return ST_OK;
    TRY(offer_held(engine, id, count, &last, err));
    nodes->successor_after = last;
    *ret_done = count < SUCCESSOR_BLOCK && last == id[count - 1];
    return ST_OK;
}

static enum status take_over(struct engine *engine, struct error *err)
{
    struct nodes *nodes = &engine->nodes;
    size_t freed;
    bool done = false;
    for (size_t i = 0; i < nodes->seen_count && !nodes->successor_of; i++) {
        if (!nodes->seen[i].dead) continue;
        TRY(store_free_claims(engine->store, nodes->seen[i].id, &freed, err));
        metric_add(&engine->metrics->jobs_taken_over, freed);
        nodes->successor_of = nodes->seen[i].id;
        nodes->successor_after = 0;
        nodes->successor_ends = false;
    }
    if (!nodes->successor_of) return ST_OK;
    for (int i = 0; i < SUCCESSOR_BLOCKS_PER_HEARTBEAT && !done; i++) {
        TRY(take_over_block(engine, &done, err));
        arena_reset(&engine->turn.arena);
    }
    claim_note_offer(engine);
    if (!done) {
        nodes->next_heartbeat_ms = engine->turn.now_ms;
        return ST_OK;
    }
    if (!nodes->successor_ends) {
        nodes->successor_ends = true;
        not_recoverable_end_of(engine, nodes->successor_of);
    }
    /* Work that goes on at once, and the next dead node, do not wait for the next heartbeat: there may be
     * many. Not at once: a full disk keeps transients from ending. */
    nodes->next_heartbeat_ms = engine->turn.now_ms + SUCCESSOR_MS;
    if (not_recoverable_are_left(engine)) return ST_OK; /* The next turns do that first. */
    TRY(routings_take_over(engine, nodes->successor_of, err));
    TRY(store_forget_node(engine->store, nodes->successor_of, err));
    nodes_log(LOG_INFO, "the work of a node is taken over", nodes->successor_of);
    metric_add(&engine->metrics->takeovers, 1);
    nodes->successor_of = 0;
    backlogs_wake(engine);
    nodes_wake_others(engine, STORE_WAKE_JOBS);
    return ST_OK;
}

/* ---- what others have changed ---- */

/* Secrets with a key that we do not have are tried again: the operator may put it there. */
static void read_secrets_again(struct engine *engine)
{
    struct error err;
    if (!engine->secrets.vault || !engine_is_due(engine, engine->secrets.next_ms, SECRETS_AGAIN_MS)) return;
    if (secrets_open(engine, engine->secrets.vault, &err) == ST_OK) return;
    engine->secrets.next_ms = engine->turn.now_ms + SECRETS_AGAIN_MS;
    log_write(LOG_ERROR, "secrets cannot be read; all nodes need the same key", "reason", err.message, NULL);
}

/* If the configuration cannot be read now, we keep the old generation, and the next look tries it again. */
static enum status read_configuration(struct engine *engine, struct error *err)
{
    TRY(schedules_load_again(&engine->memory.schedules, engine->store, err));
    TRY(held_read_pause(engine, err));
    enum status status = engine->secrets.vault ? secrets_open(engine, engine->secrets.vault, err) : ST_OK;
    if (status != ST_CONFLICT) return status;
    engine->secrets.next_ms = 0;
    read_secrets_again(engine);
    return ST_OK;
}

static void forget_configuration(struct engine *engine, int64_t generation)
{
    struct error err;
    catalogue_clear(&engine->memory.catalogue);
    trigger_routes_clear(&engine->memory.trigger_routes);
    indexes_cache_clear(&engine->transact.indexes);
    model_cache_clear(&engine->memory.models);
    usage_forget(&engine->memory.usage, TENANT_ANY); /* One may be removed. */
    engine->transact.backlog[BACKLOG_INDEX].due = true;
    backlog_wake(engine, BACKLOG_PENDING, BACKLOG_PENDING_LAST);
    if (read_configuration(engine, &err) != ST_OK) {
        log_write(LOG_WARN, "what another node has changed cannot be read yet", "reason", err.message, NULL);
        return;
    }
    store_set_generation(engine->store, generation);
    metric_add(&engine->metrics->configurations, 1);
}

/* Others have taken us for dead, and have our jobs. Polls and calls that wait go on waiting. */
static void rejoin(struct engine *engine)
{
    struct error err;
    int64_t old = store_node(engine->store);
    if (store_rejoin(engine->store, &err) != ST_OK) return; /* The next heartbeat tries it again. */
    store_set_generation(engine->store, 0);                 /* Our knowledge of the configuration is older. */
    nodes_log(LOG_WARN, "others have taken this node for dead; it has joined again", old);
    metric_add(&engine->metrics->nodes_rejoined, 1);
    jobs_forget(&engine->memory.jobs);
    claim_note_offer(engine);
    cache_clear(&engine->memory.cache);
    routings_close(engine);
    routings_number(engine);
    news_read_all(engine);
    engine->nodes.last_heartbeat_ms = 0;
    engine->nodes.leads = false;
    engine->nodes.successor_of = 0;
}

/* Keys that another node has revoked end here, too. */
static void look_at_access(struct engine *engine)
{
    struct error err;
    if (access_state_look(engine, &err) == ST_OK) return;
    log_write(LOG_WARN, "changes of access by other nodes cannot be read yet", "reason", err.message, NULL);
}

static bool heartbeat(struct engine *engine)
{
    int64_t generation;
    if (!nodes_heartbeat(engine, rejoin, &generation)) return false;
    if (generation != store_generation(engine->store)) forget_configuration(engine, generation);
    look_at_access(engine);
    usage_beat(&engine->memory.usage, (int64_t)engine->nodes.count);
    return true;
}

/* ---- what waits in the store ---- */

/* The leader looks after work that any node may have left. One that does not lead for long, or that could not
 * ask, looks for all of it. */
static enum status look_for_work(struct engine *engine, bool has_led, struct error *err)
{
    /* If our clock is ahead, the worker still has the job. The node that has handed it out gives it back in
     * time. This is for leases that it does not know, because another node has prolonged or shortened them.
     */
    int64_t lease_end_ms = engine->turn.now_ms - CLOCKS_DIFFER_MS;
    struct work_found found;
    size_t ended;
    if (!has_led || backlogs_ask(engine, lease_end_ms, &found, err) != ST_OK) {
        backlogs_wake(engine);
        found = (struct work_found){ .has_offers = true, .has_ended_leases = true };
    }
    if (found.has_offers || found.has_ended_leases) claim_note_offer(engine);
    else claim_note_none(engine);
    return found.has_ended_leases ? store_end_leases(engine->store, lease_end_ms, &ended, err) : ST_OK;
}

/* ---- the interface ---- */

void takeover_go_on(struct engine *engine)
{
    struct nodes *nodes = &engine->nodes;
    struct error err;
    bool has_led = nodes->leads;
    if (engine->broken) return;
    release_go_on(engine);
    if (atomic_exchange(&engine->access.is_told, false)) look_at_access(engine);
    if (!engine_is_due(engine, nodes->next_heartbeat_ms, HEARTBEAT_MS)) return;
    nodes->next_heartbeat_ms = engine->turn.now_ms + HEARTBEAT_MS;
    if (!heartbeat(engine)) return;
    nodes_fence_silent(engine);
    if (nodes_have_others(engine)) {
        news_read(engine);
        release_idle(engine);
        lease_news_write(engine);
    }
    release_send(engine);
    if (engine->secrets.unread) read_secrets_again(engine);
    if (!nodes_lead(engine)) {
        claim_note_offer(engine);
        return;
    }
    if (look_for_work(engine, has_led, &err) != ST_OK) return;
    if (take_over(engine, &err) != ST_OK)
        log_write(LOG_WARN, "the work of a dead node waits", "reason", err.message, NULL);
    arena_reset(&engine->turn.arena);
}

void takeover_look(struct engine *engine)
{
    if (!engine->broken) heartbeat(engine);
}
