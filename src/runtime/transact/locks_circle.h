/* runtime/transact/locks_circle.h — runs that hold named locks and wait for each other in a circle.
 *
 * A lock is stuck if all who hold it are stuck. A holder is stuck if something inside of its visit waits for
 * a stuck lock: at a step in its region, or in a run that the visit waits for. The search begins at a lock
 * with waiters and follows holders and their waits. It is bounded, and counts as free what it has not looked
 * at. So it may miss a large circle, and it names none that does not exist.
 */
#ifndef RUNTIME_TRANSACT_LOCKS_CIRCLE_H
#define RUNTIME_TRANSACT_LOCKS_CIRCLE_H

#include "runtime/transact/locks.h"

/* How the search reads: in the turn, or beside it. */
struct circle_source {
    void *of;
    enum status (*records)(void *of, const struct record_filter *filter, struct arena *arena,
                           struct record_row **ret_row, size_t *ret_count, struct error *err);
    /* The state of a living or failed run, without a program. *ret_instance NULL: it is gone, or damaged. */
    enum status (*instance)(void *of, uint64_t id, struct arena *arena, const struct instance **ret_instance,
                            struct error *err);
    /* The run that does the job of an instance; 0: none. */
    enum status (*child)(void *of, uint64_t parent, uint32_t job, struct arena *arena, uint64_t *ret_child,
                         struct error *err);
};

struct circle_source locks_source_turn(struct turn *turn);
struct circle_source locks_source_reader(struct store_reader *reader);

/* Finds the circle that keeps the lock from everybody who waits for it. All is in the arena; `*ret_circle` is
 * empty if there is none. Reads at most `*runs_left` runs, and counts them down. */
enum status locks_circle(const struct circle_source *source, str qualified, size_t *runs_left,
                         struct arena *arena, struct lock_circle *ret_circle, struct error *err);

#endif
