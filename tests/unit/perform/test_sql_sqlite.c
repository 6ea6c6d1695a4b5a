/* Statements in SQLite files. */
#include "sql_rig.h"

#include "perform/limits.h"

#include <sqlite3.h>
#include <sys/stat.h>

/* ---- the rig ---- */

static void with_file(struct sql_rig *rig, const char *text)
{
    sqlite3 *db;
    str path = str_slice(rig->uri, 7, rig->uri.n);
    assert_int_equal(sqlite3_open(path.p, &db), SQLITE_OK);
    char *why = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s", why);
    sqlite3_close(db);
}

static int setup(void **state)
{
    static struct sql_rig rig;
    static char uri[96];
    rig = (struct sql_rig){ .kind = SQL_SQLITE, .directory = "/tmp/pawl-sqlite-XXXXXX" };
    assert_non_null(mkdtemp(rig.directory));
    snprintf(uri, sizeof uri, "sqlite:%s/a.db", rig.directory);
    rig.uri = str_of(uri);
    rig_open(&rig);
    rig.config.busy_ms = 200;
    rig.pool = sql_pool_new(&rig.config);
    with_file(&rig, "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, amount NUMERIC, "
                    "flag BOOLEAN, doc JSON, raw BLOB)");
    *state = &rig;
    return 0;
}

static int teardown(void **state)
{
    struct sql_rig *rig = *state;
    char command[128];
    rig_close(rig);
    snprintf(command, sizeof command, "rm -rf %s", rig->directory);
    return system(command);
}

/* ---- tests ---- */

static void values_keep_their_types(void **state)
{
    struct sql_rig *rig = *state;
    rig_expect(rig_run(rig, "insert into t values (?, ?, ?, ?, ?, x'00ff')",
                       "[9223372036854775807, \"O'Reilly\\\"; --\", 12.5, true, {\"a\": [1, null]}]"),
               "{\"rows\":[],\"row_count\":1}");
    rig_expect(
        rig_run(rig, "select * from t", NULL),
        "{\"rows\":[{\"id\":9223372036854775807,\"name\":\"O'Reilly\\\"; --\",\"amount\":12.5,\"flag\":true,"
        "\"doc\":{\"a\":[1,null]},\"raw\":\"AP8=\"}],\"row_count\":1}");
    rig_expect(rig_run(rig, "select :n as n, :s as s, :b as b, :i as i",
                       "{\"n\": null, \"s\": \"\", \"b\": false, \"i\": -5}"),
               "{\"rows\":[{\"n\":null,\"s\":\"\",\"b\":0,\"i\":-5}],\"row_count\":1}");
    /* A decimal that no double holds keeps its digits, as text. */
    rig_expect(rig_run(rig, "select ? as a, ? as b, 9e999 as c", "[0.1, 12345678901234567890.123456789]"),
               "{\"rows\":[{\"a\":0.1,\"b\":\"12345678901234567890.123456789\",\"c\":\"Infinity\"}],\"row_"
               "count\":1}");
    rig_expect(rig_run(rig, "select :idempotency_key as k", NULL),
               "{\"rows\":[{\"k\":\"i/n/1\"}],\"row_count\":1}");
}

static void changed_rows_are_counted(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(rig, "insert into t (name) values ('a'), ('b'), ('c')", NULL);
    rig_expect(rig_run(rig, "update t set amount = ? where name <> ?", "[1, \"a\"]"),
               "{\"rows\":[],\"row_count\":2}");
    rig_expect(rig_run(rig, "delete from t where name = 'a' returning id, name", NULL),
               "{\"rows\":[{\"id\":1,\"name\":\"a\"}],\"row_count\":1}");
    rig_expect(rig_run(rig, "create table u (x)", NULL), "{\"rows\":[],\"row_count\":0}");
    rig_expect(rig_run(rig, "select 1 as a where 0", NULL), "{\"rows\":[],\"row_count\":0}");
}

