/* PostgreSQL: what only its nodes have. Migration, fences and lost answers, rights. */
#include "postgres_ask.h"

#include "base/log.h"
#include "store/postgres/nodes_int.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

/* ---- the schema of one engine ---- */

/* Takes away what the third version has added. */
static void make_version_2(void)
{
    execute("DROP TABLE job, news, errand, notice, node_gone; ALTER TABLE instance DROP holder;"
            "DELETE FROM node; DELETE FROM node_turn;"
            "ALTER TABLE node DROP beats, DROP epoch, DROP dead, ADD beat timestamptz NOT NULL;"
            "UPDATE meta SET value = 2 WHERE name = 'schema'");
}

#define OLD_LOCK \
    "(70934629, (SELECT oid::int8::bit(32)::int4 FROM pg_namespace WHERE nspname = current_schema()))"

/* The number of a store that may have blocks of the audit is above all that engines without them know. */
static void a_newer_schema_is_refused(void **state)
{
    enum { LAST_WITHOUT_BLOCKS = 7 };
    struct fixture *f = *state;
    close_store(f);
    assert_str_equal(
        server_ask(f, arena_printf(&f->arena, "SELECT value > %d FROM meta WHERE name = 'schema'",
                                   LAST_WITHOUT_BLOCKS)
                          .p),
        STR("t\n"));
    const struct store_config config = { .path = server_uri, .create = true };
    execute("UPDATE meta SET value = value + 100 WHERE name = 'schema'");
    assert_int_equal(store_open(&config, &f->store, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, " is newer than this program, which knows up to "));
    assert_str_equal(server_ask(f, "SELECT value > 100 FROM meta WHERE name = 'schema'"), STR("t\n"));
    execute("UPDATE meta SET value = value - 100 WHERE name = 'schema'");
    assert_ok(f, store_open(&config, &f->store, &f->err));
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));
}

static void jobs_of_the_one_engine_are_those_of_a_dead_node(void **state)
{
    struct fixture *f = *state;
    struct node_row node[NODES_MAX];
    size_t count;
    uint64_t *id;
    put_definition(f, 1, "order", 1);
    for (uint64_t i = 1; i <= 3; i++) {
        struct instance_row row = an_instance(i, 1, i == 2 ? INSTANCE_COMPLETED : INSTANCE_ACTIVE);
        put_instance(f, &row);
    }
    close_store(f);
    make_version_2();

    struct store_config config = { .path = server_uri };
    execute("SELECT pg_advisory_lock" OLD_LOCK);
    assert_int_equal(store_open(&config, &f->store, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "older version"));
    execute("SELECT pg_advisory_unlock" OLD_LOCK);
    config.must_not_migrate = true;
    assert_int_equal(store_open(&config, &f->store, &f->err), ST_CONFLICT);
    config.must_not_migrate = false;
    assert_ok(f, store_open(&config, &f->store, &f->err));
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));

    heartbeat_of(f, f->store, node, &count);
    assert_int_equal(count, 2);
    assert_int_equal(node[0].id, -1);
    assert_true(node[0].dead);
    assert_ok(f, store_held_ids(f->store, -1, 0, 10, &f->arena, &id, &count, &f->err));
    assert_int_equal(count, 2);
    assert_int_equal(id[0], 1);
    assert_int_equal(id[1], 3);
    assert_int_equal(load_instance(f, 3).holder, -1);
    assert_int_equal(load_instance(f, 2).holder, 0);
    assert_ok(f, store_forget_node(f->store, -1, &f->err));
    heartbeat_of(f, f->store, node, &count);
    assert_int_equal(count, 1);
}

#define MIGRATION_LOCK \
    "(70934630, (SELECT oid::int8::bit(32)::int4 FROM pg_namespace WHERE nspname = current_schema()))"

#define BLOCKS "SELECT last_value || ' ' || is_called FROM instance_block"

