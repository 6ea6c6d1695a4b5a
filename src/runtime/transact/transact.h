/* runtime/transact/transact.h — the door to instances inside the running transaction, and to units. */
#ifndef RUNTIME_TRANSACT_TRANSACT_H
#define RUNTIME_TRANSACT_TRANSACT_H

#include "base/log.h"
#include "runtime/call/call.h"
#include "runtime/transact/backlog.h"
#include "runtime/transact/effects.h"
#include "runtime/transact/indexes.h"
#include "runtime/transact/kept.h"
#include "runtime/transact/locks.h"
#include "runtime/transact/overflow.h"
#include "runtime/transact/units.h"

struct arena;
struct changeset;
struct command;
struct definition;
struct engine;
struct error;
struct instance;
struct instance_row;
struct instance_view;
struct job;
struct json;
struct open_job;
struct program;
struct schema_problem;
struct start;
struct transition;
struct turn;

/* Memory that lasts from one transaction to the next. */
struct transact {
    struct units units; /* Nothing of it is in the store. */
    struct index_cache indexes;
    struct store_numbers numbers;          /* For new instances and definitions. */
    int64_t numbers_ms;                    /* The turn that has taken those of instances. */
    bool starts_paused;                    /* New instances are created and do not begin. */
    int64_t compute_wait_ms;               /* So long a request may wait for a calculation node. */
    struct backlog backlog[BACKLOG_COUNT]; /* Work that goes on in later turns. */
    struct kept_memory kept;
    struct locks_memory locks;
};

/* ---- slice.c: how much a turn does ---- */

/* Costs of work in operations of about 20 ns (core/core.h). */
enum {
    FUEL_COMMAND = 500, /* Loading an instance and writing its rows, besides what the core spends. */
    FUEL_READ = 500,
    STATE_BYTES_PER_FUEL = 16, /* Bytes of a stored state for one operation. */
    SOURCE_FUEL_PER_BYTE = 2,  /* Operations for a byte of a document that is compiled. */
    SLICES_PER_TURN = 8,       /* A call or an event that takes several turns has this part of each. */
};

/* Begins a slice of one in `parts` of a turn; returns the slice before. */
struct slice slice_begin(struct turn *turn, int parts);

bool slice_is_over(const struct turn *turn);

/* ---- transact.c: the running transaction ---- */

/* The transaction of this turn, begun if it is not. Failing marks the turn as failed. */
enum status transact_begin(struct turn *turn, struct error *err);

/* A turn begins. With other nodes its new instances have higher ids than all that are there, so that lists
 * show them as the newest. */
void transact_renew_numbers(struct turn *turn);

/* The id of the next new instance. The caller that has written it counts it: engine->transact.numbers.
 * ST_LIMIT: none is left. */
enum status transact_next_instance(struct turn *turn, uint64_t *ret_id, struct error *err);

/* Applies rows that belong to no instance. */
enum status transact_rows(struct turn *turn, struct changeset *changeset, struct error *err);

/* Makes the transaction one that cannot commit, unless it is already. Returns err's status. */
enum status transact_failed(struct turn *turn, const struct error *err);

/* True if the status, or an earlier one, means that the transaction cannot commit. */
bool transact_is_lost(const struct turn *turn, enum status status);

/* ---- transact_load.c: instances that the turn has loaded ---- */

/* An instance as of now, the running transaction included. NOT_NOW has ST_INTERNAL for a damaged one. */
MUST_DECIDE struct found transact_load(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                                       struct definition **ret_definition, struct error *err);

/* The same for a tenant: an instance of another one is not there. */
MUST_DECIDE struct found transact_load_in(struct turn *turn, int32_t ns, uint64_t id,
                                          const struct instance **ret_instance,
                                          struct definition **ret_definition, struct error *err);

/* The same for a call: ST_FORBIDDEN if its caller has nothing to do with instances of the definition. */
MUST_DECIDE struct found transact_load_for(struct turn *turn, const struct call *call, uint64_t id,
                                           const struct instance **ret_instance,
                                           struct definition **ret_definition, struct error *err);

/* The same, but never a working copy that waits in a unit. */
MUST_DECIDE struct found transact_load_stored(struct turn *turn, uint64_t id,
                                              const struct instance **ret_instance,
                                              struct definition **ret_definition, struct error *err);

