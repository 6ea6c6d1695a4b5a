#include "server.h"

#include "access.h"
#include "access/directory/directory.h"
#include "checker.h"
#include "faulty_store.h"
#include "network.h"
#include "store/nodes.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLEEP_MS_MAX = 1000, /* As runtime.c: a jump of the clock must not go unnoticed. */
    SPINS_MAX = 3000,    /* Turns in a row, a millisecond apart, that nobody asked for. */
};

static void open_server(struct world *world, void *subject);

static int64_t read_clock(void *context) { return world_wall_ms(context); }

static void leave(struct world *world, struct copy *copy)
{
    struct copy *last = world->inside.item[--world->inside.count];
    world->inside.item[copy->place] = last;
    last->place = copy->place;
}

static size_t count_inside(const struct world *world, const struct server *server)
{
    size_t count = 0;
    for (size_t i = 0; i < world->inside.count; i++) count += world->inside.item[i]->server == server;
    return count;
}

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

static void look_soon(struct world *world, struct server *server)
{
    if (server->turn_ms == INT64_MAX) server->turn_ms = world->now_ms + world_below(world, 6);
}

/* Another node has offered jobs, or changed access. */
static void hear_node(void *context, enum store_wake why)
{
    struct server *server = context;
    if (world_fault(server->world, server->world->profile.deaf)) return;
    engine_wake(&server->engine, why);
    look_soon(server->world, server);
}

static bool any_is_up(const struct world *world)
{
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->node[i]->up) return true;
    return false;
}

/* The engine's handle on what survives. Of several nodes each has its own. */
static void open_inner(struct world *world, struct server *server)
{
    server->inner = world->durable;
    if (world_is_shared(world)) {
        must(store_join_memory(world->durable, &server->inner, NULL) == ST_OK);
        *list_push(&world->arena, &world->joined) = store_node(server->inner);
    }
    server->store = faulty_store_open(world, server->inner);
    server->generation = ++world->generation;
    server->fenced = false;
}

/* A node that was killed does not leave. */
static void close_inner(struct world *world, struct server *server, bool leaves)
{
    faulty_store_close(server->store);
    if (!world_is_shared(world)) return;
    if (leaves) store_close(server->inner);
    else store_vanish_memory(server->inner);
}

/* The key file outlives every process, and all nodes have the same one. */
static void make_key_folder(struct world *world)
{
    if (!world->profile.secrets || world->entities) return;
    snprintf(world->key_folder, sizeof world->key_folder, "%s/pawl-sim-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(world->key_folder));
    snprintf(world->key_path, sizeof world->key_path, "%s/key", world->key_folder);
}

static const char *next_key_path(struct world *world)
{
    return arena_printf(&world->arena, "%s.next%c", world->key_path, '\0').p;
}

static void remove_key_folder(struct world *world)
{
    if (!world->key_folder[0]) return;
    unlink(world->key_path);
    unlink(next_key_path(world));
    rmdir(world->key_folder);
}

bool server_age_next_key(struct world *world)
{
    const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->node[i]->in_turn) return false;
    return utimensat(AT_FDCWD, next_key_path(world), long_ago, 0) == 0;
}

/* The parts of a process that the engine borrows. */
static void free_parts(struct server *server)
{
    vault_free(server->vault);
    server->vault = NULL;
    directory_free(server->directory);
    server->directory = NULL;
}

static enum status open_engine(struct world *world, struct server *server, struct error *err)
{
    struct clock clock = { read_clock, world };
    TRY(engine_open(&server->engine, server->store, clock, &server->limits,
                    (struct retention){ world->profile.retention_ms, world->profile.retention_failed_ms },
                    &server->metrics, err));
    enum status status = ST_OK;
    if (world->key_folder[0]) {
        server->vault = vault_new(world->key_path);
        status = vault_read_key(server->vault, err);
        if (status == ST_OK) status = engine_use_vault(&server->engine, server->vault, err);
    }
    if (status == ST_OK && world->access) {
        server->directory = directory_new(&(struct directory_config){ .root_secret = STR("root") });
        status = engine_use_directory(&server->engine, server->directory, err);
    }
    if (status == ST_OK) status = query_open(&server->query, server->engine.store, &server->limits, err);
    server->query.vault = server->vault;
    server->query.directory = server->directory;
    server->query.touched = server->engine.access.touched;
    server->query.clock = clock;
    if (status == ST_OK) return ST_OK;
    engine_close(&server->engine);
    free_parts(server);
    return status;
}

