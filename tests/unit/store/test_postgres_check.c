/* PostgreSQL: damage that its part of store_check() finds, and the plans of its statements. */
#include "postgres_server.h"

#include "store/postgres/load_int.h"

/* ---- damage ---- */

static void put_rows(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= 3; id++) {
        struct instance_row row = an_instance(id, 1, id == 3 ? INSTANCE_FAILED : INSTANCE_ACTIVE);
        put_instance(f, &row);
    }
    struct task_row task = {
        .instance = 1, .execution = 4, .ns = 1, .definition = 1, .node = STR("ask"), .title = STR("Ask")
    };
    struct timer_row timer[] = { { 7, 1, 2 }, { 7, 1, 3 }, { 8, 1, 1 } };
    struct failure_row failure = { .instance = 3, .ns = 1, .definition = 1, .reason = STR("why") };
    struct trigger_row trigger = { 1, STR("shop"), STR("paid"), 1 };
    struct bulk_row bulk = { .ns = 1, .created_ms = 1, .found = 1 };
    struct bulk_part_row part = { .kind = BULK_PART_REQUEST, .blob = STR("request") };
    put(f, (struct changeset){ .task_add = &task, .task_add_count = 1, .failure_put = &failure });
    put(f, (struct changeset){ .timer_add = timer, .timer_add_count = 3 });
    for (size_t i = 0; i < 2; i++) /* The second time it is gone already. */
        put(f, (struct changeset){ .timer_remove = timer, .timer_remove_count = 1 });
    put(f, (struct changeset){ .trigger_add = &trigger, .trigger_add_count = 1 });
    put(f, (struct changeset){ .bulk_add = &bulk, .bulk_part_add = &part, .bulk_part_add_count = 1 });
}

static void add_sentence(void *context, const char *sentence)
{
    buf_add_str(context, str_of(sentence));
    buf_add_char(context, '\n');
}

static str findings(struct fixture *f)
{
    struct buf found;
    buf_init(&found, &f->arena);
    assert_ok(f, f->store->ops->integrity(f->store, add_sentence, &found, &f->err));
    return buf_str(&found);
}

static void damage(struct fixture *f, const char *sql)
{
    assert_ok(f, postgres_exec(&postgres_self(f->store)->db, sql, &f->err));
}

