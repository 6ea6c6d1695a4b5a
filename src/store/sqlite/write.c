/* store/sqlite/write.c — turns changesets into rows.
 *
 * Most commands leave an instance at the same definition, in the same phase and alive. Then no index changes,
 * and the statement names no indexed column: SQLite decides by names, not by values, which indexes to
 * rewrite.
 */
#include "store/worklist.h"
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

/* The stored row of an instance before the command. */
struct head {
    int32_t ns;
    int64_t definition;
    int phase;
    int64_t created_ms, ended_ms;
    bool same_key;
    uint32_t revision;
    int64_t last_history;
};

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* ---- counts ---- */

enum status sqlite_tally(struct sqlite_store *store, int64_t definition, int slot, int64_t delta,
                         struct error *err)
{
    must(store->base.in_transaction);
    for (size_t i = 0; i < store->tally_count; i++) {
        struct tally *tally = &store->tally[i];
        if (tally->definition != definition || tally->slot != slot) continue;
        tally->delta += delta;
        return ST_OK;
    }
    if (store->tally_count == TALLIES_MAX) TRY(sqlite_tally_flush(store, err));
    must(store->tally_count < TALLIES_MAX);
    store->tally[store->tally_count++] =
        (struct tally){ .definition = definition, .slot = slot, .delta = delta };
    return ST_OK;
}

enum status sqlite_tally_flush(struct sqlite_store *store, struct error *err)
{
    for (size_t i = 0; i < store->tally_count; i++) {
        const struct tally *tally = &store->tally[i];
        if (!tally->delta) continue;
        sqlite3_stmt *statement;
        TRY(sqlite_use(&store->db, SQL_TALLY_ADD, &statement, err));
        sqlite_bind_number(statement, 1, tally->definition);
        sqlite_bind_number(statement, 2, tally->slot);
        sqlite_bind_number(statement, 3, tally->delta);
        TRY(sqlite_run(&store->db, statement, err));
    }
    store->tally_count = 0;
    return ST_OK;
}

/* ---- the instance ---- */

static enum status read_head(struct sqlite_db *db, const struct instance_row *row, struct head *ret_head,
                             struct error *err)
{
    sqlite3_stmt *statement;
    bool found;
    TRY(sqlite_use(db, SQL_INSTANCE_HEAD, &statement, err));
    sqlite_bind_id(statement, 1, row->id);
    TRY(sqlite_step(db, statement, &found, err));
    if (!found) return store_fail_no_instance(row->id, err);
    const void *key = sqlite3_column_blob(statement, 5);
    *ret_head = (struct head){
        .ns = sqlite3_column_int(statement, 0),
        .definition = sqlite3_column_int64(statement, 1),
        .phase = sqlite3_column_int(statement, 2),
        .created_ms = sqlite3_column_int64(statement, 3),
        .ended_ms = sqlite3_column_int64(statement, 4),
        .same_key = str_equal((str){ key, (size_t)sqlite3_column_bytes(statement, 5) }, row->business_key),
        .revision = (uint32_t)sqlite3_column_int64(statement, 6),
        .last_history = sqlite3_column_int64(statement, 7),
    };
    sqlite_end(statement);
    return ST_OK;
}

static struct head known_head(const struct instance_row *row)
{
    return (struct head){
        .ns = row->ns,
        .definition = row->definition,
        .phase = sqlite_phase(row->status, row->has_jobs),
        .created_ms = row->created_ms,
        .ended_ms = row->ended_ms,
        .same_key = true, /* It never changes. */
        .revision = row->revision,
        .last_history = row->last_history,
    };
}

