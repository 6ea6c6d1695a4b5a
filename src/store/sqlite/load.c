/* store/sqlite/load.c — the queries of the writer. */
#include "store/sqlite/sqlite_int.h"

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

enum status sqlite_take_numbers(struct store *store, struct store_numbers *numbers, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_NEXT_NUMBERS, &statement, err));
    TRY(sqlite_step(db, statement, &row, err));
    *numbers =
        store_all_numbers((uint64_t)sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1));
    sqlite_end(statement);
    return ST_OK;
}

static enum status load_head(struct sqlite_store *store, int64_t number, struct error *err)
{
    struct definition_head *head = &store->head;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(&store->db, SQL_DEFINITION_HEAD, &statement, err));
    sqlite_bind_number(statement, 1, number);
    *head = (struct definition_head){ 0 };
    TRY(sqlite_step(&store->db, statement, &row, err));
    if (!row) return ST_OK;
    size_t id_bytes = (size_t)sqlite3_column_bytes(statement, 0);
    if (id_bytes <= sizeof head->id) {
        *head = (struct definition_head){ .number = number,
                                          .version = sqlite3_column_int(statement, 1),
                                          .priority = sqlite3_column_int(statement, 2),
                                          .id_bytes = id_bytes };
        memcpy(head->id, sqlite3_column_blob(statement, 0), id_bytes);
    }
    sqlite_end(statement);
    return ST_OK;
}

/* Many instances share few definitions, so the definition's columns are kept and not joined every time. */
enum status sqlite_load_instance(struct store *base, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    struct sqlite_store *store = self(base);
    const struct definition_head *head = &store->head;
    struct instance_row row;
    TRY(sqlite_instance(&store->db, SQL_INSTANCE_ALONE, id, arena, &row, err));
    if (row.definition != head->number) TRY(load_head(store, row.definition, err));
    if (row.definition != head->number)
        return sqlite_instance(&store->db, SQL_INSTANCE, id, arena, ret_row, err);
    row.definition_id = arena_str(arena, (str){ head->id, head->id_bytes });
    row.definition_version = head->version;
    row.definition_priority = head->priority;
    *ret_row = row;
    return ST_OK;
}

enum status sqlite_find_definition(struct store *store, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return sqlite_definition(&self(store)->db, ns, id, version, arena, ret_row, err);
}

enum status sqlite_load_definition(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err)
{
    return sqlite_definition_number(&self(store)->db, number, arena, ret_row, err);
}

enum status sqlite_find_content(struct store *store, int32_t ns, str id, uint64_t content,
                                struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return sqlite_definition_content(&self(store)->db, ns, id, content, arena, ret_row, err);
}

