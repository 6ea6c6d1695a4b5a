/* store/nodes.h — what the nodes of a shared store do through it.
 *
 * A *node* is an engine on a store that others may use at the same time. Each node has a number, which is
 * never given again, and a row that its heartbeats change. The others see by the heartbeats that it lives.
 * The numbers of nodes that live differ modulo NODES_MAX, as long as there are not more of them.
 *
 *     join ──► heartbeat … heartbeat ──► leave                 (its jobs are taken over at once)
 *                  │
 *                  └── no heartbeat for a while: another node fences it, and takes over its jobs
 *
 * Nothing of a fenced node commits any more: store_commit() fails with ST_AGAIN, and store_heartbeat() says
 * that the node is gone. Then it joins under a new number.
 *
 * **Jobs.** A job is part of its instance's state. One node at a time decides which worker may have it:
 *   - a node *holds* a job if it had a poll for it when the job was opened. Only its memory knows the job;
 *     `instance_row.holder` names the node. One node holds the jobs of an instance; what another node opens
 *     meanwhile is offered. When a worker has had it for a while, it gets a row (store_note_leases()) and
 *     counts as claimed.
 *   - a job that is *offered* has a row. Any node may claim it.
 *   - a job that is *claimed* has a row that names the node.
 *
 * A job is offered again under the next delivery number when its lease has run out, or when its node is
 * dead. A row may be left behind for a job that is closed: whoever claims it sees that in the instance's
 * state, and drops the row.
 *
 * Durable are store_commit(), and what offers jobs or frees claims: whoever calls it relies on it and forgets
 * the jobs. Rows that the other functions write may be lost in a crash of the database, which only means that
 * a job is handed out once more.
 *
 * Functions here are for the thread that has the writer, outside of a transaction unless they say otherwise.
 * Only a shared store has them (store_is_shared()). On other stores our number is 0, store_listen() hears of
 * nobody, and store_find_job(), store_jobs_of() and store_offered() find nothing: they have no rows of jobs.
 */
#ifndef STORE_NODES_H
#define STORE_NODES_H

#include "store/limits.h"
#include "store/store.h"

/* ---- nodes ---- */

bool store_is_shared(const struct store *store);
/* Our number; 0: the store is not shared. */
int64_t store_node(const struct store *store);

/* How long its functions have waited for answers of the database, on any connection of the writer's thread.
 */
int64_t store_waited_us(const struct store *store);

struct node_row {
    int64_t id;
    int64_t heartbeats; /* A node lives if this changes. */
    bool dead;          /* It has left or was fenced, and its jobs are not taken over yet. */
};

/* Counts our heartbeat and reads what the others have left. ST_NOT_FOUND: we are fenced. `*ret_row` has all
 * nodes by number, at most NODES_MAX. */
enum status store_heartbeat(struct store *store, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                            int64_t *ret_generation, struct error *err);

/* Joins under a new number: after a fence. */
enum status store_rejoin(struct store *store, struct error *err);
/* Nothing of that node commits from now on. ST_AGAIN: a commit of it is under way. */
enum status store_fence_node(struct store *store, int64_t node, struct error *err);
/* All that a dead node had is taken over: its row goes. */
enum status store_forget_node(struct store *store, int64_t node, struct error *err);

/* Memory's knowledge of definitions, triggers, models, indexes, secrets and schedules is of a generation. A
 * transaction that changes one of them begins the next. A commit fails with ST_AGAIN while the generation
 * that was last set here is not the newest. A node that joins knows the newest. */
void store_set_generation(struct store *store, int64_t generation);
/* The same, or what our own transactions have made of it since. */
int64_t store_generation(const struct store *store);

/* In a transaction: it commits only if the instance has that revision. ST_AGAIN from the commit, else. An
 * instance that is read in a transaction and not changed must be expected: others may change it meanwhile. */
enum status store_expect(struct store *store, uint64_t instance, uint32_t revision, struct error *err);

/* The instance's histories that follow a revision, oldest first, one at least if there is one, and at
 * most NEXT_HISTORY_MAX: what other nodes have done with it. None if it is gone. Outside of a transaction. */
