/* store/sqlite/purge.c — removes old rows, and returns free pages to the file system. */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SHRINK_PAGES = 256,     /* Given back in one call. */
    SHRINK_PAGES_FULL = 32, /* The same on a full disk, because pages that move go through the log. */
    SHRINK_KEEP_PART = 8, /* One free page for each so many in use is kept, because it will be needed soon. */
};

_Static_assert(INSTANCE_STATUS_COUNT == 5, "statements name the phases of all instances");

struct victim {
    uint64_t id;
    int64_t definition;
    int phase;
    int64_t last_history;
    size_t history; /* Rows. */
};

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

static enum status find_victims(struct sqlite_db *db, enum sql sql, int64_t before_ms, size_t max,
                                struct arena *arena, struct victim **ret_victim, size_t *ret_count,
                                struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, before_ms);
    sqlite_bind_number(statement, 2, (int64_t)max);
    struct victim *victim = NULL;
    size_t count = 0, cap = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, victim, count, cap);
        victim[count++] = (struct victim){
            .id = (uint64_t)sqlite3_column_int64(statement, 0),
            .definition = sqlite3_column_int64(statement, 1),
            .phase = sqlite3_column_int(statement, 2),
            .last_history = sqlite3_column_int64(statement, 3),
            .history = (size_t)sqlite3_column_int64(statement, 4),
        };
    }
    *ret_victim = victim;
    *ret_count = count;
    return ST_OK;
}

/* Where the chain is broken it ends: one damaged instance must not keep all others from being removed. */
static enum status remove_history(struct sqlite_db *db, const struct victim *victim, struct purged *purged,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_HISTORY_DELETE, &statement, err));
    for (int64_t id = victim->last_history; id;) {
        bool row;
        sqlite_bind_number(statement, 1, id);
        sqlite_bind_id(statement, 2, victim->id);
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) {
            store_note_broken_chain(victim->id, purged);
            return ST_OK;
        }
        id = sqlite3_column_int64(statement, 0);
        sqlite_end(statement);
    }
    return ST_OK;
}

static enum status run_with_id(struct sqlite_db *db, enum sql sql, uint64_t id, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_id(statement, 1, id);
    return sqlite_run(db, statement, err);
}

/* Instances that completed or were cancelled have no timers and no subscription. These tables cannot be
 * searched by instance, but the state names the rows. If the state is damaged, the tables are scanned. */
static enum status remove_left(struct sqlite_store *store, const struct victim *victim, struct arena *arena,
                               struct error *err)
{
    struct sqlite_db *db = &store->db;
    sqlite3_stmt *statement;
    bool found;
    if (!store_may_have_left((enum instance_status)(victim->phase / 2))) return ST_OK;
    TRY(sqlite_use(db, SQL_INSTANCE_STATE_OF, &statement, err));
    sqlite_bind_id(statement, 1, victim->id);
    TRY(sqlite_step(db, statement, &found, err));
    str state = sqlite_column_str(statement, 0, arena);
    sqlite_end(statement);

    struct state_left left;
    if (!store_state_left(state, arena, &left)) {
        TRY(run_with_id(db, SQL_TIMERS_DELETE, victim->id, err));
        TRY(sqlite_tally(store, TALLY_ALL, TALLY_TIMERS, -(int64_t)sqlite3_changes(db->handle), err));
        return run_with_id(db, SQL_SUBSCRIPTIONS_DELETE, victim->id, err);
    }
    for (size_t i = 0; i < left.timer_count; i++)
        TRY(sqlite_write_timer(store, SQL_TIMER_DELETE, &left.timer[i], err));
    return sqlite_write_subscription(db, SQL_SUBSCRIPTION_DELETE, &left.subscription, err);
}

static enum status remove_tasks(struct sqlite_store *store, uint64_t id, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(&store->db, SQL_TASKS_DELETE, &statement, err));
    sqlite_bind_id(statement, 1, id);
    for (bool row;;) {
        TRY(sqlite_step(&store->db, statement, &row, err));
        if (!row) return ST_OK;
        enum status status = run_with_id(&store->db, SQL_WORKLIST_DELETE_ALL, id, err);
        if (status == ST_OK)
            status = sqlite_tally(store, sqlite3_column_int64(statement, 0), TALLY_TASKS, -1, err);
        if (status != ST_OK) {
            sqlite_end(statement);
            return status;
        }
    }
}

/* False for most stores. Then the children of removed instances need not be looked up. */
static enum status has_children(struct sqlite_db *db, bool *ret_has, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_CHILD_ANY, &statement, err));
    TRY(sqlite_step(db, statement, ret_has, err));
    sqlite_end(statement);
    return ST_OK;
}

static enum status remove_instance(struct sqlite_store *store, const struct victim *victim,
                                   struct arena *arena, struct purged *purged, struct error *err)
{
    TRY(remove_history(&store->db, victim, purged, err));
    TRY(remove_left(store, victim, arena, err));
    TRY(remove_tasks(store, victim->id, err));
    if (victim->phase / 2 == INSTANCE_FAILED)
        TRY(sqlite_remove_failure(&store->db, victim->definition, victim->id, err));
    TRY(run_with_id(&store->db, SQL_INSTANCE_DELETE, victim->id, err));
    return sqlite_tally(store, victim->definition, victim->phase, -1, err);
}

