/* runtime/nodes/claim.c — claims what is offered, for polls that would find nothing. */
#include "runtime/nodes/nodes_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { AGAIN_MS = 5 }; /* So soon we look once more for what another node has told us of. */

/* A claim has had all that there was of a queue that gave less than was asked for. False: some may be left.
 */
static bool note_claimed(struct offers *offers, const struct job_claim *claim, const struct job_row *row,
                         size_t row_count)
{
    size_t found = 0;
    for (size_t i = 0; i < row_count; i++) found += str_equal(row[i].queue, claim->queue);
    if (found < claim->max) empty_queues_add(offers, claim->queue);
    else empty_queues_remove(offers, claim->queue);
    return found < claim->max;
}

void claim_note_offer(struct engine *engine)
{
    engine->nodes.offers.may_be = engine->nodes.offers.may_have_offers = true;
    empty_queues_age(&engine->nodes.offers);
}

void claim_note_none(struct engine *engine) { empty_queues_age(&engine->nodes.offers); }

static bool has_claim(const struct job_claim *claim, size_t count, str queue)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(claim[i].queue, queue)) return true;
    return false;
}

static size_t add_claim(struct job_claim claim[CLAIM_QUEUES_MAX], size_t count, str queue, size_t max)
{
    if (!max || count == CLAIM_QUEUES_MAX || has_claim(claim, count, queue)) return count;
    claim[count] = (struct job_claim){ queue, max < CLAIM_JOBS_MAX ? max : CLAIM_JOBS_MAX };
    return count + 1;
}

/* An empty queue may have got jobs since, and they come before younger jobs that are held. If the claim has
 * no place for a queue, the node forgets that it was empty: its polls claim it, and others are left out next
 * time. */
static size_t add_empty(struct engine *engine, struct job_claim claim[CLAIM_QUEUES_MAX], size_t count)
{
    const struct empty_queue *empty, *left[CLAIM_QUEUES_MAX];
    size_t left_count = 0;
    for (size_t cursor = 0; (empty = text_map_next(&engine->nodes.offers.empty, &cursor)) != NULL;) {
        if (count == CLAIM_QUEUES_MAX && !has_claim(claim, count, empty->name)) left[left_count++] = empty;
        count = add_claim(claim, count, empty->name,
                          jobs_room(&engine->memory.jobs, empty->name, CLAIM_JOBS_MAX));
    }
    must(left_count <= CLAIM_QUEUES_MAX);
    for (size_t i = 0; i < left_count; i++) empty_queues_remove(&engine->nodes.offers, left[i]->name);
    return count;
}

/* Workers of other nodes may wait for what workers here cannot take. A poll that names several queues takes
 * no more jobs because of that, so the queues share what is left; each has one at least, as what is ready may
 * be of other queues. */
static void share_room(const struct engine *engine, struct job_claim claim[CLAIM_QUEUES_MAX], size_t count)
{
    size_t wanted = engine->memory.jobs.waiting_wanted + engine->nodes.offers.asked, queues = 0;
    size_t room = wanted > engine->memory.jobs.ready_workers ? wanted - engine->memory.jobs.ready_workers : 0;
    for (size_t i = 0; i < count; i++) queues += !performer_queue_is_reserved(claim[i].queue);
    if (!queues) return;
    size_t share = room > queues ? (room + queues - 1) / queues : 1;
    for (size_t i = 0; i < count; i++)
        if (!performer_queue_is_reserved(claim[i].queue) && claim[i].max > share) claim[i].max = share;
}

/* If polls wait in more queues than fit into a claim, the next one goes on behind them. */
static size_t add_waiting(struct engine *engine, struct job_claim claim[CLAIM_QUEUES_MAX], size_t count)
{
    struct offers *offers = &engine->nodes.offers;
    size_t cursor = 0, place = 0, passed = offers->passed;
    offers->passed = 0;
    for (str type; polls_next_type(&engine->memory.jobs, &cursor, &type); place++) {
        if (place < passed || empty_queues_has(engine, type)) continue;
        if (count == CLAIM_QUEUES_MAX) {
            offers->passed = place;
            break;
        }
        count = add_claim(claim, count, type, polls_wanted(&engine->memory.jobs, type));
    }
    return count;
}