static void a_parameter_never_becomes_text_of_the_statement(void **state)
{
    struct sql_rig *rig = *state;
    static const char *const attempts[] = {
        "'; drop table t; --",
        "1 or 1=1",
        "\\'; delete from t; --",
        "' union select sql from sqlite_master --",
        "\" or \"\"=\"",
        "?",
        ":name",
        "$1",
    };
    rig_run(rig, "insert into t (name) values ('safe')", NULL);
    for (size_t i = 0; i < COUNT(attempts); i++) {
        struct buf params;
        buf_init(&params, NULL);
        buf_add_char(&params, '[');
        json_print_string(str_of(attempts[i]), &params);
        buf_add(&params, "]", 2);
        rig_expect(rig_run(rig, "select id from t where name = ?", params.p),
                   "{\"rows\":[],\"row_count\":0}");
        buf_done(&params);
    }
    rig_expect(rig_run(rig, "select count(*) as n from t", NULL), "{\"rows\":[{\"n\":1}],\"row_count\":1}");
}

static void what_a_statement_may_not_do_is_refused(void **state)
{
    struct sql_rig *rig = *state;
    static const char *const refused[] = {
        "attach '/tmp/pawl-other.db' as other",
        "detach main",
        "vacuum into '/tmp/pawl-copy.db'",
        "begin",
        "commit",
        "rollback",
        "savepoint a",
        "select load_extension('/tmp/x.so')",
        "pragma journal_mode = off",
        "pragma writable_schema = on",
        "pragma user_version = 5",
        "pragma temp_store_directory = '/'",
        "pragma query_only = off",
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct engine_job *job = rig_run(rig, refused[i], NULL);
        if (job->end != ENGINE_JOB_FAILED || job->retryable) fail_msg("%s is not refused", refused[i]);
    }
    assert_int_not_equal(access("/tmp/pawl-copy.db", F_OK), 0);
    assert_int_not_equal(access("/tmp/pawl-other.db", F_OK), 0);
    rig_expect(rig_run(rig, "pragma user_version", NULL),
               "{\"rows\":[{\"user_version\":0}],\"row_count\":1}");
    /* Placeholders of kinds that we do not fill. */
    rig_expect_error(rig_run(rig, "select @a", NULL), "SQL_PARAMETERS", false);
    rig_expect_error(rig_run(rig, "select :a", "[]"), "SQL_PARAMETERS", false);
}

static void errors_have_sqlites_names(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(rig, "insert into t (name) values ('a')", NULL);
    rig_expect_error(rig_run(rig, "insert into t (name) values ('a')", NULL), "SQLITE_CONSTRAINT_UNIQUE",
                     false);
    rig_expect_error(rig_run(rig, "insert into t (name) values (null)", NULL), "SQLITE_CONSTRAINT_NOTNULL",
                     false);
    rig_expect_error(rig_run(rig, "selec 1", NULL), "SQLITE_ERROR", false);
    rig_expect_error(rig_run(rig, "select 1 as a, 2 as a", NULL), "SQL_RESULT", false);
    rig_expect_error(rig_run(rig, "select cast(x'ff' as text) as a", NULL), "SQL_RESULT", false);
}

static void a_failed_statement_changes_nothing(void **state)
{
    struct sql_rig *rig = *state;
    rig_expect_error(rig_run(rig, "insert into t (name) values ('a'), ('b'), ('a')", NULL),
                     "SQLITE_CONSTRAINT_UNIQUE", false);
    /* Two columns of one name are noticed before the statement runs, too many rows while it does. */
    rig_expect_error(rig_run(rig, "insert into t (name) values ('c') returning id, name as id", NULL),
                     "SQL_RESULT", false);
    rig_expect(rig_run(rig, "select count(*) as n from t", NULL), "{\"rows\":[{\"n\":0}],\"row_count\":1}");
}

