/* Properties that only a file has: it survives, is locked, is migrated, shrinks, is copied, runs full. */
#include "sqlite_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static enum status try_open(struct fixture *f, struct store_config config)
{
    config.path = f->path;
    return store_open(&config, &f->store, &f->err);
}

static int64_t size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

static void put_many(struct fixture *f, uint64_t first, uint64_t count, enum instance_status status,
                     size_t bytes)
{
    char *state = arena_zero(&f->arena, 1, bytes);
    memset(state, 'x', bytes);
    begin(f);
    for (uint64_t id = first; id < first + count; id++) {
        struct instance_row row = an_instance(id, 1, status);
        row.state = (str){ state, bytes };
        apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
    }
    commit(f);
}

/* ---- surviving ---- */

static void a_file_that_is_not_there_is_made_only_if_asked(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(try_open(f, (struct store_config){ 0 }), ST_NOT_FOUND);
    assert_int_equal(try_open(f, (struct store_config){ .read_only = true }), ST_NOT_FOUND);
    assert_int_equal(size_of(f->path), -1);
    assert_int_equal(try_open(f, (struct store_config){ .create = true }), ST_OK);
    store_close(f->store);
    assert_int_equal(ask_sql(f->path, "PRAGMA page_size"), 4096);
    assert_int_equal(ask_sql(f->path, "PRAGMA auto_vacuum"), 2);
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM namespace WHERE id = 1"), 1);
    assert_int_equal(try_open(f, (struct store_config){ 0 }), ST_OK);
}

static void everything_is_there_after_closing_and_opening(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &row);
    close_store(f);
    open_sqlite(f);
    update_instance(f, &row, "h2"); /* The chain goes on. */
    str *blob;
    size_t count;
    assert_ok(f, reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(blob[0], STR("h1"));
    assert_str_equal(blob[1], STR("h2"));
}

static void a_purged_number_is_not_given_again_after_opening(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(41, 1, INSTANCE_COMPLETED);
    put_instance(f, &row);
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 10, &removed, &f->err));
    commit(f);
    close_store(f);
    open_sqlite(f);
    assert_int_equal(take_numbers(f).instance, 42);
    row.id = 42;
    put_instance(f, &row);
    assert_true(reader_sees(f, 42));
}

/* It came first in every purge, and no instance was removed any more. */
static void an_instance_with_a_broken_history_is_purged_like_others(void **state)
{
    static const char *const damage[] = {
        "DELETE FROM history WHERE instance = 1 AND revision = 1",
        "UPDATE history SET prev = 999 WHERE instance = 1 AND revision = 2",
        /* The row of an instance that lives. */
        ("UPDATE history SET prev = (SELECT id FROM history WHERE instance = 3) "
         "WHERE instance = 1 AND revision = 2"),
    };
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row living = an_instance(3, 1, INSTANCE_ACTIVE);
    put_instance(f, &living);
    for (size_t i = 0; i < COUNT(damage); i++) {
        for (uint64_t id = 1; id <= 2; id++) {
            struct instance_row row = an_instance(id, 1, INSTANCE_COMPLETED);
            put_instance(f, &row);
            row = load_instance(f, id);
            row.revision++;
            update_instance(f, &row, "h2");
        }
        close_store(f);
        run_sql(f->path, damage[i]);
        open_sqlite(f);
        struct purged removed;
        begin(f);
        assert_ok(f,
                  store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 10, &removed, &f->err));
        commit(f);
        assert_int_equal(removed.total, 2);
        assert_int_equal(removed.broken_count, 1);
        assert_int_equal(removed.broken, 1);
        close_store(f);
        assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM instance"), 1);
        assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM history WHERE instance = 3"), 1);
        run_sql(f->path, "DELETE FROM history WHERE instance = 1");
        open_sqlite(f);
    }
}

/* Commits instance 1, leaves 2 half done (more than the cache holds, so that pages of it are
 * written), says so and waits to be killed. */
static _Noreturn void die_in_a_transaction(struct fixture *f, int tell)
{
    open_sqlite(f);
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    assert_ok(f, sqlite_exec(&((struct sqlite_store *)f->store)->db, "PRAGMA cache_size = 10", &f->err));
    two.state = (str){ arena_zero(&f->arena, 1, 1 << 20), 1 << 20 };
    begin(f);
    apply(f, (struct changeset){ .instance = &two, .insert = true, .history = two.state });
    if (write(tell, "x", 1) != 1) _exit(1);
    for (;;) pause();
}

