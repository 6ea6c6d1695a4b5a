/* runtime/operate/operate_serve.c — overview, series and workers of a tenant, from memory. */
#include "runtime/operate/operate_int.h"

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

enum {
    UNPOLLED_MS = 60 * 1000, /* Jobs that wait for longer, with nobody who polls, are worth a look. */
};

static size_t seen_lately(const struct activity_type *type, int64_t now_ms)
{
    size_t count = 0;
    for (size_t i = 0; type && i < type->worker_count; i++)
        count += now_ms - type->worker[i].seen_ms <= WORKER_SEEN_MS;
    return count;
}

/* The type of a tenant's queue; false: it is another tenant's, or the engine's own. */
static bool is_of(const struct call *call, str queue, str *ret_type)
{
    int32_t ns;
    *ret_type = tenant_name(queue, &ns);
    return ns == call->ns && !performer_queue_is_reserved(queue);
}

/* ---- overview ---- */

/* The jobs of the tenant in one queue, which others may have jobs in, too. */
static void look_at_lane(struct turn *turn, const struct job_lane *lane, struct call *call)
{
    struct answer_overview *overview = call->value.overview;
    const struct job_queue *queue = lane->queue;
    const struct activity_type *type = text_map_get(&turn->engine->memory.activity.types, queue->type);
    int64_t oldest_ms = lane_oldest_ms(lane);
    str name;
    overview->jobs_ready += lane->ready_count;
    if (oldest_ms && (!overview->oldest_ready_ms || oldest_ms < overview->oldest_ready_ms))
        overview->oldest_ready_ms = oldest_ms;
    if (!is_of(call, queue->type, &name) || !oldest_ms || queue->first_poll) return;
    if (turn->now_ms - oldest_ms < UNPOLLED_MS || seen_lately(type, turn->now_ms)) return;
    overview->unpolled_types++;
    overview->unpolled_jobs += lane->ready_count;
    if (!overview->unpolled.n) overview->unpolled = arena_str(call->arena, name);
}

enum status operate_serve_offered(struct turn *turn, struct arena *arena, struct offered_queue **ret_queue,
                                  size_t *ret_count, struct error *err)
{
    must(!turn->engine->broken);
    return store_offered(turn->engine->store, OFFERED_COUNTED_MAX, JOB_TYPES_LISTED_MAX, arena, ret_queue,
                         ret_count, err);
}

static void look_at_offered(struct turn *turn, const struct offered_queue *offered, struct call *call)
{
    struct answer_overview *overview = call->value.overview;
    const struct activity_type *type = text_map_get(&turn->engine->memory.activity.types, offered->queue);
    bool is_shared = performer_queue_is_reserved(offered->queue) && call->ns == TENANT_DEFAULT;
    str name;
    if (!is_of(call, offered->queue, &name) && !is_shared) return;
    overview->jobs_ready += offered->count;
    if (!overview->oldest_ready_ms || offered->oldest_ms < overview->oldest_ready_ms)
        overview->oldest_ready_ms = offered->oldest_ms;
    if (is_shared || polls_wait_for(&turn->engine->memory.jobs, offered->queue)) return;
    if (turn->now_ms - offered->oldest_ms < UNPOLLED_MS || seen_lately(type, turn->now_ms)) return;
    overview->unpolled_types++;
    overview->unpolled_jobs += offered->count;
    if (!overview->unpolled.n) overview->unpolled = arena_str(call->arena, name);
}

void operate_serve_overview(struct turn *turn, struct call *call)
{
    struct engine *engine = turn->engine;
    struct answer_overview *overview = call->value.overview;
    size_t looked = 0;
    activity_minutes(&engine->memory.activity, call->ns, overview->minute, &overview->minutes_known);
    overview->now_ms = turn->now_ms;
    overview->began_ms = engine->began_ms;
    overview->next_timer_ms = timers_first_of(&engine->memory.timers, call->ns);
    overview->jobs_leased = lanes_in_flight(&engine->memory.jobs, call->ns);
    overview->disk_full = !room_for(engine, CALL_START);
    overview->paused = engine->transact.starts_paused;
    if (engine->nodes.shared) {
        overview->nodes = engine->nodes.count;
        overview->node = store_node(engine->store);
        overview->gone = engine->nodes.gone;
        overview->gone_ms = engine->nodes.gone_ms;
    }
    for (const struct job_lane *lane = lanes_of_tenant(&engine->memory.jobs, call->ns);
         lane && looked++ < JOB_TYPES_LISTED_MAX; lane = lane->next_of_tenant)
        look_at_lane(turn, lane, call);
    struct offered_queue *offered;
    size_t offered_count;
    call->status = operate_serve_offered(turn, call->arena, &offered, &offered_count, &call->error);
    if (call->status != ST_OK) return;
    for (size_t i = 0; i < offered_count; i++) look_at_offered(turn, &offered[i], call);
    for (const struct activity_type *type = activity_types_of(&engine->memory.activity, call->ns); type;
         type = type->older)
        overview->workers += seen_lately(type, turn->now_ms);
}

void operate_serve_series(struct turn *turn, struct call *call)
{
    struct answer_series *series = call->value.series = arena_make(call->arena, struct answer_series);
    activity_minutes(&turn->engine->memory.activity, call->ns, series->minute, &series->known);
    series->from_ms = (turn->engine->memory.activity.minute - ACTIVITY_MINUTES + 1) * ACTIVITY_MINUTE_MS;
}

/* ---- workers ---- */

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct operate_type *)a)->type, ((const struct operate_type *)b)->type);
}

