/* runtime/jobs/list.c — open jobs as lists show them, with the workers that hold them. */
#include "runtime/jobs/jobs_int.h"

#include "base/must.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

enum status list_find_rows(struct turn *turn, const uint64_t *instance, size_t count,
                           struct listed_rows *ret_rows, struct error *err)
{
    *ret_rows = (struct listed_rows){ 0 };
    return store_jobs_of(turn->engine->store, instance, count, &turn->arena, &ret_rows->row, &ret_rows->count,
                         err);
}

static int by_job(const void *a, const void *b)
{
    const struct job_row *one = a, *two = b;
    if (one->instance != two->instance) return one->instance < two->instance ? -1 : 1;
    return one->number < two->number ? -1 : one->number > two->number;
}

const struct job_row *list_find_row(const struct listed_rows *rows, uint64_t instance, uint32_t number)
{
    const struct job_row wanted = { .instance = instance, .number = number };
    return rows->count ? bsearch(&wanted, rows->row, rows->count, sizeof wanted, by_job) : NULL;
}

void list_view_job(const struct engine *engine, const struct program *program,
                   const struct instance *instance, const struct job *job, const struct listed_rows *rows,
                   struct arena *arena, struct job_view *ret_view)
{
    const struct open_job *open = jobs_find(&engine->memory.jobs, instance->id, job->number);
    const struct job_row *row = open ? NULL : list_find_row(rows, instance->id, job->number);
    struct open_job elsewhere;
    if (row) lease_news_show(row, engine->turn.now_ms, &elsewhere);
    view_job(program, instance, job, row ? &elsewhere : open, false, arena, ret_view);
    if (!open && job->available_ms > engine->turn.now_ms) ret_view->state = JOB_DELAYED;
}

/* Adds the jobs of one instance that are asked for and lie behind the cursor. */
static void list_jobs_of(struct engine *engine, struct call *call, const struct program *program,
                         const struct instance *instance, const struct listed_rows *rows)
{
    struct answer_jobs *answer = &call->value.jobs;
    for (size_t i = 0; i < instance->job_count && answer->count < call->as.jobs.max; i++) {
        const struct job *job = &instance->job[i];
        if (!reaches(instance, job->execution)) continue;
        if (performer_place(job->performer) == PERFORMED_INSIDE)
            continue; /* A sub-flow: nobody can do it but that instance. */
        if (instance->id == call->as.jobs.cursor.instance && job->number <= call->as.jobs.cursor.number)
            continue;
        if (call->as.jobs.type.n && !str_equal(job->type, call->as.jobs.type)) continue;
        list_view_job(engine, program, instance, job, rows, call->arena, &answer->view[answer->count++]);
    }
}

/* Adds what one instance has to the page. */
static enum status list_instance(struct engine *engine, struct call *call, uint64_t id,
                                 const struct listed_rows *rows, struct arena *arena, size_t *ret_bytes,
                                 struct error *err)
{
    struct instance_row row;
    const struct instance *instance;
    struct definition *definition;
    struct error unknown;
    bool is_there, known;
    TRY(found_asked(store_load_instance(engine->store, TENANT_ANY, id, arena, &row, err), &is_there));
    *ret_bytes = 0;
    if (!is_there) return ST_OK; /* Another node has removed it since the list was read. */
    *ret_bytes = row.state.n;
    const struct sight sight = sight_of(call);
    if (row.ns != call->ns || !sight_has(&sight, row.definition_id)) return ST_OK;
    TRY(found_intact(catalogue_get(&engine->memory.catalogue, row.definition, &definition, err), &known));
    if (core_decode(row.state, NULL, arena, &instance, &unknown) ==
        ST_OK) /* A damaged instance has no jobs to show. */
        list_jobs_of(engine, call, known ? definition->program : NULL, instance, rows);
    return ST_OK;
}

/* Open jobs live in their instances; which instances have any is an index of the store. The
 * scan is bounded, so a page may be short: the caller goes on from the cursor while `more`
 * says so. Instances are looked at one by one, as each may be large. */
void list_jobs(struct turn *turn, struct call *call)
{
    struct answer_jobs *answer = &call->value.jobs;
    answer->view = arena_make_n(call->arena, struct job_view, call->as.jobs.max);
    uint64_t after = call->as.jobs.cursor.instance ? call->as.jobs.cursor.instance - 1 : 0;
    uint64_t only = call->as.jobs.instance;
    if (only) after = only - 1;
    uint64_t *id;
    size_t count = 0, scanned = 0, bytes = 0;
    struct arena one;
    arena_init(&one, 0);
    call->status =
        store_ids_with_jobs(turn->engine->store, call->ns, after, only ? 1 : JOB_INSTANCES_SCANNED_MAX,
                            &turn->arena, &id, &count, &call->error);
    struct listed_rows rows = { 0 };
    if (call->status == ST_OK) call->status = list_find_rows(turn, id, count, &rows, &call->error);
    for (; scanned < count && answer->count < call->as.jobs.max && bytes < JOB_BYTES_SCANNED_MAX &&
           call->status == ST_OK;
         scanned++) {
        if (only && id[scanned] != only) break;
        size_t more = 0;
        call->status = list_instance(turn->engine, call, id[scanned], &rows, &one, &more, &call->error);
        bytes += more;
        arena_reset(&one);
        call->as.jobs.cursor.instance = id[scanned];
        call->as.jobs.cursor.number =
            answer->count == call->as.jobs.max ? answer->view[answer->count - 1].number : ID_NUMBER_MAX;
    }
    arena_done(&one);
    must(answer->count <= call->as.jobs.max && scanned <= count);
    answer->more = !only && (answer->count == call->as.jobs.max || scanned < count ||
                             count == JOB_INSTANCES_SCANNED_MAX);
}
