/* core/on_cancel.c — stop an instance and all it waits for.
 *
 * One that has failed is cancelled only if that is asked for: it then takes no more events and cannot be
 * retried.
 */

#include "core/core_int.h"

enum status on_cancel(struct step *step, struct error *rejection)
{
    if (!step->command->as.cancel.failed_too || step->instance->status != INSTANCE_FAILED)
        TRY(instance_reject_ended(step->instance, rejection));
    interrupt_waits(step, true);
    note_status(step, INSTANCE_CANCELLED, reason_cut(step->command->as.cancel.reason));
    return ST_OK;
}
