/* store/nodes.c — calls into the part of a back end that only a shared store has. */
#include "store/store_int.h"

#include "base/must.h"

bool store_is_shared(const struct store *store) { return store->nodes != NULL; }

int64_t store_node(const struct store *store) { return store->nodes ? store->nodes->node(store) : 0; }

/* ---- nodes ---- */

enum status store_heartbeat(struct store *store, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                            int64_t *ret_generation, struct error *err)
{
    must(!store->in_transaction);
    enum status status = store->nodes->heartbeat(store, ret_row, ret_count, ret_generation, err);
    must(status != ST_OK || *ret_count <= NODES_MAX);
    return status;
}

enum status store_rejoin(struct store *store, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->rejoin(store, err);
}

enum status store_fence_node(struct store *store, int64_t node, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->fence(store, node, err);
}

enum status store_forget_node(struct store *store, int64_t node, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->forget_node(store, node, err);
}

void store_set_generation(struct store *store, int64_t generation)
{
    must(!store->in_transaction);
    store->nodes->set_generation(store, generation);
}

int64_t store_generation(const struct store *store) { return store->nodes->generation(store); }

int64_t store_waited_us(const struct store *store)
{
    return store->nodes && store->nodes->waited_us ? store->nodes->waited_us(store) : 0;
}

enum status store_expect(struct store *store, uint64_t instance, uint32_t revision, struct error *err)
{
    TRY(store_usable(store, err));
    enum status status = store->nodes->expect(store, instance, revision, err);
    return status == ST_OK ? ST_OK : store_lose(store, status);
}

enum status store_next_history(struct store *store, uint64_t instance, uint32_t after, struct arena *arena,
                               str **ret_blob, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->next_history(store, instance, after, arena, ret_blob, ret_count, err);
}

/* ---- jobs ---- */

struct found store_find_job(struct store *store, uint64_t instance, uint32_t number, struct arena *arena,
                            struct job_row *ret_row, struct error *err)
{
    if (!store->nodes)
        return found_of(fail(err, ST_NOT_FOUND, "job", "a store of one engine has no rows of jobs"));
    return found_of(
        store_after_read(store, store->nodes->find_job(store, instance, number, arena, ret_row, err)));
}

enum status store_offered(struct store *store, size_t counted_max, size_t max, struct arena *arena,
                          struct offered_queue **ret_queue, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    struct offered_queue *queue = NULL;
    size_t found = 0;
    if (store->nodes) TRY(store->nodes->offered(store, counted_max, max, arena, &queue, &found, err));
    must(found <= max);
    *ret_queue = queue;
    *ret_count = found;
    return ST_OK;
}

enum status store_claim_jobs(struct store *store, const struct job_claim *claim, size_t claim_count,
                             int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                             struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->claim_jobs(store, claim, claim_count, now_ms, arena, ret_row, ret_instance,
                                    ret_count, err);
}