static void a_node_that_starts_waits_for_another_that_migrates(void **state)
{
    struct fixture *f = *state;
    struct store_config config = { .path = server_uri, .migration_wait_ms = 100 };
    close_store(f);
    make_version_2();
    str before = server_ask(f, BLOCKS);
    execute("SELECT pg_advisory_lock" MIGRATION_LOCK);
    assert_int_equal(store_open(&config, &f->store, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "another node has made or migrated"));
    execute("SELECT pg_advisory_unlock" MIGRATION_LOCK);
    execute("BEGIN; LOCK TABLE instance IN ACCESS SHARE MODE");
    assert_int_equal(store_open(&config, &f->store, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "locked for 100 ms"));
    execute("ROLLBACK");
    assert_true(str_equal(before, server_ask(f, BLOCKS))); /* No rollback sets a sequence back. */

    config.migration_wait_ms = 0; /* As long as usual: the lock is given back after a moment. */
    execute("SELECT pg_advisory_lock" MIGRATION_LOCK);
    assert_true(libpq.sendQueryParams(server_conn,
                                      "SELECT pg_advisory_unlock" MIGRATION_LOCK " FROM pg_sleep(0.3)", 0,
                                      NULL, NULL, NULL, NULL, 0));
    assert_ok(f, store_open(&config, &f->store, &f->err));
    for (PGresult *result; (result = libpq.getResult(server_conn)) != NULL;) libpq.clear(result);
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));
}

/* ---- fences ---- */

static void a_fence_ends_a_transaction_that_the_server_has_begun(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    int64_t id = store_node(second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    assert_ok(f, store_begin(second, &f->err));
    struct changeset change = { .instance = &two, .insert = true, .history = STR("h") };
    assert_ok(f, store_apply(second, &change, &f->err));
    ask_something(f, second); /* Everything is sent. */
    assert_true(ask_about(f, "SELECT count(*) FROM pg_stat_activity WHERE " SESSIONS, id) >= 2);
    assert_ok(f, store_fence_node(f->store, id, &f->err));
    enum status status = store_commit(second, &f->err);
    assert_true(status == ST_AGAIN || status == ST_STORE);
    store_rollback(second);
    assert_false(store_broken(second));
    assert_false(reader_sees(f, 2));
    assert_int_equal(ask_about(f, "SELECT count(*) FROM node_gone WHERE turn = 0 AND node = $1", id), 1);
    store_close(second);
}

/* No node is fenced twice. A transaction that the dead node began would keep its locks if it were cut off. */
static void a_node_that_is_fenced_begins_nothing_before_it_has_joined(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    struct store_reader *reader;
    struct store_statistics statistics;
    assert_ok(f, store_reader_open(second, &reader, &f->err));
    assert_ok(f, store_fence_node(f->store, store_node(second), &f->err));
    postgres_disconnect(&postgres_self(second)->db);
    assert_int_equal(store_begin(second, &f->err), ST_AGAIN);
    assert_ok(f, store_rejoin(second, &f->err));
    assert_ok(f, store_begin(second, &f->err));
    store_rollback(second);
    /* Readers are found under the new number, too: with the writer and its side there are three. */
    assert_ok(f, reader_statistics(reader, &statistics, &f->err));
    assert_int_equal(
        ask_about(f, "SELECT count(*) FROM pg_stat_activity WHERE " SESSIONS, store_node(second)), 3);
    store_reader_close(reader);
    store_close(second);
}

/* The server went back in time. */
static void a_node_finds_out_that_its_commits_are_lost(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation;
    put_definition(f, 1, "order", 1);
    assert_ok(f, store_heartbeat(f->store, row, &count, &generation, &f->err));
    execute("UPDATE node_turn SET turn = turn - 1");
    assert_int_equal(store_heartbeat(f->store, row, &count, &generation, &f->err), ST_STORE);
    assert_non_null(strstr(f->err.message, "lost"));
    assert_true(store_broken(f->store));
}

/* A transaction of the node has changed its row, and does not end. */
static void a_fence_does_not_wait_for_long(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    int64_t id = store_node(second);
    execute("BEGIN");
    assert_int_equal(ask_about(f, "SELECT 1 FROM node_turn WHERE node = $1 FOR UPDATE", id), 1);
    assert_int_equal(store_fence_node(f->store, id, &f->err), ST_AGAIN);
    execute("ROLLBACK");
    assert_ok(f, store_fence_node(f->store, id, &f->err));
    store_close(second);
}

/* From some point on nothing answers. */
static void rejoin_halfway(struct fixture *f, struct store *store)
{
    struct postgres_db *side = &postgres_self(store)->side;
    char nowhere[] = "host=127.0.0.1 port=1", *conninfo = side->conninfo;
    postgres_disconnect(side);
    side->conninfo = nowhere;
    assert_int_equal(store_rejoin(store, &f->err), ST_STORE);
    side->conninfo = conninfo;
    side->refused_us = 0;
}

/* Its engine must learn that it is fenced, however often that fails. */
static void a_node_that_has_joined_halfway_is_still_fenced(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation, old = store_node(second);
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &one, .insert = true, .history = STR("h") };
    assert_ok(f, put_by(f, second, change));
    assert_ok(f, store_fence_node(f->store, old, &f->err));
    for (int alike = 0; alike < 2; alike++) { /* A number like that of another node is given back. */
        if (alike)
            execute(arena_printf(&f->arena, "SELECT setval('node_number', %lld)%c",
                                 (long long)store_node(f->store) + 3 * NODES_MAX - 1, 0)
                        .p);
        rejoin_halfway(f, second);
        assert_int_equal(store_node(second), old);
        assert_int_equal(store_heartbeat(second, row, &count, &generation, &f->err), ST_NOT_FOUND);
    }
    assert_ok(f, store_rejoin(second, &f->err));
    assert_true(store_node(second) > old);
    heartbeat_of(f, second, row, &count);
    for (size_t i = 0; i < count; i++) /* Nothing of the attempts is left alive. */
        assert_true(row[i].dead || row[i].id == store_node(second) || row[i].id == store_node(f->store));
    change.instance = &two;
    assert_ok(f, put_by(f, second, change));
    store_close(second);
}

