/* export/exporter.c — the thread that reads histories and sends spans. */
#include "export/exporter.h"

#include "base/log.h"
#include "base/must.h"
#include "base/thread.h"
#include "export/limits.h"
#include "export/post.h"
#include "export/runs.h"
#include "runtime/operate/operate.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LONG_READ_US = 5000, /* A run whose history takes longer to read rests … */
    REST_TIMES = 50,     /* … so many times as long. */
    BYTES_CHECKED = 64,  /* The spans after which the bytes of a message are looked at. */
};

struct exporter {
    const struct exporter_config *config;
    struct runs runs;
    struct telemetry_counters counters;
    struct query query;
    struct post *post;
    pthread_t thread;
    bool has_thread;
    _Atomic int64_t stop_us; /* The thread ends then, and what is being sent is broken off; 0: not yet. */

    /* The thread's own. */
    struct otlp_json json;
    struct otlp_bytes bytes;
    struct buf text; /* The message in JSON, or the one that goes out. */
    size_t span_count;
    bool fails; /* The last message was not taken, and the log says so. */
};

/* ---- in turns of the engine ---- */

static void note(void *context, const struct advance *advance)
{
    struct exporter *exporter = context;
    if (!runs_note(&exporter->runs, advance)) atomic_fetch_add(&exporter->counters.dropped, 1);
}

struct advance_watcher exporter_watcher(struct exporter *exporter)
{
    return exporter ? (struct advance_watcher){ note, exporter } : (struct advance_watcher){ 0 };
}

/* ---- notes ---- */

/* The ring has room for some seconds of a busy engine. So it is emptied also while a message is under way: a
 * collector that hangs must not cost runs for which the table has room. */
static void take_notes(void *context)
{
    struct exporter *exporter = context;
    atomic_fetch_add(&exporter->counters.dropped, runs_gather(&exporter->runs));
}

/* Lets the collector alone for so long, however much happens meanwhile. */
static void pause_sending(struct exporter *exporter, int64_t pause_ms)
{
    int64_t end_ms = clock_monotonic_us() / 1000 + pause_ms;
    for (int64_t left_ms = pause_ms; left_ms > 0 && !runs_stops(&exporter->runs);
         left_ms = end_ms - clock_monotonic_us() / 1000) {
        runs_wait(&exporter->runs, left_ms);
        take_notes(exporter);
    }
}

/* ---- messages ---- */

static void begin_message(struct exporter *exporter)
{
    exporter->text.n = 0;
    exporter->span_count = 0;
    if (exporter->config->is_json)
        otlp_json_begin(&exporter->json, exporter->config->resource, &exporter->text);
}

static bool is_over(const struct exporter *exporter)
{
    int64_t stop_us = atomic_load(&exporter->stop_us);
    return stop_us && clock_monotonic_us() >= stop_us;
}

static void say_failed(struct exporter *exporter, const struct post_answer *answer)
{
    if (!exporter->fails)
        log_write(LOG_WARN, "a collector does not take spans; they are sent later", "collector",
                  exporter->config->url, "reason", answer->why, NULL);
    exporter->fails = true;
}

static void say_taken(struct exporter *exporter, const struct post_answer *answer)
{
    if (exporter->fails)
        log_write(LOG_INFO, "a collector takes spans again", "collector", exporter->config->url, NULL);
    exporter->fails = false;
    if (answer->is_rubbish)
        log_write(LOG_WARN, "the answer of a collector cannot be read", "collector", exporter->config->url,
                  NULL);
}

static void say_refused(const struct exporter *exporter, size_t count, const char *why)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", count);
    log_write(LOG_WARN, "a collector has refused spans", "collector", exporter->config->url, "#spans", text,
              "reason", why, NULL);
}

/* Sends the message until it is taken or refused, or the thread has to end. The table gathers meanwhile. */
static void deliver(struct exporter *exporter)
{
    struct telemetry_counters *counters = &exporter->counters;
    struct post_answer answer;
    int64_t pause_ms = RETRY_MS_MIN;
    size_t count = exporter->span_count;
    for (;;) {
        post_send(exporter->post, buf_str(&exporter->text), &answer);
        if (answer.fate != POST_LATER) break;
        atomic_fetch_add(&counters->failures, 1);
        say_failed(exporter, &answer);
        if (runs_stops(&exporter->runs)) return; /* It does not take it at once. */
        pause_sending(exporter, answer.pause_ms ? answer.pause_ms : pause_ms);
        pause_ms = pause_ms * 2 < RETRY_MS_MAX ? pause_ms * 2 : RETRY_MS_MAX;
    }
    size_t refused = answer.fate == POST_REFUSED ? count : answer.refused < count ? answer.refused : count;
    if (answer.fate == POST_TAKEN) {
        atomic_fetch_add(&counters->messages, 1);
        say_taken(exporter, &answer);
    } else {
        atomic_fetch_add(&counters->failures, 1);
    }
    /* The log comes first: whoever sees the numbers finds the reason there. */
    if (refused) say_refused(exporter, refused, answer.why[0] ? answer.why : "it took the others");
    atomic_fetch_add(&counters->spans, count - refused);
    atomic_fetch_add(&counters->refused, refused);
}

