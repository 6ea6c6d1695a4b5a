/* A copy between SQLite and PostgreSQL: what it knows of the tables, what it moves, and what it refuses. */
#include "postgres_server.h"

#include "store/copy/copy_int.h"
#include "store/copy/forget.h"

#include <sqlite3.h>
#include <sys/wait.h>

/* ---- stores by SQL ---- */

static int setup_stores(void **state)
{
    libpq.clear(server_execute(server_conn, "SET client_min_messages = warning"));
    libpq.clear(server_execute(server_conn, "DROP SCHEMA pawl CASCADE"));
    libpq.clear(server_execute(server_conn, "CREATE SCHEMA pawl"));
    return setup_directory(state);
}

static int remove_directory(void **state)
{
    struct fixture *fixture = *state;
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", fixture->dir);
    arena_done(&fixture->arena);
    free(fixture);
    return system(command);
}

static void make_store(struct fixture *f, const char *path)
{
    struct store_config config = { .path = path, .create = true };
    struct store *store;
    assert_ok(f, store_open(&config, &store, &f->err));
    store_close(store);
}

/* The first value of the last row, as text; NULL: there is none. */
static const char *sqlite_ask(struct fixture *f, const char *path, const char *sql)
{
    sqlite3 *handle;
    sqlite3_stmt *statement;
    const char *value = NULL;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    for (const char *rest = sql; *rest;) {
        if (sqlite3_prepare_v2(handle, rest, -1, &statement, &rest) != SQLITE_OK)
            fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
        int code;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(statement, 0);
            value = text ? arena_str(&f->arena, str_of(text)).p : NULL;
        }
        if (code != SQLITE_DONE) fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
        sqlite3_finalize(statement);
    }
    sqlite3_close(handle);
    return value;
}

static void server_run(const char *sql) { libpq.clear(server_execute(server_conn, sql)); }

static const char *second_path(struct fixture *f) { return arena_printf(&f->arena, "%s.copy", f->path).p; }

static enum status copy(struct fixture *f, const char *from, const char *to, bool overwrite,
                        struct store_copied *copied)
{
    const struct store_copying copying = { .from = from, .to = to, .overwrite = overwrite };
    return store_copy(&copying, copied, &f->err);
}

static void must_copy(struct fixture *f, const char *from, const char *to)
{
    struct store_copied copied;
    assert_ok(f, copy(f, from, to, false, &copied));
    assert_int_equal(copied.count, copy_table_count);
    for (size_t i = 0; i < copied.count; i++)
        assert_int_equal(copied.table[i].rows, copied.table[i].compared);
}

static void assert_fails(struct fixture *f, enum status got, enum status want, const char *words)
{
    assert_int_equal(got, want);
    if (!strstr(f->err.message, words)) fail_msg("\"%s\" lacks \"%s\"", f->err.message, words);
}

/* ---- the description ---- */

static const struct copy_table *find_table(const char *name)
{
    for (size_t i = 0; i < copy_table_count; i++)
        if (strcmp(copy_tables[i].name, name) == 0) return &copy_tables[i];
    return NULL;
}

static bool is_left_out(enum copy_side side, const char *name, bool sequence)
{
    for (size_t i = 0; i < copy_left_out_count; i++)
        if (copy_left_out[i].side == side && copy_left_out[i].sequence == sequence &&
            strcmp(copy_left_out[i].name, name) == 0)
            return *copy_left_out[i].why;
    return false;
}

static bool has_column(enum copy_side side, const struct copy_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(copy_column_name(&table->column[i], side), name) == 0) return true;
    for (size_t i = 0; i < copy_own_column_count; i++) {
        const struct copy_own_column *own = &copy_own_columns[i];
        if (own->side == side && strcmp(own->table, table->name) == 0 && strcmp(own->column, name) == 0)
            return *own->why;
    }
    return false;
}

