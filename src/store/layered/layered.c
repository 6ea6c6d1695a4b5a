/* store/layered/layered.c — a layer above a store: what belongs to transient instances stays in memory.
 *
 *     changeset ──► of a transient instance ──► memory store, without histories
 *              └──► anything else           ──► the store under it
 *
 * Both commit as one: first the store under it, which may fail, then the memory store, which cannot. A
 * transaction that changes transient instances only writes nothing to the disk.
 *
 * The ids of transient instances must not be given again after a crash, because rows and clients may still
 * name them. So the layer reserves ids in the store under it, a block at a time.
 */
#include "store/layered/layered_int.h"

#include "base/must.h"
#include "store/removal.h"

#include <stdlib.h>

static struct layered_store *self(struct store *store) { return (struct layered_store *)store; }

static void layered_close(struct store *base)
{
    struct layered_store *store = self(base);
    store_close(store->transient);
    arena_done(&store->scratch);
    free(store);
}

/* ---- transactions ---- */

/* Follows the changes of the store under it. */
static void follow(struct layered_store *store)
{
    store->base.maintenance_due = store->under->maintenance_due;
    store->base.broken |= store->under->broken;
}

static enum status layered_begin(struct store *base, struct error *err)
{
    must(!self(base)->transient->in_transaction && !self(base)->under->in_transaction);
    struct layered_store *store = self(base);
    enum status status = store_begin(store->under, err);
    follow(store);
    return status;
}

/* Forgets the instances that ended first, while too many that have ended are kept, or too large ones: they
 * must not take the room of those that live. At the end of a transaction, whose later changesets may still
 * be about them. */
static void forget_ended(struct layered_store *store)
{
    const struct purge all = { .before_ms = INT64_MAX,
                               .failed_before_ms = INT64_MAX,
                               .keys_before_ms = INT64_MIN };
    for (;;) {
        struct purged purged;
        size_t ended = memory_ended_count(store->transient);
        bool too_many = ended > TRANSIENTS_ENDED_MAX,
             too_large = memory_transients(store->transient).bytes > TRANSIENTS_ENDED_BYTES_MAX;
        if (!ended || !(too_many || too_large)) return;
        must(store_purge(store->transient, &all, 1, &purged, NULL) == ST_OK);
        must(purged.total == 1);
    }
}

static enum status layered_commit(struct store *base, struct error *err)
{
    struct layered_store *store = self(base);
    enum status status = store_commit(store->under, err);
    if (status == ST_OK && store->transient->in_transaction) {
        forget_ended(store);
        must(store_commit(store->transient, NULL) == ST_OK);
    }
    must(status != ST_OK || !(store->under->in_transaction || store->transient->in_transaction));
    follow(store);
    return status;
}

static void layered_rollback(struct store *base)
{
    struct layered_store *store = self(base);
    if (store->transient->in_transaction) store_rollback(store->transient);
    if (store->under->in_transaction) store_rollback(store->under);
    /* A block that was reserved in this transaction is not. */
    must(!store->under->in_transaction);
    store->reserved = 0;
}

static enum status layered_maintain(struct store *base, struct error *err)
{
    struct layered_store *store = self(base);
    enum status status = store_maintain(store->under, err);
    follow(store);
    return status;
}

static enum store_space layered_keep_space(struct store *base, enum store_space space)
{
    struct store *under = self(base)->under;
    return under->ops->keep_space ? under->ops->keep_space(under, space) : space;
}

static enum status layered_shrink(struct store *base, bool *ret_more, struct error *err)
{
    struct store *under = self(base)->under;
    *ret_more = false;
    return under->ops->shrink ? under->ops->shrink(under, ret_more, err) : ST_OK;
}

/* ---- writing ---- */

static bool has_transient(struct layered_store *store, uint64_t id)
{
    struct instance_row row;
    bool is_there = false;
    if (layered_is_used(store)) /* A read of memory is never put off. */
        must(found_asked(store_load_instance(store->transient, TENANT_ANY, id, &store->scratch, &row, NULL),
                         &is_there) == ST_OK);
    return is_there;
}

static void begin_transient(struct layered_store *store)
{
    if (!store->transient->in_transaction) must(store_begin(store->transient, NULL) == ST_OK);
    atomic_store_explicit(&store->is_used, true, memory_order_release);
}

/* The ids up to that of a new transient instance are used up, whatever happens. */
static enum status reserve(struct layered_store *store, uint64_t id, struct error *err)
{
    if (id <= store->reserved) return ST_OK;
    struct changeset changeset = { .instance_high = id + RESERVED_IDS };
    TRY(store_apply(store->under, &changeset, err));
    store->reserved = changeset.instance_high;
    must(store->reserved >= id);
    return ST_OK;
}

