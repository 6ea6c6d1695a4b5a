#include "server.h"

#include "checker.h"
#include "faulty_store.h"
#include "network.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SLEEP_MS_MAX = 1000, /* As runtime.c: a jump of the clock must not go unnoticed. */
    SPINS_MAX = 3000,    /* Turns in a row, a millisecond apart, that nobody asked for. */
};

static void open_server(struct world *world, void *subject);

static int64_t read_clock(void *context) { return world_wall_ms(context); }

/* ---- life and death ---- */

static void sleep_until_due(struct world *world)
{
    struct server *server = world->server;
    int64_t next_ms = engine_next_ms(&server->engine), wall_ms = world_wall_ms(world);
    int64_t delay_ms = next_ms <= wall_ms                 ? 1
                       : next_ms - wall_ms < SLEEP_MS_MAX ? next_ms - wall_ms
                                                          : SLEEP_MS_MAX;
    server->spin_count = delay_ms == 1 ? server->spin_count + 1 : 0;
    if (server->spin_count > (world_has_small_turns(world) ? 10 : 1) * SPINS_MAX)
        violated(world, "the engine spins");
    server->wake_ms = world->now_ms + delay_ms;
}

static void open_server(struct world *world, void *subject)
{
    (void)subject;
    struct server *server = world->server;
    if (server->up) return;
    struct error err = { 0 };
    struct clock clock = { read_clock, world };
    server->store = faulty_store_open(world, server->durable);
    server->generation++;
    world->skew_ms = world->machine_skew_ms;
    enum status status =
        engine_open(&server->engine, server->store, clock, &server->limits,
                    (struct retention){ world->profile.retention_ms, world->profile.retention_failed_ms },
                    &server->metrics, &err);
    if (status == ST_OK) {
        status = query_open(&server->query, server->engine.store, &server->limits, &err);
        if (status != ST_OK) engine_close(&server->engine);
    }
    trace(world, "server: opens, generation %u, %s", server->generation, status_word(status));
    if (status == ST_OK) {
        server->up = true;
        server->turn_ms = INT64_MAX;
        sleep_until_due(world);
        return;
    }
    faulty_store_close(server->store);
    if (status != ST_STORE && status != ST_FULL)
        violated(world, "the engine cannot recover: %s", err.message);
    world_after(world, world_between(world, 10, 500), open_server, NULL);
}

static void open_durable(struct world *world)
{
    struct store_config config = { .path = world->path, .create = true };
    struct error err = { 0 };
    enum status status = world->path ? store_open(&config, &world->server->durable, &err)
                                     : store_open_memory(&world->server->durable, &err);
    if (status == ST_OK) return;
    fprintf(stderr, "%s\n", err.message);
    abort();
}

/* Everything in memory goes, and everybody who waited for an answer waits in vain. */
static void shut(struct world *world)
{
    struct server *server = world->server;
    server->inbox = server->query_inbox = (struct call_list){ 0 };
    faulty_store_kill(server->store);
    /* What waits inside the engine must be taken out before it can be closed; nobody hears it. */
    engine_drain(&server->engine);
    engine_turn(&server->engine, &(struct call_list){ 0 });
    query_close(&server->query);
    engine_close(&server->engine);
    faulty_store_close(server->store);
    if (world->path) {
        store_close(server->durable);
        open_durable(world);
    }
    while (server->inside.count) network_lost(world, server->inside.item[--server->inside.count]);
    server->up = false;
    server->turn_ms = server->wake_ms = INT64_MAX;
}

static void crash(struct world *world)
{
    struct server *server = world->server;
    server->crash_count++;
    trace(world, "server: gone, with %zu requests in it", server->inside.count);
    shut(world);
    int64_t down_ms = world_below(world, 4) ? world_between(world, 1, 300) : world_between(world, 300, 8000);
    world_after(world, down_ms, open_server, NULL);
}

static void stop_broken(struct world *world, void *subject)
{
    (void)subject;
    if (world->server->up && world->server->engine.broken) crash(world);
}

void server_begin(struct world *world)
{
    struct server *server = world->server = arena_make(&world->arena, struct server);
    server->limits = limits_default();
    server->limits.cache_bytes_max = world->profile.cache_bytes_max;
    server->limits.programs_bytes_max = world->profile.programs_bytes_max;
    server->limits.visits_max = world->profile.visits_max;
    server->limits.turn_fuel_max = world->profile.turn_fuel_max;
    server->limits.bulk_turn_max = world->profile.bulk_turn_max;
    /* Nobody takes events out of an instance that never waits: the world must be able to go on sending. */
    server->limits.mailbox_events_max = 100000;
    server->turn_ms = server->wake_ms = INT64_MAX;
    open_durable(world);
    open_server(world, NULL);
}

void server_end(struct world *world)
{
    struct server *server = world->server;
    if (server->up) shut(world);
    store_close(server->durable);
}