static void open_server(struct world *world, void *subject)
{
    struct server *server = world->server = subject;
    if (server->up) return;
    struct error err = { 0 };
    /* The clocks of nodes agree. */
    if (!any_is_up(world)) world->skew_ms = world->machine_skew_ms;
    open_inner(world, server);
    enum status status = open_engine(world, server, &err);
    trace(world, "server: opens, generation %u, %s", server->generation, status_word(status));
    if (status == ST_OK) {
        server->up = true;
        server->opened_ms = world->now_ms;
        server->turn_ms = INT64_MAX;
        if (world_is_shared(world)) {
            trace(world, "server: node %u is %" PRId64, server->place, store_node(server->inner));
            must(store_listen(server->inner, hear_node, server, NULL) == ST_OK);
        }
        sleep_until_due(world);
        return;
    }
    close_inner(world, server, false);
    if (!status_retry(status)) violated(world, "the engine cannot recover: %s", err.message);
    world_after(world, world_between(world, 10, 500), open_server, server);
}

/* The record by which maintenance and checks of the store find the tenant. */
static enum status put_tenant(struct world *world, struct error *err)
{
    const char key[] = { 0, 0, 0, (char)world->tenant };
    const struct record_row row = { .kind = RECORD_TENANT_NUMBER, .key = { key, sizeof key } };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    if (world->tenant == TENANT_DEFAULT) return ST_OK;
    TRY(store_begin(world->durable, err));
    TRY(store_apply(world->durable, &changeset, err));
    return store_commit(world->durable, err);
}

static void open_durable(struct world *world)
{
    struct store_config config = { .path = world->path, .create = true };
    struct error err = { 0 };
    enum status status =
        world->path ? store_open(&config, &world->durable, &err) : store_open_memory(&world->durable, &err);
    if (status == ST_OK) status = put_tenant(world, &err);
    if (status == ST_OK) return;
    fprintf(stderr, "%s\n", err.message);
    abort();
}

static void lose_requests(struct world *world, const struct server *server)
{
    for (size_t i = world->inside.count; i-- > 0;) {
        struct copy *copy = world->inside.item[i];
        if (copy->server != server) continue;
        leave(world, copy);
        network_lost(world, copy);
    }
}

/* Everything in memory goes, and everybody who waited for an answer waits in vain. */
static void shut(struct world *world, bool leaves)
{
    struct server *server = world->server;
    server->inbox = server->query_inbox = (struct call_list){ 0 };
    faulty_store_kill(server->store);
    /* What waits inside the engine must be taken out before it can be closed; nobody hears it. */
    engine_drain(&server->engine);
    engine_turn(&server->engine, &(struct call_list){ 0 });
    query_close(&server->query);
    engine_close(&server->engine);
    free_parts(server);
    close_inner(world, server, leaves);
    if (world->path) {
        store_close(world->durable);
        open_durable(world);
    }
    lose_requests(world, server);
    server->up = server->in_turn = false;
    server->turn_ms = server->wake_ms = INT64_MAX;
}

static void crash(struct world *world)
{
    struct server *server = world->server;
    world->crash_count++;
    trace(world, "server: gone, with %zu requests in it", count_inside(world, server));
    shut(world, false);
    int64_t down_ms = world_below(world, 4) ? world_between(world, 1, 300) : world_between(world, 300, 8000);
    world_after(world, down_ms, open_server, server);
}

static void stop_broken(struct world *world, void *subject)
{
    world->server = subject;
    if (world->server->up && world->server->engine.broken && !world->server->in_turn) crash(world);
}

