/* cli/serve/demo.c — the worker of `serve --demo`, and the text about what to try. */
#define _GNU_SOURCE /* program_invocation_name */
#include "cli/serve/demo_int.h"

#include "base/log.h"
#include "base/must.h"
#include "base/thread.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>

enum { WAIT_SECONDS = 5, RETRY_MS = 500 };

/* The worker's answers: a variable and its value. A '*' becomes a piece of the instance's id. A value that
 * the instance already has is kept, so `--var creditScore=600` leads to a manual review. */
static const struct demo_answer {
    const char *job_type, *variable, *value;
} answers[] = {
    { "validate-application", "applicantId", "\"APP-*\"" },
    { "validate-application", "loanAmount", "200000000" },
    { "validate-application", "applicantEmail", "\"applicant@example.com\"" },
    { "credit-score", "creditScore", "720" },
    { "fraud-screen", "fraudScore", "0.12" },
    { "approve-loan", "loanId", "\"LOAN-*\"" },
    { "prepare-disbursement", "disbursementId", "\"DISB-*\"" },
    { "transfer-funds", "transferRef", "\"TXN-*\"" },
    { "notify-disbursement", "customerNotified", "true" },
    { "notify-approval", "customerNotified", "true" },
    { "notify-approval-overdue", "overdueNotified", "true" },
    { "escalate-review", "reviewEscalated", "true" },
};

/* Jobs that the worker fails: those of instances in which the variable has this value. */
static const struct demo_failure {
    const char *job_type, *variable, *value, *reason;
} failures[] = {
    { "transfer-funds", "payoutAccount", "closed", "The bank refused the transfer: the account is closed" },
};

/* A pause that demo_stop() ends. */
static void pause_after_error(struct demo *demo)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += RETRY_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&demo->lock);
    if (!demo->stop) pthread_cond_timedwait(&demo->stopped, &demo->lock, &until);
    pthread_mutex_unlock(&demo->lock);
}

static bool post(struct demo *demo, str path, str body, const struct json **ret_answer)
{
    int status = demo_call(demo, "POST", path, STR_NONE, body, ret_answer);
    return status >= 200 && status <= 299;
}

/* ---- jobs ---- */

static str poll_body(struct demo *demo)
{
    struct buf body;
    const char *last = "";
    buf_init(&body, &demo->arena);
    buf_printf(&body, "{\"workerId\":\"demo\",\"maxJobs\":16,\"waitSeconds\":%d,\"jobTypes\":[",
               WAIT_SECONDS);
    for (size_t i = 0; i < COUNT(answers); i++) {
        if (strcmp(answers[i].job_type, last) == 0) continue; /* Rows of one type stand together. */
        buf_printf(&body, "%s\"%s\"", i ? "," : "", answers[i].job_type);
        last = answers[i].job_type;
    }
    buf_add_str(&body, STR("]}"));
    return buf_str(&body);
}

static str completion_body(struct demo *demo, const struct json *job)
{
    enum { ID_PIECE_FROM = 4, ID_PIECE_TO = 10 }; /* The characters of an id that tell its time. */
    str type = json_string(json_get(job, STR("jobType")));
    str instance = json_string(json_get(job, STR("instanceId")));
    str piece = str_slice(instance, ID_PIECE_FROM, ID_PIECE_TO);
    const struct json *variables = json_get(job, STR("variables"));
    const char *comma = "";
    struct buf body;

    buf_init(&body, &demo->arena);
    buf_add_str(&body, STR("{\"workerId\":\"demo\",\"variables\":{"));
    for (size_t i = 0; i < COUNT(answers); i++) {
        if (!str_equal(str_of(answers[i].job_type), type)) continue;
        if (json_get(variables, str_of(answers[i].variable))) continue;
        buf_printf(&body, "%s\"%s\":", comma, answers[i].variable);
        for (const char *c = answers[i].value; *c; c++) {
            if (*c == '*') buf_add_str(&body, piece);
            else buf_add_char(&body, *c);
        }
        comma = ",";
    }
    buf_add_str(&body, STR("}}"));
    return buf_str(&body);
}

