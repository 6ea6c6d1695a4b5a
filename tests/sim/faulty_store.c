#include "faulty_store.h"

#include "checker.h"
#include "server.h"
#include "store/nodes.h"
#include "store/removal.h"
#include "store/store_int.h"

#include <inttypes.h>
#include <stdlib.h>

struct faulty_store {
    struct store base;
    struct world *world;
    struct store *inner;
    struct journal journal; /* Of the open transaction. */
    struct arena arena;     /* Of the journal. */
    bool killed;
};

static struct faulty_store *self(struct store *store) { return (struct faulty_store *)store; }
static const struct faulty_store *self_const(const struct store *store)
{
    return (const struct faulty_store *)store;
}

static enum status dead(struct error *err) { return fail(err, ST_STORE, "store", "the process was killed"); }

/* Does the operation fail, or the whole process? */
static enum status gate(struct faulty_store *store, uint32_t full, uint32_t failed, const char *what,
                        struct error *err)
{
    struct world *world = store->world;
    if (!store->killed && world_fault(world, world->profile.pause)) server_pause(world);
    if (!store->killed && world_fault(world, world->profile.kill)) {
        trace(world, "store: killed at %s", what);
        store->killed = true;
    }
    if (store->killed) return dead(err);
    if (world_fault(world, full)) {
        trace(world, "store: full at %s", what);
        return fail(err, ST_FULL, "store", "no space left (simulated)");
    }
    if (world_fault(world, failed)) {
        trace(world, "store: failed at %s", what);
        return fail(err, ST_STORE, "store", "input/output error (simulated)");
    }
    return ST_OK;
}

/* ---- transactions ---- */

static void trace_rows(struct store *store, const char *what, const struct job_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        trace(self(store)->world, "store: %s %" PRIu64 "/%u.%u", what, row[i].instance, row[i].number,
              row[i].delivery);
}

static void faulty_rollback(struct store *base)
{
    struct faulty_store *store = self(base);
    if (store->inner->in_transaction) store_rollback(store->inner);
    store->journal = (struct journal){ 0 };
    arena_reset(&store->arena);
}

static enum status faulty_begin(struct store *base, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_begin, store->world->profile.fail_begin, "begin", err));
    return store_begin(store->inner, err);
}

/* The event of a row that goes. */
static enum status find_gone(struct faulty_store *store, int64_t number, const struct json **ret_event,
                             struct error *err)
{
    struct unmatched_row row;
    struct found found = store_find_unmatched(store->inner, TENANT_ANY, number, &store->arena, &row, err);
    TRY(found_needed(found));
    *ret_event = json_decode(row.event, &store->arena);
    return ST_OK;
}

static enum status faulty_apply(struct store *base, struct changeset *changeset, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_apply, store->world->profile.fail_apply, "apply", err));
    const struct json *gone = NULL;
    if (changeset->unmatched_remove) TRY(find_gone(store, changeset->unmatched_remove, &gone, err));
    enum status status = store_apply(store->inner, changeset, err);
    if (status == ST_AGAIN && world_is_shared(store->world)) return status;
    if (status != ST_OK) {
        violated(store->world, "the store was asked for something that makes no sense: %s", err->message);
        return err->status;
    }
    checker_crosses(store->world, changeset);
    if (gone) journal_add_gone(&store->journal, gone, &store->arena);
    journal_add(&store->journal, changeset, &store->arena);
    trace_rows(base, "writes", changeset->job_add, changeset->job_add_count);
    trace_rows(base, "removes", changeset->job_remove, changeset->job_remove_count);
    return ST_OK;
}

static enum status commit_inner(struct faulty_store *store, struct error *err)
{
    TRY(store_commit(store->inner, err));
    checker_committed(store->world, &store->journal, store->inner);
    store->journal = (struct journal){ 0 };
    arena_reset(&store->arena);
    return ST_OK;
}

/* Nobody knows what the store holds. */
static enum status lose_store(struct store *base, enum status status)
{
    if (status == ST_STORE) base->broken = true;
    return status;
}

/* The commit happens, and its answer is lost. Another node may be in its way. */
static void commit_unheard(struct faulty_store *store)
{
    enum status status = commit_inner(store, NULL);
    must(status == ST_OK || (status == ST_AGAIN && world_is_shared(store->world)));
}

