/* A PostgreSQL server that a group of tests starts and stops, and stores on it, each in a schema of its own.
 */
#ifndef TESTS_STORE_POSTGRES_SERVER_H
#define TESTS_STORE_POSTGRES_SERVER_H

#include "fixture.h"

static char server_directory[64];
static unsigned server_port, server_schemas;

static void server(const char *verb)
{
    char command[160], line[32];
    snprintf(command, sizeof command, "tests/services/postgres %s %s", verb, server_directory);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(line, sizeof line, out)) server_port = (unsigned)strtoul(line, NULL, 10);
    assert_int_equal(pclose(out), 0);
}

static int start_server(void **state)
{
    (void)state;
    strcpy(server_directory, "/tmp/pawl-postgres-XXXXXX");
    assert_non_null(mkdtemp(server_directory));
    server("start");
    return 0;
}

static int stop_server(void **state)
{
    char command[96];
    (void)state;
    server("stop");
    snprintf(command, sizeof command, "rm -rf %s", server_directory);
    return system(command);
}

/* Where the schema of the fixture is. */
static void server_uri(const struct fixture *fixture, char *ret_uri, size_t bytes)
{
    snprintf(ret_uri, bytes, "postgres://pawl:secret@127.0.0.1:%u/postgres?options=-csearch_path%%3D%s",
             server_port, fixture->path);
}

static int setup_postgres(void **state)
{
    struct fixture *fixture = new_fixture();
    char command[256], uri[192];
    snprintf(fixture->path, sizeof fixture->path, "s%u", ++server_schemas);
    snprintf(command, sizeof command,
             "PGPASSWORD=secret psql -q -h 127.0.0.1 -p %u -U pawl postgres -c 'CREATE SCHEMA %s'",
             server_port, fixture->path);
    assert_int_equal(system(command), 0);
    server_uri(fixture, uri, sizeof uri);
    struct store_config config = { .path = uri, .create = true };
    assert_ok(fixture, store_open(&config, &fixture->store, &fixture->err));
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

#endif
