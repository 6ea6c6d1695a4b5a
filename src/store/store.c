/* store/store.c — the rules that all back ends share, and the calls into them. */
#include "store/store_int.h"

#include "base/must.h"

#include <inttypes.h>

void store_close(struct store *store)
{
    if (!store) return;
    if (store->in_transaction) store_rollback(store);
    store->ops->close(store);
}

/* ---- transactions ---- */

enum status store_begin(struct store *store, struct error *err)
{
    must(!store->in_transaction);
    if (store->broken) return fail(err, ST_STORE, "store", "the store has failed and must be opened again");
    TRY(store->ops->begin(store, err));
    store->in_transaction = true;
    store->must_roll_back = store->tried_too_early = false;
    return ST_OK;
}

enum status store_lose(struct store *store, enum status status)
{
    must(store->in_transaction && status != ST_OK);
    store->must_roll_back = true;
    store->tried_too_early = status == ST_AGAIN;
    return status;
}

enum status store_usable(const struct store *store, struct error *err)
{
    must(store->in_transaction);
    if (store->must_roll_back)
        return fail(err, store->tried_too_early ? ST_AGAIN : ST_STORE, "transaction",
                    "an earlier failure leaves only a rollback");
    return ST_OK;
}

enum status store_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    must(!changeset->bulk_add || !changeset->bulk_update);
    must(!changeset->instance || !changeset->instance->ended_ms ||
         instance_status_ended(changeset->instance->status));
    must(!changeset->before || changeset->before->id == changeset->instance->id);
    must(!changeset->insert || (changeset->instance && !changeset->before && !changeset->row_later));
    must(changeset->instance || !changeset->history.n);
    must(!changeset->row_later || (changeset->before && changeset->history.n));
    TRY(store_usable(store, err));
    enum status status = store->ops->apply(store, changeset, err);
    return status == ST_OK ? ST_OK : store_lose(store, status);
}

enum status store_purge(struct store *store, const struct purge *purge, size_t max, struct purged *ret_purged,
                        struct error *err)
{
    TRY(store_usable(store, err));
    struct purged purged = { .total = 0 };
    enum status status = store->ops->purge(store, purge, max, &purged, err);
    if (status != ST_OK) return store_lose(store, status);
    purged.total = purged.unmatched + purged.keys;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) purged.total += purged.instances[i];
    purged.more |= purged.total == max;
    must(purged.total <= max);
    *ret_purged = purged;
    return ST_OK;
}

enum status store_purge_bulks(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                              size_t *ret_removed, struct error *err)
{
    TRY(store_usable(store, err));
    enum status status = store->ops->purge_bulks(store, before_ms, kept_max, max, ret_removed, err);
    return status == ST_OK ? ST_OK : store_lose(store, status);
}

enum status store_purge_records(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                size_t *ret_removed, struct error *err)
{
    TRY(store_usable(store, err));
    enum status status = store->ops->purge_records(store, kind, before_ms, max, ret_removed, err);
    return status == ST_OK ? ST_OK : store_lose(store, status);
}

enum status store_commit(struct store *store, struct error *err)
{
    TRY(store_usable(store, err));
    enum status status = store->ops->commit(store, err);
    if (status != ST_OK) {
        if (status != ST_FULL && !store->settles_commits) store->broken = true;
        return store_lose(store, status);
    }
    store->in_transaction = false;
    return ST_OK;
}

void store_rollback(struct store *store)
{
    must(store->in_transaction);
    store->ops->rollback(store);
    store->in_transaction = false;
}

bool store_broken(const struct store *store) { return store->broken; }
bool store_left_open(const struct store *store) { return store->left_open; }

/* ---- maintenance ---- */

bool store_maintenance_due(const struct store *store) { return store->maintenance_due && !store->broken; }

enum status store_maintain(struct store *store, struct error *err)
{
    must(!store->in_transaction);
    return store_maintenance_due(store) ? store->ops->maintain(store, err) : ST_OK;
}

enum store_space store_space(const struct store *store) { return store->space; }

static void keep_space(struct store *store, enum store_space space)
{
    store->space = store->ops->keep_space ? store->ops->keep_space(store, space) : space;
    must(store->space >= space && store->space <= STORE_SPACE_OUT);
}