/* Gathers the queues of polls that found nothing: polls of this turn, and polls that wait. The queue of
 * children comes first, so that there is always room for it. */
static size_t gather_claims(struct turn *turn, struct job_claim claim[CLAIM_QUEUES_MAX])
{
    struct engine *engine = turn->engine;
    struct offers *offers = &engine->nodes.offers;
    size_t count = 0;
    if (offers->may_be && nodes_lead(engine))
        count = add_claim(claim, count, performer_queue(PERFORM_CHILD, STR_NONE), CLAIM_JOBS_MAX);
    for (const struct call *call = turn->polls.first; call; call = call->next_) {
        const struct call_poll *poll = call_poll_of(call);
        for (size_t i = 0; i < poll->type_count; i++) {
            struct shared_jobs_want *want = shared_jobs_want_of(turn, poll->type[i]);
            if (!want->asked || (!offers->may_be && !want->at_once) ||
                empty_queues_has(engine, poll->type[i]))
                continue;
            if (!jobs_best(&engine->memory.jobs, &poll->type[i], 1))
                count = add_claim(claim, count, poll->type[i],
                                  want->asked + polls_wanted(&engine->memory.jobs, poll->type[i]));
            want->at_once = false;
        }
    }
    if (offers->may_be) count = add_waiting(engine, claim, count);
    if (nodes_have_others(engine)) share_room(engine, claim, count);
    else if (offers->may_have_offers) count = add_empty(engine, claim, count);
    must(count <= CLAIM_QUEUES_MAX);
    return count;
}

/* Polls of this turn may wait soon. Queues where a job was ready were left out. */
static bool covers_polls(const struct turn *turn, const struct job_claim *claim, size_t count)
{
    for (const struct call *call = turn->polls.first; call; call = call->next_) {
        const struct call_poll *poll = call_poll_of(call);
        for (size_t i = 0; !poll->priority_min && i < poll->type_count; i++) {
            size_t k = 0;
            while (k < count && !str_equal(claim[k].queue, poll->type[i])) k++;
            if (k == count) return false;
        }
    }
    return true;
}

/* A job that we have claimed was offered, whatever we heard of it: it is not to be offered again. */
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

/* Jobs that were claimed, while they are taken. Their instances may be large: one is in memory at a time. */
struct taking {
    struct turn *turn;
    struct map state_of; /* The rows that have states, by instance. */
    struct arena arena;  /* Memory of the fields below. */
    uint64_t id;         /* The instance that was read last; 0: none. */
    struct instance_row row;
    const struct instance *instance; /* NULL: it is damaged. */
    bool is_cached;
    struct job_row *closed;
    size_t closed_count;
    bool is_unsure; /* Some could not be read. */
};

static void begin_taking(struct taking *taking, struct turn *turn, struct instance_row *of, size_t count)
{
    *taking = (struct taking){ .turn = turn, .closed = arena_make_n(&turn->arena, struct job_row, count) };
    map_init(&taking->state_of);
    arena_init(&taking->arena, 0);
    for (size_t i = 0; i < count; i++)
        if (of[i].id && of[i].state.n) map_put(&taking->state_of, of[i].id, &of[i]);
}

/* Drops the rows of jobs that are closed. False: some jobs could not be read, and are still to be taken. */
static bool end_taking(struct taking *taking)
{
    struct error err;
    if (taking->closed_count)
        store_drop_jobs(taking->turn->engine->store, taking->closed, taking->closed_count, &err);
    map_done(&taking->state_of);
    arena_done(&taking->arena);
    return !taking->is_unsure;
}