/* ---- a commit whose answer is lost while others fence the node ---- */

static struct store *commits;
static enum status commit_status;
static struct error commit_error;

static void *commit_other(void *context)
{
    (void)context;
    log_keep_quiet(true);
    commit_status = store_commit(commits, &commit_error);
    return NULL;
}

static void wait_until(struct fixture *f, const char *sql, int64_t node)
{
    enum { TRIES_MAX = 2000, PAUSE_MS = 10 };
    for (int i = 0; i < TRIES_MAX; i++) {
        if (ask_about(f, sql, node)) return;
        poll(NULL, 0, PAUSE_MS);
    }
    fail_msg("%s: it did not happen", sql);
}

#define WAITS "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND " SESSIONS

/* The node waits for its own row, which the test has locked; its session ends; then all that happens to the
 * row. */
static enum status lose_answer(struct fixture *f, struct store *second, const char *sql)
{
    pthread_t thread;
    int64_t id = store_node(second);
    PGconn *locks = server_connect();
    libpq.clear(server_execute(locks, "BEGIN"));
    libpq.clear(server_execute(locks, "SELECT 1 FROM node_turn FOR UPDATE"));
    assert_ok(f, store_begin(second, &f->err));
    commits = second;
    assert_int_equal(pthread_create(&thread, NULL, commit_other, NULL), 0);
    wait_until(f, WAITS, id);
    ask_about(f, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE " SESSIONS, id);
    wait_until(f, WAITS " AND query LIKE 'UPDATE node_turn%'", id);
    libpq.clear(server_execute(locks, sql));
    libpq.clear(server_execute(locks, "COMMIT"));
    pthread_join(thread, NULL);
    libpq.finish(locks);
    if (commit_status != ST_OK) store_rollback(second);
    return commit_status;
}

static void a_lost_answer_is_found_after_a_fence(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t turn; /* That the fence has kept; -1: none. */
        enum status status;
        bool broken;
    } cases[] = { { 1, ST_OK, false }, { 0, ST_AGAIN, false }, { -1, ST_STORE, true } };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct store *second = join_node(f);
        long long id = store_node(second), turn = cases[i].turn;
        char sql[200];
        snprintf(sql, sizeof sql,
                 "INSERT INTO node_gone SELECT %lld, %lld, clock_timestamp() WHERE %lld >= 0; "
                 "DELETE FROM node_turn WHERE node = %lld",
                 id, turn, turn, id);
        assert_int_equal(lose_answer(f, second, sql), cases[i].status);
        assert_int_equal(store_broken(second), cases[i].broken);
        store_close(second);
    }
}

