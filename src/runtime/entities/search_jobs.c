/* runtime/entities/search_jobs.c — background searches: begun, continued in each turn, cancelled. */
#include "runtime/entities/search_jobs.h"

#include "base/must.h"
#include "runtime/call/sight.h"
#include "runtime/entities/entities_int.h"
#include "runtime/entities/search.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

/* The job that runs. Hits gather here until they fill a record; they are gone on with when that has
 * committed. */
struct search_runner {
    struct query query;
    struct arena arena; /* Memory of the job. */
    bool runs;
    int32_t ns;
    struct search_job job;
    struct search search;
    struct search_target hit[SEARCH_RECORD_HITS + SEARCH_SLICE_MAX];
    size_t hit_count, record_count;
    bool has_ended, has_failed;
    struct error why;
    int tries;  /* That the store has failed, one after the other. */
    bool wrote; /* In the transaction that runs. */
    size_t writes;
};

/* ---- calls ---- */

static enum status put_job(struct turn *turn, int32_t ns, const struct search_job *job,
                           const struct record_row *hits, struct error *err)
{
    struct record_row put[3] = { { .ns = ns,
                                   .kind = RECORD_SEARCH,
                                   .key = search_record_key(job->id, &turn->arena),
                                   .value = search_record_encode(job, &turn->arena),
                                   .at_ms = job->created_ms } },
                      place = { .ns = NAMESPACE_DEFAULT, /* One queue for all tenants. */
                                .kind = RECORD_SEARCH,
                                .key = search_record_place(job, &turn->arena),
                                .value = tenant_key(ns, STR_NONE, &turn->arena),
                                .at_ms = job->created_ms };
    struct changeset changeset = { .record_put = put, .record_put_count = 1 };
    if (hits) put[changeset.record_put_count++] = *hits;
    if (job->state == SEARCH_RUNNING) {
        put[changeset.record_put_count++] = place;
    } else {
        changeset.record_remove = &place;
        changeset.record_remove_count = 1;
    }
    return transact_rows(turn, &changeset, err);
}

MUST_DECIDE static struct found load_job(struct turn *turn, int32_t ns, str id, struct arena *arena,
                                         struct search_job *ret_job, struct error *err)
{
    struct record_row row;
    struct found found = store_find_record(turn->engine->store, ns, RECORD_SEARCH,
                                           search_record_key(id, &turn->arena), arena, &row, err);
    if (found_is(found) == NOT_THERE) return found_of(search_record_fail(id, err));
    TRY_FOUND(found);
    if (search_record_decode(row.value, id, arena, ret_job)) return found;
    return found_of(fail(err, ST_INTERNAL, "search", "the stored search %.*s is damaged", STR_ARG(id)));
}

size_t search_jobs_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    (void)engine, (void)arena;
    *ret_filter =
        (struct record_filter){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_SEARCH, .prefix = STR("q") };
    return 1;
}

static enum status list_places(struct turn *turn, size_t max, struct record_row **ret_row, size_t *ret_count,
                               struct error *err)
{
    struct record_filter filter;
    search_jobs_filters(turn->engine, &turn->arena, &filter);
    filter.max = max;
    return store_records(turn->engine->store, &filter, &turn->arena, ret_row, ret_count, err);
}

enum status search_jobs_begin(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_search_job *asked = &call->as.search_job;
    struct record_row *row;
    size_t count;
    const struct search_job job = { .id = asked->id,
                                    .name = asked->name,
                                    .version = asked->version,
                                    .condition = asked->condition,
                                    .is_past = asked->is_past,
                                    .at_ms = asked->at_ms,
                                    .created_ms = turn->now_ms };
    TRY(list_places(turn, SEARCH_JOBS_MAX, &row, &count, err));
    if (count >= SEARCH_JOBS_MAX)
        return fail_code(err, ST_BUSY, "SEARCH_QUEUE_FULL",
                         "%zu searches wait, as many as may; try again later", count);
    TRY(put_job(turn, call->ns, &job, NULL, err));
    turn->engine->transact.backlog[BACKLOG_SEARCH].due = true;
    search_record_answer(&job, call);
    return ST_OK;
}