/* Binds columns 2 to 10, which are the same for a new row and a replaced one. */
static void bind_instance(sqlite3_stmt *statement, const struct instance_row *row, const struct head *after)
{
    sqlite_bind_id(statement, 1, row->id);
    sqlite_bind_number(statement, 2, after->ns);
    sqlite_bind_number(statement, 3, after->definition);
    sqlite_bind_number(statement, 4, after->phase);
    sqlite_bind_number(statement, 5, after->created_ms);
    if (after->ended_ms) sqlite_bind_number(statement, 6, after->ended_ms);
    else sqlite3_bind_null(statement, 6);
    sqlite_bind_optional(statement, 7, row->business_key);
    sqlite_bind_number(statement, 8, after->revision);
    sqlite_bind_number(statement, 9, after->last_history);
    sqlite_bind_str(statement, 10, row->state);
}

static enum status insert_instance(struct sqlite_store *store, const struct instance_row *row,
                                   const struct head *after, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, SQL_INSTANCE_INSERT, &statement, err));
    bind_instance(statement, row, after);
    TRY(sqlite_run(&store->db, statement, err));
    return sqlite_tally(store, after->definition, after->phase, 1, err);
}

static bool same_index_columns(const struct head *a, const struct head *b)
{
    return a->ns == b->ns && a->definition == b->definition && a->phase == b->phase &&
           a->created_ms == b->created_ms && a->ended_ms == b->ended_ms && a->same_key == b->same_key;
}

static enum status run_on_one(struct sqlite_store *store, sqlite3_stmt *statement, uint64_t id,
                              struct error *err)
{
    TRY(sqlite_run(&store->db, statement, err));
    return sqlite3_changes(store->db.handle) == 1 ? ST_OK : store_fail_no_instance(id, err);
}

static enum status update_instance(struct sqlite_store *store, const struct instance_row *row,
                                   const struct head *before, const struct head *after, struct error *err)
{
    must(before->created_ms == after->created_ms && before->ns == after->ns);
    sqlite3_stmt *statement;
    if (same_index_columns(before, after)) {
        TRY(sqlite_use(&store->db, SQL_INSTANCE_STATE, &statement, err));
        sqlite_bind_id(statement, 1, row->id);
        sqlite_bind_number(statement, 2, after->revision);
        sqlite_bind_number(statement, 3, after->last_history);
        sqlite_bind_str(statement, 4, row->state);
        return run_on_one(store, statement, row->id, err);
    }
    TRY(sqlite_use(&store->db, SQL_INSTANCE_UPDATE, &statement, err));
    bind_instance(statement, row, after);
    TRY(run_on_one(store, statement, row->id, err));
    TRY(sqlite_tally(store, before->definition, before->phase, -1, err));
    return sqlite_tally(store, after->definition, after->phase, 1, err);
}

static enum status append_history(struct sqlite_store *store, uint64_t instance, const struct head *before,
                                  const struct head *after, const struct changeset *changeset,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, SQL_HISTORY_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, after->last_history);
    sqlite_bind_id(statement, 2, instance);
    sqlite_bind_number(statement, 3, before->last_history);
    sqlite_bind_number(statement, 4, after->revision);
    sqlite_bind_number(statement, 5, changeset->at_ms);
    sqlite_bind_str(statement, 6, changeset->history);
    return sqlite_run(&store->db, statement, err);
}

static enum status apply_instance(struct sqlite_store *store, struct changeset *changeset, struct error *err)
{
    const struct instance_row *row = changeset->instance;
    must(row->status >= 0 && row->status < INSTANCE_STATUS_COUNT);
    struct head before = { 0 };
    if (changeset->before) before = known_head(changeset->before);
    else if (!changeset->insert) TRY(read_head(&store->db, row, &before, err));

    struct head after = {
        .ns = row->ns,
        .definition = row->definition,
        .phase = sqlite_phase(row->status, row->has_jobs),
        .created_ms = row->created_ms,
        .ended_ms = row->ended_ms,
        .same_key = true,
        .revision = before.revision,
        .last_history = before.last_history,
    };
    if (changeset->history.n) {
        after.revision++;
        after.last_history = store->next_history++;
        TRY(append_history(store, row->id, &before, &after, changeset, err));
    }
    changeset->ret_last_history = after.last_history;
    if (changeset->row_later) return ST_OK;
    return changeset->insert ? insert_instance(store, row, &after, err)
                             : update_instance(store, row, &before, &after, err);
}