bool store_release_space(struct store *store)
{
    must(!store->in_transaction);
    if (store->space == STORE_SPACE_OUT) return false;
    keep_space(store, store->space + 1);
    return true;
}

enum status store_reclaim_space(struct store *store, bool shrink, bool *ret_more, struct error *err)
{
    must(!store->in_transaction);
    bool more = false;
    enum status status = shrink && store->ops->shrink ? store->ops->shrink(store, &more, err) : ST_OK;
    if (status == ST_FULL) return status;
    if (!store->keeps_space || store->space != STORE_SPACE_ENOUGH) keep_space(store, STORE_SPACE_ENOUGH);
    store->keeps_space = true;
    if (status == ST_OK) *ret_more = more;
    return status;
}

/* ---- the writer's queries ---- */

/* A failed read may have ended the transaction: SQLite then rolls back by itself, and the next changeset
 * would be a transaction of its own. */
enum status store_after_read(struct store *store, enum status status)
{
    bool lost = status == ST_STORE || status == ST_FULL || status == ST_AGAIN;
    return store->in_transaction && lost ? store_lose(store, status) : status;
}

enum status store_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err)
{
    return store_after_read(store, store->ops->take_numbers(store, numbers, err));
}

/* A row of another tenant is not there, and the caller gets nothing of it. */
static enum status of_tenant(enum status status, int32_t asked, int32_t tenant, struct error *err)
{
    if (status != ST_OK || tenant_fits(asked, tenant)) return status;
    return fail(err, ST_NOT_FOUND, "", "not found");
}

struct found store_load_instance(struct store *store, int32_t ns, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    struct instance_row row;
    enum status status = store_after_read(store, store->ops->load_instance(store, id, arena, &row, err));
    status = of_tenant(status, ns, row.ns, err);
    if (status == ST_OK) *ret_row = row;
    return found_of(status);
}

struct found store_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return found_of(
        store_after_read(store, store->ops->find_definition(store, ns, id, version, arena, ret_row, err)));
}

struct found store_load_definition(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err)
{
    return found_of(store_after_read(store, store->ops->load_definition(store, number, arena, ret_row, err)));
}

struct found store_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return found_of(
        store_after_read(store, store->ops->find_content(store, ns, id, content, arena, ret_row, err)));
}

enum status store_count_living(struct store *store, int32_t ns, str definition_id, int64_t *ret_count,
                               struct error *err)
{
    return store_after_read(store, store->ops->count_living(store, ns, definition_id, ret_count, err));
}

enum status store_ended(struct store *store, int32_t ns, str definition_id, size_t max, struct arena *arena,
                        struct ended_instance **ret_instance, size_t *ret_count, struct error *err)
{
    return store_after_read(
        store, store->ops->ended(store, ns, definition_id, max, arena, ret_instance, ret_count, err));
}

struct found store_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                     uint64_t *ret_instance, struct error *err)
{
    return found_of(store_after_read(
        store, store->ops->find_business_key(store, ns, definition_id, key, ret_instance, err)));
}

struct found store_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                    struct idempotency_row *ret_row, struct error *err)
{
    return found_of(
        store_after_read(store, store->ops->find_idempotency(store, ns, key, arena, ret_row, err)));
}

