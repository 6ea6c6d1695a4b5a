/* runtime/nodes/shared_jobs.c — decides which new jobs are held for polls here, and which are offered. */
#include "runtime/nodes/nodes_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

#include <stdlib.h>

/* So long nobody is expected after a worker that did not come. */
enum { UNEXPECTED_MS = 1000 };

void shared_jobs_init(struct offers *offers)
{
    *offers = (struct offers){ .may_be = true };
    text_map_init(&offers->wanted);
    text_map_init(&offers->empty);
}

static void free_back(struct offers *offers)
{
    for (size_t i = 0; i < offers->back_count; i++) free((void *)(uintptr_t)offers->back[i].queue.p);
    offers->back_count = 0;
}

void shared_jobs_done(struct offers *offers)
{
    free_back(offers);
    free(offers->back);
    text_map_done(&offers->wanted);
    empty_queues_done(offers);
}

/* ---- what polls want ---- */

/* Counts the workers that come back and have polled for the queue lately. */
static size_t count_expected(const struct turn *turn, str queue)
{
    const struct offers *offers = &turn->engine->nodes.offers;
    size_t count = 0;
    for (size_t i = 0; i < offers->expected_count; i++) {
        const struct expected *expected = &offers->expected[i];
        count += activity_polls(&turn->engine->memory.activity, queue, (str){ expected->worker, expected->n },
                                turn->now_ms);
    }
    return count;
}

struct shared_jobs_want *shared_jobs_want_of(struct turn *turn, str queue)
{
    struct text_map *wanted = &turn->engine->nodes.offers.wanted;
    struct shared_jobs_want *want = text_map_get(wanted, queue);
    if (want) return want;
    want = arena_make(&turn->arena, struct shared_jobs_want);
    *want = (struct shared_jobs_want){ .expected = count_expected(turn, queue) };
    text_map_put(wanted, arena_str(&turn->arena, queue), want);
    return want;
}

static void ask(struct turn *turn, const struct call *call)
{
    const struct call_poll *poll = call_poll_of(call);
    if (poll->priority_min) return;
    if (!call->performs) turn->engine->nodes.offers.asked += poll->max;
    for (size_t i = 0; i < poll->type_count; i++) {
        struct shared_jobs_want *want = shared_jobs_want_of(turn, poll->type[i]);
        empty_queues_keep(&turn->engine->nodes.offers, poll->type[i]);
        want->asked += poll->max;
        want->at_once |= poll->wait_ms <= 0 || !polls_wait_for(&turn->engine->memory.jobs, poll->type[i]);
    }
}

void shared_jobs_ask(struct turn *turn, const struct call *call)
{
    if (turn->engine->nodes.shared && call->kind == CALL_BATCH) ask(turn, call);
}

/* ---- workers that come back ---- */

/* A worker whose job this node has handed out completes it here, and so polls here again, as a rule. A job
 * that its completion, or another call, opens need not be offered to all for that moment. */
static void expect_back(struct turn *turn, const struct call *call)
{
    struct offers *offers = &turn->engine->nodes.offers;
    const struct id *id = &call->as.job.id;
    const struct open_job *open = jobs_find(&turn->engine->memory.jobs, id->instance, id->number);
    if (!open || !open->worker.n || open->worker.n > sizeof offers->expected[0].worker ||
        offers->expected_count == EXPECTED_MAX)
        return;
    struct expected *expected = &offers->expected[offers->expected_count++];
    *expected = (struct expected){ .until_ms = turn->now_ms + EXPECTED_MS, .n = open->worker.n };
    memcpy(expected->worker, open->worker.p, open->worker.n);
}

static void stop_expecting(struct offers *offers, size_t at)
{
    must(at < offers->expected_count);
    offers->expected[at] = offers->expected[--offers->expected_count];
}

void shared_jobs_meet(struct engine *engine, str worker)
{
    struct offers *offers = &engine->nodes.offers;
    for (size_t i = 0; i < offers->expected_count; i++) {
        const struct expected *expected = &offers->expected[i];
        if (!str_equal((str){ expected->worker, expected->n }, worker)) continue;
        stop_expecting(offers, i);
        return;
    }
}

static void expect_all(struct turn *turn)
{
    struct offers *offers = &turn->engine->nodes.offers;
    for (size_t i = offers->expected_count; i-- > 0;) {
        if (offers->expected[i].until_ms > turn->now_ms) continue;
        stop_expecting(offers, i);
        offers->unexpected_ms = turn->now_ms + UNEXPECTED_MS;
    }
    if (!nodes_have_others(turn->engine) || turn->now_ms < offers->unexpected_ms) offers->expected_count = 0;
    else
        for (const struct call *call = turn->engine->work.writers.first; call; call = call->next_)
            if (call->kind == CALL_COMPLETE_JOB) expect_back(turn, call);
}