static enum status faulty_commit(struct store *base, struct error *err)
{
    struct faulty_store *store = self(base);
    struct world *world = store->world;
    bool alive = !store->killed;
    enum status status = gate(store, world->profile.full_commit, 0, "commit", err);
    bool unknown = alive && store->killed;
    if (status == ST_OK && world_fault(world, world->profile.again)) {
        trace(world, "store: another node is in the way");
        return fail(err, ST_AGAIN, "store", "another node was faster (simulated)");
    }
    if (status == ST_OK && world_fault(world, world->profile.unknown_commit)) {
        unknown = true;
        status = fail(err, ST_STORE, "store", "input/output error at the sync (simulated)");
    }
    if (status == ST_OK) return commit_inner(store, err);
    if (unknown) {
        bool done = world_below(world, 2);
        trace(world, "store: commit failed and was %sdone", done ? "" : "not ");
        if (done) commit_unheard(store);
    }
    return lose_store(base, status);
}

static enum status faulty_purge(struct store *base, const struct purge *purge, size_t max,
                                struct purged *ret_purged, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_apply, store->world->profile.fail_apply, "purge", err));
    TRY(store_purge(store->inner, purge, max, ret_purged, err));
    store->journal.purged |= ret_purged->total > 0;
    if (purge->instance_count) return ST_OK; /* These are named, and what is over stays. */
    store->journal.purged_before_ms = purge->before_ms;
    store->journal.failed_before_ms = purge->failed_before_ms;
    return ST_OK;
}

/* ---- reading ---- */

static enum status read_gate(struct store *base, const char *what, struct error *err)
{
    struct faulty_store *store = self(base);
    enum status status = gate(store, 0, store->world->profile.fail_read, what, err);
    /* A store that several nodes share also gives up at a lock. */
    if (status != ST_STORE || store->killed || !world_is_shared(store->world) || world_below(store->world, 2))
        return status;
    return fail(err, ST_AGAIN, "store", "somebody else holds a lock (simulated)");
}

static enum status faulty_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err)
{
    TRY(read_gate(store, "take_numbers", err));
    return store_take_numbers(self(store)->inner, numbers, err);
}

static enum status faulty_load_instance(struct store *store, uint64_t id, struct arena *arena,
                                        struct instance_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "load_instance", err));
    return found_needed(store_load_instance(self(store)->inner, TENANT_ANY, id, arena, ret_row, err));
}

static enum status faulty_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                          struct arena *arena, struct definition_row *ret_row,
                                          struct error *err)
{
    TRY(read_gate(store, "find_definition", err));
    return found_needed(store_find_definition(self(store)->inner, ns, id, version, arena, ret_row, err));
}

static enum status faulty_load_definition(struct store *store, int64_t number, struct arena *arena,
                                          struct definition_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "load_definition", err));
    return found_needed(store_load_definition(self(store)->inner, number, arena, ret_row, err));
}

static enum status faulty_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                       struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "find_content", err));
    return found_needed(store_find_content(self(store)->inner, ns, id, content, arena, ret_row, err));
}

static enum status faulty_count_living(struct store *store, int32_t ns, str definition_id, int64_t *ret_count,
                                       struct error *err)
{
    TRY(read_gate(store, "count_living", err));
    return store_count_living(self(store)->inner, ns, definition_id, ret_count, err);
}

static enum status faulty_ended(struct store *store, int32_t ns, str definition_id, size_t max,
                                struct arena *arena, struct ended_instance **ret_instance, size_t *ret_count,
                                struct error *err)
{
    TRY(read_gate(store, "ended", err));
    return store_ended(self(store)->inner, ns, definition_id, max, arena, ret_instance, ret_count, err);
}

static enum status faulty_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                            uint64_t *ret_instance, struct error *err)
{
    TRY(read_gate(store, "find_business_key", err));
    return found_needed(
        store_find_business_key(self(store)->inner, ns, definition_id, key, ret_instance, err));
}

static enum status faulty_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                           struct idempotency_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "find_idempotency", err));
    return found_needed(store_find_idempotency(self(store)->inner, ns, key, arena, ret_row, err));
}

static enum status faulty_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                                 struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "timers", err));
    return store_timers(self(store)->inner, after, until_ms, ret_row, max, ret_count, err);
}

