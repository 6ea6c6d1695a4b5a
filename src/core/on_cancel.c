/* core/on_cancel.c — stop an instance and all it waits for. */

#include "core/core_int.h"

enum status on_cancel(struct step *step, struct error *rejection)
{
    TRY(reject_ended(step, rejection));
    waits_close_all(step, true);
    status_note(step, INSTANCE_CANCELLED, reason_cut(step->command->text));
    return ST_OK;
}
