/* store/postgres/copy.c — PostgreSQL's part of a copy.
 *
 * It has a connection of its own, not in a pipeline. The store is locked as an engine locks it, so that no
 * engine runs meanwhile. A table is read row by row, as libpq receives it. Rows are written in sets, each in
 * a transaction of its own that need not be durable: the one that makes the target finished is, and with it
 * all before it.
 */
#include "store/copy/copy_int.h"
#include "store/postgres/postgres_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { SQL_BYTES = 256 };

enum { OID_BYTEA_ARRAY = 1001, OID_INT8_ARRAY = 1016 };

struct postgres_end {
    struct copy_end base;
    struct postgres_db db;
    const struct copy_table *reads, *writes; /* NULL: none. */
    PGresult *row;                           /* That was read last. */
    struct postgres_array column[POSTGRES_PARAMS_MAX];
    size_t rows, bytes; /* The size of the set. */
    struct arena arena; /* Memory of `insert`. */
    const char *insert; /* The statement that writes to the table. */
};

static struct postgres_end *end_of(struct copy_end *end) { return (struct postgres_end *)end; }

/* ---- statements ---- */

/* With arrays as its parameters: those of the first columns of a table. */
static enum status execute(struct postgres_end *end, const char *sql, const struct copy_table *table,
                           size_t columns, PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    Oid type[POSTGRES_PARAMS_MAX];
    int binary[POSTGRES_PARAMS_MAX];
    for (size_t i = 0; i < columns; i++) {
        bool number = table->column[i].kind == COPY_NUMBER;
        postgres_add_array(&params, &end->column[i], number ? 'I' : 'B');
        type[i] = number ? OID_INT8_ARRAY : OID_BYTEA_ARRAY;
        binary[i] = 1;
    }
    PGresult *result =
        libpq.execParams(end->db.conn, sql, params.count, type, params.value, params.length, binary, 1);
    ExecStatusType kind = libpq.resultStatus(result);
    if (kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK) {
        *ret_result = result;
        return ST_OK;
    }
    enum status status = libpq.status(end->db.conn) == CONNECTION_OK ? postgres_fail_result(result, err)
                                                                     : postgres_fail_lost(&end->db, err);
    libpq.clear(result);
    return status;
}

static enum status check_connection(struct postgres_end *end, struct error *err)
{
    return end->db.conn ? ST_OK : fail(err, ST_STORE, "store", "the connection to the database is lost");
}

static enum status ask(struct copy_end *base, const char *sql, int64_t *ret_value, struct error *err)
{
    PGresult *result;
    TRY(check_connection(end_of(base), err));
    TRY(execute(end_of(base), sql, NULL, 0, &result, err));
    *ret_value = libpq.ntuples(result) ? postgres_number(result, 0, 0) : 0;
    libpq.clear(result);
    return ST_OK;
}

static enum status run(struct copy_end *base, const char *sql, struct error *err)
{
    PGresult *result;
    TRY(check_connection(end_of(base), err));
    TRY(execute(end_of(base), sql, NULL, 0, &result, err));
    libpq.clear(result);
    return ST_OK;
}

/* ---- opening ---- */

/* A division by zero is ST_AGAIN. */
static enum status lock_store(struct postgres_db *db, struct error *err)
{
    int64_t until_us = clock_monotonic_us() + POSTGRES_LOCK_MS * INT64_C(1000);
    for (;;) {
        enum status status =
            postgres_exec(db, "SELECT 1 / pg_try_advisory_lock(" NODE_LOCK_KEY ")::int", err);
        if (status != ST_AGAIN) return status;
        if (clock_monotonic_us() > until_us)
            return fail(err, ST_CONFLICT, "store", "an engine has the store in this database open");
        poll(NULL, 0, POSTGRES_LOCK_PAUSE_MS);
    }
}

/* Drops every table and sequence that a store has. Sequences of columns go with their tables. */
static enum status drop_store(struct postgres_db *db, struct error *err)
{
    char sql[SQL_BYTES];
    TRY(postgres_exec(db, "BEGIN", err));
    for (size_t i = 0; i < copy_table_count; i++) {
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", copy_tables[i].name);
        TRY(postgres_exec(db, sql, err));
    }
    for (size_t i = 0; i < copy_left_out_count; i++) {
        const struct copy_left_out *left = &copy_left_out[i];
        if (left->side != COPY_POSTGRES) continue;
        snprintf(sql, sizeof sql, "DROP %s IF EXISTS %s", left->sequence ? "SEQUENCE" : "TABLE", left->name);
        TRY(postgres_exec(db, sql, err));
    }
    return postgres_exec(db, "COMMIT", err);
}