/* The body with which the worker fails the job; empty: it does the job. */
static str failure_body(struct demo *demo, const struct json *job)
{
    str type = json_string(json_get(job, STR("jobType")));
    const struct json *variables = json_get(job, STR("variables"));
    for (size_t i = 0; i < COUNT(failures); i++) {
        const struct json *value = json_get(variables, str_of(failures[i].variable));
        if (str_equal(str_of(failures[i].job_type), type) && json_is(value, JSON_STRING) &&
            str_equal(json_string(value), str_of(failures[i].value)))
            return arena_printf(&demo->arena,
                                "{\"workerId\":\"demo\",\"errorMessage\":\"%s\",\"retryable\":false}",
                                failures[i].reason);
    }
    return STR_NONE;
}

/* Makes one long poll and answers its jobs. False if a request failed. */
static bool work(struct demo *demo)
{
    const struct json *polled, *ignored;
    if (!post(demo, STR("/v1/jobs/poll"), poll_body(demo), &polled)) return false;
    struct json_each each = json_each(json_get(polled, STR("jobs")));
    while (json_next(&each)) {
        str id = json_string(json_get(each.value, STR("id")));
        str failure = failure_body(demo, each.value);
        str path =
            arena_printf(&demo->arena, "/v1/jobs/%.*s/%s", STR_ARG(id), failure.n ? "fail" : "complete");
        if (!post(demo, path, failure.n ? failure : completion_body(demo, each.value), &ignored))
            return false;
    }
    return true;
}

/* ---- the thread ---- */

static bool has_pages(struct demo *demo)
{
    const struct json *ignored;
    return demo_call(demo, "GET", STR("/ui/"), STR_NONE, STR_NONE, &ignored) == 200;
}

static void print_what_to_try(struct demo *demo)
{
    const char *pawl = program_invocation_name;
    struct buf out;
    buf_init(&out, NULL);
    buf_printf(&out, "\nThere are runs in every state, an inbox (you are \"grace\"), webhooks, a schedule "
                     "and some devices.\n");
    if (has_pages(demo)) buf_printf(&out, "Open %.*s/ui/\n", STR_ARG(demo->url));
    buf_printf(&out,
               "A worker answers the jobs of the loans. In another terminal try\n\n"
               "  %s start LOS::loan-application-full --server %.*s --var loanAmount=200000000 --wait 5\n"
               "  %s ps --status FAILED --group reason --server %.*s\n"
               "  %s retry --where definition=LOS::loan-disbursement-workflow --var payoutAccount=open "
               "--server %.*s --yes\n\n",
               pawl, STR_ARG(demo->url), pawl, STR_ARG(demo->url), pawl, STR_ARG(demo->url));
    output_write(buf_str(&out));
    buf_done(&out);
}

static void *run(void *context)
{
    struct demo *demo = context;
    bool filled = false;
    thread_name("demo");
    while (!demo_is_stopped(demo)) {
        bool good = filled ? work(demo) : demo_fill(demo);
        if (!good) {
            pause_after_error(demo);
        } else if (!filled) {
            filled = true;
            print_what_to_try(demo);
        }
        arena_reset(&demo->arena);
    }
    return NULL;
}

enum status demo_start(str url, str secret, struct demo **ret_demo, struct error *err)
{
    struct demo *demo = calloc(1, sizeof *demo);
    must(demo);
    arena_init(&demo->arena, 0);
    arena_init(&demo->texts, 0);
    demo->url = arena_str(&demo->texts, url);
    enum status status = http_client_new(demo->url, &demo->http, err);
    if (status != ST_OK) {
        arena_done(&demo->texts);
        free(demo);
        return status;
    }
    if (secret.n) http_client_set_secret(demo->http, secret);
    must(pthread_mutex_init(&demo->lock, NULL) == 0);
    must(pthread_cond_init(&demo->stopped, NULL) == 0);
    must(pthread_create(&demo->thread, NULL, run, demo) == 0);
    *ret_demo = demo;
    return ST_OK;
}

void demo_stop(struct demo *demo)
{
    if (!demo) return;
    pthread_mutex_lock(&demo->lock);
    demo->stop = true;
    pthread_cond_signal(&demo->stopped);
    pthread_mutex_unlock(&demo->lock);
}

void demo_free(struct demo *demo)
{
    if (!demo) return;
    demo_stop(demo);
    pthread_join(demo->thread, NULL);
    http_client_free(demo->http);
    pthread_cond_destroy(&demo->stopped);
    pthread_mutex_destroy(&demo->lock);
    arena_done(&demo->arena);
    arena_done(&demo->texts);
    free(demo);
}
