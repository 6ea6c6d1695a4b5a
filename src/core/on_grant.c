/* core/on_grant.c — a lock is free for a token that waits for it, and the token's visit begins; or too many
 * wait for the lock, and the visit fails. */

#include "core/core_int.h"

enum status on_grant(struct step *step, struct error *rejection)
{
    const struct lock *lock = instance_find_lock(step->instance, step->command->as.timer.number);
    (void)rejection;
    if (!lock || lock->is_held || !instance_reaches(step->instance, lock->execution)) {
        step->unchanged = true;
        return ST_OK;
    }
    uint32_t execution = lock->execution;
    timer_close_all(step, execution);
    if (step->command->as.timer.refusal.n) {
        lock_refuse(step, execution, step->command->as.timer.refusal);
        return ST_OK;
    }
    note(step, &(struct entry){ .kind = ENTRY_KIND_LOCK_GRANT, .lock = step->command->as.timer.number });
    step->running = execution;
    return ST_OK;
}