/* Obstacles in a target are seen before anything is changed. */
static enum status prepare(struct postgres_db *db, bool create, bool overwrite, struct error *err)
{
    bool ours;
    int64_t version;
    TRY(postgres_db_connect(db, err));
    TRY(lock_store(db, err));
    TRY(postgres_schema_version(db, &version, &ours, err));
    if (overwrite && version >= COPY_UNFINISHED) {
        TRY(drop_store(db, err));
        ours = false;
    }
    const struct store_config config = { .path = db->conninfo,
                                         .create = create,
                                         .must_not_migrate = ours || !create };
    TRY(postgres_migrate(db, &config, err));
    if (libpq.exitPipelineMode(db->conn)) return ST_OK;
    return fail(err, ST_STORE, "store", "libpq does not leave the pipeline");
}

static void close_end(struct copy_end *base)
{
    struct postgres_end *end = end_of(base);
    if (end->row) libpq.clear(end->row);
    for (size_t i = 0; i < COUNT(end->column); i++) postgres_array_done(&end->column[i]);
    postgres_db_done(&end->db);
    arena_done(&end->arena);
    free(end);
}

static enum status open_end(const char *path, bool create, bool overwrite, struct copy_end **ret_end,
                            struct error *err)
{
    TRY(libpq_load(err));
    struct postgres_end *end = calloc(1, sizeof *end);
    must(end);
    end->base.ops = &postgres_copy_ops;
    arena_init(&end->arena, 0);
    postgres_db_init(&end->db, path, POSTGRES_WRITER);
    enum status status = prepare(&end->db, create, overwrite, err);
    if (status == ST_OK && create) status = run(&end->base, "SET synchronous_commit = off", err);
    if (status == ST_OK) *ret_end = &end->base;
    else close_end(&end->base);
    return status;
}

static enum status open_source(const char *path, struct copy_end **ret_end, struct error *err)
{
    return open_end(path, false, false, ret_end, err);
}

static enum status open_target(const char *path, bool overwrite, struct copy_end **ret_end, struct error *err)
{
    return open_end(path, true, overwrite, ret_end, err);
}

/* This commit waits for the disk, and so for all before it. */
static enum status mark(struct copy_end *base, bool unfinished, struct error *err)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql, "UPDATE meta SET value = value %c %d WHERE name = 'schema'",
             unfinished ? '+' : '-', COPY_UNFINISHED);
    TRY(run(base, "SET synchronous_commit = on", err));
    TRY(run(base, sql, err));
    return run(base, "SET synchronous_commit = off", err);
}

/* ---- reading ---- */

static enum status read_table(struct copy_end *base, const struct copy_table *table, struct error *err)
{
    struct postgres_end *end = end_of(base);
    struct arena arena;
    TRY(check_connection(end, err));
    arena_init(&arena, 0);
    const char *sql = copy_select(table, COPY_POSTGRES, &arena);
    bool sent = libpq.sendQueryParams(end->db.conn, sql, 0, NULL, NULL, NULL, NULL, 1) &&
                libpq.setSingleRowMode(end->db.conn);
    arena_done(&arena);
    end->reads = table;
    return sent ? ST_OK : postgres_fail_lost(&end->db, err);
}

static void take_cells(const struct copy_table *table, const PGresult *result, int row,
                       struct copy_cell *cell)
{
    for (size_t i = 0; i < table->columns; i++) {
        int at = (int)i;
        cell[i] = (struct copy_cell){ .null = postgres_is_null(result, row, at) };
        if (table->column[i].kind == COPY_NUMBER) cell[i].number = postgres_number(result, row, at);
        else cell[i].bytes = postgres_borrowed(result, row, at);
    }
}

/* Behind the last row, or a failure, libpq gives NULL. */
static void finish_reading(struct postgres_end *end)
{
    PGresult *result;
    while ((result = libpq.getResult(end->db.conn)) != NULL) libpq.clear(result);
    end->reads = NULL;
}