static void send_message(struct exporter *exporter)
{
    if (!exporter->span_count) return;
    if (exporter->config->is_json) otlp_json_end(&exporter->json);
    else otlp_bytes_end(&exporter->bytes, exporter->config->resource, &exporter->text);
    deliver(exporter);
    begin_message(exporter);
}

static size_t message_bytes(const struct exporter *exporter)
{
    return exporter->config->is_json ? exporter->text.n : exporter->bytes.spans.n;
}

static void add_span(struct exporter *exporter, const struct run_spans *run, const struct span *span)
{
    if (exporter->config->is_json) otlp_json_add(&exporter->json, run, span);
    else otlp_bytes_add(&exporter->bytes, span);
    exporter->span_count++;
    if (exporter->span_count >= exporter->config->batch_max ||
        (exporter->span_count % BYTES_CHECKED == 0 && message_bytes(exporter) > MESSAGE_BYTES_MAX))
        send_message(exporter);
}

/* ---- runs ---- */

/* False: its history cannot be read. A run that was purged meanwhile has none. */
static bool export_run(struct exporter *exporter, const struct run_noted *noted, int64_t *ret_took_us)
{
    int64_t began_us = clock_monotonic_us();
    struct arena arena;
    struct instance_row row;
    struct run_spans run;
    struct error err;
    bool is_there;
    arena_init(&arena, 0);
    enum status status = found_intact(
        reader_instance(exporter->query.reader, TENANT_ANY, noted->instance, &arena, &row, &err), &is_there);
    if (status == ST_OK && is_there)
        status = run_trace_read(&exporter->query, &row, noted->last, &arena, &run, &err);
    bool good = status == ST_OK && is_there;
    *ret_took_us = clock_monotonic_us() - began_us;
    if (good && !exporter->config->is_json) otlp_bytes_run(&exporter->bytes, &run);
    for (size_t i = 0; good && i < run.count && !is_over(exporter); i++)
        if (sampling_takes(&exporter->config->sampling, &run, &run.span[i], noted->first, noted->last))
            add_span(exporter, &run, &run.span[i]);
    arena_done(&arena);
    catalogue_trim(&exporter->query.catalogue);
    return good;
}

static void export_runs(struct exporter *exporter)
{
    struct run_noted *noted;
    while (!is_over(exporter) && (noted = runs_take(&exporter->runs, clock_monotonic_us()))) {
        int64_t took_us;
        if (!export_run(exporter, noted, &took_us)) atomic_fetch_add(&exporter->counters.dropped, 1);
        if (took_us > LONG_READ_US && !runs_stops(&exporter->runs))
            runs_rest(&exporter->runs, noted, clock_monotonic_us() + took_us * REST_TIMES);
        else free(noted);
        take_notes(exporter);
    }
}

/* ---- the thread ---- */

static void *work(void *context)
{
    struct exporter *exporter = context;
    thread_name("spans");
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), EXPORTER_NICENESS);
    begin_message(exporter);
    for (bool goes_on = true; goes_on;) {
        runs_wait(&exporter->runs, exporter->config->delay_ms);
        goes_on = !runs_stops(&exporter->runs);
        take_notes(exporter);
        export_runs(exporter);
        if (!is_over(exporter)) send_message(exporter);
    }
    return NULL;
}

/* Signals are for other threads. */
static int start_thread(struct exporter *exporter)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&exporter->thread, NULL, work, exporter);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* ---- for other threads ---- */

struct exporter *exporter_new(const struct exporter_config *config)
{
    struct exporter *exporter = calloc(1, sizeof *exporter);
    must(exporter && config->batch_max && config->runs_max && config->timeout_ms > 0);
    exporter->config = config;
    buf_init(&exporter->text, NULL);
    otlp_bytes_init(&exporter->bytes);
    runs_init(&exporter->runs, config->runs_max, &config->sampling);
    return exporter;
}

enum status exporter_start(struct exporter *exporter, struct runtime *runtime, struct error *err)
{
    const struct post_config post = { exporter->config, &exporter->stop_us, take_notes, exporter };
    TRY(post_open(&post, &exporter->post, err));
    TRY(runtime_open_query(runtime, &exporter->query, err));
    int code = start_thread(exporter);
    exporter->has_thread = !code;
    if (!code) return ST_OK;
    query_close(&exporter->query);
    return fail(err, ST_INTERNAL, "export", "cannot start a thread for spans: %s", strerror(code));
}

void exporter_stop(struct exporter *exporter)
{
    if (!exporter || !exporter->has_thread) return;
    atomic_store(&exporter->stop_us, clock_monotonic_us() + STOP_MS_MAX * 1000);
    runs_stop(&exporter->runs);
    pthread_join(exporter->thread, NULL);
    query_close(&exporter->query);
    exporter->has_thread = false;
}

void exporter_free(struct exporter *exporter)
{
    if (!exporter) return;
    must(!exporter->has_thread);
    post_close(exporter->post);
    runs_done(&exporter->runs);
    buf_done(&exporter->text);
    otlp_bytes_done(&exporter->bytes);
    free(exporter);
}

const struct telemetry_counters *exporter_counters(const struct exporter *exporter)
{
    return &exporter->counters;
}