MUST_DECIDE enum status store_next_history(struct store *store, uint64_t instance, uint32_t after,
                                           struct arena *arena, str **ret_blob, size_t *ret_count,
                                           struct error *err);

/* ---- jobs ---- */

/* A job with a row. See also `job_add` and `job_remove` of a changeset. */
struct job_row {
    uint64_t instance;
    uint32_t number;
    str queue; /* The job type, or the reserved queue of an engine performer. */
    int32_t priority;
    int64_t available_ms;
    uint8_t delivery;
    int64_t claimed;  /* The node that has claimed it; 0: it is offered. */
    int64_t lease_ms; /* A worker has it until then, as another node was told; 0: nobody was. */
    /* The news of its node about the worker: who has it, since when and until when. Empty: nobody has it, or
     * not for long enough that others have heard of it. The next offer does not depend on that. */
    str worker;
    int64_t locked_ms, until_ms;
};

/* Also inside of a transaction. */
MUST_DECIDE struct found store_find_job(struct store *store, uint64_t instance, uint32_t number,
                                        struct arena *arena, struct job_row *ret_row, struct error *err);

/* The rows of all jobs of these instances, by instance and number. Also inside of a transaction. */
MUST_DECIDE enum status store_jobs_of(struct store *store, const uint64_t *instance, size_t count,
                                      struct arena *arena, struct job_row **ret_row, size_t *ret_count,
                                      struct error *err);

/* How many jobs of each queue are offered, counted up to `counted_max`, and since when the oldest is
 * available; of the first `max` queues. */
struct offered_queue {
    str queue;
    size_t count;
    int64_t oldest_ms;
};
MUST_DECIDE enum status store_offered(struct store *store, size_t counted_max, size_t max,
                                      struct arena *arena, struct offered_queue **ret_queue,
                                      size_t *ret_count, struct error *err);

/* Claims up to so many jobs of each queue that are available by then, those of the highest priority first,
 * then the oldest. `ret_instance` has the instance of each. The state of an instance comes with the first of
 * its jobs only, and not at all behind CLAIMED_BYTES_MAX bytes of states: store_load_instance() has it.
 * ST_AGAIN: we are fenced. */
struct job_claim {
    str queue;
    size_t max;
};
MUST_DECIDE enum status store_claim_jobs(struct store *store, const struct job_claim *claim,
                                         size_t claim_count, int64_t now_ms, struct arena *arena,
                                         struct job_row **ret_row, struct instance_row **ret_instance,
                                         size_t *ret_count, struct error *err);

/* The jobs that this node has claimed, by instance and number, strictly behind those of `after` (NULL: from
 * the first), at most `max`: for a node that did not hear the answer to a claim. States as above. */
MUST_DECIDE enum status store_claimed_jobs(struct store *store, const struct job_row *after, size_t max,
                                           struct arena *arena, struct job_row **ret_row,
                                           struct instance_row **ret_instance, size_t *ret_count,
                                           struct error *err);

/* Offers jobs that this node has held or claimed, under the delivery numbers given. A claimed one that
 * another node has prolonged stays as it is; store_end_leases() looks after it. */
enum status store_offer_jobs(struct store *store, const struct job_row *row, size_t count, int64_t now_ms,
                             struct error *err);
/* Removes the rows of jobs that are closed, if each is as it was claimed: by the same node, for the same
 * delivery. Another node may have opened the job anew since. None is fine. */
enum status store_drop_jobs(struct store *store, const struct job_row *row, size_t count, struct error *err);
/* The worker `row->worker` goes on with a job until `row->lease_ms`, which the node `row->claimed` has,
 * whoever that is.
 * `*ret_done` false: the job is offered, or its delivery is another one. */
enum status store_extend_job(struct store *store, const struct job_row *row, bool *ret_done,
                             struct error *err);
/* Tells the others who has jobs of this node: `worker`, `locked_ms` and `until_ms` of each. A job that the
 * node holds gets a row. One that is not the node's any more stays as it is, and so does one that another
 * node has prolonged. */