static void a_lost_answer_shows_that_commits_are_lost(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &one, .insert = true, .history = STR("h") };
    assert_ok(f, store_begin(second, &f->err));
    assert_ok(f, store_apply(second, &change, &f->err));
    assert_ok(f, store_commit(second, &f->err));
    assert_int_equal(lose_answer(f, second, "UPDATE node_turn SET turn = 0"), ST_STORE);
    assert_true(store_broken(second));
    assert_non_null(strstr(commit_error.message, "lost"));
    store_close(second);
}

/* The server's process hangs with all that was sent to it, and wakes up when we have given it up. */
static void a_transaction_that_was_given_up_does_not_happen_later(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    int64_t id = store_node(second);
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &one, .insert = true, .history = STR("h") };
    pid_t server =
        (pid_t)ask_about(f,
                         "SELECT max(a.pid)::int8 FROM pg_stat_activity a JOIN pg_locks l ON l.pid = "
                         "a.pid WHERE l.locktype = 'advisory' AND " SESSIONS,
                         id);
    assert_ok(f, store_begin(second, &f->err));
    assert_ok(f, store_apply(second, &change, &f->err));
    postgres_self(second)->db.patience_ms = 100;
    assert_int_equal(kill(server, SIGSTOP), 0);
    log_keep_quiet(true);
    enum status status = store_commit(second, &f->err);
    log_keep_quiet(false);
    assert_int_equal(kill(server, SIGCONT), 0);
    postgres_self(second)->db.patience_ms = 15000;
    assert_int_equal(status, ST_STORE);
    store_rollback(second);
    assert_false(store_broken(second));
    for (int i = 0; kill(server, 0) == 0 && i < 2000; i++)
        poll(NULL, 0, 10); /* It finds us gone, and ends. */
    assert_false(reader_sees(f, 1));
    change.instance = &two;
    assert_ok(f, put_by(f, second, change)); /* The node goes on. */
    assert_true(reader_sees(f, 2));
    store_close(second);
}

/* ---- simple transactions, and those that change the configuration ---- */

/* The server begins with the simple one while the configuration changes. */
static void a_simple_transaction_rests_on_the_newest_configuration(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    pthread_t thread;
    prepare(f, second);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &one, .insert = true, .history = STR("h") };
    PGconn *changes = server_connect();
    libpq.clear(server_execute(changes, "BEGIN"));
    libpq.clear(server_execute(changes, "LOCK TABLE node_turn IN SHARE ROW EXCLUSIVE MODE"));
    libpq.clear(server_execute(changes, "UPDATE meta SET value = value + 1 WHERE name = 'generation'"));
    assert_ok(f, store_begin(second, &f->err));
    assert_ok(f, store_apply(second, &change, &f->err));
    commits = second;
    assert_int_equal(pthread_create(&thread, NULL, commit_other, NULL), 0);
    wait_until(f, WAITS, store_node(second));
    libpq.clear(server_execute(changes, "COMMIT"));
    pthread_join(thread, NULL);
    libpq.finish(changes);
    assert_int_equal(commit_status, ST_AGAIN);
    store_rollback(second);
    assert_false(reader_sees(f, 1));
    store_set_generation(second, generation_of(f, second));
    assert_ok(f, put_by(f, second, change));
    store_close(second);
}