/* `list`: lines "table column place", where place counts the columns of the primary key from 1 on. */
static void check_columns(enum copy_side side, str list)
{
    char table_name[64], column[64];
    int place, length;
    size_t known = 0, described = 0;
    for (const char *at = list.p; at < list.p + list.n; at += length) {
        assert_int_equal(sscanf(at, "%63s %63s %d\n%n", table_name, column, &place, &length), 3);
        const struct copy_table *table = find_table(table_name);
        if (!table && !is_left_out(side, table_name, false))
            fail_msg("table %s: describe it in copy/tables.c, or say there why it is not copied", table_name);
        if (!table) continue;
        if (!has_column(side, table, column))
            fail_msg("column %s of table %s: describe it in copy/tables.c", column, table_name);
        known++;
        bool key = place > 0 && (size_t)place <= table->keys;
        if (key && strcmp(copy_column_name(&table->column[place - 1], side), column) != 0 &&
            !table->is_history)
            fail_msg("column %s is in another place of the key of table %s", column, table_name);
    }
    for (size_t i = 0; i < copy_table_count; i++) described += copy_tables[i].columns;
    for (size_t i = 0; i < copy_own_column_count; i++) described += copy_own_columns[i].side == side;
    assert_int_equal(known, described); /* None is described that is not there. */
}

static void every_column_of_sqlite_is_described(void **state)
{
    struct fixture *f = *state;
    make_store(f, f->path);
    const char *list = sqlite_ask(f, f->path,
                                  "SELECT group_concat(t.name || ' ' || c.name || ' ' || c.pk, char(10)) ||"
                                  " char(10) FROM sqlite_schema t, pragma_table_info(t.name) c"
                                  " WHERE t.type = 'table'");
    check_columns(COPY_SQLITE, str_of(list));
}

static void every_column_of_postgres_is_described(void **state)
{
    struct fixture *f = *state;
    make_store(f, server_uri);
    check_columns(COPY_POSTGRES,
                  server_ask(f, "SELECT c.relname || ' ' || a.attname || ' ' ||"
                                " coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0)"
                                " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
                                " LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary"
                                " WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind IN ('r', 'p')"
                                " AND a.attnum > 0 AND NOT a.attisdropped"));
    str sequences = server_ask(f, "SELECT relname FROM pg_class WHERE relkind = 'S'"
                                  " AND relnamespace = 'pawl'::regnamespace");
    char name[64];
    int length;
    for (const char *at = sequences.p; at < sequences.p + sequences.n; at += length) {
        assert_int_equal(sscanf(at, "%63s\n%n", name, &length), 1);
        if (!is_left_out(COPY_POSTGRES, name, true))
            fail_msg("sequence %s: say in copy/tables.c what becomes of it", name);
    }
}

static void each_table_fits_into_a_row_of_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < copy_table_count; i++) {
        assert_true(copy_tables[i].columns <= POSTGRES_PARAMS_MAX);
        assert_true(copy_tables[i].keys > 0 && copy_tables[i].keys <= copy_tables[i].columns);
    }
}

/* ---- rows ---- */

/* Rows of every table, with bytes of every kind. Histories are interleaved, as an engine writes them. */
static const char *const rows_sql[] = {
    "INSERT INTO namespace VALUES(2, x'00ff')",
    "INSERT INTO definition VALUES(1, 1, 'a', 1, 1, 5, 'steps', 'A', -9223372036854775807, 17, 'ada', "
    "'4f2c', 1, 1700000000000, x'7b00ff7d'),"
    " (2, 1, x'ff', 2147483647, 9223372036854775807, 0, '', '', 0, -1, x'', x'', 0, 0, x'')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)"
    " INSERT INTO instance SELECT 7 * i, 1, 1 + i % 2, i % 9, i, CASE i % 3 WHEN 0 THEN NULL ELSE i END,"
    " CASE i % 4 WHEN 0 THEN NULL ELSE CAST(i AS BLOB) END, 4, 4500 + i, randomblob(i % 700) FROM n",
    /* Row 1500 * r + i is revision r + 1 of the instance 7 * i. */
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5999)"
    " INSERT INTO history SELECT i + 1, 7 * (i % 1500 + 1), CASE WHEN i < 1500 THEN 0 ELSE i - 1499 END,"
    " i / 1500 + 1, i, randomblob(i % 90) FROM n",
    "INSERT INTO tally SELECT definition, phase, count(*) FROM instance GROUP BY 1, 2",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12345)"
    " INSERT INTO timer SELECT i / 3, 7 * (i % 5), i FROM n",
    "UPDATE tally SET count = 12345 WHERE slot = -2",
    "INSERT INTO task VALUES(7, 1, 1, 2, 5, 'n', 'T', x'00', NULL), (7, 4294967295, 1, 2, 5, '', '', '', "
    "x'01')",
    "INSERT INTO tally VALUES(2, -1, 2)",
    "INSERT INTO worklist VALUES(1, 0, x'ff', -1, 7, 1), (1, 0, x'fe00', 9, 7, 1), (1, 0, x'fe', 9, 7, 1)",
    "INSERT INTO pending VALUES(7, 3, 1, 'b', '', 1, x'00')",
    "INSERT INTO idempotency VALUES(1, x'00', -1, 1, 201, x''), (1, x'', 5, 1, 409, randomblob(3000000))",
    "INSERT INTO event_trigger VALUES(1, '', '', 1), (1, '', x'00', 1), (1, x'80', 'x', 2)",
    "INSERT INTO subscription VALUES(1, '', 7), (1, 'k', 7)",
    "INSERT INTO child VALUES(7, 1, 14, 3)",
    "INSERT INTO unmatched VALUES(3, 1, 1, 'r', 'e', x'0065ff'), (4, 1, 1, 'r', 'e', NULL),"
    " (9, 1, 1, 'r', 'e', NULL)",
    "DELETE FROM unmatched WHERE id = 9",
    "INSERT INTO failure VALUES(1, 14, 1, 1, 1, NULL, 's', 'r'), (1, 21, 1, 1, 1, 'k', 's', 'r')",
    "INSERT INTO bulk VALUES(2, 1, 1, 1, 1, NULL, 1, 2, 3, 4, 5), (4, 1, 1, 1, 1, 9, 1, 2, 3, 4, 5)",
    "INSERT INTO bulk_part VALUES(2, 0, 0, x''), (2, 1, 7, randomblob(100))",
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
    " INSERT INTO record SELECT 1, i % 7, CAST(i AS BLOB) || x'00', i % 2, randomblob(i % 40) FROM n",
    "UPDATE meta SET value = 20000 WHERE name = 'instance_high'",
};

