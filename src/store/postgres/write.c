/* store/postgres/write.c — a changeset becomes rows of sets. */
#include "store/postgres/nodes_int.h"

#include "base/hash.h"
#include "store/worklist.h"

/* Keys are hashes of the columns that make a row's key: an equal hash only costs a statement more. */
static uint64_t key_of(int64_t a, int64_t b, int64_t c)
{
    int64_t part[3] = { a, b, c };
    return hash_bytes((str){ (const char *)part, sizeof part });
}

static uint64_t key_of_bytes(int64_t a, int64_t b, str bytes)
{
    return key_of(a, b, (int64_t)hash_bytes(bytes));
}

/* A removal is counted by its statement, because the timer may be gone. */
static enum status write_timer(struct postgres_store *store, enum postgres_sql sql,
                               const struct timer_row *row, struct error *err)
{
    struct postgres_set *set;
    uint64_t key = key_of(row->due_ms, (int64_t)row->instance, row->number);
    TRY(postgres_row(store, sql, SQL_TIMER_DELETE, key, &set, err));
    postgres_array_number(&set->column[0], row->due_ms);
    postgres_array_number(&set->column[1], (int64_t)row->instance);
    postgres_array_number(&set->column[2], row->number);
    if (sql == SQL_TIMER_INSERT) postgres_tally(store, 0, POSTGRES_SLOT_TIMERS, 1);
    return ST_OK;
}

/* ---- tasks ---- */

static void put_visit(struct postgres_set *set, int column, const struct task_row *row)
{
    postgres_array_number(&set->column[column], (int64_t)row->instance);
    postgres_array_number(&set->column[column + 1], row->execution);
}

static void add_to_worklists(struct postgres_store *store, const struct task_row *row)
{
    struct worklist_entry *entry;
    struct postgres_set *set = &store->set[SQL_WORKLIST_INSERT];
    size_t count = worklist_entries(row, &store->scratch, &entry);
    int64_t due_ms = worklist_place_of(row, &store->scratch).due_ms;
    for (size_t i = 0; i < count; i++) {
        set->rows++;
        postgres_array_number(&set->column[0], row->ns);
        postgres_array_number(&set->column[1], entry[i].list);
        postgres_array_bytes(&set->column[2], entry[i].who);
        postgres_array_number(&set->column[3], due_ms);
        put_visit(set, 4, row);
    }
}

static enum status add_task(struct postgres_store *store, const struct task_row *row, struct error *err)
{
    struct postgres_set *set;
    uint64_t key = key_of((int64_t)row->instance, row->execution, 0);
    TRY(postgres_row(store, SQL_TASK_INSERT, SQL_TASK_DELETE, key, &set, err));
    put_visit(set, 0, row);
    postgres_array_number(&set->column[2], row->ns);
    postgres_array_number(&set->column[3], row->definition);
    postgres_array_number(&set->column[4], row->created_ms);
    postgres_array_bytes(&set->column[5], row->node);
    postgres_array_bytes(&set->column[6], row->title);
    postgres_array_bytes(&set->column[7], row->label);
    postgres_array_optional(&set->column[8], row->details);
    if (row->details.n) add_to_worklists(store, row);
    postgres_tally(store, row->definition, POSTGRES_SLOT_TASKS, 1);
    return ST_OK;
}

/* The statement counts what it removes. Its rows in worklists go, too, if it has any. */
static enum status remove_task(struct postgres_store *store, const struct task_row *row, struct error *err)
{
    struct postgres_set *set, *lists = &store->set[SQL_WORKLIST_DELETE];
    uint64_t key = key_of((int64_t)row->instance, row->execution, 0);
    TRY(postgres_row(store, SQL_TASK_DELETE, SQL_TASK_DELETE, key, &set, err));
    put_visit(set, 0, row);
    lists->rows++;
    put_visit(lists, 0, row);
    return ST_OK;
}

/* ---- what hangs on an instance, and what does not ---- */

static enum status remove_pending(struct postgres_store *store, const struct pending_row *row,
                                  struct error *err)
{
    struct postgres_set *set;
    uint64_t key = key_of((int64_t)row->parent, row->number, 0);
    TRY(postgres_row(store, SQL_PENDING_DELETE, SQL_PENDING_DELETE, key, &set, err));
    postgres_array_number(&set->column[0], (int64_t)row->parent);
    postgres_array_number(&set->column[1], row->number);
    return ST_OK;
}

