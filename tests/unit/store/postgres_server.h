/* A PostgreSQL server that a group of tests starts and stops. Its store is made once; each test finds it
 * empty. */
#ifndef TESTS_STORE_POSTGRES_SERVER_H
#define TESTS_STORE_POSTGRES_SERVER_H

#include "fixture.h"

#include "base/libpq.h"

static char server_directory[64];
static char server_uri[128];
static PGconn *server_conn; /* For what no store does. */

static void server(const char *verb)
{
    char command[160], line[32] = "";
    snprintf(command, sizeof command, "tests/services/postgres %s %s", verb, server_directory);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(line, sizeof line, out))
        snprintf(server_uri, sizeof server_uri,
                 "postgres://pawl:secret@127.0.0.1:%lu/postgres?options=-csearch_path%%3Dpawl",
                 strtoul(line, NULL, 10));
    assert_int_equal(pclose(out), 0);
}

static PGconn *server_connect(void)
{
    static const char *const name[] = { "dbname", NULL };
    const char *const value[] = { server_uri, NULL };
    PGconn *conn = libpq.connectdbParams(name, value, 1);
    assert_int_equal(libpq.status(conn), CONNECTION_OK);
    return conn;
}

static PGresult *server_execute(PGconn *conn, const char *sql)
{
    PGresult *result = libpq.exec(conn, sql);
    ExecStatusType status = libpq.resultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, libpq.errorMessage(conn));
    return result;
}

/* The first column of all rows, with a line end behind each. */
static inline str server_ask(struct fixture *f, const char *sql)
{
    struct buf out;
    buf_init(&out, &f->arena);
    PGresult *result = server_execute(server_conn, sql);
    for (int i = 0; i < libpq.ntuples(result); i++) buf_printf(&out, "%s\n", libpq.getvalue(result, i, 0));
    libpq.clear(result);
    return buf_str(&out);
}

static int start_server(void **state)
{
    (void)state;
    strcpy(server_directory, "/tmp/pawl-postgres-XXXXXX");
    assert_non_null(mkdtemp(server_directory));
    server("start");
    assert_int_equal(libpq_load(NULL), ST_OK);
    server_conn = server_connect();
    libpq.clear(server_execute(server_conn, "CREATE SCHEMA pawl"));
    return 0;
}

static int stop_server(void **state)
{
    char command[96];
    (void)state;
    libpq.finish(server_conn);
    server("stop");
    snprintf(command, sizeof command, "rm -rf %s", server_directory);
    return system(command);
}

static struct store *server_open_store(struct fixture *fixture)
{
    struct store *store;
    struct store_config config = { .path = server_uri, .create = true };
    assert_ok(fixture, store_open(&config, &store, &fixture->err));
    return store;
}

/* Rows go, and numbers begin again. What describes the store itself stays. */
static void server_empty_store(void)
{
    libpq.clear(server_execute(
        server_conn, "DO $$ DECLARE t regclass; BEGIN"
                     " FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'pawl'::regnamespace AND "
                     "c.relkind = 'r'"
                     " AND c.relname NOT IN ('meta', 'namespace') LOOP EXECUTE 'DELETE FROM ' || t; END LOOP;"
                     " FOR t IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'pawl'::regnamespace AND "
                     "c.relkind = 'S'"
                     " LOOP PERFORM setval(t, 1, false); END LOOP;"
                     " IF to_regclass('pawl.meta') IS NOT NULL THEN"
                     " UPDATE meta SET value = 0 WHERE name = 'instance_high'; END IF; END $$"));
}

static inline int setup_postgres(void **state)
{
    struct fixture *fixture = new_fixture();
    server_empty_store();
    fixture->join = server_open_store;
    snprintf(fixture->path, sizeof fixture->path, "pawl"); /* It is not in memory. */
    fixture->store = server_open_store(fixture);
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

#endif
