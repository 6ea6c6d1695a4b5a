/* cli/serve/serve_trace.h — settings of `serve` about traces and pushed metrics: the standard variables of
 * OpenTelemetry, and our options. */
#ifndef CLI_SERVE_SERVE_TRACE_H
#define CLI_SERVE_SERVE_TRACE_H

#include "cli/options.h"
#include "export/exporter.h"
#include "export/pusher.h"

struct serve_trace {
    bool exports; /* There is a collector. */
    struct exporter_config exporter;
    bool pushes; /* Metrics go to a collector, … */
    struct exporter_config pushing;
    int64_t push_every_ms;              /* … so often. */
    str url;                            /* A page for people, with {trace} in it; empty: none. */
    struct telemetry_resource resource; /* Also for traces that are asked for. */
};

/* The variables that count; ends with NULL. */
extern const char *const serve_trace_variables[];

/* Reads and checks them. `settings` stays where it is: the exporter borrows it. */
enum status serve_trace_read(const struct options *options, struct serve_trace *settings, struct error *err);

#endif
