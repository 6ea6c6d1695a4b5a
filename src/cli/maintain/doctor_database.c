/* cli/maintain/doctor_database.c — the PostgreSQL server of the store: version and settings. */
#include "base/libpq.h"
#include "cli/maintain/doctor_int.h"

#include <stdlib.h>
#include <string.h>

/* A message of libpq may quote the URI, with a password in it: only its first line is shown, without the
 * URI. */
static str reason_of(struct diagnosis *diagnosis, PGconn *connection)
{
    str words = str_of(connection ? libpq.errorMessage(connection) : "out of memory");
    size_t end = str_find(words, STR("\n"), 0);
    if (end != SIZE_MAX) words.n = end;
    return arena_str(diagnosis->arena, words);
}

static void look_at_setting(struct diagnosis *diagnosis, str name, str value)
{
    static const struct {
        const char *name, *wanted, *advice;
    } wanted[] = {
        { "fsync", "on", "turn it on: without it a power loss damages the database" },
        { "full_page_writes", "on", "turn it on, unless the file system never tears a page" },
    };
    for (size_t i = 0; i < COUNT(wanted); i++)
        if (str_equal(name, str_of(wanted[i].name))) {
            bool right = str_equal(value, str_of(wanted[i].wanted));
            doctor_report(diagnosis, right ? FINE : WRONG, wanted[i].name, value,
                          right ? NULL : wanted[i].advice);
        }
    if (!str_equal(name, STR("max_connections"))) return;
    bool few = atoll(arena_str(diagnosis->arena, value).p) < 20;
    doctor_report(diagnosis, few ? DOUBTFUL : FINE, "connections",
                  arena_printf(diagnosis->arena, "at most %.*s", STR_ARG(value)),
                  few ? "each node takes six: raise max_connections" : NULL);
}

static void look_at_settings(struct diagnosis *diagnosis, PGconn *connection)
{
    PGresult *result =
        libpq.exec(connection, "SELECT name, setting FROM pg_settings WHERE name IN "
                               "('fsync', 'full_page_writes', 'max_connections') ORDER BY name");
    if (libpq.resultStatus(result) != PGRES_TUPLES_OK)
        doctor_report(diagnosis, DOUBTFUL, "settings", reason_of(diagnosis, connection),
                      "let the engine's role read pg_settings");
    else
        for (int i = 0; i < libpq.ntuples(result); i++)
            look_at_setting(diagnosis, str_of(libpq.getvalue(result, i, 0)),
                            str_of(libpq.getvalue(result, i, 1)));
    libpq.clear(result);
}

static void look_at_role(struct diagnosis *diagnosis, PGconn *connection)
{
    PGresult *result = libpq.exec(connection, "SELECT pg_is_in_recovery()");
    bool standby = libpq.resultStatus(result) == PGRES_TUPLES_OK && libpq.ntuples(result) == 1 &&
                   strcmp(libpq.getvalue(result, 0, 0), "t") == 0;
    libpq.clear(result);
    if (standby)
        doctor_report(diagnosis, WRONG, "database", STR("the server is a standby, which takes no writes"),
                      "add target_session_attrs=read-write to the URI, and name the other servers in it");
}

void doctor_database(struct diagnosis *diagnosis)
{
    enum { OLDEST = 130000 };
    struct error err;
    if (libpq_load(&err) != ST_OK) {
        doctor_report(diagnosis, WRONG, "libpq", str_of(err.message), "install the package libpq5");
        return;
    }
    const char *const names[] = { "dbname", "connect_timeout", "application_name", NULL };
    const char *const values[] = { diagnosis->database, "5", "pawl doctor", NULL };
    PGconn *connection = libpq.connectdbParams(names, values, 1);
    if (!connection || libpq.status(connection) != CONNECTION_OK) {
        doctor_report(diagnosis, WRONG, "database", reason_of(diagnosis, connection),
                      "look at the server, its name, the password and the network between here and there");
    } else {
        int version = libpq.serverVersion(connection);
        doctor_report(diagnosis, version < OLDEST ? WRONG : FINE, "database",
                      arena_printf(diagnosis->arena, "PostgreSQL %d.%d", version / 10000, version % 10000),
                      version < OLDEST ? "use PostgreSQL 13 or newer" : NULL);
        look_at_role(diagnosis, connection);
        look_at_settings(diagnosis, connection);
    }
    if (connection) libpq.finish(connection);
}