enum status store_claimed_jobs(struct store *store, const struct job_row *after, size_t max,
                               struct arena *arena, struct job_row **ret_row,
                               struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    const struct job_row none = { 0 };
    enum status status = store->nodes->claimed_jobs(store, after ? after : &none, max, arena, ret_row,
                                                    ret_instance, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_offer_jobs(struct store *store, const struct job_row *row, size_t count, int64_t now_ms,
                             struct error *err)
{
    must(!store->in_transaction);
    return count ? store->nodes->offer_jobs(store, row, count, now_ms, err) : ST_OK;
}

enum status store_drop_jobs(struct store *store, const struct job_row *row, size_t count, struct error *err)
{
    must(!store->in_transaction);
    return count ? store->nodes->drop_jobs(store, row, count, err) : ST_OK;
}

enum status store_jobs_of(struct store *store, const uint64_t *instance, size_t count, struct arena *arena,
                          struct job_row **ret_row, size_t *ret_count, struct error *err)
{
    struct job_row *row = NULL;
    size_t found = 0;
    if (store->nodes && count)
        TRY(store_after_read(store, store->nodes->jobs_of(store, instance, count, arena, &row, &found, err)));
    *ret_row = row;
    *ret_count = found;
    return ST_OK;
}

enum status store_note_leases(struct store *store, const struct job_row *row, size_t count, struct error *err)
{
    must(!store->in_transaction);
    return count ? store->nodes->note_leases(store, row, count, err) : ST_OK;
}

enum status store_extend_job(struct store *store, const struct job_row *row, bool *ret_done,
                             struct error *err)
{
    must(store_is_shared(store) && !store->in_transaction);
    return store->nodes->extend_job(store, row, ret_done, err);
}

enum status store_end_leases(struct store *store, int64_t now_ms, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->end_leases(store, now_ms, ret_count, err);
}

/* ---- work that waits ---- */

/* One question after the other. */
static enum status find_work_of(struct store *store, const struct work_question *question,
                                struct arena *arena, struct work_found *found, struct error *err)
{
    const struct pending_row first = { 0 };
    struct pending_row row;
    const struct bulk_row of = { .state = question->bulk_state };
    struct bulk_row bulk;
    size_t count;
    for (int32_t priority = 0; priority < PRIORITY_COUNT; priority++) {
        TRY(store_pending_ready(store, priority, &first, arena, &row, 1, &count, err));
        found->starts |= (uint64_t)(count > 0) << priority;
    }
    TRY(store_pending(store, NAMESPACE_DEFAULT, question->target, &first, arena, &row, 1, &count, err));
    found->has_target = count > 0;
    TRY(found_asked(store_running_bulk(store, &of, &bulk, err), &found->has_bulk));
    for (size_t i = 0; i < question->filter_count; i++) {
        struct record_filter filter = question->filter[i];
        struct record_row *record;
        filter.max = 1;
        TRY(store_records(store, &filter, arena, &record, &count, err));
        found->records |= (uint64_t)(count > 0) << i;
    }
    found->has_offers = found->has_ended_leases = true;
    return ST_OK;
}

enum status store_find_work(struct store *store, const struct work_question *question, struct arena *arena,
                            struct work_found *ret_found, struct error *err)
{
    must(store_is_shared(store) && !store->in_transaction);
    must(question->target.n && question->filter_count <= WORK_FILTERS_MAX);
    struct work_found found = { 0 };
    TRY((store->nodes->find_work ? store->nodes->find_work : find_work_of)(store, question, arena, &found,
                                                                           err));
    *ret_found = found;
    return ST_OK;
}

/* ---- taking over ---- */

enum status store_free_claims(struct store *store, int64_t node, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->free_claims(store, node, ret_count, err);
}

enum status store_held_ids(struct store *store, int64_t node, uint64_t after, size_t max, struct arena *arena,
                           uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    must(!store->in_transaction);
    enum status status = store->nodes->held_ids(store, node, after, max, arena, ret_id, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_load_instances(struct store *store, const uint64_t *id, size_t count, struct arena *arena,
                                 struct instance_row **ret_row, size_t *ret_count, struct error *err)
{
    enum status status = store_after_read(
        store, store->nodes->load_instances(store, id, count, arena, ret_row, ret_count, err));
    must(status != ST_OK || *ret_count <= count);
    return status;
}

enum status store_offer_new(struct store *store, const struct job_row *row, size_t count, struct error *err)
{
    must(!store->in_transaction);
    return count ? store->nodes->offer_new(store, row, count, err) : ST_OK;
}

/* ---- news ---- */

enum status store_news_write(struct store *store, str text, struct error *err)
{
    TRY(store_usable(store, err));
    enum status status = store->nodes->news_write(store, text, err);
    return status == ST_OK ? ST_OK : store_lose(store, status);
}

enum status store_news_read(struct store *store, struct arena *arena, str **ret_text, size_t *ret_count,
                            bool *ret_lost, struct error *err)
{
    must(!store->in_transaction);
    return store->nodes->news_read(store, arena, ret_text, ret_count, ret_lost, err);
}

/* ---- waking each other ---- */

void store_wake_others(struct store *store, enum store_wake why) { store->nodes->wake_others(store, why); }

enum status store_listen(struct store *store, store_heard_fn *heard, void *context, struct error *err)
{
    return store->nodes ? store->nodes->listen(store, heard, context, err) : ST_OK;
}
