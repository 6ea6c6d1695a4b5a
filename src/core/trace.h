/* core/trace.h — the names of an instance and of its parts in traces. They are computed, so nothing is stored
 * for them, and every node and every later reader computes the same. */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"

/* The spans of an instance. The numbers are part of their names, so they never change. */
enum trace_part {
    TRACE_START = 1,  /* Number 0: it begins. */
    TRACE_END,        /* It ends, by the command with this revision. */
    TRACE_VISIT,      /* A visit, by its number. */
    TRACE_WAIT_BEGIN, /* The visit begins to wait. */
    TRACE_WAIT,       /* It has waited. */
    TRACE_JOB,        /* A job, by its number: all deliveries of one attempt. */
};

/* 32 hexadecimal digits. */
str trace_id(uint64_t instance, int64_t created_ms, struct arena *arena);

/* Never 0. */
uint64_t trace_span(uint64_t instance, int64_t created_ms, enum trace_part part, uint32_t number);

/* A number from 0 to just below 1, which every node computes alike: which part of all traces is kept. */
double trace_lot(uint64_t instance, int64_t created_ms);

#endif
