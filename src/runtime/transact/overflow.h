/* runtime/transact/overflow.h — arrivals that wait for a place.
 *
 * A definition may have so many living instances and no more. An arrival that would create one more waits, if
 * the definition says so: its event is a record, in order of arrival. When a place is free, the first ones
 * are routed again (admit.c), by the version that is the latest then. They wait for a day at most, and at
 * most ARRIVALS_QUEUED_MAX of one definition do. Queues of several definitions come by the priority of the
 * definition.
 */
#ifndef RUNTIME_TRANSACT_OVERFLOW_H
#define RUNTIME_TRANSACT_OVERFLOW_H

#include "runtime/call/call.h"

struct turn;

struct queued_arrival {
    str key; /* The key of the record. */
    str definition_id;
    str trigger;
    str given_key;              /* In the place of the trigger's; empty: the trigger's. */
    struct arrival_event event; /* `at_ms`: when it arrived. */
};

/* The arrivals of one definition. */
struct overflow_queue {
    str place;      /* In the order of the queues: those of a higher priority first, then by definition. */
    str definition; /* Its qualified name. */
};

#endif