/* ---- what hangs on it ---- */

enum status sqlite_write_timer(struct sqlite_store *store, enum sql sql, const struct timer_row *row,
                               struct error *err)
{
    must(sql == SQL_TIMER_INSERT || sql == SQL_TIMER_DELETE);
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, sql, &statement, err));
    sqlite_bind_number(statement, 1, row->due_ms);
    sqlite_bind_id(statement, 2, row->instance);
    sqlite_bind_number(statement, 3, row->number);
    TRY(sqlite_run(&store->db, statement, err));
    int64_t changed = sqlite3_changes(store->db.handle);
    return sqlite_tally(store, TALLY_ALL, TALLY_TIMERS, sql == SQL_TIMER_INSERT ? changed : -changed, err);
}

static enum status add_to_list(struct sqlite_db *db, const struct task_row *row,
                               const struct worklist_entry *entry, int64_t due_ms, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_WORKLIST_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_number(statement, 2, entry->list);
    sqlite_bind_str(statement, 3, entry->who);
    sqlite_bind_number(statement, 4, due_ms);
    sqlite_bind_id(statement, 5, row->instance);
    sqlite_bind_number(statement, 6, row->execution);
    return sqlite_run(db, statement, err);
}

static enum status add_to_worklists(struct sqlite_store *store, const struct task_row *row, struct error *err)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct worklist_entry *entry;
    size_t count = worklist_entries(row, &arena, &entry);
    int64_t due_ms = worklist_place_of(row, &arena).due_ms;
    enum status status = ST_OK;
    for (size_t i = 0; i < count && status == ST_OK; i++)
        status = add_to_list(&store->db, row, &entry[i], due_ms, err);
    arena_done(&arena);
    return status;
}

static enum status add_task(struct sqlite_store *store, const struct task_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, SQL_TASK_INSERT, &statement, err));
    sqlite_bind_id(statement, 1, row->instance);
    sqlite_bind_number(statement, 2, row->execution);
    sqlite_bind_number(statement, 3, row->ns);
    sqlite_bind_number(statement, 4, row->definition);
    sqlite_bind_number(statement, 5, row->created_ms);
    sqlite_bind_str(statement, 6, row->node);
    sqlite_bind_str(statement, 7, row->title);
    sqlite_bind_str(statement, 8, row->label);
    sqlite_bind_optional(statement, 9, row->details);
    TRY(sqlite_run(&store->db, statement, err));
    if (row->details.n) TRY(add_to_worklists(store, row, err));
    return sqlite_tally(store, row->definition, TALLY_TASKS, 1, err);
}

static enum status remove_task(struct sqlite_store *store, const struct task_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    bool found;
    TRY(sqlite_use(&store->db, SQL_TASK_DELETE, &statement, err));
    sqlite_bind_id(statement, 1, row->instance);
    sqlite_bind_number(statement, 2, row->execution);
    TRY(sqlite_step(&store->db, statement, &found, err));
    if (!found) return ST_OK;
    int64_t definition = sqlite3_column_int64(statement, 0);
    bool listed = sqlite3_column_int(statement, 1) != 0;
    sqlite_end(statement);
    if (listed) {
        TRY(sqlite_use(&store->db, SQL_WORKLIST_DELETE, &statement, err));
        sqlite_bind_id(statement, 1, row->instance);
        sqlite_bind_number(statement, 2, row->execution);
        TRY(sqlite_run(&store->db, statement, err));
    }
    return sqlite_tally(store, definition, TALLY_TASKS, -1, err);
}