void shared_jobs_begin(struct turn *turn)
{
    must(!turn->engine->nodes.offers.promised && !turn->engine->nodes.offers.written);
    expect_all(turn);
    for (const struct call *call = turn->polls.first; call; call = call->next_) ask(turn, call);
    for (const struct call *call = turn->engine->work.writers.first; call; call = call->next_)
        if (call->kind == CALL_BATCH) ask(turn, call);
}

void shared_jobs_forget(struct turn *turn)
{
    must(!turn->engine->nodes.offers.promised && !turn->in_transaction);
    struct text_map *wanted = &turn->engine->nodes.offers.wanted;
    turn->engine->nodes.offers.asked = 0;
    if (!wanted->count) return;
    text_map_done(wanted); /* Its names are in the turn's arena. */
    text_map_init(wanted);
}

/* ---- jobs that are opened and closed ---- */

static bool is_settled_inside(const struct turn *turn, const struct job *job)
{
    return performer_place(job->performer) == PERFORMED_INSIDE && job->available_ms <= turn->now_ms;
}

/* Jobs that were open before and still are. */
static bool keeps_jobs(const struct loaded *loaded, const struct effects *effects)
{
    const struct instance *before = loaded->written;
    size_t open = 0;
    for (size_t i = 0; before && i < before->job_count; i++)
        open += reaches(before, before->job[i].execution);
    return open > effects->job_closed_count;
}

/* Polls that name several queues can take no more jobs than they have asked for. */
static bool have_workers_room(const struct engine *engine)
{
    const struct offers *offers = &engine->nodes.offers;
    return engine->memory.jobs.ready_workers + offers->promised <
           engine->memory.jobs.waiting_wanted + offers->asked + offers->expected_count;
}

/* Jobs that are ready although nobody waits are for those who come. */
static size_t still_expected(const struct engine *engine, str queue, const struct shared_jobs_want *want)
{
    if (!want->expected || polls_wait_for(&engine->memory.jobs, queue)) return want->expected;
    size_t ready = EXPECTED_MAX - jobs_room(&engine->memory.jobs, queue, EXPECTED_MAX);
    return want->expected > ready ? want->expected - ready : 0;
}

/* Is there a poll here that the job can go to, or will there be one before any elsewhere? */
static bool is_wanted(struct turn *turn, int32_t ns, const struct job *job)
{
    struct engine *engine = turn->engine;
    enum performer_place place = performer_place(job->performer);
    if (place == PERFORMED_INSIDE) return true;
    str queue = jobs_queue_name(ns, job, &turn->arena);
    struct shared_jobs_want *want = shared_jobs_want_of(turn, queue);
    size_t waiting = polls_wanted(&engine->memory.jobs, queue) + want->asked;
    size_t wanted = waiting + still_expected(engine, queue, want);
    bool empty = empty_queues_has(engine, queue);
    if (empty) wanted += jobs_room(&engine->memory.jobs, queue, CLAIM_JOBS_MAX);
    if (wanted <= want->promised) return false;
    if (place == PERFORMED_OUTSIDE && !empty && !have_workers_room(engine)) return false;
    if (want->promised >= waiting && !empty && !engine->nodes.offers.release_ms)
        engine->nodes.offers.release_ms = turn->now_ms + EXPECTED_MS;
    want->promised++;
    engine->nodes.offers.promised += place == PERFORMED_OUTSIDE;
    return true;
}

static struct job_row row_of(int32_t ns, uint64_t instance, const struct job *job, int32_t priority,
                             struct arena *arena)
{
    return (struct job_row){ .instance = instance,
                             .number = job->number,
                             .queue = jobs_queue_name(ns, job, arena),
                             .priority = priority < PRIORITY_COUNT ? priority : PRIORITY_COUNT - 1,
                             .available_ms = job->available_ms };
}

/* A job that was out of reach and begins anew, by a retry. The worker that had it before may still report:
 * only the delivery tells other nodes that the report is not about the job as it is now. So its deliveries
 * are counted from another number than those before, and it has a row. */
static bool begins_anew(const struct loaded *loaded, const struct job *job)
{
    return loaded->written && instance_find_job(loaded->written, job->number);
}

static uint8_t first_delivery(const struct loaded *loaded)
{
    enum { APART = 37 }; /* Odd, and two revisions make more than a few deliveries. */
    return (uint8_t)(loaded->now->revision * APART);
}

