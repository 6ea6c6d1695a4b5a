/* core/notice.c — notices: e-mails that tell people of a task they have or may take.
 *
 * A notice is a job of the waiting token, done by the performer of e-mail, and the token waits on whatever
 * becomes of it. A task has one notice at a time: a newer one replaces one that is still on its way, because
 * the newer one says the same to the people who are asked now.
 */

#include "core/core_int.h"

#include "core/task.h"

/* Retries wait for one minute, then each four times as long as the one before. */
static const struct program_delay again = { .first_ms = 60 * 1000, .factor = 4, .max_ms = 64 * 60 * 1000 };

void notice_close(struct step *step, uint32_t execution)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
}

void notice_open(struct step *step, uint32_t execution, str kind)
{
    notice_close(step, execution);
    uint32_t number = note_number(step);
    job_open(step, execution, kind, 0, 1, step->command->now_ms);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("notice"), kind);
    json_add_name(&builder, STR("number")); /* Tells the notices of one visit apart. */
    json_add_int(&builder, number);
    json_close(&builder);
    note(step, &(struct entry){ .kind = ENTRY_KIND_JOB_INPUT,
                                .job = number,
                                .performer = PERFORM_EMAIL,
                                .payload = json_built(&builder) });
}

static void add_names(struct buf *out, const char *words, const struct json *names)
{
    size_t cursor = 0, count = 0;
    str name;
    while (task_next_name(names, &cursor, &name))
        buf_printf(out, "%s%.*s", count++ ? ", " : words, STR_ARG(name));
}

static const struct json *not_sent(struct step *step, const struct json *why)
{
    return json_set(step->arena, json_empty_object(), STR("notSent"), why);
}

void notice_done(struct step *step, const struct job *job)
{
    const struct json *told = step->command->data;
    const struct token token = *instance_find_token(step->instance, job->execution);
    struct buf text;
    buf_init(&text, step->arena);
    add_names(&text, "to ", json_get(told, STR("to")));
    add_names(&text, text.n ? "; no address: " : "no address: ", json_get(told, STR("noAddress")));
    str refused = json_text(told, STR("refused"));
    if (refused.n) buf_printf(&text, "; the server refused one: %.*s", STR_ARG(refused));
    job_close(step, job->number, JOB_DONE, STR_NONE);
    task_change(step, &token, not_sent(step, json_null()), reason_cut(buf_str(&text)));
}

void notice_failed(struct step *step, const struct job *job, str why)
{
    const struct command_job *said = &step->command->as.job;
    if (said->retryable && job->attempt < NOTICE_ATTEMPTS_MAX) {
        int64_t delay_ms = program_delay_ms(&again, job->attempt);
        if (delay_ms < said->retry_after_ms) delay_ms = said->retry_after_ms;
        job_open(step, job->execution, job->type, 0, job->attempt + 1,
                 time_after(step->command->now_ms, delay_ms));
        return;
    }
    const struct token token = *instance_find_token(step->instance, job->execution);
    task_change(step, &token, not_sent(step, json_of_string(step->arena, why)), why);
}
