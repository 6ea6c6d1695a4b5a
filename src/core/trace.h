/* core/trace.h — the names of an instance and of its deliveries in traces. They are computed, so nothing
 * is stored for them. */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"

/* 32 hexadecimal digits. */
str trace_id(uint64_t instance, int64_t created_ms, struct arena *arena);

/* The span of a delivery of a job; never 0. */
uint64_t trace_delivery(uint64_t instance, uint32_t job, uint32_t delivery);

#endif