static enum status add_pending(struct postgres_store *store, const struct pending_row *row, struct error *err)
{
    struct postgres_set *set;
    uint64_t key = key_of((int64_t)row->parent, row->number, 0);
    TRY(postgres_row(store, SQL_PENDING_INSERT, SQL_PENDING_DELETE, key, &set, err));
    postgres_array_number(&set->column[0], (int64_t)row->parent);
    postgres_array_number(&set->column[1], row->number);
    postgres_array_number(&set->column[2], row->ns);
    postgres_array_bytes(&set->column[3], row->target);
    postgres_array_bytes(&set->column[4], row->business_key);
    postgres_array_number(&set->column[5], row->created_ms);
    postgres_array_bytes(&set->column[6], row->data);
    return ST_OK;
}

static enum status write_subscription(struct postgres_store *store, enum postgres_sql sql,
                                      const struct subscription_row *row, struct error *err)
{
    struct postgres_set *set;
    uint64_t key = key_of_bytes(row->definition, (int64_t)row->instance, row->correlation);
    TRY(postgres_row(store, sql, SQL_SUBSCRIPTION_DELETE, key, &set, err));
    postgres_array_number(&set->column[0], row->definition);
    postgres_array_bytes(&set->column[1], row->correlation);
    postgres_array_number(&set->column[2], (int64_t)row->instance);
    return ST_OK;
}

static void add_child(struct postgres_store *store, const struct child_row *row)
{
    struct postgres_set *set = &store->set[SQL_CHILD_INSERT];
    set->rows++;
    postgres_array_number(&set->column[0], (int64_t)row->parent);
    postgres_array_number(&set->column[1], row->number);
    postgres_array_number(&set->column[2], (int64_t)row->instance);
    postgres_array_number(&set->column[3], postgres_bond(row));
}

static void add_unmatched(struct postgres_store *store, const struct unmatched_row *row)
{
    struct postgres_set *set = &store->set[SQL_UNMATCHED_INSERT];
    set->rows++;
    postgres_array_number(&set->column[0], row->ns);
    postgres_array_number(&set->column[1], row->received_ms);
    postgres_array_bytes(&set->column[2], row->reason);
    postgres_array_bytes(&set->column[3], row->event);
    postgres_array_optional(&set->column[4], row->identity);
}

static void remove_unmatched(struct postgres_store *store, int64_t number)
{
    struct postgres_set *set = &store->set[SQL_UNMATCHED_DELETE];
    set->rows++;
    postgres_array_number(&set->column[0], number);
}

static void add_idempotency(struct postgres_store *store, const struct idempotency_row *row)
{
    struct postgres_set *set = &store->set[SQL_IDEMPOTENCY_INSERT];
    set->rows++;
    postgres_array_number(&set->column[0], row->ns);
    postgres_array_bytes(&set->column[1], row->key);
    postgres_array_number(&set->column[2], (int64_t)row->request);
    postgres_array_number(&set->column[3], row->created_ms);
    postgres_array_number(&set->column[4], row->http_status);
    postgres_array_bytes(&set->column[5], row->answer);
}

static void add_definition(struct postgres_store *store, const struct definition_row *row)
{
    struct postgres_set *set = &store->set[SQL_DEFINITION_INSERT];
    set->rows++;
    store->begins_generation = true;
    postgres_array_number(&set->column[0], row->number);
    postgres_array_number(&set->column[1], row->ns);
    postgres_array_bytes(&set->column[2], row->id);
    postgres_array_number(&set->column[3], row->version);
    postgres_array_number(&set->column[4], row->rank);
    postgres_array_number(&set->column[5], row->priority);
    postgres_array_bytes(&set->column[6], row->dialect);
    postgres_array_bytes(&set->column[7], row->title);
    postgres_array_number(&set->column[8], (int64_t)row->content);
    postgres_array_number(&set->column[9], row->created_ms);
    postgres_array_bytes(&set->column[10], row->source);
    postgres_array_bytes(&set->column[11], row->author);
    postgres_array_bytes(&set->column[12], row->revision);
    postgres_array_number(&set->column[13], row->restores);
    postgres_array_number(&set->column[14], store_retired_column(row));
}

