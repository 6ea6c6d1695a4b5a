/* The scenarios of every back end on a real PostgreSQL server, which the test starts and stops. */
#include "scenarios.h"

static char directory[64];
static unsigned port, schemas;

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

/* Each test has a schema of its own. */
static void make_schema(const char *name)
{
    char command[256];
    snprintf(command, sizeof command,
             "PGPASSWORD=secret psql -q -h 127.0.0.1 -p %u -U pawl postgres -c 'CREATE SCHEMA %s'", port, name);
    assert_int_equal(system(command), 0);
}

static int setup_postgres(void **state)
{
    struct fixture *fixture = new_fixture();
    char name[16], uri[192];
    snprintf(name, sizeof name, "s%u", ++schemas);
    make_schema(name);
    snprintf(uri, sizeof uri, "postgres://pawl:secret@127.0.0.1:%u/postgres?options=-csearch_path%%3D%s", port,
             name);
    snprintf(fixture->path, sizeof fixture->path, "%s", name); /* It is not in memory. */
    struct store_config config = { .path = uri, .create = true };
    assert_ok(fixture, store_open(&config, &fixture->store, &fixture->err));
    assert_ok(fixture, store_reader_open(fixture->store, &fixture->reader, &fixture->err));
    *state = fixture;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) { "postgres: " #name, name, setup_postgres, teardown, NULL },
        SCENARIO_MAP(XX)
#undef XX
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
