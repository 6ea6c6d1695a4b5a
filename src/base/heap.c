/* base/heap.c — the counter of each thread. */
#include "base/heap.h"

_Thread_local int64_t heap_bytes;
