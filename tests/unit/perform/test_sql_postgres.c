/* Statements in a real PostgreSQL server, which the test starts, kills and starts again. */
#include "sql_rig.h"

#include "perform/limits.h"

#include <pthread.h>

static char directory[64], uri[160];
static unsigned port;

/* ---- the server ---- */

static void server(const char *verb)
{
    char command[160], line[32];
    snprintf(command, sizeof command, "tests/services/postgres %s %s", verb, directory);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(line, sizeof line, out)) port = (unsigned)strtoul(line, NULL, 10);
    assert_int_equal(pclose(out), 0);
}

static int start_server(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/pawl-postgres-XXXXXX");
    assert_non_null(mkdtemp(directory));
    server("start");
    snprintf(uri, sizeof uri, "postgres://pawl:secret@127.0.0.1:%u/postgres", port);
    return 0;
}

static int stop_server(void **state)
{
    char command[96];
    (void)state;
    server("stop");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

/* ---- the rig ---- */

static int setup(void **state)
{
    static struct sql_rig rig;
    rig = (struct sql_rig){ .kind = SQL_POSTGRES, .uri = str_of(uri) };
    rig_open(&rig);
    rig.pool = sql_pool_new(&rig.config);
    rig_run(&rig, "drop table if exists t", NULL);
    rig_expect(rig_run(&rig, "create table t (id bigint primary key, name text unique)", NULL),
               "{\"rows\":[],\"row_count\":0}");
    *state = &rig;
    return 0;
}

static int teardown(void **state)
{
    rig_close(*state);
    return 0;
}

/* A number that a statement counts. */
static int64_t number(struct sql_rig *rig, const char *sql)
{
    const struct engine_job *job = rig_run(rig, sql, NULL);
    int64_t value = -1;
    json_int64(json_pointer(job->value, STR("/rows/0/n")), &value);
    return value;
}

/* Waits until a number is what it should be. Each look is a statement, so this waits for the server. */
static void await_number(struct sql_rig *rig, const char *sql, int64_t want)
{
    int64_t end_us = clock_monotonic_us() + RIG_PATIENCE_S * 1000000LL;
    while (number(rig, sql) != want)
        if (clock_monotonic_us() > end_us) fail_msg("%s does not become %lld", sql, (long long)want);
}

#define SLEEPERS                                                                                          \
    "select count(*) as n from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active' " \
    "and pid <> pg_backend_pid()"

/* ---- values ---- */

static void values_keep_their_types(void **state)
{
    struct sql_rig *rig = *state;
    struct json_each each = json_each(document_value("perform/sql_postgres", "values"));
    while (json_next(&each)) {
        const char *sql = document_member(each.value, "sql");
        const struct json *params = json_get(each.value, STR("params"));
        const struct engine_job *job = rig_run(rig, sql, params ? document_text(params) : NULL);
        if (job->end != ENGINE_JOB_COMPLETED) fail_msg("%s: %s", sql, rig_text(job, job->error));
        const struct json *got = json_pointer(job->value, STR("/rows/0/v"));
        /* As text: equal values may have different digits. */
        if (strcmp(rig_text(job, got), document_member(each.value, "want")) != 0)
            fail_msg("%s gives %s", sql, rig_text(job, got));
    }
}

static void changed_rows_are_counted(void **state)
{
    struct sql_rig *rig = *state;
    rig_expect(rig_run(rig, "insert into t values (?, ?), (2, 'b')", "[1, \"a\"]"),
               "{\"rows\":[],\"row_count\":2}");
    rig_expect(rig_run(rig, "update t set name = name || :s where id < :n", "{\"n\": 9, \"s\": \"!\"}"),
               "{\"rows\":[],\"row_count\":2}");
    rig_expect(rig_run(rig, "delete from t where id = $1 returning *", "[1]"),
               "{\"rows\":[{\"id\":1,\"name\":\"a!\"}],\"row_count\":1}");
    rig_expect(rig_run(rig, "select id from t where id = -1", NULL), "{\"rows\":[],\"row_count\":0}");
}

static void a_parameter_never_becomes_text_of_the_statement(void **state)
{
    struct sql_rig *rig = *state;
    static const char *const attempts[] = {
        "'; drop table t; --",  "1 or 1=1",     "\\'; delete from t; --", "$1",
        "$$; drop table t; $$", "\\x27 or 1=1",
    };
    rig_run(rig, "insert into t values (1, 'safe')", NULL);
    for (size_t i = 0; i < COUNT(attempts); i++) {
        struct buf params;
        buf_init(&params, NULL);
        buf_add_char(&params, '[');
        json_print_string(str_of(attempts[i]), &params);
        buf_add(&params, "]", 2);
        rig_expect(rig_run(rig, "select id from t where name = $1", params.p),
                   "{\"rows\":[],\"row_count\":0}");
        buf_done(&params);
    }
    assert_int_equal(number(rig, "select count(*) as n from t"), 1);
    rig_expect_error(rig_run(rig, "select id from t where id = $1", "[\"1 or 1=1\"]"), "SQL_22P02", false);
}

/* ---- errors ---- */

static void errors_have_their_sqlstate(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(rig, "insert into t values (1, 'a')", NULL);
    const struct engine_job *job = rig_run(rig, "insert into t values (2, 'a')", NULL);
    rig_expect_error(job, "SQL_23505", false);
    assert_string_equal(rig_text(job, json_get(job->error, STR("data"))),
                        "{\"sqlstate\":\"23505\",\"table\":\"t\",\"constraint\":\"t_name_key\"}");
    rig_expect_error(rig_run(rig, "selec 1", NULL), "SQL_42601", false);
    rig_expect_error(rig_run(rig, "select * from nowhere", NULL), "SQL_42P01", false);
    rig_expect_error(rig_run(rig, "select 1/0", NULL), "SQL_22012", false);
    rig_expect_error(rig_run(rig, "select 1 as a, 2 as a", NULL), "SQL_RESULT", false);
    /* After an error the session is used again. */
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

static void constraints_that_wait_for_the_commit_fail_the_job(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(rig, "alter table t add constraint later unique (name) deferrable initially deferred", NULL);
    rig_run(rig, "alter table t drop constraint t_name_key", NULL);
    rig_run(rig, "insert into t values (1, 'a')", NULL);
    rig_expect_error(rig_run(rig, "insert into t values (2, 'a')", NULL), "SQL_23505", false);
    assert_int_equal(number(rig, "select count(*) as n from t"), 1);
}

static void a_read_only_job_cannot_write(void **state)
{
    struct sql_rig *rig = *state;
    rig_expect_error(rig_await(rig_ask(rig, "insert into t values (1, 'a')", NULL, true)), "SQL_25006",
                     false);
    rig_expect_error(
        rig_await(rig_ask(rig, "with w as (insert into t values (1, 'a') returning id) select * from w", NULL,
                          true)),
        "SQL_25006", false);
    rig_expect(rig_await(rig_ask(rig, "select count(*) as n from t", NULL, true)),
               "{\"rows\":[{\"n\":0}],\"row_count\":1}");
}

/* One session only, so the next job gets what the one before left behind. */
static void a_job_leaves_nothing_in_its_session(void **state)
{
    struct sql_rig *rig = *state;
    rig_close(rig);
    rig->config.sessions_max = 1;
    rig->pool = sql_pool_new(&rig->config);
    rig_run(
        rig,
        "select set_config('datestyle', 'German', false), set_config('search_path', 'nowhere', false) as b",
        NULL);
    rig_run(rig, "select pg_advisory_lock(7)", NULL);
    rig_run(rig, "create temporary table left_behind (a int)", NULL);
    rig_expect(rig_run(rig, "select date '2026-01-31' as d, to_regclass('left_behind') as t", NULL),
               "{\"rows\":[{\"d\":\"2026-01-31\",\"t\":null}],\"row_count\":1}");
    assert_int_equal(number(rig, "select count(*) as n from pg_locks where locktype = 'advisory'"), 0);
}

/* Each job locks its row, waits for the other to have locked its own, and wants the other's row. */
static void of_two_jobs_in_a_deadlock_one_is_retryable(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(
        rig,
        "create or replace function cross_rows(a bigint, b bigint) returns void language plpgsql as $$ begin "
        "update t set name = name where id = a; "
        "perform pg_advisory_lock_shared(99); perform pg_advisory_unlock_shared(99); "
        "while (select count(*) from pg_stat_activity where query like 'select cross_rows%' and state = "
        "'active') < 2 loop "
        "perform pg_sleep(0.001); perform pg_stat_clear_snapshot(); end loop; "
        "perform pg_sleep(0.05); update t set name = name where id = b; end $$",
        NULL);
    rig_run(rig, "insert into t values (1, 'a'), (2, 'b')", NULL);
    struct rig_job *one = rig_ask(rig, "select cross_rows(1, 2)", NULL, false);
    struct rig_job *two = rig_ask(rig, "select cross_rows(2, 1)", NULL, false);
    const struct engine_job *a = rig_await(one), *b = rig_await(two);
    assert_int_equal((a->end == ENGINE_JOB_COMPLETED) + (b->end == ENGINE_JOB_COMPLETED), 1);
    rig_expect_error(a->end == ENGINE_JOB_COMPLETED ? b : a, "SQL_40P01", true);
}

/* ---- time-outs, cancelling, stopping ---- */

static void a_statement_ends_at_its_time_out(void **state)
{
    struct sql_rig *rig = *state;
    rig->config.timeout_ms = 100;
    rig_expect_error(rig_run(rig, "select pg_sleep(600)", NULL), "SQL_TIMEOUT", true);
    rig->config.timeout_ms = RIG_PATIENCE_S * 1000;
    await_number(rig, SLEEPERS, 0);
}

static void a_cancelled_statement_ends_at_the_server_too(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *sleeps = rig_ask(rig, "select pg_sleep(600)", NULL, false);
    await_number(rig, SLEEPERS, 1);
    sql_pool_cancel(rig->pool, &sleeps->engine_job);
    assert_int_equal(rig_await(sleeps)->end, ENGINE_JOB_BROKEN_OFF);
    await_number(rig, SLEEPERS, 0);
}

static void stopping_breaks_off_everything(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *asked[20];
    for (size_t i = 0; i < COUNT(asked); i++) asked[i] = rig_ask(rig, "select pg_sleep(600)", NULL, false);
    sql_pool_stop(rig->pool);
    for (size_t i = 0; i < COUNT(asked); i++)
        assert_int_equal(rig_await(asked[i])->end, ENGINE_JOB_BROKEN_OFF);
    rig->pool = sql_pool_new(&rig->config);
    await_number(rig, SLEEPERS, 0);
}

/* ---- the pool ---- */

static void a_database_has_so_many_sessions_and_no_more(void **state)
{
    struct sql_rig *rig = *state;
    enum { JOBS = 200 };
    struct rig_job *asked[JOBS];
    for (size_t i = 0; i < JOBS; i++)
        asked[i] = rig_ask(rig,
                           "insert into t select count(*), gen_random_uuid()::text from pg_stat_activity "
                           "where application_name = 'pawl' on conflict (id) do nothing",
                           NULL, false);
    for (size_t i = 0; i < JOBS; i++)
        if (rig_await(asked[i])->end != ENGINE_JOB_COMPLETED)
            fail_msg("%s", rig_text(&asked[i]->engine_job, asked[i]->engine_job.error));
    int64_t most = number(rig, "select max(id) as n from t");
    assert_in_range(most, 1, rig->config.sessions_max);
}

static void a_slow_database_holds_up_its_own_jobs_only(void **state)
{
    struct sql_rig *rig = *state;
    char other[160];
    struct rig_job *asked[32];
    for (size_t i = 0; i < COUNT(asked); i++) asked[i] = rig_ask(rig, "select pg_sleep(600)", NULL, false);
    snprintf(other, sizeof other, "postgres://pawl:secret@127.0.0.1:%u/template1", port);
    rig->uri = str_of(other);
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
    for (size_t i = 0; i < COUNT(asked); i++) sql_pool_cancel(rig->pool, &asked[i]->engine_job);
    for (size_t i = 0; i < COUNT(asked); i++) rig_await(asked[i]);
}

static void results_are_bounded(void **state)
{
    struct sql_rig *rig = *state;
    char sql[80];
    snprintf(sql, sizeof sql, "select generate_series(1, %d) as x", SQL_ROWS_MAX);
    const struct engine_job *job = rig_run(rig, sql, NULL);
    assert_int_equal(job->end, ENGINE_JOB_COMPLETED);
    assert_int_equal(json_count(json_get(job->value, STR("rows"))), SQL_ROWS_MAX);
    snprintf(sql, sizeof sql, "select generate_series(1, %d) as x", SQL_ROWS_MAX + 1);
    rig_expect_error(rig_run(rig, sql, NULL), "SQL_RESULT_TOO_LARGE", false);
    rig_expect_error(rig_run(rig, "select repeat('x', 1000000) as a, repeat('y', 100000) as b", NULL),
                     "SQL_RESULT_TOO_LARGE", false);
    /* One row of 50 MB, of which only the beginning is read. */
    rig_expect_error(rig_run(rig, "select repeat('x', 50000000) as a", NULL), "SQL_RESULT_TOO_LARGE", false);
    /* A result without end. */
    rig_expect_error(rig_run(rig, "select generate_series(1, 1000000000000) as x", NULL),
                     "SQL_RESULT_TOO_LARGE", false);
    /* What is refused for its size is not done. */
    rig_expect_error(
        rig_run(rig, "insert into t select x, x::text from generate_series(1, 10001) x returning id", NULL),
        "SQL_RESULT_TOO_LARGE", false);
    await_number(rig, "select count(*) as n from t", 0);
}

/* ---- servers that go and come ---- */

static void a_server_that_comes_back_is_used_again(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *sleeps = rig_ask(rig, "select pg_sleep(600)", NULL, false);
    await_number(rig, SLEEPERS, 1);
    server("stop");
    rig_expect_error(rig_await(sleeps), "SQL_CONNECTION", true);
    rig_expect_error(rig_run(rig, "select 1 as a", NULL), "SQL_CONNECTION", true);
    server("start");
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

/* Kept sessions die with the server; the next job does not notice. */
static void sessions_that_died_while_idle_are_replaced(void **state)
{
    struct sql_rig *rig = *state;
    struct rig_job *asked[6];
    for (size_t i = 0; i < COUNT(asked); i++) asked[i] = rig_ask(rig, "select pg_sleep(0.02)", NULL, false);
    for (size_t i = 0; i < COUNT(asked); i++) rig_await(asked[i]);
    server("stop");
    server("start");
    for (size_t i = 0; i < COUNT(asked); i++)
        rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

static void sessions_that_the_server_ended_are_replaced(void **state)
{
    struct sql_rig *rig = *state;
    rig_run(rig, "select 1 as a", NULL);
    char other[160];
    snprintf(other, sizeof other, "postgres://pawl:secret@127.0.0.1:%u/template1", port);
    rig->uri = str_of(other);
    await_number(rig,
                 "select count(*) as n from pg_stat_activity where datname = 'postgres' and application_name "
                 "= 'pawl' and state <> 'idle'",
                 0);
    rig_run(rig,
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres' and "
            "application_name = 'pawl'",
            NULL);
    rig->uri = str_of(uri);
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

/* ---- addresses and logins ---- */

static void wrong_addresses_and_logins_say_why(void **state)
{
    struct sql_rig *rig = *state;
    const struct {
        const char *uri, *want;
        bool retryable;
    } cases[] = {
        { "postgres://pawl:wrong@127.0.0.1:%u/postgres", "SQL_28P01", false },
        { "postgres://pawl:secret@127.0.0.1:%u/nowhere", "SQL_3D000", false },
        { "postgres://pawl:secret@localhost:1/postgres", "SQL_CONNECTION", true },
        { "postgres://pawl:secret@no-such-host.invalid:%u/postgres", "SQL_HOST_NOT_FOUND", false },
        { "postgres://pawl:secret@127.0.0.1,127.0.0.2:%u/postgres", "SQL_CONNECTION_REF", false },
        { "postgres:///postgres", "SQL_CONNECTION_REF", false },
        { "postgres://pawl:secret@127.0.0.1:%u/postgres?what=1", "SQL_CONNECTION_REF", false },
        { "postgres://pawl:secret@127.0.0.1:%u/postgres?sslmode=require", "SQL_CONNECTION", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[160];
        size_t mark = str_find(str_of(cases[i].uri), STR("%u"), 0);
        if (mark == SIZE_MAX) snprintf(text, sizeof text, "%s", cases[i].uri);
        else snprintf(text, sizeof text, "%.*s%u%s", (int)mark, cases[i].uri, port, cases[i].uri + mark + 2);
        rig->uri = str_of(text);
        const struct engine_job *job = rig_run(rig, "select 1", NULL);
        str message = json_string(json_get(job->error, STR("message")));
        /* A resolver that has no server at all cannot say that a name does not exist. */
        bool unreachable = i == 3 && job->retryable;
        if (!unreachable) rig_expect_error(job, cases[i].want, cases[i].retryable);
        assert_int_equal(str_find(message, STR("secret"), 0), SIZE_MAX);
        assert_int_equal(str_find(message, STR("wrong"), 0), SIZE_MAX);
    }
}

static void private_networks_are_refused_unless_allowed(void **state)
{
    struct sql_rig *rig = *state;
    char local[160];
    const char *const uris[] = { uri,
                                 "postgres://localhost/a",
                                 "postgres://[::1]/a",
                                 "postgres://10.1.2.3/a",
                                 "postgres://169.254.169.254/a",
                                 "postgres://x/a?hostaddr=127.0.0.1",
                                 "postgres://%2ftmp/a",
                                 "postgres://0x7f000001/a",
                                 local };
    snprintf(local, sizeof local, "postgres://pawl:secret@/postgres?host=%s", directory);
    rig_close(rig); /* Sessions that are open stay so. */
    rig->config.reach.all = false;
    rig->pool = sql_pool_new(&rig->config);
    for (size_t i = 0; i < COUNT(uris); i++) {
        rig->uri = str_of(uris[i]);
        rig_expect_error(rig_run(rig, "select 1", NULL), "SQL_ADDRESS", false);
    }
    rig->config.reach.all = true;
    snprintf(local, sizeof local, "postgres://pawl:secret@:%u/postgres?host=%s", port, directory);
    rig->uri = str_of(local);
    rig_expect(rig_run(rig, "select 1 as a", NULL), "{\"rows\":[{\"a\":1}],\"row_count\":1}");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_keep_their_types),
        TEST(changed_rows_are_counted),
        TEST(a_parameter_never_becomes_text_of_the_statement),
        TEST(errors_have_their_sqlstate),
        TEST(constraints_that_wait_for_the_commit_fail_the_job),
        TEST(a_read_only_job_cannot_write),
        TEST(a_job_leaves_nothing_in_its_session),
        TEST(of_two_jobs_in_a_deadlock_one_is_retryable),
        TEST(a_statement_ends_at_its_time_out),
        TEST(a_cancelled_statement_ends_at_the_server_too),
        TEST(stopping_breaks_off_everything),
        TEST(a_database_has_so_many_sessions_and_no_more),
        TEST(a_slow_database_holds_up_its_own_jobs_only),
        TEST(results_are_bounded),
        TEST(a_server_that_comes_back_is_used_again),
        TEST(sessions_that_died_while_idle_are_replaced),
        TEST(sessions_that_the_server_ended_are_replaced),
        TEST(wrong_addresses_and_logins_say_why),
        TEST(private_networks_are_refused_unless_allowed),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
