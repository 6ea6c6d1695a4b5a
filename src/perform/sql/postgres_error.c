/* perform/sql/postgres_error.c — SQLSTATEs. */
#include "perform/sql/postgres_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

enum { STATE_BYTES = 5 };

/* Deadlocks, serialization failures, locks, servers that go or come, and too many connections. */
bool postgres_is_retryable(str state)
{
    static const str states[] = {
        STR_INIT("40001"), STR_INIT("40P01"), STR_INIT("55P03"), STR_INIT("57P01"),
        STR_INIT("57P02"), STR_INIT("57P03"), STR_INIT("53300"),
    };
    for (size_t i = 0; i < COUNT(states); i++)
        if (str_equal(state, states[i])) return true;
    return str_starts(state, STR("08"));
}

static void add_field(struct json_builder *data, const PGresult *result, int field, str name)
{
    const char *value = libpq.resultErrorField(result, field);
    if (!value || !utf8_is_valid(str_of(value))) return;
    json_add_name(data, name);
    json_add_string(data, str_of(value));
}

enum sql_end postgres_fail(struct sql_job *job, const PGresult *result)
{
    struct arena *arena = job->job->arena;
    str state = str_of(libpq.resultErrorField(result, PG_DIAG_SQLSTATE));
    str message = str_of(libpq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    if (state.n != STATE_BYTES)
        return sql_fail(job, SQL_ERROR_CONNECTION, "the connection was lost before the result came");
    /* The server's time-out is set to what the job has left. */
    if (str_equal(state, STR("57014")) && sql_job_left_ms(job) < 100)
        return sql_fail_code(job, SQL_ERROR_TIMEOUT, REASON_RESULT_LATE, "no result in time (%lld ms)",
                             (long long)job->timeout_ms);
    struct json_builder data;
    json_builder_init(&data, arena);
    json_open_object(&data);
    json_add_name(&data, STR("sqlstate"));
    json_add_string(&data, state);
    add_field(&data, result, PG_DIAG_TABLE_NAME, STR("table"));
    add_field(&data, result, PG_DIAG_COLUMN_NAME, STR("column"));
    add_field(&data, result, PG_DIAG_CONSTRAINT_NAME, STR("constraint"));
    json_close(&data);
    return sql_fail_named(job, postgres_is_retryable(state), arena_printf(arena, "SQL_%.*s", STR_ARG(state)),
                          message, json_built(&data));
}

/* Finds the SQLSTATE in "connection to server at … failed: FATAL:  28P01: password …". libpq has no other
 * way to tell why a server refuses a connection. The severity may be in any language. */
static bool find_state(str text, str *ret_state, str *ret_message)
{
    for (size_t at = 0; (at = str_find(text, STR(":  "), at)) != SIZE_MAX; at++) {
        str state = str_slice(text, at + 3, at + 3 + STATE_BYTES);
        bool is_state =
            state.n == STATE_BYTES && str_starts(str_slice(text, at + 3 + STATE_BYTES, text.n), STR(": "));
        for (size_t i = 0; i < state.n && is_state; i++)
            is_state = ascii_is_digit(state.p[i]) || ascii_is_upper(state.p[i]);
        if (!is_state) continue;
        size_t from = at + 3 + STATE_BYTES + 2;
        *ret_state = state;
        *ret_message = str_slice(text, from, str_find(text, STR("\n"), from));
        return true;
    }
    return false;
}

enum sql_end postgres_fail_connect(struct sql_job *job, PGconn *connection)
{
    str text = str_trim(str_of(libpq.errorMessage(connection))), state, message;
    struct arena *arena = job->job->arena;
    if (!find_state(text, &state, &message))
        return sql_fail(job, SQL_ERROR_CONNECTION, "no connection: %.*s",
                        STR_ARG(str_slice(text, 0, str_find(text, STR("\n"), 0))));
    return sql_fail_named(job, postgres_is_retryable(state), arena_printf(arena, "SQL_%.*s", STR_ARG(state)),
                          arena_printf(arena, "the server refuses the connection: %.*s", STR_ARG(message)),
                          NULL);
}
