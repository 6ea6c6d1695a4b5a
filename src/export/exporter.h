/* export/exporter.h — spans of runs go to a collector of OpenTelemetry.
 *
 *     a turn commits ──► noted (a ring) ──► which commands of which runs (a table)
 *     ──► histories are read, spans computed ──► messages ──► the collector
 *
 * Everything behind the ring happens on a thread of its own, with a reader of the store of its own. A turn
 * that commits notes 32 bytes for each transition and knows nothing else of it. Memory is bounded: the ring,
 * the table (`runs_max` runs, whatever happens in them), one history and one message.
 *
 * While the collector does not take a message, the thread sends it again and the table gathers. So a
 * collector that was away gets the spans of what happened meanwhile, from the histories. Runs for which the
 * ring or the table has no room are dropped and counted.
 *
 * A node exports spans of the commands that it has committed itself since its start. Hence nothing is
 * exported twice by two nodes, or again by the next start; a crash loses what was not sent yet. A message is
 * sent again if its answer was lost: the collector then has its spans twice, under the same ids.
 */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "base/limits.h"
#include "runtime/runtime.h"
#include "telemetry/counters.h"
#include "telemetry/otlp.h"
#include "telemetry/sampling.h"

struct exporter_config {
    const char *url;           /* Where messages are posted. */
    const char *const *header; /* "name: value" */
    size_t header_count;
    const char *authorities; /* A file in PEM; NULL: those of the system. */
    bool is_json;            /* Messages are JSON, not Protocol Buffers. */
    bool is_plain;           /* They are not compressed. */
    int64_t timeout_ms;      /* For one message. */
    int64_t delay_ms;        /* Spans wait so long for others … */
    size_t batch_max;        /* … until a message has so many. */
    size_t runs_max;
    struct sampling sampling;
    const struct telemetry_resource *resource;
};

struct exporter;

/* Takes notes from now on. The configuration is borrowed. */
struct exporter *exporter_new(const struct exporter_config *config);
/* For the configuration of the runtime. */
struct advance_watcher exporter_watcher(struct exporter *exporter);
/* Begins to export. */
enum status exporter_start(struct exporter *exporter, struct runtime *runtime, struct error *err);
/* Sends what there is if the collector takes it at once, and ends the thread. The runtime still lives. NULL
 * is allowed. */
void exporter_stop(struct exporter *exporter);
/* When no turn commits any more. NULL is allowed. */
void exporter_free(struct exporter *exporter);
const struct telemetry_counters *exporter_counters(const struct exporter *exporter);

#endif
