/* runtime/memory/deadlines.h — what has to happen at some time, soonest first.
 *
 * A deadline is a part of whatever waits for it (a leased job, a waiting call) and knows its
 * own place in the heap, so that it can be taken out when it no longer matters.
 */
#ifndef RUNTIME_MEMORY_DEADLINES_H
#define RUNTIME_MEMORY_DEADLINES_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum deadline_kind {
    DEADLINE_LEASE,
    DEADLINE_DELAY,
    DEADLINE_POLL,
    DEADLINE_WATCH,
    DEADLINE_SLOT,
    DEADLINE_TASK_FEED,
    DEADLINE_LIVE,
    DEADLINE_UNIT,
};

struct deadline {
    int64_t at_ms;
    uint32_t place; /* In the heap from 1; 0: not in it. */
    enum deadline_kind kind;
};

struct deadlines {
    struct deadline **heap; /* From index 1. */
    size_t count;
    size_t cap;
    struct map of_call; /* Deadlines of waiting calls by the call's serial: for those who are abandoned. */
};

void deadlines_done(struct deadlines *deadlines);

/* Puts it in, or moves it if it is in already. */
void deadline_set(struct deadlines *deadlines, struct deadline *deadline, enum deadline_kind kind,
                  int64_t at_ms);

/* The same for a call that waits. A serial of 0 is not remembered. */
void deadline_set_of_call(struct deadlines *deadlines, struct deadline *deadline, enum deadline_kind kind,
                          int64_t at_ms, uint64_t serial);
void deadline_clear_of_call(struct deadlines *deadlines, struct deadline *deadline, uint64_t serial);

/* Takes it out; nothing if it is not in. */
void deadline_clear(struct deadlines *deadlines, struct deadline *deadline);

/* The soonest, or NULL. */
static inline struct deadline *deadlines_first(const struct deadlines *deadlines)
{
    return deadlines->count ? deadlines->heap[1] : NULL;
}

#endif
