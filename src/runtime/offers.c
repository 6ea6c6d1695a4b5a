#include "runtime/offers.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/engine_int.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    SPILL_MS = 100,         /* So long a job waits for a poll here before others may have it… */
    COMING_MS = 20,         /* … and so long for a worker that is likely to come back. */
    AGAIN_MS = 5,           /* So soon we look once more for what another node has told us of. */
    DISAPPOINTED_MS = 1000, /* So long nobody is expected after one who did not come. */
    FAILED_HOLD_MS = 200,   /* So long nothing is sent after a failure. */
    DRY_BEATS = 5,          /* So long a queue is known to be dry after its last poll that found nothing. */
};

/* What polls of this turn want of one queue. */
struct offers_want {
    size_t asked;    /* By polls of this turn that found nothing yet. */
    size_t coming;   /* Workers that have just done a job and polled for this queue before. */
    size_t promised; /* Jobs that the transaction holds for polls. */
    bool at_once;    /* A poll does not wait, or is the first that does. */
};

void offers_init(struct offers *offers)
{
    *offers = (struct offers){ .may_be = true };
    text_map_init(&offers->wanted);
    text_map_init(&offers->dry);
}

static void free_back(struct offers *offers)
{
    for (size_t i = 0; i < offers->back_count; i++) free((void *)(uintptr_t)offers->back[i].queue.p);
    offers->back_count = 0;
}

void offers_done(struct offers *offers)
{
    free_back(offers);
    free(offers->back);
    text_map_done(&offers->wanted);
    struct dry_queue *dry;
    for (size_t cursor = 0; (dry = text_map_next(&offers->dry, &cursor)) != NULL;) free(dry);
    text_map_done(&offers->dry);
}

/* ---- queues that are dry ---- */

struct dry_queue {
    int beats; /* Since a poll found nothing there. */
    str name;
    char bytes[];
};

static void forget_dry(struct offers *offers, str queue) { free(text_map_take(&offers->dry, queue)); }

/* What nobody polls for any more is forgotten. A poll that finds a job at once is not seen here. */
static void forget_dry_unless_polled(struct offers *offers)
{
    struct dry_queue *dry, *idle[CLAIM_QUEUES_MAX];
    size_t count = 0, cursor = 0;
    while ((dry = text_map_next(&offers->dry, &cursor)) != NULL)
        if (++dry->beats > DRY_BEATS) idle[count++] = dry;
    for (size_t i = 0; i < count; i++) forget_dry(offers, idle[i]->name);
}

static bool is_dry(const struct engine *engine, str queue)
{
    return !nodes_have_others(engine) && text_map_get(&engine->offers.dry, queue);
}

static void note_dry(struct offers *offers, str queue)
{
    if (text_map_get(&offers->dry, queue) || offers->dry.count == CLAIM_QUEUES_MAX) return;
    struct dry_queue *dry = malloc(sizeof *dry + queue.n);
    must(dry);
    *dry = (struct dry_queue){ .name = { dry->bytes, queue.n } };
    memcpy(dry->bytes, queue.p, queue.n);
    text_map_put(&offers->dry, dry->name, dry);
}

/* A claim has had all that there was of a queue that gave less than was asked for. False: some may be left.
 */
static bool note_claimed(struct offers *offers, const struct job_claim *claim, const struct job_row *row,
                         size_t row_count)
{
    size_t found = 0;
    for (size_t i = 0; i < row_count; i++) found += str_equal(row[i].queue, claim->queue);
    if (found < claim->max) note_dry(offers, claim->queue);
    else forget_dry(offers, claim->queue);
    return found < claim->max;
}

/* ---- what polls want ---- */

/* Of those that come back, who has polled for the queue lately. */
static size_t count_coming(const struct turn *turn, str queue)
{
    const struct offers *offers = &turn->engine->offers;
    size_t count = 0;
    for (size_t i = 0; i < offers->coming_count; i++) {
        const struct coming *coming = &offers->coming[i];
        count += pulse_polls(&turn->engine->pulse, queue, (str){ coming->worker, coming->n }, turn->now_ms);
    }
    return count;
}

