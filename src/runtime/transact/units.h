/* runtime/transact/units.h — changes that are committed together or not at all, and may wait in memory for
 * work outside.
 *
 * A command may open a job of a task that *holds* (program_node): its result decides whether anything of the
 * command happens. Then nothing is written. A *unit* keeps the working copies of the instances and the
 * histories that lead to them, and offers the jobs. Each answer continues the unit, and when nothing holds
 * any more, all of it is written in one transaction.
 *
 *     unit_begin ──► step the instances ──► unit_end ──► nothing holds: a part of the turn's transaction
 *                                              │
 *                                              ▼
 *                          the unit waits ──► a job's answer ──► nothing holds: written
 *                             ▲                   │
 *                             └───────────────────┴──► the command is rejected, or its time is up: dropped
 *
 * Invariants:
 *  (1) Nothing of a unit that waits is in the store. After a crash it never happened.
 *  (2) An instance is in at most one unit that waits. Its working copy is what the engine's thread sees;
 *      other threads see what is committed. Commands other than answers to its jobs are refused with
 *      ST_CONFLICT, and its timers fire later.
 *  (3) A unit is written only if each instance has the revision from which the unit began.
 *  (4) Changes of a turn to a unit count only if the turn commits: until then they are staged in the turn's
 *      arena.
 *
 * A part of a unit can be undone alone: what a job has changed whose failure does not count
 * (units_savepoint.c). That does not wait for the turn's commit, because the job has failed in any case.
 *
 * The call that began a unit is answered when the unit is over. If what was written goes on with a task that
 * does not hold, the call waits on: a *run* is that wait. A later command that fires another transition
 * ends the run with ST_CONFLICT.
 */
#ifndef RUNTIME_TRANSACT_UNITS_H
#define RUNTIME_TRANSACT_UNITS_H

#include "base/map.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/turn.h"

struct engine;
struct unit;

/* A committed job with which the unit ends: units_join.c. */
struct unit_anchor {
    uint64_t instance; /* 0: the unit has none. */
    uint32_t number;
};

/* A call of this turn that has joined a unit. */
struct staged_join {
    struct call *call;
    uint64_t by;                        /* The instance whose job the call works for. */
    struct transition *mark;            /* The last one before it joined; NULL: there was none. */
    struct savepoint savepoint, parent; /* The savepoint of its steps, and the one around it. */
    uint64_t *instance;                 /* The instances that it waits for. */
    size_t count;
    struct staged_join *next;
};

/* Checks an instance against its model, and makes the model grow if its document needs that. */
typedef enum status unit_grow_fn(struct turn *turn, const struct definition *definition,
                                 const struct instance *instance, struct error *err);

/* The changes of one unit in the turn that runs. */
struct staged_unit {
    struct unit *unit; /* It waited before this turn; NULL: it begins here. */
    struct call *call; /* That began it in this turn; NULL: none did. */
    enum unit_cause {
        UNIT_OF_CALL,
        UNIT_OF_JOB,   /* An answer to a job that is committed: if the unit is dropped, the job fails. */
        UNIT_OF_TIMER, /* A timer fired: if the unit is dropped, the timer has fired for nothing. */
    } cause;
    uint64_t instance; /* OF_JOB, OF_TIMER: whose. */
    uint32_t number;
    struct unit_anchor anchor;
    bool is_anchor_done;
    int64_t patience_ms;             /* With an anchor: how long its job may take. */
    struct staged_join *join;        /* It joins just now; NULL: none does. */
    struct staged_join *first_join;  /* Joins that have to wait. */
    struct transition *first, *last; /* The transitions of this turn. */
    size_t count;
    enum { UNIT_OPEN, UNIT_WAITS, UNIT_WRITTEN, UNIT_DROPPED } fate;
    struct error why;   /* DROPPED */
    bool is_settled;    /* DROPPED: the job or the timer that began it is over, too. */
    unit_grow_fn *grow; /* For each instance when the unit is written; NULL: none needs it. */
    struct staged_unit *next;
};

struct units {
    struct map by_instance; /* struct unit */
    struct map by_anchor;   /* struct unit by the instance of its anchor */
    struct map runs;        /* struct unit_run by instance */
    struct map unread;      /* Instances whose jobs come back as soon as the store can read them. */
    struct text_map keys;   /* struct call by its idempotency key: all that wait. */
    struct deadlines *deadlines;
    struct unit *first; /* All that wait. */
    size_t count, bytes;
    size_t late_count;   /* Units whose time is up. */
    size_t failed_count; /* Savepoints that have failed and whose jobs are still open. */
    unsigned char secret[32];
};

void units_init(struct units *units, struct deadlines *deadlines);
void units_done(struct units *units);

/* True if a unit that waits has the instance. */
bool units_have(const struct turn *turn, uint64_t instance);

/* True if the call's unit waits: its answer is not known yet. */
bool units_hold(const struct turn *turn, const struct call *call);
/* True if another call with this idempotency key waits for its unit or its run. */
bool units_have_key(const struct turn *turn, const struct call *call);

/* ---- a command in several parts ---- */

/* From now on the steps of the turn are staged, until unit_end() or unit_forget(). ST_OVERLOAD: too many
 * wait. */
enum status unit_begin(struct turn *turn, struct call *call, struct error *err);
/* Writes what is staged or, if something holds, lets it wait: then the call is answered later. */
enum status unit_end(struct turn *turn, struct error *err);
/* Nothing of it happened. */
void unit_forget(struct turn *turn);

/* ---- transactions of processors: units_join.c ---- */