static void a_process_killed_in_a_transaction_leaves_what_it_committed(void **state)
{
    struct fixture *f = *state;
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) die_in_a_transaction(f, pipe_ends[1]);
    close(pipe_ends[1]);
    char byte;
    assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
    close(pipe_ends[0]);

    struct store *second;
    struct store_config config = { .path = f->path };
    assert_int_equal(store_open(&config, &second, &f->err), ST_CONFLICT);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);

    open_sqlite(f);
    assert_true(reader_sees(f, 1));
    assert_false(reader_sees(f, 2));
    struct instance_row two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &two);
}

static void a_second_writer_is_refused_and_readers_are_not(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct store *second;
    struct store_config config = { .path = f->path, .create = true };
    assert_int_equal(store_open(&config, &second, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "another process is using"));
    config = (struct store_config){ .path = f->path, .read_only = true };
    assert_ok(f, store_open(&config, &second, &f->err));
    struct definition_row row;
    assert_ok(f, found_needed(store_load_definition(second, 1, &f->arena, &row, &f->err)));
    assert_int_equal(store_begin(second, &f->err), ST_CONFLICT);
    store_close(second);
    close_store(f);
    open_sqlite(f); /* The lock went with its holder. */
}

/* ---- schemas ---- */

static void a_newer_schema_is_refused_and_left_alone(void **state)
{
    struct fixture *f = *state;
    assert_ok(f, try_open(f, (struct store_config){ .create = true }));
    store_close(f->store);
    f->store = NULL;
    run_sql(f->path, "UPDATE meta SET value = 99 WHERE name = 'schema'");
    assert_int_equal(try_open(f, (struct store_config){ .create = true }), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "schema 99 is newer"));
    assert_int_equal(ask_sql(f->path, "SELECT value FROM meta WHERE name = 'schema'"), 99);
}

static const char schema_0[] = "PRAGMA application_id = 0x5041574c;"
                               "CREATE TABLE meta(name TEXT PRIMARY KEY, value INT) WITHOUT ROWID;"
                               "INSERT INTO meta VALUES('schema', 0)";

static void an_older_schema_is_migrated_unless_that_is_forbidden(void **state)
{
    struct fixture *f = *state;
    run_sql(f->path, schema_0);
    assert_int_equal(try_open(f, (struct store_config){ .must_not_migrate = true }), ST_CONFLICT);
    assert_int_equal(try_open(f, (struct store_config){ .read_only = true }), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "schema 0 is older"));
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM sqlite_schema WHERE name = 'instance'"), 0);
    open_sqlite(f);
    put_definition(f, 1, "order", 1);
    close_store(f);
    assert_int_equal(ask_sql(f->path, "SELECT value FROM meta WHERE name = 'schema'"),
                     (int64_t)sqlite_schema().count);
    assert_ok(f, try_open(f, (struct store_config){ .must_not_migrate = true }));
}

/* As the first version wrote it: before events and children. */
static void make_schema_1(struct fixture *f)
{
    struct sqlite_db db;
    struct sqlite_schema first = { .step = sqlite_schema().step, .count = 1 };
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(f, sqlite_migrate(&db, first, &f->err));
    sqlite_db_close(&db);
    run_sql(f->path, "INSERT INTO definition VALUES(1, 1, x'6f72646572', 1, x'', x'', 0, 1, x'7b7d');"
                     "INSERT INTO definition VALUES(2, 1, x'6f72646572', 2, x'', x'', 0, 1, x'7b7d');"
                     "INSERT INTO instance VALUES(1, 1, 1, 1, 5001, NULL, x'4b', 1, 1, x'7374617465');"
                     "INSERT INTO instance VALUES(2, 1, 1, 4, 5002, 9002, NULL, 1, 2, x'7374617465');"
                     "INSERT INTO history VALUES(1, 1, 0, 1, 5001, x'6831'), (2, 2, 0, 1, 5002, x'6831');"
                     "INSERT INTO tally VALUES(1, 1, 1), (1, 4, 1);"
                     "INSERT INTO timer VALUES(70, 1, 3)");
}

static struct definition_row latest_of_order(struct fixture *f)
{
    struct definition_row row;
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), VERSION_LATEST, &f->arena,
                                                    &row, &f->err)));
    return row;
}

