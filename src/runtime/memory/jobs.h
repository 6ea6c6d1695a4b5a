/* runtime/memory/jobs.h — open jobs, who holds them, and who waits for one.
 *
 * All of it is memory: a job's existence is part of its instance's stored state, and a lease
 * need not survive a crash (afterwards every open job is offered again).
 *
 *              add                take                remove (completed, failed, cancelled)
 *     ── delayed ──► ready ────────────► leased ────────────►
 *                      ▲   lease expires   │
 *                      └───────────────────┘   (with the next delivery number)
 *
 * A completion counts under any delivery number, as long as the job is open (commands.c). So a handler
 * that outlives its lease finishes, and so does one that took its job before a restart, after which
 * deliveries are counted from 0 again. Failures and extensions count only under the current number. It
 * has eight bits: after 256 expired leases an old number is current again, but only for its own worker.
 *
 * Ready jobs of one type and tenant form a queue, which has the type's qualified name (base/tenant.h): higher
 * priority first, then the older one. Jobs that no worker does are in queues of reserved types, in which
 * tenants take turns (lanes.c). A queue goes with the last job or poll that belongs to it, unless there are
 * few: then it is likely to be wanted again.
 */
#ifndef RUNTIME_MEMORY_JOBS_H
#define RUNTIME_MEMORY_JOBS_H

#include "base/map.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/memory/deadlines.h"

enum { QUEUES_KEPT = 256 };

struct job_lane;
struct job_queue;

struct open_job {
    uint64_t instance;
    uint32_t number;
    uint8_t delivery;
    uint8_t priority;
    bool has_row; /* In a shared store: see store/nodes.h. */
    bool of_unit; /* No store knows it (units.h). */
    enum job_state state;
    struct job_queue *queue;
    struct job_lane *lane;           /* Its tenant's part of the queue. */
    struct open_job *before, *after; /* In the lane, while ready; in jobs->untold, while leased. */
    bool is_untold;
    struct open_job *sibling; /* The next in its place of by_id, or in the list of spare ones. */
    struct deadline deadline; /* End of the lease, or of the delay. */
    int64_t ready_ms;
    int64_t locked_ms;
    int64_t claimed_ms; /* The turn that has claimed it, and has seen that it is open; 0: none has. */
    str worker;         /* While leased; on the heap. */
};

/* A poll that waits for one of several types. */
struct waiting_poll;

/* The jobs of a tenant that somebody holds. Children do not count: the engine starts them itself. */
struct job_tenant {
    int32_t ns;
    size_t leased_count;
    size_t leased_max; /* No more are handed out; 0: no limit. */
    struct job_lane *first_lane;
    bool is_moved;
    struct job_tenant *next_moved;
};

struct jobs {
    struct text_map queues; /* struct job_queue by type */
    struct map by_id;       /* first struct open_job of each key: see jobs_find() */
    struct deadlines *deadlines;
    struct open_job *spare;
    size_t ready_count, leased_count, waiting_count;
    size_t ready_workers;                        /* The ready jobs that workers outside poll for. */
    size_t waiting_wanted;                       /* How many jobs the polls that wait would take together. */
    bool tells;                                  /* Other nodes should know of leases: … */
    struct open_job *first_untold, *last_untold; /* … they do not of these, the oldest first. */
    struct job_queue *hot;                       /* Queues that have both jobs and waiting polls. */
    struct waiting_poll *polls;                  /* All that wait. */
    struct map tenants;                          /* struct job_tenant */
    struct job_tenant *first_moved;              /* Tenants whose jobs in flight have changed. */
    size_t waiting_bytes;                        /* Memory that they keep, requests included. */
};

void jobs_init(struct jobs *jobs, struct deadlines *deadlines);
void jobs_done(struct jobs *jobs);

/* A job was opened, or found at recovery. Gives the one that is known, if it is. */
struct open_job *jobs_add(struct jobs *jobs, int32_t ns, uint64_t instance, const struct job *job,
                          uint8_t priority, int64_t now_ms);
/* The queue of a tenant's job, as it is or in the arena. Workers have queues by tenant; the engine's own
 * performers work for all tenants. */
str jobs_queue_name(int32_t ns, const struct job *job, struct arena *arena);
/* It is no longer open. Does nothing if it is not known. */
void jobs_remove(struct jobs *jobs, uint64_t instance, uint32_t number);
/* Forgets all jobs but those of units: other nodes have taken them over. */
void jobs_forget(struct jobs *jobs);
/* Calls `see` with each ready job, by queue, until it says false. It leaves the jobs as they are. */
typedef bool job_seen_fn(void *context, struct open_job *job);
void jobs_each_ready(struct jobs *jobs, job_seen_fn *see, void *context);

/* The type of its queue. */
str jobs_type_of(const struct open_job *job);

struct open_job *jobs_find(const struct jobs *jobs, uint64_t instance, uint32_t number);

/* Since when the job of the queue that is ready for longest has been so; 0: none is. */
int64_t lanes_oldest_ms(const struct job_queue *queue);
/* The same for a tenant's part of it. */
int64_t lane_oldest_ms(const struct job_lane *lane);
/* The tenant's parts of all queues, by next_of_tenant; NULL: none. */
const struct job_lane *lanes_of_tenant(const struct jobs *jobs, int32_t ns);