/* Literals without an x are text there, and the store has only blobs. */
static void put_rows(struct fixture *f, const char *path)
{
    struct buf sql;
    buf_init(&sql, &f->arena);
    buf_add_str(&sql, STR("PRAGMA synchronous = OFF; BEGIN;"));
    for (size_t i = 0; i < COUNT(rows_sql); i++) buf_printf(&sql, "%s;", rows_sql[i]);
    for (size_t i = 0; i < copy_table_count; i++)
        for (size_t k = 0; k < copy_tables[i].columns; k++) {
            const char *name = copy_column_name(&copy_tables[i].column[k], COPY_SQLITE);
            if (copy_tables[i].column[k].kind == COPY_BYTES)
                buf_printf(&sql, "UPDATE %s SET %s = CAST(%s AS BLOB) WHERE typeof(%s) = 'text';",
                           copy_tables[i].name, name, name, name);
        }
    buf_add(&sql, "COMMIT", sizeof "COMMIT");
    make_store(f, path);
    sqlite_ask(f, path, sql.p);
}

static void assert_same_rows(struct fixture *f, const char *a, const char *b)
{
    for (size_t i = 0; i < copy_table_count; i++) {
        struct buf columns;
        buf_init(&columns, &f->arena);
        for (size_t k = 0; k < copy_tables[i].columns; k++)
            buf_printf(&columns, "%s%s", k ? ", " : "",
                       copy_column_name(&copy_tables[i].column[k], COPY_SQLITE));
        const char *name = copy_tables[i].name;
        str list = buf_str(&columns);
        str sql =
            arena_printf(&f->arena,
                         "ATTACH '%s' AS b; SELECT (SELECT count(*) FROM (SELECT %.*s FROM main.%s EXCEPT"
                         " SELECT %.*s FROM b.%s)) + (SELECT count(*) FROM (SELECT %.*s FROM b.%s EXCEPT"
                         " SELECT %.*s FROM main.%s)) + abs((SELECT count(*) FROM main.%s) -"
                         " (SELECT count(*) FROM b.%s))",
                         b, STR_ARG(list), name, STR_ARG(list), name, STR_ARG(list), name, STR_ARG(list),
                         name, name, name);
        if (strcmp(sqlite_ask(f, a, sql.p), "0") != 0) fail_msg("the tables %s differ", name);
    }
}