static void each_kind_of_damage_is_found(void **state)
{
    struct fixture *f = *state;
    put_rows(f);
    assert_str_equal(findings(f), STR(""));
    static const struct {
        const char *damage, *repair, *sentence;
    } cases[] = {
        { "UPDATE instance SET phase = 2 WHERE id = 1", "UPDATE instance SET phase = 1 WHERE id = 1",
          "definition 1 has 1 instances in phase 1, but 2 are counted" },
        { "INSERT INTO tally VALUES(9, 4, 1, 5)", "DELETE FROM tally WHERE definition = 9",
          "definition 9 has 0 instances in phase 4, but 5 are counted" },
        { "INSERT INTO tally VALUES(1, 40, 1, 1)", "DELETE FROM tally WHERE slot = 40",
          "definition 1 has a count for phase 40, which does not exist" },
        { "UPDATE instance SET phase = 77 WHERE id = 1", "UPDATE instance SET phase = 1 WHERE id = 1",
          "instance 1 has no phase 77" },
        { "UPDATE task SET definition = 2", "UPDATE task SET definition = 1",
          "definition 2 has 1 open tasks, but 0 are counted" },
        { "INSERT INTO timer VALUES(1, 1, 1)", "DELETE FROM timer WHERE due = 1",
          "there are 3 timers, but 2 are counted" },
        { "UPDATE definition SET number = 2", "UPDATE definition SET number = 1",
          "instance 2 is of definition 1, which is not there" },
        { "UPDATE definition SET number = 2", "UPDATE definition SET number = 1",
          "definition 1 takes events, but is not there" },
        { "INSERT INTO worklist VALUES(1, 0, 'a', 1, 1, 5)", "DELETE FROM worklist",
          "a list has a task of instance 1, which is not open" },
        { "INSERT INTO failure VALUES(1, 9, 1, 1, 1, NULL, '', '')", "DELETE FROM failure WHERE instance = 9",
          "a reason to have failed belongs to instance 9, which is not there" },
        { "INSERT INTO bulk_part VALUES(8, 0, 0, '')", "DELETE FROM bulk_part WHERE bulk = 8",
          "parts of bulk 8 are left without it" },
        { "INSERT INTO history VALUES(9, 1, 1, '')", "DELETE FROM history WHERE instance = 9",
          "history rows belong to instance 9, which is not there" },
        { "UPDATE instance SET revision = 2 WHERE id = 1", "UPDATE instance SET revision = 1 WHERE id = 1",
          "instance 1 has 1 history rows, but revision 2" },
        { "UPDATE history SET revision = 2 WHERE instance = 1",
          "UPDATE history SET revision = 1 WHERE instance = 1", "the history of instance 1 has a gap" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        damage(f, cases[i].damage);
        str found = findings(f);
        if (str_find(found, str_of(cases[i].sentence), 0) == SIZE_MAX)
            fail_msg("%s: expected \"%s\", got \"%.*s\"", cases[i].damage, cases[i].sentence, STR_ARG(found));
        damage(f, cases[i].repair);
        assert_str_equal(findings(f), STR(""));
    }
}

/* Pages of rows follow each other without a gap and without counting any twice. */
static void many_rows_are_checked_page_by_page(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    damage(f, "INSERT INTO instance(id, definition, created, ended, ns, revision, phase, key, state)"
              " SELECT n, 1, 1, NULL, 1, 1, 0, NULL, '' FROM generate_series(1, 2500) n");
    damage(f, "INSERT INTO history SELECT n, 1, 1, '' FROM generate_series(1, 2500) n");
    damage(f, "INSERT INTO task SELECT n, 1, 1, 1, 1, '', '', '' FROM generate_series(1, 2500) n");
    damage(f, "INSERT INTO worklist SELECT 1, 0, 'a', 1, n, 1 FROM generate_series(1, 2500) n");
    damage(f, "INSERT INTO worklist SELECT 1, 0, 'b', 1, n, 1 FROM generate_series(1, 2500) n");
    damage(f, "INSERT INTO tally VALUES(1, 0, 1, 1500), (1, 0, 2, 1000), (1, -1, 1, 2501), (1, -1, 2, -1)");
    assert_str_equal(findings(f), STR(""));
    damage(f, "DELETE FROM task WHERE instance = 2400");
    str found = findings(f);
    assert_true(str_find(found, STR("definition 1 has 2499 open tasks, but 2500 are counted"), 0) !=
                SIZE_MAX);
    assert_true(str_find(found, STR("a list has a task of instance 2400"), 0) != SIZE_MAX);
}

/* ---- others on the same database ---- */

static struct store_numbers take(struct fixture *f)
{
    struct store_numbers numbers = { 0 };
    assert_ok(f, store_take_numbers(f->store, &numbers, &f->err));
    return numbers;
}

static void open_again(struct fixture *f)
{
    close_store(f);
    f->store = server_open_store(f);
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));
}

/* Also when the sequences are behind rows that came from elsewhere. */
static void no_number_is_given_twice(void **state)
{
    struct fixture *f = *state;
    struct store_numbers last = { 0 };
    for (size_t i = 0; i < 4; i++) {
        struct store_numbers next = take(f);
        assert_true(next.instance >= last.instance_end && next.definition >= last.definition_end);
        last = next;
        open_again(f);
        if (i != 1) continue;
        put_definition(f, 70, "order", 1);
        struct instance_row row = an_instance(1000000, 70, INSTANCE_COMPLETED);
        put_instance(f, &row);
        last = (struct store_numbers){ .instance_end = 1000001, .definition_end = 71 };
    }
    /* What is purged came from elsewhere, too. */
    struct instance_row row = an_instance(5000000, 70, INSTANCE_COMPLETED);
    struct purged purged;
    put_instance(f, &row);
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ .before_ms = INT64_MAX }, 10, &purged, &f->err));
    commit(f);
    assert_int_equal(purged.instances[INSTANCE_COMPLETED], 2);
    assert_true(take(f).instance > 5000000);
}

