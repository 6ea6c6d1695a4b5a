/* api/metrics_int.h — what the files of /metrics share. */
#ifndef API_METRICS_INT_H
#define API_METRICS_INT_H

#include "api/request_int.h"
#include "runtime/memory/memory.h"

/* The reader of a page: a client, or the engine itself (metrics_gather.c). */
struct metrics_scope {
    const struct api *api;
    struct arena *arena;
    int32_t tenant;     /* TENANT_DEFAULT or less: it may see all of them. */
    bool has_exemplars; /* Buckets of latencies name the trace of one that they have counted. */
};

/* ---- metrics_page.c ---- */

/* The text of all metrics that the tenant may see. Answers to STATISTICS and JOB_SERIES: NULL if the store or
 * the engine did not answer; the page then shows all the rest. */
void metrics_put_page(struct buf *out, const struct metrics_scope *scope,
                      const struct store_statistics *statistics, const struct call *jobs);

/* ---- metrics_open.c ---- */

/* Does the client ask for OpenMetrics, and not rather for plain text? */
bool metrics_wants_open(const struct http_request *request);
/* The same page in the text format of OpenMetrics 1.0. */
void metrics_put_open(struct buf *out, str page);

/* ---- metrics_text.c ---- */

/* Adds an exemplar to the line of a bucket: ` # {trace_id="…"} seconds time`. */
void metrics_put_exemplar(struct buf *out, str trace, double seconds, int64_t at_ms);

/* The name that a metric had in the version before, or NULL. */
const char *metrics_old_name(const char *name);
/* The HELP and TYPE lines of a metric. */
void metrics_put_head(struct buf *out, const char *name, const char *type, const char *help);
/* A name may be any text: the three characters that mean something in a label are escaped. */
void metrics_put_label(struct buf *out, str text);

/* ---- metrics_series.c ---- */

/* Runs by definition and jobs by type: those of the caller's tenant, and of all tenants for the default one.
 * `jobs`: the answer to JOB_SERIES; NULL: the engine did not answer. */
void metrics_put_runs(struct buf *out, const struct metrics_scope *scope);
void metrics_put_jobs(struct buf *out, const struct metrics_scope *scope, const struct call *jobs);

#endif
