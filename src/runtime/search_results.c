/* runtime/search_results.c — what searches that run beside others have found. See search_jobs.h. */
#include "runtime/search_jobs.h"

#include "runtime/engine_int.h"
#include "runtime/search.h"

enum status search_results_check(struct query *query, struct call *call, struct error *err)
{
    const struct call_search_job *asked = &call->as.search_job;
    struct search search;
    if (json_bytes(asked->condition) > SEARCH_CONDITION_BYTES_MAX)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "the condition has %zu bytes; the most is %d",
                         json_bytes(asked->condition), SEARCH_CONDITION_BYTES_MAX);
    return search_begin(query, call->ns, asked->name, asked->version, asked->condition, 0, call->arena,
                        &search, err);
}

static enum status find_job(struct query *query, const struct call *call, struct search_job *ret_job,
                            struct error *err)
{
    struct record_row row;
    str id = call->as.search_job.id;
    enum status status = reader_find_record(query->reader, call->ns, RECORD_SEARCH,
                                            search_record_key(id, call->arena), call->arena, &row, err);
    if (status == ST_NOT_FOUND) return search_record_fail(id, err);
    TRY(status);
    if (!search_record_decode(row.value, id, call->arena, ret_job))
        return fail(err, ST_STORE, "search", "the stored search %.*s is damaged", STR_ARG(id));
    bool is_over = query->clock.now_ms && clock_now_ms(&query->clock) >= ret_job->created_ms + SEARCH_KEPT_MS;
    return is_over ? search_record_fail(id, err) : ST_OK;
}

/* An entity as it is now; one that was deleted since is left out. */
static void add_view(struct query *query, struct call *call, const struct search_target *target)
{
    struct answer_search_job *answer = &call->value.search_job;
    size_t bytes;
    answer->count += entity_view_listed(query, call, target->instance, &answer->view[answer->count], &bytes);
    answer->bytes += bytes;
}

/* The part of a record of hits that is on the page. `from` is the number of its first one. */
static enum status add_hits(struct query *query, struct call *call, size_t from, struct error *err)
{
    const struct call_search_job *asked = &call->as.search_job;
    struct record_row row;
    struct search_target *target;
    enum status status = reader_find_record(
        query->reader, call->ns, RECORD_HITS,
        search_record_hits(asked->id, from / SEARCH_RECORD_HITS, call->arena), call->arena, &row, err);
    if (status == ST_NOT_FOUND) return search_record_fail(asked->id, err);
    TRY(status);
    size_t count = search_record_unpack(row.value, call->arena, &target);
    for (size_t i = 0; i < count; i++) {
        if (from + i < asked->skip || from + i >= asked->skip + asked->max) continue;
        if (call->value.search_job.bytes > (size_t)query->limits.answer_bytes_max)
            return fail_code(err, ST_INVALID, "BAD_REQUEST",
                             "the page has more bytes than an answer may have; ask for smaller pages");
        add_view(query, call, &target[i]);
    }
    return ST_OK;
}

enum status search_results_get(struct query *query, struct call *call, struct error *err)
{
    struct call_search_job *asked = &call->as.search_job;
    struct search_job job;
    TRY(find_job(query, call, &job, err));
    search_record_answer(&job, call);
    if (!asked->pages) return ST_OK;
    if (job.state != SEARCH_SUCCESSFUL)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "the search is %s, so it has no results%s%.*s",
                         search_state_word(job.state), job.reason.n ? ": " : "", STR_ARG(job.reason));
    size_t total = (size_t)job.count,
           end = asked->skip + asked->max < total ? asked->skip + asked->max : total;
    if (asked->skip >= end) return ST_OK;
    call->value.search_job.view = arena_make_n(call->arena, struct entity_view, end - asked->skip);
    size_t from = asked->skip / SEARCH_RECORD_HITS * SEARCH_RECORD_HITS;
    for (; from < end; from += SEARCH_RECORD_HITS) TRY(add_hits(query, call, from, err));
    return ST_OK;
}
