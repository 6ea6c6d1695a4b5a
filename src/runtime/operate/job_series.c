/* runtime/operate/job_series.c — the jobs of each type, for /metrics.
 *
 *     queues of this node ──┐
 *     polls and results ────┼──► a row for each tenant and type, or the tenant's row for all others
 *     offers of all nodes ──┘
 *
 * A tenant has a bounded number of rows, so one that invents job types hides none of another tenant's.
 */
#include "runtime/operate/operate_int.h"

#include "base/tenant.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

struct series_gathering {
    struct turn *turn;
    struct call *call;
    struct text_map rows; /* struct job_series by qualified type. */
    struct map counts;    /* By tenant: how many rows it has, as a number in place of a pointer. */
    size_t looked;        /* Queues. */
};

static bool is_seen(const struct series_gathering *gathering, int32_t ns)
{
    return gathering->call->ns == TENANT_DEFAULT || gathering->call->ns == ns;
}

static struct job_series *make_row(struct series_gathering *gathering, str queue)
{
    struct arena *arena = gathering->call->arena;
    struct job_series *row = arena_make(arena, struct job_series);
    str key = arena_str(arena, queue);
    *row = (struct job_series){ .polled_ms = 0 };
    row->type = tenant_name(key, &row->ns);
    text_map_put(&gathering->rows, key, row);
    return row;
}

/* The row of a queue, or that of all others of its tenant; NULL: the caller must not see it. */
static struct job_series *row_of(struct series_gathering *gathering, str queue)
{
    int32_t ns;
    tenant_name(queue, &ns);
    if (!is_seen(gathering, ns) || performer_queue_is_reserved(queue)) return NULL;
    struct job_series *row = text_map_get(&gathering->rows, queue);
    if (row) return row;
    uintptr_t count = (uintptr_t)map_get(&gathering->counts, (uint64_t)ns);
    if (count < METRIC_JOB_TYPES_OF_TENANT_MAX && gathering->rows.count < METRIC_JOB_TYPES_MAX) {
        map_put(&gathering->counts, (uint64_t)ns, (void *)(count + 1));
        return make_row(gathering, queue);
    }
    str other = tenant_key(ns, METRIC_OTHER, gathering->call->arena);
    row = text_map_get(&gathering->rows, other);
    return row ? row : make_row(gathering, other);
}

static void note_oldest(struct job_series *row, int64_t oldest_ms)
{
    if (oldest_ms && (!row->oldest_ms || oldest_ms < row->oldest_ms)) row->oldest_ms = oldest_ms;
}

static void add_lane(struct series_gathering *gathering, const struct job_lane *lane)
{
    if (!lane->job_count) return; /* It is only kept for the next job. */
    struct job_series *row = row_of(gathering, lane->queue->type);
    if (!row) return;
    must(row->ns == lane->tenant->ns); /* Queues of workers belong to one tenant. */
    row->ready += lane->ready_count;
    row->leased += lane->queue->leased_count;
    note_oldest(row, lane_oldest_ms(lane));
}

static void add_queues(struct series_gathering *gathering)
{
    const struct jobs *jobs = &gathering->turn->engine->memory.jobs;
    size_t cursor = 0;
    for (const struct job_tenant *tenant; (tenant = map_next(&jobs->tenants, &cursor)) != NULL;)
        for (const struct job_lane *lane = is_seen(gathering, tenant->ns) ? tenant->first_lane : NULL;
             lane && gathering->looked++ < METRIC_LANES_MAX; lane = lane->next_of_tenant)
            add_lane(gathering, lane);
}

static void add_durations(struct job_series *row, const struct durations *took, struct arena *arena)
{
    struct durations *sum = arena_make(arena, struct durations);
    for (size_t i = 0; i <= DURATION_BUCKETS; i++)
        metric_set(&sum->bucket[i],
                   metric_get(&took->bucket[i]) + (row->took ? metric_get(&row->took->bucket[i]) : 0));
    metric_set(&sum->sum_ms, metric_get(&took->sum_ms) + (row->took ? metric_get(&row->took->sum_ms) : 0));
    row->took = sum;
}

static void add_activity(struct series_gathering *gathering)
{
    const struct turn *turn = gathering->turn;
    size_t cursor = 0;
    for (const struct activity_type *type;
         (type = text_map_next(&turn->engine->memory.activity.types, &cursor)) != NULL;) {
        struct job_series *row = row_of(gathering, type->type);
        if (!row) continue;
        row->done += type->done_total;
        row->failed += type->failed_total;
        if (type->polled_ms > row->polled_ms) row->polled_ms = type->polled_ms;
        if (polls_wait_for(&turn->engine->memory.jobs, type->type)) row->polled_ms = turn->now_ms;
        add_durations(row, &type->took, gathering->call->arena);
    }
}

static enum status add_offered(struct series_gathering *gathering, struct error *err)
{
    struct offered_queue *offered;
    size_t count;
    TRY(operate_serve_offered(gathering->turn, gathering->call->arena, &offered, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct job_series *row = row_of(gathering, offered[i].queue);
        if (!row) continue;
        row->offered += offered[i].count;
        note_oldest(row, offered[i].oldest_ms);
    }
    return ST_OK;
}

static int by_tenant_and_type(const void *a, const void *b)
{
    const struct job_series *left = a, *right = b;
    if (left->ns != right->ns) return left->ns < right->ns ? -1 : 1;
    return str_compare(left->type, right->type);
}

static void list_rows(struct series_gathering *gathering)
{
    struct answer_job_series *answer = &gathering->call->value.job_series;
    size_t cursor = 0;
    answer->series = arena_make_n(gathering->call->arena, struct job_series, gathering->rows.count);
    for (const struct job_series *row; (row = text_map_next(&gathering->rows, &cursor)) != NULL;)
        answer->series[answer->count++] = *row;
    must(answer->count == gathering->rows.count);
    if (answer->count) qsort(answer->series, answer->count, sizeof *answer->series, by_tenant_and_type);
}

void job_series_serve(struct turn *turn, struct call *call)
{
    struct series_gathering gathering = { .turn = turn, .call = call };
    text_map_init(&gathering.rows);
    map_init(&gathering.counts);
    add_queues(&gathering);
    add_activity(&gathering);
    call->status = add_offered(&gathering, &call->error);
    if (call->status == ST_OK) list_rows(&gathering);
    text_map_done(&gathering.rows);
    map_done(&gathering.counts);
}