enum status search_jobs_cancel(struct turn *turn, struct call *call, struct error *err)
{
    struct search_job job;
    TRY(found_needed(load_job(turn, call->ns, call->as.search_job.id, call->arena, &job, err)));
    const struct sight sight = sight_of(call);
    if (!sight_has(&sight, job.name)) return search_record_fail(call->as.search_job.id, err);
    if (job.state != SEARCH_RUNNING)
        return fail_code(err, ST_INVALID, "SEARCH_JOB_ALREADY_TERMINAL", "the search is %s already",
                         search_state_word(job.state));
    job.state = SEARCH_CANCELLED;
    job.ended_ms = turn->now_ms;
    TRY(put_job(turn, call->ns, &job, NULL, err));
    search_record_answer(&job, call);
    return ST_OK;
}

/* ---- a job ---- */

static void stop_running(struct search_runner *runner)
{
    runner->runs = false;
    arena_reset(&runner->arena);
}

static enum status open_runner(struct engine *engine, struct error *err)
{
    if (engine->entities.searcher) return ST_OK;
    struct search_runner *runner = calloc(1, sizeof *runner);
    must(runner);
    if (query_open(&runner->query, engine->store, &engine->limits, err) != ST_OK) {
        free(runner);
        return err->status;
    }
    runner->query.clock = engine->clock;
    arena_init(&runner->arena, 0);
    engine->entities.searcher = runner;
    return ST_OK;
}

enum status search_jobs_query(struct engine *engine, struct query **ret_query, struct error *err)
{
    TRY(open_runner(engine, err));
    *ret_query = &engine->entities.searcher->query;
    return ST_OK;
}

void search_jobs_close(struct engine *engine)
{
    struct search_runner *runner = engine->entities.searcher;
    if (!runner) return;
    query_close(&runner->query);
    arena_done(&runner->arena);
    free(runner);
    engine->entities.searcher = NULL;
}

static void fail_job(struct search_runner *runner, const struct error *why)
{
    runner->has_ended = runner->has_failed = true;
    runner->why = *why;
    runner->hit_count = 0;
    runner->tries = 0;
}

/* The store may be back in a moment, or a lock gone. But a row that nobody can read must not keep all
 * searches waiting. */
static bool may_try_again(struct search_runner *runner, enum status status)
{
    return status_retry(status) && ++runner->tries < SEARCH_JOB_TRIES_MAX;
}

/* The oldest that waits. */
static enum status begin_next(struct turn *turn, struct search_runner *runner, struct error *err)
{
    enum { PLACE_HEAD = 9 };
    struct record_row *row;
    size_t count;
    TRY(list_places(turn, 1, &row, &count, err));
    if (!count) {
        turn->engine->transact.backlog[BACKLOG_SEARCH].due = false;
        return ST_OK;
    }
    str id = arena_str(&runner->arena, str_slice(row->key, PLACE_HEAD, row->key.n));
    struct error why;
    tenant_name(row->value, &runner->ns);
    bool is_intact;
    TRY(found_intact(load_job(turn, runner->ns, id, &runner->arena, &runner->job, err), &is_intact));
    if (!is_intact) { /* Its time is over, or it is damaged. */
        arena_reset(&runner->arena);
        return transact_rows(turn, &(struct changeset){ .record_remove = row, .record_remove_count = 1 },
                             err);
    }
    runner->runs = true;
    runner->has_ended = runner->has_failed = false;
    runner->hit_count = runner->record_count = runner->writes = 0;
    runner->job.count = 0;
    enum status status =
        search_begin(&runner->query, runner->ns, runner->job.name, runner->job.version, runner->job.condition,
                     SEARCH_JOB_LOOKED_MAX, &runner->arena, &runner->search, &why);
    if (may_try_again(runner, status)) {
        *err = why;
        stop_running(runner);
        return status;
    }
    if (status == ST_OK && runner->job.is_past) search_begin_past(&runner->search, runner->job.at_ms);
    if (status != ST_OK) fail_job(runner, &why); /* The model has changed meanwhile. */
    else if (runner->search.plan.scans) runner->search.budget = SIZE_MAX; /* It keeps few ids in memory. */
    return ST_OK;
}

/* Cancelled, or its time is over. */
static enum status is_wanted(struct turn *turn, struct search_runner *runner, bool *ret_is, struct error *err)
{
    struct search_job job;
    bool is_intact;
    TRY(found_intact(load_job(turn, runner->ns, runner->job.id, &turn->arena, &job, err), &is_intact));
    *ret_is = is_intact && job.state == SEARCH_RUNNING;
    return ST_OK;
}

