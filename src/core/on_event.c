/* core/on_event.c — an event that concerns the instance.
 *
 * A failed instance keeps it, as one that does not wait for it yet does: a retry finds it.
 */

#include "core/core_int.h"

enum status on_event(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    const struct instance *instance = step->instance;
    if (!instance_takes_mail(instance) || !command->data || !core_takes_event(step->program, command->data)) {
        step->unchanged = true;
        return ST_OK;
    }
    TRY(mail_has_room(step, command->data, rejection));
    if (command->as.event.correlation.n && !instance->correlation.n)
        note(step,
             &(struct entry){ .kind = ENTRY_KIND_CORRELATE, .correlation = command->as.event.correlation });
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_MAIL_IN, .mail = note_number(step), .event = command->data });
    if (!instance_status_ended(instance->status)) mail_serve_all(step);
    return ST_OK;
}
