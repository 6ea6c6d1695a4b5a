/* store/postgres/postgres.c — opening and closing a store on PostgreSQL, and the table of its functions. */
#include "store/postgres/nodes_int.h"

#include "base/must.h"

#include <stdlib.h>

static void postgres_close(struct store *base)
{
    struct postgres_store *store = postgres_self(base);
    postgres_listener_done(store->listener);
    postgres_leave(store);
    postgres_db_done(&store->db);
    postgres_db_done(&store->side);
    postgres_news_done(&store->news);
    postgres_sets_done(store);
    map_done(&store->instances);
    arena_done(&store->scratch);
    free(store->waiting);
    free(store->tally);
    free(store);
}

/* ---- the table ---- */

static enum status find_record(struct store *base, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_find_record(&store->db, ns, kind, key, arena, ret_row, err);
}

static enum status list_records(struct store *base, const struct record_filter *filter, struct arena *arena,
                                struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_records(&store->db, filter, arena, ret_row, ret_count, err);
}

/* The server does its own upkeep, and its space is not ours to keep. */
static const struct store_ops postgres_ops = {
    .close = postgres_close,
    .begin = postgres_begin,
    .apply = postgres_apply,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .take_numbers = postgres_take_numbers,
    .load_instance = postgres_load_instance,
    .find_definition = postgres_find_definition,
    .load_definition = postgres_load_definition,
    .find_content = postgres_find_content,
    .count_living = postgres_count_living,
    .ended = postgres_ended,
    .find_business_key = postgres_find_business_key,
    .find_idempotency = postgres_find_idempotency,
    .timers = postgres_timers,
    .ids_with_jobs = postgres_ids_with_jobs,
    .pending = postgres_pending,
    .subscribers = postgres_subscribers,
    .triggered = postgres_triggered,
    .find_child = postgres_find_child,
    .find_unmatched = postgres_find_unmatched,
    .running_bulk = postgres_running_bulk,
    .load_bulk = postgres_bulk_load,
    .load_bulk_part = postgres_bulk_load_part,
    .purge_bulks = postgres_bulk_purge,
    .find_record = find_record,
    .records = list_records,
    .purge_records = postgres_records_purge,
    .purge = postgres_purge,
    .remove_tenant = postgres_remove_tenant,
    .reader_open = postgres_reader_open,
    .integrity = postgres_integrity,
    .subscriptions = postgres_subscriptions,
    .children = postgres_children,
};

/* ---- the table of a shared store ---- */

static int64_t number_of(const struct store *base) { return ((const struct postgres_store *)base)->node; }

static int64_t generation_of(const struct store *base)
{
    return ((const struct postgres_store *)base)->generation;
}

static int64_t waited_us_of(const struct store *base)
{
    const struct postgres_store *store = (const struct postgres_store *)base;
    return store->db.waited_us + store->side.waited_us;
}

static const struct node_ops node_ops = {
    .node = number_of,
    .waited_us = waited_us_of,
    .heartbeat = postgres_heartbeat,
    .rejoin = postgres_rejoin,
    .fence = postgres_fence_node,
    .forget_node = postgres_forget_node,
    .set_generation = postgres_set_generation,
    .generation = generation_of,
    .expect = postgres_expect,
    .next_history = postgres_next_history,
    .find_job = postgres_find_job,
    .offered = postgres_offered,
    .claim_jobs = postgres_claim_jobs,
    .claimed_jobs = postgres_claimed_jobs,
    .offer_jobs = postgres_offer_jobs,
    .drop_jobs = postgres_drop_jobs,
    .jobs_of = postgres_jobs_of,
    .extend_job = postgres_extend_job,
    .find_work = postgres_find_work,
    .note_leases = postgres_note_leases,
    .end_leases = postgres_end_leases,
    .free_claims = postgres_free_claims,
    .held_ids = postgres_held_ids,
    .load_instances = postgres_nodes_load_instances,
    .offer_new = postgres_offer_new,
    .news_write = postgres_news_write,
    .news_read = postgres_news_read,
    .wake_others = postgres_wake_others,
    .listen = postgres_listen,
    .node_messages_open = postgres_node_messages_open,
};

/* ---- opening ---- */

enum status postgres_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    TRY(libpq_load(err));
    struct postgres_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &postgres_ops;
    if (!config->read_only) store->base.nodes = &node_ops;
    store->base.settles_commits = true;
    postgres_db_init(&store->db, config->path, config->read_only ? POSTGRES_READER : POSTGRES_WRITER);
    postgres_db_init(&store->side, config->path, POSTGRES_SIDE);
    store->db.alone = config->alone;
    map_init(&store->keys);
    map_init(&store->instances);
    arena_init(&store->scratch, 0);
    enum status status = postgres_migrate(&store->db, config, err);
    if (status == ST_OK)
        status = config->read_only ? postgres_hold_moment(&store->db, err) : postgres_join(store, err);
    if (status == ST_OK) *ret_store = &store->base;
    else postgres_close(&store->base);
    return status;
}
