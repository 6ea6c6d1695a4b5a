/* runtime/memory/fair.h — calls of several tenants, which take turns by deficit.
 *
 * Each tenant has a queue of its own. A tenant whose turn it is gets a quantum, and its calls are taken until
 * they have cost that much; then the next tenant comes. A call is charged after it has run, because nobody
 * knows its cost before: a tenant that has used more than its quantum waits until quanta make up for it. So
 * tenants share by cost, however many calls each of them has, and calls of one tenant keep their order. With
 * one tenant this is a plain queue.
 */
#ifndef RUNTIME_MEMORY_FAIR_H
#define RUNTIME_MEMORY_FAIR_H

#include "base/map.h"
#include "runtime/call/call.h"

struct fair_tenant;

struct fair_calls {
    struct fair_tenant *first, *last; /* In the order of their turns. */
    struct fair_tenant *added;        /* The one that a call was added for last. */
    struct map of_tenant;
    int64_t quantum;
    size_t count;
};

void fair_init(struct fair_calls *fair, int64_t quantum);
void fair_done(struct fair_calls *fair); /* No call may be left. */

void fair_add(struct fair_calls *fair, struct call *call);
/* Empties the list. */
void fair_append(struct fair_calls *fair, struct call_list *list);
/* The next call; NULL: there is none. */
struct call *fair_take(struct fair_calls *fair);
/* The call that was taken last has cost so much. */
void fair_charge(struct fair_calls *fair, int64_t cost);
/* Moves all to the list, one call of each tenant and then one of each again. */
void fair_empty(struct fair_calls *fair, struct call_list *list);

#endif