/* Has this node handed out the job? Then it has seen the instance last, as a rule, and its cache is good. */
bool transact_trusts(const struct turn *turn, const struct call *call);

/* The number of an instance's definition; false if it cannot be had. Compiles nothing. */
bool transact_find_definition(struct turn *turn, uint64_t id, int64_t *ret_number);

/* A copy of the instance for the program of another version, which has the nodes of its tokens: what the
 * command finds that moves the instance there. */
const struct instance *transact_moved(struct turn *turn, const struct instance *instance,
                                      const struct definition *definition);

/* The row was read in this transaction: the instance is loaded, unless it is damaged. */
void transact_take(struct turn *turn, const struct instance_row *row);

/* Forgets an instance that no command of the transaction has changed, and the cache forgets it, too: its row
 * is about to go. */
void transact_unload(struct turn *turn, uint64_t id);

/* Forgets the instances: the turn is over, or rolled back. Only the cache keeps them. */
void transact_forget(struct turn *turn);

/* ---- transact_end.c ---- */

/* Writes the last rows of a transaction on a store that nodes share. */
void transact_end_shared(struct turn *turn);

/* Commits (true) or rolls back (false). */
bool transact_end(struct turn *turn);

/* Forgets the transaction, but not the instances it loaded. */
void transact_clear(struct turn *turn);

/* ---- transact_step.c ---- */

/* Steps an instance (NULL for START) and writes what comes of it; what follows from that is
 * the caller's business (follow.c). ST_OK also for a stale command: then *ret_transition is NULL. */
enum status transact_step(struct turn *turn, struct definition *definition, const struct instance *before,
                          const struct command *command, struct transition **ret_transition,
                          struct error *err);

/* transact_step() for the command MIGRATE, with the version that the instance goes on with. `before` is what
 * transact_load() gave, not a working copy of a unit. */
enum status transact_migrate(struct turn *turn, struct definition *definition, const struct instance *before,
                             const struct command *command, struct transition **ret_transition,
                             struct error *err);

/* ---- prefetch.c ---- */

/* With other nodes: loads the instances of the turn's calls together, those that memory does not know well.
 */
void prefetch(struct turn *turn);

/* ---- damage.c ---- */

/* ST_INTERNAL with the words for an instance whose state cannot be read. Nothing can be done to it, and it is
 * in nobody's way: its row is kept, lists show it, and its jobs are not offered. */
enum status damage_fail(const struct instance_row *row, const char *why, struct error *err);

/* ---- terms.c: what a definition asks of any start ---- */

/* ST_INVALID (REJECTED_SCHEMA), which names all problems; the place is that of the first. */
enum status terms_fail_schema(struct turn *turn, const struct schema_problem *problem, size_t count,
                              struct error *err);

/* Does one more instance fit? */
enum status terms_have_place(struct turn *turn, int32_t ns, const struct definition *definition,
                             bool *ret_has, struct error *err);

/* ST_OVERLOAD (MAX_ACTIVE_INSTANCES). */
enum status terms_fail_place(struct error *err);

/* ---- starts.c: new instances, and what they chain to ---- */

struct start {
    int32_t ns;
    str definition_id;
    int32_t version;
    str business_key;
    const struct json *data;
    str actor;
    str arrival;     /* By an arrival at this trigger, whose value is the data. */
    str correlation; /* By an event. */
    uint64_t parent; /* By another instance. */
    uint32_t parent_job;
    bool parent_waits;
    bool replaces;            /* The key may be taken: its holder is cancelled in the same transaction. */
    struct definition *known; /* The definition, if the caller has it; else NULL. */
    str refusal;              /* Why it must not run: it fails at its first node; empty: it may. */
    uint64_t chained_from;    /* By the end of another instance. */
    int64_t waits_since_ms;   /* It could not start before; 0: it comes now. */
    bool is_test;
    uint64_t root; /* The root of its family, and its depth in it (struct instance). */
    uint32_t depth;
};

/* ---- follow.c: a command and all that follows from it ---- */

/* transact_step() for a command from outside, with chained starts, children and parents. */
enum status follow_command(struct turn *turn, struct definition *definition, const struct instance *before,
                           const struct command *command, struct transition **ret_transition,
                           struct error *err);

