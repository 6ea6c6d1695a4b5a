/* store/memory/jobs.c — rows of jobs in a memory store, and what its nodes do with them. Changes of a node
 * outside of a transaction change the committed rows at once.
 */
#include "store/memory/memory_int.h"

#include "base/must.h"

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

/* ---- rows ---- */

/* Jobs of the highest priority come first. */
static str key_of_offered(struct arena *arena, const struct job_row *row)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_text(&key, row->queue);
    memory_key_add_number(&key, -(int64_t)row->priority);
    memory_key_add_number(&key, row->available_ms);
    memory_key_add_id(&key, row->instance);
    memory_key_add_id(&key, row->number);
    return memory_key_str(&key);
}

/* The key in JOB is the end of the one in JOB_OFFERED. */
static str key_of_job(str offered) { return str_slice(offered, offered.n - 2 * sizeof(uint64_t), offered.n); }

/* Borrowed; NULL if there is none. */
static const struct job_row *find_job(const struct memory_state *state, uint64_t instance, uint32_t number,
                                      struct arena *scratch)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_JOB], memory_key_of_pair(scratch, instance, number));
    return cell ? memory_row_of(cell) : NULL;
}

void memory_remove_job(struct memory_state *state, uint64_t instance, uint32_t number, struct arena *scratch)
{
    const struct job_row *row = find_job(state, instance, number, scratch);
    if (!row) return;
    if (!row->claimed) memory_tree_remove(&state->table[TABLE_JOB_OFFERED], key_of_offered(scratch, row));
    memory_tree_remove(&state->table[TABLE_JOB], memory_key_of_pair(scratch, instance, number));
}

/* Adds the row or replaces it. */
static void put_job(struct memory_state *state, const struct job_row *row, struct arena *scratch)
{
    struct memory_cell *cell = memory_row_pack(&memory_row_job, row);
    memory_remove_job(state, row->instance, row->number, scratch);
    row = memory_row_of(cell);
    if (!row->claimed) memory_tree_put(&state->table[TABLE_JOB_OFFERED], key_of_offered(scratch, row), NULL);
    memory_tree_put(&state->table[TABLE_JOB], memory_key_of_pair(scratch, row->instance, row->number), cell);
}

static void put_offered(struct memory_state *state, const struct job_row *row, struct arena *scratch)
{
    struct job_row offered = *row;
    offered.claimed = offered.lease_ms = offered.locked_ms = offered.until_ms = 0;
    offered.worker = STR_NONE;
    put_job(state, &offered, scratch);
}

/* Offers a job that a node had. */
static void offer_again(struct memory_state *state, const struct job_row *row, struct arena *scratch)
{
    struct job_row offered = *row;
    offered.delivery++;
    put_offered(state, &offered, scratch);
}

void memory_apply_jobs(struct memory_store *store, const struct changeset *change)
{
    for (size_t i = 0; i < change->job_remove_count; i++)
        memory_remove_job(&store->working, change->job_remove[i].instance, change->job_remove[i].number,
                          &store->scratch);
    for (size_t i = 0; i < change->job_add_count; i++)
        put_job(&store->working, &change->job_add[i], &store->scratch);
}

enum status memory_jobs_find(struct store *base, uint64_t instance, uint32_t number, struct arena *arena,
                             struct job_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_cell *cell = memory_tree_get(&memory_current(store)->table[TABLE_JOB],
                                                     memory_key_of_pair(&store->scratch, instance, number));
    if (cell) memory_row_unpack(&memory_row_job, cell, arena, ret_row);
    memory_unlock(store);
    return cell ? ST_OK : fail(err, ST_NOT_FOUND, "job", "the job has no row");
}

enum status memory_jobs_of(struct store *base, const uint64_t *instance, size_t count, struct arena *arena,
                           struct job_row **ret_row, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_found found;
    size_t cap = 0;
    memory_lock(store);
    const struct memory_tree *table = &memory_current(store)->table[TABLE_JOB];
    for (size_t i = 0; i < count; i++)
        for (str after = memory_key_of_pair(&store->scratch, instance[i], 0);
             memory_tree_after(table, after, &found); after = found.key) {
            if (((const struct job_row *)memory_row_of(found.cell))->instance != instance[i]) break;
            array_reserve_in(arena, *ret_row, *ret_count, cap);
            memory_row_unpack(&memory_row_job, found.cell, arena, &(*ret_row)[(*ret_count)++]);
        }
    memory_unlock(store);
    return ST_OK;
}