static struct offers_want *want_of(struct turn *turn, str queue)
{
    struct text_map *wanted = &turn->engine->offers.wanted;
    struct offers_want *want = text_map_get(wanted, queue);
    if (want) return want;
    want = arena_make(&turn->arena, struct offers_want);
    *want = (struct offers_want){ .coming = count_coming(turn, queue) };
    text_map_put(wanted, arena_str(&turn->arena, queue), want);
    return want;
}

static void ask(struct turn *turn, const struct call *call)
{
    const struct call_poll *poll = call_poll_of(call);
    if (!call->performs) turn->engine->offers.asked += poll->max;
    for (size_t i = 0; i < poll->type_count; i++) {
        struct offers_want *want = want_of(turn, poll->type[i]);
        struct dry_queue *dry = text_map_get(&turn->engine->offers.dry, poll->type[i]);
        if (dry) dry->beats = 0;
        want->asked += poll->max;
        want->at_once |= poll->wait_ms <= 0 || !polls_wait_for(&turn->engine->jobs, poll->type[i]);
    }
}

void offers_ask(struct turn *turn, const struct call *call)
{
    if (turn->engine->nodes.shared && call->kind == CALL_BATCH) ask(turn, call);
}

/* ---- workers that come back ---- */

/* A worker whose job this node has handed out completes it here, and so polls here again, as a rule. What its
 * completion opens, or somebody else does, need not be offered to all for that moment. */
static void expect_back(struct turn *turn, const struct call *call)
{
    struct offers *offers = &turn->engine->offers;
    const struct id *id = &call->as.job.id;
    const struct open_job *open = jobs_find(&turn->engine->jobs, id->instance, id->number);
    if (!open || !open->worker.n || open->worker.n > sizeof offers->coming[0].worker ||
        offers->coming_count == COMING_MAX)
        return;
    struct coming *coming = &offers->coming[offers->coming_count++];
    *coming = (struct coming){ .until_ms = turn->now_ms + COMING_MS, .n = open->worker.n };
    memcpy(coming->worker, open->worker.p, open->worker.n);
}

static void stop_expecting(struct offers *offers, size_t at)
{
    offers->coming[at] = offers->coming[--offers->coming_count];
}

void offers_meet(struct engine *engine, str worker)
{
    struct offers *offers = &engine->offers;
    for (size_t i = 0; i < offers->coming_count; i++) {
        const struct coming *coming = &offers->coming[i];
        if (!str_equal((str){ coming->worker, coming->n }, worker)) continue;
        stop_expecting(offers, i);
        return;
    }
}

static void expect_all(struct turn *turn)
{
    struct offers *offers = &turn->engine->offers;
    for (size_t i = offers->coming_count; i-- > 0;) {
        if (offers->coming[i].until_ms > turn->now_ms) continue;
        stop_expecting(offers, i);
        offers->disappointed_ms = turn->now_ms + DISAPPOINTED_MS;
    }
    if (!nodes_have_others(turn->engine) || turn->now_ms < offers->disappointed_ms) offers->coming_count = 0;
    else
        for (const struct call *call = turn->engine->writers.first; call; call = call->next_)
            if (call->kind == CALL_COMPLETE_JOB) expect_back(turn, call);
}

void offers_begin(struct turn *turn)
{
    if (!turn->engine->nodes.shared) return;
    expect_all(turn);
    for (const struct call *call = turn->polls.first; call; call = call->next_) ask(turn, call);
    for (const struct call *call = turn->engine->writers.first; call; call = call->next_)
        if (call->kind == CALL_BATCH) ask(turn, call);
}

void offers_forget(struct turn *turn)
{
    struct text_map *wanted = &turn->engine->offers.wanted;
    turn->engine->offers.asked = 0;
    if (!wanted->count) return;
    text_map_done(wanted); /* What it names is in the turn's arena. */
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
    const struct offers *offers = &engine->offers;
    return engine->jobs.ready_workers + offers->promised <
           engine->jobs.waiting_wanted + offers->asked + offers->coming_count;
}

