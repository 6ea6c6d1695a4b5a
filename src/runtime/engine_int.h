/* runtime/engine_int.h — what the engine's files share. */
#ifndef RUNTIME_ENGINE_INT_H
#define RUNTIME_ENGINE_INT_H

#include "json/json.h"
#include "runtime/effects.h"
#include "runtime/engine.h"
#include "runtime/nodes.h"
#include "runtime/offers.h"
#include "runtime/overflow.h"

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

/* ---- cost.c: which calls are expensive ---- */

/* True if the call must wait in this share for the second part of a turn. */
bool cost_must_wait(struct turn *turn, const struct call *call, struct share_place *ret_place);
/* True if an item of a call must wait for the second part of a turn, and this is the first. */
bool cost_item_must_wait(struct turn *turn, const struct call *item);

/* ---- turn.c: the whole of it ---- */

/* Takes the calls of the list, and answers polls for which there is a job. */
void turn_accept(struct turn *turn, struct call_list *calls);
/* Does all the rest: runs, commits, applies the effects, answers. */
void turn_finish(struct turn *turn);

/* ---- work.c: which timers and calls run ---- */

/* True if there is something for a transaction to do. */
bool work_has_command(const struct turn *turn);
void work_take_timers(struct turn *turn);
void work_fire_due(struct turn *turn);
void work_run_cheap(struct turn *turn);
void work_run_late(struct turn *turn);
void work_run_left_over(struct turn *turn);
/* Runs the timers and calls of the attempt before once more. */
void work_repeat(struct turn *turn);
void work_fire(struct turn *turn, const struct timer_row *timer);
/* The timer did not fire and has another chance: in the next turn, or soon if its transaction failed. */
void work_put_back(struct turn *turn, const struct timer_row *timer, bool failed);
void work_put_back_unfired(struct turn *turn);
/* True if there is work for another turn right away. */
bool work_waiting(const struct engine *engine);
/* Refuses the calls that wait for a turn. */
void work_refuse_waiting(struct turn *turn, enum status status, const struct error *why);

/* ---- transact.c: commands into the running transaction ---- */

/* The transaction of this turn, begun if it is not. Failing marks the turn as failed. */
enum status transact_begin(struct turn *turn, struct error *err);

/* An instance as of now, the running transaction included. ST_NOT_FOUND. */
enum status transact_load(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                          struct definition **ret_definition, struct error *err);

/* The same, but never a working copy that waits in a unit. */
enum status transact_load_stored(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                                 struct definition **ret_definition, struct error *err);

/* A copy of the instance for the program of another version, which has the nodes of its tokens: what the
 * command finds that moves the instance there. */
const struct instance *transact_moved(struct turn *turn, const struct instance *instance,
                                      const struct definition *definition);
/* That command is written: the loaded instance goes on with the other version from here on. */
enum status transact_move(struct turn *turn, uint64_t id, struct definition *definition,
                          const struct instance **ret_now, struct error *err);

/* The number of an instance's definition; false if it cannot be had. Compiles nothing. */
bool transact_find_definition(struct turn *turn, uint64_t id, int64_t *ret_number);

/* The row was read in this transaction: the instance is loaded, unless it is damaged. */
void transact_take(struct turn *turn, const struct instance_row *row);

/* ---- prefetch.c ---- */

/* Has this node handed out the job? Then it has seen the instance last, as a rule, and its cache is good. */
bool prefetch_trusts(const struct turn *turn, const struct call *call);
/* With other nodes: loads the instances of the turn's calls together, those that memory does not know well.
 */
void prefetch(struct turn *turn);

/* ---- transact.c, transact_step.c ---- */

/* Steps an instance (NULL for START) and writes what comes of it; what follows from that is
 * the caller's business (follow.c). ST_OK also for a stale command: then *ret_transition is NULL. */
enum status transact_step(struct turn *turn, struct definition *definition, const struct instance *before,
                          const struct command *command, struct transition **ret_transition,
                          struct error *err);

