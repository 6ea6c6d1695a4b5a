/* telemetry/counters.h — what became of spans, for /metrics. The exporter's thread and turns write it. */
#ifndef TELEMETRY_COUNTERS_H
#define TELEMETRY_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/* clang-format off */
#define TELEMETRY_COUNTER_MAP(XX)                                                                        \
    XX(spans,     "pawl_trace_spans_total",         "Spans that a collector has taken.")                 \
    XX(messages,  "pawl_trace_messages_total",      "Messages with spans that a collector has taken.")   \
    XX(failures,  "pawl_trace_failures_total",      "Times that a collector did not take a message with spans.") \
    XX(refused,   "pawl_trace_spans_refused_total", "Spans that a collector has refused for good.")      \
    XX(dropped,   "pawl_trace_runs_dropped_total",  "Times that spans of a run were not exported, because there was no room to note it or its history could not be read.")
/* The same for metrics that are pushed. */
#define PUSH_COUNTER_MAP(XX)                                                                             \
    XX(points,    "pawl_metrics_push_points_total",   "Points of metrics that a collector has taken.")   \
    XX(messages,  "pawl_metrics_push_messages_total", "Messages with metrics that a collector has taken.") \
    XX(failures,  "pawl_metrics_push_failures_total", "Times that a collector did not take a message with metrics.") \
    XX(refused,   "pawl_metrics_push_refused_total",  "Points of metrics that a collector has refused for good.") \
    XX(dropped,   "pawl_metrics_push_dropped_total",  "Messages with metrics that were not sent, because newer ones took their place.")
/* clang-format on */

struct telemetry_counters {
#define XX(name, metric, help) _Atomic uint64_t name;
    TELEMETRY_COUNTER_MAP(XX)
#undef XX
};

struct push_counters {
#define XX(name, metric, help) _Atomic uint64_t name;
    PUSH_COUNTER_MAP(XX)
#undef XX
};

#endif