/* Jobs that are ready although nobody waits are for those who come. */
static size_t still_coming(const struct engine *engine, str queue, const struct offers_want *want)
{
    if (!want->coming || polls_wait_for(&engine->jobs, queue)) return want->coming;
    size_t ready = COMING_MAX - jobs_room(&engine->jobs, queue, COMING_MAX);
    return want->coming > ready ? want->coming - ready : 0;
}

/* Is there a poll here that the job can go to, or will there be one before any elsewhere? */
static bool is_wanted(struct turn *turn, const struct job *job)
{
    struct engine *engine = turn->engine;
    enum performer_place place = performer_place(job->performer);
    if (place == PERFORMED_INSIDE) return true;
    str queue = performer_queue(job->performer, job->type);
    struct offers_want *want = want_of(turn, queue);
    size_t waiting = polls_wanted(&engine->jobs, queue) + want->asked;
    size_t wanted = waiting + still_coming(engine, queue, want);
    bool dry = is_dry(engine, queue);
    if (dry) wanted += jobs_room(&engine->jobs, queue, CLAIM_JOBS_MAX);
    if (wanted <= want->promised) return false;
    if (place == PERFORMED_OUTSIDE && !dry && !have_workers_room(engine)) return false;
    if (want->promised >= waiting && !dry && !engine->offers.spill_ms)
        engine->offers.spill_ms = turn->now_ms + COMING_MS;
    want->promised++;
    engine->offers.promised += place == PERFORMED_OUTSIDE;
    return true;
}

static struct job_row row_of(uint64_t instance, const struct job *job, int32_t priority)
{
    return (struct job_row){ .instance = instance,
                             .number = job->number,
                             .queue = performer_queue(job->performer, job->type),
                             .priority = priority < PRIORITY_COUNT ? priority : PRIORITY_COUNT - 1,
                             .available_ms = job->available_ms };
}

/* A job that was out of reach and begins anew, by a retry. Whoever had it before may still report: only the
 * delivery tells other nodes that the report is not about the job as it is now. So its deliveries are counted
 * from another number than those before, and it has a row. */
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
    effects->is_offered = arena_make_n(&turn->arena, bool, effects->job_opened_count);
    effects->job_offered = arena_make_n(&turn->arena, struct job_row, effects->job_opened_count);
    for (size_t i = 0; i < effects->job_opened_count; i++) {
        const struct job *job = effects->job_opened[i];
        bool settled = is_settled_inside(turn, job);
        /* A unit has handed it out already. */
        bool is_ours = jobs_find(&turn->engine->jobs, effects->instance, job->number) != NULL;
        bool anew = begins_anew(loaded, job);
        bool held = !settled && may_hold && (is_ours || (!anew && is_wanted(turn, job)));
        *ret_holds |= held;
        effects->is_offered[i] = !held && !settled;
        if (!effects->is_offered[i]) continue;
        forget_dry(&turn->engine->offers, performer_queue(job->performer, job->type));
        struct job_row *row = &effects->job_offered[effects->job_offered_count++];
        *row = row_of(effects->instance, job, effects->program->priority);
        row->claimed = is_ours ? store_node(turn->engine->store) : 0;
        if (anew && !is_ours) row->delivery = first_delivery(loaded);
    }
    turn->engine->offers.written |= effects->job_offered_count > 0;
}

static void drop_row(struct effects *effects, uint32_t number)
{
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
            jobs_find(&turn->engine->jobs, effects->instance, effects->job_closed[i]);
        if (open && !open->has_row) continue;
        drop_row(effects, effects->job_closed[i]);
    }
}

void offers_decide(struct turn *turn, struct loaded *loaded, struct effects *effects,
                   struct instance_row *row)
{
    if (!turn->engine->nodes.shared) return;
    int64_t self = store_node(turn->engine->store);
    bool keeps = keeps_jobs(loaded, effects), holds = false;
    if (effects->job_opened_count)
        decide_opened(turn, loaded, !keeps || !loaded->holder || loaded->holder == self, effects, &holds);
    if (effects->job_opened_count || effects->job_closed_count) decide_closed(turn, loaded, effects);
    row->holder = holds ? self : keeps ? loaded->holder : 0;
    loaded->holder = row->holder;
}

