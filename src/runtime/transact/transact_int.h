/* runtime/transact/transact_int.h — what the files of this room share. */
#ifndef RUNTIME_TRANSACT_TRANSACT_INT_H
#define RUNTIME_TRANSACT_TRANSACT_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/transact/transact.h"

/* ---- transact_load.c ---- */

/* An instance that the turn loads, or starts (`stored` is NULL). */
struct loaded *transact_add_loaded(struct turn *turn, uint64_t id, struct definition *definition,
                                   const struct instance *stored);

/* True if an instance that the turn has loaded has the job. */
bool transact_has_job(const struct turn *turn, uint64_t instance, uint32_t number);

/* ---- transact_write.c ---- */

/* Writes the row, all that hangs on it, and the history of the latest command if that is not written yet. */
enum status transact_write(struct turn *turn, struct loaded *loaded, const struct history *latest,
                           str history, struct error *err);

/* Writes the rows of all instances that have changed, and the numbers of entities. */
void transact_write_all(struct turn *turn);

/* That command is written: the loaded instance goes on with the other version from here on. */
enum status transact_move(struct turn *turn, uint64_t id, struct definition *definition,
                          const struct instance **ret_now, struct error *err);

/* ---- transact_apply.c ---- */

/* Writes a transition that was made before (units.h). Its `before` is what transact_load_stored() gives. */
enum status transact_apply(struct turn *turn, struct transition *transition, struct error *err);

/* ---- terms.c: what a definition asks of any start ---- */

/* May an instance begin that came to no trigger: a child, or the next one of a chain? ST_INVALID: its input
 * does not fit the schema. ST_OVERLOAD: there is no place for it, or others have waited for one longer. */
enum status terms_check_start(struct turn *turn, const struct definition *definition,
                              const struct start *start, struct error *err);

/* ---- starts.c: new instances, and what they chain to ---- */

/* The root of the family that an instance is in. */
static inline uint64_t family_root(const struct instance *instance)
{
    return instance->root ? instance->root : instance->id;
}

/* Starts an instance and what it chains to. */
enum status start_step(struct turn *turn, const struct start *start, struct transition **ret_transition,
                       struct definition **ret_definition, struct error *err);

/* Counts one more start of the family. ST_LIMIT if that is one too many today. */
enum status start_count_family(struct turn *turn, int32_t ns, uint64_t root, bool is_test, struct error *err);

/* Starts what the change chains to, or notes that it waits. */
enum status start_chained(struct turn *turn, struct transition *transition, int32_t ns, struct error *err);

/* ST_CONFLICT: a live instance has the business key. */
enum status start_fail_key_taken(struct error *err);

/* Starts the next instance of a chain. If the family may start no more, that instance fails and says so. */
enum status start_next(struct turn *turn, struct start *start, struct transition **ret_transition,
                       struct error *err);

/* Makes the chained start findable from the instance that caused it. */
enum status start_link(struct turn *turn, uint64_t from, uint32_t number, const struct transition *started,
                       struct error *err);

/* ---- backlog.c: rows of the kind `pending` ---- */

/* Rows of the store, for a round over them. */
struct backlog_row *backlog_rows_of(const struct pending_row *row, size_t count, struct arena *arena);

/* The place of such a row, as the store looks for those behind it. */
struct pending_row backlog_row_at(str place);

/* ---- children.c: jobs that are instances of other definitions ---- */

/* Settles the children that the transitions of the turn concern, as many as fit into one transaction. Fails
 * only with it. */
enum status children_follow(struct turn *turn, struct error *err);

/* ---- index_records.c: records by which instances are found later ---- */

void index_record_changes(struct turn *turn, const struct loaded *loaded, struct effects *effects);

/* ---- tallies.c: how many entities there are in each state ---- */

/* The rows of the numbers that the transaction changes. */
enum status tallies_change(struct turn *turn, struct changeset *ret_change, struct error *err);

/* ---- room.c: what is done when the disk is full ---- */

/* Counts what a write of an instance adds to the usage of its tenant. */
void quota_note_write(struct turn *turn, int32_t ns, const struct changeset *changeset);

/* Does one more instance of the program fit? ST_OVERLOAD: too many are kept in memory. */
enum status room_check_transients(const struct engine *engine, const struct program *program,
                                  struct error *err);

/* ---- said.c ---- */

/* The transition has committed: the log tells of a run that failed, or came back. */
void said_run(struct turn *turn, const struct transition *transition);
/* … of a call that the guard refused, … */
void said_guarded(struct turn *turn, const struct transition *transition);
/* … and of a job that was done in a later attempt. */
void said_retried(struct turn *turn, const struct transition *transition, const struct job *job);

#endif
