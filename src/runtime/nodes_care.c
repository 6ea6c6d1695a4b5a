/* runtime/nodes_care.c — keeps watch over the other nodes: beats, burials, taking over. See nodes.h. */
#include "runtime/runtime_int.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BEAT_MS = 200,
    DEAD_MS = 1500,          /* A node without a beat for so long is dead … */
    LOOKS_MIN = 4,           /* … if we have looked so often, and in any case after SILENT_LOOKS_MAX. */
    RETURN_MS = 3000,        /* A node that has lost its database tries to connect once a second. */
    CLOCKS_DIFFER_MS = 2000, /* So much the clocks of two nodes may differ (docs/postgres.md). */
    HEIR_BLOCK = 64,
    HEIR_BLOCKS_PER_BEAT = 16,
    HEIR_MS = 20, /* So soon it goes on. */
    SECRETS_AGAIN_MS = 5000,
};

static void log_node(enum log_level level, const char *what, int64_t node)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, node);
    log_write(level, what, "node", number, NULL);
}

/* ---- who lives ---- */

static struct seen_node *find_seen(struct nodes *nodes, int64_t id)
{
    for (size_t i = 0; i < nodes->seen_count; i++)
        if (nodes->seen[i].id == id) return &nodes->seen[i];
    return NULL;
}

static bool lives_still(const struct nodes *nodes, const struct seen_node *node, int64_t now_ms)
{
    bool silent = now_ms - node->changed_ms >= DEAD_MS && node->looks >= LOOKS_MIN;
    bool may_wake = nodes->looks_left && node->looks < SILENT_LOOKS_MAX;
    bool may_return = now_ms < nodes->return_ms && node->looks < RETURN_LOOKS_MAX;
    return !node->dead && (!silent || may_wake || may_return);
}

static void note_gone(struct engine *engine, int64_t node)
{
    engine->nodes.gone = node;
    engine->nodes.gone_ms = engine->turn.now_ms;
}

/* Notes a node that was alive at the last beat and is dead or gone now. */
static void compare(struct engine *engine, const struct node_row *row, size_t count)
{
    for (size_t i = 0; i < engine->nodes.seen_count; i++) {
        const struct seen_node *seen = &engine->nodes.seen[i];
        size_t k = 0;
        while (k < count && row[k].id != seen->id) k++;
        if (!seen->dead && (k == count || row[k].dead)) note_gone(engine, seen->id);
    }
}

/* True if the look counts: it is not right behind another one.
 *
 * If we have not looked for long, we stood still, and perhaps the others did: they may beat before we judge.
 * But their time does not begin anew. A node that often has long turns would never bury anybody.
 *
 * If the database was away, it was so for all of them, and each connects in its own time. That is a time and
 * not a number of looks: a node that is gone may keep the others' turns long, by its locks. */
static bool count_look(struct nodes *nodes, int64_t now_ms, bool was_cut_off)
{
    bool back = now_ms < nodes->last_beat_ms, stood_still = now_ms - nodes->last_beat_ms >= DEAD_MS;
    if (was_cut_off || back) nodes->return_ms = was_cut_off ? now_ms + RETURN_MS : 0;
    if (!back && now_ms - nodes->looked_ms < BEAT_MS) return false;
    nodes->looked_ms = now_ms;
    if (back || stood_still) nodes->looks_left = LOOKS_MIN - 1;
    else nodes->looks_left -= nodes->looks_left > 0;
    return true;
}

/* Takes the rows of a beat. `was_cut_off`: the one before has failed. */
static void observe(struct engine *engine, const struct node_row *row, size_t count, bool was_cut_off)
{
    must(count <= NODES_MAX && !engine->turn.in_transaction);
    struct nodes *nodes = &engine->nodes;
    struct seen_node next[NODES_MAX];
    int64_t now_ms = engine->turn.now_ms;
    bool counts = count_look(nodes, now_ms, was_cut_off);
    for (size_t i = 0; i < count; i++) {
        const struct seen_node *seen = find_seen(nodes, row[i].id);
        bool same = seen && seen->beats == row[i].beats && seen->changed_ms <= now_ms;
        next[i] = (struct seen_node){ .id = row[i].id,
                                      .beats = row[i].beats,
                                      .changed_ms = same ? seen->changed_ms : now_ms,
                                      .looks = same ? seen->looks + counts : 1,
                                      .dead = row[i].dead };
    }
    compare(engine, row, count);
    memcpy(nodes->seen, next, count * sizeof next[0]);
    nodes->seen_count = count;
    nodes->last_beat_ms = now_ms;
    nodes->rank = nodes->count = 0;
    for (size_t i = 0; i < count; i++) {
        bool self = next[i].id == store_node(engine->store);
        if (!self && !lives_still(nodes, &next[i], now_ms)) continue;
        nodes->rank += next[i].id < store_node(engine->store);
        nodes->count++;
    }
    bool leads = nodes_lead(engine);
    if (leads != (metric_get(&engine->metrics->node_leads) > 0))
        metric_add(&engine->metrics->configurations, 1);
    metric_set(&engine->metrics->node_leads, leads);
    engine->live.telling = nodes->count > 1;
    engine->timers.part = nodes->rank;
    engine->timers.parts = nodes->count ? nodes->count : 1;
}

