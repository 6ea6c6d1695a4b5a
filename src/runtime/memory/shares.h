/* runtime/memory/shares.h — calls that wait for the second part of a turn.
 *
 * A turn does cheap work first. A call on a definition whose commands are expensive, or whose cost
 * nobody knows yet, waits here in the queue of that definition, its *share*. Tenants take turns, by what
 * their calls cost. Inside of a tenant, shares of one priority take turns: one call of each, then one of each
 * again. So a definition delays only itself, however many calls it gets, and definitions of a lower priority
 * of its tenant: those wait until no call of a higher one does.
 */
#ifndef RUNTIME_MEMORY_SHARES_H
#define RUNTIME_MEMORY_SHARES_H

#include "base/map.h"
#include "runtime/call/call.h"
#include "runtime/memory/jobs.h"

struct share;
struct share_tenant;

/* Where a call waits. */
struct share_place {
    uint64_t key;
    int32_t priority; /* The definition's priority; the first call of a share decides. */
};

enum { SHARE_QUANTUM = 50000 }; /* A tenant's turn, in operations: about a millisecond. */

struct shares {
    struct map by_key;
    struct share_tenant *first, *last; /* With calls, in the order of their turns. */
    struct map of_tenant;
    size_t call_count;
};

void shares_init(struct shares *shares);
void shares_done(struct shares *shares); /* No call may be left. */

/* Does a call with this key wait? Then the next one waits behind it. */
bool shares_hold(const struct shares *shares, uint64_t key);
/* How many calls with this key wait. */
size_t shares_count(const struct shares *shares, uint64_t key);
void shares_add(struct shares *shares, struct share_place place, struct call *call);
/* The next call of the tenant and the share whose turn it is, of the tenant's highest priority that has any;
 * NULL: none waits. */
struct call *shares_take(struct shares *shares);
/* The call that was taken last has cost so much. */
void shares_charge(struct shares *shares, int64_t cost);

#endif
