/* tests/sim/checker.h — what must be true, whatever happened.
 *
 * The checker follows three things: what clients asked and were answered, what the store has
 * committed (as history rows), and what queries show. From the definitions' documents and the
 * history it keeps a model of every instance of its own, and knows nothing of src/core.
 *
 *  (1) Every history record has a cause: a request that reached the engine, a timer that was
 *      due, or the end of a definition that chains. A cause has no more effects than copies of
 *      it arrived, at most one if it carries a key, exactly one if it was acknowledged. What was
 *      refused had to be.                             checker_record.c, checker_requests.c
 *  (2) Every record is legal: tokens move along the definition's edges, chosen by its conditions;
 *      joins open when all have arrived; no token is lost or doubled.       checker_entry.c
 *  (3) Every job, timer, task and signal has exactly one verdict; a job is held by one worker
 *      at a time.                                     checker_work.c, checker_requests.c
 *  (4) What queries show is what the history says.    checker_answers.c
 *  (5) A restart forgets nothing but leases.          checker_end.c
 *  (6) When the faults stop, everything that can finish does.              checker_end.c
 *
 * (10) A bulk is for everybody who fits when it is asked for and for nobody else; each of them has its
 *      command at most once, in the transaction that says so.              checker_bulk.c
 * (11) A slot of a schedule fires once and in time, across restarts and jumps of the clock; the log of
 *      arrivals tells once of slots that were missed.                      checker_schedule.c
 * (12) An arrival has the outcome that its trigger says, one record, and one effect. A definition never
 *      has more living instances than its cap, a key never more than one. Arrivals that wait for a place
 *      get it in turn.                                checker_arrive.c
 * (14) A path belongs to one definition. A version that wants the path of another one is refused and not
 *      stored, and only then.                         checker_trigger_routes.c
 * (15) A secret that is stored can be opened with the key files there are then, and every node finds it.
 *                                                     checker_secrets.c
 * (17) What is there is found, or cannot be read now: nobody is told that it does not exist.
 *                                                     checker_requests.c
 *
 * For flow graphs (graph.h) there are rules of their own instead of (2):
 *
 * (13) Tokens take the ways of the document; a join opens once for the tokens it gathers; a loop begins each
 *      item once and no more at a time than it may; an error has the consequences that the document says;
 *      complete visits are undone once and the latest first; the stored state is what the history replays
 *      to.                       checker_graph.c, checker_join.c, checker_loop.c, checker_call.c
 *
 * For Serverless Workflow documents (flow.h) there are rules of their own instead of (2):
 *
 *  (7) Tokens move along the document's ways, none is lost or doubled; regions, jobs, retries and
 *      waits for events are as the document says; the stored state is what the history replays to.
 *                                                     checker_flow.c, checker_region.c
 *  (8) An event reaches whom it concerns, all of them, once, whatever was lost or sent again; what
 *      was acknowledged is what happened.             checker_event.c
 *  (9) A job that is a child has one child, which finishes it once; a child nobody waits for any
 *      more does not live.                            checker_family.c
 * (16) An instance is modified by hand exactly if its document allows it, all of it or nothing.
 *                                                     checker_modify.c
 */
#ifndef SIM_CHECKER_H
#define SIM_CHECKER_H

#include "flow.h"
#include "network.h"
#include "spec.h"
#include "store/store.h"

/* ---- what one transaction wrote ---- */

struct journal_record {
    const struct definition_row *definition;        /* Or, if NULL, … */
    const struct definition_row *retired, *removed; /* … one that is retired, or deleted, or … */
    const struct json *unmatched; /* … an event that nobody took (row_removed: it is no longer one of
                                  those), or, if NULL, one command's history, the
                                  instance's state after it, or both: */
    uint64_t instance;
    bool insert;
    int64_t definition_number;
    str business_key;
    str history, state;
    const struct bulk_row
        *bulk; /* Or, if not NULL, a bulk that begins or goes on, and what is stored with it. */
    bool bulk_begins;
    struct bulk_part_row *bulk_part;
    size_t bulk_part_count;
    const struct record_row *row; /* Or, if not NULL, the record of an arrival, or one that waits. */
    str early_key, early;         /* A record of an event that is kept. */
    bool row_removed;
};

/* How many arrivals of a definition wait, as the store says. */
struct journal_count {
    str definition_id;
    int64_t count;
};

/* The row of a secret, as it is stored. */
struct journal_secret {
    str name, value;
    bool removed;
};

