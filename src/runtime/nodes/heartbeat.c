/* runtime/nodes/heartbeat.c — heartbeats, and judges by the heartbeats of the other nodes which of them live.
 *
 * takeover.c at the top of the runtime does what follows from a heartbeat: it reads a changed configuration
 * again and takes over the work of dead nodes.
 */
#include "runtime/nodes/nodes_int.h"

#include "base/clock.h"
#include "base/log.h"
#include "runtime/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    DEAD_MS = 1500,   /* A node without a heartbeat for so long is dead … */
    LOOKS_MIN = 4,    /* … if we have looked so often, and in any case after SILENT_LOOKS_MAX. */
    RETURN_MS = 3000, /* A node that has lost its database tries to connect once a second. */
};

void nodes_log(enum log_level level, const char *what, int64_t node)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRId64, node);
    log_write(level, what, "#node", number, NULL);
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

/* Notes a node that was alive at the last heartbeat and is dead or gone now. */
static void compare(struct engine *engine, const struct node_row *row, size_t count)
{
    for (size_t i = 0; i < engine->nodes.seen_count; i++) {
        const struct seen_node *seen = &engine->nodes.seen[i];
        size_t k = 0;
        while (k < count && row[k].id != seen->id) k++;
        if (seen->dead || (k < count && !row[k].dead)) continue;
        note_gone(engine, seen->id);
        nodes_log(LOG_INFO, "a node has gone", seen->id);
    }
}

/* The first look finds the nodes that were there before this one. */
static void tell_joined(struct engine *engine, const struct node_row *row, size_t count)
{
    for (size_t i = 0; i < count && engine->nodes.seen_count; i++)
        if (!row[i].dead && !find_seen(&engine->nodes, row[i].id))
            nodes_log(LOG_INFO, "a node has joined", row[i].id);
}

/* True if the look counts: it is not right behind another one.
 *
 * If we have not looked for long, we stood still, and perhaps the others did: they may heartbeat before we
 * judge. But their time does not begin anew. A node that often has long turns would never fence anybody.
 *
 * If the database was away, it was so for all of them, and each connects in its own time. That is a time and
 * not a number of looks: a node that is gone may keep the others' turns long, by its locks. */
static bool count_look(struct nodes *nodes, int64_t now_ms, bool was_cut_off)
{
    bool back = now_ms < nodes->last_heartbeat_ms, stood_still = now_ms - nodes->last_heartbeat_ms >= DEAD_MS;
    if (was_cut_off || back) nodes->return_ms = was_cut_off ? now_ms + RETURN_MS : 0;
    if (!back && now_ms - nodes->looked_ms < HEARTBEAT_MS) return false;
    nodes->looked_ms = now_ms;
    if (back || stood_still) nodes->looks_left = LOOKS_MIN - 1;
    else nodes->looks_left -= nodes->looks_left > 0;
    return true;
}

/* Takes the rows of a heartbeat. `was_cut_off`: the one before has failed. */
static void observe(struct engine *engine, const struct node_row *row, size_t count, bool was_cut_off)
{
    must(count <= NODES_MAX && !engine->turn.in_transaction);
    struct nodes *nodes = &engine->nodes;
    struct seen_node next[NODES_MAX];
    int64_t now_ms = engine->turn.now_ms;
    bool counts = count_look(nodes, now_ms, was_cut_off);
    for (size_t i = 0; i < count; i++) {
        const struct seen_node *seen = find_seen(nodes, row[i].id);
        bool same = seen && seen->heartbeats == row[i].heartbeats && seen->changed_ms <= now_ms;
        next[i] = (struct seen_node){ .id = row[i].id,
                                      .heartbeats = row[i].heartbeats,
                                      .changed_ms = same ? seen->changed_ms : now_ms,
                                      .looks = same ? seen->looks + counts : 1,
                                      .dead = row[i].dead };
    }
    tell_joined(engine, row, count);
    compare(engine, row, count);
    memcpy(nodes->seen, next, count * sizeof next[0]);
    nodes->seen_count = count;
    nodes->last_heartbeat_ms = now_ms;
    nodes->rank = nodes->count = 0;
    for (size_t i = 0; i < count; i++) {
        bool self = next[i].id == store_node(engine->store);
        if (!self && !lives_still(nodes, &next[i], now_ms)) continue;
        nodes->rank += next[i].id < store_node(engine->store);
        nodes->count++;
    }
    nodes->leads = nodes->rank == 0;
    if (nodes->leads != (metric_get(&engine->metrics->node_leads) > 0))
        metric_add(&engine->metrics->configurations, 1);
    metric_set(&engine->metrics->node_leads, nodes->leads);
    engine->memory.live.telling = nodes->count > 1;
    engine->memory.timers.part = nodes->rank;
    engine->memory.timers.parts = nodes->count ? nodes->count : 1;
}