static enum status take_hit(void *context, const struct search_hit *hit, struct error *err)
{
    struct search_runner *runner = context;
    if (runner->job.count == SEARCH_JOB_HITS_MAX)
        return fail_code(err, ST_INVALID, "SEARCH_RESULT_LIMIT", "more than %d entities fit",
                         SEARCH_JOB_HITS_MAX);
    must(runner->hit_count < COUNT(runner->hit));
    runner->hit[runner->hit_count++] = (struct search_target){ hit->instance, hit->created_ms };
    runner->job.count++;
    return ST_OK;
}

static enum status look(struct turn *turn, struct search_runner *runner, struct error *err)
{
    bool more;
    struct error why;
    enum status status =
        search_go_on_in(turn, &runner->query, &runner->search, take_hit, runner, &more, &why);
    if (may_try_again(runner, status)) {
        *err = why;
        return status;
    }
    if (status != ST_OK) {
        fail_job(runner, &why);
    } else {
        runner->has_ended = !more;
        runner->tries = 0;
    }
    return ST_OK;
}

/* Writes a full record of hits or, at the end, the last one and what came of the job. */
static enum status write_hits(struct turn *turn, struct search_runner *runner, struct error *err)
{
    must(!runner->wrote && runner->runs);
    size_t count = runner->hit_count < SEARCH_RECORD_HITS ? runner->hit_count : SEARCH_RECORD_HITS;
    const struct record_row hits = { .ns = runner->ns,
                                     .kind = RECORD_HITS,
                                     .key = search_record_hits(runner->job.id, runner->record_count,
                                                               &turn->arena),
                                     .value = search_record_pack(runner->hit, count, &turn->arena),
                                     .at_ms = runner->job.created_ms };
    struct search_job job = runner->job;
    bool is_last = runner->has_ended && runner->hit_count == count;
    if (is_last) {
        job.state = runner->has_failed ? SEARCH_FAILED : SEARCH_SUCCESSFUL;
        job.reason = runner->has_failed ? str_of(runner->why.message) : STR_NONE;
        job.ended_ms = turn->now_ms;
    }
    TRY(transact_begin(turn, err));
    TRY(put_job(turn, runner->ns, &job, count ? &hits : NULL, err));
    runner->wrote = true;
    runner->writes = count;
    runner->job.state = job.state;
    return ST_OK;
}

static enum status go_on(struct turn *turn, struct error *err)
{
    TRY(open_runner(turn->engine, err));
    struct search_runner *runner = turn->engine->entities.searcher;
    bool is_wanted_still;
    if (!runner->runs) return begin_next(turn, runner, err);
    TRY(is_wanted(turn, runner, &is_wanted_still, err));
    if (!is_wanted_still) {
        runner->tries = 0;
        stop_running(runner);
        return ST_OK;
    }
    if (!runner->has_ended && runner->hit_count < SEARCH_RECORD_HITS) TRY(look(turn, runner, err));
    bool writes = runner->has_ended || runner->hit_count >= SEARCH_RECORD_HITS;
    return writes ? write_hits(turn, runner, err) : ST_OK;
}

void search_jobs_end(struct turn *turn, bool committed)
{
    struct search_runner *runner = turn->engine->entities.searcher;
    if (!runner || !runner->wrote) return;
    runner->wrote = false;
    if (!committed) {
        runner->job.state = SEARCH_RUNNING;
        return;
    }
    must(runner->writes <= runner->hit_count);
    runner->record_count += runner->writes > 0;
    runner->hit_count -= runner->writes;
    memmove(runner->hit, runner->hit + runner->writes, runner->hit_count * sizeof runner->hit[0]);
    if (runner->job.state != SEARCH_RUNNING) stop_running(runner);
}

void search_jobs_go_on(struct turn *turn)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_SEARCH];
    struct error err;
    backlog_begin(backlog, 1);
    enum status status = go_on(turn, &err);
    if (status == ST_OK) return;
    backlog_hold(backlog, turn->now_ms);
    if (turn->in_transaction && transact_is_lost(turn, status)) transact_failed(turn, &err);
}