/* A row of the audit, of a key or of a draft. */
struct journal_access {
    enum record_kind kind;
    int32_t ns;
    str key, value;
    bool removed;
};

struct journal {
    LIST(struct journal_access) access;
    LIST(struct journal_secret) secrets;
    LIST(struct journal_record) records;
    LIST(struct journal_count) counts;
    bool purged;
    int64_t purged_before_ms, failed_before_ms;
};

/* Copies what counts to the arena. */
void journal_add_gone(struct journal *journal, const struct json *event, struct arena *arena);
void journal_add(struct journal *journal, const struct changeset *changeset, struct arena *arena);

/* ---- the model ---- */

struct model_token {
    uint32_t execution;
    size_t step;
    uint32_t scope;
    enum token_state state;
    str node;              /* Of a flow; `step` is its state then. */
    uint32_t expired;      /* Timers that fired while it stood there, a bit each. */
    uint32_t opened, done; /* Regions it has opened, and those of them that came to their end. */
    bool stuck;            /* It failed at the way out of its step. */
    uint32_t way;          /* Of a graph, at a join: the edge by which it came; 0: none. */
    bool by_way;           /* … and the history says so. */
    bool exits;            /* It stands for one that was stuck, and has nothing to do but to leave. */
};

struct model_job {
    uint32_t number, execution, attempt, retries_left;
    int64_t created_ms, available_ms;
    const struct json *payload;
    str type;
    enum performer performer;
    uint32_t used[RETRY_RULES_MAX]; /* Of a flow: retries per policy. */
    /* Who holds it, as far as polls have told. */
    uint32_t lease_generation; /* 0: nobody ever. */
    str worker;
    int64_t expires_ms;
    int64_t offered_ms; /* Since when others may have it, by the clock of the node that gave it back. */
    uint8_t delivery;
    /* Deliveries in an earlier life: before a restart, or before its instance failed and was
     * retried. They are then counted anew, so an old id may come up again. */
    uint32_t former_deliveries;
    uint32_t life; /* How often its instance failed and took it out of reach. */
};

struct model_timer {
    uint32_t number, execution;
    size_t index;
    int64_t due_ms;
};

struct model_scope {
    uint32_t number, parent;
    size_t fork;
    enum region_state state;
    uint32_t host, index;
};

struct model_mail {
    uint32_t number;
    const struct json *event;
    size_t step;     /* Of steps: the signal's. */
    uint32_t holder; /* Of a flow, if it was used: for whose retry it is kept. */
};

struct model_visit {
    uint32_t execution;
    str node; /* Of steps: the name of its step, in the version that it was made in. */
    enum execution_status status;
    bool arrival; /* At a join where another branch already waits: no row of its own. */
    const struct json *input;
};

/* A loop of a graph. */
struct model_each {
    uint32_t host, begun, over, window;
    const struct json *items;
};

/* A visit of a graph that is complete and can be undone, in this order. */
struct model_undo {
    uint32_t number, execution, scope;
    size_t node;
    enum undo_state state;
};

/* A join has opened and absorbs who comes by this way. */
struct graph_owed {
    size_t join;
    uint32_t scope, way;
};

struct model_instance {
    uint64_t id;
    const struct spec *spec;
    str business_key, failure;
    enum instance_status status;
    int64_t created_ms, ended_ms;
    const struct json *data;
    uint32_t revision, highest; /* The highest number that was used. */
    uint32_t stored_revision;   /* That of its state. */
    LIST(struct model_token) tokens;
    LIST(struct model_job) jobs;
    LIST(struct model_timer) timers;
    LIST(struct model_scope) scopes;
    LIST(struct model_visit) visits;
    LIST(str) records; /* Its history rows. */
    bool purged;
    int64_t purged_ms;     /* Virtual time. */
    int64_t changed_ms;    /* Virtual time: of its newest history row. */
    size_t started_commit; /* In which transaction it was started… */
    size_t ended_commit;   /* … and ended last. */
    bool retried;
    int64_t status_ms;    /* Virtual time: since when it has its status, */
    size_t status_commit; /* and since which transaction. */
    int64_t moved_ms;     /* Virtual time: since when it has its version, … */
    size_t moved_commit;  /* … and since which transaction. */
    /* Of a flow. */
    const struct instance *replayed; /* What its history comes to. */
    LIST(struct model_mail) mail, used;
    str correlation;
    bool by_event; /* An event has started it, and it has not got it yet. */
    /* Of a graph. */
    const struct json *payload; /* Of the newest arrival. */
    LIST(struct model_each) eaches;
    LIST(struct model_undo) undos;
    LIST(struct graph_owed) owed;
    bool undoing; /* … or all was undone. */
    uint32_t undo_host;
    bool replaces; /* It took the place of another one when it was created. */
    /* Of a family. */
    uint64_t root; /* 0: itself. */
    uint32_t depth;
};