static enum status add_pending(struct sqlite_db *db, const struct pending_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_PENDING_INSERT, &statement, err));
    sqlite_bind_id(statement, 1, row->parent);
    sqlite_bind_number(statement, 2, row->number);
    sqlite_bind_number(statement, 3, row->ns);
    sqlite_bind_str(statement, 4, row->target);
    sqlite_bind_str(statement, 5, row->business_key);
    sqlite_bind_number(statement, 6, row->created_ms);
    sqlite_bind_str(statement, 7, row->data);
    return sqlite_run(db, statement, err);
}

static enum status remove_pending(struct sqlite_db *db, const struct pending_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_PENDING_DELETE, &statement, err));
    sqlite_bind_id(statement, 1, row->parent);
    sqlite_bind_number(statement, 2, row->number);
    return sqlite_run(db, statement, err);
}

static enum status add_trigger(struct sqlite_db *db, const struct trigger_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_TRIGGER_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_str(statement, 2, row->source);
    sqlite_bind_str(statement, 3, row->type);
    sqlite_bind_number(statement, 4, row->definition);
    return sqlite_run(db, statement, err);
}

enum status sqlite_write_subscription(struct sqlite_db *db, enum sql sql, const struct subscription_row *row,
                                      struct error *err)
{
    must(sql == SQL_SUBSCRIPTION_INSERT || sql == SQL_SUBSCRIPTION_DELETE);
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, row->definition);
    sqlite_bind_str(statement, 2, row->correlation);
    sqlite_bind_id(statement, 3, row->instance);
    return sqlite_run(db, statement, err);
}

static enum status add_child(struct sqlite_db *db, const struct child_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_CHILD_INSERT, &statement, err));
    sqlite_bind_id(statement, 1, row->parent);
    sqlite_bind_number(statement, 2, row->number);
    sqlite_bind_id(statement, 3, row->instance);
    sqlite_bind_number(statement, 4, sqlite_bond(row));
    return sqlite_run(db, statement, err);
}

static enum status add_unmatched(struct sqlite_db *db, const struct unmatched_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_UNMATCHED_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_number(statement, 2, row->received_ms);
    sqlite_bind_str(statement, 3, row->reason);
    sqlite_bind_str(statement, 4, row->event);
    sqlite_bind_optional(statement, 5, row->identity);
    return sqlite_run(db, statement, err);
}

static enum status remove_unmatched(struct sqlite_db *db, int64_t number, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_UNMATCHED_DELETE, &statement, err));
    sqlite_bind_number(statement, 1, number);
    return sqlite_run(db, statement, err);
}

static enum status add_idempotency(struct sqlite_db *db, const struct idempotency_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_IDEMPOTENCY_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_str(statement, 2, row->key);
    sqlite_bind_id(statement, 3, row->request);
    sqlite_bind_number(statement, 4, row->created_ms);
    sqlite_bind_number(statement, 5, row->http_status);
    sqlite_bind_str(statement, 6, row->answer);
    return sqlite_run(db, statement, err);
}

static enum status add_definition(struct sqlite_store *store, const struct definition_row *row,
                                  struct error *err)
{
    must(row->id.n);
    struct sqlite_db *db = &store->db;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_DEFINITION_INSERT, &statement, err));
    /* The number may have belonged to another definition that was rolled back. */
    if (store->head.number == row->number) store->head.number = 0;
    sqlite_bind_number(statement, 1, row->number);
    sqlite_bind_number(statement, 2, row->ns);
    sqlite_bind_str(statement, 3, row->id);
    sqlite_bind_number(statement, 4, row->version);
    sqlite_bind_str(statement, 5, row->dialect);
    sqlite_bind_str(statement, 6, row->title);
    sqlite_bind_id(statement, 7, row->content);
    sqlite_bind_number(statement, 8, row->created_ms);
    sqlite_bind_number(statement, 9, row->rank);
    sqlite_bind_number(statement, 10, row->priority);
    sqlite_bind_str(statement, 11, row->author);
    sqlite_bind_str(statement, 12, row->revision);
    sqlite_bind_number(statement, 13, row->restores);
    sqlite_bind_number(statement, 14, store_retired_column(row));
    sqlite_bind_str(statement, 15, row->source);
    return sqlite_run(db, statement, err);
}