/* Writes a transition that was made before (units.h). Its `before` is what transact_load_stored() gives. */
enum status transact_apply(struct turn *turn, struct transition *transition, struct error *err);
/* True if an instance that the turn has loaded has the job. */
bool transact_has_job(const struct turn *turn, uint64_t instance, uint32_t number);

/* A turn begins. With other nodes its new instances have higher ids than all that are there, so that lists
 * show them as the newest. */
void transact_renew_numbers(struct turn *turn);
/* The id of the next new instance. Whoever has written it counts it: engine->numbers. ST_LIMIT: none is left.
 */
enum status transact_next_instance(struct turn *turn, uint64_t *ret_id, struct error *err);

/* Applies rows that belong to no instance. */
enum status transact_rows(struct turn *turn, struct changeset *changeset, struct error *err);

/* Makes the transaction one that cannot commit, unless it is already. Returns err's status. */
enum status transact_failed(struct turn *turn, const struct error *err);

/* True if the status, or an earlier one, means that the transaction cannot commit. */
bool transact_is_lost(const struct turn *turn, enum status status);

/* Commits (true) or rolls back (false). */
bool transact_end(struct turn *turn);
/* Forgets the transaction, but not the instances it loaded. */
void transact_clear(struct turn *turn);
/* Forgets the instances: the turn is over, or rolled back. Only the cache keeps them. */
void transact_forget(struct turn *turn);

static inline bool lives(const struct instance *instance)
{
    return instance && !instance_status_ended(instance->status);
}

/* Can something still happen to the token? In a detached region it can, although its instance has ended. */
static inline bool reaches(const struct instance *instance, uint32_t execution)
{
    return instance && (!instance_status_ended(instance->status) || instance_reaches(instance, execution));
}

/* Nothing more can happen to the instance but a retry. While something in a detached region still can, the
 * instance *lingers*: retention leaves it alone. */
static inline bool is_over(const struct instance *instance)
{
    return instance_status_ended(instance->status) && !instance_lingers(instance);
}

/* ---- damage.c ---- */

/* ST_INTERNAL with the words for an instance whose state cannot be read. Nothing can be done to it, and it is
 * in nobody's way: its row is kept, lists show it, and its jobs are not offered. */
enum status damage_fail(const struct instance_row *row, const char *why, struct error *err);

/* ---- task_calls.c: people's tasks ---- */

/* CLAIM_TASK, UNCLAIM_TASK, ASSIGN_TASK, COMMENT_TASK. */
enum status task_call_run(struct turn *turn, struct call *call, struct error *err);

/* ---- terms.c: what a definition asks of any start ---- */

struct schema_problem;
struct start;
/* ST_INVALID (REJECTED_SCHEMA), which names all problems; the place is that of the first. */
enum status terms_fail_schema(struct turn *turn, const struct schema_problem *problem, size_t count,
                              struct error *err);
/* Does one more instance fit? */
enum status terms_have_place(struct turn *turn, int32_t ns, const struct definition *definition,
                             bool *ret_has, struct error *err);
/* ST_OVERLOAD (MAX_ACTIVE_INSTANCES). */
enum status terms_fail_place(struct error *err);
/* May an instance begin that came to no trigger: a child, or the next one of a chain? ST_INVALID: its input
 * does not fit the schema. ST_OVERLOAD: there is no place for it, or others have waited for one longer. */
enum status terms_check_start(struct turn *turn, const struct definition *definition,
                              const struct start *start, struct error *err);

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

/* ---- follow.c: a command and all that follows from it ---- */

/* transact_step() for a command from outside, with chained starts, children and parents. */
enum status follow_command(struct turn *turn, struct definition *definition, const struct instance *before,
                           const struct command *command, struct transition **ret_transition,
                           struct error *err);
