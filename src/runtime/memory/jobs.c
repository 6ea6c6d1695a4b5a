/* runtime/memory/jobs.c — queues of open jobs: added, leased, extended, expired, removed. */
#include "runtime/memory/memory_int.h"

#include "base/array.h"
#include "base/must.h"
#include "base/text_map.h"

#include <stdlib.h>

void jobs_init(struct jobs *jobs, struct deadlines *deadlines)
{
    *jobs = (struct jobs){ .deadlines = deadlines };
    text_map_init(&jobs->queues);
    map_init(&jobs->by_id);
    map_init(&jobs->tenants);
}

static void free_jobs_of(struct open_job *job)
{
    while (job) {
        struct open_job *sibling = job->sibling;
        free((void *)(uintptr_t)job->worker.p);
        free(job);
        job = sibling;
    }
}

static void free_queue(struct job_queue *queue)
{
    lanes_free(queue);
    free(queue);
}

void jobs_done(struct jobs *jobs)
{
    must(!jobs->waiting_count && !jobs->waiting_wanted);
    must(!jobs->polls);
    size_t cursor = 0;
    for (struct open_job *job; (job = map_next(&jobs->by_id, &cursor)) != NULL;) free_jobs_of(job);
    map_done(&jobs->by_id);
    cursor = 0;
    for (struct job_queue *queue; (queue = text_map_next(&jobs->queues, &cursor)) != NULL;) free_queue(queue);
    text_map_done(&jobs->queues);
    lanes_done(jobs);
    free_jobs_of(jobs->spare);
}

struct job_queue *jobs_queue(struct jobs *jobs, str type)
{
    struct job_queue *queue = text_map_get(&jobs->queues, type);
    if (queue) return queue;
    queue = calloc(1, sizeof *queue + type.n);
    must(queue);
    memcpy(queue + 1, type.p, type.n);
    queue->type = (str){ (char *)(queue + 1), type.n };
    text_map_put(&jobs->queues, queue->type, queue);
    return queue;
}

void jobs_release(struct jobs *jobs, struct job_queue *queue)
{
    if (queue->job_count || queue->first_poll || queue->hot || jobs->queues.count <= QUEUES_KEPT) return;
    must(!queue->ready_count && !queue->leased_count && !queue->wanted);
    text_map_take(&jobs->queues, queue->type);
    free_queue(queue);
}

/* The two numbers have 72 bits together. Keys collide only for instances 2^36 apart, and colliding jobs share
 * a slot. */
static uint64_t key_of(uint64_t instance, uint32_t number) { return instance << 28 ^ number; }

str jobs_type_of(const struct open_job *job) { return job->queue->type; }

struct open_job *jobs_find(const struct jobs *jobs, uint64_t instance, uint32_t number)
{
    struct open_job *job = map_get(&jobs->by_id, key_of(instance, number));
    while (job && job->instance != instance) job = job->sibling;
    return job;
}

/* Puts the job into its queue: behind the others, or in front if it has waited before. */
static void enqueue(struct jobs *jobs, struct open_job *job, bool front, int64_t now_ms)
{
    must(!job->deadline.place && !job->is_untold);
    struct job_queue *queue = job->queue;
    job->state = JOB_UNLOCKED;
    job->ready_ms = now_ms;
    lane_add(job->lane, job, front);
    queue->ready_count++;
    must(queue->ready_count + queue->leased_count <= queue->job_count);
    jobs->ready_count++;
    jobs->ready_workers += !performer_queue_is_reserved(queue->type);
    lanes_note_hot(jobs, queue);
}

static void dequeue(struct jobs *jobs, struct open_job *job)
{
    must(job->queue->ready_count > 0 && jobs->ready_count >= job->queue->ready_count);
    struct job_queue *queue = job->queue;
    lane_remove(job->lane, job);
    queue->ready_count--;
    jobs->ready_count--;
    jobs->ready_workers -= !performer_queue_is_reserved(queue->type);
}

static void forget_worker(struct open_job *job)
{
    free((void *)(uintptr_t)job->worker.p);
    job->worker = STR_NONE;
}

static void count_leased(struct jobs *jobs, struct open_job *job, int delta)
{
    jobs->leased_count += (size_t)delta;
    job->queue->leased_count += (size_t)delta;
    lane_count_leased(jobs, job->lane, delta);
}