static enum status next_row(struct copy_end *base, struct copy_cell *cell, bool *ret_row, struct error *err)
{
    struct postgres_end *end = end_of(base);
    if (end->row) libpq.clear(end->row);
    end->row = libpq.getResult(end->db.conn);
    ExecStatusType kind = libpq.resultStatus(end->row);
    *ret_row = kind == PGRES_SINGLE_TUPLE;
    if (*ret_row) {
        take_cells(end->reads, end->row, 0, cell);
        return ST_OK;
    }
    if (libpq.status(end->db.conn) != CONNECTION_OK) return postgres_fail_lost(&end->db, err);
    enum status status = kind == PGRES_TUPLES_OK ? ST_OK : postgres_fail_result(end->row, err);
    finish_reading(end);
    return status;
}

/* ---- sets of rows ---- */

static void clear_set(struct postgres_end *end, const struct copy_table *table)
{
    for (size_t i = 0; i < table->columns; i++) postgres_array_clear(&end->column[i]);
    end->rows = end->bytes = 0;
}

static void add_cell(struct postgres_end *end, const struct copy_table *table, size_t at,
                     const struct copy_cell *cell)
{
    if (cell->null) postgres_array_null(&end->column[at]);
    else if (table->column[at].kind == COPY_NUMBER) postgres_array_number(&end->column[at], cell->number);
    else postgres_array_bytes(&end->column[at], cell->bytes);
    end->bytes += cell->bytes.n;
}

static const char *lookup_of(const struct copy_table *table, struct arena *arena)
{
    struct buf sql;
    buf_init(&sql, arena);
    buf_add_str(&sql, STR("SELECT "));
    for (size_t i = 0; i < table->columns; i++)
        buf_printf(&sql, "%st.%s", i ? ", " : "", table->column[i].name);
    buf_add_str(&sql, STR(" FROM unnest("));
    for (size_t i = 0; i < table->keys; i++) buf_printf(&sql, "%s$%zu", i ? ", " : "", i + 1);
    buf_add_str(&sql, STR(") WITH ORDINALITY AS u("));
    for (size_t i = 0; i < table->keys; i++) buf_printf(&sql, "k%zu, ", i);
    buf_printf(&sql, "place) LEFT JOIN %s t ON ", table->name);
    for (size_t i = 0; i < table->keys; i++)
        buf_printf(&sql, "%st.%s = u.k%zu", i ? " AND " : "", table->column[i].name, i);
    buf_add_str(&sql, STR(" ORDER BY u.place"));
    buf_add_char(&sql, '\0');
    return sql.p;
}

static enum status find_rows(struct copy_end *base, const struct copy_table *table,
                             const struct copy_cell *keys, size_t rows, struct arena *arena,
                             struct copy_cell *found, struct error *err)
{
    struct postgres_end *end = end_of(base);
    PGresult *result;
    TRY(check_connection(end, err));
    clear_set(end, table);
    for (size_t k = 0; k < rows; k++)
        for (size_t i = 0; i < table->keys; i++) add_cell(end, table, i, &keys[k * table->columns + i]);
    TRY(execute(end, lookup_of(table, arena), table, table->keys, &result, err));
    must((size_t)libpq.ntuples(result) == rows);
    for (size_t k = 0; k < rows; k++) {
        struct copy_cell *cell = &found[k * table->columns];
        take_cells(table, result, (int)k, cell);
        for (size_t i = 0; i < table->columns; i++) cell[i].bytes = arena_str(arena, cell[i].bytes);
    }
    libpq.clear(result);
    return ST_OK;
}

/* ---- writing ---- */

/* Own values of a table (copy_own_columns) may name the columns of the row. */
static const char *insert_of(const struct copy_table *table, struct arena *arena)
{
    struct buf sql;
    const char *own;
    buf_init(&sql, arena);
    buf_printf(&sql, "%sSELECT ", copy_insert(table, COPY_POSTGRES, arena, &own));
    for (size_t i = 0; i < table->columns; i++)
        buf_printf(&sql, "%s%s", i ? ", " : "",
                   table->column[i].is_state ? CHECKSUM_FIRST : table->column[i].name);
    buf_printf(&sql, "%s FROM unnest(", own);
    for (size_t i = 0; i < table->columns; i++) buf_printf(&sql, "%s$%zu", i ? ", " : "", i + 1);
    buf_add_str(&sql, STR(") AS u("));
    for (size_t i = 0; i < table->columns; i++)
        buf_printf(&sql, "%s%s", i ? ", " : "", table->column[i].name);
    buf_add(&sql, ")", sizeof ")");
    return sql.p;
}

