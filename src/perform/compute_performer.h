/* perform/compute_performer.h — requests to calculation nodes. */
#ifndef PERFORM_COMPUTE_PERFORMER_H
#define PERFORM_COMPUTE_PERFORMER_H

#include "perform/worker.h"

void compute_performer_add(struct engine_worker *worker);

#endif