static void rows_survive_the_way_there_and_back(void **state)
{
    struct fixture *f = *state;
    const char *second = second_path(f);
    put_rows(f, f->path);
    must_copy(f, f->path, server_uri);
    must_copy(f, server_uri, second);
    assert_same_rows(f, f->path, second);
    assert_string_equal(
        sqlite_ask(f, second,
                   "SELECT count(*) FROM history h JOIN instance i ON i.id = h.instance LEFT JOIN"
                   " history p ON p.id = h.prev WHERE (h.revision = 1) <> (p.id IS NULL)"
                   " OR p.instance <> h.instance OR p.revision <> h.revision - 1"
                   " OR (h.revision = i.revision) <> (h.id = i.last_history)"),
        "0");
    assert_string_equal(sqlite_ask(f, second, "SELECT value FROM meta WHERE name = 'schema'"),
                        sqlite_ask(f, f->path, "SELECT value FROM meta WHERE name = 'schema'"));
}

/* What is counted apart on several nodes is one count in the copy. */
static void counts_of_nodes_are_summed(void **state)
{
    struct fixture *f = *state;
    make_store(f, server_uri);
    server_run("INSERT INTO tally VALUES(1, 0, 3, 5), (1, 0, 9, -2), (1, 4, 3, 7), (0, -2, 3, 0)");
    must_copy(f, server_uri, f->path);
    assert_string_equal(
        sqlite_ask(f, f->path, "SELECT group_concat(definition || ':' || slot || '=' || count) FROM tally"),
        "0:-2=0,1:0=3,1:4=7");
}

/* An engine alone has the events of all nodes, and the instances that end with one. */
static void numbers_of_nodes_stay_behind(void **state)
{
    struct fixture *f = *state;
    make_store(f, server_uri);
    server_run(
        "INSERT INTO pending(parent, number, ns, target, key, created, data)"
        " SELECT (1::int8 << 44) - 1 + p, n, 1, 't'::bytea, ''::bytea, 1, p::text::bytea FROM unnest(ARRAY["
        "(5::int8 << 32) + 1, (5::int8 << 32) + 9, (7::int8 << 32) + 1]) AS p, generate_series(0, 1) AS n"
        " UNION ALL SELECT 12, 3, 1, 'chained', '', 1, 'd'");
    server_run("INSERT INTO record(ns, kind, key, at, value) VALUES"
               "(1, 10, 'transient', 1, '\\x0000000000000005'), (1, 9, 'held', 1, 'stays')");
    must_copy(f, server_uri, f->path);
    assert_string_equal(
        sqlite_ask(f, f->path,
                   "SELECT group_concat((parent - (1 << 44) + 1) || '.' || number || '=' || data)"
                   " FROM (SELECT * FROM pending WHERE parent > 12 ORDER BY parent, number)"),
        "1.0=21474836481,1.1=21474836481,2.0=21474836489,2.1=21474836489,"
        "3.0=30064771073,3.1=30064771073");
    assert_string_equal(sqlite_ask(f, f->path, "SELECT number || target FROM pending WHERE parent = 12"),
                        "3chained");
    assert_string_equal(
        sqlite_ask(f, f->path, "SELECT group_concat(key || value) FROM (SELECT * FROM record ORDER BY kind)"),
        "heldstays,transient");
}

/* SQLite keeps them among the rows of the history, of which an instance has the others. */
static void blocks_of_the_audit_are_records_elsewhere(void **state)
{
    struct fixture *f = *state;
    struct store_config config = { .path = f->path, .create = true };
    struct store *store;
    assert_ok(f, store_open(&config, &store, &f->err));
    for (int i = 0; i < 200; i++) {
        struct record_row row = { .ns = 1,
                                  .kind = RECORD_AUDIT_BLOCK,
                                  .key = arena_printf(&f->arena, "%04d", i),
                                  .value = arena_printf(&f->arena, "v%d", i) };
        struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
        assert_ok(f, store_begin(store, &f->err));
        assert_ok(f, store_apply(store, &changeset, &f->err));
        assert_ok(f, store_commit(store, &f->err));
    }
    store_close(store);
    assert_string_equal(sqlite_ask(f, f->path, "SELECT count(*) FROM history WHERE instance = 0"), "200");
    make_store(f, server_uri);
    must_copy(f, f->path, server_uri);
    assert_str_equal(server_ask(f, "SELECT count(*) || ' ' || min(encode(key, 'escape')) || ' ' || "
                                   "max(encode(value, 'escape')) FROM record WHERE kind = 43 AND at = 0"),
                     STR("200 0000 v99\n"));
    assert_str_equal(server_ask(f, "SELECT count(*) FROM history"), STR("0\n"));
}

