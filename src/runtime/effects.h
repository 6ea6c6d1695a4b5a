/* runtime/effects.h — what writing an instance changes outside of its state.
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
#ifndef RUNTIME_EFFECTS_H
#define RUNTIME_EFFECTS_H

#include "runtime/turn.h"

struct effects {
    uint64_t instance;
    const struct program *program;
    const struct definition *definition;
    const struct job **job_opened; /* Jobs have no rows: they are in the state, and in memory queues. */
    size_t job_opened_count;
    uint32_t *job_closed; /* By number. */
    size_t job_closed_count;
    bool *is_offered; /* For each that was opened: another node may have it (offers.h); NULL: none may. */
    struct job_row *job_offered, *job_dropped; /* Rows of such jobs. */
    size_t job_offered_count, job_dropped_count;
    struct timer_row *timer_set, *timer_cleared;
    size_t timer_set_count, timer_cleared_count;
    struct task_row *task_opened, *task_closed; /* In both, one behind the other: its details have changed. */
    size_t task_opened_count, task_closed_count;
    struct subscription_row *subscribed, *unsubscribed; /* NULL: none. */
    struct failure_row *failed, *mended;                /* Rows by which failures are searched; NULL: none. */
    struct record_row *marked, *unmarked;               /* marks.c */
    size_t marked_count, unmarked_count;
    struct effects *next;
};

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