static enum status deploy(struct fixture *f, struct store *store, struct store *meanwhile, uint64_t instance)
{
    struct definition_row definition = {
        .number = 9, .ns = 1, .id = STR("new"), .version = 1, .source = STR("{}")
    };
    struct instance_row row = an_instance(instance, 1, INSTANCE_ACTIVE);
    struct changeset change = { .definition = &definition };
    assert_ok(f, store_begin(store, &f->err));
    ask_something(f, store);
    if (meanwhile)
        assert_ok(f, put_by(f, meanwhile,
                            (struct changeset){ .instance = &row, .insert = true, .history = STR("h") }));
    enum status status = store_apply(store, &change, &f->err);
    if (status == ST_OK) status = store_commit(store, &f->err);
    if (status != ST_OK) store_rollback(store);
    return status;
}

/* It may have asked for what a simple transaction of another node has written since. */
static void a_change_of_the_configuration_has_seen_all_simple_transactions(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f);
    prepare(f, second);
    int64_t generation = generation_of(f, second);
    assert_int_equal(deploy(f, f->store, second, 1), ST_AGAIN);
    assert_int_equal(generation_of(f, second), generation);

    /* The repetition has the lock before it asks. */
    struct instance_row row = an_instance(2, 1, INSTANCE_ACTIVE);
    struct changeset change = { .instance = &row, .insert = true, .history = STR("h") };
    assert_ok(f, store_begin(f->store, &f->err));
    ask_something(f, f->store);
    assert_int_equal(ask("SELECT count(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock' "
                         "AND relation = 'node_turn'::regclass"),
                     1);
    store_rollback(f->store);
    assert_ok(f, deploy(f, f->store, NULL, 0));
    assert_int_equal(generation_of(f, second), generation + 1);
    assert_int_equal(put_by(f, second, change), ST_AGAIN);
    store_set_generation(second, generation + 1);
    assert_ok(f, put_by(f, second, change));
    assert_ok(f, store_begin(f->store, &f->err));
    ask_something(f, f->store);
    assert_int_equal(ask("SELECT count(*) FROM pg_locks WHERE mode = 'ShareRowExclusiveLock'"), 0);
    store_rollback(f->store);
    store_close(second);
}

/* ---- news that are gone ---- */

static void heartbeat_and_purge(struct fixture *f)
{
    struct node_row row[NODES_MAX];
    size_t count;
    postgres_self(f->store)->news.purged_us = INT64_MIN / 2; /* Long ago. */
    heartbeat_of(f, f->store, row, &count);
}

static void who_hears_too_late_knows_that_something_is_lost(void **state)
{
    struct fixture *f = *state;
    struct store *second = join_node(f), *third = join_node(f);
    for (int i = 0; i < 3; i++) tell_by(f, f->store, STR("old"));
    assert_int_equal(hear_by(f, third).count, 3);
    heartbeat_and_purge(f);
    assert_int_equal(ask("SELECT count(*) FROM news"), 3); /* They are not old enough yet. */
    heartbeat_and_purge(f);
    assert_int_equal(ask("SELECT count(*) FROM news"), 1);
    struct heard heard = hear_by(f, second);
    assert_int_equal(heard.count, 1);
    assert_true(heard.lost);
    heard = hear_by(f, third);
    assert_int_equal(heard.count, 0);
    assert_false(heard.lost);

    /* The server may have lost all of them with its sessions. */
    ask_about(f, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE " SESSIONS,
              store_node(third));
    tell_by(f, f->store, STR("new"));
    heard = hear_by(f, third);
    assert_int_equal(heard.count, 1);
    assert_true(heard.lost);
    assert_false(hear_by(f, third).lost);

    /* So may a node that is forgotten. */
    store_close(second);
    assert_false(hear_by(f, third).lost);
    heartbeat_and_purge(f);
    assert_ok(f, store_forget_node(f->store, store_node(third) - 1, &f->err));
    assert_true(hear_by(f, third).lost);
    store_close(third);
}