static enum status retire_definition(struct sqlite_db *db, const struct definition_row *row,
                                     struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_DEFINITION_RETIRE, &statement, err));
    sqlite_bind_number(statement, 1, row->number);
    sqlite_bind_number(statement, 2, store_retired_column(row));
    return sqlite_run(db, statement, err);
}

/* The versions go last, because the others are found by them. */
static enum status remove_definition(struct sqlite_store *store, const struct definition_row *row,
                                     struct error *err)
{
    static const enum sql removals[] = { SQL_DEFINITION_TRIGGERS_DELETE, SQL_DEFINITION_PENDING_DELETE,
                                         SQL_DEFINITION_TALLY_DELETE, SQL_DEFINITION_DELETE };
    sqlite3_stmt *statement;
    for (size_t i = 0; i < COUNT(removals); i++) {
        TRY(sqlite_use(&store->db, removals[i], &statement, err));
        sqlite_bind_number(statement, 1, row->ns);
        sqlite_bind_str(statement, 2, row->id);
        TRY(sqlite_run(&store->db, statement, err));
    }
    store->head.number = 0;
    return ST_OK;
}

static enum status reserve_ids(struct sqlite_db *db, uint64_t highest, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_INSTANCE_HIGH, &statement, err));
    sqlite_bind_id(statement, 1, highest);
    return sqlite_run(db, statement, err);
}

enum status sqlite_apply(struct store *base, struct changeset *change, struct error *err)
{
    struct sqlite_store *store = self(base);
    struct sqlite_db *db = &store->db;
    if (change->instance_high) TRY(reserve_ids(db, change->instance_high, err));
    if (change->definition) TRY(add_definition(store, change->definition, err));
    if (change->definition_retire) TRY(retire_definition(db, change->definition_retire, err));
    if (change->definition_remove) TRY(remove_definition(store, change->definition_remove, err));
    for (size_t i = 0; i < change->trigger_add_count; i++) TRY(add_trigger(db, &change->trigger_add[i], err));
    if (change->instance) TRY(apply_instance(store, change, err));
    /* Removals come first, because a row that the same command closes and opens again may have the same
     * key. */
    for (size_t i = 0; i < change->timer_remove_count; i++)
        TRY(sqlite_write_timer(store, SQL_TIMER_DELETE, &change->timer_remove[i], err));
    for (size_t i = 0; i < change->timer_add_count; i++)
        TRY(sqlite_write_timer(store, SQL_TIMER_INSERT, &change->timer_add[i], err));
    for (size_t i = 0; i < change->task_remove_count; i++)
        TRY(remove_task(store, &change->task_remove[i], err));
    for (size_t i = 0; i < change->task_add_count; i++) TRY(add_task(store, &change->task_add[i], err));
    if (change->pending_remove) TRY(remove_pending(db, change->pending_remove, err));
    if (change->pending_add) TRY(add_pending(db, change->pending_add, err));
    if (change->subscription_remove)
        TRY(sqlite_write_subscription(db, SQL_SUBSCRIPTION_DELETE, change->subscription_remove, err));
    if (change->subscription_add)
        TRY(sqlite_write_subscription(db, SQL_SUBSCRIPTION_INSERT, change->subscription_add, err));
    if (change->child_add) TRY(add_child(db, change->child_add, err));
    if (change->unmatched_remove) TRY(remove_unmatched(db, change->unmatched_remove, err));
    if (change->unmatched_add) TRY(add_unmatched(db, change->unmatched_add, err));
    if (change->idempotency) TRY(add_idempotency(db, change->idempotency, err));
    TRY(sqlite_apply_records(store, change, err));
    return sqlite_apply_bulk(store, change, err);
}
