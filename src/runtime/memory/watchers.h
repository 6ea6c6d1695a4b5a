/* runtime/memory/watchers.h — calls that wait for something to happen to an instance. */
#ifndef RUNTIME_MEMORY_WATCHERS_H
#define RUNTIME_MEMORY_WATCHERS_H

#include "base/map.h"
#include "runtime/call/call.h"
#include "runtime/memory/deadlines.h"

struct watcher {
    struct call *call;
    uint64_t instance;
    struct deadline deadline;
    struct watcher *before, *after; /* Watchers of the same instance. */
};

struct watchers {
    struct map by_instance; /* first struct watcher of each instance */
    struct deadlines *deadlines;
};

void watchers_init(struct watchers *watchers, struct deadlines *deadlines);
void watchers_done(struct watchers *watchers);

void watchers_add(struct watchers *watchers, uint64_t instance, struct call *call, int64_t until_ms);

/* Takes the first call that waits for this instance and is satisfied by its being at
 * `revision` (a WATCH that has seen less), by its having come to rest (an ARRIVE) or by its having ended
 * (everything), or NULL. `ret_until_ms` gets the end of its time. */
struct call *watchers_take(struct watchers *watchers, uint64_t instance, uint32_t revision, bool rests,
                           bool ended, int64_t *ret_until_ms);

/* Does a call wait for the instance? */
bool watchers_have(const struct watchers *watchers, uint64_t instance);
/* Instances that calls wait for, one by one; 0: no more. `*cursor` begins with 0. */
uint64_t watchers_next(const struct watchers *watchers, size_t *cursor);

/* Takes the call whose time is up. */
struct call *watchers_take_late(struct watchers *watchers, struct deadline *deadline);

/* Takes any (for a drain), or NULL. */
struct call *watchers_take_any(struct watchers *watchers);

#endif
