/* runtime/memory/lanes.c — the ready jobs of one tenant in one queue, and the jobs that tenants have in
 * flight.
 *
 * A queue of workers belongs to one tenant. The queues of the engine's own performers have jobs of all
 * tenants, in a lane for each. Lanes take turns: each job that is handed out sends its lane to the end. So a
 * tenant with very many jobs delays another one by one job at a time. Priorities count inside of a lane.
 */
#include "runtime/memory/memory_int.h"

#include "base/must.h"

#include <stdlib.h>

/* ---- queues that have both jobs and polls ---- */

void lanes_note_hot(struct jobs *jobs, struct job_queue *queue)
{
    if (queue->hot || !queue->ready_count || !queue->first_poll) return;
    queue->hot = true;
    queue->next_hot = jobs->hot;
    jobs->hot = queue;
}

/* ---- tenants ---- */

static struct job_tenant *tenant_of(struct jobs *jobs, int32_t ns)
{
    struct job_tenant *tenant = map_get(&jobs->tenants, (uint64_t)ns);
    if (tenant) return tenant;
    tenant = calloc(1, sizeof *tenant);
    must(tenant);
    tenant->ns = ns;
    map_put(&jobs->tenants, (uint64_t)ns, tenant);
    return tenant;
}

static bool is_full(const struct job_tenant *tenant)
{
    return tenant->leased_max && tenant->leased_count >= tenant->leased_max;
}

/* Polls that found the tenant's jobs out of reach are looked at again. */
static void note_room(struct jobs *jobs, const struct job_tenant *tenant)
{
    for (struct job_lane *lane = tenant->first_lane; lane; lane = lane->next_of_tenant)
        if (lane->ready_count) lanes_note_hot(jobs, lane->queue);
}

void lane_count_leased(struct jobs *jobs, struct job_lane *lane, int delta)
{
    struct job_tenant *tenant = lane->tenant;
    if (!lane->is_counted) return;
    bool was_full = is_full(tenant);
    must(delta > 0 || tenant->leased_count);
    tenant->leased_count += (size_t)delta;
    if (was_full && !is_full(tenant)) note_room(jobs, tenant);
    if (tenant->is_moved) return;
    tenant->is_moved = true;
    tenant->next_moved = jobs->first_moved;
    jobs->first_moved = tenant;
}

void lanes_limit(struct jobs *jobs, int32_t ns, size_t max)
{
    struct job_tenant *tenant = max ? tenant_of(jobs, ns) : map_get(&jobs->tenants, (uint64_t)ns);
    if (!tenant || tenant->leased_max == max) return;
    tenant->leased_max = max;
    if (!is_full(tenant)) note_room(jobs, tenant);
}

size_t lanes_in_flight(const struct jobs *jobs, int32_t ns)
{
    const struct job_tenant *tenant = map_get(&jobs->tenants, (uint64_t)ns);
    return tenant ? tenant->leased_count : 0;
}

bool lanes_are_full(const struct jobs *jobs, int32_t ns)
{
    const struct job_tenant *tenant = map_get(&jobs->tenants, (uint64_t)ns);
    return tenant && is_full(tenant);
}

bool lanes_take_moved(struct jobs *jobs, int32_t *ret_ns, size_t *ret_count)
{
    struct job_tenant *tenant = jobs->first_moved;
    if (!tenant) return false;
    jobs->first_moved = tenant->next_moved;
    tenant->is_moved = false;
    *ret_ns = tenant->ns;
    *ret_count = tenant->leased_count;
    return true;
}

void lanes_done(struct jobs *jobs)
{
    size_t cursor = 0;
    for (struct job_tenant *tenant; (tenant = map_next(&jobs->tenants, &cursor)) != NULL;) free(tenant);
    map_done(&jobs->tenants);
}

/* ---- lanes ---- */

struct job_lane *lane_of(struct jobs *jobs, struct job_queue *queue, int32_t ns, bool is_counted)
{
    struct job_lane *lane = queue->lane;
    if (lane && lane->tenant->ns == ns) return lane;
    lane = queue->lanes.count ? map_get(&queue->lanes, (uint64_t)ns) : NULL;
    if (lane) return queue->lane = lane;
    lane = calloc(1, sizeof *lane);
    must(lane);
    lane->tenant = tenant_of(jobs, ns);
    lane->queue = queue;
    lane->is_counted = is_counted;
    lane->next_of_tenant = lane->tenant->first_lane;
    if (lane->next_of_tenant) lane->next_of_tenant->before_of_tenant = lane;
    lane->tenant->first_lane = lane;
    map_put(&queue->lanes, (uint64_t)ns, lane);
    return queue->lane = lane;
}

