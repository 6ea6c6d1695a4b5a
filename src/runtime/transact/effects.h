/* runtime/transact/effects.h — what writing an instance changes outside of its state.
 *
 * A command tells of its effects only through the state it leaves: jobs, timers and people's tasks that are
 * open now and were not before have been opened, and the other way round. So there is no second list that
 * could disagree with the state. effects_of() computes the difference once, when the row of the instance is
 * written. The transaction stores the part that has index rows; effects_apply() gives the rest to the queues
 * and timers after the commit.
 *
 * A job, timer or task that nobody may reach counts as closed: those of a failed instance, which a retry
 * opens again. Work in a detached region can be reached although its instance has ended.
 */
#ifndef RUNTIME_TRANSACT_EFFECTS_H
#define RUNTIME_TRANSACT_EFFECTS_H

#include "runtime/turn.h"

/* The difference between what the store holds of the instance and its state now, added to the turn's list. */
struct effects *effects_of(struct turn *turn, const struct loaded *loaded);

/* The row of a person's task, without what is only read. */
struct task_row effects_task(const struct definition *definition, const struct instance *instance,
                             const struct token *token);

/* The timer cannot fire now: it comes again at that time, if the transaction commits. */
void effects_fire_again(struct turn *turn, const struct timer_row *timer, int64_t at_ms);

/* The transaction has committed: queues and timers follow, counters count. */
void effects_apply(struct turn *turn);

#endif
