/* perform/compute_performer.c — requests to calculation nodes.
 *
 * A request goes to a calculation node that has all of its tags. This version of the engine has no door by
 * which such a node connects, so every request fails at once, and nobody waits for a time-out.
 */
#include "perform/compute_performer.h"

#include "json/json.h"
#include "perform/limits.h"
#include "perform/perform.h"

static void start(void *self, struct engine_job *job)
{
    const struct json *tags = json_get(job->config, STR("tags"));
    str wanted = json_is(tags, JSON_STRING) ? json_string(tags) : STR_NONE;
    (void)self;
    job->end = ENGINE_JOB_FAILED;
    job->error = perform_error(
        job->arena, STR("NO_COMPUTE_MEMBER_FOR_TAG"),
        arena_printf(job->arena, "no calculation node with the tags \"%.*s\" is connected", STR_ARG(wanted)));
    job->done(job);
}

static void cancel(void *self, struct engine_job *job)
{
    (void)self;
    (void)job;
}

static size_t room(void *self)
{
    (void)self;
    return COMPUTE_JOBS_MAX;
}

static void stop(void *self) { (void)self; }

void compute_performer_add(struct engine_worker *worker)
{
    static const struct perform_methods methods = { PERFORM_COMPUTE, start, cancel, room, stop };
    worker_add(worker, &methods, NULL);
}
