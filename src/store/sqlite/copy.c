/* store/sqlite/copy.c — SQLite's part of a copy.
 *
 * Histories come from elsewhere in the order (instance, revision), and their rows are numbered in that order.
 * So the row before is the one that was written last, and an instance's newest row is known when the next
 * instance begins.
 */
#include "store/copy/copy_int.h"
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SQL_BYTES = 128 };

struct sqlite_end {
    struct copy_end base;
    struct store *store;
    struct sqlite_db *db;
    const struct copy_table *reads, *writes; /* NULL: none. */
    sqlite3_stmt *reading, *writing, *linking;
    size_t rows, bytes; /* The size of the transaction. */
    int64_t history;    /* The history row that was written last, */
    int64_t instance;   /* and whose it is; 0: none. */
};

static struct sqlite_end *end_of(struct copy_end *end) { return (struct sqlite_end *)end; }

/* ---- opening ---- */

static enum status open_store(const struct store_config *config, struct copy_end **ret_end, struct error *err)
{
    struct store *store;
    TRY(sqlite_open(config, &store, err));
    struct sqlite_end *end = calloc(1, sizeof *end);
    must(end);
    end->base.ops = &sqlite_copy_ops;
    end->store = store;
    end->db = &((struct sqlite_store *)store)->db;
    *ret_end = &end->base;
    return ST_OK;
}

static enum status open_source(const char *path, struct copy_end **ret_end, struct error *err)
{
    const struct store_config config = { .path = path, .must_not_migrate = true };
    return open_store(&config, ret_end, err);
}

static enum status is_unfinished(const char *path, bool *ret_unfinished, struct error *err)
{
    struct sqlite_db db;
    enum sqlite_origin origin;
    int64_t version = 0;
    TRY(sqlite_db_open(&db, path, SQLITE_OPEN_READWRITE, NULL, err));
    enum status status = sqlite_inspect(&db, &origin, &version, err);
    sqlite_db_close(&db);
    *ret_unfinished = version >= COPY_UNFINISHED;
    return status;
}

static enum status remove_files(const char *path, struct error *err)
{
    static const char *const suffixes[] = { "-wal", "-shm", ".reserve", "" };
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        char *name = sqlite_path_beside(path, suffixes[i]);
        bool gone = unlink(name) == 0 || access(name, F_OK) != 0;
        free(name);
        if (!gone) return fail(err, ST_STORE, path, "an unfinished copy cannot be removed");
    }
    return ST_OK;
}

/* If another process makes a store there before ours is opened, that one is found to be in use or not
 * empty. */
static enum status remove_unfinished(const char *path, struct error *err)
{
    const struct store_config config = { .path = path };
    int lock, file;
    bool unfinished;
    if (access(path, F_OK) != 0) return ST_OK;
    TRY(sqlite_lock(&config, &lock, &file, err));
    enum status status = is_unfinished(path, &unfinished, err);
    if (status == ST_OK && unfinished) status = remove_files(path, err);
    sqlite_unlock(lock, file);
    return status;
}

static enum status open_target(const char *path, bool overwrite, struct copy_end **ret_end, struct error *err)
{
    const struct store_config config = { .path = path, .create = true, .must_not_migrate = true };
    if (overwrite) TRY(remove_unfinished(path, err));
    return open_store(&config, ret_end, err);
}

static void stop_reading(struct sqlite_end *end)
{
    sqlite3_finalize(end->reading);
    end->reading = NULL;
    end->reads = NULL;
}

static void stop_writing(struct sqlite_end *end)
{
    sqlite3_finalize(end->writing);
    sqlite3_finalize(end->linking);
    end->writing = end->linking = NULL;
    end->writes = NULL;
}

static void close_end(struct copy_end *base)
{
    struct sqlite_end *end = end_of(base);
    stop_reading(end);
    stop_writing(end);
    if (end->store->in_transaction) store_rollback(end->store);
    store_close(end->store);
    free(end);
}

/* ---- transactions ---- */

static enum status commit(struct sqlite_end *end, struct error *err)
{
    end->rows = end->bytes = 0;
    if (!end->store->in_transaction) return ST_OK;
    TRY(store_commit(end->store, err));
    return store_maintain(end->store, err);
}

static enum status run(struct copy_end *base, const char *sql, struct error *err)
{
    struct sqlite_end *end = end_of(base);
    TRY(store_begin(end->store, err));
    TRY(sqlite_exec(end->db, sql, err));
    return commit(end, err);
}

