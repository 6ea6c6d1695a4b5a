/* store/postgres/nodes.c — nodes: joining, heartbeats, fences; what memory knows and the commit compares.
 *
 * A node lives as long as it has a row in `node_turn`, which each of its transactions changes. A node that
 * fences it removes that row, and waits for a transaction that has changed it already. So nothing of a fenced
 * node commits later. `node` has the heartbeats, and whether the node is dead; its row goes when all that it
 * had is taken over.
 *
 * Joining is durable, because a number must not be given again. Nothing else here is, except by the durable
 * commits that follow it in the log: one that rests on a fence makes the fence durable, too.
 */
#include "store/postgres/nodes_int.h"

#include "base/clock.h"

#include <poll.h>

static enum status run_for(struct postgres_store *store, enum postgres_sql sql, int64_t node,
                           struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, node);
    TRY(postgres_ask_again(&store->side, sql, &params, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* ---- joining and leaving ---- */

/* Others find our sessions by their name when they fence us: a process that hangs must not keep its locks.
 * The next connection has it from the start. */
static enum status name_session(struct postgres_db *db, int64_t node, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    db->node = node;
    postgres_add_number(&params, node);
    TRY(postgres_ask_again(db, SQL_NODE_NAME, &params, &result, err));
    libpq.clear(result);
    return ST_OK;
}

static enum status take_lock(struct postgres_store *store, enum postgres_sql lock, bool *ret_taken,
                             struct error *err)
{
    PGresult *result;
    TRY(postgres_ask_again(&store->db, lock, NULL, &result, err));
    *ret_taken = postgres_number(result, 0, 0) != 0;
    libpq.clear(result);
    return ST_OK;
}

/* Nodes share the lock, which whoever copies the store has alone. The next connection takes it, too. */
static enum status lock_against_copies(struct postgres_store *store, struct error *err)
{
    bool taken;
    TRY(take_lock(store, SQL_NODE_LOCK, &taken, err));
    return taken ? ST_OK : postgres_fail_locked(err);
}

/* Before we are a node, so that engines that run do not even see us. */
static enum status lock_alone(struct postgres_store *store, struct error *err)
{
    int64_t until_us = clock_monotonic_us() + POSTGRES_LOCK_MS * INT64_C(1000);
    bool taken;
    must(store->db.alone && !store->node);
    for (;;) {
        TRY(take_lock(store, SQL_NODE_LOCK_ALONE, &taken, err));
        if (taken) return ST_OK;
        if (clock_monotonic_us() > until_us)
            return fail(err, ST_CONFLICT, "store", "another process is using the store in this database");
        poll(NULL, 0, POSTGRES_LOCK_PAUSE_MS);
    }
}

static enum status take_number(struct postgres_store *store, int64_t *ret_node, int64_t *ret_generation,
                               bool *ret_alike, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, NODES_MAX);
    TRY(postgres_ask_again(&store->db, SQL_NODE_JOIN, &params, &result, err));
    *ret_node = postgres_number(result, 0, 0);
    *ret_generation = postgres_number(result, 0, 1);
    *ret_alike = postgres_number(result, 0, 2);
    libpq.clear(result);
    return ST_OK;
}

/* The numbers of nodes that live differ modulo NODES_MAX (store/nodes.h). `alike`: this one does not, from
 * that of a node that has lived for long. */
static enum status take_free_number(struct postgres_store *store, int64_t *ret_node, int64_t *ret_generation,
                                    struct error *err)
{
    bool alike;
    TRY(take_number(store, ret_node, ret_generation, &alike, err));
    for (int tries = 1; alike && tries < NODES_MAX; tries++) {
        TRY(run_for(store, SQL_NODE_FENCE, *ret_node, err));
        TRY(take_number(store, ret_node, ret_generation, &alike, err));
    }
    return ST_OK;
}

static enum status enter(struct postgres_store *store, int64_t node, struct error *err)
{
    TRY(name_session(&store->db, node, err));
    TRY(name_session(&store->side, node, err));
    TRY(lock_against_copies(store, err));
    return postgres_begin_news(store, node, err);
}

static void leave_as(struct postgres_store *store, int64_t node)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    struct error err;
    postgres_add_number(&params, node);
    if (postgres_ask(&store->db, SQL_NODE_FENCE, &params, &result, &err) == ST_OK) libpq.clear(result);
}

