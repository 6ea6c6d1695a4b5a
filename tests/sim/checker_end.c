/* tests/sim/checker_end.c — what must be true when it is over, and after a restart. */
#include "access.h"
#include "entity.h"
#include "record.h"

#include "server.h"
#include "source/source.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- is everything finished that can be? ---- */

/* Why it is not, in words; false if it is. A task that leads nowhere rests for ever, and so do
 * the branches that wait for it. */
static bool has_work(const struct checker *checker, const struct model_instance *instance,
                     const char **ret_where, const char **ret_what);

/* A branch of it waits for a lock that somebody who failed keeps: a join waits as long. */
static bool is_locked_out(const struct checker *checker, const struct model_instance *instance)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].state == TOKEN_LOCK &&
            !checker_lock_is_free(checker, instance->id, instance->tokens.item[i].execution))
            return true;
    return false;
}

/* A flow can always go on, unless it waits for a child that cannot. */
static bool flow_has_work(const struct checker *checker, const struct model_instance *instance,
                          const char **ret_where, const char **ret_what)
{
    if (instance->purged || !(model_live(instance) || model_lingers(instance))) return false;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->state == TOKEN_REGION || !model_reaches(instance, token->execution)) continue;
        if (!model_live(instance) && !model_jobs_of(instance, token->execution) &&
            !model_timers_of(instance, token->execution))
            continue; /* No event reaches it any more. */
        const struct model_child *child = NULL;
        for (size_t k = 0; k < instance->jobs.count; k++)
            if (instance->jobs.item[k].execution == token->execution)
                child = model_child(checker, instance->id, instance->jobs.item[k].number);
        if (token->state == TOKEN_JOIN && is_locked_out(checker, instance)) continue;
        if (token->state == TOKEN_LOCK && !checker_lock_is_free(checker, instance->id, token->execution))
            continue; /* The holder of the lock goes on, or has failed. */
        *ret_where = token->node.p;
        *ret_what = token->state == TOKEN_JOB     ? "a job"
                    : token->state == TOKEN_EVENT ? "events"
                    : token->state == TOKEN_LOCK  ? "a lock that is free"
                                                  : "a time";
        const struct model_instance *other = child ? model_instance_of(checker, child->instance) : NULL;
        if (!other || !model_live(other) || has_work(checker, other, ret_where, ret_what)) return true;
    }
    return false;
}

static bool has_work(const struct checker *checker, const struct model_instance *instance,
                     const char **ret_where, const char **ret_what)
{
    if (instance->spec->program) return flow_has_work(checker, instance, ret_where, ret_what);
    if (!model_live(instance) || instance->purged) return false;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->state == TOKEN_RESTING || token->state == TOKEN_JOIN) continue;
        *ret_where = instance->spec->step[token->step].id.p;
        *ret_what = token->state == TOKEN_JOB      ? "a job"
                    : token->state == TOKEN_SIGNAL ? "a signal"
                                                   : "a person";
        return true;
    }
    return false;
}

/* Can the chained instance be started? */
static bool can_start(const struct checker *checker, const struct model_chain *chain)
{
    const struct spec *target = model_latest(checker, chain->target);
    if (chain->started || !target || model_is_retired(checker, target->id) ||
        !spec_accepts(target, chain->data))
        return false;
    for (size_t i = 0; i < checker->instances.count && chain->business_key.n; i++) {
        const struct model_instance *other = checker->instances.item[i];
        if (model_live(other) && str_equal(other->spec->id, target->id) &&
            str_equal(other->business_key, chain->business_key))
            return false;
    }
    return true;
}

bool checker_all_done(struct world *world)
{
    if (world->entities) return entity_all_done(world);
    const struct checker *checker = world->checker;
    const char *where, *what;
    if (!server_all_up(world) || !network_idle(world) || !checker_bulks_done(checker) ||
        !checker_queue_done(checker) || !checker_events_done(world) || !checker_early_done(world) ||
        !checker_trigger_routes_done(world) || !checker_retire_done(world))
        return false;
    for (size_t i = 0; i < checker->instances.count; i++)
        if (has_work(checker, checker->instances.item[i], &where, &what)) return false;
    for (size_t i = 0; i < checker->chains.count; i++)
        if (can_start(checker, &checker->chains.item[i])) return false;
    return true;
}

