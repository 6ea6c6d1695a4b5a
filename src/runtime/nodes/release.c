/* runtime/nodes/release.c — gives back what nobody here takes: others may have it. */
#include "runtime/nodes/nodes_int.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

enum {
    RELEASE_MS = 100,     /* So long a job waits for a poll here before others may have it. */
    FAILED_HOLD_MS = 200, /* So long nothing is sent after a failure. */
    SENT_BLOCKS_PER_TURN = 16,
};

void release_job(struct engine *engine, struct open_job *job, bool was_handed_out)
{
    struct offers *offers = &engine->nodes.offers;
    str queue = jobs_type_of(job);
    must(engine->nodes.shared && queue.n && job->instance); /* Others can only have a job with a row. */
    /* Nobody has had it: it is as old as it was. Perhaps our clock is ahead of those of others. */
    bool was_ready = !was_handed_out && job->ready_ms < engine->turn.now_ms;
    char *copy = malloc(queue.n + 1);
    must(copy);
    memcpy(copy, queue.p, queue.n);
    array_reserve(offers->back, offers->back_count, offers->back_cap);
    offers->back[offers->back_count++] =
        (struct job_row){ .instance = job->instance,
                          .number = job->number,
                          .queue = { copy, queue.n },
                          .priority = job->priority,
                          .available_ms = was_ready ? job->ready_ms : engine->turn.now_ms,
                          .delivery = (uint8_t)(job->delivery + was_handed_out) };
    jobs_remove(&engine->memory.jobs, job->instance, job->number);
}

/* Only this node can hand it out: a child is settled by whoever has its job, and units are in memory. */
static bool is_local(const struct open_job *job)
{
    return job->of_unit || str_equal(jobs_type_of(job), performer_queue(PERFORM_CHILD, STR_NONE));
}

void release_expired(struct engine *engine, struct open_job *job)
{
    if (engine->nodes.shared && !is_local(job)) release_job(engine, job, true);
    else jobs_expire(&engine->memory.jobs, job, engine->turn.now_ms);
}

enum finding { IS_OPEN, IS_CLOSED, IS_UNREAD };

static enum finding look_up(const struct job_row *row, const struct instance_row *of, size_t count,
                            struct arena *arena)
{
    const struct instance *instance;
    struct error why;
    size_t i = 0;
    while (i < count && of[i].id != row->instance) i++;
    if (i == count) return IS_CLOSED;          /* It was purged. */
    if (i && !of[i].state.n) return IS_UNREAD; /* The first always comes with what it has. */
    if (core_decode(of[i].state, NULL, arena, &instance, &why) != ST_OK) return IS_OPEN; /* Damaged. */
    return shared_jobs_open_job(instance, row->number) ? IS_OPEN : IS_CLOSED;
}

/* A job whose lease ran out may have been closed by another node: then nobody is to have it again. Drops
 * those. First come `*ret_unread` that are to be looked at again, as their instances are too large to be read
 * now. `*ret_open` that are to be offered follow. */
static enum status drop_closed(struct engine *engine, struct job_row *row, size_t count, struct arena *arena,
                               size_t *ret_unread, size_t *ret_open, struct error *err)
{
    must(count <= CLAIM_JOBS_MAX);
    struct instance_row *instance;
    struct job_row open[CLAIM_JOBS_MAX];
    uint64_t id[CLAIM_JOBS_MAX];
    size_t wanted = 0, found = 0, unread = 0, opened = 0;
    for (size_t i = 0; i < count; i++)
        if (row[i].delivery) id[wanted++] = row[i].instance;
    if (wanted) TRY(store_load_instances(engine->store, id, wanted, arena, &instance, &found, err));
    for (size_t i = 0; i < count; i++) {
        enum finding finding = row[i].delivery ? look_up(&row[i], instance, found, arena) : IS_OPEN;
        if (finding == IS_CLOSED) free((void *)(uintptr_t)row[i].queue.p);
        else if (finding == IS_UNREAD) row[unread++] = row[i];
        else open[opened++] = row[i];
    }
    must(unread + opened <= count);
    memcpy(row + unread, open, opened * sizeof *open);
    *ret_unread = unread;
    *ret_open = opened;
    return ST_OK;
}

/* Offers the last of those that were given back; all but `*ret_unread`. */
static enum status send_some(struct engine *engine, size_t *ret_unread, struct error *err)
{
    struct offers *offers = &engine->nodes.offers;
    size_t count = offers->back_count < CLAIM_JOBS_MAX ? offers->back_count : CLAIM_JOBS_MAX, open;
    size_t first = offers->back_count - count;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status = drop_closed(engine, offers->back + first, count, &arena, ret_unread, &open, err);
    arena_done(&arena);
    TRY(status);
    first += *ret_unread;
    offers->back_count = first + open;
    if (open) TRY(store_offer_jobs(engine->store, offers->back + first, open, engine->turn.now_ms, err));
    metric_add(&engine->metrics->jobs_offered, open);
    while (offers->back_count > first) {
        str queue = offers->back[--offers->back_count].queue;
        empty_queues_remove(offers, queue);
        free((void *)(uintptr_t)queue.p);
    }
    return ST_OK;
}

void release_send(struct engine *engine)
{
    struct offers *offers = &engine->nodes.offers;
    struct error err;
    enum status status = ST_OK;
    size_t unread = 0;
    if (!offers->back_count || engine->broken || engine->turn.now_ms < offers->hold_ms) return;
    for (int i = 0; i < SENT_BLOCKS_PER_TURN && offers->back_count && !unread && status == ST_OK; i++)
        status = send_some(engine, &unread, &err);
    if (offers->back_count) engine->nodes.next_heartbeat_ms = engine->turn.now_ms; /* The others come next. */
    if (status != ST_OK) {
        offers->hold_ms = engine->turn.now_ms + FAILED_HOLD_MS;
        log_write(LOG_WARN, "jobs cannot be offered yet", "reason", err.message, NULL);
        return;
    }
    offers->may_be = true;
    nodes_wake_others(engine, STORE_WAKE_JOBS);
}

struct release {
    int64_t before_ms;
    struct open_job *job[RELEASE_MAX];
    size_t count;
};

static bool see_ready(void *context, struct open_job *job)
{
    struct release *release = context;
    if (is_local(job) || job->ready_ms > release->before_ms) return true;
    release->job[release->count++] = job;
    return release->count < RELEASE_MAX;
}

static void release_older(struct engine *engine, int64_t age_ms)
{
    struct release release = { .before_ms = engine->turn.now_ms - age_ms };
    jobs_each_ready(&engine->memory.jobs, see_ready, &release);
    for (size_t i = 0; i < release.count; i++) release_job(engine, release.job[i], false);
}

void release_idle(struct engine *engine) { release_older(engine, RELEASE_MS); }

void release_go_on(struct engine *engine)
{
    struct offers *offers = &engine->nodes.offers;
    if (!offers->release_ms || engine->turn.now_ms < offers->release_ms) return;
    offers->release_ms = 0;
    if (offers->looks_again) offers->may_be = true;
    offers->looks_again = false;
    if (!nodes_have_others(engine)) return;
    release_older(engine, EXPECTED_MS);
    if (engine->memory.jobs.ready_workers) offers->release_ms = engine->turn.now_ms + EXPECTED_MS;
}
