/* runtime/nodes/lease_news.h — what nodes know of each other's leases.
 *
 * A lease is in the memory of the node that handed the job out. A failure or an extension may arrive at any
 * node, and only the worker that holds the lease may send it. So a node tells the others of leases that last
 * (LEASE_YOUNG_MS): with each heartbeat it writes who has the job and until when into the rows of the jobs.
 * Most jobs are done before, and cost nothing.
 *
 * A report on a job of another node's that has told nothing yet waits until it has, at most LEASE_TOLD_MS. If
 * nobody says then who holds the job, its delivery number decides.
 */
#ifndef RUNTIME_NODES_LEASE_NEWS_H
#define RUNTIME_NODES_LEASE_NEWS_H

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "store/nodes.h"

struct engine;
struct turn;

struct leases {
    struct call_list waiting; /* Reports on jobs of which nobody has told yet … */
    int64_t look_ms;          /* … which are looked at again then. */
};

/* Tells the others of leases that they do not know. With each heartbeat. */
void lease_news_write(struct engine *engine);

/* Judges a report on a job that is not in our memory: sets `call->dropped_`, or `call->awaits_` if it has to
 * wait. `holder` is that of the job's instance. */
enum status lease_news_judge(struct turn *turn, struct call *call, int64_t holder, struct error *err);

/* The call waits. */
void lease_news_await(struct turn *turn, struct call *call);
/* Takes up calls that have waited, if it is time: they run in this turn. */
void lease_news_look(struct turn *turn);
/* INT64_MAX: nobody waits. */
int64_t lease_news_next_ms(const struct engine *engine);

/* The job as its row says: fills in what a view needs. */
void lease_news_show(const struct job_row *row, int64_t now_ms, struct open_job *ret_job);

#endif
