/* runtime/timers.h — the timers that come due soon.
 *
 * All timers are rows of the store. In memory is only a window: every stored timer up to
 * `bound` is in the heap, none beyond. A timer that was cancelled stays in the heap until its
 * time and then finds nothing to do.
 *
 * In a shared store (nodes.h) a node has in memory the timers that it has set itself and that are due soon.
 * Any other timer is found when nobody has fired it in time, by the node whose part it is: the one that set
 * it is dead, or has forgotten it because it was far away. Half of the window is kept free for those.
 */
#ifndef RUNTIME_TIMERS_H
#define RUNTIME_TIMERS_H

#include "base/map.h"
#include "store/store.h"

struct timers {
    struct timer_row *heap;
    size_t count;
    size_t cap;
    struct timer_row bound;
    bool shared;              /* Other nodes have timers of the same store. */
    struct map known;         /* Shared: those in the heap, so that none is there twice. */
    int64_t next_scan_ms;     /* Shared. */
    struct timer_row scanned; /* Shared: those up to here were looked at. */
    uint64_t part, parts;     /* Shared: our part of those that nobody has fired in time. */
};

void timers_init(struct timers *timers);
void timers_done(struct timers *timers);

/* A timer was stored. */
void timers_add(struct timers *timers, const struct timer_row *row);
/* The same for one that may wait for work outside when it fires. Nobody else can see that it does, so only
 * the node whose part it is fires it. */
void timers_add_slow(struct timers *timers, const struct timer_row *row);

/* A timer that was due could not fire: it comes again at that time. */
void timers_add_again(struct timers *timers, const struct timer_row *row, int64_t at_ms);

/* Moves the window on if its end is near. */
enum status timers_load(struct timers *timers, struct store *store, int64_t now_ms, struct error *err);

/* Takes a timer that is due, or returns false. */
bool timers_take_due(struct timers *timers, int64_t now_ms, struct timer_row *ret_row);

/* When to look again. */
int64_t timers_next_ms(const struct timers *timers);

#endif
