/* api/operate/operate_int.h — what operators see: runs of all families.
 *
 *     runs.c   lists of runs, and groups by what holds them
 *     run.c    one run, its visits, what went in and out of a visit
 *     overview.c   the engine at a glance, and its last hour by the minute
 *     workers.c    who does the jobs
 *     locks.c      who holds named locks, and who waits for them
 */
#ifndef API_OPERATE_OPERATE_INT_H
#define API_OPERATE_OPERATE_INT_H

#include "api/request_int.h"
#include "api/route_int.h"

#include "json/put.h"

route_fn operate_overview, operate_series, operate_workers, operate_locks;
route_fn operate_runs, operate_runs_groups, operate_run, operate_visits, operate_visit;

/* Writes the members of a run as a list shows it: the opening brace and no closing one. A whole run has other
 * members called nodes and why. */
void operate_put_run(struct buf *out, const struct operate_run *run, bool whole);

#endif