/* follow_command() for MIGRATE, with the version that the instance goes on with. */
enum status follow_migrate(struct turn *turn, struct definition *definition, const struct instance *before,
                           const struct command *command, struct transition **ret_transition,
                           struct error *err);

/* ST_CONFLICT, DEFINITION_RETIRED: nothing of the definition starts, whichever version is asked for. */
enum status start_check_retired(struct turn *turn, const struct definition *definition, struct error *err);

/* start_step() for a start from outside, likewise. */
enum status follow_start(struct turn *turn, const struct start *start, struct transition **ret_transition,
                         struct definition **ret_definition, struct error *err);

/* ---- pending.c ---- */

/* Starts instances that had to wait for their definition. */
void pending_start(struct turn *turn);

/* ---- children.c: jobs that are instances of other definitions ---- */

/* The target of the pending rows that stand for jobs of children. */
extern const str children_put_off_target;

/* Settles what was put off, and what has become due. */
void children_go_on(struct turn *turn);

/* When there is something to go on with. */
int64_t children_next_ms(const struct engine *engine);

/* The transaction is over. */
void children_end(struct turn *turn, bool committed);

/* ---- target.c ---- */

/* The instance that the public id names, and its definition. */
MUST_DECIDE struct found target_load(struct turn *turn, const struct call *call, struct id id,
                                     const struct instance **ret_instance, struct definition **ret_definition,
                                     struct error *err);

/* A failed instance has given its business key free: it may live again only if nobody took it. */
enum status target_check_key(struct engine *engine, const struct instance *instance,
                             const struct definition *definition, struct error *err);

/* A parent that failed with this child starts another one when it is retried: both would do the same work. So
 * the child must not be retried alone by accident. */
enum status target_check_parent(struct turn *turn, const struct instance *child, struct error *err);

/* Answers with the instance. */
void target_answer(const struct turn *turn, struct call *call, const struct instance *instance,
                   const struct definition *definition);

/* ---- index_records.c: records by which instances are found later ---- */

/* The node on which a transient instance began, from the value of its mark; 0: the only one. */
int64_t index_record_node_of(str value);

uint64_t index_record_instance_of(str key);
/* The beginning of the keys of all tests, members and states of a definition. */
str index_record_prefix(str definition_id, struct arena *arena);

/* The key of one that has the prefix. */
str index_record_member(str prefix, uint64_t instance, struct arena *arena);

/* The prefix of all expiries at that time: those that are earlier come before it. */
str index_record_expiry_before(int64_t time_ms, struct arena *arena);

/* Removes the records of an instance whose row is about to go, if its state can be read. */
enum status index_record_forget(struct turn *turn, uint64_t id, struct error *err);

/* ---- idempotency.c ---- */

/* Fills in the answer that was given under the call's key before, if there is one (`replayed`). */
enum status idempotency_replay(struct turn *turn, struct call *call, struct error *err);

/* Writes the answer under the call's key, in the transaction of its effect. */
enum status idempotency_remember(struct turn *turn, struct call *call, struct error *err);

/* ---- room.c: what is done when the disk is full ---- */

void room_open(struct engine *engine);
bool room_for(const struct engine *engine, enum call_kind kind);
/* Room for work on instances that exist: timers and the like. */
bool room_to_go_on(const struct engine *engine);

/* ST_FULL with the words for it, if there is no room. */
enum status room_check(const struct engine *engine, enum call_kind kind, struct error *err);

/* ---- quotas.c: the quotas of a tenant. Checks answer ST_OVERLOAD, `tenant-limit` ---- */

/* May one more instance begin? Not asked for children and chained starts, which only count. */
enum status quota_check_start(struct turn *turn, int32_t ns, struct error *err);
/* May anything new be stored? */
enum status quota_check_bytes(struct turn *turn, int32_t ns, struct error *err);
/* May a definition, or a version of one, be published that has so many schedules more? */
enum status quota_check_definition(struct turn *turn, int32_t ns, bool is_new, int64_t more_schedules,
                                   struct error *err);

/* A transaction found the disk full: makes the store release some space; false if there is none. */
bool room_release(struct engine *engine);