/* start_step() for a start from outside, likewise. */
enum status follow_start(struct turn *turn, const struct start *start, struct transition **ret_transition,
                         struct definition **ret_definition, struct error *err);

/* ---- pending.c ---- */

/* The bit of a priority in pending_due and pending_left of the engine. */
static inline uint32_t pending_level(int32_t priority) { return 1u << priority; }
enum { PENDING_ALL = (1 << PRIORITY_COUNT) - 1 };

/* Starts instances that had to wait for their definition. */
void pending_start(struct turn *turn);
/* Keeps the place of the row `last` in `after`, or empties it. */
static inline void pending_note_place(struct pending_row *after, const struct pending_row *last)
{
    *after = (struct pending_row){ 0 };
    if (!last) return;
    after->created_ms = last->created_ms;
    after->parent = last->parent;
    after->number = last->number;
}

/* ---- children.c: jobs that are instances of other definitions ---- */

/* Settles the children that the transitions of the turn concern, as many as fit into one transaction. Fails
 * only with it. */
enum status children_follow(struct turn *turn, struct error *err);
/* Settles what was put off, and what has become due. */
void children_go_on(struct turn *turn);
/* Is there something to go on with? */
bool children_waiting(const struct engine *engine);
/* The transaction is over. */
void children_end(struct turn *turn, bool committed);

/* ---- bulk.c: one command for many instances ---- */

enum status bulk_call(struct turn *turn, struct call *call, struct error *err);
enum status bulk_cancel_call(struct turn *turn, struct call *call, struct error *err);
/* Does a slice of a bulk, in the turn's transaction; `run` does the command for one instance. */
typedef enum status bulk_run_fn(struct turn *turn, struct call *call, struct error *err);
void bulk_go_on(struct turn *turn, bulk_run_fn *run);
/* Is there something to go on with, and when is it due? */
bool bulk_waiting(const struct engine *engine);
int64_t bulk_next_ms(const struct engine *engine);
/* The transaction is over. */
void bulk_end(struct turn *turn, bool committed);

/* ---- secrets.c ---- */

/* Tells the vault of all rows: engine_use_vault(). */
enum status secrets_open(struct engine *engine, struct vault *vault, struct error *err);
enum status secrets_set_call(struct turn *turn, struct call *call, struct error *err);
enum status secrets_remove_call(struct turn *turn, struct call *call, struct error *err);
enum status secrets_rekey_call(struct turn *turn, struct call *call, struct error *err);
/* The transaction is over: the vault follows it. */
void secrets_end(struct turn *turn, bool committed);

/* bulk_find.c: what a search has found, ready to be stored; and one part of it read back. */
void bulk_found(const struct call *call, const struct bulk_part_row **ret_part, size_t *ret_count);
bool bulk_targets_read(str part, struct bulk_target ret_target[BULK_PART_SUBJECTS], size_t *ret_count);

/* ---- ticks.c: schedules fire ---- */

/* A definition was published: its triggers fire by the schedules of its latest version. */
enum status ticks_deploy(struct turn *turn, const struct definition_row *row, const struct program *program,
                         struct error *err);
/* Fires what is due, as much as fits. */
void ticks_go_on(struct turn *turn);
/* When something is due. */
int64_t ticks_next_ms(const struct engine *engine);
/* The transaction is over. */
void ticks_end(struct turn *turn, bool committed);

/* ---- target.c ---- */

/* The instance that the public id names, and its definition. */
enum status target_load(struct turn *turn, struct id id, const struct instance **ret_instance,
                        struct definition **ret_definition, struct error *err);
/* A failed instance has given its business key free: it may live again only if nobody took it. */
enum status target_check_key(struct engine *engine, const struct instance *instance,
                             const struct definition *definition, struct error *err);
/* Answers with the instance. */
void target_answer(const struct turn *turn, struct call *call, const struct instance *instance,
                   const struct definition *definition);

/* ---- resume.c ---- */

