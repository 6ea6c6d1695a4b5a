/* store/memory/nodes.c — several nodes on the rows of one memory store, for tests and the simulation.
 *
 * Each node has a handle. A transaction sees all that is committed when it begins, and commits if nobody has
 * committed anything since. So what can be out of date is what the caller knows from before: revisions, the
 * generation, and whether its node lives.
 */
#include "store/memory/memory_int.h"

#include "base/must.h"

#include <stdlib.h>

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

/* ---- nodes ---- */

static const struct node_ops memory_node_ops;

/* Has a node that lives a number like this one? See nodes.h. */
static bool is_alike(const struct memory_common *common, int64_t number)
{
    for (size_t i = 0; i < common->node_count && common->node_count < NODES_MAX; i++)
        if (!common->node[i].dead && (common->node[i].id - number) % NODES_MAX == 0) return true;
    return false;
}

void memory_join(struct memory_store *store)
{
    struct memory_common *common = store->common;
    array_reserve(common->node, common->node_count, common->node_cap);
    do store->node = ++common->last_node;
    while (is_alike(common, store->node));
    common->node[common->node_count++] = (struct node_row){ .id = store->node };
    store->generation = common->generation;
    store->heard = common->told;
    store->base.nodes = &memory_node_ops;
    store->base.settles_commits = true; /* It never fails for another reason than the fence. */
}

void memory_leave(struct memory_store *store)
{
    struct node_row *row = memory_find_node(store->common, store->node);
    if (row) row->dead = true;
}

static int64_t node_of(const struct store *store) { return ((const struct memory_store *)store)->node; }

/* In the order of their numbers. Living nodes come first if there are more than can be told. */
static size_t list_nodes(const struct memory_common *common, struct node_row ret_row[NODES_MAX])
{
    size_t count = 0, alive = 0;
    for (size_t i = 0; i < common->node_count; i++) alive += !common->node[i].dead;
    size_t dead_left = alive < NODES_MAX ? NODES_MAX - alive : 0;
    for (size_t i = 0; i < common->node_count && count < NODES_MAX; i++) {
        if (common->node[i].dead && !dead_left) continue;
        dead_left -= common->node[i].dead;
        ret_row[count++] = common->node[i];
    }
    return count;
}

static enum status heartbeat(struct store *base, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                             int64_t *ret_generation, struct error *err)
{
    struct memory_store *store = self(base);
    struct memory_common *common = store->common;
    memory_lock(store);
    bool lives = memory_node_lives(store);
    if (lives) memory_find_node(common, store->node)->heartbeats++;
    *ret_count = list_nodes(common, ret_row);
    *ret_generation = common->generation;
    memory_unlock(store);
    return lives ? ST_OK : fail(err, ST_NOT_FOUND, "node", "the node is fenced");
}

static enum status rejoin(struct store *base, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    memory_leave(store);
    memory_join(store);
    memory_unlock(store);
    return ST_OK;
}

static enum status fence(struct store *base, int64_t node, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    struct node_row *row = memory_find_node(store->common, node);
    if (row) row->dead = true;
    memory_unlock(store);
    return ST_OK;
}

static enum status forget_node(struct store *base, int64_t node, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_common *common = store->common;
    memory_lock(store);
    size_t kept = 0;
    for (size_t i = 0; i < common->node_count; i++)
        if (common->node[i].id != node) common->node[kept++] = common->node[i];
    common->node_count = kept;
    memory_unlock(store);
    return ST_OK;
}

void memory_take_block(struct memory_store *store, uint64_t instance, int64_t definition,
                       struct store_numbers *numbers)
{
    enum { BLOCK = 16 };
    struct memory_common *common = store->common;
    if (common->instance_taken < instance) common->instance_taken = instance;
    if (common->definition_taken < definition) common->definition_taken = definition;
    if (numbers->instance == numbers->instance_end) {
        numbers->instance = common->instance_taken + 1;
        common->instance_taken += BLOCK;
        numbers->instance_end = common->instance_taken + 1;
    }
    if (numbers->definition == numbers->definition_end) {
        numbers->definition = ++common->definition_taken;
        numbers->definition_end = numbers->definition + 1;
    }
}

/* ---- what a transaction rests on ---- */

static void set_generation(struct store *base, int64_t generation) { self(base)->generation = generation; }

static int64_t generation_of(const struct store *base)
{
    return ((const struct memory_store *)base)->generation;
}

static enum status expect(struct store *base, uint64_t instance, uint32_t revision, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_instance *there = memory_find_instance(&store->working, instance, &store->scratch);
    if (!there || there->revision != revision) store->stale = true;
    memory_unlock(store);
    return ST_OK;
}

enum status memory_fence(const struct memory_store *store, struct error *err)
{
    const struct memory_common *common = store->common;
    if (common->changes != store->began_at)
        return fail(err, ST_AGAIN, "store", "another node has committed meanwhile");
    if (!store->node) return ST_OK;
    if (!memory_node_lives(store)) return fail(err, ST_AGAIN, "store", "the node is fenced");
    if (common->generation != store->generation)
        return fail(err, ST_AGAIN, "store", "another node has changed the configuration");
    if (store->stale) return fail(err, ST_AGAIN, "store", "another node has changed the instance");
    return ST_OK;
}

/* ---- news ---- */