static enum status remove_instances(struct sqlite_store *store, const struct purge *purge, enum sql sql,
                                    int64_t before_ms, size_t max, struct arena *arena, struct purged *purged,
                                    struct error *err)
{
    struct victim *victim;
    size_t count;
    bool children;
    TRY(find_victims(&store->db, sql, before_ms, max, arena, &victim, &count, err));
    TRY(has_children(&store->db, &children, err));
    uint64_t highest = 0;
    for (size_t i = 0; i < count && store_purge_takes(purge, victim[i].history, purged); i++) {
        TRY(remove_instance(store, &victim[i], arena, purged, err));
        if (children) TRY(run_with_id(&store->db, SQL_CHILDREN_DELETE, victim[i].id, err));
        if (victim[i].id > highest) highest = victim[i].id;
        must(victim[i].phase >= 0 && victim[i].phase / 2 < INSTANCE_STATUS_COUNT);
        purged->instances[victim[i].phase / 2]++;
    }
    /* Keeps the highest number, so that it is not given again when its row is gone. */
    return highest ? run_with_id(&store->db, SQL_INSTANCE_HIGH, highest, err) : ST_OK;
}

/* Instances that the caller names. */
static enum status remove_named(struct sqlite_store *store, const struct purge *purge, size_t max,
                                struct arena *arena, struct purged *purged, struct error *err)
{
    for (size_t i = 0; i < purge->instance_count && i < max; i++) {
        TRY(remove_instances(store, purge, SQL_PURGE_ONE, (int64_t)purge->instance[i], 1, arena, purged,
                             err));
        if (purged->more) return ST_OK;
        purged->named++;
    }
    return ST_OK;
}

static enum status remove_unmatched(struct sqlite_db *db, int64_t before_ms, size_t max, size_t *ret_removed,
                                    struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_UNMATCHED_PURGE, &statement, err));
    sqlite_bind_number(statement, 1, before_ms);
    sqlite_bind_number(statement, 2, (int64_t)max);
    TRY(sqlite_run(db, statement, err));
    *ret_removed = (size_t)sqlite3_changes64(db->handle);
    return ST_OK;
}

struct old_answer {
    int32_t ns;
    str key;
};

static enum status remove_answers(struct sqlite_db *db, int64_t before_ms, size_t max, struct arena *arena,
                                  size_t *ret_removed, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_IDEMPOTENCY_OLD, &statement, err));
    sqlite_bind_number(statement, 1, before_ms);
    sqlite_bind_number(statement, 2, (int64_t)max);
    struct old_answer *answer = NULL;
    size_t count = 0, cap = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, answer, count, cap);
        answer[count++] = (struct old_answer){ .ns = sqlite3_column_int(statement, 0),
                                               .key = sqlite_column_str(statement, 1, arena) };
    }
    TRY(sqlite_use(db, SQL_IDEMPOTENCY_DELETE, &statement, err));
    for (size_t i = 0; i < count; i++) {
        sqlite_bind_number(statement, 1, answer[i].ns);
        sqlite_bind_str(statement, 2, answer[i].key);
        TRY(sqlite_run(db, statement, err));
    }
    *ret_removed = count;
    return ST_OK;
}

static size_t instances_of(const struct purged *purged)
{
    size_t count = 0;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) count += purged->instances[i];
    return count;
}

static enum status remove_rows(struct sqlite_store *store, const struct purge *purge, size_t max,
                               struct arena *arena, struct purged *purged, struct error *err)
{
    TRY(remove_named(store, purge, max, arena, purged, err));
    size_t left = max - instances_of(purged);
    TRY(remove_instances(store, purge, SQL_PURGE_FIND, purge->before_ms, left, arena, purged, err));
    left = max - instances_of(purged);
    TRY(remove_instances(store, purge, SQL_PURGE_FIND_FAILED, purge->failed_before_ms, left, arena, purged,
                         err));
    left = max - instances_of(purged);
    TRY(remove_unmatched(&store->db, purge->before_ms, left, &purged->unmatched, err));
    return remove_answers(&store->db, purge->keys_before_ms, left - purged->unmatched, arena, &purged->keys,
                          err);
}

enum status sqlite_purge(struct store *base, const struct purge *purge, size_t max, struct purged *ret_purged,
                         struct error *err)
{
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = remove_rows(self(base), purge, max, &arena, ret_purged, err);
    arena_done(&arena);
    return status;
}

/* ---- shrinking ---- */

/* A transaction like any other: a sync that fails breaks the store, and a full disk does not. */
static enum status give_pages(struct sqlite_store *store, int64_t pages, struct error *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%" PRId64 ")", pages);
    TRY(store_begin(&store->base, err));
    enum status status = sqlite_exec(&store->db, sql, err);
    if (status == ST_OK) status = store_commit(&store->base, err);
    if (status != ST_OK) store_rollback(&store->base);
    return status;
}

enum status sqlite_shrink(struct store *base, bool *ret_more, struct error *err)
{
    struct sqlite_store *store = self(base);
    struct sqlite_db *db = &store->db;
    int64_t pages, free_pages, slice = base->space != STORE_SPACE_ENOUGH ? SHRINK_PAGES_FULL : SHRINK_PAGES;
    TRY(sqlite_number(db, "PRAGMA page_count", &pages, err));
    TRY(sqlite_number(db, "PRAGMA freelist_count", &free_pages, err));
    int64_t keep = (pages - free_pages) / SHRINK_KEEP_PART;
    int64_t give = free_pages - keep;
    if (give <= 0) {
        *ret_more = false;
        return ST_OK;
    }
    bool more = give > slice;
    TRY(give_pages(store, more ? slice : give, err));
    /* A checkpoint makes the file smaller, and truncation makes the log smaller. Readers may prevent the
     * latter, which then happens the next time. */
    if (!more || base->space != STORE_SPACE_ENOUGH)
        TRY(sqlite_checkpoint(store, SQLITE_CHECKPOINT_TRUNCATE, err));
    *ret_more = more;
    return ST_OK;
}