static void no_number_comes_back(void **state)
{
    struct fixture *f = *state;
    const char *second = second_path(f);
    struct store_config config = { .path = server_uri };
    struct store_numbers numbers = { 0 };
    struct store *store;
    put_rows(f, f->path);
    must_copy(f, f->path, server_uri);
    assert_str_equal(server_ask(f, "SELECT nextval('unmatched_number_seq')"), STR("10\n"));
    assert_str_equal(server_ask(f, "SELECT nextval('bulk_number_seq')"), STR("5\n"));
    assert_ok(f, store_open(&config, &store, &f->err));
    assert_ok(f, store_take_numbers(store, &numbers, &f->err));
    store_close(store);
    assert_true(numbers.instance > 20000 && numbers.definition > 2);
    /* The block that was taken counts as used. */
    must_copy(f, server_uri, second);
    config.path = second;
    uint64_t taken = numbers.instance_end;
    numbers = (struct store_numbers){ 0 };
    assert_ok(f, store_open(&config, &store, &f->err));
    assert_ok(f, store_take_numbers(store, &numbers, &f->err));
    store_close(store);
    assert_true(numbers.instance >= taken && numbers.definition == 3);
    assert_string_equal(sqlite_ask(f, second,
                                   "SELECT group_concat(name || seq) FROM"
                                   " (SELECT * FROM sqlite_sequence ORDER BY name)"),
                        "bulk5,unmatched10");
}

/* ---- secrets whose key is lost ---- */

static void note_name(void *context, str name) { buf_printf(context, "%.*s ", STR_ARG(name)); }

static void secrets_are_forgotten(void **state)
{
    struct fixture *f = *state;
    static const char *const rows =
        "INSERT INTO record(ns, kind, key, at, value) VALUES"
        "(1, 1, 'b', 1, ''), (1, 1, 'a', 1, ''), (1, 22, 'key', 1, ''), (1, 9, 'held', 1, '')";
    make_store(f, server_uri);
    server_run(rows);
    must_copy(f, server_uri, f->path);
    for (int sqlite = 0; sqlite < 2; sqlite++) {
        const char *path = sqlite ? f->path : server_uri;
        struct buf names;
        buf_init(&names, &f->arena);
        assert_ok(f, store_forget_secrets(path, note_name, &names, &f->err));
        assert_true(str_equal(buf_str(&names), STR("a b ")));
        const char *left = "SELECT count(*) || ' ' || min(kind) FROM record";
        if (sqlite) assert_string_equal(sqlite_ask(f, path, left), "1 9");
        else assert_true(str_starts(server_ask(f, left), STR("1 9")));
    }
}

/* ---- refusals ---- */

static void stores_of_one_kind_are_copied_by_other_means(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    assert_fails(f, copy(f, f->path, second_path(f), false, &copied), ST_INVALID, "pawl store backup");
    assert_fails(f, copy(f, server_uri, server_uri, false, &copied), ST_INVALID, "pg_dump");
    assert_int_equal(access(second_path(f), F_OK), -1);
}

static void what_is_missing_is_not_made(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_NOT_FOUND, "there is no file");
    assert_fails(f, copy(f, server_uri, f->path, false, &copied), ST_NOT_FOUND, "has no Pawl store");
    assert_int_equal(access(f->path, F_OK), -1);
    assert_str_equal(server_ask(f, "SELECT count(*) FROM pg_class WHERE relnamespace = 'pawl'::regnamespace"),
                     STR("0\n"));
}

static void a_store_in_use_is_refused(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    struct store *store;
    make_store(f, f->path);
    make_store(f, server_uri);
    struct store_config config = { .path = f->path };
    assert_ok(f, store_open(&config, &store, &f->err));
    assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_CONFLICT, "another process is using");
    assert_fails(f, copy(f, server_uri, f->path, false, &copied), ST_CONFLICT, "another process is using");
    store_close(store);
    config.path = server_uri;
    assert_ok(f, store_open(&config, &store, &f->err));
    assert_fails(f, copy(f, f->path, server_uri, true, &copied), ST_CONFLICT, "an engine has the store");
    store_close(store);
    must_copy(f, f->path, server_uri);
}