/* The visit of the task that a resume means. */
enum status resume_find(struct turn *turn, const struct call *call, struct id *ret_visit, struct error *err);

/* ---- commands.c, deploy.c: what calls mean ---- */

/* The same as command_call() for a call that no client made: it has no key, and fails as told. */
enum status command_run(struct turn *turn, struct call *call, struct error *err);

/* Runs a call that writes; its answer is in it afterwards. */
void command_call(struct turn *turn, struct call *call);
enum status deploy_call(struct turn *turn, struct call *call, struct error *err);

/* ---- publish.c ---- */

/* A document that becomes a version. */
struct publication {
    int32_t ns;
    const struct program *program; /* Compiled … */
    str text;                      /* … from this document … */
    uint64_t content;              /* … with this hash. */
    str author;                    /* Empty: unknown. */
};

/* Writes the next version of the definition that the program is made of, with its triggers. */
enum status publish_version(struct turn *turn, const struct publication *publication,
                            struct definition_row *ret_row, struct error *err);
/* Publishes a small document that the engine has made itself. `text` is the document. */
enum status publish_document(struct turn *turn, int32_t ns, const struct json *document, str text,
                             struct error *err);

/* ---- doors.c: triggers of the latest versions ---- */

/* ST_CONFLICT: another definition has the path of a webhook. Before anything of the version is written. */
enum status doors_check(struct turn *turn, const struct definition_row *row, const struct program *program,
                        struct error *err);
/* A version was published: arrivals come to its triggers, if it is the latest. */
enum status doors_deploy(struct turn *turn, const struct definition_row *row, const struct program *program,
                         struct error *err);
/* The triggers that the arrival is for; NULL: none. Then `*ret_allow` says for which methods there are some.
 * They live until the doors are cleared. */
enum status doors_find(struct turn *turn, int32_t ns, const struct call_arrive *asked,
                       const struct door **ret_first, str *ret_allow, struct error *err);
/* The same for doors that memory knows; NULL: it does not. */
const struct door *doors_peek(struct turn *turn, const struct call_arrive *asked);
/* Fills in whether the trigger is paused. */
enum status doors_find_pause(struct turn *turn, int32_t ns, struct door *door, struct error *err);
enum status doors_pause_call(struct turn *turn, struct call *call, struct error *err);
void doors_list(struct turn *turn, struct call *call);

/* ---- arrive.c, arrive_auth.c, arrive_log.c: arrivals ---- */

enum status arrive_call(struct turn *turn, struct call *call, struct error *err);
/* The same for an arrival that no client sent, at one trigger. */
enum status arrive_event(struct turn *turn, int32_t ns, str definition_id, str trigger,
                         const struct arrival_event *event, struct error *err);
/* Routes an arrival of the queue once more; `*ret_waits`: there is still no place. */
enum status arrive_again(struct turn *turn, int32_t ns, const struct queued_arrival *queued, bool *ret_waits,
                         struct error *err);
/* The trigger of this name or, without a name, the one by which people start the definition; NULL: it has
 * none for people. */
enum status arrive_find_trigger(const struct definition *definition, str name,
                                const struct program_arrival **ret_arrival, struct error *err);

/* A person stands in for what a trigger waits for. */
struct arrive_hand {
    int32_t ns;
    struct definition *definition; /* The version that begins. */
    struct definition *latest;     /* The version whose cap counts. */
    const struct program_arrival *arrival;
    const struct json *payload; /* NULL: an empty object. */
    str actor;
    str business_key;    /* In the place of the trigger's; empty: the trigger's. */
    str idempotency_key; /* Of the trigger; empty: none. */
    bool is_test;
    bool creates;     /* An instance of its own, whatever the trigger's policy is. */
    bool answers_now; /* An arrival that finds no place is rejected, and does not wait for one. */
};

/* The arrival goes through all steps but the first. If it is refused, `ret_refusal` may say why; its status
 * is ST_OK if the outcome says it all. */