/* We have the new number when everything is done, and none of it before. If a node that was fenced heartbeat
 * under a number that it has only half taken, it would never learn that its jobs are those of others by now.
 * The remains of such a number never heartbeat, and are fenced. */
static enum status join(struct postgres_store *store, int64_t *ret_generation, struct error *err)
{
    int64_t node = 0, generation;
    enum status status = take_free_number(store, &node, &generation, err);
    if (status == ST_OK) status = enter(store, node, err);
    if (status != ST_OK) {
        store->db.node = store->side.node = store->node;
        if (node && store->db.conn) leave_as(store, node);
        return status;
    }
    store->node = node;
    atomic_store(&store->node_of_sessions, node);
    store->turn = store->marked = store->epoch = store->lost_claim = 0;
    if (store->node_messages) postgres_node_messages_rename(store->node_messages, node);
    *ret_generation = generation;
    return ST_OK;
}

/* Nodes without a session are dead, as a rule: the engine that was killed before we were started. One that is
 * about to connect again is told that it is fenced, and joins again. */
static enum status fence_absent(struct postgres_store *store, struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(&store->side, SQL_NODES_ABSENT, NULL, &result, err));
    enum status status = ST_OK;
    for (int i = 0; i < libpq.ntuples(result) && status == ST_OK; i++)
        status = run_for(store, SQL_NODE_FENCE, postgres_number(result, i, 0), err);
    libpq.clear(result);
    return status == ST_AGAIN ? ST_OK : status;
}

/* Memory knows nothing yet: whatever it reads is of this generation, or a newer one. */
enum status postgres_join(struct postgres_store *store, struct error *err)
{
    if (store->db.alone) TRY(lock_alone(store, err));
    TRY(join(store, &store->generation, err));
    return fence_absent(store, err);
}

enum status postgres_rejoin(struct store *base, struct error *err)
{
    int64_t newest; /* Memory may be older. */
    return join(postgres_self(base), &newest, err);
}

/* The others take over at once, or whoever joins next does. */
void postgres_leave(struct postgres_store *store)
{
    if (store->node) leave_as(store, store->node);
}

/* ---- heartbeats and fences ---- */

static enum status fail_fenced(struct error *err)
{
    return fail(err, ST_NOT_FOUND, "node", "the other nodes have taken this one for dead");
}

/* The server went back in time: an asynchronous standby took its place, a backup was restored, or it does not
 * wait for its disk. Our last state is not there any more, and nothing of ours would ever be written
 * again. */
enum status postgres_fail_forgotten(struct postgres_store *store, struct error *err)
{
    store->base.broken = true;
    return fail(err, ST_STORE, "store",
                "the database has lost transactions that it had committed: it was replaced by a standby that "
                "was behind, restored from a backup, or does not wait for its disk");
}

static enum status heartbeat(struct postgres_store *store, struct node_row ret_row[NODES_MAX],
                             size_t *ret_count, int64_t *ret_generation, bool *ret_forgotten,
                             struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, store->node);
    postgres_add_number(&params, NODES_MAX);
    TRY(postgres_ask_again(&store->side, SQL_NODE_HEARTBEAT, &params, &result, err));
    int count = libpq.ntuples(result);
    bool lives = count && postgres_number(result, 0, 4);
    for (int i = 0; i < count; i++)
        ret_row[i] = (struct node_row){ .id = postgres_number(result, i, 0),
                                        .heartbeats = postgres_number(result, i, 1),
                                        .dead = postgres_number(result, i, 2) };
    *ret_forgotten = lives && postgres_number(result, 0, 5) < store->turn;
    if (lives) *ret_generation = postgres_number(result, 0, 3);
    *ret_count = (size_t)count;
    libpq.clear(result);
    return lives ? ST_OK : fail_fenced(err);
}