static void a_store_with_rows_is_never_overwritten(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    put_rows(f, f->path);
    must_copy(f, f->path, server_uri);
    for (int overwrite = 0; overwrite <= 1; overwrite++) {
        assert_fails(f, copy(f, f->path, server_uri, overwrite, &copied), ST_CONFLICT, "is not empty");
        assert_fails(f, copy(f, server_uri, f->path, overwrite, &copied), ST_CONFLICT, "is not empty");
    }
    assert_str_equal(server_ask(f, "SELECT count(*) FROM instance"), STR("1500\n"));
    assert_string_equal(sqlite_ask(f, f->path, "SELECT count(*) FROM instance"), "1500");
}

static void an_older_schema_is_refused_and_not_migrated(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    make_store(f, f->path);
    make_store(f, server_uri);
    sqlite_ask(f, f->path, "UPDATE meta SET value = 9 WHERE name = 'schema'");
    assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_CONFLICT, "schema 9 is older");
    assert_fails(f, copy(f, server_uri, f->path, false, &copied), ST_CONFLICT, "schema 9 is older");
    server_run("UPDATE meta SET value = 0 WHERE name = 'schema'");
    sqlite_ask(f, f->path, "UPDATE meta SET value = 14 WHERE name = 'schema'");
    assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_CONFLICT, "schema 0 is older");
    assert_fails(f, copy(f, server_uri, f->path, false, &copied), ST_CONFLICT, "schema 0 is older");
}

/* ---- interrupted ---- */

static void kill_self(void *context, const char *table, bool comparing, int64_t rows)
{
    const char *where = context;
    bool compares = where[0] == '=';
    if (comparing == compares && strcmp(table, where + compares) == 0 && rows >= 1000) raise(SIGKILL);
}

/* Copies in a process that is killed at a table, while it copies or ("=table") compares. */
static void copy_and_die(const char *from, const char *to, const char *where)
{
    pid_t child = fork();
    if (child == 0) {
        struct store_copied copied;
        struct error err;
        const struct store_copying copying = {
            .from = from, .to = to, .progress = kill_self, .context = (void *)(uintptr_t)where
        };
        store_copy(&copying, &copied, &err);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void assert_refused_everywhere(struct fixture *f, const char *path)
{
    static const struct store_config configs[] = { { .create = true }, { .read_only = true }, { 0 } };
    for (size_t i = 0; i < COUNT(configs); i++) {
        struct store_config config = configs[i];
        struct store *store;
        config.path = path;
        assert_fails(f, store_open(&config, &store, &f->err), ST_CONFLICT, "pawl store copy --overwrite");
    }
}

static void a_killed_copy_is_refused_and_can_be_begun_anew(void **state)
{
    struct fixture *f = *state;
    static const char *const places[] = { "timer", "=history" };
    const char *second = second_path(f);
    struct store_copied copied;
    put_rows(f, f->path);
    for (size_t i = 0; i < COUNT(places); i++) {
        copy_and_die(f->path, server_uri, places[i]);
        assert_refused_everywhere(f, server_uri);
        assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_CONFLICT, "--overwrite");
        assert_fails(f, copy(f, server_uri, second, true, &copied), ST_CONFLICT, "was not finished");
        assert_ok(f, copy(f, f->path, server_uri, true, &copied));
        copy_and_die(server_uri, second, places[i]);
        assert_refused_everywhere(f, second);
        assert_fails(f, copy(f, server_uri, second, false, &copied), ST_CONFLICT, "--overwrite");
        assert_ok(f, copy(f, server_uri, second, true, &copied));
        assert_same_rows(f, f->path, second);
        unlink(second);
        server_run("UPDATE meta SET value = value + 1073741824 WHERE name = 'schema'");
        assert_ok(f, copy(f, f->path, server_uri, true, &copied));
        server_run("DROP SCHEMA pawl CASCADE; CREATE SCHEMA pawl");
    }
}

/* ---- differences ---- */

/* Compares the file with the database, or the other way round. */
static enum status verify(struct fixture *f, const char *table, bool back)
{
    const struct store_copying copying = { 0 };
    struct copy_end *file, *database;
    int64_t rows;
    assert_ok(f, sqlite_copy_ops.open_source(f->path, &file, &f->err));
    assert_ok(f, postgres_copy_ops.open_source(server_uri, &database, &f->err));
    enum status status = copy_verify(find_table(table), back ? database : file, back ? file : database,
                                     &copying, &rows, &f->err);
    database->ops->close(database);
    file->ops->close(file);
    return status;
}

static void every_difference_is_found(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *damage, *repair, *table, *words;
    } cases[] = {
        { "UPDATE instance SET state = state || 'x' WHERE id = 700",
          "UPDATE instance SET state = substr(state, 1, length(state) - 1) WHERE id = 700", "instance",
          "row (700) differs from its source in the column state" },
        { "UPDATE instance SET ended = 0 WHERE id = 63", "UPDATE instance SET ended = NULL WHERE id = 63",
          "instance", "row (63) differs from its source in the column ended" },
        { "UPDATE instance SET id = 10500000 WHERE id = 10500",
          "UPDATE instance SET id = 10500 WHERE id = 10500000", "instance",
          "row (10500) is only in the source" },
        { "INSERT INTO timer VALUES(-5, 1, 1)", "DELETE FROM timer WHERE due = -5", "timer",
          "row (-5, 1, 1) is only in the target" },
        { "UPDATE worklist SET who = '\\xfe01' WHERE who = '\\xfe00'",
          "UPDATE worklist SET who = '\\xfe00' WHERE who = '\\xfe01'", "worklist",
          "row (1, 0, \"\\xfe\\x00\", 9, 7, 1) is only in the source" },
        { "UPDATE history SET blob = 'other' WHERE instance = 70 AND revision = 3", NULL, "history",
          "row (70, 3) differs from its source in the column blob" },
        { "DELETE FROM history WHERE instance = 70 AND revision = 3", NULL, "history",
          "row (70, 3) is only in the source" },
        { "INSERT INTO history VALUES(70, 1, 3, 'x'), (70, 1, 9, 'x')", NULL, "history", "row (70, 3)" },
        { "UPDATE tally SET count = count + 1 WHERE slot = -1",
          "UPDATE tally SET count = count - 1 WHERE slot = -1", "tally",
          "row (2, -1) differs from its source in the column count" },
    };
    put_rows(f, f->path);
    must_copy(f, f->path, server_uri);
    server_run("INSERT INTO history VALUES(70, 1, 5, 'x')");
    assert_fails(f, verify(f, "history", false), ST_INTERNAL, "the source has 6000 rows, the target 6001");
    assert_fails(f, verify(f, "history", true), ST_INTERNAL, "the source has 6001 rows, the target 6000");
    server_run("DELETE FROM history WHERE revision = 5");
    for (size_t i = 0; i < COUNT(cases); i++) {
        server_run(cases[i].damage);
        assert_fails(f, verify(f, cases[i].table, false), ST_INTERNAL, cases[i].words);
        if (cases[i].repair) server_run(cases[i].repair);
    }
}