/* ---- counts and rights ---- */

static void counts_of_a_forgotten_node_stay(void **state)
{
    struct fixture *f = *state;
    struct store_statistics statistics;
    struct store *second = join_node(f);
    prepare(f, second);
    int64_t id = store_node(second);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    struct timer_row timer = { 7, 1, 2 };
    struct changeset change = { .instance = &row, .insert = true, .history = STR("h") };
    assert_int_equal(put_by(f, second, change), ST_OK);
    assert_int_equal(put_by(f, second, (struct changeset){ .timer_add = &timer, .timer_add_count = 1 }),
                     ST_OK);
    put_instance(f, &two);
    assert_ok(f, store_forget_node(f->store, id, &f->err)); /* It lives: nothing happens. */
    assert_true(ask_about(f, "SELECT count(*) FROM tally WHERE node = $1", id) > 0);
    store_close(second);
    assert_ok(f, store_forget_node(f->store, id, &f->err));
    assert_int_equal(ask_about(f, "SELECT count(*) FROM tally WHERE node = $1", id), 0);
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.instances_by_status[INSTANCE_ACTIVE], 2);
    assert_int_equal(statistics.timers, 1);
}

/* What docs/postgres.md says that an engine needs. It may not end the sessions of another user. */
static void an_engine_needs_few_rights(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    char uri[sizeof server_uri];
    execute("CREATE ROLE weak LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA pawl "
            "TO weak;"
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pawl TO weak;"
            "GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA pawl TO weak");
    snprintf(uri, sizeof uri, "postgres://weak:%s", strchr(server_uri + strlen("postgres://"), ':') + 1);
    struct store_config config = { .path = uri };
    struct store *strong = join_node(f), *weak;
    assert_ok(f, store_open(&config, &weak, &f->err));
    struct definition_row definition = { .number = 1, .ns = 1, .id = STR("order"), .version = 1 };
    assert_int_equal(put_by(f, weak, (struct changeset){ .definition = &definition }), ST_OK);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE);
    assert_int_equal(
        put_by(f, weak, (struct changeset){ .instance = &one, .insert = true, .history = STR("h") }), ST_OK);
    struct store_numbers numbers = { 0 };
    assert_ok(f, store_take_numbers(weak, &numbers, &f->err));
    assert_ok(f, store_fence_node(weak, store_node(strong), &f->err));
    heartbeat_of(f, weak, row, &count);
    assert_true(find_node(row, count, store_node(strong))->dead);
    assert_ok(f, store_forget_node(weak, store_node(strong), &f->err));
    store_close(strong);
    store_close(weak);
    execute("DROP OWNED BY weak; DROP ROLE weak");
}

/* Two schemas of one database have nodes with the same numbers. */
static void a_fence_does_not_touch_another_schema(void **state)
{
    struct fixture *f = *state;
    char uri[sizeof server_uri];
    struct node_row row[NODES_MAX];
    size_t count;
    int64_t generation;
    execute("CREATE SCHEMA other");
    snprintf(uri, sizeof uri, "%.*sother", (int)(strlen(server_uri) - strlen("pawl")), server_uri);
    struct store_config config = { .path = uri, .create = true };
    struct store *other, *second = join_node(f);
    assert_ok(f, store_open(&config, &other, &f->err));
    while (store_node(other) < store_node(second)) assert_ok(f, store_rejoin(other, &f->err));
    assert_ok(f, store_heartbeat(other, row, &count, &generation, &f->err));
    int64_t before = postgres_self(other)->side.connections;
    assert_ok(f, store_fence_node(f->store, store_node(second), &f->err));
    assert_ok(f, store_heartbeat(other, row, &count, &generation, &f->err));
    assert_int_equal(postgres_self(other)->side.connections, before);
    store_close(second);
    store_close(other);
    execute("SET client_min_messages = warning; DROP SCHEMA other CASCADE");
}

