/* tests/sim/entity.h — runs with entities: who writes them, who computes for them, and what must be true.
 *
 * Such a run has no other definitions. Every write is a transaction "op-N", so every effect leads to who
 * asked for it, and every document has the number of the request or of the report that made it. The checker
 * follows the committed histories:
 *
 *  (1) A history has a cause: a write that arrived, an answer to a job that was open, a timer that was due.
 *      A write has no more effects than copies of it arrived, at most one if it has a key, one if it was
 *      acknowledged, and none if it was refused before anything could be committed.
 *  (2) All entities of a write change in one transaction.
 *  (3) Nothing of a unit that waits is stored: no stored state has an open job of a task that holds.
 *  (4) An entity in a unit that waits is stored as it was when the unit began, and is in no other unit.
 *  (5) If-Match: the transaction before the write is the one it names.
 *  (6) Entities move along the transitions of the version they have, by the name that was fired.
 *  (7) A job has one verdict. A timer fires once and not early.
 *  (8) The stored state is what the history replays to; reads show what is committed.
 *  (9) When the faults stop, every write is answered, and every job and timer comes to its end.
 * (10) A processor that commits first is asked when what comes before it is committed, and not earlier.
 * (11) A search finds the committed entities that its condition fits, and no others. Index rows, unique keys
 *      and the other rows by which entities are found are those of the committed entities, also while
 *      indexes are built and dropped.
 * (12) A processor's writes in the transaction that waits for it are committed with it, all of them that
 *      were acknowledged, or not at all. They have the transaction of the entity for which it works.
 */
#ifndef SIM_ENTITY_H
#define SIM_ENTITY_H

#include "network.h"
#include "store/store.h"

struct journal;
struct run_result;

/* generate_entity.c */
/* One of several documents of one model. */
str entity_generate_document(struct world *world);
const struct json *entity_generate_data(struct world *world, uint32_t op);
/* A condition, and what it is: entity_fits() tells which entities it finds. */
const struct json *entity_generate_search(struct world *world, uint32_t *ret_what);
bool entity_fits(uint32_t what, const struct json *data, str state);
/* The name of some transition, of any state; now and then of none. */
str entity_generate_transition(struct world *world);
/* Can this transition commit before all is done? */
bool entity_commits_early(str transition);
/* The answer to a processor or a function. */
const struct json *entity_generate_answer(struct world *world, bool decides, uint32_t op);

/* actors_entity.c */
void entity_actors_begin(struct world *world);

/* checker_entity.c: as those of checker.h */
void entity_checker_begin(struct world *world);
void entity_checker_done(struct world *world);
void entity_checker_count(const struct world *world, struct run_result *result);
void entity_committed(struct world *world, const struct journal *journal);
void entity_answered(struct world *world, struct copy *copy);
void entity_turned(struct world *world);
bool entity_all_done(struct world *world);
void entity_not_done(struct world *world);
void entity_end(struct world *world);

#endif