enum status sqlite_count_living(struct store *base, int32_t ns, str definition_id, int64_t *ret_count,
                                struct error *err)
{
    struct sqlite_store *store = self(base);
    sqlite3_stmt *statement;
    bool row;
    if (store->base.in_transaction) TRY(sqlite_tally_flush(store, err));
    TRY(sqlite_use(&store->db, SQL_COUNT_LIVING, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, definition_id);
    sqlite_bind_number(statement, 3, PHASE_ENDED);
    TRY(sqlite_step(&store->db, statement, &row, err));
    *ret_count = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_ended(struct store *base, int32_t ns, str definition_id, size_t max, struct arena *arena,
                         struct ended_instance **ret_instance, size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = &self(base)->db;
    sqlite3_stmt *statement;
    struct ended_instance *list = NULL;
    size_t count = 0, cap = 0;
    TRY(sqlite_use(db, SQL_ENDED, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, definition_id);
    sqlite_bind_number(statement, 3, PHASE_ENDED);
    sqlite_bind_number(statement, 4, (int64_t)max);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        int phase = sqlite3_column_int(statement, 1);
        array_reserve_in(arena, list, count, cap);
        list[count++] = (struct ended_instance){ .id = (uint64_t)sqlite3_column_int64(statement, 0),
                                                 .status = (enum instance_status)(phase / 2),
                                                 .has_jobs = phase % 2 };
    }
    *ret_instance = list;
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                     uint64_t *ret_instance, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_BUSINESS_KEY, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, key);
    sqlite_bind_number(statement, 3, PHASE_ENDED);
    sqlite_bind_str(statement, 4, definition_id);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_holder(err);
    *ret_instance = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                    struct idempotency_row *ret_row, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_IDEMPOTENCY, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, key);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return fail(err, ST_NOT_FOUND, "idempotency", "the key was not used");
    *ret_row = (struct idempotency_row){
        .ns = sqlite3_column_int(statement, 0),
        .key = sqlite_column_str(statement, 1, arena),
        .request = (uint64_t)sqlite3_column_int64(statement, 2),
        .created_ms = sqlite3_column_int64(statement, 3),
        .http_status = sqlite3_column_int(statement, 4),
        .answer = sqlite_column_str(statement, 5, arena),
    };
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                          struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    static const struct timer_row before_all = { .due_ms = INT64_MIN };
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    if (!after) after = &before_all;
    TRY(sqlite_use(db, SQL_TIMERS, &statement, err));
    sqlite_bind_number(statement, 1, after->due_ms);
    sqlite_bind_id(statement, 2, after->instance);
    sqlite_bind_number(statement, 3, after->number);
    sqlite_bind_number(statement, 4, until_ms);
    sqlite_bind_number(statement, 5, (int64_t)max);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_row[count] = (struct timer_row){
            .due_ms = sqlite3_column_int64(statement, 0),
            .instance = (uint64_t)sqlite3_column_int64(statement, 1),
            .number = (uint32_t)sqlite3_column_int64(statement, 2),
            .priority = sqlite3_column_int(statement, 3),
            .ns = sqlite3_column_int(statement, 4),
        };
    }
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_ids_with_jobs(struct store *base, int32_t ns, uint64_t after, size_t max,
                                 struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    struct sqlite_store *store = self(base);
    /* sqlite/pick.c reads the counts to find the places of instances, so they must be written first. */
    if (store->base.in_transaction) TRY(sqlite_tally_flush(store, err));
    return sqlite_pick_with_jobs(&store->db, ns, after, max, arena, ret_id, ret_count, err);
}