enum status arrive_by_hand(struct turn *turn, const struct arrive_hand *hand, struct arrival_view *ret_view,
                           struct error *ret_refusal, struct error *err);
/* Counts and records what became of an arrival. `transient`: the record is in memory only. */
enum status arrive_record(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                          struct error *err);
/* Has the sender of a request proved who it is? */
bool arrive_is_allowed(struct turn *turn, const struct arrival_terms *terms,
                       const struct arrival_event *event);
enum status arrive_log_open(struct engine *engine, struct error *err);
/* The number of the next record. */
uint64_t arrive_log_number(struct turn *turn);
/* Records what became of an arrival, and gives it its number. `transient`: in memory only. */
enum status arrive_log_add(struct turn *turn, int32_t ns, struct arrival_view *view, bool transient,
                           struct error *err);
/* Removes records beyond those that are kept, inside of a transaction. */
enum status arrive_log_purge(struct engine *engine, size_t max, size_t *ret_removed, struct error *err);
enum status arrive_log_list(struct store_reader *reader, struct call *call, struct error *err);

/* ---- overflow.c: the queue of arrivals that wait for a place ---- */

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
/* All queues, in their order; in the turn's arena. */
enum status overflow_queues(struct turn *turn, int32_t ns, struct overflow_queue **ret_queue,
                            size_t *ret_count, struct error *err);
/* Is the place of a queue behind those of all queues of that priority? */
static inline bool overflow_place_is_behind(str place, int32_t priority)
{
    return place.n && place.p[0] > (char)(PRIORITY_COUNT - priority);
}
/* A new version of the definition has that priority, and so has its queue. */
enum status overflow_note_priority(struct turn *turn, int32_t ns, str definition_id, int32_t priority,
                                   struct error *err);
/* The definition's first one behind the key; ST_NOT_FOUND. */
enum status overflow_first(struct turn *turn, int32_t ns, str definition_id, str after,
                           struct queued_arrival *ret_queued, struct error *err);
enum status overflow_remove(struct turn *turn, int32_t ns, const struct queued_arrival *queued,
                            struct error *err);
/* The number that it had when it arrived. */
uint64_t overflow_number_of(const struct queued_arrival *queued);

/* ---- admit.c: what waits to begin ---- */

/* Looks at the start for what is left of the time before. */
enum status admit_open(struct engine *engine, struct error *err);
/* Instances that must not outlive a restart. Those that began on the node, which is dead, end in the next
 * turns. */
void admit_end_transients_of(struct engine *engine, int64_t node);
/* Are there some that have not ended? */
bool admit_ends_transients(const struct engine *engine);
/* Then a turn ends some of them and does nothing else, unless this has failed a moment ago. */
bool admit_must_end_transients(const struct engine *engine);
void admit_end_transients(struct turn *turn);
void admit_go_on(struct turn *turn);
/* When the next turn has something to do of it. INT64_MAX: nothing waits. */
int64_t admit_next_ms(const struct engine *engine);
enum status admit_pause_call(struct turn *turn, struct call *call, struct error *err);
/* Whether starts are paused, as the store has it. */
enum status admit_read_pause(struct engine *engine, struct error *err);
/* The attempt is over. */
void admit_end(struct turn *turn, bool committed);

/* ---- marks.c: records by which instances are found later ---- */

void mark_changes(struct turn *turn, const struct loaded *loaded, struct effects *effects);
/* The node on which a transient instance began, from the value of its mark; 0: the only one. */
int64_t mark_node_of(str value);
uint64_t mark_instance_of(str key);
/* The beginning of the keys of all tests, members and states of a definition. */
str mark_prefix(str definition_id, struct arena *arena);
/* The key of one that has the prefix. */
str mark_member(str prefix, uint64_t instance, struct arena *arena);
/* The prefix of all expiries at that time: those that are earlier come before it. */
str mark_expiry_before(int64_t time_ms, struct arena *arena);