/* The best ready job of these types, or NULL. */
struct open_job *jobs_best(const struct jobs *jobs, const str *type, size_t type_count);
/* The same for a poll, which may want urgent jobs only. */
struct open_job *jobs_best_for(const struct jobs *jobs, const struct call_poll *poll);

/* Leases a ready job to a worker. */
void jobs_lease(struct jobs *jobs, struct open_job *job, str worker, int64_t now_ms, int64_t lease_ms);
/* Prolongs a lease. */
void jobs_extend(struct jobs *jobs, struct open_job *job, int64_t now_ms, int64_t lease_ms);
/* Other nodes know of its lease, as it is now. */
void jobs_told(struct jobs *jobs, struct open_job *job);
/* Back to the front of its queue under a new delivery number: its lease ran out. */
void jobs_expire(struct jobs *jobs, struct open_job *job, int64_t now_ms);
/* Takes a ready job out of its queue until then. */
void jobs_delay(struct jobs *jobs, struct open_job *job, int64_t until_ms);
/* The delay is over. */
void jobs_ready(struct jobs *jobs, struct open_job *job, int64_t now_ms);

static inline struct open_job *open_job_of(struct deadline *deadline)
{
    return (struct open_job *)(void *)((char *)deadline - offsetof(struct open_job, deadline));
}

/* ---- jobs in flight, by tenant (lanes.c) ---- */

/* The tenant may have so many jobs in flight: others stay in their queues. 0: any number. */
void lanes_limit(struct jobs *jobs, int32_t ns, size_t max);
size_t lanes_in_flight(const struct jobs *jobs, int32_t ns);
/* Are there as many as there may be? */
bool lanes_are_full(const struct jobs *jobs, int32_t ns);
/* Takes a tenant whose number has changed; false: none. */
bool lanes_take_moved(struct jobs *jobs, int32_t *ret_ns, size_t *ret_count);

/* ---- polls that wait ---- */

/* The memory that the call would keep while it waits, if nobody else waits for the same types. */
size_t polls_wait_bytes(const struct call *call);

/* Parks the call until a job comes or its time is up. */
void polls_wait(struct jobs *jobs, struct call *call, int64_t until_ms);

/* How many more jobs of the type may be ready until there are `max`. */
size_t jobs_room(const struct jobs *jobs, str type, size_t max);

/* How many more jobs of the type polls that wait could take than are ready. */
size_t polls_wanted(const struct jobs *jobs, str type);

/* Does a poll wait for any job of the type? */
bool polls_wait_for(const struct jobs *jobs, str type);

/* The type of which at least one poll waits for any job, and that comes behind the one before; false: there
 * is none more.
 * `*cursor` begins with 0. */
bool polls_next_type(const struct jobs *jobs, size_t *cursor, str *ret_type);

/* Takes a poll for which there is work now, or NULL. It no longer waits; it would have until then. */
struct call *polls_take_served(struct jobs *jobs, int64_t *ret_until_ms);

/* Takes the poll whose time is up. */
struct call *polls_take_late(struct jobs *jobs, struct deadline *deadline);

/* Takes any waiting poll (for a drain), or NULL. */
struct call *polls_take_any(struct jobs *jobs);

/* ---- what a list of queues shows ---- */

/* One of the queues a poll waits at. */
struct poll_link {
    struct waiting_poll *poll;
    struct job_queue *queue;
    struct poll_link *before, *after;
};

struct waiting_poll {
    struct call *call;
    struct deadline deadline;
    struct waiting_poll *before, *after; /* In jobs->polls. */
    size_t bytes;                        /* Its share of jobs->waiting_bytes; queues are counted once each. */
    size_t link_count;
    struct poll_link link[];
};

/* The jobs of one tenant in one queue. */
struct job_lane {
    struct job_tenant *tenant;
    struct job_queue *queue;
    bool is_counted;  /* Its jobs count as jobs in flight. */
    size_t job_count; /* Ready, leased and delayed ones. */
    size_t ready_count;
    struct {
        struct open_job *first, *last;
    } level[PRIORITY_COUNT];        /* The ready ones. */
    struct job_lane *before, *next; /* In the queue, while it has ready ones. */
    struct job_lane *before_of_tenant, *next_of_tenant;
};

/* Freed when no job and no poll belongs to it and there are many: jobs_release(). */
struct job_queue {
    str type;
    struct job_lane *first_lane, *last_lane; /* With ready jobs, in the order of their turns. */
    struct map lanes;                        /* All of them, by tenant. */
    struct job_lane *lane;                   /* The one that was used last. */
    size_t job_count;                        /* Open jobs of this type: ready, leased and delayed ones. */
    size_t ready_count, leased_count;
    struct poll_link *first_poll, *last_poll; /* Longest waiting first. */
    size_t wanted; /* How many jobs these polls would take together, without those that are choosy. */
    struct job_queue *next_hot;
    bool hot;
};

#endif