/* The token by which calls may join the unit that waits for the job; empty: they may not. */
str unit_token(const struct turn *turn, const struct program *program, const struct instance *instance,
               const struct job *job, struct arena *arena);
/* The number of the node that has given the token, if it is one; 0: a node that is alone. Pure. */
int64_t unit_token_node(str token);
/* Like unit_begin(), but the steps become a part of the unit that the token names. unit_end() and
 * unit_forget() end only this part; the call is answered when nothing that it has changed holds any more.
 * ST_NOT_FOUND, TRANSACTION_NOT_FOUND. `*ret_instance` is the one whose job it is. */
enum status unit_join(struct turn *turn, struct call *call, str token, const struct instance **ret_instance,
                      struct error *err);
enum status unit_check_token(struct turn *turn, int32_t ns, str token, struct error *err);
/* Gives each instance that the unit of the token, which unit_check_token() has found good, has changed, as it
 * is there. ST_LIMIT: more than so many. */
typedef enum status unit_seen_fn(void *context, const struct instance *instance,
                                 const struct definition *definition, struct error *err);
enum status unit_each_shared(struct turn *turn, str token, size_t max, unit_seen_fn *seen, void *context,
                             struct error *err);
/* True if the instance is in the unit that the token names, which unit_check_token() has found good. */
bool unit_shares(const struct turn *turn, str token, uint64_t instance);
/* True if the call that joins works for a job of this instance. */
bool unit_is_joined_by(const struct turn *turn, uint64_t instance);
/* True if the instance waits in the unit that the call has joined. */
bool unit_takes(const struct turn *turn, uint64_t instance);
/* The anchor fails: nothing comes of what has joined. False: the job is no anchor. Number 0: whichever it is.
 */
bool unit_drop_anchored(struct turn *turn, uint64_t instance, uint32_t number, const struct error *why);
/* The call that waits for the instance; NULL: none does. */
struct call *unit_waiting_call(const struct turn *turn, uint64_t instance);

/* The unit of the instance was dropped in this turn: the reason goes behind the words that tell why. */
void unit_add_reason(const struct turn *turn, uint64_t instance, str reason);

/* ---- savepoints: units_savepoint.c ---- */

/* The job has failed: what it has changed in its unit by its token is undone, and the calls of it that wait
 * fail. Returns the number of changes that are undone; 0: the job has changed nothing, or is no savepoint. */
size_t unit_undo(struct turn *turn, uint64_t instance, uint32_t number, const struct error *why);
/* The failure in words that tell how much was undone. In the turn's arena. */
str unit_tell_undone(struct turn *turn, const struct error *why, size_t undone);
/* A savepoint of the instance has failed, and the instance goes on. */
void unit_log_undone(const struct instance *instance, str text);

/* The instance has changed otherwise: a unit whose anchor is gone is dropped. */
void unit_follow(struct turn *turn, const struct instance *after);

/* A document of the instance makes its model grow. If the unit of the instance waits, the model grows when
 * that is written. False: no unit waits with it, so that the model may grow at once. */
bool unit_grows(struct turn *turn, uint64_t instance, unit_grow_fn *grow);

/* ---- for transact_load.c and transact_step.c ---- */

/* The working copy of an instance that is staged or waits; false: there is none. */
bool unit_find(struct turn *turn, uint64_t instance, const struct instance **ret_instance,
               struct definition **ret_definition, enum status *ret_status, struct error *err);
/* The unit to which a step of the instance belongs; NULL: none. ST_CONFLICT: the unit does not take it. */
enum status unit_of_step(struct turn *turn, const struct instance *before, const struct command *command,
                         struct staged_unit **ret_staged, struct error *err);
/* The step was made: it is staged, and perhaps written with all the rest. `staged` may be NULL if it holds.
 */
enum status unit_keep(struct turn *turn, struct staged_unit *staged, struct transition *transition,
                      const struct command *command, struct error *err);
/* The step of the instance was rejected: the unit is dropped, or the savepoint that the step belongs to. */
enum status unit_reject(struct turn *turn, struct staged_unit *staged, const struct instance *before,
                        const struct command *command, const struct error *why, struct error *err);

/* ---- for turn.c ---- */

/* Before the commit: jobs and timers that began units which were dropped are over, and so are jobs of
 * savepoints that have failed. */
enum status units_settle(struct turn *turn, struct error *err);

/* The attempt is over. */
void units_end(struct turn *turn, bool committed);
/* The attempt has committed: runs whose instances have begun another one are over. Before units_wake(). */
void units_supersede(struct turn *turn);
/* An instance has changed: runs that waited for it may be over. False: another node was part of it, and what
 * it did cannot be read yet. */
bool units_wake(struct turn *turn, const struct loaded *loaded);
/* The instance is gone, and with it what runs waited for. */
void units_forget(struct turn *turn, uint64_t instance);
/* The command's failure is what the call that waits for the instance will be told, if the attempt commits. */
void units_note_failure(struct turn *turn, uint64_t instance, const struct error *why);
/* The attempt has committed: its failures count. Before units_supersede(). */
void units_tell_failures(struct turn *turn);
/* The call that waits for the run of an instance; NULL: none. */
struct call *units_call_of(const struct turn *turn, uint64_t instance);
/* Offers jobs that a unit gave back while their instances could not be read. Outside of a transaction. */
void units_restore_unread(struct turn *turn);
/* Drops the units whose time is up. */
void units_go_on(struct turn *turn);
void units_take_late(struct engine *engine, struct deadline *deadline);
/* Answers every call that waits, and forgets all units. */
void units_release(struct turn *turn, enum status status, const struct error *why);

#endif