static void a_store_of_the_first_version_is_migrated_with_all_it_holds(void **state)
{
    struct fixture *f = *state;
    make_schema_1(f);
    assert_int_equal(try_open(f, (struct store_config){ .must_not_migrate = true }), ST_CONFLICT);
    assert_int_equal(try_open(f, (struct store_config){ .read_only = true }), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "schema 1 is older"));
    assert_int_equal(ask_sql(f->path, "SELECT value FROM meta WHERE name = 'schema'"), 1);
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM sqlite_schema WHERE name = 'child'"), 0);

    open_sqlite(f);
    struct instance_row row = load_instance(f, 1);
    assert_str_equal(row.state, STR("state"));
    assert_str_equal(row.business_key, STR("K"));
    assert_str_equal(row.definition_id, STR("order"));
    update_instance(f, &row, "h2");
    assert_int_equal(latest_of_order(f).version, 2);
    assert_int_equal(latest_of_order(f).rank, 0);
    put_ranked(f, 3, "order", 3, 9);
    put_ranked(f, 4, "order", 4, 0);
    assert_int_equal(latest_of_order(f).version, 3);
    struct instance_row with_jobs[3];
    struct timer_row timer;
    size_t count;
    assert_ok(f, store_instances_with_jobs(f->store, 0, &f->arena, with_jobs, 3, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, &timer, 1, &count, &f->err));
    assert_int_equal(timer.number, 3);

    struct subscription_row subscription = { 1, STR("t"), 1 };
    struct child_row child = { 1, 2, 3, true };
    struct unmatched_row unmatched = { .ns = 1, .received_ms = 1, .event = STR("e") };
    put(f, (struct changeset){
               .subscription_add = &subscription, .child_add = &child, .unmatched_add = &unmatched });
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 9, &removed, &f->err));
    assert_int_equal(removed.total, 2); /* Instance 2 and the unmatched event. */
    commit(f);
    close_store(f);
    assert_ok(f, try_open(f, (struct store_config){ .must_not_migrate = true }));
    assert_ok(f, found_needed(store_find_child(f->store, 1, 2, &child, &f->err)));
}

/* As the second version wrote it: definitions without a priority, and the source before the rank. */
static void make_schema_2(struct fixture *f)
{
    struct sqlite_db db;
    struct sqlite_schema second = { .step = sqlite_schema().step, .count = 2 };
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(f, sqlite_migrate(&db, second, &f->err));
    sqlite_db_close(&db);
    run_sql(f->path,
            "INSERT INTO definition VALUES(1, 1, x'6f72646572', 1, x'64', x'74', -7, 11, zeroblob(9000), 20);"
            "INSERT INTO definition VALUES(2, 1, x'6f72646572', 2, x'64', x'74', 8, 12, x'7b7d', 10);"
            "INSERT INTO instance VALUES(1, 1, 2, 1, 5001, NULL, NULL, 1, 1, x'7374617465');"
            "INSERT INTO history VALUES(1, 1, 0, 1, 5001, x'6831');"
            "INSERT INTO tally VALUES(2, 1, 1)");
}

static void a_store_of_the_second_version_gets_priorities(void **state)
{
    struct fixture *f = *state;
    make_schema_2(f);
    assert_int_equal(try_open(f, (struct store_config){ .must_not_migrate = true }), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "schema 2 is older"));
    open_sqlite(f);
    struct definition_row row;
    assert_ok(f, found_needed(store_load_definition(f->store, 1, &f->arena, &row, &f->err)));
    assert_int_equal(row.priority, 5);
    assert_int_equal(row.rank, 20);
    assert_int_equal(row.version, 1);
    assert_str_equal(row.id, STR("order"));
    assert_str_equal(row.dialect, STR("d"));
    assert_str_equal(row.title, STR("t"));
    assert_int_equal((int64_t)row.content, -7);
    assert_int_equal(row.created_ms, 11);
    assert_int_equal(row.source.n, 9000);
    assert_int_equal(latest_of_order(f).version, 1);
    assert_int_equal(load_instance(f, 1).definition_priority, 5);
    put_row(f, 3, "order", 3, 30, 9);
    assert_int_equal(latest_of_order(f).priority, 9);
    /* A version is there once, still. */
    begin(f);
    struct changeset again = { .definition = &(struct definition_row){
                                   .number = 4, .ns = 1, .id = STR("order"), .version = 3 } };
    assert_int_equal(store_apply(f->store, &again, &f->err), ST_CONFLICT);
    store_rollback(f->store);
    close_store(f);
    assert_ok(f, try_open(f, (struct store_config){ .must_not_migrate = true }));
    assert_int_equal(latest_of_order(f).version, 3);
}

