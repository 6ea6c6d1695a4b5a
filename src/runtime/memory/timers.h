/* runtime/memory/timers.h — the timers that come due soon.
 *
 * A timer waits in one heap until its time, and then in that of its tenant until a turn has room for it. The
 * first is ordered by time. The second is ordered by the priority of the definition, then by time: when many
 * timers are due at once, after a pause or at one moment, the urgent ones fire first. Tenants take turns, one
 * timer each, so that nobody waits for the many of another one.
 *
 * All timers are rows of the store. In memory is only a window: every stored timer up to
 * `bound` is in a heap, none beyond. A timer that was cancelled stays there until its
 * time and then finds nothing to do. A tenant that has very many in the window is *behind*: only the first of
 * them are in memory, and the rest is read again when some of these have fired. So its timers do not keep
 * those of others, which come due later, out of memory.
 *
 * In a shared store (nodes.h) a node has in memory the timers that it has set itself and that are due soon.
 * Any other timer is found when nobody has fired it in time, by the node whose part it is: the one that set
 * it is dead, or has forgotten it because it was far away. Half of the window is kept free for those.
 */
#ifndef RUNTIME_MEMORY_TIMERS_H
#define RUNTIME_MEMORY_TIMERS_H

#include "base/map.h"
#include "store/store.h"

struct timer_heap {
    struct timer_row *row;
    size_t count, cap;
    int (*compare)(const struct timer_row *a, const struct timer_row *b);
};

/* The timers of a tenant that are in memory. */
struct timer_tenant {
    int32_t ns;
    size_t count;              /* All of them. */
    struct timer_heap due;     /* Their time has come. */
    struct timer_tenant *next; /* In the ring of tenants that have some due; NULL: it has none. */
    bool was_passed;           /* Shared: a scan has passed rows of it over. */
    bool is_behind; /* Its rows behind this place are not in memory, also those before the bound. */
    struct timer_row behind;
};

struct timers {
    struct timer_heap waiting;
    struct map tenants;        /* struct timer_tenant: those that have timers in memory, or are behind. */
    struct timer_tenant *last; /* Has had its turn; the next one follows it. NULL: nothing is due. */
    size_t due_count;          /* Timers of all tenants in such heaps. */
    size_t behind_count;       /* Tenants that are behind. */
    size_t count;              /* All timers in memory. */
    struct timer_row bound;
    bool shared;              /* Other nodes have timers of the same store. */
    struct map known;         /* Shared: those in a heap, so that none is there twice. */
    int64_t next_scan_ms;     /* Shared. */
    struct timer_row scanned; /* Shared: those up to here were looked at. */
    uint64_t part, parts;     /* Shared: our part of those that nobody has fired in time. */
};

void timers_init(struct timers *timers);
void timers_done(struct timers *timers);

/* A timer was stored. */
void timers_add(struct timers *timers, const struct timer_row *row);
/* The same for a timer whose firing may wait for a processor. Other nodes cannot see that wait, so only the
 * node that owns this share of timers fires it. */
void timers_add_slow(struct timers *timers, const struct timer_row *row);

/* A timer that was due could not fire: it comes again at that time. */
void timers_add_again(struct timers *timers, const struct timer_row *row, int64_t at_ms);

/* Moves the window on if its end is near. */
enum status timers_load(struct timers *timers, struct store *store, int64_t now_ms, struct error *err);

/* Takes the timer that is due and comes first, or returns false. */
bool timers_take_due(struct timers *timers, int64_t now_ms, struct timer_row *ret_row);

/* When the next one in memory fires; INT64_MAX: there is none. */
int64_t timers_first_ms(const struct timers *timers);

/* The soonest one in memory of a tenant: looks at all of them. INT64_MAX: there is none. */
int64_t timers_first_of(const struct timers *timers, int32_t ns);

/* Any of those in memory, from 0 to count - 1, for those who look at all of them. */
const struct timer_row *timers_at(const struct timers *timers, size_t i);

/* When to look again. */
int64_t timers_next_ms(const struct timers *timers);

#endif