void checker_not_done(struct world *world)
{
    if (world->entities) {
        entity_not_done(world);
        return;
    }
    const struct checker *checker = world->checker;
    const char *where, *what;
    for (size_t i = 0; i < checker->instances.count; i++)
        if (has_work(checker, checker->instances.item[i], &where, &what))
            violated(world, "instance %" PRIu64 " still waits for %s at \"%.*s\"",
                     checker->instances.item[i]->id, what, (int)strcspn(where, "\""), where);
    for (size_t i = 0; i < checker->chains.count; i++)
        if (can_start(checker, &checker->chains.item[i]))
            violated(world, "the instance that follows %" PRIu64 " was never started",
                     checker->chains.item[i].parent);
    if (!checker_retire_done(world)) violated(world, "a definition that is being deleted does not go");
    if (!checker_trigger_routes_done(world))
        violated(world, "a definition whose path is free is never stored");
    if (!checker_queue_done(checker)) violated(world, "an arrival waits for a place that is free");
    if (!checker_events_done(world)) violated(world, "an event was acknowledged and got lost");
    checker_early_end(world);
    if (!checker_bulks_done(checker)) violated(world, "a bulk does not come to its end");
    network_not_idle(world);
    violated(world, "%s",
             server_all_up(world) ? "requests are never answered" : "the server does not come back");
}

/* ---- a restart ---- */

static bool has_job(const struct engine *engine, uint64_t instance, uint32_t number)
{
    return jobs_find(&engine->memory.jobs, instance, number) != NULL;
}

/* Whether jobs of children are in a queue is nobody's business. */
static bool is_child_job(const struct world *world, const struct open_job *open)
{
    const struct model_instance *instance = model_instance_of(world->checker, open->instance);
    const struct model_job *job = instance ? model_job(instance, open->number) : NULL;
    return job && job->performer == PERFORM_CHILD;
}

static bool has_timer(const struct engine *engine, uint64_t instance, const struct model_timer *timer)
{
    for (size_t i = 0; i < engine->memory.timers.count; i++) {
        const struct timer_row *row = timers_at(&engine->memory.timers, i);
        if (row->instance == instance && row->number == timer->number && row->due_ms == timer->due_ms)
            return true;
    }
    return false;
}

/* What the engine has in memory must be what the history leaves open: no job missing, none too
 * many, every timer that its window covers. */
static void check_memory(struct world *world, const struct engine *engine, const char *which)
{
    const struct checker *checker = world->checker;
    size_t jobs = 0, known = 0;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (!model_live(instance) && !model_lingers(instance)) continue;
        for (size_t k = 0; k < instance->jobs.count; k++) {
            const struct model_job *job = &instance->jobs.item[k];
            if (job->performer == PERFORM_CHILD || !model_reaches(instance, job->execution)) continue;
            jobs++;
            if (!has_job(engine, instance->id, job->number))
                violated(world, "job %" PRIu64 "/%u is in no queue of the %s", instance->id, job->number,
                         which);
        }
        for (size_t k = 0; k < instance->timers.count; k++)
            if (instance->timers.item[k].due_ms <= engine->memory.timers.bound.due_ms &&
                model_reaches(instance, instance->timers.item[k].execution) &&
                !has_timer(engine, instance->id, &instance->timers.item[k]))
                violated(world, "timer %" PRIu64 "/%u is unknown to the %s", instance->id,
                         instance->timers.item[k].number, which);
    }
    size_t cursor = 0;
    for (struct open_job *job; (job = map_next(&engine->memory.jobs.by_id, &cursor)) != NULL;)
        for (; job; job = job->sibling) known += !is_child_job(world, job);
    if (known != jobs) violated(world, "the %s has %zu jobs, there should be %zu", which, known, jobs);
}