static enum status ask(struct copy_end *base, const char *sql, int64_t *ret_value, struct error *err)
{
    return sqlite_number(end_of(base)->db, sql, ret_value, err);
}

static enum status mark(struct copy_end *base, bool unfinished, struct error *err)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql, "UPDATE meta SET value = value %c %d WHERE name = 'schema'",
             unfinished ? '+' : '-', COPY_UNFINISHED);
    return run(base, sql, err);
}

static enum status prepare(struct sqlite_end *end, const char *sql, sqlite3_stmt **ret_statement,
                           struct error *err)
{
    int code = sqlite3_prepare_v2(end->db->handle, sql, -1, ret_statement, NULL);
    return code == SQLITE_OK ? ST_OK : sqlite_fail(end->db, err);
}

/* ---- reading ---- */

static enum status read_table(struct copy_end *base, const struct copy_table *table, struct error *err)
{
    struct sqlite_end *end = end_of(base);
    struct arena arena;
    stop_reading(end);
    arena_init(&arena, 0);
    enum status status = prepare(end, copy_select(table, COPY_SQLITE, &arena), &end->reading, err);
    arena_done(&arena);
    end->reads = table;
    return status;
}

static enum status read_cell(struct sqlite_end *end, int at, struct copy_cell *cell, struct error *err)
{
    const struct copy_column *column = &end->reads->column[at];
    int type = sqlite3_column_type(end->reading, at);
    *cell = (struct copy_cell){ .null = type == SQLITE_NULL };
    if (cell->null) return ST_OK;
    if (type != (column->kind == COPY_NUMBER ? SQLITE_INTEGER : SQLITE_BLOB))
        return fail(err, ST_STORE, end->reads->name, "table %s: a value of the column %s is no %s",
                    end->reads->name, copy_column_name(column, COPY_SQLITE),
                    column->kind == COPY_NUMBER ? "number" : "blob");
    if (column->kind == COPY_NUMBER) cell->number = sqlite3_column_int64(end->reading, at);
    else {
        const void *bytes = sqlite3_column_blob(end->reading, at);
        cell->bytes = (str){ bytes, (size_t)sqlite3_column_bytes(end->reading, at) };
    }
    return ST_OK;
}

static enum status next_row(struct copy_end *base, struct copy_cell *cell, bool *ret_row, struct error *err)
{
    struct sqlite_end *end = end_of(base);
    int code = sqlite3_step(end->reading);
    *ret_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW) {
        for (size_t i = 0; i < end->reads->columns; i++) TRY(read_cell(end, (int)i, &cell[i], err));
        return ST_OK;
    }
    enum status status = code == SQLITE_DONE ? ST_OK : sqlite_fail(end->db, err);
    stop_reading(end);
    return status;
}

/* ---- writing ---- */

static enum status prepare_history(struct sqlite_end *end, struct error *err)
{
    TRY(prepare(end, "UPDATE instance SET last_history = ?2 WHERE id = ?1", &end->linking, err));
    return prepare(
        end, "INSERT INTO history(instance, revision, at, blob, id, prev) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
        &end->writing, err);
}

static enum status prepare_insert(struct sqlite_end *end, const struct copy_table *table, struct error *err)
{
    struct arena arena;
    struct buf sql;
    const char *own;
    arena_init(&arena, 0);
    buf_init(&sql, &arena);
    buf_printf(&sql, "%sVALUES(?", copy_insert(table, COPY_SQLITE, &arena, &own));
    for (size_t i = 1; i < table->columns; i++) buf_add_str(&sql, STR(", ?"));
    buf_printf(&sql, "%s)", own);
    buf_add_char(&sql, '\0');
    enum status status = prepare(end, sql.p, &end->writing, err);
    arena_done(&arena);
    return status;
}

static enum status begin_table(struct sqlite_end *end, const struct copy_table *table, struct error *err)
{
    stop_writing(end);
    TRY(table->is_history ? prepare_history(end, err) : prepare_insert(end, table, err));
    end->history = end->instance = 0;
    end->writes = table;
    return ST_OK;
}

static enum status run_statement(struct sqlite_end *end, sqlite3_stmt *statement, struct error *err)
{
    int code = sqlite3_step(statement);
    enum status status = code == SQLITE_DONE ? ST_OK : sqlite_fail(end->db, err);
    sqlite3_reset(statement);
    return status;
}

