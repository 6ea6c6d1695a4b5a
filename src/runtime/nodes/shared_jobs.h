/* runtime/nodes/shared_jobs.h — jobs that any node may hand out.
 *
 * A job that is opened while a poll here waits for it is *held*: only our memory knows it, and the poll gets
 * it after the commit. Any other job is *offered*: it has a row, which the node claims whose polls want it.
 * store/nodes.h has the rules.
 *
 *     opened ──► held ──► leased ──► closed
 *        │         │         │
 *        │         │         └─ the lease ran out ─┐
 *        │         └─ nobody here takes it ────────┤
 *        └──► offered ◄────────────────────────────┘
 *               └──► claimed ──► leased ──► closed
 *
 * A worker that completes a job here is likely to poll here next, if it did so before. So what is opened
 * meanwhile is held for a few milliseconds as if it waited already. If it does not come, the job is offered,
 * and nobody is expected for a second: perhaps a balancer sends each request to another node.
 *
 * Without this, two or three nodes wrote 1.5 to 2.7 times as many rows of jobs for workers that keep their
 * connection and take any job one by one. ARCHITECTURE.md has all figures, and the price: a job that is held
 * overtakes older jobs that are offered.
 *
 * A node that is alone knows by its claims which queues are *empty*: nothing is offered there. A job of such
 * a queue is held, too, because its next poll will come here. Jobs that are held overtake those that are
 * offered. So each heartbeat claims what has become available of an empty queue since, and after an offer the
 * queue is not empty any more.
 *
 * A store that is not shared has no offers: its one engine holds all jobs.
 */
#ifndef RUNTIME_NODES_SHARED_JOBS_H
#define RUNTIME_NODES_SHARED_JOBS_H

#include "base/text_map.h"
#include "runtime/memory/memory.h"
#include "store/nodes.h"

struct effects;
struct engine;
struct loaded;

struct offers {
    struct job_row *back; /* To be offered; queues are on the heap. */
    size_t back_count, back_cap;
    int64_t hold_ms;        /* The store has refused them: nothing is sent before. */
    bool may_be;            /* There may be offers that polls here want. */
    size_t passed;          /* So many queues in which polls wait were in the last claim. */
    bool is_unsure;         /* A claim has failed, and may have happened. */
    _Atomic bool woken;     /* The same, as another thread knows. */
    bool written;           /* The transaction holds offers. */
    struct text_map wanted; /* struct shared_jobs_want by queue: what polls of this turn want. */
    struct expected {
        int64_t until_ms;
        size_t n;
        char worker[EXPECTED_WORKER_BYTES];
    } expected[EXPECTED_MAX]; /* Workers that are likely to poll here soon. */
    size_t expected_count;
    bool looks_again;       /* For offered jobs, at `release_ms`. */
    int64_t release_ms;     /* When they should have come; 0: nobody is expected. */
    int64_t unexpected_ms;  /* Until then nobody is expected. */
    size_t asked, promised; /* By polls of workers, and to them, in all queues: a poll names several. */
    struct text_map
        empty; /* struct empty_queue: queues of which nothing is offered, as long as we are alone. */
    bool may_have_offers; /* That should be looked at again. */
};

void shared_jobs_init(struct offers *offers);
void shared_jobs_done(struct offers *offers);

/* A turn begins, whose polls are those that found nothing at once; it ends. */
void shared_jobs_begin(struct turn *turn);
/* A call that has waited for this turn runs now: what a batch polls for counts, too. */
void shared_jobs_ask(struct turn *turn, const struct call *call);
void shared_jobs_forget(struct turn *turn);
/* The worker polls. It is not expected any more. */
void shared_jobs_meet(struct engine *engine, str worker);

/* Which of the jobs that the instance opens are held, and which are offered. Before its row is written:
 * fills in the effects and `row->holder`. */
void shared_jobs_decide(struct turn *turn, struct loaded *loaded, struct effects *effects,
                        struct instance_row *row);
/* The attempt is over. */
void shared_jobs_end(struct turn *turn, bool committed);

/* The job leaves our memory and is offered, under the next delivery number if it was handed out. */
void release_job(struct engine *engine, struct open_job *job, bool was_handed_out);
/* Its lease ran out. */
void release_expired(struct engine *engine, struct open_job *job);
/* Offers what was given back. */
void release_send(struct engine *engine);
/* Gives back what nobody here has taken for a while. */
void release_idle(struct engine *engine);
/* The same if a worker that was expected has not come. After `release_ms`. */
void release_go_on(struct engine *engine);

/* Claims jobs for polls that would find none. Before polls are served. */
void claim_jobs(struct turn *turn);
/* The same before the commands of a turn. */
void claim_first(struct turn *turn);
/* The job is open again, because a unit that had closed it has failed. It goes into our queues if it is ours.
 */
void claim_restore(struct turn *turn, const struct definition *definition, uint64_t instance,
                   const struct job *job);
/* Somebody has offered something. */
void claim_note_offer(struct engine *engine);
/* The store has none, as a heartbeat has found. */
void claim_note_none(struct engine *engine);

/* Rows for the open jobs of an instance whose node is dead. */
size_t shared_jobs_of_dead(int32_t ns, const struct instance *instance, int32_t priority, struct arena *arena,
                           struct job_row **ret_row);

#endif