static enum status faulty_ids_with_jobs(struct store *store, int32_t ns, uint64_t after, size_t max,
                                        struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                        struct error *err)
{
    TRY(read_gate(store, "ids_with_jobs", err));
    return store_ids_with_jobs(self(store)->inner, ns, after, max, arena, ret_id, ret_count, err);
}

static enum status faulty_pending(struct store *store, int32_t ns, str target, int32_t priority,
                                  const struct pending_row *after, struct arena *arena,
                                  struct pending_row *ret_row, size_t max, size_t *ret_count,
                                  struct error *err)
{
    TRY(read_gate(store, "pending", err));
    if (!target.n)
        return store_pending_ready(self(store)->inner, priority, after, arena, ret_row, max, ret_count, err);
    return store_pending(self(store)->inner, ns, target, after, arena, ret_row, max, ret_count, err);
}

static enum status faulty_subscribers(struct store *store, int64_t definition, str correlation,
                                      uint64_t after, uint64_t *ret_instance, size_t max, size_t *ret_count,
                                      struct error *err)
{
    TRY(read_gate(store, "subscribers", err));
    return store_subscribers(self(store)->inner, definition, correlation, after, ret_instance, max, ret_count,
                             err);
}

static enum status faulty_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                                    struct triggered *ret_triggered, size_t max, size_t *ret_count,
                                    struct error *err)
{
    TRY(read_gate(store, "triggered", err));
    return store_triggered(self(store)->inner, ns, source, type, after, ret_triggered, max, ret_count, err);
}

static enum status faulty_find_child(struct store *store, uint64_t parent, uint32_t number,
                                     struct child_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "find_child", err));
    return found_needed(store_find_child(self(store)->inner, parent, number, ret_row, err));
}

static enum status faulty_find_unmatched(struct store *store, const struct unmatched_row *like,
                                         struct arena *arena, struct unmatched_row *ret_row,
                                         struct error *err)
{
    TRY(read_gate(store, "find_unmatched", err));
    return found_needed(store_find_unmatched_like(self(store)->inner, like, arena, ret_row, err));
}

static enum status faulty_shrink(struct store *store, bool *ret_more, struct error *err)
{
    struct store *inner = self(store)->inner;
    TRY(read_gate(store, "shrink", err));
    if (inner->ops->shrink) return inner->ops->shrink(inner, ret_more, err);
    *ret_more = false;
    return ST_OK;
}

/* Queries read what is committed. */
static enum status faulty_reader_open(struct store *store, struct store_reader **ret_reader,
                                      struct error *err)
{
    TRY(store_reader_open(self(store)->inner, ret_reader, err));
    faulty_reader_begin(self(store)->world, *ret_reader);
    return ST_OK;
}

static enum status faulty_integrity(struct store *store, store_found_fn *found, void *context,
                                    struct error *err)
{
    struct store *inner = self(store)->inner;
    return inner->ops->integrity(inner, found, context, err);
}

static enum status faulty_subscriptions(struct store *store, const struct subscription_row *after,
                                        struct arena *arena, struct subscription_row *ret_row, size_t max,
                                        size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "subscriptions", err));
    return store_subscriptions(self(store)->inner, after, arena, ret_row, max, ret_count, err);
}

static enum status faulty_running_bulk(struct store *store, const struct bulk_row *after,
                                       struct bulk_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "running bulk", err));
    return found_needed(store_running_bulk(self(store)->inner, after, ret_row, err));
}

static enum status faulty_load_bulk(struct store *store, int64_t number, struct bulk_row *ret_row,
                                    struct error *err)
{
    TRY(read_gate(store, "bulk", err));
    return found_needed(store_load_bulk(self(store)->inner, TENANT_ANY, number, ret_row, err));
}

static enum status faulty_load_bulk_part(struct store *store, int64_t bulk, enum bulk_part kind,
                                         int64_t number, struct arena *arena, str *ret_blob,
                                         struct error *err)
{
    TRY(read_gate(store, "part of a bulk", err));
    return found_needed(store_load_bulk_part(self(store)->inner, bulk, kind, number, arena, ret_blob, err));
}

static enum status faulty_find_record(struct store *store, int32_t ns, enum record_kind kind, str key,
                                      struct arena *arena, struct record_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "find_record", err));
    return found_needed(store_find_record(self(store)->inner, ns, kind, key, arena, ret_row, err));
}

