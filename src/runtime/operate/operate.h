/* runtime/operate/operate.h — the door to everything that operators read. */
#ifndef RUNTIME_OPERATE_OPERATE_H
#define RUNTIME_OPERATE_OPERATE_H

#include "runtime/call/call.h"
#include "runtime/operate/replay.h"

struct arena;
struct error;
struct instance_row;
struct instance_view;
struct query;
struct run_spans;
struct turn;

/* ---- operate_serve.c ---- */

/* OVERVIEW (what the query thread left open), SERIES, WORKERS. */
void operate_serve_overview(struct turn *turn, struct call *call);

void operate_serve_series(struct turn *turn, struct call *call);
void operate_serve_workers(struct turn *turn, struct call *call);

/* ---- job_series.c ---- */

/* JOB_SERIES */
void job_series_serve(struct turn *turn, struct call *call);

/* ---- instance_reads.c ---- */

/* The row of an instance by its public id. */
MUST_DECIDE struct found instance_reads_find(struct query *query, const struct call *call, struct id id,
                                             struct arena *arena, struct instance_row *ret_row,
                                             struct error *err);

/* A row as a view, in the arena. A missing definition or a damaged state does not hold up a list: such
 * instances show less. Memory that is needed only meanwhile comes from `scratch`. */
enum status instance_reads_row(struct query *query, const struct instance_row *row, bool with_data,
                               struct arena *scratch, struct arena *arena, struct instance_view *ret_view,
                               struct error *err);

/* Fills in the view of one instance as the answer (answer_instances). */
enum status instance_reads_show(struct query *query, struct call *call, struct id id, bool with_children,
                                struct error *err);

/* ---- history_reads.c ---- */

/* GET_HISTORY */
enum status history_reads_get(struct query *query, struct call *call, struct error *err);

/* ---- seen_instances.c ---- */

/* LIST_INSTANCES for a caller who may see some definitions only, in parts. */
enum status seen_instances_list(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* ---- operate_list.c ---- */

/* LIST_RUNS: looks at some more instances; true while there are more to look at. */
enum status operate_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err);

/* LIST_LOCKS. */
enum status operate_list_locks(struct query *query, struct call *call, struct error *err);
/* OVERVIEW: the part that the store knows. */
enum status operate_list_overview(struct query *query, struct call *call, struct error *err);

/* ---- operate_run.c ---- */

/* GET_RUN, LIST_VISITS, GET_VISIT. */
enum status operate_run_get(struct query *query, struct call *call, struct error *err);

enum status operate_run_visits(struct query *query, struct call *call, struct error *err);
enum status operate_run_visit(struct query *query, struct call *call, struct error *err);

/* ---- run_trace.c ---- */

/* GET_TRACE */
enum status run_trace_call(struct query *query, struct call *call, struct error *err);

/* The spans of a run, in the arena: of the first HISTORY_BYTES_MAX of its history. Spans of commands behind
 * `last` may be left out; 0: all are wanted. */
enum status run_trace_read(struct query *query, const struct instance_row *row, uint32_t last,
                           struct arena *arena, struct run_spans *ret_spans, struct error *err);

#endif