static void bury_silent(struct engine *engine)
{
    struct nodes *nodes = &engine->nodes;
    struct error err;
    for (size_t i = 0; i < nodes->seen_count; i++) {
        struct seen_node *node = &nodes->seen[i];
        if (node->dead || node->id == store_node(engine->store) ||
            lives_still(nodes, node, engine->turn.now_ms))
            continue;
        if (store_bury(engine->store, node->id, &err) != ST_OK) continue; /* The next beat tries again. */
        node->dead = true;
        note_gone(engine, node->id);
        metric_add(&engine->metrics->nodes_buried, 1);
        log_node(LOG_WARN, "a node has stopped; its work is taken over", node->id);
    }
}

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
        if (row[i].holder != engine->nodes.heir_of) continue;
        if (core_decode(row[i].state, NULL, arena, &instance, &why) != ST_OK) continue; /* It is damaged. */
        size_t jobs = offers_of_dead(instance, row[i].definition_priority, arena, &job);
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
    TRY(store_held_ids(engine->store, nodes->heir_of, nodes->heir_after, HEIR_BLOCK, &engine->turn.arena, &id,
                       &count, err));
    *ret_done = !count;
    if (!count) return ST_OK;
    TRY(offer_held(engine, id, count, &last, err));
    nodes->heir_after = last;
    *ret_done = count < HEIR_BLOCK && last == id[count - 1];
    return ST_OK;
}

/* The unfinished work of the dead node has rows, which are looked at again. */
static void look_at_all(struct engine *engine)
{
    engine->pending_due = PENDING_ALL;
    engine->children_due = engine->bulk_due = true;
    engine->index_due = engine->search_due = true;
    engine->held_due = engine->overflow_due = true;
}

static enum status take_over(struct engine *engine, struct error *err)
{
    struct nodes *nodes = &engine->nodes;
    size_t freed;
    bool done = false;
    for (size_t i = 0; i < nodes->seen_count && !nodes->heir_of; i++) {
        if (!nodes->seen[i].dead) continue;
        TRY(store_free_claims(engine->store, nodes->seen[i].id, &freed, err));
        metric_add(&engine->metrics->jobs_taken_over, freed);
        nodes->heir_of = nodes->seen[i].id;
        nodes->heir_after = 0;
        nodes->heir_ends = false;
    }
    if (!nodes->heir_of) return ST_OK;
    for (int i = 0; i < HEIR_BLOCKS_PER_BEAT && !done; i++) {
        TRY(take_over_block(engine, &done, err));
        arena_reset(&engine->turn.arena);
    }
    offers_expect(engine);
    if (!done) {
        nodes->next_beat_ms = engine->turn.now_ms;
        return ST_OK;
    }
    if (!nodes->heir_ends) {
        nodes->heir_ends = true;
        admit_end_transients_of(engine, nodes->heir_of);
    }
    /* Work that goes on at once, and the next dead node, do not wait for the next beat: there may be many.
     * Not at once: a full disk keeps transients from ending. */
    nodes->next_beat_ms = engine->turn.now_ms + HEIR_MS;
    if (admit_ends_transients(engine)) return ST_OK; /* The next turns do that first. */
    TRY(routings_take_over(engine, nodes->heir_of, err));
    TRY(store_forget_node(engine->store, nodes->heir_of, err));
    log_node(LOG_INFO, "the work of a node is taken over", nodes->heir_of);
    metric_add(&engine->metrics->takeovers, 1);
    nodes->heir_of = 0;
    look_at_all(engine);
    if (nodes_have_others(engine)) store_wake_others(engine->store);
    return ST_OK;
}

/* ---- what others have changed ---- */

/* Secrets with a key that we do not have are tried again: the operator may put it there. */
static void read_secrets_again(struct engine *engine)
{
    struct error err;
    if (!engine->vault || !engine_is_due(engine, engine->secrets_next_ms, SECRETS_AGAIN_MS)) return;
    if (secrets_open(engine, engine->vault, &err) == ST_OK) return;
    engine->secrets_next_ms = engine->turn.now_ms + SECRETS_AGAIN_MS;
    log_write(LOG_ERROR, "secrets cannot be read; all nodes need the same key", "reason", err.message, NULL);
}

/* If the configuration cannot be read now, we keep the old generation, and the next look tries it again. */
static enum status read_configuration(struct engine *engine, struct error *err)
{
    TRY(schedules_load_again(&engine->schedules, engine->store, err));
    TRY(admit_read_pause(engine, err));
    enum status status = engine->vault ? secrets_open(engine, engine->vault, err) : ST_OK;
    if (status != ST_CONFLICT) return status;
    engine->secrets_next_ms = 0;
    read_secrets_again(engine);
    return ST_OK;
}