/* Numbers of arrivals are made of it. */
static void the_numbers_of_nodes_that_live_differ_modulo_their_most(void **state)
{
    struct fixture *f = *state;
    execute(arena_printf(&f->arena, "SELECT setval('node_number', %lld)%c",
                         (long long)store_node(f->store) + 3 * NODES_MAX - 1, 0)
                .p);
    struct store *second = join_node(f);
    assert_int_equal((store_node(second) - store_node(f->store)) % NODES_MAX, 1);
    store_close(second);
}

static void hear_nothing(void *context, enum store_wake why) { (void)context, (void)why; }

static int64_t heartbeats_of(struct fixture *f, const struct store *node)
{
    struct node_row row[NODES_MAX];
    size_t count;
    heartbeat_of(f, f->store, row, &count);
    const struct node_row *found = find_node(row, count, store_node(node));
    assert_non_null(found);
    return found->heartbeats;
}

/* Its engine is in a long turn: nobody calls store_heartbeat(). */
static void a_node_that_is_busy_goes_on_beating(void **state)
{
    enum { TRIES_MAX = 1000, PAUSE_MS = 10 };
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    struct store *busy = join_node(f);
    assert_ok(f, store_listen(busy, hear_nothing, NULL, &f->err));
    heartbeat_of(f, busy, row, &count);
    int64_t before = heartbeats_of(f, busy), heartbeats = before;
    for (int i = 0; i < TRIES_MAX && heartbeats < before + 2; i++) {
        poll(NULL, 0, PAUSE_MS);
        heartbeats = heartbeats_of(f, busy);
    }
    assert_true(heartbeats >= before + 2);
    store_close(busy);
}

/* The other one was cut off with a transaction that locks what all turns need. */
static void a_node_that_is_busy_ends_the_sessions_of_a_silent_one(void **state)
{
    struct fixture *f = *state;
    struct node_row row[NODES_MAX];
    size_t count;
    struct store *busy = join_node(f), *silent = join_node(f);
    assert_ok(f, store_begin(silent, &f->err));
    ask_something(f, silent);
    assert_true(ask_about(f, "SELECT count(*) FROM pg_stat_activity WHERE " SESSIONS, store_node(silent)) >
                0);
    assert_ok(f, store_listen(busy, hear_nothing, NULL, &f->err));
    heartbeat_of(f, busy, row, &count);
    wait_until(f, "SELECT (count(*) = 0)::int FROM pg_stat_activity WHERE " SESSIONS, store_node(silent));
    store_rollback(silent);
    store_close(silent);
    store_close(busy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) cmocka_unit_test_setup_teardown(name, setup_postgres, teardown)
        XX(a_newer_schema_is_refused),
        XX(jobs_of_the_one_engine_are_those_of_a_dead_node),
        XX(a_node_that_starts_waits_for_another_that_migrates),
        XX(a_node_that_is_fenced_begins_nothing_before_it_has_joined),
        XX(a_node_finds_out_that_its_commits_are_lost),
        XX(a_fence_ends_a_transaction_that_the_server_has_begun),
        XX(a_fence_does_not_wait_for_long),
        XX(a_node_that_has_joined_halfway_is_still_fenced),
        XX(a_lost_answer_is_found_after_a_fence),
        XX(a_lost_answer_shows_that_commits_are_lost),
        XX(a_transaction_that_was_given_up_does_not_happen_later),
        XX(a_simple_transaction_rests_on_the_newest_configuration),
        XX(a_change_of_the_configuration_has_seen_all_simple_transactions),
        XX(who_hears_too_late_knows_that_something_is_lost),
        XX(counts_of_a_forgotten_node_stay),
        XX(an_engine_needs_few_rights),
        XX(a_fence_does_not_touch_another_schema),
        XX(a_node_that_is_busy_goes_on_beating),
        XX(a_node_that_is_busy_ends_the_sessions_of_a_silent_one),
        XX(the_numbers_of_nodes_that_live_differ_modulo_their_most),
#undef XX
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
