/* program/performer.h — the table of performers: who does the work of a task.
 *
 * A task node names its performer and carries one JSON value of configuration for it. The dialect's
 * lowering makes that value, and the performer reads it; nothing between them looks inside, except for the
 * name of the called function (performer_function()).
 *
 * All that the rest of the tree must know about a performer is a column of this table, so no other file
 * asks for a particular row. A new performer is one row here and, if it runs beside the engine, one file in
 * perform/ that says how to start and cancel its jobs (perform/perform.h).
 */
#ifndef PROGRAM_PERFORMER_H
#define PROGRAM_PERFORMER_H

#include "base/buf.h"

struct json;

/* Where a performer runs. */
enum performer_place {
    PERFORMED_OUTSIDE, /* In another process, by workers that poll for the job type over the API. */
    PERFORMED_BESIDE,  /* In this process, on other threads than the engine's: engine jobs, which
                        * perform/worker.c polls for. */
    PERFORMED_INSIDE,  /* In the engine, in the transactions that open and close the job. */
};

/* A row's position is stored in instances and histories: rows are added at the end and never removed.
 * `queue` is empty if a job is in the queue of its own type. `starts` is true if the job type is the id of a
 * definition, of which the performer starts an instance. An empty metric is not exported. */
/* clang-format off */
#define PERFORMER_MAP(XX)                                                                                   \
    /* name    word    place    queue      starts metric                    what the metric counts       */ \
    XX(WORKER, worker, OUTSIDE, "",        false, "pawl_jobs_polled_total", "Jobs handed to workers.")      \
    XX(HTTP,   http,   BESIDE,  "\1http",  false, "pawl_calls_http_total",                                  \
                                           "Function calls handed to the HTTP performer.")                  \
    XX(EMIT,   emit,   BESIDE,  "\1emit",  false, "pawl_calls_emit_total",                                  \
                                           "Events handed to the performer that emits them.")               \
    XX(CHILD,  child,  INSIDE,  "\1child", true,  "",                       "")                             \
    XX(SQL,    sql,    BESIDE,  "\1sql",   false, "pawl_calls_sql_total",                                   \
                                           "Statements handed to the performer of databases.")              \
    XX(EMAIL,  email,  BESIDE,  "\1email", false, "pawl_calls_email_total",                                 \
                                           "Messages handed to the performer of e-mail.")                   \
    XX(COMPUTE, compute, BESIDE, "\1compute", false, "pawl_calls_compute_total",                           \
                                           "Requests handed to calculation nodes.")
/* clang-format on */

/* Jobs have the priority of their definition, from 0 to 10: of those that wait the highest is begun first. */
enum { PRIORITY_COUNT = 11 };

enum performer {
#define XX(NAME, word, place, queue, starts, metric, help) PERFORM_##NAME,
    PERFORMER_MAP(XX)
#undef XX
        PERFORMER_COUNT,
    /* Performs the jobs whose stored form names no performer. */
    PERFORMER_DEFAULT = PERFORM_WORKER,
};

/* The performer's name in the API, in texts of programs and in histories: "http". */
const char *performer_word(enum performer performer);

enum performer_place performer_place(enum performer performer);

/* True if the job type is the id of a definition, of which the performer starts an instance. */
bool performer_starts(enum performer performer);

/* The queue that jobs of the performer wait in. Reserved queues cannot be polled over the API; a job type
 * of a document that looks like one leads to a queue of its own, which nobody polls. */
str performer_queue(enum performer performer, str job_type);
static inline bool performer_queue_is_reserved(str queue) { return queue.n && queue.p[0] == '\1'; }

/* The exported name of the counter of jobs that the performer took, and the sentence about it. Empty: the
 * counter is not exported. */
const char *performer_metric(enum performer performer);
const char *performer_metric_help(enum performer performer);

/* An open job, as the sentence about it needs it. */
struct performer_wait {
    str job_type;
    uint32_t attempt;
    uint32_t retries_left;
    str worker; /* The worker that holds its lease; empty: nobody. */
};

/* Says why a token with such a job waits: "waits for the answer to a request (attempt 2)". */
void performer_explain(enum performer performer, const struct performer_wait *wait, struct buf *out);

/* The member of a task's input, or of its configuration, that says which secrets to fill in where
 * (RESOLVE_MEMBER of vault/resolve.h). */
#define PERFORMER_SECRETS_MEMBER "\1secrets"

/* An input as people may see it. A dialect may add members to the top level of a task's input that are for
 * the performer alone; their names begin with a byte 1, which a list of secrets to fill in does
 * (vault/resolve.h). */
const struct json *performer_input_shown(const struct json *input, struct arena *arena);

/* The name of the function that a configuration calls; empty if it has none, or if `config` is NULL. */
str performer_function(const struct json *config);

#endif