static enum status faulty_records(struct store *store, const struct record_filter *filter,
                                  struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                  struct error *err)
{
    TRY(read_gate(store, "records", err));
    return store_records(self(store)->inner, filter, arena, ret_row, ret_count, err);
}

static enum status faulty_purge_bulks(struct store *base, int64_t before_ms, int64_t kept_max, size_t max,
                                      size_t *ret_removed, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_apply, store->world->profile.fail_apply, "purge of bulks",
             err));
    return store_purge_bulks(store->inner, before_ms, kept_max, max, ret_removed, err);
}

static enum status faulty_remove_tenant(struct store *base, int32_t ns, size_t max, struct arena *arena,
                                        struct tenant_removal *removal, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_apply, store->world->profile.fail_apply, "removal of a tenant",
             err));
    return store_remove_tenant(store->inner, ns, max, arena, removal, err);
}

static enum status faulty_purge_records(struct store *base, enum record_kind kind, int64_t before_ms,
                                        size_t max, size_t *ret_removed, struct error *err)
{
    struct faulty_store *store = self(base);
    TRY(gate(store, store->world->profile.full_apply, store->world->profile.fail_apply, "purge of records",
             err));
    return store_purge_records(store->inner, kind, before_ms, max, ret_removed, err);
}

static enum status faulty_children(struct store *store, const struct child_row *after,
                                   struct child_row *ret_row, size_t max, size_t *ret_count,
                                   struct error *err)
{
    struct store *inner = self(store)->inner;
    return inner->ops->children(inner, after, ret_row, max, ret_count, err);
}

static void faulty_close(struct store *base)
{
    arena_done(&self(base)->arena);
    free(base);
}

static const struct store_ops faulty_ops = {
    .close = faulty_close,
    .begin = faulty_begin,
    .apply = faulty_apply,
    .commit = faulty_commit,
    .rollback = faulty_rollback,
    .take_numbers = faulty_take_numbers,
    .load_instance = faulty_load_instance,
    .find_definition = faulty_find_definition,
    .load_definition = faulty_load_definition,
    .find_content = faulty_find_content,
    .count_living = faulty_count_living,
    .ended = faulty_ended,
    .find_business_key = faulty_find_business_key,
    .find_idempotency = faulty_find_idempotency,
    .timers = faulty_timers,
    .ids_with_jobs = faulty_ids_with_jobs,
    .pending = faulty_pending,
    .subscribers = faulty_subscribers,
    .triggered = faulty_triggered,
    .find_child = faulty_find_child,
    .find_unmatched = faulty_find_unmatched,
    .running_bulk = faulty_running_bulk,
    .load_bulk = faulty_load_bulk,
    .load_bulk_part = faulty_load_bulk_part,
    .find_record = faulty_find_record,
    .records = faulty_records,
    .purge_records = faulty_purge_records,
    .purge_bulks = faulty_purge_bulks,
    .purge = faulty_purge,
    .remove_tenant = faulty_remove_tenant,
    .shrink = faulty_shrink,
    .reader_open = faulty_reader_open,
    .integrity = faulty_integrity,
    .subscriptions = faulty_subscriptions,
    .children = faulty_children,
};

/* ---- several nodes ---- */

static int64_t faulty_node(const struct store *store) { return store_node(self_const(store)->inner); }

static enum status faulty_heartbeat(struct store *store, struct node_row ret_row[NODES_MAX],
                                    size_t *ret_count, int64_t *ret_generation, struct error *err)
{
    TRY(read_gate(store, "heartbeat", err));
    return store_heartbeat(self(store)->inner, ret_row, ret_count, ret_generation, err);
}

static enum status faulty_rejoin(struct store *store, struct error *err)
{
    TRY(read_gate(store, "rejoin", err));
    TRY(store_rejoin(self(store)->inner, err));
    server_rejoined(self(store)->world);
    return ST_OK;
}

static enum status faulty_fence_node(struct store *store, int64_t node, struct error *err)
{
    TRY(read_gate(store, "fence", err));
    TRY(store_fence_node(self(store)->inner, node, err));
    server_fenced(self(store)->world, node);
    return ST_OK;
}