static enum status flush(struct copy_end *base, struct error *err)
{
    struct postgres_end *end = end_of(base);
    const struct copy_table *table = end->writes;
    PGresult *result;
    if (!table) return ST_OK;
    TRY(check_connection(end, err));
    if (end->rows) {
        TRY(execute(end, end->insert, table, table->columns, &result, err));
        libpq.clear(result);
    }
    clear_set(end, table);
    end->writes = NULL;
    return ST_OK;
}

static enum status write_row(struct copy_end *base, const struct copy_table *table,
                             const struct copy_cell *cell, struct error *err)
{
    struct postgres_end *end = end_of(base);
    if (end->writes != table) {
        arena_reset(&end->arena);
        end->insert = insert_of(table, &end->arena);
        clear_set(end, table);
        end->writes = table;
    }
    for (size_t i = 0; i < table->columns; i++) add_cell(end, table, i, &cell[i]);
    end->rows++;
    return end->rows < COPY_SET_ROWS && end->bytes < COPY_SET_BYTES ? ST_OK : flush(base, err);
}

/* ---- numbers ---- */

/* Ids of instances are given in blocks, and a block that was taken counts as used. */
static enum status read_numbers(struct copy_end *base, int64_t number[COPY_NUMBERS], struct error *err)
{
    static const char *const sql[COPY_NUMBERS] = {
        [COPY_INSTANCES] =
            "SELECT greatest((SELECT value FROM meta WHERE name = 'instance_high'),"
            " (SELECT max(id) FROM instance),"
            " (SELECT CASE WHEN is_called THEN (last_value + 1) * 16 END FROM instance_block))",
        [COPY_UNMATCHED] = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM unmatched_number_seq",
        [COPY_BULKS] = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM bulk_number_seq",
    };
    for (size_t i = 0; i < COPY_NUMBERS; i++) TRY(ask(base, sql[i], &number[i], err));
    return ST_OK;
}

static enum status set_sequence(struct copy_end *base, const char *name, int64_t number, struct error *err)
{
    char sql[SQL_BYTES];
    if (number <= 0) return ST_OK;
    snprintf(sql, sizeof sql, "SELECT setval('%s', %" PRId64 ")", name, number);
    return run(base, sql, err);
}

/* The sequence of blocks is set forward by whoever takes the first one (load.c). */
static enum status set_numbers(struct copy_end *base, const int64_t number[COPY_NUMBERS], struct error *err)
{
    char sql[SQL_BYTES];
    TRY(set_sequence(base, "unmatched_number_seq", number[COPY_UNMATCHED], err));
    TRY(set_sequence(base, "bulk_number_seq", number[COPY_BULKS], err));
    snprintf(sql, sizeof sql, "UPDATE meta SET value = %" PRId64 " WHERE name = 'instance_high'",
             number[COPY_INSTANCES]);
    TRY(run(base, sql, err));
    /* Open jobs are those of a node that is dead, so that the first node to come takes them over. */
    TRY(run(base, "UPDATE instance SET holder = -1 WHERE phase & 1 = 1", err));
    return run(base, "INSERT INTO node(id, began, dead) VALUES(-1, now(), true) ON CONFLICT (id) DO NOTHING",
               err);
}

/* Plans depend on how many rows the planner believes there are. */
static enum status settle(struct copy_end *base, struct error *err)
{
    char sql[SQL_BYTES];
    for (size_t i = 0; i < copy_table_count; i++) {
        snprintf(sql, sizeof sql, "ANALYZE %s", copy_tables[i].name);
        TRY(run(base, sql, err));
    }
    return ST_OK;
}

const struct copy_ops postgres_copy_ops = {
    .side = COPY_POSTGRES,
    .open_source = open_source,
    .open_target = open_target,
    .close = close_end,
    .ask = ask,
    .run = run,
    .mark = mark,
    .read = read_table,
    .next = next_row,
    .find = find_rows,
    .write = write_row,
    .flush = flush,
    .numbers = read_numbers,
    .set_numbers = set_numbers,
    .settle = settle,
};