static void a_value_of_another_kind_is_no_row_to_copy(void **state)
{
    struct fixture *f = *state;
    struct store_copied copied;
    put_rows(f, f->path);
    sqlite_ask(f, f->path, "UPDATE instance SET created = 'yesterday' WHERE id = 70");
    assert_fails(f, copy(f, f->path, server_uri, false, &copied), ST_STORE,
                 "table instance: a value of the column created is no number");
    assert_refused_everywhere(f, server_uri);
}

#define WITH_STORES(test) cmocka_unit_test_setup_teardown(test, setup_stores, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORES(every_column_of_sqlite_is_described),
        WITH_STORES(every_column_of_postgres_is_described),
        cmocka_unit_test(each_table_fits_into_a_row_of_cells),
        WITH_STORES(rows_survive_the_way_there_and_back),
        WITH_STORES(counts_of_nodes_are_summed),
        WITH_STORES(numbers_of_nodes_stay_behind),
        WITH_STORES(blocks_of_the_audit_are_records_elsewhere),
        WITH_STORES(no_number_comes_back),
        WITH_STORES(secrets_are_forgotten),
        WITH_STORES(stores_of_one_kind_are_copied_by_other_means),
        WITH_STORES(what_is_missing_is_not_made),
        WITH_STORES(a_store_in_use_is_refused),
        WITH_STORES(a_store_with_rows_is_never_overwritten),
        WITH_STORES(an_older_schema_is_refused_and_not_migrated),
        WITH_STORES(a_killed_copy_is_refused_and_can_be_begun_anew),
        WITH_STORES(every_difference_is_found),
        WITH_STORES(a_value_of_another_kind_is_no_row_to_copy),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