/* ---- index_build.c: indexes that are built while entities are there ---- */

void index_go_on(struct turn *turn);
/* The turn's transaction is over. */
void index_end(struct turn *turn, bool committed);
/* A field that has no work left changes its state, in a transaction that does nothing else. */
bool index_must_finish(const struct engine *engine);
void index_finish(struct turn *turn);
/* Nothing of it goes on for a while. */
void index_put_off(struct turn *turn);
/* Is there something to go on with, and when is it due? */
bool index_waiting(const struct engine *engine);
int64_t index_next_ms(const struct engine *engine);

/* ---- tallies.c: how many entities there are in each state ---- */

/* Adds the marks that a write adds and removes. */
void tallies_note(struct turn *turn, const struct effects *effects);
/* The rows of the numbers that the transaction changes. */
enum status tallies_change(struct turn *turn, struct changeset *ret_change, struct error *err);

/* ---- job_calls.c: what workers say about jobs ---- */

#define RESULT_REFUSED "the result was refused: "

/* True if the call brings a result that may count, whoever holds the job. */
static inline bool job_call_completes(const struct call *call)
{
    return call->kind == CALL_COMPLETE_JOB && !call->refused_;
}

/* COMPLETE_JOB, FAIL_JOB. */
enum status job_call_run(struct turn *turn, struct call *call, struct error *err);
/* The job a public id names and its instance; a NULL job has been closed, or never was one.
 * ST_NOT_FOUND if it cannot ever have been. */
enum status job_call_find(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                          struct definition **ret_definition, const struct job **ret_job, struct error *err);
/* Does a callback on this job (NULL: closed) count? `dropped_` says so, or why not. */
enum status job_call_check(struct turn *turn, struct call *call, const struct instance *instance,
                           const struct job *job, struct error *err);
/* Counts and remembers callbacks that did not, once that is certain: after the commit. */
void job_call_note(struct turn *turn, const struct call *call);

/* ---- compute.c ---- */

/* A calculation node has completed or failed a job of the instance. */
enum status compute_answer(struct turn *turn, struct call *call, struct definition *definition,
                           const struct instance *instance, struct error *err);

/* ---- idempotency.c ---- */

/* Fills in the answer that was given under the call's key before, if there is one (`replayed`). */
enum status idempotency_replay(struct turn *turn, struct call *call, struct error *err);
/* Writes the answer under the call's key, in the transaction of its effect. */
enum status idempotency_remember(struct turn *turn, struct call *call, struct error *err);

/* ---- answers.c ---- */

/* Answers a call whose transaction is over, or lets it wait. */
void answers_give(struct turn *turn, struct call *call);
/* Ends leases and delays whose time is up, and answers calls that have waited long enough. */
void answers_meet_deadlines(struct turn *turn);
/* Answers the calls that waited for a change of this instance. */
void answers_wake(struct turn *turn, const struct loaded *loaded);
/* News of people's tasks has come: those who waited for it are answered. */
void answers_tell(struct turn *turn);
/* Answers every call that waits. */
void answers_release(struct turn *turn);

/* ---- modify.c: repair by hand ---- */

enum status modify_call(struct turn *turn, struct call *call, struct error *err);

/* ---- event_memory.c: events that were seen, events that nobody took ---- */

/* Says what the event has done so far. */
enum event_outcome event_outcome_of(const struct route *route);
/* Why nobody took it, for an unmatched event. */
str event_reason_of(const struct route *route);
/* The event has come to the end of its way: remembers what it did, and writes an unmatched event if that is
 * nothing. */
enum status event_arrived(const struct route *route, struct error *err);
enum status event_remember(const struct route *route, enum event_outcome outcome, struct error *err);
/* Says what the event did the first time. ST_NOT_FOUND if it is new. */
enum status event_recall(struct turn *turn, const struct call *call, struct call_event *event,
                         struct error *err);