static void put_old_rows(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= 6; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED);
        struct unmatched_row event = { .ns = 1, .received_ms = (int64_t)id };
        struct record_row seen = {
            .ns = 1, .kind = RECORD_SEEN, .key = { (const char *)&id, sizeof id }, .at_ms = (int64_t)id
        };
        struct idempotency_row answer = { .ns = 1, .key = seen.key, .created_ms = (int64_t)id };
        put_instance(f, &row);
        put(f, (struct changeset){ .unmatched_add = &event,
                                   .record_put = &seen,
                                   .record_put_count = 1,
                                   .idempotency = &answer });
    }
}

static void lock_rows(void)
{
    static const char *const sql[] = {
        "BEGIN",
        "SELECT 1 FROM instance WHERE id <= 2 FOR UPDATE",
        "SELECT 1 FROM unmatched WHERE received <= 2 FOR UPDATE",
        "SELECT 1 FROM idempotency WHERE created <= 2 FOR UPDATE",
        "SELECT 1 FROM record WHERE at <= 2 FOR UPDATE",
    };
    for (size_t i = 0; i < COUNT(sql); i++) libpq.clear(server_execute(server_conn, sql[i]));
}

static void purge_all(struct fixture *f, size_t expected)
{
    const struct purge all = { INT64_MAX, INT64_MAX, INT64_MAX };
    struct purged purged;
    size_t records;
    begin(f);
    assert_ok(f, store_purge(f->store, &all, 100, &purged, &f->err));
    assert_ok(f, store_purge_records(f->store, RECORD_SEEN, INT64_MAX, 100, &records, &f->err));
    commit(f);
    assert_int_equal(purged.instances[INSTANCE_COMPLETED], expected);
    assert_int_equal(purged.unmatched, expected);
    assert_int_equal(purged.keys, expected);
    assert_int_equal(records, expected);
    assert_str_equal(findings(f), STR(""));
}

/* Rows that somebody else is changing stay for the next time, and nobody waits. */
static void a_purge_leaves_rows_that_are_locked(void **state)
{
    struct fixture *f = *state;
    put_old_rows(f);
    lock_rows();
    purge_all(f, 4);
    libpq.clear(server_execute(server_conn, "ROLLBACK"));
    purge_all(f, 2);
    purge_all(f, 0);
}

/* A tool may look at a store that an engine writes to. */
static void a_store_that_is_open_to_read_shows_one_moment(void **state)
{
    struct fixture *f = *state;
    struct fixture tool = { .path = "pawl" };
    struct store_config config = { .path = server_uri, .read_only = true, .must_not_migrate = true };
    struct store_statistics statistics;
    put_rows(f);
    arena_init(&tool.arena, 0);
    assert_ok(&tool, store_open(&config, &tool.store, &tool.err));
    assert_ok(&tool, store_reader_open(tool.store, &tool.reader, &tool.err));
    struct instance_row row = an_instance(8, 1, INSTANCE_ACTIVE);
    put_instance(f, &row);
    struct instance_row first = load_instance(f, 1);
    update_instance(f, &first, "h2");
    assert_str_equal(findings(&tool), STR(""));
    assert_false(reader_sees(&tool, 8));
    assert_int_equal(load_instance(&tool, 1).last_history, 1);
    assert_ok(&tool, reader_statistics(tool.reader, &statistics, &tool.err));
    assert_int_equal(statistics.instances_by_status[INSTANCE_ACTIVE], 2);
    assert_int_equal(store_begin(tool.store, &tool.err), ST_CONFLICT);
    /* Another moment would contradict what was shown before. */
    char end[64];
    snprintf(end, sizeof end, "SELECT pg_terminate_backend(%d, 5000)",
             libpq.backendPID(postgres_self(tool.store)->db.conn));
    libpq.clear(server_execute(server_conn, end));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(reader_statistics(tool.reader, &statistics, &tool.err), ST_STORE);
    close_store(&tool);
    arena_done(&tool.arena);
    assert_true(reader_sees(f, 8));
}

/* ---- plans ---- */

static const struct {
    const char *name, *letters, *text;
} statements[] = {
#define XX(NAME, letters, text) { #NAME, letters, text },
    POSTGRES_SQL_MAP(XX)
#undef XX
};