static void begin_node(struct world *world, uint32_t place)
{
    struct server *server = world->node[place] = arena_make(&world->arena, struct server);
    server->world = world;
    server->place = place;
    server->limits = limits_default();
    server->limits.cache_bytes_max = world->profile.cache_bytes_max;
    server->limits.programs_bytes_max = world->profile.programs_bytes_max;
    server->limits.visits_max = world->profile.visits_max;
    server->limits.turn_fuel_max = world->profile.turn_fuel_max;
    server->limits.bulk_turn_max = world->profile.bulk_turn_max;
    /* Nobody takes events out of an instance that never waits: the world must be able to go on sending. */
    server->limits.mailbox_events_max = 100000;
    server->turn_ms = server->wake_ms = INT64_MAX;
    server->paused_ms = -1;
}

void server_begin(struct world *world)
{
    open_durable(world);
    make_key_folder(world);
    for (uint32_t i = 0; i < world->node_count; i++) begin_node(world, i);
    for (uint32_t i = 0; i < world->node_count; i++) open_server(world, world->node[i]);
    world->server = world->node[0];
}

void server_end(struct world *world)
{
    for (uint32_t i = 0; i < world->node_count; i++) {
        world->server = world->node[i];
        if (world->server->up) shut(world, false);
    }
    store_close(world->durable);
    remove_key_folder(world);
}

void server_clock_jumped(struct world *world)
{
    if (!any_is_up(world)) return;
    /* As clock_steady() does it. */
    if (world->machine_skew_ms > world->skew_ms) world->skew_ms = world->machine_skew_ms;
    for (uint32_t i = 0; i < world->node_count; i++) {
        world->server = world->node[i];
        if (world->server->up && !world->server->in_turn) sleep_until_due(world);
    }
}

void server_calm(struct world *world)
{
    for (uint32_t i = 0; i < world->node_count; i++) stop_broken(world, world->node[i]);
}

/* ---- among others ---- */

bool server_lives(const struct world *world, uint32_t generation)
{
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->node[i]->generation == generation) return world->node[i]->up && !world->node[i]->fenced;
    return false;
}

bool server_all_up(const struct world *world)
{
    for (uint32_t i = 0; i < world->node_count; i++)
        if (!world->node[i]->up) return false;
    return true;
}

bool server_is_known(const struct world *world, int64_t node)
{
    for (size_t i = 0; i < world->joined.count; i++)
        if (world->joined.item[i] == node) return true;
    return false;
}

void server_forgotten(struct world *world, int64_t node)
{
    trace(world, "server: %" PRId64 " is forgotten", node);
    for (size_t i = world->joined.count; i-- > 0;)
        if (world->joined.item[i] == node) list_cut(&world->joined, i);
}

void server_fenced(struct world *world, int64_t node)
{
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->node[i]->up && store_node(world->node[i]->inner) == node) world->node[i]->fenced = true;
    world->fenced_ms = world->now_ms;
    trace(world, "server: %" PRId64 " is fenced", node);
}

void server_rejoined(struct world *world)
{
    struct server *server = world->server;
    server->rejoined_ms = world->now_ms;
    server->generation = ++world->generation;
    server->fenced = false;
    *list_push(&world->arena, &world->joined) = store_node(server->inner);
    trace(world, "server: node %u is %" PRId64, server->place, store_node(server->inner));
}

void server_pause(struct world *world)
{
    struct server *server = world->server;
    int64_t ms = world_below(world, 2) ? world_between(world, 50, 900) : world_between(world, 1000, 6000);
    trace(world, "server: node %u stops for %" PRId64 " ms", server->place, ms);
    world_pass(world, ms);
    world->server = server;
    server->paused_ms = world->now_ms;
    trace(world, "server: node %u goes on", server->place);
}

/* ---- requests ---- */

static void answer(struct world *world, struct call *call)
{
    struct copy *copy = call->user;
    leave(world, copy);
    checker_answered(world, copy);
    network_answered(world, copy);
}

static void answer_query(struct world *world, struct server *server, struct call *call)
{
    struct copy *copy = call->user;
    if (copy->at_gate) {
        copy->at_gate = false;
        gate_arrive(world, copy);
    } else if (queries_call(&server->query, call)) {
        call_list_add(&server->inbox, call);
        look_soon(world, server);
    } else if (call != copy->call) {
        gate_answered(world, copy, call);
    } else {
        answer(world, call);
    }
}

