/* runtime/retention.h — how long ended instances are kept (retention.c removes them). */
#ifndef RUNTIME_RETENTION_H
#define RUNTIME_RETENTION_H

#include <stdint.h>

/* Time from the end on; 0: for ever. */
struct retention {
    int64_t ended_ms;  /* Instances that completed or were cancelled, and unmatched events. */
    int64_t failed_ms; /* Instances that failed. */
    int64_t audit_ms;  /* Rows of the audit, from their own time on. */
};

#endif