void offers_end(struct turn *turn, bool committed)
{
    struct offers *offers = &turn->engine->offers;
    size_t cursor = 0;
    /* Jobs that are held are in the queues now, if it has committed. */
    for (struct offers_want *want; (want = text_map_next(&offers->wanted, &cursor)) != NULL;)
        want->promised = 0;
    offers->promised = 0;
    if (offers->written && committed) offers->may_be = true;
    if (offers->written && committed && nodes_have_others(turn->engine))
        store_wake_others(turn->engine->store);
    offers->written = false;
}

/* ---- giving back ---- */

void offers_give_back(struct engine *engine, struct open_job *job, bool was_handed_out)
{
    struct offers *offers = &engine->offers;
    str queue = jobs_type_of(job);
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
    jobs_remove(&engine->jobs, job->instance, job->number);
}

/* Only this node can hand it out: a child is settled by whoever has its job, and units are in memory. */
static bool is_local(const struct open_job *job)
{
    return job->of_unit || str_equal(jobs_type_of(job), performer_queue(PERFORM_CHILD, STR_NONE));
}

void offers_expire(struct engine *engine, struct open_job *job)
{
    if (engine->nodes.shared && !is_local(job)) offers_give_back(engine, job, true);
    else jobs_expire(&engine->jobs, job, engine->turn.now_ms);
}

static const struct job *open_job_in(const struct instance *instance, uint32_t number)
{
    const struct job *job = instance_find_job(instance, number);
    return job && reaches(instance, job->execution) ? job : NULL;
}

static bool is_closed(const struct job_row *row, const struct instance_row *of, size_t count,
                      struct arena *arena)
{
    const struct instance *instance;
    struct error why;
    size_t i = 0;
    while (i < count && of[i].id != row->instance) i++;
    if (i == count) return true;                                                       /* It was purged. */
    if (core_decode(of[i].state, NULL, arena, &instance, &why) != ST_OK) return false; /* Damaged. */
    return !open_job_in(instance, row->number);
}

/* A job whose lease ran out may have been closed by another node: then nobody is to have it again. Looks at
 * the first of them; `*ret_left` is how many are left and to be offered. */
static enum status drop_closed(struct engine *engine, struct job_row *row, size_t count, size_t *ret_left,
                               struct error *err)
{
    struct arena *arena = &engine->turn.arena;
    struct instance_row *instance;
    uint64_t id[CLAIM_JOBS_MAX];
    size_t wanted = 0, found = 0, left = 0;
    for (size_t i = 0; i < count; i++)
        if (row[i].delivery) id[wanted++] = row[i].instance;
    if (wanted) TRY(store_load_instances(engine->store, id, wanted, arena, &instance, &found, err));
    for (size_t i = 0; i < count; i++) {
        if (row[i].delivery && is_closed(&row[i], instance, found, arena))
            free((void *)(uintptr_t)row[i].queue.p);
        else row[left++] = row[i];
    }
    *ret_left = left;
    return ST_OK;
}

/* Offers the last of those that were given back. */
static enum status send_some(struct engine *engine, struct error *err)
{
    struct offers *offers = &engine->offers;
    size_t count = offers->back_count < CLAIM_JOBS_MAX ? offers->back_count : CLAIM_JOBS_MAX, left;
    size_t first = offers->back_count - count;
    TRY(drop_closed(engine, offers->back + first, count, &left, err));
    offers->back_count = first + left;
    if (left) TRY(store_offer_jobs(engine->store, offers->back + first, left, engine->turn.now_ms, err));
    metric_add(&engine->metrics->jobs_offered, left);
    while (offers->back_count > first) {
        str queue = offers->back[--offers->back_count].queue;
        forget_dry(offers, queue);
        free((void *)(uintptr_t)queue.p);
    }
    return ST_OK;
}