/* Lists show the definitions of instances, so the memory store needs their rows. */
static enum status copy_definition(struct layered_store *store, int64_t number, struct error *err)
{
    struct definition_row row;
    bool is_there;
    TRY(found_asked(store_load_definition(store->transient, number, &store->scratch, &row, err), &is_there));
    if (is_there) return ST_OK;
    TRY(found_needed(store_load_definition(store->under, number, &store->scratch, &row, err)));
    row.source = STR_NONE;
    struct changeset changeset = { .definition = &row };
    return store_apply(store->transient, &changeset, err);
}

static enum status apply_transient(struct layered_store *store, struct changeset *changeset,
                                   struct error *err)
{
    must(changeset->instance->is_transient && changeset->instance->id);
    const struct instance_row *row = changeset->instance;
    if (!store->keeps_histories) {
        if (changeset->row_later) return ST_OK;
        changeset->history = STR_NONE;
    }
    begin_transient(store);
    if (changeset->insert) TRY(reserve(store, row->id, err));
    TRY(copy_definition(store, row->definition, err));
    return store_apply(store->transient, changeset, err);
}

/* Records are removed wherever they are. */
static enum status remove_records(struct layered_store *store, const struct changeset *changeset,
                                  struct error *err)
{
    if (!changeset->record_remove_count || !layered_is_used(store)) return ST_OK;
    struct changeset gone = { .record_remove = changeset->record_remove,
                              .record_remove_count = changeset->record_remove_count };
    begin_transient(store);
    return store_apply(store->transient, &gone, err);
}

/* Copies of its rows in memory go with it. */
static enum status remove_definition(struct layered_store *store, const struct changeset *changeset,
                                     struct error *err)
{
    if (!changeset->definition_remove || !layered_is_used(store)) return ST_OK;
    struct changeset gone = { .definition_remove = changeset->definition_remove };
    begin_transient(store);
    return store_apply(store->transient, &gone, err);
}

static enum status apply(struct layered_store *store, struct changeset *changeset, struct error *err)
{
    const struct child_row *child = changeset->child_add;
    if (changeset->record_transient) {
        begin_transient(store);
        return store_apply(store->transient, changeset, err);
    }
    if (changeset->instance && changeset->instance->is_transient)
        return apply_transient(store, changeset, err);
    TRY(remove_records(store, changeset, err));
    TRY(remove_definition(store, changeset, err));
    if (!child || !(has_transient(store, child->parent) || has_transient(store, child->instance)))
        return store_apply(store->under, changeset, err);
    /* The link goes with either of the two. */
    struct changeset link = { .child_add = child };
    begin_transient(store);
    TRY(store_apply(store->transient, &link, err));
    changeset->child_add = NULL;
    return store_apply(store->under, changeset, err);
}

static enum status layered_apply(struct store *base, struct changeset *changeset, struct error *err)
{
    struct layered_store *store = self(base);
    enum status status = apply(store, changeset, err);
    arena_reset(&store->scratch);
    return status;
}

/* The limit of history counts for each of the two stores by itself: rows in memory cost little. */
static enum status layered_purge(struct store *base, const struct purge *purge, size_t max,
                                 struct purged *ret_purged, struct error *err)
{
    struct layered_store *store = self(base);
    struct purged more;
    TRY(store_purge(store->under, purge, max, ret_purged, err));
    if (!layered_is_used(store)) return ST_OK;
    must(ret_purged->total <= max);
    begin_transient(store);
    TRY(store_purge(store->transient, purge, max - ret_purged->total, &more, err));
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) ret_purged->instances[i] += more.instances[i];
    ret_purged->broken_count += more.broken_count;
    if (more.broken_count) ret_purged->broken = more.broken;
    ret_purged->history += more.history;
    ret_purged->more |= more.more;
    if (more.named < ret_purged->named) ret_purged->named = more.named;
    return ST_OK;
}

/* Instances in memory go first: their definitions are under it. */
static enum status layered_remove_tenant(struct store *base, int32_t ns, size_t max, struct arena *arena,
                                         struct tenant_removal *removal, struct error *err)
{
    struct layered_store *store = self(base);
    if (layered_is_used(store)) {
        begin_transient(store);
        TRY(store_remove_tenant(store->transient, ns, max, arena, removal, err));
        if (!removal->is_over) return ST_OK;
    }
    struct tenant_removal under;
    TRY(store_remove_tenant(store->under, ns, max - removal->removed, arena, &under, err));
    under.removed += removal->removed;
    *removal = under;
    return ST_OK;
}