void checker_memory(struct world *world)
{
    if (world_is_shared(world)) checker_nodes(world);
    else check_memory(world, &world->server->engine, "engine");
}

void checker_recovery(struct world *world)
{
    struct server *server = world->server;
    if (world_is_shared(world)) return; /* Each node that comes back does it. */
    struct engine second;
    struct metrics metrics = { 0 };
    struct error err;
    enum status status = engine_open(&second, world->durable, server->engine.clock, &server->limits,
                                     (struct retention){ 0 }, &metrics, &err);
    if (status != ST_OK) {
        violated(world, "a restart would fail: %s", err.message);
        return;
    }
    check_memory(world, &second, "engine after a restart");
    checker_schedules_loaded(world, &server->engine, &second);
    engine_close(&second);
}

/* ---- the last check ---- */

static void check_fates(struct world *world)
{
    for (uint32_t op = 1; op <= network_count(world); op++) {
        const struct request *request = network_find(world, op);
        if (request->op != op) continue;
        switch (request->kind) {
        case CALL_START:
        case CALL_COMPLETE_TASK:
        case CALL_SIGNAL:
        case CALL_CANCEL:
        case CALL_BULK:
        case CALL_MODIFY:
        case CALL_ARRIVE:
        case CALL_RETRY: break;
        default: continue;
        }
        uint32_t least = request->ok_count, most = request->ok_count + request->unknown_count;
        if (request->key.n && most > 1) most = 1;
        if (request->effects < least || request->effects > most)
            violated(world, "op %u took effect %u times: %u were acknowledged, %u are unknown", op,
                     request->effects, request->ok_count, request->unknown_count);
    }
}

static struct program *compile(str source, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    return source_compile(source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
}

static void found(void *context, const char *sentence) { violated(context, "store check: %s", sentence); }

/* Asks for everything there is, through the front door. */
static void check_everything(struct world *world)
{
    struct server *server = world->server;
    struct checker *checker = world->checker;
    static const enum call_kind kinds[] = { CALL_GET_HISTORY, CALL_WATCH };
    for (size_t i = 0; i < checker->instances.count && !world->failed; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        for (size_t k = 0; k < COUNT(kinds) && !world->failed; k++) {
            struct request request = { .kind = kinds[k] };
            struct copy copy = { .request = &request };
            arena_init(&copy.arena, 0);
            copy.call = call_new(kinds[k], &copy.arena, NULL, &copy);
            copy.call->ns = world->tenant;
            struct id id = { .ms = instance->created_ms, .instance = instance->id };
            if (kinds[k] == CALL_WATCH) copy.call->as.watch.id = id;
            else copy.call->as.read.id = id;
            queries_call(&server->query, copy.call);
            if (copy.call->status != (instance->purged ? ST_NOT_FOUND : ST_OK))
                violated(world, "instance %" PRIu64 " is %sthere", instance->id,
                         instance->purged ? "still " : "not ");
            else if (!instance->purged) checker_query(world, copy.call);
            arena_done(&copy.arena);
        }
    }
}

static void end_others(struct world *world)
{
    checker_slots_end(world);
    check_fates(world);
    if (!world->failed) checker_arrivals_end(world);
    if (!world->failed) check_everything(world);
    if (!world->failed) checker_events_arrived(world);
    if (!world->failed) checker_memory(world);
    if (!world->failed) checker_recovery(world);
    if (!world->failed) checker_retire_end(world);
    for (uint32_t i = 0; i < world->node_count; i++) checker_secrets_known(world, world->node[i]);
}

void checker_end(struct world *world)
{
    int64_t instances;
    struct error err;
    if (world->entities) entity_end(world);
    else end_others(world);
    checker_access_end(world);
    if (!world->failed && store_check(world->durable, true, compile, found, world, &instances, &err) != ST_OK)
        violated(world, "store check: %s", err.message);
}