static enum status faulty_forget_node(struct store *store, int64_t node, struct error *err)
{
    TRY(read_gate(store, "forget_node", err));
    TRY(store_forget_node(self(store)->inner, node, err));
    server_forgotten(self(store)->world, node);
    return ST_OK;
}

static void faulty_set_generation(struct store *store, int64_t generation)
{
    store_set_generation(self(store)->inner, generation);
}

static int64_t faulty_generation(const struct store *store)
{
    return store_generation(self_const(store)->inner);
}

static enum status faulty_offered(struct store *store, size_t counted_max, size_t max, struct arena *arena,
                                  struct offered_queue **ret_queue, size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "offered", err));
    return store_offered(self(store)->inner, counted_max, max, arena, ret_queue, ret_count, err);
}

static enum status faulty_expect(struct store *store, uint64_t instance, uint32_t revision, struct error *err)
{
    TRY(read_gate(store, "expect", err));
    return store_expect(self(store)->inner, instance, revision, err);
}

static enum status faulty_next_history(struct store *store, uint64_t instance, uint32_t after,
                                       struct arena *arena, str **ret_blob, size_t *ret_count,
                                       struct error *err)
{
    TRY(read_gate(store, "next_history", err));
    return store_next_history(self(store)->inner, instance, after, arena, ret_blob, ret_count, err);
}

static enum status faulty_find_job(struct store *store, uint64_t instance, uint32_t number,
                                   struct arena *arena, struct job_row *ret_row, struct error *err)
{
    TRY(read_gate(store, "find_job", err));
    return found_needed(store_find_job(self(store)->inner, instance, number, arena, ret_row, err));
}

static enum status faulty_claim_jobs(struct store *store, const struct job_claim *claim, size_t claim_count,
                                     int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                                     struct instance_row **ret_instance, size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "claim_jobs", err));
    TRY(store_claim_jobs(self(store)->inner, claim, claim_count, now_ms, arena, ret_row, ret_instance,
                         ret_count, err));
    trace_rows(store, "claims", *ret_row, *ret_count);
    /* It has happened, and the answer is lost. */
    return read_gate(store, "claimed jobs", err);
}

static enum status faulty_claimed_jobs(struct store *store, const struct job_row *after, size_t max,
                                       struct arena *arena, struct job_row **ret_row,
                                       struct instance_row **ret_instance, size_t *ret_count,
                                       struct error *err)
{
    TRY(read_gate(store, "claimed_jobs", err));
    return store_claimed_jobs(self(store)->inner, after, max, arena, ret_row, ret_instance, ret_count, err);
}

static enum status faulty_offer_jobs(struct store *store, const struct job_row *row, size_t count,
                                     int64_t now_ms, struct error *err)
{
    TRY(read_gate(store, "offer_jobs", err));
    TRY(store_offer_jobs(self(store)->inner, row, count, now_ms, err));
    trace_rows(store, "offers", row, count);
    checker_offered(self(store)->world, row, count);
    return read_gate(store, "offered jobs", err);
}

static enum status faulty_drop_jobs(struct store *store, const struct job_row *row, size_t count,
                                    struct error *err)
{
    TRY(read_gate(store, "drop_jobs", err));
    trace_rows(store, "drops", row, count);
    return store_drop_jobs(self(store)->inner, row, count, err);
}

static enum status faulty_extend_job(struct store *store, const struct job_row *row, bool *ret_done,
                                     struct error *err)
{
    TRY(read_gate(store, "extend_job", err));
    TRY(store_extend_job(self(store)->inner, row, ret_done, err));
    trace_rows(store, *ret_done ? "prolongs" : "does not prolong", row, 1);
    if (*ret_done) checker_prolonged(self(store)->world, row);
    return read_gate(store, "extended job", err);
}

static enum status faulty_jobs_of(struct store *store, const uint64_t *instance, size_t count,
                                  struct arena *arena, struct job_row **ret_row, size_t *ret_count,
                                  struct error *err)
{
    TRY(read_gate(store, "jobs_of", err));
    return store_jobs_of(self(store)->inner, instance, count, arena, ret_row, ret_count, err);
}

static enum status faulty_note_leases(struct store *store, const struct job_row *row, size_t count,
                                      struct error *err)
{
    TRY(read_gate(store, "note_leases", err));
    TRY(store_note_leases(self(store)->inner, row, count, err));
    trace_rows(store, "tells who has", row, count);
    return read_gate(store, "told leases", err);
}