static struct operate_type *find_type(struct answer_workers *answer, str name)
{
    const struct operate_type wanted = { .type = name };
    return answer->count ? bsearch(&wanted, answer->type, answer->count, sizeof wanted, by_name) : NULL;
}

static size_t count_polls(const struct job_queue *queue)
{
    size_t count = 0;
    for (const struct poll_link *link = queue->first_poll; link && count < POLLS_COUNTED_MAX;
         link = link->after)
        count++;
    return count;
}

static void list_queues(struct turn *turn, struct call *call)
{
    struct answer_workers *answer = &call->value.workers;
    size_t cursor = 0;
    str name;
    for (const struct job_queue *queue;
         (queue = text_map_next(&turn->engine->memory.jobs.queues, &cursor)) != NULL;) {
        if (!is_of(call, queue->type, &name)) continue;
        if (!queue->job_count && !queue->first_poll &&
            !text_map_get(&turn->engine->memory.activity.types, queue->type))
            continue; /* A queue that is only kept for the next job. */
        answer->cut = answer->count == JOB_TYPES_LISTED_MAX;
        if (answer->cut) return;
        answer->type[answer->count++] = (struct operate_type){ .type = arena_str(call->arena, name),
                                                               .open = queue->job_count,
                                                               .leased = queue->leased_count,
                                                               .pollers = count_polls(queue),
                                                               .oldest_ms = lanes_oldest_ms(queue) };
    }
}

/* Types whose jobs are all done, and whose queue is gone. */
static void list_remembered(struct turn *turn, struct call *call)
{
    struct answer_workers *answer = &call->value.workers;
    str name;
    for (const struct activity_type *type = activity_types_of(&turn->engine->memory.activity, call->ns); type;
         type = type->older) {
        if (!is_of(call, type->type, &name)) continue;
        if (text_map_get(&turn->engine->memory.jobs.queues, type->type)) continue;
        answer->cut = answer->cut || answer->count == JOB_TYPES_LISTED_MAX;
        if (answer->cut) return;
        answer->type[answer->count++] = (struct operate_type){ .type = arena_str(call->arena, name) };
    }
}

/* Jobs that wait for any node. */
static enum status list_offered(struct turn *turn, struct call *call, struct error *err)
{
    struct answer_workers *answer = &call->value.workers;
    struct offered_queue *offered;
    size_t offered_count, known = answer->count;
    TRY(operate_serve_offered(turn, call->arena, &offered, &offered_count, err));
    for (size_t i = 0; i < offered_count; i++) {
        struct operate_type *type = NULL;
        str name;
        if (!is_of(call, offered[i].queue, &name)) continue;
        for (size_t k = 0; k < known && !type; k++)
            if (str_equal(answer->type[k].type, name)) type = &answer->type[k];
        answer->cut = answer->cut || (!type && answer->count == JOB_TYPES_LISTED_MAX);
        if (answer->cut) return ST_OK;
        if (!type) {
            type = &answer->type[answer->count++];
            *type = (struct operate_type){ .type = name };
        }
        type->open += offered[i].count;
        if (!type->oldest_ms || offered[i].oldest_ms < type->oldest_ms)
            type->oldest_ms = offered[i].oldest_ms;
    }
    return ST_OK;
}

static void add_workers(struct turn *turn, int32_t ns, struct operate_type *type, struct arena *arena)
{
    const struct activity_type *known =
        text_map_get(&turn->engine->memory.activity.types, tenant_key(ns, type->type, arena));
    if (!known) return;
    type->ended = activity_jobs_of(known, turn->now_ms);
    type->worker = arena_make_n(arena, struct operate_worker, known->worker_count);
    for (size_t i = 0; i < known->worker_count; i++)
        type->worker[type->worker_count++] =
            (struct operate_worker){ .name = arena_str(arena, known->worker[i].name),
                                     .seen_ms = known->worker[i].seen_ms };
}

static void count_lease(struct call *call, const struct open_job *job)
{
    str name;
    bool is_leased = job->state == JOB_LOCKED && is_of(call, job->queue->type, &name);
    struct operate_type *type = is_leased ? find_type(&call->value.workers, name) : NULL;
    for (size_t i = 0; type && i < type->worker_count; i++)
        if (str_equal(type->worker[i].name, job->worker)) type->worker[i].leased++;
}

static void count_leases(struct turn *turn, struct call *call)
{
    struct answer_workers *answer = &call->value.workers;
    size_t cursor = 0;
    bool countable = turn->engine->memory.jobs.by_id.count <= LEASES_COUNTED_MAX;
    for (const struct open_job *first;
         countable && (first = map_next(&turn->engine->memory.jobs.by_id, &cursor)) != NULL;)
        for (const struct open_job *job = first; job; job = job->sibling) count_lease(call, job);
    for (size_t i = 0; !countable && i < answer->count; i++)
        for (size_t k = 0; k < answer->type[i].worker_count; k++) answer->type[i].worker[k].leased = -1;
}

void operate_serve_workers(struct turn *turn, struct call *call)
{
    struct answer_workers *answer = &call->value.workers;
    answer->type = arena_make_n(call->arena, struct operate_type, JOB_TYPES_LISTED_MAX);
    list_queues(turn, call);
    list_remembered(turn, call);
    call->status = list_offered(turn, call, &call->error);
    if (call->status != ST_OK) return;
    if (answer->count) qsort(answer->type, answer->count, sizeof *answer->type, by_name);
    for (size_t i = 0; i < answer->count; i++) add_workers(turn, call->ns, &answer->type[i], call->arena);
    count_leases(turn, call);
    for (int i = 0; i < PERFORMER_COUNT; i++)
        answer->performer[i] =
            activity_performed(&turn->engine->memory.activity, call->ns, (enum performer)i);
}