/* Rows for the planner to think about, many of them with the same namespace and definition. */
static const char *const rows[] = {
    "INSERT INTO definition SELECT n, 1, convert_to('d' || n % 20, 'UTF8'), n / 20 + 1, n, 0, 'steps', '', n,"
    " 1, '' FROM generate_series(1, 100) n",
    "INSERT INTO instance(id, definition, created, ended, ns, revision, phase, key, state)"
    " SELECT n, n % 100 + 1, n, CASE WHEN n % 5 < 2 THEN n END, 1, 2, CASE n % 5 WHEN 0"
    " THEN 4 WHEN 1 THEN 6 ELSE n % 4 END, CASE WHEN n % 3 = 0 THEN convert_to('k' || n, 'UTF8') END, ''"
    " FROM generate_series(1, 8000) n",
    "INSERT INTO history SELECT n, n, r, '' FROM generate_series(1, 8000) n, generate_series(1, 2) r",
    "INSERT INTO tally SELECT definition, phase, 1, count(*) FROM instance GROUP BY 1, 2, 3",
    "INSERT INTO timer SELECT n, n, 1 FROM generate_series(1, 4000) n",
    "INSERT INTO task SELECT n, 1, 1, n % 100 + 1, 1, '', '', 'l' FROM generate_series(1, 4000) n",
    "INSERT INTO worklist SELECT 1, 0, 'w', n, n, 1 FROM generate_series(1, 4000) n",
    "INSERT INTO pending SELECT n, 1, 1, convert_to('d' || n % 40, 'UTF8'), '', n, ''"
    " FROM generate_series(1, 4000) n",
    "INSERT INTO idempotency SELECT 1, convert_to('k' || n, 'UTF8'), n, n, 0, ''"
    " FROM generate_series(1, 4000) n",
    "INSERT INTO event_trigger SELECT 1, 's', 't', n FROM generate_series(1, 100) n",
    "INSERT INTO subscription SELECT n % 100 + 1, convert_to('c' || n % 50, 'UTF8'), n"
    " FROM generate_series(1, 4000) n",
    "INSERT INTO child SELECT n, 1, n + 1, 1 FROM generate_series(1, 4000) n",
    "INSERT INTO unmatched(ns, received, reason, event) SELECT 1, n, '', '' FROM generate_series(1, 4000) n",
    "INSERT INTO failure SELECT definition, id, 1, 1, 1, NULL, '', '' FROM instance WHERE phase = 6",
    "INSERT INTO bulk(ns, action, state, created, ended, found, done, succeeded, skipped, refused) SELECT 1,"
    " 1, 1, 1, CASE WHEN n > 20 THEN n END, 1, 1, 1, 1, 1 FROM generate_series(1, 1000) n",
    "INSERT INTO bulk_part SELECT n % 1000 + 1, 1, n, '' FROM generate_series(1, 8000) n",
    "INSERT INTO record SELECT 1, n % 5, convert_to('r' || n, 'UTF8'), n % 2 * n, ''"
    " FROM generate_series(1, 8000) n",
    "UPDATE instance SET holder = id % 3 + 1 WHERE id % 2 = 0",
    "INSERT INTO job SELECT n, 1, n, CASE WHEN n % 2 = 0 THEN n % 3 + 1 END, n, CASE WHEN n % 4 = 0 THEN n "
    "END,"
    " n % 11, 1, convert_to('q' || n % 3, 'UTF8') FROM generate_series(1, 8000) n",
    "INSERT INTO errand(target, sender, number, until, text) "
    "SELECT n % 3 + 1, 1, n, now(), '' FROM generate_series(1, 8000) n",
    "INSERT INTO news SELECT n % 3 + 1, n, n - 3, '' FROM generate_series(1, 8000) n",
    "ANALYZE",
};

static void add_list(struct buf *sql, const char *letters, const char *number, const char *bytes,
                     const char *numbers, const char *many_bytes)
{
    for (const char *letter = letters; *letter; letter++) {
        buf_add_str(sql, letter == letters ? STR("(") : STR(", "));
        buf_add_str(sql, str_of(*letter == 'i' || *letter == 'n' ? number
                                : *letter == 'b'                 ? bytes
                                : *letter == 'I'                 ? numbers
                                                                 : many_bytes));
    }
    if (*letters) buf_add_char(sql, ')');
}

