/* perform/sql/postgres_int.h — shared by the postgres*.c files. */
#ifndef PERFORM_SQL_POSTGRES_INT_H
#define PERFORM_SQL_POSTGRES_INT_H

#include "base/libpq.h"
#include "perform/sql/sql_int.h"

struct postgres_session {
    PGconn *connection;
    size_t unread; /* Bytes that came since the last whole row. */
};

/* ---- postgres_connect.c ---- */

/* Connects to the server of a URI, whose address is checked. */
enum sql_end postgres_connect(str uri, struct sql_job *job, PGconn **ret_connection);

/* ---- postgres_error.c ---- */

/* Is it worth trying again? */
bool postgres_is_retryable(str state);
/* Gives the job the error of a result. */
enum sql_end postgres_fail(struct sql_job *job, const PGresult *result);
/* Gives the job the error of a connection that could not be made. */
enum sql_end postgres_fail_connect(struct sql_job *job, PGconn *connection);

/* ---- postgres_value.c: pure ---- */

/* The value of a column as PostgreSQL prints it, by the oid of its type. NULL: it is not UTF-8. */
const struct json *postgres_value(struct sql_rows *rows, uint32_t type, str text);
/* A parameter as PostgreSQL parses it; NULL: the value is null. */
const char *postgres_parameter(const struct json *value, struct arena *arena);

#endif