enum status postgres_heartbeat(struct store *base, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                               int64_t *ret_generation, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    bool forgotten;
    TRY(postgres_news_purge(store, err));
    TRY(heartbeat(store, ret_row, ret_count, ret_generation, &forgotten, err));
    if (forgotten) { /* Or the heartbeat went to a server that another one has replaced. */
        postgres_disconnect(&store->side);
        TRY(heartbeat(store, ret_row, ret_count, ret_generation, &forgotten, err));
    }
    if (forgotten) return postgres_fail_forgotten(store, err);
    postgres_note_heartbeat(store);
    return ST_OK;
}

/* Its sessions end, too: a process that is stopped, or cut off, must not keep locks. We may lack the right to
 * end them; then the server finds out by itself, later. */
enum status postgres_fence_node(struct store *base, int64_t node, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct error ignored;
    enum status status = run_for(store, SQL_NODE_FENCE, node, err);
    if (status == ST_OK || status == ST_AGAIN) run_for(store, SQL_NODE_SESSIONS, node, &ignored);
    return status;
}

enum status postgres_forget_node(struct store *base, int64_t node, struct error *err)
{
    return run_for(postgres_self(base), SQL_NODE_FORGET, node, err);
}

/* ---- what memory knows ---- */

void postgres_set_generation(struct store *base, int64_t generation)
{
    postgres_self(base)->generation = generation;
}

/* The transaction's own changes are compared in memory: their rows may not be sent yet, and the update
 * compares the revision before. */
enum status postgres_expect(struct store *base, uint64_t instance, uint32_t revision, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    const struct postgres_pending *pending = map_get(&store->instances, instance);
    if (pending && pending->row.id && pending->row.revision != revision)
        return fail(err, ST_AGAIN, "instance", "the transaction has changed it");
    if (pending) return ST_OK;
    struct postgres_set *set = &store->set[SQL_EXPECT];
    set->rows++;
    postgres_array_number(&set->column[0], (int64_t)instance);
    postgres_array_number(&set->column[1], revision);
    return ST_OK;
}

/* ---- taking over ---- */

enum status postgres_held_ids(struct store *base, int64_t node, uint64_t after, size_t max,
                              struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, node);
    postgres_add_id(&params, after);
    postgres_add_count(&params, max);
    TRY(postgres_ask_again(&postgres_self(base)->side, SQL_HELD_IDS, &params, &result, err));
    size_t count = (size_t)libpq.ntuples(result);
    uint64_t *id = arena_make_n(arena, uint64_t, count);
    for (size_t i = 0; i < count; i++) id[i] = postgres_id(result, (int)i, 0);
    libpq.clear(result);
    *ret_id = id;
    *ret_count = count;
    return ST_OK;
}

enum status postgres_nodes_load_instances(struct store *base, const uint64_t *id, size_t count,
                                          struct arena *arena, struct instance_row **ret_row,
                                          size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct postgres_array ids = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    bool ahead = postgres_reads_ahead(store);
    for (size_t i = 0; i < count; i++) postgres_array_number(&ids, (int64_t)id[i]);
    for (size_t i = 0; i < count && ahead; i++) ahead = !map_get(&store->instances, id[i]);
    postgres_add_array(&params, &ids, 'I');
    postgres_add_number(&params, LOADED_BYTES_MAX);
    enum status status = ahead ? postgres_ask(&store->db, SQL_INSTANCES, &params, &result, err)
                               : postgres_query(store, SQL_INSTANCES, &params, &result, err);
    postgres_array_done(&ids);
    TRY(status);
    size_t found = (size_t)libpq.ntuples(result);
    struct instance_row *row = arena_make_n(arena, struct instance_row, found);
    for (size_t i = 0; status == ST_OK && i < found; i++)
        status = postgres_instance_row(result, (int)i, true, arena, &row[i], err);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = found;
    return status;
}
