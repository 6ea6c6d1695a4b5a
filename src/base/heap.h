/* base/heap.h — how much memory the calling thread holds.
 *
 * Counted are the chunks of arenas and the rows of stores in memory: nearly all that a run of the engine
 * takes. Memory counts for the thread that takes it and is given back by the thread that frees it. So the
 * number means something for a thread that keeps its memory to itself, as the one of a test run does.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern _Thread_local int64_t heap_bytes;

static inline void heap_take(size_t bytes) { heap_bytes += (int64_t)bytes; }
static inline void heap_give_back(size_t bytes) { heap_bytes -= (int64_t)bytes; }

/* Does the thread hold more? */
static inline bool heap_exceeds(size_t bytes) { return heap_bytes > (int64_t)bytes; }

#endif
