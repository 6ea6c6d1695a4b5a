/* api/trials/runner.c — one test run, on a thread of its own. */
#include "api/trials/trials_int.h"

#include "base/clock.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/thread.h"
#include "dialect/dialect.h"
#include "source/source.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICENESS = 5 }; /* The engine's own threads come first. */

/* ---- what the run asks and tells ---- */

static void add_line(void *context, str line)
{
    struct trial_job *job = context;
    pthread_mutex_lock(&job->mutex);
    bool was_empty = !job->lines.n;
    buf_add_str(&job->lines, line);
    buf_add_char(&job->lines, '\n');
    pthread_mutex_unlock(&job->mutex);
    if (was_empty && job->api->config.wake) job->api->config.wake(job->api->config.wake_context);
}

static const char *enough(void *context)
{
    const struct trial_job *job = context;
    if (job->unwanted) return "nobody waits for it any more";
    if (clock_monotonic_us() - job->began_us > (int64_t)TRIAL_MS_MAX * 1000)
        return "it took more than 10 seconds (TRIAL_MS_MAX)";
    return NULL;
}

/* ---- the documents ---- */

static str text_of(struct trial_job *job, const struct json *document)
{
    struct buf text;
    if (json_is(document, JSON_STRING)) return json_string(document);
    buf_init(&text, &job->arena);
    json_print(document, &text);
    return buf_str(&text);
}

static bool compiles(struct trial_job *job, str text)
{
    struct problems problems;
    problems_init(&problems, &job->arena);
    struct program *program = source_compile(text, SOURCE_ANY, 0, &problems, NULL);
    if (program) {
        program_unref(program);
        return true;
    }
    job->refusal = dialect_refusal(&problems, &job->arena);
    job->problems = problems_json(&problems, &job->arena);
    return false;
}

/* The document that is run comes first. */
static bool read_definitions(struct trial_job *job, struct rehearsal *rehearsal)
{
    const struct json *others = json_get(job->body, STR("others"));
    size_t count = others ? json_count(others) : 0;
    str *text = arena_make_n(&job->arena, str, count + 1);
    const struct json *document = json_get(job->body, STR("document"));
    text[0] = text_of(job, document ? document : json_get(job->body, STR("text")));
    for (size_t i = 0; i < count; i++) text[i + 1] = text_of(job, json_item(others, i));
    for (size_t i = 0; i <= count; i++)
        if (!compiles(job, text[i])) return false;
    rehearsal->definition = text;
    rehearsal->definition_count = count + 1;
    return true;
}

static void read_events(struct trial_job *job, struct rehearsal *rehearsal)
{
    const struct json *events = json_get(job->body, STR("events"));
    size_t count = events ? json_count(events) : 0;
    const struct json **event = arena_make_n(&job->arena, const struct json *, count);
    for (size_t i = 0; i < count; i++) event[i] = json_item(events, i);
    rehearsal->event = event;
    rehearsal->event_count = count;
}

static void write_scenario(struct trial_job *job)
{
    const struct scenario_bound bound = { .enough = enough, .context = job };
    str why_not;
    job->status = transcript_write(job->part, job->part_count, &bound, &job->arena, &job->scenario, &why_not,
                                   &job->error);
}

static void run(struct trial_job *job)
{
    const struct json *trigger = json_get(job->body, STR("trigger")),
                      *seed = json_get(job->body, STR("seed"));
    const struct json *unanswered = json_get(job->body, STR("unanswered"));
    int64_t number = 0;
    struct rehearsal rehearsal = {
        .input = json_get(job->body, STR("input")),
        .trigger = json_is(trigger, JSON_STRING) ? json_string(trigger) : STR_NONE,
        .answers = json_get(job->body, STR("answers")),
        .pins = json_get(job->body, STR("pins")),
        .people_wait = json_is(unanswered, JSON_STRING),
        .by_chance = json_int64(seed, &number),
        .seed = (uint64_t)number,
        .line = add_line,
        .enough = enough,
        .context = job,
    };
    if (!read_definitions(job, &rehearsal)) {
        job->status = ST_INVALID;
        return;
    }
    read_events(job, &rehearsal);
    job->status = rehearse(&rehearsal, &job->arena, &job->error);
}

void *trials_run(void *context)
{
    struct trial_job *job = context;
    thread_name("trial");
    heap_take(arena_bytes(&job->arena)); /* The network's thread has filled it, and has no use for it. */
    log_keep_quiet(true); /* The engine that is played here has nothing to tell to those who run this one. */
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICENESS);
    if (job->part_count) write_scenario(job);
    else run(job);
    struct api *api = job->api;
    pthread_mutex_lock(&job->mutex);
    job->done = true;
    pthread_mutex_unlock(&job->mutex);
    /* The job may be gone from here on; the API waits for its threads before it goes. */
    if (api->config.wake) api->config.wake(api->config.wake_context);
    return NULL;
}