/* Rows of a queue come one behind the other. */
enum status memory_offered(struct store *base, size_t counted_max, size_t max, struct arena *arena,
                           struct offered_queue **ret_queue, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct offered_queue *queue = arena_make_n(arena, struct offered_queue, max);
    struct memory_found found;
    size_t count = 0;
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    for (str after = STR_NONE; memory_tree_after(&state->table[TABLE_JOB_OFFERED], after, &found);) {
        after = arena_str(&store->scratch, found.key);
        const struct job_row *row =
            memory_row_of(memory_tree_get(&state->table[TABLE_JOB], key_of_job(after)));
        bool same = count && str_equal(queue[count - 1].queue, row->queue);
        if (!same && count == max) break;
        if (!same)
            queue[count++] = (struct offered_queue){ arena_str(arena, row->queue), 0, row->available_ms };
        struct offered_queue *last = &queue[count - 1];
        last->count += last->count < counted_max;
        if (row->available_ms < last->oldest_ms) last->oldest_ms = row->available_ms;
    }
    memory_unlock(store);
    *ret_queue = queue;
    *ret_count = count;
    return ST_OK;
}

/* ---- changes outside of a transaction ---- */

static struct memory_state *begin_change(struct memory_store *store)
{
    memory_lock(store);
    store->common->changes++;
    return &store->common->committed;
}

struct claimed {
    struct job_row *row;
    struct instance_row *instance;
    size_t count, row_cap, instance_cap;
    size_t bytes; /* The bytes of states. */
};

/* Is it the first job of its instance, and is there room for the state? */
static bool comes_with_state(const struct claimed *claimed, uint64_t instance)
{
    if (claimed->bytes >= CLAIMED_BYTES_MAX) return false;
    for (size_t i = 0; i < claimed->count; i++)
        if (claimed->row[i].instance == instance) return false;
    return true;
}

static void add_claimed(struct memory_store *store, const struct job_row *row, const struct memory_cell *cell,
                        struct arena *arena, struct claimed *claimed)
{
    size_t count = claimed->count;
    array_reserve_in(arena, claimed->row, count, claimed->row_cap);
    array_reserve_in(arena, claimed->instance, count, claimed->instance_cap);
    claimed->row[count] = *row;
    claimed->row[count].queue = arena_str(arena, row->queue);
    memory_fill_listed(&store->common->committed, cell, comes_with_state(claimed, row->instance),
                       &store->scratch, arena, &claimed->instance[count]);
    claimed->bytes += claimed->instance[count].state.n;
    claimed->count++;
}

static void claim_queue(struct memory_store *store, const struct job_claim *claim, int64_t now_ms,
                        struct arena *arena, struct claimed *claimed)
{
    struct memory_state *state = &store->common->committed;
    struct arena *scratch = &store->scratch;
    struct memory_key queue = memory_key(scratch);
    memory_key_add_text(&queue, claim->queue);
    str prefix = memory_key_str(&queue);
    struct memory_found found;
    size_t left = claim->max;
    for (str after = prefix; left && memory_tree_after(&state->table[TABLE_JOB_OFFERED], after, &found) &&
                             str_starts(found.key, prefix);) {
        after = arena_str(scratch, found.key);
        struct job_row row;
        const struct memory_cell *cell = memory_tree_get(&state->table[TABLE_JOB], key_of_job(after));
        must(cell);
        memory_row_unpack(&memory_row_job, cell, scratch, &row);
        if (row.available_ms > now_ms) continue;
        const struct memory_cell *instance =
            memory_tree_get(&state->table[TABLE_INSTANCE], memory_key_of_id(scratch, row.instance));
        if (!instance) {
            memory_remove_job(state, row.instance, row.number, scratch);
            continue;
        }
        row.claimed = store->node;
        row.lease_ms = 0;
        put_job(state, &row, scratch);
        add_claimed(store, &row, instance, arena, claimed);
        left--;
    }
}

enum status memory_claim_jobs(struct store *base, const struct job_claim *claim, size_t claim_count,
                              int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                              struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    struct memory_store *store = self(base);
    struct claimed claimed = { .count = 0 };
    begin_change(store);
    bool lives = memory_node_lives(store);
    for (size_t i = 0; lives && i < claim_count; i++) claim_queue(store, &claim[i], now_ms, arena, &claimed);
    memory_unlock(store);
    if (!lives) return fail(err, ST_AGAIN, "store", "the node is fenced");
    *ret_row = claimed.row;
    *ret_instance = claimed.instance;
    *ret_count = claimed.count;
    return ST_OK;
}