void offers_send(struct engine *engine)
{
    struct offers *offers = &engine->offers;
    struct error err;
    enum status status = ST_OK;
    if (!offers->back_count || engine->broken || engine->turn.now_ms < offers->hold_ms) return;
    while (offers->back_count && status == ST_OK) status = send_some(engine, &err);
    if (status != ST_OK) {
        offers->hold_ms = engine->turn.now_ms + FAILED_HOLD_MS;
        log_write(LOG_WARN, "jobs cannot be offered yet", "reason", err.message, NULL);
        return;
    }
    offers->may_be = true;
    if (nodes_have_others(engine)) store_wake_others(engine->store);
}

struct spill {
    int64_t before_ms;
    struct open_job *job[SPILL_MAX];
    size_t count;
};

static bool see_ready(void *context, struct open_job *job)
{
    struct spill *spill = context;
    if (is_local(job) || job->ready_ms > spill->before_ms) return true;
    spill->job[spill->count++] = job;
    return spill->count < SPILL_MAX;
}

static void spill_older(struct engine *engine, int64_t age_ms)
{
    struct spill spill = { .before_ms = engine->turn.now_ms - age_ms };
    jobs_each_ready(&engine->jobs, see_ready, &spill);
    for (size_t i = 0; i < spill.count; i++) offers_give_back(engine, spill.job[i], false);
}

void offers_spill(struct engine *engine) { spill_older(engine, SPILL_MS); }

void offers_go_on(struct engine *engine)
{
    struct offers *offers = &engine->offers;
    if (!offers->spill_ms || engine->turn.now_ms < offers->spill_ms) return;
    offers->spill_ms = 0;
    if (offers->looks_again) offers->may_be = true;
    offers->looks_again = false;
    if (!nodes_have_others(engine)) return;
    spill_older(engine, COMING_MS);
    if (engine->jobs.ready_workers) offers->spill_ms = engine->turn.now_ms + COMING_MS;
}

/* ---- claiming ---- */

void offers_expect(struct engine *engine)
{
    engine->offers.may_be = engine->offers.may_be_wet = true;
    forget_dry_unless_polled(&engine->offers);
}

static size_t add_claim(struct job_claim claim[CLAIM_QUEUES_MAX], size_t count, str queue, size_t max)
{
    if (!max || count == CLAIM_QUEUES_MAX) return count;
    for (size_t i = 0; i < count; i++)
        if (str_equal(claim[i].queue, queue)) return count;
    claim[count] = (struct job_claim){ queue, max < CLAIM_JOBS_MAX ? max : CLAIM_JOBS_MAX };
    return count + 1;
}

/* What has become available since: its place is before younger jobs that are held. */
static size_t add_dry(const struct engine *engine, struct job_claim claim[CLAIM_QUEUES_MAX], size_t count)
{
    const struct dry_queue *dry;
    for (size_t cursor = 0; (dry = text_map_next(&engine->offers.dry, &cursor)) != NULL;)
        count = add_claim(claim, count, dry->name, jobs_room(&engine->jobs, dry->name, CLAIM_JOBS_MAX));
    return count;
}

/* Workers of other nodes may wait for what workers here cannot take. A poll that names several queues takes
 * no more jobs because of that, so the queues share what is left; each has one at least, as what is ready may
 * be of other queues. */
static void share_room(const struct engine *engine, struct job_claim claim[CLAIM_QUEUES_MAX], size_t count)
{
    size_t wanted = engine->jobs.waiting_wanted + engine->offers.asked, queues = 0;
    size_t room = wanted > engine->jobs.ready_workers ? wanted - engine->jobs.ready_workers : 0;
    for (size_t i = 0; i < count; i++) queues += !performer_queue_is_reserved(claim[i].queue);
    for (size_t i = 0; i < count; i++) {
        size_t share = room > queues ? (room + queues - 1) / queues : 1;
        if (!performer_queue_is_reserved(claim[i].queue) && claim[i].max > share) claim[i].max = share;
    }
}

