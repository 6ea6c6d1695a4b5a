/* api/metrics_int.h — what the files of /metrics share. */
#ifndef API_METRICS_INT_H
#define API_METRICS_INT_H

#include "api/request_int.h"
#include "runtime/memory/memory.h"

/* ---- metrics_text.c ---- */

/* The name that a metric had in the version before, or NULL. */
const char *metrics_old_name(const char *name);
/* The HELP and TYPE lines of a metric. */
void metrics_put_head(struct buf *out, const char *name, const char *type, const char *help);
/* A name may be any text: the three characters that mean something in a label are escaped. */
void metrics_put_label(struct buf *out, str text);

/* ---- metrics_series.c ---- */

/* Runs by definition and jobs by type: those of the caller's tenant, and of all tenants for the default one.
 * `jobs`: the answer to JOB_SERIES; NULL: the engine did not answer. */
void metrics_put_runs(struct buf *out, const struct api_request *request);
void metrics_put_jobs(struct buf *out, const struct api_request *request, const struct call *jobs);

#endif
