/* tests/sim/faulty_store.h — a store that fails on demand, in front of one that does not.
 *
 * What the inner store has committed survives; everything else may be lost. The faults:
 *
 *   full      begin, apply or commit refuse with ST_FULL: nothing was written
 *   failed    begin, apply or a read refuse with ST_STORE; reads of a shared store also with ST_AGAIN
 *   unknown   commit fails with ST_STORE, and was or was not done
 *   kill      from this operation on nothing works: the process is as good as dead. If it
 *             was a commit, it was or was not done
 *
 * Every committed change is told to the checker at the moment of its commit.
 */
#ifndef SIM_FAULTY_STORE_H
#define SIM_FAULTY_STORE_H

#include "store/store.h"
#include "world.h"

/* A new connection to the durable contents in `inner`. */
struct store *faulty_store_open(struct world *world, struct store *inner);
/* Leaves `inner` as it is on disk. */
void faulty_store_close(struct store *store);

/* Nothing works any more. */
void faulty_store_kill(struct store *store);
bool faulty_store_killed(const struct store *store);

/* Reads of one row by this reader fail now and then. */
void faulty_reader_begin(struct world *world, struct store_reader *reader);

#endif