static str encoded_failure(struct fixture *f, uint64_t id)
{
    static struct token token[] = {
        { .execution = 1, .state = TOKEN_RESTING, .node_name = STR_INIT("first") },
        { .execution = 2, .state = TOKEN_FAILED, .node_name = STR_INIT("charge") }
    };
    struct instance instance = { .id = id,
                                 .definition = 1,
                                 .status = INSTANCE_FAILED,
                                 .created_ms = 5000,
                                 .ended_ms = 6000,
                                 .failure = STR("no answer"),
                                 .data = json_empty_object(),
                                 .next_number = 3,
                                 .revision = 1,
                                 .token = token,
                                 .token_count = COUNT(token) };
    struct buf state, hex;
    buf_init(&state, &f->arena);
    buf_init(&hex, &f->arena);
    core_encode(&instance, &state);
    for (size_t i = 0; i < state.n; i++) buf_printf(&hex, "%02x", (unsigned char)state.p[i]);
    return buf_str(&hex);
}

/* Why instances failed was only in their states; one of these is damaged. */
static void a_store_of_the_third_version_gets_the_reasons_of_its_failures(void **state)
{
    struct fixture *f = *state;
    struct sqlite_db db;
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(
        f, sqlite_migrate(&db, (struct sqlite_schema){ .step = sqlite_schema().step, .count = 3 }, &f->err));
    sqlite_db_close(&db);
    str failed = encoded_failure(f, 7);
    run_sql(f->path,
            arena_printf(&f->arena,
                         "INSERT INTO definition VALUES(1, 1, x'61', 1, 0, 5, x'64', x'74', 1, 1, x'7b7d');"
                         "INSERT INTO instance VALUES(7, 1, 1, 6, 5000, 6000, x'6b', 1, 1, x'%.*s');"
                         "INSERT INTO instance VALUES(8, 1, 1, 7, 5001, NULL, NULL, 1, 2, x'00ff');"
                         "INSERT INTO instance VALUES(9, 1, 1, 1, 5002, NULL, NULL, 1, 3, x'00ff');"
                         "INSERT INTO tally VALUES(1, 6, 1), (1, 7, 1), (1, 1, 1)",
                         STR_ARG(failed))
                .p);
    open_sqlite(f);
    struct selection_filter all = { .ns = 1, .upto = INT64_MAX, .max = 10 };
    struct failure_row *row;
    size_t count;
    assert_ok(f, reader_failures(f->reader, &all, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(row[0].instance, 7);
    assert_str_equal(row[0].reason, STR("no answer"));
    assert_str_equal(row[0].step, STR("charge"));
    assert_str_equal(row[0].business_key, STR("k"));
    assert_int_equal(row[0].failed_ms, 6000);
    assert_int_equal(row[1].instance, 8);
    assert_str_equal(row[1].reason, STR(""));
}

/* Timers were counted whenever somebody asked. */
static void a_store_of_the_eighth_version_gets_the_number_of_its_timers(void **state)
{
    struct fixture *f = *state;
    struct sqlite_db db;
    struct store_statistics statistics;
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(
        f, sqlite_migrate(&db, (struct sqlite_schema){ .step = sqlite_schema().step, .count = 8 }, &f->err));
    sqlite_db_close(&db);
    run_sql(f->path, "INSERT INTO timer VALUES(1, 1, 1), (1, 2, 1), (5, 1, 2);"
                     "INSERT INTO definition VALUES(1, 1, x'61', 1, 0, 5, x'64', x'74', 1, 1, x'7b7d');");
    open_sqlite(f);
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.timers, 3);
    struct definition_row definition; /* Nobody knows who published it. */
    assert_ok(f, found_needed(store_load_definition(f->store, 1, &f->arena, &definition, &f->err)));
    assert_true(definition.source.n == 2 && !definition.author.n);
    struct timer_row row = { .due_ms = 1, .instance = 2, .number = 1 };
    put(f, (struct changeset){ .timer_remove = &row, .timer_remove_count = 1 });
    put(f, (struct changeset){ .timer_remove = &row, .timer_remove_count = 1 }); /* It is gone already. */
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.timers, 2);
    begin(f);
    apply(f, (struct changeset){ .timer_add = &row, .timer_add_count = 1 });
    store_rollback(f->store);
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.timers, 2);
}

