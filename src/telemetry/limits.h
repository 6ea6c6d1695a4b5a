/* telemetry/limits.h — bounds of spans. */
#ifndef TELEMETRY_LIMITS_H
#define TELEMETRY_LIMITS_H

enum {
    SPAN_ATTRIBUTES_MAX = 6, /* Attributes that one span has for itself … */
    RUN_ATTRIBUTES_MAX = 6,  /* … and those that all spans of a run have. */

    METRIC_NUMBER_BYTES_MAX = 64, /* A number of a page, … */
    METRIC_LABEL_BYTES_MAX = 64,  /* … and the name of a label. */
};

#endif
