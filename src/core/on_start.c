/* core/on_start.c — create an instance and run it. */

#include "core/core_int.h"

/* Where it comes from: its parent, its family, the instance it was chained from. */
static void note_origin(struct step *step)
{
    const struct command *command = step->command;
    if (command->as.start.parent)
        note(step, &(struct entry){
                       .kind = ENTRY_KIND_BORN,
                       .parent = command->as.start.parent,
                       .parent_job = command->as.start.parent_job,
                       .parent_waits = command->as.start.parent_waits,
                   });
    if (command->as.start.root)
        note(step, &(struct entry){ .kind = ENTRY_KIND_FAMILY,
                                    .root = command->as.start.root,
                                    .depth = command->as.start.depth });
    if (command->as.start.chained_from)
        note(step,
             &(struct entry){ .kind = ENTRY_KIND_CHAINED, .chained_from = command->as.start.chained_from });
}

enum status on_start(struct step *step, struct error *rejection)
{
    const struct json *data = step->command->data ? step->command->data : json_empty_object();
    struct error err;
    if (program_fields_check(&step->program->inputs, data, &err) != ST_OK)
        return fail(rejection, ST_INVALID, err.where, "%.*s violation: %s",
                    STR_ARG(step->program->inputs.word), err.message);
    note_origin(step);
    if (step->command->as.start.correlation.n)
        note(step, &(struct entry){ .kind = ENTRY_KIND_CORRELATE,
                                    .correlation = step->command->as.start.correlation });
    TRY(data_take(step, 0, data, MERGE_SHALLOW, rejection));
    uint32_t first = token_enter(step, step->program->start, 0, 0);
    if (step->command->as.start.refusal.n) budget_stop(step, first, step->command->as.start.refusal);
    return ST_OK;
}