/* What is asked about one definition costs the same, however many others there are. */
static void questions_about_one_definition_look_at_no_other(void **state)
{
    static const char *const questions[] = {
#define XX(NAME, text) [SQL_##NAME] = text,
        SQL_MAP(XX)
#undef XX
    };
    static const enum sql of_one[] = { SQL_SELECTION_PLACES_OF, SQL_PLACES_OF,      SQL_FIND_PLACES_OF,
                                       SQL_FIND_COUNTS_OF,      SQL_TALLY_TOTAL_OF, SQL_TASKS_TOTAL_OF,
                                       SQL_COUNT_LIVING };
    struct fixture *f = *state;
    sqlite3 *handle;
    sqlite3_stmt *plan;
    assert_int_equal(sqlite3_open(f->path, &handle), SQLITE_OK);
    for (size_t i = 0; i < COUNT(of_one); i++) {
        str text = arena_printf(&f->arena, "EXPLAIN QUERY PLAN %s", questions[of_one[i]]);
        assert_int_equal(sqlite3_prepare_v2(handle, text.p, -1, &plan, NULL), SQLITE_OK);
        while (sqlite3_step(plan) == SQLITE_ROW)
            if (strncmp((const char *)sqlite3_column_text(plan, 3), "SCAN", 4) == 0)
                fail_msg("%s: %s", questions[of_one[i]], sqlite3_column_text(plan, 3));
        sqlite3_finalize(plan);
    }
    sqlite3_close(handle);
}

