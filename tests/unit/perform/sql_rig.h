/* A pool of the performer of databases without a runtime: jobs go in, and each test waits for their end. */
#ifndef TESTS_PERFORM_SQL_RIG_H
#define TESTS_PERFORM_SQL_RIG_H

#include "documents.h"

#include "perform/sql/sql_int.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { RIG_PATIENCE_S = 60 };

struct rig_job {
    struct arena arena;
    struct engine_job engine_job;
    struct sql_job job;
    sem_t done;
    struct rig_job *older;
};

struct sql_rig {
    struct sql_config config;
    struct sql_pool *pool;
    char directory[64];
    str uri;
    enum sql_kind kind;
    struct rig_job *newest;
};

static inline void rig_done(struct engine_job *job)
{
    struct rig_job *asked = job->taker;
    sem_post(&asked->done);
}

/* A job that is on its way. `params` may be NULL. */
static inline struct rig_job *rig_ask(struct sql_rig *rig, const char *sql, const char *params,
                                      bool read_only)
{
    struct rig_job *asked = calloc(1, sizeof *asked);
    const struct json *values = NULL;
    enum sql_error error;
    struct error err;
    str why;
    asked->older = rig->newest;
    rig->newest = asked;
    sem_init(&asked->done, 0, 0);
    arena_init(&asked->arena, 0);
    asked->engine_job = (struct engine_job){
        .arena = &asked->arena, .done = rig_done, .taker = asked, .idempotency_key = STR("i/n/1")
    };
    asked->job = (struct sql_job){ .job = &asked->engine_job,
                                   .config = &rig->config,
                                   .read_only = read_only,
                                   .timeout_ms = rig->config.timeout_ms };
    if (params && json_parse(str_of(params), NULL, &asked->arena, &values, &err) != ST_OK)
        fail_msg("%s: %s", params, err.message);
    if (!sql_text_read(str_of(sql), values, STR("i/n/1"), rig->kind, &asked->arena, &asked->job.text, &error,
                       &why))
        fail_msg("%s: %.*s", sql, STR_ARG(why));
    sql_pool_submit(rig->pool, &asked->job, rig->uri, rig->kind);
    return asked;
}

static inline const struct engine_job *rig_await(struct rig_job *asked)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += RIG_PATIENCE_S;
    if (sem_timedwait(&asked->done, &until) != 0) fail_msg("a job does not come to an end");
    return &asked->engine_job;
}

static inline const struct engine_job *rig_run(struct sql_rig *rig, const char *sql, const char *params)
{
    return rig_await(rig_ask(rig, sql, params, false));
}

static inline const char *rig_text(const struct engine_job *job, const struct json *value)
{
    struct buf out;
    if (!value) return "nothing";
    buf_init(&out, job->arena);
    json_print(value, &out);
    return arena_str(job->arena, buf_str(&out)).p;
}

/* The job must have this result. */
static inline void rig_expect(const struct engine_job *job, const char *want)
{
    if (job->end != ENGINE_JOB_COMPLETED)
        fail_msg("not completed (%d): %s", job->end, rig_text(job, job->error));
    assert_string_equal(rig_text(job, job->value), want);
}

/* The job must have failed with this name. */
static inline void rig_expect_error(const struct engine_job *job, const char *name, bool retryable)
{
    if (job->end != ENGINE_JOB_FAILED) fail_msg("not failed (%d): %s", job->end, rig_text(job, job->value));
    str got = json_string(json_get(job->error, STR("name")));
    if (!str_equal(got, str_of(name))) fail_msg("%s, not %s", rig_text(job, job->error), name);
    assert_int_equal(job->retryable, retryable);
    assert_true(json_string(json_get(job->error, STR("message"))).n > 0);
}

static inline void rig_open(struct sql_rig *rig)
{
    rig->config = sql_config_default();
    rig->config.reach.all = true;
    rig->config.timeout_ms = RIG_PATIENCE_S * 1000;
}

static inline void rig_close(struct sql_rig *rig)
{
    if (rig->pool) sql_pool_stop(rig->pool);
    rig->pool = NULL;
    for (struct rig_job *asked; (asked = rig->newest) != NULL;) {
        rig->newest = asked->older;
        arena_done(&asked->arena);
        sem_destroy(&asked->done);
        free(asked);
    }
}

#endif