static void run_query(struct world *world, void *subject)
{
    struct server *server = subject;
    if (server->in_turn && world->server != server) { /* It is stopped. */
        world_after(world, world_between(world, 10, 200), run_query, server);
        return;
    }
    world->server = server;
    server->query_busy = false;
    struct call *call = call_list_take(&server->query_inbox);
    if (!call) return;
    answer_query(world, server, call);
    if (server->query_inbox.count) {
        server->query_busy = true;
        world_after(world, world_below(world, 3), run_query, server);
    }
}

static void to_query(struct world *world, struct server *server, struct call *call)
{
    ((struct copy *)call->user)->in_query = true;
    call_list_add(&server->query_inbox, call);
    if (server->query_busy) return;
    server->query_busy = true;
    world_after(world, world_below(world, 3), run_query, server);
}

void server_ask(struct world *world, struct copy *copy, struct call *call)
{
    to_query(world, copy->server, call);
}

void server_answer(struct world *world, struct call *call) { answer(world, call); }

void server_let_in(struct world *world, struct copy *copy)
{
    copy->in_query = false;
    if (call_description(copy->call->kind)->on_engine) {
        call_list_add(&copy->server->inbox, copy->call);
        look_soon(world, copy->server);
    } else {
        to_query(world, copy->server, copy->call);
    }
}

bool server_arrive(struct world *world, struct copy *copy)
{
    struct server *server = copy->request->node_for;
    if (!server) server = world->node[world_is_shared(world) ? world_below(world, world->node_count) : 0];
    if (!server->up) return false;
    copy->server = server;
    copy->place = world->inside.count;
    *list_push(&world->arena, &world->inside) = copy;
    copy->arrived_ms = world->now_ms;
    if (!copy->request->first_arrived_ms) copy->request->first_arrived_ms = world->now_ms;
    copy->at_gate = copy->request->visit != NULL;
    if (copy->at_gate) to_query(world, server, copy->call);
    else server_let_in(world, copy);
    return true;
}

/* ---- turns ---- */

int64_t server_due_ms(const struct server *server)
{
    return server->turn_ms < server->wake_ms ? server->turn_ms : server->wake_ms;
}

struct server *server_next(const struct world *world)
{
    struct server *next = NULL;
    for (uint32_t i = 0; i < world->node_count; i++) {
        struct server *server = world->node[i];
        if (server->in_turn || server_due_ms(server) == INT64_MAX) continue;
        if (!next || server_due_ms(server) < server_due_ms(next)) next = server;
    }
    return next;
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
        to_query(world, server, call);
    while (!world->failed && server->engine.answered.first)
        answer(world, call_list_take(&server->engine.answered));
    server->engine.answered = (struct call_list){ 0 };
    return true;
}

/* False if the process did not survive it. */
static bool take_turn(struct world *world)
{
    struct server *server = world->server;
    struct call_list calls = server->inbox;
    server->inbox = (struct call_list){ 0 };
    server->turn_ms = INT64_MAX;
    server->turn_began_ms = world->now_ms;
    server->turn_wall_ms = world_wall_ms(world);
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

static bool turn(struct world *world)
{
    struct server *server = world->server;
    server->in_turn = true;
    bool survived = take_turn(world);
    server->in_turn = false;
    return survived;
}

/* As on SIGTERM: what is inside is finished, what waits is answered at once. */
static void stop_politely(struct world *world)
{
    struct server *server = world->server;
    trace(world, "server: stops, with %zu requests in it", count_inside(world, server));
    engine_drain(&server->engine);
    do {
        while (server->query_inbox.count) run_query(world, server);
        if (!turn(world)) return;
    } while ((server->query_inbox.count || server->inbox.count) && !world->failed);
    if (world->failed) return;
    for (size_t i = 0; i < world->inside.count; i++)
        if (world->inside.item[i]->server == server)
            violated(world, "op %u is not answered by a server that stops",
                     world->inside.item[i]->request->op);
    shut(world, true);
    world_after(world, world_between(world, 10, 2000), open_server, server);
}

void server_turn(struct world *world, struct server *server)
{
    world->server = server;
    if (!turn(world)) return;
    sleep_until_due(world);
    if (server->engine.broken) world_after(world, world_between(world, 0, 200), stop_broken, server);
    else if (world_fault(world, world->profile.kill)) crash(world);
    else if (world_fault(world, world->profile.stop)) stop_politely(world);
}