struct model_chain {
    uint64_t parent;
    str target, business_key;
    const struct json *data;
    bool started;
    uint64_t instance; /* That was started; 0: none, or by one that retention had taken. */
};

/* An instance that another one started by a job. */
struct model_child {
    uint64_t parent;
    uint32_t job;
    uint64_t instance;
    bool awaited;
    size_t closed_commit; /* In which transaction the job was closed; 0: it is open. */
};

/* An instance that has got an event. */
struct model_taken {
    uint64_t instance;
    bool started;
};

/* An event that somebody sent, and what became of it. */
struct model_event {
    str id;
    const struct json *json;
    size_t sent_commit; /* The transactions there were when it came. */
    size_t commit;      /* The transaction that took it; 0: none did. */
    bool unmatched;     /* It has been unmatched. */
    bool listed;        /* It is one of the unmatched events now … */
    int64_t listed_ms;  /* … since the clock showed this. */
    bool kept;          /* It waits for an instance with its token, or has done so. */
    bool promised;      /* Acknowledged while it was on its way. */
    LIST(struct model_taken) taken;
    LIST(uint64_t) expected; /* Instances that had to get it… */
    LIST(str) starting;      /* … and definitions that it had to start, if nobody of them did. */
    uint32_t answer_count;   /* Answers that it was new. */
};

/* An event that is kept for instances of a definition. */
struct model_kept {
    str key; /* Of its record. */
    str definition;
    str token;
    int64_t until_ms;
    struct model_event *event;
};

struct model_target {
    uint64_t instance;
    int64_t created_ms;
    bool commanded, told; /* It has its command; a result says what became of it. */
};

struct model_bulk {
    int64_t number;
    struct request *request;
    LIST(struct model_target) targets;
    size_t done;
    int64_t counts[BULK_OUTCOME_COUNT];
    bool ended, cancelled; /* Somebody has asked for that. */
};

/* The slots of a definition, whatever its version. */
struct model_schedule {
    str definition_id;
    int64_t last_ms, before_ms; /* The slots that fired last. */
    int64_t told_ms;            /* The last slot that was missed, by the log of arrivals. */
    int64_t skipped_after_ms,
        skipped_ms; /* Slots between these did not fire, and the log must tell; 0: none. */
};

/* The record of an arrival. */
struct model_arrival {
    uint64_t number;
    str definition_id, trigger, key;
    const struct spec *spec; /* The version that decided … */
    bool is_latest;          /* … was the latest one then. */
    enum arrival_outcome outcome;
    uint64_t instance;
    uint32_t op; /* Who sent it; 0: it had no effect, and nobody knows yet. */
    /* Without effect: this must become of what may not wait for a place, and of what may. */
    bool fits_hasty, fits_patient;
    bool claimed; /* Somebody was told of it. */
};

/* An arrival that waits for a place. */
struct model_queued {
    str row_key, definition_id, trigger;
    uint32_t op;
};

/* A path that belonged to a definition: the transactions since and until when (0: it still does). */
struct model_path {
    str path, definition_id, trigger;
    int64_t number; /* Of the version. */
    size_t since, until;
};

/* A secret, and the request that set it; 0: it was removed. */
struct model_secret {
    str name;
    uint32_t op;
};

struct model_secret_change {
    str name;
    uint32_t op, was;
    size_t commit;
};

/* What an arrival does before its record is written. */
struct model_arriving {
    uint32_t op; /* 0: nothing is under way. */
    enum arrival_outcome outcome;
    uint64_t instance, replaces; /* … and an instance that must go. */
};

/* A token that waits for a lock, or holds it. */
struct model_lock {
    uint64_t instance;
    uint32_t execution, number, size;
    str name;
    bool is_held;
    int32_t priority;
    int64_t asked_ms;
    size_t asked_commit;
};