/* An older table for unmatched events had another name, and subscriptions had a `token`. */
static void a_store_of_the_fifth_version_keeps_its_events(void **state)
{
    struct fixture *f = *state;
    struct sqlite_db db;
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(
        f, sqlite_migrate(&db, (struct sqlite_schema){ .step = sqlite_schema().step, .count = 5 }, &f->err));
    sqlite_db_close(&db);
    run_sql(f->path, "INSERT INTO letter VALUES(3, 1, 10, x'72', x'6531'), (9, 1, 20, x'72', x'6532');"
                     "DELETE FROM letter WHERE id = 9;"
                     "INSERT INTO subscription VALUES(1, x'4b', 7)");
    assert_int_equal(try_open(f, (struct store_config){ .must_not_migrate = true }), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "schema 5 is older"));
    open_sqlite(f);
    struct unmatched_row unmatched;
    assert_ok(f, found_needed(store_find_unmatched(f->store, TENANT_ANY, 3, &f->arena, &unmatched, &f->err)));
    assert_str_equal(unmatched.event, STR("e1"));
    uint64_t subscriber;
    size_t count;
    assert_ok(f, store_subscribers(f->store, 1, STR("K"), 0, &subscriber, 1, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(subscriber, 7);
    /* Numbers go on behind the highest that was ever used. */
    put(f, (struct changeset){ .unmatched_add = &(struct unmatched_row){
                                   .ns = 1, .received_ms = 30, .reason = STR("r"), .event = STR("e3") } });
    assert_ok(f,
              found_needed(store_find_unmatched(f->store, TENANT_ANY, 10, &f->arena, &unmatched, &f->err)));
    assert_str_equal(unmatched.event, STR("e3"));
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'letter%'"), 0);
}

static void a_migration_that_fails_changes_nothing(void **state)
{
    struct fixture *f = *state;
    /* Two that work, and one that fails. */
    static const struct migration steps[] = { { "CREATE TABLE a(x); INSERT INTO a VALUES(1)" },
                                              { "ALTER TABLE a ADD COLUMN y INT NOT NULL DEFAULT 5" },
                                              { "CREATE TABLE b(x); INSERT INTO nowhere VALUES(1)" } };
    run_sql(f->path, schema_0);
    struct sqlite_db db;
    int64_t value;
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(f, sqlite_migrate(&db, (struct sqlite_schema){ steps, 1 }, &f->err));
    assert_int_equal(sqlite_migrate(&db, (struct sqlite_schema){ steps, 3 }, &f->err), ST_STORE);
    assert_ok(f, sqlite_number(&db, "SELECT value FROM meta WHERE name = 'schema'", &value, &f->err));
    assert_int_equal(value, 1);
    assert_ok(f, sqlite_number(&db, "SELECT count(*) FROM pragma_table_info('a')", &value, &f->err));
    assert_int_equal(value, 1);
    assert_ok(f, sqlite_migrate(&db, (struct sqlite_schema){ steps, 2 }, &f->err));
    assert_ok(f, sqlite_number(&db, "SELECT y FROM a", &value, &f->err));
    assert_int_equal(value, 5);
    sqlite_db_close(&db);
}

static void a_file_of_somebody_else_is_refused_and_left_alone(void **state)
{
    struct fixture *f = *state;
    static const char *const foreign[] = {
        "CREATE TABLE notes(text)",
        "PRAGMA application_id = 77",
        "PRAGMA application_id = 77; CREATE TABLE meta(name, value); INSERT INTO meta VALUES('schema', 1)",
    };
    for (size_t i = 0; i < COUNT(foreign); i++) {
        unlink(f->path);
        run_sql(f->path, foreign[i]);
        int64_t size = size_of(f->path);
        assert_int_equal(try_open(f, (struct store_config){ .create = true }), ST_INVALID);
        assert_non_null(strstr(f->err.message, "not a Pawl store"));
        assert_int_equal(size_of(f->path), size);
        assert_int_equal(
            ask_sql(f->path, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 0);
    }
    unlink(f->path);
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++) fputs("This is no database. ", file);
    fclose(file);
    assert_int_equal(try_open(f, (struct store_config){ .create = true }), ST_INVALID);
    assert_non_null(strstr(f->err.message, "not a Pawl store"));
    assert_int_equal(size_of(f->path), 21000);
}

/* ---- statements ---- */

static const struct {
    const char *name, *text;
} statements[] = {
#define XX(NAME, text) { #NAME, text },
    SQL_MAP(XX)
#undef XX
};

/* Tables that stay small, ids of definitions that starts wait for, the sort of what a key has found, the
 * purge of a damaged state, some versions of a tenant that goes. */
static bool may_scan(const char *name)
{
    static const char *const names[] = { "NEXT_NUMBERS",         "PENDING_READY",    "PLACES_WITH_JOBS",
                                         "TALLY_BY_STATUS",      "INSTANCES_KEY",    "TIMERS_DELETE",
                                         "SUBSCRIPTIONS_DELETE", "BULK_OLDEST",      "REMOVAL_BULK_PARTS",
                                         "REMOVAL_BULKS",        "REMOVAL_INSTANCES" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void no_statement_scans_or_sorts_a_table_that_grows(void **state)
{
    struct fixture *f = *state;
    sqlite3 *handle = ((struct sqlite_store *)f->store)->db.handle;
    for (size_t i = 0; i < COUNT(statements); i++) {
        str sql = arena_printf(&f->arena, "EXPLAIN QUERY PLAN %s", statements[i].text);
        sqlite3_stmt *plan;
        assert_int_equal(sqlite3_prepare_v2(handle, sql.p, (int)sql.n, &plan, NULL), SQLITE_OK);
        while (sqlite3_step(plan) == SQLITE_ROW) {
            const char *line = (const char *)sqlite3_column_text(plan, 3);
            if ((strstr(line, "SCAN") || strstr(line, "TEMP B-TREE")) && !may_scan(statements[i].name))
                fail_msg("%s: %s", statements[i].name, line);
        }
        sqlite3_finalize(plan);
    }
}

/* ---- space ---- */

static void the_file_gets_smaller_after_a_purge(void **state)
{
    struct fixture *f = *state;
    enum { INSTANCES = 1000 };
    put_definition(f, 1, "order", 1);
    put_many(f, 1, INSTANCES, INSTANCE_COMPLETED, 3000);
    put_many(f, INSTANCES + 1, 10, INSTANCE_ACTIVE, 3000);
    bool more;
    assert_ok(f, store_reclaim_space(f->store, true, &more, &f->err));
    assert_false(more);
    close_store(f); /* So that the file is as large as it gets. */
    int64_t before = size_of(f->path);
    open_sqlite(f);
    struct purged removed;
    size_t calls = 0;
    do {
        begin(f);
        assert_ok(f,
                  store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 300, &removed, &f->err));
        commit(f);
    } while (removed.total);
    do {
        assert_ok(f, store_reclaim_space(f->store, true, &more, &f->err));
        calls++;
    } while (more);
    assert_true(calls > 1); /* Some at a time. */
    int64_t after = size_of(f->path);
    assert_true(before > INSTANCES * 3000);
    assert_true(after < before / 10);
    char log[128];
    snprintf(log, sizeof log, "%s-wal", f->path);
    assert_int_equal(size_of(log), 0);
    assert_true(reader_sees(f, INSTANCES + 1));
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM history"), 10);
}

static void the_log_does_not_grow_for_ever(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    for (uint64_t i = 0; i < 40; i++) put_many(f, 1 + i * 300, 300, INSTANCE_ACTIVE, 4000);
    char log[128];
    snprintf(log, sizeof log, "%s-wal", f->path);
    assert_true(size_of(f->path) > 30 << 20);
    assert_true(size_of(log) < 30 << 20);
}

static void a_full_disk_is_said_and_leaves_purges_possible(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_many(f, 1, 200, INSTANCE_COMPLETED, 1000);
    assert_ok(f, sqlite_limit_pages(f->store, 1, &f->err)); /* No less than it has. */
    enum status status = ST_OK;
    begin(f);
    for (uint64_t id = 1000; status == ST_OK && id < 2000; id++) {
        struct instance_row row = an_instance(id, 1, INSTANCE_ACTIVE);
        struct changeset change = { .instance = &row, .insert = true, .history = STR("h") };
        status = store_apply(f->store, &change, &f->err);
    }
    assert_int_equal(status, ST_FULL);
    assert_int_equal(store_commit(f->store, &f->err), ST_STORE);
    store_rollback(f->store);
    assert_false(reader_sees(f, 1000));
    assert_true(reader_sees(f, 200));

    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 100, &removed, &f->err));
    assert_int_equal(removed.total, 100);
    commit(f);
    struct instance_row row = an_instance(3000, 1, INSTANCE_ACTIVE);
    put_instance(f, &row); /* In the room that was made. */
    assert_true(reader_sees(f, 3000));
}

