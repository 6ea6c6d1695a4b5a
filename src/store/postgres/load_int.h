/* store/postgres/load_int.h — what the writer's queries and the readers share. */
#ifndef STORE_POSTGRES_LOAD_INT_H
#define STORE_POSTGRES_LOAD_INT_H

#include "store/postgres/postgres_int.h"

/* How many rows may be returned, or are skipped. SIZE_MAX is more than the server can count. */
static inline void postgres_add_count(struct postgres_params *params, size_t count)
{
    postgres_add_number(params, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static inline void postgres_add_id(struct postgres_params *params, uint64_t id)
{
    postgres_add_number(params, (int64_t)id);
}

/* Sends what waits in the writer's transaction, so that a function below that is given the writer's
 * connection sees it. */
static inline enum status postgres_settle(struct postgres_store *store, struct error *err)
{
    if (!store->base.in_transaction) return ST_OK;
    TRY(postgres_flush(store, err));
    return postgres_transaction(store, err);
}

/* Has the transaction asked nothing yet? Then instances are read by id before it begins, so that it may stay
 * simple (commit.c). A caller that reads an instance in a transaction expects it or changes it. */
static inline bool postgres_reads_ahead(const struct postgres_store *store)
{
    return store->base.in_transaction && !store->db.in_transaction;
}

/* ---- lookups of a writer or a reader (rows.c, records.c) ---- */

enum status postgres_instance(struct postgres_db *db, uint64_t id, struct arena *arena,
                              struct instance_row *ret_row, struct error *err);
enum status postgres_definition(struct postgres_db *db, int32_t ns, str id, int32_t version,
                                struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status postgres_definition_content(struct postgres_db *db, int32_t ns, str id, uint64_t content,
                                        struct arena *arena, struct definition_row *ret_row,
                                        struct error *err);
enum status postgres_definition_number(struct postgres_db *db, int64_t number, struct arena *arena,
                                       struct definition_row *ret_row, struct error *err);
enum status postgres_find_record(struct postgres_db *db, int32_t ns, enum record_kind kind, str key,
                                 struct arena *arena, struct record_row *ret_row, struct error *err);
/* The first key that the filter may list, and the first behind all that it lists; empty: it lists all to the
 * last. */
str postgres_first_key(const struct record_filter *filter, struct arena *arena);
str postgres_end_key(const struct record_filter *filter, struct arena *arena);
enum status postgres_records(struct postgres_db *db, const struct record_filter *filter, struct arena *arena,
                             struct record_row **ret_row, size_t *ret_count, struct error *err);

/* Rows of statements that select BULK_COLUMNS and UNMATCHED_COLUMNS (sql_load.h); the bond of a child, of
 * its column `awaited`. */
struct bulk_row postgres_row_of_bulk(const PGresult *result, int row);
struct unmatched_row postgres_unmatched_row(const PGresult *result, int row, struct arena *arena);
void postgres_set_bond(struct child_row *row, int64_t bond);

/* ---- functions of the table in ops.c ---- */

enum status postgres_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err);
enum status postgres_load_instance(struct store *store, uint64_t id, struct arena *arena,
                                   struct instance_row *ret_row, struct error *err);
enum status postgres_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                     struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status postgres_load_definition(struct store *store, int64_t number, struct arena *arena,
                                     struct definition_row *ret_row, struct error *err);
enum status postgres_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                  struct arena *arena, struct definition_row *ret_row, struct error *err);
enum status postgres_ended(struct store *store, int32_t ns, str definition_id, size_t max,
                           struct arena *arena, struct ended_instance **ret_instance, size_t *ret_count,
                           struct error *err);
enum status postgres_count_living(struct store *store, int32_t ns, str definition_id, int64_t *ret_count,
                                  struct error *err);
enum status postgres_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                       uint64_t *ret_instance, struct error *err);
enum status postgres_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                      struct idempotency_row *ret_row, struct error *err);
enum status postgres_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                            struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err);
enum status postgres_ids_with_jobs(struct store *store, int32_t ns, uint64_t after, size_t max,
                                   struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                   struct error *err);
enum status postgres_pending(struct store *store, int32_t ns, str target, int32_t priority,
                             const struct pending_row *after, struct arena *arena,
                             struct pending_row *ret_row, size_t max, size_t *ret_count, struct error *err);
enum status postgres_subscribers(struct store *store, int64_t definition, str correlation, uint64_t after,
                                 uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err);
enum status postgres_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                               struct triggered *ret_triggered, size_t max, size_t *ret_count,
                               struct error *err);
enum status postgres_find_child(struct store *store, uint64_t parent, uint32_t number,
                                struct child_row *ret_row, struct error *err);
enum status postgres_find_unmatched(struct store *store, const struct unmatched_row *like,
                                    struct arena *arena, struct unmatched_row *ret_row, struct error *err);
enum status postgres_subscriptions(struct store *store, const struct subscription_row *after,
                                   struct arena *arena, struct subscription_row *ret_row, size_t max,
                                   size_t *ret_count, struct error *err);
enum status postgres_children(struct store *store, const struct child_row *after, struct child_row *ret_row,
                              size_t max, size_t *ret_count, struct error *err);

enum status postgres_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                  struct error *err);
enum status postgres_bulk_load(struct store *store, int64_t number, struct bulk_row *ret_row,
                               struct error *err);
enum status postgres_bulk_load_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                    struct arena *arena, str *ret_blob, struct error *err);
enum status postgres_bulk_purge(struct store *store, int64_t before_ms, int64_t kept_max, size_t max,
                                size_t *ret_removed, struct error *err);
enum status postgres_records_purge(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                   size_t *ret_removed, struct error *err);
enum status postgres_purge(struct store *store, const struct purge *purge, size_t max,
                           struct purged *ret_purged, struct error *err);
enum status postgres_remove_tenant(struct store *store, int32_t ns, size_t max, struct arena *arena,
                                   struct tenant_removal *removal, struct error *err);
enum status postgres_integrity(struct store *store, store_found_fn *found, void *context, struct error *err);

#endif
