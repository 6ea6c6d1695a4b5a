/* core/trace.c — hashes that name instances and their parts in traces. */
#include "core/trace.h"

#include "base/hash.h"

/* The store of another engine has an instance of the same number, so its time is part of the name. */
static uint64_t hash_of(uint64_t instance, int64_t created_ms)
{
    uint64_t name[2] = { instance, (uint64_t)created_ms };
    return hash_bytes((str){ (char *)name, sizeof name });
}

str trace_id(uint64_t instance, int64_t created_ms, struct arena *arena)
{
    return arena_printf(arena, "%016llx%016llx", (unsigned long long)hash_of(instance, created_ms),
                        (unsigned long long)instance);
}

uint64_t trace_span(uint64_t instance, int64_t created_ms, enum trace_part part, uint32_t number)
{
    uint64_t name[3] = { instance, (uint64_t)created_ms, (uint64_t)part << 32 | number };
    return hash_bytes((str){ (char *)name, sizeof name }) | 1;
}

double trace_lot(uint64_t instance, int64_t created_ms)
{
    return (double)(hash_of(instance, created_ms) >> 11) / (double)(UINT64_C(1) << 53);
}