static void the_reserve_is_given_up_and_taken_in_parts(void **state)
{
    struct fixture *f = *state;
    char reserve[128];
    bool more;
    snprintf(reserve, sizeof reserve, "%s.reserve", f->path);
    assert_ok(f, store_reclaim_space(f->store, false, &more, &f->err));
    assert_false(more);
    assert_int_equal(store_space(f->store), STORE_SPACE_ENOUGH);
    int64_t whole = size_of(reserve);
    assert_true(whole >= 1 << 20);
    assert_true(store_release_space(f->store));
    assert_int_equal(store_space(f->store), STORE_SPACE_SHORT);
    assert_int_equal(size_of(reserve), whole / 2);
    assert_true(store_release_space(f->store));
    assert_int_equal(store_space(f->store), STORE_SPACE_OUT);
    assert_int_equal(size_of(reserve), 0);
    assert_false(store_release_space(f->store));
    put_definition(f, 1, "order", 1); /* Without it, as well. */
    assert_ok(f, store_reclaim_space(f->store, false, &more, &f->err));
    assert_int_equal(store_space(f->store), STORE_SPACE_ENOUGH);
    assert_int_equal(size_of(reserve), whole);
}

/* A checkpoint on a full disk must not need space. */
static void the_file_has_room_for_what_is_in_the_log(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_many(f, 1, 300, INSTANCE_ACTIVE, 4000);
    char log[128];
    snprintf(log, sizeof log, "%s-wal", f->path);
    assert_true(size_of(log) > 1 << 20); /* Not yet copied. */
    assert_true(size_of(f->path) > 1 << 20);
    assert_true(size_of(f->path) >= ask_sql(f->path, "PRAGMA page_count") * 4096);
}

static int64_t runs_of(struct fixture *f, enum sql sql)
{
    sqlite3_stmt *statement = ((struct sqlite_store *)f->store)->db.statement[sql];
    return statement ? sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) : 0;
}

static void the_file_has_room_after_every_commit_and_is_measured_when_it_has_grown(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    uint64_t id = 1;
    for (int i = 0; i < 100; i++, id += 3) {
        put_many(f, id, 3, INSTANCE_ACTIVE, (size_t)i * 60);
        assert_true(size_of(f->path) >= ask_sql(f->path, "PRAGMA page_count") * STORE_PAGE_BYTES);
    }
    /* Larger than any file of this process, then it is known whether it grows. */
    for (; ((struct sqlite_store *)f->store)->room_pages < sqlite_pages_highest(); id += 10)
        put_many(f, id, 10, INSTANCE_ACTIVE, 4000);
    int64_t before = runs_of(f, SQL_PAGE_COUNT), commits = 500;
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    for (int64_t i = 0; i < commits; i++) update_instance(f, &row, "h");
    assert_true(runs_of(f, SQL_PAGE_COUNT) - before < commits / 20);
    assert_true(size_of(f->path) >= ask_sql(f->path, "PRAGMA page_count") * STORE_PAGE_BYTES);
}

