/* telemetry/otlp.h — messages of OTLP, the OpenTelemetry protocol.
 *
 * A message is an ExportTraceServiceRequest with one resource and one scope, in the published JSON form (ids
 * in hexadecimal digits, numbers of 64 bits as texts) or in Protocol Buffers. The encoder of Protocol Buffers
 * is our own: the messages have a dozen fields, and the structures that protobuf-c wants would take an
 * allocation for each attribute of each span.
 */
#ifndef TELEMETRY_OTLP_H
#define TELEMETRY_OTLP_H

#include "base/buf.h"
#include "telemetry/spans.h"

/* Says who sends. */
struct telemetry_resource {
    const struct telemetry_attribute *attribute;
    size_t attribute_count;
    str version; /* The engine's. */
};

/* A message with spans of several runs is begun, gets spans, and ends. */
struct otlp_json {
    struct buf *out;
    size_t count;
};
void otlp_json_begin(struct otlp_json *message, const struct telemetry_resource *resource, struct buf *out);
void otlp_json_add(struct otlp_json *message, const struct run_spans *run, const struct span *span);
void otlp_json_end(struct otlp_json *message);

/* The same in Protocol Buffers. The spans are gathered first, because a message begins with its length. */
struct otlp_bytes {
    struct buf spans;
    struct buf common; /* Fields that all spans of the run have. */
    struct buf scratch;
};
void otlp_bytes_init(struct otlp_bytes *message);
/* The spans that follow are this run's, also in the next messages. */
void otlp_bytes_run(struct otlp_bytes *message, const struct run_spans *run);
void otlp_bytes_add(struct otlp_bytes *message, const struct span *span);
/* Writes the message; the next one begins. */
void otlp_bytes_end(struct otlp_bytes *message, const struct telemetry_resource *resource, struct buf *out);
void otlp_bytes_done(struct otlp_bytes *message);

/* An ExportMetricsServiceRequest in Protocol Buffers, from a page in the text format of Prometheus as this
 * engine writes it: counters are sums, gauges gauges, histograms histograms, all of them cumulative since
 * `start_ms`. Returns the number of points. */
size_t otlp_metrics_encode(str page, const struct telemetry_resource *resource, int64_t start_ms,
                           int64_t now_ms, struct buf *out);

/* The attributes that all spans of a run have; returns their number. */
size_t otlp_run_attributes(const struct run_spans *run, struct telemetry_attribute ret[RUN_ATTRIBUTES_MAX]);

#endif