/* What polls want that found nothing: those of this turn, and those that wait. */
static size_t gather_claims(struct turn *turn, struct job_claim claim[CLAIM_QUEUES_MAX])
{
    struct engine *engine = turn->engine;
    struct offers *offers = &engine->offers;
    size_t count = 0, cursor = 0;
    str type, child = performer_queue(PERFORM_CHILD, STR_NONE);
    for (const struct call *call = turn->polls.first; call; call = call->next_) {
        const struct call_poll *poll = call_poll_of(call);
        for (size_t i = 0; i < poll->type_count; i++) {
            struct offers_want *want = want_of(turn, poll->type[i]);
            if (!want->asked || (!offers->may_be && !want->at_once) || is_dry(engine, poll->type[i]))
                continue;
            if (!jobs_best(&engine->jobs, &poll->type[i], 1))
                count = add_claim(claim, count, poll->type[i],
                                  want->asked + polls_wanted(&engine->jobs, poll->type[i]));
            want->at_once = false;
        }
    }
    while (offers->may_be && polls_next_type(&engine->jobs, &cursor, &type))
        if (!is_dry(engine, type)) count = add_claim(claim, count, type, polls_wanted(&engine->jobs, type));
    if (nodes_have_others(engine)) share_room(engine, claim, count);
    else if (offers->may_be_wet) count = add_dry(engine, claim, count);
    if (offers->may_be && nodes_lead(engine)) count = add_claim(claim, count, child, CLAIM_JOBS_MAX);
    return count;
}

/* Polls of this turn may wait soon. Queues where a job was ready were left out. */
static bool covers_polls(const struct turn *turn, const struct job_claim *claim, size_t count)
{
    for (const struct call *call = turn->polls.first; call; call = call->next_) {
        const struct call_poll *poll = call_poll_of(call);
        for (size_t i = 0; i < poll->type_count; i++) {
            size_t k = 0;
            while (k < count && !str_equal(claim[k].queue, poll->type[i])) k++;
            if (k == count) return false;
        }
    }
    return true;
}

/* What we have claimed was offered, whatever we heard of it: it is not to be offered again. */
static void keep(struct offers *offers, uint64_t instance, uint32_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < offers->back_count; i++) {
        if (offers->back[i].instance == instance && offers->back[i].number == number)
            free((void *)(uintptr_t)offers->back[i].queue.p);
        else offers->back[kept++] = offers->back[i];
    }
    offers->back_count = kept;
}

/* False: the job is closed. */
static bool take_claimed(struct turn *turn, const struct job_row *row, const struct instance_row *of)
{
    const struct instance *instance;
    struct error why;
    if (!of->id) return false; /* It was purged. */
    if (core_decode(of->state, NULL, &turn->arena, &instance, &why) != ST_OK) return true; /* Damaged. */
    const struct job *job = open_job_in(instance, row->number);
    if (!job) return false;
    keep(&turn->engine->offers, row->instance, row->number);
    /* The job was offered, so a lease that our memory has was shortened at another node, and is over. */
    struct open_job *open = jobs_find(&turn->engine->jobs, row->instance, row->number);
    if (open && !open->of_unit) jobs_remove(&turn->engine->jobs, row->instance, row->number);
    open = jobs_add(&turn->engine->jobs, row->instance, job, (uint8_t)row->priority, turn->now_ms);
    open->has_row = true;
    open->delivery = row->delivery;
    open->claimed_ms = turn->now_ms;
    open->ready_ms = row->available_ms; /* The older one comes first, whenever they were claimed. */
    cache_put(&turn->engine->cache, of);
    return true;
}

static void take_all_claimed(struct turn *turn, const struct job_row *row,
                             const struct instance_row *instance, size_t count)
{
    struct job_row *closed = arena_make_n(&turn->arena, struct job_row, count);
    size_t closed_count = 0;
    struct error err;
    for (size_t i = 0; i < count; i++)
        if (!take_claimed(turn, &row[i], &instance[i])) closed[closed_count++] = row[i];
    if (closed_count) store_drop_jobs(turn->engine->store, closed, closed_count, &err);
    metric_add(&turn->engine->metrics->jobs_claimed, count);
}

static bool is_ours(const struct engine *engine, const struct job_row *row)
{
    for (size_t i = 0; i < engine->offers.back_count; i++)
        if (engine->offers.back[i].instance == row->instance && engine->offers.back[i].number == row->number)
            return true;
    return jobs_find(&engine->jobs, row->instance, row->number) != NULL;
}

