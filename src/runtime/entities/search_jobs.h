/* runtime/entities/search_jobs.h — searches that run beside others, and whose results are kept for a while.
 *
 * A job is a record with its condition, its state and what came of it. Its hits are records of their own,
 * with some hundred entities each, in the order of their creation. The engine does a part of one job in each
 * turn, with a reader of its own; jobs wait for each other. A job that a restart interrupts begins anew, so
 * that its hits are always those of one run. All records of a job go an hour after it was asked for.
 *
 *     RECORD_SEARCH   'j', id → the job          'q', time, id → nothing: it waits or runs
 *     RECORD_HITS     id, number → entities
 */
#ifndef RUNTIME_ENTITIES_SEARCH_JOBS_H
#define RUNTIME_ENTITIES_SEARCH_JOBS_H

#include "runtime/call/call.h"

struct engine;
struct query;
struct turn;

/* ---- records (search_record.c) ---- */

struct search_job {
    str id;
    str name; /* The name of the model. */
    int32_t version;
    const struct json *condition;
    bool is_past; /* It looks for entities as they were at `at_ms`. */
    int64_t at_ms;
    enum search_state state;
    int64_t created_ms, ended_ms;
    int64_t count;
    str reason; /* FAILED */
};

struct search_target {
    uint64_t instance;
    int64_t created_ms;
};

str search_record_key(str id, struct arena *arena);
/* The key of the record that tells that it waits or runs. */
str search_record_place(const struct search_job *job, struct arena *arena);
str search_record_hits(str id, size_t number, struct arena *arena);
str search_record_encode(const struct search_job *job, struct arena *arena);
/* False: the bytes are no job. */
bool search_record_decode(str bytes, str id, struct arena *arena, struct search_job *ret_job);
str search_record_pack(const struct search_target *target, size_t count, struct arena *arena);
size_t search_record_unpack(str bytes, struct arena *arena, struct search_target **ret_target);
/* ST_NOT_FOUND with the code SEARCH_JOB_NOT_FOUND. */
enum status search_record_fail(str id, struct error *err);
void search_record_answer(const struct search_job *job, struct call *call);

/* ---- on the query thread (search_results.c) ---- */

/* BEGIN_SEARCH: is the condition one that can be searched for? */
enum status search_results_check(struct query *query, struct call *call, struct error *err);
/* GET_SEARCH: how far it is, or a part of a page of what it has found. */
enum status search_results_get(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- on the engine's thread (search_jobs.c) ---- */

/* BEGIN_SEARCH, CANCEL_SEARCH. */
enum status search_jobs_begin(struct turn *turn, struct call *call, struct error *err);
enum status search_jobs_cancel(struct turn *turn, struct call *call, struct error *err);

/* The job that runs; NULL in the engine: none has run yet. */
struct search_runner;

/* The reader of searches on the engine's thread. */
enum status search_jobs_query(struct engine *engine, struct query **ret_query, struct error *err);

/* Does a part of a job. The filter is that of jobs that wait. */
void search_jobs_go_on(struct turn *turn);
size_t search_jobs_filters(const struct engine *engine, struct arena *arena,
                           struct record_filter *ret_filter);
/* The transaction is over. */
void search_jobs_end(struct turn *turn, bool committed);
void search_jobs_close(struct engine *engine);

#endif