/* ---- copies ---- */

static void a_backup_has_what_was_committed_when_it_began(void **state)
{
    struct fixture *f = *state;
    char copy[128];
    snprintf(copy, sizeof copy, "%s.copy", f->path);
    put_definition(f, 1, "order", 1);
    put_many(f, 1, 500, INSTANCE_ACTIVE, 500);
    struct instance_row late = an_instance(900, 1, INSTANCE_ACTIVE);
    begin(f);
    apply(f, (struct changeset){ .instance = &late, .insert = true, .history = STR("h") });
    assert_ok(f, store_backup(f->path, copy, &f->err));
    commit(f);
    assert_int_equal(store_backup(f->path, copy, &f->err), ST_CONFLICT);
    assert_int_equal(store_backup("/nowhere/at/all", copy, &f->err), ST_NOT_FOUND);

    struct store_config config = { .path = copy };
    struct store *store;
    struct instance_row row;
    assert_ok(f, store_open(&config, &store, &f->err));
    assert_ok(f, found_needed(store_load_instance(store, TENANT_ANY, 500, &f->arena, &row, &f->err)));
    assert_int_equal(found_needed(store_load_instance(store, TENANT_ANY, 900, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
    store_close(store);
    assert_int_equal(
        ask_sql(copy, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    snprintf(copy, sizeof copy, "%s.copy.lock", f->path);
    unlink(copy);
}

static void a_backup_of_somebody_elses_file_is_refused(void **state)
{
    struct fixture *f = *state;
    char copy[128];
    snprintf(copy, sizeof copy, "%s.copy", f->path);
    run_sql(f->path, "CREATE TABLE notes(text)");
    assert_int_equal(store_backup(f->path, copy, &f->err), ST_INVALID);
    assert_int_equal(size_of(copy), -1);
    snprintf(copy, sizeof copy, "%s.copy.partial", f->path);
    assert_int_equal(size_of(copy), -1);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, setup_sqlite, teardown)
#define UNOPENED(test) cmocka_unit_test_setup_teardown(test, setup_directory, teardown)
    const struct CMUnitTest tests[] = {
        UNOPENED(a_file_that_is_not_there_is_made_only_if_asked),
        OPENED(everything_is_there_after_closing_and_opening),
        OPENED(a_purged_number_is_not_given_again_after_opening),
        OPENED(an_instance_with_a_broken_history_is_purged_like_others),
        UNOPENED(a_process_killed_in_a_transaction_leaves_what_it_committed),
        OPENED(a_second_writer_is_refused_and_readers_are_not),
        UNOPENED(a_newer_schema_is_refused_and_left_alone),
        UNOPENED(an_older_schema_is_migrated_unless_that_is_forbidden),
        UNOPENED(a_store_of_the_first_version_is_migrated_with_all_it_holds),
        UNOPENED(a_store_of_the_second_version_gets_priorities),
        UNOPENED(a_store_of_the_third_version_gets_the_reasons_of_its_failures),
        UNOPENED(a_store_of_the_eighth_version_gets_the_number_of_its_timers),
        OPENED(questions_about_one_definition_look_at_no_other),
        UNOPENED(a_store_of_the_fifth_version_keeps_its_events),
        UNOPENED(a_migration_that_fails_changes_nothing),
        UNOPENED(a_file_of_somebody_else_is_refused_and_left_alone),
        OPENED(no_statement_scans_or_sorts_a_table_that_grows),
        OPENED(the_file_gets_smaller_after_a_purge),
        OPENED(the_log_does_not_grow_for_ever),
        OPENED(a_full_disk_is_said_and_leaves_purges_possible),
        OPENED(the_reserve_is_given_up_and_taken_in_parts),
        OPENED(the_file_has_room_for_what_is_in_the_log),
        OPENED(the_file_has_room_after_every_commit_and_is_measured_when_it_has_grown),
        OPENED(a_backup_has_what_was_committed_when_it_began),
        UNOPENED(a_backup_of_somebody_elses_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