void server_clock_jumped(struct world *world)
{
    if (!world->server->up) return;
    /* As clock_steady() does it. */
    if (world->machine_skew_ms > world->skew_ms) world->skew_ms = world->machine_skew_ms;
    sleep_until_due(world);
}

void server_calm(struct world *world)
{
    struct server *server = world->server;
    if (server->up && server->engine.broken) crash(world);
}

/* ---- requests ---- */

static void leave(struct world *world, struct copy *copy)
{
    struct server *server = world->server;
    struct copy *last = server->inside.item[--server->inside.count];
    server->inside.item[copy->place] = last;
    last->place = copy->place;
}

static void answer(struct world *world, struct call *call)
{
    struct copy *copy = call->user;
    leave(world, copy);
    checker_answered(world, copy);
    network_answered(world, copy);
}

static void look_soon(struct world *world)
{
    struct server *server = world->server;
    if (server->turn_ms == INT64_MAX) server->turn_ms = world->now_ms + world_below(world, 6);
}

static void run_query(struct world *world, void *subject)
{
    (void)subject;
    struct server *server = world->server;
    server->query_busy = false;
    struct call *call = call_list_take(&server->query_inbox);
    if (!call) return;
    if (query_call(&server->query, call)) {
        call_list_add(&server->inbox, call);
        look_soon(world);
    } else {
        answer(world, call);
    }
    if (server->query_inbox.count) {
        server->query_busy = true;
        world_after(world, world_below(world, 3), run_query, NULL);
    }
}

static void to_query(struct world *world, struct call *call)
{
    struct server *server = world->server;
    ((struct copy *)call->user)->in_query = true;
    call_list_add(&server->query_inbox, call);
    if (server->query_busy) return;
    server->query_busy = true;
    world_after(world, world_below(world, 3), run_query, NULL);
}

bool server_arrive(struct world *world, struct copy *copy)
{
    struct server *server = world->server;
    if (!server->up) return false;
    copy->place = server->inside.count;
    *list_push(&world->arena, &server->inside) = copy;
    copy->arrived_ms = world->now_ms;
    if (!copy->request->first_arrived_ms) copy->request->first_arrived_ms = world->now_ms;
    if (call_description(copy->call->kind)->on_engine) {
        call_list_add(&server->inbox, copy->call);
        look_soon(world);
    } else {
        to_query(world, copy->call);
    }
    return true;
}

/* ---- turns ---- */

int64_t server_due_ms(const struct world *world)
{
    const struct server *server = world->server;
    return server->turn_ms < server->wake_ms ? server->turn_ms : server->wake_ms;
}

/* Passes on what the engine has to say so far. False if the process did not live to do so. */
static bool hand_out(struct world *world)
{
    struct server *server = world->server;
    if (faulty_store_killed(server->store)) {
        crash(world);
        return false;
    }
    for (struct call *call; (call = call_list_take(&server->engine.for_query)) != NULL;)
        to_query(world, call);
    while (!world->failed && server->engine.answered.first)
        answer(world, call_list_take(&server->engine.answered));
    server->engine.answered = (struct call_list){ 0 };
    return true;
}

/* False if the process did not survive it. */
static bool turn(struct world *world)
{
    struct server *server = world->server;
    struct call_list calls = server->inbox;
    server->inbox = (struct call_list){ 0 };
    server->turn_ms = INT64_MAX;
    for (struct call *call = calls.first; call; call = call->next_) checker_before(world, call->user);
    if (calls.count) trace(world, "engine: a turn with %zu calls", calls.count);
    engine_accept(&server->engine, &calls);
    if (!hand_out(world)) return false;
    engine_commit(&server->engine);
    if (!hand_out(world)) return false;
    engine_maintain(&server->engine);
    if (!hand_out(world)) return false;
    if (!world->failed) checker_turned(world);
    return true;
}

/* As on SIGTERM: what is inside is finished, what waits is answered at once. */
static void stop_politely(struct world *world)
{
    struct server *server = world->server;
    trace(world, "server: stops, with %zu requests in it", server->inside.count);
    engine_drain(&server->engine);
    do {
        while (server->query_inbox.count) run_query(world, NULL);
        if (!turn(world)) return;
    } while ((server->query_inbox.count || server->inbox.count) && !world->failed);
    if (world->failed) return;
    if (server->inside.count)
        violated(world, "op %u is not answered by a server that stops", server->inside.item[0]->request->op);
    shut(world);
    world_after(world, world_between(world, 10, 2000), open_server, NULL);
}

void server_turn(struct world *world)
{
    struct server *server = world->server;
    if (!turn(world)) return;
    sleep_until_due(world);
    if (server->engine.broken) world_after(world, world_between(world, 0, 200), stop_broken, NULL);
    else if (world_fault(world, world->profile.kill)) crash(world);
    else if (world_fault(world, world->profile.stop)) stop_politely(world);
}