str jobs_queue_name(int32_t ns, const struct job *job, struct arena *arena)
{
    str queue = performer_queue(job->performer, job->type);
    return performer_queue_is_reserved(queue) ? queue : tenant_key(ns, queue, arena);
}

static struct job_queue *queue_of(struct jobs *jobs, int32_t ns, const struct job *job)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    must(ns > TENANT_ANY);
    struct job_queue *queue = jobs_queue(jobs, jobs_queue_name(ns, job, &scratch));
    arena_done(&scratch);
    return queue;
}

struct open_job *jobs_add(struct jobs *jobs, int32_t ns, uint64_t instance, const struct job *job,
                          uint8_t priority, int64_t now_ms)
{
    struct open_job *open = jobs_find(jobs, instance, job->number);
    if (open) return open;
    open = jobs->spare;
    if (open) jobs->spare = open->sibling;
    else open = malloc(sizeof *open);
    must(open);
    *open = (struct open_job){ .instance = instance,
                               .number = job->number,
                               .queue = queue_of(jobs, ns, job),
                               .priority = priority < PRIORITY_COUNT ? priority : PRIORITY_COUNT - 1 };
    /* The engine starts children itself. */
    open->lane = lane_of(jobs, open->queue, ns, performer_place(job->performer) != PERFORMED_INSIDE);
    open->lane->job_count++;
    open->queue->job_count++;
    open->sibling = map_put(&jobs->by_id, key_of(instance, job->number), open);
    if (job->available_ms > now_ms) {
        open->state = JOB_DELAYED;
        deadline_set(jobs->deadlines, &open->deadline, DEADLINE_DELAY, job->available_ms);
    } else {
        enqueue(jobs, open, false, now_ms);
    }
    return open;
}

static void unlink_sibling(struct jobs *jobs, struct open_job *job)
{
    uint64_t key = key_of(job->instance, job->number);
    struct open_job *first = map_get(&jobs->by_id, key);
    if (first == job) {
        if (job->sibling) map_put(&jobs->by_id, key, job->sibling);
        else map_take(&jobs->by_id, key);
        return;
    }
    while (first->sibling != job) first = first->sibling;
    first->sibling = job->sibling;
}

/* ---- leases that other nodes do not know ---- */

static void add_untold(struct jobs *jobs, struct open_job *job)
{
    if (!jobs->tells || job->is_untold || job->of_unit) return;
    must(job->state == JOB_LOCKED);
    job->is_untold = true;
    job->before = jobs->last_untold;
    job->after = NULL;
    if (jobs->last_untold) jobs->last_untold->after = job;
    else jobs->first_untold = job;
    jobs->last_untold = job;
}

void jobs_told(struct jobs *jobs, struct open_job *job)
{
    if (!job->is_untold) return;
    job->is_untold = false;
    if (job->before) job->before->after = job->after;
    else jobs->first_untold = job->after;
    if (job->after) job->after->before = job->before;
    else jobs->last_untold = job->before;
    job->before = job->after = NULL;
}

/* ---- the end of a job ---- */

void jobs_remove(struct jobs *jobs, uint64_t instance, uint32_t number)
{
    struct open_job *job = jobs_find(jobs, instance, number);
    if (!job) return;
    if (job->state == JOB_UNLOCKED) dequeue(jobs, job);
    if (job->state == JOB_LOCKED) count_leased(jobs, job, -1);
    must(job->queue->job_count > 0 && jobs->leased_count >= job->queue->leased_count);
    jobs_told(jobs, job);
    deadline_clear(jobs->deadlines, &job->deadline);
    forget_worker(job);
    job->queue->job_count--;
    job->lane->job_count--;
    lane_release(job->lane);
    jobs_release(jobs, job->queue);
    unlink_sibling(jobs, job);
    job->sibling = jobs->spare;
    jobs->spare = job;
}

void jobs_forget(struct jobs *jobs)
{
    struct open_job **gone = NULL;
    size_t count = 0, cap = 0, cursor = 0;
    for (struct open_job *job; (job = map_next(&jobs->by_id, &cursor)) != NULL;)
        for (; job; job = job->sibling) {
            if (job->of_unit) continue;
            array_reserve(gone, count, cap);
            gone[count++] = job;
        }
    for (size_t i = 0; i < count; i++) jobs_remove(jobs, gone[i]->instance, gone[i]->number);
    free(gone);
}