static void forget_configuration(struct engine *engine, int64_t generation)
{
    struct error err;
    catalogue_clear(&engine->catalogue);
    doors_clear(&engine->doors);
    indexes_cache_clear(&engine->indexes);
    model_cache_clear(&engine->models);
    engine->index_due = true;
    engine->pending_due = PENDING_ALL;
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
    if (store_rejoin(engine->store, &err) != ST_OK) return; /* The next beat tries it again. */
    store_set_generation(engine->store, 0);                 /* Our knowledge of the configuration is older. */
    log_node(LOG_WARN, "others have taken this node for dead; it has joined again", old);
    metric_add(&engine->metrics->nodes_rejoined, 1);
    jobs_forget(&engine->jobs);
    offers_expect(engine);
    cache_clear(&engine->cache);
    routings_close(engine);
    routings_number(engine);
    nodes_hear_of_all(engine);
    engine->nodes.last_beat_ms = 0;
    engine->nodes.heir_of = 0;
}

/* The log tells when the database goes away and when it is back, not how often we ask. */
static void note_database(struct engine *engine, enum status status, const struct error *why)
{
    bool was_cut_off = metric_get(&engine->metrics->node_cut_off);
    if (status == ST_OK && was_cut_off) log_write(LOG_INFO, "the database answers again", NULL);
    if (status != ST_OK && !was_cut_off)
        log_write(LOG_WARN, "the database does not take the beat of this node", "reason", why->message, NULL);
    metric_add(status == ST_OK ? &engine->metrics->beats : &engine->metrics->beats_failed, 1);
    metric_set(&engine->metrics->node_cut_off, status != ST_OK);
}

static bool beat(struct engine *engine)
{
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation, began_us = clock_monotonic_us();
    struct error err;
    enum status status = store_beat(engine->store, row, &count, &generation, &err);
    if (status == ST_NOT_FOUND) {
        rejoin(engine);
        status = store_beat(engine->store, row, &count, &generation, &err);
    }
    bool was_cut_off = metric_get(&engine->metrics->node_cut_off);
    note_database(engine, status, &err);
    engine->broken |= store_broken(engine->store);
    if (engine->broken) engine->failure = err;
    if (status != ST_OK) return false;
    metric_observe(&engine->metrics->beat_took, clock_monotonic_us() - began_us);
    metric_set(&engine->metrics->node_beat_at, (uint64_t)engine->turn.now_ms / 1000);
    bool led = nodes_lead(engine);
    observe(engine, row, count, was_cut_off);
    /* The marks of schedules are those of our start: another node has moved them since. */
    if (!led && nodes_lead(engine)) engine->schedules.stale = true;
    if (generation != store_generation(engine->store)) forget_configuration(engine, generation);
    return true;
}

/* ---- the interface ---- */

enum status nodes_open(struct engine *engine, struct error *err)
{
    struct nodes *nodes = &engine->nodes;
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation;
    nodes->shared = store_is_shared(engine->store);
    nodes->count = 1;
    engine->jobs.tells = nodes->shared;
    metric_set(&engine->metrics->node_leads, !nodes->shared);
    if (!nodes->shared) return ST_OK;
    enum status status = store_beat(engine->store, row, &count, &generation, err);
    if (status == ST_NOT_FOUND) { /* It took us long to get here. */
        TRY(store_rejoin(engine->store, err));
        status = store_beat(engine->store, row, &count, &generation, err);
    }
    TRY(status);
    store_set_generation(engine->store, generation);
    observe(engine, row, count, false);
    if (nodes_have_others(engine)) store_wake_others(engine->store); /* One that was alone is not any more. */
    return ST_OK;
}

void nodes_close(struct engine *engine)
{
    free(engine->nodes.heard);
    engine->nodes.heard = NULL;
}

void nodes_go_on(struct engine *engine)
{
    struct nodes *nodes = &engine->nodes;
    struct error err;
    size_t ended;
    if (!nodes->shared || engine->broken) return;
    offers_go_on(engine);
    if (!engine_is_due(engine, nodes->next_beat_ms, BEAT_MS)) return;
    nodes->next_beat_ms = engine->turn.now_ms + BEAT_MS;
    if (!beat(engine)) return;
    bury_silent(engine);
    if (nodes_have_others(engine)) {
        nodes_hear(engine);
        offers_spill(engine);
        leases_tell(engine);
    }
    offers_send(engine);
    offers_expect(engine);
    if (engine->secrets_unread) read_secrets_again(engine);
    if (!nodes_lead(engine)) return;
    look_at_all(engine);
    /* If our clock is ahead, the worker still has the job. The node that has handed it out gives it back in
     * time. This is for leases that it does not know, because another node has prolonged or shortened them.
     */
    if (store_end_leases(engine->store, engine->turn.now_ms - CLOCKS_DIFFER_MS, &ended, &err) != ST_OK)
        return;
    if (take_over(engine, &err) != ST_OK)
        log_write(LOG_WARN, "the work of a dead node waits", "reason", err.message, NULL);
    arena_reset(&engine->turn.arena);
}

void nodes_look(struct engine *engine)
{
    if (engine->nodes.shared && !engine->broken) beat(engine);
}