enum status sqlite_pending(struct store *store, int32_t ns, str target, int32_t priority,
                           const struct pending_row *after, struct arena *arena, struct pending_row *ret_row,
                           size_t max, size_t *ret_count, struct error *err)
{
    static const struct pending_row before_all = { .created_ms = INT64_MIN };
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    if (!after) after = &before_all;
    TRY(sqlite_use(db, target.n ? SQL_PENDING_OF : SQL_PENDING_READY, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_number(statement, 2, after->created_ms);
    sqlite_bind_id(statement, 3, after->parent);
    sqlite_bind_number(statement, 4, after->number);
    sqlite_bind_number(statement, 5, (int64_t)max);
    if (target.n) sqlite_bind_str(statement, 6, target);
    else sqlite_bind_number(statement, 6, priority);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_row[count] = (struct pending_row){
            .parent = (uint64_t)sqlite3_column_int64(statement, 0),
            .number = (uint32_t)sqlite3_column_int64(statement, 1),
            .ns = sqlite3_column_int(statement, 2),
            .target = sqlite_column_str(statement, 3, arena),
            .business_key = sqlite_column_str(statement, 4, arena),
            .created_ms = sqlite3_column_int64(statement, 5),
            .data = sqlite_column_str(statement, 6, arena),
        };
    }
    *ret_count = count;
    return ST_OK;
}

/* ---- events and children ---- */

enum status sqlite_subscribers(struct store *store, int64_t definition, str correlation, uint64_t after,
                               uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_SUBSCRIBERS, &statement, err));
    sqlite_bind_number(statement, 1, definition);
    sqlite_bind_str(statement, 2, correlation);
    sqlite_bind_id(statement, 3, after);
    sqlite_bind_number(statement, 4, (int64_t)max);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_instance[count] = (uint64_t)sqlite3_column_int64(statement, 0);
    }
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                             struct triggered *ret_triggered, size_t max, size_t *ret_count,
                             struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_TRIGGERED, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, source);
    sqlite_bind_str(statement, 3, type);
    sqlite_bind_number(statement, 4, after);
    sqlite_bind_number(statement, 5, (int64_t)max);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_triggered[count] = (struct triggered){
            .definition = sqlite3_column_int64(statement, 0),
            .latest = sqlite3_column_int(statement, 1) != 0,
        };
    }
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_subscriptions(struct store *store, const struct subscription_row *after,
                                 struct arena *arena, struct subscription_row *ret_row, size_t max,
                                 size_t *ret_count, struct error *err)
{
    static const struct subscription_row before_all = { .definition = INT64_MIN };
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    if (!after) after = &before_all;
    TRY(sqlite_use(db, SQL_SUBSCRIPTIONS, &statement, err));
    sqlite_bind_number(statement, 1, after->definition);
    sqlite_bind_str(statement, 2, after->correlation);
    sqlite_bind_id(statement, 3, after->instance);
    sqlite_bind_number(statement, 4, (int64_t)max);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_row[count] = (struct subscription_row){
            .definition = sqlite3_column_int64(statement, 0),
            .correlation = sqlite_column_str(statement, 1, arena),
            .instance = (uint64_t)sqlite3_column_int64(statement, 2),
        };
    }
    *ret_count = count;
    return ST_OK;
}

static struct child_row child_row(sqlite3_stmt *statement)
{
    struct child_row row = {
        .parent = (uint64_t)sqlite3_column_int64(statement, 0),
        .number = (uint32_t)sqlite3_column_int64(statement, 1),
        .instance = (uint64_t)sqlite3_column_int64(statement, 2),
    };
    sqlite_set_bond(&row, sqlite3_column_int(statement, 3));
    return row;
}

enum status sqlite_find_child(struct store *store, uint64_t parent, uint32_t number,
                              struct child_row *ret_row, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_CHILD, &statement, err));
    sqlite_bind_id(statement, 1, parent);
    sqlite_bind_number(statement, 2, number);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_child(parent, number, err);
    *ret_row = child_row(statement);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_find_unmatched(struct store *store, const struct unmatched_row *like, struct arena *arena,
                                  struct unmatched_row *ret_row, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, like->number ? SQL_UNMATCHED : SQL_UNMATCHED_OF, &statement, err));
    sqlite_bind_number(statement, 1, like->number ? like->number : like->ns);
    if (!like->number) sqlite_bind_str(statement, 2, like->identity);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return fail(err, ST_NOT_FOUND, "event", "no such unmatched event");
    *ret_row = (struct unmatched_row){
        .number = sqlite3_column_int64(statement, 0),
        .ns = sqlite3_column_int(statement, 1),
        .received_ms = sqlite3_column_int64(statement, 2),
        .reason = sqlite_column_str(statement, 3, arena),
        .event = sqlite_column_str(statement, 4, arena),
        .identity = sqlite_column_str(statement, 5, arena),
    };
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_children(struct store *store, const struct child_row *after, struct child_row *ret_row,
                            size_t max, size_t *ret_count, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_CHILDREN, &statement, err));
    sqlite_bind_id(statement, 1, after ? after->parent : 0);
    sqlite_bind_number(statement, 2, after ? after->number : 0);
    sqlite_bind_number(statement, 3, (int64_t)max);
    size_t count = 0;
    for (bool row;; count++) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        ret_row[count] = child_row(statement);
    }
    *ret_count = count;
    return ST_OK;
}