static enum status faulty_end_leases(struct store *store, int64_t now_ms, size_t *ret_count,
                                     struct error *err)
{
    TRY(read_gate(store, "end_leases", err));
    return store_end_leases(self(store)->inner, now_ms, ret_count, err);
}

static enum status faulty_free_claims(struct store *store, int64_t node, size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "free_claims", err));
    return store_free_claims(self(store)->inner, node, ret_count, err);
}

static enum status faulty_held_ids(struct store *store, int64_t node, uint64_t after, size_t max,
                                   struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                   struct error *err)
{
    TRY(read_gate(store, "held_ids", err));
    return store_held_ids(self(store)->inner, node, after, max, arena, ret_id, ret_count, err);
}

static enum status faulty_load_instances(struct store *store, const uint64_t *id, size_t count,
                                         struct arena *arena, struct instance_row **ret_row,
                                         size_t *ret_count, struct error *err)
{
    TRY(read_gate(store, "load_instances", err));
    return store_load_instances(self(store)->inner, id, count, arena, ret_row, ret_count, err);
}

static enum status faulty_offer_new(struct store *store, const struct job_row *row, size_t count,
                                    struct error *err)
{
    TRY(read_gate(store, "offer_new", err));
    trace_rows(store, "offers what a dead node had:", row, count);
    return store_offer_new(self(store)->inner, row, count, err);
}

static enum status faulty_news_write(struct store *store, str text, struct error *err)
{
    TRY(read_gate(store, "tell", err));
    return store_news_write(self(store)->inner, text, err);
}

static enum status faulty_news_read(struct store *store, struct arena *arena, str **ret_text,
                                    size_t *ret_count, bool *ret_lost, struct error *err)
{
    TRY(read_gate(store, "hear", err));
    return store_news_read(self(store)->inner, arena, ret_text, ret_count, ret_lost, err);
}

static void faulty_wake_others(struct store *store, enum store_wake why)
{
    if (!self(store)->killed) store_wake_others(self(store)->inner, why);
}

static enum status faulty_listen(struct store *store, store_heard_fn *heard, void *context, struct error *err)
{
    return store_listen(self(store)->inner, heard, context, err);
}

static const struct node_ops faulty_node_ops = {
    .node = faulty_node,
    .heartbeat = faulty_heartbeat,
    .rejoin = faulty_rejoin,
    .fence = faulty_fence_node,
    .forget_node = faulty_forget_node,
    .set_generation = faulty_set_generation,
    .generation = faulty_generation,
    .offered = faulty_offered,
    .expect = faulty_expect,
    .next_history = faulty_next_history,
    .find_job = faulty_find_job,
    .claim_jobs = faulty_claim_jobs,
    .claimed_jobs = faulty_claimed_jobs,
    .offer_jobs = faulty_offer_jobs,
    .drop_jobs = faulty_drop_jobs,
    .extend_job = faulty_extend_job,
    .jobs_of = faulty_jobs_of,
    .note_leases = faulty_note_leases,
    .end_leases = faulty_end_leases,
    .free_claims = faulty_free_claims,
    .held_ids = faulty_held_ids,
    .load_instances = faulty_load_instances,
    .offer_new = faulty_offer_new,
    .news_write = faulty_news_write,
    .news_read = faulty_news_read,
    .wake_others = faulty_wake_others,
    .listen = faulty_listen,
};

struct store *faulty_store_open(struct world *world, struct store *inner)
{
    struct faulty_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &faulty_ops;
    store->base.nodes = store_is_shared(inner) ? &faulty_node_ops : NULL;
    store->base.settles_commits = true; /* lose_store() */
    store->world = world;
    store->inner = inner;
    arena_init(&store->arena, 0);
    return &store->base;
}

void faulty_store_close(struct store *store)
{
    if (self(store)->inner->in_transaction) store_rollback(self(store)->inner);
    store->in_transaction = false;
    store_close(store);
}

void faulty_store_kill(struct store *store)
{
    self(store)->killed = true;
    if (store->in_transaction) store_rollback(store);
}

bool faulty_store_killed(const struct store *store) { return self_const(store)->killed; }