enum status memory_claimed_jobs(struct store *base, const struct job_row *after, size_t max,
                                struct arena *arena, struct job_row **ret_row,
                                struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct claimed claimed = { .count = 0 };
    struct memory_found found;
    memory_lock(store);
    const struct memory_state *state = &store->common->committed;
    for (str key = memory_key_of_pair(&store->scratch, after->instance, after->number);
         claimed.count < max && memory_tree_after(&state->table[TABLE_JOB], key, &found); key = found.key) {
        const struct job_row *row = memory_row_of(found.cell);
        const struct memory_cell *instance =
            memory_tree_get(&state->table[TABLE_INSTANCE], memory_key_of_id(&store->scratch, row->instance));
        if (instance && row->claimed == store->node) add_claimed(store, row, instance, arena, &claimed);
    }
    memory_unlock(store);
    *ret_row = claimed.row;
    *ret_instance = claimed.instance;
    *ret_count = claimed.count;
    return ST_OK;
}

enum status memory_offer_jobs(struct store *base, const struct job_row *row, size_t count, int64_t now_ms,
                              struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_state *state = begin_change(store);
    for (size_t i = 0; i < count; i++) {
        const struct job_row *there = find_job(state, row[i].instance, row[i].number, &store->scratch);
        if (!there || (there->claimed == store->node && there->lease_ms <= now_ms))
            put_offered(state, &row[i], &store->scratch);
    }
    memory_unlock(store);
    return ST_OK;
}

enum status memory_drop_jobs(struct store *base, const struct job_row *row, size_t count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_state *state = begin_change(store);
    for (size_t i = 0; i < count; i++) {
        const struct job_row *there = find_job(state, row[i].instance, row[i].number, &store->scratch);
        if (there && there->claimed == row[i].claimed && there->delivery == row[i].delivery)
            memory_remove_job(state, row[i].instance, row[i].number, &store->scratch);
    }
    memory_unlock(store);
    return ST_OK;
}

enum status memory_extend_job(struct store *base, const struct job_row *row, bool *ret_done,
                              struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_state *state = begin_change(store);
    const struct job_row *there = find_job(state, row->instance, row->number, &store->scratch);
    bool done = !there || (there->claimed && there->delivery == row->delivery);
    struct job_row prolonged = there ? *there : *row;
    prolonged.lease_ms = prolonged.until_ms = row->lease_ms;
    prolonged.worker = row->worker;
    if (!prolonged.locked_ms) prolonged.locked_ms = row->locked_ms;
    if (done) put_job(state, &prolonged, &store->scratch);
    memory_unlock(store);
    *ret_done = done;
    return ST_OK;
}

static bool holds(struct memory_store *store, uint64_t instance)
{
    const struct memory_instance *found =
        memory_find_instance(&store->common->committed, instance, &store->scratch);
    return found && found->row.holder == store->node;
}

enum status memory_note_leases(struct store *base, const struct job_row *row, size_t count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_state *state = begin_change(store);
    for (size_t i = 0; memory_node_lives(store) && i < count; i++) {
        const struct job_row *there = find_job(state, row[i].instance, row[i].number, &store->scratch);
        struct job_row told = there ? *there : row[i];
        if (there ? there->claimed != store->node || there->delivery != row[i].delivery || there->lease_ms
                  : !holds(store, row[i].instance))
            continue;
        told.claimed = store->node;
        told.worker = row[i].worker;
        told.locked_ms = row[i].locked_ms;
        told.until_ms = row[i].until_ms;
        put_job(state, &told, &store->scratch);
    }
    memory_unlock(store);
    return ST_OK;
}

/* Offers jobs again: those that the node has claimed, or with the node 0 those whose lease is over. */
static size_t offer_claimed(struct memory_store *store, int64_t node, int64_t now_ms)
{
    struct memory_state *state = begin_change(store);
    struct memory_found found;
    size_t count = 0;
    for (str after = STR(""); memory_tree_after(&state->table[TABLE_JOB], after, &found);) {
        const struct job_row *row = memory_row_of(found.cell);
        bool over = row->claimed && row->lease_ms && row->lease_ms <= now_ms;
        after = arena_str(&store->scratch, found.key);
        if (node ? row->claimed != node : !over) continue;
        offer_again(state, row, &store->scratch);
        count++;
    }
    memory_unlock(store);
    return count;
}

enum status memory_end_leases(struct store *base, int64_t now_ms, size_t *ret_count, struct error *err)
{
    (void)err;
    *ret_count = offer_claimed(self(base), 0, now_ms);
    return ST_OK;
}

enum status memory_free_claims(struct store *base, int64_t node, size_t *ret_count, struct error *err)
{
    (void)err;
    *ret_count = offer_claimed(self(base), node, 0);
    return ST_OK;
}

enum status memory_offer_new(struct store *base, const struct job_row *row, size_t count, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_state *state = begin_change(store);
    for (size_t i = 0; i < count; i++)
        if (!find_job(state, row[i].instance, row[i].number, &store->scratch))
            put_offered(state, &row[i], &store->scratch);
    memory_unlock(store);
    return ST_OK;
}
