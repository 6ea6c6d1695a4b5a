/* runtime/transact/locks.h — named locks of all instances of a tenant: who holds them, and who waits.
 *
 * An instance's state says which locks it holds and which it waits for (core/lock.c). The rows here are the
 * same, by name, and are written with the state, as the difference that effects.h describes. So a crash can
 * leave neither a lock that nobody holds nor a waiter that nobody knows:
 *
 *     d  name                                          → somebody has asked, or has given up
 *     h  name, instance, number                        → somebody holds it
 *     w  name, 10 - priority, time, instance, number   → somebody has asked then, and waits
 *
 * A name is qualified by its tenant (base/tenant.h) and ended by a NUL. The backlog looks at each name
 * that has a d row: while fewer hold it than the first waiter's size says, that one is granted, by a command
 * to its instance in the same transaction. Nobody overtakes the first waiter. With other nodes the
 * transaction is one that has asked the store, so of two nodes that look at one name one repeats its turn.
 */
#ifndef RUNTIME_TRANSACT_LOCKS_H
#define RUNTIME_TRANSACT_LOCKS_H

#include "base/id.h"
#include "store/store.h"

struct call;
struct definition;
struct effects;
struct engine;
struct instance;
struct loaded;
struct lock;
struct turn;

/* One that holds a lock, or waits for it. */
struct lock_seat {
    struct id id; /* The instance. */
    str definition_id, node;
    int64_t asked_ms, granted_ms; /* It waits: 0. */
    uint32_t size;
};

struct lock_seats {
    struct lock_seat *seat; /* Waiters in the order in which they come. */
    size_t count;
    bool more; /* They are only the first LOCK_SEATS_MAX. */
};

/* A run that holds a lock and waits for another one. */
struct circle_link {
    struct lock_seat seat; /* It holds this lock. */
    str holds, waits;
};

/* Runs of which each waits for a lock that the next one holds, and the last one for a lock of the first. */
struct lock_circle {
    struct circle_link *link;
    size_t count; /* 0: there is none. */
};

struct lock_view {
    str name;
    struct lock_seats holders, waiters;
    struct lock_circle circle; /* That keeps the lock from those who wait for it. */
};

/* The memory of this file. */
struct locks_memory {
    bool is_scanned; /* All names with waiters have been looked at since the engine began: what only memory
                        kept has given up its locks. */
};

/* Adds the rows that change with the instance to the effects. */
void locks_change(struct turn *turn, const struct loaded *loaded, struct effects *effects);
/* The row of the instance is about to go: gives up what it holds. */
enum status locks_forget_instance(struct turn *turn, const struct definition *definition,
                                  const struct instance *instance, struct error *err);
/* Removes some rows of a tenant that goes. `*ret_count` 0: nothing is left. */
enum status locks_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err);

/* ---- granting ---- */

void locks_go_on(struct turn *turn);
size_t locks_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter);

/* ---- for people ---- */

/* The words behind "waits for the lock": "; held by instance …; place 1 of 2", in the call's arena. Empty:
 * nothing is known. Runs that the caller may not see are "others". */
str locks_explain(struct turn *turn, const struct call *call, int32_t ns, const struct instance *instance,
                  const struct lock *lock);

/* The next lock behind the name `after` (empty: the first), or the one called `only`. `*ret_view` is NULL if
 * there is none. `runs_left` counts down the runs that are read in search of circles. */
enum status locks_next(struct store_reader *reader, int32_t ns, str after, str only, size_t *runs_left,
                       struct arena *arena, struct lock_view **ret_view, struct error *err);

#endif