/* store_reclaim_space(), and says so when the disk is no longer full. */
enum status room_reclaim(struct engine *engine, bool shrink, bool *ret_more, struct error *err);

/* ---- said.c: lines of the log ---- */

/* log_write() when the transaction commits; values are copied. Nothing is written after a rollback. */
__attribute__((sentinel)) void transact_say(struct turn *turn, enum log_level level, const char *event, ...);
void transact_say_end(struct turn *turn, bool committed);
/* The name of the tenant for a line. */
const char *said_tenant(struct turn *turn, int32_t ns);
/* Any other value of a line: it is cut so that it can be read at a glance. */
const char *said_text(struct turn *turn, str words);

/* ---- views.c ---- */

/* Everything is copied to the arena. Without a program (NULL) what only it knows stays empty. `now_ms` 0: the
 * time is not known. */
void view_instance(const struct program *program, const struct instance *instance, str definition_id,
                   int32_t definition_version, int64_t now_ms, struct arena *arena,
                   struct instance_view *ret_view);

void view_job(const struct program *program, const struct instance *instance, const struct job *job,
              const struct open_job *open, bool with_data, struct arena *arena, struct job_view *ret_view);
/* The author's name of the node at which an instance failed; empty: it stands at none that did. */
str view_failed_step(const struct program *program, const struct instance *instance);
/* The code with which an instance failed for this reason (program/reason.h). Empty: it has none, it is not
 * known now, or the instance has gone on. */
str view_failure_code(struct store_reader *reader, uint64_t id, str reason, struct arena *arena);

/* ---- overflow.c: the queue of arrivals that wait for a place ---- */

/* An arrival as a value, and read from it. */
const struct json *overflow_encode(const struct arrival_view *view, const struct arrival_event *event,
                                   str given_key, const struct arrival_terms *terms, struct arena *arena);
bool overflow_decode(const struct json *object, str key, struct queued_arrival *ret_queued);

/* The arrival waits. Its number is that of its record, which is about to be written. */
enum status overflow_add(struct turn *turn, int32_t ns, const struct arrival_view *view,
                         const struct arrival_event *event, str given_key, const struct arrival_terms *terms,
                         struct error *err);

/* Do as many arrivals of the definition wait as may? */
enum status overflow_is_full(struct turn *turn, int32_t ns, str definition_id, bool *ret_full,
                             struct error *err);

enum status overflow_has(struct turn *turn, int32_t ns, str definition_id, bool *ret_has, struct error *err);
/* Has an arrival of the definition waited since that time, or longer? */
enum status overflow_waits_since(struct turn *turn, int32_t ns, str definition_id, int64_t since_ms,
                                 bool *ret_waits, struct error *err);
/* All queues, in their order; in the turn's arena. The filter is that of their records. */
size_t overflow_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter);
enum status overflow_queues(struct turn *turn, struct overflow_queue **ret_queue, size_t *ret_count,
                            struct error *err);
/* Is the place of a queue behind those of all queues of that priority? */
static inline bool overflow_place_is_behind(str place, int32_t priority)
{
    return place.n && place.p[0] > (char)(PRIORITY_COUNT - priority);
}
/* A new version of the definition has that priority, and so has its queue. */
enum status overflow_note_priority(struct turn *turn, int32_t ns, str definition_id, int32_t priority,
                                   struct error *err);
/* The definition's first one behind the key. */
MUST_DECIDE struct found overflow_first(struct turn *turn, int32_t ns, str definition_id, str after,
                                        struct queued_arrival *ret_queued, struct error *err);

enum status overflow_remove(struct turn *turn, int32_t ns, const struct queued_arrival *queued,
                            struct error *err);
/* The number that it had when it arrived. */
uint64_t overflow_number_of(const struct queued_arrival *queued);
/* Do arrivals wait for a place in the definition? */
enum status overflow_waits(struct turn *turn, int32_t ns, str definition_id, bool *ret_waits,
                           struct error *err);
/* The definition is deleted: removes up to `max` arrivals that wait, or, when none is left, their count. */
enum status overflow_end(struct turn *turn, int32_t ns, str definition_id, size_t max, size_t *ret_count,
                         struct error *err);
/* Removes up to `max` arrivals of a tenant that goes, or counts of its queues. */
enum status overflow_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err);

#endif
