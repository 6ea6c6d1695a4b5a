/* perform/compute_performer.c — requests to calculation nodes: jobs that the hub (compute/compute.h) has
 * done.
 *
 *     the node's answer                          the job's value
 *     the node's failure, a time-out             WORKFLOW_FAILED
 *     no member with the tags                    NO_COMPUTE_MEMBER_FOR_TAG
 *     the member was lost                        COMPUTE_MEMBER_DISCONNECTED
 *
 * A job that holds is asked for under an id of its own: an answer that comes when the write is over fits no
 * request, not even that of the same write tried again. A job whose intent is committed is asked for under
 * the same id as often as it takes, also after a restart, so that its node can tell that it knows it.
 */
#include "perform/compute_performer.h"

#include "base/must.h"
#include "json/json.h"

#include <stdlib.h>
#include <sys/random.h>

struct compute_performer {
    struct compute *hub;
    int64_t began_ms;
};

/* A job that the hub has; in the job's arena. */
struct asked {
    struct compute_request request;
    struct engine_job *job;
};

static void fail_job(struct engine_job *job, const char *name, str message)
{
    job->end = ENGINE_JOB_FAILED;
    job->error = perform_error(job->arena, str_of(name), message);
}

/* The node's warnings from before its failure go along with the error. */
static void add_warnings(struct engine_job *job, const struct json *value)
{
    const struct json *warnings = json_get(value, STR("warnings"));
    if (warnings) job->error = json_set(job->arena, job->error, STR("warnings"), warnings);
}

static void done(struct compute_request *request)
{
    struct engine_job *job = ((struct asked *)request->taker)->job;
    switch (request->outcome) {
    case COMPUTE_ANSWERED:
        job->end = ENGINE_JOB_COMPLETED;
        job->value = json_copy(job->arena, request->value);
        break;
    case COMPUTE_NO_MEMBER: fail_job(job, "NO_COMPUTE_MEMBER_FOR_TAG", request->message); break;
    case COMPUTE_LOST: fail_job(job, "COMPUTE_MEMBER_DISCONNECTED", request->message); break;
    case COMPUTE_BROKEN_OFF: job->end = ENGINE_JOB_BROKEN_OFF; break;
    default:
        fail_job(job, "WORKFLOW_FAILED", request->message);
        if (request->outcome == COMPUTE_FAILED) add_warnings(job, request->value);
        break;
    }
    job->performing = NULL;
    job->done(job);
}

static struct uuid request_id(const struct engine_job *job, bool survives)
{
    uint8_t random[UUID_BYTES];
    if (survives) return uuid_of_name(job->idempotency_key);
    must(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random);
    return uuid_of_random(random);
}

static void start(void *self, struct engine_job *job)
{
    const struct compute_performer *performer = self;
    struct asked *asked = arena_make(job->arena, struct asked);
    const struct json *survives = json_get(job->config, STR("commitsFirst"));
    char id[UUID_CHARS + 1];
    struct buf text;
    asked->job = job;
    asked->request = (struct compute_request){
        .kind = compute_kind_of(json_text(job->config, STR("kind"))),
        .name = json_text(job->config, STR("name")),
        .entity = json_text(job->carried, STR("id")),
        .tags = json_text(job->config, STR("tags")),
        .tenant = job->tenant,
        .token = job->token,
        .survives = json_is(survives, JSON_BOOL) && json_bool(survives),
        .done = done,
        .taker = asked,
    };
    json_int64(json_get(job->config, STR("timeoutMs")), &asked->request.timeout_ms);
    asked->request.id = request_id(job, asked->request.survives);
    /* The job is from an earlier run of the engine, or from a dead node: the caller that waited for it is
     * gone. */
    bool is_left = job->id.ms < performer->began_ms || job->id.delivery > 0;
    asked->request.waits = asked->request.survives && is_left;
    uuid_print(asked->request.id, id);
    buf_init(&text, job->arena);
    compute_text_write(job, str_of(id), &text);
    asked->request.text = buf_str(&text);
    job->performing = asked;
    compute_ask(performer->hub, &asked->request);
}

static void cancel(void *self, struct engine_job *job)
{
    struct asked *asked = job->performing;
    (void)self;
    if (asked) compute_cancel(&asked->request);
}

static size_t room(void *self)
{
    const struct compute_performer *performer = self;
    return compute_room(performer->hub);
}

static void stop(void *self)
{
    struct compute_performer *performer = self;
    compute_break_off(performer->hub);
    free(performer);
}

void compute_performer_add(struct engine_worker *worker, struct compute *hub, int64_t now_ms)
{
    static const struct perform_methods methods = { PERFORM_COMPUTE, start, cancel, room, stop, false };
    struct compute_performer *performer = calloc(1, sizeof *performer);
    must(performer);
    *performer = (struct compute_performer){ hub, now_ms };
    worker_add(worker, &methods, performer);
}
