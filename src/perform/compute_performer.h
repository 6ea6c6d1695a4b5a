/* perform/compute_performer.h — requests to calculation nodes. */
#ifndef PERFORM_COMPUTE_PERFORMER_H
#define PERFORM_COMPUTE_PERFORMER_H

#include "compute/compute.h"
#include "perform/worker.h"

/* The hub must live longer than the worker. `now_ms`: jobs from before are of an earlier run of the engine.
 */
void compute_performer_add(struct engine_worker *worker, struct compute *hub, int64_t now_ms);

/* compute_text.c, pure: what a request says to the node, as JSON. */
void compute_text_write(const struct engine_job *job, str request_id, struct buf *out);

#endif