struct checker {
    struct arena arena;
    LIST(struct model_lock) locks;
    LIST(struct model_arrival) arrivals; /* In order of their numbers. */
    LIST(struct model_queued) queue;
    struct model_arriving arriving;
    LIST(struct model_path) paths; /* Also those of versions that are not the latest any more. */
    LIST(struct model_secret) secrets;
    LIST(struct model_secret_change) secret_changes;
    int64_t secrets_ms;            /* When one was last changed. */
    bool paths_changed;            /* In the transaction that is looked at. */
    const struct journal *journal; /* Of the transaction, … */
    size_t journal_at;             /* … and the record that is looked at. */
    LIST(struct model_schedule) schedules;
    LIST(struct model_bulk *) bulks;
    LIST(struct model_instance *) instances; /* By id: ids ascend. */
    LIST(struct spec *) specs;               /* In order of their numbers. */
    LIST(struct model_chain) chains;
    LIST(struct model_child) children;
    LIST(struct model_event *) events;
    LIST(struct model_kept) kept;
    size_t unmatched_count, early_taken, early_expired;
    int64_t purged_before_ms; /* Retention removes unmatched events that are older. */
    size_t commit_count, command_count;
};

void checker_begin(struct world *world);
void checker_done(struct world *world);
void checker_count(const struct world *world, struct run_result *result);

struct model_instance *model_instance_of(const struct checker *checker, uint64_t id);
bool model_live(const struct model_instance *instance);
struct model_token *model_token(const struct model_instance *instance, uint32_t execution);
struct model_job *model_job(const struct model_instance *instance, uint32_t number);
/* The execution that waits at the step of that name in that state, or 0. */
uint32_t model_waits(const struct model_instance *instance, str step, enum token_state state);
/* Does another live instance of its definition have its business key? */
bool model_key_taken(const struct checker *checker, const struct model_instance *instance);
/* Its lease is void, and its deliveries are counted anew. */
void model_void_lease(struct model_job *job);
/* Its instance failed: nobody can reach it now; after a retry it is offered anew. */
void model_withdraw(struct model_job *job);
/* Can something still happen there? The instance lives, or the visit is in a detached region. */
bool model_reaches(const struct model_instance *instance, uint32_t execution);
/* It has ended, and jobs or timers of detached regions are open. */
bool model_lingers(const struct model_instance *instance);
/* The name of the step or node where a token stands. */
str model_place(const struct model_instance *instance, const struct model_token *token);
/* In which queue a job is. */
str model_queue(const struct model_job *job);
/* The latest version of a definition, or NULL. */
const struct spec *model_latest(const struct checker *checker, str definition_id);
/* That version of it; 0: the latest. */
const struct spec *model_version(const struct checker *checker, str definition_id, int32_t version);

/* ---- when it is told ---- */

/* A transaction is durable (checker.c). */
void checker_committed(struct world *world, const struct journal *journal, struct store *store);
/* One record of it (checker_record.c, checker_entry.c). */
void checker_history(struct world *world, const struct journal_record *record);
/* The state that is stored is what the history has come to. */
void checker_state(struct world *world, const struct journal_record *record);

/* Events and children: at the end of a transaction (checker_event.c, checker_family.c). */
void checker_unmatched(struct world *world, const struct json *event);
void checker_not_unmatched(struct world *world, const struct json *event);

/* ---- checker_lock.c: named locks ---- */

/* Is there room for the token that waits for a lock, and nobody before it? Then the engine has work. */
bool checker_lock_is_free(const struct checker *checker, uint64_t instance, uint32_t execution);

/* ---- checker_early.c: events that are kept for an instance with their token ---- */

struct journal_record;
struct model_event *checker_begin_event(struct world *world, const struct json *json);
bool checker_definition_has_event(const struct checker *checker, const struct model_event *event,
                                  str definition);
bool checker_event_concerns(const struct model_instance *instance, const struct json *json,
                            struct arena *arena);
void checker_early(struct world *world, const struct journal_record *record);
/* Is the event kept, for longer than that? */
bool checker_is_kept(const struct checker *checker, const struct model_event *event, int64_t after_ms);
/* Nothing that is kept has an instance that could take it. */
bool checker_early_done(const struct world *world);
void checker_early_end(struct world *world);
void checker_events_committed(struct world *world);
/* Has every event arrived somewhere that was acknowledged while it was on its way? */
bool checker_events_done(const struct world *world);
/* The run is over: every event has come to the end of its way. */
void checker_events_arrived(struct world *world);
void checker_family_committed(struct world *world);
/* What an EVENTS call brings, and what it was answered. */
void checker_events_sent(struct world *world, const struct request *request);
void checker_events_answered(struct world *world, const struct copy *copy);
struct model_child *model_child(const struct checker *checker, uint64_t parent, uint32_t job);

/* Arrivals (checker_arrive.c): a record of one or of one that waits, the end of a transaction, answers,
 * whether somebody waits for a place that is free. */
