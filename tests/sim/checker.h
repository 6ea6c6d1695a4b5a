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
 */
#ifndef SIM_CHECKER_H
#define SIM_CHECKER_H

#include "network.h"
#include "spec.h"
#include "store/store.h"

/* ---- what one transaction wrote ---- */

struct journal_record {
    const struct definition_row *definition; /* Or, if NULL, one command's history: */
    uint64_t instance;
    bool insert;
    int64_t definition_number;
    str business_key;
    str history, state;
};

struct journal {
    LIST(struct journal_record) records;
    bool purged;
    int64_t purged_before_ms;
};

/* Copies what counts to the arena. */
void journal_add(struct journal *journal, const struct changeset *changeset, struct arena *arena);

/* ---- the model ---- */

struct model_token {
    uint32_t execution;
    size_t step;
    uint32_t scope;
    enum token_state state;
};

struct model_job {
    uint32_t number, execution, attempt, retries_left;
    int64_t created_ms, available_ms;
    const struct json *payload;
    /* Who holds it, as far as polls have told. */
    uint32_t lease_generation; /* 0: nobody ever. */
    str worker;
    int64_t expires_ms;
    uint8_t delivery;
    /* Deliveries in an earlier life: before a restart, or before its instance failed and was
     * retried. They are then counted anew, so an old id may come up again. */
    uint32_t former_deliveries;
};

struct model_timer {
    uint32_t number, execution;
    size_t index;
    int64_t due_ms;
};

struct model_scope {
    uint32_t number, parent;
    size_t fork;
};

struct model_visit {
    uint32_t execution;
    size_t step;
    enum execution_status status;
    bool arrival; /* At a join where another branch already waits: no row of its own. */
    const struct json *input;
};

struct model_instance {
    uint64_t id;
    const struct spec *spec;
    str business_key, failure;
    enum instance_status status;
    int64_t created_ms, ended_ms;
    const struct json *data;
    uint32_t revision, highest; /* The highest number that was used. */
    LIST(struct model_token) tokens;
    LIST(struct model_job) jobs;
    LIST(struct model_timer) timers;
    LIST(struct model_scope) scopes;
    LIST(struct model_visit) visits;
    LIST(str) records; /* Its history rows. */
    bool purged;
    int64_t purged_ms; /* Virtual time. */
};

struct model_chain {
    uint64_t parent;
    str target, business_key;
    const struct json *data;
    bool started;
};

struct checker {
    struct arena arena;
    LIST(struct model_instance *) instances; /* By id: ids ascend. */
    LIST(struct spec *) specs;               /* In order of their numbers. */
    LIST(struct model_chain) chains;
    size_t commit_count, command_count;
};

void checker_begin(struct world *world);
void checker_done(struct world *world);
void checker_count(const struct world *world, struct run_result *result);

struct model_instance *model_find(const struct checker *checker, uint64_t id);
bool model_live(const struct model_instance *instance);
struct model_token *model_token(const struct model_instance *instance, uint32_t execution);
struct model_job *model_job(const struct model_instance *instance, uint32_t number);
/* The execution that waits at the step of that name in that state, or 0. */
uint32_t model_waits(const struct model_instance *instance, str step, enum token_state state);
/* Does another live instance of its definition have its business key? */
bool model_key_taken(const struct checker *checker, const struct model_instance *instance);
/* Its lease is void, and its deliveries are counted anew. */
void model_void_lease(struct model_job *job);
/* The latest version of a definition, or NULL. */
const struct spec *model_latest(const struct checker *checker, str definition_id);

/* ---- when it is told ---- */

/* A transaction is durable (checker.c). */
void checker_committed(struct world *world, const struct journal *journal, struct store *store);
/* One record of it (checker_record.c, checker_entry.c). */
void checker_history(struct world *world, const struct journal_record *record);

/* A call is about to be taken by the engine, and was answered by it (checker_requests.c). */
void checker_before(struct world *world, struct copy *copy);
void checker_answered(struct world *world, struct copy *copy);
/* Answers of queries (checker_answers.c). */
void checker_query(struct world *world, const struct call *call);
/* The engine has finished a turn. */
void checker_turned(struct world *world);

/* ---- the end (checker_end.c) ---- */

bool checker_all_done(struct world *world);
void checker_not_done(struct world *world); /* Says why. */
void checker_end(struct world *world);
/* The engine's queues must hold what the history leaves open, … */
void checker_memory(struct world *world);
/* … and so must those of a second engine, opened on the same store. */
void checker_recovery(struct world *world);

#endif