static enum status news_write(struct store *base, str text, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    array_reserve_in(&store->telling, store->told, store->told_count, store->told_cap);
    store->told[store->told_count++] = arena_str(&store->telling, text);
    return ST_OK;
}

static void add_news(struct memory_common *common, int64_t node, str text)
{
    if (!common->news) common->news = calloc(NEWS_KEPT_MAX, sizeof *common->news);
    must(common->news);
    struct memory_news *news = &common->news[common->told++ % NEWS_KEPT_MAX];
    free(news->text);
    *news = (struct memory_news){ node, malloc(text.n + 1), text.n };
    must(news->text);
    if (text.n) memcpy(news->text, text.p, text.n);
}

void memory_publish(struct memory_store *store)
{
    struct memory_common *common = store->common;
    if (store->configures) store->generation = ++common->generation;
    for (size_t i = 0; i < store->told_count; i++) add_news(common, store->node, store->told[i]);
}

void memory_drop_news(struct memory_common *common)
{
    for (size_t i = 0; common->news && i < NEWS_KEPT_MAX; i++) free(common->news[i].text);
    free(common->news);
}

static enum status news_read(struct store *base, struct arena *arena, str **ret_text, size_t *ret_count,
                             bool *ret_lost, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_common *common = store->common;
    str *text = NULL;
    size_t count = 0, cap = 0, bytes = 0;
    memory_lock(store);
    bool lost = common->told - store->heard > NEWS_KEPT_MAX;
    if (lost) store->heard = common->told - NEWS_KEPT_MAX;
    for (; store->heard < common->told && bytes < HEARD_BYTES_MAX; store->heard++) {
        const struct memory_news *news = &common->news[store->heard % NEWS_KEPT_MAX];
        if (news->node == store->node) continue;
        array_reserve_in(arena, text, count, cap);
        text[count++] = arena_str(arena, (str){ news->text, news->bytes });
        bytes += news->bytes;
    }
    memory_unlock(store);
    *ret_text = text;
    *ret_count = count;
    *ret_lost = lost;
    return ST_OK;
}

/* ---- what a dead node held ---- */

static enum status held_ids(struct store *base, int64_t node, uint64_t after, size_t max, struct arena *arena,
                            uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_state *state = memory_current(store);
    struct memory_found found;
    uint64_t *id = NULL;
    size_t count = 0, cap = 0;
    for (str key = memory_key_of_id(&store->scratch, after);
         count < max && memory_tree_after(&state->table[TABLE_INSTANCE_JOBS], key, &found); key = found.key) {
        uint64_t instance = memory_key_last_id(found.key);
        if (memory_find_instance(state, instance, &store->scratch)->row.holder != node) continue;
        array_reserve_in(arena, id, count, cap);
        id[count++] = instance;
    }
    memory_unlock(store);
    *ret_id = id;
    *ret_count = count;
    return ST_OK;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static enum status load_instances(struct store *base, const uint64_t *id, size_t count, struct arena *arena,
                                  struct instance_row **ret_row, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct instance_row *row = arena_make_n(arena, struct instance_row, count);
    size_t found = 0, bytes = 0;
    memory_lock(store);
    uint64_t *sorted = arena_make_n(&store->scratch, uint64_t, count);
    if (count) memcpy(sorted, id, count * sizeof *id);
    qsort(sorted, count, sizeof *id, compare_ids);
    const struct memory_state *state = memory_current(store);
    for (size_t i = 0; i < count; i++) {
        const struct memory_cell *cell =
            memory_tree_get(&state->table[TABLE_INSTANCE], memory_key_of_id(&store->scratch, sorted[i]));
        if (!cell || (i && sorted[i] == sorted[i - 1])) continue;
        memory_fill_listed(state, cell, bytes < LOADED_BYTES_MAX, &store->scratch, arena, &row[found]);
        bytes += row[found++].state.n;
    }
    memory_unlock(store);
    *ret_row = row;
    *ret_count = found;
    return ST_OK;
}

/* ---- waking each other ---- */

static void wake_others(struct store *base, enum store_wake why)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    for (struct memory_store *other = store->common->handle; other; other = other->next_handle)
        if (other != store && other->hears) other->hears(other->hears_context, why);
    memory_unlock(store);
}

static enum status listen(struct store *base, store_heard_fn *heard, void *context, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    memory_lock(store);
    store->hears = heard;
    store->hears_context = context;
    memory_unlock(store);
    return ST_OK;
}

static const struct node_ops memory_node_ops = {
    .node = node_of,
    .heartbeat = heartbeat,
    .rejoin = rejoin,
    .fence = fence,
    .forget_node = forget_node,
    .set_generation = set_generation,
    .generation = generation_of,
    .offered = memory_offered,
    .expect = expect,
    .next_history = memory_next_history,
    .find_job = memory_jobs_find,
    .claim_jobs = memory_claim_jobs,
    .claimed_jobs = memory_claimed_jobs,
    .offer_jobs = memory_offer_jobs,
    .drop_jobs = memory_drop_jobs,
    .jobs_of = memory_jobs_of,
    .extend_job = memory_extend_job,
    .note_leases = memory_note_leases,
    .end_leases = memory_end_leases,
    .free_claims = memory_free_claims,
    .held_ids = held_ids,
    .load_instances = load_instances,
    .offer_new = memory_offer_new,
    .news_write = news_write,
    .news_read = news_read,
    .wake_others = wake_others,
    .listen = listen,
};