static void a_read_only_job_cannot_write(void **state)
{
    struct sql_rig *rig = *state;
    static const char *const writes[] = { "insert into t (name) values ('a')", "drop table t",
                                          "create table u (x)" };
    for (size_t i = 0; i < COUNT(writes); i++) {
        const struct engine_job *job = rig_await(rig_ask(rig, writes[i], NULL, true));
        rig_expect_error(job, "SQLITE_READONLY", false);
    }
    rig_expect(rig_await(rig_ask(rig, "select count(*) as n from t", NULL, true)),
               "{\"rows\":[{\"n\":0}],\"row_count\":1}");
}

static void a_file_that_others_hold_is_retryable(void **state)
{
    struct sql_rig *rig = *state;
    sqlite3 *other;
    assert_int_equal(sqlite3_open(rig->uri.p + 7, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    rig_expect_error(rig_run(rig, "insert into t (name) values ('a')", NULL), "SQLITE_BUSY", true);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    rig_expect(rig_run(rig, "insert into t (name) values ('a')", NULL), "{\"rows\":[],\"row_count\":1}");
}

static void writers_of_one_file_take_turns(void **state)
{
    struct sql_rig *rig = *state;
    enum { JOBS = 100 };
    struct rig_job *asked[JOBS];
    for (size_t i = 0; i < JOBS; i++)
        asked[i] = rig_ask(rig, "insert into t (name) select 'n' || count(*) from t", NULL, false);
    for (size_t i = 0; i < JOBS; i++) rig_expect(rig_await(asked[i]), "{\"rows\":[],\"row_count\":1}");
    rig_expect(rig_run(rig, "select count(*) as n from t", NULL), "{\"rows\":[{\"n\":100}],\"row_count\":1}");
}

#define FOR_EVER "with recursive r(x) as (select 1 union all select x + 1 from r) select count(*) as n from r"

static void a_statement_ends_at_its_time_out(void **state)
{
    struct sql_rig *rig = *state;
    rig->config.timeout_ms = 50;
    rig_expect_error(rig_run(rig, FOR_EVER, NULL), "SQL_TIMEOUT", true);
    rig->config.timeout_ms = RIG_PATIENCE_S * 1000;
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

static void a_cancelled_statement_ends(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *runs = rig_ask(rig, FOR_EVER, NULL, false);
    struct rig_job *waits =
        rig_ask(rig, "select 1 as a", NULL, false); /* There is one session for writers. */
    sql_pool_cancel(rig->pool, &waits->engine_job);
    assert_int_equal(rig_await(waits)->end, ENGINE_JOB_BROKEN_OFF);
    sql_pool_cancel(rig->pool, &runs->engine_job);
    assert_int_equal(rig_await(runs)->end, ENGINE_JOB_BROKEN_OFF);
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

static void stopping_breaks_off_everything(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *asked[4];
    for (size_t i = 0; i < COUNT(asked); i++) asked[i] = rig_ask(rig, FOR_EVER, NULL, i % 2);
    sql_pool_stop(rig->pool);
    rig->pool = NULL;
    for (size_t i = 0; i < COUNT(asked); i++)
        assert_int_equal(rig_await(asked[i])->end, ENGINE_JOB_BROKEN_OFF);
}

#define NUMBERS "with recursive r(x) as (select 1 union all select x + 1 from r limit ?) select x from r"

static void results_are_bounded(void **state)
{
    struct sql_rig *rig = *state;
    char params[32];
    snprintf(params, sizeof params, "[%d]", SQL_ROWS_MAX);
    const struct engine_job *job = rig_run(rig, NUMBERS, params);
    assert_int_equal(job->end, ENGINE_JOB_COMPLETED);
    assert_int_equal(json_count(json_get(job->value, STR("rows"))), SQL_ROWS_MAX);
    snprintf(params, sizeof params, "[%d]", SQL_ROWS_MAX + 1);
    rig_expect_error(rig_run(rig, NUMBERS, params), "SQL_RESULT_TOO_LARGE", false);
    rig_expect_error(rig_run(rig, "select hex(zeroblob(400000)) as a, hex(zeroblob(400000)) as b", NULL),
                     "SQL_RESULT_TOO_LARGE", false);
    rig_expect_error(rig_run(rig, "select zeroblob(100000000) as a", NULL), "SQL_RESULT_TOO_LARGE", false);
    rig_expect_error(
        rig_run(rig, "with recursive r(x) as (select 1 union all select x + 1 from r) select x from r", NULL),
        "SQL_RESULT_TOO_LARGE", false);
}

static void files_that_are_no_databases_are_refused(void **state)
{
    struct sql_rig *rig = *state;
    static const struct {
        const char *file, *want;
    } cases[] = { { "sqlite:relative.db", "SQL_CONNECTION_REF" },
                  { "sqlite:/nowhere/at/all.db", "SQLITE_CANTOPEN" },
                  { "sqlite:/tmp", "SQLITE_CANTOPEN" },
                  { "sqlite:/etc/passwd", "SQLITE_CANTOPEN" } };
    str uri = rig->uri;
    for (size_t i = 0; i < COUNT(cases); i++) {
        rig->uri = str_of(cases[i].file);
        rig_expect_error(rig_await(rig_ask(rig, "select * from sqlite_master", NULL, true)), cases[i].want,
                         false);
    }
    assert_int_not_equal(access("relative.db", F_OK), 0);
    rig->uri = uri;
}

static void the_engines_own_store_is_refused_by_every_name(void **state)
{
    struct sql_rig *rig = *state;
    char own[96], other[96], uri[128];
    str before = rig->uri;
    snprintf(own, sizeof own, "%s/own", rig->directory);
    rig->config.own_directory = own;
    mkdir(own, 0700);
    snprintf(uri, sizeof uri, "sqlite:%s/pawl.db", own);
    rig->uri = str_of(uri);
    with_file(rig, "create table x (a)");
    rig_expect_error(rig_run(rig, "select 1", NULL), "SQL_ADDRESS", false);

    snprintf(other, sizeof other, "%s/hard.db", rig->directory);
    assert_int_equal(link(uri + 7, other), 0);
    char hard[128];
    snprintf(hard, sizeof hard, "sqlite:%s", other);
    rig->uri = str_of(hard);
    rig_expect_error(rig_run(rig, "select 1", NULL), "SQL_ADDRESS", false);

    snprintf(other, sizeof other, "%s/soft.db", rig->directory);
    assert_int_equal(symlink(uri + 7, other), 0);
    char soft[128];
    snprintf(soft, sizeof soft, "sqlite:%s", other);
    rig->uri = str_of(soft);
    rig_expect_error(rig_run(rig, "select 1", NULL), "SQL_ADDRESS", false);
    rig->uri = before;
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

static void idle_sessions_are_closed(void **state)
{
    struct sql_rig *rig = *state;
    rig_close(rig);
    rig->config.idle_ms = 0;
    rig->pool = sql_pool_new(&rig->config);
    rig_run(rig, "select 1 as a", NULL);
    rig_run(rig, "insert into t (name) values ('a')", NULL);
    rig_expect(rig_run(rig, "select name from t", NULL), "{\"rows\":[{\"name\":\"a\"}],\"row_count\":1}");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_keep_their_types),
        TEST(changed_rows_are_counted),
        TEST(a_parameter_never_becomes_text_of_the_statement),
        TEST(what_a_statement_may_not_do_is_refused),
        TEST(errors_have_sqlites_names),
        TEST(a_failed_statement_changes_nothing),
        TEST(a_read_only_job_cannot_write),
        TEST(a_file_that_others_hold_is_retryable),
        TEST(writers_of_one_file_take_turns),
        TEST(a_statement_ends_at_its_time_out),
        TEST(a_cancelled_statement_ends),
        TEST(stopping_breaks_off_everything),
        TEST(results_are_bounded),
        TEST(files_that_are_no_databases_are_refused),
        TEST(the_engines_own_store_is_refused_by_every_name),
        TEST(idle_sessions_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