void nodes_fence_silent(struct engine *engine)
{
    struct nodes *nodes = &engine->nodes;
    struct error err;
    for (size_t i = 0; i < nodes->seen_count; i++) {
        struct seen_node *node = &nodes->seen[i];
        if (node->dead || node->id == store_node(engine->store) ||
            lives_still(nodes, node, engine->turn.now_ms))
            continue;
        if (store_fence_node(engine->store, node->id, &err) != ST_OK)
            continue; /* The next heartbeat tries again. */
        node->dead = true;
        note_gone(engine, node->id);
        metric_add(&engine->metrics->nodes_fenced, 1);
        nodes_log(LOG_WARN, "a node has stopped; its work is taken over", node->id);
    }
}

/* ---- heartbeats ---- */

/* The log tells when the database goes away and when it is back, not how often we ask. */
static void note_database(struct engine *engine, enum status status, const struct error *why)
{
    bool was_cut_off = metric_get(&engine->metrics->node_cut_off);
    if (status == ST_OK && was_cut_off) log_write(LOG_INFO, "the database answers again", NULL);
    if (status != ST_OK && !was_cut_off)
        log_write(LOG_WARN, "the database does not take the heartbeat of this node", "reason", why->message,
                  NULL);
    metric_add(status == ST_OK ? &engine->metrics->heartbeats : &engine->metrics->heartbeats_failed, 1);
    metric_set(&engine->metrics->node_cut_off, status != ST_OK);
}

bool nodes_heartbeat(struct engine *engine, void (*rejoin)(struct engine *), int64_t *ret_generation)
{
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t began_us = clock_monotonic_us();
    struct error err;
    enum status status = store_heartbeat(engine->store, row, &count, ret_generation, &err);
    if (status == ST_NOT_FOUND) {
        rejoin(engine);
        status = store_heartbeat(engine->store, row, &count, ret_generation, &err);
    }
    bool was_cut_off = metric_get(&engine->metrics->node_cut_off);
    note_database(engine, status, &err);
    engine->broken |= store_broken(engine->store);
    if (engine->broken) engine->failure = err;
    if (status != ST_OK) return false;
    metric_observe(&engine->metrics->heartbeat_took, clock_monotonic_us() - began_us);
    metric_set(&engine->metrics->node_heartbeat_at, (uint64_t)engine->turn.now_ms / 1000);
    bool led = engine->nodes.leads;
    observe(engine, row, count, was_cut_off);
    /* The marks of schedules are those of our start: another node has moved them since. */
    if (!led && engine->nodes.leads) engine->memory.schedules.stale = true;
    return true;
}

enum status nodes_open(struct engine *engine, struct error *err)
{
    struct nodes *nodes = &engine->nodes;
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation;
    bool shared = store_is_shared(engine->store);
    engine->memory.jobs.tells = engine->memory.timers.shared = nodes->shared = shared;
    nodes->count = 1;
    nodes->leads = !shared;
    metric_set(&engine->metrics->node_leads, nodes->leads);
    if (!shared) {
        nodes->next_heartbeat_ms = INT64_MAX;
        return ST_OK;
    }
    enum status status = store_heartbeat(engine->store, row, &count, &generation, err);
    if (status == ST_NOT_FOUND) { /* It took us long to get here. */
        TRY(store_rejoin(engine->store, err));
        status = store_heartbeat(engine->store, row, &count, &generation, err);
    }
    TRY(status);
    store_set_generation(engine->store, generation);
    observe(engine, row, count, false);
    nodes_wake_others(engine, STORE_WAKE_JOBS); /* One that was alone is not any more. */
    return ST_OK;
}
