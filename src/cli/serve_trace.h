/* cli/serve_trace.h — settings of `serve` about traces: the standard variables of OpenTelemetry, and our
 * options. */
#ifndef CLI_SERVE_TRACE_H
#define CLI_SERVE_TRACE_H

#include "cli/options.h"
#include "export/exporter.h"

struct serve_trace {
    bool exports; /* There is a collector. */
    struct exporter_config exporter;
    struct telemetry_resource resource; /* Also for traces that are asked for. */
};

/* The variables that count; ends with NULL. */
extern const char *const serve_trace_variables[];

/* Reads and checks them. `settings` stays where it is: the exporter borrows it. */
enum status serve_trace_read(const struct options *options, struct serve_trace *settings, struct error *err);

#endif