static enum status layered_purge_bulks(struct store *base, int64_t before_ms, int64_t kept_max, size_t max,
                                       size_t *ret_removed, struct error *err)
{
    return store_purge_bulks(self(base)->under, before_ms, kept_max, max, ret_removed, err);
}

static enum status layered_purge_records(struct store *base, enum record_kind kind, int64_t before_ms,
                                         size_t max, size_t *ret_removed, struct error *err)
{
    return store_purge_records(self(base)->under, kind, before_ms, max, ret_removed, err);
}

/* ---- queries for one row: first in memory ---- */

static enum status layered_load_instance(struct store *base, uint64_t id, struct arena *arena,
                                         struct instance_row *ret_row, struct error *err)
{
    struct layered_store *store = self(base);
    if (layered_is_used(store)) {
        struct found own = store_load_instance(store->transient, TENANT_ANY, id, arena, ret_row, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(store_load_instance(store->under, TENANT_ANY, id, arena, ret_row, err));
}

static enum status layered_find_business_key(struct store *base, int32_t ns, str definition_id, str key,
                                             uint64_t *ret_instance, struct error *err)
{
    struct layered_store *store = self(base);
    if (layered_is_used(store)) {
        struct found own =
            store_find_business_key(store->transient, ns, definition_id, key, ret_instance, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(store_find_business_key(store->under, ns, definition_id, key, ret_instance, err));
}

static enum status layered_find_child(struct store *base, uint64_t parent, uint32_t number,
                                      struct child_row *ret_row, struct error *err)
{
    struct layered_store *store = self(base);
    if (layered_is_used(store)) {
        struct found own = store_find_child(store->transient, parent, number, ret_row, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(store_find_child(store->under, parent, number, ret_row, err));
}

static enum status layered_find_record(struct store *base, int32_t ns, enum record_kind kind, str key,
                                       struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct layered_store *store = self(base);
    if (layered_is_used(store)) {
        struct found own = store_find_record(store->transient, ns, kind, key, arena, ret_row, err);
        if (found_is(own) != NOT_THERE) return found_needed(own);
    }
    return found_needed(store_find_record(store->under, ns, kind, key, arena, ret_row, err));
}

/* ---- queries for several ---- */

static enum status layered_count_living(struct store *base, int32_t ns, str definition_id, int64_t *ret_count,
                                        struct error *err)
{
    struct layered_store *store = self(base);
    int64_t more = 0;
    if (layered_is_used(store)) TRY(store_count_living(store->transient, ns, definition_id, &more, err));
    TRY(store_count_living(store->under, ns, definition_id, ret_count, err));
    *ret_count += more;
    return ST_OK;
}

static enum status layered_ended(struct store *base, int32_t ns, str definition_id, size_t max,
                                 struct arena *arena, struct ended_instance **ret_instance, size_t *ret_count,
                                 struct error *err)
{
    struct layered_store *store = self(base);
    struct store *under = store->under;
    if (!layered_is_used(store))
        return store_ended(under, ns, definition_id, max, arena, ret_instance, ret_count, err);
    /* The versions are under it, and those in memory are few. */
    TRY(store_ended(store->transient, ns, definition_id, max, arena, ret_instance, ret_count, err));
    return *ret_count ? ST_OK
                      : store_ended(under, ns, definition_id, max, arena, ret_instance, ret_count, err);
}

static enum status layered_timers(struct store *base, const struct timer_row *after, int64_t until_ms,
                                  struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    struct layered_store *store = self(base);
    if (!layered_is_used(store))
        return store_timers(store->under, after, until_ms, ret_row, max, ret_count, err);
    struct timer_row *a = arena_make_n(&store->scratch, struct timer_row, max),
                     *b = arena_make_n(&store->scratch, struct timer_row, max);
    struct layered_rows under = { .row = a }, own = { .row = b };
    enum status status = store_timers(store->under, after, until_ms, a, max, &under.count, err);
    if (status == ST_OK) status = store_timers(store->transient, after, until_ms, b, max, &own.count, err);
    if (status == ST_OK) *ret_count = layered_merge(under, own, sizeof *a, layered_by_timer, max, ret_row);
    arena_reset(&store->scratch);
    return status;
}

static enum status layered_ids_with_jobs(struct store *base, int32_t ns, uint64_t after, size_t max,
                                         struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                         struct error *err)
{
    struct layered_store *store = self(base);
    uint64_t *a, *b;
    struct layered_rows under, own;
    TRY(store_ids_with_jobs(store->under, ns, after, max, arena, &a, &under.count, err));
    *ret_id = a, *ret_count = under.count;
    if (!layered_is_used(store)) return ST_OK;
    TRY(store_ids_with_jobs(store->transient, ns, after, max, arena, &b, &own.count, err));
    under.row = a, own.row = b;
    *ret_id = arena_make_n(arena, uint64_t, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, layered_by_id, max, *ret_id);
    return ST_OK;
}

static enum status layered_subscribers(struct store *base, int64_t definition, str correlation,
                                       uint64_t after, uint64_t *ret_instance, size_t max, size_t *ret_count,
                                       struct error *err)
{
    struct layered_store *store = self(base);
    if (!layered_is_used(store))
        return store_subscribers(store->under, definition, correlation, after, ret_instance, max, ret_count,
                                 err);
    uint64_t *a = arena_make_n(&store->scratch, uint64_t, max),
             *b = arena_make_n(&store->scratch, uint64_t, max);
    struct layered_rows under = { .row = a }, own = { .row = b };
    enum status status =
        store_subscribers(store->under, definition, correlation, after, a, max, &under.count, err);
    if (status == ST_OK)
        status = store_subscribers(store->transient, definition, correlation, after, b, max, &own.count, err);
    if (status == ST_OK) *ret_count = layered_merge(under, own, sizeof *a, layered_by_id, max, ret_instance);
    arena_reset(&store->scratch);
    return status;
}

static enum status layered_records(struct store *base, const struct record_filter *filter,
                                   struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                   struct error *err)
{
    struct layered_store *store = self(base);
    struct record_row *a, *b;
    struct layered_rows under, own = { .count = 0 };
    const struct record_filter whole = layered_unskipped(filter);
    if (layered_is_used(store)) TRY(store_records(store->transient, &whole, arena, &b, &own.count, err));
    if (!own.count) return store_records(store->under, filter, arena, ret_row, ret_count, err);
    TRY(store_records(store->under, &whole, arena, &a, &under.count, err));
    under.row = a, own.row = b;
    *ret_row = arena_make_n(arena, struct record_row, under.count + own.count);
    *ret_count = layered_merge(under, own, sizeof *a, filter->down ? layered_by_last_key : layered_by_key,
                               whole.max, *ret_row);
    layered_skip(filter, ret_row, ret_count);
    return ST_OK;
}

/* ---- what only the store under it has ---- */

static enum status layered_take_numbers(struct store *base, struct store_numbers *numbers, struct error *err)
{
    return store_take_numbers(self(base)->under, numbers, err);
}

static enum status layered_find_definition(struct store *base, int32_t ns, str id, int32_t version,
                                           struct arena *arena, struct definition_row *ret_row,
                                           struct error *err)
{
    return found_needed(store_find_definition(self(base)->under, ns, id, version, arena, ret_row, err));
}

static enum status layered_load_definition(struct store *base, int64_t number, struct arena *arena,
                                           struct definition_row *ret_row, struct error *err)
{
    return found_needed(store_load_definition(self(base)->under, number, arena, ret_row, err));
}

static enum status layered_find_content(struct store *base, int32_t ns, str id, uint64_t content,
                                        struct arena *arena, struct definition_row *ret_row,
                                        struct error *err)
{
    return found_needed(store_find_content(self(base)->under, ns, id, content, arena, ret_row, err));
}

static enum status layered_find_idempotency(struct store *base, int32_t ns, str key, struct arena *arena,
                                            struct idempotency_row *ret_row, struct error *err)
{
    return found_needed(store_find_idempotency(self(base)->under, ns, key, arena, ret_row, err));
}

static enum status layered_pending(struct store *base, int32_t ns, str target, int32_t priority,
                                   const struct pending_row *after, struct arena *arena,
                                   struct pending_row *ret_row, size_t max, size_t *ret_count,
                                   struct error *err)
{
    struct store *under = self(base)->under;
    return target.n ? store_pending(under, ns, target, after, arena, ret_row, max, ret_count, err)
                    : store_pending_ready(under, priority, after, arena, ret_row, max, ret_count, err);
}

/* An old version that only transient instances subscribe to is not found. No dialect has both. */
static enum status layered_triggered(struct store *base, int32_t ns, str source, str type, int64_t after,
                                     struct triggered *ret_triggered, size_t max, size_t *ret_count,
                                     struct error *err)
{
    return store_triggered(self(base)->under, ns, source, type, after, ret_triggered, max, ret_count, err);
}

static enum status layered_find_unmatched(struct store *base, const struct unmatched_row *like,
                                          struct arena *arena, struct unmatched_row *ret_row,
                                          struct error *err)
{
    return found_needed(store_find_unmatched_like(self(base)->under, like, arena, ret_row, err));
}

static enum status layered_running_bulk(struct store *base, const struct bulk_row *after,
                                        struct bulk_row *ret_row, struct error *err)
{
    return found_needed(store_running_bulk(self(base)->under, after, ret_row, err));
}

static enum status layered_load_bulk(struct store *base, int64_t number, struct bulk_row *ret_row,
                                     struct error *err)
{
    return found_needed(store_load_bulk(self(base)->under, TENANT_ANY, number, ret_row, err));
}

static enum status layered_load_bulk_part(struct store *base, int64_t bulk, enum bulk_part kind,
                                          int64_t number, struct arena *arena, str *ret_blob,
                                          struct error *err)
{
    return found_needed(store_load_bulk_part(self(base)->under, bulk, kind, number, arena, ret_blob, err));
}

/* A check looks at what survives. */
static enum status layered_integrity(struct store *base, store_found_fn *found, void *context,
                                     struct error *err)
{
    struct store *under = self(base)->under;
    return under->ops->integrity(under, found, context, err);
}

static enum status layered_subscriptions(struct store *base, const struct subscription_row *after,
                                         struct arena *arena, struct subscription_row *ret_row, size_t max,
                                         size_t *ret_count, struct error *err)
{
    return store_subscriptions(self(base)->under, after, arena, ret_row, max, ret_count, err);
}

static enum status layered_children(struct store *base, const struct child_row *after,
                                    struct child_row *ret_row, size_t max, size_t *ret_count,
                                    struct error *err)
{
    struct store *under = self(base)->under;
    return under->ops->children(under, after, ret_row, max, ret_count, err);
}

/* ---- opening ---- */

static const struct store_ops layered_ops = {
    .close = layered_close,
    .begin = layered_begin,
    .apply = layered_apply,
    .commit = layered_commit,
    .rollback = layered_rollback,
    .maintain = layered_maintain,
    .keep_space = layered_keep_space,
    .shrink = layered_shrink,
    .take_numbers = layered_take_numbers,
    .load_instance = layered_load_instance,
    .find_definition = layered_find_definition,
    .load_definition = layered_load_definition,
    .find_content = layered_find_content,
    .count_living = layered_count_living,
    .ended = layered_ended,
    .find_business_key = layered_find_business_key,
    .find_idempotency = layered_find_idempotency,
    .timers = layered_timers,
    .ids_with_jobs = layered_ids_with_jobs,
    .pending = layered_pending,
    .subscribers = layered_subscribers,
    .triggered = layered_triggered,
    .find_child = layered_find_child,
    .find_unmatched = layered_find_unmatched,
    .running_bulk = layered_running_bulk,
    .load_bulk = layered_load_bulk,
    .load_bulk_part = layered_load_bulk_part,
    .purge_bulks = layered_purge_bulks,
    .find_record = layered_find_record,
    .records = layered_records,
    .purge_records = layered_purge_records,
    .purge = layered_purge,
    .remove_tenant = layered_remove_tenant,
    .reader_open = layered_reader_open,
    .integrity = layered_integrity,
    .subscriptions = layered_subscriptions,
    .children = layered_children,
};

struct store *store_layer(struct store *under)
{
    must(!under->in_transaction && !under->broken);
    if (store_is_shared(under)) return under;
    struct layered_store *store = calloc(1, sizeof *store);
    must(store);
    store->base = (struct store){ .ops = &layered_ops,
                                  .settles_commits = under->settles_commits,
                                  .maintenance_due = under->maintenance_due,
                                  .keeps_space = under->keeps_space,
                                  .space = under->space };
    store->under = under;
    store->transient = memory_open();
    memory_forget_links(store->transient);
    arena_init(&store->scratch, 0);
    return &store->base;
}

void store_layer_close(struct store *layer)
{
    if (layer->ops == &layered_ops) store_close(layer);
}

void store_layer_keep_histories(struct store *base)
{
    must(base->ops == &layered_ops);
    self(base)->keeps_histories = true;
}

struct transients store_transients(const struct store *base)
{
    const struct layered_store *store = (const struct layered_store *)base;
    if (base->ops != &layered_ops || !layered_is_used(store)) return (struct transients){ 0 };
    return memory_transients(store->transient);
}