enum status store_note_leases(struct store *store, const struct job_row *row, size_t count,
                              struct error *err);
/* Offers claimed jobs whose row says that the lease is over. */
enum status store_end_leases(struct store *store, int64_t now_ms, size_t *ret_count, struct error *err);

/* ---- work that waits ---- */

/* Work that goes on in later turns, and that any node may have left in the store: one question about all of
 * it, so that a node with nothing to do asks no more. */
struct work_question {
    str target;           /* Pending rows of the default namespace with this target are no starts. */
    int32_t bulk_state;   /* The state of bulks that go on. */
    int64_t lease_end_ms; /* Leases that ended by then are over. */
    const struct record_filter *filter;
    size_t filter_count; /* At most WORK_FILTERS_MAX. */
};

/* A back end that cannot tell says that there is work. */
struct work_found {
    uint64_t starts;       /* A bit for each priority: a definition of it has pending starts. */
    uint64_t records;      /* A bit for each filter: it lists a record. */
    bool has_target;       /* There is a pending row with the target. */
    bool has_bulk;         /* A bulk goes on. */
    bool has_offers;       /* Jobs are offered, available by now or not. */
    bool has_ended_leases; /* store_end_leases() has something to do. */
};
MUST_DECIDE enum status store_find_work(struct store *store, const struct work_question *question,
                                        struct arena *arena, struct work_found *ret_found, struct error *err);

/* ---- taking over ---- */

/* Offers the jobs that the dead node had claimed. */
enum status store_free_claims(struct store *store, int64_t node, size_t *ret_count, struct error *err);
/* The ids of instances whose jobs the node holds, ascending, strictly after `after`, at most `max`. */
MUST_DECIDE enum status store_held_ids(struct store *store, int64_t node, uint64_t after, size_t max,
                                       struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                       struct error *err);
/* Many instances at once, those that are there, by id. States are left out behind LOADED_BYTES_MAX bytes of
 * them: store_load_instance() has them. Also inside of a transaction. */
MUST_DECIDE enum status store_load_instances(struct store *store, const uint64_t *id, size_t count,
                                             struct arena *arena, struct instance_row **ret_row,
                                             size_t *ret_count, struct error *err);
/* Offers jobs unless they have rows. */
enum status store_offer_new(struct store *store, const struct job_row *row, size_t count, struct error *err);

/* ---- news ---- */

/* In a transaction: what the other nodes should hear of it. `text` is the runtime's own. */
enum status store_news_write(struct store *store, str text, struct error *err);
/* The news of others since the last call, each node's in its order, at most about HEARD_BYTES_MAX at a time.
 * A node that has just joined hears of nothing older. `*ret_lost`: something was told that is gone
 * already. */
MUST_DECIDE enum status store_news_read(struct store *store, struct arena *arena, str **ret_text,
                                        size_t *ret_count, bool *ret_lost, struct error *err);

/* ---- waking each other ---- */

/* The reason why a node wakes the others: it has offered jobs, or changed who may do what. */
enum store_wake { STORE_WAKE_JOBS, STORE_WAKE_ACCESS };
/* Wakes the nodes that listen, our own included or not. It may be lost. */
void store_wake_others(struct store *store, enum store_wake why);
/* Calls `heard` from another thread when a node wakes us, until the store is closed or this is called with
 * NULL. One for access may stand for several, and those for jobs among them. */
typedef void store_heard_fn(void *context, enum store_wake why);
enum status store_listen(struct store *store, store_heard_fn *heard, void *context, struct error *err);
/* Calls without a reason. */
typedef void store_wake_fn(void *context);

/* ---- nodes of a store in memory, for tests and the simulation ---- */

/* Opens another handle on the rows of a store in memory, which is a node: nobody but such nodes writes to
 * them from now on. The rows go with the last handle. One thread at a time uses all of them. */
enum status store_join_memory(struct store *first, struct store **ret_store, struct error *err);
/* Closes the handle of a node whose process was killed: the others find out by its heartbeats. */
void store_vanish_memory(struct store *store);

#endif