static void retire_definition(struct postgres_store *store, const struct definition_row *row)
{
    struct postgres_set *set = &store->set[SQL_DEFINITION_RETIRE];
    set->rows++;
    store->begins_generation = true;
    postgres_array_number(&set->column[0], row->number);
    postgres_array_number(&set->column[1], store_retired_column(row));
}

/* Counts that the transaction has gathered are written before, so that they go, too. */
static enum status remove_definition(struct postgres_store *store, const struct definition_row *row,
                                     struct error *err)
{
    struct postgres_set *set;
    postgres_put_tally(store);
    TRY(postgres_flush(store, err));
    TRY(postgres_row(store, SQL_DEFINITION_DELETE, SQL_DEFINITION_DELETE, key_of_bytes(row->ns, 0, row->id),
                     &set, err));
    store->begins_generation = true;
    postgres_array_number(&set->column[0], row->ns);
    postgres_array_bytes(&set->column[1], row->id);
    return ST_OK;
}

static void add_trigger(struct postgres_store *store, const struct trigger_row *row)
{
    struct postgres_set *set = &store->set[SQL_TRIGGER_INSERT];
    set->rows++;
    postgres_array_number(&set->column[0], row->ns);
    postgres_array_bytes(&set->column[1], row->source);
    postgres_array_bytes(&set->column[2], row->type);
    postgres_array_number(&set->column[3], row->definition);
}

static enum status reserve_ids(struct postgres_store *store, uint64_t highest, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, (int64_t)highest);
    TRY(postgres_transaction(store, err));
    return postgres_send(&store->db, SQL_INSTANCE_HIGH, &params, err);
}

/* Removals come first, because a row that the same command closes and opens again may have the same key. */
static enum status apply_effects(struct postgres_store *store, const struct changeset *change,
                                 struct error *err)
{
    for (size_t i = 0; i < change->timer_remove_count; i++)
        TRY(write_timer(store, SQL_TIMER_DELETE, &change->timer_remove[i], err));
    for (size_t i = 0; i < change->timer_add_count; i++)
        TRY(write_timer(store, SQL_TIMER_INSERT, &change->timer_add[i], err));
    for (size_t i = 0; i < change->job_remove_count; i++)
        TRY(postgres_remove_job(store, &change->job_remove[i], err));
    for (size_t i = 0; i < change->job_add_count; i++) TRY(postgres_add_job(store, &change->job_add[i], err));
    for (size_t i = 0; i < change->task_remove_count; i++)
        TRY(remove_task(store, &change->task_remove[i], err));
    for (size_t i = 0; i < change->task_add_count; i++) TRY(add_task(store, &change->task_add[i], err));
    if (change->pending_remove) TRY(remove_pending(store, change->pending_remove, err));
    if (change->pending_add) TRY(add_pending(store, change->pending_add, err));
    if (change->subscription_remove)
        TRY(write_subscription(store, SQL_SUBSCRIPTION_DELETE, change->subscription_remove, err));
    if (change->subscription_add)
        TRY(write_subscription(store, SQL_SUBSCRIPTION_INSERT, change->subscription_add, err));
    return ST_OK;
}

enum status postgres_apply(struct store *base, struct changeset *change, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    if (change->instance_high) TRY(reserve_ids(store, change->instance_high, err));
    if (change->definition) add_definition(store, change->definition);
    if (change->definition_retire) retire_definition(store, change->definition_retire);
    if (change->definition_remove) TRY(remove_definition(store, change->definition_remove, err));
    for (size_t i = 0; i < change->trigger_add_count; i++) add_trigger(store, &change->trigger_add[i]);
    if (change->instance) TRY(postgres_apply_instance(store, change, err));
    TRY(apply_effects(store, change, err));
    if (change->child_add) add_child(store, change->child_add);
    if (change->unmatched_remove) remove_unmatched(store, change->unmatched_remove);
    if (change->unmatched_add) add_unmatched(store, change->unmatched_add);
    if (change->idempotency) add_idempotency(store, change->idempotency);
    TRY(postgres_apply_records(store, change, err));
    return postgres_apply_bulk(store, change, err);
}