/* The instance's row points to the newest row of its history. */
static enum status link_history(struct sqlite_end *end, struct error *err)
{
    if (!end->instance) return ST_OK;
    sqlite3_bind_int64(end->linking, 1, end->instance);
    sqlite3_bind_int64(end->linking, 2, end->history);
    end->instance = 0;
    return run_statement(end, end->linking, err);
}

static enum status chain_history(struct sqlite_end *end, int64_t instance, struct error *err)
{
    int64_t prev = end->instance == instance ? end->history : 0;
    if (!prev) TRY(link_history(end, err));
    end->instance = instance;
    sqlite3_bind_int64(end->writing, (int)end->writes->columns + 1, ++end->history);
    sqlite3_bind_int64(end->writing, (int)end->writes->columns + 2, prev);
    return ST_OK;
}

static enum status write_row(struct copy_end *base, const struct copy_table *table,
                             const struct copy_cell *cell, struct error *err)
{
    struct sqlite_end *end = end_of(base);
    if (end->writes != table) TRY(begin_table(end, table, err));
    if (!end->store->in_transaction) TRY(store_begin(end->store, err));
    for (size_t i = 0; i < table->columns; i++) {
        int at = (int)i + 1;
        if (cell[i].null) sqlite3_bind_null(end->writing, at);
        else if (table->column[i].kind == COPY_NUMBER) sqlite3_bind_int64(end->writing, at, cell[i].number);
        else sqlite_bind_str(end->writing, at, cell[i].bytes);
        end->bytes += cell[i].bytes.n;
    }
    if (table->is_history) TRY(chain_history(end, cell[0].number, err));
    TRY(run_statement(end, end->writing, err));
    end->rows++;
    return end->rows < COPY_PIECE_ROWS && end->bytes < COPY_PIECE_BYTES ? ST_OK : commit(end, err);
}

static enum status flush(struct copy_end *base, struct error *err)
{
    struct sqlite_end *end = end_of(base);
    if (end->instance && !end->store->in_transaction) TRY(store_begin(end->store, err));
    TRY(link_history(end, err));
    stop_writing(end);
    return commit(end, err);
}

/* ---- numbers ---- */

static enum status read_numbers(struct copy_end *base, int64_t number[COPY_NUMBERS], struct error *err)
{
    static const char *const sql[COPY_NUMBERS] = {
        [COPY_INSTANCES] = ("SELECT max((SELECT value FROM meta WHERE name = 'instance_high'),"
                            " ifnull((SELECT max(id) FROM instance), 0))"),
        [COPY_UNMATCHED] = "SELECT seq FROM sqlite_sequence WHERE name = 'unmatched'",
        [COPY_BULKS] = "SELECT seq FROM sqlite_sequence WHERE name = 'bulk'",
    };
    for (size_t i = 0; i < COPY_NUMBERS; i++) TRY(ask(base, sql[i], &number[i], err));
    return ST_OK;
}

/* SQLite makes the row of a table in `sqlite_sequence` when the table gets its first row. */
static enum status set_sequence(struct copy_end *base, const char *table, int64_t number, struct error *err)
{
    char sql[2 * SQL_BYTES];
    if (!number) return ST_OK;
    snprintf(
        sql, sizeof sql,
        "DELETE FROM sqlite_sequence WHERE name = '%s'; INSERT INTO sqlite_sequence VALUES('%s', %" PRId64
        ")",
        table, table, number);
    return run(base, sql, err);
}

static enum status set_numbers(struct copy_end *base, const int64_t number[COPY_NUMBERS], struct error *err)
{
    char sql[SQL_BYTES];
    TRY(set_sequence(base, "unmatched", number[COPY_UNMATCHED], err));
    TRY(set_sequence(base, "bulk", number[COPY_BULKS], err));
    snprintf(sql, sizeof sql, "UPDATE meta SET value = %" PRId64 " WHERE name = 'instance_high'",
             number[COPY_INSTANCES]);
    return run(base, sql, err);
}

const struct copy_ops sqlite_copy_ops = {
    .side = COPY_SQLITE,
    .open_source = open_source,
    .open_target = open_target,
    .close = close_end,
    .ask = ask,
    .run = run,
    .mark = mark,
    .read = read_table,
    .next = next_row,
    .write = write_row,
    .flush = flush,
    .numbers = read_numbers,
    .set_numbers = set_numbers,
};