/* The answer to a claim was lost: what we have claimed and do not know is taken now. A row with a lease of
 * its own is looked after by everybody. */
static enum status find_claimed(struct turn *turn, struct error *err)
{
    struct engine *engine = turn->engine;
    struct job_row *row, last;
    struct instance_row *instance;
    size_t count;
    for (const struct job_row *after = NULL;; after = &last) {
        TRY(store_claimed_jobs(engine->store, after, CLAIM_JOBS_MAX, &turn->arena, &row, &instance, &count,
                               err));
        for (size_t i = 0; i < count; i++)
            if (!row[i].lease_ms && !is_ours(engine, &row[i]))
                take_all_claimed(turn, &row[i], &instance[i], 1);
        if (count < CLAIM_JOBS_MAX) break;
        last = row[count - 1];
    }
    engine->offers.is_unsure = false;
    return ST_OK;
}

/* Another node has woken us. If we know of none, it is a new one. */
static void hear(struct turn *turn)
{
    offers_expect(turn->engine);
    if (!nodes_have_others(turn->engine)) turn->engine->nodes.next_beat_ms = turn->now_ms;
}

/* What we have heard of may have been offered after our turn began: then it is not available to it. */
static void look_again(struct turn *turn)
{
    struct offers *offers = &turn->engine->offers;
    int64_t soon_ms = turn->now_ms + AGAIN_MS;
    offers->looks_again = true;
    if (!offers->spill_ms || offers->spill_ms > soon_ms) offers->spill_ms = soon_ms;
}

void offers_claim(struct turn *turn)
{
    struct engine *engine = turn->engine;
    struct job_claim claim[CLAIM_QUEUES_MAX];
    struct job_row *row;
    struct instance_row *instance;
    size_t count;
    struct error err;
    if (!engine->nodes.shared || engine->broken || engine->draining) return;
    bool heard = atomic_exchange(&engine->offers.heard, false);
    if (heard) hear(turn);
    if (engine->offers.is_unsure && find_claimed(turn, &err) != ST_OK) return;
    size_t claims = gather_claims(turn, claim);
    if (!claims) return;
    metric_add(&engine->metrics->claims, 1);
    enum status status = store_claim_jobs(engine->store, claim, claims, turn->now_ms, &turn->arena, &row,
                                          &instance, &count, &err);
    engine->offers.is_unsure = status == ST_STORE;
    if (status != ST_OK) return; /* The next beat tries it again. */
    take_all_claimed(turn, row, instance, count);
    for (size_t i = 0; i < count; i++) {
        struct offers_want *want = want_of(turn, row[i].queue);
        want->asked -= want->asked > 0;
    }
    /* If one queue has given all that was asked for, there may be more. */
    engine->offers.may_be_wet = false;
    engine->offers.may_be &= !covers_polls(turn, claim, claims);
    for (size_t i = 0; i < claims; i++)
        if (!note_claimed(&engine->offers, &claim[i], row, count)) engine->offers.may_be = true;
    if (heard) look_again(turn);
}

/* What is offered is older than what the turn opens, and comes first. But to claim before each turn would
 * make all jobs of busy nodes rows; where much happens at once nobody can tell the order. */
void offers_claim_first(struct turn *turn)
{
    enum { FEW_CALLS = 4 };
    const struct engine *engine = turn->engine;
    bool few = turn->polls.count + engine->writers.count <= FEW_CALLS;
    if (few || !nodes_have_others(engine)) offers_claim(turn);
}

/* ---- others ---- */

size_t offers_of_dead(const struct instance *instance, int32_t priority, struct arena *arena,
                      struct job_row **ret_row)
{
    size_t count = 0;
    *ret_row = arena_make_n(arena, struct job_row, instance->job_count);
    for (size_t i = 0; i < instance->job_count; i++) {
        if (!reaches(instance, instance->job[i].execution)) continue;
        struct job_row *row = &(*ret_row)[count++];
        *row = row_of(instance->id, &instance->job[i], priority);
        row->delivery = 1; /* The dead node may have handed it out. */
    }
    return count;
}
