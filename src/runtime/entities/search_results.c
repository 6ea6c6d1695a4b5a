/* runtime/entities/search_results.c — what searches that run beside others have found. See search_jobs.h. */
#include "runtime/entities/entities_int.h"

#include "base/must.h"
#include "runtime/call/sight.h"
#include "runtime/entities/search.h"
#include "runtime/entities/search_jobs.h"
#include "runtime/memory/memory.h"

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
    bool is_there;
    TRY(found_asked(reader_find_record(query->reader, call->ns, RECORD_SEARCH,
                                       search_record_key(id, call->arena), call->arena, &row, err),
                    &is_there));
    if (!is_there) return search_record_fail(id, err);
    if (!search_record_decode(row.value, id, call->arena, ret_job))
        return fail(err, ST_STORE, "search", "the stored search %.*s is damaged", STR_ARG(id));
    bool is_over = query->clock.now_ms && clock_now_ms(&query->clock) >= ret_job->created_ms + SEARCH_KEPT_MS;
    const struct sight sight = sight_of(call);
    return is_over || !sight_has(&sight, ret_job->name) ? search_record_fail(id, err) : ST_OK;
}

/* Between the parts of a page. */
struct search_paging {
    struct search_job job;
    size_t from, end; /* The first hit of the record that comes next, and the end of the page. */
};

/* The entity as it was when the search looked for it. */
static enum status add_past(struct query *query, struct call *call, const struct search_job *job,
                            const struct search_target *target, struct error *err)
{
    const struct search search = { .at_ms = job->at_ms };
    struct answer_search_job *answer = &call->value.search_job;
    struct search_hit hit = { 0 };
    struct arena scratch;
    bool lived;
    arena_init(&scratch, 0);
    enum status status = search_past_find(query, &search, target->instance, &scratch, &hit, &lived, err);
    if (status == ST_OK && lived) {
        answer->bytes += hit.bytes;
        answer->view[answer->count++] =
            (struct entity_view){ .id = uuid_of_instance(target->created_ms, target->instance),
                                  .model = job->name,
                                  .version = job->version,
                                  .data = json_copy(call->arena, hit.data),
                                  .carried = hit.carried ? json_copy(call->arena, hit.carried) : NULL };
    }
    arena_done(&scratch);
    return status;
}

/* An entity as it is now; one that was deleted since is left out. */
static enum status add_view(struct query *query, struct call *call, const struct search_job *job,
                            const struct search_target *target, struct error *err)
{
    struct answer_search_job *answer = &call->value.search_job;
    size_t bytes;
    bool is_there;
    if (job->is_past) return add_past(query, call, job, target, err);
    TRY(entity_view_listed(query, call, target->instance, &answer->view[answer->count], &is_there, &bytes,
                           err));
    answer->count += is_there;
    answer->bytes += bytes;
    return ST_OK;
}

/* The part of a record of hits that is on the page. */
static enum status add_hits(struct query *query, struct call *call, const struct search_paging *paging,
                            struct error *err)
{
    const struct call_search_job *asked = &call->as.search_job;
    struct record_row row;
    struct search_target *target;
    size_t from = paging->from;
    bool is_there;
    TRY(found_asked(reader_find_record(query->reader, call->ns, RECORD_HITS,
                                       search_record_hits(asked->id, from / SEARCH_RECORD_HITS, call->arena),
                                       call->arena, &row, err),
                    &is_there));
    if (!is_there) return search_record_fail(asked->id, err);
    size_t count = search_record_unpack(row.value, call->arena, &target);
    for (size_t i = 0; i < count; i++) {
        if (from + i < asked->skip || from + i >= paging->end) continue;
        if (call->value.search_job.bytes > (size_t)query->limits.answer_bytes_max)
            return fail_code(err, ST_INVALID, "BAD_REQUEST",
                             "the page has more bytes than an answer may have; ask for smaller pages");
        TRY(add_view(query, call, &paging->job, &target[i], err));
    }
    return ST_OK;
}

static enum status begin_page(struct call *call, const struct search_job *job, struct error *err)
{
    must(!call->entity_.paging);
    const struct call_search_job *asked = &call->as.search_job;
    if (job->state != SEARCH_SUCCESSFUL)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "the search is %s, so it has no results%s%.*s",
                         search_state_word(job->state), job->reason.n ? ": " : "", STR_ARG(job->reason));
    size_t total = (size_t)job->count, last = asked->skip + asked->max;
    struct search_paging *paging = arena_make(call->arena, struct search_paging);
    *paging = (struct search_paging){ .job = *job,
                                      .from = asked->skip / SEARCH_RECORD_HITS * SEARCH_RECORD_HITS,
                                      .end = last < total ? last : total };
    if (asked->is_past) { /* The page shows them as they were then, whenever the search looked. */
        paging->job.is_past = true;
        paging->job.at_ms = asked->at_ms;
    }
    if (asked->skip < paging->end)
        call->value.search_job.view =
            arena_make_n(call->arena, struct entity_view, paging->end - asked->skip);
    else paging->from = paging->end;
    call->entity_.paging = paging;
    return ST_OK;
}

enum status search_results_get(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    if (!call->entity_.paging) {
        struct search_job job;
        TRY(find_job(query, call, &job, err));
        search_record_answer(&job, call);
        if (!call->as.search_job.pages) return ST_OK;
        TRY(begin_page(call, &job, err));
    }
    struct search_paging *paging = call->entity_.paging;
    if (paging->from >= paging->end) return ST_OK;
    must(paging->from % SEARCH_RECORD_HITS == 0);
    TRY(add_hits(query, call, paging, err));
    paging->from += SEARCH_RECORD_HITS;
    *ret_more = paging->from < paging->end;
    return ST_OK;
}
