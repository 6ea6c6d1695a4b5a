/* core/on_proceed.c — begin an instance that was created and held. Its tokens are ready. */

#include "core/core_int.h"

enum status on_proceed(struct step *step, struct error *rejection)
{
    (void)rejection;
    if (!step->instance->is_held || instance_status_ended(step->instance->status)) {
        step->unchanged = true;
        return ST_OK;
    }
    note(step, &(struct entry){ .kind = ENTRY_KIND_HOLD, .is_held = false });
    return ST_OK;
}