void checker_arrival(struct world *world, const struct journal_record *record);
void checker_arrivals_committed(struct world *world);
void checker_arrive_answered(struct world *world, struct copy *copy);
/* What a list of arrivals shows. */
void checker_arrivals_listed(struct world *world, const struct call *call);
bool checker_queue_done(const struct checker *checker);
/* The start of a flow graph was answered; was it refused by its trigger, and not by the engine? */
void checker_start_answered(struct world *world, struct copy *copy);
bool checker_start_refused(const struct call *call);
/* Is there a trigger for what the request brings? */
bool model_has_trigger(struct checker *checker, const struct request *request);
void checker_arrivals_end(struct world *world);
/* Is there a place for one more instance, besides this one? */
bool model_has_place(const struct checker *checker, const struct spec *spec,
                     const struct model_instance *besides);

/* Paths (checker_trigger_routes.c): a version is stored, the end of a transaction, a version is refused with
 * a conflict, whether every definition has come to be published. */
void checker_trigger_routes_published(struct world *world, const struct spec *spec);
void checker_trigger_routes_committed(struct world *world, struct store *store);
void checker_trigger_routes_refused(struct world *world, const struct copy *copy);
bool checker_trigger_routes_done(const struct world *world);
/* Did the path of a request belong to that trigger at some time since its turn began? */
bool model_had_path(const struct checker *checker, const struct copy *copy, str definition_id, str trigger);
/* Has it belonged to the same one all that time? */
bool model_has_path(const struct checker *checker, const struct copy *copy);

/* Definitions that are retired and deleted (checker_retire.c): rows about one, the end of a transaction,
 * answers, whether what is being deleted forbids a publication, whether all are gone that go. */
bool model_is_retired(const struct checker *checker, str definition_id);
bool model_is_leaving(const struct checker *checker, const struct spec *spec);
void checker_retired(struct world *world, const struct definition_row *row);
void checker_removed(struct world *world, const struct definition_row *row);
void checker_retire_committed(struct world *world);
void checker_retire_answered(struct world *world, const struct copy *copy);
bool checker_deletion_forbids(const struct world *world, const struct copy *copy);
bool checker_retire_done(const struct world *world);
void checker_retire_end(struct world *world);

/* Secrets (checker_secrets.c): the end of a transaction, answers, what the vault of a node knows. */
void checker_secrets_committed(struct world *world);
void checker_secrets_answered(struct world *world, const struct copy *copy);
void checker_secrets_known(struct world *world, struct server *server);

/* Bulks (checker_bulk.c): rows of one, the end of a transaction, requests, whether all have ended. */
void checker_bulk(struct world *world, const struct journal_record *record);
void checker_bulks_committed(struct world *world);
void checker_bulk_before(struct world *world, const struct request *request);
void checker_bulk_answered(struct world *world, const struct copy *copy);
bool checker_bulks_done(const struct checker *checker);

/* A call is about to be taken by the engine, and was answered by it (checker_requests.c). */
void checker_before(struct world *world, struct copy *copy);
/* Rows of a transaction belong to the tenant of the run. */
void checker_crosses(struct world *world, const struct changeset *changeset);
void checker_answered(struct world *world, struct copy *copy);
/* A lease was extended in the store; perhaps nobody is told. */
void checker_prolonged(struct world *world, const struct job_row *row);
/* A node has given back jobs. */
void checker_offered(struct world *world, const struct job_row *row, size_t count);
/* Answers of queries (checker_answers.c). */
void checker_query(struct world *world, const struct call *call);
/* The engine has finished a turn. */
void checker_turned(struct world *world);

/* Schedules (checker_schedule.c): at the end, and beside an engine that has just been opened. */
struct engine;
void checker_slots_end(struct world *world);
/* The log of arrivals tells that slots were missed: "12 slots, from 2026-… to 2026-…". */
void checker_slots_missed(struct world *world, const struct spec *spec, str note);
void checker_schedules_loaded(struct world *world, const struct engine *engine, const struct engine *second);

/* ---- the end (checker_end.c) ---- */

bool checker_all_done(struct world *world);
void checker_not_done(struct world *world); /* Says why. */
void checker_end(struct world *world);
/* The engine's queues must hold what the history leaves open, … */
void checker_memory(struct world *world);
/* … and so must those of a second engine, opened on the same store. */
void checker_recovery(struct world *world);
/* Several nodes: every open job is in some memory or has a row, and somebody looks after it
 * (checker_nodes.c). */
void checker_nodes(struct world *world);

#endif
