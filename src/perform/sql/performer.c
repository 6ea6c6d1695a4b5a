/* perform/sql/performer.c — reads a job's input and hands it to the pool. */
#include "perform/sql/sql_int.h"

#include "base/must.h"
#include "perform/limits.h"

#include <stdlib.h>

struct sql_performer {
    struct sql_config config;
    struct sql_pool *pool; /* NULL until there is something to do. */
};

struct sql_config sql_config_default(void)
{
    return (struct sql_config){
        .jobs_max = 1000,
        .threads_max = 64,
        .sessions_max = 8,
        .rows_max = SQL_ROWS_MAX,
        .answer_bytes_max = SQL_ANSWER_BYTES_MAX,
        .timeout_ms = 60 * 1000,
        .idle_ms = 60 * 1000,
        .busy_ms = 5 * 1000,
    };
}

static bool is_postgres(str uri)
{
    return str_starts(uri, STR("postgres://")) || str_starts(uri, STR("postgresql://"));
}

/* Finds the database that connectionRef names. The secret's text is never part of a message. */
static bool find_uri(struct sql_job *job, str *ret_uri, enum sql_kind *ret_kind)
{
    const struct json *reference = json_get(job->job->input, STR("connectionRef"));
    struct error err;
    str found;
    if (!json_is(reference, JSON_STRING)) {
        sql_fail(job, SQL_ERROR_INPUT, "connectionRef must be a text, vault:NAME");
        return false;
    }
    if (perform_secret(job->job, json_string(reference), &found, &err) != ST_OK) {
        sql_fail_named(job, false, str_of(err.where), str_of(err.message), NULL);
        return false;
    }
    *ret_uri = str_trim(found);
    *ret_kind = is_postgres(*ret_uri) ? SQL_POSTGRES : SQL_SQLITE;
    if (*ret_kind == SQL_POSTGRES || str_starts(*ret_uri, STR("sqlite:"))) return true;
    sql_fail(job, SQL_ERROR_CONNECTION_REF,
             "the text of %.*s begins with neither postgres:// nor sqlite:, so it is no database",
             STR_ARG(json_string(reference)));
    return false;
}

static bool read_statement(struct sql_job *job, enum sql_kind kind)
{
    const struct engine_job *engine_job = job->job;
    const struct json *text = json_get(engine_job->input, STR("sql"));
    const struct json *read_only = json_get(engine_job->input, STR("readOnly"));
    enum sql_error error;
    str why;
    if (!json_is(text, JSON_STRING)) {
        sql_fail(job, SQL_ERROR_INPUT, "sql is not a text");
        return false;
    }
    if (read_only && !json_is(read_only, JSON_BOOL) && !json_is(read_only, JSON_NULL)) {
        sql_fail(job, SQL_ERROR_INPUT, "readOnly is neither true nor false");
        return false;
    }
    job->read_only = json_is(read_only, JSON_BOOL) && json_bool(read_only);
    if (sql_text_read(json_string(text), json_get(engine_job->input, STR("params")),
                      engine_job->idempotency_key, kind, engine_job->arena, &job->text, &error, &why))
        return true;
    sql_fail(job, error, "%.*s", STR_ARG(why));
    return false;
}

static void start(void *self, struct engine_job *engine_job)
{
    struct sql_performer *performer = self;
    struct sql_job *job = arena_make(engine_job->arena, struct sql_job);
    enum sql_kind kind;
    str uri;
    *job = (struct sql_job){ .job = engine_job, .config = &performer->config };
    job->timeout_ms = engine_job->timeout_ms > 0 ? engine_job->timeout_ms : performer->config.timeout_ms;
    if (job->timeout_ms > SQL_TIMEOUT_MS_MAX) job->timeout_ms = SQL_TIMEOUT_MS_MAX;
    if (!find_uri(job, &uri, &kind) || !read_statement(job, kind)) {
        engine_job->end = ENGINE_JOB_FAILED;
        engine_job->done(engine_job);
        return;
    }
    if (!performer->pool) performer->pool = sql_pool_new(&performer->config);
    sql_pool_submit(performer->pool, job, uri, kind);
}

static void cancel(void *self, struct engine_job *job)
{
    struct sql_performer *performer = self;
    if (performer->pool) sql_pool_cancel(performer->pool, job);
}

static size_t room(void *self)
{
    struct sql_performer *performer = self;
    return performer->pool ? sql_pool_room(performer->pool) : performer->config.jobs_max;
}

static void stop(void *self)
{
    struct sql_performer *performer = self;
    if (performer->pool) sql_pool_stop(performer->pool);
    free(performer);
}

void *sql_performer_new(const struct sql_config *config, const struct perform_methods **ret_methods)
{
    static const struct perform_methods methods = { PERFORM_SQL, start, cancel, room, stop, true };
    struct sql_performer *performer = calloc(1, sizeof *performer);
    must(performer);
    performer->config = *config;
    *ret_methods = &methods;
    return performer;
}

void sql_performer_add(struct engine_worker *worker, const struct sql_config *config)
{
    const struct perform_methods *methods;
    void *performer = sql_performer_new(config, &methods);
    worker_add(worker, methods, performer);
}
