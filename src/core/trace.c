/* core/trace.c — hashes that name instances and deliveries in traces. */
#include "core/trace.h"

#include "base/hash.h"

/* The store of another engine has an instance of the same number, so its time is part of the name. */
str trace_id(uint64_t instance, int64_t created_ms, struct arena *arena)
{
    uint64_t trace[2] = { instance, (uint64_t)created_ms };
    return arena_printf(arena, "%016llx%016llx",
                        (unsigned long long)hash_bytes((str){ (char *)trace, sizeof trace }),
                        (unsigned long long)instance);
}

uint64_t trace_delivery(uint64_t instance, uint32_t job, uint32_t delivery)
{
    uint64_t span[2] = { instance, (uint64_t)job << 8 | delivery };
    return hash_bytes((str){ (char *)span, sizeof span }) | 1;
}