static void decide_opened(struct turn *turn, const struct loaded *loaded, bool may_hold,
                          struct effects *effects, bool *ret_holds)
{
    must(!effects->job_offered_count && !effects->is_offered);
    effects->is_offered = arena_make_n(&turn->arena, bool, effects->job_opened_count);
    effects->job_offered = arena_make_n(&turn->arena, struct job_row, effects->job_opened_count);
    for (size_t i = 0; i < effects->job_opened_count; i++) {
        const struct job *job = effects->job_opened[i];
        bool settled = is_settled_inside(turn, job);
        /* A unit has handed it out already. Memory's other knowledge is of a life that another node ended. */
        const struct open_job *known = jobs_find(&turn->engine->memory.jobs, effects->instance, job->number);
        bool is_ours = known && known->of_unit;
        bool anew = begins_anew(loaded, job);
        bool held =
            !settled && may_hold && (is_ours || (!anew && is_wanted(turn, loaded->definition->ns, job)));
        *ret_holds |= held;
        effects->is_offered[i] = !held && !settled;
        if (!effects->is_offered[i]) continue;
        struct job_row *row = &effects->job_offered[effects->job_offered_count++];
        *row =
            row_of(loaded->definition->ns, effects->instance, job, effects->program->priority, &turn->arena);
        empty_queues_remove(&turn->engine->nodes.offers, row->queue);
        row->claimed = is_ours ? store_node(turn->engine->store) : 0;
        if (anew && !is_ours) row->delivery = first_delivery(loaded);
    }
    turn->engine->nodes.offers.written |= effects->job_offered_count > 0;
}

static void drop_row(struct effects *effects, uint32_t number)
{
    must(effects->job_dropped_count < effects->job_closed_count + effects->job_opened_count);
    effects->job_dropped[effects->job_dropped_count++] =
        (struct job_row){ .instance = effects->instance, .number = number };
}

/* A job that we hold has no row. Whether one has that we do not know, only the store can tell. A job that was
 * out of reach begins anew: a row that was left behind must not tell of its former life. */
static void decide_closed(struct turn *turn, const struct loaded *loaded, struct effects *effects)
{
    effects->job_dropped =
        arena_make_n(&turn->arena, struct job_row, effects->job_closed_count + effects->job_opened_count);
    for (size_t i = 0; i < effects->job_opened_count; i++)
        if (!effects->is_offered[i] && begins_anew(loaded, effects->job_opened[i]))
            drop_row(effects, effects->job_opened[i]->number);
    for (size_t i = 0; i < effects->job_closed_count; i++) {
        const struct open_job *open =
            jobs_find(&turn->engine->memory.jobs, effects->instance, effects->job_closed[i]);
        if (open && !open->has_row) continue;
        drop_row(effects, effects->job_closed[i]);
    }
}

void shared_jobs_decide(struct turn *turn, struct loaded *loaded, struct effects *effects,
                        struct instance_row *row)
{
    if (!turn->engine->nodes.shared) return;
    int64_t self = store_node(turn->engine->store);
    must(self > 0);
    bool keeps = keeps_jobs(loaded, effects), holds = false;
    if (effects->job_opened_count)
        decide_opened(turn, loaded, !keeps || !loaded->holder || loaded->holder == self, effects, &holds);
    if (effects->job_opened_count || effects->job_closed_count) decide_closed(turn, loaded, effects);
    row->holder = holds ? self : keeps ? loaded->holder : 0;
    loaded->holder = row->holder;
}

void shared_jobs_end(struct turn *turn, bool committed)
{
    struct offers *offers = &turn->engine->nodes.offers;
    size_t cursor = 0;
    /* Jobs that are held are in the queues now, if it has committed. */
    for (struct shared_jobs_want *want; (want = text_map_next(&offers->wanted, &cursor)) != NULL;)
        want->promised = 0;
    offers->promised = 0;
    if (offers->written && committed) offers->may_be = true;
    if (offers->written && committed) nodes_wake_others(turn->engine, STORE_WAKE_JOBS);
    offers->written = false;
}

/* ---- jobs of an instance ---- */

size_t shared_jobs_of_dead(int32_t ns, const struct instance *instance, int32_t priority, struct arena *arena,
                           struct job_row **ret_row)
{
    size_t count = 0;
    *ret_row = arena_make_n(arena, struct job_row, instance->job_count);
    for (size_t i = 0; i < instance->job_count; i++) {
        if (!reaches(instance, instance->job[i].execution)) continue;
        struct job_row *row = &(*ret_row)[count++];
        *row = row_of(ns, instance->id, &instance->job[i], priority, arena);
        row->delivery = 1; /* The dead node may have handed it out. */
    }
    return count;
}

const struct job *shared_jobs_open_job(const struct instance *instance, uint32_t number)
{
    const struct job *job = instance_find_job(instance, number);
    return job && reaches(instance, job->execution) ? job : NULL;
}