static PGresult *explain(PGconn *conn, size_t i, struct arena *arena)
{
    struct buf sql;
    buf_init(&sql, arena);
    buf_printf(&sql, "PREPARE p%zu", i);
    add_list(&sql, statements[i].letters, "int8", "bytea", "int8[]", "bytea[]");
    buf_printf(&sql, " AS %s", statements[i].text);
    buf_add_char(&sql, '\0');
    libpq.clear(server_execute(conn, buf_str(&sql).p));
    buf_init(&sql, arena);
    buf_printf(&sql, "EXPLAIN (COSTS OFF) EXECUTE p%zu", i);
    add_list(&sql, statements[i].letters, "5", "'x'", "'{5, 6}'", "'{x}'");
    buf_add_char(&sql, '\0');
    return server_execute(conn, buf_str(&sql).p);
}

/* Transactions and settings have no plan. */
static bool has_plan(const char *text)
{
    static const char *const verbs[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "WITH" };
    for (size_t i = 0; i < COUNT(verbs); i++)
        if (str_starts(str_of(text), str_of(verbs[i]))) return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

/* They read counts or sessions, of which there are few; or definitions; or the first rows in the order of an
 * index. */
static const char *const may_scan[] = {
    "TALLY_BY_STATUS", "COUNTS",       "STATISTICS",       "BULK_OLDEST",        "REMOVAL_BULK_PARTS",
    "REMOVAL_BULKS",   "SKIP_BLOCKS",  "SKIP_DEFINITIONS", "PURGE_HIGH",         "NODE_FORGET",
    "NODE_SESSIONS",   "JOBS_OFFERED", "NODES_ABSENT",     "NODE_MESSAGE_PURGE", NULL
};

/* There are few nodes. */
static bool is_of_nodes(const char *text) { return strstr(text, " on node") || strstr(text, " on notice"); }

static void check_plan(PGconn *conn, size_t i, struct arena *arena)
{
    PGresult *plan = explain(conn, i, arena);
    int lines = libpq.ntuples(plan);
    for (int line = 0; line < lines; line++) {
        const char *text = libpq.getvalue(plan, line, 0);
        const char *next = line + 1 < lines ? libpq.getvalue(plan, line + 1, 0) : "";
        /* Without sequential scans the planner reads a whole index instead: one without a condition. */
        bool scans = strstr(text, "Seq Scan") != NULL || strstr(text, "Materialize") != NULL ||
                     (strstr(text, "Index") && strstr(text, "Scan") && !strstr(next, "Index Cond"));
        /* max() reads one entry; before PostgreSQL 17 it has a condition, too: IS NOT NULL. */
        const char *above = line ? libpq.getvalue(plan, line - 1, 0) : "";
        bool takes_one = strstr(above, "Limit") && strstr(text, "Index Only Scan") && !strstr(next, "Filter");
        if (scans && !takes_one && !is_of_nodes(text) && !is_one_of(statements[i].name, may_scan))
            fail_msg("%s: %s", statements[i].name, text);
    }
    libpq.clear(plan);
}

static void check_plans(struct fixture *f)
{
    PGconn *conn = server_connect();
    libpq.clear(server_execute(conn, "SET plan_cache_mode = force_generic_plan; SET enable_hashjoin = off;"
                                     "SET enable_mergejoin = off; SET enable_seqscan = off;"
                                     "SET enable_bitmapscan = off; SET jit = off"));
    for (size_t i = 0; i < COUNT(statements); i++)
        if (has_plan(statements[i].text)) check_plan(conn, i, &f->arena);
    libpq.finish(conn);
}

static void no_statement_scans_a_table_that_grows(void **state)
{
    struct fixture *f = *state;
    check_plans(f);
    for (size_t i = 0; i < COUNT(rows); i++) damage(f, rows[i]);
    check_plans(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_kind_of_damage_is_found, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(many_rows_are_checked_page_by_page, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(no_number_is_given_twice, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(a_purge_leaves_rows_that_are_locked, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(a_store_that_is_open_to_read_shows_one_moment, setup_postgres,
                                        teardown),
        cmocka_unit_test_setup_teardown(no_statement_scans_a_table_that_grows, setup_postgres, teardown),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
