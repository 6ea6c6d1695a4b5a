#include "world.h"

#include "access.h"
#include "actors.h"
#include "checker.h"
#include "network.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CALM_MS_MAX = 4 * 3600 * 1000, /* How long things may take to finish. */
    CALM_LOOK_MS = 5000,
    EVENTS_MAX = 400000, /* A run that goes on for ever is a failure, too. */
};

void list_room(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes)
{
    if (count < *cap) return;
    *cap = *cap ? *cap * 2 : 8;
    void *old, *more = arena_alloc(arena, *cap * bytes);
    memcpy(&old, items, sizeof old);
    if (count) memcpy(more, old, count * bytes);
    memcpy(items, &more, sizeof more);
}

/* ---- chance: splitmix64 ---- */

uint64_t world_random(struct world *world)
{
    uint64_t z = world->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint32_t world_below(struct world *world, uint32_t n) { return n ? (uint32_t)(world_random(world) % n) : 0; }

int64_t world_between(struct world *world, int64_t low, int64_t high)
{
    return low + (int64_t)(world_random(world) % (uint64_t)(high - low + 1));
}

bool world_chance(struct world *world, uint32_t chance)
{
    return chance && world_below(world, 10000) < chance;
}

bool world_fault(struct world *world, uint32_t chance) { return !world->calm && world_chance(world, chance); }

/* ---- events ---- */

static bool before(const struct event *a, const struct event *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

void world_after(struct world *world, int64_t delay_ms, event_fn *run, void *subject)
{
    struct event event = { world->now_ms + delay_ms, world->event_order++, run, subject };
    if (world->heap_count == world->heap_cap) {
        world->heap_cap = world->heap_cap ? world->heap_cap * 2 : 256;
        world->heap = realloc(world->heap, world->heap_cap * sizeof event);
        must(world->heap);
    }
    size_t i = world->heap_count++;
    for (; i && before(&event, &world->heap[(i - 1) / 2]); i = (i - 1) / 2)
        world->heap[i] = world->heap[(i - 1) / 2];
    world->heap[i] = event;
}

static struct event take_event(struct world *world)
{
    struct event first = world->heap[0], last = world->heap[--world->heap_count];
    size_t i = 0;
    for (size_t child = 1; child < world->heap_count; child = 2 * i + 1) {
        if (child + 1 < world->heap_count && before(&world->heap[child + 1], &world->heap[child])) child++;
        if (!before(&world->heap[child], &last)) break;
        world->heap[i] = world->heap[child];
        i = child;
    }
    world->heap[i] = last;
    return first;
}

/* ---- the clock's jumps ---- */

static void maybe_jump(struct world *world, void *subject)
{
    (void)subject;
    if (world->calm) return;
    if (world_fault(world, world->profile.jump)) {
        int64_t jump_ms = world_between(world, -world->profile.jump_ms_max, world->profile.jump_ms_max);
        world->machine_skew_ms += jump_ms;
        trace(world, "clock: jumps by %lld ms", (long long)jump_ms);
        server_clock_jumped(world);
    }
    world_after(world, 1000, maybe_jump, NULL);
}

/* ---- the two parts of a run ---- */

static void become_calm(struct world *world, void *subject)
{
    (void)subject;
    world->calm = true;
    world->calm_ms = world->now_ms;
    trace(world, "the faults stop");
    server_calm(world);
    actors_calm(world);
}

/* One event, or a turn of an engine if that is due earlier. False: neither is due by then. */
static bool next_event(struct world *world, int64_t until_ms)
{
    struct server *server = server_next(world);
    int64_t engine_ms = server ? server_due_ms(server) : INT64_MAX;
    bool engine_first = server && (!world->heap_count || engine_ms <= world->heap[0].at_ms);
    int64_t next_ms = engine_first ? engine_ms : world->heap_count ? world->heap[0].at_ms : INT64_MAX;
    if (next_ms > until_ms) return false;
    if (++world->event_count > EVENTS_MAX * world->node_count * 2) violated(world, "the run does not end");
    if (next_ms > world->now_ms) world->now_ms = next_ms;
    if (engine_first) {
        server_turn(world, server);
        return true;
    }
    must(world->heap_count);
    struct event event = take_event(world);
    event.run(world, event.subject);
    return true;
}

void world_pass(struct world *world, int64_t ms)
{
    int64_t until_ms = world->now_ms + ms;
    while (!world->failed && next_event(world, until_ms)) continue;
    if (world->now_ms < until_ms) world->now_ms = until_ms;
}

static void run(struct world *world)
{
    int64_t look_ms = 0;
    while (!world->failed) {
        must(next_event(world, INT64_MAX));
        if (!world->calm || world->now_ms < look_ms) continue;
        if (access_actors_done(world) && checker_all_done(world)) break;
        if (world->now_ms > world->calm_ms + CALM_MS_MAX) checker_not_done(world);
        look_ms = world->now_ms + CALM_LOOK_MS;
    }
    if (!world->failed) checker_end(world);
}

/* Root is an admin of all tenants, whom no change of access ends. */
static struct principal *make_root(void)
{
    static const struct grant grant = { .role = ROLE_ADMIN, .tenant = TENANT_ANY };
    struct principal *root = principal_new(PRINCIPAL_KEY);
    root->name = STR("root");
    root->id = STR("key:root");
    root->home = TENANT_DEFAULT;
    root->grant = &grant;
    root->grant_count = 1;
    root->generation = GENERATION_ALWAYS;
    return root;
}

void world_run(uint64_t seed, const struct run_options *options, struct run_result *ret_result)
{
    enum dialects dialects = options->dialects;
    struct world *world = calloc(1, sizeof *world);
    must(world);
    enum { TENANT_ONE_IN = 4, TENANT_OF_RUN = 7 };
    world->seed = seed;
    /* With access the tenants have records, and numbers of their own. */
    world->access = options->access;
    world->tenant = seed / 8 % TENANT_ONE_IN == 1 && !world->access ? TENANT_OF_RUN : TENANT_DEFAULT;
    world->random = seed * UINT64_C(0x2545F4914F6CDD1D) + 1;
    world->dialects = dialects;
    world->verbose = options->verbose;
    world->path = options->path;
    world->machine_skew_ms = INT64_C(1767225600000); /* 2026-01-01T00:00:00Z */
    arena_init(&world->arena, 0);
    enum { ENTITIES_ONE_IN = 8 };
    world->entities =
        dialects == DIALECTS_ENTITY || (dialects == DIALECTS_ANY && seed % ENTITIES_ONE_IN == 5);
    profile_draw(world);
    world->node_count = 1;
    if (options->nodes > 1) nodes_draw(world, options->nodes);
    world->root = make_root();
    checker_begin(world);
    checker_access_begin(world);
    network_begin(world);
    server_begin(world);
    actors_begin(world);
    access_actors_begin(world);
    world_after(world, world->profile.fault_ms, become_calm, NULL);
    if (world->profile.jump) world_after(world, 1000, maybe_jump, NULL);
    run(world);

    *ret_result = (struct run_result){ .failed = world->failed,
                                       .trace_hash = world->trace_hash,
                                       .trace_lines = world->trace_lines };
    memcpy(ret_result->failure, world->failure, sizeof ret_result->failure);
    checker_count(world, ret_result);
    server_end(world);
    network_end(world);
    checker_done(world);
    principal_unref(world->root);
    free(world->heap);
    arena_done(&world->arena);
    free(world);
}
