/* PostgreSQL: how states of instances are stored, and older databases that have them in another form. */
#include "postgres_server.h"

#include "store/postgres/sql.h"

enum { LENGTHS = 40, LONG_BYTES = 1500 };

static struct instance_row with_state(struct fixture *f, uint64_t id, size_t bytes)
{
    struct instance_row row = an_instance(id, 1, INSTANCE_ACTIVE);
    char *state = arena_alloc(&f->arena, bytes + 1);
    for (size_t i = 0; i < bytes; i++) state[i] = (char)('a' + i % 26);
    row.state = (str){ state, bytes };
    return row;
}

/* Of every length from 1 on. */
static void put_states(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    for (uint64_t id = 1; id <= LENGTHS; id++) {
        struct instance_row row = with_state(f, id, id);
        put_instance(f, &row);
    }
}

static void assert_states(struct fixture *f)
{
    for (uint64_t id = 1; id <= LENGTHS; id++) {
        struct instance_row seen, wanted = with_state(f, id, id);
        assert_str_equal(load_instance(f, id).state, wanted.state);
        assert_ok(f, found_needed(reader_instance(f->reader, TENANT_ANY, id, &f->arena, &seen, &f->err)));
        assert_str_equal(seen.state, wanted.state);
    }
}

static str ask(struct fixture *f, const char *sql)
{
    PGresult *result = server_execute(server_conn, sql);
    str value = arena_str(&f->arena, str_of(libpq.getvalue(result, 0, 0)));
    libpq.clear(result);
    return value;
}

static void the_checksum_is_stored_in_front(void **state)
{
    struct fixture *f = *state;
    put_states(f);
    assert_states(f);
    assert_str_equal(ask(f, "SELECT encode(state, 'escape') FROM instance WHERE id = 12"),
                     STR("efghijklabcd"));
    assert_str_equal(ask(f, "SELECT encode(state, 'escape') FROM instance WHERE id = 8"), STR("abcdefgh"));
    assert_str_equal(ask(f, "SELECT encode(state, 'escape') FROM instance WHERE id = 7"), STR("abcdefg"));
    struct instance_row row = with_state(f, 12, 11);
    update_instance(f, &row, "h2");
    row.status = INSTANCE_WAITING; /* An index is touched, too. */
    update_instance(f, &row, "h3");
    assert_str_equal(load_instance(f, 12).state, row.state);
}

/* Bytes of the server's log. */
static long long log_bytes(struct fixture *f)
{
    return strtoll(ask(f, "SELECT pg_current_wal_insert_lsn() - '0/0'").p, NULL, 10);
}

/* Only what differs is logged: the beginning of the state, and the checksum. */
static void an_update_shares_the_end_of_the_state_with_the_row_before(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row row = with_state(f, 1, LONG_BYTES);
    char *bytes = (char *)(uintptr_t)row.state.p;
    put_instance(f, &row);
    long long least = LONG_BYTES * 10;
    /* The first ones log whole pages; the server may write by itself meanwhile. */
    for (int i = 0; i < 6; i++) {
        bytes[3] = bytes[LONG_BYTES - 1] = (char)i;
        long long before = log_bytes(f);
        update_instance(f, &row, "h");
        long long used = log_bytes(f) - before;
        if (used < least) least = used;
    }
    assert_true(least < LONG_BYTES * 2 / 3);
    assert_str_equal(load_instance(f, 1).state, row.state);
}

/* ---- version 1 ---- */

/* As it was when checksums were stored behind. */
static void make_old(struct fixture *f)
{
    close_store(f);
    libpq.clear(server_execute(server_conn,
                               "UPDATE instance SET state = substr(state, 9) || substr(state, 1, 8)"
                               " WHERE length(state) >= 8"));
    /* What later versions have added goes. */
    libpq.clear(server_execute(
        server_conn, "UPDATE meta SET value = 1 WHERE name = 'schema';"
                     "DROP TABLE job, news, errand, notice, node_gone; ALTER TABLE instance DROP holder;"
                     "ALTER TABLE node DROP beats, DROP epoch, DROP dead,"
                     " ADD beat timestamptz NOT NULL DEFAULT now()"));
}

static void states_of_version_1_are_turned(void **state)
{
    struct fixture *f = *state;
    put_states(f);
    make_old(f);
    assert_str_equal(ask(f, "SELECT encode(state, 'escape') FROM instance WHERE id = 12"),
                     STR("abcdefghijkl"));
    f->store = server_open_store(f);
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));
    assert_states(f);
}

static void an_older_engine_that_runs_is_left_alone(void **state)
{
    struct fixture *f = *state;
    struct store_config config = { .path = server_uri, .create = true };
    struct store *store;
    put_states(f);
    make_old(f);
    libpq.clear(server_execute(server_conn, "SELECT pg_advisory_lock(" NODE_LOCK_KEY ")"));
    assert_int_equal(store_open(&config, &store, &f->err), ST_CONFLICT);
    assert_non_null(strstr(f->err.message, "older version has the store open"));
    assert_str_equal(ask(f, "SELECT encode(state, 'escape') FROM instance WHERE id = 12"),
                     STR("abcdefghijkl"));
    libpq.clear(server_execute(server_conn, "SELECT pg_advisory_unlock(" NODE_LOCK_KEY ")"));
    f->store = server_open_store(f);
    assert_ok(f, store_reader_open(f->store, &f->reader, &f->err));
    assert_states(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_checksum_is_stored_in_front, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(an_update_shares_the_end_of_the_state_with_the_row_before,
                                        setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(states_of_version_1_are_turned, setup_postgres, teardown),
        cmocka_unit_test_setup_teardown(an_older_engine_that_runs_is_left_alone, setup_postgres, teardown),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
