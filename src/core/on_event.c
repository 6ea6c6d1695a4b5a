/* core/on_event.c — an event that concerns the instance. */

#include "core/core_int.h"

enum status on_event(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    const struct instance *instance = step->instance;
    if (instance_status_ended(instance->status) || !command->data ||
        !core_takes_event(step->program, command->data)) {
        step->unchanged = true;
        return ST_OK;
    }
    if (instance->mail_count >= (size_t)step->limits->mailbox_events_max)
        return fail(rejection, ST_LIMIT, "", "the instance holds %zu events it has not used yet, the most allowed",
                    instance->mail_count);
    if (command->correlation.n && !instance->correlation.n)
        note(step, &(struct entry){ .kind = ENTRY_KIND_CORRELATE, .text = command->correlation }, NODE_NONE);
    note(step, &(struct entry){ .kind = ENTRY_KIND_MAIL_IN, .number = fresh_number(step), .json = command->data },
         NODE_NONE);
    mail_serve_all(step);
    return ST_OK;
}
