#define _GNU_SOURCE /* program_invocation_name */
#include "cli/demo.h"

#include "base/log.h"
#include "base/must.h"
#include "cli/output.h"
#include "json/json.h"
#include "net/net.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The files of examples/, as they are. */
#define EMBED(symbol, file)                               \
    __asm__(".section .rodata\n"                          \
            ".global " #symbol "\n" #symbol ":\n"         \
            ".incbin \"" file "\"\n"                      \
            ".global " #symbol "_end\n" #symbol "_end:\n" \
            ".byte 0\n"                                   \
            ".previous\n");                               \
    extern const char symbol[], symbol##_end[]

EMBED(demo_loan_application, "examples/loan-application.json");
EMBED(demo_loan_disbursement, "examples/loan-disbursement.json");

enum { WAIT_SECONDS = 5, TIMEOUT_MS = 15000, RETRY_MS = 500 };

struct demo {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
    struct http_client *http;
    struct arena arena; /* For one round. */
    str url;
    struct arena texts;
};

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

static const struct json_limits json_limits = { .bytes_max = 64 << 20, .depth_max = JSON_DEPTH_MAX };

static bool is_stopped(struct demo *demo)
{
    pthread_mutex_lock(&demo->lock);
    bool stop = demo->stop;
    pthread_mutex_unlock(&demo->lock);
    return stop;
}

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
    struct http_answer answer;
    struct error err;
    *ret_answer = NULL;
    if (http_client_call(demo->http, "POST", path, body, TIMEOUT_MS, &demo->arena, &answer, &err) != ST_OK) {
        if (!is_stopped(demo)) log_write(LOG_WARN, "demo worker: no answer", "error", err.message, NULL);
        return false;
    }
    if (answer.body.n) json_parse(answer.body, &json_limits, &demo->arena, ret_answer, NULL);
    return answer.status >= 200 && answer.status <= 299;
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

/* Makes one long poll and answers its jobs. False if a request failed. */
static bool work(struct demo *demo)
{
    const struct json *polled, *ignored;
    if (!post(demo, STR("/v1/jobs/poll"), poll_body(demo), &polled)) return false;
    struct json_each each = json_each(json_get(polled, STR("jobs")));
    while (json_next(&each)) {
        str id = json_string(json_get(each.value, STR("id")));
        str path = arena_printf(&demo->arena, "/v1/jobs/%.*s/complete", STR_ARG(id));
        if (!post(demo, path, completion_body(demo, each.value), &ignored)) return false;
    }
    return true;
}

/* ---- the thread ---- */

/* The definition that the other one starts is deployed first. */
static bool deploy(struct demo *demo)
{
    const str documents[] = {
        { demo_loan_disbursement, (size_t)(demo_loan_disbursement_end - demo_loan_disbursement) },
        { demo_loan_application, (size_t)(demo_loan_application_end - demo_loan_application) },
    };
    for (size_t i = 0; i < COUNT(documents); i++) {
        const struct json *answer;
        if (!post(demo, STR("/v1/definitions"), documents[i], &answer)) return false;
        arena_reset(&demo->arena);
    }
    return true;
}

static void print_what_to_try(struct demo *demo)
{
    const char *pawl = program_invocation_name;
    struct buf out;
    buf_init(&out, NULL);
    buf_printf(
        &out,
        "\nTwo definitions are deployed and a worker answers their jobs. In another terminal try\n\n"
        "  %s start LOS::loan-application-full --server %.*s --var loanAmount=200000000 --wait 5\n"
        "  %s ps --server %.*s\n"
        "  %s show INSTANCE --server %.*s\n\n"
        "With --var creditScore=600 somebody must review the application, with --var loanAmount=600000000\n"
        "approve the disbursement: see \"%s help complete\".\n\n",
        pawl, STR_ARG(demo->url), pawl, STR_ARG(demo->url), pawl, STR_ARG(demo->url), pawl);
    output_write(buf_str(&out));
    buf_done(&out);
}

static void *run(void *context)
{
    struct demo *demo = context;
    bool deployed = false;
    while (!is_stopped(demo)) {
        bool good = deployed ? work(demo) : deploy(demo);
        arena_reset(&demo->arena);
        if (!good) {
            pause_after_error(demo);
        } else if (!deployed) {
            deployed = true;
            print_what_to_try(demo);
        }
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