/* A claim brings each state once, and not all if they are large. The others are as the store has them now. */
static struct found read_instance(struct taking *taking, uint64_t id)
{
    const struct instance_row *found = map_get(&taking->state_of, id);
    struct error err;
    if (id == taking->id) return found_of(ST_OK);
    arena_reset(&taking->arena);
    taking->id = 0;
    taking->is_cached = false;
    if (found) taking->row = *found;
    else
        TRY_FOUND(store_load_instance(taking->turn->engine->store, TENANT_ANY, id, &taking->arena,
                                      &taking->row, &err));
    if (core_decode(taking->row.state, NULL, &taking->arena, &taking->instance, &err) != ST_OK)
        taking->instance = NULL;
    taking->id = id;
    return found_of(ST_OK);
}

/* False: the job is closed. */
static bool take_claimed(struct taking *taking, const struct job_row *row, const struct instance_row *of)
{
    must(!of->id || of->id == row->instance);
    struct turn *turn = taking->turn;
    if (!of->id) return false; /* It was purged. */
    switch (found_is(read_instance(taking, of->id))) {
    case FOUND: break;
    case NOT_THERE: return false; /* It was purged meanwhile. */
    case NOT_NOW: taking->is_unsure = true; return true;
    }
    if (!taking->instance) return true;
    const struct job *job = shared_jobs_open_job(taking->instance, row->number);
    if (!job) return false;
    keep(&turn->engine->nodes.offers, row->instance, row->number);
    /* The job was offered, so a lease that our memory has was shortened at another node, and is over. */
    struct open_job *open = jobs_find(&turn->engine->memory.jobs, row->instance, row->number);
    if (open && !open->of_unit) jobs_remove(&turn->engine->memory.jobs, row->instance, row->number);
    open = jobs_add(&turn->engine->memory.jobs, taking->row.ns, row->instance, job, (uint8_t)row->priority,
                    turn->now_ms);
    open->has_row = true;
    open->delivery = row->delivery;
    open->claimed_ms = turn->now_ms;
    open->ready_ms = row->available_ms; /* The older one comes first, whenever they were claimed. */
    if (!taking->is_cached) cache_put(&turn->engine->memory.cache, &taking->row);
    taking->is_cached = true;
    return true;
}

static void take(struct taking *taking, const struct job_row *row, const struct instance_row *of)
{
    if (!take_claimed(taking, row, of)) taking->closed[taking->closed_count++] = *row;
    metric_add(&taking->turn->engine->metrics->jobs_claimed, 1);
}

/* An open job of another delivery does not count: another node has handed the job out since. */
static bool is_known(const struct engine *engine, const struct job_row *row)
{
    for (size_t i = 0; i < engine->nodes.offers.back_count; i++)
        if (engine->nodes.offers.back[i].instance == row->instance &&
            engine->nodes.offers.back[i].number == row->number)
            return true;
    const struct open_job *open = jobs_find(&engine->memory.jobs, row->instance, row->number);
    return open && (open->of_unit || open->delivery == row->delivery);
}

/* The answer to a claim was lost: what we have claimed and do not know is taken now. A row with a lease of
 * its own is looked after by everybody. */
static enum status find_claimed(struct turn *turn, struct error *err)
{
    struct engine *engine = turn->engine;
    struct job_row *row, last;
    struct instance_row *instance;
    struct taking taking;
    struct arena page;
    size_t count;
    bool all = true;
    enum status status;
    arena_init(&page, 0);
    for (const struct job_row *after = NULL;; after = &last) {
        arena_reset(&page);
        status =
            store_claimed_jobs(engine->store, after, CLAIM_JOBS_MAX, &page, &row, &instance, &count, err);
        if (status != ST_OK) break;
        begin_taking(&taking, turn, instance, count);
        for (size_t i = 0; i < count; i++)
            if (!row[i].lease_ms && !is_known(engine, &row[i])) take(&taking, &row[i], &instance[i]);
        all &= end_taking(&taking);
        if (count < CLAIM_JOBS_MAX) break;
        last = row[count - 1];
    }
    arena_done(&page);
    if (status == ST_OK) engine->nodes.offers.is_unsure = !all;
    return status;
}