enum status store_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                         struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    enum status status =
        store_after_read(store, store->ops->timers(store, after, until_ms, ret_row, max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_ids_with_jobs(struct store *store, int32_t ns, uint64_t after, size_t max,
                                struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    enum status status = store_after_read(
        store, store->ops->ids_with_jobs(store, ns, after, max, arena, ret_id, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_instances_with_jobs(struct store *store, uint64_t after, struct arena *arena,
                                      struct instance_row *ret_row, size_t max, size_t *ret_count,
                                      struct error *err)
{
    uint64_t *id;
    size_t count;
    TRY(store_ids_with_jobs(store, TENANT_ANY, after, max, arena, &id, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(found_needed(store_load_instance(store, TENANT_ANY, id[i], arena, &ret_row[i], err)));
    *ret_count = count;
    return ST_OK;
}

enum status store_pending(struct store *store, int32_t ns, str target, const struct pending_row *after,
                          struct arena *arena, struct pending_row *ret_row, size_t max, size_t *ret_count,
                          struct error *err)
{
    must(target.n);
    enum status status = store_after_read(
        store, store->ops->pending(store, ns, target, 0, after, arena, ret_row, max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_pending_ready(struct store *store, int32_t priority, const struct pending_row *after,
                                struct arena *arena, struct pending_row *ret_row, size_t max,
                                size_t *ret_count, struct error *err)
{
    must(priority >= 0 && priority < PRIORITY_COUNT);
    enum status status =
        store_after_read(store, store->ops->pending(store, TENANT_ANY, STR_NONE, priority, after, arena,
                                                    ret_row, max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_subscribers(struct store *store, int64_t definition, str correlation, uint64_t after,
                              uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err)
{
    enum status status =
        store_after_read(store, store->ops->subscribers(store, definition, correlation, after, ret_instance,
                                                        max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_subscriptions(struct store *store, const struct subscription_row *after,
                                struct arena *arena, struct subscription_row *ret_row, size_t max,
                                size_t *ret_count, struct error *err)
{
    enum status status =
        store_after_read(store, store->ops->subscriptions(store, after, arena, ret_row, max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status store_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                            struct triggered *ret_triggered, size_t max, size_t *ret_count, struct error *err)
{
    enum status status = store_after_read(
        store, store->ops->triggered(store, ns, source, type, after, ret_triggered, max, ret_count, err));
    must(status != ST_OK || *ret_count <= max);
    return status;
}

struct found store_find_child(struct store *store, uint64_t parent, uint32_t number,
                              struct child_row *ret_row, struct error *err)
{
    return found_of(store_after_read(store, store->ops->find_child(store, parent, number, ret_row, err)));
}

struct found store_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err)
{
    return found_of(store_after_read(store, store->ops->running_bulk(store, after, ret_row, err)));
}

struct found store_load_bulk(struct store *store, int32_t ns, int64_t number, struct bulk_row *ret_row,
                             struct error *err)
{
    struct bulk_row row;
    enum status status = store_after_read(store, store->ops->load_bulk(store, number, &row, err));
    status = of_tenant(status, ns, row.ns, err);
    if (status == ST_OK) *ret_row = row;
    return found_of(status);
}

struct found store_load_bulk_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err)
{
    return found_of(
        store_after_read(store, store->ops->load_bulk_part(store, bulk, kind, number, arena, ret_blob, err)));
}

struct found store_find_record(struct store *store, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return found_of(
        store_after_read(store, store->ops->find_record(store, ns, kind, key, arena, ret_row, err)));
}

enum status store_records(struct store *store, const struct record_filter *filter, struct arena *arena,
                          struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    enum status status =
        store_after_read(store, store->ops->records(store, filter, arena, ret_row, ret_count, err));
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

/* ---- tenants ---- */

enum { TENANT_KEY_BYTES = 4 };

/* A record of a tenant has its number as the key, the highest byte first. */
static struct record_filter tenants_after(int32_t after, char key[TENANT_KEY_BYTES])
{
    for (int i = 0; i < TENANT_KEY_BYTES; i++) key[i] = (char)((uint32_t)after >> (24 - 8 * i));
    return (struct record_filter){
        .ns = TENANT_ANY, .kind = RECORD_TENANT_NUMBER, .after = { key, TENANT_KEY_BYTES }, .max = 1
    };
}

static int32_t tenant_of(const struct record_row *row, size_t count)
{
    uint32_t number = 0;
    for (size_t i = 0; count && i < row->key.n && i < TENANT_KEY_BYTES; i++)
        number = number << 8 | (unsigned char)row->key.p[i];
    return (int32_t)number;
}

enum status store_next_tenant(struct store *store, int32_t after, int32_t *ret_ns, struct error *err)
{
    char key[TENANT_KEY_BYTES];
    const struct record_filter filter = tenants_after(after, key);
    struct record_row *row = NULL;
    size_t count = 0;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status =
        after < TENANT_DEFAULT ? ST_OK : store_records(store, &filter, &arena, &row, &count, err);
    if (status == ST_OK) *ret_ns = after < TENANT_DEFAULT ? TENANT_DEFAULT : tenant_of(row, count);
    arena_done(&arena);
    return status;
}

enum status reader_next_tenant(struct store_reader *reader, int32_t after, int32_t *ret_ns, struct error *err)
{
    char key[TENANT_KEY_BYTES];
    const struct record_filter filter = tenants_after(after, key);
    struct record_row *row = NULL;
    size_t count = 0;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status =
        after < TENANT_DEFAULT ? ST_OK : reader_records(reader, &filter, &arena, &row, &count, err);
    if (status == ST_OK) *ret_ns = after < TENANT_DEFAULT ? TENANT_DEFAULT : tenant_of(row, count);
    arena_done(&arena);
    return status;
}

/* ---- readers ---- */

enum status store_reader_open(struct store *store, struct store_reader **ret_reader, struct error *err)
{
    return store->ops->reader_open(store, ret_reader, err);
}

void store_reader_close(struct store_reader *reader)
{
    if (reader) reader->ops->close(reader);
}

void reader_leave(struct store_reader *reader)
{
    atomic_store(&reader->leaving, true);
    if (reader->ops->leave) reader->ops->leave(reader);
}

void reader_bound(struct store_reader *reader, size_t bytes_max) { reader->bytes_max = bytes_max; }

enum status reader_instances(struct store_reader *reader, const struct instance_filter *filter,
                             struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                             int64_t *ret_total, struct error *err)
{
    enum status status = reader->ops->instances(reader, filter, arena, ret_row, ret_count, ret_total, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

struct found reader_instance(struct store_reader *reader, int32_t ns, uint64_t id, struct arena *arena,
                             struct instance_row *ret_row, struct error *err)
{
    struct instance_row row;
    enum status status = reader->ops->instance(reader, id, arena, &row, err);
    status = of_tenant(status, ns, row.ns, err);
    if (status == ST_OK) *ret_row = row;
    return found_of(status);
}

enum status reader_history(struct store_reader *reader, uint64_t instance, uint32_t after, size_t max,
                           struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err)
{
    return reader->ops->history(reader, instance, after, max, arena, ret_blob, ret_count, err);
}

enum status reader_history_back(struct store_reader *reader, const struct history_filter *filter,
                                struct arena *arena, struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err)
{
    return reader->ops->history_back(reader, filter, arena, ret_row, ret_count, ret_next, err);
}

enum status reader_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip, size_t max,
                               struct arena *arena, struct definition_row **ret_row, size_t *ret_count,
                               int64_t *ret_total, struct error *err)
{
    enum status status =
        reader->ops->definitions(reader, ns, keyword, skip, max, arena, ret_row, ret_count, ret_total, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status reader_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                     struct arena *arena, struct definition_row **ret_row, size_t *ret_count,
                                     struct error *err)
{
    enum status status =
        reader->ops->definitions_after(reader, ns, after, max, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

struct found reader_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                               struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return found_of(reader->ops->definition(reader, ns, id, version, arena, ret_row, err));
}

struct found reader_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                         struct definition_row *ret_row, struct error *err)
{
    return found_of(reader->ops->definition_by_number(reader, number, arena, ret_row, err));
}

enum status reader_worklist(struct store_reader *reader, const struct worklist_filter *filter,
                            struct arena *arena, struct task_row **ret_row, size_t *ret_count,
                            struct worklist_place *ret_next, struct error *err)
{
    enum status status = reader->ops->worklist(reader, filter, arena, ret_row, ret_count, ret_next, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

struct found reader_task(struct store_reader *reader, int32_t ns, uint64_t instance, uint32_t execution,
                         struct arena *arena, struct task_row *ret_row, struct error *err)
{
    struct task_filter filter = {
        .ns = ns, .instance = instance, .after_instance = instance, .after_execution = execution - 1, .max = 1
    };
    struct task_row *row;
    size_t count;
    if (!execution) return found_of(fail(err, ST_NOT_FOUND, "task", "no such task"));
    TRY_FOUND(found_of(reader_tasks(reader, &filter, arena, &row, &count, NULL, err)));
    if (!count || row->execution != execution)
        return found_of(fail(err, ST_NOT_FOUND, "task", "no such task"));
    *ret_row = *row;
    return found_of(ST_OK);
}

enum status reader_tasks(struct store_reader *reader, const struct task_filter *filter, struct arena *arena,
                         struct task_row **ret_row, size_t *ret_count, int64_t *ret_total, struct error *err)
{
    enum status status = reader->ops->tasks(reader, filter, arena, ret_row, ret_count, ret_total, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

enum status reader_children(struct store_reader *reader, uint64_t parent, size_t max, struct arena *arena,
                            struct child_listed **ret_view, size_t *ret_count, int64_t *ret_total,
                            struct error *err)
{
    enum status status =
        reader->ops->children(reader, parent, max, arena, ret_view, ret_count, ret_total, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status reader_each_instance(struct store_reader *reader, int32_t ns, reader_visit_fn *visit,
                                 void *context, struct error *err)
{
    enum { PAGE_ROWS = 100 };
    struct instance_filter filter = { .ns = ns, .status = -1, .max = PAGE_ROWS };
    struct instance_row *row;
    size_t count;
    struct arena page;
    arena_init(&page, 0);
    enum status status;
    do {
        arena_reset(&page);
        status = reader_instances(reader, &filter, &page, &row, &count, NULL, err);
        for (size_t i = 0; status == ST_OK && i < count; i++) {
            status = visit(context, &row[i], err);
            filter.before = row[i].id;
        }
    } while (status == ST_OK && count);
    arena_done(&page);
    return status;
}

enum status reader_failures(struct store_reader *reader, const struct selection_filter *filter,
                            struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                            struct error *err)
{
    enum status status = reader->ops->failures(reader, filter, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

enum status reader_candidates(struct store_reader *reader, const struct selection_filter *filter,
                              struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                              struct error *err)
{
    enum status status = reader->ops->candidates(reader, filter, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

enum status reader_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                         struct arena *arena, struct bulk_row **ret_row, size_t *ret_count, struct error *err)
{
    enum status status = reader->ops->bulks(reader, ns, before, max, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status reader_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind, int64_t from,
                              size_t max, struct arena *arena, struct bulk_part_row **ret_row,
                              size_t *ret_count, struct error *err)
{
    enum status status =
        reader->ops->bulk_parts(reader, bulk, kind, from, max, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

struct found reader_find_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                                struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return found_of(reader->ops->find_record(reader, ns, kind, key, arena, ret_row, err));
}

enum status reader_records(struct store_reader *reader, const struct record_filter *filter,
                           struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                           struct error *err)
{
    enum status status = reader->ops->records(reader, filter, arena, ret_row, ret_count, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

enum status reader_find(struct store_reader *reader, const struct find_filter *filter, struct arena *arena,
                        uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    enum status status = reader->ops->find(reader, filter, arena, ret_id, ret_count, err);
    must(status != ST_OK || *ret_count <= filter->max);
    return status;
}

enum status reader_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                             const struct found_key *after, size_t max, struct arena *arena,
                             struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    enum status status =
        reader->ops->find_keys(reader, ns, prefix, after, max, arena, ret_found, ret_count, err);
    must(status != ST_OK || *ret_count <= max);
    return status;
}

enum status reader_counts(struct store_reader *reader, const struct find_filter *filter,
                          struct store_counts *ret_counts, struct error *err)
{
    struct store_counts counts = { .tasks = 0 };
    TRY(reader->ops->counts(reader, filter, &counts, err));
    *ret_counts = counts;
    return ST_OK;
}

enum status reader_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                           struct arena *arena, struct error *err)
{
    must(measure->ns > TENANT_ANY && max);
    return measure->is_over ? ST_OK : reader->ops->measure(reader, measure, max, arena, err);
}

enum status reader_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                              struct error *err)
{
    return reader->ops->statistics(reader, ret_statistics, err);
}

/* ---- shared by the back ends ---- */

static bool contains_ignoring_case(str text, str part)
{
    for (size_t from = 0; from + part.n <= text.n; from++)
        if (str_equal_ignoring_case(str_slice(text, from, from + part.n), part)) return true;
    return false;
}

bool store_definition_matches(const struct definition_row *row, str keyword)
{
    return !keyword.n || contains_ignoring_case(row->id, keyword) ||
           contains_ignoring_case(row->title, keyword);
}

bool store_state_left(str state, struct arena *arena, struct state_left *ret_left)
{
    const struct instance *decoded;
    if (core_decode(state, NULL, arena, &decoded, NULL) != ST_OK) return false;
    struct timer_row *row = arena_make_n(arena, struct timer_row, decoded->timer_count);
    for (size_t i = 0; i < decoded->timer_count; i++)
        row[i] = (struct timer_row){ .due_ms = decoded->timer[i].due_ms,
                                     .instance = decoded->id,
                                     .number = decoded->timer[i].number };
    *ret_left = (struct state_left){ row,
                                     decoded->timer_count,
                                     { decoded->definition, decoded->correlation, decoded->id } };
    return true;
}

struct failure_row store_state_failure(const struct instance *state, int32_t ns)
{
    struct failure_row row = { .instance = state->id,
                               .ns = ns,
                               .definition = state->definition,
                               .created_ms = state->created_ms,
                               .failed_ms = state->ended_ms,
                               .business_key = state->business_key,
                               .reason = state->failure };
    for (size_t i = 0; i < state->token_count; i++)
        if (state->token[i].state == TOKEN_FAILED) row.step = state->token[i].node_name;
    return row;
}

bool store_record_is_shared(enum record_kind kind)
{
    enum { OWN, SHARED, ALL };
    static const char scopes[] = {
#define XX(NAME, word, scope) [RECORD_##NAME] = scope,
        RECORD_KIND_MAP(XX)
#undef XX
    };
    must(kind < RECORD_KIND_COUNT);
    return scopes[kind] == SHARED;
}

const char *store_record_word(enum record_kind kind)
{
    static const char *const words[] = {
#define XX(NAME, word, scope) [RECORD_##NAME] = word,
        RECORD_KIND_MAP(XX)
#undef XX
    };
    must(kind < RECORD_KIND_COUNT);
    return words[kind];
}

str store_record_bound(const struct record_filter *filter, struct arena *arena)
{
    size_t n = filter->prefix.n;
    while (n && filter->prefix.p[n - 1] == '\xff') n--;
    must(n); /* Else no text is behind all that begin with it. */
    char *behind = arena_alloc(arena, n);
    memcpy(behind, filter->prefix.p, n);
    behind[n - 1] = (char)((unsigned char)behind[n - 1] + 1);
    str end = { behind, n };
    return filter->upto.n && str_compare(filter->upto, end) < 0 ? filter->upto : end;
}

enum status store_fail_no_record(enum record_kind kind, struct error *err)
{
    return fail(err, ST_NOT_FOUND, store_record_word(kind), "there is no such %s", store_record_word(kind));
}

enum status store_fail_no_bulk(int64_t number, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "bulk", "there is no bulk %" PRId64, number);
}

enum status store_fail_no_instance(uint64_t id, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "instance", "there is no instance %" PRIu64, id);
}

enum status store_fail_no_definition(struct error *err)
{
    return fail(err, ST_NOT_FOUND, "definition", "there is no such definition");
}

enum status store_fail_no_holder(struct error *err)
{
    return fail(err, ST_NOT_FOUND, "businessKey", "no live instance has the business key");
}

enum status store_fail_no_child(uint64_t parent, uint32_t number, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "child", "job %" PRIu32 " of instance %" PRIu64 " has started nothing",
                number, parent);
}

enum status store_fail_broken_chain(uint64_t instance, struct error *err)
{
    return fail(err, ST_STORE, "history", "the history of instance %" PRIu64 " is broken", instance);
}

bool store_purge_takes(const struct purge *purge, size_t history, struct purged *purged)
{
    /* The first one is taken whatever its size, or it would stay for ever. */
    size_t max = purge->history_max, taken = purged->history;
    if (max && taken && (taken >= max || history > max - taken)) purged->more = true;
    if (purged->more) return false;
    purged->history += history;
    return true;
}

void store_note_broken_chain(uint64_t instance, struct purged *purged)
{
    purged->broken_count++;
    purged->broken = instance;
}
