/* tests/sim/checker_stuck.c — what has stopped and can go on: tokens stuck at the way out of their step, and
 * signals that came before their step waits for them.
 */
#include "record.h"

/* ---- the way out of a step of steps ---- */

/* The visit was finished, and its conditions do not say where to go. What a person or a signal brings is
 * refused instead: only what nobody waits to be told about may get stuck. */
void record_stall(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token) return;
    const struct spec_step *step = record_step(record, token->step);
    size_t to;
    enum way way =
        spec_way(record->instance->spec, step, record->instance->data, &record->checker->arena, &to);
    bool waited = token->state == TOKEN_JOB || token->state == TOKEN_SIGNAL;
    if (waited ? record->released != token->execution : !token->exits)
        bad(record, "\"%.*s\" is stuck although nobody had finished it", STR_ARG(step->id));
    if (record->history->command == COMMAND_SIGNAL && waited && !record->served)
        bad(record, "a signal that leads nowhere was not refused");
    if (way == WAY_TO || way == WAY_NOWHERE || entry->value || entry->json)
        bad(record, "\"%.*s\" is stuck, and its way is clear", STR_ARG(step->id));
    if (model_timers_of(record->instance, token->execution) ||
        model_jobs_of(record->instance, token->execution))
        bad(record, "\"%.*s\" is stuck with a timer or a job open", STR_ARG(step->id));
    if (waited) record->released = record->served = 0;
    record_visit(record->instance, token->execution)->status = EXECUTION_COMPLETED;
    token->state = TOKEN_FAILED;
    token->stuck = true;
    token->exits = false;
    record->failed = true;
}

/* ---- early signals ---- */

/* The oldest signal for a step, or NULL. */
static struct model_mail *oldest_for(const struct model_instance *instance, size_t step)
{
    for (size_t i = 0; i < instance->mail.count; i++)
        if (instance->mail.item[i].step == step) return &instance->mail.item[i];
    return NULL;
}

const struct json *record_served_data(const struct record *record, const struct model_token *token)
{
    if (token->state != TOKEN_SIGNAL || record->released == token->execution) return NULL;
    const struct model_mail *mail = oldest_for(record->instance, token->step);
    return mail ? mail->event : NULL;
}

void record_signal_in(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct request *request = record->request;
    if (!record_number(record, entry->number)) return;
    size_t step = spec_find(instance->spec, entry->node);
    const struct json *sent = request && request->data ? request->data : json_empty_object();
    if (record->history->command != COMMAND_SIGNAL || !request->early ||
        !str_equal(request->node, entry->node) || !json_equal(sent, entry->json))
        bad(record, "a signal is kept that nobody sent");
    else if (step == STEP_NONE || record_step(record, step)->type != WAIT)
        bad(record, "a signal is kept for a step that waits for none");
    else if (model_live(instance) && record->released)
        bad(record, "a signal is kept although \"%.*s\" waits for it", STR_ARG(entry->node));
    record->released = 0;
    record->data_count++;
    *list_push(&record->checker->arena, &instance->mail) =
        (struct model_mail){ entry->number, json_copy(&record->checker->arena, entry->json), .step = step };
}

/* A step that waits takes the oldest; at the end of an instance all are dropped. */
void record_mail_out(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    const struct model_token *token = entry->execution ? record_token(record, entry->execution) : NULL;
    size_t i = 0;
    while (i < instance->mail.count && instance->mail.item[i].number != entry->number) i++;
    if (i == instance->mail.count) {
        bad(record, "signal %u was used and is not there", entry->number);
        return;
    }
    if (token &&
        (token->state != TOKEN_SIGNAL || oldest_for(instance, token->step) != &instance->mail.item[i]))
        bad(record, "a signal was used out of turn");
    if (token) record->released = record->served = token->execution;
    list_cut(&instance->mail, i);
}

/* No step waits for a signal that is there, and nothing is kept for nobody. */
void record_check_mail(struct record *record)
{
    const struct model_instance *instance = record->instance;
    if (instance->status == INSTANCE_COMPLETED || instance->status == INSTANCE_CANCELLED) {
        if (instance->mail.count) bad(record, "it has ended with signals");
        return;
    }
    for (size_t i = 0; model_live(instance) && i < instance->tokens.count; i++)
        if (instance->tokens.item[i].state == TOKEN_SIGNAL &&
            oldest_for(instance, instance->tokens.item[i].step))
            bad(record, "it waits for a signal that is there");
}
