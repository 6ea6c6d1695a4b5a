/* tests/unit/store/postgres_ask.h — questions of a test to the server, past the store. */
#ifndef TESTS_STORE_POSTGRES_ASK_H
#define TESTS_STORE_POSTGRES_ASK_H

#include "postgres_server.h"
#include "node_fixture.h"

static inline void execute(const char *sql) { libpq.clear(server_execute(server_conn, sql)); }

static inline int64_t ask(const char *sql)
{
    PGresult *result = server_execute(server_conn, sql);
    int64_t number = strtoll(libpq.getvalue(result, 0, 0), NULL, 10);
    libpq.clear(result);
    return number;
}

/* The number stands for $1. */
static inline int64_t ask_about(struct fixture *f, const char *sql, int64_t number)
{
    const char *place = strstr(sql, "$1");
    assert_non_null(place);
    return ask(
        arena_printf(&f->arena, "%.*s%lld%s%c", (int)(place - sql), sql, (long long)number, place + 2, 0).p);
}

#define SESSIONS "application_name LIKE 'pawl node $1 of %'"

/* The transaction is not simple any more. */
static inline void ask_something(struct fixture *f, struct store *store)
{
    struct job_row row;
    assert_int_equal(found_needed(store_find_job(store, 1, 99, &f->arena, &row, &f->err)), ST_NOT_FOUND);
}

#endif
