/* runtime/engine_int.h — what the engine's files share. */
#ifndef RUNTIME_ENGINE_INT_H
#define RUNTIME_ENGINE_INT_H

#include "json/json.h"
#include "runtime/engine.h"

/* ---- turn.c: how much a turn does ---- */

/* What work costs, in operations of about 20 ns (core/core.h). */
enum {
    FUEL_COMMAND = 500, /* An instance loaded, its rows written; besides what the core says. */
    FUEL_READ = 500,
    FUEL_EXPENSIVE = 100000,   /* A definition with such commands is expensive. */
    STATE_BYTES_PER_FUEL = 16, /* Stored. */
    SOURCE_FUEL_PER_BYTE = 2,  /* Of a document that is compiled. */
    SLICES_PER_TURN = 8,       /* A call or an event that takes several turns has so much of each. */
};

/* Begins a slice of one in `parts` of a turn; returns the slice before. */
struct slice turn_begin_slice(struct turn *turn, int parts);
bool turn_slice_is_over(const struct turn *turn);
/* A command of the definition has cost so much. */
void turn_note_cost(struct turn *turn, struct definition *definition, int64_t fuel);
/* Are its commands known to be cheap? NULL: no. */
bool turn_is_cheap(const struct definition *definition);
/* Must an item of a call wait for the second part of a turn? */
bool turn_item_must_wait(struct turn *turn, const struct call *item);
/* Does the call write? */
bool turn_is_command(const struct call *call);
/* The transactions of a turn. Calls whose turn it was are in `ran` afterwards. */
void turn_run(struct turn *turn);
/* Is there something for another turn right away? */
bool turn_waiting(const struct engine *engine);
/* Answers calls that wait for their turn: they are refused. */
void turn_refuse_waiting(struct engine *engine, enum status status, const struct error *why);

/* ---- transact.c: commands into the running transaction ---- */

/* The transaction of this turn, begun if it is not. Failing marks the turn as failed. */
enum status transact_begin(struct turn *turn, struct error *err);

/* An instance as of now, the running transaction included. ST_NOT_FOUND. */
enum status transact_load(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                          struct definition **ret_definition, struct error *err);

/* The number of an instance's definition; false if it cannot be had. Compiles nothing. */
bool transact_find_definition(struct turn *turn, uint64_t id, int64_t *ret_number);

/* ST_INTERNAL with the words for an instance whose state cannot be read. Nothing can be done to it, and it is
 * in nobody's way: its row is kept, lists show it, and its jobs are not offered. */
enum status fail_damaged(const struct instance_row *row, const char *why, struct error *err);

/* Steps an instance (NULL for START) and applies what comes of it; what follows from that is
 * the caller's business. ST_OK also for a stale command: then *ret_transition is NULL. */
enum status transact_step(struct turn *turn, struct definition *definition, const struct instance *before,
                          const struct command *command, struct transition **ret_transition,
                          struct error *err);

/* The same for a command from outside, with all that follows: chained starts, children, parents. */
enum status transact_command(struct turn *turn, struct definition *definition, const struct instance *before,
                             const struct command *command, struct transition **ret_transition,
                             struct error *err);

/* Applies rows that belong to no instance. */
enum status transact_rows(struct turn *turn, struct changeset *changeset, struct error *err);

/* Makes the transaction one that cannot commit, unless it is already. Returns err's status. */
enum status transact_failed(struct turn *turn, const struct error *err);

/* The author's name of the node at which an instance failed; empty: it stands at none that did. */
str transact_failed_step(const struct program *program, const struct instance *instance);

/* Commits (true) or rolls back (false); memory follows in either case. */
bool transact_end(struct turn *turn);

/* The turn is over: nothing of it is kept but what is in the cache. */
void transact_forget(struct turn *turn);

/* Can something still happen to what stands there? */
static inline bool reaches(const struct instance *instance, uint32_t execution)
{
    return instance && (!instance_status_ended(instance->status) || instance_reaches(instance, execution));
}

/* ---- starts.c: new instances, and what they chain to ---- */

