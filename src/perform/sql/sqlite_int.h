/* perform/sql/sqlite_int.h — shared by the sqlite*.c files. */
#ifndef PERFORM_SQL_SQLITE_INT_H
#define PERFORM_SQL_SQLITE_INT_H

#include "perform/sql/sql_int.h"

#include <sqlite3.h>

/* The message for every file that cannot be used. */
#define SQLITE_NO_DATABASE "there is no such database; the engine makes none"

struct sqlite_session {
    sqlite3 *db;
    struct sql_job *job; /* The running one; NULL: none. */
    bool own_statement;  /* The running statement is not the document's. */
};

/* ---- sqlite_open.c ---- */

/* Opens the file with everything off that a statement of a document may not do. */
enum sql_end sqlite_session_open(str uri, struct sql_job *job, struct sqlite_session **ret_session);
void sqlite_session_close(struct sqlite_session *session);

/* ---- sqlite_error.c ---- */

/* Gives the job the error of a code. `db` may be NULL. */
enum sql_end sqlite_fail_job(struct sql_job *job, sqlite3 *db, int code);

#endif
