/* telemetry/sampling.h — which runs are exported.
 *
 *     failed,slow>1h,1%
 *
 * A run is exported if one of the rules fits. The part in percent is drawn by the trace's id, so every node
 * draws alike, and such a run is exported while it goes on. The other rules are decided at an end of the run,
 * when it is known how it went: then all of it is exported.
 */
#ifndef TELEMETRY_SAMPLING_H
#define TELEMETRY_SAMPLING_H

#include "telemetry/spans.h"

struct sampling {
    double part;     /* 0 to 1. */
    bool failed;     /* Runs that failed, also if they came back. */
    int64_t slow_ms; /* Runs that took longer; 0: the rule is not there. */
};

/* ST_INVALID: the words are none. `where` of errors is "--trace-sample". */
enum status sampling_parse(str text, struct sampling *ret_sampling, struct error *err);

/* Is the run exported while it goes on? */
bool sampling_draws(const struct sampling *sampling, uint64_t instance, int64_t created_ms);

/* Is there a rule that an end decides? */
static inline bool sampling_waits(const struct sampling *sampling)
{
    return sampling->failed || sampling->slow_ms > 0;
}

/* Is this span exported by the node that committed the commands from `first` to `last` of its run? With all
 * commands of a run committed by somebody, each span that a rule fits is exported once. */
bool sampling_takes(const struct sampling *sampling, const struct run_spans *run, const struct span *span,
                    uint32_t first, uint32_t last);

#endif