/* Only the store can tell which node has it. The next claim finds a job that we have claimed. A store of one
 * engine has no rows of jobs, and no other holder. */
void claim_restore(struct turn *turn, const struct definition *definition, uint64_t instance,
                   const struct job *job)
{
    struct engine *engine = turn->engine;
    const struct loaded *loaded = map_get(&turn->loaded_of, instance);
    int64_t self = store_node(engine->store);
    struct job_row row;
    struct error err;
    if (jobs_find(&engine->memory.jobs, instance, job->number)) return;
    switch (found_is(store_find_job(engine->store, instance, job->number, &turn->arena, &row, &err))) {
    case FOUND: engine->nodes.offers.is_unsure |= row.claimed == self; return;
    case NOT_NOW: engine->nodes.offers.is_unsure = true; return;
    case NOT_THERE: break;
    }
    if (loaded && loaded->holder == self)
        jobs_add(&engine->memory.jobs, definition->ns, instance, job, (uint8_t)definition->program->priority,
                 turn->now_ms);
}

/* Another node has woken us. If we know of none, it is a new one. */
static void take_wakeup(struct turn *turn)
{
    claim_note_offer(turn->engine);
    if (!nodes_have_others(turn->engine)) turn->engine->nodes.next_heartbeat_ms = turn->now_ms;
}

/* A job that we have heard of may have been offered after our turn began: then it is not available to it. */
static void look_again(struct turn *turn)
{
    struct offers *offers = &turn->engine->nodes.offers;
    int64_t soon_ms = turn->now_ms + AGAIN_MS;
    offers->looks_again = true;
    if (!offers->release_ms || offers->release_ms > soon_ms) offers->release_ms = soon_ms;
}

void claim_jobs(struct turn *turn)
{
    struct engine *engine = turn->engine;
    struct job_claim claim[CLAIM_QUEUES_MAX];
    struct job_row *row;
    struct instance_row *instance;
    struct taking taking;
    size_t count;
    struct error err;
    if (engine->broken || engine->draining) return;
    bool woken = atomic_exchange(&engine->nodes.offers.woken, false);
    if (woken) take_wakeup(turn);
    if (engine->nodes.offers.is_unsure && find_claimed(turn, &err) != ST_OK) return;
    size_t claims = gather_claims(turn, claim);
    if (!claims) return;
    metric_add(&engine->metrics->claims, 1);
    enum status status = store_claim_jobs(engine->store, claim, claims, turn->now_ms, &turn->arena, &row,
                                          &instance, &count, &err);
    /* Jobs that could not be read before are still to be taken. */
    engine->nodes.offers.is_unsure |= status != ST_OK;
    if (status != ST_OK) return; /* The next heartbeat tries it again. */
    begin_taking(&taking, turn, instance, count);
    for (size_t i = 0; i < count; i++) take(&taking, &row[i], &instance[i]);
    engine->nodes.offers.is_unsure |= !end_taking(&taking);
    for (size_t i = 0; i < count; i++) {
        struct shared_jobs_want *want = shared_jobs_want_of(turn, row[i].queue);
        want->asked -= want->asked > 0;
    }
    /* If one queue has given all that was asked for, there may be more. */
    engine->nodes.offers.may_have_offers = false;
    engine->nodes.offers.may_be &= !covers_polls(turn, claim, claims) || engine->nodes.offers.passed;
    for (size_t i = 0; i < claims; i++)
        if (!note_claimed(&engine->nodes.offers, &claim[i], row, count)) engine->nodes.offers.may_be = true;
    if (woken) look_again(turn);
}

/* Offered jobs are older than the jobs that the turn opens, and come first. But to claim before each turn
 * would make all jobs of busy nodes rows; where much happens at once nobody can tell the order. */
void claim_first(struct turn *turn)
{
    enum { FEW_CALLS = 4 };
    const struct engine *engine = turn->engine;
    bool few = turn->polls.count + engine->work.writers.count <= FEW_CALLS;
    if (few || !nodes_have_others(engine)) claim_jobs(turn);
}
