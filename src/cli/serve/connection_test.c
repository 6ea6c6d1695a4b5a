/* cli/serve/connection_test.c — gives the tests of the API to the engine's own worker. */
#include "cli/serve/connection_test.h"

#include "json/json.h"
#include "perform/worker.h"

/* On any thread. The words of the other side may repeat a secret. */
static void job_done(struct engine_job *job)
{
    struct api_test *test = job->taker;
    const struct json *error =
        job->end == ENGINE_JOB_FAILED ? scrub_json(&job->secrets, job->error, job->arena) : NULL;
    if (job->end == ENGINE_JOB_BROKEN_OFF) test->fetch.failure = STR("the engine stops");
    if (error) {
        str message = json_text(error, STR("message"));
        test->error = json_text(error, STR("name"));
        test->fetch.failure = message.n ? message : STR("it failed without a reason");
    }
    test->fetch.ended(&test->fetch);
}

enum status connection_test_start(void *context, struct api_test *test, struct error *err)
{
    struct engine_job *job = arena_make(test->fetch.arena, struct engine_job);
    *job = (struct engine_job){ .input = test->input,
                                .timeout_ms = test->fetch.timeout_ms,
                                .idempotency_key = test->key,
                                .arena = test->fetch.arena,
                                .done = job_done,
                                .taker = test };
    return worker_try(context, test->performer, test->tenant, job, err);
}