enum status event_put_unmatched(struct turn *turn, int32_t ns, const struct json *event, str reason,
                                struct error *err);
enum status event_remove_unmatched(struct turn *turn, int64_t number, struct error *err);
/* True if an unmatched event with this reason is one that no instance has. */
bool event_has_nobody(str reason);
/* Instances as items of an array, [id, created, started], and read again from its items. There is room for
 * `room` of them in any case. */
void event_add_instances(struct json_builder *builder, const struct event_instance *instance, size_t count);
size_t event_read_instances(const struct json *array, size_t from, struct arena *arena, size_t room,
                            struct event_instance **ret_instance);

/* ---- events.c: events that come in ---- */

enum status events_call(struct turn *turn, struct call *call, struct error *err);
void events_count(struct engine *engine, const struct call *call);

/* ---- answers.c ---- */

/* Answers calls that waited for what other nodes have done meanwhile. */
void answers_wake_heard(struct turn *turn);

/* ---- room.c: what is done when the disk is full ---- */

void room_open(struct engine *engine);
bool room_for(const struct engine *engine, enum call_kind kind);
/* Room for work on instances that exist: timers and the like. */
bool room_to_go_on(const struct engine *engine);
/* ST_FULL with the words for it, if there is no room. */
enum status room_check(const struct engine *engine, enum call_kind kind, struct error *err);
/* Does one more instance of the program fit? ST_OVERLOAD: too many are kept in memory. */
enum status room_check_transients(const struct engine *engine, const struct program *program,
                                  struct error *err);
/* A transaction found the disk full: makes the store release some space; false if there is none. */
bool room_release(struct engine *engine);
/* store_reclaim_space(), and says so when the disk is no longer full. */
enum status room_reclaim(struct engine *engine, bool shrink, bool *ret_more, struct error *err);

/* ---- serve.c: what is answered from memory, after the commit ---- */

/* ST_INVALID if the call polls for types that are not for everybody. */
enum status serve_check_types(const struct call *call, struct error *err);
/* Answers new polls for which there are jobs, and those that ask for what they must not have. */
void serve_polls_at_once(struct turn *turn);
/* Answers the other polls of this turn, or lets them wait. */
void serve_polls(struct turn *turn);
/* Gives jobs to polls that waited. */
void serve_waiting(struct turn *turn);
void serve_extend(struct turn *turn, struct call *call);
void serve_explain(struct turn *turn, struct call *call);
/* Names the workers that hold jobs of a run. The query thread has told the rest. */
void serve_run(struct turn *turn, struct call *call);
/* Why each token does not move, of the latest `max`; in the arena. */
void serve_tokens(struct turn *turn, const struct program *program, const struct instance *instance,
                  size_t max, struct arena *arena, struct token_view **ret_token, size_t *ret_count);
void serve_list_jobs(struct turn *turn, struct call *call);

/* ---- operate_serve.c ---- */

/* OVERVIEW (what the query thread left open), SERIES, WORKERS. */
void operate_serve_overview(struct turn *turn, struct call *call);
void operate_serve_series(struct turn *turn, struct call *call);
void operate_serve_workers(struct turn *turn, struct call *call);

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

/* ---- retention.c ---- */

/* Removes some rows whose time is over, in a transaction of its own. */
enum status retention_purge(struct engine *engine, struct purged *ret_purged, struct error *err);
/* Counts what was removed; `over`: there was nothing more, so that the log gets a line. */
void retention_count(struct engine *engine, const struct purged *purged, bool over);

/* Is it time for what happens once in an interval? `next_ms` is at most one interval ahead of us: if it is
 * further ahead the clock was set back. INT64_MAX: never. */
static inline bool engine_is_due(const struct engine *engine, int64_t next_ms, int64_t interval_ms)
{
    int64_t now_ms = engine->turn.now_ms;
    return now_ms >= next_ms || (next_ms != INT64_MAX && next_ms - now_ms > interval_ms);
}

#endif