static void free_lane(struct job_lane *lane)
{
    if (lane->before_of_tenant) lane->before_of_tenant->next_of_tenant = lane->next_of_tenant;
    else lane->tenant->first_lane = lane->next_of_tenant;
    if (lane->next_of_tenant) lane->next_of_tenant->before_of_tenant = lane->before_of_tenant;
    free(lane);
}

void lane_release(struct job_lane *lane)
{
    enum { LANES_KEPT = 16 };
    struct job_queue *queue = lane->queue;
    if (lane->job_count || queue->lanes.count <= LANES_KEPT) return;
    must(!lane->ready_count);
    map_take(&queue->lanes, (uint64_t)lane->tenant->ns);
    if (queue->lane == lane) queue->lane = NULL;
    free_lane(lane);
}

void lanes_free(struct job_queue *queue)
{
    size_t cursor = 0;
    for (struct job_lane *lane; (lane = map_next(&queue->lanes, &cursor)) != NULL;) free_lane(lane);
    map_done(&queue->lanes);
}

/* The lane has ready jobs and comes behind those that had some before. */
static void append(struct job_queue *queue, struct job_lane *lane)
{
    lane->next = NULL;
    lane->before = queue->last_lane;
    if (queue->last_lane) queue->last_lane->next = lane;
    else queue->first_lane = lane;
    queue->last_lane = lane;
}

static void leave(struct job_queue *queue, struct job_lane *lane)
{
    if (lane->before) lane->before->next = lane->next;
    else queue->first_lane = lane->next;
    if (lane->next) lane->next->before = lane->before;
    else queue->last_lane = lane->before;
}

void lane_add(struct job_lane *lane, struct open_job *job, bool front)
{
    struct open_job **first = &lane->level[job->priority].first, **last = &lane->level[job->priority].last;
    job->before = job->after = NULL;
    if (!*first) {
        *first = *last = job;
    } else if (front) {
        job->after = *first;
        (*first)->before = job;
        *first = job;
    } else {
        job->before = *last;
        (*last)->after = job;
        *last = job;
    }
    if (!lane->ready_count++) append(lane->queue, lane);
}

void lane_remove(struct job_lane *lane, struct open_job *job)
{
    must(lane->ready_count);
    if (job->before) job->before->after = job->after;
    else lane->level[job->priority].first = job->after;
    if (job->after) job->after->before = job->before;
    else lane->level[job->priority].last = job->before;
    job->before = job->after = NULL;
    if (!--lane->ready_count) leave(lane->queue, lane);
}

void lane_had_its_turn(struct job_lane *lane)
{
    if (!lane->ready_count || lane->queue->last_lane == lane) return;
    leave(lane->queue, lane);
    append(lane->queue, lane);
}

static struct open_job *best_of(const struct job_lane *lane)
{
    for (int level = PRIORITY_COUNT - 1; level >= 0; level--)
        if (lane->level[level].first) return lane->level[level].first;
    must(!"a lane that counts jobs has one");
}

struct open_job *lanes_head(const struct job_queue *queue, int32_t priority_min)
{
    for (const struct job_lane *lane = queue ? queue->first_lane : NULL; lane; lane = lane->next) {
        if (lane->is_counted && is_full(lane->tenant)) continue;
        struct open_job *job = best_of(lane);
        if (job->priority >= priority_min) return job;
    }
    return NULL;
}

int64_t lane_oldest_ms(const struct job_lane *lane)
{
    int64_t oldest = 0;
    for (int i = 0; lane->ready_count && i < PRIORITY_COUNT; i++) {
        const struct open_job *first = lane->level[i].first;
        if (first && (!oldest || first->ready_ms < oldest)) oldest = first->ready_ms;
    }
    return oldest;
}

int64_t lanes_oldest_ms(const struct job_queue *queue)
{
    int64_t oldest = 0;
    for (const struct job_lane *lane = queue->first_lane; lane; lane = lane->next) {
        int64_t ms = lane_oldest_ms(lane);
        if (ms && (!oldest || ms < oldest)) oldest = ms;
    }
    return oldest;
}

const struct job_lane *lanes_of_tenant(const struct jobs *jobs, int32_t ns)
{
    const struct job_tenant *tenant = map_get(&jobs->tenants, (uint64_t)ns);
    return tenant ? tenant->first_lane : NULL;
}
