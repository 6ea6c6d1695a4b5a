/* perform/mail/performer.c — reads a job's input and hands the message to the sender. */
#include "perform/mail/mail_int.h"

#include "base/must.h"
#include "perform/limits.h"

#include <stdlib.h>

struct mail_performer {
    struct mail_config config;
    struct mail_sender *sender; /* NULL until there is something to send. */
};

struct mail_config mail_config_default(void)
{
    return (struct mail_config){
        .jobs_max = 256,
        .jobs_per_server_max = 8,
        .connect_timeout_ms = 10 * 1000,
        .timeout_ms = 60 * 1000,
    };
}

/* The text of a secret is never part of a message. */
static bool find_server(const struct mail_performer *performer, struct engine_job *job,
                        struct mail_server *ret_server)
{
    const struct json *reference = json_get(job->input, STR("connectionRef"));
    bool given = reference && !json_is(reference, JSON_NULL);
    if (given && !json_is(reference, JSON_STRING))
        return mail_fail(job, MAIL_ERROR_EMAIL_INPUT, "connectionRef must be a text, vault:NAME");
    str text = given ? json_string(reference) : performer->config.server;
    if (!text.n)
        return mail_fail(job, MAIL_ERROR_EMAIL_SERVER,
                         "there is no mail server: give connectionRef, or start the engine with --smtp");
    struct error err;
    if ((given || str_starts(text, STR("vault:"))) && perform_secret(job, text, &text, &err) != ST_OK) {
        mail_fail_named(job, false, str_of(err.where), str_of(err.message));
        return false;
    }
    const char *wrong = mail_server_read(text, job->arena, ret_server);
    return !wrong || mail_fail(job, MAIL_ERROR_EMAIL_SERVER, "%s is not a mail server: %s",
                               given ? "the secret of connectionRef" : "--smtp", wrong);
}

static bool begin(struct mail_performer *performer, struct engine_job *job)
{
    struct error err;
    struct mail_delivery *delivery = arena_make(job->arena, struct mail_delivery);
    delivery->job = job;
    if (!find_server(performer, job, &delivery->server) ||
        (job->notice && !mail_notice_write(job, performer->config.public_url)) ||
        !mail_message_make(job, delivery->server.from, &delivery->message))
        return false;
    if (!performer->sender && mail_sender_start(&performer->config, &performer->sender, &err) != ST_OK)
        return mail_fail(job, MAIL_ERROR_SMTP_FAILED, "%s", err.message);
    delivery->timeout_ms = job->timeout_ms > 0 ? job->timeout_ms : performer->config.timeout_ms;
    if (delivery->timeout_ms > MAIL_TIMEOUT_MS_MAX) delivery->timeout_ms = MAIL_TIMEOUT_MS_MAX;
    /* The number is known before the sender's thread can be done with the job. */
    mail_sender_submit(performer->sender, delivery);
    return true;
}

static void start(void *self, struct engine_job *job)
{
    if (!begin(self, job)) job->done(job);
}

static void cancel(void *self, struct engine_job *job)
{
    struct mail_performer *performer = self;
    if (performer->sender) mail_sender_cancel(performer->sender, (uint64_t)(uintptr_t)job->performing);
}

static size_t room(void *self)
{
    struct mail_performer *performer = self;
    return performer->sender ? mail_sender_room(performer->sender) : performer->config.jobs_max;
}

static void stop(void *self)
{
    struct mail_performer *performer = self;
    if (performer->sender) mail_sender_stop(performer->sender);
    free(performer);
}

void mail_performer_add(struct engine_worker *worker, const struct mail_config *config)
{
    static const struct perform_methods methods = { PERFORM_EMAIL, start, cancel, room, stop, true };
    struct mail_performer *performer = calloc(1, sizeof *performer);
    must(performer);
    performer->config = *config;
    worker_add(worker, &methods, performer);
}