static bool see_ready(const struct job_queue *queue, job_seen_fn *see, void *context)
{
    for (const struct job_lane *lane = queue->first_lane; lane; lane = lane->next)
        for (int level = PRIORITY_COUNT - 1; level >= 0; level--)
            for (struct open_job *job = lane->level[level].first; job; job = job->after)
                if (!see(context, job)) return false;
    return true;
}

void jobs_each_ready(struct jobs *jobs, job_seen_fn *see, void *context)
{
    size_t cursor = 0;
    struct job_queue *queue;
    while ((queue = text_map_next(&jobs->queues, &cursor)) != NULL) {
        if (!queue->ready_count) continue;
        if (!see_ready(queue, see, context)) return;
    }
}

/* True if job `a` comes before job `b`. */
static bool goes_before(const struct open_job *a, const struct open_job *b)
{
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->ready_ms != b->ready_ms) return a->ready_ms < b->ready_ms;
    return a->instance != b->instance ? a->instance < b->instance : a->number < b->number;
}

static struct open_job *best(const struct jobs *jobs, const str *type, size_t type_count,
                             int32_t priority_min)
{
    struct open_job *best = NULL;
    for (size_t i = 0; i < type_count; i++) {
        struct open_job *job = lanes_head(text_map_get(&jobs->queues, type[i]), priority_min);
        if (job && (!best || goes_before(job, best))) best = job;
    }
    return best;
}

struct open_job *jobs_best(const struct jobs *jobs, const str *type, size_t type_count)
{
    return best(jobs, type, type_count, 0);
}

struct open_job *jobs_best_for(const struct jobs *jobs, const struct call_poll *poll)
{
    return best(jobs, poll->type, poll->type_count, poll->priority_min);
}

void jobs_lease(struct jobs *jobs, struct open_job *job, str worker, int64_t now_ms, int64_t lease_ms)
{
    must(job->state == JOB_UNLOCKED);
    must(!job->worker.p && !job->deadline.place);
    dequeue(jobs, job);
    lane_had_its_turn(job->lane);
    job->state = JOB_LOCKED;
    count_leased(jobs, job, 1);
    job->locked_ms = now_ms;
    char *copy = malloc(worker.n + 1);
    must(copy);
    memcpy(copy, worker.p, worker.n);
    job->worker = (str){ copy, worker.n };
    deadline_set(jobs->deadlines, &job->deadline, DEADLINE_LEASE, now_ms + lease_ms);
    add_untold(jobs, job);
}

void jobs_extend(struct jobs *jobs, struct open_job *job, int64_t now_ms, int64_t lease_ms)
{
    must(job->state == JOB_LOCKED);
    deadline_set(jobs->deadlines, &job->deadline, DEADLINE_LEASE, now_ms + lease_ms);
    add_untold(jobs, job);
}

void jobs_expire(struct jobs *jobs, struct open_job *job, int64_t now_ms)
{
    must(job->state == JOB_LOCKED);
    must(jobs->leased_count > 0 && job->queue->leased_count > 0);
    deadline_clear(jobs->deadlines, &job->deadline);
    jobs_told(jobs, job);
    forget_worker(job);
    job->delivery++;
    job->state = JOB_DELAYED;
    count_leased(jobs, job, -1);
    enqueue(jobs, job, true, now_ms);
}

void jobs_delay(struct jobs *jobs, struct open_job *job, int64_t until_ms)
{
    must(job->state == JOB_UNLOCKED);
    dequeue(jobs, job);
    job->state = JOB_DELAYED;
    deadline_set(jobs->deadlines, &job->deadline, DEADLINE_DELAY, until_ms);
}

void jobs_ready(struct jobs *jobs, struct open_job *job, int64_t now_ms)
{
    must(job->state == JOB_DELAYED);
    deadline_clear(jobs->deadlines, &job->deadline);
    enqueue(jobs, job, false, now_ms);
}

size_t jobs_room(const struct jobs *jobs, str type, size_t max)
{
    const struct job_queue *queue = text_map_get(&jobs->queues, type);
    size_t ready = queue ? queue->ready_count : 0;
    return ready < max ? max - ready : 0;
}