struct start {
    int32_t ns;
    str definition_id;
    int32_t version;
    str business_key;
    const struct json *data;
    str actor;
    str correlation; /* By an event. */
    uint64_t parent; /* By another instance. */
    uint32_t parent_job;
    bool parent_waits;
    str refusal;           /* Why it must not run: it fails at its first node; empty: it may. */
    uint64_t chained_from; /* By the end of another instance. */
    uint64_t root;         /* Of its family, and how deep it is in it (struct instance). */
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
/* The same for a start from outside, with all that follows. */
enum status start_instance(struct turn *turn, const struct start *start, struct transition **ret_transition,
                           struct definition **ret_definition, struct error *err);

/* Counts one more start of the family. ST_LIMIT if that is one too many today. */
enum status start_count_family(struct turn *turn, int32_t ns, uint64_t root, struct error *err);

/* Starts what the change chains to, or notes that it waits. */
enum status start_chained(struct turn *turn, struct transition *transition, int32_t ns, struct error *err);

/* The words for a business key that a live instance has. */
enum status fail_key_taken(struct error *err);

/* Starts what had to wait for its definition. */
void start_pending(struct turn *turn);

/* ---- children.c: jobs that are instances of other definitions ---- */

/* Looks at a change for what concerns children and parents. */
void children_note(struct turn *turn, const struct transition *transition);
/* Settles what was noted, as much as fits into one transaction. Fails only with it. */
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
/* Does a slice of a bulk, in the turn's transaction. */
void bulk_go_on(struct turn *turn);
/* Is there something to go on with, and when is it due? */
bool bulk_waiting(const struct engine *engine);
int64_t bulk_next_ms(const struct engine *engine);
/* The transaction is over. */
void bulk_end(struct turn *turn, bool committed);

/* bulk_find.c: what a search has found, ready to be stored; and one part of it read back. */
void bulk_found(const struct call *call, const struct bulk_part_row **ret_part, size_t *ret_count);
bool bulk_targets_read(str part, struct bulk_target ret_target[BULK_PART_SUBJECTS], size_t *ret_count);

/* ---- commands.c, deploy.c: what calls mean ---- */

/* The same as command_call() for a call that no client made: it has no key, and fails as told. */
enum status command_run(struct turn *turn, struct call *call, struct error *err);

/* Runs a call that writes; its answer is in it afterwards. */
void command_call(struct turn *turn, struct call *call);
/* The job a public id names and its instance; a NULL job has been closed, or never was one.
 * ST_NOT_FOUND if it cannot ever have been. */
enum status command_find_job(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                             struct definition **ret_definition, const struct job **ret_job,
                             struct error *err);
/* Does a callback on this job (NULL: closed) count? Else says why not. */
enum callback_drop command_check_callback(const struct engine *engine, struct call *call,
                                          const struct instance *instance, const struct job *job);
/* Counts and remembers callbacks that did not, once that is certain: after the commit. */
void command_note_callback(struct turn *turn, const struct call *call);
/* The instance that the call's id names, and its definition. */
enum status command_load_named(struct turn *turn, struct call *call, const struct instance **ret_instance,
                               struct definition **ret_definition, struct error *err);
/* A failed instance has given its business key free: it may live again only if nobody took it. */
enum status command_check_key(struct engine *engine, const struct instance *instance,
                              const struct definition *definition, struct error *err);
/* Answers with the instance. */
void command_answer(struct call *call, const struct instance *instance, const struct definition *definition);
enum status deploy_call(struct turn *turn, struct call *call, struct error *err);

/* ---- modify.c: repair by hand ---- */

enum status modify_call(struct turn *turn, struct call *call, struct error *err);

/* ---- events.c: events, unmatched events, what is remembered ---- */

enum status events_call(struct turn *turn, struct call *call, struct error *err);
/* The event has come to the end of its way: what it did is remembered, and an unmatched event written if that
 * is nothing. */
enum status event_arrived(const struct route *route, struct error *err);
enum status event_put_unmatched(struct turn *turn, int32_t ns, const struct json *event, str reason,
                                struct error *err);
/* Instances as items of an array, [id, created, started], and read again from its items. There is room for
 * `room` of them in any case. */
void event_add_instances(struct json_builder *builder, const struct event_instance *instance, size_t count);
size_t event_read_instances(const struct json *array, size_t from, struct arena *arena, size_t room,
                            struct event_instance **ret_instance);
void events_count(struct engine *engine, const struct call *call);

/* ---- room.c: what is done when the disk is full ---- */

void room_open(struct engine *engine);
bool room_for(const struct engine *engine, enum call_kind kind);
/* Room for work on instances that exist: timers and the like. */
bool room_to_go_on(const struct engine *engine);
/* ST_FULL with the words for it, if there is no room. */
enum status room_check(const struct engine *engine, enum call_kind kind, struct error *err);
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
/* Why each token does not move, of the latest `max`; in the arena. */
void view_tokens(struct turn *turn, const struct program *program, const struct instance *instance,
                 size_t max, struct arena *arena, struct token_view **ret_token, size_t *ret_count);
void serve_list_jobs(struct turn *turn, struct call *call);

/* ---- views.c ---- */

/* Everything is copied to the arena. Without a program (NULL) what only it knows stays empty. */
void view_instance(const struct program *program, const struct instance *instance, str definition_id,
                   int32_t definition_version, struct arena *arena, struct instance_view *ret_view);
void view_job(const struct program *program, const struct instance *instance, const struct job *job,
              const struct open_job *open, bool with_data, struct arena *arena, struct job_view *ret_view);

/* ---- retention.c ---- */

/* Removes up to `max` rows whose time is over, in a transaction of its own. */
enum status retention_purge(struct engine *engine, size_t max, struct purged *ret_purged, struct error *err);
/* Counts what was removed; `over`: there was nothing more, so that the log gets a line. */
void retention_count(struct engine *engine, const struct purged *purged, bool over);

#endif
